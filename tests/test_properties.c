/* SPDX-License-Identifier: MIT
 *
 * The properties of every method on the reference path and on every device. The
 * functions that measure them are shared with the oracle's tests; here they are
 * held to what float32 allows.
 */
#include "support/properties.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#define TOLERANCE 1e-6

/* Differences of float32 values over short times: noise of 1e-3 rad/s, where a curve
 * that is not smooth jumps by more than 1. */
#define VELOCITY_TOLERANCE 0.05

typedef double property(const subject *s, const variant *v);

static bool is(const variant *v, pm_method method) {
    return v->method == method;
}

static bool every(const variant *v) {
    (void)v;
    return true;
}

static bool interpolating(const variant *v) {
    return !is(v, PM_METHOD_BSPLINE);
}

/* glTF's cubic takes the signs of its keys as they are. */
static bool sign_free(const variant *v) {
    return !is(v, PM_METHOD_CUBICSPLINE);
}

static bool is_phased(const variant *v) {
    return is(v, PM_METHOD_CIRCULAR_C1) || is(v, PM_METHOD_CIRCULAR_C2) ||
           is(v, PM_METHOD_CIRCULAR_C3);
}

static bool is_circular(const variant *v) {
    return is(v, PM_METHOD_CIRCULAR) || is_phased(v);
}

static bool has_tangents(const variant *v) {
    return is(v, PM_METHOD_SQUAD) || is(v, PM_METHOD_HERMITE) || is(v, PM_METHOD_SPLINE);
}

/* An axis given in the parent frame enters the body with the key a segment begins at; a
 * rotation-vector cubic is one about the key that its segment begins at, and a cumulative
 * B-spline's turns follow one another from its first key on. */
static bool symmetric(const variant *v) {
    return !is(v, PM_METHOD_STEP) && !v->windows && v->frame == PM_AXIS_BODY &&
           !is(v, PM_METHOD_HERMITE) && !is(v, PM_METHOD_SPLINE) && !is(v, PM_METHOD_BSPLINE);
}

/* A B-spline slows down towards the ends of an open track. */
static bool steady(const variant *v) {
    return is(v, PM_METHOD_SLERP) || is_circular(v) ||
           (has_tangents(v) && v->tangents != PM_TANGENTS_TCB && v->ends != PM_ENDS_ZERO);
}

static bool still(const variant *v) {
    return v->method == PM_METHOD_STEP || v->method == PM_METHOD_NLERP ||
           v->method == PM_METHOD_SLERP || v->method == PM_METHOD_STERP || is_circular(v) ||
           v->tangents == PM_TANGENTS_HOLD;
}

/* Given tangents let nothing of farther keys in; the limiter looks at the next keys. */
static bool two_keys(const variant *v) {
    return v->method == PM_METHOD_STEP || v->method == PM_METHOD_NLERP ||
           v->method == PM_METHOD_SLERP || v->method == PM_METHOD_STERP ||
           (is(v, PM_METHOD_HERMITE) && v->tangents == PM_TANGENTS_USER);
}

static bool even_speed(const variant *v) {
    return is(v, PM_METHOD_SLERP) || (is(v, PM_METHOD_STERP) && !v->windows);
}

static bool smooth(const variant *v) {
    return (has_tangents(v) && v->tangents != PM_TANGENTS_TCB && !v->unlimited) || is_phased(v) ||
           is(v, PM_METHOD_BSPLINE);
}

/* Measures on every subject and every variant it holds for; the worst is printed. */
static void hold_property(property *measure, bool (*holds)(const variant *), double tolerance) {
    const subject *subjects = NULL;
    size_t count = 0;
    assert_true(subject_list(&subjects, &count));
    for (size_t k = 0; k < count; k++) {
        double worst = 0.0;
        for (size_t n = 0; n < variant_count(); n++) {
            const variant *v = variant_at(n);
            if (!holds(v)) {
                continue;
            }
            const double error = measure(&subjects[k], v);
            if (!(error <= tolerance)) {
                fail_msg("%s on %s: %g exceeds %g", v->name, subjects[k].name, error, tolerance);
            }
            worst = fmax(worst, error);
        }
        printf("# %s: worst %.2g\n", subjects[k].name, worst);
    }
}

static void every_method_but_bspline_passes_through_its_keys(void **state) {
    (void)state;
    hold_property(property_keys, interpolating, 0.0);
}

static void every_method_keeps_unit_norm(void **state) {
    (void)state;
    hold_property(property_norm, every, 4e-7);
}

static void turning_the_parent_turns_the_curve(void **state) {
    (void)state;
    hold_property(property_left, every, TOLERANCE);
}

static double right(const subject *s, const variant *v) {
    return property_right(s, v, v->method == PM_METHOD_STERP && v->frame == PM_AXIS_BODY);
}

static void turning_the_body_turns_the_curve(void **state) {
    (void)state;
    hold_property(right, every, TOLERANCE);
}

static void stretching_time_stretches_the_curve(void **state) {
    (void)state;
    hold_property(property_time, every, TOLERANCE);
}

static void signs_of_keys_do_not_matter_except_in_gltf(void **state) {
    (void)state;
    hold_property(property_signs, sign_free, 0.0);
}

static void reversed_keys_give_the_reversed_curve(void **state) {
    (void)state;
    hold_property(property_reversal, symmetric, TOLERANCE);
}

static void keys_of_constant_velocity_give_constant_velocity(void **state) {
    (void)state;
    hold_property(property_steady, steady, TOLERANCE);
}

static void equal_keys_hold_still_in_methods_that_say_so(void **state) {
    (void)state;
    hold_property(property_still, still, TOLERANCE);
}

static void slerp_and_sterp_keep_their_speed_within_a_segment(void **state) {
    (void)state;
    hold_property(property_even_speed, even_speed, TOLERANCE);
}

static void smooth_methods_have_continuous_velocity(void **state) {
    (void)state;
    hold_property(property_velocity, smooth, VELOCITY_TOLERANCE);
}

static void loops_repeat_with_the_sign_of_their_wrap(void **state) {
    (void)state;
    hold_property(property_period, every, TOLERANCE);
}

static double change_far_away(const subject *s, const variant *v) {
    double inside = -1.0;
    const double outside = property_locality(s, v, &inside);
    return !two_keys(v) && !(inside > 1e-5) ? HUGE_VAL : outside;
}

static bool local(const variant *v) {
    return !is(v, PM_METHOD_SPLINE);
}

static void moving_a_key_changes_four_segments_at_most(void **state) {
    (void)state;
    hold_property(change_far_away, local, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_but_bspline_passes_through_its_keys),
        cmocka_unit_test(every_method_keeps_unit_norm),
        cmocka_unit_test(turning_the_parent_turns_the_curve),
        cmocka_unit_test(turning_the_body_turns_the_curve),
        cmocka_unit_test(stretching_time_stretches_the_curve),
        cmocka_unit_test(signs_of_keys_do_not_matter_except_in_gltf),
        cmocka_unit_test(reversed_keys_give_the_reversed_curve),
        cmocka_unit_test(keys_of_constant_velocity_give_constant_velocity),
        cmocka_unit_test(equal_keys_hold_still_in_methods_that_say_so),
        cmocka_unit_test(slerp_and_sterp_keep_their_speed_within_a_segment),
        cmocka_unit_test(smooth_methods_have_continuous_velocity),
        cmocka_unit_test(loops_repeat_with_the_sign_of_their_wrap),
        cmocka_unit_test(moving_a_key_changes_four_segments_at_most),
    };
    const int failed = cmocka_run_group_tests_name("properties", tests, NULL, NULL);
    subject_release();
    return failed;
}
