/* SPDX-License-Identifier: MIT
 *
 * Engines over several devices. A clip is built once and uploaded to each; a job is cut into
 * pieces that the devices take as they get done, a thread each. How large a piece is: share.c.
 */
#define _POSIX_C_SOURCE 200809L

#include "multi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/request.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/status.h"
#include "scheduler.h"

/* Values that take a device some times as long as being asked for them does. */
enum { MIN_VALUES = 1 << 17 };

/* ---- engines ---- */

static void close_parts(pm_engine *engine) {
    for (size_t i = 0; i < engine->part_count; i++)
        pm_engine_destroy(&engine->parts[i]);
    pthread_mutex_destroy(&engine->multi->lock);
    free(engine->multi->rates);
    free(engine->multi);
    free(engine->parts);
}

pm_status pm_multi_begin(pm_engine *engine, size_t count, pm_error *error) {
    pm_multi *multi = calloc(1, sizeof *multi);
    double *rates = calloc(count, sizeof *rates);
    pm_engine **parts = calloc(count, sizeof(pm_engine *));
    if (!multi || !rates || !parts) {
        free(multi);
        free(rates);
        free(parts);
        return pm_fail_memory(error);
    }
    pthread_mutex_init(&multi->lock, NULL);
    multi->min_values = MIN_VALUES;
    multi->rates = rates;
    engine->multi = multi;
    engine->parts = parts;
    engine->part_count = 0;
    engine->backend = &pm_multi_backend;
    return PM_OK;
}

void pm_multi_add(pm_engine *engine, pm_engine *part) {
    engine->parts[engine->part_count++] = part;
}

/* Joins what the parts are called, each name once, as far as there is room. */
static void add_name(char *names, size_t size, const char *name) {
    size_t length = strlen(names);
    if (!strstr(names, name))
        snprintf(names + length, size - length, "%s%s", length ? " + " : "", name);
}

void pm_multi_describe(pm_engine *engine) {
    pm_device_info *info = &engine->info;
    *info = engine->parts[0]->info;
    for (size_t i = 1; i < engine->part_count; i++) {
        const pm_device_info *part = &engine->parts[i]->info;
        size_t length = strlen(info->name);
        snprintf(info->name + length, sizeof info->name - length, " + %s", part->name);
        add_name(info->platform, sizeof info->platform, part->platform);
        add_name(info->driver, sizeof info->driver, part->driver);
        info->memory_bytes += part->memory_bytes;
        info->compute_units += part->compute_units;
        if (part->max_allocation_bytes < info->max_allocation_bytes)
            info->max_allocation_bytes = part->max_allocation_bytes;
    }
}

static pm_status refuse_to_tune(pm_engine *engine, pm_launch_measurement *measurements,
                                size_t capacity, size_t *count, size_t *best, pm_error *error) {
    (void)measurements;
    (void)capacity;
    (void)count;
    (void)best;
    return pm_fail(error, PM_ERROR_ARGUMENT,
                   "the engine is over %zu devices: tune each on an engine of its own",
                   engine->part_count);
}

/* ---- clips ---- */

/* Parts of a clip are the clip itself, but for the engine and what is on its device. */
static pm_status upload_parts(pm_clip *clip, pm_error *error) {
    const pm_engine *engine = clip->engine;
    pm_clip *parts = calloc(engine->part_count, sizeof *parts);
    if (!parts)
        return pm_fail_memory(error);
    for (size_t i = 0; i < engine->part_count; i++) {
        parts[i] = *clip;
        parts[i].engine = engine->parts[i];
        parts[i].parts = &parts[i];
    }
    clip->parts = parts;
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < engine->part_count; i++)
        status = parts[i].engine->backend->upload(&parts[i], error);
    return status;
}

static void release_parts(pm_clip *clip) {
    if (clip->parts == clip)
        return;
    for (size_t i = 0; i < clip->engine->part_count; i++)
        clip->parts[i].engine->backend->release(&clip->parts[i]);
    free(clip->parts);
    clip->parts = clip;
}

/* ---- jobs ---- */

/* A job that parts take pieces of. */
typedef struct shared_job {
    const pm_clip *clip;
    const pm_sample_job *job;
    size_t width;         /* values of a sample */
    size_t min;           /* samples of a piece */
    pthread_mutex_t lock; /* guards what follows */
    size_t next;          /* the first sample that nobody has taken */
    pm_throughput *throughputs;
    pm_status status; /* of the first piece that failed */
    pm_error error;
} shared_job;

static size_t part_count(const shared_job *s) {
    return s->clip->engine->part_count;
}

