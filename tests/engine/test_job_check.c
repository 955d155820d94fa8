/* SPDX-License-Identifier: MIT
 *
 * Every invalid job is refused by its own check, before anything is evaluated. Other tests check
 * the results of valid jobs.
 */
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 5, TRACKS = 3, SAMPLES = 7 };

/* A clip and a valid job for it; each test makes one part of it invalid. */
static struct {
    motion keys;
    pm_clip *clip;
    pm_sample_job job;
    double times[SAMPLES];
    uint32_t tracks[SAMPLES];
    float rotations[SAMPLES * TRACKS * 4];
    float positions[SAMPLES * TRACKS * 3];
    float scales[SAMPLES * TRACKS * 3];
} s;

static void make_clip(void **state, double loop) {
    pm_clip_destroy(&s.clip);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {10, 1}};
    pm_clip_desc desc = motion_desc(&s.keys, &timeline, PM_METHOD_SLERP);
    desc.loop = loop;
    s.clip = clip_make(engine_for(state), &desc);
}

FIXTURE(make_valid_job) {
    memset(&s, 0, sizeof s);
    s.keys = motion_make(KEYS, TRACKS, 1.0, 0x10B);
    for (size_t k = 0; k < SAMPLES; k++) {
        s.times[k] = 0.07 * (double)k;
        s.tracks[k] = (uint32_t)(k % TRACKS);
    }
    s.job = (pm_sample_job){
        .sample_count = SAMPLES,
        .rate = {20, 1},
        .rotations = s.rotations,
        .positions = s.positions,
        .scales = s.scales,
    };
    return 0;
}

FIXTURE(free_valid_job) {
    pm_clip_destroy(&s.clip);
    motion_free(&s.keys);
    return 0;
}

static void use_times(void) {
    s.job.rate = (pm_rational){0, 0};
    s.job.times = s.times;
}

static void check_accepted(const char *file, int line) {
    check_ok(pm_sample_check(s.clip, &s.job, new_error()), last_error(), file, line);
    check_ok(pm_sample(s.clip, &s.job, new_error()), last_error(), file, line);
}

static void check_refused(pm_status status, const char *words, const char *file, int line) {
    pm_error error = poisoned_error();
    check_refusal(pm_sample_check(s.clip, &s.job, &error), &error, status, words, file, line);
    error = poisoned_error();
    check_refusal(pm_sample(s.clip, &s.job, &error), &error, status, words, file, line);
    assert_int_equal(pm_sample_check(s.clip, &s.job, NULL), status);
    s.job.on_reference = !s.job.on_reference;
    check_refusal(pm_sample(s.clip, &s.job, &error), &error, status, words, file, line);
    s.job.on_reference = !s.job.on_reference;
}

#define expect_accepted() check_accepted(__FILE__, __LINE__)
#define expect_refused(status, words) check_refused((status), (words), __FILE__, __LINE__)

#define JOB_TEST(test) TEST_ON_BOTH_WITH(test, make_valid_job, free_valid_job)

JOB_TEST(a_valid_job_of_each_kind_is_accepted) {
    make_clip(state, 0);
    expect_accepted();
    use_times();
    expect_accepted();
    s.job.tracks = s.tracks;
    expect_accepted();
}

JOB_TEST(a_job_has_either_a_rate_or_times) {
    make_clip(state, 0);
    s.job.times = s.times;
    expect_refused(PM_ERROR_ARGUMENT, "rate");
    s.job.times = NULL;
    s.job.tracks = s.tracks;
    expect_refused(PM_ERROR_ARGUMENT, "tracks");
    s.job.tracks = NULL;
    s.job.rate = (pm_rational){0, 0};
    expect_refused(PM_ERROR_ARGUMENT, "rate");
}

JOB_TEST(rates_that_are_not_positive_fractions_are_refused) {
    make_clip(state, 0);
    const pm_rational bad[] = {{0, 1}, {-20, 1}, {20, 0}, {20, -1}, {-20, -1}, {INT64_MIN, 1}};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        s.job.rate = bad[i];
        expect_refused(PM_ERROR_TIME, "rate");
    }
    s.job.rate = (pm_rational){30000, 1001};
    expect_accepted();
}

