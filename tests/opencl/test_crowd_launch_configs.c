/* SPDX-License-Identifier: MIT
 *
 * Posing a crowd after the launch configuration has changed: pm_engine_tune changes the engine's
 * lanes between two frames, after the crowd's kernels were built. Sizes, strides and orders are
 * random; strides are multiples of some vector sizes and not of others.
 */
#include "support/cl_caller.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include "engine/engine.h"
#include "opencl/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t all_lanes[] = {1, 4, 8, 16};
enum { LANES = sizeof all_lanes / sizeof *all_lanes };

/* Results of at least this many bytes are written with streaming stores. */
enum { STREAMED_BYTES = 4 << 20 };

static int open_all(void **state) {
    (void)state;
    if (!caller_open())
        return 1;
    pm_opencl_of(caller.engine->device)->register_lanes = all_lanes[LANES - 1];
    return 0;
}

static int close_all(void **state) {
    caller_close();
    return engines_close(state);
}

/* As pm_engine_tune does with the configuration that it selects. */
static void take_lanes(uint32_t lanes) {
    pm_launch_config config = pm_opencl_of(caller.engine->device)->config;
    config.lanes = lanes;
    pm_cl_set_launch_config(pm_opencl_of(caller.engine->device), &config);
}

typedef struct frame {
    scene scene;
    size_t count;
    pm_crowd_instance *instances;
    float *expected[PM_CROWD_OUTPUT_COUNT];
} frame;

static void frame_make(uint64_t salt, size_t joints, size_t count, frame *f) {
    random_source source = random_salted(salt);
    pm_error error = poisoned_error();
    *f = (frame){.count = count};
    scene_make(caller.engine,
               &(scene_options){.salt = salt, .joints = joints, .binds = SCENE_BIND_RIGID},
               &f->scene);
    f->instances = test_array(count, sizeof *f->instances);
    for (size_t i = 0; i < count; i++)
        f->instances[i] = scene_alike_instance(&source, &f->scene, i);
    for (pm_crowd_output o = 0; o < PM_CROWD_OUTPUT_COUNT; o++) {
        const size_t width = scene_floats(&f->scene, o, 1);
        f->expected[o] = guarded_floats(count * width);
        for (size_t i = 0; i < count; i++)
            expect_ok(pm_crowd_pose_one(f->scene.crowd, &f->instances[i], o,
                                        f->expected[o] + i * width, &error),
                      &error);
    }
}

static void frame_free(frame *f) {
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++)
        guarded_free(f->expected[o]);
    free(f->instances);
    scene_free(&f->scene);
}

static void expect_frame(const frame *f, pm_crowd_output output, size_t gap, const char *what) {
    const size_t width = scene_floats(&f->scene, output, 1) * sizeof(float), stride = width + gap;
    const size_t bytes = (f->count - 1) * stride + width;
    cl_mem buffer = caller_buffer(bytes);
    cl_event done = NULL;
    pm_error error = poisoned_error();
    pm_cl_crowd_job job = {.instances = f->instances, .instance_count = f->count};
    job.outputs[output] = (pm_cl_crowd_target){buffer, CALLER_OFFSET, stride, NULL, 0};
    expect_ok(pm_cl_crowd_pose(f->scene.crowd, &job, caller.in_order, 0, NULL, &done, &error),
              &error);
    float *records = caller_read(buffer, bytes, done);
    for (size_t i = 0; i < f->count; i++)
        if (memcmp((const char *)records + i * stride,
                   (const char *)f->expected[output] + i * width, width) != 0)
            fail_msg("%s: instance %zu of %zu, %zu bytes apart, is not posed", what, i, f->count,
                     stride);
    free(records);
    release_event(done);
    clReleaseMemObject(buffer);
}

/* A frame with one configuration, followed by a frame with another. */
static void expect_pair(const frame *f, pm_crowd_output output, uint32_t first, uint32_t second,
                        size_t gap) {
    char what[80];
    snprintf(what, sizeof what, "output %u, %u lanes", (unsigned)output, (unsigned)first);
    take_lanes(first);
    expect_frame(f, output, gap, what);
    snprintf(what, sizeof what, "output %u, %u lanes after %u", (unsigned)output, (unsigned)second,
             (unsigned)first);
    take_lanes(second);
    expect_frame(f, output, gap, what);
}

static void expect_pairs(const frame *f, pm_crowd_output output, random_source *source) {
    for (size_t a = 0; a < LANES; a++)
        for (size_t b = 0; b < LANES; b++)
            if (can_compile_lanes(caller.engine, all_lanes[a]) &&
                can_compile_lanes(caller.engine, all_lanes[b]))
                expect_pair(f, output, all_lanes[a], all_lanes[b], random_bits(source) % 5 * 16);
}

/* Palettes and another output: each requires four more programs. */
static void poses_do_not_depend_on_a_change_of_the_launch_configuration(void **state) {
    (void)state;
    const uint32_t before = caller.engine->device->info.lanes;
    random_source source = random_salted(0xF01);
    frame f;
    frame_make(0xF02, 3 + random_bits(&source) % 9,
               1 + random_bits(&source) % (small_sizes() ? 9 : 150), &f);
    expect_pairs(&f, PM_CROWD_PALETTE, &source);
    expect_pairs(&f, 1 + random_bits(&source) % (PM_CROWD_OUTPUT_COUNT - 1), &source);
    take_lanes(before);
    frame_free(&f);
}

/* Streaming stores write whole cache lines: half of the strides are multiples of 64 bytes, the others
 * of 32. */
static void streamed_poses_do_not_depend_on_a_change_of_the_launch_configuration(void **state) {
    (void)state;
    if (small_sizes())
        skip();
    const uint32_t before = caller.engine->device->info.lanes;
    random_source source = random_salted(0xF03);
    const size_t joints = 4 * (random_bits(&source) % 3) + 6, record = 48 * joints;
    frame f;
    frame_make(0xF04, joints, STREAMED_BYTES / record + 1 + random_bits(&source) % 100, &f);
    for (size_t a = 0; a < LANES; a++)
        for (size_t b = 0; b < LANES; b++)
            if (can_compile_lanes(caller.engine, all_lanes[a]) &&
                can_compile_lanes(caller.engine, all_lanes[b]))
                expect_pair(&f, PM_CROWD_PALETTE, all_lanes[a], all_lanes[b],
                            random_bits(&source) % 2 * 32);
    take_lanes(before);
    frame_free(&f);
}

/* The public function, on a separate engine, with any selected configuration. */
static void poses_do_not_depend_on_tuning(void **state) {
    (void)state;
    size_t count = 0, best = 0;
    pm_error error = poisoned_error();
    if (small_sizes()) /* the sizes of measurements are not small */
        skip();
    frame f;
    frame_make(0xF05, 5, 77, &f);
    take_lanes(1);
    expect_frame(&f, PM_CROWD_MODEL, 0, "before tuning");
    expect_ok(pm_engine_tune(caller.engine, NULL, 0, &count, &best, &error), &error);
    assert_true(count > 0);
    expect_frame(&f, PM_CROWD_MODEL, 0, "after tuning");
    frame_free(&f);
}

int main(void) {
    const int code = exit_code_without_device();
    if (code != 0)
        return code;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_do_not_depend_on_a_change_of_the_launch_configuration),
        cmocka_unit_test(streamed_poses_do_not_depend_on_a_change_of_the_launch_configuration),
        cmocka_unit_test(poses_do_not_depend_on_tuning),
    };
    return cmocka_run_group_tests_name("crowd_launch_configs", tests, open_all, close_all);
}
