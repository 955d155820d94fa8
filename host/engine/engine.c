/* SPDX-License-Identifier: MIT
 *
 * Engines: opening the devices of a backend, and the functions on an engine.
 */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "multi/multi.h"
#include "opencl/opencl.h"

static pm_engine *new_engine(const pm_engine_desc *desc) {
    pm_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return NULL;
    engine->logger = (pm_logger){desc->log, desc->log_user};
    engine->host_threads = desc->host_threads ? desc->host_threads : pm_processors();
    return engine;
}

static pm_device_options options_of(const pm_engine *engine) {
    return (pm_device_options){.logger = engine->logger, .host_threads = engine->host_threads};
}

static pm_status check(const pm_engine_desc *desc, pm_error *error) {
    uint32_t lanes = desc->lanes;
    if (lanes && lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16)
        return pm_fail(error, PM_ERROR_ARGUMENT, "lanes is %u, expected 0, 1, 4, 8 or 16", lanes);
    return PM_CHECK_RESERVED(pm_engine_desc, desc, error);
}

static pm_status attach_reference(pm_engine *engine, pm_error *error) {
    const pm_device_options options = options_of(engine);
    engine->device = pm_cpu_device_open(&options);
    return engine->device ? PM_OK : pm_fail_memory(error);
}

/* As much as the caller's struct has room for, which is of another version where the sizes differ. */
static void give_info(const pm_device_info *info, void *to, size_t bytes) {
    memset(to, 0, bytes);
    memcpy(to, info, bytes < sizeof *info ? bytes : sizeof *info);
}

#if POSEMILL_OPENCL

static const pm_open_devices open_selected = pm_cl_open;
static const char no_device[] = "no OpenCL device found: using the reference path";

static pm_status list_devices(pm_device_info *infos, size_t info_bytes, size_t capacity,
                              size_t *count, pm_error *error) {
    if (info_bytes == sizeof *infos || capacity == 0)
        return pm_cl_list(infos, capacity, count, error);
    pm_status status = pm_cl_list(NULL, 0, count, error);
    if (status != PM_OK)
        return status;
    const size_t room = *count < capacity ? *count : capacity;
    pm_device_info *own = calloc(room + 1, sizeof *own); /* never 0 bytes */
    if (!own)
        return pm_fail_memory(error);
    status = pm_cl_list(own, room, count, error);
    for (size_t i = 0; status == PM_OK && i < room && i < *count; i++)
        give_info(&own[i], (char *)(void *)infos + i * info_bytes, info_bytes);
    free(own);
    return status;
}

#else

static pm_status fail_without_opencl(pm_error *error) {
    pm_status status =
        pm_fail(error, PM_ERROR_NO_PLATFORM, "this library was built without OpenCL");
    if (error)
        error->hint = "build it with -DPOSEMILL_OPENCL=ON, or use the device none: plain C, "
                      "the same bits";
    return status;
}

static const char no_device[] = "built without OpenCL: using the reference path";

static pm_status open_selected(const void *context, const pm_engine_desc *desc,
                               const pm_device_options *options, pm_device ***devices,
                               size_t *count, pm_error *error) {
    (void)context, (void)options, (void)devices;
    *count = 0;
    return desc->device && strcmp(desc->device, "auto") != 0 ? fail_without_opencl(error) : PM_OK;
}

static pm_status list_devices(pm_device_info *infos, size_t info_bytes, size_t capacity,
                              size_t *count, pm_error *error) {
    (void)infos, (void)info_bytes, (void)capacity, (void)count;
    return fail_without_opencl(error);
}

#endif

pm_status pm_list_devices(pm_device_info *infos, size_t info_bytes, size_t capacity, size_t *count,
                          pm_error *error) {
    pm_error_clear(error);
    if (!count || (capacity && !infos))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", count ? "infos" : "count");
    if (info_bytes == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "info_bytes is 0");
    return list_devices(infos, info_bytes, capacity, count, error);
}

/* Passes devices, at least one, to the engine, which then owns them. Closes them on failure. Frees
 * the array. */
static pm_status attach(pm_engine *engine, pm_device **devices, size_t count, pm_error *error) {
    const pm_device_options options = options_of(engine);
    pm_status status = PM_OK;
    if (count == 1)
        engine->device = devices[0];
    else
        status = pm_multi_device_open(devices, count, &options, &engine->device, error);
    for (size_t i = 0; status != PM_OK && i < count; i++)
        devices[i]->backend->close(devices[i]);
    free(devices);
    return status;
}

static pm_status attach_devices(pm_engine *engine, const pm_engine_desc *desc, pm_open_devices open,
                                const void *context, pm_error *error) {
    const pm_device_options options = options_of(engine);
    pm_device **devices;
    size_t count;
    const pm_status status = open(context, desc, &options, &devices, &count, error);
    if (status != PM_OK)
        return status;
    if (count > 0) {
        engine->builds_in_background = desc->build_in_background;
        return attach(engine, devices, count, error);
    }
    pm_log(engine->logger, PM_LOG_INFO, "%s", no_device);
    return attach_reference(engine, error);
}

pm_status pm_engine_open(const pm_engine_desc *desc, pm_open_devices open, const void *context,
                         pm_engine **engine, pm_error *error) {
    pm_status status = check(desc, error);
    if (status != PM_OK)
        return status;
    pm_engine *made = new_engine(desc);
    if (!made)
        return pm_fail_memory(error);
    status =
        open ? attach_devices(made, desc, open, context, error) : attach_reference(made, error);
    if (status == PM_OK)
        *engine = made;
    else
        pm_engine_destroy(&made);
    return status;
}

pm_status pm_engine_create(const pm_engine_desc *desc, pm_engine **engine, pm_error *error) {
    pm_engine_desc defaults = {0};
    pm_error_clear(error);
    if (!engine)
        return pm_fail(error, PM_ERROR_ARGUMENT, "engine is NULL");
    desc = desc ? desc : &defaults;
    if (desc->device && !*desc->device)
        return pm_fail(error, PM_ERROR_ARGUMENT, "device is an empty string");
    const bool none = desc->device && strcmp(desc->device, "none") == 0;
    return pm_engine_open(desc, none ? NULL : open_selected, NULL, engine, error);
}

void pm_engine_destroy(pm_engine **handle) {
    pm_engine *engine = handle ? *handle : NULL;
    if (!engine)
        return;
    if (engine->device && !pm_device_is_lost(engine->device))
        engine->device->backend->close(engine->device);
    free(engine);
    *handle = NULL;
}

void pm_engine_get_info(const pm_engine *engine, pm_device_info *info, size_t info_bytes) {
    static const pm_device_info nothing;
    if (info)
        give_info(engine ? &engine->device->info : &nothing, info, info_bytes);
}
