/* SPDX-License-Identifier: MIT
 *
 * Processes that are forked after OpenCL was used: plain C serves there, everything on a device is
 * refused with a hint, and objects of the parent are released without a call of a driver. A child
 * that hangs is ended by an alarm, which no other child reaches.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill_crowd.h>

#include "base/parallel.h"
#include "support/engines.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HANGS_AFTER_SECONDS = 600, SAMPLES = 9 };

/* AddressSanitizer calls this. A child only forgets what its parent has on a device, whose driver
 * cannot be called there, and the check for leaks would count that as lost. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "detect_leaks=0";
}

/* What a parent has made. */
typedef struct objects {
    char device[32];
    pm_engine *engine;
    pm_clip *clip;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    float samples[SAMPLES * 4]; /* of the clip, by the reference path */
} objects;

static const float keys[] = {0, 0, 0, 1, 0, 0, 1, 0};
static const double times[SAMPLES] = {0, .1, .2, .3, .5, .6, .7, .9, 1};

static pm_status sample(const objects *o, bool by_reference, float *to, pm_error *error) {
    const pm_sample_job job = {
        .sample_count = SAMPLES, .times = times, .rotations = to, .on_reference = by_reference};
    return pm_sample(o->clip, &job, error);
}

static pm_status pose(const objects *o, bool by_reference, pm_error *error) {
    const pm_crowd_instance instances[2] = {{.time_a = 0}, {.time_a = 1 << 30}};
    float palette[2 * 12];
    pm_crowd_job job = {.instances = instances, .instance_count = 2, .on_reference = by_reference};
    job.outputs = &(pm_crowd_target){.output = PM_CROWD_PALETTE, .memory = palette};
    job.output_count = 1;
    return pm_crowd_pose(o->crowd, &job, error);
}

static pm_clip_desc clip_desc(const pm_timeline *timeline) {
    return (pm_clip_desc){.track_count = 1,
                          .timelines = timeline,
                          .rotations = {.data = keys},
                          .method = PM_METHOD_SLERP};
}

static pm_status make(objects *o, bool in_background, pm_error *error) {
    static const int32_t root = -1;
    const pm_timeline timeline = {.key_count = 2, .rate = {1, 1}};
    const pm_clip_desc desc = clip_desc(&timeline);
    const pm_engine_desc engine = {
        .device = o->device, .cache_folder = "", .build_in_background = in_background};
    pm_status status = pm_engine_create(&engine, &o->engine, error);
    if (status == PM_OK)
        status = pm_clip_create(o->engine, &desc, &o->clip, error);
    if (status == PM_OK)
        status = pm_skeleton_create(&(pm_skeleton_desc){.joint_count = 1, .parents = &root},
                                    &o->skeleton, error);
    const pm_crowd_desc crowd = {.skeleton = o->skeleton, .clips = &desc, .clip_count = 1};
    if (status == PM_OK)
        status = pm_crowd_create(o->engine, &crowd, &o->crowd, error);
    return status == PM_OK ? sample(o, true, o->samples, error) : status;
}

static void destroy(objects *o) {
    pm_crowd_destroy(&o->crowd);
    pm_skeleton_destroy(&o->skeleton);
    pm_clip_destroy(&o->clip);
    pm_engine_destroy(&o->engine);
}

/* ---- children: each returns 0, or the line of what is wrong ---- */

typedef int (*child_body)(objects *parents);

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__;                                                                       \
    } while (0)

static bool is_refused(pm_status status, const pm_error *error) {
    return status == PM_ERROR_DEVICE && strstr(error->message, "fork") && error->hint &&
           strstr(error->hint, "spawn") && strstr(error->hint, "none");
}

static void keep_warning(void *user, pm_log_level level, const char *message) {
    if (level == PM_LOG_WARNING && strstr(message, "fork"))
        *(bool *)user = true;
}

