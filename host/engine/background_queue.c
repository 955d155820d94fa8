/* SPDX-License-Identifier: MIT
 *
 * Jobs on a caller's queue whose programs are not built yet: the reference path computes them within
 * the call, and commands on the queue copy the results into the caller's buffers. Jobs with many
 * results, or with instances that the host cannot read, wait for their programs.
 */
#include "background_queue.h"

#include <stdlib.h>

#include "background.h"
#include "cpu/cpu.h"

/* Bytes of results: computing them takes less time than building programs, and they are in memory
 * twice until the copies are complete. */
static const size_t max_bytes = (size_t)64 << 20;

/* Marks outputs in a request that is asked for its programs only. */
static float marker[1];

/* Adds the bytes of an output to a sum; false when they are too many for the device's buffers or
 * for a job. */
static bool add_bytes(const pm_device *device, size_t bytes, size_t *sum) {
    if (bytes > device->info.max_allocation_bytes || bytes > max_bytes - *sum)
        return false;
    *sum += bytes;
    return true;
}

static size_t fewer_threads(size_t threads) {
    return threads > 1 ? threads - 1 : 1; /* the compiler needs one */
}

/* ---- samples ---- */

static pm_sample_request marked_samples(const pm_sample_request *request,
                                        const pm_cl_sample_outputs *outputs) {
    pm_sample_request marked = *request;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        marked.outputs[o] = outputs->of[o].buffer ? marker : NULL;
    marked.host_threads = fewer_threads(request->host_threads);
    return marked;
}

static bool are_few_samples(const pm_device *device, const pm_sample_request *marked) {
    size_t sum = 0;
    bool few = marked->sample_count > 0;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        few = few &&
              (!marked->outputs[o] || add_bytes(device, pm_sample_output_bytes(marked, o), &sum));
    return few;
}

/* Allocates memory for each output of a request. */
static pm_status allocate_samples(pm_sample_request *request, const pm_cl_sample_outputs *outputs,
                                  pm_cl_staged staged[PM_OUTPUT_COUNT], size_t *count,
                                  pm_error *error) {
    *count = 0;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const pm_cl_output *to = &outputs->of[o];
        if (!to->buffer)
            continue;
        const size_t bytes = pm_sample_output_bytes(request, o);
        void *memory = malloc(bytes);
        if (!memory)
            return pm_fail_memory(error);
        request->outputs[o] = memory;
        staged[(*count)++] = (pm_cl_staged){.results = memory,
                                            .row_bytes = bytes,
                                            .row_count = 1,
                                            .to = {to->buffer, to->offset, bytes}};
    }
    return PM_OK;
}

static void free_results(const pm_cl_staged *staged, size_t count) {
    for (size_t i = 0; i < count; i++)
        free((void *)(uintptr_t)staged[i].results);
}

static pm_status stage_samples(const pm_device_clip *clip, pm_sample_request *request,
                               const pm_cl_sample_outputs *outputs, const pm_cl_wait *wait,
                               cl_event *done, pm_error *error) {
    pm_cl_staged staged[PM_OUTPUT_COUNT];
    size_t count;
    pm_status status = allocate_samples(request, outputs, staged, &count, error);
    if (status == PM_OK)
        status = pm_cpu_sample(request, error);
    if (status == PM_OK)
        status = pm_cl_enqueue_staged(clip->device, staged, count, wait, done, error);
    free_results(staged, count);
    return status;
}

pm_status pm_enqueue_samples_in_background(const pm_device_clip *clip,
                                           const pm_sample_request *request,
                                           const pm_cl_sample_outputs *outputs,
                                           const pm_cl_wait *wait, cl_event *done,
                                           pm_error *error) {
    pm_sample_request marked = marked_samples(request, outputs);
    pm_status status = PM_OK;
    bool missing = false;
    if (are_few_samples(clip->device, &marked))
        status = pm_background_samples(clip, &marked, &missing, error);
    if (status != PM_OK)
        return status;
    return missing ? stage_samples(clip, &marked, outputs, wait, done, error)
                   : pm_cl_enqueue_samples(clip, request, outputs, wait, done, error);
}

