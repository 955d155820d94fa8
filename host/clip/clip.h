/* SPDX-License-Identifier: MIT
 *
 * A clip inside the library: keys and segments in the layout that kernels read, kept
 * on the host too, for the reference path.
 */
#ifndef PM_HOST_CLIP_H
#define PM_HOST_CLIP_H

#include "method.h"
#include "segments/array_view.h"
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
    size_t key_bytes;        /* of `keys` */
    size_t constant_floats;  /* of `statics`; 0 without */
    void *keys;              /* planes of float32: see pm_track_layout; or key_format.h's */
    float *constants;        /* plane k of track t at (k * padded tracks + t) * 4 */
    pm_track_layout *layout; /* one a track */
} pm_channel;

struct pm_clip {
    pm_engine *engine;
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
    struct pm_cl_clip *device; /* of an engine of one OpenCL device */
    /* The clip on each part of its engine; itself where there is one. They share all the rest. */
    struct pm_clip *parts;
};

/* Which array of a description a channel is. */
const pm_array *pm_channel_array(const pm_clip_desc *desc, unsigned channel);
/* The tangents that belong to it, of cubicspline. */
const pm_array *pm_channel_tangents_in(const pm_clip_desc *desc, unsigned channel);
const pm_array *pm_channel_tangents_out(const pm_clip_desc *desc, unsigned channel);
const char *pm_channel_name(unsigned channel);
unsigned pm_channel_components(unsigned channel);

/* Of desc->timeline_count and friends, with their zeros resolved. */
size_t pm_timeline_count(const pm_clip_desc *desc);
const pm_timeline *pm_timeline_of_track(const pm_clip_desc *desc, size_t track);

/* The rows of one track in an array laid out as the keys; first_row is the number of
 * keys of all tracks before it. */
pm_array_view pm_segment_data_of(const pm_clip_desc *desc, const pm_array *array,
                                 unsigned components, size_t track, size_t first_row);

/* The format that a channel's keys are stored in. */
pm_key_format pm_channel_format(const pm_clip_desc *desc, unsigned channel);

/* Whether desc->user_tangents are read. */
bool pm_takes_user_tangents(const pm_clip_desc *desc);

/* The part of pm_clip_check that looks at every key, of a description otherwise in order. */
pm_status pm_clip_check_keys(const pm_clip_desc *desc, pm_error *error);

/* Fills the laid out channels of a clip from its checked description. */
pm_status pm_clip_build_tracks(const pm_clip_desc *desc, pm_clip *clip, pm_error *error);

#endif
