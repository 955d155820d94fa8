/* SPDX-License-Identifier: MIT
 *
 * Guarded rotations, positions and scales of one job, sampled and compared together.
 */
#ifndef POSEMILL_TESTS_OUTPUTS_H
#define POSEMILL_TESTS_OUTPUTS_H

#include "check.h"

typedef struct outputs {
    size_t rows;
    float *rotations, *positions, *scales;
} outputs;

outputs outputs_make(size_t rows);
void outputs_free(outputs *o);

/* Samples into new outputs. Fails unless all of them were written and nothing else. */
outputs sampled(const pm_clip *clip, pm_sample_job job, size_t rows);

/* Compares bits; fails at the first difference. */
void expect_same_outputs(const outputs *a, const outputs *b);

#endif
