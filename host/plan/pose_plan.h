/* SPDX-License-Identifier: MIT
 *
 * The plan of a crowd's poses: one step for each output of a piece of instances.
 */
#ifndef PM_HOST_POSE_PLAN_H
#define PM_HOST_POSE_PLAN_H

#include "pose_request.h"
#include "step.h"

typedef struct pm_pose_plan {
    const pm_crowd_data *crowd; /* borrowed, as all pointers here */
    const pm_stages *stages;    /* for kernels of one lane */
    const pm_plan_device *device;
    uint64_t frame;
    size_t first;              /* number of instance 0 in the whole job */
    size_t instance_count;     /* at least 1 */
    uint64_t instances_offset; /* bytes of their memory before instance 0 */
} pm_pose_plan;

/* The program of an output. */
pm_variant pm_plan_pose_variant(const pm_crowd_data *crowd, pm_crowd_output output,
                                const pm_plan_device *device);

/* PM_ERROR_DEVICE where the device has too little shared memory for any group. */
pm_status pm_plan_check_poses(const pm_pose_plan *plan, pm_error *error);

/* Instances per launch. A multiple of PM_INSTANCE_GROUP, so that no launch but the last is smaller
 * than the kernels' vectors, and instances take their turns as in one launch. */
size_t pm_plan_launch_instances(const pm_pose_plan *plan);

/* The step that writes the records of an output for a piece of the instances. `offset` and `stride`
 * are those of instance 0 of the plan, in bytes. */
pm_step pm_plan_poses(const pm_pose_plan *plan, pm_crowd_output output, const pm_piece *piece,
                      uint64_t offset, uint64_t stride);

#endif
