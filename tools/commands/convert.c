/* SPDX-License-Identifier: MIT
 *
 * posemill convert: writes a motion file in another format.
 */
#include "commands.h"
#include "files/output_names.h"
#include "formats/json.h"
#include "motion/base/printable.h"
#include "options/device_options.h"
#include "options/motion_options.h"
#include "options/options.h"
#include "resample/resample_target.h"

#include <stdio.h>
#include <string.h>

typedef struct convert_options {
    const char *clip;
    const char *rate; /* NULL: keys as they are */
    bool euler_given;
    pm_euler_order euler;
    double scale; /* 0: not given */
    pm_motion_turn turn;
    size_t decimals;
    bool json;
    pm_motion_format to; /* of an output without an extension */
    motion_options motion;
    device_options device;
} convert_options;

/* ---- options ------------------------------------------------------------------------- */

static bool parse_euler(const char *text, void *target, char *reason) {
    static const char *const orders[PM_EULER_COUNT] = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX",
                                                       "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ"};
    convert_options *options = target;
    for (int i = 0; i < PM_EULER_COUNT; i++) {
        if (strcmp(text, orders[i]) == 0) {
            options->euler = (pm_euler_order)i;
            options->euler_given = true;
            return true;
        }
    }
    snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is no order of axes; expected one such as ZXY",
             text);
    return false;
}

static bool parse_scale(const char *text, void *target, char *reason) {
    double scale = 0;
    if (!option_number(text, &scale, reason) || scale <= 0) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is no scale; expected a number above 0",
                 text);
        return false;
    }
    *(double *)target = scale;
    return true;
}

static bool parse_up(const char *text, void *target, char *reason) {
    static const char *const words[PM_MOTION_TURN_COUNT] = {NULL, "z-to-y", "y-to-z"};
    for (int i = 1; i < PM_MOTION_TURN_COUNT; i++) {
        if (strcmp(text, words[i]) == 0) {
            *(pm_motion_turn *)target = (pm_motion_turn)i;
            return true;
        }
    }
    snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is unknown; expected z-to-y or y-to-z", text);
    return false;
}

#define AT(field) offsetof(convert_options, field)
static const option convert_table[] = {
    {"--to", 0, "FORMAT", "format of an output without an extension: bvh, gltf, glb, npz, csv",
     motion_option_format, AT(to)},
    {"--clip", 0, "NAME", "the clip to convert, by its name or number; default: all that fit",
     option_text, AT(clip)},
    {"--rate", 'r', "HZ", "also resample, as the verb resample does", resample_option_rate,
     AT(rate)},
    {"--euler", 0, "ORDER", "BVH: order of the rotation channels; default ZXY", parse_euler, 0},
    {"--scale", 0, "FACTOR", "multiply all lengths, such as 0.01 for centimetres to metres",
     parse_scale, AT(scale)},
    {"--up", 0, "TURN", "z-to-y or y-to-z: turn the world so that the other axis is up", parse_up,
     AT(turn)},
    {"--decimals", 0, "N", "BVH: decimals of computed numbers; default 6", resample_option_decimals,
     AT(decimals)},
    {"--json", 0, NULL, "print the report as JSON", NULL, AT(json)},
};
#undef AT

static const command_help help = {
    .name = "convert",
    .usage = "IN OUT [OPTIONS]",
    .summary = "Converts a motion file to another format. Nothing is rescaled, turned or\n"
               "resampled unless it is asked for.",
    .notes = "Reads and writes BVH, glTF, GLB, NPZ and CSV, by the extensions of the names. What\n"
             "the format cannot hold is listed and left out; with --strict it is an error.\n"
             "- is standard input or output.",
    .example = "posemill convert walk.bvh walk.glb --scale 0.01\n"
               "posemill convert character.glb walk.bvh --clip walk --rate 30",
    .takes_operands = true,
};

/* ---- running ------------------------------------------------------------------------- */

enum { LEFT_OUT_TEXT = 512 };

typedef struct work {
    const convert_options *options;
    const char *in, *out;
    pm_motion *motion;
    char left_out[LEFT_OUT_TEXT];
} work;

static void note_left_out(void *user, const char *what) {
    work *w = user;
    const size_t used = strlen(w->left_out);
    snprintf(w->left_out + used, sizeof w->left_out - used, "%s%s", used > 0 ? ", " : "", what);
}