/* The next piece of a part; false when it takes no more. */
static bool take_piece(shared_job *s, size_t part, pm_piece *piece) {
    pthread_mutex_lock(&s->lock);
    pm_throughput *throughput = &s->throughputs[part];
    piece->from = s->next;
    piece->count = 0;
    if (!throughput->left && s->status == PM_OK)
        piece->count = pm_next_piece(s->throughputs, part_count(s), part,
                                     s->job->sample_count - s->next, s->min);
    s->next += piece->count;
    throughput->left = piece->count == 0;
    pthread_mutex_unlock(&s->lock);
    return piece->count > 0;
}

/* The first failure is the job's; it says which of the devices failed. */
static void note_failure(shared_job *s, size_t part, pm_status status, const pm_error *error) {
    pthread_mutex_lock(&s->lock);
    if (s->status == PM_OK) {
        s->status = status;
        s->error = *error;
        snprintf(s->error.message, sizeof s->error.message, "device %zu of %zu, %.60s: %.160s",
                 part + 1, part_count(s), s->clip->parts[part].engine->info.name, error->message);
    }
    pthread_mutex_unlock(&s->lock);
}

static void note_time(shared_job *s, size_t part, const pm_piece *piece, double seconds) {
    pthread_mutex_lock(&s->lock);
    s->throughputs[part].values += (double)piece->count * (double)s->width;
    s->throughputs[part].seconds += seconds;
    pthread_mutex_unlock(&s->lock);
}

/* Building a program takes as long as millions of values do, once: pieces that had to wait for
 * that say nothing about the next. */
static pm_status sample_piece(shared_job *s, size_t part, const pm_piece *piece, pm_error *error) {
    const pm_clip *clip = &s->clip->parts[part];
    const pm_sample_job job = pm_job_part(clip, s->job, piece);
    size_t programs = pm_cl_program_count(clip->engine);
    double begun = pm_seconds_now();
    pm_status status = clip->engine->backend->sample(clip, &job, error);
    double seconds = pm_seconds_now() - begun;
    if (status == PM_OK && pm_cl_program_count(clip->engine) == programs)
        note_time(s, part, piece, seconds);
    return status;
}

/* Everything that a part does of a job. */
static void run_part(shared_job *s, size_t part) {
    pm_piece piece;
    while (take_piece(s, part, &piece)) {
        pm_error error;
        pm_error_clear(&error);
        pm_status status = sample_piece(s, part, &piece, &error);
        if (status != PM_OK)
            note_failure(s, part, status, &error);
    }
}

static void run_parts(void *context, pm_items *items) {
    size_t part;
    while (pm_take_item(items, &part))
        run_part(context, part);
}

static void recall_rates(shared_job *s) {
    pm_multi *multi = s->clip->engine->multi;
    pthread_mutex_lock(&multi->lock);
    for (size_t i = 0; i < part_count(s); i++)
        s->throughputs[i].before = multi->rates[i];
    pthread_mutex_unlock(&multi->lock);
}

static void keep_rates(const shared_job *s) {
    pm_multi *multi = s->clip->engine->multi;
    pthread_mutex_lock(&multi->lock);
    for (size_t i = 0; i < part_count(s); i++)
        multi->rates[i] = pm_learned_throughput(s->throughputs, part_count(s), i);
    pthread_mutex_unlock(&multi->lock);
}

/* Jobs of less than two pieces are one part's, on the calling thread. */
static size_t share_out(shared_job *s) {
    if (s->job->sample_count / 2 >= s->min)
        return part_count(s);
    size_t fastest = pm_fastest_part(s->throughputs, part_count(s));
    for (size_t i = 0; i < part_count(s); i++)
        s->throughputs[i].left = i != fastest;
    return 1;
}

static pm_status sample_shared(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    const pm_engine *engine = clip->engine;
    shared_job s = {.clip = clip, .job = job, .width = pm_job_width(clip, job)};
    s.min = engine->multi->min_values / s.width + 1;
    s.throughputs = calloc(engine->part_count, sizeof *s.throughputs);
    if (!s.throughputs)
        return pm_fail_memory(error);
    pthread_mutex_init(&s.lock, NULL);
    recall_rates(&s);
    pm_run_parallel(share_out(&s), engine->part_count, run_parts, &s);
    keep_rates(&s);
    pthread_mutex_destroy(&s.lock);
    free(s.throughputs);
    if (s.status != PM_OK && error)
        *error = s.error;
    return s.status;
}

const pm_backend pm_multi_backend = {.close = close_parts,
                                     .tune = refuse_to_tune,
                                     .upload = upload_parts,
                                     .release = release_parts,
                                     .sample = sample_shared};
