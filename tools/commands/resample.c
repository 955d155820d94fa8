/* SPDX-License-Identifier: MIT
 *
 * posemill resample: converts motion files to another frame rate. Options and their conflicts;
 * resample/resample.c resamples one file, batch/batch.c many.
 */
#define _POSIX_C_SOURCE 200809L

#include "resample/resample.h"
#include "commands.h"
#include "motion/base/counts.h"
#include "options/batch_options.h"
#include "options/page_options.h"
#include "resample/resample_run.h"
#include "resample/resample_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ------------------------------------------------------------------------ */

static bool parse_end_rule(const char *text, void *target, char *reason) {
    static const char *const words[PM_MOTION_END_COUNT] = {"fit", "include"};
    resample_options *options = target;
    size_t word = 0;

    options->end_rule_given = option_word(text, words, PM_MOTION_END_COUNT, &word, reason);
    options->end_rule = (pm_motion_end_rule)word;
    return options->end_rule_given;
}

#define AT(field) offsetof(resample_options, field)
static const option resample_table[] = {
    {"--rate", 'r', "HZ", "target rate: 60, 29.97, 30000/1001, or relative to the source: x2, /4",
     resample_option_rate, AT(rate)},
    {"--out", 'o', "OUT", "output file; - is standard output", option_text, AT(out)},
    {"--out-dir", 0, "DIR", "output folder of a batch; results mirror the inputs", option_text,
     AT(out_dir)},
    {"--to", 0, "FORMAT",
     "format of outputs without an extension, and of all outputs of a batch: bvh, gltf,\n"
     "glb, npz, csv",
     motion_option_format, AT(to)},
    {"--clip", 0, "NAME",
     "a clip to resample, by its name or number; may be repeated; default: all", motion_option_clip,
     AT(clips)},
    {"--start", 0, "S", "first sample, in seconds after the first key; the result begins at 0 then",
     option_time, AT(start)},
    {"--end", 0, "S", "last sample at the latest, in seconds after the first key", option_time,
     AT(end)},
    {"--end-rule", 0, "RULE",
     "fit (default): the last sample is the last multiple that fits;\n"
     "include: adds a sample at the end itself",
     parse_end_rule, 0},
    {"--max-frames", 0, "N", "maximum number of frames in a result; default 100000000",
     option_frames, AT(max_frames)},
    {"--trim-start", 0, "N", "drop the first N frames, such as a T-pose", option_size,
     AT(trim_start)},
    {"--keep-time", 0, NULL,
     "glTF, with --start or --trim-start: samples keep their times, and the result does\n"
     "not begin at 0",
     NULL, AT(keep_time)},
    {"--check", 0, NULL, "also evaluate on the reference path and report the difference", NULL,
     AT(check)},
    {"--json", 0, NULL, "print the report as JSON; of a batch its records, one a line", NULL,
     AT(json)},
};
#undef AT

static const command_help help = {
    .name = "resample",
    .usage = "IN -o OUT --rate HZ [--method NAME] [OPTIONS]\n"
             "IN OUT --rate HZ [OPTIONS]\n"
             "FILES|FOLDERS... --out-dir DIR --rate HZ [OPTIONS]",
    .summary = "Converts motion files to another frame rate. Rotations are interpolated as\n"
               "rotations. Samples at the time of a source frame keep the values of that frame.",
    .notes =
        "Reads and writes BVH, glTF, GLB, NPZ and CSV, by the extensions of the names; - is\n"
        "standard input or output. Where the formats differ, the result is converted. The\n"
        "default method is slerp, for glTF `authored`: each channel by its own interpolation.\n"
        "sterp turns about the bones unless --axis is given.\n"
        "With --out-dir, folders are searched through, and outputs have the names and folders of\n"
        "the inputs, with the extension of --to if it is given. A record of each file is kept;\n"
        "--resume does what is left or has changed. The results are the same for any number of\n"
        "jobs, shards and runs.",
    .example = "posemill resample walk.bvh -o walk120.bvh --rate 120 --method squad\n"
               "posemill resample takes --out-dir half --rate /2 --resume",
    .takes_operands = true,
};

static cli_exit check_options(const resample_options *options, const batch_options *batch) {
    if (options->rate == NULL) {
        return options_usage(&help, "--rate", "required option is missing");
    }
    if (options->keep_time && options->start.den == 0 && options->trim_start == 0) {
        return options_usage(&help, "--keep-time", "requires --start or --trim-start");
    }
    if (!options->curve.authored && pm_method_describe(options->curve.method)->takes_in_out) {
        return cli_fail(
            CLI_USAGE, "--method cubicspline",
            "use hermite, squad or spline, which compute tangents from the keys",
            "requires tangents, and BVH files have none; --method authored takes those of glTF");
    }
    if (batch->report != NULL && conversion_moves(&options->conversion)) {
        return cli_fail(CLI_USAGE, "--report",
                        "leave out --scale and --up, or compare with a batch that has them",
                        "compares results with sources of the same lengths and axes");
    }
    return batch_options_check(&help, batch, options->out_dir != NULL);
}

int cmd_resample(int argc, char **argv) {
    resample_options options;
    batch_options batch;
    cli_exit code = CLI_DONE;
    option_group groups[7];
    char *command = page_command_line(argc, argv);

    memset(&options, 0, sizeof options);
    memset(&batch, 0, sizeof batch);
    batch.command = command != NULL ? command : "posemill resample";
    options.max_frames = OPTION_MAX_FRAMES;
    options.device.in_background = true;
    options.curve.takes_authored = true;
    groups[0] = (option_group){"Rates and files", resample_table,
                               sizeof resample_table / sizeof resample_table[0], &options};
    groups[1] = conversion_options_group(&options.conversion);
    groups[2] = motion_options_group(&options.motion);
    groups[3] = curve_options_group(&options.curve);
    groups[4] = batch_options_group(&batch);
    groups[5] = batch_report_options_group(&batch);
    groups[6] = device_options_group(&options.device);
    if (options_parse(&help, groups, 7, &argc, argv, &code)) {
        code = resample_find_output(&help, &options, &batch, &argc, argv);
        if (code == CLI_DONE) {
            code = check_options(&options, &batch);
        }
        if (code == CLI_DONE) {
            code = resample_run(&options, &batch, argv, (size_t)argc);
        }
    }
    free(command);
    curve_options_release(&options.curve);
    return (int)code;
}
