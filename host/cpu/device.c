/* SPDX-License-Identifier: MIT
 *
 * The CPU as a device. It reads clips and crowds in the memory where they were built.
 */
#include "cpu.h"

#include <stdio.h>

static void close_device(pm_device *device) {
    pm_pool_close(device->pool);
    pm_release(device);
}

static pm_status upload_clip(pm_device *device, const pm_clip_data *data, pm_device_clip **clip,
                             pm_error *error) {
    *clip = pm_allocate_zeroed(&device->options.host, 1, sizeof **clip);
    if (!*clip)
        return pm_fail_memory(error);
    pm_device_clip_begin(*clip, device, data);
    return PM_OK;
}

static void release_clip(pm_device_clip *clip) {
    pm_release(clip);
}

static pm_status sample(const pm_device_clip *clip, const pm_sample_request *request,
                        pm_error *error) {
    (void)clip;
    return pm_cpu_sample(request, error);
}

static pm_status upload_crowd(pm_device *device, const pm_crowd_data *data,
                              const pm_device_crowd *before, pm_device_crowd **crowd,
                              pm_error *error) {
    (void)before;
    *crowd = pm_allocate_zeroed(&device->options.host, 1, sizeof **crowd);
    if (!*crowd)
        return pm_fail_memory(error);
    **crowd = (pm_device_crowd){device, data};
    return PM_OK;
}

static void release_crowd(pm_device_crowd *crowd) {
    pm_release(crowd);
}

static pm_status pose(pm_device_crowd *crowd, const pm_pose_request *request, pm_error *error) {
    (void)crowd;
    return pm_cpu_pose(request, error);
}

static pm_status move_points(pm_device *device, const pm_points_request *request, pm_error *error) {
    (void)device;
    return pm_cpu_move_points(pm_instruction_set_widest(), request, error);
}

static const pm_backend backend = {.close = close_device,
                                   .upload_clip = upload_clip,
                                   .release_clip = release_clip,
                                   .sample = sample,
                                   .upload_crowd = upload_crowd,
                                   .release_crowd = release_crowd,
                                   .pose = pose,
                                   .move_points = move_points};

pm_device *pm_cpu_device_open(const pm_device_options *options) {
    pm_device *device = pm_allocate_zeroed(&options->host, 1, sizeof *device);
    if (!device)
        return NULL;
    pm_device_begin(device, &backend, options);
    if (!device->pool) {
        pm_release(device);
        return NULL;
    }
    device->info = (pm_device_info){.type = PM_DEVICE_REFERENCE, .compute_units = 1};
    snprintf(device->info.name, sizeof device->info.name, "reference");
    snprintf(device->info.platform, sizeof device->info.platform, "posemill");
    snprintf(device->info.driver, sizeof device->info.driver, "%s", pm_version());
    return device;
}
