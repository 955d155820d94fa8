/* SPDX-License-Identifier: MIT
 *
 * What a motion file is, for people and as JSON.
 */
#ifndef POSEMILL_TOOLS_INFO_H
#define POSEMILL_TOOLS_INFO_H

#include <posemill/posemill_motion.h>

#include "motion/model/summary.h"

/* Whether the first key looks like a rest pose that the motion leaves with a jump. */
bool info_begins_with_jump(const clip_summary *summary);

/* At most a screen. */
void info_print(const char *path, const pm_motion *motion);

void info_print_json(const char *path, const pm_motion *motion);

#endif
