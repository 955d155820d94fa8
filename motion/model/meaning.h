/* SPDX-License-Identifier: MIT
 *
 * What the numbers of a motion mean: its unit of length, the axis that points up, and the node that carries
 * the figure, each found once, when a file is read.
 */
#pragma once

#include "motion/model/model.h"

/* Sets these fields of the content. What readers have set is stated, as what the format has; what the
 * options give has precedence; the rest is estimated, the unit after the axis. */
pm_status motion_find_meaning(pm_motion *motion, const pm_motion_read_options *options,
                              pm_error *error);

/* States a unit and an axis, for readers; 0: neither. */
static inline void motion_state_meaning(pm_motion_content *content, double unit_mm,
                                        pm_motion_up up) {
    content->unit_mm = unit_mm;
    content->unit_from = unit_mm > 0 ? PM_MOTION_STATED : PM_MOTION_UNKNOWN;
    content->up = up;
    content->up_from = up != PM_MOTION_UP_FOUND ? PM_MOTION_STATED : PM_MOTION_UNKNOWN;
}

enum { MOTION_UNIT_TEXT = 32 };

/* "cm", or "56.44 mm". `text` has MOTION_UNIT_TEXT bytes. Returns it. */
const char *motion_unit_name(double unit_mm, char *text);

/* "y" or "z". */
const char *motion_up_name(pm_motion_up up);

/* Why a unit that is not known is not: "dm and 56.44 mm both fit". */
enum { MOTION_REASON_TEXT = 96 };
const char *motion_unit_reason(const pm_motion *motion, char text[MOTION_REASON_TEXT]);

/* "cm (estimated)", or "unknown" and why; "y (stated)" or "unknown". */
enum { MOTION_MEANING_TEXT = MOTION_UNIT_TEXT + MOTION_REASON_TEXT + 16 };
void motion_describe_unit(const pm_motion *motion, char text[MOTION_MEANING_TEXT]);
void motion_describe_up(const pm_motion_content *content, char text[MOTION_MEANING_TEXT]);
