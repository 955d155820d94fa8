/* SPDX-License-Identifier: MIT
 *
 * The oracle itself, in double: against every property of the methods, against properties that must not
 * hold, so that a property test that cannot fail would be detected, and at its limits. test_vectors compares
 * it with a second construction of every curve, test_continuity with the promises of continuity.
 * Independent of the library and of devices.
 */
#include "base/counts.h"
#include "oracle/oracle.h"
#include "support/properties.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

static void assert_below(double error, double bound, const char *name) {
    if (!(error <= bound))
        fail_msg("%s: %g exceeds %g", name, error, bound);
}

static void hold(void **state) {
    const implementation in_double = implementation_oracle();
    property_hold(*(property_rule *)*state, &in_double);
}

TEST(circular_has_continuous_direction_and_a_jump_of_speed) {
    /* At cusps it has none, so the tracks here have small rotations. */
    random_source source = random_start();
    for (int n = 0; n < 200; n++) {
        SCOPED(set_destroy) track_set set;
        set_random(&source, 1, 4, 0.0, 1.0, true, false, &set);
        pm_clip_desc desc = set_describe(&set);
        desc.method = PM_METHOD_CIRCULAR;
        test_track *t = &set.tracks[0];
        /* A smooth curve: steps of 0.5 rad about axes less than a radian apart. */
        vec3 axis = {0.0, 0.0, 1.0};
        for (size_t i = 1; i < 4; i++) {
            double aside[3];
            random_direction(&source, aside);
            axis = vec3_add(axis, vec3_scale(vec3_of(aside), 0.3));
            const quat q = quat_multiply(
                quat_of(t->keys[i - 1]),
                quat_exp(vec3_scale(axis, random_between(&source, 0.1, 0.3) / vec3_norm(axis))));
            t->keys[i][0] = q.x, t->keys[i][1] = q.y, t->keys[i][2] = q.z, t->keys[i][3] = q.w;
        }
        desc = set_describe(&set);
        desc.method = PM_METHOD_CIRCULAR;
        oracle *o = oracle_create_unrounded(&desc);
        const quat key = oracle_key(o, 0, 1);
        const quat in = oracle_rotation(o, 0, (oracle_cursor){0, 0, 1.0 - 1e-6});
        const quat out = oracle_rotation(o, 0, (oracle_cursor){0, 1, 1e-6});
        const vec3 before = quat_log(quat_multiply(quat_conjugate(in), key));
        const vec3 after = quat_log(quat_multiply(quat_conjugate(key), out));
        const double cosine = vec3_dot(before, after) / (vec3_norm(before) * vec3_norm(after));
        assert_below(1.0 - cosine, 1e-8, "direction");
        oracle_destroy(o);
    }
    const implementation in_double = implementation_oracle();
    assert_true(property_velocity(&in_double, variant_named("circular")) > 0.5);
}

TEST(right_multiplication_requires_the_axis_of_sterp_to_rotate_too) {
    const implementation in_double = implementation_oracle();
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        if ((v->method == PM_METHOD_STERP && v->frame == PM_AXIS_BODY) ||
            v->frame == PM_AXIS_PARENT)
            assert_true(property_wrong_axis(&in_double, v) > 0.05);
    }
}

/* ---- second constructions --------------------------------------------------- */

/* One random track with one method, made and destroyed. */
typedef struct single {
    track_set set;
    pm_clip_desc desc;
    oracle *o;
} single;

static single single_create(random_source *source, size_t keys, double largest, bool uneven,
                            const char *name) {
    single s = {0};
    set_random(source, 1, keys, 0.0, largest, uneven, false, &s.set);
    variant_prepare(variant_named(name), &s.set);
    s.desc = variant_describe(variant_named(name), &s.set);
    s.o = oracle_create_unrounded(&s.desc);
    return s;
}

static void single_destroy(single *s) {
    oracle_destroy(s->o);
    set_destroy(&s->set);
}

static quat at(const single *s, size_t segment, double u) {
    return oracle_rotation(s->o, 0, (oracle_cursor){0, segment, u});
}

static vec3 chord(const single *s, ptrdiff_t i) {
    return quat_log(
        quat_multiply(quat_conjugate(oracle_key(s->o, 0, i)), oracle_key(s->o, 0, i + 1)));
}

