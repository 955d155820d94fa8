/* SPDX-License-Identifier: MIT
 *
 * The index of a report: all rows, for people and for scripts.
 */
#ifndef POSEMILL_TOOLS_BATCH_REPORT_INDEX_H
#define POSEMILL_TOOLS_BATCH_REPORT_INDEX_H

#include "report_row.h"
#include "resample/resample.h"

typedef struct report_index {
    const resample_options *options;
    const char *command;           /* the command line */
    const report_row *const *rows; /* in their order, the worst first */
    size_t row_count;
    size_t files, compared, failed; /* files; the rest could not be compared */
} report_index;

/* Write a file whole or not at all. On failure print and return the code. */
cli_exit report_index_write(const char *path, const report_index *index);
cli_exit report_json_write(const char *path, const report_index *index);

#endif
