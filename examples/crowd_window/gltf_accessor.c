/* SPDX-License-Identifier: MIT
 *
 * Every size and offset of the file is checked before it is used.
 */
#include "gltf_accessor.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"

enum { BYTE = 5120, UNSIGNED_BYTE, SHORT, UNSIGNED_SHORT, UNSIGNED_INT = 5125, FLOAT };

static const size_t largest_file = (size_t)1 << 30;

/* ---- the file ----------------------------------------------------------------------------- */

static uint32_t number32(const unsigned char *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static pm_status read_file(glb *g, const char *path, pm_error *error) {
    FILE *file = fopen(path, "rb");
    long size = -1;
    bool good = file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
                fseek(file, 0, SEEK_SET) == 0 && (size_t)size <= largest_file;
    if (good) {
        g->size = (size_t)size;
        g->bytes = malloc(g->size ? g->size : 1);
        good = g->bytes && fread(g->bytes, 1, g->size, file) == g->size;
    }
    const int reason = errno;
    if (file)
        fclose(file);
    return good ? PM_OK
                : fault(error, PM_ERROR_FILE, "%.300s: cannot be read: %s", path, strerror(reason));
}

/* A chunk has its size, its type, and its bytes. */
static bool find_chunk(const glb *g, const char type[4], const unsigned char **data, size_t *size) {
    for (size_t at = 12; g->size - at >= 8;) {
        const size_t length = number32(g->bytes + at);
        if (length > g->size - at - 8)
            return false;
        *data = g->bytes + at + 8;
        *size = length;
        if (memcmp(g->bytes + at + 4, type, 4) == 0)
            return true;
        at += 8 + length;
    }
    return false;
}

pm_status glb_open(glb *g, const char *path, pm_error *error) {
    const unsigned char *text = NULL;
    size_t size = 0;
    *g = (glb){0};
    const pm_status status = read_file(g, path, error);
    if (status != PM_OK)
        return status;
    const bool is_glb = g->size >= 12 && memcmp(g->bytes, "glTF", 4) == 0 &&
                        number32(g->bytes + 4) == 2 && find_chunk(g, "JSON", &text, &size);
    if (is_glb)
        g->json = json_loadb((const char *)text, size, 0, NULL);
    if (g->json && find_chunk(g, "BIN\0", &g->binary, &g->binary_size))
        return PM_OK;
    glb_close(g);
    return fault(
        error, PM_ERROR_FILE,
        "%.300s: expected GLB with a binary chunk; `posemill resample` writes it from glTF", path);
}

void glb_close(glb *g) {
    json_decref(g->json);
    free(g->bytes);
    *g = (glb){0};
}

/* ---- accessors ---------------------------------------------------------------------------- */

const json_t *glb_element(const glb *g, const char *array, const json_t *index) {
    const json_int_t at = json_is_integer(index) ? json_integer_value(index) : -1;
    return at < 0 ? NULL : json_array_get(json_object_get(g->json, array), (size_t)at);
}

/* A size of the document, or `otherwise` where it is not given; false: not a size. */
static bool size_of(const json_t *object, const char *key, size_t otherwise, size_t *size) {
    const json_t *value = json_object_get(object, key);
    *size = otherwise;
    if (!value)
        return true;
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        json_integer_value(value) > (json_int_t)largest_file)
        return false;
    *size = (size_t)json_integer_value(value);
    return true;
}

static size_t type_bytes(json_int_t type) {
    return type == BYTE || type == UNSIGNED_BYTE     ? 1
           : type == SHORT || type == UNSIGNED_SHORT ? 2
           : type == UNSIGNED_INT || type == FLOAT   ? 4
                                                     : 0;
}

static unsigned components_of(const json_t *type) {
    static const char *const names[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    const char *name = json_string_value(type);
    for (unsigned i = 0; name && i < 4; i++)
        if (strcmp(name, names[i]) == 0)
            return i + 1;
    return 0;
}

/* Places the rows in the binary chunk. All sizes are at most `largest_file`, so that sums and the
 * product of two of them fit into 64 bits. */
static bool place(const glb *g, const json_t *described, const json_t *view, accessor *a) {
    const size_t row = a->components * type_bytes(a->type);
    size_t begin, length, first, buffer;
    if (!size_of(view, "byteOffset", 0, &begin) || !size_of(view, "byteLength", 0, &length) ||
        !size_of(view, "byteStride", row, &a->stride) || !size_of(view, "buffer", 0, &buffer) ||
        !size_of(described, "byteOffset", 0, &first) || !size_of(described, "count", 0, &a->count))
        return false;
    if (row == 0 || a->count == 0 || a->stride < row || buffer != 0 ||
        begin + length > g->binary_size || first + row > length ||
        (uint64_t)(a->count - 1) * a->stride > length - first - row)
        return false;
    a->data = g->binary + begin + first;
    return true;
}

pm_status glb_accessor(const glb *g, const json_t *index, unsigned components, const char *what,
                       accessor *a, pm_error *error) {
    const json_t *described = glb_element(g, "accessors", index);
    const json_t *view = glb_element(g, "bufferViews", json_object_get(described, "bufferView"));
    *a = (accessor){.components = components_of(json_object_get(described, "type")),
                    .type = json_integer_value(json_object_get(described, "componentType")),
                    .normalised = json_is_true(json_object_get(described, "normalized"))};
    if (!view || json_object_get(described, "sparse") || json_object_get(view, "extensions"))
        return fault(error, PM_ERROR_FILE, "%s: missing, sparse or compressed", what);
    if (a->components != components || !place(g, described, view, a))
        return fault(error, PM_ERROR_FILE, "%s: not %u numbers in each row of the binary chunk",
                     what, components);
    return PM_OK;
}

double accessor_number(const accessor *a, size_t row, unsigned component) {
    const unsigned char *at = a->data + row * a->stride + component * type_bytes(a->type);
    const uint32_t two =
        a->type == BYTE || a->type == UNSIGNED_BYTE ? at[0] : at[0] | (uint32_t)at[1] << 8;
    float real;
    switch (a->type) {
    case BYTE:
        return a->normalised ? (int8_t)two / 127.0 : (int8_t)two;
    case UNSIGNED_BYTE:
        return a->normalised ? two / 255.0 : two;
    case SHORT:
        return a->normalised ? (int16_t)two / 32767.0 : (int16_t)two;
    case UNSIGNED_SHORT:
        return a->normalised ? two / 65535.0 : two;
    case UNSIGNED_INT:
        return number32(at);
    default:
        memcpy(&real, at, sizeof real); /* little-endian, as every machine that has OpenGL 4.3 */
        return (double)real;
    }
}
