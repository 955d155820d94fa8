/* SPDX-License-Identifier: MIT
 *
 * Lists and describes OpenCL devices, and those that an engine selects.
 */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_FOUND_KHR = -1001 }; /* CL_PLATFORM_NOT_FOUND_KHR: the loader found no driver */

typedef struct device_list {
    const pm_host *host;
    cl_device_id *devices;
    pm_device_info *infos;
    size_t count;
    size_t left_out;        /* number of devices and platforms whose description failed */
    pm_error first_failure; /* the first of these failures; its message names the device */
} device_list;

/* Of a device; NULL: of the platform. */
static cl_int ask(cl_device_id device, cl_platform_id platform, cl_uint what, size_t size,
                  void *value, size_t *used) {
    return device ? clGetDeviceInfo(device, what, size, value, used)
                  : clGetPlatformInfo(platform, what, size, value, used);
}

static char *text_of(const pm_host *host, cl_device_id device, cl_platform_id platform,
                     cl_uint what) {
    size_t size = 0;
    if (ask(device, platform, what, 0, NULL, &size) != CL_SUCCESS)
        return NULL;
    char *text = pm_allocate_zeroed(host, 1, size + 1);
    if (text && size > 0 && ask(device, platform, what, size, text, NULL) != CL_SUCCESS) {
        pm_release(text);
        text = NULL;
    }
    return text;
}

char *pm_cl_device_text(const pm_host *host, cl_device_id device, cl_device_info what) {
    return text_of(host, device, NULL, what);
}

char *pm_cl_platform_text(const pm_host *host, cl_device_id device, cl_platform_info what) {
    cl_platform_id platform;
    return clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) ==
                   CL_SUCCESS
               ? text_of(host, NULL, platform, what)
               : NULL;
}

/* Keeps the first bytes of a text, and frees it. */
static void keep_text(char *text, char *to, size_t size) {
    snprintf(to, size, "%s", text ? text : "unknown");
    pm_release(text);
}

static pm_device_type type_of(cl_device_id device) {
    cl_device_type type = 0;
    cl_bool unified = CL_FALSE;
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
    if (type & CL_DEVICE_TYPE_GPU)
        return unified ? PM_DEVICE_GPU : PM_DEVICE_DISCRETE_GPU;
    return type & CL_DEVICE_TYPE_CPU ? PM_DEVICE_CPU : PM_DEVICE_OTHER;
}

/* Of OpenCL 3.0; the headers of 1.2 have no name for it. Older drivers refuse the question. */
#define PM_CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE 0x1067

static pm_device_claims claims_of(cl_device_id device) {
    cl_device_fp_config config = 0;
    size_t multiple = 0;
    clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
    if (clGetDeviceInfo(device, PM_CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple,
                        &multiple, NULL) != CL_SUCCESS ||
        multiple > UINT32_MAX)
        multiple = 0;
    return (pm_device_claims){.fma = config & CL_FP_FMA,
                              .denormals = config & CL_FP_DENORM,
                              .round_to_nearest = config & CL_FP_ROUND_TO_NEAREST,
                              .correctly_rounded_divide_sqrt =
                                  config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
                              .work_group_multiple = (uint32_t)multiple};
}

pm_status pm_cl_describe(const pm_host *host, cl_device_id device, pm_device_info *info,
                         pm_error *error) {
    cl_ulong memory = 0, largest = 0;
    cl_uint units = 1;
    cl_platform_id platform;
    cl_int code = clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (code == CL_SUCCESS)
        code = clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    if (code == CL_SUCCESS)
        code =
            clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clGetDeviceInfo");
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    keep_text(pm_cl_device_text(host, device, CL_DEVICE_NAME), info->name, sizeof info->name);
    keep_text(pm_cl_device_text(host, device, CL_DRIVER_VERSION), info->driver,
              sizeof info->driver);
    keep_text(pm_cl_platform_text(host, device, CL_PLATFORM_NAME), info->platform,
              sizeof info->platform);
    info->type = type_of(device);
    info->memory_bytes = memory;
    info->max_allocation_bytes = largest;
    info->compute_units = units ? units : 1;
    info->claims = claims_of(device);
    return PM_OK;
}

