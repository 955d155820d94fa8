/* SPDX-License-Identifier: MIT
 *
 * The C2 spline of rotations: velocities at the keys such that angular acceleration is
 * continuous. In the rows of pm_spline_rows.h, J is the right Jacobian of the step before the
 * key, A the inverse right Jacobian of the step after the key, and N the contribution of the
 * Jacobian's own change along the arriving segment. N is quadratic in W1: Newton's iteration
 * adds its slope to the diagonal. A lane that has converged stays unchanged, so that its result
 * does not depend on its neighbours.
 *
 * Rates depend on far keys ever less: by a factor of 0.27 a key where keys are uniform and steps small.
 * Long tracks are solved in ranges that fit the cache, with more keys on both sides, behind which rates
 * are guessed. Where what a guess contributes is not bounded below the rounding of results, the lane must be
 * solved as a whole.
 */
#ifndef PM_SPLINE_RATES_H
#define PM_SPLINE_RATES_H

#include "pm_rotation_vector.h"
#include "pm_spline_rows.h"

/* A 3x3 matrix in lanes, stored as columns. */
typedef struct dmat3 {
    dvec3 x, y, z;
} dmat3;

pm_fn dmat3 dmat3_diagonal(double value) {
    const dreal d = dreal_of(value), none = dreal_of(0);
    return (dmat3){{d, none, none}, {none, d, none}, {none, none, d}};
}

/* s I + t [v]x + u v v^T */
pm_fn dmat3 dmat3_of(dvec3 v, dreal s, dreal t, dreal u) {
    dvec3 scaled = dvec3_scaled(v, u), turned = dvec3_scaled(v, t);
    dreal xy = scaled.x * v.y, xz = scaled.x * v.z, yz = scaled.y * v.z;
    return (dmat3){{s + scaled.x * v.x, xy + turned.z, xz - turned.y},
                   {xy - turned.z, s + scaled.y * v.y, yz + turned.x},
                   {xz + turned.y, yz - turned.x, s + scaled.z * v.z}};
}

/* m += a b^T */
pm_fn void dmat3_add_outer(dmat3 *m, dvec3 a, dvec3 b) {
    m->x = dvec3_sum(m->x, dvec3_scaled(a, b.x));
    m->y = dvec3_sum(m->y, dvec3_scaled(a, b.y));
    m->z = dvec3_sum(m->z, dvec3_scaled(a, b.z));
}

/* m += [v]x */
pm_fn void dmat3_add_cross(dmat3 *m, dvec3 v) {
    m->x.y += v.z;
    m->x.z -= v.y;
    m->y.x -= v.z;
    m->y.z += v.x;
    m->z.x += v.y;
    m->z.y -= v.x;
}

/* m += factor a */
pm_fn void dmat3_add(dmat3 *m, double factor, const dmat3 *a) {
    m->x = dvec3_sum(m->x, dvec3_times(a->x, factor));
    m->y = dvec3_sum(m->y, dvec3_times(a->y, factor));
    m->z = dvec3_sum(m->z, dvec3_times(a->z, factor));
}

/* The largest sum of the absolute values of a row. */
pm_fn dreal dmat3_norm(const dmat3 *m) {
    dreal x = dreal_abs(m->x.x) + dreal_abs(m->y.x) + dreal_abs(m->z.x);
    dreal y = dreal_abs(m->x.y) + dreal_abs(m->y.y) + dreal_abs(m->z.y);
    dreal z = dreal_abs(m->x.z) + dreal_abs(m->y.z) + dreal_abs(m->z.z);
    return dreal_max(x, dreal_max(y, z));
}

pm_fn dmat3 dmat3_scaled(dmat3 m, double factor) {
    return (dmat3){dvec3_times(m.x, factor), dvec3_times(m.y, factor), dvec3_times(m.z, factor)};
}

