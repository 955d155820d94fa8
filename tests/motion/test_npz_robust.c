/* SPDX-License-Identifier: MIT
 *
 * NPZ files that claim much or have many members: each is read, or refused with a message, within 100 MB;
 * fuzzers damage them. Failures of memory while NPZ and CSV files are read and written: each gives the
 * status of memory and leaves nothing allocated.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/os.h"
#include "oracle/random_tracks.h"
#include "support/failing_memory.h"
#include "support/motion_files.h"
#include "support/npz_files.h"
#include "support/test_folder.h"

/* Bytes that reading and writing one file may request in all: a measure of work. */
enum { MOST_REQUESTED = 64 << 20 };

/* A sanitizer keeps freed memory, so that the peak says nothing. */
#ifdef __SANITIZE_ADDRESS__
enum { MOST_KILOBYTES = 4000000 };
#else
enum { MOST_KILOBYTES = 100000 };
#endif

static uint64_t peak_kilobytes(void) {
    return os_memory_taken() / 1024;
}

/* Accepts everything: what is written is not of interest. */
static pm_status swallow(void *user, const void *data, size_t size, pm_error *error) {
    (void)user;
    (void)error;
    (void)data;
    (void)size;
    return PM_OK;
}

static size_t read_count, refused_count;

static void write_again(const pm_motion *motion) {
    pm_error error;
    test_samples samples;
    const motion_sink sink = {swallow, NULL};
    const pm_rational rate = motion->content.clips[0].rate;
    if (rate.num > INT32_MAX || rate.den > INT32_MAX)
        return; /* the samples of the test multiply rates */
    test_samples_make(&samples, motion, (pm_rational){rate.num * 2, rate.den});
    const pm_status status = motion->format->write(&(motion_writing){.motion = motion,
                                                                     .document = motion,
                                                                     .samples = &samples.samples,
                                                                     .sample_count = 1,
                                                                     .decimals = 6},
                                                   &sink, &error);
    assert_true(status == PM_OK || status == PM_ERROR_FILE);
}

/* Reads a copy of exactly its size, so that a sanitizer sees reads past the end. */
static void try_file(const char *data, size_t size, pm_motion_format format) {
    const pm_motion_read_options options = {.format = format};
    pm_motion *motion = NULL;
    pm_error error;
    char *copy = malloc(size > 0 ? size : 1);
    const size_t before = counted_bytes();
    assert_non_null(copy);
    memcpy(copy, data, size);
    memset(&error, 0x5a, sizeof error);
    const pm_status status = pm_motion_parse(copy, size, "x", NULL, &options, &motion, &error);
    if (status == PM_OK) {
        read_count++;
        write_again(motion);
    } else {
        refused_count++;
        assert_null(motion);
        assert_true(status == PM_ERROR_FILE);
        assert_true(memchr(error.message, '\0', sizeof error.message) > (void *)error.message);
    }
    pm_motion_destroy(&motion);
    free(copy);
    assert_in_range(counted_bytes() - before, 0, (size_t)MOST_REQUESTED);
}

enum { FRAMES = 6 };

static void add_numbers(zip_builder *zip, const char *name, bool deflated, const char *shape,
                        size_t count, random_source *source) {
    double values[FRAMES * 24];
    for (size_t i = 0; i < count; i++)
        values[i] = random_between(source, 0.1, 1);
    for (size_t i = 0; strcmp(name, "quats.npy") == 0 && i < count; i += 4)
        random_quaternion(source, values + i);
    zip_add_array(zip, name, deflated, deflated ? "F<f8" : "<f8", shape, values,
                  count * sizeof *values);
}

