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
    uint32_t node, key;
    bool is_dropped;
} spare;

/* The keys that remain of a joint, before and after each of them. */
typedef struct key_links {
    size_t *before, *after;
    size_t at; /* one of them, near the window */
} key_links;

/* A joint with those below, which follow it in the order. */
typedef struct branch {
    size_t first, count;
} branch;

typedef struct slack {
    const slack_request *request;
    size_t nodes;
    uint32_t *order;
    key_links *links; /* by node */
    branch *branches;
    double *times; /* all key times of the source */
    size_t time_count;
    spare *spares; /* in the order of their times */
    size_t spare_count;
    space_walk *walk;
    /* The window: by time and node. */
    size_t first, count;           /* of its times */
    placed *source, *made, *tried; /* in model space */
    placed *local;                 /* of `made`, relative to the parent */
    double (*vectors)[2][3];       /* translation and scale of `made` */
    motion_arena arena;
} slack;

/* ---- what is tried ------------------------------------------------------------------------- */

static int compare_spares(const void *a, const void *b) {
    const spare *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->node < y->node) - (x->node > y->node);
}

static bool is_thinned(const reduced_channel *c) {
    return c && c->turns && c->keys && c->count > 2;
}

static bool link_keys(const reduced_channel *c, motion_arena *arena, key_links *links) {
    const size_t keys = c->source.timeline->key_count;
    links->before = motion_allocate(arena, keys + 1, sizeof *links->before);
    links->after = motion_allocate(arena, keys + 1, sizeof *links->after);
    for (size_t i = 0; links->before && links->after && i < c->count; i++) {
        const size_t next = i + 1 < c->count ? c->keys[i + 1] : keys;
        links->after[c->keys[i]] = next;
        links->before[next] = c->keys[i];
    }
    return links->before && links->after;
}

static bool list_spares(slack *s) {
    size_t all = 0;
    for (size_t n = 0; n < s->nodes; n++)
        all += is_thinned(s->request->rotations[n]) ? s->request->rotations[n]->count : 0;
    s->links = motion_allocate(&s->arena, s->nodes, sizeof *s->links);
    s->spares = motion_allocate(&s->arena, all, sizeof *s->spares);
    for (size_t n = 0; s->links && s->spares && n < s->nodes; n++) {
        reduced_channel *c = s->request->rotations[n];
        if (!is_thinned(c))
            continue;
        if (!link_keys(c, &s->arena, &s->links[n]))
            return false;
        turns_limit(c->turns, fmin(s->request->angle, largest_angle), NULL);
        for (size_t i = 1; i + 1 < c->count; i++)
            s->spares[s->spare_count++] =
                (spare){c->turns->times[c->keys[i]], (uint32_t)n, (uint32_t)c->keys[i], false};
    }
    if (!s->links || !s->spares)
        return false;
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

static void set_local(slack *s, size_t at, size_t node, const double q[4]) {
    const size_t place = at * s->nodes + node;
    const double(*const v)[3] = (const double(*)[3])s->vectors[place];
    pose_place(q, v[0], v[1], NULL, &s->local[place]);
}

/* The arcs of a joint between the keys that remain. */
static void fill_rotations(slack *s, size_t node) {
    key_links *links = &s->links[node];
    const turns *t = s->request->rotations[node]->turns;
    const double *times = s->times + s->first;
    size_t key = links->at;
    while (key > 0 && t->written_times[key] > times[0])
        key = links->before[key];
    for (size_t at = 0; at < s->count;) {
        const size_t next = links->after[key];
        const bool is_last = next >= t->count;
        if (!is_last && t->written_times[next] <= times[at]) {
            key = next;
            continue;
        }
        const arc of = turns_written_arc(t, key, is_last ? key : next);
        for (; at < s->count && (is_last || times[at] < t->written_times[next]); at++) {
            double q[4];
            arc_value(&of, times[at] > of.begin ? times[at] : of.begin, q);
            set_local(s, at, node, q);
        }
    }
    links->at = key;
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
        for (size_t n = 0; n < s->nodes; n++) {
            memcpy(s->vectors[at * s->nodes + n], pose->local[1][n].vectors, sizeof *s->vectors);
            if (!s->links[n].after)
                set_local(s, at, n, pose->local[1][n].rotation);
        }
    }
    for (size_t n = 0; n < s->nodes; n++)
        if (s->links[n].after)
            fill_rotations(s, n);
    for (size_t at = 0; at < s->count; at++)
        for (size_t i = 0; i < s->nodes; i++) {
            const size_t n = s->order[i], row = at * s->nodes;
            put(s, n, &s->local[row + n], s->made + row, &s->made[row + n]);
        }
}

