/* SPDX-License-Identifier: MIT
 *
 * BVH as a format of the motion library: its channels in the model, and a motion with other frames
 * as text. A sample on a frame of the source gets the text of that frame.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/bvh/bvh.h"
#include "motion/bvh/bvh_compose.h"
#include "motion/bvh/bvh_layout.h"
#include "motion/bvh/bvh_pose.h"
#include "motion/model/model.h"

typedef struct document {
    bvh *model;
    pose_plan plan;
    bool adds_offset; /* positions in the file are relative to OFFSET, those in the model are not */
} document;

static bool recognise(const char *bytes, size_t size) {
    return bvh_kind.find(bytes, size) == INPUT_KIND_YES;
}

static void release(void *of) {
    document *d = of;
    if (!d)
        return;
    pose_plan_release(&d->plan);
    bvh_free(&d->model);
    free(d);
}

/* ---- the model ----------------------------------------------------------------------------- */

static pm_motion_name name_of(pm_motion *motion, bvh_text text, bool *good) {
    char *copy = motion_copy_text(&motion->arena, text.begin, text.size);
    *good &= copy != NULL;
    return (pm_motion_name){copy, text.size};
}

static bool make_nodes(pm_motion *motion, const bvh *model) {
    pm_motion_node *nodes = motion_allocate(&motion->arena, model->joint_count, sizeof *nodes);
    bool good = nodes != NULL;
    for (size_t j = 0; good && j < model->joint_count; j++) {
        const bvh_joint *joint = &model->joints[j];
        nodes[j] =
            (pm_motion_node){.name = name_of(motion, joint->name, &good),
                             .parent = joint->parent == BVH_NO_JOINT ? -1 : (int32_t)joint->parent,
                             .position = {joint->offset[0], joint->offset[1], joint->offset[2]},
                             .rotation = {0, 0, 0, 1},
                             .scale = {1, 1, 1}};
    }
    for (size_t i = model->site_count; good && i-- > 0;) { /* the first of several remains */
        pm_motion_node *node = &nodes[model->sites[i].joint];
        node->has_tail = true;
        memcpy(node->tail, model->sites[i].offset, sizeof node->tail);
    }
    motion->content.nodes = nodes;
    motion->content.node_count = model->joint_count;
    return good;
}

/* Numbers of a channel as they lie in the rows. */
static pm_array in_rows(const bvh *model, size_t channel) {
    return (pm_array){.data = model->values + channel,
                      .type = PM_FLOAT64,
                      .stride = model->channel_count * sizeof *model->values};
}

static bool is_laid_out(const pose_vector *v) {
    return v->channel[0] != POSE_NO_CHANNEL && v->channel[1] == v->channel[0] + 1 &&
           v->channel[2] == v->channel[0] + 2;
}

/* A number that the file does not animate has its value in the rest pose. */
static double rest_of(const bvh *model, const pose_vector *v, size_t i) {
    return v->is_scale ? 1.0 : model->joints[v->joint].offset[i];
}

/* What a number of the model is more than that of the file. */
static double added_to(const document *d, const pose_vector *v, size_t i) {
    return d->adds_offset && !v->is_scale ? d->model->joints[v->joint].offset[i] : 0;
}

static bool vector_keys(pm_motion *motion, const document *d, const pose_vector *v,
                        pm_array *keys) {
    const bvh *model = d->model;
    if (is_laid_out(v) && (!d->adds_offset || v->is_scale)) {
        *keys = in_rows(model, v->channel[0]);
        return true;
    }
    double *copy = motion_allocate(&motion->arena, model->frame_count, 3 * sizeof *copy);
    for (size_t k = 0; copy && k < model->frame_count; k++)
        for (size_t i = 0; i < 3; i++)
            copy[3 * k + i] =
                v->channel[i] == POSE_NO_CHANNEL
                    ? rest_of(model, v, i)
                    : model->values[k * model->channel_count + v->channel[i]] + added_to(d, v, i);
    *keys = (pm_array){.data = copy, .type = PM_FLOAT64};
    return copy != NULL;
}

static bool add_rotations(pm_motion *motion, const document *d, pm_motion_channel *channels) {
    const size_t count = d->plan.rotation_count, frames = d->model->frame_count;
    if (count == 0)
        return true;
    double *keys = frames > SIZE_MAX / count
                       ? NULL
                       : motion_allocate(&motion->arena, frames * count, 4 * sizeof *keys);
    if (!keys)
        return false;
    pose_rotation_keys(&d->plan, keys);
    for (size_t i = 0; i < count; i++)
        channels[i] = (pm_motion_channel){
            .node = (int32_t)d->plan.rotations[i].joint,
            .path = PM_MOTION_ROTATION,
            .components = 4,
            .keys = {.data = keys + 4 * i, .type = PM_FLOAT64, .stride = 4 * count * sizeof *keys}};
    return true;
}

