/* SPDX-License-Identifier: MIT
 *
 * What is compared of a motion: a view of it with nodes for all joints and with one clip.
 */
#include "motion/compare/subject.h"

#include "host/base/elementary.h"
#include "motion/convert/adjust.h"
#include "motion/model/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- motions without nodes ----------------------------------------------------------------- */

/* A view that is being made: nodes and rotations, one for each joint. */
typedef struct view_maker {
    subject *s;
    pm_motion_node *nodes;
    pm_motion_channel *channels;
    pm_motion_name *names; /* as the file has them */
    bool has_names;
    size_t count;
} view_maker;

static bool is_angles(const pm_motion_content *content, const pm_motion_channel *channel) {
    return content->format == PM_MOTION_CSV && channel->path == PM_MOTION_SCALAR;
}

/* `component` is -1 for a rotation. */
static bool add_joint(view_maker *m, const pm_motion_channel *channel, int64_t component,
                      pm_array keys) {
    char text[96];
    pm_motion_node *node = &m->nodes[m->count];
    const int shown = channel->name.size < 64 ? (int)channel->name.size : 64;
    int size = 0;
    if (component >= 0)
        size = snprintf(text, sizeof text, "%.*s[%lld]", shown, channel->name.text,
                        (long long)component);
    else if (channel->name.size > 0)
        node->name = channel->name;
    else
        size = snprintf(text, sizeof text, "rotation[%zu]", m->count);
    if (size > 0) {
        node->name.size = strlen(text);
        node->name.text = motion_copy_text(&m->s->arena, text, node->name.size);
    }
    m->names[m->count] =
        channel->subjects ? channel->subjects[component >= 0 ? component : 0] : node->name;
    m->has_names = m->has_names || channel->subjects;
    node->parent = -1;
    node->rotation[3] = 1;
    node->scale[0] = node->scale[1] = node->scale[2] = 1;
    m->channels[m->count] = *channel;
    m->channels[m->count].node = (int32_t)m->count;
    m->channels[m->count].path = PM_MOTION_ROTATION;
    m->channels[m->count].components = 4;
    m->channels[m->count].keys = keys;
    m->count++;
    return node->name.text != NULL;
}

/* The angle of a joint of a robot, as rotations about x. */
static bool add_angle(view_maker *m, const pm_motion_channel *channel, size_t keys,
                      uint32_t component) {
    double *rotations = motion_allocate(&m->s->arena, keys, 4 * sizeof *rotations);
    for (size_t k = 0; rotations && k < keys; k++) {
        const double half = evaluate_number(&channel->keys, channel->components, k, component) / 2;
        rotations[4 * k] = pm_same_sin(half);
        rotations[4 * k + 3] = pm_same_cos(half);
    }
    return rotations != NULL &&
           add_joint(m, channel, component, (pm_array){.data = rotations, .type = PM_FLOAT64});
}

static bool add_channel(view_maker *m, const pm_motion_content *content, const pm_motion_clip *clip,
                        const pm_motion_channel *channel) {
    bool done = true;
    if (channel->path == PM_MOTION_ROTATION)
        return add_joint(m, channel, -1, channel->keys);
    for (uint32_t i = 0; done && is_angles(content, channel) && i < channel->components; i++)
        done = add_angle(m, channel, clip->timelines[channel->timeline].key_count, i);
    return done;
}

static size_t count_joints(const pm_motion_content *content, const pm_motion_clip *clip) {
    size_t count = 0;
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        count += channel->path == PM_MOTION_ROTATION;
        count += is_angles(content, channel) ? channel->components : 0;
    }
    return count;
}

static pm_status make_nodes(subject *s, const pm_motion_content *content, pm_motion_clip *clip,
                            pm_error *error) {
    const size_t count = count_joints(content, clip);
    view_maker m = {.s = s,
                    .nodes = motion_allocate(&s->arena, count, sizeof *m.nodes),
                    .channels = motion_allocate(&s->arena, count, sizeof *m.channels),
                    .names = motion_allocate(&s->arena, count, sizeof *m.names)};
    bool done = m.nodes != NULL && m.channels != NULL && m.names != NULL;
    for (size_t c = 0; done && c < clip->channel_count; c++)
        done = add_channel(&m, content, clip, &clip->channels[c]);
    MOTION_TRY_MEMORY(done, error);
    clip->channels = m.channels;
    clip->channel_count = count;
    s->file_names = m.has_names ? m.names : NULL;
    s->view.content.nodes = m.nodes;
    s->view.content.node_count = count;
    return PM_OK;
}

static void use_names(subject *s) {
    pm_motion_node *nodes = (pm_motion_node *)(uintptr_t)s->view.content.nodes; /* its own */
    for (size_t j = 0; j < s->joint_count; j++)
        nodes[j].name = s->file_names[j];
}

void subject_use_file_names(subject *a, subject *b) {
    if (!a->file_names || !b->file_names)
        return;
    use_names(a);
    use_names(b);
}

