/* SPDX-License-Identifier: MIT
 *
 * Tests of one long arc against the source's arcs below it: first at the keys, where all is cheap, then
 * between them, where arc_bound mostly decides at once.
 */
#include "host/base/elementary.h"
#include "motion/reduce/channel.h"

#include <math.h>
#include <string.h>

#include "motion/model/evaluate.h"
#include "motion/reduce/segment.h"

enum { BLOCK = 64, LANES = 8 };

/* Below this angle, the weights of slerp are those of this one, within 2e-9 of their difference to a straight
 * line: 2e-13 of a quaternion. */
static const double least_angle = 1e-4;

/* ---- reading ------------------------------------------------------------------------------- */

bool turn_rows_make(turn_rows *rows, size_t count, motion_arena *arena) {
    for (int i = 0; i < 4; i++)
        rows->of[i] = motion_allocate(arena, count, sizeof *rows->of[i]);
    return rows->of[0] && rows->of[1] && rows->of[2] && rows->of[3];
}

void turn_rows_get(const turn_rows *rows, size_t key, double q[4]) {
    for (int i = 0; i < 4; i++)
        q[i] = rows->of[i][key];
}

static void put(const turn_rows *rows, size_t key, const double q[4], double sign) {
    for (int i = 0; i < 4; i++)
        rows->of[i][key] = sign * q[i];
}

static bool is_written_exactly(const pm_motion_channel *channel, const pm_timeline *timeline,
                               key_form form) {
    for (size_t k = 0; k < timeline->key_count; k++) {
        double source[4], written[4];
        evaluate_key(channel, k, source);
        written_rotation(channel, k, form, written);
        for (int i = 0; i < 4; i++)
            if (source[i] != written[i])
                return false;
        if (written_time(timeline, k) != evaluate_key_time(timeline, k))
            return false;
    }
    return true;
}

arc turns_arc(const turns *t, size_t key) {
    arc a = {.angle = t->angles[key],
             .begin = t->times[key],
             .seconds = t->times[key + 1] - t->times[key]};
    turn_rows_get(&t->source, key, a.from);
    turn_rows_get(&t->source, key + 1, a.to);
    return a;
}

arc turns_written_arc(const turns *t, size_t from, size_t to) {
    double a[4], b[4];
    turn_rows_get(&t->written, from, a);
    turn_rows_get(&t->written, to, b);
    return arc_between(a, b, t->written_times[from], t->written_times[to] - t->written_times[from]);
}

/* The interval of the source that a time lies in, found from a key near it. */
static size_t interval_at(const turns *t, double time, size_t near) {
    while (near + 2 < t->count && t->times[near + 1] <= time)
        near++;
    while (near > 0 && t->times[near] > time)
        near--;
    return near + 1 < t->count ? near : t->count - 2;
}

static void read_source(turns *t, const pm_motion_channel *channel, const pm_timeline *timeline) {
    double before[4], key[4], sign = 1;
    for (size_t k = 0; k < t->count; k++) {
        unit_rotation(channel, k, key);
        sign *= k > 0 ? arc_sign(before, key) : 1;
        put(&t->source, k, key, sign);
        t->times[k] = evaluate_key_time(timeline, k);
        for (int i = 0; i < 4; i++)
            before[i] = key[i];
    }
}

/* Before the first key and after the last one the source is constant. */
static void source_at(const turns *t, double time, size_t near, double q[4]) {
    const size_t last = t->count - 1;
    if (time <= t->times[0] || time >= t->times[last]) {
        turn_rows_get(&t->source, time <= t->times[0] ? 0 : last, q);
        return;
    }
    const arc a = turns_arc(t, interval_at(t, time, near));
    arc_value(&a, time, q);
}

/* Along an arc whose ends have one sign of w, the vector is not longer than at its ends. */
static double slack_of(const turns *t, double off) {
    double largest = 0;
    for (size_t k = 0; k < t->count; k++) {
        const double w = t->written.of[3][k];
        largest = w * t->written.of[3][0] > 0 ? fmax(largest, sqrt(fmax(1 - w * w, 0))) : 1;
        if (largest == 1)
            break;
    }
    return length_slack(off, largest);
}

