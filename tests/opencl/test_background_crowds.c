/* SPDX-License-Identifier: MIT
 *
 * Crowds of engines that build in the background: no caller with host memory waits for a compiler,
 * results have one path's bits, and failures are reported. Jobs on queues wait. Samples in host
 * memory are in test_background.
 */
#define _XOPEN_SOURCE 700

#include <posemill/posemill_cl.h>

#include "base/counts.h"
#include "engine/engine.h"
#include "support/build_gate.h"
#include "support/cache_folder.h"
#include "support/cl_objects.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/kernel_copies.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 150, JOINTS = 9, FRAMES = 4, PATIENCE_SECONDS = 600 };

static pm_engine *open_engine(void **state, build_gate *g, const char *kernels) {
    return engine_with(state, &(pm_engine_desc){.cache_folder = "",
                                                .kernel_folder = kernels,
                                                .build_in_background = true,
                                                .log = build_gate_pass,
                                                .log_user = g});
}

static void make_crowd(pm_engine *engine, uint64_t salt, scene *s) {
    scene_make(engine, &(scene_options){.salt = salt, .joints = JOINTS, .binds = SCENE_BIND_RIGID},
               s);
}

static pm_crowd_instance *make_instances(const scene *s, uint64_t salt) {
    pm_crowd_instance *instances = test_array(COUNT, sizeof *instances);
    scene_instances(s, salt, COUNT, instances);
    return instances;
}

/* ---- poses in host memory ---- */

/* Records that frames are posed into, on the device or the reference path. */
typedef struct pose_memory {
    float *records[PM_CROWD_POSE_COUNT];
    float *previous[PM_CROWD_POSE_COUNT];
} pose_memory;

static pose_memory memory_make(const scene *s) {
    pose_memory m;
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++) {
        const size_t floats = scene_floats(s, o, COUNT);
        m.records[o] = test_array(floats, sizeof(float));
        m.previous[o] = test_array(floats, sizeof(float));
        memset(m.records[o], 0xFF, floats * sizeof(float));
        memset(m.previous[o], 0xFF, floats * sizeof(float));
    }
    return m;
}

static void memory_free(pose_memory *m) {
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++) {
        free(m->records[o]);
        free(m->previous[o]);
    }
}

static pm_status pose_to(const scene *s, const pm_crowd_instance *instances, uint64_t frame,
                         bool by_reference, const pose_memory *m, pm_error *error) {
    pm_crowd_target targets[PM_CROWD_POSE_COUNT];
    const pm_crowd_job job = {.instances = instances,
                              .instance_count = COUNT,
                              .frame = frame,
                              .outputs = targets,
                              .output_count = PM_CROWD_POSE_COUNT,
                              .on_reference = by_reference};
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++)
        targets[o] =
            (pm_crowd_target){.output = o, .memory = m->records[o], .previous = m->previous[o]};
    return pm_crowd_pose(s->crowd, &job, error);
}

static void expect_same_memory(const scene *s, const pose_memory *a, const pose_memory *b) {
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++) {
        const size_t floats = scene_floats(s, o, COUNT), width = floats / COUNT;
        expect_same_bits(a->records[o], b->records[o], floats, width);
        expect_same_bits(a->previous[o], b->previous[o], floats, width);
    }
}

/* Poses some frames, in which instances of coarse levels keep their records. */
static void expect_frames(const scene *s, uint64_t first, const pose_memory *m,
                          const pose_memory *expected) {
    for (uint64_t frame = first; frame < first + FRAMES; frame++) {
        SCOPED(free_at) pm_crowd_instance *instances = make_instances(s, 0xBC1 + frame);
        expect_success(pose_to(s, instances, frame, false, m, new_error()));
        expect_success(pose_to(s, instances, frame, true, expected, new_error()));
        expect_same_memory(s, m, expected);
    }
}

