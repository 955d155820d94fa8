/* SPDX-License-Identifier: MIT
 *
 * The rows of CSV and TUM in the table of formats, and the clip of a robot's file: a channel for each
 * group of columns, of which the joints are one.
 */
#include "motion/csv/csv.h"
#include "motion/base/counts.h"
#include "motion/model/meaning.h"
#include "motion/model/similarity.h"

#include <string.h>

enum { LEAST_NUMBERS = 7 }; /* of a row: position, quaternion */

/* One of the first two lines that are not blank is a row. */
static bool recognise(const char *bytes, size_t size) {
    text_span rest = {bytes, size}, line, end, field;
    double value;
    for (int tries = 2; tries > 0 && text_next_line(&rest, &line, &end);
         tries -= text_trim(line, "").size > 0 && text_trim(line, "").begin[0] != '#') {
        const char separator = csv_separator_of(line);
        text_span fields = line;
        size_t numbers = 0;
        while (numbers < LEAST_NUMBERS && csv_next_field(&fields, separator, &field) &&
               text_is_number(field, &value))
            numbers++;
        if (numbers >= LEAST_NUMBERS)
            return true;
    }
    return false;
}

static input_kind_found find_text(const char *bytes, size_t size) {
    return memchr(bytes, '\0', size)  ? INPUT_KIND_NO
           : size < INPUT_FIRST_BYTES ? INPUT_KIND_UNKNOWN
                                      : INPUT_KIND_YES;
}

static const input_kind csv_kind = {find_text, "is no CSV file; expected text without NUL bytes"};

pm_motion_channel csv_make_channel(const csv_document *d, const csv_group *g) {
    static const pm_motion_path paths[] = {
        [CSV_POSITION] = PM_MOTION_POSITION, [CSV_XYZW] = PM_MOTION_ROTATION,
        [CSV_WXYZ] = PM_MOTION_ROTATION,     [CSV_EULER] = PM_MOTION_ROTATION,
        [CSV_NUMBERS] = PM_MOTION_SCALAR,    [CSV_TIME] = PM_MOTION_SCALAR};
    static const pm_motion_name names[PM_MOTION_PATH_COUNT] = {[PM_MOTION_ROTATION] = {"root", 4},
                                                               [PM_MOTION_POSITION] = {"root", 4},
                                                               [PM_MOTION_SCALAR] = {"joints", 6}};
    const bool rotates = csv_is_rotation(g);
    const bool is_joints = g->form == CSV_NUMBERS && g->column == d->layout.columns;
    const size_t width = rotates ? g->stride : d->column_count;
    return (pm_motion_channel){.node = -1,
                               .path = paths[g->form],
                               .components = rotates ? 4 : (uint32_t)g->count,
                               .keys = {.data = rotates ? g->quaternions : d->numbers + g->column,
                                        .type = PM_FLOAT64,
                                        .stride = width * sizeof(double)},
                               .name = g->form == CSV_TIME ? (pm_motion_name){"time", 4}
                                                           : names[paths[g->form]],
                               .always_linear = g->form == CSV_TIME,
                               .subjects = is_joints ? d->joints : NULL,
                               .full_turn = is_joints ? d->layout.full_turn : 0};
}

static pm_status make_content(csv_document *d, const motion_input *input, pm_motion *motion,
                              pm_error *error) {
    pm_motion_clip *clip = motion_allocate(&motion->arena, 1, sizeof *clip);
    pm_timeline *timeline = motion_allocate(&motion->arena, 1, sizeof *timeline);
    pm_motion_channel *channels =
        motion_allocate(&motion->arena, d->layout.count, sizeof *channels);
    pm_rational rate;
    size_t count = 0;
    MOTION_TRY_MEMORY(clip && timeline && channels, error);
    for (size_t i = 0; i < d->layout.count; i++)
        if (d->layout.groups[i].form != CSV_INDEX) {
            d->layout.groups[i].channel = count;
            channels[count++] = csv_make_channel(d, &d->layout.groups[i]);
        }
    csv_find_rate(d, input, &rate, &motion->stated_rate);
    *timeline = (pm_timeline){.key_count = d->row_count, .rate = rate};
    *clip = (pm_motion_clip){.name = {"", 0},
                             .timelines = timeline,
                             .timeline_count = 1,
                             .channels = channels,
                             .channel_count = count,
                             .rate = rate,
                             .first_time = {0, 1}};
    motion->content.clips = clip;
    motion->content.clip_count = 1;
    motion_state_meaning(&motion->content, d->layout.unit_mm, PM_MOTION_UP_Z);
    return PM_OK;
}

pm_status csv_read_document(csv_document *document, const motion_input *input, motion_arena *arena,
                            pm_error *error) {
    MOTION_TRY(csv_read_rows(document, input, arena, error));
    MOTION_TRY(csv_choose_layout(document, input, error));
    MOTION_TRY(csv_fill_gaps(document, input->gaps, error));
    MOTION_TRY(csv_convert_matrices(document, error));
    MOTION_TRY(csv_read_stamps(document, input, arena, error));
    return csv_convert_rotations(document, input, arena, error);
}

static pm_status read_as(const char *usual, const motion_input *input, pm_motion *motion,
                         pm_error *error) {
    csv_document *document = motion_allocate(&motion->arena, 1, sizeof *document);
    MOTION_TRY_MEMORY(document, error);
    motion->document = document;
    document->usual = usual;
    MOTION_TRY(csv_read_document(document, input, &motion->arena, error));
    motion->content.format = motion->format->id;
    motion->content.layout = document->layout.name;
    if (document->stamps)
        return csv_make_trajectory(document, motion, error);
    MOTION_TRY(csv_name_joints(document, motion, error));
    return make_content(document, input, motion, error);
}

static pm_status read(const motion_input *input, pm_motion *motion, pm_error *error) {
    return read_as(NULL, input, motion, error);
}

static pm_status read_tum(const motion_input *input, pm_motion *motion, pm_error *error) {
    return read_as("tum", input, motion, error);
}

/* A row of eight numbers between blanks, of which the last four are a quaternion, and those one to the left
 * are none. */
static bool recognise_tum(const char *bytes, size_t size) {
    enum { COLUMNS = 8 };
    text_span rest = {bytes, size}, line, end, field;
    double n[COLUMNS];
    size_t count = 0;
    while (text_next_line(&rest, &line, &end)) {
        const text_span row = text_trim(line, "");
        if (row.size == 0 || row.begin[0] == '#')
            continue;
        line = row;
        while (csv_separator_of(row) == ' ' && count <= COLUMNS &&
               csv_next_field(&line, ' ', &field) &&
               text_is_number(field, &n[count < COLUMNS ? count : 0]))
            count++;
        return count == COLUMNS && !line.begin && quat_is_unit(n + 4) && !quat_is_unit(n + 3);
    }
    return false;
}

const motion_format motion_csv = {.id = PM_MOTION_CSV,
                                  .name = "csv",
                                  .title = "CSV",
                                  .document = "csv",
                                  .is_arrays = true,
                                  .is_single = true,
                                  .kind = &csv_kind,
                                  .recognise = recognise,
                                  .read = read,
                                  .write = csv_write,
                                  .scales = MOTION_SCALES_NONE};

const motion_format motion_tum = {.id = PM_MOTION_TUM,
                                  .name = "tum",
                                  .title = "TUM",
                                  .document = "tum",
                                  .kind = &csv_kind,
                                  .recognise = recognise_tum,
                                  .read = read_tum,
                                  .write = csv_write_tum,
                                  .scales = MOTION_SCALES_NONE,
                                  .unit_mm = 1000};
