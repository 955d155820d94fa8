/* SPDX-License-Identifier: MIT
 *
 * The oracle itself, in double: against second constructions of the same curves, against every
 * property of the methods, and against properties that must not hold, so that a property test that
 * cannot fail would be detected. Independent of the library and of devices.
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
        track_set set;
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
        set_destroy(&set);
    }
    const implementation in_double = implementation_oracle();
    assert_true(property_velocity(&in_double, variant_named("circular")) > 0.5);
}

TEST(right_multiplication_requires_the_axis_of_sterp_to_rotate_too) {
    const implementation in_double = implementation_oracle();
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        const bool fixed = v->method == PM_METHOD_STERP && v->frame == PM_AXIS_BODY;
        if (fixed || v->frame == PM_AXIS_PARENT)
            assert_true(property_right(&in_double, v, !fixed) > 0.05);
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

TEST(slerp_is_the_exponential_of_a_scaled_logarithm) {
    random_source source = random_start();
    for (int n = 0; n < 300; n++) {
        single s = single_create(&source, 3, PI, true, "slerp");
        for (int k = 0; k <= 10; k++) {
            const quat expected =
                quat_multiply(oracle_key(s.o, 0, 1), quat_exp(vec3_scale(chord(&s, 1), k / 10.0)));
            assert_below(oracle_error(at(&s, 1, k / 10.0), expected), 1e-14, "slerp");
        }
        single_destroy(&s);
    }
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
        single s = single_create(&source, 2, PI, false, "nlerp");
        const double angle = vec3_norm(chord(&s, 0)), u = random_unit(&source);
        const quat slerp = quat_slerp(oracle_key(s.o, 0, 0), oracle_key(s.o, 0, 1), u);
        const double ratio = oracle_error(at(&s, 0, u), slerp) / (angle * angle * angle);
        tightest = fmax(tightest, ratio);
        single_destroy(&s);
    }
    printf("# nlerp differs from slerp by %.4f th^3\n", tightest);
    /* 0.0321 for small angles, 0.0367 at a half turn. */
    assert_true(tightest < 0.037 && tightest > 0.032);
}

TEST(squad_of_uniform_keys_has_shoemakes_inner_points) {
    random_source source = random_start();
    for (int n = 0; n < 300; n++) {
        single s = single_create(&source, 4, 1.2, false, "squad, unlimited");
        const quat p = oracle_key(s.o, 0, 1), q = oracle_key(s.o, 0, 2);
        const vec3 l0 = chord(&s, 0), l1 = chord(&s, 1), l2 = chord(&s, 2);
        /* s_i = q_i exp(-(log(q_i^-1 q_i+1) + log(q_i^-1 q_i-1)) / 4) */
        const quat a = quat_multiply(p, quat_exp(vec3_scale(vec3_subtract(l1, l0), -0.25)));
        const quat b = quat_multiply(q, quat_exp(vec3_scale(vec3_subtract(l2, l1), -0.25)));
        for (int k = 1; k < 10; k++) {
            const double u = k / 10.0;
            const quat expected =
                quat_slerp(quat_slerp(p, q, u), quat_slerp(a, b, u), 2.0 * u * (1.0 - u));
            assert_below(oracle_error(at(&s, 1, u), expected), 1e-13, "squad");
        }
        single_destroy(&s);
    }
}

/* The body velocity at a key on the side of segment i, by finite differences. */
static vec3 velocity_at(const single *s, size_t i, bool leaving) {
    const double h = oracle_key_time(s->o, 0, i + 1) - oracle_key_time(s->o, 0, i);
    const double d = 1e-5, sign = leaving ? 1.0 : -1.0;
    const quat key = at(s, i, leaving ? 0.0 : 1.0);
    const quat one = at(s, i, leaving ? d : 1.0 - d), two = at(s, i, leaving ? 2 * d : 1 - 2 * d);
    const vec3 l1 = quat_log(quat_multiply(quat_conjugate(key), one));
    const vec3 l2 = quat_log(quat_multiply(quat_conjugate(key), two));
    return vec3_scale(vec3_subtract(vec3_scale(l1, 4.0), l2), sign / (2.0 * d * h));
}

