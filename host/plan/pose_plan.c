/* SPDX-License-Identifier: MIT
 *
 * Plans the poses of crowds: a work-group for some instances.
 */
#include "plan.h"

/* Of a chain that does not stand, that stands, or whose feet are planted, too: 0 to 2. */
static unsigned kind_of(const pm_chain_list *chains, size_t n) {
    const pm_u32 flags = chains->of[n] >> 16;
    return (flags & PM_REACH_ON_GROUND ? 1u : 0u) + (flags & PM_REACH_PLANTS ? 1u : 0u);
}

static pm_variant reach_variant(unsigned kind) {
    return (pm_variant){.file = kind ? "crowd_ground" : "crowd_reach",
                        .in_transition = kind == 2, /* as feet that return to their pose */
                        .curve = "slerp",
                        .vector_curve = "vector_linear",
                        .components = 4};
}

static const pm_variant capture_variant = {
    .file = "crowd_capture", .curve = "slerp", .vector_curve = "vector_linear", .components = 4};

pm_variant pm_plan_pose_variant(const pm_pose_request *request, size_t target) {
    const pm_crowd_data *crowd = request->crowd;
    const pm_view view = request->targets[target].view;
    const pm_channel *rotations = &crowd->channels[PM_ROTATIONS];
    pm_variant variant = {.file = "bodies_workgroup",
                          .curve = pm_curves[rotations->impl.curve].name,
                          .components = 4,
                          .format = rotations->format,
                          .vector_curve = pm_curves[crowd->channels[PM_POSITIONS].impl.curve].name};
    variant.per_joint = crowd->per_joint && !pm_is_given(&request->poses);
    if (pm_is_body_output(view.output))
        return variant;
    variant.file = "crowd_workgroup";
    variant.output = view.output;
    variant.layered = pm_is_given(&request->layers);
    variant.given = pm_is_given(&request->poses);
    variant.in_transition = pm_is_given(&request->transitions);
    return variant;
}

size_t pm_plan_pose_variants(const pm_pose_request *request,
                             pm_variant variants[PM_POSE_VARIANTS]) {
    const pm_address local = pm_in_memory(request); /* wherever it will be */
    const pm_pose_request before = pm_pose_before_chains(request, local);
    const pm_pose_request after =
        request->chains.count ? pm_pose_after_chains(request, local) : *request;
    size_t count = 0;
    if (request->capture.duration > 0)
        variants[count++] = capture_variant;
    if (request->chains.count)
        variants[count++] = pm_plan_pose_variant(&before, 0);
    for (unsigned kind = 0; kind <= 2; kind++) {
        bool used = false;
        for (pm_u32 n = 0; n < request->chains.count; n++)
            used = used || kind_of(&request->chains, n) == kind;
        if (used)
            variants[count++] = reach_variant(kind);
    }
    for (size_t i = 0; i < request->target_count; i++)
        variants[count++] = pm_plan_pose_variant(&after, i);
    return count;
}

pm_status pm_plan_check_poses(const pm_pose_request *request, const pm_stages *stages,
                              const pm_plan_device *device, pm_error *error) {
    const size_t bytes = pm_shared_bytes(stages->slots, pm_is_given(&request->layers));
    if (bytes <= device->shared_bytes)
        return PM_OK;
    return pm_fail(error, PM_ERROR_DEVICE,
                   "the device's local memory is %llu bytes, crowds need %zu",
                   (unsigned long long)device->shared_bytes, bytes);
}

size_t pm_plan_launch_instances(const pm_pose_request *request, const pm_plan_device *device) {
    const size_t work = request->crowd->skeleton->joint_count * PM_WORK_OF_JOINT;
    const size_t groups = pm_plan_launch_limit(device, work) / PM_INSTANCE_GROUP;
    return groups ? groups * PM_INSTANCE_GROUP : PM_INSTANCE_GROUP;
}

/* PM_LIST_... */
static pm_u32 list_of(const pm_pose_request *r) {
    return !pm_is_given(&r->indices)
               ? PM_LIST_NONE
               : (r->packed ? PM_LIST_PACKED : PM_LIST_OWN) |
                     (pm_is_given(&r->counted) ? PM_LIST_COUNTED : PM_LIST_NONE);
}

/* Where an input begins for the entries from `from` on. */
static uint64_t begin_of(const pm_pose_request *r, pm_memory input, size_t from) {
    const pm_pose_rows rows = pm_pose_rows_of(r, input);
    const bool divided = pm_pose_is_divided(&rows, input, pm_is_given(&r->indices));
    const bool staged = r->staged && input == PM_MEMORY_POSES;
    return r->inputs[input - PM_MEMORY_INSTANCES].offset +
           (divided || staged ? from * rows.stride : 0);
}

