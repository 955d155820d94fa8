/* SPDX-License-Identifier: MIT
 *
 * Failures of memory while NPZ and CSV files are read and written: each gives the status of memory,
 * leaves nothing allocated, and the next try succeeds.
 */
#define _DEFAULT_SOURCE /* mkstemps */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/faults.h"
#include "support/npz_files.h"
#include "support/tests.h"

/* A sink that allocates nothing. */
typedef struct fixed_bytes {
    char data[1 << 17];
    size_t size;
} fixed_bytes;

static pm_status keep(void *user, const void *data, size_t size, pm_error *error) {
    fixed_bytes *bytes = user;
    (void)error;
    assert_true(size <= sizeof bytes->data - bytes->size);
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return PM_OK;
}

static fixed_bytes expected, written;

static pm_status read_and_write(const file_bytes *file, const pm_motion_read_options *options,
                                fixed_bytes *out, pm_error *error) {
    pm_motion *motion = NULL;
    test_samples samples;
    const motion_sink sink = {keep, out};
    out->size = 0;
    pm_status status =
        pm_motion_parse(file->data, file->size, "test", NULL, options, &motion, error);
    if (status != PM_OK)
        return status;
    const pm_rational rate = motion->content.clips[0].rate;
    test_samples_make(&samples, motion, (pm_rational){rate.num * 3, rate.den * 2});
    status = motion->format->write(motion, &samples.samples, 1,
                                   &(motion_write_options){.decimals = 6}, &sink, error);
    pm_motion_destroy(&motion);
    return status;
}

static void fail_each_allocation(const file_bytes *file, const pm_motion_read_options *options) {
    pm_error error;
    size_t nth = 1;
    const char *fired = "";
    assert_int_equal(read_and_write(file, options, &expected, &error), PM_OK);
    const long live = faults_live_blocks();
    for (; fired; nth++) {
        memset(&error, 0, sizeof error);
        faults_arm(FAULT_ALLOCATION, nth, 0, nth % 2);
        const pm_status status = read_and_write(file, options, &written, &error);
        fired = faults_disarm();
        if (fired && status != PM_ERROR_MEMORY && status != PM_ERROR_FILE)
            fail_msg("allocation %zu, %s: status %d, '%s'", nth, fired, (int)status, error.message);
        if (fired && status == PM_ERROR_FILE) /* a file that is opened says so in words */
            assert_non_null(strstr(error.message, "memory"));
        assert_int_equal(faults_live_blocks(), live);
        if (!fired)
            assert_int_equal(status, PM_OK);
    }
    assert_int_equal(written.size, expected.size);
    assert_memory_equal(written.data, expected.data, expected.size);
    print_message("%zu allocations\n", nth - 2);
    assert_true(nth > 8);
}

static void add_numbers(zip_builder *zip, const char *name, const char *shape, bool fortran,
                        size_t count) {
    double values[64];
    char header[128];
    for (size_t i = 0; i < count; i++)
        values[i] = 0.25 + 0.001 * (double)i;
    snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': %s, 'shape': %s, }",
             fortran ? "True" : "False", shape);
    zip_add_array(zip, name, fortran, header, values, count * sizeof *values);
}

TEST(each_allocation_of_an_npz_file_can_fail) {
    zip_builder zip = {0};
    if (!faults_are_linked())
        skip();
    add_numbers(&zip, "poses.npy", "(5, 9)", true, 45);
    add_numbers(&zip, "trans.npy", "(5, 3)", false, 15);
    add_numbers(&zip, "extra.npy", "(5, 2)", true, 10);
    add_numbers(&zip, "mocap_framerate.npy", "()", false, 1);
    zip_add(&zip, "note.txt", true, "text", 4, NULL);
    zip_finish(&zip, zip.count, false);
    const pm_motion_read_options options = {.format = PM_MOTION_NPZ, .source_rate = {30, 1}};
    fail_each_allocation(&zip.file, &options);
    zip_free(&zip);
}

