/* SPDX-License-Identifier: MIT
 *
 * Results may be at the address of any float. Each output, starting at each of the 16 floats of a
 * cache line, has the bits that it has on a boundary of 4096 bytes, and nothing beside it is
 * written. On the reference path, and on the device with vectors of every width; a test that is not long
 * draws half of the widths. Sizes are random, some of them so large that results are written with
 * streaming stores.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/counts.h"
#include "base/os.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 16, PAGE = 1024, MARGIN = 2 * LINE, OUTPUTS = 5 }; /* floats */
enum { STREAMED_FLOATS = 1 << 20 };

/* The start of a cache line does not matter to an interpreter; boundaries of vectors do. */
static size_t offsets(void) {
    return small_sizes() ? 4 : LINE;
}

/* At least 1. */
static size_t size_up_to(random_source *source, size_t max) {
    return random_size(source, 1, small_sizes() && max > 5 ? 5 : max);
}

/* Memory of `count` floats that starts `offset` floats after the start of a page, with a pattern on
 * both sides. */
typedef struct cursor {
    float *memory, *at;
    size_t count, size;
} cursor;

static cursor location_make(size_t offset, size_t count) {
    cursor p = {.count = count, .size = (PAGE + offset + count + MARGIN + PAGE - 1) / PAGE * PAGE};
    p.memory = pm_os_allocate(PAGE * sizeof(float), p.size * sizeof(float));
    assert_non_null(p.memory);
    memset(p.memory, 0xFF, p.size * sizeof(float));
    p.at = p.memory + PAGE + offset;
    return p;
}

static void location_expect(const cursor *p, const cursor *expected, const char *what,
                            size_t output, size_t offset) {
    for (size_t i = 0; i < p->count; i++)
        if (memcmp(&p->at[i], &expected->at[i], sizeof(float)) != 0)
            fail_msg("%s, output %zu, %zu floats from a boundary: float %zu of %zu differs", what,
                     output, offset, i, p->count);
    for (float *f = p->memory; f < p->memory + p->size; f++)
        if ((f < p->at || f >= p->at + p->count) && !is_poison(*f))
            fail_msg("%s, output %zu, %zu floats from a boundary: float %td beside it is written",
                     what, output, offset, f - p->at);
}

/* ---- samples -------------------------------------------------------------------------------- */

enum { KEYS = 9, KEY_RATE = 10 };
static const size_t components[OUTPUTS] = {4, 3, 3, 3, 3};

typedef struct samples {
    motion keys;
    pm_clip *clip;
    double *times;
    pm_sample_job job; /* all tracks, or pairs */
    size_t values;
    char what[80];
} samples;

static void samples_make(pm_engine *engine, random_source *source, size_t keys, size_t tracks,
                         size_t count, bool pairs, samples *s) {
    static uint32_t which[64];
    const pm_timeline timeline = {.key_count = keys, .rate = {KEY_RATE, 1}};
    *s = (samples){.keys = motion_make(keys, tracks, 1.5, random_bits(source)),
                   .values = pairs ? count : count * tracks};
    const pm_clip_desc desc = motion_desc(&s->keys, &timeline, PM_METHOD_SLERP);
    s->clip = clip_make(engine, &desc);
    s->job.sample_count = count;
    s->job.rate = (pm_rational){(int64_t)(30 + random_bits(source) % 90), 1};
    if (pairs) {
        assert_true(count <= sizeof which / sizeof *which);
        s->times = test_array(count, sizeof *s->times);
        for (size_t k = 0; k < count; k++) {
            s->times[k] = random_between(source, 0, 1);
            which[k] = (uint32_t)(random_bits(source) % tracks);
        }
        s->job.rate = (pm_rational){0, 0};
        s->job.times = s->times;
        s->job.tracks = which;
    }
}

static void samples_free(samples *s) {
    pm_clip_destroy(&s->clip);
    motion_free(&s->keys);
    free(s->times);
}

static cursor samples_run(const samples *s, size_t output, size_t offset) {
    cursor p = location_make(offset, s->values * components[output]);
    pm_sample_job job = s->job;
    float **const targets[OUTPUTS] = {&job.rotations, &job.positions, &job.scales, &job.velocities,
                                      &job.accelerations};
    *targets[output] = p.at;
    sample_make(s->clip, &job);
    return p;
}

static void expect_offsets(const samples *s, size_t output, const char *what) {
    cursor expected = samples_run(s, output, 0);
    for (size_t offset = 0; offset < offsets(); offset++) {
        cursor p = samples_run(s, output, offset);
        location_expect(&p, &expected, what, output, offset);
        pm_os_free(p.memory);
    }
    for (size_t i = 0; i < expected.count; i++)
        assert_false(is_poison(expected.at[i]));
    pm_os_free(expected.memory);
}

