/* SPDX-License-Identifier: MIT
 *
 * A motion, scaled and turned. A turn of the world is a turn of the roots: what hangs on them
 * is relative to them.
 */
#include "motion/convert/adjust.h"

#include <math.h>
#include <string.h>

#include "motion/model/made.h"
#include "motion/model/similarity.h"

typedef struct adjustment {
    double scale;
    double turn[4];          /* a unit quaternion about x */
    bool is_body;            /* the path is added to the rest place of the pelvis: */
    int32_t pelvis, carrier; /* the nodes that turn, and that the path moves */
    double rest[3];          /* scaled */
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
    for (size_t i = 0; i < 3 && path == PM_MOTION_POSITION; i++)
        value[i] += a->rest[i];
    if (path == PM_MOTION_POSITION)
        turn_vector(a, value);
    for (size_t i = 0; i < 3 && path == PM_MOTION_POSITION; i++)
        value[i] -= a->rest[i];
    if (path == PM_MOTION_ROTATION)
        quat_multiply(a->turn, value, value);
}

static void adjust_array(const adjustment *a, const pm_motion_channel *channel, bool is_root,
                         size_t keys, const pm_array *array) {
    double *values = motion_own_values(array);
    for (size_t k = 0; values && k < keys; k++)
        adjust_value(a, channel->path, is_root, values + k * channel->components);
}

