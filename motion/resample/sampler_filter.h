/* SPDX-License-Identifier: MIT
 *
 * The low-pass of a group of tracks, in place of its curve.
 */
#pragma once

#include "motion/resample/sampler.h"

/* Sets the cut-off of the options; refuses clips that have no rate, and loops. */
pm_status sampler_find_cutoff(sampler *s, pm_error *error);

/* Makes group->filter from the keys of group->tracks. */
pm_status sampler_make_filter(const sampler *s, sampler_group *group, pm_error *error);
