/* SPDX-License-Identifier: MIT
 *
 * Samples into host memory: checked, and resolved.
 */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

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

/* Checks a job and resolves its request, with a subset for pm_clip_data_free. */
static pm_status resolve(const pm_clip *clip, const pm_sample_job *job, pm_clip_data **subset,
                         pm_sample_request *request, pm_error *error) {
    *subset = NULL;
    pm_error_clear(error);
    if (!clip || !job)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", clip ? "job" : "clip");
    pm_status status = PM_CHECK_NEXT(pm_sample_job, job, error);
    if (status != PM_OK || job->sample_count == 0)
        return status;
    status = pm_engine_subset(clip, job, subset, error);
    if (status != PM_OK)
        return status;
    *request = pm_engine_sample_request(clip, *subset, job);
    status = pm_sample_check_outputs(request, error);
    return status == PM_OK ? pm_sample_check_times(request->clip, job, request->host_threads, error)
                           : status;
}

pm_status pm_sample_check(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    pm_sample_request request;
    pm_clip_data *subset;
    const pm_status status = resolve(clip, job, &subset, &request, error);
    pm_clip_data_free(&subset);
    return status;
}

pm_sample_request pm_engine_sample_request(const pm_clip *clip, const pm_clip_data *subset,
                                           const pm_sample_job *job) {
    return pm_sample_request_of(subset ? subset : clip->data, job,
                                clip->engine->device->members[0]->options.host_threads);
}

/* ---- strides ---- */

static bool has_strides(const pm_sample_request *r) {
    bool has = false;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        has |= r->outputs[o] && r->strides[o];
    return has;
}

/* Points a piece to memory without strides, which is sufficient. */
static pm_sample_request without_strides(const pm_sample_request *piece, float *memory) {
    pm_sample_request dense = *piece;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        dense.strides[o] = 0;
        if (!piece->outputs[o] || !piece->strides[o])
            continue;
        dense.outputs[o] = memory;
        memory += pm_sample_output_bytes(piece, o) / sizeof *memory;
    }
    return dense;
}

static void copy_rows(const pm_sample_request *from, const pm_sample_request *to) {
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const size_t row = pm_sample_row_bytes(to, o), stride = pm_sample_stride(to, o);
        for (size_t k = 0; to->outputs[o] != from->outputs[o] && k < to->sample_count; k++)
            memcpy((char *)to->outputs[o] + k * stride, (const char *)from->outputs[o] + k * row,
                   row);
    }
}

pm_status pm_sample_with_strides(const pm_sample_request *request, size_t values,
                                 pm_compute_samples compute, void *context, pm_error *error) {
    const size_t samples = values / request->width + 1;
    const pm_piece first = pm_piece_at(request->sample_count, samples, 0);
    const size_t pieces = pm_piece_count(request->sample_count, samples);
    const pm_host within = pm_host_within(request->host);
    size_t bytes = 0;
    if (!has_strides(request))
        return compute(context, request, error);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        bytes += request->outputs[o] && request->strides[o]
                     ? first.count * pm_sample_row_bytes(request, o)
                     : 0;
    float *memory = pm_allocate(request->host, bytes);
    pm_status status = memory ? PM_OK : pm_fail_memory(error);
    for (size_t i = 0; status == PM_OK && i < pieces; i++) {
        const pm_piece at = pm_piece_at(request->sample_count, samples, i);
        const pm_sample_request piece = pm_sample_request_piece(request, &at);
        pm_sample_request dense = without_strides(&piece, memory);
        dense.host = &within;
        status = pm_check_piece(request->host, i, pieces, error);
        if (status == PM_OK)
            status = compute(context, &dense, error);
        if (status == PM_OK)
            copy_rows(&dense, &piece);
    }
    pm_release(memory);
    return status == PM_OK ? pm_check_piece(request->host, pieces, pieces, error) : status;
}

/* ---- on an engine ---- */

typedef struct engine_job {
    const pm_clip *clip;
    const pm_sample_job *job;
} engine_job;

static pm_status compute(void *context, const pm_sample_request *request, pm_error *error) {
    const engine_job *j = context;
    const pm_engine *engine = j->clip->engine;
    pm_job resolved =
        pm_job_of_samples(j->clip->on_device, request,
                          j->job->host_threads ? j->job->host_threads : engine->host_threads);
    resolved.source = j->clip;
    return pm_job_compute(&resolved, j->job->on_reference, engine->builds_in_background, error);
}

/* What is built in the background meanwhile must not decide the bits of a part of the results. */
pm_status pm_engine_sample(const pm_clip *clip, const pm_sample_job *job,
                           const pm_sample_request *request, pm_error *error) {
    engine_job j = {clip, job};
    const size_t values = clip->engine->builds_in_background ? SIZE_MAX / 2 : PM_STRIDED_VALUES;
    return pm_sample_with_strides(request, values, compute, &j, error);
}

pm_status pm_sample(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    pm_sample_request request;
    pm_clip_data *subset;
    pm_status status = resolve(clip, job, &subset, &request, error);
    if (status == PM_OK && job->sample_count > 0)
        status = pm_engine_sample(clip, job, &request, error);
    pm_clip_data_free(&subset);
    return status;
}
