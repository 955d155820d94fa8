/* SPDX-License-Identifier: MIT
 *
 * Float to the shortest decimal text that reads back as the same float. The digits are computed in
 * double: 9 digits of a float need 30 bits, so that what rounding leaves is far below the interval
 * of the float, which is compared with a margin.
 */
#include "motion/text/text.h"

#include <math.h>
#include <string.h>

static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* value * 10^exponent. Powers above 10^22 are not exact: at most two of them are multiplied. */
static double scale(double value, int exponent) {
    for (; exponent > 22; exponent -= 22)
        value *= 1e22;
    for (; exponent < -22; exponent += 22)
        value /= 1e22;
    return exponent < 0 ? value / power[-exponent] : value * power[exponent];
}

/* floor(log10(value)) of a positive float. */
static int find_exponent(double value) {
    int binary;
    (void)frexp(value, &binary);
    const int guess = (int)floor((binary - 1) * 0.30102999566398120);
    return scale(value, -guess) >= 10.0 ? guess + 1 : guess;
}

/* Half the distance to the next float above, and below. */
static void find_interval(float value, double *above, double *below) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int binary = (int)(bits >> 23 & 0xff);
    *above = ldexp(0.5, (binary > 0 ? binary : 1) - 150);
    *below = (bits & 0x7fffff) == 0 && binary > 1 ? 0.5 * *above : *above;
}

typedef struct decimal {
    uint32_t digits;
    int count, exponent; /* of the first digit */
} decimal;

/* The nearest decimal with `count` digits. False if it reads back as another float. */
static bool try_digits(double value, double above, double below, int exponent, int count,
                       decimal *d) {
    const double margin = 1.0 - 1e-6, scaled = scale(value, count - 1 - exponent);
    const double nearest = floor(scaled + 0.5);
    *d = (decimal){(uint32_t)nearest, count, exponent};
    if (d->digits >= (uint32_t)power[count]) { /* 9.99 became 10.0 */
        d->digits /= 10;
        d->exponent++;
    }
    return nearest - scaled < scale(above, count - 1 - exponent) * margin &&
           scaled - nearest < scale(below, count - 1 - exponent) * margin;
}

/* A decimal of 6 digits is wider than the interval of any normal float, so that at most one is in
 * it, and a shorter one is the same with zeros at its end. */
static decimal find_shortest(float value) {
    enum { DIGITS = 6, MOST = 9 };
    const double exact = (double)value;
    const int exponent = find_exponent(exact);
    double above, below;
    decimal d;
    find_interval(value, &above, &below);
    int count = exact < 0x1p-126 ? 1 : DIGITS;
    while (!try_digits(exact, above, below, exponent, count, &d) && count < MOST)
        count++;
    while (d.count > 1 && d.digits % 10 == 0) {
        d.digits /= 10;
        d.count--;
    }
    return d;
}

static char *put_digits(char *out, uint32_t digits, int count) {
    for (int i = count; i-- > 0; digits /= 10)
        out[i] = (char)('0' + digits % 10);
    return out + count;
}

static char *put_zeros(char *out, int count) {
    for (int i = 0; i < count; i++)
        *out++ = '0';
    return out;
}

/* 1.25e-07: a point only behind the first of several digits, and two digits of exponent. */
static char *put_with_exponent(char *out, decimal d) {
    char text[16] = {0};
    put_digits(text, d.digits, d.count);
    *out++ = text[0];
    if (d.count > 1) {
        *out++ = '.';
        memcpy(out, text + 1, (size_t)d.count - 1);
        out += d.count - 1;
    }
    *out++ = 'e';
    *out++ = d.exponent < 0 ? '-' : '+';
    return put_digits(out, (uint32_t)(d.exponent < 0 ? -d.exponent : d.exponent), 2);
}

static char *put_plain(char *out, decimal d) {
    char text[16] = {0};
    const int whole = d.exponent + 1;
    put_digits(text, d.digits, d.count);
    if (whole >= d.count) {
        memcpy(out, text, (size_t)d.count);
        return put_zeros(out + d.count, whole - d.count);
    }
    if (whole > 0) {
        memcpy(out, text, (size_t)whole);
        out += whole;
    } else {
        *out++ = '0';
    }
    *out++ = '.';
    out = put_zeros(out, whole < 0 ? -whole : 0);
    const int skip = whole > 0 ? whole : 0;
    memcpy(out, text + skip, (size_t)(d.count - skip));
    return out + (d.count - skip);
}

char *text_write_float(char *out, float value) {
    enum { SMALLEST = -5, LARGEST = 8 };
    if (signbit(value))
        *out++ = '-';
    value = fabsf(value);
    if (value == 0.0F) {
        *out++ = '0';
        return out;
    }
    const decimal d = find_shortest(value);
    return d.exponent >= SMALLEST && d.exponent <= LARGEST ? put_plain(out, d)
                                                           : put_with_exponent(out, d);
}
