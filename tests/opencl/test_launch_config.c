/* SPDX-License-Identifier: MIT
 *
 * The variable POSEMILL_LAUNCH: what it sets, what it refuses, and that results do not depend on it.
 */
#define _POSIX_C_SOURCE 200809L

#include "engine/engine.h"
#include "opencl/device.h"
#include "support/cache_folder.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS = 9, TRACKS = 21, SAMPLES = 700 };

static void set_variable(const char *text) {
    assert_int_equal(setenv("POSEMILL_LAUNCH", text, 1), 0);
}

FIXTURE(unset_variable) {
    return unsetenv("POSEMILL_LAUNCH");
}

static pm_plan_device config_with(void **state, const char *text, bool programs_on_cpu) {
    set_variable(text);
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.programs_on_cpu = programs_on_cpu});
    return pm_opencl_of(engine->device)->plan;
}

#define WITH_VARIABLE(test, kind) TEST_WITH(test, NULL, unset_variable, &(kind))

WITH_VARIABLE(the_variable_replaces_the_defaults, on_device) {
    const pm_plan_device usual = config_with(state, "", false); /* empty: not set */
    assert_int_equal(usual.max_run, 256);
    assert_int_equal(usual.plain_c, usual.on_host);
    pm_plan_device config = config_with(state, "max_run=64", false);
    assert_int_equal(config.max_run, 64);
    assert_int_equal(config.plain_c, usual.plain_c);
    config = config_with(state, "plain_c=0,max_run=65536", false);
    assert_int_equal(config.max_run, 65536);
    assert_false(config.plain_c);
    config = config_with(state, "plain_c=0,plain_c=1", false);
    assert_int_equal(config.max_run, 256);
    assert_int_equal(config.plain_c, usual.plain_c);
}

WITH_VARIABLE(a_description_asks_for_programs_whatever_the_variable_says, on_device) {
    assert_false(config_with(state, "", true).plain_c);
    assert_false(config_with(state, "plain_c=1", true).plain_c);
}

WITH_VARIABLE(a_wrong_value_is_refused_by_name, on_device) {
    static const char *const wrong[] = {"8",
                                        "max_run",
                                        "max_run=",
                                        "lanes=8",
                                        "all_tracks=1",
                                        "max_run=-64",
                                        "max_run= 64",
                                        "max_run=64 ",
                                        "plain_c=1,",
                                        ",plain_c=1",
                                        "plain_c=1;max_run=64",
                                        "plain_c=1,,max_run=64",
                                        "plain_c=1max_run=64",
                                        "group=64",
                                        "Plain_c=1",
                                        "max_run=15",
                                        "plain_c=2",
                                        "max_run=65537",
                                        "max_run=99999",
                                        "max_run=4294967360",
                                        "max_run_and_more_than_that=1"};
    engine_for(state); /* skips where there is no device */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const pm_engine_desc desc = {.device = device_for(state)};
        pm_engine *engine = NULL;
        set_variable(wrong[i]);
        expect_error(pm_engine_create(&desc, &engine, new_error()), PM_ERROR_ARGUMENT,
                     "POSEMILL_LAUNCH");
        assert_non_null(strstr(last_error()->message, wrong[i]));
        assert_non_null(strstr(last_error()->message, "expected a list such as plain_c=0"));
    }
}

WITH_VARIABLE(the_reference_does_not_read_the_variable, on_reference) {
    set_variable("plain_c=3");
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.device = NULL});
}

WITH_VARIABLE(results_do_not_depend_on_the_variable, on_device) {
    static const char *const settings[] = {"plain_c=0,max_run=16", "plain_c=0,max_run=65536", ""};
    engine_for(state);
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 1.5, 0x1A0);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {8, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        set_variable(settings[i]);
        SCOPED(pm_engine_destroy)
        pm_engine *engine = engine_with(state, &(pm_engine_desc){.device = NULL});
        SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
        expect_reference_bits(clip, (pm_sample_job){.sample_count = SAMPLES, .rate = {673, 1}},
                              ONLY_ROTATIONS);
    }
}

/* ---- jobs that plain C computes ---- */

/* Poses so many instances of the scene, the first of them, into one output. NULL where no kernel can be built. */
static float *pose_on(const scene *s, size_t count, pm_crowd_output output, bool by_reference) {
    pm_crowd_instance *instances = test_array(count, sizeof *instances);
    float *records = guarded_floats(scene_floats(s, output, count));
    random_source source = random_salted(0x1A2);
    for (size_t i = 0; i < count; i++) {
        instances[i] = scene_instance(&source, s);
        instances[i].weight = 0;
    }
    const pm_crowd_target target = {.output = output, .memory = records};
    const pm_crowd_job job = {.instances = instances,
                              .instance_count = count,
                              .outputs = &target,
                              .output_count = 1,
                              .on_reference = by_reference};
    const pm_status status = pm_crowd_pose(s->crowd, &job, new_error());
    free(instances);
    if (status == PM_OK)
        return records;
    guarded_free_at(&records);
    return NULL;
}

static bool poses_without_kernels(const scene *s, size_t count, pm_crowd_output output) {
    SCOPED(guarded_free_at) float *found = pose_on(s, count, output, false);
    SCOPED(guarded_free_at) float *expected = pose_on(s, count, output, true);
    if (found)
        expect_same_bits(found, expected, scene_floats(s, output, count),
                         scene_floats(s, output, 1));
    return found != NULL;
}

static bool samples_without_kernels(pm_engine *engine, size_t tracks, size_t count) {
    const pm_timeline timeline = {.key_count = KEYS, .rate = {8, 1}};
    SCOPED(motion_free) motion m = motion_make(KEYS, tracks, 1.5, 0x1A3);
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SLERP);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
    SCOPED(guarded_free_at) float *rotations = guarded_floats(4 * tracks * count);
    const pm_sample_job job = {.sample_count = count, .rate = {673, 1}, .rotations = rotations};
    return pm_sample(clip, &job, new_error()) == PM_OK;
}

/* An engine whose folder of kernels is empty. */
static pm_engine *engine_without_kernels(void **state, const char *variable) {
    set_variable(variable);
    return engine_with(state,
                       &(pm_engine_desc){.cache_folder = "", .kernel_folder = cache_folder_make()});
}

WITH_VARIABLE(a_cpu_device_leaves_jobs_to_plain_c, on_device) {
    static const char *const settings[] = {"", "plain_c=0"};
    for (size_t i = 0; i < 2; i++) {
        SCOPED(pm_engine_destroy) pm_engine *engine = engine_without_kernels(state, settings[i]);
        SCOPED(scene_free) scene s;
        const bool leaves = engine->device->plan->on_host && i == 0;
        scene_make(engine, &(scene_options){.salt = 0x1A1, .joints = 11}, &s);
        assert_int_equal(poses_without_kernels(&s, 1, PM_CROWD_PALETTE), leaves);
        assert_int_equal(poses_without_kernels(&s, 2000, PM_CROWD_PALETTE), leaves);
        assert_int_equal(poses_without_kernels(&s, 101, PM_CROWD_BODY_VEL), leaves);
        assert_int_equal(samples_without_kernels(engine, 3, 10), leaves);
        assert_int_equal(samples_without_kernels(engine, 16, 1 << 14), leaves);
        assert_true(cache_folder_remove());
    }
}

TEST_GROUP(NULL, engines_close)
