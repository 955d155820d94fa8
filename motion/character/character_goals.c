/* SPDX-License-Identifier: MIT
 *
 * A motion that shows the chains of a character: in clips of each chain its end, gaze or joint follows a goal that leaves
 * what the chain's limit, or another one, allows. The poses are those that crowds compute.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/character/character_write.h"
#include "motion/model/figure.h"
#include "motion/model/made.h"
#include "motion/model/similarity.h"

/* The goal is a node with three ends, so that it is seen. The most joints times clips, and clips of a page. */
enum { FRAMES = 91, RAMP = 15, RATE = 30, MARKS = 4, MOST = 1 << 17, MOST_CLIPS = 64 };

/* Each chain with its own limit and others: of aims a factor; of two bones, of the part of the length that is left. */
enum { LIMITS = 5 };
static const double aim_factors[LIMITS] = {1, 0.5, 0.75, 1.25, 1.5};
static const double bone_factors[LIMITS] = {1, 4, 2, 0.5, 0.25};

static const double circle = 6.283185307179586;

typedef struct maker {
    const pm_motion_character *made;
    pm_chain *chains; /* of the character, with their own limits and others */
    size_t *owners;   /* and which of those each is */
    size_t chain_count;
    pm_engine *engine;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    pm_motion *shown;
    double size;   /* of the figure */
    uint32_t mark; /* the node of the goal */
    pm_crowd_instance instance;
    float *records; /* of one pose */
} maker;

static void release(maker *m) {
    pm_crowd_destroy(&m->crowd);
    pm_skeleton_destroy(&m->skeleton);
    pm_engine_destroy(&m->engine);
    pm_motion_destroy(&m->shown);
    free(m->records);
    free(m->chains);
    free(m->owners);
}

/* A chain that has no limit is shown once. */
static pm_status vary_limits(maker *m, pm_error *error) {
    const pm_skeleton_desc *own = &m->made->skeleton;
    const size_t most = own->chain_count > MOST_CLIPS / LIMITS ? 1 : LIMITS;
    m->chains = calloc(own->chain_count * most, sizeof *m->chains);
    m->owners = calloc(own->chain_count * most, sizeof *m->owners);
    MOTION_TRY_MEMORY(m->chains && m->owners, error);
    for (size_t k = 0; k < own->chain_count; k++) {
        const pm_chain *of = &own->chains[k];
        const bool aims = of->kind == PM_CHAIN_AIM, bends = of->kind == PM_CHAIN_TWO_BONES;
        const double limit = bends && of->limit == 0 ? 0.97 : (double)of->limit;
        const size_t limits = limit > 0 ? most : 1;
        for (size_t i = 0; i < limits; i++) {
            pm_chain *to = &m->chains[m->chain_count];
            m->owners[m->chain_count++] = k;
            *to = *of;
            to->limit = i == 0 ? (float)limit
                        : aims ? (float)fmin(aim_factors[i] * limit, circle / 2)
                               : (float)fmax(1 - bone_factors[i] * (1 - limit), 0.01);
        }
    }
    return PM_OK;
}

static pm_status make_crowd(maker *m, pm_error *error) {
    const pm_engine_desc plain = {.device = "none"};
    MOTION_TRY(pm_engine_create(&plain, &m->engine, error));
    pm_skeleton_desc skeleton = m->made->skeleton;
    skeleton.chains = m->chains;
    skeleton.chain_count = m->chain_count;
    MOTION_TRY(pm_skeleton_create(&skeleton, &m->skeleton, error));
    const pm_crowd_desc desc = {
        .skeleton = m->skeleton, .clips = m->made->clips, .clip_count = m->made->clip_count};
    MOTION_TRY(pm_crowd_create(m->engine, &desc, &m->crowd, error));
    m->instance = (pm_crowd_instance){.time_a = pm_crowd_clip_ticks(m->crowd, 0) / 2,
                                      .flags = PM_CROWD_CLAMP_A};
    m->records = calloc(m->made->skeleton.joint_count, 12 * sizeof *m->records);
    MOTION_TRY_MEMORY(m->records, error);
    return PM_OK;
}

static pm_status add_marks(maker *m, pm_error *error) {
    pm_motion_content *content = &m->shown->content;
    pm_motion_node *nodes =
        motion_allocate(&m->shown->arena, content->node_count + MARKS, sizeof *nodes);
    MOTION_TRY_MEMORY(nodes, error);
    memcpy(nodes, content->nodes, content->node_count * sizeof *nodes);
    m->mark = (uint32_t)content->node_count;
    for (int i = 0; i < MARKS; i++) {
        pm_motion_node *mark = &nodes[m->mark + (uint32_t)i];
        *mark = (pm_motion_node){.name = {"goal", 4},
                                 .parent = i == 0 ? -1 : (int32_t)m->mark,
                                 .rotation = {0, 0, 0, 1},
                                 .scale = {1, 1, 1}};
        if (i > 0)
            mark->position[i - 1] = 0.03 * m->size;
    }
    content->nodes = nodes;
    content->node_count += MARKS;
    content->skin_count = 0;
    m->shown->form = NULL;
    return PM_OK;
}

