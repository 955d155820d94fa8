/* SPDX-License-Identifier: MIT
 *
 * Tests of CSV files of robots, and of the shortest text of a float, which they are written with.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/text/text.h"
#include "oracle/random_tracks.h"
#include "support/motion_files.h"
#include "support/npz_files.h"

/* ---- the shortest text of a float ----------------------------------------------------- */

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Significant digits of a text. */
static size_t digits_in(const char *text) {
    char digits[64];
    size_t count = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (count > 0 || *text != '0'))
            digits[count++] = *text;
    while (count > 0 && digits[count - 1] == '0')
        count--;
    return count;
}

/* Whether a text lies halfway between two floats: which one it reads as is a matter of rounding. */
static bool is_tie(const char *text, float value) {
    const double number = strtod(text, NULL), exact = (double)value;
    const double above = ((double)nextafterf(value, INFINITY) + exact) / 2;
    const double below = ((double)nextafterf(value, 0.0F) + exact) / 2;
    return number == above || number == below;
}

/* The fewest digits with which the C library's text reads back. */
static size_t fewest_digits(float value) {
    char text[64];
    for (int count = 1; count < 9; count++) {
        snprintf(text, sizeof text, "%.*e", count - 1, (double)value);
        if (strtof(text, NULL) == value && !is_tie(text, value))
            return digits_in(text);
    }
    return 9;
}

static void check_float(float value) {
    char text[TEXT_FLOAT_SIZE + 1];
    double again = 0.0;
    size_t commas = 0;
    memset(text, 'x', sizeof text);
    char *end = text_write_float(text, value);
    assert_true(end <= text + TEXT_FLOAT_SIZE);
    *end = '\0';
    const float read = strtof(text, NULL);
    if (memcmp(&read, &value, sizeof value) != 0 || (float)strtod(text, NULL) != value)
        fail_msg("%.9g is written as %s", (double)value, text);
    assert_ptr_equal(text_read_number(text, end, &again, &commas), end);
    assert_true((float)again == value);
    if (value != 0.0F && digits_in(text) > fewest_digits(fabsf(value)))
        fail_msg("%.9g is written as %s, which is not the shortest", (double)value, text);
}

TEST(floats_read_back_from_the_fewest_digits) {
    random_source source = random_start();
    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (uint32_t i = 0; i < 16; i++) { /* powers of two, and their neighbours */
            check_float(float_of(exponent << 23 | i));
            check_float(float_of(exponent << 23 | (0x7fffffu - i)));
        }
    for (size_t i = 0; i < 400000; i++) {
        const uint32_t bits = (uint32_t)random_bits(&source);
        if (isfinite(float_of(bits)))
            check_float(float_of(bits));
        check_float((float)random_between(&source, -4, 4));
    }
    for (uint32_t i = 0; i < 20000; i++) { /* what people write */
        check_float((float)i / 100.0F);
        check_float((float)i * 1000.0F);
        check_float((float)i / 1e8F);
    }
}

