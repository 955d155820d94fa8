/* SPDX-License-Identifier: MIT
 *
 * Which joint of A is compared with which joint of B.
 */
#ifndef POSEMILL_MOTION_JOINTS_H
#define POSEMILL_MOTION_JOINTS_H

#include "motion/compare/subject.h"

typedef enum joints_rule { JOINTS_BY_NAME, JOINTS_BY_ORDER, JOINTS_BY_MAP } joints_rule;

typedef struct joint_pair {
    uint32_t a, b;
} joint_pair;

typedef struct joint_pairs {
    joint_pair *pairs; /* in the order of A */
    size_t count;
    joints_rule rule;
    uint32_t *only[2]; /* joints of A and of B that are not compared */
    size_t only_count[2];
} joint_pairs;

/* By name where one is common; of equal names the first with the first, and so on. Else by order, if
 * both have the same number. With a map, pairs are its lines: a name of A, a tab, a name of B.
 * Release the pairs also on failure. */
pm_status joints_match(subject *a, subject *b, const char *map_path, joint_pairs *pairs,
                       pm_error *error);
void joints_release(joint_pairs *pairs);

const char *joints_rule_name(joints_rule rule);

#endif
