/* SPDX-License-Identifier: MIT
 *
 * The target of a resampling: the rate, which may be relative to that of the source.
 */
#ifndef POSEMILL_TOOLS_RESAMPLE_TARGET_H
#define POSEMILL_TOOLS_RESAMPLE_TARGET_H

#include "options/options.h"

#include <posemill/posemill_motion.h>

/* Option parser: a rate as text, which is checked. */
bool resample_option_rate(const char *text, void *target, char *reason);

/* Finds the rate that the text of --rate stands for. A relative one requires a clip with a rate. On
 * failure prints and returns the code. */
cli_exit resample_find_rate(const char *text, const pm_motion_content *content, pm_rational *rate);

#define RESAMPLE_END_HINT                                                                          \
    "resample --end-rule include adds a sample there, --end-rule fit omits this warning"

/* Warns, unless `seconds` is 0, that the end of a clip is not sampled. In a batch the warning is kept
 * for the record alone. */
void resample_warn_of_end(const char *path, pm_rational rate, double seconds, bool is_batch);

#endif
