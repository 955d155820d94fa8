/* SPDX-License-Identifier: MIT
 *
 * posemill info: says what motion files are.
 */
#include "commands.h"
#include "motion/base/format_list.h"
#include "motion/compare/outcome.h"
#include "options/motion_options.h"
#include "print/print.h"

/* Notes have the warnings. */
static void say_nothing(void *user, pm_log_level level, const pm_error *warning) {
    (void)user, (void)level, (void)warning;
}

/* Adds the file's format to a set of bits. */
static cli_exit one_file(const command_options *options, const char *path, unsigned *formats) {
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    pm_error error = {.status = PM_OK};
    pm_motion_read_options reading = options->set->batch.task.read;
    reading.examine = true;
    reading.headers_only = true;
    reading.count_gaps = true;
    reading.log = say_nothing;
    cli_exit code = motion_options_open(&reading, path, &motion);
    if (code == CLI_DONE) {
        *formats |= 1u << pm_motion_get_content(motion)->format;
        code = scene_note(motion, path, &error) == PM_OK ? CLI_DONE : cli_fail_file(&error);
    }
    if (code == CLI_DONE && options->json)
        info_print_json(path, motion);
    else if (code == CLI_DONE)
        info_print(path, motion);
    return code;
}

static cli_exit run(command_options *o, int count, char **operands) {
    cli_exit code = CLI_DONE, last = CLI_DONE;
    int failures = 0;
    unsigned formats = 0;
    if (count == 0)
        return options_usage(o, "input", "missing; expected a motion file");
    for (int i = 0; i < count; i++) {
        code = one_file(o, operands[i], &formats);
        failures += code != CLI_DONE;
        last = code != CLI_DONE ? code : last;
    }
    motion_options_warn(o, formats);
    return failures == 0 || failures == count ? last : CLI_PARTIAL;
}

const command command_info = {
    .verb = VERB_INFO,
    .brief = "describe motion files, and what is unusual about them",
    .usage = "FILE... [OPTIONS]",
    .summary = "Describes motion files: format, skeleton, clips, rates and how they were\n"
               "read, and what is unusual about them.",
    .notes = "Reads " MOTION_READ_NAMES ". - is standard input.",
    .example = "posemill info walk.bvh\n"
               "posemill info archive/*.npz --json",
    .takes_operands = true,
    .run = run,
};
