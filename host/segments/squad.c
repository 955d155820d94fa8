/* SPDX-License-Identifier: MIT
 *
 * Segments of squad: the slerp of the inner points, stored as its middle and half arc (see
 * kernels/pm_squad.h).
 */
#include "builder.h"
#include "tangents.h"

/* The length below which the sum of two unit quaternions is rounding noise. */
static const double antipodal = 1e-6;

/* The direction of the component of v that is orthogonal to the unit quaternion d. */
static dquat across(dquat v, dquat d) {
    return dquat_unit(dquat_difference(v, dquat_scaled(d, dquat_dot(v, d))));
}

/* The slerp from inner point a to b, at any angle. Antipodal inner points belong to a half turn
 * from rest to rest; near such a turn, the middle of the inner points tends to the middle of the
 * keys, so the slerp passes through that. */
static void put_arc(const pm_track *track, ptrdiff_t i, dquat a, dquat b, dquat keys) {
    dquat sum = dquat_sum(a, b);
    dquat difference = dquat_difference(b, a);
    dreal length = dquat_norm(sum);
    dmask opposite = (dmask)(length < antipodal);
    dquat middle = dquat_scaled(sum, 1 / length);
    dreal angle = 0.5 * dreal_arc(0.5 * length); /* over the chord */
    if (dmask_any(opposite)) {
        dreal chord = dquat_norm(difference);
        dquat d = dquat_scaled(difference, 1 / chord);
        middle = dquat_select(opposite, across(keys, d), middle);
        angle = dreal_select(opposite, PM_HALF_PI / chord, angle);
    }
    pm_put(track, i, 0, middle);
    pm_put(track, i, 1, dquat_scaled(difference, angle));
}

static void build(pm_track *track) {
    pm_tangent here = pm_limited_velocity(track, track->first);
    for (ptrdiff_t i = track->first; i < track->end; i++) {
        pm_tangent next = pm_limited_velocity(track, i + 1);
        double h = pm_track_length(track, i);
        dvec3 log = pm_track_log(track, i);
        dvec3 leaving = dvec3_difference(dvec3_times(here.out, h), log);
        dvec3 arriving = dvec3_difference(log, dvec3_times(next.in, h));
        dquat from = pm_track_key(track, i);
        dquat to = pm_track_key(track, i + 1);
        put_arc(track, i, dquat_product(from, dquat_exp(dvec3_times(leaving, 0.5))),
                dquat_product(to, dquat_exp(dvec3_times(arriving, 0.5))), dquat_sum(from, to));
        here = next;
    }
}

const pm_segment_builder PM_SET_NAME(pm_build_squad) = {.window = build, .needs_logs = true};
