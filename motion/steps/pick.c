/* SPDX-License-Identifier: MIT
 *
 * A motion of some of its joints. A joint hangs on the nearest of its ancestors that is kept; those
 * between are multiplied into it, frame by frame, so that it stays where it was in the world.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/model/compose.h"
#include "motion/model/evaluate.h"
#include "motion/model/mover.h"
#include "motion/model/names.h"
#include "motion/model/similarity.h"
#include "motion/steps/edit.h"
#include "motion/steps/steps.h"

typedef struct picking {
    const pm_motion_content *from;
    motion_arena *arena;
    bool *is_kept;
    int32_t *place;  /* of each node in the result */
    uint32_t *nodes; /* of the result */
    size_t count;
    bool *is_between; /* a dropped node above one that is kept */
} picking;

/* ---- joints -------------------------------------------------------------------------------- */

static pm_status choose(picking *p, const pm_motion_edit_options *o, pm_error *error) {
    motion_names names;
    uint32_t node;
    pm_status status = motion_names_make(&names, p->from) ? PM_OK : motion_refuse_memory(error);
    for (size_t i = 0; status == PM_OK && i < o->joint_count; i++) {
        status = motion_names_require(&names, o->joints[i], &node, error);
        if (status == PM_OK)
            p->is_kept[node] = true;
    }
    motion_names_release(&names);
    for (uint32_t n = 0; n < p->from->node_count; n++)
        if (p->is_kept[n]) {
            p->place[n] = (int32_t)p->count;
            p->nodes[p->count++] = n;
        }
    return status;
}

/* The nearest ancestor that is kept; -1: none. */
static int32_t kept_above(const picking *p, uint32_t node) {
    int32_t at = p->from->nodes[node].parent;
    while (at >= 0 && !p->is_kept[at])
        at = p->from->nodes[at].parent;
    return at;
}

static bool is_chained(const picking *p, uint32_t node) {
    const int32_t parent = p->from->nodes[node].parent;
    return parent >= 0 && !p->is_kept[parent];
}

/* The rest poses of dropped joints must be similarities. */
static pm_status check_between(picking *p, pm_error *error) {
    char shown[MOTION_PRINTABLE];
    for (size_t i = 0; i < p->count; i++)
        for (int32_t n = p->from->nodes[p->nodes[i]].parent; n >= 0 && !p->is_kept[n];
             n = p->from->nodes[n].parent) {
            const pm_motion_node *node = &p->from->nodes[n];
            const double *s = node->scale;
            if (!(s[0] > 0) || fabs(s[1] - s[0]) > 1e-6 * s[0] || fabs(s[2] - s[0]) > 1e-6 * s[0])
                return motion_refuse(error,
                                     "'%s', which is left out, has a scale that is not uniform",
                                     motion_joint_name(shown, node->name, n));
            p->is_between[n] = true;
        }
    return PM_OK;
}

/* Where a bone ends whose children are left out: at the first of them. */
static void find_tails(const picking *p, pm_motion_node *nodes) {
    for (size_t i = 0; i < p->count; i++)
        for (size_t c = 0; c < p->from->node_count; c++) {
            const pm_motion_node *child = &p->from->nodes[c];
            if (child->parent != (int32_t)p->nodes[i])
                continue;
            nodes[i].has_tail = !p->is_kept[c];
            memcpy(nodes[i].tail, child->position, sizeof nodes[i].tail);
            break;
        }
}

