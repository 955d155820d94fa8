/* SPDX-License-Identifier: MIT
 *
 * Points in records, their stamps, and the places of these among keys, by integers alone: a device needs no double, and
 * u is that of the host, whose quotient of doubles is rounded to float32. One lane.
 */
#ifndef PM_POINTS_H
#define PM_POINTS_H

#include "pm_math.h"
#include "pm_memory.h"
#include "pm_point_arc.h"
#include "pm_point_fields.h"

/* ---- records -------------------------------------------------------------------------------------------- */

#ifdef PM_OPENCL
pm_fn pm_u32 pm_word_at(pm_global const pm_u8 *at, pm_u32 aligned) {
    return aligned ? *(pm_global const pm_u32 *)at : as_uint(vload4(0, at));
}

pm_fn pm_u64 pm_two_words_at(pm_global const pm_u8 *at, pm_u32 aligned) {
    return as_ulong((uint2)(pm_word_at(at, aligned), pm_word_at(at + 4, aligned)));
}

pm_fn pm_u32 pm_half_word_at(pm_global const pm_u8 *at) {
    return as_ushort(vload2(0, at));
}

pm_fn void pm_set_word(pm_global pm_u8 *at, pm_u32 aligned, pm_u32 word) {
    if (aligned)
        *(pm_global pm_u32 *)at = word;
    else
        vstore4(as_uchar4(word), 0, at);
}
#define pm_leading_zeros(number) ((pm_u32)clz((pm_u64)(number)))
#else
pm_fn pm_u32 pm_word_at(const pm_u8 *at, pm_u32 aligned) {
    pm_u32 word;
    (void)aligned;
    memcpy(&word, at, sizeof word);
    return word;
}

pm_fn pm_u64 pm_two_words_at(const pm_u8 *at, pm_u32 aligned) {
    pm_u64 words;
    (void)aligned;
    memcpy(&words, at, sizeof words);
    return words;
}

pm_fn pm_u32 pm_half_word_at(const pm_u8 *at) {
    pm_u16 half;
    memcpy(&half, at, sizeof half);
    return half;
}

pm_fn void pm_set_word(pm_u8 *at, pm_u32 aligned, pm_u32 word) {
    (void)aligned;
    memcpy(at, &word, sizeof word);
}
#define pm_leading_zeros(number) ((pm_u32)__builtin_clzll(number)) /* of a number above 0 */
#endif

/* ---- integers that are rounded as IEEE 754 numbers are ---------------------------------------------------- */

/* (high 2^64 + low)/2^shift, below 2^64, to the nearest integer, ties to even. shift is 1 to 63. */
pm_fn pm_u64 pm_shifted_to_nearest(pm_u64 high, pm_u64 low, pm_u32 shift) {
    pm_u64 whole = (low >> shift) | (high << (64 - shift));
    pm_u64 rest = low << (64 - shift), tie = (pm_u64)1 << 63;
    return whole + (rest > tie || (rest == tie && (whole & 1)));
}

/* The mantissa of 53 bits that a double has for a number above 0; *exponent: of its last bit. */
pm_fn pm_u64 pm_double_mantissa(pm_u64 number, int *exponent) {
    pm_u32 zeros = pm_leading_zeros(number);
    *exponent = 11 - (int)zeros;
    if (zeros >= 11)
        return number << (zeros - 11);
    pm_u64 mantissa = pm_shifted_to_nearest(0, number, 11 - zeros);
    pm_u64 carry = mantissa >> 53;
    *exponent += (int)carry;
    return mantissa >> carry;
}

/* since/length as a double that is rounded to float32, for 0 <= since < length. *is_next: the double is 1. */
pm_fn float pm_point_fraction(pm_u64 since, pm_u64 length, pm_u32 *is_next) {
    int exponent, of_length;
    *is_next = 0;
    if (since == 0)
        return 0.0f;
    pm_u64 rest = pm_double_mantissa(since, &exponent);
    pm_u64 by = pm_double_mantissa(length, &of_length);
    pm_u64 less = rest < by; /* then the quotient of mantissas is at least 1 */
    exponent -= of_length + (int)less;
    rest = (rest << less) - by;
    /* 55 more bits, 11 at a time, each by an estimate that is off by 1 at most */
    float inverse = 2048.0f * pm_fma_inverse((float)(pm_u32)(by >> 21));
    pm_u64 quotient = 1;
    PM_NO_UNROLL
    for (pm_u32 k = 0; k < 5; k++) {
        pm_u64 digit = (pm_u32)((float)(pm_u32)(rest >> 21) * inverse);
        rest = (rest << 11) - digit * by;
        pm_u64 above = rest >> 63;
        digit -= above;
        rest += above ? by : 0;
        pm_u64 below = rest >= by;
        digit += below;
        rest -= below ? by : 0;
        quotient = (quotient << 11) + digit;
    }
    /* 56 bits and one for what is left: to 53 and then to 24 bits */
    pm_u64 mantissa = pm_shifted_to_nearest(0, quotient << 1 | (rest != 0), 4);
    *is_next = exponent == 0 || (exponent == -1 && mantissa >> 53);
    float rounded = (float)(pm_u32)pm_shifted_to_nearest(0, mantissa, 29);
    return rounded * pm_real_of((127 - 23 + exponent) << 23);
}

/* ---- stamps ------------------------------------------------------------------------------------------------ */

#define PM_POINT_NO_STAMP ((pm_s64)0x7fffffffffffffff)

