/* SPDX-License-Identifier: MIT
 *
 * What a run of a case must move and compute, at least: bytes of keys and results, and arithmetic
 * operations of the kernels' formulas. Counted by the rules of docs/performance.md; measures nothing.
 */
#ifndef POSEMILL_BENCH_WORK_H
#define POSEMILL_BENCH_WORK_H

#include "crowd_scenes.h"
#include "scenes.h"

typedef struct case_work {
    uint64_t bytes_read, bytes_written, operations;
} case_work;

/* What a rotation takes. Operations are additions, subtractions, multiplications, divisions and roots;
 * a fused multiply-add is two. test_work counts them in the kernels' headers. */
typedef struct curve_work {
    unsigned segment;   /* operations once for a segment */
    unsigned basis;     /* operations once for all tracks at a time between keys */
    unsigned sample;    /* operations for each sample that is not on a key */
    unsigned constants; /* quaternions of a track */
} curve_work;

curve_work work_of_curve(pm_method method);

/* A job of the scene with as many samples, or as many pairs. */
case_work work_of_job(const scenes *s, bench_scene scene, pm_method method, size_t sample_count);

/* The operations of a weight of a low-pass: it is used twice for each sample. */
unsigned work_of_weight(void);

/* Samples of all tracks through a low-pass with so many weights. Each key is read once. */
case_work work_of_lowpass(const scenes *s, size_t sample_count, size_t taps);

/* Upsampling by 4 as the baseline does it: of squad it reads keys and inner points. */
case_work work_of_baseline(const scenes *s, pm_method method);

/* Operations for a joint beside its samples; test_work counts them in the kernels' headers. */
typedef struct joint_work {
    unsigned mixed, added;        /* of two rotations, crossfaded or added */
    unsigned matrix, product;     /* from a rotation, and of two matrices */
    unsigned rigid_product, dual; /* of two rigid motions, and its dual quaternion */
    unsigned halves;              /* rounding of a record to float16 */
    unsigned spin, slerp_spin;    /* an angular velocity from a derivative, and of a slerp */
    unsigned body;                /* from its parent's, at a fixed position */
} joint_work;

joint_work work_of_joint(void);

/* A frame of the crowd, by its description and what was made from it. */
case_work work_of_crowd(const crowd_scene *scene, const crowd_setup *setup);

#endif
