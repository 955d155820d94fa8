/* SPDX-License-Identifier: MIT
 *
 * Failure injection for clips: the Nth OpenCL call, buffer or allocation fails while engines and
 * clips are made, on one device and on two, and while clips are sampled.
 */
#define _POSIX_C_SOURCE 200809L

#include <posemill/posemill_cl.h>

#include "engine/engine.h"
#include "multi/multi.h"
#include "opencl/device.h"
#include "programs/state.h"
#include "support/cache_folder.h"
#include "support/cl_objects.h"
#include "support/engines.h"
#include "support/injection.h"
#include "support/motion.h"
#include "support/sub_devices.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEYS = 8, TRACKS = 5, COUNT = 30, ROWS = COUNT * TRACKS, PATIENCE_SECONDS = 600 };

struct stage {
    void **state;
    const char *cache_folder;
    bool divided;       /* the engine is on both sub-devices */
    bool in_background; /* the engine builds in the background */
    bool by_device;     /* the device builds clips */
    pm_engine *engine;
    pm_clip *clip;
    float *rotations, *positions;
    /* The caller's objects: made and read while no fault is armed, because they belong to the
     * test. */
    cl_command_queue queue;
    cl_mem rotation_buffer, position_buffer;
};

static motion keys;
static float expected_rotations[ROWS * 4], expected_positions[ROWS * 3];
static double times[COUNT];
static sub_devices subs;
static const char *cache_folder;

static pm_clip_desc make_desc(const pm_timeline *timeline) {
    pm_clip_desc desc = motion_desc(&keys, timeline, PM_METHOD_SQUAD);
    desc.scales.data = NULL;
    return desc;
}

static const pm_timeline timeline = {.key_count = KEYS, .rate = {8, 1}};

static pm_status create_engine(stage *s, pm_error *error) {
    const pm_engine_desc desc = {.device = device_for(s->state),
                                 .piece_bytes = 2048, /* several pieces per job */
                                 .build_in_background = s->in_background,
                                 .clip_building = s->by_device ? PM_CLIPS_BY_DEVICE : PM_CLIPS_AUTO,
                                 .cache_folder = s->cache_folder,
                                 .host = faults_host};
    if (!s->divided)
        return pm_engine_create(&desc, &s->engine, error);
    const pm_status status =
        pm_cl_engine_create_multi(subs.targets, SUB_DEVICES, &desc, &s->engine, error);
    if (status == PM_OK)
        pm_multi_device_of(s->engine->device)->min_values = 20; /* several pieces per device */
    return status;
}

static pm_status create_clip(stage *s, pm_error *error) {
    const pm_clip_desc desc = make_desc(&timeline);
    return pm_clip_create(s->engine, &desc, &s->clip, error);
}

static pm_status create_clip_of_buffers(stage *s, pm_error *error) {
    const pm_cl_keys given = {.rotations = {.buffer = s->rotation_buffer},
                              .positions = {.buffer = s->position_buffer}};
    pm_clip_desc desc = make_desc(&timeline);
    desc.rotations.data = desc.positions.data = NULL;
    return pm_cl_clip_create(s->engine, &desc, &given, 0, NULL, &s->clip, error);
}

/* Into the outputs of the stage. */
static pm_status sample_into(stage *s, pm_sample_job job, pm_error *error) {
    job.rotations = s->rotations;
    job.positions = s->positions;
    return pm_sample(s->clip, &job, error);
}

static pm_status sample_uniform(stage *s, pm_error *error) {
    return sample_into(s, (pm_sample_job){.sample_count = COUNT, .rate = {32, 1}}, error);
}

static bool is_building(const pm_engine *engine) {
    pm_programs *p = engine->device->programs;
    bool building = false;
    pthread_mutex_lock(&p->lock);
    for (const pm_program_request *r = p->requests; r; r = r->next)
        building = building || r->state == PM_PROGRAM_OPEN;
    pthread_mutex_unlock(&p->lock);
    return building;
}

/* Two jobs, the second when the builds have ended. A fault may break one of the programs: the second
 * job is the device's, or reports the failure. */
static pm_status sample_in_background(stage *s, pm_error *error) {
    const struct timespec moment = {0, 1000000};
    const pm_status status = sample_uniform(s, error);
    alarm(PATIENCE_SECONDS);
    while (is_building(s->engine))
        nanosleep(&moment, NULL);
    alarm(0);
    return status == PM_OK ? sample_uniform(s, error) : status;
}

static pm_status sample_times(stage *s, pm_error *error) {
    return sample_into(s, (pm_sample_job){.sample_count = COUNT, .times = times}, error);
}

