/* SPDX-License-Identifier: MIT
 *
 * posemill tune: measures how kernels are best laid out on a device, and has the library
 * remember it.
 */
#include "commands.h"
#include "files/printable.h"
#include "formats/json.h"
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
    .summary = "Measures how kernels are best laid out on a device: tracks in a vector, what a\n"
               "work-item takes, how many samples it walks. The fastest is kept beside the\n"
               "built programs (POSEMILL_CACHE) and used from then on, until the driver\n"
               "changes. Results are the same in every shape.",
    .notes = "Each row is a shape's best run: 4 samples a segment of slerp, 64 tracks,\n"
             "results left in device memory. A shape within 5 % of the default is no reason\n"
             "to leave it. Run it while the machine has nothing else to do.",
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
    json_string(&json, "device", info->name);
    json_string(&json, "driver", info->driver);
    json_integer(&json, "best", best);
    json_begin_array(&json, "trials");
    for (size_t i = 0; i < count; i++) {
        json_begin_object(&json, NULL);
        json_integer(&json, "lanes", measurements[i].config.lanes);
        json_bool(&json, "whole_rows", measurements[i].config.all_tracks != 0);
        json_integer(&json, "most_run", measurements[i].config.max_run);
        json_number(&json, "seconds", measurements[i].seconds);
        json_number(&json, "samples_per_s", rate_of(&measurements[i]));
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}

static void print_table(const pm_device_info *info, const pm_launch_measurement *measurements,
                        size_t count, size_t best) {
    printable_line(stdout, "%s (%s, driver %s)", info->name, info->platform, info->driver);
    printf("\nlanes  a work-item takes  samples, at most  Msamples/s\n");
    for (size_t i = 0; i < count; i++) {
        printf("%5u  %-17s  %16u  %10.1f%s%s\n", (unsigned)measurements[i].config.lanes,
               measurements[i].config.all_tracks ? "all tracks" : "its lanes",
               (unsigned)measurements[i].config.max_run, 1e-6 * rate_of(&measurements[i]),
               i == 0 ? "  default" : "", i == best ? "  taken" : "");
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
        code = cli_fail(CLI_NO_DEVICE, info.name, "see: posemill devices", "has no shapes to tune");
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
