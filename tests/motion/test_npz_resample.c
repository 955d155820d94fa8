/* SPDX-License-Identifier: MIT
 *
 * Tests of NPZ motions whose rotations are converted while they are resampled: the same bytes as from
 * rotations that were converted when they were read, and what such a motion is refused for.
 */
#define _POSIX_C_SOURCE 200809L

#include "oracle/random_tracks.h"
#include "support/engines.h"
#include "support/npz_files.h"
#include "support/test_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 40, JOINTS = 5, ROTATIONS = FRAMES * JOINTS };

/* Rotations of three kinds in one group of tracks, of two types, and the velocities of one. */
static const char layout[] = "{\"name\": \"mixed\", \"rotations\": ["
                             "{\"member\": \"a\", \"as\": \"axis-angle\", \"parts\": [\"part\"]},"
                             "{\"member\": \"x\", \"as\": \"quaternion-xyzw\"},"
                             "{\"member\": \"w\", \"as\": \"quaternion-wxyz\"}],"
                             "\"vectors\": [\"p\"],"
                             "\"velocities\": [{\"member\": \"v\", \"of\": \"w\"}],"
                             "\"rates\": [\"fps\"]}";

static void add_numbers(zip_builder *zip, const char *name, bool is_float32, const double *numbers,
                        size_t group) {
    float narrow[ROTATIONS * 4];
    char shape[64];
    const size_t count = ROTATIONS * group;
    for (size_t i = 0; i < count; i++)
        narrow[i] = (float)numbers[i];
    snprintf(shape, sizeof shape, "(%d, %d, %zu)", (int)FRAMES, (int)JOINTS, group);
    zip_add_array(zip, name, false, is_float32 ? "<f4" : "<f8", shape,
                  is_float32 ? (const void *)narrow : numbers, count * (is_float32 ? 4 : 8));
}

/* With `pad` bytes before the arrays, of which one in eight aligns those of quaternions. */
static zip_builder make_file(bool is_float32, size_t pad) {
    zip_builder zip = {0};
    random_source source = random_start();
    double vectors[ROTATIONS * 3], unit[ROTATIONS * 4], other[ROTATIONS * 4];
    for (size_t i = 0; i < (size_t)ROTATIONS * 3; i++)
        vectors[i] = random_between(&source, -2.0, 2.0);
    for (size_t i = 0; i < ROTATIONS; i++) {
        random_quaternion(&source, unit + 4 * i);
        random_quaternion(&source, other + 4 * i);
        for (size_t k = 0; k < 4; k++)
            other[4 * i + k] *= 1.0 + (double)(i % 3);
    }
    const double rate = 30;
    zip_add(&zip, "pad", false, "12345678", pad, NULL);
    add_numbers(&zip, "x.npy", false, unit, 4);
    add_numbers(&zip, "a.npy", is_float32, vectors, 3);
    add_numbers(&zip, "part.npy", is_float32, vectors, 3);
    add_numbers(&zip, "w.npy", is_float32, other, 4);
    add_numbers(&zip, "p.npy", is_float32, vectors, 3);
    add_numbers(&zip, "v.npy", is_float32, vectors, 3);
    zip_add_array(&zip, "fps.npy", false, "<f8", "()", &rate, sizeof rate);
    zip_finish(&zip, zip.count, false);
    return zip;
}

static int write_layout(void **state) {
    const int failed = test_folder_enter(state);
    test_folder_put_text("layout.json", layout);
    return failed;
}

static int leave(void **state) {
    return test_folder_leave(state) | engines_close(state);
}

static pm_motion *read_file(const zip_builder *zip, bool resample_only) {
    pm_motion *motion = NULL;
    const pm_motion_read_options options = {
        .format = PM_MOTION_NPZ, .layout = "layout.json", .resample_only = resample_only};
    expect_success(pm_motion_parse(zip->file.data, zip->file.size, "mixed.npz", NULL, &options,
                                   &motion, new_error()));
    return motion;
}

static void keep(void *user, const void *data, size_t size) {
    bytes_add(user, data, size);
}

static file_bytes resample(const pm_motion *motion, pm_engine *engine,
                           pm_motion_resample_options options, pm_motion_resample_report *report) {
    file_bytes bytes = {0};
    const pm_motion_observer observer = {.see = keep, .user = &bytes};
    options.observer = &observer;
    expect_success(pm_motion_resample(motion, engine, &options, "/dev/null", report, new_error()));
    return bytes;
}

static void expect_equal(const file_bytes *got, const file_bytes *expected) {
    assert_int_equal(got->size, expected->size);
    assert_memory_equal(got->data, expected->data, expected->size);
}

static void expect_same(const zip_builder *zip, pm_engine *engine,
                        const pm_motion_resample_options *options) {
    pm_motion *whole = read_file(zip, false), *later = read_file(zip, true);
    pm_motion_resample_options checked = *options;
    checked.check = true; /* computes samples on frames too */
    pm_motion_resample_report a, b, c;
    file_bytes expected = resample(whole, engine, *options, &a);
    file_bytes got = resample(later, engine, *options, &b);
    file_bytes computed = resample(later, engine, checked, &c);
    expect_equal(&got, &expected);
    expect_equal(&computed, &expected);
    assert_true(b.samples == a.samples && c.samples == a.samples);
    assert_true(b.kept == a.kept && c.kept == a.kept && c.identical);
    free(expected.data);
    free(got.data);
    free(computed.data);
    pm_motion_destroy(&whole);
    pm_motion_destroy(&later);
}

