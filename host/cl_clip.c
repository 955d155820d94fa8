/* SPDX-License-Identifier: MIT
 *
 * A clip's planes on the device.
 */
#include <stdlib.h>

#include "cl.h"
#include "status.h"

static pm_status upload(const pm_clip *clip, const void *data, size_t size, cl_mem *buffer,
                        pm_error *error) {
    const pm_engine *engine = clip->engine;
    cl_int code;
    if (size > engine->info.largest_allocation_bytes)
        return pm_fail(error, PM_ERROR_DEVICE_MEMORY,
                       "the clip needs %zu bytes in one piece and the device allows %llu", size,
                       (unsigned long long)engine->info.largest_allocation_bytes);
    /* copying from a const source: the flag only reads it */
    *buffer = clCreateBuffer(engine->cl->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, size,
                             (void *)(uintptr_t)data, &code);
    if (code == CL_SUCCESS)
        return PM_OK;
    *buffer = NULL;
    return pm_cl_fail(error, code, "clCreateBuffer");
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
        status = upload(clip, channel->keys, channel->key_floats * sizeof(float),
                        &device->channels[c].keys, error);
        if (status == PM_OK) /* never empty: a buffer cannot be */
            status = upload(clip, channel->statics, (channel->static_floats + 1) * sizeof(float),
                            &device->channels[c].statics, error);
        if (status == PM_OK)
            status = upload(clip, channel->layout, clip->track_count * sizeof *channel->layout,
                            &device->channels[c].layout, error);
    }
    return status;
}

static void release(cl_mem buffer) {
    if (buffer)
        clReleaseMemObject(buffer);
}

void pm_cl_clip_release(pm_clip *clip) {
    pm_cl_clip *device = clip->device;
    if (!device)
        return;
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        release(device->channels[c].keys);
        release(device->channels[c].statics);
        release(device->channels[c].layout);
    }
    release(device->wraps);
    release(device->rates);
    free(device);
    clip->device = NULL;
}
