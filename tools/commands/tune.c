/* SPDX-License-Identifier: MIT
 *
 * posemill tune: measures the launch configurations of a device, and lets the library save the
 * fastest.
 */
#include "commands.h"
#include "formats/json.h"
#include "motion/base/printable.h"
#include "options/device_options.h"

#include <stdio.h>

enum { CONFIGS_MAX = 64 };

typedef struct tune_options {
    bool json;
    device_options device;
} tune_options;

static const option tune_table[] = {
    {"--json", 0, NULL, "print JSON", NULL, offsetof(tune_options, json)},
};

static const command_help help = {
    .name = "tune",
    .usage = "[--device DEVICE] [--json]",
    .summary = "Measures the launch configurations of a device: tracks per vector, tracks per\n"
               "work-item, and samples per work-item. The fastest configuration is saved in the\n"
               "cache of built programs (POSEMILL_CACHE) and used until the driver changes.\n"
               "Results are the same in every configuration.",
    .notes = "Each row is the best run of a configuration: slerp, 4 samples per segment, 64\n"
             "tracks, results left in device memory. The default is kept unless another\n"
             "configuration is more than 5 % faster. Run it on an idle machine.",
    .example = "posemill tune\n"
               "posemill tune --device cpu --json",
};

static double rate_of(const pm_launch_measurement *measurement) {
    return (double)measurement->samples / measurement->seconds;
}

static void print_json(const pm_device_info *info, const pm_launch_measurement *measurements,
                       size_t count, size_t best) {
    json_writer json = {stdout, 0, false};
    json_begin_object(&json, NULL);
    json_write_string(&json, "device", info->name);
    json_write_string(&json, "driver", info->driver);
    json_write_integer(&json, "best", best);
    json_begin_array(&json, "measurements");
    for (size_t i = 0; i < count; i++) {
        json_begin_object(&json, NULL);
        json_write_integer(&json, "lanes", measurements[i].config.lanes);
        json_write_bool(&json, "all_tracks", measurements[i].config.all_tracks != 0);
        json_write_integer(&json, "max_run", measurements[i].config.max_run);
        json_write_number(&json, "seconds", measurements[i].seconds);
        json_write_number(&json, "samples_per_s", rate_of(&measurements[i]));
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}

static void print_table(const pm_device_info *info, const pm_launch_measurement *measurements,
                        size_t count, size_t best) {
    printable_line(stdout, "%s (%s, driver %s)", info->name, info->platform, info->driver);
    printf("\nlanes  tracks per work-item  max samples per work-item  Msamples/s\n");
    for (size_t i = 0; i < count; i++) {
        printf("%5u  %-20s  %25u  %10.1f%s%s\n", (unsigned)measurements[i].config.lanes,
               measurements[i].config.all_tracks ? "all" : "lanes",
               (unsigned)measurements[i].config.max_run, 1e-6 * rate_of(&measurements[i]),
               i == 0 ? "  default" : "", i == best ? "  selected" : "");
    }
}

int cmd_tune(int argc, char **argv) {
    tune_options options = {0};
    const option_group groups[] = {
        {"Options", tune_table, sizeof tune_table / sizeof tune_table[0], &options},
        device_options_group_of_one(&options.device),
    };
    pm_engine *engine = NULL;
    pm_launch_measurement measurements[CONFIGS_MAX];
    pm_device_info info;
    pm_error error = {0};
    size_t count = 0, best = 0;
    cli_exit code = CLI_DONE;
    if (!options_parse(&help, groups, 2, &argc, argv, &code)) {
        return (int)code;
    }
    code = device_options_one(&options.device);
    if (code == CLI_DONE) {
        code = device_options_engine(&options.device, &engine);
    }
    if (code != CLI_DONE) {
        return (int)code;
    }
    pm_engine_info(engine, &info);
    if (info.type == PM_DEVICE_REFERENCE) {
        code = cli_fail(CLI_NO_DEVICE, info.name, "see: posemill devices",
                        "has no launch configurations to tune");
    } else if (pm_engine_tune(engine, measurements, CONFIGS_MAX, &count, &best, &error) != PM_OK) {
        code = cli_fail_error("tune", &error);
    } else if (options.json) {
        print_json(&info, measurements, count, best);
    } else if (!cli_quiet) {
        print_table(&info, measurements, count, best);
    }
    pm_engine_destroy(&engine);
    return (int)code;
}
