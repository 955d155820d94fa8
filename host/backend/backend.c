/* SPDX-License-Identifier: MIT
 *
 * The common part of all devices and of their clips.
 */
#include "backend.h"

bool pm_device_is_lost(const pm_device *device) {
    return device->backend->calls_drivers && pm_drivers_are_lost();
}

pm_status pm_device_check(const pm_device *device, pm_error *error) {
    return device->backend->calls_drivers ? pm_drivers_check(error) : PM_OK;
}

void pm_device_begin(pm_device *device, const pm_backend *backend,
                     const pm_device_options *options) {
    device->backend = backend;
    device->options = *options;
    device->pool = pm_pool_open(&options->host);
    device->self = device;
    device->members = &device->self;
    device->member_count = 1;
}

void pm_device_clip_begin(pm_device_clip *clip, pm_device *device, const pm_clip_data *data) {
    clip->device = device;
    clip->data = data;
    clip->self = clip;
    clip->members = &clip->self;
}
