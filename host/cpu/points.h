/* SPDX-License-Identifier: MIT
 *
 * Points that trajectories move, a block at a time: what points_lanes.c defines for each instruction set.
 */
#ifndef PM_HOST_POINTS_H
#define PM_HOST_POINTS_H

#include "cpu.h"

typedef enum pm_stamp_state {
    PM_STAMP_INSIDE = 0,
    PM_STAMP_CLAMPED,
    PM_STAMP_AHEAD,     /* extrapolated */
    PM_STAMP_NOT_VALID, /* whose place is any */
    PM_STAMP_REFUSED
} pm_stamp_state;

/* Stamps of a block: as many as the arrays of which a core's first cache holds. A multiple of the lanes. */
enum { PM_POINTS_BLOCK = 256 };

/* The places of the stamps of a block, each on the timeline of its track. Where all are in one segment, below its end,
 * of `segments` only [0] is set, and of points in float32 alone pm_points_block.u in place of u. */
typedef struct pm_stamp_places {
    pm_u32 segments[PM_POINTS_BLOCK];
    double u[PM_POINTS_BLOCK];
    double ahead
        [PM_POINTS_BLOCK]; /* of PM_STAMP_AHEAD: seconds behind the last key, or below 0 before the first */
    uint8_t states[PM_POINTS_BLOCK]; /* pm_stamp_state; not set in one segment */
    bool all_inside;                 /* every state is PM_STAMP_INSIDE */
    bool in_one_segment;             /* all are inside of one, of one track */
} pm_stamp_places;

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

/* Of an instruction set. Thread-safe. */
typedef struct pm_points_functions {
    /* Locates the stamps of a block in frame f; *hint is the segment to try first. Where many of the first are in one
     * segment, only those: the block becomes shorter. */
    void (*locate)(const pm_points_request *request, unsigned f, size_t *hint,
                   pm_points_block *block);
    /* Moves the points and computes what the request asks for beside them. */
    void (*move)(const pm_points_request *request, pm_points_block *block);
} pm_points_functions;

#ifdef PM_INSTRUCTION_SET
void PM_SET_NAME(pm_points_locate)(const pm_points_request *request, unsigned f, size_t *hint,
                                   pm_points_block *block);
#endif

#endif
