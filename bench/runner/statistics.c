/* SPDX-License-Identifier: MIT
 *
 * Medians, their intervals, and the division of rates into two groups (Otsu 1979).
 */
#include "runner.h"

#include <math.h>
#include <stdlib.h>

enum { RATES_MIN = 30 };

/* splitmix64 (Steele, Lea and Flood 2014). */
uint64_t stats_random_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The upper bits of a product with the bound are uniform to within bound/2^32, and no array here has more
 * than a few thousand elements. */
size_t stats_random(uint64_t *state, size_t bound) {
    return (size_t)((stats_random_bits(state) >> 32) * (uint64_t)bound >> 32);
}

static int by_size(const void *a, const void *b) {
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double middle_of(const double *sorted, size_t count) {
    return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

double stats_median(double *numbers, size_t count) {
    qsort(numbers, count, sizeof *numbers, by_size);
    return middle_of(numbers, count);
}

double stats_ratio(const double *above, const double *below, double scale, size_t count) {
    double ratios[STATS_MAX];
    for (size_t i = 0; i < count; i++)
        ratios[i] = scale * above[i] / below[i];
    return stats_median(ratios, count);
}

/* How many values on either side lie outside the interval: as many as the median is beyond in at most
 * 2.5 % of runs. That `outside` + 1 of `count` values or fewer are below it has the probability of as many
 * heads of a coin. */
static size_t outside_of(size_t count) {
    double term = exp2(-(double)count), sum = term;
    for (size_t outside = 0;; outside++) {
        term *= (double)(count - outside) / (double)(outside + 1);
        sum += term;
        if (sum > 0.025)
            return outside;
    }
}

void stats_interval(const double *above, const double *below, size_t count, double interval[2]) {
    double values[STATS_MAX];
    for (size_t i = 0; i < count; i++)
        values[i] = below ? above[i] / below[i] : above[i];
    qsort(values, count, sizeof *values, by_size);
    const size_t outside = outside_of(count);
    interval[0] = values[outside];
    interval[1] = values[count - 1 - outside];
}

/* ---- two rates ----------------------------------------------------------------- */

/* Where the sorted rates divide into two groups of at least `least` rates: where the variance between
 * the groups is largest, and the sum of those within them smallest. */
static size_t split_of(const double *sorted, size_t count, size_t least) {
    double sum = 0.0, before = 0.0, largest = -1.0;
    size_t split = 0;
    for (size_t i = 0; i < count; i++)
        sum += sorted[i];
    for (size_t i = 1; i < count; i++) {
        before += sorted[i - 1];
        const double apart = (sum - before) / (double)(count - i) - before / (double)i;
        const double between = (double)i * (double)(count - i) * apart * apart;
        if (i >= least && i + least <= count && between > largest) {
            largest = between;
            split = i;
        }
    }
    return split;
}

static size_t count_below(const double *sorted, size_t count, double limit) {
    size_t below = 0;
    while (below < count && sorted[below] < limit)
        below++;
    return below;
}

/* A machine that fills at two rates switches now and then, so that a few fills run at both and have a
 * rate in between. A group that is wide has a quarter of its rates there, or more. */
size_t stats_rates(double *rates, size_t count, double medians[2]) {
    const double ratio = 1.3;
    medians[0] = stats_median(rates, count);
    medians[1] = (double)NAN;
    if (count < RATES_MIN)
        return 1;
    const size_t least = (count + 4) / 5;
    const size_t split = split_of(rates, count, least);
    const double low = middle_of(rates, split);
    const double high = middle_of(rates + split, count - split);
    const size_t slow = count_below(rates, count, low + 0.25 * (high - low));
    const size_t not_fast = count_below(rates, count, high - 0.25 * (high - low));
    if (high <= ratio * low || slow < least || count - not_fast < least ||
        10 * (not_fast - slow) > count)
        return 1;
    medians[0] = low;
    medians[1] = high;
    return 2;
}
