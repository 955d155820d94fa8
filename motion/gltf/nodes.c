/* SPDX-License-Identifier: MIT
 *
 * Nodes: names, hierarchy and rest pose.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/gltf/document.h"
#include "motion/gltf/matrix.h"

/* Rotations within this of unit length are as exact as files have them. */
#define UNIT_TOLERANCE 1e-3

static pm_status read_name(const json_t *json, const gltf_place *place, pm_motion_name *name,
                           pm_error *error) {
    const json_t *text = NULL;
    const pm_status status = gltf_get_text(json, place, "name", false, &text, error);
    *name = (pm_motion_name){"", 0};
    if (status == PM_OK && text)
        *name = (pm_motion_name){json_string_value(text), json_string_length(text)};
    return status;
}

/* ---- rest pose ----------------------------------------------------------------------------- */

static pm_status normalise(gltf_reader *reader, const gltf_place *place, double q[4],
                           pm_error *error) {
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(norm > 0.0) || !isfinite(norm))
        return gltf_refuse(error, place, "has the length %g; expected a unit quaternion", norm);
    for (size_t i = 0; i < 4; i++)
        q[i] /= norm;
    if (fabs(norm - 1.0) > UNIT_TOLERANCE)
        return gltf_note(reader, error, place, "has the length %g; normalised", norm);
    return PM_OK;
}

static pm_status read_matrix(gltf_reader *reader, const gltf_place *place, const double m[16],
                             pm_motion_node *node, pm_error *error) {
    const gltf_place *const at = GLTF_KEY(place, "matrix");
    if (m[3] != 0.0 || m[7] != 0.0 || m[11] != 0.0 || m[15] != 1.0)
        return gltf_refuse(error, at, "its fourth row is not 0 0 0 1");
    if (!matrix_decompose(m, node->position, node->rotation, node->scale))
        return gltf_note(reader, error, at,
                         "is no product of translation, rotation and scale; the rest pose is near "
                         "it");
    return PM_OK;
}

static pm_status read_pose(gltf_reader *reader, const json_t *json, const gltf_place *place,
                           pm_motion_node *node, pm_error *error) {
    bool has_matrix = false, has_t = false, has_r = false, has_s = false;
    double m[16];
    node->rotation[3] = 1.0;
    for (size_t i = 0; i < 3; i++)
        node->scale[i] = 1.0;
    pm_status status =
        gltf_get_numbers(json, place, "translation", 3, node->position, &has_t, error);
    if (status == PM_OK)
        status = gltf_get_numbers(json, place, "rotation", 4, node->rotation, &has_r, error);
    if (status == PM_OK)
        status = gltf_get_numbers(json, place, "scale", 3, node->scale, &has_s, error);
    if (status == PM_OK)
        status = gltf_get_numbers(json, place, "matrix", 16, m, &has_matrix, error);
    if (status == PM_OK && has_r)
        status = normalise(reader, GLTF_KEY(place, "rotation"), node->rotation, error);
    if (status != PM_OK || !has_matrix)
        return status;
    if (has_t || has_r || has_s)
        return gltf_refuse(error, GLTF_KEY(place, "matrix"),
                           "stands beside translation, rotation or scale");
    return read_matrix(reader, place, m, node, error);
}

/* ---- hierarchy ----------------------------------------------------------------------------- */

static pm_status read_children(const json_t *json, const gltf_place *place, size_t parent,
                               pm_motion_node *nodes, size_t count, pm_error *error) {
    const json_t *children = NULL;
    pm_status status = gltf_get_array(json, place, "children", false, &children, error);
    for (size_t i = 0; status == PM_OK && i < json_array_size(children); i++) {
        const gltf_place *const at = GLTF_ITEM(GLTF_KEY(place, "children"), i);
        size_t child = 0;
        status = gltf_index_of(json_array_get(children, i), at, count, &child, error);
        if (status == PM_OK && nodes[child].parent >= 0)
            return gltf_refuse(error, at, "node %zu is a child of node %d already", child,
                               (int)nodes[child].parent);
        if (status == PM_OK)
            nodes[child].parent = (int32_t)parent;
    }
    return status;
}

/* Each node has one parent at most, so that a node is below a root unless it is in a circle or below
 * one. Nodes found to be below a root are marked with 1, those on the way up with 2. */
static pm_status check_circles(const pm_motion_node *nodes, size_t count, pm_error *error) {
    unsigned char *state = calloc(count + 1, 1);
    size_t bad = count;
    if (!state)
        return motion_refuse_memory(error);
    for (size_t i = 0; i < count && bad == count; i++) {
        int32_t at = (int32_t)i;
        for (; at >= 0 && state[at] == 0; at = nodes[at].parent)
            state[at] = 2;
        if (at >= 0 && state[at] == 2)
            bad = (size_t)at;
        for (at = (int32_t)i; at >= 0 && state[at] == 2; at = nodes[at].parent)
            state[at] = 1;
    }
    free(state);
    if (bad == count)
        return PM_OK;
    return gltf_refuse(error, GLTF_KEY(GLTF_ITEM_OF("nodes", bad), "children"),
                       "node %zu is below itself", bad);
}

/* Of files that were composed here. Other extras may be anything. */
static pm_status read_tail(const json_t *json, const gltf_place *place, pm_motion_node *node,
                           pm_error *error) {
    const json_t *extras = json_object_get(json, "extras");
    if (json_array_size(json_object_get(json, "children")) > 0)
        return PM_OK;
    return gltf_get_numbers(extras, GLTF_KEY(place, "extras"), GLTF_TAIL, 3, node->tail,
                            &node->has_tail, error);
}

static pm_status read_node(gltf_reader *reader, const json_t *json, size_t i, pm_motion_node *nodes,
                           size_t count, pm_error *error) {
    const gltf_place *const place = GLTF_ITEM_OF("nodes", i);
    pm_status status = gltf_object_of(json, place, error);
    if (status == PM_OK)
        status = read_name(json, place, &nodes[i].name, error);
    if (status == PM_OK)
        status = read_pose(reader, json, place, &nodes[i], error);
    if (status == PM_OK)
        status = read_children(json, place, i, nodes, count, error);
    if (status == PM_OK)
        status = read_tail(json, place, &nodes[i], error);
    return status;
}

pm_status gltf_read_nodes(gltf_reader *reader, pm_error *error) {
    const json_t *array = NULL;
    pm_status status = gltf_get_array(reader->document->root, NULL, "nodes", false, &array, error);
    const size_t count = json_array_size(array);
    if (status != PM_OK)
        return status;
    reader->document->nodes = array;
    if (count > INT32_MAX)
        return gltf_refuse(error, GLTF_KEY(NULL, "nodes"), "has too many elements");
    pm_motion_node *nodes = gltf_allocate(reader, count, sizeof *nodes);
    if (!nodes)
        return motion_refuse_memory(error);
    for (size_t i = 0; i < count; i++)
        nodes[i].parent = -1;
    for (size_t i = 0; status == PM_OK && i < count; i++)
        status = read_node(reader, json_array_get(array, i), i, nodes, count, error);
    reader->motion->content.nodes = nodes;
    reader->motion->content.node_count = count;
    return status == PM_OK ? check_circles(nodes, count, error) : status;
}
