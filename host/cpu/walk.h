/* SPDX-License-Identifier: MIT
 *
 * Samples of all tracks on a common timeline in lanes: the kernels' own walk, compiled as C once for
 * each instruction set that has fused multiply-adds.
 */
#ifndef PM_HOST_WALK_H
#define PM_HOST_WALK_H

#include "cpu.h"
#include "kernels/pm_cursor.h"

/* A channel of tracks that share a timeline, and where their samples are. All pointers are borrowed. */
typedef struct pm_walk {
    const float *keys, *constants, *wraps; /* as in pm_channel and pm_clip_data */
    const pm_cursor *cursors;              /* of all samples, if map.scale is 0 */
    pm_uniform_map map;
    pm_u32 plane_floats, track_count;
    bool streams;      /* past the caches */
    float *to;         /* values of sample 0: (track_count, 4 or 3) */
    size_t row_floats; /* from sample to sample */
} pm_walk;

/* Computes the samples from `begin` to `end`. Thread-safe. */
typedef void (*pm_walk_function)(const pm_walk *walk, pm_u32 begin, pm_u32 end);

/* What walk.c defines for an instruction set. */
typedef struct pm_walk_functions {
    size_t lanes; /* 0: none */
    pm_walk_function of[PM_CURVE_COUNT];
} pm_walk_functions;

/* The walk of a curve; NULL where the instruction set has none, or more lanes than there are tracks. */
pm_walk_function pm_walk_function_of(size_t instruction_set, pm_curve_id curve, size_t tracks);

/* The widest instruction set of this processor that has no more lanes than there are tracks. */
size_t pm_walk_instruction_set(size_t tracks);

#endif
