/* SPDX-License-Identifier: MIT
 *
 * Segments of sterp: logarithms of swing and twist (spec: methods, section 4), and the
 * windows in which each happens.
 */
#include "segments.h"

static dvec3 axis_of(const pm_track *track) {
    const pm_array *axes = &track->desc->axes;
    size_t size = axes->type == PM_FLOAT64 ? sizeof(double) : sizeof(float);
    pm_rows_of_track rows = {axes->data, axes->type, axes->stride ? axes->stride : 3 * size};
    size_t row = track->desc->axis_count > 1 ? track->index : 0;
    dvec3 axis = dvec3_of(pm_number_at(&rows, row, 0), pm_number_at(&rows, row, 1),
                          pm_number_at(&rows, row, 2));
    /* scaled first, so that the square of a long or short axis stays in range */
    double largest = fmax(fabs(axis.x), fmax(fabs(axis.y), fabs(axis.z)));
    axis = dvec3_of(axis.x / largest, axis.y / largest, axis.z / largest);
    return dvec3_scaled(axis, 1 / sqrt(dvec3_dot(axis, axis)));
}

/* Splits a delta in the body frame into swing and twist about the axis: half-angle
 * vectors of at most pi/2. A swing of 180 degrees leaves no twist to see. */
static void split(dquat delta, dvec3 axis, dvec3 *swing, dvec3 *twist) {
    double p = dvec3_dot(dvec3_of(delta.x, delta.y, delta.z), axis);
    double length = hypot(p, delta.w);
    dquat t = {0, 0, 0, 1};
    if (length >= 1e-6)
        t = (dquat){p * axis.x / length, p * axis.y / length, p * axis.z / length,
                    delta.w / length};
    dquat s = dquat_product(delta, dquat_conjugate(t));
    if (t.w < 0 || (t.w == 0 && p < 0))
        t = dquat_scaled(t, -1);
    if (s.w < 0)
        s = dquat_scaled(s, -1);
    *swing = dquat_log(s);
    *twist = dquat_log(t);
}

pm_built_segments pm_build_sterp(const pm_track *track, const pm_extras_out *out) {
    dvec3 given = axis_of(track);
    bool parent = track->desc->axis_frame == PM_AXIS_PARENT;
    for (size_t k = 0; k < track->segment_count; k++) {
        ptrdiff_t i = (ptrdiff_t)k;
        dquat key = pm_track_key(track, i);
        dquat delta = dquat_product(dquat_conjugate(key), pm_track_key(track, i + 1));
        dvec3 axis = parent ? dquat_rotate_back(key, given) : given;
        dvec3 swing, twist;
        split(delta, axis, &swing, &twist);
        dvec3 both = dvec3_cross(swing, twist);
        pm_put(out, k, 0, dquat_product(key, (dquat){swing.x, swing.y, swing.z, 0}));
        pm_put(out, k, 1, dquat_product(key, (dquat){twist.x, twist.y, twist.z, 0}));
        pm_put(out, k, 2, dquat_product(key, (dquat){both.x, both.y, both.z, 0}));
    }
    return (pm_built_segments){PM_OK, false};
}

/* The first float not before a window's end; beyond all u where that is the segment's. */
static float left_at(double end) {
    float nearest = (float)end;
    if (end >= 1)
        return 2;
    return (double)nearest < end ? nextafterf(nearest, 1) : nearest;
}

static void put_window(double begin, double end, float *to) {
    to[0] = pm_stored(begin);
    to[1] = pm_stored(begin - (double)to[0]);
    to[2] = pm_stored(1 / (end - begin));
    to[3] = left_at(end);
}

void pm_build_sterp_windows(const pm_clip_desc *desc, size_t track, float *statics, size_t plane) {
    pm_windows w = {0, 1, 0, 1};
    if (desc->windows)
        w = desc->windows[desc->window_count > 1 ? track : 0];
    if (w.swing_begin == 0 && w.swing_end == 0 && w.twist_begin == 0 && w.twist_end == 0)
        w = (pm_windows){0, 1, 0, 1};
    put_window(w.swing_begin, w.swing_end, statics);
    put_window(w.twist_begin, w.twist_end, statics + plane);
}
