/* SPDX-License-Identifier: MIT
 *
 * Kernels of built programs, kept for later launches: creating one costs a small job more than its
 * arithmetic. A kernel has one set of arguments, so a launch borrows one.
 */
#include "device.h"

#include <stdlib.h>

/* Finds the maximum group size of a kernel. It may be smaller than the device's, depending on the
 * registers that the kernel uses. */
static pm_status find_max_group(pm_opencl_device *cl, pm_made_kernel *made, pm_error *error) {
    size_t max = 0;
    cl_int code = clGetKernelWorkGroupInfo(made->kernel, cl->id, CL_KERNEL_WORK_GROUP_SIZE,
                                           sizeof max, &max, NULL);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clGetKernelWorkGroupInfo");
    max = max < cl->max_items ? max : cl->max_items;
    for (made->max_group = PM_GROUP_ITEMS; made->max_group > 1 && made->max_group > max;)
        made->max_group /= 2;
    return PM_OK;
}

static pm_status create(pm_opencl_device *cl, pm_built *program, pm_made_kernel **made,
                        pm_error *error) {
    cl_int code;
    pm_made_kernel *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return pm_fail_memory(error);
    fresh->program = program;
    fresh->kernel = clCreateKernel(program->program, program->variant.file, &code);
    pm_status status = code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clCreateKernel");
    if (status == PM_OK) {
        status = find_max_group(cl, fresh, error);
        if (status == PM_OK)
            *made = fresh;
        else
            clReleaseKernel(fresh->kernel);
    }
    if (status != PM_OK)
        free(fresh);
    return status;
}

/* The entry of a built program, with an idle kernel if it has one. NULL: it is not built yet. */
static pm_built *take_idle(pm_opencl_device *cl, const pm_variant *variant, pm_made_kernel **idle) {
    pthread_mutex_lock(&cl->lock);
    pm_built *built = pm_cl_find_built(cl, variant);
    if (built && !built->program)
        built = NULL;
    *idle = built ? built->idle : NULL;
    if (*idle)
        built->idle = (*idle)->next;
    pthread_mutex_unlock(&cl->lock);
    return built;
}

pm_status pm_cl_kernel_take(pm_opencl_device *cl, const pm_variant *variant, pm_made_kernel **made,
                            pm_error *error) {
    pm_built *built = take_idle(cl, variant, made);
    cl_program program;
    if (!built) {
        const pm_status status = pm_cl_program(cl, variant, &program, error);
        if (status != PM_OK)
            return status;
        built = take_idle(cl, variant, made);
    }
    return *made ? PM_OK : create(cl, built, made, error);
}

void pm_cl_kernel_give(pm_opencl_device *cl, pm_made_kernel *made) {
    pthread_mutex_lock(&cl->lock);
    made->next = made->program->idle;
    made->program->idle = made;
    pthread_mutex_unlock(&cl->lock);
}

void pm_cl_kernel_release(pm_made_kernel *made) {
    clReleaseKernel(made->kernel);
    free(made);
}

void pm_cl_kernels_release(pm_built *program) {
    while (program->idle) {
        pm_made_kernel *next = program->idle->next;
        pm_cl_kernel_release(program->idle);
        program->idle = next;
    }
}
