/* SPDX-License-Identifier: MIT
 *
 * A figure stands along an axis if its head is above its first joint there or, without a head, if it
 * reaches further there. The lowest joint tells standing from lying: it stays on the ground along the
 * axis that points up. A camera or a floor beside what skins bind is no part of the figure.
 */
#include "motion/model/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/model/model.h"
#include "motion/model/pose.h"
#include "motion/model/sides.h"

enum { LEAST_JOINTS = 5, POSES = 32 };

/* Cosine of the widest angle between an axis and a figure that stands along it, and how much further it
 * reaches there than along another one. */
static const double upright = 0.7, further = 1.5;

/* A lowest joint that moves by less than this part of how it moves along another axis stays. */
static const double still = 0.5;

/* Where hips are between feet and head. */
static const double least_hips = 0.2, most_hips = 0.8;

/* ---- places -------------------------------------------------------------------------------- */

/* Of nodes in the world. */
typedef struct box {
    double low[3], high[3];
} box;

static const box empty_box = {{(double)INFINITY, (double)INFINITY, (double)INFINITY},
                              {-(double)INFINITY, -(double)INFINITY, -(double)INFINITY}};

static void add_place(box *b, const double place[3]) {
    for (size_t i = 0; i < 3; i++) {
        b->low[i] = fmin(b->low[i], place[i]);
        b->high[i] = fmax(b->high[i], place[i]);
    }
}

static void add_node(box *b, const pm_motion_node *node, const similarity *world) {
    const similarity tail = {.q = {0, 0, 0, 1}, .p = {node->tail[0], node->tail[1], node->tail[2]}};
    const similarity end = similarity_product(world, &tail);
    add_place(b, world->p);
    if (node->has_tail)
        add_place(b, end.p);
}

/* Nodes that are placed. */
typedef struct placing {
    const pm_motion_content *content;
    motion_arena arena;
    uint32_t *order;
    similarity *world;
} placing;

/* False: memory is exhausted. Release it in any case. */
static bool begin(placing *p, const pm_motion_content *content) {
    *p = (placing){.content = content};
    p->order = motion_allocate(&p->arena, content->node_count, sizeof *p->order);
    p->world = motion_allocate(&p->arena, content->node_count, sizeof *p->world);
    return p->order && p->world && pose_order(content, p->order);
}

/* Of the channels of a clip, those whose keys are in memory; of NULL none. NULL: memory is exhausted. */
static node_channels *find_keys(placing *p, const pm_motion_clip *clip) {
    static const pm_motion_clip none;
    const size_t count = p->content->node_count;
    node_channels *found = pose_find_channels(&p->arena, clip ? clip : &none, count);
    for (size_t n = 0; found && n < count; n++)
        for (size_t path = 0; path < 3; path++) {
            const pm_motion_channel **channel = &found[n].of[path];
            if (*channel &&
                (!(*channel)->keys.data || clip->timelines[(*channel)->timeline].key_count == 0))
                *channel = NULL;
        }
    return found;
}

static void place(placing *p, const node_channels *channels, const pm_motion_clip *clip,
                  double time) {
    for (size_t i = 0; i < p->content->node_count; i++) {
        const uint32_t n = p->order[i];
        const pm_motion_node *node = &p->content->nodes[n];
        p->world[n] = pose_local(node, &channels[n], clip, time);
        if (node->parent >= 0)
            p->world[n] = similarity_product(&p->world[node->parent], &p->world[n]);
    }
}

/* ---- size ---------------------------------------------------------------------------------- */

static double longest_of(const box *b) {
    double longest = 0;
    for (size_t i = 0; i < 3; i++)
        longest = fmax(longest, b->high[i] - b->low[i]);
    return isfinite(longest) ? longest : 0;
}

static box box_of_figure(const placing *p) {
    const pm_motion_content *content = p->content;
    box b = empty_box;
    for (size_t s = 0; s < content->skin_count; s++)
        for (size_t j = 0; j < content->skins[s].joint_count; j++) {
            const uint32_t n = content->skins[s].joints[j];
            add_node(&b, &content->nodes[n], &p->world[n]);
        }
    for (size_t n = 0; content->skin_count == 0 && n < content->node_count; n++)
        add_node(&b, &content->nodes[n], &p->world[n]);
    return b;
}

