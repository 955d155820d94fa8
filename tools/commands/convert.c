/* SPDX-License-Identifier: MIT
 *
 * posemill convert: writes motion files in another format. It is resample without a rate. edit and
 * mirror are convert with a motion that is changed first.
 */
#include "commands.h"
#include "motion/base/format_list.h"
#include "motion/steps/steps.h"
#include "resample_run.h"

static cli_exit run(command_options *o, int count, char **operands) {
    o->device.in_background = true;
    CLI_TRY(resample_find_output(o, &count, operands));
    return resample_run(o, operands, (size_t)count);
}

const command command_convert = {
    .verb = VERB_CONVERT,
    .brief = "convert motion files to another format",
    .usage = "IN OUT [OPTIONS]\n"
             "IN -o OUT [OPTIONS]\n"
             "FILES|FOLDERS... --out-dir DIR [OPTIONS]",
    .summary = "Converts motion files to another format. Nothing is resampled unless it is\n"
               "asked for; lengths and axes become those of the format, if it has any.",
    .notes = "Reads" MOTION_READ_NAMES ";\n"
             "writes" MOTION_WRITTEN_NAMES ", by the extensions of the names. Data\n"
             "that the format cannot hold is listed and left out; with --strict it is an error.\n"
             "- is standard input or output.\n"
             "From BVH to BVH, joints keep their channels, and unchanged numbers keep their\n"
             "digits. With --out-dir a record of each file is kept, as by resample.",
    .example = "posemill convert walk.bvh walk.glb\n"
               "posemill convert character.glb walk.bvh --clip walk --rate 30\n"
               "posemill convert walk.bvh walk.glb --extract-root Hips\n"
               "posemill convert takes --out-dir metres --unit cm --to glb",
    .takes_operands = true,
    .run = run,
};

const command command_edit = {
    .verb = VERB_EDIT,
    .brief = "cut, repeat, and pick joints of motions",
    .usage = "IN -o OUT [OPTIONS]\n"
             "FILES|FOLDERS... --out-dir DIR [OPTIONS]",
    .summary = "Cuts and repeats motions, and picks and renames their joints, in this order.",
    .notes = "Frames are kept as they are in the file, and the result begins at 0. It may have\n"
             "another format. Joints that are left out are multiplied into those below them.",
    .example = "posemill edit walk.bvh -o step.bvh --cut 10f:40f\n"
               "posemill edit walk.bvh -o legs.glb --joints Hips,LeftUpLeg,RightUpLeg\n"
               "posemill edit takes --out-dir short --cut :2.5",
    .takes_operands = true,
    .run = run,
};

const command command_mirror = {
    .verb = VERB_MIRROR,
    .brief = "swap left and right",
    .usage = "IN -o OUT [OPTIONS]\n"
             "FILES|FOLDERS... --out-dir DIR [OPTIONS]",
    .summary = "Swaps left and right: a wave of the left hand becomes one of the right hand.",
    .notes =
        "Joints are left and right by their names: LeftArm, L_Hip, hip.L, lThigh, FL_hip_joint. All\n"
        "others are mirrored in their places. The rest pose, whose sides should be equal, tells the\n"
        "plane; pairs that are no mirror images there are reported.",
    .example = "posemill mirror wave.bvh -o other-hand.bvh\n"
               "posemill mirror takes --out-dir mirrored --pairs pairs.txt",
    .takes_operands = true,
    .run = run,
};

static cli_exit run_steps(command_options *o, int count, char **operands) {
    if (o->step_count == 0)
        return options_usage(o, "step", "missing; expected one of" TASK_STEP_NAMES);
    if (!o->out && !o->set->batch.out_dir)
        return options_usage(o, "-o", "missing; expected -o OUT or --out-dir DIR");
    return run(o, count, operands);
}

const command command_run = {
    .verb = VERB_RUN,
    .brief = "take motions through any sequence of steps",
    .usage = "[OPTIONS] IN -o OUT STEP [OPTIONS] [STEP [OPTIONS]]...\n"
             "[OPTIONS] FILES|FOLDERS... --out-dir DIR STEP [OPTIONS]...",
    .summary = "Reads motions, takes each through steps in the order in which they are named, and\n"
               "writes it.",
    .notes =
        "Steps are" TASK_STEP_NAMES ".\n"
        "Options before the first step are about reading and writing; those behind a step are its\n"
        "own, as of the verbs resample, edit, mirror, reduce and convert. A file that is named like\n"
        "a step is ./NAME. Frames that no step changes are written as they are in the file.",
    .example =
        "posemill run walk.bvh -o step.bvh cut --cut 10f:40f repeat --repeat 3\n"
        "posemill run takes --out-dir out --to glb mirror resample --rate 30 reduce --angle 1",
    .takes_operands = true,
    .takes_steps = true,
    .run = run_steps,
};