TEST(each_allocation_of_a_plain_file_with_a_layout_can_fail) {
    static const int64_t parents[2] = {-1, 0};
    static const char json[] =
        "{\"name\": \"plain\", \"rotations\": [{\"member\": \"q\", \"as\": \"quaternion-wxyz\"}],"
        "\"scalars\": [\"s\"], \"velocities\": [{\"member\": \"v\", \"of\": \"s\"}],"
        "\"rates\": [\"fps\"], \"constants\": [\"names\", \"parents\", \"offsets\"]}";
    char path[] = "/tmp/posemill-layout-XXXXXX";
    zip_builder zip = {0};
    if (!faults_are_linked())
        skip();
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, json, sizeof json - 1), sizeof json - 1);
    close(file);
    add_numbers(&zip, "q.npy", "(4, 2, 4)", false, 32);
    add_numbers(&zip, "s.npy", "(4, 3)", false, 12);
    add_numbers(&zip, "v.npy", "(4, 3)", true, 12);
    add_numbers(&zip, "fps.npy", "(1,)", false, 1);
    add_numbers(&zip, "offsets.npy", "(2, 3)", false, 6);
    zip_add_array(&zip, "parents.npy", false,
                  "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", parents,
                  sizeof parents);
    zip_add_array(&zip, "names.npy", false,
                  "{'descr': '|S4', 'fortran_order': False, 'shape': (2,), }", "hip\0knee", 8);
    zip_finish(&zip, zip.count, false);
    const pm_motion_read_options options = {
        .format = PM_MOTION_NPZ, .source_rate = {30, 1}, .layout = path};
    fail_each_allocation(&zip.file, &options);
    unlink(path);
    zip_free(&zip);
}

TEST(each_allocation_of_a_file_with_given_joints_can_fail) {
    static const char json[] = "{\"names\": [\"a\", \"b\", \"c\"], \"parents\": [-1, 0, 1],"
                               "\"offsets\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}";
    char path[] = "/tmp/posemill-joints-XXXXXX.json";
    zip_builder zip = {0};
    if (!faults_are_linked())
        skip();
    const int file = mkstemps(path, 5);
    assert_true(file >= 0);
    assert_int_equal(write(file, json, sizeof json - 1), sizeof json - 1);
    close(file);
    add_numbers(&zip, "root_orient.npy", "(5, 3)", false, 15);
    add_numbers(&zip, "pose_body.npy", "(5, 6)", false, 30);
    add_numbers(&zip, "trans.npy", "(5, 3)", false, 15);
    zip_finish(&zip, zip.count, false);
    const pm_motion_read_options options = {
        .format = PM_MOTION_NPZ, .layout = "inter-x", .skeleton = path};
    fail_each_allocation(&zip.file, &options);
    unlink(path);
    zip_free(&zip);
}

TEST(each_allocation_of_a_robot_can_fail) {
    zip_builder zip = {0};
    double turning[32] = {0};
    if (!faults_are_linked())
        skip();
    for (size_t i = 0; i < 8; i++) {
        turning[4 * i] = cos(0.1 * (double)i);
        turning[4 * i + 1] = sin(0.1 * (double)i);
    }
    zip_add_array(&zip, "body_quat_w.npy", false,
                  "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2, 4), }", turning,
                  sizeof turning);
    add_numbers(&zip, "body_pos_w.npy", "(4, 2, 3)", false, 24);
    add_numbers(&zip, "body_ang_vel_w.npy", "(4, 2, 3)", false, 24);
    zip_finish(&zip, zip.count, false);
    const pm_motion_read_options options = {.format = PM_MOTION_NPZ, .source_rate = {30, 1}};
    fail_each_allocation(&zip.file, &options);
    zip_free(&zip);
}

TEST(each_allocation_of_a_csv_file_can_fail) {
    static char text[] = "1,2,3,0,0,0,1,5\n2,3,4,0,0.6,0,0.8,6\n3,4,5,0,0.8,0,0.6,7\n";
    const file_bytes file = {text, sizeof text - 1, 0};
    const pm_motion_read_options options = {.format = PM_MOTION_CSV};
    if (!faults_are_linked())
        skip();
    fail_each_allocation(&file, &options);
}
