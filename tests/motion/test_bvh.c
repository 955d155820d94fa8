/* SPDX-License-Identifier: MIT
 *
 * Tests of the BVH reader and writer: each rule with a small file, malicious files, and every
 * real and odd file of the data folder, with the reason for each rejection.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/bvh/bvh.h"
#include "motion/files/output.h"
#include "support/motion_files.h"
#include "support/test_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- reading a text and its messages --------------------------------------------- */

static char messages[4096]; /* messages of the last read */

static void keep_warning(void *user, pm_log_level level, const pm_error *remark) {
    char message[PM_ERROR_TEXT_SIZE];
    pm_error_text(remark, PM_SPELLING_COMMAND, message, sizeof message);
    const size_t used = strlen(messages);
    (void)user;
    assert_int_equal(level, PM_LOG_WARNING);
    snprintf(messages + used, sizeof messages - used, "warning: %s\n", message);
}

static pm_status read_bytes(const char *data, size_t size, const pm_motion_read_options *options,
                            bvh **model) {
    const motion_input input = {.data = data,
                                .size = size,
                                .options = options,
                                .warnings = {.log = keep_warning, .name = "file.bvh"}};
    pm_error error;
    memset(&error, 0x5A, sizeof error);
    messages[0] = '\0';
    *model = NULL;
    const pm_status status = bvh_parse(&input, model, &error);
    if (status != PM_OK) {
        const size_t used = strlen(messages);
        assert_int_equal(error.status, status);
        pm_error_text(&error, PM_SPELLING_COMMAND, messages + used, sizeof messages - used);
    }
    return status;
}

static const pm_motion_read_options plain;

static void assert_message(const char *part) {
    if (!strstr(messages, part))
        fail_msg("no '%s' in: %s", part, messages);
}

static bvh *read_good(const char *text) {
    bvh *model;
    if (read_bytes(text, strlen(text), &plain, &model) != PM_OK)
        fail_msg("refused: %s", messages);
    return model;
}

static void assert_refused(const char *text, const pm_motion_read_options *options,
                           const char *reason) {
    bvh *model;
    assert_int_equal(read_bytes(text, strlen(text), options, &model), PM_ERROR_FILE);
    assert_null(model);
    assert_message("line ");
    assert_message(reason);
}

#define HIPS_AND_SPINE(hips, spine)                                                                \
    "HIERARCHY\nROOT Hips\n{\n OFFSET 0 90 0\n CHANNELS " hips                                     \
    "\n JOINT Spine\n {\n  OFFSET 0 10 0\n  CHANNELS " spine                                       \
    "\n  End Site\n  {\n   OFFSET 0 20 0\n  }\n }\n}\n"
#define ONE_JOINT HIPS_AND_SPINE("2 Xposition Yposition", "1 Zrotation")
#define HEAD(frames, time) "MOTION\nFrames: " frames "\nFrame Time: " time "\n"
#define TWO_ROWS HEAD("2", "0.02")

static void assert_rows(const char *rows, const double *expected, size_t count) {
    char text[2048];
    SCOPED(bvh_free) bvh *model;
    snprintf(text, sizeof text, "%s%s%s", ONE_JOINT, TWO_ROWS, rows);
    model = read_good(text);
    assert_int_equal(model->frame_count * model->channel_count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(model->values[i] == expected[i]);
}

/* Texts that are refused, each for its reason. */
typedef struct refusal {
    const char *text, *reason;
} refusal;

static void assert_all_refused(const refusal *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_refused(cases[i].text, &plain, cases[i].reason);
}

static const double one_to_six[] = {1, 2, 3, 4, 5, 6};

/* ---- the hierarchy --------------------------------------------------------------- */

TEST(channels_are_known_by_name_in_any_order_and_number) {
    SCOPED(bvh_free)
    bvh *model = read_good(
        HIPS_AND_SPINE("6 Zrotation Xrotation Yrotation Xposition Yposition Zposition",
                       "4 xROTATION Yscale finger Zposition") TWO_ROWS "1 2 3 4 5 6 7 8 9 10\n");
    static const bvh_channel_kind kinds[] = {
        BVH_Z_ROTATION, BVH_X_ROTATION, BVH_Y_ROTATION, BVH_X_POSITION, BVH_Y_POSITION,
        BVH_Z_POSITION, BVH_X_ROTATION, BVH_Y_SCALE,    BVH_OTHER,      BVH_Z_POSITION};
    assert_int_equal(model->channel_count, 10);
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(model->channels[i].kind, kinds[i]);
        assert_int_equal(model->channels[i].joint, i >= 6);
    }
    assert_int_equal(model->joints[1].first_channel, 6);
    assert_int_equal(model->joints[1].parent, 0);
    assert_true(model->joints[1].offset[1] == 10);
}

