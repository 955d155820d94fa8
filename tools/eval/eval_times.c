/* SPDX-License-Identifier: MIT
 *
 * Sample counts without a tolerance: integer arithmetic for uniform keys, a comparison of
 * correctly rounded quotients for listed key times.
 */
#include "eval.h"

#include <math.h>

#include "motion/time/rate.h"

bool eval_count_uniform(uint64_t key_count, pm_rational key_rate, pm_rational rate,
                        uint64_t *count) {
    const pm_rational spans = {(int64_t)key_count - 1, 1};
    pm_rational per_span, samples;
    if (!rate_divide(rate, key_rate, &per_span) || !rate_multiply(spans, per_span, &samples))
        return false;
    *count = (uint64_t)(samples.num / samples.den) + 1;
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
