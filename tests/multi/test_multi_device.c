/* SPDX-License-Identifier: MIT
 *
 * Engines over several devices: sub-devices of the CPU, with one context each and with a common
 * context, compared with the bits of the reference.
 * Failures of a device: test_injection.c.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill_points.h>

#include "base/counts.h"
#include "engine/engine.h"
#include "multi/multi.h"
#include "opencl/device.h"
#include "programs/state.h"
#include "support/cl_objects.h"
#include "support/cl_references.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"
#include "support/sub_devices.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 12, TRACKS = 37, COUNT = 700, PARTS = SUB_DEVICES };
/* The minimum piece here is this many values, so that small jobs have many pieces. */
enum { MIN = 500 };

/* Sub-devices of the device that the other tests use, and an engine over them. */
static struct {
    bool divided;
    sub_devices subs;
    pm_engine *engine; /* one context per device */
    motion keys;
} m;

static pm_multi_device *multi_of(const pm_engine *engine) {
    return pm_multi_device_of(engine->device);
}

static pm_engine *open_targets(const pm_cl_target *targets, size_t count) {
    pm_engine *engine = NULL;
    expect_success(pm_cl_engine_create_multi(targets, count, NULL, &engine, new_error()));
    if (count > 1)
        multi_of(engine)->min_values = MIN;
    return engine;
}

static pm_engine *open_separately(void) {
    return open_targets(m.subs.targets, PARTS);
}

static int open_parts(void **state) {
    (void)state;
    m.keys = motion_make(KEYS, TRACKS, 2.5, 0x71);
    m.divided = sub_devices_open(engine_of_kind(ON_DEVICE), &m.subs);
    m.engine = m.divided ? open_separately() : NULL;
    return 0;
}

static int close_parts(void **state) {
    pm_engine_destroy(&m.engine);
    sub_devices_close(&m.subs);
    motion_free(&m.keys);
    return engines_close(state);
}

/* The reason is printed once, when the sub-devices are opened. */
static void need_parts(void) {
    if (!m.divided)
        skip();
}

/* Samples on several devices, on the whole device and on the reference. */
static void expect_results_of_one(pm_engine *engine, const pm_clip_desc *desc,
                                  const pm_sample_job *job) {
    SCOPED(pm_clip_destroy)
    pm_clip *multi = clip_make(engine, desc), *one = clip_make(engine_of_kind(ON_DEVICE), desc);
    SCOPED(outputs_free)
    outputs of_reference = sampled_on_reference(multi, *job, ALL_OUTPUTS),
            of_one = sampled_as(one, *job, ALL_OUTPUTS);
    expect_same_outputs(&of_one, &of_reference);
    for (int round = 0; round < 3; round++) /* unmeasured, with programs built, measured */
        expect_reference_bits(multi, *job, ALL_OUTPUTS);
}

/* ---- descriptions and jobs ---- */

static const pm_timeline uniform = {.key_count = KEYS, .rate = {30000, 1001}};

static pm_clip_desc describe(const pm_timeline *timeline) {
    return motion_desc(&m.keys, timeline, PM_METHOD_SQUAD);
}

/* Times in any order, some before the first key and some after the last. */
static void scatter(uint64_t salt, double times[COUNT], uint32_t tracks[COUNT]) {
    random_source source = random_salted(salt);
    for (size_t k = 0; k < COUNT; k++) {
        times[k] = random_between(&source, -0.05, 0.5);
        tracks[k] = (uint32_t)(random_bits(&source) % TRACKS);
    }
}

static void make_key_times(double times[KEYS]) {
    random_source source = random_salted(0x72);
    for (size_t k = 0; k < KEYS; k++)
        times[k] = 0.04 * ((double)k + random_between(&source, 0, 0.9));
}

/* Every kind of job and of key times. Pieces start where the job does, at any distance from the keys. The
 * first sample number is not used in a job of times, and may have any value. */
