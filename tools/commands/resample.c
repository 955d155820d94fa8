/* SPDX-License-Identifier: MIT
 *
 * posemill resample: converts motion files to another frame rate. Options, their conflicts,
 * batches and the report; resample/resample.c resamples one file.
 */
#define _POSIX_C_SOURCE 200809L

#include "resample/resample.h"
#include "commands.h"
#include "files/output_names.h"
#include "motion/time/rate.h"
#include "resample/resample_target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- options ------------------------------------------------------------------------ */

static bool parse_seconds(const char *text, void *target, char *reason) {
    if (!rate_parse_seconds(text, target)) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is not a time; expected 0 or more seconds",
                 text);
        return false;
    }
    return true;
}

static bool parse_end_rule(const char *text, void *target, char *reason) {
    pm_motion_end_rule *rule = target;

    if (strcmp(text, "fit") != 0 && strcmp(text, "include") != 0) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is unknown; expected one of: fit include",
                 text);
        return false;
    }
    *rule = strcmp(text, "fit") == 0 ? PM_MOTION_END_FIT : PM_MOTION_END_INCLUDE;
    return true;
}

#define AT(field) offsetof(resample_options, field)
static const option resample_table[] = {
    {"--rate", 'r', "HZ", "target rate: 60, 29.97, 30000/1001, or relative to the source: x2, /4",
     resample_option_rate, AT(rate)},
    {"--out", 'o', "OUT", "output file; - is standard output", option_text, AT(out)},
    {"--out-dir", 0, "DIR", "output folder; results have the names of the inputs", option_text,
     AT(out_dir)},
    {"--to", 0, "FORMAT", "format of outputs without an extension: bvh, gltf, glb, npz, csv",
     motion_option_format, AT(to)},
    {"--clip", 0, "NAME",
     "a clip to resample, by its name or number; may be repeated; default: all", motion_option_clip,
     AT(clips)},
    {"--start", 0, "S", "time of the first sample, in seconds", parse_seconds, AT(start)},
    {"--end", 0, "S", "time of the last sample at the latest, in seconds", parse_seconds, AT(end)},
    {"--end-rule", 0, "RULE",
     "fit (default): the last sample is the last multiple that fits;\n"
     "include: adds a sample at the end itself",
     parse_end_rule, AT(end_rule)},
    {"--max-frames", 0, "N", "maximum number of frames in a result; default 100000000",
     option_frames, AT(max_frames)},
    {"--trim-start", 0, "N", "drop the first N frames, such as a T-pose", option_size,
     AT(trim_start)},
    {"--decimals", 0, "N", "decimals of computed numbers; default 6", resample_option_decimals,
     AT(decimals)},
    {"--check", 0, NULL, "also evaluate on the reference path and report the difference", NULL,
     AT(check)},
    {"--json", 0, NULL, "print the report as JSON, one object per file", NULL, AT(json)},
};
#undef AT

static const command_help help = {
    .name = "resample",
    .usage = "IN... (-o OUT | --out-dir DIR) --rate HZ [--method NAME] [OPTIONS]",
    .summary = "Converts motion files to another frame rate. Rotations are interpolated as\n"
               "rotations. Samples at the time of a source frame keep the values of that frame.",
    .notes =
        "Reads and writes BVH, glTF, GLB, NPZ and CSV, by the extensions of the names; - is\n"
        "standard input or output. Where the formats differ, the result is converted. The\n"
        "default method is slerp, for glTF `authored`: each channel by its own interpolation.\n"
        "sterp turns about the bones unless --axis is given. --out-dir and its parent folders\n"
        "are created when the first result is written.",
    .example = "posemill resample walk.bvh -o walk120.bvh --rate 120 --method squad\n"
               "posemill resample takes/*.bvh --out-dir half --rate /2",
    .takes_operands = true,
};

