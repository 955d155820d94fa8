/* SPDX-License-Identifier: MIT
 *
 * Tangent rules (docs/methods.md, "squad"): the rate at a key from the slopes of the adjacent segments. The
 * same rules apply to half-angle velocities of rotations and to velocities of vectors.
 */
#ifndef PM_TANGENTS_H
#define PM_TANGENTS_H

#include "pm_window.h"

/* The rates at which the curve arrives at a key (in) and leaves it (out). */
typedef struct pm_tangent {
    dvec3 in, out;
} pm_tangent;

pm_fn dvec3 pm_rotation_slope(const pm_window *w, ptrdiff_t i) {
    return dvec3_times(pm_window_log(w, i), 1 / pm_window_length(w, i));
}

pm_fn dvec3 pm_vector_slope(const pm_window *w, ptrdiff_t i) {
    dquat d = dquat_difference(pm_window_key(w, i + 1), pm_window_key(w, i));
    return dvec3_times(dquat_vector(d), 1 / pm_window_length(w, i));
}

/* Mean rate over segment i, per second. */
pm_fn dvec3 pm_slope_of(const pm_window *w, ptrdiff_t i, bool of_rotations) {
    return of_rotations ? pm_rotation_slope(w, i) : pm_vector_slope(w, i);
}

pm_fn pm_tangent pm_both_rates(dvec3 rate) {
    return (pm_tangent){rate, rate};
}

/* Kochanek and Bartels' tension, continuity and bias, with Bessel weights in place of their
 * weights of one half each. */
pm_fn pm_tangent pm_tcb(const pm_build_rules *rules, double before, dvec3 s0, double after,
                        dvec3 s1) {
    double t = 1 - rules->tension;
    double c = rules->continuity;
    double b = rules->bias;
    return (pm_tangent){
        .in = dvec3_blend(t * (1 - c) * (1 + b) * before, s0, t * (1 + c) * (1 - b) * after, s1),
        .out = dvec3_blend(t * (1 + c) * (1 + b) * before, s0, t * (1 - c) * (1 - b) * after, s1)};
}

/* The tangent of a key with a segment on both sides. */
pm_fn pm_tangent pm_inner_tangent(const pm_window *w, ptrdiff_t i, pm_u32 rule, bool of_rotations) {
    dvec3 s0 = pm_slope_of(w, i - 1, of_rotations);
    dvec3 s1 = pm_slope_of(w, i, of_rotations);
    double h0 = pm_window_length(w, i - 1);
    double h1 = pm_window_length(w, i);
    double before = h1 / (h0 + h1);
    double after = h0 / (h0 + h1);
    if (rule == PM_RULE_MEAN)
        return pm_both_rates(dvec3_blend(0.5, s0, 0.5, s1));
    if (rule == PM_RULE_TCB)
        return pm_tcb(&w->rules, before, s0, after, s1);
    return pm_both_rates(dvec3_blend(before, s0, after, s1));
}

/* Whether a neighbour of key i is the same key. */
pm_fn dmask pm_is_held(const pm_window *w, ptrdiff_t i) {
    dmask held = dmask_none();
    if (pm_window_has(w, i - 1))
        held |= pm_window_repeats(w, i - 1);
    if (pm_window_has(w, i))
        held |= pm_window_repeats(w, i);
    return held;
}

/* The rate at an end key of an open track by the description's rule for ends, which must not be natural.
 * step is 1 at the first key, -1 at the last. */
pm_fn dvec3 pm_end_rate(const pm_window *w, ptrdiff_t i, ptrdiff_t step, bool of_rotations) {
    ptrdiff_t near = step > 0 ? i : i - 1; /* the end segment */
    ptrdiff_t next = near + step;
    dvec3 s0 = pm_slope_of(w, near, of_rotations);
    if (w->rules.ends == PM_RULE_ENDS_ZERO)
        return dvec3_none();
    if (w->rules.ends == PM_RULE_ENDS_PARABOLA) {
        double h0 = pm_window_length(w, near);
        double k = h0 / (h0 + pm_window_length(w, next));
        return dvec3_blend(1 + k, s0, -k, pm_slope_of(w, next, of_rotations));
    }
    return s0;
}

