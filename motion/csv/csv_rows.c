/* SPDX-License-Identifier: MIT
 *
 * The rows of a CSV file: lines, fields and numbers, with the line and column of every fault.
 */
#include <math.h>
#include <string.h>

#include "motion/csv/csv.h"
#include "motion/text/text.h"

/* ---- lines and fields ------------------------------------------------------------- */

static bool is_blank_character(char c) {
    return c == ' ' || c == '\t';
}

bool csv_is_blank(csv_span line) {
    for (size_t i = 0; i < line.size; i++)
        if (!is_blank_character(line.text[i]))
            return false;
    return true;
}

bool csv_next_line(csv_span *rest, csv_span *line, csv_span *end) {
    size_t size = 0;
    if (rest->size == 0)
        return false;
    while (size < rest->size && rest->text[size] != '\n' && rest->text[size] != '\r')
        size++;
    *line = (csv_span){rest->text, size};
    const size_t left = rest->size - size;
    const bool pair = left >= 2 && rest->text[size] == '\r' && rest->text[size + 1] == '\n';
    *end = (csv_span){rest->text + size, pair ? 2 : left > 0 ? 1 : 0};
    *rest = (csv_span){end->text + end->size, left - end->size};
    return true;
}

char csv_separator_of(csv_span line) {
    return line.size > 0 && memchr(line.text, ';', line.size)   ? ';'
           : line.size > 0 && memchr(line.text, ',', line.size) ? ','
                                                                : ' ';
}

/* After the last field, rest->text is NULL: a separator at the end is followed by an empty field. */
bool csv_next_field(csv_span *rest, char separator, csv_span *field) {
    const char *at = rest->text, *end = rest->text ? at + rest->size : NULL;
    while (at < end && is_blank_character(*at))
        at++;
    if (!rest->text || (separator == ' ' && at == end))
        return false;
    const char *stop = at;
    while (stop < end && (separator == ' ' ? !is_blank_character(*stop) : *stop != separator))
        stop++;
    *rest = stop < end ? (csv_span){stop + 1, (size_t)(end - stop - 1)} : (csv_span){NULL, 0};
    while (stop > at && is_blank_character(stop[-1]))
        stop--;
    *field = (csv_span){at, (size_t)(stop - at)};
    return true;
}

bool csv_read_number(csv_span field, double *value) {
    size_t commas = 0;
    return field.size > 0 &&
           text_read_number(field.text, field.text + field.size, value, &commas) ==
               field.text + field.size &&
           commas == 0;
}

/* ---- the first row ---------------------------------------------------------------- */

/* Stops behind the most columns that a file may have. */
static size_t count_fields(csv_span line) {
    const char separator = csv_separator_of(line);
    csv_span field;
    size_t count = 0;
    while (count <= CSV_MAX_COLUMNS && csv_next_field(&line, separator, &field))
        count++;
    return count;
}

/* A line whose first field is a word other than NaN; after one without a name, its second. */
static bool is_header(csv_span line) {
    const char separator = csv_separator_of(line);
    csv_span field = {NULL, 0};
    double value;
    for (int i = 0; i < 2 && field.size == 0; i++)
        if (!csv_next_field(&line, separator, &field))
            return false;
    return field.size > 0 && !csv_read_number(field, &value) &&
           !text_is_not_finite(field.text, field.text + field.size);
}

/* Skips a byte order mark, blank lines and one header. `rest` then begins with the first row. */
static size_t skip_head(csv_span *rest, csv_span *header) {
    csv_span line, end, next = *rest;
    size_t lines = 0;
    if (rest->size >= 3 && memcmp(rest->text, "\xef\xbb\xbf", 3) == 0)
        *rest = next = (csv_span){rest->text + 3, rest->size - 3};
    while (csv_next_line(&next, &line, &end)) {
        if (!csv_is_blank(line) && (header->text || !is_header(line)))
            break;
        if (!csv_is_blank(line))
            *header = line;
        *rest = next;
        lines++;
    }
    return lines;
}

static size_t count_lines(csv_span rest) {
    csv_span line, end;
    size_t count = 0;
    while (csv_next_line(&rest, &line, &end))
        count += !csv_is_blank(line);
    return count;
}

/* The text around the numbers of the first row. */
static bool keep_separators(csv_document *d, csv_span row, motion_arena *arena) {
    const char separator = csv_separator_of(row);
    const char *at = row.text;
    csv_span rest = row, field;
    d->between = motion_allocate(arena, d->column_count + 1, sizeof *d->between);
    if (!d->between)
        return false;
    for (size_t i = 0; csv_next_field(&rest, separator, &field); i++) {
        d->between[i] = (csv_span){at, (size_t)(field.text - at)};
        at = field.text + field.size;
    }
    d->between[d->column_count] = (csv_span){at, (size_t)(row.text + row.size - at)};
    return true;
}

