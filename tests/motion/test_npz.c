/* SPDX-License-Identifier: MIT
 *
 * Tests of NPZ files: what each real file is read as, rates, and what is refused, with archives made
 * byte by byte.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "motion/npz/npz.h"
#include "oracle/random_tracks.h"
#include "support/motion_files.h"
#include "support/npz_files.h"
#include "support/test_folder.h"

/* ---- reading ------------------------------------------------------------------------- */

static test_log warnings;
static pm_error failure;

static pm_status parse(const void *data, size_t size, pm_motion_read_options options,
                       pm_motion **motion) {
    warnings = (test_log){0};
    memset(&failure, 0x5a, sizeof failure);
    options.log = test_log_add;
    options.log_user = &warnings;
    options.format = PM_MOTION_NPZ;
    *motion = NULL;
    return pm_motion_parse(data, size, "test.npz", NULL, &options, motion, &failure);
}

static void expect_refused(const zip_builder *zip, pm_motion_read_options options,
                           const char *reason) {
    pm_motion *motion;
    if (parse(zip->file.data, zip->file.size, options, &motion) != PM_ERROR_FILE)
        fail_msg("not refused; expected '%s'", reason);
    assert_null(motion);
    if (!strstr(failure.message, reason))
        fail_msg("refused with '%s'; expected '%s'", failure.message, reason);
}

static pm_motion *read_zip(const zip_builder *zip, pm_motion_read_options options) {
    pm_motion *motion;
    if (parse(zip->file.data, zip->file.size, options, &motion) != PM_OK)
        fail_msg("refused: %s", failure.message);
    return motion;
}

static const pm_motion_read_options plain_options = {0}, strict_options = {.strict = true};

/* ---- made files ------------------------------------------------------------------------ */

enum { FRAMES = 5, JOINTS = 2 };

static void add_rate(zip_builder *zip, const char *name, double rate) {
    zip_add_array(zip, name, false, "<f8", "()", &rate, sizeof rate);
}

static void add_doubles(zip_builder *zip, const char *name, bool deflated, const double *values,
                        size_t rows, size_t a, size_t b) {
    char shape[64];
    snprintf(shape, sizeof shape, b ? "(%zu, %zu, %zu)" : "(%zu, %zu)", rows, a, b);
    zip_add_array(zip, name, deflated, "<f8", shape, values,
                  rows * a * (b ? b : 1) * sizeof *values);
}

static void unit_quaternions(double *q, size_t count) {
    random_source source = random_start();
    for (size_t i = 0; i < count; i++)
        random_quaternion(&source, q + 4 * i);
}

/* Rotations alone; `q` may be NULL. */
static zip_builder quats_file(const double *q) {
    zip_builder zip = {0};
    double quats[FRAMES * JOINTS * 4];
    unit_quaternions(quats, (size_t)FRAMES * JOINTS);
    add_doubles(&zip, "quats.npy", false, q ? q : quats, FRAMES, JOINTS, 4);
    return zip;
}

static zip_builder plain_file(const double *q, double rate) {
    zip_builder zip = quats_file(q);
    add_rate(&zip, "fps.npy", rate);
    return zip;
}

static void expect_plain_refused(zip_builder *zip, const char *reason) {
    zip_finish(zip, zip->count, false);
    expect_refused(zip, plain_options, reason);
    zip_free(zip);
}

/* An archive that is read, whose directory is appended here. */
typedef struct opened {
    zip_builder zip;
    pm_motion *motion;
    const pm_motion_channel *rotation; /* of the second joint */
} opened;

static opened open_zip(zip_builder zip, pm_motion_read_options options) {
    zip_finish(&zip, zip.count, false);
    pm_motion *motion = read_zip(&zip, options);
    return (opened){zip, motion, &motion->content.clips[0].channels[1]};
}

static void close_zip(opened *o) {
    pm_motion_destroy(&o->motion);
    zip_free(&o->zip);
}