/* All pairs, in the order of the other jobs' rows. */
static pm_status sample_pairs(stage *s, pm_error *error) {
    static double pair_times[ROWS];
    static uint32_t pair_tracks[ROWS];
    for (size_t row = 0; row < ROWS; row++) {
        pair_times[row] = times[row / TRACKS];
        pair_tracks[row] = (uint32_t)(row % TRACKS);
    }
    return sample_into(
        s, (pm_sample_job){.sample_count = ROWS, .times = pair_times, .tracks = pair_tracks},
        error);
}

/* All tracks as a subset. */
static pm_status sample_subset(stage *s, pm_error *error) {
    static uint32_t subset[TRACKS];
    for (uint32_t t = 0; t < TRACKS; t++)
        subset[t] = t;
    return sample_into(
        s,
        (pm_sample_job){
            .sample_count = COUNT, .times = times, .subset = subset, .subset_count = TRACKS},
        error);
}

static pm_status self_check(stage *s, pm_error *error) {
    pm_bit_match identity = PM_BIT_MATCH_UNKNOWN;
    const pm_status status = pm_engine_self_check(s->engine, &identity, error);
    if (status == PM_OK)
        assert_int_equal(identity, PM_BIT_MATCH_EXACT);
    return status;
}

static pm_status list_devices(stage *s, pm_error *error) {
    (void)s;
    pm_device_info infos[4];
    size_t count = 0;
    return pm_list_devices(infos, 4, &count, error);
}

static pm_status sample_on_queue(stage *s, pm_error *error) {
    const pm_sample_job job = {.sample_count = COUNT, .times = times};
    const pm_cl_outputs outputs = {.rotations = s->rotation_buffer,
                                   .positions = s->position_buffer};
    cl_event done = NULL;
    const pm_status status = pm_cl_sample(s->clip, &job, &outputs, s->queue, 0, NULL, &done, error);
    assert_true((status == PM_OK) == (done != NULL));
    if (done)
        clReleaseEvent(done);
    return status;
}

static void prepare_engine(stage *s) {
    expect_success(create_engine(s, new_error()));
}

static void prepare_clip(stage *s) {
    prepare_engine(s);
    expect_success(create_clip(s, new_error()));
}

/* Builds programs and makes buffers that later jobs may reuse. */
static void prepare_warm(stage *s) {
    prepare_clip(s);
    expect_success(sample_uniform(s, new_error()));
    expect_success(sample_times(s, new_error()));
    expect_success(sample_pairs(s, new_error()));
    expect_success(sample_subset(s, new_error()));
}

static void prepare_divided(stage *s) {
    s->divided = true;
}

static void prepare_divided_engine(stage *s) {
    prepare_divided(s);
    prepare_engine(s);
}

static void prepare_divided_clip(stage *s) {
    prepare_divided(s);
    prepare_clip(s);
}

static void prepare_background(stage *s) {
    s->in_background = true;
    prepare_clip(s);
}

static void prepare_queue(stage *s) {
    prepare_clip(s);
    const cl_context context = pm_cl_context(s->engine);
    s->queue = queue_of(context, pm_cl_device(s->engine));
    s->rotation_buffer = buffer_of(context, 0, sizeof expected_rotations, NULL);
    s->position_buffer = buffer_of(context, 0, sizeof expected_positions, NULL);
}

static void prepare_buffers(stage *s) {
    prepare_engine(s);
    const cl_context context = pm_cl_context(s->engine);
    s->queue = queue_of(context, pm_cl_device(s->engine));
    s->rotation_buffer = buffer_of(context, 0, 16 * KEYS * TRACKS, keys.rotations);
    s->position_buffer = buffer_of(context, 0, 12 * KEYS * TRACKS, keys.positions);
}

static void prepare_buffers_by_device(stage *s) {
    s->by_device = true;
    prepare_buffers(s);
}

/* ---- expected results ---- */

static void expect_results(const stage *s) {
    expect_same_bits(s->rotations, expected_rotations, ROWS * 4, 4);
    expect_same_bits(s->positions, expected_positions, ROWS * 3, 3);
}

static void expect_results_on_queue(const stage *s) {
    assert_int_equal(clFinish(s->queue), CL_SUCCESS);
    read_buffer(s->queue, s->rotation_buffer, 0, sizeof expected_rotations, s->rotations);
    read_buffer(s->queue, s->position_buffer, 0, sizeof expected_positions, s->positions);
    expect_results(s);
}

static void expect_no_engine(const stage *s) {
    assert_null(s->engine);
}

static void expect_no_clip(const stage *s) {
    assert_null(s->clip);
}

void stage_open(stage *s) {
    *s = (stage){.state = s->state, .cache_folder = s->cache_folder};
    s->rotations = guarded_floats(ROWS * 4);
    s->positions = guarded_floats(ROWS * 3);
}

