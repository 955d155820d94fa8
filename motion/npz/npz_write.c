/* SPDX-License-Identifier: MIT
 *
 * Writes an NPZ file with other frames: members with a row per frame are made in memory, the rates
 * are replaced, and all others are copied as they are, in the order of the source.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/npz/npz_numbers.h"
#include "motion/npz/npz_write.h"

#include "motion/npz/npz_compose.h"

typedef struct writing {
    const npz_document *document;
    const motion_samples *samples; /* NULL: the document as it was read */
    npz_output *outputs;
    pm_error *error;
} writing;

/* ---- the archive --------------------------------------------------------------------------- */

/* A copy of the output in Fortran order. */
static char *reorder(const writing *w, const npz_rows *rows, const npz_output *out) {
    char header[NPY_WRITTEN_MAX];
    npy_header h = rows->header;
    h.shape[0] = (size_t)w->samples->count;
    const size_t rows_at = npy_write_any_header(&h, header);
    char *ordered = malloc(out->size + 1);
    if (!ordered)
        return NULL;
    memcpy(ordered, header, rows_at);
    npz_to_fortran_order(ordered + rows_at, out->bytes + rows_at, &h, rows->element);
    return ordered;
}

static pm_status write_rows(const writing *w, zip_writer *zip, size_t r) {
    const npz_rows *rows = &w->document->rows[r];
    const npz_output *out = &w->outputs[r];
    const zip_member *member = &w->document->archive.members[rows->member];
    const bool reordered = npz_is_reordered(rows);
    if (out->packing)
        return zip_write_packing(zip, member, out->packing, w->error);
    char *ordered = reordered ? reorder(w, rows, out) : NULL;
    if (reordered && !ordered)
        return motion_refuse_memory(w->error);
    const zip_bytes bytes = {ordered ? ordered : out->bytes, out->size};
    const pm_status status = zip_write_bytes(zip, member, bytes, w->error);
    free(ordered);
    return status;
}

static pm_status write_rate(const writing *w, zip_writer *zip, const npz_rate *rate) {
    const zip_archive *archive = &w->document->archive;
    const pm_rational now = w->samples->rate;
    char *bytes = NULL;
    if (now.num == rate->rate.num && now.den == rate->rate.den)
        return zip_write_member(zip, &archive->members[rate->member], w->error);
    pm_status status = npz_make_rate(archive, rate, now, &bytes, w->error);
    if (status == PM_OK)
        status = zip_write_bytes(zip, &archive->members[rate->member],
                                 (zip_bytes){bytes, rate->bytes.size}, w->error);
    free(bytes);
    return status;
}

/* Where a member's new bytes come from: an index among the rows, or behind them among the rates. */
static size_t *map_members(const npz_document *document) {
    size_t *of_member = malloc((document->archive.count + 1) * sizeof *of_member);
    for (size_t i = 0; of_member && i < document->archive.count; i++)
        of_member[i] = SIZE_MAX;
    for (size_t i = 0; of_member && i < document->rate_count; i++)
        of_member[document->rates[i].member] = document->row_count + i;
    for (size_t i = 0; of_member && i < document->row_count; i++)
        of_member[document->rows[i].member] = i;
    return of_member;
}

static pm_status write_archive(const writing *w, zip_writer *zip) {
    const npz_document *d = w->document;
    size_t *source = map_members(d);
    pm_status status = PM_OK;
    if (!source)
        return motion_refuse_memory(w->error);
    for (size_t i = 0; status == PM_OK && i < d->archive.count; i++)
        if (w->samples && d->has_times && i == d->times_member)
            status = npz_write_times(d, w->samples, zip, w->error);
        else if (source[i] == SIZE_MAX || !w->samples)
            status = zip_write_member(zip, &d->archive.members[i], w->error);
        else if (source[i] < d->row_count)
            status = write_rows(w, zip, source[i]);
        else
            status = write_rate(w, zip, &d->rates[source[i] - d->row_count]);
    free(source);
    return status == PM_OK ? zip_write_end(zip, d->archive.comment, w->error) : status;
}

pm_status npz_write(const motion_writing *given, const motion_sink *sink, pm_error *error) {
    const pm_motion *motion = given->document;
    const motion_samples *samples = given->samples;
    const size_t count = given->sample_count;
    if (!motion)
        return npz_compose(given->motion, given, sink, error);
    writing w = {.document = motion->document, .error = error};
    zip_writer zip = {.sink = sink};
    pm_status status = PM_OK;
    if (count > 1 || (count == 1 && (samples->clip != 0 || samples->count == 0)))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "an NPZ file has one clip, with a sample or more");
    w.samples = count == 1 ? samples : NULL;
    if (w.samples)
        status = npz_make_outputs(motion, samples, &w.outputs, error);
    if (status == PM_OK)
        status = write_archive(&w, &zip);
    zip_writer_release(&zip);
    npz_release_outputs(w.document, w.outputs);
    return status;
}
