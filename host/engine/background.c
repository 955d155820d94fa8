/* SPDX-License-Identifier: MIT
 *
 * Jobs whose programs are not built yet: the reference path samples piece after piece while the
 * driver compiles, and the device takes the rest. Its first piece is one that the reference did
 * too. Only where both have the same bits are the pieces of both one result.
 */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/status.h"
#include "opencl/opencl.h"

/* Values of a piece: some milliseconds, so that the device is soon noticed to be ready. */
enum { PIECE_VALUES = 1 << 14 };

typedef enum stage {
    STAGE_WAITING,   /* for programs */
    STAGE_COMPARING, /* a thread has the device compute the first piece */
    STAGE_SAME,      /* the device takes the rest */
    STAGE_DIFFERENT, /* the device does it all */
    STAGE_FAILED
} stage;

typedef struct course {
    const pm_clip *clip;
    const pm_sample_job *job;
    size_t width;         /* values of a sample */
    size_t piece_samples; /* but for the last piece */
    pthread_mutex_t lock; /* guards what follows */
    stage stage;
    size_t pieces_done; /* by the reference, the first being done before all others */
    pm_status status;
    pm_error error;
} course;

static pm_piece piece_at(const course *c, size_t index) {
    size_t from = index * c->piece_samples, rest = c->job->sample_count - from;
    return (pm_piece){from, rest < c->piece_samples ? rest : c->piece_samples};
}

static void fail(course *c, pm_status status, const pm_error *error) {
    pthread_mutex_lock(&c->lock);
    if (c->status == PM_OK) {
        c->status = status;
        c->error = *error;
    }
    c->stage = STAGE_FAILED;
    pthread_mutex_unlock(&c->lock);
}

/* ---- programs, on all devices of the engine ---- */

static pm_status request_programs(const course *c, pm_error *error) {
    pm_variant variants[PM_CL_JOB_VARIANTS];
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < c->clip->engine->part_count; i++) {
        const pm_clip *part = &c->clip->parts[i];
        size_t count = pm_cl_job_variants(part, c->job, variants);
        status = pm_cl_request(part->engine, variants, count, error);
    }
    return status;
}

static pm_programs look_at_programs(const course *c, pm_error *error) {
    pm_variant variants[PM_CL_JOB_VARIANTS];
    pm_programs worst = PM_PROGRAMS_READY;
    for (size_t i = 0; worst != PM_PROGRAMS_FAILED && i < c->clip->engine->part_count; i++) {
        const pm_clip *part = &c->clip->parts[i];
        size_t count = pm_cl_job_variants(part, c->job, variants);
        pm_programs state = pm_cl_requested(part->engine, variants, count, error);
        worst = state > worst ? state : worst;
    }
    return worst;
}

static void settle_programs(const course *c) {
    pm_variant variants[PM_CL_JOB_VARIANTS];
    for (size_t i = 0; i < c->clip->engine->part_count; i++) {
        const pm_clip *part = &c->clip->parts[i];
        size_t count = pm_cl_job_variants(part, c->job, variants);
        pm_cl_request_checked(part->engine, variants, count);
    }
}

/* ---- comparing ---- */

/* Memory for what a piece gives; a job's outputs are in the order of pm_outputs. */
static pm_status divert(const course *c, const pm_piece *piece, pm_sample_job *job, float **memory,
                        pm_error *error) {
    float *outputs[PM_OUTPUT_COUNT],
        **fields[PM_OUTPUT_COUNT] = {[PM_OUT_ROTATIONS] = &job->rotations,
                                     [PM_OUT_POSITIONS] = &job->positions,
                                     [PM_OUT_SCALES] = &job->scales,
                                     [PM_OUT_VELOCITIES] = &job->velocities,
                                     [PM_OUT_ACCELERATIONS] = &job->accelerations};
    size_t values = piece->count * c->width, floats = 0;
    pm_job_outputs(job, outputs);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        floats += outputs[o] ? values * pm_outputs[o].components : 0;
    float *at = *memory = malloc(floats * sizeof *at);
    if (!at)
        return pm_fail_memory(error);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (outputs[o]) {
            *fields[o] = at;
            at += values * pm_outputs[o].components;
        }
    return PM_OK;
}

static bool same_bits(const course *c, const pm_sample_job *a, const pm_sample_job *b) {
    float *left[PM_OUTPUT_COUNT], *right[PM_OUTPUT_COUNT];
    bool same = true;
    pm_job_outputs(a, left);
    pm_job_outputs(b, right);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        same = same && (!left[o] || memcmp(left[o], right[o],
                                           a->sample_count * c->width * pm_outputs[o].components *
                                               sizeof(float)) == 0);
    return same;
}