TEST(end_sites_are_read_in_every_form) {
    SCOPED(bvh_free)
    bvh *model = read_good("HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation\n"
                           "end SITE\n{ OFFSET 1 2 3 }\nEnd Site Tip of it {OFFSET 4 5 6}\n"
                           "End effector { OFFSET 0 0 0 }\n"
                           "JOINT End\n{ OFFSET 0 0 0 CHANNELS 1 Xrotation } }\n" TWO_ROWS "1 2\n");
    assert_int_equal(model->joint_count, 2);
    assert_int_equal(model->site_count, 3);
    assert_int_equal(model->sites[0].name.size, 0);
    assert_memory_equal(model->sites[1].name.begin, "Tip of it", 9);
    assert_int_equal(model->sites[1].name.size, 9);
    assert_true(model->sites[0].offset[2] == 3 && model->sites[1].offset[0] == 4);
    assert_memory_equal(model->joints[1].name.begin, "End", 3);
}

static void expect_name(const char *declared, const char *name) {
    char text[1024];
    SCOPED(bvh_free) bvh *model;
    snprintf(text, sizeof text, "HIERARCHY\nROOT a\n{\nCHANNELS 1 Xrotation\nJOINT %s\n%s",
             declared, "OFFSET 1 2 3 } }\n" TWO_ROWS "1\n2\n");
    model = read_good(text);
    assert_int_equal(model->joint_count, 2);
    assert_int_equal(model->joints[1].name.size, strlen(name));
    assert_memory_equal(model->joints[1].name.begin, name, strlen(name));
    assert_true(model->joints[1].offset[2] == 3);
}

/* Second bytes of Shift-JIS and GBK are those of braces; such bytes may stand anywhere in a name. */
TEST(a_brace_counts_only_where_it_stands_alone) {
    static const char *const names[] = {"\x83{\x81[", "\x83{", "{",   "a{b",   "{a",
                                        "a}",         "{}",    "a{}", "x } y", "\x95\x7d\x83{01",
                                        "a {b} c"};
    static const char *const ways[] = {"%s\n{", "%s {", "%s\t{\r\n", "%s\r\n\r\n {", "\t%s \n{"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        for (size_t k = 0; k < COUNT_OF(ways); k++) {
            char declared[64];
            snprintf(declared, sizeof declared, ways[k], names[i]);
            expect_name(declared, names[i]);
        }
    }
    expect_name("b{", "b");
    expect_name("b{ ", "b");
    expect_name("\x83{{", "\x83{");
    expect_name("{", "");
}

TEST(names_of_channels_and_sites_may_hold_bytes_of_braces) {
    SCOPED(bvh_free)
    bvh *model =
        read_good("HIERARCHY\nROOT a\n{\nCHANNELS 3 \x83{ \x83}\x81{x Xrotation\n"
                  "End Site \x83{\n{\nOFFSET 0 0 0\n}\nJOINT b { CHANNELS 1 finger}}\n" TWO_ROWS
                  "1 2 3 4\n5 6 7 8\n");
    assert_int_equal(model->channel_count, 4);
    assert_memory_equal(model->channels[0].name.begin, "\x83{ ", 3);
    assert_int_equal(model->channels[1].name.size, 5);
    assert_int_equal(model->channels[2].kind, BVH_X_ROTATION);
    assert_int_equal(model->channels[3].name.size, 6);
    assert_int_equal(model->sites[0].name.size, 2);
}

