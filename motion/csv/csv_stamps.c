/* SPDX-License-Identifier: MIT
 *
 * The stamps of trajectories, from decimal text to int64 of ns without a double between them, and the
 * matrices of KITTI, whose stamps are in a file beside them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <posemill/posemill_points.h>

#include "motion/csv/csv.h"
#include "motion/files/input.h"
#include "motion/model/similarity.h"

enum { MATRIX = 12, MOST_DIGITS = 64, NS_DIGITS = 9 };

/* Times in seconds after the first stamp tell apart ns up to 2^52 of them. */
static const int64_t longest = (int64_t)1 << 52;

/* ---- text ---------------------------------------------------------------------------------------- */

/* The digits of a number, and where its point is; programs print large stamps as 1.305e+09. False: it is no
 * decimal number, or has too many digits. */
static bool take_digits(text_span field, char digits[MOST_DIGITS], int *count, int *point) {
    const char *c = field.begin, *end = c + field.size;
    bool has_point = false;
    int exponent = 0;
    *count = *point = 0;
    for (; c < end && ((*c >= '0' && *c <= '9') || (*c == '.' && !has_point)); c++) {
        has_point |= *c == '.';
        if (*c != '.' && *count == MOST_DIGITS)
            return false;
        if (*c != '.')
            digits[(*count)++] = *c;
        *point += *c != '.' && !has_point;
    }
    if (c < end && (*c == 'e' || *c == 'E')) {
        const bool is_small = ++c < end && *c == '-';
        c += c < end && (*c == '-' || *c == '+');
        if (c == end)
            return false;
        for (; c < end && *c >= '0' && *c <= '9' && exponent < 1000; c++)
            exponent = 10 * exponent + (*c - '0');
        exponent = is_small ? -exponent : exponent;
    }
    *point += exponent;
    return c == end && *count > 0 && *point > -MOST_DIGITS && *point < MOST_DIGITS;
}

/* The ns of a number in units of 10^-power s. */
static bool read_stamp(text_span field, int power, int64_t *stamp) {
    char digits[MOST_DIGITS], text[4 * MOST_DIGITS];
    int count, point, used = 0;
    const bool has_sign = field.size > 0 && (*field.begin == '-' || *field.begin == '+');
    if (!take_digits((text_span){field.begin + has_sign, field.size - has_sign}, digits, &count,
                     &point))
        return false;
    point -= power;
    if (has_sign)
        text[used++] = *field.begin;
    text[used++] = '0';
    for (int i = point < 0 ? point : 0; i < count || i < point; i++) {
        if (i == point)
            text[used++] = '.';
        text[used++] = i >= 0 && i < count ? digits[i] : '0';
    }
    text[used] = '\0';
    return pm_stamp_parse(text, stamp);
}

static text_span field_at(text_span row, size_t column) {
    const char separator = csv_separator_of(row);
    text_span field = {NULL, 0};
    for (size_t i = 0; i <= column && csv_next_field(&row, separator, &field);)
        i++;
    return field;
}

/* ---- matrices -------------------------------------------------------------------------------------- */

static bool is_rotation(const double *m) {
    double determinant = 0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double dot = -(i == j);
            for (int k = 0; k < 3; k++)
                dot += m[4 * i + k] * m[4 * j + k];
            if (!(fabs(dot) <= 2e-3))
                return false;
        }
    for (int i = 0; i < 3; i++)
        determinant += m[i] * (m[4 + (i + 1) % 3] * m[8 + (i + 2) % 3] -
                               m[4 + (i + 2) % 3] * m[8 + (i + 1) % 3]);
    return determinant > 0;
}

bool csv_has_matrices(const csv_document *d) {
    bool all = d->column_count == MATRIX;
    for (size_t r = 0; all && r < d->row_count; r++)
        all = is_rotation(d->numbers + r * MATRIX);
    return all;
}

pm_status csv_convert_matrices(csv_document *d, pm_error *error) {
    d->is_text_of_rows = d->layout.count == 0 || d->layout.groups[0].form != CSV_MATRIX;
    if (d->is_text_of_rows)
        return PM_OK;
    if (d->column_count != MATRIX)
        return motion_refuse(error, "has %zu columns; expected 12, a matrix 3 x 4 by rows",
                             d->column_count);
    for (size_t r = 0; r < d->row_count; r++) {
        double *m = d->numbers + r * MATRIX, turn[9], q[4];
        const double place[3] = {m[3], m[7], m[11]};
        for (int i = 0; i < 9; i++)
            turn[i] = m[i / 3 * 4 + i % 3];
        if (!is_rotation(m) || !pm_quat_from_matrix(turn, q))
            return motion_refuse(error,
                                 "line %zu has a matrix that is no rotation and position within "
                                 "1e-3; expected r r r x r r r y r r r z",
                                 csv_line_of(d, r));
        memcpy(m, place, sizeof place);
        memcpy(m + 3, q, sizeof q);
    }
    d->layout.groups[0] = (csv_group){.form = CSV_POSITION, .column = 0, .count = 3};
    d->layout.groups[1] = (csv_group){.form = CSV_XYZW, .column = 3, .count = 4};
    d->layout.count = 2;
    return PM_OK;
}

/* ---- stamps ---------------------------------------------------------------------------------------- */

static pm_status refuse_stamp(const char *where, size_t line, text_span field, pm_error *error) {
    return motion_refuse(error,
                         "%sline %zu has the time '%s'; expected a decimal number that fits "
                         "int64 of ns",
                         where, line, MOTION_SHOWN(field.begin, field.size));
}

