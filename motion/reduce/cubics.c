/* SPDX-License-Identifier: MIT
 *
 * Each cubic is as long as it can be: its end is found by doubling and halving, then a few keys farther
 * on. Tangents are those of least squares, whose weights then grow where the error is largest: the
 * largest error is what counts.
 */
#include "host/base/elementary.h"
#include "motion/reduce/channel.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 6, FARTHER = 8 };

/* After these searches, cubics of the one before are kept where bounds allow it: that takes a few keys more and far
 * fewer searches. */
enum { FREE_SEARCHES = 3 };

/* The part of the bound that samples may take: what lies between them takes the rest. */
static const double sampled_part = 0.98;

/* An error above this part of the bound is not mended by weights. */
static const double hopeless = 2.5;

/* The weight of tangents that have the source's velocity at their ends, against 1 of a sample: it decides where
 * samples are few. */
static const double usual_weight = 1e-3;

/* The same where a cubic leaves as the one before arrives: what swings too far at one key would at the
 * next. */
static const double smooth_weight = 0.18;

/* The source at a place of a cubic, and what the cubic is there. */
typedef struct sample {
    double q[4];
    double ends[4]; /* what the values at both ends give */
    double h[2];    /* the weights of both tangents */
    double part;    /* what its error is multiplied by */
} sample;

typedef struct search {
    const turns *source;
    turn_rows values;  /* of keys, as they are written, with the signs of the source */
    turn_rows middles; /* quaternions between the keys */
    sample *samples;   /* of the cubic that is fitted */
    double *weights;   /* of them */
    double *errors;    /* squares of tangents of angles, as parts of those of the bound */
    double *parts;     /* of each interval: 1 / the square of the tangent of the bound */
    bool is_smooth;
    bool leaves_free;        /* the last cubic begins with a velocity of its own */
    const double *leaving;   /* the velocity with which the next cubic begins. NULL: any */
    const cubic_fit *before; /* what larger bounds allowed */
    size_t place;            /* of the key there that is not before the last one */
    bool is_looped;          /* smooth across the seam */
    const double *arriving;  /* the velocity with which the last cubic then ends. NULL: any */
    double arrival[4];
} search;

/* A cubic between two keys. */
typedef struct fitted {
    double out[4], in[4]; /* as they are written */
    bool holds;
} fitted;

/* ---- reading ------------------------------------------------------------------------------- */

static void read_keys(const search *s, const pm_motion_channel *channel) {
    for (size_t k = 0; k < s->source->count; k++) {
        double source[4], written[4];
        turn_rows_get(&s->source->source, k, source);
        written_rotation(channel, k, (key_form){0}, written);
        const double sign = arc_sign(source, written);
        for (int i = 0; i < 4; i++)
            s->values.of[i][k] = sign * written[i];
    }
    for (size_t k = 0; k + 1 < s->source->count; k++) {
        const arc a = turns_arc(s->source, k);
        double q[4];
        arc_value(&a, a.begin + a.seconds / 2, q);
        for (int i = 0; i < 4; i++)
            s->middles.of[i][k] = q[i];
    }
}

/* A bound of a right angle and more allows all that is found before the certificate. */
static bool set_parts(search *s, motion_arena *arena) {
    s->parts = motion_allocate(arena, s->source->count, sizeof *s->parts);
    for (size_t k = 0; s->parts && k < s->source->count; k++) {
        const double limit = s->source->limits[k], cosine = 1 - limit;
        s->parts[k] = cosine > 0 ? cosine * cosine / (limit * (1 + cosine)) : 0;
    }
    return s->parts != NULL;
}

static bool allocate(search *s, motion_arena *arena) {
    const size_t count = s->source->count;
    s->samples = motion_allocate(arena, 2 * count, sizeof *s->samples);
    s->weights = motion_allocate(arena, 2 * count, sizeof *s->weights);
    s->errors = motion_allocate(arena, 2 * count, sizeof *s->errors);
    return s->samples && s->weights && s->errors && set_parts(s, arena) &&
           turn_rows_make(&s->values, count, arena) && turn_rows_make(&s->middles, count, arena);
}

