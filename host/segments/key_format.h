/* SPDX-License-Identifier: MIT
 *
 * Keys of 48 bits, one at a time: encoded in double, decoded by the kernels' own header.
 * `at` is where a key lies as pm_track_layout counts: four a key.
 */
#ifndef PM_HOST_KEY_FORMAT_H
#define PM_HOST_KEY_FORMAT_H

#include <stdint.h>

#include <posemill/posemill.h>

#include "kernels/pm_quat.h"

/* Keys of tracks with times of their own begin at multiples of so many: whole groups. */
size_t pm_key_alignment(pm_key_format format);

/* Bytes of keys that fill `floats` numbers as pm_track_layout counts, whole groups of them; false
 * when they do not fit size_t. */
bool pm_key_bytes(pm_key_format format, size_t floats, size_t *bytes);

/* Stores what is nearest a unit quaternion, with its sign, or, where `before` (the key before,
 * or zero) is nearer to the other one, with that. `before` becomes the key as it decodes. Keys
 * of one group are not to be stored by several threads at once. */
void pm_key_store(pm_key_format format, int16_t *keys, size_t at, const double q[4],
                  double before[4]);

/* Stores a key that is stored in from_keys again, with the other sign if it is turned. */
void pm_key_repeat(pm_key_format format, int16_t *from_keys, size_t from, int16_t *keys, size_t to,
                   bool turned);

/* A key as it decodes on every device. */
pm_quat pm_key_load(pm_key_format format, const int16_t *keys, size_t at);

#endif
