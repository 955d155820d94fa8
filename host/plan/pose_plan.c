/* SPDX-License-Identifier: MIT
 *
 * Plans the poses of crowds: a work-group for some instances on devices of one lane, else a work-item
 * for as many as it has lanes.
 */
#include "plan.h"

pm_variant pm_plan_pose_variant(const pm_crowd_data *crowd, pm_view view, pm_pose_kind kind,
                                const pm_plan_device *device) {
    const pm_channel *rotations = &crowd->channels[PM_ROTATIONS];
    const bool one_lane = device->narrow_lanes == 1;
    pm_variant variant = {.file = one_lane ? "bodies_workgroup" : "bodies",
                          .curve = pm_curves[rotations->impl.curve].name,
                          .components = 4,
                          .lanes = device->narrow_lanes,
                          .format = rotations->format,
                          .vector_curve = pm_curves[crowd->channels[PM_POSITIONS].impl.curve].name};
    variant.per_joint = one_lane && crowd->per_joint && !kind.given;
    if (pm_is_body_output(view.output))
        return variant;
    variant.file = one_lane ? "crowd_workgroup" : "crowd";
    variant.output = view.output;
    variant.subset = !one_lane && view.set > 0;
    variant.layered = kind.layered;
    variant.given = kind.given;
    return variant;
}

pm_status pm_plan_check_poses(const pm_pose_plan *plan, pm_error *error) {
    const size_t bytes = pm_shared_bytes(plan->stages->slots, plan->kind.layered);
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

/* Moves the begin of what is read one after another to a piece. */
static void skip_to(pm_step_numbers *n, const pm_pose_plan *plan, const pm_piece *piece) {
    n->offsets = plan->begin;
    n->size.list = plan->list;
    n->size.layers = plan->layer_count;
    if (plan->list) {
        n->offsets.list += piece->from * sizeof(pm_u32);
        n->size.entries = (pm_u32)piece->count;
        n->size.before = (pm_u32)piece->from;
        return;
    }
    n->offsets.instances += piece->from * sizeof(pm_crowd_instance);
    n->offsets.ranges += piece->from * sizeof(pm_crowd_range);
    n->offsets.poses += piece->from * plan->begin.pose_stride;
}

/* Bytes from record 0 of the plan to the first one that a piece writes. */
static uint64_t records_before(const pm_pose_plan *plan, const pm_piece *piece, uint64_t stride) {
    return plan->list & PM_LIST_OWN ? 0 : piece->from * stride;
}

static pm_step step_of(const pm_pose_plan *plan, pm_view view, const pm_piece *piece) {
    pm_step step = {.variant = pm_plan_pose_variant(plan->crowd, view, plan->kind, plan->device)};
    pm_step_numbers *n = &step.numbers;
    const uint32_t lanes = step.variant.lanes;
    step.parameters = pm_parameters_of(step.variant.file, lanes, &step.parameter_count);
    step.items = (piece->count + lanes - 1) / lanes;
    n->size = plan->list ? pm_crowd_size_of(plan->crowd, view.set, plan->frame, plan->first,
                                            plan->instance_count)
                         : pm_crowd_size_of(plan->crowd, view.set, plan->frame,
                                            plan->first + piece->from, piece->count);
    n->slots = (pm_u32)plan->stages[view.set].slots;
    n->size.stages = (pm_u32)plan->stages[view.set].stage_count;
    step.grouping = lanes == 1 ? PM_GROUPS_SHARED : PM_GROUPS_OF_ONE;
    skip_to(n, plan, piece);
    return step;
}

pm_step pm_plan_poses(const pm_pose_plan *plan, pm_view view, const pm_piece *piece,
                      uint64_t offset, uint64_t stride) {
    pm_step step = step_of(plan, view, piece);
    pm_step_numbers *n = &step.numbers;
    const size_t records = plan->list & PM_LIST_OWN ? plan->instance_count : plan->entry_count;
    n->records_offset = offset + records_before(plan, piece, stride);
    n->stride = stride;
    n->streams = records * stride >= PM_MIN_STREAM_BYTES;
    return step;
}

pm_step pm_plan_bodies(const pm_pose_plan *plan, uint32_t set, const pm_piece *piece,
                       const pm_body_targets *targets, bool at_points) {
    pm_step step = step_of(plan, (pm_view){PM_CROWD_BODY_POS, set}, piece);
    pm_step_numbers *n = &step.numbers;
    const size_t from = plan->list ? 0 : piece->from;
    n->targets = *targets;
    for (unsigned o = 0; o < PM_BODY_OUTPUTS; o++)
        n->targets.offset[o] += records_before(plan, piece, targets->stride[o]);
    n->placements_offset = plan->placements + from * sizeof(pm_placed);
    n->speeds_offset = plan->speeds + from * sizeof(float);
    n->has_placements = plan->has_placements;
    n->has_speeds = plan->has_speeds;
    n->has_points = at_points;
    n->has_hinges = plan->crowd->skeleton->hinges != NULL;
    return step;
}
