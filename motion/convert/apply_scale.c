/* SPDX-License-Identifier: MIT
 *
 * Takes uniform scales out of nodes, and multiplies the lengths below them. A uniform scale commutes with all that
 * a node does, also with scales that stay.
 */
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/convert/scales.h"
#include "motion/model/evaluate.h"
#include "motion/model/made.h"
#include "motion/model/names.h"
#include "motion/model/pose.h"

typedef struct applying {
    const pm_motion *motion;
    pm_motion *to;
    uint32_t *order;
    bool *is_parent, *is_kept; /* by node */
    double *own;               /* the scale that is taken out of a node */
    double *world; /* of the node's own space: the product of those of the node and above it */
    pm_motion_scale_report *report;
} applying;

/* ---- which --------------------------------------------------------------------------------- */

static pm_status refuse(const applying *a, size_t node, const char *why, pm_error *error) {
    char shown[MOTION_PRINTABLE];
    motion_joint_name(shown, a->motion->content.nodes[node].name, (int64_t)node);
    return motion_fail_option(error, PM_ERROR_FILE, "apply-scale", "'%s' %s", shown, why);
}

/* A scale that changes stays where it is. A constant one is to be that of the rest pose. */
static pm_status look_at_clip(const applying *a, const pm_motion_clip *clip, pm_error *error) {
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        double value[3];
        if (channel->node < 0 || channel->path != PM_MOTION_SCALE)
            continue;
        const double *rest = a->motion->content.nodes[channel->node].scale;
        if (!scales_are_constant(clip, channel)) {
            a->is_kept[channel->node] = true;
            continue;
        }
        for (uint32_t i = 0; i < 3; i++)
            value[i] = evaluate_number(&channel->keys, 3, 0, i);
        for (int i = 0; i < 3; i++)
            if (!scales_are_near(value[i], rest[i]))
                return refuse(a, (size_t)channel->node,
                              "has a scale in a clip that is not the one of its rest pose", error);
    }
    return PM_OK;
}

/* Vertices of a mesh without a skin are in the space of their node. */
static bool has_rigid_mesh(const applying *a, size_t node) {
    const pm_motion *form = motion_form_of(a->motion);
    return form && form->format->has_rigid_mesh &&
           form->content.node_count == a->motion->content.node_count &&
           form->format->has_rigid_mesh(form, node);
}

static void note_kept(const applying *a, size_t node) {
    pm_motion_scale_report *report = a->report;
    report->first_kept = report->kept == 0 ? (uint32_t)node : report->first_kept;
    report->kept++;
}

static pm_status find_scale(const applying *a, size_t node, pm_error *error) {
    const pm_motion_node *n = &a->motion->content.nodes[node];
    const double above = n->parent >= 0 ? a->world[n->parent] : 1;
    const double *s = n->scale;
    const bool is_one =
        scales_are_near(s[0], 1) && scales_are_near(s[1], 1) && scales_are_near(s[2], 1);
    a->own[node] = 1;
    if (!a->is_kept[node] && !scales_are_uniform(s))
        return refuse(a, node, "has a scale that is not uniform", error);
    if (!a->is_kept[node] && !is_one) {
        if (s[0] == 0)
            return refuse(a, node, "has the scale 0", error);
        a->own[node] = s[0];
        a->report->applied++;
    }
    a->world[node] = above * a->own[node];
    if (a->is_kept[node] || (has_rigid_mesh(a, node) && a->world[node] != 1))
        note_kept(a, node);
    if (!has_rigid_mesh(a, node) || a->world[node] == 1)
        return PM_OK;
    if (a->is_parent[node])
        return refuse(a, node, "has a mesh without a skin, which its scale is for, and children",
                      error);
    a->report->applied -= a->own[node] != 1;
    a->own[node] = 1 / above; /* the whole scale stays at the leaf */
    a->world[node] = 1;
    return PM_OK;
}

static pm_status find_scales(const applying *a, pm_error *error) {
    const pm_motion_content *content = &a->motion->content;
    for (size_t i = 0; i < content->clip_count; i++)
        MOTION_TRY(look_at_clip(a, &content->clips[i], error));
    for (size_t n = 0; n < content->node_count; n++)
        if (content->nodes[n].parent >= 0)
            a->is_parent[content->nodes[n].parent] = true;
    for (size_t i = 0; i < content->node_count; i++)
        MOTION_TRY(find_scale(a, a->order[i], error));
    return PM_OK;
}

/* ---- what they are put into ---------------------------------------------------------------- */

static double above(const applying *a, size_t node) {
    const int32_t parent = a->motion->content.nodes[node].parent;
    return parent >= 0 ? a->world[parent] : 1;
}

static bool scale_nodes(const applying *a) {
    pm_motion_node *nodes = motion_own_nodes(a->to);
    for (size_t n = 0; nodes && n < a->to->content.node_count; n++)
        for (int i = 0; i < 3; i++) {
            nodes[n].position[i] *= above(a, n);
            nodes[n].tail[i] *= a->world[n];
            nodes[n].scale[i] /= a->own[n];
        }
    return nodes != NULL;
}

