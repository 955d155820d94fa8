/* SPDX-License-Identifier: MIT
 *
 * The low-pass in double, from its definition.
 */
#ifndef POSEMILL_ORACLE_LOWPASS_H
#define POSEMILL_ORACLE_LOWPASS_H

#include <stddef.h>

#include "oracle_quat.h"

/* A track of rotations or of numbers at uniform times: key k is at position k. */
typedef struct lowpass_track {
    const quat *rotations; /* (count): unit, each with the sign nearer to the one before */
    const double *numbers; /* (count); one of both */
    size_t count;
} lowpass_track;

/* The value at a position, in keys, of the low-pass with a cut-off in cycles per key. */
quat lowpass_oracle_rotation(const lowpass_track *track, double cutoff, double position);
double lowpass_oracle_number(const lowpass_track *track, double cutoff, double position);

/* The weight of a key, by its distance from the one before a sample that is the fraction u behind that. */
double lowpass_oracle_weight(double cutoff, double u, long key);

#endif