static bool add_vectors(pm_motion *motion, const document *d, pm_motion_channel *channels) {
    bool good = true;
    for (size_t i = 0; good && i < d->plan.vector_count; i++) {
        const pose_vector *v = &d->plan.vectors[i];
        channels[i] =
            (pm_motion_channel){.node = (int32_t)v->joint,
                                .path = v->is_scale ? PM_MOTION_SCALE : PM_MOTION_POSITION,
                                .components = 3};
        good = vector_keys(motion, d, v, &channels[i].keys);
    }
    return good;
}

static bool add_plains(pm_motion *motion, const document *d, pm_motion_channel *channels) {
    bool good = true;
    for (size_t i = 0; good && i < d->plan.plain_count; i++) {
        const bvh_channel *channel = &d->model->channels[d->plan.plains[i]];
        channels[i] = (pm_motion_channel){.node = (int32_t)channel->joint,
                                          .path = PM_MOTION_SCALAR,
                                          .components = 1,
                                          .keys = in_rows(d->model, d->plan.plains[i]),
                                          .name = name_of(motion, channel->name, &good),
                                          .always_linear = true};
    }
    return good;
}

/* Rotations, then vectors, then plain numbers: the order in which `write` expects samples. */
static bool make_clip(pm_motion *motion, const document *d) {
    const pose_plan *plan = &d->plan;
    const size_t count = plan->rotation_count + plan->vector_count + plan->plain_count;
    pm_motion_channel *channels = motion_allocate(&motion->arena, count, sizeof *channels);
    pm_timeline *timeline = motion_allocate(&motion->arena, 1, sizeof *timeline);
    pm_motion_clip *clip = motion_allocate(&motion->arena, 1, sizeof *clip);
    if (!channels || !timeline || !clip || !add_rotations(motion, d, channels) ||
        !add_vectors(motion, d, channels + plan->rotation_count) ||
        !add_plains(motion, d, channels + plan->rotation_count + plan->vector_count))
        return false;
    *timeline = (pm_timeline){.key_count = d->model->frame_count, .rate = d->model->rate};
    bool good = true;
    *clip = (pm_motion_clip){.name = {"", 0},
                             .rate_text = name_of(motion, d->model->frame_time, &good),
                             .rate_is_snapped = d->model->rate_how != RATE_LITERAL,
                             .timelines = timeline,
                             .timeline_count = 1,
                             .channels = channels,
                             .channel_count = count,
                             .rate = d->model->rate,
                             .first_time = {0, 1}};
    motion->content.clips = clip;
    motion->content.clip_count = 1;
    motion->stated_rate = d->model->stated_rate;
    return good;
}

/* Angles are written modulo a turn by some tools. */
static void note_wraps(const bvh *model, motion_notes *notes) {
    size_t wraps = 0;
    for (size_t f = 1; f < model->frame_count; f++)
        for (size_t c = 0; c < model->channel_count; c++) {
            const double *value = model->values + f * model->channel_count + c;
            const bvh_channel_kind kind = model->channels[c].kind;
            const bool is_angle = kind >= BVH_X_ROTATION && kind <= BVH_Z_ROTATION;
            wraps += is_angle && fabs(*value - value[-(ptrdiff_t)model->channel_count]) > 180;
        }
    if (wraps > 0)
        motion_note(notes, "%zu angle%s by more than 180 degrees from a frame to the next", wraps,
                    wraps == 1 ? " jumps" : "s jump");
}

