/* SPDX-License-Identifier: MIT
 *
 * Plans the poses of crowds: a work-group for some instances on devices of one lane, else a work-item
 * for as many as it has lanes.
 */
#include "plan.h"

#include "kernels/pm_memory.h"

pm_variant pm_plan_pose_variant(const pm_crowd_data *crowd, pm_crowd_output output,
                                const pm_plan_device *device) {
    const pm_channel *rotations = &crowd->channels[PM_ROTATIONS];
    const bool one_lane = device->narrow_lanes == 1;
    return (pm_variant){.file = one_lane ? "crowd_workgroup" : "crowd",
                        .curve = pm_curves[rotations->impl.curve].name,
                        .components = 4,
                        .lanes = device->narrow_lanes,
                        .format = rotations->format,
                        .vector_curve = pm_curves[crowd->channels[PM_POSITIONS].impl.curve].name,
                        .output = output,
                        .per_joint = one_lane && crowd->per_joint};
}

pm_status pm_plan_check_poses(const pm_pose_plan *plan, pm_error *error) {
    const size_t bytes = pm_shared_bytes(plan->stages->slots);
    if (plan->device->narrow_lanes > 1 || bytes <= plan->device->shared_bytes)
        return PM_OK;
    return pm_fail(error, PM_ERROR_DEVICE,
                   "the device's local memory is %llu bytes, crowds need %zu",
                   (unsigned long long)plan->device->shared_bytes, bytes);
}

size_t pm_plan_launch_instances(const pm_pose_plan *plan) {
    const size_t work = plan->crowd->skeleton->joint_count * PM_WORK_OF_JOINT;
    const size_t groups = pm_plan_launch_limit(plan->device, work) / PM_INSTANCE_GROUP;
    return groups ? groups * PM_INSTANCE_GROUP : PM_INSTANCE_GROUP;
}

pm_step pm_plan_poses(const pm_pose_plan *plan, pm_crowd_output output, const pm_piece *piece,
                      uint64_t offset, uint64_t stride) {
    pm_step step = {.variant = pm_plan_pose_variant(plan->crowd, output, plan->device)};
    pm_step_numbers *n = &step.numbers;
    const uint32_t lanes = step.variant.lanes;
    step.parameters = pm_parameters_of(step.variant.file, lanes, &step.parameter_count);
    step.grouping = lanes == 1 ? PM_GROUPS_SHARED : PM_GROUPS_OF_ONE;
    step.items = (piece->count + lanes - 1) / lanes;
    n->instances_offset = plan->instances_offset + piece->from * sizeof(pm_crowd_instance);
    n->records_offset = offset + piece->from * stride;
    n->stride = stride;
    n->streams =
        plan->instance_count * stride >= PM_MIN_STREAM_BYTES && stride % PM_CACHE_LINE == 0;
    n->slots = (pm_u32)plan->stages->slots;
    n->size = pm_crowd_size_of(plan->crowd, plan->frame, plan->first + piece->from, piece->count);
    n->size.stages = (pm_u32)plan->stages->stage_count;
    return step;
}
