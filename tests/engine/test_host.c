/* SPDX-License-Identifier: MIT
 *
 * What the application does for the library (pm_host): memory, threads, progress, cancelling. Failures of
 * its memory are injected in tests/opencl/test_injection.c and test_crowd_injection.c.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/wrapped.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 60, TRACKS = 300, SAMPLES = 3000, INSTANCES = 3000, THREADS = 5, PIECE = 1 << 17 };

/* ---- the application ------------------------------------------------------------------------ */

typedef struct application {
    atomic_long live; /* blocks */
    atomic_int wrong; /* requests and releases that break a rule */
    atomic_size_t runs;
    pthread_t caller;
    size_t calls, last, total; /* of progress */
    size_t stop_at;            /* pieces after which `cancel` is set */
    uint32_t cancel;
} application;

static application app;
static atomic_size_t own_blocks, own_threads; /* of the library without the application */
static atomic_bool counts;

WRAPPED(void *, malloc, size_t size) {
    own_blocks += counts;
    return __real_malloc(size);
}

WRAPPED(void *, calloc, size_t count, size_t size) {
    own_blocks += counts;
    return __real_calloc(count, size);
}

WRAPPED(void *, aligned_alloc, size_t alignment, size_t size) {
    own_blocks += counts;
    return __real_aligned_alloc(alignment, size);
}

WRAPPED(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes,
        void *(*function)(void *), void *argument) {
    own_threads++;
    return __real_pthread_create(thread, attributes, function, argument);
}

enum { NOTE = 4096 }; /* bytes before a block, with its size and alignment */

static void *allocate(void *user, size_t size, size_t alignment) {
    application *a = user;
    const bool is_power = alignment && (alignment & (alignment - 1)) == 0;
    if (size == 0 || !is_power || alignment > NOTE)
        a->wrong++;
    char *block = __real_aligned_alloc(NOTE, NOTE + (size + NOTE - 1) / NOTE * NOTE);
    if (!block)
        return NULL;
    memset(block, 0x7F, NOTE + size);
    memcpy(block, (size_t[]){size, alignment}, 2 * sizeof(size_t));
    a->live++;
    return block + NOTE;
}

static void release(void *user, void *memory, size_t size, size_t alignment) {
    application *a = user;
    char *block = (char *)memory - NOTE;
    if (memcmp(block, (size_t[]){size, alignment}, 2 * sizeof(size_t)) != 0)
        a->wrong++;
    a->live--;
    free(block);
}

/* One after another, the last first, in a mode that is not the caller's. */
static void run_backwards(void *user, size_t count, pm_task_function task, void *context) {
    application *a = user;
    const int before = fegetround();
    a->runs++;
    if (count < 2 || count > THREADS)
        a->wrong++;
    fesetround(FE_UPWARD);
    while (count-- > 0)
        task(context, count);
    if (fegetround() != FE_UPWARD)
        a->wrong++;
    fesetround(before);
}

static void note_progress(void *user, size_t done, size_t total) {
    application *a = user;
    const bool is_next = a->calls == 0 ? done == 0 : done >= a->last && total == a->total;
    if (!is_next || done > total || !pthread_equal(a->caller, pthread_self()) || a->cancel)
        a->wrong++;
    a->calls++;
    a->last = done;
    a->total = total;
    if (done >= a->stop_at)
        __atomic_store_n(&a->cancel, 1, __ATOMIC_RELAXED);
}

static const pm_host memory = {.user = &app, .allocate = allocate, .release = release};
static const pm_host threads = {.user = &app, .run_parallel = run_backwards};
static const pm_host pieces = {.user = &app, .progress = note_progress, .cancel = &app.cancel};

static void begin(size_t stop_at) {
    app = (application){.caller = pthread_self(), .stop_at = stop_at};
}

/* ---- what the library does -------------------------------------------------------------------- */

typedef struct work {
    pm_engine *engine;
    pm_clip *clip;
    pm_filter *filter;
    pm_crowd *crowd;
    float *samples, *filtered, *poses;
} work;

static motion keys;
static scene crowd_scene;
static pm_crowd_instance *instances;
static const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
static double times[SAMPLES];

static pm_clip_desc clip_desc(void) {
    pm_clip_desc desc = motion_desc(&keys, &timeline, PM_METHOD_SLERP);
    desc.positions.data = desc.scales.data = NULL;
    return desc;
}

static size_t pose_floats(void) {
    return scene_floats(&crowd_scene, PM_CROWD_PALETTE, INSTANCES);
}

static pm_status make_clip(work *w) {
    const pm_clip_desc desc = clip_desc();
    return pm_clip_create(w->engine, &desc, &w->clip, new_error());
}

