/* SPDX-License-Identifier: MIT
 *
 * Resamples one file: reads it, computes the sample positions, creates clips, and writes a row
 * per sample. A sample on a frame of the source gets the text of that frame.
 */
#include "resample.h"

#include "files/output_names.h"
#include "files/progress.h"
#include "motion/bvh/bvh_pose.h"
#include "motion/files/printable.h"
#include "resample_clips.h"

#include <stdlib.h>
#include <string.h>

typedef struct work {
    resample_options *options;
    const char *path; /* input name for messages */
    bvh *model;
    size_t frame_count; /* without trimmed frames */
    pm_rational rate;
    resample_grid grid;
    pose_plan plan;
    resample_clips clips;
    bvh_writer writer;
    double *row;      /* the row written last */
    bool keeps_equal; /* the method keeps equal keys constant */
    resample_report *report;
    progress bar;
    pm_error error;
} work;

/* Prints a failure of the library. Messages about outputs name the file already. */
static cli_exit result(pm_status status, const work *w) {
    if (status == PM_OK) {
        return CLI_DONE;
    }
    return status == PM_ERROR_OUTPUT ? cli_fail_file(&w->error)
                                     : cli_fail_error(w->path, &w->error);
}

/* Methods of two keys and circular hold still between equal keys, so those need no conversion. */
static bool keeps_equal_keys(pm_method method) {
    const pm_method_info *info = pm_method_describe(method);
    const bool two_keys = info->local && info->keys_used <= 2 && !info->takes_in_out;
    return two_keys || method == PM_METHOD_CIRCULAR;
}

static cli_exit refuse(const work *w, const char *reason, const char *hint) {
    return cli_fail(CLI_BAD_INPUT, w->path, hint, "%s", reason);
}

static cli_exit check_frame_count(const work *w) {
    uint64_t frames = w->grid.count + w->grid.extra;
    char source[RATE_TEXT], target[RATE_TEXT];

    if (frames <= w->options->max_frames) {
        return CLI_DONE;
    }
    rate_describe(w->model->rate, source);
    rate_describe(w->rate, target);
    return cli_fail(
        CLI_BAD_INPUT, w->path, "check --rate and --src-rate; --max-frames raises the limit",
        "%zu frames at %s would become %s%llu frames at %s; the limit is %llu", w->frame_count,
        source, w->grid.count == RESAMPLE_GRID_OVERFLOW ? "at least " : "",
        (unsigned long long)frames, target, (unsigned long long)w->options->max_frames);
}

/* Whether a file with this rate can be read again: frame times have a limited range. */
static bool is_readable(pm_rational rate) {
    const double seconds = 1.0 / rate_value(rate);

    return seconds > 1.000001e-9 && seconds < 0.999999e9;
}

static cli_exit locate_samples(work *w) {
    const resample_options *options = w->options;
    resample_span span;
    const char *reason;
    cli_exit code;

    if (options->trim_start >= w->model->frame_count) {
        return cli_fail(CLI_BAD_INPUT, w->path, NULL, "--trim-start %zu removes all %zu frames",
                        options->trim_start, w->model->frame_count);
    }
    w->frame_count = w->model->frame_count - options->trim_start;
    if (!rate_parse_target(options->rate, w->model->rate, &w->rate)) {
        return cli_fail(CLI_USAGE, "--rate", "use a rate such as 60, 29.97, 30000/1001, x2 or /4",
                        "'%s' is not a rate, or has too many digits relative to the source rate",
                        options->rate);
    }
    memset(&span, 0, sizeof span);
    span.source_rate = w->model->rate;
    span.rate = w->rate;
    span.frame_count = w->frame_count;
    span.start = options->start;
    span.end = options->end;
    span.end_rule = options->end_rule;
    span.loop_period = options->curve.loop_period;
    reason = resample_grid_make(&span, &w->grid);
    if (reason != NULL) {
        return refuse(w, reason, NULL);
    }
    code = check_frame_count(w);
    if (code == CLI_DONE && !is_readable(w->rate)) {
        return refuse(w, "frame time of the result is outside 1e-9 to 1e9 seconds", "check --rate");
    }
    return code;
}

/* The row before the first sample: the source row there, whose Euler branch the first sample
 * continues. */
static cli_exit start_row(work *w) {
    size_t channels = w->model->channel_count;
    uint64_t frame = w->grid.first / w->grid.unit % w->frame_count;

    w->row = malloc(channels * sizeof *w->row);
    if (w->row == NULL) {
        return refuse(w, "too large for this machine's memory", CLI_MEMORY_HINT);
    }
    memcpy(w->row, w->model->values + (w->options->trim_start + (size_t)frame) * channels,
           channels * sizeof *w->row);
    return CLI_DONE;
}

static cli_exit write_source_row(work *w, size_t frame) {
    size_t channels = w->model->channel_count;

    memcpy(w->row, w->model->values + frame * channels, channels * sizeof *w->row);
    w->report->kept_frames++;
    return result(bvh_writer_source_row(&w->writer, frame, &w->error), w);
}

