/* SPDX-License-Identifier: MIT
 *
 * The oracle's rotation-vector cubics: hermite, and the spline whose velocities make the angular
 * acceleration continuous. The condition is used in its direct form: derivatives of exp(rho/2) as a
 * quaternion, the difference of accelerations at a key, and Newton's method. No equation is copied
 * from the definition, so that each checks the other.
 */
#include "oracle_private.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* sin(x)/x and cos(x) with derivatives in y = x^2, from their power series: no quotient loses
 * digits near 0. Valid for |x| up to pi. */
typedef struct circle_functions {
    double s, s1, s2; /* sin(x)/x, d/dy, d2/dy2 */
    double c;         /* cos(x); its derivatives are -s/2 and -s1/2 */
} circle_functions;

static circle_functions functions_of(double y) {
    circle_functions f = {0.0, 0.0, 0.0, 0.0};
    for (int k = 24; k >= 0; k--) { /* the last factor first */
        const double odd = -1.0 / ((2.0 * k + 2.0) * (2.0 * k + 3.0));
        const double even = -1.0 / ((2.0 * k + 1.0) * (2.0 * k + 2.0));
        /* p(y) = 1 + odd y q(y), and its derivatives by the product rule */
        const double s = k == 24 ? 1.0 : f.s, s1 = f.s1, s2 = f.s2;
        f.s = 1.0 + odd * y * s;
        f.s1 = odd * (s + y * s1);
        f.s2 = odd * (2.0 * s1 + y * s2);
        f.c = 1.0 + even * y * (k == 24 ? 1.0 : f.c);
    }
    return f;
}

/* Angular velocity and acceleration of q = exp(rho/2), as full angles in the body frame. */
typedef struct rates {
    vec3 velocity, acceleration;
} rates;

static rates rates_of(vec3 rho, vec3 rho1, vec3 rho2) {
    const vec3 a = vec3_scale(rho, 0.5), a1 = vec3_scale(rho1, 0.5), a2 = vec3_scale(rho2, 0.5);
    const double y = vec3_dot(a, a), y1 = 2.0 * vec3_dot(a, a1);
    const double y2 = 2.0 * (vec3_dot(a1, a1) + vec3_dot(a, a2));
    const circle_functions f = functions_of(y);
    const double s1 = f.s1 * y1, s2 = f.s2 * y1 * y1 + f.s1 * y2;
    const double c1 = -0.5 * f.s * y1, c2 = -0.5 * (f.s1 * y1 * y1 + f.s * y2);
    const vec3 v = vec3_scale(a, f.s), v1 = vec3_add(vec3_scale(a, s1), vec3_scale(a1, f.s));
    const vec3 v2 =
        vec3_add(vec3_add(vec3_scale(a, s2), vec3_scale(a1, 2.0 * s1)), vec3_scale(a2, f.s));
    const quat back = {-v.x, -v.y, -v.z, f.c};
    const quat d1 = quat_multiply(back, (quat){v1.x, v1.y, v1.z, c1});
    const quat d2 = quat_multiply(back, (quat){v2.x, v2.y, v2.z, c2});
    return (rates){{2.0 * d1.x, 2.0 * d1.y, 2.0 * d1.z}, {2.0 * d2.x, 2.0 * d2.y, 2.0 * d2.z}};
}

