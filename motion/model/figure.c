/* SPDX-License-Identifier: MIT
 *
 * The figure is what skins bind: a camera or a floor beside it is none of it.
 */
#include "motion/model/figure.h"

#include <math.h>

#include "motion/model/pose.h"

/* Of nodes in the world. */
typedef struct box {
    double low[3], high[3];
} box;

static void add_place(box *b, const double place[3]) {
    for (size_t i = 0; i < 3; i++) {
        b->low[i] = fmin(b->low[i], place[i]);
        b->high[i] = fmax(b->high[i], place[i]);
    }
}

static double longest_of(const box *b) {
    double longest = 0;
    for (size_t i = 0; i < 3; i++)
        longest = fmax(longest, b->high[i] - b->low[i]);
    return isfinite(longest) ? longest : 0;
}

static void mark_figure(const pm_motion_content *content, bool *is_part) {
    for (size_t n = 0; n < content->node_count; n++)
        is_part[n] = content->skin_count == 0;
    for (size_t s = 0; s < content->skin_count; s++)
        for (size_t j = 0; j < content->skins[s].joint_count; j++)
            is_part[content->skins[s].joints[j]] = true;
}

/* Of the channels of a clip, those whose keys are in memory; of NULL none. False: memory is exhausted. */
static bool find_keys(motion_arena *arena, const pm_motion_content *content,
                      const pm_motion_clip *clip, node_channels **found) {
    static const pm_motion_clip none;
    *found = pose_find_channels(arena, clip ? clip : &none, content->node_count);
    for (size_t n = 0; *found && n < content->node_count; n++)
        for (size_t path = 0; path < 3; path++) {
            const pm_motion_channel **channel = &(*found)[n].of[path];
            if (*channel &&
                (!(*channel)->keys.data || clip->timelines[(*channel)->timeline].key_count == 0))
                *channel = NULL;
        }
    return *found != NULL;
}

static void add_node(box *b, const pm_motion_node *node, const similarity *world) {
    const similarity tail = {.q = {0, 0, 0, 1}, .p = {node->tail[0], node->tail[1], node->tail[2]}};
    const similarity end = similarity_product(world, &tail);
    add_place(b, world->p);
    if (node->has_tail)
        add_place(b, end.p);
}

/* At the beginning of a clip; of NULL in the rest pose. */
static double measure(const pm_motion_content *content, const pm_motion_clip *clip) {
    const size_t count = content->node_count;
    motion_arena arena = {NULL};
    uint32_t *order = motion_allocate(&arena, count, sizeof *order);
    similarity *world = motion_allocate(&arena, count, sizeof *world);
    bool *is_part = motion_allocate(&arena, count, sizeof *is_part);
    node_channels *channels = NULL;
    box found = {{(double)INFINITY, (double)INFINITY, (double)INFINITY},
                 {-(double)INFINITY, -(double)INFINITY, -(double)INFINITY}};
    const bool good = order && world && is_part && find_keys(&arena, content, clip, &channels) &&
                      pose_order(content, order);
    if (good)
        mark_figure(content, is_part);
    for (size_t i = 0; good && i < count; i++) {
        const uint32_t n = order[i];
        const pm_motion_node *node = &content->nodes[n];
        world[n] = pose_local(node, &channels[n], clip, -(double)INFINITY);
        if (node->parent >= 0)
            world[n] = similarity_product(&world[node->parent], &world[n]);
        if (is_part[n])
            add_node(&found, node, &world[n]);
    }
    motion_arena_release(&arena);
    return longest_of(&found);
}

static bool has_positions(const pm_motion_clip *clip) {
    for (size_t c = 0; c < clip->channel_count; c++)
        if (clip->channels[c].node >= 0 && clip->channels[c].path == PM_MOTION_POSITION)
            return true;
    return false;
}

double motion_figure_size(const pm_motion_content *content) {
    double size = content->node_count > 0 ? measure(content, NULL) : 0;
    for (size_t i = 0; content->node_count > 0 && size == 0 && i < content->clip_count; i++)
        if (has_positions(&content->clips[i]))
            return measure(content, &content->clips[i]);
    return size;
}
