/* SPDX-License-Identifier: MIT
 *
 * posemill resample: motion files to another frame rate. Options, their contradictions,
 * batches and the report; the work is in resample.c.
 */
#define _POSIX_C_SOURCE 200809L

#include "commands.h"
#include "json.h"
#include "progress.h"
#include "resample.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- options ------------------------------------------------------------------------ */

static bool parse_rate(const char *text, void *target, char *why) {
    pm_rational any = {1, 1}, rate;

    if (!rate_parse_target(text, any, &rate)) {
        snprintf(why, OPTION_WHY, "'%.80s' is no rate such as 60, 29.97, 30000/1001, x2 or /4",
                 text);
        return false;
    }
    *(const char **)target = text;
    return true;
}

static bool parse_seconds(const char *text, void *target, char *why) {
    if (!rate_parse_seconds(text, target)) {
        snprintf(why, OPTION_WHY, "'%.80s' is not a time of 0 or more seconds", text);
        return false;
    }
    return true;
}

static bool parse_end_rule(const char *text, void *target, char *why) {
    resample_end_rule *rule = target;

    if (strcmp(text, "fit") != 0 && strcmp(text, "include") != 0) {
        snprintf(why, OPTION_WHY, "'%.80s' is none of: fit include", text);
        return false;
    }
    *rule = strcmp(text, "fit") == 0 ? RESAMPLE_END_FIT : RESAMPLE_END_INCLUDE;
    return true;
}

static bool parse_nan(const char *text, void *target, char *why) {
    if (strcmp(text, "hold") != 0) {
        snprintf(why, OPTION_WHY, "'%.80s' is not: hold", text);
        return false;
    }
    *(bool *)target = true;
    return true;
}

static bool parse_position(const char *text, void *target, char *why) {
    if (strcmp(text, "replace") != 0 && strcmp(text, "add") != 0) {
        snprintf(why, OPTION_WHY, "'%.80s' is none of: replace add", text);
        return false;
    }
    *(bool *)target = strcmp(text, "add") == 0;
    return true;
}

static bool parse_decimals(const char *text, void *target, char *why) {
    size_t decimals = 0;

    if (!option_size(text, &decimals, why) || decimals < 1 || decimals > TEXT_DECIMALS_MAX) {
        snprintf(why, OPTION_WHY, "'%.80s' is not a number from 1 to %d", text, TEXT_DECIMALS_MAX);
        return false;
    }
    *(size_t *)target = decimals;
    return true;
}

#define AT(field) offsetof(resample_options, field)
static const option resample_table[] = {
    {"--rate", 'r', "HZ", "target rate: 60, 29.97, 30000/1001, or of the source's x2, /4",
     parse_rate, AT(rate)},
    {"--out", 'o', "OUT", "the file to write; - is standard output", option_text, AT(out)},
    {"--out-dir", 0, "DIR", "a folder for the results, under the names of the inputs", option_text,
     AT(out_dir)},
    {"--format", 0, "FORMAT", "bvh; without it, the extension says", option_text, AT(format)},
    {"--src-rate", 0, "HZ", "the source's rate, whatever its file says", option_rational,
     AT(bvh.source_rate)},
    {"--start", 0, "S", "cut: seconds of the first sample", parse_seconds, AT(start)},
    {"--end", 0, "S", "cut: seconds not to be passed", parse_seconds, AT(end)},
    {"--end-rule", 0, "RULE",
     "fit (default): the last sample is the last multiple that fits;\n"
     "include: one more at the end itself",
     parse_end_rule, AT(end_rule)},
    {"--trim-start", 0, "N", "drop the first N frames, such as a T-pose", option_size,
     AT(trim_start)},
    {"--nan", 0, "hold", "keep the last good value where one is not finite", parse_nan,
     AT(bvh.hold_nan)},
    {"--strict", 0, NULL, "refuse a file whose Frames: is not the number of its rows", NULL,
     AT(bvh.strict)},
    {"--no-snap", 0, NULL, "take the frame time to the digit: .0083333 is not 120 Hz", NULL,
     AT(bvh.no_snap)},
    {"--bvh-position", 0, "SCHOOL",
     "replace (default) or add: what positions do to OFFSET;\n"
     "from BVH to BVH the result is the same",
     parse_position, AT(position_add)},
    {"--decimals", 0, "N", "decimals of numbers that are computed; default 6", parse_decimals,
     AT(decimals)},
    {"--check", 0, NULL, "evaluate on the reference too, and report the difference", NULL,
     AT(check)},
    {"--json", 0, NULL, "report as JSON, one object a file", NULL, AT(json)},
};
#undef AT

static const command_help help = {
    .name = "resample",
    .usage = "IN... (-o OUT | --out-dir DIR) --rate HZ [--method NAME] [OPTIONS]",
    .summary = "Resamples motion files to another frame rate, interpolating rotations as\n"
               "rotations. Frames of the source that fall on the new rate keep their text.",
    .notes = "Reads and writes BVH. - is standard input. The method is slerp unless given; sterp\n"
             "turns about the bones unless --axis says otherwise.",
    .example = "posemill resample walk.bvh -o walk120.bvh --rate 120 --method squad\n"
               "posemill resample takes/*.bvh --out-dir half --rate /2",
    .takes_operands = true,
};