static void read_written(turns *t, const pm_motion_channel *channel, const pm_timeline *timeline,
                         key_form form) {
    double off = 0;
    for (size_t k = 0; k < t->count; k++) {
        double key[4], source[4];
        written_rotation(channel, k, form, key);
        off = fmax(
            off,
            fabs(sqrt(key[0] * key[0] + key[1] * key[1] + key[2] * key[2] + key[3] * key[3]) - 1));
        evaluate_normalise(key);
        turn_rows_get(&t->source, k, source);
        put(&t->written, k, key, arc_sign(source, key));
        t->written_times[k] = written_time(timeline, k);
        source_at(t, t->written_times[k], k, source);
        turn_rows_get(&t->written, k, key);
        t->rounded[k] = arc_apart(source, key, 1);
    }
    t->slack = form.bits > 0 ? slack_of(t, off) : 0;
}

static void measure(turns *t) {
    for (size_t k = 0; k + 1 < t->count; k++) {
        double from[4], to[4];
        turn_rows_get(&t->source, k, from);
        turn_rows_get(&t->source, k + 1, to);
        const arc a = arc_between(from, to, t->times[k], t->times[k + 1] - t->times[k]);
        t->angles[k] = a.angle;
        t->fastest[k / BLOCK] = fmax(t->fastest[k / BLOCK], a.angle);
        t->longest = fmax(t->longest, a.seconds);
    }
}

void turns_limit(turns *t, double radians, const double *each) {
    double before = 0;
    t->sieve->is_begun = false;
    for (size_t k = 0; k < t->count; k++) {
        const double limit = each ? fmin(radians, each[k]) : radians;
        t->limits[k] = k > 0 && limit == before ? t->limits[k - 1]
                                                : arc_apart_of(fmax(limit - t->slack, limit / 16));
        before = limit;
        t->parts[k] = 1 / fmin(t->limits[k], t->limits[k > 0 ? k - 1 : 0]);
        t->chords[k] = sqrt(2 / t->parts[k]);
    }
}

static bool set_limits(turns *t, double radians, const double *each, motion_arena *arena) {
    t->limits = motion_allocate(arena, t->count, sizeof *t->limits);
    t->parts = motion_allocate(arena, t->count, sizeof *t->parts);
    t->chords = motion_allocate(arena, t->count, sizeof *t->chords);
    t->sieve = motion_allocate(arena, 1, sizeof *t->sieve);
    if (!t->limits || !t->parts || !t->chords || !t->sieve)
        return false;
    turns_limit(t, radians, each);
    return true;
}

bool turns_read(turns *t, const pm_motion_channel *channel, const pm_timeline *timeline,
                double radians, const double *each, key_form form, motion_arena *arena) {
    const size_t count = timeline->key_count;
    *t = (turns){.count = count};
    t->times = motion_allocate(arena, count, sizeof *t->times);
    t->fastest = motion_allocate(arena, count / BLOCK + 1, sizeof *t->fastest);
    t->angles = motion_allocate(arena, count, sizeof *t->angles);
    if (!t->times || !t->fastest || !t->angles || !turn_rows_make(&t->source, count, arena))
        return false;
    read_source(t, channel, timeline);
    measure(t);
    t->is_exact = is_written_exactly(channel, timeline, form);
    t->written_times = t->times;
    t->written = t->source;
    if (t->is_exact)
        return set_limits(t, radians, each, arena);
    t->written_times = motion_allocate(arena, count, sizeof *t->written_times);
    t->rounded = motion_allocate(arena, count, sizeof *t->rounded);
    if (!t->written_times || !t->rounded || !turn_rows_make(&t->written, count, arena))
        return false;
    read_written(t, channel, timeline, form);
    return set_limits(t, radians, each, arena);
}

bool turns_pack_well(const turns *t, double part) {
    const double least_dot = 1e-3;
    double before[4], key[4];
    for (size_t k = 0; !t->is_exact && k < t->count; k++) {
        if (t->rounded[k] * t->parts[k] > part * part ||
            t->slack > part * arc_radians(t->limits[k]))
            return false;
        turn_rows_get(&t->written, k, key);
        if (k > 0 && fabs(before[0] * key[0] + before[1] * key[1] + before[2] * key[2] +
                          before[3] * key[3]) < least_dot)
            return false;
        memcpy(before, key, sizeof before);
    }
    return true;
}

