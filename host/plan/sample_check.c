/* SPDX-License-Identifier: MIT
 *
 * Checks of a job's rate, times and tracks. Listed ones are checked by several threads.
 */
#include "sample_request.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

static bool any_loop(const pm_clip_data *clip) {
    for (size_t i = 0; i < clip->timeline_count; i++)
        if (clip->timelines[i].loop)
            return true;
    return false;
}

typedef struct listed_check {
    const pm_clip_data *clip;
    const pm_sample_job *job;
    bool loop;
    atomic_size_t first_bad; /* the first item with a refused sample, or more than any */
} listed_check;

/* Samples per item: their check takes about as long as starting a thread. */
enum { CHECKED_OF_ITEM = 1 << 17 };

/* Whether no sample of an item is refused, without telling which. Compilers vectorise the loops. */
PM_CLONES static bool are_good(const listed_check *c, const pm_piece *piece) {
    const double *times = c->job->times + piece->from;
    const double longest = c->loop ? DBL_MAX : HUGE_VAL;
    unsigned bad = 0;
    for (size_t k = 0; k < piece->count; k++)
        bad |= fabs(times[k]) <= longest ? 0u : 1u; /* NaN is not */
    if (!c->job->tracks)
        return !bad;
    const uint32_t *tracks = c->job->tracks + piece->from;
    uint32_t highest = 0;
    for (size_t k = 0; k < piece->count; k++)
        highest = tracks[k] > highest ? tracks[k] : highest;
    return !bad && highest < c->clip->track_count;
}

static void check_items(void *context, pm_items *items) {
    listed_check *c = context;
    size_t item;
    while (pm_take_item(items, &item)) {
        const pm_piece piece = pm_piece_at(c->job->sample_count, CHECKED_OF_ITEM, item);
        size_t before = atomic_load(&c->first_bad);
        if (are_good(c, &piece))
            continue;
        while (item < before && !atomic_compare_exchange_weak(&c->first_bad, &before, item))
            ;
    }
}

/* The refusal of the first bad sample from `first` on. */
static pm_status refuse_listed(const listed_check *c, size_t first, pm_error *error) {
    const pm_sample_job *job = c->job;
    for (size_t k = first; k < job->sample_count; k++) {
        if (isnan(job->times[k]))
            return pm_fail(error, PM_ERROR_TIME, "times[%zu] is NaN", k);
        if (c->loop && isinf(job->times[k]))
            return pm_fail(error, PM_ERROR_TIME,
                           "times[%zu] is infinite, expected a finite time for a loop", k);
        if (job->tracks && job->tracks[k] >= c->clip->track_count)
            return pm_fail_at(error, PM_ERROR_ARGUMENT, job->tracks[k], PM_NO_INDEX,
                              "tracks[%zu] is %u, expected a number below that of tracks, %zu", k,
                              job->tracks[k], c->clip->track_count);
    }
    return PM_OK;
}

static pm_status check_listed(const pm_clip_data *clip, const pm_sample_job *job, size_t threads,
                              pm_error *error) {
    const size_t items = pm_piece_count(job->sample_count, CHECKED_OF_ITEM);
    listed_check c = {.clip = clip, .job = job, .loop = any_loop(clip), .first_bad = items};
    pm_run_parallel(clip->host, threads, items, check_items, &c);
    return c.first_bad == items ? PM_OK : refuse_listed(&c, c.first_bad * CHECKED_OF_ITEM, error);
}

/* Strides of outputs in bytes; those that are 0 need no check. */
static pm_status check_strides(const pm_clip_data *clip, const pm_sample_job *job,
                               pm_error *error) {
    const pm_sample_request request = {.width = job->tracks ? 1 : clip->track_count};
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const size_t row = pm_sample_row_bytes(&request, o);
        size_t stride, bytes;
        memcpy(&stride, (const char *)job + pm_outputs[o].stride, sizeof stride);
        if (!stride)
            continue;
        if (stride % sizeof(float))
            return pm_fail(error, PM_ERROR_ARGUMENT,
                           "%s: the stride is %zu bytes, expected a multiple of 4",
                           pm_outputs[o].name, stride);
        if (stride < row)
            return pm_fail(error, PM_ERROR_ARGUMENT,
                           "%s: the stride is %zu bytes, below the %zu of a sample",
                           pm_outputs[o].name, stride, row);
        if (!pm_multiply(job->sample_count, stride, &bytes))
            return pm_fail(error, PM_ERROR_SIZE,
                           "%s: %zu samples at a stride of %zu bytes do not fit size_t",
                           pm_outputs[o].name, job->sample_count, stride);
    }
    return PM_OK;
}

pm_status pm_sample_subset(const pm_clip_data *clip, const pm_sample_job *job,
                           pm_clip_data **subset, pm_error *error) {
    *subset = NULL;
    if (!job->subset && job->subset_count == 0)
        return PM_OK;
    if (job->tracks)
        return pm_fail(error, PM_ERROR_ARGUMENT, "both subset and tracks are given");
    return pm_clip_subset(clip, job->subset, job->subset_count, subset, error);
}

pm_status pm_sample_check_times(const pm_clip_data *clip, const pm_sample_job *job, size_t threads,
                                pm_error *error) {
    bool has_rate = pm_rational_given(job->rate);
    size_t bytes;
    if ((unsigned)job->velocity_frame >= PM_AXIS_COUNT)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "velocity-frame",
                             "is %d, expected a pm_axis_frame", (int)job->velocity_frame);
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
                       "the number of samples is %zu: the size of the result does not fit size_t",
                       job->sample_count);
    const pm_status status = check_strides(clip, job, error);
    if (status != PM_OK)
        return status;
    return has_rate ? pm_sample_check_rate(clip, job, error)
                    : check_listed(clip, job, threads, error);
}
