/* SPDX-License-Identifier: MIT
 *
 * Writes an NPZ file with other frames: members with a row per frame are made in memory, the rates
 * are replaced, and all others are copied as they are, in the order of the source. Many rows of a
 * compressed member are made and compressed some at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/base/os.h"
#include "motion/npz/npz_numbers.h"
#include "motion/npz/npz_write.h"
#include "motion/npz/zip_fields.h"
#include "motion/time/rate.h"

/* At most the larger of the first and a part of the rows are made before they are compressed: every span
 * prepares all keys once more. */
enum { SPAN_BYTES = 32 << 20, SPANS = 3 };

/* Of rows that are not kept. */
enum { STREAM_BYTES = 1 << 16 };

/* Whether rows are written in Fortran order, which requires all of them. */
static bool is_reordered(const npz_rows *rows) {
    return rows->header.fortran_order && rows->width > 1;
}

/* Others are written from all of their rows. */
static bool is_written_early(const npz_writer *w, const npz_rows *rows) {
    return w->is_streamed || (w->document->archive.members[rows->member].method == ZIP_DEFLATED &&
                              !is_reordered(rows));
}

static uint64_t rows_of_span(const npz_writer *w) {
    uint64_t bytes = 1; /* of a row */
    for (size_t r = 0; r < w->document->row_count; r++)
        bytes += is_written_early(w, &w->document->rows[r])
                     ? w->document->rows[r].width * w->document->rows[r].element
                     : 0;
    const uint64_t least = (w->is_streamed ? STREAM_BYTES : SPAN_BYTES) / bytes + 1;
    const uint64_t part = w->is_streamed ? 1 : w->samples->count / SPANS + 1;
    const uint64_t most = least > part ? least : part;
    return most < w->samples->count ? most : w->samples->count;
}

static pm_status put_span(npz_writer *w, npz_output *out, zip_bytes span, bool is_last) {
    if (w->is_counted)
        return zip_write_piece(&w->zip, span, w->error);
    if (out->packing && !zip_packing_add(out->packing, span, is_last))
        return motion_refuse_memory(w->error);
    if (!out->packing)
        out->crc = zip_continue_checksum(out->crc, span);
    if (out->packing && is_last) {
        free(out->bytes);
        out->bytes = NULL;
    }
    return PM_OK;
}

static pm_status put_spans(npz_writer *w) {
    const bool is_last = w->first + w->rows == w->samples->count;
    for (size_t r = 0; r < w->document->row_count; r++) {
        npz_output *out = &w->outputs[r];
        const size_t from = w->first == 0 ? 0 : out->rows_at;
        const size_t end = out->rows_at + (size_t)w->rows * out->row_size;
        if (out->is_partial)
            MOTION_TRY(put_span(w, out, (zip_bytes){out->bytes + from, end - from}, is_last));
    }
    return PM_OK;
}

static pm_status make_spans(npz_writer *w) {
    const uint64_t most = w->rows;
    pm_status status = PM_OK;
    for (w->first = 0; status == PM_OK && w->first < w->samples->count; w->first += most) {
        const uint64_t left = w->samples->count - w->first;
        w->rows = left < most ? left : most;
        status = npz_make_rows(w);
        if (status == PM_OK)
            status = put_spans(w);
    }
    w->rows = most;
    return status;
}

static pm_status make_output(const npz_writer *w, const npz_rows *rows, npz_output *out) {
    char header[NPY_WRITTEN_MAX];
    npy_header h = rows->header;
    const bool continues = npz_is_rotation(rows->role) && !w->is_streamed;
    h.shape[0] = (size_t)w->samples->count;
    out->rows_at = npy_write_any_header(&h, header);
    out->row_size = rows->width * rows->element;
    if (out->row_size > 0 && h.shape[0] > (SIZE_MAX / 2 - out->rows_at) / out->row_size)
        return motion_refuse_memory(w->error);
    out->size = out->rows_at + h.shape[0] * out->row_size;
    out->is_partial = w->is_streamed || (w->rows < w->samples->count && is_written_early(w, rows));
    const bool is_packed = out->is_partial && !w->is_streamed;
    out->packing = is_packed ? zip_packing_begin() : NULL;
    const size_t bytes =
        out->is_partial ? out->rows_at + (size_t)w->rows * out->row_size : out->size;
    out->bytes = malloc(bytes);
    os_ask_for_huge_pages(out->bytes, bytes);
    out->near = continues ? calloc(rows->width, sizeof *out->near) : NULL;
    if (!out->bytes || (is_packed && !out->packing) || (continues && !out->near))
        return motion_refuse_memory(w->error);
    memcpy(out->bytes, header, out->rows_at);
    return npz_source_rows(w->document, rows, &out->source, &out->extracted, w->error);
}

static pm_status reorder(const npz_writer *w, const npz_rows *rows, npz_output *out) {
    npy_header h = rows->header;
    char *ordered = malloc(out->size);
    MOTION_TRY_MEMORY(ordered, w->error);
    h.shape[0] = (size_t)w->samples->count;
    memcpy(ordered, out->bytes, out->rows_at);
    npz_reorder(ordered + out->rows_at, out->bytes + out->rows_at, &h, rows->element, true);
    free(out->bytes);
    out->bytes = ordered;
    return PM_OK;
}