TEST(floats_are_written_as_people_do) {
    static const struct {
        float value;
        const char *text;
    } cases[] = {{0.0F, "0"},
                 {-0.0F, "-0"},
                 {1.0F, "1"},
                 {-0.1F, "-0.1"},
                 {0.00001F, "0.00001"},
                 {1e-6F, "1e-06"},
                 {1.25e-7F, "1.25e-07"},
                 {123456792.0F, "123456790"},
                 {1e9F, "1e+09"},
                 {0.70710677F, "0.70710677"},
                 {16777216.0F, "16777216"},
                 {FLT_MAX, "3.4028235e+38"},
                 {1e-45F, "1e-45"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[TEXT_FLOAT_SIZE + 1];
        *text_write_float(text, cases[i].value) = '\0';
        assert_string_equal(text, cases[i].text);
    }
}

/* ---- reading ---------------------------------------------------------------------------- */

static pm_error failure;
static test_log warnings;

static pm_motion *read_text(const char *text, pm_motion_read_options options) {
    pm_motion *motion = NULL;
    const size_t size = strlen(text);
    /* Of exactly its size, so that a sanitizer sees a read past the end. It is freed by the test's
     * end, because the motion points to it. */
    static char *copy;
    free(copy);
    copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    options.log = test_log_add;
    options.log_user = &warnings;
    warnings = (test_log){0};
    memset(&failure, 0x5a, sizeof failure);
    if (pm_motion_parse(copy, size, "robot.csv", NULL, &options, &motion, &failure) != PM_OK)
        assert_null(motion);
    return motion;
}

static void rows_are_read(const char *text, size_t frames, size_t joints) {
    SCOPED(pm_motion_destroy) pm_motion *motion = read_text(text, (pm_motion_read_options){0});
    if (!motion)
        fail_msg("refused: %s", failure.message);
    const pm_motion_clip *clip = motion->content.clips;
    assert_int_equal(clip->timelines[0].key_count, frames);
    assert_int_equal(clip->channel_count, joints ? 3 : 2);
    assert_int_equal(clip->rate.num, 30);
    assert_int_equal(clip->rate.den, 1);
    if (joints)
        assert_int_equal(clip->channels[2].components, joints);
    assert_int_equal(clip->channels[1].path, PM_MOTION_ROTATION);
    assert_true(test_key(&clip->channels[0], frames - 1, 2) == -3.5);
    assert_true(test_key(&clip->channels[1], frames - 1, 3) == 1.0);
    for (size_t i = 0; i < joints; i++)
        assert_true(test_key(&clip->channels[2], 0, i) == 0.25 * (double)(i + 1));
}

TEST(files_of_every_form_are_read) {
    rows_are_read("1,2,-3.5,0,0,0,1,0.25,.5\n", 1, 2);
    rows_are_read("1,2,-3.5,0,0,0,1,0.25,0.5\r\n1,2,-3.5,0,0,0,1,1,1\r\n", 2, 2);
    rows_are_read("x;y;z;a;b;c;d\n1;2;-3.5;0;0;0;1", 1, 0);
    rows_are_read("\xef\xbb\xbfx, y, z\n 1, 2, -35e-1, 0, 0, 0, +1, 0.25 \n\n\n", 1, 1);
    rows_are_read("  1 2\t-3.5  0 0 0 1 2.5e-1\r1 2 -3.5 0 0 0 1 0\r", 2, 1);
    rows_are_read("\n\n1 2 -3.5 0 0 0 1\n \n1 2 -3.5 0 0 0 1\n", 2, 0);
}

TEST(the_rate_can_be_given) {
    SCOPED(pm_motion_destroy)
    pm_motion *motion =
        read_text("1 2 3 0 0 0 1", (pm_motion_read_options){.source_rate = {30000, 1001}});
    assert_int_equal(motion->content.clips[0].rate.den, 1001);
}

TEST(times_in_a_column_are_the_rate) {
    static const struct {
        const char *times[3];
        int64_t num, den;
        const char *warning;
    } cases[] = {{{"0", "0.02", "0.04"}, 50, 1, NULL},
                 {{"7.1", "7.12", "7.14"}, 50, 1, NULL},
                 {{"0", "0.0333666666667", "0.0667333333333"}, 30000, 1001, NULL},
                 {{"0", "0.0333", "0.0667"}, 30, 1, NULL},
                 {{"0", "0.02", "0.05"}, 30, 1, "times in column 1 are not seconds"},
                 {{"0", "20", "40"}, 30, 1, "times in column 1 are not seconds"},
                 {{"0", "0", "0"}, 30, 1, "times in column 1 are not seconds"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "time,x,y,z,qx,qy,qz,qw,knee\n%s,1,2,3,0,0,0,1,5\n%s,1,2,3,0,0,0,1,5\n"
                 "%s,1,2,3,0,0,0,1,5\n",
                 cases[i].times[0], cases[i].times[1], cases[i].times[2]);
        SCOPED(pm_motion_destroy) pm_motion *motion = read_text(text, (pm_motion_read_options){0});
        const pm_rational rate = motion->content.clips[0].rate;
        if (rate.num != cases[i].num || rate.den != cases[i].den)
            fail_msg("case %zu: %lld/%lld", i, (long long)rate.num, (long long)rate.den);
        if (cases[i].warning ? !strstr(warnings.text, cases[i].warning) : warnings.count > 0)
            fail_msg("case %zu: '%s'", i, warnings.text);
    }
    const char *walk = "time,root_x,y,z,a,b,c,d\n0,1,2,3,0,0,0,1\n.02,1,2,3,0,0,0,1\n";
    pm_motion_read_options options = {.source_rate = {60, 1}};
    SCOPED(pm_motion_destroy) pm_motion *given = read_text(walk, options);
    assert_int_equal(given->content.clips[0].rate.num, 60);
    options.rates_must_agree = true;
    assert_null(read_text(walk, options));
    assert_non_null(strstr(failure.message, "states a rate of 50 Hz; the given source rate is 60"));
}

TEST(a_guessed_rate_is_a_warning) {
    SCOPED(pm_motion_destroy)
    pm_motion *motion = read_text("1 2 3 0 0 0 1", (pm_motion_read_options){0}), *given;
    assert_non_null(strstr(warnings.text, "has no rate; 30 frames per second are taken"));
    given = read_text("1 2 3 0 0 0 1", (pm_motion_read_options){.source_rate = {30, 1}});
    assert_int_equal(warnings.count, 0);
    pm_motion_destroy(&given);
}

static void expect_names(const char *text, const char *one, const char *two) {
    SCOPED(pm_motion_destroy) pm_motion *motion = read_text(text, (pm_motion_read_options){0});
    const pm_motion_clip *clip = motion->content.clips;
    const pm_motion_channel *joints = &clip->channels[clip->channel_count - 1];
    assert_int_equal(joints->components, 2);
    assert_true(fabs(joints->full_turn - 6.283185307179586) < 1e-12);
    assert_true(!one == !joints->subjects);
    if (one) {
        assert_string_equal(joints->subjects[0].text, one);
        assert_string_equal(joints->subjects[1].text, two);
    }
}

TEST(headers_name_the_joints) {
    expect_names("x,y,z,a,b,c,d,hip,knee\n0,0,0,0,0,0,1,5,6\n", "hip", "knee");
    expect_names("\xef\xbb\xbfx;y;z;a;b;c;d;\"hip\"; 'left knee'\n0;0;0;0;0;0;1;5;6\n", "hip",
                 "left knee");
    expect_names(",x,y,z,a,b,c,d,hip,knee\n0,0,0,0,0,0,0,1,5,6\n", "hip", "knee");
    expect_names("frame,time,x,y,z,a,b,c,d,hip,knee,,\n0,0,0,0,0,0,0,0,1,5,6\n", "hip", "knee");
    expect_names("0,0,0,0,0,0,1,5,6\n", NULL, NULL);
    expect_names("a walk\n0,0,0,0,0,0,1,5,6\n", NULL, NULL);
    expect_names("x,y,z,a,b,c,d\n0,0,0,0,0,0,1,5,6\n", NULL, NULL);
    expect_names("x,y,z,a,b,c,d,hip\n0,0,0,0,0,0,1,5,6\n", NULL, NULL);
    expect_names("x,y,z,a,b,c,d,hip,knee,toe\n0,0,0,0,0,0,1,5,6\n", NULL, NULL);
}

static void expect_units(const char *head, double unit_mm, double full_turn, const char *joint) {
    char text[256];
    snprintf(text, sizeof text, "%s\n0,0,0,0,0,0,1,5,6\n", head);
    SCOPED(pm_motion_destroy) pm_motion *motion = read_text(text, (pm_motion_read_options){0});
    const pm_motion_channel *joints = &motion->content.clips->channels[2];
    assert_true(fabs(motion->content.unit_mm - unit_mm) < 1e-9);
    assert_true(fabs(joints->full_turn - full_turn) < 1e-9);
    assert_string_equal(joints->subjects[0].text, joint);
}

TEST(headers_say_units) {
    const double turn = 6.283185307179586;
    expect_units("x (cm),y (cm),z (cm),a,b,c,d,hip (deg),knee [degrees]", 10, 360, "hip");
    expect_units("pos_x_mm,pos_y_mm,pos_z_mm,qw,qx,qy,qz,hip_deg,knee_DEG", 1, 360, "hip");
    expect_units("x [m],y [m],z [m],a,b,c,d,hip [rad],knee_rad", 1000, turn, "hip");
    SCOPED(pm_motion_destroy)
    pm_motion *mixed = read_text("x,y,z,a,b,c,d,hip (deg),knee (rad)\n0,0,0,0,0,0,1,5,6\n",
                                 (pm_motion_read_options){0});
    assert_string_equal(mixed->odd_names,
                        "the header has degrees for 1 of 2 joints; expected one unit");
    static const char *const tum[] = {
        "# t [s] tx [m] ty [m] tz [m] qx qy qz qw\n1 1 2 3 0 0 0 1\n",
        "# t [s] tx [mm] ty [mm] tz [mm] qx qy qz qw\n1 1 2 3 0 0 0 1\n",
        "# t [ns] tx ty tz qx qy qz qw\n1 1 2 3 0 0 0 1\n",
        "# t qx qy qz qw tx ty tz\n1 0 0 0 1 1 2 3\n"};
    static const char *const says[] = {NULL, "line 1 has 'mm' for the unit of positions; TUM has m",
                                       "line 1 has 'ns' for the unit of times; TUM has s",
                                       "'qx'; expected a position"};
    for (size_t i = 0; i < COUNT_OF(tum); i++) {
        const pm_motion_read_options options = {.format = PM_MOTION_TUM};
        SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
        const pm_status status =
            pm_motion_parse(tum[i], strlen(tum[i]), "", NULL, &options, &motion, &failure);
        assert_true((status == PM_OK) == !says[i]);
        assert_true(!says[i] || strstr(failure.message, says[i]));
    }
    SCOPED(pm_motion_destroy)
    pm_motion *odd =
        read_text("x (ell),y (ell),z (ell),a,b,c,d\n0,0,0,0,0,0,1\n", (pm_motion_read_options){0});
    assert_true(odd->content.unit_mm == 1000);
    assert_non_null(
        strstr(warnings.text, "the unit 'ell' of the position is not known; m is taken"));
}

TEST(steps_above_half_a_turn_are_counted) {
    const char *text = "x,y,z,a,b,c,d,knee,hip\n0,0,0,0,0,0,1,0,3.1\n0,0,0,0,0,0,1,3.14,-3.1\n"
                       "0,0,0,0,0,0,1,-0.1,-3.1\n";
    SCOPED(pm_motion_destroy) pm_motion *motion = read_text(text, (pm_motion_read_options){0});
    assert_non_null(strstr(warnings.text,
                           "2 steps of joint angles are above half a turn, the first to "
                           "frame 1 of joint 1, 'hip'"));
    SCOPED(pm_motion_destroy)
    pm_motion *quiet = read_text(text, (pm_motion_read_options){.angles_may_jump = true});
    assert_null(strstr(warnings.text, "turn"));
    SCOPED(pm_motion_destroy)
    pm_motion *degrees = read_text("5,1,2,3,0,0,0,4\n6,1,2,3,0,0,0,179\n",
                                   (pm_motion_read_options){.layout = "seed"});
    assert_null(strstr(warnings.text, "turn"));
}

TEST(faults_are_named_by_line_and_column) {
    static const struct {
        const char *text, *reason;
    } cases[] = {{"", "no rows"},
                 {"\n\n", "no rows"},
                 {"x,y,z\n", "no rows"},
                 {"1,2,3,0,0,1\n", "line 1 has 6 columns"},
                 {"h\n1,2,3,0,0,0,1\n1,2,3,0,0,0\n", "line 3 has 6 columns; expected 7"},
                 {"1,2,3,0,0,0,1\n1,2,3,0,0,0,1,4\n", "line 2 has 8 columns; expected 7"},
                 {"1,2,3,0,0,0,1\n1,2,3,0,0,0,1,\n", "line 2 has 8 columns"},
                 {"1,2,3,0,0,0,1,\n", "column 8 is ''"},
                 {"1,2,,0,0,0,1\n", "line 1, column 3 is ''"},
                 {"1,2,nan,0,0,0,1\n", "line 1, column 3 is 'nan'"},
                 {"nan,2,3,0,0,0,1\n", "line 1, column 1 is 'nan'"},
                 {"1,2,1e999,0,0,0,1\n", "line 1, column 3 is '1e999'"},
                 {"1;2,5;3;0;0;0;1\n", "line 1, column 2 is '2,5'"},
                 {"1,2,3,0,0,0,1\n1,2,3,0,0,0,1x\x1b\n", "line 2, column 7 is '1x\\x1b'"},
                 {"1,2,3,0,0,0,0\n", "line 1 has a quaternion of length 0"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_null(read_text(cases[i].text, (pm_motion_read_options){0}));
        assert_int_equal(failure.status, PM_ERROR_FILE);
        if (!strstr(failure.message, cases[i].reason))
            fail_msg("'%s' is refused with '%s'; expected '%s'", cases[i].text, failure.message,
                     cases[i].reason);
    }
}

TEST(numbers_and_times_of_rows_are_never_filled) {
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"%s,root_x,y,z,a,b,c,d\n0,0,0,0,0,0,0,1\n,0,0,0,0,0,0,1\n", "line 3, column 1 has no %s"},
        {"%s,root_x,y,z,a,b,c,d\nnan,0,0,0,0,0,0,1\n", "line 2, column 1 has no %s"}};
    static const char *const columns[][2] = {{"frame", "number"}, {"time", "time"}};
    for (size_t i = 0; i < 2 * COUNT_OF(cases) * COUNT_OF(columns); i++) {
        char text[128], reason[64];
        const size_t k = i / 2 % 2, c = i / 4;
        (void)snprintf(text, sizeof text, cases[k].text, columns[c][0]);
        (void)snprintf(reason, sizeof reason, cases[k].reason, columns[c][1]);
        assert_null(
            read_text(text, (pm_motion_read_options){.keep_nan = i % 2, .count_gaps = !(i % 2)}));
        if (!strstr(failure.message, reason))
            fail_msg("'%s' is refused with '%s'", text, failure.message);
    }
    assert_null(read_text("frame,x,y,z,a,b,c,d\n-1e308,0,0,0,0,0,0,1\n1e308,0,0,0,0,0,0,1\n",
                          (pm_motion_read_options){0}));
    assert_non_null(strstr(failure.message, "line 2, column 1 has no number"));
}

