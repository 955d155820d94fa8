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

/* Writes a motion that was joined, as a task says: its format, scale, turn, root, order of angles. Of
 * arrays, the document is that of the first of the motions. `left_out` receives what the format cannot
 * hold. */
enum { TASK_LEFT_OUT = 256 };
pm_status task_write_joined(const pm_motion_batch_task *task, const pm_motion *joined,
                            const char *out, char left_out[TASK_LEFT_OUT], pm_error *error);

/* Lists what two files have beside their motions and is not the same, such as betas of AMASS. */
void task_list_differences(const pm_motion *a, const pm_motion *b, char text[TASK_LEFT_OUT]);

#endif