static cli_exit check_options(const resample_options *options, int inputs) {
    if (inputs == 0) {
        return options_usage(&help, "input", "no file was named");
    }
    if (options->rate == NULL) {
        return options_usage(&help, "--rate", "is needed");
    }
    if ((options->out == NULL) == (options->out_dir == NULL)) {
        return options_usage(&help, "-o", "%s",
                             options->out == NULL ? "or --out-dir is needed"
                                                  : "contradicts --out-dir");
    }
    if (options->out != NULL && inputs > 1) {
        return options_usage(&help, "-o", "takes one input; use --out-dir for %d", inputs);
    }
    if (options->json && options->out != NULL && strcmp(options->out, "-") == 0) {
        return options_usage(&help, "--json", "and an output on standard output would mix");
    }
    return CLI_DONE;
}

/* ---- formats ------------------------------------------------------------------------ */

static const char *extension_of(const char *path) {
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

    return dot != NULL && (slash == NULL || dot > slash) ? dot + 1 : "";
}

/* Standard input has no extension; BVH is the one format there is to guess. */
static cli_exit check_format(const resample_options *options, const char *in) {
    const char *format = options->format != NULL ? options->format : extension_of(in);

    if (strcasecmp(format, "bvh") == 0 || (options->format == NULL && strcmp(in, "-") == 0)) {
        return CLI_DONE;
    }
    if (*format == '\0') {
        return cli_fail(CLI_BAD_INPUT, in, "name it with --format bvh",
                        "its name has no extension that says its format");
    }
    return cli_fail(CLI_BAD_INPUT, in, "if it is a BVH, say so with --format bvh",
                    "the format '%.20s' is not read; bvh is", format);
}

/* ---- the report --------------------------------------------------------------------- */

static double throughput(const resample_report *report) {
    double bytes = (double)report->bytes_read + (double)report->bytes_written;
    return report->seconds > 0 ? bytes / report->seconds * 1e-6 : 0;
}

static const char *snap_text(const resample_options *options, const resample_report *report) {
    return options->bvh.source_rate.den != 0  ? "as given"
           : report->rate_how == RATE_LITERAL ? "as written"
                                              : "snapped";
}

static void report_text(const resample_options *options, const char *in, const char *out,
                        const resample_report *report, const char *device) {
    FILE *file = strcmp(out, "-") == 0 ? stderr : stdout;
    char source[RATE_TEXT], target[RATE_TEXT], check[96] = "";

    rate_describe(report->source_rate, source);
    rate_describe(report->rate, target);
    if (report->checked) {
        snprintf(check, sizeof check, ", reference: %s, at most %.3g rad off",
                 report->identical ? "bit-identical" : "differs", report->max_error);
    }
    fprintf(file,
            "%s -> %s: %s (frame time %s, %s) -> %s, %llu -> %llu frames, %llu of them the "
            "source's, %zu joints, %s, on %s, %.3f s, %.1f MB/s of text%s\n",
            in, out, source, report->frame_time[0] != '\0' ? report->frame_time : "missing",
            snap_text(options, report), target, (unsigned long long)report->source_frames,
            (unsigned long long)report->frames, (unsigned long long)report->kept_frames,
            report->joint_count, pm_method_describe(options->curve.method)->name, device,
            report->seconds, throughput(report), check);
}

static void report_json(const resample_options *options, const char *in, const char *out,
                        const resample_report *report, const char *device) {
    json_writer json = {stdout, 0, false};
    char source[RATE_TEXT], target[RATE_TEXT];

    snprintf(source, sizeof source, "%lld/%lld", (long long)report->source_rate.num,
             (long long)report->source_rate.den);
    snprintf(target, sizeof target, "%lld/%lld", (long long)report->rate.num,
             (long long)report->rate.den);
    json_begin_object(&json, NULL);
    json_string(&json, "in", in);
    json_string(&json, "out", out);
    json_string(&json, "source_rate", source);
    json_string(&json, "frame_time", report->frame_time);
    json_string(&json, "source_rate_is", snap_text(options, report));
    json_string(&json, "rate", target);
    json_integer(&json, "source_frames", report->source_frames);
    json_integer(&json, "frames", report->frames);
    json_integer(&json, "kept_frames", report->kept_frames);
    json_integer(&json, "joints", report->joint_count);
    json_string(&json, "method", pm_method_describe(options->curve.method)->name);
    json_string(&json, "device", device);
    json_number(&json, "seconds", report->seconds);
    json_integer(&json, "bytes_read", report->bytes_read);
    json_integer(&json, "bytes_written", report->bytes_written);
    json_number(&json, "megabytes_per_second", throughput(report));
    if (report->checked) {
        json_bool(&json, "identical", report->identical);
        json_number(&json, "max_error", report->max_error);
    }
    json_end_object(&json);
}

/* ---- batches ------------------------------------------------------------------------ */

