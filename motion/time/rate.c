/* SPDX-License-Identifier: MIT
 *
 * Exact rates. Rates are fractions of two int64_t in lowest terms. Products that do not fit are
 * rejected, never rounded.
 */
#include "motion/time/rate.h"

#include "motion/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static pm_rational lowest_terms(int64_t num, int64_t den) {
    int64_t divisor = common_divisor(num, den);
    pm_rational r = {num / divisor, den / divisor};
    return r;
}

bool rate_multiply(pm_rational a, pm_rational b, pm_rational *product) {
    pm_rational left = lowest_terms(a.num, b.den), right = lowest_terms(b.num, a.den);

    if (right.num != 0 && left.num > INT64_MAX / right.num) {
        return false;
    }
    if (left.den > INT64_MAX / right.den) {
        return false;
    }
    product->num = left.num * right.num;
    product->den = left.den * right.den;
    return true;
}

bool rate_divide(pm_rational a, pm_rational b, pm_rational *quotient) {
    pm_rational inverse = {b.den, b.num};
    return b.num != 0 && rate_multiply(a, inverse, quotient);
}

double rate_value(pm_rational rate) {
    return (double)rate.num / (double)rate.den;
}

/* ---- frame times ---------------------------------------------------------------- */

/* num / 10^places, as written. */
typedef struct decimal {
    int64_t num;
    int places; /* negative for numbers such as 1e3 */
} decimal;

/* Reads digits into d. Digits after the 18th are dropped: 18 digits exceed the precision of a
 * double. */
static bool read_decimal(const char *text, size_t size, decimal *d) {
    const char *at = text, *end = text + size;
    bool after_point = false, negative;
    uint64_t exponent = 0;

    d->num = 0;
    d->places = 0;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.' || *at == ',') {
            after_point = true;
        } else if (*at < '0' || *at > '9') {
            return false;
        } else if (d->num < 100000000000000000) {
            d->num = d->num * 10 + (*at - '0');
            d->places += after_point;
        } else {
            d->places -= !after_point;
        }
    }
    if (at == end) {
        return d->num > 0;
    }
    at++;
    negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    at = text_read_integer(at, end, &exponent);
    if (at != end || exponent > 100) {
        return false;
    }
    d->places += negative ? (int)exponent : -(int)exponent;
    return d->num > 0;
}

/* The reciprocal of the decimal. Digits that make a part too large are dropped. */
static bool literal_rate(decimal d, pm_rational *rate) {
    int64_t num = 1, den = d.num;
    int places = d.places;

    for (; places > 18; places--) {
        den /= 10;
    }
    if (den == 0 || places < -9) {
        return false;
    }
    for (; places > 0; places--) {
        num *= 10;
    }
    for (; places < 0; places++) {
        if (den > INT64_MAX / 10) {
            return false;
        }
        den *= 10;
    }
    *rate = lowest_terms(num, den);
    return true;
}

static const double common_rates[] = {24,  25,  30,  48,  50,  60,  72,  90,  100, 120, 144, 150,
                                      180, 200, 240, 250, 300, 360, 400, 480, 500, 600, 960, 1000};

/* The most plausible integer in [low, high] for a rate of about `middle`; 0: none. */
static int64_t integer_rate_in(double low, double high, double middle) {
    double best = 0;
    size_t i;

    if (ceil(low) > floor(high)) {
        return 0;
    }
    for (i = 0; i < sizeof common_rates / sizeof common_rates[0]; i++) {
        double c = common_rates[i];
        if (c >= low && c <= high && (best == 0 || fabs(c - middle) < fabs(best - middle))) {
            best = c;
        }
    }
    if (best == 0) {
        best = fmin(fmax(nearbyint(middle), ceil(low)), floor(high));
    }
    return best < 1e9 ? (int64_t)best : 0;
}

