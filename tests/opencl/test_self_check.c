/* SPDX-License-Identifier: MIT
 *
 * The self-check finds faults that are planted in copies of the kernels, on the path where they are.
 * Each check runs one path only, because drivers take long to build programs.
 */
#define _POSIX_C_SOURCE 200809L

#include "engine/engine.h"
#include "support/cache_folder.h"
#include "support/check.h"
#include "support/engines.h"
#include "support/kernel_copies.h"

#include <posemill/posemill.h>

#include <stdlib.h>

typedef struct planted {
    const char *file, *what, *by; /* file NULL: no fault */
    uint32_t path;
} planted;

/* The paths of `paths` that differ with a fault in the kernels. */
static uint32_t differing(void **state, const planted *fault, uint32_t paths) {
    const char *folder = cache_folder_make();
    kernel_copies(folder, fault->file, fault->what, fault->by);
    pm_engine *engine =
        engine_with(state, &(pm_engine_desc){.cache_folder = "", .kernel_folder = folder});
    uint32_t different = 0xaaaaaaaa;
    expect_success(pm_engine_check_paths(engine, paths, &different, new_error()));
    pm_engine_destroy(&engine);
    assert_true(cache_folder_remove());
    return different;
}

static void expect_found(void **state, const planted *faults, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t different = differing(state, &faults[i], faults[i].path);
        if (different != faults[i].path)
            print_error("%s: \"%s\" was not found\n", faults[i].file, faults[i].what);
        assert_int_equal(different, faults[i].path);
    }
}

TEST_ON_DEVICE(faults_of_derivatives_are_found) {
    static const planted faults[] = {
        {"pm_motion.h", "PM_REAL(2.0f) * rate / pm_quat_norm2",
         "PM_REAL(4.0f) * rate / pm_quat_norm2", PM_CHECK_VELOCITIES},
        {"pm_motion.h", "-growth, pm_relative_vector(q.v, q.d, parent)",
         "-growth, pm_relative_vector(q.v, q.d, 0)", PM_CHECK_ACCELERATIONS}};
    expect_found(state, faults, COUNT_OF(faults));
}

TEST_ON_DEVICE(a_fault_of_one_output_of_crowds_is_found) {
    static const planted fault = {"pm_joint_record.h", "pm_put_row(words + 4, pm_rigid_dual(skin))",
                                  "pm_put_row(words, pm_rigid_dual(skin))", PM_CHECK_CROWDS};
    expect_found(state, &fault, 1);
}

TEST_ON_DEVICE(faults_of_points_are_found) {
    static const planted faults[] = {
        {"pm_point_arc.h", "PM_REAL(-0.166666667f)", "PM_REAL(-0.16667f)", PM_CHECK_POINTS},
        {"pm_points.h", "(float)(pm_u32)pm_shifted_to_nearest(0, mantissa, 29)",
         "(float)(pm_u32)(mantissa >> 29)", PM_CHECK_POINTS},
        {"pm_points.h", "(rest == tie && (whole & 1))", "(rest < tie && (whole & 1))",
         PM_CHECK_POINTS}};
    expect_found(state, faults, COUNT_OF(faults));
}

TEST_ON_DEVICE(a_path_without_a_fault_does_not_differ) {
    static const planted none = {0},
                         of_velocities = {"pm_motion.h", "PM_REAL(2.0f) * rate / pm_quat_norm2",
                                          "PM_REAL(4.0f) * rate / pm_quat_norm2", 0};
    assert_int_equal(differing(state, &none, PM_CHECK_VELOCITIES | PM_CHECK_ACCELERATIONS), 0);
    assert_int_equal(differing(state, &of_velocities, PM_CHECK_VELOCITIES | PM_CHECK_ACCELERATIONS),
                     PM_CHECK_VELOCITIES);
}

static pm_status enqueue_nothing(const pm_device_clip *clip, const pm_sample_request *request,
                                 const pm_queue *queue, void **done, pm_error *error) {
    (void)clip, (void)request, (void)queue, (void)error;
    *done = NULL;
    return PM_OK;
}

TEST_ON_DEVICE(what_only_queues_do_wrong_is_found) {
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.programs_on_cpu = true});
    pm_device *device = engine->device->members[0];
    const pm_backend *kept = device->backend;
    pm_backend odd = *kept;
    uint32_t different = 0;
    odd.enqueue_samples = enqueue_nothing;
    device->backend = &odd;
    const pm_status status =
        pm_engine_check_paths(engine, PM_CHECK_VELOCITIES, &different, new_error());
    device->backend = kept;
    expect_success(status);
    assert_int_equal(different, PM_CHECK_VELOCITIES);
}

TEST_ON_DEVICE(plain_c_on_queues_is_checked_where_it_computes) {
    unsetenv("POSEMILL_PROGRAMS_ON_CPU");
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.log = NULL});
    assert_int_equal(setenv("POSEMILL_PROGRAMS_ON_CPU", "1", 1), 0);
    uint32_t different = 0xaaaaaaaa;
    if (!engine->device->runs_calls)
        skip();
    expect_success(pm_engine_check_paths(engine, PM_CHECK_ALL, &different, new_error()));
    assert_int_equal(different, 0);
}

TEST_ON_DEVICE(paths_that_do_not_exist_are_refused) {
    static const uint32_t bad[] = {0, PM_CHECK_ALL + 1, PM_CHECK_VALUES | 1u << 6, UINT32_MAX};
    uint32_t different = 7;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        expect_error(pm_engine_check_paths(engine_for(state), bad[i], &different, new_error()),
                     PM_ERROR_ARGUMENT, "paths");
    assert_int_equal(different, 7);
}

TEST_GROUP_ON_DEVICE(NULL, engines_close)
