/* SPDX-License-Identifier: MIT
 *
 * Guided self-scheduling with members of unequal throughput: each takes half of its expected part
 * of the remaining items, so that errors of the estimate are small at the end of the job.
 */
#include "scheduler.h"

/* The expected rate of a member that got no work grows by this fraction with each job. So one bad
 * measurement does not exclude a member permanently, and a slow member is seldom tried. */
static const double optimism = 1.0 / 64;

static bool is_timed(const pm_throughput *throughput) {
    return throughput->values > 0 && throughput->seconds > 0;
}

static double rate_now(const pm_throughput *throughput) {
    return throughput->values / throughput->seconds;
}

/* The rates of this job divided by those of previous jobs, over the members that have both. The
 * cost of a value differs between jobs, and members without a measurement in this job are expected
 * to change by the same factor. */
static double change_of(const pm_throughput *throughputs, size_t count) {
    double now = 0, before = 0;
    for (size_t i = 0; i < count; i++)
        if (is_timed(&throughputs[i]) && throughputs[i].before > 0) {
            now += rate_now(&throughputs[i]);
            before += throughputs[i].before;
        }
    return before > 0 ? now / before : 1;
}

/* Values/s; 0 when the member was never measured. */
static double known_rate(const pm_throughput *throughput, double change) {
    return is_timed(throughput) ? rate_now(throughput) : throughput->before * change;
}

/* The rate that is assumed for a member that was never measured: the mean of the others, or 1. */
static double mean_rate(const pm_throughput *throughputs, size_t count, double change) {
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        double rate = known_rate(&throughputs[i], change);
        sum += rate;
        known += rate > 0;
    }
    return known ? sum / (double)known : 1;
}

static double expected_rate(const pm_throughput *throughput, double change, double mean) {
    double rate = known_rate(throughput, change);
    return rate > 0 ? rate : mean;
}

size_t pm_next_piece(const pm_throughput *throughputs, size_t count, size_t member, size_t rest,
                     size_t min) {
    const double change = change_of(throughputs, count);
    const double mean = mean_rate(throughputs, count, change);
    const double mine = expected_rate(&throughputs[member], change, mean);
    double others = 0;
    for (size_t i = 0; i < count; i++)
        if (i != member && !throughputs[i].retired)
            others += expected_rate(&throughputs[i], change, mean);
    size_t take = min;
    if (known_rate(&throughputs[member], change) > 0) { /* else the minimum, to measure its rate */
        double half = 0.5 * (double)rest * (mine / (mine + others));
        take = half > (double)min ? (size_t)half : min;
    }
    if (take >= rest || rest - take < min)
        take = rest;
    bool last_to_finish = (double)take * others > (double)rest * mine;
    return last_to_finish ? 0 : take;
}

size_t pm_fastest_member(const pm_throughput *throughputs, size_t count) {
    const double change = change_of(throughputs, count);
    const double mean = mean_rate(throughputs, count, change);
    size_t fastest = 0;
    for (size_t i = 1; i < count; i++)
        if (expected_rate(&throughputs[i], change, mean) >
            expected_rate(&throughputs[fastest], change, mean))
            fastest = i;
    return fastest;
}

double pm_learned_throughput(const pm_throughput *throughputs, size_t count, size_t member) {
    const pm_throughput *throughput = &throughputs[member];
    double rate = known_rate(throughput, change_of(throughputs, count));
    return is_timed(throughput) ? rate : rate * (1 + optimism);
}
