/* SPDX-License-Identifier: MIT
 *
 * Crowds on the caller's own queues and buffers: both kinds of queues, wait lists, events,
 * instances in host memory and on the device, offsets, strides and copies of the previous content.
 * Refusals are in test_crowd_queue_check.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/counts.h"
#include "support/cl_objects.h"
#include "support/cl_references.h"
#include "support/crowd_queue.h"
#include "support/motion.h"
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- queues --------------------------------------------------------------------------- */

static void pose_on_queue(cl_command_queue queue, pm_crowd_output output) {
    pm_cl_crowd_target target;
    const pm_cl_crowd_job job = queue_new_job(&target, output);
    cl_event done = queue_pose(&job, queue, NULL);
    assert_int_equal(clFlush(queue), CL_SUCCESS); /* the caller must flush */
    queue_expect(target.buffer, output, posed.expected[output], done);
}

CALLER_TEST(every_output_is_written_to_a_buffer_on_an_in_order_queue) {
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++)
        pose_on_queue(caller.in_order, o);
}

CALLER_TEST(poses_are_written_to_buffers_on_an_out_of_order_queue) {
    if (!caller.out_of_order)
        skip();
    for (size_t round = 0; round < 20; round++)
        pose_on_queue(caller.out_of_order, PM_CROWD_PALETTE);
}

CALLER_TEST(an_in_order_queue_needs_no_event) {
    pm_cl_crowd_target target;
    const pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_MODEL);
    expect_success(
        pm_cl_crowd_pose(posed.scene.crowd, &job, caller.in_order, 0, NULL, NULL, new_error()));
    queue_expect(target.buffer, PM_CROWD_MODEL, posed.expected[PM_CROWD_MODEL], NULL);
}

/* The queue that may run commands in any order, where there is one. */
static cl_command_queue loose_queue(void) {
    return caller.out_of_order ? caller.out_of_order : caller.in_order;
}

/* Data after `offset` bytes that nothing may read. */
static pm_cl_input input_in_buffer(const void *data, size_t bytes, size_t offset) {
    cl_mem buffer = buffer_of(caller.context, offset, bytes, data);
    return (pm_cl_input){.buffer = caller_keep_buffer(buffer), .offset = offset};
}

/* The instances of a job are in a buffer. */
static void use_instance_buffer(pm_cl_crowd_job *job, size_t offset) {
    job->instances = NULL;
    job->instance_buffer = input_in_buffer(posed.instances, sizeof posed.instances, offset).buffer;
    job->instances_offset = offset;
}

/* ---- instances and outputs --------------------------------------------------------------- */

CALLER_TEST(instances_may_be_in_a_buffer_at_an_offset) {
    static const size_t offsets[] = {0, 8, 40, 4096};
    for (size_t i = 0; i < COUNT_OF(offsets); i++) {
        pm_cl_crowd_target target;
        pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
        use_instance_buffer(&job, offsets[i]);
        cl_event done = queue_pose(&job, caller.in_order, NULL);
        queue_expect(target.buffer, PM_CROWD_PALETTE, posed.expected[PM_CROWD_PALETTE], done);
    }
}

CALLER_TEST(several_outputs_may_be_requested_in_one_job) {
    pm_cl_crowd_target targets[PM_CROWD_POSE_COUNT];
    pm_cl_crowd_job job = queue_new_job(&targets[0], 0);
    for (unsigned o = 1; o < PM_CROWD_POSE_COUNT; o++)
        (void)queue_new_job(&targets[o], o);
    job.output_count = PM_CROWD_POSE_COUNT;
    cl_event done = queue_pose(&job, loose_queue(), NULL);
    assert_int_equal(clFlush(loose_queue()), CL_SUCCESS);
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++)
        queue_expect(targets[o].buffer, o, posed.expected[o], done);
}

static void expect_rows(pm_crowd_output output, size_t gap) {
    const size_t width = queue_bytes(output) / QUEUE_COUNT, stride = width + gap;
    const size_t bytes = (QUEUE_COUNT - 1) * stride + width;
    cl_mem buffer = caller_buffer(bytes);
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_job(&target, output, buffer);
    target.stride = stride;
    cl_event done = queue_pose(&job, caller.in_order, NULL);
    SCOPED(free_at) float *rows = caller_read(buffer, bytes, done);
    for (size_t i = 0; i < QUEUE_COUNT; i++) {
        const unsigned char *row = (const unsigned char *)rows + i * stride;
        assert_memory_equal(row, (const unsigned char *)posed.expected[output] + i * width, width);
        for (size_t k = width; k < stride && i + 1 < QUEUE_COUNT; k++)
            assert_int_equal(row[k], 0xFF);
    }
}

CALLER_TEST(records_may_have_a_stride_and_nothing_between_them_is_written) {
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++) {
        expect_rows(o, 16);
        expect_rows(o, queue_alignment(o) == 8 ? 8 : 48);
    }
}

