/* SPDX-License-Identifier: MIT
 *
 * How far meshes reach from the nodes that move them. Vertices are read when somebody asks, with a reader of
 * its own: opening a file does not look at them, and the document stays as it is.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "motion/gltf/accessor.h"
#include "motion/gltf/extensions.h"
#include "motion/model/similarity.h"

enum {
    SETS = 8, /* of four joints and weights */
    INFLUENCES = 4 * SETS,
    LEAST_WORK = 1 << 24 /* any file may have so many places of vertices */
};

/* A weight from which on a vertex counts for the reach of a joint. */
static const double reach_weight = 0.125;

/* The vertices of a primitive. */
typedef struct vertices {
    size_t count;
    const float *positions;
    const float **targets; /* of the morph; an entry is NULL where positions do not change */
    size_t target_count;
    const float *joints[SETS], *weights[SETS];
    size_t set_count;
} vertices;

typedef struct mesh_reader {
    gltf_reader r;
    const pm_motion *motion; /* whose document it is */
    pm_motion_reach *nodes;
    size_t work, most_work; /* vertices that were placed, for each joint */
} mesh_reader;

/* What a node draws. */
typedef struct drawn {
    size_t mesh, skin; /* GLTF_NONE: no skin */
    size_t node;
} drawn;

typedef struct attribute {
    const char *type;
    const char *expected;
    bool (*fits)(const gltf_accessor *a);
} attribute;

static bool is_unsigned(const gltf_accessor *a) {
    return a->component_type == GLTF_UINT8 || a->component_type == GLTF_UINT16;
}

static bool fits_positions(const gltf_accessor *a) {
    return a->component_type == GLTF_FLOAT ? !a->is_normalized : a->component_type != GLTF_UINT32;
}

static bool fits_joints(const gltf_accessor *a) {
    return is_unsigned(a) && !a->is_normalized;
}

static bool fits_weights(const gltf_accessor *a) {
    return a->is_normalized ? is_unsigned(a) : a->component_type == GLTF_FLOAT;
}

static const attribute positions = {"VEC3", "VEC3 of 5120 to 5123 or 5126", fits_positions};
static const attribute joints = {"VEC4", "VEC4 of 5121 or 5123", fits_joints};
static const attribute weights = {"VEC4", "VEC4 of 5126, or of 5121 or 5123 normalized",
                                  fits_weights};

/* Missing: *values is NULL. `count` 0 receives the number of elements; otherwise it is to be that. */
static bool read_attribute(gltf_reader *r, const json_t *json, const gltf_place *in,
                           const char *key, const attribute *kind, size_t *count,
                           const float **values) {
    const gltf_place *const place = GLTF_KEY(in, key);
    gltf_accessor a;
    size_t index = GLTF_NONE;
    *values = NULL;
    if (!gltf_get_index(r, json, in, key, r->document->accessor_count, false, &index))
        return false;
    if (index == GLTF_NONE)
        return true;
    if (!gltf_parse_accessor(r, index, &a))
        return false;
    if (strcmp(a.type, kind->type) != 0 || !kind->fits(&a))
        return gltf_refuse(r, place, "/accessors/%zu is %s of %zu%s; expected %s", index, a.type,
                           a.component_type, a.is_normalized ? " normalized" : "", kind->expected);
    if (*count > 0 && a.count != *count)
        return gltf_refuse(r, place, "/accessors/%zu has %zu elements for %zu vertices", index,
                           a.count, *count);
    *count = a.count;
    return gltf_read_values(r, &a, place, values);
}

static bool read_targets(gltf_reader *r, const json_t *json, const gltf_place *in, vertices *v) {
    const gltf_place *const place = GLTF_KEY(in, "targets");
    const json_t *array = NULL;
    if (!gltf_get_array(r, json, in, "targets", false, &array))
        return false;
    v->target_count = json_array_size(array);
    v->targets = gltf_allocate(r, v->target_count, sizeof *v->targets);
    bool is_good = v->targets != NULL;
    for (size_t t = 0; is_good && t < v->target_count; t++) {
        const json_t *target = json_array_get(array, t);
        is_good = gltf_object_of(r, target, GLTF_ITEM(place, t)) &&
                  read_attribute(r, target, GLTF_ITEM(place, t), "POSITION", &positions, &v->count,
                                 &v->targets[t]);
    }
    return is_good;
}

