/* SPDX-License-Identifier: MIT
 *
 * Failure injection: the Nth OpenCL call and the Nth allocation fail, N = 1, 2, ...
 * until a run meets no failure. Each time: the right status or a right result, nothing
 * left alive, and an engine that still works. LeakSanitizer sees what is not counted.
 */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */

#include <posemill/posemill_cl.h>

#include "faults.h"
#include "many.h"
#include "sub_devices.h"
#include "support/engines.h"
#include "support/motion.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { KEYS = 8, TRACKS = 5, COUNT = 30, ROWS = COUNT * TRACKS };
enum { MOST_FAULTS = 5000 };
enum { UNKNOWN_CODE = -9999 }; /* no driver returns it, so cl_status can only come from here */

/* What a scenario has made so far, and what it must be let go of afterwards. */
typedef struct stage {
    void **state;
    const char *cache_folder;
    bool divided; /* the engine is over both sub-devices */
    pm_engine *engine;
    pm_clip *clip;
    float *rotations, *positions;
} stage;

typedef struct scenario {
    const char *name;
    /* Makes what the run needs; nothing fails yet. */
    void (*prepare)(stage *s);
    /* The one call that meets the fault. */
    pm_status (*run)(stage *s, pm_error *error);
    bool has_results; /* the run writes the outputs of the stage */
} scenario;

static motion keys;
static float expected_rotations[ROWS * 4], expected_positions[ROWS * 3];
static double times[COUNT];
static char cache[64];
static sub_devices subs;

static pm_clip_desc make_desc(const pm_timeline *timeline) {
    pm_clip_desc desc = motion_desc(&keys, timeline, PM_METHOD_SQUAD);
    desc.scales.data = NULL;
    return desc;
}

static const pm_timeline timeline = {.key_count = KEYS, .rate = {8, 1}};

static pm_status create_engine(stage *s, pm_error *error) {
    const pm_engine_desc desc = {.device = device_for(s->state),
                                 .piece_bytes = 2048, /* several pieces a job */
                                 .cache_folder = s->cache_folder};
    if (!s->divided)
        return pm_engine_create(&desc, &s->engine, error);
    const pm_status status =
        pm_cl_engine_create_many(subs.targets, SUB_DEVICES, &desc, &s->engine, error);
    if (status == PM_OK)
        s->engine->many->least_values = 20; /* several pieces a device */
    return status;
}

static pm_status create_clip(stage *s, pm_error *error) {
    const pm_clip_desc desc = make_desc(&timeline);
    return pm_clip_create(s->engine, &desc, &s->clip, error);
}

static pm_status sample_uniform(stage *s, pm_error *error) {
    const pm_sample_job job = {.sample_count = COUNT,
                               .rate = {32, 1},
                               .rotations = s->rotations,
                               .positions = s->positions};
    return pm_sample(s->clip, &job, error);
}

static pm_status sample_times(stage *s, pm_error *error) {
    const pm_sample_job job = {.sample_count = COUNT,
                               .times = times,
                               .rotations = s->rotations,
                               .positions = s->positions};
    return pm_sample(s->clip, &job, error);
}

/* All pairs, in the order of the other jobs' rows. */
static pm_status sample_pairs(stage *s, pm_error *error) {
    static double pair_times[ROWS];
    static uint32_t pair_tracks[ROWS];
    for (size_t row = 0; row < ROWS; row++) {
        pair_times[row] = times[row / TRACKS];
        pair_tracks[row] = (uint32_t)(row % TRACKS);
    }
    const pm_sample_job job = {.sample_count = ROWS,
                               .times = pair_times,
                               .tracks = pair_tracks,
                               .rotations = s->rotations,
                               .positions = s->positions};
    return pm_sample(s->clip, &job, error);
}

