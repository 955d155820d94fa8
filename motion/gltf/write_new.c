/* SPDX-License-Identifier: MIT
 *
 * A new document of a motion of any format: asset, one scene with the nodes, skins, and an animation for
 * each clip, whose channels have no data yet. The tail of a bone, for which glTF has no place, stands in
 * the extras of its node.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/printable.h"
#include "motion/gltf/write.h"
#include "motion/model/compose.h"
#include "motion/model/pose.h"
#include "motion/model/rest_pose.h"

typedef struct maker {
    const pm_motion_content *content;
    const motion_writing *writing;
    gltf_new_document *made;
    json_t *root;
    unsigned char *binds; /* of skins */
    size_t binds_size;
    size_t *targeted; /* by node and path: clip + 1 of the last channel */
    size_t scalars, weights, nodeless, repeated, empty; /* that are left out */
    bool failed;                                        /* memory is exhausted */
} maker;

enum { PATHS = 3 }; /* rotation, translation, scale */

/* ---- members ------------------------------------------------------------------------------- */

/* These take over `value`; with NULL, and when memory is exhausted, the maker has failed. */
static void set(maker *m, json_t *object, const char *key, json_t *value) {
    m->failed = json_object_set_new(object, key, value) != 0 || m->failed;
}

static void append(maker *m, json_t *array, json_t *value) {
    m->failed = json_array_append_new(array, value) != 0 || m->failed;
}

static json_t *index_of(size_t index) {
    return json_integer((json_int_t)index);
}

/* A name; an empty one is left out, and bytes that are not UTF-8 become U+FFFD. */
static void set_name(maker *m, json_t *object, pm_motion_name name) {
    static const char replacement[] = "\xef\xbf\xbd";
    enum { REPLACEMENT = sizeof replacement - 1 };
    if (name.size == 0)
        return;
    FREED char *text = name.size < SIZE_MAX / REPLACEMENT ? malloc(REPLACEMENT * name.size) : NULL;
    size_t used = 0;
    for (size_t at = 0; text && at < name.size;) {
        const size_t length = utf8_length(name.text + at, name.size - at);
        const size_t size = length > 0 ? length : REPLACEMENT;
        memcpy(text + used, length > 0 ? name.text + at : replacement, size);
        used += size;
        at += length > 0 ? length : 1;
    }
    set(m, object, "name", text ? json_stringn_nocheck(text, used) : NULL);
}

static void set_numbers(maker *m, json_t *object, const char *key, const double *numbers,
                        size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        append(m, array, json_real(numbers[i]));
    set(m, object, key, array);
}

/* ---- nodes --------------------------------------------------------------------------------- */

static bool are_finite(const double *numbers, size_t count) {
    bool is_finite = true;
    for (size_t i = 0; i < count; i++)
        is_finite = is_finite && isfinite(numbers[i]);
    return is_finite;
}

static pm_status check_nodes(const pm_motion_content *content, pm_error *error) {
    MOTION_TRY(motion_check_nodes(content, "glTF", error));
    for (size_t n = 0; n < content->node_count; n++) {
        const pm_motion_node *node = &content->nodes[n];
        if (!are_finite(node->position, 3) || !are_finite(node->rotation, 4) ||
            !are_finite(node->scale, 3) || (node->has_tail && !are_finite(node->tail, 3)))
            return motion_refuse(error, "node %zu: a number of its rest pose is not finite", n);
    }
    return PM_OK;
}

/* Numbers that are not those without the member. */
static void set_changed(maker *m, json_t *object, const char *key, const double *numbers,
                        const double *otherwise, size_t count) {
    bool is_same = true;
    for (size_t i = 0; i < count; i++)
        is_same = is_same && numbers[i] == otherwise[i];
    if (!is_same)
        set_numbers(m, object, key, numbers, count);
}

