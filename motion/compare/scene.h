/* SPDX-License-Identifier: MIT
 *
 * How motions are looked at when they are compared or shown: the part along the time, the axis that points
 * up, and the unit of length. What is not given is taken from the format and the figure, and every guess
 * is a hint, which the log, the page, JSON and Python show.
 */
#ifndef POSEMILL_MOTION_SCENE_H
#define POSEMILL_MOTION_SCENE_H

#include "motion/compare/compare.h"

/* The name of the axis of a subject that points up. */
const char *scene_up_name(int up);

/* A sentence for people, and the file of which it is. */
typedef struct scene_hint {
    const char *file;
    pm_error what;
    char value[32]; /* of its cure */
    char text[PM_ERROR_TEXT_SIZE];
} scene_hint;

typedef struct scene_hints {
    scene_hint of[8];
    size_t count;
    pm_spelling spelling; /* of the texts */
    bool is_note; /* for `info`, which has no such options: the verbs that have them are named */
} scene_hints;

/* Applies unit, axis and part of the options to both subjects, which may be one, before the comparison is
 * prepared, and sets its times but for rule and rate. Names are for messages and hints, which keep them. */
pm_status scene_apply(const pm_motion_compare_options *options, comparison *c, const char *name_a,
                      const char *name_b, scene_hints *hints, pm_error *error);

/* Adds the hints about the first clip of a motion to its notes, for `info`. */
pm_status scene_note(pm_motion *motion, const char *name, pm_error *error);

#endif
