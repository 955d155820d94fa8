/* SPDX-License-Identifier: MIT
 *
 * Invalid jobs of crowds on the caller's queues are refused, and a refusal changes nothing.
 */
#include "base/counts.h"
#include "support/cl_objects.h"
#include "support/crowd_queue.h"
#include "support/sub_devices.h"
#include "support/test.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_refused_as(pm_crowd *crowd, const pm_cl_crowd_job *job, cl_command_queue queue,
                              pm_status status, const char *words) {
    pm_error error = poisoned_error();
    expect_refusal(pm_cl_crowd_pose(crowd, job, queue, 0, NULL, NULL, &error), &error, status,
                   words);
    cl_event done = (cl_event)&error;
    expect_refusal(pm_cl_crowd_pose(crowd, job, queue, 0, NULL, &done, &error), &error, status,
                   words);
    assert_ptr_equal(done, &error);
}

static void expect_refused(const pm_cl_crowd_job *job, const char *words) {
    expect_refused_as(posed.scene.crowd, job, caller.in_order, PM_ERROR_ARGUMENT, words);
}

CALLER_TEST(a_job_without_outputs_is_refused) {
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_job(&target, PM_CROWD_PALETTE, NULL);
    expect_refused(&job, "buffer");
    job.output_count = 0;
    expect_refused(&job, "no output is requested");
    job.outputs = NULL;
    job.output_count = 1;
    expect_refused(&job, "outputs");
}

CALLER_TEST(lists_of_outputs_name_each_at_most_once) {
    pm_cl_crowd_target targets[2];
    pm_cl_crowd_job job = queue_new_job(&targets[0], PM_CROWD_PALETTE);
    targets[1] = targets[0];
    job.output_count = 2;
    expect_refused(&job, "outputs[1]");
    targets[1].output = (pm_crowd_output)pm_crowd_output_count();
    expect_refused(&job, "outputs[1].output");
}

CALLER_TEST(structs_with_a_next_are_refused) {
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    expect_next_refused(
        pm_cl_crowd_job, job, last_error(),
        pm_cl_crowd_pose(posed.scene.crowd, &job, caller.in_order, 0, NULL, NULL, new_error()));
    expect_next_refused(
        pm_cl_crowd_target, target, last_error(),
        pm_cl_crowd_pose(posed.scene.crowd, &job, caller.in_order, 0, NULL, NULL, new_error()));
}

CALLER_TEST(instances_are_given_either_in_memory_or_in_a_buffer) {
    cl_mem buffer = queue_output_buffer(PM_CROWD_PALETTE);
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_job(&target, PM_CROWD_PALETTE, buffer);
    job.instance_buffer = buffer;
    expect_refused(&job, "both set, expected one of them");
    job.instances = NULL;
    job.instance_buffer = NULL;
    expect_refused(&job, "instances is NULL");
}

CALLER_TEST(too_many_instances_are_refused) {
    static const size_t counts[] = {SIZE_MAX, (size_t)UINT32_MAX + 1, UINT32_MAX};
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        job.instance_count = counts[i];
        expect_refused_as(posed.scene.crowd, &job, caller.in_order, PM_ERROR_SIZE,
                          "instance_count");
    }
}

CALLER_TEST(offsets_and_strides_that_are_not_aligned_are_refused) {
    static const size_t bad[] = {1, 4, 8, 12, 17};
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++) {
        cl_mem buffer = caller_buffer(2 * queue_bytes(o));
        for (size_t i = 0; i < COUNT_OF(bad); i++) {
            pm_cl_crowd_target target;
            pm_cl_crowd_job job = queue_job(&target, o, buffer);
            if (bad[i] % queue_alignment(o) == 0)
                continue;
            target.offset = bad[i];
            expect_refused(&job, "offset");
            target.offset = 0;
            target.stride = queue_bytes(o) / QUEUE_COUNT + bad[i];
            expect_refused(&job, "stride");
            target.stride = queue_bytes(o) / QUEUE_COUNT - 16; /* shorter than the records */
            expect_refused(&job, "stride");
        }
    }
}

