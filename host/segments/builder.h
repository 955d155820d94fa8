/* SPDX-License-Identifier: MIT
 *
 * Segment builders: they compute the segment coefficients of each method in lanes of double, and
 * round once. One file per family of methods, compiled once for each instruction set.
 */
#ifndef PM_HOST_BUILDER_H
#define PM_HOST_BUILDER_H

#include "track.h"

/* Failures of a builder, lane by lane. */
typedef struct pm_findings {
    bool no_memory;
    dmask failed; /* the curve does not exist: its velocities do not converge, or turn too far */
} pm_findings;

typedef void (*pm_segment_build)(pm_track *track, const pm_coefficients_out *out,
                                 pm_findings *findings);

/* The builder of a method's segments. `window` builds the segments in the track's window. `whole`
 * builds all segments of a track and moves the window itself. Either may be NULL. */
typedef struct pm_segment_builder {
    pm_segment_build window;
    bool needs_logs; /* `window` reads the logs of the track's window */
    pm_segment_build whole;
} pm_segment_builder;

#define PM_DECLARE_BUILDER(name) extern const pm_segment_builder PM_SET_NAME(pm_build_##name);
PM_BUILDERS(PM_DECLARE_BUILDER)
#undef PM_DECLARE_BUILDER

/* Cubics in the space of rotation vectors, for any rule that finds their velocities. Stores segment i from the full angular velocities, in rad/s and in the body frame, with which
 * the curve leaves the segment's first key and arrives at its second. Sets findings->failed in
 * lanes where the cubic is too long. */
#define pm_put_hermite PM_SET_NAME(pm_put_hermite)
void pm_put_hermite(const pm_track *track, const pm_coefficients_out *out, ptrdiff_t i,
                    dvec3 leaving, dvec3 arriving, pm_findings *findings);

#endif
