/* SPDX-License-Identifier: MIT
 *
 * Jobs that need no clip: from a description's keys to samples in host memory, on the host.
 */
#include "engine.h"

#include "cpu/cpu.h"

/* Computes a job by a clip that is built for it alone. */
static pm_status sample_by_clip(const pm_clip_desc *desc, const pm_sample_job *job, size_t threads,
                                pm_error *error) {
    const pm_clip_limits limits = {.threads = threads};
    pm_clip_data *clip = NULL;
    pm_status status = pm_clip_data_build(desc, &limits, &clip, error);
    if (status != PM_OK)
        return status;
    const pm_sample_request request = pm_sample_request_of(clip, job, threads);
    status = pm_cpu_sample(&request, error);
    pm_clip_data_free(&clip);
    return status;
}

static pm_status resample(const pm_clip_desc *desc, const pm_clip_data *clip,
                          const pm_sample_job *job, pm_error *error) {
    const size_t threads = job->host_threads ? job->host_threads : pm_processors();
    const pm_sample_request request = pm_sample_request_of(clip, job, threads);
    pm_status status = pm_sample_check_outputs(&request, error);
    if (status == PM_OK)
        status = pm_sample_check_times(clip, job, threads, error);
    if (status != PM_OK)
        return status;
    bool needs_clip = !pm_cpu_resamples(desc, &request);
    if (!needs_clip)
        status = pm_cpu_resample(desc, &request, &needs_clip, error);
    return needs_clip ? sample_by_clip(desc, job, threads, error) : status;
}

pm_status pm_resample(const pm_clip_desc *desc, const pm_sample_job *job, pm_error *error) {
    pm_error_clear(error);
    if (!job)
        return pm_fail(error, PM_ERROR_ARGUMENT, "job is NULL");
    pm_status status = PM_CHECK_RESERVED(pm_sample_job, job, error);
    if (status == PM_OK)
        status = pm_clip_check(desc, error);
    if (status != PM_OK || job->sample_count == 0)
        return status;
    pm_clip_data *clip = NULL;
    status = pm_clip_data_lay_out(desc, NULL, desc->track_count, &clip, error);
    if (status == PM_OK)
        status = resample(desc, clip, job, error);
    pm_clip_data_free(&clip);
    return status;
}
