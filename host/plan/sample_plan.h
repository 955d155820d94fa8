/* SPDX-License-Identifier: MIT
 *
 * The plan of a request for samples: which kernels compute it, in pieces of which size, and what they
 * need besides the clip.
 */
#ifndef PM_HOST_SAMPLE_PLAN_H
#define PM_HOST_SAMPLE_PLAN_H

#include "pair_order.h"
#include "step.h"

typedef struct pm_sample_plan {
    const pm_plan_device *device; /* borrowed */
    unsigned outputs;             /* bit o: output o is computed */
    unsigned sorted;              /* bit o: from sorted pairs */
    bool reads_cursors;           /* some output is computed from cursors, and of pairs, tracks */
    bool locates;                 /* a step computes the cursors, if they are read; else the host */
    size_t piece_samples;         /* at most, at least 1 */
} pm_sample_plan;

/* The outputs of a request that have host memory. */
unsigned pm_outputs_in_memory(const pm_sample_request *request);

/* The plan for `outputs` of a request, in pieces with at most `bytes` bytes of rotations. */
pm_sample_plan pm_plan_samples(const pm_sample_request *request, unsigned outputs, uint64_t bytes,
                               const pm_plan_device *device);

/* The step that computes the cursors of a piece. False: the plan has none. */
bool pm_plan_locate(const pm_sample_plan *plan, const pm_sample_request *piece, pm_step *step);

enum { PM_OUTPUT_STEPS = 2 };

/* The steps that compute an output of a piece, each after the one before. `group_count` is that of
 * the sorted pairs; 0 where only the programs matter. Returns their number. */
size_t pm_plan_output(const pm_sample_plan *plan, const pm_sample_request *piece, unsigned output,
                      size_t group_count, pm_step steps[PM_OUTPUT_STEPS]);

/* Bytes for the values of sorted pairs of any piece and output. */
size_t pm_plan_pair_values(const pm_sample_plan *plan, const pm_sample_request *request);

enum { PM_SAMPLE_VARIANTS = PM_OUTPUT_STEPS * PM_OUTPUT_COUNT + 1 };

/* Lists the programs of a plan; returns their number. */
size_t pm_plan_sample_variants(const pm_sample_plan *plan, const pm_sample_request *request,
                               pm_variant variants[PM_SAMPLE_VARIANTS]);

#endif
