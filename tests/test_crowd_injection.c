/* SPDX-License-Identifier: MIT
 *
 * Failure injection of crowds: the Nth OpenCL call, buffer or allocation fails while skeletons
 * and crowds are made, posed and travelled with. Each time: the right status or a right result,
 * nothing left alive, and an engine, and a crowd where there is one, that still work.
 */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */

#include <posemill/posemill_cl.h>

#include "faults.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 19, JOINTS = 4, OUTPUTS = 2, MOST_FAULTS = 2000 };
enum { UNKNOWN_CODE = -9999 }; /* no driver returns it, so cl_status can only come from here */

static const pm_crowd_output outputs[OUTPUTS] = {PM_CROWD_PALETTE, PM_CROWD_DUAL};

/* What a scenario has made so far, and what it must be let go of afterwards. */
typedef struct stage {
    void **state;
    const char *cache_folder;
    pm_engine *engine;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    float *records[OUTPUTS];
    pm_travel travels[COUNT];
    cl_command_queue queue;
    cl_mem buffers[OUTPUTS], previous, instances; /* instances NULL: in host memory */
    cl_event gate;
} stage;

typedef struct scenario {
    const char *name;
    /* Makes what the run needs; nothing fails yet. */
    void (*prepare)(stage *s);
    /* The one call that meets the fault. */
    pm_status (*run)(stage *s, pm_error *error);
    void (*expect)(const stage *s); /* the results of a run that did well; or NULL */
} scenario;

static scene material; /* whose descriptions are used, and whose crowd is on the reference */
static pm_crowd_instance instances[COUNT], after[COUNT];
static float *expected[OUTPUTS];
static pm_travel expected_travels[COUNT];
static char cache[64];

static size_t floats_of(unsigned o) {
    return scene_floats(&material, outputs[o], COUNT);
}

/* ---- runs ------------------------------------------------------------------------------ */

static pm_status create_skeleton(stage *s, pm_error *error) {
    return pm_skeleton_create(&material.skeleton_desc, &s->skeleton, error);
}

static pm_status create_crowd(stage *s, pm_error *error) {
    const pm_crowd_desc desc = {
        .skeleton = s->skeleton, .clips = material.clips, .clip_count = material.clip_count};
    return pm_crowd_create(s->engine, &desc, &s->crowd, error);
}

static pm_status pose(stage *s, pm_error *error) {
    pm_crowd_job job = {.instances = instances, .instance_count = COUNT};
    for (unsigned o = 0; o < OUTPUTS; o++)
        job.outputs[outputs[o]].memory = s->records[o];
    return pm_crowd_pose(s->crowd, &job, error);
}

static pm_status travel(stage *s, pm_error *error) {
    return pm_crowd_travel(s->crowd, instances, after, COUNT, s->travels, error);
}

static pm_status pose_on_queue(stage *s, pm_error *error) {
    pm_cl_crowd_job job = {.instances = s->instances ? NULL : instances,
                           .instance_buffer = s->instances,
                           .instance_count = COUNT};
    cl_event done = NULL;
    for (unsigned o = 0; o < OUTPUTS; o++)
        job.outputs[outputs[o]].buffer = s->buffers[o];
    job.outputs[outputs[0]].previous = s->previous;
    const pm_status status = pm_cl_crowd_pose(s->crowd, &job, s->queue, 1, &s->gate, &done, error);
    assert_true((status == PM_OK) == (done != NULL));
    if (done)
        clReleaseEvent(done);
    return status;
}

/* ---- what runs need ---------------------------------------------------------------------- */

static void prepare_nothing(stage *s) {
    (void)s;
}

static void prepare_engine(stage *s) {
    s->engine = engine_with(s->state, &(pm_engine_desc){.cache_folder = s->cache_folder});
}

static void prepare_skeleton(stage *s) {
    pm_error error = poisoned_error();
    prepare_engine(s);
    expect_ok(create_skeleton(s, &error), &error);
}

static void prepare_crowd(stage *s) {
    pm_error error = poisoned_error();
    prepare_skeleton(s);
    expect_ok(create_crowd(s, &error), &error);
}

static void prepare_warm(stage *s) {
    pm_error error = poisoned_error();
    prepare_crowd(s);
    expect_ok(pose(s, &error), &error);
}

