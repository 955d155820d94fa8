/* SPDX-License-Identifier: MIT
 *
 * What the fuzzers of glTF do with any bytes.
 */
#ifndef POSEMILL_FUZZ_MOTION_ROUND_TRIP_H
#define POSEMILL_FUZZ_MOTION_ROUND_TRIP_H

#include <posemill/posemill_motion.h>

/* Reads the bytes as the format. Aborts unless they are refused, or what they give is consistent, and
 * can be written in both containers and read again. */
void motion_round_trip(const uint8_t *data, size_t size, pm_motion_format format);

#endif
