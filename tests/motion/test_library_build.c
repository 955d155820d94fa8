/* SPDX-License-Identifier: MIT
 *
 * Tests of motion libraries that are built from motion files.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/engines.h"
#include "support/library_content.h"
#include "support/test_folder.h"

TEST_GROUP(test_folder_enter, test_folder_leave)

#define PI 3.14159265358979323846
#define WALK POSEMILL_SOURCE_DIR "/examples/walk.bvh"

static const char swapped[] = "HIERARCHY\nROOT hips\n{\n OFFSET 0 0 0\n"
                              " CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
                              "Yrotation\n JOINT %s\n {\n  OFFSET 4 5 6\n"
                              "  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n"
                              "   OFFSET 1 0 0\n  }\n }\n JOINT %s\n {\n  OFFSET 1 2 3\n"
                              "  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n"
                              "   OFFSET 1 0 0\n  }\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n"
                              "1 2 3 0 0 0 %s\n2 4 6 0 0 0 %s\n";

static void put_bvh(const char *path, const char *one, const char *two, const char *keys) {
    char text[1024];
    snprintf(text, sizeof text, swapped, one, two, keys, keys);
    test_folder_put_text(path, text);
}

static pm_crowd *crowd_of(pm_engine *engine, const pm_motion_character *character,
                          pm_skeleton **skeleton) {
    pm_crowd *crowd = NULL;
    expect_success(pm_skeleton_create(&character->skeleton, skeleton, new_error()));
    const pm_crowd_desc desc = {
        .skeleton = *skeleton, .clips = character->clips, .clip_count = character->clip_count};
    expect_success(pm_crowd_create(engine, &desc, &crowd, new_error()));
    return crowd;
}

static pm_library *build_as(const char *path, const char *const *paths, size_t count,
                            const pm_library_build_options *options) {
    pm_library *library = NULL;
    expect_success(pm_library_build(paths, count, options, path, new_error()));
    expect_success(
        pm_library_open(engine_of_kind(ON_REFERENCE), path, NULL, &library, new_error()));
    return library;
}

static pm_library *build_and_open(const char *const *paths, size_t count,
                                  const pm_library_build_options *options) {
    return build_as("built.npz", paths, count, options);
}

TEST(motion_files_become_motions_with_their_own_states) {
    static const char *const paths[] = {WALK, WALK, WALK};
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    SCOPED(pm_library_destroy) pm_library *library = build_and_open(paths, 3, NULL);
    const pm_library_content *c = pm_library_get_content(library);
    assert_int_equal(c->motion_count, 3);
    assert_string_equal(c->motions[0].name.text, "walk");
    assert_string_equal(c->motions[1].name.text, "walk_2");
    assert_string_equal(c->motions[2].name.text, "walk_3");
    assert_int_equal(c->position_count, 1);

    SCOPED(pm_motion_destroy) pm_motion *walk = NULL;
    SCOPED(pm_motion_character_destroy) const pm_motion_character *character = NULL;
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
    expect_success(pm_motion_open(WALK, NULL, &walk, new_error()));
    expect_success(pm_motion_character_create(walk, NULL, &character, new_error()));
    SCOPED(pm_crowd_destroy) pm_crowd *crowd = crowd_of(engine, character, &skeleton);
    const size_t joints = c->joint_count;
    SCOPED(free_at) float *found = malloc(joints * 12), *wanted = malloc(joints * 12);
    for (double time = 0; time < 2; time += 0.23) {
        const pm_crowd_instance one = {.time_a = pm_crowd_ticks(time), .flags = PM_CROWD_CLAMP_A};
        pm_crowd_target target = {.output = PM_CROWD_BODY_POS, .memory = wanted};
        const pm_crowd_job posed = {
            .instances = &one, .instance_count = 1, .outputs = &target, .output_count = 1};
        expect_success(pm_crowd_pose(crowd, &posed, new_error()));
        target.memory = found;
        const pm_library_job job = {.motions = (const uint32_t[]){2},
                                    .count = 1,
                                    .times = &time,
                                    .outputs = &target,
                                    .output_count = 1};
        expect_success(pm_library_sample(library, &job, new_error()));
        assert_memory_equal(found, wanted, joints * 12);
    }
}

/* What was told of the progress. */
typedef struct told {
    size_t calls;
    uint64_t done;
} told;

