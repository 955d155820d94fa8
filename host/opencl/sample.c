/* SPDX-License-Identifier: MIT
 *
 * Jobs on the device, into host memory: pieces through two slots, so that a piece is
 * computed while the one before it is read back. A device that shares the host's memory
 * computes into the caller's, and nothing is read back: its pieces are mapped. Where the caller's
 * lies as kernels cannot store to it, it is read back there too.
 */
#include <stdlib.h>

#include "base/status.h"
#include "opencl.h"

enum { SLOT_COUNT = 2 };

/* Everything one piece in flight needs. */
typedef struct slot {
    pm_cursor *host_cursors; /* NULL when the device computes them */
    cl_mem cursors;
    cl_mem tracks;
    cl_mem values[PM_OUTPUT_COUNT];
    void *mapped[PM_OUTPUT_COUNT];   /* of shared memory, the piece last put in */
    cl_event reads[PM_OUTPUT_COUNT]; /* of that piece */
} slot;

typedef struct transfer {
    const pm_clip *clip;
    const pm_sample_job *job;
    float *outputs[PM_OUTPUT_COUNT];
    pm_uniform_map uniform_map;
    bool has_uniform_map;
    size_t piece_samples;
    slot slots[SLOT_COUNT];
    pm_error *error;
} transfer;

static pm_cl_engine *engine_of(const transfer *t) {
    return t->clip->engine->cl;
}

/* Kernels of single lanes store a rotation at once; vectors are stored from any float on. */
static size_t store_alignment(const pm_engine *engine, const pm_output *output) {
    return engine->info.lanes == 1 && output->components == 4 ? 4 * sizeof(float) : sizeof(float);
}

/* Whether an output is computed into the caller's memory itself. Pieces are whole samples, and so
 * lie as the whole does. */
static bool is_in_place(const transfer *t, unsigned o) {
    return engine_of(t)->shares_memory &&
           (uintptr_t)t->outputs[o] % store_alignment(t->clip->engine, &pm_outputs[o]) == 0;
}

static pm_status make_buffer(transfer *t, cl_mem_flags flags, size_t size, cl_mem *buffer) {
    return pm_cl_buffer(t->clip->engine, flags, NULL, size, buffer, t->error);
}

static pm_status make_slot(transfer *t, slot *s) {
    size_t cursors = t->piece_samples * pm_cl_cursor_rows(t->clip, t->job);
    size_t values = t->piece_samples * pm_job_width(t->clip, t->job);
    if (!t->has_uniform_map) {
        s->host_cursors = malloc(cursors * sizeof *s->host_cursors);
        if (!s->host_cursors)
            return pm_fail_memory(t->error);
    }
    pm_status status = make_buffer(t, CL_MEM_READ_WRITE, cursors * sizeof(pm_cursor), &s->cursors);
    if (status == PM_OK && t->job->tracks)
        status = make_buffer(t, CL_MEM_READ_ONLY, values * sizeof(cl_uint), &s->tracks);
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++)
        if (t->outputs[o] && !is_in_place(t, o))
            status = make_buffer(t, CL_MEM_WRITE_ONLY,
                                 values * pm_outputs[o].components * sizeof(float), &s->values[o]);
    return status;
}

/* Gives a mapped piece up; what it was mapped for is the host's now. */
static cl_int unmap(const transfer *t, slot *s, unsigned o) {
    cl_int code = CL_SUCCESS;
    if (s->mapped[o])
        code = clEnqueueUnmapMemObject(engine_of(t)->transfers, s->values[o], s->mapped[o], 0, NULL,
                                       NULL);
    s->mapped[o] = NULL;
    if (is_in_place(t, o)) {
        pm_cl_release(s->values[o]);
        s->values[o] = NULL;
    }
    return code;
}

/* Until the piece last put into a slot has been read back. */
static pm_status wait_for(transfer *t, slot *s) {
    cl_int worst = CL_SUCCESS;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        if (!s->reads[o])
            continue;
        cl_int code = clWaitForEvents(1, &s->reads[o]);
        worst = code != CL_SUCCESS ? code : worst;
        clReleaseEvent(s->reads[o]);
        s->reads[o] = NULL;
        code = unmap(t, s, o);
        worst = code != CL_SUCCESS ? code : worst;
    }
    return worst == CL_SUCCESS ? PM_OK : pm_cl_fail(t->error, worst, "reading results");
}

/* The slot's host memory outlives the write: it is touched again after wait_for only. */
static pm_status put_cursors(transfer *t, slot *s, const pm_piece *piece) {
    const pm_cl_engine *cl = engine_of(t);
    size_t rows = pm_cl_cursor_rows(t->clip, t->job);
    if (t->has_uniform_map)
        return pm_cl_launch_locate(t->clip->engine, &t->uniform_map, piece->from, piece->count,
                                   s->cursors, cl->compute, NULL, t->error);
    pm_job_cursors(t->clip, t->job, piece, s->host_cursors);
    cl_int code = clEnqueueWriteBuffer(cl->compute, s->cursors, CL_FALSE, 0,
                                       piece->count * rows * sizeof(pm_cursor), s->host_cursors, 0,
                                       NULL, NULL);
    if (code == CL_SUCCESS && t->job->tracks)
        code = clEnqueueWriteBuffer(cl->compute, s->tracks, CL_FALSE, 0,
                                    piece->count * sizeof(cl_uint), t->job->tracks + piece->from, 0,
                                    NULL, NULL);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(t->error, code, "clEnqueueWriteBuffer");
}

/* The part of an output that a piece fills. */
typedef struct target {
    float *to;
    size_t bytes;
} target;

