/* SPDX-License-Identifier: MIT
 *
 * Decimal text to double: exact with one double operation for ordinary numbers, by integer
 * division (text_big.c) for the rest.
 */
#include "motion/text/text.h"

#include "motion/text/scan.h"
#include "motion/text/text_big.h"

#include <string.h>

/* Powers of ten that a double holds exactly. */
static const double exact_power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#define MANTISSA_DIGITS 19 /* every number with 19 digits fits in 64 bits */
#define EXPONENT_LIMIT 100000

static unsigned digit_at(const char *at) {
    return (unsigned)(unsigned char)*at - '0';
}

typedef struct digits {
    const char *begin; /* first digit or decimal mark */
    const char *end;
    size_t count;      /* digits, including leading zeros */
    int fraction;      /* digits after the decimal mark */
    uint64_t mantissa; /* valid only while count <= MANTISSA_DIGITS */
} digits;

static const char *scan_digits(const char *at, const char *end, uint64_t *mantissa) {
    uint64_t m = *mantissa;
    while (at < end && digit_at(at) < 10) {
        m = m * 10 + digit_at(at);
        at++;
    }
    *mantissa = m;
    return at;
}

static bool scan_mantissa(const char *at, const char *end, digits *d, size_t *commas) {
    *d = (digits){.begin = at};
    const char *whole_end = scan_digits(at, end, &d->mantissa);
    d->count = (size_t)(whole_end - at);
    d->end = whole_end;
    if (whole_end == end || (*whole_end != '.' && *whole_end != ','))
        return d->count > 0;
    if (*whole_end == ',') {
        if (d->count == 0 || whole_end + 1 == end || digit_at(whole_end + 1) >= 10)
            return d->count > 0;
        ++*commas;
    }
    const char *mark_end = whole_end + 1;
    d->end = scan_digits(mark_end, end, &d->mantissa);
    d->count += (size_t)(d->end - mark_end);
    d->fraction = d->end - mark_end < EXPONENT_LIMIT ? (int)(d->end - mark_end) : EXPONENT_LIMIT;
    return d->count > 0;
}

/* Reads the exponent at `at`; 0, and nothing is consumed, if there is none. */
static const char *scan_exponent(const char *at, const char *end, int *exponent) {
    const char *start = at;
    bool negative = false;
    int e = 0;
    *exponent = 0;
    if (at == end || (*at != 'e' && *at != 'E'))
        return start;
    at++;
    if (at < end && (*at == '+' || *at == '-')) {
        negative = *at == '-';
        at++;
    }
    if (at == end || digit_at(at) >= 10)
        return start;
    while (at < end && digit_at(at) < 10) {
        e = e < EXPONENT_LIMIT ? e * 10 + (int)digit_at(at) : e;
        at++;
    }
    *exponent = negative ? -e : e;
    return at;
}

/* Rereads digits that were too many for scan_digits: leading zeros are skipped, and digits after
 * the 19th only change the exponent. */
static void reread_long(digits *d, int *exponent) {
    bool after_mark = false;
    size_t kept = 0;
    int64_t scale = 0;
    d->mantissa = 0;
    for (const char *at = d->begin; at < d->end; at++) {
        unsigned digit = digit_at(at);
        if (digit >= 10) {
            after_mark = true;
            continue;
        }
        if (kept < MANTISSA_DIGITS) {
            d->mantissa = d->mantissa * 10 + digit;
            kept += d->mantissa != 0;
            scale -= after_mark;
        } else {
            scale += !after_mark;
        }
    }
    scale += *exponent;
    *exponent = scale > EXPONENT_LIMIT    ? EXPONENT_LIMIT
                : scale < -EXPONENT_LIMIT ? -EXPONENT_LIMIT
                                          : (int)scale;
}

const char *text_read_number(const char *at, const char *end, double *value, size_t *commas) {
    bool negative = false;
    int exponent;
    digits d;
    double v;
    if (at < end && (*at == '-' || *at == '+')) {
        negative = *at == '-';
        at++;
    }
    if (!scan_mantissa(at, end, &d, commas))
        return NULL;
    at = scan_exponent(d.end, end, &exponent);
    if (d.count <= MANTISSA_DIGITS)
        exponent -= d.fraction;
    else
        reread_long(&d, &exponent);
    if (d.mantissa >> 53 == 0 && exponent <= 0 && exponent >= -22)
        v = (double)d.mantissa / exact_power[-exponent];
    else if (d.mantissa >> 53 == 0 && exponent > 0 && exponent <= 22)
        v = (double)d.mantissa * exact_power[exponent];
    else
        v = text_big_scale(d.mantissa, exponent);
    *value = negative ? -v : v;
    return at;
}

const char *text_read_integer(const char *at, const char *end, uint64_t *value) {
    const char *start = at;
    uint64_t v = 0;
    while (at < end && digit_at(at) < 10) {
        unsigned digit = digit_at(at);
        v = v > (UINT64_MAX - digit) / 10 ? UINT64_MAX : v * 10 + digit;
        at++;
    }
    *value = v;
    return at > start ? at : NULL;
}

bool text_json_is_deep(const char *text, size_t size) {
    enum { DEPTH_MAX = 64 };
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < size && depth <= DEPTH_MAX; i++)
        if (in_string && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            in_string = !in_string;
        else if (!in_string && (text[i] == '[' || text[i] == '{'))
            depth++;
        else if (!in_string && (text[i] == ']' || text[i] == '}') && depth > 0)
            depth--;
    return depth > DEPTH_MAX;
}

static bool starts_with(const char *at, const char *end, const char *word) {
    const size_t size = strlen(word);
    return (size_t)(end - at) >= size && text_is((text_span){at, size}, word);
}

bool text_is_not_finite(const char *at, const char *end) {
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (starts_with(at, end, "nan") || starts_with(at, end, "inf")) {
        size_t size = (size_t)(end - at);
        return size == 3 || at[3] == '(' || (size == 8 && starts_with(at, end, "infinity"));
    }
    if (at < end && digit_at(at) < 10) {
        at++;
        return starts_with(at, end, ".#ind") || starts_with(at, end, ".#inf") ||
               starts_with(at, end, ".#qnan") || starts_with(at, end, ".#snan");
    }
    return false;
}
