/* SPDX-License-Identifier: MIT
 *
 * Tests of trajectories in files: TUM, EuRoC and KITTI, their stamps to the ns, rows that keep their text, and
 * what is refused because it cannot be known.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/random_tracks.h"
#include "support/failing_memory.h"
#include "support/motion_files.h"
#include "support/test_folder.h"

static pm_error failure;

static pm_motion *read_as(const char *text, const char *name, const char *layout) {
    const pm_motion_read_options options = {.layout = layout};
    pm_motion *motion = NULL;
    const pm_status status =
        pm_motion_parse(text, strlen(text), name, NULL, &options, &motion, &failure);
    assert_int_equal(status == PM_OK, motion != NULL);
    return motion;
}

static int64_t stamp_at(const pm_motion *motion, size_t row) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    assert_true(content->has_stamps);
    assert_int_equal(content->node_count, 1);
    return content->epoch + (int64_t)rint(content->clips[0].timelines[0].times[row] * 1e9);
}

static const pm_motion_channel *channel_of(const pm_motion *motion, pm_motion_path path) {
    const pm_motion_clip *clip = pm_motion_get_content(motion)->clips;
    for (size_t c = 0; c < clip->channel_count; c++)
        if (clip->channels[c].node == 0 && clip->channels[c].path == path)
            return &clip->channels[c];
    fail_msg("there is no channel of path %d", (int)path);
    return NULL;
}

/* Channels of rows may have any stride. */
static double number_at(const pm_motion_channel *channel, size_t row, size_t component) {
    const size_t stride =
        channel->keys.stride ? channel->keys.stride : channel->components * sizeof(double);
    double value;
    memcpy(&value, (const char *)channel->keys.data + row * stride + component * sizeof value,
           sizeof value);
    return value;
}

enum { ROWS = 40 };

typedef struct rows {
    int64_t stamps[ROWS];
    double positions[ROWS][3], rotations[ROWS][4];
} rows;

static rows draw(random_source *source) {
    rows r;
    int64_t stamp = (int64_t)(random_bits(source) >> 2) - INT64_C(2000000000000000000);
    for (size_t k = 0; k < ROWS; k++) {
        stamp += 1 + (int64_t)(random_bits(source) % 200000000);
        r.stamps[k] = stamp;
        random_quaternion(source, r.rotations[k]);
        for (size_t i = 0; i < 3; i++)
            r.positions[k][i] = random_between(source, -5e6, 5e6);
    }
    return r;
}

/* A stamp in units of 10^-power s, as decimal text or with an exponent. */
static void print_stamp(char text[64], int64_t stamp, int power, bool has_exponent) {
    const uint64_t size = stamp < 0 ? 0 - (uint64_t)stamp : (uint64_t)stamp;
    uint64_t unit = 1;
    for (int i = power; i < 9; i++)
        unit *= 10;
    if (has_exponent) { /* all digits, and the point behind the first */
        char digits[32];
        const int count = snprintf(digits, sizeof digits, "%" PRIu64, size);
        snprintf(text, 64, "%s%c.%se%+03d", stamp < 0 ? "-" : "", digits[0], digits + 1,
                 count - 1 - (9 - power));
    } else if (unit == 1) {
        snprintf(text, 64, "%s%" PRIu64, stamp < 0 ? "-" : "", size);
    } else {
        const int length = snprintf(text, 64, "%s%" PRIu64 ".%0*" PRIu64, stamp < 0 ? "-" : "",
                                    size / unit, 9 - power, size % unit);
        assert_in_range(length, 1, 63);
    }
}

static void add(file_bytes *out, const char *text) {
    bytes_add(out, text, strlen(text));
}

typedef enum kind { TUM, EUROC, KITTI, KINDS } kind;

static void add_row(file_bytes *out, const rows *r, size_t k, kind of, int power, bool exponent) {
    char text[512], stamp[64];
    const double *p = r->positions[k], *q = r->rotations[k];
    double m[9];
    print_stamp(stamp, r->stamps[k], power, exponent);
    pm_matrix_from_quat(q, m);
    if (of == TUM)
        snprintf(text, sizeof text, "%s %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", stamp, p[0],
                 p[1], p[2], q[0], q[1], q[2], q[3]);
    else if (of == EUROC)
        snprintf(text, sizeof text, "%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,.1,.2,.3\n",
                 stamp, p[0], p[1], p[2], q[3], q[0], q[1], q[2]);
    else
        snprintf(text, sizeof text,
                 "%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", m[0],
                 m[1], m[2], p[0], m[3], m[4], m[5], p[1], m[6], m[7], m[8], p[2]);
    add(out, text);
}

