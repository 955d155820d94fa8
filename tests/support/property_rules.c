/* SPDX-License-Identifier: MIT
 *
 * The table of properties: the curves that have each property, with the tolerance, and the curves
 * that must visibly not have it, so that a property test that cannot fail would be detected.
 */
#include "property_rules.h"
#include "check.h"

#include <math.h>

#define PI 3.14159265358979323846

static bool is(const variant *v, pm_method method) {
    return v->method == method;
}

static bool every(const variant *v) {
    (void)v;
    return true;
}

/* glTF's cubic keeps the signs of its keys. */
static bool sign_free(const variant *v) {
    return !is(v, PM_METHOD_CUBICSPLINE);
}

/* An axis in the parent frame is converted to the body frame at the first key of a segment; a
 * rotation-vector cubic is relative to the first key of its segment; the rotations of a cumulative
 * B-spline are multiplied starting from its first key. */
static bool symmetric(const variant *v) {
    return pm_method_describe(v->method)->symmetric && !v->windows && v->frame == PM_AXIS_BODY;
}

/* A B-spline slows down towards the ends of an open track. */
static bool steady(const variant *v) {
    return is(v, PM_METHOD_SLERP) || variant_is_circular(v) ||
           (variant_has_tangents(v) && v->tangents != PM_TANGENTS_TCB && v->ends != PM_ENDS_ZERO);
}

/* Made of the segment's keys alone: no other key, no tangent. */
static bool plain(const variant *v) {
    const pm_method_info *info = pm_method_describe(v->method);
    return info->local && info->keys_used <= 2 && !info->takes_in_out;
}

static bool still(const variant *v) {
    return plain(v) || variant_is_circular(v) || v->tangents == PM_TANGENTS_HOLD;
}

static bool even_speed(const variant *v) {
    return is(v, PM_METHOD_SLERP) || (is(v, PM_METHOD_STERP) && !v->windows);
}

static bool smooth(const variant *v) {
    return variant_continuity(v) >= 1;
}

/* Not smooth, but these tracks do not necessarily show a jump. */
static bool may_look_smooth(const variant *v) {
    return is(v, PM_METHOD_STEP) || is(v, PM_METHOD_SQUAD) || v->windows;
}

static bool local(const variant *v) {
    return pm_method_describe(v->method)->local;
}

static double right(const implementation *s, const variant *v) {
    return property_right(s, v, is(v, PM_METHOD_STERP) && v->frame == PM_AXIS_BODY);
}

/* User tangents do not depend on more distant keys; the limiter uses the next keys. */
static bool two_keys(const variant *v) {
    return plain(v) || (is(v, PM_METHOD_HERMITE) && v->tangents == PM_TANGENTS_USER);
}

/* Moving a key changes two or four segments, and it must change these. */
static double change_far_away(const implementation *s, const variant *v) {
    double inside = -1.0;
    const double outside = property_locality(s, v, &inside);
    const bool as_wide = two_keys(v) ? inside == 0.0 : inside > 1e-5;
    return as_wide ? outside : HUGE_VAL;
}

typedef struct rule {
    const char *name;
    double (*measure)(const implementation *s, const variant *v);
    bool (*holds)(const variant *v);
    double in_double; /* for the oracle */
    double in_float;  /* for the reference, the kernels and devices */
    double margin;    /* lower bound for the oracle where the property does not hold, except for the
                       * exceptions */
    bool (*excused)(const variant *v);
} rule;

/* Differences of float32 values over short times have a noise of 1e-3 rad/s, whereas a curve that
 * is not smooth jumps by more than 1. */
static const rule rules[RULE_COUNT] = {
    [RULE_KEYS] = {"every_method_but_bspline_passes_through_its_keys", property_keys,
                   variant_interpolates, 0, 0, 0, NULL},
    [RULE_NORM] = {"every_method_keeps_unit_norm", property_norm, every, 1e-12, 4e-7, 0, NULL},
    [RULE_LEFT] = {"rotating_the_parent_rotates_the_curve", property_left, every, 1e-9, 1e-6, 0,
                   NULL},
    [RULE_RIGHT] = {"rotating_the_body_rotates_the_curve", right, every, 1e-9, 1e-6, 0, NULL},
    [RULE_TIME] = {"scaling_time_scales_the_curve", property_time, every, 1e-9, 1e-6, 0, NULL},
    [RULE_SIGNS] = {"signs_of_keys_do_not_matter_except_in_gltf", property_signs, sign_free, 0, 0,
                    0, NULL},
    [RULE_REVERSAL] = {"reversed_keys_give_the_reversed_curve", property_reversal, symmetric, 1e-9,
                       1e-6, 0.01, NULL},
    [RULE_STEADY] = {"keys_of_constant_velocity_give_constant_velocity", property_steady, steady,
                     1e-9, 1e-6, 1e-3, NULL},
    [RULE_STILL] = {"equal_keys_are_constant_in_methods_that_promise_it", property_still, still,
                    1e-9, 1e-6, 15 * PI / 180, NULL},
    [RULE_EVEN_SPEED] = {"slerp_and_sterp_have_constant_speed_within_a_segment",
                         property_even_speed, even_speed, 1e-9, 1e-6, 1e-3, NULL},
    [RULE_VELOCITY] = {"smooth_methods_have_continuous_velocity", property_velocity, smooth, 1e-4,
                       0.05, 0.1, may_look_smooth},
    [RULE_PERIOD] = {"loops_repeat_with_the_sign_of_their_wrap", property_period, every, 1e-9, 1e-6,
                     0, NULL},
    [RULE_LOCALITY] = {"moving_a_key_changes_four_segments_at_most_except_in_spline",
                       change_far_away, local, 0, 0, 1e-5, NULL},
};

double property_hold(property_rule which, const implementation *s) {
    const rule *r = &rules[which];
    const double tolerance = s->exact ? r->in_double : r->in_float;
    double worst = 0.0;
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        if (s->device && small_sizes() && variant_repeats_kernels(v))
            continue;
        if (r->holds(v)) {
            const double error = r->measure(s, v);
            if (!(error <= tolerance))
                fail_msg("%s on %s: %g exceeds %g", v->name, s->name, error, tolerance);
            worst = fmax(worst, error);
        } else if (s->exact && !(r->excused && r->excused(v))) {
            const double error = r->measure(s, v);
            if (!(error > r->margin && isfinite(error)))
                fail_msg("%s on %s: %g is not above %g, but should be", v->name, s->name, error,
                         r->margin);
        }
    }
    return worst;
}

void property_add_tests(CMUnitTestFunction hold) {
    static property_rule which[RULE_COUNT];
    for (int n = 0; n < RULE_COUNT; n++) {
        which[n] = (property_rule)n;
        test_add(rules[n].name, hold, NULL, NULL, &which[n]);
    }
}
