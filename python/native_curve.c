/* SPDX-License-Identifier: MIT
 *
 * Curves whose results are float64: each block is sampled and normalised while it is in the cache.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include <posemill/posemill.h>

#include "host/base/drivers.h"
#include "host/base/parallel.h"
#include "native.h"

/* Quaternions that one thread samples at a time: 32 kB of float32. Fewer than SERIAL are done before
 * another core has woken up. */
enum { BLOCK = 2048, SERIAL = 6 * BLOCK };

bool native_devices_are_lost(void) {
    return pm_drivers_are_lost();
}

void native_note_drivers(void) {
    pm_drivers_use(NULL);
}

typedef struct curve_job {
    const pm_clip *clip;
    const native_times *times;
    size_t track_count;
    double *rotations;
    size_t block; /* samples */
    atomic_size_t outside;
    atomic_bool has_failed;
    pm_error *error; /* of the thread that sets has_failed */
} curve_job;

/* A time within the limits is a number, too. */
static size_t first_outside(const native_times *times, pm_piece piece) {
    for (size_t i = 0; i < piece.count; i++) {
        const double t = times->seconds[piece.from + i];
        if (!(times->first <= t && t <= times->last))
            return piece.from + i;
    }
    return times->count;
}

static void keep_smallest(atomic_size_t *smallest, size_t index) {
    size_t found = atomic_load(smallest);
    while (index < found && !atomic_compare_exchange_weak(smallest, &found, index)) {
    }
}

static void keep_first_error(curve_job *job, const pm_error *error) {
    if (!atomic_exchange(&job->has_failed, true))
        *job->error = *error;
}

static void sample_block(curve_job *job, pm_piece piece, float *samples) {
    const pm_sample_job part = {.sample_count = piece.count,
                                .times = job->times->seconds + piece.from,
                                .rotations = samples,
                                .on_reference = true,
                                .host_threads = 1};
    pm_error error = {0};
    if (pm_sample(job->clip, &part, &error) != PM_OK) {
        keep_first_error(job, &error);
        return;
    }
    array_normalized(samples, job->rotations + 4 * piece.from * job->track_count,
                     piece.count * job->track_count);
}

static void sample_blocks(void *context, pm_items *items) {
    curve_job *job = context;
    float *samples = malloc(4 * job->block * job->track_count * sizeof *samples);
    size_t item;
    if (!samples) {
        const pm_error error = {.status = PM_ERROR_MEMORY, .message = "out of memory"};
        keep_first_error(job, &error);
        return;
    }
    while (!atomic_load(&job->has_failed) && pm_take_item(items, &item)) {
        const pm_piece piece = pm_piece_at(job->times->count, job->block, item);
        const size_t outside = first_outside(job->times, piece);
        if (outside < job->times->count)
            keep_smallest(&job->outside, outside);
        if (atomic_load(&job->outside) == job->times->count)
            sample_block(job, piece, samples);
    }
    free(samples);
}

pm_status native_rotations(const pm_clip *clip, const native_times *times, size_t track_count,
                           double *rotations, size_t *outside, pm_error *error) {
    const size_t block = track_count < BLOCK ? BLOCK / track_count : 1;
    const size_t threads = times->count * track_count <= SERIAL ? 1 : pm_processors();
    curve_job job = {.clip = clip,
                     .times = times,
                     .track_count = track_count,
                     .rotations = rotations,
                     .block = block < times->count ? block : times->count,
                     .outside = times->count,
                     .error = error};
    pm_run_parallel(NULL, threads, pm_piece_count(times->count, block), sample_blocks, &job);
    *outside = job.outside;
    return job.has_failed ? error->status : PM_OK;
}
