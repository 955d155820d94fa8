/* SPDX-License-Identifier: MIT
 *
 * Meshes and skins by section 3.7 of glTF 2.0.
 */
#include "skin_truth.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "file_bytes.h"

enum { BUFFERS = 8 };

typedef struct document {
    json_t *root;
    unsigned char *bytes[BUFFERS];
} document;

static size_t whole(const json_t *object, const char *key, size_t otherwise) {
    const json_t *value = json_object_get(object, key);
    return value ? (size_t)json_number_value(value) : otherwise;
}

static const json_t *item(const document *d, const char *array, size_t index) {
    return json_array_get(json_object_get(d->root, array), index);
}

/* ---- containers ---------------------------------------------------------------------------- */

static unsigned char *decode_base64(const char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *bytes = test_array(strlen(text) + 4, 1);
    uint32_t group = 0;
    size_t count = 0;
    for (size_t i = 0; text[i] && text[i] != '='; i++) {
        group = group << 6 | (uint32_t)(strchr(digits, text[i]) - digits);
        if (i % 4 > 0)
            bytes[count++] = (unsigned char)(group >> (6 - 2 * (i % 4)));
    }
    return bytes;
}

static uint32_t load32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static document open_document(const unsigned char *data, size_t size) {
    document d = {0};
    const bool is_binary = memcmp(data, "glTF", 4) == 0;
    const size_t text = is_binary ? load32(data + 12) : size;
    d.root = json_loadb((const char *)data + (is_binary ? 20 : 0), text, 0, NULL);
    assert_non_null(d.root);
    for (size_t b = 0; b < BUFFERS; b++) {
        const char *uri = json_string_value(json_object_get(item(&d, "buffers", b), "uri"));
        d.bytes[b] = uri ? decode_base64(strchr(uri, ',') + 1) : NULL;
    }
    if (is_binary && size > 28 + text) {
        d.bytes[0] = test_array(size, 1);
        memcpy(d.bytes[0], data + 28 + text, size - 28 - text);
    }
    return d;
}

/* ---- accessors ----------------------------------------------------------------------------- */

static double component(const unsigned char *at, size_t type, bool normalized) {
    float real;
    switch (type) {
    case 5120:
        return normalized ? (int8_t)at[0] / 127.0 : (int8_t)at[0];
    case 5121:
        return normalized ? at[0] / 255.0 : at[0];
    case 5122:
        return (int16_t)(at[0] | at[1] << 8) / (normalized ? 32767.0 : 1.0);
    case 5123:
        return (at[0] | at[1] << 8) / (normalized ? 65535.0 : 1.0);
    default:
        memcpy(&real, at, sizeof real);
        return (double)real;
    }
}

/* Packed doubles; NULL: there is no such accessor. */
static double *values_of(const document *d, const json_t *holder, const char *key,
                         size_t components, size_t *count) {
    const size_t index = whole(holder, key, SIZE_MAX);
    if (index == SIZE_MAX)
        return NULL;
    const json_t *a = item(d, "accessors", index);
    const json_t *view = item(d, "bufferViews", whole(a, "bufferView", SIZE_MAX));
    const size_t type = whole(a, "componentType", 0);
    const size_t width = type < 5122 ? 1 : type < 5125 ? 2 : 4;
    const size_t stride = whole(view, "byteStride", width * components);
    const unsigned char *from = d->bytes[whole(view, "buffer", 0)] + whole(view, "byteOffset", 0) +
                                whole(a, "byteOffset", 0);
    *count = whole(a, "count", 0);
    double *values = test_array(*count * components + 1, sizeof *values);
    for (size_t i = 0; i < *count * components; i++)
        values[i] = component(from + i / components * stride + i % components * width, type,
                              json_is_true(json_object_get(a, "normalized")));
    return values;
}

/* ---- meshes -------------------------------------------------------------------------------- */

static skin_vertex *add_vertex(skin_mesh *mesh) {
    if ((mesh->count & (mesh->count - 1)) == 0)
        mesh->vertices = realloc(mesh->vertices, (2 * mesh->count + 1) * sizeof *mesh->vertices);
    assert_non_null(mesh->vertices);
    mesh->vertices[mesh->count] = (skin_vertex){.count = 0};
    return &mesh->vertices[mesh->count++];
}

/* Columns of 4x4. */
static void transform(const double *m, const double v[3], double out[3]) {
    for (int r = 0; r < 3; r++)
        out[r] = m ? m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2] + m[12 + r] : v[r];
}

