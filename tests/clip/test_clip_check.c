/* SPDX-License-Identifier: MIT
 *
 * Every invalid count, pointer, layout and key of pm_clip_desc is refused by its own check, and the
 * nearest valid value is accepted. Times and options: test_clip_times.c, test_clip_options.c.
 */
#include "support/valid_clip.h"

#include <math.h>
#include <string.h>

/* ---- counts, pointers, layout ---- */

CLIP_TEST(a_valid_description_is_accepted) {
    expect_accepted();
    use_listed_times();
    expect_accepted();
    use_timeline_per_track();
    s.timelines[1].key_count = KEYS;
    expect_accepted();
}

CLIP_TEST(a_clip_without_tracks_is_refused) {
    s.desc.track_count = 0;
    expect_refused(PM_ERROR_ARGUMENT, "track_count");
    s.desc.track_count = 1;
    s.desc.positions.data = s.desc.scales.data = NULL;
    expect_accepted();
}

CLIP_TEST(a_clip_without_timelines_is_refused) {
    s.desc.timelines = NULL;
    expect_refused(PM_ERROR_ARGUMENT, "timeline");
}

CLIP_TEST(a_timeline_without_keys_is_refused) {
    s.timelines[0].key_count = 0;
    expect_refused(PM_ERROR_ARGUMENT, "key_count");
    s.timelines[0].key_count = 1;
    expect_accepted();
}

CLIP_TEST(a_clip_without_any_array_is_refused) {
    s.desc.rotations.data = s.desc.positions.data = s.desc.scales.data = NULL;
    expect_refused(PM_ERROR_ARGUMENT, "rotations|array");
    s.desc.scales.data = s.scales;
    expect_accepted();
}

CLIP_TEST(a_stride_smaller_than_a_row_is_refused) {
    s.desc.rotations.stride = sizeof s.rotations[0] - sizeof(double);
    expect_refused(PM_ERROR_ARGUMENT, "stride");
    s.desc.rotations.stride = sizeof s.rotations[0];
    expect_accepted();
    s.desc.positions.stride = sizeof s.positions[0] - sizeof(float);
    expect_refused(PM_ERROR_ARGUMENT, "stride");
    s.desc.positions.stride = sizeof s.positions[0];
    expect_accepted();
}

CLIP_TEST(a_stride_larger_than_a_row_is_accepted) {
    /* Every second key of the array, which makes 2 keys. */
    s.timelines[0].key_count = KEYS / 2;
    s.desc.rotations.stride = 2 * sizeof s.rotations[0];
    expect_accepted();
}

CLIP_TEST(a_stride_with_several_timelines_is_refused) {
    use_timeline_per_track();
    s.desc.rotations.stride = sizeof s.rotations[0];
    expect_refused(PM_ERROR_ARGUMENT, "stride");
    s.desc.rotations.stride = 0;
    expect_accepted();
}

CLIP_TEST(a_timeline_that_does_not_exist_is_refused) {
    use_timeline_per_track();
    s.timeline_of[1] = 2;
    expect_refused_at(PM_ERROR_ARGUMENT, "timeline_of", 1, PM_NO_INDEX);
}

CLIP_TEST(counts_whose_bytes_overflow_are_refused_before_a_key_is_read) {
    s.desc.track_count = SIZE_MAX / 8;
    expect_refused(PM_ERROR_SIZE, "track|key|count|bytes|large");
    s.desc.track_count = TRACKS;
    s.timelines[0].key_count = SIZE_MAX / 8;
    expect_refused(PM_ERROR_SIZE, "track|key|count|bytes|large");
    s.desc.track_count = (size_t)1 << 33;
    s.timelines[0].key_count = (size_t)1 << 31;
    expect_refused(PM_ERROR_SIZE, "track|key|count|bytes|large");
}

