/* SPDX-License-Identifier: MIT
 *
 * Posing a crowd on a caller's queue: the checks before anything is enqueued.
 */
#include "device.h"

/* Kernels count instances in 32 bits, and work sizes are rounded up. */
static const size_t max_instances = UINT32_MAX - 64;

bool pm_cl_is_given(const pm_cl_input *input) {
    return input->memory || input->buffer;
}

size_t pm_cl_index_count(const pm_cl_crowd_job *job) {
    return job->index_count || !pm_cl_is_given(&job->counted) ? job->index_count
                                                              : job->instance_count;
}

static pm_status check_target(const pm_device_crowd *crowd, const pm_cl_crowd_job *job,
                              size_t index, pm_view *views, pm_error *error) {
    const pm_cl_crowd_target *target = &job->outputs[index];
    const pm_crowd_output output = target->output;
    const bool packed = job->packed && pm_cl_is_given(&job->indices);
    views[index] = (pm_view){output, target->subset};
    pm_status status = PM_CHECK_NEXT(pm_cl_crowd_target, target, error);
    if (status == PM_OK)
        status = pm_crowd_check_listed(crowd->data->skeleton, views, index, error);
    if (status != PM_OK)
        return status;
    const char *name = pm_crowd_outputs[output].name;
    if (!target->buffer)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: buffer is NULL", name);
    const size_t alignment = pm_crowd_output_alignment(output);
    pm_opencl_device *cl = pm_opencl_of(crowd->device);
    size_t bytes;
    status =
        pm_crowd_check_stride(crowd->data->skeleton, views[index], target->stride, alignment,
                              packed ? pm_cl_index_count(job) : job->instance_count, &bytes, error);
    if (status == PM_OK)
        status =
            pm_cl_check_buffer(cl, name, target->buffer, target->offset, alignment, bytes, error);
    if (status == PM_OK)
        status = pm_crowd_check_previous(output, target->buffer, target->previous, error);
    if (status == PM_OK && target->previous)
        status = pm_cl_check_buffer(cl, name, target->previous, target->previous_offset,
                                    PM_PREVIOUS_ALIGNMENT, bytes, error);
    return status == PM_OK
               ? pm_crowd_check_flags(crowd->data->skeleton, output, target->flags, error)
               : status;
}

static pm_status check_input(const pm_device_crowd *crowd, const char *name,
                             const pm_cl_input *input, size_t alignment, size_t bytes,
                             pm_error *error) {
    if (input->memory && input->buffer)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "%s: memory and buffer are both set, expected one of them", name);
    return input->buffer ? pm_cl_check_buffer(pm_opencl_of(crowd->device), name, input->buffer,
                                              input->offset, alignment, bytes, error)
                         : PM_OK;
}

static pm_status check_count(const char *name, size_t count, pm_error *error) {
    return count <= max_instances ? PM_OK
                                  : pm_fail(error, PM_ERROR_SIZE, "%s is %zu, expected at most %zu",
                                            name, count, max_instances);
}

/* Local poses in host memory are copied, so that their rows need no alignment but that of floats. */
static pm_status check_poses(const pm_device_crowd *crowd, const pm_cl_crowd_job *job,
                             pm_error *error) {
    size_t bytes = 0;
    if (!pm_cl_is_given(&job->poses))
        return PM_OK;
    const pm_status status =
        pm_crowd_check_poses(crowd->data->skeleton, job->pose_stride, job->poses.buffer ? 16 : 4,
                             job->instance_count, &bytes, error);
    return status == PM_OK ? check_input(crowd, "poses", &job->poses, 16, bytes, error) : status;
}

static pm_status check_inputs(const pm_device_crowd *crowd, const pm_cl_crowd_job *job,
                              pm_error *error) {
    const size_t indices = pm_cl_index_count(job);
    const struct {
        const char *name;
        const pm_cl_input *input;
        size_t alignment, bytes;
    } rows[] = {{"layers", &job->layers, 8, job->layer_count * sizeof(pm_crowd_layer)},
                {"ranges", &job->ranges, 8, job->instance_count * sizeof(pm_crowd_range)},
                {"indices", &job->indices, 8, indices * sizeof(uint32_t)},
                {"counted", &job->counted, 8, sizeof(uint32_t)},
                {"placements", &job->placements, 16, job->instance_count * sizeof(pm_placement)},
                {"speeds", &job->speeds, 8, job->instance_count * sizeof(float)}};
    pm_status status = check_count("index_count", indices, error);
    for (size_t i = 0; status == PM_OK && i < sizeof rows / sizeof *rows; i++)
        status = check_input(crowd, rows[i].name, rows[i].input, rows[i].alignment, rows[i].bytes,
                             error);
    if (status == PM_OK && (indices || pm_cl_is_given(&job->counted)) &&
        !pm_cl_is_given(&job->indices))
        status = pm_fail(error, PM_ERROR_ARGUMENT, "indices are counted, but indices is NULL");
    return status == PM_OK ? check_poses(crowd, job, error) : status;
}

pm_status pm_cl_check_poses(const pm_device_crowd *crowd, const pm_cl_crowd_job *job,
                            pm_error *error) {
    pm_view views[PM_CROWD_MAX_TARGETS];
    pm_job_parts parts = {.instances = job->instances || job->instance_buffer,
                          .layers = pm_cl_is_given(&job->layers),
                          .ranges = pm_cl_is_given(&job->ranges),
                          .poses = pm_cl_is_given(&job->poses),
                          .placements = pm_cl_is_given(&job->placements),
                          .speeds = pm_cl_is_given(&job->speeds),
                          .layer_count = job->layer_count};
    pm_status status = pm_crowd_check_list(job->outputs, job->output_count, error);
    if (status == PM_OK)
        status = check_count("instance_count", job->instance_count, error);
    if (status == PM_OK && !job->instances && !job->instance_buffer && !parts.poses)
        status = pm_fail(error, PM_ERROR_ARGUMENT, "instances and instance_buffer are both NULL");
    if (status == PM_OK && job->instances && job->instance_buffer)
        status = pm_fail(error, PM_ERROR_ARGUMENT,
                         "instances and instance_buffer are both set, expected one of them");
    if (status == PM_OK)
        status = pm_crowd_check_parts(&parts, error);
    if (status == PM_OK && job->instance_buffer)
        status = pm_cl_check_buffer(pm_opencl_of(crowd->device), "instance_buffer",
                                    job->instance_buffer, job->instances_offset, 8,
                                    job->instance_count * sizeof(pm_crowd_instance), error);
    if (status == PM_OK)
        status = check_inputs(crowd, job, error);
    for (size_t i = 0; status == PM_OK && i < job->output_count; i++) {
        status = check_target(crowd, job, i, views, error);
        parts.bodies =
            parts.bodies || (status == PM_OK && pm_is_body_output(job->outputs[i].output));
    }
    return status == PM_OK ? pm_crowd_check_bodies(&parts, error) : status;
}
