/* SPDX-License-Identifier: MIT
 *
 * Posing a crowd into host memory, in pieces as large as the device allows. The buffers use the
 * caller's memory itself, so that memory that a job does not write keeps its contents.
 */
#include "device.h"

/* Bytes from the first record of an output to the end of the last one. */
static size_t bytes_of(const pm_pose_request *piece, unsigned o) {
    const pm_pose_target *target = &piece->targets[o];
    return (piece->instance_count - 1) * target->stride + target->bytes;
}

/* Instances per piece, limited by the instances and the output with the largest stride. A multiple of
 * PM_INSTANCE_GROUP, so that no piece is smaller than the kernels' vectors. */
static size_t piece_instances(const pm_opencl_device *cl, const pm_pose_request *request) {
    uint64_t largest = sizeof *request->instances, max = cl->piece_bytes;
    if (max > cl->device.info.max_allocation_bytes)
        max = cl->device.info.max_allocation_bytes;
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++)
        if (request->targets[o].memory && request->targets[o].stride > largest)
            largest = request->targets[o].stride;
    size_t instances = (size_t)(max / largest) / PM_INSTANCE_GROUP * PM_INSTANCE_GROUP;
    instances = instances ? instances : PM_INSTANCE_GROUP;
    return instances < request->instance_count ? instances : request->instance_count;
}

/* Waits until the results are in the caller's memory. */
static pm_status fetch(pm_opencl_device *cl, cl_mem buffer, size_t bytes, pm_error *error) {
    cl_int code;
    void *mapped = clEnqueueMapBuffer(cl->compute, buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL,
                                      NULL, &code);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clEnqueueMapBuffer");
    return pm_cl_unmap(cl->compute, buffer, mapped, error);
}

static pm_status pose_outputs(pm_device_crowd *crowd, const pm_pose_request *piece,
                              const pm_cl_crowd_job *job, pm_error *error) {
    pm_opencl_device *cl = pm_opencl_of(crowd->device);
    const pm_cl_wait wait = {.queue = cl->compute};
    cl_event done = NULL;
    pm_status status = pm_cl_enqueue_poses(crowd, job, piece->first, &wait, &done, error);
    if (status != PM_OK)
        return status;
    cl_int code = clWaitForEvents(1, &done);
    clReleaseEvent(done);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clWaitForEvents");
    for (size_t i = 0; status == PM_OK && i < job->output_count; i++)
        status = fetch(cl, job->outputs[i].buffer, bytes_of(piece, job->outputs[i].output), error);
    return status;
}

static pm_status pose_piece(pm_device_crowd *crowd, const pm_pose_request *piece, pm_error *error) {
    pm_opencl_device *cl = pm_opencl_of(crowd->device);
    pm_cl_crowd_target targets[PM_CROWD_OUTPUT_COUNT] = {0};
    pm_cl_crowd_job job = {.outputs = targets,
                           .instances = piece->instances,
                           .instance_count = piece->instance_count,
                           .frame = piece->frame};
    pm_status status = PM_OK;
    for (unsigned o = 0; status == PM_OK && o < PM_CROWD_OUTPUT_COUNT; o++) {
        const pm_pose_target *target = &piece->targets[o];
        if (!target->memory)
            continue;
        for (size_t i = 0; target->previous && i < piece->instance_count; i++)
            pm_pose_keep_previous(piece, o, i);
        pm_cl_crowd_target *made = &targets[job.output_count++];
        *made = (pm_cl_crowd_target){.output = (pm_crowd_output)o, .stride = target->stride};
        status = pm_cl_buffer(cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, target->memory,
                              bytes_of(piece, o), &made->buffer, error);
    }
    if (status == PM_OK)
        status = pose_outputs(crowd, piece, &job, error);
    if (status != PM_OK)
        clFinish(cl->compute); /* afterwards no command uses the memory */
    for (size_t i = 0; i < job.output_count; i++)
        pm_cl_release(targets[i].buffer);
    return status;
}

pm_status pm_cl_crowd_pose_to_host(pm_device_crowd *crowd, const pm_pose_request *request,
                                   pm_error *error) {
    const size_t size = piece_instances(pm_opencl_of(crowd->device), request);
    const size_t pieces = pm_piece_count(request->instance_count, size);
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < pieces; i++) {
        const pm_piece at = pm_piece_at(request->instance_count, size, i);
        const pm_pose_request piece = pm_pose_request_piece(request, &at);
        status = pose_piece(crowd, &piece, error);
    }
    return status;
}
