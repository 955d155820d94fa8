/* SPDX-License-Identifier: MIT
 *
 * Arguments that every function of the public headers refuses by the common rule of posemill.h: the call is
 * refused or returns false or zero, and writes nothing else. NULL for each pointer that is not documented as
 * optional, where the headers are read for functions that are left out; values outside of an enumeration; and
 * `next` that is not NULL, so that later versions can give it a meaning. The structs of
 * posemill_cl.h and of posemill_motion.h have tests beside their functions.
 */
#include "base/counts.h"
#include "support/check.h"
#include "support/test.h"
#include "support/test_folder.h"

#include <limits.h>
#include <posemill/posemill_cl.h>
#include <posemill/posemill_crowd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 2 };

/* For a function that returns a bool: it returns false and leaves the array `out` unchanged. */
#define expect_false(out, function, ...)                                                           \
    do {                                                                                           \
        memset(out, 0x5A, sizeof(out));                                                            \
        assert_false(function(__VA_ARGS__));                                                       \
        assert_true(is_filled(out, sizeof(out), 0x5A));                                            \
    } while (0)

static const double keys[KEYS][4] = {{0, 0, 0, 1}, {0, 0, 0.6, 0.8}};
static const pm_timeline timeline = {.key_count = KEYS, .rate = {1, 1}};
static const int32_t parents[1] = {-1};
static const pm_skeleton_desc skeleton_desc = {.joint_count = 1, .parents = parents};
static const pm_crowd_instance instance;
static const pm_clip_desc clip_desc = {
    .track_count = 1, .timelines = &timeline, .rotations = {.data = keys, .type = PM_FLOAT64}};

static pm_engine *engine;
static pm_clip *clip;
static pm_skeleton *skeleton;
static pm_crowd *crowd;

FIXTURE(make_all) {
    const pm_engine_desc on_host = {.device = "none"};
    if (pm_engine_create(&on_host, &engine, NULL) != PM_OK ||
        pm_clip_create(engine, &clip_desc, &clip, NULL) != PM_OK ||
        pm_skeleton_create(&skeleton_desc, &skeleton, NULL) != PM_OK)
        return 1;
    const pm_crowd_desc desc = {.skeleton = skeleton, .clips = &clip_desc, .clip_count = 1};
    return pm_crowd_create(engine, &desc, &crowd, NULL) != PM_OK;
}

FIXTURE(free_all) {
    pm_crowd_destroy(&crowd);
    pm_skeleton_destroy(&skeleton);
    pm_clip_destroy(&clip);
    pm_engine_destroy(&engine);
    return 0;
}

static bool is_filled(const void *memory, size_t size, unsigned char byte) {
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != byte)
            return false;
    return true;
}

enum { MAX_FUNCTIONS = 120 };

static const char *visited[MAX_FUNCTIONS];
static size_t visited_count;

static bool was_visited(const char *function, size_t length) {
    for (size_t i = 0; i < visited_count; i++)
        if (strlen(visited[i]) == length && memcmp(visited[i], function, length) == 0)
            return true;
    return false;
}

static void visit(const char *function) {
    if (was_visited(function, strlen(function)))
        return;
    assert_true(visited_count < MAX_FUNCTIONS);
    visited[visited_count++] = function;
}

