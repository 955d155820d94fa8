/* SPDX-License-Identifier: MIT
 *
 * The door of this room: a clip's keys and segments in the layout that kernels read, built on the
 * host from a description. Needs no engine and no device.
 */
#ifndef PM_HOST_CLIP_H
#define PM_HOST_CLIP_H

#include "method.h"
#include "timeline.h"

/* The widest vector of kernels. Tracks are padded so that none of its lanes loads past the end: to
 * a multiple of this, and fewer to a power of 2. */
enum { PM_TRACK_GROUP = 16 };

/* One kind of values of all tracks. */
typedef struct pm_channel {
    bool present;
    pm_method_impl impl;
    unsigned components;     /* 4 or 3 */
    pm_key_format format;    /* of `keys` */
    size_t key_bytes;        /* size of `keys` */
    size_t constant_floats;  /* size of `constants`, without the one float that is always there */
    void *keys;              /* planes of float32: see pm_track_layout; or those of key_format.h */
    float *constants;        /* plane k of track t at (k * padded tracks + t) * 4 */
    pm_track_layout *layout; /* one a track */
} pm_channel;

/* Immutable once built. */
typedef struct pm_clip_data {
    size_t track_count;
    size_t padded_tracks;
    bool common_timeline; /* one timeline for all: planes of neighbouring tracks are neighbours */
    size_t timeline_count;
    pm_clip_timeline *timelines;
    uint32_t *timeline_of;
    pm_channel channels[PM_CHANNEL_COUNT];
    float *rates; /* one over the seconds of each segment, timeline after timeline */
    size_t rate_count;
    float *wraps; /* padded_tracks signs of rotations, for odd laps */
    pm_method method;
} pm_clip_data;

/* How a clip is built, whatever it holds. */
typedef struct pm_clip_limits {
    size_t threads;                /* of the host, at least 1 */
    uint64_t max_allocation_bytes; /* of a channel's keys; 0: no limit */
} pm_clip_limits;

/* Checks, lays out and builds. PM_ERROR_DEVICE_MEMORY, before any segment is computed, where keys
 * exceed the limit. Free with pm_clip_data_free. */
pm_status pm_clip_data_build(const pm_clip_desc *desc, const pm_clip_limits *limits,
                             pm_clip_data **clip, pm_error *error);

/* Clears the pointer; takes a pointer to NULL. */
void pm_clip_data_free(pm_clip_data **clip);

/* The timeline of a track. */
static inline const pm_clip_timeline *pm_clip_timeline_of(const pm_clip_data *clip, size_t track) {
    return &clip->timelines[clip->timeline_of[track]];
}

/* "rotations" and so on, for messages. */
const char *pm_channel_name(unsigned channel);

#endif
