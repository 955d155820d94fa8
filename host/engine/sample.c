/* SPDX-License-Identifier: MIT
 *
 * Samples into host memory: checked, and resolved.
 */
#include "engine.h"

pm_status pm_sample_check_outputs(const pm_sample_request *request, pm_error *error) {
    const unsigned outputs = pm_sample_outputs(request);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (outputs >> o & 1 && !request->clip->channels[pm_outputs[o].channel].present)
            return pm_fail(error, PM_ERROR_ARGUMENT, "%s: the clip has no %s", pm_outputs[o].name,
                           pm_channel_name(pm_outputs[o].channel));
    if (!outputs)
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

pm_sample_request pm_engine_sample_request(const pm_clip *clip, const pm_sample_job *job) {
    return pm_sample_request_of(clip->data, job,
                                clip->engine->device->members[0]->options.host_threads);
}

pm_status pm_engine_sample(const pm_clip *clip, const pm_sample_job *job,
                           const pm_sample_request *request, pm_error *error) {
    const size_t threads = job->host_threads ? job->host_threads : clip->engine->host_threads;
    pm_job resolved = pm_job_of_samples(clip->on_device, request, threads);
    resolved.source = clip;
    return pm_job_compute(&resolved, job->on_reference, clip->engine->builds_in_background, error);
}

pm_status pm_sample(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    pm_sample_request request;
    const pm_status status = resolve(clip, job, &request, error);
    return status == PM_OK && job->sample_count > 0 ? pm_engine_sample(clip, job, &request, error)
                                                    : status;
}
