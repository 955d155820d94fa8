/* SPDX-License-Identifier: MIT
 *
 * Failure injection for crowds: the Nth OpenCL call, buffer or allocation fails while skeletons and
 * crowds are made, posed and asked for root motion. Also the memory that commands of a failed job
 * may still access.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include <posemill/posemill_cl.h>

#include "support/cache_folder.h"
#include "support/cl_objects.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/faults.h"
#include "support/injection.h"
#include "support/motion.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { COUNT = 19, JOINTS = 4, OUTPUTS = 2 };

static const pm_crowd_output outputs[OUTPUTS] = {PM_CROWD_PALETTE, PM_CROWD_DUAL};

struct stage {
    void **state;
    pm_engine *engine;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    float *records[OUTPUTS];
    pm_root_motion motions[COUNT];
    size_t event_count;
    int64_t synced;
    uint32_t id; /* of a clip that is added */
    cl_command_queue queue;
    cl_mem buffers[OUTPUTS], previous, instances; /* instances NULL: in host memory */
    cl_event gate;
    pm_crowd_instance *own; /* the instances, in separate memory pages; or NULL */
};

static scene material; /* its descriptions are used, and its crowd is on the reference */
static pm_crowd_instance instances[COUNT], after[COUNT];
static float *expected[OUTPUTS];
static const pm_crowd_marker steps[] = {{.tick = 0, .id = 1}, {.tick = 9, .id = 70000}};
static const pm_crowd_markers markers[] = {{steps, 2, NULL}, {steps, 2, NULL}};
static pm_root_motion expected_root_motions[COUNT];
static const char *cache; /* programs are read from here, so that a fault costs no build */

static size_t floats_of(unsigned o) {
    return scene_floats(&material, outputs[o], COUNT);
}

/* ---- runs ------------------------------------------------------------------------------ */

static pm_status create_skeleton(stage *s, pm_error *error) {
    pm_skeleton_desc desc = material.skeleton_desc;
    desc.host = faults_host;
    return pm_skeleton_create(&desc, &s->skeleton, error);
}

static pm_status create_crowd(stage *s, pm_error *error) {
    const pm_crowd_desc desc = {.skeleton = s->skeleton,
                                .clips = material.clips,
                                .clip_count = material.clip_count,
                                .markers = markers};
    return pm_crowd_create(s->engine, &desc, &s->crowd, error);
}

static pm_status pose(stage *s, pm_error *error) {
    pm_crowd_target targets[OUTPUTS];
    const pm_crowd_job job = {.instances = instances,
                              .instance_count = COUNT,
                              .outputs = targets,
                              .output_count = OUTPUTS};
    for (unsigned o = 0; o < OUTPUTS; o++)
        targets[o] = (pm_crowd_target){.output = outputs[o], .memory = s->records[o]};
    return pm_crowd_pose(s->crowd, &job, error);
}

static pm_status root_motion(stage *s, pm_error *error) {
    return pm_crowd_root_motion(s->crowd, instances, after, COUNT, s->motions, error);
}

static pm_status find_events(stage *s, pm_error *error) {
    return pm_crowd_events(s->crowd, instances, after, COUNT, NULL, 0, &s->event_count, error);
}

static pm_status synchronise(stage *s, pm_error *error) {
    return pm_crowd_synced_time(s->crowd, 0, 9, 1, &s->synced, error);
}

static pm_status add_clip(stage *s, pm_error *error) {
    return pm_crowd_add_clips(s->crowd, &material.clips[1], markers, 1, &s->id, error);
}

static pm_status remove_clip(stage *s, pm_error *error) {
    return pm_crowd_remove_clips(s->crowd, &s->id, 1, error);
}

