/* SPDX-License-Identifier: MIT
 *
 * How far joints are apart in model space: their positions, and three points at a distance along their
 * axes, with the whole hierarchy, at all times.
 *
 * Between two key times each joint turns along a segment, and its position and scale change linearly.
 * With w, the sum of the speeds of a joint and its ancestors, c, the sum of the changes of speed of
 * segments that are no arcs, and g, the product of their scales, a point at distance r moves with
 * an acceleration of at most g (w^2 + c) r, and one whose distance changes by v per second with at most
 * g ((w^2 + c) r + 2 w v). So in an interval of h seconds, differences of two motions
 * exceed those at its ends by at most the sum of both accelerations, times h^2 / 8. Where this does not
 * decide, the interval is halved.
 */
#ifndef POSEMILL_MOTION_REDUCE_SPACE_H
#define POSEMILL_MOTION_REDUCE_SPACE_H

#include "motion/reduce/certify.h"

#include <posemill/posemill_motion.h>

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
    double at; /* distance of the three points; 0: positions alone */
    /* Either the bound is at most this above the largest distance that is found; 0: not */
    double resolution;
    /* or it is decided where this is exceeded. */
    double limit;
    /* Receives what exceeds the limit, or cannot be shown to be below it: a pair, a time, and how far it
     * is. NULL: not called */
    void (*exceeds)(void *user, size_t pair, double time, double distance);
    void *user;
} space_request;

/* PM_ERROR_MEMORY, or PM_OK. */
pm_status space_certify(const space_request *request, space_result *result, pm_error *error);

#endif
