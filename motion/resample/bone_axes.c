/* SPDX-License-Identifier: MIT
 *
 * Twist axes from the bones of a skeleton. Tails count as children. pm_bone_axes takes parents before
 * their children; nodes of a file may have any order.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/resample/tracks.h"

typedef struct bones {
    size_t count;       /* nodes, then tails */
    int32_t *place;     /* of each node, after its parent's */
    int32_t *parents;   /* by place */
    double *offsets;    /* (count, 3), by place */
    double *directions; /* (count, 3), by place */
} bones;

static void free_bones(bones *b) {
    MOTION_FREE(b->place, b->parents, b->offsets, b->directions);
}

static bool allocate(bones *b, size_t nodes) {
    const size_t most = 2 * nodes + 1; /* each with a tail */
    b->place = calloc(most, sizeof *b->place);
    b->parents = calloc(most, sizeof *b->parents);
    b->offsets = calloc(most, 3 * sizeof *b->offsets);
    b->directions = calloc(most, 3 * sizeof *b->directions);
    return b->place && b->parents && b->offsets && b->directions;
}

/* Gives places to a node and to those of its ancestors that have none. */
static void place_node(const pm_motion_content *content, int32_t node, bones *b) {
    size_t above = 0; /* ancestors without a place */
    for (int32_t n = node; n >= 0 && b->place[n] < 0; n = content->nodes[n].parent)
        above++;
    for (size_t at = b->count + above, n = (size_t)node; at > b->count; at--) {
        b->place[n] = (int32_t)(at - 1);
        n = (size_t)content->nodes[n].parent;
    }
    b->count += above;
}

static void add_bone(bones *b, int32_t place, int32_t parent, const double offset[3]) {
    b->parents[place] = parent;
    memcpy(b->offsets + 3 * (size_t)place, offset, 3 * sizeof *offset);
}

static void list_bones(const pm_motion_content *content, bones *b) {
    for (size_t n = 0; n < content->node_count; n++)
        b->place[n] = -1;
    for (size_t n = 0; n < content->node_count; n++)
        place_node(content, (int32_t)n, b);
    for (size_t n = 0; n < content->node_count; n++) {
        const pm_motion_node *node = &content->nodes[n];
        add_bone(b, b->place[n], node->parent < 0 ? -1 : b->place[node->parent], node->position);
        if (node->has_tail)
            add_bone(b, (int32_t)b->count++, b->place[n], node->tail);
    }
}

double *tracks_bone_axes(const track_group *group, const pm_motion_clip *clip,
                         const pm_motion_content *content) {
    bones b = {.count = 0};
    double *axes = calloc(group->track_count, 3 * sizeof *axes);
    if (!axes || !allocate(&b, content->node_count)) {
        free_bones(&b);
        free(axes);
        return NULL;
    }
    list_bones(content, &b);
    const bool found = b.count > 0 && pm_bone_axes(b.parents, b.offsets, b.count, b.directions);
    for (size_t t = 0; t < group->track_count; t++) {
        const int32_t node = clip->channels[group->numbers[t].channel].node;
        axes[3 * t + 1] = 1; /* up, where there are no bones */
        if (found && node >= 0)
            memcpy(axes + 3 * t, b.directions + 3 * (size_t)b.place[node], 3 * sizeof *axes);
    }
    free_bones(&b);
    return axes;
}
