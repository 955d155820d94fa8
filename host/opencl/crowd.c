/* SPDX-License-Identifier: MIT
 *
 * Crowds on an OpenCL device: their tables, and posing on a queue. The first frame makes the kernels
 * and copies; later frames use them again.
 */
#include "device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- copies of host memory ---------------------------------------------------------------
 *
 * What a job gives in host memory (instances, layers and the like) is copied one after another, and the
 * copy is transferred to the device. Commands read the copy, so that the caller may reuse its memory as
 * soon as the call returns, whether it succeeds or not. */

/* Maximum number of commands that use a copy: one write, one kernel per target, and two of chains. */
enum { PM_COPY_USERS = PM_CROWD_MAX_TARGETS + 3 };

/* An element of a crowd's list of copies. Owns its memory, buffer and events. */
typedef struct pm_host_copy {
    struct pm_host_copy *next;
    unsigned char *memory;
    cl_mem buffer;
    size_t room;                   /* bytes of memory and buffer */
    cl_event users[PM_COPY_USERS]; /* commands that may be in flight */
    unsigned user_count;
} pm_host_copy;

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

static bool is_free(pm_host_copy *copy) {
    while (copy->user_count && is_over(copy->users[copy->user_count - 1]))
        clReleaseEvent(copy->users[--copy->user_count]);
    return copy->user_count == 0;
}

static pm_status make_room(pm_host_copy *copy, pm_opencl_device *cl, size_t size, pm_error *error) {
    cl_mem buffer;
    unsigned char *memory = pm_allocate(&cl->device.options.host, size);
    if (!memory)
        return pm_fail_memory(error);
    pm_status status = pm_cl_buffer(cl, CL_MEM_READ_ONLY, NULL, size, &buffer, error);
    if (status != PM_OK) {
        pm_release(memory);
        return status;
    }
    pm_release(copy->memory);
    pm_cl_release(copy->buffer);
    copy->memory = memory;
    copy->buffer = buffer;
    copy->room = size;
    return PM_OK;
}

static pm_status add_copy(pm_host_copy **copies, pm_opencl_device *cl, size_t size,
                          pm_error *error) {
    pm_host_copy *copy = pm_allocate_zeroed(&cl->device.options.host, 1, sizeof *copy);
    if (!copy)
        return pm_fail_memory(error);
    pm_status status = make_room(copy, cl, size, error);
    if (status != PM_OK) {
        pm_release(copy);
        return status;
    }
    copy->next = *copies;
    *copies = copy;
    return PM_OK;
}

/* Finds an unused element of the list with room for some bytes, or adds one. It counts as unused until
 * add_user is called. The caller holds the crowd's lock. */
static pm_status take_copy(pm_host_copy **copies, pm_opencl_device *cl, size_t size,
                           pm_host_copy **taken, pm_error *error) {
    pm_host_copy *copy = *copies;
    while (copy && !is_free(copy))
        copy = copy->next;
    *taken = copy;
    if (copy)
        return copy->room < size ? make_room(copy, cl, size, error) : PM_OK;
    pm_status status = PM_OK;
    for (unsigned i = *copies ? 1 : COPIES_AT_FIRST; status == PM_OK && i > 0; i--)
        status = add_copy(copies, cl, size, error);
    *taken = *copies;
    return status;
}

/* Reserves a copy until a command is complete. Retains the command's event. */
static void add_user(pm_host_copy *copy, cl_event user) {
    clRetainEvent(user);
    copy->users[copy->user_count++] = user;
}

/* Frees all copies, once the commands that read them are complete. */
static void free_copies(pm_host_copy **copies) {
    while (*copies) {
        pm_host_copy *copy = *copies;
        *copies = copy->next;
        if (copy->user_count) /* the first user reads the copy's host memory */
            clWaitForEvents(1, copy->users);
        while (copy->user_count)
            clReleaseEvent(copy->users[--copy->user_count]);
        pm_cl_release(copy->buffer);
        pm_release(copy->memory);
        pm_release(copy);
    }
}

