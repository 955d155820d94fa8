/* SPDX-License-Identifier: MIT
 *
 * Whether the places of bodies in a file of a robot are those that its angles give.
 */
#ifndef POSEMILL_MOTION_ROBOT_PLACES_H
#define POSEMILL_MOTION_ROBOT_PLACES_H

#include <posemill/posemill_library.h>

/* Compares at five frames of a clip of pm_library_match_robot. bodies[places[j]] are the positions of joint
 * j; where no joint has a place and there are as many bodies as the robot has, they are in its order.
 * Refuses a distance above a centimetre by the name of the body. */
pm_status robot_check_places(const pm_library_content *robot, const pm_motion_clip *clip,
                             const pm_motion_channel *const *bodies, size_t count,
                             const uint32_t *places, pm_error *error);

#endif
