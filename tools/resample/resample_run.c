/* SPDX-License-Identifier: MIT
 *
 * Operands of resample and convert, and the run of one file; batch/batch.c runs many.
 */
#define _POSIX_C_SOURCE 200809L

#include "resample_run.h"

#include "files/output_names.h"
#include "resample_files.h"

#include <string.h>
#include <sys/stat.h>

/* ---- operands ---------------------------------------------------------------------------- */

/* A second operand is an output, unless it looks like a second input of a batch. */
static cli_exit take_operand(const command_help *help, resample_options *options,
                             const batch_options *batch, int *argc, char **argv) {
    struct stat status;
    if (*argc != 2) {
        return options_usage(help, "-o", "missing; expected -o OUT or --out-dir DIR");
    }
    if (strcmp(argv[1], "-") != 0 && stat(argv[1], &status) == 0 && !options->converts &&
        !batch->overwrite) {
        return options_usage(help, "-o",
                             "missing, and '%s' exists; expected -o OUT or --out-dir DIR", argv[1]);
    }
    options->out = argv[1];
    *argc = 1;
    return CLI_DONE;
}

cli_exit resample_find_output(const command_help *help, resample_options *options,
                              const batch_options *batch, int *argc, char **argv) {
    if (*argc == 0 && batch->files_from == NULL) {
        return options_usage(help, "input", "missing; expected a motion file");
    }
    if (options->out != NULL && options->out_dir != NULL) {
        return options_usage(help, "-o", "cannot be combined with --out-dir");
    }
    if (options->out == NULL && options->out_dir == NULL) {
        const cli_exit code = take_operand(help, options, batch, argc, argv);
        if (code != CLI_DONE) {
            return code;
        }
    }
    if (options->out != NULL && *argc > 1) {
        return options_usage(help, "-o", "accepts one input, found %d; use --out-dir", *argc);
    }
    if (options->json && options->out != NULL && strcmp(options->out, "-") == 0) {
        return options_usage(help, "--json",
                             "cannot be combined with an output on standard output");
    }
    if (options->out_dir != NULL && options->to != PM_MOTION_ANY) {
        return conversion_check_format(&options->conversion, options->to);
    }
    return CLI_DONE;
}

/* ---- one file ---------------------------------------------------------------------------- */

/* A result may replace its source only where that is asked for, and never a file that an option names. */
static cli_exit check_clash(const resample_options *options, bool may_replace, const char *in) {
    const char *const read[] = {options->curve.tangents_file, options->curve.axis_file,
                                options->motion.read.layout, options->motion.read.rates_file,
                                may_replace ? NULL : in};
    const named_file *output = NULL, *other = NULL;
    for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
        const named_file names[] = {{options->out, LOCATION_OUTPUT},
                                    {read[i] != NULL ? read[i] : "", LOCATION_INPUT}};
        if (read[i] != NULL && names_clash(names, 2, &output, &other)) {
            return cli_fail(
                CLI_CANNOT_WRITE, read[i],
                read[i] == in ? "choose another name for the output, or replace it with --overwrite"
                              : "choose another name for the output",
                "would be overwritten by the result");
        }
    }
    return CLI_DONE;
}

static cli_exit write_one(resample_options *options, pm_engine *engine, const char *in) {
    resample_report report;
    pm_device_info device = {.name = ""};
    const resample_input input = {.path = in};
    const resample_output output = {.path = options->out};
    const cli_exit code = resample_file(options, engine, &input, &output, &report);
    if (code != CLI_DONE) {
        return code;
    }
    if (engine != NULL) {
        pm_engine_get_info(engine, &device, sizeof(pm_device_info));
    }
    resample_report_print(options, in, options->out, &report, device.name);
    return CLI_DONE;
}

static cli_exit run_one(resample_options *options, bool may_replace, const char *in) {
    pm_engine *engine = NULL;
    cli_exit code = resample_check_input(options, in);
    if (code == CLI_DONE) {
        code = resample_check_output(options, options->out);
    }
    if (code == CLI_DONE) {
        code = check_clash(options, may_replace, in);
    }
    if (code == CLI_DONE && options->rate != NULL) {
        code = device_options_engine(&options->device, &engine);
    }
    if (code == CLI_DONE) {
        code = write_one(options, engine, in);
    }
    pm_engine_destroy(&engine);
    return code;
}

cli_exit resample_run(resample_options *options, const batch_options *batch, char **inputs,
                      size_t count) {
    if (options->out != NULL) {
        return run_one(options, batch->overwrite, inputs[0]);
    }
#if POSEMILL_BATCH
    return batch_resample(options, batch, inputs, count);
#else
    (void)count;
    return cli_fail(CLI_USAGE, "--out-dir", "configure with -DPOSEMILL_BATCH=ON",
                    "this posemill was built without batches");
#endif
}