static cli_exit check_options(const resample_options *options, int inputs) {
    if (inputs == 0) {
        return options_usage(&help, "input", "missing; expected a motion file");
    }
    if (options->rate == NULL) {
        return options_usage(&help, "--rate", "required option is missing");
    }
    if ((options->out == NULL) == (options->out_dir == NULL)) {
        return options_usage(&help, "-o", "%s",
                             options->out == NULL ? "missing; expected -o OUT or --out-dir DIR"
                                                  : "cannot be combined with --out-dir");
    }
    if (options->out != NULL && inputs > 1) {
        return options_usage(&help, "-o", "accepts one input, found %d; use --out-dir", inputs);
    }
    if (options->json && options->out != NULL && strcmp(options->out, "-") == 0) {
        return options_usage(&help, "--json",
                             "cannot be combined with an output on standard output");
    }
    if (!options->curve.authored && pm_method_describe(options->curve.method)->takes_in_out) {
        return cli_fail(
            CLI_USAGE, "--method cubicspline",
            "use hermite, squad or spline, which compute tangents from the keys",
            "requires tangents, and BVH files have none; --method authored takes those of glTF");
    }
    return CLI_DONE;
}

/* ---- formats ------------------------------------------------------------------------ */

static cli_exit check_input(const resample_options *options, const char *in) {
    const bool named = strcmp(in, "-") != 0;
    const char *extension = named ? extension_of(in) : "";
    struct stat status;

    if (named && stat(in, &status) != 0) {
        return cli_fail(CLI_BAD_INPUT, in, NULL, "cannot be opened: %s", strerror(errno));
    }
    if (named && S_ISDIR(status.st_mode)) {
        return cli_fail(CLI_BAD_INPUT, in, "give the files in the folder",
                        "is a folder; expected a motion file");
    }
    if (*extension == '\0' || options->motion.read.format != PM_MOTION_ANY ||
        pm_motion_find_format(in) != PM_MOTION_ANY) {
        return CLI_DONE;
    }
    return cli_fail(CLI_BAD_INPUT, in, "if the file has another format, use --format",
                    "format '%.20s' is not supported; expected bvh, gltf, glb, npz or csv",
                    extension);
}

/* An output whose extension is that of a format is converted to it. */
static cli_exit check_output(const resample_options *options, const char *in, const char *out) {
    const pm_motion_format of_input = options->motion.read.format != PM_MOTION_ANY
                                          ? options->motion.read.format
                                          : pm_motion_find_format(in);
    const pm_motion_format format = options->to != PM_MOTION_ANY ? options->to : of_input;

    if (pm_motion_find_format(out) != PM_MOTION_ANY) {
        return CLI_DONE;
    }
    return output_name_check(
        options->out != NULL ? "-o" : "--out-dir", out,
        pm_motion_format_name(format == PM_MOTION_ANY ? PM_MOTION_BVH : format),
        options->to != PM_MOTION_ANY || options->motion.read.format != PM_MOTION_ANY);
}

/* ---- batches ------------------------------------------------------------------------ */

static cli_exit one_file(resample_options *options, pm_engine *engine, const char *in,
                         const char *out) {
    resample_report report;
    pm_device_info device;
    const resample_input input = {.path = in};
    const resample_output output = {.path = out};
    cli_exit code = resample_file(options, engine, &input, &output, &report);

    if (code != CLI_DONE) {
        return code;
    }
    pm_engine_info(engine, &device);
    resample_report_print(options, in, out, &report, device.name);
    return CLI_DONE;
}

static const char *result_name(const char *in) {
    const char *slash = strrchr(in, '/');

    return strcmp(in, "-") == 0 ? "stdin.bvh" : slash != NULL ? slash + 1 : in;
}

/* DIR/NAME for each input and a final NULL, in one block for free(). NULL when memory is short. */
static char **make_results(const char *folder, size_t count, char **inputs) {
    size_t size = (count + 1) * sizeof(char *), i;
    char **results, *at;

    for (i = 0; i < count; i++) {
        size += strlen(folder) + strlen(result_name(inputs[i])) + 2;
    }
    results = malloc(size);
    if (results == NULL) {
        return NULL;
    }
    at = (char *)(results + count + 1);
    for (i = 0; i < count; i++) {
        const char *name = result_name(inputs[i]);
        size_t length = strlen(folder) + strlen(name) + 2;
        results[i] = at;
        snprintf(at, length, "%s/%s", folder, name);
        at += length;
    }
    results[count] = NULL;
    return results;
}

/* Results in the folder of the inputs would overwrite the inputs. */
static cli_exit refuse_clash(const named_file *output, const named_file *other) {
    if (other->use == LOCATION_OUTPUT) {
        return options_usage(&help, "--out-dir", "two inputs would be written to the same file %s",
                             output->name);
    }
    return cli_fail(CLI_CANNOT_WRITE, other->name, "choose another folder with --out-dir",
                    "would be overwritten by a result");
}

