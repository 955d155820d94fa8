/* SPDX-License-Identifier: MIT
 *
 * What `compare` and `view` have in common: how motions are looked at, and pages.
 */
#ifndef POSEMILL_TOOLS_PAGE_OPTIONS_H
#define POSEMILL_TOOLS_PAGE_OPTIONS_H

#include "options.h"

#include <posemill/posemill_motion.h>

/* The table, which fills the part along the time, the axis that points up and the unit. */
option_group scene_options_group(pm_motion_compare_options *options);

/* Prints and returns the code if a page cannot have this name: that of an input, or of another kind of
 * file. */
cli_exit page_check_name(const command_help *help, const char *path, char **inputs, size_t count);

/* The first of both alone. */
cli_exit page_check_inputs(const char *path, char **inputs, size_t count);

/* The words of a command line, malloc'ed. NULL: memory is exhausted. */
char *page_command_line(int argc, char **argv);

#endif