static int what_is_new_is_plain_c_or_refused(objects *parents) {
    size_t count;
    pm_error error;
    SCOPED(destroy) objects own = {.engine = NULL};
    memcpy(own.device, parents->device, sizeof own.device);
    bool warned = false;
    pm_device_info info;
    EXPECT(is_refused(pm_list_devices(NULL, 0, &count, &error), &error));
    EXPECT(is_refused(make(&own, false, &error), &error));
    EXPECT(!own.engine);
    const pm_engine_desc automatic = {.log = keep_warning, .log_user = &warned};
    EXPECT(pm_engine_create(&automatic, &own.engine, &error) == PM_OK && warned);
    pm_engine_get_info(own.engine, &info);
    EXPECT(info.type == PM_DEVICE_REFERENCE);
    pm_engine_destroy(&own.engine);
    snprintf(own.device, sizeof own.device, "none");
    EXPECT(make(&own, false, &error) == PM_OK);
    EXPECT(pose(&own, false, &error) == PM_OK);
    float samples[SAMPLES * 4];
    EXPECT(sample(&own, false, samples, &error) == PM_OK);
    EXPECT(memcmp(samples, own.samples, sizeof samples) == 0);
    return 0;
}

static int jobs_on_the_device_are_refused_and_those_on_the_reference_path_serve(objects *parents) {
    const pm_timeline timeline = {.key_count = 2, .rate = {1, 1}};
    const pm_clip_desc desc = clip_desc(&timeline);
    const pm_crowd_desc crowd_desc = {
        .skeleton = parents->skeleton, .clips = &desc, .clip_count = 1};
    float samples[SAMPLES * 4];
    pm_error error;
    pm_clip *clip = NULL;
    pm_crowd *crowd = NULL;
    pm_bit_match match;
    EXPECT(is_refused(sample(parents, false, samples, &error), &error));
    EXPECT(is_refused(pose(parents, false, &error), &error));
    EXPECT(is_refused(pm_clip_create(parents->engine, &desc, &clip, &error), &error) && !clip);
    EXPECT(is_refused(pm_crowd_create(parents->engine, &crowd_desc, &crowd, &error), &error));
    EXPECT(is_refused(pm_engine_self_check(parents->engine, &match, &error), &error));
    EXPECT(sample(parents, true, samples, &error) == PM_OK);
    EXPECT(memcmp(samples, parents->samples, sizeof samples) == 0);
    EXPECT(pose(parents, true, &error) == PM_OK);
    return 0;
}

static int objects_of_the_parent_are_released(objects *parents) {
    destroy(parents);
    EXPECT(!parents->engine && !parents->clip && !parents->crowd);
    return 0;
}

static int a_grandchild_is_as_the_child(objects *parents) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        _exit(what_is_new_is_plain_c_or_refused(parents) ? 1 : 0);
    EXPECT(child > 0 && waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}

static int nothing_at_all(objects *parents) {
    (void)parents;
    return 0;
}

/* ---- parents ---- */

/* LeakSanitizer asks this at the end of a process. A child forgets what its parent had on a device. */
static int is_child;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
    return is_child;
}

/* Runs a child, which ends by exit() or by _exit(). A crash ends it: cmocka's handler would go on with
 * the next test in the child. */
static void run_child(child_body body, objects *parents, bool quick) {
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        is_child = 1;
        signal(SIGSEGV, SIG_DFL);
        alarm(HANGS_AFTER_SECONDS);
        const int line = body(parents);
        if (line)
            fprintf(stderr, "child: line %d\n", line);
        if (quick || line)
            _exit(line ? 1 : 0);
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void run_children(objects *parents, bool by_exit) {
    const child_body bodies[] = {
        what_is_new_is_plain_c_or_refused, a_grandchild_is_as_the_child,
        jobs_on_the_device_are_refused_and_those_on_the_reference_path_serve,
        objects_of_the_parent_are_released, nothing_at_all};
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        const bool needs_objects = i == 2;
        if (needs_objects && !parents->engine)
            continue;
        run_child(bodies[i], parents, true);
        if (by_exit)
            run_child(bodies[i], parents, false);
    }
}

/* The device by its index, because "auto" is the reference path after a fork. */
static objects on_the_device(void **state) {
    unsetenv("POSEMILL_PROGRAMS_ON_CPU"); /* plain C computes the small frame in the parent */
    objects parents = {.engine = NULL};
    pm_device_info info;
    pm_engine_get_info(engine_for(state), &info);
    snprintf(parents.device, sizeof parents.device, "%zu", info.index);
    return parents;
}

