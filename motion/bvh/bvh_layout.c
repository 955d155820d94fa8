/* SPDX-License-Identifier: MIT
 *
 * Writes a BVH as the file was that its motion came from: the hierarchy's text with other offsets, the
 * channels of each joint, and the text of numbers that did not change. What is asked for changes:
 * --euler the order of three or two rotation channels; a turn needs all channels of a root.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/bvh/bvh_layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/bvh/bvh_compose.h"
#include "motion/bvh/bvh_pose.h"
#include "motion/model/compose.h"
#include "motion/model/evaluate.h"
#include "motion/model/made.h"
#include "motion/text/text.h"

/* ---- what is written ----------------------------------------------------------------------- */

enum { NO_SOURCE = -1 };

typedef struct composer {
    const pm_motion *motion;
    const pm_motion_clip *clip;
    const bvh_layout *layout;
    const motion_writing *options;
    motion_frames frames;
    pose_plan before, plan; /* of the layout, and of the output */
    bvh model;              /* of the output */
    int64_t *same;          /* of each channel of the output: that of the layout, or NO_SOURCE */
    FILE *text;             /* of the hierarchy */
    const pm_motion_channel **sources; /* of rotations, vectors and plains; NULL: the rest pose */
    double *sample, *row;
    bvh_text *source_words, *words; /* of a row, in the order of the layout and of the output */
} composer;

/* ---- channels ------------------------------------------------------------------------------ */

static const char *const rotation_names[] = {"Xrotation", "Yrotation", "Zrotation"};
static const char *const position_names[] = {"Xposition", "Yposition", "Zposition"};

static void add_channel(composer *c, size_t joint, bvh_text name, bvh_channel_kind kind,
                        int64_t same) {
    c->same[c->model.channel_count] = same;
    c->model.channels[c->model.channel_count++] = (bvh_channel){kind, name, joint};
    c->model.joints[joint].channel_count++;
}

static void add_named(composer *c, size_t joint, const char *name, bvh_channel_kind kind) {
    add_channel(c, joint, (bvh_text){name, strlen(name)}, kind, NO_SOURCE);
}

static void add_rotation(composer *c, size_t joint, char axis) {
    add_named(c, joint, rotation_names[axis - 'X'],
              (bvh_channel_kind)(BVH_X_ROTATION + (axis - 'X')));
}

static bool is_turned_root(const composer *c, size_t joint) {
    const pm_motion_node *node = &c->motion->content.nodes[joint];
    return node->parent < 0 && node->rotation[3] != 1;
}

/* The order that a joint has to get. NULL: its channels stay. */
static const char *new_order(const composer *c, size_t joint, const pose_rotation *r) {
    const bool turned = is_turned_root(c, joint);
    const size_t count = r ? r->channel_count : 0;
    if (c->options->euler_given && (count > 1 || turned))
        return r && count == 3 && r->order == c->options->euler
                   ? NULL
                   : pm_euler_order_name(c->options->euler);
    return turned && count < 3 ? pm_euler_order_name(r ? r->order : PM_EULER_ZXY) : NULL;
}

static bool is_partial(const pose_vector *v) {
    return v->channel[0] == POSE_NO_CHANNEL || v->channel[1] == POSE_NO_CHANNEL ||
           v->channel[2] == POSE_NO_CHANNEL;
}

static bool belongs(const pose_vector *v, size_t channel) {
    return v && (v->channel[0] == channel || v->channel[1] == channel || v->channel[2] == channel);
}

