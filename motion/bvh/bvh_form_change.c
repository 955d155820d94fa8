/* SPDX-License-Identifier: MIT
 *
 * Changes the hierarchy of a file. What is the same keeps its text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/os.h"
#include "motion/bvh/bvh_form.h"

typedef struct changer {
    const motion_writing *writing;
    const pm_motion_node *nodes;
    const bvh *from;
    double scale;                    /* of its lengths */
    const pose_rotation **rotations; /* of each joint of the file; NULL: none */
    const pose_vector **positions;
    FILE *text;
    const char *at;   /* what of the file's text is written */
    text_span *names; /* of the channels that are written */
    size_t *same;     /* of each of them, that of the file, or BVH_NO_SOURCE */
    size_t count;
} changer;

static void add_channel(changer *c, text_span name, size_t same) {
    c->names[c->count] = name;
    c->same[c->count++] = same;
}

static void add_rotation(changer *c, char axis) {
    static const char *const names[] = {"Xrotation", "Yrotation", "Zrotation"};
    const char *name = names[axis - 'X'];
    add_channel(c, (text_span){name, strlen(name)}, BVH_NO_SOURCE);
}

static void add_positions(changer *c) {
    static const char *const names[] = {"Xposition", "Yposition", "Zposition"};
    for (size_t i = 0; i < 3; i++)
        add_channel(c, (text_span){names[i], strlen(names[i])}, BVH_NO_SOURCE);
}

static bool is_turned_root(const changer *c, size_t joint) {
    return c->nodes[joint].parent < 0 && c->nodes[joint].rotation[3] != 1;
}

/* The order that a joint has to get. NULL: its channels stay. */
static const char *new_order(const changer *c, size_t joint) {
    const pose_rotation *r = c->rotations[joint];
    const motion_writing *w = c->writing;
    const bool turned = is_turned_root(c, joint);
    const size_t count = r ? r->channel_count : 0;
    if (w->euler_given && (count > 1 || turned))
        return count == 3 && r->order == w->euler ? NULL : pm_euler_order_name(w->euler);
    return turned && count < 3 ? pm_euler_order_name(r ? r->order : PM_EULER_ZXY) : NULL;
}

static bool has_channel(const pose_vector *v, size_t channel) {
    return v->channel[0] == channel || v->channel[1] == channel || v->channel[2] == channel;
}

/* Each rotation channel gets an axis of a new order. Fewer than three are replaced where the first of
 * them is, or behind the others. A turn needs all three positions. */
static void make_channels(changer *c, size_t joint, const char *order, const pose_vector *v) {
    const bvh_joint *j = &c->from->joints[joint];
    const size_t at_once = c->rotations[joint] && c->rotations[joint]->channel_count == 3 ? 1 : 3;
    bool has_positions = false;
    size_t rotations = 0;
    for (size_t i = j->first_channel; i < j->first_channel + j->channel_count; i++) {
        const bvh_channel *channel = &c->from->channels[i];
        if (order && channel->kind >= BVH_X_ROTATION && channel->kind <= BVH_Z_ROTATION) {
            for (size_t n = 0; n < at_once && rotations < 3; n++)
                add_rotation(c, order[rotations++]);
        } else if (v && has_channel(v, i)) {
            if (!has_positions)
                add_positions(c);
            has_positions = true;
        } else {
            add_channel(c, channel->name, i);
        }
    }
    for (; order && rotations < 3; rotations++)
        add_rotation(c, order[rotations]);
}

/* Writes the text up to a part that is replaced. */
static void copy_up_to(changer *c, text_span part) {
    fwrite(c->at, 1, (size_t)(part.begin - c->at), c->text);
    c->at = part.begin + part.size;
}

static void put_channels(changer *c, size_t joint) {
    const bvh_joint *j = &c->from->joints[joint];
    const pose_vector *v = c->positions[joint];
    const char *order = new_order(c, joint);
    const size_t first = c->count;
    if (!is_turned_root(c, joint) || (v && !has_channel(v, POSE_NO_CHANNEL)))
        v = NULL;
    make_channels(c, joint, order, v);
    if (!order && !v)
        return;
    copy_up_to(c, j->channels_text);
    fprintf(c->text, "%s%zu", j->has_channels_line ? "" : " CHANNELS ", c->count - first);
    for (size_t i = first; i < c->count; i++) {
        fputc(' ', c->text);
        fwrite(c->names[i].begin, 1, c->names[i].size, c->text);
    }
    fputs(j->has_channels_line ? "" : c->from->line_end, c->text);
}

static void put_offset(changer *c, text_span part, const double old[3], const double new[3]) {
    if (old[0] == new[0] && old[1] == new[1] && old[2] == new[2])
        return;
    copy_up_to(c, part);
    bvh_put_offset(c->text, new);
}

static void put_site(changer *c, const bvh_site *site) {
    const double offset[3] = {site->offset[0] * c->scale, site->offset[1] * c->scale,
                              site->offset[2] * c->scale};
    put_offset(c, site->offset_text, site->offset, offset);
}

