/* SPDX-License-Identifier: MIT
 *
 * Measures of curve properties on random non-uniform tracks. Each transforms the keys, samples both
 * curves, and notes the largest error, or infinity when the implementation failed to sample. Behind
 * them, the table of properties: the curves that have each one, with the tolerance, and the curves that
 * must visibly not have it, so that a property test that cannot fail would be detected.
 */
#include "properties.h"
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define TRACKS 40
#define FEW_TRACKS 8 /* for an interpreter of kernels */
#define KEYS 7
/* Radians from key to key. A circle through two near keys and a far one magnifies the rounding of
 * keys to float32, which is not an error of the curve's evaluation. */
#define SMALLEST 0.4
#define LARGEST 2.9

#define STEPS 8 /* samples in a segment */
#define SAMPLES ((KEYS - 1) * STEPS + 1)
#define TOTAL ((size_t)TRACKS * SAMPLES)

/* A set, its sample times and its samples, the same after a change, and the largest error. */
typedef struct comparison {
    const implementation *implementation;
    const variant *variant;
    size_t tracks;
    track_set set;
    random_source source;
    double times[TOTAL];
    quat out[TOTAL];
    quat changed[TOTAL];
    double worst;
} comparison;

static void note(comparison *t, double error) {
    if (!(error <= t->worst))
        t->worst = isnan(error) ? HUGE_VAL : error;
}

static size_t total(const comparison *t) {
    return t->tracks * SAMPLES;
}

static void locate_samples(comparison *t) {
    for (size_t n = 0; n < t->tracks; n++) {
        const double *times = t->set.tracks[n].times;
        for (size_t k = 0; k < SAMPLES; k++) {
            const size_t i = k / STEPS;
            const double u = (double)(k % STEPS) / STEPS;
            t->times[n * SAMPLES + k] =
                u == 0.0 ? times[i] : times[i] + u * (times[i + 1] - times[i]);
        }
    }
}

static comparison *comparison_create(const implementation *s, const variant *v) {
    comparison *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->implementation = s;
    t->variant = v;
    t->tracks = s->device && small_sizes() ? FEW_TRACKS : TRACKS;
    t->source = random_start();
    set_random(&t->source, t->tracks, KEYS, SMALLEST, LARGEST, true, false, &t->set);
    variant_prepare(v, &t->set);
    locate_samples(t);
    return t;
}

typedef void measure_function(comparison *t);

static double measured(measure_function *measure, const implementation *s, const variant *v) {
    SCOPED(free_at) comparison *t = comparison_create(s, v);
    measure(t);
    const double worst = t->worst;
    set_destroy(&t->set);
    return worst;
}

static void sample_into(comparison *t, quat *out) {
    const pm_clip_desc desc = variant_describe(t->variant, &t->set);
    if (!implementation_sample_set(t->implementation, &desc, &t->set, SAMPLES, t->times, out))
        t->worst = HUGE_VAL;
}

static quat key_of(const test_track *t, size_t i) {
    return quat_of(t->keys[i]);
}

static void set_key(test_track *t, size_t i, quat q) {
    const double raw[4] = {q.x, q.y, q.z, q.w};
    memcpy(t->keys[i], raw, sizeof raw);
}

static void set_vector(double *out, vec3 v) {
    const double raw[3] = {v.x, v.y, v.z};
    memcpy(out, raw, sizeof raw);
}

static quat random_turn(random_source *source) {
    double q[4];
    random_quaternion(source, q);
    return quat_of(q);
}

