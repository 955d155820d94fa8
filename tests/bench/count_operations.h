/* SPDX-License-Identifier: MIT
 *
 * Counts of the arithmetic operations of the kernels' formulas, which count_operations.cpp compiles for
 * a number type that counts. C11 and C++.
 */
#ifndef POSEMILL_TESTS_COUNT_OPERATIONS_H
#define POSEMILL_TESTS_COUNT_OPERATIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* What one sample of a rotation curve takes. */
typedef struct operation_count {
    const char *name;     /* of the curve; NULL after the last */
    unsigned segment;     /* once for a segment */
    unsigned basis;       /* once for all tracks, at each u */
    unsigned sample;      /* for each sample that is not on a key */
    unsigned constants;   /* planes of a track */
    unsigned passes;      /* not 0: a sample on a key is the key, with 2 normalised */
    unsigned is_uncommon; /* 1: the data chosen here do not take the usual path */
} operation_count;

const operation_count *count_curves(void);

/* What a joint of a crowd takes beside its rotations. */
typedef struct joint_count {
    unsigned mixed, added; /* a second rotation, crossfaded or added */
    unsigned matrix, product;
    unsigned rigid_product, dual;
    unsigned halves; /* of a record of 12 numbers */
    unsigned spin,
        body; /* angular velocity of a slerp, and a body at a fixed place from its parent's */
} joint_count;

joint_count count_joint(void);

/* A key and its weight, once, in the low-pass of rotations. */
unsigned count_weight(void);

#ifdef __cplusplus
}
#endif

#endif
