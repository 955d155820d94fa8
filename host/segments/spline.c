/* SPDX-License-Identifier: MIT
 *
 * The C2 spline of rotations: velocities at the keys such that angular acceleration is
 * continuous. In the rows of spline_equations.h, J is the right Jacobian of the step before the
 * key, A the inverse right Jacobian of the step after the key, and N the contribution of the
 * Jacobian's own change along the arriving segment. N is quadratic in W1: Newton's iteration
 * adds its slope to the diagonal. A lane that has converged stays unchanged, so that its result
 * does not depend on its neighbours.
 *
 * Rates depend on far keys ever less: by a factor of 0.27 a key where keys are uniform and steps small.
 * Long tracks are solved in ranges that fit the cache, with more keys on both sides, behind which rates
 * are guessed. Where what a guess contributes is not bounded below the rounding of results, the lane is
 * solved as a whole.
 */
#include "spline_equations.h"

#include <string.h>

#include "kernels/pm_rotation_vector.h"

/* A 3x3 matrix in lanes, stored as columns. */
typedef struct dmat3 {
    dvec3 x, y, z;
} dmat3;

static inline dmat3 dmat3_diagonal(double value) {
    dreal d = dreal_of(value), none = {0};
    return (dmat3){{d, none, none}, {none, d, none}, {none, none, d}};
}

/* s I + t [v]x + u v v^T */
static inline dmat3 dmat3_of(dvec3 v, dreal s, dreal t, dreal u) {
    dvec3 scaled = dvec3_scaled(v, u), turned = dvec3_scaled(v, t);
    dreal xy = scaled.x * v.y, xz = scaled.x * v.z, yz = scaled.y * v.z;
    return (dmat3){{s + scaled.x * v.x, xy + turned.z, xz - turned.y},
                   {xy - turned.z, s + scaled.y * v.y, yz + turned.x},
                   {xz + turned.y, yz - turned.x, s + scaled.z * v.z}};
}

/* m += a b^T */
static inline void dmat3_add_outer(dmat3 *m, dvec3 a, dvec3 b) {
    m->x = dvec3_sum(m->x, dvec3_scaled(a, b.x));
    m->y = dvec3_sum(m->y, dvec3_scaled(a, b.y));
    m->z = dvec3_sum(m->z, dvec3_scaled(a, b.z));
}

/* m += [v]x */
static inline void dmat3_add_cross(dmat3 *m, dvec3 v) {
    m->x.y += v.z;
    m->x.z -= v.y;
    m->y.x -= v.z;
    m->y.z += v.x;
    m->z.x += v.y;
    m->z.y -= v.x;
}

/* m += factor a */
static inline void dmat3_add(dmat3 *m, double factor, const dmat3 *a) {
    m->x = dvec3_sum(m->x, dvec3_times(a->x, factor));
    m->y = dvec3_sum(m->y, dvec3_times(a->y, factor));
    m->z = dvec3_sum(m->z, dvec3_times(a->z, factor));
}

/* The largest sum of the absolute values of a row. */
static inline dreal dmat3_norm(const dmat3 *m) {
    dreal x = dreal_abs(m->x.x) + dreal_abs(m->y.x) + dreal_abs(m->z.x);
    dreal y = dreal_abs(m->x.y) + dreal_abs(m->y.y) + dreal_abs(m->z.y);
    dreal z = dreal_abs(m->x.z) + dreal_abs(m->y.z) + dreal_abs(m->z.z);
    return dreal_max(x, dreal_max(y, z));
}

static inline dmat3 dmat3_scaled(dmat3 m, double factor) {
    return (dmat3){dvec3_times(m.x, factor), dvec3_times(m.y, factor), dvec3_times(m.z, factor)};
}

