/* SPDX-License-Identifier: MIT
 *
 * Jobs on queues of CPU devices, which plain C computes: buffers that are parts of others, and memory that lacks once a
 * job is enqueued.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine.h"
#include "support/cl_caller.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"

enum { KEYS = 40, TRACKS = 9, COUNT = 700 };

/* An application's memory, of which there is none while `lacks` is set. */
static atomic_bool lacks;
static atomic_size_t refused, lent;

static void *take(void *user, size_t size, size_t alignment) {
    void *memory = NULL;
    (void)user;
    if (atomic_load(&lacks)) {
        atomic_fetch_add(&refused, 1);
        return NULL;
    }
    atomic_fetch_add(&lent, 1);
    return posix_memalign(&memory, alignment < sizeof memory ? sizeof memory : alignment, size)
               ? NULL
               : memory;
}

static void give(void *user, void *memory, size_t size, size_t alignment) {
    (void)user, (void)size, (void)alignment;
    atomic_fetch_sub(&lent, 1);
    free(memory);
}

/* On the caller's context. Skips where programs compute what is on queues. */
static pm_engine *open_engine(void) {
    const pm_engine_desc desc = {.cache_folder = "", .host = {.allocate = take, .release = give}};
    pm_engine *engine = NULL;
    assert_int_equal(unsetenv("POSEMILL_PROGRAMS_ON_CPU"), 0);
    expect_success(pm_cl_engine_create(caller.context, caller.device, &desc, &engine, new_error()));
    if (engine->device->runs_calls && engine->device->plan->plain_c)
        return engine;
    pm_engine_destroy(&engine);
    skip();
    return NULL;
}

/* ---- memory that lacks ---- */

/* Once a job waits for the gate. */
static void run_without_memory(cl_event gate, cl_event done) {
    assert_int_equal(clFlush(caller.in_order), CL_SUCCESS);
    atomic_store(&refused, 0);
    atomic_store(&lacks, true);
    gate_open(gate);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    atomic_store(&lacks, false);
    assert_true(atomic_load(&refused) > 0);
}

static void expect_samples(const pm_clip *clip, pm_sample_job job) {
    SCOPED(outputs_free) outputs expected = sampled_on_reference(clip, job, ONLY_ROTATIONS);
    const size_t floats = expected.rows * 4, gap = 20, row = floats / job.sample_count;
    for (unsigned strided = 0; strided < 2; strided++) {
        cl_event gate = gate_make();
        job.rotations_stride = strided ? row * sizeof(float) + gap : 0;
        cl_mem buffer = caller_buffer(floats * sizeof(float) + strided * gap * job.sample_count);
        const pm_cl_outputs to = {.rotations = buffer, .rotations_offset = CALLER_OFFSET};
        cl_event done = caller_sample(clip, &job, &to, caller.in_order, gate);
        run_without_memory(gate, done);
        SCOPED(free_at)
        float *found =
            caller_read(buffer, floats * sizeof(float) + strided * gap * job.sample_count, done);
        for (size_t k = 0; k < job.sample_count; k++)
            assert_memory_equal((char *)found + k * (row * sizeof(float) + strided * gap),
                                expected.rotations + k * row, row * sizeof(float));
    }
}

CALLER_TEST(samples_are_computed_in_what_was_reserved) {
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine();
    double times[COUNT];
    uint32_t tracks[COUNT];
    random_source source = random_salted(0x9A1);
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 2.5, 0x9A2);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
    random_times(&source, COUNT, -0.2, 1.5, times);
    for (size_t k = 0; k < COUNT; k++)
        tracks[k] = (uint32_t)random_size(&source, 0, TRACKS - 1);
    expect_samples(clip, (pm_sample_job){.sample_count = COUNT, .rate = {997, 1}});
    expect_samples(clip, (pm_sample_job){.sample_count = COUNT, .times = times});
    expect_samples(clip, (pm_sample_job){.sample_count = COUNT, .times = times, .tracks = tracks});
}

CALLER_TEST(tracks_with_their_own_timelines_are_sampled_in_what_was_reserved) {
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine();
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 2.5, 0x9A3);
    const pm_timeline timelines[] = {{.key_count = KEYS, .rate = {30, 1}},
                                     {.key_count = KEYS, .rate = {29, 1}}};
    uint32_t timeline_of[TRACKS];
    for (uint32_t t = 0; t < TRACKS; t++)
        timeline_of[t] = t % 2;
    pm_clip_desc desc = motion_desc(&m, timelines, PM_METHOD_SLERP);
    desc.timeline_count = 2;
    desc.timeline_of = timeline_of;
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
    expect_samples(clip, (pm_sample_job){.sample_count = COUNT, .rate = {97, 1}});
}

