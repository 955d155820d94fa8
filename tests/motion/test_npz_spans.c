/* SPDX-License-Identifier: MIT
 *
 * Tests of NPZ files whose compressed members have so many new rows that they are made and compressed
 * some at a time: the bytes are those of stored members, whose rows are all made before they are
 * written.
 */
#define _POSIX_C_SOURCE 200809L

#include "oracle/random_tracks.h"
#include "support/engines.h"
#include "support/npz_files.h"
#include "support/test_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rows repeat after PERIOD frames, so that they compress fast, but for the positions, which tell each
 * row from all others. Most of a row are flags, which cost no computation. */
enum { FRAMES = 1000, PERIOD = 8, JOINTS = 5, FLAGS = 24000 };

static const char *const members[] = {"x.npy", "a.npy", "part.npy",  "w.npy",    "p.npy",
                                      "v.npy", "q.npy", "flags.npy", "none.npy", "fps.npy"};

/* Of every role that a member can have. q.npy and flags.npy are named by no layout. */
static const char layout[] = "{\"name\": \"all\", \"rotations\": ["
                             "{\"member\": \"a\", \"as\": \"axis-angle\", \"parts\": [\"part\"]},"
                             "{\"member\": \"x\", \"as\": \"quaternion-xyzw\"},"
                             "{\"member\": \"w\", \"as\": \"quaternion-wxyz\"}],"
                             "\"vectors\": [\"p\"],"
                             "\"velocities\": [{\"member\": \"v\", \"of\": \"w\"}],"
                             "\"rates\": [\"fps\"]}";

static int write_layout(void **state) {
    const int entered = test_folder_enter(state);
    test_folder_put_text("layout.json", layout);
    return entered;
}

static int remove_layout(void **state) {
    return test_folder_leave(state) || engines_close(state) ? -1 : 0;
}

TEST_GROUP(write_layout, remove_layout)

/* ---- files ------------------------------------------------------------------------------ */

/* `period` frames of `group` numbers for each joint, again and again. */
static void add_rows(zip_builder *zip, const char *name, bool deflated, const double *numbers,
                     size_t period, size_t group) {
    const size_t width = JOINTS * group;
    double *rows = malloc(FRAMES * width * sizeof *rows);
    char shape[64];
    assert_non_null(rows);
    for (size_t k = 0; k < FRAMES; k++)
        memcpy(rows + k * width, numbers + k % period * width, width * sizeof *rows);
    snprintf(shape, sizeof shape, "(%d, %d, %zu)", (int)FRAMES, (int)JOINTS, group);
    zip_add_array(zip, name, deflated, "<f8", shape, rows, FRAMES * width * sizeof *rows);
    free(rows);
}

/* Two columns, in Fortran order. */
static void add_columns(zip_builder *zip, const char *name, bool deflated) {
    double *columns = malloc((size_t)2 * FRAMES * sizeof *columns);
    char shape[64];
    assert_non_null(columns);
    for (size_t k = 0; k < (size_t)2 * FRAMES; k++)
        columns[k] = (double)(k % PERIOD);
    snprintf(shape, sizeof shape, "(%d, 2)", (int)FRAMES);
    zip_add_array(zip, name, deflated, "F<f8", shape, columns,
                  (size_t)2 * FRAMES * sizeof *columns);
    free(columns);
}

static void add_flags(zip_builder *zip, const char *name, bool deflated) {
    char *flags = malloc((size_t)FRAMES * FLAGS), shape[64];
    assert_non_null(flags);
    for (size_t i = 0; i < (size_t)FRAMES * FLAGS; i++)
        flags[i] = i / FLAGS % PERIOD == i % 7;
    snprintf(shape, sizeof shape, "(%d, %d)", (int)FRAMES, (int)FLAGS);
    zip_add_array(zip, name, deflated, "|b1", shape, flags, (size_t)FRAMES * FLAGS);
    free(flags);
}