static bool read_sets(gltf_reader *r, const json_t *json, const gltf_place *place, vertices *v) {
    for (size_t n = 0;; n++) {
        const float *of[2];
        char keys[2][24];
        snprintf(keys[0], sizeof keys[0], "JOINTS_%zu", n);
        snprintf(keys[1], sizeof keys[1], "WEIGHTS_%zu", n);
        if (!read_attribute(r, json, place, keys[0], &joints, &v->count, &of[0]) ||
            !read_attribute(r, json, place, keys[1], &weights, &v->count, &of[1]))
            return false;
        if (!of[0] != !of[1])
            return gltf_refuse(r, GLTF_KEY(place, keys[of[0] ? 1 : 0]), "is missing");
        if (!of[0])
            return true;
        if (n == SETS)
            return gltf_refuse(r, place, "has more than %d joints for a vertex", (int)INFLUENCES);
        v->joints[n] = of[0];
        v->weights[n] = of[1];
        v->set_count = n + 1;
    }
}

static bool read_vertices(gltf_reader *r, const json_t *json, const gltf_place *place,
                          bool is_skinned, vertices *v) {
    const gltf_place *const at = GLTF_KEY(place, "attributes");
    const json_t *attributes = NULL;
    if (json_object_get(json_object_get(json, "extensions"), GLTF_DRACO))
        return gltf_refuse(r, place, "is compressed by Draco, which is not decoded");
    if (!gltf_get_object(r, json, place, "attributes", true, &attributes) ||
        !read_attribute(r, attributes, at, "POSITION", &positions, &v->count, &v->positions))
        return false;
    if (!v->positions)
        return true;
    return read_targets(r, json, place, v) && (!is_skinned || read_sets(r, attributes, at, v));
}

static void transform(const float *bind, const float *v, double offset, double out[3]) {
    for (size_t i = 0; i < 3; i++)
        out[i] =
            !bind ? (double)v[i]
                  : (double)bind[4 * i] * (double)v[0] + (double)bind[4 * i + 1] * (double)v[1] +
                        (double)bind[4 * i + 2] * (double)v[2] + (double)bind[4 * i + 3] * offset;
}

/* The box of a vertex, in the space that `bind` leads to: morph targets have weights from 0 to 1. */
static void place_vertex(const vertices *v, size_t vertex, const float *bind, double low[3],
                         double high[3]) {
    transform(bind, v->positions + 3 * vertex, 1, low);
    memcpy(high, low, 3 * sizeof *high);
    for (size_t t = 0; t < v->target_count; t++) {
        double moved[3];
        if (!v->targets[t])
            continue;
        transform(bind, v->targets[t] + 3 * vertex, 0, moved);
        for (int i = 0; i < 3; i++) {
            low[i] += fmin(moved[i], 0);
            high[i] += fmax(moved[i], 0);
        }
    }
}

static void add_box(pm_motion_reach *to, const double low[3], const double high[3],
                    bool is_reached) {
    double far[3];
    for (int i = 0; i < 3; i++) {
        far[i] = fmax(fabs(low[i]), fabs(high[i]));
        to->low[i] = to->has_vertices ? fmin(to->low[i], low[i]) : low[i];
        to->high[i] = to->has_vertices ? fmax(to->high[i], high[i]) : high[i];
    }
    to->has_vertices = true;
    to->farthest = fmax(to->farthest, vector_length(far));
    to->reach = is_reached ? fmax(to->reach, vector_length(far)) : to->reach;
}

