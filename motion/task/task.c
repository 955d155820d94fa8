/* SPDX-License-Identifier: MIT
 *
 * Reads one file, takes it through the steps of the task, and writes it.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/task/task.h"

#include <stdio.h>
#include <string.h>

#include "motion/base/os.h"
#include "motion/base/printable.h"
#include "motion/model/adjustment.h"
#include "motion/model/made.h"
#include "motion/open/formats.h"
#include "motion/resample/resample_check.h"
#include "motion/steps/steps.h"
#include "motion/task/task_clips.h"
#include "motion/task/task_files.h"
#include "motion/time/rate.h"

/* Names the input, unless the message names an output already. */
static pm_status result(pm_status status, const task_work *w, pm_error *error) {
    return status == PM_OK || status == PM_ERROR_OUTPUT || !error
               ? status
               : motion_name_failure(status, w->path, error);
}

/* Keys of the longest timelines of the clips that are resampled. */
static size_t count_frames(const task_work *w) {
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    const size_t clips = w->clip_count > 0 ? w->clip_count : content->clip_count;
    size_t frames = 0;
    for (size_t i = 0; i < clips; i++)
        frames += (size_t)motion_count_rows(&content->clips[w->clip_count > 0 ? w->clips[i] : i]);
    return frames;
}

/* Before `step`; NULL: before it is written. */
static void describe_source(task_work *w, const task_step *step, const pm_motion_batch_task *task) {
    task_report *report = w->report;
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    report->format = pm_motion_format_name(content->format);
    report->bytes_read = content->file_bytes;
    report->node_count = content->node_count;
    report->clip_count = content->clip_count;
    report->method = "";
    if (content->clip_count == 0)
        return;
    const pm_motion_clip *clip = &content->clips[task_first_clip(w)];
    const pm_motion_name text = clip->rate_text;
    const size_t size = utf8_cut(text.text, text.size, sizeof report->frame_time - 1);
    if (size > 0)
        memcpy(report->frame_time, text.text, size);
    report->frame_time[size] = '\0';
    report->source_rate = clip->rate;
    report->is_frame_time = content->format == PM_MOTION_BVH;
    report->rate_is_snapped = clip->rate_is_snapped;
    report->source_frames = count_frames(w);
    const bool resamples = step == &step_resample, reduces = step == &step_reduce;
    report->rate = resamples ? w->rate : reduces ? (pm_rational){0, 0} : clip->rate;
    report->track_count = task_count_rotations(clip);
    /* Layouts without a skeleton have a rotation for each joint. */
    report->joint_count = content->node_count > 0 ? content->node_count : report->track_count;
    const pm_method reduced = task->reduce ? task->reduce->curve : PM_METHOD_SLERP;
    report->method = reduces          ? pm_method_get_info(reduced)->name
                     : !resamples     ? ""
                     : w->is_authored ? "authored"
                                      : pm_method_get_info(task->curve.method)->name;
    report->checked = resamples && task->check;
    task_list_other_arrays(content, report->other_arrays, sizeof report->other_arrays);
}

static void note_left_out(void *user, const char *what) {
    char *text = user;
    const size_t used = strlen(text), size = sizeof((task_report *)0)->left_out;
    snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", what);
}

/* Counts the bytes of the output for the report. */
static void see_output(void *user, const void *data, size_t size) {
    const task_work *w = user;
    w->report->bytes_written += size;
    motion_observe(w->out->observer, data, size);
}

/* What was converted is a part of the report; what is not known is a warning. */
static void note_meaning(void *user, pm_log_level level, const pm_error *remark) {
    task_work *w = user;
    const motion_warnings to = {.log = w->how->log, .user = w->how->log_user, .name = w->path};
    if (remark->cure) {
        motion_tell(&to, level, remark);
        return;
    }
    task_say_converted(w, remark->message);
}