/* Writes row `index` of the piece, which lies at `position`. */
static cli_exit write_row(work *w, size_t index, resample_position position) {
    const resample_clips *c = &w->clips;
    const double *between[2] = {NULL, NULL};
    size_t channels = w->model->channel_count;

    if (position.frame < w->frame_count) {
        size_t frame = w->options->trim_start + (size_t)position.frame;
        if (position.remainder == 0 &&
            pm_method_describe(w->options->curve.method)->interpolating) {
            return write_source_row(w, frame);
        }
        if (w->keeps_equal && position.frame + 1 < w->frame_count) {
            between[0] = w->model->values + frame * channels;
            between[1] = between[0] + channels;
        }
    }
    if (!pose_to_row(&w->plan, c->rotation_samples + 4 * c->rotation_count * index,
                     c->vector_samples + 3 * c->vector_count * index,
                     c->plain_samples + 3 * c->plain_count * index, between, w->row)) {
        return refuse(w, "values are too large to be interpolated", NULL);
    }
    return result(bvh_writer_row(&w->writer, w->row, &w->error), w);
}

static cli_exit write_pieces(work *w) {
    resample_position position = resample_position_first(&w->grid);
    cli_exit code = CLI_DONE;
    uint64_t first = 0;
    size_t i;

    while (first < w->grid.count && code == CLI_DONE) {
        uint64_t left = w->grid.count - first;
        size_t count = left < w->clips.piece ? (size_t)left : w->clips.piece;
        code = resample_clips_sample(&w->clips, w->path, w->rate, w->grid.start, first, count,
                                     w->report);
        for (i = 0; i < count && code == CLI_DONE; i++) {
            code = write_row(w, i, position);
            resample_position_step(&w->grid, &position);
        }
        progress_advance(&w->bar, count);
        first += count;
    }
    if (code == CLI_DONE && w->grid.extra) {
        code = resample_clips_sample(&w->clips, w->path, w->rate, w->grid.end, 0, 1, w->report);
        if (code == CLI_DONE) {
            code = write_row(w, 0, resample_position_end(&w->grid, w->model->rate));
        }
    }
    return code;
}

static cli_exit write_file(work *w, const char *out) {
    cli_output *output = NULL;
    uint64_t frames = w->grid.count + w->grid.extra;
    cli_exit code = CLI_DONE;

    if (w->options->out_dir != NULL) {
        code = make_folders(w->options->out_dir);
    }
    if (code == CLI_DONE) {
        code = cli_output_open(out, &output);
    }
    if (code != CLI_DONE) {
        return code;
    }
    progress_begin(&w->bar, "resample", frames);
    const motion_sink sink = motion_output_sink(output);
    code = result(bvh_writer_begin(&w->writer, w->model, &sink, frames, w->rate,
                                   (unsigned)w->options->decimals, &w->error),
                  w);
    if (code == CLI_DONE) {
        code = write_pieces(w);
    }
    progress_end(&w->bar);
    if (code == CLI_DONE) {
        code = result(bvh_writer_end(&w->writer, &w->error), w);
    }
    w->report->frames = frames;
    w->report->bytes_written = w->writer.bytes;
    if (code == CLI_DONE) {
        return cli_output_commit(&output);
    }
    cli_output_abandon(&output);
    return code;
}

static void describe_source(work *w) {
    resample_report *report = w->report;
    size_t size = w->model->frame_time.size;

    size = utf8_cut(w->model->frame_time.begin, size, sizeof report->frame_time - 1);
    if (size > 0) {
        memcpy(report->frame_time, w->model->frame_time.begin, size);
    }
    report->frame_time[size] = '\0';
    report->source_rate = w->model->rate;
    report->rate_how = w->model->rate_how;
    report->joint_count = w->model->joint_count;
    report->source_frames = w->model->frame_count;
    report->rate = w->rate;
    report->track_count = w->plan.rotation_count;
    report->checked = w->options->check;
    report->identical = true;
}

static cli_exit run(work *w, pm_engine *engine, const char *data, size_t size, const char *out) {
    const motion_input input = {.data = data,
                                .size = size,
                                .options = &w->options->read,
                                .warnings = {cli_log_warning, NULL, w->path}};
    cli_exit code = result(bvh_parse(&input, &w->model, &w->error), w);

    if (code == CLI_DONE) {
        code = locate_samples(w);
    }
    if (code == CLI_DONE) {
        code = result(pose_plan_make(&w->plan, w->model, &w->error), w);
    }
    if (code == CLI_DONE) {
        code = start_row(w);
    }
    if (code == CLI_DONE) {
        describe_source(w);
        code = resample_clips_make(&w->clips, w->path, w->options, engine, &w->plan, w->model->rate,
                                   w->grid.count);
    }
    return code == CLI_DONE ? write_file(w, out) : code;
}

cli_exit resample_file(resample_options *options, pm_engine *engine, const char *in,
                       const char *out, resample_report *report) {
    double begun = progress_clock();
    char *data = NULL;
    size_t size = 0;
    cli_exit code;
    work w;

    memset(&w, 0, sizeof w);
    memset(report, 0, sizeof *report);
    w.options = options;
    w.path = strcmp(in, "-") == 0 ? "standard input" : in;
    w.report = report;
    w.keeps_equal = keeps_equal_keys(options->curve.method);
    code = cli_read_file(in, &bvh_kind, &data, &size);
    if (code == CLI_DONE) {
        code = run(&w, engine, data, size, out);
    }
    report->bytes_read = size;
    bvh_writer_release(&w.writer);
    resample_clips_release(&w.clips);
    pose_plan_release(&w.plan);
    bvh_free(&w.model);
    free(w.row);
    free(data);
    report->seconds = progress_clock() - begun;
    return code;
}
