/* SPDX-License-Identifier: MIT
 *
 * Results that drivers may return and those of the test machine never do: devices whose queries
 * fail, CL_OUT_OF_RESOURCES. The linker puts the functions here between the library and the driver.
 * Devices and sizes are random.
 */
#include <posemill/posemill_cl.h>

#include "support/engines.h"
#include "support/motion.h"
#include "support/wrapped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILURE = -9999 }; /* belongs to no driver */
enum { MAX_PLATFORMS = 4, MAX_DEVICES = 5 };

typedef enum answer { SOUND = 0, BROKEN } answer;

/* Platforms and devices as listed while `listed` is set: valid ones are copies of the real one. */
static struct {
    bool listed;
    size_t platforms;
    answer platform[MAX_PLATFORMS];
    size_t devices[MAX_PLATFORMS];
    answer device[MAX_PLATFORMS][MAX_DEVICES];
    cl_device_id real;
} fake;

static char fake_platforms[MAX_PLATFORMS], fake_device;

WRAPPED(cl_int, clGetPlatformIDs, cl_uint n, cl_platform_id *ids, cl_uint *count) {
    if (!fake.listed)
        return __real_clGetPlatformIDs(n, ids, count);
    for (size_t p = 0; ids && p < n; p++)
        ids[p] = (cl_platform_id)(void *)&fake_platforms[p];
    if (count)
        *count = (cl_uint)fake.platforms;
    return CL_SUCCESS;
}