/* ---- fitting ------------------------------------------------------------------------------- */

/* Samples of the source from key `from` to key `to`: keys, and the middles between them. */
typedef struct samples {
    const search *s;
    size_t from, to, count;
    double begin, seconds;
    double value_from[4], value_to[4];
} samples;

static samples samples_of(const search *s, size_t from, size_t to) {
    const double *times = s->source->written_times;
    samples a = {.s = s, .from = from, .to = to, .count = 2 * (to - from) - 1};
    a.begin = times[from];
    a.seconds = times[to] - times[from];
    turn_rows_get(&s->values, from, a.value_from);
    turn_rows_get(&s->values, to, a.value_to);
    return a;
}

/* What the error of a sample is multiplied by: a key takes the smaller bound of its intervals. */
static double part_of(const samples *a, size_t n) {
    const size_t key = a->from + (n + 1) / 2;
    const double *parts = a->s->parts;
    return n % 2 == 0 ? parts[key] : larger(parts[key - 1], parts[key]);
}

/* The samples between both ends, with the weights of cubics as Hermite has them. */
static void read_samples(const samples *a) {
    const turns *t = a->s->source;
    for (size_t n = 0; n < a->count; n++) {
        sample *to = &a->s->samples[n];
        const size_t key = a->from + (n + 1) / 2;
        double time = t->times[key];
        if (n % 2 == 0) {
            time += (t->times[key + 1] - time) / 2;
            turn_rows_get(&a->s->middles, key, to->q);
        } else {
            turn_rows_get(&t->source, key, to->q);
        }
        const double u = (time - a->begin) / a->seconds, v = 1 - u;
        const double first = v * v * (1 + 2 * u), last = u * u * (1 + 2 * v);
        for (int i = 0; i < 4; i++)
            to->ends[i] = first * a->value_from[i] + last * a->value_to[i];
        to->h[0] = u * v * v;
        to->h[1] = -u * u * v;
        to->part = part_of(a, n);
    }
}

/* The source's velocity at the first or the last moment of the interval after a key, times the seconds. */
static void usual_tangent(const samples *a, size_t key, bool is_last, double tangent[4]) {
    const arc of = turns_arc(a->s->source, key);
    const double sine = pm_same_sin(of.angle), cosine = pm_same_cos(of.angle);
    const double scale = (of.angle > 0 ? of.angle / sine : 1) * a->seconds / of.seconds;
    const double here = is_last ? -1 : -cosine, there = is_last ? cosine : 1;
    for (int i = 0; i < 4; i++)
        tangent[i] = (here * of.from[i] + there * of.to[i]) * scale;
}

/* Both tangents, times the seconds, by weighted least squares. */
static void solve(const samples *a, const double usual[2][4], double tangents[2][4]) {
    const double own = a->s->is_smooth ? smooth_weight : usual_weight;
    double s00 = own, s01 = 0, s11 = own, r[2][4];
    for (int i = 0; i < 4; i++) {
        r[0][i] = own * usual[0][i];
        r[1][i] = own * usual[1][i];
    }
    for (size_t n = 0; n < a->count; n++) {
        const sample *at = &a->s->samples[n];
        const double w = a->s->weights[n], w1 = w * at->h[0], w2 = w * at->h[1];
        s00 += w1 * at->h[0];
        s01 += w1 * at->h[1];
        s11 += w2 * at->h[1];
        for (int i = 0; i < 4; i++) {
            const double rest = at->q[i] - at->ends[i];
            r[0][i] += w1 * rest;
            r[1][i] += w2 * rest;
        }
    }
    const double *leaving = a->s->leaving;
    const double *arriving = a->to + 1 == a->s->source->count ? a->s->arriving : NULL;
    for (int i = 0; i < 4; i++) {
        const double end = arriving ? arriving[i] * a->seconds : 0;
        tangents[0][i] = leaving    ? leaving[i] * a->seconds
                         : arriving ? (r[0][i] - s01 * end) / s00
                                    : (s11 * r[0][i] - s01 * r[1][i]) / (s00 * s11 - s01 * s01);
        tangents[1][i] = arriving ? end : (r[1][i] - s01 * tangents[0][i]) / s11;
    }
}

