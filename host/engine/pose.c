/* SPDX-License-Identifier: MIT
 *
 * Posing a crowd: a job becomes a request, which is resolved and checked here, whether it is in host memory or
 * on a caller's queue.
 */
#include "engine.h"

#include "cpu/cpu.h"

/* Required alignment of records and poses in host memory, in bytes. */
static const size_t host_alignment = sizeof(float);

/* Likewise, of the `previous` memory of any output, also in device memory. */
static const size_t previous_alignment = 4;

/* Kernels count instances in 32 bits, and work sizes are rounded up. */
static const size_t most_on_queue = UINT32_MAX - 64;

static pm_status check_count(const char *name, size_t count, size_t most, pm_error *error) {
    return count <= most ? PM_OK
                         : pm_fail(error, PM_ERROR_SIZE, "%s is %zu, expected at most %zu", name,
                                   count, most);
}

/* ---- memory ---- */

/* The distance from the begin of the first of some rows, at least one, to the end of the last one. */
static pm_status check_rows(const pm_pose_rows *rows, size_t alignment, size_t *bytes,
                            pm_error *error) {
    if (rows->stride < rows->bytes)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "%s: stride is %zu bytes, expected at least the %zu of an instance",
                       rows->name, rows->stride, rows->bytes);
    const pm_status status =
        pm_check_multiple(rows->name, "stride", rows->stride, alignment, error);
    if (status != PM_OK)
        return status;
    if (rows->count && (!pm_multiply(rows->count - 1, rows->stride, bytes) ||
                        __builtin_add_overflow(*bytes, rows->bytes, bytes)))
        return pm_fail(error, PM_ERROR_SIZE, "%s: the size in bytes does not fit size_t",
                       rows->name);
    return PM_OK;
}

static pm_status check_address(const pm_device *device, const char *name, const char *what,
                               const pm_address *at, size_t alignment, size_t bytes,
                               pm_error *error) {
    return at->handle ? device->backend->check_address(device, name, at, alignment, bytes, error)
                      : pm_check_multiple(name, what, (uintptr_t)at->memory, host_alignment, error);
}

/* States of planted feet have numbers of 8 bytes. */
static const size_t plant_alignment = 8;

/* Inputs without a stride are arrays in host memory. */
static pm_status check_input(const pm_pose_request *r, pm_memory input, const pm_device *device,
                             pm_error *error) {
    const pm_address *at = &r->inputs[input - PM_MEMORY_INSTANCES];
    const pm_pose_rows rows = pm_pose_rows_of(r, input);
    const bool strided = input == PM_MEMORY_POSES || input == PM_MEMORY_GOALS ||
                         input == PM_MEMORY_TRANSITIONS || input == PM_MEMORY_PLANTS;
    size_t bytes = 0;
    if (at->memory && at->handle)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "%s: memory and buffer are both set, expected one of them", rows.name);
    if (!pm_is_given(at) || (at->memory && !strided))
        return PM_OK;
    const size_t alignment = !strided                    ? 1
                             : at->handle                ? rows.alignment
                             : input == PM_MEMORY_PLANTS ? plant_alignment
                                                         : host_alignment;
    pm_status status = check_rows(&rows, alignment, &bytes, error);
    if (status == PM_OK && input == PM_MEMORY_PLANTS)
        status =
            pm_check_multiple(rows.name, "address", (uintptr_t)at->memory, plant_alignment, error);
    if (status == PM_OK && input == PM_MEMORY_PLANTS && device && at->memory)
        return pm_fail(error, PM_ERROR_ARGUMENT, "plants: expected a buffer");
    return status == PM_OK
               ? check_address(device, rows.name, "address", at, rows.alignment, bytes, error)
               : status;
}

static pm_status check_inputs(const pm_pose_request *r, const pm_device *device, pm_error *error) {
    const bool is_counted = r->index_count || pm_is_given(&r->counted);
    pm_status status =
        is_counted && !pm_is_given(&r->indices)
            ? pm_fail(error, PM_ERROR_ARGUMENT, "indices are counted, but indices is NULL")
            : PM_OK;
    for (pm_memory m = PM_MEMORY_INSTANCES; status == PM_OK && m <= PM_MEMORY_SPEEDS; m++)
        status = check_input(r, m, device, error);
    return status;
}

/* ---- targets ---- */

pm_status pm_pose_check_list(const void *outputs, size_t count, pm_error *error) {
    if (count == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "no output is requested");
    if (count > PM_CROWD_MAX_TARGETS)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "the number of outputs is %zu, expected at most %d", count,
                       PM_CROWD_MAX_TARGETS);
    return outputs ? PM_OK : pm_fail(error, PM_ERROR_ARGUMENT, "outputs is NULL");
}

