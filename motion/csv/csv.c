/* SPDX-License-Identifier: MIT
 *
 * The row of CSV in the table of formats, and the clip of such a file: the root's position and
 * rotation, and the joints as one group of scalars.
 */
#include "motion/csv/csv.h"

enum { USUAL_RATE = 30 };

/* One of the first two lines that are not blank is a row. */
static bool recognise(const char *bytes, size_t size) {
    csv_span rest = {bytes, size}, line, end, field;
    double value;
    for (int tries = 2; tries > 0 && csv_next_line(&rest, &line, &end);
         tries -= !csv_is_blank(line)) {
        const char separator = csv_separator_of(line);
        csv_span fields = line;
        size_t numbers = 0;
        while (csv_next_field(&fields, separator, &field) && csv_read_number(field, &value))
            numbers++;
        if (numbers >= CSV_ROOT_COLUMNS)
            return true;
    }
    return false;
}

static pm_motion_channel make_channel(const csv_document *d, pm_motion_path path, size_t column,
                                      size_t components, const char *name, size_t name_size) {
    return (pm_motion_channel){.node = -1,
                               .path = path,
                               .components = (uint32_t)components,
                               .keys = {.data = d->numbers + column,
                                        .type = PM_FLOAT64,
                                        .stride = d->column_count * sizeof *d->numbers},
                               .name = {name, name_size}};
}

static pm_status make_content(const csv_document *d, pm_rational rate, pm_motion *motion,
                              pm_error *error) {
    const size_t joints = d->column_count - CSV_ROOT_COLUMNS;
    pm_motion_clip *clip = motion_allocate(&motion->arena, 1, sizeof *clip);
    pm_timeline *timeline = motion_allocate(&motion->arena, 1, sizeof *timeline);
    pm_motion_channel *channels = motion_allocate(&motion->arena, 3, sizeof *channels);
    if (!clip || !timeline || !channels)
        return motion_refuse_memory(error);
    if (joints > UINT32_MAX)
        return motion_refuse(error, "has %zu columns, too many", d->column_count);
    channels[0] = make_channel(d, PM_MOTION_TRANSLATION, 0, 3, "root", 4);
    channels[1] = make_channel(d, PM_MOTION_ROTATION, CSV_ROTATION, 4, "root", 4);
    if (joints > 0)
        channels[2] = make_channel(d, PM_MOTION_SCALAR, CSV_ROOT_COLUMNS, joints, "joints", 6);
    *timeline = (pm_timeline){.key_count = d->row_count, .rate = rate};
    *clip = (pm_motion_clip){.name = {"", 0},
                             .timelines = timeline,
                             .timeline_count = 1,
                             .channels = channels,
                             .channel_count = joints > 0 ? 3 : 2,
                             .rate = rate};
    motion->content =
        (pm_motion_content){.format = PM_MOTION_CSV, .layout = "", .clips = clip, .clip_count = 1};
    return PM_OK;
}

static pm_status read(const motion_input *input, pm_motion *motion, pm_error *error) {
    const pm_rational usual = {USUAL_RATE, 1}, given = input->options->source_rate;
    csv_document *document = motion_allocate(&motion->arena, 1, sizeof *document);
    if (!document)
        return motion_refuse_memory(error);
    motion->document = document;
    const pm_status status = csv_read_rows(document, input, &motion->arena, error);
    return status == PM_OK ? make_content(document, given.den ? given : usual, motion, error)
                           : status;
}

/* The document is in the motion's memory. */
static void release(void *document) {
    (void)document;
}

const motion_format motion_csv = {.id = PM_MOTION_CSV,
                                  .name = "csv",
                                  .extension = "csv",
                                  .document = "csv",
                                  .recognise = recognise,
                                  .read = read,
                                  .write = csv_write,
                                  .release = release};