/* ---- a trial ------------------------------------------------------------------------------- */

/* Poses the joint and those below at a time; false: the distance is exceeded. */
static bool holds_at(slack *s, size_t at, size_t node, const arc *tried) {
    const size_t row = at * s->nodes;
    const branch *b = &s->branches[node];
    const double(*const v)[3] = (const double(*)[3])s->vectors[row + node];
    placed local;
    double q[4];
    arc_value(tried, s->times[s->first + at], q);
    pose_place(q, v[0], v[1], NULL, &local);
    for (size_t i = 0; i < b->count; i++) {
        const size_t n = s->order[b->first + i];
        const reach_points *points = &s->request->points[n];
        put(s, n, i > 0 ? &s->local[row + n] : &local, i > 0 ? s->tried + row : s->made + row,
            &s->tried[row + n]);
        if (reach_apart(points, &s->source[row + n], points, &s->tried[row + n]) >
            s->request->distance)
            return false;
    }
    return true;
}

static void take(slack *s, size_t at, size_t node, const arc *tried) {
    const size_t row = at * s->nodes;
    const branch *b = &s->branches[node];
    double q[4];
    arc_value(tried, s->times[s->first + at], q);
    set_local(s, at, node, q);
    for (size_t i = 0; i < b->count; i++) {
        const size_t n = s->order[b->first + i];
        s->made[row + n] = s->tried[row + n];
    }
}

/* Drops a key if that is allowed. */
static bool drop(slack *s, const spare *of) {
    key_links *links = &s->links[of->node];
    turns *t = s->request->rotations[of->node]->turns;
    const size_t from = links->before[of->key], to = links->after[of->key];
    const arc tried = turns_written_arc(t, from, to);
    const size_t begin = find_time(s, tried.begin) - s->first;
    const size_t end = find_time(s, tried.begin + tried.seconds) - s->first;
    const size_t own = find_time(s, of->time) - s->first;
    if (begin > s->count || end > s->count || !holds_at(s, own, of->node, &tried) ||
        !turns_hold(t, from, to))
        return false;
    for (size_t at = begin; at < end; at++)
        if (at != own && !holds_at(s, at, of->node, &tried))
            return false;
    for (size_t at = begin; at < end; at++)
        take(s, at, of->node, &tried);
    links->after[from] = to;
    links->before[to] = from;
    links->at = links->at == of->key ? from : links->at;
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
        const double *times = s->request->rotations[of->node]->turns->written_times;
        begin = fmin(begin, times[s->links[of->node].before[of->key]]);
        end = fmax(end, times[s->links[of->node].after[of->key]]);
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
    s->vectors = motion_allocate(arena, poses, sizeof *s->vectors);
    return s->source && s->made && s->tried && s->local && s->vectors;
}

static bool drop_in_window(slack *s, size_t from, size_t to) {
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    bool any = true;
    choose_times(s, from, to);
    if (!allocate(s, &arena))
        return false;
    fill(s);
    for (int pass = 0; pass < PASSES && any; pass++) {
        any = false;
        for (size_t i = from; i < to; i++)
            if (!s->spares[i].is_dropped && drop(s, &s->spares[i]))
                any = s->spares[i].is_dropped = true;
    }
    return true;
}

static void keep_linked(reduced_channel *c, const key_links *links) {
    c->count = 0;
    for (size_t k = 0; k < c->source.timeline->key_count; k = links->after[k])
        c->keys[c->count++] = k;
}

static pm_status drop_all(slack *s, pm_error *error) {
    size_t keys = 0;
    MOTION_TRY_MEMORY(list_spares(s) && list_branches(s) && list_times(s, &keys), error);
    if (s->time_count > (keys * POSES_PER_KEY + POSES_FREE) / s->nodes)
        return PM_OK;
    const size_t times = window_times(s);
    for (size_t from = 0, to = 0;
         from < s->spare_count && !reduce_is_cancelled(s->request->cancel); from = to) {
        const size_t last = find_time(s, s->spares[from].time) + times;
        while (to < s->spare_count &&
               (last >= s->time_count || s->spares[to].time < s->times[last]))
            to++;
        MOTION_TRY_MEMORY(drop_in_window(s, from, to), error);
        s->request->tell(s->request->user, (double)to / (double)s->spare_count);
    }
    for (size_t n = 0; n < s->nodes; n++)
        if (s->links[n].after)
            keep_linked(s->request->rotations[n], &s->links[n]);
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
