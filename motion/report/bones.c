/* SPDX-License-Identifier: MIT
 *
 * Finds the bones of a skeleton: ways from a node to its child, but for those from nodes that only group.
 */
#include "motion/report/bones.h"

#include "motion/model/mover.h"

static bool is_moved(const subject *a, const pm_motion_channel *channel) {
    return channel && !motion_is_constant(channel, &a->clip->timelines[channel->timeline]);
}

/* Nodes that move neither by themselves nor with one above, such as an armature. */
static bool *find_still(motion_arena *arena, const subject *a) {
    bool *still = motion_allocate(arena, a->joint_count, sizeof *still);
    for (size_t i = 0; still && i < a->joint_count; i++) {
        const uint32_t joint = a->order[i];
        const int32_t parent = a->view.content.nodes[joint].parent;
        still[joint] = parent < 0 || still[parent];
        for (int path = 0; path < 3; path++)
            still[joint] = still[joint] && !is_moved(a, a->channels[joint].of[path]);
    }
    return still;
}

static bool is_bound(const subject *a, uint32_t joint) {
    for (size_t s = 0; s < a->skin_count; s++)
        for (size_t j = 0; j < a->view.content.skins[s].joint_count; j++)
            if (a->view.content.skins[s].joints[j] == joint)
                return true;
    return false;
}

/* Whether the way from a node that holds still to its child is no bone: the child leaves it, or it is no joint
 * of a skin where there are skins. */
static bool only_groups(const subject *a, const bool *still, int32_t parent, uint32_t child) {
    return still[parent] && (is_moved(a, a->channels[child].of[1]) ||
                             (a->skin_count > 0 && !is_bound(a, (uint32_t)parent)));
}

int32_t *bones_find(motion_arena *arena, const subject *a) {
    const bool *still = find_still(arena, a);
    int32_t *bones = motion_allocate(arena, a->joint_count, sizeof *bones);
    for (uint32_t j = 0; bones && still && j < a->joint_count; j++) {
        const int32_t parent = a->view.content.nodes[j].parent;
        bones[j] = parent >= 0 && !only_groups(a, still, parent, j) ? parent : -1;
    }
    return still ? bones : NULL;
}
