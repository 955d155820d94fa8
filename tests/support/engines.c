/* SPDX-License-Identifier: MIT
 *
 * One engine per kind and process, because starting a device takes most of the time.
 */
#include "engines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

engine_kind on_reference = ON_REFERENCE;
engine_kind on_device = ON_DEVICE;
pm_status (*open_own_device)(const pm_engine_desc *options, pm_engine **engine, pm_error *error);

static pm_engine *kept[2];

/* LeakSanitizer calls this: memory that drivers hold at exit is not the library's. See
 * lsan.supp. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libpocl\nleak:libLLVM\nleak:libRusticlOpenCL\n";
}

static const char *wanted_device(void) {
    const char *name = getenv("POSEMILL_TEST_DEVICE");
    return name && name[0] ? name : "auto";
}

static bool is_device_required(void) {
    const char *value = getenv("POSEMILL_REQUIRE_DEVICE");
    return value && value[0] != '\0' && strcmp(value, "0") != 0;
}

static bool is_on_reference(const pm_engine *engine) {
    pm_device_info info;
    pm_engine_get_info(engine, &info);
    return info.type == PM_DEVICE_REFERENCE;
}

/* PoCL keeps programs itself, and compiles a program's kernels a second time to hand out its binary,
 * which takes as long as the first. So only tests that name a cache folder have one there. */
static pm_status create_without_default_folder(pm_engine_desc *desc, pm_engine **engine,
                                               pm_error *error) {
    pm_device_info info;
    pm_status status = pm_engine_create(desc, engine, error);
    if (status != PM_OK || desc->cache_folder)
        return status;
    pm_engine_get_info(*engine, &info);
    if (strcmp(info.platform, "Portable Computing Language") != 0)
        return status;
    pm_engine_destroy(engine);
    desc->cache_folder = "";
    return pm_engine_create(desc, engine, error);
}

/* NULL when there is no device. The reference does not count as a device. */
static pm_engine *open_device(const pm_engine_desc *options, bool exactly, pm_error *error) {
    pm_engine *engine = NULL;
    pm_engine_desc desc = *options;
    desc.device = wanted_device();
    pm_status status = open_own_device ? open_own_device(&desc, &engine, error)
                       : exactly       ? pm_engine_create(&desc, &engine, error)
                                       : create_without_default_folder(&desc, &engine, error);
    if (status != PM_OK)
        return NULL;
    if (is_on_reference(engine)) {
        pm_engine_destroy(&engine);
        strcpy(error->message, "the reference path is the only device");
    }
    return engine;
}

static pm_engine *open_kind(engine_kind which, const pm_engine_desc *options, bool exactly) {
    pm_error error = poisoned_error();
    pm_engine *engine = NULL;
    if (which == ON_DEVICE) {
        engine = open_device(options, exactly, &error);
        if (!engine) {
            print_message("no device \"%s\": %.255s\n", wanted_device(), error.message);
            if (is_device_required())
                fail_msg("a device is required");
            skip();
        }
        return engine;
    }
    pm_engine_desc desc = *options;
    desc.device = "none";
    expect_ok(pm_engine_create(&desc, &engine, &error), &error);
    return engine;
}

pm_engine *engine_for(void **state) {
    return engine_of_kind(*(const engine_kind *)*state);
}

pm_engine *engine_of_kind(engine_kind which) {
    if (!kept[which])
        kept[which] = open_kind(which, &(pm_engine_desc){0}, false);
    return kept[which];
}

bool is_for_device(void **state) {
    return *(const engine_kind *)*state == ON_DEVICE;
}

const char *device_for(void **state) {
    return is_for_device(state) ? wanted_device() : "none";
}

pm_engine *engine_with(void **state, const pm_engine_desc *options) {
    return open_kind(*(const engine_kind *)*state, options, false);
}

pm_engine *engine_exactly_with(void **state, const pm_engine_desc *options) {
    return open_kind(*(const engine_kind *)*state, options, true);
}

bool has_few_programs(void **state) {
    return is_for_device(state) && !open_own_device && !long_sweeps();
}

bool is_on_oclgrind(void **state) {
    pm_device_info info;
    pm_engine_get_info(engine_for(state), &info);
    return strstr(info.platform, "Oclgrind") != NULL;
}

void skip_without_concurrent_kernels(void **state) {
    if (!is_on_oclgrind(state))
        return;
    printf("not tested: Oclgrind runs the kernels of one thread at a time\n");
    skip();
}

void skip_where_failed_builds_count(void **state) {
    if (!is_on_oclgrind(state))
        return;
    printf("not tested: Oclgrind reports builds that fail on purpose\n");
    skip();
}

bool is_rusticl(const pm_engine *engine) {
    pm_device_info info;
    pm_engine_get_info(engine, &info);
    return strcmp(info.platform, "rusticl") == 0;
}

static bool is_deep(pm_method method) {
    switch (method) {
    case PM_METHOD_SQUAD:
    case PM_METHOD_CUBIC:
    case PM_METHOD_CIRCULAR:
    case PM_METHOD_CIRCULAR_C1:
    case PM_METHOD_CIRCULAR_C2:
    case PM_METHOD_CIRCULAR_C3:
    case PM_METHOD_BSPLINE:
        return true;
    default:
        return false;
    }
}

bool can_compile_motion(const pm_engine *engine, pm_method method) {
    static bool said = false;
    if (!is_deep(method) || !is_rusticl(engine))
        return true;
    if (!said)
        printf(
            "# not tested: derivatives of squad, circular and bspline on rusticl, whose compiler "
            "needs minutes for each\n");
    said = true;
    return false;
}

void leave_out_crowds_on_rusticl(const char *names) {
    pm_error error = poisoned_error();
    SCOPED(pm_engine_destroy)
    pm_engine *engine = open_device(&(pm_engine_desc){0}, false, &error);
    if (!engine || !is_rusticl(engine)) /* without a device, each skipped test prints the reason */
        return;
    printf(
        "# not tested: crowds on rusticl, whose compiler needs a minute and more for each output, "
        "except palettes and states of slerp, and layers of clips with one timeline: "
        "test_crowd_queue, test_crowd_bodies, test_crowd_layers\n");
    cmocka_set_skip_filter(names);
}

int exit_code_without_device(void) {
    pm_error error = poisoned_error();
    pm_engine *engine = open_device(&(pm_engine_desc){0}, false, &error);
    if (!engine) {
        print_message("no device \"%s\": %.255s\n", wanted_device(), error.message);
        return is_device_required() ? 1 : 77;
    }
    pm_engine_destroy(&engine);
    return 0;
}

int engines_close(void **unused) {
    (void)unused;
    pm_engine_destroy(&kept[ON_REFERENCE]);
    pm_engine_destroy(&kept[ON_DEVICE]);
    return 0;
}
