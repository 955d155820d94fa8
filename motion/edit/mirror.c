/* SPDX-License-Identifier: MIT
 *
 * Left for right. With B the rest rotation of a joint in the world, l its rotation relative to its
 * parent, and m() the mirror image of a rotation, joint n moves as its partner p does if
 *     l'(n) = C(parent of n)^-1 m(l(p)) C(n),    C(n) = m(B(p))^-1 B(n)
 * C is 1 where the rest rotations are mirror images, and a half turn where bones point along the
 * other direction of an axis: then only signs and places of numbers change.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/edit/edit.h"
#include "motion/model/compose.h"
#include "motion/model/evaluate.h"
#include "motion/model/mover.h"
#include "motion/model/pose.h"
#include "motion/model/similarity.h"

/* Of rest poses, relative to their size. */
static const double tolerance = 1e-5;

typedef struct mirror_plan {
    const pm_motion_content *from;
    int normal;
    const uint32_t *partners;
    double (*world)[4]; /* rest rotations */
} mirror_plan;

/* ---- images -------------------------------------------------------------------------------- */

static void mirror_rotation(const mirror_plan *plan, double q[4]) {
    for (int i = 0; i < 3; i++)
        if (i != plan->normal)
            q[i] = -q[i];
}

static void mirror_vector(const mirror_plan *plan, double v[3]) {
    v[plan->normal] = -v[plan->normal];
}

/* Which of the units 1, i, j, k a quaternion is, but for its sign; -1: none. */
static int unit_of(const double q[4]) {
    for (int i = 0; i < 4; i++)
        if (fabs(q[i]) == 1)
            return i;
    return -1;
}

/* A product with a unit only moves numbers: zeros keep their signs, so that bits return. */
static void multiply_unit(const double a[4], const double b[4], const double of[4], double out[4]) {
    double moved[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        double unit[4] = {0, 0, 0, 0}, product[4];
        unit[i] = 1;
        quat_multiply(a ? a : unit, a ? unit : b, product);
        const int to = unit_of(product);
        moved[to] = product[to] > 0 ? of[i] : -of[i];
    }
    memcpy(out, moved, sizeof moved);
}

static void turn_left(const double a[4], double q[4]) {
    if (unit_of(a) >= 0)
        multiply_unit(a, NULL, q, q);
    else
        quat_multiply(a, q, q);
}

static void turn_right(double q[4], const double b[4]) {
    if (unit_of(b) >= 0)
        multiply_unit(NULL, b, q, q);
    else
        quat_multiply(q, b, q);
}

static void conjugate(const double q[4], double out[4]) {
    for (int i = 0; i < 3; i++)
        out[i] = -q[i];
    out[3] = q[3];
}

/* ---- the rest pose ------------------------------------------------------------------------- */

static bool find_world(mirror_plan *plan) {
    const pm_motion_node *nodes = plan->from->nodes;
    uint32_t *order = calloc(plan->from->node_count + 1, sizeof *order);
    const bool good = order && pose_order(plan->from, order);
    for (size_t i = 0; good && i < plan->from->node_count; i++) {
        double *own = plan->world[order[i]];
        memcpy(own, nodes[order[i]].rotation, 4 * sizeof *own);
        evaluate_normalise(own);
        if (nodes[order[i]].parent >= 0)
            quat_multiply(plan->world[nodes[order[i]].parent], own, own);
    }
    free(order);
    return good;
}

/* m(B(a))^-1 B(b), of rest rotations a and b. Units are exact. */
static void find_turn(const mirror_plan *plan, size_t a, size_t b, double turn[4]) {
    double image[4];
    conjugate(plan->world[a], image);
    mirror_rotation(plan, image);
    quat_multiply(image, plan->world[b], turn);
    for (int i = 0; i < 4; i++)
        if (fabs(fabs(turn[i]) - 1) <= tolerance * tolerance) {
            const double sign = turn[i] > 0 ? 1 : -1;
            memset(turn, 0, 4 * sizeof *turn);
            turn[i] = sign;
        }
}

/* The inverse of C of the parent, by which what hangs on it is turned. A joint without a partner hangs
 * on its own parent on both sides. */
static void parent_turn(const mirror_plan *plan, uint32_t node, double out[4]) {
    static const double none[4] = {0, 0, 0, 1};
    const int32_t parent = plan->from->nodes[node].parent;
    const int32_t other = plan->from->nodes[plan->partners[node]].parent;
    double turn[4];
    memcpy(turn, none, sizeof turn);
    if (parent >= 0 && other >= 0)
        find_turn(plan, (size_t)other, (size_t)parent, turn);
    conjugate(turn, out);
}

