/* SPDX-License-Identifier: MIT
 *
 * Uploads a clip's planes to the device.
 */
#include "device.h"

#include <stdlib.h>

static pm_status upload(pm_opencl_device *cl, const void *data, size_t size, cl_mem *buffer,
                        pm_error *error) {
    pm_status status =
        pm_check_allocation(cl->device.info.max_allocation_bytes, "clip", size, error);
    return status == PM_OK ? pm_cl_buffer(cl, CL_MEM_READ_ONLY, data, size, buffer, error) : status;
}

static pm_status upload_channel(pm_opencl_device *cl, const pm_clip_data *data, unsigned c,
                                pm_opencl_clip *clip, pm_error *error) {
    const pm_channel *channel = &data->channels[c];
    if (!channel->present)
        return PM_OK;
    pm_status status =
        upload(cl, channel->keys, channel->key_bytes, &clip->channels[c].keys, error);
    if (status == PM_OK) /* at least one float, because a buffer cannot be empty */
        status = upload(cl, channel->constants, (channel->constant_floats + 1) * sizeof(float),
                        &clip->channels[c].constants, error);
    if (status == PM_OK)
        status = upload(cl, channel->layout, data->track_count * sizeof *channel->layout,
                        &clip->channels[c].layout, error);
    return status;
}

pm_status pm_cl_clip_upload(pm_device *device, const pm_clip_data *data, pm_device_clip **clip,
                            pm_error *error) {
    pm_opencl_device *cl = pm_opencl_of(device);
    pm_opencl_clip *made = calloc(1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    pm_device_clip_begin(&made->clip, device, data);
    pm_status status =
        upload(cl, data->wraps, data->padded_tracks * sizeof(float), &made->wraps, error);
    if (status == PM_OK)
        status = upload(cl, data->rates, data->rate_count * sizeof(float), &made->rates, error);
    for (unsigned c = 0; status == PM_OK && c < PM_CHANNEL_COUNT; c++)
        status = upload_channel(cl, data, c, made, error);
    if (status == PM_OK)
        *clip = &made->clip;
    else
        pm_cl_clip_release(&made->clip);
    return status;
}

void pm_cl_clip_release(pm_device_clip *device_clip) {
    pm_opencl_clip *clip = pm_opencl_clip_of(device_clip);
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        pm_cl_release(clip->channels[c].keys);
        pm_cl_release(clip->channels[c].constants);
        pm_cl_release(clip->channels[c].layout);
    }
    pm_cl_release(clip->wraps);
    pm_cl_release(clip->rates);
    free(clip);
}