static void set_pose(maker *m, json_t *json, const pm_motion_node *node) {
    static const double zero[] = {0, 0, 0}, unit[] = {0, 0, 0, 1}, one[] = {1, 1, 1};
    set_changed(m, json, "translation", node->position, zero, 3);
    set_changed(m, json, "rotation", node->rotation, unit, 4);
    set_changed(m, json, "scale", node->scale, one, 3);
    if (!node->has_tail)
        return;
    json_t *extras = json_object();
    set_numbers(m, extras, GLTF_TAIL, node->tail, 3);
    set(m, json, "extras", extras);
}

/* Appends a node to the children of its parent. */
static void add_child(maker *m, const json_t *nodes, size_t parent, size_t child) {
    json_t *json = json_array_get(nodes, parent);
    if (!json_object_get(json, "children"))
        set(m, json, "children", json_array());
    append(m, json_object_get(json, "children"), index_of(child));
}

static void add_nodes(maker *m) {
    json_t *nodes = json_array(), *roots = json_array();
    for (size_t n = 0; n < m->content->node_count; n++) {
        json_t *node = json_object();
        set_name(m, node, m->content->nodes[n].name);
        set_pose(m, node, &m->content->nodes[n]);
        append(m, nodes, node);
    }
    for (size_t n = 0; n < m->content->node_count; n++) {
        const int32_t parent = m->content->nodes[n].parent;
        if (parent < 0)
            append(m, roots, index_of(n));
        else
            add_child(m, nodes, (size_t)parent, n);
    }
    set(m, m->root, "scene", index_of(0));
    set(m, m->root, "scenes", json_pack("[{so}]", "nodes", roots));
    set(m, m->root, "nodes", nodes);
}

/* ---- skins --------------------------------------------------------------------------------- */

/* Of each skin a view, which has one accessor. */
static pm_status add_binds(maker *m, const pm_motion_skin *skin, json_t *json, pm_error *error) {
    json_t *views = gltf_array_of(m->root, "bufferViews");
    const size_t index = json_array_size(views), offset = m->binds_size;
    MOTION_TRY(gltf_store_binds(skin, (size_t)(skin - m->content->skins), &m->binds, &m->binds_size,
                                error));
    append(m, views,
           json_pack("{si sI sI}", "buffer", 0, "byteOffset", (json_int_t)offset, "byteLength",
                     (json_int_t)(m->binds_size - offset)));
    m->failed =
        !gltf_add_accessor(m->root, (json_int_t)index, 0, skin->joint_count, "MAT4") || m->failed;
    set(m, json, "inverseBindMatrices", index_of(index));
    return PM_OK;
}

/* The common root of the joints need not be known: PM_NO_INDEX32. */
static pm_status add_skin(maker *m, const pm_motion_skin *skin, uint32_t root, pm_error *error) {
    json_t *json = json_object(), *joints = json_array();
    set_name(m, json, skin->name);
    if (root != PM_NO_INDEX32)
        set(m, json, "skeleton", index_of(root));
    for (size_t j = 0; j < skin->joint_count; j++)
        append(m, joints, index_of(skin->joints[j]));
    set(m, json, "joints", joints);
    const pm_status status = skin->inverse_binds ? add_binds(m, skin, json, error) : PM_OK;
    append(m, json_object_get(m->root, "skins"), json);
    return status;
}

/* A node, and the root of its tree. */
typedef struct member {
    uint32_t root, node;
} member;

static int compare_members(const void *a, const void *b) {
    const member *x = a, *y = b;
    return x->root != y->root ? (x->root > y->root) - (x->root < y->root)
                              : (x->node > y->node) - (x->node < y->node);
}

/* All nodes by their trees. */
static void find_members(const pm_motion_content *content, const uint32_t *order, member *members) {
    for (size_t i = 0; i < content->node_count; i++) {
        const int32_t parent = content->nodes[order[i]].parent;
        const uint32_t root = parent < 0 ? order[i] : members[parent].root;
        members[order[i]] = (member){root, order[i]};
    }
    qsort(members, content->node_count, sizeof *members, compare_members);
}

