/* SPDX-License-Identifier: MIT
 *
 * posemill view: a page or a picture that shows one motion.
 */
#include "commands.h"
#include "files/open_clip.h"
#include "options/motion_options.h"

#include <string.h>
#include <strings.h>

static bool is_picture(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".svg") == 0 || strcasecmp(dot, ".gif") == 0);
}

static cli_exit write_page(command_options *o, const open_clip *clip) {
    const pm_motion_page_options page = {.made_by = o->line, .all_clips = !o->clip};
    pm_motion_compare_options *how = &o->set->compare;
    pm_error error = {.status = PM_OK};
    how->clip_a = clip->clip;
    how->name_a = clip->path;
    how->digest_a = open_clip_digest(clip);
    how->log = cli_log;
    how->spelling = PM_SPELLING_COMMAND;
    if (is_picture(o->out))
        open_clip_warn(clip);
    const pm_status status =
        is_picture(o->out)
            ? pm_motion_write_picture(clip->motion, how, &o->set->picture, o->out, &error)
            : pm_motion_write_page(clip->motion, NULL, how, &page, o->out, NULL, &error);
    return cli_done(status, &error);
}

static cli_exit run(command_options *o, int count, char **operands) {
    pm_motion_read_options read = o->set->batch.task.read;
    if (count != 1)
        return options_usage(o, "file", "%d given; expected one motion file", count);
    if (!o->out)
        return options_usage(o, "-o", "missing; expected -o PAGE.html");
    open_clip clip = {.path = operands[0]};
    cli_exit code = is_picture(o->out) ? page_check_inputs(o->out, operands, 1)
                                       : page_check_name(o, o->out, operands, 1);
    read.examine = true; /* the page shows what is odd */
    if (code == CLI_DONE)
        code = open_clip_of(&read, operands[0], o->clip, &clip);
    if (code == CLI_DONE) {
        motion_options_warn(o, 1u << pm_motion_get_content(clip.motion)->format);
        code = write_page(o, &clip);
    }
    close_clip(&clip);
    return code;
}

const command command_view = {
    .verb = VERB_VIEW,
    .brief = "write a page that shows a motion",
    .usage = "FILE -o PAGE.html|PICTURE.svg|PICTURE.gif [OPTIONS]",
    .summary =
        "Writes a page that shows a motion: the skeleton, its curves, and what the file is; or a\n"
        "picture of its poses.",
    .notes =
        "The page needs nothing else: a browser opens it from the disk. It has a choice of all\n"
        "clips, unless --clip names one. A motion with more frames than fit in 20 MB is thinned\n"
        "for the view.",
    .example = "posemill view walk.bvh -o walk.html\n"
               "posemill view walk.bvh -o walk.svg --from side --poses 8\n"
               "posemill view walk.bvh -o walk.gif --size 240x240",
    .takes_operands = true,
    .run = run,
};
