/* SPDX-License-Identifier: MIT
 *
 * pm_motion_open for callers within the project.
 */
#ifndef POSEMILL_MOTION_OPEN_H
#define POSEMILL_MOTION_OPEN_H

#include "motion/model/model.h"

/* pm_motion_open, whose observer sees the bytes of the file and of the files that it refers to. With
 * `data`, malloc'ed memory that the motion takes in every case, these are the bytes of the file, and
 * `path` is its name in an archive: it has no folder. */
pm_status motion_open_observed(const char *path, char *data, size_t size,
                               const pm_motion_read_options *options,
                               const motion_observer *observer, pm_motion **motion,
                               pm_error *error);

#endif
