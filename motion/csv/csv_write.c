/* SPDX-License-Identifier: MIT
 *
 * Writes a CSV file with other rows: rows of the source keep their text, others have the separators
 * of the first row and the fewest digits that read back as the same float32.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/csv/csv.h"
#include "motion/text/text.h"
#include "motion/time/rate.h"

enum { PIECE_NUMBERS = 1 << 16, MAX_PIECE = 1024, BUFFER = 1 << 16 };

typedef struct writing {
    const pm_motion *motion;
    const csv_document *document;
    const motion_samples *samples;
    const motion_sink *sink;
    size_t piece;
    double *numbers;
    double *channels[3];
    motion_position *positions;
    char *row;    /* the text of one row */
    char *buffer; /* text that was not sent yet */
    size_t used;
    double near[4]; /* the last quaternion, whose sign the next one continues */
    bool has_near;
    pm_error *error;
} writing;

/* ---- one row ----------------------------------------------------------------------- */

static char *put(char *at, csv_span text) {
    if (text.size > 0)
        memcpy(at, text.text, text.size);
    return at + text.size;
}

static void remember(writing *w, size_t frame) {
    memcpy(w->near, w->document->numbers + frame * w->document->column_count + CSV_ROTATION,
           sizeof w->near);
    w->has_near = true;
}

/* The last source row that is not after the sample. */
static size_t earlier_row(const writing *w, uint64_t sample, motion_position position) {
    const motion_samples *s = w->samples;
    if (position.key < w->document->row_count)
        return (size_t)position.key;
    const bool is_end = s->has_end && sample + 1 == s->count;
    const double time =
        is_end ? s->end : s->start + (double)sample * (double)s->rate.den / (double)s->rate.num;
    const double row = floor(time * rate_value(w->motion->content.clips[0].rate));
    return (size_t)fmin(fmax(row, 0.0), (double)(w->document->row_count - 1));
}

/* Turns the sign of a quaternion to that of the row before. */
static void make_continuous(writing *w, double q[4]) {
    double dot = 0.0;
    for (size_t i = 0; i < 4; i++)
        dot += q[i] * w->near[i];
    for (size_t i = 0; i < 4; i++) {
        q[i] = dot < 0.0 ? -q[i] : q[i];
        w->near[i] = q[i];
    }
}

static csv_span make_row(writing *w, size_t k) {
    const csv_document *d = w->document;
    const size_t joints = d->column_count - CSV_ROOT_COLUMNS;
    char *at = w->row;
    make_continuous(w, w->channels[1] + 4 * k);
    for (size_t i = 0; i < d->column_count; i++) {
        const double value = i < CSV_ROTATION ? w->channels[0][3 * k + i]
                             : i < CSV_ROOT_COLUMNS
                                 ? w->channels[1][4 * k + i - CSV_ROTATION]
                                 : w->channels[2][joints * k + i - CSV_ROOT_COLUMNS];
        at = text_write_float(put(at, d->between[i]), (float)value);
    }
    at = put(at, d->between[d->column_count]);
    return (csv_span){w->row, (size_t)(at - w->row)};
}

static pm_status flush(writing *w) {
    const size_t size = w->used;
    w->used = 0;
    return size > 0 ? w->sink->write(w->sink->user, w->buffer, size, w->error) : PM_OK;
}

static pm_status send(writing *w, csv_span text) {
    pm_status status = PM_OK;
    if (text.size > BUFFER - w->used)
        status = flush(w);
    if (status != PM_OK || text.size == 0)
        return status;
    if (text.size > BUFFER)
        return w->sink->write(w->sink->user, text.text, text.size, w->error);
    memcpy(w->buffer + w->used, text.text, text.size);
    w->used += text.size;
    return PM_OK;
}

/* A file of one line may have no line end to repeat. */
static pm_status send_line_end(writing *w, bool is_last) {
    const csv_span newline = {"\n", 1};
    if (is_last && !w->document->ends_with_line)
        return PM_OK;
    return send(w, w->document->line_end.size > 0 ? w->document->line_end : newline);
}

static pm_status write_sample(writing *w, uint64_t sample, size_t k) {
    const uint64_t key = motion_exact_key(w->positions[k]);
    pm_status status;
    if (key != MOTION_NO_KEY && key >= w->document->row_count)
        return motion_fail(w->error, PM_ERROR_ARGUMENT, "a sample lies on no row");
    if (key != MOTION_NO_KEY) {
        status = send(w, w->document->rows[key]);
        remember(w, (size_t)key);
    } else {
        if (!w->has_near)
            remember(w, earlier_row(w, sample, w->positions[k]));
        status = send(w, make_row(w, k));
    }
    return status == PM_OK ? send_line_end(w, sample + 1 == w->samples->count) : status;
}

/* ---- all rows ---------------------------------------------------------------------- */

static pm_status write_rows(writing *w) {
    const motion_samples *s = w->samples;
    pm_status status = send(w, w->document->head);
    for (uint64_t first = 0; first < s->count && status == PM_OK; first += w->piece) {
        const size_t count = s->count - first < w->piece ? (size_t)(s->count - first) : w->piece;
        status = s->read(s->user, first, count, w->channels, w->positions, w->error);
        for (size_t k = 0; k < count && status == PM_OK; k++)
            status = write_sample(w, first + k, k);
    }
    return status;
}

static pm_status prepare(writing *w) {
    const size_t columns = w->document->column_count, most = PIECE_NUMBERS / columns;
    size_t text = columns * TEXT_FLOAT_SIZE;
    for (size_t i = 0; i <= columns; i++)
        text += w->document->between[i].size;
    w->piece = most < 1 ? 1 : most > MAX_PIECE ? MAX_PIECE : most;
    w->numbers = calloc(w->piece * columns, sizeof *w->numbers);
    w->positions = calloc(w->piece, sizeof *w->positions);
    w->row = malloc(text);
    if (!w->numbers || !w->positions || !w->row)
        return motion_refuse_memory(w->error);
    w->channels[0] = w->numbers;
    w->channels[1] = w->numbers + 3 * w->piece;
    w->channels[2] = w->numbers + CSV_ROOT_COLUMNS * w->piece;
    return PM_OK;
}

static pm_status write_source(writing *w) {
    pm_status status = send(w, w->document->head);
    for (size_t i = 0; i < w->document->row_count && status == PM_OK; i++) {
        status = send(w, w->document->rows[i]);
        if (status == PM_OK)
            status = send_line_end(w, i + 1 == w->document->row_count);
    }
    return status;
}

pm_status csv_write(const pm_motion *motion, const motion_samples *samples, size_t count,
                    const motion_write_options *options, const motion_sink *sink, pm_error *error) {
    (void)options;
    writing w = {.motion = motion,
                 .document = motion->document,
                 .samples = samples,
                 .sink = sink,
                 .error = error};
    if (count > 1 || (count == 1 && (samples->clip != 0 || samples->count == 0)))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "a CSV file has one clip, with a sample or more");
    w.buffer = malloc(BUFFER);
    if (!w.buffer)
        return motion_refuse_memory(error);
    pm_status status = count > 0 ? prepare(&w) : PM_OK;
    if (status == PM_OK)
        status = count > 0 ? write_rows(&w) : write_source(&w);
    if (status == PM_OK)
        status = flush(&w);
    free(w.buffer);
    free(w.numbers);
    free(w.positions);
    free(w.row);
    return status;
}
