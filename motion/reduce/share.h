/* SPDX-License-Identifier: MIT
 *
 * Bounds of rotations from a distance in model space: the error is shared among the joints of a chain,
 * first by their levers, and then, where the whole exceeds the distance, less is given to the joints
 * above that place, there alone, until the distance holds at all times.
 */
#ifndef POSEMILL_MOTION_REDUCE_SHARE_H
#define POSEMILL_MOTION_REDUCE_SHARE_H

#include "motion/reduce/channel.h"
#include "motion/reduce/space.h"

typedef struct share_request {
    const pm_motion_content *content;
    reduced_channel *channels; /* of one clip */
    size_t count;
    double distance, at;
    pm_method curve; /* of rotations */
    /* Finds the keys of the channels that are `is_stale`. */
    pm_status (*find)(void *user, pm_error *error);
    void *user;
} share_request;

/* Finds keys that keep the distance. Channels of which the keys are found have `limits`, malloc'ed, for the
 * caller to free. PM_ERROR_ARGUMENT: even with all keys the distance does not hold. */
pm_status share_distance(const share_request *request, space_result *result, pm_error *error);

#endif
