/* SPDX-License-Identifier: MIT
 *
 * Engines that build programs in the background: no caller waits for a compiler; every result comes
 * from either the reference or the device and is never a mixture; failures are reported as without
 * background builds.
 */
#define _XOPEN_SOURCE 700

#include "support/build_gate.h"
#include "support/cache_folder.h"
#include "support/engines.h"
#include "support/kernel_copies.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEYS = 9, TRACKS = 20, FEW = 50 };
enum { PATIENCE_SECONDS = 600 };

/* ---- engines, clips and jobs ---- */

static pm_engine *open_engine(void **state, build_gate *g, const char *cache, const char *kernels,
                              bool in_background) {
    return engine_with(state, &(pm_engine_desc){.cache_folder = cache,
                                                .kernel_folder = kernels,
                                                .build_in_background = in_background,
                                                .log = g ? build_gate_pass : NULL,
                                                .log_user = g});
}

static pm_clip *make_clip(pm_engine *engine, pm_method method) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1.5, 0xBA1);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30000, 1001}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, method);
    return clip_make(engine, &desc);
}

/* A job of each kind, of a random length. */
typedef struct jobs {
    double *times;
    uint32_t *tracks;
    pm_sample_job list[3];
} jobs;

static jobs jobs_make(uint64_t salt, size_t max) {
    random_source source = random_salted(salt);
    jobs j = {test_array(max, sizeof(double)), test_array(max, sizeof(uint32_t)), {{0}}};
    for (size_t k = 0; k < max; k++) {
        j.times[k] = random_between(&source, -0.05, 0.4);
        j.tracks[k] = (uint32_t)(random_bits(&source) % TRACKS);
    }
    for (size_t i = 0; i < 3; i++)
        j.list[i].sample_count = max / 2 + (size_t)(random_bits(&source) % (max / 2)) + 1;
    j.list[0].rate = (pm_rational){120000, 1001};
    j.list[0].first = random_bits(&source) % 100;
    j.list[1].times = j.list[2].times = j.times;
    j.list[2].tracks = j.tracks;
    return j;
}

static void jobs_free(jobs *j) {
    free(j->times);
    free(j->tracks);
}

static size_t some_samples(void) {
    return small_sizes() ? 64 : 1000;
}

/* ---- no caller waits ---- */

TEST_ON_DEVICE(a_job_does_not_wait_for_its_programs) {
    build_gate g = build_gate_make(true);
    SCOPED(jobs_free) jobs j = jobs_make(0xBA2, some_samples());
    pm_engine *engine = open_engine(state, &g, "", NULL, true);
    pm_clip *clip = make_clip(engine, PM_METHOD_SLERP);
    alarm(PATIENCE_SECONDS);
    for (size_t i = 0; i < 3; i++) /* while the gate is closed, nothing can be built */
        expect_reference_bits(clip, j.list[i], OF_CHANNELS);
    assert_int_equal(build_gate_count(&g, &g.built), 0);
    build_gate_open(&g);
    pm_clip_destroy(&clip);
    pm_engine_destroy(&engine);
    alarm(0);
    assert_int_equal(g.built, g.building); /* which waits for the builds in progress */
}

TEST_ON_DEVICE(programs_on_disk_are_not_built_again) {
    const char *folder = cache_folder_make();
    const pm_sample_job job = {.sample_count = FEW, .rate = {43, 1}};
    build_gate g = build_gate_make(false);
    for (int round = 0; round < 2; round++) {
        pm_engine *engine = open_engine(state, &g, folder, NULL, round > 0);
        pm_clip *clip = make_clip(engine, PM_METHOD_SLERP);
        const size_t before = build_gate_count(&g, &g.building);
        expect_reference_bits(clip, job, ONLY_ROTATIONS);
        pm_clip_destroy(&clip);
        pm_engine_destroy(&engine);
        assert_int_equal(g.building > before, round == 0);
    }
    assert_true(cache_folder_remove());
}

/* ---- a device with different bits ---- */

static const char stored[] = "    pm_walk_store_items(to, value, count, row);\n";
static const char stored_otherwise[] =
    "    pm_walk_store_items(to, pm_quat_scaled(value, PM_REAL(0.5f)), count, row);\n";

/* The job on the reference, and on the device alone. */
static void sample_both(void **state, const char *kernels, const pm_sample_job *job,
                        outputs both[2]) {
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine(state, NULL, "", kernels, false);
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(engine, PM_METHOD_SLERP);
    both[0] = sampled_on_reference(clip, *job, ONLY_ROTATIONS);
    both[1] = sampled_as(clip, *job, ONLY_ROTATIONS);
    assert_false(are_same_outputs(&both[0], &both[1]));
}

/* The first job ends while the gate is closed. A later one finds the programs ready, and starts on
 * the reference, to compare bits. */
