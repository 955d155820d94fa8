/* SPDX-License-Identifier: MIT
 *
 * Keys in memory: float32 quaternions, or 48 bits per key, decoded as they are loaded. PM_KEYS
 * selects the format. pm_key_codes.h encodes them.
 */
#ifndef PM_KEYS_H
#define PM_KEYS_H

#include "pm_math.h"
#include "pm_memory.h"

#ifndef PM_KEYS
#define PM_KEYS 0
#endif

#if PM_KEYS != 0 && PM_KEYS != 1 && PM_KEYS != 2
#error "PM_KEYS is 0 (float32), 1 (log48) or 2 (smallest48)"
#endif

#ifdef PM_OPENCL
typedef short pm_s16;
#else
typedef int16_t pm_s16;
#endif

/* 48-bit keys are stored in groups of 16 neighbours: 16 first numbers, then 16 second, then 16
 * third ones. log48 adds one word, whose bit i is the sign of key i. A vector of keys can thus be
 * loaded from adjacent words. */
#define PM_KEY_GROUP 16
#define PM_LOG48_WORDS (3 * PM_KEY_GROUP + 1)
#define PM_SMALLEST48_WORDS (3 * PM_KEY_GROUP)

/* sqrt(2)/32767 and sqrt(1/2)/16383, rounded up so that the largest number stays in range. */
#define PM_LOG48_STEP 4.31596927e-05f
#define PM_SMALLEST48_STEP 4.31610097e-05f

/* The three numbers of a key, and its sign where the format stores it separately, in bit 31; the
 * other bits may be anything. */
typedef struct pm_codes {
    pm_mask a, b, c, sign;
} pm_codes;

/* The value with its sign changed where bit 31 is set. */
pm_fn real pm_turned(real value, pm_mask sign) {
    return pm_real_of(pm_bits_of(value) ^ (sign & PM_BITS(0x80000000u)));
}

/* For q = (n sin a, cos a) with a up to a quarter turn, log48 stores p = 2 sin(a/2) n: the
 * logarithm a n with another length, so that decoding needs neither sine nor cosine.
 * |p|^2 = 2 - 2 cos a. */
pm_fn pm_quat pm_log48_quat(pm_codes k) {
    real step = PM_REAL(PM_LOG48_STEP);
    real x = pm_converted(k.a) * step, y = pm_converted(k.b) * step, z = pm_converted(k.c) * step;
    real length2 = pm_fma(x, x, pm_fma(y, y, z * z));
    real root = pm_exact_root(pm_fma(PM_REAL(-0.25f), length2, PM_REAL(1.0f)));
    real scale = pm_turned(root, k.sign);
    return pm_quat_of(x * scale, y * scale, z * scale,
                      pm_turned(pm_fma(PM_REAL(-0.5f), length2, PM_REAL(1.0f)), k.sign));
}

pm_fn pm_mask pm_is_odd(pm_mask code) {
    return (code & PM_BITS(1)) != PM_BITS(0);
}

/* smallest48 stores all components except the largest, in their order: 15 bits each, and below them
 * one of three bits that describe the largest. Those of the first two numbers are its index; that of
 * the third is its sign, by which the others are multiplied. */
pm_fn pm_quat pm_smallest48_quat(pm_codes k) {
    pm_mask sign = pm_sign_bit(k.c);
    real step = pm_turned(PM_REAL(PM_SMALLEST48_STEP), sign);
    real first = pm_converted(k.a >> 1) * step, second = pm_converted(k.b >> 1) * step;
    real third = pm_converted(k.c >> 1) * step;
    real rest2 = pm_fma(first, first, pm_fma(second, second, third * third));
    real largest = pm_turned(pm_exact_root(PM_REAL(1.0f) - rest2), sign);
    pm_mask upper = pm_is_odd(k.a), odd = pm_is_odd(k.b); /* the index is 2 upper + odd */
    real low = pm_select(odd, largest, first), high = pm_select(odd, third, largest);
    return pm_quat_of(pm_select(upper | odd, first, largest), pm_select(upper, second, low),
                      pm_select(upper, high, second), pm_select(upper & odd, largest, third));
}

/* The group of the key whose four numbers would be at offset `at` if it were float32. */
pm_fn pm_global const pm_s16 *pm_key_group(pm_global const pm_s16 *keys, pm_u32 words, pm_u64 at) {
    return keys + (at >> 2) / PM_KEY_GROUP * words;
}

pm_fn pm_u32 pm_key_in_group(pm_u64 at) {
    return (pm_u32)(at >> 2) % PM_KEY_GROUP;
}

