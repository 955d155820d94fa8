/* SPDX-License-Identifier: MIT
 *
 * Tests of where a resampling is computed if no device is named: devices are looked for only where there
 * are many numbers, only a GPU repays being opened, and files share the engines that are made.
 */
#include "motion/steps/engines.h"
#include "support/motion_hand.h"

#include <stdio.h>
#include <string.h>

enum { MANY = 1 << 26 }; /* numbers, as posemill_motion.h says */

/* ---- devices ------------------------------------------------------------------------------- */

static pm_device_type listed[4];
static size_t listed_count, times_listed;
static pm_status listing;

pm_status __wrap_pm_list_devices(pm_device_info *infos, size_t capacity, size_t *count,
                                 pm_error *error);
pm_status __wrap_pm_list_devices(pm_device_info *infos, size_t capacity, size_t *count,
                                 pm_error *error) {
    (void)error;
    times_listed++;
    for (size_t i = 0; i < capacity && i < listed_count; i++)
        infos[i] = (pm_device_info){.type = listed[i]};
    *count = listed_count;
    return listing;
}

static void list(size_t count, const pm_device_type types[]) {
    listing = PM_OK;
    times_listed = 0;
    listed_count = count;
    for (size_t i = 0; i < count; i++)
        listed[i] = types[i];
}

static const pm_device_type gpu[] = {PM_DEVICE_CPU, PM_DEVICE_GPU};

/* Engines are in plain C here; the names of the devices that they were to have. */
static char opened[8][8];
static size_t opened_count;

pm_status __real_pm_engine_create(const pm_engine_desc *desc, pm_engine **engine, pm_error *error);
pm_status __wrap_pm_engine_create(const pm_engine_desc *desc, pm_engine **engine, pm_error *error);
pm_status __wrap_pm_engine_create(const pm_engine_desc *desc, pm_engine **engine, pm_error *error) {
    pm_engine_desc plain = *desc;
    snprintf(opened[opened_count++ % COUNT_OF(opened)], sizeof *opened, "%s", desc->device);
    plain.device = "none";
    return __real_pm_engine_create(&plain, engine, error);
}

/* ---- motions ------------------------------------------------------------------------------- */

/* Clips of a position with two keys, which are a second apart and never read. */
static pm_motion *motion_of(size_t clips) {
    static const double unread;
    pm_motion *motion = hand_motion(1, clips);
    for (size_t i = 0; i < clips; i++) {
        pm_motion_clip *clip = hand_clip(motion, i, 1, 1);
        clip->rate = (pm_rational){1, 1};
        *hand_timeline(clip, 0) = (pm_timeline){.key_count = 2, .rate = clip->rate};
        pm_motion_channel *channel = hand_channel(clip, 0);
        channel->path = PM_MOTION_POSITION;
        channel->components = 3;
        channel->interpolation = PM_MOTION_LINEAR;
        channel->keys = (pm_array){.data = &unread, .type = PM_FLOAT64};
    }
    return motion;
}

/* Three numbers at each multiple of 1/rate from 0 to 1. */
static pm_motion_resample_options options_of(int64_t numbers) {
    return (pm_motion_resample_options){.rate = {numbers / 3 - 1, 1}};
}

static bool repays(size_t clips, const pm_motion_resample_options *options) {
    SCOPED(pm_motion_destroy) pm_motion *motion = motion_of(clips);
    const bool found = pm_motion_repays_device(motion, options);
    return found;
}

/* ---- the choice ---------------------------------------------------------------------------- */

TEST(devices_are_looked_for_only_where_there_are_many_numbers) {
    const pm_motion_resample_options few = options_of(MANY - 1), many = options_of(MANY + 2);
    list(2, gpu);
    assert_false(repays(1, &few));
    assert_int_equal(times_listed, 0);
    assert_true(repays(1, &many));
    assert_true(times_listed > 0);
}

TEST(numbers_of_all_clips_that_are_resampled_count) {
    const size_t first[] = {0};
    pm_motion_resample_options half = options_of(MANY / 2 + 6);
    list(2, gpu);
    assert_true(repays(2, &half));
    half.clips = first;
    half.clip_count = 1;
    assert_false(repays(2, &half));
}

/* 10^8 numbers at half the rate of the keys, of which the first clip has a step more. */
TEST(samples_on_keys_do_not_count) {
    const pm_rational rate = {99999998, 1};
    const pm_motion_resample_options half = {.rate = {rate.num / 2, 1}};
    for (int shifted = 0; shifted <= 1; shifted++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = motion_of(1);
        pm_motion_clip *clip = (pm_motion_clip *)motion->content.clips;
        pm_timeline *timeline = (pm_timeline *)clip->timelines;
        clip->rate = timeline->rate = (pm_rational){rate.num + shifted, 1};
        timeline->key_count = (size_t)rate.num + 1;
        list(2, gpu);
        assert_int_equal(pm_motion_repays_device(motion, &half), shifted);
    }
}

