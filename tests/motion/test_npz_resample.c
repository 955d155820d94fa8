/* SPDX-License-Identifier: MIT
 *
 * Tests of NPZ motions whose rotations are converted while they are resampled: the same bytes as from
 * rotations that were converted when they were read, and what such a motion is refused for. And of
 * compressed members with so many new rows that they are made and compressed some at a time.
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

typedef struct followed {
    file_bytes bytes;
    uint64_t done, total; /* of the progress */
} followed;

static void keep(void *user, const void *data, size_t size) {
    bytes_add(&((followed *)user)->bytes, data, size);
}

static void follow(void *user, uint64_t done, uint64_t total) {
    followed *f = user;
    assert_true(done > f->done && done <= total);
    f->done = done;
    f->total = total;
}

static file_bytes resample(const pm_motion *motion, pm_engine *engine,
                           pm_motion_resample_options options, pm_motion_resample_report *report) {
    followed f = {.done = 0};
    const pm_motion_observer observer = {.see = keep, .user = &f};
    options.observer = &observer;
    options.progress = follow;
    options.progress_user = &f;
    expect_success(pm_motion_resample(motion, engine, &options, "/dev/null", report, new_error()));
    assert_true(f.done == f.total && f.total == report->samples);
    return f.bytes;
}

static void expect_equal(const file_bytes *got, const file_bytes *expected) {
    assert_int_equal(got->size, expected->size);
    assert_memory_equal(got->data, expected->data, expected->size);
}

static void expect_same(const zip_builder *zip, pm_engine *engine,
                        const pm_motion_resample_options *options) {
    SCOPED(pm_motion_destroy)
    pm_motion *whole = read_file(zip, false), *later = read_file(zip, true);
    pm_motion_resample_options checked = *options;
    checked.check = true; /* computes samples on frames too */
    pm_motion_resample_report a, b, c;
    SCOPED(bytes_free) file_bytes expected = resample(whole, engine, *options, &a);
    SCOPED(bytes_free) file_bytes got = resample(later, engine, *options, &b);
    SCOPED(bytes_free) file_bytes computed = resample(later, engine, checked, &c);
    expect_equal(&got, &expected);
    expect_equal(&computed, &expected);
    assert_true(b.samples == a.samples && c.samples == a.samples);
    assert_true(b.kept == a.kept && c.kept == a.kept && c.identical);
}

TEST_ON_BOTH(rotations_converted_later_give_the_same_bytes) {
    static const pm_method methods[] = {PM_METHOD_SLERP, PM_METHOD_SQUAD, PM_METHOD_SPLINE};
    static const pm_rational rates[] = {{30, 1}, {15, 2}, {60, 1}, {47, 1}};
    pm_engine *engine = engine_for(state);
    for (size_t pad = 0; pad < 8; pad++) {
        SCOPED(zip_free) zip_builder zip = make_file(pad % 2 != 0, pad);
        for (size_t m = 0; m < COUNT_OF(methods); m++)
            for (size_t r = 0; r < COUNT_OF(rates); r++) {
                const pm_clip_desc curve = {.method = methods[m]};
                expect_same(&zip, engine,
                            &(pm_motion_resample_options){
                                .rate = rates[r], .curve = &curve, .trim_start = pad});
            }
    }
}

TEST(their_keys_are_not_in_memory) {
    SCOPED(zip_free) zip_builder zip = make_file(false, 0);
    SCOPED(pm_motion_destroy) pm_motion *motion = read_file(&zip, true);
    const pm_motion_clip *clip = pm_motion_get_content(motion)->clips;
    size_t absent = 0;
    for (size_t c = 0; c < clip->channel_count; c++) {
        assert_true(clip->channels[c].keys.data || clip->channels[c].path == PM_MOTION_ROTATION);
        absent += !clip->channels[c].keys.data;
    }
    assert_true(absent >= (size_t)2 * JOINTS); /* all but quaternions x y z w that are aligned */
}

