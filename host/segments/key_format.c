/* SPDX-License-Identifier: MIT
 *
 * Keys of 48 bits in memory: where their numbers and signs are, in planes and in coded rows.
 * kernels/pm_key_codes.h encodes them, and pm_keys.h decodes them.
 */
#include "key_format.h"

#include <string.h>

#include "base/base.h"
#include "key_store.h"

enum { GROUP_NUMBERS = 4 * PM_KEY_GROUP }; /* per group, as pm_track_layout counts */

size_t pm_key_alignment(pm_key_format format) {
    return format == PM_KEYS_FLOAT32 ? 1 : GROUP_NUMBERS;
}

bool pm_key_bytes(pm_key_format format, size_t floats, size_t *bytes) {
    if (format == PM_KEYS_FLOAT32)
        return pm_multiply(floats, sizeof(float), bytes);
    return pm_multiply(floats / GROUP_NUMBERS, pm_key_words(format) * sizeof(int16_t), bytes);
}

/* ---- coded rows ------------------------------------------------------------------------ */

size_t pm_keys_row_bytes(pm_key_format format, size_t tracks) {
    const size_t word = sizeof(int16_t),
                 signs = format == PM_KEYS_LOG48 ? tracks / PM_KEY_GROUP : 0;
    if ((unsigned)format >= PM_KEYS_COUNT || format == PM_KEYS_FLOAT32 ||
        tracks > SIZE_MAX / 8 / word)
        return 0;
    return word * (3 * tracks + signs + (format == PM_KEYS_LOG48 && tracks % PM_KEY_GROUP != 0));
}

void pm_coded_put(pm_key_format format, void *row, size_t tracks, size_t track,
                  const pm_coded_key *key) {
    const pm_coded_key put = pm_coded_signed(format, *key);
    const size_t at = 3 * tracks + track / PM_KEY_GROUP;
    uint16_t signs;
    if (format == PM_KEYS_LOG48) {
        memcpy(&signs, (const char *)row + at * sizeof signs, sizeof signs);
        signs = (uint16_t)(signs | (unsigned)key->turned << track % PM_KEY_GROUP);
        memcpy((char *)row + at * sizeof signs, &signs, sizeof signs);
    }
    memcpy((char *)row + track * sizeof put.number, put.number, sizeof put.number);
}

pm_quat pm_coded_quat(pm_key_format format, const pm_coded_key *key) {
    return pm_key_decoded(format, *key);
}

/* ---- keys in planes -------------------------------------------------------------------- */

pm_quat pm_key_load(pm_key_format format, const int16_t *keys, size_t at) {
    const pm_u64 positions[1] = {at};
    return format == PM_KEYS_LOG48 ? pm_gather_log48(keys, positions)
                                   : pm_gather_smallest48(keys, positions);
}
