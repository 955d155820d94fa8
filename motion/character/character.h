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
    uint32_t *nodes;    /* of each joint */
    uint32_t *joint_of; /* of each node; UINT32_MAX: none */
    bool moves, scales; /* whether any clip animates positions, and scales, of joints */
} character;

/* Fills the description of one clip. */
pm_status character_make_clip(character *c, const pm_motion_clip *clip, pm_clip_desc *desc,
                              pm_error *error);
