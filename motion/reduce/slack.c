/* SPDX-License-Identifier: MIT
 *
 * Drops keys that bounds of each joint have left, while distances at the key times of the source allow it: the
 * certificate comes after. Keys are tried in the order of their times, in windows for which the poses of both motions
 * are known.
 */
#include "motion/reduce/reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/fault.h"
#include "motion/model/pose.h"

/* Poses in a window; keys are tried this often at most, and a key is mostly dropped at once or never. */
enum { WINDOW_POSES = 16384, PASSES = 4 };

/* Each channel may have key times of its own, which are the times of all poses: beyond this many poses for each key
 * nothing is tried. */
enum { POSES_PER_KEY = 32, POSES_FREE = 65536 };

/* Radians of a rotation, of which no distance tells, such as of a joint where nothing hangs. */
static const double largest_angle = 1;

/* A key that may be dropped. */
typedef struct spare {
    double time;
    uint32_t group, key;
    bool is_dropped;
} spare;

/* A channel between two keys. */
typedef struct member {
    reduced_channel *channel;
    tested test;
    int32_t node; /* that it poses; -1: none */
    pm_motion_path part;
    arc arc; /* of rotations; the times of others, too */
    double ends[2][3];
} member;

/* Of a channel's source, as they are and in float32. */
typedef struct key_times {
    size_t count;
    double *times, *written;
} key_times;

/* Channels that have the same keys, of which one or more pose a node. */
typedef struct group {
    member *members;
    size_t count;
    key_times times;
    bool has_rotation;
    size_t *before, *after; /* of each key that remains */
    size_t at;              /* one of them, near the window */
    size_t first, last;     /* places in the order, between which all lie that they move */
} group;

/* A joint with those below, which follow it in the order. */
typedef struct branch {
    size_t first, count;
} branch;

typedef struct slack {
    const slack_request *request;
    size_t nodes;
    uint32_t *order;
    branch *branches;
    group *groups;
    size_t group_count;
    double *times; /* all key times of the source */
    size_t time_count;
    spare *spares; /* in the order of their times */
    size_t spare_count;
    space_walk *walk;
    /* The window: by time and node. */
    size_t first, count;           /* of its times */
    placed *source, *made, *tried; /* in model space */
    placed *local;                 /* of `made`, relative to the parent */
    space_local *parts;            /* likewise */
    /* A trial: by node. */
    space_local *changed;
    bool *is_changed, *is_moved;
    motion_arena arena;
} slack;

/* ---- what is tried ------------------------------------------------------------------------- */

static int compare_spares(const void *a, const void *b) {
    const spare *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->group < y->group) - (x->group > y->group);
}

/* The node that a channel poses; -1: none. */
static int32_t node_of(const slack *s, const reduced_channel *c) {
    const pm_motion_channel *of = c->source.channel;
    return of->node >= 0 && of->path <= PM_MOTION_SCALE &&
                   s->request->source[of->node][of->path].channel == of
               ? of->node
               : -1;
}

static bool link_keys(const reduced_channel *c, motion_arena *arena, group *g) {
    const size_t keys = c->source.timeline->key_count;
    g->before = motion_allocate(arena, keys + 1, sizeof *g->before);
    g->after = motion_allocate(arena, keys + 1, sizeof *g->after);
    for (size_t i = 0; g->before && g->after && i < c->count; i++) {
        const size_t next = i + 1 < c->count ? c->keys[i + 1] : keys;
        g->after[c->keys[i]] = next;
        g->before[next] = c->keys[i];
    }
    return g->before && g->after;
}

static bool read_times(const reduced_channel *c, motion_arena *arena, key_times *to) {
    const pm_timeline *timeline = c->source.timeline;
    to->count = timeline->key_count;
    to->times = motion_allocate(arena, to->count, sizeof *to->times);
    to->written = motion_allocate(arena, to->count, sizeof *to->written);
    for (size_t k = 0; to->times && to->written && k < to->count; k++) {
        to->times[k] = evaluate_key_time(timeline, k);
        to->written[k] = written_time(timeline, k);
    }
    return to->times && to->written;
}

static bool read_test(slack *s, member *m) {
    reduce_limits limits = *s->request->limits;
    if (limits.shares_position && m->node >= 0)
        limits.position = (double)INFINITY;
    return tested_read(&m->test, m->channel, &limits, &s->arena);
}