/* A second job after the first is done. */
static void expect_previous(cl_command_queue queue, pm_crowd_output output) {
    static pm_crowd_instance others[QUEUE_COUNT];
    scene_instances(&posed.scene, 0xE03, QUEUE_COUNT, others);
    SCOPED(guarded_free_at) float *second = queue_expectation(&posed.scene, others, output);
    cl_mem previous = queue_output_buffer(output);
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, output);
    cl_event first_done = queue_pose(&job, queue, NULL);
    job.instances = others;
    target.previous = previous;
    target.previous_offset = CALLER_OFFSET;
    cl_event done = queue_pose(&job, queue, first_done);
    assert_int_equal(clFlush(queue), CL_SUCCESS);
    queue_expect(target.buffer, output, second, done);
    queue_expect(previous, output, posed.expected[output], done);
}

CALLER_TEST(the_content_of_the_buffer_is_copied_first) {
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++)
        expect_previous(caller.in_order, o);
    if (caller.out_of_order)
        for (size_t round = 0; round < 10; round++)
            expect_previous(caller.out_of_order, PM_CROWD_PALETTE);
}

/* The crowd and its engine are destroyed before the job may start. With instances in host memory the crowd
 * would wait for them. */
CALLER_TEST(enqueued_work_does_not_depend_on_the_handles) {
    pm_engine *engine = NULL;
    expect_success(pm_cl_engine_create(caller.context, caller.device, NULL, &engine, new_error()));
    pm_skeleton *skeleton = NULL;
    pm_crowd *crowd = crowd_make(engine, &posed.scene.skeleton_desc, posed.scene.clips,
                                 posed.scene.clip_count, &skeleton);
    cl_event gate = gate_make(), done = NULL;
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    use_instance_buffer(&job, 0);
    expect_success(pm_cl_crowd_pose(crowd, &job, caller.in_order, 1, &gate, &done, new_error()));
    pm_crowd_destroy(&crowd);
    pm_skeleton_destroy(&skeleton);
    pm_engine_destroy(&engine);
    flush_waiting(caller.in_order);
    gate_open(gate);
    queue_expect(target.buffer, PM_CROWD_PALETTE, posed.expected[PM_CROWD_PALETTE],
                 caller_keep_event(done));
}

/* ---- events --------------------------------------------------------------------------------- */

