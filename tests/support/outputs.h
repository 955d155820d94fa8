/* SPDX-License-Identifier: MIT
 *
 * Guarded results of one job, sampled and compared together.
 */
#ifndef POSEMILL_TESTS_OUTPUTS_H
#define POSEMILL_TESTS_OUTPUTS_H

#include "check.h"

/* Sets of outputs, by their places in `values`. */
enum { ONLY_ROTATIONS = 1, OF_CHANNELS = 7, VELOCITIES = 8, ACCELERATIONS = 16 };
enum { ONLY_RATES = VELOCITIES | ACCELERATIONS, ALL_OUTPUTS = OF_CHANNELS | ONLY_RATES };
enum { OUTPUTS_MAX = 5 };

/* NULL for those that are not in the set. */
typedef struct outputs {
    size_t rows;
    union {
        float *values[OUTPUTS_MAX];
        struct {
            float *rotations, *positions, *scales, *velocities, *accelerations;
        };
    };
} outputs;

outputs outputs_make(size_t rows, unsigned set);
void outputs_free(outputs *o);

/* The rows of a job's results. */
size_t outputs_rows(const pm_clip *clip, const pm_sample_job *job);

/* The job, with these outputs. */
pm_sample_job outputs_job(pm_sample_job job, const outputs *o);

/* Some rows of others, which remain their owner. */
outputs outputs_from(const outputs *all, size_t first, size_t rows);

/* Samples into new outputs: rotations, positions and scales, or those of a set. Fails unless all of them
 * were written and nothing else. */
outputs sampled(const pm_clip *clip, pm_sample_job job);
outputs sampled_as(const pm_clip *clip, pm_sample_job job, unsigned set);

/* Likewise on the reference path. */
outputs sampled_on_reference(const pm_clip *clip, pm_sample_job job, unsigned set);

/* Compares bits; fails at the first difference. */
void expect_same_outputs(const outputs *a, const outputs *b);
/* Without failing. */
bool are_same_outputs(const outputs *a, const outputs *b);

/* The job has the bits of the reference path. */
void expect_reference_bits(const pm_clip *clip, pm_sample_job job, unsigned set);

#endif