static const char euroc_head[] = "#timestamp [ns],p_x [m],p_y [m],p_z [m],q_w [],q_x [],q_y [],"
                                 "q_z [],v_x,v_y,v_z\n";

static file_bytes file_of(const rows *r, kind of, bool exponent) {
    file_bytes out = {0};
    add(&out, of == TUM     ? "# a comment\n# timestamp tx ty tz qx qy qz qw\n"
              : of == EUROC ? euroc_head
                            : "");
    for (size_t k = 0; k < ROWS; k++) {
        add_row(&out, r, k, of, of == EUROC ? 9 : 0, exponent);
        if (of == TUM && k % 7 == 3)
            add(&out, "# between rows\n\n");
    }
    bytes_add(&out, "", 1);
    return out;
}

TEST(files_keep_stamps_to_the_ns_and_poses) {
    random_source source = random_start();
    for (int round = 0; round < 40; round++) {
        const kind of = (kind)(round % KINDS);
        const rows r = draw(&source);
        SCOPED(bytes_free) file_bytes text = file_of(&r, of, round % 2 == 1);
        char layout[32] = "";
        if (of == KITTI) {
            SCOPED(bytes_free) file_bytes times = {0};
            for (size_t k = 0; k < ROWS; k++) {
                char stamp[64];
                print_stamp(stamp, r.stamps[k], 0, round % 2 == 1);
                add(&times, stamp);
                add(&times, "\n");
            }
            test_folder_put("times.txt", times.data, times.size);
            snprintf(layout, sizeof layout, "kitti:times.txt");
        }
        SCOPED(pm_motion_destroy)
        pm_motion *motion =
            read_as(text.data, of == TUM ? "a.tum" : "a.csv", layout[0] ? layout : NULL);
        if (!motion)
            fail_msg("kind %d is refused: %s", (int)of, failure.message);
        assert_string_equal(motion->content.layout,
                            ((const char *[]){"tum", "euroc", "kitti"})[of]);
        for (size_t k = 0; k < ROWS; k++) {
            double dot = 0;
            assert_true(stamp_at(motion, k) == r.stamps[k]);
            for (size_t i = 0; i < 3; i++)
                assert_true(number_at(channel_of(motion, PM_MOTION_POSITION), k, i) ==
                            r.positions[k][i]);
            for (size_t i = 0; i < 4; i++)
                dot += number_at(channel_of(motion, PM_MOTION_ROTATION), k, i) * r.rotations[k][i];
            assert_true(fabs(fabs(dot) - 1) < 1e-12);
        }
    }
}

/* The text of a file, NUL-terminated. */
static char *read_back(const char *path) {
    size_t size;
    SCOPED(free_at) char *data = test_folder_read(path, &size);
    char *text = calloc(size + 1, 1);
    assert_non_null(text);
    memcpy(text, data, size);
    return text;
}

/* Writes a motion as it is in another format. */
static char *convert(const pm_motion *motion, pm_motion_format format) {
    const pm_motion_convert_options options = {.format = format};
    if (pm_motion_convert(motion, &options, "converted", &failure) != PM_OK)
        fail_msg("%s", failure.message);
    return read_back("converted");
}

TEST(formats_become_each_other_without_a_loss) {
    random_source source = random_start();
    const rows r = draw(&source);
    SCOPED(bytes_free) file_bytes text = file_of(&r, TUM, false);
    SCOPED(pm_motion_destroy) pm_motion *tum = read_as(text.data, "a.tum", NULL);
    assert_non_null(tum);
    SCOPED(free_at) char *csv = convert(tum, PM_MOTION_CSV);
    SCOPED(pm_motion_destroy) pm_motion *euroc = read_as(csv, "a.csv", NULL);
    assert_non_null(euroc);
    assert_string_equal(euroc->content.layout, "euroc");
    SCOPED(free_at) char *again = convert(euroc, PM_MOTION_TUM);
    SCOPED(pm_motion_destroy) pm_motion *back = read_as(again, "b.tum", NULL);
    assert_non_null(back);
    for (size_t k = 0; k < ROWS; k++) {
        assert_true(stamp_at(back, k) == r.stamps[k]);
        for (size_t i = 0; i < 7; i++) {
            const pm_motion_channel *channel =
                channel_of(back, i < 3 ? PM_MOTION_POSITION : PM_MOTION_ROTATION);
            assert_true(number_at(channel, k, i < 3 ? i : i - 3) ==
                        (i < 3 ? r.positions[k][i] : r.rotations[k][i - 3]));
        }
    }
    SCOPED(free_at) char *same = convert(tum, PM_MOTION_TUM);
    assert_string_equal(same, text.data); /* with its comments */
}

