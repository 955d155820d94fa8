/* SPDX-License-Identifier: MIT
 *
 * Requests into host memory whose programs are not built yet. The reference path samples piece by
 * piece while the driver compiles, then the device computes the rest. First, results of both are
 * compared. They are combined only where the bits match; otherwise the device computes everything.
 */
#define _POSIX_C_SOURCE 200809L

#include "engine.h"

#include <pthread.h>

#include "background.h"
#include "cpu/cpu.h"

/* Values per piece: some milliseconds of work, so that a ready device is noticed soon. */
enum { PIECE_VALUES = 1 << 14 };

typedef enum stage {
    STAGE_WAITING,   /* programs are being built */
    STAGE_COMPARING, /* a thread compares the device with the reference path */
    STAGE_SAME,      /* the device computes the rest */
    STAGE_DIFFERENT, /* the device computes everything */
    STAGE_FAILED
} stage;

typedef struct sampling {
    const pm_device_clip *clip;
    const pm_sample_request *request;
    size_t piece_samples; /* the last piece may have fewer */
    pthread_mutex_t lock; /* guards the fields below */
    stage stage;
    size_t pieces_done; /* by the reference path: pieces [0, pieces_done) when all threads end */
    pm_status status;
    pm_error error;
} sampling;

static pm_sample_request piece_at(const sampling *s, size_t index) {
    const pm_piece piece = pm_piece_at(s->request->sample_count, s->piece_samples, index);
    return pm_sample_request_piece(s->request, &piece);
}

static void fail(sampling *s, pm_status status, const pm_error *error) {
    pthread_mutex_lock(&s->lock);
    if (s->status == PM_OK) {
        s->status = status;
        s->error = *error;
    }
    s->stage = STAGE_FAILED;
    pthread_mutex_unlock(&s->lock);
}

/* ---- comparing ---- */

static void compare(sampling *s) {
    pm_error error;
    pm_error_clear(&error);
    const pm_status status = pm_compare_samples(s->clip, s->request, &error);
    if (status != PM_OK) {
        fail(s, status, &error);
        return;
    }
    const bool differs = pm_device_differs(s->clip->device);
    pthread_mutex_lock(&s->lock);
    if (s->stage == STAGE_COMPARING)
        s->stage = differs ? STAGE_DIFFERENT : STAGE_SAME;
    pthread_mutex_unlock(&s->lock);
}

/* ---- the reference path ---- */

/* Whether the reference path continues. The thread that finds the programs ready compares first. */
static bool should_continue(sampling *s) {
    pm_error error;
    pm_error_clear(&error);
    pthread_mutex_lock(&s->lock);
    pm_readiness programs = PM_READY_LATER;
    if (s->stage == STAGE_WAITING)
        programs = pm_samples_readiness(s->clip, s->request, &error);
    bool compares = programs < PM_READY_LATER;
    if (compares)
        s->stage = STAGE_COMPARING;
    pthread_mutex_unlock(&s->lock);
    if (programs == PM_READY_NEVER)
        fail(s, error.status, &error);
    if (compares)
        compare(s);
    pthread_mutex_lock(&s->lock);
    bool on = s->stage <= STAGE_COMPARING;
    pthread_mutex_unlock(&s->lock);
    return on;
}

static void sample_piece(sampling *s, size_t index) {
    pm_sample_request piece = piece_at(s, index);
    pm_error error;
    piece.host_threads = 1;
    pm_error_clear(&error);
    pm_status status = pm_cpu_sample(&piece, &error);
    if (status != PM_OK) {
        fail(s, status, &error);
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->pieces_done++;
    pthread_mutex_unlock(&s->lock);
}

/* Threads take pieces in order and finish each piece that they took, so that the finished pieces
 * are the first ones. */
static void sample_pieces(void *context, pm_items *items) {
    sampling *s = context;
    size_t item;
    while (should_continue(s) && pm_take_item(items, &item))
        sample_piece(s, item + 1);
}

/* Uses one thread less than the host may use, because the compiler needs one. */
static void run(sampling *s, size_t threads) {
    const size_t pieces = pm_piece_count(s->request->sample_count, s->piece_samples);
    sample_piece(s, 0);
    pm_run_parallel(threads > 1 ? threads - 1 : 1, pieces - 1, sample_pieces, s);
}

/* Computes the remaining pieces on the device. */
static pm_status finish(const sampling *s, pm_error *error) {
    const size_t total = s->request->sample_count;
    pm_piece rest = {0, total};
    if (s->stage != STAGE_DIFFERENT) {
        const pm_piece last = pm_piece_at(total, s->piece_samples, s->pieces_done - 1);
        rest = (pm_piece){last.from + last.count, total - last.from - last.count};
    }
    const pm_sample_request request = pm_sample_request_piece(s->request, &rest);
    return rest.count ? s->clip->device->backend->sample(s->clip, &request, error) : PM_OK;
}

static pm_status fail_with(const pm_error *failure, pm_error *error) {
    if (error)
        *error = *failure;
    return failure->status;
}

static pm_status sample_until_ready(const pm_device_clip *clip, const pm_sample_request *request,
                                    size_t threads, pm_error *error) {
    sampling s = {.clip = clip, .request = request};
    s.piece_samples = PIECE_VALUES / request->width + 1;
    pthread_mutex_init(&s.lock, NULL);
    run(&s, threads);
    pthread_mutex_destroy(&s.lock);
    return s.status == PM_OK ? finish(&s, error) : fail_with(&s.error, error);
}

/* ---- jobs ---- */

/* While programs are being built, the reference path computes. Otherwise the device computes the job,
 * which waits for programs only where earlier results differed in bits. Results of programs that were
 * finished since the last job are compared first. A failed build is the failure of the first job that
 * finds it. */
pm_status pm_sample_in_background(const pm_device_clip *clip, const pm_sample_request *request,
                                  size_t threads, pm_error *error) {
    pm_status status = PM_OK;
    pm_error failure;
    pm_error_clear(&failure);
    const pm_readiness programs =
        pm_device_differs(clip->device) ? PM_READY : pm_samples_readiness(clip, request, &failure);
    if (programs == PM_READY_LATER)
        return sample_until_ready(clip, request, threads, error);
    if (programs == PM_READY_NEVER)
        return fail_with(&failure, error);
    if (programs == PM_READY_UNCHECKED)
        status = pm_compare_samples(clip, request, error);
    return status == PM_OK ? clip->device->backend->sample(clip, request, error) : status;
}

/* A whole job on either path, because instances that are not updated keep what is in memory. */
pm_status pm_pose_in_background(pm_device_crowd *crowd, const pm_pose_request *request,
                                pm_error *error) {
    pm_pose_request by_reference = *request;
    pm_status status = PM_OK;
    pm_error failure;
    pm_error_clear(&failure);
    const pm_readiness programs =
        pm_device_differs(crowd->device) ? PM_READY : pm_poses_readiness(crowd, request, &failure);
    by_reference.host_threads = request->host_threads > 1 ? request->host_threads - 1 : 1;
    if (programs == PM_READY_LATER)
        return pm_cpu_pose(&by_reference, error);
    if (programs == PM_READY_NEVER)
        return fail_with(&failure, error);
    if (programs == PM_READY_UNCHECKED)
        status = pm_compare_poses(crowd, request, error);
    return status == PM_OK ? crowd->device->backend->pose(crowd, request, error) : status;
}