static bool same(quat a, quat b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

/* Stored keys, bit for bit. */
static void measure_keys(comparison *t) {
    sample_into(t, t->out);
    for (size_t n = 0; n < t->tracks; n++) {
        quat before = {0.0, 0.0, 0.0, 0.0};
        for (size_t i = 0; i < KEYS; i++) {
            quat q = quat_normalise(key_of(&t->set.tracks[n], i));
            q = quat_dot(q, before) < 0.0 ? quat_scale(q, -1.0) : q;
            before = q;
            if (!t->implementation->exact)
                q = (quat){(double)(float)q.x, (double)(float)q.y, (double)(float)q.z,
                           (double)(float)q.w};
            note(t, same(t->out[n * SAMPLES + i * STEPS], q) ? 0.0 : 1.0);
        }
    }
}

static void measure_norm(comparison *t) {
    sample_into(t, t->out);
    for (size_t n = 0; n < total(t); n++)
        note(t, fabs(quat_norm(t->out[n]) - 1.0));
}

/* The angles between `out` multiplied by p on one side, and samples after the change. */
static void compare(comparison *t, const quat *left, const quat *right) {
    sample_into(t, t->changed);
    for (size_t n = 0; n < total(t); n++) {
        quat q = t->out[n];
        q = left ? quat_multiply(*left, q) : q;
        q = right ? quat_multiply(q, *right) : q;
        note(t, oracle_error(q, t->changed[n]));
    }
}

/* p r(q) = r(p q) */
static void measure_left(comparison *t) {
    const quat p = random_turn(&t->source);
    sample_into(t, t->out);
    for (size_t n = 0; n < t->tracks; n++) {
        test_track *track = &t->set.tracks[n];
        for (size_t i = 0; i < KEYS; i++)
            set_key(track, i, quat_multiply(p, key_of(track, i)));
        if (t->variant->frame == PM_AXIS_PARENT)
            set_vector(track->axis, quat_rotate(p, vec3_of(track->axis)));
    }
    compare(t, &p, NULL);
}

/* r(q) p = r(q p), where the axis of sterp turns too, or not. */
static void multiply_right(comparison *t, bool turn_axis) {
    const quat p = random_turn(&t->source);
    sample_into(t, t->out);
    for (size_t n = 0; n < t->tracks; n++) {
        test_track *track = &t->set.tracks[n];
        for (size_t i = 0; i < KEYS; i++) {
            set_key(track, i, quat_multiply(key_of(track, i), p));
            set_vector(track->tangents[i],
                       quat_rotate(quat_conjugate(p), vec3_of(track->tangents[i])));
        }
        if (turn_axis)
            set_vector(track->axis, quat_rotate(quat_conjugate(p), vec3_of(track->axis)));
    }
    compare(t, NULL, &p);
}

static bool axis_turns(const variant *v) {
    return v->method == PM_METHOD_STERP && v->frame == PM_AXIS_BODY;
}

static void measure_right(comparison *t) {
    multiply_right(t, axis_turns(t->variant));
}

static void measure_wrong_axis(comparison *t) {
    multiply_right(t, !axis_turns(t->variant));
}

double property_wrong_axis(const implementation *s, const variant *v) {
    return measured(measure_wrong_axis, s, v);
}

/* t -> 3t - 7 */
static void measure_time(comparison *t) {
    sample_into(t, t->out);
    for (size_t n = 0; n < t->tracks; n++) {
        test_track *track = &t->set.tracks[n];
        for (size_t i = 0; i < KEYS; i++) {
            track->times[i] = 3.0 * track->times[i] - 7.0;
            set_vector(track->tangents[i], vec3_scale(vec3_of(track->tangents[i]), 1.0 / 3.0));
        }
    }
    locate_samples(t);
    compare(t, NULL, NULL);
}

/* The signs of keys after the first have no effect. The sign of the first key determines every
 * sign. */
static void measure_signs(comparison *t) {
    bool flipped[TRACKS];
    sample_into(t, t->out);
    for (size_t n = 0; n < t->tracks; n++) {
        for (size_t i = 0; i < KEYS; i++) {
            const bool flip = random_bits(&t->source) & 1;
            test_track *track = &t->set.tracks[n];
            set_key(track, i, quat_scale(key_of(track, i), flip ? -1.0 : 1.0));
            flipped[n] = i == 0 ? flip : flipped[n];
        }
    }
    sample_into(t, t->changed);
    for (size_t n = 0; n < total(t); n++) {
        const quat q = quat_scale(t->changed[n], flipped[n / SAMPLES] ? -1.0 : 1.0);
        note(t, same(q, t->out[n]) ? 0.0 : 1.0);
    }
}

static void reverse_track(test_track *track) {
    const test_track from = *track;
    for (size_t i = 0; i < KEYS; i++) {
        const size_t j = KEYS - 1 - i;
        track->times[i] = -from.times[j];
        memcpy(track->keys[i], from.keys[j], sizeof from.keys[j]);
        set_vector(track->tangents[i], vec3_scale(vec3_of(from.tangents[j]), -1.0));
    }
}

/* Reversed keys and time. */
static void measure_reversal(comparison *t) {
    variant mirrored = *t->variant;
    mirrored.bias = -mirrored.bias;
    sample_into(t, t->out);
    for (size_t n = 0; n < t->tracks; n++)
        reverse_track(&t->set.tracks[n]);
    locate_samples(t);
    t->variant = &mirrored;
    sample_into(t, t->changed);
    for (size_t n = 0; n < total(t); n++) {
        const size_t k = n % SAMPLES, mirror = n - k + (SAMPLES - 1 - k);
        note(t, oracle_error(t->out[n], t->changed[mirror]));
    }
}

/* Keys of constant velocity. */
static void measure_steady(comparison *t) {
    vec3 velocity[TRACKS];
    for (size_t n = 0; n < t->tracks; n++) {
        test_track *track = &t->set.tracks[n];
        double direction[3];
        random_direction(&t->source, direction);
        velocity[n] = vec3_scale(vec3_of(direction), random_between(&t->source, 0.01, 0.8));
        for (size_t i = 1; i < KEYS; i++) {
            set_key(track, i,
                    quat_multiply(key_of(track, 0),
                                  quat_exp(vec3_scale(velocity[n], track->times[i]))));
            set_vector(track->tangents[i], velocity[n]);
        }
        set_vector(track->tangents[0], velocity[n]);
    }
    sample_into(t, t->out);
    for (size_t n = 0; n < total(t); n++) {
        const size_t track = n / SAMPLES;
        const quat expected = quat_multiply(key_of(&t->set.tracks[track], 0),
                                            quat_exp(vec3_scale(velocity[track], t->times[n])));
        note(t, oracle_error(t->out[n], expected));
    }
}

/* Between equal keys. */
static void measure_still(comparison *t) {
    for (size_t n = 0; n < t->tracks; n++)
        set_key(&t->set.tracks[n], 3, key_of(&t->set.tracks[n], 2));
    sample_into(t, t->out);
    for (size_t n = 0; n < t->tracks; n++) {
        for (size_t k = 2 * STEPS; k <= 3 * STEPS; k++) {
            const quat key = t->out[n * SAMPLES + 2 * STEPS];
            note(t, oracle_error(t->out[n * SAMPLES + k], key));
        }
    }
}

/* Within a segment. */
static void measure_even_speed(comparison *t) {
    sample_into(t, t->out);
    for (size_t n = 0; n < t->tracks * (KEYS - 1); n++) {
        const quat *r = t->out + n / (KEYS - 1) * SAMPLES + n % (KEYS - 1) * STEPS;
        const double first = oracle_error(r[0], r[1]);
        for (size_t k = 1; k < STEPS; k++)
            note(t, fabs(oracle_error(r[k], r[k + 1]) - first));
    }
}

/* The body velocity on one side of a key, from values one and two steps away. */
static vec3 one_sided(quat key, quat one, quat two, double step) {
    quat d1 = quat_multiply(quat_conjugate(key), one);
    quat d2 = quat_multiply(quat_conjugate(key), two);
    d1 = d1.w < 0.0 ? quat_scale(d1, -1.0) : d1;
    d2 = d2.w < 0.0 ? quat_scale(d2, -1.0) : d2;
    const vec3 l1 = quat_log(d1), l2 = quat_log(d2);
    return vec3_scale(vec3_subtract(vec3_scale(l1, 4.0), l2), 1.0 / step);
}

/* Velocities on both sides of every inner key, as angular velocities. */
static void velocities(comparison *t, vec3 before[TRACKS][KEYS], vec3 after[TRACKS][KEYS]) {
    static const double side[5] = {-2.0, -1.0, 0.0, 1.0, 2.0};
    const double part = t->implementation->exact ? 1e-4 : 0.01;
    for (size_t n = 0; n < t->tracks; n++) {
        const double *times = t->set.tracks[n].times;
        for (size_t k = 0; k < SAMPLES; k++) { /* the remaining ones repeat the last key */
            const size_t i = k / 5 + 1 < KEYS ? k / 5 + 1 : KEYS - 1;
            const double step = side[k % 5] < 0.0 || i == KEYS - 1 ? times[i] - times[i - 1]
                                                                   : times[i + 1] - times[i];
            t->times[n * SAMPLES + k] = times[i] + side[k % 5] * part * step;
        }
    }
    sample_into(t, t->out);
    for (size_t n = 0; n < t->tracks; n++) {
        const double *times = t->set.tracks[n].times;
        for (size_t i = 1; i + 1 < KEYS; i++) {
            const quat *r = t->out + n * SAMPLES + 5 * (i - 1);
            before[n][i] = one_sided(r[2], r[1], r[0], -part * (times[i] - times[i - 1]));
            after[n][i] = one_sided(r[2], r[3], r[4], part * (times[i + 1] - times[i]));
        }
    }
}

static void measure_velocity(comparison *t) {
    static vec3 before[TRACKS][KEYS], after[TRACKS][KEYS];
    velocities(t, before, after);
    for (size_t n = 0; n < t->tracks; n++)
        for (size_t i = 1; i + 1 < KEYS; i++)
            note(t, vec3_norm(vec3_subtract(before[n][i], after[n][i])));
}

double property_velocity(const implementation *s, const variant *v) {
    return measured(measure_velocity, s, v);
}

/* Samples one and two laps later, which must repeat with the sign of the wrap. The period is longer
 * than the keys, so that there is a closing segment. */
static void measure_period(comparison *t) {
    const bool is_uniform = t->variant->method == PM_METHOD_BSPLINE;
    /* A power of two: adding a lap loses no relevant bits. A B-spline requires uniform times. */
    const double period = is_uniform ? KEYS : 16.0;
    for (size_t n = 0; n < t->tracks; n++) {
        t->set.tracks[n].period = period;
        for (size_t k = 0; k < SAMPLES; k++)
            t->times[n * SAMPLES + k] = t->set.tracks[n].times[0] + period * (double)k / SAMPLES;
    }
    sample_into(t, t->out);
    for (int laps = -1; laps <= 2; laps += 3) {
        for (size_t n = 0; n < total(t); n++)
            t->times[n] += laps < 0 ? -period : 3.0 * period;
        sample_into(t, t->changed);
        for (size_t n = 0; n < total(t); n++) {
            const test_track *track = &t->set.tracks[n / SAMPLES];
            quat key = key_of(track, 0), first = key;
            for (size_t i = 1; i < KEYS; i++) {
                const quat next = key_of(track, i);
                key = quat_dot(key, next) < 0.0 ? quat_scale(next, -1.0) : next;
            }
            const bool turns =
                quat_dot(key, first) < 0.0 && t->variant->method != PM_METHOD_CUBICSPLINE;
            const double sign = turns && laps == -1 ? -1.0 : 1.0;
            const quat expected = quat_scale(t->out[n], sign);
            note(t, 2.0 * quat_norm(quat_subtract(expected, t->changed[n])));
        }
    }
}

/* ---- rules ----------------------------------------------------------------------------------- */

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
    return pm_method_get_info(v->method)->symmetric && !v->windows && v->frame == PM_AXIS_BODY;
}

