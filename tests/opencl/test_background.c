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

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEYS = 9, TRACKS = 20, OUTPUTS = 5, FEW = 50 };
enum { PATIENCE_SECONDS = 600 };
static const size_t components[OUTPUTS] = {4, 3, 3, 3, 3};

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
    pm_clip *clip = clip_make(engine, &desc);
    return clip;
}

/* The results of a job: all outputs, or rotations only. */
typedef struct results {
    size_t rows, outputs;
    float *values[OUTPUTS];
} results;

static results results_make(const pm_sample_job *job, size_t outputs) {
    results r = {.rows = job->sample_count * (job->tracks ? 1 : TRACKS), .outputs = outputs};
    for (size_t o = 0; o < outputs; o++)
        r.values[o] = guarded_floats(r.rows * components[o]);
    return r;
}

static void results_free(results *r) {
    for (size_t o = 0; o < r->outputs; o++)
        guarded_free(r->values[o]);
}

static pm_status sample_to(const pm_clip *clip, pm_sample_job job, const results *r,
                           pm_error *error) {
    job.rotations = r->values[0];
    job.positions = r->values[1];
    job.scales = r->values[2];
    job.velocities = r->values[3];
    job.accelerations = r->values[4];
    return pm_sample(clip, &job, error);
}

static results sample(const pm_clip *clip, const pm_sample_job *job, size_t outputs) {
    results r = results_make(job, outputs);
    expect_success(sample_to(clip, *job, &r, new_error()));
    return r;
}

static bool same_results(const results *a, const results *b) {
    for (size_t o = 0; o < a->outputs; o++)
        if (memcmp(a->values[o], b->values[o], a->rows * components[o] * sizeof(float)) != 0)
            return false;
    return true;
}

static void expect_same(const results *a, const results *b) {
    for (size_t o = 0; o < a->outputs; o++)
        expect_same_bits(a->values[o], b->values[o], a->rows * components[o], components[o]);
}

static void expect_reference(const pm_clip *clip, const pm_sample_job *job, const results *r) {
    pm_sample_job on_reference_too = *job;
    on_reference_too.on_reference = true;
    SCOPED(results_free) results expected = sample(clip, &on_reference_too, r->outputs);
    expect_same(r, &expected);
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
    for (size_t i = 0; i < 3; i++) { /* while the gate is closed, nothing can be built */
        results r = sample(clip, &j.list[i], 3);
        expect_reference(clip, &j.list[i], &r);
        results_free(&r);
    }
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
        results r = sample(clip, &job, 1);
        expect_reference(clip, &job, &r);
        results_free(&r);
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
                        results both[2]) {
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine(state, NULL, "", kernels, false);
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(engine, PM_METHOD_SLERP);
    pm_sample_job on_reference_too = *job;
    on_reference_too.on_reference = true;
    both[0] = sample(clip, &on_reference_too, 1);
    both[1] = sample(clip, job, 1);
    assert_false(same_results(&both[0], &both[1]));
}

/* The first job ends while the gate is closed. A later one finds the programs ready, and starts on
 * the reference, to compare bits. */
TEST_ON_DEVICE(where_bits_differ_the_device_evaluates_a_whole_job) {
    random_source source = random_salted(0xBA5);
    const char *folder = cache_folder_make();
    build_gate g;
    results both[2];
    kernel_copies(folder, "pm_walk.h", stored, stored_otherwise);
    const size_t max = some_samples();
    const pm_sample_job job = {
        .sample_count = max + (size_t)(random_bits(&source) % max),
        .rate = {120, 1},
    };
    g = build_gate_make(true);
    sample_both(state, folder, &job, both);
    pm_engine *engine = open_engine(state, &g, "", folder, true);
    pm_clip *clip = make_clip(engine, PM_METHOD_SLERP);
    results held = sample(clip, &job, 1);
    expect_same(&held, &both[0]);
    assert_int_equal(build_gate_count(&g, &g.warnings), 0);
    build_gate_open(&g);
    alarm(PATIENCE_SECONDS);
    results later = sample(clip, &job, 1);
    while (same_results(&later, &both[0])) { /* until the programs are ready */
        results_free(&later);
        later = sample(clip, &job, 1);
    }
    alarm(0);
    expect_same(&later, &both[1]);
    results last = sample(clip, &job, 1);
    expect_same(&last, &both[1]);
    assert_int_equal(build_gate_count(&g, &g.warnings), 1);
    assert_non_null(strstr(g.warning, "differ in bits"));
    results_free(&held);
    results_free(&later);
    results_free(&last);
    results_free(&both[0]);
    results_free(&both[1]);
    pm_clip_destroy(&clip);
    pm_engine_destroy(&engine);
    assert_true(cache_folder_remove());
}

/* ---- failures ---- */

TEST_ON_DEVICE(a_failed_build_is_the_failure_of_a_job) {
    const pm_sample_job job = {.sample_count = FEW, .rate = {120, 1}};
    skip_where_failed_builds_count(state);
    const char *folder = cache_folder_make();
    kernel_copies(folder, "walk.cl", "pm_kernel void walk(",
                  "#error not this time\npm_kernel void walk(");
    build_gate g = build_gate_make(false);
    pm_engine *engine = open_engine(state, &g, "", folder, true);
    pm_clip *clip = make_clip(engine, PM_METHOD_SLERP);
    results r = results_make(&job, 1);
    pm_status status = PM_OK;
    alarm(PATIENCE_SECONDS);
    while (status == PM_OK) /* until the compiler has read it */
        status = sample_to(clip, job, &r, new_error());
    expect_error(status, PM_ERROR_BUILD, "walk");
    kernel_copies(folder, NULL, NULL, NULL); /* repaired: the engine tries again */
    do {
        status = sample_to(clip, job, &r, new_error());
        expect_success(status);
    } while (build_gate_count(&g, &g.built) < uniform_programs(engine));
    alarm(0);
    expect_reference(clip, &job, &r);
    results_free(&r);
    pm_clip_destroy(&clip);
    pm_engine_destroy(&engine);
    assert_true(cache_folder_remove());
}

TEST_ON_DEVICE(an_engine_may_be_destroyed_while_its_programs_are_built) {
    const pm_sample_job job = {.sample_count = FEW, .rate = {120, 1}};
    build_gate g = build_gate_make(false);
    pm_engine *engine = open_engine(state, &g, "", NULL, true);
    pm_clip *clip = make_clip(engine, PM_METHOD_HERMITE);
    results r = sample(clip, &job, 1);
    expect_reference(clip, &job, &r);
    results_free(&r);
    pm_clip_destroy(&clip);
    pm_engine_destroy(&engine);
    assert_int_equal(g.built, g.building);
}

/* ---- concurrent callers ---- */

typedef struct caller {
    pthread_t thread;
    const pm_clip *clip;
    const pm_sample_job *job;
    results results;
    pm_status status;
    pm_error error;
} caller;

static void *call(void *argument) {
    caller *c = argument;
    c->status = PM_OK;
    for (int i = 0; c->status == PM_OK && i < 20; i++)
        c->status = sample_to(c->clip, *c->job, &c->results, &c->error);
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
        const pm_sample_job *job = &j.list[i % 3];
        callers[i] = (caller){.clip = clip, .job = job, .results = results_make(job, 2)};
        callers[i].error = poisoned_error();
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
        expect_ok(callers[i].status, &callers[i].error);
        expect_reference(clip, callers[i].job, &callers[i].results);
        results_free(&callers[i].results);
    }
}

TEST_GROUP(NULL, engines_close)
