/* SPDX-License-Identifier: MIT
 *
 * Twist axes from the bones of a skeleton. Tails count as children.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/resample/tracks.h"

/* Nodes, then tails, as pm_bone_axes takes them; returns their number. */
static size_t list_bones(const pm_motion_content *content, int32_t *parents, double *offsets) {
    size_t count = content->node_count;
    for (size_t n = 0; n < content->node_count; n++) {
        const pm_motion_node *node = &content->nodes[n];
        parents[n] = node->parent;
        memcpy(offsets + 3 * n, node->translation, sizeof node->translation);
        if (!node->has_tail)
            continue;
        parents[count] = (int32_t)n;
        memcpy(offsets + 3 * count++, node->tail, sizeof node->tail);
    }
    return count;
}

/* Directions of all nodes; false if memory is exhausted. *found: there are bones. */
static bool find_directions(const pm_motion_content *content, double *directions, bool *found) {
    const size_t most = 2 * content->node_count + 1;
    int32_t *parents = calloc(most, sizeof *parents);
    double *offsets = calloc(most, 3 * sizeof *offsets);
    const bool ready = parents && offsets;
    *found = false;
    if (ready) {
        const size_t count = list_bones(content, parents, offsets);
        *found = count > 0 && pm_bone_axes(parents, offsets, count, directions);
    }
    free(parents);
    free(offsets);
    return ready;
}

double *tracks_bone_axes(const track_group *group, const pm_motion_clip *clip,
                         const pm_motion_content *content) {
    double *directions = calloc(2 * content->node_count + 1, 3 * sizeof *directions);
    double *axes = calloc(group->track_count, 3 * sizeof *axes);
    bool found = false;
    if (!directions || !axes || !find_directions(content, directions, &found)) {
        free(directions);
        free(axes);
        return NULL;
    }
    for (size_t t = 0; t < group->track_count; t++) {
        const int32_t node = clip->channels[group->numbers[t].channel].node;
        axes[3 * t + 1] = 1;
        if (found && node >= 0)
            memcpy(axes + 3 * t, directions + 3 * (size_t)node, 3 * sizeof *axes);
    }
    free(directions);
    return axes;
}
