/* SPDX-License-Identifier: MIT
 *
 * The row of NPZ in the table of formats.
 */
#include "motion/npz/npz.h"

#include <stdlib.h>

#include "motion/npz/npz_write.h"

static void release(void *document) {
    npz_document *d = document;
    if (!d)
        return;
    for (size_t i = 0; d->owned && i < d->archive.count; i++)
        free(d->owned[i]);
    for (size_t r = 0; r < d->row_count; r++)
        free(d->rows[r].converted);
    MOTION_FREE(d->owned, d);
}

static pm_status read_document(npz_reading *r) {
    npz_document *d = r->document;
    MOTION_TRY(zip_open(r->arena, r->input->data, r->input->size, &d->archive, r->error));
    r->members = d->archive.members;
    d->headers_only = r->input->options->headers_only;
    motion_expect(r->input->options->observer, zip_unpacked_size(&d->archive));
    d->owned = calloc(d->archive.count + 1, sizeof *d->owned);
    d->uses = motion_allocate(r->arena, d->archive.count, sizeof *d->uses);
    MOTION_TRY_MEMORY(d->owned && d->uses, r->error);
    MOTION_TRY(npz_choose_layout(r->input, &d->archive, r->arena, &r->layout, r->error));
    MOTION_TRY(npz_find_rate(r));
    MOTION_TRY(npz_find_rows(r));
    if (d->rate_count > 0)
        r->motion->stated_rate = d->rates[0].rate;
    MOTION_TRY(npz_find_order(r));
    MOTION_TRY(npz_check_velocities(r));
    return npz_make_content(r);
}

static pm_status read(const motion_input *input, pm_motion *motion, pm_error *error) {
    npz_reading r = {.document = calloc(1, sizeof *r.document),
                     .input = input,
                     .motion = motion,
                     .arena = &motion->arena,
                     .error = error};
    motion->document = r.document;
    return r.document ? read_document(&r) : motion_refuse_memory(error);
}

static pm_status write(const motion_writing *writing, const motion_sink *sink, pm_error *error) {
    return writing->document ? npz_write(writing, sink, error)
                             : npz_write_new(writing, sink, error);
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
                                  .write = write,
                                  .shares_rows = npz_shares_rows,
                                  .selects = true,
                                  .convert = npz_convert,
                                  .scales = MOTION_SCALES_REST,
                                  .release = release,
                                  .list_differences = npz_list_differences};
