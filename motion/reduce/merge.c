/* SPDX-License-Identifier: MIT
 *
 * Which channels share a list of times. Groups stand in the order of their numbers of keys; of neighbours, whose
 * keys are as dense, those are merged whose file becomes smallest, one after another.
 */
#include <math.h>
#include <stdlib.h>

#include "motion/base/arena.h"
#include "motion/reduce/channel.h"

/* Bytes of the JSON of an accessor of times. */
static const double accessor_bytes = 115;

/* Bytes of a key of a rotation, of another number, and of a time: written as they are, and, as measured in
 * captures, compressed. */
static const double plain_bytes[3] = {8, 4, 4}, compressed_bytes[3] = {3.5, 1.7, 2.6};

typedef struct group {
    reduced_channel **channels;
    size_t count;
    size_t *keys; /* malloc'ed */
    size_t key_count;
    /* With the next one. */
    bool is_tried;
    double gain;
    size_t *merged; /* malloc'ed */
    size_t merged_count;
} group;

typedef struct merging {
    const reduce_limits *limits;
    group *groups;
    size_t count;
    motion_arena arena;
} merging;

static double bytes_of(const merging *m, const group *g, size_t keys) {
    const double *bytes = m->limits->packing.compresses ? compressed_bytes : plain_bytes;
    double per_key = bytes[2];
    for (size_t i = 0; i < g->count; i++) {
        const pm_motion_channel *c = g->channels[i]->source.channel;
        per_key += c->path == PM_MOTION_ROTATION ? bytes[0] : bytes[1] * c->components;
    }
    return accessor_bytes + per_key * (double)keys;
}

static bool join(merging *m, const group *a, const group *b, group *both) {
    *both = (group){.count = a->count + b->count};
    both->channels = motion_allocate(&m->arena, both->count, sizeof(reduced_channel *));
    for (size_t i = 0; both->channels && i < both->count; i++)
        both->channels[i] = i < a->count ? a->channels[i] : b->channels[i - a->count];
    return both->channels != NULL;
}

static bool is_mergeable(const group *a, const group *b) {
    return reduce_has_same_times(a->channels[0]->source.timeline, b->channels[0]->source.timeline);
}

static void forget(group *g) {
    free(g->merged);
    g->merged = NULL;
    g->is_tried = false;
}

static path_end try_next(merging *m, size_t index) {
    group *a = &m->groups[index], *b = a + 1, both;
    a->is_tried = true;
    a->gain = 0;
    if (!is_mergeable(a, b))
        return PATH_FOUND;
    if (!join(m, a, b, &both))
        return PATH_NO_MEMORY;
    const path_end end =
        reduce_search_common(both.channels, both.count, m->limits, &a->merged, &a->merged_count);
    if (end == PATH_FOUND)
        a->gain = bytes_of(m, a, a->key_count) + bytes_of(m, b, b->key_count) -
                  bytes_of(m, &both, a->merged_count);
    return end == PATH_NONE ? PATH_FOUND : end;
}

/* Puts a group whose number of keys has changed in its place. */
static void sort_in(merging *m, size_t index) {
    group *g = m->groups;
    for (; index + 1 < m->count && g[index].key_count > g[index + 1].key_count; index++) {
        const group moved = g[index];
        g[index] = g[index + 1];
        g[index + 1] = moved;
        for (size_t i = index > 0 ? index - 1 : 0; i <= index + 1; i++)
            forget(&g[i]);
    }
    for (; index > 0 && g[index - 1].key_count > g[index].key_count; index--) {
        const group moved = g[index];
        g[index] = g[index - 1];
        g[index - 1] = moved;
        for (size_t i = index > 1 ? index - 2 : 0; i <= index; i++)
            forget(&g[i]);
    }
}

static bool merge_next(merging *m, size_t index) {
    group *a = &m->groups[index], both;
    if (!join(m, a, a + 1, &both))
        return false;
    both.keys = a->merged;
    both.key_count = a->merged_count;
    free(a->keys);
    free(a[1].keys);
    free(a[1].merged);
    *a = both;
    m->count--;
    for (size_t i = index + 1; i < m->count; i++)
        m->groups[i] = m->groups[i + 1];
    if (index > 0)
        forget(a - 1);
    sort_in(m, index);
    return true;
}

static path_end merge_all(merging *m) {
    for (;;) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i + 1 < m->count; i++) {
            const path_end end = m->groups[i].is_tried ? PATH_FOUND : try_next(m, i);
            if (end != PATH_FOUND)
                return end;
            if (m->groups[i].gain > (best == SIZE_MAX ? 0 : m->groups[best].gain))
                best = i;
        }
        if (best == SIZE_MAX)
            return PATH_FOUND;
        if (!merge_next(m, best))
            return PATH_NO_MEMORY;
    }
}

/* ---- the start ----------------------------------------------------------------------------- */

static bool has_keys_of(const group *g, const reduced_channel *c) {
    bool same = g->key_count == c->count &&
                reduce_has_same_times(g->channels[0]->source.timeline, c->source.timeline);
    for (size_t k = 0; same && k < c->count; k++)
        same = g->keys[k] == (c->keys ? c->keys[k] : k);
    return same;
}

static bool add(merging *m, reduced_channel *c, size_t all) {
    size_t i = 0;
    while (i < m->count && !has_keys_of(&m->groups[i], c))
        i++;
    group *g = &m->groups[i];
    if (i == m->count) {
        *g = (group){.channels = motion_allocate(&m->arena, all, sizeof(reduced_channel *)),
                     .keys = malloc((c->count + 1) * sizeof *g->keys),
                     .key_count = c->count};
        m->count++;
        if (!g->channels || !g->keys)
            return false;
        for (size_t k = 0; k < c->count; k++)
            g->keys[k] = c->keys ? c->keys[k] : k;
    }
    g->channels[g->count++] = c;
    return true;
}

static int compare(const void *a, const void *b) {
    const group *x = a, *y = b;
    return (x->key_count > y->key_count) - (x->key_count < y->key_count);
}

path_end merge_times(reduced_channel *channels, size_t count, const reduce_limits *limits) {
    merging m = {.limits = limits};
    m.groups = motion_allocate(&m.arena, count + 1, sizeof *m.groups);
    path_end end = m.groups ? PATH_FOUND : PATH_NO_MEMORY;
    for (size_t c = 0; end == PATH_FOUND && c < count; c++)
        if (channels[c].is_reduced && !channels[c].cubics && channels[c].count > 1 &&
            !reduce_is_held(&channels[c], limits) && !add(&m, &channels[c], count))
            end = PATH_NO_MEMORY;
    if (end == PATH_FOUND && m.count > 0) {
        qsort(m.groups, m.count, sizeof *m.groups, compare);
        end = merge_all(&m);
    }
    for (size_t i = 0; i < m.count; i++) {
        group *g = &m.groups[i];
        for (size_t c = 0; end == PATH_FOUND && c < g->count; c++)
            g->channels[c]->group = i + 1;
        if (end == PATH_FOUND && !reduce_give_keys(g->channels, g->count, g->keys, g->key_count))
            end = PATH_NO_MEMORY;
        free(g->keys);
        free(g->merged);
    }
    motion_arena_release(&m.arena);
    return end;
}
