/* SPDX-License-Identifier: MIT
 *
 * Segments of squad: the slerp of the inner points, as its middle and half arc (see
 * kernels/pm_squad.h), and the same for positions: slopes of cubics.
 */
#include "segments.h"
#include "tangents.h"

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
    const double half_pi = 1.57079632679489661923;
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

void pm_build_squad(const pm_track *track, const pm_extras_out *out) {
    pm_tangent here = pm_key_velocity(track, 0);
    for (size_t k = 0; k < track->segment_count; k++) {
        ptrdiff_t i = (ptrdiff_t)k;
        pm_tangent next = pm_key_velocity(track, i + 1);
        double h = pm_track_length(track, i);
        dvec3 log = pm_track_log(track, i);
        dquat a = dquat_exp(dvec3_blend(h / 2, here.out, -0.5, log));
        dquat b = dquat_exp(dvec3_blend(0.5, log, -h / 2, next.in));
        dquat from = pm_track_key(track, i);
        dquat to = pm_track_key(track, i + 1);
        put_arc(out, k, dquat_product(from, a), dquat_product(to, b), dquat_blend(1, from, 1, to));
        here = next;
    }
}

/* A slope times its segment, for float: only key times of absurd ratios leave its range. */
static dquat reach(dvec3 slope, double length) {
    const double most = 1e38;
    return (dquat){fmin(fmax(slope.x * length, -most), most),
                   fmin(fmax(slope.y * length, -most), most),
                   fmin(fmax(slope.z * length, -most), most), 0};
}

void pm_build_vector_cubic(const pm_track *track, const pm_extras_out *out) {
    pm_tangent here = pm_tangent_of(track, 0, PM_TANGENTS_BESSEL, pm_vector_slope);
    for (size_t k = 0; k < track->segment_count; k++) {
        ptrdiff_t i = (ptrdiff_t)k;
        pm_tangent next = pm_tangent_of(track, i + 1, PM_TANGENTS_BESSEL, pm_vector_slope);
        double length = pm_track_length(track, i);
        pm_put(out, k, 0, reach(here.out, length));
        pm_put(out, k, 1, reach(next.in, length));
        here = next;
    }
}
