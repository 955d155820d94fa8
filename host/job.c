/* SPDX-License-Identifier: MIT
 *
 * Jobs: why one is refused, where its samples lie, and who evaluates it.
 */
#include "job.h"

#include <stdlib.h>

#include "engine.h"
#include "status.h"

const pm_output pm_outputs[PM_OUTPUT_COUNT] = {
    [PM_OUT_ROTATIONS] = {"rotations", PM_ROTATIONS, 0, 4},
    [PM_OUT_POSITIONS] = {"positions", PM_POSITIONS, 0, 3},
    [PM_OUT_SCALES] = {"scales", PM_SCALES, 0, 3},
    [PM_OUT_VELOCITIES] = {"velocities", PM_ROTATIONS, 1, 3},
    [PM_OUT_ACCELERATIONS] = {"accelerations", PM_ROTATIONS, 2, 3},
};

void pm_job_outputs(const pm_sample_job *job, float *outputs[PM_OUTPUT_COUNT]) {
    outputs[PM_OUT_ROTATIONS] = job->rotations;
    outputs[PM_OUT_POSITIONS] = job->positions;
    outputs[PM_OUT_SCALES] = job->scales;
    outputs[PM_OUT_VELOCITIES] = job->velocities;
    outputs[PM_OUT_ACCELERATIONS] = job->accelerations;
}

size_t pm_job_width(const pm_clip *clip, const pm_sample_job *job) {
    return job->tracks ? 1 : clip->track_count;
}

static pm_status check_rate(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    uint64_t end;
    if (!pm_rational_positive(job->rate))
        return pm_fail(error, PM_ERROR_TIME, "rate is not positive");
    if (pm_rational_given(job->start) && job->start.den <= 0)
        return pm_fail(error, PM_ERROR_TIME, "start has a denominator that is not positive");
    if (__builtin_add_overflow(job->first, job->sample_count, &end))
        return pm_fail(error, PM_ERROR_SIZE, "first + sample_count does not fit 64 bits");
    for (size_t i = 0; i < clip->timeline_count; i++) {
        pm_exact_cadence c;
        if (clip->timelines[i].uniform &&
            !pm_cadence_of(clip->timelines[i].rate, job->rate, job->start, job->first,
                           job->sample_count, &c))
            return pm_fail(error, PM_ERROR_TIME,
                           "rate and start are too fine to combine exactly with the keys' rate");
    }
    return PM_OK;
}

static bool any_loop(const pm_clip *clip) {
    for (size_t i = 0; i < clip->timeline_count; i++)
        if (clip->timelines[i].loop)
            return true;
    return false;
}

static pm_status check_times(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    bool loop = any_loop(clip);
    for (size_t k = 0; k < job->sample_count; k++) {
        if (isnan(job->times[k]))
            return pm_fail(error, PM_ERROR_TIME, "times[%zu] is NaN", k);
        if (loop && isinf(job->times[k]))
            return pm_fail(error, PM_ERROR_TIME, "times[%zu] is infinite, in a loop", k);
        if (job->tracks && job->tracks[k] >= clip->track_count)
            return pm_fail_at(error, PM_ERROR_ARGUMENT, job->tracks[k], PM_NOWHERE,
                              "tracks[%zu] is not below track_count %zu", k, clip->track_count);
    }
    return PM_OK;
}

pm_status pm_job_check_samples(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    bool has_rate = pm_rational_given(job->rate);
    size_t bytes;
    if (job->sample_count == 0)
        return PM_OK;
    if (has_rate && job->times)
        return pm_fail(error, PM_ERROR_ARGUMENT, "both rate and times are given");
    if (!has_rate && !job->times)
        return pm_fail(error, PM_ERROR_ARGUMENT, "neither rate nor times is given");
    if (job->tracks && !job->times)
        return pm_fail(error, PM_ERROR_ARGUMENT, "tracks is given without times");
    if (!pm_multiply(job->sample_count, pm_job_width(clip, job), &bytes) ||
        !pm_multiply(bytes, 4 * sizeof(float), &bytes))
        return pm_fail(error, PM_ERROR_SIZE, "sample_count %zu: the result does not fit size_t",
                       job->sample_count);
    return has_rate ? check_rate(clip, job, error) : check_times(clip, job, error);
}

