/* SPDX-License-Identifier: MIT
 *
 * A skeleton with its clips from a motion: the joints of a skin with their ancestors, or all nodes.
 */
#include "motion/character/character.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/model/compose.h"
#include "motion/model/evaluate.h"

/* That a skeleton may have: what is farther is not in the bounds of a crowd. */
static const double largest_radius = 1e6;

/* ---- joints -------------------------------------------------------------------------------- */

/* Marks nodes of the skin and their ancestors by joint_of != UINT32_MAX. */
static void mark_skin(character *c, const pm_motion_skin *skin) {
    for (size_t j = 0; j < skin->joint_count; j++)
        for (int32_t n = (int32_t)skin->joints[j]; n >= 0 && c->joint_of[n] == UINT32_MAX;
             n = c->content->nodes[n].parent)
            c->joint_of[n] = 0;
}

static pm_status find_joints(character *c, const pm_motion_skin *skin, pm_error *error) {
    const size_t nodes = c->content->node_count;
    c->joint_of = motion_allocate(&c->arena, nodes, sizeof *c->joint_of);
    c->nodes = motion_allocate(&c->arena, nodes, sizeof *c->nodes);
    MOTION_TRY_MEMORY(c->joint_of && c->nodes, error);
    memset(c->joint_of, skin ? 0xFF : 0, nodes * sizeof *c->joint_of);
    if (skin)
        mark_skin(c, skin);
    for (size_t n = 0; n < nodes; n++)
        if (c->joint_of[n] != UINT32_MAX) {
            c->joint_of[n] = (uint32_t)c->joint_count;
            c->nodes[c->joint_count++] = (uint32_t)n;
        }
    return PM_OK;
}

/* ---- the skeleton -------------------------------------------------------------------------- */

static pm_array array_of(const double *numbers) {
    return (pm_array){.data = numbers, .type = PM_FLOAT64};
}

/* Ancestors that are not in the skin have no mesh bound to them: an identity. */
static pm_status add_inverse_binds(character *c, const pm_motion_skin *skin, pm_error *error) {
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    if (!skin || !skin->inverse_binds)
        return PM_OK;
    float *binds = motion_allocate(&c->arena, c->joint_count, sizeof identity);
    MOTION_TRY_MEMORY(binds, error);
    for (size_t j = 0; j < c->joint_count; j++)
        memcpy(binds + 12 * j, identity, sizeof identity);
    for (size_t j = 0; j < skin->joint_count; j++)
        memcpy(binds + 12 * (size_t)c->joint_of[skin->joints[j]], skin->inverse_binds + 12 * j,
               sizeof identity);
    c->made.skeleton.inverse_binds = (pm_array){.data = binds, .type = PM_FLOAT32};
    return PM_OK;
}

static pm_status make_skeleton(character *c, const pm_motion_skin *skin, pm_error *error) {
    int32_t *parents = motion_allocate(&c->arena, c->joint_count, sizeof *parents);
    double *rotations = motion_allocate(&c->arena, c->joint_count, 4 * sizeof *rotations);
    double *positions = motion_allocate(&c->arena, c->joint_count, 3 * sizeof *positions);
    double *scales = motion_allocate(&c->arena, c->joint_count, 3 * sizeof *scales);
    MOTION_TRY_MEMORY(parents && rotations && positions && scales, error);
    for (size_t j = 0; j < c->joint_count; j++) {
        const pm_motion_node *node = &c->content->nodes[c->nodes[j]];
        parents[j] = node->parent < 0 ? -1 : (int32_t)c->joint_of[node->parent];
        memcpy(rotations + 4 * j, node->rotation, sizeof node->rotation);
        memcpy(positions + 3 * j, node->position, sizeof node->position);
        memcpy(scales + 3 * j, node->scale, sizeof node->scale);
    }
    c->made.skeleton = (pm_skeleton_desc){.joint_count = c->joint_count,
                                          .parents = parents,
                                          .rotations = array_of(rotations),
                                          .positions = array_of(positions),
                                          .scales = array_of(scales)};
    c->made.nodes = c->nodes;
    return add_inverse_binds(c, skin, error);
}

