/* SPDX-License-Identifier: MIT
 *
 * Jobs on a caller's queue, into a caller's buffers: see the functions of pm_backend.
 */
#include "device.h"

#include <stdlib.h>

pm_status pm_cl_owns_queue(const pm_device *device, void *queue, bool *owns, pm_error *error) {
    const pm_opencl_device *cl = pm_opencl_of(device);
    cl_context context = NULL;
    cl_device_id id = NULL;
    cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, NULL);
    *owns = context == cl->context && id == cl->id;
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clGetCommandQueueInfo");
}

/* Bytes of results per piece: large enough for large launches, while cursors take little memory in
 * comparison. */
static const uint64_t piece_bytes = 1u << 30;

/* Of outputs with strides, which are computed without first. */
static const uint64_t strided_piece_bytes = 1u << 26;

static uint64_t piece_bytes_of(const pm_sample_request *request) {
    bool strided = false;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        strided |= request->handles[o].handle && request->strides[o];
    return strided ? strided_piece_bytes : piece_bytes;
}

/* Appends the events of a piece to those of the job. */
static pm_status enqueue_piece(pm_cl_samples *s, const pm_piece *at, cl_event *events,
                               cl_uint *count) {
    const pm_sample_request piece = pm_sample_request_piece(s->request, at);
    cl_event done[PM_OUTPUT_COUNT];
    const pm_status status = pm_cl_enqueue_piece(s, &piece, done);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (done[o])
            events[(*count)++] = done[o];
    return status;
}

static pm_status enqueue_pieces(pm_cl_samples *s, cl_event *done) {
    const size_t total = s->request->sample_count, size = s->plan.piece_samples;
    const size_t pieces = pm_piece_count(total, size);
    size_t slots;
    cl_uint count = 0;
    if (!pm_multiply(pieces + 1, PM_OUTPUT_COUNT * sizeof(cl_event), &slots) ||
        pieces > UINT32_MAX / PM_OUTPUT_COUNT)
        return pm_fail(s->error, PM_ERROR_SIZE, "the job has too many pieces");
    cl_event *events = pm_allocate_zeroed(s->request->host, 1, slots);
    if (!events)
        return pm_fail_memory(s->error);
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < pieces; i++) {
        const pm_piece at = pm_piece_at(total, size, i);
        status = enqueue_piece(s, &at, events, &count);
    }
    if (status == PM_OK && done && count == 1) {
        *done = events[0]; /* a marker behind it would be one more command */
        count = 0;
    } else if (status == PM_OK && done) {
        const pm_cl_wait all = {s->queue, count ? events : s->waits, count ? count : s->wait_count};
        status = pm_cl_marker(&all, done, s->error);
    }
    for (cl_uint i = 0; i < count; i++)
        clReleaseEvent(events[i]);
    pm_release(events);
    return status;
}

pm_status pm_cl_enqueue_samples(const pm_device_clip *clip, const pm_sample_request *request,
                                const pm_queue *queue, void **done, pm_error *error) {
    const pm_cl_wait wait = {queue->handle, queue->waits, queue->wait_count};
    pm_cl_samples s = {.clip = pm_opencl_clip_of(clip),
                       .request = request,
                       .plan =
                           pm_plan_samples(request, piece_bytes_of(request), clip->device->plan),
                       .error = error};
    cl_event event = NULL;
    pm_status status = pm_cl_samples_begin(&s, &wait);
    if (status == PM_OK)
        status = enqueue_pieces(&s, done ? &event : NULL);
    pm_cl_samples_end(&s);
    if (done && status == PM_OK)
        *done = event;
    return status;
}

pm_status pm_cl_run_on_queue(const pm_device *device, void *memory, size_t bytes,
                             pm_status (*enqueue)(void *context, const pm_address *to,
                                                  const pm_queue *queue, void **done,
                                                  pm_error *error),
                             void *context, pm_error *error) {
    pm_opencl_device *cl = pm_opencl_of(device);
    const pm_queue queue = {.handle = cl->compute};
    cl_mem buffer;
    void *done = NULL;
    pm_status status = pm_cl_buffer(cl, CL_MEM_READ_WRITE, memory, bytes, &buffer, error);
    if (status == PM_OK)
        status = enqueue(context, &(pm_address){.handle = buffer}, &queue, &done, error);
    cl_event event = done;
    if (status == PM_OK) {
        const cl_int code = clEnqueueReadBuffer(cl->compute, buffer, CL_TRUE, 0, bytes, memory,
                                                event ? 1 : 0, event ? &event : NULL, NULL);
        status = code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clEnqueueReadBuffer");
    }
    pm_cl_release_event(&event);
    pm_cl_release(buffer);
    return status;
}
