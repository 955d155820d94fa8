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
    pm_cl_release_event(&s->last);
    pm_cl_release(s->pair_values);
    pm_release(s->waits);
    s->pair_values = NULL;
    s->waits = NULL;
}

/* ---- sorted pairs ----
 *
 * In memory that the host and a CPU device share: blocks of the device's pool. So a job on a caller's
 * queue can leave the buffers behind, which may outlive the device. */

/* The sorted pairs of a piece on the device (pm_sorted_pairs). */
typedef struct device_pairs {
    cl_mem pairs, tracks, places, groups; /* tracks: NULL unless the curve has constants */
    size_t group_count;
} device_pairs;

/* Sorts the pairs of a piece. *pairs must be zero; release it with release_pairs, also after a failure. */
static pm_status sort_pairs(pm_opencl_device *cl, unsigned output, const pm_sample_request *piece,
                            device_pairs *pairs, pm_error *error) {
    const pm_pair_order order = pm_pair_order_of(piece, output);
    const size_t room = pm_pair_room(&order, piece->sample_count);
    const size_t sizes[] = {
        room * sizeof(pm_sorted_pair), order.needs_tracks ? room * sizeof(uint32_t) : 0,
        piece->sample_count * sizeof(uint16_t), room / PM_PAIR_GROUP * sizeof(uint32_t)};
    enum { ARRAYS = sizeof sizes / sizeof *sizes };
    cl_mem *const buffers[ARRAYS] = {&pairs->pairs, &pairs->tracks, &pairs->places, &pairs->groups};
    pm_pool_block *blocks[ARRAYS] = {0};
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < ARRAYS; i++) {
        blocks[i] = sizes[i] ? pm_pool_take(cl->device.pool, sizes[i]) : NULL;
        status = blocks[i] || !sizes[i] ? PM_OK : pm_fail_memory(error);
    }
    pm_sorted_pairs sorted = {pm_pool_memory(blocks[0]), pm_pool_memory(blocks[1]),
                              pm_pool_memory(blocks[2]), pm_pool_memory(blocks[3]), 0};
    if (status == PM_OK)
        status = pm_sort_pairs(&order, piece, &sorted, error);
    for (size_t i = 0; status == PM_OK && i < ARRAYS; i++) {
        if (blocks[i])
            status =
                pm_cl_block_buffer(cl, CL_MEM_READ_WRITE, blocks[i], sizes[i], buffers[i], error);
        blocks[i] = NULL; /* the buffer's, or given back */
    }
    for (size_t i = 0; i < ARRAYS; i++)
        pm_pool_give(blocks[i]);
    pairs->group_count = sorted.group_count;
    return status;
}

static void release_pairs(device_pairs *pairs) {
    pm_cl_release(pairs->pairs);
    pm_cl_release(pairs->tracks);
    pm_cl_release(pairs->places);
    pm_cl_release(pairs->groups);
    *pairs = (device_pairs){0};
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

static void use_channel(piece *p, unsigned channel) {
    const pm_opencl_clip *clip = p->samples->clip;
    for (unsigned m = 0; m < PM_CHANNEL_MEMORIES; m++)
        p->memories[PM_MEMORY_KEYS + m] = clip->channels[channel][m];
}

static void use_pairs(piece *p, const device_pairs *pairs) {
    p->memories[PM_MEMORY_PAIRS] = pairs->pairs;
    p->memories[PM_MEMORY_PAIR_TRACKS] = pairs->tracks;
    p->memories[PM_MEMORY_PLACES] = pairs->places;
    p->memories[PM_MEMORY_GROUPS] = pairs->groups;
    p->memories[PM_MEMORY_PAIR_VALUES] = p->samples->pair_values;
}

static pm_status make_pair_values(piece *p) {
    pm_cl_samples *s = p->samples;
    const size_t bytes = pm_plan_pair_values(&s->plan, s->request);
    return pm_cl_block_buffer(device_of(p), CL_MEM_READ_WRITE,
                              pm_pool_take(device_of(p)->device.pool, bytes), bytes,
                              &s->pair_values, s->error);
}

/* Sorts the pairs of a piece for an output. The memory for values comes after the sort, so that the
 * values of the job before have come back. */
static pm_status sort(piece *p, unsigned output, device_pairs *pairs) {
    pm_cl_samples *s = p->samples;
    pm_status status = sort_pairs(device_of(p), output, p->request, pairs, s->error);
    if (status == PM_OK && !s->pair_values)
        status = make_pair_values(p);
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
    cl_mem dense = NULL;
    pm_cl_samples *s = p->samples;
    pm_step steps[PM_OUTPUT_STEPS];
    device_pairs pairs = {0};
    const bool sorts = s->plan.sorted >> o & 1;
    pm_status status = sorts ? sort(p, o, &pairs) : PM_OK;
    if (status == PM_OK && p->request->strides[o]) {
        status = pm_cl_buffer(device_of(p), CL_MEM_READ_WRITE, NULL,
                              pm_sample_output_bytes(p->request, o), &dense, s->error);
        to = (pm_address){.handle = dense};
    }
    if (status == PM_OK) {
        const size_t count = pm_plan_output(&s->plan, p->request, o, pairs.group_count, steps);
        for (size_t i = 0; i < count; i++)
            steps[i].numbers.values_offset = to.offset / sizeof(float);
        use_channel(p, pm_outputs[o].channel);
        use_pairs(p, &pairs);
        p->memories[PM_MEMORY_RESULTS] = to.handle;
        status = run_steps(p, steps, count, sorts ? s->last : p->located, done);
    }
    if (status == PM_OK && dense)
        status = copy_rows(p, o, dense, done);
    pm_cl_release(dense);
    if (status == PM_OK && sorts) {
        pm_cl_release_event(&s->last);
        clRetainEvent(*done);
        s->last = *done;
    }
    release_pairs(&pairs);
    return status;
}

pm_status pm_cl_enqueue_piece(pm_cl_samples *s, const pm_sample_request *request,
                              cl_event done[PM_OUTPUT_COUNT]) {
    piece p = {.samples = s, .request = request};
    p.memories[PM_MEMORY_WRAPS] = s->clip->wraps;
    p.memories[PM_MEMORY_RATES] = s->clip->rates;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        done[o] = NULL;
    pm_status status = s->plan.reads_cursors ? make_cursors(&p) : PM_OK;
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
