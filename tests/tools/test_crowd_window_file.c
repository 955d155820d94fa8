/* SPDX-License-Identifier: MIT
 *
 * Characters of examples/crowd_window from GLB files: a strip of skin on two joints, written here in
 * every type of numbers, and damaged copies of it.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/engines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crowd_window/model.h"

enum { VERTICES = 4, INDICES = 6, BYTES_MAX = 8192 };

static char folder[] = "/tmp/posemill-crowd-file-XXXXXX";
static char path[64];
static const float positions[VERTICES][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {1, 2, 0.5f}};
static const unsigned joints[VERTICES][4] = {{0}, {0}, {0, 1}, {1, 0}};
static const double weights[VERTICES][4] = {{1}, {1}, {0.4, 0.6}, {0.8, 0.2}};
static const unsigned indices[INDICES] = {0, 1, 2, 2, 1, 3};

/* glTF's names of types of numbers. */
enum { U8 = 5121, U16 = 5123, U32 = 5125, F32 = 5126 };

typedef struct types {
    int joints, weights, indices;
    bool normals;
    int index_count; /* as the file states it */
} types;

typedef struct glb_bytes {
    unsigned char data[BYTES_MAX];
    size_t size, json_size;
} glb_bytes;

static void put(glb_bytes *b, const void *data, size_t size) {
    assert_true(b->size + size <= BYTES_MAX);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_number(glb_bytes *b, int type, double value) {
    const uint32_t whole =
        (uint32_t)value; /* little-endian: its first bytes are the smaller types */
    const float real = (float)value;
    put(b, type == F32 ? (const void *)&real : &whole, type == U8 ? 1 : type == U16 ? 2 : 4);
}

/* A weight as a number of the type; integers are normalised. */
static double weight_number(int type, double weight) {
    return type == F32 ? weight : round(weight * (type == U8 ? 255 : 65535));
}

/* Views at fixed places: 0 positions, 64 normals, 128 joints, 192 weights, 256 indices, 320 times,
 * 384 rotations. */
static void fill_binary(glb_bytes *b, const types *t) {
    static const float times[2] = {0, 1};
    static const float rotations[2][4] = {{0, 0, 0, 1}, {0, 0, 0.6f, 0.8f}};
    const size_t begin = b->size;
    const unsigned char nothing[64] = {0};
    put(b, positions, sizeof positions);
    for (int view = 1; view <= 6; view++) {
        put(b, nothing, begin + 64 * (size_t)view - b->size);
        for (int v = 0; v < VERTICES; v++) {
            const float up[3] = {0, 0, 1};
            put(b, up, view == 1 ? sizeof up : 0);
            for (int i = 0; i < 4 && (view == 2 || view == 3); i++)
                put_number(b, view == 2 ? t->joints : t->weights,
                           view == 2 ? joints[v][i] : weight_number(t->weights, weights[v][i]));
        }
        for (int i = 0; i < INDICES && view == 4; i++)
            put_number(b, t->indices, indices[i]);
        put(b, times, view == 5 ? sizeof times : 0);
        put(b, rotations, view == 6 ? sizeof rotations : 0);
    }
}

static void describe(const types *t, char json[4096]) {
    const int size = snprintf(
        json, 4096,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,2]}],"
        "\"nodes\":[{\"children\":[1]},{\"translation\":[0,1,0]},{\"mesh\":0,\"skin\":0}],"
        "\"skins\":[{\"joints\":[1,0]}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,%s\"JOINTS_0\":2,"
        "\"WEIGHTS_0\":3},\"indices\":4}]}],"
        "\"animations\":[{\"samplers\":[{\"input\":5,\"output\":6}],"
        "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}}]}],"
        "\"buffers\":[{\"byteLength\":448}],\"bufferViews\":["
        "{\"buffer\":0,\"byteOffset\":0,\"byteLength\":64},"
        "{\"buffer\":0,\"byteOffset\":64,\"byteLength\":64},"
        "{\"buffer\":0,\"byteOffset\":128,\"byteLength\":64},"
        "{\"buffer\":0,\"byteOffset\":192,\"byteLength\":64},"
        "{\"buffer\":0,\"byteOffset\":256,\"byteLength\":64},"
        "{\"buffer\":0,\"byteOffset\":320,\"byteLength\":64},"
        "{\"buffer\":0,\"byteOffset\":384,\"byteLength\":64}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\","
        "\"min\":[0,0,0],\"max\":[1,2,0.5]},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
        "{\"bufferView\":2,\"componentType\":%d,\"count\":4,\"type\":\"VEC4\"},"
        "{\"bufferView\":3,\"componentType\":%d,\"normalized\":%s,\"count\":4,\"type\":\"VEC4\"},"
        "{\"bufferView\":4,\"componentType\":%d,\"count\":%d,\"type\":\"SCALAR\"},"
        "{\"bufferView\":5,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\","
        "\"min\":[0],\"max\":[1]},"
        "{\"bufferView\":6,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"}]}",
        t->normals ? "\"NORMAL\":1," : "", t->joints, t->weights,
        t->weights == F32 ? "false" : "true", t->indices, t->index_count);
    assert_true(size > 0 && size < 4096);
}

