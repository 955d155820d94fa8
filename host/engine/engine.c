/* SPDX-License-Identifier: MIT
 *
 * Engines, as far as they need no OpenCL.
 */
#include "engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/request.h"
#include "base/parallel.h"
#include "base/status.h"

/* A message longer than `text` needs memory of its own; where there is none, it says that it was
 * cut. */
static void log_long(const pm_engine *engine, pm_log_level level, char *text, size_t size,
                     size_t length, const char *format, va_list arguments) {
    static const char cut[] = " ... (cut: out of memory)";
    char *whole = malloc(length + 1);
    if (whole)
        vsnprintf(whole, length + 1, format, arguments);
    else
        memcpy(text + size - sizeof cut, cut, sizeof cut);
    engine->log(engine->log_user, level, whole ? whole : text);
    free(whole);
}

void pm_log(const pm_engine *engine, pm_log_level level, const char *format, ...) {
    char text[512];
    va_list arguments, again;
    if (!engine->log)
        return;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(text, sizeof text, format, arguments);
    if (length >= (int)sizeof text)
        log_long(engine, level, text, sizeof text, (size_t)length, format, again);
    else if (length >= 0)
        engine->log(engine->log_user, level, text);
    va_end(again);
    va_end(arguments);
}

static void close_nothing(pm_engine *engine) {
    (void)engine;
}

static pm_status tune_nothing(pm_engine *engine, pm_launch_measurement *measurements,
                              size_t capacity, size_t *count, size_t *best, pm_error *error) {
    (void)engine;
    (void)measurements;
    (void)capacity;
    (void)count;
    (void)best;
    (void)error;
    return PM_OK;
}

static pm_status upload_nothing(pm_clip *clip, pm_error *error) {
    (void)clip;
    (void)error;
    return PM_OK;
}

static void release_nothing(pm_clip *clip) {
    (void)clip;
}

static pm_status upload_no_crowd(pm_crowd *crowd, pm_error *error) {
    (void)crowd;
    (void)error;
    return PM_OK;
}

static void release_no_crowd(pm_crowd *crowd) {
    (void)crowd;
}

static pm_status pose_on_reference(pm_crowd *crowd, const pm_crowd_job *job, pm_error *error) {
    return pm_crowd_pose_on_reference(crowd, job, error);
}

const pm_backend pm_reference_backend = {.close = close_nothing,
                                         .tune = tune_nothing,
                                         .upload = upload_nothing,
                                         .release = release_nothing,
                                         .sample = pm_sample_on_reference,
                                         .upload_crowd = upload_no_crowd,
                                         .release_crowd = release_no_crowd,
                                         .pose = pose_on_reference};

pm_status pm_engine_check_allocation(const pm_engine *engine, const char *what, size_t bytes,
                                     pm_error *error) {
    const uint64_t largest = engine->info.max_allocation_bytes;
    if (largest == 0 || bytes <= largest)
        return PM_OK;
    return pm_fail(error, PM_ERROR_DEVICE_MEMORY,
                   "the %s needs %zu bytes in one piece and the device allows %llu", what, bytes,
                   (unsigned long long)largest);
}

pm_engine *pm_engine_new(const pm_engine_desc *desc) {
    pm_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return NULL;
    engine->backend = &pm_reference_backend;
    engine->self = engine;
    engine->parts = &engine->self;
    engine->part_count = 1;
    engine->log = desc->log;
    engine->log_user = desc->log_user;
    engine->host_threads = desc->host_threads ? desc->host_threads : pm_processors();
    engine->info = (pm_device_info){.type = PM_DEVICE_REFERENCE, .lanes = 1, .compute_units = 1};
    snprintf(engine->info.name, sizeof engine->info.name, "reference");
    snprintf(engine->info.platform, sizeof engine->info.platform, "posemill");
    snprintf(engine->info.driver, sizeof engine->info.driver, "%s", pm_version());
    return engine;
}

pm_status pm_engine_check(const pm_engine_desc *desc, pm_error *error) {
    uint32_t lanes = desc->lanes;
    if (lanes && lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16)
        return pm_fail(error, PM_ERROR_ARGUMENT, "lanes is %u, not 1, 4, 8 or 16", lanes);
    return PM_OK;
}

static pm_status open_device(pm_engine *engine, const pm_engine_desc *desc, pm_error *error) {
#if POSEMILL_OPENCL
    return pm_cl_open(engine, desc, error);
#else
    if (desc->device && strcmp(desc->device, "auto") != 0)
        return pm_fail(error, PM_ERROR_NO_PLATFORM, "this library was built without OpenCL");
    pm_log(engine, PM_LOG_INFO, "built without OpenCL: using the reference path");
    return PM_OK;
#endif
}

pm_status pm_engine_create(const pm_engine_desc *desc, pm_engine **engine, pm_error *error) {
    pm_engine_desc defaults = {0};
    pm_error_clear(error);
    if (!engine)
        return pm_fail(error, PM_ERROR_ARGUMENT, "engine is NULL");
    desc = desc ? desc : &defaults;
    if (desc->device && !*desc->device)
        return pm_fail(error, PM_ERROR_ARGUMENT, "device is an empty name");
    pm_status status = pm_engine_check(desc, error);
    if (status != PM_OK)
        return status;
    pm_engine *made = pm_engine_new(desc);
    if (!made)
        return pm_fail_memory(error);
    if (!desc->device || strcmp(desc->device, "none") != 0)
        status = open_device(made, desc, error);
    if (status == PM_OK)
        *engine = made;
    else
        pm_engine_destroy(&made);
    return status;
}

void pm_engine_destroy(pm_engine **handle) {
    if (!handle || !*handle)
        return;
    (*handle)->backend->close(*handle);
    free(*handle);
    *handle = NULL;
}

void pm_engine_info(const pm_engine *engine, pm_device_info *info) {
    if (info)
        *info = engine ? engine->info : (pm_device_info){0};
}

pm_status pm_engine_tune(pm_engine *engine, pm_launch_measurement *measurements, size_t capacity,
                         size_t *count, size_t *best, pm_error *error) {
    pm_error_clear(error);
    if (!engine || !count || !best || (capacity && !measurements))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !engine  ? "engine"
                       : !count ? "count"
                       : !best  ? "best"
                                : "trials");
    *count = *best = 0;
    return engine->backend->tune(engine, measurements, capacity, count, best, error);
}

#if !POSEMILL_OPENCL
pm_status pm_list_devices(pm_device_info *infos, size_t capacity, size_t *count, pm_error *error) {
    if (!count || (capacity && !infos))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", count ? "infos" : "count");
    return pm_fail(error, PM_ERROR_NO_PLATFORM, "this library was built without OpenCL");
}
#endif
