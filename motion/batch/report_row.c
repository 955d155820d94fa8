/* SPDX-License-Identifier: MIT
 *
 * Rows: their numbers and their order.
 */
#include "motion/base/os.h"
#include "motion/batch/batch_report.h"

#include "motion/base/printable.h"
#include "motion/model/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 200 }; /* names of hostile files may be as long as the file */

static const report_value no_value = {
    .max = (double)NAN, .rms = (double)NAN, .time = (double)NAN, .joint = NULL};

static void begin_row(report_row *row, const report_file *file) {
    *row = (report_row){
        .file = file, .jump = {.output = (double)NAN, .source = (double)NAN, .time = (double)NAN}};
    for (int m = 0; m < REPORT_MEASURES; m++)
        row->values[m] = no_value;
}

bool report_rows_make(report_file *file, size_t count) {
    file->rows = calloc(count > 0 ? count : 1, sizeof *file->rows);
    file->row_count = file->rows ? count : 0;
    for (size_t i = 0; i < file->row_count; i++)
        begin_row(&file->rows[i], file);
    return file->rows != NULL;
}

bool report_rows_refuse(report_file *file, const char *error) {
    if (!report_rows_make(file, 1))
        return false;
    file->rows[0].error = strdup(error);
    return file->rows[0].error != NULL;
}

char *report_copy_name(pm_motion_name name) {
    return strndup(name.text, utf8_cut(name.text, name.size, NAME_BYTES));
}

static char *joint_name(const comparison *c, size_t pair) {
    const uint32_t joint = c->pairs->pairs[pair].a;
    const pm_motion_name name = subject_name(c->a, joint);
    return name.size > 0 ? report_copy_name(name) : strdup(MOTION_SHOWN_JOINT(name, joint));
}

static report_value value_of(const comparison *c, compare_measure measure) {
    const extent *all = &c->clip.of[measure];
    report_value value = no_value;
    if (all->count == 0)
        return value;
    value = (report_value){.max = all->max, .rms = extent_rms(all), .time = all->time};
    value.pair = compare_worst(c, measure);
    value.joint = joint_name(c, value.pair);
    return value;
}

static report_jump jump_of(const comparison *c, const jump_state *a, const jump_state *b) {
    report_jump jump = {.output = (double)NAN, .source = (double)NAN, .time = (double)NAN};
    bool found = false;
    for (size_t p = 0; p < c->pairs->count; p++) {
        const extent *source = &a->largest[c->pairs->pairs[p].a];
        const extent *output = &b->largest[c->pairs->pairs[p].b];
        if (source->count > 0 && output->count > 0 &&
            (!found || output->max - source->max > jump.output - jump.source)) {
            jump = (report_jump){output->max, source->max, output->time, NULL, p};
            found = true;
        }
    }
    jump.joint = found ? joint_name(c, jump.pair) : NULL;
    return jump;
}

void report_row_fill(report_row *row, const comparison *c, const jump_state *a,
                     const jump_state *b) {
    row->source_rate = c->a->clip->rate;
    row->rate = c->b->clip->rate;
    row->frames = c->time_count;
    row->key_times = c->key_times;
    row->seconds = c->seconds;
    row->unit_mm = c->a->unit_mm > 0 ? c->a->unit_mm : (double)NAN;
    row->joints = c->pairs->count;
    row->only_in_source = c->pairs->only_count[0];
    row->only_in_output = c->pairs->only_count[1];
    for (int m = 0; m < REPORT_MEASURES; m++)
        row->values[m] = value_of(c, (compare_measure)m);
    row->jump = jump_of(c, a, b);
}

double report_excess(const report_row *row) {
    return row->jump.output - row->jump.source;
}

double report_millimetres(const report_row *row, double distance) {
    return distance * row->unit_mm;
}

/* What is not known comes after all that is. */
static double rank_of(double number) {
    return isnan(number) ? -1 : number;
}

static int descending(double a, double b) {
    return (rank_of(a) < rank_of(b)) - (rank_of(a) > rank_of(b));
}

int report_rows_compare(const void *left, const void *right) {
    const report_row *a = *(const report_row *const *)left;
    const report_row *b = *(const report_row *const *)right;
    if ((a->error != NULL) != (b->error != NULL))
        return a->error ? 1 : -1;
    int order = descending(a->values[MEASURE_ANGLE].max, b->values[MEASURE_ANGLE].max);
    if (order == 0)
        order = descending(report_millimetres(a, a->values[MEASURE_DISTANCE].max),
                           report_millimetres(b, b->values[MEASURE_DISTANCE].max));
    if (order == 0)
        order = strcmp(a->file->file->name, b->file->file->name);
    return order != 0 ? order : (a->clip_at > b->clip_at) - (a->clip_at < b->clip_at);
}

void report_file_release(report_file *file) {
    for (size_t i = 0; i < file->row_count; i++) {
        report_row *row = &file->rows[i];
        for (int m = 0; m < REPORT_MEASURES; m++)
            free(row->values[m].joint);
        MOTION_FREE(row->jump.joint, row->error, row->clip, row->page, row->page_error);
    }
    MOTION_FREE(file->rows, file->error);
    *file = (report_file){.file = NULL};
}