static void make(const types *t, glb_bytes *b) {
    char json[4096];
    const uint32_t version = 2;
    describe(t, json);
    size_t used = strlen(json);
    while (used % 4 != 0)
        json[used++] = ' ';
    b->size = 0;
    b->json_size = used;
    const uint32_t binary = 448, length = (uint32_t)b->json_size;
    const uint32_t total = 12 + 8 + length + 8 + binary;
    put(b, "glTF", 4);
    put(b, &version, 4);
    put(b, &total, 4);
    put(b, &length, 4);
    put(b, "JSON", 4);
    put(b, json, b->json_size);
    put(b, &binary, 4);
    put(b, "BIN\0", 4);
    fill_binary(b, t);
    put(b, (unsigned char[64]){0}, total - b->size);
}

static void save(const glb_bytes *b, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(b->data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The skin names node 1 first: its joint 0 is joint 1 of the character. */
static void expect_mesh(const mesh *m, const types *t) {
    assert_int_equal(m->vertex_count, VERTICES);
    assert_int_equal(m->index_count, INDICES);
    for (int i = 0; i < INDICES; i++)
        assert_int_equal(m->indices[i], indices[i]);
    for (int v = 0; v < VERTICES; v++) {
        assert_memory_equal(m->vertices[v].position, positions[v], sizeof positions[v]);
        for (int i = 0; i < 4; i++) {
            assert_float_equal(m->vertices[v].weights[i], (float)weights[v][i], 0.004f);
            if (weights[v][i] > 0)
                assert_int_equal(m->vertices[v].joints[i], 1 - joints[v][i]);
        }
    }
    /* the corner of the first triangle only, which lies in the plane of x and y; given: every one */
    assert_float_equal(m->vertices[0].normal[2], 1.0f, 1e-6f);
    assert_true(t->normals == (m->vertices[3].normal[2] > 0.9999f));
}

TEST(meshes_of_all_types_of_numbers_are_read) {
    static const types all[] = {{U8, F32, U16, true, INDICES},
                                {U16, U8, U32, false, INDICES},
                                {U8, U16, U8, true, INDICES},
                                {U16, F32, U32, false, INDICES}};
    for (size_t k = 0; k < COUNT_OF(all); k++) {
        glb_bytes b;
        SCOPED(model_close) model m;
        make(&all[k], &b);
        save(&b, b.size);
        expect_success(model_of_file(&m, path, PM_METHOD_SLERP, new_error()));
        assert_int_equal(m.skeleton->joint_count, 2);
        assert_int_equal(m.clip_count, 1);
        expect_mesh(&m.mesh, &all[k]);
        expect_success(model_set_method(&m, PM_METHOD_SQUAD, new_error()));
        assert_int_equal(m.clips[0].method, PM_METHOD_SQUAD);
    }
}

/* Reads the file; a mesh that was read has no index out of bounds. */
static bool is_read(void) {
    model m;
    if (model_of_file(&m, path, PM_METHOD_SLERP, new_error()) != PM_OK) {
        assert_true(strlen(last_error()->message) > 0);
        return false;
    }
    for (size_t i = 0; i < m.mesh.index_count; i++)
        assert_true(m.mesh.indices[i] < m.mesh.vertex_count);
    for (size_t v = 0; v < m.mesh.vertex_count; v++) {
        for (int i = 0; i < 4; i++) {
            assert_true(m.mesh.vertices[v].joints[i] < m.skeleton->joint_count);
            assert_true(isfinite(m.mesh.vertices[v].weights[i]));
        }
    }
    model_close(&m);
    return true;
}

/* A view has 64 bytes, which are 32 indices. */
TEST(rows_outside_of_their_view_are_refused) {
    types t = {U8, F32, U16, true, 32};
    glb_bytes b;
    make(&t, &b);
    save(&b, b.size);
    assert_true(is_read());
    t.index_count = 33;
    make(&t, &b);
    save(&b, b.size);
    assert_false(is_read());
}

/* Every digit of the description becomes a 9, and every number of the data is changed. */
TEST(damaged_files_do_no_harm) {
    const types t = {U8, F32, U16, true, INDICES};
    glb_bytes b;
    size_t refused = 0, read = 0;
    make(&t, &b);
    for (size_t at = 20; at < b.size; at++) {
        const unsigned char before = b.data[at];
        const bool is_json = at < 20 + b.json_size;
        if (is_json && (before < '0' || before > '8'))
            continue;
        b.data[at] = is_json ? '9' : (unsigned char)(before ^ 0xff);
        save(&b, b.size);
        if (is_read())
            read++;
        else
            refused++;
        b.data[at] = before;
    }
    print_message("%zu refused, %zu read\n", refused, read);
    assert_true(refused > 60 && read > 60);
}

FIXTURE(open_folder) {
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/character.glb", folder);
    return 0;
}

FIXTURE(remove_folder) {
    remove(path);
    return rmdir(folder);
}

TEST_GROUP(open_folder, remove_folder)
