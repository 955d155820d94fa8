/* SPDX-License-Identifier: MIT
 *
 * Tests of samples that lie on keys: the engine computes none of them where the output has the
 * source's own values, and the output is the same as where it does.
 */
#include "motion/base/counts.h"
#include "support/engines.h"
#include "support/file_bytes.h"
#include "support/motion_hand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 33, SOURCE_RATE = 120 };

static struct {
    uint64_t samples; /* of all jobs */
    size_t keys;      /* of the longest clip */
} calls;

/* The linker's --wrap requires these names. */
pm_status __real_pm_sample(const pm_clip *clip, const pm_sample_job *job, pm_error *error);
pm_status __wrap_pm_sample(const pm_clip *clip, const pm_sample_job *job, pm_error *error);
pm_status __real_pm_resampler_sample(pm_resampler *resampler, const pm_sample_job *job,
                                     pm_error *error);
pm_status __wrap_pm_resampler_sample(pm_resampler *resampler, const pm_sample_job *job,
                                     pm_error *error);
pm_status __real_pm_clip_check(const pm_clip_desc *desc, pm_error *error);
pm_status __wrap_pm_clip_check(const pm_clip_desc *desc, pm_error *error);

pm_status __wrap_pm_sample(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    calls.samples += job->sample_count;
    return __real_pm_sample(clip, job, error);
}

pm_status __wrap_pm_resampler_sample(pm_resampler *resampler, const pm_sample_job *job,
                                     pm_error *error) {
    calls.samples += job->sample_count;
    return __real_pm_resampler_sample(resampler, job, error);
}

/* Of every clip and resampler. */
pm_status __wrap_pm_clip_check(const pm_clip_desc *desc, pm_error *error) {
    for (size_t t = 0; t < desc->timeline_count; t++)
        if (desc->timelines[t].key_count > calls.keys)
            calls.keys = desc->timelines[t].key_count;
    return __real_pm_clip_check(desc, error);
}

/* A rotation and a position. */
static pm_motion *make_motion(void) {
    random_source source = random_start();
    pm_motion *motion = hand_motion(1, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 1, 2);
    clip->rate = (pm_rational){SOURCE_RATE, 1};
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = KEYS, .rate = clip->rate};
    hand_random(motion, clip, 0, PM_MOTION_ROTATION, 0, PM_FLOAT64, &source, 2);
    hand_random(motion, clip, 1, PM_MOTION_POSITION, 0, PM_FLOAT64, &source, 2);
    return motion;
}

static pm_motion_resample_report resample(pm_motion *motion, pm_engine *engine,
                                          const pm_motion_resample_options *options) {
    pm_motion_resample_report report;
    hand_forget(hand_recorder(motion));
    memset(&calls, 0, sizeof calls);
    expect_success(pm_motion_resample(motion, engine, options, "/dev/null", &report, new_error()));
    return report;
}

TEST_ON_BOTH(samples_on_keys_are_not_computed) {
    static const pm_clip_desc squad = {.method = PM_METHOD_SQUAD};
    static const pm_motion_resample_options all[] = {
        {.rate = {120, 1}},
        {.rate = {30, 1}},
        {.rate = {30, 1}, .end_rule = PM_MOTION_END_INCLUDE},
        {.rate = {40, 1}, .end_rule = PM_MOTION_END_INCLUDE}, /* the last frame is extra */
        {.rate = {30, 1}, .start_after_first_key = {1, 120}, .end_after_first_key = {27, 120}},
        {.rate = {120, 1}, .trim_start = 3, .curve = &squad},
        {.rate = {60, 1}, .authored = true},
    };
    pm_engine *engine = engine_for(state);
    SCOPED(pm_motion_destroy) pm_motion *motion = make_motion();
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const pm_motion_resample_report report = resample(motion, engine, &all[i]);
        assert_true(report.kept == report.samples && report.identical);
        assert_int_equal(calls.samples, 0);
        assert_true(calls.keys <= 1);
    }
}

/* Of two groups of tracks. */
TEST_ON_REFERENCE(other_samples_are_computed) {
    static const pm_clip_desc smooth = {.method = PM_METHOD_BSPLINE};
    static const struct {
        pm_motion_resample_options options;
        uint64_t computed;
    } all[] = {
        {{.rate = {240, 1}}, 2 * (2 * KEYS - 1)},
        {{.rate = {120, 1}, .start_after_first_key = {1, 240}}, 2 * (KEYS - 1)},
        {{.rate = {120, 1}, .curve = &smooth}, 2 * KEYS}, /* which keeps no key */
        {{.rate = {120, 1}, .check = true}, 4 * KEYS},    /* on the reference path too */
        {{.rate = {120, 1}, .end_after_first_key = {51, 240}, .end_rule = PM_MOTION_END_INCLUDE},
         2},
    };
    pm_engine *engine = engine_for(state);
    SCOPED(pm_motion_destroy) pm_motion *motion = make_motion();
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const pm_motion_resample_report report = resample(motion, engine, &all[i].options);
        assert_true(report.samples > 0 && report.identical);
        assert_int_equal(calls.samples, all[i].computed);
        assert_int_equal(calls.keys, KEYS);
    }
}

