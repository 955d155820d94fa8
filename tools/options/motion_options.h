/* SPDX-License-Identifier: MIT
 *
 * Opening motion files with the options about how they are read.
 */
#pragma once

#include "motion/model/model.h"
#include "motion/task/task_clips.h"
#include "options.h"

#include <posemill/posemill_motion.h>

/* Warns of options that have no effect on any input. `formats` has bit n set for each pm_motion_format n
 * that was read; 0: none, and nothing is said. */
void motion_options_warn(const command_options *options, unsigned formats);

/* Opens a motion, with warnings on stderr unless `reading` has another log. On failure prints and returns the
 * code. */
cli_exit motion_options_open(const pm_motion_read_options *reading, const char *path,
                             pm_motion **motion);
