/* SPDX-License-Identifier: MIT
 *
 * Programs as callers notice them: messages during builds, actions that a callback may take, and
 * devices whose programs are cached. The cache folder: test_program_cache.c.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/cache_folder.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/sub_devices.h"
#include "support/test_folder.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEYS = 9, TRACKS = 5, SAMPLES = 40, FLOATS = SAMPLES * TRACKS * 4 };

/* A callback that waits for itself must not block the test run. Some drivers need minutes to build
 * the kernels. */
enum { PATIENCE_SECONDS = 600 };

/* ---- messages of a log ----- */

enum { MAX_MESSAGES = 256 };

typedef struct notes {
    pthread_mutex_t lock; /* protects the members below: several devices call from several
                           * threads */
    size_t count;
    pm_log_level levels[MAX_MESSAGES];
    char *messages[MAX_MESSAGES];
    /* The action of the callback, executed by one call at a time. */
    void (*act)(struct notes *notes);
    bool acting;
    size_t acts;
    const pm_clip *clip;
    float out[FLOATS];
    pm_crowd *crowd;
    const pm_crowd_job *job;
} notes;

/* Whether this call may execute the action. */
static bool begin_act(notes *n) {
    pthread_mutex_lock(&n->lock);
    const bool mine = n->act && !n->acting;
    n->acting = n->acting || mine;
    pthread_mutex_unlock(&n->lock);
    return mine;
}

static void note_message(void *user, pm_log_level level, const char *message) {
    notes *n = user;
    pthread_mutex_lock(&n->lock);
    assert_true(n->count < MAX_MESSAGES);
    n->levels[n->count] = level;
    n->messages[n->count++] = strdup(message);
    pthread_mutex_unlock(&n->lock);
    if (!begin_act(n))
        return;
    n->act(n);
    pthread_mutex_lock(&n->lock);
    n->acting = false;
    n->acts++;
    pthread_mutex_unlock(&n->lock);
}

static notes *notes_make(void) {
    notes *n = test_array(1, sizeof *n);
    memset(n, 0, sizeof *n);
    pthread_mutex_init(&n->lock, NULL);
    return n;
}

static void notes_free(notes **made) {
    notes *n = *made;
    for (size_t i = 0; i < n->count; i++)
        free(n->messages[i]);
    pthread_mutex_destroy(&n->lock);
    free(n);
}

static pm_engine *noting_engine(void **state, notes *n) {
    return engine_with(state,
                       &(pm_engine_desc){.cache_folder = "", .log = note_message, .log_user = n});
}

/* The number of messages that contain a word. */
static size_t count_with(const notes *n, const char *word) {
    size_t count = 0;
    for (size_t i = 0; i < n->count; i++)
        count += strstr(n->messages[i], word) != NULL;
    return count;
}

static size_t count_level(const notes *n, pm_log_level level) {
    size_t count = 0;
    for (size_t i = 0; i < n->count; i++)
        count += n->levels[i] == level;
    return count;
}

static void print_notes(const notes *n) {
    for (size_t i = 0; i < n->count; i++)
        print_message("  %d: %.300s\n", (int)n->levels[i], n->messages[i]);
}

/* ---- jobs ---- */

static pm_clip *make_clip(pm_engine *engine, pm_method method) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1.5, 0xB61);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {8, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, method);
    return clip_make(engine, &desc);
}

static pm_status sample_into(const pm_clip *clip, float out[FLOATS], pm_error *error) {
    memset(out, 0xFF, FLOATS * sizeof *out);
    const pm_sample_job job = {.sample_count = SAMPLES, .rate = {43, 1}, .rotations = out};
    return pm_sample(clip, &job, error);
}

static void expect_usual(const float out[FLOATS], pm_method method) {
    float expected[FLOATS];
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(engine_of_kind(ON_REFERENCE), method);
    expect_success(sample_into(clip, expected, new_error()));
    expect_same_bits(out, expected, FLOATS, 4);
}

static void sample_once(pm_engine *engine, pm_method method) {
    float out[FLOATS];
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(engine, method);
    expect_success(sample_into(clip, out, new_error()));
    expect_usual(out, method);
}

/* ---- programs of contexts of several devices ---- */

/* Messages of an engine's first job on one device of a context. */
static notes *run_in(cl_context context, cl_device_id device, const char *folder) {
    notes *n = notes_make();
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    const pm_engine_desc desc = {.cache_folder = folder, .log = note_message, .log_user = n};
    expect_success(pm_cl_engine_create(context, device, &desc, &engine, new_error()));
    sample_once(engine, PM_METHOD_SQUAD);
    return n;
}

