/* SPDX-License-Identifier: MIT
 *
 * What a motion file is, for people and as JSON.
 */
#ifndef POSEMILL_TOOLS_INFO_H
#define POSEMILL_TOOLS_INFO_H

#include <posemill/posemill_motion.h>

/* At most a screen. */
void info_print(const char *path, const pm_motion_content *content);

void info_print_json(const char *path, const pm_motion_content *content);

#endif
