/* SPDX-License-Identifier: MIT
 *
 * The curve of a group of tracks: a resampler in plain C, or a clip of the engine.
 */
#pragma once

#include "motion/resample/sampler.h"

/* Describes keys of the group's tracks. The caller releases keys and axes, also on failure. */
pm_status sampler_describe(const sampler *s, const sampler_group *group, track_range range,
                           pm_clip_desc *desc, track_keys *keys, double **axes, pm_error *error);

/* Replaces the engine's track and key in a failure by those of the file. */
pm_status sampler_name_failure(const sampler *s, const track_group *group, pm_error *error);

/* Makes the curve for values from the keys of group->tracks: a resampler or a clip. */
pm_status sampler_make_curve(const sampler *s, sampler_group *group, pm_error *error);

/* Makes group->clip in place of the curve: jobs that go back in time, as those of differences do. */
pm_status sampler_make_clip(const sampler *s, sampler_group *group, pm_error *error);

/* Computes a job of the group's curve. */
pm_status sampler_run(const sampler *s, const sampler_group *group, const pm_sample_job *job,
                      pm_error *error);

/* Releases the curve. */
void sampler_release_curve(sampler_group *group);

/* Refuses samples that are not finite, or larger than the output can hold: `count` from sample `first`
 * on, which lie at `at` in the channels. */
pm_status sampler_check_numbers(const sampler *s, uint64_t first, size_t at, size_t count,
                                double *const channels[], const motion_position positions[],
                                pm_error *error);

/* Refuses what sampler_make_curve refuses because of the options, without a look at the keys behind
 * the first. For curves that do not loop. */
pm_status sampler_check_curve(const sampler *s, const sampler_group *group, pm_error *error);

/* Sets the cut-off of the options; refuses clips that have no rate, and loops. */
pm_status sampler_find_cutoff(sampler *s, pm_error *error);

/* Makes group->filter from the keys of group->tracks. */
pm_status sampler_make_filter(const sampler *s, sampler_group *group, pm_error *error);