CALLER_TEST(low_passes_are_computed_in_what_was_reserved) {
    enum { SAMPLES = 60 };
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine();
    SCOPED(pm_filter_destroy) pm_filter *filter = NULL;
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 0.3, 0x9A4);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    expect_success(pm_filter_create(engine, &desc, 4.0, &filter, new_error()));
    float expected[SAMPLES * TRACKS * 4];
    pm_sample_job job = {
        .sample_count = SAMPLES, .rate = {77, 1}, .rotations = expected, .on_reference = true};
    expect_success(pm_filter_sample(filter, &job, new_error()));
    job.rotations = NULL;
    job.on_reference = false;
    cl_mem buffer = caller_buffer(sizeof expected);
    const pm_cl_outputs to = {.rotations = buffer, .rotations_offset = CALLER_OFFSET};
    cl_event gate = gate_make(), done = NULL;
    expect_success(
        pm_cl_filter_sample(filter, &job, &to, caller.in_order, 1, &gate, &done, new_error()));
    caller_keep_event(done);
    run_without_memory(gate, done);
    caller_expect(buffer, expected, SAMPLES * TRACKS * 4, 4, done);
}

/* Palettes of so many joints that their matrices are no longer on the stack, and states of bodies beside them. */
CALLER_TEST(poses_are_computed_in_what_was_reserved) {
    enum { JOINTS = 400, INSTANCES = 21 };
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine();
    SCOPED(scene_free) scene s;
    scene_make(engine, &(scene_options){.salt = 0x9A5, .joints = JOINTS}, &s);
    static const pm_crowd_output of[] = {PM_CROWD_PALETTE, PM_CROWD_BODY_VEL};
    pm_crowd_instance instances[INSTANCES];
    random_source source = random_salted(0x9A6);
    float *expected[2];
    cl_mem buffers[2];
    pm_cl_crowd_target targets[2] = {0};
    for (size_t i = 0; i < INSTANCES; i++) {
        instances[i] = scene_instance(&source, &s);
        instances[i].weight = 0;
    }
    for (size_t o = 0; o < 2; o++) {
        expected[o] = scene_pose(&s, of[o], instances, INSTANCES, true);
        buffers[o] = caller_buffer(scene_floats(&s, of[o], INSTANCES) * sizeof(float));
        targets[o] =
            (pm_cl_crowd_target){.output = of[o], .buffer = buffers[o], .offset = CALLER_OFFSET};
    }
    const pm_cl_crowd_job job = {
        .instances = instances, .instance_count = INSTANCES, .outputs = targets, .output_count = 2};
    cl_event gate = gate_make(), done = NULL;
    expect_success(pm_cl_crowd_pose(s.crowd, &job, caller.in_order, 1, &gate, &done, new_error()));
    caller_keep_event(done);
    run_without_memory(gate, done);
    for (size_t o = 0; o < 2; o++) {
        caller_expect(buffers[o], expected[o], scene_floats(&s, of[o], INSTANCES),
                      scene_floats(&s, of[o], 1), done);
        guarded_free(expected[o]);
    }
}

/* ---- parts of buffers ---- */

/* In the other order than they are in the buffer, after a buffer that was made later. */
CALLER_TEST(outputs_may_be_parts_of_one_buffer) {
    enum { PART = 1 << 16, SAMPLES = 200 };
    SCOPED(pm_engine_destroy) pm_engine *engine = open_engine();
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 2.5, 0x9A7);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
    const pm_sample_job job = {.sample_count = SAMPLES, .rate = {313, 1}};
    SCOPED(outputs_free) outputs expected = sampled_on_reference(clip, job, OF_CHANNELS);
    cl_int code;
    cl_mem whole = caller_keep_buffer(
        clCreateBuffer(caller.context, CL_MEM_READ_WRITE, 2 * PART, NULL, &code));
    assert_int_equal(code, CL_SUCCESS);
    cl_mem parts[2];
    for (size_t i = 0; i < 2; i++) {
        const cl_buffer_region region = {i * PART, PART};
        parts[i] = caller_keep_buffer(clCreateSubBuffer(
            whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
        assert_int_equal(code, CL_SUCCESS);
    }
    cl_mem scales = caller_buffer(expected.rows * 3 * sizeof(float));
    const pm_cl_outputs to = {.rotations = parts[1],
                              .rotations_offset = 64,
                              .positions = parts[0],
                              .scales = scales,
                              .scales_offset = CALLER_OFFSET};
    cl_event done = caller_sample(clip, &job, &to, caller.in_order, NULL);
    caller_expect(scales, expected.scales, expected.rows * 3, 3, done);
    SCOPED(free_at) char *found = malloc(2 * PART);
    assert_int_equal(
        clEnqueueReadBuffer(caller.in_order, whole, CL_TRUE, 0, 2 * PART, found, 0, NULL, NULL),
        CL_SUCCESS);
    assert_memory_equal(found + PART + 64, expected.rotations, expected.rows * 4 * sizeof(float));
    assert_memory_equal(found, expected.positions, expected.rows * 3 * sizeof(float));
}

static int close_all(void **state) {
    const struct timespec moment = {0, 1000000};
    caller_close();
    for (int i = 0; i < 120000 && atomic_load(&lent) > 0;
         i++) /* a driver may keep a job a moment longer */
        nanosleep(&moment, NULL);
    return engines_close(state) || atomic_load(&lent) > 0;
}

FIXTURE(open_caller) {
    return caller_open() ? 0 : 1;
}

TEST_GROUP_ON_DEVICE(open_caller, close_all)
