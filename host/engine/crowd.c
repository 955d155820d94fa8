/* SPDX-License-Identifier: MIT
 *
 * Crowds: built on the host, uploaded to the engine's device, and posed into host memory.
 */
#include "engine.h"

#include <stdlib.h>

#include "cpu/cpu.h"

/* ---- crowds ---- */

static pm_status build(const pm_crowd_desc *desc, pm_crowd *crowd, pm_error *error) {
    pm_crowd_data *data = NULL;
    pm_status status = pm_device_check(crowd->engine->device, error);
    if (status == PM_OK)
        status = pm_crowd_data_build(desc, crowd->engine->host_threads, &data, error);
    return status == PM_OK ? pm_crowd_publish(crowd, data, error) : status;
}

pm_status pm_crowd_create(pm_engine *engine, const pm_crowd_desc *desc, pm_crowd **crowd,
                          pm_error *error) {
    pm_error_clear(error);
    if (!engine || !desc || !crowd)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !engine ? "engine"
                       : !desc ? "desc"
                               : "crowd");
    if (!engine->device->backend->upload_crowd)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "the engine has %zu devices, expected 1: a crowd uses one device",
                       engine->device->member_count);
    pm_crowd *made = calloc(1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    made->engine = engine;
    pthread_mutex_init(&made->changing, NULL);
    pm_status status = build(desc, made, error);
    if (status == PM_OK)
        *crowd = made;
    else
        pm_crowd_destroy(&made);
    return status;
}

void pm_crowd_destroy(pm_crowd **handle) {
    pm_crowd *crowd = handle ? *handle : NULL;
    if (!crowd)
        return;
    pm_crowd_clear(crowd);
    pthread_mutex_destroy(&crowd->changing);
    free(crowd);
    *handle = NULL;
}

static uint64_t channel_bytes(const pm_channel *channel) {
    return channel->present ? channel->key_bytes + channel->constant_floats * sizeof(float) : 0;
}

void pm_crowd_get_info(const pm_crowd *crowd, pm_crowd_info *info) {
    if (info)
        *info = (pm_crowd_info){0};
    if (!crowd || !info)
        return;
    const pm_held_crowd held = pm_crowd_hold(crowd);
    const pm_crowd_data *data = held.data;
    *info = (pm_crowd_info){.joint_count = data->skeleton->joint_count,
                            .clip_count = data->clip_count,
                            .has_positions = data->channels[PM_POSITIONS].present,
                            .has_scales = data->channels[PM_SCALES].present};
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        info->device_bytes += channel_bytes(&data->channels[c]);
    info->device_bytes += data->skeleton->joint_count * sizeof *data->joints;
    pm_crowd_let(&held);
}

int64_t pm_crowd_clip_ticks(const pm_crowd *crowd, size_t clip) {
    if (!crowd)
        return 0;
    const pm_held_crowd held = pm_crowd_hold(crowd);
    const int64_t ticks = clip < held.data->clip_count ? held.data->rows[clip].ticks : 0;
    pm_crowd_let(&held);
    return ticks;
}

pm_status pm_crowd_check_instances(const pm_crowd *crowd, const pm_crowd_instance *instances,
                                   size_t count, pm_error *error) {
    pm_error_clear(error);
    if (!crowd || (count && !instances))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", crowd ? "instances" : "crowd");
    const pm_held_crowd held = pm_crowd_hold(crowd);
    const pm_status status = pm_instances_check(held.data, instances, count, error);
    pm_crowd_let(&held);
    return status;
}

pm_status pm_crowd_check_layers(const pm_crowd *crowd, const pm_crowd_layer *layers, size_t count,
                                pm_error *error) {
    pm_error_clear(error);
    if (!crowd || (count && !layers))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", crowd ? "layers" : "crowd");
    const pm_held_crowd held = pm_crowd_hold(crowd);
    const pm_status status = pm_layers_check(held.data, layers, count, error);
    pm_crowd_let(&held);
    return status;
}

/* ---- poses ---- */

/* Required alignment of records in host memory, in bytes. */
static const size_t host_alignment = sizeof(float);

static pm_status check_target(const pm_crowd_data *crowd, const pm_crowd_job *job, size_t index,
                              pm_view *views, pm_error *error) {
    const pm_crowd_target *target = &job->outputs[index];
    const size_t records = job->indices && job->packed ? job->index_count : job->instance_count;
    size_t bytes;
    views[index] = (pm_view){target->output, target->subset};
    pm_status status = PM_CHECK_NEXT(pm_crowd_target, target, error);
    if (status == PM_OK)
        status = pm_crowd_check_listed(crowd->skeleton, views, index, error);
    if (status != PM_OK)
        return status;
    const char *name = pm_crowd_outputs[target->output].name;
    if (!target->memory)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: memory is NULL", name);
    status = pm_crowd_check_stride(crowd->skeleton, views[index], target->stride, host_alignment,
                                   records, &bytes, error);
    if (status == PM_OK)
        status = pm_check_multiple(name, "memory's address", (uintptr_t)target->memory,
                                   host_alignment, error);
    if (status == PM_OK)
        status = pm_crowd_check_previous(target->output, target->memory, target->previous, error);
    if (status == PM_OK)
        status = pm_check_multiple(name, "previous address", (uintptr_t)target->previous,
                                   PM_PREVIOUS_ALIGNMENT, error);
    return status == PM_OK
               ? pm_crowd_check_flags(crowd->skeleton, target->output, target->flags, error)
               : status;
}

