/* SPDX-License-Identifier: MIT
 *
 * Options of an engine that must not change a result: the folder of kernels, the program cache with
 * any content, the log.
 */
#define _XOPEN_SOURCE 700 /* nftw */

#include "support/cache_folder.h"
#include "support/engines.h"
#include "support/motion.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef POSEMILL_SOURCE_DIR
#error "POSEMILL_SOURCE_DIR must name the root of the sources"
#endif

enum { SAMPLES = 40 };

static void count_message(void *user, pm_log_level level, const char *message) {
    size_t *count = user;
    assert_true(level >= PM_LOG_DEBUG && level <= PM_LOG_WARNING);
    assert_non_null(message);
    ++*count;
}

/* ---- options that must not change a result ---- */

/* Samples a squad clip of positions and rotations into out[SAMPLES * 5 * 4]. */
static void sample_on(pm_engine *engine, float *out) {
    SCOPED(motion_free) motion m = motion_make(9, 5, 1.5, 0xE61);
    const pm_timeline timeline = {.key_count = 9, .rate = {8, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
    sample_make(clip, &(pm_sample_job){.sample_count = SAMPLES, .rate = {43, 1}, .rotations = out});
}

static void expect_usual_results(void **state, const pm_engine_desc *options) {
    float expected[SAMPLES * 5 * 4], actual[SAMPLES * 5 * 4];
    memset(actual, 0xFF, sizeof actual);
    sample_on(engine_for(state), expected);
    pm_engine *engine = engine_with(state, options);
    sample_on(engine, actual);
    pm_engine_destroy(&engine);
    expect_same_bits(actual, expected, SAMPLES * 5 * 4, 4);
}

TEST_ON_BOTH(a_log_function_does_not_change_results) {
    size_t count = 0;
    expect_usual_results(state, &(pm_engine_desc){.log = count_message, .log_user = &count});
}

TEST_ON_DEVICE(kernels_read_from_a_folder_give_the_same_results) {
    expect_usual_results(state, &(pm_engine_desc){.kernel_folder = POSEMILL_SOURCE_DIR "/kernels",
                                                  .cache_folder = ""});
}

TEST_ON_DEVICE(a_kernel_folder_that_does_not_exist_is_an_error) {
    pm_engine *engine = NULL;
    const pm_engine_desc desc = {.device = device_for(state), .kernel_folder = "/nonexistent"};
    pm_status status = pm_engine_create(&desc, &engine, new_error());
    if (status == PM_OK) { /* programs may be built on first use */
        pm_bit_match identity;
        status = pm_engine_self_check(engine, &identity, new_error());
        pm_engine_destroy(&engine);
    }
    assert_true(status == PM_ERROR_ARGUMENT || status == PM_ERROR_BUILD);
    expect_error(status, status, "/nonexistent");
}

/* ---- the program cache ---- */

static const char *cache;
static size_t cache_files;
static enum spoil { COUNT_ONLY, TRUNCATE, FLIP_BYTES, EMPTY, LENGTHEN } spoil;

FIXTURE(make_cache) {
    cache = cache_folder_make();
    return 0;
}

FIXTURE(remove_cache) {
    return !cache_folder_remove();
}

static void flip_bytes(const char *path, long size) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    for (long at = 0; at < size; at += 97) {
        fseek(file, at, SEEK_SET);
        const int c = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(c ^ 0x55, file);
    }
    fclose(file);
}

static int spoil_entry(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)ftw;
    if (type != FTW_F)
        return 0;
    cache_files++;
    switch (spoil) {
    case COUNT_ONLY:
        return 0;
    case TRUNCATE:
        return truncate(path, st->st_size / 2);
    case FLIP_BYTES:
        flip_bytes(path, (long)st->st_size);
        return 0;
    case EMPTY:
        return truncate(path, 0);
    case LENGTHEN:
        return truncate(path, st->st_size + 4096);
    }
    return -1;
}

static size_t walk_cache(enum spoil what) {
    cache_files = 0;
    spoil = what;
    assert_int_equal(nftw(cache, spoil_entry, 8, FTW_PHYS), 0);
    return cache_files;
}

#define WITH_CACHE(test) TEST_WITH(test, make_cache, remove_cache, &on_device)

WITH_CACHE(invalid_files_in_the_cache_are_misses_and_never_errors) {
    expect_usual_results(state, &(pm_engine_desc){.cache_folder = cache});
    for (int what = TRUNCATE; what <= LENGTHEN; what++) {
        assert_true(walk_cache((enum spoil)what) > 0);
        expect_usual_results(state, &(pm_engine_desc){.cache_folder = cache});
    }
}

TEST_GROUP(NULL, engines_close)