static pm_status pose_on_queue(stage *s, pm_error *error) {
    const pm_crowd_instance *in_memory = s->own ? s->own : instances;
    pm_cl_crowd_target targets[OUTPUTS];
    const pm_cl_crowd_job job = {.instances = s->instances ? NULL : in_memory,
                                 .instance_buffer = s->instances,
                                 .instance_count = COUNT,
                                 .outputs = targets,
                                 .output_count = OUTPUTS};
    cl_event done = NULL;
    for (unsigned o = 0; o < OUTPUTS; o++)
        targets[o] = (pm_cl_crowd_target){.output = outputs[o], .buffer = s->buffers[o]};
    targets[0].previous = s->previous;
    const pm_status status = pm_cl_crowd_pose(s->crowd, &job, s->queue, 1, &s->gate, &done, error);
    assert_true((status == PM_OK) == (done != NULL));
    if (done)
        clReleaseEvent(done);
    return status;
}

/* ---- input of runs ----------------------------------------------------------------------- */

static void prepare_engine(stage *s) {
    s->engine =
        engine_with(s->state, &(pm_engine_desc){.cache_folder = cache, .host = faults_host});
}

static void prepare_skeleton(stage *s) {
    prepare_engine(s);
    expect_success(create_skeleton(s, new_error()));
}

static void prepare_crowd(stage *s) {
    prepare_skeleton(s);
    expect_success(create_crowd(s, new_error()));
}

static void prepare_warm(stage *s) {
    prepare_crowd(s);
    expect_success(pose(s, new_error()));
}

static void prepare_room(stage *s) {
    prepare_crowd(s);
    expect_success(add_clip(s, new_error()));
}

static void prepare_queue(stage *s) {
    prepare_crowd(s);
    const cl_context context = pm_cl_context(s->engine);
    s->queue = queue_of(context, pm_cl_device(s->engine));
    s->gate = clCreateUserEvent(context, NULL);
    assert_non_null(s->gate);
    assert_int_equal(clSetUserEventStatus(s->gate, CL_COMPLETE), CL_SUCCESS);
    for (unsigned o = 0; o < OUTPUTS; o++)
        s->buffers[o] = buffer_of(context, 0, floats_of(o) * sizeof(float), NULL);
    s->previous = buffer_of(context, 0, floats_of(0) * sizeof(float), NULL);
}

static void prepare_warm_queue(stage *s) {
    prepare_queue(s);
    expect_success(pose_on_queue(s, new_error()));
    assert_int_equal(clFinish(s->queue), CL_SUCCESS);
}

static void prepare_instance_buffer(stage *s) {
    prepare_queue(s);
    s->instances = buffer_of(pm_cl_context(s->engine), 0, sizeof instances, instances);
}