/* ---- channels ------------------------------------------------------------------------------ */

static void place_vector(const mirror_plan *plan, const double turn[4], double v[3]) {
    double q[4] = {v[0], v[1], v[2], 0}, back[4];
    mirror_vector(plan, q);
    if (unit_of(turn) >= 0) {
        conjugate(turn, back);
        turn_left(turn, q);
        turn_right(q, back);
        memcpy(v, q, 3 * sizeof *v);
    } else {
        quat_rotate(turn, q, v);
    }
}

/* How the position of a node becomes that of another one. */
typedef struct placing {
    bool stays; /* a joint in the middle that is where it is at rest */
    double turn[4];
    double before[3], after[3]; /* subtracted and added, where lengths differ */
} placing;

static placing find_placing(const mirror_plan *plan, uint32_t from, uint32_t to,
                            const pm_motion_channel *channel, const pm_timeline *timeline) {
    const pm_motion_node *a = &plan->from->nodes[from], *b = &plan->from->nodes[to];
    placing p = {.stays = false};
    double image[3], first[3];
    parent_turn(plan, to, p.turn);
    memcpy(image, a->position, sizeof image);
    place_vector(plan, p.turn, image);
    if (a->parent < 0)
        return p;
    if (from == to) {
        evaluate_key(channel, 0, first);
        p.stays = motion_is_constant(channel, timeline) &&
                  (edit_is_near(first, a->position, 3, tolerance) ||
                   edit_is_near(first, image, 3, tolerance));
    } else if (!edit_is_near(image, b->position, 3, tolerance)) {
        memcpy(p.before, a->position, sizeof p.before);
        memcpy(p.after, b->position, sizeof p.after);
    }
    return p;
}

static void mirror_positions(const mirror_plan *plan, uint32_t from, uint32_t to,
                             const pm_motion_channel *channel, const pm_timeline *timeline) {
    const placing p = find_placing(plan, from, to, channel, timeline);
    const bool moves = memcmp(p.before, p.after, sizeof p.before) != 0;
    double *const all[] = {motion_own_values(&channel->keys), motion_own_values(&channel->in),
                           motion_own_values(&channel->out)};
    for (size_t of = 0; of < 3 && !p.stays; of++)
        for (size_t k = 0; all[of] && k < timeline->key_count; k++) {
            double *v = all[of] + 3 * k;
            for (int i = 0; i < 3 && moves && of == 0; i++)
                v[i] -= p.before[i];
            place_vector(plan, p.turn, v);
            for (int i = 0; i < 3 && moves && of == 0; i++)
                v[i] += p.after[i];
        }
}

static void mirror_rotations(const mirror_plan *plan, uint32_t to, const pm_motion_channel *channel,
                             size_t keys) {
    double *const all[] = {motion_own_values(&channel->keys), motion_own_values(&channel->in),
                           motion_own_values(&channel->out)};
    double left[4], right[4];
    parent_turn(plan, to, left);
    find_turn(plan, plan->partners[to], to, right);
    for (size_t of = 0; of < 3; of++)
        for (size_t k = 0; all[of] && k < keys; k++) {
            double *q = all[of] + 4 * k;
            mirror_rotation(plan, q);
            turn_left(left, q);
            turn_right(q, right);
        }
}

/* ---- clips --------------------------------------------------------------------------------- */

static bool is_of_node(const pm_motion_channel *channel) {
    return channel->node >= 0 && channel->path <= PM_MOTION_SCALE;
}

/* For each node, and each of three properties, its channel, counted from 1. */
static size_t *find_channels(const mirror_plan *plan, const pm_motion_clip *clip) {
    size_t *found = calloc(plan->from->node_count + 1, 3 * sizeof *found);
    for (size_t c = 0; found && c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        if (is_of_node(channel))
            found[3 * (size_t)channel->node + channel->path] = c + 1;
    }
    return found;
}

/* Channels have the order of the nodes that they had, so that files can take them. *same: they have
 * the nodes, too. */
