/* SPDX-License-Identifier: MIT
 *
 * Segment builders: they compute the segment coefficients of each method in lanes of double, and
 * round once, by the formulas of kernels/pm_builders.h. Compiled once for each instruction set.
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
    unsigned needs; /* what `window` reads: PM_NEEDS_* */
    void (*prepare)(pm_track *track);
    dmask (*prepare_range)(pm_track *track, size_t from, size_t end);
} pm_segment_builder;

/* By pm_builder. */
#define pm_segment_builders PM_SET_NAME(pm_segment_builders)
extern const pm_segment_builder pm_segment_builders[];

/* Those of spline and of vector_spline. */
#define pm_prepare_spline PM_SET_NAME(pm_prepare_spline)
#define pm_prepare_spline_range PM_SET_NAME(pm_prepare_spline_range)
#define pm_prepare_vector_spline PM_SET_NAME(pm_prepare_vector_spline)
void pm_prepare_spline(pm_track *track);
dmask pm_prepare_spline_range(pm_track *track, size_t from, size_t end);
void pm_prepare_vector_spline(pm_track *track);

#endif