static target target_of(const transfer *t, const pm_piece *piece, unsigned o) {
    size_t width = pm_job_width(t->clip, t->job) * pm_outputs[o].components;
    return (target){t->outputs[o] + piece->from * width, piece->count * width * sizeof(float)};
}

/* Has results in the caller's memory when s->reads[o] comes. */
static cl_int read_output(transfer *t, slot *s, const target *into, unsigned o, cl_event computed) {
    const pm_cl_engine *cl = engine_of(t);
    cl_int code = CL_SUCCESS;
    if (is_in_place(t, o))
        s->mapped[o] = clEnqueueMapBuffer(cl->transfers, s->values[o], CL_FALSE, CL_MAP_READ, 0,
                                          into->bytes, 1, &computed, &s->reads[o], &code);
    else
        code = clEnqueueReadBuffer(cl->transfers, s->values[o], CL_FALSE, 0, into->bytes, into->to,
                                   1, &computed, &s->reads[o]);
    return code == CL_SUCCESS ? clFlush(cl->transfers) : code;
}

static pm_status put_output(transfer *t, slot *s, const pm_piece *piece, unsigned o) {
    const pm_cl_engine *cl = engine_of(t);
    const target into = target_of(t, piece, o);
    pm_status status = PM_OK;
    if (is_in_place(t, o))
        status = pm_cl_buffer(t->clip->engine, CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, into.to,
                              into.bytes, &s->values[o], t->error);
    if (status != PM_OK)
        return status;
    pm_launch launch = {.clip = t->clip,
                        .output = &pm_outputs[o],
                        .sample_count = piece->count,
                        .pairs = t->job->tracks != NULL,
                        .parent = t->job->velocity_frame == PM_AXIS_PARENT,
                        .cursors = s->cursors,
                        .tracks = s->tracks,
                        .values = s->values[o]};
    cl_event computed;
    status = pm_cl_launch(&launch, cl->compute, 0, NULL, &computed, t->error);
    if (status != PM_OK)
        return status;
    cl_int code = clFlush(cl->compute);
    if (code == CL_SUCCESS)
        code = read_output(t, s, &into, o, computed);
    clReleaseEvent(computed);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(t->error, code, "reading results");
}

static pm_status put_piece(transfer *t, slot *s, const pm_piece *piece) {
    pm_status status = wait_for(t, s);
    if (status == PM_OK)
        status = put_cursors(t, s, piece);
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++)
        if (t->outputs[o])
            status = put_output(t, s, piece, o);
    return status;
}

/* Drains both queues first: nothing may still write to the caller's memory. */
static pm_status finish(transfer *t) {
    const pm_cl_engine *cl = engine_of(t);
    pm_status status = PM_OK;
    for (unsigned i = 0; i < SLOT_COUNT; i++) {
        pm_status waited = wait_for(t, &t->slots[i]);
        status = status == PM_OK ? waited : status;
    }
    cl_int code = clFinish(cl->compute);
    if (code == CL_SUCCESS)
        code = clFinish(cl->transfers);
    if (status == PM_OK && code != CL_SUCCESS)
        status = pm_cl_fail(t->error, code, "clFinish");
    for (unsigned i = 0; i < SLOT_COUNT; i++) {
        slot *s = &t->slots[i];
        for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
            pm_cl_release(s->values[o]);
        pm_cl_release(s->cursors);
        pm_cl_release(s->tracks);
        free(s->host_cursors);
        *s = (slot){0};
    }
    return status;
}

static pm_status run_pieces(transfer *t) {
    pm_status status = PM_OK;
    size_t total = t->job->sample_count;
    unsigned slots = t->piece_samples < total ? SLOT_COUNT : 1;
    for (unsigned i = 0; status == PM_OK && i < slots; i++)
        status = make_slot(t, &t->slots[i]);
    unsigned next = 0;
    for (pm_piece p = {0, 0}; status == PM_OK && p.from < total; p.from += p.count) {
        p.count = total - p.from < t->piece_samples ? total - p.from : t->piece_samples;
        status = put_piece(t, &t->slots[next], &p);
        next = (next + 1) % slots;
    }
    pm_error kept = t->error && status != PM_OK ? *t->error : (pm_error){0};
    pm_status finished = finish(t);
    if (status == PM_OK)
        return finished;
    if (t->error)
        *t->error = kept;
    return status;
}

/* Bytes of one slot's largest buffer that the device will grant. */
static uint64_t max_bytes(const pm_engine *engine) {
    uint64_t bytes = engine->cl->piece_bytes / SLOT_COUNT;
    uint64_t largest = engine->info.max_allocation_bytes;
    return bytes < largest ? bytes : largest;
}

pm_status pm_cl_sample_to_host(const pm_clip *clip, const pm_sample_job *job, pm_error *error) {
    transfer t = {.clip = clip, .job = job, .error = error};
    pm_job_outputs(job, t.outputs);
    t.has_uniform_map = pm_job_uniform_map(clip, job, &t.uniform_map);
    uint64_t bytes = max_bytes(clip->engine);
    for (;;) {
        t.piece_samples = pm_cl_piece_samples(clip, job, bytes);
        if (t.piece_samples > job->sample_count)
            t.piece_samples = job->sample_count;
        pm_status status = run_pieces(&t);
        /* the device may grant less than it says: try with half as much, to the end */
        if (status != PM_ERROR_DEVICE_MEMORY || t.piece_samples == 1)
            return status;
        pm_error_clear(error);
        bytes = t.piece_samples * pm_job_width(clip, job) * 4 * sizeof(float) / 2;
        pm_log(clip->engine, PM_LOG_WARNING, "device memory is short: pieces of %llu bytes",
               (unsigned long long)bytes);
    }
}
