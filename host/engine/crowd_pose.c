/* SPDX-License-Identifier: MIT
 *
 * Jobs of crowds into host memory: checked, and handed to the device or the reference path.
 */
#include "base/status.h"
#include "engine.h"

static const char *const output_names[PM_CROWD_OUTPUT_COUNT] = {
    [PM_CROWD_PALETTE] = "PM_CROWD_PALETTE",
    [PM_CROWD_PALETTE_HALF] = "PM_CROWD_PALETTE_HALF",
    [PM_CROWD_DUAL] = "PM_CROWD_DUAL",
    [PM_CROWD_MODEL] = "PM_CROWD_MODEL",
    [PM_CROWD_LOCAL] = "PM_CROWD_LOCAL"};

const char *pm_crowd_output_name(pm_crowd_output output) {
    return output_names[output];
}

pm_status pm_crowd_check_stride(const pm_crowd *crowd, pm_crowd_output output, size_t stride,
                                size_t alignment, size_t instances, size_t *bytes,
                                pm_error *error) {
    size_t record = crowd->skeleton->joint_count * pm_crowd_record_bytes(output);
    pm_status status = pm_crowd_check_output(crowd, output, error);
    if (status != PM_OK)
        return status;
    if (stride && stride < record)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: a stride of %zu bytes does not hold %zu",
                       output_names[output], stride, record);
    status = pm_check_multiple(output_names[output], "stride", stride, alignment, error);
    if (status != PM_OK)
        return status;
    if (!pm_multiply(instances - 1, pm_crowd_stride(crowd, output, stride), bytes) ||
        __builtin_add_overflow(*bytes, record, bytes))
        return pm_fail(error, PM_ERROR_SIZE, "%s: the bytes do not fit size_t",
                       output_names[output]);
    return PM_OK;
}

pm_status pm_crowd_check_previous(pm_crowd_output output, const void *memory, const void *previous,
                                  pm_error *error) {
    return memory != previous
               ? PM_OK
               : pm_fail(error, PM_ERROR_ARGUMENT, "%s: previous is where the output itself goes",
                         output_names[output]);
}

/* Records in host memory are whole floats. */
static const size_t host_alignment = sizeof(float);

static pm_status check_target(const pm_crowd *crowd, const pm_crowd_job *job,
                              pm_crowd_output output, pm_error *error) {
    const pm_crowd_target *target = &job->outputs[output];
    const char *name = output_names[output];
    size_t bytes;
    pm_status status = pm_crowd_check_stride(crowd, output, target->stride, host_alignment,
                                             job->instance_count, &bytes, error);
    if (status == PM_OK)
        status = pm_check_multiple(name, "memory's address", (uintptr_t)target->memory,
                                   host_alignment, error);
    if (status == PM_OK)
        status = pm_crowd_check_previous(output, target->memory, target->previous, error);
    if (status == PM_OK)
        status = pm_check_multiple(name, "previous address", (uintptr_t)target->previous,
                                   PM_PREVIOUS_ALIGNMENT, error);
    return status;
}

static pm_status check(const pm_crowd *crowd, const pm_crowd_job *job, pm_error *error) {
    bool any = false;
    if (!job->instances)
        return pm_fail(error, PM_ERROR_ARGUMENT, "instances is NULL");
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++) {
        if (!job->outputs[o].memory)
            continue;
        any = true;
        pm_status status = check_target(crowd, job, (pm_crowd_output)o, error);
        if (status != PM_OK)
            return status;
    }
    return any ? PM_OK : pm_fail(error, PM_ERROR_ARGUMENT, "no output is wanted");
}

pm_status pm_crowd_pose(pm_crowd *crowd, const pm_crowd_job *job, pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !job)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", crowd ? "job" : "crowd");
    if (job->instance_count == 0)
        return PM_OK;
    pm_status status = check(crowd, job, error);
    if (status != PM_OK)
        return status;
    return job->on_reference ? pm_crowd_pose_on_reference(crowd, job, error)
                             : crowd->engine->backend->pose(crowd, job, error);
}
