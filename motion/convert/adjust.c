/* SPDX-License-Identifier: MIT
 *
 * A motion, scaled and turned. A turn of the world is a turn of the roots: what hangs on them
 * is relative to them.
 */
#include "motion/convert/adjust.h"

#include <math.h>

#include "motion/model/copy.h"
#include "motion/model/similarity.h"

typedef struct adjustment {
    double scale;
    double turn[4]; /* a unit quaternion about x */
} adjustment;

/* Quarter turns are exact in whole numbers: y and z change places, and one of them its sign. */
static void turn_vector(const adjustment *a, double v[3]) {
    const double y = v[1], z = v[2];
    if (a->turn[0] == 0)
        return;
    v[1] = a->turn[0] < 0 ? z : -z;
    v[2] = a->turn[0] < 0 ? -y : y;
}

static void scale_vector(const adjustment *a, double v[3]) {
    for (size_t i = 0; i < 3; i++)
        v[i] *= a->scale;
}

static void adjust_value(const adjustment *a, pm_motion_path path, bool is_root, double *value) {
    if (path == PM_MOTION_POSITION)
        scale_vector(a, value);
    if (!is_root)
        return;
    if (path == PM_MOTION_POSITION)
        turn_vector(a, value);
    else if (path == PM_MOTION_ROTATION)
        quat_multiply(a->turn, value, value);
}

/* Keys of a copy are packed doubles that belong to it. */
static void adjust_array(const adjustment *a, const pm_motion_channel *channel, bool is_root,
                         size_t keys, const pm_array *array) {
    double *values = (double *)(uintptr_t)array->data;
    for (size_t k = 0; values && k < keys; k++)
        adjust_value(a, channel->path, is_root, values + k * channel->components);
}

static bool is_turned(const pm_motion *motion, const pm_motion_channel *channel, size_t index) {
    if (channel->node >= 0)
        return motion->content.nodes[channel->node].parent < 0;
    return !motion->turned || motion->turned[index];
}

static bool changes(const adjustment *a, pm_motion_path path, bool is_root) {
    const bool turns = is_root && a->turn[0] != 0;
    return (path == PM_MOTION_POSITION && (a->scale != 1 || turns)) ||
           (path == PM_MOTION_ROTATION && turns);
}

/* Channels without a change keep the numbers of the source. */
static bool adjust_clip(const adjustment *a, const pm_motion *motion, const pm_motion_clip *clip,
                        motion_arena *arena, pm_motion_clip *to) {
    pm_motion_channel *channels = motion_allocate(arena, clip->channel_count, sizeof *channels);
    bool good = channels != NULL;
    *to = *clip;
    to->channels = channels;
    for (size_t c = 0; good && c < clip->channel_count; c++) {
        const pm_motion_channel *from = &clip->channels[c];
        const pm_timeline *timeline = &clip->timelines[from->timeline];
        const bool is_root = is_turned(motion, from, c);
        channels[c] = *from;
        if (!changes(a, from->path, is_root))
            continue;
        good = motion_copy_channel(arena, from, timeline, &channels[c]);
        if (!good)
            break;
        adjust_array(a, from, is_root, timeline->key_count, &channels[c].keys);
        adjust_array(a, from, is_root, timeline->key_count, &channels[c].in);
        adjust_array(a, from, is_root, timeline->key_count, &channels[c].out);
    }
    return good;
}

static void adjust_nodes(const adjustment *a, const pm_motion_content *content) {
    pm_motion_node *nodes = (pm_motion_node *)(uintptr_t)content->nodes;
    for (size_t n = 0; n < content->node_count; n++) {
        const bool is_root = nodes[n].parent < 0;
        adjust_value(a, PM_MOTION_POSITION, is_root, nodes[n].position);
        adjust_value(a, PM_MOTION_ROTATION, is_root, nodes[n].rotation);
        scale_vector(a, nodes[n].tail);
    }
}

/* Inverse binds lead from the mesh to the joint: the mesh is scaled and turned too. Their rotation is
 * undone on the right, and their translation is scaled. */
static void adjust_skins(const adjustment *a, const pm_motion_content *content) {
    for (size_t s = 0; s < content->skin_count; s++) {
        float *binds = (float *)(uintptr_t)content->skins[s].inverse_binds;
        for (size_t row = 0; binds && row < 3 * content->skins[s].joint_count; row++) {
            float *r = binds + 4 * row;
            double left[3] = {(double)r[0], (double)r[1], (double)r[2]};
            turn_vector(a, left);
            for (size_t i = 0; i < 3; i++)
                r[i] = (float)left[i];
            r[3] = (float)((double)r[3] * a->scale);
        }
    }
}

static adjustment prepare(motion_adjustment by) {
    const double half = by.turn == MOTION_TURN_NONE     ? 0
                        : by.turn == MOTION_TURN_Z_TO_Y ? -sqrt(0.5)
                                                           : sqrt(0.5);
    return (adjustment){.scale = by.scale,
                        .turn = {half, 0, 0, by.turn == MOTION_TURN_NONE ? 1 : sqrt(0.5)}};
}

/* An angular velocity is a vector without a length. */
void motion_adjust_velocity(const pm_motion *motion, size_t channel, motion_adjustment by,
                            double *velocity) {
    const adjustment a = prepare(by);
    const pm_motion_channel *of = &motion->content.clips[0].channels[channel];
    if (of->path == PM_MOTION_POSITION)
        scale_vector(&a, velocity);
    if (of->path != PM_MOTION_SCALAR && is_turned(motion, of, channel))
        turn_vector(&a, velocity);
}

/* Which rows of the source's document a copy has; all have other numbers. */
static bool keep_rows(pm_motion *to, const pm_motion *from) {
    const size_t rows = from->row_count > 0 ? from->content.clips[0].timelines[0].key_count : 0;
    bool *changed = motion_allocate(&to->arena, rows, sizeof *changed);
    for (size_t k = 0; changed && k < rows; k++)
        changed[k] = true;
    to->row_first = from->row_first;
    to->row_count = from->row_count;
    to->changed = changed;
    return changed != NULL;
}

pm_motion *motion_adjusted(const pm_motion *motion, motion_adjustment by) {
    const adjustment a = prepare(by);
    pm_motion *to = motion_copy_nodes(&motion->content);
    const size_t count = motion->content.clip_count;
    pm_motion_clip *clips = to ? motion_allocate(&to->arena, count, sizeof *clips) : NULL;
    bool good = clips != NULL && motion_copy_layout(to, motion, true) && keep_rows(to, motion);
    for (size_t i = 0; good && i < count; i++)
        good = adjust_clip(&a, motion, &motion->content.clips[i], &to->arena, &clips[i]);
    if (!good) {
        pm_motion_destroy(&to);
        return NULL;
    }
    adjust_nodes(&a, &to->content);
    adjust_skins(&a, &to->content);
    to->layout_scale *= by.scale;
    to->content.clips = clips;
    to->content.clip_count = count;
    return to;
}
