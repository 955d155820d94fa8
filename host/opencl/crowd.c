/* SPDX-License-Identifier: MIT
 *
 * Crowds on an OpenCL device: their tables, and posing on a queue. The first frame creates the
 * kernels and copies; later frames reuse them.
 */
#include "device.h"

#include <stdlib.h>

#include "instance_copies.h"
#include "kernels/pm_memory.h"

/* The tables, in the order of the kernel's arguments. */
enum {
    TABLE_JOINTS,
    TABLE_CLIPS,
    TABLE_TIMELINES,
    TABLE_TIMES,
    TABLE_LEVELS,
    TABLE_LEVEL_JOINTS,
    TABLE_MASKS,
    TABLE_LAYOUT,
    TABLE_ROTATIONS,
    TABLE_CONSTANTS,
    TABLE_POSITIONS,
    TABLE_SCALES,
    TABLE_STAGES, /* this and the next: crowd_workgroup only */
    TABLE_STAGE_JOINTS,
    TABLE_COUNT
};

typedef struct pm_opencl_crowd {
    pm_device_crowd crowd;
    cl_mem tables[TABLE_COUNT]; /* NULL for a missing channel */
    size_t stage_count, slots;  /* of pm_stages */
    pthread_mutex_t lock;       /* guards the fields below: a kernel has one set of arguments */
    pm_made_kernel kernels[PM_CROWD_OUTPUT_COUNT];
    pm_instance_copy *copies;
} pm_opencl_crowd;

static pm_opencl_device *device_of(const pm_opencl_crowd *crowd) {
    return pm_opencl_of(crowd->crowd.device);
}

/* ---- tables -------------------------------------------------------------------------- */

static pm_status upload(pm_opencl_crowd *crowd, unsigned table, const void *data, size_t size,
                        pm_error *error) {
    pm_opencl_device *cl = device_of(crowd);
    pm_status status =
        pm_check_allocation(cl->device.info.max_allocation_bytes, "crowd", size, error);
    return status == PM_OK
               ? pm_cl_buffer(cl, CL_MEM_READ_ONLY, data, size, &crowd->tables[table], error)
               : status;
}

static pm_status upload_tables(pm_opencl_crowd *crowd, const pm_stages *stages, pm_error *error) {
    static const pm_key_time no_times[1] = {{0, 0}};
    const pm_crowd_data *data = crowd->crowd.data;
    const pm_skeleton *s = data->skeleton;
    size_t n = s->joint_count;
    const pm_channel *rotations = &data->channels[PM_ROTATIONS];
    const pm_channel *positions = &data->channels[PM_POSITIONS];
    const pm_channel *scales = &data->channels[PM_SCALES];
    const struct {
        const void *data;
        size_t size;
    } tables[TABLE_COUNT] = {
        [TABLE_JOINTS] = {data->joints, n * sizeof *data->joints},
        [TABLE_CLIPS] = {data->clips, data->clip_count * sizeof *data->clips},
        [TABLE_TIMELINES] = {data->timelines, data->timeline_count * sizeof *data->timelines},
        [TABLE_TIMES] = {data->time_count ? data->times : no_times,
                         (data->time_count ? data->time_count : 1) * sizeof *data->times},
        [TABLE_LEVELS] = {s->levels, s->level_count * sizeof *s->levels},
        [TABLE_LEVEL_JOINTS] = {s->level_joints, s->level_count * n},
        [TABLE_MASKS] = {s->masks, (s->mask_count + 1) * n * sizeof *s->masks},
        [TABLE_LAYOUT] = {data->layout, data->layout_rows * sizeof *data->layout},
        [TABLE_ROTATIONS] = {rotations->keys, rotations->key_bytes},
        [TABLE_CONSTANTS] = {rotations->constants,
                             (rotations->constant_floats + 1) * sizeof(float)},
        [TABLE_POSITIONS] = {positions->keys, positions->key_bytes},
        [TABLE_SCALES] = {scales->keys, scales->key_bytes},
        [TABLE_STAGES] = {stages->stages, stages->stage_count * sizeof *stages->stages},
        [TABLE_STAGE_JOINTS] = {stages->joints, n * sizeof *stages->joints}};
    pm_status status = PM_OK;
    for (unsigned t = 0; status == PM_OK && t < TABLE_COUNT; t++)
        if (tables[t].data)
            status = upload(crowd, t, tables[t].data, tables[t].size, error);
    return status;
}

