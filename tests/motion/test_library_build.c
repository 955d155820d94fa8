/* SPDX-License-Identifier: MIT
 *
 * Tests of motion libraries that are built from motion files.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/engines.h"
#include "support/test_folder.h"

#include <posemill/posemill_library.h>

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

static pm_library *build_and_open(const char *const *paths, size_t count,
                                  const pm_library_build_options *options) {
    pm_library *library = NULL;
    expect_success(pm_library_build(paths, count, options, "built.npz", new_error()));
    expect_success(
        pm_library_open(engine_of_kind(ON_REFERENCE), "built.npz", NULL, &library, new_error()));
    return library;
}

TEST(motion_files_become_motions_with_their_own_states) {
    static const char *const paths[] = {WALK, WALK, WALK};
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    SCOPED(pm_library_destroy) pm_library *library = build_and_open(paths, 3, NULL);
    const pm_library_content *c = pm_library_get_content(library);
    assert_int_equal(c->motion_count, 3);
    assert_string_equal(c->motions[0].name.text, "walk");
    assert_string_equal(c->motions[1].name.text, "walk-2");
    assert_string_equal(c->motions[2].name.text, "walk-3");
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
    pm_library *library = build_and_open(paths, 2, &options);
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
    pm_library_destroy(&library);
}

static void expect_refused(pm_status status, const char *words) {
    assert_true(status == PM_ERROR_ARGUMENT || status == PM_ERROR_FILE);
    if (!strstr(last_error()->message, words))
        fail_msg("'%s', expected '%s'", last_error()->message, words);
}

TEST(motion_files_that_do_not_fit_are_refused_with_their_name) {
    put_bvh("one.bvh", "a", "b", "10 0 0 0 20 0");
    put_bvh("other.bvh", "a", "c", "10 0 0 0 20 0");
    static const char *const paths[] = {"one.bvh", "other.bvh"}, *const walks[] = {"one.bvh", WALK};
    static const char *const none[] = {"one.bvh", "none.bvh"};
    const pm_library_build_options scaled = {.scale = -1}, turned = {.quarter_turns = 2};
    expect_refused(pm_library_build(paths, 2, NULL, "c.npz", new_error()),
                   "other.bvh: has other joints than the first file");
    expect_refused(pm_library_build(walks, 2, NULL, "c.npz", new_error()),
                   "walk.bvh: has other joints than the first file");
    expect_refused(pm_library_build(none, 2, NULL, "c.npz", new_error()), "none.bvh: ");
    expect_refused(pm_library_build(paths, 0, NULL, "c.npz", new_error()), "at least one");
    expect_refused(pm_library_build(paths, 1, &scaled, "c.npz", new_error()), "scale");
    expect_refused(pm_library_build(paths, 1, &turned, "c.npz", new_error()), "quarter_turns");
    pm_library *library = NULL;
    assert_int_equal(pm_library_open(NULL, "c.npz", NULL, &library, new_error()), PM_ERROR_FILE);
}
