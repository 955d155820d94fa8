/* SPDX-License-Identifier: MIT
 *
 * Samples on the device, into host memory. Pieces alternate between two slots, so that a piece is
 * computed while the previous one is read back.
 */
#include "device.h"

enum { SLOT_COUNT = 2 };

/* The results of one piece in flight. */
typedef struct slot {
    cl_mem values[PM_OUTPUT_COUNT];
    cl_event reads[PM_OUTPUT_COUNT]; /* reading the slot's last piece; NULL: none */
} slot;

typedef struct transfer {
    pm_cl_samples samples;
    pm_opencl_device *cl;
    const pm_sample_request *request;
    slot slots[SLOT_COUNT];
    pm_error *error;
} transfer;

static pm_status make_slot(transfer *t, slot *s) {
    const size_t values = t->samples.plan.piece_samples * t->request->width;
    pm_status status = PM_OK;
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++)
        if (t->request->outputs[o])
            status = pm_cl_buffer(t->cl, CL_MEM_WRITE_ONLY, NULL,
                                  values * pm_outputs[o].components * sizeof(float), &s->values[o],
                                  t->error);
    return status;
}

/* Waits until the slot's last piece has been read back. */
static pm_status wait_for(transfer *t, slot *s) {
    pm_status worst = PM_OK;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        if (!s->reads[o])
            continue;
        const cl_int code = clWaitForEvents(1, &s->reads[o]);
        if (code != CL_SUCCESS)
            worst = pm_cl_fail(t->error, code, "reading results");
        pm_cl_release_event(&s->reads[o]);
    }
    return worst;
}

/* Enqueues reading the outputs: when s->reads[o] is complete, output o is in the caller's memory. */
static cl_int read_outputs(transfer *t, slot *s, const pm_sample_request *piece,
                           const cl_event computed[PM_OUTPUT_COUNT]) {
    cl_int code = clFlush(t->cl->compute);
    for (unsigned o = 0; code == CL_SUCCESS && o < PM_OUTPUT_COUNT; o++)
        if (computed[o])
            code = clEnqueueReadBuffer(t->cl->transfers, s->values[o], CL_FALSE, 0,
                                       pm_sample_output_bytes(piece, o), piece->outputs[o], 1,
                                       &computed[o], &s->reads[o]);
    return code == CL_SUCCESS ? clFlush(t->cl->transfers) : code;
}

static pm_status put_piece(transfer *t, slot *s, pm_sample_request *piece) {
    cl_event computed[PM_OUTPUT_COUNT] = {0};
    pm_status status = wait_for(t, s);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        piece->handles[o] = (pm_address){.handle = s->values[o]};
    if (status == PM_OK)
        status = pm_cl_enqueue_piece(&t->samples, piece, computed);
    if (status == PM_OK) {
        const cl_int code = read_outputs(t, s, piece, computed);
        status = code == CL_SUCCESS ? PM_OK : pm_cl_fail(t->error, code, "reading results");
    }
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        pm_cl_release_event(&computed[o]);
    return status;
}

/* Waits until no command writes to the caller's memory any more, then releases the slots. After a
 * failure that means both queues, with what other jobs have put there. */
static pm_status finish(transfer *t, pm_status status) {
    for (unsigned i = 0; i < SLOT_COUNT; i++) {
        pm_status waited = wait_for(t, &t->slots[i]);
        status = status == PM_OK ? waited : status;
    }
    if (status != PM_OK && clFinish(t->cl->compute) == CL_SUCCESS)
        clFinish(t->cl->transfers);
    for (unsigned i = 0; i < SLOT_COUNT; i++) {
        for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
            pm_cl_release(t->slots[i].values[o]);
        t->slots[i] = (slot){0};
    }
    pm_cl_samples_end(&t->samples);
    return status;
}

static size_t pieces_of(const transfer *t) {
    return pm_piece_count(t->request->sample_count, t->samples.plan.piece_samples);
}

static pm_status put_pieces(transfer *t) {
    const pm_cl_wait wait = {.queue = t->cl->compute};
    const size_t total = t->request->sample_count, size = t->samples.plan.piece_samples;
    const size_t pieces = pieces_of(t);
    const size_t slots = pieces > 1 ? SLOT_COUNT : 1;
    pm_status status = pm_cl_samples_begin(&t->samples, &wait);
    for (size_t i = 0; status == PM_OK && i < slots; i++)
        status = make_slot(t, &t->slots[i]);
    for (size_t i = 0; status == PM_OK && i < pieces; i++) {
        const pm_piece at = pm_piece_at(total, size, i);
        pm_sample_request piece = pm_sample_request_piece(t->request, &at);
        status = pm_check_piece(t->request->host, i > slots ? i - slots : 0, pieces, t->error);
        if (status == PM_OK)
            status = put_piece(t, &t->slots[i % slots], &piece);
    }
    return status;
}

/* The failure of a piece counts, and not what follows from it. */
static pm_status run_pieces(transfer *t) {
    const pm_status status = put_pieces(t);
    const pm_error kept = t->error && status != PM_OK ? *t->error : (pm_error){0};
    const pm_status finished = finish(t, status);
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
    uint64_t bytes = max_bytes(cl);
    for (;;) {
        transfer t = {.cl = cl, .request = request, .error = error};
        t.samples = (pm_cl_samples){.clip = pm_opencl_clip_of(clip),
                                    .request = request,
                                    .plan = pm_plan_samples(request, bytes, &cl->plan),
                                    .error = error};
        const pm_status status = run_pieces(&t);
        if (status == PM_OK)
            return pm_check_piece(request->host, pieces_of(&t), pieces_of(&t), error);
        /* the device may have less memory than it reports: halve the pieces, down to one sample */
        if (status != PM_ERROR_DEVICE_MEMORY || t.samples.plan.piece_samples == 1)
            return status;
        pm_error_clear(error);
        bytes = t.samples.plan.piece_samples * request->width * 4 * sizeof(float) / 2;
        pm_log(cl->device.options.logger, PM_LOG_WARNING,
               "out of device memory: retrying with pieces of %llu bytes",
               (unsigned long long)bytes);
    }
}