pm_fn dvec3 dmat3_times(const dmat3 *m, dvec3 v) {
    return (dvec3){m->x.x * v.x + m->y.x * v.y + m->z.x * v.z,
                   m->x.y * v.x + m->y.y * v.y + m->z.y * v.z,
                   m->x.z * v.x + m->y.z * v.y + m->z.z * v.z};
}

pm_fn dmat3 dmat3_product(const dmat3 *a, const dmat3 *b) {
    return (dmat3){dmat3_times(a, b->x), dmat3_times(a, b->y), dmat3_times(a, b->z)};
}

/* By cofactors, without pivots, because pivots would differ from lane to lane. */
pm_fn dmat3 dmat3_inverse(const dmat3 *m) {
    dvec3 yz = dvec3_cross(m->y, m->z);
    dvec3 zx = dvec3_cross(m->z, m->x);
    dvec3 xy = dvec3_cross(m->x, m->y);
    dreal scale = 1 / dvec3_dot(m->x, yz);
    yz = dvec3_scaled(yz, scale);
    zx = dvec3_scaled(zx, scale);
    xy = dvec3_scaled(xy, scale);
    return (dmat3){{yz.x, zx.x, xy.x}, {yz.y, zx.y, xy.y}, {yz.z, zx.z, xy.z}};
}

#define PM_SPLINE_ROUNDS 60

/* Of a residual in radians: the Jacobian's rate times the segment's length squared. */
#define PM_SPLINE_TOLERANCE 1e-9

/* A segment's step and the factors of its Jacobians. */
typedef struct pm_spline_step {
    dvec3 rho;
    dreal a, b, k, a_slope, b_slope;
} pm_spline_step;

/* A row after its elimination: the key's rate is right - upper (the next rate), and in a closed loop
 * + last (the last key's rate). */
typedef struct pm_spline_solved {
    dvec3 right;
    dmat3 upper;
} pm_spline_solved;

/* The equations of neighbouring keys: those of a range and around it, or of the whole track. */
typedef struct pm_spline {
    ptrdiff_t first;       /* key; in a loop, that and later ones may lie beyond an end */
    size_t count;          /* keys */
    bool closed;           /* a loop as a whole */
    size_t core, core_end; /* of these keys: the range */
    bool guessed_before, guessed_behind; /* there are more keys */
    pm_global pm_spline_step *steps;
    pm_global pm_spline_row *rows;
    pm_global pm_spline_solved *solved;
    pm_global dvec3 *rates; /* W */
    pm_global dmat3 *last;  /* of a closed loop */
    dmask active;           /* lanes that have not converged */
    bool rates_are_0;
    dreal before, behind; /* bounds of what the guesses contribute to the rates of the range */
} pm_spline;

/* Bytes of memory for a key. */
#define PM_SPLINE_BYTES(closed)                                                                    \
    (sizeof(pm_spline_step) + sizeof(pm_spline_row) + sizeof(pm_spline_solved) + sizeof(dvec3) +   \
     ((closed) ? sizeof(dmat3) : 0))

/* The keys that the rates of a range depend on: all, where the range is the whole track. */
pm_fn pm_spline pm_spline_around(size_t key_count, bool loop, size_t from, size_t end) {
    const bool whole = from == 0 && end == key_count;
    const ptrdiff_t last = (ptrdiff_t)key_count - 1;
    ptrdiff_t first = whole ? 0 : (ptrdiff_t)from - PM_HALO;
    ptrdiff_t behind = whole ? last : (ptrdiff_t)end - 1 + PM_HALO;
    if (!loop) {
        first = first > 0 ? first : 0;
        behind = behind < last ? behind : last;
    }
    pm_spline e;
    e.first = first;
    e.count = (size_t)(behind - first) + 1;
    e.closed = whole && loop;
    e.core = (size_t)((ptrdiff_t)from - first);
    e.core_end = e.core + (end - from);
    e.guessed_before = !whole && (loop || first > 0);
    e.guessed_behind = !whole && (loop || behind < last);
    return e;
}

