/* SPDX-License-Identifier: MIT
 *
 * A uniform scale of a node commutes with all rotations. So it can be taken out of the node when all
 * lengths below it are multiplied by it: no joint moves in the world.
 */
#include "motion/convert/scales.h"

#include <math.h>
#include <string.h>

#include "motion/model/evaluate.h"
#include "motion/model/made.h"

/* Tools write scales as float32, after decomposing matrices. */
static const double tolerance = 1e-5;

bool scales_are_near(double a, double b) {
    return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

bool scales_are_uniform(const double scale[3]) {
    return scales_are_near(scale[0], scale[1]) && scales_are_near(scale[0], scale[2]);
}

static void read_key(const pm_array *keys, size_t key, double value[3]) {
    for (uint32_t i = 0; i < 3; i++)
        value[i] = evaluate_number(keys, 3, key, i);
}

static bool are_zero(const pm_array *tangents, size_t keys) {
    for (size_t k = 0; tangents->data && k < keys; k++) {
        double value[3];
        read_key(tangents, k, value);
        if (value[0] != 0 || value[1] != 0 || value[2] != 0)
            return false;
    }
    return true;
}

bool scales_are_constant(const pm_motion_clip *clip, const pm_motion_channel *channel) {
    const size_t keys = clip->timelines[channel->timeline].key_count;
    double first[3], other[3];
    read_key(&channel->keys, 0, first);
    for (size_t k = 1; k < keys; k++) {
        read_key(&channel->keys, k, other);
        if (!scales_are_near(first[0], other[0]) || !scales_are_near(first[1], other[1]) ||
            !scales_are_near(first[2], other[2]))
            return false;
    }
    return keys < 2 || (are_zero(&channel->in, keys) && are_zero(&channel->out, keys));
}

static bool is_scale(const pm_motion_channel *channel) {
    return channel->node >= 0 && channel->path == PM_MOTION_SCALE;
}

static bool has_scales(const pm_motion_content *content, const pm_motion_clip *clip) {
    bool found = false;
    for (size_t n = 0; n < content->node_count && !found; n++)
        for (int i = 0; i < 3; i++)
            found = found || content->nodes[n].scale[i] != 1;
    for (size_t c = 0; c < clip->channel_count && !found; c++)
        found = is_scale(&clip->channels[c]);
    return found;
}

/* ---- the rest pose ------------------------------------------------------------------------- */

/* Moves scales that do not change from the clip to the nodes. Those of `own` are the uniform ones, also
 * of nodes whose scale changes: their first. */
static void rest_scales(pm_motion_clip *clip, pm_motion_channel *channels, pm_motion_node *nodes,
                        size_t node_count, double *own) {
    size_t kept = 0;
    for (size_t n = 0; n < node_count; n++)
        own[n] = scales_are_uniform(nodes[n].scale) ? nodes[n].scale[0] : 1;
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        double first[3];
        if (is_scale(channel)) {
            read_key(&channel->keys, 0, first);
            own[channel->node] = scales_are_uniform(first) ? first[0] : own[channel->node];
        }
        if (is_scale(channel) && scales_are_constant(clip, channel)) {
            memcpy(nodes[channel->node].scale, first, sizeof first);
            own[channel->node] = scales_are_uniform(first) ? first[0] : 1;
        } else {
            channels[kept++] = *channel;
        }
    }
    clip->channels = channels;
    clip->channel_count = kept;
}

/* ---- lengths ------------------------------------------------------------------------------- */

/* The scale of a node in the world. Parents may come after their children, and a chain may be long: up to
 * an ancestor that is done, and down again by `path`. */
static double world_scale(const pm_motion_node *nodes, size_t node, const double *own,
                          double *world, bool *done, size_t *path) {
    size_t count = 0;
    int32_t at = (int32_t)node;
    for (; at >= 0 && !done[at]; at = nodes[at].parent)
        path[count++] = (size_t)at;
    double scale = at >= 0 ? world[at] : 1;
    while (count-- > 0) {
        scale *= own[path[count]];
        world[path[count]] = scale;
        done[path[count]] = true;
    }
    return scale;
}

