/* SPDX-License-Identifier: MIT
 *
 * Rounds of removal. Without a key the curve changes in its segment and in one more on either side, where the
 * method is local: so keys that are four apart are tried independently of each other. Otherwise it changes
 * everywhere, less and less; then keys are put back until all of the curve is verified.
 */
#include "motion/reduce/channel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/reduce/segment.h"

enum { SPACING = 4, TRIALS_MAX = 8 };

/* Parts of the bound, in angle, one after another. More of them took more time and left as many keys. */
static const double parts[] = {0.5, 1};

/* The bound is verified again in the end, where other sums round otherwise. */
static const double within = 1 - 1e-9;

typedef enum verdict { HOLDS = 0, EXCEEDS_PART, EXCEEDS } verdict;

/* A key that is tried, by its place among those that remain. */
typedef struct candidate {
    size_t place, segment; /* of the trial, in which it lies */
    bool is_back;
} candidate;

typedef struct removal {
    const removal_problem *problem;
    size_t key_count;
    bool is_local, is_first;
    double part;
    size_t *keys, count; /* that remain */
    bool *is_tried;      /* of each key, with this part of the bound */
    bool *exceeds;       /* by rotation and interval of the source: with all keys */
    candidate *candidates;
    size_t candidate_count;
    size_t *trial, trial_count; /* the keys without the candidates */
    bool *is_near;              /* of each segment of the trial: a candidate changes it */
    unsigned char *verdicts;
    double *times, (*values)[4]; /* of the trial's keys */
    float (*samples)[4];         /* of its curve at the times of the source */
    motion_arena arena;
} removal;

/* ---- a curve against its source ------------------------------------------------------------ */

typedef struct comparison {
    removal *r;
    const turns *t;
    bool *exceeds;
    method_curve curve;
} comparison;

/* A time with both quaternions. */
typedef struct place {
    double time, chord, sign;
} place;

static segment segment_at(comparison *c, size_t index) {
    return (segment){SEGMENT_CURVE, .curve = {&c->curve, index}};
}

static place place_at(comparison *c, double time, size_t key, size_t index) {
    const turns *t = c->t;
    double p[4], q[4];
    if (time == t->times[key] || time == t->times[key + 1]) {
        key += time != t->times[key];
        turn_rows_get(&t->source, key, p);
        method_curve_unit(c->r->samples[key], q);
    } else {
        const arc source = turns_arc(t, key);
        const segment of = segment_at(c, index);
        arc_value(&source, time, p);
        segment_value(&of, time, q);
    }
    const double sign = arc_sign(p, q);
    return (place){time, arc_chord_at_most(p, q, sign), sign};
}

static verdict judge(comparison *c, const place *from, const place *to, size_t key, size_t index) {
    const turns *t = c->t;
    const double limit = t->limits[key] * within, part = c->r->part * c->r->part * limit;
    const turning source = {t->angles[key] / (t->times[key + 1] - t->times[key]), 0};
    const curve_part *of = &c->curve.parts[index];
    if (from->sign == to->sign &&
        segments_bound(fmax(from->chord, to->chord), to->time - from->time, source, of->most,
                       of->rounding) <= part)
        return HOLDS;
    const segment a = {SEGMENT_ARC, .arc = turns_arc(t, key)}, b = segment_at(c, index);
    if (segments_hold(&a, &b, from->time, to->time, part))
        return HOLDS;
    if (c->r->is_first)
        c->exceeds[key] = true;
    return c->exceeds[key] || (part < limit && segments_hold(&a, &b, from->time, to->time, limit))
               ? EXCEEDS_PART
               : EXCEEDS;
}

/* All intervals in which the source's arc and the curve's segment are single ones. What lies before the
 * first key or after the last one, where only rounded times are, is left to the certificate. */
static void judge_all(comparison *c) {
    removal *r = c->r;
    const turns *t = c->t;
    const size_t last = r->key_count - 1;
    const double end = fmin(t->times[last], t->written_times[last]);
    size_t key = 0, index = 0;
    place at = {.time = fmax(t->times[0], t->written_times[0])};
    for (bool is_begun = false; at.time < end; is_begun = true) {
        while (t->times[key + 1] <= at.time)
            key++;
        while (r->times[index + 1] <= at.time)
            index++;
        if (!is_begun)
            at = place_at(c, at.time, key, index);
        const place to = place_at(c, fmin(t->times[key + 1], r->times[index + 1]), key, index);
        if (r->is_near[index] || !r->is_local) {
            const verdict v = judge(c, &at, &to, key, index);
            r->verdicts[index] = v > r->verdicts[index] ? (unsigned char)v : r->verdicts[index];
        }
        at = to;
    }
}