/* Gives the equations memory of PM_SPLINE_BYTES for each of their keys. */
pm_fn void pm_spline_place(pm_spline *e, pm_global void *memory) {
    e->steps = (pm_global pm_spline_step *)memory;
    e->rows = (pm_global pm_spline_row *)(e->steps + e->count);
    e->solved = (pm_global pm_spline_solved *)(e->rows + e->count);
    e->rates = (pm_global dvec3 *)(e->solved + e->count);
    e->last = (pm_global dmat3 *)(e->rates + e->count);
}

pm_fn void pm_spline_set_step(const pm_spline *e, size_t k, dvec3 log) {
    const dvec3 rho = dvec3_times(log, 2);
    const dreal x2 = dvec3_dot(rho, rho);
    e->steps[k] = (pm_spline_step){rho,         pm_jr_a(x2),       pm_jr_b(x2),
                                   pm_jr_k(x2), pm_jr_a_slope(x2), pm_jr_b_slope(x2)};
}

/* Of key i of the track, which is key k of the equations. */
pm_fn void pm_spline_set_row(const pm_spline *e, size_t k, const pm_window *w, ptrdiff_t i) {
    const bool guessed = (e->guessed_before && k == 0) || (e->guessed_behind && k + 1 == e->count);
    if (guessed)
        e->rows[k] = pm_rate_row(dvec3_times(pm_tangent_of(w, i, PM_RULE_BESSEL, true).in, 2));
    else
        e->rows[k] = pm_spline_row_of(w, i, true);
}

/* I - a [rho]x + b [rho]x^2 */
pm_fn dmat3 pm_spline_jacobian(const pm_spline_step *s) {
    return dmat3_of(s->rho, 1 - s->b * dvec3_dot(s->rho, s->rho), -s->a, s->b);
}

/* I + [rho]x/2 + k [rho]x^2 */
pm_fn dmat3 pm_spline_inverse_jacobian(const pm_spline_step *s) {
    return dmat3_of(s->rho, 1 - s->k * dvec3_dot(s->rho, s->rho), dreal_of(0.5), s->k);
}

/* (d/dt Jr) v, where rho changes at the rate v: the contribution of the Jacobian's change to
 * angular acceleration. */
pm_fn dvec3 pm_jacobian_rate(const pm_spline_step *s, dvec3 v) {
    dreal along = dvec3_dot(s->rho, v);
    dvec3 once = dvec3_cross(s->rho, v);
    dvec3 twice = dvec3_cross(s->rho, once);
    dvec3 scaled = dvec3_difference(dvec3_scaled(twice, s->b_slope * along),
                                    dvec3_scaled(once, s->a_slope * along));
    return dvec3_sum(scaled, dvec3_scaled(dvec3_cross(v, once), s->b));
}

/* The derivative of pm_jacobian_rate by v. */
pm_fn dmat3 pm_jacobian_rate_slope(const pm_spline_step *s, dvec3 v) {
    dreal along = dvec3_dot(s->rho, v);
    dvec3 once = dvec3_cross(s->rho, v);
    dvec3 twice = dvec3_cross(s->rho, once);
    dvec3 w = dvec3_difference(dvec3_scaled(twice, s->b_slope), dvec3_scaled(once, s->a_slope));
    dreal square = s->b_slope * along;
    dmat3 m = dmat3_of(s->rho, -square * dvec3_dot(s->rho, s->rho) - s->b * along,
                       -s->a_slope * along, square);
    dmat3_add_outer(&m, w, s->rho);
    dmat3_add_outer(&m, s->rho, dvec3_scaled(v, s->b));
    dmat3_add_cross(&m, dvec3_scaled(once, -s->b));
    return m;
}

pm_fn pm_spline_step pm_step_before(const pm_spline *e, size_t k) {
    return e->steps[(k ? k : e->count) - 1];
}

/* The lower and upper elements of a row. */
pm_fn dmat3 pm_spline_lower(const pm_spline *e, size_t k, const pm_spline_row *row) {
    const pm_spline_step before = pm_step_before(e, k);
    return dmat3_scaled(pm_spline_jacobian(&before), row->by.lower);
}

