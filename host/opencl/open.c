/* SPDX-License-Identifier: MIT
 *
 * Opens and closes OpenCL devices: those that a description selects, or a caller's targets.
 */
#include "device.h"

#include <stdlib.h>
#include <string.h>

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

/* Work-items per group in the first dimension, which may be fewer than in all. */
static size_t max_items(cl_device_id device) {
    size_t items[16] = {0};
    clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL);
    return items[0] ? items[0] : 1;
}

static bool shares_memory(cl_device_id device, pm_device_type type) {
    cl_bool unified = CL_FALSE;
    clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
    return unified && type == PM_DEVICE_CPU;
}

/* Whether double has what IEEE 754 says, as OpenCL requires of devices that have it at all. */
static bool has_double(cl_device_id device) {
    const cl_device_fp_config needed = CL_FP_ROUND_TO_NEAREST | CL_FP_DENORM;
    cl_device_fp_config config = 0;
    clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, NULL);
    return (config & needed) == needed;
}

/* Local memory per work-group, 0 if the query fails. */
static uint64_t shared_bytes_of(cl_device_id device) {
    cl_ulong bytes = 0;
    return clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL) ==
                   CL_SUCCESS
               ? bytes
               : 0;
}

static bool runs_native_kernels(cl_device_id device) {
    cl_device_exec_capabilities capabilities = 0;
    clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof capabilities, &capabilities,
                    NULL);
    return capabilities & CL_EXEC_NATIVE_KERNEL;
}

/* The variable sets the field for tests and measurements of programs that do not. */
static bool runs_programs_on_cpu(const pm_engine_desc *desc) {
    const char *text = getenv("POSEMILL_PROGRAMS_ON_CPU");
    return desc->programs_on_cpu || (text && strcmp(text, "1") == 0);
}

static pm_status find_context(pm_opencl_device *cl, cl_context context, pm_error *error) {
    cl_int code;
    if (context) {
        code = clRetainContext(context);
        cl->context = code == CL_SUCCESS ? context : NULL;
    } else {
        cl->context = clCreateContext(NULL, 1, &cl->id, NULL, NULL, &code);
    }
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clCreateContext");
    cl->compute = clCreateCommandQueue(cl->context, cl->id, 0, &code);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clCreateCommandQueue");
    cl->transfers = clCreateCommandQueue(cl->context, cl->id, 0, &code);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clCreateCommandQueue");
}

static pm_status check_compiler(const pm_chosen *chosen, pm_error *error) {
    cl_bool compiles = CL_TRUE;
    clGetDeviceInfo(chosen->target.device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiles, &compiles,
                    NULL);
    return compiles ? PM_OK
                    : pm_fail(error, PM_ERROR_BUILD, "device \"%.100s\" has no compiler",
                              chosen->info.name);
}

/* Whether the driver's own cache of programs is used, and not the engine's. */
static bool leaves_cache(const pm_opencl_device *cl, const pm_engine_desc *desc) {
    return cl->quirks.keeps_programs && !desc->cache_folder;
}

/* Fills an initialised device. After a failure, close_device releases what was acquired. */
static pm_status attach(pm_opencl_device *cl, const pm_chosen *chosen, const pm_engine_desc *desc,
                        pm_cache_folder *folder, pm_error *error) {
    const cl_int code = clRetainDevice(chosen->target.device);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clRetainDevice");
    cl->id = chosen->target.device;
    cl->device.info = chosen->info;
    cl->quirks = pm_cl_quirks(&chosen->info);
    cl->device.slow_compiler = cl->quirks.slow_compiler;
    cl->piece_bytes = piece_bytes_of(desc, &chosen->info);
    cl->plan.max_work = chosen->info.type == PM_DEVICE_CPU ? SIZE_MAX : PM_MAX_GPU_WORK;
    cl->max_items = max_items(cl->id);
    const bool on_host = shares_memory(cl->id, chosen->info.type) && !pm_os_opencl_is_wine();
    cl->plan.plain_c = on_host && !runs_programs_on_cpu(desc);
    cl->plan.compute_units = chosen->info.compute_units;
    cl->plan.shared_bytes = shared_bytes_of(cl->id);
    cl->device.builds_clips = cl->plan.has_double = has_double(cl->id);
    cl->device.runs_calls = on_host && runs_native_kernels(cl->id);
    pm_status status = check_compiler(chosen, error);
    if (status == PM_OK)
        status = find_context(cl, chosen->target.context, error);
    if (status == PM_OK)
        status = pm_cl_open_programs(cl, desc->kernel_folder,
                                     leaves_cache(cl, desc) ? NULL : folder, error);
    if (status == PM_OK)
        pm_log(cl->device.options.logger, PM_LOG_DEBUG, "device %s (%s)%s", cl->device.info.name,
               cl->device.info.platform, cl->plan.plain_c ? ", whose jobs plain C computes" : "");
    return status;
}