static vec3 slope(const single *s, ptrdiff_t i) {
    const size_t k = (size_t)i;
    return vec3_scale(chord(s, i),
                      1.0 / (oracle_key_time(s->o, 0, k + 1) - oracle_key_time(s->o, 0, k)));
}

TEST(squad_has_the_bessel_velocity_on_both_sides_of_its_keys) {
    random_source source = random_start();
    for (int n = 0; n < 100; n++) {
        single s = single_create(&source, 5, 2.0, true, "squad, unlimited");
        for (size_t i = 1; i < 4; i++) {
            const double h0 = oracle_key_time(s.o, 0, i) - oracle_key_time(s.o, 0, i - 1);
            const double h1 = oracle_key_time(s.o, 0, i + 1) - oracle_key_time(s.o, 0, i);
            const vec3 w = vec3_scale(vec3_add(vec3_scale(slope(&s, (ptrdiff_t)i - 1), h1),
                                               vec3_scale(slope(&s, (ptrdiff_t)i), h0)),
                                      1.0 / (h0 + h1));
            assert_below(vec3_norm(vec3_subtract(velocity_at(&s, i, true), w)), 1e-5, "leaving");
            assert_below(vec3_norm(vec3_subtract(velocity_at(&s, i - 1, false), w)), 1e-5,
                         "arriving");
        }
        single_destroy(&s);
    }
}

TEST(squad_has_the_users_velocity_on_both_sides_of_its_keys) {
    random_source source = random_start();
    for (int n = 0; n < 100; n++) {
        single s = single_create(&source, n % 4 == 0 ? 2 : 4, 1.5, true, "squad, user");
        for (size_t i = 0; i + 1 < s.set.tracks[0].key_count; i++) {
            const vec3 w0 = vec3_of(s.set.tracks[0].tangents[i]);
            const vec3 w1 = vec3_of(s.set.tracks[0].tangents[i + 1]);
            const vec3 v0 = velocity_at(&s, i, true), v1 = velocity_at(&s, i, false);
            /* The limiter may shorten the velocities, so only their directions are compared
             * here. */
            assert_below(vec3_norm(v0), vec3_norm(w0) + 1e-5, "limited");
            assert_below(vec3_norm(v0) * vec3_norm(w0) - vec3_dot(v0, w0), 1e-5, "leaving");
            assert_below(vec3_norm(v1) * vec3_norm(w1) - vec3_dot(v1, w1), 1e-5, "arriving");
        }
        single_destroy(&s);
    }
}

TEST(squad_has_the_requested_end_conditions) {
    random_source source = random_start();
    for (int n = 0; n < 100; n++) {
        single s = single_create(&source, 4, 0.8, true, "squad");
        const double h0 = oracle_key_time(s.o, 0, 1) - oracle_key_time(s.o, 0, 0);
        const double h1 = oracle_key_time(s.o, 0, 2) - oracle_key_time(s.o, 0, 1);
        const vec3 s0 = slope(&s, 0), s1 = slope(&s, 1);
        const vec3 w1 = vec3_scale(vec3_add(vec3_scale(s0, h1), vec3_scale(s1, h0)), 1 / (h0 + h1));
        const vec3 expected[PM_ENDS_COUNT] = {
            [PM_ENDS_CHORD] = s0,
            [PM_ENDS_NATURAL] = vec3_scale(vec3_subtract(vec3_scale(s0, 3.0), w1), 0.5),
            [PM_ENDS_PARABOLA] = vec3_add(s0, vec3_scale(vec3_subtract(s0, s1), h0 / (h0 + h1))),
            [PM_ENDS_ZERO] = {0.0, 0.0, 0.0},
        };
        for (int ends = 0; ends < PM_ENDS_COUNT; ends++) {
            oracle_destroy(s.o);
            s.desc.ends = (pm_ends)ends;
            s.desc.unlimited = true;
            s.o = oracle_create_unrounded(&s.desc);
            const vec3 got = velocity_at(&s, 0, true);
            assert_below(vec3_norm(vec3_subtract(got, expected[ends])), 1e-5, "end");
        }
        single_destroy(&s);
    }
}

