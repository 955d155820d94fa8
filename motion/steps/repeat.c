/* SPDX-License-Identifier: MIT
 *
 * A motion that is cut, repeated, and has some of its joints: each step makes a motion of the one
 * before.
 */
#include "motion/steps/edit.h"

#include <math.h>

#include "motion/base/c_locale.h"
#include "motion/steps/steps.h"
#include "motion/time/resample_grid.h"

bool edit_is_near(const double *a, const double *b, size_t count, double tolerance) {
    double size = 0, apart = 0;
    for (size_t i = 0; i < count; i++) {
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
        apart = fmax(apart, fabs(a[i] - b[i]));
    }
    return apart <= tolerance * size;
}

static pm_status cut(const pm_motion *from, const pm_motion_edit_options *o, pm_motion **made,
                     pm_error *error) {
    pm_motion_clip *clips = NULL;
    SCOPED(pm_motion_destroy) pm_motion *to = made_begin(from, &clips);
    MOTION_TRY_MEMORY(to, error);
    for (size_t i = 0; i < from->content.clip_count; i++)
        if (clips[i].timeline_count > 0)
            MOTION_TRY(edit_cut_clip(from, o, to, i, error));
    return made_end(&to, made, error);
}

static pm_status repeat(const pm_motion *from, const pm_motion_edit_options *o, pm_motion **made,
                        pm_error *error) {
    const pm_motion_join_options how = {.blend = o->blend, .continue_root = o->continue_root};
    pm_motion_clip *clips = NULL;
    SCOPED(pm_motion_destroy) pm_motion *to = made_begin(from, &clips);
    edit_part *parts = to ? motion_allocate(&to->arena, o->repeat, sizeof *parts) : NULL;
    MOTION_TRY_MEMORY(parts, error);
    for (size_t i = 0; i < from->content.clip_count; i++) {
        for (size_t k = 0; k < o->repeat; k++)
            parts[k] = (edit_part){from, i, "the clip"};
        if (clips[i].channel_count > 0)
            MOTION_TRY(edit_join_clips(parts, o->repeat, &how, to, i, error));
    }
    return made_end(&to, made, error);
}

typedef pm_status (*edit_step)(const pm_motion *from, const pm_motion_edit_options *options,
                               pm_motion **made, pm_error *error);

/* Makes the next motion of the last one, which is destroyed unless it is the caller's. */
static pm_status take_step(edit_step step, const pm_motion *source, const pm_motion_edit_options *o,
                           pm_motion **last, pm_error *error) {
    pm_motion *made = NULL;
    const pm_status status = step(*last ? *last : source, o, &made, error);
    pm_motion_destroy(last);
    *last = made;
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static bool is_bound(pm_rational r) {
    return (r.num == 0 && r.den == 0) || (r.num >= 0 && r.den > 0);
}

static pm_status check_options(const pm_motion_edit_options *o, pm_error *error) {
    if (!is_bound(o->start_after_first_key) || !is_bound(o->end_after_first_key))
        return motion_fail(error, PM_ERROR_ARGUMENT, "begin and end must be 0 or more");
    if (!(o->blend >= 0 && o->blend <= 1e9))
        return motion_fail(error, PM_ERROR_ARGUMENT, "blend is %g, expected seconds from 0 on",
                           o->blend);
    if (o->repeat < 2 && (o->blend > 0 || o->continue_root))
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s has no effect without repeat",
                           o->blend > 0 ? "blend" : "continue_root");
    MOTION_TRY(motion_check_texts("joints", o->joints, o->joint_count, error));
    MOTION_TRY(motion_check_texts("renames", o->renames, 2 * o->rename_count, error));
    return MOTION_CHECK_NEXT(pm_motion_edit_options, o, error);
}

static pm_status edit(const pm_motion *motion, const pm_motion_edit_options *o, pm_motion **edited,
                      pm_error *error) {
    SCOPED(pm_motion_destroy) pm_motion *last = NULL;
    MOTION_TRY(check_options(o, error));
    MOTION_TRY(motion_check_keys(motion, error));
    MOTION_TRY(take_step(cut, motion, o, &last, error));
    if (o->repeat > 1)
        MOTION_TRY(take_step(repeat, motion, o, &last, error));
    if (o->joint_count > 0 || o->rename_count > 0)
        MOTION_TRY(take_step(edit_pick, motion, o, &last, error));
    return made_end(&last, edited, error);
}

pm_status pm_motion_edit(const pm_motion *motion, const pm_motion_edit_options *options,
                         pm_motion **edited, pm_error *error) {
    static const pm_motion_edit_options defaults;
    MOTION_REQUIRE(error, motion, edited);
    C_LOCALE_HERE;
    return edit(motion, options ? options : &defaults, edited, error);
}

/* ---- the step ------------------------------------------------------------------------------- */

static bool is_asked(const pm_motion_batch_task *task) {
    return task->edit && task->edit->repeat > 1;
}

static pm_status check_count(const pm_motion_content *content, const pm_motion_batch_task *task,
                             pm_error *error) {
    const uint64_t most = task->max_samples ? task->max_samples : RESAMPLE_MAX_SAMPLES;
    const uint64_t times = task->edit ? task->edit->repeat : 1;
    for (size_t i = 0; i < content->clip_count; i++)
        for (size_t t = 0; t < content->clips[i].timeline_count; t++) {
            const uint64_t keys = content->clips[i].timelines[t].key_count;
            uint64_t count;
            if (times < 2 || (!__builtin_mul_overflow(keys, times, &count) && count <= most))
                continue;
            motion_report(
                error, PM_ERROR_FILE,
                "%llu frames, %llu times, would become more than the limit of %llu frames",
                (unsigned long long)keys, (unsigned long long)times, (unsigned long long)most);
            motion_cure(error, "max-frames", NULL, "raises the limit");
            return PM_ERROR_FILE;
        }
    return PM_OK;
}

static pm_status make_step(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                           pm_error *error) {
    const pm_motion_edit_options *o = task->edit;
    MOTION_TRY(check_count(&w->motion->content, task, error));
    return pm_motion_edit(w->motion,
                          o ? &(pm_motion_edit_options){.repeat = o->repeat,
                                                        .blend = o->blend,
                                                        .continue_root = o->continue_root}
                            : NULL,
                          made, error);
}

const task_step step_repeat = {"repeat",         "edit",   "repeat blend continue-root max-frames",
                               STEP_KEEPS_NODES, is_asked, make_step};
