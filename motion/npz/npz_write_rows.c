/* SPDX-License-Identifier: MIT
 *
 * Makes the rows of members at the samples. Channels are sampled block by block: what the engine
 * needs for a channel, all its keys, is then in memory for a few of them at a time. A block gives its
 * columns of every row. The rows of large members are made span by span, each by all blocks, and
 * compressed.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/huge_pages.h"
#include "motion/model/evaluate.h"
#include "motion/npz/npz_numbers.h"
#include "motion/npz/npz_source.h"
#include "motion/npz/npz_write.h"
#include "motion/time/rate.h"

/* A block's keys are at most the larger of the first and a part of all keys: tracks that are built
 * side by side take less time each. */
enum { BLOCK_BYTES = 12 << 20, BLOCKS = 12 };

/* Likewise, of the rows of a span: every span prepares all keys once more. */
enum { SPAN_BYTES = 32 << 20, SPANS = 3 };

/* Samples that are computed at once. */
enum { PIECE_NUMBERS = 1 << 18, MAX_PIECE = 1024 };

typedef struct writing {
    const pm_motion_clip *clip;
    const npz_document *document;
    const motion_samples *samples;
    npz_output *outputs;  /* one per rows of the document */
    bool *derived;        /* for each channel: its velocities are wanted */
    uint64_t first, rows; /* the samples of the span */
    /* The channels of the block, and those behind it. */
    size_t begin, end;
    bool has_velocities;
    size_t piece;                    /* samples that are computed at once */
    double *numbers;                 /* of the block's channels, and of their velocities */
    double **channels, **velocities; /* of all channels; NULL outside of the block */
    motion_position *positions;
    const npz_source *
        *files; /* of each of them, where another one has its row; NULL: the document */
    npz_sources *sources;
    double *row; /* one row of the widest member */
    pm_error *error;
} writing;

/* The numbers of a member's row that come from the block's channels. */
typedef struct columns {
    size_t first, count;
    size_t channel, channels; /* the channels that give them */
} columns;

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
    const pm_timeline *timeline = &w->clip->timelines[0];
    const double time = time_of(w->samples, sample);
    if (timeline->times)
        return evaluate_key_before(timeline, time);
    const double frame = floor(time * rate_value(w->clip->rate));
    const double last = (double)(w->document->frames - 1);
    return (size_t)fmin(fmax(frame, 0.0), last);
}

static const char *source_row(const npz_output *out, size_t frame) {
    return out->source + frame * out->row_size;
}

/* The row of sample k in the document, or in the file that has it. */
static const char *row_of(const writing *w, size_t r, uint64_t sample, size_t k) {
    const npz_output *out = &w->outputs[r];
    const npz_source *file = w->files[k];
    return file ? file->rows[r] + w->positions[k].key * out->row_size
                : source_row(out, earlier_frame(w, sample, w->positions[k]));
}

static char *new_row(const writing *w, const npz_output *out, uint64_t sample) {
    const uint64_t row = out->packing ? sample - w->first : sample;
    return out->bytes + out->rows_at + row * out->row_size;
}

/* ---- columns ------------------------------------------------------------------------------- */

/* The rows whose channels a member's numbers come from: its own, or those of its whole, or those that
 * it is the derivative of. */
static const npz_rows *owner_of(const writing *w, const npz_rows *rows) {
    return rows->role == NPZ_PART || rows->role == NPZ_VELOCITY ? &w->document->rows[rows->of]
                                                                : rows;
}