static bool make_nodes(const picking *p, pm_motion *to) {
    pm_motion_node *nodes = motion_allocate(p->arena, p->count, sizeof *nodes);
    for (size_t i = 0; nodes && i < p->count; i++) {
        const pm_motion_node *own = &p->from->nodes[p->nodes[i]];
        const int32_t above = kept_above(p, p->nodes[i]);
        similarity chain = evaluate_rest(own);
        nodes[i] = *own;
        nodes[i].parent = above >= 0 ? p->place[above] : -1;
        if (!is_chained(p, p->nodes[i]))
            continue;
        for (int32_t n = own->parent; n != above; n = p->from->nodes[n].parent) {
            const similarity rest = evaluate_rest(&p->from->nodes[n]);
            chain = similarity_product(&rest, &chain);
        }
        memcpy(nodes[i].position, chain.p, sizeof chain.p);
        memcpy(nodes[i].rotation, chain.q, sizeof chain.q);
        for (int k = 0; k < 3; k++)
            nodes[i].scale[k] = own->scale[0] > 0 ? own->scale[k] * chain.s / own->scale[0] : 0;
    }
    if (nodes)
        find_tails(p, nodes);
    to->content.nodes = nodes;
    to->content.node_count = p->count;
    to->content.skins = NULL; /* their meshes are bound to all of their joints */
    to->content.skin_count = 0;
    return nodes != NULL;
}

/* ---- clips --------------------------------------------------------------------------------- */

typedef struct clip_picking {
    const picking *p;
    const pm_motion_clip *clip;
    const pm_motion_channel **of; /* (nodes, 2): rotation and translation; NULL: at rest */
    motion_frames frames;
    pm_motion_channel *channels;
    uint32_t *map; /* of each, that of the source; those that are multiplied have none */
    size_t count;
} clip_picking;

static pm_status find_channels(clip_picking *c, bool *moves, pm_error *error) {
    for (size_t i = 0; i < c->clip->channel_count; i++) {
        const pm_motion_channel *channel = &c->clip->channels[i];
        const int32_t node = channel->node;
        if (node < 0 || channel->path > PM_MOTION_SCALE)
            continue;
        const bool counts =
            c->p->is_between[node] || (c->p->is_kept[node] && is_chained(c->p, (uint32_t)node));
        if (!counts)
            continue;
        if (channel->path == PM_MOTION_SCALE && c->p->is_between[node] &&
            !motion_is_constant(channel, &c->clip->timelines[channel->timeline]))
            return motion_refuse(error, "a joint that is left out has a scale that changes");
        if (channel->path != PM_MOTION_SCALE) {
            c->of[2 * (size_t)node + channel->path] = channel;
            *moves = true;
            if (channel->interpolation == PM_MOTION_CUBICSPLINE)
                return motion_refuse(error,
                                     "has cubic splines at a joint that is left out or hangs on "
                                     "one; resample it first");
        }
    }
    return PM_OK;
}

static similarity local_at(const clip_picking *c, int32_t node, size_t frame) {
    similarity r = evaluate_rest(&c->p->from->nodes[node]);
    for (int path = 0; path < 2; path++) {
        const pm_motion_channel *channel = c->of[2 * (size_t)node + (size_t)path];
        for (uint32_t i = 0; channel && i < channel->components; i++)
            (path ? r.p : r.q)[i] =
                evaluate_number(&channel->keys, channel->components,
                                motion_frame_key(&c->frames, c->clip, channel, frame), i);
    }
    evaluate_normalise(r.q);
    return r;
}

/* Rotation and translation of a joint that hangs on dropped ones. */
static bool add_chained(clip_picking *c, uint32_t node) {
    const pm_motion_node *nodes = c->p->from->nodes;
    const int32_t above = kept_above(c->p, node);
    const size_t frames = c->frames.count;
    double *q = motion_allocate(c->p->arena, frames, 4 * sizeof *q);
    double *t = motion_allocate(c->p->arena, frames, 3 * sizeof *t);
    if (!q || !t)
        return false;
    for (size_t f = 0; f < frames; f++) {
        similarity chain = local_at(c, (int32_t)node, f);
        for (int32_t n = nodes[node].parent; n != above; n = nodes[n].parent) {
            const similarity own = local_at(c, n, f);
            chain = similarity_product(&own, &chain);
        }
        memcpy(q + 4 * f, chain.q, sizeof chain.q);
        memcpy(t + 3 * f, chain.p, sizeof chain.p);
    }
    const pm_motion_channel both = {.node = c->p->place[node],
                                    .timeline = (uint32_t)(c->frames.timeline - c->clip->timelines),
                                    .name = {"", 0}};
    for (int path = 0; path < 2; path++) {
        c->map[c->count] = PM_NO_INDEX32;
        pm_motion_channel *to = &c->channels[c->count++];
        *to = both;
        to->path = path ? PM_MOTION_POSITION : PM_MOTION_ROTATION;
        to->components = path ? 3 : 4;
        to->keys = (pm_array){.data = path ? t : q, .type = PM_FLOAT64};
    }
    return true;
}

