/* SPDX-License-Identifier: MIT
 *
 * Segments of sterp: logarithms of swing and twist (docs/methods.md, "sterp"). segments.c builds
 * the windows of both.
 */
#include "builder.h"

/* The unit axes of the tracks, in the frame that the description gives. */
static dvec3 axes_of(const pm_track *track) {
    const pm_array *axes = &track->desc->axes;
    size_t size = pm_number_size(axes->type);
    pm_array_view rows = {axes->data, axes->type, axes->stride ? axes->stride : 3 * size};
    dvec3 axis;
    for (int i = 0; i < PM_DOUBLES; i++) {
        size_t row = track->desc->axis_count > 1 ? track->index[i] : 0;
        axis.x[i] = pm_number_at(&rows, row, 0);
        axis.y[i] = pm_number_at(&rows, row, 1);
        axis.z[i] = pm_number_at(&rows, row, 2);
    }
    /* scaled first, so that the square of a long or short axis stays in range */
    dreal largest = dreal_max(dreal_abs(axis.x), dreal_max(dreal_abs(axis.y), dreal_abs(axis.z)));
    axis = (dvec3){axis.x / largest, axis.y / largest, axis.z / largest};
    return dvec3_scaled(axis, 1 / dvec3_norm(axis));
}

/* Splits a delta in the body frame into swing and twist about the axis: half-angle
 * vectors of length at most pi/2. A swing of 180 degrees leaves the twist undefined: it is 0. */
static void split(dquat delta, dvec3 axis, dvec3 *swing, dvec3 *twist) {
    const dreal one = dreal_of(1), none = {0};
    dreal p = dvec3_dot(dquat_vector(delta), axis);
    dreal length = dreal_sqrt(p * p + delta.w * delta.w);
    dmask defined = (dmask)(length >= 1e-6);
    dreal inverse = one / dreal_select(defined, length, one);
    dquat t = dquat_of(dvec3_scaled(axis, dreal_where(defined, p * inverse)),
                       dreal_select(defined, delta.w * inverse, one));
    dquat s = dquat_product(delta, dquat_conjugate(t));
    t = dquat_flipped(t, (dmask)(t.w < 0) | ((dmask)(t.w == 0) & (dmask)(p < 0)));
    s = dquat_flipped(s, (dmask)(s.w < none));
    *swing = dquat_log(s);
    *twist = dquat_log(t);
}

static void build(pm_track *track) {
    dvec3 given = axes_of(track);
    bool parent = track->desc->axis_frame == PM_AXIS_PARENT;
    for (ptrdiff_t i = track->first; i < track->end; i++) {
        dquat key = pm_track_key(track, i);
        dquat delta = dquat_product(dquat_conjugate(key), pm_track_key(track, i + 1));
        dvec3 axis = parent ? dquat_rotate_back(key, given) : given;
        dvec3 swing, twist;
        split(delta, axis, &swing, &twist);
        pm_put(track, i, 0, dquat_times_vector(key, swing));
        pm_put(track, i, 1, dquat_times_vector(key, twist));
        pm_put(track, i, 2, dquat_times_vector(key, dvec3_cross(swing, twist)));
    }
}

const pm_segment_builder PM_SET_NAME(pm_build_sterp) = {.window = build};
