/* SPDX-License-Identifier: MIT
 *
 * Options about how motion files are read, shared by resample, convert and info.
 */
#ifndef POSEMILL_TOOLS_MOTION_OPTIONS_H
#define POSEMILL_TOOLS_MOTION_OPTIONS_H

#include "motion/model/model.h"
#include "motion/task/task_clips.h"
#include "options.h"

#include <posemill/posemill_motion.h>

typedef struct motion_options {
    pm_motion_read_options read;
    bool quiet; /* no warnings */
} motion_options;

/* The table, which fills `options`. They must be zeroed. */
option_group motion_options_group(motion_options *options);

/* Warns of options that have no effect on any input. `formats` has bit n set for each pm_motion_format n
 * that was read; 0: none, and nothing is said. */
void motion_options_warn(const motion_options *options, unsigned formats);

/* Parses the name of a format into a pm_motion_format. */
bool motion_option_format(const char *text, void *target, char *reason);

/* Opens a motion, with warnings on stderr. On failure prints and returns the code. */
cli_exit motion_options_open(const motion_options *options, const char *path, pm_motion **motion);

/* Clips that are picked by name or number. Zero-initialise. */
typedef struct clip_names {
    const char *names[TASK_CLIPS_MAX];
    size_t count; /* 0: all clips */
} clip_names;

/* Adds a name to a clip_names, for an option that may be repeated. */
bool motion_option_clip(const char *text, void *target, char *reason);

#endif
