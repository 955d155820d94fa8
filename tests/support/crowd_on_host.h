/* SPDX-License-Identifier: MIT
 *
 * The crowd kernel compiled as C11 for the host, and called with the arguments that a device would get. Every table and buffer is allocated with its exact size,
 * so that sanitizers detect every access outside. This is not the reference path, which has other
 * loops.
 */
#ifndef POSEMILL_TESTS_CROWD_ON_HOST_H
#define POSEMILL_TESTS_CROWD_ON_HOST_H

#include "crowd/crowd.h"

typedef struct crowd_on_host_job {
    const pm_crowd_instance *instances;
    size_t instance_count;
    size_t instances_offset; /* bytes, a multiple of 8 */
    uint64_t frame;
    size_t first;                 /* index of instance 0 among all instances */
    const pm_crowd_layer *layers; /* (layer_count); NULL: none */
    size_t layer_count;
    const pm_crowd_range *ranges; /* (instance_count) */
    const float *poses;           /* local poses in place of instances, tight; NULL: none */
    pm_crowd_output output;
    uint32_t subset;               /* with layers or poses */
    void *records;                 /* content before and after the call */
    size_t records_offset, stride; /* bytes, multiples of 4; stride 0: contiguous records */
} crowd_on_host_job;

/* Whether the kernel for an output without layers and poses, these curves and this key format was built. */
bool crowd_on_host_has(const pm_crowd_data *crowd, pm_crowd_output output);

/* Aborts with a message when memory runs out or there is no such kernel. `records` starts with the
 * offset and ends with the last record. */
void crowd_on_host_pose(const pm_crowd_data *crowd, const crowd_on_host_job *job);

#endif
