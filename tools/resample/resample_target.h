/* SPDX-License-Identifier: MIT
 *
 * The target of a resampling: the rate, which may be relative to that of the source.
 */
#ifndef POSEMILL_TOOLS_RESAMPLE_TARGET_H
#define POSEMILL_TOOLS_RESAMPLE_TARGET_H

#include "options/options.h"

#include <posemill/posemill_motion.h>

/* Option parsers: a rate as text, which is checked, and 1 to 9 decimals (size_t). */
bool resample_option_rate(const char *text, void *target, char *reason);
bool resample_option_decimals(const char *text, void *target, char *reason);

/* Finds the rate that the text of --rate stands for. A relative one requires a clip with a rate. On
 * failure prints and returns the code. */
cli_exit resample_find_rate(const char *text, const pm_motion_content *content, pm_rational *rate);

#endif