TEST(a_few_odd_quaternions_are_normalised_with_a_warning) {
    SCOPED(pm_motion_destroy)
    pm_motion *motion =
        read_text("1 2 3 0 0 0 1\n1 2 3 0 -2 0 0\n1 2 3 0 0 1.002 0", (pm_motion_read_options){0});
    assert_non_null(strstr(warnings.text, "2 quaternions are not unit"));
    assert_true(test_key(&motion->content.clips[0].channels[1], 1, 1) == -1.0);
}

/* ---- which columns are what ------------------------------------------------------------- */

static void expect_refused(const char *text, const char *reason) {
    assert_null(read_text(text, (pm_motion_read_options){0}));
    assert_int_equal(failure.status, PM_ERROR_FILE);
    if (!strstr(failure.message, reason))
        fail_msg("'%s' is refused with '%s'; expected '%s'", text, failure.message, reason);
    assert_string_equal(failure.cure, "layout");
}

/* Rows of a walk at a constant height, with a column before, and without a header. */
static void write_walk(char *text, size_t size, const char *before, double step, double height) {
    random_source source = random_start();
    size_t used = 0;
    for (int r = 0; r < 20; r++) {
        const double yaw = 0.05 * r, roll = random_between(&source, -0.02, 0.02);
        if (*before)
            used += (size_t)snprintf(text + used, size - used, before, step * r);
        used +=
            (size_t)snprintf(text + used, size - used, "%.6f,%.6f,%.6f,%.6f,0,%.6f,%.6f,%.3f\n",
                             0.1 * r, 0.02 * r, height, sin(roll / 2), cos(roll / 2) * sin(yaw / 2),
                             cos(roll / 2) * cos(yaw / 2), 0.3 * sin(0.5 * r));
    }
}

