/* SPDX-License-Identifier: MIT
 *
 * Keys in memory: float32 quaternions, or 48 bits per key, decoded as they are loaded. PM_KEYS
 * selects the format. The host encodes the keys (key_format.c).
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

/* The three numbers of a key, and its sign, 1 or -1, where the format stores it separately. */
typedef struct pm_codes {
    real a, b, c, sign;
} pm_codes;

/* For q = (n sin a, cos a) with a up to a quarter turn, log48 stores p = 2 sin(a/2) n: the
 * logarithm a n with another length, so that decoding needs neither sine nor cosine.
 * |p|^2 = 2 - 2 cos a. */
pm_fn pm_quat pm_log48_quat(pm_codes k) {
    real step = PM_REAL(PM_LOG48_STEP);
    real x = k.a * step, y = k.b * step, z = k.c * step;
    real length2 = pm_fma(x, x, pm_fma(y, y, z * z));
    real scale = k.sign * pm_exact_root(pm_fma(PM_REAL(-0.25f), length2, PM_REAL(1.0f)));
    return pm_quat_of(x * scale, y * scale, z * scale,
                      k.sign * pm_fma(PM_REAL(-0.5f), length2, PM_REAL(1.0f)));
}

/* A number of smallest48: 15 bits, and below them one of the three bits that describe the largest
 * component. */
typedef struct pm_split {
    real number, bit;
} pm_split;

pm_fn pm_split pm_split_code(real code) {
    pm_split s;
    real whole = PM_REAL(12582912.0f); /* 1.5 2^23: a sum with it is rounded to a whole number */
    real steps = (pm_fma(PM_REAL(0.5f), code, PM_REAL(-0.25f)) + whole) - whole;
    s.bit = code - (steps + steps);
    s.number = steps * PM_REAL(PM_SMALLEST48_STEP);
    return s;
}

/* smallest48 stores all components except the largest, in their order. The bits of the first two
 * numbers are the index of the largest component; the bit of the third is its sign, by which the
 * others are multiplied. */
pm_fn pm_quat pm_smallest48_quat(pm_codes k) {
    pm_split a = pm_split_code(k.a), b = pm_split_code(k.b), c = pm_split_code(k.c);
    real one = PM_REAL(1.0f), two = PM_REAL(2.0f);
    real rest2 = pm_fma(a.number, a.number, pm_fma(b.number, b.number, c.number * c.number));
    real sign = pm_fma(PM_REAL(-2.0f), c.bit, one);
    real largest = pm_exact_root(one - rest2) * sign;
    real first = a.number * sign, second = b.number * sign, third = c.number * sign;
    real which = pm_fma(two, a.bit, b.bit);
    return pm_quat_of(pm_select(which < one, largest, first),
                      pm_select(which < one, first, pm_select(which < two, largest, second)),
                      pm_select(which > two, third, pm_select(which < two, second, largest)),
                      pm_select(which > two, largest, third));
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
    float a[PM_LANES], b[PM_LANES], c[PM_LANES], sign[PM_LANES];
    pm_codes k;
    for (int i = 0; i < PM_LANES; i++) {
        pm_global const pm_s16 *group = pm_key_group(keys, words, at[i]);
        pm_u32 lane = pm_key_in_group(at[i]);
        a[i] = group[lane];
        b[i] = group[lane + PM_KEY_GROUP];
        c[i] = group[lane + 2 * PM_KEY_GROUP];
        sign[i] = 1.0f;
        if (words == PM_LOG48_WORDS && (group[words - 1] >> lane & 1))
            sign[i] = -1.0f;
    }
    k.a = pm_reals_of(a);
    k.b = pm_reals_of(b);
    k.c = pm_reals_of(c);
    k.sign = pm_reals_of(sign);
    return k;
}

pm_fn pm_quat pm_gather_log48(pm_global const pm_s16 *keys, const pm_u64 at[PM_LANES]) {
    return pm_log48_quat(pm_gather_codes(keys, PM_LOG48_WORDS, at));
}

pm_fn pm_quat pm_gather_smallest48(pm_global const pm_s16 *keys, const pm_u64 at[PM_LANES]) {
    return pm_smallest48_quat(pm_gather_codes(keys, PM_SMALLEST48_WORDS, at));
}

#if PM_KEYS == 0

typedef float pm_stored_key;

pm_fn pm_quat pm_load_keys(pm_global const float *keys, pm_u64 at) {
    return pm_load_quats(keys + at);
}

pm_fn void pm_prefetch_keys(pm_global const float *keys, pm_u64 at) {
    pm_prefetch(keys + at, 16 * PM_LANES);
}

pm_fn pm_quat pm_gather_keys(pm_global const float *keys, const pm_u64 at[PM_LANES]) {
    pm_global const float *from[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        from[i] = keys + at[i];
    return pm_gather_quats(from);
}

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

/* PM_LANES neighbours */
pm_fn real pm_load_words(pm_global const pm_s16 *from) {
#if PM_LANES == 1
    return from[0];
#elif defined(PM_OPENCL)
    return PM_JOIN(convert_float, PM_LANES)(PM_VLOAD(0, from));
#else
    float each[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        each[i] = from[i];
    return pm_reals_of(each);
#endif
}

/* Bits 0 to PM_LANES - 1 as signs: 1 for a bit that is 0, -1 for a bit that is 1. */
pm_fn real pm_signs_of(int bits) {
#if PM_LANES == 1
    return bits & 1 ? -1.0f : 1.0f;
#elif defined(PM_OPENCL)
#define PM_BIT(j) (1 << (j))
    pm_mask set = ((pm_mask)(bits) & (pm_mask)(PM_EACH(PM_BIT))) != (pm_mask)(0);
    return pm_select(set, PM_REAL(-1.0f), PM_REAL(1.0f));
#else
    float each[PM_LANES];
    for (int i = 0; i < PM_LANES; i++)
        each[i] = bits >> i & 1 ? -1.0f : 1.0f;
    return pm_reals_of(each);
#endif
}

pm_fn void pm_prefetch_keys(pm_global const pm_s16 *keys, pm_u64 at) {
    pm_prefetch(pm_key_group(keys, PM_KEY_WORDS, at), 2 * PM_KEY_WORDS);
}

/* PM_LANES neighbours; the index of the first is a multiple of PM_LANES. */
pm_fn pm_quat pm_load_keys(pm_global const pm_s16 *keys, pm_u64 at) {
    pm_global const pm_s16 *group = pm_key_group(keys, PM_KEY_WORDS, at);
    pm_u32 lane = pm_key_in_group(at);
    pm_codes k;
    k.a = pm_load_words(group + lane);
    k.b = pm_load_words(group + lane + PM_KEY_GROUP);
    k.c = pm_load_words(group + lane + 2 * PM_KEY_GROUP);
    k.sign = pm_signs_of(PM_KEYS == 1 ? group[PM_KEY_WORDS - 1] >> lane : 0);
    return pm_codes_quat(k);
}

#endif
#endif
