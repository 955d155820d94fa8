/* SPDX-License-Identifier: MIT
 *
 * What a motion file is, for people and as JSON.
 */
#ifndef POSEMILL_TOOLS_INFO_H
#define POSEMILL_TOOLS_INFO_H

#include <posemill/posemill_motion.h>

#include "motion/base/counts.h"

/* Counts over a clip. */
typedef struct clip_summary {
    double begin, end; /* seconds */
    size_t keys;       /* of the timeline with most */
    size_t interpolations[PM_MOTION_INTERPOLATION_COUNT];
    size_t paths[PM_MOTION_PATH_COUNT];
    double first_step; /* degrees: the largest turn of a rotation from key 0 to key 1 */
    double other_step; /* the largest turn between later keys */
} clip_summary;

clip_summary info_summarise(const pm_motion_clip *clip);

/* Whether the first key looks like a rest pose that the motion leaves with a jump. */
bool info_begins_with_jump(const clip_summary *summary);

/* The largest number of nodes from a root to a leaf. */
size_t info_depth(const pm_motion_content *content);

/* At most a screen. */
void info_print(const char *path, const pm_motion_content *content);

void info_print_json(const char *path, const pm_motion_content *content);

#endif
