/* SPDX-License-Identifier: MIT
 *
 * posemill convert: writes motion files in another format. It is resample without a rate. edit and
 * mirror are convert with a motion that is changed first.
 */
#include "commands.h"
#include "motion/base/format_list.h"
#include "motion/open/formats.h"
#include "motion/task/task_edit.h"
#include "options/conversion_options.h"
#include "resample_run.h"

#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(resample_options, field)
static const option convert_table[] = {
    {"--out", 'o', "OUT", "output file, in place of a second operand; - is standard output",
     value_text, AT(out)},
    {"--out-dir", 0, "DIR", "output folder of a batch; results mirror the inputs", value_text,
     AT(batch.run.out_dir)},
    {"--to", 0, "FORMAT",
     "format of outputs without an extension, and of all outputs of a batch:" MOTION_WRITTEN_NAMES,
     motion_option_format, AT(batch.run.task.format)},
    {"--clip", 0, "NAME", "the clip to convert, by its name or number; default: all that fit",
     motion_option_clip, AT(clips)},
    {"--rate", 'r', "HZ", "also resample, as the verb resample does with --method authored",
     resample_option_rate, AT(batch.run.task.rate)},
    {"--json", 0, NULL, "print the report as JSON; for a batch, its records, one per line", NULL,
     AT(json)},
};
#undef AT

static const command_help help = {
    .name = "convert",
    .usage = "IN OUT [OPTIONS]\n"
             "IN -o OUT [OPTIONS]\n"
             "FILES|FOLDERS... --out-dir DIR [OPTIONS]",
    .summary = "Converts motion files to another format. Nothing is rescaled, turned or\n"
               "resampled unless it is asked for.",
    .notes = "Reads" MOTION_READ_NAMES ";\n"
             "writes" MOTION_WRITTEN_NAMES ", by the extensions of the names. Data\n"
             "that the format cannot hold is listed and left out; with --strict it is an error.\n"
             "- is standard input or output.\n"
             "From BVH to BVH, joints keep their channels, and unchanged numbers keep their\n"
             "digits. With --out-dir a record of each file is kept, as by resample.",
    .example = "posemill convert walk.bvh walk.glb --scale 0.01\n"
               "posemill convert character.glb walk.bvh --clip walk --rate 30\n"
               "posemill convert walk.bvh walk.glb --extract-root Hips\n"
               "posemill convert takes --out-dir metres --scale 0.01 --to glb",
    .takes_operands = true,
};

/* With the options of a group of its own, unless that is empty. */
static int run(const command_help *of, int argc, char **argv, resample_options *options,
               const option_group *own) {
    cli_exit code = CLI_DONE;
    pm_motion_batch_task *task = &options->batch.run.task;
    task->converts = true;
    task->max_samples = OPTION_MAX_FRAMES;
    task->curve.authored = task->curve.method_given = true;
    options->device.in_background = true;
    const option_group groups[] = {
        *own,
        {"Files", convert_table, sizeof convert_table / sizeof convert_table[0], options},
        conversion_options_group(task),
        motion_options_group(&options->motion),
        batch_options_group(&options->batch),
        device_options_group(&options->device)};
    const size_t first = own->count == 0;
    if (!options_parse(of, groups + first, sizeof groups / sizeof groups[0] - first, &argc, argv,
                       &code))
        return (int)code;
    code = resample_find_output(of, options, &argc, argv);
    if (code == CLI_DONE)
        code = batch_options_check(of, &options->batch, options->batch.run.out_dir != NULL);
    if (code == CLI_DONE)
        code = conversion_options_check(of, task);
    if (code == CLI_DONE)
        code = resample_run(options, argv, (size_t)argc);
    return (int)code;
}

int cmd_convert(int argc, char **argv) {
    resample_options options;
    memset(&options, 0, sizeof options);
    return run(&help, argc, argv, &options, &(option_group){.count = 0});
}

/* ---- edit ---------------------------------------------------------------------------- */

#define AT(field) offsetof(task_edit_options, field)
static const option edit_table[] = {
    {"--cut", 0, "A:B",
     "keep the part from A to B, both included: in seconds after the first key, 1.5:3, or in\n"
     "frames from 0, 10f:40f; A or B may be left out",
     task_option_cut, 0},
    {"--repeat", 0, "N", "play it N times", value_size, AT(edit.repeat)},
    {"--blend", 0, "S", "with --repeat: crossfade of S seconds", value_seconds, AT(edit.blend)},
    {"--continue-root", 0, NULL,
     "with --repeat: each time goes on where the one before ended; of a cycle\n"
     "the last pose, which is the first one, is left out",
     NULL, AT(edit.continue_root)},
    {"--joints", 0, "LIST",
     "keep these joints, by names with commas between them; each stays where it was in the world",
     task_option_joints, 0},
    {"--rename", 0, "OLD=NEW", "give a joint another name; may be repeated", task_option_rename, 0},
};
#undef AT

static const command_help edit_help = {
    .name = "edit",
    .usage = "IN -o OUT [OPTIONS]\n"
             "FILES|FOLDERS... --out-dir DIR [OPTIONS]",
    .summary = "Cuts and repeats motions, and picks and renames their joints, in this order.",
    .notes = "Frames are kept as they are in the file, and the result begins at 0. It may have\n"
             "another format. Joints that are left out are multiplied into those below them.",
    .example = "posemill edit walk.bvh -o step.bvh --cut 10f:40f\n"
               "posemill edit walk.bvh -o legs.glb --joints Hips,LeftUpLeg,RightUpLeg\n"
               "posemill edit takes --out-dir short --cut :2.5",
    .takes_operands = true,
};

int cmd_edit(int argc, char **argv) {
    resample_options options;
    task_edit_options o;
    memset(&options, 0, sizeof options);
    memset(&o, 0, sizeof o);
    options.batch.run.task.edit = &o.edit;
    const int code =
        run(&edit_help, argc, argv, &options,
            &(option_group){"Edits", edit_table, sizeof edit_table / sizeof edit_table[0], &o});
    task_edit_release(&o);
    return code;
}

/* ---- mirror -------------------------------------------------------------------------- */

#define AT(field) offsetof(pm_motion_mirror_options, field)
static const option mirror_table[] = {
    {"--plane", 0, "AXIS", "x, y or z, which points from right to left; default: x",
     task_option_plane, AT(normal)},
    {"--pairs", 0, "FILE", "a file with two names of joints on each line; default: by their names",
     value_text, AT(pairs)},
};
#undef AT

static const command_help mirror_help = {
    .name = "mirror",
    .usage = "IN -o OUT [OPTIONS]\n"
             "FILES|FOLDERS... --out-dir DIR [OPTIONS]",
    .summary = "Swaps left and right: a wave of the left hand becomes one of the right hand.",
    .notes =
        "Joints are left and right by Left and Right in their names, by L and R between\n"
        "separators, as in L_Hip and hip.L, or before a name, as in lThigh. All others are\n"
        "mirrored in their places. The rest pose is that of the file; its sides should be equal.",
    .example = "posemill mirror wave.bvh -o other-hand.bvh\n"
               "posemill mirror takes --out-dir mirrored --pairs pairs.txt",
    .takes_operands = true,
};

int cmd_mirror(int argc, char **argv) {
    resample_options options;
    pm_motion_mirror_options mirror;
    memset(&options, 0, sizeof options);
    memset(&mirror, 0, sizeof mirror);
    options.batch.run.task.mirror = &mirror;
    return run(&mirror_help, argc, argv, &options,
               &(option_group){"Mirroring", mirror_table,
                               sizeof mirror_table / sizeof mirror_table[0], &mirror});
}
