/* SPDX-License-Identifier: MIT
 *
 * Where the samples of a clip lie.
 */
#pragma once

#include "motion/resample/sampler.h"

/* Finds the samples of the sampler's clip, and refuses more than the options allow. */
pm_status sampler_find_grid(sampler *s, pm_error *error);

/* Begins at a sample. */
void sampler_restart(sampler *s, uint64_t sample);

/* The positions of the next `count` samples. */
void sampler_advance(sampler *s, size_t count, motion_position positions[]);

/* Whether all samples lie on keys that the curve passes through. False for loops. */
bool sampler_keeps_all(const sampler *s);

/* The time of a sample of a clip that is not uniform: that of a key, where it lies on one. */
double sampler_time(const sampler *s, uint64_t sample);

/* motion_samples.time; `user` is the sampler. */
double sampler_result_time(void *user, uint64_t sample);
