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
    const pm_cursor *cursors; /* of the request's samples; not read for sorted pairs */
    bool streams;             /* past the caches */
    float *to;
    const pm_sorted_pairs
        *sorted; /* not NULL: the pairs of these groups, into the places that they are in */
    pm_piece groups;
} pm_lane_job;

/* Thread-safe. */
typedef void (*pm_sample_lanes_function)(const pm_lane_job *job);

/* Computes the values of a request for pairs into host memory: in the order of their keys, so that keys stay in
 * a core's cache while they are used. Thread-safe. */
pm_status pm_cpu_sample_sorted(pm_sample_lanes_function function, const pm_sample_request *request,
                               unsigned output, pm_error *error);

#endif
