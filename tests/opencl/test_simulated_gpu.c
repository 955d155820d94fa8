/* SPDX-License-Identifier: MIT
 *
 * A vendor's GPU driver without its GPU: Intel's, which builds programs and creates queues for a
 * simulated device and computes nothing. Everything runs through, and the programs that once
 * crashed its compiler build. Results are not looked at: ./dev simulated-gpu, which runs this, checks
 * that the self-check finds them different. Skipped elsewhere.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "opencl/device.h"
#include "programs/state.h"

enum { KEYS = 9, TRACKS = 19, SAMPLES = 40, INSTANCES = 20 };

static pm_opencl_device *cl_of(const pm_engine *engine) {
    return pm_opencl_of(engine->device);
}

TEST_ON_DEVICE(the_device_is_a_gpu) {
    pm_device_info info;
    pm_engine_get_info(engine_for(state), &info);
    assert_true(info.type == PM_DEVICE_GPU || info.type == PM_DEVICE_DISCRETE_GPU);
    assert_true(info.compute_units > 0);
}

/* The compiler then emits the corrected sequences of division and square root. */
TEST_ON_DEVICE(the_rounding_option_is_taken_although_it_is_not_claimed) {
    pm_programs *programs = engine_for(state)->device->programs;
    const pm_variant walk = {.file = "walk", .curve = "slerp", .components = 4};
    assert_false(programs->desc.claims_rounding);
    expect_success(pm_programs_build(programs, &walk, new_error()));
    assert_false(programs->refuses_rounding);
}

TEST_ON_DEVICE(launches_are_bounded) {
    assert_int_equal(cl_of(engine_for(state))->plan.max_work, PM_MAX_GPU_WORK);
}

static pm_clip *clip_of(pm_engine *engine, motion *keys, pm_method method, pm_key_format format) {
    const pm_timeline timeline = {.key_count = KEYS, .rate = {10, 1}};
    pm_clip_desc desc = motion_desc(keys, &timeline, method);
    desc.key_format = format;
    return clip_make(engine, &desc);
}

/* Neighbouring tracks, and pairs of tracks and times: walk, gather and motion. */
static void sample_all(const pm_clip *clip, bool moves) {
    float *out[2] = {guarded_floats(4 * SAMPLES * TRACKS), guarded_floats(4 * SAMPLES * TRACKS)};
    double times[SAMPLES];
    uint32_t tracks[SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++) {
        times[i] = 0.02 * (double)i;
        tracks[i] = (uint32_t)(i % TRACKS);
    }
    sample_make(clip, &(pm_sample_job){.sample_count = SAMPLES,
                                       .rate = {50, 1},
                                       .rotations = out[0],
                                       .velocities = moves ? out[1] : NULL});
    sample_make(
        clip, &(pm_sample_job){
                  .sample_count = SAMPLES, .times = times, .tracks = tracks, .rotations = out[0]});
    guarded_free(out[0]);
    guarded_free(out[1]);
}

/* Among them those that once ended the process: step with keys of 48 bits. */
TEST_ON_DEVICE(clips_of_all_key_formats_are_sampled) {
    static const pm_key_format formats[] = {PM_KEYS_FLOAT32, PM_KEYS_LOG48, PM_KEYS_SMALLEST48};
    static const pm_method methods[] = {PM_METHOD_STEP, PM_METHOD_SLERP};
    SCOPED(motion_free) motion keys = motion_make(KEYS, TRACKS, 1.5, 0x51A);
    for (size_t f = 0; f < 3; f++)
        for (size_t m = 0; m < 2; m++) {
            SCOPED(pm_clip_destroy)
            pm_clip *clip = clip_of(engine_for(state), &keys, methods[m], formats[f]);
            sample_all(clip, m == 1 && f == 0);
        }
}

static void pose(const scene *s, pm_crowd_output output) {
    pm_crowd_instance instances[INSTANCES];
    const size_t floats = scene_floats(s, output, INSTANCES);
    SCOPED(guarded_free_at) float *records = guarded_floats(floats);
    scene_instances(s, 0x51B, INSTANCES, instances);
    pm_crowd_job job = CROWD_JOB(instances, INSTANCES, .output = output, .memory = records);
    expect_success(pm_crowd_pose(s->crowd, &job, new_error()));
}

TEST_ON_DEVICE(crowds_are_posed) {
    static const char *const curves[] = {"step", "step", "slerp"};
    static const pm_key_format formats[] = {PM_KEYS_LOG48, PM_KEYS_SMALLEST48, PM_KEYS_FLOAT32};
    for (size_t n = 0; n < 3; n++) {
        SCOPED(scene_free) scene s;
        scene_make(engine_for(state),
                   &(scene_options){
                       .salt = 0x51C, .curve = variant_named(curves[n]), .key_format = formats[n]},
                   &s);
        pose(&s, n == 2 ? PM_CROWD_DUAL : PM_CROWD_PALETTE);
    }
}

/* The compiler runs on another thread, and the engine's end waits for it. */
TEST_ON_DEVICE(programs_are_built_in_the_background) {
    SCOPED(motion_free) motion keys = motion_make(KEYS, TRACKS, 1.5, 0x51D);
    SCOPED(pm_engine_destroy)
    pm_engine *engine =
        engine_with(state, &(pm_engine_desc){.build_in_background = true, .cache_folder = ""});
    SCOPED(pm_clip_destroy)
    pm_clip *clip = clip_of(engine, &keys, PM_METHOD_NLERP, PM_KEYS_FLOAT32);
    sample_all(clip, true);
}

TEST_GROUP(NULL, engines_close)

int main(int argc, char **argv) {
    const char *simulates = getenv("SetCommandStreamReceiver");
    if (!simulates || strcmp(simulates, "1") != 0) {
        printf("not tested: no simulated GPU; ./dev simulated-gpu has one\n");
        return 77;
    }
    return test_main(argc, argv);
}
