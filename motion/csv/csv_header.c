/* SPDX-License-Identifier: MIT
 *
 * What a CSV file says beside its numbers: the names of its joints, in the header, and its rate, by a column
 * of times. The columns of the root are those of csv_layout.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/csv/csv.h"
#include "motion/model/angles.h"
#include "motion/time/rate.h"

static text_span without_quotes(text_span name) {
    const bool quoted = name.size >= 2 && name.begin[0] == name.begin[name.size - 1] &&
                        (name.begin[0] == '"' || name.begin[0] == '\'');
    return quoted ? (text_span){name.begin + 1, name.size - 2} : name;
}

/* Whether the header has a name for each column. Empty fields at the end are none. */
static bool fits_columns(const csv_document *d, size_t *named) {
    const char separator = csv_separator_of(d->header);
    text_span rest = d->header, field;
    size_t count = 0, last = 0;
    *named = 0;
    while (csv_next_field(&rest, separator, &field)) {
        count++;
        if (without_quotes(field).size == 0)
            continue;
        last = count;
        *named += count > d->layout.columns;
    }
    return last <= d->column_count && *named == d->column_count - d->layout.columns;
}

static pm_status doubt_names(const csv_document *d, size_t named, pm_motion *motion,
                             pm_error *error) {
    char text[96];
    if (named == 0) /* a title, or the root's columns alone */
        return PM_OK;
    snprintf(text, sizeof text, "the header names %zu joints; expected %zu, as rows have columns",
             named, d->column_count - d->layout.columns);
    motion->odd_names = motion_copy_text(&motion->arena, text, strlen(text));
    return motion->odd_names ? PM_OK : motion_refuse_memory(error);
}

/* Whether a joint's name ends with a unit: "knee (deg)", "knee [rad]", "knee_deg". Brackets, and degrees, are
 * no part of the name. */
static bool cut_unit(text_span *name, bool *in_degrees) {
    static const char *const ends[] = {"(deg)",     "[deg]",     "(degrees)", "[degrees]",
                                       "_deg",      "_degrees",  "(rad)",     "[rad]",
                                       "(radians)", "[radians]", "_rad"};
    enum { DEGREES = 6, CUT = 10 };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t size = strlen(ends[i]), left = name->size - size;
        if (name->size <= size || !text_is((text_span){name->begin + left, size}, ends[i]))
            continue;
        *in_degrees = i < DEGREES;
        if (i < CUT)
            *name = text_trim((text_span){name->begin, left}, "");
        return true;
    }
    return false;
}

/* Sets the unit of the joints, which the header has for all of them or for none. */
static pm_status take_unit(csv_document *d, size_t degrees, size_t radians, pm_motion *motion,
                           pm_error *error) {
    const size_t joints = d->column_count - d->layout.columns;
    char text[96];
    if (degrees == joints || (radians > 0 && degrees == 0))
        d->layout.full_turn = degrees > 0 ? 360 : RADIANS_A_TURN;
    if (degrees == 0 || degrees == joints)
        return PM_OK;
    snprintf(text, sizeof text, "the header has degrees for %zu of %zu joints; expected one unit",
             degrees, joints);
    motion->odd_names = motion_copy_text(&motion->arena, text, strlen(text));
    return motion->odd_names ? PM_OK : motion_refuse_memory(error);
}

pm_status csv_name_joints(csv_document *d, pm_motion *motion, pm_error *error) {
    const size_t columns = d->layout.columns;
    const char separator = csv_separator_of(d->header);
    text_span rest = d->header, field;
    size_t named = 0, degrees = 0, radians = 0;
    if (!d->header.begin || d->column_count == columns)
        return PM_OK;
    if (!fits_columns(d, &named))
        return doubt_names(d, named, motion, error);
    pm_motion_name *names =
        motion_allocate(&motion->arena, d->column_count - columns, sizeof *names);
    MOTION_TRY_MEMORY(names, error);
    for (size_t i = 0; i < d->column_count && csv_next_field(&rest, separator, &field); i++) {
        text_span name = without_quotes(field);
        bool in_degrees = false;
        if (i < columns)
            continue;
        if (cut_unit(&name, &in_degrees))
            *(in_degrees ? &degrees : &radians) += 1;
        names[i - columns] =
            (pm_motion_name){motion_copy_text(&motion->arena, name.begin, name.size), name.size};
        if (!names[i - columns].text)
            return motion_refuse_memory(error);
    }
    d->joints = names;
    return take_unit(d, degrees, radians, motion, error);
}

