/* SPDX-License-Identifier: MIT
 *
 * Clips: built on the host, then uploaded to the engine's device.
 */
#include "engine.h"

#include <stdlib.h>

static pm_status build(const pm_clip_desc *desc, pm_clip *clip, pm_error *error) {
    pm_device *device = clip->engine->device;
    const pm_clip_limits limits = {.threads = clip->engine->host_threads,
                                   .max_allocation_bytes = device->info.max_allocation_bytes,
                                   .pool = device->pool};
    pm_status status = pm_device_check(device, error);
    if (status == PM_OK)
        status = pm_clip_data_build(desc, &limits, &clip->data, error);
    if (status == PM_OK)
        status = device->backend->upload_clip(device, clip->data, &clip->on_device, error);
    return status;
}

pm_status pm_clip_create(pm_engine *engine, const pm_clip_desc *desc, pm_clip **clip,
                         pm_error *error) {
    pm_error_clear(error);
    if (!engine || !clip)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", engine ? "clip" : "engine");
    pm_clip *made = calloc(1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    made->engine = engine;
    pm_status status = build(desc, made, error);
    if (status == PM_OK)
        *clip = made;
    else
        pm_clip_destroy(&made);
    return status;
}

void pm_clip_destroy(pm_clip **handle) {
    pm_clip *clip = handle ? *handle : NULL;
    if (!clip)
        return;
    if (clip->on_device && !pm_device_is_lost(clip->engine->device))
        clip->engine->device->backend->release_clip(clip->on_device);
    pm_clip_data_free(&clip->data);
    free(clip);
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
                           .first_time = timeline->first};
    info->last_time = timeline->loop       ? timeline->first + timeline->period
                      : timeline->constant ? timeline->first
                                           : timeline->times[timeline->segment_count];
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        if (data->channels[c].present)
            info->device_bytes +=
                data->channels[c].key_bytes + data->channels[c].constant_floats * sizeof(float);
}