static pm_status upload_stages_and_tables(pm_opencl_crowd *crowd, pm_error *error) {
    pm_stages stages;
    pm_status status = pm_stages_build(crowd->crowd.data->skeleton,
                                       pm_cl_max_slots(device_of(crowd)), &stages, error);
    crowd->stage_count = stages.stage_count;
    crowd->slots = stages.slots;
    if (status == PM_OK)
        status = upload_tables(crowd, &stages, error);
    pm_stages_free(&stages);
    return status;
}

pm_status pm_cl_crowd_upload(pm_device *device, const pm_crowd_data *data, pm_device_crowd **crowd,
                             pm_error *error) {
    pm_opencl_crowd *made = calloc(1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    made->crowd = (pm_device_crowd){device, data};
    pthread_mutex_init(&made->lock, NULL);
    const pm_status status = upload_stages_and_tables(made, error);
    if (status == PM_OK)
        *crowd = &made->crowd;
    else
        pm_cl_crowd_release(&made->crowd);
    return status;
}

static void release_kernel(pm_made_kernel *made) {
    if (made->kernel)
        clReleaseKernel(made->kernel);
    *made = (pm_made_kernel){.kernel = NULL};
}

void pm_cl_crowd_release(pm_device_crowd *device_crowd) {
    pm_opencl_crowd *crowd = (pm_opencl_crowd *)device_crowd;
    for (unsigned t = 0; t < TABLE_COUNT; t++)
        pm_cl_release(crowd->tables[t]);
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++)
        release_kernel(&crowd->kernels[o]);
    pm_copies_free(&crowd->copies);
    pthread_mutex_destroy(&crowd->lock);
    free(crowd);
}

/* ---- kernels --------------------------------------------------------------------------- */

/* A kernel's arguments: the instances and their offset, the tables, then those that change from
 * call to call. */
enum { ARGUMENT_INSTANCES, ARGUMENT_INSTANCES_OFFSET, ARGUMENT_TABLES };

static cl_uint tables_of(uint32_t lanes) {
    return lanes == 1 ? TABLE_COUNT : TABLE_STAGES;
}

static pm_status set_argument(cl_kernel kernel, cl_uint argument, size_t size, const void *value,
                              pm_error *error) {
    cl_int code = clSetKernelArg(kernel, argument, size, value);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clSetKernelArg");
}

pm_variant pm_cl_crowd_variant(const pm_device_crowd *crowd, pm_crowd_output output) {
    const pm_crowd_data *data = crowd->data;
    const pm_channel *rotations = &data->channels[PM_ROTATIONS];
    const uint32_t lanes = pm_cl_narrow_lanes(pm_opencl_of(crowd->device));
    return (pm_variant){.file = lanes == 1 ? "crowd_workgroup" : "crowd",
                        .curve = pm_curves[rotations->impl.curve].name,
                        .components = 4,
                        .lanes = lanes,
                        .format = rotations->format,
                        .vector_curve = pm_curves[data->channels[PM_POSITIONS].impl.curve].name,
                        .output = output,
                        .per_joint = lanes == 1 && data->per_joint};
}

static pm_status make_kernel(const pm_opencl_crowd *crowd, pm_crowd_output output,
                             pm_made_kernel *made, pm_error *error) {
    const pm_variant variant = pm_cl_crowd_variant(&crowd->crowd, output);
    const uint32_t lanes = variant.lanes;
    pm_made_kernel fresh;
    if (lanes == 1 && pm_cl_shared_bytes(crowd->slots) > device_of(crowd)->shared_bytes)
        return pm_fail(
            error, PM_ERROR_DEVICE, "the device's local memory is %llu bytes, crowds need %zu",
            (unsigned long long)device_of(crowd)->shared_bytes, pm_cl_shared_bytes(crowd->slots));
    pm_status status = pm_cl_kernel(device_of(crowd), &variant, &fresh, error);
    if (status != PM_OK)
        return status;
    for (cl_uint t = 0; status == PM_OK && t < tables_of(lanes); t++) {
        const cl_mem *tables = crowd->tables;
        const cl_mem *table =
            &tables[tables[t] ? t : TABLE_JOINTS]; /* a missing table is not read */
        status = set_argument(fresh.kernel, ARGUMENT_TABLES + t, sizeof *table, table, error);
    }
    if (status == PM_OK)
        *made = fresh;
    else
        release_kernel(&fresh);
    return status;
}

