/* SPDX-License-Identifier: MIT
 *
 * Jobs for samples into host memory: checking them, and passing them to a backend.
 */
#include "engine.h"

#include "cpu/cpu.h"

pm_status pm_sample_check_outputs(const pm_sample_request *request, pm_error *error) {
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (request->outputs[o] && !request->clip->channels[pm_outputs[o].channel].present)
            return pm_fail(error, PM_ERROR_ARGUMENT, "%s: the clip has no %s", pm_outputs[o].name,
                           pm_channel_name(pm_outputs[o].channel));
    if (!pm_outputs_in_memory(request))
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "no output: rotations, positions, scales, velocities and accelerations "
                       "are all NULL");
    return PM_OK;
}

/* Checks a job and resolves its request. */
static pm_status resolve(const pm_clip *clip, const pm_sample_job *job, pm_sample_request *request,
                         pm_error *error) {
    pm_error_clear(error);
    if (!clip || !job)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", clip ? "job" : "clip");
    pm_status status = PM_CHECK_NEXT(pm_sample_job, job, error);
    if (status != PM_OK || job->sample_count == 0)
        return status;
    *request = pm_engine_sample_request(clip, job);
    status = pm_sample_check_outputs(request, error);
    return status == PM_OK ? pm_sample_check_times(clip->data, job, request->host_threads, error)
                           : status;
}

pm_status pm_sample_check(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    pm_sample_request request;
    return resolve(clip, job, &request, error);
}

static pm_status sample_on_reference(const pm_clip *clip, const pm_sample_request *request,
                                     pm_error *error) {
    const pm_status fetched = pm_clip_fetch(clip, error);
    return fetched == PM_OK ? pm_cpu_sample(request, error) : fetched;
}

pm_status pm_engine_sample(const pm_clip *clip, const pm_sample_job *job,
                           const pm_sample_request *request, pm_error *error) {
    const pm_engine *engine = clip->engine;
    const pm_plan_device *plan = engine->device->plan;
    if (job->on_reference)
        return sample_on_reference(clip, request, error);
    const pm_status status = pm_device_check(engine->device, error);
    if (status != PM_OK)
        return status;
    if (plan && pm_plan_samples_on_host(request, plan))
        return sample_on_reference(clip, request, error);
    if (POSEMILL_OPENCL && engine->builds_in_background)
        return pm_sample_in_background(clip->on_device, request,
                                       job->host_threads ? job->host_threads : engine->host_threads,
                                       error);
    return engine->device->backend->sample(clip->on_device, request, error);
}

pm_status pm_sample(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    pm_sample_request request;
    const pm_status status = resolve(clip, job, &request, error);
    return status == PM_OK && job->sample_count > 0 ? pm_engine_sample(clip, job, &request, error)
                                                    : status;
}
