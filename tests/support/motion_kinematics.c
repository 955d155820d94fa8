/* SPDX-License-Identifier: MIT
 *
 * Textbook formulas over the nodes of a motion.
 */
#include "motion_kinematics.h"

#include <string.h>

#include "motion_truth.h"

kinematics_matrix kinematics_multiply(const kinematics_matrix *a, const kinematics_matrix *b) {
    kinematics_matrix product;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) {
            product.m[r][c] = c == 3 ? a->m[r][3] : 0;
            for (int k = 0; k < 3; k++)
                product.m[r][c] += a->m[r][k] * b->m[k][c];
        }
    return product;
}

/* Translation, rotation, scale of a node. */
typedef struct local_pose {
    double of[3][4]; /* by pm_motion_path */
} local_pose;

static kinematics_matrix matrix_of(const local_pose *pose) {
    const double *q = pose->of[PM_MOTION_ROTATION], *s = pose->of[PM_MOTION_SCALE];
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    kinematics_matrix m;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            m.m[i][j] = r[i][j] * s[j];
        m.m[i][3] = pose->of[PM_MOTION_POSITION][i];
    }
    return m;
}

static local_pose rest_of(const pm_motion_node *node) {
    local_pose pose;
    memcpy(pose.of[PM_MOTION_ROTATION], node->rotation, sizeof node->rotation);
    memcpy(pose.of[PM_MOTION_POSITION], node->position, sizeof node->position);
    memcpy(pose.of[PM_MOTION_SCALE], node->scale, sizeof node->scale);
    return pose;
}

/* The pose of a node at a time of the clip; clip NULL: at rest. */
static kinematics_matrix local_of(const pm_motion_content *content, const pm_motion_clip *clip,
                                  int32_t node, double time) {
    local_pose pose = rest_of(&content->nodes[node]);
    for (size_t c = 0; clip && c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        const pm_timeline *timeline = &clip->timelines[channel->timeline];
        double value[TRUTH_NUMBERS];
        if (channel->node != node || channel->path > PM_MOTION_SCALE)
            continue;
        truth_at(channel, timeline, truth_find(timeline, time), value);
        memcpy(pose.of[channel->path], value, channel->components * sizeof *value);
    }
    return matrix_of(&pose);
}

kinematics_matrix kinematics_model(const pm_motion_content *content, const pm_motion_clip *clip,
                                   int32_t node, double time) {
    kinematics_matrix model = local_of(content, clip, node, time);
    for (int32_t up = content->nodes[node].parent; up >= 0; up = content->nodes[up].parent) {
        const kinematics_matrix above = local_of(content, clip, up, time);
        model = kinematics_multiply(&above, &model);
    }
    return model;
}