static pm_motion_convert_options writing_options(task_work *w, const pm_motion_observer *observer) {
    const pm_motion_batch_task *o = w->how->task;
    return (pm_motion_convert_options){.format = w->format,
                                       .clip = task_first_clip(w),
                                       .euler_given = o->euler_given,
                                       .euler = o->euler,
                                       .scale = o->scale,
                                       .up = w->knows_meaning ? PM_MOTION_UP_FOUND : o->up,
                                       .to_up = o->to_up,
                                       .unit_mm = w->knows_meaning ? 0 : o->unit_mm,
                                       .to_unit_mm = o->to_unit_mm,
                                       .strict = o->read.strict,
                                       .make_folders = w->how->is_batch || w->how->makes_folders,
                                       .must_be_new = w->out->must_be_new,
                                       .decimals = o->decimals,
                                       .drop_rest = o->drop_rest,
                                       .left_out = note_left_out,
                                       .left_out_user = w->report->left_out,
                                       .log = note_meaning,
                                       .log_user = w,
                                       .observer = observer};
}

/* Whether lengths or axes change. */
static pm_status find_moves(task_work *w, bool *moves, pm_error *error) {
    const pm_motion_convert_options options = writing_options(w, NULL);
    const motion_format *from = motion_format_of(w->motion->content.format);
    const motion_format *to = motion_format_of(w->format);
    motion_adjustment by = {.scale = 1};
    const pm_status status =
        to ? motion_find_adjustment(&options, w->motion, from, to, &by, error) : PM_OK;
    *moves = motion_is_adjusted(by);
    return status;
}

static pm_motion_format format_of_output(const task_work *w, const char *out) {
    const pm_motion_format named = pm_motion_find_format(out);
    return named != PM_MOTION_ANY                  ? named
           : w->how->task->format != PM_MOTION_ANY ? w->how->task->format
                                                   : pm_motion_get_content(w->motion)->format;
}

/* Options that the output cannot have. In a batch of several formats they are for the others. */
static pm_status check_conversion(task_work *w, pm_error *error) {
    const pm_motion_format format = w->format;
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    const bool has_rate = task_has_step(w->how->task, &step_resample),
               has_joints = w->report->node_count > 0;
    bool moves = false;
    const pm_status status = find_moves(w, &moves, error);
    if (status != PM_OK)
        return motion_name_failure(status, w->path, error);
    if (moves && motion_is_gltf(format) && motion_is_gltf(content->format))
        return motion_fail_at(error, PM_ERROR_FILE, w->path, NULL,
                              "glTF cannot be scaled or turned: its meshes would be left out");
    if (moves && has_rate && !has_joints && format == PM_MOTION_NPZ)
        return motion_fail_at(
            error, PM_ERROR_FILE, w->path, "convert it first, and resample the result",
            "without a skeleton it cannot be scaled or turned while it is resampled");
    if (moves)
        task_warn_of_still_arrays(w);
    if (!has_rate && !task_has_step(w->how->task, &step_reduce) && w->clip_count > 0 &&
        content->clip_count > 1 && motion_is_gltf(format))
        return motion_fail_option(
            error, PM_ERROR_ARGUMENT, "clip",
            "has no effect: %s holds all clips of '%s'; expected a format of one clip",
            pm_motion_format_name(format), w->path);
    return w->how->is_batch ? PM_OK : task_check_format(w->how->task, format, error);
}

/* Each clip that is chosen by name; if none is, that there is one to resample. */
static pm_status check_clips(const task_work *w, pm_error *error) {
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    pm_status status = motion_check_clip(content, task_first_clip(w), error);
    for (size_t i = 1; status == PM_OK && i < w->clip_count; i++)
        status = motion_check_clip(content, w->clips[i], error);
    return result(status, w, error);
}

/* Formats other than glTF hold one clip: the first with channels, unless one is given. */
static pm_status choose_one(task_work *w, pm_motion_format format, pm_error *error) {
    const char *name = pm_motion_format_name(format);
    if (w->clip_count > 1)
        return motion_fail_option(error, PM_ERROR_ARGUMENT, "clip",
                                  "picks %zu clips of '%s'; %s holds one", w->clip_count, w->path,
                                  name);
    if (pm_motion_get_content(w->motion)->clip_count > 0) {
        w->clips[0] = task_first_clip(w);
        w->clip_count = 1;
    }
    return PM_OK;
}

