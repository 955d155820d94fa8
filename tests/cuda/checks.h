/* SPDX-License-Identifier: MIT
 *
 * What cuda_check compares: results of clips and of crowds on the device, with those of the
 * reference path.
 */
#ifndef POSEMILL_TESTS_CUDA_CHECKS_H
#define POSEMILL_TESTS_CUDA_CHECKS_H

#include "programs.h"

#include <posemill/posemill.h>

typedef struct check {
    cuda_programs programs;
    pm_engine *engine; /* the reference path */
    size_t samples;    /* of each clip */
    bool failed;       /* a program or a call failed */
} check;

/* Counts the bytes, as numbers of four bytes, that differ, and prints the first. `what` names the
 * clip or the crowd. */
void check_compare(cuda_program *program, const char *what, const float *got, const float *wanted,
                   size_t count);

/* Every method and option with its clips, open and looped, with common and separate timelines, and
 * as pairs: values, velocities and accelerations. */
void check_clips(check *c);

/* Crowds of every rotation curve, of each output, and with timelines per joint. */
void check_crowds(check *c);

#endif
