/* SPDX-License-Identifier: MIT
 *
 * A reduction: what it is asked for, how joints share a bound of distances, and its report.
 */
#pragma once

#include "motion/base/arena.h"
#include "motion/model/reach.h"
#include "motion/reduce/channel.h"

#include <posemill/posemill_motion.h>

/* How far joints are apart in model space: their positions, and points that move with them, with the whole
 * hierarchy, at all times. A box about what a joint moves needs its corners alone: the distance of a point is
 * convex in its place. So a vertex of a skin, whose weights add up to 1, is no farther from where it was than the
 * farthest of its joints' corners.
 *
 * Between two key times each joint turns along a segment, and its position and scale change linearly.
 * With w, the sum of the speeds of a joint and its ancestors, c, the sum of the changes of speed of
 * segments that are no arcs, and g, the product of their scales, a point at distance r moves with
 * an acceleration of at most g (w^2 + c) r, and one whose distance changes by v per second with at most
 * g ((w^2 + c) r + 2 w v). So in an interval of h seconds, differences of two motions
 * exceed those at its ends by at most the sum of both accelerations, times h^2 / 8. Where this does not
 * decide, the interval is halved. */

typedef struct space_result {
    double found, bound; /* lengths */
    double time;         /* of `found` */
    size_t pair;         /* of `found` */
} space_result;

/* One of two motions. */
typedef struct space_side {
    const pm_motion_content *content; /* of the nodes */
    /* For each node its rotation, translation and scale; a NULL channel: its rest pose. Only
     * rotations may be cubicsplines. */
    certified (*channels)[3];
} space_side;

typedef struct space_request {
    space_side sides[2];
    size_t (*pairs)[2]; /* nodes of both sides that are compared */
    size_t pair_count;
    const reach_points *points[2]; /* of the joints of each pair, by side. NULL: positions alone */
    const double (*spans)[2];      /* times that are compared, in order and apart. NULL: all */
    size_t span_count;
    /* Either the bound is at most this above the largest distance that is found; 0: not */
    double resolution;
    /* or it is decided where this is exceeded. */
    double limit;
    bool is_brief;          /* which ends it */
    const uint32_t *cancel; /* as of reduce_is_cancelled */
    /* Receives what exceeds the limit, or cannot be shown to be below it: a pair, a time, and how far it
     * is. NULL: not called */
    void (*exceeds)(void *user, size_t pair, double time, double distance);
    void *user;
} space_request;

/* PM_ERROR_MEMORY, or PM_OK. */
pm_status space_certify(const space_request *request, space_result *result, pm_error *error);

/* Poses at times; those that rise take the least time. */
typedef struct space_walk space_walk;

/* A node relative to its parent. */
typedef struct space_local {
    double rotation[4], vectors[2][3]; /* translation, scale */
} space_local;

/* Both sides at a time, by node. */
typedef struct space_pose {
    placed *of[2];
    space_local *local[2];
    double *turned; /* radians between both sides of each node, if they have the same */
    double *apart;  /* of each pair: the largest distance of the joint and its points */
} space_pose;

/* *walk is to be ended in any case. PM_ERROR_MEMORY, or PM_OK. */
pm_status space_begin(const space_request *request, space_walk **walk, pm_error *error);

/* Valid until the next call. */
const space_pose *space_pose_at(space_walk *walk, double time);

/* NULL is ignored. */
void space_end(space_walk *walk);

/* What bounds of each joint leave of a distance. */
typedef struct slack_request {
    const pm_motion_content *content;
    certified (*source)[3], (*result)[3]; /* by node, as of space_side */
    reduced_channel *channels;            /* of the clip */
    size_t count;
    const reach_points *points;
    double distance;
    const reduce_limits *limits;
    void (*tell)(void *user, double part); /* of the time */
    void *user;
} slack_request;

/* Drops keys until one more would exceed the distance at some key time, or each was tried a few times. */
pm_status slack_use(const slack_request *request, pm_error *error);

/* A hierarchy with ADDITIVE_NODES nodes for each joint, whose poses are those of a base with an addition: positions are
 * added, in the space of the parent, rotations are base * addition, and scales are multiplied. */
enum { ADDITIVE_NODES = 4 };

typedef struct additive_space {
    pm_motion_content content;
    certified (*base)[3];     /* by joint; a NULL channel: its rest pose */
    certified (*sides[2])[3]; /* by node */
    size_t (*pairs)[2];       /* of joints */
} additive_space;

/* Of a base clip, NULL: the rest pose. PM_ERROR_ARGUMENT: its positions or scales are cubic splines. */
pm_status additive_expand(const pm_motion_content *content, const pm_motion_clip *base,
                          motion_arena *arena, additive_space *to, pm_error *error);

/* Sets what is added on a side, by joint; a NULL channel: nothing is. */
void additive_pose(const additive_space *space, size_t side, certified (*added)[3]);

/* Bounds of rotations from a distance in model space: the error is shared among the joints of a chain,
 * first by their levers, and then, where the whole exceeds the distance, less is given to the joints
 * above that place, there alone, until the distance holds at all times. */

typedef struct share_request {
    const pm_motion_content *content;
    const pm_motion_clip *clip;
    reduced_channel *channels; /* of the clip */
    size_t count;
    double distance;
    const reach_points *points;  /* of the nodes */
    pm_method curve;             /* of rotations */
    const reduce_limits *limits; /* that hold, too */
    bool is_common;              /* all channels have the same keys */
    bool is_packed;              /* what has all keys has an error, too */
    bool is_last;                /* what is left of the distance is used */
    bool is_additive;            /* added to `base`, or with NULL to the rest pose */
    const pm_motion_clip *base;
    /* Finds the keys of the channels that are `is_stale`. */
    pm_status (*find)(void *user, pm_error *error);
    void (*tell)(void *user, double part); /* of the time, of which rounds to come are not known */
    void *user;
} share_request;

/* Finds keys that keep the distance. Channels of which the keys are found have `limits`, malloc'ed, for the
 * caller to free. PM_ERROR_ARGUMENT: even with all keys the distance does not hold. */
pm_status share_distance(const share_request *request, space_result *result, pm_error *error);

/* What a reduction is asked for, and its report. */

struct pm_motion_reduction {
    pm_motion_reduction_numbers numbers;
    const pm_motion_content *source; /* until it is made */
    pm_motion_reduce_options options;
    motion_arena arena;
    char *json; /* malloc'ed */
};

/* With what the preset says. */
pm_motion_reduce_options reduction_options(const pm_motion_reduce_options *options);

/* What does not depend on the motion. */
pm_status reduction_check_options(const pm_motion_reduce_options *options, pm_error *error);

/* Makes the report of channels that are done. `distance` has a node as its channel; `loops` are clips by
 * loop_kind; `unread`, which may be NULL,
 * says why meshes cannot be read. NULL: memory is exhausted. */
pm_motion_reduction *reduction_make(const pm_motion_content *source,
                                    const pm_motion_content *result,
                                    const pm_motion_reduce_options *options,
                                    const reduced_channel *channels, size_t count,
                                    const pm_motion_error_bound *distance, size_t distance_clip,
                                    const size_t loops[3], const char *unread);
