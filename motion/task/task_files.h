/* SPDX-License-Identifier: MIT
 *
 * Names of inputs and outputs, which are checked before one of them is open, and reading.
 */
#ifndef POSEMILL_MOTION_TASK_FILES_H
#define POSEMILL_MOTION_TASK_FILES_H

#include "motion/model/model.h"

/* Whether an input exists, is no folder, and has an extension of a format that can be read. */
pm_status task_check_input(const pm_motion_batch_task *task, const char *in, pm_error *error);

/* Whether an output, which the option gives, has an extension of a format, or none. */
pm_status task_check_output(const pm_motion_batch_task *task, const char *option, const char *out,
                            pm_error *error);

/* Whether lengths or the axis that is up change. */
bool task_moves(const pm_motion_batch_task *task);

/* Refuses options that only BVH has where the output has another format. */
pm_status task_check_format(const pm_motion_batch_task *task, pm_motion_format format,
                            pm_error *error);

/* motion_open_observed, which refuses a folder with a hint. */
pm_status task_read(const pm_motion_read_options *options, const char *path, char *data,
                    size_t size, const motion_observer *observer, pm_motion **motion,
                    pm_error *error);

#endif
