/* SPDX-License-Identifier: MIT
 *
 * A histogram whose steps are the leading bits of a double: its exponent and 5 bits of its fraction.
 */
#include "motion/compare/compare.h"

#include <math.h>
#include <string.h>

enum { STEP_BITS = 47 };

/* Times are apart above so many times the percentile, if there are so many times in all. */
static const double far_factor = 3;
enum { LEAST_TIMES = 5 };

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> STEP_BITS;
}

static size_t step_of(const spread *s, double value) {
    const uint64_t step = bits_of(value) - bits_of(s->floor);
    return step < SPREAD_STEPS ? (size_t)step : SPREAD_STEPS - 1;
}

void spread_begin(spread *s, compare_measure measure, double unit_mm) {
    /* Degrees, a hundredth of a millimetre, degrees/s, degrees/s^2. */
    static const double floors[MEASURE_COUNT] = {0.001, 0.01, 0.1, 10};
    memset(s, 0, sizeof *s);
    s->floor = floors[measure] / (measure == MEASURE_DISTANCE && unit_mm > 0 ? unit_mm : 1);
}

void spread_add(spread *s, double value) {
    s->largest = fmax(s->largest, value);
}

void spread_end_time(spread *s, double time) {
    if (s->largest > s->floor) {
        const size_t step = step_of(s, s->largest);
        s->first[step] = s->times[step] == 0 ? time : s->first[step];
        s->last[step] = time;
        s->most[step] = fmax(s->most[step], s->largest);
        s->times[step]++;
    }
    s->largest = 0;
}

/* What the percentile of the times has at most. At least one time is above it. */
static double find_percentile(const spread *s, uint64_t times) {
    const uint64_t share = (uint64_t)((double)times * SPREAD_PERCENT / 100);
    const uint64_t wanted = share < times ? share : times - 1;
    uint64_t sum = 0;
    for (size_t i = 0; i < SPREAD_STEPS; i++) {
        sum += s->times[i];
        if (sum >= wanted)
            return s->most[i];
    }
    return (double)INFINITY;
}

scale spread_scale(const spread *s, double max) {
    scale found = {.end = max, .first = (double)INFINITY};
    uint64_t times = 0;
    for (size_t i = 0; i < SPREAD_STEPS; i++)
        times += s->times[i];
    const double far =
        times < LEAST_TIMES ? (double)INFINITY : far_factor * find_percentile(s, times);
    if (!(max > far))
        return found;
    for (size_t i = 0; i < SPREAD_STEPS; i++) {
        if (s->times[i] > 0 && s->most[i] <= far) {
            found.end = s->most[i];
        } else if (s->times[i] > 0) {
            found.times += s->times[i];
            found.first = fmin(found.first, s->first[i]);
            found.last = fmax(found.last, s->last[i]);
        }
    }
    return found;
}