static void note_progress(void *user, uint64_t done, uint64_t total) {
    told *t = user;
    t->calls++;
    assert_true(done > t->done && done <= total && total == 4);
    t->done = done;
}

TEST(joints_are_matched_by_name_scaled_and_turned) {
    put_bvh("one.bvh", "a", "b", "10 0 0 0 20 0");
    put_bvh("two.bvh", "b", "a", "0 20 0 10 0 0");
    static const char *const paths[] = {"one.bvh", "two.bvh"};
    told progress = {0};
    pm_library_build_options options = {.scale = 0.5,
                                        .quarter_turns = 1,
                                        .threads = 1,
                                        .progress = note_progress,
                                        .progress_user = &progress};
    SCOPED(pm_library_destroy) pm_library *library = build_and_open(paths, 2, &options);
    assert_true(progress.calls == 3 && progress.done == 4); /* the first file is always first */
    pm_library_destroy(&library);
    options.progress = NULL;
    options.threads = 2;
    library = build_and_open(paths, 2, &options);
    const pm_library_content *c = pm_library_get_content(library);
    /* Joint a lies elsewhere in the second file, so that positions are those of all joints. */
    assert_int_equal(c->position_count, 3);
    static const float places[2][2][9] = {
        {{0.5F, -1.5F, 1, 2, 2.5F, 3, 0.5F, 1, 1.5F}, {1, -3, 2, 2, 2.5F, 3, 0.5F, 1, 1.5F}},
        {{0.5F, -1.5F, 1, 0.5F, 1, 1.5F, 2, 2.5F, 3}, {1, -3, 2, 0.5F, 1, 1.5F, 2, 2.5F, 3}}};
    assert_memory_equal(c->key_positions, places, sizeof places);
    /* Rotations are by name, and the root's is a quarter of a turn about x. */
    assert_memory_equal(c->key_rotations, c->key_rotations + 4 * 3 * 2, 4 * 3 * sizeof(float));
    assert_true(fabs((double)c->key_rotations[0] - sqrt(0.5)) < 1e-7);
    assert_true(fabs((double)c->key_rotations[4 + 2] - sin(5 * PI / 180)) < 1e-7);
    assert_true(fabs((double)c->key_rotations[8 + 0] - sin(10 * PI / 180)) < 1e-7);
}

TEST(files_are_built_with_codes) {
    static const char *const paths[] = {WALK, WALK};
    pm_library_build_options options = {.key_format = PM_KEYS_LOG48, .threads = 2};
    SCOPED(pm_library_destroy)
    pm_library *library = build_and_open(paths, 2, &options), *coded = NULL;
    const pm_library_write_options writing = {.coded_keys = true};
    expect_success(
        pm_library_write(pm_library_get_content(library), &writing, "written.npz", new_error()));
    options.coded_keys = true;
    coded = build_as("coded.npz", paths, 2, &options); /* Windows replaces no file that is mapped */
    test_folder_expect_same("written.npz", "coded.npz");
    assert_non_null(pm_library_get_content(coded)->key_codes);
}

static void expect_refused(pm_status status, const char *words) {
    assert_true(status == PM_ERROR_ARGUMENT || status == PM_ERROR_FILE);
    if (!strstr(last_error()->message, words))
        fail_msg("'%s', expected '%s'", last_error()->message, words);
}

/* ---- robots ------------------------------------------------------------------------ */

static void put_csv(const char *path, const library_made *m, size_t first, size_t rows,
                    size_t columns) {
    static char text[ROWS * 256];
    size_t at = 0;
    for (size_t i = first; i < first + rows; i++) {
        const float *numbers[] = {m->places + 3 * i, m->turns + 4 * i, m->angles + HINGES * i};
        const size_t counts[] = {3, 4, HINGES};
        size_t column = 0;
        for (size_t g = 0; g < 3; g++)
            for (size_t k = 0; k < counts[g] && column < columns; k++, column++)
                at += (size_t)snprintf(text + at, sizeof text - at, "%s%.9g", column ? "," : "",
                                       (double)numbers[g][k]);
        at += (size_t)snprintf(text + at, sizeof text - at, "\n");
    }
    test_folder_put_text(path, text);
}

