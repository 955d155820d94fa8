/* SPDX-License-Identifier: MIT
 *
 * Crowds on an OpenCL device: their tables, and posing on a queue. The first frame makes the kernels
 * and copies; later frames use them again.
 */
#include "device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- copies of instances ----------------------------------------------------------------
 *
 * For transfer from host memory to the device. Commands read the copy, so that the caller may reuse
 * its memory as soon as the call returns, whether it succeeds or not. */

/* Maximum number of commands that use a copy: one write, and one kernel per output. */
enum { PM_COPY_USERS = PM_CROWD_OUTPUT_COUNT + 1 };

/* An element of a crowd's list of copies. Owns its memory, buffer and events. */
typedef struct pm_instance_copy {
    struct pm_instance_copy *next;
    pm_crowd_instance *memory;
    cl_mem buffer;
    size_t room;                   /* instances that fit memory and buffer */
    cl_event users[PM_COPY_USERS]; /* commands that may be in flight */
    unsigned user_count;
} pm_instance_copy;

/* Copies that the first frame creates: as many as there are often frames in flight. */
enum { COPIES_AT_FIRST = 2 };

/* Whether a command is complete or failed. A command whose event cannot be queried counts as in
 * flight, which costs one more copy. */
static bool is_over(cl_event event) {
    cl_int state = CL_QUEUED;
    cl_int code =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return code == CL_SUCCESS && state <= CL_COMPLETE;
}

static bool is_free(pm_instance_copy *copy) {
    while (copy->user_count && is_over(copy->users[copy->user_count - 1]))
        clReleaseEvent(copy->users[--copy->user_count]);
    return copy->user_count == 0;
}

static pm_status make_room(pm_instance_copy *copy, pm_opencl_device *cl, size_t count,
                           pm_error *error) {
    cl_mem buffer;
    const size_t size = count * sizeof *copy->memory;
    pm_crowd_instance *memory = malloc(size);
    if (!memory)
        return pm_fail_memory(error);
    pm_status status = pm_cl_buffer(cl, CL_MEM_READ_ONLY, NULL, size, &buffer, error);
    if (status != PM_OK) {
        free(memory);
        return status;
    }
    free(copy->memory);
    pm_cl_release(copy->buffer);
    copy->memory = memory;
    copy->buffer = buffer;
    copy->room = count;
    return PM_OK;
}

static pm_status add_copy(pm_instance_copy **copies, pm_opencl_device *cl, size_t count,
                          pm_error *error) {
    pm_instance_copy *copy = calloc(1, sizeof *copy);
    if (!copy)
        return pm_fail_memory(error);
    pm_status status = make_room(copy, cl, count, error);
    if (status != PM_OK) {
        free(copy);
        return status;
    }
    copy->next = *copies;
    *copies = copy;
    return PM_OK;
}

static pm_status find_or_make(pm_instance_copy **copies, pm_opencl_device *cl, size_t count,
                              pm_instance_copy **found, pm_error *error) {
    pm_instance_copy *copy = *copies;
    while (copy && !is_free(copy))
        copy = copy->next;
    *found = copy;
    if (copy)
        return copy->room < count ? make_room(copy, cl, count, error) : PM_OK;
    pm_status status = PM_OK;
    for (unsigned i = *copies ? 1 : COPIES_AT_FIRST; status == PM_OK && i > 0; i--)
        status = add_copy(copies, cl, count, error);
    *found = *copies;
    return status;
}

/* Copies the instances into an unused element of the list, or into a new one. The element counts as
 * unused until add_user is called. The caller holds the crowd's lock. */
static pm_status take_copy(pm_instance_copy **copies, pm_opencl_device *cl,
                           const pm_crowd_instance *instances, size_t count,
                           pm_instance_copy **taken, pm_error *error) {
    pm_status status = find_or_make(copies, cl, count, taken, error);
    if (status == PM_OK)
        memcpy((*taken)->memory, instances, count * sizeof *instances);
    return status;
}

/* Reserves a copy until a command is complete. Retains the command's event. */
static void add_user(pm_instance_copy *copy, cl_event user) {
    clRetainEvent(user);
    copy->users[copy->user_count++] = user;
}

/* Frees all copies, once the commands that read them are complete. */
static void free_copies(pm_instance_copy **copies) {
    while (*copies) {
        pm_instance_copy *copy = *copies;
        *copies = copy->next;
        if (copy->user_count) /* the first user reads the copy's host memory */
            clWaitForEvents(1, copy->users);
        while (copy->user_count)
            clReleaseEvent(copy->users[--copy->user_count]);
        pm_cl_release(copy->buffer);
        free(copy->memory);
        free(copy);
    }
}

