/* SPDX-License-Identifier: MIT
 *
 * Invalid key times, rates and loop periods are refused by their own check, and the nearest valid
 * values are accepted.
 */
#include "support/valid_clip.h"

#include <math.h>
#include <string.h>

/* ---- times and rates ---- */

CLIP_TEST(a_timeline_with_neither_rate_nor_times_is_refused) {
    s.timelines[0].rate = (pm_rational){0, 0};
    expect_refused(PM_ERROR_ARGUMENT, "rate");
}

CLIP_TEST(a_timeline_with_both_rate_and_times_is_refused) {
    s.timelines[0].times = s.times;
    expect_refused(PM_ERROR_ARGUMENT, "rate");
}

CLIP_TEST(key_rates_that_are_not_positive_fractions_are_refused) {
    const pm_rational bad[] = {{0, 1}, {-30, 1}, {30, 0}, {30, -1}, {-30, -1}, {INT64_MIN, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        s.timelines[0].rate = bad[i];
        expect_refused(PM_ERROR_TIME, "rate");
    }
    s.timelines[0].rate = (pm_rational){1, 1000};
    expect_accepted();
}

CLIP_TEST(key_times_that_are_not_finite_are_refused) {
    use_listed_times();
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (size_t key = 0; key < KEYS; key++) {
            const double kept = s.times[key];
            s.times[key] = bad[i];
            expect_refused_at(PM_ERROR_TIME, "time", PM_NO_INDEX, key);
            s.times[key] = kept;
        }
}

CLIP_TEST(key_times_must_strictly_increase) {
    use_listed_times();
    s.times[2] = s.times[1];
    expect_refused_at(PM_ERROR_TIME, "increas", PM_NO_INDEX, 2);
    s.times[2] = s.times[1] - 1e-9;
    expect_refused_at(PM_ERROR_TIME, "increas", PM_NO_INDEX, 2);
    s.times[2] = s.times[1] + 1e-9;
    expect_accepted();
}

CLIP_TEST(times_of_the_second_timeline_are_checked_too) {
    use_timeline_per_track();
    s.timelines[1] = (pm_timeline){.key_count = KEYS, .times = s.times};
    expect_accepted();
    s.times[3] = s.times[2];
    expect_error(pm_clip_check(&s.desc, new_error()), PM_ERROR_TIME, "increas");
    assert_int_equal(last_error()->key, 3);
}

/* ---- loops ---- */

CLIP_TEST(a_loop_period_that_is_too_short_or_not_finite_is_refused) {
    use_listed_times(); /* from 0 to 1.5 s */
    const double bad[] = {(double)NAN, (double)INFINITY, -1, -1.5, 1.0, 1.4999999};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        s.desc.loop_period = bad[i];
        expect_refused(PM_ERROR_TIME, "loop_period|period");
    }
    s.desc.loop_period = 2;
    expect_accepted();
}

/* Makes the last key differ from the first by a rotation of `angle` radians. */
static void close_loop(double angle) {
    use_listed_times();
    s.desc.loop_period = 1.5;
    for (size_t track = 0; track < TRACKS; track++) {
        set_rotation(KEYS - 1, track, 0, 1);
        memcpy(s.positions[KEYS - 1][track], s.positions[0][track], sizeof s.positions[0][0]);
    }
    set_rotation(KEYS - 1, 1, angle, 1);
}

CLIP_TEST(a_closing_key_must_equal_the_first) {
    close_loop(0.0011);
    expect_refused_at(PM_ERROR_TIME, "clos|first|last|loop", 1, KEYS - 1);
    close_loop(0.0009);
    expect_accepted();
}

CLIP_TEST(a_closing_key_of_opposite_sign_is_accepted) {
    close_loop(0);
    for (size_t c = 0; c < 4; c++)
        s.rotations[KEYS - 1][1][c] *= -1;
    expect_accepted();
}

CLIP_TEST(a_closing_position_must_equal_the_first) {
    close_loop(0);
    float largest = 0;
    for (size_t i = 0; i < KEYS * TRACKS * 3; i++)
        largest = fmaxf(largest, (&s.positions[0][0][0])[i]);
    s.positions[KEYS - 1][0][1] = s.positions[0][0][1] + 0.0009f * largest;
    expect_accepted();
    s.positions[KEYS - 1][0][1] = s.positions[0][0][1] + 0.01f * largest;
    expect_refused_at(PM_ERROR_TIME, "position", 0, KEYS - 1);
}

CLIP_TEST(a_loop_of_one_key_is_accepted) {
    s.timelines[0].key_count = 1;
    s.desc.loop_period = 1;
    expect_accepted();
}

TEST_GROUP(open_reference, close_reference)
