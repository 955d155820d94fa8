/* SPDX-License-Identifier: MIT
 *
 * Both motions are read with the options of the batch. Where --start, --end or --trim-start leave a
 * part of the source out, that part is not compared.
 */
#define _POSIX_C_SOURCE 200809L

#include "report_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- motions ------------------------------------------------------------------------------- */

static cli_exit open_source(report_motions *m, const batch_item *item, char *data, size_t size) {
    motion_options options = m->options->motion;
    if (item->source_rate.den != 0) {
        options.read.source_rate = item->source_rate;
    }
    if (item->layout != NULL) {
        options.read.layout = item->layout;
    }
    return motion_options_open_observed(&options, item->path, data, size, NULL, &m->source);
}

/* An output is its own format at its own rate: a file of CSV does not have it. */
static cli_exit open_output(report_motions *m, const report_file *file) {
    motion_options options = m->options->motion;
    const pm_motion_format from = pm_motion_get_content(m->source)->format;
    const pm_motion_format named = pm_motion_find_format(file->file->out);
    const pm_motion_format wanted = m->options->to != PM_MOTION_ANY ? m->options->to : from;
    const char *layout =
        file->file->item->layout != NULL ? file->file->item->layout : options.read.layout;
    options.read.format = named != PM_MOTION_ANY ? PM_MOTION_ANY : wanted;
    options.read.source_rate = file->rate;
    options.read.rates_file = NULL;
    if ((named != PM_MOTION_ANY ? named : wanted) != PM_MOTION_NPZ) {
        options.read.skeleton = NULL; /* the output has it */
    }
    options.read.layout = from == PM_MOTION_NPZ || from == PM_MOTION_CSV ? layout : NULL;
    return motion_options_open(&options, file->file->out, &m->output);
}

cli_exit report_open(report_motions *m, const resample_options *options, const report_file *file,
                     char *data, size_t size) {
    const char *path = file->file->item->path;
    *m = (report_motions){.options = options};
    cli_exit code = open_source(m, file->file->item, data, size);
    if (code == CLI_DONE) {
        code = open_output(m, file);
    }
    if (code == CLI_DONE) {
        code = motion_find_clips(m->source, path, &options->clips, m->source_clips,
                                 &m->source_clip_count);
    }
    if (code != CLI_DONE) {
        return code;
    }
    const size_t of_source = pm_motion_get_content(m->source)->clip_count;
    const size_t of_output = pm_motion_get_content(m->output)->clip_count;
    m->clip_count = m->source_clip_count > 0 ? m->source_clip_count : of_source;
    /* Formats other than glTF hold one clip: the first with channels. */
    if (m->source_clip_count == 0 && of_output < of_source) {
        m->source_clips[0] = motion_first_clip(pm_motion_get_content(m->source));
        m->source_clip_count = 1;
    }
    m->clip_count = m->clip_count < of_output ? m->clip_count : of_output;
    return m->clip_count > 0 ? CLI_DONE
                             : cli_fail(CLI_BAD_INPUT, path, NULL, "has no clip to compare");
}

void report_close(report_motions *m) {
    pm_motion_destroy(&m->source);
    pm_motion_destroy(&m->output);
}

/* ---- clips --------------------------------------------------------------------------------- */

static double seconds_of(pm_rational r) {
    return r.den != 0 ? (double)r.num / (double)r.den : 0;
}

static bool is_gltf(const subject *s) {
    const pm_motion_format format = s->view.content.format;
    return format == PM_MOTION_GLTF || format == PM_MOTION_GLB;
}

/* The part of the source that was resampled. */
static void cut(const resample_options *o, subject *source, subject *output) {
    const pm_rational rate = source->clip->rate;
    const double trimmed =
        rate.den != 0 ? (double)o->trim_start * (double)rate.den / (double)rate.num : 0;
    const double from = trimmed + seconds_of(o->start);
    const double seconds =
        o->end.den != 0 ? seconds_of(o->end) - seconds_of(o->start) : (double)INFINITY;
    if (from <= 0 && isinf(seconds)) {
        return;
    }
    subject_cut(source, from, seconds);
    /* Channels with steps keep all their keys where the others keep their times. */
    const double late = source->begin - output->begin;
    if (o->keep_time && is_gltf(source) && is_gltf(output) && late > subject_step(output) / 2) {
        subject_cut(output, late, (double)INFINITY);
    }
}