/* A longer arc may be taken the other way by another evaluator: as of turns_hold. */
static void judge_steps(removal *r) {
    for (size_t i = 0; i + 1 < r->trial_count; i++) {
        double dot = 0;
        for (int n = 0; n < 4; n++)
            dot += r->values[i][n] * r->values[i + 1][n];
        if (dot < TURNS_LEAST_DOT && r->trial[i + 1] > r->trial[i] + 1)
            r->verdicts[i] = EXCEEDS;
    }
}

static pm_status compare_rotation(removal *r, size_t which) {
    comparison c = {
        .r = r, .t = r->problem->rotations[which], .exceeds = r->exceeds + which * r->key_count};
    for (size_t i = 0; i < r->trial_count; i++) {
        turn_rows_get(&c.t->written, r->trial[i], r->values[i]);
        r->times[i] = c.t->written_times[r->trial[i]];
    }
    judge_steps(r);
    MOTION_TRY(method_curve_make(&c.curve, r->problem->method, r->times,
                                 (const double(*)[4])r->values, r->trial_count, NULL));
    pm_status status = method_curve_sample(&c.curve, c.t->times, r->key_count, r->samples, NULL);
    if (status == PM_OK)
        judge_all(&c);
    status = c.curve.lacks_memory ? PM_ERROR_MEMORY : status;
    method_curve_release(&c.curve);
    return status;
}

/* ---- a trial ------------------------------------------------------------------------------- */

/* The keys without the candidates that are not back. */
static void make_trial(removal *r) {
    size_t next = 0;
    r->trial_count = 0;
    memset(r->verdicts, 0, r->count);
    memset(r->is_near, r->is_first, r->count * sizeof *r->is_near);
    for (size_t i = 0; i < r->count; i++) {
        if (next == r->candidate_count || r->candidates[next].place != i) {
            r->trial[r->trial_count++] = r->keys[i];
            continue;
        }
        candidate *c = &r->candidates[next++];
        if (c->is_back)
            r->trial[r->trial_count++] = r->keys[i];
        c->segment = r->trial_count - 1;
        for (size_t s = c->segment > 0 ? c->segment - 1 : 0; !c->is_back && s < c->segment + 2; s++)
            r->is_near[s] = true;
    }
}

static pm_status compare_all(removal *r) {
    const removal_problem *p = r->problem;
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < p->rotation_count; i++)
        status = compare_rotation(r, i);
    for (size_t i = 0; p->holds && i < r->candidate_count; i++) {
        const size_t s = r->candidates[i].segment;
        if (!r->candidates[i].is_back && !p->holds(p->user, r->trial[s], r->trial[s + 1]))
            r->verdicts[s] = EXCEEDS;
    }
    return status;
}

static void put_back(removal *r, candidate *c) {
    c->is_back = true;
    r->is_tried[r->keys[c->place]] = true;
}

static bool put_back_all(removal *r) {
    for (size_t i = 0; i < r->candidate_count; i++)
        put_back(r, &r->candidates[i]);
    return true;
}

/* Candidates near which the bound is exceeded; elsewhere those on both sides of such a place. */
static bool put_some_back(removal *r) {
    candidate *before = NULL;
    bool any = false;
    size_t at = 0;
    for (size_t i = 0; i <= r->candidate_count; i++) {
        candidate *c = i < r->candidate_count ? &r->candidates[i] : NULL;
        if (c && c->is_back)
            continue;
        bool exceeds = false;
        for (; at < (c ? c->segment : r->trial_count - 1); at++)
            exceeds = exceeds || (r->verdicts[at] == EXCEEDS && !r->is_near[at]);
        any = any || (exceeds && before);
        if (exceeds && before)
            put_back(r, before);
        if (!c)
            break;
        for (size_t s = c->segment > 0 ? c->segment - 1 : 0; s < c->segment + 2; s++)
            exceeds = exceeds || (s < r->trial_count - 1 && r->verdicts[s] != HOLDS);
        any = any || exceeds;
        if (exceeds)
            put_back(r, c);
        before = c;
    }
    return any;
}