static pm_status self_check(stage *s, pm_error *error) {
    pm_identity identity = PM_IDENTITY_UNKNOWN;
    const pm_status status = pm_engine_self_check(s->engine, &identity, error);
    if (status == PM_OK)
        assert_int_equal(identity, PM_IDENTITY_SAME);
    return status;
}

static pm_status list_devices(stage *s, pm_error *error) {
    (void)s;
    pm_device_info infos[4];
    size_t count = 0;
    return pm_list_devices(infos, 4, &count, error);
}

/* The caller's own calls are outside of the armed stretch: they belong to the test. */
static struct {
    cl_command_queue queue;
    cl_mem rotations, positions;
} interop;

static pm_status sample_on_queue(stage *s, pm_error *error) {
    const pm_sample_job job = {.sample_count = COUNT, .times = times};
    const pm_cl_outputs outputs = {.rotations = interop.rotations, .positions = interop.positions};
    cl_event done = NULL;
    const pm_status status =
        pm_cl_sample(s->clip, &job, &outputs, interop.queue, 0, NULL, &done, error);
    assert_true((status == PM_OK) == (done != NULL));
    if (done)
        clReleaseEvent(done);
    return status;
}

static void prepare_nothing(stage *s) {
    (void)s;
}

static void prepare_engine(stage *s) {
    pm_error error = poisoned_error();
    expect_ok(create_engine(s, &error), &error);
}

static void prepare_clip(stage *s) {
    pm_error error = poisoned_error();
    prepare_engine(s);
    expect_ok(create_clip(s, &error), &error);
}

/* Programs are built and buffers are made that later jobs may find again. */
static void prepare_warm(stage *s) {
    pm_error error = poisoned_error();
    prepare_clip(s);
    expect_ok(sample_uniform(s, &error), &error);
    expect_ok(sample_times(s, &error), &error);
    expect_ok(sample_pairs(s, &error), &error);
}

static void prepare_divided(stage *s) {
    s->divided = true;
}

static void prepare_divided_engine(stage *s) {
    prepare_divided(s);
    prepare_engine(s);
}

static void prepare_divided_clip(stage *s) {
    prepare_divided(s);
    prepare_clip(s);
}

static void prepare_queue(stage *s) {
    prepare_clip(s);
    cl_int status = CL_SUCCESS;
    const cl_context context = pm_cl_context(s->engine);
    interop.queue = clCreateCommandQueue(context, pm_cl_device(s->engine), 0, &status);
    assert_int_equal(status, CL_SUCCESS);
    interop.rotations =
        clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof expected_rotations, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    interop.positions =
        clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof expected_positions, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
}

/* What was enqueued before a failure may still run: the buffers live until it is done. */
static void read_and_close_queue(stage *s) {
    if (interop.queue == NULL)
        return;
    clFinish(interop.queue);
    clEnqueueReadBuffer(interop.queue, interop.rotations, CL_TRUE, 0, sizeof expected_rotations,
                        s->rotations, 0, NULL, NULL);
    clEnqueueReadBuffer(interop.queue, interop.positions, CL_TRUE, 0, sizeof expected_positions,
                        s->positions, 0, NULL, NULL);
    clReleaseMemObject(interop.rotations);
    clReleaseMemObject(interop.positions);
    clReleaseCommandQueue(interop.queue);
    interop.queue = NULL;
}

static const scenario engine_scenario = {"making an engine", prepare_nothing, create_engine, false};
static const scenario list_scenario = {"listing devices", prepare_nothing, list_devices, false};
static const scenario check_scenario = {"the self check", prepare_engine, self_check, false};
static const scenario clip_scenario = {"making a clip", prepare_engine, create_clip, false};
static const scenario cold_scenario = {"a first job", prepare_clip, sample_uniform, true};
static const scenario uniform_scenario = {"a uniform job", prepare_warm, sample_uniform, true};
static const scenario times_scenario = {"a job of times", prepare_warm, sample_times, true};
static const scenario pairs_scenario = {"a job of pairs", prepare_warm, sample_pairs, true};
static const scenario queue_scenario = {"a job on a queue", prepare_queue, sample_on_queue, true};
static const scenario divided_engine_scenario = {"making an engine over two devices",
                                                 prepare_divided, create_engine, false};
