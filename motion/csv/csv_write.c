/* SPDX-License-Identifier: MIT
 *
 * Writes a CSV file with other rows: rows of the source keep their text, others have the separators
 * of the first row and the fewest digits that read back as the same float32.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/csv/csv.h"
#include "motion/text/text.h"
#include "motion/time/rate.h"

enum { PIECE_NUMBERS = 1 << 16, MAX_PIECE = 1024 };

typedef struct writing {
    const pm_motion *motion;
    const csv_document *document;
    const motion_samples *samples;
    csv_output out;
    size_t piece;
    double *numbers; /* of the channels */
    double *channels[CSV_MAX_GROUPS];
    double *values; /* of a row, as the file has them; rotations continue those of the row before */
    bool has_before;
    bool has_times;    /* a column of times in seconds, at the rate of the clip */
    double first_time; /* of the first row of the result */
    unsigned
        decimals; /* of times: those of the source, or more where these do not tell rows apart */
    bool keeps_times; /* rows of the source keep the text of theirs */
    motion_position *positions;
    char *row; /* the text of one row */
    pm_error *error;
} writing;

char *csv_put(char *at, text_span text) {
    if (text.size > 0)
        memcpy(at, text.begin, text.size);
    return at + text.size;
}

pm_status csv_flush(csv_output *o) {
    const size_t size = o->used;
    o->used = 0;
    return size > 0 ? o->sink->write(o->sink->user, o->buffer, size, o->error) : PM_OK;
}

pm_status csv_send(csv_output *o, text_span text) {
    if (text.size > CSV_BUFFER - o->used)
        MOTION_TRY(csv_flush(o));
    if (text.size > CSV_BUFFER)
        return o->sink->write(o->sink->user, text.begin, text.size, o->error);
    o->used = (size_t)(csv_put(o->buffer + o->used, text) - o->buffer);
    return PM_OK;
}

/* A file of one line may have no line end to repeat. */
pm_status csv_send_line_end(csv_output *o, bool is_last) {
    const text_span newline = {"\n", 1}, own = o->document->line_end;
    return is_last && !o->document->ends_with_line ? PM_OK
                                                   : csv_send(o, own.size > 0 ? own : newline);
}

/* Numbers of a gap that is filled decide nothing. */
static void remember(writing *w, const csv_document *from, size_t frame) {
    const size_t columns = from->column_count;
    memcpy(w->values, from->numbers + frame * columns, columns * sizeof *w->values);
    for (size_t i = 0; i < columns; i++)
        w->values[i] = isfinite(w->values[i]) ? w->values[i] : 0;
    w->has_before = true;
}

/* Whether rows of another file have the columns of the document, and what is between them. */
static bool has_columns_of(const csv_document *a, const csv_document *b) {
    bool same = a->column_count == b->column_count && a->layout.count == b->layout.count &&
                csv_separator_of(a->rows[0]) == csv_separator_of(b->rows[0]);
    for (size_t i = 0; same && i < a->layout.count; i++) {
        const csv_group *x = &a->layout.groups[i], *y = &b->layout.groups[i];
        same = x->form == y->form && x->column == y->column && x->count == y->count &&
               x->order == y->order && x->fixed == y->fixed && x->unit == y->unit;
    }
    return same;
}

/* The file of a row that is written as it is; NULL: it is computed. */
static const csv_document *file_of(const writing *w, motion_position position) {
    const csv_document *from = position.source ? position.source->document : w->document;
    if (motion_exact_key(position) == MOTION_NO_KEY ||
        (position.source && position.source->format != &motion_csv))
        return NULL;
    return from == w->document || has_columns_of(from, w->document) ? from : NULL;
}

