/* SPDX-License-Identifier: MIT
 *
 * Writes an NPZ file with other frames: members with a row per frame are made in memory, the rates
 * are replaced, and all others are copied as they are, in the order of the source.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/npz/npz.h"
#include "motion/npz/npz_numbers.h"
#include "motion/time/rate.h"

/* The new rows of a member. */
typedef struct output {
    char *bytes; /* the header, and the rows in C order */
    size_t size, rows_at, row_size;
    double *near; /* rotations: the last row, whose branch or signs the next one continues */
} output;

typedef struct writing {
    const pm_motion *motion;
    const npz_document *document;
    const motion_samples *samples;
    output *outputs; /* one per rows of the document */
    size_t piece;    /* samples that are computed at once */
    double *numbers; /* of all channels, and of their velocities */
    double **channels, **velocities;
    motion_position *positions;
    double *row; /* one row of the widest member */
    bool has_velocities;
    pm_error *error;
} writing;

/* The status is visible to the analysis of this file. */
static pm_status refuse_memory(const writing *w) {
    motion_refuse_memory(w->error);
    return PM_ERROR_MEMORY;
}

/* ---- source frames ------------------------------------------------------------------------ */

static double time_of(const motion_samples *s, uint64_t sample) {
    if (s->has_end && sample + 1 == s->count)
        return s->end;
    return s->start + (double)sample * (double)s->rate.den / (double)s->rate.num;
}

/* The last source frame that is not after the sample. */
static size_t earlier_frame(const writing *w, uint64_t sample, motion_position position) {
    if (position.key != MOTION_NO_KEY)
        return (size_t)position.key;
    const pm_rational rate = w->motion->content.clips[0].rate;
    const double frame = floor(time_of(w->samples, sample) * rate_value(rate));
    const double last = (double)(w->document->frames - 1);
    return (size_t)fmin(fmax(frame, 0.0), last);
}

static const char *source_row(const npz_rows *rows, size_t frame) {
    return rows->data + frame * rows->width * rows->element;
}

/* ---- one row ------------------------------------------------------------------------------ */

/* Continues from the row before: the branch of a rotation vector. */
static void make_axis_angle(const writing *w, const npz_rows *rows, size_t k, double *near) {
    for (size_t j = 0; j < rows->channel_count; j++) {
        npz_to_axis_angle(w->channels[rows->channel + j] + 4 * k, near + 3 * j, w->row + 3 * j);
    }
}

/* Likewise, the sign of a quaternion. float32 samples are unit only in float32. */
static void make_quaternions(const writing *w, const npz_rows *rows, size_t k, const double *near) {
    const size_t first = rows->role == NPZ_WXYZ ? 1 : 0, last = rows->role == NPZ_WXYZ ? 0 : 3;
    for (size_t j = 0; j < rows->channel_count; j++) {
        const double *q = w->channels[rows->channel + j] + 4 * k;
        double *out = w->row + 4 * j;
        for (size_t i = 0; i < 3; i++)
            out[first + i] = q[i];
        out[last] = q[3];
        const double *n = near + 4 * j;
        const double square = out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3];
        const double dot = out[0] * n[0] + out[1] * n[1] + out[2] * n[2] + out[3] * n[3];
        const double scale = (dot < 0.0 ? -1.0 : 1.0) / sqrt(square);
        for (size_t i = 0; i < 4; i++)
            out[i] *= scale;
    }
}

/* Numbers of consecutive channels side by side. */
static void make_numbers(const writing *w, double *const channels[], size_t group,
                         const npz_rows *of, size_t k) {
    for (size_t c = 0; c < of->channel_count; c++)
        for (size_t i = 0; i < group; i++)
            w->row[c * group + i] = channels[of->channel + c][group * k + i];
}

/* Columns of a whole whose row is already there. */
static void make_part(const writing *w, const npz_rows *rows, size_t sample) {
    const npz_rows *whole = &w->document->rows[rows->of];
    const output *out = &w->outputs[rows->of];
    npz_load_numbers(
        w->row, out->bytes + out->rows_at + sample * out->row_size + rows->column * whole->element,
        whole->element, rows->width);
}