static bool add_member(slack *s, group *g, reduced_channel *c) {
    member *m = &g->members[g->count++];
    *m = (member){.channel = c, .node = node_of(s, c), .part = c->source.channel->path};
    if (c->turns)
        m->test = (tested){.turns = true, .rotation = *c->turns};
    else if (!read_test(s, m))
        return false;
    g->has_rotation = g->has_rotation || m->test.turns;
    if (m->test.turns)
        turns_limit(&m->test.rotation, fmin(s->request->limits->angle, largest_angle), NULL);
    if (m->node < 0)
        return true;
    const branch *b = &s->branches[m->node];
    g->first = b->first < g->first ? b->first : g->first;
    g->last = b->first + b->count > g->last ? b->first + b->count : g->last;
    return true;
}

/* The channels that have the keys of one. */
static bool add_group(slack *s, size_t index) {
    const slack_request *r = s->request;
    reduced_channel *c = &r->channels[index];
    group *g = &s->groups[s->group_count];
    const size_t end = c->group > 0 ? r->count : index + 1;
    size_t count = 0;
    for (size_t i = index; i < end; i++)
        count += i == index || reduce_has_keys_of(&r->channels[i], c);
    *g = (group){.members = motion_allocate(&s->arena, count, sizeof *g->members),
                 .first = SIZE_MAX};
    if (!g->members || !link_keys(c, &s->arena, g) || !read_times(c, &s->arena, &g->times))
        return false;
    for (size_t i = index; i < end; i++)
        if ((i == index || reduce_has_keys_of(&r->channels[i], c)) &&
            !add_member(s, g, &r->channels[i]))
            return false;
    s->group_count += g->last > 0;
    return true;
}

/* Whether a channel is the first one that has its keys, and some of them may be dropped. */
static bool begins_group(const slack *s, size_t index) {
    const reduced_channel *c = &s->request->channels[index];
    bool is_first = c->is_reduced && c->keys && c->count > 2 && !c->cubics &&
                    (c->group > 0 || node_of(s, c) >= 0);
    for (size_t i = 0; is_first && c->group > 0 && i < index; i++)
        is_first = !reduce_has_keys_of(&s->request->channels[i], c);
    return is_first;
}

static bool list_spares(slack *s) {
    size_t all = 0;
    s->groups = motion_allocate(&s->arena, s->request->count, sizeof *s->groups);
    for (size_t c = 0; s->groups && c < s->request->count; c++)
        if (begins_group(s, c) && !add_group(s, c))
            return false;
    for (size_t g = 0; s->groups && g < s->group_count; g++)
        all += s->groups[g].members[0].channel->count;
    s->spares = motion_allocate(&s->arena, all, sizeof *s->spares);
    if (!s->groups || !s->spares)
        return false;
    for (size_t g = 0; g < s->group_count; g++) {
        const reduced_channel *c = s->groups[g].members[0].channel;
        for (size_t i = 1; i + 1 < c->count; i++)
            s->spares[s->spare_count++] = (spare){s->groups[g].times.times[c->keys[i]], (uint32_t)g,
                                                  (uint32_t)c->keys[i], false};
    }
    qsort(s->spares, s->spare_count, sizeof *s->spares, compare_spares);
    return true;
}

/* Depth first: parents before their children, and nothing else between them. */
static bool list_branches(slack *s) {
    const pm_motion_node *nodes = s->request->content->nodes;
    uint32_t *order = motion_allocate(&s->arena, s->nodes, sizeof *order);
    size_t *next = motion_allocate(&s->arena, s->nodes, sizeof *next), roots = 0;
    s->order = motion_allocate(&s->arena, s->nodes, sizeof *s->order);
    s->branches = motion_allocate(&s->arena, s->nodes, sizeof *s->branches);
    if (!order || !next || !s->order || !s->branches || !pose_order(s->request->content, order))
        return false;
    for (size_t i = s->nodes; i-- > 0;) {
        const size_t n = order[i];
        s->branches[n].count++;
        if (nodes[n].parent >= 0)
            s->branches[nodes[n].parent].count += s->branches[n].count;
    }
    for (size_t i = 0; i < s->nodes; i++) {
        const size_t n = order[i];
        size_t *place = nodes[n].parent >= 0 ? &next[nodes[n].parent] : &roots;
        s->branches[n].first = *place;
        *place += s->branches[n].count;
        next[n] = s->branches[n].first + 1;
        s->order[s->branches[n].first] = (uint32_t)n;
    }
    return true;
}