/* Of channels without a joint's own, and of several roots. */
TEST(joints_may_have_no_channels_and_no_parent) {
    SCOPED(bvh_free) bvh *model = read_good(HIPS_AND_SPINE("0", "1 Zrotation") TWO_ROWS "1\n2\n");
    assert_int_equal(model->channel_count, 1);
    assert_int_equal(model->joints[0].channel_count, 0);
    bvh_free(&model);
    model = read_good("HIERARCHY ROOT a\n{ CHANNELS 1 Xrotation }\nROOT b\n{ CHANNELS 1 "
                      "Xrotation }\n" TWO_ROWS "1 2\n3 4\n");
    assert_int_equal(model->joint_count, 2);
    assert_true(model->joints[1].parent == BVH_NO_JOINT);
    assert_string_equal(messages, "");
}

#define ROOT "HIERARCHY\nROOT a\n{\n"

TEST(damaged_hierarchies_are_refused_with_their_line) {
    static const refusal cases[] = {
        {"", "expected HIERARCHY at the beginning"},
        {"glTF", "expected HIERARCHY at the beginning"},
        {"HIERARCHY\n", "expected MOTION, found the end of the file"},
        {"HIERARCHY\nMOTION\n", "no ROOT"},
        {"HIERARCHY\nJOINT a\n", "line 2: expected ROOT or MOTION, found 'JOINT'"},
        {"HIERARCHY\nROOT a\n", "expected '{', found the end of the file"},
        {"HIERARCHY\nROOT a\nOFFSET 0 0 0\n", "expected '{', found 'OFFSET'"},
        {ROOT, "end of the file inside joint 0 (a)"},
        {ROOT "OFFSET 0 x 0\n", "line 4: a number of OFFSET"},
        {ROOT "OFFSET 0 1e400 0\n", "too large; expected a finite number"},
        {ROOT "FLAVOUR 1\n", "unknown keyword 'FLAVOUR' inside"},
        {ROOT "CHANNELS 1.5 Xrotation\n", "number of channels is"},
        {ROOT "CHANNELS -1\n", "number of channels is -1"},
        {ROOT "CHANNELS 2 Xrotation\n}\n", "names 1"},
        {ROOT "CHANNELS 1 Xrotation Yrotation\n}\n", "unknown keyword 'Yrotation'"},
        {ROOT "CHANNELS 1 a\nCHANNELS 1 b\n}\n", "second CHANNELS line"},
        {ROOT "End Site\n{\nCHANNELS 1 a\n}\n}\n", "End Site of joint 0 (a) has channels"},
        {ROOT "}\nMOTION\n", "no joint has channels"},
        /* Huge counts take no memory. */
        {ROOT "CHANNELS 999999999 Xrotation\n}\n", "names 1"},
        {ROOT "CHANNELS 1e300 Xrotation\n}\n", "number of channels is"},
    };
    assert_all_refused(cases, COUNT_OF(cases));
}

/* ---- blanks, commas, numbers ------------------------------------------------------ */

TEST(blanks_and_line_ends_of_every_kind_are_blanks) {
    static const char *const rows[] = {
        "\n\n \t1\t2   3 \r\n\r\n4 5 6", "1 2 3\r4 5 6\r", "1 2 3\n4 5 6\n\n  \n\t",
        "1\n2\n3\n4 5\n6\n" /* rows may span lines if the counts add up */};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_rows(rows[i], one_to_six, 6);
    assert_string_equal(messages, "");
}

TEST(a_byte_order_mark_is_skipped) {
    SCOPED(bvh_free) bvh *model = read_good("\xef\xbb\xbf" ONE_JOINT TWO_ROWS "1 2 3\n4 5 6\n");
    assert_memory_equal(model->hierarchy, "HIERARCHY", 9);
}

TEST(exponents_are_read) {
    static const double expected[] = {5.1e-06, -8.88178e-16, 10};
    assert_rows("5.1e-06 -8.88178e-016 1E1", expected, 3);
}

TEST(decimal_commas_are_read_and_warned_of) {
    SCOPED(bvh_free)
    bvh *model = read_good("HIERARCHY\nROOT a,1\n{\n OFFSET 0,5 1 -2,25\n CHANNELS 1 Xrotation\n}\n"
                           "MOTION\nFrames: 1\nFrame Time: 0,04\n-20,75\n");
    assert_true(model->values[0] == -20.75 && model->joints[0].offset[2] == -2.25);
    assert_int_equal(model->rate.num, 25);
    assert_message("decimal commas");
    assert_non_null(strstr(model->hierarchy, "ROOT a,1\n{\n OFFSET 0.5 1 -2.25\n"));
}

