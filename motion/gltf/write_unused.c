/* SPDX-License-Identifier: MIT
 *
 * Drops accessors and buffer views that nothing refers to, and renumbers the others. A reference
 * beyond the end of its array, as in a clip that is carried over because of it, stays beyond it.
 */
#include <stdlib.h>

#include "motion/gltf/plain_json.h"
#include "motion/gltf/references.h"
#include "motion/gltf/write.h"

/* Elements of one array that are used, and then their new indices. */
typedef struct usage {
    size_t count;
    bool *is_used;
    size_t *renumbered;
    bool has_failed; /* memory is exhausted */
} usage;

static bool usage_make(usage *u, size_t count) {
    u->count = count;
    u->is_used = calloc(count + 1, sizeof *u->is_used);
    u->renumbered = calloc(count + 1, sizeof *u->renumbered);
    return u->is_used && u->renumbered;
}

static void usage_release(usage *u) {
    free(u->is_used);
    free(u->renumbered);
}

static void mark(void *user, json_t *holder, const char *key) {
    usage *u = user;
    const size_t index = gltf_index_in(holder, key, u->count);
    if (index != GLTF_NONE)
        u->is_used[index] = true;
}

static void renumber(void *user, json_t *holder, const char *key) {
    usage *u = user;
    const size_t index = gltf_index_in(holder, key, u->count);
    if (index != GLTF_NONE && u->renumbered[index] != index &&
        !gltf_set_integer(holder, key, u->renumbered[index]))
        u->has_failed = true;
}

/* Puts an array with the used elements in place of the one under `key`. */
static bool keep_used(json_t *root, const char *key, usage *u) {
    const json_t *array = json_object_get(root, key);
    if (!array)
        return true;
    json_t *kept = json_array();
    if (!kept)
        return false;
    for (size_t i = 0; i < u->count; i++) {
        u->renumbered[i] = json_array_size(kept);
        if (u->is_used[i] && json_array_append(kept, json_array_get(array, i)) != 0) {
            json_decref(kept);
            return false;
        }
    }
    if (json_array_size(kept) > 0)
        return json_object_set_new(root, key, kept) == 0;
    json_decref(kept);
    json_object_del(root, key); /* an empty array is not valid */
    return true;
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
    mark_all(w->root, accessors, views);
    w->dropped_views = calloc(w->document->view_count + 1, sizeof *w->dropped_views);
    if (!w->dropped_views)
        return false;
    for (size_t i = 0; i < w->document->view_count; i++)
        w->dropped_views[i] = !views->is_used[i];
    return keep_used(w->root, "accessors", accessors) && keep_used(w->root, "bufferViews", views) &&
           renumber_all(w->root, accessors, views);
}

/* ---- references beyond the end ------------------------------------------------------------- */

/* Where such references are while elements are added and dropped. */
#define BEYOND (UINT64_C(1) << 52)

typedef struct beyond {
    size_t count; /* of elements: of the source, and then of the output */
    bool is_back;
    bool has_failed;
} beyond;

static void move_beyond(void *user, json_t *holder, const char *key) {
    beyond *b = user;
    const double number = plain_json_number(json_object_get(holder, key));
    if (!(number >= (double)b->count && number < 2 * (double)BEYOND))
        return;
    const uint64_t index = (uint64_t)number;
    const bool is_far = index >= BEYOND;
    if (is_far == b->is_back &&
        json_object_set_new(holder, key,
                            json_integer((json_int_t)(is_far ? index - BEYOND + b->count
                                                             : index - b->count + BEYOND))) != 0)
        b->has_failed = true;
}

static pm_status move_all_beyond(json_t *root, size_t accessors, size_t views, bool is_back,
                                 pm_error *error) {
    const json_t *array = json_object_get(root, "accessors");
    beyond a = {accessors, is_back, false}, v = {views, is_back, false};
    gltf_visit_accessors(root, move_beyond, &a);
    for (size_t i = 0; i < json_array_size(array); i++)
        gltf_visit_views_of_accessor(json_array_get(array, i), move_beyond, &v);
    gltf_visit_other_views(root, move_beyond, &v);
    return a.has_failed || v.has_failed ? motion_refuse_memory(error) : PM_OK;
}

pm_status gltf_set_beyond_apart(gltf_writer *w, pm_error *error) {
    return move_all_beyond(w->root, w->document->accessor_count, w->document->view_count, false,
                           error);
}

pm_status gltf_put_beyond_back(gltf_writer *w, pm_error *error) {
    return move_all_beyond(w->root, json_array_size(json_object_get(w->root, "accessors")),
                           json_array_size(json_object_get(w->root, "bufferViews")), true, error);
}

/* ---- all ----------------------------------------------------------------------------------- */

pm_status gltf_drop_unused(gltf_writer *w, pm_error *error) {
    usage accessors = {0}, views = {0};
    const bool is_done =
        usage_make(&accessors, json_array_size(json_object_get(w->root, "accessors"))) &&
        usage_make(&views, json_array_size(json_object_get(w->root, "bufferViews"))) &&
        drop(w, &accessors, &views);
    usage_release(&accessors);
    usage_release(&views);
    return is_done ? PM_OK : motion_refuse_memory(error);
}
