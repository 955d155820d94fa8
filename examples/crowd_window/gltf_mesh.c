/* SPDX-License-Identifier: MIT
 *
 * POSITION, NORMAL, JOINTS_0 and WEIGHTS_0 of triangles. Without NORMAL normals are computed.
 * Textures are not read: a mesh has the colour of its material's factor.
 */
#include "gltf_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "gltf_accessor.h"

typedef struct reader {
    const glb *file;
    uint16_t *joints; /* of the character, for each joint of the skin */
    size_t joint_count;
    mesh *mesh;
    bool lacks_normals;
    pm_error *error;
} reader;

typedef struct attributes {
    accessor position, normal, joints, weights;
    bool has_normal;
    uint8_t colour[4];
} attributes;

enum { TRIANGLES = 4 };

/* Primitives may share data, so a small file can describe a large mesh. */
static const size_t most_elements = (size_t)1 << 28;

/* ---- vertices ----------------------------------------------------------------------------- */

static pm_status read_weights(const reader *r, const attributes *a, size_t row, vertex *v) {
    double sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        const double weight = accessor_number(&a->weights, row, i);
        const double joint = accessor_number(&a->joints, row, i);
        if (!(weight >= 0 && weight <= 1e6))
            return fault(r->error, PM_ERROR_FILE, "WEIGHTS_0: vertex %zu has a weight of %g", row,
                         weight);
        if (weight > 0 && !(joint >= 0 && joint < (double)r->joint_count))
            return fault(r->error, PM_ERROR_FILE, "JOINTS_0: vertex %zu has a joint %g of %zu", row,
                         joint, r->joint_count);
        v->joints[i] = r->joints[weight > 0 ? (size_t)joint : 0];
        v->weights[i] = (float)weight;
        sum += weight;
    }
    for (int i = 0; i < 4; i++)
        v->weights[i] = sum > 0 ? (float)((double)v->weights[i] / sum) : (float)(i == 0);
    return PM_OK;
}

static pm_status read_vertex(const reader *r, const attributes *a, size_t row, vertex *v) {
    for (unsigned i = 0; i < 3; i++) {
        v->position[i] = (float)accessor_number(&a->position, row, i);
        v->normal[i] = a->has_normal ? (float)accessor_number(&a->normal, row, i) : 0.0f;
        if (!(fabsf(v->position[i]) <= 1e6f))
            return fault(r->error, PM_ERROR_FILE, "POSITION: vertex %zu is not finite", row);
    }
    memcpy(v->colour, a->colour, sizeof v->colour);
    return read_weights(r, a, row, v);
}

static bool grow(void **memory, size_t count, size_t size) {
    void *more = count <= SIZE_MAX / size ? realloc(*memory, count * size) : NULL;
    *memory = more ? more : *memory;
    return more;
}

static pm_status add_vertices(reader *r, const attributes *a) {
    mesh *m = r->mesh;
    const size_t count = a->position.count;
    void *memory = m->vertices;
    if (a->joints.count != count || a->weights.count != count ||
        (a->has_normal && a->normal.count != count))
        return fault(r->error, PM_ERROR_FILE, "the attributes of a mesh differ in length");
    if (count > most_elements - m->vertex_count)
        return fault(r->error, PM_ERROR_SIZE, "more than %zu vertices", most_elements);
    const bool grown = grow(&memory, m->vertex_count + count, sizeof *m->vertices);
    m->vertices = memory;
    if (!grown)
        return fault_memory(r->error);
    pm_status status = PM_OK;
    for (size_t row = 0; status == PM_OK && row < count; row++)
        status = read_vertex(r, a, row, &m->vertices[m->vertex_count + row]);
    m->vertex_count += count;
    r->lacks_normals = r->lacks_normals || !a->has_normal;
    return status;
}

/* `indices` NULL: the vertices in order. */
static pm_status add_indices(reader *r, const accessor *indices, size_t first, size_t vertices) {
    mesh *m = r->mesh;
    const size_t count = indices ? indices->count : vertices;
    void *memory = m->indices;
    if (count > most_elements - m->index_count)
        return fault(r->error, PM_ERROR_SIZE, "more than %zu indices", most_elements);
    const bool grown = grow(&memory, m->index_count + count, sizeof *m->indices);
    m->indices = memory;
    if (!grown)
        return fault_memory(r->error);
    for (size_t i = 0; i < count / 3 * 3; i++) {
        const double at = indices ? accessor_number(indices, i, 0) : (double)i;
        if (!(at >= 0 && at < (double)vertices))
            return fault(r->error, PM_ERROR_FILE, "a triangle has a vertex %g of %zu", at,
                         vertices);
        m->indices[m->index_count++] = (uint32_t)(first + (size_t)at);
    }
    return PM_OK;
}

/* ---- primitives --------------------------------------------------------------------------- */

