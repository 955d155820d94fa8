/* SPDX-License-Identifier: MIT
 *
 * Scales for formats that cannot hold all of them.
 */
#pragma once

#include "motion/model/model.h"

/* Whether numbers, and those of a scale, are equal but for what exporters round. */
bool scales_are_near(double a, double b);
bool scales_are_uniform(const double scale[3]);

/* Whether a channel of scales has one value at all times. */
bool scales_are_constant(const pm_motion_clip *clip, const pm_motion_channel *channel);

/* A motion whose scales fit the format as far as they can: scales that a clip does not change become
 * those of the rest pose, and with MOTION_SCALES_NONE uniform ones go into the lengths below them. The
 * others remain. *made is NULL if nothing is to be changed. */
pm_status motion_fit_scales(const pm_motion *motion, size_t clip, motion_scales kind,
                            pm_motion **made, pm_error *error);