/* The ns of seconds, as a double times 1e9, which is rounded, and then rounded to an integer; without the sign. `bits`
 * are those of a double, or of a float32 where `is_float`. More than 2^63: it does not fit. */
pm_fn pm_u64 pm_ns_of_seconds(pm_u64 bits, pm_u32 is_float) {
    pm_u32 digits = is_float ? 23 : 52;
    pm_u32 biased = (pm_u32)(bits >> digits) & (is_float ? 0xff : 0x7ff);
    pm_u64 one = (pm_u64)1 << digits, mantissa = (bits & (one - 1)) | (biased ? one : 0);
    int exponent = (int)biased - (is_float ? 150 : 1075);
    pm_u64 high = pm_high_product(mantissa, 1000000000u), product = mantissa * 1000000000u;
    if (biased < (is_float ? 1u : 600u)) /* less than 1e-37 */
        return 0;
    if (exponent > 11) /* or none */
        return ~(pm_u64)0;
    pm_u32 length = high ? 128 - pm_leading_zeros(high) : 64 - pm_leading_zeros(product);
    if (length > 53) {
        product = pm_shifted_to_nearest(high, product, length - 53);
        exponent += (int)length - 53;
    }
    if (exponent >= 0) /* the mantissa has 53 bits, or is 2^53 */
        return exponent > 11 || product > (pm_u64)1 << (63 - exponent) ? ~(pm_u64)0
                                                                       : product << exponent;
    return exponent < -63 ? 0 : pm_shifted_to_nearest(0, product, (pm_u32)-exponent);
}

/* A stamp of a record, as pm_stamps_read has it. */
pm_fn pm_s64 pm_point_stamp(pm_point_fields fields, pm_global const pm_u8 *at) {
    pm_point_field field = fields.stamps;
    pm_u32 is_long = field.bytes == 8;
    pm_u64 number = is_long ? pm_two_words_at(at, field.aligned) : pm_word_at(at, field.aligned);
    pm_u64 sign = fields.kind == PM_POINT_UNSIGNED ? 0 : number >> (is_long ? 63 : 31) & 1;
    pm_u64 high, ns;
    if (fields.kind == PM_POINT_SECONDS) {
        ns = pm_ns_of_seconds(number, !is_long);
        high = 0;
    } else {
        pm_u64 size = sign ? (pm_u64)0 - number : number;
        ns = size * fields.unit;
        high = pm_high_product(size, fields.unit);
    }
    if (high || ns > ((pm_u64)PM_POINT_NO_STAMP) + sign)
        return PM_POINT_NO_STAMP;
    ns = sign ? (pm_u64)0 - ns : ns;
    pm_u64 sum = ns + (pm_u64)fields.base; /* which overflowed where its sign is neither's */
    return ((ns ^ sum) & ((pm_u64)fields.base ^ sum)) >> 63 ? PM_POINT_NO_STAMP : (pm_s64)sum;
}

/* ---- places ------------------------------------------------------------------------------------------------ */

typedef struct pm_point_place {
    pm_u32 segment;
    pm_u32 valid;
    pm_u64 since, length; /* of whose quotient u is: 0 to 1; at the last key 1 */
} pm_point_place;

pm_fn pm_point_place pm_point_locate(pm_point_fields fields, pm_global const pm_s64 *keys,
                                     pm_u32 key_count, pm_s64 stamp) {
    pm_point_place place;
    pm_u32 low = 0;
    pm_s64 first = keys[0], last = keys[key_count - 1];
    pm_u32 is_behind = stamp >= last && key_count > 1;
    place.segment = is_behind ? key_count - 2 : 0;
    place.since = is_behind;
    place.length = 1;
    place.valid = stamp == PM_POINT_NO_STAMP        ? 0
                  : stamp < first || (stamp > last) ? fields.clamps
                                                    : 1;
    if (stamp < first || stamp >= last)
        return place;
    for (pm_u32 left = key_count - 1; left > 1;) {
        pm_u32 half_of = left / 2;
        low += keys[low + half_of] <= stamp ? half_of : 0;
        left -= half_of;
    }
    place.since = (pm_u64)stamp - (pm_u64)keys[low];
    place.length = (pm_u64)keys[low + 1] - (pm_u64)keys[low];
    place.valid = place.since == 0 || place.length <= fields.max_gap;
    place.segment = low;
    return place;
}

typedef struct pm_located_point {
    pm_point_place
        place; /* not valid where there is no such track, whose place is one of track 0 */
    pm_u32 track;
    pm_point_track own;
} pm_located_point;

/* Point k: its track, and the place of its stamp there. */
pm_fn pm_located_point pm_point_find(pm_point_fields fields, pm_global const pm_point_track *table,
                                     pm_global const pm_s64 *keys, pm_global const pm_u8 *stamps,
                                     pm_global const pm_u8 *tracks, pm_s64 k) {
    pm_located_point point;
    pm_global const pm_u8 *at = tracks + (fields.tracks.offset + k * fields.tracks.stride);
    pm_u32 track = fields.tracks.bytes == 0   ? fields.track
                   : fields.tracks.bytes == 1 ? *at
                   : fields.tracks.bytes == 2 ? pm_half_word_at(at)
                                              : pm_word_at(at, fields.tracks.aligned);
    pm_u32 is_track = track < fields.track_count;
    point.track = is_track ? track : 0;
    point.own = table[point.track];
    point.place = pm_point_locate(
        fields, keys + point.own.first_stamp, point.own.key_count,
        pm_point_stamp(fields, stamps + (fields.stamps.offset + k * fields.stamps.stride)));
    point.place.valid &= is_track;
    return point;
}

#endif