static bool is_cancelled(const removal *r) {
    return reduce_is_cancelled(r->problem->rotations[0]->cancel);
}

/* Tries the candidates until those that are not back are verified. */
static pm_status settle(removal *r) {
    bool is_verified = false;
    for (int trials = 0; !is_verified; trials++) {
        make_trial(r);
        if (r->trial_count == r->count && !r->is_first)
            return PM_OK;
        const pm_status status = compare_all(r);
        if (r->is_first || (status != PM_OK && status != PM_ERROR_KEY))
            return status;
        const bool gives_up = status == PM_ERROR_KEY || trials == TRIALS_MAX;
        is_verified =
            !(gives_up ? put_back_all(r) : put_some_back(r)) || r->is_local || is_cancelled(r);
    }
    make_trial(r);
    memcpy(r->keys, r->trial, r->trial_count * sizeof *r->keys);
    r->count = r->trial_count;
    return PM_OK;
}

static bool choose(removal *r) {
    size_t next = 1;
    r->candidate_count = 0;
    for (size_t i = 1; i + 1 < r->count; i++)
        if (i >= next && !r->is_tried[r->keys[i]]) {
            r->candidates[r->candidate_count++] = (candidate){.place = i};
            next = i + SPACING;
        }
    return r->candidate_count > 0;
}

/* ---- all ----------------------------------------------------------------------------------- */

static bool allocate(removal *r) {
    const size_t count = r->key_count, rotations = r->problem->rotation_count;
    r->is_tried = motion_allocate(&r->arena, count, sizeof *r->is_tried);
    r->exceeds = motion_allocate(&r->arena, count, rotations * sizeof *r->exceeds);
    r->candidates = motion_allocate(&r->arena, count / SPACING + 1, sizeof *r->candidates);
    r->trial = motion_allocate(&r->arena, count, sizeof *r->trial);
    r->is_near = motion_allocate(&r->arena, count + 2, sizeof *r->is_near);
    r->verdicts = motion_allocate(&r->arena, count, sizeof *r->verdicts);
    r->times = motion_allocate(&r->arena, count, sizeof *r->times);
    r->values = motion_allocate(&r->arena, count, sizeof *r->values);
    r->samples = motion_allocate(&r->arena, count, sizeof *r->samples);
    return r->is_tried && r->exceeds && r->candidates && r->trial && r->is_near && r->verdicts &&
           r->times && r->values && r->samples;
}

static pm_status run(removal *r) {
    for (size_t k = 0; k < r->key_count; k++)
        r->keys[k] = k;
    r->count = r->key_count;
    r->part = 1;
    r->is_first = true;
    pm_status status = settle(r);
    if (status == PM_ERROR_KEY) /* there is no such curve: this, too, is seen in the end */
        return PM_OK;
    r->is_first = false;
    for (size_t i = 0; status == PM_OK && i < sizeof parts / sizeof *parts; i++) {
        r->part = parts[i];
        memset(r->is_tried, 0, r->key_count * sizeof *r->is_tried);
        while (status == PM_OK && !is_cancelled(r) && choose(r))
            status = settle(r);
    }
    return status;
}

path_end removal_find(const removal_problem *problem, size_t **keys, size_t *count) {
    const turns *t = problem->rotations[0];
    removal r = {.problem = problem,
                 .key_count = t->count,
                 .is_local = pm_method_get_info(problem->method)->local,
                 .keys = malloc(t->count * sizeof *r.keys)};
    *keys = NULL;
    for (*count = 1; *count < t->count; ++*count)
        if (!(t->written_times[*count] > t->written_times[*count - 1])) {
            free(r.keys);
            return PATH_NONE;
        }
    const bool good = r.keys && allocate(&r) && run(&r) == PM_OK;
    motion_arena_release(&r.arena);
    if (!good) {
        free(r.keys);
        return PATH_NO_MEMORY;
    }
    *keys = r.keys;
    *count = r.count;
    return PATH_FOUND;
}
