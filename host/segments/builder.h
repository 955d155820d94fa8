/* SPDX-License-Identifier: MIT
 *
 * Segment builders: what each method stores of a segment beside its keys, computed in
 * lanes of double and rounded once. One file per family, compiled once for each
 * instruction set.
 */
#ifndef PM_HOST_BUILDER_H
#define PM_HOST_BUILDER_H

#include "track.h"

/* What a builder found out about a track, lane by lane. */
typedef struct pm_findings {
    bool no_memory;
    dmask failed; /* there is no such curve */
} pm_findings;

typedef void (*pm_segment_build)(pm_track *track, const pm_coefficients_out *out,
                                 pm_findings *findings);

/* How a method's segments are built: those in the track's window, whichever it shows, or all
 * of a track at once, by moving its window. */
typedef struct pm_segment_builder {
    pm_segment_build window;
    bool needs_logs;
    pm_segment_build whole;
} pm_segment_builder;

#define PM_DECLARE_BUILDER(name) extern const pm_segment_builder PM_SET_NAME(pm_build_##name);
PM_BUILDERS(PM_DECLARE_BUILDER)
#undef PM_DECLARE_BUILDER

#endif
