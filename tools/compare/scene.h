/* SPDX-License-Identifier: MIT
 *
 * How motions are looked at by `compare` and `view`: the part along the time, the axis that points up,
 * and the unit of length. What is not given is taken from the format and the figure, and every guess
 * is a hint, which the command, the page, JSON and Python show.
 */
#ifndef POSEMILL_TOOLS_COMPARE_SCENE_H
#define POSEMILL_TOOLS_COMPARE_SCENE_H

#include "compare.h"
#include "options/options.h"

/* Zero-initialise. */
typedef struct scene_options {
    double unit_mm;    /* 0: that of the format of A */
    int up;            /* 1 y, 2 z. 0: of the format, unless the figures stand otherwise */
    pm_rational start; /* seconds after the first key; 0/0: there */
    pm_rational end;   /* 0/0: the last key */
    size_t trim_start; /* keys of A that are left out */
} scene_options;

option_group scene_options_group(scene_options *options);

/* The name of the axis of a subject that points up. */
const char *scene_up_name(int up);

/* Sentences for people, and the files of which they are. */
typedef struct scene_hints {
    struct {
        const char *file;
        char text[400];
    } of[8];
    size_t count;
} scene_hints;

/* Applies the options to both subjects, which may be one, before the comparison is prepared, and sets
 * its times but for rule and rate. Names are for messages and hints, which keep them. On failure prints and returns the code. */
cli_exit scene_apply(const scene_options *options, comparison *c, const char *name_a,
                     const char *name_b, scene_hints *hints);

/* Adds the hints about the first clip of a motion to its notes, for `info`. On failure prints and returns
 * the code. */
cli_exit scene_note(pm_motion *motion, const char *name);

/* As warnings of the command. */
void scene_warn(const scene_hints *hints);

#endif
