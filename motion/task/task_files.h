/* SPDX-License-Identifier: MIT
 *
 * Names of inputs and outputs, which are checked before one of them is open, and reading.
 */
#pragma once

#include "motion/model/model.h"

/* Whether an input exists, is no folder, and has an extension of a format that can be read. */
pm_status task_check_input(const pm_motion_batch_task *task, const char *in, pm_error *error);

/* Whether an output, which the option gives, has an extension of a format, or none. */
pm_status task_check_output(const pm_motion_batch_task *task, bool is_of_batch, const char *out,
                            pm_error *error);

/* Whether lengths or the axis that is up change. */
bool task_moves(const pm_motion_batch_task *task);

/* Refuses options that only BVH has where the output has another format. */
pm_status task_check_format(const pm_motion_batch_task *task, pm_motion_format format,
                            pm_error *error);

enum { TASK_LEFT_OUT = 256 };

/* Lists what two files have beside their motions and is not the same, such as betas of AMASS. */
void task_list_differences(const pm_motion *a, const pm_motion *b, char text[TASK_LEFT_OUT]);

/* Opens a file, and refuses a folder with a hint. With `data`, these are its bytes, which must outlive
 * the motion, and `path` is its name in an archive: it has no folder. */
pm_status task_read(const pm_motion_read_options *options, const char *path, const char *data,
                    size_t size, pm_motion **motion, pm_error *error);
