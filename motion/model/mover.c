/* SPDX-License-Identifier: MIT
 *
 * Finds the node that moves a figure.
 */
#include "motion/model/mover.h"

#include <math.h>

#include "motion/model/evaluate.h"
#include "motion/model/figure.h"
#include "motion/model/pose.h"

bool motion_is_constant(const pm_motion_channel *c, const pm_timeline *timeline) {
    for (size_t k = 0; k < timeline->key_count; k++)
        for (uint32_t i = 0; i < c->components; i++) {
            if (evaluate_number(&c->keys, c->components, k, i) !=
                evaluate_number(&c->keys, c->components, 0, i))
                return false;
            if (c->interpolation == PM_MOTION_CUBICSPLINE &&
                (evaluate_number(&c->in, c->components, k, i) != 0 ||
                 evaluate_number(&c->out, c->components, k, i) != 0))
                return false;
        }
    return true;
}

/* Of travel, as a part of the figure's size. */
static const double least_travel = 1.0 / 20;

/* ---- travel -------------------------------------------------------------------------------- */

typedef struct travelling {
    const pm_motion_content *content;
    similarity *world; /* rest poses */
    bool *moves;       /* nodes that travel */
    double least;      /* far enough */
} travelling;

/* How far a key is from the first one, across the axis that points up; of an unknown axis in space. */
static double distance_of(const pm_motion_channel *c, const similarity *above, pm_motion_up up,
                          size_t key) {
    double d[3], square = 0;
    for (uint32_t i = 0; i < 3; i++)
        d[i] = evaluate_number(&c->keys, 3, key, i) - evaluate_number(&c->keys, 3, 0, i);
    quat_rotate(above->q, d, d);
    for (int i = 0; i < 3; i++)
        square += up != PM_MOTION_UP_FOUND && i == (int)up ? 0 : d[i] * d[i];
    return fabs(above->s) * sqrt(square);
}

static void mark_channel(travelling *t, const pm_motion_channel *c, size_t keys) {
    const int32_t parent = t->content->nodes[c->node].parent;
    const similarity *above = parent >= 0 ? &t->world[parent] : &similarity_identity;
    for (size_t k = 1; k < keys && !t->moves[c->node]; k++) {
        const double distance = distance_of(c, above, t->content->up, k);
        t->moves[c->node] = distance > 0 && distance >= t->least && isfinite(distance);
    }
}

static void mark_clip(travelling *t, const pm_motion_clip *clip) {
    for (size_t i = 0; i < clip->channel_count; i++) {
        const pm_motion_channel *c = &clip->channels[i];
        if (c->node >= 0 && c->path == PM_MOTION_POSITION && c->keys.data)
            mark_channel(t, c, clip->timelines[c->timeline].key_count);
    }
}

static bool place_rests(travelling *t, motion_arena *arena) {
    const pm_motion_content *content = t->content;
    uint32_t *order = motion_allocate(arena, content->node_count, sizeof *order);
    t->world = motion_allocate(arena, content->node_count, sizeof *t->world);
    t->moves = motion_allocate(arena, content->node_count, sizeof *t->moves);
    if (!order || !t->world || !t->moves || !pose_order(content, order))
        return false;
    for (size_t i = 0; i < content->node_count; i++) {
        const pm_motion_node *node = &content->nodes[order[i]];
        const similarity rest = evaluate_rest(node);
        t->world[order[i]] =
            node->parent >= 0 ? similarity_product(&t->world[node->parent], &rest) : rest;
    }
    return true;
}

/* ---- the node ------------------------------------------------------------------------------ */

/* The highest node that moves, of a node and its ancestors; UINT32_MAX: none. */
static uint32_t highest_of(const pm_motion_content *content, const bool *moves, uint32_t node) {
    uint32_t found = UINT32_MAX;
    for (int32_t n = (int32_t)node; n >= 0; n = content->nodes[n].parent)
        found = moves[n] ? (uint32_t)n : found;
    return found;
}

/* Ancestors of the joints of a skin may be no joints. */
static uint32_t first_of(const pm_motion_content *content, const bool *moves) {
    const pm_motion_skin *skin = content->skin_count ? content->skins : NULL;
    for (size_t j = 0; skin && j < skin->joint_count; j++)
        if (moves[skin->joints[j]] || j == 0) {
            const uint32_t found = highest_of(content, moves, skin->joints[j]);
            if (found != UINT32_MAX)
                return found;
        }
    for (uint32_t n = 0; !skin && n < content->node_count; n++)
        if (moves[n])
            return highest_of(content, moves, n);
    return UINT32_MAX;
}

pm_status motion_find_mover(pm_motion_content *content, pm_error *error) {
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    travelling t = {.content = content};
    content->mover = PM_NO_INDEX32;
    if (content->node_count == 0)
        return PM_OK;
    double size = 0;
    MOTION_TRY(motion_find_size(content, &size, error));
    t.least = least_travel * size;
    const bool good = place_rests(&t, &arena);
    for (size_t i = 0; good && i < content->clip_count; i++)
        mark_clip(&t, &content->clips[i]);
    if (good)
        content->mover = first_of(content, t.moves);
    return good ? PM_OK : motion_refuse_memory(error);
}

pm_status motion_require_up(const pm_motion_content *content, pm_motion_up given, int *up,
                            pm_error *error) {
    *up = (int)(given != PM_MOTION_UP_FOUND ? given : content->up);
    if (*up != 0)
        return PM_OK;
    motion_report(error, PM_ERROR_FILE, "it is not known which axis points up");
    motion_cure(error, "up", NULL, "says which: y or z");
    return PM_ERROR_FILE;
}
