/* SPDX-License-Identifier: MIT
 *
 * Crowds: built on the host, uploaded to the engine's device; and what is computed for instances on the host.
 */
#include "engine.h"

#include "cpu/cpu.h"

/* ---- crowds ---- */

static pm_status build(const pm_crowd_desc *desc, pm_crowd *crowd, pm_error *error) {
    pm_device *device = crowd->engine->device;
    pm_status status = pm_device_check(device, error);
    if (status == PM_OK)
        status = pm_crowd_data_build(&crowd->engine->host, desc, crowd->engine->host_threads,
                                     &crowd->data, error);
    if (status == PM_OK)
        status = device->backend->upload_crowd(device, crowd->data, &crowd->on_device, error);
    return status;
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
    pm_crowd *made = pm_allocate_zeroed(&engine->host, 1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    made->engine = engine;
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
    if (crowd->on_device && !pm_device_is_lost(crowd->engine->device))
        crowd->engine->device->backend->release_crowd(crowd->on_device);
    pm_crowd_data_free(&crowd->data);
    pm_release(crowd);
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
    const pm_crowd_data *data = crowd->data;
    *info = (pm_crowd_info){.joint_count = data->skeleton->joint_count,
                            .clip_count = data->clip_count,
                            .has_positions = data->channels[PM_POSITIONS].present,
                            .has_scales = data->channels[PM_SCALES].present};
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        info->device_bytes += channel_bytes(&data->channels[c]);
    info->device_bytes += data->skeleton->joint_count * sizeof *data->joints;
}

int64_t pm_crowd_clip_ticks(const pm_crowd *crowd, size_t clip) {
    return crowd && clip < crowd->data->clip_count ? crowd->data->clip_ticks[clip] : 0;
}

pm_status pm_crowd_check_instances(const pm_crowd *crowd, const pm_crowd_instance *instances,
                                   size_t count, pm_error *error) {
    pm_error_clear(error);
    if (!crowd || (count && !instances))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", crowd ? "instances" : "crowd");
    return pm_instances_check(crowd->data, instances, count, error);
}

pm_status pm_crowd_check_layers(const pm_crowd *crowd, const pm_crowd_layer *layers, size_t count,
                                pm_error *error) {
    pm_error_clear(error);
    if (!crowd || (count && !layers))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", crowd ? "layers" : "crowd");
    return pm_layers_check(crowd->data, layers, count, error);
}

/* ---- one instance ---- */

pm_status pm_crowd_pose_one(const pm_crowd *crowd, const pm_crowd_instance *instance,
                            pm_crowd_output output, void *records, pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !instance || !records)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd      ? "crowd"
                       : !instance ? "instance"
                                   : "records");
    const pm_posed from = {.view = {output, 0}, .instance = instance};
    pm_status status = pm_crowd_check_view(crowd->data->skeleton, from.view, error);
    return status == PM_OK ? pm_cpu_pose_one(crowd->data, &from, records, error) : status;
}

pm_status pm_crowd_pose_character(const pm_crowd *crowd, const pm_crowd_one *one, void *records,
                                  pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !one || !records)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd ? "crowd"
                       : !one ? "one"
                              : "records");
    const pm_job_parts parts = {.instances = one->instance,
                                .layers = one->layers,
                                .ranges = one->layers,
                                .poses = one->pose,
                                .bodies = (unsigned)one->output < PM_CROWD_OUTPUT_COUNT &&
                                          pm_is_body_output(one->output),
                                .layer_count = one->layer_count};
    const pm_posed from = {.view = {one->output, one->subset},
                           .instance = one->instance,
                           .layers = one->layers,
                           .layer_count = one->layer_count < PM_CROWD_MAX_LAYERS
                                              ? one->layer_count
                                              : PM_CROWD_MAX_LAYERS,
                           .given = one->pose};
    pm_status status = PM_CHECK_NEXT(pm_crowd_one, one, error);
    if (status == PM_OK)
        status = pm_crowd_check_parts(&parts, error);
    if (status == PM_OK)
        status = pm_crowd_check_bodies(&parts, error);
    if (status == PM_OK)
        status = pm_crowd_check_view(crowd->data->skeleton, from.view, error);
    return status == PM_OK ? pm_cpu_pose_one(crowd->data, &from, records, error) : status;
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
    pm_root_motions_find(crowd->data, pm_cpu_root_pose, crowd->engine->host_threads, before, after,
                         count, motions);
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
    return pm_events_find(crowd->data, crowd->engine->host_threads, before, after, count, events,
                          capacity, event_count, error);
}

pm_status pm_crowd_synced_time(const pm_crowd *crowd, size_t clip, int64_t time, size_t other,
                               int64_t *synced, pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !synced)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", crowd ? "synced" : "crowd");
    return pm_synced_time_find(crowd->data, clip, time, other, synced, error);
}
