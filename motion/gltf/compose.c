/* SPDX-License-Identifier: MIT
 *
 * A new document: asset, scene, nodes and skins. The tail of a bone, for which glTF has no place,
 * stands in the extras of its node.
 */
#include "motion/gltf/compose.h"

#include <math.h>
#include <stdlib.h>

#include "motion/gltf/write.h"
#include "motion/model/compose.h"

/* ---- nodes --------------------------------------------------------------------------------- */

static void set_numbers(gltf_composer *c, json_t *object, const char *key, const double *numbers,
                        size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        gltf_append(c, array, json_real(numbers[i]));
    gltf_set(c, object, key, array);
}

static bool all_are(const double *numbers, size_t count, double value) {
    for (size_t i = 0; i < count; i++)
        if (numbers[i] != value)
            return false;
    return true;
}

static bool is_finite(const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static pm_status check_nodes(const pm_motion_content *content, pm_error *error) {
    const pm_status status = motion_check_nodes(content, "glTF", error);
    if (status != PM_OK)
        return status;
    for (size_t n = 0; n < content->node_count; n++) {
        const pm_motion_node *node = &content->nodes[n];
        if (!is_finite(node->position, 3) || !is_finite(node->rotation, 4) ||
            !is_finite(node->scale, 3) || (node->has_tail && !is_finite(node->tail, 3)))
            return motion_refuse(error, "node %zu: a number of its rest pose is not finite", n);
    }
    return PM_OK;
}

static void set_pose(gltf_composer *c, json_t *json, const pm_motion_node *node) {
    if (!all_are(node->position, 3, 0))
        set_numbers(c, json, "translation", node->position, 3);
    if (!all_are(node->rotation, 3, 0) || node->rotation[3] != 1)
        set_numbers(c, json, "rotation", node->rotation, 4);
    if (!all_are(node->scale, 3, 1))
        set_numbers(c, json, "scale", node->scale, 3);
    if (!node->has_tail)
        return;
    json_t *extras = json_object();
    set_numbers(c, extras, GLTF_TAIL, node->tail, 3);
    gltf_set(c, json, "extras", extras);
}

/* Appends a node to the children of its parent. */
static void add_child(gltf_composer *c, const json_t *nodes, size_t parent, size_t child) {
    json_t *json = json_array_get(nodes, parent);
    if (!json_object_get(json, "children"))
        gltf_set(c, json, "children", json_array());
    gltf_append(c, json_object_get(json, "children"), gltf_index(child));
}

static void add_scene(gltf_composer *c, json_t *roots) {
    json_t *scenes = json_array(), *scene = json_object();
    gltf_set(c, scene, "nodes", roots);
    gltf_append(c, scenes, scene);
    gltf_set(c, c->root, "scene", gltf_index(0));
    gltf_set(c, c->root, "scenes", scenes);
}

static void add_nodes(gltf_composer *c) {
    json_t *nodes = json_array(), *roots = json_array();
    for (size_t n = 0; n < c->content->node_count; n++) {
        json_t *node = json_object();
        gltf_set_name(c, node, c->content->nodes[n].name);
        set_pose(c, node, &c->content->nodes[n]);
        gltf_append(c, nodes, node);
    }
    for (size_t n = 0; n < c->content->node_count; n++) {
        const int32_t parent = c->content->nodes[n].parent;
        if (parent < 0)
            gltf_append(c, roots, gltf_index(n));
        else
            add_child(c, nodes, (size_t)parent, n);
    }
    add_scene(c, roots);
    gltf_set(c, c->root, "nodes", nodes);
}

/* ---- skins --------------------------------------------------------------------------------- */

/* Columns of 4x4 from rows of 3x4. */
static bool store_matrix(const float *from, unsigned char *at) {
    bool finite = true;
    for (size_t column = 0; column < 4; column++)
        for (size_t row = 0; row < 4; row++, at += sizeof(float)) {
            const float last = column == 3 ? 1 : 0;
            const float number = row < 3 ? from[4 * row + column] : last;
            finite = gltf_store_float(at, (double)number) && finite;
        }
    return finite;
}

static pm_status add_binds(gltf_composer *c, const pm_motion_skin *skin, json_t *json,
                           pm_error *error) {
    size_t index = GLTF_NONE;
    gltf_begin_view(c);
    unsigned char *at = gltf_add_accessor(c, skin->joint_count, 16, "MAT4", &index);
    if (!at)
        return motion_refuse_memory(error);
    for (size_t j = 0; j < skin->joint_count; j++)
        if (!store_matrix(skin->inverse_binds + 12 * j, at + 16 * sizeof(float) * j))
            return motion_refuse(error, "skin %zu: inverse bind matrix %zu is not finite",
                                 (size_t)(skin - c->content->skins), j);
    gltf_end_view(c);
    gltf_set(c, json, "inverseBindMatrices", gltf_index(index));
    return PM_OK;
}

static pm_status add_skin(gltf_composer *c, const pm_motion_skin *skin, json_t *skins,
                          pm_error *error) {
    json_t *json = json_object(), *joints = json_array();
    gltf_set_name(c, json, skin->name);
    for (size_t j = 0; j < skin->joint_count; j++)
        gltf_append(c, joints, gltf_index(skin->joints[j]));
    gltf_set(c, json, "joints", joints);
    const pm_status status = skin->inverse_binds ? add_binds(c, skin, json, error) : PM_OK;
    gltf_append(c, skins, json);
    return status;
}

/* glTF has no skin without joints. */
static pm_status add_skins(gltf_composer *c, pm_error *error) {
    json_t *skins = json_array();
    size_t empty = 0;
    pm_status status = skins ? PM_OK : motion_refuse_memory(error);
    for (size_t i = 0; status == PM_OK && i < c->content->skin_count; i++) {
        const pm_motion_skin *skin = &c->content->skins[i];
        if (skin->joint_count == 0)
            empty++;
        else
            status = add_skin(c, skin, skins, error);
    }
    motion_leave_out(c->options, empty, "skin without joints", "skins without joints");
    if (json_array_size(skins) > 0)
        gltf_set(c, c->root, "skins", json_incref(skins));
    json_decref(skins);
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void add_asset(gltf_composer *c) {
    json_t *asset = json_object();
    gltf_set(c, asset, "version", json_string("2.0"));
    gltf_set(c, asset, "generator", json_string("Posemill"));
    gltf_set(c, c->root, "asset", asset);
}

static void add_buffer(gltf_composer *c) {
    json_t *buffers = json_array(), *buffer = json_object();
    gltf_set(c, buffer, "byteLength", gltf_index(c->size));
    gltf_append(c, buffers, buffer);
    gltf_set(c, c->root, "buffers", buffers);
    gltf_set(c, c->root, "bufferViews", json_incref(c->views));
    gltf_set(c, c->root, "accessors", json_incref(c->accessors));
}

static pm_status fill(gltf_composer *c, pm_error *error) {
    c->root = json_object();
    c->accessors = json_array();
    c->views = json_array();
    if (!c->root || !c->accessors || !c->views)
        return motion_refuse_memory(error);
    add_asset(c);
    add_nodes(c);
    pm_status status = add_skins(c, error);
    if (status == PM_OK)
        status = gltf_compose_clips(c, error);
    if (status == PM_OK && c->size > 0)
        add_buffer(c);
    return status == PM_OK && c->failed ? motion_refuse_memory(error) : status;
}

/* The document is written as if it had been read: buffer 0 holds the data, and nothing is dropped. */
static pm_status write_document(const gltf_composer *c, bool is_binary, const motion_sink *sink,
                                pm_error *error) {
    gltf_buffer buffer = {.data = c->data, .size = c->size};
    gltf_document document = {.root = c->root,
                              .buffers = &buffer,
                              .buffer_count = c->size > 0,
                              .has_unknown_references = true};
    const pm_motion composed = {.document = &document};
    return gltf_write(&composed, NULL, 0, is_binary, sink, error);
}

pm_status gltf_compose(const pm_motion *motion, const motion_writing *options, bool is_binary,
                       const motion_sink *sink, pm_error *error) {
    gltf_composer c = {.content = &motion->content, .options = options};
    pm_status status = check_nodes(c.content, error);
    if (status == PM_OK)
        status = fill(&c, error);
    if (status == PM_OK)
        status = write_document(&c, is_binary, sink, error);
    json_decref(c.root);
    json_decref(c.accessors);
    json_decref(c.views);
    free(c.data);
    return status;
}