/* ---- at the keys --------------------------------------------------------------------------- */

/* A candidate, and what the loop over keys takes. */
typedef struct candidate {
    arc arc;
    double angle, scale; /* of the weights */
    size_t begin, end;   /* the source's keys within it */
} candidate;

/* How far the source's key is from the candidate, as a part of its limit. */
static double apart_at(const turns *t, const candidate *c, size_t key) {
    const double u = (t->times[key] - c->arc.begin) / c->arc.seconds;
    const double from = short_sine((1 - u) * c->angle) * c->scale;
    const double to = short_sine(u * c->angle) * c->scale;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        const double d = from * c->arc.from[i] + to * c->arc.to[i] - t->source.of[i][key];
        sum += d * d;
    }
    return sum / 2 * t->parts[key];
}

/* The same for neighbours, for the compiler to compute side by side. */
static double apart_at_lanes(const turns *t, const candidate *c, size_t key) {
    double sum[LANES] = {0}, from[LANES], to[LANES], largest = 0;
    const double *times = t->times + key;
    for (int l = 0; l < LANES; l++) {
        const double u = (times[l] - c->arc.begin) / c->arc.seconds;
        from[l] = short_sine((1 - u) * c->angle) * c->scale;
        to[l] = short_sine(u * c->angle) * c->scale;
    }
    for (int i = 0; i < 4; i++) {
        const double *source = t->source.of[i] + key, a = c->arc.from[i], b = c->arc.to[i];
        for (int l = 0; l < LANES; l++) {
            const double d = from[l] * a + to[l] * b - source[l];
            sum[l] += d * d;
        }
    }
    for (int l = 0; l < LANES; l++)
        largest = sum[l] * t->parts[key + (size_t)l] > largest ? sum[l] * t->parts[key + (size_t)l]
                                                               : largest;
    return largest / 2;
}

/* Keys that mostly fail come first. */
static bool passes_quickly(turns *t, const candidate *c) {
    const size_t count = c->end - c->begin;
    if (t->worst >= c->begin && t->worst < c->end && apart_at(t, c, t->worst) > 1)
        return false;
    for (size_t part = 1; part < 4 && count >= 4; part++) {
        const size_t key = c->begin + count * part / 4;
        if (apart_at(t, c, key) > 1) {
            t->worst = key;
            return false;
        }
    }
    return true;
}

/* The largest part of the limit at the keys; more than 1 as soon as one is. */
static double apart_at_keys(turns *t, const candidate *c) {
    double largest = 0;
    size_t key = c->begin;
    for (; key + LANES <= c->end && largest <= 1; key += LANES) {
        largest = fmax(largest, apart_at_lanes(t, c, key));
        t->worst = largest > 1 ? key + LANES / 2 : t->worst;
    }
    for (; key < c->end && largest <= 1; key++) {
        largest = fmax(largest, apart_at(t, c, key));
        t->worst = largest > 1 ? key : t->worst;
    }
    return largest;
}

/* ---- what keys demand of a velocity -------------------------------------------------------- */

/* Beyond this sine of an angle, keys demand nothing. */
static const double sieve_sine = 0.95;

/* The part of the bound, squared, that keys may take here: the rest is for what lies between them. */
static const double sieve_part = 0.97;

/* The arc from the start to a quaternion, as a rotation vector in the frame of the start; returns the sine of its
 * angle, or 1 for what is beyond `sieve_sine`. */
static double arc_vector(const turns *t, size_t from, const turn_rows *rows, size_t key,
                         double v[3]) {
    double a[4], b[4];
    turn_rows_get(&t->written, from, a);
    turn_rows_get(rows, key, b);
    v[0] = a[3] * b[0] - a[0] * b[3] - a[1] * b[2] + a[2] * b[1];
    v[1] = a[3] * b[1] - a[1] * b[3] - a[2] * b[0] + a[0] * b[2];
    v[2] = a[3] * b[2] - a[2] * b[3] - a[0] * b[1] + a[1] * b[0];
    const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (size > sieve_sine || a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0)
        return 1;
    const double scale = size > 0 ? arcsine(size) / size : 1;
    for (int i = 0; i < 3; i++)
        v[i] *= scale;
    return size;
}