TEST(jobs_of_every_kind_have_the_bits_of_one_device) {
    need_parts();
    double times[COUNT], key_times[KEYS];
    uint32_t tracks[COUNT], timeline_of[TRACKS];
    static const uint32_t subset[] = {TRACKS - 1, 4, 7};
    make_key_times(key_times);
    scatter(0x73, times, tracks);
    const pm_timeline timelines[] = {uniform, {.key_count = KEYS, .times = key_times}};
    for (uint32_t t = 0; t < TRACKS; t++)
        timeline_of[t] = t % 2;
    const pm_sample_job grid = {.rate = {1499, 1}}, listed = {.times = times},
                        pairs = {.times = times, .tracks = tracks, .first = UINT64_MAX},
                        some = {.rate = {1499, 1}, .subset = subset, .subset_count = 3};
    const struct {
        const char *name;
        enum { UNIFORM, LISTED, BOTH } keys;
        double period; /* of a loop; 0: none */
        size_t min_values;
        pm_sample_job job;
    } rows[] = {
        {"uniform samples", UNIFORM, 0, MIN, grid},
        {"samples far into a loop",
         UNIFORM,
         0.5,
         MIN,
         {.rate = {48000, 1001}, .start_after_first_key = {-7, 3}, .first = 1234567890123}},
        {"uniform samples of listed keys", LISTED, 0, MIN, {.rate = {1499, 1}, .first = 3}},
        {"listed times", UNIFORM, 0, MIN, {.times = times, .velocity_frame = PM_AXIS_PARENT}},
        {"pairs", UNIFORM, 0, 50, pairs},
        {"uniform samples of tracks with their own keys", BOTH, 0, MIN, grid},
        {"listed times of tracks with their own keys", BOTH, 0, MIN, listed},
        {"pairs of tracks with their own keys", BOTH, 0, 50, pairs},
        {"samples of a subset", UNIFORM, 0, 50, some},
        {"samples of a subset of tracks with their own keys", BOTH, 0, 50, some},
    };
    for (size_t n = 0; n < COUNT_OF(rows); n++) {
        pm_clip_desc desc = describe(&timelines[rows[n].keys == LISTED]);
        pm_sample_job job = rows[n].job;
        print_message("# %s\n", rows[n].name);
        if (rows[n].keys == BOTH) {
            desc.timeline_count = 2;
            desc.timeline_of = timeline_of;
        }
        desc.loop = rows[n].period;
        job.sample_count = COUNT;
        multi_of(m.engine)->min_values = rows[n].min_values;
        expect_results_of_one(m.engine, &desc, &job);
    }
    multi_of(m.engine)->min_values = MIN;
}

/* In place, so that pieces that overlap would differ; the first stamp that is refused is found. */
TEST(points_have_the_bits_of_plain_c_and_refusals_the_first_point) {
    need_parts();
    double times[COUNT];
    uint32_t tracks[COUNT];
    int64_t keys[KEYS], stamps[COUNT];
    float points[2][COUNT][3] = {{{0}}};
    SCOPED(motion_free) motion little = motion_make(KEYS, TRACKS, 0.4, 0x75);
    pm_engine *engines[] = {m.engine, engine_of_kind(ON_REFERENCE)};
    scatter(0x74, times, tracks);
    for (size_t k = 0; k < KEYS; k++)
        keys[k] = 1000 * (int64_t)k;
    for (size_t i = 0; i < COUNT; i++)
        stamps[i] = (int64_t)(1e9 * fabs(times[i])) % keys[KEYS - 1];
    for (size_t e = 0; e < 2; e++) {
        size_t invalid = 9;
        const pm_trajectory_desc desc = {.motion = {.track_count = TRACKS,
                                                    .rotations.data = little.rotations,
                                                    .positions.data = little.positions},
                                         .key_count = KEYS,
                                         .stamps.data = keys};
        SCOPED(pm_trajectory_destroy) pm_trajectory *t = NULL;
        expect_success(pm_trajectory_create(engines[e], &desc, &t, new_error()));
        const pm_points_job job = {
            .count = COUNT,
            .stamps.data = stamps,
            .points.data = points[e],
            .frames = {{.trajectory = t, .tracks = {tracks, sizeof *tracks, 0}}},
            .frame_count = 1,
            .moved.data = points[e],
            .invalid_count = &invalid};
        stamps[COUNT - 5] = keys[KEYS - 1] + 1;
        expect_error(pm_move_points(&job, new_error()), PM_ERROR_TIME, "point 695,");
        stamps[COUNT - 5] = 0;
        for (size_t i = 0; i < COUNT; i++)
            for (size_t c = 0; c < 3; c++)
                points[e][i][c] = i == 3 && c == 1 ? NAN : (float)(i + c);
        expect_success(pm_move_points(&job, new_error()));
        assert_int_equal(invalid, 1);
    }
    assert_memory_equal(points[0], points[1], sizeof points[0]);
}

/* ---- distribution of work ---- */

static pm_clip *clip_of_slerp(pm_engine *engine) {
    const pm_clip_desc desc = motion_desc(&m.keys, &uniform, PM_METHOD_SLERP);
    return clip_make(engine, &desc);
}

static const pm_sample_job uniform_job = {.sample_count = COUNT, .rate = {1499, 1}};

static void sample_rotations(const pm_clip *clip) {
    SCOPED(outputs_free) outputs o = sampled_as(clip, uniform_job, ONLY_ROTATIONS);
}

/* The programs that a device has built so far: 0 unless it has computed. */
static size_t programs_of(const pm_engine *engine, size_t part) {
    pm_programs *p = engine->device->members[part]->programs;
    size_t count = 0;
    pthread_mutex_lock(&p->lock);
    for (const pm_built *b = p->built; b; b = b->next)
        count += b->program != NULL;
    pthread_mutex_unlock(&p->lock);
    return count;
}

