/* SPDX-License-Identifier: MIT
 *
 * Launches on a GPU are bounded, because drivers end launches of seconds: a large job is several
 * launches, into host memory and on a caller's queue, for samples and for crowds, with the same bits
 * and with events that stand for the whole job. The GPU is the test machine's device under another
 * type, and its bound is lowered.
 */
#include "support/cl_caller.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/odd_driver.h"
#include "support/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "opencl/device.h"

enum { KEYS = 9, TRACKS = 19, SAMPLES = 997, VALUES = SAMPLES * TRACKS };
enum { JOINTS = 5, INSTANCES = 1003 };
enum { WORK = 3000 }; /* of a launch, in rotations */

static struct {
    motion keys;
    pm_clip *clip;
    scene scene;
    pm_crowd_instance instances[INSTANCES];
} c;

static const pm_timeline timeline = {.key_count = KEYS, .rate = {10, 1}};

static pm_opencl_device *cl_of_caller(void) {
    return pm_opencl_of(caller.engine->device);
}

static void bound_launches(size_t work) {
    cl_of_caller()->plan.max_work = work;
}

FIXTURE(open_all) {
    odd_number(CL_DEVICE_TYPE, sizeof(cl_device_type), CL_DEVICE_TYPE_GPU);
    if (!caller_open())
        return 1;
    c.keys = motion_make(KEYS, TRACKS, 1.5, 0x6C2);
    const pm_clip_desc desc = motion_desc(&c.keys, &timeline, PM_METHOD_SLERP);
    c.clip = clip_make(caller.engine, &desc);
    scene_make(caller.engine, &(scene_options){.salt = 0x6C3, .joints = JOINTS}, &c.scene);
    scene_instances(&c.scene, 0x6C1, INSTANCES, c.instances);
    return 0;
}

static int close_all(void **state) {
    scene_free(&c.scene);
    pm_clip_destroy(&c.clip);
    motion_free(&c.keys);
    caller_close();
    return engines_close(state);
}

static size_t pieces_of(size_t total, size_t size) {
    return (total + size - 1) / size;
}

/* ---- the bound --------------------------------------------------------------------------------- */

TEST(only_devices_that_are_no_cpus_are_bounded) {
    assert_int_equal(cl_of_caller()->plan.max_work, PM_MAX_GPU_WORK);
    void *kind = &on_device;
    odd_reset(); /* the machine's own type */
    pm_engine *plain = engine_with(&kind, &(pm_engine_desc){0});
    pm_device_info info;
    pm_engine_get_info(plain, &info);
    assert_int_equal(pm_opencl_of(plain->device)->plan.max_work,
                     info.type == PM_DEVICE_CPU ? SIZE_MAX : (size_t)PM_MAX_GPU_WORK);
    pm_engine_destroy(&plain);
    odd_number(CL_DEVICE_TYPE, sizeof(cl_device_type), CL_DEVICE_TYPE_GPU);
}

/* ---- samples ----------------------------------------------------------------------------------- */

/* At the times of a list, so that no launch locates samples. */
static pm_sample_job listed_job(const double *times) {
    return (pm_sample_job){.sample_count = SAMPLES, .times = times};
}

static double *times_make(void) {
    random_source source = random_salted(0x6C4);
    double *times = test_array(SAMPLES, sizeof *times);
    for (size_t i = 0; i < SAMPLES; i++)
        times[i] = random_between(&source, 0, 1);
    return times;
}

static size_t launches_since(size_t before) {
    return odd_counted().launches - before;
}

TEST(samples_for_host_memory_are_several_launches) {
    SCOPED(free_at) double *times = times_make();
    for (int moves = 0; moves < 2; moves++) {
        bound_launches(WORK);
        const size_t before = odd_counted().launches;
        expect_reference_bits(c.clip, listed_job(times), moves ? ACCELERATIONS : ONLY_ROTATIONS);
        const size_t work = moves ? PM_WORK_OF_MOTION : PM_WORK_OF_VALUE;
        const size_t most = WORK / work / TRACKS;
        assert_int_equal(launches_since(before), pieces_of(SAMPLES, most));
    }
    bound_launches(PM_MAX_GPU_WORK);
}

static void expect_samples_on(cl_command_queue queue, const double *times, const float *expected) {
    cl_mem rotations = caller_buffer(4 * VALUES * sizeof(float));
    const pm_cl_outputs to = {.rotations = rotations, .rotations_offset = CALLER_OFFSET};
    const pm_sample_job job = listed_job(times);
    const size_t before = odd_counted().launches;
    cl_event done = caller_sample(c.clip, &job, &to, queue, NULL);
    assert_int_equal(launches_since(before), pieces_of(SAMPLES, WORK / TRACKS));
    assert_int_equal(clFlush(queue), CL_SUCCESS);
    caller_expect(rotations, expected, 4 * VALUES, 4, done);
}

