/* SPDX-License-Identifier: MIT
 *
 * What the axis that points up and the unit of length of a motion are, and what makes others of them.
 */
#ifndef POSEMILL_MOTION_ADJUSTMENT_H
#define POSEMILL_MOTION_ADJUSTMENT_H

#include <posemill/posemill_motion.h>

/* A turn of the world that makes another axis point up. */
typedef enum motion_turn {
    MOTION_TURN_NONE = 0,
    MOTION_TURN_Z_TO_Y, /* z was up, y becomes up: -90 degrees about x */
    MOTION_TURN_Y_TO_Z
} motion_turn;

typedef struct motion_adjustment {
    double scale; /* of lengths */
    motion_turn turn;
} motion_adjustment;

static inline bool motion_is_adjusted(motion_adjustment by) {
    return by.scale != 1 || by.turn != MOTION_TURN_NONE;
}

/* Finds what the scale, the axes and the units of options do to a motion of a format. Refused with
 * PM_ERROR_ARGUMENT: numbers and axes that are none, and another axis or unit for the result where neither
 * the options nor the format say what the motion has. */
pm_status motion_find_adjustment(const pm_motion_convert_options *options, pm_motion_format format,
                                 motion_adjustment *by, pm_error *error);

#endif