/* No part of the job may start before the gate opens, and the call must not wait for it. */
static void pose_behind_a_gate(cl_command_queue queue, bool from_buffer) {
    cl_event gate = gate_make();
    cl_mem previous = queue_output_buffer(PM_CROWD_PALETTE);
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    if (from_buffer)
        use_instance_buffer(&job, 0);
    target.previous = previous;
    target.previous_offset = CALLER_OFFSET;
    cl_event done = queue_pose(&job, queue, gate);
    flush_waiting(queue);
    cl_command_queue other = caller_queue();
    const float mark = 12345;
    float sample = 0;
    read_buffer(other, target.buffer, CALLER_OFFSET, sizeof sample, &sample);
    assert_true(is_poison(sample));
    /* the content of the buffer when the gate opens is copied */
    assert_int_equal(clEnqueueWriteBuffer(other, target.buffer, CL_TRUE, CALLER_OFFSET, sizeof mark,
                                          &mark, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clFinish(other), CL_SUCCESS); /* it is not enough that the bytes were copied */
    assert_false(is_complete(done));
    gate_open(gate);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    queue_expect(target.buffer, PM_CROWD_PALETTE, posed.expected[PM_CROWD_PALETTE], done);
    SCOPED(free_at) float *copied = caller_read(previous, queue_bytes(PM_CROWD_PALETTE), done);
    assert_true(copied[0] == mark && is_poison(copied[1]));
}

CALLER_TEST(a_job_starts_after_its_wait_list_on_an_in_order_queue) {
    pose_behind_a_gate(caller.in_order, false);
    pose_behind_a_gate(caller.in_order, true);
}

CALLER_TEST(a_job_starts_after_its_wait_list_on_an_out_of_order_queue) {
    if (!caller.out_of_order)
        skip();
    pose_behind_a_gate(caller.out_of_order, false);
    pose_behind_a_gate(caller.out_of_order, true);
}

/* More events than the commands of a job use on their own. */
CALLER_TEST(a_wait_list_may_be_long) {
    enum { GATES = 30 };
    cl_event gates[GATES], done = NULL;
    pm_cl_crowd_target target;
    const pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    cl_command_queue queue = loose_queue();
    for (size_t i = 0; i < GATES; i++)
        gates[i] = gate_make();
    expect_success(
        pm_cl_crowd_pose(posed.scene.crowd, &job, queue, GATES, gates, &done, new_error()));
    caller_keep_event(done);
    flush_waiting(queue);
    for (size_t i = 0; i < GATES; i++) {
        assert_false(is_complete(done));
        gate_open(gates[i]);
    }
    assert_int_equal(clFlush(queue), CL_SUCCESS);
    queue_expect(target.buffer, PM_CROWD_PALETTE, posed.expected[PM_CROWD_PALETTE], done);
}

static void fail_behind_a_gate(bool from_buffer) {
    cl_command_queue queue = caller_queue();
    cl_event gate = gate_make();
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    if (from_buffer)
        use_instance_buffer(&job, 0);
    cl_event done = queue_pose(&job, queue, gate);
    flush_waiting(queue);
    clSetUserEventStatus(gate, -1);
    assert_int_not_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    SCOPED(free_at)
    float *results = caller_read(target.buffer, queue_bytes(PM_CROWD_PALETTE), NULL);
    assert_true(is_poison(results[0]));
}

CALLER_TEST(a_failed_wait_list_fails_the_event_of_its_job_alone) {
    if (is_caller_on_oclgrind()) /* which reports the intended failure */
        skip();
    skip_if_failed_events_crash();
    fail_behind_a_gate(true);
    fail_behind_a_gate(false);
    for (size_t round = 0; round < 4; round++)
        pose_on_queue(caller.in_order, PM_CROWD_PALETTE);
}

CALLER_TEST(a_job_without_instances_still_gives_the_event_of_its_wait_list) {
    cl_event gate = gate_make();
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_job(&target, PM_CROWD_PALETTE, NULL);
    job.instance_count = 0;
    cl_event done = queue_pose(&job, caller.in_order, gate);
    assert_false(is_complete(done));
    gate_open(gate);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
}

/* The instances are overwritten while the job still waits, in any number. */
CALLER_TEST(instances_are_copied_before_the_call_returns) {
    random_source source = random_salted(0xE04);
    static pm_crowd_instance instances[QUEUE_COUNT];
    for (size_t round = 0; round < 6; round++) {
        cl_event gate = gate_make();
        pm_cl_crowd_target target;
        pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
        scene_instances(&posed.scene, 0xE05 + round, QUEUE_COUNT, instances);
        SCOPED(guarded_free_at)
        float *expected = queue_expectation(&posed.scene, instances, PM_CROWD_PALETTE);
        job.instances = instances;
        job.instance_count = 1 + random_bits(&source) % QUEUE_COUNT;
        cl_event done = queue_pose(&job, caller.in_order, gate);
        memset(instances, 0xFF, sizeof instances);
        gate_open(gate);
        SCOPED(free_at)
        float *results = caller_read(target.buffer, queue_bytes(PM_CROWD_PALETTE), done);
        const size_t width = scene_floats(&posed.scene, PM_CROWD_PALETTE, 1);
        expect_same_bits(results, expected, job.instance_count * width, width);
    }
}

/* A list of no events may have an address, such as that of an empty array. */
CALLER_TEST(an_empty_wait_list_may_have_an_address) {
    cl_event none[1] = {NULL}, done = NULL;
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    for (size_t round = 0; round < 2; round++, job.instance_count = 0) {
        expect_success(pm_cl_crowd_pose(posed.scene.crowd, &job, caller.in_order, 0, none, &done,
                                        new_error()));
        caller_keep_event(done);
        assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
        queue_expect(target.buffer, PM_CROWD_PALETTE, posed.expected[PM_CROWD_PALETTE], NULL);
    }
}

/* ---- concurrent jobs --------------------------------------------------------------------------- */

/* More frames in progress than there are copies of instances, of different sizes. */
CALLER_TEST(frames_in_progress_keep_their_instances) {
    enum { FRAMES = 7 };
    static pm_crowd_instance instances[FRAMES][QUEUE_COUNT];
    pm_cl_crowd_target targets[FRAMES];
    cl_event done[FRAMES], gate = gate_make();
    cl_command_queue queue = loose_queue();
    for (size_t f = 0; f < FRAMES; f++) {
        scene_instances(&posed.scene, 0xE10 + f, QUEUE_COUNT, instances[f]);
        pm_cl_crowd_job job = queue_new_job(&targets[f], PM_CROWD_PALETTE);
        job.instances = instances[f];
        done[f] = queue_pose(&job, queue, f == 0 ? gate : NULL);
    }
    flush_waiting(queue);
    gate_open(gate);
    assert_int_equal(clFlush(queue), CL_SUCCESS);
    for (size_t f = 0; f < FRAMES; f++) {
        SCOPED(guarded_free_at)
        float *expected = queue_expectation(&posed.scene, instances[f], PM_CROWD_PALETTE);
        queue_expect(targets[f].buffer, PM_CROWD_PALETTE, expected, done[f]);
    }
}

typedef struct poser {
    pthread_t thread;
    cl_command_queue queue;
    pm_crowd_instance instances[QUEUE_COUNT];
    float *expected;
    pm_crowd_output output;
    bool right;
} poser;

/* cmocka's assertions belong to the main thread. */
static void *pose_often(void *context) {
    poser *p = context;
    const size_t bytes = queue_bytes(p->output);
    SCOPED(free_at) float *results = malloc(bytes);
    cl_int status = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(caller.context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    pm_cl_crowd_job job = {.instances = p->instances, .instance_count = QUEUE_COUNT};
    job.outputs = &(pm_cl_crowd_target){.output = p->output, .buffer = buffer};
    job.output_count = 1;
    p->right = status == CL_SUCCESS && results != NULL;
    for (size_t round = 0; p->right && round < (small_sizes() ? 3u : 40u); round++) {
        cl_event done = NULL;
        p->right =
            pm_cl_crowd_pose(posed.scene.crowd, &job, p->queue, 0, NULL, &done, NULL) == PM_OK &&
            clEnqueueReadBuffer(p->queue, buffer, CL_TRUE, 0, bytes, results, 1, &done, NULL) ==
                CL_SUCCESS &&
            memcmp(results, p->expected, bytes) == 0;
        if (done)
            clReleaseEvent(done);
    }
    if (buffer)
        clReleaseMemObject(buffer);
    return NULL;
}

CALLER_TEST(threads_may_pose_one_crowd_concurrently) {
    enum { THREADS = 4 };
    static poser posers[THREADS];
    if (is_caller_on_oclgrind())
        skip();
    for (size_t t = 0; t < THREADS; t++) {
        poser *p = &posers[t];
        p->output = t % 2 ? PM_CROWD_LOCAL : PM_CROWD_PALETTE;
        p->queue = queue_of(caller.context, caller.device);
        scene_instances(&posed.scene, 0xE20 + t, QUEUE_COUNT, p->instances);
        p->expected = queue_expectation(&posed.scene, p->instances, p->output);
        assert_int_equal(pthread_create(&p->thread, NULL, pose_often, p), 0);
    }
    for (size_t t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(posers[t].thread, NULL), 0);
    for (size_t t = 0; t < THREADS; t++) {
        assert_true(posers[t].right);
        guarded_free(posers[t].expected);
        clReleaseCommandQueue(posers[t].queue);
    }
}

/* ---- update intervals and lifetimes --------------------------------------------------------------- */

CALLER_TEST(instances_that_are_not_updated_keep_the_content_of_the_buffer) {
    enum { EVERY = 3 };
    scene *s = &posed.scene;
    scene_undo(s);
    s->levels[1].update_every = EVERY;
    scene_finish(caller.engine, s);
    const size_t width = scene_floats(s, PM_CROWD_PALETTE, 1);
    for (uint64_t frame = 0; frame < EVERY; frame++) {
        pm_cl_crowd_target target;
        pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
        job.frame = frame;
        cl_event done = queue_pose(&job, caller.in_order, NULL);
        SCOPED(free_at)
        float *got = caller_read(target.buffer, queue_bytes(PM_CROWD_PALETTE), done);
        for (size_t i = 0; i < QUEUE_COUNT; i++) {
            const bool kept = posed.instances[i].level == 1 && (frame + i / 16) % EVERY != 0;
            for (size_t k = i * width; k < (i + 1) * width; k++)
                assert_true(
                    kept ? is_poison(got[k])
                         : memcmp(&got[k], &posed.expected[PM_CROWD_PALETTE][k], sizeof *got) == 0);
        }
    }
    scene_undo(s);
    s->levels[1].update_every = 0;
    scene_finish(caller.engine, s);
}

/* Objects that a crowd made or kept for a frame are destroyed with it, and the results remain. */
CALLER_TEST(a_crowd_releases_the_callers_objects) {
    scene_undo(&posed.scene);
    pm_cl_crowd_target target;
    const pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_DUAL);
    const cl_uint before = references(caller.context); /* the buffer's included */
    scene_finish(caller.engine, &posed.scene);
    cl_event done = NULL;
    expect_success(
        pm_cl_crowd_pose(posed.scene.crowd, &job, caller.in_order, 0, NULL, &done, new_error()));
    assert_int_equal(clFinish(caller.in_order), CL_SUCCESS);
    scene_undo(&posed.scene);
    queue_expect(target.buffer, PM_CROWD_DUAL, posed.expected[PM_CROWD_DUAL], NULL);
    clReleaseEvent(done);
    const cl_uint of_buffer = references_at_last(buffer_references, target.buffer, 1);
    assert_int_equal(clFinish(caller.in_order), CL_SUCCESS);
    const cl_uint of_context = references_at_last(references, caller.context, before);
    scene_finish(caller.engine, &posed.scene);
    assert_int_equal(of_buffer, 1);
    assert_true(of_context <= before);
}

/* ---- layers, lists and poses in buffers --------------------------------------------------- */

static pm_cl_input input_of(const void *data, size_t bytes, size_t offset, bool in_buffer) {
    return in_buffer ? input_in_buffer(data, bytes, offset) : (pm_cl_input){.memory = data};
}

typedef struct layered {
    pm_crowd_layer layers[QUEUE_COUNT];
    pm_crowd_range ranges[QUEUE_COUNT];
    uint32_t indices[QUEUE_COUNT];
} layered;

static void make_layers(layered *l) {
    for (uint32_t i = 0; i < QUEUE_COUNT; i++) {
        const pm_crowd_instance *from = &posed.instances[i];
        l->layers[i] = (pm_crowd_layer){
            .time = from->time_b, .clip = from->clip_b, .weight = 0.5f, .op = (uint8_t)(i % 3)};
        l->ranges[i] = (pm_crowd_range){i, i % 11};
        l->indices[i] = i % 7 == 6 ? QUEUE_COUNT + i : i * 3 % QUEUE_COUNT;
    }
}

static void expect_layered(const layered *l, uint32_t instance, const float *record) {
    float one[QUEUE_JOINTS * 12];
    const size_t left = QUEUE_COUNT - l->ranges[instance].first;
    const pm_crowd_one from = {
        .instance = &posed.instances[instance],
        .layers = l->layers + l->ranges[instance].first,
        .layer_count = l->ranges[instance].count < left ? l->ranges[instance].count : left,
        .output = PM_CROWD_MODEL};
    expect_success(pm_crowd_pose_one(posed.scene.crowd, &from, one, new_error()));
    expect_same_bits(record, one, QUEUE_JOINTS * 12, 12);
}

/* The records of `wanted` entries, packed or in the places of instances; the pattern of the buffer
 * elsewhere. */
static void expect_listed(const layered *l, const pm_cl_crowd_job *job, uint32_t wanted,
                          cl_mem buffer, cl_event done) {
    const size_t width = (size_t)QUEUE_JOINTS * 12;
    uint32_t writer[QUEUE_COUNT]; /* the instance of each record; QUEUE_COUNT: none */
    for (size_t i = 0; i < QUEUE_COUNT; i++)
        writer[i] = QUEUE_COUNT;
    for (uint32_t e = 0; e < wanted; e++)
        if (l->indices[e] < QUEUE_COUNT)
            writer[job->packed ? e : l->indices[e]] = l->indices[e];
    SCOPED(free_at) float *records = caller_read(buffer, QUEUE_COUNT * width * sizeof(float), done);
    SCOPED(free_at)
    float *untouched = caller_read(caller_buffer(sizeof *records), sizeof *records, NULL);
    for (size_t i = 0; i < QUEUE_COUNT; i++)
        if (writer[i] < QUEUE_COUNT)
            expect_layered(l, writer[i], records + i * width);
        else
            for (size_t k = 0; k < width; k++)
                assert_memory_equal(&records[i * width + k], untouched, sizeof *records);
}

CALLER_TEST(lists_and_layers_may_be_in_buffers_and_counted_on_the_device) {
    static const uint32_t counts[] = {0, 1, 16, 17, QUEUE_COUNT, 1000};
    static layered l;
    make_layers(&l);
    for (size_t n = 0; n < 2 * COUNT_OF(counts); n++) {
        const uint32_t count = counts[n / 2], most = count < QUEUE_COUNT ? count : QUEUE_COUNT;
        const bool in_buffer = n % 2;
        pm_cl_crowd_target target;
        pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_MODEL);
        job.layers = input_of(l.layers, sizeof l.layers, 40, in_buffer);
        job.layer_count = QUEUE_COUNT;
        job.ranges = input_of(l.ranges, sizeof l.ranges, 8, in_buffer);
        job.indices = input_of(l.indices, sizeof l.indices, 24, in_buffer);
        job.counted = input_of(&count, sizeof count, 16, in_buffer);
        job.packed = n / 2 % 2;
        cl_event done = queue_pose(&job, caller.in_order, NULL);
        expect_listed(&l, &job, most, target.buffer, done);
    }
}

