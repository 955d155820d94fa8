/* SPDX-License-Identifier: MIT
 *
 * Makes identifiers of names. Other characters become underscores; siblings whose names are equal then
 * get numbers (free_names.h).
 */
#include "motion/usd/usd_names.h"

#include <stdlib.h>
#include <string.h>

#include "motion/model/free_names.h"
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

/* Siblings have different names. */
static bool make_all(usd_names *n, const pm_motion_content *content) {
    SCOPED(free_names_close) free_names names;
    bool good = free_names_open(&names, content->node_count, &n->arena);
    for (size_t i = 0; good && i < content->node_count; i++) {
        const char *text = make_name(n, content->nodes[i].name);
        pm_motion_name name = {text, text ? strlen(text) : 0};
        good = text && free_names_take(&names, content->nodes[i].parent, name, &name);
        n->names[i] = name.text;
    }
    return good;
}

pm_status usd_names_make(usd_names *n, const pm_motion_content *content, pm_error *error) {
    const size_t count = content->node_count;
    size_t bytes = 0;
    *n = (usd_names){.names = calloc(count, sizeof *n->names),
                     .order = calloc(count, sizeof *n->order),
                     .place = calloc(count, sizeof *n->place),
                     .chain = calloc(count, sizeof *n->chain)};
    const bool good = n->names && n->order && n->place && n->chain && make_all(n, content) &&
                      motion_order_nodes(content->nodes, count, n->order, n->place) &&
                      count_bytes(n, content, &bytes);
    MOTION_TRY_MEMORY(good, error);
    return bytes < MOST_BYTES
               ? PM_OK
               : motion_refuse(error, "the paths of its joints have more than 64 MiB");
}

void usd_names_release(usd_names *n) {
    MOTION_FREE(n->names, n->order, n->place, n->chain);
    motion_arena_release(&n->arena);
}
