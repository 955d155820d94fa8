/* SPDX-License-Identifier: MIT
 *
 * posemill eval: .npy keys in, .npy samples out. Options and their conflicts, the order of the
 * work, and the report. Arrays are read in eval_input.c and written in eval_write.c.
 */
#define _POSIX_C_SOURCE 200809L

#include "eval/eval.h"
#include "commands.h"
#include "files/progress.h"
#include "host/base/counts.h"
#include "motion/base/json.h"
#include "motion/base/printable.h"
#include "motion/files/output_names.h"
#include "options/curve_options.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool parse_count(const char *text, void *target, char *reason) {
    eval_options *options = target;
    options->count_given = true;
    return value_size(text, &options->count, reason);
}

static bool parse_frame(const char *text, void *target, char *reason) {
    static const char *const words[PM_AXIS_COUNT] = {"body", "parent"};
    size_t word = 0;
    const bool found = value_word(text, words, PM_AXIS_COUNT, &word, reason);
    *(pm_axis_frame *)target = (pm_axis_frame)word;
    return found;
}

static bool parse_key_format(const char *text, void *target, char *reason) {
    static const char *const words[PM_KEYS_COUNT] = {"float32", "log48", "smallest48"};
    size_t word = 0;
    const bool found = value_word(text, words, PM_KEYS_COUNT, &word, reason);
    *(pm_key_format *)target = (pm_key_format)word;
    return found;
}

#define AT(field) offsetof(eval_options, field)
static const option eval_table[] = {
    {"--keys", 0, "K.npy", "rotations (n, tracks, 4), x y z w, float32 or float64", value_text,
     AT(keys)},
    {"--key-times", 0, "T.npy", "times of the keys (n,), float64 seconds", value_text,
     AT(key_times)},
    {"--key-rate", 0, "HZ", "uniform keys from time 0: 60, 29.97 or 30000/1001", option_rational,
     AT(key_rate)},
    {"--times", 0, "X.npy", "sample times (m,), float64 seconds, any order", value_text,
     AT(times)},
    {"--rate", 0, "HZ", "uniform samples from the first key to the last inclusive", option_rational,
     AT(rate)},
    {"--count", 0, "N", "with --rate: exactly N samples, also past the last key", parse_count, 0},
    {"--max-frames", 0, "N",
     "maximum number of samples of --rate without --count; default 100000000", option_frames,
     AT(max_frames)},
    {"--vectors", 0, "V.npy", "positions or scales (n, tracks, 3), evaluated with the rotations",
     value_text, AT(vectors)},
    {"--in-tangents", 0, "A.npy", "incoming tangents of cubicspline, shape of --keys, per second",
     value_text, AT(in_tangents)},
    {"--out-tangents", 0, "B.npy", "outgoing tangents of cubicspline, shape of --keys, per second",
     value_text, AT(out_tangents)},
    {"--vectors-in-tangents", 0, "A.npy", "incoming tangents of the vectors, shape of --vectors",
     value_text, AT(vectors_in_tangents)},
    {"--vectors-out-tangents", 0, "B.npy", "outgoing tangents of the vectors, shape of --vectors",
     value_text, AT(vectors_out_tangents)},
    {"--out", 'o', "OUT.npy", "samples (m, tracks, 4) float32; - is standard output", value_text,
     AT(out)},
    {"--vectors-out", 0, "W.npy", "samples of --vectors (m, tracks, 3) float32", value_text,
     AT(vectors_out)},
    {"--velocity", 0, "V.npy", "angular velocity, rad/s, (m, tracks, 3) float32", value_text,
     AT(velocity)},
    {"--acceleration", 0, "A.npy", "angular acceleration, rad/s^2, (m, tracks, 3) float32",
     value_text, AT(acceleration)},
    {"--velocity-frame", 0, "FRAME", "frame of velocity and acceleration: body (default) or parent",
     parse_frame, AT(velocity_frame)},
    {"--key-format", 0, "FORMAT",
     "format of the keys of step, nlerp, slerp and cubic in device memory: float32\n"
     "(default), log48 (error up to 7.6e-5 rad) or smallest48 (8.7e-5 rad)",
     parse_key_format, AT(key_format)},
    {"--json", 0, NULL, "print the report as JSON", NULL, AT(json)},
};
#undef AT

static const command_help help = {
    .name = "eval",
    .usage = "--keys K.npy (--key-times T.npy | --key-rate HZ) (--times X.npy | --rate HZ) "
             "--method NAME --out OUT.npy [OPTIONS]",
    .summary = "Samples rotation curves, one per track, through the keys of a .npy file.",
    .notes = "Supported .npy files: versions 1 to 3, little-endian, C order. Before the first key\n"
             "and after the last key an open track holds that key. Inputs are held in memory.\n"
             "Outputs are computed in pieces of 64 MiB (or one sample of all tracks, if that is\n"
             "more); each piece is written while the next is computed. Output files appear only\n"
             "when all of them are complete.",
    .example = "posemill eval --keys keys.npy --key-rate 30 --rate 120 --method squad "
               "--out samples.npy",
};

