/* SPDX-License-Identifier: MIT
 *
 * Makes identifiers of names. Other characters become underscores; siblings whose names are equal then
 * get numbers.
 */
#include "motion/usd/usd_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/model/order.h"

/* Of all paths together: a chain of n joints has paths of n^2 names. */
enum { MOST_BYTES = 1 << 26 };

static bool is_part(char c, bool first) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           (!first && c >= '0' && c <= '9');
}

static char *make_name(usd_names *n, pm_motion_name name) {
    const bool prefixed = name.size == 0 || (*name.text >= '0' && *name.text <= '9');
    char *text = motion_allocate(&n->arena, name.size + 2, 1);
    if (!text)
        return NULL;
    text[0] = '_';
    for (size_t i = 0; i < name.size; i++)
        text[i + prefixed] = is_part(name.text[i], i + prefixed == 0) ? name.text[i] : '_';
    return text;
}

/* The bytes of all paths, counted for the bound. */
static bool count_bytes(const usd_names *n, const pm_motion_content *content, size_t *bytes) {
    FREED size_t *lengths = calloc(content->node_count, sizeof *lengths);
    for (size_t i = 0; lengths && i < content->node_count; i++) {
        const uint32_t at = n->order[i];
        const int32_t parent = content->nodes[at].parent;
        lengths[at] = strlen(n->names[at]) + 1 + (parent >= 0 ? lengths[parent] : 0);
        *bytes = *bytes < MOST_BYTES ? *bytes + lengths[at] : *bytes;
    }
    return lengths != NULL;
}

typedef struct sibling {
    int32_t parent;
    uint32_t node;
    char **name;
} sibling;

static int compare(const void *x, const void *y) {
    const sibling *a = x, *b = y;
    const int order = a->parent != b->parent ? (a->parent > b->parent) - (a->parent < b->parent)
                                             : strcmp(*a->name, *b->name);
    return order != 0 ? order : (a->node > b->node) - (a->node < b->node);
}

/* Gives all but the first of equal siblings a number; *changed: a name may now be that of another. */
static bool number_equal(usd_names *n, sibling *all, size_t count, bool *changed) {
    *changed = false;
    qsort(all, count, sizeof *all, compare);
    for (size_t i = 1, first = 0; i < count; i++) {
        if (all[i].parent != all[first].parent || strcmp(*all[i].name, *all[first].name) != 0) {
            first = i;
            continue;
        }
        const size_t size = strlen(*all[i].name) + 16;
        char *text = motion_allocate(&n->arena, size, 1);
        if (!text)
            return false;
        (void)snprintf(text, size, "%s_%u", *all[i].name, (unsigned)all[i].node);
        *all[i].name = text;
        *changed = true;
    }
    return true;
}

static bool make_unique(usd_names *n, const pm_motion_content *content) {
    FREED sibling *all = calloc(content->node_count, sizeof *all);
    bool good = all != NULL, changed = true;
    for (uint32_t i = 0; good && i < content->node_count; i++)
        all[i] = (sibling){content->nodes[i].parent, i, &n->names[i]};
    while (good && changed)
        good = number_equal(n, all, content->node_count, &changed);
    return good;
}

pm_status usd_names_make(usd_names *n, const pm_motion_content *content, pm_error *error) {
    const size_t count = content->node_count;
    size_t bytes = 0;
    *n = (usd_names){.names = calloc(count, sizeof *n->names),
                     .order = calloc(count, sizeof *n->order),
                     .place = calloc(count, sizeof *n->place),
                     .chain = calloc(count, sizeof *n->chain)};
    bool good = n->names && n->order && n->place && n->chain;
    for (size_t i = 0; good && i < count; i++) {
        n->names[i] = make_name(n, content->nodes[i].name);
        good = n->names[i] != NULL;
    }
    good = good && motion_order_nodes(content->nodes, count, n->order, n->place) &&
           make_unique(n, content) && count_bytes(n, content, &bytes);
    MOTION_TRY_MEMORY(good, error);
    return bytes < MOST_BYTES
               ? PM_OK
               : motion_refuse(error, "the paths of its joints have more than 64 MiB");
}

void usd_names_release(usd_names *n) {
    free(n->names);
    free(n->order);
    free(n->place);
    free(n->chain);
    motion_arena_release(&n->arena);
}