/* Fills w->row with the row of a sample that no source frame has. Only rotations have `near`. */
static void make_row(const writing *w, const npz_rows *rows, size_t sample, size_t k,
                     double *near) {
    if (near && rows->role == NPZ_AXIS_ANGLE) {
        make_axis_angle(w, rows, k, near);
    } else if (near) {
        make_quaternions(w, rows, k, near);
    } else if (rows->role == NPZ_PART) {
        make_part(w, rows, sample);
    } else if (rows->role == NPZ_VELOCITY) {
        const npz_rows *of = &w->document->rows[rows->of];
        make_numbers(w, w->velocities, rows->width / of->channel_count, of, k);
    } else {
        make_numbers(w, w->channels, rows->width / rows->channel_count, rows, k);
    }
}

/* A row on a source frame is the source's, and the rows after it continue from there. Velocities are
 * those of the curve everywhere. */
static void write_row(const writing *w, size_t r, size_t sample, size_t k) {
    const npz_rows *rows = &w->document->rows[r];
    const output *out = &w->outputs[r];
    char *to = out->bytes + out->rows_at + sample * out->row_size;
    const uint64_t key = motion_exact_key(w->positions[k]);
    const bool keeps = key != MOTION_NO_KEY && rows->role != NPZ_VELOCITY;
    if (keeps || rows->role == NPZ_NEAREST) {
        const char *from = source_row(rows, earlier_frame(w, sample, w->positions[k]));
        memcpy(to, from, out->row_size);
        if (out->near)
            npz_load_numbers(out->near, from, rows->element, rows->width);
        return;
    }
    if (out->near && sample == 0) /* nothing was written: the source's frame before decides */
        npz_load_numbers(out->near, source_row(rows, earlier_frame(w, sample, w->positions[k])),
                         rows->element, rows->width);
    make_row(w, rows, sample, k, out->near);
    npz_store_numbers(to, w->row, rows->element, rows->width);
    if (out->near)
        memcpy(out->near, w->row, rows->width * sizeof *w->row);
}

/* ---- all rows ------------------------------------------------------------------------------ */

static pm_status read_piece(const writing *w, uint64_t first, size_t count) {
    const motion_samples *s = w->samples;
    const pm_status status = s->read(s->user, first, count, w->channels, w->positions, w->error);
    if (status != PM_OK || !w->has_velocities)
        return status;
    return s->read_velocities(s->user, first, count, w->velocities, w->error);
}

static pm_status make_rows(const writing *w) {
    const npz_document *d = w->document;
    for (uint64_t first = 0; first < w->samples->count; first += w->piece) {
        const uint64_t left = w->samples->count - first;
        const size_t count = left < w->piece ? (size_t)left : w->piece;
        const pm_status status = read_piece(w, first, count);
        if (status != PM_OK)
            return status;
        for (size_t k = 0; k < count; k++)
            if (w->positions[k].key != MOTION_NO_KEY && w->positions[k].key >= d->frames)
                return motion_fail(w->error, PM_ERROR_ARGUMENT, "a sample lies on no frame");
        for (size_t r = 0; r < d->row_count; r++)
            for (size_t k = 0; k < count; k++)
                write_row(w, r, (size_t)first + k, k);
    }
    return PM_OK;
}

/* ---- memory -------------------------------------------------------------------------------- */

static pm_status make_output(const writing *w, const npz_rows *rows, output *out) {
    char header[NPY_WRITTEN_MAX];
    npy_header h = rows->header;
    h.shape[0] = (size_t)w->samples->count;
    out->rows_at = npy_write_any_header(&h, header);
    out->row_size = rows->width * rows->element;
    if (out->row_size > 0 && h.shape[0] > (SIZE_MAX / 2 - out->rows_at) / out->row_size)
        return refuse_memory(w);
    out->size = out->rows_at + h.shape[0] * out->row_size;
    out->bytes = malloc(out->size);
    if (out->bytes && npz_is_rotation(rows->role))
        out->near = calloc(rows->width, sizeof *out->near);
    if (!out->bytes || (npz_is_rotation(rows->role) && !out->near))
        return refuse_memory(w);
    memcpy(out->bytes, header, out->rows_at);
    return PM_OK;
}