/* The weights of a vertex, and their sum. */
static bool read_weights(gltf_reader *r, const vertices *v, size_t vertex, size_t joint_count,
                         const gltf_place *place, size_t of[INFLUENCES], double share[INFLUENCES],
                         double *sum) {
    *sum = 0;
    for (size_t k = 0; k < 4 * v->set_count; k++) {
        const size_t at = 4 * vertex + k % 4;
        share[k] = (double)v->weights[k / 4][at];
        of[k] = (size_t)v->joints[k / 4][at];
        if (share[k] < 0)
            return gltf_refuse(r, place, "vertex %zu has the weight %g; expected 0 or more", vertex,
                               share[k]);
        if (share[k] > 0 && of[k] >= joint_count)
            return gltf_refuse(r, place, "vertex %zu has joint %zu of %zu", vertex, of[k],
                               joint_count);
        *sum += share[k];
    }
    return true;
}

/* What a joint has of a vertex, in all its entries. */
static double share_of(const size_t of[], const double share[], size_t count, size_t joint) {
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += of[k] == joint ? share[k] : 0;
    return sum;
}

/* A vertex whose weights are all 0 is moved by no joint. */
static bool place_skinned(mesh_reader *m, const vertices *v, const pm_motion_skin *skin,
                          const gltf_place *place) {
    const size_t count = 4 * v->set_count;
    size_t of[INFLUENCES];
    double share[INFLUENCES], sum, low[3], high[3];
    for (size_t i = 0; i < v->count; i++) {
        if (!read_weights(&m->r, v, i, skin->joint_count, place, of, share, &sum))
            return false;
        for (size_t k = 0; k < count; k++) {
            if (share[k] == 0)
                continue;
            place_vertex(v, i, skin->inverse_binds ? skin->inverse_binds + 12 * of[k] : NULL, low,
                         high);
            add_box(&m->nodes[skin->joints[of[k]]], low, high,
                    share_of(of, share, count, of[k]) >= reach_weight * sum);
        }
    }
    return true;
}

/* Meshes may share vertices, and skins meshes: the sum of all is bounded by the size of the file. */
static bool count_work(mesh_reader *m, const vertices *v, const gltf_place *place) {
    const size_t each = (1 + v->target_count) * (v->set_count > 0 ? 4 * v->set_count : 1);
    if (v->count > (m->most_work - m->work) / each)
        return gltf_refuse(
            &m->r, place,
            "its %zu vertices and those before are more than the data have: the file "
            "refers to the same ones too often",
            v->count);
    m->work += v->count * each;
    return true;
}

static bool place_primitive(mesh_reader *m, const json_t *json, const gltf_place *place,
                            size_t skin, pm_motion_reach *rigid) {
    vertices v = {.count = 0};
    double low[3], high[3];
    if (!gltf_object_of(&m->r, json, place) ||
        !read_vertices(&m->r, json, place, skin != GLTF_NONE, &v) ||
        (v.positions && !count_work(m, &v, place)))
        return false;
    if (!v.positions)
        return true;
    if (v.set_count > 0)
        return place_skinned(m, &v, &m->motion->content.skins[skin], place);
    for (size_t i = 0; i < v.count; i++) {
        place_vertex(&v, i, NULL, low, high);
        add_box(rigid, low, high, true);
    }
    return true;
}

/* Vertices without joints go to `rigid`. */
static bool place_mesh(mesh_reader *m, const json_t *meshes, size_t mesh, size_t skin,
                       pm_motion_reach *rigid) {
    const gltf_place *const at = GLTF_ITEM_OF("meshes", mesh);
    const gltf_place *const place = GLTF_KEY(at, "primitives");
    const json_t *json = json_array_get(meshes, mesh), *array = NULL;
    bool is_good = gltf_object_of(&m->r, json, at) &&
                   gltf_get_array(&m->r, json, at, "primitives", true, &array);
    for (size_t p = 0; is_good && p < json_array_size(array); p++)
        is_good = place_primitive(m, json_array_get(array, p), GLTF_ITEM(place, p), skin, rigid);
    return is_good;
}

static int compare_drawn(const void *a, const void *b) {
    const drawn *x = a, *y = b;
    if (x->mesh != y->mesh)
        return x->mesh < y->mesh ? -1 : 1;
    return (x->skin > y->skin) - (x->skin < y->skin);
}

