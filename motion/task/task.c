/* SPDX-License-Identifier: MIT
 *
 * Resamples, converts or reduces one file: its clips, the rate, the curve, and what the format of the output asks
 * for.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/task/task.h"

#include <stdio.h>
#include <string.h>

#include "motion/base/printable.h"
#include "motion/base/seconds.h"
#include "motion/model/adjustment.h"
#include "motion/model/names.h"
#include "motion/open/formats.h"
#include "motion/resample/resample_check.h"
#include "motion/task/task_clips.h"
#include "motion/task/task_files.h"
#include "motion/task/task_rate.h"
#include "motion/time/rate.h"

/* Names the input, unless the message names an output already. */
static pm_status result(pm_status status, const task_work *w, pm_error *error) {
    return status == PM_OK || status == PM_ERROR_OUTPUT || !error
               ? status
               : motion_name_failure(status, w->path, error);
}

/* The first clip that is resampled. */
static size_t first_clip(const task_work *w) {
    return w->clip_count > 0 ? w->clips[0] : motion_first_clip(pm_motion_get_content(w->motion));
}

static const pm_motion_clip *clip_of(const task_work *w) {
    return &pm_motion_get_content(w->motion)->clips[first_clip(w)];
}

static bool is_gltf(pm_motion_format format) {
    return format == PM_MOTION_GLTF || format == PM_MOTION_GLB;
}

/* Formats with interpolations of their own keep them, unless a method is given. */
static bool is_authored(const task_work *w) {
    return w->how->task->curve.authored ||
           (!w->how->task->curve.method_given && is_gltf(pm_motion_get_content(w->motion)->format));
}

static size_t count_rotations(const pm_motion_clip *clip) {
    size_t count = 0;
    for (size_t c = 0; c < clip->channel_count; c++)
        count += clip->channels[c].path == PM_MOTION_ROTATION &&
                 clip->channels[c].interpolation != PM_MOTION_STEP;
    return count;
}

/* Without an axis sterp twists about the bones, which the library finds. */
static pm_status describe_curve(task_work *w, pm_error *error) {
    const task_how *how = w->how;
    const pm_motion_curve *curve = &how->task->curve;
    task_curve_warn(curve, w->is_authored, how->curve, how->log, how->log_user);
    if (w->is_authored)
        return PM_OK;
    const pm_motion_clip *clip = clip_of(w);
    const size_t keys = clip->timelines[0].key_count;
    const size_t trimmed = how->task->trim_start < keys ? how->task->trim_start : 0;
    const pm_status status = task_curve_apply(curve, keys - trimmed, w->report->track_count,
                                              how->curve, &w->curve, error);
    if (status == PM_OK && !curve->axis_given)
        w->curve.axes.data = NULL;
    return status;
}

/* Keys of the longest timelines of the clips that are resampled. */
static size_t count_frames(const task_work *w) {
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    const size_t clips = w->clip_count > 0 ? w->clip_count : content->clip_count;
    size_t frames = 0;
    for (size_t i = 0; i < clips; i++) {
        const pm_motion_clip *clip = &content->clips[w->clip_count > 0 ? w->clips[i] : i];
        size_t most = 0;
        for (size_t t = 0; t < clip->timeline_count; t++) {
            const size_t keys = clip->timelines[t].key_count;
            most = keys > most ? keys : most;
        }
        frames += most;
    }
    return frames;
}

static void list_other_arrays(const pm_motion_content *content, char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < content->other_array_count && used < size; i++) {
        const pm_motion_other_array *other = &content->other_arrays[i];
        const int length =
            snprintf(text + used, size - used, "%s%.*s%s", used > 0 ? ", " : "",
                     (int)(other->name.size < 128 ? other->name.size : 128), other->name.text,
                     other->nearest ? " (nearest earlier frame)" : "");
        used += length > 0 ? (size_t)length : 0;
    }
}

