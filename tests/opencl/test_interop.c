/* SPDX-License-Identifier: MIT
 *
 * Posemill with the caller's OpenCL objects: context, both kinds of queues, wait lists, events,
 * offsets into buffers, and refusals of invalid ones.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/counts.h"
#include "support/cl_caller.h"
#include "support/cl_objects.h"
#include "support/cl_references.h"
#include "support/engines.h"
#include "support/motion.h"

#include <stdlib.h>
#include <string.h>

/* So many keys that a device of the host shares the clip's memory. */
enum { KEYS = 1000, TRACKS = 5, COUNT = 100, ROWS = COUNT * TRACKS };

static struct {
    pm_clip *clip;
    motion keys;
    float rotations[ROWS * 4], positions[ROWS * 3]; /* results of pm_sample */
} c;

static const pm_sample_job job = {.sample_count = COUNT, .rate = {31, 1}};

static pm_clip *make_clip(pm_engine *engine) {
    const pm_timeline timeline = {.key_count = KEYS, .rate = {4, 1}};
    pm_clip_desc desc = motion_desc(&c.keys, &timeline, PM_METHOD_SQUAD);
    desc.scales.data = NULL;
    return clip_make(engine, &desc);
}

FIXTURE(open_all) {
    if (!caller_open())
        return 1;
    c.keys = motion_make(KEYS, TRACKS, 2.5, 0x41);
    c.clip = make_clip(caller.engine);
    pm_sample_job blocking = job;
    blocking.rotations = c.rotations;
    blocking.positions = c.positions;
    sample_make(c.clip, &blocking);
    return 0;
}

static int close_all(void **state) {
    pm_clip_destroy(&c.clip);
    caller_close();
    motion_free(&c.keys);
    return engines_close(state);
}

static pm_cl_outputs outputs_make(void) {
    return (pm_cl_outputs){.rotations = caller_buffer(sizeof c.rotations),
                           .rotations_offset = CALLER_OFFSET,
                           .positions = caller_buffer(sizeof c.positions),
                           .positions_offset = CALLER_OFFSET};
}

static void expect_results(const pm_cl_outputs *outputs, cl_event after) {
    caller_expect(outputs->rotations, c.rotations, ROWS * 4, 4, after);
    caller_expect(outputs->positions, c.positions, ROWS * 3, 3, after);
}

static void expect_poison(cl_mem buffer, size_t bytes) {
    SCOPED(free_at) float *results = caller_read(buffer, bytes, NULL);
    assert_true(is_poison(results[0]));
}

static void sample_on_queue(cl_command_queue queue) {
    const pm_cl_outputs outputs = outputs_make();
    cl_event done = caller_sample(c.clip, &job, &outputs, queue, NULL);
    assert_int_equal(clFlush(queue), CL_SUCCESS); /* the caller must flush */
    expect_results(&outputs, done);
}

CALLER_TEST(results_are_written_to_buffers_on_an_in_order_queue) {
    sample_on_queue(caller.in_order);
}

CALLER_TEST(results_are_written_to_buffers_on_an_out_of_order_queue) {
    if (!caller.out_of_order)
        skip();
    for (size_t round = 0; round < 20; round++)
        sample_on_queue(caller.out_of_order);
}

CALLER_TEST(an_in_order_queue_needs_no_event) {
    const pm_cl_outputs outputs = outputs_make();
    expect_success(
        pm_cl_sample(c.clip, &job, &outputs, caller.in_order, 0, NULL, NULL, new_error()));
    expect_results(&outputs, NULL);
}

enum { BETWEEN = 3 }; /* floats */

static void expect_rows(cl_mem buffer, const float *expected, size_t row, cl_event after) {
    const size_t stride = row + BETWEEN;
    SCOPED(free_at)
    float *all = caller_read(buffer, ((COUNT - 1) * stride + row) * sizeof *all, after);
    for (size_t k = 0; k < COUNT; k++) {
        assert_memory_equal(all + k * stride, expected + k * row, row * sizeof *all);
        for (size_t i = row; k + 1 < COUNT && i < stride; i++)
            assert_true(is_poison(all[k * stride + i]));
    }
}

