/* SPDX-License-Identifier: MIT
 *
 * The exact rate of key times that are stored as float32.
 */
#ifndef POSEMILL_MOTION_GLTF_KEY_RATE_H
#define POSEMILL_MOTION_GLTF_KEY_RATE_H

#include <posemill/posemill.h>

/* The rate at which key k lies at k / rate, to a float32, beginning at 0: an integer, else
 * N*1000/1001, else the fraction with the smallest denominator up to 1000. 0/0: there is none. */
pm_rational key_rate(const double *times, size_t count);

/* Whether key k lies at k / rate, to a float32. */
bool key_rate_fits(const double *times, size_t count, pm_rational rate);

#endif