/* By the CPU, of instances without clip B, which jobs on queues ignore. */
static float *expected_bodies(pm_crowd_output output, const pm_placement *placements,
                              const float *speeds) {
    pm_crowd_instance alone[QUEUE_COUNT];
    memcpy(alone, posed.instances, sizeof alone);
    for (size_t i = 0; i < QUEUE_COUNT; i++)
        alone[i].weight = 0;
    float *records = guarded_floats(queue_bytes(output) / sizeof *records);
    const pm_crowd_target target = {.output = output, .memory = records};
    const pm_crowd_job job = {.instances = alone,
                              .instance_count = QUEUE_COUNT,
                              .outputs = &target,
                              .output_count = 1,
                              .placements = placements,
                              .speeds = speeds,
                              .on_reference = true};
    expect_success(pm_crowd_pose(posed.scene.crowd, &job, new_error()));
    return records;
}

CALLER_TEST(placements_and_speeds_may_be_in_buffers) {
    static const pm_crowd_output outputs[] = {PM_CROWD_BODY_POS, PM_CROWD_BODY_ANG_VEL};
    random_source source = random_salted(0xE77);
    pm_placement placements[QUEUE_COUNT];
    float speeds[QUEUE_COUNT];
    for (size_t i = 0; i < QUEUE_COUNT; i++) {
        double q[4];
        random_quaternion(&source, q);
        for (size_t c = 0; c < 4; c++)
            placements[i].rotation[c] = (float)q[c];
        for (size_t c = 0; c < 4; c++)
            placements[i].position[c] = (float)random_between(&source, -3, 3);
        speeds[i] = (float)random_between(&source, -2, 2);
    }
    for (unsigned n = 0; n < 2; n++) {
        pm_cl_crowd_target targets[2];
        pm_cl_crowd_job job = queue_new_job(&targets[0], outputs[0]);
        (void)queue_new_job(&targets[1], outputs[1]);
        job.output_count = 2;
        job.placements = input_of(placements, sizeof placements, 48, n);
        job.speeds = input_of(speeds, sizeof speeds, 24, n);
        cl_event done = queue_pose(&job, caller.in_order, NULL);
        for (size_t t = 0; t < 2; t++) {
            SCOPED(guarded_free_at)
            float *expected = expected_bodies(outputs[t], placements, speeds);
            queue_expect(targets[t].buffer, outputs[t], expected, done);
        }
    }
}

