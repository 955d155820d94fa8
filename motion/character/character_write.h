/* SPDX-License-Identifier: MIT
 *
 * Files of characters, as text.
 */
#pragma once

#include "motion/character/character.h"

/* The kinds of chains, as files name them, and NULL. */
extern const char *const character_kind_names[];

/* What the file of a character says, with all of its parts as joints; *text is malloc'ed. */
pm_status character_write(const pm_motion *motion, const pm_motion_character *made, char **text,
                          pm_error *error);

/* A file that names of joints and poses propose, for a character of the motion without a file. Warns of what
 * they do not tell. *text is malloc'ed. */
pm_status character_propose(const pm_motion *motion, const pm_motion_character *made,
                            const motion_warnings *to, char **text, pm_error *error);

/* A motion of the same nodes, and one that is the goal, with a clip for each chain that follows a goal. Neither
 * may be destroyed before it. */
pm_status character_show_goals(const pm_motion *motion, const pm_motion_character *made,
                               pm_motion **shown, pm_error *error);
