/* SPDX-License-Identifier: MIT
 *
 * Reserved fields of structs that callers fill must be 0, so that later versions can give them a
 * meaning; and structs of another size are filled as far as they go. The structs of posemill_cl.h and
 * of posemill_motion.h have tests beside their functions.
 */
#include "support/api_objects.h"
#include "support/test.h"

static pm_error error;

TEST(descriptions_with_reserved_values_are_refused) {
    pm_engine *none = NULL;
    pm_skeleton *no_skeleton = NULL;
    pm_crowd *no_crowd = NULL;
    pm_engine_desc engine_desc = {.device = "none"};
    expect_reserved_refused(pm_engine_desc, engine_desc, &error,
                            pm_engine_create(&engine_desc, &none, &error));
    pm_clip_desc of_clip = clip_desc;
    expect_reserved_refused(pm_clip_desc, of_clip, &error, pm_clip_check(&of_clip, &error));
    pm_level level = {.update_every = 1};
    pm_skeleton_desc of_skeleton = skeleton_desc;
    of_skeleton.levels = &level;
    of_skeleton.level_count = 1;
    expect_reserved_refused(pm_skeleton_desc, of_skeleton, &error,
                            pm_skeleton_create(&of_skeleton, &no_skeleton, &error));
    expect_reserved_refused(pm_level, level, &error,
                            pm_skeleton_create(&of_skeleton, &no_skeleton, &error));
    pm_crowd_desc of_crowd = {.skeleton = skeleton, .clips = &clip_desc, .clip_count = 1};
    expect_reserved_refused(pm_crowd_desc, of_crowd, &error,
                            pm_crowd_create(engine, &of_crowd, &no_crowd, &error));
    assert_true(!none && !no_skeleton && !no_crowd);
}

TEST(jobs_with_reserved_values_are_refused) {
    float rotation[4], palette[12];
    pm_sample_job job = {.sample_count = 1, .rate = {1, 1}, .rotations = rotation};
    expect_reserved_refused(pm_sample_job, job, &error, pm_sample(clip, &job, &error));
    expect_reserved_refused(pm_sample_job, job, &error, pm_sample_check(clip, &job, &error));
    expect_ok(pm_sample(clip, &job, &error), &error);
    pm_crowd_target target = {.output = PM_CROWD_PALETTE, .memory = palette};
    pm_crowd_job poses = {
        .instances = &instance, .instance_count = 1, .outputs = &target, .output_count = 1};
    expect_reserved_refused(pm_crowd_job, poses, &error, pm_crowd_pose(crowd, &poses, &error));
    expect_reserved_refused(pm_crowd_target, target, &error, pm_crowd_pose(crowd, &poses, &error));
    expect_ok(pm_crowd_pose(crowd, &poses, &error), &error);
}

TEST(lists_of_outputs_name_each_at_most_once) {
    float records[2][12];
    pm_crowd_target targets[] = {{.output = PM_CROWD_MODEL, .memory = records[0]},
                                 {.output = PM_CROWD_MODEL, .memory = records[1]}};
    pm_crowd_job job = {.instances = &instance, .instance_count = 1, .outputs = targets};
    expect_refusal(pm_crowd_pose(crowd, &job, &error), &error, PM_ERROR_ARGUMENT, "output_count");
    job.output_count = 2;
    expect_refusal(pm_crowd_pose(crowd, &job, &error), &error, PM_ERROR_ARGUMENT, "outputs[1]");
    const int unknown[] = {-1, (int)pm_crowd_output_count(), 1 << 20};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        targets[1].output = (pm_crowd_output)unknown[i];
        expect_refusal(pm_crowd_pose(crowd, &job, &error), &error, PM_ERROR_ARGUMENT,
                       "outputs[1].output");
    }
    targets[1].output = PM_CROWD_LOCAL;
    expect_ok(pm_crowd_pose(crowd, &job, &error), &error);
}

/* Programs that were compiled with a smaller or a larger struct. */
TEST(infos_are_filled_as_far_as_they_go) {
    pm_device_info info;
    unsigned char memory[2 * sizeof info];
    pm_engine_get_info(engine, &info, sizeof info);
    for (size_t size = 1; size < sizeof memory; size = 2 * size + 1) {
        memset(memory, 0xA5, sizeof memory);
        pm_engine_get_info(engine, (pm_device_info *)(void *)memory, size);
        const size_t known = size < sizeof info ? size : sizeof info;
        assert_memory_equal(memory, &info, known);
        assert_true(is_filled(memory + known, size - known, 0));
        assert_true(is_filled(memory + size, sizeof memory - size, 0xA5));
    }
}

TEST_GROUP(make_all, free_all)
