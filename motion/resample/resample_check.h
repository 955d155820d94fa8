/* SPDX-License-Identifier: MIT
 *
 * The check of resampling options.
 */
#ifndef POSEMILL_MOTION_RESAMPLE_CHECK_H
#define POSEMILL_MOTION_RESAMPLE_CHECK_H

#include "motion/model/model.h"

pm_status resample_check_options(const pm_motion *motion, const pm_motion_resample_options *o,
                                 pm_error *error);

#endif
