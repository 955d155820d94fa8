/* SPDX-License-Identifier: MIT
 *
 * What posing a crowd must move and compute, at least, by the rules of docs/performance.md.
 */
#ifndef POSEMILL_BENCH_CROWD_WORK_H
#define POSEMILL_BENCH_CROWD_WORK_H

#include "crowd_scenes.h"
#include "work.h"

/* Operations for a joint beside its samples; test_work counts them in the kernels' headers. */
typedef struct joint_work {
    unsigned mixed, added;        /* of two rotations, crossfaded or added */
    unsigned matrix, product;     /* from a rotation, and of two matrices */
    unsigned rigid_product, dual; /* of two rigid motions, and its dual quaternion */
    unsigned halves;              /* rounding of a record to float16 */
    unsigned spin, body;          /* angular velocity of a slerp, and a body at a fixed place */
} joint_work;

joint_work work_of_joint(void);

/* A frame of the crowd, by its description and what was made from it. */
case_work work_of_crowd(const crowd_scene *scene, const crowd_setup *setup);

#endif
