/* SPDX-License-Identifier: MIT
 *
 * A clip whose root moves. At the key times of all channels from the root of the file to the joint,
 * the motion of the joint from its rest pose is divided: turns about the axis that points up and
 * shifts along the chosen axes are the root's, and what is left is the joint's. Other nodes below
 * the root are kept in their places in the same way.
 */
#include "host/base/elementary.h"
#include "motion/steps/root.h"

#include <math.h>
#include <string.h>

#include "motion/model/evaluate.h"
#include "motion/model/made.h"
#include "motion/model/mover.h"
#include "motion/model/names.h"
#include "motion/model/pose.h"

/* Nearer to half a turn about a horizontal axis, a rotation has no heading. */
static const double least_heading = 1e-6;

typedef struct clip_maker {
    root_plan *plan;
    const pm_motion_clip *from;
    node_channels *nodes;
    const pm_motion_channel **moving; /* channels whose times are those of the result */
    size_t moving_count;
    bool has_steps, has_lines;
    similarity *chain;                /* in the world, at a time */
    double heading[4];                /* of the key before */
    const pm_motion_channel *root[2]; /* of the root in the result: rotation, translation */
    pm_timeline *timelines;
    size_t timeline_count;
    pm_motion_channel *channels;
    size_t channel_count;
} clip_maker;

static const pm_timeline *timeline_of(const clip_maker *m, const pm_motion_channel *channel) {
    return &m->from->timelines[channel->timeline];
}

/* ---- poses --------------------------------------------------------------------------------- */

static similarity local_at(const clip_maker *m, uint32_t node, double time) {
    return pose_local(&m->plan->from->nodes[node], &m->nodes[node], m->from, time);
}

static void find_chain(clip_maker *m, double time) {
    similarity parent = similarity_identity;
    for (size_t i = 0; i < m->plan->chain_count; i++) {
        const similarity local = local_at(m, m->plan->chain[i], time);
        parent = m->chain[i] = similarity_product(&parent, &local);
    }
}

/* The part of a turn that is about the axis that points up. */
static void find_heading(clip_maker *m, const double turn[4]) {
    const int up = m->plan->up;
    const double length = pm_same_hypot(turn[up], turn[3]);
    if (m->plan->keeps_heading || length < least_heading)
        return;
    memset(m->heading, 0, sizeof m->heading);
    m->heading[up] = turn[up] / length;
    m->heading[3] = turn[3] / length;
}

/* The motion in the world that the root receives, at the time of the chain. */
static similarity extracted(clip_maker *m) {
    const root_plan *plan = m->plan;
    const similarity *now = &m->chain[plan->chain_count - 1];
    const double back[4] = {-plan->rest.q[0], -plan->rest.q[1], -plan->rest.q[2], plan->rest.q[3]};
    similarity g = similarity_identity;
    double turn[4], rest[3];
    quat_multiply(now->q, back, turn);
    find_heading(m, turn);
    memcpy(g.q, m->heading, sizeof g.q);
    quat_rotate(g.q, plan->rest.p, rest);
    for (int i = 0; i < 3; i++)
        g.p[i] = plan->axes[i] ? now->p[i] - rest[i] : 0;
    return g;
}

/* The new pose of the root in the world. It keeps its scale. */
static similarity root_from(const clip_maker *m, const similarity *g) {
    const root_plan *plan = m->plan;
    if (plan->adds)
        return *g;
    similarity root = similarity_product(g, &plan->root_rest);
    root.s = m->chain[plan->root].s;
    return root;
}

/* Relative to its parent, which has not changed. */
static similarity root_local(const clip_maker *m, const similarity *root) {
    const root_plan *plan = m->plan;
    if (plan->adds || plan->root == 0)
        return *root;
    const similarity back = similarity_inverse(&m->chain[plan->root - 1]);
    return similarity_product(&back, root);
}

/* What brings a node below a parent from where the root has taken it to its place. */
static similarity correction(const clip_maker *m, const similarity *root, size_t parent) {
    const root_plan *plan = m->plan;
    const similarity *old = plan->adds ? &similarity_identity : &m->chain[plan->root];
    const similarity *at = parent == ROOT_ADDED ? &similarity_identity : &m->chain[parent];
    const similarity old_back = similarity_inverse(old);
    const similarity below = similarity_product(&old_back, at);
    const similarity moved = similarity_product(root, &below);
    const similarity back = similarity_inverse(&moved);
    return similarity_product(&back, at);
}

/* ---- times --------------------------------------------------------------------------------- */

static pm_status refuse_channel(const clip_maker *m, uint32_t node, const char *why,
                                pm_error *error) {
    char clip[MOTION_PRINTABLE], shown[MOTION_PRINTABLE];
    const pm_motion_name name = m->plan->from->nodes[node].name;
    motion_report(error, PM_ERROR_ARGUMENT, "clip '%s': '%s' %s",
                  motion_printable(clip, m->from->name.text, m->from->name.size),
                  motion_joint_name(shown, name, node), why);
    motion_hint(error, "resample the clip first");
    return PM_ERROR_ARGUMENT;
}