/* Which channels' velocities are wanted; the numbers of a sample, velocities too. */
static size_t count_numbers(const writing *w, bool wanted[]) {
    const pm_motion_clip *clip = &w->motion->content.clips[0];
    size_t count = 0;
    for (size_t r = 0; r < w->document->row_count; r++) {
        const npz_rows *rows = &w->document->rows[r];
        const npz_rows *of = rows->role == NPZ_VELOCITY ? &w->document->rows[rows->of] : NULL;
        for (size_t c = 0; of && c < of->channel_count; c++)
            wanted[of->channel + c] = true;
    }
    for (size_t c = 0; c < clip->channel_count; c++)
        count += (size_t)clip->channels[c].components * (wanted[c] ? 2 : 1);
    return count;
}

static void place_channels(const writing *w, const bool wanted[]) {
    const pm_motion_clip *clip = &w->motion->content.clips[0];
    double *at = w->numbers;
    for (size_t c = 0; c < clip->channel_count; c++) {
        const size_t size = w->piece * clip->channels[c].components;
        w->channels[c] = at;
        at += size;
        w->velocities[c] = wanted[c] ? at : NULL;
        at += wanted[c] ? size : 0;
    }
}

static size_t widest_row(const npz_document *document) {
    size_t width = 1;
    for (size_t r = 0; r < document->row_count; r++)
        if (document->rows[r].role != NPZ_NEAREST && document->rows[r].width > width)
            width = document->rows[r].width;
    return width;
}

static pm_status prepare(writing *w, bool *wanted) {
    enum { PIECE_NUMBERS = 1 << 18, MAX_PIECE = 1024 };
    const size_t channels = w->motion->content.clips[0].channel_count;
    const size_t numbers = count_numbers(w, wanted), most = numbers ? PIECE_NUMBERS / numbers : 1;
    pm_status status = PM_OK;
    for (size_t c = 0; c < channels; c++)
        w->has_velocities = w->has_velocities || wanted[c];
    if (w->has_velocities && !w->samples->read_velocities)
        return motion_fail(w->error, PM_ERROR_ARGUMENT,
                           "the layout has velocities, and these samples have none");
    w->piece = most < 1 ? 1 : most > MAX_PIECE ? MAX_PIECE : most;
    w->outputs = calloc(w->document->row_count + 1, sizeof *w->outputs);
    w->channels = calloc(channels + 1, sizeof *w->channels);
    w->velocities = calloc(channels + 1, sizeof *w->velocities);
    w->numbers = calloc(w->piece * numbers + 1, sizeof *w->numbers);
    w->positions = calloc(w->piece, sizeof *w->positions);
    w->row = calloc(widest_row(w->document), sizeof *w->row);
    if (!w->outputs || !w->channels || !w->velocities || !w->numbers || !w->positions || !w->row)
        return refuse_memory(w);
    place_channels(w, wanted);
    for (size_t r = 0; r < w->document->row_count && status == PM_OK; r++)
        status = make_output(w, &w->document->rows[r], &w->outputs[r]);
    return status;
}

static void release(writing *w) {
    for (size_t r = 0; w->outputs && r < w->document->row_count; r++) {
        free(w->outputs[r].bytes);
        free(w->outputs[r].near);
    }
    free(w->outputs);
    free(w->channels);
    free(w->velocities);
    free(w->numbers);
    free(w->positions);
    free(w->row);
}

/* ---- the archive --------------------------------------------------------------------------- */