/* Memory for rows. Release it also on failure. */
static pm_status prepare(npz_writer *w) {
    w->rows = rows_of_span(w);
    w->outputs = calloc(w->document->row_count + 1, sizeof *w->outputs);
    MOTION_TRY(w->outputs ? npz_prepare_rows(w) : motion_refuse_memory(w->error));
    for (size_t r = 0; r < w->document->row_count; r++)
        MOTION_TRY(make_output(w, &w->document->rows[r], &w->outputs[r]));
    return PM_OK;
}

static void release_outputs(const npz_writer *w) {
    for (size_t r = 0; w->outputs && r < w->document->row_count; r++) {
        free(w->outputs[r].bytes);
        zip_packing_release(w->outputs[r].packing);
        MOTION_FREE(w->outputs[r].extracted, w->outputs[r].near);
    }
    free(w->outputs);
}

static pm_status make_outputs(npz_writer *w) {
    pm_status status = prepare(w);
    if (status == PM_OK)
        status = make_spans(w);
    npz_release_rows(w);
    for (size_t r = 0; r < w->document->row_count && status == PM_OK; r++)
        if (is_reordered(&w->document->rows[r]))
            status = reorder(w, &w->document->rows[r], &w->outputs[r]);
    return status;
}

pm_status npz_stream_rows(npz_writer *w) {
    w->is_streamed = true;
    pm_status status = prepare(w);
    if (status == PM_OK)
        status = make_spans(w);
    if (status == PM_OK)
        status = zip_begin_stored(&w->zip, w->document->archive.members, w->outputs->crc,
                                  w->outputs->size, w->error);
    w->is_counted = true;
    if (status == PM_OK)
        status = make_spans(w);
    npz_release_rows(w);
    release_outputs(w);
    return status;
}

static pm_status write_rows(npz_writer *w, size_t r) {
    const npz_output *out = &w->outputs[r];
    const zip_member *member = &w->document->archive.members[w->document->rows[r].member];
    return out->packing
               ? zip_write_packing(&w->zip, member, out->packing, w->error)
               : zip_write_bytes(&w->zip, member, (zip_bytes){out->bytes, out->size}, w->error);
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
static pm_status write_rate(npz_writer *w, const npz_rate *rate) {
    const zip_member *member = &w->document->archive.members[rate->member];
    const pm_rational now = w->samples->rate;
    const double value = rate_value(now);
    if (now.num == rate->rate.num && now.den == rate->rate.den)
        return zip_write_member(&w->zip, member, w->error);
    FREED char *bytes = malloc(rate->bytes.size);
    MOTION_TRY_MEMORY(bytes, w->error);
    memcpy(bytes, rate->bytes.data, rate->bytes.size);
    if (npz_is_float(rate->type))
        npz_store_numbers(bytes + rate->data_at, &value, npy_element_size(rate->type), 1);
    else
        MOTION_TRY(store_integer(rate, member, now, bytes + rate->data_at, w->error));
    return zip_write_bytes(&w->zip, member, (zip_bytes){bytes, rate->bytes.size}, w->error);
}

/* Writes the member with the times of frames: that which it is if the samples have no rate. */
static pm_status write_times(npz_writer *w) {
    const zip_member *member = &w->document->archive.members[w->document->times_member];
    char header[NPY_WRITTEN_MAX];
    npy_header h = w->document->times_header;
    const size_t element = npy_element_size(h.type);
    if (w->samples->rate.den == 0) /* at the keys */
        return zip_write_member(&w->zip, member, w->error);
    h.shape[0] = (size_t)w->samples->count;
    const size_t begin = npy_write_any_header(&h, header);
    if (h.shape[0] > (SIZE_MAX / 2 - begin) / element)
        return motion_refuse_memory(w->error);
    const size_t size = begin + h.shape[0] * element;
    FREED char *bytes = malloc(size);
    MOTION_TRY_MEMORY(bytes, w->error);
    memcpy(bytes, header, begin);
    for (size_t k = 0; k < h.shape[0]; k++) {
        const double time = motion_sample_time(w->samples, k);
        npz_store_numbers(bytes + begin + k * element, &time, element, 1);
    }
    return zip_write_bytes(&w->zip, member, (zip_bytes){bytes, size}, w->error);
}

static pm_status write_member(npz_writer *w, size_t member) {
    const npz_use use = w->document->uses[member];
    switch (w->samples ? use.as : NPZ_CARRIED) {
    case NPZ_ROWS:
        return write_rows(w, use.index);
    case NPZ_THE_RATE:
        return write_rate(w, &w->document->rates[use.index]);
    case NPZ_TIMES:
        return write_times(w);
    default:
        return zip_write_member(&w->zip, &w->document->archive.members[member], w->error);
    }
}

static pm_status write_archive(npz_writer *w) {
    const zip_archive *archive = &w->document->archive;
    for (size_t i = 0; i < archive->count; i++)
        MOTION_TRY(write_member(w, i));
    return zip_write_end(&w->zip, archive->comment, w->error);
}

pm_status npz_write(const motion_writing *given, const motion_sink *sink, pm_error *error) {
    const pm_motion *motion = given->document;
    const motion_samples *samples = given->samples;
    const size_t count = given->sample_count;
    if (count > 1 || (count == 1 && (samples->clip != 0 || samples->count == 0)))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "an NPZ file has one clip, with a sample or more");
    SCOPED(release_outputs)
    npz_writer w = {.document = motion->document,
                    .clip = motion->content.clips,
                    .samples = count == 1 ? samples : NULL,
                    .zip = {.sink = sink},
                    .error = error};
    pm_status status = w.samples ? make_outputs(&w) : PM_OK;
    if (status == PM_OK)
        status = write_archive(&w);
    zip_writer_release(&w.zip);
    return status;
}
