/* SPDX-License-Identifier: MIT
 *
 * The functions of posemill_cl.h: engines on a caller's contexts, jobs on a caller's queues.
 */
#include "engine.h"

#include <posemill/posemill_cl.h>

#include <string.h>

#include "opencl/opencl.h"

pm_status pm_cl_engine_create_multi(const pm_cl_target *targets, size_t count,
                                    const pm_engine_desc *desc, pm_engine **engine,
                                    pm_error *error) {
    const pm_engine_desc defaults = {0};
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
        status = PM_CHECK_NEXT(pm_cl_target, &targets[i], error);
    const pm_device_options options = pm_engine_options(desc);
    if (status == PM_OK)
        status = pm_cl_open(targets, count, desc, &options, &devices, &opened, error);
    return status == PM_OK ? pm_engine_of_devices(desc, devices, opened, engine, error) : status;
}

pm_status pm_cl_engine_create(cl_context context, cl_device_id device, const pm_engine_desc *desc,
                              pm_engine **engine, pm_error *error) {
    const pm_cl_target target = {.context = context, .device = device};
    if (!context || !device)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", context ? "device" : "context");
    return pm_cl_engine_create_multi(&target, 1, desc, engine, error);
}

cl_context pm_cl_context(const pm_engine *engine) {
    return engine ? pm_cl_objects_of(engine->device->members[0]).context : NULL;
}

cl_device_id pm_cl_device(const pm_engine *engine) {
    return engine ? pm_cl_objects_of(engine->device->members[0]).device : NULL;
}

/* Finds the member of a device that a caller's queue belongs to. `what` the engine is of is for messages. */
static pm_status find_member(const pm_device *device, const char *what, cl_command_queue queue,
                             size_t *member, pm_error *error) {
    if (!device->members[0]->backend->owns_queue)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the %s's engine is the reference path", what);
    pm_status status = pm_device_check(device, error);
    bool owns = false;
    for (*member = 0; status == PM_OK && *member < device->member_count; ++*member) {
        const pm_device *one = device->members[*member];
        status = one->backend->owns_queue(one, queue, &owns, error);
        if (owns)
            return status;
    }
    if (status != PM_OK)
        return status;
    return pm_fail(error, PM_ERROR_ARGUMENT,
                   "queue belongs to another context or device than the engine's");
}

/* The positions of an output's buffer and offset in pm_cl_outputs. */
#define PM_FIELDS(name)                                                                            \
    { offsetof(pm_cl_outputs, name), offsetof(pm_cl_outputs, name##_offset) }
static const struct {
    size_t buffer, offset;
} output_fields[PM_OUTPUT_COUNT] = {[PM_OUT_ROTATIONS] = PM_FIELDS(rotations),
                                    [PM_OUT_POSITIONS] = PM_FIELDS(positions),
                                    [PM_OUT_SCALES] = PM_FIELDS(scales),
                                    [PM_OUT_VELOCITIES] = PM_FIELDS(velocities),
                                    [PM_OUT_ACCELERATIONS] = PM_FIELDS(accelerations)};

/* Gives a request its outputs in buffers. */
static void set_handles(const pm_cl_outputs *outputs, pm_sample_request *request) {
    for (unsigned o = 0; o < PM_OUTPUT_COUNT; o++) {
        const char *bytes = (const char *)outputs;
        cl_mem buffer;
        memcpy(&buffer, bytes + output_fields[o].buffer, sizeof buffer);
        memcpy(&request->handles[o].offset, bytes + output_fields[o].offset, sizeof(size_t));
        request->handles[o].handle = buffer;
    }
}

/* Checks the times, that there is an output, that the clip has its channel, and that its buffer is large enough. */
static pm_status check_samples(const pm_device *device, const pm_sample_job *job,
                               const pm_sample_request *request, pm_error *error) {
    const pm_clip_data *timed = request->lowpass ? request->lowpass->source : request->clip;
    pm_status status = pm_sample_check_times(timed, job, request->host_threads, error);
    if (status == PM_OK && request->lowpass)
        status = pm_filter_check(job, request, error);
    if (status == PM_OK && (request->sample_count > 0 || pm_sample_outputs(request)))
        status = pm_sample_check_outputs(request, error);
    for (unsigned o = 0; status == PM_OK && o < PM_OUTPUT_COUNT; o++)
        if (request->handles[o].handle)
            status = device->backend->check_address(
                device, pm_outputs[o].name, &request->handles[o],
                pm_outputs[o].components == 4 ? 16 : 4, pm_sample_span(request, o), error);
    return status;
}

/* The driver's object is the caller's type. */
static pm_status enqueue(const pm_job *job, size_t member, const pm_queue *queue, cl_event *done,
                         pm_error *error) {
    void *event = NULL;
    const pm_status status = job->kind->enqueue(job, member, queue, done ? &event : NULL, error);
    if (done && event)
        *done = event;
    return status;
}

/* Checks and enqueues a job of a request whose outputs are not set yet. */
static pm_status sample_on(const pm_clip *clip, size_t member, const pm_sample_job *job,
                           pm_sample_request *request, const pm_cl_outputs *outputs,
                           const pm_queue *on, cl_event *done, pm_error *error) {
    if (pm_sample_outputs(request))
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "the job has outputs in host memory: use pm_%ssample",
                       request->lowpass ? "filter_" : "");
    if (job->on_reference)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "on_reference is set: the reference path cannot write to buffers");
    set_handles(outputs, request);
    const pm_status status =
        check_samples(clip->engine->device->members[member], job, request, error);
    pm_job resolved = pm_job_of_samples(clip->on_device, request, 1);
    resolved.source = clip;
    return status == PM_OK ? enqueue(&resolved, member, on, done, error) : status;
}

