/* SPDX-License-Identifier: MIT
 *
 * Kernels compiled as C for the host that run as a device runs them: a step of a plan, with the memory that
 * its kernel names. The programs are those of steps_on_host_variant.c.in in CMakeLists.txt.
 */
#ifndef POSEMILL_TESTS_STEPS_ON_HOST_H
#define POSEMILL_TESTS_STEPS_ON_HOST_H

#include "plan/step.h"

/* Runs all work-items, or work-groups, in descending order, and some work-items past the end: none may depend on
 * another. The numbers of groups are set. */
typedef void step_on_host(const pm_step *step, void *const *memories);

typedef struct program_on_host {
    step_on_host *run;
    pm_variant variant; /* curve NULL: any */
} program_on_host;

/* NULL: this program is not compiled. */
step_on_host *step_on_host_of(const pm_variant *variant);

#endif
