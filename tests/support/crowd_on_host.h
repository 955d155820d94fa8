/* SPDX-License-Identifier: MIT
 *
 * The crowd kernel itself, compiled as C11 into the host in one lane and sixteen, and run over
 * instances the way the device would be told to. Sanitizers see every access, for each table
 * and buffer is allocated anew to its exact size. Not the reference path, which walks otherwise.
 */
#ifndef POSEMILL_TESTS_CROWD_ON_HOST_H
#define POSEMILL_TESTS_CROWD_ON_HOST_H

#include "crowd/crowd.h"

typedef struct crowd_on_host_job {
    uint32_t lanes; /* 1 or 16 */
    const pm_crowd_instance *instances;
    size_t instance_count;
    size_t instances_offset; /* bytes, a multiple of 8 */
    uint64_t frame;
    size_t first; /* what instance 0 is among all */
    pm_crowd_output output;
    void *records;                 /* what the kernel finds, and what it leaves */
    size_t records_offset, stride; /* bytes, multiples of 4; stride 0: just the records */
} crowd_on_host_job;

/* Whether the kernel of this output and these curves and keys was built. */
bool crowd_on_host_has(const pm_crowd_data *crowd, pm_crowd_output output);

/* Aborts, saying why, when memory runs out or there is no such kernel. `records` has the offset
 * and as many bytes as the last record's end. */
void crowd_on_host_pose(const pm_crowd_data *crowd, const crowd_on_host_job *job);

#endif
