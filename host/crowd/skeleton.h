/* SPDX-License-Identifier: MIT
 *
 * The library's representation of a skeleton: its joints in traversal order, as kernels read them.
 */
#ifndef PM_HOST_SKELETON_H
#define PM_HOST_SKELETON_H

#include <posemill/posemill_crowd.h>

#include <stdatomic.h>

#include "kernels/pm_body.h"

/* A joint, and its parent or -1 */
typedef struct pm_joint_step {
    uint32_t joint;
    int32_t parent;
} pm_joint_step;

/* A joint that is posed, and the number of its record in an instance's; PM_NO_RECORD: none. */
typedef struct pm_posed_joint {
    uint32_t joint, record;
} pm_posed_joint;

/* The joints that a target poses: a subset and its ancestors, or all. */
typedef struct pm_joint_set {
    size_t count, record_count;
    pm_posed_joint *joints;  /* (count) in skeleton order */
    pm_joint_step *by_depth; /* (count) in order of their depth, roots first */
} pm_joint_set;

struct pm_skeleton {
    const pm_host *host; /* of its description, while it is made */
    size_t joint_count;
    uint32_t *order;         /* order[k]: the joint of the description that is joint k */
    uint32_t *slots;         /* slots[order[k]] is k */
    size_t set_count;        /* of subsets, and 1 */
    pm_joint_set *sets;      /* set 0: all joints, with records in skeleton order */
    pm_joint_step *by_depth; /* joints in order of their depth, roots first */
    pm_joint *joints; /* `animated` and `scaled` of the rest pose; a crowd sets more of them */
    float *points;    /* (joint_count, 4): a point of each joint, and 0; NULL: none */
    size_t hinge_count;
    pm_hinge_joint *hinges; /* (joint_count); NULL: none */
    size_t chain_count;
    pm_chain_row *chains; /* (chain_count); NULL: none */
    pm_u32 *chain_paths;  /* (path_numbers): see pm_chain_row */
    size_t path_numbers;
    size_t plant_count;     /* of feet that contacts plant, of all chains */
    uint32_t *scalar_order; /* (hinge_count): the hinge of the description of each angle in rows */
    /* The joint of the description whose rest pose times its inverse bind is no rigid motion, the first of them;
     * joint_count: none. */
    size_t flexible;
    size_t level_count; /* at least 1 */
    pm_crowd_level
        *levels; /* (2, level_count): as they are, and where all are updated in each frame */
    pm_u8 *level_joints; /* (level_count, joint_count) */
    size_t mask_count;
    float *masks;          /* (mask_count + 1, joint_count), row 0 all 1; then PM_MASK_PADDING */
    atomic_size_t holders; /* beside the owner */
};

/* Floats after the last mask, because masks are read in whole vectors. */
enum { PM_MASK_PADDING = 16 };

/* Sorts the joints into skeleton order: fills skeleton->order, and the slots of skeleton->joints.
 * Parents must be in range; PM_ERROR_ARGUMENT if they form a cycle. */
pm_status pm_skeleton_sort(pm_skeleton *skeleton, const int32_t *parents, pm_error *error);

/* Checks the subsets, and fills skeleton->sets, once it is sorted. The caller frees them with
 * pm_joint_sets_free, after a failure too. */
pm_status pm_joint_sets_build(pm_skeleton *skeleton, const pm_skeleton_desc *desc, pm_error *error);
void pm_joint_sets_free(pm_skeleton *skeleton);

/* Bytes of an instance's state of planted feet. */
size_t pm_plant_state_bytes(const pm_skeleton *skeleton);

/* Checks the chains, and makes their rows, once the joints are filled. The caller frees them, after a failure too. */
pm_status pm_chains_build(pm_skeleton *skeleton, const pm_skeleton_desc *desc, pm_error *error);

#endif
