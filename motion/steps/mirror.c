/* SPDX-License-Identifier: MIT
 *
 * Left for right. With B the rest rotation of a joint in the world, l its rotation relative to its
 * parent, and m() the mirror image of a rotation, joint n moves as its partner p does if
 *     l'(n) = C(parent of n)^-1 m(l(p)) C(n),    C(n) = m(B(p))^-1 B(n)
 * C is 1 where the rest rotations are mirror images, and a half turn where bones point along the
 * other direction of an axis: then only signs and places of numbers change.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/model/compose.h"
#include "motion/model/evaluate.h"
#include "motion/model/mover.h"
#include "motion/model/names.h"
#include "motion/model/similarity.h"
#include "motion/steps/edit.h"
#include "motion/steps/steps.h"

/* Of rest poses, relative to their size. */
static const double tolerance = 1e-5;

/* ---- channels ------------------------------------------------------------------------------ */

/* The inverse of C of the parent, by which what hangs on it is turned. A joint without a partner hangs
 * on its own parent on both sides. */
static void parent_turn(const edit_mirror_plan *plan, uint32_t node, double out[4]) {
    static const double none[4] = {0, 0, 0, 1};
    const int32_t parent = plan->from->nodes[node].parent;
    const int32_t other = plan->from->nodes[plan->partners[node]].parent;
    double turn[4];
    memcpy(turn, none, sizeof turn);
    if (parent >= 0 && other >= 0)
        edit_find_turn(plan, (size_t)other, (size_t)parent, turn);
    edit_conjugate(turn, out);
}