/* The last source row that is not after the sample. */
static size_t earlier_row(const writing *w, uint64_t sample, motion_position position) {
    const motion_samples *s = w->samples;
    const bool is_own = !position.source || position.source->document == w->document;
    if (is_own && position.key < w->document->row_count)
        return (size_t)position.key;
    const bool is_end = s->has_end && sample + 1 == s->count;
    const double time =
        is_end ? s->end : s->start + (double)sample * (double)s->rate.den / (double)s->rate.num;
    const double row = floor(time * rate_value(w->motion->content.clips[0].rate));
    return (size_t)fmin(fmax(row, 0.0), (double)(w->document->row_count - 1));
}

/* The sign of a quaternion is that of the row before. */
void csv_put_quaternion(const csv_group *g, const double q[4], double *to) {
    const size_t shift = g->form == CSV_WXYZ ? 3 : 0;
    double dot = 0.0;
    for (size_t i = 0; i < 4; i++)
        dot += q[(i + shift) % 4] * to[i];
    for (size_t i = 0; i < 4; i++)
        to[i] = dot < 0.0 ? -q[(i + shift) % 4] : q[(i + shift) % 4];
}

/* So are the turns of Euler angles, and which of two triples they are. */
void csv_put_angles(const csv_group *g, const double q[4], double *to) {
    double near[3], angles[3] = {0, 0, 0};
    for (size_t i = 0; i < 3; i++)
        near[i] = g->unit * to[g->fixed ? 2 - i : i];
    (void)pm_euler_from_quat(g->order, q, near, angles);
    for (size_t i = 0; i < 3; i++)
        to[g->fixed ? 2 - i : i] = angles[i] / g->unit;
}

/* ---- columns that count rows: their numbers and times are exact, and no samples of a curve -------- */

static bool is_counted(const writing *w, const csv_group *g) {
    return g->form == CSV_INDEX || (g->form == CSV_TIME && w->has_times);
}

static const csv_group *counted_at(const writing *w, size_t column) {
    const csv_layout *layout = &w->document->layout;
    for (size_t i = 0; i < layout->count; i++)
        if (is_counted(w, &layout->groups[i]) && layout->groups[i].column == column)
            return &layout->groups[i];
    return NULL;
}

/* Times in other units, or at another rate than the one that is given, are numbers like any other. */
static void find_times(writing *w) {
    const csv_document *d = w->document;
    const double rate = rate_value(w->motion->content.clips[0].rate);
    const csv_group *time = NULL;
    for (size_t i = 0; i < d->layout.count && !time; i++)
        time = d->layout.groups[i].form == CSV_TIME ? &d->layout.groups[i] : NULL;
    if (!time || d->row_count < 2)
        return;
    const double *first = d->numbers + time->column,
                 *last = first + (d->row_count - 1) * d->column_count;
    const double step = (*last - *first) / (double)(d->row_count - 1);
    const unsigned decimals = csv_count_decimals(d, time->column);
    w->has_times = fabs(step * rate - 1) < 1e-3;
    w->keeps_times = pm_power_of_ten(-(int)decimals) * rate_value(w->samples->rate) < 0.01;
    w->decimals = w->keeps_times && decimals < TEXT_DECIMALS_MAX ? decimals : TEXT_DECIMALS_MAX;
}

/* The number of a row, as the source counts, or its time. */
static double count_of(const writing *w, const csv_group *g, uint64_t sample) {
    const csv_document *d = w->document;
    const double first = d->numbers[g->column];
    if (g->form == CSV_TIME)
        return w->first_time +
               (motion_sample_time(w->samples, sample) - motion_sample_time(w->samples, 0));
    const double step = d->row_count > 1 ? d->numbers[d->column_count + g->column] - first : 1.0;
    return first + step * (double)sample;
}

static char *put_count(const writing *w, char *at, const csv_group *g, uint64_t sample) {
    const double value = count_of(w, g, sample);
    if (g->form == CSV_TIME)
        return text_write_fixed(at, value, w->decimals);
    return text_write_fixed(at, value, value == floor(value) ? 0 : TEXT_DECIMALS_MAX);
}