CALLER_TEST(goals_and_the_ground_may_be_in_buffers) {
    enum { USES = 3, GAP = 1, ROW = USES + GAP };
    static const pm_chain_use uses[USES] = {{1, 0}, {0, PM_CHAIN_IN_WORLD}, {3, PM_CHAIN_IN_WORLD}};
    static const pm_height_field field = {{-4, -5}, 3, 3, 4};
    static const float heights[4][3] = {{0, 1, 0.5f}, {0.25f, 0, 2}, {1, 1, 0}, {0, 0.5f, 0.75f}};
    enum { STATE = 48, STATES = QUEUE_COUNT * (STATE + 16) };
    static pm_chain_goal goals[QUEUE_COUNT * ROW];
    static _Alignas(16) unsigned char states[STATES], stepped[STATES], found[STATES];
    random_source source = random_salted(0xE78);
    pm_placement placements[QUEUE_COUNT];
    memset(goals, 0, sizeof goals);
    for (size_t i = 0; i < QUEUE_COUNT; i++) {
        placements[i] = (pm_placement){{0, 0.6f, 0, 0.8f}, {(float)i, 1, 2, 0}};
        for (size_t k = 0; k < USES; k++) {
            pm_chain_goal *g = &goals[i * ROW + k];
            g->weight = (float)random_unit(&source);
            g->rotation_weight = (float)random_unit(&source);
            g->rotation[i % 4] = 1;
            for (size_t c = 0; c < 3; c++)
                g->position[c] = (float)random_between(&source, -3, 3);
        }
        const pm_stand_goal stands = {
            .weight = 1, .tilt = 0.5f, .lowest = -1, .highest = 1, .release = 2};
        for (size_t c = 0; c < 7; c++) /* a foot that left the ground at 0 */
            memcpy(states + i * (STATE + 16) + 4 * c, &(float){(float)random_unit(&source) / 4}, 4);
        memcpy(states + i * (STATE + 16) + 12, &(uint32_t){2}, 4);
        memcpy(&goals[i * ROW + 2], &stands, sizeof stands);
    }
    for (unsigned n = 0; n < 4; n++) {
        const pm_crowd_output output = n < 2 ? PM_CROWD_PALETTE : PM_CROWD_LOCAL;
        pm_cl_crowd_target target;
        pm_cl_crowd_job job = queue_new_job(&target, output);
        job.chains = uses;
        job.chain_count = USES;
        job.ground = field;
        job.heights = input_of(heights, sizeof heights, 24, n % 2);
        job.goals = input_of(goals, sizeof goals, 48, n % 2);
        job.goal_stride = ROW * sizeof *goals;
        job.placements = input_of(placements, sizeof placements, 32, n % 2);
        job.transition_time = pm_crowd_ticks(0.5);
        job.plant_stride = STATE + 16;
        if (n % 2) {
            job.plants.memory = states;
            expect_error(pm_cl_crowd_pose(posed.scene.crowd, &job, caller.in_order, 0, NULL, NULL,
                                          new_error()),
                         PM_ERROR_ARGUMENT, "plants");
            job.plants = input_in_buffer(states, sizeof states, 48);
        }
        memcpy(stepped, states, sizeof states);
        cl_event done = queue_pose(&job, n < 2 ? caller.in_order : caller_queue(), NULL);
        const size_t width = scene_floats(&posed.scene, output, 1);
        SCOPED(guarded_free_at) float *expected = guarded_floats(QUEUE_COUNT * width);
        for (size_t i = 0; i < QUEUE_COUNT; i++)
            expect_success(pm_crowd_pose_one(
                posed.scene.crowd,
                &(pm_crowd_one){.instance = &posed.instances[i],
                                .output = output,
                                .chains = uses,
                                .chain_count = USES,
                                .goals = goals + i * ROW,
                                .ground = field,
                                .heights = heights[0],
                                .placement = &placements[i],
                                .plants = n % 2 ? stepped + i * (STATE + 16) : NULL,
                                .transition_time = job.transition_time},
                expected + i * width, new_error()));
        queue_expect(target.buffer, output, expected, done);
        if (n % 2)
            read_buffer(caller.in_order, job.plants.buffer, 48, sizeof found, found);
        for (size_t i = 0; i < QUEUE_COUNT && n % 2; i++)
            assert_memory_equal(found + i * (STATE + 16), stepped + i * (STATE + 16), STATE);
    }
}

