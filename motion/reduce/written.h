/* SPDX-License-Identifier: MIT
 *
 * Numbers of keys as they are written: in float32.
 */
#ifndef POSEMILL_MOTION_REDUCE_WRITTEN_H
#define POSEMILL_MOTION_REDUCE_WRITTEN_H

#include <posemill/posemill_motion.h>

/* A rotation key of the source, normalised. The way of a step of half a turn depends on the last bits, so
 * that all normalise alike. */
void unit_rotation(const pm_motion_channel *channel, size_t key, double q[4]);

/* The time of a key as it is written. */
double written_time(const pm_timeline *timeline, size_t key);

/* A rotation key as it is written, with the sign of the source. Neighbours half a turn apart turn the
 * same way as in the source: rounding does not change the sign of their dot. Such a key is 1e-6 radians
 * off, and 1e-6 more for each half turn in a row, up to 64. */
void written_rotation(const pm_motion_channel *channel, size_t key, double q[4]);

#endif
