/* SPDX-License-Identifier: MIT
 *
 * Writes an NPZ file with other frames: members with a row per frame are made in memory, the rates
 * are replaced, and all others are copied as they are, in the order of the source.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/npz/npz_numbers.h"
#include "motion/npz/npz_write.h"
#include "motion/npz/zip_fields.h"
#include "motion/time/rate.h"

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

static pm_status store_integer(const npz_rate *source, const zip_member *member, pm_rational rate,
                               char *at, pm_error *error) {
    size_t size;
    bool is_signed;
    char text[RATE_TEXT];
    npz_is_integer(source->type, &size, &is_signed);
    const uint64_t most = UINT64_MAX >> (64 - 8 * size) >> (is_signed ? 1 : 0);
    rate_describe(rate, text);
    if (rate.den != 1 || (uint64_t)rate.num > most)
        return npz_refuse(error, member,
                          "has the integer type '%s', which cannot hold %s; expected a rate that "
                          "it can hold",
                          source->type, text);
    zip_put(at, (uint64_t)rate.num, (unsigned)size);
    return PM_OK;
}

/* Writes a member with the rate, with that of the samples. */
static pm_status write_rate(const writing *w, zip_writer *zip, const npz_rate *rate) {
    const zip_member *member = &w->document->archive.members[rate->member];
    const pm_rational now = w->samples->rate;
    const double value = rate_value(now);
    pm_status status = PM_OK;
    if (now.num == rate->rate.num && now.den == rate->rate.den)
        return zip_write_member(zip, member, w->error);
    char *bytes = malloc(rate->bytes.size);
    if (!bytes)
        return motion_refuse_memory(w->error);
    memcpy(bytes, rate->bytes.data, rate->bytes.size);
    if (npz_is_float(rate->type))
        npz_store_numbers(bytes + rate->data_at, &value, npy_element_size(rate->type), 1);
    else
        status = store_integer(rate, member, now, bytes + rate->data_at, w->error);
    if (status == PM_OK)
        status = zip_write_bytes(zip, member, (zip_bytes){bytes, rate->bytes.size}, w->error);
    free(bytes);
    return status;
}

/* Writes the member with the times of frames: that which it is if the samples have no rate. */
static pm_status write_times(const writing *w, zip_writer *zip) {
    const zip_member *member = &w->document->archive.members[w->document->times_member];
    char header[NPY_WRITTEN_MAX];
    npy_header h = w->document->times_header;
    const size_t element = npy_element_size(h.type);
    if (w->samples->rate.den == 0) /* at the keys */
        return zip_write_member(zip, member, w->error);
    h.shape[0] = (size_t)w->samples->count;
    const size_t begin = npy_write_any_header(&h, header);
    if (h.shape[0] > (SIZE_MAX / 2 - begin) / element)
        return motion_refuse_memory(w->error);
    const size_t size = begin + h.shape[0] * element;
    char *bytes = malloc(size);
    if (!bytes)
        return motion_refuse_memory(w->error);
    memcpy(bytes, header, begin);
    for (size_t k = 0; k < h.shape[0]; k++) {
        const double time = motion_sample_time(w->samples, k);
        npz_store_numbers(bytes + begin + k * element, &time, element, 1);
    }
    const pm_status status = zip_write_bytes(zip, member, (zip_bytes){bytes, size}, w->error);
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
            status = write_times(w, zip);
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
        return npz_write_new(given, sink, error);
    writing w = {.document = motion->document, .error = error};
    zip_writer zip = {.sink = sink};
    pm_status status = PM_OK;
    if (count > 1 || (count == 1 && (samples->clip != 0 || samples->count == 0)))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "an NPZ file has one clip, with a sample or more");
    w.samples = count == 1 ? samples : NULL;
    if (w.samples)
        status = npz_make_outputs(w.document, motion->content.clips, samples, &w.outputs, error);
    if (status == PM_OK)
        status = write_archive(&w, &zip);
    zip_writer_release(&zip);
    npz_release_outputs(w.document, w.outputs);
    return status;
}
