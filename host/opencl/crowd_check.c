/* SPDX-License-Identifier: MIT
 *
 * Posing a crowd on a caller's queue: the checks before anything is enqueued.
 */
#include "device.h"

/* Kernels count instances in 32 bits, and work sizes are rounded up. */
static const size_t max_instances = UINT32_MAX - 64;

static pm_status check_target(const pm_device_crowd *crowd, const pm_cl_crowd_job *job, unsigned o,
                              pm_error *error) {
    const pm_cl_crowd_target *target = &job->outputs[o];
    const pm_crowd_output output = (pm_crowd_output)o;
    const char *name = pm_crowd_outputs[o].name;
    const size_t alignment = pm_crowd_output_alignment(output);
    pm_opencl_device *cl = pm_opencl_of(crowd->device);
    size_t bytes;
    pm_status status = pm_crowd_check_stride(crowd->data->skeleton, output, target->stride,
                                             alignment, job->instance_count, &bytes, error);
    if (status == PM_OK)
        status =
            pm_cl_check_buffer(cl, name, target->buffer, target->offset, alignment, bytes, error);
    if (status == PM_OK)
        status = pm_crowd_check_previous(output, target->buffer, target->previous, error);
    if (status == PM_OK && target->previous)
        status = pm_cl_check_buffer(cl, name, target->previous, target->previous_offset,
                                    PM_PREVIOUS_ALIGNMENT, bytes, error);
    return status;
}

pm_status pm_cl_check_poses(const pm_device_crowd *crowd, const pm_cl_crowd_job *job,
                            pm_error *error) {
    bool any = false;
    pm_status status = PM_OK;
    if (job->instance_count > max_instances)
        return pm_fail(error, PM_ERROR_SIZE, "instance_count is %zu, expected at most %zu",
                       job->instance_count, max_instances);
    if (!job->instances && !job->instance_buffer)
        return pm_fail(error, PM_ERROR_ARGUMENT, "instances and instance_buffer are both NULL");
    if (job->instances && job->instance_buffer)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "instances and instance_buffer are both set, expected one of them");
    if (job->instance_buffer)
        status = pm_cl_check_buffer(pm_opencl_of(crowd->device), "instance_buffer",
                                    job->instance_buffer, job->instances_offset, 8,
                                    job->instance_count * sizeof(pm_crowd_instance), error);
    for (unsigned o = 0; status == PM_OK && o < PM_CROWD_OUTPUT_COUNT; o++)
        if (job->outputs[o].buffer) {
            any = true;
            status = check_target(crowd, job, o, error);
        }
    if (status == PM_OK && !any)
        return pm_fail(error, PM_ERROR_ARGUMENT, "no output is requested");
    return status;
}
