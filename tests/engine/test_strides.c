/* SPDX-License-Identifier: MIT
 *
 * Outputs with strides: rows have the bits of those without, at any stride, and nothing between them is
 * written. Samples, pairs, derivatives, low-passes, resamplers and pushed keys; on both sides.
 */
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <string.h>

TEST_GROUP(NULL, engines_close)

enum { KEYS = 300, MOST = 6 }; /* floats between rows */

static const size_t numbers[OUTPUTS_MAX] = {4, 3, 3, 3, 3};

/* Outputs of `rows` rows of `width` values, and the strides of a job for them. */
typedef struct strided {
    size_t rows, width;
    float *values[OUTPUTS_MAX];
    size_t strides[OUTPUTS_MAX]; /* floats; some have none */
} strided;

static size_t stride_at(const strided *s, size_t o) {
    return s->strides[o] ? s->strides[o] : s->width * numbers[o];
}

static strided strided_make(random_source *source, size_t rows, size_t width, unsigned set) {
    strided s = {.rows = rows, .width = width};
    for (size_t o = 0; o < OUTPUTS_MAX; o++) {
        if (random_size(source, 0, 3))
            s.strides[o] = width * numbers[o] + random_size(source, 0, MOST);
        if (set >> o & 1U)
            s.values[o] = guarded_floats(rows * stride_at(&s, o));
    }
    return s;
}

static void strided_free(strided *s) {
    for (size_t o = 0; o < OUTPUTS_MAX; o++)
        guarded_free(s->values[o]);
}

/* The job, from row `first` on. */
static pm_sample_job strided_job(pm_sample_job job, const strided *s, size_t first) {
    float **const values[] = {&job.rotations, &job.positions, &job.scales, &job.velocities,
                              &job.accelerations};
    size_t *const strides[] = {&job.rotations_stride, &job.positions_stride, &job.scales_stride,
                               &job.velocities_stride, &job.accelerations_stride};
    for (size_t o = 0; o < OUTPUTS_MAX; o++) {
        *values[o] = s->values[o] ? s->values[o] + first * stride_at(s, o) : NULL;
        *strides[o] = s->strides[o] * sizeof(float);
    }
    return job;
}

static void expect_rows(const strided *s, const outputs *wanted) {
    for (size_t o = 0; o < OUTPUTS_MAX; o++) {
        const size_t row = s->width * numbers[o];
        for (size_t k = 0; s->values[o] && k < s->rows; k++) {
            const float *at = s->values[o] + k * stride_at(s, o);
            assert_memory_equal(at, wanted->values[o] + k * row, row * sizeof *at);
            for (size_t i = row; i < stride_at(s, o); i++)
                assert_true(is_poison(at[i]));
        }
    }
}

/* A motion, and a job for it with its samples. */
typedef struct subject {
    motion keys;
    pm_timeline timeline;
    pm_clip_desc desc;
    pm_sample_job job;
    unsigned set;
    strided rows;
    outputs wanted;
} subject;

static subject make(random_source *source, pm_method method, size_t tracks, size_t samples,
                    unsigned set) {
    subject s = {.keys = motion_make(KEYS, tracks, 1, random_bits(source)),
                 .timeline = {.key_count = KEYS, .rate = {30, 1}},
                 .job = {.sample_count = samples, .rate = {77, 2}},
                 .set = set};
    s.desc = motion_desc(&s.keys, NULL, method);
    s.rows = strided_make(source, samples, tracks, set);
    s.wanted = outputs_make(samples * tracks, set);
    return s;
}

static void release(subject *s) {
    expect_rows(&s->rows, &s->wanted);
    motion_free(&s->keys);
    strided_free(&s->rows);
    outputs_free(&s->wanted);
}

/* Samples a clip of the subject with and without gaps, compares, and releases the subject. */
static void sample_clip(pm_engine *engine, subject *s) {
    s->desc.timelines = &s->timeline;
    pm_clip *clip = clip_make(engine, &s->desc);
    const pm_sample_job dense = outputs_job(s->job, &s->wanted);
    const pm_sample_job apart = strided_job(s->job, &s->rows, 0);
    sample_make(clip, &dense);
    sample_make(clip, &apart);
    pm_clip_destroy(&clip);
    release(s);
}

