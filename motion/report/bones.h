/* SPDX-License-Identifier: MIT
 *
 * Which lines of a skeleton are bones.
 */
#pragma once

#include "motion/compare/subject.h"

/* For each joint the parent from which a bone leads to it, or -1: of a root, and where the parent only groups.
 * Such a parent, like all above it, holds still, and its child moves away from it or it is no joint of the
 * skins that there are. NULL: memory is exhausted. */
int32_t *bones_find(motion_arena *arena, const subject *a);
