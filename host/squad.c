/* SPDX-License-Identifier: MIT
 *
 * Segments of squad: the slerp of the inner points, as its middle and half arc (see
 * kernels/pm_squad.h), and the same for positions: slopes of cubics.
 */
#include "segments.h"
#include "tangents.h"

void pm_put(const pm_extras_out *out, size_t segment, unsigned extra, dquat value) {
    float *to = out->to + segment * out->row + extra * out->plane;
    to[0] = pm_stored(value.x);
    to[1] = pm_stored(value.y);
    to[2] = pm_stored(value.z);
    to[3] = pm_stored(value.w);
}

/* The slerp from a to b at any angle; exactly antipodal points turn by way of a i. */
static void put_arc(const pm_extras_out *out, size_t segment, dquat a, dquat b) {
    dquat sum = dquat_blend(1, a, 1, b);
    dquat difference = dquat_difference(b, a);
    double length = dquat_norm(sum);
    double chord = dquat_norm(difference);
    dquat middle =
        length > 0 ? dquat_scaled(sum, 1 / length) : dquat_product(a, (dquat){1, 0, 0, 0});
    double slope = chord > 0 ? atan2(chord, length) / chord : 0;
    pm_put(out, segment, 0, middle);
    pm_put(out, segment, 1, dquat_scaled(difference, slope));
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
        put_arc(out, k, dquat_product(pm_track_key(track, i), a),
                dquat_product(pm_track_key(track, i + 1), b));
        here = next;
    }
}

void pm_build_vector_cubic(const pm_track *track, const pm_extras_out *out) {
    pm_tangent here = pm_tangent_of(track, 0, PM_TANGENTS_BESSEL, pm_vector_slope);
    for (size_t k = 0; k < track->segment_count; k++) {
        ptrdiff_t i = (ptrdiff_t)k;
        pm_tangent next = pm_tangent_of(track, i + 1, PM_TANGENTS_BESSEL, pm_vector_slope);
        dvec3 leaving = dvec3_scaled(here.out, pm_track_length(track, i));
        dvec3 arriving = dvec3_scaled(next.in, pm_track_length(track, i));
        pm_put(out, k, 0, (dquat){leaving.x, leaving.y, leaving.z, 0});
        pm_put(out, k, 1, (dquat){arriving.x, arriving.y, arriving.z, 0});
        here = next;
    }
}