/* PM_OK when the output of a target exists, and none before it is the same. */
static pm_status check_view(const pm_pose_request *r, size_t index, pm_error *error) {
    const pm_view view = r->targets[index].view;
    if ((unsigned)view.output >= PM_CROWD_OUTPUT_COUNT)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "outputs[%zu].output is %d, expected a pm_crowd_output", index,
                       (int)view.output);
    for (size_t i = 0; i < index; i++)
        if (r->targets[i].view.output == view.output && r->targets[i].view.set == view.set)
            return pm_fail(error, PM_ERROR_ARGUMENT, "outputs[%zu].output: %s is requested twice",
                           index, pm_crowd_outputs[view.output].name);
    return pm_crowd_check_view(r->crowd->skeleton, view, error);
}

/* PM_OK when the flags are of pm_target_flag, and apply to the output. */
static pm_status check_flags(const pm_skeleton *skeleton, pm_crowd_output output, uint64_t flags,
                             pm_error *error) {
    const char *name = pm_crowd_outputs[output].name;
    const bool turns = output == PM_CROWD_BODY_ROT || output == PM_CROWD_LOCAL_ROT;
    if (flags & ~(uint64_t)(PM_TARGET_SCALAR_FIRST | PM_TARGET_AT_POINT))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: flags has a bit that is no pm_target_flag",
                       name);
    if (flags & PM_TARGET_SCALAR_FIRST && !turns)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "%s: PM_TARGET_SCALAR_FIRST is for PM_CROWD_BODY_ROT and PM_CROWD_LOCAL_ROT",
                       name);
    if (flags & PM_TARGET_AT_POINT && output != PM_CROWD_BODY_VEL)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: PM_TARGET_AT_POINT is for PM_CROWD_BODY_VEL",
                       name);
    return flags & PM_TARGET_AT_POINT && !skeleton->points
               ? pm_fail(error, PM_ERROR_ARGUMENT,
                         "%s: PM_TARGET_AT_POINT: the skeleton has no points", name)
               : PM_OK;
}

static pm_status check_records(const pm_pose_request *r, const pm_pose_target *target,
                               const pm_device *device, pm_error *error) {
    const char *name = pm_crowd_outputs[target->view.output].name;
    const pm_pose_rows rows = {.name = name,
                               .count = pm_pose_records(r),
                               .bytes = target->bytes,
                               .stride = target->stride};
    const size_t alignment =
        device ? pm_crowd_output_alignment(target->view.output) : host_alignment;
    size_t bytes = 0;
    if (!pm_is_given(&target->to))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: %s is NULL", name,
                       device ? "buffer" : "memory");
    pm_status status = check_rows(&rows, alignment, &bytes, error);
    if (status == PM_OK)
        status =
            check_address(device, name, "memory's address", &target->to, alignment, bytes, error);
    if (status == PM_OK && target->previous.memory == target->to.memory &&
        target->previous.handle == target->to.handle)
        status = pm_fail(error, PM_ERROR_ARGUMENT, "%s: previous is the output's own memory", name);
    return status == PM_OK ? check_address(device, name, "previous address", &target->previous,
                                           previous_alignment, bytes, error)
                           : status;
}

/* Resolves strides. */
static pm_status check_target(pm_pose_request *r, size_t index, const pm_device *device,
                              pm_error *error) {
    const pm_skeleton *s = r->crowd->skeleton;
    pm_pose_target *target = &r->targets[index];
    pm_status status = check_view(r, index, error);
    if (status != PM_OK)
        return status;
    target->bytes = pm_crowd_view_bytes(s, target->view);
    target->stride = target->stride ? target->stride : target->bytes;
    status = check_records(r, target, device, error);
    return status == PM_OK ? check_flags(s, target->view.output, target->flags, error) : status;
}

/* ---- requests ---- */

static pm_status check_counts(const pm_pose_request *r, bool on_queue, pm_error *error) {
    const pm_status status =
        on_queue ? check_count("instance_count", r->instance_count, most_on_queue, error) : PM_OK;
    return status == PM_OK ? check_count("the number of indices", r->index_count,
                                         on_queue ? most_on_queue : UINT32_MAX, error)
                           : status;
}

static bool has_bodies(const pm_pose_request *r) {
    bool found = false;
    for (size_t i = 0; i < r->target_count; i++)
        found = found || pm_is_body_output(r->targets[i].view.output);
    return found;
}

