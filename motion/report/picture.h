/* SPDX-License-Identifier: MIT
 *
 * Poses of a motion at some times, as lines in a plane, for pictures.
 */
#pragma once

#include "motion/compare/subject.h"

/* A bone, from a joint's parent to the joint: x to the right and y down. */
typedef struct picture_bone {
    double from[2], to[2];
} picture_bone;

typedef struct picture {
    const char *name; /* of the file */
    const char *view;
    size_t width, height; /* in pixels */
    size_t count;         /* of poses, at least 1 */
    size_t bones;         /* of a pose */
    double begin;         /* of the first pose, in seconds after the first key */
    double step;          /* seconds from pose to pose */
    picture_bone *poses;  /* (count, bones): in pixels of a cell of `cell` x `height` */
    double cell;
} picture;

/* A pose after another. PM_ERROR_ARGUMENT: this build has no giflib. */
pm_status picture_write_gif(const picture *p, const char *path, pm_error *error);
