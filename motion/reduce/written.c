/* SPDX-License-Identifier: MIT
 *
 * Keys in float32.
 */
#include "motion/reduce/channel.h"

#include <math.h>
#include <stdbool.h>

#include "motion/model/evaluate.h"

/* Below this dot, a step is half a turn, and which way is the shorter one is decided by rounding. */
static const double half_turn = 4e-7;

/* Radians by which such a step is shortened, in which its direction survives rounding. */
static const double shortening = 1e-6;

/* Half turns one after another that are shortened, each by more than the one before: what turns on and on
 * in one direction lags behind. */
enum { RUN_MAX = 64 };

static double dot(const double a[4], const double b[4]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* Rounds a key, and says whether nothing changed. */
static bool round_rotation(double q[4]) {
    bool is_exact = true;
    for (int i = 0; i < 4; i++) {
        const double rounded = (double)(float)q[i];
        is_exact = is_exact && rounded == q[i];
        q[i] = rounded;
    }
    return is_exact;
}

void unit_rotation(const pm_motion_channel *channel, size_t key, double q[4]) {
    evaluate_key(channel, key, q);
    evaluate_normalise(q);
}

double written_time(const pm_timeline *timeline, size_t key) {
    return (double)(float)evaluate_key_time(timeline, key);
}

static bool is_exact_key(const pm_motion_channel *channel, size_t key) {
    double q[4];
    evaluate_key(channel, key, q);
    return round_rotation(q);
}

/* The number of half turns that end at a key; 0 also if all of their keys are exact. */
static unsigned half_turns(const pm_motion_channel *channel, size_t key) {
    double here[4], before[4];
    unsigned count = 0;
    bool is_exact = is_exact_key(channel, key);
    unit_rotation(channel, key, here);
    for (; key > 0 && count < RUN_MAX; key--, count++) {
        unit_rotation(channel, key - 1, before);
        if (fabs(dot(before, here)) > half_turn)
            break;
        is_exact = is_exact && is_exact_key(channel, key - 1);
        for (int i = 0; i < 4; i++)
            here[i] = before[i];
    }
    return is_exact ? 0 : count;
}

void written_rotation(const pm_motion_channel *channel, size_t key, double q[4]) {
    const unsigned halves = half_turns(channel, key);
    evaluate_key(channel, key, q);
    if (halves > 0) {
        double before[4];
        unit_rotation(channel, key, q);
        unit_rotation(channel, key - 1, before);
        const double toward = (dot(before, q) < 0 ? -shortening : shortening) * halves;
        for (int i = 0; i < 4; i++)
            q[i] += toward * before[i];
    }
    round_rotation(q);
}
