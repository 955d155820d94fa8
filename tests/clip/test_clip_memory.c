/* SPDX-License-Identifier: MIT
 *
 * The memory of a clip: close to the documented number of floats per segment for any number of
 * tracks. A clip that is too large for its device is refused before its segments are computed. What an
 * engine keeps of earlier clips is not in later ones.
 */
#include "support/engines.h"
#include "support/motion.h"
#include "support/test.h"
#include "support/variants.h"

#include "base/counts.h"
#include "engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TRACKS = 40, KEYS = 12 };

/* A description with rotations only. */
static pm_clip_desc describe(const variant *v, track_set *set) {
    pm_clip_desc desc = variant_describe(v, set);
    desc.positions = desc.scales = (pm_array){0};
    return desc;
}

/* The bytes of keys and segments. Track constants and other data that a track has once are
 * additional; they do not depend on the number of keys. */
static double documented_bytes(const pm_clip_desc *desc) {
    const double floats = pm_method_get_info(desc->method)->floats_per_segment;
    const double key = desc->key_format == PM_KEYS_FLOAT32 ? 16.0
                       : desc->key_format == PM_KEYS_LOG48 ? 6.125
                                                           : 6.0;
    return (double)desc->track_count * KEYS * (4.0 * floats - 16.0 + key);
}

/* Tracks are padded to a power of 2 or to a multiple of 16, which less than doubles their
 * number. */
static void expect_documented(const pm_clip_desc *desc, const char *name) {
    pm_clip *clip = NULL;
    pm_clip_info info;
    pm_error error = {0};
    expect_ok(pm_clip_create(engine_of_kind(ON_REFERENCE), desc, &clip, &error), &error);
    pm_clip_get_info(clip, &info);
    pm_clip_destroy(&clip);
    /* two planes of constants, and the padding of a group of 48-bit keys */
    const double once = (double)desc->track_count * 2.0 * 2.0 * 16.0 + 128.0;
    const double max = 2.0 * documented_bytes(desc) + once;
    if ((double)info.device_bytes > max)
        fail_msg("%s, %zu tracks, format %d: %llu bytes, documented %.0f", name, desc->track_count,
                 (int)desc->key_format, (unsigned long long)info.device_bytes,
                 documented_bytes(desc));
    if (desc->track_count == 1)
        assert_true((double)info.device_bytes <= documented_bytes(desc) + once);
}

TEST(any_number_of_tracks_requires_less_than_twice_the_documented_memory) {
    random_source source = random_start();
    for (size_t tracks = 1; tracks <= MAX_TRACKS; tracks++) {
        SCOPED(set_destroy) track_set set;
        set_random(&source, tracks, KEYS, 0.01, 1.0, true, true, &set);
        for (size_t n = 0; n < variant_count(); n++) {
            const variant *v = variant_at(n);
            variant_prepare(v, &set);
            pm_clip_desc desc = describe(v, &set);
            expect_documented(&desc, v->name);
            for (int format = PM_KEYS_LOG48; format < PM_KEYS_COUNT; format++) {
                desc.key_format = (pm_key_format)format;
                if (pm_clip_check(&desc, NULL) == PM_OK)
                    expect_documented(&desc, v->name);
            }
        }
    }
}

/* The reference path uploads nothing, so only a check before the computation can refuse. */
TEST(a_clip_too_large_for_the_device_is_refused_before_its_segments_are_made) {
    random_source source = random_start();
    SCOPED(set_destroy) track_set set;
    pm_clip *clip = NULL;
    pm_error error = {0};
    set_random(&source, 3, KEYS, 0.01, 1.0, true, true, &set);
    pm_clip_desc desc = set_describe(&set);
    desc.method = PM_METHOD_SQUAD;
    engine_of_kind(ON_REFERENCE)->device->info.max_allocation_bytes = 1000;
    const pm_status status = pm_clip_create(engine_of_kind(ON_REFERENCE), &desc, &clip, &error);
    engine_of_kind(ON_REFERENCE)->device->info.max_allocation_bytes = 0;
    expect_refusal(status, &error, PM_ERROR_DEVICE_MEMORY, "bytes in one piece");
    assert_null(clip);
}