static pm_status add_tree(maker *m, const member *members, size_t count, double (*world)[3][4],
                          pm_error *error) {
    FREED uint32_t *joints = malloc(count * sizeof *joints);
    FREED float *binds = calloc(count, 12 * sizeof *binds);
    const pm_motion_skin skin = {
        .name = {"", 0}, .joints = joints, .joint_count = count, .inverse_binds = binds};
    MOTION_TRY_MEMORY(joints && binds, error);
    for (size_t j = 0; j < count; j++) {
        joints[j] = members[j].node;
        rest_pose_inverse(world[joints[j]], binds + 12 * j);
    }
    return add_skin(m, &skin, members->root, error);
}

/* A skin of each tree, as its joints have a common root. No mesh is bound to it, but editors make bones of
 * the joints of skins alone. */
static pm_status add_trees(maker *m, pm_error *error) {
    const size_t nodes = m->content->node_count;
    FREED uint32_t *order = calloc(nodes, sizeof *order);
    FREED member *members = calloc(nodes, sizeof *members);
    FREED double(*world)[3][4] = calloc(nodes, sizeof *world);
    MOTION_TRY_MEMORY(order && members && world && pose_order(m->content, order) &&
                          rest_pose_worlds(m->content, world),
                      error);
    find_members(m->content, order, members);
    for (size_t n = 0, count = 0; n < nodes; n += count) {
        for (count = 1; n + count < nodes && members[n + count].root == members[n].root;)
            count++;
        MOTION_TRY(add_tree(m, members + n, count, world, error));
    }
    return PM_OK;
}

/* Where no skin says more than the rest pose, skins are made of it. glTF has no skin without joints. */
static pm_status add_skins(maker *m, pm_error *error) {
    size_t empty = 0, count = 0;
    pm_status status =
        rest_pose_count_skins(m->content, &count) ? PM_OK : motion_refuse_memory(error);
    if (status == PM_OK && count == 0)
        return add_trees(m, error);
    for (size_t i = 0; status == PM_OK && i < m->content->skin_count; i++) {
        const pm_motion_skin *skin = &m->content->skins[i];
        if (skin->joint_count == 0)
            empty++;
        else
            status = add_skin(m, skin, PM_NO_INDEX32, error);
    }
    motion_leave_out(m->writing, empty, "skin without joints", "skins without joints");
    return status;
}

/* ---- animations ---------------------------------------------------------------------------- */

/* Whether glTF can hold a channel; it is counted if not. */
static bool is_held(maker *m, size_t clip, const pm_motion_channel *channel) {
    if (channel->path == PM_MOTION_SCALAR)
        m->scalars++;
    else if (channel->node < 0)
        m->nodeless++;
    else if (channel->path == PM_MOTION_WEIGHTS) /* which belong to a mesh */
        m->weights++;
    else {
        size_t *last = &m->targeted[PATHS * (size_t)channel->node + (size_t)channel->path];
        const bool is_first = *last != clip + 1;
        *last = clip + 1;
        m->repeated += !is_first;
        return is_first;
    }
    return false;
}

/* A channel with a sampler of its own, whose members get their values with the data. */
static void add_channel(maker *m, const json_t *animation, const pm_motion_channel *channel) {
    json_t *samplers = json_object_get(animation, "samplers");
    json_t *channels = json_object_get(animation, "channels");
    append(m, channels,
           json_pack("{sI s{sI ss}}", "sampler", (json_int_t)json_array_size(samplers), "target",
                     "node", (json_int_t)channel->node, "path", gltf_paths[channel->path]));
    append(m, samplers, json_pack("{si ss si}", "input", 0, "interpolation", "", "output", 0));
}

static void state_rate(maker *m, pm_rational rate, json_t *animation) {
    char text[48];
    if (rate.den == 0)
        return;
    snprintf(text, sizeof text, "%lld/%lld", (long long)rate.num, (long long)rate.den);
    set(m, animation, "extras", json_pack("{ss}", GLTF_RATE, text));
}