static inline dvec3 dmat3_times(const dmat3 *m, dvec3 v) {
    return (dvec3){m->x.x * v.x + m->y.x * v.y + m->z.x * v.z,
                   m->x.y * v.x + m->y.y * v.y + m->z.y * v.z,
                   m->x.z * v.x + m->y.z * v.y + m->z.z * v.z};
}

static inline dmat3 dmat3_product(const dmat3 *a, const dmat3 *b) {
    return (dmat3){dmat3_times(a, b->x), dmat3_times(a, b->y), dmat3_times(a, b->z)};
}

/* By cofactors, without pivots, because pivots would differ from lane to lane. */
static inline dmat3 dmat3_inverse(const dmat3 *m) {
    dvec3 yz = dvec3_cross(m->y, m->z);
    dvec3 zx = dvec3_cross(m->z, m->x);
    dvec3 xy = dvec3_cross(m->x, m->y);
    dreal scale = 1 / dvec3_dot(m->x, yz);
    yz = dvec3_scaled(yz, scale);
    zx = dvec3_scaled(zx, scale);
    xy = dvec3_scaled(xy, scale);
    return (dmat3){{yz.x, zx.x, xy.x}, {yz.y, zx.y, xy.y}, {yz.z, zx.z, xy.z}};
}

enum { MAX_ITERATIONS = 60 };

/* Of a residual in radians: the Jacobian's rate times the segment's length squared. */
static const double tolerance = 1e-9;

static const spline_kind rotations = {true, 2, PM_NEEDS_LOGS};

/* A segment's step and the factors of its Jacobians. */
typedef struct step {
    dvec3 rho;
    dreal a, b, k, a_slope, b_slope;
} step;

/* A row after its elimination: the key's rate is right - upper (the next rate), and in a closed loop
 * + last (the last key's rate). */
typedef struct solved {
    dvec3 right;
    dmat3 upper;
} solved;

/* Of neighbouring keys: those of a range, or of the whole track. */
typedef struct equations {
    pm_track *track;
    ptrdiff_t first;       /* key; in a loop, that and later ones may lie beyond an end */
    size_t count;          /* keys */
    bool closed;           /* a loop as a whole */
    size_t core, core_end; /* of these keys: the rates that are asked for */
    step *steps;
    spline_row *rows;
    dvec3 *rates; /* W */
    solved *solved;
    dmat3 *last;  /* of a closed loop; else NULL */
    dmask active; /* lanes that have not converged */
    bool rates_are_0;
    dreal influence; /* bounds that of the guess before the range on the first rate asked for */
} equations;

static step step_of(dvec3 rho) {
    dreal x2 = dvec3_dot(rho, rho);
    return (step){rho, pm_jr_a(x2), pm_jr_b(x2), pm_jr_k(x2), pm_jr_a_slope(x2), pm_jr_b_slope(x2)};
}

/* I - a [rho]x + b [rho]x^2 */
static dmat3 jacobian(const step *s) {
    return dmat3_of(s->rho, 1 - s->b * dvec3_dot(s->rho, s->rho), -s->a, s->b);
}

/* I + [rho]x/2 + k [rho]x^2 */
static dmat3 inverse_jacobian(const step *s) {
    return dmat3_of(s->rho, 1 - s->k * dvec3_dot(s->rho, s->rho), dreal_of(0.5), s->k);
}

/* (d/dt Jr) v, where rho changes at the rate v: the contribution of the Jacobian's change to
 * angular acceleration. */
static dvec3 jacobian_rate(const step *s, dvec3 v) {
    dreal along = dvec3_dot(s->rho, v);
    dvec3 once = dvec3_cross(s->rho, v);
    dvec3 twice = dvec3_cross(s->rho, once);
    dvec3 scaled = dvec3_difference(dvec3_scaled(twice, s->b_slope * along),
                                    dvec3_scaled(once, s->a_slope * along));
    return dvec3_sum(scaled, dvec3_scaled(dvec3_cross(v, once), s->b));
}