unsigned csv_count_decimals(const csv_document *d, size_t column) {
    size_t most = 0;
    for (size_t r = 0; r < d->row_count; r++) {
        const char separator = csv_separator_of(d->rows[r]);
        text_span rest = d->rows[r], field = {NULL, 0};
        for (size_t i = 0; i <= column && csv_next_field(&rest, separator, &field);)
            i++;
        const char *point = field.size > 0 ? memchr(field.begin, '.', field.size) : NULL;
        const size_t places = point ? (size_t)(field.begin + field.size - point - 1) : 0;
        most = places > most ? places : most;
    }
    return (unsigned)(most < 400 ? most : 400);
}

/* A column of times: where it is, and its unit in seconds. */
typedef struct time_column {
    size_t column;
    double unit;
} time_column;

/* The unit that the name of a column of times ends with: "time_ms", "timestamp [ns]". Others are in seconds. */
static double unit_of_times(const csv_document *d, size_t column) {
    static const char *const forms[] = {"_%s", "(%s)", "[%s]"};
    static const char *const units[] = {"ms", "us", "ns"};
    text_span rest = d->header, field = {NULL, 0};
    if (!d->header.begin)
        return 1;
    const char separator = csv_separator_of(d->header);
    for (size_t i = 0; i <= column && csv_next_field(&rest, separator, &field);)
        i++;
    const text_span name = without_quotes(field);
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            char end[8];
            const size_t size = (size_t)snprintf(end, sizeof end, forms[f], units[u]);
            if (name.size > size && text_is((text_span){name.begin + name.size - size, size}, end))
                return pm_power_of_ten(-3 * (int)(u + 1));
        }
    return 1;
}

/* Seconds from the first row to another. */
static double time_of_row(const csv_document *d, time_column of, size_t row) {
    return (d->numbers[row * d->column_count + of.column] - d->numbers[of.column]) * of.unit;
}

static bool lies_evenly(const csv_document *d, time_column of, double rate, double loss) {
    bool even = true;
    for (size_t r = 1; r < d->row_count && even; r++)
        even = fabs(time_of_row(d, of, r) - (double)r / rate) <= 2.001 * loss;
    return even;
}

/* The rate of times of which each may be off by `loss`: that of the mean step, with the digits that are
 * sure. False: there is none, or it is not known within a hundredth. */
static bool fit_rate(const csv_document *d, time_column of, double loss, pm_rational *rate) {
    const double steps = (double)d->row_count - 1;
    const double step = time_of_row(d, of, d->row_count - 1) / steps;
    char text[64];
    rate_snap how;
    if (!(step > 1e-4 && step <= 1) || !(2 * loss / steps <= 0.01 * step))
        return false;
    const int places = -pm_decimal_exponent(4 * loss / steps) - 1; /* of which the last is sure */
    snprintf(text, sizeof text, "%.*f", places < 3 ? 3 : places > 12 ? 12 : places, step);
    return rate_from_frame_time(text, strlen(text), true, rate, &how) &&
           lies_evenly(d, of, rate_value(*rate), loss);
}

/* Times as they are written, as far as float32 holds them; otherwise as rounded to their digits. */
static bool read_times(const csv_document *d, size_t column, pm_rational *rate) {
    const time_column of = {column, unit_of_times(d, column)};
    const double last = fabs(d->numbers[(d->row_count - 1) * d->column_count + column]);
    const double digits = 0.5 * pm_power_of_ten(-(int)csv_count_decimals(d, column));
    return fit_rate(d, of, fmax(last * of.unit * 0x1p-23, 1e-9), rate) ||
           fit_rate(d, of, fmax(digits, last * 0x1p-52) * of.unit, rate);
}

static size_t column_of_times(const csv_document *d) {
    for (size_t i = 0; i < d->layout.count; i++)
        if (d->layout.groups[i].form == CSV_TIME)
            return d->layout.groups[i].column;
    return SIZE_MAX;
}

void csv_find_rate(const csv_document *d, const motion_input *input, pm_rational *rate,
                   pm_rational *stated) {
    const pm_rational given = input->options->source_rate;
    const size_t column = column_of_times(d);
    const bool has_times = column != SIZE_MAX && d->row_count > 1;
    if (has_times && !read_times(d, column, stated))
        *stated = (pm_rational){0, 0};
    *rate = given.den ? given : stated->den ? *stated : (pm_rational){d->layout.rate, 1};
    const motion_about another = {.cure = "source-rate", .hint = "gives another"};
    if (given.den || stated->den)
        return;
    if (has_times)
        motion_warn_about(&input->warnings, another,
                          "the times in column %zu are not seconds at one rate; %d frames per "
                          "second are taken",
                          column + 1, d->layout.rate);
    else
        motion_warn_about(&input->warnings, another, "has no rate; %d frames per second are taken",
                          d->layout.rate);
}
