/* SPDX-License-Identifier: MIT
 *
 * Samples in lanes, compiled once for each instruction set that has fused multiply-adds: of tracks on a
 * common timeline by the kernels' own walk, and of single tracks.
 */
#ifndef PM_HOST_WALK_H
#define PM_HOST_WALK_H

#include "cpu.h"
#include "kernels/pm_cursor.h"

/* A channel of tracks, and where their samples are. All pointers are borrowed. */
typedef struct pm_walk {
    const float *keys, *constants, *wraps; /* as in pm_channel and pm_clip_data */
    const pm_track_layout *layout;         /* (track_count) */
    const pm_cursor *cursors; /* of all samples, for each timeline, if map.scale is 0 */
    size_t cursor_row;        /* cursors of a timeline */
    pm_uniform_map map;
    size_t padded_tracks;
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
    pm_walk_function of_tracks[PM_CURVE_COUNT]; /* samples of a track in lanes */
} pm_walk_functions;

/* So many tracks are one to a lane, even if some lanes are empty. */
enum { PM_LEAST_ACROSS = 8 };

/* Fewer tracks go past the caches in lanes of samples: rows of them are not whole lines. */
enum { PM_STREAMED_TRACKS = 16 };

/* Whether an output of a request is so large that it goes past the caches. */
static inline bool pm_walk_streams_output(const pm_sample_request *request, unsigned output) {
    return pm_sample_output_bytes(request, output) >= PM_MIN_STREAM_BYTES;
}

/* Whether the walk of an instruction set is in lanes of so many tracks. */
bool pm_walk_is_across(size_t instruction_set, size_t tracks, bool streams);

/* The walk of a curve in lanes of `tracks` tracks that share a timeline. With fewer tracks than lanes, with
 * few that go past the caches, and for 0 tracks, it is that in lanes of samples. NULL where the
 * instruction set has none. */
pm_walk_function pm_walk_function_of(size_t instruction_set, pm_curve_id curve, size_t tracks,
                                     bool streams);

/* Likewise for keys of 48 bits, in lanes of tracks: NULL where there are too few. */
pm_walk_function pm_walk_codes_function_of(size_t instruction_set, pm_curve_id curve,
                                           pm_key_format format, size_t tracks, bool streams);

/* The widest instruction set of this processor whose walk is in lanes of so many tracks, or the widest of
 * all where there is none. */
size_t pm_walk_instruction_set(size_t tracks, bool streams);

#endif