TEST(limited_squad_stays_continuous_at_extreme_time_ratios) {
    random_source source = random_start();
    double worst_unlimited = 0.0;
    for (int n = 0; n < 100; n++) {
        for (int limited = 0; limited < 2; limited++) {
            random_source again = source;
            single s = single_create(&again, 5, 3.0, false, limited ? "squad" : "squad, unlimited");
            for (size_t i = 1; i < 5; i++)
                s.set.tracks[0].times[i] = s.set.tracks[0].times[i - 1] + (i % 2 ? 1.0 : 80.0);
            oracle_destroy(s.o);
            s.o = oracle_create_unrounded(&s.desc);
            for (size_t i = 1; i < 4; i++) {
                const double jump = vec3_norm(
                    vec3_subtract(velocity_at(&s, i - 1, false), velocity_at(&s, i, true)));
                if (limited)
                    assert_below(jump, 1e-5, "jump");
                else
                    worst_unlimited = fmax(worst_unlimited, jump);
            }
            single_destroy(&s);
        }
        (void)random_bits(&source);
    }
    assert_true(worst_unlimited > 0.1);
}

TEST(squad_has_no_continuous_acceleration) {
    random_source source = random_start();
    double worst = 0.0;
    for (int n = 0; n < 20; n++) {
        single s = single_create(&source, 5, 1.0, false, "squad");
        const double d = 1e-3;
        for (size_t i = 1; i < 4; i++) {
            const quat key = oracle_key(s.o, 0, (ptrdiff_t)i);
            vec3 bend[2];
            for (int side = 0; side < 2; side++) {
                const size_t segment = side ? i : i - 1;
                const quat one = at(&s, segment, side ? d : 1.0 - d);
                const quat two = at(&s, segment, side ? 2.0 * d : 1.0 - 2.0 * d);
                const vec3 l1 = quat_log(quat_multiply(quat_conjugate(key), one));
                const vec3 l2 = quat_log(quat_multiply(quat_conjugate(key), two));
                bend[side] = vec3_scale(vec3_subtract(l2, vec3_scale(l1, 2.0)), 1.0 / (d * d));
            }
            worst = fmax(worst, vec3_norm(vec3_subtract(bend[0], bend[1])));
        }
        single_destroy(&s);
    }
    assert_true(worst > 0.1);
}

/* Float32 keys a half turn apart and at rest: the inner operands are a whole turn apart, and the
 * last bit of a dot product must not determine the direction of the slerp between them. */
TEST(squad_at_rest_rotates_a_half_turn_at_constant_speed) {
    random_source source = random_start();
    for (int n = 0; n < 500; n++) {
        single s = single_create(&source, 4, 1.0, false, "squad, hold");
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
        single_destroy(&s);
    }
}

/* ---- circular --------------------------------------------------------------- */

typedef struct wide4 {
    long double c[4];
} wide4;

static wide4 widened(quat q) {
    return (wide4){{(long double)q.x, (long double)q.y, (long double)q.z, (long double)q.w}};
}

static long double wide_dot(wide4 a, wide4 b) {
    return a.c[0] * b.c[0] + a.c[1] * b.c[1] + a.c[2] * b.c[2] + a.c[3] * b.c[3];
}

static wide4 wide_sum(wide4 a, long double s, wide4 b) {
    wide4 r;
    for (int n = 0; n < 4; n++)
        r.c[n] = a.c[n] + s * b.c[n];
    return r;
}

