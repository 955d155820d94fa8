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

/* ---- what options of the command say ------------------------------------------------------- */

/* Parsers of options: false with a reason, for which there are TASK_REASON bytes. */
enum { TASK_REASON = 384 };

/* Names, in memory of their own. */
typedef struct task_names {
    const char **names;
    size_t count;
} task_names;

/* Zero-initialise. `edit` points to the names. */
typedef struct task_edit_options {
    pm_motion_edit_options edit;
    task_names joints, renames;
} task_edit_options;

/* "1.5:3" or "1.5s:3s" in seconds, "10f:40f" in frames; one of both may be left out. */
bool task_option_cut(const char *text, void *target, char *reason);    /* task_edit_options */
bool task_option_joints(const char *text, void *target, char *reason); /* likewise: A,B,C */
bool task_option_rename(const char *text, void *target, char *reason); /* likewise: OLD=NEW */
void task_edit_release(task_edit_options *options);

bool task_option_plane(const char *text, void *target, char *reason); /* pm_motion_axis */

typedef struct task_fill_options {
    pm_motion_fill_options how;
    bool is_given;
} task_fill_options;

/* Nothing, "nan" or "frozen:N". */
bool task_option_fill(const char *text, void *target, char *reason); /* task_fill_options */

#endif
