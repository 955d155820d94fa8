/* SPDX-License-Identifier: MIT
 *
 * Posing a crowd into host memory, in pieces as large as the device allows. Buffers are made
 * of the caller's memory itself, so that what a job leaves alone stays as it was.
 */
#include <string.h>

#include "base/status.h"
#include "opencl.h"

typedef struct pose_piece {
    pm_crowd *crowd;
    const pm_crowd_job *job;
    size_t from, count;
    pm_error *error;
} pose_piece;

static const pm_cl_engine *engine_of(const pose_piece *p) {
    return p->crowd->engine->cl;
}

/* Bytes of an output from its first record in the piece to the end of its last. */
static size_t bytes_of(const pose_piece *p, unsigned o) {
    size_t stride = pm_crowd_stride(p->crowd, (pm_crowd_output)o, p->job->outputs[o].stride);
    return (p->count - 1) * stride + pm_crowd_stride(p->crowd, (pm_crowd_output)o, 0);
}

static unsigned char *memory_of(const pose_piece *p, unsigned o) {
    size_t stride = pm_crowd_stride(p->crowd, (pm_crowd_output)o, p->job->outputs[o].stride);
    return (unsigned char *)p->job->outputs[o].memory + p->from * stride;
}

/* Instances that fit a piece of memory, for all outputs; in whole groups of those that take
 * turns, so that no piece is smaller than the kernels' vectors. */
static size_t instances_of(const pm_crowd *crowd, const pm_crowd_job *job) {
    uint64_t largest = 0, max = crowd->engine->cl->piece_bytes;
    if (max > crowd->engine->info.max_allocation_bytes)
        max = crowd->engine->info.max_allocation_bytes;
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++) {
        size_t stride = pm_crowd_stride(crowd, (pm_crowd_output)o, job->outputs[o].stride);
        if (job->outputs[o].memory && stride > largest)
            largest = stride;
    }
    size_t instances = (size_t)(max / largest) / PM_INSTANCE_GROUP * PM_INSTANCE_GROUP;
    instances = instances ? instances : PM_INSTANCE_GROUP;
    return instances < job->instance_count ? instances : job->instance_count;
}

static void keep_previous(const pose_piece *p, unsigned o) {
    const pm_crowd_target *target = &p->job->outputs[o];
    size_t stride = pm_crowd_stride(p->crowd, (pm_crowd_output)o, target->stride);
    size_t bytes = pm_crowd_stride(p->crowd, (pm_crowd_output)o, 0);
    for (size_t i = p->from; target->previous && i < p->from + p->count; i++)
        memcpy((unsigned char *)target->previous + i * stride,
               (const unsigned char *)target->memory + i * stride, bytes);
}

/* Waits until the results are in the caller's memory. */
static pm_status fetch(const pose_piece *p, cl_mem buffer, unsigned o) {
    cl_int code;
    cl_command_queue queue = engine_of(p)->compute;
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, bytes_of(p, o), 0,
                                      NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return pm_cl_fail(p->error, code, "clEnqueueMapBuffer");
    code = clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(p->error, code, "clEnqueueUnmapMemObject");
}

static pm_status pose_outputs(const pose_piece *p, const pm_cl_crowd_job *job) {
    cl_command_queue queue = engine_of(p)->compute;
    cl_event done = NULL;
    pm_status status = pm_cl_crowd_enqueue(p->crowd, job, p->from, queue, 0, NULL, &done, p->error);
    if (status != PM_OK)
        return status;
    cl_int code = clWaitForEvents(1, &done);
    clReleaseEvent(done);
    if (code != CL_SUCCESS)
        return pm_cl_fail(p->error, code, "clWaitForEvents");
    for (unsigned o = 0; status == PM_OK && o < PM_CROWD_OUTPUT_COUNT; o++)
        if (job->outputs[o].buffer)
            status = fetch(p, job->outputs[o].buffer, o);
    return status;
}

static pm_status pose(const pose_piece *p) {
    pm_cl_crowd_job job = {.instances = p->job->instances + p->from,
                           .instance_count = p->count,
                           .frame = p->job->frame};
    pm_status status = PM_OK;
    for (unsigned o = 0; status == PM_OK && o < PM_CROWD_OUTPUT_COUNT; o++) {
        if (!p->job->outputs[o].memory)
            continue;
        keep_previous(p, o);
        job.outputs[o].stride = p->job->outputs[o].stride;
        status = pm_cl_buffer(p->crowd->engine, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                              memory_of(p, o), bytes_of(p, o), &job.outputs[o].buffer, p->error);
    }
    if (status == PM_OK)
        status = pose_outputs(p, &job);
    cl_int code = clFinish(engine_of(p)->compute); /* nothing may touch the memory any more */
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++)
        pm_cl_release(job.outputs[o].buffer);
    return status != PM_OK || code == CL_SUCCESS ? status : pm_cl_fail(p->error, code, "clFinish");
}

pm_status pm_cl_crowd_pose_to_host(pm_crowd *crowd, const pm_crowd_job *job, pm_error *error) {
    size_t max = instances_of(crowd, job);
    pm_status status = PM_OK;
    for (size_t from = 0; status == PM_OK && from < job->instance_count; from += max) {
        size_t rest = job->instance_count - from;
        pose_piece piece = {crowd, job, from, rest < max ? rest : max, error};
        status = pose(&piece);
    }
    return status;
}