TEST_ON_DEVICE(children_of_a_process_that_listed_devices_never_hang) {
    size_t count = 0;
    pm_error error;
    objects parents = on_the_device(state);
    expect_ok(pm_list_devices(NULL, 0, &count, &error), &error);
    run_children(&parents, true);
}

/* Whether exit() can be tested in a child of a process whose builder compiles; prints the reason if
 * not. Mesa's exit handlers destroy what its compiler uses, which a fork may have caught half-changed. */
static bool can_exit_while_building(void **state) {
    pm_device_info info;
    pm_engine_get_info(engine_for(state), &info);
    if (strcmp(info.platform, "rusticl") != 0)
        return true;
    printf(
        "# not tested: exit() of children of a process that compiles on rusticl, whose exit handlers "
        "crash there\n");
    return false;
}

static void check_children(void **state, bool in_background, bool has_sampled) {
    pm_error error;
    float samples[SAMPLES * 4];
    SCOPED(destroy) objects parents = on_the_device(state);
    expect_ok(make(&parents, in_background, &error), &error);
    if (has_sampled) {
        expect_ok(sample(&parents, false, samples, &error), &error);
        expect_ok(pose(&parents, false, &error), &error);
    }
    run_children(&parents, !in_background || can_exit_while_building(state));
    expect_ok(sample(&parents, false, samples, &error), &error); /* the parent goes on */
}

TEST_ON_DEVICE(children_of_a_process_with_objects_on_a_device_never_hang) {
    check_children(state, false, false);
}

TEST_ON_DEVICE(children_of_a_process_that_used_a_device_never_hang) {
    check_children(state, false, true);
}

TEST_ON_DEVICE(children_of_a_process_that_builds_in_the_background_never_hang) {
    check_children(state, true, true);
}

/* Without OpenCL, a fork changes nothing. */
static int engines_are_as_before(objects *parents) {
    pm_error error;
    float samples[SAMPLES * 4];
    EXPECT(sample(parents, false, samples, &error) == PM_OK);
    EXPECT(memcmp(samples, parents->samples, sizeof samples) == 0);
    EXPECT(pose(parents, false, &error) == PM_OK);
    destroy(parents);
    return 0;
}

TEST(a_child_goes_on_with_the_reference_path_of_its_parent) {
    pm_error error;
    SCOPED(destroy) objects parents = {.device = "none"};
    expect_ok(make(&parents, false, &error), &error);
    run_child(engines_are_as_before, &parents, true);
}

/* ---- threads of plain C ---- */

enum { MEMBERS = 3, FORKS = 100 };

/* Ends only if MEMBERS threads take part. */
static void meet(void *context, pm_items *items) {
    atomic_size_t *arrived = context;
    size_t item;
    ++*arrived;
    while (*arrived < MEMBERS)
        sched_yield();
    while (pm_take_item(items, &item))
        ;
}

static int has_threads_of_its_own(objects *parents) {
    (void)parents;
    for (size_t i = 0; i < 3; i++) {
        atomic_size_t arrived = 0;
        pm_run_parallel(NULL, MEMBERS, MEMBERS, meet, &arrived);
        EXPECT(arrived == MEMBERS);
    }
    pm_threads_release();
    return 0;
}

static void *run_jobs(void *stop) {
    while (!*(atomic_bool *)stop) {
        atomic_size_t arrived = 0;
        pm_run_parallel(NULL, MEMBERS, MEMBERS, meet, &arrived);
    }
    return NULL;
}

/* Another thread of the parent holds the lock of the threads now and then. */
TEST(a_child_of_a_process_whose_threads_work_has_threads_of_its_own) {
    atomic_bool stop = false;
    pthread_t thread;
    pm_threads_keep();
    assert_int_equal(pthread_create(&thread, NULL, run_jobs, &stop), 0);
    for (size_t i = 0; i < FORKS; i++)
        run_child(has_threads_of_its_own, NULL, i % 2);
    stop = true;
    pthread_join(thread, NULL);
    pm_threads_release();
}

TEST_GROUP(NULL, engines_close)
