/* SPDX-License-Identifier: MIT
 *
 * Enqueues requests for samples on a caller's queue, into a caller's buffers, without waiting.
 */
#include "samples.h"

#include <stdlib.h>

/* Bytes of results per piece: large enough for large launches, while cursors take little memory in
 * comparison. */
static const uint64_t piece_bytes = 1u << 30;

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

static unsigned outputs_with_buffers(const pm_cl_sample_outputs *outputs) {
    unsigned bits = 0;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        bits |= outputs->of[o].buffer ? 1u << o : 0u;
    return bits;
}

pm_status pm_cl_check_outputs(const pm_device_clip *clip, const pm_sample_request *request,
                              const pm_cl_sample_outputs *outputs, pm_error *error) {
    pm_status status = PM_OK;
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++)
        if (outputs->of[o].buffer)
            status = check_output(clip, request, o, &outputs->of[o], error);
    if (status == PM_OK && !outputs_with_buffers(outputs) && request->sample_count > 0)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "no output: rotations, positions, scales, velocities and accelerations "
                       "are all NULL");
    return status;
}

/* The outputs of a piece that begins with sample `first`. */
static pm_cl_sample_outputs outputs_from(const pm_cl_sample_outputs *outputs,
                                         const pm_sample_request *request, size_t first) {
    pm_cl_sample_outputs moved = *outputs;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        moved.of[o].offset += first * request->width * pm_outputs[o].components * sizeof(float);
    return moved;
}

/* Appends the events of a piece to those of the job. */
static pm_status enqueue_piece(pm_cl_samples *s, const pm_cl_sample_outputs *outputs,
                               const pm_piece *at, cl_event *events, cl_uint *count) {
    const pm_sample_request piece = pm_sample_request_piece(s->request, at);
    const pm_cl_sample_outputs to = outputs_from(outputs, s->request, at->from);
    cl_event done[PM_OUTPUT_COUNT];
    const pm_status status = pm_cl_enqueue_piece(s, &piece, &to, done);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (done[o])
            events[(*count)++] = done[o];
    return status;
}

static pm_status enqueue_pieces(pm_cl_samples *s, const pm_cl_sample_outputs *outputs,
                                cl_event *done) {
    const size_t total = s->request->sample_count, size = s->plan.piece_samples;
    const size_t pieces = pm_piece_count(total, size);
    size_t slots;
    cl_uint count = 0;
    if (!pm_multiply(pieces + 1, PM_OUTPUT_COUNT * sizeof(cl_event), &slots) ||
        pieces > UINT32_MAX / PM_OUTPUT_COUNT)
        return pm_fail(s->error, PM_ERROR_SIZE, "the job has too many pieces");
    cl_event *events = calloc(1, slots);
    if (!events)
        return pm_fail_memory(s->error);
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < pieces; i++) {
        const pm_piece at = pm_piece_at(total, size, i);
        status = enqueue_piece(s, outputs, &at, events, &count);
    }
    if (status == PM_OK && done) {
        const pm_cl_wait all = {s->queue, count ? events : s->waits, count ? count : s->wait_count};
        status = pm_cl_marker(&all, done, s->error);
    }
    for (cl_uint i = 0; i < count; i++)
        clReleaseEvent(events[i]);
    free(events);
    return status;
}

pm_status pm_cl_enqueue_samples(const pm_device_clip *clip, const pm_sample_request *request,
                                const pm_cl_sample_outputs *outputs, const pm_cl_wait *wait,
                                cl_event *done, pm_error *error) {
    pm_cl_samples s = {.clip = pm_opencl_clip_of(clip),
                       .request = request,
                       .plan = pm_plan_samples(request, outputs_with_buffers(outputs), piece_bytes,
                                               &pm_opencl_of(clip->device)->plan),
                       .error = error};
    pm_status status = pm_cl_samples_begin(&s, wait);
    if (status == PM_OK)
        status = enqueue_pieces(&s, outputs, done);
    pm_cl_samples_end(&s);
    return status;
}