#define ROWS(text) ONE_JOINT TWO_ROWS text

TEST(rows_that_are_none_are_refused_with_line_and_joint) {
    static const char comma[] = "a comma is accepted only as a decimal mark";
    static const refusal cases[] = {
        {ROWS("1, 2, 3\n"), comma},
        {ROWS("1,2,3\n"), comma},
        {ROWS("1 1.5,2.5 3\n"), comma},
        {ROWS("1,2 3\n"), "last row has 2 numbers"},
        {ROWS("1 2 3\n4 5 nan\n"), "line 20: joint 1 (Spine), Zrotation: 'nan'"},
        {ROWS("1 2 3\n-inf 5 6\n"), "line 20: joint 0 (Hips), Xposition: '-inf'"},
        {ROWS("1 -1.#IND 3\n"), "'-1.#IND' is not a finite number (--nan hold"},
        {ROWS("1 2 -nan(ind)\n"), "'-nan(ind)'"},
        {ROWS("1e999 2 3\n"), "'1e999'"},
        {ROWS("1 2 3 4\n5 6\n"), "line 19: row has 4 numbers"},
        {ROWS("1 2 3\n4 5\n6 7 8\n"), "line 20: row has 2 numbers"},
        {ROWS("1 2 3 4 5 6\n"), "line 19: row has 6 numbers"},
        {ROWS("1 2 3\n4 5\n"), "line 20: last row has 2 numbers"},
        {ROWS("1 2 3\nl4 5 6\n"), "line 20: joint 0 (Hips): 'l4' is not a number"},
        {ROWS("1 2 # 3\n"), "joint 1 (Spine): '#' is not a number"},
        {ROWS("1 2 3 x\n4 5 6\n"), "unexpected 'x' after a row"},
        {ONE_JOINT HEAD("0", "0.02"), "no frames; expected at least one row"},
        {ONE_JOINT HEAD("x", "0.02") "1 2 3\n", "line 17: Frames: is 'x'"},
        {ONE_JOINT HEAD("-1", "0.02") "1 2 3\n", "line 17: Frames: is '-1'"},
        {ONE_JOINT "MOTION\nFrames: 1\n1 2 3\n", "Frame Time: is missing"},
        {ONE_JOINT "MOTION\nFrames 1\n1 2 3\n", "expected ':' after 'Frames'"},
    };
    assert_all_refused(cases, COUNT_OF(cases));
}

TEST(nan_hold_keeps_the_last_good_value) {
    static const char text[] = ONE_JOINT HEAD("3", "0.02") "1 2 3\nnan 5 -1.#IND\ninf 7 8\n";
    static const double expected[] = {1, 2, 3, 1, 5, 3, 1, 7, 8};
    pm_motion_read_options hold = {.hold_nan = true};
    bvh *model;
    assert_int_equal(read_bytes(text, strlen(text), &hold, &model), PM_OK);
    for (size_t i = 0; i < 9; i++)
        assert_true(model->values[i] == expected[i]);
    assert_false(model->rows[0].held);
    assert_true(model->rows[1].held && model->rows[2].held);
    bvh_free(&model);
    assert_refused(ONE_JOINT TWO_ROWS "1 nan 3\n", &hold, "no earlier row");
}

/* ---- rows -------------------------------------------------------------------------- */

TEST(the_rows_override_a_wrong_frame_count) {
    static const struct {
        const char *text, *message;
        size_t frames;
    } cases[] = {
        {ONE_JOINT HEAD("5", "0.02") "1 2 3\n4 5 6\n", "Frames: is 5, but the file has 2 rows", 2},
        {ONE_JOINT HEAD("1", "0.02") "1 2 3\n4 5 6\n", "Frames: is 1, but the file has 2 rows", 2},
        {ONE_JOINT HEAD("99999999999999999999", "0.02") "1 2 3\n", "", 1},
        {ONE_JOINT HEAD("1", "0.02") "1 2 3", "", 1},
    };
    pm_motion_read_options strict = {.strict = true};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED(bvh_free) bvh *model = read_good(cases[i].text);
        assert_int_equal(model->frame_count, cases[i].frames);
        assert_message(cases[i].message);
    }
    assert_refused(ONE_JOINT HEAD("5", "0.02") "1 2 3\n", &strict,
                   "line 17: Frames: is 5, but the file has 1");
}

