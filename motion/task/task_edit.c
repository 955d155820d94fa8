/* SPDX-License-Identifier: MIT
 *
 * Edits a motion, step by step, and describes it.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/task/task_edit.h"

#include <stdio.h>
#include <string.h>

bool task_edits(const pm_motion_batch_task *task) {
    return task->fill || task->edit || task->mirror;
}

void task_list_differences(const pm_motion *a, const pm_motion *b, char text[TASK_LEFT_OUT]) {
    text[0] = '\0';
    if (a->document && b->document && a->format == b->format && a->format->list_differences)
        a->format->list_differences(a, b, text, TASK_LEFT_OUT);
}
