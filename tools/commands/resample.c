/* SPDX-License-Identifier: MIT
 *
 * posemill resample: converts motion files to another frame rate. Options and their conflicts.
 */
#define _POSIX_C_SOURCE 200809L

#include "commands.h"
#include "motion/base/format_list.h"
#include "motion/base/counts.h"
#include "motion/open/formats.h"
#include "motion/task/task_edit.h"
#include "motion/task/task_files.h"
#include "options/conversion_options.h"
#include "options/curve_options.h"
#include "options/page_options.h"
#include "resample_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ------------------------------------------------------------------------ */

static bool parse_end_rule(const char *text, void *target, char *reason) {
    static const char *const words[PM_MOTION_END_COUNT] = {"fit", "include"};
    pm_motion_batch_task *task = target;
    size_t word = 0;

    task->end_rule_given = value_word(text, words, PM_MOTION_END_COUNT, &word, reason);
    task->end_rule = (pm_motion_end_rule)word;
    return task->end_rule_given;
}

static bool parse_lowpass(const char *text, void *target, char *reason) {
    double hertz = PM_MOTION_LOWPASS_AUTO;
    if (strcmp(text, "auto") != 0 && (!value_number(text, &hertz, reason) || hertz <= 0)) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is no cut-off; expected auto or above 0 Hz",
                 text);
        return false;
    }
    *(double *)target = hertz;
    return true;
}

#define AT(field) offsetof(resample_options, field)
#define TASK(field) AT(batch.run.task.field)
static const option resample_table[] = {
    {"--rate", 'r', "HZ", "target rate: 60, 29.97, 30000/1001, or relative to the source: x2, /4",
     resample_option_rate, TASK(rate)},
    {"--out", 'o', "OUT", "output file; - is standard output", value_text, AT(out)},
    {"--out-dir", 0, "DIR", "output folder of a batch; results mirror the inputs", value_text,
     AT(batch.run.out_dir)},
    {"--to", 0, "FORMAT",
     "format of outputs without an extension, and of all outputs of a batch:" MOTION_WRITTEN_NAMES,
     motion_option_format, TASK(format)},
    {"--clip", 0, "NAME",
     "a clip to resample, by its name or number; may be repeated; default: all", motion_option_clip,
     AT(clips)},
    {"--start", 0, "S", "first sample, in seconds after the first key; the result then begins at 0",
     value_time, TASK(start_after_first_key)},
    {"--end", 0, "S", "last sample at the latest, in seconds after the first key", value_time,
     TASK(end_after_first_key)},
    {"--end-rule", 0, "RULE",
     "fit (default): the last sample is the last multiple that fits;\n"
     "include: adds a sample at the end itself",
     parse_end_rule, AT(batch.run.task)},
    {"--lowpass", 0, "HZ",
     "remove higher frequencies, without a delay; auto: 0.45 of the smaller rate, so that a lower\n"
     "rate does not alias",
     parse_lowpass, TASK(lowpass)},
    {"--max-frames", 0, "N", "maximum number of frames in a result; default 100000000",
     option_frames, TASK(max_samples)},
    {"--trim-start", 0, "N", "drop the first N frames, such as a T-pose", value_size,
     TASK(trim_start)},
    {"--keep-time", 0, NULL,
     "glTF, with --start or --trim-start: samples keep their times, and the result does\n"
     "not begin at 0",
     NULL, TASK(keep_time)},
    {"--fill", 0, NULL,
     "fill gaps with a hermite curve: values that are not finite, and with --fill=frozen:N also\n"
     "rotations that hold exactly still for more than N frames while others move",
     task_option_fill, AT(fill)},
    {"--fill-max", 0, "S", "longest gap that --fill fills, in seconds; default 0.5", value_seconds,
     AT(fill.how.longest)},
    {"--check", 0, NULL, "also evaluate on the reference path and report the difference", NULL,
     TASK(check)},
    {"--json", 0, NULL, "print the report as JSON; for a batch, its records, one per line", NULL,
     AT(json)},
};
#undef TASK
#undef AT