/* The published construction in long double: centre, radius, and an angle in the circle's plane,
 * over the arc from p1 to p2 that does not contain p0. */
static quat arc_by_centre(quat p0, quat p1, quat p2, double u) {
    const wide4 o = widened(p1), b = wide_sum(widened(p0), -1.0L, o);
    const wide4 c = wide_sum(widened(p2), -1.0L, o);
    const long double bb = wide_dot(b, b), cc = wide_dot(c, c), bc = wide_dot(b, c);
    const long double d = 2.0L * (bb * cc - bc * bc);
    const long double x = cc * (bb - bc) / d, y = bb * (cc - bc) / d;
    wide4 centre = wide_sum(wide_sum(o, x, b), y, c);
    wide4 e1 = wide_sum(o, -1.0L, centre);
    const long double radius = sqrtl(wide_dot(e1, e1));
    e1 = wide_sum(e1, 1.0L / radius - 1.0L, e1);
    wide4 e2 = wide_sum(c, -wide_dot(c, e1), e1);
    const long double size = sqrtl(wide_dot(e2, e2));
    e2 = wide_sum(e2, 1.0L / size - 1.0L, e2);
    const wide4 to2 = wide_sum(widened(p2), -1.0L, centre);
    const wide4 to0 = wide_sum(widened(p0), -1.0L, centre);
    const long double two_pi = 2.0L * acosl(-1.0L);
    long double angle = atan2l(wide_dot(to2, e2), wide_dot(to2, e1));
    long double other = atan2l(wide_dot(to0, e2), wide_dot(to0, e1));
    angle += angle < 0.0L ? two_pi : 0.0L;
    other += other < 0.0L ? two_pi : 0.0L;
    if (other < angle) /* p0 is on the arc of increasing angle, so the other arc is meant */
        angle -= two_pi;
    const long double phase = angle * (long double)u;
    const wide4 r = wide_sum(wide_sum(centre, radius * cosl(phase), e1), radius * sinl(phase), e2);
    return (quat){(double)r.c[0], (double)r.c[1], (double)r.c[2], (double)r.c[3]};
}

static double corner_cosine(quat corner, quat a, quat b) {
    const quat x = quat_subtract(a, corner), y = quat_subtract(b, corner);
    return quat_dot(x, y) / (quat_norm(x) * quat_norm(y));
}

/* The condition of the guard, from angles of the triangle of keys instead of arcs. */
static bool cusp_by_angles(quat p, quat q, quat r) {
    return corner_cosine(p, q, r) < 0.0 || corner_cosine(r, p, q) < 0.0 ||
           corner_cosine(q, p, r) > cos(15.0 * PI / 180.0);
}

TEST(circular_is_a_blend_of_arcs_about_centres) {
    random_source source = random_start();
    int arcs = 0, cusps = 0;
    for (int n = 0; n < 2000; n++) {
        single s = single_create(&source, 4, 2.5, true, "circular");
        const quat p0 = oracle_key(s.o, 0, 0), p1 = oracle_key(s.o, 0, 1);
        const quat p2 = oracle_key(s.o, 0, 2), p3 = oracle_key(s.o, 0, 3);
        const bool cusp1 = cusp_by_angles(p0, p1, p2), cusp2 = cusp_by_angles(p1, p2, p3);
        for (int k = 1; k < 8; k++) {
            const double u = k / 8.0;
            const quat great = quat_slerp(p1, p2, u);
            const quat a = cusp1 ? great : arc_by_centre(p0, p1, p2, u);
            const quat b = cusp2 ? great : arc_by_centre(p3, p2, p1, 1.0 - u);
            assert_below(oracle_error(at(&s, 1, u), quat_slerp(a, b, u)), 1e-12, "circular");
            const quat first = cusp1 ? quat_slerp(p0, p1, u) : arc_by_centre(p2, p1, p0, 1.0 - u);
            assert_below(oracle_error(at(&s, 0, u), first), 1e-12, "first");
            const quat last = cusp2 ? quat_slerp(p2, p3, u) : arc_by_centre(p1, p2, p3, u);
            assert_below(oracle_error(at(&s, 2, u), last), 1e-12, "last");
        }
        arcs += !cusp1;
        cusps += cusp1;
        single_destroy(&s);
    }
    assert_true(arcs > 200 && cusps > 200);
}