pm_status pm_pose_resolve(pm_pose_request *r, const pm_device *device, pm_error *error) {
    pm_job_parts parts = {.instances = pm_is_given(&r->instances),
                          .layers = pm_is_given(&r->layers),
                          .ranges = pm_is_given(&r->ranges),
                          .poses = pm_is_given(&r->poses),
                          .placements = pm_is_given(&r->placements),
                          .goals = pm_is_given(&r->goals),
                          .transitions = pm_is_given(&r->transitions),
                          .plants = pm_is_given(&r->plants),
                          .chains = &r->chains,
                          .speeds = pm_is_given(&r->speeds),
                          .layer_count = r->layer_count};
    const size_t goals = r->chains.count * sizeof(pm_chain_goal);
    r->pose_stride = r->pose_stride ? r->pose_stride : pm_pose_local_bytes(r);
    r->goal_stride = r->goal_stride ? r->goal_stride : goals;
    r->transition_stride =
        r->transition_stride ? r->transition_stride : pm_transition_state_bytes(r->crowd);
    r->plant_stride = r->plant_stride ? r->plant_stride : pm_plant_state_bytes(r->crowd->skeleton);
    pm_status status = check_counts(r, device, error);
    if (status == PM_OK)
        status = pm_crowd_find_plants(r->crowd->skeleton, parts.plants, &r->chains, error);
    if (status == PM_OK)
        status = pm_crowd_check_parts(&parts, error);
    if (status == PM_OK)
        status = check_inputs(r, device, error);
    for (size_t i = 0; status == PM_OK && i < r->target_count; i++)
        status = check_target(r, i, device, error);
    if (status != PM_OK)
        return status;
    parts.bodies = has_bodies(r);
    return pm_crowd_check_bodies(&parts, error);
}

size_t pm_crowd_plant_bytes(const pm_crowd *crowd) {
    if (!crowd)
        return 0;
    const pm_held_crowd held = pm_crowd_hold(crowd);
    const size_t bytes = pm_plant_state_bytes(held.data->skeleton);
    pm_crowd_let(&held);
    return bytes;
}

/* ---- jobs into host memory ---- */

static pm_pose_request inputs_of(const pm_crowd_data *crowd, const pm_crowd_job *job,
                                 size_t host_threads) {
    return (pm_pose_request){.host = crowd->host,
                             .crowd = crowd,
                             .instances = pm_in_memory(job->instances),
                             .layers = pm_in_memory(job->layers),
                             .ranges = pm_in_memory(job->ranges),
                             .indices = pm_in_memory(job->indices),
                             .poses = pm_in_memory(job->poses),
                             .placements = pm_in_memory(job->placements),
                             .goals = pm_in_memory(job->goals),
                             .transitions = pm_in_memory(job->transitions),
                             .plants = pm_in_memory(job->plants),
                             .heights = pm_in_memory(job->heights),
                             .speeds = pm_in_memory(job->speeds),
                             .instance_count = job->instance_count,
                             .layer_count = job->layer_count,
                             .index_count = job->index_count,
                             .pose_stride = job->pose_stride,
                             .goal_stride = job->goal_stride,
                             .transition_stride = job->transition_stride,
                             .transition_time = job->transition_time,
                             .plant_stride = job->plant_stride,
                             .frame = job->frame,
                             .packed = job->indices && job->packed,
                             .host_threads = job->host_threads ? job->host_threads : host_threads};
}

pm_status pm_pose_request_of(const pm_crowd_data *crowd, const pm_crowd_job *job,
                             size_t host_threads, pm_pose_request *request, pm_error *error) {
    pm_status status = PM_CHECK_NEXT(pm_crowd_job, job, error);
    *request = inputs_of(crowd, job, host_threads);
    if (status != PM_OK || pm_pose_is_empty(request))
        return status;
    status = pm_pose_check_list(job->outputs, job->output_count, error);
    if (status == PM_OK)
        status = pm_crowd_find_chains(crowd->skeleton, job->chains, job->chain_count,
                                      &request->chains, error);
    if (status == PM_OK)
        status = pm_crowd_find_ground(&job->ground, job->heights, &request->chains, &request->grid,
                                      error);
    for (size_t i = 0; status == PM_OK && i < job->output_count; i++) {
        const pm_crowd_target *target = &job->outputs[i];
        status = PM_CHECK_NEXT(pm_crowd_target, target, error);
        request->targets[request->target_count++] =
            (pm_pose_target){.view = {target->output, target->subset},
                             .flags = target->flags,
                             .to = {.memory = target->memory},
                             .previous = {.memory = target->previous},
                             .stride = target->stride};
    }
    return status == PM_OK ? pm_pose_resolve(request, NULL, error) : status;
}