/* The time of the first row: its own or, of a row that is computed, as far behind the first one of the source as
 * the sample lies behind the source's key. */
static void begin_times(writing *w, const csv_document *from, motion_position position) {
    const double rate = rate_value(w->motion->content.clips[0].rate), start = w->samples->start;
    double behind = start;
    if (position.key != MOTION_NO_KEY)
        behind =
            (double)position.key / rate + (position.exact ? 0 : start - floor(start * rate) / rate);
    for (size_t i = 0; i < w->document->layout.count && w->has_times; i++) {
        const csv_group *g = &w->document->layout.groups[i];
        if (g->form == CSV_TIME)
            w->first_time = from ? from->numbers[position.key * from->column_count + g->column]
                                 : w->document->numbers[g->column] + behind;
    }
}

/* Whether a row of the source has its number or its time in the result: times may be rounded. */
static bool is_in_place(const writing *w, const csv_group *g, double own, uint64_t sample) {
    return g->form == CSV_TIME && w->keeps_times &&
           fabs(own - count_of(w, g, sample)) * rate_value(w->samples->rate) < 0.25;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* The numbers of a computed row, but for those that count. */
static void make_values(const writing *w, size_t k) {
    for (size_t i = 0; i < w->document->layout.count; i++) {
        const csv_group *g = &w->document->layout.groups[i];
        double *to = w->values + g->column;
        const double *from = w->channels[g->channel];
        if (g->form == CSV_EULER)
            csv_put_angles(g, from + 4 * k, to);
        else if (csv_is_rotation(g))
            csv_put_quaternion(g, from + 4 * k, to);
        else if (!is_counted(w, g))
            memcpy(to, from + g->count * k, g->count * sizeof *to);
    }
}

/* The text of the numbers, between the separators of the first row. */
static text_span make_row(const writing *w, uint64_t sample) {
    const csv_document *d = w->document;
    char *at = w->row;
    for (size_t i = 0; i < d->column_count; i++) {
        const csv_group *counted = counted_at(w, i);
        at = csv_put(at, d->between[i]);
        at =
            counted ? put_count(w, at, counted, sample) : text_write_float(at, (float)w->values[i]);
    }
    at = csv_put(at, d->between[d->column_count]);
    return (text_span){w->row, (size_t)(at - w->row)};
}

/* A row of a file, whose indices are counted anew, and its time where the result has another one there. */
static pm_status send_kept(writing *w, const csv_document *from, uint64_t key, uint64_t sample) {
    const text_span row = from->rows[key];
    const char separator = csv_separator_of(row);
    text_span rest = row, field;
    const char *at = row.begin;
    for (size_t i = 0; i < w->document->layout.columns && csv_next_field(&rest, separator, &field);
         i++) {
        const csv_group *counted = counted_at(w, i);
        char text[TEXT_FIXED_SIZE];
        if (!counted ||
            is_in_place(w, counted, from->numbers[key * from->column_count + i], sample))
            continue;
        MOTION_TRY(csv_send(&w->out, (text_span){at, (size_t)(field.begin - at)}));
        const char *end = put_count(w, text, counted, sample);
        MOTION_TRY(csv_send(&w->out, (text_span){text, (size_t)(end - text)}));
        at = field.begin + field.size;
    }
    return csv_send(&w->out, (text_span){at, (size_t)(row.begin + row.size - at)});
}

static pm_status write_sample(writing *w, uint64_t sample, size_t k) {
    const csv_document *from = file_of(w, w->positions[k]);
    const uint64_t key = w->positions[k].key;
    pm_status status;
    if (from && key >= from->row_count)
        return motion_fail(w->error, PM_ERROR_ARGUMENT, "a sample lies on no row");
    if (sample == 0)
        begin_times(w, from, w->positions[k]);
    if (from) {
        remember(w, from, (size_t)key);
        status = send_kept(w, from, key, sample);
    } else {
        if (!w->has_before)
            remember(w, w->document, earlier_row(w, sample, w->positions[k]));
        make_values(w, k);
        status = csv_send(&w->out, make_row(w, sample));
    }
    return status == PM_OK ? csv_send_line_end(&w->out, sample + 1 == w->samples->count) : status;
}

static pm_status write_rows(writing *w) {
    const motion_samples *s = w->samples;
    MOTION_TRY(csv_send(&w->out, w->document->head));
    for (uint64_t first = 0; first < s->count; first += w->piece) {
        const size_t count = s->count - first < w->piece ? (size_t)(s->count - first) : w->piece;
        MOTION_TRY(s->read(s->user, first, count, w->channels, w->positions, w->error));
        for (size_t k = 0; k < count; k++)
            MOTION_TRY(write_sample(w, first + k, k));
    }
    return PM_OK;
}

/* Memory for a piece of the samples: a rotation has a number more than Euler angles. */
static pm_status prepare(writing *w) {
    const csv_document *d = w->document;
    const size_t numbers = d->column_count + d->layout.count, most = PIECE_NUMBERS / numbers;
    size_t text = d->column_count * TEXT_FLOAT_SIZE + d->layout.count * TEXT_FIXED_SIZE;
    for (size_t i = 0; i <= d->column_count; i++)
        text += d->between[i].size;
    w->piece = most < 1 ? 1 : most > MAX_PIECE ? MAX_PIECE : most;
    w->numbers = calloc(w->piece * numbers, sizeof *w->numbers);
    w->values = calloc(d->column_count + 1, sizeof *w->values);
    w->positions = calloc(w->piece, sizeof *w->positions);
    w->row = malloc(text);
    MOTION_TRY_MEMORY(w->numbers && w->values && w->positions && w->row, w->error);
    find_times(w);
    double *at = w->numbers;
    for (size_t i = 0; i < d->layout.count; i++) {
        const csv_group *g = &d->layout.groups[i];
        if (g->form == CSV_INDEX)
            continue;
        w->channels[g->channel] = at;
        at += w->piece * (csv_is_rotation(g) ? 4 : g->count);
    }
    return PM_OK;
}

static pm_status write_source(writing *w) {
    MOTION_TRY(csv_send(&w->out, w->document->head));
    for (size_t i = 0; i < w->document->row_count; i++) {
        MOTION_TRY(csv_send(&w->out, w->document->rows[i]));
        MOTION_TRY(csv_send_line_end(&w->out, i + 1 == w->document->row_count));
    }
    return PM_OK;
}

pm_status csv_write_tum(const motion_writing *given, const motion_sink *sink, pm_error *error) {
    return csv_write_trajectory(given, sink, true, error);
}

pm_status csv_write(const motion_writing *given, const motion_sink *sink, pm_error *error) {
    const csv_document *document = given->document ? given->document->document : NULL;
    if (!document || document->stamps)
        return csv_write_trajectory(given, sink, false, error);
    const motion_samples *samples = given->samples;
    const size_t count = given->sample_count;
    writing w = {.motion = given->document,
                 .document = given->document->document,
                 .samples = samples,
                 .out = {.document = document, .sink = sink, .error = error},
                 .error = error};
    if (count > 1 || (count == 1 && (samples->clip != 0 || samples->count == 0)))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "a CSV file has one clip, with a sample or more");
    w.out.buffer = malloc(CSV_BUFFER);
    MOTION_TRY_MEMORY(w.out.buffer, error);
    pm_status status = count > 0 ? prepare(&w) : PM_OK;
    if (status == PM_OK)
        status = count > 0 ? write_rows(&w) : write_source(&w);
    if (status == PM_OK)
        status = csv_flush(&w.out);
    MOTION_FREE(w.out.buffer, w.numbers, w.values, w.positions, w.row);
    return status;
}