static void put_name(changer *c, text_span old, pm_motion_name new) {
    if (old.size == new.size && memcmp(old.begin, new.text, new.size) == 0)
        return;
    copy_up_to(c, old);
    for (size_t i = 0; i < new.size; i++) {
        const char byte = new.text[i];
        fputc((unsigned char)byte < ' ' || byte == '{' || byte == '}' ? '_' : byte, c->text);
    }
    if (new.size == 0)
        fputc('_', c->text);
}

/* A part of the hierarchy that may change. */
typedef struct part {
    text_span text;
    size_t index;
    enum { JOINT_NAME, JOINT_OFFSET, JOINT_CHANNELS, SITE_OFFSET } kind;
} part;

static int compare_parts(const void *a, const void *b) {
    const char *x = ((const part *)a)->text.begin, *y = ((const part *)b)->text.begin;
    return x < y ? -1 : x > y;
}

static void put_part(changer *c, const part *p) {
    const bvh_joint *j = &c->from->joints[p->index];
    if (p->kind == JOINT_NAME)
        put_name(c, j->name, c->nodes[p->index].name);
    else if (p->kind == JOINT_CHANNELS)
        put_channels(c, p->index);
    else if (p->kind == JOINT_OFFSET)
        put_offset(c, j->offset_text, j->offset, c->nodes[p->index].position);
    else
        put_site(c, &c->from->sites[p->index]);
}

/* A joint without a name has no place for one that the motion gives it. Several OFFSET lines of a joint:
 * only the last one counts, and only it changes. */
static size_t find_parts(const bvh *from, part *parts) {
    size_t count = 0;
    for (size_t j = 0; j < from->joint_count; j++) {
        const bvh_joint *joint = &from->joints[j];
        if (joint->name.size > 0)
            parts[count++] = (part){joint->name, j, JOINT_NAME};
        if (joint->offset_text.size > 0)
            parts[count++] = (part){joint->offset_text, j, JOINT_OFFSET};
        parts[count++] = (part){joint->channels_text, j, JOINT_CHANNELS};
    }
    for (size_t s = 0; s < from->site_count; s++)
        if (from->sites[s].offset_text.size > 0)
            parts[count++] = (part){from->sites[s].offset_text, s, SITE_OFFSET};
    qsort(parts, count, sizeof *parts, compare_parts);
    return count;
}

static bool put_hierarchy(changer *c) {
    FREED part *parts = calloc(3 * c->from->joint_count + c->from->site_count, sizeof *parts);
    const size_t count = parts ? find_parts(c->from, parts) : 0;
    c->at = c->from->hierarchy;
    for (size_t i = 0; i < count; i++)
        put_part(c, &parts[i]);
    fwrite(c->at, 1, (size_t)(c->from->hierarchy + c->from->hierarchy_size - c->at), c->text);
    return parts && fputs("MOTION", c->text) != EOF;
}

static bool allocate(changer *c, const pose_plan *plan) {
    enum { ADDED = 6 }; /* channels of a joint, at most */
    const size_t joints = c->from->joint_count, most = c->from->channel_count + ADDED * joints;
    c->rotations = calloc(joints, sizeof *c->rotations);
    c->positions = calloc(joints, sizeof *c->positions);
    c->names = calloc(most, sizeof *c->names);
    c->same = calloc(most, sizeof *c->same);
    if (!c->rotations || !c->positions || !c->names || !c->same)
        return false;
    for (size_t i = 0; i < plan->rotation_count; i++)
        c->rotations[plan->rotations[i].joint] = &plan->rotations[i];
    for (size_t i = 0; i < plan->vector_count; i++)
        if (!plan->vectors[i].is_scale)
            c->positions[plan->vectors[i].joint] = &plan->vectors[i];
    return true;
}

pm_status bvh_form_change(const bvh *from, const motion_writing *writing, bvh_form *form,
                          pm_error *error) {
    changer c = {.writing = writing,
                 .nodes = writing->motion->content.nodes,
                 .from = from,
                 .scale = writing->motion->document ? 1 : writing->motion->form_scale};
    pose_plan plan;
    char *text = NULL;
    size_t size = 0;
    pm_status status = pose_plan_make(&plan, from, error);
    c.text = status == PM_OK && allocate(&c, &plan) ? os_text_begin(&text, &size) : NULL;
    bool good = c.text && put_hierarchy(&c);
    good = c.text && os_text_end(c.text, &text, &size) && good;
    pose_plan_release(&plan);
    MOTION_FREE(c.rotations, c.positions, c.names);
    form->same = c.same;
    if (status == PM_OK && good) {
        status = bvh_form_read(form, text, size, error);
    } else {
        free(text);
        status = status == PM_OK ? motion_refuse_memory(error) : status;
    }
    if (status == PM_OK)
        form->own->line_end = from->line_end;
    return status;
}
