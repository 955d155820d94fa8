/* SPDX-License-Identifier: MIT
 *
 * The table of steps.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/task/task_steps.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "motion/model/names.h"
#include "motion/open/formats.h"
#include "motion/task/task_rate.h"
#include "motion/time/rate.h"

/* ---- what is said of them ------------------------------------------------------------------ */

/* Appends to a description, which ends in "..." where there is no more room. */
static void say(char text[TASK_EDITED], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(char text[TASK_EDITED], const char *format, ...) {
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text + used, TASK_EDITED - used, format, arguments);
    va_end(arguments);
    if (size >= 0 && (size_t)size >= TASK_EDITED - used)
        memcpy(text + TASK_EDITED - 4, "...", 4);
}

static void say_name(char text[TASK_EDITED], const char *before, const pm_motion_content *content,
                     size_t node) {
    char shown[MOTION_PRINTABLE];
    say(text, "%s%s", before, motion_joint_name(shown, content->nodes[node].name, (int64_t)node));
}

/* "2 pairs: LeftArm = RightArm, L_Leg = R_Leg; 5 in the middle; no partner: LeftToe" */
static void say_pairs(char text[TASK_EDITED], const pm_motion_content *content,
                      const pm_motion_mirror_report *report) {
    const char *before = ": ";
    say(text, "%zu pair%s", report->pair_count, report->pair_count == 1 ? "" : "s");
    for (size_t n = 0; n < report->node_count; n++)
        if (report->partners[n] > n) {
            say_name(text, before, content, n);
            say_name(text, " = ", content, report->partners[n]);
            before = ", ";
        }
    say(text, "; %zu in the middle",
        report->node_count - 2 * report->pair_count - report->alone_count);
    before = "; no partner: ";
    for (size_t i = 0; i < report->alone_count; i++, before = ", ")
        say_name(text, before, content, report->alone[i]);
}

/* "filled: 2 gaps of 7 keys that were not finite, 1 gap of 30 frozen keys, at most 0.25 s" */
static void say_gaps(char text[TASK_EDITED], const pm_motion_fill_report *r, bool frozen) {
    say(text, "filled: %zu gap%s of %zu keys that were not finite", r->nan_gaps,
        r->nan_gaps == 1 ? "" : "s", r->nan_keys);
    if (frozen)
        say(text, ", %zu gap%s of %zu frozen keys", r->frozen_gaps, r->frozen_gaps == 1 ? "" : "s",
            r->frozen_keys);
    if (r->longest > 0)
        say(text, ", at most %.6g s", r->longest);
}

/* ---- editing ------------------------------------------------------------------------------- */

static bool asks_fill(const pm_motion_batch_task *task) {
    return task->fill != NULL;
}

static pm_status fill(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                      pm_error *error) {
    static const pm_motion_fill_options defaults;
    const pm_motion_fill_options *o = task->fill ? task->fill : &defaults;
    pm_motion_fill_report filled;
    const pm_status status = pm_motion_fill(w->motion, o, made, &filled, error);
    if (status == PM_OK)
        say_gaps(w->report->edited, &filled, o->frozen > 0);
    return status;
}

static pm_status edit(task_work *w, const pm_motion_edit_options *o, pm_motion **made,
                      pm_error *error) {
    return pm_motion_edit(w->motion, o, made, error);
}

/* Also where nothing is cut: what is wrong with the other options is refused here. */
static bool asks_cut(const pm_motion_batch_task *task) {
    return task->edit != NULL;
}

static pm_status cut(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                     pm_error *error) {
    const pm_motion_edit_options *o = task->edit;
    if (o && o->repeat < 2 && (o->blend > 0 || o->continue_root))
        return edit(w, o, made, error);
    return edit(w,
                o ? &(pm_motion_edit_options){.start_after_first_key = o->start_after_first_key,
                                              .end_after_first_key = o->end_after_first_key,
                                              .cut_frames = o->cut_frames}
                  : NULL,
                made, error);
}

static bool asks_repeat(const pm_motion_batch_task *task) {
    return task->edit && task->edit->repeat > 1;
}

static pm_status repeat(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                        pm_error *error) {
    const pm_motion_edit_options *o = task->edit;
    return edit(w,
                o ? &(pm_motion_edit_options){.repeat = o->repeat,
                                              .blend = o->blend,
                                              .continue_root = o->continue_root}
                  : NULL,
                made, error);
}

static bool asks_pick(const pm_motion_batch_task *task) {
    return task->edit && (task->edit->joint_count > 0 || task->edit->rename_count > 0);
}

static pm_status pick(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                      pm_error *error) {
    const pm_motion_edit_options *o = task->edit;
    return edit(w,
                o ? &(pm_motion_edit_options){.joints = o->joints,
                                              .joint_count = o->joint_count,
                                              .renames = o->renames,
                                              .rename_count = o->rename_count}
                  : NULL,
                made, error);
}

static bool asks_mirror(const pm_motion_batch_task *task) {
    return task->mirror != NULL;
}

