/* SPDX-License-Identifier: MIT
 *
 * Curves with more keys, before keys are dropped: at the times of other channels, and at the end of a loop. A
 * curve passes through what is added; only a loop that is closed gets values of its own.
 */
#include "host/base/elementary.h"
#include "motion/reduce/channel.h"

#include <math.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/model/evaluate.h"
#include "motion/model/pose.h"

/* Ends that are nearer count as equal: radians, and parts of the figure or of a number. */
static const double equal_turn = 1.75e-4, equal_part = 1e-5;

/* A step across the seam is as large as this times the largest one between keys, or there is no loop. */
static const double most_steps = 2;

/* ---- more keys ----------------------------------------------------------------------------- */

/* Gives a channel keys at these times; with `closes`, the last one has the value at the first. */
static bool add_keys(reduced_channel *c, const double *times, size_t count, bool closes,
                     motion_arena *arena) {
    const pm_motion_channel *from = c->source.channel;
    pm_motion_channel *channel = motion_allocate(arena, 1, sizeof *channel);
    pm_timeline *timeline = motion_allocate(arena, 1, sizeof *timeline);
    double *keys = motion_allocate(arena, count, from->components * sizeof *keys);
    if (!channel || !timeline || !keys)
        return false;
    for (size_t k = 0; k < count; k++)
        evaluate_channel(from, c->source.timeline, times[closes && k + 1 == count ? 0 : k],
                         keys + k * from->components);
    *channel = *from;
    channel->keys = (pm_array){.data = keys, .type = PM_FLOAT64};
    *timeline = (pm_timeline){.key_count = count, .times = times};
    if (!c->authored.channel)
        c->authored = c->source;
    c->source = (certified){channel, timeline, NULL, 0, NULL};
    c->count = count;
    return true;
}

static bool is_united(const reduced_channel *c) {
    return c->is_reduced && c->source.timeline->key_count > 1;
}

/* Refuses what would be much more than the motion itself. */
static pm_status check_size(const reduced_channel *channels, size_t count, size_t times,
                            pm_error *error) {
    const double most = 0x1p26, growth = 16;
    double own = 0, united = 0;
    for (size_t i = 0; i < count; i++)
        if (is_united(&channels[i])) {
            own += (double)channels[i].source.timeline->key_count;
            united += (double)times;
        }
    return united > most && united > growth * own
               ? motion_refuse(error,
                               "clip %zu: at the times of all channels %.0f keys would be %.0f; "
                               "resample first",
                               channels->clip, own, united)
               : PM_OK;
}

pm_status reduce_unite_times(reduced_channel *channels, size_t count, motion_arena *arena,
                             pm_error *error) {
    const reduced_channel *first = NULL;
    size_t all = 0;
    bool same = true;
    for (size_t i = 0; i < count; i++)
        if (is_united(&channels[i])) {
            first = first ? first : &channels[i];
            same =
                same && reduce_has_same_times(first->source.timeline, channels[i].source.timeline);
            all += channels[i].source.timeline->key_count;
        }
    if (same)
        return PM_OK;
    double *times = motion_allocate(arena, all, sizeof *times);
    MOTION_TRY_MEMORY(times, error);
    all = 0;
    for (size_t i = 0; i < count; i++)
        if (is_united(&channels[i]))
            all += evaluate_key_times(channels[i].source.timeline, times + all);
    all = evaluate_unite_times(times, all);
    MOTION_TRY(check_size(channels, count, all, error));
    for (size_t i = 0; i < count; i++)
        if (is_united(&channels[i]))
            MOTION_TRY_MEMORY(add_keys(&channels[i], times, all, false, arena), error);
    return PM_OK;
}

/* ---- loops --------------------------------------------------------------------------------- */

typedef struct looped_clip {
    const loop_request *request;
    double begin, end;       /* of all channels that move */
    double frame;            /* 0: not known */
    bool *moving, *is_below; /* by node: it has a channel that moves; a joint above it has one */
    bool has_others;         /* some joint below a root moves */
} looped_clip;

static bool moves(const reduced_channel *c) {
    return c->source.channel->interpolation != PM_MOTION_STEP && reduce_moves(c);
}

static bool is_root(const looped_clip *l, const reduced_channel *c) {
    return c->source.channel->node >= 0 && !l->is_below[c->source.channel->node];
}

static pm_status find_clip(looped_clip *l, pm_error *error) {
    const loop_request *r = l->request;
    const size_t nodes = r->content->node_count;
    uint32_t *order = motion_allocate(r->arena, nodes, sizeof *order);
    l->moving = motion_allocate(r->arena, nodes, sizeof *l->moving);
    l->is_below = motion_allocate(r->arena, nodes, sizeof *l->is_below);
    MOTION_TRY_MEMORY(order && l->moving && l->is_below && pose_order(r->content, order), error);
    for (size_t i = 0; i < r->count; i++) {
        const certified *c = &r->channels[i].source;
        if (!moves(&r->channels[i]))
            continue;
        l->begin = fmin(l->begin, evaluate_key_time(c->timeline, 0));
        l->end = fmax(l->end, evaluate_key_time(c->timeline, c->timeline->key_count - 1));
        if (c->channel->node >= 0)
            l->moving[c->channel->node] = true;
    }
    for (size_t i = 0; i < nodes; i++) {
        const int32_t parent = r->content->nodes[order[i]].parent;
        l->is_below[order[i]] = parent >= 0 && (l->moving[parent] || l->is_below[parent]);
    }
    for (size_t i = 0; i < r->count; i++)
        l->has_others = l->has_others || (moves(&r->channels[i]) && !is_root(l, &r->channels[i]));
    return PM_OK;
}