/* The first piece on each device, beside the job's memory, where the reference has left it. */
static pm_status compare(const course *c, bool *same, pm_error *error) {
    const pm_piece first = piece_at(c, 0);
    const pm_sample_job by_reference = pm_job_part(c->clip, c->job, &first);
    pm_sample_job by_device = by_reference;
    float *memory = NULL;
    pm_status status = divert(c, &first, &by_device, &memory, error);
    *same = true;
    for (size_t i = 0; status == PM_OK && i < c->clip->engine->part_count; i++) {
        const pm_clip *part = &c->clip->parts[i];
        status = part->engine->backend->sample(part, &by_device, error);
        *same = *same && (status != PM_OK || same_bits(c, &by_reference, &by_device));
    }
    free(memory);
    return status;
}

static void compare_and_say(course *c) {
    bool same = false;
    pm_error error;
    pm_error_clear(&error);
    pm_status status = compare(c, &same, &error);
    if (status != PM_OK) {
        fail(c, status, &error);
        return;
    }
    settle_programs(c);
    if (!same)
        pm_log(c->clip->engine, PM_LOG_WARNING,
               "%s: results differ in bits from those of the reference path, which computed while "
               "programs were built",
               c->clip->engine->info.name);
    pthread_mutex_lock(&c->lock);
    if (c->stage == STAGE_COMPARING)
        c->stage = same ? STAGE_SAME : STAGE_DIFFERENT;
    pthread_mutex_unlock(&c->lock);
}

/* ---- meanwhile ---- */

/* Whether the reference is to go on. The thread that finds the programs ready compares first. */
static bool goes_on(course *c) {
    pm_error error;
    pm_error_clear(&error);
    pthread_mutex_lock(&c->lock);
    pm_programs programs = PM_PROGRAMS_BUILDING;
    if (c->stage == STAGE_WAITING)
        programs = look_at_programs(c, &error);
    bool compares = programs < PM_PROGRAMS_BUILDING;
    if (compares)
        c->stage = STAGE_COMPARING;
    pthread_mutex_unlock(&c->lock);
    if (programs == PM_PROGRAMS_FAILED)
        fail(c, error.status, &error);
    if (compares)
        compare_and_say(c);
    pthread_mutex_lock(&c->lock);
    bool on = c->stage <= STAGE_COMPARING;
    pthread_mutex_unlock(&c->lock);
    return on;
}

static void do_piece(course *c, size_t index) {
    const pm_piece piece = piece_at(c, index);
    pm_sample_job job = pm_job_part(c->clip, c->job, &piece);
    pm_error error;
    job.host_threads = 1;
    pm_error_clear(&error);
    pm_status status = pm_sample_on_reference(c->clip, &job, &error);
    if (status != PM_OK) {
        fail(c, status, &error);
        return;
    }
    pthread_mutex_lock(&c->lock);
    c->pieces_done++;
    pthread_mutex_unlock(&c->lock);
}

/* Pieces are taken in order and done by whoever took them, so those done are the first ones. */
static void do_pieces(void *context, pm_items *items) {
    course *c = context;
    size_t item;
    while (goes_on(c) && pm_take_item(items, &item))
        do_piece(c, item + 1);
}

/* One thread less than the host may use: the compiler needs one too. */
static void run(course *c) {
    size_t threads = c->job->host_threads ? c->job->host_threads : c->clip->engine->host_threads;
    size_t pieces =
        c->job->sample_count / c->piece_samples + (c->job->sample_count % c->piece_samples != 0);
    do_piece(c, 0);
    pm_run_parallel(threads > 1 ? threads - 1 : 1, pieces - 1, do_pieces, c);
}

/* What is left for the device. */
static pm_status finish(const course *c, pm_error *error) {
    pm_piece rest = {0, c->job->sample_count};
    if (c->stage != STAGE_DIFFERENT) {
        const pm_piece last = piece_at(c, c->pieces_done - 1);
        rest = (pm_piece){last.from + last.count, c->job->sample_count - last.from - last.count};
    }
    const pm_sample_job job = pm_job_part(c->clip, c->job, &rest);
    return rest.count ? c->clip->engine->backend->sample(c->clip, &job, error) : PM_OK;
}

pm_status pm_cl_sample_in_background(const pm_clip *clip, const pm_sample_job *job,
                                     pm_error *error) {
    course c = {.clip = clip, .job = job, .width = pm_job_width(clip, job)};
    pm_error failure;
    pm_error_clear(&failure);
    c.piece_samples = PIECE_VALUES / c.width + 1;
    pm_status status = request_programs(&c, error);
    if (status != PM_OK)
        return status;
    pm_programs programs = look_at_programs(&c, &failure);
    if (programs == PM_PROGRAMS_READY)
        return clip->engine->backend->sample(clip, job, error);
    if (programs == PM_PROGRAMS_FAILED) {
        if (error)
            *error = failure;
        return failure.status;
    }
    pthread_mutex_init(&c.lock, NULL);
    run(&c);
    pthread_mutex_destroy(&c.lock);
    if (c.status == PM_OK)
        return finish(&c, error);
    if (error)
        *error = c.error;
    return c.status;
}
