/* SPDX-License-Identifier: MIT
 *
 * The oracle's tangent rules, squad, circular blending and sterp. The only source of this file is
 * the definition of the methods; read both side by side.
 */
#include "oracle_private.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- squad ----------------------------------------------------------------- */

vec3 chord_log(const oracle_track *t, ptrdiff_t i) {
    return quat_log(quat_multiply(quat_conjugate(track_key(t, i)), track_key(t, i + 1)));
}

vec3 chord_slope(const oracle_track *t, ptrdiff_t i) {
    return vec3_scale(chord_log(t, i), 1.0 / track_step(t, i));
}

static bool repeats(const oracle_track *t, ptrdiff_t i, ptrdiff_t j) {
    const quat a = track_key(t, i), b = track_key(t, j);
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

static bool held(const oracle_track *t, ptrdiff_t i) {
    return (track_has_key(t, i - 1) && repeats(t, i - 1, i)) ||
           (track_has_key(t, i + 1) && repeats(t, i, i + 1));
}

vec3 end_tangent(pm_ends ends, vec3 own, vec3 next, double own_step, double next_step,
                 vec3 neighbour) {
    switch (ends) {
    case PM_ENDS_NATURAL:
        return vec3_scale(vec3_subtract(vec3_scale(own, 3.0), neighbour), 0.5);
    case PM_ENDS_PARABOLA:
        return vec3_add(own,
                        vec3_scale(vec3_subtract(own, next), own_step / (own_step + next_step)));
    case PM_ENDS_ZERO:
        return (vec3){0.0, 0.0, 0.0};
    case PM_ENDS_CHORD:
    default:
        return own;
    }
}

/* Velocities at a key with segments on both sides. */
static void inner_tangents(const oracle *o, oracle_track *t, size_t key) {
    const ptrdiff_t i = (ptrdiff_t)key;
    const vec3 before = chord_slope(t, i - 1), after = chord_slope(t, i);
    const double h0 = track_step(t, i - 1), h1 = track_step(t, i);
    const double a = h1 / (h0 + h1), b = h0 / (h0 + h1);
    const vec3 bessel = vec3_add(vec3_scale(before, a), vec3_scale(after, b));
    vec3 in = bessel, out = bessel;
    if (o->tangents == PM_TANGENTS_MEAN) {
        in = out = vec3_scale(vec3_add(before, after), 0.5);
    } else if (o->tangents == PM_TANGENTS_TCB) {
        const double s = 1.0 - o->tension, c = o->continuity, d = o->bias;
        out = vec3_add(vec3_scale(before, s * (1.0 + c) * (1.0 + d) * a),
                       vec3_scale(after, s * (1.0 - c) * (1.0 - d) * b));
        in = vec3_add(vec3_scale(before, s * (1.0 - c) * (1.0 + d) * a),
                      vec3_scale(after, s * (1.0 + c) * (1.0 - d) * b));
    }
    t->leaving[key] = out;
    t->arriving[key] = in;
}

static void hold_repeated_keys(oracle_track *t) {
    for (size_t i = 0; i < t->key_count; i++)
        if (held(t, (ptrdiff_t)i))
            t->leaving[i] = t->arriving[i] = (vec3){0.0, 0.0, 0.0};
}

static void outer_tangents(const oracle *o, oracle_track *t) {
    const size_t last = t->key_count - 1;
    const ptrdiff_t n = (ptrdiff_t)last;
    t->leaving[0] = t->arriving[0] =
        end_tangent(o->ends, chord_slope(t, 0), chord_slope(t, 1), track_step(t, 0),
                    track_step(t, 1), t->arriving[1]);
    t->leaving[last] = t->arriving[last] =
        end_tangent(o->ends, chord_slope(t, n - 1), chord_slope(t, n - 2), track_step(t, n - 1),
                    track_step(t, n - 2), t->leaving[last - 1]);
}

/* The largest lambda in [0, 1] with |lambda reach - log| <= pi/2. */
static double limit_of(vec3 reach, vec3 log) {
    const double a = vec3_dot(reach, reach), b = vec3_dot(reach, log);
    const double c = vec3_dot(log, log) - 0.25 * PI * PI;
    if (a == 0.0)
        return 1.0;
    const double discriminant = b * b - a * c;
    if (discriminant < 0.0)
        return 0.0;
    return fmin(1.0, fmax(0.0, (b + sqrt(discriminant)) / a));
}

static void limit_tangents(oracle_track *t) {
    for (size_t key = 0; key < t->key_count; key++) {
        const ptrdiff_t i = (ptrdiff_t)key;
        double lambda = 1.0;
        if (track_has_key(t, i + 1)) {
            lambda = fmin(lambda,
                          limit_of(vec3_scale(t->leaving[key], track_step(t, i)), chord_log(t, i)));
        }
        if (track_has_key(t, i - 1)) {
            lambda = fmin(lambda, limit_of(vec3_scale(t->arriving[key], track_step(t, i - 1)),
                                           chord_log(t, i - 1)));
        }
        t->leaving[key] = vec3_scale(t->leaving[key], lambda);
        t->arriving[key] = vec3_scale(t->arriving[key], lambda);
    }
}

void tangents_prepare(const oracle *o, oracle_track *t) {
    const size_t n = t->key_count;
    const bool loop = t->period > 0.0;
    t->leaving = oracle_allocate(n, sizeof *t->leaving);
    t->arriving = oracle_allocate(n, sizeof *t->arriving);
    if (n < 2)
        return;
    if (o->tangents == PM_TANGENTS_USER) {
        memcpy(t->leaving, t->user, n * sizeof *t->user);
        memcpy(t->arriving, t->user, n * sizeof *t->user);
        return;
    }
    if (n == 2 && !loop) {
        t->leaving[0] = t->arriving[1] = chord_slope(t, 0);
        return;
    }
    for (size_t i = loop ? 0 : 1; i < (loop ? n : n - 1); i++)
        inner_tangents(o, t, i);
    if (o->tangents == PM_TANGENTS_HOLD) {
        hold_repeated_keys(t); /* computed before the end keys, whose rules may use the neighbouring
                                * key */
    }
    if (!loop)
        outer_tangents(o, t);
    if (o->tangents == PM_TANGENTS_HOLD)
        hold_repeated_keys(t);
}

void squad_prepare(const oracle *o, oracle_track *t) {
    tangents_prepare(o, t);
    if (!o->unlimited && t->key_count > 1)
        limit_tangents(t);
}

/* The slerp of a and b. They are antipodal when keys a half turn apart are at rest; the middle of
 * the arc is then the middle of the keys, independent of the rounding of a and b. */
static quat inner_slerp(quat p, quat q, quat a, quat b, double u) {
    if (quat_norm(quat_add(a, b)) >= 1e-6)
        return quat_slerp(a, b, u);
    const quat across = quat_normalise(quat_subtract(b, a)), sum = quat_add(p, q);
    const quat middle =
        quat_normalise(quat_subtract(sum, quat_scale(across, quat_dot(across, sum))));
    const double angle = (u - 0.5) * PI;
    return quat_add(quat_scale(middle, cos(angle)), quat_scale(across, sin(angle)));
}

typedef struct squad_points {
    quat p, q; /* keys */
    quat a, b; /* inner points */
} squad_points;

static squad_points squad_points_of(const oracle_track *t, ptrdiff_t i) {
    const size_t next = ((size_t)i + 1) % t->key_count;
    const quat p = track_key(t, i), q = track_key(t, i + 1);
    const vec3 log = chord_log(t, i);
    const double h = track_step(t, i);
    const vec3 leaving = vec3_subtract(vec3_scale(t->leaving[i], h), log);
    const vec3 arriving = vec3_subtract(log, vec3_scale(t->arriving[next], h));
    return (squad_points){p, q, quat_multiply(p, quat_exp(vec3_scale(leaving, 0.5))),
                          quat_multiply(q, quat_exp(vec3_scale(arriving, 0.5)))};
}

quat squad_inside(const oracle *o, const oracle_track *t, ptrdiff_t i, double u) {
    (void)o;
    const squad_points s = squad_points_of(t, i);
    return quat_slerp(quat_slerp(s.p, s.q, u), inner_slerp(s.p, s.q, s.a, s.b, u),
                      2.0 * u * (1.0 - u));
}

/* The weights that a slerp gives to its operands, and the excess of its angle over a quarter turn,
 * in quarter turns. */
static void slerp_weights(quat a, quat b, double u, double *of_a, double *of_b, double *excess) {
    const double angle = 2.0 * atan2(quat_norm(quat_subtract(b, a)), quat_norm(quat_add(a, b)));
    const double sine = sin(angle);
    *of_a = sine > 0.0 ? sin((1.0 - u) * angle) / sine : 1.0 - u;
    *of_b = sine > 0.0 ? sin(u * angle) / sine : u;
    *excess = fmax(0.0, angle / (0.5 * PI) - 1.0);
}

/* If each operand of a slerp at an angle has an error of at most e, the result has an error of at
 * most (sin((1-u) angle) + sin(u angle)) / sin(angle) * e. The maximum is reached when both errors
 * are perpendicular to the plane of the operands: the slerp there is that weighted sum. Within the
 * plane, the result moves by a mean of the operands' errors, at most e. The error of squad is
 * therefore at most (weight of the outer points) e + (weight of the inner points) (sum of the inner
 * slerp's weights) e, and operands that are nearly antipodal magnify by the inverse of their
 * distance from antipodal. For the slerp of the keys, whose angle is at most a quarter turn, the
 * sum is below sqrt 2, which the bound of all methods already includes. That bound also includes
 * the cost of rounding the angle of a slerp up to a quarter turn; beyond it, that cost grows with
 * the angle. This is a first-order estimate: it ends where the operands are within e of antipodal.
 * The bound there is above a whole turn and asserts nothing. */
double squad_condition(const oracle_track *t, ptrdiff_t i, double u) {
    const squad_points s = squad_points_of(t, i);
    double outer, inner, of_a, of_b, wide, wide_inner;
    slerp_weights(s.a, s.b, u, &of_a, &of_b, &wide_inner);
    slerp_weights(quat_slerp(s.p, s.q, u), inner_slerp(s.p, s.q, s.a, s.b, u), 2.0 * u * (1.0 - u),
                  &outer, &inner, &wide);
    return fmax(1.0, outer + inner * (of_a + of_b + wide_inner)) + wide;
}

/* ---- circular ---------------------------------------------------------------- */

/* The angle at one corner of a triangle. */
static double corner(quat at, quat to, quat other) {
    const quat a = quat_subtract(to, at), b = quat_subtract(other, at);
    /* |a| b - |b| a and their sum: sine and cosine of the half angle, without acos. */
    const quat sa = quat_scale(a, quat_norm(b)), sb = quat_scale(b, quat_norm(a));
    return 2.0 * atan2(quat_norm(quat_subtract(sa, sb)), quat_norm(quat_add(sa, sb)));
}

static bool is_cusp(const oracle_track *t, ptrdiff_t i) {
    if (repeats(t, i - 1, i) || repeats(t, i, i + 1))
        return true;
    const quat p = track_key(t, i - 1), q = track_key(t, i), r = track_key(t, i + 1);
    /* The inscribed angle over an arc is the angle at the third point and equals half of the
     * arc. */
    const bool arc_before = quat_dot(quat_subtract(p, r), quat_subtract(q, r)) < 0.0;
    const bool arc_after = quat_dot(quat_subtract(q, p), quat_subtract(r, p)) < 0.0;
    return arc_before || arc_after || corner(q, p, r) < 15.0 * PI / 180.0;
}

void circular_prepare(oracle_track *t) {
    t->cusp = oracle_allocate(t->key_count, sizeof *t->cusp);
    for (size_t i = 0; i < t->key_count; i++) {
        const ptrdiff_t k = (ptrdiff_t)i;
        if (t->key_count > 1 && track_has_key(t, k - 1) && track_has_key(t, k + 1))
            t->cusp[i] = is_cusp(t, k);
    }
}

/* The arc from p1 to p2 that does not contain p0. */
static quat arc(quat p0, quat p1, quat p2, double h) {
    const circle_arc made = arc_through(p0, p1, p2);
    return arc_at(&made, h);
}

quat circular_inside(const oracle_track *t, ptrdiff_t i, double u) {
    const bool first = track_has_key(t, i - 1), second = track_has_key(t, i + 2);
    const quat p = track_key(t, i), q = track_key(t, i + 1);
    const size_t next = ((size_t)i + 1) % t->key_count;
    quat a = quat_slerp(p, q, u), b = a;
    if (first && !t->cusp[i])
        a = arc(track_key(t, i - 1), p, q, u);
    if (second && !t->cusp[next])
        b = arc(track_key(t, i + 2), q, p, 1.0 - u);
    if (first && second)
        return quat_slerp(a, b, u);
    return first ? a : b;
}

/* ---- sterp -------------------------------------------------------------------- */

static double window(double u, double begin, double end) {
    return fmin(1.0, fmax(0.0, (u - begin) / (end - begin)));
}

quat sterp_inside(const oracle *o, const oracle_track *t, ptrdiff_t i, double u) {
    const quat q = track_key(t, i);
    const quat delta = quat_multiply(quat_conjugate(q), track_key(t, i + 1));
    const vec3 l = o->frame == PM_AXIS_PARENT ? quat_rotate(quat_conjugate(q), t->axis) : t->axis;
    const double p = delta.x * l.x + delta.y * l.y + delta.z * l.z;
    const double size = hypot(p, delta.w);
    quat twist = {0.0, 0.0, 0.0, 1.0};
    if (size >= 1e-6)
        twist = (quat){p * l.x / size, p * l.y / size, p * l.z / size, delta.w / size};
    quat swing = quat_multiply(delta, quat_conjugate(twist));
    if (twist.w < 0.0 || (twist.w == 0.0 && p < 0.0))
        twist = quat_scale(twist, -1.0);
    if (swing.w < 0.0)
        swing = quat_scale(swing, -1.0);
    const double ts = window(u, t->windows.swing_begin, t->windows.swing_end);
    const double tt = window(u, t->windows.twist_begin, t->windows.twist_end);
    return quat_multiply(quat_multiply(q, quat_power(swing, ts)), quat_power(twist, tt));
}
