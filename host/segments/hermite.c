/* SPDX-License-Identifier: MIT
 *
 * Segments of hermite: the coefficients of a cubic rotation vector (docs/methods.md, "hermite"), multiplied by their key as kernels/pm_hermite.h requires.
 */
#include "builder.h"

#include "rotation_vector.h"
#include "tangents.h"

/* The largest half angle, in rad. Beyond it float32 cannot resolve the position within a turn. */
static const double max_half_angle = 1e4;

/* A bound of the cubic's squared length: the cubic stays within the convex hull of its control points. */
static dreal max_length2_of(dvec3 leaving, dvec3 arriving, dvec3 log) {
    dvec3 third = dvec3_difference(log, dvec3_times(arriving, 1.0 / 3));
    dreal inner2 = dreal_max(dvec3_dot(leaving, leaving) * (1.0 / 9), dvec3_dot(third, third));
    return dreal_max(inner2, dvec3_dot(log, log));
}

void pm_put_hermite(pm_track *track, ptrdiff_t i, dvec3 leaving, dvec3 arriving) {
    dquat key = pm_track_key(track, i);
    dvec3 log = pm_track_log(track, i);
    double half = pm_track_length(track, i) / 2;
    dvec3 c1 = dvec3_times(leaving, half);
    dvec3 end = dvec3_times(pm_jr_inverse(dvec3_times(log, 2), arriving), half);
    track->failed |= ~(dmask)(max_length2_of(c1, end, log) <= max_half_angle * max_half_angle);
    pm_put(track, i, 0, dquat_times_vector(key, log));
    pm_put(track, i, 1, dquat_times_vector(key, dvec3_difference(c1, log)));
    pm_put(track, i, 2, dquat_times_vector(key, dvec3_difference(log, end)));
}

static void build(pm_track *track) {
    pm_tangent here = pm_key_velocity(track, track->first);
    for (ptrdiff_t i = track->first; i < track->end; i++) {
        pm_tangent next = pm_key_velocity(track, i + 1);
        pm_put_hermite(track, i, dvec3_times(here.out, 2), dvec3_times(next.in, 2));
        here = next;
    }
}

const pm_segment_builder PM_SET_NAME(pm_build_hermite) = {.window = build, .needs_logs = true};
