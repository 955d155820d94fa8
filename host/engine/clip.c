/* SPDX-License-Identifier: MIT
 *
 * Clips: built on the host, then uploaded to the engine's device, or built there.
 */
#include "engine.h"

/* Whether fewer bytes are sent to build a clip than its planes have. */
static bool gains_on_device(const pm_clip *clip, const pm_clip_desc *desc) {
    uint64_t planes = 0;
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        if (clip->data->channels[c].present)
            planes += clip->data->channels[c].key_bytes;
    return pm_build_bytes(desc, clip->data) < planes;
}

/* A CPU device takes the host's time and its memory. A job in the background would wait for the kernels. */
static bool may_build_on_device(const pm_engine *engine) {
    const pm_device *device = engine->device;
    const bool by_itself = device->info.type != PM_DEVICE_CPU && !engine->builds_in_background;
    return device->backend->build_clip && device->builds_clips &&
           engine->clip_building != PM_CLIPS_BY_HOST &&
           (by_itself || engine->clip_building == PM_CLIPS_BY_DEVICE);
}

/* *builds: the device has built the clip. It builds no clip by itself that it has no memory for, or whose
 * programs its driver refuses. */
static pm_status build_on_device(const pm_clip_desc *desc, const void *buffers,
                                 const pm_clip_limits *limits, pm_clip *clip, bool *builds,
                                 pm_error *error) {
    pm_device *device = clip->engine->device;
    const bool chosen = clip->engine->clip_building == PM_CLIPS_BY_DEVICE;
    pm_clip_limits without_keys = *limits;
    without_keys.without_keys = true;
    pm_status status =
        pm_plan_builds(desc) ? pm_clip_data_build(desc, &without_keys, &clip->data, error) : PM_OK;
    if (!clip->data)
        return status;
    *builds = status == PM_OK && (chosen || buffers || gains_on_device(clip, desc));
    if (*builds)
        status =
            device->backend->build_clip(device, desc, buffers, clip->data, &clip->on_device, error);
    if (!chosen && (status == PM_ERROR_DEVICE_MEMORY || status == PM_ERROR_BUILD)) {
        pm_log(clip->engine->logger, PM_LOG_WARNING, "the host builds a clip, not %s: %s",
               device->info.name, pm_status_name(status));
        pm_error_clear(error);
        *builds = false;
        status = PM_OK;
    }
    *builds = *builds && (status != PM_OK || clip->on_device);
    clip->built_on_device = *builds;
    if (!*builds)
        pm_clip_data_free(&clip->data);
    return status;
}

/* With keys in buffers, the clip stays without data where the device does not build it. */
static pm_status build(const pm_clip_desc *desc, const void *buffers, pm_clip *clip,
                       pm_error *error) {
    pm_device *device = clip->engine->device;
    const pm_clip_limits limits = {.host = &clip->engine->host,
                                   .threads = clip->engine->host_threads,
                                   .max_allocation_bytes = device->info.max_allocation_bytes,
                                   .pool = device->pool,
                                   .is_checked = may_build_on_device(clip->engine)};
    bool builds = false;
    pm_status status = pm_device_check(device, error);
    if (status == PM_OK && limits.is_checked && !buffers)
        status = pm_clip_check(desc, error);
    if (status == PM_OK && limits.is_checked)
        status = build_on_device(desc, buffers, &limits, clip, &builds, error);
    if (status != PM_OK || builds || buffers)
        return status;
    status = pm_clip_data_build(desc, &limits, &clip->data, error);
    return status == PM_OK
               ? device->backend->upload_clip(device, clip->data, &clip->on_device, error)
               : status;
}

/* Reads the channels that are not there yet. */
static pm_status read_channels(const pm_clip *clip, pm_error *error) {
    pm_device *device = clip->engine->device;
    pm_status status = pm_device_check(device, error);
    for (unsigned c = 0; status == PM_OK && c < PM_CHANNEL_COUNT; c++) {
        pm_channel *channel = &clip->data->channels[c];
        if (!channel->present || channel->keys)
            continue;
        pm_pool_block *memory = pm_pool_take(device->pool, channel->key_bytes);
        void *keys = pm_pool_memory(memory);
        status = keys ? device->backend->read_clip(clip->on_device, c, keys, error)
                      : pm_fail_memory(error);
        if (status == PM_OK) {
            channel->keys = keys;
            channel->memory = memory;
        } else {
            pm_pool_give(memory);
        }
    }
    return status;
}

pm_status pm_clip_fetch(const pm_clip *clip, pm_error *error) {
    pm_clip *own = (pm_clip *)(uintptr_t)clip;
    if (!clip->built_on_device)
        return PM_OK;
    pthread_mutex_lock(&own->lock);
    const pm_status status = read_channels(clip, error);
    pthread_mutex_unlock(&own->lock);
    return status;
}

/* Locked, because what is copied has the keys, which a fetch sets. */
pm_status pm_engine_subset(const pm_clip *clip, const pm_sample_job *job, pm_clip_data **subset,
                           pm_error *error) {
    pm_clip *own = (pm_clip *)(uintptr_t)clip;
    if (!clip->built_on_device)
        return pm_sample_subset(clip->data, job, subset, error);
    pthread_mutex_lock(&own->lock);
    const pm_status status = pm_sample_subset(clip->data, job, subset, error);
    pthread_mutex_unlock(&own->lock);
    return status;
}

pm_status pm_clip_make(pm_engine *engine, const pm_clip_desc *desc, const void *buffers,
                       pm_clip **clip, pm_error *error) {
    pm_clip *made = pm_allocate_zeroed(&engine->host, 1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    made->engine = engine;
    pthread_mutex_init(&made->lock, NULL);
    pm_status status = build(desc, buffers, made, error);
    if (status == PM_OK && engine->builds_in_background)
        status = pm_clip_fetch(made, error);
    if (status == PM_OK && made->data)
        *clip = made;
    else
        pm_clip_destroy(&made);
    return status;
}

pm_status pm_clip_create(pm_engine *engine, const pm_clip_desc *desc, pm_clip **clip,
                         pm_error *error) {
    pm_error_clear(error);
    if (!engine || !clip)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", engine ? "clip" : "engine");
    return pm_clip_make(engine, desc, NULL, clip, error);
}

void pm_clip_destroy(pm_clip **handle) {
    pm_clip *clip = handle ? *handle : NULL;
    if (!clip)
        return;
    if (clip->on_device && !pm_device_is_lost(clip->engine->device))
        clip->engine->device->backend->release_clip(clip->on_device);
    pm_clip_data_free(&clip->data);
    pthread_mutex_destroy(&clip->lock);
    pm_release(clip);
    *handle = NULL;
}

void pm_clip_get_info(const pm_clip *clip, pm_clip_info *info) {
    if (info)
        *info = (pm_clip_info){0};
    if (!clip || !info)
        return;
    const pm_clip_data *data = clip->data;
    const pm_clip_timeline *timeline = &data->timelines[0];
    *info = (pm_clip_info){.track_count = data->track_count,
                           .has_rotations = data->channels[PM_ROTATIONS].present,
                           .has_positions = data->channels[PM_POSITIONS].present,
                           .has_scales = data->channels[PM_SCALES].present,
                           .method = data->method,
                           .first_time = timeline->first,
                           .built_on_device = clip->built_on_device};
    info->last_time = timeline->loop       ? timeline->first + timeline->period
                      : timeline->constant ? timeline->first
                                           : timeline->times[timeline->segment_count];
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        if (data->channels[c].present)
            info->device_bytes +=
                data->channels[c].key_bytes + data->channels[c].constant_floats * sizeof(float);
}