static void sample_with_strides(cl_command_queue queue) {
    const size_t rows[] = {TRACKS * 4, TRACKS * 3};
    pm_cl_outputs outputs = outputs_make();
    pm_sample_job strided = job;
    cl_mem *const buffers[] = {&outputs.rotations, &outputs.positions};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        *buffers[i] = caller_buffer(((COUNT - 1) * (rows[i] + BETWEEN) + rows[i]) * sizeof(float));
    strided.rotations_stride = (rows[0] + BETWEEN) * sizeof(float);
    strided.positions_stride = (rows[1] + BETWEEN) * sizeof(float);
    cl_event done = caller_sample(c.clip, &strided, &outputs, queue, NULL);
    assert_int_equal(clFlush(queue), CL_SUCCESS);
    expect_rows(outputs.rotations, c.rotations, rows[0], done);
    expect_rows(outputs.positions, c.positions, rows[1], done);
}

CALLER_TEST(rows_with_strides_are_written_to_buffers) {
    sample_with_strides(caller.in_order);
    if (caller.out_of_order)
        sample_with_strides(caller.out_of_order);
}

/* The subset is the caller's again when the call returns. */
static void sample_subset(cl_command_queue queue) {
    enum { SOME = 3 };
    uint32_t subset[SOME] = {4, 0, 2};
    const uint32_t kept[SOME] = {4, 0, 2};
    static float expected[COUNT * SOME * 4];
    const pm_cl_outputs outputs = {.rotations = caller_buffer(sizeof expected),
                                   .rotations_offset = CALLER_OFFSET};
    pm_sample_job some = job;
    some.subset = subset;
    some.subset_count = SOME;
    for (size_t k = 0; k < COUNT; k++)
        for (size_t i = 0; i < SOME; i++)
            memcpy(expected + 4 * (SOME * k + i), c.rotations + 4 * (TRACKS * k + kept[i]),
                   4 * sizeof *expected);
    cl_event done = caller_sample(c.clip, &some, &outputs, queue, NULL);
    memset(subset, 0xff, sizeof subset);
    assert_int_equal(clFlush(queue), CL_SUCCESS);
    caller_expect(outputs.rotations, expected, COUNT * SOME * 4, 4, done);
}

CALLER_TEST(rows_of_a_subset_are_written_to_buffers) {
    sample_subset(caller.in_order);
    if (caller.out_of_order)
        sample_subset(caller.out_of_order);
}

CALLER_TEST(rows_with_strides_must_fit_their_buffers) {
    const pm_cl_outputs outputs = outputs_make(); /* of results without strides */
    pm_sample_job strided = job;
    strided.rotations_stride = 4 * TRACKS * sizeof(float) + 4;
    expect_error(
        pm_cl_sample(c.clip, &strided, &outputs, caller.in_order, 0, NULL, NULL, new_error()),
        PM_ERROR_ARGUMENT, "rotations");
}

/* The job must wait for the event, and the call must not wait for the job. */
static void sample_behind_an_event(cl_command_queue queue) {
    cl_event gate = gate_make();
    const pm_cl_outputs outputs = outputs_make();
    cl_event done = caller_sample(c.clip, &job, &outputs, queue, gate);
    flush_waiting(queue);
    cl_command_queue other = caller_queue();
    float sample = 0;
    read_buffer(other, outputs.rotations, CALLER_OFFSET, sizeof sample, &sample);
    assert_true(is_poison(sample));
    assert_false(is_complete(done));
    gate_open(gate);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    expect_results(&outputs, done);
}

/* The clip and its engine are destroyed before the job may start. */
CALLER_TEST(enqueued_work_does_not_depend_on_the_handles) {
    pm_engine *engine = NULL;
    expect_success(pm_cl_engine_create(caller.context, caller.device, NULL, &engine, new_error()));
    pm_clip *clip = make_clip(engine);
    const pm_cl_outputs outputs = outputs_make();
    cl_event gate = gate_make();
    cl_event done = caller_sample(clip, &job, &outputs, caller.in_order, gate);
    pm_clip_destroy(&clip);
    pm_engine_destroy(&engine);
    clip = make_clip(caller.engine); /* which may get the memory, if it was freed */
    flush_waiting(caller.in_order);
    gate_open(gate);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    expect_results(&outputs, done);
    pm_clip_destroy(&clip);
}

CALLER_TEST(a_job_starts_after_its_wait_list_on_an_in_order_queue) {
    sample_behind_an_event(caller.in_order);
}

CALLER_TEST(a_job_starts_after_its_wait_list_on_an_out_of_order_queue) {
    if (!caller.out_of_order)
        skip();
    sample_behind_an_event(caller.out_of_order);
}