TEST_ON_DEVICE(a_crowd_does_not_wait_for_its_programs) {
    build_gate g = build_gate_make(true);
    pm_engine *engine = open_engine(state, &g, NULL);
    scene s;
    make_crowd(engine, 0xBC0, &s);
    scene_undo(&s);
    s.levels[1].update_every = 2;
    s.levels[2].update_every = 3;
    scene_finish(engine, &s);
    pose_memory m = memory_make(&s), expected = memory_make(&s);
    alarm(PATIENCE_SECONDS);
    expect_frames(&s, 0, &m, &expected); /* while the gate is closed, nothing can be built */
    assert_int_equal(build_gate_count(&g, &g.built), 0);
    build_gate_open(&g);
    build_gate_wait(&g, &g.built, PM_CROWD_POSE_COUNT);
    expect_frames(&s, FRAMES, &m, &expected); /* on the device, where frames continue */
    expect_frames(&s, 2 * FRAMES, &m, &expected);
    alarm(0);
    assert_int_equal(build_gate_count(&g, &g.warnings), 0);
    memory_free(&m);
    memory_free(&expected);
    scene_free(&s);
    pm_engine_destroy(&engine);
    assert_int_equal(g.built, g.building);
}

/* ---- a device with different bits ---- */

static const char row[] = "    pm_put_numbers(words, m.z, 2);\n";
static const char other_row[] = "    pm_put_numbers(words, m.x, 2);\n";

static bool is_by_reference(const scene *s, pm_crowd_output output,
                            const pm_crowd_instance *instances) {
    SCOPED(guarded_free_at) float *records = scene_pose(s, output, instances, COUNT, false);
    SCOPED(guarded_free_at) float *expected = scene_pose(s, output, instances, COUNT, true);
    return memcmp(records, expected, scene_floats(s, output, COUNT) * sizeof(float)) == 0;
}

TEST_ON_DEVICE(once_bits_differ_jobs_wait_for_their_programs) {
    const char *folder = cache_folder_make();
    kernel_copies(folder, "pm_joint_record.h", row, other_row);
    build_gate g = build_gate_make(false);
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine(state, &g, folder);
    SCOPED(scene_free) scene s;
    make_crowd(engine, 0xBE0, &s);
    SCOPED(free_at) pm_crowd_instance *instances = make_instances(&s, 0xBE1);
    for (size_t i = 0; i < COUNT; i++)
        instances[i].level = 0; /* scene_pose expects each frame to write all records */
    alarm(PATIENCE_SECONDS);
    while (is_by_reference(&s, PM_CROWD_PALETTE, instances)) /* until the program is ready */
        continue;
    assert_int_equal(build_gate_count(&g, &g.warnings), 1);
    assert_non_null(strstr(g.warning, "differ in bits"));
    assert_false(is_by_reference(&s, PM_CROWD_MODEL, instances)); /* a program not requested yet */
    alarm(0);
    assert_int_equal(build_gate_count(&g, &g.warnings), 1);
    assert_true(cache_folder_remove());
}

/* ---- jobs whose first instances are not computed ---- */

static const char least_row[] = "    pm_put_numbers(words, m.y, 1);\n";
static const char least_other_row[] =
    "    pm_put_numbers(words, pm_quat_scaled(m.y, PM_REAL(1.0000002f)), 1);\n";

enum { LATE = 64, LISTED = 10, RARELY = 8 };

/* Palettes of all instances, or of some that are listed. */
static pm_crowd_job palettes(const pm_crowd_instance *instances, const uint32_t *indices,
                             pm_crowd_target *target, float *records) {
    *target = (pm_crowd_target){.output = PM_CROWD_PALETTE, .memory = records};
    return (pm_crowd_job){.instances = instances,
                          .instance_count = COUNT,
                          .indices = indices,
                          .index_count = indices ? LISTED : 0,
                          .outputs = target,
                          .output_count = 1};
}