/* Channels of other joints stay as they are. Scales of chained ones take that of the chain. */
static bool add_kept(clip_picking *c) {
    bool good = true;
    for (size_t i = 0; good && i < c->clip->channel_count; i++) {
        const pm_motion_channel *own = &c->clip->channels[i];
        const pm_timeline *timeline = &c->clip->timelines[own->timeline];
        if (own->node >= 0 && !c->p->is_kept[own->node])
            continue;
        const bool chained = own->node >= 0 && is_chained(c->p, (uint32_t)own->node);
        if (chained && own->path <= PM_MOTION_POSITION && c->frames.count > 0)
            continue;
        const bool scales = chained && own->path == PM_MOTION_SCALE;
        c->map[c->count] = scales ? PM_NO_INDEX32 : (uint32_t)i;
        pm_motion_channel *to = &c->channels[c->count++];
        *to = *own;
        to->node = own->node >= 0 ? c->p->place[own->node] : -1;
        if (!scales)
            continue;
        good = motion_own_keys(c->p->arena, to, timeline);
        double by = 1;
        for (int32_t n = c->p->from->nodes[own->node].parent; n >= 0 && !c->p->is_kept[n];
             n = c->p->from->nodes[n].parent)
            by *= c->p->from->nodes[n].scale[0];
        for (size_t k = 0; good && k < 3 * timeline->key_count; k++)
            motion_own_values(&to->keys)[k] *= by;
    }
    return good;
}

static bool make_channels(clip_picking *c, pm_motion_clip *to) {
    const size_t most = c->clip->channel_count + 2 * c->p->count;
    bool good = true;
    c->channels = motion_allocate(c->p->arena, most, sizeof *c->channels);
    c->map = motion_allocate(c->p->arena, most, sizeof *c->map);
    if (!c->channels || !c->map)
        return false;
    for (size_t i = 0; good && i < c->p->count; i++)
        if (c->frames.count > 0 && is_chained(c->p, c->p->nodes[i]))
            good = add_chained(c, c->p->nodes[i]);
    good = good && add_kept(c);
    to->channels = c->channels;
    to->channel_count = c->count;
    return good;
}

static pm_status pick_clip(const picking *p, const pm_motion *from, pm_motion *made, size_t clip,
                           pm_error *error) {
    clip_picking c = {.p = p, .clip = &from->content.clips[clip]};
    pm_motion_clip *to = (pm_motion_clip *)(uintptr_t)&made->content.clips[clip];
    bool moves = false;
    c.of = calloc(2 * p->from->node_count + 1, sizeof *c.of);
    pm_status status = c.of ? find_channels(&c, &moves, error) : motion_refuse_memory(error);
    if (status == PM_OK && moves)
        status = motion_find_frames(c.clip, "a joint that hangs on others that are left out", false,
                                    &c.frames, error);
    if (status == PM_OK && (!make_channels(&c, to) ||
                            !motion_add_rows(made, clip,
                                             &(motion_run){.count = motion_count_rows(c.clip),
                                                           .source = from,
                                                           .clip = clip,
                                                           .channels = c.map})))
        status = motion_refuse_memory(error);
    free(c.of);
    return status;
}

/* ---- names --------------------------------------------------------------------------------- */

/* A new name is one that no other joint has then. */
static pm_status check_new_names(const pm_motion_content *content, const uint32_t *renamed,
                                 size_t count, pm_error *error) {
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < content->node_count; k++) {
            const pm_motion_name *own = &content->nodes[renamed[i]].name;
            const pm_motion_name *other = &content->nodes[k].name;
            if (k != renamed[i] && own->size == other->size &&
                memcmp(own->text, other->text, own->size) == 0)
                return motion_refuse(error, "joints %u and %u would both be named '%s'", renamed[i],
                                     k, MOTION_SHOWN(own->text, own->size));
        }
    return PM_OK;
}