static bool scale_array(motion_arena *arena, size_t keys, double factor, pm_array *array) {
    if (!array->data)
        return true;
    double *copy = motion_allocate(arena, keys, 3 * sizeof *copy);
    for (size_t k = 0; copy && k < keys; k++)
        for (uint32_t i = 0; i < 3; i++)
            copy[3 * k + i] = factor * evaluate_number(array, 3, k, i);
    *array = (pm_array){.data = copy, .type = PM_FLOAT64};
    return copy != NULL;
}

static bool scale_channels(motion_arena *arena, const pm_motion_clip *clip,
                           pm_motion_channel *channels, const pm_motion_node *nodes,
                           const double *world) {
    bool good = true;
    for (size_t c = 0; good && c < clip->channel_count; c++) {
        pm_motion_channel *channel = &channels[c];
        const int32_t parent = channel->node >= 0 ? nodes[channel->node].parent : -1;
        const size_t keys = clip->timelines[channel->timeline].key_count;
        if (channel->path == PM_MOTION_POSITION && parent >= 0 && world[parent] != 1)
            good = scale_array(arena, keys, world[parent], &channel->keys) &&
                   scale_array(arena, keys, world[parent], &channel->in) &&
                   scale_array(arena, keys, world[parent], &channel->out);
    }
    return good;
}

static void scale_nodes(pm_motion_node *nodes, size_t count, const double *world) {
    for (size_t n = 0; n < count; n++) {
        pm_motion_node *node = &nodes[n];
        const double above = node->parent >= 0 ? world[node->parent] : 1;
        const bool uniform = scales_are_uniform(node->scale);
        for (size_t i = 0; i < 3; i++) {
            node->position[i] *= above;
            node->tail[i] *= world[n];
            node->scale[i] = uniform ? 1 : node->scale[i];
        }
    }
}

static bool fold(motion_arena *arena, motion_arena *scratch, const pm_motion_clip *clip,
                 pm_motion_channel *channels, pm_motion_node *nodes, size_t count,
                 const double *own) {
    double *world = motion_allocate(scratch, count, sizeof *world);
    bool *done = motion_allocate(scratch, count, sizeof *done);
    size_t *path = motion_allocate(scratch, count, sizeof *path);
    if (!world || !done || !path)
        return false;
    for (size_t n = 0; n < count; n++)
        world_scale(nodes, n, own, world, done, path);
    if (!scale_channels(arena, clip, channels, nodes, world))
        return false;
    scale_nodes(nodes, count, world);
    return true;
}

pm_status motion_fit_scales(const pm_motion *motion, size_t clip, motion_scales kind,
                            pm_motion **made, pm_error *error) {
    const pm_motion_content *from = &motion->content;
    *made = NULL;
    if (kind == MOTION_SCALES_ANIMATED || clip >= from->clip_count ||
        !has_scales(from, &from->clips[clip]))
        return PM_OK;
    SCOPED(motion_arena_release) motion_arena scratch = {NULL};
    pm_motion_clip *clips = NULL;
    SCOPED(pm_motion_destroy) pm_motion *to = made_begin(motion, &clips);
    pm_motion_node *nodes = to ? motion_own_nodes(to) : NULL;
    pm_motion_channel *channels = nodes ? motion_own_channels(&to->arena, &clips[clip]) : NULL;
    double *own = motion_allocate(&scratch, from->node_count, sizeof *own);
    MOTION_TRY_MEMORY(channels && own, error);
    rest_scales(&clips[clip], channels, nodes, from->node_count, own);
    if (kind != MOTION_SCALES_REST)
        MOTION_TRY_MEMORY(
            fold(&to->arena, &scratch, &clips[clip], channels, nodes, from->node_count, own),
            error);
    to->form = NULL;
    return made_end(&to, made, error);
}