/* Whether a job gives what the reference path gives. */
static bool job_is_by_reference(const scene *s, pm_crowd_job job) {
    const size_t floats = scene_floats(s, PM_CROWD_PALETTE, COUNT);
    SCOPED(free_at) float *both[2] = {test_array(2 * floats, sizeof(float)), NULL};
    pm_crowd_target target = job.outputs[0];
    both[1] = both[0] + floats;
    memset(both[0], 0, 2 * floats * sizeof(float));
    job.outputs = &target;
    for (int i = 0; i < 2; i++) {
        target.memory = both[i];
        job.on_reference = i == 1;
        expect_success(pm_crowd_pose(s->crowd, &job, new_error()));
    }
    return memcmp(both[0], both[1], floats * sizeof(float)) == 0;
}

/* A crowd, some of whose instances are updated every RARELY frames, on a device with other bits. */
static void make_rare_crowd(pm_engine *engine, scene *s) {
    make_crowd(engine, 0xBE8, s);
    scene_undo(s);
    s->levels[1].update_every = RARELY;
    scene_finish(engine, s);
}

/* Until the program is ready, a job has the reference's bits; the first job on the device finds the
 * difference. */
static void expect_warning(build_gate *g, const scene *s, const pm_crowd_job *job) {
    alarm(PATIENCE_SECONDS);
    while (job_is_by_reference(s, *job))
        assert_int_equal(build_gate_count(g, &g->warnings), 0);
    alarm(0);
    assert_int_equal(build_gate_count(g, &g->warnings), 1);
}

TEST_ON_DEVICE(bits_are_compared_where_late_instances_alone_are_computed) {
    enum { ALL_LISTED, PACKED, RARE, KINDS };
    const char *folder = cache_folder_make();
    kernel_copies(folder, "pm_joint_record.h", least_row, least_other_row);
    for (int kind = 0; kind < KINDS; kind++) {
        build_gate g = build_gate_make(false);
        SCOPED(pm_engine_destroy) pm_engine *engine = open_engine(state, &g, folder);
        SCOPED(scene_free) scene s;
        make_rare_crowd(engine, &s);
        SCOPED(free_at) pm_crowd_instance *instances = make_instances(&s, 0xBE9);
        uint32_t indices[LISTED];
        pm_crowd_target target;
        for (uint32_t i = 0; i < LISTED; i++)
            indices[i] = i % 3 == 1 ? COUNT + i : LATE + 5 * i; /* some do not exist */
        for (size_t i = 0; i < COUNT; i++)
            instances[i].level = kind == RARE;
        pm_crowd_job job = palettes(instances, kind == RARE ? NULL : indices, &target, NULL);
        job.packed = kind == PACKED;
        job.frame = 1; /* instances [112, 128) are updated */
        expect_warning(&g, &s, &job);
    }
    assert_true(cache_folder_remove());
}

static pm_readiness readiness_of(const scene *s, const pm_crowd_job *job) {
    static float records[COUNT * JOINTS * 12];
    pm_crowd_target target = job->outputs[0];
    pm_crowd_job aimed = *job;
    pm_pose_request request;
    target.memory = records;
    aimed.outputs = &target;
    expect_success(pm_pose_request_of(s->crowd->latest->data, &aimed, 1, &request, new_error()));
    const pm_job resolved = pm_job_of_poses(s->crowd->latest->on_device, &request);
    return pm_job_readiness(&resolved, new_error());
}