static const command_help help = {
    .name = "resample",
    .usage = "IN -o OUT --rate HZ [--method NAME] [OPTIONS]\n"
             "IN OUT --rate HZ [OPTIONS]\n"
             "FILES|FOLDERS... --out-dir DIR --rate HZ [OPTIONS]",
    .summary = "Converts motion files to another frame rate. Rotations are interpolated as\n"
               "rotations. Samples at the time of a source frame keep the values of that frame.",
    .notes =
        "Reads" MOTION_READ_NAMES ";\n"
        "writes" MOTION_WRITTEN_NAMES ", by the extensions of the names; - is\n"
        "standard input or output. If the formats differ, the result is converted. The default\n"
        "method is slerp; for glTF it is `authored`: each channel by its own interpolation.\n"
        "sterp twists about the bones unless --axis is given.\n"
        "With --out-dir, folders are searched, and outputs have the names and folders of\n"
        "the inputs, with the extension of --to if it is given. A record of each file is kept;\n"
        "--resume does what is left or has changed. The results are the same for any number of\n"
        "jobs, shards and runs.",
    .example = "posemill resample walk.bvh -o walk120.bvh --rate 120 --method squad\n"
               "posemill resample takes --out-dir half --rate /2 --resume",
    .takes_operands = true,
};

static cli_exit check_options(const resample_options *options) {
    const pm_motion_batch_options *run = &options->batch.run;
    const pm_motion_batch_task *task = &run->task;
    if (!task->rate)
        return options_usage(&help, "--rate", "required option is missing");
    if (task->keep_time && task->start_after_first_key.den == 0 && task->trim_start == 0)
        return options_usage(&help, "--keep-time", "requires --start or --trim-start");
    if (options->fill.how.longest > 0 && !options->fill.is_given)
        return options_usage(&help, "--fill-max", "requires --fill");
    if (!task->curve.authored && pm_method_get_info(task->curve.method)->takes_in_out)
        return cli_fail(
            CLI_USAGE, "--method cubicspline",
            "use hermite, squad or spline, which compute tangents from the keys",
            "requires tangents, and BVH files have none; --method authored takes those of glTF");
    if (run->report && task_moves(task))
        return cli_fail(CLI_USAGE, "--report",
                        "leave out --scale and --up, or compare with a batch that has them",
                        "compares results with sources of the same lengths and axes");
    if (run->report && task->extracts_root)
        return options_usage(&help, "--report", "cannot be combined with --extract-root");
    const cli_exit code = conversion_options_check(&help, task);
    return code == CLI_DONE ? batch_options_check(&help, &options->batch, run->out_dir != NULL)
                            : code;
}

int cmd_resample(int argc, char **argv) {
    resample_options options;
    cli_exit code = CLI_DONE;
    char *command = page_command_line(argc, argv);

    memset(&options, 0, sizeof options);
    pm_motion_batch_options *run = &options.batch.run;
    run->made_by = command ? command : "posemill resample";
    run->task.max_samples = OPTION_MAX_FRAMES;
    options.device.in_background = true;
    const option_group groups[] = {{"Rates and files", resample_table,
                                    sizeof resample_table / sizeof resample_table[0], &options},
                                   conversion_options_group(&run->task),
                                   motion_options_group(&options.motion),
                                   method_option_group(&run->task.curve, true),
                                   curve_options_group(&run->task.curve),
                                   batch_options_group(&options.batch),
                                   batch_report_options_group(&options.batch),
                                   device_options_group(&options.device)};
    if (options_parse(&help, groups, sizeof groups / sizeof groups[0], &argc, argv, &code)) {
        options.motion.read.keep_nan = options.fill.is_given;
        run->task.fill = options.fill.is_given ? &options.fill.how : NULL;
        code = resample_find_output(&help, &options, &argc, argv);
        if (code == CLI_DONE)
            code = check_options(&options);
        if (code == CLI_DONE)
            code = resample_run(&options, argv, (size_t)argc);
    }
    free(command);
    return (int)code;
}
