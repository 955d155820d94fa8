/* SPDX-License-Identifier: MIT
 *
 * posemill info: says what motion files are.
 */
#include "info/info.h"
#include "commands.h"
#include "motion/base/format_list.h"
#include "motion/compare/outcome.h"
#include "motion/open/formats.h"
#include "options/motion_options.h"
#include "options/options.h"

#include <string.h>

typedef struct info_options {
    bool json;
    motion_options motion;
} info_options;

static const option info_table[] = {
    {"--json", 0, NULL, "print everything as JSON, one object per file", NULL,
     offsetof(info_options, json)},
};

static const command_help help = {
    .name = "info",
    .usage = "FILE... [OPTIONS]",
    .summary = "Describes motion files: format, skeleton, clips, rates and how they were\n"
               "read, and what is unusual about them.",
    .notes = "Reads" MOTION_READ_NAMES ". - is standard input.",
    .example = "posemill info walk.bvh\n"
               "posemill info archive/*.npz --json",
    .takes_operands = true,
};

/* Adds the file's format to a set of bits. */
static cli_exit one_file(const info_options *options, const char *path, unsigned *formats) {
    pm_motion *motion = NULL;
    pm_error error = {.status = PM_OK};
    motion_options reading = options->motion;
    reading.read.examine = true;
    reading.read.headers_only = true;
    reading.read.count_gaps = true;
    reading.quiet = true; /* notes have the warnings */
    cli_exit code = motion_options_open(&reading, path, &motion);
    if (code == CLI_DONE) {
        *formats |= 1u << pm_motion_get_content(motion)->format;
        code = scene_note(motion, path, &error) == PM_OK ? CLI_DONE : cli_fail_file(&error);
    }
    if (code == CLI_DONE && options->json)
        info_print_json(path, pm_motion_get_content(motion));
    else if (code == CLI_DONE)
        info_print(path, pm_motion_get_content(motion));
    pm_motion_destroy(&motion);
    return code;
}

int cmd_info(int argc, char **argv) {
    info_options options;
    cli_exit code = CLI_DONE, last = CLI_DONE;
    int failures = 0;
    unsigned formats = 0;
    memset(&options, 0, sizeof options);
    const option_group groups[] = {{"Options", info_table, 1, &options},
                                   motion_options_group(&options.motion)};
    if (!options_parse(&help, groups, 2, &argc, argv, &code))
        return (int)code;
    if (argc == 0)
        return (int)options_usage(&help, "input", "missing; expected a motion file");
    for (int i = 0; i < argc; i++) {
        code = one_file(&options, argv[i], &formats);
        failures += code != CLI_DONE;
        last = code != CLI_DONE ? code : last;
    }
    motion_options_warn(&options.motion, formats);
    return (int)(failures == 0 || failures == argc ? last : CLI_PARTIAL);
}