static cli_exit result(const work *w, pm_status status, const pm_error *error) {
    if (status == PM_OK) {
        return CLI_DONE;
    }
    return status == PM_ERROR_OUTPUT ? cli_fail_file(error) : cli_fail_error(w->in, error);
}

/* Replaces the motion by a resampled copy. */
static cli_exit resample(work *w) {
    pm_error error = {.status = PM_OK};
    pm_engine *engine = NULL;
    pm_motion *copy = NULL;
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    pm_motion_resample_options options = {.authored = true};
    cli_exit code = resample_find_rate(w->options->rate, content, &options.rate);
    if (code == CLI_DONE) {
        code = device_options_engine(&w->options->device, &engine);
    }
    if (code == CLI_DONE) {
        code = result(w, pm_motion_resample_copy(w->motion, engine, &options, &copy, NULL, &error),
                      &error);
    }
    pm_engine_destroy(&engine);
    if (code == CLI_DONE) {
        pm_motion_destroy(&w->motion);
        w->motion = copy;
    }
    return code;
}

static void report(const work *w) {
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    FILE *file = strcmp(w->out, "-") == 0 ? stderr : stdout;
    if (w->options->json) {
        json_writer json = {stdout, 0, false};
        json_begin_object(&json, NULL);
        json_write_string(&json, "in", w->in);
        json_write_string(&json, "out", w->out);
        json_write_integer(&json, "nodes", content->node_count);
        json_write_integer(&json, "clips", content->clip_count);
        json_write_string(&json, "left_out", w->left_out);
        json_end_object(&json);
    } else if (!cli_quiet) {
        printable_line(file, "%s -> %s: %zu nodes, %zu clip%s%s%s", w->in, w->out,
                       content->node_count, content->clip_count,
                       content->clip_count == 1 ? "" : "s",
                       w->left_out[0] != '\0' ? "; left out: " : "", w->left_out);
    }
}

static cli_exit write_result(work *w) {
    const convert_options *o = w->options;
    pm_error error = {.status = PM_OK};
    pm_motion_convert_options options = {.format = o->to,
                                         .euler_given = o->euler_given,
                                         .euler = o->euler,
                                         .scale = o->scale,
                                         .turn = o->turn,
                                         .strict = o->motion.read.strict,
                                         .decimals = (unsigned)o->decimals,
                                         .left_out = note_left_out,
                                         .left_out_user = w};
    cli_exit code = CLI_DONE;
    if (o->clip != NULL) {
        code = motion_find_clip(w->motion, w->in, o->clip, &options.clip);
    }
    return code == CLI_DONE
               ? result(w, pm_motion_convert(w->motion, &options, w->out, &error), &error)
               : code;
}

static cli_exit run(work *w) {
    cli_exit code = motion_options_open(&w->options->motion, w->in, &w->motion);
    if (code == CLI_DONE && w->options->rate != NULL) {
        code = resample(w);
    }
    if (code == CLI_DONE) {
        code = write_result(w);
    }
    if (code == CLI_DONE) {
        report(w);
    }
    pm_motion_destroy(&w->motion);
    return code;
}

static cli_exit check(const convert_options *options, int operands, char **argv) {
    const named_file names[] = {{operands > 1 ? argv[1] : "-", LOCATION_OUTPUT},
                                {operands > 0 ? argv[0] : "-", LOCATION_INPUT}};
    const named_file *output = NULL, *other = NULL;
    if (operands != 2) {
        return options_usage(&help, "files", "%d given; expected an input and an output", operands);
    }
    if (options->json && strcmp(argv[1], "-") == 0) {
        return options_usage(&help, "--json",
                             "cannot be combined with an output on standard output");
    }
    if (names_clash(names, 2, &output, &other)) {
        return cli_fail(CLI_CANNOT_WRITE, argv[0], "choose another name for the output",
                        "would be overwritten by the result");
    }
    return CLI_DONE;
}

int cmd_convert(int argc, char **argv) {
    convert_options options;
    cli_exit code = CLI_DONE;
    memset(&options, 0, sizeof options);
    options.device.in_background = true;
    const option_group groups[] = {
        {"Conversion", convert_table, sizeof convert_table / sizeof convert_table[0], &options},
        motion_options_group(&options.motion),
        device_options_group(&options.device)};
    if (!options_parse(&help, groups, 3, &argc, argv, &code)) {
        return (int)code;
    }
    code = check(&options, argc, argv);
    if (code == CLI_DONE) {
        work w = {.options = &options, .in = argv[0], .out = argv[1]};
        code = run(&w);
    }
    return (int)code;
}
