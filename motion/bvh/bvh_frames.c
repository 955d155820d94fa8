/* SPDX-License-Identifier: MIT
 *
 * Writes the frames of a BVH. A row of a file that did not change keeps its text, and so does a number
 * of it in a form with other channels. Other numbers are computed, and angles continue the branch of
 * the row before.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/bvh/bvh_form.h"
#include "motion/model/evaluate.h"

enum { PIECE_NUMBERS = 1 << 17 };

/* A rotation, a vector or a plain number of the form. */
typedef struct value {
    size_t components;
    const double *from; /* of the first frame of a piece, or of the rest pose */
    size_t step;        /* numbers to the next frame; 0 in the rest pose */
} value;

typedef struct frame_writer {
    const motion_writing *writing;
    const bvh_form *form;
    const motion_samples *samples;
    const pm_motion_clip *clip;
    bvh_writer text;
    size_t piece;               /* samples */
    double **channels;          /* (piece, components) of each channel of the clip, or NULL */
    double *numbers;            /* what `channels` point into */
    motion_position *positions; /* (piece) */
    value *values;
    size_t value_count;
    double *sample;   /* of one frame: rotations, vectors, plain numbers */
    double *row;      /* the row written last */
    bool *kept;       /* of each rotation, whether its numbers are those of a file */
    size_t *numbered; /* of each rotation, its number in the form's rows, or BVH_NO_SOURCE */
    text_span *words, *source_words;
} frame_writer;

static size_t node_of(const frame_writer *w, size_t joint) {
    return w->form->nodes ? w->form->nodes[joint] : joint;
}

/* Adds the value of a channel of the clip; NULL: it has none, and the rest pose remains. */
static void add_value(frame_writer *w, const size_t *channel, size_t components, const double *rest,
                      double **free_numbers) {
    value *v = &w->values[w->value_count++];
    *v = (value){components, rest, 0};
    if (!channel || *channel == SIZE_MAX)
        return;
    w->channels[*channel] = *free_numbers;
    v->from = *free_numbers;
    v->step = components;
    *free_numbers += w->piece * components;
}

/* Rotations and vectors are found by their nodes, plain numbers are in the order of the channels. */
static pm_status find_values(frame_writer *w, pm_error *error) {
    static const double zero[3];
    const pose_plan *plan = &w->form->plan;
    const pm_motion_content *content = &w->writing->motion->content;
    FREED size_t(*of)[3] = malloc(content->node_count * sizeof *of + 1);
    size_t plain_count = 0;
    FREED size_t *plains = malloc(w->clip->channel_count * sizeof *plains + 1);
    double *numbers = w->numbers;
    MOTION_TRY_MEMORY(of && plains, error);
    memset(of, 0xFF, content->node_count * sizeof *of);
    for (size_t c = 0; c < w->clip->channel_count; c++) {
        const pm_motion_channel *channel = &w->clip->channels[c];
        if (channel->path == PM_MOTION_SCALAR && channel->components == 1)
            plains[plain_count++] = c;
        else if (channel->path <= PM_MOTION_SCALE && channel->node >= 0)
            of[channel->node][channel->path] = c;
    }
    for (size_t i = 0; i < plan->rotation_count; i++) {
        const size_t n = node_of(w, plan->rotations[i].joint);
        add_value(w, &of[n][PM_MOTION_ROTATION], 4, content->nodes[n].rotation, &numbers);
    }
    for (size_t i = 0; i < plan->vector_count; i++) {
        const pose_vector *v = &plan->vectors[i];
        const size_t n = node_of(w, v->joint);
        const pm_motion_path path = v->is_scale ? PM_MOTION_SCALE : PM_MOTION_POSITION;
        add_value(w, &of[n][path], 3, evaluate_rest_value(&content->nodes[n], path), &numbers);
    }
    for (size_t i = 0; i < plan->plain_count; i++)
        add_value(w, i < plain_count ? &plains[i] : NULL, 1, zero, &numbers);
    return PM_OK;
}

/* Rotations whose channels are those of the form's rows, in whose order they are. */
static void number_rotations(frame_writer *w) {
    const pose_plan *plan = &w->form->plan, *rows = &w->form->rows->plan;
    for (size_t i = 0, n = 0; i < plan->rotation_count; i++) {
        const size_t first = plan->rotations[i].channel[0],
                     column = w->form->same ? w->form->same[first] : first;
        while (column != BVH_NO_SOURCE && n < rows->rotation_count &&
               rows->rotations[n].channel[0] < column)
            n++;
        w->numbered[i] = column == BVH_NO_SOURCE ? BVH_NO_SOURCE : n;
    }
}

