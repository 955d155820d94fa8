/* SPDX-License-Identifier: MIT
 *
 * Lists, describes and selects OpenCL devices.
 */
#include "device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_FOUND_KHR = -1001 }; /* CL_PLATFORM_NOT_FOUND_KHR: the loader found no driver */

typedef struct device_list {
    cl_device_id *devices;
    pm_device_info *infos;
    size_t count;
    size_t left_out;        /* number of devices and platforms whose description failed */
    pm_error first_failure; /* the first of these failures; its message names the device */
} device_list;

char *pm_cl_device_text(cl_device_id device, cl_device_info what) {
    size_t size = 0;
    if (clGetDeviceInfo(device, what, 0, NULL, &size) != CL_SUCCESS)
        return NULL;
    char *text = calloc(1, size + 1);
    if (text && size > 0 && clGetDeviceInfo(device, what, size, text, NULL) != CL_SUCCESS) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Likewise for a platform. */
static char *text_of_platform(cl_platform_id platform, cl_platform_info what) {
    size_t size = 0;
    if (clGetPlatformInfo(platform, what, 0, NULL, &size) != CL_SUCCESS)
        return NULL;
    char *text = calloc(1, size + 1);
    if (text && size > 0 && clGetPlatformInfo(platform, what, size, text, NULL) != CL_SUCCESS) {
        free(text);
        text = NULL;
    }
    return text;
}

char *pm_cl_platform_text(cl_device_id device, cl_platform_info what) {
    cl_platform_id platform;
    return clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) ==
                   CL_SUCCESS
               ? text_of_platform(platform, what)
               : NULL;
}

