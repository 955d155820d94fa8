/* SPDX-License-Identifier: MIT
 *
 * Both motions are read with the options of the batch. Where --start, --end or --trim-start leave a
 * part of the source out, that part is not compared.
 */
#include "motion/batch/batch_report.h"

#include <math.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/task/task_files.h"

/* The batch has told the warnings. */
static pm_motion_read_options quiet(const pm_motion_batch_task *task) {
    pm_motion_read_options read = task->read;
    read.log = NULL;
    read.observer = NULL;
    read.headers_only = read.resample_only = false;
    return read;
}

static pm_status open_source(report_motions *m, const batch_item *item, const char *data,
                             size_t size, pm_error *error) {
    pm_motion_read_options read = quiet(m->task);
    if (item->source_rate.den != 0)
        read.source_rate = item->source_rate;
    if (item->layout)
        read.layout = item->layout;
    return task_read(&read, item->path, data, size, &m->source, error);
}

/* An output is its own format at its own rate: a file of CSV does not have it. */
static pm_status open_output(report_motions *m, const report_file *file, pm_error *error) {
    pm_motion_read_options read = quiet(m->task);
    const pm_motion_format from = pm_motion_get_content(m->source)->format;
    const bool is_stamped = pm_motion_get_content(m->source)->has_stamps; /* outputs say it */
    const pm_motion_format named = pm_motion_find_format(file->file->out);
    const pm_motion_format wanted = m->task->format != PM_MOTION_ANY ? m->task->format : from;
    const char *layout = file->file->item->layout ? file->file->item->layout : read.layout;
    read.format = named != PM_MOTION_ANY ? PM_MOTION_ANY : wanted;
    read.source_rate = file->rate;
    read.rates_file = NULL;
    if ((named != PM_MOTION_ANY ? named : wanted) != PM_MOTION_NPZ)
        read.skeleton = NULL; /* the output has it */
    read.layout = from == PM_MOTION_NPZ || (from == PM_MOTION_CSV && !is_stamped) ? layout : NULL;
    return task_read(&read, file->file->out, NULL, 0, &m->output, error);
}

pm_status report_open(report_motions *m, const pm_motion_batch_task *task, const report_file *file,
                      const char *data, size_t size, pm_error *error) {
    const char *path = file->file->item->path;
    *m = (report_motions){.task = task};
    MOTION_TRY(open_source(m, file->file->item, data, size, error));
    MOTION_TRY(open_output(m, file, error));
    MOTION_TRY(
        task_find_clips(m->source, path, task, m->source_clips, &m->source_clip_count, error));
    const size_t of_source = pm_motion_get_content(m->source)->clip_count;
    const size_t of_output = pm_motion_get_content(m->output)->clip_count;
    m->clip_count = m->source_clip_count > 0 ? m->source_clip_count : of_source;
    /* Formats other than glTF hold one clip: the first with channels. */
    if (m->source_clip_count == 0 && of_output < of_source) {
        m->source_clips[0] = motion_first_clip(pm_motion_get_content(m->source));
        m->source_clip_count = 1;
    }
    m->clip_count = m->clip_count < of_output ? m->clip_count : of_output;
    return m->clip_count > 0
               ? PM_OK
               : motion_fail_at(error, PM_ERROR_FILE, path, NULL, "has no clip to compare");
}

void report_close(report_motions *m) {
    pm_motion_destroy(&m->source);
    pm_motion_destroy(&m->output);
}

static double seconds_of(pm_rational r) {
    return r.den != 0 ? (double)r.num / (double)r.den : 0;
}

/* The part of the source that was resampled. */
static void cut(const pm_motion_batch_task *o, subject *source, subject *output) {
    const pm_rational rate = source->clip->rate;
    const double trimmed =
        rate.den != 0 ? (double)o->trim_start * (double)rate.den / (double)rate.num : 0;
    const double from = trimmed + seconds_of(o->start_after_first_key);
    const double seconds =
        o->end_after_first_key.den != 0
            ? seconds_of(o->end_after_first_key) - seconds_of(o->start_after_first_key)
            : (double)INFINITY;
    if (from <= 0 && isinf(seconds))
        return;
    subject_cut(source, from, seconds);
    /* Channels with steps keep all their keys where the others keep their times. */
    const double late = source->begin - output->begin;
    if (o->keep_time && motion_is_gltf(source->view.content.format) &&
        motion_is_gltf(output->view.content.format) && late > subject_step(output) / 2)
        subject_cut(output, late, (double)INFINITY);
}