CLIP_TEST(a_stride_whose_bytes_overflow_is_refused) {
    s.desc.rotations.stride = (SIZE_MAX / 2) & ~(size_t)7;
    expect_refused(PM_ERROR_SIZE, "stride|bytes|large");
}

CLIP_TEST(timelines_whose_keys_add_up_too_high_are_refused) {
    use_timeline_per_track();
    s.timelines[0].key_count = SIZE_MAX / 32;
    s.timelines[1].key_count = SIZE_MAX / 32;
    expect_refused(PM_ERROR_SIZE, "track|key|count|bytes|large");
}

/* ---- keys ---- */

CLIP_TEST(a_zero_quaternion_is_refused_with_its_track_and_key) {
    set_rotation(2, 1, 0, 0);
    expect_refused_at(PM_ERROR_KEY, "zero|norm", 1, 2);
}

CLIP_TEST(rotation_keys_that_are_not_finite_are_refused) {
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (size_t c = 0; c < 4; c++) {
            const double kept = s.rotations[3][0][c];
            s.rotations[3][0][c] = bad[i];
            expect_refused_at(PM_ERROR_KEY, "finite|nan", 0, 3);
            s.rotations[3][0][c] = kept;
        }
}

CLIP_TEST(a_rotation_key_whose_square_overflows_is_refused) {
    s.rotations[0][0][0] = 1e200;
    expect_refused_at(PM_ERROR_KEY, "norm", 0, 0);
}

CLIP_TEST(a_norm_is_refused_beyond_a_thousandth_from_one) {
    const double refused[] = {1.002, 1.0011, 0.9989, 0.998, 0.5, 2};
    const double accepted[] = {1.0009, 0.9991, 1};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        set_rotation(1, 1, 0.3, refused[i]);
        expect_refused_at(PM_ERROR_KEY, "norm", 1, 1);
    }
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        set_rotation(1, 1, 0.3, accepted[i]);
        expect_accepted();
    }
}

CLIP_TEST(float32_keys_are_checked_as_float64_ones_are) {
    float keys[KEYS][TRACKS][4];
    for (size_t i = 0; i < KEYS * TRACKS * 4; i++)
        (&keys[0][0][0])[i] = (float)(&s.rotations[0][0][0])[i];
    s.desc.rotations = (pm_array){.data = keys, .type = PM_FLOAT32};
    expect_accepted();
    keys[3][1][3] += 0.5f;
    expect_refused_at(PM_ERROR_KEY, "norm", 1, 3);
    keys[2][0][0] = NAN;
    expect_refused_at(PM_ERROR_KEY, "finite|nan", 0, 2);
}

CLIP_TEST(a_key_is_reported_with_its_track_and_number_where_every_track_has_its_own_timeline) {
    use_timeline_per_track();
    s.timelines[1].key_count = 3;
    /* Tracks are stored one after another: row KEYS + 2 is track 1's last key. */
    memset(&s.rotations[0][0][0] + 4 * (KEYS + 2), 0, 4 * sizeof(double));
    expect_refused_at(PM_ERROR_KEY, "zero|norm", 1, 2);
}

CLIP_TEST(positions_and_scales_that_are_not_finite_are_refused) {
    s.positions[1][1][2] = NAN;
    expect_refused_at(PM_ERROR_KEY, "position", 1, 1);
    s.positions[1][1][2] = 1e30f;
    expect_accepted();
    s.scales[2][0][0] = -INFINITY;
    expect_refused_at(PM_ERROR_KEY, "scale", 0, 2);
}

CLIP_TEST(a_position_beyond_float_is_refused_as_not_finite) {
    double positions[KEYS][TRACKS][3] = {{{0}}};
    s.desc.positions = (pm_array){.data = positions, .type = PM_FLOAT64};
    expect_accepted();
    positions[2][1][0] = 1e39;
    expect_refused_at(PM_ERROR_KEY, "position", 1, 2);
}

TEST_GROUP(open_reference, close_reference)
