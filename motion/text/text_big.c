/* SPDX-License-Identifier: MIT
 *
 * Big integers with little-endian limbs of 32 bits on the stack. 10^e = 5^e * 2^e, so only powers
 * of five are multiplied: the range of a double requires 64 + 345 * log2(5) < 900 bits.
 */
#include "motion/text/text_big.h"

#include <math.h>
#include <string.h>

#define LIMBS 40 /* 1280 bits: a quotient uses 900, the largest double 1024 */

typedef struct big {
    uint32_t limb[LIMBS];
    int size; /* limbs in use; the highest is not zero */
} big;

static void big_set(big *b, uint64_t value) {
    memset(b, 0, sizeof *b);
    b->limb[0] = (uint32_t)value;
    b->limb[1] = (uint32_t)(value >> 32);
    b->size = b->limb[1] != 0 ? 2 : b->limb[0] != 0 ? 1 : 0;
}

static void big_multiply(big *b, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < b->size; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        b->limb[b->size++] = (uint32_t)carry;
}

static uint32_t big_divide(big *b, uint32_t divisor) {
    uint64_t rest = 0;
    for (int i = b->size - 1; i >= 0; i--) {
        rest = rest << 32 | b->limb[i];
        b->limb[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (b->size > 0 && b->limb[b->size - 1] == 0)
        b->size--;
    return (uint32_t)rest;
}

static int big_bits(const big *b) {
    uint32_t top = b->limb[b->size - 1];
    int bits = 32 * (b->size - 1);
    while (top != 0) {
        bits++;
        top >>= 1;
    }
    return bits;
}

static void big_shift(big *b, int bits) {
    int limbs = bits / 32, i;
    bits %= 32;
    for (i = b->size - 1; i >= 0; i--)
        b->limb[i + limbs] = b->limb[i];
    memset(b->limb, 0, (size_t)limbs * sizeof b->limb[0]);
    b->size += limbs;
    if (bits != 0)
        big_multiply(b, (uint32_t)1 << bits);
}

static int big_compare(const big *a, const big *b) {
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    for (int i = a->size - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* a -= b, for a >= b. */
static void big_subtract(big *a, const big *b) {
    int64_t borrow = 0;
    for (int i = 0; i < a->size; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->size ? (int64_t)b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow = borrow < 0 ? -1 : 0;
    }
    while (a->size > 0 && a->limb[a->size - 1] == 0)
        a->size--;
}

static void big_multiply_five(big *b, int power) {
    for (; power >= 13; power -= 13)
        big_multiply(b, 1220703125u); /* 5^13, the largest power in 32 bits */
    for (; power > 0; power--)
        big_multiply(b, 5u);
}

/* quotient * 2^exponent. quotient has 64 bits; the lowest bit also stands for all lower ones.
 * Rounded once, to the precision that the double has there. */
static double round_quotient(uint64_t quotient, int exponent) {
    int drop = 11; /* 64 - 53 */
    uint64_t kept, rest, half;
    if (exponent + 63 < -1022)
        drop += -1022 - (exponent + 63); /* a subnormal number has fewer bits */
    if (drop > 64)
        return 0.0;
    kept = drop == 64 ? 0 : quotient >> drop;
    rest = drop == 64 ? quotient : quotient & (((uint64_t)1 << drop) - 1);
    half = (uint64_t)1 << (drop - 1);
    if (rest > half || (rest == half && (kept & 1) != 0))
        kept++;
    return ldexp((double)kept, exponent + drop);
}

double text_big_scale(uint64_t mantissa, int exponent) {
    big above, below;
    uint64_t quotient = 0;
    int scale = exponent, i;
    if (mantissa == 0 || exponent < -345)
        return 0.0;
    if (exponent > 309)
        return (double)INFINITY;
    big_set(&above, mantissa);
    big_set(&below, 1);
    big_multiply_five(exponent < 0 ? &below : &above, exponent < 0 ? -exponent : exponent);
    i = big_bits(&above) - big_bits(&below);
    big_shift(i < 0 ? &above : &below, i < 0 ? -i : i);
    scale += i;
    if (big_compare(&above, &below) < 0) {
        big_shift(&above, 1);
        scale--;
    }
    for (i = 0; i < 64; i++) {
        quotient <<= 1;
        if (big_compare(&above, &below) >= 0) {
            big_subtract(&above, &below);
            quotient |= 1;
        }
        if (above.size != 0)
            big_shift(&above, 1);
    }
    return round_quotient(quotient | (above.size != 0), scale - 63);
}

char *text_big_write(char *out, double whole) {
    uint32_t group[36]; /* groups of 9 digits; the largest double has 309 digits */
    int exponent, count = 0, i, digit;
    double fraction = frexp(whole, &exponent);
    big b;
    big_set(&b, (uint64_t)ldexp(fraction, 53));
    big_shift(&b, exponent - 53);
    while (b.size != 0)
        group[count++] = big_divide(&b, 1000000000u);
    for (i = count - 1; i >= 0; i--) {
        uint32_t rest = group[i];
        char text[9];
        for (digit = 8; digit >= 0; digit--) {
            text[digit] = (char)('0' + rest % 10);
            rest /= 10;
        }
        for (digit = 0; i == count - 1 && digit < 8 && text[digit] == '0'; digit++) {
        }
        memcpy(out, text + digit, (size_t)(9 - digit));
        out += 9 - digit;
    }
    return out;
}
