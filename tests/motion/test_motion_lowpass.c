/* SPDX-License-Identifier: MIT
 *
 * Motions through a low-pass: the values are those of pm_filter_sample, steps stay steps, listed times at a
 * rate give what uniform ones give, and a lower rate is told what it aliases.
 */
#include "support/engines.h"
#include "support/motion_hand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST_GROUP(NULL, engines_close)

enum { KEYS = 97, SOURCE_RATE = 120 };

/* A rotation, a position far from the origin, and a position with steps. */
static pm_motion *make_motion(bool listed) {
    random_source source = random_start();
    pm_motion *motion = hand_motion(1, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 1, 3);
    clip->rate = (pm_rational){SOURCE_RATE, 1};
    clip->first_time = (pm_rational){0, 1};
    hand_times(motion, clip, 0, &source, KEYS, 0);
    double *times = (double *)hand_timeline(clip, 0)->times;
    for (size_t k = 0; k < KEYS; k++)
        times[k] = (double)((float)k / SOURCE_RATE);
    if (!listed)
        *hand_timeline(clip, 0) = (pm_timeline){.key_count = KEYS, .rate = clip->rate};
    hand_random(motion, clip, 0, PM_MOTION_ROTATION, 0, PM_FLOAT64, &source, 0.3);
    hand_random(motion, clip, 1, PM_MOTION_POSITION, 0, PM_FLOAT64, &source, 1);
    hand_random(motion, clip, 2, PM_MOTION_POSITION, 0, PM_FLOAT64, &source, 1);
    hand_channel(clip, 2)->interpolation = PM_MOTION_STEP;
    return motion;
}

static pm_motion *resampled(const pm_motion *motion, pm_engine *engine, double lowpass,
                            int64_t rate, pm_motion_resample_report *report) {
    const pm_motion_resample_options options = {.rate = {rate, 1}, .lowpass = lowpass};
    pm_motion *copy = NULL;
    expect_success(pm_motion_resample_copy(motion, engine, &options, &copy, report, new_error()));
    return copy;
}

static const double *keys_of(const pm_motion *motion, size_t channel) {
    return pm_motion_get_content(motion)->clips[0].channels[channel].keys.data;
}

/* The rotations by the library alone. */
static void expect_filtered(pm_engine *engine, const pm_motion *from, const pm_motion *to,
                            double cutoff, int64_t rate, size_t count) {
    const pm_timeline timeline = {.key_count = KEYS, .rate = {SOURCE_RATE, 1}};
    const pm_clip_desc desc = {.track_count = 1,
                               .timelines = &timeline,
                               .rotations = {.data = keys_of(from, 0), .type = PM_FLOAT64}};
    SCOPED(free_at) float *values = test_array(count, 4 * sizeof *values);
    SCOPED(pm_filter_destroy) pm_filter *filter = NULL;
    const pm_sample_job job = {.sample_count = count, .rate = {rate, 1}, .rotations = values};
    expect_success(pm_filter_create(engine, &desc, cutoff, &filter, new_error()));
    expect_success(pm_filter_sample(filter, &job, new_error()));
    for (size_t i = 0; i < 4 * count; i++)
        assert_true((float)keys_of(to, 0)[i] == values[i]);
}

TEST_ON_BOTH(values_are_those_of_the_filter_and_steps_stay) {
    pm_engine *engine = engine_for(state);
    SCOPED(pm_motion_destroy) pm_motion *motion = make_motion(false);
    pm_motion_resample_report report;
    SCOPED(pm_motion_destroy)
    pm_motion *copy = resampled(motion, engine, PM_MOTION_LOWPASS_AUTO, 50, &report);
    assert_true(report.cutoff == 22.5);
    assert_int_equal(report.samples, 41);
    assert_int_equal(report.kept, 0);
    expect_filtered(engine, motion, copy, 22.5, 50, 41);
    const double *first = keys_of(motion, 1), *p = keys_of(copy, 1);
    assert_true(fabs(p[0] - first[0]) < 1e-5 && fabs(p[2] - first[2]) < 1e-5); /* ends hold */
    assert_memory_equal(keys_of(copy, 2), keys_of(motion, 2), 3 * KEYS * sizeof(double));
    pm_motion_destroy(&copy);
    copy = resampled(motion, engine, 6, SOURCE_RATE, &report);
    assert_true(report.cutoff == 6);
    expect_filtered(engine, motion, copy, 6, SOURCE_RATE, KEYS);
}

