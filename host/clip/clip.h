/* SPDX-License-Identifier: MIT
 *
 * The door of this room: a clip's keys and segment coefficients in the layout that kernels read,
 * built on the host from a description. Independent of engines and devices.
 */
#ifndef PM_HOST_CLIP_H
#define PM_HOST_CLIP_H

#include <stdatomic.h>

#include "segments/segments.h"
#include "timeline.h"

/* The implementation of a method: a curve, and the builders of its segment coefficients and track
 * constants. */
typedef struct pm_method_impl {
    pm_curve_id curve;
    pm_builder segments;            /* PM_BUILD_nothing: no coefficients */
    pm_constants_builder constants; /* NULL: no track constants */
    bool uniform;                   /* requires uniform keys */
    bool keeps_keys;                /* keys are neither unrolled nor normalised */
    bool user_tangents;             /* reads desc->user_tangents under PM_TANGENTS_USER */
    bool both_tangents;             /* requires an in- and an out-tangent per key */
} pm_method_impl;

/* The implementations that a checked description selects: for rotations, for positions and scales,
 * and for a channel (PM_ROTATIONS and so on). */
pm_method_impl pm_rotation_impl(const pm_clip_desc *desc);
pm_method_impl pm_vector_impl(const pm_clip_desc *desc);
pm_method_impl pm_channel_impl(const pm_clip_desc *desc, unsigned channel);

/* Keys behind the one before a sample that the sample depends on: 1 or 2. 0: all keys. */
size_t pm_impl_latency(const pm_method_impl *impl);

/* The longer of two latencies. */
static inline size_t pm_longer_latency(size_t a, size_t b) {
    return a == 0 || b == 0 ? 0 : a > b ? a : b;
}

/* The track's element of desc->timelines, as desc->timeline_of selects it. Borrowed. */
const pm_timeline *pm_timeline_of_track(const pm_clip_desc *desc, size_t track);

/* The format that a channel's keys are stored in. */
pm_key_format pm_channel_format(const pm_clip_desc *desc, unsigned channel);

/* Whether desc->user_tangents are read. */
bool pm_takes_user_tangents(const pm_clip_desc *desc);

/* Lanes of the widest vector in the kernels. Tracks are padded so that no lane loads past the end:
 * to a multiple of this number, or to a power of 2 below it. */
enum { PM_TRACK_GROUP = 16 };

/* The number of the first scalar in a row: those before it are the position of the root. */
enum { PM_FIRST_SCALAR = 3 };

/* Rotations, positions or scales of all tracks. The arrays belong to the clip or crowd that holds
 * the channel. */
typedef struct pm_channel {
    bool present;
    bool of_root;  /* one track alone has keys, the first in the order of the planes */
    size_t places; /* tracks for which a plane of a common timeline, or of constants, has room */
    size_t
        scalars; /* of positions: numbers behind the root's, from PM_FIRST_SCALAR of a plane on */
    pm_method_impl impl;
    unsigned components;    /* per value: 4 or 3 */
    pm_key_format format;   /* of `keys` */
    size_t key_numbers;     /* size of `keys` in floats, as pm_track_layout counts */
    size_t key_bytes;       /* size of `keys` in bytes */
    size_t constant_floats; /* size of `constants` in floats, without one extra float at the end */
    pm_pool_block *memory;  /* of `keys`; NULL in a clip of a crowd */
    void *keys;             /* float32 planes: see pm_track_layout; else 48-bit: key_format.h */
    /* Plane k of track t at (k * places + t) * 4. Of curves with four keys, the spacing of each
     * segment, as the clip's rates. */
    float *constants;
    pm_track_layout *layout; /* (track_count) */
} pm_channel;

/* Rows of a track that precede that of its first key. */
static inline size_t pm_rows_before(const pm_channel *channel) {
    return pm_curves[channel->impl.curve].four_keys ? 1 : 0;
}

/* Immutable once built, so that threads may share it. Owns its arrays, but for the planes and the
 * order of a clip that is built into a crowd. */
typedef struct pm_clip_data {
    const pm_host *host; /* of its memory and its calls: borrowed. NULL: none */
    size_t track_count;
    size_t padded_tracks;
    const uint32_t
        *order; /* (track_count): the track at each place of the crowd's planes; or NULL */
    const uint32_t *scalar_order; /* likewise of scalars, set before they are built */
    bool common_timeline;         /* one timeline for all tracks: their planes are interleaved */
    size_t timeline_count;
    pm_clip_timeline *timelines;
    uint32_t *timeline_of; /* (track_count): index into timelines */
    pm_channel channels[PM_CHANNEL_COUNT];
    float *rates;      /* (rate_count): 1/seconds of each segment, timeline after timeline */
    size_t rate_count; /* segments of all timelines */
    float *wraps;      /* (padded_tracks): 1 or -1, the sign of rotations in odd laps of a loop */
    pm_method method;
    const struct pm_clip_data *whole; /* of a subset: its clip, which it holds; else NULL */
    atomic_size_t holders;            /* beside the owner */
} pm_clip_data;

/* Limits for building a clip. */
typedef struct pm_clip_limits {
    const pm_host *host;           /* borrowed by the clip; may be NULL */
    size_t threads;                /* maximum number of host threads, at least 1 */
    uint64_t max_allocation_bytes; /* for a channel's keys; 0: no limit */
    pm_pool *pool;                 /* for keys (borrowed); may be NULL */
    bool is_checked;               /* the description has passed pm_clip_check */
    bool without_keys;             /* a device builds them */
} pm_clip_limits;

