/* SPDX-License-Identifier: MIT
 *
 * The kernel files themselves, compiled as C11 into the host in one lane and sixteen, and run
 * over a job the way the device would be told to. Sanitizers see every access, for each
 * buffer is allocated anew to its exact size. Not the reference path, whose loops differ.
 */
#ifndef POSEMILL_TESTS_KERNELS_ON_HOST_H
#define POSEMILL_TESTS_KERNELS_ON_HOST_H

#include "backend/backend.h"

typedef enum kernel_choice {
    KERNEL_LIKE_DEVICE, /* the one that a device would be given */
    KERNEL_WALK, /* of shared timelines and no pairs; gathers where a vector exceeds the planes */
    KERNEL_GATHER
} kernel_choice;

typedef struct host_launch {
    uint32_t lanes; /* 1 or 16 */
    kernel_choice kernel;
    uint32_t span, run; /* groups of tracks, and samples, that a work-item of walk takes */
} host_launch;

/* Evaluates a job that pm_sample_check accepts into its outputs. Aborts, saying why, when
 * memory runs out or a kernel writes before its values. */
void kernels_on_host_sample(const host_launch *launch, const pm_sample_request *request);

/* The places of a job by the place kernel: sample_count of them, exactly allocated. */
void kernels_on_host_locate(const pm_uniform_map *map, uint32_t sample_count, pm_cursor *cursors);

#endif