static cl_mem make_buffer(const stage *s, size_t size, const void *data) {
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_int status = CL_SUCCESS;
    void *bytes = test_array(size, 1);
    memset(bytes, 0xFF, size);
    if (data)
        memcpy(bytes, data, size);
    cl_mem buffer =
        clCreateBuffer(pm_cl_context(s->engine), flags, size, data ? bytes : NULL, &status);
    free(bytes);
    assert_int_equal(status, CL_SUCCESS);
    return buffer;
}

static void prepare_queue(stage *s) {
    prepare_crowd(s);
    const cl_context context = pm_cl_context(s->engine);
    s->queue = clCreateCommandQueue(context, pm_cl_device(s->engine), 0, NULL);
    s->gate = clCreateUserEvent(context, NULL);
    assert_true(s->queue && s->gate);
    assert_int_equal(clSetUserEventStatus(s->gate, CL_COMPLETE), CL_SUCCESS);
    for (unsigned o = 0; o < OUTPUTS; o++)
        s->buffers[o] = make_buffer(s, floats_of(o) * sizeof(float), NULL);
    s->previous = make_buffer(s, floats_of(0) * sizeof(float), NULL);
}

static void prepare_warm_queue(stage *s) {
    pm_error error = poisoned_error();
    prepare_queue(s);
    expect_ok(pose_on_queue(s, &error), &error);
    assert_int_equal(clFinish(s->queue), CL_SUCCESS);
}

static void prepare_instance_buffer(stage *s) {
    prepare_queue(s);
    s->instances = make_buffer(s, sizeof instances, instances);
}

/* What was enqueued before a failure may still run: the buffers live until it is done. */
static void read_queue(const stage *s) {
    assert_int_equal(clFinish(s->queue), CL_SUCCESS);
    for (unsigned o = 0; o < OUTPUTS; o++)
        assert_int_equal(clEnqueueReadBuffer(s->queue, s->buffers[o], CL_TRUE, 0,
                                             floats_of(o) * sizeof(float), s->records[o], 0, NULL,
                                             NULL),
                         CL_SUCCESS);
}

static void close_queue(stage *s) {
    if (!s->queue)
        return;
    assert_int_equal(clFinish(s->queue), CL_SUCCESS);
    for (unsigned o = 0; o < OUTPUTS; o++)
        clReleaseMemObject(s->buffers[o]);
    clReleaseMemObject(s->previous);
    if (s->instances)
        clReleaseMemObject(s->instances);
    clReleaseEvent(s->gate);
    clReleaseCommandQueue(s->queue);
}

/* ---- what comes of it ---------------------------------------------------------------------- */

static void expect_records(const stage *s) {
    if (s->queue)
        read_queue(s);
    for (unsigned o = 0; o < OUTPUTS; o++) {
        expect_same_bits(s->records[o], expected[o], floats_of(o), 4);
        expect_guards(s->records[o], floats_of(o));
    }
}

static void expect_travels(const stage *s) {
    assert_memory_equal(s->travels, expected_travels, sizeof expected_travels);
}

static void forget_records(const stage *s) {
    for (unsigned o = 0; o < OUTPUTS; o++)
        memset(s->records[o], 0xFF, floats_of(o) * sizeof(float));
}

/* Whatever the fault broke must be broken for that one call only. */
static void expect_still_usable(stage *s) {
    pm_error error = poisoned_error();
    if (s->engine == NULL)
        prepare_engine(s);
    if (s->skeleton == NULL)
        expect_ok(create_skeleton(s, &error), &error);
    if (s->crowd == NULL)
        expect_ok(create_crowd(s, &error), &error);
    forget_records(s);
    expect_ok(s->queue ? pose_on_queue(s, &error) : pose(s, &error), &error);
    expect_records(s);
    expect_ok(travel(s, &error), &error);
    expect_travels(s);
}

/* Which statuses a failure of this call may become. */
static bool is_right_status(pm_status status, const char *call, fault_kind kind) {
    if (kind == FAULT_ALLOCATION)
        return status == PM_ERROR_MEMORY;
    if (kind == FAULT_BUFFER)
        return status == PM_ERROR_DEVICE_MEMORY;
    if (status == PM_ERROR_BUILD)
        return strcmp(call, "clBuildProgram") == 0 ||
               strcmp(call, "clCreateProgramWithSource") == 0;
    return status == PM_ERROR_DEVICE;
}