/* 4 GB of zeros would need 4 MB of deflate: what is claimed is not allocated. */
TEST(claimed_sizes_are_not_allocated) {
    static const uint64_t sizes[] = {100000000, 4294967294, UINT64_C(1) << 40, UINT64_MAX};
    const uint64_t before = peak_kilobytes();
    for (size_t i = 0; i < 4; i++) {
        SCOPED(zip_free) zip_builder zip = {0};
        SCOPED(bytes_free) file_bytes noise = {0};
        random_source source = random_start();
        for (size_t k = 0; k < 40000; k++)
            bytes_add_number(&noise, random_bits(&source), 8);
        const zip_lies lies = {.size = sizes[i], .zip64 = true};
        zip_add(&zip, "poses.npy", true, noise.data, noise.size, &lies);
        add_numbers(&zip, "mocap_framerate.npy", false, "()", 1, &source);
        zip_finish(&zip, zip.count, true);
        read_count = 0;
        try_file(zip.file.data, zip.file.size, PM_MOTION_NPZ);
        assert_int_equal(read_count, 0);
    }
    assert_true(peak_kilobytes() - before < MOST_KILOBYTES);
}

/* 30000 members of one frame each, all resampled. */
TEST(many_members_are_read_in_time) {
    random_source source = random_start();
    SCOPED(zip_free) zip_builder zip = {0};
    add_numbers(&zip, "quats.npy", false, "(1, 1, 4)", 4, &source);
    add_numbers(&zip, "fps.npy", false, "()", 1, &source);
    for (size_t i = 0; i < 30000; i++) {
        char name[32];
        snprintf(name, sizeof name, "m%zu.npy", i);
        zip_add_array(&zip, name, false, "|u1", "(1,)", "x", 1);
    }
    zip_finish(&zip, zip.count, false);
    read_count = 0;
    try_file(zip.file.data, zip.file.size, PM_MOTION_NPZ);
    assert_int_equal(read_count, 1);
}

/* ---- failures of memory ---------------------------------------------------------------------- */

static const file_bytes *read_file;
static const pm_motion_read_options *read_options;
static file_bytes expected, written; /* with room, so that only the library allocates */

/* A file that is opened by the reader says in words that there was no memory. */
static bool read_and_write(void) {
    const long live = live_blocks();
    pm_motion *motion = NULL;
    pm_status status = pm_motion_parse(read_file->data, read_file->size, "test", NULL, read_options,
                                       &motion, new_error());
    if (status == PM_OK) {
        const pm_rational rate = motion->content.clips[0].rate;
        test_samples samples;
        test_samples_make(&samples, motion, (pm_rational){rate.num * 3, rate.den * 2});
        written.size = 0;
        status = test_write(motion, NULL, &samples.samples, &written, new_error());
    }
    pm_motion_destroy(&motion);
    assert_int_equal(live_blocks(), live);
    if (status != PM_OK && status != PM_ERROR_MEMORY &&
        !(status == PM_ERROR_FILE && strstr(last_error()->message, "memory")))
        fail_msg("a failed allocation became %d: %s", (int)status, last_error()->message);
    return status == PM_OK;
}

/* A reader of a second file can do without a block. */
static void fail_each(const file_bytes *file, const pm_motion_read_options *options) {
    read_file = file;
    read_options = options;
    written = (file_bytes){.data = test_array(1 << 17, 1), .room = 1 << 17};
    assert_true(read_and_write());
    expected = written;
    written.data = test_array(1 << 17, 1);
    fail_each_allocation(read_and_write, 6, options->skeleton || options->layout ? 2 : 0);
    assert_int_equal(written.size, expected.size);
    assert_memory_equal(written.data, expected.data, expected.size);
    free(written.data);
    free(expected.data);
}

static void add_rows(zip_builder *zip, const char *name, const char *shape, bool fortran,
                     size_t count) {
    double values[64];
    for (size_t i = 0; i < count; i++)
        values[i] = 0.25 + 0.001 * (double)i;
    zip_add_array(zip, name, fortran, fortran ? "F<f8" : "<f8", shape, values,
                  count * sizeof *values);
}