/* ---- conflicts ----- ------------------------------------------------------------ */

/* Requires exactly one of two options. */
static cli_exit require_one(bool first, const char *first_name, bool second,
                            const char *second_name) {
    if (first && second)
        return options_usage(&help, first_name, "cannot be combined with %s", second_name);
    if (!first && !second)
        return options_usage(&help, first_name, "missing; expected %s or %s", first_name,
                             second_name);
    return CLI_DONE;
}

/* Two outputs must not be the same file, and an output must not replace an input. */
static cli_exit check_clashes(const eval_options *options, const char *const *outputs,
                              size_t output_count) {
    const char *inputs[] = {
        options->keys,
        options->key_times,
        options->times,
        options->vectors,
        options->in_tangents,
        options->out_tangents,
        options->vectors_in_tangents,
        options->vectors_out_tangents,
        options->curve.tangents_file,
        options->curve.axis_file,
    };
    enum { INPUTS = sizeof inputs / sizeof inputs[0] };
    named_file names[EVAL_OUTPUTS + INPUTS];
    const named_file *output = NULL, *other = NULL;
    size_t count = 0;
    for (size_t i = 0; i < output_count; i++)
        names[count++] = (named_file){outputs[i], LOCATION_OUTPUT};
    for (size_t i = 0; i < INPUTS; i++)
        if (inputs[i])
            names[count++] = (named_file){inputs[i], LOCATION_INPUT};
    if (!names_clash(names, count, &output, &other))
        return CLI_DONE;
    if (other->use == LOCATION_INPUT)
        return options_usage(&help, output->name, "output would overwrite the input %s",
                             other->name);
    return options_usage(&help, output->name, "is the same file as the output %s", other->name);
}

/* An extension of another format would mislead readers. */
static cli_exit check_name(const char *name) {
    const char *extension = strcmp(name, "-") == 0 ? "" : extension_of(name);
    return extension[0] == '\0' || strcasecmp(extension, "npy") == 0
               ? CLI_DONE
               : cli_fail(CLI_USAGE, "output", "use the extension .npy, or - for standard output",
                          "'%s' has the extension of another format; expected .npy", name);
}

static cli_exit check_outputs(const eval_options *options) {
    if ((options->vectors != NULL) != (options->vectors_out != NULL))
        return options_usage(&help, options->vectors ? "--vectors" : "--vectors-out", "requires %s",
                             options->vectors ? "--vectors-out" : "--vectors");
    const char *names[EVAL_OUTPUTS];
    size_t count = eval_output_names(options, names);
    for (size_t i = 0; i < count; i++) {
        cli_exit code = check_name(names[i]);
        if (code != CLI_DONE)
            return code;
        if (strcmp(names[i], "-") == 0 && options->json)
            return options_usage(&help, "--json",
                                 "cannot be combined with an output on standard output");
    }
    return check_clashes(options, names, count);
}

static cli_exit check_tangents(const eval_options *options) {
    const pm_method_info *info = pm_method_get_info(options->curve.method);
    bool keys = options->in_tangents != NULL && options->out_tangents != NULL;
    bool vectors = options->vectors_in_tangents != NULL && options->vectors_out_tangents != NULL;
    if (!info->takes_in_out) {
        if (options->in_tangents || options->out_tangents || options->vectors_in_tangents ||
            options->vectors_out_tangents)
            return options_usage(&help, "--in-tangents",
                                 "tangent arrays require --method cubicspline");
        return CLI_DONE;
    }
    if (!keys)
        return options_usage(&help, "--method cubicspline",
                             "requires --in-tangents and --out-tangents");
    if (options->vectors && !vectors)
        return options_usage(&help, "--vectors",
                             "requires with cubicspline --vectors-in-tangents "
                             "and --vectors-out-tangents");
    return CLI_DONE;
}

/* Other methods store segment data that was computed from float32 keys. */
static cli_exit check_key_format(const eval_options *options) {
    const pm_method_info *info = pm_method_get_info(options->curve.method);
    if (options->key_format != PM_KEYS_FLOAT32 && info->floats_per_segment > 4)
        return options_usage(&help, "--key-format",
                             "not supported by %s; expected a method that stores only keys",
                             info->name);
    return CLI_DONE;
}

