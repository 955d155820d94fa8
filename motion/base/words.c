/* SPDX-License-Identifier: MIT
 *
 * Each list has as many words as its enumeration has enumerators, which is checked here.
 */
#include "motion/base/words.h"

#include "motion/base/counts.h"

#define HAS(list, count)                                                                           \
    _Static_assert(sizeof(list) / sizeof *(list) == (count) + 1, "a word for each, and NULL")

const char *const motion_tangents_words[] = {"bessel", "mean", "hold", NULL};
HAS(motion_tangents_words, PM_TANGENTS_TCB);

const char *const motion_ends_words[] = {"chord", "natural", "parabola", "zero", NULL};
HAS(motion_ends_words, PM_ENDS_ZERO + 1);

const char *const motion_frame_words[] = {"body", "parent", NULL};
HAS(motion_frame_words, PM_AXIS_PARENT + 1);

const char *const motion_key_words[] = {"float32", "log48", "smallest48", NULL};
HAS(motion_key_words, PM_KEYS_SMALLEST48 + 1);

const char *const motion_end_rule_words[] = {"fit", "include", NULL};
HAS(motion_end_rule_words, PM_MOTION_END_COUNT);

const char *const motion_up_words[] = {"y", "z", NULL};
HAS(motion_up_words, PM_MOTION_UP_COUNT - PM_MOTION_UP_Y);

const char *const motion_view_words[] = {"front", "side", "top", "back", NULL};

const char *const motion_source_words[] = {"unknown", "stated", "given", "estimated", NULL};
HAS(motion_source_words, PM_MOTION_ESTIMATED + 1);

const char *const motion_to_unit_words[] = {"keep", "mm", "cm", "dm", "m", "in", "ft", NULL};
HAS(motion_to_unit_words, 1 + MOTION_UNITS);
const double motion_to_unit_values[] = {PM_MOTION_UNIT_KEEP, 1, 10, 100, 1000, 25.4, 304.8};