static pm_status rename_joints(const pm_motion_edit_options *o, pm_motion *to, pm_error *error) {
    pm_motion_node *nodes = motion_own_nodes(to);
    motion_names names;
    pm_status status =
        motion_names_make(&names, &to->content) ? PM_OK : motion_refuse_memory(error);
    uint32_t *found = motion_allocate(&to->arena, o->rename_count, sizeof *found);
    if (!found || !nodes)
        status = motion_refuse_memory(error);
    for (size_t i = 0; status == PM_OK && i < o->rename_count; i++)
        status = motion_names_require(&names, o->renames[2 * i], &found[i], error);
    motion_names_release(&names);
    for (size_t i = 0; status == PM_OK && i < o->rename_count; i++) {
        const char *new = o->renames[2 * i + 1];
        nodes[found[i]].name = motion_copy_name(&to->arena, (pm_motion_name){new, strlen(new)});
        if (!nodes[found[i]].name.text)
            status = motion_refuse_memory(error);
    }
    return status == PM_OK ? check_new_names(&to->content, found, o->rename_count, error) : status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static pm_status make(const pm_motion *from, const pm_motion_edit_options *o, pm_motion *to,
                      pm_error *error) {
    const size_t count = from->content.node_count;
    picking p = {.from = &from->content,
                 .arena = &to->arena,
                 .is_kept = motion_allocate(&to->arena, count, sizeof *p.is_kept),
                 .place = motion_allocate(&to->arena, count, sizeof *p.place),
                 .nodes = motion_allocate(&to->arena, count, sizeof *p.nodes),
                 .is_between = motion_allocate(&to->arena, count, sizeof *p.is_between)};
    MOTION_TRY_MEMORY(p.is_kept && p.place && p.nodes && p.is_between, error);
    pm_status status = choose(&p, o, error);
    if (status == PM_OK)
        status = check_between(&p, error);
    if (status == PM_OK && !make_nodes(&p, to))
        status = motion_refuse_memory(error);
    for (size_t i = 0; status == PM_OK && i < from->content.clip_count; i++)
        status = pick_clip(&p, from, to, i, error);
    to->form = NULL;
    return status;
}

pm_status edit_pick(const pm_motion *from, const pm_motion_edit_options *o, pm_motion **picked,
                    pm_error *error) {
    pm_motion_clip *clips = NULL;
    MOTION_TRY(motion_check_nodes(&from->content, "choosing and renaming joints", error));
    SCOPED(pm_motion_destroy) pm_motion *to = made_begin(from, &clips);
    MOTION_TRY_MEMORY(to, error);
    if (o->joint_count > 0)
        MOTION_TRY(make(from, o, to, error));
    for (size_t i = 0; o->joint_count == 0 && i < from->content.clip_count; i++)
        MOTION_TRY_MEMORY(motion_keep_rows(to, i, from, false), error);
    if (o->rename_count > 0)
        MOTION_TRY(rename_joints(o, to, error));
    return made_end(&to, picked, error);
}

/* ---- the step ------------------------------------------------------------------------------- */

static bool is_asked(const pm_motion_batch_task *task) {
    return task->edit && (task->edit->joint_count > 0 || task->edit->rename_count > 0);
}

static pm_status make_step(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                           pm_error *error) {
    const pm_motion_edit_options *o = task->edit;
    return pm_motion_edit(w->motion,
                          o ? &(pm_motion_edit_options){.joints = o->joints,
                                                        .joint_count = o->joint_count,
                                                        .renames = o->renames,
                                                        .rename_count = o->rename_count}
                            : NULL,
                          made, error);
}

const task_step step_pick = {"pick",           "edit",   "joints rename",
                             STEP_KEEPS_TIMES, is_asked, make_step};