CALLER_TEST(states_of_transitions_may_be_in_buffers) {
    const size_t bytes = pm_crowd_transition_bytes(posed.scene.crowd), stride = bytes + 16;
    random_source source = random_salted(0xE79);
    SCOPED(free_at) unsigned char *states = test_array(QUEUE_COUNT, stride);
    for (size_t i = 0; i < QUEUE_COUNT * stride; i++)
        states[i] = (unsigned char)random_bits(&source);
    for (size_t i = 0; i < QUEUE_COUNT; i++) {
        const int64_t time = (int64_t)random_bits(&source) % pm_crowd_ticks(1);
        memcpy(states + i * stride, &time, sizeof time);
        memcpy(states + i * stride + 8, &(float){i % 3 ? 2 : 0.1f}, sizeof(float));
    }
    for (unsigned n = 0; n < 4; n++) {
        const pm_crowd_output output = n < 2 ? PM_CROWD_PALETTE : PM_CROWD_BOUNDS;
        pm_cl_crowd_target target;
        pm_cl_crowd_job job = queue_new_job(&target, output);
        job.transitions = input_of(states, QUEUE_COUNT * stride, 48, n % 2);
        job.transition_stride = stride;
        job.transition_time = pm_crowd_ticks(0.5);
        cl_event done = queue_pose(&job, n < 2 ? caller.in_order : caller_queue(), NULL);
        const size_t width = scene_floats(&posed.scene, output, 1);
        SCOPED(guarded_free_at) float *expected = guarded_floats(QUEUE_COUNT * width);
        for (size_t i = 0; i < QUEUE_COUNT; i++)
            expect_success(
                pm_crowd_pose_one(posed.scene.crowd,
                                  &(pm_crowd_one){.instance = &posed.instances[i],
                                                  .output = output,
                                                  .transition = states + i * stride,
                                                  .transition_time = job.transition_time},
                                  expected + i * width, new_error()));
        queue_expect(target.buffer, output, expected, done);
    }
}