/* ---- places in outputs --------------------------------------------------------------------- */

/* Outputs are in skeleton order, which depends on the parents alone. */
static pm_status place(character *c, const pm_motion_skin *skin, const uint32_t *order,
                       pm_error *error) {
    const size_t nodes = c->content->node_count;
    uint32_t *node_slots = motion_allocate(&c->arena, nodes, sizeof *node_slots);
    uint32_t *slot_nodes = motion_allocate(&c->arena, c->joint_count, sizeof *slot_nodes);
    uint32_t *skin_slots =
        skin ? motion_allocate(&c->arena, skin->joint_count, sizeof *skin_slots) : NULL;
    if (!node_slots || !slot_nodes || (skin && !skin_slots))
        return motion_refuse_memory(error);
    memset(node_slots, 0xFF, nodes * sizeof *node_slots);
    for (size_t k = 0; k < c->joint_count; k++) {
        slot_nodes[k] = c->nodes[order[k]];
        node_slots[slot_nodes[k]] = (uint32_t)k;
    }
    for (size_t j = 0; skin && j < skin->joint_count; j++)
        skin_slots[j] = node_slots[skin->joints[j]];
    c->made.node_slots = node_slots;
    c->made.node_count = nodes;
    c->made.slot_nodes = slot_nodes;
    c->made.skin_slots = skin_slots;
    c->made.skin_joint_count = skin ? skin->joint_count : 0;
    return PM_OK;
}

static void find_mover(character *c) {
    const uint32_t node = c->content->mover;
    const bool is_below =
        node != PM_NO_INDEX32 && c->joint_of[node] != UINT32_MAX && c->made.node_slots[node] != 0;
    c->made.moves_below_root = is_below ? c->joint_of[node] : PM_NO_INDEX32;
}

static pm_status find_slots(character *c, const pm_motion_skin *skin, pm_error *error) {
    const pm_skeleton_desc desc = {.joint_count = c->joint_count,
                                   .parents = c->made.skeleton.parents};
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
    MOTION_TRY(pm_skeleton_create(&desc, &skeleton, error));
    return place(c, skin, pm_skeleton_order(skeleton), error);
}

/* ---- radii --------------------------------------------------------------------------------- */