/* Computes the errors of the samples, and returns the largest one; one that is above `hopeless` ends it. */
static double measure(const samples *a, const double tangents[2][4]) {
    double most = 0;
    for (size_t n = 0; n < a->count && most <= hopeless * hopeless; n++) {
        const sample *at = &a->s->samples[n];
        double along = 0, size = 0;
        for (int i = 0; i < 4; i++) {
            const double p = at->ends[i] + at->h[0] * tangents[0][i] + at->h[1] * tangents[1][i];
            along += p * at->q[i];
            size += p * p;
        }
        const double error = along > 0 ? larger(size / (along * along) - 1, 0) * at->part : DBL_MAX;
        a->s->errors[n] = error;
        most = larger(most, error);
    }
    return most;
}

static void weigh(const samples *a, double most) {
    double largest = 0;
    for (size_t n = 0; n < a->count; n++) {
        const double part = sqrt(a->s->errors[n] / most) + 0.05;
        a->s->weights[n] *= part * part;
        largest = larger(largest, a->s->weights[n]);
    }
    for (size_t n = 0; n < a->count; n++)
        a->s->weights[n] /= largest;
}

/* Whether the tangents as they are written keep the bound in all intervals of the source. */
static bool holds_throughout(const samples *a, const fitted *f) {
    const turns *t = a->s->source;
    const double end = t->written_times[a->to];
    const segment c = {SEGMENT_CUBIC,
                       .cubic = cubic_between(a->value_from, f->out, f->in, a->value_to, a->begin,
                                              end - a->begin)};
    const size_t first = a->from > 0 ? a->from - 1 : 0;
    for (size_t k = first; k <= a->to && k + 1 < t->count; k++) {
        const double from = fmax(t->times[k], a->begin), to = fmin(t->times[k + 1], end);
        const segment source = {SEGMENT_ARC, .arc = turns_arc(t, k)};
        if (from < to && !segments_hold(&source, &c, from, to, t->limits[k]))
            return false;
    }
    return true;
}

/* The velocity of a loop at its first key is the mean of both sides, too. */
static void blend_seam(const samples *a, double tangent[4]) {
    const turns *t = a->s->source;
    double last[4], first[4], end[4];
    turn_rows_get(&t->source, t->count - 1, last);
    turn_rows_get(&t->source, 0, first);
    usual_tangent(a, t->count - 2, true, end);
    const double sign = arc_sign(last, first);
    for (int i = 0; i < 4; i++)
        tangent[i] = (tangent[i] + sign * end[i]) / 2;
}

static fitted fit(const search *s, size_t from, size_t to) {
    const samples a = samples_of(s, from, to);
    double usual[2][4], tangents[2][4];
    fitted f = {.holds = false};
    f.holds = reduce_is_cancelled(s->source->cancel);
    if (!(a.seconds > 0) || f.holds)
        return f;
    usual_tangent(&a, from, false, usual[0]);
    usual_tangent(&a, to - 1, true, usual[1]);
    if (s->is_smooth && to + 1 < s->source->count) {
        double next[4];
        usual_tangent(&a, to, false, next);
        for (int i = 0; i < 4; i++)
            usual[1][i] = (usual[1][i] + next[i]) / 2;
    }
    if (s->is_looped && from == 0)
        blend_seam(&a, usual[0]);
    read_samples(&a);
    for (size_t n = 0; n < a.count; n++)
        s->weights[n] = 1;
    for (int round = 0; round <= ROUNDS; round++) {
        solve(&a, (const double(*)[4])usual, tangents);
        const double most = measure(&a, (const double(*)[4])tangents);
        f.holds = most <= sampled_part;
        if (f.holds || most > hopeless * hopeless || round == ROUNDS)
            break;
        weigh(&a, most);
    }
    for (int i = 0; i < 4; i++) {
        f.out[i] = (double)(float)(tangents[0][i] / a.seconds);
        f.in[i] = (double)(float)(tangents[1][i] / a.seconds);
    }
    f.holds = f.holds && holds_throughout(&a, &f);
    return f;
}

