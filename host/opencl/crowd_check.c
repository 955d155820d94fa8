/* SPDX-License-Identifier: MIT
 *
 * Posing a crowd on a caller's queue: the checks before anything is enqueued.
 */
#include "device.h"

/* Kernels count instances in 32 bits, and work sizes are rounded up. */
static const size_t max_instances = UINT32_MAX - 64;

static pm_status check_target(const pm_device_crowd *crowd, const pm_cl_crowd_job *job,
                              size_t index, unsigned *seen, pm_error *error) {
    const pm_cl_crowd_target *target = &job->outputs[index];
    const pm_crowd_output output = target->output;
    pm_status status = PM_CHECK_RESERVED(pm_cl_crowd_target, target, error);
    if (status == PM_OK)
        status = pm_crowd_check_listed(output, index, seen, error);
    if (status != PM_OK)
        return status;
    const char *name = pm_crowd_outputs[output].name;
    if (!target->buffer)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: buffer is NULL", name);
    const size_t alignment = pm_crowd_output_alignment(output);
    pm_opencl_device *cl = pm_opencl_of(crowd->device);
    size_t bytes;
    status = pm_crowd_check_stride(crowd->data->skeleton, output, target->stride, alignment,
                                   job->instance_count, &bytes, error);
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
    unsigned seen = 0;
    pm_status status = pm_crowd_check_list(job->outputs, job->output_count, error);
    if (job->instance_count > max_instances)
        return pm_fail(error, PM_ERROR_SIZE, "instance_count is %zu, expected at most %zu",
                       job->instance_count, max_instances);
    if (!job->instances && !job->instance_buffer)
        return pm_fail(error, PM_ERROR_ARGUMENT, "instances and instance_buffer are both NULL");
    if (job->instances && job->instance_buffer)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "instances and instance_buffer are both set, expected one of them");
    if (status == PM_OK && job->instance_buffer)
        status = pm_cl_check_buffer(pm_opencl_of(crowd->device), "instance_buffer",
                                    job->instance_buffer, job->instances_offset, 8,
                                    job->instance_count * sizeof(pm_crowd_instance), error);
    for (size_t i = 0; status == PM_OK && i < job->output_count; i++)
        status = check_target(crowd, job, i, &seen, error);
    return status;
}