/* ---- memory that an engine keeps ---- */

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
    pm_pool_close(pool);
    pm_pool_block *const lent[] = {second, larger, smaller, fitting}; /* outlive the owner */
    for (size_t i = 0; i < COUNT_OF(lent); i++) {
        memset(pm_pool_memory(lent[i]), 1, size / 2 - 1);
        pm_pool_give(lent[i]);
    }
}

/* Blocks that would exceed the limit displace those that are kept. Their pages are not written. */
TEST(kept_memory_is_bounded) {
    pm_pool *pool = pm_pool_open(NULL);
    const size_t size = PM_POOL_KEPT / 2 + PM_POOL_LEAST;
    pm_pool_block *first = pm_pool_take(pool, size), *second = pm_pool_take(pool, size);
    pm_pool_give(first);
    pm_pool_give(second);
    assert_ptr_equal(pm_pool_take(pool, size), second);
    pm_pool_block *other = pm_pool_take(pool, size); /* `first` was freed */
    assert_ptr_not_equal(pm_pool_memory(other), pm_pool_memory(second));
    pm_pool_give(other);
    pm_pool_give(second);
    pm_pool_close(pool);
}

/* Fills the block that the engine lends for `bytes` bytes next. */
static void fill_kept(pm_pool *pool, size_t bytes) {
    pm_pool_block *block = pm_pool_take(pool, bytes);
    memset(pm_pool_memory(block), 0xA5, bytes);
    pm_pool_give(block);
}

static void expect_all_written(const pm_clip_data *clip, const char *name) {
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        const uint32_t *words = clip->channels[c].keys;
        for (size_t i = 0; i < clip->channels[c].key_bytes / sizeof *words; i++)
            if (words[i] == 0xA5A5A5A5)
                fail_msg("%s, %zu tracks, channel %u: word %zu of %zu is of an earlier clip", name,
                         clip->track_count, c, i, clip->channels[c].key_bytes / sizeof *words);
    }
}

static void expect_no_earlier_bits(const pm_clip_desc *desc) {
    const char *name = pm_method_get_info(desc->method)->name;
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    pm_clip *clip = clip_make(engine, desc);
    const size_t bytes = clip->data->channels[PM_ROTATIONS].key_bytes;
    const void *keys = clip->data->channels[PM_ROTATIONS].keys;
    assert_true(bytes >= PM_POOL_LEAST);
    pm_clip_destroy(&clip);
    fill_kept(engine->device->pool, bytes);
    clip = clip_make(engine, desc);
    assert_ptr_equal(clip->data->channels[PM_ROTATIONS].keys, keys);
    expect_all_written(clip->data, name);
    pm_clip_destroy(&clip);
}

TEST(a_clip_in_the_memory_of_an_earlier_one_has_no_bit_of_it) {
    const size_t tracks[] = {1, 3, 22, 64}, keys = PM_POOL_LEAST / 16;
    for (size_t i = 0; i < COUNT_OF(tracks); i++) {
        const pm_timeline timeline = {.key_count = keys / tracks[i] + 1, .rate = {30, 1}};
        SCOPED(motion_free) motion m = motion_make(timeline.key_count, tracks[i], 1.0, 0xA5 + i);
        for (int n = 0; n < 2 * PM_METHOD_COUNT; n++) {
            pm_clip_desc desc = motion_desc(&m, &timeline, (pm_method)(n / 2));
            desc.positions = desc.scales = (pm_array){0};
            desc.loop = n % 2 ? (double)timeline.key_count / 30 : 0;
            expect_no_earlier_bits(&desc);
        }
    }
}

TEST_GROUP(NULL, engines_close)
