/* SPDX-License-Identifier: MIT
 *
 * Posing a crowd into host memory, in pieces as large as the device allows. The buffers use the
 * caller's memory itself, so that memory that a job does not write keeps its contents.
 */
#include "device.h"

#include <stdlib.h>

/* Instances, or entries of a list with packed records, per piece, limited by the instances and the target
 * with the largest stride. A multiple of PM_INSTANCE_GROUP, so that no piece is smaller than the kernels'
 * vectors. */
static size_t piece_records(const pm_opencl_device *cl, const pm_pose_request *request) {
    uint64_t largest = request->poses ? request->pose_stride : sizeof *request->instances;
    uint64_t max = cl->piece_bytes;
    if (max > cl->device.info.max_allocation_bytes)
        max = cl->device.info.max_allocation_bytes;
    for (size_t i = 0; i < request->target_count; i++)
        if (request->targets[i].stride > largest)
            largest = request->targets[i].stride;
    size_t records = (size_t)(max / largest) / PM_INSTANCE_GROUP * PM_INSTANCE_GROUP;
    records = records ? records : PM_INSTANCE_GROUP;
    return records < pm_pose_records(request) ? records : pm_pose_records(request);
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
        status = fetch(cl, job->outputs[i].buffer, pm_pose_target_bytes(piece, &piece->targets[i]),
                       error);
    return status;
}

static pm_cl_crowd_job job_of(const pm_pose_request *piece, const pm_cl_crowd_target *targets) {
    return (pm_cl_crowd_job){.outputs = targets,
                             .instances = piece->instances,
                             .instance_count = piece->instance_count,
                             .frame = piece->frame,
                             .layers = {.memory = piece->layers},
                             .layer_count = piece->layer_count,
                             .ranges = {.memory = piece->ranges},
                             .poses = {.memory = piece->poses},
                             .pose_stride = piece->pose_stride,
                             .indices = {.memory = piece->indices},
                             .index_count = piece->index_count,
                             .packed = piece->packed,
                             .placements = {.memory = piece->placements},
                             .speeds = {.memory = piece->speeds}};
}

static pm_status pose_piece(pm_device_crowd *crowd, const pm_pose_request *piece, pm_error *error) {
    pm_opencl_device *cl = pm_opencl_of(crowd->device);
    pm_cl_crowd_target targets[PM_CROWD_MAX_TARGETS] = {0};
    pm_cl_crowd_job job = job_of(piece, targets);
    pm_status status = PM_OK;
    pm_pose_keep_previous(piece, &(pm_piece){0, pm_pose_records(piece)});
    for (size_t i = 0; status == PM_OK && i < piece->target_count; i++) {
        const pm_pose_target *target = &piece->targets[i];
        pm_cl_crowd_target *made = &targets[job.output_count++];
        *made = (pm_cl_crowd_target){.output = target->view.output,
                                     .subset = target->view.set,
                                     .stride = target->stride,
                                     .flags = target->flags};
        status = pm_cl_buffer(cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, target->memory,
                              pm_pose_target_bytes(piece, target), &made->buffer, error);
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
    const size_t records = pm_pose_records(request);
    const size_t size = piece_records(pm_opencl_of(crowd->device), request);
    const size_t pieces = pm_piece_count(records, size);
    if (pieces == 1)
        return pose_piece(crowd, request, error);
    uint32_t *indices = malloc((request->index_count + 1) * sizeof *indices);
    pm_status status = indices ? PM_OK : pm_fail_memory(error);
    for (size_t i = 0; status == PM_OK && i < pieces; i++) {
        const pm_piece at = pm_piece_at(records, size, i);
        const pm_pose_request piece = pm_pose_request_piece(request, &at, indices);
        if (pm_pose_entries(&piece) > 0)
            status = pose_piece(crowd, &piece, error);
        else
            pm_pose_keep_previous(&piece, &(pm_piece){0, pm_pose_records(&piece)});
    }
    free(indices);
    return status;
}
