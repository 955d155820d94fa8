/* SPDX-License-Identifier: MIT
 *
 * A character that is being made.
 */
#pragma once

#include "motion/model/model.h"

typedef struct character {
    pm_motion_character made; /* first, so that its address is that of the character */
    motion_arena arena;
    const pm_motion_content *content;
    size_t joint_count;
    uint32_t *nodes;       /* of each joint */
    uint32_t *joint_of;    /* of each node; UINT32_MAX: none */
    bool moves, scales;    /* whether any clip animates positions, and scales, of joints */
    bool root_moves_alone; /* the other joints have the positions of the rest pose in all clips */
} character;

/* Fills the description of one clip. */
pm_status character_make_clip(character *c, const pm_motion_clip *clip, pm_clip_desc *desc,
                              pm_error *error);

/* Reads a file of masks, subsets, chains and radii, or its text. The skeleton has its slots. */
pm_status character_take_file(character *c, const char *path, pm_error *error);
pm_status character_take_text(character *c, const char *text, size_t size, pm_error *error);