TEST(slerp_of_any_operands_has_constant_speed_and_never_fails) {
    random_source source = random_start();
    for (int n = 0; n < 300; n++) {
        double raw[4];
        random_quaternion(&source, raw);
        const quat a = quat_of(raw);
        random_direction(&source, raw);
        const double gap = n < 5 ? 0.0 : pow(10.0, random_between(&source, -17.0, -1.0));
        const vec3 half = vec3_scale(vec3_of(raw), PI - gap); /* nearly or exactly antipodal */
        const quat b = n < 5 ? quat_scale(a, -1.0) : quat_multiply(a, quat_exp(half));
        quat before = a;
        for (int k = 1; k <= 8; k++) {
            const quat q = quat_slerp(a, b, k / 8.0);
            assert_below(fabs(quat_norm(q) - 1.0), 1e-12, "norm");
            const double step = oracle_error(before, q);
            assert_below(fabs(step - 2.0 * PI / 8.0), 0.3 * 10.0 * gap + 1e-7, "step");
            before = q;
        }
        assert_below(quat_norm(quat_subtract(before, b)), 1e-12, "end");
    }
}

TEST(nlerp_stays_near_slerp) {
    random_source source = random_start();
    double tightest = 0.0;
    for (int n = 0; n < 2000; n++) {
        SCOPED(single_destroy) single s = single_create(&source, 2, PI, false, "nlerp");
        const double angle = vec3_norm(chord(&s, 0)), u = random_unit(&source);
        const quat slerp = quat_slerp(oracle_key(s.o, 0, 0), oracle_key(s.o, 0, 1), u);
        const double ratio = oracle_error(at(&s, 0, u), slerp) / (angle * angle * angle);
        tightest = fmax(tightest, ratio);
    }
    printf("# nlerp differs from slerp by %.4f th^3\n", tightest);
    /* 0.0321 for small angles, 0.0367 at a half turn. */
    assert_true(tightest < 0.037 && tightest > 0.032);
}

/* Float32 keys a half turn apart and at rest: the inner operands are a whole turn apart, and the
 * last bit of a dot product must not determine the direction of the slerp between them. */
TEST(squad_at_rest_rotates_a_half_turn_at_constant_speed) {
    random_source source = random_start();
    for (int n = 0; n < 500; n++) {
        SCOPED(single_destroy) single s = single_create(&source, 4, 1.0, false, "squad, hold");
        test_track *t = &s.set.tracks[0];
        double axis[3];
        random_direction(&source, axis);
        const quat turn = {axis[0], axis[1], axis[2], 0.0};
        const quat half = quat_multiply(quat_of(t->keys[0]), turn);
        for (int c = 0; c < 4; c++)
            t->keys[1][c] = t->keys[0][c];
        for (int k = 2; k < 4; k++) {
            t->keys[k][0] = half.x, t->keys[k][1] = half.y;
            t->keys[k][2] = half.z, t->keys[k][3] = half.w;
        }
        s.desc = variant_describe(variant_named("squad, hold"), &s.set);
        oracle_destroy(s.o);
        s.o = oracle_create(&s.desc);
        for (int k = 1; k < 8; k++) {
            const double u = k / 8.0, part = u + 2.0 * u * (1.0 - u) * (u - 0.5);
            const quat expected =
                quat_multiply(oracle_key(s.o, 0, 1), quat_exp(vec3_scale(chord(&s, 1), part)));
            assert_below(oracle_error(at(&s, 1, u), quat_normalise(expected)), 1e-6, "half turn");
        }
    }
}

/* ---- circular --------------------------------------------------------------- */

TEST(guarded_circular_does_not_spin_on_a_reversal) {
    SCOPED(set_destroy) track_set set;
    set_create(1, false, &set);
    for (size_t n = 0; n < adversarial_count(); n++) {
        adversarial_track(n, &set.tracks[0]);
        if (set.tracks[0].key_count == 4)
            break;
    }
    assert_string_equal(set.tracks[0].name, "reversal 0 30 10 20");
    const pm_clip_desc desc = variant_describe(variant_named("circular"), &set);
    oracle *o = oracle_create(&desc);
    double path = 0.0;
    quat before = oracle_key(o, 0, 0);
    for (int k = 0; k <= 3000; k++) {
        const quat q = oracle_rotation(o, 0, oracle_at_time(o, 0, k / 1000.0));
        path += oracle_error(before, q);
        before = q;
    }
    assert_below(fabs(path - 60.0 * PI / 180.0), 1e-5, "path");
    oracle_destroy(o);
}

/* ---- phased circles, vector cubics, B-spline ------------------------------------ */

/* The body acceleration at a key, half the full angle's, by one-sided differences over times of `h`,
 * which is negative for the side before the key. */
