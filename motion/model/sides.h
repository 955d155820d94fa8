/* SPDX-License-Identifier: MIT
 *
 * Left and right: by the names of nodes, and by the rest pose. The table of names in sides.c is the only one,
 * also of heads, feet and hands.
 */
#pragma once

#include "motion/model/model.h"

typedef struct similarity similarity;

/* ---- names --------------------------------------------------------------------------------- */

/* Finds pairs of left and right: partners[n] receives the other one, or n. alone[n]: the name has a side,
 * but no node has the name of the other one. Nodes with equal names are paired in their order. False:
 * memory is exhausted. */
bool sides_pair(const pm_motion_content *content, uint32_t *partners, bool *alone);

/* Of two names that sides_pair found to be a pair: whether the first is that of the left side. */
bool sides_is_left(pm_motion_name name, pm_motion_name partner);

typedef enum sides_role { SIDES_HEAD, SIDES_FOOT, SIDES_HAND } sides_role;

/* Whether a name is that of a head, of a part of a foot (foot, toe or ankle), or of a hand (hand or wrist). */
bool sides_has_role(pm_motion_name name, sides_role role);

/* ---- the rest pose ------------------------------------------------------------------------- */

/* Pairs farther from mirror images than this part of the figure's size are none. */
#define SIDES_TOLERANCE 0.01

/* How well planes across x, y and z map rest positions of pairs. */
typedef struct sides_rest {
    size_t pairs;
    size_t images[3];     /* pairs of which each maps one onto the other, within SIDES_TOLERANCE */
    uint32_t farthest[3]; /* the first node of the pair that is farthest from that */
    double distance[3];   /* of that pair: from the image of one to the other */
    double size;          /* the largest extent of the paired nodes along an axis */
    int best; /* the axis with the most images. -1: none has any, or two have the most */
} sides_rest;

/* Rest poses in the world; of scales, the first number. False: memory is exhausted. */
bool sides_find_world(const pm_motion_content *content, similarity *world);

/* Checks planes that go through the joint from which all pairs of a tree branch off or, of pairs of two
 * trees, through the origin. (*distances)[n] receives that of node n for each plane; 0 for those without
 * a partner; NULL: not wanted. False: memory is exhausted. */
bool sides_check_rest(const pm_motion_content *content, const similarity *world,
                      const uint32_t *partners, double (*distances)[3], sides_rest *rest);

/* The axis across the plane between both sides: as given, or as the joints have it by convention, or
 * `best`. Refuses a rest pose that does not tell. */
pm_status sides_choose_plane(const pm_motion_content *content, const uint32_t *partners,
                             const sides_rest *rest, pm_motion_axis given, pm_motion_axis known,
                             int *axis, pm_error *error);
