/* SPDX-License-Identifier: MIT
 *
 * Posemill on the caller's own OpenCL objects: context, queues of both kinds, wait
 * lists, events, offsets into buffers, and what of these is refused.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill_cl.h>

#include "cl_references.h"
#include "support/engines.h"
#include "support/motion.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS = 12, TRACKS = 5, COUNT = 100, ROWS = COUNT * TRACKS };
enum { OFFSET = 256, TAIL = 64 }; /* bytes in front of and behind an output */

/* The caller's side: objects of their own, and a clip on an engine made of them. */
static struct {
    cl_context context;
    cl_device_id device;
    cl_command_queue in_order, out_of_order;
    pm_engine *engine;
    pm_clip *clip;
    motion keys;
    float rotations[ROWS * 4], positions[ROWS * 3]; /* as pm_sample gives them */
} c;

static const pm_sample_job job = {.sample_count = COUNT, .rate = {31, 1}};

/* The device that the other tests use, in a context that the library did not make. */
static int open_caller(void **state) {
    void *kind_state = &on_device;
    (void)state;
    c.device = pm_cl_device(engine_for(&kind_state));
    cl_int status = CL_SUCCESS;
    c.context = clCreateContext(NULL, 1, &c.device, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        return 1;
    c.in_order = clCreateCommandQueue(c.context, c.device, 0, &status);
    if (status != CL_SUCCESS)
        return 1;
    c.out_of_order =
        clCreateCommandQueue(c.context, c.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    if (status != CL_SUCCESS)
        c.out_of_order = NULL; /* optional in OpenCL: its tests skip by name */
    pm_error error = poisoned_error();
    expect_ok(pm_cl_engine_create(c.context, c.device, NULL, &c.engine, &error), &error);
    c.keys = motion_make(KEYS, TRACKS, 2.5, 0x41);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {4, 1}};
    pm_clip_desc desc = motion_desc(&c.keys, &timeline, PM_METHOD_SQUAD);
    desc.scales.data = NULL;
    c.clip = clip_make(c.engine, &desc);
    pm_sample_job blocking = job;
    blocking.rotations = c.rotations;
    blocking.positions = c.positions;
    sample_make(c.clip, &blocking);
    return 0;
}

static int close_caller(void **state) {
    pm_clip_destroy(&c.clip);
    pm_engine_destroy(&c.engine);
    if (c.in_order)
        clReleaseCommandQueue(c.in_order);
    if (c.out_of_order)
        clReleaseCommandQueue(c.out_of_order);
    if (c.context)
        clReleaseContext(c.context);
    motion_free(&c.keys);
    return engines_close(state);
}

/* A poisoned buffer with room for `bytes` of results between OFFSET and TAIL. */
static cl_mem poisoned_buffer(size_t bytes) {
    const size_t size = OFFSET + bytes + TAIL;
    unsigned char *poison = test_array(size, 1);
    memset(poison, 0xFF, size);
    cl_int status = CL_SUCCESS;
    cl_mem buffer =
        clCreateBuffer(c.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, poison, &status);
    assert_int_equal(status, CL_SUCCESS);
    free(poison);
    return buffer;
}

/* What lies in the buffer, after `after`; sees that nothing beside the results changed. */
static float *read_results(cl_mem buffer, size_t bytes, cl_event after) {
    const size_t size = OFFSET + bytes + TAIL;
    unsigned char *all = test_array(size, 1);
    assert_int_equal(clEnqueueReadBuffer(c.in_order, buffer, CL_TRUE, 0, size, all, after ? 1 : 0,
                                         after ? &after : NULL, NULL),
                     CL_SUCCESS);
    for (size_t i = 0; i < OFFSET; i++)
        assert_int_equal(all[i], 0xFF);
    for (size_t i = OFFSET + bytes; i < size; i++)
        assert_int_equal(all[i], 0xFF);
    float *results = test_array(bytes, 1);
    memcpy(results, all + OFFSET, bytes);
    free(all);
    return results;
}

static void expect_results(cl_mem rotations, cl_mem positions, cl_event after) {
    float *r = read_results(rotations, sizeof c.rotations, after);
    float *p = read_results(positions, sizeof c.positions, after);
    expect_same_bits(r, c.rotations, ROWS * 4, 4);
    expect_same_bits(p, c.positions, ROWS * 3, 3);
    free(r);
    free(p);
}

static void sample_on_queue(cl_command_queue queue) {
    cl_mem rotations = poisoned_buffer(sizeof c.rotations);
    cl_mem positions = poisoned_buffer(sizeof c.positions);
    const pm_cl_outputs outputs = {.rotations = rotations,
                                   .rotations_offset = OFFSET,
                                   .positions = positions,
                                   .positions_offset = OFFSET};
    cl_event done = NULL;
    pm_error error = poisoned_error();
    expect_ok(pm_cl_sample(c.clip, &job, &outputs, queue, 0, NULL, &done, &error), &error);
    assert_non_null(done);
    /* The queue is the caller's to flush. */
    assert_int_equal(clFlush(queue), CL_SUCCESS);
    expect_results(rotations, positions, done);
    assert_int_equal(clReleaseEvent(done), CL_SUCCESS);
    clReleaseMemObject(rotations);
    clReleaseMemObject(positions);
}

static void results_stay_in_buffers_on_an_in_order_queue(void **state) {
    (void)state;
    sample_on_queue(c.in_order);
}

static void results_stay_in_buffers_on_an_out_of_order_queue(void **state) {
    (void)state;
    if (c.out_of_order == NULL)
        skip();
    for (size_t round = 0; round < 20; round++)
        sample_on_queue(c.out_of_order);
}

static void an_in_order_queue_needs_no_event(void **state) {
    (void)state;
    cl_mem rotations = poisoned_buffer(sizeof c.rotations);
    cl_mem positions = poisoned_buffer(sizeof c.positions);
    const pm_cl_outputs outputs = {.rotations = rotations,
                                   .rotations_offset = OFFSET,
                                   .positions = positions,
                                   .positions_offset = OFFSET};
    pm_error error = poisoned_error();
    expect_ok(pm_cl_sample(c.clip, &job, &outputs, c.in_order, 0, NULL, NULL, &error), &error);
    expect_results(rotations, positions, NULL);
    clReleaseMemObject(rotations);
    clReleaseMemObject(positions);
}

/* Hands waiting commands to the device, so that they could start too early. */
static void flush_waiting(cl_command_queue queue) {
    void *kind_state = &on_device;
    if (!is_on_oclgrind(&kind_state))
        assert_int_equal(clFlush(queue), CL_SUCCESS);
}

static bool is_complete(cl_event event) {
    cl_int status = CL_QUEUED;
    assert_int_equal(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
        CL_SUCCESS);
    assert_true(status >= CL_COMPLETE);
    return status == CL_COMPLETE;
}

/* The job must wait for the event, and the call must not wait for the job. */
static void sample_behind_an_event(cl_command_queue queue) {
    cl_int status = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(c.context, &status);
    assert_int_equal(status, CL_SUCCESS);
    cl_mem rotations = poisoned_buffer(sizeof c.rotations);
    cl_mem positions = poisoned_buffer(sizeof c.positions);
    const pm_cl_outputs outputs = {.rotations = rotations,
                                   .rotations_offset = OFFSET,
                                   .positions = positions,
                                   .positions_offset = OFFSET};
    cl_event done = NULL;
    pm_error error = poisoned_error();
    expect_ok(pm_cl_sample(c.clip, &job, &outputs, queue, 1, &gate, &done, &error), &error);
    flush_waiting(queue);
    cl_command_queue other = clCreateCommandQueue(c.context, c.device, 0, &status);
    assert_int_equal(status, CL_SUCCESS);
    float sample = 0;
    assert_int_equal(clEnqueueReadBuffer(other, rotations, CL_TRUE, OFFSET, sizeof sample, &sample,
                                         0, NULL, NULL),
                     CL_SUCCESS);
    assert_true(is_poison(sample));
    assert_false(is_complete(done));
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    expect_results(rotations, positions, done);
    clReleaseCommandQueue(other);
    clReleaseEvent(done);
    clReleaseEvent(gate);
    clReleaseMemObject(rotations);
    clReleaseMemObject(positions);
}

static void a_job_starts_after_its_wait_list_on_an_in_order_queue(void **state) {
    (void)state;
    sample_behind_an_event(c.in_order);
}

static void a_job_starts_after_its_wait_list_on_an_out_of_order_queue(void **state) {
    (void)state;
    if (c.out_of_order == NULL)
        skip();
    sample_behind_an_event(c.out_of_order);
}

/* All kinds of jobs, whose times are spoiled while the job still waits. */
static void times_and_tracks_are_copied_before_the_call_returns(void **state) {
    (void)state;
    double times[ROWS], kept[ROWS];
    uint32_t tracks[ROWS], kept_tracks[ROWS];
    random_source source = random_salted(0x42);
    for (size_t k = 0; k < ROWS; k++) {
        times[k] = kept[k] = random_between(&source, 0, 3);
        tracks[k] = kept_tracks[k] = (uint32_t)(random_bits(&source) % TRACKS);
    }
    float *expected = guarded_floats(ROWS * 4);
    sample_make(c.clip, &(pm_sample_job){.sample_count = ROWS,
                                         .times = kept,
                                         .tracks = kept_tracks,
                                         .rotations = expected});
    cl_event gate = clCreateUserEvent(c.context, NULL), done = NULL;
    cl_mem buffer = poisoned_buffer(ROWS * 16);
    const pm_cl_outputs outputs = {.rotations = buffer, .rotations_offset = OFFSET};
    const pm_sample_job pairs = {.sample_count = ROWS, .times = times, .tracks = tracks};
    pm_error error = poisoned_error();
    expect_ok(pm_cl_sample(c.clip, &pairs, &outputs, c.in_order, 1, &gate, &done, &error), &error);
    memset(times, 0xFF, sizeof times);
    memset(tracks, 0xFF, sizeof tracks);
    clSetUserEventStatus(gate, CL_COMPLETE);
    float *results = read_results(buffer, ROWS * 16, done);
    expect_same_bits(results, expected, ROWS * 4, 4);
    free(results);
    guarded_free(expected);
    clReleaseEvent(gate);
    clReleaseEvent(done);
    clReleaseMemObject(buffer);
}

static void a_failed_wait_list_fails_the_event_of_the_job(void **state) {
    (void)state;
    cl_int status = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(c.context, c.device, 0, &status);
    cl_event gate = clCreateUserEvent(c.context, &status), done = NULL;
    cl_mem buffer = poisoned_buffer(sizeof c.rotations);
    const pm_cl_outputs outputs = {.rotations = buffer, .rotations_offset = OFFSET};
    pm_error error = poisoned_error();
    expect_ok(pm_cl_sample(c.clip, &job, &outputs, queue, 1, &gate, &done, &error), &error);
    flush_waiting(queue);
    clSetUserEventStatus(gate, -1);
    assert_int_not_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    float *results = read_results(buffer, sizeof c.rotations, NULL);
    assert_true(is_poison(results[0]));
    free(results);
    clReleaseEvent(gate);
    clReleaseEvent(done);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
}

static void a_job_of_no_samples_still_gives_its_event(void **state) {
    (void)state;
    cl_mem buffer = poisoned_buffer(16);
    const pm_cl_outputs outputs = {.rotations = buffer, .rotations_offset = OFFSET};
    pm_sample_job empty = job;
    empty.sample_count = 0;
    cl_event done = NULL;
    pm_error error = poisoned_error();
    expect_ok(pm_cl_sample(c.clip, &empty, &outputs, c.in_order, 0, NULL, &done, &error), &error);
    assert_non_null(done);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    float *results = read_results(buffer, 16, NULL);
    assert_true(is_poison(results[0]));
    free(results);
    clReleaseEvent(done);
    clReleaseMemObject(buffer);
}

/* ---- objects ---- */

static void the_engine_runs_on_the_objects_it_was_given(void **state) {
    (void)state;
    assert_ptr_equal(pm_cl_context(c.engine), c.context);
    assert_ptr_equal(pm_cl_device(c.engine), c.device);
}

static void the_reference_has_no_objects(void **state) {
    (void)state;
    void *kind_state = &on_reference;
    assert_null(pm_cl_context(engine_for(&kind_state)));
    assert_null(pm_cl_device(engine_for(&kind_state)));
}

static void an_engine_retains_the_context_and_lets_it_go(void **state) {
    (void)state;
    cl_int status = CL_SUCCESS;
    cl_context context = clCreateContext(NULL, 1, &c.device, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    const cl_uint before = references(context);
    pm_engine *engine = NULL;
    pm_error error = poisoned_error();
    expect_ok(pm_cl_engine_create(context, c.device, NULL, &engine, &error), &error);
    assert_true(references(context) > before);
    pm_engine_destroy(&engine);
    assert_int_equal(references_at_last(context, before), before);
    clReleaseContext(context);
}

static void an_engine_on_nothing_is_refused(void **state) {
    (void)state;
    pm_engine *engine = NULL;
    pm_error error = poisoned_error();
    expect_refusal(pm_cl_engine_create(NULL, c.device, NULL, &engine, &error), &error,
                   PM_ERROR_ARGUMENT, "context");
    expect_refusal(pm_cl_engine_create(c.context, NULL, NULL, &engine, &error), &error,
                   PM_ERROR_ARGUMENT, "device");
    expect_refusal(pm_cl_engine_create(c.context, c.device, NULL, NULL, &error), &error,
                   PM_ERROR_ARGUMENT, "engine");
    assert_null(engine);
}

/* ---- refusals ---- */

static void expect_refused_outputs(const pm_sample_job *which, const pm_cl_outputs *outputs,
                                   cl_command_queue queue, const char *words) {
    pm_error error = poisoned_error();
    cl_event *const no_event = NULL;
    expect_refusal(pm_cl_sample(c.clip, which, outputs, queue, 0, NULL, no_event, &error), &error,
                   PM_ERROR_ARGUMENT, words);
    cl_event done = (cl_event)&error;
    expect_refusal(pm_cl_sample(c.clip, which, outputs, queue, 0, NULL, &done, &error), &error,
                   PM_ERROR_ARGUMENT, words);
    assert_ptr_equal(done, &error);
}

static void missing_outputs_and_queues_are_refused(void **state) {
    (void)state;
    cl_mem buffer = poisoned_buffer(sizeof c.rotations);
    const pm_cl_outputs outputs = {.rotations = buffer};
    expect_refused_outputs(&job, NULL, c.in_order, "output");
    expect_refused_outputs(&job, &(pm_cl_outputs){0}, c.in_order, "output|rotations");
    expect_refused_outputs(&job, &outputs, NULL, "queue");
    expect_refused_outputs(NULL, &outputs, c.in_order, "job");
    clReleaseMemObject(buffer);
}

static void a_wait_list_and_its_count_must_agree(void **state) {
    (void)state;
    cl_mem buffer = poisoned_buffer(sizeof c.rotations);
    const pm_cl_outputs outputs = {.rotations = buffer};
    pm_error error = poisoned_error();
    expect_refusal(pm_cl_sample(c.clip, &job, &outputs, c.in_order, 1, NULL, NULL, &error), &error,
                   PM_ERROR_ARGUMENT, "wait");
    clReleaseMemObject(buffer);
}

static void outputs_that_the_clip_has_no_keys_for_are_refused(void **state) {
    (void)state;
    cl_mem buffer = poisoned_buffer(sizeof c.positions);
    expect_refused_outputs(&job, &(pm_cl_outputs){.scales = buffer}, c.in_order, "scales");
    clReleaseMemObject(buffer);
}

static void offsets_that_are_not_aligned_are_refused(void **state) {
    (void)state;
    cl_mem buffer = poisoned_buffer(sizeof c.rotations);
    const size_t bad[] = {1, 4, 8, 15, 17};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_refused_outputs(&job,
                               &(pm_cl_outputs){.rotations = buffer, .rotations_offset = bad[i]},
                               c.in_order, "offset");
    expect_refused_outputs(&job, &(pm_cl_outputs){.positions = buffer, .positions_offset = 2},
                           c.in_order, "offset");
    clReleaseMemObject(buffer);
}

static void buffers_too_small_for_the_results_are_refused(void **state) {
    (void)state;
    cl_mem buffer = poisoned_buffer(sizeof c.rotations);
    const size_t bad[] = {OFFSET + TAIL + 16, OFFSET + TAIL + sizeof c.rotations,
                          SIZE_MAX & ~(size_t)15};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_refused_outputs(&job,
                               &(pm_cl_outputs){.rotations = buffer, .rotations_offset = bad[i]},
                               c.in_order, "small|size|fit|bytes|buffer");
    pm_error error = poisoned_error();
    const pm_cl_outputs just_fits = {.rotations = buffer, .rotations_offset = OFFSET + TAIL};
    expect_ok(pm_cl_sample(c.clip, &job, &just_fits, c.in_order, 0, NULL, NULL, &error), &error);
    clFinish(c.in_order);
    clReleaseMemObject(buffer);
}

static void host_pointers_beside_buffers_are_refused(void **state) {
    (void)state;
    cl_mem buffer = poisoned_buffer(sizeof c.rotations);
    float out[4];
    pm_sample_job both = job;
    both.rotations = out;
    expect_refused_outputs(&both, &(pm_cl_outputs){.rotations = buffer}, c.in_order,
                           "rotations|host");
    clReleaseMemObject(buffer);
}

static void buffers_and_queues_of_another_context_are_refused(void **state) {
    (void)state;
    cl_int status = CL_SUCCESS;
    cl_context other = clCreateContext(NULL, 1, &c.device, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    cl_command_queue queue = clCreateCommandQueue(other, c.device, 0, &status);
    cl_mem foreign = clCreateBuffer(other, CL_MEM_READ_WRITE, sizeof c.rotations, NULL, &status);
    cl_mem own = poisoned_buffer(sizeof c.rotations);
    expect_refused_outputs(&job, &(pm_cl_outputs){.rotations = own}, queue, "context|queue");
    expect_refused_outputs(&job, &(pm_cl_outputs){.rotations = foreign}, c.in_order, "context");
    clReleaseMemObject(own);
    clReleaseMemObject(foreign);
    clReleaseCommandQueue(queue);
    clReleaseContext(other);
}

static void a_clip_on_the_reference_is_refused(void **state) {
    (void)state;
    void *kind_state = &on_reference;
    const pm_timeline timeline = {.key_count = KEYS, .rate = {4, 1}};
    const pm_clip_desc desc = motion_desc(&c.keys, &timeline, PM_METHOD_SLERP);
    pm_clip *clip = clip_make(engine_for(&kind_state), &desc);
    cl_mem buffer = poisoned_buffer(sizeof c.rotations);
    const pm_cl_outputs outputs = {.rotations = buffer};
    pm_error error = poisoned_error();
    expect_refusal(pm_cl_sample(clip, &job, &outputs, c.in_order, 0, NULL, NULL, &error), &error,
                   PM_ERROR_ARGUMENT, "reference");
    expect_refusal(pm_cl_sample(NULL, &job, &outputs, c.in_order, 0, NULL, NULL, &error), &error,
                   PM_ERROR_ARGUMENT, "clip");
    clReleaseMemObject(buffer);
    pm_clip_destroy(&clip);
}

static void the_engine_still_works_after_refusals(void **state) {
    (void)state;
    sample_on_queue(c.in_order);
}

int main(void) {
    const int code = exit_code_without_device();
    if (code != 0)
        return code;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_stay_in_buffers_on_an_in_order_queue),
        cmocka_unit_test(results_stay_in_buffers_on_an_out_of_order_queue),
        cmocka_unit_test(an_in_order_queue_needs_no_event),
        cmocka_unit_test(a_job_starts_after_its_wait_list_on_an_in_order_queue),
        cmocka_unit_test(a_job_starts_after_its_wait_list_on_an_out_of_order_queue),
        cmocka_unit_test(times_and_tracks_are_copied_before_the_call_returns),
        cmocka_unit_test(a_failed_wait_list_fails_the_event_of_the_job),
        cmocka_unit_test(a_job_of_no_samples_still_gives_its_event),
        cmocka_unit_test(the_engine_runs_on_the_objects_it_was_given),
        cmocka_unit_test(the_reference_has_no_objects),
        cmocka_unit_test(an_engine_retains_the_context_and_lets_it_go),
        cmocka_unit_test(an_engine_on_nothing_is_refused),
        cmocka_unit_test(missing_outputs_and_queues_are_refused),
        cmocka_unit_test(a_wait_list_and_its_count_must_agree),
        cmocka_unit_test(outputs_that_the_clip_has_no_keys_for_are_refused),
        cmocka_unit_test(offsets_that_are_not_aligned_are_refused),
        cmocka_unit_test(buffers_too_small_for_the_results_are_refused),
        cmocka_unit_test(host_pointers_beside_buffers_are_refused),
        cmocka_unit_test(buffers_and_queues_of_another_context_are_refused),
        cmocka_unit_test(a_clip_on_the_reference_is_refused),
        cmocka_unit_test(the_engine_still_works_after_refusals),
    };
    return cmocka_run_group_tests_name("interop", tests, open_caller, close_caller);
}