TEST_ON_BOTH(samples_may_be_at_any_address) {
    random_source source = random_salted(0xF11);
    pm_engine *engine = engine_for(state);
    for (size_t round = 0; round < 2; round++) {
        SCOPED(samples_free) samples s;
        char what[80];
        const size_t tracks = size_up_to(&source, 40);
        const size_t count = size_up_to(&source, round ? 60 : 200);
        samples_make(engine, &source, KEYS, tracks, count, round == 1, &s);
        snprintf(what, sizeof what, "%zu samples of %zu tracks%s", count, tracks,
                 round ? ", pairs" : "");
        for (size_t output = 0; output < OUTPUTS; output++)
            if (output < 3 || can_compile_motion(engine, PM_METHOD_SLERP))
                expect_offsets(&s, output, what);
    }
}

/* Parts have fewer samples than stream, or than go to plain C. */
static void expect_bits_of_parts(const samples *s, random_source *source, size_t tracks,
                                 size_t part) {
    cursor whole = samples_run(s, 0, random_size(source, 0, LINE - 1));
    for (size_t i = 0; i < 5; i++) {
        samples of = *s;
        of.job.first = random_size(source, 0, s->job.sample_count - part);
        of.job.sample_count = part;
        of.values = part * tracks;
        cursor found = samples_run(&of, 0, random_size(source, 0, LINE - 1));
        assert_memory_equal(found.at, whole.at + 4 * tracks * of.job.first,
                            found.count * sizeof(float));
        pm_os_free(found.memory);
    }
    pm_os_free(whole.memory);
}

/* Of so many tracks, along the clip: from hardly one to hundreds of samples between two keys. Rows of
 * an odd number of tracks begin at different places of a line. */
static void expect_streamed_offsets(pm_engine *engine, random_source *source, size_t fewest,
                                    size_t most) {
    SCOPED(samples_free) samples s;
    const size_t tracks = random_size(source, fewest, most);
    const size_t count = STREAMED_FLOATS / 3 / tracks + 1;
    const size_t keys = random_size(source, KEYS, count < 2000 ? count : 2000);
    char what[80];
    samples_make(engine, source, keys, tracks, count, false, &s);
    s.job.rate = (pm_rational){(int64_t)(KEY_RATE * count), (int64_t)(keys - 1)};
    snprintf(what, sizeof what, "%zu tracks of %zu keys that stream", tracks, keys);
    expect_offsets(&s, 0, what);
    expect_offsets(&s, 1, what);
    expect_bits_of_parts(&s, source, tracks, random_size(source, 1, 300));
}

TEST_ON_BOTH(samples_with_streaming_stores_may_be_at_any_address) {
    random_source source = random_salted(0xF12);
    if (small_sizes())
        skip();
    for (size_t round = 0; round < 2; round++)
        expect_streamed_offsets(engine_for(state), &source, round ? 1 : 16, round ? 16 : 64);
}

/* Computes jobs as users' engines do, while other tests keep them on the device. */
static pm_engine *usual_engine(void **state) {
    assert_int_equal(unsetenv("POSEMILL_PROGRAMS_ON_CPU"), 0);
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.device = NULL});
    assert_int_equal(setenv("POSEMILL_PROGRAMS_ON_CPU", "1", 1), 0);
    return engine;
}

/* A CPU device leaves the large job to plain C, and computes parts of it itself. */
TEST_ON_BOTH(large_jobs_of_few_tracks_have_the_bits_of_their_parts) {
    random_source source = random_salted(0xF15);
    if (small_sizes())
        skip();
    SCOPED(pm_engine_destroy) pm_engine *engine = usual_engine(state);
    for (size_t round = 0; round < 4; round++) {
        samples s;
        const size_t tracks = random_size(&source, 1, 15), part = random_size(&source, 1, 300);
        samples_make(engine, &source, KEYS, tracks, (1 << 17) / tracks + part, false, &s);
        expect_bits_of_parts(&s, &source, tracks, part);
        samples_free(&s);
    }
}

/* ---- crowds ----------------------------------------------------------------------------------- */

static cursor crowd_run(const scene *s, const pm_crowd_job *job, pm_crowd_output output, size_t gap,
                        size_t offset) {
    const size_t width = scene_floats(s, output, 1), stride = width + gap;
    cursor p = location_make(offset, (job->instance_count - 1) * stride + width);
    pm_crowd_job wanted = *job;
    wanted.outputs =
        &(pm_crowd_target){.output = output, .memory = p.at, .stride = stride * sizeof(float)};
    wanted.output_count = 1;
    expect_success(pm_crowd_pose(s->crowd, &wanted, new_error()));
    return p;
}

