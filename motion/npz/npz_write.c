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

static pm_status write_rows(const writing *w, zip_writer *zip, size_t r) {
    const npz_output *out = &w->outputs[r];
    const zip_member *member = &w->document->archive.members[w->document->rows[r].member];
    return out->packing
               ? zip_write_packing(zip, member, out->packing, w->error)
               : zip_write_bytes(zip, member, (zip_bytes){out->bytes, out->size}, w->error);
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

static pm_status write_member(const writing *w, zip_writer *zip, size_t member) {
    const npz_use use = w->document->uses[member];
    switch (w->samples ? use.as : NPZ_CARRIED) {
    case NPZ_ROWS:
        return write_rows(w, zip, use.index);
    case NPZ_THE_RATE:
        return write_rate(w, zip, &w->document->rates[use.index]);
    case NPZ_TIMES:
        return write_times(w, zip);
    default:
        return zip_write_member(zip, &w->document->archive.members[member], w->error);
    }
}

static pm_status write_archive(const writing *w, zip_writer *zip) {
    const zip_archive *archive = &w->document->archive;
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < archive->count; i++)
        status = write_member(w, zip, i);
    return status == PM_OK ? zip_write_end(zip, archive->comment, w->error) : status;
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