/* What makes a copy of the motion, which needs the keys. */
static void expect_no_copies(const pm_motion *motion, pm_engine *engine, const char *words) {
    pm_motion *copy = NULL;
    const pm_motion_resample_options options = {.rate = {60, 1}};
    const pm_motion_convert_options conversion = {.format = PM_MOTION_NPZ};
    expect_error(pm_motion_resample_copy(motion, engine, &options, &copy, NULL, new_error()),
                 PM_ERROR_ARGUMENT, words);
    assert_null(copy);
    expect_error(pm_motion_convert(motion, &conversion, "/dev/null", new_error()),
                 PM_ERROR_ARGUMENT, words);
}

TEST_ON_REFERENCE(what_needs_keys_refuses_them) {
    SCOPED(zip_free) zip_builder zip = make_file(false, 0);
    SCOPED(pm_motion_destroy) pm_motion *motion = read_file(&zip, true);
    const pm_motion_character *character = NULL;
    expect_error(pm_motion_character_create(motion, NULL, &character, new_error()),
                 PM_ERROR_ARGUMENT, "resample_only");
    assert_null(character);
    expect_no_copies(motion, engine_for(state), "resample_only");
}

/* Of a large member only the header is read, and nothing takes the motion but a look at it. */
TEST_ON_REFERENCE(headers_alone_are_no_motion) {
    enum { ROWS = 14000, COLUMNS = 156 };
    SCOPED(zip_free) zip_builder zip = {0};
    const double rate = 30;
    double *zeros = calloc((size_t)ROWS * COLUMNS, sizeof *zeros);
    assert_non_null(zeros);
    zip_add_array(&zip, "poses.npy", true, "<f8", "(14000, 156)", zeros,
                  (size_t)ROWS * COLUMNS * sizeof *zeros);
    zip_add_array(&zip, "mocap_framerate.npy", false, "<f8", "()", &rate, sizeof rate);
    zip_finish(&zip, zip.count, false);
    free(zeros);
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    const pm_motion_read_options reading = {.format = PM_MOTION_NPZ, .headers_only = true};
    expect_success(pm_motion_parse(zip.file.data, zip.file.size, "large.npz", NULL, &reading,
                                   &motion, new_error()));
    const pm_motion_clip *clip = pm_motion_get_content(motion)->clips;
    assert_int_equal(clip->timelines[0].key_count, ROWS);
    assert_int_equal(clip->channel_count, COLUMNS / 3);
    assert_null(clip->channels[0].keys.data);
    expect_error(pm_motion_resample(motion, engine_for(state),
                                    &(pm_motion_resample_options){.rate = {60, 1}}, "/dev/null",
                                    NULL, new_error()),
                 PM_ERROR_ARGUMENT, "headers_only");
    expect_no_copies(motion, engine_for(state), "headers_only");
}

/* ---- members with many rows ------------------------------------------------------------- */

/* Rows repeat after PERIOD frames, so that they compress fast, but for the positions, which tell each
 * row from all others. Most of a row are flags, which cost no computation. */
enum { ROWS = 1000, PERIOD = 8, FLAGS = 24000 };

static const char *const members[] = {"x.npy", "a.npy", "part.npy",  "w.npy",    "p.npy",
                                      "v.npy", "q.npy", "flags.npy", "none.npy", "fps.npy"};

/* `period` frames of `group` numbers for each joint, again and again. */
static void add_rows(zip_builder *zip, const char *name, bool deflated, const double *numbers,
                     size_t period, size_t group) {
    const size_t width = JOINTS * group;
    SCOPED(free_at) double *rows = malloc(ROWS * width * sizeof *rows);
    char shape[64];
    assert_non_null(rows);
    for (size_t k = 0; k < ROWS; k++)
        memcpy(rows + k * width, numbers + k % period * width, width * sizeof *rows);
    snprintf(shape, sizeof shape, "(%d, %d, %zu)", (int)ROWS, (int)JOINTS, group);
    zip_add_array(zip, name, deflated, "<f8", shape, rows, ROWS * width * sizeof *rows);
}