/* `what` is sampled: "clip", or "filter" with a low-pass, both of which may be NULL. */
static pm_status sample(const char *what, const pm_clip *clip, const pm_lowpass *lowpass,
                        const pm_sample_job *job, const pm_cl_outputs *outputs, const pm_queue *on,
                        cl_event *done, pm_error *error) {
    pm_clip_data *subset = NULL;
    pm_error_clear(error);
    if (!clip || !job || !outputs || !on->handle || (on->wait_count && !on->waits))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !clip         ? what
                       : !job        ? "job"
                       : !outputs    ? "outputs"
                       : !on->handle ? "queue"
                                     : "wait_list");
    size_t member;
    pm_status status = find_member(clip->engine->device, what, on->handle, &member, error);
    if (status == PM_OK)
        status = PM_CHECK_NEXT(pm_sample_job, job, error);
    if (status == PM_OK)
        status = PM_CHECK_NEXT(pm_cl_outputs, outputs, error);
    if (status == PM_OK && !lowpass) /* which has none */
        status = pm_engine_subset(clip, job, &subset, error);
    if (status == PM_OK) {
        pm_sample_request request = pm_engine_sample_request(clip, subset, job);
        request.lowpass = lowpass;
        status = sample_on(clip, member, job, &request, outputs, on, done, error);
    }
    pm_clip_data_free(&subset);
    return status;
}

pm_status pm_cl_sample(const pm_clip *clip, const pm_sample_job *job, const pm_cl_outputs *outputs,
                       cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                       cl_event *done, pm_error *error) {
    const pm_queue on = {queue, wait_list, wait_count};
    return sample("clip", clip, NULL, job, outputs, &on, done, error);
}

pm_status pm_cl_filter_sample(const pm_filter *filter, const pm_sample_job *job,
                              const pm_cl_outputs *outputs, cl_command_queue queue,
                              cl_uint wait_count, const cl_event *wait_list, cl_event *done,
                              pm_error *error) {
    const pm_queue on = {queue, wait_list, wait_count};
    return sample("filter", filter ? filter->clip : NULL, filter ? &filter->lowpass : NULL, job,
                  outputs, &on, done, error);
}

/* ---- crowds ---- */

static pm_address address_of(const pm_cl_input *input) {
    return (pm_address){(void *)(uintptr_t)input->memory, input->buffer, input->offset};
}