/* `r` and `v` are the joint's rotation and positions; NULL: it has none. */
static void make_channels(composer *c, size_t joint, const pose_rotation *r, const pose_vector *v) {
    const bvh *from = c->layout->model;
    const bvh_joint *j = &from->joints[joint];
    const char *order = new_order(c, joint, r);
    v = v && is_turned_root(c, joint) && is_partial(v) ? v : NULL; /* a turn needs all three */
    bool has_positions = false;
    size_t rotations = 0;
    c->model.joints[joint].first_channel = c->model.channel_count;
    c->model.joints[joint].channel_count = 0;
    for (size_t i = j->first_channel; i < j->first_channel + j->channel_count; i++) {
        const bvh_channel *channel = &from->channels[i];
        const bool rotates = channel->kind >= BVH_X_ROTATION && channel->kind <= BVH_Z_ROTATION;
        if (rotates && order && r && r->channel_count == 3) {
            add_rotation(c, joint, order[rotations++]);
        } else if (rotates && order) {
            for (; rotations < 3; rotations++)
                add_rotation(c, joint, order[rotations]);
        } else if (belongs(v, i)) {
            for (size_t n = 0; n < 3 && !has_positions; n++)
                add_named(c, joint, position_names[n], (bvh_channel_kind)(BVH_X_POSITION + n));
            has_positions = true;
        } else {
            add_channel(c, joint, channel->name, channel->kind, (int64_t)i);
        }
    }
    for (; order && rotations < 3; rotations++)
        add_rotation(c, joint, order[rotations]);
}

/* ---- the hierarchy ------------------------------------------------------------------------- */

/* Writes the text from *at up to a part that is replaced, and moves *at behind the part. */
static void copy_up_to(composer *c, const char **at, bvh_text part) {
    fwrite(*at, 1, (size_t)(part.begin - *at), c->text);
    *at = part.begin + part.size;
}

static void put_offset(composer *c, const char **at, bvh_text part, const double old[3],
                       const double new[3]) {
    if (part.size == 0 || (old[0] == new[0] && old[1] == new[1] && old[2] == new[2]))
        return;
    copy_up_to(c, at, part);
    for (size_t i = 0; i < 3; i++) {
        char number[TEXT_FIXED_SIZE];
        fputs(i > 0 ? " " : "", c->text);
        fwrite(number, 1, (size_t)(bvh_write_length(number, new[i]) - number), c->text);
    }
}

static void put_channels(composer *c, const char **at, size_t joint) {
    const bvh_joint *j = &c->layout->model->joints[joint];
    const bvh_joint *to = &c->model.joints[joint];
    bool stays = to->channel_count == j->channel_count;
    for (size_t i = 0; i < to->channel_count && stays; i++)
        stays = c->same[to->first_channel + i] != NO_SOURCE;
    if (stays)
        return;
    copy_up_to(c, at, j->channels_text);
    fprintf(c->text, "%s%zu", j->has_channels_line ? "" : " CHANNELS ", to->channel_count);
    for (size_t i = 0; i < to->channel_count; i++) {
        const bvh_text name = c->model.channels[to->first_channel + i].name;
        fputc(' ', c->text);
        fwrite(name.begin, 1, name.size, c->text);
    }
    fputs(j->has_channels_line ? "" : c->model.line_end, c->text);
}

/* A part of the hierarchy that may change. */
typedef struct part {
    const char *begin;
    size_t index;
    enum { JOINT_NAME, JOINT_OFFSET, JOINT_CHANNELS, SITE_OFFSET } kind;
} part;

static int compare_parts(const void *a, const void *b) {
    const char *x = ((const part *)a)->begin, *y = ((const part *)b)->begin;
    return x < y ? -1 : x > y;
}

/* A joint without a name has no place for one that the motion gives it. */
static void put_name(composer *c, const char **at, bvh_text old, pm_motion_name new) {
    if (old.size == new.size && memcmp(old.begin, new.text, new.size) == 0)
        return;
    copy_up_to(c, at, old);
    for (size_t i = 0; i < new.size; i++) {
        const char byte = new.text[i];
        fputc((unsigned char)byte < ' ' || byte == '{' || byte == '}' ? '_' : byte, c->text);
    }
    if (new.size == 0)
        fputc('_', c->text);
}