TEST(only_a_gpu_repays_being_opened) {
    static const struct {
        pm_device_type type;
        bool repays;
    } rows[] = {{PM_DEVICE_GPU, true},
                {PM_DEVICE_DISCRETE_GPU, true},
                {PM_DEVICE_CPU, false},
                {PM_DEVICE_OTHER, false}};
    const pm_motion_resample_options many = options_of(2 * (int64_t)MANY);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const pm_device_type types[] = {PM_DEVICE_CPU, rows[i].type};
        list(2, types);
        assert_int_equal(repays(1, &many), rows[i].repays);
    }
    list(0, gpu);
    assert_false(repays(1, &many));
    list(2, gpu);
    listing = PM_ERROR_NO_PLATFORM;
    assert_false(repays(1, &many));
}

TEST(a_check_is_of_a_device) {
    pm_motion_resample_options few = options_of(300);
    few.check = true;
    list(0, gpu);
    assert_true(repays(1, &few));
    assert_int_equal(times_listed, 0);
}

TEST(refused_options_repay_nothing) {
    pm_motion_resample_options refused = options_of(2 * (int64_t)MANY);
    list(2, gpu);
    refused.rate.den = 0;
    refused.check = true;
    assert_false(repays(1, &refused));
    refused = options_of(2 * (int64_t)MANY);
    refused.max_samples = 10;
    assert_false(repays(1, &refused));
    assert_int_equal(times_listed, 0);
    assert_false(pm_motion_repays_device(NULL, &refused));
    SCOPED(pm_motion_destroy) pm_motion *motion = motion_of(1);
    assert_false(pm_motion_repays_device(motion, NULL));
}

/* ---- engines ------------------------------------------------------------------------------- */

static char told[4][160];
static pm_log_level told_level[4];
static size_t told_count;

static void hear(void *user, pm_log_level level, const pm_error *remark) {
    char message[PM_ERROR_TEXT_SIZE];
    pm_error_text(remark, PM_SPELLING_COMMAND, message, sizeof message);
    assert_ptr_equal(user, told);
    told_level[told_count % COUNT_OF(told)] = level;
    snprintf(told[told_count++ % COUNT_OF(told)], sizeof *told, "%.150s", message);
}

static pm_engine *choose(task_engines *engines, int64_t numbers) {
    const pm_motion_resample_options options = options_of(numbers);
    SCOPED(pm_motion_destroy) pm_motion *motion = motion_of(1);
    pm_engine *engine = NULL;
    told_count = 0;
    expect_success(
        task_engines_choose(engines, motion, &options, "a.bvh", hear, told, &engine, new_error()));
    return engine;
}

TEST(files_share_an_engine_in_plain_c_and_one_on_the_device) {
    const pm_engine_desc automatic = {.device = NULL};
    task_engines engines;
    list(2, gpu);
    opened_count = 0;
    task_engines_begin(&engines, NULL, &automatic);
    pm_engine *plain = choose(&engines, 300);
    assert_non_null(plain);
    assert_int_equal(told_count, 1);
    assert_int_equal(told_level[0], PM_LOG_INFO);
    assert_string_equal(told[0], "a.bvh: in plain C: no device is opened for 300 numbers");
    pm_engine *device = choose(&engines, 2 * (int64_t)MANY);
    assert_non_null(device);
    assert_ptr_not_equal(device, plain);
    assert_ptr_equal(choose(&engines, 600), plain);
    assert_ptr_equal(choose(&engines, 3 * (int64_t)MANY), device);
    assert_int_equal(opened_count, 2);
    assert_string_equal(opened[0], "none");
    assert_string_equal(opened[1], "auto");
    task_engines_end(&engines);
}

TEST(many_numbers_without_a_gpu_are_computed_in_plain_c) {
    const pm_engine_desc automatic = {.device = "auto"};
    task_engines engines;
    list(1, gpu);
    opened_count = 0;
    task_engines_begin(&engines, NULL, &automatic);
    choose(&engines, 3 * (int64_t)MANY);
    assert_string_equal(told[0], "a.bvh: in plain C: there is no GPU for 201326592 numbers");
    assert_int_equal(opened_count, 1);
    assert_string_equal(opened[0], "none");
    task_engines_end(&engines);
}

/* The wrapped engine of "auto" is in plain C. */
TEST(a_device_that_was_to_be_opened_and_is_not_there_is_a_warning) {
    const pm_engine_desc automatic = {.device = "auto"};
    task_engines engines;
    list(2, gpu);
    task_engines_begin(&engines, NULL, &automatic);
    choose(&engines, 3 * (int64_t)MANY);
    assert_int_equal(told_count, 2);
    assert_int_equal(told_level[0], PM_LOG_WARNING);
    assert_non_null(strstr(told[0], "no OpenCL device found"));
    task_engines_end(&engines);
}

TEST(an_engine_that_is_given_computes_all_files) {
    const pm_engine_desc automatic = {.device = "auto"}, none = {.device = "none"};
    task_engines engines;
    SCOPED(pm_engine_destroy) pm_engine *given = NULL;
    expect_success(pm_engine_create(&none, &given, new_error()));
    list(2, gpu);
    opened_count = 0;
    task_engines_begin(&engines, given, &automatic);
    assert_ptr_equal(choose(&engines, 300), given);
    assert_ptr_equal(choose(&engines, 3 * (int64_t)MANY), given);
    assert_int_equal(told_count, 0);
    assert_int_equal(opened_count, 0);
    assert_int_equal(times_listed, 0);
    task_engines_end(&engines);
}

TEST_GROUP(NULL, NULL)