void stage_poison(stage *s) {
    memset(s->rotations, 0xFF, ROWS * 4 * sizeof(float));
    memset(s->positions, 0xFF, ROWS * 3 * sizeof(float));
}

/* Commands enqueued before a failure may still run: the buffers live until these are done. */
static void close_queue(stage *s) {
    if (!s->queue)
        return;
    assert_int_equal(clFinish(s->queue), CL_SUCCESS);
    clReleaseMemObject(s->rotation_buffer);
    clReleaseMemObject(s->position_buffer);
    clReleaseCommandQueue(s->queue);
}

void stage_close(stage *s) {
    close_queue(s);
    if (!s->engine)
        expect_success(create_engine(s, new_error()));
    if (!s->clip)
        expect_success(create_clip(s, new_error()));
    stage_poison(s);
    expect_success(sample_uniform(s, new_error()));
    expect_results(s);
    pm_clip_destroy(&s->clip);
    pm_engine_destroy(&s->engine);
    guarded_free(s->rotations);
    guarded_free(s->positions);
}

static void need_sub_devices(void **state) {
    if (!subs.shared && !sub_devices_open(engine_for(state), &subs))
        skip();
}

static const scenario making_an_engine = {"making an engine", NULL, create_engine,
                                          .expect_undone = expect_no_engine};
static const scenario listing = {"listing devices", NULL, .run = list_devices};
/* Makes thousands of calls, most of them at the same places for each program. */
static const scenario checking = {"the self check", prepare_engine, self_check, .growth = 2};
static const scenario making_a_clip = {"making a clip", prepare_engine, create_clip,
                                       .expect_undone = expect_no_clip};
static const scenario of_mapped = {"making a clip of buffers", prepare_buffers,
                                   create_clip_of_buffers, .expect_undone = expect_no_clip};
static const scenario of_built = {"building a clip of buffers", prepare_buffers_by_device,
                                  create_clip_of_buffers, .expect_undone = expect_no_clip};
static const scenario cold = {"a first job", prepare_clip, sample_uniform,
                              .expect_done = expect_results};
static const scenario cold_in_background = {
    "first jobs with background builds", prepare_background, sample_in_background,
    .expect_done = expect_results,       .growth = 4,        .is_concurrent = true};
static const scenario uniform = {"a uniform job", prepare_warm, sample_uniform,
                                 .expect_done = expect_results};
static const scenario of_times = {"a job of times", prepare_warm, sample_times,
                                  .expect_done = expect_results};
static const scenario of_pairs = {"a job of pairs", prepare_warm, sample_pairs,
                                  .expect_done = expect_results};
static const scenario of_subset = {"a job of a subset", prepare_warm, sample_subset,
                                   .expect_done = expect_results};
static const scenario queued = {"a job on a queue", prepare_queue, sample_on_queue,
                                .expect_done = expect_results_on_queue};

/* Most calls are those of one device, each of which fails in the scenarios above; their number grows with
 * the number of pieces on both devices, and a device whose thread wakes late takes fewer pieces. */
#define DIVIDED .growth = 4, .is_concurrent = true, .require = need_sub_devices
static const scenario making_a_divided_engine = {"making an engine over two devices",
                                                 prepare_divided, create_engine,
                                                 .expect_undone = expect_no_engine, DIVIDED};
static const scenario making_a_divided_clip = {"making a clip on two devices",
                                               prepare_divided_engine, create_clip,
                                               .expect_undone = expect_no_clip, DIVIDED};
static const scenario divided_cold = {"a first job on two devices", prepare_divided_clip,
                                      sample_uniform, .expect_done = expect_results, DIVIDED};
static const scenario divided_pairs = {"a job of pairs on two devices", prepare_divided_clip,
                                       sample_pairs, .expect_done = expect_results, DIVIDED};

/* PoCL compiles a program a second time to hand out its binary. The self check builds the programs of all
 * methods, so its programs are kept by PoCL alone: what fails in a folder fails in a first job too. */
void inject(const injection *row, void **state) {
    stage without = {.state = state, .cache_folder = ""};
    stage filled = {.state = state, .cache_folder = row->which == &checking ? "" : cache_folder};
    inject_all(row, &filled, row->builds ? &without : NULL);
}

/* ---- the harness itself ---- */

/* OpenCL calls in a source file, or in all of a folder and its subfolders. */
static size_t count_calls(const char *path) {
    const size_t length = strlen(path);
    DIR *folder = opendir(path);
    size_t found = 0;
    if (!folder)
        return length > 2 && strcmp(path + length - 2, ".c") == 0 ? faults_check_source(path) : 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char inner[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        found += count_calls(inner);
    }
    closedir(folder);
    return found;
}

