/* SPDX-License-Identifier: MIT
 *
 * Double to decimal text with a fixed number of places: the whole part and the fraction are
 * scaled to integers, which are written two digits at a time.
 */
#include "motion/text/text.h"

#include "motion/text/text_big.h"

#include <string.h>

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233"
                            "34353637383940414243444546474849505152535455565758596061626364656667"
                            "6869707172737475767778798081828384858687888990919293949596979899";

static const uint64_t powers[] = {1u,
                                  10u,
                                  100u,
                                  1000u,
                                  10000u,
                                  100000u,
                                  1000000u,
                                  10000000u,
                                  100000000u,
                                  1000000000u,
                                  10000000000u,
                                  100000000000u,
                                  1000000000000u,
                                  10000000000000u,
                                  100000000000000u,
                                  1000000000000000u,
                                  10000000000000000u,
                                  100000000000000000u,
                                  1000000000000000000u,
                                  10000000000000000000u};

static unsigned digits_of(uint64_t value) {
    unsigned count = 1;
    while (count < 20 && value >= powers[count])
        count++;
    return count;
}

/* Writes exactly `count` digits, with leading zeros. */
static char *write_digits(char *out, uint64_t value, unsigned count) {
    char *at = out + count;
    while (at - out >= 2) {
        at -= 2;
        memcpy(at, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (at > out)
        *out = (char)('0' + value);
    return out + count;
}

/* The common case, six places, in 32 bits: half the cost of write_digits. */
static char *write_six(char *out, uint32_t value) {
    uint32_t high = value / 10000, middle = value / 100 % 100, low = value % 100;
    memcpy(out, pairs + (size_t)2 * high, 2);
    memcpy(out + 2, pairs + (size_t)2 * middle, 2);
    memcpy(out + 4, pairs + (size_t)2 * low, 2);
    return out + 6;
}

static char *write_small_whole(char *out, uint32_t value) {
    if (value < 10) {
        *out = (char)('0' + value);
        return out + 1;
    }
    if (value < 100) {
        memcpy(out, pairs + (size_t)2 * value, 2);
        return out + 2;
    }
    *out = (char)('0' + value / 100);
    memcpy(out + 1, pairs + (size_t)2 * (value % 100), 2);
    return out + 3;
}

char *text_write_fixed(char *out, double value, unsigned decimals) {
    double size = value < 0 ? -value : value, scaled;
    uint64_t whole, fraction;
    if (decimals == 0 && size < 0x1p52)
        size = (size + 0x1p52) - 0x1p52; /* as below, for the whole part */
    if (size >= 9223372036854775808.0) { /* 2^63: has no fraction, and is too large for the cast */
        if (value < 0)
            *out++ = '-';
        out = text_big_write(out, size);
        fraction = 0;
    } else {
        whole = (uint64_t)(int64_t)size; /* the cast to int64_t is a single instruction */
        /* Adding 2^52 leaves no bits for a fraction, which rounds to nearest, ties to even. */
        scaled = (size - (double)(int64_t)whole) * (double)powers[decimals] + 0x1p52;
        fraction = (uint64_t)(int64_t)(scaled - 0x1p52);
        if (fraction == powers[decimals]) {
            whole++;
            fraction = 0;
        }
        if (value < 0 && (whole | fraction) != 0)
            *out++ = '-';
        out = whole < 1000 ? write_small_whole(out, (uint32_t)whole)
                           : write_digits(out, whole, digits_of(whole));
    }
    if (decimals == 0)
        return out;
    *out++ = '.';
    return decimals == 6 ? write_six(out, (uint32_t)fraction)
                         : write_digits(out, fraction, decimals);
}

/* rest * 10 / den for rest < den, by addition, which cannot overflow. */
static unsigned next_digit(uint64_t *rest, uint64_t den) {
    uint64_t sum = 0;
    unsigned digit = 0, i;
    for (i = 0; i < 10; i++) {
        if (sum >= den - *rest) {
            sum -= den - *rest;
            digit++;
        } else {
            sum += *rest;
        }
    }
    *rest = sum;
    return digit;
}

char *text_write_ratio(char *out, uint64_t num, uint64_t den, unsigned digits) {
    uint64_t whole = num / den, rest = num % den, value = whole;
    unsigned places = 0, significant = whole != 0 ? digits_of(whole) : 0;
    while (significant < digits && places < 36) {
        value = value * 10 + next_digit(&rest, den);
        places++;
        significant += value != 0;
    }
    value += rest >= den - rest; /* 2 * rest >= den, without overflow */
    /* The digits form one number of at most 19 digits; the decimal point is inserted into it. */
    {
        char text[64];
        unsigned count = digits_of(value), width = count > places ? count : places + 1;
        memset(text, '0', sizeof text);
        write_digits(text + (width - count), value, count);
        memcpy(out, text, width - places);
        out += width - places;
        if (places != 0) {
            *out++ = '.';
            memcpy(out, text + (width - places), places);
            out += places;
        }
    }
    *out = '\0';
    return out;
}
