/* SPDX-License-Identifier: MIT
 *
 * A stick figure and its clips: a skeleton of 22 joints that walks, runs and waves. In metres; y
 * is up, the figure faces z, its left is x.
 */
#ifndef EXAMPLES_CROWD_BODY_H
#define EXAMPLES_CROWD_BODY_H

#include <posemill/posemill_crowd.h>

enum body_joint {
    BODY_ROOT, /* on the ground; carries the root motion of the clips */
    BODY_HIPS,
    BODY_SPINE,
    BODY_CHEST,
    BODY_NECK,
    BODY_HEAD,
    BODY_LEFT_COLLAR,
    BODY_LEFT_ARM,
    BODY_LEFT_FOREARM,
    BODY_LEFT_HAND,
    BODY_RIGHT_COLLAR,
    BODY_RIGHT_ARM,
    BODY_RIGHT_FOREARM,
    BODY_RIGHT_HAND,
    BODY_LEFT_THIGH,
    BODY_LEFT_SHIN,
    BODY_LEFT_FOOT,
    BODY_LEFT_TOE,
    BODY_RIGHT_THIGH,
    BODY_RIGHT_SHIN,
    BODY_RIGHT_FOOT,
    BODY_RIGHT_TOE,
    BODY_JOINTS
};

enum body_clip { BODY_WALK, BODY_RUN, BODY_WAVE, BODY_CLIPS };

/* pm_crowd_instance.mask: the joints used for waving. */
enum { BODY_RIGHT_ARM_ONLY = 1 };

/* Duration of a cycle of each clip. */
extern const double body_seconds[BODY_CLIPS];

pm_status body_skeleton(pm_skeleton **skeleton, pm_error *error);
pm_status body_crowd(pm_engine *engine, const pm_skeleton *skeleton, pm_crowd **crowd,
                     pm_error *error);

#endif
