/* SPDX-License-Identifier: MIT
 *
 * Enqueues requests for samples on a caller's queue, into a caller's buffers, without waiting.
 */
#include "device.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of results per piece: large enough for large launches, while cursors take little memory in
 * comparison. */
static const uint64_t piece_bytes = 1u << 30;

typedef struct enqueued {
    const pm_opencl_clip *clip;
    pm_opencl_device *cl;
    const pm_sample_request *request;
    const pm_cl_sample_outputs *outputs;
    cl_command_queue queue;
    cl_event *waits; /* the caller's events, and space for the event of a piece's cursors */
    cl_uint wait_count;
    cl_event *events; /* the events of all launches so far */
    cl_uint event_count;
    pm_error *error;
} enqueued;

static pm_status check_output(const pm_device_clip *clip, const pm_sample_request *request,
                              unsigned o, const pm_cl_output *to, pm_error *error) {
    const pm_output *output = &pm_outputs[o];
    if (!clip->data->channels[output->channel].present)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: the clip has no %s", output->name,
                       pm_channel_name(output->channel));
    return pm_cl_check_buffer(pm_opencl_of(clip->device), output->name, to->buffer, to->offset,
                              output->components == 4 ? 16 : 4, pm_sample_output_bytes(request, o),
                              error);
}

pm_status pm_cl_check_outputs(const pm_device_clip *clip, const pm_sample_request *request,
                              const pm_cl_sample_outputs *outputs, pm_error *error) {
    pm_status status = PM_OK;
    bool any = false;
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++)
        if (outputs->of[o].buffer) {
            any = true;
            status = check_output(clip, request, o, &outputs->of[o], error);
        }
    if (status == PM_OK && !any && request->sample_count > 0)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "no output: rotations, positions, scales, velocities and accelerations "
                       "are all NULL");
    return status;
}

static pm_status make_buffer(const enqueued *e, const void *data, size_t size, cl_mem *buffer) {
    cl_mem_flags flags = data ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
    return pm_cl_buffer(e->cl, flags, data, size, buffer, e->error);
}

/* Creates the buffer of cursors. The device computes them, with the event *computed, or the host
 * does, and copies them at once. */
static pm_status make_cursors(enqueued *e, const pm_sample_request *piece, cl_mem *cursors,
                              cl_event *computed) {
    pm_uniform_map map;
    const size_t count = piece->sample_count * piece->cursor_rows;
    if (pm_sample_uniform_map(piece, &map)) {
        pm_status status = make_buffer(e, NULL, count * sizeof(pm_cursor), cursors);
        if (status != PM_OK)
            return status;
        return pm_cl_launch_locate(e->cl, &map, piece->sample_count, *cursors, e->queue, computed,
                                   e->error);
    }
    pm_cursor *host = malloc(count * sizeof *host);
    if (!host)
        return pm_fail_memory(e->error);
    pm_sample_cursors(piece, host);
    pm_status status = make_buffer(e, host, count * sizeof *host, cursors);
    free(host);
    return status;
}

static pm_status launch_outputs(enqueued *e, const pm_sample_request *piece, size_t first,
                                cl_mem cursors, cl_mem tracks, cl_event computed) {
    cl_uint waits = e->wait_count;
    if (computed)
        e->waits[waits++] = computed;
    const pm_cl_wait wait = {e->queue, e->waits, waits};
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const pm_cl_output *to = &e->outputs->of[o];
        if (!to->buffer)
            continue;
        const pm_launch launch = {.clip = e->clip,
                                  .output = &pm_outputs[o],
                                  .sample_count = piece->sample_count,
                                  .pairs = tracks != NULL,
                                  .parent = piece->parent_frame,
                                  .cursors = cursors,
                                  .tracks = tracks,
                                  .values = to->buffer,
                                  .values_offset = to->offset / sizeof(float) +
                                                   first * piece->width * pm_outputs[o].components};
        pm_status status = pm_cl_launch(&launch, &wait, &e->events[e->event_count], e->error);
        if (status != PM_OK)
            return status;
        e->event_count++;
    }
    return PM_OK;
}

/* Releases the buffers after enqueuing: OpenCL retains them until the kernels are complete. */
static pm_status enqueue_piece(enqueued *e, const pm_piece *at) {
    const pm_sample_request piece = pm_sample_request_piece(e->request, at);
    cl_mem cursors = NULL, tracks = NULL;
    cl_event computed = NULL;
    pm_status status = make_cursors(e, &piece, &cursors, &computed);
    if (status == PM_OK && piece.tracks)
        status = make_buffer(e, piece.tracks, piece.sample_count * sizeof(cl_uint), &tracks);
    if (status == PM_OK)
        status = launch_outputs(e, &piece, at->from, cursors, tracks, computed);
    if (computed)
        clReleaseEvent(computed);
    pm_cl_release(tracks);
    pm_cl_release(cursors);
    return status;
}

static pm_status enqueue_all(enqueued *e, cl_event *done) {
    const size_t total = e->request->sample_count;
    const pm_cl_output *to = e->outputs->of;
    const bool moves = to[PM_OUT_VELOCITIES].buffer || to[PM_OUT_ACCELERATIONS].buffer;
    const size_t size = pm_cl_piece_samples(e->cl, e->request, piece_bytes, moves);
    const size_t pieces = pm_piece_count(total, size);
    size_t slots;
    if (!pm_multiply(pieces + 1, PM_OUTPUT_COUNT * sizeof *e->events, &slots) ||
        pieces > UINT32_MAX / PM_OUTPUT_COUNT)
        return pm_fail(e->error, PM_ERROR_SIZE, "the job has too many pieces");
    e->events = malloc(slots);
    if (!e->events)
        return pm_fail_memory(e->error);
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < pieces; i++) {
        const pm_piece piece = pm_piece_at(total, size, i);
        status = enqueue_piece(e, &piece);
    }
    if (status == PM_OK && done) {
        const pm_cl_wait all = {e->queue, e->event_count ? e->events : e->waits,
                                e->event_count ? e->event_count : e->wait_count};
        status = pm_cl_marker(&all, done, e->error);
    }
    for (cl_uint i = 0; i < e->event_count; i++)
        clReleaseEvent(e->events[i]);
    free(e->events);
    return status;
}

pm_status pm_cl_enqueue_samples(const pm_device_clip *clip, const pm_sample_request *request,
                                const pm_cl_sample_outputs *outputs, const pm_cl_wait *wait,
                                cl_event *done, pm_error *error) {
    enqueued e = {.clip = pm_opencl_clip_of(clip),
                  .cl = pm_opencl_of(clip->device),
                  .request = request,
                  .outputs = outputs,
                  .queue = wait->queue,
                  .wait_count = wait->count,
                  .error = error};
    e.waits = malloc(((size_t)wait->count + 1) * sizeof *e.waits);
    if (!e.waits)
        return pm_fail_memory(error);
    if (wait->count)
        memcpy(e.waits, wait->events, wait->count * sizeof *e.waits);
    pm_status status = enqueue_all(&e, done);
    free(e.waits);
    return status;
}
