/* SPDX-License-Identifier: MIT
 *
 * Measures which launch configuration is fastest on a device. It is measured, because drivers'
 * compilers differ more in the same kernel than their devices do.
 */
#define _POSIX_C_SOURCE 200809L

#include "device.h"

#include <math.h>
#include <stdlib.h>

enum { TRACKS = 64, KEYS = 2049, SAMPLES = 4 * (KEYS - 1), REPEATS = 5 };

/* Time per measurement, in seconds. A single run may take longer. */
static const double budget_seconds = 0.03;

/* A configuration is preferred to the default if it takes at most this fraction of its time: the
 * difference must exceed the noise. */
static const double worthwhile = 0.95;

static const uint32_t all_lanes[] = {1, 4, 8, 16};
static const uint32_t all_runs[] = {64, 256};

enum { CONFIGS_MAX = 2 * 2 * 4 };

/* With vectors, a work-item computes all tracks, so that its stores are contiguous. With single
 * lanes, the stores of neighbouring work-items are contiguous. */
pm_launch_config pm_cl_default_launch_config(const pm_device_info *info) {
    return (pm_launch_config){info->lanes, info->lanes > 1, 256};
}

/* Lanes are for CPU devices. */
static bool takes_lanes(uint32_t lanes, const pm_device_info *info) {
    return lanes <= 1 || info->type == PM_DEVICE_CPU;
}

pm_status pm_cl_check_lanes(uint32_t lanes, const pm_device_info *info, pm_error *error) {
    if (takes_lanes(lanes, info))
        return PM_OK;
    return pm_fail(error, PM_ERROR_ARGUMENT,
                   "lanes is %u, expected 1 for \"%.100s\": lanes above 1 are for CPU devices",
                   lanes, info->name);
}

bool pm_cl_is_launch_config(const pm_launch_config *config, const pm_device_info *info) {
    bool lanes = false;
    for (size_t i = 0; i < sizeof all_lanes / sizeof *all_lanes; i++)
        lanes = lanes || config->lanes == all_lanes[i];
    return lanes && takes_lanes(config->lanes, info) && config->all_tracks <= 1 &&
           config->max_run >= 16 && config->max_run <= 65536;
}

void pm_cl_set_launch_config(pm_opencl_device *cl, const pm_launch_config *config) {
    cl->config = *config;
    cl->device.info.lanes = config->lanes;
}

static bool same_config(const pm_launch_config *a, const pm_launch_config *b) {
    return a->lanes == b->lanes && a->all_tracks == b->all_tracks && a->max_run == b->max_run;
}

/* Lists the default configuration first, then all others that the device supports. */
static size_t list_configs(pm_opencl_device *cl,
                           pm_launch_measurement measurements[CONFIGS_MAX + 1]) {
    pm_device_info plain = cl->device.info;
    pm_cl_describe(cl->id, &plain, NULL);
    const pm_launch_config first = pm_cl_default_launch_config(&plain);
    const bool wide = takes_lanes(2, &plain) && !cl->quirks.one_lane;
    size_t count = 1;
    measurements[0] = (pm_launch_measurement){.config = first};
    for (size_t l = 0; l < sizeof all_lanes / sizeof *all_lanes; l++)
        for (uint32_t whole = 0; whole <= 1; whole++)
            for (size_t r = 0; r < sizeof all_runs / sizeof *all_runs; r++) {
                pm_launch_config config = {all_lanes[l], whole, all_runs[r]};
                if ((config.lanes == 1 || wide) && !same_config(&config, &first))
                    measurements[count++].config = config;
            }
    return count;
}

/* Keys that rotate by a few degrees per segment, about a different axis for each track. */
static float *make_keys(void) {
    float *keys = malloc((size_t)KEYS * TRACKS * 4 * sizeof *keys);
    for (size_t k = 0; keys && k < KEYS; k++)
        for (size_t t = 0; t < TRACKS; t++) {
            double angle = 0.04 * (double)k, tilt = 0.1 * (double)t;
            float *q = keys + (k * TRACKS + t) * 4;
            q[0] = (float)(sin(angle) * cos(tilt));
            q[1] = (float)(sin(angle) * sin(tilt));
            q[2] = 0;
            q[3] = (float)cos(angle);
        }
    return keys;
}

