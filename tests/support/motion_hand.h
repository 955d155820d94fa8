/* SPDX-License-Identifier: MIT
 *
 * Motions built by hand, without a file: nodes in a chain, clips with random channels, and a format
 * whose writer records the samples that it is given instead of writing a document.
 */
#ifndef POSEMILL_TESTS_MOTION_HAND_H
#define POSEMILL_TESTS_MOTION_HAND_H

#include "check.h"
#include "motion/model/model.h"
#include "oracle/random_tracks.h"

enum { HAND_CHANNELS = 24, HAND_CLIPS = 4 };

/* What the writer was given for one clip. */
typedef struct recorded_clip {
    motion_samples samples; /* `resampled`, `read` and `user` are dangling */
    bool resampled[HAND_CHANNELS];
    double *values[HAND_CHANNELS]; /* (count, components); NULL: not resampled, or not wanted */
    motion_position *positions;    /* (count) */
} recorded_clip;

typedef struct recorder {
    random_source *pieces; /* draws the sizes of pieces. NULL: all samples in one piece */
    bool wants_nothing;    /* positions only */
    size_t times;          /* that the writer was called */
    size_t clip_count;
    recorded_clip clips[HAND_CLIPS];
} recorder;

#define HAND_TEXT "recorded\n" /* the document that the writer writes */

/* A motion of nodes in a chain with the rest pose of pm_motion_node zero but for unit rotations and
 * scales, in metres with y up; motion_find_mover finds what carries it. Its arrays are in its arena: fill them
 * through the pointers that hand_* return. */
pm_motion *hand_motion(size_t node_count, size_t clip_count);
pm_motion_node *hand_node(pm_motion *motion, size_t node);

/* Nodes with these names, which must outlive the motion, each a root; without clips. */
pm_motion *hand_named(const char *const *names, size_t count);
pm_motion_clip *hand_clip(pm_motion *motion, size_t clip, size_t timelines, size_t channels);
pm_timeline *hand_timeline(pm_motion_clip *clip, size_t timeline);
pm_motion_channel *hand_channel(pm_motion_clip *clip, size_t channel);
recorder *hand_recorder(const pm_motion *motion);
/* Frees what a resampling recorded, so that the motion can be resampled again. */
void hand_forget(recorder *r);

/* Random key times that are float32 numbers. */
void hand_times(pm_motion *motion, pm_motion_clip *clip, size_t timeline, random_source *source,
                size_t keys, double first);
/* Fills a channel, whose node, path, interpolation, timeline and components are set, with random
 * keys of a type, `padding` bytes apart. Rotations turn by up to `turn` radians from key to key. */
void hand_keys(pm_motion *motion, const pm_motion_clip *clip, pm_motion_channel *channel,
               random_source *source, pm_number type, size_t padding, double turn);

/* Likewise, of a path with as many components as it has; weights have 5. */
void hand_random(pm_motion *motion, pm_motion_clip *clip, size_t channel, pm_motion_path path,
                 uint32_t timeline, pm_number type, random_source *source, double turn);

#endif