static bool has_bodies(const pm_crowd_job *job) {
    bool found = false;
    for (size_t i = 0; i < job->output_count; i++)
        found = found || pm_is_body_output(job->outputs[i].output);
    return found;
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

static pm_status check_poses(const pm_crowd_data *crowd, const pm_crowd_job *job, pm_error *error) {
    size_t bytes;
    const pm_status status = pm_crowd_check_poses(crowd->skeleton, job->pose_stride, host_alignment,
                                                  job->instance_count, &bytes, error);
    return status == PM_OK
               ? pm_check_multiple("poses", "address", (uintptr_t)job->poses, host_alignment, error)
               : status;
}

static pm_status check(const pm_crowd_data *crowd, const pm_crowd_job *job, pm_error *error) {
    pm_view views[PM_CROWD_MAX_TARGETS];
    pm_job_parts parts = {.instances = job->instances,
                          .layers = job->layers,
                          .ranges = job->ranges,
                          .poses = job->poses,
                          .placements = job->placements,
                          .speeds = job->speeds,
                          .layer_count = job->layer_count};
    pm_status status = pm_crowd_check_parts(&parts, error);
    if (status == PM_OK && job->index_count && !job->indices)
        status = pm_fail(error, PM_ERROR_ARGUMENT,
                         "the number of indices is %zu, but indices is NULL", job->index_count);
    if (status == PM_OK && job->index_count > UINT32_MAX)
        status =
            pm_fail(error, PM_ERROR_SIZE, "the number of indices is %zu, expected at most 2^32 - 1",
                    job->index_count);
    if (status == PM_OK && job->poses)
        status = check_poses(crowd, job, error);
    if (status == PM_OK)
        status = pm_crowd_check_list(job->outputs, job->output_count, error);
    for (size_t i = 0; status == PM_OK && i < job->output_count; i++)
        status = check_target(crowd, job, i, views, error);
    if (status != PM_OK)
        return status;
    parts.bodies = has_bodies(job);
    status = pm_crowd_check_bodies(&parts, error);
    return status == PM_OK && parts.bodies
               ? check_alone(crowd, job->instances, job->instance_count, error)
               : status;
}

static pm_status pose(pm_crowd *crowd, const pm_held_crowd *held, const pm_crowd_job *job,
                      pm_error *error) {
    pm_status status = PM_CHECK_NEXT(pm_crowd_job, job, error);
    const bool is_empty = job->instance_count == 0 || (job->indices && job->index_count == 0);
    if (status != PM_OK || is_empty)
        return status;
    status = check(held->data, job, error);
    if (status != PM_OK)
        return status;
    const pm_pose_request request =
        pm_pose_request_of(held->data, job, crowd->engine->host_threads);
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

/* As a job of one target. Levels are updated in each frame. */
static pm_status pose_one(const pm_crowd_data *crowd, const pm_crowd_one *one, void *records,
                          pm_error *error) {
    const pm_view view = {one->output, one->subset};
    const pm_job_parts parts = {.instances = one->instance,
                                .layers = one->layers,
                                .ranges = one->layers,
                                .poses = one->pose,
                                .placements = one->placement,
                                .speeds = one->speed,
                                .bodies = (unsigned)one->output < PM_CROWD_OUTPUT_COUNT &&
                                          pm_is_body_output(one->output),
                                .layer_count = one->layer_count};
    const pm_posed from = {.view = view,
                           .flags = one->flags,
                           .instance = one->instance,
                           .layers = one->layers,
                           .layer_count = one->layer_count < PM_CROWD_MAX_LAYERS
                                              ? one->layer_count
                                              : PM_CROWD_MAX_LAYERS,
                           .given = one->pose,
                           .placement = one->placement,
                           .speed = one->speed};
    pm_status status = PM_CHECK_NEXT(pm_crowd_one, one, error);
    if (status == PM_OK)
        status = pm_crowd_check_parts(&parts, error);
    if (status == PM_OK)
        status = pm_crowd_check_bodies(&parts, error);
    if (status == PM_OK)
        status = pm_crowd_check_view(crowd->skeleton, view, error);
    if (status == PM_OK)
        status = pm_crowd_check_flags(crowd->skeleton, view.output, one->flags, error);
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

pm_status pm_crowd_root_motion(const pm_crowd *crowd, const pm_crowd_instance *before,
                               const pm_crowd_instance *after, size_t count,
                               pm_root_motion *motions, pm_error *error) {
    pm_error_clear(error);
    if (!crowd || (count && (!before || !after || !motions)))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd    ? "crowd"
                       : !before ? "before"
                       : !after  ? "after"
                                 : "motions");
    const pm_held_crowd held = pm_crowd_hold(crowd);
    pm_root_motions_find(held.data, pm_cpu_root_pose, crowd->engine->host_threads, before, after,
                         count, motions);
    pm_crowd_let(&held);
    return PM_OK;
}

pm_status pm_crowd_events(const pm_crowd *crowd, const pm_crowd_instance *before,
                          const pm_crowd_instance *after, size_t count, pm_crowd_event *events,
                          size_t capacity, size_t *event_count, pm_error *error) {
    pm_error_clear(error);
    if (!crowd || (count && (!before || !after)) || (capacity && !events) || !event_count)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd                ? "crowd"
                       : count && !before    ? "before"
                       : count && !after     ? "after"
                       : capacity && !events ? "events"
                                             : "event_count");
    const pm_held_crowd held = pm_crowd_hold(crowd);
    const pm_status status = pm_events_find(held.data, crowd->engine->host_threads, before, after,
                                            count, events, capacity, event_count, error);
    pm_crowd_let(&held);
    return status;
}

pm_status pm_crowd_synced_time(const pm_crowd *crowd, size_t clip, int64_t time, size_t other,
                               int64_t *synced, pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !synced)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", crowd ? "synced" : "crowd");
    const pm_held_crowd held = pm_crowd_hold(crowd);
    const pm_status status = pm_synced_time_find(held.data, clip, time, other, synced, error);
    pm_crowd_let(&held);
    return status;
}
