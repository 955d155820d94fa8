/* SPDX-License-Identifier: MIT
 *
 * Keys of 48 bits in planes, one at a time: inline, for the loops over all keys, which are compiled for each
 * instruction set.
 */
#ifndef PM_HOST_KEY_STORE_H
#define PM_HOST_KEY_STORE_H

#include "key_format.h"
#include "kernels/pm_key_codes.h"

static inline pm_coded_key pm_code_in_lane(const dcodes *codes, size_t lane) {
    return (pm_coded_key){{(int16_t)codes->number[0][lane], (int16_t)codes->number[1][lane],
                           (int16_t)codes->number[2][lane]},
                          codes->turned[lane] != 0};
}

static inline unsigned pm_key_words(pm_key_format format) {
    return format == PM_KEYS_LOG48 ? PM_LOG48_WORDS : PM_SMALLEST48_WORDS;
}

/* The first number of a key; its numbers are PM_KEY_GROUP apart. */
static inline int16_t *pm_key_numbers(pm_key_format format, int16_t *keys, size_t at) {
    return keys + at / 4 / PM_KEY_GROUP * pm_key_words(format) + at / 4 % PM_KEY_GROUP;
}

/* The word and the bit in it that store the sign of a key. */
typedef struct pm_sign_place {
    int16_t *word;
    unsigned bit;
} pm_sign_place;

static inline pm_sign_place pm_sign_at(pm_key_format format, int16_t *keys, size_t at) {
    int16_t *numbers = pm_key_numbers(format, keys, at);
    const unsigned lane = at / 4 % PM_KEY_GROUP;
    if (format == PM_KEYS_LOG48)
        return (pm_sign_place){numbers - lane + (size_t)3 * PM_KEY_GROUP, lane};
    return (pm_sign_place){numbers + (size_t)2 * PM_KEY_GROUP, 0};
}

static inline void pm_set_sign(pm_sign_place sign, bool turned) {
    const unsigned word = (uint16_t)*sign.word & ~(1u << sign.bit);
    *sign.word = (int16_t)(word | (unsigned)turned << sign.bit);
}

/* With the sign in the numbers, where the format has it there. */
static inline pm_coded_key pm_coded_signed(pm_key_format format, pm_coded_key key) {
    if (format != PM_KEYS_LOG48)
        key.number[2] = (int16_t)(((unsigned)key.number[2] & ~1u) | key.turned);
    return key;
}

static inline pm_quat pm_key_decoded(pm_key_format format, pm_coded_key key) {
    key = pm_coded_signed(format, key);
    const pm_codes codes = {key.number[0], key.number[1], key.number[2],
                            pm_sign_bit(key.turned ? 1 : 0)};
    return format == PM_KEYS_LOG48 ? pm_log48_quat(codes) : pm_smallest48_quat(codes);
}

/* Stores a key with the sign nearer to `before`, which is the previous key, or zero to keep its sign.
 * `before` is set to the decoded key. Several threads must not store keys of one group at once. */
static inline void pm_key_store(pm_key_format format, int16_t *keys, size_t at, pm_coded_key key,
                                double before[4]) {
    const pm_quat k = pm_key_decoded(format, key);
    const double decoded[4] = {(double)k.x, (double)k.y, (double)k.z, (double)k.w};
    int16_t *to = pm_key_numbers(format, keys, at);
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += before[i] * decoded[i];
    for (int i = 0; i < 4; i++)
        before[i] = dot < 0 ? -decoded[i] : decoded[i];
    for (size_t i = 0; i < 3; i++)
        to[i * PM_KEY_GROUP] = key.number[i];
    pm_set_sign(pm_sign_at(format, keys, at), key.turned != (dot < 0));
}

/* Copies a stored key, with the opposite sign where `turned`. */
static inline void pm_key_repeat(pm_key_format format, int16_t *keys, size_t from, size_t to,
                                 bool turned) {
    const int16_t *source = pm_key_numbers(format, keys, from);
    int16_t *target = pm_key_numbers(format, keys, to);
    const pm_sign_place sign = pm_sign_at(format, keys, from);
    const bool was_turned = (uint16_t)*sign.word >> sign.bit & 1;
    for (size_t i = 0; i < 3; i++)
        target[i * PM_KEY_GROUP] = source[i * PM_KEY_GROUP];
    pm_set_sign(pm_sign_at(format, keys, to), was_turned != turned);
}

#endif
