/* SPDX-License-Identifier: MIT
 *
 * What holds for every row of the table of kinds of job: a device, plain C and the reference path give the same
 * bits, in pieces of any size and by any number of threads. A new row needs its job here, in `makers`.
 */
#include <posemill/posemill_points.h>

#include "base/counts.h"
#include "engine/engine.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS = 300, TRACKS = 21, COUNT = 500, PAIRS = 4000, CUTS = 4, MOST_THREADS = 5 };

/* A job of a row, and what it borrows. */
typedef struct made_job {
    pm_job job;
    motion keys;
    pm_clip *clip;
    scene crowd; /* of rows with crowds */
    double times[PAIRS];
    uint32_t tracks[PAIRS];
    pm_lowpass lowpass;
    pm_crowd_instance instances[COUNT];
    pm_placement placements[COUNT];
    float speeds[COUNT];
    int64_t stamps[COUNT];
    float points[COUNT][3];
    pm_trajectory *trajectory;
    pm_points_made made;
} made_job;

/* Outputs are named by a byte: what is compared has memory of its own. */
static float named;

static void make_samples(pm_engine *engine, const pm_sample_job *job, bool derivatives,
                         const pm_lowpass *lowpass, made_job *m) {
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    m->keys = motion_make(KEYS, TRACKS, 0.5, 0x10B5);
    const pm_clip_desc desc = {.track_count = TRACKS,
                               .timelines = &timeline,
                               .rotations.data = m->keys.rotations,
                               .positions.data = m->keys.positions};
    expect_success(pm_clip_create(engine, &desc, &m->clip, new_error()));
    pm_sample_request request = pm_sample_request_of(m->clip->data, job, 1);
    request.lowpass = lowpass;
    request.outputs[PM_OUT_ROTATIONS] = request.outputs[PM_OUT_POSITIONS] = &named;
    request.outputs[PM_OUT_VELOCITIES] = derivatives ? &named : NULL;
    m->lowpass.source = m->clip->data;
    m->job = pm_job_of_samples(m->clip->on_device, &request, 1);
}

static void make_grid(pm_engine *engine, made_job *m) {
    make_samples(engine, &(pm_sample_job){.sample_count = COUNT, .rate = {48, 1}, .first = 3}, true,
                 NULL, m);
}

static void make_pairs(pm_engine *engine, made_job *m) {
    random_source source = random_salted(0x10B6);
    for (size_t i = 0; i < PAIRS; i++) {
        m->times[i] = 11 * random_unit(&source) - 0.5;
        m->tracks[i] = (uint32_t)random_size(&source, 0, TRACKS - 1);
    }
    const pm_sample_job job = {.sample_count = PAIRS, .times = m->times, .tracks = m->tracks};
    make_samples(engine, &job, true, NULL, m);
}

/* Over keys that go on beyond the last sample. */
static void make_lowpass(pm_engine *engine, made_job *m) {
    m->lowpass = (pm_lowpass){.cutoff = 0.2, .taps = pm_lowpass_taps(0.2), .first = 30};
    make_samples(engine, &(pm_sample_job){.sample_count = COUNT, .rate = {77, 1}}, false,
                 &m->lowpass, m);
}

static void make_crowd(pm_engine *engine, pm_crowd_output from, pm_crowd_output end, made_job *m) {
    pm_crowd_target targets[PM_CROWD_MAX_TARGETS];
    size_t count = 0;
    scene_make(engine, &(scene_options){.salt = 0x10B7, .binds = SCENE_BIND_RIGID}, &m->crowd);
    scene_instances(&m->crowd, 0x10B8, COUNT, m->instances);
    for (pm_crowd_output o = from; o < end; o++)
        targets[count++] = (pm_crowd_target){.output = o, .memory = &named};
    const bool bodies = pm_is_body_output(from);
    for (size_t i = 0; i < COUNT; i++) {
        m->instances[i].weight = bodies ? 0 : m->instances[i].weight;
        m->speeds[i] = 0.5f + (float)i / COUNT;
        m->placements[i].rotation[3] = 1;
    }
    const pm_crowd_job job = {.instances = m->instances,
                              .instance_count = COUNT,
                              .frame = 7,
                              .outputs = targets,
                              .output_count = count,
                              .placements = bodies ? m->placements : NULL,
                              .speeds = bodies ? m->speeds : NULL};
    pm_pose_request request;
    expect_success(
        pm_pose_request_of(m->crowd.crowd->latest->data, &job, 1, &request, new_error()));
    m->job = pm_job_of_poses(m->crowd.crowd->latest->on_device, &request);
}

static void make_poses(pm_engine *engine, made_job *m) {
    make_crowd(engine, 0, PM_CROWD_POSE_COUNT, m);
}

static void make_states(pm_engine *engine, made_job *m) {
    make_crowd(engine, PM_CROWD_POSE_COUNT, PM_CROWD_OUTPUT_COUNT, m);
}

