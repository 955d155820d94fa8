/* SPDX-License-Identifier: MIT
 *
 * posemill verify: options, table and verdict. The cases are in verify/verify.c, the comparison
 * in verify/verify_case.c.
 */
#include "verify/verify.h"
#include "commands.h"
#include "files/progress.h"
#include "host/base/counts.h"
#include "motion/base/json.h"
#include "motion/base/printable.h"
#include "options/device_options.h"

#include <inttypes.h>
#include <stdio.h>

static void print_heading(const command_options *options, const pm_device_info *device) {
    printable_line(stdout, "device: %s (%s, driver %s); seed %" PRIu64, device->name,
                   device_type_name(device->type),
                   device->driver[0] != '\0' ? device->driver : "none", options->seed);
    printf("%-11s %6s %9s %10s %10s %10s %10s %10s %10s  %s\n", "method", "cases", "samples",
           "max, rad", "raw max", "rms, rad", "norm", "bits", "bound", "verdict");
}

static void print_row(const verify_result *result) {
    const pm_method_info *info = pm_method_get_info(result->method);
    bool passed = verify_passed(result);
    printf("%-11s %6" PRIu64 " %9" PRIu64 " %10.2e %10.2e %10.2e %10.2e %10s %10.1e  %s\n",
           info->name, result->clips, result->samples, result->device.max, result->device.raw_max,
           verify_rms(result, &result->device), result->device.norm,
           result->differing == 0 ? "identical" : "differ", info->max_error,
           passed ? "pass" : "FAIL");
    if (result->differing > 0)
        printf("  %" PRIu64 " samples differ in bits from the reference (its max: %.2e rad)\n",
               result->differing, result->reference.max);
    if (!passed)
        printf("  worst: %s; %" PRIu64
               " samples not finite; bounds: max %.1e, rms %.1e, norm %.1e\n",
               result->worst, result->device.not_finite + result->reference.not_finite,
               info->max_error, info->rms_error, VERIFY_NORM_BOUND);
}

static void json_row(json_writer *json, const verify_result *result) {
    const pm_method_info *info = pm_method_get_info(result->method);
    json_begin_object(json, NULL);
    json_write_string(json, "method", info->name);
    json_write_integer(json, "cases", result->clips);
    json_write_integer(json, "samples", result->samples);
    json_write_number(json, "max_error_rad", result->device.max);
    json_write_number(json, "raw_max_error_rad", result->device.raw_max);
    json_write_number(json, "rms_error_rad", verify_rms(result, &result->device));
    json_write_number(json, "norm_error", result->device.norm);
    json_write_number(json, "reference_max_error_rad", result->reference.max);
    json_write_number(json, "reference_raw_max_error_rad", result->reference.raw_max);
    json_write_number(json, "reference_rms_error_rad", verify_rms(result, &result->reference));
    json_write_integer(json, "not_finite",
                       result->device.not_finite + result->reference.not_finite);
    json_write_bool(json, "bit_identical", result->differing == 0);
    json_write_integer(json, "differing_samples", result->differing);
    json_write_number(json, "max_bound_rad", info->max_error);
    json_write_number(json, "rms_bound_rad", info->rms_error);
    json_write_number(json, "norm_bound", VERIFY_NORM_BOUND);
    json_write_string(json, "worst_case", result->worst);
    json_write_bool(json, "passed", verify_passed(result));
    json_end_object(json);
}

static void json_table(json_writer *json, const command_options *options,
                       const pm_device_info *device, const verify_result *results, bool passed) {
    json_begin_object(json, NULL);
    json_write_string(json, "device", device->name);
    json_write_string(json, "type", device_type_name(device->type));
    json_write_string(json, "platform", device->platform);
    json_write_string(json, "driver", device->driver);
    json_write_integer(json, "seed", options->seed);
    json_begin_array(json, "methods");
    for (int i = 0; i < PM_METHOD_COUNT; i++)
        json_row(json, &results[i]);
    json_end_array(json);
    json_write_bool(json, "passed", passed);
    json_end_object(json);
}

