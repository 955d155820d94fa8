/* SPDX-License-Identifier: MIT
 *
 * The kernel files compiled as C11 for the host, and called with the arguments that a device would get. Every buffer is allocated with its exact size, so that
 * sanitizers detect every access outside. This is not the reference path, whose loops differ.
 */
#ifndef POSEMILL_TESTS_KERNELS_ON_HOST_H
#define POSEMILL_TESTS_KERNELS_ON_HOST_H

#include "backend/backend.h"

typedef enum kernel_choice {
    KERNEL_WALK, /* only for common timelines without pairs */
    KERNEL_GATHER
} kernel_choice;

typedef struct host_launch {
    kernel_choice kernel;
    uint32_t run; /* samples per work-item of walk */
} host_launch;

/* Evaluates a request into its outputs. Aborts with a message when memory runs out or a kernel writes
 * before its values. */
void kernels_on_host_sample(const host_launch *launch, const pm_sample_request *request);

#endif