/* The signs of its rotations are those of samples. */
TEST_ON_REFERENCE(a_copy_computes_all_samples) {
    pm_engine *engine = engine_for(state);
    SCOPED(pm_motion_destroy) pm_motion *motion = make_motion(), *copy = NULL;
    memset(&calls, 0, sizeof calls);
    expect_success(pm_motion_resample_copy(
        motion, engine, &(pm_motion_resample_options){.rate = {120, 1}}, &copy, NULL, new_error()));
    assert_int_equal(calls.samples, 2 * KEYS);
}

/* As where samples are computed. */
TEST_ON_REFERENCE(unusable_parameters_are_refused) {
    const pm_clip_desc curve = {
        .method = PM_METHOD_SQUAD, .tangents = PM_TANGENTS_TCB, .tension = 3};
    pm_engine *engine = engine_for(state);
    SCOPED(pm_motion_destroy) pm_motion *motion = make_motion();
    for (int64_t rate = 120; rate <= 240; rate += 120) {
        expect_error(
            pm_motion_resample(motion, engine,
                               &(pm_motion_resample_options){.rate = {rate, 1}, .curve = &curve},
                               "/dev/null", NULL, new_error()),
            PM_ERROR_ARGUMENT, "tension");
    }
}

static void keep(void *user, const void *data, size_t size) {
    bytes_add(user, data, size);
}

static pm_motion *parse(const file_bytes *file, pm_motion_format format) {
    pm_motion *motion = NULL;
    const pm_motion_read_options options = {.format = format, .source_rate = {SOURCE_RATE, 1}};
    expect_success(
        pm_motion_parse(file->data, file->size, "motion", NULL, &options, &motion, new_error()));
    return motion;
}

/* A robot of two joints that turns about z, with the sign of its rotation changed in places. */
static file_bytes make_csv(void) {
    file_bytes file = {0};
    for (int k = 0; k < KEYS; k++) {
        char row[128];
        const double angle = k * 0.05, sign = k % 5 == 0 ? -1 : 1;
        const int size = snprintf(row, sizeof row, "%.3f,0,1,0,0,%.9f,%.9f,%.3f,-0.5\n", k * 0.1,
                                  sign * sin(angle), sign * cos(angle), k * 0.01);
        bytes_add(&file, row, (size_t)size);
    }
    return file;
}

/* A clip in a format. */
static file_bytes make_file(pm_motion_format format) {
    static const char walk[] = POSEMILL_SOURCE_DIR "/examples/walk.bvh";
    pm_motion *motion = NULL;
    file_bytes file = {0};
    const pm_motion_observer observer = {.see = keep, .user = &file};
    if (format == PM_MOTION_CSV)
        return make_csv();
    expect_success(pm_motion_open(walk, NULL, &motion, new_error()));
    const pm_motion_convert_options converting = {.format = format, .observer = &observer};
    expect_success(pm_motion_convert(motion, &converting, "/dev/null", new_error()));
    pm_motion_destroy(&motion);
    return file;
}

static file_bytes resample_file(const pm_motion *motion, pm_engine *engine,
                                pm_motion_resample_options options,
                                pm_motion_resample_report *report) {
    file_bytes bytes = {0};
    const pm_motion_observer observer = {.see = keep, .user = &bytes};
    memset(&calls, 0, sizeof calls);
    options.observer = &observer;
    expect_success(pm_motion_resample(motion, engine, &options, "/dev/null", report, new_error()));
    return bytes;
}

/* With a check, all samples are computed. */
static void expect_bytes_of_check(const pm_motion *motion, pm_engine *engine,
                                  pm_motion_resample_options options) {
    pm_motion_resample_report left, computed;
    SCOPED(bytes_free) file_bytes got = resample_file(motion, engine, options, &left);
    assert_true((calls.samples == 0) == (left.kept == left.samples));
    options.check = true;
    SCOPED(bytes_free) file_bytes expected = resample_file(motion, engine, options, &computed);
    assert_true(calls.samples > 0);
    assert_true(left.samples == computed.samples && left.kept == computed.kept);
    assert_int_equal(got.size, expected.size);
    assert_memory_equal(got.data, expected.data, expected.size);
}

/* Keys of glTF have times, so that its samples lie on none. */
TEST_ON_BOTH(files_are_those_of_computed_samples) {
    static const pm_motion_format formats[] = {
        PM_MOTION_BVH,
        PM_MOTION_CSV,
#ifdef POSEMILL_NPZ
        PM_MOTION_NPZ,
#endif
    };
    pm_engine *engine = engine_for(state);
    for (size_t f = 0; f < COUNT_OF(formats); f++) {
        SCOPED(bytes_free) file_bytes file = make_file(formats[f]);
        SCOPED(pm_motion_destroy) pm_motion *motion = parse(&file, formats[f]);
        for (int64_t n = 1; n <= 4; n++)
            for (int64_t d = 1; d <= 4; d++)
                for (int rule = 0; rule < PM_MOTION_END_COUNT; rule++)
                    expect_bytes_of_check(
                        motion, engine,
                        (pm_motion_resample_options){.rate = {SOURCE_RATE * n / d, 1},
                                                     .end_rule = (pm_motion_end_rule)rule,
                                                     .trim_start = (size_t)(d - 1)});
    }
}

TEST_GROUP(NULL, engines_close)
