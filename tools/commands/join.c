/* SPDX-License-Identifier: MIT
 *
 * posemill join: motions of one skeleton, one after another.
 */
#include "commands.h"
#include "motion/base/printable.h"
#include "motion/files/output_names.h"
#include "motion/task/task_edit.h"
#include "motion/task/task_files.h"
#include "options/conversion_options.h"
#include "options/motion_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct join_options {
    const char *out;
    bool overwrite;
    pm_motion_join_options join;
    motion_options motion;
    pm_motion_batch_task task; /* how it is written */
} join_options;

#define AT(field) offsetof(join_options, field)
static const option join_table[] = {
    {"--out", 'o', "OUT", "output file; - is standard output", value_text, AT(out)},
    {"--to", 0, "FORMAT", "format of an output without an extension; default: of the first input",
     motion_option_format, AT(task.format)},
    {"--blend", 0, "S",
     "crossfade of S seconds, in which each motion overlaps the next one; default: none",
     value_seconds, AT(join.blend)},
    {"--continue-root", 0, NULL,
     "each motion goes on where the one before ended: its heading, and its place on the ground; a\n"
     "pose that is there twice is left out",
     NULL, AT(join.continue_root)},
    {"--overwrite", 0, NULL, "the output may be one of the inputs", NULL, AT(overwrite)},
};
#undef AT

static const command_help help = {
    .name = "join",
    .usage = "A B... -o OUT [OPTIONS]",
    .summary = "Joins motions of one skeleton one after another, frame by frame.",
    .notes =
        "Each begins a frame after the last one of the motion before. All have the same rate,\n"
        "and joints with the same names, parents and rest poses; others are refused. Of a\n"
        "file with several clips, the first is taken.",
    .example = "posemill join walk.bvh turn.bvh -o both.bvh --blend 0.2 --continue-root",
    .takes_operands = true,
};

static cli_exit check(const join_options *o, char **inputs, int count) {
    pm_error error = {.status = PM_OK};
    if (count < 2)
        return options_usage(&help, "input", "%d given; expected two motion files or more", count);
    if (!o->out)
        return options_usage(&help, "-o", "missing; expected -o OUT");
    int streams = 0;
    for (int i = 0; i < count; i++)
        streams += strcmp(inputs[i], "-") == 0;
    if (streams > 1)
        return options_usage(&help, "files", "%d are standard input, which can be read once",
                             streams);
    for (int i = 0; i < count; i++) {
        const named_file names[] = {{o->out, LOCATION_OUTPUT}, {inputs[i], LOCATION_INPUT}};
        const named_file *output = NULL, *other = NULL;
        if (!o->overwrite && names_clash(names, 2, &output, &other))
            return cli_fail(CLI_CANNOT_WRITE, inputs[i],
                            "choose another name for the output, or replace it with --overwrite",
                            "would be overwritten by the result");
    }
    const cli_exit code = conversion_options_check(&help, &o->task);
    return code == CLI_DONE ? cli_done(task_check_output(&o->task, false, o->out, &error), &error)
                            : code;
}

static cli_exit join(const join_options *o, pm_motion **motions, char **inputs, size_t count) {
    char left_out[TASK_LEFT_OUT], other[TASK_LEFT_OUT];
    pm_motion *joined = NULL;
    pm_error error = {.status = PM_OK};
    for (size_t i = 1; i < count; i++) {
        task_list_differences(motions[0], motions[i], other);
        if (other[0] != '\0')
            cli_warn(inputs[i], "differs from %s in what is no motion, of which that is kept: %s",
                     inputs[0], other);
    }
    pm_status status = pm_motion_join((const pm_motion *const *)motions, count,
                                      (const char *const *)inputs, &o->join, &joined, &error);
    const pm_motion_content *content = pm_motion_get_content(joined);
    if (status == PM_OK)
        status = task_write_joined(&o->task, joined, o->out, left_out, &error);
    if (status == PM_OK && !cli_quiet)
        printable_line(strcmp(o->out, "-") == 0 ? stderr : stdout,
                       "%zu motions -> %s: %zu nodes, %zu frames%s%s", count, o->out,
                       content->node_count, content->clips[0].timelines[0].key_count,
                       left_out[0] != '\0' ? "; left out: " : "", left_out);
    pm_motion_destroy(&joined);
    return cli_done(status, &error);
}

int cmd_join(int argc, char **argv) {
    join_options options;
    cli_exit code = CLI_DONE;
    memset(&options, 0, sizeof options);
    const option_group groups[] = {
        {"Files", join_table, sizeof join_table / sizeof join_table[0], &options},
        conversion_options_group(&options.task),
        motion_options_group(&options.motion)};
    if (!options_parse(&help, groups, 3, &argc, argv, &code))
        return (int)code;
    pm_motion **motions = calloc((size_t)argc + 1, sizeof(pm_motion *));
    code = motions ? check(&options, argv, argc)
                   : cli_fail(CLI_BAD_INPUT, "join", CLI_MEMORY_HINT, "memory is exhausted");
    options.motion.read.body_model = true;
    options.task.read = options.motion.read;
    for (int i = 0; i < argc && code == CLI_DONE; i++)
        code = motion_options_open(&options.motion, argv[i], &motions[i]);
    if (code == CLI_DONE)
        code = join(&options, motions, argv, (size_t)argc);
    for (int i = 0; motions && i < argc; i++)
        pm_motion_destroy(&motions[i]);
    free(motions);
    return (int)code;
}
