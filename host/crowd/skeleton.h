/* SPDX-License-Identifier: MIT
 *
 * A skeleton inside the library: its joints in the order they are walked, as kernels read them.
 */
#ifndef PM_HOST_SKELETON_H
#define PM_HOST_SKELETON_H

#include <posemill/posemill_crowd.h>

#include "kernels/pm_crowd.h"

/* A joint, and its parent or -1 */
typedef struct pm_step {
    uint32_t joint;
    int32_t parent;
} pm_step;

struct pm_skeleton {
    size_t joint_count;
    uint32_t *order;   /* order[k]: which joint of the description is joint k */
    pm_step *by_depth; /* joints, those nearest a root first */
    pm_joint *joints;  /* `animated` and `scaled` as the rest pose has them: a crowd adds to that */
    bool rigid;        /* whether all inverse binds are */
    size_t level_count; /* at least 1 */
    pm_crowd_level *levels;
    pm_u8 *level_joints; /* (level_count, joint_count) */
    size_t mask_count;
    float *masks; /* (mask_count + 1, joint_count), of which row 0 is 1; and padding */
};

/* Floats behind the last mask: it is read in whole vectors. */
enum { PM_MASK_PADDING = 16 };

/* Puts joints in skeleton order: fills skeleton->order, and slots of skeleton->joints. Parents
 * are in range; PM_ERROR_ARGUMENT when they go round in a circle. */
pm_status pm_skeleton_sort(pm_skeleton *skeleton, const int32_t *parents, pm_error *error);

#endif