/* How far values are apart: radians, or numbers. */
static double apart(const pm_motion_channel *channel, const double *a, const double *b) {
    double minus = 0, plus = 0;
    for (uint32_t i = 0; i < channel->components; i++) {
        minus += (a[i] - b[i]) * (a[i] - b[i]);
        plus += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return channel->path == PM_MOTION_ROTATION
               ? 4 * pm_same_asin(fmin(sqrt(fmin(minus, plus)) / 2, 1))
               : sqrt(minus);
}

/* What the seam is of a channel: from the end of the clip to its beginning. */
typedef struct seam {
    double gap, step;        /* the largest step between two keys */
    double equal;            /* what counts as none */
    bool is_closed, is_near; /* near: it is no more than other steps */
} seam;

static pm_status find_seam(const looped_clip *l, const reduced_channel *c, seam *s,
                           pm_error *error) {
    const pm_motion_channel *channel = c->source.channel;
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    double *a = motion_allocate(&arena, channel->components, sizeof *a), largest = 0;
    double *b = motion_allocate(&arena, channel->components, sizeof *b);
    MOTION_TRY_MEMORY(a && b, error);
    *s = (seam){0};
    for (size_t k = 0; k < c->source.timeline->key_count; k++) {
        evaluate_key(channel, k, k % 2 ? b : a);
        s->step = k > 0 ? fmax(s->step, apart(channel, a, b)) : 0;
        for (uint32_t i = 0; i < channel->components; i++)
            largest = fmax(largest, fabs((k % 2 ? b : a)[i]));
    }
    s->equal = channel->path == PM_MOTION_ROTATION   ? equal_turn
               : channel->path == PM_MOTION_POSITION ? equal_part * l->request->size / c->growth
                                                     : equal_part * largest;
    evaluate_channel(channel, c->source.timeline, l->end, a);
    evaluate_channel(channel, c->source.timeline, l->begin, b);
    s->gap = apart(channel, a, b);
    s->is_closed = s->gap <= s->equal;
    s->is_near = s->gap <= most_steps * s->step + s->equal;
    return PM_OK;
}

static const char *unit_of(const reduced_channel *c, double *unit) {
    const bool is_turn = c->source.channel->path == PM_MOTION_ROTATION;
    *unit = is_turn ? 57.29577951308232 : c->growth;
    return is_turn ? " degrees" : "";
}

/* Whether joints below the roots, or where there are none the roots, end as they begin; or are a frame before that. */
static pm_status judge(const looped_clip *l, loop_kind *kind, pm_error *error) {
    *kind = LOOP_CLOSED;
    for (size_t i = 0; i < l->request->count; i++) {
        reduced_channel *c = &l->request->channels[i];
        seam s;
        if (!moves(c) || (l->has_others && is_root(l, c)))
            continue;
        MOTION_TRY(find_seam(l, c, &s, error));
        if (s.is_closed)
            continue;
        double unit;
        const char *const shown = unit_of(c, &unit);
        *kind = LOOP_OPEN;
        if (l->frame > 0 && s.is_near)
            continue;
        *kind = LOOP_NONE;
        reduce_note(c, "does not loop: its ends are %.3g%s apart, %s", s.gap * unit, shown,
                    l->frame > 0 ? "more than twice its largest step"
                                 : "and keys that are not uniform tell no frame that closes it");
        return PM_OK;
    }
    return PM_OK;
}

static pm_status close_channel(const looped_clip *l, reduced_channel *c, loop_kind kind,
                               pm_error *error) {
    motion_arena *arena = l->request->arena;
    seam s;
    MOTION_TRY(find_seam(l, c, &s, error));
    double unit;
    const char *const shown = unit_of(c, &unit);
    if (!(kind == LOOP_CLOSED ? s.is_closed : s.is_near)) {
        reduce_note(c, "travels by %.3g%s, and is not closed", s.gap * unit, shown);
        return PM_OK;
    }
    if (!c->is_reduced) {
        if (s.gap > 0 && kind == LOOP_OPEN)
            reduce_note(c, "is a cubic spline, and is not closed");
        return PM_OK;
    }
    size_t count = c->source.timeline->key_count;
    double *times = motion_allocate(arena, count + 3, sizeof *times);
    MOTION_TRY_MEMORY(times, error);
    count = evaluate_key_times(c->source.timeline, times);
    times[count++] = l->begin;
    times[count++] = l->end;
    times[count++] = kind == LOOP_OPEN ? l->end + l->frame : l->end;
    count = evaluate_unite_times(times, count);
    c->is_looped = true;
    MOTION_TRY_MEMORY(add_keys(c, times, count, true, arena), error);
    return PM_OK;
}

pm_status reduce_close_loop(const loop_request *request, loop_kind *kind, pm_error *error) {
    looped_clip l = {.request = request, .begin = (double)INFINITY, .end = -(double)INFINITY};
    *kind = LOOP_CLOSED;
    MOTION_TRY(find_clip(&l, error));
    if (!(l.end > l.begin))
        return PM_OK;
    if (request->rate.num > 0)
        l.frame = (double)request->rate.den / (double)request->rate.num;
    MOTION_TRY(judge(&l, kind, error));
    for (size_t i = 0; *kind != LOOP_NONE && i < request->count; i++)
        if (moves(&request->channels[i]))
            MOTION_TRY(close_channel(&l, &request->channels[i], *kind, error));
    return PM_OK;
}