/* ---- goals --------------------------------------------------------------------------------- */

/* Where the goals of a chain are: about a centre in a direction that the chain has without them. */
typedef struct orbit {
    double centre[3], forward[3], across[2][3];
    double length;
} orbit;

static void place_of(const maker *m, uint32_t joint, double out[3]) {
    const float *record = m->records + 12 * (size_t)m->made->node_slots[m->made->nodes[joint]];
    for (int i = 0; i < 3; i++)
        out[i] = (double)record[4 * i + 3];
}

static double distance(const maker *m, uint32_t a, uint32_t b) {
    double of_a[3], of_b[3];
    place_of(m, a, of_a);
    place_of(m, b, of_b);
    for (int i = 0; i < 3; i++)
        of_a[i] -= of_b[i];
    return vector_length(of_a);
}

static void normalise(double v[3]) {
    const double length = vector_length(v);
    for (int i = 0; i < 3; i++)
        v[i] = length > 0 ? v[i] / length : i == 1;
}

/* m->records has model matrices. */
static orbit find_orbit(const maker *m, const pm_chain *chain) {
    const uint32_t last = chain->joints[chain->joint_count - 1];
    const float *record = m->records + 12 * (size_t)m->made->node_slots[m->made->nodes[last]];
    orbit o = {.length = m->size};
    place_of(m, chain->kind == PM_CHAIN_TWO_BONES ? chain->joints[0] : last, o.centre);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            o.forward[i] += (double)record[4 * i + k] * (double)chain->forward[k];
    if (chain->kind == PM_CHAIN_TWO_BONES) {
        place_of(m, last, o.forward);
        for (int i = 0; i < 3; i++)
            o.forward[i] -= o.centre[i];
        o.length =
            distance(m, chain->joints[0], chain->joints[1]) + distance(m, chain->joints[1], last);
    }
    normalise(o.forward);
    const double other[3] = {fabs(o.forward[0]) < 0.6, fabs(o.forward[0]) >= 0.6, 0};
    vector_cross(o.forward, other, o.across[0]);
    normalise(o.across[0]);
    vector_cross(o.forward, o.across[0], o.across[1]);
    return o;
}

/* Ends go round at .5 to 1.1 of the limb's length, gazes up to 1.3 of their cone, pinned joints about their
 * place. */