static void put_part(composer *c, const char **at, const part *p) {
    const bvh *from = c->layout->model;
    if (p->kind == JOINT_NAME) {
        put_name(c, at, from->joints[p->index].name, c->motion->content.nodes[p->index].name);
    } else if (p->kind == JOINT_CHANNELS) {
        put_channels(c, at, p->index);
    } else if (p->kind == JOINT_OFFSET) {
        const bvh_joint *j = &from->joints[p->index];
        put_offset(c, at, j->offset_text, j->offset, c->motion->content.nodes[p->index].position);
    } else {
        const bvh_site *site = &from->sites[p->index];
        const double scale = c->motion->document ? 1 : c->motion->form_scale;
        const double offset[3] = {site->offset[0] * scale, site->offset[1] * scale,
                                  site->offset[2] * scale};
        put_offset(c, at, site->offset_text, site->offset, offset);
    }
}

static size_t find_parts(const bvh *from, part *parts) {
    size_t count = 0;
    for (size_t j = 0; j < from->joint_count; j++) {
        if (from->joints[j].name.size > 0)
            parts[count++] = (part){from->joints[j].name.begin, j, JOINT_NAME};
        if (from->joints[j].offset_text.size > 0)
            parts[count++] = (part){from->joints[j].offset_text.begin, j, JOINT_OFFSET};
        parts[count++] = (part){from->joints[j].channels_text.begin, j, JOINT_CHANNELS};
    }
    for (size_t s = 0; s < from->site_count; s++)
        if (from->sites[s].offset_text.size > 0)
            parts[count++] = (part){from->sites[s].offset_text.begin, s, SITE_OFFSET};
    return count;
}

/* Several OFFSET lines of a joint: only the last one counts, and only it changes. */
static pm_status make_hierarchy(composer *c, pm_error *error) {
    const bvh *from = c->layout->model;
    part *parts = calloc(3 * from->joint_count + from->site_count, sizeof *parts);
    size_t size = 0;
    c->text = parts ? open_memstream(&c->model.hierarchy, &size) : NULL;
    if (!c->text) {
        free(parts);
        return motion_refuse_memory(error);
    }
    const size_t count = find_parts(from, parts);
    const char *at = from->hierarchy;
    qsort(parts, count, sizeof *parts, compare_parts);
    for (size_t i = 0; i < count; i++)
        put_part(c, &at, &parts[i]);
    fwrite(at, 1, (size_t)(from->hierarchy + from->hierarchy_size - at), c->text);
    const bool failed = ferror(c->text) != 0;
    free(parts);
    if (fclose(c->text) != 0 || failed)
        return motion_refuse_memory(error);
    c->model.hierarchy_size = size;
    return PM_OK;
}

static pm_status make_model(composer *c, pm_error *error) {
    enum { ADDED = 6 }; /* channels of a joint, at most */
    const bvh *from = c->layout->model;
    const size_t most = from->channel_count + ADDED * from->joint_count;
    c->model = (bvh){.joint_count = from->joint_count, .line_end = from->line_end};
    c->model.joints = malloc(from->joint_count * sizeof *c->model.joints);
    c->model.channels = calloc(most, sizeof *c->model.channels);
    c->same = calloc(most, sizeof *c->same);
    if (!c->model.joints || !c->model.channels || !c->same)
        return motion_refuse_memory(error);
    memcpy(c->model.joints, from->joints, from->joint_count * sizeof *c->model.joints);
    pm_status status = pose_plan_make(&c->before, from, error);
    if (status != PM_OK)
        return status;
    size_t r = 0, v = 0;
    for (size_t j = 0; j < from->joint_count; j++) {
        const bool rotates = r < c->before.rotation_count && c->before.rotations[r].joint == j;
        const pose_vector *positions = NULL;
        for (; v < c->before.vector_count && c->before.vectors[v].joint == j; v++)
            positions = c->before.vectors[v].is_scale ? positions : &c->before.vectors[v];
        make_channels(c, j, rotates ? &c->before.rotations[r] : NULL, positions);
        r += rotates;
    }
    status = pose_plan_make(&c->plan, &c->model, error);
    return status == PM_OK ? make_hierarchy(c, error) : status;
}

/* ---- frames -------------------------------------------------------------------------------- */