static pm_status make_data(pm_clip_data **data, size_t threads, pm_error *error) {
    float *keys = make_keys();
    if (!keys)
        return pm_fail_memory(error);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = {.track_count = TRACKS,
                               .timelines = &timeline,
                               .rotations = {keys, PM_FLOAT32, 0},
                               .method = PM_METHOD_SLERP};
    const pm_clip_limits limits = {.threads = threads};
    pm_status status = pm_clip_data_build(&desc, &limits, data, error);
    free(keys);
    return status;
}

/* Measures a configuration: one run to build the program and warm up, then the minimum of up to
 * REPEATS runs. */
static pm_status measure_config(const pm_device_clip *clip, cl_mem values,
                                pm_launch_measurement *measurement, pm_error *error) {
    pm_opencl_device *cl = pm_opencl_of(clip->device);
    const pm_sample_job job = {.sample_count = SAMPLES, .rate = {120, 1}};
    const pm_sample_request request = pm_sample_request_of(clip->data, &job, 1);
    const pm_cl_sample_outputs outputs = {.of[PM_OUT_ROTATIONS] = {.buffer = values}};
    const pm_cl_wait wait = {.queue = cl->compute};
    pm_cl_set_launch_config(cl, &measurement->config);
    measurement->samples = (uint64_t)SAMPLES * TRACKS;
    measurement->seconds = HUGE_VAL;
    double spent = 0;
    for (int i = 0; i < 2 || (i <= REPEATS && spent < budget_seconds); i++) {
        double begun = pm_seconds_now();
        pm_status status = pm_cl_enqueue_samples(clip, &request, &outputs, &wait, NULL, error);
        if (status != PM_OK)
            return status;
        cl_int code = clFinish(cl->compute);
        if (code != CL_SUCCESS)
            return pm_cl_fail(error, code, "clFinish");
        double seconds = pm_seconds_now() - begun;
        if (i == 0)
            continue;
        spent += seconds;
        if (seconds < measurement->seconds)
            measurement->seconds = seconds;
    }
    return PM_OK;
}

static size_t fastest(const pm_launch_measurement *measurements, size_t count) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        double limit =
            best == 0 ? worthwhile * measurements[0].seconds : measurements[best].seconds;
        if (measurements[i].seconds < limit)
            best = i;
    }
    return best;
}

static pm_status measure_all(pm_opencl_device *cl, pm_launch_measurement *measurements,
                             size_t count, pm_error *error) {
    pm_clip_data *data = NULL;
    pm_device_clip *clip = NULL;
    cl_mem values = NULL;
    pm_status status = make_data(&data, cl->device.options.host_threads, error);
    if (status == PM_OK)
        status = pm_cl_clip_upload(&cl->device, data, &clip, error);
    if (status == PM_OK)
        status = pm_cl_buffer(cl, CL_MEM_READ_WRITE, NULL,
                              (size_t)SAMPLES * TRACKS * 4 * sizeof(float), &values, error);
    for (size_t i = 0; status == PM_OK && i < count; i++)
        status = measure_config(clip, values, &measurements[i], error);
    pm_cl_release(values);
    if (clip)
        pm_cl_clip_release(clip);
    pm_clip_data_free(&data);
    return status;
}

pm_status pm_cl_tune(pm_device *device, pm_launch_measurement *measurements, size_t capacity,
                     size_t *count, size_t *best, pm_error *error) {
    pm_opencl_device *cl = pm_opencl_of(device);
    pm_launch_measurement all[CONFIGS_MAX + 1] = {0};
    const pm_launch_config before = cl->config;
    size_t made = list_configs(cl, all);
    pm_status status = measure_all(cl, all, made, error);
    if (status != PM_OK) {
        pm_cl_set_launch_config(cl, &before);
        return status;
    }
    *count = made;
    *best = fastest(all, made);
    pm_cl_set_launch_config(cl, &all[*best].config);
    if (!pm_cl_cache_store_launch_config(cl, &all[*best].config))
        pm_log(pm_cl_logger(cl), PM_LOG_INFO,
               "the launch configuration could not be stored in the program cache");
    pm_cl_cache_log_problem(cl);
    for (size_t i = 0; i < made && i < capacity; i++)
        measurements[i] = all[i];
    return PM_OK;
}