pm_fn dmat3 pm_spline_upper(const pm_spline *e, size_t k, const pm_spline_row *row) {
    const pm_spline_step after = e->steps[k];
    return dmat3_scaled(pm_spline_inverse_jacobian(&after), row->by.upper);
}

/* A row linearised for an iteration of Newton's method: near the current rate W,
 * N(W') = N'(W) W' - N(W), because N is a quadratic form. */
pm_fn void pm_spline_linearise(const pm_spline *e, size_t k, const pm_spline_row *row,
                               dmat3 *diagonal, dvec3 *right) {
    *diagonal = dmat3_diagonal(row->by.diagonal);
    *right = row->right;
    if (row->by.quadratic == 0 || e->rates_are_0)
        return;
    const pm_spline_step s = pm_step_before(e, k);
    dmat3 a = pm_spline_inverse_jacobian(&s);
    dvec3 v = dmat3_times(&a, e->rates[k]);
    dmat3 slope = pm_jacobian_rate_slope(&s, v);
    slope = dmat3_product(&slope, &a);
    dmat3_add(diagonal, row->by.quadratic, &slope);
    *right = dvec3_sum(*right, dvec3_times(pm_jacobian_rate(&s, v), row->by.quadratic));
}

/* Eliminates the lower element of key k's row, of `count`, with the row of the key before. Multiplies *before
 * by a bound of what the rate before contributes, up to the range. */
pm_fn void pm_spline_eliminate(const pm_spline *e, size_t k, size_t count, dreal *before) {
    const pm_spline_row row = e->rows[k];
    dmat3 diagonal, upper = dmat3_diagonal(0), lower = upper;
    dvec3 right;
    pm_spline_linearise(e, k, &row, &diagonal, &right);
    if (row.by.upper != 0)
        upper = pm_spline_upper(e, k, &row);
    if (row.by.lower != 0)
        lower = pm_spline_lower(e, k, &row);
    if (k > 0) {
        const pm_spline_solved near = e->solved[k - 1];
        dmat3 product = dmat3_product(&lower, &near.upper);
        dmat3_add(&diagonal, -1, &product);
        right = dvec3_difference(right, dmat3_times(&lower, near.right));
    }
    dmat3 inverse = dmat3_inverse(&diagonal);
    e->solved[k].right = dmat3_times(&inverse, right);
    e->solved[k].upper = dmat3_product(&inverse, &upper);
    if (k > 0 && k <= e->core)
        *before *= dmat3_norm(&inverse) * dmat3_norm(&lower);
    if (!e->closed)
        return;
    dmat3 last = lower;
    if (k > 0) {
        const dmat3 near = e->last[k - 1];
        last = dmat3_product(&lower, &near);
    }
    if (k + 1 == count)
        dmat3_add(&last, 1, &upper);
    last = dmat3_product(&inverse, &last);
    e->last[k] = dmat3_scaled(last, -1);
}

/* Back substitution: a key's rate from the next key's rate. The rows after k are already done. */
pm_fn void pm_spline_substitute(const pm_spline *e, size_t k) {
    const dmat3 upper = e->solved[k].upper;
    e->solved[k].right =
        dvec3_difference(e->solved[k].right, dmat3_times(&upper, e->solved[k + 1].right));
    if (e->closed) {
        const dmat3 next = e->last[k + 1];
        dmat3 own = e->last[k], product = dmat3_product(&upper, &next);
        dmat3_add(&own, -1, &product);
        e->last[k] = own;
    }
}

