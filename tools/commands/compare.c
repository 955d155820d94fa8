/* SPDX-License-Identifier: MIT
 *
 * posemill compare: what a change did to a motion.
 */
#include "commands.h"
#include "files/open_clip.h"
#include "motion/compare/outcome.h"
#include "options/device_options.h"
#include "options/motion_options.h"
#include "print/print.h"

#include <stdio.h>
#include <string.h>

static cli_exit report(const command_options *o, const pm_motion_comparison *found) {
    const bool is_stream = o->out != NULL && strcmp(o->out, "-") == 0;
    if (o->json)
        fputs(pm_motion_comparison_json(found), stdout);
    else if (!cli_quiet)
        compare_print(is_stream ? stderr : stdout, &found->outcome);
    return found->found.is_exceeded ? CLI_PARTIAL : CLI_DONE;
}

/* The method is not `authored`. */
static bool has_method(const command_options *o) {
    return o->set->batch.task.curve.method_given && !o->set->batch.task.curve.authored;
}

static cli_exit compare(const command_options *o, const open_clip *a, const open_clip *b) {
    SCOPED(pm_motion_comparison_destroy) pm_motion_comparison *found = NULL;
    pm_error error = {.status = PM_OK};
    const pm_motion_compare_options *how = &o->set->compare;
    const pm_motion_page_options page = {.made_by = o->line};
    const pm_status status =
        !o->out ? pm_motion_compare(a->motion, b->motion, how, &found, &error)
                : pm_motion_write_page(a->motion, b->motion, how, &page, o->out, &found, &error);
    if (!has_method(o) && o->device.device)
        cli_warn("--device", "has no effect without --method");
    return status == PM_OK ? report(o, found) : cli_fail_file(&error);
}

static cli_exit compare_files(command_options *o, char **paths) {
    const pm_motion_read_options *read = &o->set->batch.task.read;
    pm_motion_compare_options *how = &o->set->compare;
    open_clip a = {.path = paths[0]}, b = {.path = paths[1]};
    cli_exit code = open_clip_of(read, paths[0], o->clip, &a);
    if (code == CLI_DONE)
        code = open_clip_beside(read, paths[1], o->clip, &a, &b);
    if (code == CLI_DONE) {
        open_clip_warn(&a);
        open_clip_warn(&b);
        motion_options_warn(o, 1u << pm_motion_get_content(a.motion)->format |
                                   1u << pm_motion_get_content(b.motion)->format);
    }
    if (code == CLI_DONE && has_method(o)) /* nothing else runs on a device */
        code = device_options_engine(&o->device, &how->engine);
    if (code == CLI_DONE) {
        how->clip_a = a.clip;
        how->clip_b = b.clip;
        how->name_a = a.path;
        how->name_b = b.path;
        how->digest_a = open_clip_digest(&a);
        how->digest_b = open_clip_digest(&b);
        how->log = cli_log;
        how->spelling = PM_SPELLING_COMMAND;
        code = compare(o, &a, &b);
    }
    close_clip(&b);
    close_clip(&a);
    pm_engine_destroy(&how->engine);
    return code;
}

static cli_exit check(const command_options *options, int operands, char **argv) {
    if (operands != 2)
        return options_usage(options, "files", "%d given; expected A and B", operands);
    if (strcmp(argv[0], "-") == 0 && strcmp(argv[1], "-") == 0)
        return options_usage(options, "files", "both are standard input");
    if (!options->out)
        return CLI_DONE;
    if (options->json && strcmp(options->out, "-") == 0)
        return options_usage(options, "--json",
                             "cannot be combined with a page on standard output");
    return page_check_name(options, options->out, argv, 2);
}

static cli_exit run(command_options *o, int count, char **operands) {
    CLI_TRY(check(o, count, operands));
    return compare_files(o, operands);
}

const command command_compare = {
    .verb = VERB_COMPARE,
    .brief = "show what a change did to a motion: angles, distances, speeds",
    .usage = "A B [OPTIONS]",
    .summary = "Compares two motion files joint by joint: angles, distances in the world, and\n"
               "speeds, at the key times of both. Any formats; lengths are not converted.",
    .notes =
        "Joints are matched by name, else by order. Prints a line for each joint, the\n"
        "worst first, and one for the clip; differences far above all others are named apart.\n"
        "A file with many more key times than keys is compared at every n-th; the result says so.",
    .example = "posemill compare take.bvh take-resampled.bvh\n"
               "posemill compare take.bvh take-60.glb -o report.html\n"
               "posemill compare take.bvh take-60.glb --tolerance 0.1,1 --quiet",
    .takes_operands = true,
    .run = run,
};