static pm_status read(const motion_input *input, pm_motion *motion, pm_error *error) {
    document *d = calloc(1, sizeof *d);
    if (!d)
        return motion_refuse_memory(error);
    motion->document = d;
    d->adds_offset = input->options->bvh_adds_offset;
    motion->content.format = PM_MOTION_BVH;
    motion->content.layout = "";
    pm_status status = bvh_parse(input, &d->model, error);
    if (status == PM_OK)
        status = pose_plan_make(&d->plan, d->model, error);
    if (status == PM_OK && (!make_nodes(motion, d->model) || !make_clip(motion, d)))
        status = motion_refuse_memory(error);
    if (status == PM_OK && input->options->examine)
        note_wraps(d->model, &motion->notes);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------- */

enum { PIECE_NUMBERS = 1 << 17 };

typedef struct frame_writer {
    const document *document;
    const motion_samples *samples;
    bvh_writer text;
    size_t piece;
    double **channels;          /* (piece, components) of each */
    double *numbers;            /* what `channels` point into */
    motion_position *positions; /* (piece) */
    double *sample;             /* of one frame, in the order of the channels */
    double *row;                /* the row written last */
} frame_writer;

static size_t width_of(const pose_plan *plan) {
    return 4 * plan->rotation_count + 3 * plan->vector_count + plan->plain_count;
}

static size_t channels_of(const pose_plan *plan) {
    return plan->rotation_count + plan->vector_count + plan->plain_count;
}

static size_t components_of(const pose_plan *plan, size_t channel) {
    return channel < plan->rotation_count                        ? 4
           : channel < plan->rotation_count + plan->vector_count ? 3
                                                                 : 1;
}

static pm_status allocate(frame_writer *w, pm_error *error) {
    const pose_plan *plan = &w->document->plan;
    const size_t width = width_of(plan), count = channels_of(plan);
    w->piece = PIECE_NUMBERS / width + 1;
    w->channels = calloc(count, sizeof *w->channels);
    w->numbers = malloc(width * w->piece * sizeof *w->numbers);
    w->positions = malloc(w->piece * sizeof *w->positions);
    w->sample = malloc(width * sizeof *w->sample);
    w->row = malloc(w->document->model->channel_count * sizeof *w->row);
    if (!w->channels || !w->numbers || !w->positions || !w->sample || !w->row)
        return motion_refuse_memory(error);
    double *at = w->numbers;
    for (size_t c = 0; c < count; c++) {
        w->channels[c] = at;
        at += w->piece * components_of(plan, c);
    }
    return PM_OK;
}

static void free_writer(frame_writer *w) {
    bvh_writer_release(&w->text);
    free(w->channels);
    free(w->numbers);
    free(w->positions);
    free(w->sample);
    free(w->row);
}

static const double *source_row(const bvh *model, uint64_t frame) {
    return model->values + (size_t)frame * model->channel_count;
}

static void copy_row(frame_writer *w, const bvh *from, uint64_t frame) {
    memcpy(w->row, source_row(from, frame), from->channel_count * sizeof *w->row);
}

static bool has_channels_of(const bvh *a, const bvh *b) {
    bool same = a->channel_count == b->channel_count && a->joint_count == b->joint_count;
    for (size_t i = 0; same && i < a->channel_count; i++)
        same = a->channels[i].kind == b->channels[i].kind &&
               a->channels[i].joint == b->channels[i].joint;
    return same;
}

const bvh *bvh_rows_of(const motion_position *position, const bvh_layout *layout) {
    const pm_motion *source = position->source;
    if (position->key == MOTION_NO_KEY || !source || source->format != &motion_bvh)
        return NULL;
    const document *d = source->document;
    return d->model == layout->model || (d->adds_offset == layout->adds_offset &&
                                         has_channels_of(d->model, layout->model))
               ? d->model
               : NULL;
}

/* The numbers of frame k of the piece, side by side. */
static pose_sample sample_of(frame_writer *w, size_t k) {
    const pose_plan *plan = &w->document->plan;
    double *to = w->sample;
    for (size_t c = 0; c < channels_of(plan); c++) {
        const size_t components = components_of(plan, c);
        const double *from = w->channels[c] + k * components;
        for (size_t i = 0; i < components; i++)
            *to++ = from[i];
    }
    return (pose_sample){.rotations = w->sample,
                         .vectors = w->sample + 4 * plan->rotation_count,
                         .plains = w->sample + 4 * plan->rotation_count + 3 * plan->vector_count};
}

/* Makes the positions of a sample those of the file. */
static void subtract_offsets(frame_writer *w) {
    const pose_plan *plan = &w->document->plan;
    double *vectors = w->sample + 4 * plan->rotation_count;
    for (size_t i = 0; i < 3 * plan->vector_count; i++)
        vectors[i] -= added_to(w->document, &plan->vectors[i / 3], i % 3);
}

static pm_status write_computed(frame_writer *w, uint64_t frame, size_t k, pm_error *error) {
    const bvh *model = w->document->model;
    const motion_position at = w->positions[k];
    const double *between[2] = {NULL, NULL};
    const pose_sample sample = sample_of(w, k);
    subtract_offsets(w);
    if (w->samples->keeps_equal && at.key < model->frame_count - 1) {
        between[0] = source_row(model, at.key);
        between[1] = source_row(model, at.key + 1);
    }
    const pm_status status =
        pose_to_row(&w->document->plan, &sample, between, frame, w->row, error);
    return status == PM_OK ? bvh_writer_row(&w->text, w->row, error) : status;
}

/* The file that has the row of sample `k`; or NULL. */
static const bvh *rows_of(const frame_writer *w, size_t k) {
    const bvh_layout layout = {w->document->model, w->document->adds_offset};
    return bvh_rows_of(&w->positions[k], &layout);
}

/* Sample `k` of a piece. */
static pm_status write_frame(frame_writer *w, uint64_t frame, size_t k, pm_error *error) {
    const motion_position at = w->positions[k];
    const bvh *from = rows_of(w, k);
    if (!from || motion_exact_key(at) == MOTION_NO_KEY)
        return write_computed(w, frame, k, error);
    copy_row(w, from, at.key);
    return bvh_writer_source_row(&w->text, from, (size_t)at.key, error);
}

static pm_status write_pieces(frame_writer *w, pm_error *error) {
    const motion_samples *s = w->samples;
    pm_status status = PM_OK;
    bool begun = false;
    for (uint64_t first = 0; first < s->count && status == PM_OK; first += w->piece) {
        const uint64_t left = s->count - first;
        const size_t count = left < w->piece ? (size_t)left : w->piece;
        status = s->read(s->user, first, count, w->channels, w->positions, error);
        if (!begun && status == PM_OK) /* the branch of angles that the first sample continues */
            copy_row(w, rows_of(w, 0) ? rows_of(w, 0) : w->document->model,
                     rows_of(w, 0) ? w->positions[0].key : 0);
        begun = true;
        for (size_t k = 0; k < count && status == PM_OK; k++)
            status = write_frame(w, first + k, k, error);
    }
    return status;
}

/* The frames of the source as they are. */
static pm_status write_source(frame_writer *w, pm_error *error) {
    pm_status status = PM_OK;
    for (size_t f = 0; f < w->document->model->frame_count && status == PM_OK; f++)
        status = bvh_writer_source_row(&w->text, w->document->model, f, error);
    return status;
}

/* Whether a file with this rate can be read again: frame times have a limited range. */
static bool is_readable(pm_rational rate) {
    const double seconds = 1.0 / rate_value(rate);
    return seconds > 1.000001e-9 && seconds < 0.999999e9;
}

static pm_status write_again(const motion_writing *options, const motion_sink *sink,
                             pm_error *error) {
    const motion_samples *samples = options->samples;
    const size_t count = options->sample_count;
    frame_writer w = {.document = options->document->document, .samples = samples};
    const bvh *model = w.document->model;
    const pm_rational rate = count ? samples->rate : model->rate;
    if (!is_readable(rate)) {
        motion_refuse(error, "gives a frame time outside 1e-9 to 1e9 seconds");
        motion_name_option(error, "rate");
        return PM_ERROR_FILE;
    }
    pm_status status =
        bvh_writer_begin(&w.text, model, sink, count ? samples->count : model->frame_count, rate,
                         options->decimals, error);
    if (status == PM_OK)
        status = allocate(&w, error);
    if (status == PM_OK)
        status = count ? write_pieces(&w, error) : write_source(&w, error);
    if (status == PM_OK)
        status = bvh_writer_end(&w.text, error);
    free_writer(&w);
    return status;
}

static pm_status write(const motion_writing *options, const motion_sink *sink, pm_error *error) {
    const pm_motion *motion = options->motion;
    if (options->document)
        return write_again(options, sink, error);
    const pm_motion *form = motion_form_of(motion);
    if (!form || form->format != &motion_bvh)
        return bvh_compose(motion, options, sink, error);
    const document *d = form->document;
    const bvh_layout layout = {d->model, d->adds_offset};
    return bvh_layout_compose(motion, &layout, options, sink, error);
}

const motion_format motion_bvh = {.id = PM_MOTION_BVH,
                                  .name = "bvh",
                                  .title = "BVH",
                                  .document = "bvh",
                                  .kind = &bvh_kind,
                                  .recognise = recognise,
                                  .read = read,
                                  .write = write,
                                  .scales = MOTION_SCALES_NONE,
                                  .is_text = true,
                                  .release = release};
