/* SPDX-License-Identifier: MIT
 *
 * Every invalid option of a method is refused by its own check, and the nearest valid value is
 * accepted.
 */
#include "base/counts.h"
#include "support/valid_clip.h"

#include <math.h>

/* ---- options ---- */

CLIP_TEST(every_option_in_range_is_accepted) {
    s.desc.axes = (pm_array){.data = s.axes, .type = PM_FLOAT64};
    s.desc.user_tangents = (pm_array){.data = s.tangents, .type = PM_FLOAT64};
    s.desc.rotations_in = s.desc.rotations_out = s.desc.rotations;
    s.desc.positions_in = s.desc.positions_out = s.desc.positions;
    s.desc.scales_in = s.desc.scales_out = s.desc.scales;
    for (int method = 0; method < PM_METHOD_COUNT; method++) {
        s.desc.method = (pm_method)method;
        for (int vectors = 0; vectors < PM_VECTOR_COUNT; vectors++) {
            s.desc.vector_method = (pm_vector_method)vectors;
            expect_accepted();
        }
    }
    s.desc.method = PM_METHOD_SQUAD;
    for (int tangents = 0; tangents < PM_TANGENTS_COUNT; tangents++)
        for (int ends = 0; ends < PM_ENDS_COUNT; ends++) {
            s.desc.tangents = (pm_tangents)tangents;
            s.desc.ends = (pm_ends)ends;
            expect_accepted();
        }
}

static void expect_in_unit_range(double *field, const char *name) {
    const double bad[] = {-1.001, 1.001, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        *field = bad[i];
        expect_refused(PM_ERROR_ARGUMENT, name);
    }
    *field = 1;
    expect_accepted();
    *field = -1;
    expect_accepted();
    *field = 0;
}

CLIP_TEST(tension_continuity_and_bias_are_between_minus_one_and_one) {
    s.desc.method = PM_METHOD_SQUAD;
    s.desc.tangents = PM_TANGENTS_TCB;
    expect_in_unit_range(&s.desc.tension, "tension");
    expect_in_unit_range(&s.desc.continuity, "continuity");
    expect_in_unit_range(&s.desc.bias, "bias");
}

CLIP_TEST(user_tangents_must_be_given_and_finite) {
    s.desc.method = PM_METHOD_SQUAD;
    s.desc.tangents = PM_TANGENTS_USER;
    expect_refused(PM_ERROR_ARGUMENT, "user_tangents");
    s.desc.user_tangents = (pm_array){.data = s.tangents, .type = PM_FLOAT64};
    expect_accepted();
    s.tangents[2][1][0] = (double)NAN;
    expect_refused_at(PM_ERROR_KEY, "tangent", 1, 2);
    s.tangents[2][1][0] = 0;
    s.desc.user_tangents.stride = sizeof s.tangents[0] - sizeof(double);
    expect_refused(PM_ERROR_ARGUMENT, "stride");
}

/* ---- sterp ---- */

static void use_sterp(void) {
    s.desc.method = PM_METHOD_STERP;
    s.desc.axes = (pm_array){.data = s.axes, .type = PM_FLOAT64};
}

CLIP_TEST(sterp_without_axes_is_refused) {
    use_sterp();
    s.desc.axes.data = NULL;
    expect_refused(PM_ERROR_ARGUMENT, "axes");
    s.desc.axes.data = s.axes;
    expect_accepted();
}

CLIP_TEST(zero_axes_and_axes_that_are_not_finite_are_refused) {
    use_sterp();
    s.desc.axis_count = TRACKS;
    expect_accepted();
    s.axes[1][1] = 0;
    expect_refused_at(PM_ERROR_KEY, "axis|axes", 1, PM_NO_INDEX);
    s.axes[1][1] = (double)NAN;
    expect_refused_at(PM_ERROR_KEY, "axis|axes", 1, PM_NO_INDEX);
    s.axes[1][1] = (double)INFINITY;
    expect_refused_at(PM_ERROR_KEY, "axis|axes", 1, PM_NO_INDEX);
}

CLIP_TEST(axes_of_any_length_but_zero_are_accepted) {
    use_sterp();
    const double lengths[] = {1e-3, 1e3, 1e-30, 1e30, 1e-200, 1e200};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        s.axes[0][1] = lengths[i];
        expect_accepted();
    }
}

CLIP_TEST(the_other_methods_ignore_axes) {
    use_sterp();
    s.axes[0][1] = 0;
    s.desc.method = PM_METHOD_SLERP;
    expect_accepted();
}

CLIP_TEST(axes_are_given_once_or_once_per_track) {
    use_sterp();
    s.desc.axis_count = TRACKS + 1;
    expect_refused(PM_ERROR_ARGUMENT, "axis_count");
    s.desc.axis_count = 1;
    expect_accepted();
}

CLIP_TEST(windows_are_within_the_segment_and_end_after_they_start) {
    use_sterp();
    s.desc.windows = s.windows;
    const double nan = (double)NAN;
    const pm_windows bad[] = {
        {0.5, 0.5, 0, 1}, {0.6, 0.5, 0, 1}, {-0.1, 1, 0, 1}, {0, 1.1, 0, 1},
        {nan, 1, 0, 1},   {0, 1, 0.5, 0.5}, {0, 1, 1, 0},    {0, 1, -0.1, 1},
        {0, 1, 0, 1.1},   {0, 1, 0, nan},   {0, 0, 0, 1},
    };
    expect_accepted();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        s.windows[0] = bad[i];
        expect_error(pm_clip_check(&s.desc, new_error()), PM_ERROR_ARGUMENT, "window");
    }
    s.windows[0] = (pm_windows){0};
    expect_accepted();
}

CLIP_TEST(windows_are_given_once_or_once_per_track) {
    use_sterp();
    s.desc.windows = s.windows;
    s.desc.window_count = TRACKS + 1;
    expect_refused(PM_ERROR_ARGUMENT, "window_count");
    s.desc.window_count = TRACKS;
    expect_accepted();
    s.windows[1].swing_end = -1;
    expect_refused_at(PM_ERROR_ARGUMENT, "window", 1, PM_NO_INDEX);
}

TEST_GROUP(open_reference, close_reference)
