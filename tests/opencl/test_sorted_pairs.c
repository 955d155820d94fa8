/* SPDX-License-Identifier: MIT
 *
 * Jobs of so many pairs that plain C sorts them: the bits of the device's programs, which compute one pair after
 * another, for any order of times, and on a queue; and the memory that a device keeps for such jobs.
 */
#define _POSIX_C_SOURCE 200809L

#include "engine/engine.h"
#include "opencl/device.h"
#include "plan/sample_request.h"
#include "support/cl_caller.h"
#include "support/engines.h"
#include "support/faults.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <stdlib.h>
#include <string.h>

/* With 64 tracks, keys of squad exceed the least size; the last block is not full. */
enum { TRACKS = 64, KEYS = 4400, COUNT = (1 << 17) + 4321 };

static double times[COUNT];
static uint32_t tracks[COUNT];
static const pm_sample_job pairs = {.sample_count = COUNT, .times = times, .tracks = tracks};

static void draw_pairs(random_source *source, double low, double high) {
    random_times(source, COUNT, low, high, times);
    for (size_t k = 0; k < COUNT; k++)
        tracks[k] = (uint32_t)random_size(source, 0, TRACKS - 1);
}

static void expect_sorted(const pm_clip *clip, bool sorted) {
    float any = 0;
    pm_sample_job job = pairs;
    job.rotations = &any;
    assert_int_equal(pm_sample_request_of(clip->data, &job, 1).sorted_outputs & 1u, sorted);
}

static const pm_timeline uniform = {.key_count = KEYS, .rate = {60, 1}};
static const double seconds = (KEYS - 1) / 60.0;

static int by_time(const void *x, const void *y) {
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

TEST_ON_DEVICE(any_order_of_times_gives_the_reference_bits) {
    random_source source = random_salted(0x71);
    if (small_sizes())
        skip();
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 2.5, 0x72);
    const pm_clip_desc desc = motion_desc(&m, &uniform, PM_METHOD_SQUAD);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
    draw_pairs(&source, -5, seconds + 5); /* also before and after the keys */
    expect_sorted(clip, true);
    expect_reference_bits(clip, pairs, OF_CHANNELS);
    qsort(times, COUNT, sizeof *times, by_time);
    expect_reference_bits(clip, pairs, OF_CHANNELS);
    for (size_t k = 0; k < COUNT / 2; k++) { /* descending */
        const double kept = times[k];
        times[k] = times[COUNT - 1 - k];
        times[COUNT - 1 - k] = kept;
    }
    expect_reference_bits(clip, pairs, OF_CHANNELS);
    for (size_t k = 0; k < COUNT; k++) /* on keys, and as near to them as a double can be */
        times[k] = nextafter((double)random_size(&source, 0, KEYS - 1) / 60,
                             (double)random_size(&source, 0, 2) - 1);
    expect_reference_bits(clip, pairs, OF_CHANNELS);
    for (size_t k = 0; k < COUNT; k++) { /* one segment */
        times[k] = 1.001;
        tracks[k] = 7;
    }
    expect_reference_bits(clip, pairs, OF_CHANNELS);
}

TEST_ON_DEVICE(keys_of_48_bits_give_the_reference_bits) {
    enum { MANY_KEYS = 5 * KEYS };
    random_source source = random_salted(0x77);
    if (small_sizes())
        skip();
    SCOPED(motion_free) motion m = motion_make(MANY_KEYS, TRACKS, 2.5, 0x78);
    const pm_timeline timeline = {.key_count = MANY_KEYS, .rate = {60, 1}};
    static const struct {
        pm_method method;
        pm_key_format format;
    } rows[] = {{PM_METHOD_SLERP, PM_KEYS_LOG48},
                {PM_METHOD_SLERP, PM_KEYS_SMALLEST48},
                {PM_METHOD_CUBIC, PM_KEYS_LOG48}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pm_clip_desc desc = motion_desc(&m, &timeline, rows[i].method);
        desc.key_format = rows[i].format;
        SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
        draw_pairs(&source, 0, MANY_KEYS / 60.0);
        expect_sorted(clip, true);
        expect_reference_bits(clip, pairs, OF_CHANNELS);
    }
}

/* Clips of a third of the bytes a key have three times as many. */
static void expect_own_timelines(pm_engine *engine, pm_method method, size_t many) {
    random_source source = random_salted(0x79);
    motion m = motion_make(many * KEYS, TRACKS, 2.5, 0x7A), parts[TRACKS];
    pm_timeline timelines[TRACKS];
    uint32_t timeline_of[TRACKS];
    for (uint32_t t = 0; t < TRACKS; t++) {
        const size_t keys = random_size(&source, many * KEYS / 4, many * KEYS / 2);
        parts[t] = motion_slice(&m, t, keys);
        timelines[t] = (pm_timeline){.key_count = keys, .rate = {(int64_t)(30 + t), 1}};
        timeline_of[t] = t;
    }
    SCOPED(motion_free) motion packed = motion_pack(parts, TRACKS);
    pm_clip_desc desc = motion_desc(&packed, timelines, method);
    desc.track_count = TRACKS;
    desc.timeline_count = TRACKS;
    desc.timeline_of = timeline_of;
    pm_clip *clip = clip_make(engine, &desc);
    draw_pairs(&source, -1, (double)(many * KEYS) / 60.0);
    expect_sorted(clip, true);
    expect_reference_bits(clip, pairs, OF_CHANNELS);
    pm_clip_destroy(&clip);
    for (size_t t = 0; t < TRACKS; t++)
        motion_free(&parts[t]);
    motion_free(&m);
}