static void check_outcome(const scenario *which, const stage *s, pm_status status,
                          const pm_error *error, const char *call, fault_kind kind, size_t nth) {
    if (status == PM_OK) {
        if (which->expect)
            which->expect(s);
        return;
    }
    if (!is_right_status(status, call ? call : "nothing", kind))
        fail_msg("%s, fault %zu: %s failed and became \"%s\": %.255s", which->name, nth,
                 call ? call : "nothing", pm_status_name(status), error->message);
    assert_int_equal(error->status, status);
    assert_true(error->message[0] != '\0');
    if (status == PM_ERROR_DEVICE)
        assert_int_equal(error->cl_status, UNKNOWN_CODE);
    if (which->run == create_skeleton)
        assert_null(s->skeleton);
    if (which->run == create_crowd)
        assert_null(s->crowd);
}

static void open_stage(stage *s) {
    for (unsigned o = 0; o < OUTPUTS; o++)
        s->records[o] = guarded_floats(floats_of(o));
}

static void close_stage(stage *s) {
    close_queue(s);
    pm_crowd_destroy(&s->crowd);
    pm_skeleton_destroy(&s->skeleton);
    pm_engine_destroy(&s->engine);
    for (unsigned o = 0; o < OUTPUTS; o++)
        guarded_free(s->records[o]);
}

/* One run with one fault. Returns whether the fault was met, and counts what it broke. */
static bool run_with_fault(const scenario *which, void **state, fault_kind kind, size_t nth,
                           bool sticky, size_t *failures) {
    const long blocks = faults_live_blocks(), objects = faults_live_objects();
    const int code = kind == FAULT_BUFFER ? CL_MEM_OBJECT_ALLOCATION_FAILURE : UNKNOWN_CODE;
    stage s = {.state = state, .cache_folder = cache};
    pm_error error = poisoned_error();
    open_stage(&s);
    which->prepare(&s);
    forget_records(&s);
    faults_arm(kind, nth, code, sticky);
    const pm_status status = which->run(&s, &error);
    const char *call = faults_disarm();
    check_outcome(which, &s, status, &error, call, kind, nth);
    *failures += status != PM_OK;
    expect_still_usable(&s);
    close_stage(&s);
    if (faults_live_blocks() != blocks || faults_live_objects() != objects)
        fail_msg("%s, fault %zu (%s): %ld blocks and %ld OpenCL objects left alive", which->name,
                 nth, call ? call : "none", faults_live_blocks() - blocks,
                 faults_live_objects() - objects);
    return call != NULL;
}

/* Every fault in turn, of which `least` must have become errors; or in small sizes fewer and
 * fewer, of which two must, or `least` if that is less. */