static void scale_array(const pm_array *array, size_t keys, double factor) {
    for (size_t i = 0; array->data && i < 3 * keys; i++)
        motion_own_values(array)[i] *= factor;
}

static bool scale_clip(const applying *a, size_t index) {
    pm_motion_clip *clip = (pm_motion_clip *)(uintptr_t)&a->to->content.clips[index];
    pm_motion_channel *channels = motion_own_channels(&a->to->arena, clip);
    bool good = channels != NULL, has_changed = false;
    for (size_t c = 0; good && c < clip->channel_count; c++) {
        pm_motion_channel *channel = &channels[c];
        const pm_timeline *timeline = &clip->timelines[channel->timeline];
        const size_t node = channel->node >= 0 ? (size_t)channel->node : 0;
        const double factor = channel->node < 0                     ? 1
                              : channel->path == PM_MOTION_POSITION ? above(a, node)
                              : channel->path == PM_MOTION_SCALE    ? 1 / a->own[node]
                                                                    : 1;
        if (factor == 1)
            continue;
        has_changed = true;
        good = motion_own_keys(&a->to->arena, channel, timeline);
        if (!good)
            break;
        scale_array(&channel->keys, timeline->key_count, factor);
        scale_array(&channel->in, timeline->key_count, factor);
        scale_array(&channel->out, timeline->key_count, factor);
    }
    return good && motion_keep_rows(a->to, index, a->motion, has_changed);
}

/* Matrices that lead from the mesh to a joint's space, whose lengths are multiplied. */
static bool scale_skin(const applying *a, pm_motion_skin *skin) {
    bool is_same = true;
    for (size_t j = 0; j < skin->joint_count; j++)
        is_same = is_same && a->world[skin->joints[j]] == 1;
    if (is_same)
        return true;
    float *binds = motion_allocate(&a->to->arena, skin->joint_count, 12 * sizeof *binds);
    for (size_t i = 0; binds && i < 12 * skin->joint_count; i++) {
        const double number = skin->inverse_binds ? (double)skin->inverse_binds[i]
                              : i % 12 % 5 == 0   ? 1
                                                  : 0;
        binds[i] = (float)(number * a->world[skin->joints[i / 12]]);
    }
    skin->inverse_binds = binds;
    return binds != NULL;
}

static bool scale_skins(const applying *a) {
    const size_t count = a->to->content.skin_count;
    pm_motion_skin *skins = motion_allocate(&a->to->arena, count, sizeof *skins);
    bool good = skins != NULL;
    if (good && count > 0)
        memcpy(skins, a->motion->content.skins, count * sizeof *skins);
    for (size_t s = 0; good && s < count; s++)
        good = scale_skin(a, &skins[s]);
    a->to->content.skins = skins;
    return good;
}

/* What a file's vertices are multiplied by in the space of each node. */
static bool scale_form(const applying *a) {
    const size_t count = a->motion->content.node_count;
    double *scales = motion_allocate(&a->to->arena, count, sizeof *scales);
    for (size_t n = 0; scales && n < count; n++)
        scales[n] = a->world[n] * (a->motion->node_scales ? a->motion->node_scales[n] : 1);
    a->to->node_scales = scales;
    return scales != NULL;
}

/* ---- public -------------------------------------------------------------------------------- */

static pm_status apply(applying *a, pm_error *error) {
    const size_t count = a->motion->content.node_count;
    SCOPED(motion_arena_release) motion_arena scratch = {NULL};
    pm_motion_clip *clips = NULL;
    a->to = made_begin(a->motion, &clips);
    a->order = motion_allocate(&scratch, count, sizeof *a->order);
    a->is_parent = motion_allocate(&scratch, count, sizeof *a->is_parent);
    a->is_kept = motion_allocate(&scratch, count, sizeof *a->is_kept);
    a->own = motion_allocate(&scratch, count, sizeof *a->own);
    a->world = motion_allocate(&scratch, count, sizeof *a->world);
    const bool has_room = a->to && a->order && a->is_parent && a->is_kept && a->own && a->world &&
                          pose_order(&a->motion->content, a->order);
    MOTION_TRY_MEMORY(has_room, error);
    MOTION_TRY(find_scales(a, error));
    MOTION_TRY_MEMORY(scale_nodes(a) && scale_skins(a) && scale_form(a), error);
    for (size_t i = 0; i < a->to->content.clip_count; i++)
        MOTION_TRY_MEMORY(scale_clip(a, i), error);
    return PM_OK;
}

pm_status pm_motion_apply_scale(const pm_motion *motion, pm_motion **applied,
                                pm_motion_scale_report *report, pm_error *error) {
    pm_motion_scale_report found = {.first_kept = PM_NO_INDEX32};
    MOTION_REQUIRE(error, motion, applied);
    C_LOCALE_HERE;
    applying a = {.motion = motion, .report = &found};
    pm_status status = motion_check_keys(motion, error);
    if (status == PM_OK)
        status = apply(&a, error);
    if (status == PM_OK)
        status = made_end(&a.to, applied, error);
    pm_motion_destroy(&a.to);
    if (report)
        *report = found;
    return status;
}
