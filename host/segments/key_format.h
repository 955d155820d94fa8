/* SPDX-License-Identifier: MIT
 *
 * Keys of 48 bits, one at a time: stored as pm_key_codes.h encodes them, decoded by the kernels' own header. `at` is
 * the position of a key as pm_track_layout counts: four per key.
 */
#ifndef PM_HOST_KEY_FORMAT_H
#define PM_HOST_KEY_FORMAT_H

#include <stdint.h>
#include <string.h>

#include <posemill/posemill.h>

#include "kernels/pm_keys.h"

/* With per-track timelines, the keys of each track begin at a multiple of this number, as
 * pm_track_layout counts: a whole number of groups. */
size_t pm_key_alignment(pm_key_format format);

/* Sets *bytes to the size of keys that take `floats` numbers as pm_track_layout counts, a whole
 * number of groups. False when it does not fit size_t. */
bool pm_key_bytes(pm_key_format format, size_t floats, size_t *bytes);

/* The decoded key, with the same bits as on every device. */
pm_quat pm_key_load(pm_key_format format, const int16_t *keys, size_t at);

/* A key as it was given: its sign is not that of a curve. The bit of the sign in a number of smallest48 may
 * have any value. */
typedef struct pm_coded_key {
    int16_t number[3];
    bool turned;
} pm_coded_key;

/* A key of a coded row (posemill.h, PM_CODED) at any address. */
static inline pm_coded_key pm_coded_get(pm_key_format format, const void *row, size_t tracks,
                                        size_t track) {
    const size_t word = 3 * tracks + track / PM_KEY_GROUP;
    pm_coded_key key;
    memcpy(key.number, (const char *)row + track * sizeof key.number, sizeof key.number);
    uint16_t signs = (uint16_t)key.number[2];
    if (format == PM_KEYS_LOG48)
        memcpy(&signs, (const char *)row + word * sizeof signs, sizeof signs);
    key.turned = signs >> (format == PM_KEYS_LOG48 ? track % PM_KEY_GROUP : 0) & 1;
    return key;
}

/* The row's words of signs are zero before its first key is put. */
void pm_coded_put(pm_key_format format, void *row, size_t tracks, size_t track,
                  const pm_coded_key *key);

/* Whether numbers are those of a unit quaternion. The squares of encoded keys add up to at most 1/2
 * (log48) and 3/4 (smallest48) of those from which on there is none; 7/8 keeps a distance from both. */
static inline bool pm_coded_exists(pm_key_format format, const pm_coded_key *key) {
    const double log_end = 2 / (double)PM_LOG48_STEP, least_end = 1 / (double)PM_SMALLEST48_STEP;
    const bool is_log = format == PM_KEYS_LOG48;
    const double end = is_log ? log_end : least_end;
    int64_t sum = 0;
    for (int i = 0; i < 3; i++) {
        const int64_t number = is_log ? key->number[i] : key->number[i] >> 1;
        sum += number * number;
    }
    return sum <= (int64_t)(0.875 * end * end);
}

/* The decoded key, if it exists. */
pm_quat pm_coded_quat(pm_key_format format, const pm_coded_key *key);

#endif
