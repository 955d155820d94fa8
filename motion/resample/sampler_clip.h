/* SPDX-License-Identifier: MIT
 *
 * The engine's clip of a group of tracks.
 */
#ifndef POSEMILL_MOTION_SAMPLER_CLIP_H
#define POSEMILL_MOTION_SAMPLER_CLIP_H

#include "motion/resample/sampler.h"

/* Sets group->clip from the keys of group->tracks. */
pm_status sampler_make_clip(const sampler *s, sampler_group *group, pm_error *error);

/* Refuses samples that are not finite, or larger than the output can hold: `count` from sample `first`
 * on, which lie at `at` in the channels. */
pm_status sampler_check_numbers(const sampler *s, uint64_t first, size_t at, size_t count,
                                double *const channels[], const motion_position positions[],
                                pm_error *error);

/* Refuses what sampler_make_clip refuses because of the options, without a look at the keys behind
 * the first. For curves that do not loop. */
pm_status sampler_check_curve(const sampler *s, const sampler_group *group, pm_error *error);

#endif