static void describe_source(task_work *w) {
    task_report *report = w->report;
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    report->format = pm_motion_format_name(content->format);
    report->bytes_read = content->file_bytes;
    report->node_count = content->node_count;
    report->clip_count = content->clip_count;
    report->method = "";
    if (content->clip_count == 0)
        return;
    const pm_motion_clip *clip = clip_of(w);
    const pm_motion_name text = clip->rate_text;
    const size_t size = utf8_cut(text.text, text.size, sizeof report->frame_time - 1);
    if (size > 0)
        memcpy(report->frame_time, text.text, size);
    report->frame_time[size] = '\0';
    report->source_rate = clip->rate;
    report->is_frame_time = content->format == PM_MOTION_BVH;
    report->rate_is_snapped = clip->rate_is_snapped;
    report->source_frames = count_frames(w);
    report->rate = w->how->task->rate     ? w->rate
                   : w->how->task->reduce ? (pm_rational){0, 0}
                                          : clip->rate;
    report->track_count = count_rotations(clip);
    /* Layouts without a skeleton have a rotation for each joint. */
    report->joint_count = content->node_count > 0 ? content->node_count : report->track_count;
    report->method = w->how->task->reduce  ? pm_method_get_info(w->how->task->reduce->curve)->name
                     : !w->how->task->rate ? ""
                     : w->is_authored      ? "authored"
                                           : pm_method_get_info(w->how->task->curve.method)->name;
    report->checked = w->how->task->check;
    list_other_arrays(content, report->other_arrays, sizeof report->other_arrays);
}