TEST(columns_that_are_no_quaternion_are_refused) {
    static const double heights[] = {0.3, 0.74, 0.98, 1.0, 1.3};
    char text[4096];
    for (size_t h = 0; h < COUNT_OF(heights); h++) {
        write_walk(text, sizeof text, "%.4f,", 1.0 / 30, heights[h]);
        expect_refused(text, "looks like a time");
        write_walk(text, sizeof text, "%.0f,", 1, heights[h]);
        expect_refused(text, "looks like a time");
        write_walk(text, sizeof text, "", 0, heights[h]);
        SCOPED(pm_motion_destroy) pm_motion *motion = read_text(text, (pm_motion_read_options){0});
        assert_non_null(motion);
    }
    expect_refused("1,2,78,0,-3,80,-20\n1,2,78,0,-3,81,-20\n1,2,78,0,-3,83,-20\n",
                   "are no quaternion: its length is 82.");
    expect_refused("0,1,2,78,0,-3,80,-20\n", "are no quaternion");
}

TEST(headers_that_name_other_columns_are_refused) {
    static const struct {
        const char *head, *reason;
    } cases[] = {
        {"x,y,z,roll,pitch,yaw,left_knee\n", "'roll'"},
        {"x,y,z,yaw,pitch,roll,left_knee\n", "'yaw'"},
        {"x,y,z,rx,ry,rz,left_knee\n", "'rx'"},
        {"x,y,z,euler_0,euler_1,euler_2,left_knee\n", "'euler_0'"},
        {"root_rot_x,root_rot_y,root_rot_z,root_rot_w,x,y,z\n", "'root_rot_x'"},
        {"left_hip_joint,right_hip_joint,a,b,c,d,e\n", "'left_hip_joint'"},
        {"x,y,z,left_hip_dof,a,b,c\n", "'left_hip_dof'"},
        {"qx,qy,qz,qw,x,y,z\n", "'qx'; expected a position"},
        {"y,x,z,qx,qy,qz,qw\n", "'y'; expected a position in the order x y z"},
        {"x,y,z,qy,qx,qz,qw\n", "'qy'; expected a quaternion in the order x y z w or w x y z"},
        {"Frame,x,y,z,rot_x,rot_y,rot_z,left_knee\n", "'rot_x'"},
    };
    char text[256];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        snprintf(text, sizeof text, "%s0,0,0,0,0,0,1\n", cases[i].head); /* which is unit */
        if (strncmp(cases[i].head, "Frame", 5) == 0)
            snprintf(text, sizeof text, "%s0,0,0,0,0,0,0,1\n", cases[i].head);
        expect_refused(text, cases[i].reason);
    }
}

