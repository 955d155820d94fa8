/* SPDX-License-Identifier: MIT
 *
 * Samples on the host: in the lanes of every instruction set, of tracks or of samples, all tracks have the
 * bits that they have track by track, and nothing beside the results is written. Every method, on
 * uniform, looped and listed keys, and on timelines of their own; numbers of tracks, samples and addresses are random, and results so
 * large that they go past the caches. Values, derivatives, and pairs.
 */
#include "support/engines.h"
#include "support/motion.h"

#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "base/instruction_set.h"
#include "base/os.h"
#include "cpu/cpu.h"
#include "engine/engine.h"

TEST_GROUP(NULL, engines_close)

enum { MARGIN = 64, KEYS = 24, STREAMED_FLOATS = 1 << 20, PAGE = 4096 };

/* With small sizes a method has results past the caches on one kind of keys. */
static bool is_large(unsigned method, unsigned kind) {
    return !small_sizes() || method % 3 == kind;
}

/* Results of a job, for all outputs or for those of channels alone. */
typedef struct walk_job {
    pm_sample_job job;
    size_t offset; /* of results, in floats above a page */
    bool moves;    /* derivatives too */
} walk_job;

typedef pm_status (*sampler)(size_t instruction_set, const pm_sample_request *request,
                             pm_error *error);

static pm_status by_track(size_t instruction_set, const pm_sample_request *request,
                          pm_error *error) {
    (void)instruction_set;
    return pm_cpu_sample_by_track(request, error);
}

/* The floats of an output's results; 0 where they are not asked for. */
static size_t floats_of(const pm_clip *clip, const walk_job *w, unsigned output) {
    const size_t width = w->job.tracks ? 1 : clip->data->track_count;
    if (pm_outputs[output].order > 0 && !w->moves)
        return 0;
    return w->job.sample_count * width * pm_outputs[output].components;
}

/* Results of all outputs one after another, each with a margin on both sides and `offset` floats above
 * a page. The caller frees them. */
static float *sampled(const pm_clip *clip, const walk_job *w, sampler sample,
                      size_t instruction_set, size_t *bytes) {
    size_t starts[PM_OUTPUT_COUNT], floats = MARGIN;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        starts[o] = floats + w->offset;
        floats += w->offset + floats_of(clip, w, o) + MARGIN;
        floats = (floats + 15) / 16 * 16;
    }
    *bytes = (floats * sizeof(float) + PAGE - 1) / PAGE * PAGE;
    float *memory = pm_os_allocate(PAGE, *bytes);
    assert_non_null(memory);
    memset(memory, 0xFF, *bytes);
    pm_sample_request request = pm_sample_request_of(clip->data, &w->job, 2);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        request.outputs[o] = floats_of(clip, w, o) ? memory + starts[o] : NULL;
    assert_int_equal(sample(instruction_set, &request, NULL), PM_OK);
    return memory;
}

static void free_aligned(float **memory) {
    pm_os_free(*memory);
}

static void expect_same(const pm_clip *clip, const walk_job *w, const char *name) {
    size_t bytes;
    SCOPED(free_aligned) float *expected = sampled(clip, w, by_track, 0, &bytes);
    for (size_t set = 0; set < pm_instruction_set_count(); set++) {
        if (!pm_instruction_set_is_supported(set))
            continue;
        SCOPED(free_aligned)
        float *actual = sampled(clip, w, pm_cpu_sample_with, set, &bytes);
        for (size_t i = 0; i < bytes / sizeof *actual; i++)
            if (memcmp(&actual[i], &expected[i], sizeof *actual) != 0)
                fail_msg("%s, %s: %zu tracks, %zu samples, offset %zu: float %zu differs", name,
                         pm_instruction_set_name(set), clip->data->track_count,
                         (size_t)w->job.sample_count, w->offset, i);
    }
}

enum { TIMES = 300 };

/* Pairs of any number. */
static void check_pairs(random_source *source, const pm_clip *clip, const double *times,
                        const char *name) {
    uint32_t tracks[TIMES];
    for (size_t k = 0; k < TIMES; k++)
        tracks[k] = (uint32_t)random_size(source, 0, clip->data->track_count - 1);
    const walk_job w = {
        .job = {.sample_count = random_size(source, 1, TIMES), .times = times, .tracks = tracks},
        .offset = random_size(source, 0, 15),
        .moves = true};
    expect_same(clip, &w, name);
}

static void check_clip(random_source *source, const pm_clip *clip, bool large, const char *name) {
    const size_t tracks = clip->data->track_count;
    double times[TIMES];
    walk_job w = {.job = {.rate = {(int64_t)random_size(source, 1, 200), 7},
                          .start_after_first_key = {(int64_t)random_size(source, 0, 9), 8},
                          .first = random_size(source, 0, 5),
                          .sample_count = random_size(source, 1, TIMES)},
                  .offset = random_size(source, 0, 15),
                  .moves = true};
    expect_same(clip, &w, name);
    w.moves = false;
    w.job.sample_count = STREAMED_FLOATS / (3 * tracks) + random_size(source, 1, 70);
    w.offset = random_size(source, 0, 1) ? random_size(source, 1, 15) : 0;
    if (large)
        expect_same(clip, &w, name);
    random_times(source, TIMES, -1, KEYS, times);
    w.job = (pm_sample_job){.sample_count = TIMES, .times = times};
    w.offset = random_size(source, 0, 15);
    expect_same(clip, &w, name);
    check_pairs(source, clip, times, name);
}

