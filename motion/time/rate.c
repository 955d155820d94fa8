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

int64_t rate_common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static pm_rational lowest_terms(int64_t num, int64_t den) {
    const int64_t divisor = rate_common_divisor(num, den);
    return (pm_rational){num / divisor, den / divisor};
}

bool rate_multiply(pm_rational a, pm_rational b, pm_rational *product) {
    pm_rational left = lowest_terms(a.num, b.den), right = lowest_terms(b.num, a.den);
    if (right.num != 0 && left.num > INT64_MAX / right.num)
        return false;
    if (left.den > INT64_MAX / right.den)
        return false;
    product->num = left.num * right.num;
    product->den = left.den * right.den;
    return true;
}

bool rate_divide(pm_rational a, pm_rational b, pm_rational *quotient) {
    return b.num != 0 && rate_multiply(a, (pm_rational){b.den, b.num}, quotient);
}

bool rate_add(pm_rational a, pm_rational b, pm_rational *sum) {
    const int64_t divisor = rate_common_divisor(a.den, b.den);
    const int64_t left = b.den / divisor, right = a.den / divisor;
    if (a.den > INT64_MAX / left || a.num > INT64_MAX / left || b.num > INT64_MAX / right ||
        a.num * left > INT64_MAX - b.num * right)
        return false;
    *sum = lowest_terms(a.num * left + b.num * right, a.den * left);
    return true;
}

double rate_value(pm_rational rate) {
    return (double)rate.num / (double)rate.den;
}

__extension__ typedef unsigned __int128 wide;

typedef struct wide_fraction {
    wide num, den;
} wide_fraction;

/* A double from 2^-60 to below 2^62 as it is. */
static wide_fraction exact_fraction(double value) {
    int exponent = 0;
    wide_fraction f = {(wide)ldexp(frexp(value, &exponent), 53), 1};
    if (exponent > 53)
        f.num <<= exponent - 53;
    else
        f.den <<= 53 - exponent;
    return f;
}

static wide_fraction inverse_of_rest(wide_fraction f, wide whole) {
    return (wide_fraction){f.den, f.num - whole * f.den};
}

/* One step of a continued fraction whose last two convergents are in `now` and `before`. */
static bool append_term(wide term, pm_rational *before, pm_rational *now) {
    const wide num = term * (uint64_t)now->num + (uint64_t)before->num;
    const wide den = term * (uint64_t)now->den + (uint64_t)before->den;
    if (term > INT64_MAX || num > INT64_MAX || den > INT64_MAX)
        return false;
    *before = *now;
    *now = (pm_rational){(int64_t)num, (int64_t)den};
    return true;
}

bool rate_simplest(double low, double high, pm_rational *simplest) {
    pm_rational before = {0, 1}, now = {1, 0};
    if (!(low <= high && high < 0x1p62)) /* also where one is not a number */
        return false;
    if (low <= 0 || high < 0x1p-60) {
        *simplest = (pm_rational){0, 1};
        return low <= 0;
    }
    if (low < 0x1p-60)
        return false;
    wide_fraction a = exact_fraction(low), b = exact_fraction(high);
    for (;;) {
        const wide whole = a.num / a.den;
        const bool is_whole = whole * a.den == a.num;
        if (is_whole || whole < b.num / b.den) {
            *simplest = now;
            return append_term(whole + !is_whole, &before, simplest);
        }
        if (!append_term(whole, &before, &now))
            return false;
        const wide_fraction rest = inverse_of_rest(b, whole);
        b = inverse_of_rest(a, whole);
        a = rest;
    }
}

/* Fractions with denominators up to q lie in about q * q * width intervals of that width. One of a
 * thousand such intervals has one by chance. */
bool rate_find_simple(double low, double high, pm_rational *simple) {
    pm_rational found;
    if (!(low < high) || !rate_simplest(low, high, &found) ||
        !((double)found.den * (double)found.den * (high - low) < 1e-3))
        return false;
    *simple = found;
    return true;
}

/* num / 10^places, as written. */
typedef struct decimal {
    int64_t num;
    int places; /* negative for numbers such as 1e3 */
} decimal;

/* Reads digits into d. Digits after the 18th are dropped: 18 digits exceed the precision of a
 * double. */
static bool read_decimal(const char *text, size_t size, decimal *d) {
    const char *at = text, *end = text + size;
    bool after_point = false;
    uint64_t exponent = 0;
    *d = (decimal){.num = 0};
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
    if (at == end)
        return d->num > 0;
    at++;
    const bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    at = text_read_integer(at, end, &exponent);
    if (at != end || exponent > 100)
        return false;
    d->places += negative ? (int)exponent : -(int)exponent;
    return d->num > 0;
}

