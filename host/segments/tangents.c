/* SPDX-License-Identifier: MIT
 *
 * Tangent rules (docs/methods.md, "squad").
 */
#include "tangents.h"

dvec3 pm_rotation_slope(const pm_track *track, ptrdiff_t i) {
    return dvec3_times(pm_track_log(track, i), 1 / pm_track_length(track, i));
}

dvec3 pm_vector_slope(const pm_track *track, ptrdiff_t i) {
    dquat d = dquat_difference(pm_track_key(track, i + 1), pm_track_key(track, i));
    return dvec3_times(dquat_vector(d), 1 / pm_track_length(track, i));
}

static pm_tangent both(dvec3 rate) {
    return (pm_tangent){rate, rate};
}

/* Kochanek and Bartels' tension, continuity and bias, with Bessel weights in place of their
 * weights of one half each. */
static pm_tangent tcb(const pm_clip_desc *desc, double before, dvec3 s0, double after, dvec3 s1) {
    double t = 1 - desc->tension;
    double c = desc->continuity;
    double b = desc->bias;
    return (pm_tangent){
        .in = dvec3_blend(t * (1 - c) * (1 + b) * before, s0, t * (1 + c) * (1 - b) * after, s1),
        .out = dvec3_blend(t * (1 + c) * (1 + b) * before, s0, t * (1 - c) * (1 - b) * after, s1)};
}

/* The tangent of a key with a segment on both sides. */
static pm_tangent inner_tangent(const pm_track *track, ptrdiff_t i, pm_tangents rule,
                                pm_slope slope) {
    dvec3 s0 = slope(track, i - 1);
    dvec3 s1 = slope(track, i);
    double h0 = pm_track_length(track, i - 1);
    double h1 = pm_track_length(track, i);
    double before = h1 / (h0 + h1);
    double after = h0 / (h0 + h1);
    if (rule == PM_TANGENTS_MEAN)
        return both(dvec3_blend(0.5, s0, 0.5, s1));
    if (rule == PM_TANGENTS_TCB)
        return tcb(track->desc, before, s0, after, s1);
    return both(dvec3_blend(before, s0, after, s1));
}

/* Whether a neighbour of key i is the same key. */
static dmask is_held(const pm_track *track, ptrdiff_t i) {
    dmask held = {0};
    if (pm_track_has(track, i - 1))
        held |= pm_track_repeats(track, i - 1);
    if (pm_track_has(track, i))
        held |= pm_track_repeats(track, i);
    return held;
}

dvec3 pm_end_rate(const pm_track *track, ptrdiff_t i, ptrdiff_t step, pm_slope slope) {
    ptrdiff_t near = step > 0 ? i : i - 1; /* the end segment */
    ptrdiff_t next = near + step;
    dvec3 s0 = slope(track, near);
    if (track->desc->ends == PM_ENDS_ZERO)
        return (dvec3){0};
    if (track->desc->ends == PM_ENDS_PARABOLA) {
        double h0 = pm_track_length(track, near);
        double k = h0 / (h0 + pm_track_length(track, next));
        return dvec3_blend(1 + k, s0, -k, slope(track, next));
    }
    return s0;
}

/* The rate at the first (step 1) or last (step -1) key of an open track of three keys or more. */
static dvec3 end_rate(const pm_track *track, ptrdiff_t i, ptrdiff_t step, pm_tangents rule,
                      pm_slope slope) {
    if (track->desc->ends != PM_ENDS_NATURAL)
        return pm_end_rate(track, i, step, slope);
    pm_tangent neighbour = pm_tangent_of(track, i + step, rule, slope);
    return dvec3_blend(1.5, slope(track, step > 0 ? i : i - 1), -0.5,
                       step > 0 ? neighbour.in : neighbour.out);
}

/* The tangent without the zero slopes of the rule hold. */
static pm_tangent unheld_tangent(const pm_track *track, ptrdiff_t i, pm_tangents rule,
                                 pm_slope slope) {
    ptrdiff_t last = (ptrdiff_t)track->segment_count;
    if (!track->loop && i == 0)
        return both(end_rate(track, i, 1, rule, slope));
    if (!track->loop && i == last)
        return both(end_rate(track, i, -1, rule, slope));
    return inner_tangent(track, i, rule, slope);
}

pm_tangent pm_tangent_of(const pm_track *track, ptrdiff_t i, pm_tangents rule, pm_slope slope) {
    if (!track->loop && track->key_count == 2)
        return both(slope(track, 0));
    pm_tangent tangent = unheld_tangent(track, i, rule, slope);
    if (rule == PM_TANGENTS_HOLD) {
        dmask held = is_held(track, i);
        tangent.in = dvec3_select(held, (dvec3){0}, tangent.in);
        tangent.out = dvec3_select(held, (dvec3){0}, tangent.out);
    }
    return tangent;
}

static pm_tangent user_velocity(const pm_track *track, ptrdiff_t i) {
    ptrdiff_t n = (ptrdiff_t)track->key_count;
    size_t row = (size_t)((i % n + n) % n);
    return both(dquat_vector(pm_given_row(&track->user_tangents, row)));
}

/* The largest lambda in [0, 1] with |lambda h w - L| <= pi/2: at lambda 0 it holds. */
static dreal largest_scale(const pm_track *track, ptrdiff_t segment, dvec3 w) {
    const dreal one = dreal_of(1), zero = {0};
    dvec3 log = pm_track_log(track, segment);
    dvec3 step = dvec3_times(w, pm_track_length(track, segment));
    dreal step2 = dvec3_dot(step, step);
    dreal along = dvec3_dot(step, log);
    dreal room = PM_HALF_PI * PM_HALF_PI - dvec3_dot(log, log);
    dmask fits = (dmask)(step2 - 2 * along <= room);
    if (!dmask_any(~fits))
        return one;
    dreal root = dreal_sqrt(along * along + step2 * dreal_max(room, zero));
    dreal lambda = (along + root) / dreal_select(fits, one, step2);
    return dreal_select(fits, one, dreal_min(dreal_max(lambda, zero), one));
}

pm_tangent pm_key_velocity(const pm_track *track, ptrdiff_t i) {
    if (track->desc->tangents == PM_TANGENTS_USER)
        return user_velocity(track, i);
    return pm_tangent_of(track, i, track->desc->tangents, pm_rotation_slope);
}

pm_tangent pm_limited_velocity(const pm_track *track, ptrdiff_t i) {
    pm_tangent w = pm_key_velocity(track, i);
    dreal lambda = dreal_of(1);
    if (track->desc->unlimited)
        return w;
    if (pm_track_has(track, i - 1))
        lambda = largest_scale(track, i - 1, w.in);
    if (pm_track_has(track, i))
        lambda = dreal_min(lambda, largest_scale(track, i, w.out));
    return (pm_tangent){dvec3_scaled(w.in, lambda), dvec3_scaled(w.out, lambda)};
}