CALLER_TEST(offsets_of_instances_that_are_not_aligned_and_small_buffers_are_refused) {
    static const size_t bad[] = {1, 4, 12, 33};
    cl_mem instances = caller_buffer(2 * sizeof posed.instances);
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    job.instances = NULL;
    job.instance_buffer = instances;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        job.instances_offset = bad[i];
        expect_refused(&job, "instances: ");
    }
    job.instance_buffer = caller_buffer(sizeof posed.instances - CALLER_OFFSET - CALLER_TAIL);
    job.instances_offset = 8;
    expect_refused(&job, "instances: ");
}

/* The last offset that fits, and the first that does not. */
CALLER_TEST(buffers_too_small_for_the_records_are_refused) {
    const size_t just = CALLER_OFFSET + CALLER_TAIL;
    const size_t bad[] = {just + 16, just + queue_bytes(PM_CROWD_PALETTE),
                          just + queue_bytes(PM_CROWD_PALETTE) + 16, SIZE_MAX & ~(size_t)15};
    cl_mem other = queue_output_buffer(PM_CROWD_PALETTE);
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        target.offset = bad[i];
        expect_refused(&job, "bytes");
        target.offset = 0;
        target.previous = other;
        target.previous_offset = bad[i];
        expect_refused(&job, "bytes");
        target.previous = NULL;
    }
    target.stride = SIZE_MAX & ~(size_t)15;
    expect_refused_as(posed.scene.crowd, &job, caller.in_order, PM_ERROR_SIZE, "bytes");
    target.stride = 0;
    target.offset = just;
    queue_pose(&job, caller.in_order, NULL);
    assert_int_equal(clFinish(caller.in_order), CL_SUCCESS);
}

CALLER_TEST(a_buffer_that_is_also_previous_and_offsets_of_it_that_are_not_aligned_are_refused) {
    cl_mem buffer = caller_buffer(2 * queue_bytes(PM_CROWD_PALETTE));
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_job(&target, PM_CROWD_PALETTE, buffer);
    target.previous = buffer;
    expect_refused(&job, "previous");
    target.previous_offset = queue_bytes(PM_CROWD_PALETTE);
    expect_refused(&job, "previous");
    target.previous = queue_output_buffer(PM_CROWD_PALETTE);
    target.previous_offset = 2;
    expect_refused(&job, "offset");
}

CALLER_TEST(offsets_of_placements_and_speeds_that_are_not_aligned_are_refused) {
    static const size_t bad[] = {1, 4, 8, 12, 24};
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_BODY_POS);
    const pm_cl_input aligned = {.buffer = caller_buffer(QUEUE_COUNT * sizeof(pm_placement))};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        job.placements = aligned;
        job.placements.offset = bad[i];
        expect_refused(&job, "placements: its offset is not a multiple of 16");
        job.placements = (pm_cl_input){.buffer = NULL};
        job.speeds = aligned;
        job.speeds.offset = bad[i];
        if (bad[i] % 8)
            expect_refused(&job, "speeds: its offset is not a multiple of 8");
        job.speeds = (pm_cl_input){.buffer = NULL};
    }
}

