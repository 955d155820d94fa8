/* SPDX-License-Identifier: MIT
 *
 * Requests whose programs are not built yet. The reference path samples piece by piece while the
 * driver compiles, then the device computes the rest. First, the device computes a piece that the
 * reference path has computed too. Results of both are combined only where the bits match;
 * otherwise the device computes everything.
 */
#define _POSIX_C_SOURCE 200809L

#include "engine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"

/* Values per piece: some milliseconds of work, so that a ready device is noticed soon. */
enum { PIECE_VALUES = 1 << 14 };

typedef enum stage {
    STAGE_WAITING,   /* programs are being built */
    STAGE_COMPARING, /* a thread compares the device's first piece with the reference's */
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

static const pm_backend *backend_of(const sampling *s) {
    return s->clip->device->backend;
}

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

/* Replaces the caller's output memory with allocated memory. Free *memory with free(). */
static pm_status redirect_outputs(pm_sample_request *request, char **memory, pm_error *error) {
    size_t bytes = 0;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        bytes += request->outputs[o] ? pm_sample_output_bytes(request, o) : 0;
    char *at = *memory = malloc(bytes);
    if (!at)
        return pm_fail_memory(error);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (request->outputs[o]) {
            request->outputs[o] = (float *)(void *)at;
            at += pm_sample_output_bytes(request, o);
        }
    return PM_OK;
}

static bool same_bits(const pm_sample_request *a, const pm_sample_request *b) {
    bool same = true;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        same = same && (!a->outputs[o] ||
                        memcmp(a->outputs[o], b->outputs[o], pm_sample_output_bytes(a, o)) == 0);
    return same;
}

/* Computes the first piece on each device, into separate memory, and compares it with the
 * reference's results in the job's memory. */
static pm_status compare(const sampling *s, bool *same, pm_error *error) {
    const pm_sample_request by_reference = piece_at(s, 0);
    pm_sample_request by_device = by_reference;
    char *memory = NULL;
    pm_status status = redirect_outputs(&by_device, &memory, error);
    *same = true;
    for (size_t i = 0; status == PM_OK && i < s->clip->device->member_count; i++) {
        const pm_device_clip *member = s->clip->members[i];
        status = member->device->backend->sample(member, &by_device, error);
        *same = *same && (status != PM_OK || same_bits(&by_reference, &by_device));
    }
    free(memory);
    return status;
}

static void compare_and_log(sampling *s) {
    bool same = false;
    pm_error error;
    pm_error_clear(&error);
    pm_status status = compare(s, &same, &error);
    if (status != PM_OK) {
        fail(s, status, &error);
        return;
    }
    backend_of(s)->mark_checked(s->clip, s->request);
    if (!same)
        pm_log(
            s->clip->device->options.logger, PM_LOG_WARNING,
            "%s: results differ in bits from those that the reference path computed while programs "
            "were built",
            s->clip->device->info.name);
    pthread_mutex_lock(&s->lock);
    if (s->stage == STAGE_COMPARING)
        s->stage = same ? STAGE_SAME : STAGE_DIFFERENT;
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
        programs = backend_of(s)->readiness(s->clip, s->request, &error);
    bool compares = programs < PM_READY_LATER;
    if (compares)
        s->stage = STAGE_COMPARING;
    pthread_mutex_unlock(&s->lock);
    if (programs == PM_READY_NEVER)
        fail(s, error.status, &error);
    if (compares)
        compare_and_log(s);
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
    return rest.count ? backend_of(s)->sample(s->clip, &request, error) : PM_OK;
}

static pm_status sample_until_ready(const pm_device_clip *clip, const pm_sample_request *request,
                                    size_t threads, pm_error *error) {
    sampling s = {.clip = clip, .request = request};
    s.piece_samples = PIECE_VALUES / request->width + 1;
    pthread_mutex_init(&s.lock, NULL);
    run(&s, threads);
    pthread_mutex_destroy(&s.lock);
    if (s.status == PM_OK)
        return finish(&s, error);
    if (error)
        *error = s.error;
    return s.status;
}

pm_status pm_sample_in_background(const pm_device_clip *clip, const pm_sample_request *request,
                                  size_t threads, pm_error *error) {
    const pm_backend *backend = clip->device->backend;
    pm_error failure;
    pm_error_clear(&failure);
    if (!backend->prepare)
        return backend->sample(clip, request, error);
    pm_status status = backend->prepare(clip, request, error);
    if (status != PM_OK)
        return status;
    const pm_readiness programs = backend->readiness(clip, request, &failure);
    if (programs == PM_READY)
        return backend->sample(clip, request, error);
    if (programs < PM_READY_NEVER)
        return sample_until_ready(clip, request, threads, error);
    if (error)
        *error = failure;
    return failure.status;
}
