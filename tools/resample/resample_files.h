/* SPDX-License-Identifier: MIT
 *
 * Checks on the names of a file and its output that need neither of them open.
 */
#ifndef POSEMILL_TOOLS_RESAMPLE_FILES_H
#define POSEMILL_TOOLS_RESAMPLE_FILES_H

#include "resample.h"

/* Whether an input exists, is no folder, and has an extension of a format that can be read. On failure
 * prints and returns the code. */
cli_exit resample_check_input(const resample_options *options, const char *in);

/* Whether an output has an extension of a format, or none. */
cli_exit resample_check_output(const resample_options *options, const char *out);

#endif
