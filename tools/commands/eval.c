/* SPDX-License-Identifier: MIT
 *
 * posemill eval: .npy keys in, .npy samples out. Options and their conflicts, the order of the
 * work, and the report. Arrays are read in eval_input.c and written in eval_write.c.
 */
#include "eval/eval.h"
#include "commands.h"
#include "files/progress.h"
#include "motion/base/json.h"
#include "motion/base/printable.h"
#include "motion/files/output_names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Requires one of two options. */
static cli_exit require_one(const command_options *options, const char *first, const char *second) {
    return options_is_given(options->set, first + 2) || options_is_given(options->set, second + 2)
               ? CLI_DONE
               : options_usage(options, first, "missing; expected %s or %s", first, second);
}

/* Two outputs must not be the same file, and an output must not replace an input. */
static cli_exit check_clashes(const command_options *options, const char *const *outputs,
                              size_t output_count) {
    named_file names[EVAL_OUTPUTS + OPTION_ROWS_MAX];
    const named_file *output = NULL, *other = NULL;
    size_t count = 0;
    for (size_t i = 0; i < output_count; i++)
        names[count++] = (named_file){outputs[i], LOCATION_OUTPUT};
    for (size_t i = 0; i < option_row_count + command_row_count; i++) {
        const char *input = options_input(options->set, i);
        if (input)
            names[count++] = (named_file){input, LOCATION_INPUT};
    }
    if (!names_clash(names, count, &output, &other))
        return CLI_DONE;
    if (other->use == LOCATION_INPUT)
        return options_usage(options, output->name, "output would overwrite the input %s",
                             other->name);
    return options_usage(options, output->name, "is the same file as the output %s", other->name);
}

/* An extension of another format would mislead readers. */
static cli_exit check_name(const char *name) {
    const char *extension = strcmp(name, "-") == 0 ? "" : extension_of(name);
    return extension[0] == '\0' || strcasecmp(extension, "npy") == 0
               ? CLI_DONE
               : cli_fail(CLI_USAGE, "output", "use the extension .npy, or - for standard output",
                          "'%s' has the extension of another format; expected .npy", name);
}

static cli_exit check_outputs(const command_options *options) {
    const char *names[EVAL_OUTPUTS];
    size_t count = eval_output_names(options, names);
    for (size_t i = 0; i < count; i++) {
        CLI_TRY(check_name(names[i]));
        if (strcmp(names[i], "-") == 0 && options->json)
            return options_usage(options, "--json",
                                 "cannot be combined with an output on standard output");
    }
    return check_clashes(options, names, count);
}

static cli_exit check_tangents(const command_options *options) {
    const pm_method_info *info = pm_method_get_info(options->set->batch.task.curve.method);
    bool keys = options->in_tangents != NULL && options->out_tangents != NULL;
    bool vectors = options->vectors_in_tangents != NULL && options->vectors_out_tangents != NULL;
    if (!info->takes_in_out) {
        if (options->in_tangents || options->out_tangents || options->vectors_in_tangents ||
            options->vectors_out_tangents)
            return options_usage(options, "--in-tangents",
                                 "tangent arrays require --method cubicspline");
        return CLI_DONE;
    }
    if (!keys)
        return options_usage(options, "--method cubicspline",
                             "requires --in-tangents and --out-tangents");
    if (options->vectors && !vectors)
        return options_usage(options, "--vectors",
                             "requires with cubicspline --vectors-in-tangents "
                             "and --vectors-out-tangents");
    return CLI_DONE;
}

/* Other methods store segment data that was computed from float32 keys. */
static cli_exit check_key_format(const command_options *options) {
    const pm_method_info *info = pm_method_get_info(options->set->batch.task.curve.method);
    if (options->key_format != PM_KEYS_FLOAT32 && info->floats_per_segment > 4)
        return options_usage(options, "--key-format",
                             "not supported by %s; expected a method that stores only keys",
                             info->name);
    return CLI_DONE;
}