cli_exit report_clips_find(report_clips *clips, const report_motions *m, const report_row *row) {
    const batch_file *file = row->file->file;
    pm_error error = {.status = PM_OK};
    *clips = (report_clips){.pairs = {.count = 0}};
    if (subject_make(&clips->source, m->source, row->source_clip, &error) != PM_OK) {
        return cli_fail_error(file->item->path, &error);
    }
    if (subject_make(&clips->output, m->output, row->clip_at, &error) != PM_OK) {
        return cli_fail_error(file->out, &error);
    }
    cut(m->options, &clips->source, &clips->output);
    return joints_match(&clips->source, &clips->output, NULL, &clips->pairs, &error) == PM_OK
               ? CLI_DONE
               : cli_fail_file(&error);
}

void report_clips_release(report_clips *clips) {
    joints_release(&clips->pairs);
    subject_release(&clips->source);
    subject_release(&clips->output);
}

/* ---- comparing ----------------------------------------------------------------------------- */

static void see_frame(void *user, const compare_frame *frame) {
    jumps_add(user, frame->time, frame->a);
}

static void see_speeds(void *user, uint64_t index, const pair_speeds *speeds) {
    (void)user, (void)index, (void)speeds;
}

static cli_exit compute(report_row *row, report_clips *clips, uint64_t max_times) {
    comparison c = {.a = &clips->source,
                    .b = &clips->output,
                    .pairs = &clips->pairs,
                    .times = {.rule = TIMES_OF_A}};
    jump_state jumps[2];
    const compare_observer observer = {see_frame, see_speeds, &jumps[0]};
    pm_error error = {.status = PM_OK};
    pm_status status = compare_prepare(&c, max_times, &error);
    if (status == PM_OK &&
        !(jumps_begin(&jumps[0], &c.arena, c.a) && jumps_begin(&jumps[1], &c.arena, c.b))) {
        status = motion_refuse_memory(&error);
    }
    if (status == PM_OK) {
        status = compare_run(&c, &observer, &error);
    }
    if (status == PM_OK) {
        status = jumps_walk(&jumps[1], &c.arena, c.b, &error);
    }
    if (status == PM_OK) {
        report_row_fill(row, &c, &jumps[0], &jumps[1]);
    }
    compare_release(&c);
    return status == PM_OK ? CLI_DONE : cli_fail_error(row->file->file->item->path, &error);
}

static void name_row(report_row *row, const report_motions *m, size_t clip) {
    const pm_motion_content *content = pm_motion_get_content(m->source);
    row->clip_at = clip;
    row->source_clip = m->source_clip_count > 0 ? m->source_clips[clip] : clip;
    const pm_motion_name name = content->clips[row->source_clip].name;
    row->clip = content->clip_count > 1 ? report_copy_name(name) : NULL;
}

/* What the last failure of this thread said. */
static char *take_failure(cli_messages *messages) {
    char *text = messages->failure;
    messages->failure = NULL;
    return text != NULL ? text : strdup("out of memory for the message");
}

static bool compare_clips(report_file *file, const report_motions *m, cli_messages *messages) {
    if (!report_rows_make(file, m->clip_count)) {
        return false;
    }
    for (size_t i = 0; i < file->row_count; i++) {
        report_row *row = &file->rows[i];
        report_clips clips;
        name_row(row, m, i);
        cli_exit code = report_clips_find(&clips, m, row);
        if (code == CLI_DONE) {
            code = compute(row, &clips, m->options->max_frames);
        }
        report_clips_release(&clips);
        if (code != CLI_DONE && (row->error = take_failure(messages)) == NULL) {
            return false;
        }
    }
    return true;
}

bool report_compare(report_file *file, const resample_options *options, char *data, size_t size) {
    cli_messages messages = {.is_silent = true}; /* the batch has told the warnings */
    report_motions m;
    cli_keep_messages(&messages);
    cli_exit code = report_open(&m, options, file, data, size);
    bool done = true;
    if (code == CLI_DONE) {
        done = compare_clips(file, &m, &messages);
    } else {
        char *text = take_failure(&messages);
        done = text != NULL && report_rows_refuse(file, text);
        free(text);
    }
    report_close(&m);
    cli_keep_messages(NULL);
    cli_messages_release(&messages);
    return done;
}