/* Of the source, each once. *poses: for each of them and each node. */
static bool list_times(slack *s, size_t *keys) {
    *keys = 0;
    for (size_t n = 0; n < s->nodes; n++)
        for (int part = 0; part < 3; part++)
            *keys += s->request->source[n][part].channel
                         ? s->request->source[n][part].timeline->key_count
                         : 0;
    s->times = motion_allocate(&s->arena, *keys, sizeof *s->times);
    if (!s->times)
        return false;
    const pm_timeline *last = NULL;
    for (size_t n = 0; n < s->nodes; n++)
        for (int part = 0; part < 3; part++) {
            const certified *c = &s->request->source[n][part];
            if (c->channel && !(last && reduce_has_same_times(last, c->timeline)))
                s->time_count += evaluate_key_times(c->timeline, s->times + s->time_count);
            last = c->channel ? c->timeline : last;
        }
    s->time_count = evaluate_unite_times(s->times, s->time_count);
    return true;
}

static size_t window_times(const slack *s) {
    return WINDOW_POSES / s->nodes + 16;
}

/* ---- a window ------------------------------------------------------------------------------ */

/* The first time that is not before one. */
static size_t find_time(const slack *s, double time) {
    size_t low = 0, high = s->time_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->times[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The segment of a channel between two keys; constant from one on. */
static void aim(member *m, const key_times *times, size_t from, size_t to) {
    if (m->test.turns) {
        m->arc = turns_written_arc(&m->test.rotation, from, to);
        return;
    }
    m->arc.begin = times->written[from];
    m->arc.seconds = times->written[to] - m->arc.begin;
    for (uint32_t i = 0; m->node >= 0 && i < 3; i++) {
        m->ends[0][i] = written_number(m->channel->source.channel, from, i, m->channel->form);
        m->ends[1][i] = written_number(m->channel->source.channel, to, i, m->channel->form);
    }
}

static void set_part(const member *m, double time, space_local *to) {
    const double at = time > m->arc.begin ? time : m->arc.begin;
    if (m->test.turns) {
        arc_value(&m->arc, at, to->rotation);
        return;
    }
    double *v = to->vectors[m->part == PM_MOTION_SCALE];
    const double u = m->arc.seconds > 0 ? (at - m->arc.begin) / m->arc.seconds : 0;
    for (int i = 0; i < 3; i++)
        v[i] = m->ends[0][i] + u * (m->ends[1][i] - m->ends[0][i]);
}

/* The segments of channels between the keys that remain. */
static void fill_group(slack *s, group *g) {
    const key_times *t = &g->times;
    const double *times = s->times + s->first;
    size_t key = g->at;
    while (key > 0 && t->written[key] > times[0])
        key = g->before[key];
    for (size_t at = 0; at < s->count;) {
        const size_t next = g->after[key];
        const bool is_last = next >= t->count;
        if (!is_last && t->written[next] <= times[at]) {
            key = next;
            continue;
        }
        for (size_t m = 0; m < g->count; m++)
            aim(&g->members[m], t, key, is_last ? key : next);
        for (; at < s->count && (is_last || times[at] < t->written[next]); at++)
            for (size_t m = 0; m < g->count; m++)
                if (g->members[m].node >= 0)
                    set_part(&g->members[m], times[at],
                             &s->parts[at * s->nodes + (size_t)g->members[m].node]);
    }
    g->at = key;
}

static void place_part(const space_local *part, placed *to) {
    pose_place(part->rotation, part->vectors[0], part->vectors[1], NULL, to);
}

static void put_below(const placed *above, const placed *local, placed *to) {
    for (int j = 0; j < 3; j++) {
        const double x = above->axes[0][j], y = above->axes[1][j], z = above->axes[2][j];
        to->origin[j] =
            above->origin[j] + x * local->origin[0] + y * local->origin[1] + z * local->origin[2];
        for (int i = 0; i < 3; i++)
            to->axes[i][j] = x * local->axes[i][0] + y * local->axes[i][1] + z * local->axes[i][2];
    }
}

static void put(const slack *s, size_t node, const placed *local, const placed *poses, placed *to) {
    const int32_t parent = s->request->content->nodes[node].parent;
    if (parent >= 0)
        put_below(&poses[parent], local, to);
    else
        *to = *local;
}

static void fill(slack *s) {
    for (size_t at = 0; at < s->count; at++) {
        const space_pose *pose = space_pose_at(s->walk, s->times[s->first + at]);
        memcpy(s->source + at * s->nodes, pose->of[0], s->nodes * sizeof *s->source);
        memcpy(s->parts + at * s->nodes, pose->local[1], s->nodes * sizeof *s->parts);
    }
    for (size_t g = 0; g < s->group_count; g++)
        fill_group(s, &s->groups[g]);
    for (size_t at = 0; at < s->count; at++)
        for (size_t i = 0; i < s->nodes; i++) {
            const size_t n = s->order[i], row = at * s->nodes;
            place_part(&s->parts[row + n], &s->local[row + n]);
            put(s, n, &s->local[row + n], s->made + row, &s->made[row + n]);
        }
}

/* ---- a trial ------------------------------------------------------------------------------- */

/* What the channels of a trial are at a time. */
static void change(slack *s, size_t at, const group *g) {
    for (size_t i = 0; i < g->count; i++)
        if (g->members[i].node >= 0)
            s->is_changed[g->members[i].node] = false;
    for (size_t i = 0; i < g->count; i++) {
        const member *m = &g->members[i];
        if (m->node < 0)
            continue;
        if (!s->is_changed[m->node])
            s->changed[m->node] = s->parts[at * s->nodes + (size_t)m->node];
        s->is_changed[m->node] = true;
        set_part(m, s->times[s->first + at], &s->changed[m->node]);
    }
}

/* Poses what channels move at a time; false: the distance is exceeded. */
static bool holds_at(slack *s, size_t at, const group *g) {
    const size_t row = at * s->nodes;
    change(s, at, g);
    for (size_t i = g->first; i < g->last; i++) {
        const size_t n = s->order[i];
        const int32_t parent = s->request->content->nodes[n].parent;
        const reach_points *points = &s->request->points[n];
        const bool is_below = parent >= 0 && s->is_moved[parent];
        placed local;
        s->is_moved[n] = is_below || s->is_changed[n];
        if (!s->is_moved[n])
            continue;
        if (s->is_changed[n])
            place_part(&s->changed[n], &local);
        put(s, n, s->is_changed[n] ? &local : &s->local[row + n],
            (is_below ? s->tried : s->made) + row, &s->tried[row + n]);
        if (reach_apart(points, &s->source[row + n], points, &s->tried[row + n]) >
            s->request->distance)
            return false;
    }
    return true;
}

/* With the poses of a trial that holds. */
static void take(slack *s, size_t at, const group *g) {
    const size_t row = at * s->nodes;
    change(s, at, g);
    for (size_t i = g->first; i < g->last; i++) {
        const size_t n = s->order[i];
        const int32_t parent = s->request->content->nodes[n].parent;
        s->is_moved[n] = s->is_changed[n] || (parent >= 0 && s->is_moved[parent]);
        if (s->is_changed[n]) {
            s->parts[row + n] = s->changed[n];
            place_part(&s->parts[row + n], &s->local[row + n]);
        }
        if (s->is_moved[n])
            s->made[row + n] = s->tried[row + n];
    }
}

/* Nothing is changed and moved any more. */
static void end_trial(slack *s, const group *g) {
    for (size_t i = g->first; i < g->last; i++)
        s->is_changed[s->order[i]] = s->is_moved[s->order[i]] = false;
}

static bool may_drop(slack *s, group *g, size_t own, size_t from, size_t to) {
    const key_times *t = &g->times;
    const size_t begin = find_time(s, t->written[from]) - s->first;
    const size_t end = find_time(s, t->written[to]) - s->first;
    if (begin > s->count || end > s->count)
        return false;
    for (size_t i = 0; i < g->count; i++)
        aim(&g->members[i], t, from, to);
    bool holds = holds_at(s, own, g);
    for (size_t i = 0; holds && i < g->count; i++)
        holds = tested_holds(&g->members[i].test, from, to);
    for (size_t at = begin; holds && at < end; at++)
        holds = at == own || holds_at(s, at, g);
    for (size_t at = begin; holds && at < end; at++)
        take(s, at, g);
    return holds;
}

/* Drops a key if that is allowed. */
static bool drop(slack *s, const spare *of) {
    group *g = &s->groups[of->group];
    const size_t from = g->before[of->key], to = g->after[of->key];
    const bool may = may_drop(s, g, find_time(s, of->time) - s->first, from, to);
    end_trial(s, g);
    if (!may)
        return false;
    g->after[from] = to;
    g->before[to] = from;
    g->at = g->at == of->key ? from : g->at;
    return true;
}

/* ---- all ----------------------------------------------------------------------------------- */

/* The times of the arcs that spares from..to - 1 may leave, but for those that are far longer than a window: such keys
 * are not tried. */
static void choose_times(slack *s, size_t from, size_t to) {
    double begin = s->spares[from].time, end = s->spares[to - 1].time;
    const size_t most = 2 * window_times(s);
    const size_t first = find_time(s, begin), last = find_time(s, end) + most;
    for (size_t i = from; i < to; i++) {
        const spare *of = &s->spares[i];
        const group *g = &s->groups[of->group];
        begin = fmin(begin, g->times.written[g->before[of->key]]);
        end = fmax(end, g->times.written[g->after[of->key]]);
    }
    s->first = find_time(s, begin);
    if (first > most && s->first < first - most)
        s->first = first - most;
    size_t after = find_time(s, end) + 1;
    after = after < last ? after : last;
    s->count = (after < s->time_count ? after : s->time_count) - s->first;
}

static bool allocate(slack *s, motion_arena *arena) {
    const size_t poses = s->count * s->nodes;
    s->source = motion_allocate(arena, poses, sizeof *s->source);
    s->made = motion_allocate(arena, poses, sizeof *s->made);
    s->tried = motion_allocate(arena, poses, sizeof *s->tried);
    s->local = motion_allocate(arena, poses, sizeof *s->local);
    s->parts = motion_allocate(arena, poses, sizeof *s->parts);
    return s->source && s->made && s->tried && s->local && s->parts;
}

/* Rotations come first: one key of a position takes what keys of many joints could. */
static bool drop_in_window(slack *s, size_t from, size_t to) {
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    choose_times(s, from, to);
    if (!allocate(s, &arena))
        return false;
    fill(s);
    for (int turn = 0; turn < 2; turn++) {
        bool any = true;
        for (int pass = 0; pass < PASSES && any; pass++) {
            any = false;
            for (size_t i = from; i < to; i++) {
                spare *of = &s->spares[i];
                if (!of->is_dropped && s->groups[of->group].has_rotation == (turn == 0) &&
                    drop(s, of))
                    any = of->is_dropped = true;
            }
        }
    }
    return true;
}

/* The keys that remain, of all channels of a group. */
static void keep_linked(const group *g) {
    for (size_t i = 0; i < g->count; i++) {
        reduced_channel *c = g->members[i].channel;
        c->count = 0;
        for (size_t k = 0; k < c->source.timeline->key_count; k = g->after[k])
            c->keys[c->count++] = k;
    }
}

static pm_status drop_all(slack *s, pm_error *error) {
    size_t keys = 0;
    s->changed = motion_allocate(&s->arena, s->nodes, sizeof *s->changed);
    s->is_changed = motion_allocate(&s->arena, s->nodes, sizeof *s->is_changed);
    s->is_moved = motion_allocate(&s->arena, s->nodes, sizeof *s->is_moved);
    MOTION_TRY_MEMORY(s->changed && s->is_changed && s->is_moved && list_branches(s) &&
                          list_spares(s) && list_times(s, &keys),
                      error);
    if (s->time_count > (keys * POSES_PER_KEY + POSES_FREE) / s->nodes)
        return PM_OK;
    const size_t times = window_times(s);
    for (size_t from = 0, to = 0;
         from < s->spare_count && !reduce_is_cancelled(s->request->limits->cancel); from = to) {
        const size_t last = find_time(s, s->spares[from].time) + times;
        while (to < s->spare_count &&
               (last >= s->time_count || s->spares[to].time < s->times[last]))
            to++;
        MOTION_TRY_MEMORY(drop_in_window(s, from, to), error);
        s->request->tell(s->request->user, (double)to / (double)s->spare_count);
    }
    for (size_t g = 0; g < s->group_count; g++)
        keep_linked(&s->groups[g]);
    return PM_OK;
}

pm_status slack_use(const slack_request *request, pm_error *error) {
    slack s = {.request = request, .nodes = request->content->node_count};
    const space_request space = {
        .sides = {{request->content, request->source}, {request->content, request->result}}};
    pm_status status = space_begin(&space, &s.walk, error);
    if (status == PM_OK)
        status = drop_all(&s, error);
    space_end(s.walk);
    motion_arena_release(&s.arena);
    return status;
}
