/* SPDX-License-Identifier: MIT
 *
 * Writes the motions that a library has, which are from any files, to one.
 */
#include <stdlib.h>

#include "motion/library/library.h"

/* Rows of a motion, before they are merged with those of others. */
typedef struct place {
    const pm_library_content *from;
    size_t order; /* of its part: which motion was the first of it */
    size_t first, end;
    size_t motion; /* of the file */
} place;

typedef struct saved {
    pm_library_content content;
    pm_library_motion *motions;
    place *places;
    library_span *spans;
    size_t count, span_count;
    motion_arena arena;
} saved;

static int compare_places(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Parts by their addresses, with the first motion of each. */
static int compare_parts(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->from != y->from)
        return (uintptr_t)x->from < (uintptr_t)y->from ? -1 : 1;
    return (x->motion > y->motion) - (x->motion < y->motion);
}

/* Parts are in the order of their first motions. */
static void order_parts(saved *s) {
    qsort(s->places, s->count, sizeof *s->places, compare_parts);
    for (size_t i = 0; i < s->count; i++) {
        const bool same = i > 0 && s->places[i].from == s->places[i - 1].from;
        s->places[i].order = same ? s->places[i - 1].order : s->places[i].motion;
    }
    qsort(s->places, s->count, sizeof *s->places, compare_places);
}

/* Rows that motions share stay shared, and rows that none has are left out. */
static void merge(saved *s) {
    size_t rows = 0;
    order_parts(s);
    for (size_t i = 0; i < s->count; i++) {
        const place *p = &s->places[i];
        library_span *last = s->span_count ? &s->spans[s->span_count - 1] : NULL;
        if (!last || last->from != p->from || p->first > last->first + last->count) {
            last = &s->spans[s->span_count++];
            *last = (library_span){.from = p->from, .first = p->first, .at = rows};
        }
        const size_t end = last->first + last->count;
        if (p->end > end) {
            last->count += p->end - end;
            rows += p->end - end;
        }
        s->motions[p->motion].first = last->at + (p->first - last->first);
    }
    s->content.row_count = rows;
}

static pm_status list(saved *s, const library_state *state, pm_error *error) {
    s->motions = motion_allocate(&s->arena, state->count, sizeof *s->motions);
    s->places = motion_allocate(&s->arena, state->count, sizeof *s->places);
    s->spans = motion_allocate(&s->arena, state->count, sizeof *s->spans);
    if (!s->motions || !s->places || !s->spans)
        return motion_refuse_memory(error);
    double sum = 0;
    for (size_t id = 0; id < state->count; id++) {
        const library_entry *e = state->entries[id];
        if (!e)
            continue;
        const size_t first = (size_t)e->motion.first;
        s->places[s->count] = (place){.from = &e->part->content,
                                      .first = first,
                                      .end = first + (size_t)e->motion.frames,
                                      .motion = s->count};
        s->motions[s->count] = e->motion;
        s->motions[s->count++].weight = state->weights[id];
        sum += state->weights[id];
    }
    return sum > 0 ? PM_OK
                   : motion_fail(error, PM_ERROR_ARGUMENT,
                                 "weights: expected numbers that are not all 0");
}

/* Content with the motions and without rows. */
static pm_status make_content(saved *s, const pm_library_content *c, pm_error *error) {
    pm_library_extra *extras = motion_allocate(&s->arena, c->extra_count, sizeof *extras);
    if (!extras)
        return motion_refuse_memory(error);
    s->content = *c;
    s->content.motions = s->motions;
    s->content.motion_count = s->count;
    merge(s);
    for (size_t i = 0; i < c->extra_count; i++) {
        extras[i] = c->extras[i];
        extras[i].shape[0] = (size_t)s->content.row_count;
        extras[i].data = NULL;
    }
    s->content.extras = extras;
    s->content.root_rotations = s->content.key_rotations = NULL;
    s->content.key_codes = NULL;
    s->content.key_positions = s->content.angles = NULL;
    return PM_OK;
}

static pm_status save(const pm_library *library, const library_state *state,
                      const pm_library_write_options *options, const char *path, pm_error *error) {
    const pm_library_content *c = &library->part->content;
    pm_library_write_options writing = *options;
    saved s = {0};
    writing.coded_keys = writing.coded_keys || c->key_codes;
    pm_status status = list(&s, state, error);
    if (status == PM_OK)
        status = make_content(&s, c, error);
    if (status == PM_OK)
        status = library_write(&s.content, s.spans, s.span_count, &writing, path, error);
    motion_arena_release(&s.arena);
    return status;
}

pm_status pm_library_save(const pm_library *library, const pm_library_write_options *options,
                          const char *path, pm_error *error) {
    static const pm_library_write_options defaults;
    if (!library || !path)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", library ? "path" : "library");
    options = options ? options : &defaults;
    MOTION_TRY(library_check_writing(&library->part->content, options, error));
    const library_held held = library_hold(library);
    const pm_status status = save(library, held.state, options, path, error);
    library_let(&held);
    return status;
}

static pm_status append(pm_library *file, const pm_library *library, const uint32_t *ids,
                        size_t count, const char *path, pm_error *error) {
    const pm_library_write_options options = {
        .short_angles = array_file_find(&file->part->file, "dof_scale") != NULL};
    const pm_library_edit edit = {.from = library, .motions = ids, .motion_count = count};
    MOTION_TRY(pm_library_change(file, &edit, NULL, error));
    return pm_library_save(file, &options, path, error);
}

pm_status pm_library_append(const char *path, const pm_library *library, pm_error *error) {
    SCOPED(pm_library_destroy) pm_library *file = NULL;
    if (!path || !library)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", path ? "library" : "path");
    MOTION_TRY(pm_library_open(NULL, path, NULL, &file, error));
    const size_t room = pm_library_list(library, NULL, 0);
    FREED uint32_t *ids = calloc(room + 1, sizeof *ids);
    const size_t found = ids ? pm_library_list(library, ids, room) : 0;
    return ids ? append(file, library, ids, found < room ? found : room, path, error)
               : motion_refuse_memory(error);
}
