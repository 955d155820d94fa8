/* SPDX-License-Identifier: MIT
 *
 * Names of the files of a report, and whether the batch needs one of them.
 */
#ifndef POSEMILL_MOTION_REPORT_NAMES_H
#define POSEMILL_MOTION_REPORT_NAMES_H

#include "motion/batch/plan.h"

#include <stddef.h>

/* A path below a folder, malloc'ed. NULL: memory is exhausted. */
char *report_path(const char *folder, const char *name);

/* "pages/0001-walk.bvh.html" of the page with a number, from 1, for a name that may have any bytes:
 * letters, digits, dots, hyphens and underscores. `clip` may be NULL. malloc'ed; NULL: memory is
 * exhausted. */
char *report_page_name(size_t number, const char *name, const char *clip);

/* Refuses a report that would overwrite an input, an output or one of the other files of a batch, which
 * may be NULL, and a folder that is a file. */
pm_status report_check_folder(const char *folder, const batch_items *items, const batch_plan *plan,
                              const char *const *others, size_t other_count, pm_error *error);

#endif
