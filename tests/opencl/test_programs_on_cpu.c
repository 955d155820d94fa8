/* SPDX-License-Identifier: MIT
 *
 * Plain C computes the jobs of CPU devices, unless the description or the variable asks for programs.
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

enum { KEYS = 9 };

FIXTURE(set_variable) {
    return setenv("POSEMILL_PROGRAMS_ON_CPU", "1", 1);
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
static pm_engine *engine_without_kernels(void **state, const char *variable, bool programs_on_cpu) {
    assert_int_equal(setenv("POSEMILL_PROGRAMS_ON_CPU", variable, 1), 0);
    return engine_with(state, &(pm_engine_desc){.cache_folder = "",
                                                .kernel_folder = cache_folder_make(),
                                                .programs_on_cpu = programs_on_cpu});
}

TEST_WITH(a_cpu_device_leaves_jobs_to_plain_c, NULL, set_variable, &on_device) {
    static const struct {
        const char *variable;
        bool programs_on_cpu;
    } rows[] = {{"", false}, {"0", false}, {"1", false}, {"0", true}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SCOPED(pm_engine_destroy)
        pm_engine *engine =
            engine_without_kernels(state, rows[i].variable, rows[i].programs_on_cpu);
        SCOPED(scene_free) scene s;
        const bool leaves =
            engine->device->runs_calls && rows[i].variable[0] != '1' && !rows[i].programs_on_cpu;
        assert_int_equal(engine->device->plan->plain_c, leaves);
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