/* A B-spline slows down towards the ends of an open track. */
static bool steady(const variant *v) {
    return is(v, PM_METHOD_SLERP) || variant_is_circular(v) ||
           (variant_has_tangents(v) && v->tangents != PM_TANGENTS_TCB && v->ends != PM_ENDS_ZERO);
}

/* Made of the segment's keys alone: no other key, no tangent. */
static bool plain(const variant *v) {
    const pm_method_info *info = pm_method_get_info(v->method);
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
    return pm_method_get_info(v->method)->local;
}

/* User tangents do not depend on more distant keys; the limiter uses the next keys. */
static bool two_keys(const variant *v) {
    return plain(v) || (is(v, PM_METHOD_HERMITE) && v->tangents == PM_TANGENTS_USER);
}

/* Moves key i: what changes outside segments i-2 .. i+1. Two or four of these must change. */
static void measure_locality(comparison *t) {
    const size_t moved = 3;
    double changes[KEYS - 1] = {0.0};
    sample_into(t, t->out);
    for (size_t n = 0; n < t->tracks; n++) {
        double axis[3];
        random_direction(&t->source, axis);
        const quat turn = quat_exp(vec3_scale(vec3_of(axis), 0.01));
        set_key(&t->set.tracks[n], moved, quat_multiply(key_of(&t->set.tracks[n], moved), turn));
    }
    sample_into(t, t->changed);
    for (size_t n = 0; n < total(t); n++) {
        const size_t segment = n % SAMPLES / STEPS;
        if (n % SAMPLES % STEPS == 0)
            continue; /* keys that two adjacent segments share */
        const double change = oracle_error(t->out[n], t->changed[n]);
        changes[segment] = fmax(changes[segment], change);
        if ((segment + 2 < moved || segment > moved + 1) && !same(t->out[n], t->changed[n]))
            note(t, fmax(change, 1e-30));
    }
    const double inside = fmin(fmin(changes[moved - 2], changes[moved - 1]),
                               fmin(changes[moved], changes[moved + 1]));
    if (!(two_keys(t->variant) ? inside == 0.0 : inside > 1e-5))
        note(t, HUGE_VAL);
}