pm_status pm_sample_check(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    pm_error_clear(error);
    if (!clip || !job)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", clip ? "job" : "clip");
    float *outputs[PM_OUTPUT_COUNT];
    bool any = false;
    pm_job_outputs(job, outputs);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        unsigned channel = pm_outputs[o].channel;
        any = any || outputs[o];
        if (outputs[o] && !clip->channels[channel].present)
            return pm_fail(error, PM_ERROR_ARGUMENT, "%s: the clip has no %s", pm_outputs[o].name,
                           pm_channel_name(channel));
    }
    if (!any)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "no output: rotations, positions, scales, velocities and accelerations "
                       "are all NULL");
    if ((unsigned)job->velocity_frame >= PM_AXIS_COUNT)
        return pm_fail(error, PM_ERROR_ARGUMENT, "velocity_frame is not one");
    return pm_job_check_samples(clip, job, error);
}

/* Samples at a rate on listed key times: each time is computed once, from whole numbers. */
static double time_at(const pm_placed_timeline *timeline, const pm_sample_job *job, uint64_t k) {
    double since = (double)k * (double)job->rate.den / (double)job->rate.num;
    double start = job->start.den ? pm_rational_value(job->start) : 0;
    return timeline->first + start + since;
}

static void place_at_rate(const pm_placed_timeline *timeline, const pm_sample_job *job,
                          const pm_piece *piece, pm_place *places) {
    pm_exact_cadence c;
    size_t hint = 0;
    if (timeline->uniform)
        pm_cadence_of(timeline->rate, job->rate, job->start, job->first, job->sample_count, &c);
    for (size_t k = 0; k < piece->count; k++) {
        uint64_t sample = piece->from + k;
        places[k] =
            timeline->uniform
                ? pm_timeline_place_exact(timeline, &c, sample)
                : pm_timeline_place(timeline, time_at(timeline, job, job->first + sample), &hint);
    }
}

void pm_job_places(const pm_clip *clip, const pm_sample_job *job, const pm_piece *piece,
                   pm_place *places) {
    size_t hint = 0;
    if (job->tracks) {
        for (size_t k = 0; k < piece->count; k++) {
            uint32_t track = job->tracks[piece->from + k];
            places[k] = pm_timeline_place(&clip->timelines[clip->timeline_of[track]],
                                          job->times[piece->from + k], &hint);
        }
        return;
    }
    for (size_t i = 0; i < clip->timeline_count; i++, places += piece->count) {
        const pm_placed_timeline *timeline = &clip->timelines[i];
        hint = 0;
        if (!job->times)
            place_at_rate(timeline, job, piece, places);
        for (size_t k = 0; job->times && k < piece->count; k++)
            places[k] = pm_timeline_place(timeline, job->times[piece->from + k], &hint);
    }
}

bool pm_job_cadence(const pm_clip *clip, const pm_sample_job *job, pm_cadence *cadence) {
    const pm_placed_timeline *timeline = &clip->timelines[0];
    pm_exact_cadence exact;
    if (job->times || !clip->shared || !timeline->uniform || timeline->constant ||
        !pm_cadence_of(timeline->rate, job->rate, job->start, job->first, job->sample_count,
                       &exact) ||
        !pm_cadence_narrow(&exact, job->sample_count, cadence))
        return false;
    cadence->segment_count = (pm_u32)timeline->segment_count;
    cadence->loop = timeline->loop;
    return true;
}

/* Places of a piece take at most this much host memory. */
enum { PIECE_PLACES = 1 << 16 };

static pm_status sample_on_reference(const pm_clip *clip, const pm_sample_job *job,
                                     pm_error *error) {
    size_t rows = job->tracks ? 1 : clip->timeline_count;
    size_t most = PIECE_PLACES / rows ? PIECE_PLACES / rows : 1;
    if (most > job->sample_count)
        most = job->sample_count;
    pm_place *places = calloc(most * rows, sizeof *places);
    if (!places)
        return pm_fail_memory(error);
    for (pm_piece piece = {0, 0}; piece.from < job->sample_count; piece.from += piece.count) {
        size_t left = job->sample_count - piece.from;
        size_t at = piece.from * pm_job_width(clip, job);
        piece.count = left < most ? left : most;
        pm_job_places(clip, job, &piece, places);
        float *outputs[PM_OUTPUT_COUNT];
        pm_job_outputs(job, outputs);
        for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
            if (outputs[o])
                outputs[o] += pm_outputs[o].components * at;
        pm_reference_sample(clip, job, &piece, places, outputs);
    }
    free(places);
    return PM_OK;
}

pm_status pm_sample(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    pm_status status = pm_sample_check(clip, job, error);
    if (status != PM_OK || job->sample_count == 0)
        return status;
#if POSEMILL_OPENCL
    if (clip->device && !job->on_reference)
        return pm_cl_sample_to_host(clip, job, error);
#endif
    return sample_on_reference(clip, job, error);
}
