/* SPDX-License-Identifier: MIT
 *
 * posemill view: a page or a picture that shows one motion.
 */
#include "commands.h"
#include "view_batch.h"

#include <string.h>
#include <strings.h>

static bool is_picture(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".svg") == 0 || strcasecmp(dot, ".gif") == 0);
}

pm_status view_write(const command_options *o, const open_clip *clip, const char *out,
                     size_t *joints, pm_error *error) {
    const pm_motion_page_options page = {.made_by = o->line, .all_clips = !o->clip};
    pm_motion_compare_options how = o->set->compare;
    how.clip_a = clip->clip;
    how.name_a = clip->path;
    how.digest_a = open_clip_digest(clip);
    how.log = cli_log;
    how.spelling = PM_SPELLING_COMMAND;
    SCOPED(pm_motion_comparison_destroy) pm_motion_comparison *made = NULL;
    if (is_picture(out))
        return pm_motion_write_picture(clip->motion, &how, &o->set->picture, out, error);
    MOTION_TRY(pm_motion_write_page(clip->motion, NULL, &how, &page, out, &made, error));
    if (joints)
        *joints = pm_motion_comparison_get_differences(made)->joint_count;
    return PM_OK;
}

static cli_exit write_one(const command_options *o, const open_clip *clip) {
    pm_error error = {.status = PM_OK};
    if (is_picture(o->out))
        open_clip_warn(clip);
    return cli_done(view_write(o, clip, o->out, NULL, &error), &error);
}

static cli_exit view_one(command_options *o, char **operands) {
    pm_motion_read_options read = o->set->batch.task.read;
    open_clip clip = {.path = operands[0]};
    cli_exit code = is_picture(o->out) ? page_check_inputs(o->out, operands, 1)
                                       : page_check_name(o, o->out, operands, 1);
    read.examine = true; /* the page shows what is odd */
    if (code == CLI_DONE)
        code = open_clip_of(&read, operands[0], o->clip, &clip);
    if (code == CLI_DONE) {
        motion_options_warn(o, 1u << pm_motion_get_content(clip.motion)->format);
        code = write_one(o, &clip);
    }
    close_clip(&clip);
    return code;
}

static cli_exit view_many(command_options *o, int count, char **operands) {
    if (count == 0 && !o->set->sources.files_from)
        return options_usage(o, "input", "missing; expected a folder, a file or an archive");
#if POSEMILL_BATCH
    return view_batch(o, operands, (size_t)count);
#else
    (void)operands;
    return cli_no_batches();
#endif
}

static cli_exit run(command_options *o, int count, char **operands) {
    const pm_motion_batch_sources *sources = &o->set->sources;
    if (o->set->batch.out_dir)
        return view_many(o, count, operands);
    if (sources->files_from || sources->match)
        return options_usage(o, sources->match ? "--match" : "--files-from", "needs --out-dir DIR");
    if (count != 1)
        return options_usage(o, "file",
                             "%d given; expected one motion file, or --out-dir DIR for a page of "
                             "each",
                             count);
    if (!o->out)
        return options_usage(o, "-o", "missing; expected -o PAGE.html");
    return view_one(o, operands);
}

const command command_view = {
    .verb = VERB_VIEW,
    .brief = "write a page that shows a motion",
    .usage = "FILE -o PAGE.html|PICTURE.svg|PICTURE.gif [OPTIONS]\n"
             "FOLDER|FILE|ARCHIVE... --out-dir DIR [OPTIONS]",
    .summary =
        "Writes a page that shows a motion: the skeleton, its curves, and what the file is; or a\n"
        "picture of its poses.",
    .notes =
        "The page needs nothing else: a browser opens it from the disk. It has a choice of all\n"
        "clips, unless --clip names one. A motion with more frames than fit in 20 MB is thinned\n"
        "for the view.\n"
        "With --out-dir each file has a page, and DIR/index.html a line for each: what it is,\n"
        "what is odd, or why it has no page. Pages of the same name are replaced.",
    .example = "posemill view walk.bvh -o walk.html\n"
               "posemill view walk.bvh -o walk.svg --from side --poses 8\n"
               "posemill view walk.bvh -o walk.gif --size 240x240\n"
               "posemill view takes --out-dir pages",
    .takes_operands = true,
    .run = run,
};
