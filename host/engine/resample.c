/* SPDX-License-Identifier: MIT
 *
 * Samples from a description's keys, on the host: without a clip where that can be done, else by one that
 * is built when a job first requires it.
 */
#include "resampler.h"

#include <stdlib.h>

pm_status pm_resampler_create(const pm_clip_desc *desc, pm_resampler **resampler, pm_error *error) {
    pm_error_clear(error);
    if (!resampler)
        return pm_fail(error, PM_ERROR_ARGUMENT, "resampler is NULL");
    pm_status status = pm_clip_check(desc, error);
    if (status != PM_OK)
        return status;
    pm_resampler *made = pm_allocate_zeroed(NULL, 1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    pm_threads_keep();
    made->desc = *desc;
    made->streams.stay = true;
    status = pm_clip_data_lay_out(NULL, &made->desc, NULL, &made->layout, error);
    if (status == PM_OK)
        *resampler = made;
    else
        pm_resampler_destroy(&made);
    return status;
}

void pm_resampler_destroy(pm_resampler **handle) {
    pm_resampler *r = handle ? *handle : NULL;
    if (!r)
        return;
    pm_cpu_streams_close(&r->streams);
    pm_clip_data_free(&r->layout);
    pm_clip_data_free(&r->clip);
    pm_pushed_keys_free(r->pushed);
    pm_threads_release();
    pm_release(r);
    *handle = NULL;
}

typedef struct resampled_job {
    pm_resampler *resampler;
    const pm_sample_job *job;
} resampled_job;

static pm_status sample_by_clip(const resampled_job *j, const pm_sample_request *request,
                                pm_error *error) {
    pm_resampler *r = j->resampler;
    pm_clip_data *subset = NULL;
    const pm_clip_limits limits = {.threads = request->host_threads};
    pm_sample_request with_keys = *request;
    pm_status status = PM_OK;
    if (!r->clip) {
        pm_cpu_streams_close(&r->streams);
        status = pm_clip_data_build(&r->desc, &limits, &r->clip, error);
    }
    if (status == PM_OK)
        status = pm_sample_subset(r->clip, j->job, &subset, error);
    with_keys.clip = subset ? subset : r->clip;
    if (status == PM_OK)
        status = pm_cpu_sample(&with_keys, error);
    pm_clip_data_free(&subset);
    return status;
}

static pm_status compute(void *context, const pm_sample_request *request, pm_error *error) {
    const resampled_job *j = context;
    pm_resampler *r = j->resampler;
    bool needs_clip = r->clip || !pm_cpu_resamples(&r->desc, request);
    const pm_status status =
        needs_clip ? PM_OK : pm_cpu_resample(&r->desc, request, &r->streams, &needs_clip, error);
    return needs_clip ? sample_by_clip(j, request, error) : status;
}

pm_status pm_resampler_sample(pm_resampler *resampler, const pm_sample_job *job, pm_error *error) {
    pm_resampler *r = resampler;
    pm_error_clear(error);
    if (!r || !job)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", r ? "job" : "resampler");
    if (r->pushed)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "the keys are pushed: their samples are pulled, by pm_resampler_pull");
    pm_status status = PM_CHECK_NEXT(pm_sample_job, job, error);
    if (status != PM_OK || job->sample_count == 0)
        return status;
    const size_t threads = job->host_threads ? job->host_threads : pm_processors();
    resampled_job j = {r, job};
    pm_clip_data *subset;
    status = pm_sample_subset(r->layout, job, &subset, error);
    if (status != PM_OK)
        return status;
    const pm_sample_request request =
        pm_sample_request_of(subset ? subset : r->layout, job, threads);
    status = pm_sample_check_outputs(&request, error);
    if (status == PM_OK)
        status = pm_sample_check_times(request.clip, job, threads, error);
    if (status == PM_OK)
        status = pm_sample_with_strides(&request, PM_STRIDED_VALUES, compute, &j, error);
    pm_clip_data_free(&subset);
    return status;
}

pm_status pm_resample(const pm_clip_desc *desc, const pm_sample_job *job, pm_error *error) {
    pm_resampler *resampler = NULL;
    pm_error_clear(error);
    if (!job)
        return pm_fail(error, PM_ERROR_ARGUMENT, "job is NULL");
    pm_status status = pm_resampler_create(desc, &resampler, error);
    if (status == PM_OK) {
        resampler->streams.stay = false;
        status = pm_resampler_sample(resampler, job, error);
    }
    pm_resampler_destroy(&resampler);
    return status;
}
