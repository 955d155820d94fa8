/* SPDX-License-Identifier: MIT
 *
 * Resamples or converts one file with the motion library: options, the target rate, and the report.
 */
#include "resample.h"

#include "files/progress.h"
#include "motion/base/printable.h"
#include "motion/open/formats.h"
#include "resample_target.h"

#include <stdio.h>
#include <string.h>

typedef struct work {
    resample_options *options;
    const resample_input *in;
    const resample_output *out;
    const char *path; /* input name for messages */
    pm_motion *motion;
    size_t clips[CLIP_NAMES_MAX]; /* that are resampled; all, if clip_count is 0 */
    size_t clip_count;
    bool authored;
    pm_rational rate;
    pm_clip_desc curve;
    resample_report *report;
    progress bar;
    bool shows_bar;
} work;

/* Prints a failure. Messages about outputs name the file already. */
static cli_exit result(pm_status status, const work *w, const pm_error *error) {
    if (status == PM_OK) {
        return CLI_DONE;
    }
    return status == PM_ERROR_OUTPUT ? cli_fail_file(error) : cli_fail_error(w->path, error);
}

/* The first clip that is resampled. */
static size_t first_clip(const work *w) {
    return w->clip_count > 0 ? w->clips[0] : motion_first_clip(pm_motion_get_content(w->motion));
}

static const pm_motion_clip *clip_of(const work *w) {
    return &pm_motion_get_content(w->motion)->clips[first_clip(w)];
}

static bool is_gltf(pm_motion_format format) {
    return format == PM_MOTION_GLTF || format == PM_MOTION_GLB;
}

/* Formats with interpolations of their own keep them, unless a method is given. */
static bool is_authored(const work *w) {
    return w->options->curve.authored ||
           (!w->options->curve.method_given && is_gltf(pm_motion_get_content(w->motion)->format));
}

static size_t count_rotations(const pm_motion_clip *clip) {
    size_t count = 0;
    for (size_t c = 0; c < clip->channel_count; c++) {
        count += clip->channels[c].path == PM_MOTION_ROTATION &&
                 clip->channels[c].interpolation != PM_MOTION_STEP;
    }
    return count;
}

/* Without --axis sterp twists about the bones, which the library finds. */
static cli_exit describe_curve(work *w) {
    if (w->authored) {
        curve_options_warn(&w->options->curve, true);
        return CLI_DONE;
    }
    const pm_motion_clip *clip = clip_of(w);
    const size_t keys = clip->timelines[0].key_count;
    const size_t trimmed = w->options->trim_start < keys ? w->options->trim_start : 0;
    cli_exit code =
        curve_options_apply(&w->options->curve, keys - trimmed, w->report->track_count, &w->curve);
    if (code == CLI_DONE && !w->options->curve.axis_given) {
        w->curve.axes.data = NULL;
    }
    return code;
}