/* Steps are exact where nothing else moves. */
static pm_status add_moving(clip_maker *m, uint32_t node, pm_error *error) {
    for (size_t p = 0; p < 3; p++) {
        const pm_motion_channel *channel = m->nodes[node].of[p];
        if (!channel || motion_is_constant(channel, timeline_of(m, channel)))
            continue;
        if (channel->interpolation == PM_MOTION_CUBICSPLINE)
            return refuse_channel(m, node, "moves by cubic splines", error);
        m->has_steps = m->has_steps || channel->interpolation == PM_MOTION_STEP;
        m->has_lines = m->has_lines || channel->interpolation == PM_MOTION_LINEAR;
        m->moving[m->moving_count++] = channel;
        if (m->has_steps && m->has_lines)
            return refuse_channel(m, node,
                                  "or a node above it moves by steps, and another does not", error);
    }
    return PM_OK;
}

static bool has_times_of(const pm_timeline *all, const pm_timeline *some) {
    size_t at = 0;
    for (size_t k = 0; k < some->key_count; k++, at++) {
        const double time = evaluate_key_time(some, k);
        while (at < all->key_count && evaluate_key_time(all, at) < time)
            at++;
        if (at == all->key_count || evaluate_key_time(all, at) > time)
            return false;
    }
    return true;
}

/* A timeline with the key times of all channels. */
static bool unite(clip_maker *m, size_t key_count, size_t *index) {
    double *times = motion_allocate(m->plan->arena, key_count, sizeof *times);
    size_t count = 0;
    for (size_t i = 0; times && i < m->moving_count; i++)
        count += evaluate_key_times(timeline_of(m, m->moving[i]), times + count);
    if (!times)
        return false;
    *index = m->timeline_count;
    m->timelines[m->timeline_count++] =
        (pm_timeline){.key_count = evaluate_unite_times(times, count), .times = times};
    return true;
}

/* The timeline of the channels that move: one of the clip, if it has the times of all. */
static bool find_timeline(clip_maker *m, size_t *index) {
    size_t most = 0, total = 0;
    for (size_t i = 0; i < m->moving_count; i++) {
        const size_t keys = timeline_of(m, m->moving[i])->key_count;
        most = keys > timeline_of(m, m->moving[most])->key_count ? i : most;
        if (keys > SIZE_MAX - total)
            return false;
        total += keys;
    }
    *index = m->moving[most]->timeline;
    for (size_t i = 0; i < m->moving_count; i++)
        if (m->moving[i]->timeline != *index &&
            !has_times_of(timeline_of(m, m->moving[most]), timeline_of(m, m->moving[i])))
            return unite(m, total, index);
    return true;
}

/* ---- channels ------------------------------------------------------------------------------ */

/* The channel of a node in the result, with room for keys: replaced, or new. */
static pm_motion_channel *place_channel(clip_maker *m, uint32_t node, pm_motion_path path,
                                        size_t timeline, double **keys) {
    const uint32_t components = path == PM_MOTION_ROTATION ? 4 : 3;
    const size_t count = m->timelines[timeline].key_count;
    const pm_motion_channel *old =
        node < m->plan->from->node_count ? m->nodes[node].of[path] : NULL;
    pm_motion_channel *to =
        old ? &m->channels[old - m->from->channels] : &m->channels[m->channel_count++];
    *keys = motion_allocate(m->plan->arena, count, components * sizeof **keys);
    *to = (pm_motion_channel){.node = (int32_t)node,
                              .path = path,
                              .interpolation = m->has_steps ? PM_MOTION_STEP : PM_MOTION_LINEAR,
                              .components = components,
                              .timeline = (uint32_t)timeline,
                              .keys = {.data = *keys, .type = PM_FLOAT64},
                              .name = {"", 0}};
    return *keys ? to : NULL;
}

/* Writes a key, with the sign that is nearer to the key before. */
static void put_key(const similarity *pose, size_t key, double *rotations, double *positions) {
    double *q = rotations + 4 * key, dot = 0;
    for (size_t i = 0; key > 0 && i < 4; i++)
        dot += rotations[4 * (key - 1) + i] * pose->q[i];
    for (size_t i = 0; i < 4; i++)
        q[i] = dot < 0 ? -pose->q[i] : pose->q[i];
    memcpy(positions + 3 * key, pose->p, sizeof pose->p);
}

static void add_up(root_plan *plan, const similarity *a, const similarity *b) {
    double square = 0, dot = 0;
    for (int i = 0; i < 3; i++)
        square += (b->p[i] - a->p[i]) * (b->p[i] - a->p[i]);
    for (int i = 0; i < 4; i++)
        dot += a->q[i] * b->q[i];
    plan->distance += sqrt(square);
    plan->turn += 2 * pm_same_acos(fmin(fabs(dot), 1));
}

