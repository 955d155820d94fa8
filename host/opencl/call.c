/* SPDX-License-Identifier: MIT
 *
 * Functions of the host on a caller's queue, as native kernels. PoCL 3.1 gives a native kernel the addresses of its
 * buffers in another order, once each, and that of a sub-buffer's parent in its place. So commands are given whole
 * buffers, and one buffer each beside the guard, whose address is known.
 */
#include "device.h"

/* A call on a queue. Lives as long as its guard, which commands use, so that the driver says when they are complete or
 * never will be. Some drivers do not call back for the event of a command that never runs. */
typedef struct queued_call {
    _Alignas(64) unsigned char guarded[64];
    cl_mem guard;
    pm_call *call;
    size_t count;                                           /* of handles */
    size_t place[PM_CALL_HANDLES], offset[PM_CALL_HANDLES]; /* each is a part of a buffer */
    size_t buffer_count;
    cl_mem buffers[PM_CALL_HANDLES]; /* borrowed: all different */
    void *memory[PM_CALL_HANDLES];   /* of the buffers */
} queued_call;

/* What a native kernel is given: the driver puts the addresses of the guard and the buffers there. */
typedef struct arguments {
    queued_call *call;
    size_t buffer;
    void *memory[PM_CALL_HANDLES + 1];
} arguments;

static void CL_CALLBACK end_call(cl_mem guard, void *context) {
    queued_call *c = context;
    (void)guard;
    c->call->end(c->call);
    pm_release(c);
}

/* Notes the address of a buffer. */
static void CL_CALLBACK find_memory(void *context) {
    const arguments *a = context;
    a->call->memory[a->buffer] = a->memory[a->memory[1] == a->call->guarded ? 0 : 1];
}

static void CL_CALLBACK run_call(void *context) {
    queued_call *c = ((const arguments *)context)->call;
    void *memory[PM_CALL_HANDLES];
    for (size_t i = 0; i < c->count; i++)
        memory[i] = (char *)c->memory[c->place[i]] + c->offset[i];
    c->call->run(c->call, memory);
}

/* Makes a call that its guard owns, and whose guard the caller releases. */
static pm_status make_call(const pm_device *device, pm_call *call, queued_call **made,
                           pm_error *error) {
    pm_opencl_device *cl = pm_opencl_of(device);
    queued_call *c = pm_allocate_lines(&device->options.host, sizeof *c);
    pm_status status = c ? PM_OK : pm_fail_memory(error);
    if (c)
        *c = (queued_call){.call = call};
    if (status == PM_OK)
        status = pm_cl_buffer(cl, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, c->guarded,
                              sizeof c->guarded, &c->guard, error);
    if (status == PM_OK) {
        const cl_int code = clSetMemObjectDestructorCallback(c->guard, end_call, c);
        *made = c;
        if (code == CL_SUCCESS)
            return PM_OK;
        clReleaseMemObject(c->guard);
        status = pm_cl_fail(error, code, "clSetMemObjectDestructorCallback");
    }
    pm_release(c);
    call->end(call);
    return status;
}

/* The buffer that a handle is a part of, and where it begins there. */
static cl_int find_buffer(cl_mem handle, cl_mem *buffer, size_t *offset) {
    cl_mem whole = NULL;
    *offset = 0;
    cl_int code =
        clGetMemObjectInfo(handle, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL);
    if (code == CL_SUCCESS && whole)
        code = clGetMemObjectInfo(handle, CL_MEM_OFFSET, sizeof *offset, offset, NULL);
    *buffer = whole ? whole : handle;
    return code;
}

static pm_status find_buffers(queued_call *c, void *const *handles, size_t count, pm_error *error) {
    for (c->count = 0; c->count < count; c->count++) {
        cl_mem buffer;
        size_t k = 0;
        const cl_int code = find_buffer(handles[c->count], &buffer, &c->offset[c->count]);
        if (code != CL_SUCCESS)
            return pm_cl_fail(error, code, "clGetMemObjectInfo");
        while (k < c->buffer_count && c->buffers[k] != buffer)
            k++;
        c->place[c->count] = k;
        if (k == c->buffer_count)
            c->buffers[c->buffer_count++] = buffer;
    }
    return PM_OK;
}

/* Enqueues a native kernel with the guard and `count` buffers from `first` on. */
static pm_status enqueue(queued_call *c, void(CL_CALLBACK *function)(void *), size_t first,
                         size_t count, const pm_cl_wait *wait, cl_event *done, pm_error *error) {
    arguments a = {.call = c, .buffer = first};
    cl_mem memories[PM_CALL_HANDLES + 1];
    const void *places[PM_CALL_HANDLES + 1];
    memories[0] = c->guard;
    for (size_t i = 0; i <= count; i++) {
        places[i] = &a.memory[i];
        if (i > 0)
            memories[i] = c->buffers[first + i - 1];
    }
    const cl_int code =
        clEnqueueNativeKernel(wait->queue, function, &a, sizeof a, (cl_uint)count + 1, memories,
                              places, wait->count, wait->count ? wait->events : NULL, done);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clEnqueueNativeKernel");
}

/* Finds the addresses one after another, at once: nothing but the call itself uses them. It waits for the last. */
static pm_status enqueue_all(queued_call *c, const pm_cl_wait *wait, cl_event *done,
                             pm_error *error) {
    cl_event events[PM_MAX_WAITS + 1], found = NULL;
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < c->buffer_count; i++) {
        cl_event next = NULL;
        const pm_cl_wait before = {wait->queue, &found, found ? 1 : 0};
        status = enqueue(c, find_memory, i, 1, &before, &next, error);
        pm_cl_release_event(&found);
        found = next;
    }
    for (cl_uint i = 0; i < wait->count; i++)
        events[i] = wait->events[i];
    events[wait->count] = found;
    const pm_cl_wait all = {wait->queue, events, wait->count + 1};
    if (status == PM_OK)
        status = enqueue(c, run_call, 0, c->buffer_count, &all, done, error);
    pm_cl_release_event(&found);
    return status;
}

pm_status pm_cl_enqueue_call(const pm_device *device, void *const *handles, size_t count,
                             pm_call *call, const pm_queue *queue, void **done, pm_error *error) {
    pm_cl_wait wait = {queue->handle, queue->waits, queue->wait_count};
    cl_event event = NULL, begun = NULL;
    queued_call *c = NULL;
    pm_status status = make_call(device, call, &c, error);
    if (status != PM_OK)
        return status;
    status = find_buffers(c, handles, count, error);
    if (status == PM_OK && wait.count > PM_MAX_WAITS) {
        status = pm_cl_marker(&wait, &begun, error);
        wait.events = &begun;
        wait.count = 1;
    }
    if (status == PM_OK)
        status = enqueue_all(c, &wait, done ? &event : NULL, error);
    pm_cl_release_event(&begun);
    clReleaseMemObject(c->guard);
    if (done && status == PM_OK)
        *done = event;
    return status;
}
