/* SPDX-License-Identifier: MIT
 *
 * Nodes: names, hierarchy and rest pose.
 */
#include <math.h>
#include <stdlib.h>

#include "motion/gltf/document.h"

/* Rotations within this of unit length are as exact as files have them. */
#define UNIT_TOLERANCE 1e-3

static bool normalise(gltf_reader *r, const gltf_place *place, double q[4]) {
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(norm > 0.0) || !isfinite(norm))
        return gltf_refuse(r, place, "has the length %g; expected a unit quaternion", norm);
    for (size_t i = 0; i < 4; i++)
        q[i] /= norm;
    return fabs(norm - 1.0) <= UNIT_TOLERANCE ||
           gltf_note(r, place, "has the length %g; normalised", norm);
}

static bool read_matrix(gltf_reader *r, const gltf_place *at, const double m[16],
                        pm_motion_node *node) {
    if (m[3] != 0.0 || m[7] != 0.0 || m[11] != 0.0 || m[15] != 1.0)
        return gltf_refuse(r, at, "its fourth row is not 0 0 0 1");
    return matrix_decompose(m, node->position, node->rotation, node->scale) ||
           gltf_note(r, at,
                     "is no product of translation, rotation and scale; the rest pose is near it");
}

static bool read_pose(gltf_reader *r, const json_t *json, const gltf_place *place,
                      pm_motion_node *node) {
    const gltf_place *const at = GLTF_KEY(place, "matrix");
    bool has_matrix = false, has_t = false, has_r = false, has_s = false;
    double m[16];
    node->rotation[3] = 1.0;
    for (size_t i = 0; i < 3; i++)
        node->scale[i] = 1.0;
    if (!gltf_get_numbers(r, json, place, "translation", 3, node->position, &has_t) ||
        !gltf_get_numbers(r, json, place, "rotation", 4, node->rotation, &has_r) ||
        !gltf_get_numbers(r, json, place, "scale", 3, node->scale, &has_s) ||
        !gltf_get_numbers(r, json, place, "matrix", 16, m, &has_matrix) ||
        (has_r && !normalise(r, GLTF_KEY(place, "rotation"), node->rotation)))
        return false;
    if (has_matrix && (has_t || has_r || has_s))
        return gltf_refuse(r, at, "stands beside translation, rotation or scale");
    return !has_matrix || read_matrix(r, at, m, node);
}

static bool read_children(gltf_reader *r, const json_t *json, const gltf_place *place,
                          size_t parent, pm_motion_node *nodes, size_t count) {
    const json_t *children = NULL;
    if (!gltf_get_array(r, json, place, "children", false, &children))
        return false;
    for (size_t i = 0; i < json_array_size(children); i++) {
        const gltf_place *const at = GLTF_ITEM(GLTF_KEY(place, "children"), i);
        size_t child = 0;
        if (!gltf_index_of(r, json_array_get(children, i), at, count, &child))
            return false;
        if (nodes[child].parent >= 0)
            return gltf_refuse(r, at, "node %zu is a child of node %d already", child,
                               (int)nodes[child].parent);
        nodes[child].parent = (int32_t)parent;
    }
    return true;
}

/* Each node has one parent at most, so that a node is below a root unless it is in a circle or below
 * one. Nodes found to be below a root are marked with 1, those on the way up with 2. */
static bool check_circles(gltf_reader *r, const pm_motion_node *nodes, size_t count) {
    FREED unsigned char *state = calloc(count + 1, 1);
    size_t bad = count;
    if (!state)
        return gltf_refuse_memory(r);
    for (size_t i = 0; i < count && bad == count; i++) {
        int32_t at = (int32_t)i;
        for (; at >= 0 && state[at] == 0; at = nodes[at].parent)
            state[at] = 2;
        if (at >= 0 && state[at] == 2)
            bad = (size_t)at;
        for (at = (int32_t)i; at >= 0 && state[at] == 2; at = nodes[at].parent)
            state[at] = 1;
    }
    return bad == count || gltf_refuse(r, GLTF_KEY(GLTF_ITEM_OF("nodes", bad), "children"),
                                       "node %zu is below itself", bad);
}

/* Of files that were composed here. Other extras may be anything. */
static bool read_tail(gltf_reader *r, const json_t *json, const gltf_place *place,
                      pm_motion_node *node) {
    return json_array_size(json_object_get(json, "children")) > 0 ||
           gltf_get_numbers(r, json_object_get(json, "extras"), GLTF_KEY(place, "extras"),
                            GLTF_TAIL, 3, node->tail, &node->has_tail);
}

bool gltf_read_nodes(gltf_reader *r) {
    const json_t *array = NULL;
    if (!gltf_get_array(r, r->document->root, NULL, "nodes", false, &array))
        return false;
    const size_t count = json_array_size(array);
    r->document->nodes = array;
    if (count > INT32_MAX)
        return gltf_refuse(r, GLTF_KEY(NULL, "nodes"), "has too many elements");
    pm_motion_node *nodes = gltf_allocate(r, count, sizeof *nodes);
    bool is_good = nodes != NULL;
    for (size_t i = 0; is_good && i < count; i++)
        nodes[i].parent = -1;
    for (size_t i = 0; is_good && i < count; i++) {
        const gltf_place *const place = GLTF_ITEM_OF("nodes", i);
        const json_t *json = json_array_get(array, i);
        is_good = gltf_object_of(r, json, place) && gltf_get_name(r, json, place, &nodes[i].name) &&
                  read_pose(r, json, place, &nodes[i]) &&
                  read_children(r, json, place, i, nodes, count) &&
                  read_tail(r, json, place, &nodes[i]);
    }
    r->motion->content.nodes = nodes;
    r->motion->content.node_count = nodes ? count : 0;
    return is_good && check_circles(r, nodes, count);
}