/* The derivative of jacobian_rate by v. */
static dmat3 jacobian_rate_slope(const step *s, dvec3 v) {
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

static const step *step_before(const equations *e, size_t k) {
    return &e->steps[(k ? k : e->count) - 1];
}

static const step *step_after(const equations *e, size_t k) {
    return &e->steps[k];
}

/* A row linearised for an iteration of Newton's method: near the current rate W,
 * N(W') = N'(W) W' - N(W), because N is a quadratic form. */
static void linearise(const equations *e, size_t k, dmat3 *diagonal, dvec3 *right) {
    const spline_row *row = &e->rows[k];
    *diagonal = dmat3_diagonal(row->by.diagonal);
    *right = row->right;
    if (row->by.quadratic == 0 || e->rates_are_0)
        return;
    const step *s = step_before(e, k);
    dmat3 a = inverse_jacobian(s);
    dvec3 v = dmat3_times(&a, e->rates[k]);
    dmat3 slope = jacobian_rate_slope(s, v);
    slope = dmat3_product(&slope, &a);
    dmat3_add(diagonal, row->by.quadratic, &slope);
    *right = dvec3_sum(*right, dvec3_times(jacobian_rate(s, v), row->by.quadratic));
}

/* Eliminates the lower element of key k's row, with the row of the key before. */
static void eliminate(equations *e, size_t k, size_t count) {
    const spline_row *row = &e->rows[k];
    solved *to = &e->solved[k];
    dmat3 diagonal, upper = {0}, last = {0}, lower = {0};
    dvec3 right;
    linearise(e, k, &diagonal, &right);
    if (row->by.upper != 0)
        upper = dmat3_scaled(inverse_jacobian(step_after(e, k)), row->by.upper);
    if (row->by.lower != 0)
        lower = dmat3_scaled(jacobian(step_before(e, k)), row->by.lower);
    if (k > 0) {
        dmat3 product = dmat3_product(&lower, &to[-1].upper);
        dmat3_add(&diagonal, -1, &product);
        right = dvec3_difference(right, dmat3_times(&lower, to[-1].right));
    }
    dmat3 inverse = dmat3_inverse(&diagonal);
    to->right = dmat3_times(&inverse, right);
    to->upper = dmat3_product(&inverse, &upper);
    if (k > 0 && k <= e->core)
        e->influence *= dmat3_norm(&inverse) * dmat3_norm(&lower);
    if (!e->closed)
        return;
    last = k > 0 ? dmat3_product(&lower, &e->last[k - 1]) : lower;
    if (k + 1 == count)
        dmat3_add(&last, 1, &upper);
    last = dmat3_product(&inverse, &last);
    e->last[k] = dmat3_scaled(last, -1);
}

/* Back substitution: a key's rate from the next key's rate. The rows after k are already done. */
static void substitute(const equations *e, size_t k) {
    solved *to = &e->solved[k];
    to->right = dvec3_difference(to->right, dmat3_times(&to->upper, to[1].right));
    if (e->closed) {
        dmat3 product = dmat3_product(&to->upper, &e->last[k + 1]);
        dmat3_add(&e->last[k], -1, &product);
    }
}

/* Solves the last key of a loop from its own row, then the other keys from its rate. */
static void close_loop(const equations *e, size_t last) {
    const solved *before = &e->solved[last - 1], *after = &e->solved[0];
    dmat3 diagonal;
    dvec3 right;
    linearise(e, last, &diagonal, &right);
    dmat3 lower = dmat3_scaled(jacobian(step_before(e, last)), e->rows[last].by.lower);
    dmat3 upper = dmat3_scaled(inverse_jacobian(step_after(e, last)), e->rows[last].by.upper);
    dmat3 below = dmat3_product(&lower, &e->last[last - 1]);
    dmat3 above = dmat3_product(&upper, &e->last[0]);
    dmat3_add(&diagonal, 1, &below);
    dmat3_add(&diagonal, 1, &above);
    right = dvec3_difference(right, dmat3_times(&lower, before->right));
    right = dvec3_difference(right, dmat3_times(&upper, after->right));
    dmat3 inverse = dmat3_inverse(&diagonal);
    right = dmat3_times(&inverse, right);
    e->solved[last].right = right;
    for (size_t k = 0; k < last; k++)
        e->solved[k].right = dvec3_sum(e->solved[k].right, dmat3_times(&e->last[k], right));
}

/* Whether the residual of Newton's step, N of the change in rates in the row's own scale, is within
 * the tolerance. */
static dmask is_converged(const equations *e, size_t k, dvec3 change) {
    if (e->rows[k].by.quadratic == 0)
        return ~(dmask){0};
    const step *s = step_before(e, k);
    const double h = e->rows[k].length;
    dmat3 a = inverse_jacobian(s);
    dvec3 residual = dvec3_times(jacobian_rate(s, dmat3_times(&a, change)), h * h);
    return (dmask)(dvec3_dot(residual, residual) <= tolerance * tolerance);
}

static void update_rates(equations *e) {
    dmask converged = ~(dmask){0};
    for (size_t k = 0; k < e->count; k++) {
        dvec3 rate = e->solved[k].right;
        converged &= is_converged(e, k, dvec3_difference(rate, e->rates[k]));
        e->rates[k] = dvec3_select(e->active, rate, e->rates[k]);
    }
    e->active &= ~converged;
}

static void solve(equations *e) {
    size_t count = e->closed ? e->count - 1 : e->count;
    for (int i = 0; i < MAX_ITERATIONS && dmask_any(e->active); i++) {
        e->influence = dreal_of(1);
        e->rates_are_0 = i == 0;
        for (size_t k = 0; k < count; k++)
            eliminate(e, k, count);
        for (size_t k = count - 1; k-- > 0;)
            substitute(e, k);
        if (e->closed)
            close_loop(e, count);
        update_rates(e);
    }
}

/* The row of an end of the range behind which there are more keys: a guess. */
static spline_row guessed_row(const pm_window *w, ptrdiff_t i) {
    const pm_tangent guess = pm_tangent_of(w, i, PM_RULE_BESSEL, true);
    return (spline_row){.by = {0, 1, 0, 0}, .right = dvec3_times(guess.in, 2)};
}

static spline_row row_of(const equations *e, ptrdiff_t i, size_t k) {
    const pm_window *w = e->track->window;
    const bool is_end = !w->loop && (i == 0 || i == w->segment_count);
    const bool is_cut = !e->closed && !is_end && (k == 0 || k + 1 == e->count);
    return is_cut ? guessed_row(w, i) : spline_row_of(&rotations, w, i);
}

/* Reads the steps and rows of the range, a window of the track at a time. */
static void read_rows(equations *e) {
    pm_track *track = e->track;
    const pm_window *w = track->window;
    const ptrdiff_t segments = (ptrdiff_t)track->segment_count;
    size_t k = 0;
    while (k < e->count) {
        ptrdiff_t at = (e->first + (ptrdiff_t)k) % segments;
        at += at < 0 ? segments : 0;
        if (!track->loop && e->first + (ptrdiff_t)k == segments)
            at = segments - 1;
        pm_track_look(track, at, PM_WINDOW, PM_NEEDS_LOGS);
        for (ptrdiff_t i = w->first; i < w->end && k < e->count; i++, k++) {
            if (!track->loop && e->first + (ptrdiff_t)k == segments)
                break;
            e->steps[k] = step_of(dvec3_times(pm_window_log(w, i), 2));
            e->rows[k] = row_of(e, i, k);
        }
        if (!track->loop && k < e->count && e->first + (ptrdiff_t)k == segments) {
            e->rows[k] = row_of(e, segments, k);
            k++;
        }
    }
}

/* Allocates the arrays of so many keys in a single block, that of `steps`. */
static bool allocate(equations *e, size_t count) {
    const size_t size = sizeof *e->steps + sizeof *e->rows + sizeof *e->rates + sizeof *e->solved +
                        (e->closed ? sizeof *e->last : 0);
    e->steps = spline_memory(count, size);
    if (!e->steps)
        return false;
    e->rows = (spline_row *)(e->steps + count);
    e->solved = (solved *)(e->rows + count);
    e->rates = (dvec3 *)(e->solved + count);
    e->last = e->closed ? (dmat3 *)(e->rates + count) : NULL;
    return true;
}

/* Finds the rates of the active lanes, starting from 0. */
static void find_rates(equations *e) {
    for (size_t k = 0; k < e->count; k++)
        e->rates[k] = (dvec3){0};
    read_rows(e);
    solve(e);
}

/* The rates of `active` lanes of the whole track; others stay. */
static void solve_whole(pm_track *track, dmask active, dvec3 *rates) {
    equations e = {
        .track = track, .count = track->key_count, .closed = track->loop, .active = active};
    if (!allocate(&e, e.count)) {
        track->no_memory = true;
        return;
    }
    find_rates(&e);
    for (size_t k = 0; k < e.count; k++)
        rates[k] = dvec3_select(active, e.rates[k], rates[k]);
    track->failed |= e.active;
    free(e.steps);
}

/* Bounds the influence of the guess behind the range on the last rate that is used. */
static dreal influence_from_behind(const equations *e) {
    dreal influence = dreal_of(1);
    for (size_t k = e->core_end - 1; k + 1 < e->count; k++)
        influence *= dmat3_norm(&e->solved[k].upper);
    return influence;
}

/* Solves a range around the keys from `from` to `end`. Returns the lanes without a result. */
static dmask solve_range(equations *e, size_t from, size_t end) {
    const pm_track *track = e->track;
    const double negligible = 1e-12;
    const ptrdiff_t last = (ptrdiff_t)track->key_count - 1;
    ptrdiff_t first = (ptrdiff_t)from - PM_HALO, behind = (ptrdiff_t)end - 1 + PM_HALO;
    if (!track->loop) {
        first = first > 0 ? first : 0;
        behind = behind < last ? behind : last;
    }
    e->first = first;
    e->count = (size_t)(behind - first) + 1;
    e->core = (size_t)((ptrdiff_t)from - first);
    e->core_end = e->core + (end - from);
    e->active = ~(dmask){0};
    find_rates(e);
    dmask good = ~e->active;
    if (track->loop || first > 0)
        good &= (dmask)(e->influence <= negligible);
    if (track->loop || behind < last)
        good &= (dmask)(influence_from_behind(e) <= negligible);
    return ~good;
}

/* The rates of a range, among those of the track. */
dmask pm_prepare_spline_range(pm_track *track, size_t from, size_t end) {
    equations e = {.track = track};
    if (!allocate(&e, PM_LEAST_RANGED)) {
        track->no_memory = true;
        return (dmask){0};
    }
    const dmask left = solve_range(&e, from, end);
    memcpy(track->rates + (from & track->rates_mask), e.rates + e.core,
           (end - from) * sizeof *e.rates);
    free(e.steps);
    return left;
}

static void solve_ranges(pm_track *track) {
    const size_t keys = track->key_count;
    dmask left = {0};
    for (size_t k = 0; k < keys && !track->no_memory; k += PM_RANGE)
        left |= pm_prepare_spline_range(track, k, keys - k < PM_RANGE ? keys : k + PM_RANGE);
    if (dmask_any(left) && !track->no_memory)
        solve_whole(track, left, track->rates);
}

void pm_prepare_spline(pm_track *track) {
    if (!spline_begin(&rotations, track))
        return;
    if (track->key_count <= PM_LEAST_RANGED)
        solve_whole(track, ~(dmask){0}, track->rates);
    else
        solve_ranges(track);
}
