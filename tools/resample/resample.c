/* SPDX-License-Identifier: MIT
 *
 * Resamples one file with the motion library: options, the target rate, and the report.
 */
#include "resample.h"

#include "files/progress.h"
#include "motion/base/printable.h"

#include <stdlib.h>
#include <string.h>

typedef struct work {
    resample_options *options;
    const char *path; /* input name for messages */
    pm_motion *motion;
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

static const pm_motion_clip *clip_of(const work *w) {
    return &pm_motion_get_content(w->motion)->clips[0];
}

static cli_exit find_rate(work *w) {
    const pm_motion_clip *clip = clip_of(w);
    if (!rate_parse_target(w->options->rate, clip->rate, &w->rate)) {
        return cli_fail(CLI_USAGE, "--rate", "use a rate such as 60, 29.97, 30000/1001, x2 or /4",
                        "'%s' is not a rate, or has too many digits relative to the source rate",
                        w->options->rate);
    }
    return CLI_DONE;
}

static size_t count_rotations(const pm_motion_clip *clip) {
    size_t count = 0;
    for (size_t c = 0; c < clip->channel_count; c++) {
        count += clip->channels[c].path == PM_MOTION_ROTATION;
    }
    return count;
}

/* Without --axis sterp twists about the bones, which the library finds. */
static cli_exit describe_curve(work *w) {
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

static void describe_source(work *w) {
    resample_report *report = w->report;
    const pm_motion_content *content = pm_motion_get_content(w->motion);
    const pm_motion_clip *clip = clip_of(w);
    const pm_motion_name text = clip->rate_text;
    const size_t size = utf8_cut(text.text, text.size, sizeof report->frame_time - 1);
    if (size > 0) {
        memcpy(report->frame_time, text.text, size);
    }
    report->frame_time[size] = '\0';
    report->source_rate = clip->rate;
    report->rate_is_snapped = clip->rate_is_snapped;
    report->joint_count = content->node_count;
    report->source_frames = clip->timelines[0].key_count;
    report->rate = w->rate;
    report->track_count = count_rotations(clip);
    report->checked = w->options->check;
    report->bytes_read = content->file_bytes;
}

static void show_progress(void *user, uint64_t done, uint64_t total) {
    work *w = user;
    if (!w->shows_bar) {
        progress_begin(&w->bar, "resample", total);
        w->shows_bar = true;
    }
    progress_advance(&w->bar, done - w->bar.done);
}

static cli_exit write_result(work *w, pm_engine *engine, const char *out) {
    const resample_options *o = w->options;
    const pm_motion_resample_options options = {.rate = w->rate,
                                                .start = o->start,
                                                .end = o->end,
                                                .end_rule = o->end_rule,
                                                .trim_start = o->trim_start,
                                                .max_samples = o->max_frames,
                                                .curve = &w->curve,
                                                .make_folders = o->out_dir != NULL,
                                                .decimals = (unsigned)o->decimals,
                                                .check = o->check,
                                                .progress = show_progress,
                                                .progress_user = w};
    pm_motion_resample_report done;
    pm_error error = {.status = PM_OK};
    const pm_status status = pm_motion_resample(w->motion, engine, &options, out, &done, &error);
    progress_end(&w->bar);
    w->report->frames = done.samples;
    w->report->kept_frames = done.kept;
    w->report->bytes_written = done.bytes_written;
    w->report->identical = done.identical;
    w->report->max_error = done.max_error;
    return result(status, w, &error);
}

static cli_exit run(work *w, pm_engine *engine, const char *in, const char *out) {
    pm_motion_read_options reading = w->options->read;
    pm_error error = {.status = PM_OK};
    reading.format = PM_MOTION_BVH;
    reading.log = cli_log_warning;
    if (pm_motion_open(in, &reading, &w->motion, &error) != PM_OK) {
        return cli_fail_file(&error);
    }
    cli_exit code = find_rate(w);
    if (code != CLI_DONE) {
        return code;
    }
    describe_source(w);
    code = describe_curve(w);
    return code == CLI_DONE ? write_result(w, engine, out) : code;
}

cli_exit resample_file(resample_options *options, pm_engine *engine, const char *in,
                       const char *out, resample_report *report) {
    const double begun = progress_clock();
    work w = {
        .options = options, .path = strcmp(in, "-") == 0 ? "standard input" : in, .report = report};
    memset(report, 0, sizeof *report);
    const cli_exit code = run(&w, engine, in, out);
    pm_motion_destroy(&w.motion);
    report->seconds = progress_clock() - begun;
    return code;
}
