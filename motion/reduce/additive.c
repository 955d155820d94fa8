/* SPDX-License-Identifier: MIT
 *
 * What an additive clip is added to, as a hierarchy whose distances are bounded as those of any other: each joint is a
 * chain of four nodes, so that the product of two curves needs no curve of its own.
 */
#include "motion/reduce/reduction.h"

#include <string.h>

/* Of a joint, from its parent on: the base's position; the addition's position and the base's rotation; the
 * addition's rotation and scale; the base's scale. The last one is the joint. */
enum { PLACE, TURN, ADDED, JOINT };

pm_status additive_expand(const pm_motion_content *content, const pm_motion_clip *base,
                          motion_arena *arena, additive_space *to, pm_error *error) {
    const size_t count = content->node_count;
    pm_motion_node *nodes = count <= INT32_MAX / ADDITIVE_NODES
                                ? motion_allocate(arena, count, ADDITIVE_NODES * sizeof *nodes)
                                : NULL;
    *to = (additive_space){
        .content = {.nodes = nodes, .node_count = ADDITIVE_NODES * count},
        .base = motion_allocate(arena, count, sizeof *to->base),
        .sides = {motion_allocate(arena, count, ADDITIVE_NODES * sizeof *to->sides[0]),
                  motion_allocate(arena, count, ADDITIVE_NODES * sizeof *to->sides[1])},
        .pairs = motion_allocate(arena, count, sizeof *to->pairs)};
    MOTION_TRY_MEMORY(nodes && to->base && to->sides[0] && to->sides[1] && to->pairs, error);
    for (size_t n = 0; n < count; n++) {
        pm_motion_node *chain = &nodes[ADDITIVE_NODES * n];
        const pm_motion_node *node = &content->nodes[n];
        for (int32_t i = 0; i < ADDITIVE_NODES; i++)
            chain[i] = (pm_motion_node){.name = node->name,
                                        .parent = i > 0 ? (int32_t)(ADDITIVE_NODES * n) + i - 1
                                                  : node->parent < 0
                                                      ? -1
                                                      : ADDITIVE_NODES * node->parent + JOINT,
                                        .rotation = {0, 0, 0, 1},
                                        .scale = {1, 1, 1}};
        memcpy(chain[PLACE].position, node->position, sizeof node->position);
        memcpy(chain[TURN].rotation, node->rotation, sizeof node->rotation);
        memcpy(chain[JOINT].scale, node->scale, sizeof node->scale);
        to->pairs[n][0] = to->pairs[n][1] = ADDITIVE_NODES * n + JOINT;
    }
    for (size_t c = 0; base && c < base->channel_count; c++) {
        const pm_motion_channel *channel = &base->channels[c];
        if (channel->node < 0 || channel->path > PM_MOTION_SCALE)
            continue;
        if (channel->interpolation == PM_MOTION_CUBICSPLINE && channel->path != PM_MOTION_ROTATION)
            return motion_fail_option(error, PM_ERROR_ARGUMENT, "additive",
                                      "the clip has cubic splines of positions or scales");
        to->base[channel->node][channel->path] =
            (certified){channel, &base->timelines[channel->timeline], NULL, 0, NULL};
    }
    return PM_OK;
}

void additive_pose(const additive_space *space, size_t side, certified (*added)[3]) {
    for (size_t n = 0; n < space->content.node_count / ADDITIVE_NODES; n++) {
        certified(*chain)[3] = &space->sides[side][ADDITIVE_NODES * n];
        chain[PLACE][PM_MOTION_POSITION] = space->base[n][PM_MOTION_POSITION];
        chain[TURN][PM_MOTION_POSITION] = added[n][PM_MOTION_POSITION];
        chain[TURN][PM_MOTION_ROTATION] = space->base[n][PM_MOTION_ROTATION];
        chain[ADDED][PM_MOTION_ROTATION] = added[n][PM_MOTION_ROTATION];
        chain[ADDED][PM_MOTION_SCALE] = added[n][PM_MOTION_SCALE];
        chain[JOINT][PM_MOTION_SCALE] = space->base[n][PM_MOTION_SCALE];
    }
}
