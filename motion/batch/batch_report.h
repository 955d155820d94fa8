/* SPDX-License-Identifier: MIT
 *
 * The report of a batch: every output is compared with its source, an index sorts them, and the worst have a
 * page.
 */
#pragma once

#include "motion/batch/plan.h"
#include "motion/batch/record.h"
#include "motion/compare/compare.h"
#include "motion/task/task_clips.h"

#include <stddef.h>

/* What a report says of the files of a batch: a row for each clip of a file, or one that says why the
 * file is not compared. */

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

/* A source of a batch and its output: opens both, and compares a clip of one with the clip of the
 * other that was made of it. */

typedef struct report_motions {
    const pm_motion_batch_task *task;
    pm_motion *source, *output;
    size_t source_clips[TASK_CLIPS_MAX]; /* that were resampled; all, if the count is 0 */
    size_t source_clip_count;
    size_t clip_count; /* that both have */
} report_motions;

/* Opens both. `data` is what a member of an archive has, and must outlive the motions; else NULL. Close
 * the motions also on failure. */
pm_status report_open(report_motions *m, const pm_motion_batch_task *task, const report_file *file,
                      const char *data, size_t size, pm_error *error);
void report_close(report_motions *m);

/* The clips of one row. */
typedef struct report_clips {
    subject source, output;
    joint_pairs pairs;
} report_clips;

/* Finds the clips of a row, the part of them that both have, and the pairs of their joints. Release
 * the clips also on failure. */
pm_status report_clips_find(report_clips *clips, const report_motions *m, const report_row *row,
                            pm_error *error);
void report_clips_release(report_clips *clips);

/* Makes the rows of a file, and compares each of its clips. What fails becomes the text of a row. Thread-
 * safe for files of each thread's own. False: memory is exhausted. */
bool report_compare(report_file *file, const pm_motion_batch_options *options);

/* More times are not compared. */
uint64_t report_most_times(const pm_motion_batch_task *task);

/* The index of a report: all rows, for people and for scripts. */

typedef struct report_index {
    const char *out_dir;
    const char *made_by;           /* the command line, or what else made it */
    const report_row *const *rows; /* in their order, the worst first */
    size_t row_count;
    size_t files, compared, failed; /* files; the rest could not be compared */
} report_index;

/* Write a file whole or not at all. */
pm_status report_index_write(const char *path, const report_index *index, pm_error *error);
pm_status report_json_write(const char *path, const report_index *index, pm_error *error);

/* Names of the files of a report, and whether the batch needs one of them. */

/* A path below a folder, malloc'ed. NULL: memory is exhausted. */
char *report_path(const char *folder, const char *name);

/* "pages/0001-walk.bvh.html" of the page with a number, from 1, for a name that may have any bytes:
 * letters, digits, dots, hyphens and underscores. `clip` may be NULL. malloc'ed; NULL: memory is
 * exhausted. */
char *report_page_name(size_t number, const char *name, const char *clip);

/* The page of one row: that of `posemill compare`, at the key times of both. */

/* Writes the page with a number, from 1, below the folder of the report, and sets the row's `page`, or
 * `page_error` where the motions do not fit into a page. Fails only where the page cannot be written. */
pm_status report_page_write(const pm_motion_batch_options *options, size_t number, report_row *row,
                            const char *made_by, pm_error *error);

/* The report of a batch: every output is compared with its source, an index sorts them, and the worst
 * have a page. */

typedef struct report_request {
    const pm_motion_batch_options *options;
    const batch_items *items;
    const batch_plan *plan;
    const char *const *others; /* further files of the batch, which may be NULL */
    size_t other_count;
    size_t threads; /* files that are compared at a time */
} report_request;

/* Creates the folder of a report and that of its pages. */
pm_status report_make_folder(const char *folder, pm_error *error);

/* Refuses a report that would overwrite an input, an output or one of the other files of a batch, and a folder
 * that is a file. */
pm_status report_check_folder(const report_request *request, pm_error *error);

/* The same of pages that have no outputs beside them, in the folder of the option out-dir. */
pm_status view_check_folder(const char *folder, const batch_items *items, pm_error *error);

/* What is found. Texts are valid until the report ends. */
typedef struct report_summary {
    size_t files, compared;
    double degrees;   /* the largest angle */
    const char *name; /* of its file */
    char *path;       /* of the index */
} report_summary;

typedef struct batch_report batch_report;

/* Begins a report before anything is written. What the request points to must outlive it. Refuses a
 * report that would overwrite an input. */
pm_status report_begin(const report_request *request, batch_report **report, pm_error *error);

/* Takes note of what became of a file of the plan. Thread-safe for different files. */
void report_note(batch_report *report, size_t file, const batch_record *record);

/* Compares within `memory` bytes, and writes the index and the pages, unless it is stopped: *stopped. On
 * failure the index of an earlier report is still there. */
pm_status report_write(batch_report *report, uint64_t memory, bool *stopped, pm_error *error);

const report_summary *report_summarise(const batch_report *report);

/* *report may be NULL. */
void report_end(batch_report **report);