static bool list_drawn(mesh_reader *m, size_t mesh_count, drawn *list, size_t *count) {
    gltf_reader *r = &m->r;
    for (size_t n = 0; n < m->motion->content.node_count; n++) {
        const gltf_place *const place = GLTF_ITEM_OF("nodes", n);
        const json_t *json = json_array_get(r->document->nodes, n);
        drawn of = {.node = n};
        if (!gltf_get_index(r, json, place, "mesh", mesh_count, false, &of.mesh) ||
            !gltf_get_index(r, json, place, "skin", m->motion->content.skin_count, false, &of.skin))
            return false;
        if (of.mesh == GLTF_NONE)
            continue;
        if (json_object_get(json_object_get(json, "extensions"), GLTF_INSTANCING))
            return gltf_refuse(r, place, "has instances by %s, which are not read",
                               GLTF_INSTANCING);
        list[(*count)++] = of;
    }
    return true;
}

/* A mesh that several nodes draw by one skin is placed once; what has no joints goes with each node. */
static bool place_all(mesh_reader *m, const json_t *meshes, drawn *list, size_t count) {
    pm_motion_reach rigid = {.has_vertices = false};
    qsort(list, count, sizeof *list, compare_drawn);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_drawn(&list[i - 1], &list[i]) != 0) {
            rigid = (pm_motion_reach){.has_vertices = false};
            if (!place_mesh(m, meshes, list[i].mesh, list[i].skin, &rigid))
                return false;
        }
        if (rigid.has_vertices) {
            pm_motion_reach *to = &m->nodes[list[i].node];
            const double farthest = fmax(to->farthest, rigid.farthest);
            const double reach = fmax(to->reach, rigid.reach);
            add_box(to, rigid.low, rigid.high, false);
            to->farthest = farthest;
            to->reach = reach;
        }
    }
    return true;
}

static bool read_all(mesh_reader *m) {
    gltf_reader *r = &m->r;
    const json_t *meshes = NULL;
    drawn *list = gltf_allocate(r, m->motion->content.node_count, sizeof *list);
    size_t count = 0;
    return list && gltf_get_array(r, r->document->root, NULL, "meshes", false, &meshes) &&
           list_drawn(m, json_array_size(meshes), list, &count) &&
           place_all(m, meshes, list, count);
}

/* Views that are decompressed are the reader's: threads may share the document. */
static bool begin(mesh_reader *m, const gltf_document *from, gltf_document *document) {
    gltf_reader *r = &m->r;
    *document = *from;
    document->views = gltf_allocate(r, from->view_count, sizeof *document->views);
    r->cache = gltf_allocate(r, from->accessor_count + 1, sizeof *r->cache);
    if (!document->views || !r->cache)
        return false;
    memcpy(document->views, from->views, from->view_count * sizeof *document->views);
    for (size_t i = 0; i < from->buffer_count; i++)
        if (from->buffers[i].data && from->buffers[i].same_as == i)
            r->bytes += from->buffers[i].size;
    m->most_work = r->bytes < SIZE_MAX / 8 ? LEAST_WORK + 4 * r->bytes : SIZE_MAX;
    return true;
}

bool gltf_has_rigid_mesh(const pm_motion *motion, size_t node) {
    const gltf_document *document = motion->document;
    const json_t *json = json_array_get(document->nodes, node);
    return json_object_get(json, "mesh") && !json_object_get(json, "skin");
}

pm_status gltf_find_reach(const pm_motion *motion, pm_motion_reach *nodes, pm_error *error) {
    static const pm_motion_read_options options;
    const motion_input input = {.options = &options};
    gltf_document document;
    pm_motion scratch = {.content = {.format = motion->content.format}};
    mesh_reader m = {.r = {.input = &input, .motion = &scratch, .document = &document},
                     .motion = motion,
                     .nodes = nodes};
    (void)(begin(&m, motion->document, &document) && read_all(&m));
    motion_arena_release(&scratch.arena);
    if (error && m.r.error.status != PM_OK)
        *error = m.r.error;
    return m.r.error.status;
}