typedef struct pm_opencl_crowd {
    pm_device_crowd crowd;
    pm_stages stages;
    cl_mem memories[PM_MEMORY_COUNT]; /* the tables; NULL for a missing channel */
    pthread_mutex_t lock;             /* guards the copies */
    pm_instance_copy *copies;
} pm_opencl_crowd;

static pm_opencl_device *device_of(const pm_opencl_crowd *crowd) {
    return pm_opencl_of(crowd->crowd.device);
}

static pm_status upload_tables(pm_opencl_crowd *crowd, pm_error *error) {
    pm_opencl_device *cl = device_of(crowd);
    pm_status status = PM_OK;
    for (unsigned m = 0; status == PM_OK && m < PM_MEMORY_COUNT; m++) {
        const pm_source from = pm_crowd_source(crowd->crowd.data, &crowd->stages, (pm_memory)m);
        if (from.data)
            status = pm_cl_upload(cl, "crowd", &from, &crowd->memories[m], error);
    }
    return status;
}

pm_status pm_cl_crowd_upload(pm_device *device, const pm_crowd_data *data, pm_device_crowd **crowd,
                             pm_error *error) {
    pm_opencl_crowd *made = calloc(1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    made->crowd = (pm_device_crowd){device, data};
    pthread_mutex_init(&made->lock, NULL);
    pm_status status = pm_stages_build(data->skeleton, pm_max_slots(&pm_opencl_of(device)->plan),
                                       &made->stages, error);
    if (status == PM_OK)
        status = upload_tables(made, error);
    if (status == PM_OK)
        *crowd = &made->crowd;
    else
        pm_cl_crowd_release(&made->crowd);
    return status;
}

void pm_cl_crowd_release(pm_device_crowd *device_crowd) {
    pm_opencl_crowd *crowd = (pm_opencl_crowd *)device_crowd;
    for (unsigned m = 0; m < PM_MEMORY_COUNT; m++)
        pm_cl_release(crowd->memories[m]);
    free_copies(&crowd->copies);
    pm_stages_free(&crowd->stages);
    pthread_mutex_destroy(&crowd->lock);
    free(crowd);
}

/* A list of events of bounded length, so that a frame allocates no memory. */
typedef struct event_list {
    cl_event events[PM_CROWD_OUTPUT_COUNT + PM_MAX_WAITS];
    cl_uint count;
} event_list;

static void add_event(event_list *list, cl_event event) {
    if (event)
        list->events[list->count++] = event;
}

static void add_events(event_list *list, const cl_event *events, cl_uint count) {
    for (cl_uint i = 0; i < count; i++)
        add_event(list, events[i]);
}

static void release_events(event_list *list) {
    while (list->count)
        clReleaseEvent(list->events[--list->count]);
}

typedef struct pose_call {
    pm_opencl_crowd *crowd;
    const pm_cl_crowd_job *job;
    pm_pose_plan plan;
    cl_command_queue queue;
    const cl_event *waits; /* the caller's wait list */
    cl_uint wait_count;
    pm_instance_copy *copy;           /* NULL: the instances are in the caller's buffer */
    cl_mem memories[PM_MEMORY_COUNT]; /* borrowed */
    cl_event written;                 /* the write of the instances; NULL: none */
    event_list launched;
    pm_error *error;
} pose_call;

static pm_status find_instances(pose_call *c) {
    c->memories[PM_MEMORY_INSTANCES] = c->job->instance_buffer;
    c->plan.instances_offset = c->job->instances_offset;
    if (!c->job->instances)
        return PM_OK;
    pm_status status = take_copy(&c->crowd->copies, device_of(c->crowd), c->job->instances,
                                 c->job->instance_count, &c->copy, c->error);
    if (status == PM_OK)
        c->memories[PM_MEMORY_INSTANCES] = c->copy->buffer;
    c->plan.instances_offset = 0;
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
    add_user(c->copy, c->written);
    return PM_OK;
}

/* Bytes from an instance's records to the next one's. */
static size_t stride_of(const pose_call *c, const pm_cl_crowd_target *target) {
    return pm_crowd_stride(c->plan.crowd->skeleton, target->output, target->stride);
}

/* Enqueues the copy of an output's old records to its `previous`, if any. */
static pm_status copy_previous(const pose_call *c, const pm_cl_crowd_target *target,
                               cl_event *copied) {
    const size_t stride = stride_of(c, target);
    const size_t bytes = pm_crowd_stride(c->plan.crowd->skeleton, target->output, 0);
    const size_t from[3] = {target->offset, 0, 0}, to[3] = {target->previous_offset, 0, 0};
    const size_t region[3] = {bytes, c->job->instance_count, 1};
    if (!target->previous)
        return PM_OK;
    const cl_int code = clEnqueueCopyBufferRect(c->queue, target->buffer, target->previous, from,
                                                to, region, stride, 0, stride, 0, c->wait_count,
                                                c->wait_count ? c->waits : NULL, copied);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(c->error, code, "clEnqueueCopyBufferRect");
}

/* Launches a piece after the event *last, which the piece's own event replaces. */
static pm_status launch_piece(pose_call *c, const pm_cl_crowd_target *target, const pm_piece *at,
                              cl_event *last) {
    cl_event done = NULL;
    event_list before = {.count = 0};
    if (at->from == 0) {
        add_events(&before, c->waits, c->wait_count);
        add_event(&before, c->written);
    }
    add_event(&before, *last);
    pm_step step =
        pm_plan_poses(&c->plan, target->output, at, target->offset, stride_of(c, target));
    const pm_cl_wait wait = {c->queue, before.events, before.count};
    c->memories[PM_MEMORY_RESULTS] = target->buffer;
    const pm_status status =
        pm_cl_run_step(device_of(c->crowd), &step, c->memories, &wait, &done, c->error);
    if (status == PM_OK) {
        pm_cl_release_event(last);
        *last = done;
    }
    return status;
}

/* Each piece waits for the one before it, so that the last event stands for all of them. */
static pm_status launch(pose_call *c, const pm_cl_crowd_target *target) {
    cl_event last = NULL;
    const size_t size = pm_plan_launch_instances(&c->plan);
    const size_t pieces = pm_piece_count(c->job->instance_count, size);
    size_t launched = 0;
    pm_status status = copy_previous(c, target, &last);
    for (; status == PM_OK && launched < pieces; launched += status == PM_OK) {
        const pm_piece at = pm_piece_at(c->job->instance_count, size, launched);
        status = launch_piece(c, target, &at, &last);
    }
    if (launched == 0) {
        pm_cl_release_event(&last);
        return status;
    }
    add_event(&c->launched, last);
    if (c->copy)
        add_user(c->copy, last);
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
    pm_status status = find_instances(c);
    if (status == PM_OK && c->wait_count > PM_MAX_WAITS) {
        status = pm_cl_marker(&(pm_cl_wait){c->queue, c->waits, c->wait_count}, &begun, c->error);
        c->waits = &begun;
        c->wait_count = 1;
    }
    if (status == PM_OK)
        status = write_instances(c);
    for (size_t i = 0; status == PM_OK && i < c->job->output_count; i++)
        status = launch(c, &c->job->outputs[i]);
    if (status == PM_OK && done)
        status = event_of_all(c, done);
    release_events(&c->launched);
    pm_cl_release_event(&c->written);
    pm_cl_release_event(&begun);
    return status;
}

/* Builds the missing programs, before anything is enqueued: commands cannot be withdrawn. Building
 * takes long and calls the log, so the crowd is not locked. */
static pm_status build_programs(const pose_call *c) {
    pm_status status = pm_plan_check_poses(&c->plan, c->error);
    for (size_t i = 0; status == PM_OK && i < c->job->output_count; i++) {
        const pm_variant variant =
            pm_plan_pose_variant(c->plan.crowd, c->job->outputs[i].output, c->plan.device);
        status = pm_programs_build(c->crowd->crowd.device->programs, &variant, c->error);
    }
    return status;
}

pm_status pm_cl_enqueue_poses(pm_device_crowd *device_crowd, const pm_cl_crowd_job *job,
                              size_t first, const pm_cl_wait *wait, cl_event *done,
                              pm_error *error) {
    pm_opencl_crowd *crowd = (pm_opencl_crowd *)device_crowd;
    pose_call c = {.crowd = crowd,
                   .job = job,
                   .plan = {.crowd = device_crowd->data,
                            .stages = &crowd->stages,
                            .device = &device_of(crowd)->plan,
                            .frame = job->frame,
                            .first = first,
                            .instance_count = job->instance_count},
                   .queue = wait->queue,
                   .waits = wait->count ? wait->events : NULL,
                   .wait_count = wait->count,
                   .error = error};
    memcpy(c.memories, crowd->memories, sizeof c.memories);
    pm_status status = build_programs(&c);
    if (status != PM_OK)
        return status;
    pthread_mutex_lock(&crowd->lock);
    status = enqueue(&c, done);
    pthread_mutex_unlock(&crowd->lock);
    return status;
}
