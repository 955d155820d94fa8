/* SPDX-License-Identifier: MIT
 *
 * Tracks of one timeline, a track per lane, for segment builders: the stored keys in double, with a
 * loop's keys continued past both ends, in a window that moves along the tracks, so that its
 * contents stay in the cache. A track belongs to one thread.
 */
#ifndef PM_HOST_TRACK_H
#define PM_HOST_TRACK_H

#include "lane_memory.h"
#include "segments.h"

/* An array of a description in lanes. Lanes beyond the last track repeat it. */
typedef struct pm_lane_views {
    const unsigned char *data[PM_DOUBLES]; /* NULL: not given */
    pm_number type;
    unsigned components;
    size_t stride; /* bytes from key to key */
    bool adjacent; /* the rows of neighbouring lanes are contiguous */
} pm_lane_views;

typedef struct pm_track {
    const pm_block *block;
    size_t count;     /* lanes in use; the others repeat the last track */
    size_t key_count; /* at least 2: a single key is stored twice */
    size_t segment_count;
    bool loop;
    bool single; /* one key, stored twice */
    unsigned components;
    dreal wrap;          /* of a loop: the sign with which key 0 follows the last key */
    const double *times; /* (segment_count + 1): segment borders in seconds */
    const pm_clip_desc *desc;
    size_t index[PM_DOUBLES]; /* the track in each lane */
    pm_lane_views given;      /* the description's keys */
    pm_lane_views user_tangents;
    pm_lane_views tangents_in, tangents_out; /* of cubicspline */
    dquat before;                            /* the previous key; of 48 bits: as decoded */
    dquat head[2], tail; /* of a loop: the first two keys and the last one, as stored */

    /* Where the planes are stored: plane p of row i is at planes + (i - base) * row + p * plane, 4
     * floats per lane, or 1 of scalars. Plane 0 is the keys, plane 1 + e coefficient e. */
    float *planes;
    size_t row, plane;
    ptrdiff_t base; /* the first row that is held: 0, or of a stream's window; may be -1 */
    size_t room;    /* lanes that fit a plane, at most PM_DOUBLES */

    pm_window *window; /* shared with the tracks of the other lanes */
    dvec3 axis;        /* of sterp */

    /* Where the builder finds rates first, that of key i is at i & rates_mask: those of all keys, or of the
     * last two ranges. Owned; else NULL. */
    dvec3 *rates;
    size_t rates_mask;
    bool no_memory;
    dmask failed; /* the curve does not exist: its velocities do not converge, or turn too far */
} pm_track;

/* Moves the window to `segments` segments from `first` on, at most PM_WINDOW, with what is needed:
 * PM_NEEDS_*. first == end afterwards when the track has no more segments. */
#define pm_track_look PM_SET_NAME(pm_track_look)
void pm_track_look(pm_track *track, ptrdiff_t first, size_t segments, unsigned needs);

/* Sets what is given for key i of the window, or has been found, for the segments on both of its sides. */
#define pm_track_give PM_SET_NAME(pm_track_give)
void pm_track_give(const pm_track *track, ptrdiff_t i, unsigned needs);

/* What of PM_NEEDS_* a window does not hold for all of its keys. */
#define PM_NEEDS_GIVEN (PM_NEEDS_USER | PM_NEEDS_IN_OUT | PM_NEEDS_RATES)

/* Row `key` of an array, with 0 for missing components. */
#define pm_given_row PM_SET_NAME(pm_given_row)
dquat pm_given_row(const pm_lane_views *rows, size_t key);

/* `row` may be -1. */
static inline float *pm_row_of(const pm_track *track, ptrdiff_t row) {
    return track->planes + (row - track->base) * (ptrdiff_t)track->row;
}

/* From the numbers of a track in a plane to those of its neighbour. */
static inline size_t pm_place_floats(unsigned components) {
    return components == 1 ? 1 : 4;
}

/* Plane 0 of a row, as stored. */
static inline dquat pm_get(const pm_track *track, ptrdiff_t row) {
    const float *from = pm_row_of(track, row);
    if (track->components == 1)
        return (dquat){.x = dreal_load_some(from, track->room)};
    return track->room == PM_DOUBLES ? dquat_load(from, PM_FLOAT32)
                                     : dquat_load_some(from, track->room);
}

/* A stored key as segments are built from it. Vectors are not normalised. */
static inline dquat pm_normalised_key(const pm_track *track, dquat stored) {
    return track->components == 4 ? pm_normalised_again(stored, track->block->keeps_keys) : stored;
}

/* Rounds the numbers of each lane to float32 and stores them. */
static inline void pm_put_plane(const pm_track *track, ptrdiff_t row, unsigned plane, dquat value) {
    float *to = pm_row_of(track, row) + plane * track->plane;
    if (track->components == 1)
        dreal_store_some(to, value.x, track->room);
    else if (track->room == PM_DOUBLES)
        dquat_store(to, value);
    else
        dquat_store_some(to, value, track->room);
}

static inline void pm_put(const pm_track *track, ptrdiff_t segment, unsigned coefficient,
                          dquat value) {
    pm_put_plane(track, segment, 1 + coefficient, value);
}

#endif