static void expect_rotation(const char *text, pm_motion_read_options options, const char *layout,
                            const double q[4], size_t channels) {
    SCOPED(pm_motion_destroy) pm_motion *motion = read_text(text, options);
    if (!motion)
        fail_msg("'%s' is refused: %s", text, failure.message);
    const pm_motion_clip *clip = motion->content.clips;
    assert_string_equal(motion->content.layout, layout);
    assert_int_equal(clip->channel_count, channels);
    for (size_t c = 0; c < channels; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        for (size_t i = 0; channel->path == PM_MOTION_ROTATION && i < 4; i++)
            assert_true(fabs(test_key(channel, 0, i) - q[i]) < 1e-12);
        for (size_t i = 0; channel->path == PM_MOTION_POSITION && i < 3; i++)
            assert_true(test_key(channel, 0, i) == (double)i + 1);
    }
}

TEST(headers_say_where_the_root_is) {
    static const double q[4] = {0.1, 0.5, -0.7, 0.5};
    const pm_motion_read_options none = {0};
    expect_rotation("px,py,pz,qx,qy,qz,qw,knee\n1,2,3,.1,.5,-.7,.5,9\n", none, "", q, 3);
    expect_rotation("base_joint_x,base_joint_y,base_joint_z,q_x,q_y,q_z,q_s,knee\n"
                    "1,2,3,.1,.5,-.7,.5,9\n",
                    none, "", q, 3);
    expect_rotation("px,py,pz,qw,qx,qy,qz,knee\n1,2,3,.5,.1,.5,-.7,9\n", none, "robot-wxyz", q, 3);
    expect_rotation("Time (s);px;py;pz;root_quat_x;root_quat_y;root_quat_z;root_quat_w\n"
                    "0.5;1;2;3;.1;.5;-.7;.5\n",
                    none, "time,position,quaternion-xyzw", q, 3);
    expect_rotation("frame,\"time\",px,py,pz,rot_w,rot_x,rot_y,rot_z,knee\n"
                    "7,0.5,1,2,3,.5,.1,.5,-.7,9\n",
                    none, "index,time,position,quaternion-wxyz", q, 4);
    expect_rotation("a b c d e f g left_joint_dof\n1 2 3 .1 .5 -.7 .5 9\n", none, "", q, 3);
}

