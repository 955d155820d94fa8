/* SPDX-License-Identifier: MIT
 *
 * Resampling into a file, and the check of its options.
 */
#pragma once

#include "motion/model/model.h"

pm_status resample_check_options(const pm_motion *motion, const pm_motion_resample_options *o,
                                 pm_error *error);

/* Writes a motion resampled, as pm_motion_convert would write it: in pieces where a document is written
 * again, which `writing` decides together with the motion; its format is that of the document where it
 * is not given. The options' own fields about the output are not used. `rewrites`: decimals are of all numbers of a text. */
pm_status resample_write(const pm_motion *motion, pm_engine *engine,
                         const pm_motion_resample_options *options,
                         const pm_motion_convert_options *writing, bool rewrites, const char *path,
                         pm_motion_resample_report *report, pm_error *error);
