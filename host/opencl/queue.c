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
    cl_event *waits; /* the caller's events, and space for those of waits_of */
    cl_uint wait_count;
    cl_event *events; /* the events of all launches so far */
    cl_uint event_count;
    size_t piece_samples; /* the maximum */
    unsigned sorts;       /* bit o: pairs are sorted for output o */
    bool needs_cursors;   /* some output is computed from cursors */
    cl_mem sorted_values; /* shared by all launches, which wait for each other; NULL: none yet */
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

/* What the launches of a piece read that do not read sorted pairs. */
typedef struct piece_inputs {
    pm_uniform_map map; /* scale 0: the samples are not uniform */
    cl_mem cursors, tracks;
    cl_event computed; /* of the cursors; NULL: the host computed them */
} piece_inputs;

/* Creates the buffer of cursors. The device computes them, or the host does, and copies them at
 * once. */
static pm_status make_cursors(enqueued *e, const pm_sample_request *piece, piece_inputs *in) {
    const size_t count = piece->sample_count * piece->cursor_rows;
    if (in->map.scale > 0) {
        pm_status status = make_buffer(e, NULL, count * sizeof(pm_cursor), &in->cursors);
        if (status != PM_OK)
            return status;
        return pm_cl_launch_locate(e->cl, &in->map, piece->sample_count, in->cursors, e->queue,
                                   &in->computed, e->error);
    }
    pm_cursor *host = malloc(count * sizeof *host);
    if (!host)
        return pm_fail_memory(e->error);
    pm_sample_cursors(piece, host);
    pm_status status = make_buffer(e, host, count * sizeof *host, &in->cursors);
    free(host);
    return status;
}

/* The events that a launch waits for. Launches that share memory for sorted values wait for the one
 * before. */
static pm_cl_wait waits_of(enqueued *e, cl_event computed) {
    cl_uint waits = e->wait_count;
    if (computed)
        e->waits[waits++] = computed;
    if (e->sorts && e->event_count > 0)
        e->waits[waits++] = e->events[e->event_count - 1];
    return (pm_cl_wait){e->queue, e->waits, waits};
}

static pm_status launch_output(enqueued *e, const pm_launch *launch, cl_event computed) {
    const pm_cl_wait wait = waits_of(e, computed);
    const pm_status status = pm_cl_launch(launch, &wait, &e->events[e->event_count], e->error);
    e->event_count += status == PM_OK;
    return status;
}

/* Sorts the pairs of a piece for an output, and launches it. */
static pm_status launch_sorted(enqueued *e, const pm_sample_request *piece, unsigned o,
                               const pm_launch *unsorted) {
    pm_cl_pairs sorted = {0};
    pm_status status = pm_cl_sort_pairs(e->cl, o, piece, &sorted, e->error);
    /* after the sort, so that the values of the job before have come back */
    if (status == PM_OK && !e->sorted_values)
        status = pm_cl_sorted_values(e->cl, e->request, e->sorts, e->piece_samples,
                                     &e->sorted_values, e->error);
    pm_launch launch = *unsorted;
    launch.sorted = &sorted;
    launch.sorted_values = e->sorted_values;
    if (status == PM_OK)
        status = launch_output(e, &launch, NULL);
    pm_cl_pairs_release(&sorted);
    return status;
}

static pm_status launch_outputs(enqueued *e, const pm_sample_request *piece, size_t first,
                                const piece_inputs *in) {
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const pm_cl_output *to = &e->outputs->of[o];
        if (!to->buffer)
            continue;
        pm_launch launch = {.clip = e->clip,
                            .output = &pm_outputs[o],
                            .sample_count = piece->sample_count,
                            .pairs = piece->tracks != NULL,
                            .parent = piece->parent_frame,
                            .map = in->map,
                            .cursors = in->cursors,
                            .tracks = in->tracks,
                            .values = to->buffer,
                            .values_offset = to->offset / sizeof(float) +
                                             first * piece->width * pm_outputs[o].components};
        const pm_status status = e->sorts >> o & 1 ? launch_sorted(e, piece, o, &launch)
                                                   : launch_output(e, &launch, in->computed);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

/* Releases the buffers after enqueuing: OpenCL retains them until the kernels are complete. */
static pm_status enqueue_piece(enqueued *e, const pm_piece *at) {
    const pm_sample_request piece = pm_sample_request_piece(e->request, at);
    piece_inputs in = {0};
    pm_status status = PM_OK;
    pm_sample_uniform_map(&piece, &in.map);
    if (e->needs_cursors)
        status = make_cursors(e, &piece, &in);
    if (status == PM_OK && piece.tracks && e->needs_cursors)
        status = make_buffer(e, piece.tracks, piece.sample_count * sizeof(cl_uint), &in.tracks);
    if (status == PM_OK)
        status = launch_outputs(e, &piece, at->from, &in);
    if (in.computed)
        clReleaseEvent(in.computed);
    pm_cl_release(in.tracks);
    pm_cl_release(in.cursors);
    return status;
}

/* Decides whether pairs are sorted, and the samples per piece. */
static void divide(enqueued *e) {
    const pm_cl_output *to = e->outputs->of;
    const bool moves = to[PM_OUT_VELOCITIES].buffer || to[PM_OUT_ACCELERATIONS].buffer;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        if (!to[o].buffer)
            continue;
        if (pm_cl_sorts(e->cl) && pm_pairs_repay_sorting(e->request, o))
            e->sorts |= 1u << o;
        else if (pm_cl_takes_cursors(e->clip, e->request, o))
            e->needs_cursors = true;
    }
    e->piece_samples = pm_cl_piece_samples(e->cl, e->request, piece_bytes, moves);
    if (e->sorts && e->piece_samples > PM_SORTED_PIECE)
        e->piece_samples = PM_SORTED_PIECE;
    if (e->sorts && e->piece_samples > e->request->sample_count)
        e->piece_samples = e->request->sample_count;
}

static pm_status enqueue_pieces(enqueued *e, cl_event *done) {
    const size_t total = e->request->sample_count, size = e->piece_samples;
    const size_t pieces = pm_piece_count(total, size);
    size_t slots;
    if (!pm_multiply(pieces + 1, PM_OUTPUT_COUNT * sizeof *e->events, &slots) ||
        pieces > UINT32_MAX / PM_OUTPUT_COUNT)
        return pm_fail(e->error, PM_ERROR_SIZE, "the job has too many pieces");
    e->events = calloc(1, slots);
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
    e.waits = malloc(((size_t)wait->count + 2) * sizeof *e.waits);
    if (!e.waits)
        return pm_fail_memory(error);
    if (wait->count)
        memcpy(e.waits, wait->events, wait->count * sizeof *e.waits);
    divide(&e);
    const pm_status status = enqueue_pieces(&e, done);
    pm_cl_release(e.sorted_values);
    free(e.waits);
    return status;
}
