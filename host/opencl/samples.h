/* SPDX-License-Identifier: MIT
 *
 * Pieces of a plan of samples on a queue, shared by jobs into host memory and on callers' queues.
 */
#ifndef PM_HOST_CL_SAMPLES_H
#define PM_HOST_CL_SAMPLES_H

#include "device.h"

/* A job that is being enqueued. */
typedef struct pm_cl_samples {
    const pm_opencl_clip *clip;
    const pm_sample_request *request;
    pm_sample_plan plan;
    cl_command_queue queue;
    cl_event *waits; /* the caller's events, and space for one more */
    cl_uint wait_count;
    cl_mem pair_values; /* shared by all steps, which wait for each other; NULL: none yet */
    cl_event last;      /* the step that uses it; NULL: none */
    pm_error *error;
} pm_cl_samples;

/* Begins a job that waits for the events of `wait`. End it with pm_cl_samples_end, also after a
 * failure. */
pm_status pm_cl_samples_begin(pm_cl_samples *samples, const pm_cl_wait *wait);
void pm_cl_samples_end(pm_cl_samples *samples);

/* Enqueues a piece into the buffers of the plan's outputs. The caller releases the events in `done`,
 * which are NULL for outputs that were not enqueued. */
pm_status pm_cl_enqueue_piece(pm_cl_samples *samples, const pm_sample_request *piece,
                              const pm_cl_sample_outputs *outputs, cl_event done[PM_OUTPUT_COUNT]);

#endif
