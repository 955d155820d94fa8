/* SPDX-License-Identifier: MIT
 *
 * Segments of squad: the slerp of the inner points, as its middle and half arc (see
 * kernels/pm_squad.h).
 */
#include "segments.h"
#include "tangents.h"

static const double half_pi = 1.57079632679489661923;

/* Nearer to antipodal than this, the sum of two unit quaternions is rounding noise. */
static const double antipodal = 1e-6;

/* The direction of v that is at right angles to the unit quaternion d. */
static dquat across(dquat v, dquat d) {
    dquat p = dquat_blend(1, v, -dquat_dot(v, d), d);
    return dquat_scaled(p, 1 / dquat_norm(p));
}

/* The slerp from inner point a to b, at any angle. Antipodal ones belong to a half turn
 * from rest to rest; as such a turn is approached, the middle of the inner points tends
 * to that of the keys, so that is the way they turn. */
static void put_arc(const pm_extras_out *out, size_t segment, dquat a, dquat b, dquat keys) {
    dquat sum = dquat_blend(1, a, 1, b);
    dquat difference = dquat_difference(b, a);
    double length = dquat_norm(sum);
    double chord = dquat_norm(difference);
    if (length < antipodal) {
        dquat d = dquat_scaled(difference, 1 / chord);
        pm_put(out, segment, 0, across(keys, d));
        pm_put(out, segment, 1, dquat_scaled(d, half_pi));
        return;
    }
    pm_put(out, segment, 0, dquat_scaled(sum, 1 / length));
    pm_put(out, segment, 1, dquat_scaled(difference, chord > 0 ? atan2(chord, length) / chord : 0));
}

/* Whether the inner point is within pi/4 of its key: then the slerps that squad blends
 * stay within pi/2 of each other. */
static bool is_narrow(dvec3 step) {
    return dvec3_dot(step, step) <= half_pi * half_pi * (1 + 1e-9);
}

pm_built_segments pm_build_squad(const pm_track *track, const pm_extras_out *out) {
    pm_track_find_logs(track);
    pm_tangent here = pm_limited_velocity(track, 0);
    pm_built_segments built = {PM_OK, false};
    for (size_t k = 0; k < track->segment_count; k++) {
        ptrdiff_t i = (ptrdiff_t)k;
        pm_tangent next = pm_limited_velocity(track, i + 1);
        double h = pm_track_length(track, i);
        dvec3 log = pm_track_log(track, i);
        dvec3 leaving = dvec3_blend(h, here.out, -1, log);
        dvec3 arriving = dvec3_blend(1, log, -h, next.in);
        dquat from = pm_track_key(track, i);
        dquat to = pm_track_key(track, i + 1);
        put_arc(out, k, dquat_product(from, dquat_exp(dvec3_scaled(leaving, 0.5))),
                dquat_product(to, dquat_exp(dvec3_scaled(arriving, 0.5))),
                dquat_blend(1, from, 1, to));
        built.wide = built.wide || !is_narrow(leaving) || !is_narrow(arriving);
        here = next;
    }
    return built;
}