/* Whether an output has a kernel with the present number of lanes. */
static bool has_kernel(const pm_opencl_crowd *crowd, unsigned output) {
    const pm_made_kernel *kept = &crowd->kernels[output];
    return kept->kernel && kept->lanes == pm_cl_narrow_lanes(device_of(crowd));
}

/* Creates a missing kernel. The lock is released meanwhile, because building a program takes long
 * and calls the log. OpenCL retains a replaced kernel for the frames in flight. */
static pm_status add_kernel(pm_opencl_crowd *crowd, pm_crowd_output output, pm_error *error) {
    pm_made_kernel made;
    pthread_mutex_unlock(&crowd->lock);
    pm_status status = make_kernel(crowd, output, &made, error);
    pthread_mutex_lock(&crowd->lock);
    if (status != PM_OK)
        return status;
    if (has_kernel(crowd, output)) {
        release_kernel(&made);
    } else {
        release_kernel(&crowd->kernels[output]);
        crowd->kernels[output] = made;
    }
    return PM_OK;
}

/* Creates the missing kernels for a job's outputs. */
static pm_status add_kernels(pm_opencl_crowd *crowd, const pm_cl_crowd_job *job, pm_error *error) {
    pm_status status = PM_OK;
    for (unsigned o = 0; status == PM_OK && o < PM_CROWD_OUTPUT_COUNT; o++)
        if (job->outputs[o].buffer && !has_kernel(crowd, o))
            status = add_kernel(crowd, (pm_crowd_output)o, error);
    return status;
}

/* ---- one call ---------------------------------------------------------------------------- */

/* A list of events of bounded length, so that a frame allocates no memory. */
typedef struct event_list {
    cl_event events[PM_CROWD_OUTPUT_COUNT + PM_MAX_WAITS];
    cl_uint count;
} event_list;

static const cl_event *events_of(const event_list *list) {
    return list->count ? list->events : NULL;
}

static void add_event(event_list *list, cl_event event) {
    if (event)
        list->events[list->count++] = event;
}

static void add_events(event_list *list, const cl_event *events, cl_uint count) {
    for (cl_uint i = 0; i < count; i++)
        add_event(list, events[i]);
}

static void release_event(cl_event event) {
    if (event)
        clReleaseEvent(event);
}

static void release_events(event_list *list) {
    while (list->count)
        clReleaseEvent(list->events[--list->count]);
}

typedef struct pose_call {
    pm_opencl_crowd *crowd;
    const pm_cl_crowd_job *job;
    size_t first;
    cl_command_queue queue;
    const cl_event *waits; /* the caller's wait list */
    cl_uint wait_count;
    pm_instance_copy *copy; /* NULL: the instances are in the caller's buffer */
    cl_mem instances;
    cl_ulong instances_offset; /* bytes */
    cl_event written;          /* the write of the instances; NULL: none */
    event_list launched;
    pm_error *error;
} pose_call;

static const pm_skeleton *skeleton_of(const pose_call *c) {
    return c->crowd->crowd.data->skeleton;
}

static pm_status find_instances(pose_call *c) {
    c->instances = c->job->instance_buffer;
    c->instances_offset = c->job->instances_offset;
    if (!c->job->instances)
        return PM_OK;
    pm_status status = pm_copies_take(&c->crowd->copies, device_of(c->crowd), c->job->instances,
                                      c->job->instance_count, &c->copy, c->error);
    if (status == PM_OK)
        c->instances = c->copy->buffer;
    c->instances_offset = 0;
    return status;
}

static pm_status write_instances(pose_call *c) {
    if (!c->copy)
        return PM_OK;
    cl_int code = clEnqueueWriteBuffer(c->queue, c->copy->buffer, CL_FALSE, 0,
                                       c->job->instance_count * sizeof *c->copy->memory,
                                       c->copy->memory, c->wait_count, c->waits, &c->written);
    if (code != CL_SUCCESS) {
        c->written = NULL;
        return pm_cl_fail(c->error, code, "clEnqueueWriteBuffer");
    }
    pm_copy_add_user(c->copy, c->written);
    return PM_OK;
}

