/* SPDX-License-Identifier: MIT
 *
 * Edits of a file that come before it is resampled, converted or reduced.
 */
#ifndef POSEMILL_MOTION_TASK_EDIT_H
#define POSEMILL_MOTION_TASK_EDIT_H

#include "motion/model/model.h"

enum { TASK_EDITED = 4096 };

/* Whether the task edits or mirrors. */
bool task_edits(const pm_motion_batch_task *task);

enum { TASK_LEFT_OUT = 256 };

/* Lists what two files have beside their motions and is not the same, such as betas of AMASS. */
void task_list_differences(const pm_motion *a, const pm_motion *b, char text[TASK_LEFT_OUT]);

#endif
