/* SPDX-License-Identifier: MIT
 *
 * Posing a crowd on a caller's queue: what is refused before anything is enqueued.
 */
#include "base/status.h"
#include "opencl.h"

/* Kernels count instances in 32 bits, and work sizes are rounded up. */
static const size_t max_instances = UINT32_MAX - 64;

static pm_status check_target(const pm_crowd *crowd, const pm_cl_crowd_job *job, unsigned o,
                              pm_error *error) {
    const pm_cl_crowd_target *target = &job->outputs[o];
    const char *name = pm_crowd_output_name((pm_crowd_output)o);
    size_t alignment = o == PM_CROWD_PALETTE_HALF ? 8 : 16;
    size_t bytes;
    pm_status status = pm_crowd_check_stride(crowd, (pm_crowd_output)o, target->stride, alignment,
                                             job->instance_count, &bytes, error);
    if (status == PM_OK)
        status = pm_cl_check_buffer(crowd->engine, name, target->buffer, target->offset, alignment,
                                    bytes, error);
    if (status == PM_OK)
        status =
            pm_crowd_check_previous((pm_crowd_output)o, target->buffer, target->previous, error);
    if (status == PM_OK && target->previous)
        status = pm_cl_check_buffer(crowd->engine, name, target->previous, target->previous_offset,
                                    PM_PREVIOUS_ALIGNMENT, bytes, error);
    return status;
}

static pm_status check_job(const pm_crowd *crowd, const pm_cl_crowd_job *job, pm_error *error) {
    bool any = false;
    pm_status status = PM_OK;
    if (job->instance_count > max_instances)
        return pm_fail(error, PM_ERROR_SIZE, "instance_count is %zu, more than %zu",
                       job->instance_count, max_instances);
    if (!job->instances && !job->instance_buffer)
        return pm_fail(error, PM_ERROR_ARGUMENT, "instances and instance_buffer are both NULL");
    if (job->instances && job->instance_buffer)
        return pm_fail(error, PM_ERROR_ARGUMENT, "instances and instance_buffer are both given");
    if (job->instance_buffer)
        status = pm_cl_check_buffer(crowd->engine, "instance_buffer", job->instance_buffer,
                                    job->instances_offset, 8,
                                    job->instance_count * sizeof(pm_crowd_instance), error);
    for (unsigned o = 0; status == PM_OK && o < PM_CROWD_OUTPUT_COUNT; o++)
        if (job->outputs[o].buffer) {
            any = true;
            status = check_target(crowd, job, o, error);
        }
    if (status == PM_OK && !any)
        return pm_fail(error, PM_ERROR_ARGUMENT, "no output is wanted");
    return status;
}

pm_status pm_cl_crowd_pose(pm_crowd *crowd, const pm_cl_crowd_job *job, cl_command_queue queue,
                           cl_uint wait_count, const cl_event *wait_list, cl_event *done,
                           pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !job || !queue || (wait_count && !wait_list))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd   ? "crowd"
                       : !job   ? "job"
                       : !queue ? "queue"
                                : "wait_list");
    if (!crowd->device)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the crowd's engine is the reference path");
    size_t part = 0; /* there is no other: a crowd is on one device */
    pm_status status = pm_cl_part_of_queue(crowd->engine, queue, &part, error);
    if (status == PM_OK && job->instance_count == 0) /* is done when what comes before it is */
        return done ? pm_cl_marker(queue, wait_count, wait_list, done, error) : PM_OK;
    if (status == PM_OK)
        status = check_job(crowd, job, error);
    return status == PM_OK
               ? pm_cl_crowd_enqueue(crowd, job, 0, queue, wait_count, wait_list, done, error)
               : status;
}