/* Rows without channels are written with the first block. */
static columns columns_of(const writing *w, const npz_rows *rows) {
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

/* ---- one row ------------------------------------------------------------------------------ */

/* Continues from the row before: the branch of a rotation vector. */
static void make_axis_angle(const writing *w, const columns *c, size_t k, const double *near) {
    for (size_t j = 0; j < c->channels; j++)
        npz_to_axis_angle(w->channels[c->channel + j] + 4 * k, near + 3 * j, w->row + 3 * j);
}

/* Likewise, the sign of a quaternion. float32 samples are unit only in float32. */
static void make_quaternions(const writing *w, const columns *c, bool w_first, size_t k,
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
static void make_numbers(const writing *w, double *const channels[], const columns *c, size_t k) {
    const size_t group = c->count / c->channels;
    for (size_t j = 0; j < c->channels; j++)
        for (size_t i = 0; i < group; i++)
            w->row[j * group + i] = channels[c->channel + j][group * k + i];
}

/* Columns of a whole that are already there. */
static void make_part(const writing *w, const npz_rows *rows, const columns *c, size_t sample) {
    const npz_rows *whole = &w->document->rows[rows->of];
    const npz_output *out = &w->outputs[rows->of];
    npz_load_numbers(w->row, new_row(w, out, sample) + (rows->column + c->first) * whole->element,
                     whole->element, c->count);
}

/* The source's velocities, of a motion that is scaled or turned. */
static void make_moved(const writing *w, const npz_rows *rows, const columns *c, size_t k) {
    const motion_samples *s = w->samples;
    const char *from = row_of(w, (size_t)(rows - w->document->rows), 0, k);
    npz_load_numbers(w->row, from + c->first * rows->element, rows->element, c->count);
    for (size_t j = 0; j < c->channels; j++)
        s->move_velocity(s->user, c->channel + j, w->row + j * (c->count / c->channels));
}

/* Fills w->row with the columns of a sample that no source frame has. Only rotations have `near`. */
static void make_row(const writing *w, const npz_rows *rows, const columns *c, size_t sample,
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
static pm_status check_row(const writing *w, const npz_rows *rows, const columns *c,
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
static pm_status write_row(const writing *w, size_t r, const columns *c, size_t sample, size_t k) {
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
    const pm_status status = check_row(w, rows, c, sample);
    if (status != PM_OK)
        return status;
    npz_store_numbers(to, w->row, rows->element, c->count);
    if (near)
        memcpy(near, w->row, c->count * sizeof *w->row);
    return PM_OK;
}

/* ---- a block ------------------------------------------------------------------------------- */

/* Rows of files with other members are computed. */
static pm_status find_file(const writing *w, size_t k) {
    motion_position *at = &w->positions[k];
    w->files[k] = NULL;
    if (at->key == MOTION_NO_KEY || !at->source || at->source->document == w->document)
        return PM_OK;
    const pm_status status =
        npz_find_source(w->sources, w->document, at->source, &w->files[k], w->error);
    if (!w->files[k])
        *at = (motion_position){.key = MOTION_NO_KEY};
    return status;
}

static uint64_t frames_of(const writing *w, size_t k) {
    return w->files[k] ? w->files[k]->of->frames : w->document->frames;
}

static pm_status read_piece(const writing *w, uint64_t first, size_t count) {
    const motion_samples *s = w->samples;
    pm_status status = s->read(s->user, first, count, w->channels, w->positions, w->error);
    for (size_t k = 0; status == PM_OK && k < count; k++)
        status = find_file(w, k);
    if (status != PM_OK || !w->has_velocities || s->move_velocity)
        return status;
    return s->read_velocities(s->user, first, count, w->velocities, w->error);
}

static pm_status make_rows(const writing *w) {
    const npz_document *d = w->document;
    const uint64_t end = w->first + w->rows;
    for (uint64_t first = w->first; first < end; first += w->piece) {
        const uint64_t left = end - first;
        const size_t count = left < w->piece ? (size_t)left : w->piece;
        pm_status status = read_piece(w, first, count);
        if (status != PM_OK)
            return status;
        for (size_t k = 0; k < count; k++)
            if (w->positions[k].key != MOTION_NO_KEY && w->positions[k].key >= frames_of(w, k))
                return motion_fail(w->error, PM_ERROR_ARGUMENT, "a sample lies on no frame");
        for (size_t r = 0; r < d->row_count; r++) {
            const columns c = columns_of(w, &d->rows[r]);
            for (size_t k = 0; k < count && c.count > 0 && status == PM_OK; k++)
                status = write_row(w, r, &c, (size_t)first + k, k);
        }
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

/* The numbers of a channel's sample, velocities too. */
static size_t numbers_of(const writing *w, size_t channel) {
    return (size_t)w->clip->channels[channel].components * (w->derived[channel] ? 2 : 1);
}

static void place_channels(const writing *w) {
    double *at = w->numbers;
    for (size_t c = w->begin; c < w->end; c++) {
        const size_t size = w->piece * w->clip->channels[c].components;
        w->channels[c] = at;
        at += size;
        w->velocities[c] = w->derived[c] ? at : NULL;
        at += w->derived[c] ? size : 0;
    }
}

/* Memory for a piece of the block's samples. */
static pm_status prepare_block(writing *w) {
    size_t numbers = 0;
    w->has_velocities = false;
    for (size_t c = w->begin; c < w->end; c++) {
        numbers += numbers_of(w, c);
        w->has_velocities = w->has_velocities || w->derived[c];
    }
    const size_t most = numbers ? PIECE_NUMBERS / numbers : 1;
    w->piece = most < 1 ? 1 : most > MAX_PIECE ? MAX_PIECE : most;
    w->numbers = calloc(w->piece * numbers + 1, sizeof *w->numbers);
    w->positions = calloc(w->piece, sizeof *w->positions);
    w->files = calloc(w->piece, sizeof *w->files);
    if (!w->numbers || !w->positions || !w->files)
        return refuse_memory(w);
    place_channels(w);
    return w->samples->select(w->samples->user, w->begin, w->end - w->begin, w->error);
}

static void release_block(writing *w) {
    for (size_t c = w->begin; c < w->end; c++)
        w->channels[c] = w->velocities[c] = NULL;
    free(w->numbers);
    free(w->positions);
    free(w->files);
    w->numbers = NULL;
    w->positions = NULL;
    w->files = NULL;
}

static pm_status make_block(writing *w) {
    pm_status status = prepare_block(w);
    if (status == PM_OK)
        status = make_rows(w);
    release_block(w);
    return status;
}

/* Numbers of a key that a block may have. float32, as the engine stores them. */
static size_t numbers_of_block(const writing *w) {
    const size_t least = BLOCK_BYTES / sizeof(float) / w->clip->timelines[0].key_count;
    size_t all = 0;
    for (size_t c = 0; c < w->clip->channel_count; c++)
        all += w->clip->channels[c].components;
    return all / BLOCKS > least ? all / BLOCKS : least;
}

/* The channels from w->begin on that fit in a block; at least one, if there is one. */
static size_t end_of_block(const writing *w, size_t most) {
    size_t end = w->begin, numbers = 0;
    while (end < w->clip->channel_count &&
           (end == w->begin || numbers + w->clip->channels[end].components <= most))
        numbers += w->clip->channels[end++].components;
    return end;
}

static pm_status make_blocks(writing *w) {
    const size_t most = numbers_of_block(w);
    pm_status status;
    w->begin = 0;
    do {
        w->end = end_of_block(w, most);
        status = make_block(w);
        w->begin = w->end;
    } while (status == PM_OK && w->begin < w->clip->channel_count);
    return status;
}

/* ---- spans --------------------------------------------------------------------------------- */

/* Others are written from all of their rows. */
static bool is_packed_early(const writing *w, const npz_rows *rows) {
    return w->document->archive.members[rows->member].method == ZIP_DEFLATED &&
           !npz_is_reordered(rows);
}

static uint64_t rows_of_span(const writing *w) {
    uint64_t bytes = 1; /* of a row */
    for (size_t r = 0; r < w->document->row_count; r++)
        bytes += is_packed_early(w, &w->document->rows[r])
                     ? w->document->rows[r].width * w->document->rows[r].element
                     : 0;
    const uint64_t least = SPAN_BYTES / bytes + 1, part = w->samples->count / SPANS + 1;
    const uint64_t most = least > part ? least : part;
    return most < w->samples->count ? most : w->samples->count;
}

static pm_status pack_span(const writing *w) {
    const bool is_last = w->first + w->rows == w->samples->count;
    for (size_t r = 0; r < w->document->row_count; r++) {
        npz_output *out = &w->outputs[r];
        const size_t from = w->first == 0 ? 0 : out->rows_at;
        const size_t end = out->rows_at + (size_t)w->rows * out->row_size;
        if (!out->packing)
            continue;
        if (!zip_packing_add(out->packing, (zip_bytes){out->bytes + from, end - from}, is_last))
            return refuse_memory(w);
        if (is_last) {
            free(out->bytes);
            out->bytes = NULL;
        }
    }
    return PM_OK;
}

static pm_status make_spans(writing *w) {
    const uint64_t most = w->rows;
    pm_status status = PM_OK;
    for (; status == PM_OK && w->first < w->samples->count; w->first += most) {
        const uint64_t left = w->samples->count - w->first;
        w->rows = left < most ? left : most;
        status = make_blocks(w);
        if (status == PM_OK)
            status = pack_span(w);
    }
    return status;
}

/* ---- memory -------------------------------------------------------------------------------- */

/* The memory of rows that were converted in place has quaternions now: they are extracted again. */
static pm_status find_source(const writing *w, const npz_rows *rows, npz_output *out) {
    zip_bytes bytes;
    out->source = rows->data;
    if (!rows->converted)
        return PM_OK;
    const pm_status status =
        zip_extract(&w->document->archive.members[rows->member], &bytes, &out->extracted, w->error);
    if (status == PM_OK)
        out->source = bytes.data + rows->header.data_at;
    return status;
}

static pm_status make_output(const writing *w, const npz_rows *rows, npz_output *out) {
    char header[NPY_WRITTEN_MAX];
    npy_header h = rows->header;
    h.shape[0] = (size_t)w->samples->count;
    out->rows_at = npy_write_any_header(&h, header);
    out->row_size = rows->width * rows->element;
    if (out->row_size > 0 && h.shape[0] > (SIZE_MAX / 2 - out->rows_at) / out->row_size)
        return refuse_memory(w);
    const bool is_packed = w->rows < w->samples->count && is_packed_early(w, rows);
    out->size = out->rows_at + h.shape[0] * out->row_size;
    out->packing = is_packed ? zip_packing_begin() : NULL;
    const size_t bytes = is_packed ? out->rows_at + (size_t)w->rows * out->row_size : out->size;
    out->bytes = malloc(bytes);
    motion_ask_for_huge_pages(out->bytes, bytes);
    if (out->bytes && npz_is_rotation(rows->role))
        out->near = calloc(rows->width, sizeof *out->near);
    if (!out->bytes || (is_packed && !out->packing) || (npz_is_rotation(rows->role) && !out->near))
        return refuse_memory(w);
    memcpy(out->bytes, header, out->rows_at);
    return find_source(w, rows, out);
}

/* Which channels' velocities are wanted. */
static pm_status find_derived(const writing *w) {
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

static size_t widest_row(const npz_document *document) {
    size_t width = 1;
    for (size_t r = 0; r < document->row_count; r++)
        if (document->rows[r].role != NPZ_NEAREST && document->rows[r].width > width)
            width = document->rows[r].width;
    return width;
}

static pm_status prepare(writing *w) {
    const size_t channels = w->clip->channel_count;
    w->derived = calloc(channels + 1, sizeof *w->derived);
    w->channels = calloc(channels + 1, sizeof *w->channels);
    w->velocities = calloc(channels + 1, sizeof *w->velocities);
    w->row = calloc(widest_row(w->document), sizeof *w->row);
    if (!w->derived || !w->channels || !w->velocities || !w->row)
        return refuse_memory(w);
    pm_status status = find_derived(w);
    for (size_t r = 0; r < w->document->row_count && status == PM_OK; r++)
        status = make_output(w, &w->document->rows[r], &w->outputs[r]);
    return status;
}

pm_status npz_make_outputs(const pm_motion *motion, const motion_samples *samples,
                           npz_output **outputs, pm_error *error) {
    const npz_document *document = motion->document;
    npz_sources sources = {.count = 0};
    writing w = {.sources = &sources,
                 .clip = &motion->content.clips[0],
                 .document = document,
                 .samples = samples,
                 .error = error};
    w.rows = rows_of_span(&w);
    *outputs = w.outputs = calloc(document->row_count + 1, sizeof *w.outputs);
    if (!w.outputs)
        return refuse_memory(&w);
    pm_status status = prepare(&w);
    if (status == PM_OK)
        status = make_spans(&w);
    free(w.derived);
    free(w.channels);
    free(w.velocities);
    free(w.row);
    npz_release_sources(&sources, document);
    return status;
}

void npz_release_outputs(const npz_document *document, npz_output *outputs) {
    for (size_t r = 0; outputs && r < document->row_count; r++) {
        free(outputs[r].bytes);
        zip_packing_release(outputs[r].packing);
        free(outputs[r].extracted);
        free(outputs[r].near);
    }
    free(outputs);
}
