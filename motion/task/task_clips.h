/* SPDX-License-Identifier: MIT
 *
 * Clips that are picked by name or number.
 */
#pragma once

#include "motion/options/options.h"

enum { TASK_CLIPS_MAX = OPTION_CLIPS_MAX };

/* Finds a clip by its name, or by its number from 0. `path` is for the message. */
pm_status task_find_clip(const pm_motion *motion, const char *path, const char *clip, size_t *index,
                         pm_error *error);

/* Finds the clips of a task, each once, in the order of the file. */
pm_status task_find_clips(const pm_motion *motion, const char *path,
                          const pm_motion_batch_task *task, size_t indices[TASK_CLIPS_MAX],
                          size_t *count, pm_error *error);
