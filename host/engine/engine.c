/* SPDX-License-Identifier: MIT
 *
 * Engines: opening the devices of a backend, and the functions on an engine.
 */
#include "engine.h"

#include <string.h>

#include "cpu/cpu.h"
#include "multi/multi.h"
#if POSEMILL_OPENCL
#include "opencl/opencl.h"
#endif

#if POSEMILL_OPENCL

static const char no_device[] = "no OpenCL device found: using the reference path";

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

static pm_status pm_cl_open(const void *targets, size_t target_count, const pm_engine_desc *desc,
                            const pm_device_options *options, pm_device ***devices, size_t *count,
                            pm_error *error) {
    (void)targets, (void)target_count, (void)options, (void)devices;
    *count = 0;
    return desc->device && strcmp(desc->device, "auto") != 0 ? fail_without_opencl(error) : PM_OK;
}

static pm_status pm_cl_list(pm_device_info *infos, size_t capacity, size_t *count,
                            pm_error *error) {
    (void)infos, (void)capacity, (void)count;
    return fail_without_opencl(error);
}

#endif

pm_status pm_list_devices(pm_device_info *infos, size_t capacity, size_t *count, pm_error *error) {
    pm_error_clear(error);
    if (!count || (capacity && !infos))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", count ? "infos" : "count");
    return pm_cl_list(infos, capacity, count, error);
}

static pm_status open_reference(const pm_device_options *options, pm_device ***devices,
                                size_t *count, pm_error *error) {
    pm_device **made = pm_allocate_zeroed(&options->host, 1, sizeof(pm_device *));
    pm_device *device = made ? pm_cpu_device_open(options) : NULL;
    if (!device) {
        pm_release(made);
        return pm_fail_memory(error);
    }
    made[0] = device;
    *devices = made;
    *count = 1;
    return PM_OK;
}

pm_status pm_engine_check(const pm_engine_desc *desc, pm_error *error) {
    if ((unsigned)desc->clip_building > PM_CLIPS_BY_DEVICE)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "clip-building", "is not a known value");
    const pm_status status = PM_CHECK_NEXT(pm_engine_desc, desc, error);
    return status == PM_OK ? pm_host_check(&desc->host, error) : status;
}

pm_device_options pm_engine_options(const pm_engine_desc *desc) {
    const pm_host host = pm_host_within(&desc->host);
    return (pm_device_options){.logger = {desc->log, desc->log_user, host},
                               .host = host,
                               .host_threads =
                                   desc->host_threads ? desc->host_threads : pm_processors()};
}

pm_status pm_engine_of_devices(const pm_engine_desc *desc, pm_device **devices, size_t count,
                               pm_engine **engine, pm_error *error) {
    const pm_device_options options = pm_engine_options(desc);
    pm_engine *made = pm_allocate_zeroed(&desc->host, 1, sizeof *made);
    pm_device *device = devices[0];
    pm_status status = made ? PM_OK : pm_fail_memory(error);
    if (status == PM_OK && count > 1)
        status = pm_multi_device_open(devices, count, &options, &device, error);
    if (status == PM_OK) {
        *made = (pm_engine){.device = device,
                            .logger = options.logger,
                            .host = desc->host,
                            .host_threads = options.host_threads,
                            .builds_in_background = desc->build_in_background,
                            .clip_building = desc->clip_building};
        *engine = made;
        pm_threads_keep();
    } else {
        pm_release(made);
    }
    for (size_t i = 0; status != PM_OK && i < count; i++)
        devices[i]->backend->close(devices[i]);
    pm_release(devices);
    return status;
}

pm_status pm_engine_create(const pm_engine_desc *desc, pm_engine **engine, pm_error *error) {
    pm_engine_desc defaults = {0};
    pm_device **devices = NULL;
    size_t count = 0;
    pm_error_clear(error);
    if (!engine)
        return pm_fail(error, PM_ERROR_ARGUMENT, "engine is NULL");
    desc = desc ? desc : &defaults;
    if (desc->device && !*desc->device)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "device", "is an empty string");
    const bool none = desc->device && strcmp(desc->device, "none") == 0;
    const pm_device_options options = pm_engine_options(desc);
    pm_status status = pm_engine_check(desc, error);
    if (status == PM_OK && !none)
        status = pm_cl_open(NULL, 0, desc, &options, &devices, &count, error);
    if (status == PM_OK && count == 0) {
        if (!none)
            pm_log(options.logger, PM_LOG_INFO, "%s", no_device);
        status = open_reference(&options, &devices, &count, error);
    }
    return status == PM_OK ? pm_engine_of_devices(desc, devices, count, engine, error) : status;
}

void pm_engine_destroy(pm_engine **handle) {
    pm_engine *engine = handle ? *handle : NULL;
    if (!engine)
        return;
    if (engine->device && !pm_device_is_lost(engine->device))
        engine->device->backend->close(engine->device);
    pm_threads_release();
    pm_release(engine);
    *handle = NULL;
}

uint32_t pm_engine_host_threads(const pm_engine *engine) {
    return engine ? (uint32_t)engine->host_threads : 0;
}

void pm_engine_get_info(const pm_engine *engine, pm_device_info *info) {
    if (info)
        *info = engine ? engine->device->info : (pm_device_info){.name = ""};
}
