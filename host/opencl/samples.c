/* SPDX-License-Identifier: MIT
 *
 * Enqueues pieces of a plan of samples. The buffers of a piece are released as soon as its steps are
 * enqueued: OpenCL retains them until the kernels are complete.
 */
#include "device.h"

#include <string.h>

pm_status pm_cl_samples_begin(pm_cl_samples *s, const pm_cl_wait *wait) {
    s->queue = wait->queue;
    s->wait_count = wait->count;
    s->waits = pm_allocate(s->request->host, ((size_t)wait->count + 1) * sizeof *s->waits);
    if (!s->waits)
        return pm_fail_memory(s->error);
    if (wait->count)
        memcpy(s->waits, wait->events, wait->count * sizeof *s->waits);
    return PM_OK;
}

void pm_cl_samples_end(pm_cl_samples *s) {
    pm_release(s->waits);
    s->waits = NULL;
}

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
    pm_cursor *host = pm_allocate(p->request->host, count * sizeof *host);
    if (!host)
        return pm_fail_memory(p->samples->error);
    pm_sample_cursors(p->request, host);
    const pm_status status = make_buffer(p, PM_MEMORY_CURSORS, host, count * sizeof *host);
    pm_release(host);
    return status;
}

static pm_status make_lowpass(piece *p) {
    pm_lowpass_table table;
    const size_t row = p->request->lowpass->taps * sizeof *table.weights;
    pm_status status = pm_lowpass_tabulate(p->request, &table, p->samples->error);
    if (status == PM_OK)
        status = make_buffer(p, PM_MEMORY_LOWPASS_PLACES, table.places,
                             p->request->sample_count * sizeof *table.places);
    if (status == PM_OK)
        status = make_buffer(p, PM_MEMORY_WEIGHTS, table.weights, table.rows * row);
    pm_lowpass_table_release(&table);
    return status;
}

static pm_status make_cursors(piece *p) {
    const pm_sample_request *r = p->request;
    if (r->lowpass)
        return make_lowpass(p);
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

/* Subsets have layouts and constants of tracks of their own, which *own receives: the caller releases them, also after
 * a failure. */
static pm_status use_channel(piece *p, unsigned channel, cl_mem own[PM_CHANNEL_MEMORIES]) {
    const pm_clip_data *clip = p->request->clip;
    const bool subset = clip != p->samples->clip->clip.data;
    const bool constants = pm_curves[clip->channels[channel].impl.curve].constants > 0;
    pm_status status = PM_OK;
    for (unsigned m = 0; status == PM_OK && m < PM_CHANNEL_MEMORIES; m++) {
        const pm_memory memory = (pm_memory)(PM_MEMORY_KEYS + m);
        const pm_source from = pm_clip_source(clip, channel, memory);
        if (subset && (memory == PM_MEMORY_LAYOUT || (memory == PM_MEMORY_CONSTANTS && constants)))
            status = pm_cl_upload(device_of(p), "subset", &from, &own[m], p->samples->error);
        p->memories[memory] = own[m] ? own[m] : p->samples->clip->channels[channel][m];
    }
    return status;
}

/* Copies values that have no stride to the rows of an output, when *done is complete; replaces *done. */
static pm_status copy_rows(const piece *p, unsigned o, cl_mem from, cl_event *done) {
    const pm_sample_request *r = p->request;
    const size_t row = pm_sample_row_bytes(r, o);
    const size_t begin[3] = {0}, to[3] = {r->handles[o].offset, 0, 0};
    const size_t region[3] = {row, r->sample_count, 1};
    cl_event copied = NULL;
    const cl_int code =
        clEnqueueCopyBufferRect(p->samples->queue, from, r->handles[o].handle, begin, to, region,
                                row, 0, r->strides[o], 0, 1, done, &copied);
    pm_cl_release_event(done);
    *done = copied;
    return code == CL_SUCCESS ? PM_OK
                              : pm_cl_fail(p->samples->error, code, "clEnqueueCopyBufferRect");
}

static pm_status put_output(piece *p, unsigned o, cl_event *done) {
    pm_address to = p->request->handles[o];
    cl_mem dense = NULL, own[PM_CHANNEL_MEMORIES] = {0};
    pm_cl_samples *s = p->samples;
    pm_status status = PM_OK;
    if (p->request->strides[o]) {
        status = pm_cl_buffer(device_of(p), CL_MEM_READ_WRITE, NULL,
                              pm_sample_output_bytes(p->request, o), &dense, s->error);
        to = (pm_address){.handle = dense};
    }
    if (status == PM_OK)
        status = use_channel(p, pm_outputs[o].channel, own);
    if (status == PM_OK) {
        pm_step step = pm_plan_output(&s->plan, p->request, o);
        step.numbers.values_offset = to.offset / sizeof(float);
        p->memories[PM_MEMORY_RESULTS] = to.handle;
        status = run(p, &step, p->located, done);
    }
    if (status == PM_OK && dense)
        status = copy_rows(p, o, dense, done);
    pm_cl_release(dense);
    for (unsigned m = 0; m < PM_CHANNEL_MEMORIES; m++)
        pm_cl_release(own[m]);
    return status;
}

pm_status pm_cl_enqueue_piece(pm_cl_samples *s, const pm_sample_request *request,
                              cl_event done[PM_OUTPUT_COUNT]) {
    piece p = {.samples = s, .request = request};
    p.memories[PM_MEMORY_WRAPS] = s->clip->wraps;
    p.memories[PM_MEMORY_RATES] = s->clip->rates;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        done[o] = NULL;
    pm_status status = make_cursors(&p);
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++)
        if (s->plan.outputs >> o & 1)
            status = put_output(&p, o, &done[o]);
    pm_cl_release_event(&p.located);
    pm_cl_release(p.memories[PM_MEMORY_TRACKS]);
    pm_cl_release(p.memories[PM_MEMORY_CURSORS]);
    pm_cl_release(p.memories[PM_MEMORY_LOWPASS_PLACES]);
    pm_cl_release(p.memories[PM_MEMORY_WEIGHTS]);
    return status;
}