TEST_ON_DEVICE(tracks_with_their_own_timelines_give_the_reference_bits) {
    if (small_sizes())
        skip();
    expect_own_timelines(engine_for(state), PM_METHOD_SQUAD, 2);
    expect_own_timelines(engine_for(state), PM_METHOD_CUBIC, 6);
}

/* ---- on a queue ---- */

static pm_clip *squad_clip(pm_engine *engine) {
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 2.5, 0x7B);
    const pm_clip_desc desc = motion_desc(&m, &uniform, PM_METHOD_SQUAD);
    return clip_make(engine, &desc);
}

TEST_ON_DEVICE(a_job_on_a_queue_waits_and_keeps_its_own_pairs) {
    random_source source = random_salted(0x7C);
    if (small_sizes())
        skip();
    SCOPED(pm_clip_destroy) pm_clip *clip = squad_clip(caller.engine);
    draw_pairs(&source, 0, seconds);
    SCOPED(outputs_free) outputs expected = sampled_on_reference(clip, pairs, ONLY_ROTATIONS);
    cl_event gate = gate_make();
    cl_mem buffer = caller_buffer(COUNT * 16);
    const pm_cl_outputs to = {.rotations = buffer, .rotations_offset = CALLER_OFFSET};
    cl_command_queue queue = caller.out_of_order ? caller.out_of_order : caller.in_order;
    cl_event done = caller_sample(clip, &pairs, &to, queue, gate);
    memset(times, 0xFF, sizeof times);
    memset(tracks, 0xFF, sizeof tracks);
    assert_false(is_complete(done));
    gate_open(gate);
    caller_expect(buffer, expected.rotations, COUNT * 4, 4, done);
}

/* ---- the memory that a device keeps ---- */

TEST(kept_memory_is_lent_again) {
    pm_pool *pool = pm_pool_open(NULL);
    const size_t size = 2 * PM_POOL_LEAST;
    pm_pool_block *first = pm_pool_take(pool, size), *second = pm_pool_take(pool, size);
    const void *memory = pm_pool_memory(first);
    assert_non_null(memory);
    assert_ptr_not_equal(memory, pm_pool_memory(second));
    pm_pool_give(first);
    pm_pool_block *larger = pm_pool_take(pool, size + 1),
                  *smaller = pm_pool_take(pool, size / 2 - 1);
    assert_ptr_not_equal(pm_pool_memory(larger), memory);
    assert_ptr_not_equal(pm_pool_memory(smaller), memory);
    pm_pool_block *fitting = pm_pool_take(pool, size / 2);
    assert_ptr_equal(pm_pool_memory(fitting), memory);
    pm_pool_block *const lent[] = {second, larger, smaller, fitting};
    for (size_t i = 0; i < COUNT_OF(lent); i++)
        pm_pool_give(lent[i]);
    pm_pool_close(pool);
}

TEST(a_shared_block_comes_back_from_both_holders) {
    pm_pool *pool = pm_pool_open(NULL);
    pm_pool_block *block = pm_pool_take(pool, PM_POOL_LEAST);
    const void *memory = pm_pool_memory(block);
    assert_true(pm_pool_share(block));
    assert_false(pm_pool_share(block));
    pm_pool_give(block);
    pm_pool_block *other = pm_pool_take(pool, PM_POOL_LEAST);
    assert_ptr_not_equal(pm_pool_memory(other), memory);
    pm_pool_give(other);
    pm_pool_close(pool);
    memset(pm_pool_memory(block), 1, PM_POOL_LEAST); /* outlives the pool's owner */
    pm_pool_give(block);
}

/* No page of the blocks is written, so that they take addresses alone. */
TEST(kept_memory_is_bounded) {
    enum { BLOCKS = 3 };
    const size_t size = PM_POOL_KEPT / 2;
    if (!faults_are_linked())
        skip();
    const long before = faults_live_blocks();
    pm_pool *pool = pm_pool_open(NULL);
    const long empty = faults_live_blocks();
    pm_pool_block *blocks[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++)
        blocks[i] = pm_pool_take(pool, size);
    const long per_block = (faults_live_blocks() - empty) / BLOCKS;
    for (size_t i = 0; i < BLOCKS; i++)
        pm_pool_give(blocks[i]);
    assert_int_equal(faults_live_blocks(), empty + per_block); /* the last displaced the others */
    pm_pool_block *last = pm_pool_take(pool, size);
    assert_ptr_equal(last, blocks[BLOCKS - 1]);
    pm_pool_give(last);
    pm_pool_give(pm_pool_take(pool, PM_POOL_KEPT + 1)); /* too large to be kept */
    assert_int_equal(faults_live_blocks(), empty + per_block);
    pm_pool_close(pool);
    assert_int_equal(faults_live_blocks(), before);
}

FIXTURE(open_caller) {
    return caller_open() ? 0 : 1;
}

static int close_all(void **state) {
    caller_close();
    return engines_close(state);
}

TEST_GROUP_ON_DEVICE(open_caller, close_all)
