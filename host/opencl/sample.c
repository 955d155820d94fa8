/* SPDX-License-Identifier: MIT
 *
 * Samples on the device, into host memory. Pieces alternate between two slots, so that a piece is
 * computed while the previous one is read back. A device that shares the host's memory computes
 * into the caller's memory directly; its results are mapped, not read back. Outputs whose memory is
 * not aligned for the kernels' stores are read back there too.
 */
#include "device.h"

#include <stdlib.h>

enum { SLOT_COUNT = 2 };

/* The memory and events of one piece in flight. */
typedef struct slot {
    pm_cursor *host_cursors; /* NULL when the device computes them */
    cl_mem cursors;
    cl_mem tracks;
    pm_cl_pairs sorted[PM_OUTPUT_COUNT]; /* of the slot's last piece */
    cl_mem values[PM_OUTPUT_COUNT];
    void *mapped[PM_OUTPUT_COUNT]; /* shared memory: the mapped results of the slot's last piece */
    cl_event reads[PM_OUTPUT_COUNT]; /* reading or mapping the slot's last piece; NULL: none */
} slot;

typedef struct transfer {
    const pm_opencl_clip *clip;
    pm_opencl_device *cl;
    const pm_sample_request *request;
    bool locates;         /* the device locates the samples */
    unsigned sorts;       /* bit o: pairs are sorted for output o */
    bool needs_cursors;   /* some output is computed from cursors */
    cl_mem sorted_values; /* of a launch: the queue computes one after the other */
    size_t piece_samples;
    slot slots[SLOT_COUNT];
    pm_error *error;
} transfer;

/* Required alignment of an output in bytes. Kernels of one lane store a rotation as a float4; wider
 * kernels store vectors at any float. */
static size_t store_alignment(pm_opencl_device *cl, const pm_output *output) {
    return pm_cl_lanes(cl) == 1 && output->components == 4 ? 4 * sizeof(float) : sizeof(float);
}

/* Whether an output is computed into the caller's memory directly. Pieces consist of whole samples,
 * so their alignment is that of the whole output. */
static bool is_in_place(const transfer *t, unsigned o) {
    return t->cl->shares_memory &&
           (uintptr_t)t->request->outputs[o] % store_alignment(t->cl, &pm_outputs[o]) == 0;
}

static pm_status make_buffer(transfer *t, cl_mem_flags flags, size_t size, cl_mem *buffer) {
    return pm_cl_buffer(t->cl, flags, NULL, size, buffer, t->error);
}

static pm_status make_slot(transfer *t, slot *s) {
    const pm_sample_request *r = t->request;
    const size_t cursors = t->piece_samples * r->cursor_rows;
    const size_t values = t->piece_samples * r->width;
    if (!t->locates && t->needs_cursors) {
        s->host_cursors = malloc(cursors * sizeof *s->host_cursors);
        if (!s->host_cursors)
            return pm_fail_memory(t->error);
    }
    pm_status status = PM_OK;
    if (t->needs_cursors)
        status = make_buffer(t, CL_MEM_READ_WRITE, cursors * sizeof(pm_cursor), &s->cursors);
    if (status == PM_OK && r->tracks && t->needs_cursors)
        status = make_buffer(t, CL_MEM_READ_ONLY, values * sizeof(cl_uint), &s->tracks);
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++)
        if (r->outputs[o] && !is_in_place(t, o))
            status = make_buffer(t, CL_MEM_WRITE_ONLY,
                                 values * pm_outputs[o].components * sizeof(float), &s->values[o]);
    return status;
}

/* Unmaps a piece, and releases the buffer that was created for it. */
static cl_int unmap(const transfer *t, slot *s, unsigned o) {
    cl_int code = CL_SUCCESS;
    if (s->mapped[o])
        code = clEnqueueUnmapMemObject(t->cl->transfers, s->values[o], s->mapped[o], 0, NULL, NULL);
    s->mapped[o] = NULL;
    if (is_in_place(t, o)) {
        pm_cl_release(s->values[o]);
        s->values[o] = NULL;
    }
    return code;
}

