/* SPDX-License-Identifier: MIT
 *
 * Samples that each have their own track and position, in lanes: what sample_lanes.c defines for each
 * instruction set.
 */
#ifndef PM_HOST_SAMPLE_LANES_H
#define PM_HOST_SAMPLE_LANES_H

#include "cpu.h"

/* Samples of an output, a derivative or a value. All pointers are borrowed. */
typedef struct pm_lane_job {
    const pm_sample_request *request; /* without pairs: rows of all tracks */
    unsigned output;
    const pm_cursor *cursors; /* of the request's samples */
    bool streams;             /* past the caches */
    float *to;
} pm_lane_job;

/* Thread-safe. */
typedef void (*pm_sample_lanes_function)(const pm_lane_job *job);

#endif
