/* SPDX-License-Identifier: MIT
 *
 * posemill join: motions of one skeleton, one after another.
 */
#include "commands.h"
#include "motion/base/printable.h"
#include "motion/files/output_names.h"
#include "motion/task/task.h"
#include "motion/task/task_files.h"
#include "options/motion_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cli_exit check(const command_options *o, char **inputs, int count) {
    pm_error error = {.status = PM_OK};
    if (count < 2)
        return options_usage(o, "input", "%d given; expected two motion files or more", count);
    if (!o->out)
        return options_usage(o, "-o", "missing; expected -o OUT");
    int streams = 0;
    for (int i = 0; i < count; i++)
        streams += strcmp(inputs[i], "-") == 0;
    if (streams > 1)
        return options_usage(o, "files", "%d are standard input, which can be read once", streams);
    for (int i = 0; i < count; i++) {
        const named_file names[] = {{o->out, LOCATION_OUTPUT}, {inputs[i], LOCATION_INPUT}};
        const named_file *output = NULL, *other = NULL;
        if (!o->set->batch.overwrite && names_clash(names, 2, &output, &other))
            return cli_fail(CLI_CANNOT_WRITE, inputs[i],
                            "choose another name for the output, or replace it with --overwrite",
                            "would be overwritten by the result");
    }
    return cli_done(task_check_output(&o->set->batch.task, false, o->out, &error), &error);
}

static cli_exit join(const command_options *o, pm_motion **motions, char **inputs, size_t count) {
    char other[TASK_LEFT_OUT];
    const task_how how = {.task = &o->set->batch.task, .log = cli_log};
    const task_input in = {.path = inputs[0]};
    const task_output out = {.path = o->out};
    task_report report;
    SCOPED(task_close) task_work w;
    pm_error error = {.status = PM_OK};
    for (size_t i = 1; i < count; i++) {
        task_list_differences(motions[0], motions[i], other);
        if (other[0] != '\0')
            cli_warn(inputs[i], "differs from %s in what is no motion, of which that is kept: %s",
                     inputs[0], other);
    }
    task_begin(&w, &how, &in, &out, &report);
    pm_status status =
        pm_motion_join((const pm_motion *const *)motions, count, (const char *const *)inputs,
                       &o->set->join, &w.motion, &error);
    if (status == PM_OK)
        status = task_write(&w, &error);
    if (status == PM_OK && !cli_quiet)
        printable_line(strcmp(o->out, "-") == 0 ? stderr : stdout,
                       "%zu motions -> %s: %zu nodes, %llu frames%s%s%s%s", count, o->out,
                       report.node_count, (unsigned long long)report.source_frames,
                       report.converted[0] != '\0' ? "; " : "", report.converted,
                       report.left_out[0] != '\0' ? "; left out: " : "", report.left_out);
    return cli_done(status, &error);
}

static cli_exit run(command_options *o, int count, char **operands) {
    FREED pm_motion **motions = calloc((size_t)count + 1, sizeof(pm_motion *));
    cli_exit code = motions
                        ? check(o, operands, count)
                        : cli_fail(CLI_BAD_INPUT, "join", CLI_MEMORY_HINT, "memory is exhausted");
    o->set->batch.task.read.body_model = true;
    for (int i = 0; i < count && code == CLI_DONE; i++)
        code = motion_options_open(&o->set->batch.task.read, operands[i], &motions[i]);
    if (code == CLI_DONE)
        code = join(o, motions, operands, (size_t)count);
    for (int i = 0; motions && i < count; i++)
        pm_motion_destroy(&motions[i]);
    return code;
}

const command command_join = {
    .verb = VERB_JOIN,
    .brief = "join motions one after another",
    .usage = "A B... -o OUT [OPTIONS]",
    .summary = "Joins motions of one skeleton one after another, frame by frame.",
    .notes =
        "Each begins a frame after the last one of the motion before. All have the same rate,\n"
        "and joints with the same names, parents and rest poses; others are refused. Of a\n"
        "file with several clips, the first is taken.",
    .example = "posemill join walk.bvh turn.bvh -o both.bvh --blend 0.2 --continue-root",
    .takes_operands = true,
    .run = run,
};
