/* SPDX-License-Identifier: MIT
 *
 * The page of one row: that of `posemill compare`, at the key times of both.
 */
#ifndef POSEMILL_TOOLS_BATCH_REPORT_PAGE_H
#define POSEMILL_TOOLS_BATCH_REPORT_PAGE_H

#include "report_row.h"
#include "resample/resample.h"

/* Writes the page with a number, from 1, below the folder of the report, and sets the row's `page`, or
 * `page_error` where the motions do not fit into a page. Fails only where the page cannot be written;
 * then prints and returns the code. */
cli_exit report_page_write(const char *folder, size_t number, report_row *row,
                           const resample_options *options, const char *command);

#endif