TEST(rows_are_counted_where_their_number_is_missing) {
    static const char *const values[] = {"", " \t ", "\r"};
    pm_motion_read_options strict = {.strict = true};
    char text[1024];
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        bvh *model;
        snprintf(text, sizeof text, ONE_JOINT "MOTION\nFrames:%s\nFrame Time: 0.02\n1 2 3\n4 5 6\n",
                 values[i]);
        model = read_good(text);
        assert_int_equal(model->frame_count, 2);
        assert_int_equal(model->rate.num, 50);
        assert_message("warning: file.bvh: Frames: is missing or too large; the file has 2 rows");
        bvh_free(&model);
        assert_refused(text, &strict, "line 17: Frames: is missing");
    }
    snprintf(text, sizeof text, ONE_JOINT "MOTION\nFrame Time: 0.02\nFrames:\n1 2 3\n4 5 6\n");
    bvh_free(&(bvh *){read_good(text)});
    snprintf(text, sizeof text, ONE_JOINT "MOTION\nFrames:\n2\nFrame Time: 0.02\n1 2 3\n4 5 6\n");
    bvh_free(&(bvh *){read_good(text)});
    assert_string_equal(messages, "");
}

TEST(text_after_the_last_frame_is_left_out_with_a_warning) {
    static const char nuls[] = ONE_JOINT HEAD("1", "0.02") "1 2 3\0\0\0\0";
    SCOPED(bvh_free)
    bvh *model = read_good(ONE_JOINT TWO_ROWS "1 2 3\n4 5 6\n# exported 3 4 5\n7 8 9\n");
    assert_int_equal(model->frame_count, 2);
    assert_message("line 21: text after the last row is ignored");
    bvh_free(&model);
    assert_int_equal(read_bytes(nuls, sizeof nuls, &plain, &model), PM_OK);
    assert_int_equal(model->frame_count, 1);
    assert_message("text after the last row is ignored");
}

/* ---- frame time --------------------------------------------------------------------- */

TEST(placeholder_frame_times_require_a_rate) {
    static const char *const times[] = {"1.0", "1", "0", "0.000", "-0.1", "abc", ""};
    pm_motion_read_options given = {.source_rate = {30000, 1001}};
    char text[1024];
    bvh *model;
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        snprintf(text, sizeof text, "%sMOTION\nFrames: 1\nFrame Time: %s\n1 2 3\n", ONE_JOINT,
                 times[i]);
        assert_refused(text, &plain, "--source-rate");
        assert_int_equal(read_bytes(text, strlen(text), &given, &model), PM_OK);
        assert_int_equal(model->rate.num, 30000);
        assert_int_equal(model->rate.den, 1001);
        bvh_free(&model);
    }
}

TEST(the_frame_time_is_snapped_unless_disabled) {
    static const char text[] = ONE_JOINT HEAD("1", ".0083333") "1 2 3";
    pm_motion_read_options literal = {.literal_rate = true};
    SCOPED(bvh_free) bvh *model = read_good(text);
    assert_int_equal(model->rate.num, 120);
    assert_int_equal(model->rate_how, RATE_INTEGER);
    assert_memory_equal(model->frame_time.begin, ".0083333", 8);
    bvh_free(&model);
    assert_int_equal(read_bytes(text, strlen(text), &literal, &model), PM_OK);
    assert_int_equal(model->rate.num, 10000000);
    assert_int_equal(model->rate.den, 83333);
}

/* ---- hostile ------------------------------------------------------------------------ */