TEST_ON_DEVICE(where_bits_differ_the_device_evaluates_a_whole_job) {
    random_source source = random_salted(0xBA5);
    const char *folder = cache_folder_make();
    outputs both[2];
    kernel_copies(folder, "pm_walk.h", stored, stored_otherwise);
    const size_t max = some_samples();
    const pm_sample_job job = {
        .sample_count = max + (size_t)(random_bits(&source) % max),
        .rate = {120, 1},
    };
    build_gate g = build_gate_make(true);
    sample_both(state, folder, &job, both);
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine(state, &g, "", folder, true);
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(engine, PM_METHOD_SLERP);
    SCOPED(outputs_free) outputs held = sampled_as(clip, job, ONLY_ROTATIONS);
    expect_same_outputs(&held, &both[0]);
    assert_int_equal(build_gate_count(&g, &g.warnings), 0);
    build_gate_open(&g);
    alarm(PATIENCE_SECONDS);
    SCOPED(outputs_free) outputs later = sampled_as(clip, job, ONLY_ROTATIONS);
    while (are_same_outputs(&later, &both[0])) { /* until the programs are ready */
        outputs_free(&later);
        later = sampled_as(clip, job, ONLY_ROTATIONS);
    }
    alarm(0);
    expect_same_outputs(&later, &both[1]);
    SCOPED(outputs_free) outputs last = sampled_as(clip, job, ONLY_ROTATIONS);
    expect_same_outputs(&last, &both[1]);
    assert_int_equal(build_gate_count(&g, &g.warnings), 1);
    assert_non_null(strstr(g.warning, "differ in bits"));
    outputs_free(&both[0]);
    outputs_free(&both[1]);
    assert_true(cache_folder_remove());
}

/* ---- failures ---- */

TEST_ON_DEVICE(a_failed_build_is_the_failure_of_a_job) {
    skip_where_failed_builds_count(state);
    const char *folder = cache_folder_make();
    kernel_copies(folder, "walk.cl", "pm_kernel void walk(",
                  "#error not this time\npm_kernel void walk(");
    build_gate g = build_gate_make(false);
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine(state, &g, "", folder, true);
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(engine, PM_METHOD_SLERP);
    SCOPED(outputs_free) outputs o = outputs_make(FEW * TRACKS, ONLY_ROTATIONS);
    const pm_sample_job job = {.sample_count = FEW, .rate = {120, 1}, .rotations = o.rotations};
    pm_status status = PM_OK;
    alarm(PATIENCE_SECONDS);
    while (status == PM_OK) /* until the compiler has read it */
        status = pm_sample(clip, &job, new_error());
    expect_error(status, PM_ERROR_BUILD, "walk");
    kernel_copies(folder, NULL, NULL, NULL); /* repaired: the engine tries again */
    do {
        status = pm_sample(clip, &job, new_error());
        expect_success(status);
    } while (build_gate_count(&g, &g.built) < uniform_programs(engine));
    alarm(0);
    SCOPED(outputs_free) outputs expected = sampled_on_reference(clip, job, ONLY_ROTATIONS);
    expect_same_outputs(&o, &expected);
    assert_true(cache_folder_remove());
}

TEST_ON_DEVICE(an_engine_may_be_destroyed_while_its_programs_are_built) {
    const pm_sample_job job = {.sample_count = FEW, .rate = {120, 1}};
    build_gate g = build_gate_make(false);
    pm_engine *engine = open_engine(state, &g, "", NULL, true);
    pm_clip *clip = make_clip(engine, PM_METHOD_HERMITE);
    expect_reference_bits(clip, job, ONLY_ROTATIONS);
    pm_clip_destroy(&clip);
    pm_engine_destroy(&engine);
    assert_int_equal(g.built, g.building);
}

/* ---- concurrent callers ---- */

typedef struct caller {
    pthread_t thread;
    const pm_clip *clip;
    pm_sample_job job;
    outputs results;
    pm_status status;
    pm_error error;
} caller;

static void *call(void *argument) {
    caller *c = argument;
    c->status = PM_OK;
    for (int i = 0; c->status == PM_OK && i < 20; i++)
        c->status = pm_sample(c->clip, &c->job, &c->error);
    return NULL;
}

TEST_ON_DEVICE(any_number_of_threads_may_sample_during_builds) {
    enum { CALLERS = 4 };
    caller callers[CALLERS];
    build_gate g = build_gate_make(false);
    SCOPED(jobs_free) jobs j = jobs_make(0xBA7, 60);
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine(state, &g, "", NULL, true);
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(engine, PM_METHOD_NLERP);
    for (size_t i = 0; i < CALLERS; i++) {
        callers[i] = (caller){.clip = clip, .error = poisoned_error()};
        callers[i].results = outputs_make(outputs_rows(clip, &j.list[i % 3]), OF_CHANNELS);
        callers[i].job = outputs_job(j.list[i % 3], &callers[i].results);
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
        expect_ok(callers[i].status, &callers[i].error);
        SCOPED(outputs_free)
        outputs expected = sampled_on_reference(clip, callers[i].job, OF_CHANNELS);
        expect_same_outputs(&callers[i].results, &expected);
        outputs_free(&callers[i].results);
    }
}

TEST_GROUP(NULL, engines_close)
