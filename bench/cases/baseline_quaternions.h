/* SPDX-License-Identifier: MIT
 *
 * Quaternions of the baseline, one in each lane. Only for files that are compiled once for each
 * instruction set.
 */
#ifndef POSEMILL_BENCH_BASELINE_QUATERNIONS_H
#define POSEMILL_BENCH_BASELINE_QUATERNIONS_H

#include "baseline_lanes.h"

typedef struct quaternion {
    lanes c[4];
} quaternion;

BASELINE_INLINE lanes dot(const quaternion *a, const quaternion *b) {
    return a->c[0] * b->c[0] + a->c[1] * b->c[1] + a->c[2] * b->c[2] + a->c[3] * b->c[3];
}

BASELINE_INLINE quaternion mix(lanes from, const quaternion *a, lanes into, const quaternion *b) {
    quaternion q;
    for (int c = 0; c < 4; c++)
        q.c[c] = from * a->c[c] + into * b->c[c];
    return q;
}

#endif
