/* SPDX-License-Identifier: MIT
 *
 * Engines: the listing, naming and refusal of devices, and the information that engines and methods
 * return. Options that must not affect results: test_engine_options.c.
 */
#include "base/counts.h"
#include "support/engines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tests without a device ---- */

TEST(the_version_is_that_of_the_header) {
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", PM_VERSION_MAJOR, PM_VERSION_MINOR,
             PM_VERSION_PATCH);
    assert_string_equal(pm_version(), expected);
    assert_int_equal(pm_version_number(), PM_VERSION);
    assert_int_equal(PM_VERSION,
                     10000 * PM_VERSION_MAJOR + 100 * PM_VERSION_MINOR + PM_VERSION_PATCH);
}

TEST(every_method_describes_itself) {
    for (int i = 0; i < PM_METHOD_COUNT; i++) {
        const pm_method_info *info = pm_method_get_info((pm_method)i);
        assert_non_null(info);
        assert_int_equal(info->method, i);
        assert_true(info->name && info->title && info->continuity && info->advice);
        assert_true(strlen(info->title) > 0 && strlen(info->advice) > 0);
        assert_true(info->keys_used <= 4 && (info->keys_used > 0) == info->local);
        assert_true(info->floats_per_segment >= 4);
        const bool steep = i == PM_METHOD_HERMITE || i == PM_METHOD_SPLINE;
        assert_true(info->max_error <= (steep || i == PM_METHOD_STERP ? 5e-7 : 4e-7));
        assert_true(info->rms_error <= (steep ? 1.2e-7 : 1e-7));
        assert_int_equal(info->interpolating, i != PM_METHOD_BSPLINE);
        assert_true(info->vector_method > PM_VECTOR_AUTO && info->vector_method < PM_VECTOR_COUNT);
    }
}

TEST(every_method_is_found_by_its_name) {
    for (pm_method i = 0; i < PM_METHOD_COUNT; i++) {
        pm_method method = PM_METHOD_COUNT;
        assert_true(pm_method_find(pm_method_get_info(i)->name, &method));
        assert_int_equal(method, i);
    }
}

TEST_ON_REFERENCE(the_reference_needs_no_device_and_reports_its_name) {
    pm_device_info info;
    memset(&info, 0x5A, sizeof info);
    pm_engine_get_info(engine_for(state), &info);
    assert_int_equal(info.type, PM_DEVICE_REFERENCE);
    assert_int_equal(info.memory_bytes, 0);
    assert_non_null(memchr(info.name, '\0', sizeof info.name));
    assert_true(strlen(info.name) > 0);
}

TEST(no_other_device_replaces_a_requested_one) {
    static const char *const names[] = {"no such device",       "9999", "9999:0", "0:9999",
                                        "99999999999999999999", "-1",   ""};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        pm_engine *engine = NULL;
        const pm_engine_desc desc = {.device = names[i]};
        const pm_status status = pm_engine_create(&desc, &engine, new_error());
        assert_true(status == PM_ERROR_NO_DEVICE || status == PM_ERROR_NO_PLATFORM ||
                    (names[i][0] == '\0' && status == PM_ERROR_ARGUMENT));
        assert_int_equal(last_error()->status, status);
        assert_null(engine);
    }
}

/* ---- devices ---- */

static pm_device_info *list_all(size_t *count) {
    expect_success(pm_list_devices(NULL, 0, count, new_error()));
    pm_device_info *infos = test_array(*count, sizeof *infos);
    size_t again = 0;
    expect_success(pm_list_devices(infos, *count, &again, new_error()));
    assert_int_equal(again, *count);
    return infos;
}

TEST_ON_DEVICE(devices_are_listed_with_running_numbers) {
    size_t count = 0;
    SCOPED(free_at) pm_device_info *infos = list_all(&count);
    assert_true(count >= 1);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(infos[i].index, i);
        assert_true(strlen(infos[i].name) > 0 && strlen(infos[i].platform) > 0);
        assert_true(infos[i].type != PM_DEVICE_REFERENCE);
        assert_true(infos[i].memory_bytes >= infos[i].max_allocation_bytes);
        assert_true(infos[i].max_allocation_bytes > 0 && infos[i].compute_units > 0);
        if (i > 0 && infos[i].platform_index == infos[i - 1].platform_index)
            assert_int_equal(infos[i].device_index, infos[i - 1].device_index + 1);
    }
}

TEST_ON_DEVICE(a_list_longer_than_its_array_is_truncated_and_counted_in_full) {
    size_t count = 0, counted = 0;
    free(list_all(&count));
    pm_device_info infos[2];
    memset(infos, 0x5A, sizeof infos);
    expect_success(pm_list_devices(infos, 1, &counted, new_error()));
    assert_int_equal(counted, count);
    for (size_t i = 0; i < sizeof infos[1]; i++)
        assert_int_equal(((unsigned char *)&infos[1])[i], 0x5A);
}

static void expect_device(const char *name, const pm_device_info *expected) {
    pm_engine *engine = NULL;
    pm_device_info info;
    const pm_engine_desc desc = {.device = name};
    expect_success(pm_engine_create(&desc, &engine, new_error()));
    pm_engine_get_info(engine, &info);
    pm_engine_destroy(&engine);
    assert_string_equal(info.name, expected->name);
    assert_int_equal(info.index, expected->index);
    assert_int_equal(info.platform_index, expected->platform_index);
    assert_int_equal(info.device_index, expected->device_index);
}

TEST_ON_DEVICE(a_device_is_found_by_its_index_its_pair_and_its_name) {
    pm_device_info info;
    char text[64];
    pm_engine_get_info(engine_for(state), &info);
    snprintf(text, sizeof text, "%zu", info.index);
    expect_device(text, &info);
    snprintf(text, sizeof text, "%zu:%zu", info.platform_index, info.device_index);
    expect_device(text, &info);
    expect_device(info.name, &info);
}

TEST_ON_DEVICE(a_device_type_that_the_platform_does_not_have_is_refused) {
    size_t count = 0, gpus = 0;
    pm_device_info *infos = list_all(&count);
    for (size_t i = 0; i < count; i++)
        gpus += infos[i].type == PM_DEVICE_GPU || infos[i].type == PM_DEVICE_DISCRETE_GPU;
    free(infos);
    if (gpus > 0)
        skip();
    pm_engine *engine = NULL;
    const pm_engine_desc desc = {.device = "gpu"};
    expect_error(pm_engine_create(&desc, &engine, new_error()), PM_ERROR_NO_DEVICE, "gpu");
}

/* Builds every program, which takes minutes where compilers are slow. */
TEST_ON_BOTH(the_self_check_finds_the_bits_of_the_reference) {
    pm_bit_match identity = PM_BIT_MATCH_UNKNOWN;
    expect_success(pm_engine_self_check(engine_for(state), &identity, new_error()));
    assert_int_equal(identity, PM_BIT_MATCH_EXACT);
}

TEST_GROUP(NULL, engines_close)