TEST_ON_REFERENCE(listed_times_at_a_rate_give_what_uniform_ones_give) {
    pm_engine *engine = engine_for(state);
    SCOPED(pm_motion_destroy) pm_motion *uniform = make_motion(false), *listed = make_motion(true);
    pm_motion_resample_report report;
    SCOPED(pm_motion_destroy) pm_motion *a = resampled(uniform, engine, 20, 60, &report);
    SCOPED(pm_motion_destroy) pm_motion *b = resampled(listed, engine, 20, 60, &report);
    assert_int_equal(report.samples, 49);
    for (size_t i = 0; i < (size_t)4 * 49; i++)
        assert_true(fabs(keys_of(a, 0)[i] - keys_of(b, 0)[i]) < 1e-5);
    for (size_t i = 0; i < (size_t)3 * 49; i++)
        assert_true(fabs(keys_of(a, 1)[i] - keys_of(b, 1)[i]) < 1e-4);
}

TEST_ON_REFERENCE(cut_offs_keys_and_loops_that_do_not_fit_are_refused) {
    static const pm_clip_desc loop = {.loop = 1};
    static const struct {
        pm_motion_resample_options options;
        bool listed;
        const char *words;
    } all[] = {{{.rate = {50, 1}, .lowpass = 70}, false, "above half the rate"},
               {{.rate = {50, 1}, .lowpass = -2}, false, "lowpass is -2"},
               {{.rate = {50, 1}, .lowpass = (double)NAN}, false, "lowpass is nan"},
               {{.rate = {50, 1}, .lowpass = (double)INFINITY}, false, "lowpass is inf"},
               {{.rate = {50, 1}, .lowpass = 6, .curve = &loop},
                false,
                "--lowpass: cannot be combined with a loop"},
               {{.rate = {50, 1}, .lowpass = 6}, true, "no rate"}};
    pm_engine *engine = engine_for(state);
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = make_motion(all[i].listed), *copy = NULL;
        if (all[i].listed) {
            random_source source = random_start();
            pm_motion_clip *clip = hand_clip(motion, 0, 1, 1); /* without a rate */
            hand_times(motion, clip, 0, &source, KEYS, 0);
            hand_random(motion, clip, 0, PM_MOTION_ROTATION, 0, PM_FLOAT64, &source, 0.3);
        }
        const pm_status status =
            pm_motion_resample_copy(motion, engine, &all[i].options, &copy, NULL, new_error());
        expect_error(status, status, all[i].words);
        assert_true(status == PM_ERROR_ARGUMENT || status == PM_ERROR_FILE);
        assert_null(copy);
    }
}

/* A turn of `degrees` at 50 Hz, which 60 samples a second turn into 10 Hz. */
TEST_ON_REFERENCE(a_lower_rate_is_told_what_it_aliases) {
    const double pi = 3.14159265358979323846, degrees = 3;
    SCOPED(pm_motion_destroy) pm_motion *motion = make_motion(false);
    double *keys = (double *)keys_of(motion, 0);
    pm_motion_aliasing found;
    for (size_t k = 0; k < KEYS; k++) {
        const double angle = degrees * pi / 180 * sin(2 * pi * 50 * (double)k / SOURCE_RATE + 1);
        const double q[4] = {sin(angle / 2), 0, 0, cos(angle / 2)};
        memcpy(keys + 4 * k, q, sizeof q);
    }
    memset(&found, 0xFF, sizeof found);
    expect_success(pm_motion_find_aliasing(motion, (pm_rational){60, 1}, &found, new_error()));
    assert_true(fabs(found.degrees / degrees - sqrt(0.5)) < 0.05); /* the ends are held */
    assert_true(found.clip == 0 && found.channel == 0);
    expect_success(pm_motion_find_aliasing(motion, (pm_rational){240, 1}, &found, new_error()));
    assert_true(found.degrees == 0);
    expect_error(pm_motion_find_aliasing(NULL, (pm_rational){60, 1}, &found, new_error()),
                 PM_ERROR_ARGUMENT, "motion is NULL");
    expect_error(pm_motion_find_aliasing(motion, (pm_rational){0, 0}, &found, new_error()),
                 PM_ERROR_ARGUMENT, "rate is not above 0");
}
