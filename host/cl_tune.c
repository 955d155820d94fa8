/* SPDX-License-Identifier: MIT
 *
 * Which shape is fastest on a device: measured, for what drivers make of the same kernel
 * differs more than their devices do.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>

#include "cl.h"
#include "clock.h"

enum { TRACKS = 64, KEYS = 2049, SAMPLES = 4 * (KEYS - 1), REPEATS = 5 };

/* For a trial, unless a single run takes longer. */
static const double budget_seconds = 0.03;

/* A shape must be faster than the default by more than noise. */
static const double worthwhile = 0.95;

static const uint32_t all_lanes[] = {1, 4, 8, 16};
static const uint32_t all_runs[] = {64, 256};

enum { TRIALS_MAX = 2 * 2 * 4 };

/* Vectors write whole rows, so that a work-item's stores follow one another; single lanes
 * write together with their neighbours. */
pm_shape pm_cl_default_shape(const pm_device_info *info) {
    return (pm_shape){info->lanes, info->lanes > 1, 256};
}

bool pm_cl_is_shape(const pm_shape *shape) {
    bool lanes = false;
    for (size_t i = 0; i < sizeof all_lanes / sizeof *all_lanes; i++)
        lanes = lanes || shape->lanes == all_lanes[i];
    return lanes && shape->whole_rows <= 1 && shape->most_run >= 16 && shape->most_run <= 65536;
}

void pm_cl_take_shape(pm_engine *engine, const pm_shape *shape) {
    engine->cl->shape = *shape;
    engine->info.lanes = shape->lanes;
}

static bool same_shape(const pm_shape *a, const pm_shape *b) {
    return a->lanes == b->lanes && a->whole_rows == b->whole_rows && a->most_run == b->most_run;
}

/* The default, then all others that make sense on the device. */
static size_t list_trials(const pm_engine *engine, pm_trial trials[TRIALS_MAX + 1]) {
    const pm_device_info *info = &engine->info;
    pm_device_info plain = *info;
    pm_cl_describe(engine->cl->device, &plain, NULL);
    const pm_shape first = pm_cl_default_shape(&plain);
    size_t count = 1;
    trials[0] = (pm_trial){.shape = first};
    for (size_t l = 0; l < sizeof all_lanes / sizeof *all_lanes; l++)
        for (uint32_t whole = 0; whole <= 1; whole++)
            for (size_t r = 0; r < sizeof all_runs / sizeof *all_runs; r++) {
                pm_shape shape = {all_lanes[l], whole, all_runs[r]};
                if ((shape.lanes == 1 || pm_cl_builds_vectors(info)) && !same_shape(&shape, &first))
                    trials[count++].shape = shape;
            }
    return count;
}

/* Keys that turn by a few degrees each, about axes of their own. */
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

static pm_status make_clip(pm_engine *engine, pm_clip **clip, pm_error *error) {
    float *keys = make_keys();
    if (!keys)
        return pm_fail_memory(error);
    pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    pm_clip_desc desc = {.track_count = TRACKS,
                         .timelines = &timeline,
                         .rotations = {keys, PM_FLOAT32, 0},
                         .method = PM_METHOD_SLERP};
    pm_status status = pm_clip_create(engine, &desc, clip, error);
    free(keys);
    return status;
}

/* Once to build and to warm up, then the best of some. */
static pm_status time_shape(pm_engine *engine, const pm_clip *clip, cl_mem values, pm_trial *trial,
                            pm_error *error) {
    pm_sample_job job = {.sample_count = SAMPLES, .rate = {120, 1}};
    pm_cl_outputs outputs = {.rotations = values};
    pm_cl_take_shape(engine, &trial->shape);
    trial->samples = (uint64_t)SAMPLES * TRACKS;
    trial->seconds = HUGE_VAL;
    double spent = 0;
    for (int i = 0; i < 2 || (i <= REPEATS && spent < budget_seconds); i++) {
        double begun = pm_seconds_now();
        pm_status status =
            pm_cl_sample(clip, &job, &outputs, engine->cl->compute, 0, NULL, NULL, error);
        if (status != PM_OK)
            return status;
        cl_int code = clFinish(engine->cl->compute);
        if (code != CL_SUCCESS)
            return pm_cl_fail(error, code, "clFinish");
        double seconds = pm_seconds_now() - begun;
        if (i == 0)
            continue;
        spent += seconds;
        if (seconds < trial->seconds)
            trial->seconds = seconds;
    }
    return PM_OK;
}

static size_t fastest(const pm_trial *trials, size_t count) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        double limit = best == 0 ? worthwhile * trials[0].seconds : trials[best].seconds;
        if (trials[i].seconds < limit)
            best = i;
    }
    return best;
}

static pm_status time_all(pm_engine *engine, pm_trial *trials, size_t count, pm_error *error) {
    pm_clip *clip = NULL;
    cl_mem values = NULL;
    pm_status status = make_clip(engine, &clip, error);
    if (status == PM_OK)
        status = pm_cl_buffer(engine, CL_MEM_READ_WRITE, NULL,
                              (size_t)SAMPLES * TRACKS * 4 * sizeof(float), &values, error);
    for (size_t i = 0; status == PM_OK && i < count; i++)
        status = time_shape(engine, clip, values, &trials[i], error);
    pm_cl_release(values);
    pm_clip_destroy(&clip);
    return status;
}

pm_status pm_cl_tune(pm_engine *engine, pm_trial *trials, size_t capacity, size_t *count,
                     size_t *best, pm_error *error) {
    pm_trial all[TRIALS_MAX + 1] = {0};
    const pm_shape before = engine->cl->shape;
    size_t made = list_trials(engine, all);
    pm_status status = time_all(engine, all, made, error);
    if (status != PM_OK) {
        pm_cl_take_shape(engine, &before);
        return status;
    }
    *count = made;
    *best = fastest(all, made);
    pm_cl_take_shape(engine, &all[*best].shape);
    if (!pm_cl_cache_store_shape(engine->cl, &all[*best].shape))
        pm_log(engine, PM_LOG_INFO, "the shape could not be kept on disk");
    pm_cl_cache_tell(engine);
    for (size_t i = 0; i < made && i < capacity; i++)
        trials[i] = all[i];
    return PM_OK;
}