TEST_ON_BOTH(rotations_converted_later_give_the_same_bytes) {
    static const pm_method methods[] = {PM_METHOD_SLERP, PM_METHOD_SQUAD, PM_METHOD_SPLINE};
    static const pm_rational rates[] = {{30, 1}, {15, 2}, {60, 1}, {47, 1}};
    pm_engine *engine = engine_for(state);
    for (size_t pad = 0; pad < 8; pad++) {
        zip_builder zip = make_file(pad % 2 != 0, pad);
        for (size_t m = 0; m < COUNT_OF(methods); m++)
            for (size_t r = 0; r < COUNT_OF(rates); r++) {
                const pm_clip_desc curve = {.method = methods[m]};
                expect_same(&zip, engine,
                            &(pm_motion_resample_options){
                                .rate = rates[r], .curve = &curve, .trim_start = pad});
            }
        zip_free(&zip);
    }
}

TEST(their_keys_are_not_in_memory) {
    zip_builder zip = make_file(false, 0);
    pm_motion *motion = read_file(&zip, true);
    const pm_motion_clip *clip = pm_motion_get_content(motion)->clips;
    size_t absent = 0;
    for (size_t c = 0; c < clip->channel_count; c++) {
        assert_true(clip->channels[c].keys.data || clip->channels[c].path == PM_MOTION_ROTATION);
        absent += !clip->channels[c].keys.data;
    }
    assert_true(absent >= (size_t)2 * JOINTS); /* all but quaternions x y z w that are aligned */
    pm_motion_destroy(&motion);
    zip_free(&zip);
}

TEST_ON_REFERENCE(what_needs_keys_refuses_them) {
    pm_engine *engine = engine_for(state);
    static const char words[] = "resample_only";
    zip_builder zip = make_file(false, 0);
    pm_motion *motion = read_file(&zip, true), *copy = NULL;
    const pm_motion_character *character = NULL;
    const pm_motion_resample_options options = {.rate = {60, 1}};
    const pm_motion_convert_options conversion = {.format = PM_MOTION_NPZ};
    pm_error error = poisoned_error();
    expect_refusal(pm_motion_make_character(motion, NULL, &character, &error), &error,
                   PM_ERROR_ARGUMENT, words);
    assert_null(character);
    error = poisoned_error();
    expect_refusal(pm_motion_resample_copy(motion, engine, &options, &copy, NULL, &error), &error,
                   PM_ERROR_ARGUMENT, words);
    assert_null(copy);
    error = poisoned_error();
    expect_refusal(pm_motion_convert(motion, &conversion, "/dev/null", &error), &error,
                   PM_ERROR_ARGUMENT, words);
    pm_motion_destroy(&motion);
    zip_free(&zip);
}

/* Of a large member only the header is read, and nothing takes the motion but a look at it. */
TEST_ON_REFERENCE(headers_alone_are_no_motion) {
    enum { ROWS = 14000, COLUMNS = 156 };
    pm_engine *engine = engine_for(state);
    static const char words[] = "headers_only";
    zip_builder zip = {0};
    const double rate = 30;
    double *zeros = calloc((size_t)ROWS * COLUMNS, sizeof *zeros);
    assert_non_null(zeros);
    zip_add_array(&zip, "poses.npy", true, "<f8", "(14000, 156)", zeros,
                  (size_t)ROWS * COLUMNS * sizeof *zeros);
    zip_add_array(&zip, "mocap_framerate.npy", false, "<f8", "()", &rate, sizeof rate);
    zip_finish(&zip, zip.count, false);
    free(zeros);
    pm_motion *motion = NULL, *copy = NULL;
    pm_error error = poisoned_error();
    const pm_motion_read_options reading = {.format = PM_MOTION_NPZ, .headers_only = true};
    const pm_motion_resample_options options = {.rate = {60, 1}};
    const pm_motion_convert_options conversion = {.format = PM_MOTION_NPZ};
    expect_ok(
        pm_motion_parse(zip.file.data, zip.file.size, "large.npz", NULL, &reading, &motion, &error),
        &error);
    const pm_motion_clip *clip = pm_motion_get_content(motion)->clips;
    assert_int_equal(clip->timelines[0].key_count, ROWS);
    assert_int_equal(clip->channel_count, COLUMNS / 3);
    assert_null(clip->channels[0].keys.data);
    error = poisoned_error();
    expect_refusal(pm_motion_resample(motion, engine, &options, "/dev/null", NULL, &error), &error,
                   PM_ERROR_ARGUMENT, words);
    error = poisoned_error();
    expect_refusal(pm_motion_resample_copy(motion, engine, &options, &copy, NULL, &error), &error,
                   PM_ERROR_ARGUMENT, words);
    error = poisoned_error();
    expect_refusal(pm_motion_convert(motion, &conversion, "/dev/null", &error), &error,
                   PM_ERROR_ARGUMENT, words);
    pm_motion_destroy(&motion);
    zip_free(&zip);
}

TEST_GROUP(write_layout, leave)
