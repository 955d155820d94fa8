/* SPDX-License-Identifier: MIT
 *
 * Breadth first: each round reaches all keys that one more segment reaches. A key that is reached is not
 * tested again, so that each key passes at most one test. A start is finished when 32 ends in a
 * row fail. Beyond 128 keys, ends are tested at steps of a power of two, so that what hardly
 * moves takes linear time; segments of that length are too few for it to matter.
 */
#include "motion/reduce/channel.h"

#include <stdint.h>
#include <stdlib.h>

enum { FAILURES = 32, EVERY_END = 128 };

/* Keys that remain on either side of a place that is searched anew. */
enum { AROUND = 4 };

/* Keys are counted from `first`. */
typedef struct search {
    const path_problem *problem;
    size_t first, count;
    size_t *before; /* the key before each one on the path; SIZE_MAX: not reached */
    size_t *round;  /* keys of this round, falling */
    size_t round_count;
    size_t low;               /* all below are reached */
    size_t nearest, farthest; /* of the keys that the next round begins with */
    size_t *segments;         /* of the path to each key */
} search;

/* The next end after `to`: 1, 2, 4... further, the last key included. */
static size_t next_end(const search *s, size_t from, size_t to) {
    const size_t last = s->count - 1;
    size_t step = 1;
    while ((to + 1 - from) / step > EVERY_END)
        step *= 2;
    const size_t end = from + ((to + 1 - from) + step - 1) / step * step;
    return to < last && end > last ? last : end;
}

static void reach(search *s, size_t from, size_t to) {
    s->before[to] = from;
    s->segments[to] = s->segments[from] + 1;
    s->nearest = to < s->nearest ? to : s->nearest;
    s->farthest = to > s->farthest ? to : s->farthest;
}

static void extend(search *s, size_t from) {
    const path_problem *p = s->problem;
    const size_t count = s->count;
    unsigned failures = 0;
    for (size_t to = next_end(s, from, from < s->low ? s->low - 1 : from);
         to < count && failures < FAILURES; to = next_end(s, from, to)) {
        if (s->before[to] != SIZE_MAX)
            continue;
        if (p->holds(p->user, s->first + from, s->first + to)) {
            reach(s, from, to);
            failures = 0;
        } else if (p->is_over && p->is_over(p->user, s->first + from)) {
            break;
        } else {
            failures++;
        }
    }
}

/* The keys that this round has reached. */
static void gather(search *s) {
    const size_t segments = s->segments[s->round[0]] + 1;
    s->round_count = 0;
    for (size_t key = s->farthest + 1; key-- > s->nearest;)
        if (s->before[key] != SIZE_MAX && s->segments[key] == segments)
            s->round[s->round_count++] = key;
    while (s->low < s->count && s->before[s->low] != SIZE_MAX)
        s->low++;
}

static bool search_all(search *s) {
    const size_t last = s->count - 1;
    s->before[0] = 0;
    s->round[0] = 0;
    s->round_count = s->low = 1;
    if (s->problem->holds(s->problem->user, s->first, s->first + last)) {
        reach(s, 0, last); /* what does not move takes one test */
        return true;
    }
    while (s->before[last] == SIZE_MAX) {
        s->nearest = SIZE_MAX;
        s->farthest = 0;
        for (size_t i = 0; i < s->round_count && s->before[last] == SIZE_MAX; i++)
            extend(s, s->round[i]);
        if (s->nearest == SIZE_MAX)
            return false;
        if (s->before[last] == SIZE_MAX)
            gather(s);
    }
    return true;
}

/* From the last key back. NULL: memory is exhausted. */
static size_t *trace(const search *s, size_t *count) {
    const size_t last = s->count - 1;
    size_t key = last, *keys = malloc((s->segments[last] + 1) * sizeof *keys);
    *count = s->segments[last] + 1;
    for (size_t i = *count; keys && i-- > 0; key = s->before[key])
        keys[i] = s->first + key;
    return keys;
}

/* From one key to another. */
static path_end find_between(const path_problem *problem, size_t first, size_t last, size_t **keys,
                             size_t *count) {
    const size_t n = last - first + 1;
    search s = {.problem = problem, .first = first, .count = n};
    *keys = NULL;
    *count = 0;
    s.before = n < SIZE_MAX / sizeof *s.before ? malloc(n * sizeof *s.before) : NULL;
    s.round = s.before ? malloc(n * sizeof *s.round) : NULL;
    s.segments = s.round ? calloc(n, sizeof *s.segments) : NULL;
    path_end end = PATH_NO_MEMORY;
    if (s.segments) {
        for (size_t i = 0; i < n; i++)
            s.before[i] = SIZE_MAX;
        end = search_all(&s) ? PATH_FOUND : PATH_NONE;
    }
    if (end == PATH_FOUND) {
        *keys = trace(&s, count);
        end = *keys ? PATH_FOUND : PATH_NO_MEMORY;
    } else if (end == PATH_NONE) {
        while (*count < n && s.before[*count] != SIZE_MAX)
            ++*count;
    }
    free(s.before);
    free(s.round);
    free(s.segments);
    return end;
}

path_end path_find(const path_problem *problem, size_t **keys, size_t *count) {
    return find_between(problem, 0, problem->count - 1, keys, count);
}

/* The last of the keys to search to, of segment `at` and those after it that do not hold either: a place is searched
 * with some keys on either side. 0: all segments hold. */
static size_t find_place(const path_problem *p, const size_t *keys, size_t count, size_t *at) {
    size_t end = 0;
    for (size_t i = *at; i + 1 < count && (end == 0 || i <= end); i++) {
        if (p->holds(p->user, keys[i], keys[i + 1]))
            continue;
        *at = end > 0 ? *at : i > *at + AROUND ? i - AROUND : *at;
        end = i + 1 + AROUND < count ? i + 1 + AROUND : count - 1;
    }
    return end;
}

path_end path_mend(const path_problem *problem, size_t **keys, size_t *count) {
    size_t *made = malloc(problem->count * sizeof *made), made_count = 0;
    path_end end = made ? PATH_FOUND : PATH_NO_MEMORY;
    for (size_t at = 0; end == PATH_FOUND;) {
        size_t from = at, found_count, *found = NULL;
        const size_t to = find_place(problem, *keys, *count, &from);
        for (const size_t same = to > 0 ? from : *count; at < same; at++)
            made[made_count++] = (*keys)[at];
        if (to == 0)
            break;
        end = find_between(problem, (*keys)[from], (*keys)[to], &found, &found_count);
        for (size_t i = 0; end == PATH_FOUND && i + 1 < found_count; i++)
            made[made_count++] = found[i];
        free(found);
        at = to;
    }
    free(end == PATH_FOUND ? *keys : made);
    if (end == PATH_FOUND) {
        *keys = made;
        *count = made_count;
    }
    return end;
}