static void set_offsets(pm_step_numbers *n, const pm_pose_request *r, size_t from) {
    n->offsets = (pm_crowd_offsets){.instances = begin_of(r, PM_MEMORY_INSTANCES, from),
                                    .layers = begin_of(r, PM_MEMORY_LAYERS, from),
                                    .ranges = begin_of(r, PM_MEMORY_RANGES, from),
                                    .list = begin_of(r, PM_MEMORY_LIST, from),
                                    .list_count = begin_of(r, PM_MEMORY_LIST_COUNT, from),
                                    .poses = begin_of(r, PM_MEMORY_POSES, from),
                                    .transitions = begin_of(r, PM_MEMORY_TRANSITIONS, from),
                                    .pose_stride = r->pose_stride,
                                    .transition_stride = r->transition_stride,
                                    .transition_time = r->transition_time,
                                    .staged = r->staged};
    n->placements_offset = begin_of(r, PM_MEMORY_PLACEMENTS, from);
    n->speeds_offset = begin_of(r, PM_MEMORY_SPEEDS, from);
    n->has_placements = pm_is_given(&r->placements);
    n->has_speeds = pm_is_given(&r->speeds);
}

static void set_size(pm_step_numbers *n, const pm_pose_request *r, uint32_t set,
                     const pm_piece *piece) {
    const pm_u32 list = list_of(r);
    n->size = list
                  ? pm_crowd_size_of(r->crowd, set, r->frame, r->first, r->instance_count)
                  : pm_crowd_size_of(r->crowd, set, r->frame, r->first + piece->from, piece->count);
    n->size.list = list;
    n->size.layers = (pm_u32)r->layer_count;
    if (list) {
        n->size.entries = (pm_u32)piece->count;
        n->size.before = (pm_u32)piece->from;
    }
}

/* Bytes from the begin of a target's memory to the first record that a piece writes. */
static uint64_t records_offset(const pm_pose_request *r, const pm_pose_target *target,
                               const pm_piece *piece) {
    return target->to.offset + (list_of(r) & PM_LIST_OWN ? 0 : piece->from * target->stride);
}

static void set_bodies(pm_step_numbers *n, const pm_pose_request *r, size_t first,
                       const pm_piece *piece) {
    for (size_t t = first; t < r->target_count; t++) {
        const pm_pose_target *target = &r->targets[t];
        const unsigned o = (unsigned)target->view.output - PM_CROWD_BODY_POS;
        if (!pm_are_computed_together(target->view, r->targets[first].view))
            continue;
        n->targets.offset[o] = records_offset(r, target, piece);
        n->targets.stride[o] = target->stride;
        n->targets.fields |= 1u << o;
        n->targets.scalar_first |= target->flags & PM_TARGET_SCALAR_FIRST ? 1u << o : 0;
        n->has_points = n->has_points || target->flags & PM_TARGET_AT_POINT;
    }
    n->has_hinges = r->crowd->skeleton->hinges != NULL;
}

pm_step pm_plan_poses(const pm_pose_request *r, size_t index, const pm_piece *piece,
                      const pm_stages *stages) {
    const pm_pose_target *target = &r->targets[index];
    pm_step step = {.variant = pm_plan_pose_variant(r, index)};
    pm_step_numbers *n = &step.numbers;
    step.parameters = pm_parameters_of(step.variant.file, &step.parameter_count);
    step.grouping = PM_GROUPS_SHARED;
    set_size(n, r, target->view.set, piece);
    set_offsets(n, r, piece->from);
    n->slots = (pm_u32)stages[target->view.set].slots;
    n->size.stages = (pm_u32)stages[target->view.set].stage_count;
    if (pm_is_body_output(target->view.output)) {
        set_bodies(n, r, index, piece);
        return step;
    }
    n->records_offset = records_offset(r, target, piece);
    n->stride = target->stride;
    return step;
}

pm_step pm_plan_reach(const pm_pose_request *r, size_t chain, pm_address local,
                      const pm_piece *piece) {
    pm_step step = {.variant = reach_variant(kind_of(&r->chains, chain)),
                    .items = piece->count,
                    .grouping = PM_GROUPS_ANY};
    pm_step_numbers *n = &step.numbers;
    step.parameters = pm_parameters_of(step.variant.file, &step.parameter_count);
    set_size(n, r, 0, piece);
    set_offsets(n, r, piece->from);
    n->offsets.staged = pm_is_given(&r->instances) ? PM_STAGED_LEVELS : 0;
    n->goals_offset = begin_of(r, PM_MEMORY_GOALS, piece->from);
    n->goal_stride = r->goal_stride;
    n->heights_offset = r->heights.offset;
    n->plants_offset = begin_of(r, PM_MEMORY_PLANTS, piece->from);
    n->plant_stride = r->plant_stride;
    n->grid = r->grid;
    n->chain = r->chains.of[chain] & 0xffffu;
    n->flags = r->chains.of[chain] >> 16;
    n->goal = (pm_u32)chain;
    n->stride = pm_pose_local_bytes(r);
    n->records_offset = local.offset + piece->from * n->stride;
    return step;
}

pm_step pm_plan_capture(const pm_pose_request *r, const pm_piece *piece) {
    pm_step step = {.variant = capture_variant,
                    .items = r->crowd->skeleton->joint_count,
                    .rows = piece->count,
                    .grouping = PM_GROUPS_OF_ROWS};
    pm_step_numbers *n = &step.numbers;
    step.parameters = pm_parameters_of(step.variant.file, &step.parameter_count);
    set_size(n, r, 0, piece);
    set_offsets(n, r, piece->from);
    n->stride = r->capture.apart;
    n->root_positions = r->crowd->kind.root_positions;
    n->duration = r->capture.duration;
    n->rate = r->capture.rate;
    return step;
}