TEST(guarded_circular_does_not_spin_on_a_reversal) {
    track_set set;
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
    set_destroy(&set);
}

/* ---- phased circles, vector cubics, B-spline ------------------------------------ */

/* The parabolas of the angle, which measures arcs of one great circle. */
TEST(circular_c1_about_one_axis_is_catmull_rom_of_the_angle) {
    random_source source = random_start();
    const vec3 axis = {0.48, 0.6, 0.64};
    for (int n = 0; n < 100; n++) {
        single s = single_create(&source, 6, 1.0, true, "circular-c1");
        test_track *t = &s.set.tracks[0];
        double angle = 0.0;
        for (size_t i = 0; i < 6; i++) {
            const quat q = quat_exp(vec3_scale(axis, 0.5 * angle));
            t->keys[i][0] = q.x, t->keys[i][1] = q.y, t->keys[i][2] = q.z, t->keys[i][3] = q.w;
            t->positions[i][0] = angle;
            angle += random_between(&source, 0.2, 1.4);
        }
        s.desc = variant_describe(variant_named("circular-c1"), &s.set);
        s.desc.ends = PM_ENDS_PARABOLA; /* the only arc at an end is its parabola */
        oracle_destroy(s.o);
        s.o = oracle_create_unrounded(&s.desc);
        for (size_t i = 0; i < 5; i++) {
            for (int k = 1; k < 8; k++) {
                const oracle_cursor cursor = {0, i, k / 8.0};
                const double expected = oracle_position(s.o, 0, cursor).x;
                const quat turned = quat_exp(vec3_scale(axis, 0.5 * expected));
                assert_below(oracle_error(oracle_rotation(s.o, 0, cursor), turned), 1e-12, "angle");
            }
        }
        single_destroy(&s);
    }
}

TEST(hermite_has_the_users_velocity_on_both_sides_of_its_keys) {
    random_source source = random_start();
    for (int n = 0; n < 100; n++) {
        single s = single_create(&source, n % 4 == 0 ? 2 : 4, 2.5, true, "hermite, user");
        const test_track *t = &s.set.tracks[0];
        for (size_t i = 0; i + 1 < t->key_count; i++) {
            const vec3 w0 = vec3_of(t->tangents[i]), w1 = vec3_of(t->tangents[i + 1]);
            assert_below(vec3_norm(vec3_subtract(velocity_at(&s, i, true), w0)), 1e-5, "leaving");
            assert_below(vec3_norm(vec3_subtract(velocity_at(&s, i, false), w1)), 1e-5, "arriving");
        }
        single_destroy(&s);
    }
}

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
    track_set set;
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
    set_destroy(&set);
}