static bool mirror_clip(const mirror_plan *plan, const pm_motion_clip *from, motion_arena *arena,
                        pm_motion_clip *to, bool *same) {
    size_t *places = find_channels(plan, from);
    pm_motion_channel *channels = motion_own_channels(arena, to);
    bool good = places && channels;
    for (size_t c = 0; good && c < from->channel_count; c++) {
        const pm_motion_channel *own = &from->channels[c];
        if (!is_of_node(own))
            continue;
        const uint32_t node = (uint32_t)own->node, other = plan->partners[node];
        const size_t place = places[3 * (size_t)other + own->path];
        const pm_motion_channel *source = place > 0 ? &from->channels[place - 1] : own;
        const uint32_t before = (uint32_t)source->node, after = place > 0 ? node : other;
        const pm_timeline *timeline = &to->timelines[source->timeline];
        channels[c] = *source;
        channels[c].node = (int32_t)after;
        *same = *same && after == node;
        good = motion_own_keys(arena, &channels[c], timeline);
        if (good && own->path == PM_MOTION_ROTATION)
            mirror_rotations(plan, after, &channels[c], timeline->key_count);
        else if (good && own->path == PM_MOTION_POSITION)
            mirror_positions(plan, before, after, &channels[c], timeline);
    }
    free(places);
    return good;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static pm_status check_options(const pm_motion_mirror_options *o, pm_error *error) {
    if (o->normal != 0 && o->normal != PM_MOTION_AXIS_X && o->normal != PM_MOTION_AXIS_Y &&
        o->normal != PM_MOTION_AXIS_Z)
        return motion_fail(error, PM_ERROR_ARGUMENT, "normal is %d, expected one pm_motion_axis",
                           (int)o->normal);
    return MOTION_CHECK_RESERVED(pm_motion_mirror_options, o, error);
}

static void report_pairs(const mirror_plan *plan, const bool *is_alone, uint32_t *alone,
                         pm_motion_mirror_report *report) {
    *report = (pm_motion_mirror_report){
        .partners = plan->partners, .node_count = plan->from->node_count, .alone = alone};
    for (uint32_t n = 0; n < plan->from->node_count; n++) {
        report->pair_count += plan->partners[n] > n;
        if (is_alone[n])
            alone[report->alone_count++] = n;
    }
}

static bool make_clips(const mirror_plan *plan, const pm_motion *motion, pm_motion *to,
                       pm_motion_clip *clips) {
    bool same = true, good = true;
    for (size_t i = 0; good && i < motion->content.clip_count; i++)
        good = mirror_clip(plan, &motion->content.clips[i], &to->arena, &clips[i], &same) &&
               motion_keep_rows(to, i, motion, true);
    if (!same)
        to->form = NULL;
    return good;
}

static pm_status make(const pm_motion *motion, const pm_motion_mirror_options *o, pm_motion *to,
                      pm_motion_clip *clips, pm_motion_mirror_report *report, pm_error *error) {
    const size_t nodes = motion->content.node_count;
    uint32_t *partners = motion_allocate(&to->arena, nodes, sizeof *partners);
    uint32_t *alone = motion_allocate(&to->arena, nodes, sizeof *alone);
    bool *is_alone = motion_allocate(&to->arena, nodes, sizeof *is_alone);
    mirror_plan plan = {.from = &motion->content,
                        .normal = o->normal == PM_MOTION_AXIS_Y   ? 1
                                  : o->normal == PM_MOTION_AXIS_Z ? 2
                                                                  : 0,
                        .partners = partners,
                        .world = motion_allocate(&to->arena, nodes, sizeof *plan.world)};
    if (!partners || !alone || !is_alone || !plan.world)
        return motion_refuse_memory(error);
    const pm_status status = edit_find_pairs(&motion->content, o->pairs, partners, is_alone, error);
    if (status != PM_OK)
        return status;
    if (!find_world(&plan))
        return motion_refuse_memory(error);
    report_pairs(&plan, is_alone, alone, report);
    return make_clips(&plan, motion, to, clips) ? PM_OK : motion_refuse_memory(error);
}

static pm_status mirror(const pm_motion *motion, const pm_motion_mirror_options *o,
                        pm_motion **mirrored, pm_motion_mirror_report *report, pm_error *error) {
    pm_motion_mirror_report own;
    pm_motion_clip *clips = NULL;
    pm_status status = check_options(o, error);
    if (status == PM_OK)
        status = motion_check_keys(motion, error);
    if (status == PM_OK)
        status = motion_check_nodes(&motion->content, "mirror", error);
    if (status != PM_OK)
        return status;
    pm_motion *to = made_begin(motion, &clips);
    if (!to)
        return motion_refuse_memory(error);
    status = make(motion, o, to, clips, report ? report : &own, error);
    return made_end(to, status, mirrored, error);
}

pm_status pm_motion_mirror(const pm_motion *motion, const pm_motion_mirror_options *options,
                           pm_motion **mirrored, pm_motion_mirror_report *report, pm_error *error) {
    static const pm_motion_mirror_options defaults;
    if (!motion || !mirrored)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", !motion ? "motion" : "mirrored");
    void *before = c_locale_begin();
    const pm_status status = mirror(motion, options ? options : &defaults, mirrored, report, error);
    c_locale_end(before);
    return status;
}
