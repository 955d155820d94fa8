/* SPDX-License-Identifier: MIT
 *
 * Bounds of how the curves of methods move, and of what computed values are off by, against the oracle.
 */
#include "motion/reduce/segment.h"

#include "oracle/oracle.h"
#include "oracle/random_tracks.h"
#include "support/motion.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { KEYS = 12, TIMES = 200 };

static const pm_method methods[] = {PM_METHOD_SLERP, PM_METHOD_SQUAD, PM_METHOD_HERMITE,
                                    PM_METHOD_SPLINE};

/* Turns from key to key, of which some are small, equal or near half a turn, at times far and near. */
static void draw(random_source *random, double *times, double (*keys)[4]) {
    const double most = exp(random_between(random, -5, 1.1)), ratio = random_between(random, 0, 3);
    quat q = {0, 0, 0, 1};
    double time = 0;
    for (size_t k = 0; k < KEYS; k++) {
        const double numbers[4] = {q.x, q.y, q.z, q.w}, sign = random_unit(random) < 0.2 ? -1 : 1;
        double axis[3];
        for (int i = 0; i < 4; i++)
            keys[k][i] = sign * numbers[i];
        times[k] = time;
        time += exp(random_between(random, -ratio, ratio));
        random_direction(random, axis);
        const double angle = random_unit(random) < 0.1 ? 0 : random_between(random, 0, most);
        q = quat_normalise(
            quat_multiply(q, quat_exp(vec3_scale(vec3_of(axis), fmin(angle, 3.1) / 2))));
    }
}

static quat at(const oracle *o, size_t index, double u) {
    return oracle_rotation(o, 0, (oracle_cursor){.segment = index, .u = u});
}

/* The acceleration along the sphere: the second difference without its part along the point. */
static double acceleration(quat before, quat here, quat after, double step) {
    const quat second = quat_scale(
        quat_add(quat_subtract(before, here), quat_subtract(after, here)), 1 / step / step);
    return quat_norm(quat_subtract(second, quat_scale(here, quat_dot(second, here))));
}

static void expect_motion(const oracle *o, const method_curve *c, const double *times, size_t s) {
    const double h = times[s + 1] - times[s], step = 1e-4;
    const double rate = c->parts[s].most.rate * h, change = c->parts[s].most.change * h * h;
    for (size_t i = 0; i < TIMES; i++) {
        /* At the ends are the keys themselves, as they are stored. */
        const double u = 2 * step + (1 - 4 * step) * (double)i / (TIMES - 1);
        const quat before = at(o, s, u - step), here = at(o, s, u), after = at(o, s, u + step);
        const double moves = quat_norm(quat_subtract(after, before)) / (2 * step);
        const double pushes = acceleration(before, here, after, step);
        const double time = times[s] + u * h;
        float value[1][4];
        double p[4];
        expect_success(method_curve_sample(c, &time, 1, value, new_error()));
        method_curve_unit(value[0], p);
        const double off = oracle_error(quat_of(p), at(o, s, (time - times[s]) / h)) / 2;
        if (!(moves <= rate * (1 + 1e-9)) || !(pushes <= change * (1 + 1e-4) + 1e-6) ||
            !(off <= c->parts[s].rounding))
            fail_msg("segment %zu at %g: %g of %g, %g of %g; off by %g of %g", s, u, moves, rate,
                     pushes, change, off, c->parts[s].rounding);
    }
}

TEST(segments_move_within_their_bounds) {
    random_source random = random_salted(1);
    for (size_t i = 0; i < 300; i++) {
        double times[KEYS], keys[KEYS][4];
        method_curve c;
        draw(&random, times, keys);
        const pm_timeline timeline = {.key_count = KEYS, .times = times};
        const pm_clip_desc desc = {.track_count = 1,
                                   .timelines = &timeline,
                                   .rotations = {.data = keys, .type = PM_FLOAT64},
                                   .method = methods[i % COUNT_OF(methods)]};
        const pm_status status =
            method_curve_make(&c, desc.method, times, (const double(*)[4])keys, KEYS, new_error());
        if (status == PM_ERROR_KEY) /* beyond reason, or a spline that does not converge */
            continue;
        expect_success(status);
        oracle *o = oracle_create(&desc);
        for (size_t s = 0; s + 1 < KEYS; s++)
            expect_motion(o, &c, times, s);
        oracle_destroy(o);
        method_curve_release(&c);
    }
}

static void draw_swing(double *times, double (*keys)[4]) {
    for (size_t k = 0; k < KEYS; k++) {
        const double half = 0.2 * sin(0.5 * (double)k);
        const double key[4] = {sin(half) * cos(0.1 * (double)k), sin(half) * sin(0.1 * (double)k),
                               0, cos(half)};
        times[k] = (double)k;
        memcpy(keys[k], key, sizeof key);
    }
}

/* Keys of what turns smoothly: a bound that is far above would cost halvings. */
TEST(bounds_are_near_what_a_smooth_turn_does) {
    double times[KEYS], keys[KEYS][4];
    draw_swing(times, keys);
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        const pm_timeline timeline = {.key_count = KEYS, .times = times};
        const pm_clip_desc desc = {.track_count = 1,
                                   .timelines = &timeline,
                                   .rotations = {.data = keys, .type = PM_FLOAT64},
                                   .method = methods[i]};
        SCOPED(method_curve_release) method_curve c;
        oracle *o = oracle_create(&desc);
        expect_success(
            method_curve_make(&c, methods[i], times, (const double(*)[4])keys, KEYS, new_error()));
        for (size_t s = 0; s + 1 < KEYS; s++) {
            double most = 0;
            for (size_t n = 1; n < TIMES; n++) {
                const double u = (double)n / TIMES, step = 1e-4;
                most = fmax(
                    most, acceleration(at(o, s, u - step), at(o, s, u), at(o, s, u + step), step));
            }
            assert_true(c.parts[s].most.change <= 2 * most + 1e-2);
        }
        oracle_destroy(o);
    }
}

/* What was found before is at the limit but for less than the rounding of a curve: the limit is to be decided
 * by each curve itself. */
TEST(a_bound_is_made_precise_until_it_is_below_the_limit) {
    double times[KEYS], keys[KEYS][4];
    draw_swing(times, keys);
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        method_curve c;
        if (methods[i] ==
            PM_METHOD_SLERP) /* is the arc itself: its bound has nothing but the rounding */
            continue;
        expect_success(
            method_curve_make(&c, methods[i], times, (const double(*)[4])keys, KEYS, new_error()));
        for (size_t s = 0; s + 1 < KEYS; s++) {
            const segment a = {SEGMENT_ARC, .arc = arc_between(keys[s], keys[s + 1], times[s], 1)};
            const segment b = {SEGMENT_CURVE, .curve = {&c, s}};
            const double whole = segments_bound(0, 1, segment_turning(&a, times[s], times[s] + 1),
                                                c.parts[s].most, c.parts[s].rounding);
            arc_extent extent = {.found = whole * 0.999 * (1 - 1e-7), .limit = whole * 0.999};
            segments_extend(&extent, &a, &b, times[s], times[s + 1]);
            assert_true(extent.bound > 0 && extent.bound <= extent.limit);
        }
        method_curve_release(&c);
    }
}