/* Where no end key repeats, keys of constant velocity give a curve of constant velocity. */
TEST(bspline_has_constant_velocity_away_from_its_ends) {
    random_source source = random_start();
    for (int n = 0; n < 100; n++) {
        single s = single_create(&source, 6, 1.0, true, "bspline");
        test_track *t = &s.set.tracks[0];
        const quat first = quat_of(t->keys[0]);
        double direction[3];
        random_direction(&source, direction);
        const vec3 step = vec3_scale(vec3_of(direction), random_between(&source, 0.1, 1.3));
        for (size_t i = 1; i < 6; i++) {
            const quat q = quat_multiply(first, quat_exp(vec3_scale(step, (double)i)));
            t->keys[i][0] = q.x, t->keys[i][1] = q.y, t->keys[i][2] = q.z, t->keys[i][3] = q.w;
        }
        s.desc = variant_describe(variant_named("bspline"), &s.set);
        oracle_destroy(s.o);
        s.o = oracle_create_unrounded(&s.desc);
        for (size_t i = 1; i < 4; i++) {
            for (int k = 0; k <= 8; k++) {
                const double cursor = (double)i + k / 8.0;
                const quat expected = quat_multiply(first, quat_exp(vec3_scale(step, cursor)));
                assert_below(oracle_error(at(&s, i, k / 8.0), expected), 1e-12, "steady");
            }
        }
        /* A sixth of the first step after the key, through which the curve does not pass. */
        const quat begin = quat_multiply(first, quat_exp(vec3_scale(step, 1.0 / 6.0)));
        assert_below(oracle_error(at(&s, 0, 0.0), begin), 1e-12, "begin");
        single_destroy(&s);
    }
}

/* ---- sterp -------------------------------------------------------------------- */

TEST(sterp_moves_its_axis_along_a_great_arc) {
    random_source source = random_start();
    for (int n = 0; n < 200; n++) {
        single s = single_create(&source, 2, 3.0, false, "sterp");
        const vec3 axis = vec3_of(s.set.tracks[0].axis);
        const vec3 from = quat_rotate(at(&s, 0, 0.0), axis), to = quat_rotate(at(&s, 0, 1.0), axis);
        const double whole =
            atan2(vec3_norm(vec3_subtract(to, from)), vec3_norm(vec3_add(to, from)));
        for (int k = 1; k < 8; k++) {
            const vec3 tip = quat_rotate(at(&s, 0, k / 8.0), axis);
            const double part =
                atan2(vec3_norm(vec3_subtract(tip, from)), vec3_norm(vec3_add(tip, from)));
            const double rest =
                atan2(vec3_norm(vec3_subtract(to, tip)), vec3_norm(vec3_add(to, tip)));
            assert_below(fabs(part + rest - whole), 1e-9, "on the arc");
            assert_below(fabs(part - k / 8.0 * whole), 1e-9, "even");
        }
        single_destroy(&s);
    }
}

TEST(sterp_in_turn_swings_before_it_twists) {
    random_source source = random_start();
    for (int n = 0; n < 200; n++) {
        single s = single_create(&source, 2, 3.0, false, "sterp, in turn");
        const vec3 axis = vec3_of(s.set.tracks[0].axis);
        const quat middle = at(&s, 0, 0.5);
        const vec3 swung = quat_rotate(middle, axis), end = quat_rotate(at(&s, 0, 1.0), axis);
        assert_below(vec3_norm(vec3_subtract(swung, end)), 1e-12, "swing has ended");
        const vec3 swing = quat_log(quat_multiply(quat_conjugate(at(&s, 0, 0.0)), middle));
        assert_below(fabs(vec3_dot(swing, axis)), 1e-12, "no twist before");
        const vec3 later = quat_rotate(at(&s, 0, 0.75), axis);
        assert_below(vec3_norm(vec3_subtract(later, end)), 1e-12, "only twist after");
        single_destroy(&s);
    }
}

/* ---- times, ends, loops, vectors ----------------------------------------------- */

TEST(tracks_clamp_outside_their_keys) {
    random_source source = random_start();
    for (size_t n = 0; n < variant_count(); n++) {
        single s = single_create(&source, 4, 2.0, true, variant_at(n)->name);
        const quat before = oracle_rotation(s.o, 0, oracle_at_time(s.o, 0, -1e300));
        const quat after = oracle_rotation(s.o, 0, oracle_at_time(s.o, 0, 1e300));
        assert_true(quat_norm(quat_subtract(before, at(&s, 0, 0.0))) == 0.0);
        assert_true(quat_norm(quat_subtract(after, at(&s, 2, 1.0))) == 0.0);
        if (variant_interpolates(variant_at(n))) {
            assert_true(quat_norm(quat_subtract(before, oracle_key(s.o, 0, 0))) == 0.0);
            assert_true(quat_norm(quat_subtract(after, oracle_key(s.o, 0, 3))) == 0.0);
        }
        single_destroy(&s);
    }
}