static vec3 cross(vec3 a, vec3 b) {
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The rate of rho at which exp(rho/2) has a given velocity: the velocity is linear in the rate. */
static vec3 rate_for(vec3 rho, vec3 velocity) {
    const vec3 none = {0.0, 0.0, 0.0};
    const vec3 x = rates_of(rho, (vec3){1.0, 0.0, 0.0}, none).velocity;
    const vec3 y = rates_of(rho, (vec3){0.0, 1.0, 0.0}, none).velocity;
    const vec3 z = rates_of(rho, (vec3){0.0, 0.0, 1.0}, none).velocity;
    const double volume = vec3_dot(x, cross(y, z));
    return (vec3){vec3_dot(velocity, cross(y, z)) / volume,
                  vec3_dot(velocity, cross(z, x)) / volume,
                  vec3_dot(velocity, cross(x, y)) / volume};
}

/* The cubic of a segment in powers of u. */
typedef struct cubic {
    vec3 c1, c2, c3;
} cubic;

/* From the full-angle velocities at both ends. */
static cubic cubic_of(vec3 turn, double h, vec3 leaving, vec3 arriving) {
    const vec3 m0 = vec3_scale(leaving, h), m1 = vec3_scale(rate_for(turn, arriving), h);
    const vec3 sum = vec3_add(m0, m1);
    return (cubic){m0, vec3_subtract(vec3_scale(turn, 3.0), vec3_add(m0, sum)),
                   vec3_subtract(sum, vec3_scale(turn, 2.0))};
}

static vec3 cubic_at(const cubic *c, double u) {
    vec3 value = vec3_add(c->c2, vec3_scale(c->c3, u));
    value = vec3_add(c->c1, vec3_scale(value, u));
    return vec3_scale(value, u);
}

quat hermite_inside(const oracle_track *t, ptrdiff_t i, double u) {
    const size_t next = ((size_t)i + 1) % t->key_count;
    const cubic c = cubic_of(vec3_scale(chord_log(t, i), 2.0), track_step(t, i),
                             vec3_scale(t->leaving[i], 2.0), vec3_scale(t->arriving[next], 2.0));
    return quat_multiply(track_key(t, i), quat_exp(vec3_scale(cubic_at(&c, u), 0.5)));
}

double hermite_reach(const oracle_track *t, ptrdiff_t i) {
    const size_t next = ((size_t)i + 1) % t->key_count;
    const double h = 2.0 * track_step(t, i);
    const double ends = fmax(vec3_norm(t->leaving[i]), vec3_norm(t->arriving[next]));
    return fmax(h * ends, 2.0 * vec3_norm(chord_log(t, i)));
}

/* ---- spline --------------------------------------------------------------------- */

/* Angular acceleration at one end of segment i, from the velocities at its keys. */
static vec3 acceleration(const oracle_track *t, ptrdiff_t i, bool at_end, vec3 from, vec3 to) {
    const double h = track_step(t, i);
    const vec3 turn = vec3_scale(chord_log(t, i), 2.0), none = {0.0, 0.0, 0.0};
    const cubic c = cubic_of(turn, h, from, to);
    vec3 rate = c.c1, bend = vec3_scale(c.c2, 2.0);
    if (at_end) {
        rate = vec3_add(rate, vec3_add(vec3_scale(c.c2, 2.0), vec3_scale(c.c3, 3.0)));
        bend = vec3_add(bend, vec3_scale(c.c3, 6.0));
    }
    return rates_of(at_end ? turn : none, vec3_scale(rate, 1.0 / h),
                    vec3_scale(bend, 1.0 / (h * h)))
        .acceleration;
}

/* The residual of key i, in radians: the jump of acceleration, or the end condition. */
typedef struct spline_system {
    const oracle_track *track;
    pm_ends ends;
    size_t count;
    vec3 first, last; /* velocities of ends that are given */
} spline_system;

static bool is_end(const spline_system *s, size_t i) {
    return s->track->period == 0.0 && (i == 0 || i + 1 == s->count);
}

static double time_scale(const spline_system *s, size_t i) {
    const ptrdiff_t k = (ptrdiff_t)i;
    const double before = track_has_key(s->track, k - 1) ? track_step(s->track, k - 1) : DBL_MAX;
    const double after = track_has_key(s->track, k + 1) ? track_step(s->track, k) : DBL_MAX;
    return fmin(before, after);
}

static vec3 residual(const spline_system *s, size_t i, vec3 before, vec3 at, vec3 after) {
    const ptrdiff_t k = (ptrdiff_t)i;
    const double scale = time_scale(s, i);
    if (is_end(s, i) && s->ends != PM_ENDS_NATURAL)
        return vec3_scale(vec3_subtract(at, i == 0 ? s->first : s->last), scale);
    vec3 jump = {0.0, 0.0, 0.0};
    if (track_has_key(s->track, k + 1))
        jump = acceleration(s->track, k, false, at, after);
    if (track_has_key(s->track, k - 1))
        jump = vec3_subtract(jump, acceleration(s->track, k - 1, true, before, at));
    return vec3_scale(jump, scale * scale);
}

static vec3 residual_at(const spline_system *s, const vec3 *velocities, size_t i) {
    const size_t n = s->count;
    return residual(s, i, velocities[(i + n - 1) % n], velocities[i], velocities[(i + 1) % n]);
}

static double size_of(const spline_system *s, const vec3 *velocities) {
    double sum = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        const vec3 r = residual_at(s, velocities, i);
        sum += vec3_dot(r, r);
    }
    return sqrt(sum);
}

static vec3 unit_vector(size_t c) {
    return (vec3){c == 0 ? 1.0 : 0.0, c == 1 ? 1.0 : 0.0, c == 2 ? 1.0 : 0.0};
}