TEST(a_hundred_thousand_nested_joints_do_not_exhaust_the_stack) {
    enum { DEPTH = 100000 };
    static const char open[] = "JOINT j\n{\n";
    char *text = malloc((size_t)DEPTH * 16), *at = text;
    SCOPED(bvh_free) bvh *model;
    assert_non_null(text);
    at += sprintf(at, "HIERARCHY\nROOT r\n{ CHANNELS 1 Xrotation\n");
    for (int i = 0; i < DEPTH; i++) {
        memcpy(at, open, sizeof open - 1);
        at += sizeof open - 1;
    }
    memset(at, '}', DEPTH + 1);
    at += DEPTH + 1;
    memcpy(at, "\n" TWO_ROWS "1\n2\n", sizeof("\n" TWO_ROWS "1\n2\n"));
    model = read_good(text);
    assert_int_equal(model->joint_count, DEPTH + 1);
    assert_int_equal(model->joints[DEPTH].parent, DEPTH - 1);
    free(text);
}

/* ---- writing --------------------------------------------------------------------------- */

/* Writes the rows of the model from their text or from their numbers, and returns the text of the
 * file. */
static char *written(const bvh *model, bool own_rows) {
    motion_output *output = NULL;
    SCOPED(bvh_writer_release) bvh_writer writer;
    pm_error error;
    size_t size;
    assert_int_equal(motion_output_open("out.bvh", &output, &error), PM_OK);
    const motion_sink sink = motion_output_sink(output);
    assert_int_equal(
        bvh_writer_begin(&writer, model, &sink, model->frame_count, model->rate, 6, &error), PM_OK);
    for (size_t i = 0; i < model->frame_count; i++) {
        const double *row = model->values + i * model->channel_count;
        assert_int_equal(own_rows ? bvh_writer_source_row(&writer, model, i, &error)
                                  : bvh_writer_row(&writer, row, NULL, &error),
                         PM_OK);
    }
    assert_int_equal(bvh_writer_end(&writer, &error), PM_OK);
    assert_int_equal(motion_output_commit(&output, &error), PM_OK);
    char *data = test_folder_read("out.bvh", &size);
    assert_int_equal(writer.bytes, size);
    return data;
}

TEST(source_rows_keep_their_digits) {
    SCOPED(bvh_free)
    bvh *model = read_good(ONE_JOINT TWO_ROWS "  1.50\t-2e-016\n +3. \n4,5 .5 006\n");
    SCOPED(free_at) char *text = written(model, true);
    assert_string_equal(text, ONE_JOINT HEAD("2", "0.0200000000") "1.50 -2e-016 +3.\n4.5 .5 006\n");
}

TEST(held_rows_are_written_from_their_numbers) {
    static const char source[] = ONE_JOINT TWO_ROWS "1.50 2 3\nnan 5.0 6\n";
    pm_motion_read_options hold = {.hold_nan = true};
    SCOPED(bvh_free) bvh *model;
    SCOPED(free_at) char *text;
    assert_int_equal(read_bytes(source, strlen(source), &hold, &model), PM_OK);
    text = written(model, true);
    assert_non_null(strstr(text, "1.50 2 3\n1.500000 5.000000 6.000000\n"));
}

TEST(line_ends_stay_as_the_first_was) {
    SCOPED(bvh_free)
    bvh *model = read_good("HIERARCHY\r\nROOT a\n{ CHANNELS 1 Xrotation }\r\nMOTION\nFrames: "
                           "1\nFrame Time: 0.04\n7\n");
    SCOPED(free_at) char *text = written(model, false);
    assert_string_equal(text, "HIERARCHY\r\nROOT a\n{ CHANNELS 1 Xrotation }\r\nMOTION\r\nFrames: "
                              "1\r\nFrame Time: 0.0400000000\r\n7.000000\r\n");
}

/* ---- the data folder -------------------------------------------------------------------- */

typedef struct data_file {
    const char *path;
    const char *message; /* message of a rejection or a warning; NULL: read without either */
    bool refused;
    size_t joints, frames;
    int64_t num, den;
} data_file;

