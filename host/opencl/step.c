/* SPDX-License-Identifier: MIT
 *
 * Launches a step: its program's kernel, with the memory that the caller gives to the names.
 */
#include "device.h"

/* A kernel may not read what there is none of, but some drivers refuse arguments without a buffer:
 * they get that of the first parameter. */
static cl_int set_memory(cl_kernel kernel, cl_uint argument, const pm_step *step,
                         const cl_mem memories[PM_MEMORY_COUNT]) {
    const cl_mem *memory = &memories[step->parameters[argument].memory];
    if (!*memory)
        memory = &memories[step->parameters[0].memory];
    return clSetKernelArg(kernel, argument, sizeof *memory, memory);
}

static cl_int set_arguments(cl_kernel kernel, const pm_step *step,
                            const cl_mem memories[PM_MEMORY_COUNT]) {
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; code == CL_SUCCESS && i < step->parameter_count; i++) {
        const pm_parameter *parameter = &step->parameters[i];
        const void *number = pm_step_number(step, parameter);
        if (parameter->memory != PM_MEMORY_NONE)
            code = set_memory(kernel, i, step, memories);
        else if (parameter->is_shared)
            code = clSetKernelArg(kernel, i, *(const size_t *)number, NULL);
        else
            code = clSetKernelArg(kernel, i, parameter->size, number);
    }
    return code;
}

pm_status pm_cl_run_step(pm_opencl_device *cl, pm_step *step,
                         const cl_mem memories[PM_MEMORY_COUNT], const pm_cl_wait *wait,
                         cl_event *done, pm_error *error) {
    pm_made_kernel *made;
    pm_status status = pm_kernel_take(cl->device.programs, &step->variant, &made, error);
    if (status != PM_OK)
        return status;
    const pm_work_size size = pm_step_fit(step, &cl->plan, made->max_group);
    const char *call = "clSetKernelArg";
    cl_int code = set_arguments(made->kernel, step, memories);
    if (code == CL_SUCCESS) {
        call = "clEnqueueNDRangeKernel";
        code = clEnqueueNDRangeKernel(wait->queue, made->kernel, size.dimensions, NULL, size.items,
                                      size.group, wait->count, wait->count ? wait->events : NULL,
                                      done);
    }
    pm_kernel_give(cl->device.programs, made);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, call);
}

pm_status pm_cl_marker(const pm_cl_wait *wait, cl_event *done, pm_error *error) {
    cl_int code = clEnqueueMarkerWithWaitList(wait->queue, wait->count,
                                              wait->count ? wait->events : NULL, done);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clEnqueueMarkerWithWaitList");
}
