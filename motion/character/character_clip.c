/* SPDX-License-Identifier: MIT
 *
 * A clip with a track per joint. The engine's tracks have one timeline for rotation, position and
 * scale; those of files may differ, so that a joint gets the key times of all its channels. Where all
 * joints have the same times, the clip has one timeline, which crowds locate once.
 */
#include <string.h>

#include "motion/character/character.h"
#include "motion/model/pose.h"

typedef struct clip_maker {
    character *c;
    const pm_motion_clip *clip;
    node_channels *nodes;
    pm_timeline *timelines; /* of the clip's own, and then those of single joints */
    size_t timeline_count;
    uint32_t *timeline_of;
} clip_maker;

static const node_channels *of_joint(const clip_maker *m, size_t joint) {
    return &m->nodes[m->c->nodes[joint]];
}

/* ---- timelines ----------------------------------------------------------------------------- */

static bool same_times(const pm_timeline *a, const pm_timeline *b) {
    if (a->key_count != b->key_count || !a->times != !b->times)
        return false;
    return a->times ? memcmp(a->times, b->times, a->key_count * sizeof *a->times) == 0
                    : a->rate.num == b->rate.num && a->rate.den == b->rate.den;
}

static pm_timeline timeline_of(const clip_maker *m, const pm_motion_channel *channel) {
    return m->clip->timelines[channel->timeline];
}

/* The times of all channels of a joint, without repetitions. */
static bool unite(clip_maker *m, const node_channels *joint, pm_timeline *united) {
    size_t count = 0;
    for (size_t p = 0; p < 3; p++)
        count += joint->of[p] ? timeline_of(m, joint->of[p]).key_count : 0;
    double *times = motion_allocate(&m->c->arena, count + 1, sizeof *times);
    if (!times)
        return false;
    count = 0;
    for (size_t p = 0; p < 3; p++)
        if (joint->of[p])
            count += evaluate_key_times(&m->clip->timelines[joint->of[p]->timeline], times + count);
    const size_t kept = evaluate_unite_times(times, count);
    *united = (pm_timeline){.key_count = kept ? kept : 1, .times = times};
    return true;
}

/* The motion may be destroyed before the character. */
static bool copy_times(clip_maker *m, pm_timeline *timeline) {
    if (!timeline->times)
        return true;
    double *times = motion_allocate(&m->c->arena, timeline->key_count, sizeof *times);
    if (times)
        memcpy(times, timeline->times, timeline->key_count * sizeof *times);
    timeline->times = times;
    return times != NULL;
}

static bool find_timeline(clip_maker *m, const node_channels *joint, pm_timeline *found) {
    const pm_motion_channel *first = NULL;
    for (size_t p = 0; p < 3; p++) {
        const pm_motion_channel *channel = joint->of[p];
        if (!channel)
            continue;
        if (first) {
            const pm_timeline a = timeline_of(m, first), b = timeline_of(m, channel);
            if (!same_times(&a, &b))
                return unite(m, joint, found);
        }
        first = first ? first : channel;
    }
    if (!first)
        return unite(m, joint, found);
    *found = timeline_of(m, first);
    return true;
}

static bool is_animated(const node_channels *joint) {
    return joint->of[0] || joint->of[1] || joint->of[2];
}

/* The timeline of each joint. Joints that are not animated have that of the first that is. */
static bool make_timelines(clip_maker *m) {
    const size_t joints = m->c->joint_count;
    m->timelines = motion_allocate(&m->c->arena, joints + 1, sizeof *m->timelines);
    m->timeline_of = motion_allocate(&m->c->arena, joints, sizeof *m->timeline_of);
    if (!m->timelines || !m->timeline_of)
        return false;
    for (size_t j = 0; j < joints; j++) {
        pm_timeline own;
        size_t t = 0;
        if (!is_animated(of_joint(m, j)))
            continue;
        if (!find_timeline(m, of_joint(m, j), &own))
            return false;
        while (t < m->timeline_count && !same_times(&m->timelines[t], &own))
            t++;
        if (t == m->timeline_count && !copy_times(m, &own))
            return false;
        if (t == m->timeline_count)
            m->timelines[m->timeline_count++] = own;
        m->timeline_of[j] = (uint32_t)t;
    }
    if (m->timeline_count == 0) /* nothing is animated: the rest pose at time 0 */
        return unite(m, of_joint(m, 0), &m->timelines[m->timeline_count++]);
    return true;
}

/* Joints that are not animated have one key, unless all others share a timeline. */
static bool add_still_timeline(clip_maker *m) {
    if (m->timeline_count == 1)
        return true;
    const size_t still = m->timeline_count;
    for (size_t j = 0; j < m->c->joint_count; j++) {
        if (is_animated(of_joint(m, j)))
            continue;
        if (m->timeline_count == still) {
            double *time = motion_allocate(&m->c->arena, 1, sizeof *time);
            if (!time)
                return false;
            *time = evaluate_key_time(&m->timelines[0], 0);
            m->timelines[m->timeline_count++] = (pm_timeline){.key_count = 1, .times = time};
        }
        m->timeline_of[j] = (uint32_t)still;
    }
    return true;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static size_t count_keys(const clip_maker *m, size_t first, size_t joints) {
    size_t keys = 0;
    for (size_t j = first; j < first + joints; j++)
        keys += m->timelines[m->timeline_of[j]].key_count;
    return keys;
}

/* Of `joints` from the first on. */
static bool make_keys(clip_maker *m, pm_motion_path path, size_t first, size_t joints,
                      pm_array *array) {
    const size_t width = pose_components[path];
    double *keys =
        motion_allocate(&m->c->arena, count_keys(m, first, joints), width * sizeof *keys);
    double *to = keys;
    const bool one = m->timeline_count == 1;
    for (size_t j = first; keys && j < first + joints; j++) {
        const pm_timeline *timeline = &m->timelines[m->timeline_of[j]];
        for (size_t k = 0; k < timeline->key_count; k++) {
            double *at = one ? keys + (k * joints + j - first) * width : to;
            pose_value(&m->c->content->nodes[m->c->nodes[j]], of_joint(m, j), m->clip, path,
                       evaluate_key_time(timeline, k), at);
            to += width;
        }
    }
    *array = (pm_array){.data = keys, .type = PM_FLOAT64};
    return keys != NULL;
}

pm_status character_make_clip(character *c, const pm_motion_clip *clip, pm_clip_desc *desc,
                              pm_error *error) {
    clip_maker m = {
        .c = c, .clip = clip, .nodes = pose_find_channels(&c->arena, clip, c->content->node_count)};
    const size_t joints = c->joint_count;
    const bool alone = c->root_moves_alone;
    const size_t root = c->joint_of[c->made.slot_nodes[0]];
    if (!m.nodes || !make_timelines(&m) || !add_still_timeline(&m) ||
        !make_keys(&m, PM_MOTION_ROTATION, 0, joints, &desc->rotations) ||
        (c->moves && !make_keys(&m, PM_MOTION_POSITION, alone ? root : 0, alone ? 1 : joints,
                                &desc->positions)) ||
        (c->scales && !make_keys(&m, PM_MOTION_SCALE, 0, joints, &desc->scales)))
        return motion_refuse_memory(error);
    desc->root_positions = alone;
    desc->track_count = joints;
    desc->timelines = m.timelines;
    desc->timeline_count = m.timeline_count;
    desc->timeline_of = m.timeline_count == 1 ? NULL : m.timeline_of;
    return PM_OK;
}
