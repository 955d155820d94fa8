/* SPDX-License-Identifier: MIT
 *
 * The table of formats: which one a name, the options or the bytes of a file mean, and opening with it.
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

/* The kind of file that a name or the options promise; that of any motion if they do not. */
const input_kind *motion_kind_of(const pm_motion_read_options *options, const char *name);

/* The row of a format. */
const motion_format *motion_format_of(pm_motion_format id);

/* Refuses what `compose` of a format cannot write whatever the keys are: before these are computed. */
pm_status motion_check_writable(const pm_motion *motion, pm_motion_format format, pm_error *error);

/* All extensions of names, for messages. */
extern const char motion_extensions[];

/* That of a name's extension; NULL if it has none, or an unknown one. */
const motion_format *motion_format_of_name(const char *name);

#endif
