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

static void note_left_out(void *user, const char *what) {
    char *text = user;
    const size_t used = strlen(text);
    snprintf(text + used, TASK_LEFT_OUT - used, "%s%s", used > 0 ? ", " : "", what);
}

pm_status task_write_joined(const pm_motion_batch_task *task, const pm_motion *joined,
                            const char *out, char left_out[TASK_LEFT_OUT], pm_error *error) {
    const pm_motion_format named = pm_motion_find_format(out);
    const pm_motion_convert_options options = {.format = named != PM_MOTION_ANY ? named
                                                         : task->format != PM_MOTION_ANY
                                                             ? task->format
                                                             : joined->content.format,
                                               .euler_given = task->euler_given,
                                               .euler = task->euler,
                                               .scale = task->scale,
                                               .up = task->up,
                                               .to_up = task->to_up,
                                               .unit_mm = task->unit_mm,
                                               .to_unit_mm = task->to_unit_mm,
                                               .strict = task->read.strict,
                                               .decimals = task->decimals,
                                               .left_out = note_left_out,
                                               .left_out_user = left_out};
    pm_motion *moved = NULL;
    pm_status status = PM_OK;
    left_out[0] = '\0';
    if (task->extracts_root)
        status = pm_motion_extract_root(joined, &task->root, &moved, NULL, error);
    if (status == PM_OK)
        status = pm_motion_convert(moved ? moved : joined, &options, out, error);
    pm_motion_destroy(&moved);
    return status;
}
