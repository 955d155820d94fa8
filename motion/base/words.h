/* SPDX-License-Identifier: MIT
 *
 * The words of enumerations, in the order of their enumerators, with NULL after the last one. Each list
 * stands here alone: options, formats and the Python package take it from here.
 */
#pragma once

extern const char
    *const motion_tangents_words[];            /* pm_tangents that are computed from keys alone */
extern const char *const motion_ends_words[];  /* pm_ends */
extern const char *const motion_frame_words[]; /* pm_axis_frame */
extern const char *const motion_key_words[];   /* pm_key_format */
extern const char *const motion_end_rule_words[]; /* pm_motion_end_rule */
extern const char *const motion_up_words[];       /* pm_motion_up from PM_MOTION_UP_Y on */
extern const char *const motion_view_words[];     /* pm_motion_picture_view */
extern const char *const motion_source_words[];   /* pm_motion_source */

/* Units of length, behind "keep", which is PM_MOTION_UNIT_KEEP; and how many millimetres they have. */
enum { MOTION_UNITS = 6 };
extern const char *const motion_to_unit_words[];
extern const double motion_to_unit_values[];
#define motion_unit_words (motion_to_unit_words + 1)
#define motion_unit_values (motion_to_unit_values + 1)