TEST(each_allocation_of_an_npz_file_can_fail) {
    SCOPED(zip_free) zip_builder zip = {0};
    add_rows(&zip, "poses.npy", "(5, 9)", true, 45);
    add_rows(&zip, "trans.npy", "(5, 3)", false, 15);
    add_rows(&zip, "extra.npy", "(5, 2)", true, 10);
    add_rows(&zip, "mocap_framerate.npy", "()", false, 1);
    zip_add(&zip, "note.txt", true, "text", 4, NULL);
    zip_finish(&zip, zip.count, false);
    const pm_motion_read_options options = {.format = PM_MOTION_NPZ, .source_rate = {30, 1}};
    fail_each(&zip.file, &options);
}

TEST(each_allocation_of_a_plain_file_with_a_layout_can_fail) {
    static const int64_t parents[2] = {-1, 0};
    static const char json[] =
        "{\"name\": \"plain\", \"rotations\": [{\"member\": \"q\", \"as\": \"quaternion-wxyz\"}],"
        "\"scalars\": [\"s\"], \"velocities\": [{\"member\": \"v\", \"of\": \"s\"}],"
        "\"rates\": [\"fps\"], \"constants\": [\"names\", \"parents\", \"offsets\"]}";
    SCOPED(zip_free) zip_builder zip = {0};
    test_folder_put_text("layout.json", json);
    add_rows(&zip, "q.npy", "(4, 2, 4)", false, 32);
    add_rows(&zip, "s.npy", "(4, 3)", false, 12);
    add_rows(&zip, "v.npy", "(4, 3)", true, 12);
    add_rows(&zip, "fps.npy", "(1,)", false, 1);
    add_rows(&zip, "offsets.npy", "(2, 3)", false, 6);
    zip_add_array(&zip, "parents.npy", false, "<i8", "(2,)", parents, sizeof parents);
    zip_add_array(&zip, "names.npy", false, "|S4", "(2,)", "hip\0knee", 8);
    zip_finish(&zip, zip.count, false);
    const pm_motion_read_options options = {
        .format = PM_MOTION_NPZ, .source_rate = {30, 1}, .layout = "layout.json"};
    fail_each(&zip.file, &options);
}

TEST(each_allocation_of_a_file_with_given_joints_can_fail) {
    static const char json[] = "{\"names\": [\"a\", \"b\", \"c\"], \"parents\": [-1, 0, 1],"
                               "\"offsets\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}";
    SCOPED(zip_free) zip_builder zip = {0};
    test_folder_put_text("joints.json", json);
    add_rows(&zip, "root_orient.npy", "(5, 3)", false, 15);
    add_rows(&zip, "pose_body.npy", "(5, 6)", false, 30);
    add_rows(&zip, "trans.npy", "(5, 3)", false, 15);
    zip_finish(&zip, zip.count, false);
    const pm_motion_read_options options = {
        .format = PM_MOTION_NPZ, .layout = "inter-x", .skeleton = "joints.json"};
    fail_each(&zip.file, &options);
}

TEST(each_allocation_of_a_robot_can_fail) {
    SCOPED(zip_free) zip_builder zip = {0};
    double turning[32] = {0};
    for (size_t i = 0; i < 8; i++) {
        turning[4 * i] = cos(0.1 * (double)i);
        turning[4 * i + 1] = sin(0.1 * (double)i);
    }
    zip_add_array(&zip, "body_quat_w.npy", false, "<f8", "(4, 2, 4)", turning, sizeof turning);
    add_rows(&zip, "body_pos_w.npy", "(4, 2, 3)", false, 24);
    add_rows(&zip, "body_ang_vel_w.npy", "(4, 2, 3)", false, 24);
    zip_finish(&zip, zip.count, false);
    const pm_motion_read_options options = {.format = PM_MOTION_NPZ, .source_rate = {30, 1}};
    fail_each(&zip.file, &options);
}

TEST(each_allocation_of_a_csv_file_can_fail) {
    static char text[] = "1,2,3,0,0,0,1,5\n2,3,4,0,0.6,0,0.8,6\n3,4,5,0,0.8,0,0.6,7\n";
    const file_bytes file = {text, sizeof text - 1, 0};
    const pm_motion_read_options options = {.format = PM_MOTION_CSV};
    fail_each(&file, &options);
}

TEST_GROUP(test_folder_enter, test_folder_leave)