TEST(files_of_robots_become_motions) {
    static const char *const paths[] = {"walk.csv", "run.csv"};
    library_made m;
    library_content_make(&m, ROBOT, 40);
    put_csv("walk.csv", &m, 0, 15, SIZE_MAX);
    put_csv("run.csv", &m, 15, ROWS - 15, SIZE_MAX);
    const pm_library_build_options options = {
        .reading = {.layout = "robot", .source_rate = {24, 1}},
        .method = PM_METHOD_SQUAD,
        .scale = 1,
        .threads = 2,
        .robot = &m.content};
    SCOPED(pm_library_destroy) pm_library *library = build_and_open(paths, 2, &options);
    const pm_library_content *c = pm_library_get_content(library);
    assert_int_equal(c->motion_count, 2);
    assert_string_equal(c->motions[0].name.text, "walk");
    assert_string_equal(c->motions[1].name.text, "run");
    assert_true(c->motions[1].first == 15 && c->motions[1].frames == ROWS - 15);
    assert_true(c->motions[1].rate.num == 24 && c->motions[1].rate.den == 1);
    assert_int_equal(c->method, PM_METHOD_SQUAD);
    assert_memory_equal(c->angles, m.angles, sizeof m.angles);
    assert_memory_equal(c->key_positions, m.places, ROWS * 3 * sizeof(float));
    assert_int_equal(c->row_count, ROWS);
    for (size_t i = 0; i < ROWS * 4; i++)
        assert_true(fabs((double)(c->root_rotations[i] - m.turns[i])) < 2e-7);
    memcpy(m.turns, c->root_rotations, ROWS * 4 * sizeof(float));
    /* The bytes are those of the same arrays. */
    m.content.motions = c->motions;
    m.content.motion_count = 2;
    m.content.extra_count = 0;
    m.content.method = PM_METHOD_SQUAD;
    expect_success(pm_library_write(&m.content, NULL, "written.npz", new_error()));
    test_folder_expect_same("written.npz", "built.npz");
}

/* A walk of 3 frames whose joints have the given names, with angles .1 and .9. */
static void put_named(const char *path, const char *one, const char *two) {
    char text[512];
    const char *row = "0,0,1,0,0,0,1,0.1,0.9\n";
    snprintf(text, sizeof text, "x,y,z,qx,qy,qz,qw,%s,%s\n%s%s%s", one, two, row, row, row);
    test_folder_put_text(path, text);
}

TEST(names_of_columns_decide) {
    static const char *const path[] = {"named.csv"};
    library_made m;
    library_content_make(&m, ROBOT, 43);
    const char *one = m.content.hinge_names[0].text, *two = m.content.hinge_names[1].text;
    pm_library_build_options options = {.reading.source_rate = {50, 1}, .robot = &m.content};
    for (int turned = 0; turned < 2; turned++) {
        put_named(path[0], turned ? two : one, turned ? one : two);
        SCOPED(pm_library_destroy) pm_library *library = build_and_open(path, 1, &options);
        const float *angles = pm_library_get_content(library)->angles;
        assert_true(angles[0] == (turned ? 0.9F : 0.1F) && angles[1] == (turned ? 0.1F : 0.9F));
    }
    put_named(path[0], "elbow\x1b", "wrist");
    expect_refused(pm_library_build(path, 1, &options, "c.npz", new_error()),
                   "named.csv: has the joint names elbow\\x1b, wrist; the robot has ");
    assert_non_null(strstr(last_error()->message, one));
    put_named(path[0], one, one);
    expect_refused(pm_library_build(path, 1, &options, "c.npz", new_error()), "named.csv: ");
}

TEST(clips_are_resampled_to_a_rate) {
    static const char *const path[] = {"named.csv"};
    library_made m;
    library_content_make(&m, ROBOT, 44);
    put_named(path[0], m.content.hinge_names[0].text, m.content.hinge_names[1].text);
    pm_library_build_options options = {
        .reading.source_rate = {50, 1}, .robot = &m.content, .rate = {200, 1}};
    SCOPED(pm_library_destroy) pm_library *library = build_and_open(path, 1, &options);
    const pm_library_motion *motion = pm_library_get_content(library)->motions;
    assert_true(motion->frames == 9 && motion->rate.num == 200 && motion->rate.den == 1);
    options.rate = (pm_rational){-1, 1};
    expect_refused(pm_library_build(path, 1, &options, "c.npz", new_error()),
                   "rate is not above 0");
}