static char *resample(const char *text, const char *name, pm_rational rate) {
    SCOPED(pm_motion_destroy) pm_motion *motion = read_as(text, name, NULL);
    SCOPED(pm_engine_destroy) pm_engine *engine = test_reference();
    const pm_motion_resample_options options = {.rate = rate};
    if (!motion ||
        pm_motion_resample(motion, engine, &options, "resampled", NULL, &failure) != PM_OK)
        fail_msg("%s", failure.message);
    return read_back("resampled");
}

TEST(rows_on_samples_keep_their_text_and_others_have_exact_stamps) {
    static const char *const says[] = {"# t\n1403636579.750 1 2 3.00 0 0 0 1.0\n",
                                       "\n1403636579.800 ",
                                       "\n1403636579.850 ",
                                       "\n1403636579.9 4510731.25 2 3 0 0 0 1\n",
                                       "\n1403636580.000 ",
                                       "\n1403636580.05 4510731.75 2e0 3 0 0 0 -1\n"};
    SCOPED(free_at)
    char *tum = resample("# t\n1403636579.750 1 2 3.00 0 0 0 1.0\n"
                         "1403636579.9 4510731.25 2 3 0 0 0 1\n"
                         "1403636580.05 4510731.75 2e0 3 0 0 0 -1\n",
                         "a.tum", (pm_rational){20, 1});
    for (size_t i = 0; i < COUNT_OF(says); i++)
        if (!strstr(tum, says[i]))
            fail_msg("'%s' is not in '%s'", says[i], tum);
    double before = 0, behind = 0;
    const char *between = strstr(tum, "\n1403636579.950 ");
    assert_true(sscanf(strstr(tum, "\n1403636579.850 ") + 16, "%lf", &before) == 1);
    assert_true(between && sscanf(between + 16, "%lf", &behind) == 1);
    /* lines between the keys, of which each is a float32 from the first on */
    assert_true(fabs(before - (1 + 2.0 / 3 * 4510730.25)) < 0.5);
    assert_true(fabs(behind - (4510731.25 + 0.5 / 3)) < 0.5);
}

static void append_message(void *user, pm_log_level level, const pm_error *remark) {
    assert_int_equal(level, PM_LOG_WARNING);
    strncat(user, remark->message, 999 - strlen(user));
}