static void read_colour(const reader *r, const json_t *primitive, uint8_t colour[4]) {
    const json_t *material =
        glb_element(r->file, "materials", json_object_get(primitive, "material"));
    const json_t *factor =
        json_object_get(json_object_get(material, "pbrMetallicRoughness"), "baseColorFactor");
    for (size_t i = 0; i < 3; i++) {
        const json_t *value = json_array_get(factor, i);
        const double number = json_is_number(value) ? json_number_value(value) : 0.8;
        /* the factor is linear, and colours here are for the screen */
        colour[i] = (uint8_t)(255 * pow(fmin(fmax(number, 0), 1), 1 / 2.2) + 0.5);
    }
    colour[3] = 120;
}

static pm_status read_primitive(reader *r, const json_t *primitive) {
    const json_t *all = json_object_get(primitive, "attributes");
    const json_t *normal = json_object_get(all, "NORMAL");
    const json_t *listed = json_object_get(primitive, "indices");
    const json_t *mode = json_object_get(primitive, "mode");
    const size_t first = r->mesh->vertex_count;
    attributes a = {.has_normal = normal != NULL};
    accessor indices;
    if (mode && json_integer_value(mode) != TRIANGLES)
        return fault(r->error, PM_ERROR_FILE, "a mesh consists of points, lines or strips");
    pm_status status = glb_accessor(r->file, json_object_get(all, "POSITION"), 3, "POSITION",
                                    &a.position, r->error);
    if (status == PM_OK && normal)
        status = glb_accessor(r->file, normal, 3, "NORMAL", &a.normal, r->error);
    if (status == PM_OK)
        status = glb_accessor(r->file, json_object_get(all, "JOINTS_0"), 4, "JOINTS_0", &a.joints,
                              r->error);
    if (status == PM_OK)
        status = glb_accessor(r->file, json_object_get(all, "WEIGHTS_0"), 4, "WEIGHTS_0",
                              &a.weights, r->error);
    if (status == PM_OK && listed)
        status = glb_accessor(r->file, listed, 1, "indices", &indices, r->error);
    read_colour(r, primitive, a.colour);
    if (status == PM_OK)
        status = add_vertices(r, &a);
    return status == PM_OK ? add_indices(r, listed ? &indices : NULL, first, a.position.count)
                           : status;
}

static pm_status read_meshes(reader *r) {
    const json_t *nodes = json_object_get(r->file->json, "nodes");
    pm_status status = PM_OK;
    for (size_t n = 0; status == PM_OK && n < json_array_size(nodes); n++) {
        const json_t *node = json_array_get(nodes, n), *skin = json_object_get(node, "skin");
        const json_t *described = glb_element(r->file, "meshes", json_object_get(node, "mesh"));
        const json_t *primitives = json_object_get(described, "primitives");
        if (!json_is_integer(skin) || json_integer_value(skin) != 0)
            continue;
        for (size_t k = 0; status == PM_OK && k < json_array_size(primitives); k++)
            status = read_primitive(r, json_array_get(primitives, k));
    }
    if (status == PM_OK && r->mesh->index_count == 0)
        return fault(r->error, PM_ERROR_FILE, "no mesh is bound to the skin");
    return status;
}

/* ---- joints ------------------------------------------------------------------------------- */

/* The joint of the character that is a node; its joint count: none. */
static size_t joint_of(const pm_motion_character *character, uint32_t node) {
    size_t joint = 0;
    while (joint < character->skeleton.joint_count && character->nodes[joint] != node)
        joint++;
    return joint;
}

static pm_status map_joints(reader *r, const pm_motion_skin *skin,
                            const pm_motion_character *character) {
    r->joint_count = skin->joint_count;
    r->joints = calloc(skin->joint_count ? skin->joint_count : 1, sizeof *r->joints);
    if (!r->joints)
        return fault_memory(r->error);
    for (size_t k = 0; k < skin->joint_count; k++) {
        const size_t joint = joint_of(character, skin->joints[k]);
        if (joint == character->skeleton.joint_count)
            return fault(r->error, PM_ERROR_FILE, "joint %zu of the skin is not in the skeleton",
                         k);
        r->joints[k] = (uint16_t)joint;
    }
    return PM_OK;
}

/* Puts the file's name before the message. */
static void name_file(const char *path, pm_error *error) {
    const pm_error inner = *error;
    fault(error, PM_ERROR_FILE, "%.200s: %.300s", path, inner.message);
}

pm_status gltf_mesh_read(const char *path, const pm_motion_skin *skin,
                         const pm_motion_character *character, mesh *m, pm_error *error) {
    glb file;
    reader r = {.file = &file, .mesh = m, .error = error};
    *m = (mesh){0};
    pm_status status = glb_open(&file, path, error);
    if (status != PM_OK)
        return status;
    status = map_joints(&r, skin, character);
    if (status == PM_OK)
        status = read_meshes(&r);
    if (status == PM_OK && r.lacks_normals)
        mesh_compute_normals(m);
    if (status != PM_OK)
        mesh_free(m);
    if (status == PM_ERROR_FILE)
        name_file(path, error);
    free(r.joints);
    glb_close(&file);
    return status;
}