/* A copy of the output in Fortran order. */
static char *reorder(const writing *w, const npz_rows *rows, const output *out) {
    char header[NPY_WRITTEN_MAX];
    npy_header h = rows->header;
    h.shape[0] = (size_t)w->samples->count;
    const size_t rows_at = npy_write_any_header(&h, header);
    char *ordered = malloc(out->size + 1);
    if (!ordered)
        return NULL;
    memcpy(ordered, header, rows_at);
    npz_to_fortran_order(ordered + rows_at, out->bytes + rows_at, &h, rows->element);
    return ordered;
}

static pm_status write_rows(const writing *w, zip_writer *zip, size_t r) {
    const npz_rows *rows = &w->document->rows[r];
    const output *out = &w->outputs[r];
    const zip_member *member = &w->document->archive.members[rows->member];
    const bool reordered = rows->header.fortran_order && rows->width > 1;
    char *ordered = reordered ? reorder(w, rows, out) : NULL;
    if (reordered && !ordered)
        return refuse_memory(w);
    const zip_bytes bytes = {ordered ? ordered : out->bytes, out->size};
    const pm_status status = zip_write_bytes(zip, member, bytes, w->error);
    free(ordered);
    return status;
}

static pm_status write_rate(const writing *w, zip_writer *zip, const npz_rate *rate) {
    const zip_archive *archive = &w->document->archive;
    const pm_rational now = w->samples->rate;
    char *bytes = NULL;
    if (now.num == rate->rate.num && now.den == rate->rate.den)
        return zip_write_member(zip, &archive->members[rate->member], w->error);
    pm_status status = npz_make_rate(archive, rate, now, &bytes, w->error);
    if (status == PM_OK)
        status = zip_write_bytes(zip, &archive->members[rate->member],
                                 (zip_bytes){bytes, rate->bytes.size}, w->error);
    free(bytes);
    return status;
}

/* Where a member's new bytes come from: an index among the rows, or behind them among the rates. */
static size_t *map_members(const npz_document *document) {
    size_t *of_member = malloc((document->archive.count + 1) * sizeof *of_member);
    for (size_t i = 0; of_member && i < document->archive.count; i++)
        of_member[i] = SIZE_MAX;
    for (size_t i = 0; of_member && i < document->rate_count; i++)
        of_member[document->rates[i].member] = document->row_count + i;
    for (size_t i = 0; of_member && i < document->row_count; i++)
        of_member[document->rows[i].member] = i;
    return of_member;
}

static pm_status write_archive(const writing *w, zip_writer *zip) {
    const npz_document *d = w->document;
    size_t *source = map_members(d);
    pm_status status = PM_OK;
    if (!source)
        return refuse_memory(w);
    for (size_t i = 0; status == PM_OK && i < d->archive.count; i++) {
        if (source[i] == SIZE_MAX || !w->samples)
            status = zip_write_member(zip, &d->archive.members[i], w->error);
        else if (source[i] < d->row_count)
            status = write_rows(w, zip, source[i]);
        else
            status = write_rate(w, zip, &d->rates[source[i] - d->row_count]);
    }
    free(source);
    return status == PM_OK ? zip_write_end(zip, d->archive.comment, w->error) : status;
}

pm_status npz_write(const pm_motion *motion, const motion_samples *samples, size_t count,
                    const motion_write_options *options, const motion_sink *sink, pm_error *error) {
    (void)options;
    writing w = {.motion = motion, .document = motion->document, .error = error};
    zip_writer zip = {.sink = sink};
    pm_status status = PM_OK;
    if (count > 1 || (count == 1 && (samples->clip != 0 || samples->count == 0)))
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "an NPZ file has one clip, with a sample or more");
    w.samples = count == 1 ? samples : NULL;
    bool *wanted = calloc(motion->content.clips[0].channel_count + 1, sizeof *wanted);
    if (!wanted)
        return motion_refuse_memory(error);
    if (w.samples)
        status = prepare(&w, wanted);
    if (status == PM_OK && w.samples)
        status = make_rows(&w);
    if (status == PM_OK)
        status = write_archive(&w, &zip);
    zip_writer_release(&zip);
    release(&w);
    free(wanted);
    return status;
}