pm_status report_clips_find(report_clips *clips, const report_motions *m, const report_row *row,
                            pm_error *error) {
    const batch_file *file = row->file->file;
    *clips = (report_clips){.pairs = {.count = 0}};
    char text[MOTION_ADJUSTMENT_TEXT];
    MOTION_TRY(motion_name_failure(subject_make(&clips->source, m->source, row->source_clip, error),
                                   file->item->path, error));
    MOTION_TRY(motion_name_failure(subject_make(&clips->output, m->output, row->clip_at, error),
                                   file->out, error));
    MOTION_TRY(motion_name_failure(subject_meet(&clips->output, &clips->source, text, error),
                                   file->out, error));
    cut(m->task, &clips->source, &clips->output);
    return joints_match(&clips->source, &clips->output, NULL, &clips->pairs, error);
}

void report_clips_release(report_clips *clips) {
    joints_release(&clips->pairs);
    subject_release(&clips->source);
    subject_release(&clips->output);
}

static void see_frame(void *user, const compare_frame *frame) {
    jumps_add(user, frame->time, frame->a);
}

static void see_speeds(void *user, uint64_t index, const pair_speeds *speeds) {
    (void)user, (void)index, (void)speeds;
}

static pm_status compute(report_row *row, report_clips *clips, uint64_t max_times,
                         pm_error *error) {
    SCOPED(compare_release)
    comparison c = {.a = &clips->source,
                    .b = &clips->output,
                    .pairs = &clips->pairs,
                    .times = {.rule = TIMES_OF_A}};
    jump_state jumps[2];
    const compare_observer observer = {see_frame, see_speeds, &jumps[0]};
    pm_status status = compare_prepare(&c, max_times, error);
    if (status == PM_OK &&
        !(jumps_begin(&jumps[0], &c.arena, c.a) && jumps_begin(&jumps[1], &c.arena, c.b)))
        status = motion_refuse_memory(error);
    if (status == PM_OK)
        status = compare_run(&c, &observer, error);
    if (status == PM_OK)
        status = jumps_walk(&jumps[1], &c.arena, c.b, error);
    if (status == PM_OK)
        report_row_fill(row, &c, &jumps[0], &jumps[1]);
    return motion_name_failure(status, row->file->file->item->path, error);
}

static void name_row(report_row *row, const report_motions *m, size_t clip) {
    const pm_motion_content *content = pm_motion_get_content(m->source);
    row->clip_at = clip;
    row->source_clip = m->source_clip_count > 0 ? m->source_clips[clip] : clip;
    const pm_motion_name name = content->clips[row->source_clip].name;
    row->clip = content->clip_count > 1 ? report_copy_name(name) : NULL;
}

uint64_t report_most_times(const pm_motion_batch_task *task) {
    static const uint64_t most = 100000000; /* as many as a task has samples */
    return task->max_samples > 0 ? task->max_samples : most;
}

static bool compare_clips(report_file *file, const report_motions *m, pm_spelling spelling) {
    char text[PM_ERROR_TEXT_SIZE];
    if (!report_rows_make(file, m->clip_count))
        return false;
    for (size_t i = 0; i < file->row_count; i++) {
        report_row *row = &file->rows[i];
        report_clips clips;
        pm_error error;
        name_row(row, m, i);
        pm_status status = report_clips_find(&clips, m, row, &error);
        if (status == PM_OK)
            status = compute(row, &clips, report_most_times(m->task), &error);
        report_clips_release(&clips);
        if (status == PM_OK)
            continue;
        motion_write_line(&error, spelling, text);
        if (!(row->error = strdup(text)))
            return false;
    }
    return true;
}

bool report_compare(report_file *file, const pm_motion_batch_options *options) {
    char text[PM_ERROR_TEXT_SIZE];
    SCOPED(report_close) report_motions m;
    pm_error error;
    const bool opened =
        report_open(&m, &options->task, file, file->file->data, file->file->size, &error) == PM_OK;
    if (!opened)
        motion_write_line(&error, options->spelling, text);
    return opened ? compare_clips(file, &m, options->spelling) : report_rows_refuse(file, text);
}
