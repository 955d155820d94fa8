/* SPDX-License-Identifier: MIT
 *
 * The extraction of root motion: what is the same for all clips, and what is done with one.
 */
#pragma once

#include "motion/model/model.h"
#include "motion/model/similarity.h"

/* The parent of the joint, where it had none. */
#define ROOT_ADDED SIZE_MAX

/* A node whose parent moves with the root, and that is kept in its place. */
typedef struct root_kept {
    uint32_t node;
    size_t parent; /* its index in the chain, or ROOT_ADDED */
} root_kept;

typedef struct root_plan {
    const pm_motion_content *from;
    bool keeps_heading;
    bool axes[3];       /* whose positions are extracted */
    int up;             /* 1 y, 2 z */
    uint32_t *chain;    /* from a root of the file to the joint */
    size_t chain_count; /* at least 1 */
    size_t root;        /* index in the chain; with `adds`: none */
    bool adds;          /* a new node above the chain receives the motion */
    uint32_t root_node; /* in the result */
    root_kept *kept;    /* the joint is the first */
    size_t kept_count;  /* at least 1 */
    similarity rest;    /* of the joint, in the world */
    similarity root_rest;
    motion_arena *arena;   /* of the result */
    double distance, turn; /* sums, of the report */
} root_plan;

/* Writes a clip in which the root moves. */
pm_status root_make_clip(root_plan *plan, size_t clip, pm_motion_clip *to, pm_error *error);
