/* SPDX-License-Identifier: MIT
 *
 * Segments of hermite: the coefficients of a cubic rotation vector (spec: methods,
 * section 7), multiplied by their key as kernels/pm_hermite.h wants them.
 */
#include "hermite.h"

#include "rotation_vector.h"
#include "tangents.h"

static const double half_pi = 1.57079632679489661923;

/* Half angles beyond which float32 cannot say where in its turn a rotation is. */
static const double farthest = 1e4;

static double length_of(dvec3 v) {
    return sqrt(dvec3_dot(v, v));
}

/* The cubic stays within the hull of its control points. */
static double reach_of(dvec3 leaving, dvec3 arriving, dvec3 log) {
    dvec3 third = dvec3_blend(1, log, -1.0 / 3, arriving);
    return fmax(length_of(leaving) / 3, fmax(length_of(third), length_of(log)));
}

static dquat times_vector(dquat q, dvec3 v) {
    return dquat_product(q, (dquat){v.x, v.y, v.z, 0});
}

void pm_put_hermite(const pm_track *track, const pm_extras_out *out, ptrdiff_t i, dvec3 leaving,
                    dvec3 arriving, pm_built_segments *built) {
    dquat key = pm_track_key(track, i);
    dvec3 log = pm_track_log(track, i);
    double half = pm_track_length(track, i) / 2;
    dvec3 c1 = dvec3_scaled(leaving, half);
    dvec3 end = dvec3_scaled(pm_jr_inverse(dvec3_scaled(log, 2), arriving), half);
    double reach = reach_of(c1, end, log);
    if (!(reach <= farthest))
        built->status = PM_ERROR_KEY;
    built->wide = built->wide || reach > half_pi * (1 + 1e-9);
    pm_put(out, (size_t)i, 0, times_vector(key, log));
    pm_put(out, (size_t)i, 1, times_vector(key, dvec3_blend(1, c1, -1, log)));
    pm_put(out, (size_t)i, 2, times_vector(key, dvec3_blend(1, log, -1, end)));
}

pm_built_segments pm_build_hermite(const pm_track *track, const pm_extras_out *out) {
    pm_built_segments built = {PM_OK, false};
    pm_track_find_logs(track);
    pm_tangent here = pm_key_velocity(track, 0);
    for (size_t k = 0; k < track->segment_count; k++) {
        pm_tangent next = pm_key_velocity(track, (ptrdiff_t)k + 1);
        pm_put_hermite(track, out, (ptrdiff_t)k, dvec3_scaled(here.out, 2),
                       dvec3_scaled(next.in, 2), &built);
        here = next;
    }
    return built;
}