static zip_builder make_file(bool deflated) {
    static double vectors[PERIOD * JOINTS * 3], unit[2][PERIOD * JOINTS * 4];
    static const double rate = 30;
    zip_builder zip = {0};
    random_source source = random_start();
    double *positions = malloc(sizeof *positions * FRAMES * JOINTS * 3);
    assert_non_null(positions);
    for (size_t i = 0; i < (size_t)FRAMES * JOINTS * 3; i++)
        positions[i] = i % (JOINTS * 3) == 0 ? (double)i : 0.0;
    for (size_t i = 0; i < (size_t)PERIOD * JOINTS * 3; i++)
        vectors[i] = random_between(&source, -2.0, 2.0);
    for (size_t i = 0; i < (size_t)2 * PERIOD * JOINTS; i++)
        random_quaternion(&source, unit[0] + 4 * i);
    add_rows(&zip, "x.npy", deflated, unit[0], PERIOD, 4);
    add_rows(&zip, "a.npy", deflated, vectors, PERIOD, 3);
    add_rows(&zip, "part.npy", deflated, vectors, PERIOD, 3);
    add_rows(&zip, "w.npy", deflated, unit[1], PERIOD, 4);
    add_rows(&zip, "p.npy", deflated, positions, FRAMES, 3);
    add_rows(&zip, "v.npy", deflated, vectors, PERIOD, 3);
    add_columns(&zip, "q.npy", deflated);
    add_flags(&zip, "flags.npy", deflated);
    zip_add_array(&zip, "none.npy", deflated, "<f8", "(1000, 0)", "", 0);
    zip_add_array(&zip, "fps.npy", deflated, "<f8", "()", &rate, sizeof rate);
    zip_finish(&zip, zip.count, false);
    free(positions);
    return zip;
}

static pm_motion *read_file(const zip_builder *zip, bool resample_only) {
    pm_motion *motion = NULL;
    const pm_motion_read_options options = {
        .format = PM_MOTION_NPZ, .layout = "layout.json", .resample_only = resample_only};
    expect_success(pm_motion_parse(zip->file.data, zip->file.size, "all.npz", NULL, &options,
                                   &motion, new_error()));
    return motion;
}

/* ---- resampling ------------------------------------------------------------------------- */

typedef struct followed {
    file_bytes bytes;
    uint64_t done, total; /* of the progress */
} followed;

static void keep(void *user, const void *data, size_t size) {
    bytes_add(&((followed *)user)->bytes, data, size);
}

static void follow(void *user, uint64_t done, uint64_t total) {
    followed *f = user;
    assert_true(done >= f->done && done <= total);
    f->done = done;
    f->total = total;
}

static followed resample(const pm_motion *motion, pm_engine *engine,
                         pm_motion_resample_options options, pm_motion_resample_report *report) {
    followed f = {.done = 0};
    const pm_motion_observer observer = {.see = keep, .user = &f};
    options.observer = &observer;
    options.progress = follow;
    options.progress_user = &f;
    expect_success(pm_motion_resample(motion, engine, &options, "/dev/null", report, new_error()));
    assert_true(f.done == f.total && f.total == report->samples);
    return f;
}

/* The same rows, compressed as if they were one piece. */
static void expect_same_member(const file_bytes *deflated, const file_bytes *stored,
                               const char *name) {
    zip_found got, expected, packed;
    zip_builder again = {0};
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
    zip_free(&again);
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
        {.rate = {90, 1}, .curve = &smooth, .start = {1, 7}}, /* three */
    };
    pm_engine *engine = engine_for(state);
    zip_builder files[] = {make_file(true), make_file(false)};
    pm_motion *motions[] = {read_file(&files[0], true), read_file(&files[1], false)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        pm_motion_resample_report a, b;
        followed deflated = resample(motions[0], engine, all[i], &a);
        followed stored = resample(motions[1], engine, all[i], &b);
        assert_true(a.samples == b.samples && a.kept == b.kept && a.end_cut == b.end_cut);
        assert_true(stored.bytes.size > (size_t)36 << 20); /* more than one span */
        for (size_t m = 0; m < sizeof members / sizeof *members; m++)
            expect_same_member(&deflated.bytes, &stored.bytes, members[m]);
        free(deflated.bytes.data);
        free(stored.bytes.data);
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
    file_bytes out = {0};
    const motion_sink sink = bytes_sink(&out);
    zip_builder file = make_file(true);
    pm_motion *motion = read_file(&file, false);
    failing f = {.fails_at = 1700};
    test_samples_make(&f.samples, motion, (pm_rational){60, 1});
    motion_samples samples = f.samples.samples;
    samples.select = select_channels;
    samples.read = fail_late;
    samples.read_velocities = read_velocities;
    samples.user = &f;
    expect_error(
        motion->format->write(motion, &samples, 1, &(motion_write_options){0}, &sink, new_error()),
        PM_ERROR_DEVICE, "the device is gone");
    assert_true(f.reads > 0);
    assert_int_equal(out.size, 0);
    pm_motion_destroy(&motion);
    zip_free(&file);
    free(out.data);
}
