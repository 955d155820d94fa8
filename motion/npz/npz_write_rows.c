/* SPDX-License-Identifier: MIT
 *
 * Makes the rows of members at the samples of a span.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/model/evaluate.h"
#include "motion/npz/npz_numbers.h"
#include "motion/npz/npz_write.h"
#include "motion/time/rate.h"

/* A block's keys are at most the larger of the first and a part of all keys: tracks that are built
 * side by side take less time each. */
enum { BLOCK_BYTES = 12 << 20, BLOCKS = 12 };

/* Samples that are computed at once. */
enum { PIECE_NUMBERS = 1 << 18, MAX_PIECE = 1024 };

/* The numbers of a member's row that come from the block's channels. */
typedef struct columns {
    size_t first, count;
    size_t channel, channels; /* the channels that give them */
} columns;

static double time_of(const motion_samples *s, uint64_t sample) {
    if (s->has_end && sample + 1 == s->count)
        return s->end;
    return s->start + (double)sample * (double)s->rate.den / (double)s->rate.num;
}

/* The last source frame that is not after the sample. */
static size_t earlier_frame(const npz_writer *w, uint64_t sample, motion_position position) {
    if (position.key != MOTION_NO_KEY)
        return (size_t)position.key;
    const pm_timeline *timeline = &w->clip->timelines[0];
    const double time = time_of(w->samples, sample);
    if (timeline->times)
        return evaluate_key_before(timeline, time);
    const double frame = floor(time * rate_value(w->clip->rate));
    const double last = (double)(w->document->frames - 1);
    return (size_t)fmin(fmax(frame, 0.0), last);
}

/* The row of sample k in the document, or in the file that has it. */
static const char *row_of(const npz_writer *w, size_t r, uint64_t sample, size_t k) {
    const npz_output *out = &w->outputs[r];
    const npz_source *file = w->files[k];
    return file ? file->rows[r] + w->positions[k].key * out->row_size
                : out->source + earlier_frame(w, sample, w->positions[k]) * out->row_size;
}

static char *new_row(const npz_writer *w, const npz_output *out, uint64_t sample) {
    const uint64_t row = out->is_partial ? sample - w->first : sample;
    return out->bytes + out->rows_at + row * out->row_size;
}

/* The rows whose channels a member's numbers come from: its own, or those of its whole, or those that
 * it is the derivative of. */
static const npz_rows *owner_of(const npz_writer *w, const npz_rows *rows) {
    return rows->role == NPZ_PART || rows->role == NPZ_VELOCITY ? &w->document->rows[rows->of]
                                                                : rows;
}

/* Rows without channels are written with the first block. */
static columns columns_of(const npz_writer *w, const npz_rows *rows) {
    const npz_rows *owner = owner_of(w, rows);
    if (rows->role == NPZ_NEAREST)
        return (columns){.count = w->begin == 0 ? rows->width : 0};
    const bool is_part = rows->role == NPZ_PART;
    const size_t group = is_part ? 3 : rows->width / owner->channel_count;
    const size_t from = owner->channel + (is_part ? rows->column / 3 : 0);
    const size_t to = from + rows->width / group;
    const size_t begin = from > w->begin ? from : w->begin, end = to < w->end ? to : w->end;
    if (begin >= end)
        return (columns){.count = 0};
    return (columns){.first = (begin - from) * group,
                     .count = (end - begin) * group,
                     .channel = begin,
                     .channels = end - begin};
}

/* Continues from the row before: the branch of a rotation vector. */
static void make_axis_angle(const npz_writer *w, const columns *c, size_t k, const double *near) {
    for (size_t j = 0; j < c->channels; j++)
        npz_to_axis_angle(w->channels[c->channel + j] + 4 * k, near + 3 * j, w->row + 3 * j);
}