TEST(every_opencl_call_of_the_library_is_in_the_table) {
    assert_true(count_calls(POSEMILL_SOURCE_DIR "/host") > 20);
}

/* ---- the table ---- */

#define BUILDS .builds = true
#define BOTH .is_on_both = true

static const injection rows[] = {
    {&making_an_engine, FAULT_ALLOCATION, .min = 1, BOTH},
    {&listing, FAULT_ALLOCATION, .min = 0},
    {&making_a_clip, FAULT_ALLOCATION, .min = 2, BOTH},
    {&of_mapped, FAULT_ALLOCATION, .min = 2},
    {&of_built, FAULT_ALLOCATION, .min = 4, BUILDS},
    {&cold, FAULT_ALLOCATION, BUILDS, BOTH},
    {&of_times, FAULT_ALLOCATION, BOTH},
    {&of_pairs, FAULT_ALLOCATION, BOTH},
    {&of_subset, FAULT_ALLOCATION, BOTH},
    {&checking, FAULT_ALLOCATION, BOTH},
    {&queued, FAULT_ALLOCATION, BUILDS},
    {&making_a_clip, FAULT_ALLOCATION, .sticky = true, .min = 2, BOTH},
    {&cold, FAULT_ALLOCATION, .sticky = true, BUILDS, BOTH},

    {&making_an_engine, FAULT_CL, .min = 3},
    {&listing, FAULT_CL, .min = 1},
    {&making_a_clip, FAULT_CL, .min = 1},
    {&of_mapped, FAULT_CL, .min = 5},
    {&of_built, FAULT_CL, .min = 20, BUILDS},
    {&cold, FAULT_CL, .min = 5, BUILDS},
    {&uniform, FAULT_CL, .min = 2},
    {&of_times, FAULT_CL, .min = 2},
    {&of_pairs, FAULT_CL, .min = 2},
    {&of_subset, FAULT_CL, .min = 2},
    {&queued, FAULT_CL, .min = 2, BUILDS},
    {&cold, FAULT_CL, .sticky = true, .min = 5, BUILDS},
    {&uniform, FAULT_CL, .sticky = true, .min = 2},

    /* Not every later call: each program that failed is the failure of a separate job. */
    {&cold_in_background, FAULT_CL, .min = 5, BUILDS},
    {&cold_in_background, FAULT_ALLOCATION, .min = 1, BUILDS},
    {&cold_in_background, FAULT_BUFFER, .sticky = true, .min = 1, BUILDS},

    {&making_a_clip, FAULT_BUFFER, .min = 0},
    {&of_built, FAULT_BUFFER, .min = 4},
    {&cold, FAULT_BUFFER, .min = 0},
    {&queued, FAULT_BUFFER, .min = 0},
    {&making_a_clip, FAULT_BUFFER, .sticky = true, .min = 1},
    {&cold, FAULT_BUFFER, .sticky = true, .min = 1},

    {&making_a_divided_engine, FAULT_ALLOCATION, .min = 2},
    {&making_a_divided_clip, FAULT_ALLOCATION, .min = 2},
    {&divided_cold, FAULT_ALLOCATION, .min = 2, BUILDS},
    {&divided_pairs, FAULT_ALLOCATION, .min = 2, BUILDS},
    {&making_a_divided_engine, FAULT_CL, .min = 3},
    {&making_a_divided_clip, FAULT_CL, .min = 2},
    {&divided_cold, FAULT_CL, .min = 5, BUILDS},
    {&divided_pairs, FAULT_CL, .min = 5, BUILDS},
    {&making_a_divided_clip, FAULT_BUFFER, .min = 2},
    {&making_a_divided_clip, FAULT_BUFFER, .sticky = true, .min = 2},
    {&divided_cold, FAULT_BUFFER, .sticky = true, .min = 1},
};

FIXTURE(make_expectations) {
    cache_folder = cache_folder_make();
    keys = motion_make(KEYS, TRACKS, 2.5, 0x61);
    for (size_t k = 0; k < COUNT; k++)
        times[k] = (double)k / 32;
    const pm_clip_desc desc = make_desc(&timeline);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_of_kind(ON_REFERENCE), &desc);
    sample_make(clip, &(pm_sample_job){.sample_count = COUNT,
                                       .times = times,
                                       .rotations = expected_rotations,
                                       .positions = expected_positions});
    return 0;
}

static int forget_expectations(void **state) {
    motion_free(&keys);
    sub_devices_close(&subs);
    assert_true(cache_folder_remove());
    return engines_close(state);
}

TEST_GROUP(make_expectations, forget_expectations)

int main(int argc, char **argv) {
    inject_rows(rows, COUNT_OF(rows));
    return test_main(argc, argv);
}