/* Column by column, by central differences, which are exact for a quadratic. */
static void differentiate(const spline_system *s, const vec3 *velocities, size_t i, int which,
                          double block[9]) {
    const size_t n = s->count;
    const double step = 0.5 / time_scale(s, i);
    for (size_t c = 0; c < 3; c++) {
        vec3 r[2];
        for (int side = 0; side < 2; side++) {
            vec3 w[3] = {velocities[(i + n - 1) % n], velocities[i], velocities[(i + 1) % n]};
            w[which] = vec3_add(w[which], vec3_scale(unit_vector(c), side ? step : -step));
            r[side] = residual(s, i, w[0], w[1], w[2]);
        }
        const vec3 d = vec3_scale(vec3_subtract(r[1], r[0]), 0.5 / step);
        block[c] = d.x;
        block[3 + c] = d.y;
        block[6 + c] = d.z;
    }
}

/* Adds the Newton step or, if it is damped, the largest part of it that reduces the residual. Returns
 * the largest change in radians; negative when there is no such step. */
static double newton_step(const spline_system *s, bool damped, vec3 *velocities) {
    const size_t n = s->count;
    double *blocks = oracle_allocate(27 * n, sizeof *blocks);
    double *right = oracle_allocate(3 * n, sizeof *right);
    vec3 *tried = oracle_allocate(n, sizeof *tried);
    for (size_t i = 0; i < n; i++) {
        const vec3 r = residual_at(s, velocities, i);
        right[3 * i] = -r.x, right[3 * i + 1] = -r.y, right[3 * i + 2] = -r.z;
        for (int which = 0; which < 3; which++)
            differentiate(s, velocities, i, which, blocks + 9 * (n * (size_t)which + i));
    }
    double change = -1.0;
    if (solve_ring(n, 3, blocks, blocks + 9 * n, blocks + 18 * n, right)) {
        const double before = size_of(s, velocities);
        for (double part = 1.0; part > 1e-6 && change < 0.0; part *= 0.5) {
            double largest = 0.0;
            for (size_t i = 0; i < n; i++) {
                const vec3 step = vec3_scale(vec3_of(right + 3 * i), part);
                tried[i] = vec3_add(velocities[i], step);
                largest = fmax(largest, vec3_norm(step) * time_scale(s, i));
            }
            /* Close to the solution, rounding decides, and a full step does no harm. */
            if (!damped || size_of(s, tried) < before || largest < 1e-9)
                change = largest;
        }
    }
    for (size_t i = 0; i < n && change >= 0.0; i++)
        velocities[i] = tried[i];
    free(blocks);
    free(right);
    free(tried);
    return change;
}

/* Starts at rest, where the equations have no quadratic part: the first step solves their linear
 * part. If there are several solutions, the definition means the one nearest to that. */
static bool solve(const spline_system *s, bool damped, vec3 *velocities) {
    int close = 0;
    for (size_t i = 0; i < s->count; i++)
        velocities[i] = (vec3){0.0, 0.0, 0.0};
    for (int round = 0; round < 200 && close < 2; round++) {
        const double change = newton_step(s, damped, velocities);
        if (change < 0.0)
            return false;
        close += change < 1e-11;
    }
    return close == 2;
}

static vec3 given_end(const oracle *o, const oracle_track *t, ptrdiff_t own, ptrdiff_t next) {
    const vec3 none = {0.0, 0.0, 0.0};
    return vec3_scale(end_tangent(o->ends, chord_slope(t, own), chord_slope(t, next),
                                  track_step(t, own), track_step(t, next), none),
                      2.0);
}

void spline_prepare(const oracle *o, oracle_track *t) {
    const size_t n = t->key_count;
    const ptrdiff_t last = (ptrdiff_t)n - 2; /* last segment */
    t->leaving = oracle_allocate(n, sizeof *t->leaving);
    t->arriving = oracle_allocate(n, sizeof *t->arriving);
    if (n < 2)
        return;
    if (n == 2 && t->period == 0.0) {
        t->leaving[0] = t->arriving[1] = chord_slope(t, 0);
        return;
    }
    spline_system s = {.track = t, .ends = o->ends, .count = n};
    if (t->period == 0.0) {
        s.first = given_end(o, t, 0, 1);
        s.last = given_end(o, t, last, last - 1);
    }
    /* Damped steps can end at a minimum of the residual that is no solution: about one of six thousand
     * random tracks has one. */
    t->diverged = !solve(&s, true, t->leaving) && !solve(&s, false, t->leaving);
    for (size_t i = 0; i < n; i++)
        t->leaving[i] = t->arriving[i] = vec3_scale(t->leaving[i], 0.5);
}
