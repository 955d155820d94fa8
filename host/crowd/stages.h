/* SPDX-License-Identifier: MIT
 *
 * Stages: the order in which the work-items of a group pose the joints of a skeleton together.
 */
#ifndef PM_HOST_STAGES_H
#define PM_HOST_STAGES_H

#include "skeleton.h"

typedef struct pm_stages {
    pm_crowd_stage *stages; /* (stage_count) */
    pm_stage_joint *joints; /* (joint_count of the set), grouped by stage */
    size_t stage_count;
    size_t slots; /* transforms that wait for the children of their joints, at least 1 */
} pm_stages;

/* The stages of a set of joints: one for each depth of the hierarchy, where the transforms of joints with children fit
 * `max_slots`. Otherwise a stage for each joint, in skeleton order, with at most PM_SLOTS slots.
 * The caller frees `stages` with pm_stages_free, after a failure too. Thread-safe. */
pm_status pm_stages_build(const pm_host *host, const pm_skeleton *skeleton, size_t set,
                          size_t max_slots, pm_stages *stages, pm_error *error);

/* Frees the arrays and clears the struct. */
void pm_stages_free(pm_stages *stages);

#endif