/* States that a queue captures, of layers, of a transition that still runs, of levels that skip frames and lack joints
 * and of any bytes, are those of the host but for the rates of the root; other instances keep theirs. */
static void expect_begun(const scene *s, uint64_t salt) {
    enum { NOBODY = 5, ROOT = 16, ROOT_BYTES = 24 };
    const size_t bytes = pm_crowd_transition_bytes(s->crowd), stride = bytes + 16;
    const size_t pose = scene_floats(s, PM_CROWD_LOCAL, 1) * sizeof(float);
    random_source source = random_salted(salt);
    static layered l;
    make_layers(&l);
    for (unsigned n = 0; n < 8; n++) {
        const bool in_buffer = n % 2, listed = n / 2 % 2, any = n >= 4;
        pm_crowd_instance casts[4][QUEUE_COUNT];
        pm_crowd_job host[4];
        pm_cl_crowd_job jobs[4];
        SCOPED(free_at) unsigned char *states = test_array(QUEUE_COUNT, stride);
        SCOPED(free_at) unsigned char *found = test_array(QUEUE_COUNT, stride);
        uint32_t list[QUEUE_COUNT], count = QUEUE_COUNT - 1;
        for (size_t i = 0; i < QUEUE_COUNT * stride; i++)
            states[i] = (unsigned char)random_bits(&source);
        for (size_t i = 0; i < QUEUE_COUNT; i++) {
            const float duration = 2;
            memset(states + i * stride, 0, 8);
            memcpy(states + i * stride + 8, &duration, sizeof duration);
            list[i] = (uint32_t)(i % NOBODY ? (7 * i) % QUEUE_COUNT : i + QUEUE_COUNT);
        }
        for (size_t k = 0; k < 4; k++) {
            scene_instances(s, salt + 2 * n + k / 2, QUEUE_COUNT, casts[k]);
            for (size_t i = 0; i < QUEUE_COUNT; i++) {
                unsigned char *of = (unsigned char *)&casts[k][i];
                for (size_t b = 0; any && b < sizeof casts[k][i]; b++)
                    of[b] = (unsigned char)random_bits(&source);
                casts[k][i].time_a -= k % 2 ? 0 : pm_crowd_ticks(1.0 / 60);
            }
            host[k] = (pm_crowd_job){.instances = casts[k],
                                     .instance_count = QUEUE_COUNT,
                                     .layers = l.layers,
                                     .layer_count = QUEUE_COUNT,
                                     .ranges = l.ranges,
                                     .transitions = k < 2 ? states : NULL,
                                     .transition_stride = stride,
                                     .transition_time = pm_crowd_ticks(0.5 + 0.1 * (double)k)};
            jobs[k] =
                (pm_cl_crowd_job){.instances = casts[k],
                                  .instance_count = QUEUE_COUNT,
                                  .layers = input_of(l.layers, sizeof l.layers, 40, in_buffer),
                                  .layer_count = QUEUE_COUNT,
                                  .ranges = input_of(l.ranges, sizeof l.ranges, 8, in_buffer),
                                  .transition_stride = stride,
                                  .transition_time = host[k].transition_time};
        }
        cl_mem buffer = input_in_buffer(states, QUEUE_COUNT * stride, 48).buffer;
        jobs[0].transitions = jobs[1].transitions = (pm_cl_input){.buffer = buffer, .offset = 48};
        pm_crowd_transition of_host = {.before = {&host[0], &host[1]},
                                       .after = {&host[2], &host[3]},
                                       .step = pm_crowd_ticks(1.0 / 60),
                                       .time = pm_crowd_ticks(0.6),
                                       .duration = 0.5f,
                                       .states = states,
                                       .stride = stride};
        pm_cl_crowd_transition change = {.before = {&jobs[0], &jobs[1]},
                                         .after = {&jobs[2], &jobs[3]},
                                         .step = of_host.step,
                                         .time = of_host.time,
                                         .duration = of_host.duration,
                                         .states = buffer,
                                         .states_offset = 48,
                                         .stride = stride,
                                         .work = caller_buffer(4 * QUEUE_COUNT * pose + 32),
                                         .work_offset = 32};
        if (listed) {
            of_host.indices = list;
            of_host.index_count = count;
            change.indices = input_of(list, sizeof list, 24, in_buffer);
            change.counted = input_of(&count, sizeof count, 16, in_buffer);
            change.index_count = QUEUE_COUNT;
        }
        cl_event done = NULL;
        cl_command_queue queue = n % 3 ? caller.in_order : loose_queue();
        expect_success(
            pm_cl_crowd_begin_transitions(s->crowd, &change, queue, 0, NULL, &done, new_error()));
        assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
        clReleaseEvent(done);
        read_buffer(caller.in_order, buffer, 48, QUEUE_COUNT * stride, found);
        expect_success(pm_crowd_begin_transitions(s->crowd, &of_host, new_error()));
        for (size_t i = 0; i < QUEUE_COUNT; i++) {
            bool begins = !listed;
            for (size_t k = 0; listed && k < count; k++)
                begins = begins || list[k] == i;
            for (size_t b = ROOT; begins && b < ROOT + ROOT_BYTES; b++)
                assert_int_equal(found[i * stride + b], 0);
            if (begins)
                memset(states + i * stride + ROOT, 0, ROOT_BYTES);
        }
        assert_memory_equal(found, states, QUEUE_COUNT * stride);
    }
}

