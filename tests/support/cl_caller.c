/* SPDX-License-Identifier: MIT
 *
 * The caller's OpenCL objects, buffers and events.
 */
#define _POSIX_C_SOURCE 200809L

#include "cl_caller.h"
#include "cl_objects.h"
#include "engines.h"

#include <stdlib.h>
#include <string.h>

cl_caller caller;

static cl_command_queue make_queue(cl_command_queue_properties properties) {
    cl_int status = CL_SUCCESS;
    cl_command_queue queue =
        clCreateCommandQueue(caller.context, caller.device, properties, &status);
    return status == CL_SUCCESS ? queue : NULL;
}

bool caller_open(void) {
    cl_int status = CL_SUCCESS;
    pm_error error = poisoned_error();
    caller.device = pm_cl_device(engine_of_kind(ON_DEVICE));
    caller.context = clCreateContext(NULL, 1, &caller.device, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        return false;
    caller.in_order = make_queue(0);
    caller.out_of_order = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    expect_ok(pm_cl_engine_create(caller.context, caller.device, NULL, &caller.engine, &error),
              &error);
    return caller.in_order != NULL;
}

enum { KEPT = 256 };

static cl_mem kept_buffers[KEPT];
static cl_event kept_events[KEPT];
static cl_command_queue kept_queues[KEPT];
static size_t buffer_count, event_count, queue_count;

cl_mem caller_keep_buffer(cl_mem buffer) {
    assert_true(buffer && buffer_count < KEPT);
    return kept_buffers[buffer_count++] = buffer;
}

cl_event caller_keep_event(cl_event event) {
    assert_true(event && event_count < KEPT);
    return kept_events[event_count++] = event;
}

int caller_release(void **unused) {
    bool released = true;
    (void)unused;
    while (buffer_count > 0)
        released = clReleaseMemObject(kept_buffers[--buffer_count]) == CL_SUCCESS && released;
    while (event_count > 0)
        released = clReleaseEvent(kept_events[--event_count]) == CL_SUCCESS && released;
    while (queue_count > 0)
        released = clReleaseCommandQueue(kept_queues[--queue_count]) == CL_SUCCESS && released;
    return released ? 0 : 1;
}

cl_command_queue caller_queue(void) {
    cl_command_queue queue = make_queue(0);
    assert_true(queue && queue_count < KEPT);
    return kept_queues[queue_count++] = queue;
}

void caller_close(void) {
    caller_release(NULL);
    pm_engine_destroy(&caller.engine);
    if (caller.in_order)
        clReleaseCommandQueue(caller.in_order);
    if (caller.out_of_order)
        clReleaseCommandQueue(caller.out_of_order);
    if (caller.context)
        clReleaseContext(caller.context);
}

cl_mem caller_buffer(size_t bytes) {
    const size_t size = CALLER_OFFSET + bytes + CALLER_TAIL;
    return caller_keep_buffer(buffer_of(caller.context, 0, size, NULL));
}

float *caller_read(cl_mem buffer, size_t bytes, cl_event after) {
    const size_t size = CALLER_OFFSET + bytes + CALLER_TAIL;
    SCOPED(free_at) unsigned char *all = test_array(size, 1);
    assert_int_equal(clEnqueueReadBuffer(caller.in_order, buffer, CL_TRUE, 0, size, all,
                                         after ? 1 : 0, after ? &after : NULL, NULL),
                     CL_SUCCESS);
    for (size_t i = 0; i < CALLER_OFFSET; i++)
        assert_int_equal(all[i], 0xFF);
    for (size_t i = CALLER_OFFSET + bytes; i < size; i++)
        assert_int_equal(all[i], 0xFF);
    float *results = test_array(bytes, 1);
    memcpy(results, all + CALLER_OFFSET, bytes);
    return results;
}

void caller_expect(cl_mem buffer, const float *expected, size_t floats, size_t width,
                   cl_event after) {
    SCOPED(free_at) float *results = caller_read(buffer, floats * sizeof *results, after);
    expect_same_bits(results, expected, floats, width);
}

cl_event caller_sample(const pm_clip *clip, const pm_sample_job *job, const pm_cl_outputs *outputs,
                       cl_command_queue queue, cl_event gate) {
    cl_event done = NULL;
    expect_success(pm_cl_sample(clip, job, outputs, queue, gate ? 1 : 0, gate ? &gate : NULL, &done,
                                new_error()));
    return caller_keep_event(done);
}

cl_event gate_make(void) {
    cl_int status = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(caller.context, &status);
    assert_int_equal(status, CL_SUCCESS);
    return caller_keep_event(gate);
}

void gate_open(cl_event gate) {
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
}

bool is_caller_on_oclgrind(void) {
    void *kind_state = &on_device;
    return is_on_oclgrind(&kind_state);
}

void flush_waiting(cl_command_queue queue) {
    if (!is_caller_on_oclgrind())
        assert_int_equal(clFlush(queue), CL_SUCCESS);
}

void skip_if_failed_events_crash(void) {
    pm_device_info info;
    pm_engine_get_info(caller.engine, &info);
    if (strstr(info.platform, "Portable Computing Language") || strstr(info.platform, "Intel")) {
        print_message("not tested: failed events, which crash this driver\n");
        skip();
    }
}

bool is_complete(cl_event event) {
    cl_int status = CL_QUEUED;
    assert_int_equal(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
        CL_SUCCESS);
    assert_true(status >= CL_COMPLETE);
    return status == CL_COMPLETE;
}