/* A job that waits for a closed gate. */
static void prepare_closed_gate(stage *s) {
    prepare_warm_queue(s);
    clReleaseEvent(s->gate);
    s->gate = clCreateUserEvent(pm_cl_context(s->engine), NULL);
    s->own =
        mmap(NULL, sizeof instances, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(s->gate && s->own != MAP_FAILED);
    memcpy(s->own, instances, sizeof instances);
}

/* Commands enqueued before a failure may still run: the buffers live until these are done. */
static void read_queue(const stage *s) {
    assert_int_equal(clFinish(s->queue), CL_SUCCESS);
    for (unsigned o = 0; o < OUTPUTS; o++)
        read_buffer(s->queue, s->buffers[o], 0, floats_of(o) * sizeof(float), s->records[o]);
}

static void close_queue(stage *s) {
    if (!s->queue)
        return;
    assert_int_equal(clFinish(s->queue), CL_SUCCESS);
    for (unsigned o = 0; o < OUTPUTS; o++)
        clReleaseMemObject(s->buffers[o]);
    clReleaseMemObject(s->previous);
    if (s->instances)
        clReleaseMemObject(s->instances);
    clReleaseEvent(s->gate);
    clReleaseCommandQueue(s->queue);
}

/* ---- expected results ---------------------------------------------------------------------- */

static void expect_records(const stage *s) {
    if (s->queue)
        read_queue(s);
    for (unsigned o = 0; o < OUTPUTS; o++)
        expect_same_bits(s->records[o], expected[o], floats_of(o), 4);
}

/* The call has returned, so the instances belong to the caller again: a command that still reads
 * them when the gate opens crashes the process. */
static void expect_instances_let_go(const stage *s) {
    assert_int_equal(mprotect(s->own, sizeof instances, PROT_NONE), 0);
    assert_int_equal(clSetUserEventStatus(s->gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clFinish(s->queue), CL_SUCCESS);
    assert_int_equal(mprotect(s->own, sizeof instances, PROT_READ), 0);
}

static void expect_records_of_copies(const stage *s) {
    expect_instances_let_go(s);
    expect_records(s);
}

static void expect_root_motions(const stage *s) {
    assert_memory_equal(s->motions, expected_root_motions, sizeof expected_root_motions);
}

static void expect_events(const stage *s) {
    assert_true(s->event_count > 0);
}

static void expect_synced(const stage *s) {
    assert_true(s->synced == 9);
}

static void expect_clips(const stage *s, size_t count) {
    for (size_t n = 0; n < material.clip_count + 4; n++)
        assert_int_equal(pm_crowd_clip_ticks(s->crowd, n) != 0, n < count);
}

static void expect_one_more(const stage *s) {
    expect_clips(s, material.clip_count + 1);
}

static void expect_least_id(const stage *s) {
    assert_int_equal(s->id, material.clip_count);
    expect_one_more(s);
}

static void expect_two_more(const stage *s) {
    expect_clips(s, material.clip_count + 2);
}

static void expect_as_many(const stage *s) {
    expect_clips(s, material.clip_count);
}

static void expect_no_skeleton(const stage *s) {
    assert_null(s->skeleton);
}

static void expect_no_crowd(const stage *s) {
    assert_null(s->crowd);
}

void stage_open(stage *s) {
    *s = (stage){.state = s->state};
    for (unsigned o = 0; o < OUTPUTS; o++)
        s->records[o] = guarded_floats(floats_of(o));
}

void stage_poison(stage *s) {
    for (unsigned o = 0; o < OUTPUTS; o++)
        memset(s->records[o], 0xFF, floats_of(o) * sizeof(float));
}

static void expect_still_usable(stage *s) {
    if (!s->engine)
        prepare_engine(s);
    if (!s->skeleton)
        expect_success(create_skeleton(s, new_error()));
    if (!s->crowd)
        expect_success(create_crowd(s, new_error()));
    stage_poison(s);
    expect_success(s->queue ? pose_on_queue(s, new_error()) : pose(s, new_error()));
    expect_records(s);
    expect_success(root_motion(s, new_error()));
    expect_root_motions(s);
}

void stage_close(stage *s) {
    expect_still_usable(s);
    close_queue(s);
    if (s->own)
        assert_int_equal(munmap(s->own, sizeof instances), 0);
    pm_crowd_destroy(&s->crowd);
    pm_skeleton_destroy(&s->skeleton);
    pm_engine_destroy(&s->engine);
    for (unsigned o = 0; o < OUTPUTS; o++)
        guarded_free(s->records[o]);
}

void inject(const injection *row, void **state) {
    inject_all(row, &(stage){.state = state}, NULL);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static const scenario making_a_skeleton = {"making a skeleton", NULL, create_skeleton,
                                           .expect_undone = expect_no_skeleton};
static const scenario making_a_crowd = {"making a crowd", prepare_skeleton, create_crowd,
                                        .expect_undone = expect_no_crowd};
static const scenario cold = {"a first job", prepare_crowd, pose, .expect_done = expect_records};
static const scenario warm = {"a later job", prepare_warm, pose, .expect_done = expect_records};
static const scenario root_motion_job = {"root motion", prepare_crowd, root_motion,
                                         .expect_done = expect_root_motions};
static const scenario events_of_a_frame = {"events", prepare_crowd, find_events,
                                           .expect_done = expect_events};
static const scenario synced_clips = {"a synchronised time", prepare_crowd, synchronise,
                                      .expect_done = expect_synced};
/* Tables move the first time, and have room later. */
static const scenario adding_a_clip = {"adding a clip", prepare_crowd, add_clip,
                                       .expect_done = expect_least_id,
                                       .expect_undone = expect_as_many};
static const scenario adding_another = {"adding another clip", prepare_room, add_clip,
                                        .expect_done = expect_two_more,
                                        .expect_undone = expect_one_more};
static const scenario removing_a_clip = {"removing a clip", prepare_room, remove_clip,
                                         .expect_done = expect_as_many,
                                         .expect_undone = expect_one_more};
static const scenario queued = {"a first job on a queue", prepare_queue, pose_on_queue,
                                .expect_done = expect_records};
static const scenario later_frame = {"a later job on a queue", prepare_warm_queue, pose_on_queue,
                                     .expect_done = expect_records};
static const scenario of_a_buffer = {"a job of instances in a buffer", prepare_instance_buffer,
                                     pose_on_queue, .expect_done = expect_records};

static const scenario behind_a_gate = {"a job on a queue behind a gate", prepare_closed_gate,
                                       pose_on_queue, .expect_done = expect_records_of_copies,
                                       .expect_undone = expect_instances_let_go};

#define BOTH .is_on_both = true

static const injection rows[] = {
    {&making_a_skeleton, FAULT_ALLOCATION, .min = 5, BOTH},
    {&making_a_crowd, FAULT_ALLOCATION, .min = 10, BOTH},
    {&making_a_crowd, FAULT_ALLOCATION, .sticky = true, .min = 10, BOTH},
    {&cold, FAULT_ALLOCATION, BOTH},
    {&warm, FAULT_ALLOCATION, BOTH},
    {&cold, FAULT_ALLOCATION, .sticky = true, BOTH},
    {&root_motion_job, FAULT_ALLOCATION, BOTH},
    {&events_of_a_frame, FAULT_ALLOCATION, .min = 1, BOTH},
    {&synced_clips, FAULT_ALLOCATION, .min = 1, BOTH},
    {&adding_a_clip, FAULT_ALLOCATION, .min = 10, BOTH},
    {&adding_another, FAULT_ALLOCATION, .min = 10, BOTH},
    {&removing_a_clip, FAULT_ALLOCATION, .min = 5, BOTH},
    {&queued, FAULT_ALLOCATION, .min = 0},
    {&later_frame, FAULT_ALLOCATION, .min = 0},

    {&making_a_crowd, FAULT_CL, .min = 4},
    {&adding_a_clip, FAULT_CL, .min = 4},
    {&adding_another, FAULT_CL, .min = 4},
    {&removing_a_clip, FAULT_CL, .min = 1},
    {&cold, FAULT_CL, .min = 20},
    {&warm, FAULT_CL, .min = 10},
    {&warm, FAULT_CL, .sticky = true, .min = 10},
    {&queued, FAULT_CL, .min = 20},
    {&later_frame, FAULT_CL, .min = 10},
    {&of_a_buffer, FAULT_CL, .min = 20},
    {&later_frame, FAULT_CL, .sticky = true, .min = 10},

    {&behind_a_gate, FAULT_CL, .min = 10},
    {&behind_a_gate, FAULT_CL, .sticky = true, .min = 10},
    {&behind_a_gate, FAULT_ALLOCATION, .min = 0},

    {&making_a_crowd, FAULT_BUFFER, .min = 4},
    {&adding_a_clip, FAULT_BUFFER, .min = 4},
    {&cold, FAULT_BUFFER, .min = 0}, /* smaller pieces succeed */
    {&warm, FAULT_BUFFER, .sticky = true, .min = 2},
    {&queued, FAULT_BUFFER, .min = 2},
    {&queued, FAULT_BUFFER, .sticky = true, .min = 2},
};

/* ---- changes while a job waits ------------------------------------------------------------ */

/* Its clips are removed and others take their numbers and, without a job that waits, their memory. */
TEST_ON_DEVICE(a_job_that_waits_poses_the_clips_that_its_call_saw) {
    stage s = {.state = state};
    const uint32_t last = 1;
    uint32_t id;
    stage_open(&s);
    prepare_closed_gate(&s);
    stage_poison(&s);
    expect_success(pose_on_queue(&s, new_error()));
    expect_success(pm_crowd_remove_clips(s.crowd, &last, 1, new_error()));
    for (size_t n = 0; n < PM_CROWD_REUSE_AFTER; n++) {
        expect_success(pm_crowd_add_clips(s.crowd, &material.clips[0], NULL, 1, &id, new_error()));
        assert_int_not_equal(id, last);
        expect_success(pm_crowd_remove_clips(s.crowd, &id, 1, new_error()));
    }
    expect_success(add_clip(&s, new_error()));
    assert_int_equal(s.id, last);
    assert_int_equal(clSetUserEventStatus(s.gate, CL_COMPLETE), CL_SUCCESS);
    expect_records(&s);
    stage_close(&s);
}

/* ---- concurrent jobs of other queues ----------------------------------------------------- */

enum { MANY = 20000, JOBS = 5, FAILS = 2, MAX_TRIES = 200 };

/* Jobs of one crowd: the first waits on a separate queue, the others are on another. */
typedef struct many_jobs {
    stage s;
    cl_command_queue waiting;
    pm_crowd_instance *instances[JOBS];
    float *expected[JOBS][OUTPUTS];
    cl_mem buffers[JOBS][OUTPUTS];
} many_jobs;

static size_t many_floats(unsigned o) {
    return scene_floats(&material, outputs[o], MANY);
}

static void many_open(void **state, many_jobs *m) {
    *m = (many_jobs){.s = {.state = state}};
    stage_open(&m->s);
    prepare_queue(&m->s);
    m->waiting = queue_of(pm_cl_context(m->s.engine), pm_cl_device(m->s.engine));
    for (size_t j = 0; j < JOBS; j++) {
        m->instances[j] = test_array(MANY, sizeof *m->instances[j]);
        scene_instances(&material, 0xE82 + j, MANY, m->instances[j]);
        for (unsigned o = 0; o < OUTPUTS; o++) {
            m->expected[j][o] = scene_pose(&material, outputs[o], m->instances[j], MANY, true);
            m->buffers[j][o] =
                buffer_of(pm_cl_context(m->s.engine), 0, many_floats(o) * sizeof(float), NULL);
        }
    }
}

static void many_close(many_jobs *m) {
    for (size_t j = 0; j < JOBS; j++) {
        free(m->instances[j]);
        for (unsigned o = 0; o < OUTPUTS; o++) {
            guarded_free(m->expected[j][o]);
            clReleaseMemObject(m->buffers[j][o]);
        }
    }
    clReleaseCommandQueue(m->waiting);
    stage_close(&m->s);
}

static pm_status many_pose(many_jobs *m, size_t j, cl_command_queue queue, cl_event gate) {
    const pm_cl_crowd_target targets[OUTPUTS] = {
        {.output = outputs[0], .buffer = m->buffers[j][0]},
        {.output = outputs[1], .buffer = m->buffers[j][1]}};
    const pm_cl_crowd_job job = {.instances = m->instances[j],
                                 .instance_count = MANY,
                                 .outputs = targets,
                                 .output_count = OUTPUTS};
    return pm_cl_crowd_pose(m->s.crowd, &job, queue, gate ? 1 : 0, gate ? &gate : NULL, NULL, NULL);
}

static void many_expect(many_jobs *m, size_t j, cl_command_queue queue) {
    for (unsigned o = 0; o < OUTPUTS; o++) {
        SCOPED(free_at) float *records = test_array(many_floats(o), sizeof *records);
        read_buffer(queue, m->buffers[j][o], 0, many_floats(o) * sizeof(float), records);
        expect_same_bits(records, m->expected[j][o], many_floats(o), many_floats(o) / MANY);
    }
}

/* A job meets the nth fault while job 0 waits. Job 0 starts to read when the later jobs are
 * enqueued, which must not reuse its buffer. */
static bool many_run(many_jobs *m, size_t nth) {
    cl_event gate = clCreateUserEvent(pm_cl_context(m->s.engine), NULL);
    assert_int_equal(many_pose(m, 0, m->waiting, gate), PM_OK);
    assert_int_equal(clFlush(m->waiting), CL_SUCCESS);
    assert_int_equal(many_pose(m, 1, m->s.queue, NULL), PM_OK);
    faults_arm(FAULT_CL, nth, -9999, false);
    const pm_status status = many_pose(m, FAILS, m->s.queue, NULL);
    const bool met = faults_disarm() != NULL;
    assert_true(met || status == PM_OK);
    assert_int_equal(clFinish(m->s.queue), CL_SUCCESS);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    for (size_t j = FAILS + 1; j < JOBS; j++) {
        assert_int_equal(many_pose(m, j, m->s.queue, NULL), PM_OK);
        assert_int_equal(clFlush(m->s.queue), CL_SUCCESS);
    }
    many_expect(m, 0, m->waiting);
    for (size_t j = 1; j < JOBS; j++)
        if (j != FAILS || status == PM_OK)
            many_expect(m, j, m->s.queue);
    clReleaseEvent(gate);
    return met;
}

TEST_ON_DEVICE(a_failed_job_does_not_affect_those_of_other_queues) {
    many_jobs m;
    size_t nth = 1;
    if (small_sizes())
        skip();
    many_open(state, &m);
    while (many_run(&m, nth))
        assert_true(++nth < MAX_TRIES);
    assert_true(nth > 5);
    many_close(&m);
}

/* ---- jobs in pieces ------------------------------------------------------------------------- */

/* Instances that take several pieces of the least size, with a layer and old contents. */
enum { CUT = 1500, LAYERS = 3 };

typedef struct cut_job {
    scene s;
    pm_crowd_instance instances[CUT];
    pm_crowd_range ranges[CUT];
    pm_crowd_layer layers[LAYERS];
    float *expected, *records, *previous;
} cut_job;

static pm_status cut_pose(cut_job *c, bool by_reference, float *records, float *previous) {
    const pm_crowd_target target = {
        .output = PM_CROWD_PALETTE, .memory = records, .previous = previous};
    const pm_crowd_job job = {.instances = c->instances,
                              .instance_count = CUT,
                              .layers = c->layers,
                              .layer_count = LAYERS,
                              .ranges = c->ranges,
                              .outputs = &target,
                              .output_count = 1,
                              .on_reference = by_reference};
    return pm_crowd_pose(c->s.crowd, &job, new_error());
}

static size_t cut_floats(const cut_job *c) {
    return scene_floats(&c->s, PM_CROWD_PALETTE, CUT);
}

static void cut_open(pm_engine *engine, cut_job *c) {
    scene_make(engine, &(scene_options){.salt = 0xE90, .joints = 11}, &c->s);
    scene_instances(&c->s, 0xE91, CUT, c->instances);
    for (size_t i = 0; i < CUT; i++)
        c->ranges[i] = (pm_crowd_range){(uint32_t)(i % LAYERS), 1};
    for (size_t i = 0; i < LAYERS; i++)
        c->layers[i] = (pm_crowd_layer){.time = (int64_t)i << 30, .clip = 1, .weight = 0.5f};
    c->expected = guarded_floats(cut_floats(c));
    c->records = guarded_floats(cut_floats(c));
    c->previous = guarded_floats(cut_floats(c));
    expect_success(cut_pose(c, true, c->expected, NULL));
}

static void cut_close(cut_job *c) {
    guarded_free(c->expected);
    guarded_free(c->records);
    guarded_free(c->previous);
    scene_free(&c->s);
}

/* Poses once, over the contents `old`, which the previous records must be afterwards. */
static pm_status cut_run(cut_job *c, size_t nth, bool sticky, bool *met) {
    const size_t floats = cut_floats(c);
    for (size_t i = 0; i < floats; i++)
        c->records[i] = 7.0f;
    faults_arm(FAULT_BUFFER, nth, CL_MEM_OBJECT_ALLOCATION_FAILURE, sticky);
    const pm_status status = cut_pose(c, false, c->records, c->previous);
    *met = faults_disarm() != NULL;
    if (status != PM_OK)
        return status;
    expect_same_bits(c->records, c->expected, floats, floats / CUT);
    for (size_t i = 0; i < floats; i++)
        assert_true(c->previous[i] == 7.0f);
    return status;
}

TEST_ON_DEVICE(a_job_that_lacks_device_memory_is_posed_in_smaller_pieces) {
    static cut_job c;
    bool met = true;
    size_t nth = 1;
    if (small_sizes())
        skip();
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.piece_bytes = 1});
    cut_open(engine, &c);
    for (; met; nth++)
        assert_int_equal(cut_run(&c, nth, false, &met), PM_OK);
    assert_true(nth > 10);
    assert_int_equal(cut_run(&c, 4, true, &met), PM_ERROR_DEVICE_MEMORY);
    assert_true(met);
    assert_int_equal(cut_run(&c, SIZE_MAX, false, &met), PM_OK);
    cut_close(&c);
}

/* The place of the nth call with this name; the number of all calls where there are fewer. */
static size_t place_of(const char *const *names, size_t count, const char *name, size_t nth) {
    size_t i = 0;
    for (; i < count; i++)
        if (strcmp(names[i], name) == 0 && nth-- == 1)
            return i;
    return i;
}

/* The second piece is enqueued before the host waits for the first one, and what all pieces read is copied
 * once. */
TEST_ON_DEVICE(two_pieces_are_in_flight) {
    static cut_job c;
    const char *const *names = NULL;
    size_t pieces = 0, buffers = 0;
    if (small_sizes())
        skip();
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.piece_bytes = 1});
    cut_open(engine, &c);
    expect_success(cut_pose(&c, false, c.records, NULL));
    faults_record(true);
    expect_success(cut_pose(&c, false, c.records, NULL));
    faults_record(false);
    const size_t count = faults_recorded(&names);
    for (size_t i = 0; i < count; i++) {
        pieces += strcmp(names[i], "clEnqueueNDRangeKernel") == 0;
        buffers += strcmp(names[i], "clCreateBuffer") == 0;
    }
    assert_true(pieces > 3);
    assert_int_equal(buffers, pieces + 1); /* of the layers */
    assert_true(place_of(names, count, "clEnqueueNDRangeKernel", 2) <
                place_of(names, count, "clWaitForEvents", 1));
    assert_true(place_of(names, count, "clWaitForEvents", 1) <
                place_of(names, count, "clEnqueueNDRangeKernel", 3));
    cut_close(&c);
}