TEST(numbers_that_are_no_rotations_are_refused_by_their_place) {
    static const struct {
        double value;
        size_t at, count;
        const char *reason;
    } cases[] = {
        {(double)NAN, 3 * JOINTS * 4 + 5, 1, "'quats' is not finite at frame 3, index 5"},
        {(double)-INFINITY, 3 * JOINTS * 4 + 5, 1, "'quats' is not finite at frame 3, index 5"},
        {0, 4 * (2 * JOINTS + 1), 4, "length 0 at frame 2, joint 1"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double q[FRAMES * JOINTS * 4];
        unit_quaternions(q, (size_t)FRAMES * JOINTS);
        for (size_t k = 0; k < cases[i].count; k++)
            q[cases[i].at + k] = cases[i].value;
        zip_builder zip = plain_file(q, 30);
        expect_plain_refused(&zip, cases[i].reason);
    }
}

TEST(quaternions_of_any_length_are_normalised_with_a_warning) {
    static const double sizes[] = {2.0, 1e-300, 1e300, 5e-324, 1.002};
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        double q[FRAMES * JOINTS * 4];
        unit_quaternions(q, (size_t)FRAMES * JOINTS);
        for (size_t i = 0; i < 4; i++)
            q[4 + i] = 0.5 * (i % 2 ? -1 : 1) * 2 * sizes[s];
        SCOPED(close_zip) opened o = open_zip(plain_file(q, 30), plain_options);
        assert_non_null(strstr(warnings.text, "1 quaternions that are not unit"));
        for (size_t i = 0; i < 4; i++)
            assert_true(fabs(test_key(o.rotation, 0, i) - (i % 2 ? -0.5 : 0.5)) < 1e-15);
    }
}

/* A member before the quaternions moves them to every address modulo 8. */
TEST(aligned_quaternions_are_used_in_place) {
    double q[FRAMES * JOINTS * 4];
    size_t in_place = 0;
    unit_quaternions(q, (size_t)FRAMES * JOINTS);
    for (size_t pad = 0; pad < 8; pad++) {
        zip_builder zip = {0};
        zip_add(&zip, "pad", false, "12345678", pad, NULL);
        add_doubles(&zip, "quats.npy", false, q, FRAMES, JOINTS, 4);
        add_rate(&zip, "fps.npy", 30);
        SCOPED(close_zip) opened o = open_zip(zip, plain_options);
        const pm_array *keys = &o.rotation->keys;
        const char *at = keys->data;
        in_place += at >= o.zip.file.data && at < o.zip.file.data + o.zip.file.size;
        assert_int_equal(keys->stride, JOINTS * 4 * sizeof(double));
        assert_int_equal((uintptr_t)at % sizeof(double), 0);
        assert_true(test_key(o.rotation, 2, 1) == q[(2 * JOINTS + 1) * 4 + 1]);
    }
    assert_int_equal(in_place, 1);
}

/* ---- rates ------------------------------------------------------------------------------ */

TEST(rates_are_recognised) {
    static const struct {
        double value;
        int64_t num, den;
        bool literal_rate;
    } cases[] = {{120, 120, 1, false},
                 {59.9999885559082, 60, 1, false},
                 {29.97, 30000, 1001, false},
                 {59.94, 60000, 1001, false},
                 {23.976, 24000, 1001, false},
                 {119.88011932373047, 120000, 1001, false},
                 {12.5, 25, 2, false},
                 {99.75, 399, 4, false},
                 {1.0 / 0.0083333, 120, 1, false},
                 {1.0 / 0.033333, 30, 1, false},
                 {1e-3, 1, 1000, false},
                 {1.0 / 0.03, 100, 3, false},
                 {100.00000001, 10000000001, 100000000, false},
                 {29.97, 2997, 100, true}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED(close_zip)
        opened o = open_zip(plain_file(NULL, cases[i].value),
                            (pm_motion_read_options){.literal_rate = cases[i].literal_rate});
        const pm_rational rate = o.motion->content.clips[0].rate;
        if (rate.num != cases[i].num || rate.den != cases[i].den)
            fail_msg("%.17g is read as %lld/%lld; expected %lld/%lld", cases[i].value,
                     (long long)rate.num, (long long)rate.den, (long long)cases[i].num,
                     (long long)cases[i].den);
    }
}

