/* SPDX-License-Identifier: MIT
 *
 * Crowds: built on the host, uploaded to the engine's device; and what is computed for instances on the host.
 */
#include "engine.h"

#include "cpu/cpu.h"

/* ---- crowds ---- */

static pm_status build(const pm_crowd_desc *desc, pm_crowd *crowd, pm_error *error) {
    pm_crowd_data *data = NULL;
    pm_status status = pm_device_check(crowd->engine->device, error);
    if (status == PM_OK)
        status = pm_crowd_data_build(&crowd->engine->host, desc, crowd->engine->host_threads, &data,
                                     error);
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
    pm_crowd *made = pm_allocate_zeroed(&engine->host, 1, sizeof *made);
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

static pm_status root_motion(const pm_crowd *crowd, pm_root_job job, pm_error *error) {
    pm_error_clear(error);
    if (!crowd || (job.count && (!job.before || !job.after || !job.motions)))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd        ? "crowd"
                       : !job.before ? "before"
                       : !job.after  ? "after"
                                     : "motions");
    const pm_held_crowd held = pm_crowd_hold(crowd);
    const size_t bytes = pm_transition_state_bytes(held.data);
    job.crowd = held.data;
    job.root_pose = pm_cpu_root_pose;
    job.stride = job.stride ? job.stride : bytes;
    const pm_status status = job.stride < bytes
                                 ? pm_fail(error, PM_ERROR_ARGUMENT,
                                           "stride: expected at least pm_crowd_transition_bytes")
                                 : PM_OK;
    if (status == PM_OK)
        pm_root_motions_find(&job, crowd->engine->host_threads);
    pm_crowd_let(&held);
    return status;
}

pm_status pm_crowd_root_motion(const pm_crowd *crowd, const pm_crowd_instance *before,
                               const pm_crowd_instance *after, size_t count,
                               pm_root_motion *motions, pm_error *error) {
    return root_motion(crowd,
                       (pm_root_job){.before = before,
                                     .after = after,
                                     .instance_count = count,
                                     .count = count,
                                     .motions = motions},
                       error);
}

pm_status pm_crowd_root_motion_in_transition(const pm_crowd *crowd, const pm_crowd_instance *before,
                                             const pm_crowd_instance *after, size_t count,
                                             const void *states, size_t stride,
                                             const int64_t times[2], pm_root_motion *motions,
                                             pm_error *error) {
    pm_error_clear(error);
    if (!states || !times)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", states ? "times" : "states");
    return root_motion(crowd,
                       (pm_root_job){.before = before,
                                     .after = after,
                                     .instance_count = count,
                                     .count = count,
                                     .states = states,
                                     .stride = stride,
                                     .times = {times[0], times[1]},
                                     .motions = motions},
                       error);
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
