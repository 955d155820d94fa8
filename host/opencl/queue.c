/* SPDX-License-Identifier: MIT
 *
 * Jobs on a caller's queue, into a caller's buffers: enqueued, never waited for.
 */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "opencl.h"

/* Places of one piece: enough to launch large kernels, little beside their results. */
static const uint64_t piece_bytes = 1u << 30;

typedef struct enqueued {
    const pm_clip *clip;
    const pm_sample_job *job;
    const pm_cl_outputs *outputs;
    cl_command_queue queue;
    cl_event *waits; /* the caller's, and behind them room for the places of a piece */
    cl_uint wait_count;
    cl_event *events; /* of all launches so far */
    cl_uint event_count;
    pm_error *error;
} enqueued;

/* By PM_OUT_ROTATIONS and its like. */
static cl_mem buffer_of(const pm_cl_outputs *outputs, unsigned o) {
    const cl_mem buffers[] = {outputs->rotations, outputs->positions, outputs->scales,
                              outputs->velocities, outputs->accelerations};
    return buffers[o];
}

static size_t offset_of(const pm_cl_outputs *outputs, unsigned o) {
    const size_t offsets[] = {outputs->rotations_offset, outputs->positions_offset,
                              outputs->scales_offset, outputs->velocities_offset,
                              outputs->accelerations_offset};
    return offsets[o];
}

static pm_status check_buffer(const enqueued *e, unsigned o) {
    const pm_output *output = &pm_outputs[o];
    const char *name = output->name;
    cl_mem buffer = buffer_of(e->outputs, o);
    size_t offset = offset_of(e->outputs, o);
    size_t alignment = output->components == 4 ? 16 : 4;
    if (!e->clip->channels[output->channel].present)
        return pm_fail(e->error, PM_ERROR_ARGUMENT, "%s: the clip has no %s", name,
                       pm_channel_name(output->channel));
    /* the job's check made sure that this does not overflow */
    size_t needed =
        e->job->sample_count * pm_job_width(e->clip, e->job) * output->components * sizeof(float);
    return pm_cl_check_buffer(e->clip->engine, name, buffer, offset, alignment, needed, e->error);
}

/* The clip on the device of the queue. */
static pm_status find_part(const pm_clip *clip, cl_command_queue queue, const pm_clip **part,
                           pm_error *error) {
    size_t i = 0;
    const pm_status status = pm_cl_part_of_queue(clip->engine, queue, &i, error);
    if (status == PM_OK)
        *part = &clip->parts[i];
    return status;
}

static pm_status check(const enqueued *e) {
    bool any = false;
    float *host[PM_OUTPUT_COUNT];
    bool wants_host = false;
    pm_job_outputs(e->job, host);
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        wants_host = wants_host || host[o];
    if (wants_host)
        return pm_fail(e->error, PM_ERROR_ARGUMENT, "the job has host outputs: use pm_sample");
    if (e->job->on_reference)
        return pm_fail(e->error, PM_ERROR_ARGUMENT, "on_reference has no buffers to write");
    pm_status status = pm_job_check_samples(e->clip, e->job, e->error);
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++)
        if (buffer_of(e->outputs, o)) {
            any = true;
            status = check_buffer(e, o);
        }
    if (status == PM_OK && !any && e->job->sample_count > 0)
        return pm_fail(e->error, PM_ERROR_ARGUMENT,
                       "no output: rotations, positions, scales, velocities and accelerations "
                       "are all NULL");
    return status;
}

static pm_status make_buffer(const enqueued *e, const void *data, size_t size, cl_mem *buffer) {
    cl_mem_flags flags = data ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
    return pm_cl_buffer(e->clip->engine, flags, data, size, buffer, e->error);
}

/* Places are computed on the device, with an event to wait for, or copied to it now. */
static pm_status make_cursors(enqueued *e, const pm_piece *piece, cl_mem *cursors,
                              cl_event *computed) {
    pm_uniform_map uniform_map;
    size_t count = piece->count * pm_cl_cursor_rows(e->clip, e->job);
    if (pm_job_uniform_map(e->clip, e->job, &uniform_map)) {
        pm_status status = make_buffer(e, NULL, count * sizeof(pm_cursor), cursors);
        if (status != PM_OK)
            return status;
        return pm_cl_launch_locate(e->clip->engine, &uniform_map, piece->from, piece->count,
                                   *cursors, e->queue, computed, e->error);
    }
    pm_cursor *host = malloc(count * sizeof *host);
    if (!host)
        return pm_fail_memory(e->error);
    pm_job_cursors(e->clip, e->job, piece, host);
    pm_status status = make_buffer(e, host, count * sizeof *host, cursors);
    free(host);
    return status;
}