/* At the beginning of a clip; of NULL in the rest pose. */
static pm_status size_at(const pm_motion_content *content, const pm_motion_clip *clip, double *size,
                         pm_error *error) {
    placing p;
    const node_channels *channels = begin(&p, content) ? find_keys(&p, clip) : NULL;
    if (channels) {
        place(&p, channels, clip, -(double)INFINITY);
        const box b = box_of_figure(&p);
        *size = longest_of(&b);
    }
    motion_arena_release(&p.arena);
    return channels ? PM_OK : motion_refuse_memory(error);
}

static bool has_positions(const pm_motion_clip *clip) {
    for (size_t c = 0; c < clip->channel_count; c++)
        if (clip->channels[c].node >= 0 && clip->channels[c].path == PM_MOTION_POSITION)
            return true;
    return false;
}

pm_status motion_find_size(const pm_motion_content *content, double *size, pm_error *error) {
    *size = 0;
    if (content->node_count == 0)
        return PM_OK;
    MOTION_TRY(size_at(content, NULL, size, error));
    for (size_t i = 0; *size == 0 && i < content->clip_count; i++)
        if (has_positions(&content->clips[i]))
            return size_at(content, &content->clips[i], size, error);
    return PM_OK;
}

double motion_figure_size(const pm_motion_content *content) {
    double size = 0;
    return motion_find_size(content, &size, NULL) == PM_OK ? size : 0;
}

/* ---- the rest pose ------------------------------------------------------------------------- */

/* Marks a node and all above it. */
static void mark_above(const pm_motion_node *nodes, uint32_t node, uint32_t *marks) {
    for (int32_t n = (int32_t)node; n >= 0; n = nodes[n].parent)
        marks[n]++;
}

/* The lowest node that head and feet hang on: the hips. False: there is none, or none of them. */
static bool find_hips(const placing *p, uint32_t *marks, uint32_t *head, uint32_t *hips,
                      double feet[3]) {
    const pm_motion_node *nodes = p->content->nodes;
    uint32_t ends = 0;
    bool has_head = false;
    memset(feet, 0, 3 * sizeof *feet);
    for (uint32_t n = 0; n < p->content->node_count; n++) {
        const bool is_first_head = !has_head && sides_has_role(nodes[n].name, SIDES_HEAD);
        const bool is_part_of_foot = sides_has_role(nodes[n].name, SIDES_FOOT);
        if (!is_first_head && !is_part_of_foot)
            continue;
        mark_above(nodes, n, marks);
        ends++;
        *head = is_first_head ? n : *head;
        has_head = has_head || is_first_head;
        for (size_t i = 0; i < 3 && is_part_of_foot; i++)
            feet[i] += p->world[n].p[i];
    }
    for (size_t i = 0; i < 3; i++)
        feet[i] /= ends - has_head;
    int32_t at = has_head && ends > 1 ? (int32_t)*head : -1;
    while (at >= 0 && marks[at] < ends)
        at = nodes[at].parent;
    *hips = at >= 0 ? (uint32_t)at : 0;
    return at >= 0;
}

/* What hangs on the hips, from end to end. Parents come before their children in the order. */
static double height_of(const placing *p, uint32_t hips, int axis, bool *hangs) {
    box b = empty_box;
    for (size_t i = 0; i < p->content->node_count; i++) {
        const uint32_t n = p->order[i];
        const pm_motion_node *node = &p->content->nodes[n];
        hangs[n] = n == hips || (node->parent >= 0 && hangs[node->parent]);
        if (hangs[n])
            add_node(&b, node, &p->world[n]);
    }
    return b.high[axis] - b.low[axis];
}

static void look_at_rest(const placing *p, uint32_t *marks, bool *hangs, motion_figure *f) {
    uint32_t head = 0, hips = 0;
    double feet[3], to_head[3];
    if (!find_hips(p, marks, &head, &hips, feet))
        return;
    for (size_t i = 0; i < 3; i++)
        to_head[i] = p->world[head].p[i] - feet[i];
    for (int i = 0; i < 3; i++) {
        const double along = (p->world[hips].p[i] - feet[i]) / to_head[i];
        if (to_head[i] <= upright * vector_length(to_head) || along < least_hips ||
            along > most_hips)
            continue;
        f->rest_axis = i;
        f->rest_height = height_of(p, hips, i, hangs);
        f->stands_at_rest = isfinite(f->rest_height) && f->rest_height > 0;
    }
}