static cli_exit one_file(resample_options *options, pm_engine *engine, const char *in,
                         const char *out) {
    resample_report report;
    pm_device_info device;
    cli_exit code = check_format(options, in);

    if (code == CLI_DONE) {
        code = resample_file(options, engine, in, out, &report);
    }
    if (code != CLI_DONE) {
        return code;
    }
    pm_engine_info(engine, &device);
    if (options->json) {
        report_json(options, in, out, &report, device.name);
    } else if (!cli_quiet) {
        report_text(options, in, out, &report, device.name);
    }
    return CLI_DONE;
}

static cli_exit make_folder(const char *path) {
    struct stat status;

    if (mkdir(path, 0777) == 0 || (stat(path, &status) == 0 && S_ISDIR(status.st_mode))) {
        return CLI_DONE;
    }
    return cli_fail(CLI_CANNOT_WRITE, path, NULL, "cannot be made a folder: %s", strerror(errno));
}

static const char *result_name(const char *in) {
    const char *slash = strrchr(in, '/');

    return strcmp(in, "-") == 0 ? "stdin.bvh" : slash != NULL ? slash + 1 : in;
}

/* A folder of results that is the folder of the sources would lose the sources. */
static cli_exit refuse_overwriting(const char *in, const char *out) {
    struct stat source, target;

    if (strcmp(in, "-") == 0 || stat(in, &source) != 0 || stat(out, &target) != 0 ||
        source.st_dev != target.st_dev || source.st_ino != target.st_ino) {
        return CLI_DONE;
    }
    return cli_fail(CLI_CANNOT_WRITE, in, "name another folder with --out-dir",
                    "its result would take its place");
}

static cli_exit one_of_many(resample_options *options, pm_engine *engine, const char *in) {
    const char *name = result_name(in);
    size_t size = strlen(options->out_dir) + strlen(name) + 2;
    char *out = malloc(size);
    cli_exit code;

    if (out == NULL) {
        return cli_fail(CLI_CANNOT_WRITE, in, NULL, "not enough memory for a name");
    }
    snprintf(out, size, "%s/%s", options->out_dir, name);
    code = refuse_overwriting(in, out);
    if (code == CLI_DONE) {
        code = one_file(options, engine, in, out);
    }
    free(out);
    return code;
}

static int compare_result_names(const void *left, const void *right) {
    const char *const *a = left, *const *b = right;
    return strcmp(result_name(*a), result_name(*b));
}

/* Before anything is written: no two results may have one name. */
static cli_exit check_result_names(int count, char **inputs) {
    const char **sorted = malloc((size_t)count * sizeof *sorted);
    cli_exit code = CLI_DONE;
    int i;

    if (sorted == NULL) {
        return cli_fail(CLI_CANNOT_WRITE, "--out-dir", NULL, "not enough memory for the names");
    }
    for (i = 0; i < count; i++) {
        sorted[i] = inputs[i];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_result_names);
    for (i = 1; i < count && code == CLI_DONE; i++) {
        if (compare_result_names(&sorted[i - 1], &sorted[i]) == 0) {
            code = options_usage(&help, "--out-dir", "%s and %s would both be written to %s",
                                 sorted[i - 1], sorted[i], result_name(sorted[i]));
        }
    }
    free(sorted);
    return code;
}

/* The failure of one input does not stop the rest, but that of the device does. */
static cli_exit all_files(resample_options *options, pm_engine *engine, int count, char **inputs) {
    cli_exit code = check_result_names(count, inputs), last = CLI_DONE;
    int i, failures = 0;

    if (code == CLI_DONE) {
        code = make_folder(options->out_dir);
    }
    if (code != CLI_DONE) {
        return code;
    }
    for (i = 0; i < count; i++) {
        code = one_of_many(options, engine, inputs[i]);
        if (code == CLI_USAGE || code == CLI_NO_DEVICE || code == CLI_DEVICE_FAILED) {
            return code;
        }
        failures += code != CLI_DONE;
        last = code != CLI_DONE ? code : last;
    }
    return failures == 0 || failures == count ? last : CLI_PARTIAL;
}

int cmd_resample(int argc, char **argv) {
    resample_options options;
    pm_engine *engine = NULL;
    cli_exit code = CLI_DONE;
    option_group groups[3];

    memset(&options, 0, sizeof options);
    options.decimals = 6;
    options.device.in_background = true;
    groups[0] = (option_group){"Rates and files", resample_table,
                               sizeof resample_table / sizeof resample_table[0], &options};
    groups[1] = curve_options_group(&options.curve);
    groups[2] = device_options_group(&options.device);
    if (!options_parse(&help, groups, 3, &argc, argv, &code)) {
        return (int)code;
    }
    code = check_options(&options, argc);
    if (code == CLI_DONE) {
        code = device_options_engine(&options.device, &engine);
    }
    if (code == CLI_DONE && options.out != NULL) {
        code = one_file(&options, engine, argv[0], options.out);
    } else if (code == CLI_DONE) {
        code = all_files(&options, engine, argc, argv);
    }
    pm_engine_destroy(&engine);
    curve_options_release(&options.curve);
    return (int)code;
}