/* Of all meshes that the joints move, also of other skins. A motion whose vertices cannot be read has none. */
static pm_status add_radii(character *c, const pm_motion *motion, pm_error *error) {
    pm_motion_reach *reach = motion_allocate(&c->arena, c->content->node_count, sizeof *reach);
    float *radii = motion_allocate(&c->arena, c->joint_count, sizeof *radii);
    pm_error fault = {.status = PM_OK};
    bool has_mesh = false;
    MOTION_TRY_MEMORY(reach && radii, error);
    const pm_status status = pm_motion_find_reach(motion, reach, &has_mesh, &fault);
    if (status == PM_ERROR_FILE) {
        c->made.unread_mesh = motion_copy_text(&c->arena, fault.message, strlen(fault.message));
        return c->made.unread_mesh ? PM_OK : motion_refuse_memory(error);
    }
    if (status != PM_OK && error)
        *error = fault;
    for (size_t j = 0; status == PM_OK && j < c->joint_count; j++) {
        const double farthest = reach[c->nodes[j]].farthest;
        radii[j] = nextafterf((float)fmin(farthest, largest_radius), (float)largest_radius);
        radii[j] = farthest > 0 ? radii[j] : 0;
    }
    c->made.skeleton.radii = has_mesh ? radii : NULL;
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Whether a channel of positions has those of the rest pose at all times, as float32, which crowds keep. */
static bool is_still(const character *c, const pm_motion_clip *clip,
                     const pm_motion_channel *channel) {
    const double *rest = c->content->nodes[channel->node].position;
    if (channel->interpolation == PM_MOTION_CUBICSPLINE)
        return false;
    for (size_t k = 0; k < clip->timelines[channel->timeline].key_count; k++)
        for (uint32_t i = 0; i < 3; i++)
            if ((float)evaluate_number(&channel->keys, 3, k, i) != (float)rest[i])
                return false;
    return true;
}

static void find_paths(character *c, bool all_positions) {
    bool moves_others = all_positions;
    for (size_t i = 0; i < c->content->clip_count; i++)
        for (size_t n = 0; n < c->content->clips[i].channel_count; n++) {
            const pm_motion_clip *clip = &c->content->clips[i];
            const pm_motion_channel *channel = &clip->channels[n];
            const bool ours = channel->node >= 0 && c->joint_of[channel->node] != UINT32_MAX;
            const bool moves = ours && channel->path == PM_MOTION_POSITION;
            c->moves |= moves;
            moves_others |= moves && !moves_others && c->made.node_slots[channel->node] != 0 &&
                            !is_still(c, clip, channel);
            c->scales |= ours && channel->path == PM_MOTION_SCALE;
        }
    c->root_moves_alone = c->moves && !moves_others;
}

static pm_status take_file(character *c, const char *path, pm_error *error) {
#ifdef POSEMILL_GLTF
    return character_take_file(c, path, error);
#else
    (void)c;
    return motion_fail_at(error, PM_ERROR_FILE, path, NULL,
                          "this build reads no JSON; configure with -DPOSEMILL_GLTF=ON");
#endif
}

static pm_status make(character *c, const pm_motion *motion,
                      const pm_motion_character_options *options, pm_error *error) {
    const pm_motion_content *content = c->content;
    const pm_motion_skin *skin = content->skin_count ? &content->skins[options->skin] : NULL;
    pm_clip_desc *clips = motion_allocate(&c->arena, content->clip_count, sizeof *clips);
    MOTION_TRY_MEMORY(clips, error);
    MOTION_TRY(find_joints(c, skin, error));
    MOTION_TRY(make_skeleton(c, skin, error));
    MOTION_TRY(find_slots(c, skin, error));
    MOTION_TRY(add_radii(c, motion, error));
    if (options->file)
        MOTION_TRY(take_file(c, options->file, error));
    find_mover(c);
    find_paths(c, options->all_positions);
    for (size_t i = 0; i < content->clip_count; i++) {
        clips[i].method = options->method;
        MOTION_TRY(character_make_clip(c, &content->clips[i], &clips[i], error));
    }
    c->made.clips = clips;
    c->made.clip_count = content->clip_count;
    return PM_OK;
}

static pm_status check(const pm_motion_content *content, const pm_motion_character_options *options,
                       pm_error *error) {
    MOTION_TRY(motion_check_nodes(content, "a character", error));
    if (content->clip_count == 0)
        return motion_refuse(error, "has no clips; a character requires one");
    return content->skin_count && options->skin >= content->skin_count
               ? motion_fail(error, PM_ERROR_ARGUMENT, "skin is %zu, the motion has %zu",
                             options->skin, content->skin_count)
               : PM_OK;
}

static pm_status make_character(const pm_motion *motion, const pm_motion_character_options *options,
                                const pm_motion_character **made, pm_error *error) {
    character *c = calloc(1, sizeof *c);
    MOTION_TRY_MEMORY(c, error);
    c->content = &motion->content;
    const pm_status status = make(c, motion, options, error);
    c->content = NULL; /* the motion may be destroyed */
    *made = &c->made;
    if (status != PM_OK)
        pm_motion_character_destroy(made);
    return status;
}

pm_status pm_motion_character_create(const pm_motion *motion,
                                     const pm_motion_character_options *options,
                                     const pm_motion_character **made, pm_error *error) {
    static const pm_motion_character_options defaults;
    if (!motion || !made)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                           !motion ? "motion" : "character");
    options = options ? options : &defaults;
    C_LOCALE_HERE;
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_character_options, options, error));
    MOTION_TRY(motion_check_keys(motion, error));
    MOTION_TRY(check(&motion->content, options, error));
    return make_character(motion, options, made, error);
}

void pm_motion_character_destroy(const pm_motion_character **made) {
    if (!made || !*made)
        return;
    character *c = (character *)(uintptr_t)*made;
    motion_arena_release(&c->arena);
    free(c);
    *made = NULL;
}
