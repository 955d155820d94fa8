/* SPDX-License-Identifier: MIT
 *
 * The curve through the keys of one file after another: the arrays and windows that its description
 * points to, and which warnings were given.
 */
#pragma once

#include <posemill/posemill_motion.h>

#include "motion/npz/npy_file.h"

/* Zero-initialise. */
typedef struct task_curve {
    npy_array tangents, axes;
    pm_windows windows;
    bool is_warned, is_warned_of_authored;
} task_curve;

/* Warns about options that the method or, with `authored`, the file's own interpolation does not use,
 * once. */
void task_curve_warn(const pm_motion_curve *curve, bool authored, task_curve *state,
                     pm_motion_log_function log, void *user);

/* Reads the .npy files, checks them against (key_count, track_count, 3) and (track_count, 3), and sets
 * the fields of the description that have options; other fields are unchanged. The description is valid
 * until the next call and the release. */
pm_status task_curve_apply(const pm_motion_curve *curve, size_t key_count, size_t track_count,
                           task_curve *state, pm_clip_desc *desc, pm_error *error);

/* Frees the arrays. */
void task_curve_release(task_curve *state);
