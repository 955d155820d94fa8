/* SPDX-License-Identifier: MIT
 *
 * Failures of memory while NPZ and CSV files are read and written: each gives the status of memory,
 * leaves nothing allocated, and the next try succeeds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_memory.h"
#include "support/motion_files.h"
#include "support/npz_files.h"
#include "support/test_folder.h"

static const file_bytes *read_file;
static const pm_motion_read_options *read_options;
static file_bytes expected, written; /* with room, so that only the library allocates */

/* A file that is opened by the reader says in words that there was no memory. */
static bool read_and_write(void) {
    const long live = live_blocks();
    pm_motion *motion = NULL;
    pm_error error = poisoned_error();
    pm_status status = pm_motion_parse(read_file->data, read_file->size, "test", NULL, read_options,
                                       &motion, &error);
    if (status == PM_OK) {
        const pm_rational rate = motion->content.clips[0].rate;
        test_samples samples;
        test_samples_make(&samples, motion, (pm_rational){rate.num * 3, rate.den * 2});
        written.size = 0;
        status = test_write(motion, NULL, &samples.samples, &written, &error);
    }
    pm_motion_destroy(&motion);
    assert_int_equal(live_blocks(), live);
    if (status != PM_OK && status != PM_ERROR_MEMORY &&
        !(status == PM_ERROR_FILE && strstr(error.message, "memory")))
        fail_msg("a failed allocation became %d: %s", (int)status, error.message);
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

static void add_numbers(zip_builder *zip, const char *name, const char *shape, bool fortran,
                        size_t count) {
    double values[64];
    for (size_t i = 0; i < count; i++)
        values[i] = 0.25 + 0.001 * (double)i;
    zip_add_array(zip, name, fortran, fortran ? "F<f8" : "<f8", shape, values,
                  count * sizeof *values);
}

TEST(each_allocation_of_an_npz_file_can_fail) {
    zip_builder zip = {0};
    add_numbers(&zip, "poses.npy", "(5, 9)", true, 45);
    add_numbers(&zip, "trans.npy", "(5, 3)", false, 15);
    add_numbers(&zip, "extra.npy", "(5, 2)", true, 10);
    add_numbers(&zip, "mocap_framerate.npy", "()", false, 1);
    zip_add(&zip, "note.txt", true, "text", 4, NULL);
    zip_finish(&zip, zip.count, false);
    const pm_motion_read_options options = {.format = PM_MOTION_NPZ, .source_rate = {30, 1}};
    fail_each(&zip.file, &options);
    zip_free(&zip);
}

TEST(each_allocation_of_a_plain_file_with_a_layout_can_fail) {
    static const int64_t parents[2] = {-1, 0};
    static const char json[] =
        "{\"name\": \"plain\", \"rotations\": [{\"member\": \"q\", \"as\": \"quaternion-wxyz\"}],"
        "\"scalars\": [\"s\"], \"velocities\": [{\"member\": \"v\", \"of\": \"s\"}],"
        "\"rates\": [\"fps\"], \"constants\": [\"names\", \"parents\", \"offsets\"]}";
    zip_builder zip = {0};
    test_folder_put_text("layout.json", json);
    add_numbers(&zip, "q.npy", "(4, 2, 4)", false, 32);
    add_numbers(&zip, "s.npy", "(4, 3)", false, 12);
    add_numbers(&zip, "v.npy", "(4, 3)", true, 12);
    add_numbers(&zip, "fps.npy", "(1,)", false, 1);
    add_numbers(&zip, "offsets.npy", "(2, 3)", false, 6);
    zip_add_array(&zip, "parents.npy", false, "<i8", "(2,)", parents, sizeof parents);
    zip_add_array(&zip, "names.npy", false, "|S4", "(2,)", "hip\0knee", 8);
    zip_finish(&zip, zip.count, false);
    const pm_motion_read_options options = {
        .format = PM_MOTION_NPZ, .source_rate = {30, 1}, .layout = "layout.json"};
    fail_each(&zip.file, &options);
    zip_free(&zip);
}

TEST(each_allocation_of_a_file_with_given_joints_can_fail) {
    static const char json[] = "{\"names\": [\"a\", \"b\", \"c\"], \"parents\": [-1, 0, 1],"
                               "\"offsets\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}";
    zip_builder zip = {0};
    test_folder_put_text("joints.json", json);
    add_numbers(&zip, "root_orient.npy", "(5, 3)", false, 15);
    add_numbers(&zip, "pose_body.npy", "(5, 6)", false, 30);
    add_numbers(&zip, "trans.npy", "(5, 3)", false, 15);
    zip_finish(&zip, zip.count, false);
    const pm_motion_read_options options = {
        .format = PM_MOTION_NPZ, .layout = "inter-x", .skeleton = "joints.json"};
    fail_each(&zip.file, &options);
    zip_free(&zip);
}

TEST(each_allocation_of_a_robot_can_fail) {
    zip_builder zip = {0};
    double turning[32] = {0};
    for (size_t i = 0; i < 8; i++) {
        turning[4 * i] = cos(0.1 * (double)i);
        turning[4 * i + 1] = sin(0.1 * (double)i);
    }
    zip_add_array(&zip, "body_quat_w.npy", false, "<f8", "(4, 2, 4)", turning, sizeof turning);
    add_numbers(&zip, "body_pos_w.npy", "(4, 2, 3)", false, 24);
    add_numbers(&zip, "body_ang_vel_w.npy", "(4, 2, 3)", false, 24);
    zip_finish(&zip, zip.count, false);
    const pm_motion_read_options options = {.format = PM_MOTION_NPZ, .source_rate = {30, 1}};
    fail_each(&zip.file, &options);
    zip_free(&zip);
}

TEST(each_allocation_of_a_csv_file_can_fail) {
    static char text[] = "1,2,3,0,0,0,1,5\n2,3,4,0,0.6,0,0.8,6\n3,4,5,0,0.8,0,0.6,7\n";
    const file_bytes file = {text, sizeof text - 1, 0};
    const pm_motion_read_options options = {.format = PM_MOTION_CSV};
    fail_each(&file, &options);
}

const test_fixture group_fixture = {test_folder_enter, test_folder_leave};