static void release_queue(cl_command_queue queue) {
    if (queue)
        clReleaseCommandQueue(queue);
}

static void close_device(pm_device *device) {
    pm_opencl_device *cl = pm_opencl_of(device);
    pm_programs_close(device->programs);
    release_queue(cl->compute);
    release_queue(cl->transfers);
    if (cl->context)
        clReleaseContext(cl->context);
    if (cl->id)
        clReleaseDevice(cl->id);
    pm_pool_close(device->pool);
    pm_release(cl);
}

static const pm_backend backend = {.calls_drivers = true,
                                   .close = close_device,
                                   .upload_clip = pm_cl_clip_upload,
                                   .build_clip = pm_cl_clip_build,
                                   .read_clip = pm_cl_clip_read,
                                   .release_clip = pm_cl_clip_release,
                                   .sample = pm_cl_sample_to_host,
                                   .move_points = pm_cl_move_points_in_host,
                                   .enqueue_points = pm_cl_enqueue_points,
                                   .owns_queue = pm_cl_owns_queue,
                                   .check_address = pm_cl_check_address,
                                   .enqueue_samples = pm_cl_enqueue_samples,
                                   .run_on_queue = pm_cl_run_on_queue,
                                   .upload_crowd = pm_cl_crowd_upload,
                                   .release_crowd = pm_cl_crowd_release,
                                   .pose = pm_cl_crowd_pose_to_host,
                                   .enqueue_poses = pm_cl_enqueue_poses,
                                   .enqueue_call = pm_cl_enqueue_call};

static pm_status open_device(const pm_chosen *chosen, const pm_engine_desc *desc,
                             const pm_device_options *options, pm_cache_folder *folder,
                             pm_device **device, pm_error *error) {
    pm_opencl_device *cl = pm_allocate_zeroed(&options->host, 1, sizeof *cl);
    if (!cl)
        return pm_fail_memory(error);
    pm_device_begin(&cl->device, &backend, options);
    cl->device.plan = &cl->plan;
    const pm_status status =
        cl->device.pool ? attach(cl, chosen, desc, folder, error) : pm_fail_memory(error);
    if (status == PM_OK)
        *device = &cl->device;
    else
        close_device(&cl->device);
    return status;
}

/* Opens devices, which share the host's threads equally. */
static pm_status open_each(const pm_chosen *chosen, size_t count, const pm_engine_desc *desc,
                           const pm_device_options *options, pm_cache_folder *folder,
                           pm_device **devices, pm_error *error) {
    pm_device_options each = *options;
    pm_status status = PM_OK;
    size_t opened = 0;
    each.host_threads = options->host_threads / count ? options->host_threads / count : 1;
    for (; status == PM_OK && opened < count; opened += status == PM_OK)
        status = open_device(&chosen[opened], desc, &each, folder, &devices[opened], error);
    while (status != PM_OK && opened > 0)
        close_device(devices[--opened]);
    return status;
}

static pm_status open_all(const pm_chosen *chosen, size_t count, const pm_engine_desc *desc,
                          const pm_device_options *options, pm_device ***devices, pm_error *error) {
    pm_cache_folder *folder;
    pm_device **made = pm_allocate_zeroed(&options->host, count, sizeof(pm_device *));
    if (!made)
        return pm_fail_memory(error);
    pm_status status = pm_cache_folder_open(desc, &folder, error);
    if (status == PM_OK) {
        status = open_each(chosen, count, desc, options, folder, made, error);
        pm_cache_folder_close(folder);
    }
    if (status == PM_OK)
        *devices = made;
    else
        pm_release(made);
    return status;
}