/* Keeps the first bytes of a text, and frees it. */
static void keep_text(char *text, char *to, size_t size) {
    snprintf(to, size, "%s", text ? text : "unknown");
    free(text);
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

/* CPUs are faster with explicit vectors, even where the driver vectorises over work-items: 5 times
 * with PoCL, 2 times with Intel's driver. */
uint32_t pm_cl_register_lanes(cl_device_id device, const pm_device_info *info) {
    cl_uint width = 1;
    clGetDeviceInfo(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof width, &width, NULL);
    if (info->type != PM_DEVICE_CPU || width < 4 || pm_cl_quirks(info).one_lane)
        return 1;
    return width >= 16 ? 16 : width >= 8 ? 8 : 4;
}

/* The default number of lanes of samples. A register of eight is as wide as those of AVX2, where
 * constants come from memory again and again: two registers at a time take up to a quarter less time. */
static uint32_t lanes_of(cl_device_id device, const pm_device_info *info) {
    uint32_t lanes = pm_cl_register_lanes(device, info);
    return lanes == 8 ? 16 : lanes;
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

pm_status pm_cl_describe(cl_device_id device, pm_device_info *info, pm_error *error) {
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
    keep_text(pm_cl_device_text(device, CL_DEVICE_NAME), info->name, sizeof info->name);
    keep_text(pm_cl_device_text(device, CL_DRIVER_VERSION), info->driver, sizeof info->driver);
    keep_text(pm_cl_platform_text(device, CL_PLATFORM_NAME), info->platform, sizeof info->platform);
    info->type = type_of(device);
    info->memory_bytes = memory;
    info->max_allocation_bytes = largest;
    info->compute_units = units ? units : 1;
    info->lanes = lanes_of(device, info);
    info->claims = claims_of(device);
    return PM_OK;
}

static void free_list(device_list *list) {
    free(list->devices);
    free(list->infos);
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
    cl_device_id *devices = realloc(list->devices, (list->count + 1) * sizeof *devices);
    if (!devices)
        return pm_fail_memory(error);
    list->devices = devices;
    pm_device_info *infos = realloc(list->infos, (list->count + 1) * sizeof *infos);
    if (!infos)
        return pm_fail_memory(error);
    list->infos = infos;
    pm_device_info info = {.index = list->count, .platform_index = p, .device_index = d};
    pm_error failure;
    if (pm_cl_describe(device, &info, &failure) != PM_OK) {
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
        devices = calloc(count, sizeof *devices);
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
    free(devices);
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
static pm_status check_caches(const cl_platform_id *platforms, cl_uint count, pm_error *error) {
    for (cl_uint p = 0; p < count; p++) {
        char folder[256];
        char *name = text_of_platform(platforms[p], CL_PLATFORM_NAME);
        const bool lacks = name && pm_cl_lacks_cache(name, folder, sizeof folder);
        free(name);
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

static pm_status list_all(device_list *list, pm_error *error) {
    cl_uint count = 0;
    *list = (device_list){0};
    pm_status status = pm_drivers_use(error);
    if (status != PM_OK)
        return status;
    cl_int code = clGetPlatformIDs(0, NULL, &count);
    if (code == NOT_FOUND_KHR || (code == CL_SUCCESS && count == 0))
        return fail_without_driver(code, error);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clGetPlatformIDs");
    cl_platform_id *platforms = calloc(count, sizeof *platforms);
    if (!platforms)
        return pm_fail_memory(error);
    code = clGetPlatformIDs(count, platforms, NULL);
    if (code != CL_SUCCESS)
        status = pm_cl_fail(error, code, "clGetPlatformIDs");
    for (size_t p = 0; status == PM_OK && p < count; p++)
        status = append_platform(list, platforms[p], p, error);
    if (status == PM_OK && list->count == 0 && list->left_out == 0)
        status = check_caches(platforms, count, error);
    free(platforms);
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
    pm_status status = list_all(&list, error);
    if (status != PM_OK)
        return status;
    for (size_t i = 0; i < list.count && i < capacity; i++)
        infos[i] = list.infos[i];
    *count = list.count;
    free_list(&list);
    return PM_OK;
}

/* tolower() depends on the locale. */
static char lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool contains(const char *text, const char *part) {
    size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && lower(text[i]) == lower(part[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

static bool first_of_type(const device_list *list, pm_device_type type, size_t *found) {
    for (size_t i = 0; i < list->count; i++)
        if (list->infos[i].type == type) {
            *found = i;
            return true;
        }
    return false;
}

enum { NUMBER_SIZE = 12 };

/* Whether the selector is a number such as "7" or "1:0", or a list of numbers. */
static bool is_numbers(const char *selector) {
    for (size_t length;; selector += length + 1) {
        length = strcspn(selector, ",");
        if (length == 0 || length >= NUMBER_SIZE || strspn(selector, "0123456789:") < length ||
            !isdigit((unsigned char)selector[0]))
            return false;
        if (!selector[length])
            return true;
    }
}

static bool by_number(const device_list *list, const char *selector, size_t *found) {
    unsigned long p = 0, d = 0;
    int end = 0;
    size_t length = strlen(selector);
    bool pair = sscanf(selector, "%lu:%lu%n", &p, &d, &end) == 2 && (size_t)end == length;
    if (!pair && (sscanf(selector, "%lu%n", &p, &end) != 1 || (size_t)end != length))
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const pm_device_info *info = &list->infos[i];
        if (pair ? info->platform_index == p && info->device_index == d : info->index == p) {
            *found = i;
            return true;
        }
    }
    return false;
}

/* Finds the one device for a selector that is no number: a type, "auto", or part of a name. */
static bool find(const device_list *list, const char *selector, size_t *found) {
    if (strcmp(selector, "cpu") == 0)
        return first_of_type(list, PM_DEVICE_CPU, found);
    if (strcmp(selector, "gpu") == 0)
        return first_of_type(list, PM_DEVICE_DISCRETE_GPU, found) ||
               first_of_type(list, PM_DEVICE_GPU, found);
    if (strcmp(selector, "auto") == 0)
        return first_of_type(list, PM_DEVICE_DISCRETE_GPU, found) ||
               first_of_type(list, PM_DEVICE_GPU, found) ||
               first_of_type(list, PM_DEVICE_CPU, found) ||
               first_of_type(list, PM_DEVICE_OTHER, found);
    for (size_t i = 0; *selector && i < list->count; i++)
        if (contains(list->infos[i].name, selector) ||
            contains(list->infos[i].platform, selector)) {
            *found = i;
            return true;
        }
    return false;
}

static pm_status not_found(const device_list *list, const char *selector, pm_error *error) {
    if (list->count == 0)
        return pm_fail(error, PM_ERROR_NO_DEVICE, "the OpenCL drivers list no device");
    if (list->left_out > 0)
        return pm_fail(error, PM_ERROR_NO_DEVICE,
                       "no OpenCL device matches \"%s\"; %zu left out, the first: %.150s", selector,
                       list->left_out, list->first_failure.message);
    return pm_fail(error, PM_ERROR_NO_DEVICE, "no OpenCL device matches \"%s\"", selector);
}

/* Indices of the selected devices in the list, in the order of selection. */
typedef struct choice {
    size_t *found; /* space for all devices of the list */
    size_t count;
} choice;

static bool is_chosen(const choice *c, size_t device) {
    for (size_t i = 0; i < c->count; i++)
        if (c->found[i] == device)
            return true;
    return false;
}

static pm_status find_numbers(const device_list *list, const char *selector, choice *c,
                              pm_error *error) {
    while (*selector) {
        char text[NUMBER_SIZE];
        size_t length = strcspn(selector, ","), found;
        snprintf(text, sizeof text, "%.*s", (int)length, selector);
        if (!by_number(list, text, &found))
            return not_found(list, text, error);
        if (is_chosen(c, found))
            return pm_fail(error, PM_ERROR_ARGUMENT, "device \"%s\" is listed twice", text);
        c->found[c->count++] = found;
        selector += length + (selector[length] == ',');
    }
    return PM_OK;
}

static pm_status find_selected(const device_list *list, const char *selector, choice *c,
                               pm_error *error) {
    if (is_numbers(selector))
        return find_numbers(list, selector, c, error);
    if (strcmp(selector, "all") == 0)
        for (; c->count < list->count; c->count++)
            c->found[c->count] = c->count;
    else if (find(list, selector, &c->found[0]))
        c->count = 1;
    return c->count || strcmp(selector, "auto") == 0 ? PM_OK : not_found(list, selector, error);
}

pm_status pm_cl_choose(pm_logger logger, const char *selector, pm_chosen **chosen, size_t *count,
                       pm_error *error) {
    device_list list;
    *count = 0;
    *chosen = NULL;
    pm_status status = list_all(&list, error);
    const bool is_auto = strcmp(selector, "auto") == 0, is_lost = pm_drivers_are_lost();
    if (is_auto && is_lost)
        pm_log(logger, PM_LOG_WARNING,
               "devices cannot be used after a fork: using the reference path");
    else if (is_auto && status == PM_ERROR_NO_DEVICE && error)
        pm_log(logger, PM_LOG_WARNING, "%s", error->message);
    if (is_auto && (status == PM_ERROR_NO_PLATFORM || status == PM_ERROR_NO_DEVICE || is_lost))
        return PM_OK;
    if (status != PM_OK)
        return status;
    if (list.left_out > 0)
        pm_log(logger, PM_LOG_WARNING, "%zu OpenCL devices or platforms left out, the first: %s",
               list.left_out, list.first_failure.message);
    choice c = {.found = calloc(list.count + 1, sizeof *c.found)}; /* never 0 bytes */
    *chosen = calloc(list.count + 1, sizeof **chosen);
    status = c.found && *chosen ? find_selected(&list, selector, &c, error) : pm_fail_memory(error);
    for (size_t i = 0; status == PM_OK && list.devices && i < c.count; i++)
        (*chosen)[i] = (pm_chosen){{NULL, list.devices[c.found[i]]}, list.infos[c.found[i]]};
    if (status == PM_OK) {
        *count = c.count;
    } else {
        free(*chosen);
        *chosen = NULL;
    }
    free(c.found);
    free_list(&list);
    return status;
}