TEST(rates_that_are_none_are_refused) {
    static const double values[] = {0.0, -30.0, (double)NAN, (double)INFINITY, 1e300};
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        zip_builder zip = plain_file(NULL, values[i]);
        expect_plain_refused(&zip, "expected a rate above 0");
        opened o =
            open_zip(plain_file(NULL, values[i]), (pm_motion_read_options){.source_rate = {25, 1}});
        assert_int_equal(o.motion->content.clips[0].rate.num, 25);
        close_zip(&o);
    }
}

TEST(rates_that_disagree_are_a_warning_or_refused) {
    zip_builder zip = plain_file(NULL, 30);
    add_rate(&zip, "mocap_framerate.npy", 120);
    SCOPED(close_zip) opened o = open_zip(zip, plain_options);
    assert_non_null(strstr(warnings.text, "disagree"));
    assert_int_equal(o.motion->content.clips[0].rate.num, 30);
    expect_refused(&o.zip, strict_options, "disagree");
}

TEST(a_missing_rate_is_refused) {
    zip_builder zip = quats_file(NULL);
    expect_plain_refused(&zip, "no member holds the rate");
}

static zip_builder timed_file(const char *type, const char *shape, const void *times, size_t size) {
    zip_builder zip = quats_file(NULL);
    zip_add_array(&zip, "times.npy", true, type, shape, times, size);
    return zip;
}

TEST(times_take_the_place_of_a_rate) {
    static const double times[FRAMES] = {0.25, 0.5, 1.75, 1.8125, 9};
    static const float narrow[FRAMES] = {1, 1.5F, 2, 2.5F, 3};
    SCOPED(close_zip)
    opened o = open_zip(timed_file("<f8", "(5,)", times, sizeof times), plain_options);
    const pm_motion_clip *clip = o.motion->content.clips;
    assert_int_equal(clip->rate.den, 0);
    assert_memory_equal(clip->timelines[0].times, times, sizeof times);
    assert_int_equal(o.motion->content.carried_count, 0);
    assert_int_equal(o.motion->content.other_array_count, 0);
    close_zip(&o);
    o = open_zip(timed_file("<f4", "(5,)", narrow, sizeof narrow), plain_options);
    clip = o.motion->content.clips;
    assert_int_equal(clip->rate.num, 2);
    assert_int_equal(clip->first_time.num, 1);
    assert_true(clip->timelines[0].times[4] == 3);
}

TEST(times_beside_a_rate_are_an_array_as_others_are) {
    static const double times[FRAMES] = {5, 4, 3, 2, 1};
    zip_builder zip = timed_file("<f8", "(5,)", times, sizeof times);
    add_rate(&zip, "fps.npy", 30);
    SCOPED(close_zip) opened o = open_zip(zip, plain_options);
    assert_int_equal(o.motion->content.clips[0].rate.num, 30);
    assert_string_equal(o.motion->content.other_arrays[0].name.text, "times");
    const char *says = "member 'times' spans -4 s, and the rate 0.133333 s; the rate is used";
    assert_string_equal(o.motion->content.notes[0]->message, says);
    zip = timed_file("<f8", "(5,)", times, sizeof times);
    add_rate(&zip, "fps.npy", 30);
    zip_finish(&zip, zip.count, false);
    expect_refused(&zip, strict_options, "spans -4 s, and the rate 0.133333 s");
    zip_free(&zip);
}

TEST(times_that_do_not_rise_or_fit_are_refused) {
    static const double falling[FRAMES] = {0, 1, 1, 2, 3}, odd[FRAMES] = {0, 1, (double)NAN, 3, 4},
                        early[FRAMES] = {-1, 0, 1, 2, 3},
                        endless[FRAMES] = {0, 1, 2, 3, (double)INFINITY};
    const struct {
        const char *type, *shape, *reason;
        const double *times;
        size_t size;
    } cases[] = {{"<f8", "(5,)", "1 s at frame 1 and 1 s at frame 2", falling, 40},
                 {"<f8", "(5,)", "nan at frame 2", odd, 40},
                 {"<f8", "(5,)", "-1 at frame 0", early, 40},
                 {"<f8", "(5,)", "inf at frame 4", endless, 40},
                 {"<f8", "(4,)", "expected 5 of float32 or float64", falling, 32},
                 {"<f8", "(5, 1)", "expected 5 of float32 or float64", falling, 40},
                 {"<f8", "()", "expected 5 of float32 or float64", falling, 8},
                 {"<i8", "(5,)", "expected 5 of float32 or float64", falling, 40},
                 {"<f8", "(5,)", "not those of its shape", falling, 32}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        zip_builder zip = timed_file(cases[i].type, cases[i].shape, cases[i].times, cases[i].size);
        expect_plain_refused(&zip, cases[i].reason);
    }
}

