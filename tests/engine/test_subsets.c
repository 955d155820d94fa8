/* SPDX-License-Identifier: MIT
 *
 * Jobs for some tracks: their outputs are the rows that these tracks have in the job of all, bit for bit, in the
 * order of the subset. Methods, key formats, loops, timelines, kinds of times, strides and sides are random; refusals.
 */
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/counts.h"

TEST_GROUP(NULL, engines_close)

enum { KEYS = 60, MOST = 41, LINES = 4, SAMPLES = 1500 };

static const size_t numbers[OUTPUTS_MAX] = {4, 3, 3, 3, 3};

/* A description, and what it points to. */
typedef struct subject {
    motion m;
    double times[LINES][KEYS];
    pm_timeline lines[LINES];
    uint32_t line_of[MOST];
    double axes[MOST][3];
    pm_windows windows[MOST];
    pm_clip_desc desc;
} subject;

/* Listed times begin anywhere. */
static pm_timeline line_of(random_source *source, pm_method method, size_t keys, double *times) {
    if (pm_method_get_info(method)->needs_uniform_keys || random_size(source, 0, 1))
        return (pm_timeline){.key_count = keys, .rate = {(int64_t)random_size(source, 3, 60), 1}};
    random_key_times(source, keys, random_between(source, -3, 3), 0.1, 0.6, times);
    return (pm_timeline){.key_count = keys, .times = times};
}

/* All tracks on one timeline, or each on one of several. */
static void make(random_source *source, pm_method method, bool common, subject *s) {
    const size_t tracks = random_size(source, 1, MOST), lines = common ? 1 : LINES;
    motion all = motion_make(KEYS, tracks, 1.2, random_bits(source)), parts[MOST];
    for (size_t i = 0; i < lines; i++)
        s->lines[i] = line_of(source, method, random_size(source, 2, KEYS), s->times[i]);
    for (size_t t = 0; t < tracks; t++) {
        s->line_of[t] = (uint32_t)random_size(source, 0, lines - 1);
        random_direction(source, s->axes[t]);
        s->windows[t] =
            (pm_windows){0, random_between(source, 0.3, 1), random_between(source, 0, 0.5), 1};
        parts[t] = motion_slice(&all, t, s->lines[s->line_of[t]].key_count);
    }
    s->m = common ? all : motion_pack(parts, tracks);
    s->desc = motion_desc(&s->m, s->lines, method);
    s->desc.track_count = tracks;
    s->desc.timeline_count = lines;
    s->desc.timeline_of = s->line_of;
    s->desc.axes = (pm_array){s->axes, PM_FLOAT64, 0}; /* of sterp */
    s->desc.axis_count = s->desc.window_count = tracks;
    s->desc.windows = s->windows;
    if (common && random_size(source, 0, 1)) /* longer than any timeline, or one more segment */
        s->desc.loop =
            s->lines->times ? 50 : (double)s->lines->key_count / (double)s->lines->rate.num;
    if (pm_method_get_info(method)->floats_per_segment == 4) /* keys alone */
        s->desc.key_format = (pm_key_format)random_size(source, 0, 2);
    if (!common)
        motion_free(&all);
    for (size_t t = 0; t < tracks; t++)
        motion_free(&parts[t]);
}

/* Some tracks in any order. Returns their number. */
static size_t draw_subset(random_source *source, size_t tracks, uint32_t subset[MOST]) {
    for (uint32_t t = 0; t < tracks; t++)
        subset[t] = t;
    for (size_t t = tracks; t-- > 1;) {
        const size_t other = random_size(source, 0, t);
        const uint32_t kept = subset[t];
        subset[t] = subset[other];
        subset[other] = kept;
    }
    return random_size(source, 1, tracks);
}

static pm_sample_job draw_job(random_source *source, double times[SAMPLES]) {
    pm_sample_job job = {.sample_count =
                             random_size(source, 1, random_size(source, 0, 2) ? 60 : SAMPLES),
                         .velocity_frame = (pm_axis_frame)random_size(source, 0, 1)};
    random_times(source, job.sample_count, -5, 40, times);
    if (random_size(source, 0, 1)) {
        job.times = times;
    } else {
        job.rate = (pm_rational){(int64_t)random_size(source, 5, 120), 2};
        job.start_after_first_key = (pm_rational){(int64_t)random_size(source, 0, 9), 4};
        job.first = random_size(source, 0, 30);
    }
    return job;
}

/* `row` of `all` tracks has those of the subset in `some`. */
static void expect_tracks(const pm_sample_job *job, size_t tracks, const outputs *all,
                          const outputs *some) {
    for (size_t o = 0; o < OUTPUTS_MAX; o++)
        for (size_t k = 0; all->values[o] && k < job->sample_count; k++)
            for (size_t i = 0; i < job->subset_count; i++)
                assert_memory_equal(some->values[o] + numbers[o] * (k * job->subset_count + i),
                                    all->values[o] + numbers[o] * (k * tracks + job->subset[i]),
                                    numbers[o] * sizeof(float));
}

/* Rows that lie apart have the same values, and nothing is written between them. */
static void expect_apart(random_source *source, const pm_clip *clip, pm_sample_job job,
                         const outputs *some) {
    const size_t row = 4 * job.subset_count, stride = row + random_size(source, 1, 5);
    SCOPED(guarded_free_at) float *apart = guarded_floats(job.sample_count * stride);
    job.rotations = apart;
    job.rotations_stride = stride * sizeof *apart;
    sample_make(clip, &job);
    for (size_t k = 0; k < job.sample_count; k++) {
        assert_memory_equal(apart + k * stride, some->rotations + k * row, row * sizeof *apart);
        for (size_t i = row; i < stride; i++)
            assert_true(is_poison(apart[k * stride + i]));
    }
}