static pm_status allocate(frame_writer *w, pm_error *error) {
    const pose_plan *plan = &w->form->plan;
    const size_t width = 4 * plan->rotation_count + 3 * plan->vector_count + plan->plain_count;
    const size_t columns = w->form->model->channel_count;
    const size_t source_columns = w->form->rows ? w->form->rows->model->channel_count : 0;
    w->piece = PIECE_NUMBERS / width + 1;
    w->channels = calloc(w->clip->channel_count + 1, sizeof *w->channels);
    w->numbers = malloc(width * w->piece * sizeof *w->numbers);
    w->positions = malloc(w->piece * sizeof *w->positions);
    w->values = malloc(columns * sizeof *w->values);
    w->sample = malloc(width * sizeof *w->sample);
    w->row = calloc(columns, sizeof *w->row);
    w->kept = malloc(columns * sizeof *w->kept);
    w->numbered = malloc(columns * sizeof *w->numbered);
    w->words = calloc(columns, sizeof *w->words);
    w->source_words = calloc(source_columns + 1, sizeof *w->source_words);
    MOTION_TRY_MEMORY(w->channels && w->numbers && w->positions && w->values && w->sample &&
                          w->row && w->kept && w->numbered && w->words && w->source_words,
                      error);
    if (w->form->rows)
        number_rotations(w);
    return find_values(w, error);
}

static void free_writer(frame_writer *w) {
    bvh_writer_release(&w->text);
    MOTION_FREE(w->channels, w->numbers, w->positions, w->values, w->sample, w->row, w->kept,
                w->numbered, w->words, w->source_words);
}

static const double *row_of(const bvh *model, size_t row) {
    return model->values + row * model->channel_count;
}

static bool has_channels_of(const bvh *a, const bvh *b) {
    bool same = a->channel_count == b->channel_count && a->joint_count == b->joint_count;
    for (size_t i = 0; same && i < a->channel_count; i++)
        same = a->channels[i].kind == b->channels[i].kind &&
               a->channels[i].joint == b->channels[i].joint;
    return same;
}

/* The file that has the row of sample `k` of the piece, with the channels of the form's rows; NULL: none
 * has, or in a form with other channels all of its numbers may be others. */
static const bvh_file *file_of(const frame_writer *w, size_t k, size_t *row) {
    const motion_position at = w->positions[k];
    const bvh_file *rows = w->form->rows, *file = rows && at.source ? bvh_file_of(at.source) : rows;
    *row = (size_t)at.key;
    if (!file || at.key >= file->model->frame_count ||
        (w->form->same && at.changed && !at.is_partly))
        return NULL;
    return file == rows || has_channels_of(file->model, rows->model) ? file : NULL;
}

/* Takes the numbers of a row of a file, where it has them. A gap has no branch of angles. */
static void take_row(frame_writer *w, const double *from) {
    const size_t *same = w->form->same;
    for (size_t i = 0; i < w->form->model->channel_count; i++) {
        const size_t column = same ? same[i] : i;
        if (column != BVH_NO_SOURCE)
            w->row[i] = isfinite(from[column]) ? from[column] : 0;
    }
}

static void find_words(const bvh_row *row, text_span *words, size_t count) {
    const char *at = row->text.begin, *end = at + row->text.size;
    for (size_t i = 0; i < count; i++) {
        while (at < end && (unsigned char)*at <= ' ')
            at++;
        words[i].begin = at;
        while (!row->held && at < end && (unsigned char)*at > ' ')
            at++;
        words[i].size = (size_t)(at - words[i].begin);
    }
}

/* Numbers that come out as they were get their own text back, or with a number of decimals their own
 * value. */
static void keep_numbers(frame_writer *w, const bvh *file, size_t row) {
    const double *from = row_of(file, row);
    find_words(&file->rows[row], w->source_words, file->channel_count);
    for (size_t i = 0; i < w->form->model->channel_count; i++) {
        const size_t column = w->form->same[i];
        w->words[i] = (text_span){NULL, 0};
        if (column == BVH_NO_SOURCE ||
            !(fabs(w->row[i] - from[column]) <= 1e-9 + 1e-12 * fabs(from[column])))
            continue;
        w->row[i] = from[column];
        if (!w->writing->decimals_given)
            w->words[i] = w->source_words[column];
    }
}

