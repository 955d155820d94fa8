/* SPDX-License-Identifier: MIT
 *
 * The loops of the baseline of crowds, compiled like those of baseline_loops.h, and what they read:
 * a crowd in skeleton order, whose keys have the nearer signs.
 */
#ifndef POSEMILL_BENCH_BASELINE_WALK_H
#define POSEMILL_BENCH_BASELINE_WALK_H

#include <posemill/posemill_crowd.h>

/* Matrices of joints that still have children to come are kept in slots. A skeleton whose parents
 * precede their children needs few: see pm_skeleton_order. */
enum { BASELINE_SLOTS = 32, BASELINE_NO_SLOT = -1 };

typedef struct baseline_joint {
    int32_t parent;    /* slot of the parent's matrix. BASELINE_NO_SLOT: a root */
    int32_t slot;      /* its own, which may be the parent's. BASELINE_NO_SLOT: a leaf */
    float position[3]; /* relative to the parent */
    float bind[12];    /* inverse bind matrix */
} baseline_joint;

typedef struct baseline_clip {
    float *keys; /* (segments + 1, joints, 4) */
    uint64_t segments;
    uint64_t rate; /* keys per second */
} baseline_clip;

/* The number of joints is a multiple of 4. Times are at least 0. The output is aligned to 64 bytes:
 * 12 floats for each joint of each instance. */
typedef struct baseline_scene {
    const baseline_joint *joints;
    size_t joint_count;
    const baseline_clip *clips;
    const pm_crowd_instance *instances;
    size_t instance_count;
    float *out;
} baseline_scene;

/* Poses groups [begin, end) of as many instances as a vector has lanes. The work is a
 * baseline_scene. */
typedef void baseline_walk(const void *work, size_t begin, size_t end);

typedef struct baseline_walks {
    size_t lanes;
    baseline_walk *model, *palette, *crossfade;
} baseline_walks;

extern const baseline_walks baseline_walks_plain, baseline_walks_avx2, baseline_walks_avx512;

#endif
