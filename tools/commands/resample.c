/* SPDX-License-Identifier: MIT
 *
 * posemill resample: converts motion files to another frame rate. Conflicts of options.
 */
#include "commands.h"
#include "motion/base/format_list.h"
#include "motion/task/task_files.h"
#include "resample_run.h"

static cli_exit check_options(const command_options *options) {
    const pm_motion_batch_options *run = &options->set->batch;
    const pm_motion_batch_task *task = &run->task;
    if (!task->rate)
        return options_usage(options, "--rate", "required option is missing");
    if (!task->curve.authored && pm_method_get_info(task->curve.method)->takes_in_out)
        return cli_fail(
            CLI_USAGE, "--method cubicspline",
            "use hermite, squad or spline, which compute tangents from the keys",
            "requires tangents, and BVH files have none; --method authored takes those of glTF");
    if (run->report && task_moves(task))
        return cli_fail(
            CLI_USAGE, "--report",
            "leave out --scale, --to-up and --to-unit, or compare with a batch that has "
            "them",
            "compares results with sources of the same lengths and axes");
    return CLI_DONE;
}

/* A check is of the device's programs, and waits for them: otherwise plain C would be compared with itself. */
static cli_exit run(command_options *o, int count, char **operands) {
    const bool checks = o->set->batch.task.check;
    o->device.in_background = !checks;
    o->device.programs_on_cpu = checks;
    CLI_TRY(resample_find_output(o, &count, operands));
    CLI_TRY(check_options(o));
    return resample_run(o, operands, (size_t)count);
}

const command command_resample = {
    .verb = VERB_RESAMPLE,
    .brief = "convert motion files to another frame rate",
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
    .run = run,
};
