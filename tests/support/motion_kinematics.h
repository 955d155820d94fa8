/* SPDX-License-Identifier: MIT
 *
 * Forward kinematics of the nodes of a motion in double precision, with the channels as motion_truth.h
 * evaluates them: what the poses of crowds are compared with.
 */
#ifndef POSEMILL_TESTS_MOTION_KINEMATICS_H
#define POSEMILL_TESTS_MOTION_KINEMATICS_H

#include <posemill/posemill_motion.h>

/* Rows of 3 by 4. */
typedef struct kinematics_matrix {
    double m[3][4];
} kinematics_matrix;

kinematics_matrix kinematics_multiply(const kinematics_matrix *a, const kinematics_matrix *b);

/* The matrix of a node in model space at a time of the clip, in seconds as key times; clip NULL: at
 * rest. */
kinematics_matrix kinematics_model(const pm_motion_content *content, const pm_motion_clip *clip,
                                   int32_t node, double time);

#endif
