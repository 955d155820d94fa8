/* SPDX-License-Identifier: MIT
 *
 * The step that resamples: its rate, which may be relative to that of the source, its curve, its engine, and
 * what is reported. The last step of a file does not make a motion, but is written in pieces.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/model/names.h"
#include "motion/open/formats.h"
#include "motion/steps/steps.h"
#include "motion/time/rate.h"

/* ---- the rate ------------------------------------------------------------------------------ */

static pm_status find_rate(const char *text, const pm_motion_content *content, pm_rational *rate,
                           pm_error *error) {
    const pm_rational source = content->clip_count > 0
                                   ? content->clips[motion_first_clip(content)].rate
                                   : (pm_rational){0, 0};
    if ((*text == 'x' || *text == 'X' || *text == '/') && source.den == 0)
        return motion_fail_option(
            error, PM_ERROR_ARGUMENT, "rate",
            "'%s' is relative, and the file has no rate; expected frames per second, such as 30",
            text);
    if (rate_parse_target(text, source, rate))
        return PM_OK;
    motion_fail_option(error, PM_ERROR_ARGUMENT, "rate",
                       "'%s' is not a rate, or has too many digits relative to the source rate",
                       text);
    motion_hint(error, "use a rate such as 60, 29.97, 30000/1001, x2 or /4");
    return PM_ERROR_ARGUMENT;
}

const motion_about task_about_end = {.cure = "end-rule",
                                     .cure_value = "include",
                                     .hint = "adds a sample there; fit omits this warning"};

void task_describe_end(pm_rational rate, double seconds, pm_error *warning) {
    char name[RATE_TEXT];
    rate_describe(rate, name);
    motion_describe(warning, task_about_end,
                    "the last %.3g s are left out: no multiple of %s falls on the end", seconds,
                    name);
}

/* ---- what it is asked for ------------------------------------------------------------------- */

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
    MOTION_TRY(task_curve_apply(curve, keys - trimmed, task_count_rotations(clip), how->curve,
                                &w->curve, error));
    if (!curve->axis_given)
        w->curve.axes.data = NULL;
    return PM_OK;
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
    if (status == PM_OK && task->keep_time && w->format != PM_MOTION_ANY &&
        !motion_is_gltf(w->format))
        status =
            motion_fail_option(error, PM_ERROR_ARGUMENT, "keep-time",
                               "has no effect on %s, which begins at 0; it is for gltf and glb",
                               pm_motion_format_name(w->format));
    if (status == PM_OK)
        status = find_rate(task->rate, &w->motion->content, &w->rate, error);
    w->is_authored = is_authored(w, task);
    return status == PM_OK ? describe_curve(w, task, error) : status;
}

pm_status task_choose_engine(task_work *w, const pm_motion_batch_task *task, pm_error *error) {
    const pm_motion_resample_options options = task_resampling(w, task);
    MOTION_TRY(task_engines_choose(w->how->engines, w->motion, &options, w->path, w->how->log,
                                   w->how->log_user, &w->engine, error));
    pm_engine_get_info(w->engine, &w->report->device);
    if (task->check && w->report->device.type == PM_DEVICE_REFERENCE)
        motion_warn_at(w->how->log, w->how->log_user, "check",
                       "plain C is compared with itself, because there is no device");
    return PM_OK;
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

/* ---- the step ------------------------------------------------------------------------------- */

static bool is_asked(const pm_motion_batch_task *task) {
    return task->rate != NULL;
}

static pm_status make_step(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                           pm_error *error) {
    const pm_motion *form = motion_form_of(w->motion);
    const motion_format *writer = motion_format_of(w->format);
    pm_motion_resample_report done;
    MOTION_TRY(!writer || (form && motion_writes_document(writer, form))
                   ? PM_OK
                   : motion_check_writable(w->motion, w->format, error));
    MOTION_TRY(task_prepare_resampling(w, task, error));
    MOTION_TRY(task_choose_engine(w, task, error));
    const pm_motion_resample_options options = task_resampling(w, task);
    MOTION_TRY(pm_motion_resample_copy(w->motion, w->engine, &options, made, &done, error));
    task_report_resampling(w, task, &done);
    return PM_OK;
}

const task_step step_resample = {
    "resample",
    "resample",
    "rate start end end-rule trim-start keep-time max-frames check lowpass method "
    "tangents ends unlimited loop axis axis-frame swing twist clip",
    STEP_KEEPS_NODES | STEP_COMPUTES | STEP_IS_REPORTED,
    is_asked,
    make_step};