static vec3 acceleration_at(const oracle *o, size_t track, size_t key, double h) {
    const double time = oracle_key_time(o, track, key);
    vec3 sum = {0.0, 0.0, 0.0};
    static const double weights[3] = {-5.0, 4.0, -1.0};
    for (int k = 0; k < 3; k++) {
        const quat moved =
            oracle_rotation(o, track, oracle_at_exact_time(o, track, time + (k + 1) * h));
        const quat turn =
            quat_multiply(quat_conjugate(oracle_key(o, track, (ptrdiff_t)key)), moved);
        sum = vec3_add(sum, vec3_scale(quat_log(turn), weights[k] / (h * h)));
    }
    return sum;
}

/* Among these tracks is one whose equations have a minimum of the residual that is no solution. */
TEST(a_spline_is_found_beside_a_minimum_that_is_none) {
    enum { TRACKS = 37, KEYS = 12 };
    random_source source = {6 * 7919};
    SCOPED(set_destroy) track_set set;
    set_random(&source, TRACKS, KEYS, 0.0, PI, true, false, &set);
    pm_clip_desc desc = set_describe(&set);
    desc.method = PM_METHOD_SPLINE;
    desc.ends = PM_ENDS_NATURAL;
    oracle *o = oracle_create_unrounded(&desc);
    for (size_t track = 0; track < TRACKS; track++) {
        assert_false(oracle_diverged(o, track));
        for (size_t key = 1; key + 1 < KEYS; key++) {
            const double at = oracle_key_time(o, track, key);
            const double h = 1e-4 * fmin(oracle_key_time(o, track, key + 1) - at,
                                         at - oracle_key_time(o, track, key - 1));
            const vec3 before = acceleration_at(o, track, key, -h);
            const vec3 after = acceleration_at(o, track, key, h);
            assert_below(vec3_norm(vec3_subtract(after, before)), 1e-3 * (1.0 + vec3_norm(before)),
                         "acceleration");
        }
    }
    oracle_destroy(o);
}

/* ---- times, ends, loops, vectors ----------------------------------------------- */

TEST(one_key_is_constant_and_two_are_slerp_on_a_line) {
    random_source source = random_start();
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        single one = single_create(&source, 1, 2.0, true, v->name);
        const quat q = oracle_rotation(one.o, 0, oracle_at_time(one.o, 0, 5.0));
        assert_true(quat_norm(quat_subtract(q, oracle_key(one.o, 0, 0))) == 0.0);
        single_destroy(&one);
        SCOPED(single_destroy) single two = single_create(&source, 2, 2.0, true, v->name);
        const quat slerp = quat_slerp(oracle_key(two.o, 0, 0), oracle_key(two.o, 0, 1), 0.3);
        if ((variant_has_tangents(v) && v->tangents != PM_TANGENTS_USER) || variant_is_circular(v))
            assert_below(oracle_error(at(&two, 0, 0.3), slerp), 1e-12, v->name);
        const double *a = two.set.tracks[0].positions[0], *b = two.set.tracks[0].positions[1];
        const vec3 line = vec3_add(vec3_scale(vec3_of(a), 0.7), vec3_scale(vec3_of(b), 0.3));
        const vec3 there = oracle_position(two.o, 0, (oracle_cursor){0, 0, 0.3});
        if (v->method != PM_METHOD_STEP && v->method != PM_METHOD_BSPLINE &&
            v->method != PM_METHOD_CUBICSPLINE)
            assert_below(vec3_norm(vec3_subtract(there, line)), 1e-12, v->name);
    }
}

TEST(adversarial_tracks_give_unit_rotations_in_every_method) {
    for (size_t n = 0; n < adversarial_count(); n++) {
        SCOPED(set_destroy) track_set set;
        set_create(1, false, &set);
        for (size_t m = 0; m < variant_count(); m++) {
            adversarial_track(n, &set.tracks[0]);
            variant_prepare(variant_at(m), &set);
            const pm_clip_desc desc = variant_describe(variant_at(m), &set);
            oracle *o = oracle_create(&desc);
            for (size_t i = 0; i < oracle_segment_count(o, 0); i++) {
                for (int k = 0; k <= 64; k++) {
                    const quat q = oracle_rotation(o, 0, (oracle_cursor){0, i, k / 64.0});
                    if (!(fabs(quat_norm(q) - 1.0) < 2e-7))
                        fail_msg("%s: %s: segment %zu, u %g: norm %.9g", variant_at(m)->name,
                                 set.tracks[0].name, i, k / 64.0, quat_norm(q));
                }
            }
            oracle_destroy(o);
        }
    }
}

int main(int argc, char **argv) {
    property_add_tests(hold);
    return test_main(argc, argv);
}