static void free_list(device_list *list) {
    pm_release(list->devices);
    pm_release(list->infos);
    *list = (device_list){0};
}

/* Leaves out a device or platform whose description failed; the others remain usable. */
static void leave_out(device_list *list, const pm_error *failure, const char *who) {
    if (list->left_out++ > 0)
        return;
    list->first_failure = *failure;
    snprintf(list->first_failure.message, sizeof list->first_failure.message, "%s: %.180s", who,
             failure->message);
}

static pm_status append(device_list *list, cl_device_id device, size_t p, size_t d,
                        pm_error *error) {
    cl_device_id *devices =
        pm_reallocate(list->host, list->devices, (list->count + 1) * sizeof *devices);
    if (!devices)
        return pm_fail_memory(error);
    list->devices = devices;
    pm_device_info *infos =
        pm_reallocate(list->host, list->infos, (list->count + 1) * sizeof *infos);
    if (!infos)
        return pm_fail_memory(error);
    list->infos = infos;
    pm_device_info info = {.index = list->count, .platform_index = p, .device_index = d};
    pm_error failure;
    if (pm_cl_describe(list->host, device, &info, &failure) != PM_OK) {
        char who[64];
        snprintf(who, sizeof who, "device %zu:%zu", p, d);
        leave_out(list, &failure, who);
        return PM_OK;
    }
    list->devices[list->count] = device;
    list->infos[list->count++] = info;
    return PM_OK;
}

static void leave_out_platform(device_list *list, size_t p, cl_int code) {
    char who[64];
    pm_error failure;
    pm_cl_fail(&failure, code, "clGetDeviceIDs");
    snprintf(who, sizeof who, "platform %zu", p);
    leave_out(list, &failure, who);
}

static pm_status append_platform(device_list *list, cl_platform_id platform, size_t p,
                                 pm_error *error) {
    cl_uint count = 0;
    cl_device_id *devices = NULL;
    cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0))
        return PM_OK;
    if (code == CL_SUCCESS) {
        devices = pm_allocate_zeroed(list->host, count, sizeof *devices);
        if (!devices)
            return pm_fail_memory(error);
        code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices, NULL);
    }
    if (code != CL_SUCCESS) {
        leave_out_platform(list, p, code);
        count = 0;
    }
    pm_status status = PM_OK;
    for (size_t d = 0; status == PM_OK && d < count; d++)
        status = append(list, devices[d], p, d, error);
    pm_release(devices);
    return status;
}

static pm_status fail_without_driver(cl_int code, pm_error *error) {
    pm_cl_fail_as(error, PM_ERROR_NO_PLATFORM, code,
                  "no OpenCL driver is installed: clGetPlatformIDs");
    if (error)
        error->hint =
            "install the driver of your GPU, or PoCL for the CPU (Debian, Ubuntu: apt install "
            "ocl-icd-libopencl1 pocl-opencl-icd), or use the device none: plain C, the same bits";
    return PM_ERROR_NO_PLATFORM;
}

/* Fails if a driver lists no device because it cannot write its cache. */
static pm_status check_caches(const pm_host *host, const cl_platform_id *platforms, cl_uint count,
                              pm_error *error) {
    for (cl_uint p = 0; p < count; p++) {
        char folder[256];
        char *name = text_of(host, NULL, platforms[p], CL_PLATFORM_NAME);
        const bool lacks = name && pm_cl_lacks_cache(name, folder, sizeof folder);
        pm_release(name);
        if (!lacks)
            continue;
        const pm_status status = pm_fail(
            error, PM_ERROR_NO_DEVICE,
            "the OpenCL driver PoCL lists no device: its cache folder \"%s\" cannot be written",
            folder);
        if (error)
            error->hint = "set POCL_CACHE_DIR to a folder that can be written, or use the device "
                          "none: plain C, the same bits";
        return status;
    }
    return PM_OK;
}