static pm_status mirror(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                        pm_error *error) {
    pm_motion_mirror_report mirrored;
    const pm_status status = pm_motion_mirror(w->motion, task->mirror, made, &mirrored, error);
    if (status == PM_OK)
        say_pairs(w->report->edited, &(*made)->content, &mirrored);
    return status;
}

static bool asks_root(const pm_motion_batch_task *task) {
    return task->extracts_root;
}

static pm_status root(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                      pm_error *error) {
    pm_motion_root_report *report = &w->report->root;
    const pm_status status = pm_motion_extract_root(w->motion, &task->root, made, report, error);
    if (status == PM_OK)
        motion_joint_name(w->report->root_joint, (*made)->content.nodes[report->joint].name,
                          report->joint);
    return status;
}

/* ---- resampling ---------------------------------------------------------------------------- */

static bool has_splines(const pm_motion_content *content) {
    for (size_t i = 0; i < content->clip_count; i++)
        for (size_t c = 0; c < content->clips[i].channel_count; c++)
            if (content->clips[i].channels[c].interpolation == PM_MOTION_CUBICSPLINE)
                return true;
    return false;
}

/* Formats with interpolations of their own keep them, and so do splines that a step has made, unless a
 * method is given. */
static bool is_authored(const task_work *w, const pm_motion_batch_task *task) {
    const pm_motion_content *content = &w->motion->content;
    return task->curve.authored ||
           (!task->curve.method_given && (motion_is_gltf(content->format) || has_splines(content)));
}

size_t task_count_rotations(const pm_motion_clip *clip) {
    size_t count = 0;
    for (size_t c = 0; c < clip->channel_count; c++)
        count += clip->channels[c].path == PM_MOTION_ROTATION &&
                 clip->channels[c].interpolation != PM_MOTION_STEP;
    return count;
}

/* Without an axis sterp twists about the bones, which the library finds. */
static pm_status describe_curve(task_work *w, const pm_motion_batch_task *task, pm_error *error) {
    const task_how *how = w->how;
    const pm_motion_curve *curve = &task->curve;
    task_curve_warn(curve, w->is_authored, how->curve, how->log, how->log_user);
    if (w->is_authored)
        return PM_OK;
    const pm_motion_clip *clip = &w->motion->content.clips[task_first_clip(w)];
    const size_t keys = clip->timelines[0].key_count;
    const size_t trimmed = task->trim_start < keys ? task->trim_start : 0;
    w->curve = (pm_clip_desc){.track_count = 0};
    const pm_status status = task_curve_apply(curve, keys - trimmed, task_count_rotations(clip),
                                              how->curve, &w->curve, error);
    if (status == PM_OK && !curve->axis_given)
        w->curve.axes.data = NULL;
    return status;
}

pm_motion_resample_options task_resampling(const task_work *w, const pm_motion_batch_task *task) {
    return (pm_motion_resample_options){.rate = w->rate,
                                        .start_after_first_key = task->start_after_first_key,
                                        .end_after_first_key = task->end_after_first_key,
                                        .end_rule = task->end_rule,
                                        .trim_start = task->trim_start,
                                        .keep_time = task->keep_time,
                                        .max_samples = task->max_samples,
                                        .clips = w->clip_count > 0 ? w->clips : NULL,
                                        .clip_count = w->clip_count,
                                        .authored = w->is_authored,
                                        .curve = &w->curve,
                                        .check = task->check,
                                        .lowpass = task->lowpass,
                                        .progress = w->how->progress,
                                        .progress_user = w->how->progress_user};
}

pm_status task_prepare_resampling(task_work *w, const pm_motion_batch_task *task, pm_error *error) {
    pm_status status = motion_check_clip(&w->motion->content, task_first_clip(w), error);
    if (status == PM_OK && !task->rate)
        status = motion_fail_option(error, PM_ERROR_ARGUMENT, "rate", "is missing");
    if (status == PM_OK)
        status = task_find_rate(task->rate, &w->motion->content, &w->rate, error);
    w->is_authored = is_authored(w, task);
    return status == PM_OK ? describe_curve(w, task, error) : status;
}

pm_status task_choose_engine(task_work *w, const pm_motion_batch_task *task, pm_error *error) {
    const pm_motion_resample_options options = task_resampling(w, task);
    const pm_status status = task_engines_choose(w->how->engines, w->motion, &options, w->path,
                                                 w->how->log, w->how->log_user, &w->engine, error);
    if (status == PM_OK)
        pm_engine_get_info(w->engine, &w->report->device, sizeof w->report->device);
    return status;
}

