/* SPDX-License-Identifier: MIT
 *
 * Straight lines between keys of numbers, and keys as they are written, in float32.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "motion/model/evaluate.h"
#include "motion/reduce/channel.h"

/* ---- keys in float32 --------------------------------------------------------------------------- */

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

double written_number(const pm_motion_channel *channel, size_t key, uint32_t component,
                      key_form form) {
    const double number = evaluate_number(&channel->keys, channel->components, key, component);
    return form.is_packed ? packed_number(number * form.unit, form.exponent) / form.unit
                          : (double)(float)number;
}

void written_rotation(const pm_motion_channel *channel, size_t key, key_form form, double q[4]) {
    if (form.values) {
        memcpy(q, form.values[key], 4 * sizeof *q);
        return;
    }
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
    if (form.bits > 0) {
        evaluate_normalise(q);
        packed_rotation(form.bits, q);
    }
    round_rotation(q);
}

/* Rounding of a difference, of its largest number. */
static const double rounding = 1e-15;

bool lines_equal(const pm_motion_channel *channel, size_t key) {
    for (uint32_t i = 0; i < channel->components; i++)
        if (evaluate_number(&channel->keys, channel->components, key, i) !=
            evaluate_number(&channel->keys, channel->components, key + 1, i))
            return false;
    return true;
}

double lines_apart(const double *a, const double *b, uint32_t components, bool is_ratio) {
    double sum = 0, largest = 0, size = 0;
    for (uint32_t i = 0; i < components; i++) {
        const double d = fabs(b[i] - a[i]);
        sum += d * d;
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
        largest = d == 0 ? largest : fmax(largest, d / fabs(a[i]) + rounding);
    }
    return is_ratio ? largest : sum > 0 ? sqrt(sum) + rounding * size : 0;
}

static double number(const line_keys *l, size_t key, uint32_t component) {
    return evaluate_number(&l->channel->keys, l->channel->components, key, component);
}

/* A line between two keys as they are written. */
typedef struct line {
    const line_keys *of;
    size_t from, to;
    double begin, end;
} line;

/* At a time within it: of the source's key, or if that is none, of its curve. */
static bool holds_at(const line *c, double time, size_t key) {
    const line_keys *l = c->of;
    const double u = (time - c->begin) / (c->end - c->begin);
    double sum = 0;
    for (uint32_t i = 0; i < l->channel->components; i++) {
        const double a = written_number(l->channel, c->from, i, l->form);
        const double b = written_number(l->channel, c->to, i, l->form);
        const double straight = a + u * (b - a);
        const double source =
            key != SIZE_MAX ? number(l, key, i) : evaluate_linear(l->channel, l->timeline, time, i);
        const double d = fabs(straight - source) + rounding * (fabs(straight) + fabs(source));
        sum += d * d;
        if (l->is_ratio && d > l->limit * fabs(source))
            return false;
    }
    return l->is_ratio || sum <= l->limit * l->limit;
}

/* Where a number changes its sign, its ratio is not that of both ends. */
static bool keeps_sign(const line_keys *l, size_t key) {
    for (uint32_t i = 0; l->is_ratio && i < l->channel->components; i++)
        if (number(l, key, i) * number(l, key + 1, i) < 0)
            return false;
    return true;
}

/* Keys between equal ones: exact, and no sums. */
static bool equal_between(const line_keys *l, size_t from, size_t to) {
    for (size_t k = from; k < to; k++)
        if (!lines_equal(l->channel, k))
            return false;
    return true;
}

/* At both ends, and at all keys between. */
static bool holds_along(line_keys *l, const line *c) {
    if (l->worst > c->from && l->worst < c->to &&
        !holds_at(c, evaluate_key_time(l->timeline, l->worst), l->worst))
        return false;
    if (!holds_at(c, c->begin, SIZE_MAX) || !holds_at(c, c->end, SIZE_MAX))
        return false;
    for (size_t k = c->from; k < c->to; k++) {
        const double time = evaluate_key_time(l->timeline, k);
        if (keeps_sign(l, k) && (time <= c->begin || time >= c->end || holds_at(c, time, k)))
            continue;
        l->worst = k;
        return false;
    }
    return true;
}

bool lines_hold(line_keys *l, size_t from, size_t to) {
    const line c = {l, from, to, written_time(l->timeline, from), written_time(l->timeline, to)};
    if (!(c.end > c.begin))
        return false;
    if (to == from + 1)
        return true;
    return l->limit > 0 ? holds_along(l, &c) : equal_between(l, from, to);
}

bool lines_held(const line_keys *l) {
    const line c = {l, 0, 0, written_time(l->timeline, 0), (double)INFINITY};
    const size_t last = l->timeline->key_count - 1;
    bool held = holds_at(&c, c.begin, SIZE_MAX);
    for (size_t k = 0; held && k <= last; k++)
        held = holds_at(&c, c.begin, k) && (k == last || keeps_sign(l, k));
    return held;
}