static pm_pose_request inputs_of(const pm_crowd_data *crowd, const pm_cl_crowd_job *job) {
    const pm_cl_input instances = {job->instances, job->instance_buffer, job->instances_offset};
    pm_pose_request r = {.host = crowd->host,
                         .crowd = crowd,
                         .instances = address_of(&instances),
                         .layers = address_of(&job->layers),
                         .ranges = address_of(&job->ranges),
                         .indices = address_of(&job->indices),
                         .counted = address_of(&job->counted),
                         .poses = address_of(&job->poses),
                         .placements = address_of(&job->placements),
                         .goals = address_of(&job->goals),
                         .transitions = address_of(&job->transitions),
                         .plants = address_of(&job->plants),
                         .heights = address_of(&job->heights),
                         .speeds = address_of(&job->speeds),
                         .instance_count = job->instance_count,
                         .layer_count = job->layer_count,
                         .index_count = job->index_count,
                         .pose_stride = job->pose_stride,
                         .goal_stride = job->goal_stride,
                         .transition_stride = job->transition_stride,
                         .transition_time = job->transition_time,
                         .plant_stride = job->plant_stride,
                         .frame = job->frame};
    r.packed = pm_is_given(&r.indices) && job->packed;
    if (r.index_count == 0 && pm_is_given(&r.counted))
        r.index_count = job->instance_count;
    return r;
}

static pm_status resolve_poses(const pm_device *device, const pm_cl_crowd_job *job,
                               pm_pose_request *request, pm_error *error) {
    pm_status status = PM_CHECK_NEXT(pm_cl_crowd_job, job, error);
    if (status != PM_OK || pm_pose_is_empty(request))
        return status;
    status = pm_pose_check_list(job->outputs, job->output_count, error);
    if (status == PM_OK)
        status = pm_crowd_find_chains(request->crowd->skeleton, job->chains, job->chain_count,
                                      &request->chains, error);
    if (status == PM_OK)
        status = pm_crowd_find_ground(&job->ground, pm_is_given(&request->heights),
                                      &request->chains, &request->grid, error);
    for (size_t i = 0; status == PM_OK && i < job->output_count; i++) {
        const pm_cl_crowd_target *target = &job->outputs[i];
        status = PM_CHECK_NEXT(pm_cl_crowd_target, target, error);
        request->targets[request->target_count++] = (pm_pose_target){
            .view = {target->output, target->subset},
            .flags = target->flags,
            .to = {.handle = target->buffer, .offset = target->offset},
            .previous = {.handle = target->previous, .offset = target->previous_offset},
            .stride = target->stride};
    }
    return status == PM_OK ? pm_pose_resolve(request, device, error) : status;
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
    const pm_queue on = {queue, wait_list, wait_count};
    size_t member; /* always 0: a crowd is on one device */
    pm_status status = find_member(crowd->engine->device, "crowd", queue, &member, error);
    if (status != PM_OK)
        return status;
    const pm_held_crowd held = pm_crowd_hold(crowd);
    pm_pose_request request = inputs_of(held.data, job);
    status = resolve_poses(crowd->engine->device, job, &request, error);
    if (status == PM_OK) {
        const pm_job resolved = pm_job_of_poses(held.on_device, &request);
        status = enqueue(&resolved, member, &on, done, error);
    }
    pm_crowd_let(&held);
    return status;
}

/* What a job of a change poses, behind those before it in the memory for poses. */
static pm_status find_poses(const pm_device *device, const pm_cl_crowd_transition *c, size_t n,
                            const pm_pose_request *capture, pm_pose_request *r, pm_error *error) {
    const pm_cl_crowd_job *job = n < 2 ? c->before[n] : c->after[n - 2];
    *r = inputs_of(capture->crowd, job);
    r->indices = capture->indices;
    r->counted = capture->counted;
    r->index_count = capture->index_count;
    r->packed = capture->packed;
    r->goals = r->placements = r->plants = r->heights = r->speeds = (pm_address){0};
    r->poses_all = true;
    r->target_count = 1;
    r->targets[0] = (pm_pose_target){
        .view = {PM_CROWD_LOCAL, 0},
        .to = {.handle = c->work, .offset = c->work_offset + n * capture->capture.apart}};
    if (job->instance_count != capture->instance_count)
        return pm_fail(error, PM_ERROR_ARGUMENT, "before, after: the numbers of instances differ");
    if (n >= 2 && pm_is_given(&r->transitions))
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "after: expected no transitions: they are what begins");
    const pm_status status = PM_CHECK_NEXT(pm_cl_crowd_job, job, error);
    return status == PM_OK ? pm_pose_resolve(r, device, error) : status;
}

