/* SPDX-License-Identifier: MIT
 *
 * Poses of nodes, by the interpolation that each channel was authored with.
 */
#include "motion/model/pose.h"

#include <stdlib.h>
#include <string.h>

const uint32_t pose_components[3] = {4, 3, 3};

node_channels *pose_find_channels(motion_arena *arena, const pm_motion_clip *clip, size_t count) {
    node_channels *found = motion_allocate(arena, count, sizeof *found);
    for (size_t c = 0; found && c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        if (channel->node >= 0 && channel->path <= PM_MOTION_SCALE)
            found[channel->node].of[channel->path] = channel;
    }
    return found;
}

void pose_value(const pm_motion_node *node, const node_channels *own, const pm_motion_clip *clip,
                pm_motion_path path, double time, double *value) {
    const pm_motion_channel *channel = own->of[path];
    if (channel)
        evaluate_channel(channel, &clip->timelines[channel->timeline], time, value);
    else
        memcpy(value, evaluate_rest_value(node, path), pose_components[path] * sizeof *value);
}

similarity pose_local(const pm_motion_node *node, const node_channels *own,
                      const pm_motion_clip *clip, double time) {
    similarity pose = evaluate_rest(node);
    double scale[3] = {pose.s};
    double *const parts[3] = {pose.q, pose.p, scale};
    for (int path = 0; path < 3; path++)
        if (own->of[path])
            pose_value(node, own, clip, (pm_motion_path)path, time, parts[path]);
    pose.s = scale[0];
    evaluate_normalise(pose.q);
    return pose;
}

/* Each chain of nodes without a place in the order, from its top. */
bool pose_order(const pm_motion_content *content, uint32_t *order) {
    const pm_motion_node *nodes = content->nodes;
    bool *placed = calloc(content->node_count + 1, sizeof *placed);
    size_t count = 0;
    for (size_t j = 0; placed && j < content->node_count; j++) {
        size_t above = 0;
        for (int32_t n = (int32_t)j; n >= 0 && !placed[n]; n = nodes[n].parent)
            above++;
        int32_t n = (int32_t)j;
        for (size_t at = count + above; at > count; at--, n = nodes[n].parent) {
            order[at - 1] = (uint32_t)n;
            placed[n] = true;
        }
        count += above;
    }
    free(placed);
    return placed != NULL;
}
