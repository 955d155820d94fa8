/* SPDX-License-Identifier: MIT
 *
 * Keys of 48 bits in memory: where their numbers and signs are. kernels/pm_key_codes.h encodes them, and
 * pm_keys.h decodes them.
 */
#include "key_format.h"

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

pm_quat pm_key_load(pm_key_format format, const int16_t *keys, size_t at) {
    const pm_u64 positions[1] = {at};
    return format == PM_KEYS_LOG48 ? pm_gather_log48(keys, positions)
                                   : pm_gather_smallest48(keys, positions);
}