/* All kinds of jobs; their times are overwritten while the job still waits. */
CALLER_TEST(times_and_tracks_are_copied_before_the_call_returns) {
    double times[ROWS];
    uint32_t tracks[ROWS];
    random_source source = random_salted(0x42);
    for (size_t k = 0; k < ROWS; k++) {
        times[k] = random_between(&source, 0, 3);
        tracks[k] = (uint32_t)(random_bits(&source) % TRACKS);
    }
    const pm_sample_job pairs = {.sample_count = ROWS, .times = times, .tracks = tracks};
    SCOPED(guarded_free_at) float *expected = guarded_floats(ROWS * 4);
    pm_sample_job blocking = pairs;
    blocking.rotations = expected;
    sample_make(c.clip, &blocking);
    cl_event gate = gate_make();
    cl_mem buffer = caller_buffer(ROWS * 16);
    const pm_cl_outputs outputs = {.rotations = buffer, .rotations_offset = CALLER_OFFSET};
    cl_event done = caller_sample(c.clip, &pairs, &outputs, caller.in_order, gate);
    memset(times, 0xFF, sizeof times);
    memset(tracks, 0xFF, sizeof tracks);
    gate_open(gate);
    caller_expect(buffer, expected, ROWS * 4, 4, done);
}

CALLER_TEST(a_failed_wait_list_fails_the_event_of_the_job) {
    skip_if_failed_events_crash();
    cl_command_queue queue = caller_queue();
    cl_event gate = gate_make();
    cl_mem buffer = caller_buffer(sizeof c.rotations);
    const pm_cl_outputs outputs = {.rotations = buffer, .rotations_offset = CALLER_OFFSET};
    cl_event done = caller_sample(c.clip, &job, &outputs, queue, gate);
    flush_waiting(queue);
    clSetUserEventStatus(gate, -1);
    assert_int_not_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    expect_poison(buffer, sizeof c.rotations);
}

CALLER_TEST(a_job_of_no_samples_still_gives_its_event) {
    cl_mem buffer = caller_buffer(16);
    const pm_cl_outputs outputs = {.rotations = buffer, .rotations_offset = CALLER_OFFSET};
    pm_sample_job empty = job;
    empty.sample_count = 0;
    cl_event done = caller_sample(c.clip, &empty, &outputs, caller.in_order, NULL);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    expect_poison(buffer, 16);
    /* There is nothing to write, so no output is required. */
    const pm_cl_outputs none = {.rotations = NULL};
    done = caller_sample(c.clip, &empty, &none, caller.in_order, NULL);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
}

/* ---- objects ---- */

