/* SPDX-License-Identifier: MIT
 *
 * Segment builders: what each method stores of a segment beside its keys, computed in
 * lanes of double and rounded once. One file per family, compiled once for each
 * instruction set.
 */
#ifndef PM_HOST_SEGMENTS_H
#define PM_HOST_SEGMENTS_H

#include "track.h"

/* What a builder found out about a track, lane by lane. */
typedef struct pm_findings {
    bool no_memory;
    dmask failed; /* there is no such curve */
    dmask wide;   /* some segment needs the curve's wide form */
} pm_findings;

typedef pm_findings (*pm_segment_builder)(pm_track *track, const pm_extras_out *out);

#define PM_DECLARE_BUILDER(name)                                                                   \
    pm_findings PM_LANE_NAME(pm_build_##name)(pm_track * track, const pm_extras_out *out);
PM_BUILDERS(PM_DECLARE_BUILDER)
#undef PM_DECLARE_BUILDER

/* Defines the builder `name` of a method whose segments can be built apart, window by window,
 * by build(track, out, &findings). */
#define PM_LOCAL_BUILDER(name, build, needs_logs)                                                  \
    pm_findings PM_LANE_NAME(pm_build_##name)(pm_track * track, const pm_extras_out *out) {        \
        pm_findings findings = {0};                                                                \
        for (pm_track_look(track, 0, (needs_logs)); track->first < track->end;                     \
             pm_track_look(track, track->end, (needs_logs)))                                       \
            build(track, out, &findings);                                                          \
        return findings;                                                                           \
    }

#endif