CALLER_TEST(a_queue_begins_transitions_as_the_host_does) {
    const scene_options options[] = {
        {.salt = 0xE80, .looped = true},
        {.salt = 0xE90, .scales = true, .rest_scales = true, .times = SCENE_LISTED},
        {.salt = 0xEA0, .root_positions = true, .times = SCENE_PER_JOINT},
        {.salt = 0xEB0, .without_positions = true, .key_format = PM_KEYS_SMALLEST48}};
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        SCOPED(scene_free) scene s;
        scene_make(caller.engine, &options[i], &s);
        scene_undo(&s);
        s.levels[1].update_every = 3;
        scene_finish(caller.engine, &s);
        expect_begun(&s, options[i].salt);
    }
}

CALLER_TEST(changes_that_a_queue_cannot_begin_are_refused) {
    const size_t bytes = pm_crowd_transition_bytes(posed.scene.crowd);
    const size_t pose = queue_bytes(PM_CROWD_LOCAL) / QUEUE_COUNT;
    const size_t work = 4 * QUEUE_COUNT * pose;
    const uint32_t list[2] = {0, 1};
    pm_cl_crowd_job job = {.instances = posed.instances, .instance_count = QUEUE_COUNT};
    pm_cl_crowd_job other = job;
    const pm_cl_crowd_transition good = {
        .before = {&job, &job},
        .after = {&job, &job},
        .step = 1 << 20,
        .duration = 1,
        .states = caller_keep_buffer(buffer_of(caller.context, 0, QUEUE_COUNT * bytes, NULL)),
        .work = caller_keep_buffer(buffer_of(caller.context, 48, work, NULL)),
        .work_offset = 48};
    pm_cl_crowd_transition bad = good;
#define BEGIN                                                                                      \
    pm_cl_crowd_begin_transitions(posed.scene.crowd, &bad, caller.in_order, 0, NULL, NULL,         \
                                  new_error())
#define REFUSED(change, words)                                                                     \
    do {                                                                                           \
        bad = good;                                                                                \
        other = job;                                                                               \
        change;                                                                                    \
        expect_error(BEGIN, PM_ERROR_ARGUMENT, words);                                             \
    } while (0)
    expect_success(BEGIN);
    expect_next_refused(pm_cl_crowd_transition, bad, last_error(), BEGIN);
    REFUSED(bad.after[1] = NULL, "two jobs");
    REFUSED(bad.step = 0, "step");
    REFUSED(bad.duration = NAN, "duration");
    REFUSED(bad.states = NULL, "states");
    REFUSED(bad.work = NULL, "work");
    REFUSED(bad.work_offset += 16, "work");
    REFUSED(bad.work_offset -= 8, "work");
    REFUSED(bad.states_offset += 16, "states");
    REFUSED(bad.stride = bytes + 16, "states");
    REFUSED(bad.stride = bytes - 16, "stride");
    REFUSED(bad.stride = bytes + 4, "stride");
    REFUSED(bad.index_count = 1, "indices");
    REFUSED((bad.indices.memory = list, bad.index_count = 2, bad.indices.buffer = good.work),
            "indices");
    REFUSED((other.transitions.buffer = good.states, bad.after[0] = &other), "after");
    REFUSED((other.instance_count = 3, bad.before[0] = &other), "numbers of instances");
    REFUSED((other.instances = NULL, bad.before[0] = &other), "instances");
#undef BEGIN
#undef REFUSED
    clFinish(caller.in_order);
}

CALLER_TEST(an_empty_list_poses_nothing) {
    const uint32_t none = 0;
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_MODEL);
    job.indices.memory = &none;
    cl_event done = queue_pose(&job, caller.in_order, NULL);
    layered l = {.indices = {0}};
    expect_listed(&l, &job, 0, target.buffer, done);
}

/* What a kernel between both jobs would change is left as it is. */
CALLER_TEST(two_jobs_on_a_queue_may_be_chained_by_local_poses) {
    const unsigned step = long_sweeps() ? 1 : 4; /* outputs: each is compiled */
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o += step) {
        pm_cl_crowd_target local, target;
        const pm_cl_crowd_job first = queue_new_job(&local, PM_CROWD_LOCAL);
        pm_cl_crowd_job second = queue_new_job(&target, o);
        second.instances = NULL;
        second.poses = (pm_cl_input){.buffer = local.buffer, .offset = CALLER_OFFSET};
        queue_pose(&first, caller.in_order, NULL);
        cl_event done = queue_pose(&second, caller.in_order, NULL);
        queue_expect(target.buffer, o, posed.expected[o], done);
    }
}

TEST_GROUP_ON_DEVICE(queue_open, queue_close)
