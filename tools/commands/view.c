/* SPDX-License-Identifier: MIT
 *
 * posemill view: a page that shows one motion.
 */
#include "commands.h"
#include "files/open_clip.h"
#include "options/page_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct view_options {
    const char *output;
    const char *clip;
    pm_motion_compare_options compare;
    motion_options motion;
} view_options;

#define AT(field) offsetof(view_options, field)
static const option view_table[] = {
    {"--output", 'o', "PAGE", "the page, a file of HTML; - writes to stdout", option_text,
     AT(output)},
    {"--clip", 0, "NAME", "the clip, by its name or number; default: the first", option_text,
     AT(clip)},
    {"--rate", 'r', "HZ", "show it at this rate instead of its key times", option_rational,
     AT(compare.rate)},
};
#undef AT

static const command_help help = {
    .name = "view",
    .usage = "FILE -o PAGE.html [OPTIONS]",
    .summary = "Writes a page that shows a motion: the skeleton, its curves, and what the file is.",
    .notes = "The page needs nothing else: a browser opens it from the disk. A motion with more\n"
             "frames than fit in 20 MB is thinned for the view.",
    .example = "posemill view walk.bvh -o walk.html",
    .takes_operands = true,
};

static cli_exit write_page(view_options *o, const open_clip *clip, const char *command) {
    const pm_motion_page_options page = {.made_by = command};
    pm_error error = {.status = PM_OK};
    o->compare.clip_a = clip->clip;
    o->compare.name_a = clip->path;
    o->compare.digest_a = open_clip_digest(clip);
    o->compare.log = cli_log;
    return pm_motion_write_page(clip->motion, NULL, &o->compare, &page, o->output, NULL, &error) ==
                   PM_OK
               ? CLI_DONE
               : cli_fail_file(&error);
}

static cli_exit run(view_options *o, const char *path, const char *command) {
    open_clip clip = {.path = path};
    motion_options reading = o->motion;
    reading.read.examine = true; /* the page shows what is odd */
    cli_exit code = open_clip_of(&reading, path, o->clip, &clip);
    if (code == CLI_DONE) {
        motion_options_warn(&o->motion, 1u << pm_motion_get_content(clip.motion)->format);
        code = write_page(o, &clip, command);
    }
    close_clip(&clip);
    return code;
}

int cmd_view(int argc, char **argv) {
    view_options options;
    cli_exit code = CLI_DONE;
    char *command = page_command_line(argc, argv);
    memset(&options, 0, sizeof options);
    const option_group groups[] = {
        {"Options", view_table, sizeof view_table / sizeof view_table[0], &options},
        scene_options_group(&options.compare),
        motion_options_group(&options.motion)};
    if (!options_parse(&help, groups, 3, &argc, argv, &code)) {
        free(command);
        return (int)code;
    }
    if (argc != 1)
        code = options_usage(&help, "file", "%d given; expected one motion file", argc);
    else if (!options.output)
        code = options_usage(&help, "-o", "missing; expected -o PAGE.html");
    else
        code = page_check_name(&help, options.output, argv, 1);
    if (code == CLI_DONE)
        code = run(&options, argv[0], command ? command : "posemill view");
    free(command);
    return (int)code;
}
