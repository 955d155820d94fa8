/* SPDX-License-Identifier: MIT
 *
 * A clip's planes on the device.
 */
#include <stdlib.h>

#include "base/status.h"
#include "opencl.h"

static pm_status upload(const pm_clip *clip, const void *data, size_t size, cl_mem *buffer,
                        pm_error *error) {
    const pm_engine *engine = clip->engine;
    pm_status status = pm_engine_check_allocation(engine, "clip", size, error);
    return status == PM_OK ? pm_cl_buffer(engine, CL_MEM_READ_ONLY, data, size, buffer, error)
                           : status;
}

pm_status pm_cl_clip_upload(pm_clip *clip, pm_error *error) {
    pm_cl_clip *device = calloc(1, sizeof *device);
    if (!device)
        return pm_fail_memory(error);
    clip->device = device;
    pm_status status =
        upload(clip, clip->wraps, clip->padded_tracks * sizeof(float), &device->wraps, error);
    if (status == PM_OK)
        status = upload(clip, clip->rates, clip->rate_count * sizeof(float), &device->rates, error);
    for (unsigned c = 0; status == PM_OK && c < PM_CHANNEL_COUNT; c++) {
        const pm_channel *channel = &clip->channels[c];
        if (!channel->present)
            continue;
        status = upload(clip, channel->keys, channel->key_bytes, &device->channels[c].keys, error);
        if (status == PM_OK) /* never empty: a buffer cannot be */
            status =
                upload(clip, channel->constants, (channel->constant_floats + 1) * sizeof(float),
                       &device->channels[c].constants, error);
        if (status == PM_OK)
            status = upload(clip, channel->layout, clip->track_count * sizeof *channel->layout,
                            &device->channels[c].layout, error);
    }
    return status;
}

void pm_cl_clip_release(pm_clip *clip) {
    pm_cl_clip *device = clip->device;
    if (!device)
        return;
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        pm_cl_release(device->channels[c].keys);
        pm_cl_release(device->channels[c].constants);
        pm_cl_release(device->channels[c].layout);
    }
    pm_cl_release(device->wraps);
    pm_cl_release(device->rates);
    free(device);
    clip->device = NULL;
}