/* The numbers of frame k of the piece, side by side, with positions as the file has them. */
static pose_sample sample_of(const frame_writer *w, size_t k) {
    const pose_plan *plan = &w->form->plan;
    double *to = w->sample, *vectors = w->sample + 4 * plan->rotation_count;
    for (const value *v = w->values; v < w->values + w->value_count; v++) {
        const double *from = v->from + k * v->step;
        for (size_t i = 0; i < v->components; i++)
            *to++ = from[i];
    }
    for (size_t i = 0; i < plan->vector_count && w->form->adds_offset; i++) {
        const size_t joint = plan->vectors[i].joint;
        const double *offset = w->form->own ? w->writing->motion->content.nodes[joint].position
                                            : w->form->model->joints[joint].offset;
        for (size_t n = 0; n < 3 && !plan->vectors[i].is_scale; n++)
            vectors[3 * i + n] -= offset[n];
    }
    return (pose_sample){
        .rotations = w->sample, .vectors = vectors, .plains = vectors + 3 * plan->vector_count};
}

/* Rotations that are those of a row of a file, whose numbers w->row holds. */
static void keep_rotations(frame_writer *w, const double *rotations, const bvh_file *file,
                           size_t row) {
    const size_t count = file->plan.rotation_count;
    for (size_t i = 0; i < w->form->plan.rotation_count; i++)
        w->kept[i] = w->numbered[i] != BVH_NO_SOURCE &&
                     memcmp(rotations + 4 * i, file->rotations + 4 * (row * count + w->numbered[i]),
                            4 * sizeof *rotations) == 0;
}

/* Rotations that do not change from a row to the next. */
static void keep_equal(frame_writer *w, const bvh *file, size_t row) {
    for (size_t i = 0; i < w->form->plan.rotation_count; i++) {
        const pose_rotation *r = &w->form->plan.rotations[i];
        w->kept[i] = pose_same_rotation(r, row_of(file, row), row_of(file, row + 1));
        for (size_t n = 0; w->kept[i] && n < r->channel_count; n++)
            w->row[r->channel[n]] = row_of(file, row)[r->channel[n]];
    }
}

/* Sample `k` of a piece. */
static pm_status write_frame(frame_writer *w, uint64_t frame, size_t k, pm_error *error) {
    const bool is_same = !w->form->same;
    size_t row = 0;
    const bvh_file *file = file_of(w, k, &row);
    if (file && is_same && motion_exact_key(w->positions[k]) != MOTION_NO_KEY) {
        take_row(w, row_of(file->model, row));
        return bvh_writer_source_row(&w->text, file->model, row, error);
    }
    const pose_sample sample = sample_of(w, k);
    memset(w->kept, 0, w->form->plan.rotation_count);
    if (file && !is_same) {
        take_row(w, row_of(file->model, row));
        keep_rotations(w, sample.rotations, file, row);
    } else if (file && w->samples->keeps_equal && row + 1 < file->model->frame_count) {
        keep_equal(w, file->model, row);
    }
    MOTION_TRY(pose_to_row(&w->form->plan, &sample, w->kept, frame, w->row, error));
    if (!file || is_same)
        return bvh_writer_row(&w->text, w->row, NULL, error);
    keep_numbers(w, file->model, row);
    return bvh_writer_row(&w->text, w->row, w->words, error);
}

/* Without samples, all rows of the document. */
static pm_status read_piece(frame_writer *w, uint64_t first, size_t count, pm_error *error) {
    const motion_samples *s = w->samples;
    if (s)
        return s->read(s->user, first, count, w->channels, w->positions, error);
    for (size_t k = 0; k < count; k++)
        w->positions[k] = (motion_position){.key = first + k, .exact = true};
    return PM_OK;
}

static pm_status write_pieces(frame_writer *w, uint64_t total, pm_error *error) {
    for (uint64_t first = 0; first < total; first += w->piece) {
        const uint64_t left = total - first;
        const size_t count = left < w->piece ? (size_t)left : w->piece;
        MOTION_TRY(read_piece(w, first, count, error));
        if (first == 0 && w->form->rows) {
            size_t row = 0;
            const bvh_file *file = file_of(w, 0, &row);
            take_row(w, file ? row_of(file->model, row) : w->form->rows->model->values);
        }
        for (size_t k = 0; k < count; k++)
            MOTION_TRY(write_frame(w, first + k, k, error));
    }
    return PM_OK;
}

pm_status bvh_write_frames(const motion_writing *writing, const bvh_form *form,
                           const motion_samples *samples, const motion_sink *sink,
                           pm_error *error) {
    SCOPED(free_writer)
    frame_writer w = {.writing = writing,
                      .form = form,
                      .samples = samples,
                      .clip = &writing->motion->content.clips[samples ? samples->clip : 0]};
    const uint64_t count = samples ? samples->count : form->model->frame_count;
    MOTION_TRY(bvh_writer_begin(&w.text, form->model, sink, count,
                                samples ? samples->rate : form->model->rate, writing->decimals,
                                error));
    MOTION_TRY(allocate(&w, error));
    MOTION_TRY(write_pieces(&w, count, error));
    return bvh_writer_end(&w.text, error);
}
