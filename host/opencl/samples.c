/* SPDX-License-Identifier: MIT
 *
 * Enqueues pieces of a plan of samples. The buffers of a piece are released as soon as its steps are
 * enqueued: OpenCL retains them until the kernels are complete.
 */
#include "samples.h"

#include <stdlib.h>
#include <string.h>

pm_status pm_cl_samples_begin(pm_cl_samples *s, const pm_cl_wait *wait) {
    s->queue = wait->queue;
    s->wait_count = wait->count;
    s->waits = malloc(((size_t)wait->count + 1) * sizeof *s->waits);
    if (!s->waits)
        return pm_fail_memory(s->error);
    if (wait->count)
        memcpy(s->waits, wait->events, wait->count * sizeof *s->waits);
    return PM_OK;
}

void pm_cl_samples_end(pm_cl_samples *s) {
    pm_cl_release_event(&s->last);
    pm_cl_release(s->pair_values);
    free(s->waits);
    s->pair_values = NULL;
    s->waits = NULL;
}

/* ---- what a piece reads ---- */

typedef struct piece {
    pm_cl_samples *samples;
    const pm_sample_request *request;
    cl_mem memories[PM_MEMORY_COUNT]; /* the clip's are borrowed */
    cl_event located;                 /* NULL: the host computed the cursors, or there are none */
} piece;

static pm_opencl_device *device_of(const piece *p) {
    return pm_opencl_of(p->samples->clip->clip.device);
}

/* Runs a step after the events that the job waits for, and `after`, if any. */
static pm_status run(piece *p, pm_step *step, cl_event after, cl_event *done) {
    pm_cl_samples *s = p->samples;
    s->waits[s->wait_count] = after;
    const pm_cl_wait wait = {s->queue, s->waits, s->wait_count + (after ? 1 : 0)};
    return pm_cl_run_step(device_of(p), step, p->memories, &wait, done, s->error);
}

/* Locates samples at once: nothing but the job's own steps uses the cursors. */
static pm_status locate(piece *p, pm_step *step) {
    const pm_cl_wait wait = {.queue = p->samples->queue};
    return pm_cl_run_step(device_of(p), step, p->memories, &wait, &p->located, p->samples->error);
}

static pm_status make_buffer(piece *p, pm_memory memory, const void *data, size_t size) {
    const cl_mem_flags flags = data ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
    return pm_cl_buffer(device_of(p), flags, data, size, &p->memories[memory], p->samples->error);
}

/* The host computes the cursors and copies them at once. */
static pm_status make_host_cursors(piece *p, size_t count) {
    pm_cursor *host = malloc(count * sizeof *host);
    if (!host)
        return pm_fail_memory(p->samples->error);
    pm_sample_cursors(p->request, host);
    const pm_status status = make_buffer(p, PM_MEMORY_CURSORS, host, count * sizeof *host);
    free(host);
    return status;
}

static pm_status make_cursors(piece *p) {
    const pm_sample_request *r = p->request;
    const size_t count = r->sample_count * r->cursor_rows;
    pm_step step;
    if (!pm_plan_locate(&p->samples->plan, r, &step)) {
        const pm_status status = make_host_cursors(p, count);
        return status == PM_OK && r->tracks
                   ? make_buffer(p, PM_MEMORY_TRACKS, r->tracks, r->sample_count * sizeof(cl_uint))
                   : status;
    }
    const pm_status status = make_buffer(p, PM_MEMORY_CURSORS, NULL, count * sizeof(pm_cursor));
    return status == PM_OK ? locate(p, &step) : status;
}

/* ---- outputs ---- */

static void use_channel(piece *p, unsigned channel) {
    const pm_opencl_clip *clip = p->samples->clip;
    for (unsigned m = 0; m < PM_CHANNEL_MEMORIES; m++)
        p->memories[PM_MEMORY_KEYS + m] = clip->channels[channel][m];
}

static void use_pairs(piece *p, const pm_cl_pairs *pairs) {
    p->memories[PM_MEMORY_PAIRS] = pairs->pairs;
    p->memories[PM_MEMORY_PAIR_TRACKS] = pairs->tracks;
    p->memories[PM_MEMORY_PLACES] = pairs->places;
    p->memories[PM_MEMORY_GROUPS] = pairs->groups;
    p->memories[PM_MEMORY_PAIR_VALUES] = p->samples->pair_values;
}

/* Sorts the pairs of a piece for an output. The memory for values comes after the sort, so that the
 * values of the job before have come back. */
static pm_status sort(piece *p, unsigned output, pm_cl_pairs *pairs) {
    pm_cl_samples *s = p->samples;
    pm_status status = pm_cl_sort_pairs(device_of(p), output, p->request, pairs, s->error);
    if (status == PM_OK && !s->pair_values)
        status = pm_cl_pair_values(device_of(p), pm_plan_pair_values(&s->plan, s->request),
                                   &s->pair_values, s->error);
    return status;
}

/* Runs the steps of an output, each after the one before. */
static pm_status run_steps(piece *p, pm_step *steps, size_t count, cl_event after, cl_event *done) {
    cl_event last = NULL;
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < count; i++) {
        cl_event next = NULL;
        status = run(p, &steps[i], i ? last : after, &next);
        pm_cl_release_event(&last);
        last = next;
    }
    *done = last;
    return status;
}

static pm_status put_output(piece *p, unsigned o, const pm_cl_output *to, cl_event *done) {
    pm_cl_samples *s = p->samples;
    pm_step steps[PM_OUTPUT_STEPS];
    pm_cl_pairs pairs = {0};
    const bool sorts = s->plan.sorted >> o & 1;
    pm_status status = sorts ? sort(p, o, &pairs) : PM_OK;
    if (status == PM_OK) {
        const size_t count = pm_plan_output(&s->plan, p->request, o, pairs.group_count, steps);
        for (size_t i = 0; i < count; i++)
            steps[i].numbers.values_offset = to->offset / sizeof(float);
        use_channel(p, pm_outputs[o].channel);
        use_pairs(p, &pairs);
        p->memories[PM_MEMORY_RESULTS] = to->buffer;
        status = run_steps(p, steps, count, sorts ? s->last : p->located, done);
    }
    if (status == PM_OK && sorts) {
        pm_cl_release_event(&s->last);
        clRetainEvent(*done);
        s->last = *done;
    }
    pm_cl_pairs_release(&pairs);
    return status;
}

pm_status pm_cl_enqueue_piece(pm_cl_samples *s, const pm_sample_request *request,
                              const pm_cl_sample_outputs *outputs, cl_event done[PM_OUTPUT_COUNT]) {
    piece p = {.samples = s, .request = request};
    p.memories[PM_MEMORY_WRAPS] = s->clip->wraps;
    p.memories[PM_MEMORY_RATES] = s->clip->rates;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        done[o] = NULL;
    pm_status status = s->plan.reads_cursors ? make_cursors(&p) : PM_OK;
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++)
        if (s->plan.outputs >> o & 1)
            status = put_output(&p, o, &outputs->of[o], &done[o]);
    pm_cl_release_event(&p.located);
    pm_cl_release(p.memories[PM_MEMORY_TRACKS]);
    pm_cl_release(p.memories[PM_MEMORY_CURSORS]);
    return status;
}