static cli_exit check_options(const eval_options *options) {
    static const char *const missing = "required option is missing";
    if (!options->keys)
        return options_usage(&help, "--keys", "%s", missing);
    if (!options->out)
        return options_usage(&help, "--out", "%s", missing);
    if (!options->curve.method_given)
        return options_usage(&help, "--method", "%s", missing);
    cli_exit code = require_one(options->key_times != NULL, "--key-times",
                                options->key_rate.den != 0, "--key-rate");
    if (code == CLI_DONE)
        code = require_one(options->times != NULL, "--times", options->rate.den != 0, "--rate");
    if (code == CLI_DONE && options->count_given && options->rate.den == 0)
        code = options_usage(&help, "--count", "requires --rate");
    if (code == CLI_DONE && options->curve.method == PM_METHOD_STERP && !options->curve.axis_given)
        code = options_usage(&help, "--method sterp", "requires --axis");
    if (code == CLI_DONE)
        code = check_tangents(options);
    if (code == CLI_DONE)
        code = check_key_format(options);
    return code == CLI_DONE ? check_outputs(options) : code;
}

/* ---- the report ---------------------------------------------------------------- */

static void report_json(const eval_options *options, const eval_input *input,
                        const pm_device_info *device, double seconds) {
    json_writer json = {stdout, 0, false};
    json_begin_object(&json, NULL);
    json_write_string(&json, "keys", options->keys);
    json_write_string(&json, "out", options->out);
    json_write_string(&json, "vectors_out", options->vectors_out);
    json_write_string(&json, "velocity", options->velocity);
    json_write_string(&json, "acceleration", options->acceleration);
    json_write_string(&json, "method", pm_method_get_info(options->curve.method)->name);
    json_write_integer(&json, "tracks", input->track_count);
    json_write_integer(&json, "keys_per_track", input->timeline.key_count);
    json_write_integer(&json, "samples", input->sample_count);
    json_write_string(&json, "device", device->name);
    json_write_string(&json, "device_type", device_type_name(device->type));
    json_write_number(&json, "seconds", seconds);
    json_end_object(&json);
}

static void report_text(const eval_options *options, const eval_input *input,
                        const pm_device_info *device, double seconds) {
    const char *names[EVAL_OUTPUTS];
    bool to_stdout = false;
    for (size_t i = 0, count = eval_output_names(options, names); i < count; i++)
        to_stdout = to_stdout || strcmp(names[i], "-") == 0;
    double rotations = (double)input->sample_count * (double)input->track_count;
    printable_line(to_stdout ? stderr : stdout,
                   "%s: %zu tracks, %zu keys -> %zu samples, %s, on %s, %.3f s, %.3g M rotations/s",
                   options->out, input->track_count, input->timeline.key_count, input->sample_count,
                   pm_method_get_info(options->curve.method)->name, device->name, seconds,
                   seconds > 0.0 ? rotations / seconds * 1e-6 : 0.0);
}

static void report(const eval_options *options, const eval_input *input, const pm_engine *engine,
                   double seconds) {
    pm_device_info device;
    pm_engine_get_info(engine, &device, sizeof(pm_device_info));
    progress_clear();
    if (options->json)
        report_json(options, input, &device, seconds);
    else if (!cli_quiet)
        report_text(options, input, &device, seconds);
}

/* ---- the work ------------------------------------------------------------------ */

static cli_exit evaluate(eval_options *options, eval_input *input) {
    pm_engine *engine = NULL;
    pm_clip *clip = NULL;
    pm_error error = {0};
    cli_exit code = eval_input_read(options, input);
    /* The input is checked before a driver is started: whether it is valid does not depend on the
     * device. */
    if (code == CLI_DONE && pm_clip_check(&input->desc, &error) != PM_OK)
        code = eval_input_fail(options, input, &error);
    if (code == CLI_DONE)
        code = device_options_engine(&options->device, &engine);
    if (code != CLI_DONE)
        goto cleanup;
    double begun = progress_clock();
    if (pm_clip_create(engine, &input->desc, &clip, &error) != PM_OK) {
        code = eval_input_fail(options, input, &error);
        goto cleanup;
    }
    code = eval_write(options, input, clip);
    if (code == CLI_DONE)
        report(options, input, engine, progress_clock() - begun);
cleanup:
    pm_clip_destroy(&clip);
    pm_engine_destroy(&engine);
    return code;
}

int cmd_eval(int argc, char **argv) {
    eval_options options = {.max_frames = OPTION_MAX_FRAMES, .device = {.in_background = true}};
    eval_input input = {0};
    const option_group groups[] = {
        {"Keys, samples, files", eval_table, sizeof eval_table / sizeof eval_table[0], &options},
        method_option_group(&options.curve, false),
        curve_options_group(&options.curve),
        device_options_group(&options.device),
    };
    cli_exit code = CLI_DONE;
    if (!options_parse(&help, groups, 4, &argc, argv, &code))
        return (int)code;
    code = check_options(&options);
    if (code == CLI_DONE)
        code = evaluate(&options, &input);
    eval_input_release(&input);
    return (int)code;
}