/* Waits until the slot's last piece has been read back. */
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
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        pm_cl_pairs_release(&s->sorted[o]);
    return worst == CL_SUCCESS ? PM_OK : pm_cl_fail(t->error, worst, "reading results");
}

/* Puts the cursors and tracks of a piece into the slot. Writing them may be asynchronous: the
 * slot's host memory is changed after wait_for only. */
static pm_status put_cursors(transfer *t, slot *s, const pm_sample_request *piece,
                             const pm_uniform_map *map) {
    if (t->locates)
        return pm_cl_launch_locate(t->cl, map, piece->sample_count, s->cursors, t->cl->compute,
                                   NULL, t->error);
    pm_sample_cursors(piece, s->host_cursors);
    cl_int code = clEnqueueWriteBuffer(t->cl->compute, s->cursors, CL_FALSE, 0,
                                       piece->sample_count * piece->cursor_rows * sizeof(pm_cursor),
                                       s->host_cursors, 0, NULL, NULL);
    if (code == CL_SUCCESS && piece->tracks)
        code = clEnqueueWriteBuffer(t->cl->compute, s->tracks, CL_FALSE, 0,
                                    piece->sample_count * sizeof(cl_uint), piece->tracks, 0, NULL,
                                    NULL);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(t->error, code, "clEnqueueWriteBuffer");
}

/* Enqueues reading or mapping an output: when s->reads[o] is complete, the results are in the
 * caller's memory. */
static cl_int read_output(transfer *t, slot *s, const pm_sample_request *piece, unsigned o,
                          cl_event computed) {
    const size_t bytes = pm_sample_output_bytes(piece, o);
    cl_int code = CL_SUCCESS;
    if (is_in_place(t, o))
        s->mapped[o] = clEnqueueMapBuffer(t->cl->transfers, s->values[o], CL_FALSE, CL_MAP_READ, 0,
                                          bytes, 1, &computed, &s->reads[o], &code);
    else
        code = clEnqueueReadBuffer(t->cl->transfers, s->values[o], CL_FALSE, 0, bytes,
                                   piece->outputs[o], 1, &computed, &s->reads[o]);
    return code == CL_SUCCESS ? clFlush(t->cl->transfers) : code;
}

static pm_status put_output(transfer *t, slot *s, const pm_sample_request *piece,
                            const pm_uniform_map *map, unsigned o) {
    pm_status status = PM_OK;
    if (is_in_place(t, o))
        status = pm_cl_buffer(t->cl, CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, piece->outputs[o],
                              pm_sample_output_bytes(piece, o), &s->values[o], t->error);
    const bool sorts = t->sorts >> o & 1;
    if (status == PM_OK && sorts)
        status = pm_cl_sort_pairs(t->cl, o, piece, &s->sorted[o], t->error);
    if (status != PM_OK)
        return status;
    const pm_launch launch = {.clip = t->clip,
                              .output = &pm_outputs[o],
                              .sample_count = piece->sample_count,
                              .pairs = piece->tracks != NULL,
                              .parent = piece->parent_frame,
                              .map = *map,
                              .cursors = s->cursors,
                              .tracks = s->tracks,
                              .sorted = sorts ? &s->sorted[o] : NULL,
                              .sorted_values = t->sorted_values,
                              .values = s->values[o]};
    const pm_cl_wait wait = {.queue = t->cl->compute};
    cl_event computed;
    status = pm_cl_launch(&launch, &wait, &computed, t->error);
    if (status != PM_OK)
        return status;
    cl_int code = clFlush(t->cl->compute);
    if (code == CL_SUCCESS)
        code = read_output(t, s, piece, o, computed);
    clReleaseEvent(computed);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(t->error, code, "reading results");
}