JOB_TEST(starts_that_are_not_fractions_are_refused) {
    make_clip(state, 0);
    const pm_rational bad[] = {{1, 0}, {1, -1}, {-1, 0}, {0, -1}};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        s.job.start_after_first_key = bad[i];
        expect_refused(PM_ERROR_TIME, "start");
    }
    s.job.start_after_first_key = (pm_rational){-1, 3};
    expect_accepted();
}

JOB_TEST(a_sample_time_that_is_nan_is_refused) {
    make_clip(state, 0);
    use_times();
    for (size_t k = 0; k < SAMPLES; k++) {
        const double kept = s.times[k];
        s.times[k] = (double)NAN;
        expect_refused(PM_ERROR_TIME, "time");
        s.times[k] = kept;
    }
}

JOB_TEST(an_infinite_sample_time_is_refused_only_in_a_loop) {
    make_clip(state, 0);
    use_times();
    s.times[2] = (double)INFINITY;
    s.times[4] = -(double)INFINITY;
    expect_accepted();
    make_clip(state, 1);
    expect_refused(PM_ERROR_TIME, "time");
    s.times[2] = 0;
    expect_refused(PM_ERROR_TIME, "time");
    s.times[4] = 0;
    expect_accepted();
}

JOB_TEST(a_track_that_does_not_exist_is_refused) {
    make_clip(state, 0);
    use_times();
    s.job.tracks = s.tracks;
    const uint32_t bad[] = {TRACKS, TRACKS + 1, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        s.tracks[SAMPLES - 1] = bad[i];
        expect_refused(PM_ERROR_ARGUMENT, "track");
    }
    s.tracks[SAMPLES - 1] = TRACKS - 1;
    expect_accepted();
}

JOB_TEST(a_job_without_outputs_is_refused) {
    make_clip(state, 0);
    s.job.rotations = s.job.positions = s.job.scales = NULL;
    expect_refused(PM_ERROR_ARGUMENT, "output|rotations");
    s.job.scales = s.scales;
    expect_accepted();
}

JOB_TEST(outputs_that_the_clip_has_no_keys_for_are_refused) {
    static const char *const names[] = {"rotations", "positions", "scales"};
    const pm_timeline timeline = {.key_count = KEYS, .rate = {10, 1}};
    for (size_t missing = 0; missing < 3; missing++) {
        pm_clip_desc desc = motion_desc(&s.keys, &timeline, PM_METHOD_SLERP);
        pm_array *const arrays[] = {&desc.rotations, &desc.positions, &desc.scales};
        arrays[missing]->data = NULL;
        pm_clip_destroy(&s.clip);
        s.clip = clip_make(engine_for(state), &desc);
        expect_refused(PM_ERROR_ARGUMENT, names[missing]);
    }
    s.job.scales = NULL;
    expect_accepted();
}

JOB_TEST(counts_whose_bytes_overflow_are_refused_before_a_time_is_read) {
    make_clip(state, 0);
    const size_t counts[] = {SIZE_MAX, SIZE_MAX / 16, SIZE_MAX / (TRACKS * 16) + 1};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        s.job.sample_count = counts[i];
        expect_refused(PM_ERROR_SIZE, "sample|bytes|large|count");
    }
    use_times();
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        s.job.sample_count = counts[i];
        expect_refused(PM_ERROR_SIZE, "sample|bytes|large|count");
    }
}

JOB_TEST(a_job_of_no_samples_is_accepted_and_writes_nothing) {
    make_clip(state, 0);
    s.job.sample_count = 0;
    memset(s.rotations, 0x5A, sizeof s.rotations);
    expect_accepted();
    use_times();
    expect_accepted();
    s.job.tracks = s.tracks;
    expect_accepted();
    for (size_t i = 0; i < sizeof s.rotations; i++)
        assert_int_equal(((unsigned char *)s.rotations)[i], 0x5A);
}

TEST_GROUP(NULL, engines_close)