/* A thread may start too late for one job, but not for all of them. */
TEST(every_device_takes_part) {
    need_parts();
    SCOPED(pm_engine_destroy) pm_engine *engine = open_separately();
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_of_slerp(engine);
    for (size_t job = 0; job < 1000 && !(programs_of(engine, 0) && programs_of(engine, 1)); job++)
        sample_rotations(clip);
    assert_true(programs_of(engine, 0) > 0);
    assert_true(programs_of(engine, 1) > 0);
}

TEST(the_first_device_takes_a_job_too_small_to_divide) {
    need_parts();
    SCOPED(pm_engine_destroy) pm_engine *engine = open_separately();
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_of_slerp(engine);
    multi_of(engine)->min_values = (size_t)COUNT * TRACKS;
    for (size_t job = 0; job < 3; job++)
        sample_rotations(clip);
    assert_true(programs_of(engine, 0) > 0);
    assert_int_equal(programs_of(engine, 1), 0);
}

/* ---- threads ---- */

enum { THREADS = 2, JOBS = 10 };

typedef struct caller {
    const pm_clip *clip;
    float *out;
    pm_status status;
} caller;

static void *call(void *argument) {
    caller *c = argument;
    for (size_t job = 0; job < JOBS && c->status == PM_OK; job++)
        c->status = pm_sample(c->clip,
                              &(pm_sample_job){.sample_count = COUNT,
                                               .rate = {1499, 1},
                                               .first = job * COUNT,
                                               .rotations = c->out + job * COUNT * TRACKS * 4},
                              NULL);
    return NULL;
}

TEST(two_threads_may_sample_concurrently) {
    need_parts();
    const size_t floats = (size_t)JOBS * COUNT * TRACKS * 4;
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_of_slerp(m.engine);
    const pm_sample_job all = {.sample_count = (size_t)JOBS * COUNT, .rate = {1499, 1}};
    SCOPED(outputs_free) outputs expected = sampled_on_reference(clip, all, ONLY_ROTATIONS);
    caller callers[THREADS];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        callers[i] = (caller){clip, guarded_floats(floats), PM_OK};
        assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(callers[i].status, PM_OK);
        expect_same_bits(callers[i].out, expected.rotations, floats, 4);
        guarded_free(callers[i].out);
    }
}

/* ---- information of the engine --------- */

TEST(its_info_covers_all_devices) {
    need_parts();
    pm_device_info whole, parts[PARTS];
    pm_engine_get_info(m.engine, &whole);
    for (size_t i = 0; i < PARTS; i++)
        parts[i] = m.engine->device->members[i]->info;
    char names[2 * sizeof whole.name + 4];
    snprintf(names, sizeof names, "%s + %s", parts[0].name, parts[1].name);
    names[sizeof whole.name - 1] = '\0';
    assert_string_equal(whole.name, names);
    assert_string_equal(whole.platform, parts[0].platform);
    assert_int_equal(whole.type, parts[0].type);
    assert_int_equal(whole.index, parts[0].index);
    assert_int_equal(whole.memory_bytes, parts[0].memory_bytes + parts[1].memory_bytes);
    assert_int_equal(whole.compute_units, parts[0].compute_units + parts[1].compute_units);
    assert_memory_equal(&whole.claims, &parts[0].claims, sizeof whole.claims);
    assert_true(whole.max_allocation_bytes <= parts[0].max_allocation_bytes &&
                whole.max_allocation_bytes <= parts[1].max_allocation_bytes);
    assert_ptr_equal(pm_cl_context(m.engine), m.subs.targets[0].context);
    assert_ptr_equal(pm_cl_device(m.engine), m.subs.devices[0]);
}

TEST(the_self_check_covers_every_device) {
    need_parts();
    SCOPED(pm_engine_destroy) pm_engine *engine = open_separately();
    pm_bit_match identity = PM_BIT_MATCH_UNKNOWN;
    expect_success(pm_engine_self_check(engine, &identity, new_error()));
    assert_int_equal(identity, PM_BIT_MATCH_EXACT);
    const size_t programs = programs_of(engine, 0);
    assert_true(programs > PM_METHOD_COUNT / 2);
    assert_int_equal(programs_of(engine, 1), programs);
}

/* ---- on a caller's queue ---- */