/* Likewise, the sign of a quaternion. float32 samples are unit only in float32. */
static void make_quaternions(const npz_writer *w, const columns *c, bool w_first, size_t k,
                             const double *near) {
    const size_t first = w_first ? 1 : 0, last = w_first ? 0 : 3;
    for (size_t j = 0; j < c->channels; j++) {
        const double *q = w->channels[c->channel + j] + 4 * k;
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
static void make_numbers(const npz_writer *w, double *const channels[], const columns *c,
                         size_t k) {
    const size_t group = c->count / c->channels;
    for (size_t j = 0; j < c->channels; j++)
        for (size_t i = 0; i < group; i++)
            w->row[j * group + i] = channels[c->channel + j][group * k + i];
}

/* Columns of a whole that are already there. */
static void make_part(const npz_writer *w, const npz_rows *rows, const columns *c, size_t sample) {
    const npz_rows *whole = &w->document->rows[rows->of];
    const npz_output *out = &w->outputs[rows->of];
    npz_load_numbers(w->row, new_row(w, out, sample) + (rows->column + c->first) * whole->element,
                     whole->element, c->count);
}

/* The source's velocities, of a motion that is scaled or turned. */
static void make_moved(const npz_writer *w, const npz_rows *rows, const columns *c, size_t k) {
    const motion_samples *s = w->samples;
    const char *from = row_of(w, (size_t)(rows - w->document->rows), 0, k);
    npz_load_numbers(w->row, from + c->first * rows->element, rows->element, c->count);
    for (size_t j = 0; j < c->channels; j++)
        s->move_velocity(s->user, c->channel + j, w->row + j * (c->count / c->channels));
}

/* Fills w->row with the columns of a sample that no source frame has. Only rotations have `near`. */
static void make_row(const npz_writer *w, const npz_rows *rows, const columns *c, size_t sample,
                     size_t k, const double *near) {
    if (near && rows->role == NPZ_AXIS_ANGLE)
        make_axis_angle(w, c, k, near);
    else if (near)
        make_quaternions(w, c, rows->role == NPZ_WXYZ, k, near);
    else if (rows->role == NPZ_PART)
        make_part(w, rows, c, sample);
    else if (rows->role == NPZ_VELOCITY && w->samples->move_velocity)
        make_moved(w, rows, c, k);
    else
        make_numbers(w, rows->role == NPZ_VELOCITY ? w->velocities : w->channels, c, k);
}

/* Refuses numbers that the type cannot hold: of rotation vectors and velocities that are too long. */
static pm_status check_row(const npz_writer *w, const npz_rows *rows, const columns *c,
                           size_t sample) {
    const double largest = rows->element == sizeof(float) ? (double)FLT_MAX : DBL_MAX;
    for (size_t i = 0; i < c->count; i++)
        if (!(fabs(w->row[i]) <= largest))
            return npz_refuse(w->error, &w->document->archive.members[rows->member],
                              "becomes %g at %.6g s, index %zu, which its type cannot hold",
                              w->row[i], time_of(w->samples, sample), c->first + i);
    return PM_OK;
}

/* A row on a source frame is the source's, and the rows after it continue from there. Other velocities
 * are those of the curve. */
static pm_status write_row(const npz_writer *w, size_t r, const columns *c, size_t sample,
                           size_t k) {
    const npz_rows *rows = &w->document->rows[r];
    const npz_output *out = &w->outputs[r];
    const size_t at = c->first * rows->element;
    char *to = new_row(w, out, sample) + at;
    double *near = out->near ? out->near + c->first : NULL;
    const uint64_t key = motion_exact_key(w->positions[k]);
    if (key != MOTION_NO_KEY || rows->role == NPZ_NEAREST) {
        const char *from = row_of(w, r, sample, k) + at;
        memcpy(to, from, c->count * rows->element);
        if (near)
            npz_load_numbers(near, from, rows->element, c->count);
        return PM_OK;
    }
    if (near && sample == 0) /* nothing was written: the source's frame before decides */
        npz_load_numbers(near, row_of(w, r, sample, k) + at, rows->element, c->count);
    for (size_t i = 0; near && sample == 0 && i < c->count; i++)
        near[i] = isfinite(near[i]) ? near[i] : 0; /* of a gap that is filled */
    make_row(w, rows, c, sample, k, near);
    MOTION_TRY(check_row(w, rows, c, sample));
    npz_store_numbers(to, w->row, rows->element, c->count);
    if (near)
        memcpy(near, w->row, c->count * sizeof *w->row);
    return PM_OK;
}

/* Rows of files with other members are computed. */
static pm_status find_file(npz_writer *w, size_t k) {
    motion_position *at = &w->positions[k];
    w->files[k] = NULL;
    if (at->key == MOTION_NO_KEY || !at->source || at->source->document == w->document)
        return PM_OK;
    const pm_status status =
        npz_find_source(&w->sources, w->document, at->source, &w->files[k], w->error);
    if (!w->files[k])
        *at = (motion_position){.key = MOTION_NO_KEY};
    return status;
}

static pm_status read_piece(npz_writer *w, uint64_t first, size_t count) {
    const motion_samples *s = w->samples;
    pm_status status = s->read(s->user, first, count, w->channels, w->positions, w->error);
    for (size_t k = 0; status == PM_OK && k < count; k++)
        status = find_file(w, k);
    bool has_velocities = false;
    for (size_t c = w->begin; c < w->end; c++)
        has_velocities = has_velocities || w->derived[c];
    if (status != PM_OK || !has_velocities || s->move_velocity)
        return status;
    return s->read_velocities(s->user, first, count, w->velocities, w->error);
}

static pm_status make_pieces(npz_writer *w) {
    const npz_document *d = w->document;
    const uint64_t end = w->first + w->rows;
    for (uint64_t first = w->first; first < end; first += w->piece) {
        const uint64_t left = end - first;
        const size_t count = left < w->piece ? (size_t)left : w->piece;
        MOTION_TRY(read_piece(w, first, count));
        for (size_t k = 0; k < count; k++)
            if (w->positions[k].key != MOTION_NO_KEY &&
                w->positions[k].key >= (w->files[k] ? w->files[k]->of->frames : d->frames))
                return motion_fail(w->error, PM_ERROR_ARGUMENT, "a sample lies on no frame");
        for (size_t r = 0; r < d->row_count; r++) {
            const columns c = columns_of(w, &d->rows[r]);
            for (size_t k = 0; k < count && c.count > 0; k++)
                MOTION_TRY(write_row(w, r, &c, (size_t)first + k, k));
        }
    }
    return PM_OK;
}

/* Memory for a piece of the block's samples. */
static pm_status make_block(npz_writer *w) {
    size_t numbers = 0;
    double *at = w->numbers;
    for (size_t c = w->begin; c < w->end; c++)
        numbers += (size_t)w->clip->channels[c].components * (w->derived[c] ? 2 : 1);
    const size_t most = numbers ? PIECE_NUMBERS / numbers : 1;
    w->piece = most < 1 ? 1 : most > MAX_PIECE ? MAX_PIECE : most;
    memset(w->numbers, 0, w->piece * numbers * sizeof *w->numbers);
    for (size_t c = 0; c < w->clip->channel_count; c++) {
        const bool is_here = c >= w->begin && c < w->end;
        const size_t size = is_here ? w->piece * w->clip->channels[c].components : 0;
        w->channels[c] = is_here ? at : NULL;
        at += size;
        w->velocities[c] = is_here && w->derived[c] ? at : NULL;
        at += w->velocities[c] ? size : 0;
    }
    if (w->samples->select)
        MOTION_TRY(w->samples->select(w->samples->user, w->begin, w->end - w->begin, w->error));
    return make_pieces(w);
}

/* Numbers of a key that a block may have. float32, as the engine stores them. */
static size_t numbers_of_block(const npz_writer *w) {
    const size_t least = BLOCK_BYTES / sizeof(float) / w->clip->timelines[0].key_count;
    size_t all = 0;
    for (size_t c = 0; c < w->clip->channel_count; c++)
        all += w->clip->channels[c].components;
    return all / BLOCKS > least ? all / BLOCKS : least;
}

/* The channels from w->begin on that fit in a block; at least one, if there is one. */
static size_t end_of_block(const npz_writer *w, size_t most) {
    size_t end = w->begin, numbers = 0;
    while (end < w->clip->channel_count &&
           (end == w->begin || numbers + w->clip->channels[end].components <= most))
        numbers += w->clip->channels[end++].components;
    return end;
}

pm_status npz_make_rows(npz_writer *w) {
    const size_t most = w->is_streamed ? SIZE_MAX : numbers_of_block(w);
    pm_status status;
    w->begin = 0;
    do {
        w->end = end_of_block(w, most);
        status = make_block(w);
        w->begin = w->end;
    } while (status == PM_OK && w->begin < w->clip->channel_count);
    return status;
}

/* Which channels' velocities are wanted. */
static pm_status find_derived(const npz_writer *w) {
    for (size_t r = 0; r < w->document->row_count; r++) {
        const npz_rows *rows = &w->document->rows[r];
        const npz_rows *of = rows->role == NPZ_VELOCITY ? &w->document->rows[rows->of] : NULL;
        for (size_t c = 0; of && c < of->channel_count; c++)
            w->derived[of->channel + c] = true;
        if (of && !w->samples->read_velocities && !w->samples->move_velocity)
            return motion_fail(w->error, PM_ERROR_ARGUMENT,
                               "the layout has velocities, and these samples have none");
    }
    return PM_OK;
}

pm_status npz_prepare_rows(npz_writer *w) {
    const size_t channels = w->clip->channel_count;
    size_t numbers = PIECE_NUMBERS, width = 1, all = 0;
    for (size_t c = 0; c < channels; c++)
        all += 2 * (size_t)w->clip->channels[c].components;
    for (size_t r = 0; r < w->document->row_count; r++) {
        const npz_rows *rows = &w->document->rows[r];
        width = rows->role != NPZ_NEAREST && rows->width > width ? rows->width : width;
    }
    numbers = all > numbers ? all : numbers;
    w->derived = calloc(channels + 1, sizeof *w->derived);
    w->channels = calloc(channels + 1, sizeof *w->channels);
    w->velocities = calloc(channels + 1, sizeof *w->velocities);
    w->numbers = malloc(numbers * sizeof *w->numbers);
    w->positions = calloc(MAX_PIECE, sizeof *w->positions);
    w->files = calloc(MAX_PIECE, sizeof *w->files);
    w->row = calloc(width, sizeof *w->row);
    return w->derived && w->channels && w->velocities && w->numbers && w->positions && w->files &&
                   w->row
               ? find_derived(w)
               : motion_refuse_memory(w->error);
}

void npz_release_rows(npz_writer *w) {
    MOTION_FREE(w->derived, w->channels, w->velocities, w->numbers, w->positions, w->files);
    npz_release_sources(&w->sources, w->document);
    free(w->row);
}
