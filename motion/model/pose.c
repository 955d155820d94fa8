/* SPDX-License-Identifier: MIT
 *
 * Poses of nodes, by the interpolation that each channel was authored with.
 */
#include "motion/model/pose.h"

#include "motion/base/fault.h"
#include "motion/model/order.h"

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

bool pose_order(const pm_motion_content *content, uint32_t *order) {
    FREED uint32_t *place = calloc(content->node_count + 1, sizeof *place);
    return place && motion_order_nodes(content->nodes, content->node_count, order, place);
}

/* ---- places -------------------------------------------------------------------------------- */

/* The columns of a rotation, times scales. */
static void axes_of(const double q[4], const double scale[3], double axes[3][3]) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                            {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                            {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            axes[i][j] = m[i][j] * scale[i];
}

static void transform(const placed *by, const double v[3], double out[3]) {
    for (int j = 0; j < 3; j++)
        out[j] = by->axes[0][j] * v[0] + by->axes[1][j] * v[1] + by->axes[2][j] * v[2];
}

void pose_place(const double rotation[4], const double position[3], const double scale[3],
                const placed *parent, placed *to) {
    double axes[3][3];
    axes_of(rotation, scale, axes);
    memcpy(to->origin, position, sizeof to->origin);
    memcpy(to->axes, axes, sizeof to->axes);
    if (!parent)
        return;
    transform(parent, position, to->origin);
    for (int j = 0; j < 3; j++)
        to->origin[j] += parent->origin[j];
    for (int i = 0; i < 3; i++)
        transform(parent, axes[i], to->axes[i]);
}
