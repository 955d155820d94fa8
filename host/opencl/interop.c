/* SPDX-License-Identifier: MIT
 *
 * The functions of posemill_cl.h: engines on a caller's contexts, jobs on a caller's queues.
 */
#include "device.h"
#include "multi/multi.h"

#include <stdlib.h>
#include <string.h>

pm_status pm_cl_engine_create_multi(const pm_cl_target *targets, size_t count,
                                    const pm_engine_desc *desc, pm_engine **engine,
                                    pm_error *error) {
    const pm_engine_desc defaults = {0};
    const pm_cl_targets given = {targets, count};
    pm_device **devices = NULL;
    size_t opened = 0;
    pm_error_clear(error);
    if (!targets || !engine)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", targets ? "engine" : "targets");
    if (count == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "count is 0, expected at least one target");
    desc = desc ? desc : &defaults;
    pm_status status = pm_engine_check(desc, error);
    for (size_t i = 0; status == PM_OK && i < count; i++)
        status = PM_CHECK_RESERVED(pm_cl_target, &targets[i], error);
    const pm_device_options options = pm_engine_options(desc);
    if (status == PM_OK)
        status = pm_cl_open(&given, desc, &options, &devices, &opened, error);
    return status == PM_OK ? pm_engine_of_devices(desc, devices, opened, engine, error) : status;
}

pm_status pm_cl_engine_create(cl_context context, cl_device_id device, const pm_engine_desc *desc,
                              pm_engine **engine, pm_error *error) {
    const pm_cl_target target = {.context = context, .device = device};
    if (!context || !device)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", context ? "device" : "context");
    return pm_cl_engine_create_multi(&target, 1, desc, engine, error);
}

/* Whether an engine runs on OpenCL. Several devices all have the same backend. */
static bool is_on_opencl(const pm_engine *engine) {
    return pm_cl_is_device(engine->device->members[0]);
}

cl_context pm_cl_context(const pm_engine *engine) {
    return engine && is_on_opencl(engine) ? pm_opencl_of(engine->device->members[0])->context
                                          : NULL;
}

cl_device_id pm_cl_device(const pm_engine *engine) {
    return engine && is_on_opencl(engine) ? pm_opencl_of(engine->device->members[0])->id : NULL;
}

/* Finds the member of a device that a caller's queue belongs to. */
static pm_status member_of_queue(const pm_device *device, cl_command_queue queue, size_t *member,
                                 pm_error *error) {
    cl_context context = NULL;
    cl_device_id id = NULL;
    cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, NULL);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clGetCommandQueueInfo");
    for (size_t i = 0; i < device->member_count; i++) {
        const pm_opencl_device *cl = pm_opencl_of(device->members[i]);
        if (context == cl->context && id == cl->id) {
            *member = i;
            return PM_OK;
        }
    }
    return pm_fail(error, PM_ERROR_ARGUMENT,
                   "queue belongs to another context or device than the engine's");
}

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

/* Checks that there is an output, that the clip has its channel, and that its buffer is large enough. */
static pm_status check_outputs(const pm_device_clip *clip, const pm_sample_request *request,
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
    if (status == PM_OK && done && count == 1) {
        *done = events[0]; /* a marker behind it would be one more command */
        count = 0;
    } else if (status == PM_OK && done) {
        const pm_cl_wait all = {s->queue, count ? events : s->waits, count ? count : s->wait_count};
        status = pm_cl_marker(&all, done, s->error);
    }
    for (cl_uint i = 0; i < count; i++)
        clReleaseEvent(events[i]);
    free(events);
    return status;
}