static pm_chain_goal find_goal(const orbit *o, const pm_chain *chain, int frame) {
    const double turn = circle * frame / (FRAMES - 1);
    const double cone = chain->kind == PM_CHAIN_AIM && chain->limit > 0 ? (double)chain->limit : 1;
    const double tilt = chain->kind == PM_CHAIN_AIM ? 1.3 * cone * (0.5 - 0.5 * cos(turn)) : 0.5;
    const double reach = chain->kind == PM_CHAIN_TWO_BONES ? 0.8 - 0.3 * cos(2 * turn)
                         : chain->kind == PM_CHAIN_AIM     ? 0.7
                                                           : 0.15;
    const double ahead = chain->kind == PM_CHAIN_PIN ? 0 : cos(tilt);
    pm_chain_goal goal = {.weight = (float)fmin(1, (double)frame / RAMP), .rotation = {0, 0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        const double aside = cos(2 * turn) * o->across[0][i] + sin(2 * turn) * o->across[1][i];
        goal.position[i] =
            (float)(o->centre[i] + o->length * reach * (ahead * o->forward[i] + sin(tilt) * aside));
    }
    return goal;
}

/* ---- clips --------------------------------------------------------------------------------- */

static pm_status pose(const maker *m, pm_crowd_output output, const pm_chain_use *use,
                      const pm_chain_goal *goal, pm_error *error) {
    const pm_crowd_one one = {.instance = &m->instance,
                              .output = output,
                              .chains = use,
                              .chain_count = use ? 1 : 0,
                              .goals = goal};
    return pm_crowd_pose_one(m->crowd, &one, m->records, error);
}

static pm_motion_channel channel_of(uint32_t node, pm_motion_path path, const double *keys) {
    return (pm_motion_channel){.node = (int32_t)node,
                               .path = path,
                               .components = path == PM_MOTION_ROTATION ? 4 : 3,
                               .keys = {.data = keys, .type = PM_FLOAT64},
                               .name = {"", 0}};
}

/* A name of a clip: that of the chain, with its limit. */
static pm_motion_name name_clip(const maker *m, size_t index) {
    const pm_chain *chain = &m->chains[index];
    const char *name = m->made->chain_names[m->owners[index]];
    char text[256];
    if (chain->limit > 0)
        snprintf(text, sizeof text, "%.200s: %s, limit %.4g", name,
                 character_kind_names[chain->kind], (double)chain->limit);
    else
        snprintf(text, sizeof text, "%.200s: %s", name, character_kind_names[chain->kind]);
    return (pm_motion_name){motion_copy_text(&m->shown->arena, text, strlen(text)), strlen(text)};
}

/* Rotations and positions of all joints, and the place of the goal. */
static pm_status make_clip(maker *m, size_t index, pm_motion_clip *clip, pm_error *error) {
    static const pm_rational rate = {RATE, 1};
    const pm_chain_use use = {.chain = (uint32_t)index,
                              .flags = m->made->chain_flags[m->owners[index]]};
    const pm_chain *chain = &m->chains[index];
    const size_t joints = m->made->skeleton.joint_count;
    motion_arena *arena = &m->shown->arena;
    double *keys = motion_allocate(arena, (7 * joints + 3) * FRAMES, sizeof *keys);
    pm_motion_channel *channels = motion_allocate(arena, 2 * joints + 1, sizeof *channels);
    pm_timeline *timeline = motion_allocate(arena, 1, sizeof *timeline);
    double *goals = keys + 7 * joints * FRAMES;
    MOTION_TRY_MEMORY(keys && channels && timeline, error);
    MOTION_TRY(pose(m, PM_CROWD_MODEL, NULL, NULL, error));
    const orbit o = find_orbit(m, chain);
    for (int f = 0; f < FRAMES; f++) {
        const pm_chain_goal goal = find_goal(&o, chain, f);
        MOTION_TRY(pose(m, PM_CROWD_LOCAL, &use, &goal, error));
        for (size_t k = 0; k < joints; k++) {
            double *rotation = keys + 7 * k * FRAMES, *position = rotation + 4 * (size_t)FRAMES;
            for (size_t i = 0; i < 4; i++)
                rotation[4 * f + (int)i] = (double)m->records[12 * k + i];
            for (size_t i = 0; i < 3; i++)
                position[3 * f + (int)i] = (double)m->records[12 * k + 4 + i];
        }
        for (int i = 0; i < 3; i++)
            goals[3 * f + i] = (double)goal.position[i];
    }
    for (size_t k = 0; k < joints; k++) {
        const double *own = keys + 7 * k * FRAMES;
        const uint32_t node = m->made->slot_nodes[k];
        channels[2 * k] = channel_of(node, PM_MOTION_ROTATION, own);
        channels[2 * k + 1] = channel_of(node, PM_MOTION_POSITION, own + 4 * (size_t)FRAMES);
    }
    channels[2 * joints] = channel_of(m->mark, PM_MOTION_POSITION, goals);
    *timeline = (pm_timeline){.key_count = FRAMES, .rate = rate};
    *clip = (pm_motion_clip){.name = name_clip(m, index),
                             .timelines = timeline,
                             .timeline_count = 1,
                             .channels = channels,
                             .channel_count = 2 * joints + 1,
                             .rate = rate,
                             .first_time = {0, 1},
                             .rate_text = {"", 0}};
    MOTION_TRY_MEMORY(clip->name.text, error);
    return PM_OK;
}

pm_status character_show_goals(const pm_motion *motion, const pm_motion_character *made,
                               pm_motion **shown, pm_error *error) {
    const size_t chains = made->skeleton.chain_count, joints = made->skeleton.joint_count;
    SCOPED(release) maker m = {.made = made};
    pm_motion_clip *clips = NULL;
    if (chains == 0 || chains > MOST / LIMITS / joints)
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "has %zu chains of %zu joints; a page shows 1 to %zu chains of so many",
                           chains, joints, MOST / LIMITS / joints);
    MOTION_TRY(vary_limits(&m, error));
    m.shown = made_begin_joined(&motion, 1, m.chain_count, &clips);
    MOTION_TRY_MEMORY(m.shown, error);
    MOTION_TRY(motion_find_size(&motion->content, &m.size, error));
    MOTION_TRY(make_crowd(&m, error));
    MOTION_TRY(add_marks(&m, error));
    for (size_t k = 0; k < m.chain_count; k++)
        MOTION_TRY(make_clip(&m, k, &clips[k], error));
    return made_end(&m.shown, shown, error);
}