static void inject_all(const scenario *which, void **state, fault_kind kind, bool sticky,
                       size_t least) {
    engine_for(state); /* skips where there is no device */
    size_t failures = 0, nth = 1;
    while (run_with_fault(which, state, kind, nth, sticky, &failures)) {
        nth += small_sizes() ? 1 + nth / 2 : 1;
        assert_true(nth < MOST_FAULTS);
    }
    print_message("%s: %zu faults, %zu became errors\n", which->name, nth - 1, failures);
    if (small_sizes() && least > 2)
        least = 2;
    assert_true(failures >= least);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static const scenario skeleton_scenario = {"making a skeleton", prepare_nothing, create_skeleton,
                                           NULL};
static const scenario crowd_scenario = {"making a crowd", prepare_skeleton, create_crowd, NULL};
static const scenario cold_scenario = {"a first job", prepare_crowd, pose, expect_records};
static const scenario warm_scenario = {"a later job", prepare_warm, pose, expect_records};
static const scenario travel_scenario = {"travel", prepare_crowd, travel, expect_travels};
static const scenario queue_scenario = {"a first job on a queue", prepare_queue, pose_on_queue,
                                        expect_records};
static const scenario frame_scenario = {"a later job on a queue", prepare_warm_queue, pose_on_queue,
                                        expect_records};
static const scenario buffer_scenario = {"a job of instances in a buffer", prepare_instance_buffer,
                                         pose_on_queue, expect_records};

static void the_linker_wraps_the_calls(void **state) {
    (void)state;
    assert_true(faults_are_linked());
}

static void an_allocation_failing_while_a_skeleton_is_made(void **state) {
    inject_all(&skeleton_scenario, state, FAULT_ALLOCATION, false, 5);
}

static void an_allocation_failing_while_a_crowd_is_made(void **state) {
    inject_all(&crowd_scenario, state, FAULT_ALLOCATION, false, 10);
    inject_all(&crowd_scenario, state, FAULT_ALLOCATION, true, 10);
}

static void an_allocation_failing_in_a_job(void **state) {
    inject_all(&cold_scenario, state, FAULT_ALLOCATION, false, 0);
    inject_all(&warm_scenario, state, FAULT_ALLOCATION, false, 0);
    inject_all(&cold_scenario, state, FAULT_ALLOCATION, true, 0);
}

static void an_allocation_failing_in_travel(void **state) {
    inject_all(&travel_scenario, state, FAULT_ALLOCATION, false, 0);
}

static void an_allocation_failing_in_a_job_on_a_queue(void **state) {
    inject_all(&queue_scenario, state, FAULT_ALLOCATION, false, 0);
    inject_all(&frame_scenario, state, FAULT_ALLOCATION, false, 0);
}

static void a_call_failing_while_a_crowd_is_made(void **state) {
    inject_all(&crowd_scenario, state, FAULT_CL, false, 8);
}

static void a_call_failing_in_a_job(void **state) {
    inject_all(&cold_scenario, state, FAULT_CL, false, 20);
    inject_all(&warm_scenario, state, FAULT_CL, false, 10);
    inject_all(&warm_scenario, state, FAULT_CL, true, 10);
}

static void a_call_failing_in_a_job_on_a_queue(void **state) {
    inject_all(&queue_scenario, state, FAULT_CL, false, 20);
    inject_all(&frame_scenario, state, FAULT_CL, false, 10);
    inject_all(&buffer_scenario, state, FAULT_CL, false, 20);
    inject_all(&frame_scenario, state, FAULT_CL, true, 10);
}

static void buffers_that_cannot_be_made(void **state) {
    inject_all(&crowd_scenario, state, FAULT_BUFFER, false, 8);
    inject_all(&cold_scenario, state, FAULT_BUFFER, false, 2);
    inject_all(&warm_scenario, state, FAULT_BUFFER, true, 2);
    inject_all(&queue_scenario, state, FAULT_BUFFER, false, 2);
    inject_all(&queue_scenario, state, FAULT_BUFFER, true, 2);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

/* Programs come from a cache, so that a fault costs no build. */
static int open_all(void **unused) {
    (void)unused;
    void *reference = &on_reference;
    random_source source = random_salted(0xE81);
    pm_error error = poisoned_error();
    strcpy(cache, "/tmp/posemill-test-XXXXXX");
    if (!mkdtemp(cache))
        return 1;
    scene_make(engine_for(&reference),
               &(scene_options){.salt = 0xE80,
                                .joints = JOINTS,
                                .clips = 2,
                                .times = SCENE_OWN,
                                .binds = SCENE_BIND_RIGID},
               &material);
    for (size_t i = 0; i < COUNT; i++) {
        instances[i] = scene_instance(&source, &material);
        after[i] = instances[i];
        after[i].time_a += pm_crowd_ticks(1.5);
    }
    for (unsigned o = 0; o < OUTPUTS; o++)
        expected[o] = scene_pose(&material, outputs[o], instances, COUNT, true);
    expect_ok(pm_crowd_travel(material.crowd, instances, after, COUNT, expected_travels, &error),
              &error);
    return 0;
}

static int close_all(void **state) {
    for (unsigned o = 0; o < OUTPUTS; o++)
        guarded_free(expected[o]);
    scene_free(&material);
    assert_int_equal(nftw(cache, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
    return engines_close(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_linker_wraps_the_calls),
        ON_BOTH(an_allocation_failing_while_a_skeleton_is_made),
        ON_BOTH(an_allocation_failing_while_a_crowd_is_made),
        ON_BOTH(an_allocation_failing_in_a_job),
        ON_BOTH(an_allocation_failing_in_travel),
        ONLY_ON_DEVICE(an_allocation_failing_in_a_job_on_a_queue),
        ONLY_ON_DEVICE(a_call_failing_while_a_crowd_is_made),
        ONLY_ON_DEVICE(a_call_failing_in_a_job),
        ONLY_ON_DEVICE(a_call_failing_in_a_job_on_a_queue),
        ONLY_ON_DEVICE(buffers_that_cannot_be_made),
    };
    return cmocka_run_group_tests_name("crowd_injection", tests, open_all, close_all);
}
