/* SPDX-License-Identifier: MIT
 *
 * The kernel files compiled as C11 for the host, with one lane and with sixteen, and called with
 * the arguments that a device would get. Every buffer is allocated with its exact size, so that
 * sanitizers detect every access outside. This is not the reference path, whose loops differ.
 */
#ifndef POSEMILL_TESTS_KERNELS_ON_HOST_H
#define POSEMILL_TESTS_KERNELS_ON_HOST_H

#include "backend/backend.h"

typedef enum kernel_choice {
    KERNEL_WALK, /* only for common timelines without pairs; gathers where a vector exceeds the
                  * planes */
    KERNEL_GATHER
} kernel_choice;

typedef struct host_launch {
    uint32_t lanes; /* 1 or 16 */
    kernel_choice kernel;
    uint32_t span, run; /* groups of tracks, and samples, per work-item of walk */
} host_launch;

/* Evaluates a request into its outputs. Aborts with a message when memory runs out or a kernel writes
 * before its values. */
void kernels_on_host_sample(const host_launch *launch, const pm_sample_request *request);

#endif
