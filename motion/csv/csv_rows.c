/* SPDX-License-Identifier: MIT
 *
 * The rows of a CSV file: lines, fields and numbers, with the line and column of every fault.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion/csv/csv.h"
#include "motion/text/text.h"

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

char csv_separator_of(text_span line) {
    return line.size > 0 && memchr(line.begin, ';', line.size)   ? ';'
           : line.size > 0 && memchr(line.begin, ',', line.size) ? ','
                                                                 : ' ';
}

/* After the last field, rest->begin is NULL: a separator at the end is followed by an empty field. */
bool csv_next_field(text_span *rest, char separator, text_span *field) {
    const char *at = rest->begin, *end = rest->begin ? at + rest->size : NULL;
    while (at < end && is_blank(*at))
        at++;
    if (!rest->begin || (separator == ' ' && at == end))
        return false;
    const char *stop = at;
    while (stop < end && (separator == ' ' ? !is_blank(*stop) : *stop != separator))
        stop++;
    *rest = stop < end ? (text_span){stop + 1, (size_t)(end - stop - 1)} : (text_span){NULL, 0};
    while (stop > at && is_blank(stop[-1]))
        stop--;
    *field = (text_span){at, (size_t)(stop - at)};
    return true;
}

/* Stops behind the most columns that a file may have. */
static size_t count_fields(text_span line) {
    const char separator = csv_separator_of(line);
    text_span field;
    size_t count = 0;
    while (count <= CSV_MAX_COLUMNS && csv_next_field(&line, separator, &field))
        count++;
    return count;
}

/* A line whose first field is a word other than NaN; after one without a name, its second. */
static bool is_header(text_span line) {
    const char separator = csv_separator_of(line);
    text_span field = {NULL, 0};
    double value;
    for (int i = 0; i < 2 && field.size == 0; i++)
        if (!csv_next_field(&line, separator, &field))
            return false;
    return field.size > 0 && !text_is_number(field, &value) &&
           !text_is_not_finite(field.begin, field.begin + field.size);
}

static bool is_comment(text_span line) {
    const text_span text = text_trim(line, "");
    return text.size > 0 && text.begin[0] == '#';
}

/* Skips a byte order mark, blank lines, comments and one header; without one the last comment is it. `rest` then begins with the first row. */
static size_t skip_head(text_span *rest, text_span *header) {
    text_span line, end, next = *rest;
    size_t lines = 0;
    bool has_header = false;
    *rest = next = text_skip_mark(*rest);
    while (text_next_line(&next, &line, &end)) {
        const bool is_blank_line = text_trim(line, "").size == 0;
        if (!is_blank_line && !is_comment(line) && (has_header || !is_header(line)))
            break;
        if (!is_blank_line && !has_header)
            *header = line;
        has_header = has_header || (!is_blank_line && !is_comment(line));
        *rest = next;
        lines++;
    }
    return lines;
}

static size_t count_lines(text_span rest) {
    text_span line, end;
    size_t count = 0;
    while (text_next_line(&rest, &line, &end))
        count += text_trim(line, "").size > 0 && !is_comment(line);
    return count;
}

/* The text around the numbers of the first row. */
static bool keep_separators(csv_document *d, text_span row, motion_arena *arena) {
    const char separator = csv_separator_of(row);
    const char *at = row.begin;
    text_span rest = row, field;
    d->between = motion_allocate(arena, d->column_count + 1, sizeof *d->between);
    if (!d->between)
        return false;
    for (size_t i = 0; csv_next_field(&rest, separator, &field); i++) {
        d->between[i] = (text_span){at, (size_t)(field.begin - at)};
        at = field.begin + field.size;
    }
    d->between[d->column_count] = (text_span){at, (size_t)(row.begin + row.size - at)};
    return true;
}

/* Whether a field has no number where one is expected: a gap. */
static bool is_gap(text_span field, double value, bool is_number) {
    return is_number ? !isfinite(value)
                     : field.size == 0 || text_is_not_finite(field.begin, field.begin + field.size);
}