TEST(robots_are_matched_with_motions_in_memory) {
    pm_motion *matched = NULL;
    library_made m;
    library_content_make(&m, ROBOT, 45);
    put_named("named.csv", m.content.hinge_names[1].text, m.content.hinge_names[0].text);
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    expect_success(pm_motion_open("named.csv", NULL, &motion, new_error()));
    expect_refused(pm_library_match_robot(NULL, &m.content, &matched, new_error()),
                   "motion is NULL");
    expect_refused(pm_library_match_robot(motion, NULL, &matched, new_error()), "robot is NULL");
    expect_refused(pm_library_match_robot(motion, &m.content, NULL, new_error()),
                   "matched is NULL");
    expect_success(pm_library_match_robot(motion, &m.content, &matched, new_error()));
    pm_motion_destroy(&motion);
    const pm_motion_clip *clip = pm_motion_get_content(matched)->clips;
    assert_int_equal(clip->channel_count, 3);
    assert_int_equal(clip->channels[2].components, 2);
    assert_true(fabs(((const double *)clip->channels[2].keys.data)[0] - 0.9) < 1e-12);
    pm_motion_destroy(&matched);
}

/* A root with an arm on each side along y, whose hinges turn about `axis` and about the same one. */
typedef struct arms {
    int32_t parents[3];
    double rotations[12], positions[9], axes[9], references[3];
    pm_library_content content;
} arms;

static void make_arms(arms *a, const double axis[3]) {
    static const pm_motion_name names[] = {{"base", 4}, {"left_arm", 8}, {"right_arm", 9}};
    static const uint32_t all[] = {0, 1, 2}, hinges[] = {1, 2}, dofs[] = {0, 1};
    *a = (arms){.parents = {-1, 0, 0}, .positions = {0, 0, 0, 0, 1, 0, 0, -1, 0}};
    for (size_t j = 0; j < 3; j++) {
        a->rotations[4 * j + 3] = 1;
        for (size_t i = 0; i < 3; i++)
            a->axes[3 * j + i] = j > 0 ? axis[i] : 0;
    }
    a->content = (pm_library_content){.joint_count = 3,
                                      .joint_names = names,
                                      .parents = a->parents,
                                      .rotations = a->rotations,
                                      .positions = a->positions,
                                      .axes = a->axes,
                                      .references = a->references,
                                      .hinges = hinges,
                                      .hinge_names = names + 1,
                                      .hinge_count = 2,
                                      .bodies = all,
                                      .body_count = 3,
                                      .dofs = dofs,
                                      .dof_count = 2};
}

TEST(robots_are_mirrored_in_memory) {
    pm_motion *mirrored = NULL;
    arms a;
    make_arms(&a, (const double[]){0, 0, 1});
    put_named("named.csv", "right_arm", "left_arm");
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    expect_success(pm_motion_open("named.csv", NULL, &motion, new_error()));
    expect_refused(pm_library_mirror_robot(NULL, &a.content, NULL, &mirrored, NULL, new_error()),
                   "motion is NULL");
    expect_refused(pm_library_mirror_robot(motion, NULL, NULL, &mirrored, NULL, new_error()),
                   "robot is NULL");
    expect_refused(pm_library_mirror_robot(motion, &a.content, NULL, NULL, NULL, new_error()),
                   "mirrored is NULL");
    pm_motion_mirror_report report;
    expect_success(
        pm_library_mirror_robot(motion, &a.content, NULL, &mirrored, &report, new_error()));
    assert_true(report.plane == PM_MOTION_AXIS_Y && report.pair_count == 1);
    assert_true(report.image_count == 1 && report.distances[1] == 0);
    const pm_motion_channel *angles = &pm_motion_get_content(mirrored)->clips->channels[2];
    assert_true(((const double *)angles->keys.data)[0] == -0.9);
    assert_true(((const double *)angles->keys.data)[1] == -0.1);
    pm_motion_destroy(&mirrored);

    a.axes[8] = 2; /* another length is the same axis */
    expect_success(pm_library_mirror_robot(motion, &a.content, NULL, &mirrored, NULL, new_error()));
    pm_motion_destroy(&mirrored);
    a.axes[7] = 2;
    expect_refused(pm_library_mirror_robot(motion, &a.content, NULL, &mirrored, NULL, new_error()),
                   "'left_arm' and 'right_arm' turn at rest about (0, 0, 1) and (0, 0.707, 0.707)");
    make_arms(&a, (const double[]){0, 0, 1});
    a.parents[1] = 2;
    a.parents[2] = 1;
    expect_refused(pm_library_mirror_robot(motion, &a.content, NULL, &mirrored, NULL, new_error()),
                   "does not end at a root");
    pm_motion_mirror_options options = {.normal = (pm_motion_axis)3};
    expect_refused(
        pm_library_mirror_robot(motion, &a.content, &options, &mirrored, NULL, new_error()),
        "normal");
    assert_null(mirrored);
}