/* ---- poses ---- */

static pm_pose_request marked_poses(const pm_device_crowd *crowd, const pm_cl_crowd_job *job) {
    pm_pose_request marked = {.crowd = crowd->data,
                              .instances = job->instances,
                              .instance_count = job->instance_count,
                              .frame = job->frame,
                              .host_threads = fewer_threads(crowd->device->options.host_threads)};
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++) {
        const size_t bytes = pm_crowd_stride(crowd->data->skeleton, (pm_crowd_output)o, 0);
        if (job->outputs[o].buffer)
            marked.targets[o] = (pm_pose_target){
                .memory = (unsigned char *)marker, .stride = bytes, .bytes = bytes};
    }
    return marked;
}

static bool are_few_poses(const pm_device *device, const pm_pose_request *marked) {
    size_t sum = 0;
    bool few = marked->instances != NULL;
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++)
        few = few && (!marked->targets[o].memory ||
                      add_bytes(device, marked->instance_count * marked->targets[o].bytes, &sum));
    return few;
}

/* Which instances a job updates; the records of the others stay. */
static pm_status find_written(const pm_pose_request *request, bool **written, pm_error *error) {
    *written = malloc(request->instance_count * sizeof **written);
    if (!*written)
        return pm_fail_memory(error);
    for (size_t i = 0; i < request->instance_count; i++)
        (*written)[i] = pm_instance_is_update_due(request->crowd, &request->instances[i],
                                                  request->first + i, request->frame);
    return PM_OK;
}

static pm_status allocate_poses(pm_pose_request *request, const pm_cl_crowd_job *job,
                                const bool *written, pm_cl_staged staged[PM_CROWD_OUTPUT_COUNT],
                                size_t *count, pm_error *error) {
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++) {
        const pm_cl_crowd_target *to = &job->outputs[o];
        const size_t bytes = request->targets[o].bytes;
        if (!to->buffer)
            continue;
        const size_t stride =
            pm_crowd_stride(request->crowd->skeleton, (pm_crowd_output)o, to->stride);
        /* Zeros: instances that are not updated are uploaded, but not copied. */
        unsigned char *memory = calloc(request->instance_count, bytes);
        if (!memory)
            return pm_fail_memory(error);
        request->targets[o].memory = memory;
        staged[(*count)++] =
            (pm_cl_staged){.results = memory,
                           .row_bytes = bytes,
                           .row_count = request->instance_count,
                           .written = written,
                           .to = {to->buffer, to->offset, stride},
                           .previous = {to->previous, to->previous_offset, stride}};
    }
    return PM_OK;
}

static pm_status stage_poses(const pm_device_crowd *crowd, pm_pose_request *request,
                             const pm_cl_crowd_job *job, const pm_cl_wait *wait, cl_event *done,
                             pm_error *error) {
    pm_cl_staged staged[PM_CROWD_OUTPUT_COUNT];
    size_t count = 0;
    bool *written = NULL;
    pm_status status = find_written(request, &written, error);
    if (status == PM_OK)
        status = allocate_poses(request, job, written, staged, &count, error);
    if (status == PM_OK)
        status = pm_cpu_pose(request, error);
    if (status == PM_OK)
        status = pm_cl_enqueue_staged(crowd->device, staged, count, wait, done, error);
    free_results(staged, count);
    free(written);
    return status;
}

pm_status pm_enqueue_poses_in_background(pm_device_crowd *crowd, const pm_cl_crowd_job *job,
                                         const pm_cl_wait *wait, cl_event *done, pm_error *error) {
    pm_pose_request marked = marked_poses(crowd, job);
    pm_status status = PM_OK;
    bool missing = false;
    if (are_few_poses(crowd->device, &marked))
        status = pm_background_poses(crowd, &marked, &missing, error);
    if (status != PM_OK)
        return status;
    return missing ? stage_poses(crowd, &marked, job, wait, done, error)
                   : pm_cl_enqueue_poses(crowd, job, 0, wait, done, error);
}