/* With the zero slopes of the rule hold. */
pm_fn pm_tangent pm_hold(const pm_window *w, ptrdiff_t i, pm_u32 rule, pm_tangent tangent) {
    if (rule == PM_RULE_HOLD) {
        dmask held = pm_is_held(w, i);
        tangent.in = dvec3_select(held, dvec3_none(), tangent.in);
        tangent.out = dvec3_select(held, dvec3_none(), tangent.out);
    }
    return tangent;
}

/* The rate at the first (step 1) or last (step -1) key of an open track of three keys or more. */
pm_fn dvec3 pm_ruled_end_rate(const pm_window *w, ptrdiff_t i, ptrdiff_t step, pm_u32 rule,
                              bool of_rotations) {
    if (w->rules.ends != PM_RULE_ENDS_NATURAL)
        return pm_end_rate(w, i, step, of_rotations);
    pm_tangent neighbour =
        pm_hold(w, i + step, rule, pm_inner_tangent(w, i + step, rule, of_rotations));
    return dvec3_blend(1.5, pm_slope_of(w, step > 0 ? i : i - 1, of_rotations), -0.5,
                       step > 0 ? neighbour.in : neighbour.out);
}

/* The tangent of key i by a rule, with the description's rule for ends. */
pm_fn pm_tangent pm_tangent_of(const pm_window *w, ptrdiff_t i, pm_u32 rule, bool of_rotations) {
    const bool is_first = !w->loop && i == 0, is_last = !w->loop && i == w->segment_count;
    if (!w->loop && w->segment_count == 1)
        return pm_both_rates(pm_slope_of(w, 0, of_rotations));
    pm_tangent tangent;
    if (is_first || is_last)
        tangent = pm_both_rates(pm_ruled_end_rate(w, i, is_first ? 1 : -1, rule, of_rotations));
    else
        tangent = pm_inner_tangent(w, i, rule, of_rotations);
    return pm_hold(w, i, rule, tangent);
}

/* The largest lambda in [0, 1] with |lambda h w - L| <= pi/2: at lambda 0 it holds. */
pm_fn dreal pm_scale_limit(const pm_window *w, ptrdiff_t segment, dvec3 rate) {
    const dreal one = dreal_of(1), zero = dreal_of(0);
    dvec3 log = pm_window_log(w, segment);
    dvec3 step = dvec3_times(rate, pm_window_length(w, segment));
    dreal step2 = dvec3_dot(step, step);
    dreal along = dvec3_dot(step, log);
    dreal room = PM_HALF_PI * PM_HALF_PI - dvec3_dot(log, log);
    dmask fits = dmask_of(step2 - 2 * along <= room);
    if (!dmask_any(~fits))
        return one;
    dreal root = dreal_sqrt(along * along + step2 * dreal_max(room, zero));
    dreal lambda = (along + root) / dreal_select(fits, one, step2);
    return dreal_select(fits, one, dreal_min(dreal_max(lambda, zero), one));
}

/* The half-angle velocities of key i by the description's tangent rule. */
pm_fn pm_tangent pm_key_velocity(const pm_window *w, ptrdiff_t i) {
    if (w->rules.tangents == PM_RULE_USER)
        return pm_both_rates(dquat_vector(pm_window_in(w, i)));
    return pm_tangent_of(w, i, w->rules.tangents, true);
}

/* The same, limited for squad unless the description sets `unlimited` (docs/methods.md, "squad"). */
pm_fn pm_tangent pm_limited_velocity(const pm_window *w, ptrdiff_t i) {
    pm_tangent rates = pm_key_velocity(w, i);
    dreal lambda = dreal_of(1);
    if (w->rules.unlimited)
        return rates;
    if (pm_window_has(w, i - 1))
        lambda = pm_scale_limit(w, i - 1, rates.in);
    if (pm_window_has(w, i))
        lambda = dreal_min(lambda, pm_scale_limit(w, i, rates.out));
    return (pm_tangent){dvec3_scaled(rates.in, lambda), dvec3_scaled(rates.out, lambda)};
}

#endif
