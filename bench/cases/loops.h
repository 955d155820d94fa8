/* SPDX-License-Identifier: MIT
 *
 * The loops of the baselines and of the arithmetic ceiling, which are compiled with their own flags once for
 * each instruction set of cmake/PosemillFlags.cmake, and the set that runs. The tables of sets that this
 * processor architecture does not have are not defined.
 */
#ifndef POSEMILL_BENCH_LOOPS_H
#define POSEMILL_BENCH_LOOPS_H

#include <posemill/posemill_crowd.h>

/* ---- samples ------------------------------------------------------------------- */

/* Of upsampling. */
enum { BASELINE_TRACKS = 64, BASELINE_STEPS = 4 };

/* Puts the numbers of `count` quaternions in the order in which loops read them. The count is a
 * multiple of 16, and all memory is aligned to 64 bytes. */
typedef void baseline_pack(float *keys, size_t count);

/* Writes the samples of segments [begin, end): BASELINE_STEPS rows per segment. `inner` holds
 * Shoemake's inner points for squad, with the layout of the keys; the other methods ignore it. Both
 * are packed, and neighbouring keys have the nearer signs. */
typedef void baseline_loop(const float *keys, const float *inner, float *out, size_t begin,
                           size_t end);

typedef struct baseline_loops {
    baseline_pack *pack;
    baseline_loop *nlerp, *slerp, *squad;
} baseline_loops;

extern const baseline_loops baseline_loops_plain, baseline_loops_avx2, baseline_loops_avx512;

/* ---- crowds: a crowd in skeleton order, whose keys have the nearer signs ------------ */

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

/* ---- points: a segment of a trajectory ------------------------------------------------- */

typedef struct baseline_segment {
    float turn[9];     /* the matrix at the key */
    float rotation[3]; /* the vector to the next one, in the outer frame */
    float angle2;      /* its squared length */
    float position[3]; /* at the key */
    float way[3];      /* to the next one */
    int64_t begin;     /* stamp of the key */
    float inverse;     /* 1/ns of the segment */
} baseline_segment;

/* Moves points of one segment. */
typedef void baseline_points(const baseline_segment *segment, const int64_t *stamps,
                             const float *points, float *moved, size_t count);

extern baseline_points *const baseline_points_plain, *const baseline_points_avx2,
                                                         *const baseline_points_avx512;

/* ---- arithmetic, and the choice ------------------------------------------------- */

/* x[i] becomes x[i] factor + term, `steps` times, for as many numbers as all chains have lanes. */
typedef struct arithmetic_loop {
    void (*run)(float *x, size_t steps, float factor, float term);
    size_t width; /* numbers */
} arithmetic_loop;

enum { ARITHMETIC_WIDTH_MAX = 192 };

extern const arithmetic_loop arithmetic_loop_plain, arithmetic_loop_avx2, arithmetic_loop_avx512;

typedef struct bench_loops {
    const baseline_loops *curves;
    const baseline_walks *crowds;
    baseline_points *points;
    const arithmetic_loop *arithmetic;
} bench_loops;

/* Those of the widest set that the processor has. */
bench_loops loops_of_processor(void);

#endif
