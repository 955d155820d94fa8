/* SPDX-License-Identifier: MIT
 *
 * A BVH from a motion of any format: motion_format.compose.
 */
#ifndef POSEMILL_MOTION_BVH_COMPOSE_H
#define POSEMILL_MOTION_BVH_COMPOSE_H

#include "motion/model/model.h"
#include "motion/text/text.h"

pm_status bvh_compose(const pm_motion *motion, const motion_writing *options,
                      const motion_sink *sink, pm_error *error);

/* Writes a number of an OFFSET, without zeros at the end. Returns the end. */
char *bvh_write_length(char text[TEXT_FIXED_SIZE], double value);

#endif
