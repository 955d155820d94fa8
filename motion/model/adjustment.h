/* SPDX-License-Identifier: MIT
 *
 * What makes the unit of length and the axis that points up of a motion those of another file.
 */
#pragma once

#include "motion/model/model.h"

/* A turn of the world that makes another axis point up. */
typedef enum motion_turn {
    MOTION_TURN_NONE = 0,
    MOTION_TURN_Z_TO_Y, /* z was up, y becomes up: -90 degrees about x */
    MOTION_TURN_Y_TO_Z
} motion_turn;

typedef struct motion_adjustment {
    double scale; /* of lengths */
    motion_turn turn;
    double unit_mm, to_unit_mm; /* of which the scale makes one of the other; 0: it does not */
    /* What the result has; 0: not known */
    double result_unit_mm;
    pm_motion_up result_up;
} motion_adjustment;

static inline bool motion_is_adjusted(motion_adjustment by) {
    return by.scale != 1 || by.turn != MOTION_TURN_NONE;
}

/* Finds what the options, or else the convention of the format of a file, `to`, do to a motion of the format
 * `from`, NULL: none. A document that is written again in its own format has no convention but its own.
 * Refused with PM_ERROR_ARGUMENT: numbers and axes that are none, and another axis or unit for the result
 * where neither the options nor the motion say what it has. */
pm_status motion_find_adjustment(const pm_motion_convert_options *options, const pm_motion *motion,
                                 const motion_format *from, const motion_format *to,
                                 motion_adjustment *by, pm_error *error);

/* "unit cm (estimated) to m, up z to y"; empty if it does neither. What is given is not estimated. Returns
 * text. */
enum { MOTION_ADJUSTMENT_TEXT = 160 };
const char *motion_adjustment_text(const pm_motion_content *content, motion_adjustment by,
                                   bool unit_is_given, bool up_is_given,
                                   char text[MOTION_ADJUSTMENT_TEXT]);

/* Tells options->log what it does, and what is not known where the format has a convention. */
void motion_tell_adjustment(const pm_motion_convert_options *options, const pm_motion *motion,
                            const motion_format *from, const motion_format *to,
                            motion_adjustment by);