TEST(what_other_formats_do_not_hold_is_said) {
    static const struct {
        const char *x;
        pm_motion_format format;
        bool says_stamps, says_rounding;
    } cases[] = {{"4510731.25", PM_MOTION_GLB, true, true},
                 {"12.5", PM_MOTION_GLB, true, false},
                 {"4510731.25", PM_MOTION_NPZ, true, false},
                 {"4510731.25", PM_MOTION_CSV, false, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[200], said[1000] = "";
        snprintf(text, sizeof text, "1403636579.75 %s 2 3 0 0 0 1\n1403636580.75 1 2 3 0 0 0 1\n",
                 cases[i].x);
        SCOPED(pm_motion_destroy) pm_motion *motion = read_as(text, "a.tum", NULL);
        const pm_motion_convert_options options = {.format = cases[i].format,
                                                   .up = PM_MOTION_UP_Y,
                                                   .log = append_message,
                                                   .log_user = said};
        if (!motion || pm_motion_convert(motion, &options, "converted", &failure) != PM_OK)
            fail_msg("%s", failure.message);
        assert_int_equal(strstr(said, "first one is 1403636579750000000 ns") != NULL,
                         cases[i].says_stamps);
        assert_int_equal(strstr(said, "rounds 4.511e+06 m by 0.27 m") != NULL,
                         cases[i].says_rounding);
    }
}

/* Quaternions of few decimals are no units, and columns beside the pose may be many. */
TEST(rows_that_a_reduction_keeps_have_their_text) {
    random_source source = random_start();
    SCOPED(bytes_free) file_bytes text = {0};
    add(&text, "#timestamp [ns],p_x [m],p_y [m],p_z [m],q_w [],q_x [],q_y [],q_z [],"
               "bias_a,bias_b,bias_c,bias_d,bias_e\n");
    for (size_t k = 0; k < 64; k++) {
        char row[256];
        const double turn = 0.01 * (double)k + random_between(&source, -1e-3, 1e-3);
        snprintf(row, sizeof row,
                 "%" PRId64 ",%.4f,5.2500,-1,%.3f,0,0.000,%.3f,0.100,-2.50,3e-1,7,1.70\n",
                 INT64_C(1403636580838555648) + (int64_t)k * 5000123,
                 random_between(&source, -0.01, 0.01) + 4e6, cos(turn), sin(turn));
        add(&text, row);
    }
    SCOPED(pm_motion_destroy) pm_motion *motion = read_as(text.data, "a.csv", NULL);
    SCOPED(pm_motion_destroy) pm_motion *reduced = NULL;
    const pm_motion_reduce_options options = {.angle = 1, .position = 0.1};
    if (!motion || pm_motion_reduce(motion, &options, &reduced, NULL, &failure) != PM_OK)
        fail_msg("%s", failure.message);
    SCOPED(free_at) char *kept = convert(reduced, PM_MOTION_CSV);
    size_t lines = 0;
    for (char *line = strtok(kept, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        const char *at = strstr(text.data, line);
        if (!at || at[strlen(line)] != '\n')
            fail_msg("'%s' is no row of the source", line);
    }
    assert_true(lines > 2 && lines < 40); /* with the header */
}

/* ---- what is refused ------------------------------------------------------------------------------- */

TEST(what_cannot_be_known_is_refused_with_its_place) {
    static const struct {
        const char *name, *layout, *text, *says;
    } cases[] = {
        {"a.tum", NULL, "1 0 0 0 0 0 0 1\n3 0 0 0 0 0 0 1\n2 0 0 0 0 0 0 1\n",
         "line 3: the time 2000000000 ns is before"},
        {"a.tum", NULL, "1 0 0 0 0 0 0 1\n1 0 0 1 0 0 0 1\n",
         "line 2: the time 1000000000 ns has another pose"},
        {"a.tum", NULL, "1 0 0 0 0 0 0 1 5\n", "has 9 columns"},
        {"a.tum", NULL, "1 0 0 0 5 6 7 8\n2 0 0 0 5 6 7 8\n", "no quaternion"},
        {"a.tum", NULL, "# timestamp tx ty tz qw qx qy qz\n1 0 0 0 1 0 0 0\n", "w before x"},
        {"a.tum", NULL, "1 0 nan 0 0 0 0 1\n", "expected a number"},
        {"a.tum", NULL, "99999999999 0 0 0 0 0 0 1\n", "fits int64"},
        {"a.tum", NULL, "1e999 0 0 0 0 0 0 1\n", "line 1"},
        {"a.tum", NULL, "0 0 0 0 0 0 0 1\n6000000 0 0 0 0 0 0 1\n", "52 days"},
        {"a.tum", NULL, "# only a comment\n", "no rows"},
        {"a.csv", NULL, "timestamp,x,y,z,q1,q2,q3,q4\n1.5,0,0,0,1,0,0,0\n",
         "order of the quaternions"},
        {"a.csv", NULL, "timestamp,x,y,z,qx,qy,qz,qw\n15,0,0,0,0,0,0,1\n", "unit of the times"},
        {"a.csv", NULL, "timestamp [min],x,y,z,qx,qy,qz,qw\n1.5,0,0,0,0,0,0,1\n",
         "unit of the times"},
        {"a.csv", NULL, "timestamp [s],roll,pitch,yaw,qx,qy,qz,qw\n1.5,0,0,0,0,0,0,1\n",
         "a position"},
        {"a.csv", NULL, "1,0,0,0,0,0,0,1\n2,0,0,0,0,0,0,1\n3,0,0,0,0,0,0,1\n", "looks like a time"},
        {"a.csv", "kitti", "1 0 0 0 0 1 0 0 0 0 1 0\n", "without times"},
        {"a.csv", "kitti", "1 0 0 0 0 1 0 0 0 0 -1 0\n", "no rotation and position"},
        {"a.csv", "kitti", "1 0 0 0 0 1 0 0\n", "has 8 columns"},
        {"a.csv", "kitti:no/such", "1 0 0 0 0 1 0 0 0 0 1 0\n", "no/such"},
        {"a.csv", "stamp,stamp,position", "1 2 0 0 0\n", "no trajectory"},
        {"a.csv", "stamp,number", "1 2\n", "no trajectory"},
        {"a.csv", "tum:x", "1 0 0 0 0 0 0 1\n", "is none of CSV"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED(pm_motion_destroy)
        pm_motion *motion = read_as(cases[i].text, cases[i].name, cases[i].layout);
        if (motion)
            fail_msg("'%s' is read", cases[i].text);
        if (!strstr(failure.message, cases[i].says))
            fail_msg("'%s' gives '%s'", cases[i].text, failure.message);
    }
}

TEST(guesses_are_said_and_repeated_rows_left_out) {
    static const struct {
        const char *name, *text, *says;
        size_t rows;
    } cases[] = {
        {"a.csv", "time,x,y,z,qx,qy,qz,qw\n1.5,0,0,0,0,0,0,1\n", "seconds are taken", 1},
        {"a.csv", "time,x,y,z,qx,qy,qz,qw\n1403636579758555392,0,0,0,0,0,0,1\n", "ns are taken", 1},
        {"a.tum", "1 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 1\n2 0 0 0 0 0 0 1\n", "1 rows repeat", 2}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = read_as(cases[i].text, cases[i].name, NULL);
        if (!motion)
            fail_msg("%s", failure.message);
        assert_int_equal(motion->content.clips[0].timelines[0].key_count, cases[i].rows);
        bool found = false;
        for (size_t n = 0; n < motion->content.note_count; n++)
            found = found || strstr(motion->content.notes[n]->message, cases[i].says);
        if (!found)
            fail_msg("'%s' does not say '%s'", cases[i].text, cases[i].says);
    }
}

TEST(robots_stay_robots) {
    static const char *const texts[] = {
        "1 2 3 0 0 0 1 5\n2 3 4 0 0 0 1 5.5\n", /* eight columns with a joint */
        "time;px;py;pz;root_quat_x;root_quat_y;root_quat_z;root_quat_w\n0.5;1;2;3;0;0;0;1\n"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = read_as(texts[i], "a.csv", NULL);
        if (!motion)
            fail_msg("%s", failure.message);
        assert_false(motion->content.has_stamps);
        assert_int_equal(motion->content.node_count, 0);
    }
}

TEST(motions_of_several_joints_are_no_trajectory) {
    static const char bvh[] =
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
        "Xrotation Yrotation\nJOINT b\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd "
        "Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: .04\n0 0 0 0 0 0 0 0 0\n";
    const pm_motion_convert_options options = {.format = PM_MOTION_TUM};
    SCOPED(pm_motion_destroy) pm_motion *motion = read_as(bvh, "a.bvh", NULL);
    assert_non_null(motion);
    assert_int_not_equal(pm_motion_convert(motion, &options, "none.tum", &failure), PM_OK);
    assert_non_null(strstr(failure.message, "has 2 joints"));
}

static pm_motion *of_text(void) {
    static const char text[] = "# t\n1403636579.75 1 2 3 0 0 0 1\n1403636579.9 1 2 3 0 0 0 1\n"
                               "1403636580.05 5 2 3 0 0.6 0 0.8\n";
    pm_motion *motion = NULL;
    (void)pm_motion_parse(text, sizeof text - 1, "a.tum", NULL, NULL, &motion, &failure);
    return motion;
}

static bool read_it(void) {
    SCOPED(pm_motion_destroy) pm_motion *motion = of_text();
    return motion != NULL;
}

static const pm_motion *source;
static test_composed kept; /* with room, so that only the writer allocates */

static bool write_it(void) {
    kept.file.size = 0;
    return test_compose(source, &motion_csv, &kept, &failure) == PM_OK;
}

TEST(failing_allocations_leave_nothing) {
    const long before = live_blocks();
    SCOPED(pm_motion_destroy) pm_motion *motion = of_text();
    fail_each_allocation(read_it, 5, 0);
    source = motion;
    assert_true(write_it());
    fail_each_allocation(write_it, 5, 0);
    test_composed_free(&kept);
    pm_motion_destroy(&motion);
    assert_int_equal(live_blocks(), before);
}

TEST_GROUP(test_folder_enter, test_folder_leave)