TEST_ON_BOTH(rows_of_samples_lie_apart) {
    random_source source = random_salted(0x71);
    for (int i = 0; i < 6; i++) {
        const unsigned set = i & 1 ? OF_CHANNELS : ALL_OUTPUTS;
        const size_t samples = i == 4 ? 7000 : random_size(&source, 1, 900); /* 7000: some pieces */
        subject s = make(&source, PM_METHOD_SLERP, random_size(&source, 1, 70), samples, set);
        sample_clip(engine_for(state), &s);
    }
}

TEST_ON_BOTH(values_of_pairs_lie_apart) {
    enum { PAIRS = 500, TRACKS = 9 };
    random_source source = random_salted(0x72);
    double times[PAIRS];
    uint32_t tracks[PAIRS];
    random_times(&source, PAIRS, -1, 11, times);
    for (size_t k = 0; k < PAIRS; k++)
        tracks[k] = (uint32_t)random_size(&source, 0, TRACKS - 1);
    subject s = make(&source, PM_METHOD_SLERP, TRACKS, 1, OF_CHANNELS);
    strided_free(&s.rows);
    outputs_free(&s.wanted);
    s.rows = strided_make(&source, PAIRS, 1, OF_CHANNELS);
    s.wanted = outputs_make(PAIRS, OF_CHANNELS);
    s.job = (pm_sample_job){.sample_count = PAIRS, .times = times, .tracks = tracks};
    sample_clip(engine_for(state), &s);
}

TEST_ON_BOTH(rows_of_low_passes_lie_apart) {
    random_source source = random_salted(0x73);
    subject s = make(&source, PM_METHOD_SLERP, 5, 200, OF_CHANNELS);
    pm_filter *filter = NULL;
    s.desc.timelines = &s.timeline;
    const pm_sample_job dense = outputs_job(s.job, &s.wanted);
    const pm_sample_job apart = strided_job(s.job, &s.rows, 0);
    assert_int_equal(pm_filter_create(engine_for(state), &s.desc, 8, &filter, NULL), PM_OK);
    assert_int_equal(pm_filter_sample(filter, &dense, NULL), PM_OK);
    assert_int_equal(pm_filter_sample(filter, &apart, NULL), PM_OK);
    pm_filter_destroy(&filter);
    release(&s);
}

TEST(rows_of_resamplers_lie_apart) {
    random_source source = random_salted(0x74);
    for (int i = 0; i < 4; i++) {
        subject s = make(&source, PM_METHOD_SQUAD, i & 1 ? 40 : 3, 300, OF_CHANNELS);
        pm_resampler *pushed = NULL;
        size_t count;
        s.desc.timelines = &s.timeline;
        const pm_sample_job dense = outputs_job(s.job, &s.wanted);
        const pm_sample_job apart = strided_job(s.job, &s.rows, 0);
        assert_int_equal(pm_resample(&s.desc, &dense, NULL), PM_OK);
        if (i < 2) {
            assert_int_equal(pm_resample(&s.desc, &apart, NULL), PM_OK);
        } else {
            assert_int_equal(pm_resampler_open(&pushed, NULL), PM_OK);
            assert_int_equal(pm_resampler_push(pushed, &s.desc, NULL), PM_OK);
            assert_int_equal(pm_resampler_pull(pushed, &apart, &count, NULL), PM_OK);
            assert_int_equal(count, s.job.sample_count);
        }
        pm_resampler_destroy(&pushed);
        release(&s);
    }
}

TEST(strides_that_cannot_be_are_refused) {
    enum { ROW = 3 * 4 * sizeof(float) };
    static const struct {
        size_t stride;
        pm_status status;
        const char *words;
    } cases[] = {{ROW - 4, PM_ERROR_ARGUMENT, "below the 48 of a sample"},
                 {ROW + 2, PM_ERROR_ARGUMENT, "multiple of 4"},
                 {SIZE_MAX - 3, PM_ERROR_SIZE, "do not fit"},
                 {ROW, PM_OK, ""}};
    SCOPED(motion_free) motion m = motion_make(5, 3, 1, 1);
    const pm_timeline timeline = {.key_count = 5, .rate = {1, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    float out[2][3][4];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pm_error error = {0};
        const pm_sample_job job = {.sample_count = 2,
                                   .rate = {1, 1},
                                   .rotations = out[0][0],
                                   .rotations_stride = cases[i].stride};
        assert_int_equal(pm_resample(&desc, &job, &error), cases[i].status);
        assert_non_null(strstr(error.message, cases[i].words));
    }
}