TEST(one_key_is_constant_and_two_are_slerp) {
    random_source source = random_start();
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        single one = single_create(&source, 1, 2.0, true, v->name);
        const quat q = oracle_rotation(one.o, 0, oracle_at_time(one.o, 0, 5.0));
        assert_true(quat_norm(quat_subtract(q, oracle_key(one.o, 0, 0))) == 0.0);
        single_destroy(&one);
        single two = single_create(&source, 2, 2.0, true, v->name);
        const quat slerp = quat_slerp(oracle_key(two.o, 0, 0), oracle_key(two.o, 0, 1), 0.3);
        if ((variant_has_tangents(v) && v->tangents != PM_TANGENTS_USER) || variant_is_circular(v))
            assert_below(oracle_error(at(&two, 0, 0.3), slerp), 1e-12, v->name);
        single_destroy(&two);
    }
}

TEST(a_closing_key_gives_the_loop_without_it) {
    random_source source = random_start();
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        single open = single_create(&source, 5, 2.5, true, v->name);
        const double period = v->method == PM_METHOD_BSPLINE ? 5.0 : 7.5;
        open.set.tracks[0].period = period;
        open.desc = variant_describe(v, &open.set);
        oracle_destroy(open.o);
        open.o = oracle_create(&open.desc);
        track_set closed;
        set_create(1, false, &closed);
        closed.tracks[0] = open.set.tracks[0];
        closed.tracks[0].key_count = 6;
        closed.tracks[0].times[5] = period;
        for (int c = 0; c < 4; c++)
            closed.tracks[0].keys[5][c] = -closed.tracks[0].keys[0][c];
        pm_clip_desc desc = variant_describe(v, &closed);
        if (v->method == PM_METHOD_CUBICSPLINE) { /* only the time of a closing key is read */
            desc.rotations_in = open.desc.rotations_in;
            desc.rotations_out = open.desc.rotations_out;
        }
        oracle *o = oracle_create(&desc);
        assert_int_equal(oracle_key_count(o, 0), 5);
        for (int k = 0; k < 300; k++) {
            const double time = 0.1 * k - 10.0;
            const quat a = oracle_rotation(open.o, 0, oracle_at_time(open.o, 0, time));
            const quat b = oracle_rotation(o, 0, oracle_at_time(o, 0, time));
            assert_true(quat_norm(quat_subtract(a, b)) == 0.0);
        }
        oracle_destroy(o);
        set_destroy(&closed);
        single_destroy(&open);
    }
}

TEST(a_loop_of_a_full_turn_continues_without_a_jump) {
    track_set set;
    set_create(1, false, &set);
    for (size_t n = 0; n < adversarial_count(); n++) {
        adversarial_track(n, &set.tracks[0]);
        if (set.tracks[0].period > 0.0 && set.tracks[0].key_count == 5)
            break;
    }
    assert_string_equal(set.tracks[0].name, "loop of a full turn");
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        if (v->method == PM_METHOD_STEP || v->method == PM_METHOD_CUBICSPLINE)
            continue;
        const pm_clip_desc desc = variant_describe(v, &set);
        oracle *o = oracle_create(&desc);
        assert_true(oracle_wrap(o, 0) == -1.0);
        quat before = oracle_rotation(o, 0, oracle_at_time(o, 0, -11.0));
        double path = 0.0;
        for (int k = 1; k <= 20000; k++) {
            const quat q = oracle_rotation(o, 0, oracle_at_time(o, 0, k / 1000.0 - 11.0));
            const double jump = quat_norm(quat_subtract(q, before));
            assert_below(jump, 0.02, v->name); /* 4-D: a change of sign would give 2 */
            path += 2.0 * jump;
            before = q;
        }
        if (v->method == PM_METHOD_SLERP)
            assert_below(fabs(path - 8.0 * PI), 1e-4, "four turns");
        oracle_destroy(o);
    }
    set_destroy(&set);
}