/* Of the states and of what four jobs of local poses are checked with. */
static pm_status find_capture(const pm_device *device, const pm_crowd_data *crowd,
                              const pm_cl_crowd_transition *c, pm_pose_request *r,
                              pm_error *error) {
    const size_t state = pm_transition_state_bytes(crowd);
    size_t most, all;
    pm_status status = PM_CHECK_NEXT(pm_cl_crowd_transition, c, error);
    for (size_t n = 0; status == PM_OK && n < 2; n++)
        if (!c->before[n] || !c->after[n])
            status = pm_fail(error, PM_ERROR_ARGUMENT, "before, after: expected two jobs each");
    if (status == PM_OK)
        status = pm_transition_check_times(c->step, c->duration, error);
    if (status != PM_OK)
        return status;
    *r = (pm_pose_request){.host = crowd->host,
                           .crowd = crowd,
                           .indices = address_of(&c->indices),
                           .counted = address_of(&c->counted),
                           .poses = {.handle = c->work, .offset = c->work_offset},
                           .transitions = {.handle = c->states, .offset = c->states_offset},
                           .instance_count = c->before[1]->instance_count,
                           .index_count = c->index_count,
                           .transition_stride = c->stride ? c->stride : state,
                           .transition_time = c->time,
                           .staged = PM_STAGED_ENTRIES,
                           .capture = pm_capture_rule_of(c->step, c->duration)};
    r->packed = pm_is_given(&r->indices);
    if (r->index_count == 0 && pm_is_given(&r->counted))
        r->index_count = r->instance_count;
    r->pose_stride = pm_pose_local_bytes(r);
    if (pm_pose_is_empty(r))
        return PM_OK;
    if (!c->states || !c->work)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", c->states ? "work" : "states");
    if (r->transition_stride < state)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "stride: expected at least pm_crowd_transition_bytes");
    if (!pm_multiply(r->instance_count, r->transition_stride, &all) ||
        !pm_multiply(pm_pose_entries(r), 4 * r->pose_stride, &most))
        return pm_fail(error, PM_ERROR_SIZE, "the states and the poses do not fit size_t");
    r->capture.apart = most / 4;
    status = pm_check_multiple("states", "stride", r->transition_stride, 16, error);
    if (status == PM_OK)
        status = device->backend->check_address(device, "states", &r->transitions, 16,
                                                all - r->transition_stride + state, error);
    return status == PM_OK
               ? device->backend->check_address(device, "work", &r->poses, 16, most, error)
               : status;
}

/* Four jobs of poses, then the capture, which waits for them. */
static pm_status begin_transitions(const pm_held_crowd *held, const pm_device *device,
                                   const pm_cl_crowd_transition *c, const pm_queue *on,
                                   cl_event *done, pm_error *error) {
    pm_pose_request capture, poses[4];
    void *posed[4] = {NULL};
    pm_status status = find_capture(device, held->data, c, &capture, error);
    const bool empty = status == PM_OK && pm_pose_is_empty(&capture);
    for (size_t n = 0; status == PM_OK && !empty && n < 4; n++)
        status = find_poses(device, c, n, &capture, &poses[n], error);
    for (size_t n = 0; status == PM_OK && !empty && n < 4; n++) {
        const pm_job job = pm_job_of_poses(held->on_device, &poses[n]);
        status = job.kind->enqueue(&job, 0, on, &posed[n], error);
    }
    const pm_queue after = empty ? *on : (pm_queue){on->handle, posed, 4};
    if (status == PM_OK) {
        const pm_job job = pm_job_of_poses(held->on_device, &capture);
        status = enqueue(&job, 0, &after, done, error);
    }
    for (size_t n = 0; n < 4; n++)
        pm_cl_let_event(&posed[n]);
    return status;
}

pm_status pm_cl_crowd_begin_transitions(const pm_crowd *crowd, const pm_cl_crowd_transition *change,
                                        cl_command_queue queue, cl_uint wait_count,
                                        const cl_event *wait_list, cl_event *done,
                                        pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !change || !queue || (wait_count && !wait_list))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd    ? "crowd"
                       : !change ? "change"
                       : !queue  ? "queue"
                                 : "wait_list");
    const pm_queue on = {queue, wait_list, wait_count};
    size_t member; /* always 0: a crowd is on one device */
    pm_status status = find_member(crowd->engine->device, "crowd", queue, &member, error);
    if (status != PM_OK)
        return status;
    const pm_held_crowd held = pm_crowd_hold(crowd);
    status = begin_transitions(&held, crowd->engine->device, change, &on, done, error);
    pm_crowd_let(&held);
    return status;
}

/* ---- points ---- */

