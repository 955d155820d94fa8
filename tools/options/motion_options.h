/* SPDX-License-Identifier: MIT
 *
 * Options about how motion files are read, shared by resample, convert and info.
 */
#ifndef POSEMILL_TOOLS_MOTION_OPTIONS_H
#define POSEMILL_TOOLS_MOTION_OPTIONS_H

#include "motion/model/model.h"
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

/* motion_open_observed, with messages as above. */
cli_exit motion_options_open_observed(const motion_options *options, const char *path, char *data,
                                      size_t size, const motion_observer *observer,
                                      pm_motion **motion);

/* Clips that are picked by name or number. Zero-initialise. */
enum { CLIP_NAMES_MAX = 256 };
typedef struct clip_names {
    const char *names[CLIP_NAMES_MAX];
    size_t count; /* 0: all clips */
} clip_names;

/* Adds a name to a clip_names, for an option that may be repeated. */
bool motion_option_clip(const char *text, void *target, char *reason);

/* Finds clips by their names, each once, in the order of the file. On failure prints and returns the
 * code. */
cli_exit motion_find_clips(const pm_motion *motion, const char *path, const clip_names *names,
                           size_t indices[CLIP_NAMES_MAX], size_t *count);

/* Finds a clip by its name, or by its number from 0. On failure prints and returns the code. */
cli_exit motion_find_clip(const pm_motion *motion, const char *path, const char *clip,
                          size_t *index);

#endif
