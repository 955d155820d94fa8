/* SPDX-License-Identifier: MIT
 *
 * Compares members by their names and types, and finds their rows.
 */
#include "motion/npz/npz_write.h"

#include <stdlib.h>
#include <string.h>

static bool is_same_member(const npz_document *a, const npz_rows *x, const npz_document *b,
                           const npz_rows *y) {
    const zip_bytes m = a->archive.members[x->member].name, n = b->archive.members[y->member].name;
    return m.size == n.size && memcmp(m.data, n.data, m.size) == 0 && x->role == y->role &&
           x->element == y->element && x->width == y->width && x->column == y->column &&
           x->channel == y->channel && strcmp(x->header.type, y->header.type) == 0;
}

static bool has_same_rows(const npz_document *a, const npz_document *b) {
    bool same = a->row_count == b->row_count;
    for (size_t r = 0; same && r < a->row_count; r++)
        same = is_same_member(a, &a->rows[r], b, &b->rows[r]);
    return same;
}

bool npz_shares_rows(const pm_motion *a, const pm_motion *b) {
    return b->format == &motion_npz && has_same_rows(a->document, b->document);
}

pm_status npz_source_rows(const npz_document *document, const npz_rows *rows, const char **data,
                          char **extracted, pm_error *error) {
    zip_bytes bytes;
    *data = rows->data;
    if (!rows->converted)
        return PM_OK;
    MOTION_TRY(zip_extract(&document->archive.members[rows->member], &bytes, extracted, error));
    *data = bytes.data + rows->header.data_at;
    return PM_OK;
}

static pm_status add_source(npz_sources *sources, const npz_document *document,
                            const npz_document *of, pm_error *error) {
    npz_source **all = realloc(sources->all, (sources->count + 1) * sizeof(npz_source *));
    sources->all = all ? all : sources->all;
    npz_source *source = all ? calloc(1, sizeof *source) : NULL;
    MOTION_TRY_MEMORY(source, error);
    all[sources->count++] = source;
    source->of = of;
    if (!has_same_rows(document, of))
        return PM_OK;
    source->rows = calloc(of->row_count + 1, sizeof *source->rows);
    source->extracted = calloc(of->row_count + 1, sizeof *source->extracted);
    MOTION_TRY_MEMORY(source->rows && source->extracted, error);
    for (size_t r = 0; r < of->row_count; r++)
        MOTION_TRY(
            npz_source_rows(of, &of->rows[r], &source->rows[r], &source->extracted[r], error));
    return PM_OK;
}

pm_status npz_find_source(npz_sources *sources, const npz_document *document,
                          const pm_motion *motion, const npz_source **found, pm_error *error) {
    pm_status status = PM_OK;
    size_t i = 0;
    *found = NULL;
    if (motion->format != &motion_npz)
        return PM_OK;
    while (i < sources->count && sources->all[i]->of != motion->document)
        i++;
    if (i == sources->count)
        status = add_source(sources, document, motion->document, error);
    if (status == PM_OK && sources->all[i]->rows)
        *found = sources->all[i];
    return status;
}

void npz_release_sources(npz_sources *sources, const npz_document *document) {
    for (size_t i = 0; i < sources->count; i++) {
        for (size_t r = 0; sources->all[i]->extracted && r < document->row_count; r++)
            free(sources->all[i]->extracted[r]);
        MOTION_FREE(sources->all[i]->extracted, sources->all[i]->rows, sources->all[i]);
    }
    free(sources->all);
}