/* For a function that returns a bool: see expect_false. */
#define expect_visited_false(out, function, ...)                                                   \
    do {                                                                                           \
        visit(#function);                                                                          \
        expect_false(out, function, __VA_ARGS__);                                                  \
    } while (0)

/* For a function that returns a pm_status and whose last parameter is a pm_error: `words` is the
 * whole message. */
#define expect_null(words, function, ...)                                                          \
    do {                                                                                           \
        pm_error error = poisoned_error();                                                         \
        visit(#function);                                                                          \
        expect_refusal(function(__VA_ARGS__, &error), &error, PM_ERROR_ARGUMENT, words);           \
        assert_string_equal(error.message, words);                                                 \
        expect_error_at(&error, PM_NO_INDEX, PM_NO_INDEX);                                         \
        assert_int_equal(function(__VA_ARGS__, NULL), PM_ERROR_ARGUMENT);                          \
    } while (0)

static const pm_sample_job nothing_to_sample;
static const pm_crowd_job nothing_to_pose;

/* ---- NULL --------------------------------------------------------------------------------------- */

TEST(engines_refuse_null) {
    size_t count = 5;
    pm_bit_match match = PM_BIT_MATCH_DIFFERENT;
    uint32_t different = 0;
    expect_null("count is NULL", pm_list_devices, NULL, 0, NULL);
    expect_null("infos is NULL", pm_list_devices, NULL, 1, &count);
    expect_null("engine is NULL", pm_engine_create, NULL, NULL);
    expect_null("engine is NULL", pm_engine_self_check, NULL, &match);
    expect_null("match is NULL", pm_engine_self_check, engine, NULL);
    expect_null("engine is NULL", pm_engine_check_paths, NULL, PM_CHECK_VALUES, &different);
    expect_null("different is NULL", pm_engine_check_paths, engine, PM_CHECK_VALUES, NULL);
    assert_true(count == 5 && match == PM_BIT_MATCH_DIFFERENT);
    assert_int_equal(pm_engine_host_threads(NULL), 0);
    assert_true(pm_engine_host_threads(engine) >= 1);
}

TEST(an_error_that_is_null_has_no_text) {
    char text[4] = "xyz";
    visit("pm_error_text");
    visit("pm_error_hint");
    assert_int_equal(pm_error_text(NULL, PM_SPELLING_FIELD, text, sizeof text), 0);
    assert_int_equal(pm_error_hint(NULL, PM_SPELLING_FIELD, text, sizeof text), 0);
    assert_string_equal(text, "");
}

TEST(resamplers_refuse_null) {
    const pm_clip_desc nothing = {.track_count = 0};
    expect_null("desc is NULL", pm_resample, NULL, &nothing_to_sample);
    expect_null("job is NULL", pm_resample, &nothing, NULL);
    expect_null("resampler is NULL", pm_resampler_create, &nothing, NULL);
    expect_null("resampler is NULL", pm_resampler_sample, NULL, &nothing_to_sample);
    pm_resampler *none = NULL, *pushed = NULL;
    size_t count;
    assert_int_equal(pm_resampler_open(&pushed, NULL), PM_OK);
    expect_null("resampler is NULL", pm_resampler_open, NULL);
    expect_null("resampler is NULL", pm_resampler_push, NULL, &nothing);
    expect_null("desc is NULL", pm_resampler_push, pushed, NULL);
    expect_null("resampler is NULL", pm_resampler_end, NULL);
    expect_null("resampler is NULL", pm_resampler_pull, NULL, &nothing_to_sample, &count);
    expect_null("job is NULL", pm_resampler_pull, pushed, NULL, &count);
    expect_null("count is NULL", pm_resampler_pull, pushed, &nothing_to_sample, NULL);
    pm_resampler_destroy(&pushed);
    pm_resampler_destroy(NULL);
    pm_resampler_destroy(&none);
    assert_null(none);
}

TEST(filters_refuse_null) {
    pm_filter *none = NULL;
    expect_null("engine is NULL", pm_filter_create, NULL, &clip_desc, 1, &none);
    expect_null("desc is NULL", pm_filter_create, engine, NULL, 1, &none);
    expect_null("filter is NULL", pm_filter_create, engine, &clip_desc, 1, NULL);
    expect_null("filter is NULL", pm_filter_sample, NULL, &nothing_to_sample);
    pm_filter_destroy(NULL);
    pm_filter_destroy(&none);
    assert_null(none);
}

TEST(clips_and_jobs_refuse_null) {
    pm_clip *made = clip;
    expect_null("desc is NULL", pm_clip_check, NULL);
    expect_null("engine is NULL", pm_clip_create, NULL, &clip_desc, &made);
    expect_null("desc is NULL", pm_clip_create, engine, NULL, &made);
    expect_null("clip is NULL", pm_clip_create, engine, &clip_desc, NULL);
    expect_null("clip is NULL", pm_sample_check, NULL, &nothing_to_sample);
    expect_null("job is NULL", pm_sample_check, clip, NULL);
    expect_null("clip is NULL", pm_sample, NULL, &nothing_to_sample);
    expect_null("job is NULL", pm_sample, clip, NULL);
    assert_ptr_equal(made, clip);
}

TEST(coded_keys_refuse_null) {
    float numbers[4] = {0, 0, 0, 1};
    unsigned char codes[8] = {0};
    expect_null("rotations is NULL", pm_keys_encode, PM_KEYS_LOG48, NULL, 1, 1, codes);
    expect_null("coded is NULL", pm_keys_encode, PM_KEYS_LOG48, numbers, 1, 1, NULL);
    expect_null("rotations is NULL", pm_keys_decode, PM_KEYS_LOG48, codes, 1, 1, NULL);
    expect_null("coded is NULL", pm_keys_decode, PM_KEYS_LOG48, NULL, 1, 1, numbers);
    visit("pm_keys_row_bytes");
    assert_int_equal(pm_keys_row_bytes(PM_KEYS_LOG48, 1), sizeof codes);
    assert_int_equal(pm_keys_row_bytes(PM_KEYS_FLOAT32, 1), 0);
}

TEST(crowds_refuse_null) {
    float records[12];
    pm_skeleton *made_skeleton = skeleton;
    pm_crowd *made = crowd;
    const pm_crowd_desc desc = {.skeleton = skeleton, .clips = &clip_desc, .clip_count = 1};
    const pm_crowd_desc boneless = {.clips = &clip_desc, .clip_count = 1};
    const pm_crowd_desc still = {.skeleton = skeleton, .clip_count = 1};
    const pm_crowd_target target = {.output = PM_CROWD_LOCAL, .memory = records};
    const pm_crowd_job nobody = {.instance_count = 1, .outputs = &target, .output_count = 1};
    expect_null("desc is NULL", pm_skeleton_create, NULL, &made_skeleton);
    expect_null("skeleton is NULL", pm_skeleton_create, &skeleton_desc, NULL);
    expect_null("engine is NULL", pm_crowd_create, NULL, &desc, &made);
    expect_null("desc is NULL", pm_crowd_create, engine, NULL, &made);
    expect_null("crowd is NULL", pm_crowd_create, engine, &desc, NULL);
    expect_null("skeleton is NULL", pm_crowd_create, engine, &boneless, &made);
    expect_null("clips is NULL", pm_crowd_create, engine, &still, &made);
    expect_null("crowd is NULL", pm_crowd_check_instances, NULL, &instance, 1);
    expect_null("instances is NULL", pm_crowd_check_instances, crowd, NULL, 1);
    expect_null("crowd is NULL", pm_crowd_pose, NULL, &nothing_to_pose);
    expect_null("job is NULL", pm_crowd_pose, crowd, NULL);
    expect_null("instances is NULL", pm_crowd_pose, crowd, &nobody);
    const pm_crowd_one one = {.instance = &instance, .output = PM_CROWD_LOCAL};
    const pm_crowd_layer layer = {0};
    expect_null("crowd is NULL", pm_crowd_check_layers, NULL, &layer, 1);
    expect_null("layers is NULL", pm_crowd_check_layers, crowd, NULL, 1);
    expect_null("crowd is NULL", pm_crowd_pose_one, NULL, &one, records);
    expect_null("one is NULL", pm_crowd_pose_one, crowd, NULL, records);
    expect_null("records is NULL", pm_crowd_pose_one, crowd, &one, NULL);
    uint32_t id = 0;
    expect_null("crowd is NULL", pm_crowd_add_clips, NULL, &clip_desc, NULL, 1, &id);
    expect_null("clips is NULL", pm_crowd_add_clips, crowd, NULL, NULL, 1, &id);
    expect_null("ids is NULL", pm_crowd_add_clips, crowd, &clip_desc, NULL, 1, NULL);
    expect_null("crowd is NULL", pm_crowd_remove_clips, NULL, &id, 1);
    expect_null("ids is NULL", pm_crowd_remove_clips, crowd, NULL, 1);
    assert_ptr_equal(made_skeleton, skeleton);
    assert_ptr_equal(made, crowd);
}

TEST(root_motion_refuses_null) {
    pm_root_motion root_motion;
    expect_null("crowd is NULL", pm_crowd_root_motion, NULL, &instance, &instance, 1, &root_motion);
    expect_null("before is NULL", pm_crowd_root_motion, crowd, NULL, &instance, 1, &root_motion);
    expect_null("after is NULL", pm_crowd_root_motion, crowd, &instance, NULL, 1, &root_motion);
    expect_null("motions is NULL", pm_crowd_root_motion, crowd, &instance, &instance, 1, NULL);
}

TEST(root_motion_in_transition_refuses_null) {
    static const char states[256];
    const int64_t times[2] = {0, 1};
    pm_root_motion root_motion;
    expect_null("crowd is NULL", pm_crowd_root_motion_in_transition, NULL, &instance, &instance, 1,
                states, 0, times, &root_motion);
    expect_null("before is NULL", pm_crowd_root_motion_in_transition, crowd, NULL, &instance, 1,
                states, 0, times, &root_motion);
    expect_null("after is NULL", pm_crowd_root_motion_in_transition, crowd, &instance, NULL, 1,
                states, 0, times, &root_motion);
    expect_null("states is NULL", pm_crowd_root_motion_in_transition, crowd, &instance, &instance,
                1, NULL, 0, times, &root_motion);
    expect_null("times is NULL", pm_crowd_root_motion_in_transition, crowd, &instance, &instance, 1,
                states, 0, NULL, &root_motion);
    expect_null("motions is NULL", pm_crowd_root_motion_in_transition, crowd, &instance, &instance,
                1, states, 0, times, NULL);
}

TEST(transitions_refuse_null) {
    const pm_crowd_transition change = {.duration = 1};
    expect_null("crowd is NULL", pm_crowd_begin_transitions, NULL, &change);
    expect_null("change is NULL", pm_crowd_begin_transitions, crowd, NULL);
}

TEST(markers_refuse_null) {
    pm_crowd_event event;
    size_t found = 5;
    int64_t synced = 5;
    expect_null("crowd is NULL", pm_crowd_events, NULL, &instance, &instance, 1, &event, 1, &found);
    expect_null("before is NULL", pm_crowd_events, crowd, NULL, &instance, 1, &event, 1, &found);
    expect_null("after is NULL", pm_crowd_events, crowd, &instance, NULL, 1, &event, 1, &found);
    expect_null("events is NULL", pm_crowd_events, crowd, &instance, &instance, 1, NULL, 1, &found);
    expect_null("event_count is NULL", pm_crowd_events, crowd, &instance, &instance, 1, &event, 1,
                NULL);
    expect_null("crowd is NULL", pm_crowd_synced_time, NULL, 0, 0, 0, &synced);
    expect_null("synced is NULL", pm_crowd_synced_time, crowd, 0, 0, 0, NULL);
    assert_true(found == 5 && synced == 5);
    const pm_crowd_markers missing = {.count = 1};
    const pm_crowd_desc desc = {
        .skeleton = skeleton, .clips = &clip_desc, .clip_count = 1, .markers = &missing};
    pm_crowd *made = crowd;
    expect_null("clips[0]: markers is NULL", pm_crowd_create, engine, &desc, &made);
    assert_ptr_equal(made, crowd);
}

/* Destroying NULL has no effect. */
TEST(null_may_be_destroyed) {
    pm_engine *no_engine = NULL;
    pm_clip *no_clip = NULL;
    pm_skeleton *no_skeleton = NULL;
    pm_crowd *no_crowd = NULL;
    pm_engine_destroy(NULL);
    pm_engine_destroy(&no_engine);
    pm_clip_destroy(NULL);
    pm_clip_destroy(&no_clip);
    pm_skeleton_destroy(NULL);
    pm_skeleton_destroy(&no_skeleton);
    pm_crowd_destroy(NULL);
    pm_crowd_destroy(&no_crowd);
}

TEST(null_has_no_size_and_no_content) {
    assert_int_equal(pm_skeleton_joint_count(NULL), 0);
    assert_int_equal(pm_crowd_transition_bytes(NULL), 0);
    assert_int_equal(pm_crowd_plant_bytes(NULL), 0);
    assert_null(pm_skeleton_order(NULL));
    assert_null(pm_skeleton_slots(NULL));
    assert_true(pm_crowd_clip_ticks(NULL, 0) == 0);
    assert_true(pm_crowd_clip_ticks(NULL, SIZE_MAX) == 0);
}

TEST(null_is_described_by_zeros) {
    pm_device_info device;
    pm_clip_info of_clip;
    pm_crowd_info of_crowd;
    memset(&device, 0x5A, sizeof device);
    memset(&of_clip, 0x5A, sizeof of_clip);
    memset(&of_crowd, 0x5A, sizeof of_crowd);
    pm_engine_get_info(NULL, &device);
    pm_clip_get_info(NULL, &of_clip);
    pm_crowd_get_info(NULL, &of_crowd);
    assert_true(device.index == 0 && device.type == 0 && !device.name[0] && !device.platform[0]);
    assert_true(!device.driver[0] && device.memory_bytes == 0 && device.compute_units == 0);
    assert_true(device.max_allocation_bytes == 0 && !device.claims.fma && !device.next);
    assert_true(of_clip.track_count == 0 && !of_clip.has_rotations && !of_clip.has_positions);
    assert_true(!of_clip.has_scales && of_clip.method == 0 && of_clip.device_bytes == 0);
    assert_true(of_clip.first_time == 0 && of_clip.last_time == 0);
    assert_true(of_crowd.joint_count == 0 && of_crowd.clip_count == 0);
    assert_true(!of_crowd.has_positions && !of_crowd.has_scales && of_crowd.device_bytes == 0);
    pm_engine_get_info(engine, NULL);
    pm_clip_get_info(clip, NULL);
    pm_crowd_get_info(crowd, NULL);
    pm_engine_get_info(NULL, NULL);
    pm_clip_get_info(NULL, NULL);
    pm_crowd_get_info(NULL, NULL);
}

TEST(conversions_of_null_return_false) {
    const double q[4] = {0, 0, 0, 1}, three[3] = {0, 0, 1}, nine[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double to_quaternion[4], to_angles[3], to_matrix[9], to_axes[3];
    expect_visited_false(to_quaternion, pm_quat_from_euler, PM_EULER_XYZ, NULL, to_quaternion);
    expect_visited_false(to_quaternion, pm_quat_from_euler, PM_EULER_XYZ, three, NULL);
    expect_visited_false(to_angles, pm_euler_from_quat, PM_EULER_XYZ, NULL, three, to_angles);
    expect_visited_false(to_angles, pm_euler_from_quat, PM_EULER_XYZ, q, three, NULL);
    expect_visited_false(to_matrix, pm_matrix_from_quat, NULL, to_matrix);
    expect_visited_false(to_matrix, pm_matrix_from_quat, q, NULL);
    expect_visited_false(to_quaternion, pm_quat_from_matrix, NULL, to_quaternion);
    expect_visited_false(to_quaternion, pm_quat_from_matrix, nine, NULL);
    expect_visited_false(to_axes, pm_bone_axes, NULL, three, 1, to_axes);
    expect_visited_false(to_axes, pm_bone_axes, parents, NULL, 1, to_axes);
    expect_visited_false(to_axes, pm_bone_axes, parents, three, 1, NULL);
    expect_visited_false(to_axes, pm_principal_axis, NULL, 3, to_axes);
    expect_visited_false(to_axes, pm_principal_axis, nine, 3, NULL);
    assert_true(pm_euler_from_quat(PM_EULER_XYZ, q, NULL, to_angles)); /* which is optional */
    assert_true(pm_bone_axes(NULL, NULL, 0, NULL));
}

TEST(names_of_null_are_not_found) {
    pm_method found[1];
    expect_visited_false(found, pm_method_find, NULL, found);
    expect_visited_false(found, pm_method_find, "slerp", NULL);
    expect_visited_false(found, pm_method_find, "no such method", found);
    pm_euler_order order[1];
    expect_visited_false(order, pm_euler_order_find, NULL, order);
    expect_visited_false(order, pm_euler_order_find, "ZXY", NULL);
    expect_visited_false(order, pm_euler_order_find, "zxy", order);
}

/* ---- a caller's OpenCL objects ---------------------------------------------------------------- */

#if POSEMILL_OPENCL

/* Never used: NULL is refused first. */
#define NO_OBJECT(type) ((type)(void *)&clip)

TEST(calls_on_opencl_objects_refuse_null) {
    pm_engine *made = engine;
    const cl_context context = NO_OBJECT(cl_context);
    const cl_device_id device = NO_OBJECT(cl_device_id);
    const cl_command_queue queue = NO_OBJECT(cl_command_queue);
    const pm_cl_target no_context = {.device = device}, no_device = {.context = context};
    const pm_cl_outputs outputs = {0};
    const pm_cl_crowd_job job = {0};
    const pm_cl_crowd_transition change = {.next = NULL};
    const pm_cl_keys no_keys = {.next = NULL};
    const pm_points_job points_job = {.count = 1};
    const pm_cl_points fields = {.next = NULL};
    pm_clip *no_clip = NULL;
    pm_filter *no_filter = NULL;
    expect_null("context is NULL", pm_cl_engine_create, NULL, device, NULL, &made);
    expect_null("device is NULL", pm_cl_engine_create, context, NULL, NULL, &made);
    expect_null("engine is NULL", pm_cl_engine_create, context, device, NULL, NULL);
    expect_null("targets is NULL", pm_cl_engine_create_multi, NULL, 1, NULL, &made);
    expect_null("engine is NULL", pm_cl_engine_create_multi, &no_device, 1, NULL, NULL);
    expect_null("targets[0].context is NULL", pm_cl_engine_create_multi, &no_context, 1, NULL,
                &made);
    expect_null("targets[0].device is NULL", pm_cl_engine_create_multi, &no_device, 1, NULL, &made);
    expect_null("clip is NULL", pm_cl_sample, NULL, &nothing_to_sample, &outputs, queue, 0, NULL,
                NULL);
    expect_null("job is NULL", pm_cl_sample, clip, NULL, &outputs, queue, 0, NULL, NULL);
    expect_null("outputs is NULL", pm_cl_sample, clip, &nothing_to_sample, NULL, queue, 0, NULL,
                NULL);
    expect_null("queue is NULL", pm_cl_sample, clip, &nothing_to_sample, &outputs, NULL, 0, NULL,
                NULL);
    expect_null("wait_list is NULL", pm_cl_sample, clip, &nothing_to_sample, &outputs, queue, 1,
                NULL, NULL);
    expect_null("filter is NULL", pm_cl_filter_sample, NULL, &nothing_to_sample, &outputs, queue, 0,
                NULL, NULL);
    expect_null("engine is NULL", pm_cl_clip_create, NULL, &clip_desc, &no_keys, 0, NULL, &no_clip);
    expect_null("desc is NULL", pm_cl_clip_create, engine, NULL, &no_keys, 0, NULL, &no_clip);
    expect_null("keys is NULL", pm_cl_clip_create, engine, &clip_desc, NULL, 0, NULL, &no_clip);
    expect_null("wait_list is NULL", pm_cl_clip_create, engine, &clip_desc, &no_keys, 1, NULL,
                &no_clip);
    expect_null("clip is NULL", pm_cl_clip_create, engine, &clip_desc, &no_keys, 0, NULL, NULL);
    expect_null("engine is NULL", pm_cl_filter_create, NULL, &clip_desc, 5, &no_keys, 0, NULL,
                &no_filter);
    expect_null("desc is NULL", pm_cl_filter_create, engine, NULL, 5, &no_keys, 0, NULL,
                &no_filter);
    expect_null("keys is NULL", pm_cl_filter_create, engine, &clip_desc, 5, NULL, 0, NULL,
                &no_filter);
    expect_null("wait_list is NULL", pm_cl_filter_create, engine, &clip_desc, 5, &no_keys, 1, NULL,
                &no_filter);
    expect_null("filter is NULL", pm_cl_filter_create, engine, &clip_desc, 5, &no_keys, 0, NULL,
                NULL);
    assert_true(!no_clip && !no_filter);
    expect_null("crowd is NULL", pm_cl_crowd_begin_transitions, NULL, &change, queue, 0, NULL,
                NULL);
    expect_null("change is NULL", pm_cl_crowd_begin_transitions, crowd, NULL, queue, 0, NULL, NULL);
    expect_null("queue is NULL", pm_cl_crowd_begin_transitions, crowd, &change, NULL, 0, NULL,
                NULL);
    expect_null("wait_list is NULL", pm_cl_crowd_begin_transitions, crowd, &change, queue, 1, NULL,
                NULL);
    expect_null("crowd is NULL", pm_cl_crowd_pose, NULL, &job, queue, 0, NULL, NULL);
    expect_null("job is NULL", pm_cl_crowd_pose, crowd, NULL, queue, 0, NULL, NULL);
    expect_null("queue is NULL", pm_cl_crowd_pose, crowd, &job, NULL, 0, NULL, NULL);
    expect_null("wait_list is NULL", pm_cl_crowd_pose, crowd, &job, queue, 1, NULL, NULL);
    expect_null("job is NULL", pm_cl_move_points, NULL, &fields, queue, 0, NULL, NULL);
    expect_null("fields is NULL", pm_cl_move_points, &points_job, NULL, queue, 0, NULL, NULL);
    expect_null("queue is NULL", pm_cl_move_points, &points_job, &fields, NULL, 0, NULL, NULL);
    expect_null("wait_list is NULL", pm_cl_move_points, &points_job, &fields, queue, 1, NULL, NULL);
    assert_ptr_equal(made, engine);
}

TEST(the_device_queries_of_null_return_null) {
    assert_null(pm_cl_context(NULL));
    assert_null(pm_cl_device(NULL));
}

#endif

/* ---- completeness --------------------------------------------------------------------------------- */

/* Functions are declared "PM_API type name(parameters)". */
static size_t expect_all_visited(const char *header) {
    char path[1024];
    snprintf(path, sizeof path, "%s/include/posemill/%s", POSEMILL_SOURCE_DIR, header);
    SCOPED(free_at) char *text = test_folder_read(path, NULL);
    size_t functions = 0;
    for (const char *at = strstr(text, "\nPM_API "); at; at = strstr(at + 1, "\nPM_API ")) {
        const char *end = strchr(at, '('), *name = end;
        assert_non_null(end);
        while (name[-1] == '_' || (name[-1] >= 'a' && name[-1] <= 'z'))
            name--;
        if (!was_visited(name, (size_t)(end - name)))
            fail_msg("%s: %.*s is not tested here", header, (int)(end - name), name);
        functions++;
    }
    return functions;
}

TEST(no_function_of_the_headers_is_left_out) {
    static const char *const no_status[] = {
        /* nor a pointer */
        "pm_version", "pm_version_number", "pm_processors", "pm_status_name", "pm_method_get_info",
        "pm_crowd_record_bytes", "pm_crowd_ticks", "pm_method_count", "pm_method_latency",
        "pm_crowd_output_count", "pm_euler_order_count", "pm_euler_order_name",
        /* see above */
        "pm_engine_destroy", "pm_clip_destroy", "pm_skeleton_destroy", "pm_crowd_destroy",
        "pm_resampler_destroy", "pm_filter_destroy", "pm_skeleton_joint_count", "pm_skeleton_order",
        "pm_skeleton_slots", "pm_crowd_clip_ticks", "pm_engine_get_info", "pm_clip_get_info",
        "pm_crowd_get_info", "pm_crowd_transition_bytes", "pm_crowd_plant_bytes",
        "pm_engine_host_threads", "pm_cl_context", "pm_cl_device"};
    for (size_t i = 0; i < COUNT_OF(no_status); i++)
        visit(no_status[i]);
    assert_true(expect_all_visited("posemill.h") >= 20);
    assert_true(expect_all_visited("posemill_crowd.h") >= 10);
#if POSEMILL_OPENCL
    assert_true(expect_all_visited("posemill_cl.h") >= 6);
#endif
}

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
    FOR_NONE_OF(PM_ERROR_CANCELLED + 1, number) {
        assert_string_equal(pm_status_name((pm_status)*number), "unknown");
    }
    FOR_NONE_OF(PM_METHOD_COUNT, number) {
        assert_null(pm_method_get_info((pm_method)*number));
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
        assert_null(pm_euler_order_name(order));
        expect_false(to_quaternion, pm_quat_from_euler, order, angles, to_quaternion);
        expect_false(to_angles, pm_euler_from_quat, order, q, NULL, to_angles);
    }
}

TEST(invalid_parents_return_false) {
    static const int32_t wrong[][3] = {{0, 0, 0},  {1, 0, 0},          {-2, 0, 0},
                                       {-1, 1, 0}, {-1, 0, INT32_MAX}, {-1, INT32_MIN, 0}};
    const double offsets[9] = {0, 1, 0, 0, 1, 0, 0, 1, 0};
    double axes[9];
    for (size_t n = 0; n < COUNT_OF(wrong); n++)
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
    for (size_t n = 0; n < COUNT_OF(options); n++) {
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
    desc.tangents_in = desc.tangents_out = of_keys;
    desc.positions_in = desc.positions_out = desc.scales_in = desc.scales_out = of_vectors;
    const struct {
        pm_array *array;
        pm_method method;
        const char *words;
    } arrays[] = {{&desc.rotations, PM_METHOD_SLERP, "rotations"},
                  {&desc.positions, PM_METHOD_SLERP, "positions"},
                  {&desc.scales, PM_METHOD_SLERP, "scales"},
                  {&desc.user_tangents, PM_METHOD_SQUAD, ".tangents: has"},
                  {&desc.axes, PM_METHOD_STERP, ".axis: has"},
                  {&desc.tangents_in, PM_METHOD_CUBICSPLINE, ".tangents_in: has"},
                  {&desc.tangents_out, PM_METHOD_CUBICSPLINE, ".tangents_out: has"},
                  {&desc.positions_in, PM_METHOD_CUBICSPLINE, "positions_in"},
                  {&desc.positions_out, PM_METHOD_CUBICSPLINE, "positions_out"},
                  {&desc.scales_in, PM_METHOD_CUBICSPLINE, "scales_in"},
                  {&desc.scales_out, PM_METHOD_CUBICSPLINE, "scales_out"}};
    for (size_t n = 0; n < COUNT_OF(arrays); n++) {
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
        expect_error(pm_crowd_pose_one(
                         crowd,
                         &(pm_crowd_one){.instance = &instance, .output = (pm_crowd_output)*number},
                         out, new_error()),
                     PM_ERROR_ARGUMENT, "output");
    }
    assert_true(is_filled(out, sizeof out, 0x5A));
}

static pm_error error;

TEST(descriptions_with_a_next_are_refused) {
    pm_engine *none = NULL;
    pm_skeleton *no_skeleton = NULL;
    pm_crowd *no_crowd = NULL;
    pm_engine_desc engine_desc = {.device = "none"};
    expect_next_refused(pm_engine_desc, engine_desc, &error,
                        pm_engine_create(&engine_desc, &none, &error));
    pm_clip_desc of_clip = clip_desc;
    expect_next_refused(pm_clip_desc, of_clip, &error, pm_clip_check(&of_clip, &error));
    pm_level level = {.update_every = 1};
    pm_skeleton_desc of_skeleton = skeleton_desc;
    of_skeleton.levels = &level;
    of_skeleton.level_count = 1;
    expect_next_refused(pm_skeleton_desc, of_skeleton, &error,
                        pm_skeleton_create(&of_skeleton, &no_skeleton, &error));
    expect_next_refused(pm_level, level, &error,
                        pm_skeleton_create(&of_skeleton, &no_skeleton, &error));
    static const uint32_t first = 0;
    pm_subset subset = {.joints = &first, .joint_count = 1};
    of_skeleton.subsets = &subset;
    of_skeleton.subset_count = 1;
    expect_next_refused(pm_subset, subset, &error,
                        pm_skeleton_create(&of_skeleton, &no_skeleton, &error));
    pm_crowd_desc of_crowd = {.skeleton = skeleton, .clips = &clip_desc, .clip_count = 1};
    expect_next_refused(pm_crowd_desc, of_crowd, &error,
                        pm_crowd_create(engine, &of_crowd, &no_crowd, &error));
    pm_crowd_markers markers = {.count = 0};
    of_crowd.markers = &markers;
    expect_next_refused(pm_crowd_markers, markers, &error,
                        pm_crowd_create(engine, &of_crowd, &no_crowd, &error));
    assert_true(!none && !no_skeleton && !no_crowd);
}

TEST(jobs_with_a_next_are_refused) {
    float rotation[4], palette[12];
    pm_sample_job job = {.sample_count = 1, .rate = {1, 1}, .rotations = rotation};
    expect_next_refused(pm_sample_job, job, &error, pm_sample(clip, &job, &error));
    expect_next_refused(pm_sample_job, job, &error, pm_sample_check(clip, &job, &error));
    expect_ok(pm_sample(clip, &job, &error), &error);
    pm_crowd_target target = {.output = PM_CROWD_PALETTE, .memory = palette};
    pm_crowd_job poses = {
        .instances = &instance, .instance_count = 1, .outputs = &target, .output_count = 1};
    expect_next_refused(pm_crowd_job, poses, &error, pm_crowd_pose(crowd, &poses, &error));
    expect_next_refused(pm_crowd_target, target, &error, pm_crowd_pose(crowd, &poses, &error));
    expect_ok(pm_crowd_pose(crowd, &poses, &error), &error);
    pm_crowd_one one = {.instance = &instance};
    expect_next_refused(pm_crowd_one, one, &error, pm_crowd_pose_one(crowd, &one, palette, &error));
    expect_ok(pm_crowd_pose_one(crowd, &one, palette, &error), &error);
}

TEST_GROUP(make_all, free_all)
