/* SPDX-License-Identifier: MIT
 *
 * Segments of curves that are polynomials in each component: positions and scales, glTF's
 * cubic spline of rotations (docs/methods.md, "Positions and scales"), and the same cubic with tangents
 * computed from the keys.
 */
#include "builder.h"
#include "tangents.h"

static dvec3 vector_at(const pm_track *track, ptrdiff_t i) {
    return dquat_vector(pm_track_key(track, i));
}

/* Clamps a coefficient to the range of float, which only extreme ratios of key times exceed. */
static dreal in_range(dreal value) {
    const dreal max = dreal_of(1e38);
    return dreal_min(dreal_max(value, -max), max);
}

static void put_in_range(const pm_track *track, ptrdiff_t i, unsigned coefficient, dvec3 v) {
    dvec3 value = {in_range(v.x), in_range(v.y), in_range(v.z)};
    pm_put(track, i, coefficient, dquat_of_vector(value));
}

static void build_cubic(pm_track *track) {
    const pm_tangents rule = PM_TANGENTS_BESSEL;
    pm_tangent here = pm_tangent_of(track, track->first, rule, pm_vector_slope);
    for (ptrdiff_t i = track->first; i < track->end; i++) {
        pm_tangent next = pm_tangent_of(track, i + 1, rule, pm_vector_slope);
        double length = pm_track_length(track, i);
        put_in_range(track, i, 0, dvec3_times(here.out, length));
        put_in_range(track, i, 1, dvec3_times(next.in, length));
        here = next;
    }
}

/* Over a segment, the parabola through keys key - 1, key and key + 1 is the chord plus u (1 - u)
 * times this bend: its second divided difference times the segment's squared length. */
static dvec3 bend_of(const pm_track *track, ptrdiff_t key, double length) {
    dvec3 s0 = pm_vector_slope(track, key - 1);
    dvec3 s1 = pm_vector_slope(track, key);
    double span = pm_track_length(track, key - 1) + pm_track_length(track, key);
    double k = length * (length / span);
    return dvec3_blend(k, s0, -k, s1);
}

static void build_parabolas(pm_track *track) {
    for (ptrdiff_t i = track->first; i < track->end; i++) {
        double length = pm_track_length(track, i);
        bool before = pm_track_has(track, i - 1);
        bool after = pm_track_has(track, i + 1);
        dvec3 leaving = before ? bend_of(track, i, length) : (dvec3){0};
        dvec3 arriving = after ? bend_of(track, i + 1, length) : leaving;
        put_in_range(track, i, 0, before ? leaving : arriving);
        put_in_range(track, i, 1, arriving);
    }
}

/* Key i, or the end key if i is beyond an end. */
static dvec3 clamped_vector(const pm_track *track, ptrdiff_t i) {
    ptrdiff_t last = (ptrdiff_t)track->segment_count;
    if (!track->loop)
        i = i < 0 ? 0 : i > last ? last : i;
    return vector_at(track, i);
}

static void build_bspline(pm_track *track) {
    for (ptrdiff_t i = track->first; i < track->end; i++) {
        dvec3 a = clamped_vector(track, i - 1), b = clamped_vector(track, i);
        dvec3 c = clamped_vector(track, i + 1), d = clamped_vector(track, i + 2);
        dvec3 ac = dvec3_sum(a, c);
        dvec3 outer = dvec3_blend(1.0 / 6, d, -1.0 / 6, a);
        put_in_range(track, i, 0, dvec3_blend(1.0 / 6, ac, 4.0 / 6, b));
        put_in_range(track, i, 1, dvec3_blend(-0.5, a, 0.5, c));
        put_in_range(track, i, 2, dvec3_difference(dvec3_times(ac, 0.5), b));
        put_in_range(track, i, 3, dvec3_sum(outer, dvec3_blend(0.5, b, -0.5, c)));
    }
}

/* The rate times the segment's length, scaled down where it exceeds 1e15: the square of the
 * coefficient must stay in the range of float, and only extreme segments exceed it. */
static dquat tangent_of_rate(dquat rate, double length) {
    const double max = 1e15;
    dreal xy = dreal_max(dreal_abs(rate.x), dreal_abs(rate.y));
    dreal largest = dreal_max(xy, dreal_max(dreal_abs(rate.z), dreal_abs(rate.w)));
    dmask too_large = (dmask)(largest * length > max);
    dreal scale = max / dreal_select(too_large, largest, dreal_of(1));
    return dquat_scaled(rate, dreal_select(too_large, scale, dreal_of(length)));
}

static void build_cubicspline(pm_track *track) {
    for (ptrdiff_t i = track->first; i < track->end; i++) {
        size_t k = (size_t)i;
        size_t next = track->single ? 0 : (k + 1) % track->key_count;
        double length = track->single ? 0 : pm_track_length(track, i);
        pm_put(track, i, 0, tangent_of_rate(pm_given_row(&track->tangents_out, k), length));
        pm_put(track, i, 1, tangent_of_rate(pm_given_row(&track->tangents_in, next), length));
    }
}

static dquat component_slope(const pm_track *track, ptrdiff_t i) {
    dquat step = dquat_difference(pm_track_key(track, i + 1), pm_track_key(track, i));
    return dquat_scaled(step, dreal_of(1 / pm_track_length(track, i)));
}

/* The slope at key i of the parabola through three keys; at an end, the slope of the chord. */
static dquat component_rate(const pm_track *track, ptrdiff_t i) {
    if (!pm_track_has(track, i - 1))
        return component_slope(track, i);
    if (!pm_track_has(track, i))
        return component_slope(track, i - 1);
    double h0 = pm_track_length(track, i - 1), h1 = pm_track_length(track, i);
    dquat s0 = dquat_scaled(component_slope(track, i - 1), dreal_of(h1 / (h0 + h1)));
    return dquat_sum(s0, dquat_scaled(component_slope(track, i), dreal_of(h0 / (h0 + h1))));
}

/* Whether a slope at either key of a segment may be too large for the segment's length: slopes
 * between unit keys are at most 2 over the shorter of the lengths adjacent to the key. */
static bool is_far_longer(const pm_track *track, ptrdiff_t i) {
    const double max = 1e14, length = pm_track_length(track, i);
    return (pm_track_has(track, i - 1) && length > max * pm_track_length(track, i - 1)) ||
           (pm_track_has(track, i + 1) && length > max * pm_track_length(track, i + 1));
}

static void build_ncubic(pm_track *track) {
    for (ptrdiff_t i = track->first; i < track->end; i++) {
        double length = pm_track_length(track, i);
        dquat leaving = component_rate(track, i), arriving = component_rate(track, i + 1);
        if (is_far_longer(track, i)) {
            pm_put(track, i, 0, tangent_of_rate(leaving, length));
            pm_put(track, i, 1, tangent_of_rate(arriving, length));
        } else {
            pm_put(track, i, 0, dquat_scaled(leaving, dreal_of(length)));
            pm_put(track, i, 1, dquat_scaled(arriving, dreal_of(length)));
        }
    }
}

const pm_segment_builder PM_SET_NAME(pm_build_vector_cubic) = {.window = build_cubic};
const pm_segment_builder PM_SET_NAME(pm_build_vector_parabolas) = {.window = build_parabolas};
const pm_segment_builder PM_SET_NAME(pm_build_vector_bspline) = {.window = build_bspline};
const pm_segment_builder PM_SET_NAME(pm_build_cubicspline) = {.window = build_cubicspline};
const pm_segment_builder PM_SET_NAME(pm_build_ncubic) = {.window = build_ncubic};