/* ---- joints -------------------------------------------------------------------------------- */

static void find_times(subject *s, const pm_motion_clip *clip) {
    double begin = (double)INFINITY, end = -(double)INFINITY;
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_timeline *timeline = &clip->timelines[clip->channels[c].timeline];
        begin = fmin(begin, evaluate_key_time(timeline, 0));
        end = fmax(end, evaluate_key_time(timeline, timeline->key_count - 1));
        s->keys = timeline->key_count > s->keys ? timeline->key_count : s->keys;
    }
    s->begin = begin <= end ? begin : 0;
    s->seconds = begin <= end ? end - begin : 0;
}

static size_t keys_within(const subject *s, const pm_timeline *timeline) {
    size_t count = 0;
    for (size_t k = 0; k < timeline->key_count; k++) {
        const double time = evaluate_key_time(timeline, k) - s->begin;
        count += time >= -SUBJECT_SAME_TIME && time <= s->seconds + SUBJECT_SAME_TIME;
    }
    return count;
}

void subject_cut(subject *s, double from, double seconds) {
    s->cut += from;
    s->begin += from;
    s->seconds = fmax(0, fmin(s->seconds - from, seconds));
    s->keys = 0;
    for (size_t t = 0; t < s->clip->timeline_count; t++) {
        const size_t keys = keys_within(s, &s->clip->timelines[t]);
        s->keys = keys > s->keys ? keys : s->keys;
    }
}

static pm_status find_joints(subject *s, pm_error *error) {
    const size_t count = s->joint_count = s->view.content.node_count;
    s->channels = pose_find_channels(&s->arena, s->clip, count);
    s->order = motion_allocate(&s->arena, count, sizeof *s->order);
    return s->channels && s->order && pose_order(&s->view.content, s->order)
               ? PM_OK
               : motion_refuse_memory(error);
}

pm_status subject_make(subject *s, const pm_motion *motion, size_t index, pm_error *error) {
    const pm_motion_content *content = &motion->content;
    *s = (subject){
        .motion = motion, .index = index, .view = *motion, .has_places = content->node_count > 0};
    pm_motion_clip *clip = motion_allocate(&s->arena, 1, sizeof *clip);
    MOTION_TRY(motion_check_keys(motion, error));
    MOTION_TRY_MEMORY(clip, error);
    *clip = content->clips[index];
    MOTION_TRY(motion_check_clip(content, index, error));
    s->clip = clip;
    find_times(s, clip);
    s->unit_mm = content->unit_mm;
    s->up = (int)content->up;
    if (!s->has_places)
        MOTION_TRY(make_nodes(s, content, clip, error));
    s->view.content.clips = clip;
    s->view.content.clip_count = 1;
    s->skin_count = s->has_places ? content->skin_count : 0;
    s->view.content.skin_count = 0;
    if (s->view.content.node_count == 0)
        return motion_refuse(error, "has no rotations to compare");
    return find_joints(s, error);
}

pm_status subject_meet(subject *s, const subject *other, char text[MOTION_ADJUSTMENT_TEXT],
                       pm_error *error) {
    motion_adjustment by = {.scale = 1};
    text[0] = '\0';
    const pm_motion_content *own = &s->view.content, *theirs = &other->view.content;
    const bool is_unit_known =
        own->unit_from != PM_MOTION_ESTIMATED || theirs->unit_from != PM_MOTION_ESTIMATED;
    const bool is_up_known =
        own->up_from != PM_MOTION_ESTIMATED || theirs->up_from != PM_MOTION_ESTIMATED;
    if (is_unit_known && s->unit_mm > 0 && other->unit_mm > 0 && s->unit_mm != other->unit_mm)
        by = (motion_adjustment){.scale = s->unit_mm / other->unit_mm,
                                 .unit_mm = s->unit_mm,
                                 .to_unit_mm = other->unit_mm};
    if (is_up_known && s->up != 0 && other->up != 0 && s->up != other->up)
        by.turn = s->up == PM_MOTION_UP_Z ? MOTION_TURN_Z_TO_Y : MOTION_TURN_Y_TO_Z;
    if (!motion_is_adjusted(by))
        return PM_OK;
    motion_adjustment_text(&s->motion->content, by, false, false, text);
    pm_motion *made = motion_adjusted(s->motion, by);
    const subject before = *s;
    MOTION_TRY_MEMORY(made, error);
    subject_release(s);
    const pm_status status = subject_make(s, made, before.index, error);
    s->adjusted = made;
    s->unit_mm = by.to_unit_mm > 0 ? by.to_unit_mm : before.unit_mm;
    s->up = by.turn != MOTION_TURN_NONE ? other->up : before.up;
    return status;
}

void subject_release(subject *s) {
    pm_clip_destroy(&s->curve);
    motion_arena_release(&s->arena);
    pm_motion_destroy(&s->adjusted);
}
