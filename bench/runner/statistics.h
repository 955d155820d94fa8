/* SPDX-License-Identifier: MIT
 *
 * Statistics of repeated measurements: medians, paired ratios, their intervals, and whether rates form
 * two groups. The scripts compute the same intervals of records (bench/records/intervals.py).
 */
#ifndef POSEMILL_BENCH_STATISTICS_H
#define POSEMILL_BENCH_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* Largest number of repetitions of a measurement. */
enum { STATS_MAX = 300 };

/* The next 64 bits of a stream. */
uint64_t stats_random_bits(uint64_t *state);

/* A whole number in [0, bound), for a bound of at least 1. */
size_t stats_random(uint64_t *state, size_t bound);

/* Sorts the numbers and returns their median. The count is at least 1. */
double stats_median(double *numbers, size_t count);

/* The median of scale * above[i] / below[i]. The two measurements of a repetition were made close in
 * time, so their ratio is free of what disturbs both, which a ratio of medians is not. The count is 1
 * to STATS_MAX. */
double stats_ratio(const double *above, const double *below, double scale, size_t count);

/* The interval that has the median of what is measured in at least 95 % of runs, whatever its distribution:
 * two of the sorted values, by the binomial distribution (David and Nagaraja 2003, 7.1). Of above[i], or of
 * above[i] / below[i] unless below is NULL. Fewer than 6 values give their range, which has it less often.
 * The count is 1 to STATS_MAX. */
void stats_interval(const double *above, const double *below, size_t count, double interval[2]);

/* Whether the rates form two groups, each with at least a fifth of them, whose medians differ by more
 * than a factor of 1.3, with at most a tenth of all rates in the middle half of the distance between the
 * medians: then the function returns 2 and both medians, the smaller one first, else 1 and the median
 * of all. Fewer than 30 rates are one group. Sorts the rates. The count is at least 1. */
size_t stats_rates(double *rates, size_t count, double medians[2]);

#endif