/* Two columns, in Fortran order. */
static void add_columns(zip_builder *zip, const char *name, bool deflated) {
    SCOPED(free_at) double *columns = malloc((size_t)2 * ROWS * sizeof *columns);
    char shape[64];
    assert_non_null(columns);
    for (size_t k = 0; k < (size_t)2 * ROWS; k++)
        columns[k] = (double)(k % PERIOD);
    snprintf(shape, sizeof shape, "(%d, 2)", (int)ROWS);
    zip_add_array(zip, name, deflated, "F<f8", shape, columns, (size_t)2 * ROWS * sizeof *columns);
}

static void add_flags(zip_builder *zip, const char *name, bool deflated) {
    char *flags = malloc((size_t)ROWS * FLAGS), shape[64];
    assert_non_null(flags);
    for (size_t i = 0; i < (size_t)ROWS * FLAGS; i++)
        flags[i] = i / FLAGS % PERIOD == i % 7;
    snprintf(shape, sizeof shape, "(%d, %d)", (int)ROWS, (int)FLAGS);
    zip_add_array(zip, name, deflated, "|b1", shape, flags, (size_t)ROWS * FLAGS);
    free(flags);
}

static zip_builder make_rows(bool deflated) {
    static double vectors[PERIOD * JOINTS * 3], unit[2][PERIOD * JOINTS * 4];
    static const double rate = 30;
    zip_builder zip = {0};
    random_source source = random_start();
    SCOPED(free_at) double *positions = malloc(sizeof *positions * ROWS * JOINTS * 3);
    assert_non_null(positions);
    for (size_t i = 0; i < (size_t)ROWS * JOINTS * 3; i++)
        positions[i] = i % (JOINTS * 3) == 0 ? (double)i : 0.0;
    for (size_t i = 0; i < (size_t)PERIOD * JOINTS * 3; i++)
        vectors[i] = random_between(&source, -2.0, 2.0);
    for (size_t i = 0; i < (size_t)2 * PERIOD * JOINTS; i++)
        random_quaternion(&source, unit[0] + 4 * i);
    add_rows(&zip, "x.npy", deflated, unit[0], PERIOD, 4);
    add_rows(&zip, "a.npy", deflated, vectors, PERIOD, 3);
    add_rows(&zip, "part.npy", deflated, vectors, PERIOD, 3);
    add_rows(&zip, "w.npy", deflated, unit[1], PERIOD, 4);
    add_rows(&zip, "p.npy", deflated, positions, ROWS, 3);
    add_rows(&zip, "v.npy", deflated, vectors, PERIOD, 3);
    add_columns(&zip, "q.npy", deflated);
    add_flags(&zip, "flags.npy", deflated);
    zip_add_array(&zip, "none.npy", deflated, "<f8", "(1000, 0)", "", 0);
    zip_add_array(&zip, "fps.npy", deflated, "<f8", "()", &rate, sizeof rate);
    zip_finish(&zip, zip.count, false);
    return zip;
}

/* The same rows, compressed as if they were one piece. */
static void expect_same_member(const file_bytes *deflated, const file_bytes *stored,
                               const char *name) {
    zip_found got, expected, packed;
    SCOPED(zip_free) zip_builder again = {0};
    assert_true(zip_lookup(deflated->data, deflated->size, name, &got));
    assert_true(zip_lookup(stored->data, stored->size, name, &expected));
    assert_int_equal(got.method, 8);
    assert_int_equal(expected.method, 0);
    assert_int_equal(got.size, expected.size);
    assert_int_equal(got.crc, expected.crc);
    assert_memory_equal(got.data, expected.data, expected.size);
    zip_add(&again, name, true, expected.data, expected.size, NULL);
    zip_finish(&again, 1, false);
    assert_true(zip_lookup(again.file.data, again.file.size, name, &packed));
    assert_int_equal(got.packed_size, packed.packed_size);
    assert_memory_equal(got.packed, packed.packed, packed.packed_size);
    free(packed.data);
    free(got.data);
    free(expected.data);
}

