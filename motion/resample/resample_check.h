/* SPDX-License-Identifier: MIT
 *
 * The check of resampling options.
 */
#ifndef POSEMILL_MOTION_RESAMPLE_CHECK_H
#define POSEMILL_MOTION_RESAMPLE_CHECK_H

#include "motion/model/model.h"

pm_status resample_check_options(const pm_motion *motion, const pm_motion_resample_options *o,
                                 pm_error *error);

/* pm_motion_resample of a motion that was made of another, whose document is written, in
 * options->format. */
pm_status resample_into(const pm_motion *motion, const pm_motion *source, pm_engine *engine,
                        const pm_motion_resample_options *options, const char *path,
                        pm_motion_resample_report *report, pm_error *error);

#endif
