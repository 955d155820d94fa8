/* SPDX-License-Identifier: MIT
 *
 * The number of host threads of a call: at most the number that its job or its engine specifies,
 * with the same bits for any number.
 */
#include "base/parallel.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/wrapped.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_size_t most_threads = 1; /* that the library asked for */

static void note_threads(size_t threads, size_t items) {
    const size_t asked = threads < items ? threads : items;
    size_t most = most_threads;
    while (asked > most && !atomic_compare_exchange_weak(&most_threads, &most, asked))
        ;
}

WRAPPED(bool, pm_run_parallel, const pm_host *host, size_t threads, size_t items, pm_work work,
        void *context) {
    note_threads(threads, items);
    return __real_pm_run_parallel(host, threads, items, work, context);
}

WRAPPED(pm_status, pm_run_pieces, const pm_host *host, size_t threads, size_t items, pm_work work,
        void *context, pm_error *error) {
    note_threads(threads, items);
    return __real_pm_run_pieces(host, threads, items, work, context, error);
}

static atomic_size_t started, joined;

WRAPPED(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes,
        void *(*function)(void *), void *argument) {
    started++;
    return __real_pthread_create(thread, attributes, function, argument);
}

WRAPPED(int, pthread_join, pthread_t thread, void **result) {
    joined++;
    return __real_pthread_join(thread, result);
}

static size_t threads_since(void) {
    return atomic_exchange(&most_threads, 1);
}

enum { ENGINE_THREADS = 3, MAX_THREADS = 9 };

/* ---- crowds on the reference path ---------------------------------------------------------- */

/* Fewer than FEW do not repay another thread. */
enum { INSTANCES = 1200, JOINTS = 64, FEW = 100 };

static float *posed_by(const scene *s, const pm_crowd_instance *instances, size_t count,
                       uint32_t host_threads) {
    const size_t floats = scene_floats(s, PM_CROWD_PALETTE, count);
    float *records = guarded_floats(floats);
    pm_crowd_job job = CROWD_JOB(instances, count, .output = PM_CROWD_PALETTE, .memory = records);
    job.on_reference = true;
    job.host_threads = host_threads;
    expect_success(pm_crowd_pose(s->crowd, &job, new_error()));
    return records;
}

TEST_ON_BOTH(a_crowd_on_the_reference_path_uses_as_many_threads_as_its_job_specifies_or_repays) {
    SCOPED(free_at) pm_crowd_instance *instances = test_array(INSTANCES, sizeof *instances);
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.host_threads = ENGINE_THREADS});
    SCOPED(scene_free) scene s;
    scene_make(engine, &(scene_options){.salt = 0xF70, .joints = JOINTS}, &s);
    scene_instances(&s, 0xF71, INSTANCES, instances);
    (void)threads_since();
    SCOPED(guarded_free_at) float *alone = posed_by(&s, instances, INSTANCES, 1);
    assert_int_equal(threads_since(), 1);
    for (uint32_t threads = 0; threads <= MAX_THREADS; threads++) {
        SCOPED(guarded_free_at) float *records = posed_by(&s, instances, INSTANCES, threads);
        assert_int_equal(threads_since(), threads ? threads : ENGINE_THREADS);
        expect_same_bits(records, alone, scene_floats(&s, PM_CROWD_PALETTE, INSTANCES), 12);
    }
    SCOPED(guarded_free_at) float *few = posed_by(&s, instances, FEW, MAX_THREADS);
    assert_int_equal(threads_since(), 1);
    expect_same_bits(few, alone, scene_floats(&s, PM_CROWD_PALETTE, FEW), 12);
}

TEST_ON_BOTH(one_instance_is_posed_on_the_calling_thread) {
    random_source source = random_salted(0xF72);
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.host_threads = MAX_THREADS});
    SCOPED(scene_free) scene s;
    scene_make(engine, &(scene_options){.salt = 0xF73}, &s);
    const pm_crowd_instance instance = scene_instance(&source, &s);
    SCOPED(guarded_free_at) float *records = guarded_floats(scene_floats(&s, PM_CROWD_PALETTE, 1));
    (void)threads_since();
    expect_success(pm_crowd_pose_one(
        s.crowd, &(pm_crowd_one){.instance = &instance, .output = PM_CROWD_PALETTE}, records,
        new_error()));
    assert_int_equal(threads_since(), 1);
}

TEST(threads_stay_between_jobs_and_end_with_their_engine) {
    SCOPED(free_at) pm_crowd_instance *instances = test_array(INSTANCES, sizeof *instances);
    pm_engine *engine = NULL;
    const pm_engine_desc desc = {.device = "none", .host_threads = ENGINE_THREADS};
    engines_close(NULL); /* those of other tests keep threads, too */
    started = joined = 0;
    expect_success(pm_engine_create(&desc, &engine, new_error()));
    assert_int_equal(started, 0);
    scene s;
    scene_make(engine, &(scene_options){.salt = 0xF76, .joints = JOINTS}, &s);
    scene_instances(&s, 0xF77, INSTANCES, instances);
    for (size_t i = 0; i < 9; i++) {
        SCOPED(guarded_free_at) float *records = posed_by(&s, instances, INSTANCES, 0);
        assert_int_equal(started, ENGINE_THREADS - 1);
        assert_int_equal(joined, 0);
    }
    scene_free(&s);
    pm_engine_destroy(&engine);
    assert_int_equal(joined, ENGINE_THREADS - 1);
}

/* ---- listed times ------------------------------------------------------------------------------ */

enum { TIMES = 1000000, KEYS = 20 };

static float *sampled_by(const pm_clip *clip, const double *times, uint32_t host_threads) {
    float *rotations = guarded_floats((size_t)TIMES * 4);
    sample_make(clip, &(pm_sample_job){.sample_count = TIMES,
                                       .times = times,
                                       .rotations = rotations,
                                       .host_threads = host_threads});
    return rotations;
}

/* The threads locate the times for a device, and do the whole job on the reference path. */
TEST_ON_BOTH(listed_times_use_at_most_the_threads_of_their_job) {
    SCOPED(motion_free) motion m = motion_make(KEYS, 1, 1.0, 0xF74);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.host_threads = ENGINE_THREADS});
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
    SCOPED(free_at) double *times = test_array(TIMES, sizeof *times);
    random_source source = random_salted(0xF75);
    for (size_t k = 0; k < TIMES; k++)
        times[k] = random_between(&source, 0, 0.7);
    (void)threads_since();
    SCOPED(guarded_free_at) float *alone = sampled_by(clip, times, 1);
    assert_int_equal(threads_since(), 1);
    for (uint32_t threads = 0; threads < 6; threads++) {
        SCOPED(guarded_free_at) float *rotations = sampled_by(clip, times, threads);
        const size_t max = threads ? threads : ENGINE_THREADS;
        assert_int_equal(threads_since(), max);
        expect_same_bits(rotations, alone, (size_t)TIMES * 4, 4);
    }
}

TEST_GROUP(NULL, engines_close)