/* Enqueues the copy of an output's old records to its `previous`, if any. */
static pm_status copy_previous(const pose_call *c, unsigned output, cl_event *copied) {
    const pm_cl_crowd_target *target = &c->job->outputs[output];
    size_t stride = pm_crowd_stride(skeleton_of(c), (pm_crowd_output)output, target->stride);
    const size_t bytes = pm_crowd_stride(skeleton_of(c), (pm_crowd_output)output, 0);
    const pm_cl_rows from = {target->buffer, target->offset, stride};
    const pm_cl_rows to = {target->previous, target->previous_offset, stride};
    const pm_cl_wait wait = {c->queue, c->waits, c->wait_count};
    return target->previous
               ? pm_cl_copy_rows(&from, &to, bytes, c->job->instance_count, &wait, copied, c->error)
               : PM_OK;
}

/* The instances that a work-group poses together, in a launch of `count` instances. */
static size_t instances_per_group(const pose_call *c, const pm_made_kernel *made, size_t count) {
    const pm_opencl_crowd *crowd = c->crowd;
    return pm_cl_instances_per_group(device_of(crowd),
                                     &(pm_group_needs){.items = made->max_group,
                                                       .joints = skeleton_of(c)->joint_count,
                                                       .stages = crowd->stage_count,
                                                       .instances = count,
                                                       .bytes = pm_cl_shared_bytes(crowd->slots)});
}

/* Instances per launch. A multiple of PM_INSTANCE_GROUP, so that no launch but the last is smaller
 * than the kernels' vectors, and instances take their turns as in one launch. */
static size_t launch_instances(const pose_call *c) {
    size_t work = skeleton_of(c)->joint_count * PM_WORK_OF_JOINT;
    size_t count = pm_cl_launch_limit(device_of(c->crowd), work) / PM_INSTANCE_GROUP;
    return count ? count * PM_INSTANCE_GROUP : PM_INSTANCE_GROUP;
}

typedef struct kernel_argument {
    size_t size;
    const void *value; /* NULL: shared memory of this size */
} kernel_argument;

static pm_status set_arguments(const pose_call *c, unsigned output, const pm_piece *at) {
    const pm_made_kernel *made = &c->crowd->kernels[output];
    const pm_cl_crowd_target *target = &c->job->outputs[output];
    const bool one_lane = made->lanes == 1;
    cl_ulong stride = pm_crowd_stride(skeleton_of(c), (pm_crowd_output)output, target->stride);
    cl_ulong offset = target->offset + at->from * stride;
    cl_ulong instances_offset = c->instances_offset + at->from * sizeof(pm_crowd_instance);
    cl_uint streams =
        c->job->instance_count * stride >= PM_MIN_STREAM_BYTES && stride % PM_CACHE_LINE == 0;
    cl_uint per_group = (cl_uint)instances_per_group(c, made, at->count);
    cl_uint slots = (cl_uint)c->crowd->slots;
    pm_crowd_size size =
        pm_crowd_size_of(c->crowd->crowd.data, c->job->frame, c->first + at->from, at->count);
    size.stages = (pm_u32)c->crowd->stage_count;
    const kernel_argument first[] = {{sizeof c->instances, &c->instances},
                                     {sizeof instances_offset, &instances_offset}};
    const kernel_argument last[] = {
        {sizeof target->buffer, &target->buffer},
        {sizeof offset, &offset},
        {sizeof stride, &stride},
        {sizeof size, &size},
        {sizeof(cl_uint), one_lane ? &per_group : &streams},
        {sizeof slots, &slots}, /* this and the next: crowd_workgroup only */
        {per_group * sizeof(pm_shared_instance), NULL},
        {(size_t)per_group * slots * PM_SLOT_FLOATS * sizeof(float), NULL}};
    const cl_uint last_count = one_lane ? sizeof last / sizeof *last : 5;
    const cl_uint records = ARGUMENT_TABLES + tables_of(made->lanes);
    pm_status status = PM_OK;
    for (cl_uint i = 0; status == PM_OK && i < ARGUMENT_TABLES; i++)
        status = set_argument(made->kernel, i, first[i].size, first[i].value, c->error);
    for (cl_uint i = 0; status == PM_OK && i < last_count; i++)
        status = set_argument(made->kernel, records + i, last[i].size, last[i].value, c->error);
    return status;
}