static size_t width_of(const pose_plan *plan) {
    return 4 * plan->rotation_count + 3 * plan->vector_count + plan->plain_count;
}

/* The channels of a clip that came from BVH are rotations, vectors and plain numbers, each in the
 * order of the joints. */
static void find_sources(composer *c) {
    const pose_plan *plan = &c->plan;
    size_t rotation = 0, vector = 0, plain = 0;
    for (size_t i = 0; i < c->clip->channel_count; i++) {
        const pm_motion_channel *channel = &c->clip->channels[i];
        const size_t node = (size_t)channel->node;
        if (channel->path == PM_MOTION_ROTATION) {
            while (rotation < plan->rotation_count && plan->rotations[rotation].joint < node)
                rotation++;
            if (rotation < plan->rotation_count && plan->rotations[rotation].joint == node)
                c->sources[rotation] = channel;
        } else if (channel->path == PM_MOTION_SCALAR) {
            if (plain < plan->plain_count)
                c->sources[plan->rotation_count + plan->vector_count + plain++] = channel;
        } else if (vector < plan->vector_count) {
            c->sources[plan->rotation_count + vector++] = channel;
        }
    }
}

static double *read_source(const composer *c, size_t source, size_t frame, const double *rest,
                           uint32_t components, double *to) {
    const pm_motion_channel *channel = c->sources[source];
    const size_t keys = channel ? c->clip->timelines[channel->timeline].key_count : 0;
    for (uint32_t i = 0; i < components; i++)
        to[i] = channel ? evaluate_number(&channel->keys, components,
                                          keys == c->frames.count ? frame : 0, i)
                        : rest[i];
    return to + components;
}

static pose_sample sample_of(const composer *c, size_t frame) {
    static const double zero[3];
    const pose_plan *plan = &c->plan;
    const pm_motion_node *nodes = c->motion->content.nodes;
    double *to = c->sample;
    size_t source = 0;
    for (size_t i = 0; i < plan->rotation_count; i++)
        to = read_source(c, source++, frame, nodes[plan->rotations[i].joint].rotation, 4, to);
    for (size_t i = 0; i < plan->vector_count; i++) {
        const pose_vector *v = &plan->vectors[i];
        const pm_motion_node *node = &nodes[v->joint];
        to = read_source(c, source++, frame, v->is_scale ? node->scale : node->position, 3, to);
        for (size_t n = 0; n < 3 && c->layout->adds_offset && !v->is_scale; n++)
            to[(ptrdiff_t)n - 3] -= node->position[n];
    }
    for (size_t i = 0; i < plan->plain_count; i++)
        to = read_source(c, source++, frame, zero, 1, to);
    return (pose_sample){.rotations = c->sample,
                         .vectors = c->sample + 4 * plan->rotation_count,
                         .plains = c->sample + 4 * plan->rotation_count + 3 * plan->vector_count};
}

/* Puts the numbers of the layout's own row where the channels are the same. */
static void take_row(composer *c, const double *from) {
    for (size_t i = 0; i < c->model.channel_count; i++)
        if (c->same[i] != NO_SOURCE)
            c->row[i] = isfinite(from[c->same[i]]) ? from[c->same[i]] : 0; /* a gap has no branch */
}