static void add_influence(skin_vertex *v, size_t node, double weight, const double *bind,
                          const double position[3]) {
    if (weight == 0)
        return;
    assert_true(v->count < SKIN_INFLUENCES);
    v->node[v->count] = (int32_t)node;
    v->weight[v->count] = weight;
    transform(bind, position, v->at[v->count++]);
}

static void normalise(skin_mesh *mesh) {
    skin_vertex *v = &mesh->vertices[mesh->count - 1];
    double sum = 0;
    for (size_t k = 0; k < v->count; k++)
        sum += v->weight[k];
    for (size_t k = 0; k < v->count; k++)
        v->weight[k] /= sum;
    mesh->count -= v->count == 0;
}

static void add_primitive(const document *d, const json_t *json, size_t node, const json_t *skin,
                          skin_mesh *mesh) {
    const json_t *attributes = json_object_get(json, "attributes");
    size_t count = 0, ignored = 0;
    double *positions = values_of(d, attributes, "POSITION", 3, &count);
    double *joints[2], *weights[2];
    for (size_t n = 0; n < 2; n++) {
        joints[n] = values_of(d, attributes, n ? "JOINTS_1" : "JOINTS_0", 4, &ignored);
        weights[n] = values_of(d, attributes, n ? "WEIGHTS_1" : "WEIGHTS_0", 4, &ignored);
    }
    double *binds = values_of(d, skin, "inverseBindMatrices", 16, &ignored);
    for (size_t i = 0; i < count; i++) {
        skin_vertex *v = add_vertex(mesh);
        if (!skin)
            add_influence(v, node, 1, NULL, positions + 3 * i);
        for (size_t k = 0; skin && k < 8 && weights[k / 4]; k++) {
            const size_t joint = (size_t)joints[k / 4][4 * i + k % 4];
            const json_t *of = json_array_get(json_object_get(skin, "joints"), joint);
            add_influence(v, (size_t)json_number_value(of), weights[k / 4][4 * i + k % 4],
                          binds ? binds + 16 * joint : NULL, positions + 3 * i);
        }
        normalise(mesh);
    }
    for (size_t n = 0; n < 2; n++) {
        free(joints[n]);
        free(weights[n]);
    }
    free(positions);
    free(binds);
}

skin_mesh skin_read(const void *data, size_t size) {
    skin_mesh mesh = {0};
    document d = open_document(data, size);
    const json_t *nodes = json_object_get(d.root, "nodes");
    for (size_t n = 0; n < json_array_size(nodes); n++) {
        const json_t *node = json_array_get(nodes, n);
        const json_t *skin = item(&d, "skins", whole(node, "skin", SIZE_MAX));
        const json_t *primitives =
            json_object_get(item(&d, "meshes", whole(node, "mesh", SIZE_MAX)), "primitives");
        for (size_t p = 0; p < json_array_size(primitives); p++)
            add_primitive(&d, json_array_get(primitives, p), n, skin, &mesh);
    }
    json_decref(d.root);
    for (size_t b = 0; b < BUFFERS; b++)
        free(d.bytes[b]);
    return mesh;
}

skin_mesh skin_read_file(const char *path) {
    file_bytes bytes = {0};
    char part[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t got = 1; got > 0;) {
        got = fread(part, 1, sizeof part, file);
        bytes_add(&bytes, part, got);
    }
    fclose(file);
    const skin_mesh mesh = skin_read(bytes.data, bytes.size);
    bytes_free(&bytes);
    return mesh;
}

/* ---- poses --------------------------------------------------------------------------------- */

kinematics_matrix *skin_pose(const pm_motion_content *content, const pm_motion_clip *clip,
                             double time) {
    kinematics_matrix *pose = test_array(content->node_count, sizeof *pose);
    for (size_t n = 0; n < content->node_count; n++)
        pose[n] = kinematics_model(content, clip, (int32_t)n, time);
    return pose;
}

void skin_place(const skin_vertex *vertex, const kinematics_matrix *pose, double out[3]) {
    for (int r = 0; r < 3; r++) {
        out[r] = 0;
        for (size_t k = 0; k < vertex->count; k++) {
            const double(*m)[4] = pose[vertex->node[k]].m;
            const double *at = vertex->at[k];
            out[r] +=
                vertex->weight[k] * (m[r][0] * at[0] + m[r][1] * at[1] + m[r][2] * at[2] + m[r][3]);
        }
    }
}
