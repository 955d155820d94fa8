/* SPDX-License-Identifier: MIT
 *
 * The page of one row: that of `posemill compare`, at the key times of both.
 */
#ifndef POSEMILL_MOTION_REPORT_PAGE_H
#define POSEMILL_MOTION_REPORT_PAGE_H

#include "motion/batch/report_row.h"

/* Writes the page with a number, from 1, below the folder of the report, and sets the row's `page`, or
 * `page_error` where the motions do not fit into a page. Fails only where the page cannot be written. */
pm_status report_page_write(const pm_motion_batch_options *options, size_t number, report_row *row,
                            const char *made_by, pm_error *error);

#endif