static void place_vector(const edit_mirror_plan *plan, const double turn[4], double v[3]) {
    double q[4] = {v[0], v[1], v[2], 0}, back[4];
    q[plan->normal] = -q[plan->normal];
    if (quat_unit_of(turn) >= 0) {
        edit_conjugate(turn, back);
        edit_turn_left(turn, q);
        edit_turn_right(q, back);
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

static placing find_placing(const edit_mirror_plan *plan, uint32_t from, uint32_t to,
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

static void mirror_positions(const edit_mirror_plan *plan, uint32_t from, uint32_t to,
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

static void mirror_rotations(const edit_mirror_plan *plan, uint32_t to,
                             const pm_motion_channel *channel, size_t keys) {
    double *const all[] = {motion_own_values(&channel->keys), motion_own_values(&channel->in),
                           motion_own_values(&channel->out)};
    double left[4], right[4];
    parent_turn(plan, to, left);
    edit_find_turn(plan, plan->partners[to], to, right);
    for (size_t of = 0; of < 3; of++)
        for (size_t k = 0; all[of] && k < keys; k++) {
            double *q = all[of] + 4 * k;
            edit_mirror_rotation(plan, q);
            edit_turn_left(left, q);
            edit_turn_right(q, right);
        }
}

/* ---- clips --------------------------------------------------------------------------------- */

static bool is_of_node(const pm_motion_channel *channel) {
    return channel->node >= 0 && channel->path <= PM_MOTION_SCALE;
}

/* For each node, and each of three properties, its channel, counted from 1. */
static size_t *find_channels(const edit_mirror_plan *plan, const pm_motion_clip *clip) {
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
static bool mirror_clip(const edit_mirror_plan *plan, const pm_motion_clip *from,
                        motion_arena *arena, pm_motion_clip *to, bool *same) {
    FREED size_t *places = find_channels(plan, from);
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
    return good;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static bool make_clips(const edit_mirror_plan *plan, const pm_motion *motion, pm_motion *to,
                       pm_motion_clip *clips) {
    bool same = true, good = true;
    for (size_t i = 0; good && i < motion->content.clip_count; i++)
        good = mirror_clip(plan, &motion->content.clips[i], &to->arena, &clips[i], &same) &&
               motion_keep_rows(to, i, motion, true);
    if (!same)
        to->form = NULL;
    return good;
}

/* Files of robots have angles, and no nodes. */
static pm_status check_nodes(const pm_motion_content *content, pm_error *error) {
    const pm_status status = motion_check_nodes(content, "mirror", error);
    const pm_motion_clip *clip = content->clip_count > 0 ? content->clips : NULL;
    for (size_t c = 0; status != PM_OK && clip && c < clip->channel_count; c++)
        if (clip->channels[c].full_turn > 0)
            motion_hint(error, "in Python, Motion.mirror(robot=...) mirrors robots by their MJCF");
    return status;
}

static pm_status mirror(const pm_motion *motion, const pm_motion_mirror_options *o,
                        pm_motion **mirrored, pm_motion_mirror_report *report, pm_error *error) {
    pm_motion_mirror_report own;
    pm_motion_clip *clips = NULL;
    MOTION_TRY(edit_check_mirror(o, error));
    MOTION_TRY(motion_check_keys(motion, error));
    MOTION_TRY(check_nodes(&motion->content, error));
    SCOPED(pm_motion_destroy) pm_motion *to = made_begin(motion, &clips);
    MOTION_TRY_MEMORY(to, error);
    edit_mirror_plan plan;
    to->notes.arena = &to->arena;
    MOTION_TRY(edit_plan_mirror(&plan, &motion->content, motion->across, o, &to->notes,
                                report ? report : &own, error));
    to->content.notes = to->notes.all;
    to->content.note_count = to->notes.count;
    MOTION_TRY_MEMORY(make_clips(&plan, motion, to, clips), error);
    return made_end(&to, mirrored, error);
}

pm_status pm_motion_mirror(const pm_motion *motion, const pm_motion_mirror_options *options,
                           pm_motion **mirrored, pm_motion_mirror_report *report, pm_error *error) {
    static const pm_motion_mirror_options defaults;
    MOTION_REQUIRE(error, motion, mirrored);
    C_LOCALE_HERE;
    return mirror(motion, options ? options : &defaults, mirrored, report, error);
}

/* ---- the step ------------------------------------------------------------------------------- */

static void say_name(task_work *w, const char *before, const pm_motion_content *content,
                     size_t node) {
    char shown[MOTION_PRINTABLE];
    task_say(w, "%s%s", before, motion_joint_name(shown, content->nodes[node].name, (int64_t)node));
}

/* "2 pairs: LeftArm = RightArm, L_Leg = R_Leg; 5 in the middle; no partner: LeftToe", and what notes of the
 * result say of the plane. */
static void say_pairs(task_work *w, const pm_motion_content *content,
                      const pm_motion_mirror_report *report) {
    const char *before = ": ";
    task_say(w, "%s%zu pair%s", w->report->edited[0] != '\0' ? "; " : "", report->pair_count,
             report->pair_count == 1 ? "" : "s");
    for (size_t n = 0; n < report->node_count; n++)
        if (report->partners[n] > n) {
            say_name(w, before, content, n);
            say_name(w, " = ", content, report->partners[n]);
            before = ", ";
        }
    task_say(w, "; %zu in the middle",
             report->node_count - 2 * report->pair_count - report->alone_count);
    before = "; no partner: ";
    for (size_t i = 0; i < report->alone_count; i++, before = ", ")
        say_name(w, before, content, report->alone[i]);
    for (size_t i = 0; i < content->note_count; i++)
        task_say(w, "; %s", content->notes[i]->message);
}

static bool is_asked(const pm_motion_batch_task *task) {
    return task->mirror != NULL;
}

static pm_status make_step(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                           pm_error *error) {
    pm_motion_mirror_report mirrored;
    MOTION_TRY(pm_motion_mirror(w->motion, task->mirror, made, &mirrored, error));
    say_pairs(w, &(*made)->content, &mirrored);
    return PM_OK;
}

const task_step step_mirror = {
    "mirror", "mirror", "plane pairs", STEP_KEEPS_NODES | STEP_KEEPS_TIMES, is_asked, make_step};
