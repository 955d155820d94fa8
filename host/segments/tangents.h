/* SPDX-License-Identifier: MIT
 *
 * Tangent rules: the rate at a key from the slopes of the adjacent segments. The same rules
 * apply to half-angle velocities of rotations and to velocities of vectors.
 */
#ifndef PM_HOST_TANGENTS_H
#define PM_HOST_TANGENTS_H

#include "track.h"

/* The rates at which the curve arrives at a key (in) and leaves it (out). */
typedef struct pm_tangent {
    dvec3 in, out;
} pm_tangent;

#define pm_rotation_slope PM_SET_NAME(pm_rotation_slope)
#define pm_vector_slope PM_SET_NAME(pm_vector_slope)
#define pm_tangent_of PM_SET_NAME(pm_tangent_of)
#define pm_end_rate PM_SET_NAME(pm_end_rate)
#define pm_key_velocity PM_SET_NAME(pm_key_velocity)
#define pm_limited_velocity PM_SET_NAME(pm_limited_velocity)

/* Mean rate over segment i, per second. */
typedef dvec3 (*pm_slope)(const pm_track *track, ptrdiff_t i);

dvec3 pm_rotation_slope(const pm_track *track, ptrdiff_t i);
dvec3 pm_vector_slope(const pm_track *track, ptrdiff_t i);

/* The tangent of key i by a rule, with the description's rule for ends. */
pm_tangent pm_tangent_of(const pm_track *track, ptrdiff_t i, pm_tangents rule, pm_slope slope);

/* The rate at an end key of an open track by the description's rule for ends, which must not be
 * natural. step is 1 at the first key, -1 at the last. */
dvec3 pm_end_rate(const pm_track *track, ptrdiff_t i, ptrdiff_t step, pm_slope slope);

/* The half-angle velocities of key i by the description's tangent rule. */
pm_tangent pm_key_velocity(const pm_track *track, ptrdiff_t i);

/* The same, limited for squad unless the description sets `unlimited` (docs/methods.md, "squad"). */
pm_tangent pm_limited_velocity(const pm_track *track, ptrdiff_t i);

#endif