CALLER_TEST(buffers_and_queues_of_another_context_are_refused) {
    cl_int status = CL_SUCCESS;
    cl_context other = clCreateContext(NULL, 1, &caller.device, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    cl_command_queue queue = queue_of(other, caller.device);
    cl_mem foreign = buffer_of(other, 0, 2 * queue_bytes(PM_CROWD_PALETTE), NULL);
    cl_mem own = queue_output_buffer(PM_CROWD_PALETTE);
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_job(&target, PM_CROWD_PALETTE, own);
    expect_refused_as(posed.scene.crowd, &job, queue, PM_ERROR_ARGUMENT, "queue");
    target.previous = foreign;
    expect_refused(&job, "context");
    job = queue_job(&target, PM_CROWD_PALETTE, foreign);
    expect_refused(&job, "context");
    job = queue_job(&target, PM_CROWD_PALETTE, own);
    job.instances = NULL;
    job.instance_buffer = foreign;
    expect_refused(&job, "context");
    clReleaseMemObject(foreign);
    clReleaseCommandQueue(queue);
    clReleaseContext(other);
}

/* A context of two devices, and an engine on one of them. */
CALLER_TEST(a_queue_of_another_device_is_refused) {
    SCOPED(sub_devices_close) sub_devices subs;
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
    if (!sub_devices_open(engine_of_kind(ON_DEVICE), &subs))
        skip();
    expect_success(pm_cl_engine_create(subs.shared, subs.devices[0], NULL, &engine, new_error()));
    SCOPED(pm_crowd_destroy)
    pm_crowd *crowd = crowd_make(engine, &posed.scene.skeleton_desc, posed.scene.clips,
                                 posed.scene.clip_count, &skeleton);
    cl_command_queue queue = queue_of(subs.shared, subs.devices[1]);
    cl_mem buffer = buffer_of(subs.shared, 0, queue_bytes(PM_CROWD_PALETTE), NULL);
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_job(&target, PM_CROWD_PALETTE, buffer);
    target.offset = 0;
    expect_refused_as(crowd, &job, queue, PM_ERROR_ARGUMENT, "queue");
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
}

CALLER_TEST(a_crowd_on_several_devices_is_refused) {
    SCOPED(sub_devices_close) sub_devices subs;
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    if (!sub_devices_open(engine_of_kind(ON_DEVICE), &subs))
        skip();
    expect_success(
        pm_cl_engine_create_multi(subs.targets, SUB_DEVICES, NULL, &engine, new_error()));
    const pm_crowd_desc desc = {.skeleton = posed.scene.skeleton,
                                .clips = posed.scene.clips,
                                .clip_count = posed.scene.clip_count};
    pm_crowd *crowd = NULL;
    expect_error(pm_crowd_create(engine, &desc, &crowd, new_error()), PM_ERROR_ARGUMENT, "device");
    assert_null(crowd);
}

CALLER_TEST(a_crowd_on_the_reference_is_refused) {
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
    SCOPED(pm_crowd_destroy)
    pm_crowd *crowd = crowd_make(engine_of_kind(ON_REFERENCE), &posed.scene.skeleton_desc,
                                 posed.scene.clips, posed.scene.clip_count, &skeleton);
    pm_cl_crowd_target target;
    const pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    expect_refused_as(crowd, &job, caller.in_order, PM_ERROR_ARGUMENT, "reference");
}

CALLER_TEST(data_that_does_not_fit_is_refused) {
    static const pm_crowd_layer layers[4];
    static const pm_crowd_range ranges[QUEUE_COUNT];
    pm_cl_crowd_target target;
    const pm_cl_crowd_job good = queue_new_job(&target, PM_CROWD_MODEL);
    cl_mem buffer = caller_buffer(QUEUE_COUNT * sizeof *ranges);
    pm_cl_crowd_job job = good;
    job.layers = (pm_cl_input){.memory = layers, .buffer = buffer};
    job.ranges.memory = ranges;
    job.layer_count = 4;
    expect_refused(&job, "layers: memory and buffer");
    job.layers = (pm_cl_input){.buffer = buffer, .offset = 4};
    expect_refused(&job, "layers");
    job.layers = (pm_cl_input){.buffer = buffer};
    job.layer_count = 1 << 20;
    expect_refused(&job, "layers");
    job = good;
    job.indices = (pm_cl_input){.buffer = buffer};
    job.index_count = 1 << 20;
    expect_refused(&job, "indices");
    job = good;
    job.counted.memory = ranges;
    expect_refused(&job, "indices is NULL");
    job = good;
    job.poses.buffer = buffer;
    expect_refused(&job, "instances and poses");
    job.instances = NULL;
    expect_refused(&job, "poses");
    job.poses.offset = 8;
    job.instance_count = 1;
    expect_refused(&job, "poses");
    target.subset = SCENE_SUBSETS + 1;
    expect_refused(&good, "subset");
}

/* ---- every input ------------------------------------------------------------------------------ */

/* What a job reads, and a job that is valid with any of it in a buffer. */
typedef struct input_row {
    const char *name;
    size_t field, row; /* of pm_cl_crowd_job; bytes */
    size_t alignment;
    bool is_one; /* else a row for each instance */
} input_row;

#define INPUT(name, type, alignment, is_one)                                                       \
    { #name, offsetof(pm_cl_crowd_job, name), sizeof(type), alignment, is_one }
static const input_row inputs[] = {INPUT(layers, pm_crowd_layer, 8, false),
                                   INPUT(ranges, pm_crowd_range, 8, false),
                                   INPUT(indices, uint32_t, 8, false),
                                   INPUT(counted, uint32_t, 8, true),
                                   INPUT(poses, float[QUEUE_JOINTS][12], 16, false),
                                   INPUT(placements, pm_placement, 16, false),
                                   INPUT(speeds, float, 8, false)};

static pm_cl_input *input_in(pm_cl_crowd_job *job, const input_row *row) {
    return (pm_cl_input *)(void *)((char *)job + row->field);
}

static bool is_of_bodies(const input_row *row) {
    return strcmp(row->name, "placements") == 0 || strcmp(row->name, "speeds") == 0;
}

/* A valid job that has the input, in host memory. */
static pm_cl_crowd_job job_with(const input_row *row, pm_cl_crowd_target *target) {
    static const float zeros[QUEUE_COUNT * QUEUE_JOINTS * 12];
    pm_cl_crowd_job job =
        queue_new_job(target, is_of_bodies(row) ? PM_CROWD_BODY_POS : PM_CROWD_MODEL);
    input_in(&job, row)->memory = zeros;
    if (strcmp(row->name, "layers") == 0 || strcmp(row->name, "ranges") == 0) {
        job.layers.memory = job.ranges.memory = zeros;
        job.layer_count = QUEUE_COUNT;
    }
    if (strcmp(row->name, "indices") == 0 || strcmp(row->name, "counted") == 0) {
        job.indices.memory = zeros;
        job.index_count = QUEUE_COUNT;
    }
    if (strcmp(row->name, "poses") == 0)
        job.instances = NULL;
    return job;
}

static void expect_input_refused(const pm_cl_crowd_job *job, const input_row *row,
                                 const char *words) {
    char text[128];
    snprintf(text, sizeof text, "%s: %s", row->name, words);
    expect_refused(job, text);
}

CALLER_TEST(every_input_is_checked) {
    cl_int status = CL_SUCCESS;
    cl_context other = clCreateContext(NULL, 1, &caller.device, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    for (size_t i = 0; i < COUNT_OF(inputs); i++) {
        const input_row *row = &inputs[i];
        const size_t bytes = row->row * (row->is_one ? 1 : QUEUE_COUNT);
        pm_cl_crowd_target target;
        pm_cl_crowd_job job = job_with(row, &target);
        pm_cl_input *input = input_in(&job, row);
        cl_mem exact = caller_keep_buffer(buffer_of(caller.context, 0, bytes, NULL));
        cl_mem larger = caller_keep_buffer(buffer_of(caller.context, 0, bytes + 16, NULL));
        cl_mem foreign = buffer_of(other, 0, bytes, NULL);
        queue_pose(&job, caller.in_order, NULL);
        input->buffer = exact;
        expect_input_refused(&job, row, "memory and buffer are both set");
        *input = (pm_cl_input){.buffer = foreign};
        expect_input_refused(&job, row, "the buffer belongs to another context");
        *input = (pm_cl_input){.buffer = larger, .offset = row->alignment / 2};
        expect_input_refused(&job, row, "its offset is not a multiple");
        *input = (pm_cl_input){.buffer = exact, .offset = row->alignment};
        expect_input_refused(&job, row, "the buffer has");
        *input = (pm_cl_input){.buffer = larger, .offset = row->alignment};
        queue_pose(&job, caller.in_order, NULL);
        assert_int_equal(clFinish(caller.in_order), CL_SUCCESS);
        clReleaseMemObject(foreign);
    }
    clReleaseContext(other);
}

CALLER_TEST(inputs_that_do_not_go_together_are_refused) {
    static const float zeros[QUEUE_COUNT * QUEUE_JOINTS * 12];
    pm_cl_crowd_target target, body;
    const pm_cl_crowd_job good = queue_new_job(&target, PM_CROWD_MODEL);
    const pm_cl_crowd_job states = queue_new_job(&body, PM_CROWD_BODY_ROT);
    pm_cl_crowd_job job = good;
    job.layer_count = 1;
    expect_refused(&job, "the number of layers is 1, but layers is NULL");
    job.layers.memory = zeros;
    expect_refused(&job, "ranges is NULL, but layers is set");
    job.ranges.memory = zeros;
    job.layer_count = (size_t)UINT32_MAX + 1;
    expect_refused_as(posed.scene.crowd, &job, caller.in_order, PM_ERROR_SIZE, "number of layers");
    job = good;
    job.index_count = 1;
    expect_refused(&job, "indices is NULL");
    job.indices.memory = zeros;
    job.index_count = UINT32_MAX;
    expect_refused_as(posed.scene.crowd, &job, caller.in_order, PM_ERROR_SIZE, "number of indices");
    job = good;
    job.placements.memory = zeros;
    expect_refused(&job, "placements: no output is a state of bodies");
    job = good;
    job.speeds.memory = zeros;
    expect_refused(&job, "speeds: no output is a state of bodies");
    job = states;
    job.layers.memory = job.ranges.memory = zeros;
    expect_refused(&job, "layers: states of bodies");
    job = states;
    job.instances = NULL;
    job.poses.memory = zeros;
    expect_refused(&job, "poses: states of bodies");
    body.flags = PM_TARGET_AT_POINT;
    expect_refused(&states, "PM_TARGET_AT_POINT");
    body.flags = 4;
    expect_refused(&states, "pm_target_flag");
}

/* In a buffer multiples of 16 bytes, in host memory of 4. */
CALLER_TEST(strides_of_poses_that_are_short_or_not_aligned_are_refused) {
    static const float zeros[QUEUE_COUNT * (QUEUE_JOINTS * 12 + 4)];
    const size_t pose = QUEUE_JOINTS * 12 * sizeof(float);
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_MODEL);
    job.instances = NULL;
    job.poses.memory = zeros;
    job.pose_stride = pose - 16;
    expect_refused(&job, "poses: stride is");
    job.pose_stride = pose + 2;
    expect_refused(&job, "poses: its stride is not a multiple of 4");
    job.pose_stride = pose + 4;
    queue_pose(&job, caller.in_order, NULL);
    job.poses = (pm_cl_input){.buffer = caller_buffer(sizeof zeros)};
    expect_refused(&job, "poses: its stride is not a multiple of 16");
    job.pose_stride = pose + 16;
    queue_pose(&job, caller.in_order, NULL);
    assert_int_equal(clFinish(caller.in_order), CL_SUCCESS);
}

CALLER_TEST(more_outputs_than_a_job_can_have_are_refused) {
    pm_cl_crowd_target targets[PM_CROWD_MAX_TARGETS + 1];
    pm_cl_crowd_job job = queue_new_job(&targets[0], PM_CROWD_MODEL);
    for (size_t i = 1; i < COUNT_OF(targets); i++)
        targets[i] = targets[0];
    job.output_count = COUNT_OF(targets);
    expect_refused(&job, "number of outputs is 33");
}

/* Matrices that are not rigid have no dual quaternion. */
CALLER_TEST(an_output_that_the_skeleton_does_not_have_is_refused) {
    SCOPED(scene_free) scene s;
    scene_make(caller.engine,
               &(scene_options){.salt = 0xE40, .joints = QUEUE_JOINTS, .binds = SCENE_BIND_ANY},
               &s);
    pm_cl_crowd_target target;
    const pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_DUAL);
    expect_refused_as(s.crowd, &job, caller.in_order, PM_ERROR_ARGUMENT, "rigid");
}

/* All else is in buffers, so that nothing is copied. */
CALLER_TEST(no_layers_in_host_memory_are_accepted) {
    static const pm_crowd_range ranges[QUEUE_COUNT];
    static const pm_crowd_layer layer;
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    job.instances = NULL;
    job.instance_buffer =
        caller_keep_buffer(buffer_of(caller.context, 0, sizeof posed.instances, posed.instances));
    job.layers.memory = &layer;
    job.ranges.buffer = caller_keep_buffer(buffer_of(caller.context, 0, sizeof ranges, ranges));
    cl_event done = queue_pose(&job, caller.in_order, NULL);
    queue_expect(target.buffer, PM_CROWD_PALETTE, posed.expected[PM_CROWD_PALETTE], done);
}

CALLER_TEST(the_crowd_still_works_after_refusals) {
    pm_cl_crowd_target target;
    const pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    cl_event done = queue_pose(&job, caller.in_order, NULL);
    queue_expect(target.buffer, PM_CROWD_PALETTE, posed.expected[PM_CROWD_PALETTE], done);
}

TEST_GROUP_ON_DEVICE(queue_open, queue_close)
