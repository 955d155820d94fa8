/* SPDX-License-Identifier: MIT
 *
 * posemill convert: writes motion files in another format. It is resample without a rate.
 */
#include "commands.h"
#include "options/conversion_options.h"
#include "resample_run.h"

#include <string.h>

#define AT(field) offsetof(resample_options, field)
static const option convert_table[] = {
    {"--out", 'o', "OUT", "output file, in place of a second operand; - is standard output",
     option_text, AT(out)},
    {"--out-dir", 0, "DIR", "output folder of a batch; results mirror the inputs", option_text,
     AT(batch.run.out_dir)},
    {"--to", 0, "FORMAT",
     "format of outputs without an extension, and of all outputs of a batch: bvh, gltf,\n"
     "glb, npz, csv",
     motion_option_format, AT(batch.run.task.format)},
    {"--clip", 0, "NAME", "the clip to convert, by its name or number; default: all that fit",
     motion_option_clip, AT(clips)},
    {"--rate", 'r', "HZ", "also resample, as the verb resample does with --method authored",
     resample_option_rate, AT(batch.run.task.rate)},
    {"--json", 0, NULL, "print the report as JSON; of a batch its records, one a line", NULL,
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
    .notes = "Reads and writes BVH, glTF, GLB, NPZ and CSV, by the extensions of the names. Data\n"
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

int cmd_convert(int argc, char **argv) {
    resample_options options;
    cli_exit code = CLI_DONE;
    memset(&options, 0, sizeof options);
    pm_motion_batch_task *task = &options.batch.run.task;
    task->converts = true;
    task->max_samples = OPTION_MAX_FRAMES;
    task->curve.authored = task->curve.method_given = true;
    options.device.in_background = true;
    const option_group groups[] = {
        {"Files", convert_table, sizeof convert_table / sizeof convert_table[0], &options},
        conversion_options_group(task),
        motion_options_group(&options.motion),
        batch_options_group(&options.batch),
        device_options_group(&options.device)};
    if (!options_parse(&help, groups, sizeof groups / sizeof groups[0], &argc, argv, &code))
        return (int)code;
    code = resample_find_output(&help, &options, &argc, argv);
    if (code == CLI_DONE)
        code = batch_options_check(&help, &options.batch, options.batch.run.out_dir != NULL);
    if (code == CLI_DONE)
        code = conversion_options_check(&help, task);
    if (code == CLI_DONE)
        code = resample_run(&options, argv, (size_t)argc);
    return (int)code;
}
