/* SPDX-License-Identifier: MIT
 *
 * Angles of the joints of robots: steps between frames that no joint makes, which are wraps of an angle
 * in a range of one turn, or faults.
 */
#pragma once

#include "motion/model/model.h"

#define RADIANS_A_TURN 6.283185307179586477

/* Steps of more than half a turn. */
typedef struct angle_jumps {
    size_t count;
    size_t key;         /* behind the first one */
    uint32_t component; /* of the first one */
} angle_jumps;

/* Those of one component, or of all for UINT32_MAX; none where a channel has no angles, or its keys are not
 * in memory. */
angle_jumps angles_find_jumps(const pm_motion_channel *channel, size_t keys, uint32_t component);

/* Adds or removes whole turns from each key on, so that no step is above half a turn. (keys) numbers with
 * `stride` between them. Returns how many steps were. */
angle_jumps angles_unwrap(double *angles, size_t keys, size_t stride, double full_turn);

/* Warns of jumps in all channels of a motion that was read. */
void angles_warn(const motion_warnings *warnings, const pm_motion_content *content);