static cli_exit check_options(const command_options *options) {
    static const char *const missing = "required option is missing";
    if (!options->keys)
        return options_usage(options, "--keys", "%s", missing);
    if (!options->out)
        return options_usage(options, "--out", "%s", missing);
    if (!options->set->batch.task.curve.method_given)
        return options_usage(options, "--method", "%s", missing);
    CLI_TRY(require_one(options, "--key-times", "--key-rate"));
    CLI_TRY(require_one(options, "--times", "--rate"));
    if (options->set->batch.task.curve.method == PM_METHOD_STERP &&
        !options->set->batch.task.curve.axis_given)
        CLI_TRY(options_usage(options, "--method sterp", "requires --axis"));
    CLI_TRY(check_tangents(options));
    CLI_TRY(check_key_format(options));
    return check_outputs(options);
}

static void report_json(const command_options *options, const eval_input *input,
                        const pm_device_info *device, double seconds) {
    json_writer json = {stdout, 0, false};
    json_begin_object(&json, NULL);
    json_write_string(&json, "keys", options->keys);
    json_write_string(&json, "out", options->out);
    json_write_string(&json, "vectors_out", options->vectors_out);
    json_write_string(&json, "velocity", options->velocity);
    json_write_string(&json, "acceleration", options->acceleration);
    json_write_string(&json, "method",
                      pm_method_get_info(options->set->batch.task.curve.method)->name);
    json_write_integer(&json, "tracks", input->track_count);
    json_write_integer(&json, "keys_per_track", input->timeline.key_count);
    json_write_integer(&json, "samples", input->sample_count);
    json_write_string(&json, "device", device->name);
    json_write_string(&json, "device_type", device_type_name(device->type));
    json_write_number(&json, "seconds", seconds);
    json_end_object(&json);
}

static void report_text(const command_options *options, const eval_input *input,
                        const pm_device_info *device, double seconds) {
    const char *names[EVAL_OUTPUTS];
    bool to_stdout = false;
    for (size_t i = 0, count = eval_output_names(options, names); i < count; i++)
        to_stdout = to_stdout || strcmp(names[i], "-") == 0;
    double rotations = (double)input->sample_count * (double)input->track_count;
    printable_line(to_stdout ? stderr : stdout,
                   "%s: %zu tracks, %zu keys -> %zu samples, %s, on %s, %.3f s, %.3g M rotations/s",
                   options->out, input->track_count, input->timeline.key_count, input->sample_count,
                   pm_method_get_info(options->set->batch.task.curve.method)->name, device->name,
                   seconds, seconds > 0.0 ? rotations / seconds * 1e-6 : 0.0);
}

static void report(const command_options *options, const eval_input *input, const pm_engine *engine,
                   double seconds) {
    pm_device_info device;
    pm_engine_get_info(engine, &device);
    progress_clear();
    if (options->json)
        report_json(options, input, &device, seconds);
    else if (!cli_quiet)
        report_text(options, input, &device, seconds);
}

static cli_exit evaluate(command_options *options, eval_input *input) {
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    SCOPED(pm_clip_destroy) pm_clip *clip = NULL;
    pm_error error = {0};
    CLI_TRY(eval_input_read(options, input));
    /* The input is checked before a driver is started: whether it is valid does not depend on the
     * device. */
    if (pm_clip_check(&input->desc, &error) != PM_OK)
        return eval_input_fail(options, input, &error);
    CLI_TRY(device_options_engine(&options->device, &engine));
    const double begun = progress_clock();
    if (pm_clip_create(engine, &input->desc, &clip, &error) != PM_OK)
        return eval_input_fail(options, input, &error);
    CLI_TRY(eval_write(options, input, clip));
    report(options, input, engine, progress_clock() - begun);
    return CLI_DONE;
}

static cli_exit run(command_options *o, int count, char **operands) {
    SCOPED(eval_input_release) eval_input input = {0};
    (void)count, (void)operands;
    o->device.in_background = true;
    CLI_TRY(check_options(o));
    return evaluate(o, &input);
}

const command command_eval = {
    .verb = VERB_EVAL,
    .brief = "sample rotation curves: keys and samples in .npy files",
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
    .run = run,
};