CALLER_TEST(samples_on_a_queue_are_several_launches_with_one_event) {
    SCOPED(free_at) double *times = times_make();
    SCOPED(outputs_free)
    outputs expected = sampled_on_reference(c.clip, listed_job(times), ONLY_ROTATIONS);
    bound_launches(WORK);
    expect_samples_on(caller.in_order, times, expected.rotations);
    for (size_t round = 0; caller.out_of_order && round < 5; round++)
        expect_samples_on(caller.out_of_order, times, expected.rotations);
    bound_launches(PM_MAX_GPU_WORK);
}

/* ---- crowds ------------------------------------------------------------------------------------ */

static size_t crowd_launches(void) {
    return pieces_of(INSTANCES, WORK / (JOINTS * PM_WORK_OF_JOINT) / 16 * 16);
}

TEST(crowds_for_host_memory_are_several_launches) {
    bound_launches(WORK);
    const size_t before = odd_counted().launches;
    SCOPED(guarded_free_at)
    float *got = scene_pose(&c.scene, PM_CROWD_PALETTE, c.instances, INSTANCES, false);
    assert_int_equal(launches_since(before), crowd_launches());
    bound_launches(PM_MAX_GPU_WORK);
    SCOPED(guarded_free_at)
    float *expected = scene_pose(&c.scene, PM_CROWD_PALETTE, c.instances, INSTANCES, true);
    expect_same_bits(got, expected, scene_floats(&c.scene, PM_CROWD_PALETTE, INSTANCES), 12);
}

/* Instances in host memory, or in a buffer at an offset. Palettes behind an event, and the palettes
 * of a frame before in `previous`; another output beside them. */
static void expect_crowd_on(cl_command_queue queue, bool in_buffer) {
    const pm_crowd_output kinds[2] = {PM_CROWD_PALETTE, PM_CROWD_DUAL};
    cl_mem buffers[2], previous = NULL;
    cl_event gate = gate_make(), done = NULL;
    pm_cl_crowd_target targets[2];
    pm_cl_crowd_job job = {
        .instance_count = INSTANCES, .frame = 3, .outputs = targets, .output_count = 2};
    size_t bytes[2];
    for (size_t k = 0; k < 2; k++) {
        bytes[k] = scene_floats(&c.scene, kinds[k], INSTANCES) * sizeof(float);
        buffers[k] = caller_buffer(bytes[k]);
        targets[k] =
            (pm_cl_crowd_target){.output = kinds[k], .buffer = buffers[k], .offset = CALLER_OFFSET};
    }
    previous = caller_buffer(bytes[0]);
    targets[0].previous = previous;
    targets[0].previous_offset = CALLER_OFFSET;
    if (in_buffer) {
        job.instance_buffer = caller_buffer(sizeof c.instances);
        job.instances_offset = CALLER_OFFSET;
        assert_int_equal(clEnqueueWriteBuffer(caller.in_order, job.instance_buffer, CL_TRUE,
                                              CALLER_OFFSET, sizeof c.instances, c.instances, 0,
                                              NULL, NULL),
                         CL_SUCCESS);
    } else {
        job.instances = c.instances;
    }
    const size_t before = odd_counted().launches;
    expect_success(pm_cl_crowd_pose(c.scene.crowd, &job, queue, 1, &gate, &done, new_error()));
    caller_keep_event(done);
    assert_int_equal(launches_since(before), 2 * crowd_launches());
    flush_waiting(queue);
    assert_false(is_complete(done));
    gate_open(gate);
    for (size_t k = 0; k < 2; k++) {
        SCOPED(guarded_free_at)
        float *expected = scene_pose(&c.scene, kinds[k], c.instances, INSTANCES, true);
        caller_expect(buffers[k], expected, bytes[k] / sizeof(float), 4, done);
    }
    SCOPED(free_at) float *kept = caller_read(previous, bytes[0], done);
    for (size_t i = 0; i < bytes[0]; i++)
        assert_int_equal(((unsigned char *)kept)[i], 0xFF); /* what the buffer held before */
}

CALLER_TEST(crowds_on_a_queue_are_several_launches_with_one_event) {
    bound_launches(WORK);
    for (size_t round = 0; round < 4; round++) {
        expect_crowd_on(caller.in_order, round % 2);
        if (caller.out_of_order)
            expect_crowd_on(caller.out_of_order, round % 2);
    }
    bound_launches(PM_MAX_GPU_WORK);
}

TEST_GROUP_ON_DEVICE(open_all, close_all)
