/* SPDX-License-Identifier: MIT
 *
 * Results that the host has computed, copied into a caller's buffers by commands on the caller's
 * queue. They pass through buffers of their own, which OpenCL retains until the copies are complete:
 * no host memory must outlive the call, and a buffer that the host may not access can be written.
 */
#include "device.h"

#include <stdlib.h>

typedef struct staging {
    pm_opencl_device *cl;
    const pm_cl_wait *wait;
    cl_event *events; /* of all copies so far */
    cl_uint event_count;
    pm_error *error;
} staging;

pm_status pm_cl_copy_rows(const pm_cl_rows *from, const pm_cl_rows *to, size_t row_bytes,
                          size_t row_count, const pm_cl_wait *wait, cl_event *copied,
                          pm_error *error) {
    const size_t region[3] = {row_bytes, row_count, 1};
    const size_t from_origin[3] = {from->offset, 0, 0}, to_origin[3] = {to->offset, 0, 0};
    cl_int code = clEnqueueCopyBufferRect(wait->queue, from->buffer, to->buffer, from_origin,
                                          to_origin, region, from->stride, 0, to->stride, 0,
                                          wait->count, wait->count ? wait->events : NULL, copied);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clEnqueueCopyBufferRect");
}

static bool is_written(const pm_cl_staged *output, size_t row) {
    return !output->written || output->written[row];
}

/* Finds the next run of rows to copy from row *end on; false when there is none. */
static bool next_run(const pm_cl_staged *output, size_t *begin, size_t *end) {
    for (*begin = *end; *begin < output->row_count && !is_written(output, *begin);)
        ++*begin;
    for (*end = *begin; *end < output->row_count && is_written(output, *end);)
        ++*end;
    return *begin < *end;
}

static size_t run_count(const pm_cl_staged *output) {
    size_t count = 0, begin, end = 0;
    while (next_run(output, &begin, &end))
        count++;
    return count;
}

static pm_status copy_runs(staging *s, const pm_cl_staged *output, cl_mem results,
                           const pm_cl_wait *wait) {
    pm_status status = PM_OK;
    size_t begin, end = 0;
    while (status == PM_OK && next_run(output, &begin, &end)) {
        const pm_cl_rows from = {results, begin * output->row_bytes, output->row_bytes};
        const pm_cl_rows to = {output->to.buffer, output->to.offset + begin * output->to.stride,
                               output->to.stride};
        status = pm_cl_copy_rows(&from, &to, output->row_bytes, end - begin, wait,
                                 &s->events[s->event_count], s->error);
        s->event_count += status == PM_OK;
    }
    return status;
}

/* The old contents are copied first; that event stays in the list, so that an output of which no row
 * is written is complete when they are. */
static pm_status put_output(staging *s, const pm_cl_staged *output) {
    pm_cl_wait wait = *s->wait;
    cl_mem results = NULL;
    pm_status status = pm_cl_buffer(s->cl, CL_MEM_READ_ONLY, output->results,
                                    output->row_count * output->row_bytes, &results, s->error);
    if (status == PM_OK && output->previous.buffer) {
        cl_event *copied = &s->events[s->event_count];
        status = pm_cl_copy_rows(&output->to, &output->previous, output->row_bytes,
                                 output->row_count, &wait, copied, s->error);
        s->event_count += status == PM_OK;
        wait = (pm_cl_wait){wait.queue, copied, 1};
    }
    if (status == PM_OK)
        status = copy_runs(s, output, results, &wait);
    pm_cl_release(results);
    return status;
}

static pm_status put_all(staging *s, const pm_cl_staged *outputs, size_t count, cl_event *done) {
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < count; i++)
        status = put_output(s, &outputs[i]);
    if (status == PM_OK && done) {
        const pm_cl_wait all = {s->wait->queue, s->event_count ? s->events : s->wait->events,
                                s->event_count ? s->event_count : s->wait->count};
        status = pm_cl_marker(&all, done, s->error);
    }
    for (cl_uint i = 0; i < s->event_count; i++)
        clReleaseEvent(s->events[i]);
    return status;
}

pm_status pm_cl_enqueue_staged(const pm_device *device, const pm_cl_staged *outputs, size_t count,
                               const pm_cl_wait *wait, cl_event *done, pm_error *error) {
    staging s = {.cl = pm_opencl_of(device), .wait = wait, .error = error};
    size_t slots = 1; /* never 0 bytes */
    for (size_t i = 0; i < count; i++)
        slots += run_count(&outputs[i]) + 1;
    s.events = calloc(slots, sizeof(cl_event));
    if (!s.events)
        return pm_fail_memory(error);
    const pm_status status = put_all(&s, outputs, count, done);
    free(s.events);
    return status;
}