WRAPPED(cl_int, clGetDeviceIDs, cl_platform_id id, cl_device_type type, cl_uint n,
        cl_device_id *ids, cl_uint *count) {
    if (!fake.listed)
        return __real_clGetDeviceIDs(id, type, n, ids, count);
    const size_t p = (size_t)((char *)(void *)id - fake_platforms);
    if (fake.platform[p] == BROKEN)
        return FAILURE;
    for (size_t d = 0; ids && d < n; d++)
        ids[d] = fake.device[p][d] == BROKEN ? (cl_device_id)(void *)&fake_device : fake.real;
    if (count)
        *count = (cl_uint)fake.devices[p];
    return fake.devices[p] ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

WRAPPED(cl_int, clGetDeviceInfo, cl_device_id id, cl_device_info what, size_t size, void *value,
        size_t *used) {
    if (id == (cl_device_id)(void *)&fake_device)
        return FAILURE;
    return __real_clGetDeviceInfo(id, what, size, value, used);
}

/* The results of launches and buffers. */
static struct {
    size_t launches;
    bool launches_fail;
    bool buffers_limited;
    size_t largest_buffer; /* largest size that is granted while buffers are limited */
    size_t buffers_refused;
} driver;

WRAPPED(cl_int, clEnqueueNDRangeKernel, cl_command_queue q, cl_kernel k, cl_uint dimensions,
        const size_t *offset, const size_t *global, const size_t *local, cl_uint n,
        const cl_event *wait, cl_event *event) {
    driver.launches++;
    if (driver.launches_fail)
        return CL_OUT_OF_RESOURCES;
    return __real_clEnqueueNDRangeKernel(q, k, dimensions, offset, global, local, n, wait, event);
}

WRAPPED(cl_mem, clCreateBuffer, cl_context c, cl_mem_flags flags, size_t size, void *data,
        cl_int *status) {
    if (driver.buffers_limited && size > driver.largest_buffer) {
        driver.buffers_refused++;
        *status = CL_OUT_OF_RESOURCES;
        return NULL;
    }
    return __real_clCreateBuffer(c, flags, size, data, status);
}

/* ---- lists of devices -------------------------------------------------------------------- */

/* Random, with at least one broken device. */
static void fake_list(random_source *source, answer others) {
    fake.platforms = 1 + random_bits(source) % MAX_PLATFORMS;
    for (size_t p = 0; p < fake.platforms; p++) {
        fake.devices[p] = random_bits(source) % (MAX_DEVICES + 1);
        fake.platform[p] = random_bits(source) % 5 == 0 ? BROKEN : SOUND;
        for (size_t d = 0; d < MAX_DEVICES; d++)
            fake.device[p][d] = random_bits(source) % 2 ? BROKEN : others;
    }
    const size_t p = random_bits(source) % fake.platforms;
    fake.devices[p] = 1 + random_bits(source) % MAX_DEVICES;
    fake.device[p][random_bits(source) % fake.devices[p]] = BROKEN;
}

static bool is_sound(size_t p, size_t d) {
    return fake.platform[p] == SOUND && fake.device[p][d] == SOUND;
}

static size_t sound_count(void) {
    size_t count = 0;
    for (size_t p = 0; p < fake.platforms; p++)
        for (size_t d = 0; d < fake.devices[p]; d++)
            count += is_sound(p, d);
    return count;
}

static void expect_list(const pm_device_info *infos, size_t count) {
    size_t i = 0;
    assert_int_equal(count, sound_count());
    for (size_t p = 0; p < fake.platforms; p++)
        for (size_t d = 0; d < fake.devices[p]; d++) {
            if (!is_sound(p, d))
                continue;
            assert_int_equal(infos[i].index, i);
            assert_int_equal(infos[i].platform_index, p);
            assert_int_equal(infos[i++].device_index, d);
        }
}

TEST_ON_DEVICE(a_device_that_fails_its_queries_is_left_out) {
    random_source source = random_salted(0xF21);
    pm_device_info infos[MAX_PLATFORMS * MAX_DEVICES];
    fake.real = pm_cl_device(engine_for(state));
    for (size_t round = 0; round < 50; round++) {
        size_t count = 999;
        fake_list(&source, SOUND);
        fake.listed = true;
        const pm_status status =
            pm_list_devices(infos, MAX_PLATFORMS * MAX_DEVICES, &count, new_error());
        fake.listed = false;
        if (sound_count() == 0) {
            assert_int_equal(status, PM_ERROR_DEVICE);
            assert_int_equal(last_error()->cl_status, FAILURE);
            assert_int_equal(count, 999);
            continue;
        }
        expect_success(status);
        expect_list(infos, count);
    }
}

static void log_counted(void *user, pm_log_level level, const char *message) {
    size_t *count = user;
    *count += level == PM_LOG_WARNING && strstr(message, "left out") != NULL;
}

static pm_status open_number(size_t p, size_t d, size_t *warnings, pm_error *error) {
    char name[64];
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    snprintf(name, sizeof name, "%zu:%zu", p, d);
    fake.listed = true;
    const pm_status status = pm_engine_create(
        &(pm_engine_desc){.device = name, .log = log_counted, .log_user = warnings}, &engine,
        error);
    fake.listed = false;
    return status;
}

/* Each valid device is opened by its number, and no other device replaces a broken one. */
TEST_ON_DEVICE(a_device_is_opened_by_its_number_among_broken_ones) {
    random_source source = random_salted(0xF22);
    fake.real = pm_cl_device(engine_for(state));
    do
        fake_list(&source, SOUND);
    while (sound_count() == 0);
    for (size_t p = 0; p < fake.platforms; p++)
        for (size_t d = 0; d < fake.devices[p]; d++) {
            size_t warnings = 0;
            const pm_status status = open_number(p, d, &warnings, new_error());
            assert_int_equal(status, is_sound(p, d) ? PM_OK : PM_ERROR_NO_DEVICE);
            assert_int_equal(warnings, 1);
            if (status != PM_OK)
                assert_non_null(strstr(last_error()->message, "left out"));
        }
}

/* "auto" does not choose the reference path if there is a device that is broken. */
TEST_ON_DEVICE(a_list_of_only_broken_devices_is_a_failure) {
    random_source source = random_salted(0xF23);
    static const char *const names[] = {"auto", "all", "cpu", "0", "0:0"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        pm_engine *engine = NULL;
        fake_list(&source, BROKEN);
        fake.listed = true;
        const pm_status status =
            pm_engine_create(&(pm_engine_desc){.device = names[i]}, &engine, new_error());
        fake.listed = false;
        assert_int_equal(status, PM_ERROR_DEVICE);
        assert_int_equal(last_error()->cl_status, FAILURE);
        assert_null(engine);
    }
}

/* ---- CL_OUT_OF_RESOURCES ---------------------------------------------------------------------- */

enum { KEYS = 9, TRACKS = 19, SAMPLES = 300 };

static pm_clip *small_clip(pm_engine *engine, motion *keys) {
    const pm_timeline timeline = {.key_count = KEYS, .rate = {10, 1}};
    *keys = motion_make(KEYS, TRACKS, 1.5, 0xF26);
    const pm_clip_desc desc = motion_desc(keys, &timeline, PM_METHOD_SLERP);
    return clip_make(engine, &desc);
}

/* Smaller pieces would fail too, so it is tried only once. */
TEST_ON_DEVICE(a_launch_without_resources_is_a_failure_of_the_device) {
    SCOPED(motion_free) motion keys;
    SCOPED(pm_clip_destroy) pm_clip *clip = small_clip(engine_for(state), &keys);
    SCOPED(guarded_free_at) float *out = guarded_floats(SAMPLES * TRACKS * 4);
    driver.launches = 0;
    driver.launches_fail = true;
    const pm_status status = pm_sample(
        clip, &(pm_sample_job){.sample_count = SAMPLES, .rate = {311, 1}, .rotations = out},
        new_error());
    driver.launches_fail = false;
    assert_int_equal(status, PM_ERROR_DEVICE);
    assert_int_equal(last_error()->cl_status, CL_OUT_OF_RESOURCES);
    assert_int_equal(driver.launches, 1);
}

/* A device with little memory; some drivers report that with this code. */
TEST_ON_DEVICE(a_buffer_without_resources_is_a_lack_of_memory) {
    random_source source = random_salted(0xF27);
    SCOPED(motion_free) motion keys;
    SCOPED(pm_clip_destroy) pm_clip *clip = small_clip(engine_for(state), &keys);
    SCOPED(free_at) double *times = test_array(SAMPLES, sizeof *times);
    SCOPED(guarded_free_at)
    float *out = guarded_floats(SAMPLES * TRACKS * 4),
          *expected = guarded_floats(SAMPLES * TRACKS * 4);
    for (size_t k = 0; k < SAMPLES; k++)
        times[k] = random_between(&source, 0, 1);
    pm_sample_job job = {.sample_count = SAMPLES, .times = times, .rotations = expected};
    sample_make(clip, &job);
    job.rotations = out;
    for (size_t round = 0; round < 5; round++) {
        driver.buffers_limited = true;
        driver.buffers_refused = 0;
        driver.largest_buffer = round ? 304 + random_bits(&source) % 1500 : 0;
        const pm_status status = pm_sample(clip, &job, new_error());
        driver.buffers_limited = false;
        assert_true(driver.buffers_refused > 0);
        assert_int_equal(status, round ? PM_OK : PM_ERROR_DEVICE_MEMORY);
        if (round)
            expect_same_bits(out, expected, SAMPLES * TRACKS * 4, 4);
        else
            assert_int_equal(last_error()->cl_status, CL_OUT_OF_RESOURCES);
    }
}

TEST_GROUP(NULL, engines_close)