/* Adds the next key; false: it demands nothing that is known here. */
static bool demand(const turns *t) {
    turn_sieve *s = t->sieve;
    const size_t key = s->next, at = key - s->from - 1;
    double v[3];
    const double seconds = t->times[key] - t->written_times[s->from], chord = t->chords[key];
    if (at >= SIEVE_KEYS || !(seconds > 0))
        return false;
    /* The sine of the angle and of a chord's is at most this. */
    const double size = arc_vector(t, s->from, &t->source, key, v) + 1.1 * chord;
    if (!(size < sieve_sine))
        return false;
    s->stretch = fmax(s->stretch, size > 0 ? 1.01 * arcsine(size) / size : 1);
    s->seconds[at] = seconds;
    s->parts[at] = t->parts[key] / 2;
    for (int i = 0; i < 3; i++) {
        const double velocity = v[i] / seconds, far = 1.1 * s->stretch * chord / seconds;
        s->vectors[i][at] = v[i];
        s->outer[0][i] = velocity - far > s->outer[0][i] ? velocity - far : s->outer[0][i];
        s->outer[1][i] = velocity + far < s->outer[1][i] ? velocity + far : s->outer[1][i];
        s->is_over = s->is_over || s->outer[0][i] > s->outer[1][i];
    }
    s->next++;
    return true;
}

static void begin_sieve(turn_sieve *s, size_t from) {
    s->from = from;
    s->next = from + 1;
    s->is_begun = true;
    s->is_over = false;
    s->stretch = 1;
    for (int i = 0; i < 3; i++) {
        s->outer[0][i] = -(double)INFINITY;
        s->outer[1][i] = (double)INFINITY;
    }
}

/* The largest square of a distance to the first keys, as a part of the bound's, in the frame of the start. */
static double farthest(const turn_sieve *s, const double velocity[3], size_t keys) {
    double most = 0;
    for (size_t k = 0; k < keys; k++) {
        const double x = velocity[0] * s->seconds[k] - s->vectors[0][k];
        const double y = velocity[1] * s->seconds[k] - s->vectors[1][k];
        const double z = velocity[2] * s->seconds[k] - s->vectors[2][k];
        const double part = (x * x + y * y + z * z) * s->parts[k];
        most = part > most ? part : most;
    }
    return most;
}

typedef enum answer { NO, YES, UNKNOWN } answer;

/* Whether an arc is within the bound of all keys between its ends. Chords on the sphere are not longer than in the
 * frame of the start, and by its stretch not much shorter. Sets the angle of the arc. */
static answer sieve(const turns *t, size_t from, size_t to, double *angle) {
    turn_sieve *s = t->sieve;
    double v[3];
    bool is_known = true;
    if (!s->is_begun || s->from != from || s->next > to)
        begin_sieve(s, from);
    while (s->next < to && !s->is_over && is_known)
        is_known = demand(t);
    if (s->is_over)
        return NO;
    const double seconds = t->written_times[to] - t->written_times[from];
    const double size = arc_vector(t, from, &t->written, to, v);
    if (size == 1 || !(seconds > 0))
        return UNKNOWN;
    *angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) {
        v[i] /= seconds;
        if (v[i] < s->outer[0][i] || v[i] > s->outer[1][i])
            return NO;
    }
    const double most = farthest(s, v, s->next - from - 1);
    const double stretch = fmax(s->stretch, size > 0 ? 1.01 * *angle / size : 1);
    if (most > stretch * stretch)
        return NO;
    return is_known && most <= sieve_part ? YES : UNKNOWN;
}

bool turns_are_over(const turns *t, size_t from) {
    return t->sieve->is_begun && t->sieve->from == from && t->sieve->is_over;
}

/* ---- between them -------------------------------------------------------------------------- */

/* The largest bound of an interval whose ends are `apart`, by the fastest of the source. */
static double bound_between(const turns *t, size_t from, size_t to, double angle, double apart) {
    const double seconds = t->written_times[to] - t->written_times[from];
    double a = 0;
    for (size_t block = (from > 0 ? from - 1 : 0) / BLOCK; block <= (to + 1) / BLOCK; block++)
        a = fmax(a, t->fastest[block]);
    const double b = angle * fmin(t->longest / seconds, 1);
    const double curve = (a * a + b * b) / 8;
    return curve < 0.9 ? apart / (1 - curve) : (double)INFINITY;
}

