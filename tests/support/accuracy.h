/* SPDX-License-Identifier: MIT
 *
 * Measures a subject's rotations, positions and scales against the oracle, which is fed the
 * same float32 keys and the same float32 u.
 */
#ifndef POSEMILL_TESTS_ACCURACY_H
#define POSEMILL_TESTS_ACCURACY_H

#include "subject.h"
#include "variants.h"

/* Infinite when something was not a number or the subject failed. */
typedef struct accuracy {
    double worst;       /* radians over oracle_magnification and what is said below: what the
                           bounds are for */
    double raw;         /* worst in radians as they are, undivided */
    double sum_squares; /* radians^2, divided likewise */
    double position;    /* worst of the float32 position in the segment, in radians: between the
                           oracle there and the oracle at the exact time */
    double norm;        /* worst | |q| - 1 | */
    double vector; /* worst of positions and scales, relative to the largest coordinate about */
    size_t samples;
    size_t inexact_keys; /* samples at key times without the stored key's bits */
    char where[96];      /* the worst sample */
} accuracy;

/* Subjects that are measured on the same samples. */
typedef struct subject_span {
    const subject *first;
    size_t count;
} subject_span;

double accuracy_rms(const accuracy *a);
void accuracy_merge(accuracy *into, const accuracy *from);

/* Each of these writes an accuracy a subject to out. */

/* Random tracks with key-to-key rotations of up to 180 degrees; 90 for an unlimited squad,
 * whose curve has jumps beyond. */
void accuracy_of_random(const subject_span *s, const variant *v, size_t tracks, accuracy *out);

/* Likewise of up to 1 radian. */
void accuracy_of_gentle(const subject_span *s, const variant *v, size_t tracks, accuracy *out);

/* Likewise of up to 180 degrees for every variant, its errors over oracle_condition. */
void accuracy_of_conditioned(const subject_span *s, const variant *v, size_t tracks, accuracy *out);

/* Every adversarial track, over laps before and after where it loops, errors likewise. */
void accuracy_of_adversarial(const subject_span *s, const variant *v, accuracy *out);

#endif
