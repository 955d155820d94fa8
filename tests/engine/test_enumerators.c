/* SPDX-License-Identifier: MIT
 *
 * Values outside of an enumeration, in each place where the public headers accept one: the call is
 * refused or returns false or zero, by the common rule of posemill.h. NULL is in test_null.
 */
#include "base/counts.h"
#include "support/api_objects.h"
#include "support/test.h"

#include <limits.h>
#include <string.h>

/* Values outside of an enumeration with `count` enumerators from 0 on. */
static const int *none_of(int count) {
    static int numbers[6];
    const int all[6] = {count, count + 1, 77, -1, INT_MAX, INT_MIN};
    memcpy(numbers, all, sizeof all);
    return numbers;
}

#define FOR_NONE_OF(count, number)                                                                 \
    for (const int *number = none_of(count), *number##_end = number + 6; number < number##_end;    \
         number++)

static const double vectors[KEYS][3] = {{1, 0, 0}, {0, 1, 0}};

/* ---- values outside of an enumeration -------------------------------------------------------- */

TEST(invalid_values_have_no_name_and_no_size) {
    FOR_NONE_OF(PM_ERROR_OUTPUT + 1, number) {
        assert_string_equal(pm_status_name((pm_status)*number), "unknown");
    }
    FOR_NONE_OF(PM_METHOD_COUNT, number) {
        assert_null(pm_method_describe((pm_method)*number));
    }
    FOR_NONE_OF(PM_CROWD_OUTPUT_COUNT, number) {
        assert_int_equal(pm_crowd_record_bytes((pm_crowd_output)*number), 0);
    }
}

TEST(invalid_orders_return_false) {
    const double q[4] = {0.1, 0.2, 0.3, 0.9}, angles[3] = {1, 2, 3};
    double to_quaternion[4], to_angles[3];
    FOR_NONE_OF(PM_EULER_COUNT, number) {
        const pm_euler_order order = (pm_euler_order)*number;
        expect_false(to_quaternion, pm_quat_from_euler, order, angles, to_quaternion);
        expect_false(to_angles, pm_euler_from_quat, order, q, NULL, to_angles);
    }
}

TEST(invalid_parents_return_false) {
    static const int32_t wrong[][3] = {{0, 0, 0},  {1, 0, 0},          {-2, 0, 0},
                                       {-1, 1, 0}, {-1, 0, INT32_MAX}, {-1, INT32_MIN, 0}};
    const double offsets[9] = {0, 1, 0, 0, 1, 0, 0, 1, 0};
    double axes[9];
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++)
        expect_false(axes, pm_bone_axes, wrong[n], offsets, 3, axes);
}

static void expect_no_clip(const pm_clip_desc *desc, const char *words) {
    pm_clip *made = clip;
    expect_error(pm_clip_check(desc, new_error()), PM_ERROR_ARGUMENT, words);
    expect_error(pm_clip_create(engine, desc, &made, new_error()), PM_ERROR_ARGUMENT, words);
    assert_ptr_equal(made, clip);
}

TEST(invalid_options_are_refused) {
    static const struct {
        size_t offset; /* of an enumeration in the description, which has the size of an int */
        int count;
        const char *words;
    } options[] = {
        {offsetof(pm_clip_desc, method), PM_METHOD_COUNT, "method"},
        {offsetof(pm_clip_desc, vector_method), PM_VECTOR_COUNT, "vector_method"},
        {offsetof(pm_clip_desc, key_format), PM_KEYS_COUNT, "key_format"},
        {offsetof(pm_clip_desc, tangents), PM_TANGENTS_COUNT, "tangents"},
        {offsetof(pm_clip_desc, ends), PM_ENDS_COUNT, "ends"},
        {offsetof(pm_clip_desc, axis_frame), PM_AXIS_COUNT, "axis_frame"},
    };
    for (size_t n = 0; n < sizeof options / sizeof *options; n++) {
        FOR_NONE_OF(options[n].count, number) {
            pm_clip_desc desc = clip_desc;
            memcpy((char *)&desc + options[n].offset, number, sizeof *number);
            expect_no_clip(&desc, options[n].words);
        }
    }
}

