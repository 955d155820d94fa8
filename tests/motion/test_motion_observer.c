/* SPDX-License-Identifier: MIT
 *
 * Tests of observers: they see the bytes of inputs and outputs, all and in order, and what containers
 * state.
 */
#include <posemill/posemill_motion.h>

#include "support/check.h"
#include "support/file_bytes.h"
#include "support/npz_files.h"
#include "support/short_take.h"
#include "support/test.h"
#include "support/test_folder.h"

#include <stdlib.h>
#include <string.h>

typedef struct witness {
    file_bytes seen;
    size_t expectations;
    uint64_t expected;
} witness;

static void see(void *user, const void *data, size_t size) {
    bytes_add(&((witness *)user)->seen, data, size);
}

static void expect(void *user, uint64_t bytes) {
    witness *w = user;
    assert_int_equal(w->expectations++, 0);
    w->expected = bytes;
}

static pm_motion_observer observer_of(witness *w) {
    return (pm_motion_observer){.see = see, .expect = expect, .user = w};
}

static void expect_seen(witness *w, const void *data, size_t size) {
    assert_int_equal(w->seen.size, size);
    assert_memory_equal(w->seen.data, data, size);
    free(w->seen.data);
    *w = (witness){.expectations = 0};
}

static void expect_seen_file(witness *w, const char *path) {
    size_t size;
    SCOPED(free_at) char *data = test_folder_read(path, &size);
    expect_seen(w, data, size);
}

static pm_motion *open_take(const pm_motion_observer *observer) {
    pm_motion *motion = NULL;
    test_folder_put_text("take.bvh", short_take);
    expect_success(pm_motion_open("take.bvh", &(pm_motion_read_options){.observer = observer},
                                  &motion, new_error()));
    return motion;
}

TEST(inputs_are_seen_as_they_are) {
    witness w = {.expectations = 0};
    const pm_motion_observer observer = observer_of(&w);
    const pm_motion_read_options options = {.observer = &observer};
    pm_motion *motion = open_take(&observer);
    pm_motion_destroy(&motion);
    assert_int_equal(w.expectations, 0); /* nothing is packed */
    expect_seen(&w, short_take, strlen(short_take));
    expect_success(pm_motion_parse(short_take, strlen(short_take), "take", NULL, &options, &motion,
                                   new_error()));
    pm_motion_destroy(&motion);
    expect_seen(&w, short_take, strlen(short_take));
}

TEST(outputs_are_seen_as_they_are) {
    witness w = {.expectations = 0};
    const pm_motion_observer observer = observer_of(&w);
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    SCOPED(pm_motion_destroy) pm_motion *motion = open_take(NULL);
    expect_success(pm_engine_create(&(pm_engine_desc){.device = "none"}, &engine, new_error()));
    for (int scaled = 0; scaled < 2; scaled++) { /* the document, and a new one */
        const pm_motion_convert_options options = {.scale = scaled ? 0.5 : 1,
                                                   .observer = &observer};
        expect_success(pm_motion_convert(motion, &options, "out.bvh", new_error()));
        expect_seen_file(&w, "out.bvh");
    }
    const pm_motion_resample_options options = {.rate = {47, 1}, .observer = &observer};
    expect_success(pm_motion_resample(motion, engine, &options, "out.bvh", NULL, new_error()));
    expect_seen_file(&w, "out.bvh");
}

TEST(functions_may_be_null) {
    static const pm_motion_observer blind;
    SCOPED(pm_motion_destroy) pm_motion *motion = open_take(&blind);
    expect_success(pm_motion_convert(motion, &(pm_motion_convert_options){.observer = &blind},
                                     "c.bvh", new_error()));
}

/* Of all compressed members, also of those that are no array of the motion. */
TEST(packed_bytes_are_expected_with_their_size_unpacked) {
    static const double poses[2 * 72], rate = 30;
    static const char other[10000];
    witness w = {.expectations = 0};
    const pm_motion_observer observer = observer_of(&w);
    const pm_motion_read_options options = {.observer = &observer};
    pm_motion *motion = NULL;
    SCOPED(zip_free) zip_builder zip = {.count = 0};
    zip_add_array(&zip, "poses.npy", true, "<f8", "(2, 72)", poses, sizeof poses);
    zip_add_array(&zip, "mocap_framerate.npy", false, "<f8", "()", &rate, sizeof rate);
    zip_add(&zip, "notes.txt", true, other, sizeof other, NULL);
    zip_finish(&zip, zip.count, false);
    expect_success(pm_motion_parse(zip.file.data, zip.file.size, "in.npz", NULL, &options, &motion,
                                   new_error()));
    assert_int_equal(w.expectations, 1);
    zip_found found;
    uint64_t sum = sizeof other;
    assert_true(zip_lookup(zip.file.data, zip.file.size, "poses.npy", &found));
    sum += found.size;
    free(found.data);
    assert_int_equal(w.expected, sum);
    pm_motion_destroy(&motion);
    expect_seen(&w, zip.file.data, zip.file.size);
}

TEST_GROUP(test_folder_enter, test_folder_leave)
