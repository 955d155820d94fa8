/* SPDX-License-Identifier: MIT
 *
 * Points that trajectories move, a block at a time: what points_lanes.c defines for each instruction set.
 */
#ifndef PM_HOST_POINTS_H
#define PM_HOST_POINTS_H

#include "cpu.h"

typedef double pm_point_numbers[PM_POINTS_BLOCK];

typedef struct pm_points_block {
    size_t count;
    const int64_t *stamps; /* the caller's, or those that are read into own_stamps */
    int64_t own_stamps[PM_POINTS_BLOCK];
    pm_stamp_places places[PM_MAX_FRAMES];
    pm_u32 tracks[PM_MAX_FRAMES][PM_POINTS_BLOCK];
    bool one_track[PM_MAX_FRAMES]; /* tracks[f][0] is that of all */
    pm_point_numbers x[3];         /* the points, which are moved */
    pm_point_numbers q[4], p[3];   /* the poses that move them */
    pm_point_numbers v[3], w[3];   /* velocities in W */
    bool in_double;                /* something is computed from x */
    /* Of singles: points without gaps, the caller's or in `singles`, and where they are written to likewise; their
     * pm_point_arcs, of which `arcs_at` has the places in floats, [0] alone where all points are in one segment. */
    const float *from;
    float *to, singles[3 * PM_POINTS_BLOCK], u[PM_POINTS_BLOCK];
    const float *arcs;
    pm_u64 arcs_at[PM_POINTS_BLOCK];
    bool odd; /* set: some result is NaN: in all of its coordinates */
} pm_points_block;

static inline pm_u32 pm_track_of(const pm_points_block *b, unsigned f, size_t i) {
    return b->tracks[f][b->one_track[f] ? 0 : i];
}

/* Moves the points and computes what the request asks for beside them. Thread-safe. */
typedef void (*pm_points_function)(const pm_points_request *request, pm_points_block *block);

#endif
