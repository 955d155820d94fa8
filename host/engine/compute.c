/* SPDX-License-Identifier: MIT
 *
 * Who computes a job: plain C, a device or the members of several. Compares both sides.
 */
#include "engine.h"

#include <string.h>

#include "multi/multi.h"

/* Members share the threads of the host. */
static pm_status compute_on(const pm_job *job, size_t member, pm_error *error) {
    const pm_device *device = job->device->members[member];
    return pm_is_for_host(device) ? job->kind->in_plain_c(job, device->options.host_threads, error)
                                  : job->kind->on_device(job, member, error);
}

static pm_status compute_piece(const void *context, size_t member, const pm_piece *piece,
                               pm_error *error) {
    pm_job part = *(const pm_job *)context;
    pm_status status = part.kind->cut(&part, piece, error);
    part.request.host = &part.device->options.host;
    if (status == PM_OK)
        status = compute_on(&part, member, error);
    pm_release(part.list);
    return status;
}

pm_status pm_job_on_device(const pm_job *job, pm_error *error) {
    const pm_multi_work work = {.host = job->request.host,
                                .elements = job->kind->elements(job),
                                .width = job->kind->width(job),
                                .compute = compute_piece,
                                .context = job};
    return job->device->member_count > 1 ? pm_multi_run(job->device, &work, error)
                                         : job->kind->on_device(job, 0, error);
}

pm_status pm_job_compute(const pm_job *job, bool on_reference, bool in_background,
                         pm_error *error) {
    pm_status status = on_reference ? PM_OK : pm_device_check(job->device, error);
    if (status != PM_OK)
        return status;
    if (on_reference || pm_is_for_host(job->device))
        return job->kind->in_plain_c(job, job->host_threads, error);
    return POSEMILL_OPENCL && in_background ? pm_job_in_background(job, error)
                                            : pm_job_on_device(job, error);
}

typedef struct queue_run {
    pm_job job;
    size_t member, output;
} queue_run;

static pm_status enqueue_output(void *context, const pm_address *to, const pm_queue *queue,
                                void **done, pm_error *error) {
    queue_run *q = context;
    q->job.kind->aim(&q->job, q->output, *to);
    return q->job.kind->enqueue(&q->job, q->member, queue, done, error);
}

static pm_status compare_output(const pm_job *job, size_t member, size_t output, size_t bytes,
                                bool all, bool *same, pm_error *error) {
    const pm_device *device = job->device->members[member];
    pm_job by_device = *job, by_reference = *job;
    unsigned char *memory = pm_allocate_zeroed(&job->device->options.host, 2, bytes);
    unsigned char *expected = memory + bytes;
    if (!memory)
        return pm_fail_memory(error);
    memset(memory, all ? 0xaa : 0, bytes);
    by_device.request.host = by_reference.request.host = &job->device->options.host;
    queue_run on_queue = {by_device, member, output};
    job->kind->aim(&by_device, output, pm_in_memory(memory));
    job->kind->aim(&by_reference, output, pm_in_memory(expected));
    pm_status status = job->kind->by_reference(&by_reference, error);
    if (status == PM_OK)
        status = compute_on(&by_device, member, error);
    *same = *same && (status != PM_OK || memcmp(memory, expected, bytes) == 0);
    if (status == PM_OK && all && job->kind->enqueue && device->backend->run_on_queue) {
        memset(memory, 0xaa, bytes);
        status =
            device->backend->run_on_queue(device, memory, bytes, enqueue_output, &on_queue, error);
        *same = *same && (status != PM_OK || memcmp(memory, expected, bytes) == 0);
    }
    pm_release(memory);
    return status;
}

pm_status pm_job_compare(const pm_job *job, size_t member, bool all, bool *same, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t o = 0; status == PM_OK && o < job->kind->outputs; o++) {
        const size_t bytes = job->kind->bytes(job, o);
        if (bytes > 0)
            status = compare_output(job, member, o, bytes, all, same, error);
    }
    return status;
}