TEST(the_claims_are_those_of_the_driver) {
    const cl_device_info of_3_0 = 0x1067; /* CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE */
    cl_device_fp_config config = 0;
    size_t multiple = 0;
    pm_device_info info;
    pm_engine_get_info(caller.engine, &info);
    assert_int_equal(
        clGetDeviceInfo(caller.device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL),
        CL_SUCCESS);
    if (clGetDeviceInfo(caller.device, of_3_0, sizeof multiple, &multiple, NULL) != CL_SUCCESS)
        multiple = 0;
    assert_int_equal(info.claims.fma, (config & CL_FP_FMA) != 0);
    assert_int_equal(info.claims.denormals, (config & CL_FP_DENORM) != 0);
    assert_int_equal(info.claims.round_to_nearest, (config & CL_FP_ROUND_TO_NEAREST) != 0);
    assert_int_equal(info.claims.correctly_rounded_divide_sqrt,
                     (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0);
    assert_int_equal(info.claims.work_group_multiple, multiple);
}

TEST(an_engine_retains_the_context_and_releases_it) {
    cl_int status = CL_SUCCESS;
    cl_context context = clCreateContext(NULL, 1, &caller.device, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    const cl_uint before = references(context);
    pm_engine *engine = NULL;
    expect_success(pm_cl_engine_create(context, caller.device, NULL, &engine, new_error()));
    assert_true(references(context) > before);
    pm_engine_destroy(&engine);
    assert_int_equal(references_at_last(references, context, before), before);
    clReleaseContext(context);
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

CALLER_TEST(structs_with_a_next_are_refused) {
    cl_mem buffer = caller_buffer(sizeof c.rotations);
    pm_cl_outputs outputs = {.rotations = buffer};
    pm_sample_job wrong = job;
    pm_cl_target target = {.context = caller.context, .device = caller.device};
    pm_engine *engine = NULL;
    expect_next_refused(
        pm_cl_outputs, outputs, last_error(),
        pm_cl_sample(c.clip, &job, &outputs, caller.in_order, 0, NULL, NULL, new_error()));
    expect_next_refused(
        pm_sample_job, wrong, last_error(),
        pm_cl_sample(c.clip, &wrong, &outputs, caller.in_order, 0, NULL, NULL, new_error()));
    expect_next_refused(pm_cl_target, target, last_error(),
                        pm_cl_engine_create_multi(&target, 1, NULL, &engine, new_error()));
    assert_null(engine);
}

CALLER_TEST(offsets_that_are_not_aligned_are_refused) {
    cl_mem buffer = caller_buffer(sizeof c.rotations);
    const size_t bad[] = {1, 4, 8, 15, 17};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        expect_refused_outputs(&job,
                               &(pm_cl_outputs){.rotations = buffer, .rotations_offset = bad[i]},
                               caller.in_order, "offset");
    expect_refused_outputs(&job, &(pm_cl_outputs){.positions = buffer, .positions_offset = 2},
                           caller.in_order, "offset");
}

/* A buffer of host memory may start at any float; the address of the results is what counts. */
static void expect_in_host_memory(float *memory, size_t floats, size_t offset) {
    cl_int status = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(caller.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                   floats * sizeof(float), memory, &status);
    assert_int_equal(status, CL_SUCCESS);
    const pm_cl_outputs rotations = {.rotations = buffer, .rotations_offset = offset};
    const pm_cl_outputs positions = {.positions = buffer, .positions_offset = offset};
    if (((uintptr_t)memory + offset) % 16)
        expect_refused_outputs(&job, &rotations, caller.in_order, "address");
    else
        expect_success(
            pm_cl_sample(c.clip, &job, &rotations, caller.in_order, 0, NULL, NULL, new_error()));
    expect_success(
        pm_cl_sample(c.clip, &job, &positions, caller.in_order, 0, NULL, NULL, new_error()));
    assert_int_equal(clFinish(caller.in_order), CL_SUCCESS);
    clReleaseMemObject(buffer);
}

CALLER_TEST(results_in_host_memory_start_at_aligned_addresses) {
    enum { FLOATS = ROWS * 4 + 64, PAGE = 4096 };
    random_source source = random_salted(0x44);
    SCOPED(free_at)
    float *page = aligned_alloc(PAGE, (FLOATS * sizeof(float) + PAGE) / PAGE * PAGE);
    assert_non_null(page);
    for (size_t first = 0; first < 8; first++)
        expect_in_host_memory(page + first, ROWS * 4 + 48, random_bits(&source) % 12 * 16);
}

CALLER_TEST(buffers_too_small_for_the_results_are_refused) {
    cl_mem buffer = caller_buffer(sizeof c.rotations);
    const size_t bad[] = {CALLER_OFFSET + CALLER_TAIL + 16,
                          CALLER_OFFSET + CALLER_TAIL + sizeof c.rotations, SIZE_MAX & ~(size_t)15};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        expect_refused_outputs(&job,
                               &(pm_cl_outputs){.rotations = buffer, .rotations_offset = bad[i]},
                               caller.in_order, "small|size|fit|bytes|buffer");
    const pm_cl_outputs just_fits = {.rotations = buffer,
                                     .rotations_offset = CALLER_OFFSET + CALLER_TAIL};
    expect_success(
        pm_cl_sample(c.clip, &job, &just_fits, caller.in_order, 0, NULL, NULL, new_error()));
    clFinish(caller.in_order);
}

CALLER_TEST(host_pointers_together_with_buffers_are_refused) {
    cl_mem buffer = caller_buffer(sizeof c.rotations);
    float out[4];
    pm_sample_job both = job;
    both.rotations = out;
    expect_refused_outputs(&both, &(pm_cl_outputs){.rotations = buffer}, caller.in_order,
                           "rotations|host");
}

CALLER_TEST(buffers_and_queues_of_another_context_are_refused) {
    cl_int status = CL_SUCCESS;
    cl_context other = clCreateContext(NULL, 1, &caller.device, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    cl_command_queue queue = queue_of(other, caller.device);
    cl_mem foreign = buffer_of(other, 0, sizeof c.rotations, NULL);
    cl_mem own = caller_buffer(sizeof c.rotations);
    expect_refused_outputs(&job, &(pm_cl_outputs){.rotations = own}, queue, "context|queue");
    expect_refused_outputs(&job, &(pm_cl_outputs){.rotations = foreign}, caller.in_order,
                           "context");
    clReleaseMemObject(foreign);
    clReleaseCommandQueue(queue);
    clReleaseContext(other);
}

TEST_GROUP_ON_DEVICE(open_all, close_all)