static pm_status list_all(const pm_host *host, device_list *list, pm_error *error) {
    cl_uint count = 0;
    *list = (device_list){.host = host};
    pm_status status = pm_drivers_use(error);
    if (status != PM_OK)
        return status;
    cl_int code = clGetPlatformIDs(0, NULL, &count);
    if (code == NOT_FOUND_KHR || (code == CL_SUCCESS && count == 0))
        return fail_without_driver(code, error);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clGetPlatformIDs");
    cl_platform_id *platforms = pm_allocate_zeroed(host, count, sizeof *platforms);
    if (!platforms)
        return pm_fail_memory(error);
    code = clGetPlatformIDs(count, platforms, NULL);
    if (code != CL_SUCCESS)
        status = pm_cl_fail(error, code, "clGetPlatformIDs");
    for (size_t p = 0; status == PM_OK && p < count; p++)
        status = append_platform(list, platforms[p], p, error);
    if (status == PM_OK && list->count == 0 && list->left_out == 0)
        status = check_caches(host, platforms, count, error);
    pm_release(platforms);
    if (status == PM_OK && list->count == 0 && list->left_out > 0) {
        status = list->first_failure.status;
        if (error)
            *error = list->first_failure;
    }
    if (status != PM_OK)
        free_list(list);
    return status;
}

pm_status pm_cl_list(pm_device_info *infos, size_t capacity, size_t *count, pm_error *error) {
    device_list list;
    pm_status status = list_all(NULL, &list, error);
    if (status != PM_OK)
        return status;
    for (size_t i = 0; i < list.count && i < capacity; i++)
        infos[i] = list.infos[i];
    *count = list.count;
    free_list(&list);
    return PM_OK;
}

static pm_status not_found(const device_list *list, const pm_selection *s, pm_error *error) {
    if (list->count == 0)
        return pm_fail(error, PM_ERROR_NO_DEVICE, "the OpenCL drivers list no device");
    if (list->left_out > 0)
        return pm_fail(error, PM_ERROR_NO_DEVICE,
                       "no OpenCL device matches \"%.*s\"; %zu left out, the first: %.150s",
                       s->missing_length, s->missing, list->left_out, list->first_failure.message);
    return pm_fail(error, PM_ERROR_NO_DEVICE, "no OpenCL device matches \"%.*s\"",
                   s->missing_length, s->missing);
}

pm_status pm_cl_choose(pm_logger logger, const char *selector, pm_chosen **chosen, size_t *count,
                       pm_error *error) {
    device_list list;
    *count = 0;
    *chosen = NULL;
    pm_status status = list_all(&logger.host, &list, error);
    const bool is_auto = strcmp(selector, "auto") == 0, is_lost = pm_drivers_are_lost();
    if (is_auto && is_lost)
        pm_log(logger, PM_LOG_WARNING,
               "devices cannot be used after a fork: using the reference path");
    else if (is_auto && status == PM_ERROR_NO_DEVICE && error)
        pm_log(logger, PM_LOG_WARNING, "%s", error->message);
    if (status != PM_OK) {
        const bool none = status == PM_ERROR_NO_PLATFORM || status == PM_ERROR_NO_DEVICE || is_lost;
        return is_auto && none ? PM_OK : status;
    }
    if (list.left_out > 0)
        pm_log(logger, PM_LOG_WARNING, "%zu OpenCL devices or platforms left out, the first: %s",
               list.left_out, list.first_failure.message);
    pm_selection s = {.infos = list.infos,
                      .info_count = list.count,
                      .found = pm_allocate_zeroed(&logger.host, list.count + 1, sizeof *s.found)};
    *chosen = pm_allocate_zeroed(&logger.host, list.count, sizeof **chosen);
    status = s.found && *chosen ? pm_select_devices(selector, &s, error) : pm_fail_memory(error);
    if (status == PM_OK && s.missing)
        status = not_found(&list, &s, error);
    for (size_t i = 0; status == PM_OK && list.devices && i < s.count; i++)
        (*chosen)[i] = (pm_chosen){{.device = list.devices[s.found[i]]}, list.infos[s.found[i]]};
    if (status == PM_OK) {
        *count = s.count;
    } else {
        pm_release(*chosen);
        *chosen = NULL;
    }
    pm_release(s.found);
    free_list(&list);
    return status;
}