typedef struct key_kind {
    pm_timeline timelines[3];
    uint32_t timeline_of[70];
    double times[3][KEYS];
    double loop;
    size_t timeline_count;
} key_kind;

/* Uniform, looped and listed keys; 3: tracks with different timelines, one of them uniform. */
static void make_keys(random_source *source, unsigned kind, bool is_uniform, key_kind *made) {
    *made = (key_kind){.timeline_count = kind == 3 ? 3 : 1};
    for (size_t i = 0; i < 3; i++) {
        made->timelines[i] = (pm_timeline){.key_count = KEYS, .rate = {2, 1}};
        random_key_times(source, KEYS, 0, 0.1, 1.5, made->times[i]);
        if (!is_uniform && (kind == 2 || (kind == 3 && i > 0)))
            made->timelines[i] = (pm_timeline){.key_count = KEYS, .times = made->times[i]};
        else if (kind == 3)
            made->timelines[i].rate.num = (int64_t)i + 1;
    }
    for (size_t t = 0; t < COUNT_OF(made->timeline_of); t++)
        made->timeline_of[t] = (uint32_t)random_size(source, 0, made->timeline_count - 1);
    made->loop = kind == 1 ? KEYS / 2.0 : 0;
}

static void check_tracks(random_source *source, pm_engine *engine, unsigned method, unsigned kind,
                         size_t tracks, pm_key_format format) {
    key_kind keys;
    SCOPED(motion_free) motion m = motion_make(KEYS, tracks, 2.5, random_bits(source));
    make_keys(source, kind, method == PM_METHOD_BSPLINE, &keys);
    pm_clip_desc desc = motion_desc(&m, keys.timelines, (pm_method)method);
    desc.loop = keys.loop;
    desc.key_format = format;
    desc.timeline_count = keys.timeline_count;
    desc.timeline_of = keys.timeline_count > 1 ? keys.timeline_of : NULL;
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
    check_clip(source, clip, is_large(method, kind), pm_method_get_info((pm_method)method)->name);
}

TEST(walks_have_the_bits_of_single_tracks) {
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    random_source source = random_salted(20261127);
    for (unsigned method = 0; method < PM_METHOD_COUNT; method++)
        for (unsigned kind = 0; kind < 4; kind++) {
            check_tracks(&source, engine, method, kind, random_size(&source, 16, 70), 0);
            check_tracks(&source, engine, method, kind, random_size(&source, 1, 15), 0);
        }
}

/* Whole blocks of samples repeat the fractions of those before them. */
TEST(repeated_blocks_have_the_bits_of_single_tracks) {
    enum { MANY_KEYS = 200 };
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    random_source source = random_salted(20261129);
    for (unsigned method = 0; method < PM_METHOD_COUNT; method++) {
        const int64_t factor = (int64_t)1 << random_size(&source, 0, 4);
        const pm_timeline timeline = {.key_count = MANY_KEYS, .rate = {2, 1}};
        const size_t tracks = random_size(&source, 1, 4);
        SCOPED(motion_free)
        motion m = motion_make(MANY_KEYS, tracks, 2.5, random_bits(&source));
        pm_clip_desc desc = motion_desc(&m, &timeline, (pm_method)method);
        desc.loop = method % 2 ? MANY_KEYS / 2.0 : 0;
        SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
        const walk_job w = {
            .job = {.rate = {2 * factor, 1},
                    .start_after_first_key = {(int64_t)random_size(&source, 0, 9), 8},
                    .sample_count = (size_t)factor * MANY_KEYS * 3 / 2},
            .offset = random_size(&source, 0, 15)};
        expect_same(clip, &w, pm_method_get_info((pm_method)method)->name);
    }
}

/* Rows of few tracks lie anywhere in the lines of the caches. */
TEST(every_number_of_few_tracks_has_the_bits_of_single_tracks) {
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    random_source source = random_salted(20261128);
    for (size_t tracks = 1; tracks <= 17; tracks++)
        check_tracks(&source, engine, (unsigned)random_size(&source, 0, PM_METHOD_COUNT - 1),
                     (unsigned)random_size(&source, 0, 3), tracks, 0);
}

TEST(short_keys_have_the_bits_of_single_tracks) {
    static const pm_method methods[] = {PM_METHOD_STEP, PM_METHOD_NLERP, PM_METHOD_SLERP,
                                        PM_METHOD_CUBIC};
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    random_source source = random_salted(20261130);
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        for (unsigned kind = 0; kind < 4; kind++)
            check_tracks(&source, engine, methods[i], kind, random_size(&source, 1, 40),
                         kind % 2 ? PM_KEYS_LOG48 : PM_KEYS_SMALLEST48);
}