/* Keys at arbitrary offsets. */
pm_fn pm_codes pm_gather_codes(pm_global const pm_s16 *keys, pm_u32 words,
                               const pm_u64 at[PM_LANES]) {
    int a[PM_LANES], b[PM_LANES], c[PM_LANES], sign[PM_LANES];
    pm_codes k;
    for (int i = 0; i < PM_LANES; i++) {
        pm_global const pm_s16 *group = pm_key_group(keys, words, at[i]);
        pm_u32 lane = pm_key_in_group(at[i]);
        a[i] = group[lane];
        b[i] = group[lane + PM_KEY_GROUP];
        c[i] = group[lane + 2 * PM_KEY_GROUP];
        sign[i] = words == PM_LOG48_WORDS ? group[words - 1] >> lane : 0;
    }
    k.a = pm_numbers_of(a);
    k.b = pm_numbers_of(b);
    k.c = pm_numbers_of(c);
    k.sign = pm_sign_bit(pm_numbers_of(sign));
    return k;
}

pm_fn pm_quat pm_gather_log48(pm_global const pm_s16 *keys, const pm_u64 at[PM_LANES]) {
    return pm_log48_quat(pm_gather_codes(keys, PM_LOG48_WORDS, at));
}

pm_fn pm_quat pm_gather_smallest48(pm_global const pm_s16 *keys, const pm_u64 at[PM_LANES]) {
    return pm_smallest48_quat(pm_gather_codes(keys, PM_SMALLEST48_WORDS, at));
}

/* A number of PM_LANES neighbours. */
pm_fn pm_mask pm_load_numbers(pm_global const pm_s16 *from) {
#if PM_LANES == 1
    return from[0];
#else
    typedef pm_s16 numbers __attribute__((vector_size(2 * PM_LANES)));
    numbers n;
    memcpy(&n, from, sizeof n);
    return __builtin_convertvector(n, pm_mask);
#endif
}

/* Bits 0 to PM_LANES - 1 as signs of items. */
pm_fn pm_mask pm_signs_of(int bits) {
#if PM_LANES == 1
    return pm_sign_bit(bits);
#else
    return PM_BITS(bits) << (PM_BITS(31) - PM_ITEM_NUMBERS);
#endif
}

/* PM_LANES items; the index of the first is a multiple of PM_LANES. */
pm_fn pm_codes pm_load_codes(pm_global const pm_s16 *keys, pm_u32 words, pm_u64 at) {
    pm_global const pm_s16 *group = pm_key_group(keys, words, at);
    pm_u32 lane = pm_key_in_group(at);
    pm_codes k;
    k.a = pm_load_numbers(group + lane);
    k.b = pm_load_numbers(group + lane + PM_KEY_GROUP);
    k.c = pm_load_numbers(group + lane + (pm_u64)2 * PM_KEY_GROUP);
    k.sign = pm_signs_of(words == PM_LOG48_WORDS ? group[words - 1] >> lane : 0);
    k.a = PM_IN_LANES(k.a);
    k.b = PM_IN_LANES(k.b);
    k.c = PM_IN_LANES(k.c);
    return k;
}

#if PM_KEYS == 0

typedef float pm_stored_key;

pm_fn pm_quat pm_load_keys(pm_global const float *keys, pm_u64 at) {
    return pm_load_items(keys + at);
}

pm_fn void pm_prefetch_keys(pm_global const float *keys, pm_u64 at) {
    pm_prefetch(keys + at, 16 * PM_LANES);
}

/* One key, or the quaternion of another plane. */
pm_fn void pm_prefetch_key(pm_global const float *keys, pm_u64 at) {
    pm_prefetch(keys + at, 16);
}

#define pm_gather_keys pm_gather_quats_at

#else

typedef pm_s16 pm_stored_key;

#if PM_KEYS == 1
#define PM_KEY_WORDS PM_LOG48_WORDS
#define pm_codes_quat pm_log48_quat
#define pm_gather_keys pm_gather_log48
#else
#define PM_KEY_WORDS PM_SMALLEST48_WORDS
#define pm_codes_quat pm_smallest48_quat
#define pm_gather_keys pm_gather_smallest48
#endif

pm_fn void pm_prefetch_keys(pm_global const pm_s16 *keys, pm_u64 at) {
    pm_prefetch(pm_key_group(keys, PM_KEY_WORDS, at), 2 * PM_KEY_WORDS);
}

pm_fn void pm_prefetch_key(pm_global const pm_s16 *keys, pm_u64 at) {
    pm_prefetch_keys(keys, at);
}

/* PM_LANES items; the index of the first is a multiple of PM_LANES. */
pm_fn pm_quat pm_load_keys(pm_global const pm_s16 *keys, pm_u64 at) {
    return pm_codes_quat(pm_load_codes(keys, PM_KEY_WORDS, at));
}

#endif
#endif
