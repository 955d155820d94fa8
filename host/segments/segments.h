/* SPDX-License-Identifier: MIT
 *
 * The door of this room: the curves that kernels evaluate, and building what they store of a block
 * of tracks, keys and segment coefficients, from a description's arrays. What a method is, where a
 * clip keeps its planes, and threads are not known here.
 */
#ifndef PM_HOST_SEGMENTS_H
#define PM_HOST_SEGMENTS_H

#include <stdbool.h>

#include <posemill/posemill.h>

#include "array_view.h"
#include "curves.h"
#include "key_format.h"
#include "windows.h"

/* Neighbouring tracks of one timeline, one channel of them: what to read, what to build, and where
 * it goes. */
typedef struct pm_block {
    const pm_clip_desc *desc; /* checked; for the options of curves */
    unsigned channel;         /* PM_ROTATIONS and so on */
    size_t track, count;      /* at most PM_BLOCK_TRACKS */
    size_t first_row;         /* number of keys of all tracks before `track` */

    pm_builder builder;
    bool keeps_signs; /* keys are not unrolled */

    size_t key_count; /* without a loop's closing key */
    size_t segment_count;
    bool loop;
    bool single;         /* one key */
    const double *times; /* segment_count + 1 borders of segments */

    pm_key_format format;
    void *keys;              /* the channel's, of all tracks */
    pm_track_layout *layout; /* likewise; `wrap` is written */
    size_t room;             /* tracks that planes have room for from `track` on, padding too */
} pm_block;

/* Segments of so many tracks are written together: memory prefers that to each track, or each
 * vector of tracks, on a way of its own through all segments. */
enum { PM_BLOCK_TRACKS = 64 };

typedef struct pm_block_result {
    pm_status status; /* PM_OK, PM_ERROR_MEMORY, or PM_ERROR_KEY where there is no such curve */
    size_t failed;    /* for PM_ERROR_KEY: the first such track */
} pm_block_result;

/* What is compiled once for each instruction set. What a track gives does not depend on the tracks
 * in the lanes beside it. */
typedef struct pm_segment_functions {
    size_t lanes;
    pm_block_result (*build)(const pm_block *block);
    /* Over numbers one after another. Whether `count` quaternions are finite with norms well within
     * 1e-3 of 1: yes is certain, no is not. Whether no number is NaN or larger than max. */
    bool (*are_rotations)(const void *data, pm_number type, size_t count);
    bool (*are_within)(const void *data, pm_number type, size_t count, double max);
} pm_segment_functions;

/* In the order of PM_INSTRUCTION_SETS. */
const pm_segment_functions *pm_segment_functions_at(size_t instruction_set);

/* Of the instruction sets that the processor supports, the narrowest that holds so many tracks, or
 * the widest: few tracks do not pay for lanes that they leave empty. */
const pm_segment_functions *pm_segment_functions_for(size_t tracks);

#endif
