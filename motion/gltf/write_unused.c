/* SPDX-License-Identifier: MIT
 *
 * Drops accessors and buffer views that nothing refers to, and renumbers the others; where references may
 * be unknown, those of the document stay. A reference beyond the end of its array, as in a clip that is
 * carried over because of it, stays beyond it.
 */
#include <stdlib.h>

#include "motion/gltf/plain_json.h"
#include "motion/gltf/references.h"
#include "motion/gltf/write.h"

/* Elements of one array that are used, and then their new indices. */
typedef struct usage {
    size_t source, count; /* elements without those of new data, and with them */
    size_t kept;
    bool keeps_all;    /* there may be references in places that are not known */
    bool moves_beyond; /* references beyond the end are to stay as far beyond it */
    bool *is_used;
    size_t *renumbered;
    bool has_failed; /* memory is exhausted */
} usage;

static bool usage_make(usage *u, const gltf_writer *w, const char *key, size_t source) {
    u->source = source;
    u->count = json_array_size(json_object_get(w->root, key));
    u->keeps_all = w->document->has_unknown_references;
    u->moves_beyond = w->clip_count > 0;
    u->is_used = calloc(u->count + 1, sizeof *u->is_used);
    u->renumbered = calloc(u->count + 1, sizeof *u->renumbered);
    return u->is_used && u->renumbered;
}

static void usage_release(usage *u) {
    MOTION_FREE(u->is_used, u->renumbered);
}

/* The element that a member refers to, GLTF_NONE if it is none. */
static size_t element_of(const usage *u, const json_t *holder, const char *key) {
    const json_int_t integer = json_integer_value(json_object_get(holder, key));
    return integer >= GLTF_NEW ? u->source + (size_t)(integer - GLTF_NEW)
                               : gltf_index_in(holder, key, u->source);
}

static void mark(void *user, json_t *holder, const char *key) {
    usage *u = user;
    const size_t index = element_of(u, holder, key);
    if (index != GLTF_NONE)
        u->is_used[index] = true;
}

static void renumber(void *user, json_t *holder, const char *key) {
    usage *u = user;
    const size_t index = element_of(u, holder, key);
    const double number = plain_json_number(json_object_get(holder, key));
    const double largest = 9007199254740992.0; /* 2^53 */
    if (index != GLTF_NONE && (u->renumbered[index] != index || index >= u->source)) {
        if (!gltf_set_integer(holder, key, u->renumbered[index]))
            u->has_failed = true;
    } else if (index == GLTF_NONE && u->moves_beyond && number >= (double)u->source &&
               number < largest) {
        if (!gltf_set_integer(holder, key, (size_t)number - u->source + u->kept))
            u->has_failed = true;
    }
}

static void number_used(usage *u) {
    for (size_t i = 0; i < u->count; i++) {
        u->renumbered[i] = u->kept;
        u->kept += u->keeps_all || u->is_used[i];
    }
}

/* Puts an array with the used elements in place of the one under `key`. */
static bool keep_used(json_t *root, const char *key, const usage *u) {
    const json_t *array = json_object_get(root, key);
    if (!array || u->keeps_all)
        return true;
    json_t *kept = json_array();
    bool is_done = kept != NULL;
    for (size_t i = 0; is_done && i < u->count; i++)
        is_done = !u->is_used[i] || json_array_append(kept, json_array_get(array, i)) == 0;
    if (is_done && u->kept > 0)
        return json_object_set_new(root, key, kept) == 0;
    json_decref(kept);
    json_object_del(root, key); /* an empty array is not valid */
    return is_done;
}

/* References of accessors that are dropped do not count. */
static void mark_all(json_t *root, usage *accessors, usage *views) {
    const json_t *array = json_object_get(root, "accessors");
    gltf_visit_accessors(root, mark, accessors);
    for (size_t i = 0; i < accessors->count; i++)
        if (accessors->is_used[i])
            gltf_visit_views_of_accessor(json_array_get(array, i), mark, views);
    gltf_visit_other_views(root, mark, views);
}

static bool renumber_all(json_t *root, usage *accessors, usage *views) {
    gltf_visit_accessors(root, renumber, accessors);
    const json_t *array = json_object_get(root, "accessors");
    for (size_t i = 0; i < json_array_size(array); i++)
        gltf_visit_views_of_accessor(json_array_get(array, i), renumber, views);
    gltf_visit_other_views(root, renumber, views);
    return !accessors->has_failed && !views->has_failed;
}

static bool drop(gltf_writer *w, usage *accessors, usage *views) {
    w->dropped_views = calloc(w->document->view_count + 1, sizeof *w->dropped_views);
    if (!w->dropped_views)
        return false;
    mark_all(w->root, accessors, views);
    number_used(accessors);
    number_used(views);
    for (size_t i = 0; i < w->document->view_count; i++)
        w->dropped_views[i] = !views->is_used[i];
    return keep_used(w->root, "accessors", accessors) && keep_used(w->root, "bufferViews", views) &&
           renumber_all(w->root, accessors, views);
}

pm_status gltf_drop_unused(gltf_writer *w, pm_error *error) {
    SCOPED(usage_release) usage accessors = {0}, views = {0};
    const bool is_done = usage_make(&accessors, w, "accessors", w->accessor_count) &&
                         usage_make(&views, w, "bufferViews", w->view_count) &&
                         drop(w, &accessors, &views);
    return is_done ? PM_OK : motion_refuse_memory(error);
}