/* A gap becomes NaN. `gaps` is NULL where it is a fault. */
static pm_status read_row(text_span row, size_t line, size_t columns, double *out,
                          motion_gaps *gaps, pm_error *error) {
    const char separator = csv_separator_of(row);
    text_span rest = row, field;
    size_t count = 0;
    for (; csv_next_field(&rest, separator, &field); count++) {
        if (count >= columns)
            continue; /* counted for the message */
        const bool is_number = text_is_number(field, &out[count]);
        if (gaps && is_gap(field, out[count], is_number)) {
            motion_add_gap(gaps, "line %zu, column %zu", line, count + 1);
            out[count] = (double)NAN;
        } else if (!is_number || !isfinite(out[count])) {
            motion_report(error, PM_ERROR_FILE, "line %zu, column %zu is '%s'; expected a number",
                          line, count + 1, MOTION_SHOWN(field.begin, field.size));
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

static pm_status read_lines(csv_document *d, text_span rest, size_t line, size_t most,
                            motion_gaps *gaps, pm_error *error) {
    text_span row, end;
    for (; text_next_line(&rest, &row, &end); line++) {
        double *out = d->numbers + d->row_count * d->column_count;
        if (text_trim(row, "").size == 0 || is_comment(row))
            continue;
        /* Only a row with fewer columns than the first one can be one too many. */
        MOTION_TRY(d->row_count < most
                       ? read_row(row, line, d->column_count, out, gaps, error)
                       : motion_refuse(error, "line %zu has %zu columns; expected %zu", line,
                                       count_fields(row), d->column_count));
        d->ends_with_line = end.size > 0;
        d->rows[d->row_count++] = row;
    }
    return PM_OK;
}

pm_status csv_read_rows(csv_document *d, const motion_input *input, motion_arena *arena,
                        pm_error *error) {
    enum { MAX_ROWS = (1 << 30) - 2 };
    text_span rest = {input->data, input->size}, first = {NULL, 0};
    const size_t line = skip_head(&rest, &d->header) + 1;
    text_span next = rest;
    if (!text_next_line(&next, &first, &d->line_end))
        return motion_refuse(error, "has no rows of numbers");
    d->whole = (text_span){input->data, input->size};
    d->head = (text_span){input->data, (size_t)(rest.begin - input->data)};
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
    MOTION_TRY_MEMORY(d->numbers && d->rows && keep_separators(d, first, arena), error);
    return read_lines(d, rest, line, most, input->gaps, error);
}

/* Nothing can fill what counts the rows, and doubles count no further than 2^53. */
static pm_status check_count(const csv_document *d, const csv_group *g, pm_error *error) {
    const double most = g->form == CSV_INDEX ? 0x1p53 : DBL_MAX;
    for (size_t r = 0; r < d->row_count; r++)
        if (!(fabs(d->numbers[r * d->column_count + g->column]) <= most))
            return motion_refuse(error, "line %zu, column %zu has no %s of the row",
                                 csv_line_of(d, r), g->column + 1,
                                 g->form == CSV_INDEX ? "number" : "time");
    return PM_OK;
}

pm_status csv_fill_gaps(csv_document *d, const motion_gaps *gaps, pm_error *error) {
    size_t filled = 0;
    for (size_t i = 0; i < d->layout.count; i++)
        if (d->layout.groups[i].form == CSV_INDEX || d->layout.groups[i].form == CSV_TIME)
            MOTION_TRY(check_count(d, &d->layout.groups[i], error));
    if (gaps && gaps->count > 0 && !gaps->keeps_nan)
        motion_fill_gaps(d->numbers, sizeof *d->numbers, d->row_count, d->column_count, &filled);
    return PM_OK;
}

size_t csv_line_of(const csv_document *d, size_t row) {
    return text_line_of(d->head.begin, d->rows[row].begin);
}
