/* SPDX-License-Identifier: MIT
 *
 * Outputs of samplers: the keys and tangents of a channel.
 */
#ifndef POSEMILL_MOTION_GLTF_CHANNELS_H
#define POSEMILL_MOTION_GLTF_CHANNELS_H

#include "motion/gltf/document.h"

typedef struct gltf_sampler {
    size_t input, output; /* accessors */
    pm_motion_interpolation interpolation;
    size_t key_count;
} gltf_sampler;

/* Fills components, keys, in and out of a channel with node and path, from the sampler's output,
 * which `place` is; `target` is the place of the channel's target. */
bool gltf_read_keys(gltf_reader *reader, const gltf_sampler *sampler, const gltf_place *place,
                    const gltf_place *target, pm_motion_channel *channel);

#endif
