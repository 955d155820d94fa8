/* SPDX-License-Identifier: MIT
 *
 * Concurrent use by several threads: sampling of clips, and making of clips with their first
 * samples on one engine, which builds programs. The thread sanitizer runs this test too.
 */
#include "base/counts.h"
#include "support/engines.h"
#include "support/motion.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 2, THREAD_COUNT = 200, THREAD_TRACKS = 3 };

typedef struct worker {
    const pm_clip *clip;
    const float *expected;
    size_t rounds, failed, differing;
    uint64_t first;
} worker;

/* cmocka's assertions belong to the main thread, so a worker only counts. */
static void *sample_often(void *argument) {
    worker *w = argument;
    float out[THREAD_COUNT * THREAD_TRACKS * 4];
    for (size_t round = 0; round < w->rounds; round++) {
        const pm_sample_job job = {
            .sample_count = THREAD_COUNT, .rate = {100, 1}, .first = w->first, .rotations = out};
        w->failed += pm_sample(w->clip, &job, NULL) != PM_OK;
        w->differing += memcmp(out, w->expected, sizeof out) != 0;
    }
    return NULL;
}

TEST_ON_BOTH(threads_may_share_a_clip) {
    skip_without_concurrent_kernels(state);
    SCOPED(motion_free) motion m = motion_make(30, THREAD_TRACKS, 2.5, 0x31);
    const pm_timeline timeline = {.key_count = 30, .rate = {5, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
    float expected[THREADS][THREAD_COUNT * THREAD_TRACKS * 4];
    worker workers[THREADS];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.clip = clip,
                              .expected = expected[i],
                              .rounds = small_sizes() ? 3 : 200,
                              .first = i * 300};
        sample_make(clip, &(pm_sample_job){.sample_count = THREAD_COUNT,
                                           .rate = {100, 1},
                                           .first = i * 300,
                                           .rotations = expected[i]});
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, sample_often, &workers[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].failed, 0);
        assert_int_equal(workers[i].differing, 0);
    }
}

/* Makes a clip of each method, starting with `method`, and samples it: the engine builds missing
 * programs while the other threads do the same. */
typedef struct maker {
    pm_engine *engine;
    const motion *keys;
    size_t method, failed, differing;
    float (*expected)[THREAD_COUNT * THREAD_TRACKS * 4];
} maker;

static const pm_timeline maker_line = {.key_count = 12, .rate = {5, 1}};

static pm_status sample_method(pm_engine *engine, const motion *keys, pm_method method,
                               float *out) {
    const pm_clip_desc desc = motion_desc(keys, &maker_line, method);
    const pm_sample_job job = {.sample_count = THREAD_COUNT, .rate = {90, 1}, .rotations = out};
    SCOPED(pm_clip_destroy) pm_clip *clip = NULL;
    pm_status status = pm_clip_create(engine, &desc, &clip, NULL);
    if (status == PM_OK)
        status = pm_sample(clip, &job, NULL);
    return status;
}

static void *make_often(void *argument) {
    maker *w = argument;
    float out[THREAD_COUNT * THREAD_TRACKS * 4];
    for (size_t n = 0; n < PM_METHOD_COUNT; n++) {
        const size_t method = (w->method + n) % PM_METHOD_COUNT;
        memset(out, 0xFF, sizeof out);
        w->failed += sample_method(w->engine, w->keys, (pm_method)method, out) != PM_OK;
        w->differing += memcmp(out, w->expected[method], sizeof out) != 0;
    }
    return NULL;
}

TEST_ON_BOTH(threads_may_make_clips_on_one_engine) {
    skip_without_concurrent_kernels(state);
    static float expected[PM_METHOD_COUNT][THREAD_COUNT * THREAD_TRACKS * 4];
    SCOPED(motion_free) motion keys = motion_make(maker_line.key_count, THREAD_TRACKS, 2.5, 0x34);
    random_source source = random_salted(0x35);
    for (size_t i = 0; i < PM_METHOD_COUNT; i++)
        assert_int_equal(sample_method(engine_for(state), &keys, (pm_method)i, expected[i]), PM_OK);
    SCOPED(pm_engine_destroy) pm_engine *fresh = engine_with(state, &(pm_engine_desc){0});
    maker makers[THREADS];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        makers[i] = (maker){.engine = fresh,
                            .keys = &keys,
                            .method = random_size(&source, 0, PM_METHOD_COUNT - 1),
                            .expected = expected};
        assert_int_equal(pthread_create(&threads[i], NULL, make_often, &makers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(makers[i].failed, 0);
        assert_int_equal(makers[i].differing, 0);
    }
}

TEST_GROUP(NULL, engines_close)
