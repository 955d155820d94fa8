/* SPDX-License-Identifier: MIT
 *
 * How far joints are apart in model space: their positions, and three points at a distance along their
 * axes, with the whole hierarchy, at all times.
 *
 * Between two key times each joint turns at constant speed, and its position and scale change linearly.
 * With w, the sum of the speeds of a joint and its ancestors, and g, the product of their scales, a
 * point at distance r moves with an acceleration of at most g w^2 r, and one whose distance changes by v
 * per second with at most g (w^2 r + 2 w v). So in an interval of h seconds, differences of two motions
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
    size_t node;
} space_result;

typedef struct space_request {
    const pm_motion_content *content; /* of the nodes */
    /* For each node its rotation, translation and scale, of both motions; a NULL channel: its rest pose. No
     * channel is a cubicspline. */
    certified (*a)[3], (*b)[3];
    double at;    /* distance of the three points */
    double limit; /* that is decided */
    /* Receives what exceeds the limit, or cannot be shown to be below it: a node, a time, and how far it
     * is. NULL: not called */
    void (*exceeds)(void *user, size_t node, double time, double distance);
    void *user;
} space_request;

/* PM_ERROR_MEMORY, or PM_OK. */
pm_status space_certify(const space_request *request, space_result *result, pm_error *error);

/* The nodes, parents before their children. False: memory is exhausted, or there is a circle. */
bool space_order(const pm_motion_content *content, size_t *order);

#endif