static void find_words(const bvh_row *row, bvh_text *words, size_t count) {
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

/* Numbers that come out as they were get their own text back, or with --decimals their own value. */
static void keep_numbers(composer *c, const bvh *source, size_t row) {
    const double *from = source->values + row * source->channel_count;
    find_words(&source->rows[row], c->source_words, source->channel_count);
    for (size_t i = 0; i < c->model.channel_count; i++) {
        c->words[i] = (bvh_text){NULL, 0};
        if (c->same[i] == NO_SOURCE)
            continue;
        const double old = from[c->same[i]];
        if (!(fabs(c->row[i] - old) <= 1e-9 + 1e-12 * fabs(old)))
            continue;
        c->row[i] = old;
        if (!c->options->decimals_given)
            c->words[i] = c->source_words[c->same[i]];
    }
}

/* The file with the row of a frame, some of whose numbers may be others. */
static const bvh *find_row(const composer *c, size_t frame, size_t *row) {
    const motion_position at = motion_find_row(c->motion, c->options->clip, frame);
    const motion_run *run = motion_find_run(c->motion, c->options->clip, frame);
    *row = (size_t)at.key;
    return at.exact && !(run && run->changed) ? bvh_rows_of(&at, c->layout) : NULL;
}

static pm_status write_frame(composer *c, bvh_writer *writer, size_t frame, pm_error *error) {
    size_t row = 0;
    const bvh *source = find_row(c, frame, &row);
    const pose_sample sample = sample_of(c, frame);
    const double *between[2] = {NULL, NULL};
    if (source)
        take_row(c, source->values + row * source->channel_count);
    else if (frame == 0)
        take_row(c, c->layout->model->values);
    const pm_status status = pose_to_row(&c->plan, &sample, between, frame, c->row, error);
    if (status != PM_OK)
        return status;
    if (!source)
        return bvh_writer_row(writer, c->row, error);
    keep_numbers(c, source, row);
    return bvh_writer_mixed_row(writer, c->row, c->words, error);
}

static pm_status write_frames(composer *c, const motion_sink *sink, pm_error *error) {
    const size_t sources = c->plan.rotation_count + c->plan.vector_count + c->plan.plain_count;
    bvh_writer writer;
    pm_status status = bvh_writer_begin(&writer, &c->model, sink, c->frames.count, c->frames.rate,
                                        c->options->decimals, error);
    c->sources = calloc(sources, sizeof *c->sources);
    c->sample = calloc(width_of(&c->plan), sizeof *c->sample);
    c->row = calloc(c->model.channel_count, sizeof *c->row);
    c->words = calloc(c->model.channel_count, sizeof *c->words);
    c->source_words = calloc(c->layout->model->channel_count, sizeof *c->source_words);
    if (status == PM_OK && (!c->sources || !c->sample || !c->row || !c->words || !c->source_words))
        status = motion_refuse_memory(error);
    if (status == PM_OK)
        find_sources(c);
    for (size_t f = 0; f < c->frames.count && status == PM_OK; f++)
        status = write_frame(c, &writer, f, error);
    if (status == PM_OK)
        status = bvh_writer_end(&writer, error);
    bvh_writer_release(&writer);
    return status;
}

/* Numbers of unknown meaning alone have frames too. */
static pm_status find_frames(composer *c, pm_error *error) {
    const pm_status status = motion_find_frames(c->clip, "BVH", false, &c->frames, error);
    if (status == PM_OK && c->frames.count == 0 && c->clip->rate.den != 0)
        c->frames = (motion_frames){.rate = c->clip->rate,
                                    .count = c->clip->timelines[0].key_count,
                                    .timeline = &c->clip->timelines[0]};
    return status == PM_OK && c->frames.count == 0
               ? motion_refuse(error, "key times are not uniform; BVH requires a rate")
               : status;
}

pm_status bvh_layout_compose(const pm_motion *motion, const bvh_layout *layout,
                             const motion_writing *options, const motion_sink *sink,
                             pm_error *error) {
    if (options->clip >= motion->content.clip_count)
        return motion_refuse(error, "has no clip; BVH requires one");
    composer c = {.motion = motion,
                  .clip = &motion->content.clips[options->clip],
                  .layout = layout,
                  .options = options};
    pm_status status = find_frames(&c, error);
    if (status == PM_OK)
        status = make_model(&c, error);
    if (status == PM_OK)
        status = write_frames(&c, sink, error);
    pose_plan_release(&c.before);
    pose_plan_release(&c.plan);
    free(c.model.joints);
    free(c.model.channels);
    free(c.model.hierarchy);
    free(c.same);
    free(c.sources);
    free(c.sample);
    free(c.row);
    free(c.words);
    free(c.source_words);
    return status;
}
