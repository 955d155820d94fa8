/* SPDX-License-Identifier: MIT
 *
 * posemill view: a page or a picture that shows one motion.
 */
#define _POSIX_C_SOURCE 200809L

#include "commands.h"
#include "files/open_clip.h"
#include "options/page_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct view_options {
    const char *output;
    const char *clip;
    pm_motion_compare_options compare;
    pm_motion_picture_options picture;
    motion_options motion;
} view_options;

static bool parse_size(const char *text, void *target, char *reason) {
    pm_motion_picture_options *o = target;
    char end = 0;
    const bool good = sscanf(text, "%5" SCNu32 "x%5" SCNu32 "%c", &o->width, &o->height, &end) == 2;
    if (!good || o->width == 0 || o->height == 0)
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is no size; expected pixels, such as 640x320",
                 text);
    return good && o->width > 0 && o->height > 0;
}

static bool parse_from(const char *text, void *target, char *reason) {
    static const char *const words[] = {"front", "side", "top", "back"};
    size_t word = 0;
    const bool good = value_word(text, words, sizeof words / sizeof words[0], &word, reason);
    *(pm_motion_picture_view *)target = (pm_motion_picture_view)word;
    return good;
}

static bool parse_poses(const char *text, void *target, char *reason) {
    size_t poses = 0;
    const bool good = value_size(text, &poses, reason) && poses > 0 && poses <= 3000;
    if (!good)
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is no number of poses; expected 1 to 3000",
                 text);
    *(uint32_t *)target = (uint32_t)poses;
    return good;
}

#define AT(field) offsetof(view_options, field)
static const option view_table[] = {
    {"--output", 'o', "PAGE",
     "the page, a file of HTML; or a picture: .svg, a strip of poses with their times, or .gif; - writes a\n"
     "page to stdout",
     value_text, AT(output)},
    {"--size", 0, "WxH", "pixels of a picture; default: 960x320 of SVG, 320x320 of GIF", parse_size,
     AT(picture)},
    {"--from", 0, "VIEW", "the view of a picture: front, side, top or back; default: front",
     parse_from, AT(picture.from)},
    {"--poses", 0, "N",
     "poses of a picture; default: as many as fit, or 25 in each second of a GIF", parse_poses,
     AT(picture.poses)},
    {"--clip", 0, "NAME", "the clip, by its name or number; default: the first", value_text,
     AT(clip)},
    {"--rate", 'r', "HZ", "show it at this rate instead of its key times", option_rational,
     AT(compare.rate)},
};
#undef AT

static const command_help help = {
    .name = "view",
    .usage = "FILE -o PAGE.html|PICTURE.svg|PICTURE.gif [OPTIONS]",
    .summary =
        "Writes a page that shows a motion: the skeleton, its curves, and what the file is; or a\n"
        "picture of its poses.",
    .notes = "The page needs nothing else: a browser opens it from the disk. A motion with more\n"
             "frames than fit in 20 MB is thinned for the view.",
    .example = "posemill view walk.bvh -o walk.html\n"
               "posemill view walk.bvh -o walk.svg --from side --poses 8\n"
               "posemill view walk.bvh -o walk.gif --size 240x240",
    .takes_operands = true,
};

static bool is_picture(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".svg") == 0 || strcasecmp(dot, ".gif") == 0);
}

static cli_exit write_page(view_options *o, const open_clip *clip, const char *command) {
    const pm_motion_page_options page = {.made_by = command};
    pm_error error = {.status = PM_OK};
    o->compare.clip_a = clip->clip;
    o->compare.name_a = clip->path;
    o->compare.digest_a = open_clip_digest(clip);
    o->compare.log = cli_log;
    o->compare.spelling = PM_SPELLING_COMMAND;
    if (is_picture(o->output))
        return pm_motion_write_picture(clip->motion, &o->compare, &o->picture, o->output, &error) ==
                       PM_OK
                   ? CLI_DONE
                   : cli_fail_file(&error);
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
        code = is_picture(options.output) ? page_check_inputs(options.output, argv, 1)
                                          : page_check_name(&help, options.output, argv, 1);
    if (code == CLI_DONE)
        code = run(&options, argv[0], command ? command : "posemill view");
    free(command);
    return (int)code;
}
