/* SPDX-License-Identifier: MIT
 *
 * Creates an engine from the device options. The library interprets the device string; this file
 * finds the string, passes it on, and reports errors.
 */
#include "device_options.h"
#include "files/progress.h"
#include "motion/base/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An empty environment variable is treated as unset. */
static const char *environment(const char *name) {
    const char *value = getenv(name);
    return value && value[0] != '\0' ? value : NULL;
}

const char *device_options_choice(const device_options *options) {
    if (options->reference)
        return "none";
    if (options->device)
        return options->device;
    const char *device = environment("POSEMILL_DEVICE");
    return device ? device : "auto";
}

bool device_options_automatic(const device_options *options) {
    return strcmp(device_options_choice(options), "auto") == 0;
}

/* Called from any thread. */
static void show_message(void *user, pm_log_level level, const char *message) {
    char note[128];
    (void)user;
    switch (level) {
    case PM_LOG_WARNING:
        cli_warn("device", "%s", message);
        break;
    case PM_LOG_BUILDING:
        snprintf(note, sizeof note, "posemill: %.110s", message);
        progress_note(note);
        break;
    case PM_LOG_BUILT:
        progress_clear();
        break;
    case PM_LOG_INFO:
        if (cli_verbose) {
            progress_clear();
            printable_line(stderr, "posemill: device: %s", message);
        }
        break;
    case PM_LOG_DEBUG:
        break;
    }
}

/* NULL: the library chooses the folder. "": the cache is off. */
static const char *cache_folder(void) {
    const char *folder = environment("POSEMILL_CACHE");
    return folder && strcmp(folder, "off") == 0 ? "" : folder;
}

pm_engine_desc device_options_desc(const device_options *options) {
    return (pm_engine_desc){
        .device = device_options_choice(options),
        .programs_on_cpu = options->programs_on_cpu,
        .cache_folder = cache_folder(),
        .kernel_folder = environment("POSEMILL_KERNELS"),
        .host_threads = options->host_threads,
        .build_in_background = options->in_background,
        .log = show_message,
        .clip_building = options->clip_building,
    };
}

cli_exit device_options_engine(const device_options *options, pm_engine **engine) {
    if (options->reference && options->device && strcmp(options->device, "none") != 0)
        return cli_fail(CLI_USAGE, "--reference", "use only one of them",
                        "cannot be combined with --device %s", options->device);
    pm_error error = {0};
    const pm_engine_desc desc = device_options_desc(options);
    if (pm_engine_create(&desc, engine, &error) != PM_OK)
        return cli_fail_error("device", &error);
    pm_device_info info;
    pm_engine_get_info(*engine, &info);
    if (device_options_automatic(options) && info.type == PM_DEVICE_REFERENCE)
        cli_warn("device", "no OpenCL device found; using the CPU reference path");
    return CLI_DONE;
}

bool device_options_several(const device_options *options) {
    const char *choice = device_options_choice(options);
    bool is_list = strchr(choice, ',') != NULL && choice[strspn(choice, "0123456789:,")] == '\0';
    return is_list || strcmp(choice, "all") == 0;
}

cli_exit device_options_one(const device_options *options) {
    if (!device_options_several(options))
        return CLI_DONE;
    return cli_fail(CLI_USAGE, "device", "choose one listed by: posemill devices",
                    "'%.80s' names several devices; expected one", device_options_choice(options));
}

/* The name of device `at` of several: the index for "all", the entry for a list. False after the
 * last device. */
static bool nth_device(const char *choice, size_t device_count, size_t at, char *name,
                       size_t size) {
    if (strcmp(choice, "all") == 0) {
        snprintf(name, size, "%zu", at);
        return at < device_count;
    }
    for (size_t i = 0; i < at; i++) {
        choice += strcspn(choice, ",");
        choice += *choice == ',';
    }
    snprintf(name, size, "%.*s", (int)strcspn(choice, ","), choice);
    return name[0] != '\0';
}

/* Opens an engine with all devices first, because the library reports what is wrong with a list. */
static cli_exit check_several(const device_options *options, size_t *device_count) {
    pm_engine *engine = NULL;
    pm_error error = {0};
    cli_exit code = device_options_engine(options, &engine);
    pm_engine_destroy(&engine);
    if (code == CLI_DONE && pm_list_devices(NULL, 0, device_count, &error) != PM_OK)
        code = cli_fail_error("device", &error);
    return code;
}

cli_exit device_options_each(const device_options *options,
                             cli_exit (*use)(const device_options *one, void *context),
                             void *context) {
    size_t device_count = 0;
    char name[32];
    if (!device_options_several(options))
        return use(options, context);
    const char *choice = device_options_choice(options);
    cli_exit first = check_several(options, &device_count);
    if (first != CLI_DONE)
        return first;
    for (size_t i = 0; nth_device(choice, device_count, i, name, sizeof name); i++) {
        device_options one = *options;
        one.device = name;
        cli_exit code = use(&one, context);
        first = first == CLI_DONE ? code : first;
    }
    return first;
}

const char *device_type_name(pm_device_type type) {
    switch (type) {
    case PM_DEVICE_REFERENCE:
        return "reference";
    case PM_DEVICE_CPU:
        return "cpu";
    case PM_DEVICE_GPU:
        return "gpu";
    case PM_DEVICE_DISCRETE_GPU:
        return "discrete gpu";
    case PM_DEVICE_OTHER:
        break;
    }
    return "other";
}