static bool is_among(cl_device_id device, const cl_device_id *devices, size_t count) {
    size_t i = 0;
    while (i < count && devices[i] != device)
        i++;
    return i < count;
}

/* Whether a list has a device or one of its parents: for a context made for sub-devices, PoCL lists
 * these. */
static cl_int find_listed(cl_device_id device, const cl_device_id *devices, size_t count,
                          bool *found) {
    cl_int code = CL_SUCCESS;
    *found = false;
    while (code == CL_SUCCESS && device && !(*found = is_among(device, devices, count))) {
        cl_device_id parent = NULL;
        code =
            clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof(cl_device_id), &parent, NULL);
        device = parent;
    }
    return code;
}

/* Checks that the context contains the device. */
static pm_status check_context(const pm_host *host, const pm_cl_target *target, pm_error *error) {
    size_t size = 0;
    bool found = false;
    const char *call = "clGetContextInfo";
    cl_int code = clGetContextInfo(target->context, CL_CONTEXT_DEVICES, 0, NULL, &size);
    cl_device_id *devices = code == CL_SUCCESS ? pm_allocate(host, size) : NULL;
    if (code == CL_SUCCESS && !devices)
        return pm_fail_memory(error);
    if (code == CL_SUCCESS)
        code = clGetContextInfo(target->context, CL_CONTEXT_DEVICES, size, devices, NULL);
    if (code == CL_SUCCESS) {
        call = "clGetDeviceInfo";
        code = find_listed(target->device, devices, size / sizeof *devices, &found);
    }
    pm_release(devices);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, call);
    return found ? PM_OK
                 : pm_fail(error, PM_ERROR_ARGUMENT, "the context does not contain the device");
}

static pm_status check_targets(const pm_host *host, const pm_cl_target *targets, size_t count,
                               pm_error *error) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < count; i++) {
        if (!targets[i].context || !targets[i].device)
            return pm_fail(error, PM_ERROR_ARGUMENT, "targets[%zu].%s is NULL", i,
                           targets[i].context ? "device" : "context");
        for (size_t k = 0; k < i; k++)
            if (targets[k].device == targets[i].device)
                return pm_fail(error, PM_ERROR_ARGUMENT,
                               "targets[%zu] and targets[%zu] are the same device", k, i);
        status = check_context(host, &targets[i], error);
    }
    return status;
}

static pm_status choose_targets(const pm_host *host, const pm_cl_target *targets, size_t count,
                                pm_chosen **chosen, pm_error *error) {
    *chosen = NULL;
    pm_status status = pm_drivers_use(error);
    if (status == PM_OK)
        status = check_targets(host, targets, count, error);
    if (status == PM_OK)
        *chosen = pm_allocate_zeroed(host, count, sizeof **chosen);
    if (status == PM_OK && !*chosen)
        status = pm_fail_memory(error);
    for (size_t i = 0; status == PM_OK && i < count; i++) {
        (*chosen)[i].target = targets[i];
        status = pm_cl_describe(host, targets[i].device, &(*chosen)[i].info, error);
    }
    return status;
}

pm_status pm_cl_open(const void *targets, size_t target_count, const pm_engine_desc *desc,
                     const pm_device_options *options, pm_device ***devices, size_t *count,
                     pm_error *error) {
    pm_chosen *chosen;
    *count = target_count;
    pm_status status = targets
                           ? choose_targets(&options->host, targets, target_count, &chosen, error)
                           : pm_cl_choose(options->logger, desc->device ? desc->device : "auto",
                                          &chosen, count, error);
    if (status == PM_OK && *count > 0)
        status = open_all(chosen, *count, desc, options, devices, error);
    pm_release(chosen);
    return status;
}

pm_cl_objects pm_cl_objects_of(const pm_device *device) {
    const pm_opencl_device *cl = pm_opencl_of(device);
    return device->backend == &backend ? (pm_cl_objects){cl->context, cl->id} : (pm_cl_objects){0};
}
