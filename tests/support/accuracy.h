/* SPDX-License-Identifier: MIT
 *
 * Measures an implementation's rotations, positions and scales against the oracle, which has the
 * same float32 keys and the same float32 u as input.
 */
#ifndef POSEMILL_TESTS_ACCURACY_H
#define POSEMILL_TESTS_ACCURACY_H

#include "implementation.h"
#include "variants.h"

/* Infinite when a result was not a number or the implementation failed. */
typedef struct accuracy {
    double worst;       /* radians, divided by oracle_magnification and by the factors below: the
                         * bounds apply to this */
    double raw;         /* worst error in radians, undivided */
    double sum_squares; /* radians^2, divided in the same way */
    double position;    /* largest error from the float32 position in the segment, in radians: the
                         * oracle at that position against the oracle at the exact time */
    double norm;        /* worst | |q| - 1 | */
    double vector;      /* worst error of positions and scales, relative to the largest coordinate
                    * nearby */
    size_t samples;
    size_t inexact_keys; /* samples at key times whose bits differ from the stored key */
    char where[96];      /* location of the worst sample */
} accuracy;

/* Implementations that are measured on the same samples. */
typedef struct implementation_span {
    const implementation *first;
    size_t count;
} implementation_span;

double accuracy_rms(const accuracy *a);
void accuracy_merge(accuracy *into, const accuracy *from);

/* Each of these functions writes one accuracy per implementation to `out`. */

/* Random tracks with rotations of up to 180 degrees from key to key; up to 90 for an unlimited
 * squad, whose curve has jumps beyond that. */
void accuracy_of_random(const implementation_span *s, const variant *v, size_t tracks,
                        accuracy *out);

/* The same with rotations of up to 1 radian. */
void accuracy_of_gentle(const implementation_span *s, const variant *v, size_t tracks,
                        accuracy *out);

/* The same with rotations of up to 180 degrees for every variant, with errors divided by
 * oracle_condition. */
void accuracy_of_conditioned(const implementation_span *s, const variant *v, size_t tracks,
                             accuracy *out);

/* Every adversarial track, from laps before to laps after the keys if it loops. Errors are divided
 * in the same way. */
void accuracy_of_adversarial(const implementation_span *s, const variant *v, accuracy *out);

#endif