/* States of bodies show clip A alone. */
static pm_status check_alone(const pm_crowd_data *crowd, const pm_crowd_instance *instances,
                             size_t count, pm_error *error) {
    for (size_t i = 0; i < count; i++)
        if (instances[i].weight != 0.0f &&
            pm_instance_resolved(crowd, &instances[i]).inputs[1].op != PM_OP_NONE)
            return pm_fail_instance(error, PM_ERROR_ARGUMENT, i,
                                    "clip B has a weight: states of bodies are those of clip A "
                                    "alone");
    return PM_OK;
}

static pm_status pose(const pm_crowd *crowd, const pm_held_crowd *held, const pm_crowd_job *job,
                      pm_error *error) {
    pm_pose_request request;
    pm_status status =
        pm_pose_request_of(held->data, job, crowd->engine->host_threads, &request, error);
    if (status == PM_OK && has_bodies(&request))
        status = check_alone(held->data, request.instances.memory, request.instance_count, error);
    if (status != PM_OK || pm_pose_is_empty(&request))
        return status;
    const pm_job resolved = pm_job_of_poses(held->on_device, &request);
    return pm_job_compute(&resolved, job->on_reference, crowd->engine->builds_in_background, error);
}

pm_status pm_crowd_pose(pm_crowd *crowd, const pm_crowd_job *job, pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !job)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", crowd ? "job" : "crowd");
    const pm_held_crowd held = pm_crowd_hold(crowd);
    const pm_status status = pose(crowd, &held, job, error);
    pm_crowd_let(&held);
    return status;
}

/* ---- one instance ---- */

/* As a job of one target. Levels are updated in each frame. */
static pm_status pose_one(const pm_crowd_data *crowd, const pm_crowd_one *one, void *records,
                          pm_error *error) {
    const pm_view view = {one->output, one->subset};
    pm_chain_list chains;
    const pm_job_parts parts = {.instances = one->instance,
                                .layers = one->layers,
                                .ranges = one->layers,
                                .poses = one->pose,
                                .placements = one->placement,
                                .goals = one->goals,
                                .transitions = one->transition,
                                .plants = one->plants,
                                .chains = &chains,
                                .speeds = one->speed,
                                .bodies = (unsigned)one->output < PM_CROWD_OUTPUT_COUNT &&
                                          pm_is_body_output(one->output),
                                .layer_count = one->layer_count};
    pm_posed from = {.host = crowd->host,
                     .view = view,
                     .flags = one->flags,
                     .instance = one->instance,
                     .layers = one->layers,
                     .layer_count = one->layer_count < PM_CROWD_MAX_LAYERS ? one->layer_count
                                                                           : PM_CROWD_MAX_LAYERS,
                     .chains = one->chains ? &chains : NULL,
                     .goals = one->goals,
                     .transition = one->transition,
                     .transition_time = one->transition_time,
                     .plants = one->plants,
                     .heights = one->heights,
                     .given = one->pose,
                     .placement = one->placement,
                     .speed = one->speed};
    pm_status status = PM_CHECK_NEXT(pm_crowd_one, one, error);
    if (status == PM_OK)
        status =
            pm_crowd_find_chains(crowd->skeleton, one->chains, one->chain_count, &chains, error);
    if (status == PM_OK)
        status = pm_crowd_find_ground(&one->ground, one->heights, &chains, &from.grid, error);
    if (status == PM_OK)
        status = pm_crowd_check_parts(&parts, error);
    if (status == PM_OK)
        status = pm_crowd_find_plants(crowd->skeleton, one->plants, &chains, error);
    if (status == PM_OK && one->plants)
        status =
            pm_check_multiple("plants", "address", (uintptr_t)one->plants, plant_alignment, error);
    if (status == PM_OK && one->transition)
        status = pm_check_multiple("transition", "address", (uintptr_t)one->transition,
                                   host_alignment, error);
    if (status == PM_OK)
        status = pm_crowd_check_bodies(&parts, error);
    if (status == PM_OK)
        status = pm_crowd_check_view(crowd->skeleton, view, error);
    if (status == PM_OK)
        status = check_flags(crowd->skeleton, view.output, one->flags, error);
    if (status == PM_OK && parts.bodies)
        status = check_alone(crowd, one->instance, 1, error);
    return status == PM_OK ? pm_cpu_pose_one(crowd, &from, records, error) : status;
}

pm_status pm_crowd_pose_one(const pm_crowd *crowd, const pm_crowd_one *one, void *records,
                            pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !one || !records)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd ? "crowd"
                       : !one ? "one"
                              : "records");
    const pm_held_crowd held = pm_crowd_hold(crowd);
    const pm_status status = pose_one(held.data, one, records, error);
    pm_crowd_let(&held);
    return status;
}
