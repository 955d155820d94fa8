/* SPDX-License-Identifier: MIT
 *
 * The row of NPZ in the table of formats.
 */
#include "motion/npz/npz.h"

#include <stdlib.h>

#include "motion/npz/npz_compose.h"

static void release(void *document) {
    npz_document *d = document;
    if (!d)
        return;
    for (size_t i = 0; d->owned && i < d->archive.count; i++)
        free(d->owned[i]);
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
    document->owned = calloc(document->archive.count + 1, sizeof *document->owned);
    if (!document->owned)
        return motion_refuse_memory(error);
    status = npz_choose_layout(input, &document->archive, &motion->arena, &layout, error);
    if (status == PM_OK)
        status = npz_find_rate(document, input, &layout, &rate, error);
    if (status == PM_OK)
        status = npz_find_rows(document, input, &layout, &motion->arena, error);
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

const motion_format motion_npz = {.id = PM_MOTION_NPZ,
                                  .name = "npz",
                                  .extension = "npz",
                                  .document = "npz",
                                  .recognise = zip_recognise,
                                  .read = read,
                                  .write = npz_write,
                                  .selects = true,
                                  .convert = npz_convert,
                                  .compose = npz_compose,
                                  .release = release};
