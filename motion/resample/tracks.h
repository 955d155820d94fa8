/* SPDX-License-Identifier: MIT
 *
 * The channels of a clip as tracks of the engine: rotations of one interpolation in one group, and
 * numbers, in threes, in others. A group is a pm_clip.
 */
#pragma once

#include "motion/model/model.h"

/* No number: a track of fewer than three. */
#define TRACKS_NO_CHANNEL SIZE_MAX

/* What a number of a track comes from. */
typedef struct track_number {
    size_t channel;
    uint32_t component;
    double
        base; /* subtracted from keys and added to samples, so that float32 stores only the motion
                    and not the distance from the origin. Every vector method commutes with that */
} track_number;

/* A track of rotations has one number, which stands for its four. */
typedef struct track_group {
    bool rotates;
    pm_method method;
    pm_vector_method vector_method;
    size_t track_count;
    track_number *numbers; /* (track_count, 3), of rotations (track_count) */
    uint32_t *timelines;   /* of the clip's timelines, one per track */
} track_group;

enum { TRACKS_MAX_GROUPS = 8 };

typedef struct track_groups {
    track_group groups[TRACKS_MAX_GROUPS];
    size_t count;
} track_groups;

/* Whether a channel is sampled; others keep their keys. */
bool tracks_are_made_of(const pm_motion_channel *channel);

/* Divides `count` channels of a clip from `first` on. `method` is that of rotations unless `authored`.
 * Release the groups also on failure. */
pm_status tracks_divide(track_groups *groups, const pm_motion_clip *clip, size_t first,
                        size_t count, bool authored, pm_method method, pm_error *error);
void tracks_release(track_groups *groups);

/* The keys of a group as the engine takes them, and what they point to. */
typedef struct track_keys {
    pm_timeline *timelines;
    uint32_t *timeline_of;
    void *keys;
    double *in, *out;
} track_keys;

/* Keys of each track. */
typedef struct track_range {
    size_t trim; /* keys that are left out at the start; a timeline keeps its last one */
    size_t most; /* of those that remain, as many are taken */
} track_range;

/* Fills the keys and timelines of a description; its other fields are unchanged. Sets the bases of
 * the group. Release the keys also on failure. */
pm_status tracks_describe(track_group *group, const pm_motion *motion, const pm_motion_clip *clip,
                          track_range range, pm_clip_desc *desc, track_keys *keys, pm_error *error);
void tracks_keys_release(track_keys *keys);

/* The twist axes of sterp for a group of rotations, (track_count, 3) in malloc'ed memory: the
 * direction from each node to its first child or, where it has none, to its tail, or from its
 * parent. Up where there are no bones. NULL: memory is exhausted. */
double *tracks_bone_axes(const track_group *group, const pm_motion_clip *clip,
                         const pm_motion_content *content);