TEST(a_queue_of_any_of_the_devices_is_accepted_and_no_other) {
    need_parts();
    enum { FLOATS = COUNT * TRACKS * 4 };
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_of_slerp(m.engine);
    SCOPED(guarded_free_at) float *out = guarded_floats(FLOATS);
    SCOPED(outputs_free) outputs expected = sampled_on_reference(clip, uniform_job, ONLY_ROTATIONS);
    for (size_t i = 0; i < PARTS; i++) {
        const pm_cl_target *target = &m.subs.targets[i];
        cl_command_queue queue = queue_of(target->context, target->device);
        cl_mem buffer = buffer_of(target->context, 0, FLOATS * sizeof *out, NULL);
        const pm_cl_outputs to = {.rotations = buffer};
        expect_success(pm_cl_sample(clip, &uniform_job, &to, queue, 0, NULL, NULL, new_error()));
        read_buffer(queue, buffer, 0, FLOATS * sizeof *out, out);
        expect_same_bits(out, expected.rotations, FLOATS, 4);
        clReleaseCommandQueue(queue);
        queue = queue_of(m.subs.shared, m.subs.devices[i]);
        expect_error(pm_cl_sample(clip, &uniform_job, &to, queue, 0, NULL, NULL, new_error()),
                     PM_ERROR_ARGUMENT, "queue");
        clReleaseMemObject(buffer);
        clReleaseCommandQueue(queue);
    }
}

/* ---- targets ---- */

static void expect_refused_targets(const pm_cl_target *targets, size_t count, const char *words) {
    pm_error error = poisoned_error();
    pm_engine *const untouched = (pm_engine *)&error;
    pm_engine *engine = untouched;
    expect_refusal(pm_cl_engine_create_multi(targets, count, NULL, &engine, &error), &error,
                   PM_ERROR_ARGUMENT, words);
    assert_ptr_equal(engine, untouched);
}

TEST(invalid_targets_are_refused) {
    need_parts();
    const pm_cl_target *good = m.subs.targets;
    const pm_cl_target no_context[PARTS] = {good[0],
                                            {.context = NULL, .device = m.subs.devices[1]}};
    const pm_cl_target no_device[PARTS] = {good[0],
                                           {.context = m.subs.targets[1].context, .device = NULL}};
    expect_refused_targets(good, 0, "count");
    expect_refused_targets(no_context, PARTS, "targets[1].context");
    expect_refused_targets(no_device, PARTS, "targets[1].device");
}

TEST(a_common_context_is_retained_and_released) {
    need_parts();
    const cl_uint before = references(m.subs.shared);
    const pm_cl_target targets[PARTS] = {{.context = m.subs.shared, .device = m.subs.devices[0]},
                                         {.context = m.subs.shared, .device = m.subs.devices[1]}};
    pm_engine *engine = open_targets(targets, PARTS);
    assert_true(references(m.subs.shared) >= before + PARTS);
    const pm_clip_desc desc = describe(&uniform);
    expect_results_of_one(engine, &desc, &uniform_job);
    pm_engine_destroy(&engine);
    assert_int_equal(references_at_last(references, m.subs.shared, before), before);
}

/* ---- devices by name: no sub-devices required ------ */

static size_t list_some(pm_device_info infos[2]) {
    size_t count = 0;
    expect_success(pm_list_devices(infos, 2, &count, new_error()));
    return count;
}

static void expect_refused_device(const char *device, pm_status expected, const char *words) {
    pm_engine *engine = NULL;
    const pm_engine_desc desc = {.device = device};
    expect_error(pm_engine_create(&desc, &engine, new_error()), expected, words);
    assert_null(engine);
}

TEST(a_device_that_is_listed_twice_is_refused) {
    pm_device_info infos[2];
    char list[128];
    list_some(infos);
    expect_refused_device("0,0", PM_ERROR_ARGUMENT, "\"0\" is listed twice");
    snprintf(list, sizeof list, "0,%zu:%zu", infos[0].platform_index, infos[0].device_index);
    expect_refused_device(list, PM_ERROR_ARGUMENT, "twice");
}

static void expect_devices(const char *device, const pm_device_info *first, size_t count) {
    pm_device_info info;
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    const pm_engine_desc desc = {.device = device};
    expect_success(pm_engine_create(&desc, &engine, new_error()));
    pm_engine_get_info(engine, &info);
    assert_int_equal(engine->device->member_count, count);
    assert_int_equal(info.index, first->index);
    assert_int_equal(info.platform_index, first->platform_index);
    assert_memory_equal(info.name, first->name, strlen(first->name));
}

TEST(a_list_gives_its_devices_in_its_order) {
    pm_device_info infos[2];
    char list[128];
    if (list_some(infos) < 2) {
        print_message("not tested: there is one device\n");
        skip();
    }
    expect_devices("0,1", &infos[0], 2);
    expect_devices("1,0", &infos[1], 2);
    snprintf(list, sizeof list, "%zu:%zu,0", infos[1].platform_index, infos[1].device_index);
    expect_devices(list, &infos[1], 2);
}

TEST_GROUP_ON_DEVICE(open_parts, close_parts)