/* The tables of one run: a single one, or a list for several devices. */
typedef struct verify_run {
    const command_options *options;
    bool listed;
    size_t tables; /* started so far */
    json_writer json;
} verify_run;

static void begin_table(verify_run *run, const pm_device_info *device) {
    bool first = run->tables++ == 0;
    if (!run->options->json) {
        printf("%s", first ? "" : "\n");
        print_heading(run->options, device);
    } else if (first && run->listed) {
        json_begin_object(&run->json, NULL);
        json_begin_array(&run->json, "devices");
    }
}

static void end_tables(verify_run *run, bool passed) {
    if (run->options->json && run->listed && run->tables > 0) {
        json_end_array(&run->json);
        json_write_bool(&run->json, "passed", passed);
        json_end_object(&run->json);
    }
}

static cli_exit run_methods(verify_run *run, pm_engine *engine) {
    const command_options *options = run->options;
    verify_result results[PM_METHOD_COUNT];
    pm_device_info device;
    bool passed = true;
    progress bar;
    pm_engine_get_info(engine, &device);
    begin_table(run, &device);
    progress_begin(&bar, "verify", PM_METHOD_COUNT);
    for (int i = 0; i < PM_METHOD_COUNT; i++) {
        cli_exit code =
            verify_method(engine, (pm_method)i, options->seed, options->samples, &results[i]);
        progress_end(&bar);
        if (code != CLI_DONE)
            return code;
        passed = passed && verify_passed(&results[i]);
        if (!options->json) {
            print_row(&results[i]);
            fflush(stdout);
        }
        progress_advance(&bar, 1);
    }
    progress_end(&bar);
    if (options->json)
        json_table(&run->json, options, &device, results, passed);
    if (passed)
        return CLI_DONE;
    const char *hint = device.type == PM_DEVICE_REFERENCE
                           ? "please report this table: the reference path itself is wrong"
                           : "use another device, or --device none";
    return cli_fail(CLI_DEVICE_FAILED, device.name, hint, "exceeds the documented error bounds");
}

static cli_exit run_device(const device_options *device, void *context) {
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    CLI_TRY(device_options_engine(device, &engine));
    return run_methods(context, engine);
}

/* Several devices are verified one by one: the cases are so small that one device would compute all
 * of a multi-device job. */
static cli_exit run(command_options *options, int count, char **operands) {
    enum { USUAL_SAMPLES = 200000, USUAL_SEED = 1 };
    (void)count, (void)operands;
    if (!options_is_given(options->set, "samples"))
        options->samples = USUAL_SAMPLES;
    if (!options_is_given(options->set, "seed"))
        options->seed = USUAL_SEED;
    verify_run tables = {options, device_options_several(&options->device), 0, {stdout, 0, false}};
    device_options device = options->device;
    device.programs_on_cpu = true;
    cli_exit code = device_options_each(&device, run_device, &tables);
    end_tables(&tables, code == CLI_DONE);
    return code;
}

const command command_verify = {
    .verb = VERB_VERIFY,
    .brief = "check every method on a device against double precision",
    .usage = "[--device DEVICE] [--samples N] [--seed S] [--json]",
    .summary = "Runs every method with random and adversarial keys on the device and on the CPU\n"
               "reference path, and measures the errors of both against double precision.",
    .notes =
        "Several devices are verified one by one, and --json lists them.\n"
        "The rms error is measured on random keys with rotations of up to 180 degrees between\n"
        "keys, for cubic of up to 90. Results whose bits differ from the reference pass if they\n"
        "are within the bounds; the table marks them. The exit code is 5 when a bound is exceeded.\n"
        "Errors are measured at the float32 position in the segment. If a curve reaches further\n"
        "than half a turn, its max is divided by the reach in half turns (for cubicspline and\n"
        "ncubic: by the inverse of the length that they divide by). The raw max is not divided.\n"
        "See docs/accuracy.md.",
    .example = "posemill verify\nposemill verify --device cpu --json",
    .run = run,
};
