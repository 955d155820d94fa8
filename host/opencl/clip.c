/* SPDX-License-Identifier: MIT
 *
 * Uploads a clip to the device: its planes, unless the device has built them, and the memory beside.
 */
#include "device.h"

static pm_status upload_channel(const pm_clip_data *data, unsigned c, pm_opencl_clip *clip,
                                pm_error *error) {
    pm_status status = PM_OK;
    for (unsigned m = 0; status == PM_OK && m < PM_CHANNEL_MEMORIES; m++) {
        if (clip->channels[c][m])
            continue;
        const pm_source from = pm_clip_source(data, c, (pm_memory)(PM_MEMORY_KEYS + m));
        status = pm_cl_upload(pm_opencl_of(clip->clip.device), "clip", &from, &clip->channels[c][m],
                              error);
    }
    return status;
}

/* All that is not there yet. */
static pm_status upload(const pm_clip_data *data, pm_opencl_clip *clip, pm_error *error) {
    pm_opencl_device *cl = pm_opencl_of(clip->clip.device);
    const pm_source wraps = pm_clip_source(data, 0, PM_MEMORY_WRAPS);
    const pm_source rates = pm_clip_source(data, 0, PM_MEMORY_RATES);
    pm_status status = clip->wraps ? PM_OK : pm_cl_upload(cl, "clip", &wraps, &clip->wraps, error);
    if (status == PM_OK)
        status = pm_cl_upload(cl, "clip", &rates, &clip->rates, error);
    for (unsigned c = 0; status == PM_OK && c < PM_CHANNEL_COUNT; c++)
        if (data->channels[c].present)
            status = upload_channel(data, c, clip, error);
    return status;
}

/* Uploads `data`, or builds it from a description, which may be NULL, and keys in buffers, or NULL. *clip stays where the host must build it. */
static pm_status make_clip(pm_device *device, const pm_clip_desc *desc, const pm_cl_keys *keys,
                           pm_clip_data *built, const pm_clip_data *data, pm_device_clip **clip,
                           pm_error *error) {
    pm_opencl_clip *made = pm_allocate_zeroed(&device->options.host, 1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    bool is_built = true;
    pm_device_clip_begin(&made->clip, device, data);
    pm_status status =
        desc ? pm_cl_clip_build_planes(made, desc, keys, built, &is_built, error) : PM_OK;
    if (status == PM_OK && is_built && !pm_queue_is_for_host(device))
        status = upload(data, made, error);
    if (status == PM_OK && is_built)
        *clip = &made->clip;
    else
        pm_cl_clip_release(&made->clip);
    return status;
}

pm_status pm_cl_clip_upload(pm_device *device, const pm_clip_data *data, pm_device_clip **clip,
                            pm_error *error) {
    return make_clip(device, NULL, NULL, NULL, data, clip, error);
}

pm_status pm_cl_clip_build(pm_device *device, const pm_clip_desc *desc, const void *keys,
                           pm_clip_data *data, pm_device_clip **clip, pm_error *error) {
    return make_clip(device, desc, keys, data, data, clip, error);
}

void pm_cl_clip_release(pm_device_clip *device_clip) {
    pm_opencl_clip *clip = pm_opencl_clip_of(device_clip);
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        for (unsigned m = 0; m < PM_CHANNEL_MEMORIES; m++)
            pm_cl_release(clip->channels[c][m]);
    pm_cl_release(clip->wraps);
    pm_cl_release(clip->rates);
    pm_release(clip);
}