/* The reciprocal of the decimal. Digits that make a part too large are dropped. */
static bool literal_rate(decimal d, pm_rational *rate) {
    int64_t num = 1, den = d.num;
    int places = d.places;
    for (; places > 18; places--)
        den /= 10;
    if (den == 0 || places < -9)
        return false;
    for (; places > 0; places--)
        num *= 10;
    for (; places < 0; places++) {
        if (den > INT64_MAX / 10)
            return false;
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
    if (ceil(low) > floor(high))
        return 0;
    for (size_t i = 0; i < sizeof common_rates / sizeof common_rates[0]; i++) {
        double c = common_rates[i];
        if (c >= low && c <= high && (best == 0 || fabs(c - middle) < fabs(best - middle)))
            best = c;
    }
    if (best == 0)
        best = fmin(fmax(nearbyint(middle), ceil(low)), floor(high));
    return best < 1e9 ? (int64_t)best : 0;
}

/* 23.976, 29.97, 59.94: what N*1000/1001 is rounded to. Only for common N, of which there are few. */
static bool is_decimal_ntsc(double low, double high, double middle, pm_rational *rate) {
    const int64_t whole = integer_rate_in(low / 0.999, high / 0.999, middle / 0.999);
    for (size_t i = 0; i < sizeof common_rates / sizeof common_rates[0]; i++) {
        if (whole == (int64_t)common_rates[i]) {
            *rate = lowest_terms(whole * 999, 1000);
            return true;
        }
    }
    return false;
}

/* The simplest rate in an interval about `middle`; the rate is left as it is where there is none. */
static rate_snap snap_rate(double low, double middle, double high, pm_rational *rate) {
    int64_t whole = integer_rate_in(low, high, middle);
    if (whole > 0) {
        *rate = lowest_terms(whole, 1);
        return RATE_INTEGER;
    }
    whole = integer_rate_in(low * 1.001, high * 1.001, middle * 1.001);
    if (whole > 0) {
        *rate = lowest_terms(whole * 1000, 1001);
        return RATE_NTSC;
    }
    if (is_decimal_ntsc(low, high, middle, rate))
        return RATE_NTSC;
    return rate_find_simple(low, high, rate) ? RATE_SIMPLE : RATE_LITERAL;
}

bool rate_from_frame_time(const char *text, size_t size, bool snap, pm_rational *rate,
                          rate_snap *how) {
    decimal d;
    if (size > 0 && *text == '+') {
        text++;
        size--;
    }
    if (!read_decimal(text, size, &d) || !literal_rate(d, rate))
        return false;
    const double middle = rate_value(*rate);
    if (!(middle >= 1e-9 && middle <= 1e9))
        return false;
    *how = RATE_LITERAL;
    if (!snap || rate->den == 1)
        return true;
    const double seconds = (double)d.num;
    const double half = fmax(0.5, seconds * 0x1p-52); /* in units of the last decimal place */
    const double span = half / seconds;
    *how = snap_rate(middle / (1 + span), middle, span < 1 ? middle / (1 - span) : middle, rate);
    return true;
}

void rate_write_frame_time(pm_rational rate, char text[RATE_TEXT]) {
    const uint64_t num = (uint64_t)rate.den, den = (uint64_t)rate.num;
    for (unsigned digits = 9; digits <= 18; digits++) {
        pm_rational again = {0, 0};
        rate_snap how;
        const char *end = text_write_ratio(text, num, den, digits);
        if (rate_from_frame_time(text, (size_t)(end - text), true, &again, &how) &&
            again.num == rate.num && again.den == rate.den)
            return;
    }
    text_write_ratio(text, num, den, 17);
}

/* Parses digits at *text, up to 18 significant ones, which fit in an int64_t. */
static bool take_digits(const char **text, int64_t *value, int *count) {
    const char *start = *text;
    for (; isdigit((unsigned char)**text); (*text)++) {
        if (*value > (INT64_MAX - 9) / 10)
            return false;
        *value = *value * 10 + (**text - '0');
    }
    *count = (int)(*text - start);
    return true;
}

bool rate_parse(const char *text, pm_rational *value) {
    int64_t num = 0, den = 1;
    int whole = 0, decimals = 0;
    if (!take_digits(&text, &num, &whole))
        return false;
    if (*text == '/' && whole > 0) {
        text++;
        den = 0;
        if (!take_digits(&text, &den, &decimals) || decimals == 0)
            return false;
    } else if (*text == '.') {
        text++;
        if (!take_digits(&text, &num, &decimals) || decimals > 18)
            return false;
        for (int i = 0; i < decimals; i++)
            den *= 10;
    }
    if (*text != '\0' || whole + decimals == 0 || num == 0 || den == 0)
        return false;
    *value = lowest_terms(num, den);
    return true;
}

bool rate_parse_target(const char *text, pm_rational source, pm_rational *rate) {
    pm_rational factor;
    bool part = *text == '/';
    if (*text != 'x' && *text != 'X' && !part)
        return rate_parse(text, rate);
    if (!rate_parse(text + 1, &factor))
        return false;
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
    if (!is_zero(text))
        return rate_parse(text, seconds);
    *seconds = (pm_rational){0, 1};
    return true;
}

void rate_describe(pm_rational rate, char text[RATE_TEXT]) {
    if (rate.den == 1)
        snprintf(text, RATE_TEXT, "%lld Hz", (long long)rate.num);
    else
        snprintf(text, RATE_TEXT, "%.6g Hz (%lld/%lld)", rate_value(rate), (long long)rate.num,
                 (long long)rate.den);
}