/* ---- searching ----------------------------------------------------------------------------- */

/* The end of the longest cubic that was found from a key on; the key itself: there is none. */
static size_t find_end(const search *s, size_t from, fitted *best) {
    const size_t last = s->source->count - 1;
    size_t good = from, bad = last + 1, step = 1;
    while (good < last && bad > last) {
        const size_t to = good + step < last ? good + step : last;
        const fitted f = fit(s, from, to);
        if (f.holds) {
            *best = f;
            good = to;
            step *= 2;
        } else {
            bad = to;
        }
    }
    while (bad <= last && bad - good > 1) {
        const size_t middle = good + (bad - good) / 2;
        const fitted f = fit(s, from, middle);
        if (f.holds)
            *best = f;
        *(f.holds ? &good : &bad) = middle;
    }
    for (size_t to = good + 2, tried = 0; to <= last && tried < FARTHER; to++, tried++) {
        const fitted f = fit(s, from, to);
        if (f.holds) {
            *best = f;
            good = to;
        }
    }
    return good;
}

/* A smooth curve may arrive at a key in a way in which no cubic goes on. Then the last one ends earlier: at
 * the last of a few keys from which there is a next one. False: there is none. */
static bool shorten(search *s, const cubic_fit *c) {
    enum { EARLIER = 64 };
    if (!s->is_smooth || c->count < 2)
        return false;
    cubic_key *first = &c->written[c->count - 2], *last = first + 1;
    const size_t from = c->keys[c->count - 2], to = c->keys[c->count - 1];
    const double *fixed = s->leaves_free ? NULL : first->out;
    fitted next;
    for (size_t end = to - 1, tried = 0; end > from && tried < EARLIER; end--, tried++) {
        s->leaving = fixed;
        const fitted f = fit(s, from, end);
        s->leaving = f.in;
        if (!f.holds || find_end(s, end, &next) == end)
            continue;
        c->keys[c->count - 1] = end;
        memcpy(first->out, f.out, sizeof f.out);
        memcpy(last->in, f.in, sizeof f.in);
        return true;
    }
    return false;
}

/* The cubic from a key on that larger bounds allowed, and these allow, too: then no longer one is searched. Returns its
 * end; the key itself: there is none. */
static size_t find_before(search *s, size_t from, fitted *f) {
    const cubic_fit *b = s->before;
    while (b && s->place + 1 < b->count && b->keys[s->place] < from)
        s->place++;
    if (!b || s->is_smooth || s->place + 1 >= b->count || b->keys[s->place] != from)
        return from;
    const samples a = samples_of(s, from, b->keys[s->place + 1]);
    memcpy(f->out, b->written[s->place].out, sizeof f->out);
    memcpy(f->in, b->written[s->place + 1].in, sizeof f->in);
    f->holds = holds_throughout(&a, f);
    return f->holds ? a.to : from;
}

/* Ends a cubic a few keys earlier, where one that larger bounds allowed begins: what follows then stays. Returns the
 * end. */