/* The stages of a set of joints on the device. */
typedef struct pm_device_set {
    cl_mem stages, stage_joints;
} pm_device_set;

/* What all versions of a crowd share. */
typedef struct pm_shared_crowd {
    atomic_size_t versions;
    size_t set_count;
    pm_stages *stages;    /* (set_count) */
    pthread_mutex_t lock; /* guards the copies */
    pm_host_copy *copies;
} pm_shared_crowd;

typedef struct pm_opencl_crowd {
    pm_device_crowd crowd;
    pm_shared_crowd *shared;
    const pm_stages *stages;          /* those of `shared` */
    pm_device_set *sets;              /* (set_count of the skeleton) */
    cl_mem memories[PM_MEMORY_COUNT]; /* the other tables; NULL for a missing channel */
} pm_opencl_crowd;

static pm_opencl_device *device_of(const pm_opencl_crowd *crowd) {
    return pm_opencl_of(crowd->crowd.device);
}

static const pm_host *host_of(const pm_opencl_crowd *crowd) {
    return &crowd->crowd.device->options.host;
}

/* ---- tables ------------------------------------------------------------------------------ */

static void free_shared(pm_shared_crowd *shared) {
    for (size_t i = 0; i < shared->set_count; i++)
        pm_stages_free(&shared->stages[i]);
    pm_release(shared->stages);
    free_copies(&shared->copies);
    pthread_mutex_destroy(&shared->lock);
    pm_release(shared);
}

static pm_status make_shared(pm_opencl_crowd *crowd, pm_error *error) {
    const pm_skeleton *skeleton = crowd->crowd.data->skeleton;
    pm_shared_crowd *shared = pm_allocate_zeroed(host_of(crowd), 1, sizeof *shared);
    if (!shared)
        return pm_fail_memory(error);
    crowd->shared = shared;
    atomic_init(&shared->versions, 1);
    pthread_mutex_init(&shared->lock, NULL);
    crowd->stages = shared->stages =
        pm_allocate_zeroed(host_of(crowd), skeleton->set_count, sizeof *shared->stages);
    if (!shared->stages)
        return pm_fail_memory(error);
    shared->set_count = skeleton->set_count;
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < shared->set_count; i++)
        status = pm_stages_build(host_of(crowd), skeleton, i, pm_max_slots(&device_of(crowd)->plan),
                                 &shared->stages[i], error);
    return status;
}

/* Uploads a table, or takes the buffer `was` that the version before has: the same memory, behind whose rows there
 * may be new ones, or memory with the same contents. Kernels that run meanwhile do not read the new rows. */
static pm_status upload_table(const pm_opencl_crowd *crowd, const pm_opencl_crowd *before,
                              size_t set, pm_memory memory, cl_mem was, cl_mem *to,
                              pm_error *error) {
    const pm_source from = pm_crowd_source(crowd->crowd.data, set, &crowd->stages[set], memory);
    const pm_source old =
        was ? pm_crowd_source(before->crowd.data, set, &crowd->stages[set], memory)
            : (pm_source){0};
    const bool same = from.data == old.data || (!from.room && from.bytes == old.bytes && old.data &&
                                                memcmp(from.data, old.data, from.bytes) == 0);
    if (!from.data)
        return PM_OK;
    if (!same)
        return pm_cl_upload(device_of(crowd), "crowd", &from, to, error);
    const cl_int code = clRetainMemObject(was);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clRetainMemObject");
    *to = was;
    return pm_cl_upload_from(device_of(crowd), &from, old.bytes, was, error);
}

static pm_status upload_set(const pm_opencl_crowd *crowd, const pm_opencl_crowd *before, size_t set,
                            pm_error *error) {
    const pm_device_set none = {0}, *was = before ? &before->sets[set] : &none;
    pm_device_set *to = &crowd->sets[set];
    pm_status status =
        upload_table(crowd, before, set, PM_MEMORY_STAGES, was->stages, &to->stages, error);
    if (status == PM_OK)
        status = upload_table(crowd, before, set, PM_MEMORY_STAGE_JOINTS, was->stage_joints,
                              &to->stage_joints, error);
    return status;
}