bool rate_from_frame_time(const char *text, size_t size, bool snap, pm_rational *rate,
                          rate_snap *how) {
    double seconds, half, low, high, middle, span;
    int64_t whole;
    decimal d;

    if (size > 0 && *text == '+') {
        text++;
        size--;
    }
    if (!read_decimal(text, size, &d) || !literal_rate(d, rate)) {
        return false;
    }
    middle = rate_value(*rate);
    if (!(middle >= 1e-9 && middle <= 1e9)) {
        return false;
    }
    *how = RATE_LITERAL;
    if (!snap || rate->den == 1) {
        return true;
    }
    seconds = (double)d.num;
    half = fmax(0.5, seconds * 0x1p-52); /* in units of the last decimal place */
    span = half / seconds;
    low = middle / (1 + span);
    high = span < 1 ? middle / (1 - span) : middle;
    whole = integer_rate_in(low, high, middle);
    if (whole > 0) {
        *how = RATE_INTEGER;
        *rate = lowest_terms(whole, 1);
        return true;
    }
    whole = integer_rate_in(low * 1.001, high * 1.001, middle * 1.001);
    if (whole > 0) {
        *how = RATE_NTSC;
        *rate = lowest_terms(whole * 1000, 1001);
    }
    return true;
}

void rate_write_frame_time(pm_rational rate, char text[RATE_TEXT]) {
    pm_rational again = {0, 0};
    rate_snap how;
    char *end = text_write_ratio(text, (uint64_t)rate.den, (uint64_t)rate.num, 9);

    if (!rate_from_frame_time(text, (size_t)(end - text), true, &again, &how) ||
        again.num != rate.num || again.den != rate.den) {
        text_write_ratio(text, (uint64_t)rate.den, (uint64_t)rate.num, 17);
    }
}

/* ---- fractions as text ------------------------------------------------------------ */

/* Parses digits at *text, up to 18 significant ones, which fit in an int64_t. */
static bool take_digits(const char **text, int64_t *value, int *count) {
    const char *start = *text;
    for (; isdigit((unsigned char)**text); (*text)++) {
        if (*value > (INT64_MAX - 9) / 10) {
            return false;
        }
        *value = *value * 10 + (**text - '0');
    }
    *count = (int)(*text - start);
    return true;
}

bool rate_parse(const char *text, pm_rational *value) {
    int64_t num = 0;
    int64_t den = 1;
    int whole = 0;
    int decimals = 0;
    if (!take_digits(&text, &num, &whole)) {
        return false;
    }
    if (*text == '/' && whole > 0) {
        text++;
        den = 0;
        if (!take_digits(&text, &den, &decimals) || decimals == 0) {
            return false;
        }
    } else if (*text == '.') {
        text++;
        if (!take_digits(&text, &num, &decimals) || decimals > 18) {
            return false;
        }
        for (int i = 0; i < decimals; i++) {
            den *= 10;
        }
    }
    if (*text != '\0' || whole + decimals == 0 || num == 0 || den == 0) {
        return false;
    }
    *value = lowest_terms(num, den);
    return true;
}

/* ---- options and messages - --------------------------------------------------------- */

bool rate_parse_target(const char *text, pm_rational source, pm_rational *rate) {
    pm_rational factor;
    bool part = *text == '/';

    if (*text != 'x' && *text != 'X' && !part) {
        return rate_parse(text, rate);
    }
    if (!rate_parse(text + 1, &factor)) {
        return false;
    }
    return part ? rate_divide(source, factor, rate) : rate_multiply(source, factor, rate);
}

/* "0", "0.00", ".0", which rate_parse rejects as rates. */
static bool is_zero(const char *text) {
    size_t zeros = 0, points = 0;

    for (; *text == '0' || *text == '.'; text++) {
        zeros += *text == '0';
        points += *text == '.';
    }
    return *text == '\0' && zeros > 0 && points <= 1;
}

bool rate_parse_seconds(const char *text, pm_rational *seconds) {
    pm_rational zero = {0, 1};

    if (is_zero(text)) {
        *seconds = zero;
        return true;
    }
    return rate_parse(text, seconds);
}

void rate_describe(pm_rational rate, char text[RATE_TEXT]) {
    if (rate.den == 1) {
        snprintf(text, RATE_TEXT, "%lld Hz", (long long)rate.num);
    } else {
        snprintf(text, RATE_TEXT, "%.6g Hz (%lld/%lld)", rate_value(rate), (long long)rate.num,
                 (long long)rate.den);
    }
}