/* Each array that a method reads, one after another. */
TEST(invalid_number_types_are_refused) {
    const pm_array of_keys = {.data = keys, .type = PM_FLOAT64};
    const pm_array of_vectors = {.data = vectors, .type = PM_FLOAT64};
    pm_clip_desc desc = {.track_count = 1, .timelines = &timeline, .rotations = of_keys};
    desc.positions = desc.scales = desc.user_tangents = desc.axes = of_vectors;
    desc.rotations_in = desc.rotations_out = of_keys;
    desc.positions_in = desc.positions_out = desc.scales_in = desc.scales_out = of_vectors;
    const struct {
        pm_array *array;
        pm_method method;
        const char *words;
    } arrays[] = {{&desc.rotations, PM_METHOD_SLERP, "rotations"},
                  {&desc.positions, PM_METHOD_SLERP, "positions"},
                  {&desc.scales, PM_METHOD_SLERP, "scales"},
                  {&desc.user_tangents, PM_METHOD_SQUAD, "user_tangents"},
                  {&desc.axes, PM_METHOD_STERP, "axes"},
                  {&desc.rotations_in, PM_METHOD_CUBICSPLINE, "rotations_in"},
                  {&desc.rotations_out, PM_METHOD_CUBICSPLINE, "rotations_out"},
                  {&desc.positions_in, PM_METHOD_CUBICSPLINE, "positions_in"},
                  {&desc.positions_out, PM_METHOD_CUBICSPLINE, "positions_out"},
                  {&desc.scales_in, PM_METHOD_CUBICSPLINE, "scales_in"},
                  {&desc.scales_out, PM_METHOD_CUBICSPLINE, "scales_out"}};
    for (size_t n = 0; n < sizeof arrays / sizeof *arrays; n++) {
        FOR_NONE_OF(PM_FLOAT64 + 1, number) {
            arrays[n].array->type = (pm_number)*number;
            desc.method = arrays[n].method;
            desc.tangents = desc.method == PM_METHOD_SQUAD ? PM_TANGENTS_USER : PM_TANGENTS_BESSEL;
            expect_no_clip(&desc, arrays[n].words);
            arrays[n].array->type = PM_FLOAT64;
        }
    }
    expect_ok(pm_clip_check(&desc, NULL), &(pm_error){0});
}

TEST(invalid_number_types_of_skeletons_are_refused) {
    static const double numbers[12] = {0, 0, 0, 1};
    pm_skeleton_desc desc = {.joint_count = 1, .parents = parents};
    pm_array *const arrays[] = {&desc.rotations, &desc.positions, &desc.scales,
                                &desc.inverse_binds};
    static const char *const words[] = {"rotations", "positions", "scales", "inverse_binds"};
    for (size_t n = 0; n < 4; n++) {
        FOR_NONE_OF(PM_FLOAT64 + 1, number) {
            pm_skeleton *made = skeleton;
            *arrays[n] = (pm_array){.data = numbers, .type = (pm_number)*number};
            expect_error(pm_skeleton_create(&desc, &made, new_error()), PM_ERROR_ARGUMENT,
                         words[n]);
            assert_ptr_equal(made, skeleton);
            *arrays[n] = (pm_array){0};
        }
    }
}

TEST(jobs_with_invalid_values_are_refused) {
    float out[12];
    memset(out, 0x5A, sizeof out);
    FOR_NONE_OF(PM_AXIS_COUNT, number) {
        const pm_sample_job job = {.sample_count = 1,
                                   .rate = {1, 1},
                                   .velocities = out,
                                   .velocity_frame = (pm_axis_frame)*number};
        expect_error(pm_sample_check(clip, &job, new_error()), PM_ERROR_ARGUMENT, "velocity_frame");
        expect_error(pm_sample(clip, &job, new_error()), PM_ERROR_ARGUMENT, "velocity_frame");
    }
    FOR_NONE_OF(PM_CROWD_OUTPUT_COUNT, number) {
        expect_error(
            pm_crowd_pose_one(crowd, &instance, (pm_crowd_output)*number, out, new_error()),
            PM_ERROR_ARGUMENT, "output");
    }
    assert_true(is_filled(out, sizeof out, 0x5A));
}

TEST_GROUP(make_all, free_all)
