/* SPDX-License-Identifier: MIT
 *
 * The row of NPZ in the table of formats.
 */
#include "motion/npz/npz.h"

#include <stdlib.h>

#include "motion/npz/npz_source.h"
#include "motion/time/rate.h"

static void release(void *document) {
    npz_document *d = document;
    if (!d)
        return;
    for (size_t i = 0; d->owned && i < d->archive.count; i++)
        free(d->owned[i]);
    for (size_t r = 0; r < d->row_count; r++)
        free(d->rows[r].converted);
    free(d->owned);
    free(d);
}

static pm_status read_document(npz_document *document, const motion_input *input, pm_motion *motion,
                               pm_error *error) {
    npz_layout layout;
    npz_clip_rate rate = {.source = NULL};
    pm_status status =
        zip_open(&motion->arena, input->data, input->size, &document->archive, error);
    if (status != PM_OK)
        return status;
    document->headers_only = input->options->headers_only;
    motion_expect(input->options->observer, zip_unpacked_size(&document->archive));
    document->owned = calloc(document->archive.count + 1, sizeof *document->owned);
    if (!document->owned)
        return motion_refuse_memory(error);
    status = npz_choose_layout(input, &document->archive, &motion->arena, &layout, error);
    if (status == PM_OK)
        status = npz_find_rate(document, input, &layout, &rate, error);
    if (status == PM_OK)
        status = npz_find_rows(document, input, &layout, &motion->arena, error);
    if (status == PM_OK && document->rate_count > 0)
        motion->stated_rate = document->rates[0].rate;
    const double hertz = rate_value(rate.rate);
    if (status == PM_OK)
        status = npz_find_order(document, input, hertz, &layout, error);
    if (status == PM_OK)
        status = npz_check_velocities(document, input, hertz, error);
    if (status == PM_OK)
        status = npz_make_content(document, input, &layout, rate, motion, error);
    return status;
}

static pm_status read(const motion_input *input, pm_motion *motion, pm_error *error) {
    npz_document *document = calloc(1, sizeof *document);
    if (!document)
        return motion_refuse_memory(error);
    motion->document = document;
    return read_document(document, input, motion, error);
}

static input_kind_found find_zip(const char *bytes, size_t size) {
    const input_kind_found found = input_find_magic(bytes, size, "PK\003\004");
    return found != INPUT_KIND_NO ? found : input_find_magic(bytes, size, "PK\005\006");
}

static const input_kind npz_kind = {find_zip, "is no NPZ file; expected a ZIP archive"};

const motion_format motion_npz = {.id = PM_MOTION_NPZ,
                                  .name = "npz",
                                  .title = "NPZ",
                                  .document = "npz",
                                  .is_arrays = true,
                                  .kind = &npz_kind,
                                  .recognise = zip_recognise,
                                  .read = read,
                                  .write = npz_write,
                                  .shares_rows = npz_shares_rows,
                                  .selects = true,
                                  .convert = npz_convert,
                                  .scales = MOTION_SCALES_REST,
                                  .release = release,
                                  .list_differences = npz_list_differences};
