/* SPDX-License-Identifier: MIT
 *
 * Keys of 48 bits in memory: where their numbers and signs are, in planes and in coded rows.
 * key_lanes.h encodes them, and kernels/pm_keys.h decodes them.
 */
#include "key_format.h"

#include <string.h>

#include "base/base.h"
#include "kernels/pm_keys.h"

enum { GROUP_NUMBERS = 4 * PM_KEY_GROUP }; /* per group, as pm_track_layout counts */

static unsigned words_of(pm_key_format format) {
    return format == PM_KEYS_LOG48 ? PM_LOG48_WORDS : PM_SMALLEST48_WORDS;
}

/* The first number of a key; its numbers are PM_KEY_GROUP apart. */
static int16_t *numbers_at(pm_key_format format, int16_t *keys, size_t at) {
    return keys + at / 4 / PM_KEY_GROUP * words_of(format) + at / 4 % PM_KEY_GROUP;
}

/* The word and the bit in it that store the sign of a key. */
typedef struct sign_bit {
    int16_t *word;
    unsigned bit;
} sign_bit;

static sign_bit sign_at(pm_key_format format, int16_t *keys, size_t at) {
    int16_t *numbers = numbers_at(format, keys, at);
    unsigned lane = at / 4 % PM_KEY_GROUP;
    if (format == PM_KEYS_LOG48)
        return (sign_bit){numbers - lane + (size_t)3 * PM_KEY_GROUP, lane};
    return (sign_bit){numbers + (size_t)2 * PM_KEY_GROUP, 0};
}

static bool is_turned(sign_bit sign) {
    return (uint16_t)*sign.word >> sign.bit & 1;
}

static void set_turned(sign_bit sign, bool turned) {
    unsigned word = (uint16_t)*sign.word & ~(1u << sign.bit);
    *sign.word = (int16_t)(word | (unsigned)turned << sign.bit);
}

size_t pm_key_alignment(pm_key_format format) {
    return format == PM_KEYS_FLOAT32 ? 1 : GROUP_NUMBERS;
}

bool pm_key_bytes(pm_key_format format, size_t floats, size_t *bytes) {
    if (format == PM_KEYS_FLOAT32)
        return pm_multiply(floats, sizeof(float), bytes);
    return pm_multiply(floats / GROUP_NUMBERS, words_of(format) * sizeof(int16_t), bytes);
}

void pm_key_store(pm_key_format format, int16_t *keys, size_t at, const double numbers[3],
                  bool turned, double before[4]) {
    int16_t *to = numbers_at(format, keys, at);
    for (size_t i = 0; i < 3; i++)
        to[i * PM_KEY_GROUP] = (int16_t)numbers[i];
    set_turned(sign_at(format, keys, at), turned);
    pm_quat k = pm_key_load(format, keys, at);
    double decoded[4] = {(double)k.x, (double)k.y, (double)k.z, (double)k.w};
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += before[i] * decoded[i];
    if (dot < 0) {
        sign_bit sign = sign_at(format, keys, at);
        set_turned(sign, !is_turned(sign));
    }
    for (int i = 0; i < 4; i++)
        before[i] = dot < 0 ? -decoded[i] : decoded[i];
}

void pm_key_repeat(pm_key_format format, int16_t *keys, size_t from, size_t to, bool turned) {
    const int16_t *source = numbers_at(format, keys, from);
    int16_t *target = numbers_at(format, keys, to);
    for (size_t i = 0; i < 3; i++)
        target[i * PM_KEY_GROUP] = source[i * PM_KEY_GROUP];
    set_turned(sign_at(format, keys, to), is_turned(sign_at(format, keys, from)) != turned);
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

/* The word of a track's sign in a row. */
static size_t sign_word(size_t tracks, size_t track) {
    return 3 * tracks + track / PM_KEY_GROUP;
}

static uint16_t word_at(const void *row, size_t word) {
    uint16_t value;
    memcpy(&value, (const char *)row + word * sizeof value, sizeof value);
    return value;
}

pm_coded_key pm_coded_get(pm_key_format format, const void *row, size_t tracks, size_t track) {
    pm_coded_key key;
    memcpy(key.number, (const char *)row + track * sizeof key.number, sizeof key.number);
    key.turned = format == PM_KEYS_LOG48
                     ? word_at(row, sign_word(tracks, track)) >> track % PM_KEY_GROUP & 1
                     : key.number[2] & 1;
    return key;
}

void pm_coded_put(pm_key_format format, void *row, size_t tracks, size_t track,
                  const pm_coded_key *key) {
    pm_coded_key put = *key;
    const size_t at = sign_word(tracks, track);
    if (format == PM_KEYS_LOG48) {
        const uint16_t signs =
            (uint16_t)(word_at(row, at) | (unsigned)key->turned << track % PM_KEY_GROUP);
        memcpy((char *)row + at * sizeof signs, &signs, sizeof signs);
    } else {
        put.number[2] = (int16_t)((unsigned)put.number[2] | key->turned);
    }
    memcpy((char *)row + track * sizeof put.number, put.number, sizeof put.number);
}

/* The squares of encoded keys add up to at most 1/2 (log48) and 3/4 (smallest48) of those from which on
 * there is no quaternion; 7/8 keeps a distance from both. */
bool pm_coded_exists(pm_key_format format, const pm_coded_key *key) {
    const bool is_log = format == PM_KEYS_LOG48;
    const double least = is_log ? 2 / (double)PM_LOG48_STEP : 1 / (double)PM_SMALLEST48_STEP;
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const double number = is_log ? key->number[i] : key->number[i] >> 1;
        sum += number * number;
    }
    return sum <= 0.875 * least * least;
}

pm_quat pm_coded_quat(pm_key_format format, const pm_coded_key *key) {
    const pm_codes codes = {key->number[0], key->number[1], key->number[2],
                            pm_sign_bit(key->turned ? 1 : 0)};
    return format == PM_KEYS_LOG48 ? pm_log48_quat(codes) : pm_smallest48_quat(codes);
}

/* ---- keys in planes -------------------------------------------------------------------- */

pm_quat pm_key_load(pm_key_format format, const int16_t *keys, size_t at) {
    const pm_u64 positions[1] = {at};
    return format == PM_KEYS_LOG48 ? pm_gather_log48(keys, positions)
                                   : pm_gather_smallest48(keys, positions);
}
