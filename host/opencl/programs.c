/* SPDX-License-Identifier: MIT
 *
 * What OpenCL does for the programs of a device: pm_program_driver.
 */
#include "device.h"

#include <stdio.h>
#include <string.h>

/* The driver's log of a failed build, or NULL. Free with pm_release. */
static char *read_log(const pm_opencl_device *cl, cl_program program) {
    size_t size = 0;
    if (clGetProgramBuildInfo(program, cl->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) !=
            CL_SUCCESS ||
        size == 0)
        return NULL;
    char *log = pm_allocate_zeroed(&cl->device.options.host, size + 1, 1);
    if (log &&
        clGetProgramBuildInfo(program, cl->id, CL_PROGRAM_BUILD_LOG, size, log, NULL) != CL_SUCCESS)
        log[0] = '\0';
    return log;
}

static pm_status build(void *device, const char *source, const char *options, void **program,
                       char **log, pm_error *error) {
    const pm_opencl_device *cl = device;
    cl_int code;
    cl_program made = clCreateProgramWithSource(cl->context, 1, &source, NULL, &code);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clCreateProgramWithSource");
    code = clBuildProgram(made, 1, &cl->id, options, NULL, NULL);
    if (code == CL_SUCCESS) {
        *program = made;
        return PM_OK;
    }
    pm_status status = PM_ERROR_BUILD;
    if (code == CL_OUT_OF_HOST_MEMORY) {
        status = pm_cl_fail(error, code, "clBuildProgram");
    } else {
        *log = read_log(cl, made);
        pm_report(error, status, pm_nowhere, "OpenCL error %d", code);
        if (error)
            error->cl_status = code;
    }
    clReleaseProgram(made);
    return status;
}

/* Of a context with one device: otherwise drivers differ in which binaries they list. */
static void *binary_of(void *device, void *program, size_t *size) {
    const pm_opencl_device *cl = device;
    cl_uint count = 0;
    unsigned char *binary = NULL;
    if (clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL) ==
            CL_SUCCESS &&
        count == 1 &&
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL) ==
            CL_SUCCESS &&
        *size > 0)
        binary = pm_allocate(&cl->device.options.host, *size);
    if (binary && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) !=
                      CL_SUCCESS) {
        pm_release(binary);
        binary = NULL;
    }
    return binary;
}

static void *load(void *device, const void *binary, size_t size, const char *options) {
    const pm_opencl_device *cl = device;
    const unsigned char *bytes = binary;
    cl_int code, status;
    cl_program program =
        clCreateProgramWithBinary(cl->context, 1, &cl->id, &size, &bytes, &status, &code);
    if (code != CL_SUCCESS)
        return NULL;
    if (status == CL_SUCCESS &&
        clBuildProgram(program, 1, &cl->id, options, NULL, NULL) == CL_SUCCESS)
        return program;
    clReleaseProgram(program);
    return NULL;
}

static void release(void *program) {
    clReleaseProgram(program);
}

/* A kernel's groups may be smaller than the device's, depending on the registers that it uses. */
static pm_status make_kernel(void *device, void *program, const char *name, void **kernel,
                             size_t *max_group, pm_error *error) {
    const pm_opencl_device *cl = device;
    cl_int code;
    cl_kernel made = clCreateKernel(program, name, &code);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clCreateKernel");
    code = clGetKernelWorkGroupInfo(made, cl->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof *max_group,
                                    max_group, NULL);
    if (code != CL_SUCCESS) {
        clReleaseKernel(made);
        return pm_cl_fail(error, code, "clGetKernelWorkGroupInfo");
    }
    *max_group = *max_group < cl->max_items ? *max_group : cl->max_items;
    *kernel = made;
    return PM_OK;
}

static void release_kernel(void *kernel) {
    clReleaseKernel(kernel);
}

static const pm_program_driver driver = {.build = build,
                                         .binary = binary_of,
                                         .load = load,
                                         .release = release,
                                         .make_kernel = make_kernel,
                                         .release_kernel = release_kernel};

/* The whole texts, which may be longer than those of a pm_device_info. NULL: no memory. */
static char *identity_of(const pm_opencl_device *cl) {
    const pm_host *host = &cl->device.options.host;
    char *texts[] = {pm_cl_platform_text(host, cl->id, CL_PLATFORM_NAME),
                     pm_cl_device_text(host, cl->id, CL_DEVICE_NAME),
                     pm_cl_device_text(host, cl->id, CL_DRIVER_VERSION)};
    const size_t count = sizeof texts / sizeof *texts;
    size_t size = count, length = 0;
    for (size_t i = 0; i < count; i++)
        size += strlen(texts[i] ? texts[i] : "unknown");
    char *all = pm_allocate(host, size);
    for (size_t i = 0; i < count; i++) {
        if (all)
            length += (size_t)snprintf(all + length, size - length, "%s%s",
                                       texts[i] ? texts[i] : "unknown", i + 1 < count ? "\n" : "");
        pm_release(texts[i]);
    }
    return all;
}

pm_status pm_cl_open_programs(pm_opencl_device *cl, const char *kernel_folder,
                              pm_cache_folder *folder, pm_error *error) {
    pm_programs_desc desc = {.driver = &driver,
                             .device = cl,
                             .info = &cl->device.info,
                             .host = &cl->device.options.host,
                             .logger = cl->device.options.logger,
                             .identity = identity_of(cl),
                             .kernel_folder = kernel_folder,
                             .rounding = " -cl-fp32-correctly-rounded-divide-sqrt",
                             .claims_rounding =
                                 cl->device.info.claims.correctly_rounded_divide_sqrt};
    snprintf(desc.options, sizeof desc.options, "-cl-std=CL1.2%s%s%s",
             cl->quirks.no_optimiser ? " -cl-opt-disable" : "",
             cl->quirks.no_forced_inlining ? " -DPM_NO_FORCED_INLINING" : "",
             cl->quirks.fma_forgets_zero ? " -DPM_FMA_FORGETS_ZERO" : "");
    return pm_programs_open(&desc, folder, &cl->device.programs, error);
}