static pm_status upload(pm_opencl_crowd *crowd, const pm_opencl_crowd *before, pm_error *error) {
    const size_t sets = crowd->crowd.data->skeleton->set_count;
    pm_status status = PM_OK;
    if (before) {
        crowd->shared = before->shared;
        crowd->stages = before->stages;
        atomic_fetch_add(&crowd->shared->versions, 1);
    } else {
        status = make_shared(crowd, error);
    }
    crowd->sets = pm_allocate_zeroed(host_of(crowd), sets, sizeof *crowd->sets);
    if (status == PM_OK && !crowd->sets)
        status = pm_fail_memory(error);
    for (unsigned m = 0; status == PM_OK && m < PM_MEMORY_COUNT; m++)
        if (m != PM_MEMORY_STAGES && m != PM_MEMORY_STAGE_JOINTS)
            status = upload_table(crowd, before, 0, (pm_memory)m,
                                  before ? before->memories[m] : NULL, &crowd->memories[m], error);
    for (size_t i = 0; status == PM_OK && i < sets; i++)
        status = upload_set(crowd, before, i, error);
    return status;
}

pm_status pm_cl_crowd_upload(pm_device *device, const pm_crowd_data *data,
                             const pm_device_crowd *before, pm_device_crowd **crowd,
                             pm_error *error) {
    pm_opencl_crowd *made = pm_allocate_zeroed(&device->options.host, 1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    made->crowd = (pm_device_crowd){device, data};
    const pm_status status =
        pm_queue_is_for_host(device) ? PM_OK : upload(made, (const pm_opencl_crowd *)before, error);
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
    for (size_t i = 0; crowd->sets && i < crowd->crowd.data->skeleton->set_count; i++) {
        pm_cl_release(crowd->sets[i].stages);
        pm_cl_release(crowd->sets[i].stage_joints);
    }
    pm_release(crowd->sets);
    if (crowd->shared && atomic_fetch_sub(&crowd->shared->versions, 1) == 1)
        free_shared(crowd->shared);
    pm_release(crowd);
}

/* A list of events of bounded length, so that a frame allocates no memory. */
typedef struct event_list {
    cl_event events[PM_CROWD_MAX_TARGETS + PM_MAX_WAITS];
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
    pm_pose_request request; /* from find_inputs() on, all of it is in buffers */
    cl_command_queue queue;
    const cl_event *waits; /* the caller's wait list */
    cl_uint wait_count;
    pm_host_copy *copy;               /* NULL: all data is in the caller's buffers */
    cl_mem memories[PM_MEMORY_COUNT]; /* borrowed */
    size_t copied;                    /* bytes of the copy that are used */
    cl_event written;                 /* the write of the copy; NULL: none */
    event_list launched;
    pm_error *error;
} pose_call;

enum { INPUT_ALIGNMENT = 16 };

/* Adds the size of rows in a copy, at least INPUT_ALIGNMENT: there may be no layers. False where it does not
 * fit size_t. */
static bool add_rows(const pm_pose_rows *rows, size_t *size) {
    size_t bytes;
    return pm_multiply(rows->count, rows->bytes, &bytes) &&
           !__builtin_add_overflow(bytes, INPUT_ALIGNMENT, &bytes) &&
           !__builtin_add_overflow(bytes / INPUT_ALIGNMENT * INPUT_ALIGNMENT, *size, size);
}

static void copy_input(pose_call *c, pm_memory m) {
    pm_address *input = pm_pose_input(&c->request, m);
    const pm_pose_rows rows = pm_pose_rows_of(&c->request, m);
    pm_pose_copy_rows(&rows, input->memory, c->copy->memory + c->copied);
    *input = (pm_address){.handle = c->copy->buffer, .offset = c->copied};
    (void)add_rows(&rows, &c->copied);
    if (pm_pose_stride(&c->request, m))
        *pm_pose_stride(&c->request, m) = rows.bytes;
}

/* Finds the buffers of all that the request reads, and copies what is in host memory. */
static pm_status find_inputs(pose_call *c) {
    size_t size = 0;
    bool fits = true;
    for (pm_memory m = PM_MEMORY_INSTANCES; m <= PM_MEMORY_SPEEDS; m++) {
        const pm_pose_rows rows = pm_pose_rows_of(&c->request, m);
        fits = fits && (!pm_pose_input(&c->request, m)->memory || add_rows(&rows, &size));
    }
    if (!fits)
        return pm_fail(c->error, PM_ERROR_SIZE, "the data of the job does not fit size_t");
    const pm_status status =
        size ? take_copy(&c->crowd->shared->copies, device_of(c->crowd), size, &c->copy, c->error)
             : PM_OK;
    for (pm_memory m = PM_MEMORY_INSTANCES; status == PM_OK && m <= PM_MEMORY_SPEEDS; m++) {
        if (pm_pose_input(&c->request, m)->memory)
            copy_input(c, m);
        c->memories[m] = pm_pose_input(&c->request, m)->handle;
    }
    return status;
}

static pm_status write_copy(pose_call *c) {
    if (!c->copy)
        return PM_OK;
    cl_int code = clEnqueueWriteBuffer(c->queue, c->copy->buffer, CL_FALSE, 0, c->copied,
                                       c->copy->memory, c->wait_count, c->waits, &c->written);
    if (code != CL_SUCCESS) {
        c->written = NULL;
        return pm_cl_fail(c->error, code, "clEnqueueWriteBuffer");
    }
    add_user(c->copy, c->written);
    return PM_OK;
}

/* Enqueues the copy of a target's old records to its `previous`, if any. */
static pm_status copy_previous(const pose_call *c, const pm_pose_target *target, cl_event *copied) {
    const size_t stride = target->stride;
    const size_t from[3] = {target->to.offset, 0, 0}, to[3] = {target->previous.offset, 0, 0};
    const size_t region[3] = {target->bytes, pm_pose_records(&c->request), 1};
    if (!target->previous.handle)
        return PM_OK;
    const cl_int code = clEnqueueCopyBufferRect(
        c->queue, target->to.handle, target->previous.handle, from, to, region, stride, 0, stride,
        0, c->wait_count, c->wait_count ? c->waits : NULL, copied);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(c->error, code, "clEnqueueCopyBufferRect");
}

/* Whether the step of a target writes another one. */
static bool writes(const pose_call *c, size_t target, size_t other) {
    const pm_pose_target *targets = c->request.targets;
    return target == other || pm_are_computed_together(targets[target].view, targets[other].view);
}

/* The memory of the tables of a target's set, and of the results of its step. */
static void find_memories(pose_call *c, size_t target) {
    const pm_view view = c->request.targets[target].view;
    const bool is_body = pm_is_body_output(view.output);
    const pm_device_set *set = &c->crowd->sets[view.set];
    c->memories[PM_MEMORY_STAGES] = set->stages;
    c->memories[PM_MEMORY_STAGE_JOINTS] = set->stage_joints;
    for (size_t i = target; i < c->request.target_count; i++)
        if (writes(c, target, i)) {
            const pm_pose_target *one = &c->request.targets[i];
            const unsigned place = is_body ? (unsigned)one->view.output - PM_CROWD_BODY_POS : 0;
            c->memories[PM_MEMORY_RESULTS + place] = one->to.handle;
        }
}

/* Launches a piece after the event *last, which the piece's own event replaces. The first one waits for
 * the `copies` of old records. */
static pm_status launch_piece(pose_call *c, size_t target, const pm_piece *at,
                              const event_list *copies, cl_event *last) {
    pm_opencl_device *cl = device_of(c->crowd);
    cl_event done = NULL;
    event_list before = {.count = 0};
    if (at->from == 0) {
        add_events(&before, c->waits, c->wait_count);
        add_event(&before, c->written);
        add_events(&before, copies->events, copies->count);
    }
    add_event(&before, *last);
    pm_step step = pm_plan_poses(&c->request, target, at, c->crowd->stages);
    const pm_cl_wait wait = {c->queue, before.events, before.count};
    const pm_status status = pm_cl_run_step(cl, &step, c->memories, &wait, &done, c->error);
    if (status == PM_OK) {
        pm_cl_release_event(last);
        *last = done;
    }
    return status;
}

/* Enqueues the copies of the old records of all targets that a step writes. */
static pm_status copy_all_previous(const pose_call *c, size_t target, event_list *copies) {
    pm_status status = PM_OK;
    for (size_t i = target; status == PM_OK && i < c->request.target_count; i++) {
        cl_event copied = NULL;
        if (!writes(c, target, i))
            continue;
        status = copy_previous(c, &c->request.targets[i], &copied);
        add_event(copies, copied);
    }
    return status;
}

/* Each piece waits for the one before it, so that the last event stands for all of them. */
static pm_status launch(pose_call *c, size_t target) {
    cl_event last = NULL;
    event_list copies = {.count = 0};
    const size_t entries = pm_pose_entries(&c->request);
    const size_t size = pm_plan_launch_instances(&c->request, &device_of(c->crowd)->plan);
    const size_t pieces = pm_piece_count(entries, size);
    size_t launched = 0;
    pm_status status = copy_all_previous(c, target, &copies);
    find_memories(c, target);
    for (; status == PM_OK && launched < pieces; launched += status == PM_OK) {
        const pm_piece at = pm_piece_at(entries, size, launched);
        status = launch_piece(c, target, &at, &copies, &last);
    }
    release_events(&copies);
    if (launched == 0)
        return status;
    add_event(&c->launched, last);
    if (c->copy)
        add_user(c->copy, last);
    return status;
}

/* Enqueues the steps before the targets of a request with chains: those of local poses, and the chains. Then the request
 * is that of the targets, which wait for *reached. */
static pm_status reach(pose_call *c, cl_mem *local, cl_event *reached) {
    const pm_pose_request request = c->request;
    const size_t entries = pm_pose_entries(&request);
    const size_t size = pm_plan_launch_instances(&request, &device_of(c->crowd)->plan);
    size_t bytes;
    if (!pm_multiply(entries, pm_pose_local_bytes(&request), &bytes))
        return pm_fail(c->error, PM_ERROR_SIZE, "the local poses of the job do not fit size_t");
    pm_status status =
        pm_cl_buffer(device_of(c->crowd), CL_MEM_READ_WRITE, NULL, bytes, local, c->error);
    const pm_address to = {.handle = *local};
    c->request = pm_pose_before_chains(&request, to);
    if (status == PM_OK)
        status = launch(c, 0);
    c->memories[PM_MEMORY_RESULTS] = *local;
    const size_t chains = request.chains.count, steps = chains * pm_piece_count(entries, size);
    for (size_t i = 0; status == PM_OK && i < steps; i++) {
        const pm_piece at = pm_piece_at(entries, size, i / chains);
        const pm_cl_wait wait = {c->queue, i ? reached : c->launched.events, 1};
        pm_step step = pm_plan_reach(&request, i % chains, to, &at);
        cl_event done = NULL;
        status = pm_cl_run_step(device_of(c->crowd), &step, c->memories, &wait, &done, c->error);
        pm_cl_release_event(reached);
        *reached = done;
    }
    release_events(&c->launched);
    c->request = pm_pose_after_chains(&request, to);
    c->memories[PM_MEMORY_POSES] = *local;
    c->waits = reached;
    c->wait_count = 1;
    if (status == PM_OK && c->copy)
        add_user(c->copy, *reached);
    return status;
}

/* Each piece waits for the one before it, as in launch(). */
static pm_status capture(pose_call *c) {
    const size_t entries = pm_pose_entries(&c->request);
    const size_t size = pm_plan_launch_instances(&c->request, &device_of(c->crowd)->plan);
    pm_status status = PM_OK;
    cl_event last = NULL;
    for (size_t i = 0; status == PM_OK && i < pm_piece_count(entries, size); i++) {
        const pm_piece at = pm_piece_at(entries, size, i);
        event_list before = {.count = 0};
        cl_event done = NULL;
        if (i == 0)
            add_events(&before, c->waits, c->wait_count);
        add_event(&before, i ? last : c->written);
        const pm_cl_wait wait = {c->queue, before.events, before.count};
        pm_step step = pm_plan_capture(&c->request, &at);
        status = pm_cl_run_step(device_of(c->crowd), &step, c->memories, &wait, &done, c->error);
        if (status != PM_OK)
            break;
        pm_cl_release_event(&last);
        last = done;
    }
    add_event(&c->launched, last);
    if (c->copy && last)
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
    cl_event begun = NULL, reached = NULL;
    cl_mem local = NULL;
    pm_status status = find_inputs(c);
    if (status == PM_OK && c->wait_count > PM_MAX_WAITS) {
        status = pm_cl_marker(&(pm_cl_wait){c->queue, c->waits, c->wait_count}, &begun, c->error);
        c->waits = &begun;
        c->wait_count = 1;
    }
    if (status == PM_OK)
        status = write_copy(c);
    if (status == PM_OK && c->request.capture.duration > 0)
        status = capture(c);
    if (status == PM_OK && c->request.chains.count)
        status = reach(c, &local, &reached);
    for (size_t i = 0; status == PM_OK && i < c->request.target_count; i++)
        if (!pm_pose_is_computed(&c->request, i))
            status = launch(c, i);
    if (status == PM_OK && done)
        status = event_of_all(c, done);
    release_events(&c->launched);
    pm_cl_release_event(&c->written);
    pm_cl_release_event(&begun);
    pm_cl_release_event(&reached);
    pm_cl_release(local);
    return status;
}

/* Builds the missing programs, before anything is enqueued: commands cannot be withdrawn. Building
 * takes long and calls the log, so the crowd is not locked. */
static pm_status build_programs(const pm_opencl_crowd *crowd, const pm_pose_request *request,
                                pm_error *error) {
    const pm_plan_device *plan = &device_of(crowd)->plan;
    pm_status status = pm_plan_check_poses(request, crowd->stages, plan, error);
    pm_variant variants[PM_POSE_VARIANTS];
    const size_t count = pm_plan_pose_variants(request, variants);
    for (size_t i = 0; status == PM_OK && i < count; i++)
        status = pm_programs_build(crowd->crowd.device->programs, &variants[i], error);
    return status;
}

static pm_status enqueue_locked(pm_opencl_crowd *crowd, const pm_pose_request *request,
                                const pm_cl_wait *wait, cl_event *done, pm_error *error) {
    pose_call c = {.crowd = crowd,
                   .request = *request,
                   .queue = wait->queue,
                   .waits = wait->count ? wait->events : NULL,
                   .wait_count = wait->count,
                   .error = error};
    memcpy(c.memories, crowd->memories, sizeof c.memories);
    if (request->poses_all)
        c.memories[PM_MEMORY_LEVELS] = crowd->memories[PM_MEMORY_ALL_LEVELS];
    pthread_mutex_lock(&crowd->shared->lock);
    const pm_status status = enqueue(&c, done);
    pthread_mutex_unlock(&crowd->shared->lock);
    return status;
}

pm_status pm_cl_enqueue_poses(pm_device_crowd *device_crowd, const pm_pose_request *request,
                              const pm_queue *queue, void **done, pm_error *error) {
    pm_opencl_crowd *crowd = (pm_opencl_crowd *)device_crowd;
    const pm_cl_wait wait = {queue->handle, queue->waits, queue->wait_count};
    cl_event event = NULL;
    pm_status status = PM_OK;
    if (!pm_pose_is_empty(request)) {
        status = build_programs(crowd, request, error);
        if (status == PM_OK)
            status = enqueue_locked(crowd, request, &wait, done ? &event : NULL, error);
    } else if (done) { /* when the commands before it are */
        status = pm_cl_marker(&wait, &event, error);
    }
    if (done && status == PM_OK)
        *done = event;
    return status;
}