static pm_status launch_outputs(enqueued *e, const pm_piece *piece, cl_mem cursors, cl_mem tracks,
                                cl_event computed) {
    cl_uint waits = e->wait_count;
    size_t first = piece->from * pm_job_width(e->clip, e->job);
    if (computed)
        e->waits[waits++] = computed;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        if (!buffer_of(e->outputs, o))
            continue;
        pm_launch launch = {.clip = e->clip,
                            .output = &pm_outputs[o],
                            .sample_count = piece->count,
                            .pairs = tracks != NULL,
                            .parent = e->job->velocity_frame == PM_AXIS_PARENT,
                            .cursors = cursors,
                            .tracks = tracks,
                            .values = buffer_of(e->outputs, o),
                            .values_offset = offset_of(e->outputs, o) / sizeof(float) +
                                             first * pm_outputs[o].components};
        pm_status status = pm_cl_launch(&launch, e->queue, waits, waits ? e->waits : NULL,
                                        &e->events[e->event_count], e->error);
        if (status != PM_OK)
            return status;
        e->event_count++;
    }
    return PM_OK;
}

/* Buffers are released at once: OpenCL keeps them until the kernels are done. */
static pm_status enqueue_piece(enqueued *e, const pm_piece *piece) {
    cl_mem cursors = NULL, tracks = NULL;
    cl_event computed = NULL;
    pm_status status = make_cursors(e, piece, &cursors, &computed);
    if (status == PM_OK && e->job->tracks)
        status =
            make_buffer(e, e->job->tracks + piece->from, piece->count * sizeof(cl_uint), &tracks);
    if (status == PM_OK)
        status = launch_outputs(e, piece, cursors, tracks, computed);
    if (computed)
        clReleaseEvent(computed);
    pm_cl_release(tracks);
    pm_cl_release(cursors);
    return status;
}

static pm_status enqueue_all(enqueued *e, cl_event *done) {
    size_t total = e->job->sample_count;
    size_t max = pm_cl_piece_samples(e->clip, e->job, piece_bytes);
    size_t pieces = total / max + (total % max != 0);
    size_t slots;
    if (!pm_multiply(pieces + 1, PM_OUTPUT_COUNT * sizeof *e->events, &slots) ||
        pieces > UINT32_MAX / PM_OUTPUT_COUNT)
        return pm_fail(e->error, PM_ERROR_SIZE, "the job has too many pieces");
    e->events = malloc(slots);
    if (!e->events)
        return pm_fail_memory(e->error);
    pm_status status = PM_OK;
    for (pm_piece p = {0, 0}; status == PM_OK && p.from < total; p.from += p.count) {
        p.count = total - p.from < max ? total - p.from : max;
        status = enqueue_piece(e, &p);
    }
    if (status == PM_OK && done) {
        const cl_event *list = e->event_count ? e->events : e->waits;
        cl_uint count = e->event_count ? e->event_count : e->wait_count;
        status = pm_cl_marker(e->queue, count, list, done, e->error);
    }
    for (cl_uint i = 0; i < e->event_count; i++)
        clReleaseEvent(e->events[i]);
    free(e->events);
    return status;
}

pm_status pm_cl_sample(const pm_clip *clip, const pm_sample_job *job, const pm_cl_outputs *outputs,
                       cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                       cl_event *done, pm_error *error) {
    pm_error_clear(error);
    if (!clip || !job || !outputs || !queue || (wait_count && !wait_list))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !clip      ? "clip"
                       : !job     ? "job"
                       : !outputs ? "outputs"
                       : !queue   ? "queue"
                                  : "wait_list");
    if (!clip->parts[0].device)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the clip's engine is the reference path");
    const pm_clip *part = NULL;
    pm_status status = find_part(clip, queue, &part, error);
    if (status != PM_OK)
        return status;
    enqueued e = {.clip = part,
                  .job = job,
                  .outputs = outputs,
                  .queue = queue,
                  .wait_count = wait_count,
                  .error = error};
    status = check(&e);
    if (status != PM_OK)
        return status;
    e.waits = malloc(((size_t)wait_count + 1) * sizeof *e.waits);
    if (!e.waits)
        return pm_fail_memory(error);
    if (wait_count)
        memcpy(e.waits, wait_list, wait_count * sizeof *e.waits);
    status = enqueue_all(&e, done);
    free(e.waits);
    return status;
}