/* About fixed axes: the product of the turns about z, y and x. */
static void turn_about(double q[4], size_t axis, double degrees) {
    const double half = degrees * 0.017453292519943295769 / 2, s = sin(half), c = cos(half);
    double t[4] = {0, 0, 0, c};
    t[axis] = s;
    const double a[4] = {q[0], q[1], q[2], q[3]};
    q[0] = t[3] * a[0] + t[0] * a[3] + t[1] * a[2] - t[2] * a[1];
    q[1] = t[3] * a[1] - t[0] * a[2] + t[1] * a[3] + t[2] * a[0];
    q[2] = t[3] * a[2] + t[0] * a[1] - t[1] * a[0] + t[2] * a[3];
    q[3] = t[3] * a[3] - t[0] * a[0] - t[1] * a[1] - t[2] * a[2];
}

TEST(layouts_that_are_given_decide) {
    double q[4] = {0, 0, 0, 1}, unit[4] = {0, -1, 0, 0}, turning[4] = {0, 0, 0, 1};
    pm_motion_read_options options = {.layout = "seed"};
    turn_about(q, 0, 10);
    turn_about(q, 1, -20);
    turn_about(q, 2, 130);
    turn_about(turning, 1, 130); /* about the axes as they turn: the other way about fixed ones */
    turn_about(turning, 2, -20);
    turn_about(turning, 0, 10);
    expect_rotation("5,1,2,3,10,-20,130,4\n", options, "seed", q, 3);
    expect_rotation("Frame,root_translateX,root_translateY,root_translateZ,root_rotateX,"
                    "root_rotateY,root_rotateZ,knee_dof\n5,1,2,3,10,-20,130,4\n",
                    (pm_motion_read_options){0}, "seed", q, 3);
    options.layout = "position,euler-XZY";
    expect_rotation("1,2,3,10,-20,130,4\n", options, options.layout, turning, 3);
    options.layout = "position,euler-xyz-radians,number";
    expect_rotation("1,2,3,.17453292519943295,-.3490658503988659,2.2689280275926285,4\n", options,
                    options.layout, q, 3);
    options.layout = "robot";
    expect_rotation("1,2,3,0,-80,0,0\n", options, "robot", unit, 2);
    options.layout = "isaaclab";
    assert_null(read_text("1,2,3,0,0,0,1\n", options));
    assert_non_null(strstr(failure.message, "expected robot, robot-wxyz, seed"));
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Resamples a text. The result is NUL-terminated. */
static char *rewrite(const char *text, pm_rational rate) {
    file_bytes out = {0};
    test_samples samples;
    SCOPED(pm_motion_destroy) pm_motion *motion = read_text(text, (pm_motion_read_options){0});
    assert_non_null(motion);
    test_samples_make(&samples, motion, rate);
    assert_int_equal(test_write(motion, NULL, &samples.samples, &out, &failure), PM_OK);
    bytes_add(&out, "", 1);
    return out.data;
}

TEST(kept_rows_keep_their_text) {
    static const struct {
        const char *text, *expected;
        int64_t rate;
    } cases[] = {
        {"x, y\r\n1.50, 2,3,0,0,0,1.000,7\r\n2,3e0,4,0,0,0,1,8\r\n 3,4,5,0,0,0,1,9\r\n",
         "x, y\r\n1.50, 2,3,0,0,0,1.000,7\r\n 3,4,5,0,0,0,1,9\r\n", 15},
        {"1;2;3;0;0;0;1\n3; 4;5;0;0;0;1", "1;2;3;0;0;0;1\n2;3;4;0;0;0;1\n3; 4;5;0;0;0;1", 60},
        {" 1  2\t3 0 0 0 1 \r 2  3\t4 0 0 0 1 \r\r",
         " 1  2\t3 0 0 0 1 \r 1.5  2.5\t3.5 0 0 0 1 \r 2  3\t4 0 0 0 1 \r", 60},
        {"1,2,3,0,0,0,1", "1,2,3,0,0,0,1", 60}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED(free_at) char *out = rewrite(cases[i].text, (pm_rational){cases[i].rate, 1});
        assert_string_equal(out, cases[i].expected);
    }
}

TEST(signs_continue_from_the_row_before) {
    SCOPED(free_at)
    char *out = rewrite("0,0,0,0,0,0,-1\n0,0,0,0.6,0,0,0.8\n", (pm_rational){60, 1});
    double w = 0.0;
    const char *second = strchr(out, '\n') + 1;
    for (int i = 0; i < 6; i++)
        second = strchr(second, ',') + 1;
    w = strtod(second, NULL);
    assert_true(w < -0.9);
}

TEST(angles_and_indices_are_written_as_they_were) {
    SCOPED(free_at)
    char *out = rewrite("Frame,root_translateX,root_translateY,root_translateZ,root_rotateX,"
                        "root_rotateY,root_rotateZ\n"
                        "3,0,0,0,0,0,170.0\n4,1,0,0,0,0,190.0\n5,2,0,0,0,0,570\n",
                        (pm_rational){240, 1});
    const char *rows = strchr(out, '\n') + 1;
    assert_string_equal(rows, "3,0,0,0,0,0,170.0\n4,0.5,0,0,0,0,180\n5,1,0,0,0,0,190.0\n"
                              "6,1.5,0,0,0,0,200\n7,2,0,0,0,0,570\n");
}