static void expect_programs_are_kept(cl_context context, cl_device_id device) {
    const char *folder = cache_folder_make();
    SCOPED(notes_free) notes *first = run_in(context, device, folder);
    const size_t built = count_with(first, "built ");
    assert_true(built > 0);
    assert_int_equal(test_folder_count(folder), built);
    SCOPED(notes_free) notes *again = run_in(context, device, folder);
    assert_int_equal(count_with(again, "built "), 0);
    assert_int_equal(test_folder_count(folder), built);
    assert_true(cache_folder_remove());
}

TEST_ON_DEVICE(programs_of_a_callers_context_are_cached) {
    cl_int status = CL_SUCCESS;
    cl_device_id device = pm_cl_device(engine_for(state));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    expect_programs_are_kept(context, device);
    clReleaseContext(context);
}

/* ---- devices are retained ---- */

static cl_uint references_of(cl_device_id device) {
    cl_uint count = 0;
    assert_int_equal(clGetDeviceInfo(device, CL_DEVICE_REFERENCE_COUNT, sizeof count, &count, NULL),
                     CL_SUCCESS);
    return count;
}

/* An engine on a sub-device whose caller lets go of its own reference. */
TEST_ON_DEVICE(a_sub_device_lives_as_long_as_the_engine) {
    sub_devices own;
    pm_engine *engine = NULL;
    if (!sub_devices_open(engine_for(state), &own))
        skip();
    const cl_device_id device = own.devices[0];
    const cl_uint before = references_of(device);
    expect_success(pm_cl_engine_create(own.targets[0].context, device, NULL, &engine, new_error()));
    assert_true(references_of(device) > before);
    pm_engine_destroy(&engine);
    assert_int_equal(references_of(device), before);
    expect_success(pm_cl_engine_create(own.targets[0].context, device, NULL, &engine, new_error()));
    const cl_uint with_engine = references_of(device);
    sub_devices_close(&own);
    assert_ptr_equal(pm_cl_device(engine), device);
    assert_true(references_of(device) >= with_engine - before);
    sample_once(engine, PM_METHOD_SLERP);
    pm_engine_destroy(&engine);
}

/* ---- messages: without locks held, complete and correct ----------------- */

static void sample_the_clip(notes *n) {
    expect_success(sample_into(n->clip, n->out, new_error()));
}

TEST_ON_DEVICE(a_callback_may_sample_on_the_engine_that_calls_it) {
    SCOPED(notes_free) notes *n = notes_make();
    SCOPED(pm_engine_destroy) pm_engine *engine = noting_engine(state, n);
    float out[FLOATS];
    alarm(PATIENCE_SECONDS);
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(engine, PM_METHOD_SQUAD);
    n->clip = clip;
    n->act = sample_the_clip;
    expect_success(sample_into(clip, out, new_error()));
    alarm(0);
    n->act = NULL;
    assert_true(n->acts > 0);
    expect_usual(out, PM_METHOD_SQUAD);
    expect_usual(n->out, PM_METHOD_SQUAD);
}

static void pose_the_crowd(notes *n) {
    expect_success(pm_crowd_pose(n->crowd, n->job, new_error()));
}

TEST_ON_DEVICE(a_callback_may_pose_the_crowd_whose_kernels_are_built) {
    enum { COUNT = 37 };
    const pm_crowd_output output = PM_CROWD_PALETTE;
    pm_crowd_instance instances[COUNT];
    SCOPED(notes_free) notes *n = notes_make();
    SCOPED(pm_engine_destroy) pm_engine *engine = noting_engine(state, n);
    SCOPED(scene_free) scene s;
    scene_make(engine, &(scene_options){.salt = 0xB63, .joints = 6}, &s);
    scene_instances(&s, 0xB62, COUNT, instances);
    const size_t floats = scene_floats(&s, output, COUNT);
    SCOPED(guarded_free_at) float *expected = scene_pose(&s, output, instances, COUNT, true);
    SCOPED(guarded_free_at) float *outer = guarded_floats(floats), *inner = guarded_floats(floats);
    pm_crowd_job job = CROWD_JOB(instances, COUNT, .output = output, .memory = outer);
    pm_crowd_job nested = CROWD_JOB(instances, COUNT, .output = output, .memory = inner);
    n->crowd = s.crowd;
    n->job = &nested;
    n->act = pose_the_crowd;
    alarm(PATIENCE_SECONDS);
    expect_success(pm_crowd_pose(s.crowd, &job, new_error()));
    alarm(0);
    n->act = NULL;
    assert_true(n->acts > 0);
    expect_same_bits(outer, expected, floats, 4);
    expect_same_bits(inner, expected, floats, 4);
}

