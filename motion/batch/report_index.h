/* SPDX-License-Identifier: MIT
 *
 * The index of a report: all rows, for people and for scripts.
 */
#ifndef POSEMILL_MOTION_REPORT_INDEX_H
#define POSEMILL_MOTION_REPORT_INDEX_H

#include "motion/batch/report_row.h"

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

#endif
