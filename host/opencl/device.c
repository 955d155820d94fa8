/* SPDX-License-Identifier: MIT
 *
 * Engines on OpenCL: of chosen devices, or on a caller's contexts.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "cache_folder.h"
#include "multi/multi.h"
#include "opencl.h"

static const uint64_t max_piece_bytes = 256u << 20;
static const uint64_t min_piece_bytes = 64u << 10;

static uint64_t piece_bytes_of(const pm_engine_desc *desc, const pm_device_info *info) {
    uint64_t bytes = desc->piece_bytes;
    if (bytes == 0) {
        bytes = info->memory_bytes / 4;
        bytes = bytes < max_piece_bytes ? bytes : max_piece_bytes;
    }
    return bytes > min_piece_bytes ? bytes : min_piece_bytes;
}

static char *identity_of(const pm_device_info *info) {
    size_t size = sizeof info->name + sizeof info->driver + sizeof info->platform + 3;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s\n%s\n%s", info->platform, info->name, info->driver);
    return text;
}

static bool rounds_correctly(cl_device_id device) {
    cl_device_fp_config config = 0;
    clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
    return config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
}

/* What was asked for, what was measured, or the default. */
static void choose_launch_config(pm_engine *engine, uint32_t lanes) {
    pm_cl_engine *cl = engine->cl;
    pm_launch_config measured;
    if (lanes)
        engine->info.lanes = lanes;
    if (!lanes && pm_cl_cache_load_launch_config(cl, &measured) &&
        pm_cl_is_launch_config(&measured))
        pm_cl_set_launch_config(engine, &measured);
    else
        cl->config = pm_cl_default_launch_config(&engine->info);
}

static bool shares_memory(cl_device_id device, pm_device_type type) {
    cl_bool unified = CL_FALSE;
    clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
    return unified && type == PM_DEVICE_CPU;
}

static pm_status attach(pm_engine *engine, const pm_chosen *chosen, const pm_engine_desc *desc,
                        pm_cl_folder *folder, pm_error *error) {
    cl_int code;
    cl_context context = chosen->target.context;
    cl_device_id device = chosen->target.device;
    pm_cl_engine *cl = calloc(1, sizeof *cl);
    if (!cl)
        return pm_fail_memory(error);
    engine->info = chosen->info;
    engine->backend = &pm_cl_backend;
    engine->cl = cl;
    pthread_mutex_init(&cl->lock, NULL);
    pthread_cond_init(&cl->settled, NULL);
    pthread_cond_init(&cl->requested, NULL);
    code = clRetainDevice(device);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clRetainDevice");
    cl->device = device;
    cl->piece_bytes = piece_bytes_of(desc, &engine->info);
    cl->shares_memory = shares_memory(device, engine->info.type);
    cl->rounds_correctly = rounds_correctly(device);
    cl->identity = identity_of(&engine->info);
    cl->kernel_folder = desc->kernel_folder ? strdup(desc->kernel_folder) : NULL;
    cl->folder = pm_cl_folder_share(folder);
    if (!cl->identity || (desc->kernel_folder && !cl->kernel_folder))
        return pm_fail_memory(error);
    choose_launch_config(engine, desc->lanes);
    pm_cl_cache_tell(engine);
    if (context) {
        code = clRetainContext(context);
        cl->context = code == CL_SUCCESS ? context : NULL;
    } else {
        cl->context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    }
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clCreateContext");
    cl->compute = clCreateCommandQueue(cl->context, device, 0, &code);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clCreateCommandQueue");
    cl->transfers = clCreateCommandQueue(cl->context, device, 0, &code);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clCreateCommandQueue");
    pm_log(engine, PM_LOG_DEBUG, "device %s (%s), %u lanes", engine->info.name,
           engine->info.platform, engine->info.lanes);
    return PM_OK;
}