static pm_motion_resample_options library_options(const task_work *w) {
    const pm_motion_batch_task *o = w->how->task;
    return (pm_motion_resample_options){.rate = w->rate,
                                        .start_after_first_key = o->start_after_first_key,
                                        .end_after_first_key = o->end_after_first_key,
                                        .end_rule = o->end_rule,
                                        .trim_start = o->trim_start,
                                        .keep_time = o->keep_time,
                                        .max_samples = o->max_samples,
                                        .clips = w->clip_count > 0 ? w->clips : NULL,
                                        .clip_count = w->clip_count,
                                        .authored = w->is_authored,
                                        .curve = &w->curve,
                                        .check = o->check,
                                        .lowpass = o->lowpass,
                                        .progress = w->how->progress,
                                        .progress_user = w->how->progress_user};
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

static pm_motion_convert_options writing_options(const task_work *w, pm_motion_format format,
                                                 const pm_motion_observer *observer) {
    const pm_motion_batch_task *o = w->how->task;
    return (pm_motion_convert_options){.format = format,
                                       .clip = first_clip(w),
                                       .euler_given = o->euler_given,
                                       .euler = o->euler,
                                       .scale = o->scale,
                                       .up = o->up,
                                       .to_up = o->to_up,
                                       .unit_mm = o->unit_mm,
                                       .to_unit_mm = o->to_unit_mm,
                                       .strict = o->read.strict,
                                       .make_folders = w->how->is_batch,
                                       .must_be_new = w->out->must_be_new,
                                       .decimals = o->decimals,
                                       .left_out = note_left_out,
                                       .left_out_user = w->report->left_out,
                                       .observer = observer};
}

/* Whether lengths or axes change. */
static pm_status find_moves(const task_work *w, bool *moves, pm_error *error) {
    const pm_motion_convert_options options = writing_options(w, PM_MOTION_ANY, NULL);
    motion_adjustment by = {.scale = 1};
    const pm_status status =
        motion_find_adjustment(&options, pm_motion_get_content(w->motion)->format, &by, error);
    *moves = motion_is_adjusted(by);
    return status;
}

/* With its root extracted, where the task asks for it. */
static pm_status write_converted(task_work *w, const pm_motion *motion, pm_motion_format format,
                                 const pm_motion_observer *observer, pm_error *error) {
    const pm_motion_convert_options options = writing_options(w, format, observer);
    pm_motion *moved = NULL;
    if (!w->how->task->extracts_root)
        return pm_motion_convert(motion, &options, w->out->path, error);
    pm_status status =
        pm_motion_extract_root(motion, &w->how->task->root, &moved, &w->report->root, error);
    if (status == PM_OK) {
        const pm_motion_name name = moved->content.nodes[w->report->root.joint].name;
        motion_joint_name(w->report->root_joint, name, w->report->root.joint);
        status = pm_motion_convert(moved, &options, w->out->path, error);
    }
    pm_motion_destroy(&moved);
    return status;
}

static pm_status write_copy(task_work *w, pm_engine *engine,
                            const pm_motion_resample_options *options, pm_motion_format format,
                            const pm_motion_observer *observer, pm_motion_resample_report *done,
                            pm_error *error) {
    pm_motion *copy = NULL;
    pm_status status = motion_check_writable(w->motion, format, error);
    if (status == PM_OK)
        status = pm_motion_resample_copy(w->motion, engine, options, &copy, done, error);
    if (status == PM_OK)
        status = write_converted(w, copy, format, observer, error);
    pm_motion_destroy(&copy);
    return status;
}

static pm_motion_format format_of_output(const task_work *w, const char *out) {
    const pm_motion_format named = pm_motion_find_format(out);
    return named != PM_MOTION_ANY                  ? named
           : w->how->task->format != PM_MOTION_ANY ? w->how->task->format
                                                   : pm_motion_get_content(w->motion)->format;
}

static pm_status write_resampled(task_work *w, pm_motion_format format,
                                 const pm_motion_observer *observer,
                                 pm_motion_resample_report *done, pm_error *error) {
    const task_how *how = w->how;
    const pm_motion_resample_options options = library_options(w);
    const pm_motion_convert_options writing = writing_options(w, format, observer);
    pm_engine *engine = NULL;
    const pm_status status = task_engines_choose(how->engines, w->motion, &options, w->path,
                                                 how->log, how->log_user, &engine, error);
    if (status != PM_OK)
        return status;
    pm_engine_get_info(engine, &w->report->device, sizeof w->report->device);
    return how->task->extracts_root
               ? write_copy(w, engine, &options, format, observer, done, error)
               : resample_write(w->motion, engine, &options, &writing, how->task->converts,
                                w->out->path, done, error);
}

static pm_status write_reduced(task_work *w, pm_motion_format format,
                               const pm_motion_observer *observer, pm_error *error) {
    pm_motion *reduced = NULL;
    pm_motion_reduction *reduction = NULL;
    pm_motion_reduce_options how = *w->how->task->reduce;
    how.threads = w->how->is_batch ? 1 : how.threads; /* a batch has a thread for each file */
    how.progress = w->how->progress;
    how.progress_user = w->how->progress_user;
    pm_status status =
        task_reduce(w->motion, &how, format, w->clips, w->clip_count, &reduced, &reduction, error);
    if (status == PM_OK) {
        w->report->reduced = task_reduced_of(reduction);
        status = write_converted(w, reduced, format, observer, error);
    }
    pm_motion_reduction_destroy(&reduction);
    pm_motion_destroy(&reduced);
    return status;
}

static pm_status write_any(task_work *w, pm_motion_resample_report *done, pm_error *error) {
    const pm_motion_format format = format_of_output(w, w->out->path);
    const pm_motion_observer observer = {.see = see_output, .user = w};
    if (w->how->task->rate)
        return write_resampled(w, format, &observer, done, error);
    done->samples = w->report->source_frames;
    if (w->how->task->reduce)
        return write_reduced(w, format, &observer, error);
    return write_converted(w, w->motion, format, &observer, error);
}

/* Options that the output cannot have. In a batch of several formats they are for the others. */
static pm_status check_conversion(const task_work *w, pm_error *error) {
    const pm_motion_format format = format_of_output(w, w->out->path);
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    const bool has_rate = w->how->task->rate != NULL, has_joints = w->report->node_count > 0;
    bool moves = false;
    const pm_status status = find_moves(w, &moves, error);
    if (status != PM_OK)
        return motion_name_failure(status, w->path, error);
    if (moves && is_gltf(format) && is_gltf(content->format))
        return motion_fail_at(error, PM_ERROR_FILE, w->path, NULL,
                              "glTF cannot be scaled or turned: its meshes would be left out");
    if (moves && has_rate && !has_joints && format == PM_MOTION_NPZ)
        return motion_fail_at(
            error, PM_ERROR_FILE, w->path, "convert it first, and resample the result",
            "without a skeleton it cannot be scaled or turned while it is resampled");
    if (moves && format == content->format && !has_joints && w->report->other_arrays[0] != '\0')
        motion_warn_at(w->how->log, w->how->log_user, w->path,
                       "not scaled or turned, because no layout names them: %s",
                       w->report->other_arrays);
    if (!has_rate && !w->how->task->reduce && w->clip_count > 0 && content->clip_count > 1 &&
        is_gltf(format))
        return motion_fail_option(
            error, PM_ERROR_ARGUMENT, "clip",
            "has no effect: %s holds all clips of '%s'; expected a format of one clip",
            pm_motion_format_name(format), w->path);
    return w->how->is_batch ? PM_OK : task_check_format(w->how->task, format, error);
}

/* A figure for the reader: what fails here has been reported, or concerns nothing that is written. */
static void find_aliasing(task_work *w) {
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    pm_motion_aliasing found;
    pm_error unread;
    if (!w->how->task->rate || w->how->task->lowpass != 0 || !w->how->finds_aliasing ||
        w->report->source_rate.den == 0 ||
        rate_value(w->rate) >= rate_value(w->report->source_rate) ||
        pm_motion_find_aliasing(w->motion, w->rate, &found, &unread) != PM_OK)
        return;
    const pm_motion_channel *channel = &content->clips[found.clip].channels[found.channel];
    const pm_motion_name name =
        channel->node < 0 ? channel->name : content->nodes[channel->node].name;
    w->report->aliasing = found.degrees;
    motion_joint_name(w->report->aliasing_joint, name, channel->node);
}

static pm_status write_result(task_work *w, pm_error *error) {
    pm_motion_resample_report done = {.samples = 0};
    pm_status status = check_conversion(w, error);
    if (status != PM_OK)
        return status;
    status = write_any(w, &done, error);
    w->report->frames = done.samples;
    w->report->kept_frames = done.kept;
    w->report->identical = done.identical;
    w->report->max_error = done.max_error;
    w->report->cutoff = done.cutoff;
    if (status == PM_OK)
        find_aliasing(w);
    if (status == PM_OK && !w->how->task->end_rule_given)
        w->report->end_cut = done.end_cut;
    return result(status, w, error);
}

/* Each clip that is chosen by name; if none is, that there is one to resample. */
static pm_status check_clips(const task_work *w, pm_error *error) {
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    pm_status status = motion_check_clip(content, first_clip(w), error);
    for (size_t i = 1; status == PM_OK && i < w->clip_count; i++)
        status = motion_check_clip(content, w->clips[i], error);
    return result(status, w, error);
}

/* Formats other than glTF hold one clip: the first with channels, unless one is given. */
static pm_status choose_one(task_work *w, pm_motion_format format, pm_error *error) {
    const char *name = pm_motion_format_name(format);
    if (w->how->task->keep_time)
        return motion_fail_option(error, PM_ERROR_ARGUMENT, "keep-time",
                                  "has no effect on %s, which begins at 0; it is for gltf and glb",
                                  name);
    if (w->clip_count > 1)
        return motion_fail_option(error, PM_ERROR_ARGUMENT, "clip",
                                  "picks %zu clips of '%s'; %s holds one", w->clip_count, w->path,
                                  name);
    if (pm_motion_get_content(w->motion)->clip_count > 0) {
        w->clips[0] = first_clip(w);
        w->clip_count = 1;
    }
    return PM_OK;
}

static pm_status find_clips(task_work *w, pm_error *error) {
    const pm_motion_batch_task *task = w->how->task;
    if (pm_motion_get_content(w->motion)->clip_count == 0 && task->rate)
        return motion_fail_at(error, PM_ERROR_FILE, w->path, NULL,
                              "has no clips; there is nothing to resample");
    pm_status status = task_find_clips(w->motion, w->path, task, w->clips, &w->clip_count, error);
    if (status == PM_OK && (task->rate || w->clip_count > 0))
        status = check_clips(w, error);
    const pm_motion_format format = format_of_output(w, w->out->path);
    return status != PM_OK || is_gltf(format) ? status : choose_one(w, format, error);
}

/* Frames of the output per frame of the file. 1 for a single key. */
static double ratio_of_frames(const task_work *w) {
    if (!w->how->task->rate)
        return 1.0;
    const pm_timeline *t = clip_of(w)->timelines;
    if (t->rate.den != 0)
        return rate_value(w->rate) / rate_value(t->rate);
    const double duration = t->key_count > 1 ? t->times[t->key_count - 1] - t->times[0] : 0.0;
    return duration > 0.0 ? duration * rate_value(w->rate) / (double)(t->key_count - 1) : 1.0;
}

/* An NPZ file that becomes another one is never needed as a whole. */
static bool is_resampled_only(const task_work *w) {
    if (!w->how->task->rate || task_moves(w->how->task) || w->how->task->extracts_root ||
        task_edits(w->how->task))
        return false;
    const pm_motion_format named = pm_motion_find_format(w->out->path);
    const pm_motion_format wanted = named != PM_MOTION_ANY ? named : w->how->task->format;
    return wanted == PM_MOTION_ANY || wanted == PM_MOTION_NPZ;
}

pm_status task_open(task_work *w, const task_how *how, const task_input *in, const task_output *out,
                    task_report *report, pm_error *error) {
    *report = (task_report){.format = NULL};
    *w = (task_work){.how = how,
                     .in = in,
                     .out = out,
                     .path = strcmp(in->path, "-") == 0 ? "standard input" : in->path,
                     .report = report,
                     .begun = seconds_now()};
    pm_motion_read_options read = how->task->read;
    read.resample_only = is_resampled_only(w);
    read.headers_only = false;
    read.body_model = how->task->mirror || (how->task->edit && how->task->edit->continue_root);
    read.log = how->log;
    read.log_user = how->log_user;
    read.observer = in->observer;
    if (in->source_rate.den != 0)
        read.source_rate = in->source_rate;
    if (in->layout)
        read.layout = in->layout;
    return task_read(&read, in->path, in->data, in->size, &w->motion, error);
}

static pm_status edit(task_work *w, pm_error *error) {
    pm_motion *edited = NULL;
    if (!task_edits(w->how->task))
        return PM_OK;
    const pm_status status = task_edit(w->how->task, w->motion, &edited, w->report->edited, error);
    if (status == PM_OK) {
        pm_motion_destroy(&w->motion);
        w->motion = edited;
    }
    return result(status, w, error);
}

pm_status task_write(task_work *w, pm_error *error) {
    const pm_motion_batch_task *task = w->how->task;
    pm_status status = edit(w, error);
    if (status == PM_OK)
        status = find_clips(w, error);
    if (status == PM_OK && task->rate)
        status = task_find_rate(task->rate, pm_motion_get_content(w->motion), &w->rate, error);
    if (status != PM_OK)
        return status;
    if (w->in->opened)
        w->in->opened(w->in->opened_user, ratio_of_frames(w));
    w->is_authored = is_authored(w);
    describe_source(w);
    status = task->rate ? describe_curve(w, error) : PM_OK;
    return status == PM_OK ? write_result(w, error) : status;
}

void task_close(task_work *w) {
    pm_motion_destroy(&w->motion);
    w->report->seconds = seconds_now() - w->begun;
}