/* Solves the last key of a loop from its own row, then the other keys from its rate. */
pm_fn void pm_spline_close_loop(const pm_spline *e, size_t last) {
    const pm_spline_row row = e->rows[last];
    const dmat3 before = e->last[last - 1], after = e->last[0];
    dmat3 diagonal;
    dvec3 right;
    pm_spline_linearise(e, last, &row, &diagonal, &right);
    dmat3 lower = pm_spline_lower(e, last, &row), upper = pm_spline_upper(e, last, &row);
    dmat3 below = dmat3_product(&lower, &before), above = dmat3_product(&upper, &after);
    dmat3_add(&diagonal, 1, &below);
    dmat3_add(&diagonal, 1, &above);
    right = dvec3_difference(right, dmat3_times(&lower, e->solved[last - 1].right));
    right = dvec3_difference(right, dmat3_times(&upper, e->solved[0].right));
    dmat3 inverse = dmat3_inverse(&diagonal);
    right = dmat3_times(&inverse, right);
    e->solved[last].right = right;
    for (size_t k = 0; k < last; k++) {
        const dmat3 by = e->last[k];
        e->solved[k].right = dvec3_sum(e->solved[k].right, dmat3_times(&by, right));
    }
}

/* Whether the residual of Newton's step, N of the change in rates in the row's own scale, is within
 * the tolerance. */
pm_fn dmask pm_spline_is_converged(const pm_spline *e, size_t k, dvec3 change) {
    if (e->rows[k].by.quadratic == 0)
        return ~dmask_none();
    const pm_spline_step s = pm_step_before(e, k);
    const double h = e->rows[k].length;
    dmat3 a = pm_spline_inverse_jacobian(&s);
    dvec3 residual = dvec3_times(pm_jacobian_rate(&s, dmat3_times(&a, change)), h * h);
    return dmask_of(dvec3_dot(residual, residual) <=
                    dreal_of(PM_SPLINE_TOLERANCE * PM_SPLINE_TOLERANCE));
}

pm_fn void pm_spline_update(pm_spline *e) {
    dmask converged = ~dmask_none();
    for (size_t k = 0; k < e->count; k++) {
        const dvec3 rate = e->solved[k].right, old = e->rates[k];
        converged &= pm_spline_is_converged(e, k, dvec3_difference(rate, old));
        e->rates[k] = dvec3_select(e->active, rate, old);
    }
    e->active &= ~converged;
}

/* A bound of what the rate behind contributes to the last rate of the range. */
pm_fn dreal pm_spline_from_behind(const pm_spline *e) {
    dreal influence = dreal_of(1);
    for (size_t k = e->core_end - 1; k + 1 < e->count; k++) {
        const dmat3 upper = e->solved[k].upper;
        influence *= dmat3_norm(&upper);
    }
    return influence;
}

/* Finds the rates of the active lanes, starting from 0, from steps and rows. Lanes that do not converge stay
 * active. */
pm_fn void pm_spline_solve(pm_spline *e) {
    const size_t count = e->closed ? e->count - 1 : e->count;
    for (size_t k = 0; k < e->count; k++)
        e->rates[k] = dvec3_none();
    e->before = e->behind = dreal_of(1);
    for (int i = 0; i < PM_SPLINE_ROUNDS && dmask_any(e->active); i++) {
        dreal before = dreal_of(1);
        e->rates_are_0 = i == 0;
        for (size_t k = 0; k < count; k++)
            pm_spline_eliminate(e, k, count, &before);
        e->before = dreal_select(e->active, before, e->before);
        e->behind = dreal_select(e->active, pm_spline_from_behind(e), e->behind);
        for (size_t k = count - 1; k-- > 0;)
            pm_spline_substitute(e, k);
        if (e->closed)
            pm_spline_close_loop(e, count);
        pm_spline_update(e);
    }
}

/* The lanes whose range has no rates, or depends on what is guessed. */
pm_fn dmask pm_spline_left(const pm_spline *e) {
    const dreal negligible = dreal_of(1e-12);
    dmask good = ~e->active;
    if (e->guessed_before)
        good &= dmask_of(e->before <= negligible);
    if (e->guessed_behind)
        good &= dmask_of(e->behind <= negligible);
    return ~good;
}

#endif