/* Lists in their own order, whose pieces read instances, layers, poses, placements and speeds of any instance. */
static void expect_list(cut_job *c, pm_crowd_job job, pm_crowd_output output) {
    const size_t floats = scene_floats(&c->s, output, CUT);
    SCOPED(free_at) uint32_t *indices = test_array(CUT, sizeof *indices);
    float *const results[] = {c->expected, c->records};
    for (size_t i = 0; i < CUT; i++)
        indices[i] = (uint32_t)((i * 7 + 3) % (CUT + 5)); /* some are skipped */
    memset(c->expected, 0, floats * sizeof *c->expected);
    memset(c->records, 0, floats * sizeof *c->records);
    job.instance_count = CUT;
    job.indices = indices;
    job.index_count = CUT;
    job.packed = true;
    job.output_count = 1;
    for (int i = 0; i < 2; i++) {
        job.on_reference = i == 0;
        job.outputs = &(pm_crowd_target){.output = output, .memory = results[i]};
        expect_success(pm_crowd_pose(c->s.crowd, &job, new_error()));
    }
    expect_same_bits(c->records, c->expected, floats, floats / CUT);
}

TEST_ON_DEVICE(pieces_of_a_list_have_the_bits_of_the_reference) {
    static cut_job c;
    static pm_placement placements[CUT];
    static float speeds[CUT];
    if (small_sizes())
        skip();
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.piece_bytes = 1});
    cut_open(engine, &c);
    const size_t width = scene_floats(&c.s, PM_CROWD_LOCAL, 1);
    SCOPED(guarded_free_at)
    float *poses = scene_pose(&c.s, PM_CROWD_LOCAL, c.instances, CUT, true);
    SCOPED(free_at) float *apart = test_array(CUT * (width + 1), sizeof *apart);
    for (size_t i = 0; i < CUT; i++) {
        memcpy(apart + i * (width + 1), poses + i * width, width * sizeof *apart);
        placements[i] = (pm_placement){{0, 0, 0, 1}, {(float)i, 1, 2, 0}};
        speeds[i] = 1 + (float)(i % 3);
    }
    expect_list(&c,
                (pm_crowd_job){.instances = c.instances,
                               .layers = c.layers,
                               .layer_count = LAYERS,
                               .ranges = c.ranges},
                PM_CROWD_PALETTE);
    expect_list(&c, (pm_crowd_job){.poses = poses}, PM_CROWD_PALETTE);
    expect_list(&c, (pm_crowd_job){.poses = apart, .pose_stride = (width + 1) * sizeof *apart},
                PM_CROWD_PALETTE);
    SCOPED(free_at) pm_chain_goal *goals = test_array(CUT, sizeof *goals);
    for (size_t i = 0; i < CUT; i++)
        goals[i] = (pm_chain_goal){.position = {(float)(i % 7), 1, 2}, .weight = 0.5f};
    expect_list(&c,
                (pm_crowd_job){.instances = c.instances,
                               .chains = &(pm_chain_use){0, 0},
                               .chain_count = 1,
                               .goals = goals},
                PM_CROWD_PALETTE);
    for (size_t i = 0; i < CUT; i++)
        c.instances[i].weight = 0;
    expect_list(
        &c, (pm_crowd_job){.instances = c.instances, .placements = placements, .speeds = speeds},
        PM_CROWD_BODY_VEL);
    cut_close(&c);
}

FIXTURE(open_all) {
    cache = cache_folder_make();
    scene_make(engine_of_kind(ON_REFERENCE),
               &(scene_options){.salt = 0xE80,
                                .joints = JOINTS,
                                .clips = 2,
                                .times = SCENE_PER_JOINT,
                                .binds = SCENE_BIND_RIGID},
               &material);
    scene_instances(&material, 0xE81, COUNT, instances);
    for (size_t i = 0; i < COUNT; i++) {
        after[i] = instances[i];
        after[i].time_a += pm_crowd_ticks(1.5);
    }
    for (unsigned o = 0; o < OUTPUTS; o++)
        expected[o] = scene_pose(&material, outputs[o], instances, COUNT, true);
    expect_success(pm_crowd_root_motion(material.crowd, instances, after, COUNT,
                                        expected_root_motions, new_error()));
    return 0;
}

static int close_all(void **state) {
    for (unsigned o = 0; o < OUTPUTS; o++)
        guarded_free(expected[o]);
    scene_free(&material);
    assert_true(cache_folder_remove());
    return engines_close(state);
}

TEST_GROUP(open_all, close_all)

int main(int argc, char **argv) {
    inject_rows(rows, COUNT_OF(rows));
    return test_main(argc, argv);
}