static pm_status make_filter(work *w) {
    const pm_clip_desc desc = clip_desc();
    return pm_filter_create(w->engine, &desc, 10, &w->filter, new_error());
}

static pm_status make_crowd(work *w) {
    const pm_crowd_desc desc = {.skeleton = crowd_scene.skeleton,
                                .clips = crowd_scene.clips,
                                .clip_count = crowd_scene.clip_count};
    return pm_crowd_create(w->engine, &desc, &w->crowd, new_error());
}

static pm_status sample(work *w) {
    const pm_sample_job job = {.sample_count = SAMPLES, .times = times, .rotations = w->samples};
    return pm_sample(w->clip, &job, new_error());
}

static pm_status sample_filter(work *w) {
    const pm_sample_job job = {.sample_count = SAMPLES, .times = times, .rotations = w->filtered};
    return pm_filter_sample(w->filter, &job, new_error());
}

static pm_status pose(work *w) {
    const pm_crowd_job job =
        CROWD_JOB(instances, INSTANCES, .output = PM_CROWD_PALETTE, .memory = w->poses);
    return pm_crowd_pose(w->crowd, &job, new_error());
}

typedef struct step {
    const char *name;
    pm_status (*run)(work *w);
    size_t handle; /* offset of what it makes, or */
    size_t output; /* of what it computes; 0: none */
    size_t rows;
} step;

static const step steps[] = {
    {"clip", make_clip, .handle = offsetof(work, clip)},
    {"filter", make_filter, .handle = offsetof(work, filter)},
    {"crowd", make_crowd, .handle = offsetof(work, crowd)},
    {"samples", sample, .output = offsetof(work, samples), .rows = SAMPLES},
    {"low-pass", sample_filter, .output = offsetof(work, filtered), .rows = SAMPLES},
    {"poses", pose, .output = offsetof(work, poses), .rows = INSTANCES},
};

static size_t floats_of(const step *s) {
    return s->rows == SAMPLES && s->run != pose ? (size_t)SAMPLES * TRACKS * 4 : pose_floats();
}

static void *pointer_at(work *w, size_t offset) {
    void *pointer;
    memcpy(&pointer, (char *)w + offset, sizeof pointer);
    return pointer;
}

static void open_work(void **state, const pm_host *host, uint32_t host_threads, work *w) {
    const pm_engine_desc desc = {
        .host_threads = host_threads, .piece_bytes = PIECE, .host = host ? *host : (pm_host){0}};
    *w = (work){.samples = guarded_floats((size_t)SAMPLES * TRACKS * 4),
                .filtered = guarded_floats((size_t)SAMPLES * TRACKS * 4),
                .poses = guarded_floats(pose_floats())};
    counts = true;
    w->engine = engine_with(state, &desc);
    counts = false;
}

static void close_work(work *w) {
    pm_clip_destroy(&w->clip);
    pm_filter_destroy(&w->filter);
    pm_crowd_destroy(&w->crowd);
    pm_engine_destroy(&w->engine);
    guarded_free(w->samples);
    guarded_free(w->filtered);
    guarded_free(w->poses);
}

static void run_all(work *w) {
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        counts = true;
        const pm_status status = steps[i].run(w);
        counts = false;
        expect_success(status);
    }
}

/* The bits of an engine that does everything itself. */
static void expect_bits(void **state, work *found) {
    work w;
    open_work(state, NULL, 1, &w);
    run_all(&w);
    for (size_t i = 0; i < COUNT_OF(steps); i++)
        if (steps[i].output)
            expect_same_bits(pointer_at(found, steps[i].output), pointer_at(&w, steps[i].output),
                             floats_of(&steps[i]), 4);
    close_work(&w);
}

/* ---- memory ------------------------------------------------------------------------------------ */

TEST_ON_BOTH(all_memory_is_that_of_the_application) {
    work w;
    begin(SIZE_MAX);
    own_blocks = 0;
    open_work(state, &memory, THREADS, &w);
    run_all(&w);
    assert_true(own_blocks == 0);
    assert_true(app.live > 10);
    expect_bits(state, &w);
    close_work(&w);
    assert_int_equal(app.live, 0);
    assert_int_equal(app.wrong, 0);
}

TEST(a_skeleton_takes_its_memory_from_the_application) {
    pm_skeleton_desc desc = crowd_scene.skeleton_desc;
    pm_skeleton *skeleton = NULL;
    begin(SIZE_MAX);
    desc.host = memory;
    own_blocks = 0;
    counts = true;
    const pm_status status = pm_skeleton_create(&desc, &skeleton, new_error());
    counts = false;
    expect_success(status);
    assert_true(own_blocks == 0 && app.live > 5);
    pm_skeleton_destroy(&skeleton);
    assert_true(app.live == 0 && app.wrong == 0);
}