TEST(files_that_do_not_fit_a_robot_are_refused) {
    static const char *const few[] = {"walk.csv", "few.csv"}, *const joints[] = {WALK};
    library_made m, ball;
    library_content_make(&m, ROBOT, 41);
    library_content_make(&ball, ROOT_ALONE, 42);
    put_csv("walk.csv", &m, 0, 9, SIZE_MAX);
    put_csv("few.csv", &m, 0, 9, 8);
    pm_library_build_options options = {.reading.layout = "robot", .robot = &m.content};
    const pm_library_build_options good = options;
#define REFUSED_ROBOT(paths, count, words)                                                         \
    expect_refused(pm_library_build(paths, count, &options, "c.npz", new_error()), words)
    REFUSED_ROBOT(few, 2, "few.csv: has 1 numbers of joint angles in a row; the robot has 2");
    options.reading.layout = NULL;
    REFUSED_ROBOT(joints, 1,
                  "walk.bvh: has 0 numbers of the root's position in a row; the robot has 3");
    options.robot = &ball.content;
    REFUSED_ROBOT(few, 1, "robot: has no hinges");
    options = good;
    options.scale = 0.5;
    REFUSED_ROBOT(few, 1, "a robot has its own unit");
    options = good;
    options.coded_keys = true;
    options.key_format = PM_KEYS_LOG48;
    REFUSED_ROBOT(few, 1, "the skeleton has hinges");
    options = good;
    m.content.hinge_names = NULL;
    REFUSED_ROBOT(few, 1, "hinge_names is NULL");
    library_content_make(&m, ROBOT, 41);
    m.axes[3 * 3] = m.axes[3 * 3 + 1] = m.axes[3 * 3 + 2] = 0;
    REFUSED_ROBOT(few, 1, "skeleton/hinges");
    library_content_make(&m, ROBOT_WITH_BALL, 41);
    REFUSED_ROBOT(few, 1, "robot: 'ball' is a ball");
    library_content_make(&m, ROBOT, 41);
    m.content.next = &m;
    REFUSED_ROBOT(few, 1, "next");
}

TEST(motion_files_that_do_not_fit_are_refused_with_their_name) {
    put_bvh("one.bvh", "a", "b", "10 0 0 0 20 0");
    put_bvh("other.bvh", "a", "c", "10 0 0 0 20 0");
    static const char *const paths[] = {"one.bvh", "other.bvh"}, *const walks[] = {"one.bvh", WALK};
    static const char *const none[] = {"one.bvh", "none.bvh"};
    const pm_library_build_options scaled = {.scale = -1}, turned = {.quarter_turns = 2},
                                   coded = {.coded_keys = true};
    expect_refused(pm_library_build(paths, 2, NULL, "c.npz", new_error()),
                   "other.bvh: has other joints than the first file");
    expect_refused(pm_library_build(walks, 2, NULL, "c.npz", new_error()),
                   "walk.bvh: has other joints than the first file");
    expect_refused(pm_library_build(none, 2, NULL, "c.npz", new_error()), "none.bvh: ");
    expect_refused(pm_library_build(paths, 0, NULL, "c.npz", new_error()), "at least one");
    expect_refused(pm_library_build(paths, 1, &scaled, "c.npz", new_error()), "scale");
    expect_refused(pm_library_build(paths, 1, &turned, "c.npz", new_error()), "quarter_turns");
    expect_refused(pm_library_build(paths, 1, &coded, "c.npz", new_error()), "has no 48 bits");
    pm_library *library = NULL;
    assert_int_equal(pm_library_open(NULL, "c.npz", NULL, &library, new_error()), PM_ERROR_FILE);
}
