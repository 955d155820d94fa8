/* SPDX-License-Identifier: MIT
 *
 * Sample counts without a tolerance: integer arithmetic for uniform keys, a comparison of
 * correctly rounded quotients for listed key times.
 */
#include "eval_times.h"

#include <math.h>

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void reduce(uint64_t *a, uint64_t *b) {
    uint64_t divisor = common_divisor(*a, *b);
    if (divisor > 1) {
        *a /= divisor;
        *b /= divisor;
    }
}

static bool multiply(uint64_t a, uint64_t b, uint64_t *product) {
    if (b != 0 && a > INT64_MAX / b)
        return false;
    *product = a * b;
    return true;
}

bool eval_count_uniform(uint64_t key_count, pm_rational key_rate, pm_rational rate,
                        uint64_t *count) {
    /* spans * rate.num * key_rate.den / (rate.den * key_rate.num), in lowest terms, so that only a
     * count or a ratio beyond any real clip overflows. */
    uint64_t spans = key_count - 1;
    uint64_t up[2] = {(uint64_t)rate.num, (uint64_t)key_rate.den};
    uint64_t down[2] = {(uint64_t)rate.den, (uint64_t)key_rate.num};
    uint64_t num = 0;
    uint64_t den = 0;
    if (spans == 0) {
        *count = 1;
        return true;
    }
    for (int i = 0; i < 2; i++) {
        reduce(&spans, &down[i]);
        reduce(&up[0], &down[i]);
        reduce(&up[1], &down[i]);
    }
    if (!multiply(spans, up[0], &num) || !multiply(num, up[1], &num) ||
        !multiply(down[0], down[1], &den))
        return false;
    *count = num / den + 1;
    return true;
}

/* Whether the time of sample k is at most `seconds`. */
static bool sample_within(double k, pm_rational rate, double seconds) {
    return k * (double)rate.den / (double)rate.num <= seconds;
}

bool eval_count_listed(double seconds, pm_rational rate, uint64_t *count) {
    double last = floor(seconds * ((double)rate.num / (double)rate.den));
    if (!(last >= 0.0 && last < 9007199254740992.0))
        return false;
    /* The rounding error of the estimate is at most one step. For huge counts the quotient cannot
     * distinguish neighbours. */
    while (last > 0.0 && !sample_within(last, rate, seconds))
        last -= 1.0;
    while (last + 1.0 < 9007199254740992.0 && sample_within(last + 1.0, rate, seconds))
        last += 1.0;
    *count = (uint64_t)last + 1;
    return true;
}