TEST(one_function_for_memory_without_the_other_is_refused) {
    pm_engine *engine = NULL;
    pm_skeleton *skeleton = NULL;
    pm_skeleton_desc desc = crowd_scene.skeleton_desc;
    const pm_engine_desc halves[] = {{.device = "none", .host = {.allocate = allocate}},
                                     {.device = "none", .host = {.release = release}}};
    for (size_t i = 0; i < COUNT_OF(halves); i++) {
        expect_error(pm_engine_create(&halves[i], &engine, new_error()), PM_ERROR_ARGUMENT,
                     i ? "host.allocate is NULL" : "host.release is NULL");
        desc.host = halves[i].host;
        expect_error(pm_skeleton_create(&desc, &skeleton, new_error()), PM_ERROR_ARGUMENT, "host.");
        assert_true(!engine && !skeleton);
    }
}

/* ---- threads ----------------------------------------------------------------------------------- */

TEST_ON_BOTH(tasks_run_in_any_order_with_the_same_bits) {
    work w;
    engines_close(NULL); /* those of other tests keep threads */
    begin(SIZE_MAX);
    open_work(state, &threads, THREADS, &w);
    own_threads = 0;
    run_all(&w);
    assert_true(own_threads == 0);
    assert_true(app.runs > 2);
    expect_bits(state, &w);
    close_work(&w);
    assert_int_equal(app.wrong, 0);
}

/* ---- progress and cancelling ------------------------------------------------------------------- */

TEST_ON_BOTH(progress_goes_from_none_to_all_on_the_calling_thread) {
    work w;
    open_work(state, &pieces, THREADS, &w);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        begin(SIZE_MAX);
        expect_success(steps[i].run(&w));
        assert_int_equal(app.wrong, 0);
        assert_true(app.calls > 1 && app.last == app.total);
    }
    expect_bits(state, &w);
    close_work(&w);
}

/* Rows of an output that are not as they were poisoned. */
static size_t changed_rows(work *w, const step *s) {
    const float *values = pointer_at(w, s->output);
    const size_t row = floats_of(s) / s->rows;
    size_t changed = 0;
    for (size_t i = 0; i < s->rows; i++) {
        uint32_t bits;
        memcpy(&bits, values + i * row, sizeof bits);
        changed += bits != UINT32_MAX;
    }
    return changed;
}

/* Cancels after some pieces, on one thread. The pieces of the reference path are computed where they are
 * begun. */
static void cancel(void **state, work *w, const step *s, size_t after) {
    if (s->output)
        memset(pointer_at(w, s->output), 0xFF, floats_of(s) * sizeof(float));
    begin(after);
    expect_error(s->run(w), PM_ERROR_CANCELLED, "cancelled");
    assert_int_equal(app.wrong, 0);
    assert_true(app.last >= after && app.last < app.total);
    if (s->handle)
        assert_null(pointer_at(w, s->handle));
    if (!s->output || is_for_device(state))
        return;
    const size_t changed = changed_rows(w, s);
    assert_true(app.last == after && changed % (after ? after : 1) == 0);
    assert_true(after ? (s->rows * after + changed - 1) / changed == app.total : changed == 0);
}

TEST_ON_BOTH(a_cancelled_call_stops_before_the_next_piece) {
    work w;
    open_work(state, &pieces, 1, &w);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        begin(SIZE_MAX);
        cancel(state, &w, &steps[i], 0);
        const size_t total = app.total;
        for (size_t after = 1; after < total && after < 4; after++)
            if (!is_for_device(state))
                cancel(state, &w, &steps[i], after);
        if (is_for_device(state) && total > 6)
            cancel(state, &w, &steps[i], 2);
        begin(SIZE_MAX);
        expect_success(steps[i].run(&w)); /* the engine still works */
    }
    expect_bits(state, &w);
    close_work(&w);
}

FIXTURE(open_all) {
    keys = motion_make(KEYS, TRACKS, 0.5, 0x1A0);
    scene_make(engine_of_kind(ON_REFERENCE), &(scene_options){.salt = 0x1A1, .clips = 4},
               &crowd_scene);
    instances = test_array(INSTANCES, sizeof *instances);
    scene_instances(&crowd_scene, 0x1A2, INSTANCES, instances);
    random_source source = random_salted(0x1A3);
    for (size_t k = 0; k < SAMPLES; k++)
        times[k] = random_between(&source, -0.1, 2.1);
    return 0;
}

static int close_all(void **state) {
    motion_free(&keys);
    scene_free(&crowd_scene);
    free(instances);
    return engines_close(state);
}

TEST_GROUP(open_all, close_all)