/* Runs before anything is written. */
static cli_exit check_batch(const resample_options *options, size_t count, char **inputs,
                            char **results) {
    named_file *names = calloc(count, 2 * sizeof *names);
    const named_file *output = NULL, *other = NULL;
    struct stat status;
    cli_exit code = CLI_DONE;
    size_t i;

    if (names == NULL) {
        return cli_fail(CLI_CANNOT_WRITE, "--out-dir", NULL, "out of memory for the file names");
    }
    for (i = 0; i < count; i++) {
        names[2 * i] = (named_file){results[i], LOCATION_OUTPUT};
        names[2 * i + 1] = (named_file){inputs[i], LOCATION_INPUT};
    }
    if (names_clash(names, 2 * count, &output, &other)) {
        code = refuse_clash(output, other);
    } else if (stat(options->out_dir, &status) == 0 && !S_ISDIR(status.st_mode)) {
        code = cli_fail(CLI_CANNOT_WRITE, options->out_dir, NULL, "is a file; expected a folder");
    }
    free(names);
    return code;
}

/* An input that fails does not stop the batch. A device failure does. */
static cli_exit all_files(resample_options *options, pm_engine *engine, size_t count, char **inputs,
                          char **results) {
    cli_exit code = CLI_DONE, last = CLI_DONE;
    size_t i, failures = 0;

    for (i = 0; i < count; i++) {
        code = check_input(options, inputs[i]);
        if (code == CLI_DONE) {
            code = check_output(options, inputs[i], results[i]);
        }
        if (code == CLI_DONE) {
            code = one_file(options, engine, inputs[i], results[i]);
        }
        if (code == CLI_USAGE || code == CLI_NO_DEVICE || code == CLI_DEVICE_FAILED) {
            return code;
        }
        failures += code != CLI_DONE;
        last = code != CLI_DONE ? code : last;
    }
    return failures == 0 || failures == count ? last : CLI_PARTIAL;
}

static cli_exit run_one(resample_options *options, const char *in) {
    pm_engine *engine = NULL;
    cli_exit code = check_input(options, in);

    if (code == CLI_DONE) {
        code = check_output(options, in, options->out);
    }
    if (code == CLI_DONE) {
        code = device_options_engine(&options->device, &engine);
    }
    if (code == CLI_DONE) {
        code = one_file(options, engine, in, options->out);
    }
    pm_engine_destroy(&engine);
    return code;
}

static cli_exit run_batch(resample_options *options, size_t count, char **inputs) {
    pm_engine *engine = NULL;
    char **results = make_results(options->out_dir, count, inputs);
    cli_exit code;

    if (results == NULL) {
        return cli_fail(CLI_CANNOT_WRITE, "--out-dir", NULL, "out of memory for the file names");
    }
    code = check_batch(options, count, inputs, results);
    if (code == CLI_DONE) {
        code = device_options_engine(&options->device, &engine);
    }
    if (code == CLI_DONE) {
        code = all_files(options, engine, count, inputs, results);
    }
    pm_engine_destroy(&engine);
    free(results);
    return code;
}

int cmd_resample(int argc, char **argv) {
    resample_options options;
    cli_exit code = CLI_DONE;
    option_group groups[4];

    memset(&options, 0, sizeof options);
    options.decimals = 6;
    options.max_frames = OPTION_MAX_FRAMES;
    options.device.in_background = true;
    options.curve.takes_authored = true;
    groups[0] = (option_group){"Rates and files", resample_table,
                               sizeof resample_table / sizeof resample_table[0], &options};
    groups[1] = motion_options_group(&options.motion);
    groups[2] = curve_options_group(&options.curve);
    groups[3] = device_options_group(&options.device);
    if (!options_parse(&help, groups, 4, &argc, argv, &code)) {
        return (int)code;
    }
    code = check_options(&options, argc);
    if (code == CLI_DONE) {
        code = options.out != NULL ? run_one(&options, argv[0])
                                   : run_batch(&options, (size_t)argc, argv);
    }
    curve_options_release(&options.curve);
    return (int)code;
}