static bool move_root(clip_maker *m, size_t timeline) {
    double *rotations = NULL, *positions = NULL;
    similarity before = similarity_identity;
    m->root[0] = place_channel(m, m->plan->root_node, PM_MOTION_ROTATION, timeline, &rotations);
    m->root[1] = place_channel(m, m->plan->root_node, PM_MOTION_POSITION, timeline, &positions);
    if (!m->root[0] || !m->root[1])
        return false;
    memcpy(m->heading, similarity_identity.q, sizeof m->heading);
    for (size_t k = 0; k < m->timelines[timeline].key_count; k++) {
        find_chain(m, evaluate_key_time(&m->timelines[timeline], k));
        const similarity g = extracted(m), root = root_from(m, &g), local = root_local(m, &root);
        put_key(&local, k, rotations, positions);
        if (k > 0)
            add_up(m->plan, &before, &g);
        before = g;
    }
    return true;
}

/* The pose of the root in the world between its keys, as the result has it. */
static similarity moved_root(const clip_maker *m, double time) {
    similarity local = similarity_identity;
    for (size_t p = 0; p < 2; p++)
        evaluate_channel(m->root[p], &m->timelines[m->root[p]->timeline], time,
                         p == PM_MOTION_ROTATION ? local.q : local.p);
    if (m->plan->adds)
        return local;
    local.s = local_at(m, m->plan->chain[m->plan->root], time).s;
    return m->plan->root == 0 ? local : similarity_product(&m->chain[m->plan->root - 1], &local);
}

static bool keep_in_place(clip_maker *m, const root_kept *kept, size_t timeline) {
    double *rotations = NULL, *positions = NULL;
    if (!place_channel(m, kept->node, PM_MOTION_ROTATION, timeline, &rotations) ||
        !place_channel(m, kept->node, PM_MOTION_POSITION, timeline, &positions))
        return false;
    for (size_t k = 0; k < m->timelines[timeline].key_count; k++) {
        const double time = evaluate_key_time(&m->timelines[timeline], k);
        find_chain(m, time);
        const similarity root = moved_root(m, time);
        const similarity to = correction(m, &root, kept->parent);
        const similarity own = local_at(m, kept->node, time);
        const similarity local = similarity_product(&to, &own);
        put_key(&local, k, rotations, positions);
    }
    return true;
}

/* ---- the clip ------------------------------------------------------------------------------ */

static bool allocate(clip_maker *m, motion_arena *scratch) {
    const root_plan *plan = m->plan;
    const size_t room = 2 * (plan->kept_count + 1);
    m->nodes = pose_find_channels(scratch, m->from, plan->from->node_count);
    m->moving = motion_allocate(scratch, 3 * (plan->chain_count + 1), sizeof *m->moving);
    m->chain = motion_allocate(scratch, plan->chain_count, sizeof *m->chain);
    m->timelines = motion_allocate(plan->arena, m->from->timeline_count + plan->kept_count + 1,
                                   sizeof *m->timelines);
    m->channels = motion_allocate(plan->arena, m->from->channel_count + room, sizeof *m->channels);
    return m->nodes && m->moving && m->chain && m->timelines && m->channels;
}

/* The joint is in the chain. */
static pm_status move(clip_maker *m, pm_error *error) {
    const root_plan *plan = m->plan;
    size_t timeline = 0;
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < plan->chain_count; i++)
        status = add_moving(m, plan->chain[i], error);
    for (size_t i = 0; status == PM_OK && m->moving_count == 0 && i < 3 * plan->chain_count; i++)
        if (m->nodes[plan->chain[i / 3]].of[i % 3])
            m->moving[m->moving_count++] = m->nodes[plan->chain[i / 3]].of[i % 3];
    const size_t shared = m->moving_count;
    if (status != PM_OK || shared == 0) /* in the rest pose, the root stays where it is */
        return status;
    MOTION_TRY_MEMORY(find_timeline(m, &timeline) && move_root(m, timeline), error);
    for (size_t i = 0; i < plan->kept_count; i++) {
        m->moving_count = shared;
        MOTION_TRY(i > 0 ? add_moving(m, plan->kept[i].node, error) : PM_OK);
        size_t own = timeline;
        if ((m->moving_count > shared && !find_timeline(m, &own)) ||
            !keep_in_place(m, &plan->kept[i], own))
            return motion_refuse_memory(error);
    }
    return PM_OK;
}

pm_status root_make_clip(root_plan *plan, size_t clip, pm_motion_clip *to, pm_error *error) {
    clip_maker m = {.plan = plan, .from = &plan->from->clips[clip]};
    SCOPED(motion_arena_release) motion_arena scratch = {NULL};
    MOTION_TRY_MEMORY(allocate(&m, &scratch), error);
    memcpy(m.timelines, to->timelines, to->timeline_count * sizeof *m.timelines);
    memcpy(m.channels, to->channels, to->channel_count * sizeof *m.channels);
    m.timeline_count = to->timeline_count;
    m.channel_count = to->channel_count;
    const pm_status status = move(&m, error);
    if (m.timeline_count > to->timeline_count) {
        to->rate = to->first_time = (pm_rational){0, 0};
        to->rate_text.size = 0;
    }
    to->timelines = m.timelines;
    to->timeline_count = m.timeline_count;
    to->channels = m.channels;
    to->channel_count = m.channel_count;
    return status;
}