static bool is_turned(const adjustment *a, const pm_motion *motion,
                      const pm_motion_channel *channel, size_t index) {
    if (a->is_body && channel->node >= 0)
        return channel->node == (channel->path == PM_MOTION_POSITION ? a->carrier : a->pelvis);
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
static bool adjust_clip(const adjustment *a, const pm_motion *motion, size_t clip, pm_motion *made,
                        pm_motion_clip *to) {
    motion_arena *arena = &made->arena;
    pm_motion_channel *channels = motion_own_channels(arena, to);
    uint32_t *map = motion_allocate(arena, to->channel_count, sizeof *map);
    bool good = channels && map, same = true;
    for (size_t c = 0; good && c < to->channel_count; c++) {
        const pm_timeline *timeline = &to->timelines[channels[c].timeline];
        const bool is_root = is_turned(a, motion, &channels[c], c);
        map[c] = (uint32_t)c;
        if (!changes(a, channels[c].path, is_root))
            continue;
        map[c] = PM_NO_INDEX32;
        same = false;
        good = motion_own_keys(arena, &channels[c], timeline);
        if (!good)
            break;
        adjust_array(a, &channels[c], is_root, timeline->key_count, &channels[c].keys);
        adjust_array(a, &channels[c], is_root, timeline->key_count, &channels[c].in);
        adjust_array(a, &channels[c], is_root, timeline->key_count, &channels[c].out);
    }
    return good && motion_add_rows(made, clip,
                                   &(motion_run){.count = motion_count_rows(to),
                                                 .source = motion,
                                                 .clip = clip,
                                                 .channels = same ? NULL : map});
}

static bool adjust_nodes(const adjustment *a, pm_motion *made) {
    pm_motion_node *nodes = motion_own_nodes(made);
    for (size_t n = 0; nodes && n < made->content.node_count; n++) {
        const bool is_root = nodes[n].parent < 0 && !a->is_body;
        adjust_value(a, PM_MOTION_POSITION, is_root, nodes[n].position);
        adjust_value(a, PM_MOTION_ROTATION, is_root, nodes[n].rotation);
        scale_vector(a, nodes[n].tail);
    }
    return nodes != NULL;
}

/* Inverse binds lead from the mesh to the joint: the mesh is scaled and turned too. Their rotation is
 * undone on the right, and their translation is scaled. */
static void adjust_binds(const adjustment *a, size_t joints, float *binds) {
    for (size_t row = 0; row < 3 * joints; row++) {
        float *r = binds + 4 * row;
        double left[3] = {(double)r[0], (double)r[1], (double)r[2]};
        turn_vector(a, left);
        for (size_t i = 0; i < 3; i++)
            r[i] = (float)left[i];
        r[3] = (float)((double)r[3] * a->scale);
    }
}

static bool adjust_skins(const adjustment *a, pm_motion *made) {
    const size_t count = made->content.skin_count;
    pm_motion_skin *skins = motion_allocate(&made->arena, count, sizeof *skins);
    for (size_t s = 0; skins && s < count; s++) {
        skins[s] = made->content.skins[s];
        const size_t size = 12 * sizeof(float);
        float *binds = motion_allocate(&made->arena, skins[s].joint_count, size);
        if (!binds)
            return false;
        if (!skins[s].inverse_binds)
            continue;
        memcpy(binds, skins[s].inverse_binds, skins[s].joint_count * size);
        adjust_binds(a, skins[s].joint_count, binds);
        skins[s].inverse_binds = binds;
    }
    made->content.skins = skins;
    return skins != NULL;
}

/* ---- bodies -------------------------------------------------------------------------------- */

static bool has_channel(const pm_motion_content *content, int32_t node, pm_motion_path path) {
    for (size_t c = 0; content->clip_count > 0 && c < content->clips[0].channel_count; c++)
        if (content->clips[0].channels[c].node == node &&
            content->clips[0].channels[c].path == path)
            return true;
    return false;
}

/* The path of a body moves a root, which is the pelvis or what the pelvis hangs on. */
static void find_pelvis(const pm_motion *motion, adjustment *a) {
    const pm_motion *form = motion_form_of(motion);
    const pm_motion_content *content = &motion->content;
    if (!form || !form->is_body_model || !form->has_given_joints)
        return;
    for (int32_t n = 0; (size_t)n < content->node_count && !a->is_body; n++) {
        const pm_motion_node *node = &content->nodes[n];
        a->pelvis = n;
        a->carrier = node->parent >= 0 ? node->parent : n;
        a->is_body = has_channel(content, n, PM_MOTION_ROTATION) &&
                     has_channel(content, a->carrier, PM_MOTION_POSITION) &&
                     content->nodes[a->carrier].parent < 0;
    }
    for (size_t i = 0; i < 3 && a->is_body && a->pelvis != a->carrier; i++)
        a->rest[i] = a->scale * content->nodes[a->pelvis].position[i];
}

bool motion_knows_pelvis(const pm_motion *motion) {
    const pm_motion *form = motion_form_of(motion);
    adjustment a = {.scale = 1};
    find_pelvis(motion, &a);
    return a.is_body && !form->has_no_lengths;
}

/* ---- the whole ----------------------------------------------------------------------------- */

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
    if (of->path != PM_MOTION_SCALAR && is_turned(&a, motion, of, channel))
        turn_vector(&a, velocity);
}

pm_motion *motion_adjusted(const pm_motion *motion, motion_adjustment by) {
    adjustment a = prepare(by);
    pm_motion_clip *clips = NULL;
    if (by.turn != MOTION_TURN_NONE)
        find_pelvis(motion, &a);
    pm_motion *to = made_begin(motion, &clips);
    bool good = to && adjust_nodes(&a, to) && adjust_skins(&a, to);
    for (size_t i = 0; good && i < to->content.clip_count; i++)
        good = adjust_clip(&a, motion, i, to, &clips[i]);
    if (!good) {
        pm_motion_destroy(&to);
        return NULL;
    }
    to->form_scale *= by.scale;
    to->is_scaled = to->is_scaled || by.scale != 1;
    to->is_turned = to->is_turned || by.turn != MOTION_TURN_NONE;
    if (by.turn != MOTION_TURN_NONE)
        to->content.up = by.turn == MOTION_TURN_Z_TO_Y ? PM_MOTION_UP_Y : PM_MOTION_UP_Z;
    if (by.to_unit_mm > 0)
        to->content.unit_mm = by.to_unit_mm;
    return to;
}
