/* SPDX-License-Identifier: MIT
 *
 * Segment builders: what each method stores of a segment beside its keys, computed in
 * double and rounded once. One file per family.
 */
#ifndef PM_HOST_SEGMENTS_H
#define PM_HOST_SEGMENTS_H

#include "track.h"

/* Where extra e of segment i goes: to + i * row + e * plane, 4 floats. */
typedef struct pm_extras_out {
    float *to;
    size_t row;
    size_t plane;
} pm_extras_out;

/* Rounds and stores; returns what was stored. */
dquat pm_put(const pm_extras_out *out, size_t segment, unsigned extra, dquat value);

/* What a builder found out about a track. */
typedef struct pm_built_segments {
    pm_status status; /* PM_OK, PM_ERROR_MEMORY, or PM_ERROR_KEY when there is no such curve */
    bool wide;        /* some segment needs the curve's wide form */
} pm_built_segments;

typedef pm_built_segments (*pm_segment_builder)(const pm_track *track, const pm_extras_out *out);

pm_built_segments pm_build_sterp(const pm_track *track, const pm_extras_out *out);
pm_built_segments pm_build_squad(const pm_track *track, const pm_extras_out *out);
pm_built_segments pm_build_circular(const pm_track *track, const pm_extras_out *out);
pm_built_segments pm_build_phased(const pm_track *track, const pm_extras_out *out);
pm_built_segments pm_build_hermite(const pm_track *track, const pm_extras_out *out);
pm_built_segments pm_build_spline(const pm_track *track, const pm_extras_out *out);
pm_built_segments pm_build_bspline(const pm_track *track, const pm_extras_out *out);
pm_built_segments pm_build_cubicspline(const pm_track *track, const pm_extras_out *out);
pm_built_segments pm_build_vector_cubic(const pm_track *track, const pm_extras_out *out);
pm_built_segments pm_build_vector_parabolas(const pm_track *track, const pm_extras_out *out);
pm_built_segments pm_build_vector_spline(const pm_track *track, const pm_extras_out *out);
pm_built_segments pm_build_vector_bspline(const pm_track *track, const pm_extras_out *out);

/* What a method stores once for a track: statics[plane * k] is static k, 4 floats. */
typedef void (*pm_static_builder)(const pm_clip_desc *desc, size_t track, float *statics,
                                  size_t plane);

void pm_build_sterp_windows(const pm_clip_desc *desc, size_t track, float *statics, size_t plane);

#endif