TEST_ON_REFERENCE(spans_give_the_bytes_of_the_whole) {
    static const pm_clip_desc squad = {.method = PM_METHOD_SQUAD},
                              smooth = {.method = PM_METHOD_BSPLINE};
    const pm_motion_resample_options all[] = {
        {.rate = {60, 1}},
        {.rate = {47, 1}, .curve = &squad, .trim_start = 3, .end_rule = PM_MOTION_END_INCLUDE},
        {.rate = {90, 1}, .curve = &smooth, .start_after_first_key = {1, 7}}, /* three */
    };
    pm_engine *engine = engine_for(state);
    zip_builder files[] = {make_rows(true), make_rows(false)};
    pm_motion *motions[] = {read_file(&files[0], true), read_file(&files[1], false)};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        pm_motion_resample_report a, b;
        SCOPED(bytes_free) file_bytes deflated = resample(motions[0], engine, all[i], &a);
        SCOPED(bytes_free) file_bytes stored = resample(motions[1], engine, all[i], &b);
        assert_true(a.samples == b.samples && a.kept == b.kept && a.end_cut == b.end_cut);
        assert_true(stored.size > (size_t)36 << 20); /* more than one span */
        for (size_t m = 0; m < COUNT_OF(members); m++)
            expect_same_member(&deflated, &stored, members[m]);
    }
    for (size_t i = 0; i < 2; i++) {
        pm_motion_destroy(&motions[i]);
        zip_free(&files[i]);
    }
}

/* ---- failures --------------------------------------------------------------------------- */

/* Samples that fail late. */
typedef struct failing {
    test_samples samples;
    uint64_t reads, fails_at;
} failing;

static pm_status fail_late(void *user, uint64_t first, size_t count, double *const channels[],
                           motion_position positions[], pm_error *error) {
    failing *f = user;
    if (first + count > f->fails_at)
        return motion_fail(error, PM_ERROR_DEVICE, "the device is gone");
    f->reads++;
    return f->samples.samples.read(&f->samples, first, count, channels, positions, error);
}

static pm_status select_channels(void *user, size_t first, size_t count, pm_error *error) {
    failing *f = user;
    return f->samples.samples.select(&f->samples, first, count, error);
}

static pm_status read_velocities(void *user, uint64_t first, size_t count,
                                 double *const velocities[], pm_error *error) {
    failing *f = user;
    return f->samples.samples.read_velocities(&f->samples, first, count, velocities, error);
}

TEST_ON_REFERENCE(a_failure_in_a_later_span_writes_nothing) {
    SCOPED(bytes_free) file_bytes out = {0};
    const motion_sink sink = bytes_sink(&out);
    SCOPED(zip_free) zip_builder file = make_rows(true);
    SCOPED(pm_motion_destroy) pm_motion *motion = read_file(&file, false);
    failing f = {.fails_at = 1700};
    test_samples_make(&f.samples, motion, (pm_rational){60, 1});
    motion_samples samples = f.samples.samples;
    samples.select = select_channels;
    samples.read = fail_late;
    samples.read_velocities = read_velocities;
    samples.user = &f;
    expect_error(motion->format->write(&(motion_writing){.motion = motion,
                                                         .document = motion,
                                                         .samples = &samples,
                                                         .sample_count = 1,
                                                         .decimals = 6},
                                       &sink, new_error()),
                 PM_ERROR_DEVICE, "the device is gone");
    assert_true(f.reads > 0);
    assert_int_equal(out.size, 0);
}

TEST_GROUP(write_layout, leave)