/* Everything that can fail without using the queue: enqueued commands cannot be withdrawn. */
static pm_status prepare(pose_call *c) {
    const pm_piece first = pm_piece_at(c->job->instance_count, launch_instances(c), 0);
    pm_status status = find_instances(c);
    for (unsigned o = 0; status == PM_OK && o < PM_CROWD_OUTPUT_COUNT; o++)
        if (c->job->outputs[o].buffer)
            status = set_arguments(c, o, &first);
    return status;
}

/* Launches a piece after the event *last, which the piece's own event replaces. */
static pm_status launch_piece(const pose_call *c, unsigned output, const pm_piece *at,
                              cl_event *last) {
    const pm_made_kernel *made = &c->crowd->kernels[output];
    cl_event done = NULL;
    event_list before = {.count = 0};
    pm_status status = at->from ? set_arguments(c, output, at) : PM_OK;
    if (status != PM_OK)
        return status;
    /* A work-group for some instances, or a work-item for as many as there are lanes. */
    size_t group = made->lanes == 1 ? made->max_group : 1;
    size_t each = made->lanes == 1 ? instances_per_group(c, made, at->count) : made->lanes;
    size_t items = (at->count + each - 1) / each * group;
    if (at->from == 0) {
        add_events(&before, c->waits, c->wait_count);
        add_event(&before, c->written);
    }
    add_event(&before, *last);
    cl_int code = clEnqueueNDRangeKernel(c->queue, made->kernel, 1, NULL, &items, &group,
                                         before.count, events_of(&before), &done);
    if (code != CL_SUCCESS)
        return pm_cl_fail(c->error, code, "clEnqueueNDRangeKernel");
    release_event(*last);
    *last = done;
    return PM_OK;
}

/* Each piece waits for the one before it, so that the last event stands for all of them. */
static pm_status launch(pose_call *c, unsigned output) {
    cl_event last = NULL;
    const size_t size = launch_instances(c);
    const size_t pieces = pm_piece_count(c->job->instance_count, size);
    size_t launched = 0;
    pm_status status = copy_previous(c, output, &last);
    for (; status == PM_OK && launched < pieces; launched += status == PM_OK) {
        const pm_piece at = pm_piece_at(c->job->instance_count, size, launched);
        status = launch_piece(c, output, &at, &last);
    }
    if (launched == 0) {
        release_event(last);
        return status;
    }
    add_event(&c->launched, last);
    if (c->copy)
        pm_copy_add_user(c->copy, last);
    return status;
}

/* An event for all enqueued commands. With one kernel, its own event is sufficient, because the
 * kernel waits for the other commands; a marker would cost the driver one more command. */
static pm_status event_of_all(const pose_call *c, cl_event *all) {
    if (c->launched.count > 1)
        return pm_cl_marker(&(pm_cl_wait){c->queue, c->launched.events, c->launched.count}, all,
                            c->error);
    *all = c->launched.events[0];
    clRetainEvent(*all);
    return PM_OK;
}

static pm_status enqueue(pose_call *c, cl_event *done) {
    cl_event begun = NULL;
    pm_status status = prepare(c);
    if (status == PM_OK && c->wait_count > PM_MAX_WAITS) {
        status = pm_cl_marker(&(pm_cl_wait){c->queue, c->waits, c->wait_count}, &begun, c->error);
        c->waits = &begun;
        c->wait_count = 1;
    }
    if (status == PM_OK)
        status = write_instances(c);
    for (unsigned o = 0; status == PM_OK && o < PM_CROWD_OUTPUT_COUNT; o++)
        if (c->job->outputs[o].buffer)
            status = launch(c, o);
    if (status == PM_OK && done)
        status = event_of_all(c, done);
    release_events(&c->launched);
    release_event(c->written);
    release_event(begun);
    return status;
}

pm_status pm_cl_enqueue_poses(pm_device_crowd *device_crowd, const pm_cl_crowd_job *job,
                              size_t first, const pm_cl_wait *wait, cl_event *done,
                              pm_error *error) {
    pm_opencl_crowd *crowd = (pm_opencl_crowd *)device_crowd;
    pose_call c = {.crowd = crowd,
                   .job = job,
                   .first = first,
                   .queue = wait->queue,
                   .waits = wait->count ? wait->events : NULL,
                   .wait_count = wait->count,
                   .error = error};
    pthread_mutex_lock(&crowd->lock);
    pm_status status = add_kernels(crowd, job, error);
    if (status == PM_OK)
        status = enqueue(&c, done);
    pthread_mutex_unlock(&crowd->lock);
    return status;
}
