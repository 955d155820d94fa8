/* SPDX-License-Identifier: MIT
 *
 * Finds the node that moves a figure.
 */
#include "motion/model/mover.h"

#include <math.h>
#include <stdlib.h>

#include "motion/model/evaluate.h"

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

/* Whether the last key is more than half as far from the first one as any key: of a cycle it is
 * not. */
static bool goes_away(const pm_motion_channel *c, const pm_timeline *timeline) {
    double farthest = 0, last = 0;
    for (size_t k = 0; k < timeline->key_count; k++) {
        double square = 0;
        for (uint32_t i = 0; i < 3; i++) {
            const double d =
                evaluate_number(&c->keys, 3, k, i) - evaluate_number(&c->keys, 3, 0, i);
            square += d * d;
        }
        last = sqrt(square);
        farthest = fmax(farthest, last);
    }
    return last > farthest / 2;
}

static void mark_clip(const pm_motion_clip *clip, bool away, bool *moves) {
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        const pm_timeline *timeline = &clip->timelines[channel->timeline];
        if (channel->node < 0 || channel->path != PM_MOTION_POSITION || !channel->keys.data ||
            moves[channel->node])
            continue;
        moves[channel->node] =
            away ? goes_away(channel, timeline) : !motion_is_constant(channel, timeline);
    }
}

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

bool motion_find_mover(const pm_motion_content *content, bool away, uint32_t *node) {
    bool *moves = calloc(content->node_count + 1, sizeof *moves);
    for (size_t i = 0; moves && i < content->clip_count; i++)
        mark_clip(&content->clips[i], away, moves);
    *node = moves ? first_of(content, moves) : UINT32_MAX;
    free(moves);
    return moves != NULL;
}