/* Of a step its own, or those of the task. */
static pm_status find_clips(task_work *w, const pm_motion_batch_task *options, pm_error *error) {
    const pm_motion_batch_task *task = options->clip_count > 0 ? options : w->how->task;
    if (pm_motion_get_content(w->motion)->clip_count == 0 &&
        task_has_step(w->how->task, &step_resample))
        return motion_fail_at(error, PM_ERROR_FILE, w->path, NULL,
                              "has no clips; there is nothing to resample");
    pm_status status = task_find_clips(w->motion, w->path, task, w->clips, &w->clip_count, error);
    if (status == PM_OK && (task_has_step(w->how->task, &step_resample) || w->clip_count > 0))
        status = check_clips(w, error);
    const bool holds_all = motion_is_gltf(w->format) || w->format == PM_MOTION_ANY;
    return status != PM_OK || holds_all ? status : choose_one(w, w->format, error);
}

/* Samples per frame of the file. 1 for a single key. */
static double ratio_of_frames(const task_work *w) {
    const pm_timeline *t = w->motion->content.clips[task_first_clip(w)].timelines;
    if (t->rate.den != 0)
        return rate_value(w->rate) / rate_value(t->rate);
    const double duration = t->key_count > 1 ? t->times[t->key_count - 1] - t->times[0] : 0.0;
    return duration > 0.0 ? duration * rate_value(w->rate) / (double)(t->key_count - 1) : 1.0;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* An NPZ file that becomes another one is never needed as a whole. */
static bool is_resampled_only(const task_work *w) {
    const pm_motion_batch_task *task = w->how->task, *options;
    const task_step *step = task_step_of(task, 0, &options);
    if (step != &step_resample || task_step_of(task, 1, &options) || task_moves(task))
        return false;
    const pm_motion_format named = pm_motion_find_format(w->out->path);
    const pm_motion_format wanted = named != PM_MOTION_ANY ? named : task->format;
    return wanted == PM_MOTION_ANY || wanted == PM_MOTION_NPZ;
}

/* What the steps require of the file. */
static void add_needs(const task_work *w, pm_motion_read_options *read) {
    const pm_motion_batch_task *task;
    for (size_t i = 0; task_step_of(w->how->task, i, &task); i++)
        read->body_model =
            read->body_model || task->mirror || (task->edit && task->edit->continue_root);
    read->keep_nan = read->keep_nan || task_has_step(w->how->task, &step_fill);
    read->body_model = read->body_model || task_has_step(w->how->task, &step_mirror);
}

void task_begin(task_work *w, const task_how *how, const task_input *in, const task_output *out,
                task_report *report) {
    *report = (task_report){.format = NULL};
    *w = (task_work){.how = how,
                     .in = in,
                     .out = out,
                     .path = strcmp(in->path, "-") == 0 ? "standard input" : in->path,
                     .report = report,
                     .begun = os_seconds()};
}

pm_status task_open(task_work *w, const task_how *how, const task_input *in, const task_output *out,
                    task_report *report, pm_error *error) {
    task_begin(w, how, in, out, report);
    pm_motion_read_options read = how->task->read;
    read.resample_only = is_resampled_only(w);
    read.headers_only = read.body_model = false;
    add_needs(w, &read);
    read.log = how->log;
    read.log_user = how->log_user;
    read.observer = in->observer;
    if (in->source_rate.den != 0)
        read.source_rate = in->source_rate;
    if (in->layout)
        read.layout = in->layout;
    read.up = how->task->up;
    read.unit_mm = how->task->unit_mm;
    w->knows_meaning = true;
    return task_read(&read, in->path, in->data, in->size, &w->motion, error);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* What is made takes the place of what it was made of. */
static pm_status take(task_work *w, const task_step *step, const pm_motion_batch_task *options,
                      pm_error *error) {
    pm_motion *made = NULL;
    const pm_status status = step->make(w, options, &made, error);
    if (status == PM_OK) {
        pm_motion_destroy(&w->motion);
        w->motion = made;
    }
    return result(status, w, error);
}

/* `resampling` are the options of a last step that resamples, in pieces if it can; NULL: there is none. */
static pm_status write_motion(task_work *w, const pm_motion_batch_task *resampling,
                              pm_error *error) {
    const pm_motion_observer observer = {.see = see_output, .user = w};
    const pm_motion_convert_options writing = writing_options(w, &observer);
    pm_motion_resample_report done = {.identical = true};
    if (!resampling)
        return result(pm_motion_convert(w->motion, &writing, w->out->path, error), w, error);
    const pm_motion_resample_options options = task_resampling(w, resampling);
    pm_status status = task_choose_engine(w, resampling, error);
    if (status == PM_OK)
        status = resample_write(w->motion, w->engine, &options, &writing, w->how->task->converts,
                                w->out->path, &done, error);
    if (status == PM_OK)
        task_report_resampling(w, resampling, &done);
    return result(status, w, error);
}

/* Once the frames are those that are resampled, reduced or written. */
static pm_status prepare(task_work *w, const task_step *step, const pm_motion_batch_task *options,
                         pm_error *error) {
    const bool resamples = step == &step_resample;
    MOTION_TRY(find_clips(w, options, error));
    if (resamples)
        MOTION_TRY(task_prepare_resampling(w, options, error));
    if (w->in->opened)
        w->in->opened(w->in->opened_user, resamples ? ratio_of_frames(w) : 1);
    describe_source(w, step, options);
    MOTION_TRY(check_conversion(w, error));
    if (!task_has_step(w->how->task, &step_resample))
        w->report->frames = w->report->source_frames;
    return PM_OK;
}

pm_status task_write(task_work *w, pm_error *error) {
    const pm_motion_batch_task *task = w->how->task, *options, *next;
    const task_step *step = NULL;
    size_t i = 0;
    pm_status status = PM_OK;
    w->format = format_of_output(w, w->out->path);
    for (; (step = task_step_of(task, i, &options)) && !(step->does & STEP_IS_REPORTED) &&
           status == PM_OK;
         i++)
        status = take(w, step, options, error);
    if (status == PM_OK)
        status = prepare(w, step, options, error);
    const size_t prepared = i;
    for (; step && status == PM_OK; step = task_step_of(task, ++i, &options)) {
        if (i > prepared && (step->does & STEP_IS_REPORTED))
            status = find_clips(w, options, error);
        if (step == &step_resample && !task_step_of(task, i + 1, &next)) {
            if (i > prepared && status == PM_OK)
                status = result(task_prepare_resampling(w, options, error), w, error);
            break;
        }
        if (status == PM_OK && step == &step_reduce && task_packing(options) &&
            task_step_of(task, i + 1, &next))
            status = motion_fail_option(error, PM_ERROR_ARGUMENT, task_packing(options),
                                        "is for the last step: another one would change the "
                                        "numbers that it rounds");
        if (status == PM_OK)
            status = take(w, step, options, error);
    }
    return status == PM_OK ? write_motion(w, step ? options : NULL, error) : status;
}

pm_status task_make(task_work *w, pm_error *error) {
    const pm_motion_batch_task *options;
    const task_step *step = NULL;
    pm_status status = PM_OK;
    w->format = PM_MOTION_ANY;
    for (size_t i = 0; status == PM_OK && (step = task_step_of(w->how->task, i, &options)); i++) {
        if ((step->does & STEP_IS_REPORTED))
            status = find_clips(w, options, error);
        if (status == PM_OK)
            status = take(w, step, options, error);
    }
    return status;
}

void task_close(task_work *w) {
    pm_motion_destroy(&w->motion);
    pm_motion_reduction_destroy(&w->reduction);
    w->report->seconds = os_seconds() - w->begun;
}