static const scenario divided_clip_scenario = {"making a clip on two devices",
                                               prepare_divided_engine, create_clip, false};
static const scenario divided_cold_scenario = {"a first job on two devices", prepare_divided_clip,
                                               sample_uniform, true};
static const scenario divided_pairs_scenario = {"a job of pairs on two devices",
                                                prepare_divided_clip, sample_pairs, true};

static void expect_results(const stage *s) {
    expect_same_bits(s->rotations, expected_rotations, ROWS * 4, 4);
    expect_same_bits(s->positions, expected_positions, ROWS * 3, 3);
}

/* Whatever the fault broke must be broken for that one call only. */
static void expect_still_usable(stage *s) {
    pm_error error = poisoned_error();
    if (s->engine == NULL)
        expect_ok(create_engine(s, &error), &error);
    if (s->clip == NULL)
        expect_ok(create_clip(s, &error), &error);
    memset(s->rotations, 0xFF, ROWS * 4 * sizeof(float));
    memset(s->positions, 0xFF, ROWS * 3 * sizeof(float));
    expect_ok(sample_uniform(s, &error), &error);
    expect_results(s);
}

static bool is_one_of(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Which statuses a failure of this call may become. */
static bool is_right_status(pm_status status, const char *call, fault_kind kind) {
    static const char *const finding[] = {"clGetPlatformIDs", "clGetPlatformInfo", "clGetDeviceIDs",
                                          "clGetDeviceInfo"};
    static const char *const building[] = {"clBuildProgram", "clCreateProgramWithSource",
                                           "clCreateKernel"};
    if (kind == FAULT_ALLOCATION)
        return status == PM_ERROR_MEMORY;
    if (kind == FAULT_BUFFER)
        return status == PM_ERROR_DEVICE_MEMORY;
    if (status == PM_ERROR_NO_PLATFORM || status == PM_ERROR_NO_DEVICE)
        return is_one_of(call, finding, sizeof finding / sizeof finding[0]);
    if (status == PM_ERROR_BUILD)
        return is_one_of(call, building, sizeof building / sizeof building[0]);
    return status == PM_ERROR_DEVICE;
}

static void check_outcome(const scenario *which, const stage *s, pm_status status,
                          const pm_error *error, const char *call, fault_kind kind, size_t nth) {
    if (status == PM_OK) {
        if (which->has_results)
            expect_results(s);
        return;
    }
    if (!is_right_status(status, call, kind))
        fail_msg("%s, fault %zu: %s failed and became \"%s\": %.255s", which->name, nth, call,
                 pm_status_name(status), error->message);
    assert_int_equal(error->status, status);
    assert_true(error->message[0] != '\0');
    if (status == PM_ERROR_DEVICE && error->cl_status != UNKNOWN_CODE)
        fail_msg("%s, fault %zu: %s gave %d, the error says %d", which->name, nth, call,
                 UNKNOWN_CODE, error->cl_status);
    if (which->run == create_engine)
        assert_null(s->engine);
    if (which->run == create_clip)
        assert_null(s->clip);
}

/* One run with one fault. Returns whether the fault was met, and counts what it broke. */
static bool run_with_fault(const scenario *which, void **state, const char *cache_folder,
                           fault_kind kind, size_t nth, bool sticky, size_t *failures) {
    const long blocks = faults_live_blocks(), objects = faults_live_objects();
    stage s = {.state = state, .cache_folder = cache_folder};
    s.rotations = guarded_floats(ROWS * 4);
    s.positions = guarded_floats(ROWS * 3);
    which->prepare(&s);
    memset(s.rotations, 0xFF, ROWS * 4 * sizeof(float));
    memset(s.positions, 0xFF, ROWS * 3 * sizeof(float));
    pm_error error = poisoned_error();
    const int code = kind == FAULT_BUFFER ? CL_MEM_OBJECT_ALLOCATION_FAILURE : UNKNOWN_CODE;
    faults_arm(kind, nth, code, sticky);
    const pm_status status = which->run(&s, &error);
    const char *call = faults_disarm();
    read_and_close_queue(&s);
    if (call == NULL)
        expect_ok(status, &error);
    check_outcome(which, &s, status, &error, call, kind, nth);
    *failures += status != PM_OK;
    expect_still_usable(&s);
    expect_guards(s.rotations, ROWS * 4);
    expect_guards(s.positions, ROWS * 3);
    pm_clip_destroy(&s.clip);
    pm_engine_destroy(&s.engine);
    guarded_free(s.rotations);
    guarded_free(s.positions);
    if (faults_live_blocks() != blocks || faults_live_objects() != objects)
        fail_msg("%s, fault %zu (%s): %ld blocks and %ld OpenCL objects left alive", which->name,
                 nth, call ? call : "none", faults_live_blocks() - blocks,
                 faults_live_objects() - objects);
    return call != NULL;
}

/* The self check builds every program each time, and two devices call as often as their pieces
 * are many: their later faults are met in growing steps. */
static size_t step_after(const scenario *which, size_t nth) {
    if (small_sizes() || which->run == self_check)
        return 1 + nth / 2;
    return which->prepare == prepare_divided_clip ? 1 + nth / 8 : 1;
}

/* Every fault in turn; `least` of them must have become an error. */
static void inject_all(const scenario *which, void **state, const char *cache_folder,
                       fault_kind kind, bool sticky, size_t least) {
    engine_for(state); /* skips where there is no device */
    size_t failures = 0, nth = 1;
    while (run_with_fault(which, state, cache_folder, kind, nth, sticky, &failures)) {
        nth += step_after(which, nth);
        assert_true(nth < MOST_FAULTS);
    }
    print_message("%s: %zu faults, %zu became errors\n", which->name, nth - 1, failures);
    assert_true(failures >= least);
}

/* ---- the harness itself ---- */

static void the_linker_wraps_the_calls(void **state) {
    (void)state;
    assert_true(faults_are_linked());
}

static void every_opencl_call_of_the_library_is_in_the_table(void **state) {
    (void)state;
    DIR *folder = opendir(POSEMILL_SOURCE_DIR "/host");
    assert_non_null(folder);
    size_t found = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[1024];
        const size_t length = strlen(entry->d_name);
        if (length < 2 || strcmp(entry->d_name + length - 2, ".c") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", POSEMILL_SOURCE_DIR "/host", entry->d_name);
        found += faults_check_source(path);
    }
    closedir(folder);
    assert_true(found > 20);
}

/* ---- allocations ---- */

static void an_allocation_failing_while_an_engine_is_made(void **state) {
    inject_all(&engine_scenario, state, "", FAULT_ALLOCATION, false, 1);
}

static void an_allocation_failing_while_devices_are_listed(void **state) {
    engine_for(state);
    inject_all(&list_scenario, state, "", FAULT_ALLOCATION, false, 0);
}

static void an_allocation_failing_while_a_clip_is_made(void **state) {
    inject_all(&clip_scenario, state, "", FAULT_ALLOCATION, false, 2);
}

static void an_allocation_failing_in_a_first_job(void **state) {
    inject_all(&cold_scenario, state, "", FAULT_ALLOCATION, false, 0);
}

static void an_allocation_failing_in_a_job_of_times(void **state) {
    inject_all(&times_scenario, state, "", FAULT_ALLOCATION, false, 0);
}

static void an_allocation_failing_in_a_job_of_pairs(void **state) {
    inject_all(&pairs_scenario, state, "", FAULT_ALLOCATION, false, 0);
}

static void an_allocation_failing_in_the_self_check(void **state) {
    inject_all(&check_scenario, state, "", FAULT_ALLOCATION, false, 0);
}

static void an_allocation_failing_in_a_job_on_a_queue(void **state) {
    inject_all(&queue_scenario, state, "", FAULT_ALLOCATION, false, 0);
}

static void every_allocation_failing_from_the_nth_on(void **state) {
    inject_all(&clip_scenario, state, "", FAULT_ALLOCATION, true, 2);
    inject_all(&cold_scenario, state, "", FAULT_ALLOCATION, true, 0);
}

/* ---- OpenCL calls ---- */

static void a_call_failing_while_an_engine_is_made(void **state) {
    inject_all(&engine_scenario, state, "", FAULT_CL, false, 3);
}

static void a_call_failing_while_devices_are_listed(void **state) {
    inject_all(&list_scenario, state, "", FAULT_CL, false, 1);
}

static void a_call_failing_while_a_clip_is_made(void **state) {
    inject_all(&clip_scenario, state, "", FAULT_CL, false, 1);
}

static void a_call_failing_in_a_first_job(void **state) {
    inject_all(&cold_scenario, state, "", FAULT_CL, false, 5);
}

static void a_call_failing_in_a_uniform_job(void **state) {
    inject_all(&uniform_scenario, state, "", FAULT_CL, false, 2);
}

static void a_call_failing_in_a_job_of_times(void **state) {
    inject_all(&times_scenario, state, "", FAULT_CL, false, 2);
}

static void a_call_failing_in_a_job_of_pairs(void **state) {
    inject_all(&pairs_scenario, state, "", FAULT_CL, false, 2);
}

static void a_call_failing_in_a_job_on_a_queue(void **state) {
    inject_all(&queue_scenario, state, "", FAULT_CL, false, 2);
}

static void every_call_failing_from_the_nth_on(void **state) {
    inject_all(&cold_scenario, state, "", FAULT_CL, true, 5);
    inject_all(&uniform_scenario, state, "", FAULT_CL, true, 2);
}

/* ---- device memory ---- */

static void a_buffer_that_cannot_be_made_once(void **state) {
    inject_all(&clip_scenario, state, "", FAULT_BUFFER, false, 0);
    inject_all(&cold_scenario, state, "", FAULT_BUFFER, false, 0);
    inject_all(&queue_scenario, state, "", FAULT_BUFFER, false, 0);
}

static void buffers_that_cannot_be_made_from_the_nth_on(void **state) {
    inject_all(&clip_scenario, state, "", FAULT_BUFFER, true, 1);
    inject_all(&cold_scenario, state, "", FAULT_BUFFER, true, 1);
}

/* ---- two devices at once ---- */

static void need_sub_devices(void **state) {
    if (!subs.shared && !sub_devices_open(engine_for(state), &subs))
        skip();
}

static void an_allocation_failing_on_two_devices(void **state) {
    need_sub_devices(state);
    inject_all(&divided_engine_scenario, state, "", FAULT_ALLOCATION, false, 2);
    inject_all(&divided_clip_scenario, state, "", FAULT_ALLOCATION, false, 2);
    inject_all(&divided_cold_scenario, state, "", FAULT_ALLOCATION, false, 2);
    inject_all(&divided_pairs_scenario, state, "", FAULT_ALLOCATION, false, 2);
}

static void a_call_failing_on_two_devices(void **state) {
    need_sub_devices(state);
    inject_all(&divided_engine_scenario, state, "", FAULT_CL, false, 3);
    inject_all(&divided_clip_scenario, state, "", FAULT_CL, false, 2);
    inject_all(&divided_cold_scenario, state, "", FAULT_CL, false, 5);
    inject_all(&divided_pairs_scenario, state, "", FAULT_CL, false, 5);
}

static void buffers_that_cannot_be_made_on_two_devices(void **state) {
    need_sub_devices(state);
    inject_all(&divided_clip_scenario, state, "", FAULT_BUFFER, false, 2);
    inject_all(&divided_clip_scenario, state, "", FAULT_BUFFER, true, 2);
    inject_all(&divided_cold_scenario, state, "", FAULT_BUFFER, true, 1);
}

/* ---- the program cache: nothing that fails there is an error ---- */

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void with_cache(const scenario *which, void **state, fault_kind kind) {
    strcpy(cache, "/tmp/posemill-test-XXXXXX");
    assert_non_null(mkdtemp(cache));
    inject_all(which, state, cache, kind, false, 1);
    assert_int_equal(nftw(cache, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void a_failure_beside_a_warm_cache(void **state) {
    with_cache(&cold_scenario, state, FAULT_CL);
    with_cache(&engine_scenario, state, FAULT_ALLOCATION);
}

static int make_expectations(void **state) {
    (void)state;
    keys = motion_make(KEYS, TRACKS, 2.5, 0x61);
    for (size_t k = 0; k < COUNT; k++)
        times[k] = (double)k / 32;
    void *reference_state = &on_reference;
    const pm_clip_desc desc = make_desc(&timeline);
    pm_clip *clip = clip_make(engine_for(&reference_state), &desc);
    sample_make(clip, &(pm_sample_job){.sample_count = COUNT,
                                       .times = times,
                                       .rotations = expected_rotations,
                                       .positions = expected_positions});
    pm_clip_destroy(&clip);
    return 0;
}

static int forget_expectations(void **state) {
    motion_free(&keys);
    sub_devices_close(&subs);
    return engines_close(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_linker_wraps_the_calls),
        cmocka_unit_test(every_opencl_call_of_the_library_is_in_the_table),
        ON_BOTH(an_allocation_failing_while_an_engine_is_made),
        ON_BOTH(an_allocation_failing_while_a_clip_is_made),
        ON_BOTH(an_allocation_failing_in_a_first_job),
        ON_BOTH(an_allocation_failing_in_a_job_of_times),
        ON_BOTH(an_allocation_failing_in_a_job_of_pairs),
        ON_BOTH(an_allocation_failing_in_the_self_check),
        ON_BOTH(every_allocation_failing_from_the_nth_on),
        ONLY_ON_DEVICE(an_allocation_failing_in_a_job_on_a_queue),
        ONLY_ON_DEVICE(an_allocation_failing_while_devices_are_listed),
        ONLY_ON_DEVICE(a_call_failing_while_an_engine_is_made),
        ONLY_ON_DEVICE(a_call_failing_while_devices_are_listed),
        ONLY_ON_DEVICE(a_call_failing_while_a_clip_is_made),
        ONLY_ON_DEVICE(a_call_failing_in_a_first_job),
        ONLY_ON_DEVICE(a_call_failing_in_a_uniform_job),
        ONLY_ON_DEVICE(a_call_failing_in_a_job_of_times),
        ONLY_ON_DEVICE(a_call_failing_in_a_job_of_pairs),
        ONLY_ON_DEVICE(a_call_failing_in_a_job_on_a_queue),
        ONLY_ON_DEVICE(every_call_failing_from_the_nth_on),
        ONLY_ON_DEVICE(a_buffer_that_cannot_be_made_once),
        ONLY_ON_DEVICE(buffers_that_cannot_be_made_from_the_nth_on),
        ONLY_ON_DEVICE(an_allocation_failing_on_two_devices),
        ONLY_ON_DEVICE(a_call_failing_on_two_devices),
        ONLY_ON_DEVICE(buffers_that_cannot_be_made_on_two_devices),
        ONLY_ON_DEVICE(a_failure_beside_a_warm_cache),
    };
    return cmocka_run_group_tests_name("injection", tests, make_expectations, forget_expectations);
}