/* That kernels move: without poses. */
static void make_points(pm_engine *engine, made_job *m) {
    random_source source = random_salted(0x10BA);
    float taken[3];
    uint8_t valid;
    m->keys = motion_make(KEYS, TRACKS, 2, 0x10BA);
    for (size_t i = 0; i < COUNT; i++) {
        m->stamps[i] = (int64_t)(30000 * (random_unit(&source) + 0.01));
        m->tracks[i] = (uint32_t)random_size(&source, 0, TRACKS); /* the last: no track */
        for (size_t c = 0; c < 3; c++)
            m->points[i][c] = (float)(100 * random_unit(&source) - 50);
    }
    int64_t keys[KEYS];
    for (size_t k = 0; k < KEYS; k++)
        keys[k] = 100 * (int64_t)k + (int64_t)random_size(&source, 0, 99);
    const pm_trajectory_desc desc = {.motion = {.track_count = TRACKS,
                                                .rotations.data = m->keys.rotations,
                                                .positions.data = m->keys.positions},
                                     .key_count = KEYS,
                                     .stamps.data = keys,
                                     .screw = true};
    expect_success(pm_trajectory_create(engine, &desc, &m->trajectory, new_error()));
    const pm_points_job job = {
        .count = COUNT,
        .stamps.data = m->stamps,
        .points.data = m->points,
        .frames = {{.trajectory = m->trajectory, .tracks = {m->tracks, sizeof *m->tracks, 0}}},
        .frame_count = 1,
        .outside = PM_OUTSIDE_INVALID,
        .max_gap = 150,
        .moved.data = taken,
        .valid = &valid};
    pm_points_request request;
    expect_success(pm_points_request_of(&job, NULL, &request, &m->made, new_error()));
    request.on_queue = true; /* which points without a track are for */
    m->job = pm_job_of_points(engine->device, &request);
}

static void (*const makers[PM_JOB_KIND_COUNT])(pm_engine *engine, made_job *m) = {
    [PM_JOB_SAMPLES] = make_grid, [PM_JOB_PAIRS] = make_pairs,   [PM_JOB_LOWPASS] = make_lowpass,
    [PM_JOB_POSES] = make_poses,  [PM_JOB_STATES] = make_states, [PM_JOB_POINTS] = make_points};

static void free_job(made_job *m) {
    pm_clip_destroy(&m->clip);
    pm_trajectory_destroy(&m->trajectory);
    pm_points_made_free(&m->made);
    motion_free(&m->keys);
    if (m->crowd.crowd)
        scene_free(&m->crowd);
}

/* Computes an output in pieces of a size: on the device, or with threads of plain C. */
static unsigned char *computed(const pm_job *job, size_t output, size_t size, size_t threads) {
    const pm_job_kind *kind = job->kind;
    const size_t bytes = kind->bytes(job, output), count = kind->elements(job);
    unsigned char *memory = test_array(bytes, 1);
    pm_job aimed = *job;
    memset(memory, 0xA5, bytes);
    kind->aim(&aimed, output, pm_in_memory(memory));
    for (size_t i = 0; i < pm_piece_count(count, size); i++) {
        const pm_piece piece = pm_piece_at(count, size, i);
        pm_job part = aimed;
        expect_success(kind->cut(&part, &piece, new_error()));
        expect_success(threads ? kind->in_plain_c(&part, threads, new_error())
                               : pm_job_on_device(&part, new_error()));
        free(part.list);
    }
    return memory;
}

static void expect_output(const pm_job *job, size_t output) {
    const size_t bytes = job->kind->bytes(job, output), count = job->kind->elements(job);
    random_source source = random_salted(0x10B9 + output);
    SCOPED(free_at) unsigned char *whole = computed(job, output, count, 1);
    for (size_t c = 0; c < CUTS; c++) {
        const size_t size = c ? random_size(&source, 1, count) : count;
        const size_t threads = random_size(&source, 1, MOST_THREADS);
        SCOPED(free_at) unsigned char *by_threads = computed(job, output, size, threads);
        SCOPED(free_at) unsigned char *by_device = computed(job, output, size, 0);
        if (memcmp(whole, by_threads, bytes) != 0 || memcmp(whole, by_device, bytes) != 0)
            fail_msg("%s, output %zu, pieces of %zu, %zu threads: %s differs", job->kind->name,
                     output, size, threads,
                     memcmp(whole, by_device, bytes) ? "the device" : "plain C");
    }
}

/* Each row: its jobs are of its kind, the same everywhere, and have programs where the device has some. */
TEST_ON_BOTH(each_kind_has_the_same_bits_everywhere) {
    pm_engine *engine = engine_for(state);
    const pm_device *device = engine->device;
    for (size_t k = 0; k < PM_JOB_KIND_COUNT; k++) {
        made_job *m = test_array(1, sizeof *m);
        pm_variant programs[PM_JOB_PROGRAMS];
        bool same = true;
        size_t outputs = 0;
        memset(m, 0, sizeof *m);
        makers[k](engine, m);
        assert_ptr_equal(m->job.kind, pm_job_kinds[k]);
        for (size_t o = 0; o < m->job.kind->outputs; o++)
            if (m->job.kind->bytes(&m->job, o) > 0) {
                expect_output(&m->job, o);
                outputs++;
            }
        expect_success(pm_job_compare(&m->job, 0, false, &same, new_error()));
        assert_true(same && outputs > 0);
        if (device->plan)
            assert_in_range(m->job.kind->programs(&m->job, device->plan, programs), 1,
                            PM_JOB_PROGRAMS);
        free_job(m);
        free(m);
    }
}

/* The first element is one that is computed: a comparison of parts begins there. */
TEST_ON_REFERENCE(a_job_begins_with_an_element_that_is_computed) {
    made_job *m = test_array(1, sizeof *m);
    memset(m, 0, sizeof *m);
    make_poses(engine_for(state), m);
    const uint32_t listed[] = {COUNT + 1, COUNT, 12, 5};
    pm_pose_request *request = &m->job.request.poses;
    assert_true(m->job.kind->first(&m->job) < COUNT);
    request->indices = pm_in_memory(listed);
    request->index_count = 2;
    assert_int_equal(m->job.kind->first(&m->job), COUNT); /* none exists */
    request->index_count = COUNT_OF(listed);
    m->instances[12].level = 0; /* of which each frame is updated */
    assert_int_equal(m->job.kind->first(&m->job), 12);
    free_job(m);
    free(m);
}

TEST_GROUP(NULL, engines_close)