static pm_status read_column(csv_document *d, const csv_group *g, pm_error *error) {
    for (size_t r = 0; r < d->row_count; r++) {
        const text_span field = field_at(d->rows[r], g->column);
        if (!read_stamp(field, g->power, &d->stamps[r]))
            return refuse_stamp("", csv_line_of(d, r), field, error);
    }
    return PM_OK;
}

static pm_status read_lines(csv_document *d, const char *path, text_span rest, pm_error *error) {
    text_span line, end;
    size_t count = 0;
    for (size_t number = 1; text_next_line(&rest, &line, &end); number++) {
        const text_span field = text_trim(line, "");
        if (field.size == 0 || *field.begin == '#')
            continue;
        if (count < d->row_count && !read_stamp(field, 0, &d->stamps[count]))
            return refuse_stamp("the file of times, ", number, field, error);
        count++;
    }
    if (count == d->row_count)
        return PM_OK;
    return motion_refuse(error, "has %zu rows, and '%s' %zu times; expected one for each row",
                         d->row_count, MOTION_SHOWN(path, strlen(path)), count);
}

static pm_status read_beside(csv_document *d, const motion_input *input, pm_error *error) {
    char reason[INPUT_REASON_SIZE], path[4096];
    const char *given = d->layout.times;
    FREED char *data = NULL;
    size_t size = 0;
    const bool has_path = given ? snprintf(path, sizeof path, "%s", given) < (int)sizeof path
                                : input->folder && snprintf(path, sizeof path, "%s/times.txt",
                                                            input->folder) < (int)sizeof path;
    if (has_path && input_read_beside(path, NULL, SIZE_MAX, &data, &size, reason))
        return read_lines(d, path, (text_span){data, size}, error);
    if (!has_path)
        motion_report(error, PM_ERROR_FILE, "has poses without times");
    else
        motion_report(error, PM_ERROR_FILE, "has poses without times: '%s' %s",
                      MOTION_SHOWN(path, strlen(path)), reason);
    motion_cure(error, "layout", "kitti:times.txt",
                "names the file of times, one a line in seconds");
    return PM_ERROR_FILE;
}

/* At a rate that is given, from 0. */
static pm_status count_stamps(csv_document *d, pm_rational rate, pm_error *error) {
    for (size_t r = 0; r < d->row_count; r++) {
        const double ns = rint((double)r * (double)rate.den / (double)rate.num * 1e9);
        if (!(ns < (double)longest))
            return motion_refuse(error, "lasts longer than 52 days at the given source rate");
        d->stamps[r] = (int64_t)ns;
    }
    return PM_OK;
}

static bool is_repeated(const csv_document *d, size_t row, size_t before, size_t stamp) {
    const double *a = d->numbers + row * d->column_count,
                 *b = d->numbers + before * d->column_count;
    bool same = true;
    for (size_t i = 0; same && i < d->column_count; i++)
        same = i == stamp || a[i] == b[i];
    return same;
}

/* Leaves out rows that repeat the one before, which drivers log twice. */
static pm_status check_order(csv_document *d, const motion_input *input, size_t column,
                             pm_error *error) {
    size_t kept = 1;
    for (size_t r = 1; r < d->row_count; r++) {
        const int64_t before = d->stamps[kept - 1], own = d->stamps[r];
        if (own == before && is_repeated(d, r, kept - 1, column))
            continue;
        if (own <= before)
            return motion_refuse(error,
                                 "line %zu: the time %lld ns %s, %lld ns; expected times that rise",
                                 csv_line_of(d, r), (long long)own,
                                 own < before ? "is before that of the row before"
                                              : "has another pose than the row before",
                                 (long long)before);
        if (__builtin_sub_overflow(own, d->stamps[0], &(int64_t){0}) ||
            own - d->stamps[0] >= longest)
            return motion_refuse(error, "line %zu is more than 52 days behind the first row",
                                 csv_line_of(d, r));
        if (kept < r) {
            memmove(d->numbers + kept * d->column_count, d->numbers + r * d->column_count,
                    d->column_count * sizeof *d->numbers);
            d->rows[kept] = d->rows[r];
            d->stamps[kept] = own;
        }
        kept++;
    }
    if (kept < d->row_count)
        motion_warn(&input->warnings, "%zu rows repeat the one before; they are left out",
                    d->row_count - kept);
    d->row_count = kept;
    return PM_OK;
}

pm_status csv_read_stamps(csv_document *d, const motion_input *input, motion_arena *arena,
                          pm_error *error) {
    const pm_rational rate = input->options->source_rate;
    const csv_group *stamp = NULL;
    for (size_t i = 0; i < d->layout.count; i++)
        stamp = d->layout.groups[i].form == CSV_STAMP ? &d->layout.groups[i] : stamp;
    if (!stamp && d->is_text_of_rows)
        return PM_OK;
    d->stamps = motion_allocate(arena, d->row_count, sizeof *d->stamps);
    MOTION_TRY_MEMORY(d->stamps, error);
    if (stamp && rate.den)
        return motion_refuse(error, "has times of its own; expected no source rate");
    MOTION_TRY(stamp      ? read_column(d, stamp, error)
               : rate.den ? count_stamps(d, rate, error)
                          : read_beside(d, input, error));
    return check_order(d, input, stamp ? stamp->column : SIZE_MAX, error);
}