/* A figure for the reader: what fails here has been reported, or concerns nothing that is written. */
static void find_aliasing(task_work *w, const pm_motion_batch_task *task) {
    const pm_motion_content *content = &w->motion->content;
    const pm_rational before = content->clips[task_first_clip(w)].rate;
    pm_motion_aliasing found;
    pm_error unread;
    if (task->lowpass != 0 || !w->how->finds_aliasing || before.den == 0 ||
        rate_value(w->rate) >= rate_value(before) ||
        pm_motion_find_aliasing(w->motion, w->rate, &found, &unread) != PM_OK)
        return;
    const pm_motion_channel *channel = &content->clips[found.clip].channels[found.channel];
    const pm_motion_name name =
        channel->node < 0 ? channel->name : content->nodes[channel->node].name;
    w->report->aliasing = found.degrees;
    motion_joint_name(w->report->aliasing_joint, name, channel->node);
}

void task_report_resampling(task_work *w, const pm_motion_batch_task *task,
                            const pm_motion_resample_report *done) {
    w->report->frames = done->samples;
    w->report->kept_frames = done->kept;
    w->report->identical = done->identical;
    w->report->max_error = done->max_error;
    w->report->cutoff = done->cutoff;
    w->report->end_cut = task->end_rule_given ? 0 : done->end_cut;
    find_aliasing(w, task);
}

static bool asks_resample(const pm_motion_batch_task *task) {
    return task->rate != NULL;
}

static pm_status resample(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                          pm_error *error) {
    const pm_motion *form = motion_form_of(w->motion);
    const motion_format *writer = motion_format_of(w->format);
    pm_motion_resample_report done;
    pm_status status = !writer || (form && motion_writes_document(writer, form))
                           ? PM_OK
                           : motion_check_writable(w->motion, w->format, error);
    if (status == PM_OK)
        status = task_prepare_resampling(w, task, error);
    if (status == PM_OK)
        status = task_choose_engine(w, task, error);
    if (status != PM_OK)
        return status;
    const pm_motion_resample_options options = task_resampling(w, task);
    status = pm_motion_resample_copy(w->motion, w->engine, &options, made, &done, error);
    if (status == PM_OK)
        task_report_resampling(w, task, &done);
    return status;
}

/* ---- reducing ------------------------------------------------------------------------------ */

static bool asks_reduce(const pm_motion_batch_task *task) {
    return task->reduce != NULL;
}

static pm_status reduce(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                        pm_error *error) {
    pm_motion_reduce_options how =
        task->reduce ? *task->reduce : (pm_motion_reduce_options){.has_angle = false};
    how.threads = w->how->is_batch ? 1 : how.threads; /* a batch has a thread for each file */
    how.progress = w->how->progress;
    how.progress_user = w->how->progress_user;
    pm_motion_reduction_destroy(&w->reduction);
    const pm_status status = task_reduce(w->motion, &how, w->format, w->clips, w->clip_count, made,
                                         &w->reduction, error);
    if (status == PM_OK)
        w->report->reduced = task_reduced_of(w->reduction);
    return status;
}

/* ---- the table ----------------------------------------------------------------------------- */

const task_step task_steps[] = {
    {"fill", "resample", "fill fill-max", false, asks_fill, fill},
    {"cut", "edit", "cut", false, asks_cut, cut},
    {"repeat", "edit", "repeat blend continue-root", false, asks_repeat, repeat},
    {"pick", "edit", "joints rename", false, asks_pick, pick},
    {"mirror", "mirror", "plane pairs", false, asks_mirror, mirror},
    {"resample", "resample",
     "rate start end end-rule trim-start keep-time max-frames check lowpass method tangents ends "
     "unlimited loop axis axis-frame swing twist clip",
     true, asks_resample, resample},
    {"reduce", "reduce", "angle position scale-error distance at curve smooth common clip", true,
     asks_reduce, reduce},
    {"root", "convert", "extract-root root-node root-name root-axes keep-heading keep-position up",
     true, asks_root, root},
};
const size_t task_step_count = sizeof task_steps / sizeof *task_steps;

const task_step *task_find_step(const char *name) {
    for (size_t i = 0; i < task_step_count; i++)
        if (strcmp(task_steps[i].name, name) == 0)
            return &task_steps[i];
    return NULL;
}

bool task_step_takes(const task_step *step, const char *option) {
    const size_t size = strlen(option);
    for (const char *at = step->options; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length == size && memcmp(at, option, size) == 0)
            return true;
        at += length;
    }
    return false;
}

bool task_has_step(const pm_motion_batch_task *task, const char *name) {
    const pm_motion_batch_task *options;
    const task_step *step = NULL;
    for (size_t i = 0; (step = task_step_of(task, i, &options)) != NULL; i++)
        if (strcmp(step->name, name) == 0)
            return true;
    return false;
}

const task_step *task_step_of(const pm_motion_batch_task *task, size_t index,
                              const pm_motion_batch_task **options) {
    *options = task;
    if (task->step_count > 0) {
        if (index >= task->step_count)
            return NULL;
        *options = task->steps[index].options;
        return task_find_step(task->steps[index].name);
    }
    for (size_t i = 0; i < task_step_count; i++)
        if (task_steps[i].is_asked(task) && index-- == 0)
            return &task_steps[i];
    return NULL;
}