/* ---- all rows --------------------------------------------------------------------- */

/* Whether a field has no number where one is expected: a gap. */
static bool is_gap(csv_span field, double value, bool is_number) {
    return is_number ? !isfinite(value)
                     : field.size == 0 || text_is_not_finite(field.text, field.text + field.size);
}

/* A gap becomes NaN. `gaps` is NULL where it is a fault. */
static pm_status read_row(csv_span row, size_t line, size_t columns, double *out, motion_gaps *gaps,
                          pm_error *error) {
    const char separator = csv_separator_of(row);
    char shown[MOTION_PRINTABLE];
    csv_span rest = row, field;
    size_t count = 0;
    for (; csv_next_field(&rest, separator, &field); count++) {
        if (count >= columns)
            continue; /* counted for the message */
        const bool is_number = csv_read_number(field, &out[count]);
        if (gaps && is_gap(field, out[count], is_number)) {
            motion_add_gap(gaps, "line %zu, column %zu", line, count + 1);
            out[count] = (double)NAN;
        } else if (!is_number || !isfinite(out[count])) {
            motion_report(error, PM_ERROR_FILE, "line %zu, column %zu is '%s'; expected a number",
                          line, count + 1, motion_printable(shown, field.text, field.size));
            if (is_gap(field, out[count], is_number))
                motion_cure_gaps(error);
            return PM_ERROR_FILE;
        }
    }
    if (count == columns)
        return PM_OK;
    return motion_refuse(error, "line %zu has %zu columns; expected %zu, as in the first row", line,
                         count, columns);
}

static pm_status read_lines(csv_document *d, csv_span rest, size_t line, size_t most,
                            motion_gaps *gaps, pm_error *error) {
    csv_span row, end;
    for (; csv_next_line(&rest, &row, &end); line++) {
        double *out = d->numbers + d->row_count * d->column_count;
        if (csv_is_blank(row))
            continue;
        /* Only a row with fewer columns than the first one can be one too many. */
        pm_status status = d->row_count < most
                               ? read_row(row, line, d->column_count, out, gaps, error)
                               : motion_refuse(error, "line %zu has %zu columns; expected %zu",
                                               line, count_fields(row), d->column_count);
        if (status != PM_OK)
            return status;
        d->ends_with_line = end.size > 0;
        d->rows[d->row_count++] = row;
    }
    return PM_OK;
}

pm_status csv_read_rows(csv_document *d, const motion_input *input, motion_arena *arena,
                        pm_error *error) {
    enum { MAX_ROWS = (1 << 30) - 2 };
    csv_span rest = {input->data, input->size}, first = {NULL, 0};
    const size_t line = skip_head(&rest, &d->header) + 1;
    csv_span next = rest;
    if (!csv_next_line(&next, &first, &d->line_end))
        return motion_refuse(error, "has no rows of numbers");
    d->head = (csv_span){input->data, (size_t)(rest.text - input->data)};
    d->column_count = count_fields(first);
    if (d->column_count > CSV_MAX_COLUMNS)
        return motion_refuse(error, "line %zu has more than %d columns", line,
                             (int)CSV_MAX_COLUMNS);
    /* A row has a character for each number and each separator, whatever the lines are. */
    const size_t lines = count_lines(rest), fit = rest.size / (2 * d->column_count - 1) + 1;
    const size_t most = lines < fit ? lines : fit;
    if (most > MAX_ROWS)
        return motion_refuse(error, "has %zu rows; expected at most %d", most, (int)MAX_ROWS);
    d->numbers = motion_allocate(arena, most * d->column_count, sizeof *d->numbers);
    d->rows = motion_allocate(arena, most, sizeof *d->rows);
    if (!d->numbers || !d->rows || !keep_separators(d, first, arena))
        return motion_refuse_memory(error);
    const pm_status status = read_lines(d, rest, line, most, input->gaps, error);
    if (status == PM_OK && input->gaps && input->gaps->count > 0 && !input->gaps->keeps_nan) {
        size_t filled = 0;
        motion_fill_gaps(d->numbers, sizeof *d->numbers, d->row_count, d->column_count, &filled);
    }
    return status;
}

size_t csv_line_of(const csv_document *d, size_t row) {
    csv_span rest = {d->head.text, (size_t)(d->rows[row].text - d->head.text)}, line, end;
    size_t number = 1;
    while (csv_next_line(&rest, &line, &end))
        number++;
    return number;
}