/* ---- poses --------------------------------------------------------------------------------- */

/* Of a pose: how far joints reach, the lowest place, and the direction to the head, of length 1. */
typedef struct pose_measures {
    double extent[3], low[3], head[3];
} pose_measures;

typedef struct measuring {
    placing p;
    uint32_t *joints; /* that turn */
    size_t count;
    size_t head; /* among them; `count`: none */
    pose_measures poses[POSES];
    size_t pose_count;
} measuring;

static void find_joints(measuring *m, const node_channels *channels) {
    const pm_motion_content *content = m->p.content;
    for (size_t n = 0; n < content->node_count; n++)
        if (channels[n].of[PM_MOTION_ROTATION])
            m->joints[m->count++] = (uint32_t)n;
    m->head = m->count;
    for (size_t i = m->count; i > 0; i--)
        m->head =
            sides_has_role(content->nodes[m->joints[i - 1]].name, SIDES_HEAD) ? i - 1 : m->head;
}

static bool measure_pose(const measuring *m, pose_measures *found) {
    const similarity *world = m->p.world;
    double length = 0;
    box b = empty_box;
    for (size_t j = 0; j < m->count; j++)
        add_place(&b, world[m->joints[j]].p);
    for (size_t i = 0; i < 3; i++) {
        found->extent[i] = b.high[i] - b.low[i];
        found->low[i] = b.low[i];
        found->head[i] =
            m->head < m->count ? world[m->joints[m->head]].p[i] - world[m->joints[0]].p[i] : 0;
        length += found->head[i] * found->head[i];
    }
    for (size_t i = 0; i < 3 && length > 0; i++)
        found->head[i] /= sqrt(length);
    return isfinite(found->extent[0] + found->extent[1] + found->extent[2] + length);
}

/* At even distances, no more than keys. */
static void measure_poses(measuring *m, const node_channels *channels, const pm_motion_clip *clip) {
    double first = (double)INFINITY, last = -(double)INFINITY;
    size_t keys = 0;
    for (size_t t = 0; t < clip->timeline_count; t++) {
        const pm_timeline *timeline = &clip->timelines[t];
        if (timeline->key_count == 0)
            continue;
        first = fmin(first, evaluate_key_time(timeline, 0));
        last = fmax(last, evaluate_key_time(timeline, timeline->key_count - 1));
        keys = timeline->key_count > keys ? timeline->key_count : keys;
    }
    const size_t count = keys < POSES ? keys : POSES;
    for (size_t i = 0; i < count; i++) {
        const double part = count > 1 ? (double)i / (double)(count - 1) : 0;
        place(&m->p, channels, clip, first + part * (last - first));
        if (measure_pose(m, &m->poses[m->pose_count]))
            m->pose_count++;
    }
}