/* *done, if not NULL, receives an event, which the caller releases. */
static pm_status enqueue_samples(const pm_device_clip *clip, const pm_sample_request *request,
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

/* The positions of an output's buffer and offset in pm_cl_outputs. */
#define PM_FIELDS(name)                                                                            \
    { offsetof(pm_cl_outputs, name), offsetof(pm_cl_outputs, name##_offset) }
static const struct {
    size_t buffer, offset;
} fields[PM_OUTPUT_COUNT] = {[PM_OUT_ROTATIONS] = PM_FIELDS(rotations),
                             [PM_OUT_POSITIONS] = PM_FIELDS(positions),
                             [PM_OUT_SCALES] = PM_FIELDS(scales),
                             [PM_OUT_VELOCITIES] = PM_FIELDS(velocities),
                             [PM_OUT_ACCELERATIONS] = PM_FIELDS(accelerations)};

static pm_cl_sample_outputs outputs_of(const pm_cl_outputs *outputs) {
    pm_cl_sample_outputs resolved;
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const char *bytes = (const char *)outputs;
        memcpy(&resolved.of[o].buffer, bytes + fields[o].buffer, sizeof resolved.of[o].buffer);
        memcpy(&resolved.of[o].offset, bytes + fields[o].offset, sizeof resolved.of[o].offset);
    }
    return resolved;
}

static pm_status check_samples(const pm_device_clip *clip, const pm_sample_job *job,
                               const pm_sample_request *request,
                               const pm_cl_sample_outputs *outputs, pm_error *error) {
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++)
        if (request->outputs[o])
            return pm_fail(error, PM_ERROR_ARGUMENT,
                           "the job has outputs in host memory: use pm_sample");
    if (job->on_reference)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "on_reference is set: the reference path cannot write to buffers");
    const pm_status status = pm_sample_check_times(clip->data, job, request->host_threads, error);
    return status == PM_OK ? check_outputs(clip, request, outputs, error) : status;
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
    if (!is_on_opencl(clip->engine))
        return pm_fail(error, PM_ERROR_ARGUMENT, "the clip's engine is the reference path");
    size_t member = 0;
    pm_status status = pm_device_check(clip->engine->device, error);
    if (status == PM_OK)
        status = member_of_queue(clip->engine->device, queue, &member, error);
    if (status == PM_OK)
        status = PM_CHECK_RESERVED(pm_sample_job, job, error);
    if (status == PM_OK)
        status = PM_CHECK_RESERVED(pm_cl_outputs, outputs, error);
    if (status != PM_OK)
        return status;
    const pm_device_clip *on_member = clip->on_device->members[member];
    const pm_sample_request request = pm_engine_sample_request(clip, job);
    const pm_cl_sample_outputs resolved = outputs_of(outputs);
    const pm_cl_wait wait = {queue, wait_list, wait_count};
    status = check_samples(on_member, job, &request, &resolved, error);
    return status == PM_OK ? enqueue_samples(on_member, &request, &resolved, &wait, done, error)
                           : status;
}

pm_status pm_cl_crowd_pose(pm_crowd *crowd, const pm_cl_crowd_job *job, cl_command_queue queue,
                           cl_uint wait_count, const cl_event *wait_list, cl_event *done,
                           pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !job || !queue || (wait_count && !wait_list))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd   ? "crowd"
                       : !job   ? "job"
                       : !queue ? "queue"
                                : "wait_list");
    if (!is_on_opencl(crowd->engine))
        return pm_fail(error, PM_ERROR_ARGUMENT, "the crowd's engine is the reference path");
    const pm_cl_wait wait = {queue, wait_list, wait_count};
    size_t member = 0; /* always 0: a crowd is on one device */
    pm_status status = pm_device_check(crowd->engine->device, error);
    if (status == PM_OK)
        status = member_of_queue(crowd->engine->device, queue, &member, error);
    if (status == PM_OK)
        status = PM_CHECK_RESERVED(pm_cl_crowd_job, job, error);
    const bool is_empty =
        job->instance_count == 0 || (pm_cl_is_given(&job->indices) && pm_cl_index_count(job) == 0);
    if (status == PM_OK && is_empty) /* complete when the commands before it are */
        return done ? pm_cl_marker(&wait, done, error) : PM_OK;
    if (status != PM_OK)
        return status;
    const pm_held_crowd held = pm_crowd_hold(crowd);
    status = pm_cl_check_poses(held.on_device, job, error);
    if (status == PM_OK)
        status = pm_cl_enqueue_poses(held.on_device, job, 0, &wait, done, error);
    pm_crowd_let(&held);
    return status;
}