static void expect_subset(random_source *source, pm_engine *engine, pm_method method, bool common) {
    subject s;
    double times[SAMPLES];
    uint32_t subset[MOST];
    make(source, method, common, &s);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &s.desc);
    pm_sample_job job = draw_job(source, times);
    const unsigned set = can_compile_motion(engine, method) ? ALL_OUTPUTS : OF_CHANNELS;
    SCOPED(outputs_free) outputs all = sampled_as(clip, job, set);
    job.subset = subset;
    job.subset_count = draw_subset(source, s.desc.track_count, subset);
    SCOPED(outputs_free) outputs some = sampled_as(clip, job, set);
    SCOPED(outputs_free) outputs on_host = sampled_on_reference(clip, job, set);
    expect_tracks(&job, s.desc.track_count, &all, &some);
    expect_same_outputs(&some, &on_host);
    expect_apart(source, clip, job, &some);
    SCOPED(outputs_free) outputs at_once = outputs_make(some.rows, OF_CHANNELS);
    job = outputs_job(job, &at_once);
    assert_int_equal(pm_resample(&s.desc, &job, NULL), PM_OK);
    expect_same_outputs(&at_once, &some);
    motion_free(&s.m);
}

TEST_ON_BOTH(outputs_are_those_of_the_tracks_of_a_subset) {
    random_source source = random_salted(0x5B1);
    for (size_t i = 0; i < PM_METHOD_COUNT; i++)
        for (int common = 0; common < 2; common++)
            expect_subset(&source, engine_for(state), (pm_method)i, common);
}

TEST_ON_DEVICE(a_clip_that_the_device_built_has_subsets) {
    const pm_engine_desc desc = {.clip_building = PM_CLIPS_BY_DEVICE};
    SCOPED(pm_engine_destroy) pm_engine *engine = engine_with(state, &desc);
    random_source source = random_salted(0x5B2);
    expect_subset(&source, engine, PM_METHOD_SQUAD, true);
    expect_subset(&source, engine, PM_METHOD_STERP, true);
}

/* Plain C computes jobs of so many values that a CPU device leaves to it. */
TEST_ON_BOTH(large_jobs_have_subsets) {
    enum { TRACKS = 12, LARGE = 40000 };
    random_source source = random_salted(0x5B3);
    uint32_t subset[MOST];
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1, random_bits(&source));
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
    pm_sample_job job = {.sample_count = small_sizes() ? 100 : LARGE, .rate = {20011, 1}};
    SCOPED(outputs_free) outputs all = sampled(clip, job);
    job.subset = subset;
    job.subset_count = draw_subset(&source, TRACKS, subset);
    SCOPED(outputs_free) outputs some = sampled(clip, job);
    expect_tracks(&job, TRACKS, &all, &some);
}

TEST_ON_BOTH(subsets_that_cannot_be_are_refused) {
    enum { TRACKS = 5 };
    static const uint32_t good[] = {3, 0}, unknown[] = {1, TRACKS}, twice[] = {2, 4, 2};
    static const double times[2] = {0, 1};
    SCOPED(motion_free) motion m = motion_make(2, TRACKS, 1, 1);
    const pm_timeline timeline = {.key_count = 2, .rate = {1, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
    float out[2 * TRACKS * 4];
    const struct {
        const uint32_t *subset, *tracks;
        size_t count, track;
        const char *words;
    } cases[] = {{NULL, NULL, 2, PM_NO_INDEX, "no tracks"},
                 {good, NULL, 0, PM_NO_INDEX, "no tracks"},
                 {unknown, NULL, 2, TRACKS, "no such track"},
                 {twice, NULL, 3, 2, "listed twice"},
                 {good, good, 2, PM_NO_INDEX, "both subset and tracks"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const pm_sample_job job = {.sample_count = 2,
                                   .times = times,
                                   .tracks = cases[i].tracks,
                                   .subset = cases[i].subset,
                                   .subset_count = cases[i].count,
                                   .rotations = out};
        expect_error(pm_sample_check(clip, &job, new_error()), PM_ERROR_ARGUMENT, cases[i].words);
        expect_error_at(last_error(), cases[i].track, PM_NO_INDEX);
        expect_error(pm_sample(clip, &job, new_error()), PM_ERROR_ARGUMENT, cases[i].words);
        expect_error(pm_resample(&desc, &job, new_error()), PM_ERROR_ARGUMENT, cases[i].words);
    }
}

TEST(low_passes_and_pushed_keys_have_no_subsets) {
    enum { TRACKS = 3 };
    static const uint32_t subset[] = {1};
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1, 1);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    float out[TRACKS * 4];
    const pm_sample_job job = {
        .sample_count = 1, .rate = {1, 1}, .subset = subset, .subset_count = 1, .rotations = out};
    pm_filter *filter = NULL;
    pm_resampler *pushed = NULL;
    size_t count;
    expect_success(pm_filter_create(engine_of_kind(ON_REFERENCE), &desc, 8, &filter, new_error()));
    expect_error(pm_filter_sample(filter, &job, new_error()), PM_ERROR_ARGUMENT, "subsets");
    expect_success(pm_resampler_open(&pushed, new_error()));
    expect_success(pm_resampler_push(pushed, &desc, new_error()));
    expect_error(pm_resampler_pull(pushed, &job, &count, new_error()), PM_ERROR_ARGUMENT, "subset");
    pm_resampler_destroy(&pushed);
    pm_filter_destroy(&filter);
}