static int compare_numbers(const void *x, const void *y) {
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The number that a part of them do not exceed, of the field at `offset` of each pose. */
static double quantile(const measuring *m, size_t offset, double part) {
    double sorted[POSES];
    for (size_t i = 0; i < m->pose_count; i++)
        memcpy(&sorted[i], (const char *)&m->poses[i] + offset, sizeof sorted[i]);
    qsort(sorted, m->pose_count, sizeof *sorted, compare_numbers);
    return sorted[(size_t)(part * (double)(m->pose_count - 1) + 0.5)];
}

static double extent_of(const measuring *m, size_t axis, double part) {
    return quantile(m, offsetof(pose_measures, extent) + axis * sizeof(double), part);
}

/* How much the lowest joint moves along an axis. */
static double unrest_of(const measuring *m, size_t axis) {
    const size_t offset = offsetof(pose_measures, low) + axis * sizeof(double);
    return quantile(m, offset, 0.75) - quantile(m, offset, 0.25);
}

static bool stands_along(const measuring *m, const motion_figure *f, size_t axis, size_t other) {
    const size_t head = offsetof(pose_measures, head) + axis * sizeof(double);
    return m->head < m->count ? quantile(m, head, 0.5) > upright
                              : f->extent[axis] > further * f->extent[other];
}

/* The axis along which the figure stands or, if it does not, along which the lowest joint stays. 0: none. */
static size_t guess_up(const measuring *m, const motion_figure *f) {
    const size_t y = PM_MOTION_UP_Y, z = PM_MOTION_UP_Z;
    const bool stays_y = unrest_of(m, y) < still * unrest_of(m, z);
    const bool stays_z = unrest_of(m, z) < still * unrest_of(m, y);
    return stands_along(m, f, z, y)   ? stays_y ? y : z
           : stands_along(m, f, y, z) ? y
           : stays_y                  ? y
           : stays_z                  ? z
                                      : 0;
}

static void choose_up(const measuring *m, motion_figure *f) {
    const size_t usual = f->up != PM_MOTION_UP_FOUND ? (size_t)f->up : guess_up(m, f);
    const size_t other = usual == PM_MOTION_UP_Y ? PM_MOTION_UP_Z : PM_MOTION_UP_Y;
    if (usual == 0)
        return;
    const bool stands = stands_along(m, f, other, usual);
    const bool lies = unrest_of(m, usual) < still * unrest_of(m, other);
    f->up = (pm_motion_up)(stands && !lies ? other : usual);
    f->is_doubtful = stands && lies && f->extent[other] > 2.5 * f->extent[usual];
}

static void look_at_poses(measuring *m, const node_channels *channels, const pm_motion_clip *clip,
                          motion_figure *f) {
    find_joints(m, channels);
    if (m->count >= LEAST_JOINTS)
        measure_poses(m, channels, clip);
    if (m->pose_count == 0)
        return;
    for (size_t i = 0; i < 3; i++)
        f->extent[i] = extent_of(m, i, 0.5);
    f->is_posed = f->extent[0] + f->extent[1] + f->extent[2] > 0;
    choose_up(m, f);
    f->height = f->up != PM_MOTION_UP_FOUND ? extent_of(m, (size_t)f->up, 1) : 0;
}

/* ---- the figure ---------------------------------------------------------------------------- */

/* By the rest pose alone. A few joints along z are rather an arm than a figure. */
static pm_motion_up up_at_rest(const placing *p, const motion_figure *f) {
    const box b = box_of_figure(p);
    const double y = b.high[1] - b.low[1], z = b.high[2] - b.low[2];
    if (f->stands_at_rest)
        return f->rest_axis == 0 ? PM_MOTION_UP_FOUND : (pm_motion_up)f->rest_axis;
    return y > further * z                                             ? PM_MOTION_UP_Y
           : z > further * y && p->content->node_count >= LEAST_JOINTS ? PM_MOTION_UP_Z
                                                                       : PM_MOTION_UP_FOUND;
}

pm_status motion_measure_figure(const pm_motion_content *content, const pm_motion_clip *clip,
                                pm_motion_up given, motion_figure *f, pm_error *error) {
    measuring m = {.count = 0};
    const size_t count = content->node_count;
    bool good = begin(&m.p, content);
    m.joints = motion_allocate(&m.p.arena, count, sizeof *m.joints);
    uint32_t *marks = motion_allocate(&m.p.arena, count, sizeof *marks);
    bool *hangs = motion_allocate(&m.p.arena, count, sizeof *hangs);
    const node_channels *channels = good ? find_keys(&m.p, clip) : NULL;
    const node_channels *rest = channels && clip ? find_keys(&m.p, NULL) : channels;
    *f = (motion_figure){.up = given};
    good = rest && m.joints && marks && hangs;
    if (good) {
        place(&m.p, rest, NULL, 0);
        look_at_rest(&m.p, marks, hangs, f);
        const pm_motion_up found = up_at_rest(&m.p, f);
        f->up = given != PM_MOTION_UP_FOUND ? given : f->stands_at_rest ? found : given;
        if (clip)
            look_at_poses(&m, channels, clip, f);
        f->up = f->up != PM_MOTION_UP_FOUND ? f->up : found;
    }
    motion_arena_release(&m.p.arena);
    return good ? PM_OK : motion_refuse_memory(error);
}