/* Parts are engines like any other, but for their share of the host's threads. */
static pm_status attach_parts(pm_engine *engine, const pm_chosen *chosen, size_t count,
                              const pm_engine_desc *desc, pm_cl_folder *folder, pm_error *error) {
    size_t threads = engine->host_threads / count;
    pm_status status = pm_multi_begin(engine, count, error);
    for (size_t i = 0; status == PM_OK && i < count; i++) {
        pm_engine *part = pm_engine_new(desc);
        if (!part)
            return pm_fail_memory(error);
        pm_multi_add(engine, part);
        part->host_threads = threads ? threads : 1;
        status = attach(part, &chosen[i], desc, folder, error);
    }
    if (status == PM_OK)
        pm_multi_describe(engine);
    return status;
}

static pm_status attach_all(pm_engine *engine, const pm_chosen *chosen, size_t count,
                            const pm_engine_desc *desc, pm_error *error) {
    pm_cl_folder *folder;
    pm_status status = pm_cl_folder_open(desc, &folder, error);
    if (status != PM_OK)
        return status;
    status = count == 1 ? attach(engine, chosen, desc, folder, error)
                        : attach_parts(engine, chosen, count, desc, folder, error);
    pm_cl_folder_close(folder);
    engine->builds_in_background = desc->build_in_background;
    return status;
}

pm_status pm_cl_open(pm_engine *engine, const pm_engine_desc *desc, pm_error *error) {
    pm_chosen *chosen;
    size_t count;
    pm_status status =
        pm_cl_choose(engine, desc->device ? desc->device : "auto", &chosen, &count, error);
    if (status != PM_OK)
        return status;
    if (count > 0)
        status = attach_all(engine, chosen, count, desc, error);
    else
        pm_log(engine, PM_LOG_INFO, "no OpenCL device found: using the reference path");
    free(chosen);
    return status;
}

static void release_queue(cl_command_queue queue) {
    if (queue)
        clReleaseCommandQueue(queue);
}

void pm_cl_close(pm_engine *engine) {
    pm_cl_engine *cl = engine->cl;
    if (!cl)
        return;
    pm_cl_builder_close(engine);
    while (cl->built) {
        pm_built *next = cl->built->next;
        clReleaseProgram(cl->built->program);
        free(cl->built);
        cl->built = next;
    }
    release_queue(cl->compute);
    release_queue(cl->transfers);
    if (cl->context)
        clReleaseContext(cl->context);
    if (cl->device)
        clReleaseDevice(cl->device);
    pthread_cond_destroy(&cl->settled);
    pthread_cond_destroy(&cl->requested);
    pthread_mutex_destroy(&cl->lock);
    pm_cl_folder_close(cl->folder);
    free(cl->kernel_folder);
    free(cl->identity);
    free(cl);
    engine->cl = NULL;
}

static bool is_one_of(cl_device_id device, const cl_device_id *devices, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (devices[i] == device)
            return true;
    return false;
}

/* Whether a device is among some, or is a part of one that is. */
static pm_status find_device(cl_device_id device, const cl_device_id *devices, size_t count,
                             pm_error *error) {
    while (device && !is_one_of(device, devices, count)) {
        cl_device_id parent = NULL;
        cl_int code =
            clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof(cl_device_id), &parent, NULL);
        if (code != CL_SUCCESS)
            return pm_cl_fail(error, code, "clGetDeviceInfo");
        device = parent;
    }
    return device ? PM_OK : pm_fail(error, PM_ERROR_ARGUMENT, "device is not one of the context's");
}

/* Whether the device is one of the context's. Of a context made for sub-devices, PoCL lists the
 * devices that they are parts of. */
static pm_status check_context(cl_context context, cl_device_id device, pm_error *error) {
    size_t size = 0;
    cl_int code = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clGetContextInfo");
    cl_device_id *devices = malloc(size);
    if (!devices)
        return pm_fail_memory(error);
    code = clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices, NULL);
    pm_status status = code == CL_SUCCESS
                           ? find_device(device, devices, size / sizeof *devices, error)
                           : pm_cl_fail(error, code, "clGetContextInfo");
    free(devices);
    return status;
}

