/* SPDX-License-Identifier: MIT
 *
 * Jobs for samples into host memory: checking them, and passing them to a backend.
 */
#include "engine.h"

#include <math.h>

#include "cpu/cpu.h"

static bool any_loop(const pm_clip_data *clip) {
    for (size_t i = 0; i < clip->timeline_count; i++)
        if (clip->timelines[i].loop)
            return true;
    return false;
}

static pm_status check_listed(const pm_clip_data *clip, const pm_sample_job *job, pm_error *error) {
    bool loop = any_loop(clip);
    for (size_t k = 0; k < job->sample_count; k++) {
        if (isnan(job->times[k]))
            return pm_fail(error, PM_ERROR_TIME, "times[%zu] is NaN", k);
        if (loop && isinf(job->times[k]))
            return pm_fail(error, PM_ERROR_TIME,
                           "times[%zu] is infinite, expected a finite time for a loop", k);
        if (job->tracks && job->tracks[k] >= clip->track_count)
            return pm_fail_at(error, PM_ERROR_ARGUMENT, job->tracks[k], PM_NO_INDEX,
                              "tracks[%zu] is %u, expected a number below track_count %zu", k,
                              job->tracks[k], clip->track_count);
    }
    return PM_OK;
}

pm_status pm_sample_check_times(const pm_clip_data *clip, const pm_sample_job *job,
                                pm_error *error) {
    bool has_rate = pm_rational_given(job->rate);
    size_t bytes;
    if ((unsigned)job->velocity_frame >= PM_AXIS_COUNT)
        return pm_fail(error, PM_ERROR_ARGUMENT, "velocity_frame is %d, expected a pm_axis_frame",
                       (int)job->velocity_frame);
    if (job->sample_count == 0)
        return PM_OK;
    if (has_rate && job->times)
        return pm_fail(error, PM_ERROR_ARGUMENT, "both rate and times are given");
    if (!has_rate && !job->times)
        return pm_fail(error, PM_ERROR_ARGUMENT, "neither rate nor times is given");
    if (job->tracks && !job->times)
        return pm_fail(error, PM_ERROR_ARGUMENT, "tracks is given without times");
    if (!pm_multiply(job->sample_count, job->tracks ? 1 : clip->track_count, &bytes) ||
        !pm_multiply(bytes, 4 * sizeof(float), &bytes))
        return pm_fail(error, PM_ERROR_SIZE,
                       "sample_count is %zu: the size of the result does not fit size_t",
                       job->sample_count);
    return has_rate ? pm_sample_check_rate(clip, job, error) : check_listed(clip, job, error);
}

pm_status pm_sample_check(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    pm_error_clear(error);
    if (!clip || !job)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", clip ? "job" : "clip");
    if (job->sample_count == 0)
        return PM_OK;
    const pm_sample_request request = pm_sample_request_of(clip->data, job, 1);
    bool any = false;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        unsigned channel = pm_outputs[o].channel;
        any = any || request.outputs[o];
        if (request.outputs[o] && !clip->data->channels[channel].present)
            return pm_fail(error, PM_ERROR_ARGUMENT, "%s: the clip has no %s", pm_outputs[o].name,
                           pm_channel_name(channel));
    }
    if (!any)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "no output: rotations, positions, scales, velocities and accelerations "
                       "are all NULL");
    return pm_sample_check_times(clip->data, job, error);
}

/* With several devices, host_threads is the number for each device. */
pm_sample_request pm_engine_sample_request(const pm_clip *clip, const pm_sample_job *job) {
    const pm_engine *engine = clip->engine;
    return pm_sample_request_of(clip->data, job,
                                job->on_reference
                                    ? engine->host_threads
                                    : engine->device->members[0]->options.host_threads);
}

pm_status pm_sample(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    pm_status status = pm_sample_check(clip, job, error);
    if (status != PM_OK || job->sample_count == 0)
        return status;
    const pm_engine *engine = clip->engine;
    const pm_sample_request request = pm_engine_sample_request(clip, job);
    if (job->on_reference)
        return pm_cpu_sample(&request, error);
    if (engine->builds_in_background)
        return pm_sample_in_background(clip->on_device, &request,
                                       job->host_threads ? job->host_threads : engine->host_threads,
                                       error);
    return engine->device->backend->sample(clip->on_device, &request, error);
}