/* The end of a field in its buffer, in bytes; 0: it begins before the buffer, or its end does not fit size_t. */
static size_t end_of(const pm_points_rows *rows, size_t count, size_t offset) {
    ptrdiff_t last, low = 0, high = (ptrdiff_t)rows->bytes;
    ptrdiff_t across = 0;
    if (count > (size_t)PTRDIFF_MAX ||
        __builtin_mul_overflow((ptrdiff_t)(count - 1), rows->stride, &last) ||
        __builtin_mul_overflow((ptrdiff_t)(rows->numbers - 1), rows->step, &across) ||
        __builtin_add_overflow(low, last < 0 ? last : 0, &low) ||
        __builtin_add_overflow(low, across < 0 ? across : 0, &low) ||
        __builtin_add_overflow(high, last < 0 ? 0 : last, &high) ||
        __builtin_add_overflow(high, across < 0 ? 0 : across, &high))
        return 0;
    const size_t before = (size_t)0 - (size_t)low;
    size_t end;
    return before > offset || __builtin_add_overflow(offset, (size_t)high, &end) ? 0 : end;
}

/* Records may begin anywhere in a buffer, which begins at a multiple of 8 in host memory. */
static pm_status check_field(const pm_device *device, const pm_points_request *r, unsigned field,
                             pm_error *error) {
    const pm_points_rows rows = pm_points_rows_of(r, field);
    const pm_address *at = &r->handles[field], whole = {.handle = at->handle};
    if (rows.memory && (at->handle || field >= PM_POINTS_MOVED))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: the job has data in host memory%s", rows.name,
                       at->handle ? ", and a buffer" : ", but a queue writes to buffers");
    if (!at->handle)
        return PM_OK;
    const size_t end = end_of(&rows, r->job.count, at->offset);
    if (end == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: records begin before the buffer, or too far",
                       rows.name);
    return device->backend->check_address(device, rows.name, &whole, 8, end, error);
}

static pm_status check_points(const pm_device *device, const pm_points_request *r,
                              pm_error *error) {
    pm_status status = PM_OK;
    if (r->job.outside == PM_OUTSIDE_REFUSE)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "outside is PM_OUTSIDE_REFUSE, which a queue cannot report");
    if (r->job.invalid_count)
        return pm_fail(error, PM_ERROR_ARGUMENT, "invalid_count is not that of a queue: use valid");
    for (unsigned f = 0; status == PM_OK && f < PM_POINTS_FIELDS; f++)
        status = check_field(device, r, f, error);
    return status;
}

pm_status pm_cl_move_points(const pm_points_job *job, const pm_cl_points *fields,
                            cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                            cl_event *done, pm_error *error) {
    const pm_queue on = {queue, wait_list, wait_count};
    pm_address handles[PM_POINTS_FIELDS];
    pm_points_request request;
    pm_points_made made;
    size_t member;
    pm_error_clear(error);
    if (!job || !fields || !queue || (wait_count && !wait_list))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !job      ? "job"
                       : !fields ? "fields"
                       : !queue  ? "queue"
                                 : "wait_list");
    pm_status status = PM_CHECK_NEXT(pm_cl_points, fields, error);
    if (status != PM_OK)
        return status;
    const pm_cl_field all[PM_POINTS_FIELDS] = {fields->stamps,
                                               fields->points,
                                               fields->tracks[0],
                                               fields->tracks[1],
                                               fields->tracks[2],
                                               fields->tracks[3],
                                               fields->moved,
                                               fields->rotations,
                                               fields->positions,
                                               fields->velocities,
                                               fields->angular_velocities,
                                               fields->valid};
    for (unsigned f = 0; f < PM_POINTS_FIELDS; f++)
        handles[f] = (pm_address){.handle = all[f].buffer, .offset = all[f].offset};
    status = pm_points_request_of(job, handles, &request, &made, error);
    pm_device *device = status == PM_OK ? job->frames[0].trajectory->engine->device : NULL;
    if (status == PM_OK)
        status = find_member(device, "trajectory", queue, &member, error);
    if (status == PM_OK && job->count)
        status = check_points(device->members[member], &request, error);
    if (status == PM_OK) {
        const pm_job resolved = pm_job_of_points(device, &request);
        status = enqueue(&resolved, member, &on, done, error);
    }
    pm_points_made_free(&made);
    return status;
}
