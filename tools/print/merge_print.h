/* SPDX-License-Identifier: MIT
 *
 * What posemill merge says to people.
 */
#ifndef POSEMILL_TOOLS_MERGE_PRINT_H
#define POSEMILL_TOOLS_MERGE_PRINT_H

#include "motion/batch/merge.h"

/* Prints the counts, the first files of each problem, and the digest. */
void merge_print(const pm_motion_batch_merge *merge);

#endif
