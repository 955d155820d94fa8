/* SPDX-License-Identifier: MIT
 *
 * Keys of 48 bits, one at a time: stored as pm_key_codes.h encodes them, decoded by the kernels' own header. `at` is
 * the position of a key as pm_track_layout counts: four per key.
 */
#ifndef PM_HOST_KEY_FORMAT_H
#define PM_HOST_KEY_FORMAT_H

#include <stdint.h>

#include <posemill/posemill.h>

#include "kernels/pm_quat.h"

/* With per-track timelines, the keys of each track begin at a multiple of this number, as
 * pm_track_layout counts: a whole number of groups. */
size_t pm_key_alignment(pm_key_format format);

/* Sets *bytes to the size of keys that take `floats` numbers as pm_track_layout counts, a whole
 * number of groups. False when it does not fit size_t. */
bool pm_key_bytes(pm_key_format format, size_t floats, size_t *bytes);

/* Stores the codes of a key. It gets the sign nearer to `before`, which is the previous key, or zero to
 * keep the sign that `turned` tells. `before` is set to the decoded key. Several threads must not store
 * keys of one group at once. */
void pm_key_store(pm_key_format format, int16_t *keys, size_t at, const double numbers[3],
                  bool turned, double before[4]);

/* Copies a stored key, with the opposite sign where `turned`. */
void pm_key_repeat(pm_key_format format, int16_t *keys, size_t from, size_t to, bool turned);

/* The decoded key, with the same bits as on every device. */
pm_quat pm_key_load(pm_key_format format, const int16_t *keys, size_t at);

#endif
