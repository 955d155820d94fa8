/* SPDX-License-Identifier: MIT
 *
 * Key times of samplers.
 */
#ifndef POSEMILL_MOTION_GLTF_TIMELINES_H
#define POSEMILL_MOTION_GLTF_TIMELINES_H

#include "motion/gltf/document.h"

/* Fills the cache's timeline and rate of an accessor that `place` refers to as the input of a
 * sampler. */
bool gltf_read_timeline(gltf_reader *reader, size_t accessor, const gltf_place *place);

#endif
