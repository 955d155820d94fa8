/* SPDX-License-Identifier: MIT
 *
 * Posing a crowd on a caller's queue of OpenCL.
 */
#include <posemill/posemill_cl.h>

#include "engine.h"

static pm_address address_of(const pm_cl_input *input) {
    return (pm_address){(void *)(uintptr_t)input->memory, input->buffer, input->offset};
}

static pm_pose_request inputs_of(const pm_crowd_data *crowd, const pm_cl_crowd_job *job) {
    const pm_cl_input instances = {job->instances, job->instance_buffer, job->instances_offset};
    pm_pose_request r = {.crowd = crowd,
                         .instances = address_of(&instances),
                         .layers = address_of(&job->layers),
                         .ranges = address_of(&job->ranges),
                         .indices = address_of(&job->indices),
                         .counted = address_of(&job->counted),
                         .poses = address_of(&job->poses),
                         .placements = address_of(&job->placements),
                         .speeds = address_of(&job->speeds),
                         .instance_count = job->instance_count,
                         .layer_count = job->layer_count,
                         .index_count = job->index_count,
                         .pose_stride = job->pose_stride,
                         .frame = job->frame};
    r.packed = pm_is_given(&r.indices) && job->packed;
    if (r.index_count == 0 && pm_is_given(&r.counted))
        r.index_count = job->instance_count;
    return r;
}

static pm_status resolve(const pm_cl_crowd_job *job, const pm_device *device,
                         pm_pose_request *request, pm_error *error) {
    pm_status status = pm_pose_check_list(job->outputs, job->output_count, error);
    for (size_t i = 0; status == PM_OK && i < job->output_count; i++) {
        const pm_cl_crowd_target *target = &job->outputs[i];
        status = PM_CHECK_RESERVED(pm_cl_crowd_target, target, error);
        request->targets[request->target_count++] =
            (pm_pose_target){.view = {target->output, target->subset},
                             .flags = target->flags,
                             .to = {.handle = target->buffer, .offset = target->offset},
                             .previous = {.handle = target->previous,
                                          .offset = target->previous_offset},
                             .stride = target->stride};
    }
    return status == PM_OK ? pm_pose_resolve(request, device, error) : status;
}

pm_status pm_cl_crowd_pose(pm_crowd *crowd, const pm_cl_crowd_job *job, cl_command_queue queue,
                           cl_uint wait_count, const cl_event *wait_list, cl_event *done,
                           pm_error *error) {
    const pm_queue on = {queue, wait_list, wait_count};
    void *event = NULL;
    bool has_queue = false;
    pm_error_clear(error);
    if (!crowd || !job || !queue || (wait_count && !wait_list))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd   ? "crowd"
                       : !job   ? "job"
                       : !queue ? "queue"
                                : "wait_list");
    const pm_device *device = crowd->engine->device;
    if (!device->backend->enqueue_poses)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the crowd's engine is the reference path");
    pm_status status = pm_device_check(device, error);
    if (status == PM_OK)
        status = device->backend->has_queue(device, queue, &has_queue, error);
    if (status == PM_OK && !has_queue)
        status = pm_fail(error, PM_ERROR_ARGUMENT,
                         "queue belongs to another context or device than the engine's");
    if (status == PM_OK)
        status = PM_CHECK_RESERVED(pm_cl_crowd_job, job, error);
    pm_pose_request request = inputs_of(crowd->data, job);
    if (status == PM_OK && !pm_pose_is_empty(&request))
        status = resolve(job, device, &request, error);
    if (status == PM_OK)
        status = device->backend->enqueue_poses(crowd->on_device, &request, &on,
                                                done ? &event : NULL, error);
    if (status == PM_OK && done)
        *done = event;
    return status;
}