/* Checks the description, lays out the clip and builds it. Returns PM_ERROR_DEVICE_MEMORY, before
 * any segment is computed, when a channel's keys exceed the limit. The clip does not refer to the
 * description afterwards. The caller owns it; free it with pm_clip_data_free. Thread-safe. */
pm_status pm_clip_data_build(const pm_clip_desc *desc, const pm_clip_limits *limits,
                             pm_clip_data **clip, pm_error *error);

/* The part of pm_clip_check that reads no key and no tangent: where these have data, it may be any address. */
pm_status pm_clip_check_shape(const pm_clip_desc *desc, pm_error *error);

/* As pm_clip_check, for a clip of a crowd whose first root is the track `root`. */
pm_status pm_clip_check_joints(const pm_clip_desc *desc, size_t root, pm_error *error);

/* Lays out a checked description for the planes of a crowd, which pm_clip_data_place names: the track
 * at each place is order[place] (borrowed). The planes of a common timeline have no padding, because
 * what a vector loads past their end is behind them in the crowd; those with scalars have whole quads.
 * Such a clip has no rates. The caller owns it. */
pm_status pm_clip_data_lay_out(const pm_host *host, const pm_clip_desc *desc, const uint32_t *order,
                               pm_clip_data **clip, pm_error *error);

/* The planes that a channel is built into (borrowed): its keys begin at number `first` of `keys`. */
void pm_clip_data_place(pm_clip_data *clip, unsigned channel, void *keys, size_t first,
                        float *constants);

/* Fills the channels of a clip that is laid out, from its checked description, with up to `threads`
 * threads. On failure the caller frees the clip. */
pm_status pm_clip_build_tracks(const pm_clip_desc *desc, size_t threads, pm_clip_data *clip,
                               pm_error *error);

/* Likewise all but the keys and the signs of laps: what a device does not build. */
void pm_clip_build_beside_keys(const pm_clip_desc *desc, pm_clip_data *clip);

/* Neighbouring tracks of a channel, whose planes are built a window of segments at a time: for samples
 * that are computed while their segments are in the cache. A stream belongs to one thread. */
typedef struct pm_clip_stream {
    const pm_segment_functions *functions;
    void *state; /* of `functions`; owned */
    bool is_open;
    float *planes;                /* rows of planes; owned */
    float *constants;             /* as in pm_channel, of these tracks; owned */
    size_t row, plane;            /* floats */
    float wraps[PM_BLOCK_TRACKS]; /* as in pm_clip_data, of these tracks */
} pm_clip_stream;

/* Whether a channel can be built so, unless a window says otherwise: the tracks share a timeline of
 * several keys, which are float32, and a segment depends on near keys alone. */
bool pm_clip_streams(const pm_clip_desc *desc, const pm_clip_data *clip, unsigned channel);

/* Opens a stream of `count` tracks from `place` on, at most PM_BLOCK_TRACKS, of a clip that is laid
 * out and of its checked description, which are borrowed. Free with pm_clip_stream_close. */
pm_status pm_clip_stream_open(const pm_clip_desc *desc, const pm_clip_data *clip, unsigned channel,
                              size_t place, size_t count, pm_clip_stream *stream, pm_error *error);

/* Moves the window to `count` segments from `first` on, at most PM_WINDOW. Coefficients are built only
 * if asked for. Its first segment is at row `row` of the result; where that says `needs_all`, the tracks
 * cannot be built in windows after all. Windows in ascending order are fastest: one that begins before the
 * last one reads all keys up to it. Failures add up. */
pm_block_result pm_clip_stream_seek(pm_clip_stream *stream, size_t first, size_t count,
                                    bool with_segments);
void pm_clip_stream_close(pm_clip_stream *stream);

/* Reports what failed as tracks were built: PM_OK if nothing, PM_ERROR_MEMORY, or PM_ERROR_KEY where the
 * curve of a track does not exist. */
pm_status pm_clip_fail_build(const pm_clip_desc *desc, const pm_first_failure *failure,
                             pm_error *error);

/* Makes a clip stay until it is let go, also where its owner frees it before; all but its `host` may then be read.
 * pm_clip_data_let accepts NULL. Thread-safe. */
void pm_clip_data_hold(const pm_clip_data *clip);
void pm_clip_data_let(const pm_clip_data *clip);

/* Some tracks of a clip, each at most once, in this order. It holds the clip, shares its keys and timelines, and its
 * planes are not side by side. Free with pm_clip_data_free. Thread-safe. */
pm_status pm_clip_subset(const pm_clip_data *clip, const uint32_t *tracks, size_t count,
                         pm_clip_data **subset, pm_error *error);

/* Gives a subset the keys that its clip did not have when it was made; does nothing to other clips. */
void pm_clip_subset_fetch(const pm_clip_data *clip);

/* Frees the clip, unless it is held, and clears the pointer; accepts a pointer to NULL. */
void pm_clip_data_free(pm_clip_data **clip);

/* The timeline of a track. */
static inline const pm_clip_timeline *pm_clip_timeline_of(const pm_clip_data *clip, size_t track) {
    return &clip->timelines[clip->timeline_of[track]];
}

/* "rotations", "positions", "scales" or "scalars", for messages. Static storage. */
const char *pm_channel_name(unsigned channel);

#endif