/* ---- kernels that do not build ---- */

enum { REMARKS = 200 };

/* A kernel file whose build fails after a log of many lines. */
static void write_bad_kernel(const char *folder, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < REMARKS; i++)
        fprintf(file, "#warning remark number %d of a long log\n", i);
    fprintf(file, "#error the last line of a long log\n");
    assert_int_equal(fclose(file), 0);
}

static notes *fail_to_build(void **state, const char *folder) {
    static const char *const files[] = {"walk.cl", "gather.cl", "locate.cl"};
    for (size_t i = 0; i < COUNT_OF(files); i++)
        write_bad_kernel(folder, files[i]);
    notes *n = notes_make();
    float out[FLOATS];
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.cache_folder = "",
                                                             .kernel_folder = folder,
                                                             .log = note_message,
                                                             .log_user = n});
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(engine, PM_METHOD_SQUAD);
    expect_error(sample_into(clip, out, new_error()), PM_ERROR_BUILD, "locate|walk|gather");
    return n;
}

TEST_ON_DEVICE(a_failed_build_is_not_reported_as_built) {
    skip_where_failed_builds_count(state);
    const char *folder = cache_folder_make();
    SCOPED(notes_free) notes *n = fail_to_build(state, folder);
    if (count_with(n, "built ") > 0)
        print_notes(n);
    assert_int_equal(count_with(n, "built "), 0);
    assert_int_equal(count_level(n, PM_LOG_BUILT), 0);
    assert_true(count_level(n, PM_LOG_BUILDING) > 0);
    assert_true(cache_folder_remove());
}

/* Each thread requests a separate program and one that all share. */
typedef struct asker {
    pthread_t thread;
    pm_clip *own, *shared;
    float own_out[FLOATS], shared_out[FLOATS];
    pm_status status;
    pm_error error;
} asker;

static void *ask(void *argument) {
    asker *a = argument;
    a->error = poisoned_error();
    a->status = sample_into(a->shared, a->shared_out, &a->error);
    if (a->status == PM_OK)
        a->status = sample_into(a->own, a->own_out, &a->error);
    return NULL;
}

TEST_ON_DEVICE(threads_that_request_the_same_program_build_it_once) {
    enum { ASKERS = 4 };
    static const pm_method own[ASKERS] = {PM_METHOD_STEP, PM_METHOD_NLERP, PM_METHOD_HERMITE,
                                          PM_METHOD_STEP};
    skip_without_concurrent_kernels(state);
    SCOPED(notes_free) notes *n = notes_make();
    SCOPED(free_at) asker *askers = test_array(ASKERS, sizeof *askers);
    SCOPED(pm_engine_destroy) pm_engine *engine = noting_engine(state, n);
    SCOPED(pm_clip_destroy) pm_clip *shared = make_clip(engine, PM_METHOD_SLERP);
    for (size_t i = 0; i < ASKERS; i++) {
        askers[i].shared = shared;
        askers[i].own = make_clip(engine, own[i]);
    }
    for (size_t i = 0; i < ASKERS; i++)
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
    for (size_t i = 0; i < ASKERS; i++)
        assert_int_equal(pthread_join(askers[i].thread, NULL), 0);
    for (size_t i = 0; i < ASKERS; i++) {
        expect_ok(askers[i].status, &askers[i].error);
        expect_usual(askers[i].shared_out, PM_METHOD_SLERP);
        expect_usual(askers[i].own_out, own[i]);
        pm_clip_destroy(&askers[i].own);
    }
    for (size_t i = 0; i < n->count; i++) /* without the seconds, no two messages are equal */
        for (size_t k = 0; k < i && strncmp(n->messages[i], "built ", 6) == 0; k++)
            assert_int_not_equal(
                strncmp(n->messages[i], n->messages[k], strcspn(n->messages[i], ")")), 0);
    assert_int_equal(count_level(n, PM_LOG_BUILDING), count_level(n, PM_LOG_BUILT));
    assert_true(count_with(n, "built ") > 0);
}

TEST_GROUP(NULL, engines_close)