/* glTF has no animation without channels. */
static pm_status add_clip(maker *m, size_t index, pm_error *error) {
    const pm_motion_clip *clip = &m->content->clips[index];
    size_t *indices = calloc(clip->channel_count + 1, sizeof *indices), count = 0;
    json_t *animation = json_object();
    if (!indices || !animation) {
        free(indices);
        json_decref(animation);
        return motion_refuse_memory(error);
    }
    set_name(m, animation, clip->name);
    state_rate(m, clip->rate, animation);
    set(m, animation, "channels", json_array());
    set(m, animation, "samplers", json_array());
    for (size_t c = 0; c < clip->channel_count; c++) {
        const bool held = is_held(m, index, &clip->channels[c]);
        indices[c] = held ? count++ : GLTF_NONE;
        if (held)
            add_channel(m, animation, &clip->channels[c]);
    }
    m->made->clips[m->made->clip_count++] =
        (gltf_new_clip){.clip = clip,
                        .index = index,
                        .animation = animation,
                        .json_channels = indices,
                        .rest = m->writing->drops_rest ? m->content->nodes : NULL};
    m->empty += count == 0;
    if (count > 0)
        append(m, json_object_get(m->root, "animations"), json_incref(animation));
    return PM_OK;
}

static pm_status add_clips(maker *m, pm_error *error) {
    const size_t count = m->content->clip_count;
    pm_status status = PM_OK;
    m->targeted = calloc(m->content->node_count, PATHS * sizeof *m->targeted);
    m->made->clips = calloc(count + 1, sizeof *m->made->clips);
    if (!m->targeted || !m->made->clips)
        status = motion_refuse_memory(error);
    for (size_t i = 0; status == PM_OK && i < count; i++)
        status = add_clip(m, i, error);
    free(m->targeted);
    if (status != PM_OK)
        return status;
    motion_leave_out(m->writing, m->scalars, "scalar", "scalars");
    motion_leave_out(m->writing, m->nodeless, "channel of no node", "channels of no node");
    motion_leave_out(m->writing, m->weights, "channel of weights", "channels of weights");
    motion_leave_out(m->writing, m->repeated, "second channel of a node's property",
                     "second channels of a node's property");
    motion_leave_out(m->writing, m->empty, "clip without channels of nodes",
                     "clips without channels of nodes");
    return PM_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* In the order of members that files have. Arrays that remain empty are not written. */
static pm_status fill(maker *m, pm_error *error) {
    static const char *const arrays[] = {"skins", "animations", "buffers", "bufferViews",
                                         "accessors"};
    set(m, m->root, "asset", json_pack("{ss ss}", "version", "2.0", "generator", "Posemill"));
    add_nodes(m);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        set(m, m->root, arrays[i], json_array());
    MOTION_TRY(add_skins(m, error));
    MOTION_TRY(add_clips(m, error));
    return m->failed ? motion_refuse_memory(error) : PM_OK;
}

pm_status gltf_make_document(const motion_writing *writing, gltf_new_document *made,
                             pm_error *error) {
    maker m = {.content = &writing->motion->content, .writing = writing, .made = made};
    MOTION_TRY(check_nodes(m.content, error));
    m.root = json_object();
    pm_status status = m.root ? fill(&m, error) : motion_refuse_memory(error);
    made->buffer = (gltf_buffer){.data = m.binds, .size = m.binds_size, .owned = (char *)m.binds};
    made->document = (gltf_document){.root = m.root,
                                     .buffers = &made->buffer,
                                     .buffer_count = m.binds_size > 0,
                                     .has_unknown_references = true};
    return status;
}

void gltf_release_document(gltf_new_document *made) {
    for (size_t i = 0; i < made->clip_count; i++) {
        json_decref(made->clips[i].animation);
        free((size_t *)(uintptr_t)made->clips[i].json_channels);
    }
    MOTION_FREE(made->clips, made->buffer.owned);
    json_decref(made->document.root);
}
