/* SPDX-License-Identifier: MIT
 *
 * The value of a channel at a time, by the interpolation that it was authored with, in double. For a
 * few values; samples in number are the engine's.
 */
#pragma once

#include <posemill/posemill_motion.h>

#include "motion/model/similarity.h"

/* Writes `components` numbers. Before the first key and after the last one the value is constant. */
void evaluate_channel(const pm_motion_channel *channel, const pm_timeline *timeline, double time,
                      double *value);

/* A number of a channel, interpolated linearly whatever the channel's interpolation is. */
double evaluate_linear(const pm_motion_channel *channel, const pm_timeline *timeline, double time,
                       uint32_t component);

/* The time of a key in seconds. */
double evaluate_key_time(const pm_timeline *timeline, size_t key);

/* Appends the key times of a timeline to `times`, which has room for them; returns their number. */
size_t evaluate_key_times(const pm_timeline *timeline, double *times);

/* Sorts times, and drops repetitions; returns the number of those that are left. */
size_t evaluate_unite_times(double *times, size_t count);

/* The last key that is not after a time; 0 before the first. */
size_t evaluate_key_before(const pm_timeline *timeline, double time);

/* Writes the value at a key. Rotations further than 1e-3 from unit length, which only cubic splines
 * have, are normalised. */
void evaluate_key(const pm_motion_channel *channel, size_t key, double *value);

/* Scales a quaternion to unit length; one of length 0 becomes NaN. */
void evaluate_normalise(double q[4]);

/* The rest pose of a node, relative to its parent; of the scale, the first number. */
similarity evaluate_rest(const pm_motion_node *node);

/* The numbers of it that a channel of rotations, positions or scales replaces. */
const double *evaluate_rest_value(const pm_motion_node *node, pm_motion_path path);

/* An array from a key on. */
pm_array evaluate_rows_from(const pm_array *array, uint32_t components, size_t key);

/* A number of an array. */
double evaluate_number(const pm_array *array, uint32_t components, size_t key, uint32_t component);
