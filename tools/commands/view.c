/* SPDX-License-Identifier: MIT
 *
 * posemill view: a page that shows one motion.
 */
#include "commands.h"
#include "compare/compare.h"
#include "compare/open.h"
#include "compare/scene.h"
#include "options/motion_options.h"
#include "options/options.h"
#include "report/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct view_options {
    const char *output;
    const char *clip;
    scene_options scene;
    pm_rational rate;
    motion_options motion;
} view_options;

#define AT(field) offsetof(view_options, field)
static const option view_table[] = {
    {"--output", 'o', "PAGE", "the page, a file of HTML; - writes to stdout", option_text,
     AT(output)},
    {"--clip", 0, "NAME", "the clip, by its name or number; default: the first", option_text,
     AT(clip)},
    {"--rate", 'r', "HZ", "show it at this rate instead of its key times", option_rational,
     AT(rate)},
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

static cli_exit write_page(const view_options *o, open_clip *clip, const joint_pairs *pairs,
                           const char *command) {
    comparison c = {
        .a = &clip->subject, .b = &clip->subject, .pairs = pairs, .times = {.rate = o->rate}};
    page_frames frames = {.count = 0};
    scene_hints hints = {.count = 0};
    cli_exit code = scene_apply(&o->scene, &c, clip->path, clip->path, &hints);
    scene_warn(&hints);
    const outcome out = {.comparison = &c,
                         .a = {clip->path, clip->digest[0] != '\0' ? clip->digest : NULL},
                         .b = {clip->path, clip->digest[0] != '\0' ? clip->digest : NULL},
                         .method = "authored",
                         .hints = &hints,
                         .unit_mm = clip->subject.unit_mm};
    const page p = {.outcome = &out, .frames = &frames, .command = command};
    if (code == CLI_DONE) {
        code = page_compute(&c, &frames, OPTION_MAX_FRAMES, clip->path);
    }
    if (code == CLI_DONE) {
        code = page_write(o->output, &p);
    }
    page_frames_release(&frames);
    compare_release(&c);
    return code;
}

static cli_exit run(const view_options *o, const char *path, const char *command) {
    open_clip clip = {.path = path};
    joint_pairs pairs = {.count = 0};
    motion_options reading = o->motion;
    reading.read.examine = true; /* the page shows what is odd */
    cli_exit code = open_clip_of(&reading, path, o->clip, &clip);
    if (code == CLI_DONE) {
        motion_options_warn(&o->motion, 1u << pm_motion_get_content(clip.motion)->format);
        code = joints_match(&clip.subject, &clip.subject, NULL, &pairs);
    }
    if (code == CLI_DONE) {
        code = write_page(o, &clip, &pairs, command);
    }
    joints_release(&pairs);
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
        scene_options_group(&options.scene),
        motion_options_group(&options.motion)};
    if (!options_parse(&help, groups, 3, &argc, argv, &code)) {
        free(command);
        return (int)code;
    }
    if (argc != 1) {
        code = options_usage(&help, "file", "%d given; expected one motion file", argc);
    } else if (options.output == NULL) {
        code = options_usage(&help, "-o", "missing; expected -o PAGE.html");
    } else {
        code = page_check_name(&help, options.output, argv, 1);
    }
    if (code == CLI_DONE) {
        code = run(&options, argv[0], command != NULL ? command : "posemill view");
    }
    free(command);
    return (int)code;
}