static size_t meet_before(search *s, size_t from, size_t to, fitted *f) {
    const cubic_fit *b = s->before;
    size_t at = s->place;
    if (!b || s->is_smooth || to == from || b->searches < FREE_SEARCHES)
        return to;
    while (at + 1 < b->count && b->keys[at + 1] <= to)
        at++;
    if (b->keys[at] <= from || b->keys[at] == to)
        return to;
    const fitted shorter = fit(s, from, b->keys[at]);
    if (!shorter.holds)
        return to;
    *f = shorter;
    return b->keys[at];
}

/* The next cubic, with the velocity of the one before if there is one; otherwise it makes a corner. */
static size_t find_next(search *s, cubic_fit *c, fitted *f) {
    const size_t from = c->keys[c->count - 1];
    const bool goes_on = s->is_smooth && c->count > 1;
    s->leaving = goes_on ? c->written[c->count - 1].in : NULL;
    size_t to = find_before(s, from, f);
    to = to > from ? to : meet_before(s, from, find_end(s, from, f), f);
    if (to > from || !s->is_smooth) {
        s->leaves_free = !goes_on;
        return to;
    }
    if (shorten(s, c))
        return from;
    if (s->arriving) { /* a corner at the seam? */
        s->arriving = NULL;
        s->leaving = goes_on ? c->written[c->count - 1].in : NULL;
        to = find_end(s, from, f);
        s->leaves_free = !goes_on;
        c->corners += to > from;
        if (to > from)
            return to;
        s->arriving = s->arrival;
    }
    s->leaving = NULL;
    s->is_smooth = false;
    to = find_end(s, from, f);
    s->is_smooth = s->leaves_free = true;
    c->corners += goes_on;
    return to;
}

/* The first cubic leaves with a velocity that the last one arrives with; the sign of the last key may be another. */
static void set_arrival(search *s, const double out[4]) {
    double first[4], last[4];
    turn_rows_get(&s->values, 0, first);
    turn_rows_get(&s->values, s->source->count - 1, last);
    const double sign = arc_sign(first, last);
    for (int i = 0; i < 4; i++)
        s->arrival[i] = sign * out[i];
    s->arriving = s->arrival;
}

static path_end search_all(search *s, cubic_fit *c) {
    const size_t last = s->source->count - 1;
    fitted f;
    c->count = 1;
    c->keys[0] = 0;
    memset(c->written[0].in, 0, sizeof c->written[0].in);
    while (c->keys[c->count - 1] < last) {
        const size_t before = c->keys[c->count - 1], to = find_next(s, c, &f);
        if (c->keys[c->count - 1] != before)
            continue;
        if (to == before)
            return PATH_NONE;
        memcpy(c->written[c->count - 1].out, f.out, sizeof f.out);
        memcpy(c->written[c->count].in, f.in, sizeof f.in);
        c->keys[c->count++] = to;
        if (s->is_looped && c->count == 2)
            set_arrival(s, f.out);
    }
    memset(c->written[c->count - 1].out, 0, sizeof c->written[0].out);
    for (size_t k = 0; k < c->count; k++)
        turn_rows_get(&s->values, c->keys[k], c->written[k].value);
    return PATH_FOUND;
}

path_end cubics_find(const turns *source, const pm_motion_channel *channel, bool is_smooth,
                     bool is_looped, const cubic_fit *before, cubic_fit *found) {
    motion_arena arena = {NULL};
    search s = {.source = source, .is_smooth = is_smooth, .is_looped = is_looped, .before = before};
    *found = (cubic_fit){.keys = malloc(source->count * sizeof *found->keys),
                         .written = malloc(source->count * sizeof *found->written)};
    path_end end = PATH_NO_MEMORY;
    if (found->keys && found->written && allocate(&s, &arena)) {
        read_keys(&s, channel);
        end = search_all(&s, found);
    }
    motion_arena_release(&arena);
    if (end != PATH_FOUND) {
        free(found->keys);
        free(found->written);
        *found = (cubic_fit){.keys = NULL};
    }
    return end;
}
