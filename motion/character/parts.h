/* SPDX-License-Identifier: MIT
 *
 * Parts of a figure that names and hierarchy tell: arms, legs, hands, feet, a head, an upper body. The words of
 * sides are those of motion/model/sides.c.
 */
#pragma once

#include "motion/character/character.h"
#include "motion/model/names.h"

/* An arm or a leg: from the first joint that both sides do not share, to a hand or a foot at least two joints
 * below it. All are nodes of the motion. */
typedef struct character_limb {
    uint32_t branch, end;
    uint32_t trunk; /* on which both sides hang */
    uint32_t other; /* the end of the other side */
    bool is_leg, is_right;
} character_limb;

typedef struct character_parts {
    const character_limb *limbs; /* each end once, in the order of nodes */
    size_t limb_count;
    uint32_t head;  /* PM_NO_INDEX32: none, or several */
    uint32_t trunk; /* on which the arms hang. PM_NO_INDEX32: none, or several joints */
    /* The joint below that of the legs that has the arms below it. PM_NO_INDEX32: none. */
    uint32_t upper;
    bool *below, *marked; /* scratch, for each node */
} character_parts;

/* The names of joints, sorted, with their nodes. NULL: memory is exhausted. */
motion_named *character_sort_names(const pm_motion_content *content, const uint32_t *nodes,
                                   size_t joint_count, motion_arena *arena);

pm_status character_find_parts(character *c, character_parts *parts, pm_error *error);

/* "left arm", "legs", "upper body"; NULL after the last. */
const char *character_part_word(size_t index);

/* Marks the joints of a part. False: there is no such word, or the character has no such part. */
bool character_mark_part(const character *c, const character_parts *parts, const char *word,
                         bool *joints);

/* Marks a joint, a node of the motion, and all below it. */
void character_mark_below(const character *c, const character_parts *parts, uint32_t node,
                          bool *joints);
