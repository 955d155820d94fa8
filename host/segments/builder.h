/* SPDX-License-Identifier: MIT
 *
 * Segment builders: they compute the segment coefficients of each method in lanes of double, and
 * round once. One file per family of methods, compiled once for each instruction set.
 */
#ifndef PM_HOST_BUILDER_H
#define PM_HOST_BUILDER_H

#include "track.h"

/* The builder of a method's segments: `window` builds those in the track's window. `prepare`, which may be
 * NULL, first finds the track's rates from all of its keys; it moves the window itself. `prepare_range`,
 * likewise, finds those of the keys from `from` to `end`, a range of PM_RANGE keys from a multiple of it
 * on, from them and PM_HALO + 1 keys on both sides; it returns the lanes that require all keys. */
typedef struct pm_segment_builder {
    void (*window)(pm_track *track);
    bool needs_logs; /* `window` reads the logs of the track's window */
    void (*prepare)(pm_track *track);
    dmask (*prepare_range)(pm_track *track, size_t from, size_t end);
} pm_segment_builder;

#define PM_DECLARE_BUILDER(name) extern const pm_segment_builder PM_SET_NAME(pm_build_##name);
PM_BUILDERS(PM_DECLARE_BUILDER)
#undef PM_DECLARE_BUILDER

/* Cubics in the space of rotation vectors, for any rule that finds their velocities. Stores segment
 * i from the full angular velocities, in rad/s and in the body frame, with which the curve leaves
 * the segment's first key and arrives at its second. Lanes where the cubic is too long fail. */
#define pm_put_hermite PM_SET_NAME(pm_put_hermite)
void pm_put_hermite(pm_track *track, ptrdiff_t i, dvec3 leaving, dvec3 arriving);

#endif