/* Keys of the longest timelines of the clips that are resampled. */
static size_t count_frames(const work *w) {
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

static void describe_source(work *w) {
    resample_report *report = w->report;
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    report->format = pm_motion_format_name(content->format);
    report->bytes_read = content->file_bytes;
    report->node_count = content->node_count;
    report->clip_count = content->clip_count;
    report->method = "";
    if (content->clip_count == 0) {
        return;
    }
    const pm_motion_clip *clip = clip_of(w);
    const pm_motion_name text = clip->rate_text;
    const size_t size = utf8_cut(text.text, text.size, sizeof report->frame_time - 1);
    if (size > 0) {
        memcpy(report->frame_time, text.text, size);
    }
    report->frame_time[size] = '\0';
    report->source_rate = clip->rate;
    report->is_frame_time = content->format == PM_MOTION_BVH;
    report->rate_is_snapped = clip->rate_is_snapped;
    report->source_frames = count_frames(w);
    report->rate = w->options->rate != NULL ? w->rate : clip->rate;
    report->track_count = count_rotations(clip);
    /* Layouts without a skeleton have a rotation for each joint. */
    report->joint_count = content->node_count > 0 ? content->node_count : report->track_count;
    report->method = w->options->rate == NULL ? ""
                     : w->authored            ? "authored"
                                              : pm_method_describe(w->options->curve.method)->name;
    report->checked = w->options->check;
    list_other_arrays(content, report->other_arrays, sizeof report->other_arrays);
}

static void show_progress(void *user, uint64_t done, uint64_t total) {
    work *w = user;
    if (!w->shows_bar) {
        progress_begin(&w->bar, "resample", total);
        w->shows_bar = true;
    }
    progress_advance(&w->bar, done - w->bar.done);
}

static pm_motion_resample_options library_options(work *w) {
    const resample_options *o = w->options;
    return (pm_motion_resample_options){.rate = w->rate,
                                        .start = o->start,
                                        .end = o->end,
                                        .end_rule = o->end_rule,
                                        .trim_start = o->trim_start,
                                        .keep_time = o->keep_time,
                                        .max_samples = o->max_frames,
                                        .clips = w->clip_count > 0 ? w->clips : NULL,
                                        .clip_count = w->clip_count,
                                        .authored = w->authored,
                                        .curve = &w->curve,
                                        .make_folders = o->out_dir != NULL,
                                        .must_be_new = w->out->must_be_new,
                                        .decimals = (unsigned)o->conversion.decimals,
                                        .check = o->check,
                                        .progress = o->is_batch ? NULL : show_progress,
                                        .progress_user = w};
}

static void note_left_out(void *user, const char *what) {
    char *text = user;
    const size_t used = strlen(text), size = sizeof((resample_report *)0)->left_out;
    snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", what);
}

/* Counts the bytes of the output for the report. */
static void see_output(void *user, const void *data, size_t size) {
    const work *w = user;
    w->report->bytes_written += size;
    motion_observe(w->out->observer, data, size);
}

static pm_status write_converted(work *w, const pm_motion *motion, pm_motion_format format,
                                 const motion_observer *observer, pm_error *error) {
    const conversion_options *o = &w->options->conversion;
    const pm_motion_convert_options options = {.format = format,
                                               .clip = first_clip(w),
                                               .euler_given = o->euler_given,
                                               .euler = o->euler,
                                               .scale = o->scale,
                                               .turn = o->turn,
                                               .strict = w->options->motion.read.strict,
                                               .make_folders = w->options->out_dir != NULL,
                                               .must_be_new = w->out->must_be_new,
                                               .decimals = (unsigned)o->decimals,
                                               .left_out = note_left_out,
                                               .left_out_user = w->report->left_out};
    return motion_convert_observed(motion, &options, w->out->path, observer, error);
}

/* What the format itself cannot write resampled: a resampled copy is converted. */
static pm_status write_copy(work *w, pm_engine *engine, pm_motion_format format,
                            const motion_observer *observer, pm_motion_resample_report *done,
                            pm_error *error) {
    const pm_motion_resample_options options = library_options(w);
    pm_motion *copy = NULL;
    pm_status status = motion_check_writable(w->motion, format, error);
    if (status == PM_OK) {
        status = pm_motion_resample_copy(w->motion, engine, &options, &copy, done, error);
    }
    if (status == PM_OK) {
        status = write_converted(w, copy, format, observer, error);
    }
    pm_motion_destroy(&copy);
    return status;
}

static pm_motion_format format_of_output(const work *w, const char *out) {
    const pm_motion_format named = pm_motion_find_format(out);
    return named != PM_MOTION_ANY            ? named
           : w->options->to != PM_MOTION_ANY ? w->options->to
                                             : pm_motion_get_content(w->motion)->format;
}

/* Formats that hold the same: nothing is lost between them. */
static bool is_same_document(pm_motion_format a, pm_motion_format b) {
    return a == b || (is_gltf(a) && is_gltf(b));
}

/* Whether a result is the document of the input with other samples. */
static bool is_own_document(const work *w, pm_motion_format format) {
    const conversion_options *o = &w->options->conversion;
    const bool rewrites = w->options->converts && o->decimals > 0;
    return is_same_document(format, pm_motion_get_content(w->motion)->format) &&
           !conversion_moves(o) && !o->euler_given && !rewrites;
}

static pm_status write_any(work *w, pm_engine *engine, pm_motion_resample_report *done,
                           pm_error *error) {
    pm_motion_resample_options options = library_options(w);
    const pm_motion_format format = format_of_output(w, w->out->path);
    const motion_observer observer = {.see = see_output, .user = w};
    options.format = format;
    if (w->options->rate == NULL) {
        done->samples = w->report->source_frames;
        return write_converted(w, w->motion, format, &observer, error);
    }
    return is_own_document(w, format)
               ? motion_resample_observed(w->motion, engine, &options, w->out->path, &observer,
                                          done, error)
               : write_copy(w, engine, format, &observer, done, error);
}

/* Options that the output cannot have. In a batch of several formats they are for the others. */
static cli_exit check_conversion(const work *w) {
    const pm_motion_format format = format_of_output(w, w->out->path);
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    if (conversion_moves(&w->options->conversion) && is_gltf(format) && is_gltf(content->format)) {
        return cli_fail(CLI_BAD_INPUT, w->path, NULL,
                        "glTF cannot be scaled or turned: its meshes would be left out");
    }
    if (conversion_moves(&w->options->conversion) && w->options->rate != NULL &&
        w->report->node_count == 0 && format == PM_MOTION_NPZ) {
        return cli_fail(CLI_BAD_INPUT, w->path, "convert it first, and resample the result",
                        "without a skeleton it cannot be scaled or turned while it is resampled");
    }
    if (conversion_moves(&w->options->conversion) && format == content->format &&
        w->report->node_count == 0 && w->report->other_arrays[0] != '\0') {
        cli_warn(w->path, "not scaled or turned, because no layout names them: %s",
                 w->report->other_arrays);
    }
    if (w->options->rate == NULL && w->clip_count > 0 && content->clip_count > 1 &&
        is_gltf(format)) {
        return cli_fail(CLI_USAGE, "--clip", "leave it out, or write a format of one clip",
                        "has no effect: %s holds all clips of '%s'", pm_motion_format_name(format),
                        w->path);
    }
    return w->options->is_batch ? CLI_DONE
                                : conversion_check_format(&w->options->conversion, format);
}

static cli_exit write_result(work *w, pm_engine *engine) {
    pm_motion_resample_report done = {.samples = 0};
    pm_error error = {.status = PM_OK};
    cli_exit code = check_conversion(w);
    if (code != CLI_DONE) {
        return code;
    }
    const pm_status status = write_any(w, engine, &done, &error);
    if (w->shows_bar) {
        progress_end(&w->bar);
    }
    w->report->frames = done.samples;
    w->report->kept_frames = done.kept;
    w->report->identical = done.identical;
    w->report->max_error = done.max_error;
    if (status == PM_OK && !w->options->end_rule_given) {
        w->report->end_cut = done.end_cut;
        resample_warn_of_end(w->path, w->rate, done.end_cut, w->options->is_batch);
    }
    return result(status, w, &error);
}

/* Each clip that is chosen by name; if none is, that there is one to resample. */
static cli_exit check_clips(const work *w) {
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    pm_error error = {.status = PM_OK};
    pm_status status = motion_check_clip(content, first_clip(w), &error);
    for (size_t i = 1; status == PM_OK && i < w->clip_count; i++) {
        status = motion_check_clip(content, w->clips[i], &error);
    }
    return result(status, w, &error);
}

/* Formats other than glTF hold one clip: the first with channels, unless one is given. */
static cli_exit find_clips(work *w) {
    if (pm_motion_get_content(w->motion)->clip_count == 0 && w->options->rate != NULL) {
        return cli_fail(CLI_BAD_INPUT, w->path, NULL, "has no clips; there is nothing to resample");
    }
    cli_exit code =
        motion_find_clips(w->motion, w->path, &w->options->clips, w->clips, &w->clip_count);
    if (code == CLI_DONE && (w->options->rate != NULL || w->clip_count > 0)) {
        code = check_clips(w);
    }
    const pm_motion_format format = format_of_output(w, w->out->path);
    if (code != CLI_DONE || is_gltf(format)) {
        return code;
    }
    if (w->options->keep_time) {
        return cli_fail(CLI_USAGE, "--keep-time", "leave it out, or write gltf or glb",
                        "has no effect on %s, which begins at 0", pm_motion_format_name(format));
    }
    if (w->clip_count > 1) {
        return cli_fail(CLI_USAGE, "--clip", "write each clip to a file of its own",
                        "picks %zu clips of '%s'; %s holds one", w->clip_count, w->path,
                        pm_motion_format_name(format));
    }
    if (pm_motion_get_content(w->motion)->clip_count > 0) {
        w->clips[0] = first_clip(w);
        w->clip_count = 1;
    }
    return CLI_DONE;
}

/* Frames of the output per frame of the file. 1 for a single key. */
static double ratio_of_frames(const work *w) {
    if (w->options->rate == NULL) {
        return 1.0;
    }
    const pm_timeline *t = clip_of(w)->timelines;
    if (t->rate.den != 0) {
        return rate_value(w->rate) / rate_value(t->rate);
    }
    const double duration = t->key_count > 1 ? t->times[t->key_count - 1] - t->times[0] : 0.0;
    return duration > 0.0 ? duration * rate_value(w->rate) / (double)(t->key_count - 1) : 1.0;
}

/* An NPZ file that becomes another one is never needed as a whole. */
static bool is_resampled_only(const work *w) {
    if (w->options->rate == NULL || conversion_moves(&w->options->conversion)) {
        return false;
    }
    const pm_motion_format named = pm_motion_find_format(w->out->path);
    const pm_motion_format wanted = named != PM_MOTION_ANY ? named : w->options->to;
    return wanted == PM_MOTION_ANY || wanted == PM_MOTION_NPZ;
}

static cli_exit open_motion(work *w) {
    motion_options options = w->options->motion;
    options.read.resample_only = is_resampled_only(w);
    if (w->in->source_rate.den != 0) {
        options.read.source_rate = w->in->source_rate;
    }
    if (w->in->layout != NULL) {
        options.read.layout = w->in->layout;
    }
    return motion_options_open_observed(&options, w->in->path, w->in->data, w->in->size,
                                        w->in->observer, &w->motion);
}

/* Once the format of the input is known. In a batch of several formats options are for the others. */
static void warn_of_options(const work *w) {
    const pm_motion_format to = w->options->to, named = pm_motion_find_format(w->out->path);
    if (w->options->is_batch) {
        return;
    }
    motion_options_warn(&w->options->motion, 1u << pm_motion_get_content(w->motion)->format);
    if (to != PM_MOTION_ANY && named != PM_MOTION_ANY && to != named) {
        cli_warn("--to", "has no effect; the name of the output says %s",
                 pm_motion_format_name(named));
    }
    const device_options *device = &w->options->device;
    if (w->options->rate == NULL && (device->device != NULL || device->reference)) {
        cli_warn(device->device != NULL ? "--device" : "--reference",
                 "has no effect without --rate");
    }
}

static cli_exit run(work *w, pm_engine *engine) {
    cli_exit code = open_motion(w);
    if (code == CLI_DONE) {
        warn_of_options(w);
        code = find_clips(w);
    }
    if (code == CLI_DONE && w->options->rate != NULL) {
        code = resample_find_rate(w->options->rate, pm_motion_get_content(w->motion), &w->rate);
    }
    if (code != CLI_DONE) {
        return code;
    }
    if (w->in->opened != NULL) {
        w->in->opened(w->in->opened_user, ratio_of_frames(w));
    }
    w->authored = is_authored(w);
    describe_source(w);
    code = w->options->rate != NULL ? describe_curve(w) : CLI_DONE;
    return code == CLI_DONE ? write_result(w, engine) : code;
}

cli_exit resample_file(resample_options *options, pm_engine *engine, const resample_input *in,
                       const resample_output *out, resample_report *report) {
    const double begun = progress_clock();
    work w = {.options = options,
              .in = in,
              .out = out,
              .path = strcmp(in->path, "-") == 0 ? "standard input" : in->path,
              .report = report};
    memset(report, 0, sizeof *report);
    const cli_exit code = run(&w, engine);
    pm_motion_destroy(&w.motion);
    report->seconds = progress_clock() - begun;
    return code;
}