TEST(a_table_of_rates_is_compared) {
    pm_motion_read_options options = {.rates_file = "rates"};
    test_folder_put_text("rates", "# a comment\r\n\nother*, 10\nte?t.npz\t25\r\n* 99");
    SCOPED(close_zip) opened o = open_zip(plain_file(NULL, 30), options);
    assert_non_null(strstr(warnings.text, "30 Hz and 25 Hz"));
    assert_int_equal(o.motion->content.clips[0].rate.num, 25);
    options.strict = true;
    expect_refused(&o.zip, options, "table of rates disagree");
    options.rates_file = "none";
    expect_refused(&o.zip, options, "cannot be opened");
    options.rates_file = "odd";
    test_folder_put_text("odd", "test.npz 30\nwithout-a-rate\n");
    expect_refused(&o.zip, options, "line 2");
}

/* ---- shapes ------------------------------------------------------------------------------ */

TEST(shapes_that_do_not_fit_are_refused) {
    static const double numbers[64] = {1};
    static const struct {
        const char *member, *type, *shape, *reason;
        size_t bytes;
    } cases[] = {{"quats.npy", "<f8", "(2, 3)", "expected (frames, joints, 4)", 48},
                 {"quats.npy", "<i8", "(2, 1, 4)", "float32 or float64", 64},
                 {"quats.npy", ">f8", "(2, 1, 4)", "float32 or float64", 64},
                 {"quats.npy", "|O", "(2, 1, 4)", "expected plain numbers", 64},
                 {"quats.npy", "<f8", "(0, 1, 4)", "a row per frame", 0},
                 {"quats.npy", "<f8", "()", "a row per frame", 8},
                 {"quats.npy", "<f8", "(2, 0, 4)", "expected (frames, joints, 4)", 0},
                 {"quats.npy", "<f8", "(3, 1, 4)", "not those of its shape", 64},
                 {"quats.npy", "<f8", "(9223372036854775807, 9, 4)", "not those of its shape", 64},
                 {"poses.npy", "<f8", "(2, 4)", "expected (frames, 3 * joints)", 64},
                 {"poses.npy", "<f8'", "", "not a NumPy header", 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        zip_builder zip = {0};
        zip_add_array(&zip, cases[i].member, false, cases[i].type, cases[i].shape, numbers,
                      cases[i].bytes);
        add_rate(&zip, "fps.npy", 30);
        add_rate(&zip, "mocap_framerate.npy", 30);
        expect_plain_refused(&zip, cases[i].reason);
    }
}

TEST(a_member_with_another_number_of_rows_is_refused) {
    static const double positions[3 * 7] = {0};
    zip_builder zip = plain_file(NULL, 30);
    add_doubles(&zip, "positions.npy", true, positions, 7, 3, 0);
    expect_plain_refused(&zip, "'positions' has 7 rows; expected 5");
}

TEST(trees_of_joints_must_be_trees) {
    static const int64_t circle[2] = {1, 0}, far[2] = {-1, 7};
    zip_builder zip = plain_file(NULL, 30);
    zip_add_array(&zip, "parents.npy", false, "<i8", "(2,)", circle, sizeof circle);
    expect_plain_refused(&zip, "circle");
    zip = plain_file(NULL, 30);
    zip_add_array(&zip, "parents.npy", true, "<i8", "(2,)", far, sizeof far);
    expect_plain_refused(&zip, "parent 7 at joint 1");
    static const int64_t parents[2] = {-1, 0};
    static const double positions[FRAMES * 9] = {0};
    zip = plain_file(NULL, 30);
    zip_add_array(&zip, "parents.npy", true, "<i8", "(2,)", parents, sizeof parents);
    zip_add_array(&zip, "positions.npy", true, "<f8", "(5, 3, 3)", positions, sizeof positions);
    expect_plain_refused(&zip, "'positions' is of 3 joints; the file has 2 parents");
}

TEST(a_skeleton_gives_nodes) {
    static const int32_t parents[2] = {1, -1};
    static const double offsets[6] = {1, 2, 3, 4, 5, 6};
    static const uint32_t names[8] = {'a', 0x20ac, 0, 0, 'b', 0, 0x1f600, 'c'};
    static const double positions[FRAMES * 3] = {0};
    zip_builder zip = plain_file(NULL, 30);
    zip_add_array(&zip, "parents.npy", false, "<i4", "(2,)", parents, sizeof parents);
    add_doubles(&zip, "offsets.npy", false, offsets, 2, 3, 0);
    zip_add_array(&zip, "names.npy", false, "<U4", "(2,)", names, sizeof names);
    add_doubles(&zip, "positions.npy", false, positions, FRAMES, 3, 0);
    SCOPED(close_zip) opened o = open_zip(zip, plain_options);
    pm_motion *motion = o.motion;
    const pm_motion_content *c = &motion->content;
    assert_int_equal(c->node_count, 2);
    assert_int_equal(c->nodes[0].parent, 1);
    assert_int_equal(c->nodes[1].parent, -1);
    assert_true(c->nodes[1].position[2] == 6.0 && c->nodes[0].rotation[3] == 1.0);
    assert_memory_equal(c->nodes[0].name.text, "a\xe2\x82\xac", 5);
    assert_int_equal(c->nodes[0].name.size, 4);
    assert_memory_equal(c->nodes[1].name.text,
                        "b\0\xf0\x9f\x98\x80"
                        "c",
                        8);
    assert_int_equal(c->nodes[1].name.size, 7);
    assert_int_equal(c->clips[0].channels[1].node, 1);
    assert_string_equal(c->clips[0].channels[1].name.text, "quats[1]");
    assert_int_equal(c->clips[0].channels[2].node, 1);
    assert_int_equal(c->clips[0].channels[2].path, PM_MOTION_POSITION);
}

/* ---- archives ----------------------------------------------------------------------------- */

TEST(archives_with_zip64_directories_are_read) {
    SCOPED(zip_free) zip_builder zip = {0};
    double q[FRAMES * JOINTS * 4];
    const zip_lies zip64 = {.zip64 = true};
    unit_quaternions(q, (size_t)FRAMES * JOINTS);
    SCOPED(zip_free) zip_builder source = plain_file(q, 30);
    zip_finish(&source, source.count, false);
    zip_found found;
    static const char *const names[] = {"quats.npy", "fps.npy"};
    for (size_t i = 0; i < 2; i++) {
        assert_true(zip_lookup(source.file.data, source.file.size, names[i], &found));
        zip_add(&zip, names[i], i == 0, found.data, found.size, &zip64);
        free(found.data);
    }
    zip_finish(&zip, zip.count, true);
    SCOPED(pm_motion_destroy) pm_motion *motion = read_zip(&zip, plain_options);
    assert_true(test_key(&motion->content.clips[0].channels[1], 4, 3) ==
                q[(4 * JOINTS + 1) * 4 + 3]);
}

/* The name of the last member ends the directory, where a zip64 archive has its locator. */
TEST(names_that_look_like_zip64_records_are_names) {
    SCOPED(zip_free) zip_builder zip = plain_file(NULL, 30);
    zip_add(&zip, "PK\x06\x07 and 15 others!!", false, "abc", 3, NULL);
    zip_finish(&zip, zip.count, false);
    assert_memory_equal(zip.file.data + zip.file.size - 22 - 20, "PK\x06\x07", 4);
    SCOPED(pm_motion_destroy) pm_motion *motion = read_zip(&zip, plain_options);
}

/* A file whose quats lie about something. */
static void expect_lie_refused(const zip_lies *lies, bool deflated, const char *reason) {
    zip_builder zip = {0}, source = plain_file(NULL, 30);
    zip_found found;
    zip_finish(&source, source.count, false);
    assert_true(zip_lookup(source.file.data, source.file.size, "quats.npy", &found));
    add_rate(&zip, "fps.npy", 30);
    zip_add(&zip, "quats.npy", deflated, found.data, found.size, lies);
    free(found.data);
    zip_free(&source);
    expect_plain_refused(&zip, reason);
}

TEST(members_that_lie_are_refused) {
    expect_lie_refused(&(zip_lies){.bad_crc = true}, false, "checksum");
    expect_lie_refused(&(zip_lies){.bad_crc = true}, true, "checksum");
    expect_lie_refused(&(zip_lies){.size = 100}, false, "two sizes");
    expect_lie_refused(&(zip_lies){.size = 100}, true, "another size than");
    expect_lie_refused(&(zip_lies){.size = 100000}, true, "another size than");
    expect_lie_refused(&(zip_lies){.size = 400000000}, true, "more bytes than deflate can hold");
    expect_lie_refused(&(zip_lies){.size = UINT64_MAX, .zip64 = true}, true,
                       "more bytes than deflate can hold");
    expect_lie_refused(&(zip_lies){.packed_size = 5}, true, "");
    expect_lie_refused(&(zip_lies){.packed_size = UINT64_MAX, .zip64 = true}, true, "cut short");
    expect_lie_refused(&(zip_lies){.packed_size = 1 << 20}, true, "cut short");
    expect_lie_refused(&(zip_lies){.flags = 1}, true, "encrypted");
    expect_lie_refused(&(zip_lies){.method = 14}, true, "unknown compression");
    expect_lie_refused(&(zip_lies){.local = 3}, true, "no header where");
    expect_lie_refused(&(zip_lies){.local = UINT32_MAX}, true, "zip64");
    expect_lie_refused(&(zip_lies){.local = UINT32_MAX - 1}, true, "no header where");
}

TEST(overlapping_members_are_refused) {
    zip_builder zip = plain_file(NULL, 30);
    const size_t one = zip.directory.size;
    char *copy = malloc(one);
    assert_non_null(copy);
    memcpy(copy, zip.directory.data, one);
    bytes_add(&zip.directory, copy, one);
    free(copy);
    zip.count *= 2;
    expect_plain_refused(&zip, "overlaps");
}

TEST(names_in_messages_are_printable) {
    zip_builder zip = plain_file(NULL, 30);
    zip_add(&zip, "a\x1b[2J\n.npy", false, "abc", 3, &(zip_lies){.local = 1});
    expect_plain_refused(&zip, "member 'a\\x1b[2J\\x0a.npy'");
}

TEST(members_that_are_there_twice_are_refused_if_they_matter) {
    zip_builder zip = plain_file(NULL, 30);
    add_rate(&zip, "fps.npy", 30);
    expect_plain_refused(&zip, "'fps.npy' is there twice");
    zip = plain_file(NULL, 30);
    add_rate(&zip, "other.npy", 1);
    add_rate(&zip, "other.npy", 2);
    SCOPED(close_zip) opened o = open_zip(zip, plain_options);
}

TEST(counts_beyond_the_directory_are_refused) {
    static const uint64_t counts[] = {3, 1000, UINT64_MAX, UINT64_MAX / 46};
    for (size_t i = 0; i < 4; i++) {
        SCOPED(zip_free) zip_builder zip = plain_file(NULL, 30);
        zip_finish(&zip, counts[i], i >= 2);
        expect_refused(&zip, plain_options, "damaged");
    }
}

TEST(counts_below_those_of_the_directory_are_refused) {
    for (size_t is64 = 0; is64 < 2; is64++) {
        SCOPED(zip_free) zip_builder zip = plain_file(NULL, 30);
        zip_finish(&zip, zip.count - 1, is64);
        expect_refused(&zip, plain_options, "more than");
    }
}

TEST(unreadable_members_that_are_not_needed_are_carried_over) {
    zip_builder zip = plain_file(NULL, 30);
    SCOPED(bytes_free) file_bytes out = {0};
    zip_add(&zip, "secret.npy", false, "abc", 3, &(zip_lies){.flags = 1});
    zip_add(&zip, "lzma.npy", false, "xyz", 3, &(zip_lies){.method = 14});
    zip_add(&zip, "damaged.bin", false, "uvw", 3, &(zip_lies){.bad_crc = true});
    SCOPED(close_zip) opened o = open_zip(zip, plain_options);
    pm_motion *motion = o.motion;
    test_samples samples;
    test_samples_make(&samples, motion, (pm_rational){15, 1});
    assert_int_equal(test_write(motion, NULL, &samples.samples, &out, &failure), PM_OK);
    zip_found found;
    static const char *const names[] = {"secret.npy", "damaged.bin"};
    for (size_t i = 0; i < 2; i++) {
        zip_found source;
        assert_true(zip_lookup(out.data, out.size, names[i], &found));
        assert_true(zip_lookup(o.zip.file.data, o.zip.file.size, names[i], &source));
        assert_int_equal(found.crc, source.crc);
        assert_int_equal(found.packed_size, 3);
        assert_memory_equal(found.packed, source.packed, 3);
        free(found.data);
        free(source.data);
    }
}

/* The bytes of a sink, except those of members of more than a megabyte. */
static pm_status keep_small(void *user, const void *data, size_t size, pm_error *error) {
    (void)error;
    if (size < 1 << 20)
        bytes_add(user, data, size);
    return PM_OK;
}

TEST(members_beyond_4_gigabytes_have_zip64_sizes) {
    static const uint64_t size = (UINT64_C(1) << 32) + 12345;
    SCOPED(bytes_free) file_bytes out = {0};
    const motion_sink sink = {keep_small, &out};
    zip_writer zip = {.sink = &sink};
    /* Pages that are never touched. */
    void *pages = malloc(size);
    if (!pages)
        skip();
    const zip_member large = {
        .name = {"large", 5}, .crc = 0x01020304, .size = size, .packed = {pages, size}};
    const zip_member small = {.name = {"s", 1}, .size = 3, .packed = {"abc", 3}};
    assert_int_equal(zip_write_member(&zip, &large, &failure), PM_OK);
    const uint64_t second = zip.at;
    assert_int_equal(zip_write_member(&zip, &small, &failure), PM_OK);
    const uint64_t directory = zip.at;
    assert_int_equal(zip_write_end(&zip, (zip_bytes){"", 0}, &failure), PM_OK);
    free(pages);
    const char *at = out.data;
    assert_int_equal(number_at(at + 18, 4), UINT32_MAX);
    assert_int_equal(number_at(at + 22, 4), UINT32_MAX);
    assert_int_equal(number_at(at + 35, 4), 1 | 16 << 16);
    assert_true(number_at(at + 39, 8) == size && number_at(at + 47, 8) == size);
    assert_true(second == size + 55);
    const size_t small_size = 30 + 1 + 20 + 3, central = 55 + small_size;
    assert_true(directory == second + small_size);
    at = out.data + central;
    assert_int_equal(number_at(at, 4), 0x02014b50);
    assert_true(number_at(at + 46 + 5 + 4, 8) == size && number_at(at + 46 + 5 + 20, 8) == 0);
    at += 46 + 5 + 28;
    assert_int_equal(number_at(at, 4), 0x02014b50);
    assert_true(number_at(at + 46 + 1 + 4, 8) == 3 && number_at(at + 46 + 1 + 20, 8) == second);
    at += 46 + 1 + 28;
    assert_int_equal(number_at(at, 4), 0x06064b50);
    assert_int_equal(number_at(at + 32, 8), 2);
    assert_true(number_at(at + 48, 8) == directory);
    assert_int_equal(number_at(at + 40, 8), 46 + 5 + 28 + 46 + 1 + 28);
    at += 56;
    assert_int_equal(number_at(at, 4), 0x07064b50);
    assert_true(number_at(at + 8, 8) == directory + 46 + 5 + 28 + 46 + 1 + 28);
    assert_int_equal(out.data + out.size - at, 20 + 22);
    zip_writer_release(&zip);
}

/* The first byte that a password is checked with is of the time only if there is a descriptor. */
TEST(encrypted_members_keep_their_descriptor) {
    zip_builder zip = plain_file(NULL, 30);
    SCOPED(bytes_free) file_bytes out = {0};
    zip_found found;
    zip_add(&zip, "a", false, "abc", 3, &(zip_lies){.flags = 9});
    zip_add(&zip, "b", false, "def", 3, &(zip_lies){.flags = 8});
    SCOPED(close_zip) opened o = open_zip(zip, plain_options);
    pm_motion *motion = o.motion;
    assert_int_equal(test_write(motion, NULL, NULL, &out, &failure), PM_OK);
    assert_true(zip_lookup(out.data, out.size, "a", &found));
    assert_int_equal(number_at(found.packed + 3, 4), 0x08074b50);
    assert_int_equal(number_at(found.packed + 7, 4), found.crc);
    assert_int_equal(number_at(found.packed + 11, 4), 3);
    assert_int_equal(number_at(found.packed + 19, 4), 0x04034b50);
    assert_int_equal(number_at(found.packed + 19 + 6, 2), 0);
    free(found.data);
}

/* ---- layouts ------------------------------------------------------------------------------- */

TEST(layouts_are_taken_by_name) {
    SCOPED(zip_free) zip_builder zip = plain_file(NULL, 30);
    zip_finish(&zip, zip.count, false);
    expect_refused(&zip, (pm_motion_read_options){.layout = "amass"},
                   "no member holds rotations of layout 'amass'");
    expect_refused(&zip, (pm_motion_read_options){.layout = "/no/such/layout"}, "expected amass");
    SCOPED(pm_motion_destroy)
    pm_motion *motion = read_zip(&zip, (pm_motion_read_options){.layout = "plain"});
}

TEST(layouts_of_another_form_are_refused) {
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"{", "line 1"},
        {"[]", "expected an object"},
        {"{\"rotations\": []}", "at least one"},
        {"{\"rotations\": [{\"member\": \"a\", \"as\": \"euler\"}]}", "/rotations/0"},
        {"{\"rotations\": [{\"member\": 1, \"as\": \"axis-angle\"}]}", "name of a member"},
        {"{\"rotations\": [{\"member\": \"\", \"as\": \"axis-angle\"}]}", "name of a member"},
        {"{\"rotations\": [7]}", "an object"},
        {"{\"rotations\": [{\"member\": \"a\", \"as\": \"quaternion-xyzw\", \"parts\": []}]}",
         "only with"},
        {"{\"rotations\": [{\"member\": \"a\", \"as\": \"axis-angle\", \"x\": 1}]}", "only"},
        {"{\"rotations\": [{\"member\": \"a\", \"as\": \"axis-angle\"}], \"x\": 1}",
         "an object with only"},
        {"{\"rotations\": [{\"member\": \"a\", \"as\": \"axis-angle\"}], \"vectors\": [\"a\"]}",
         "not named before"},
        {"{\"rotations\": [{\"member\": \"a\", \"as\": \"axis-angle\"}], \"vectors\": 3}",
         "a list"},
        {"{\"rotations\": [{\"member\": \"a\", \"as\": \"axis-angle\"}], "
         "\"velocities\": [{\"member\": \"b\", \"of\": \"c\"}]}",
         "/velocities/0"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED(motion_arena_release) motion_arena arena = {0};
        npz_layout layout;
        memset(&failure, 0x5a, sizeof failure);
        assert_int_equal(npz_parse_layout(cases[i].text, strlen(cases[i].text), "l.json", &arena,
                                          &layout, &failure),
                         PM_ERROR_FILE);
        if (!strstr(failure.message, cases[i].reason))
            fail_msg("'%s' is refused with '%s'; expected '%s'", cases[i].text, failure.message,
                     cases[i].reason);
    }
}

TEST_GROUP(test_folder_enter, test_folder_leave)