TEST_ON_DEVICE(a_job_that_computes_nothing_trusts_no_program) {
    const char *folder = cache_folder_make();
    kernel_copies(folder, "pm_joint_record.h", least_row, least_other_row);
    build_gate g = build_gate_make(false);
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine(state, &g, folder);
    SCOPED(scene_free) scene s;
    make_rare_crowd(engine, &s);
    SCOPED(free_at) pm_crowd_instance *instances = make_instances(&s, 0xBEA);
    uint32_t nowhere[LISTED];
    pm_crowd_target target;
    for (uint32_t i = 0; i < LISTED; i++)
        nowhere[i] = COUNT + i;
    for (size_t i = 0; i < COUNT; i++)
        instances[i].level = 0;
    const pm_crowd_job none = palettes(instances, nowhere, &target, NULL);
    const pm_crowd_job all = palettes(instances, NULL, &target, NULL);
    alarm(PATIENCE_SECONDS);
    while (readiness_of(&s, &none) == PM_READY_LATER)
        assert_true(job_is_by_reference(&s, none));
    alarm(0);
    assert_true(job_is_by_reference(&s, none));
    assert_int_equal(readiness_of(&s, &none), PM_READY_UNCHECKED);
    expect_warning(&g, &s, &all);
    assert_true(cache_folder_remove());
}

/* ---- failures ---- */

TEST_ON_DEVICE(a_failed_build_is_the_failure_of_a_job) {
    skip_where_failed_builds_count(state);
    const char *folder = cache_folder_make();
    kernel_copies(folder, "pm_joint_record.h", row, "#error not this time\n");
    build_gate g = build_gate_make(false);
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine(state, &g, folder);
    SCOPED(scene_free) scene s;
    make_crowd(engine, 0xBF0, &s);
    SCOPED(free_at) pm_crowd_instance *instances = make_instances(&s, 0xBF1);
    SCOPED(guarded_free_at)
    float *records = guarded_floats(scene_floats(&s, PM_CROWD_PALETTE, COUNT));
    pm_crowd_job job = CROWD_JOB(instances, COUNT, .output = PM_CROWD_PALETTE, .memory = records);
    pm_status status = PM_OK;
    alarm(PATIENCE_SECONDS);
    while (status == PM_OK) /* until the compiler has read it */
        status = pm_crowd_pose(s.crowd, &job, new_error());
    expect_error(status, PM_ERROR_BUILD, "crowd");
    kernel_copies(folder, NULL, NULL, NULL); /* repaired: the engine tries again */
    do {
        status = pm_crowd_pose(s.crowd, &job, new_error());
        expect_success(status);
    } while (build_gate_count(&g, &g.built) < 1);
    alarm(0);
    assert_true(cache_folder_remove());
}

/* ---- queues ---- */

static void expect_in_buffer(cl_command_queue queue, cl_mem buffer, const float *expected,
                             size_t floats, size_t width) {
    SCOPED(free_at) float *values = test_array(floats, sizeof *values);
    read_buffer(queue, buffer, 0, floats * sizeof *values, values);
    expect_same_bits(values, expected, floats, width);
    clReleaseMemObject(buffer);
}

static void pose_on_queue(pm_engine *engine, build_gate *g, cl_command_queue queue) {
    SCOPED(scene_free) scene s;
    make_crowd(engine, 0xC00, &s);
    SCOPED(free_at) pm_crowd_instance *instances = make_instances(&s, 0xC01);
    const size_t floats = scene_floats(&s, PM_CROWD_DUAL, COUNT);
    SCOPED(guarded_free_at) float *expected = scene_pose(&s, PM_CROWD_DUAL, instances, COUNT, true);
    cl_mem buffer = buffer_of(pm_cl_context(engine), 0, floats * sizeof(float), NULL);
    const pm_cl_crowd_job job = {
        .instances = instances,
        .instance_count = COUNT,
        .outputs = &(pm_cl_crowd_target){.output = PM_CROWD_DUAL, .buffer = buffer},
        .output_count = 1};
    expect_success(pm_cl_crowd_pose(s.crowd, &job, queue, 0, NULL, NULL, new_error()));
    assert_int_equal(build_gate_count(g, &g->built), 1);
    expect_in_buffer(queue, buffer, expected, floats, floats / COUNT);
}