TEST(positions_of_uniform_samples_on_uniform_keys_are_exact) {
    static double keys[1000][4];
    for (size_t i = 0; i < 1000; i++)
        keys[i][3] = 1.0;
    const pm_timeline line = {.key_count = 1000, .rate = {30000, 1001}};
    const pm_clip_desc desc = {
        .track_count = 1, .timelines = &line, .rotations = {keys, PM_FLOAT64, 0}};
    oracle *o = oracle_create(&desc);
    const pm_sample_job job = {.rate = {120, 1}, .start_after_first_key = {1, 7}, .first = 12};
    for (size_t k = 0; k < 3900; k++) {
        const oracle_cursor cursor = oracle_at_sample(o, 0, &job, k);
        const long double position =
            (1.0L / 7.0L + (long double)(12 + k) / 120.0L) * 30000.0L / 1001.0L;
        if (position >= 999.0L) {
            assert_int_equal(cursor.segment, 998);
            assert_true(cursor.u == 1.0);
        } else {
            assert_below(
                fabs((double)((long double)cursor.segment + (long double)cursor.u - position)),
                1e-7, "position");
        }
    }
    oracle_destroy(o);
}

/* Bessel tangents and parabola ends reproduce parabolas, which no other combination does. */
TEST(catmull_rom_reproduces_parabolas) {
    random_source source = random_start();
    track_set set;
    set_random(&source, 1, 6, 0.0, 1.0, true, false, &set);
    test_track *t = &set.tracks[0];
    for (size_t i = 0; i < 6; i++)
        for (int c = 0; c < 3; c++)
            t->positions[i][c] = (1.0 + c) * t->times[i] * t->times[i] - 2.0 * t->times[i] + 3.0;
    for (int ends = 0; ends < PM_ENDS_COUNT; ends++) {
        pm_clip_desc desc = variant_describe(variant_named("squad"), &set);
        desc.ends = (pm_ends)ends;
        oracle *o = oracle_create_unrounded(&desc);
        double worst = 0.0, worst_inside = 0.0;
        for (size_t k = 0; k <= 50; k++) {
            const double time = t->times[5] * (double)k / 50.0;
            const vec3 p = oracle_position(o, 0, oracle_at_time(o, 0, time));
            const double error = fabs(p.z - (3.0 * time * time - 2.0 * time + 3.0));
            worst = fmax(worst, error);
            if (time > t->times[1] && time < t->times[4])
                worst_inside = fmax(worst_inside, error);
        }
        assert_below(worst_inside, 1e-12, "inside");
        assert_true(ends == PM_ENDS_PARABOLA ? worst < 1e-12 : worst > 1e-3);
        oracle_destroy(o);
    }
    set_destroy(&set);
}

TEST(positions_of_two_keys_are_linear) {
    random_source source = random_start();
    single s = single_create(&source, 2, 1.0, true, "squad, natural");
    const vec3 a = vec3_of(s.set.tracks[0].positions[0]), b = vec3_of(s.set.tracks[0].positions[1]);
    const vec3 p = oracle_position(s.o, 0, (oracle_cursor){0, 0, 0.3});
    const vec3 expected = vec3_add(vec3_scale(a, 0.7), vec3_scale(b, 0.3));
    assert_below(vec3_norm(vec3_subtract(p, expected)), 1e-14, "linear");
    single_destroy(&s);
}

TEST(adversarial_tracks_give_unit_rotations_in_every_method) {
    for (size_t n = 0; n < adversarial_count(); n++) {
        track_set set;
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
        set_destroy(&set);
    }
}

int main(int argc, char **argv) {
    property_add_tests(hold);
    return test_main(argc, argv);
}
