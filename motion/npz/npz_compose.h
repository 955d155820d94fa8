/* SPDX-License-Identifier: MIT
 *
 * An NPZ file of the layout `plain` from a motion of any format: motion_format.compose.
 */
#ifndef POSEMILL_MOTION_NPZ_COMPOSE_H
#define POSEMILL_MOTION_NPZ_COMPOSE_H

#include "motion/model/model.h"

pm_status npz_compose(const pm_motion *motion, const motion_writing *options,
                      const motion_sink *sink, pm_error *error);

#endif