static void sample_on_queue(pm_engine *engine, build_gate *g, cl_command_queue queue) {
    enum { KEYS = 7, TRACKS = 21, SAMPLES = 60, FLOATS = SAMPLES * TRACKS * 4 };
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1.5, 0xC10);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {3, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
    const pm_sample_job job = {.sample_count = SAMPLES, .rate = {31, 1}};
    SCOPED(outputs_free) outputs expected = sampled_on_reference(clip, job, ONLY_ROTATIONS);
    const size_t before = build_gate_count(g, &g->built);
    cl_mem buffer = buffer_of(pm_cl_context(engine), 0, FLOATS * sizeof(float), NULL);
    const pm_cl_outputs to = {.rotations = buffer};
    expect_success(pm_cl_sample(clip, &job, &to, queue, 0, NULL, NULL, new_error()));
    assert_int_equal(build_gate_count(g, &g->built), before + uniform_programs(engine));
    expect_in_buffer(queue, buffer, expected.rotations, FLOATS, 4);
}

TEST_ON_DEVICE(jobs_on_a_queue_wait_for_their_programs) {
    build_gate g = build_gate_make(false);
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine(state, &g, NULL);
    cl_command_queue queue = queue_of(pm_cl_context(engine), pm_cl_device(engine));
    pose_on_queue(engine, &g, queue);
    sample_on_queue(engine, &g, queue);
    assert_int_equal(build_gate_count(&g, &g.warnings), 0);
    clReleaseCommandQueue(queue);
}

/* ---- concurrent callers ---- */

typedef struct worker {
    pthread_t thread;
    const scene *scene;
    const pm_crowd_instance *instances;
    const float *expected;
    float *records;
    size_t floats, rounds;
    size_t failed, differing;
} worker;

/* cmocka's assertions belong to the main thread, so a worker only counts. */
static void *pose_often(void *argument) {
    worker *w = argument;
    for (size_t i = 0; i < w->rounds; i++) {
        pm_crowd_job job =
            CROWD_JOB(w->instances, COUNT, .output = PM_CROWD_MODEL, .memory = w->records);
        w->failed += pm_crowd_pose(w->scene->crowd, &job, NULL) != PM_OK;
        w->differing += memcmp(w->records, w->expected, w->floats * sizeof(float)) != 0;
    }
    return NULL;
}

/* Some jobs are computed before the program is ready, and some after that. */
TEST_ON_DEVICE(eight_threads_may_pose_one_crowd_during_a_build) {
    enum { WORKERS = 8 };
    worker workers[WORKERS];
    skip_without_concurrent_kernels(state);
    build_gate g = build_gate_make(true);
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine(state, &g, NULL);
    SCOPED(scene_free) scene s;
    make_crowd(engine, 0xC20, &s);
    SCOPED(free_at) pm_crowd_instance *instances = make_instances(&s, 0xC21);
    for (size_t i = 0; i < COUNT; i++)
        instances[i].level = 0;
    const size_t floats = scene_floats(&s, PM_CROWD_MODEL, COUNT);
    SCOPED(guarded_free_at)
    float *expected = scene_pose(&s, PM_CROWD_MODEL, instances, COUNT, true);
    alarm(PATIENCE_SECONDS);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < WORKERS; i++) {
            workers[i] = (worker){.scene = &s,
                                  .instances = instances,
                                  .expected = expected,
                                  .records = test_array(floats, sizeof(float)),
                                  .floats = floats,
                                  .rounds = small_sizes() ? 3 : 100};
            assert_int_equal(pthread_create(&workers[i].thread, NULL, pose_often, &workers[i]), 0);
        }
        if (round == 1)
            build_gate_open(&g);
        for (size_t i = 0; i < WORKERS; i++) {
            assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
            assert_int_equal(workers[i].failed, 0);
            assert_int_equal(workers[i].differing, 0);
            free(workers[i].records);
        }
        if (round == 1)
            build_gate_wait(&g, &g.built, 1);
    }
    alarm(0);
    assert_int_equal(build_gate_count(&g, &g.warnings), 0);
}

TEST_GROUP_OF_CROWDS(NULL, engines_close)