typedef struct rule {
    const char *name;
    measure_function *measure;
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
    [RULE_KEYS] = {"every_method_but_bspline_passes_through_its_keys", measure_keys,
                   variant_interpolates, 0, 0, 0, NULL},
    [RULE_NORM] = {"every_method_keeps_unit_norm", measure_norm, every, 1e-12, 4e-7, 0, NULL},
    [RULE_LEFT] = {"rotating_the_parent_rotates_the_curve", measure_left, every, 1e-9, 1e-6, 0,
                   NULL},
    [RULE_RIGHT] = {"rotating_the_body_rotates_the_curve", measure_right, every, 1e-9, 1e-6, 0,
                    NULL},
    [RULE_TIME] = {"scaling_time_scales_the_curve", measure_time, every, 1e-9, 1e-6, 0, NULL},
    [RULE_SIGNS] = {"signs_of_keys_do_not_matter_except_in_gltf", measure_signs, sign_free, 0, 0, 0,
                    NULL},
    [RULE_REVERSAL] = {"reversed_keys_give_the_reversed_curve", measure_reversal, symmetric, 1e-9,
                       1e-6, 0.01, NULL},
    [RULE_STEADY] = {"keys_of_constant_velocity_give_constant_velocity", measure_steady, steady,
                     1e-9, 1e-6, 1e-3, NULL},
    [RULE_STILL] = {"equal_keys_are_constant_in_methods_that_promise_it", measure_still, still,
                    1e-9, 1e-6, 15 * PI / 180, NULL},
    [RULE_EVEN_SPEED] = {"slerp_and_sterp_have_constant_speed_within_a_segment", measure_even_speed,
                         even_speed, 1e-9, 1e-6, 1e-3, NULL},
    [RULE_VELOCITY] = {"smooth_methods_have_continuous_velocity", measure_velocity, smooth, 1e-4,
                       0.05, 0.1, may_look_smooth},
    [RULE_PERIOD] = {"loops_repeat_with_the_sign_of_their_wrap", measure_period, every, 1e-9, 1e-6,
                     0, NULL},
    [RULE_LOCALITY] = {"moving_a_key_changes_four_segments_at_most_except_in_spline",
                       measure_locality, local, 0, 0, 1e-5, NULL},
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
            const double error = measured(r->measure, s, v);
            if (!(error <= tolerance))
                fail_msg("%s on %s: %g exceeds %g", v->name, s->name, error, tolerance);
            worst = fmax(worst, error);
        } else if (s->exact && !(r->excused && r->excused(v))) {
            const double error = measured(r->measure, s, v);
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