static pm_status check_targets(const pm_cl_target *targets, size_t count, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < count; i++) {
        if (!targets[i].context || !targets[i].device)
            return pm_fail(error, PM_ERROR_ARGUMENT, "targets[%zu].%s is NULL", i,
                           targets[i].context ? "device" : "context");
        for (size_t k = 0; k < i; k++)
            if (targets[k].device == targets[i].device)
                return pm_fail(error, PM_ERROR_ARGUMENT,
                               "targets[%zu] and targets[%zu] are the same device", k, i);
        status = check_context(targets[i].context, targets[i].device, error);
    }
    return status;
}

/* An engine on checked targets. */
static pm_status create_on(const pm_cl_target *targets, size_t count, const pm_engine_desc *desc,
                           pm_engine **engine, pm_error *error) {
    pm_engine *made = pm_engine_new(desc);
    pm_chosen *chosen = calloc(count, sizeof *chosen);
    pm_status status = made && chosen ? PM_OK : pm_fail_memory(error);
    for (size_t i = 0; status == PM_OK && i < count; i++) {
        chosen[i].target = targets[i];
        status = pm_cl_describe(targets[i].device, &chosen[i].info, error);
    }
    if (status == PM_OK)
        status = attach_all(made, chosen, count, desc, error);
    if (status == PM_OK)
        *engine = made;
    else
        pm_engine_destroy(&made);
    free(chosen);
    return status;
}

pm_status pm_cl_engine_create_multi(const pm_cl_target *targets, size_t count,
                                    const pm_engine_desc *desc, pm_engine **engine,
                                    pm_error *error) {
    pm_engine_desc defaults = {0};
    pm_error_clear(error);
    if (!targets || !engine)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", targets ? "engine" : "targets");
    if (count == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "count is 0: there is no target");
    desc = desc ? desc : &defaults;
    pm_status status = pm_engine_check(desc, error);
    if (status == PM_OK)
        status = check_targets(targets, count, error);
    return status == PM_OK ? create_on(targets, count, desc, engine, error) : status;
}

pm_status pm_cl_engine_create(cl_context context, cl_device_id device, const pm_engine_desc *desc,
                              pm_engine **engine, pm_error *error) {
    const pm_cl_target target = {context, device};
    if (!context || !device)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", context ? "device" : "context");
    return pm_cl_engine_create_multi(&target, 1, desc, engine, error);
}

cl_context pm_cl_context(const pm_engine *engine) {
    const pm_cl_engine *cl = engine ? engine->parts[0]->cl : NULL;
    return cl ? cl->context : NULL;
}

cl_device_id pm_cl_device(const pm_engine *engine) {
    const pm_cl_engine *cl = engine ? engine->parts[0]->cl : NULL;
    return cl ? cl->device : NULL;
}

pm_status pm_cl_part_of_queue(const pm_engine *engine, cl_command_queue queue, size_t *part,
                              pm_error *error) {
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clGetCommandQueueInfo");
    for (size_t i = 0; i < engine->part_count; i++) {
        const pm_cl_engine *cl = engine->parts[i]->cl;
        if (context == cl->context && device == cl->device) {
            *part = i;
            return PM_OK;
        }
    }
    return pm_fail(error, PM_ERROR_ARGUMENT, "queue is not of the engine's context and device");
}

const pm_backend pm_cl_backend = {.close = pm_cl_close,
                                  .tune = pm_cl_tune,
                                  .upload = pm_cl_clip_upload,
                                  .release = pm_cl_clip_release,
                                  .sample = pm_cl_sample_to_host,
                                  .upload_crowd = pm_cl_crowd_upload,
                                  .release_crowd = pm_cl_crowd_release,
                                  .pose = pm_cl_crowd_pose_to_host};