static pm_status put_piece(transfer *t, slot *s, const pm_sample_request *piece) {
    pm_status status = wait_for(t, s);
    pm_uniform_map map;
    pm_sample_uniform_map(piece, &map);
    if (status == PM_OK && t->needs_cursors)
        status = put_cursors(t, s, piece, &map);
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++)
        if (piece->outputs[o])
            status = put_output(t, s, piece, &map, o);
    return status;
}

/* Waits for both queues, so that no command writes to the caller's memory any more, then releases
 * the slots. */
static pm_status finish(transfer *t) {
    pm_status status = PM_OK;
    for (unsigned i = 0; i < SLOT_COUNT; i++) {
        pm_status waited = wait_for(t, &t->slots[i]);
        status = status == PM_OK ? waited : status;
    }
    cl_int code = clFinish(t->cl->compute);
    if (code == CL_SUCCESS)
        code = clFinish(t->cl->transfers);
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
    pm_cl_release(t->sorted_values);
    t->sorted_values = NULL;
    return status;
}

static pm_status run_pieces(transfer *t) {
    pm_status status = PM_OK;
    if (t->sorts)
        status = pm_cl_sorted_values(t->cl, t->request, t->sorts, t->piece_samples,
                                     &t->sorted_values, t->error);
    const size_t pieces = pm_piece_count(t->request->sample_count, t->piece_samples);
    const size_t slots = pieces > 1 ? SLOT_COUNT : 1;
    for (size_t i = 0; status == PM_OK && i < slots; i++)
        status = make_slot(t, &t->slots[i]);
    for (size_t i = 0; status == PM_OK && i < pieces; i++) {
        const pm_piece at = pm_piece_at(t->request->sample_count, t->piece_samples, i);
        const pm_sample_request piece = pm_sample_request_piece(t->request, &at);
        status = put_piece(t, &t->slots[i % slots], &piece);
    }
    pm_error kept = t->error && status != PM_OK ? *t->error : (pm_error){0};
    pm_status finished = finish(t);
    if (status == PM_OK)
        return finished;
    if (t->error)
        *t->error = kept;
    return status;
}

/* Maximum bytes of an output per slot. */
static uint64_t max_bytes(pm_opencl_device *cl) {
    uint64_t bytes = cl->piece_bytes / SLOT_COUNT;
    uint64_t largest = cl->device.info.max_allocation_bytes;
    return bytes < largest ? bytes : largest;
}

pm_status pm_cl_sample_to_host(const pm_device_clip *clip, const pm_sample_request *request,
                               pm_error *error) {
    pm_opencl_device *cl = pm_opencl_of(clip->device);
    pm_uniform_map map;
    transfer t = {.clip = pm_opencl_clip_of(clip),
                  .cl = cl,
                  .request = request,
                  .locates = pm_sample_uniform_map(request, &map),
                  .error = error};
    t.sorts = pm_cl_sorts(cl) ? request->sorted_outputs : 0;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        t.needs_cursors = t.needs_cursors || (request->outputs[o] && !(t.sorts >> o & 1) &&
                                              pm_cl_takes_cursors(t.clip, request, o));
    const bool moves =
        request->outputs[PM_OUT_VELOCITIES] || request->outputs[PM_OUT_ACCELERATIONS];
    uint64_t bytes = max_bytes(cl);
    for (;;) {
        t.piece_samples = pm_cl_piece_samples(cl, request, bytes, moves);
        if (t.sorts && t.piece_samples > PM_SORTED_PIECE)
            t.piece_samples = PM_SORTED_PIECE;
        if (t.piece_samples > request->sample_count)
            t.piece_samples = request->sample_count;
        pm_status status = run_pieces(&t);
        /* the device may have less memory than it reports: halve the pieces, down to one sample */
        if (status != PM_ERROR_DEVICE_MEMORY || t.piece_samples == 1)
            return status;
        pm_error_clear(error);
        bytes = t.piece_samples * request->width * 4 * sizeof(float) / 2;
        pm_log(pm_cl_logger(cl), PM_LOG_WARNING,
               "out of device memory: retrying with pieces of %llu bytes",
               (unsigned long long)bytes);
    }
}
