/* SPDX-License-Identifier: MIT
 *
 * What a report says of the files of a batch: a row for each clip of a file, or one that says why the
 * file is not compared.
 */
#ifndef POSEMILL_MOTION_REPORT_ROW_H
#define POSEMILL_MOTION_REPORT_ROW_H

#include "motion/batch/plan.h"
#include "motion/batch/record.h"
#include "motion/compare/compare.h"
#include "motion/compare/jumps.h"

/* The largest difference of all joints and frames. Numbers that are not known are NaN. */
typedef struct report_value {
    double max, rms, time; /* seconds after the first compared frame */
    char *joint;           /* its name. NULL: there is no value */
    size_t pair;           /* its place among the pairs of the comparison */
} report_value;

/* The joint whose angular velocity jumps most, compared with what it does in the source. */
typedef struct report_jump {
    double output, source; /* the largest of the joint, in degrees/s */
    double time;           /* of the output's */
    char *joint;
    size_t pair;
} report_jump;

enum { REPORT_MEASURES = MEASURE_VELOCITY + 1 }; /* accelerations are left to the pages */

typedef struct report_row {
    const struct report_file *file;
    char *error;                 /* why nothing is compared. NULL: it is */
    char *clip;                  /* the name, where the source has several clips; else NULL */
    size_t source_clip, clip_at; /* numbers of the clip in the source and in the output */
    pm_rational source_rate, rate;
    uint64_t frames;    /* of the source, that are compared */
    uint64_t key_times; /* of which these were taken */
    double seconds;
    double unit_mm;
    size_t joints, only_in_source, only_in_output;
    report_value values[REPORT_MEASURES]; /* in the order of compare_measure */
    report_jump jump;
    char *page;       /* its path below the folder of the report. NULL: there is none */
    char *page_error; /* why there is none although it is among the worst */
} report_row;

typedef struct report_file {
    const batch_file *file; /* of the plan */
    bool has_record;
    record_status status;
    pm_rational rate; /* of the output */
    uint64_t bytes_written;
    digest input, output;
    char *error; /* of failures */
    report_row *rows;
    size_t row_count;
} report_file;

/* Makes rows of a file, which has none. False: memory is exhausted. */
bool report_rows_make(report_file *file, size_t count);

/* One row that says why. False: memory is exhausted. */
bool report_rows_refuse(report_file *file, const char *error);

/* A copy of a name, which may be cut. NULL: memory is exhausted. */
char *report_copy_name(pm_motion_name name);

/* Takes over the numbers of a comparison that has run, and the jumps of A and of B. */
void report_row_fill(report_row *row, const comparison *c, const jump_state *a,
                     const jump_state *b);

/* By how much the output jumps more than the source; NaN: not known. */
double report_excess(const report_row *row);

/* The largest distance in millimetres; NaN: not known. */
double report_millimetres(const report_row *row, double distance);

/* For qsort of pointers to rows: the largest angle first, then the largest distance; rows without
 * numbers last. Equal ones in the order of their names. */
int report_rows_compare(const void *left, const void *right);

void report_file_release(report_file *file);

#endif