static void expect_crowd_offsets(const scene *s, const pm_crowd_job *job, pm_crowd_output output,
                                 size_t gap, const char *what) {
    pm_crowd_job by_plain_c = *job;
    by_plain_c.on_reference = true;
    cursor expected = crowd_run(s, &by_plain_c, output, gap, 0);
    for (size_t offset = 0; offset < offsets(); offset++) {
        cursor p = crowd_run(s, job, output, gap, offset);
        location_expect(&p, &expected, what, output, offset);
        pm_os_free(p.memory);
    }
    const size_t width = scene_floats(s, output, 1);
    for (size_t i = 0; i < expected.count; i++)
        assert_true(is_poison(expected.at[i]) == (i % (width + gap) >= width));
    pm_os_free(expected.memory);
}

static void expect_crowds(pm_engine *engine, uint64_t salt, bool streams) {
    SCOPED(scene_free) scene s;
    random_source drawn = random_salted(salt), *source = &drawn;
    const size_t joints = size_up_to(source, streams ? 40 : 12);
    scene_make(
        engine,
        &(scene_options){.salt = random_bits(source), .joints = joints, .binds = SCENE_BIND_RIGID},
        &s);
    scene_undo(&s);
    for (size_t l = 0; l < SCENE_LEVELS && streams; l++)
        s.levels[l].joints = NULL; /* else neighbours stay in one work-item */
    scene_finish(engine, &s);
    const size_t few = size_up_to(source, 70);
    const size_t count = streams ? STREAMED_FLOATS / (6 * joints) + 1 : few;
    SCOPED(free_at) pm_crowd_instance *instances = test_array(count, sizeof *instances);
    for (size_t i = 0; i < count; i++)
        instances[i] = scene_instance(source, &s);
    const pm_crowd_job job = {.instances = instances, .instance_count = count};
    const pm_crowd_output other = (pm_crowd_output)random_size(source, 1, PM_CROWD_POSE_COUNT - 1);
    for (pm_crowd_output output = 0; output < PM_CROWD_POSE_COUNT; output++)
        if (!streams || output == PM_CROWD_PALETTE || output == other)
            expect_crowd_offsets(&s, &job, output,
                                 random_bits(source) % 2 ? random_bits(source) % 19 : 0, "crowds");
}

/* Frames that a CPU device leaves to plain C, and of more instances than that. */
TEST_ON_BOTH(frames_of_any_size_have_the_bits_of_the_device) {
    random_source source = random_salted(0xF16);
    const size_t counts[] = {1, random_size(&source, 2, 40), random_size(&source, 41, 999), 10001};
    SCOPED(pm_engine_destroy) pm_engine *usual = usual_engine(state);
    SCOPED(scene_free) scene s;
    SCOPED(scene_free) scene kept;
    const scene_options options = {.salt = 0xF17, .joints = 7, .binds = SCENE_BIND_RIGID};
    scene_make(usual, &options, &s);
    scene_make(engine_for(state), &options, &kept);
    const size_t step = long_sweeps() ? 1 : 4; /* outputs: each is compiled */
    const size_t drawn = random_size(&source, 0, step - 1);
    for (size_t i = 0; i < (small_sizes() ? 2 : 4); i++) {
        SCOPED(free_at) pm_crowd_instance *instances = test_array(counts[i], sizeof *instances);
        for (size_t k = 0; k < counts[i]; k++)
            instances[k] = scene_instance(&source, &s);
        const pm_crowd_job job = {.instances = instances, .instance_count = counts[i]};
        for (size_t n = drawn; n < PM_CROWD_POSE_COUNT; n += step) {
            const pm_crowd_output output = (pm_crowd_output)n;
            const size_t gap = random_size(&source, 0, 9);
            cursor expected = crowd_run(&kept, &job, output, gap, 0);
            cursor p = crowd_run(&s, &job, output, gap, random_size(&source, 0, LINE - 1));
            location_expect(&p, &expected, "a frame", output, 0);
            pm_os_free(p.memory);
            pm_os_free(expected.memory);
        }
    }
}

TEST_ON_BOTH(crowds_may_be_at_any_address) {
    expect_crowds(engine_for(state), 0xF13, false);
}

TEST_ON_BOTH(crowds_with_streaming_stores_may_be_at_any_address) {
    if (small_sizes())
        skip();
    expect_crowds(engine_for(state), 0xF14, true);
}

TEST_GROUP(NULL, engines_close)

int main(int argc, char **argv) {
    leave_out_crowds_on_rusticl("crowds*on the device");
    return test_main(argc, argv);
}
