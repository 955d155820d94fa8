/* SPDX-License-Identifier: MIT
 *
 * A source of a batch and its output: opens both, and compares a clip of one with the clip of the
 * other that was made of it.
 */
#ifndef POSEMILL_MOTION_REPORT_PAIR_H
#define POSEMILL_MOTION_REPORT_PAIR_H

#include "motion/batch/report_row.h"
#include "motion/task/task_clips.h"

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

#endif