/* An interval of the source, or the part of it that lies in the candidate. Its ends are `apart`. */
static bool interval_holds(const turns *t, const candidate *c, size_t key, double begin, double end,
                           double apart) {
    const double b = c->arc.angle * (end - begin) / c->arc.seconds, a = t->angles[key];
    if (apart / (1 - (a * a + b * b) / 8) <= 1 - 1e-9) /* a and b are at most pi / 2 */
        return true;
    const segment source = {SEGMENT_ARC, .arc = turns_arc(t, key)};
    const segment kept = {SEGMENT_ARC, .arc = c->arc};
    return segments_hold(&source, &kept, begin, end, t->limits[key]);
}

/* Each interval by itself: those of the source, cut at both ends of the candidate. What lies before
 * the first key or after the last one, where only rounded times are, is left to the certificate. */
static bool holds_between(const turns *t, const candidate *c, double apart_at_begin,
                          double apart_at_end) {
    const double end = fmin(c->arc.begin + c->arc.seconds, t->times[t->count - 1]);
    double at = fmax(c->arc.begin, t->times[0]), apart = apart_at_begin;
    for (size_t k = interval_at(t, at, c->begin > 0 ? c->begin - 1 : 0); at < end; k++) {
        const bool is_last = k + 2 >= t->count || t->times[k + 1] >= end;
        const double next = is_last ? end : t->times[k + 1];
        const double apart_next = is_last ? apart_at_end : apart_at(t, c, k + 1);
        if (next > at && !interval_holds(t, c, k, at, next, fmax(apart, apart_next)))
            return false;
        at = next;
        apart = apart_next;
    }
    return true;
}

/* The arc between two written keys; arc_between for the many arcs that are tested. */
static void set_arc(candidate *c, double chord2) {
    const double half = sqrt(chord2) / 2;
    c->arc.angle = 2 * arcsine(half);
    c->angle = fmax(c->arc.angle, least_angle);
    c->scale = c->arc.angle > least_angle ? 1 / (2 * half * sqrt(1 - half * half))
                                          : 1 / short_sine(least_angle);
}

static bool make_candidate(const turns *t, size_t from, size_t to, candidate *c) {
    double dot = 0, chord2 = 0;
    c->arc.begin = t->written_times[from];
    c->arc.seconds = t->written_times[to] - t->written_times[from];
    for (int i = 0; i < 4; i++) {
        const double a = t->written.of[i][from], b = t->written.of[i][to];
        c->arc.from[i] = a;
        c->arc.to[i] = b;
        dot += a * b;
        chord2 += (b - a) * (b - a);
    }
    if (!(c->arc.seconds > 0) || dot < TURNS_LEAST_DOT)
        return false;
    set_arc(c, chord2);
    c->begin = from;
    while (c->begin < t->count && t->times[c->begin] <= t->written_times[from])
        c->begin++;
    c->end = to + 1 < t->count ? to + 1 : t->count;
    while (c->end > c->begin && t->times[c->end - 1] >= t->written_times[to])
        c->end--;
    return true;
}

bool turns_hold(turns *t, size_t from, size_t to) {
    if (reduce_is_cancelled(t->cancel))
        return true;
    candidate c;
    double angle;
    if (to == from + 1)
        return t->written_times[to] > t->written_times[from];
    const double at_begin = t->is_exact ? 0 : t->rounded[from] * t->parts[from];
    const double at_end = t->is_exact ? 0 : t->rounded[to] * t->parts[to];
    double apart = fmax(at_begin, at_end);
    if (apart > 1)
        return false;
    const answer known = sieve(t, from, to, &angle);
    if (known == NO)
        return false;
    if (known == YES && bound_between(t, from, to, angle, fmax(apart, sieve_part)) <= 1 - 1e-9)
        return true;
    if (!make_candidate(t, from, to, &c) || !passes_quickly(t, &c))
        return false;
    apart = fmax(apart, apart_at_keys(t, &c));
    if (apart > 1)
        return false;
    return bound_between(t, from, to, c.arc.angle, apart) <= 1 - 1e-9 ||
           holds_between(t, &c, at_begin, at_end);
}