static const data_file data_files[] = {
    {"bvh/cmu_01_01.bvh", NULL, false, 31, 2752, 120, 1},
    {"bvh/cmu_01_03.bvh", NULL, false, 31, 4511, 120, 1},
    {"bvh/cmu_12_01_walk_mixed_eol.bvh", NULL, false, 31, 524, 120, 1},
    {"bvh/cmu_jumping_jacks_3dsmax.bvh", NULL, false, 31, 125, 30, 1},
    {"bvh/rokoko_jesse_dance.bvh", NULL, false, 60, 1007, 100, 1},
    {"bvh/makehuman_face_poseunits.bvh", NULL, false, 163, 60, 24, 1},
    {"bvh/makehuman_benchmark_mixed_6_3ch.bvh", NULL, false, 163, 1, 24, 1},
    {"bvh/makehuman_walk1.bvh", NULL, false, 75, 14, 24, 1},
    {"bvh/freebvh_mixamorig.bvh", NULL, false, 55, 69, 30, 1},
    {"bvh/mocapbank.bvh", NULL, false, 19, 455, 30, 1},
    {"bvh/max_walk01_exp3digits.bvh", NULL, false, 19, 101, 24, 1},
    {"bvh/pybvh_test1_mixed_orders.bvh", NULL, false, 24, 75, 30, 1},
    {"bvh/pybvh_test3_hands_crlf.bvh", NULL, false, 60, 100, 120, 1},
    {"odd/fairmotion_sinusoidal_no_end_site.bvh", NULL, false, 4, 120, 60, 1},
    {"odd/pybvh_full_precision_frame_time.bvh", NULL, false, 2, 3, 2997, 125},
    {"odd/pybvh_rotation_first_root.bvh", NULL, false, 4, 4, 25, 1},
    {"odd/syn_channels_count_wrong.bvh",
     "line 10: joint 1 (Spine): CHANNELS declares 6 channels and names 3", true, 0, 0, 0, 0},
    {"odd/syn_comma_decimals.bvh", "decimal commas", false, 2, 3, 30, 1},
    {"odd/syn_dup_names.bvh", NULL, false, 2, 3, 30, 1},
    {"odd/syn_frame_time_1p0_placeholder.bvh", "placeholder", true, 0, 0, 0, 0},
    {"odd/syn_frame_time_zero.bvh", "--source-rate", true, 0, 0, 0, 0},
    {"odd/syn_frames_declared_less.bvh", "is 2, but the file has 3 rows", false, 2, 3, 30, 1},
    {"odd/syn_frames_zero.bvh", "no frames; expected at least one row", true, 0, 0, 0, 0},
    {"odd/syn_motion_missing.bvh", "expected MOTION, found the end of the file", true, 0, 0, 0, 0},
    {"odd/syn_nan_inf.bvh", "line 20: joint 0 (Hips), Xposition: 'nan'", true, 0, 0, 0, 0},
    {"odd/syn_row_too_long.bvh", "line 19: row has 10 numbers", true, 0, 0, 0, 0},
    {"odd/syn_trailing_garbage.bvh", "line 22: text after the last row is ignored", false, 2, 3, 30,
     1},
    {"odd/syn_truncated_hierarchy.bvh", "end of the file inside joint 1 (Spine)", true, 0, 0, 0, 0},
    {"odd/usdbvhanim_test.bvh", NULL, false, 2, 20, 24, 1},
};

static void check_data_file(const data_file *file) {
    size_t size;
    SCOPED(free_at) char *data = test_folder_read(test_data(file->path), &size);
    bvh *model;
    pm_status code = read_bytes(data, size, &plain, &model);
    if (!file->message && messages[0] != '\0')
        fail_msg("%s: %s", file->path, messages);
    if (file->message)
        assert_message(file->message);
    assert_int_equal(code, file->refused ? PM_ERROR_FILE : PM_OK);
    if (!file->refused) {
        print_message("%s\n", file->path);
        assert_int_equal(model->joint_count, file->joints);
        assert_int_equal(model->frame_count, file->frames);
        assert_int_equal(model->rate.num, file->num);
        assert_int_equal(model->rate.den, file->den);
        bvh_free(&model);
    }
}

TEST(real_and_odd_files_are_read_or_refused_as_they_should_be) {
    for (size_t i = 0; i < COUNT_OF(data_files); i++)
        check_data_file(&data_files[i]);
}

TEST_GROUP(test_folder_enter, test_folder_leave)
