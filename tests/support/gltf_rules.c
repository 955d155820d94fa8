/* SPDX-License-Identifier: MIT
 *
 * Each rule is a condition with the words of its fault.
 */
#include "gltf_rules.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "test_folder.h"

enum { NOTHING = -1, BYTE = 5120, UBYTE, SHORT, USHORT, UINT = 5125, FLOAT };

typedef struct rules {
    json_t *root;
    char **buffers; /* with data, malloc'ed */
    size_t buffer_count;
    int *parents; /* of nodes */
    size_t node_count;
    char *fault;
} rules;

__attribute__((format(printf, 3, 4))) static bool holds(rules *r, bool condition,
                                                        const char *format, ...) {
    va_list values;
    if (condition || r->fault[0])
        return condition;
    va_start(values, format);
    (void)vsnprintf(r->fault, GLTF_FAULT_SIZE, format, values);
    va_end(values);
    return false;
}

/* ---- members ------------------------------------------------------------------------------- */

static const json_t *array(const rules *r, const char *name) {
    return json_object_get(r->root, name);
}

static const json_t *item(const rules *r, const char *name, json_int_t index) {
    return index < 0 ? NULL : json_array_get(array(r, name), (size_t)index);
}

static json_int_t integer(const json_t *object, const char *key, json_int_t otherwise) {
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : value ? NOTHING - 1 : otherwise;
}

/* An index into an array of the root, or none. */
static bool is_index(rules *r, const json_t *object, const char *key, const char *of) {
    const json_int_t index = integer(object, key, NOTHING);
    return holds(r, index == NOTHING || item(r, of, index), "%s: no index of %s", key, of);
}

static bool has_integer(rules *r, const json_t *object, const char *key, json_int_t least,
                        const char *where, size_t index) {
    return holds(r, integer(object, key, NOTHING) >= least, "%s %zu: %s", where, index, key);
}

/* Extras and extensions have schemas of their own. */
static void check_arrays(rules *r, const json_t *value, const char *name) {
    const char *key = NULL;
    const json_t *part = NULL;
    size_t i = 0;
    holds(r, !json_is_array(value) || json_array_size(value) > 0, "%s: an empty array", name);
    json_array_foreach(value, i, part) check_arrays(r, part, name);
    json_object_foreach((json_t *)(uintptr_t)value, key, part) {
        if (strcmp(key, "extras") != 0 && strcmp(key, "extensions") != 0)
            check_arrays(r, part, key);
        if (strcmp(key, "name") == 0)
            holds(r, json_is_string(part), "a name that is no text");
    }
}

static void check_asset(rules *r) {
    const char *version =
        json_string_value(json_object_get(json_object_get(r->root, "asset"), "version"));
    const json_t *used = array(r, "extensionsUsed"), *name = NULL;
    size_t i = 0, k = 0;
    holds(r, version && strcmp(version, "2.0") == 0, "asset: version");
    json_array_foreach(array(r, "extensionsRequired"), i, name) {
        bool is_used = false;
        for (k = 0; k < json_array_size(used); k++)
            is_used = is_used || json_equal(json_array_get(used, k), name);
        holds(r, is_used, "extensionsRequired %zu: is not in extensionsUsed", i);
    }
}

/* ---- buffers ------------------------------------------------------------------------------- */

static int digit(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* The bytes of a data URI; *size of them. */
static char *decode(const char *uri, size_t *size) {
    const char *text = strstr(uri, ";base64,");
    if (!text)
        return NULL;
    text += strlen(";base64,");
    char *bytes = malloc(strlen(text) + 1);
    uint32_t bits = 0;
    *size = 0;
    for (size_t i = 0; bytes && digit(text[i]) >= 0; i++) {
        bits = bits << 6 | (uint32_t)digit(text[i]);
        if (i % 4 > 0)
            bytes[(*size)++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
    }
    return bytes;
}

static void check_buffers(rules *r, const char *bin, size_t bin_size) {
    const json_t *buffer = NULL;
    size_t i = 0;
    r->buffer_count = json_array_size(array(r, "buffers"));
    r->buffers = calloc(r->buffer_count + 1, sizeof *r->buffers);
    json_array_foreach(array(r, "buffers"), i, buffer) {
        const json_int_t size = integer(buffer, "byteLength", NOTHING);
        const char *uri = json_string_value(json_object_get(buffer, "uri"));
        size_t found = 0;
        if (!has_integer(r, buffer, "byteLength", 1, "buffer", i))
            continue;
        if (uri) {
            r->buffers[i] = decode(uri, &found);
            holds(r, r->buffers[i] && found >= (size_t)size, "buffer %zu: too few bytes", i);
        } else if (bin && i == 0) {
            holds(r, bin_size >= (size_t)size && bin_size - (size_t)size < 4,
                  "buffer 0: byteLength is not that of the chunk");
            for (size_t k = (size_t)size; k < bin_size; k++)
                holds(r, bin[k] == 0, "BIN: is not padded with zeros");
            r->buffers[i] = malloc(bin_size + 1);
            memcpy(r->buffers[i], bin, bin_size);
        } else {
            holds(r, json_object_get(buffer, "extensions") != NULL, "buffer %zu: no data", i);
        }
    }
}

static void check_views(rules *r) {
    const json_t *view = NULL;
    size_t i = 0;
    json_array_foreach(array(r, "bufferViews"), i, view) {
        const json_t *buffer = item(r, "buffers", integer(view, "buffer", NOTHING));
        const json_int_t offset = integer(view, "byteOffset", 0),
                         size = integer(view, "byteLength", NOTHING),
                         stride = integer(view, "byteStride", 4);
        holds(r, buffer != NULL, "bufferView %zu: buffer", i);
        has_integer(r, view, "byteLength", 1, "bufferView", i);
        holds(r, offset >= 0 && offset + size <= integer(buffer, "byteLength", 0),
              "bufferView %zu: ends behind its buffer", i);
        holds(r, stride >= 4 && stride <= 252 && stride % 4 == 0, "bufferView %zu: byteStride", i);
    }
}

/* ---- accessors ----------------------------------------------------------------------------- */

static size_t size_of(json_int_t type) {
    return type == BYTE || type == UBYTE     ? 1
           : type == SHORT || type == USHORT ? 2
           : type == UINT || type == FLOAT   ? 4
                                             : 0;
}

static size_t width_of(const json_t *accessor) {
    static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"};
    static const size_t widths[] = {1, 2, 3, 4, 4, 9, 16};
    const char *type = json_string_value(json_object_get(accessor, "type"));
    for (size_t i = 0; type && i < sizeof widths / sizeof *widths; i++)
        if (strcmp(type, types[i]) == 0)
            return widths[i];
    return 0;
}

/* Its first byte, if its values are those bytes; *stride from element to element. */
static const char *bytes_of(const rules *r, const json_t *accessor, size_t *stride) {
    const json_t *view = item(r, "bufferViews", integer(accessor, "bufferView", NOTHING));
    const json_int_t buffer = integer(view, "buffer", NOTHING);
    *stride = size_of(integer(accessor, "componentType", 0)) * width_of(accessor);
    *stride = (size_t)integer(view, "byteStride", (json_int_t)*stride);
    if (!view || json_object_get(accessor, "sparse") || json_object_get(view, "extensions") ||
        buffer < 0 || (size_t)buffer >= r->buffer_count || !r->buffers[buffer])
        return NULL;
    return r->buffers[buffer] + integer(view, "byteOffset", 0) + integer(accessor, "byteOffset", 0);
}

static double number_at(const json_t *accessor, const char *at) {
    const json_int_t type = integer(accessor, "componentType", 0);
    const bool is_normalized = json_is_true(json_object_get(accessor, "normalized"));
    const bool is_signed = type == BYTE || type == SHORT;
    float single;
    uint32_t bits = 0;
    memcpy(&bits, at, size_of(type)); /* little endian */
    memcpy(&single, &bits, sizeof single);
    if (type == FLOAT)
        return (double)single;
    const double range = size_of(type) == 1 ? 256 : size_of(type) == 2 ? 65536 : 4294967296;
    const double value = bits - (is_signed && bits >= range / 2 ? range : 0);
    const double most = is_signed ? range / 2 - 1 : range - 1;
    return is_normalized ? fmax(value / most, -1) : value;
}

/* Number `component` of an element, of an accessor that has bytes. */
static double number(const rules *r, const json_t *accessor, size_t element, size_t component) {
    size_t stride = 0;
    const char *bytes = bytes_of(r, accessor, &stride);
    return number_at(accessor, bytes + element * stride +
                                   component * size_of(integer(accessor, "componentType", 0)));
}

static bool has_bytes(const rules *r, const json_t *accessor) {
    size_t stride = 0;
    return bytes_of(r, accessor, &stride) != NULL;
}

static void check_place(rules *r, const json_t *accessor, size_t i) {
    const json_t *view = item(r, "bufferViews", integer(accessor, "bufferView", NOTHING));
    const json_int_t size = (json_int_t)size_of(integer(accessor, "componentType", 0)),
                     element = size * (json_int_t)width_of(accessor),
                     offset = integer(accessor, "byteOffset", 0),
                     count = integer(accessor, "count", 0),
                     stride = integer(view, "byteStride", element);
    if (!view || size == 0)
        return;
    holds(r, offset >= 0 && offset % size == 0, "accessor %zu: byteOffset is not aligned", i);
    holds(r, (offset + integer(view, "byteOffset", 0)) % size == 0,
          "accessor %zu: is not aligned in its buffer", i);
    holds(r, stride >= element && stride % size == 0, "accessor %zu: byteStride of its view", i);
    holds(r, offset + stride * (count - 1) + element <= integer(view, "byteLength", 0),
          "accessor %zu: ends behind its bufferView", i);
}

/* Numbers of JSON stand for those of single precision. */
static void check_bounds(rules *r, const json_t *accessor, size_t i) {
    static const char *const names[] = {"min", "max"};
    const size_t width = width_of(accessor), count = (size_t)integer(accessor, "count", 0);
    for (int side = 0; side < 2; side++) {
        const json_t *bound = json_object_get(accessor, names[side]);
        if (!bound)
            continue;
        holds(r, json_array_size(bound) == width, "accessor %zu: %s", i, names[side]);
        const bool is_plain = !json_is_true(json_object_get(accessor, "normalized"));
        for (size_t c = 0; !r->fault[0] && has_bytes(r, accessor) && is_plain && c < width; c++) {
            double most = number(r, accessor, 0, c);
            for (size_t k = 1; k < count; k++)
                most = side == 0 ? fmin(most, number(r, accessor, k, c))
                                 : fmax(most, number(r, accessor, k, c));
            const double stated = json_number_value(json_array_get(bound, c));
            holds(r, (double)(float)stated == most, "accessor %zu: %s is %.9g of %.9g", i,
                  names[side], stated, most);
        }
    }
}

static void check_accessors(rules *r) {
    const json_t *accessor = NULL;
    size_t i = 0;
    json_array_foreach(array(r, "accessors"), i, accessor) {
        const json_int_t type = integer(accessor, "componentType", NOTHING);
        const bool is_normalized = json_is_true(json_object_get(accessor, "normalized"));
        holds(r, size_of(type) > 0, "accessor %zu: componentType", i);
        holds(r, width_of(accessor) > 0, "accessor %zu: type", i);
        holds(r, !is_normalized || (type != FLOAT && type != UINT), "accessor %zu: normalized", i);
        has_integer(r, accessor, "count", 1, "accessor", i);
        is_index(r, accessor, "bufferView", "bufferViews");
        if (!r->fault[0])
            check_place(r, accessor, i);
        if (!r->fault[0])
            check_bounds(r, accessor, i);
    }
}

/* Only attributes of vertices may be interleaved. */
static bool is_packed(rules *r, const json_t *accessor, const char *what, size_t i) {
    const json_t *view = item(r, "bufferViews", integer(accessor, "bufferView", NOTHING));
    return holds(r, !json_object_get(view, "byteStride"), "%s %zu: byteStride", what, i);
}

/* ---- nodes --------------------------------------------------------------------------------- */

static void find_parents(rules *r) {
    const json_t *node = NULL, *child = NULL;
    size_t i = 0, k = 0;
    r->node_count = json_array_size(array(r, "nodes"));
    r->parents = malloc((r->node_count + 1) * sizeof *r->parents);
    for (size_t n = 0; n < r->node_count; n++)
        r->parents[n] = NOTHING;
    json_array_foreach(array(r, "nodes"), i, node)
        json_array_foreach(json_object_get(node, "children"), k, child) {
        const json_int_t index = json_integer_value(child);
        if (!holds(r, json_is_integer(child) && item(r, "nodes", index), "node %zu: children", i) ||
            !holds(r, r->parents[index] == NOTHING, "node %d: has two parents", (int)index))
            return;
        r->parents[index] = (int)i;
    }
}

/* The root of a node. A walk that is longer than there are nodes is a cycle. */
static int root_of(const rules *r, int node) {
    size_t steps = 0;
    for (; r->parents[node] != NOTHING && steps <= r->node_count; steps++)
        node = r->parents[node];
    return steps <= r->node_count ? node : NOTHING;
}

static bool is_above(const rules *r, int above, int node) {
    while (node != NOTHING && node != above)
        node = r->parents[node];
    return node == above;
}

static void check_nodes(rules *r) {
    const json_t *node = NULL, *scene = NULL, *root = NULL;
    size_t i = 0, k = 0;
    find_parents(r);
    json_array_foreach(array(r, "nodes"), i, node) {
        const json_t *rotation = json_object_get(node, "rotation");
        double square = 0;
        if (r->fault[0])
            return;
        holds(r, root_of(r, (int)i) != NOTHING, "node %zu: is its own ancestor", i);
        for (k = 0; k < json_array_size(rotation); k++)
            square += pow(json_number_value(json_array_get(rotation, k)), 2);
        holds(r, !rotation || fabs(square - 1) <= 2e-3, "node %zu: rotation is no unit", i);
        holds(r,
              !json_object_get(node, "matrix") ||
                  !(rotation || json_object_get(node, "translation") ||
                    json_object_get(node, "scale")),
              "node %zu: matrix beside others", i);
        is_index(r, node, "mesh", "meshes");
        is_index(r, node, "camera", "cameras");
        is_index(r, node, "skin", "skins");
        holds(r, !json_object_get(node, "skin") || json_object_get(node, "mesh"),
              "node %zu: a skin without a mesh", i);
    }
    is_index(r, r->root, "scene", "scenes");
    json_array_foreach(array(r, "scenes"), i, scene)
        json_array_foreach(json_object_get(scene, "nodes"), k, root) {
        const json_int_t index = json_integer_value(root);
        holds(r, item(r, "nodes", index) && r->parents[index] == NOTHING,
              "scene %zu: node %d is no root", i, (int)index);
        for (size_t before = 0; before < k; before++)
            holds(r,
                  json_integer_value(json_array_get(json_object_get(scene, "nodes"), before)) !=
                      index,
                  "scene %zu: node %d twice", i, (int)index);
    }
}

/* ---- skins --------------------------------------------------------------------------------- */

static void check_binds(rules *r, const json_t *skin, size_t i, size_t joints) {
    const json_t *binds = item(r, "accessors", integer(skin, "inverseBindMatrices", NOTHING));
    is_index(r, skin, "inverseBindMatrices", "accessors");
    if (!binds || r->fault[0])
        return;
    holds(r, integer(binds, "componentType", 0) == FLOAT && width_of(binds) == 16,
          "skin %zu: inverseBindMatrices are no MAT4 of FLOAT", i);
    holds(r, (size_t)integer(binds, "count", 0) >= joints, "skin %zu: too few matrices", i);
    is_packed(r, binds, "skin", i);
    for (size_t k = 0; !r->fault[0] && has_bytes(r, binds) && k < joints; k++) {
        for (size_t c = 0; c < 16; c++)
            holds(r, isfinite(number(r, binds, k, c)), "skin %zu: matrix %zu is not finite", i, k);
        for (size_t c = 0; c < 4; c++)
            holds(r, number(r, binds, k, 4 * c + 3) == (c == 3),
                  "skin %zu: the last row of matrix %zu", i, k);
    }
}

static void check_skins(rules *r) {
    const json_t *skin = NULL, *joint = NULL;
    size_t i = 0, k = 0;
    json_array_foreach(array(r, "skins"), i, skin) {
        const json_t *joints = json_object_get(skin, "joints");
        const json_int_t skeleton = integer(skin, "skeleton", NOTHING);
        bool *seen = calloc(r->node_count + 1, sizeof *seen);
        int root = NOTHING;
        holds(r, json_array_size(joints) > 0, "skin %zu: joints", i);
        is_index(r, skin, "skeleton", "nodes");
        json_array_foreach(joints, k, joint) {
            const json_int_t index = json_integer_value(joint);
            if (r->fault[0] || !holds(r, json_is_integer(joint) && item(r, "nodes", index),
                                      "skin %zu: joint %zu", i, k))
                break;
            holds(r, !seen[index], "skin %zu: joint %d twice", i, (int)index);
            seen[index] = true;
            root = k == 0 ? root_of(r, (int)index) : root;
            holds(r, root_of(r, (int)index) == root, "skin %zu: joints without a common root", i);
            holds(r, skeleton == NOTHING || is_above(r, (int)skeleton, (int)index),
                  "skin %zu: skeleton is not above joint %zu", i, k);
        }
        free(seen);
        check_binds(r, skin, i, json_array_size(joints));
    }
}

/* ---- animations ---------------------------------------------------------------------------- */

static void check_input(rules *r, const json_t *input, size_t a, size_t s) {
    if (!holds(r, input != NULL, "animation %zu: input of sampler %zu", a, s))
        return;
    holds(r, integer(input, "componentType", 0) == FLOAT && width_of(input) == 1,
          "animation %zu: input of sampler %zu is no SCALAR of FLOAT", a, s);
    holds(r, json_object_get(input, "min") && json_object_get(input, "max"),
          "animation %zu: input of sampler %zu without min and max", a, s);
    is_packed(r, input, "animation", a);
    double before = -1;
    for (size_t k = 0;
         !r->fault[0] && has_bytes(r, input) && k < (size_t)integer(input, "count", 0); k++) {
        const double time = number(r, input, k, 0);
        holds(r, isfinite(time) && time >= 0 && time > before,
              "animation %zu: time %zu of sampler %zu does not rise from 0 on", a, k, s);
        before = time;
    }
}

static size_t weights_of(const rules *r, const json_t *node) {
    const json_t *mesh = item(r, "meshes", integer(node, "mesh", NOTHING));
    const json_t *primitive = json_array_get(json_object_get(mesh, "primitives"), 0);
    return json_array_size(json_object_get(primitive, "targets"));
}

static void check_values(rules *r, const json_t *output, bool rotates, bool is_cubic, size_t a,
                         size_t s) {
    const size_t width = width_of(output), count = (size_t)integer(output, "count", 0);
    const json_int_t type = integer(output, "componentType", 0);
    const double tolerance = size_of(type) == 1 ? 2e-2 : 1e-3;
    for (size_t k = 0; !r->fault[0] && has_bytes(r, output) && k < count; k++) {
        double square = 0;
        for (size_t c = 0; c < width; c++) {
            const double value = number(r, output, k, c);
            holds(r, isfinite(value), "animation %zu: a value of sampler %zu is not finite", a, s);
            square += value * value;
        }
        if (rotates && !(is_cubic && k % 3 != 1))
            holds(r, fabs(sqrt(square) - 1) <= tolerance,
                  "animation %zu: rotation %zu of sampler %zu is no unit", a, k, s);
    }
}

static void check_output(rules *r, const json_t *sampler, const json_t *node, const char *path,
                         size_t a, size_t s) {
    const json_t *input = item(r, "accessors", integer(sampler, "input", NOTHING));
    const json_t *output = item(r, "accessors", integer(sampler, "output", NOTHING));
    const char *text = json_string_value(json_object_get(sampler, "interpolation"));
    const bool is_cubic = text && strcmp(text, "CUBICSPLINE") == 0;
    const bool rotates = strcmp(path, "rotation") == 0, weighs = strcmp(path, "weights") == 0;
    if (!holds(r, output != NULL, "animation %zu: output of sampler %zu", a, s) || r->fault[0])
        return;
    const json_int_t type = integer(output, "componentType", 0);
    const bool is_normalized = json_is_true(json_object_get(output, "normalized"));
    holds(r, !text || is_cubic || strcmp(text, "LINEAR") == 0 || strcmp(text, "STEP") == 0,
          "animation %zu: interpolation of sampler %zu", a, s);
    holds(r,
          width_of(output) == (weighs    ? 1U
                               : rotates ? 4U
                                         : 3U),
          "animation %zu: type of output of sampler %zu", a, s);
    holds(r, type == FLOAT || ((rotates || weighs) && is_normalized),
          "animation %zu: componentType of output of sampler %zu", a, s);
    is_packed(r, output, "animation", a);
    const size_t keys = (size_t)integer(input, "count", 0);
    const size_t each = (is_cubic ? 3 : 1) * (weighs ? weights_of(r, node) : 1);
    holds(r, !is_cubic || keys >= 2, "animation %zu: one key of CUBICSPLINE", a);
    holds(r, (size_t)integer(output, "count", 0) == keys * each,
          "animation %zu: %d values for %zu keys of sampler %zu", a,
          (int)integer(output, "count", 0), keys, s);
    check_values(r, output, rotates, is_cubic, a, s);
}

static int path_of(const char *path) {
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    for (int i = 0; path && i < 4; i++)
        if (strcmp(path, paths[i]) == 0)
            return i;
    return NOTHING;
}

static void check_channel(rules *r, const json_t *animation, size_t a, const json_t *channel,
                          unsigned char *targeted) {
    const json_t *target = json_object_get(channel, "target");
    const char *text = json_string_value(json_object_get(target, "path"));
    const json_int_t s = integer(channel, "sampler", NOTHING);
    const json_int_t n = integer(target, "node", NOTHING);
    const json_t *sampler =
        s < 0 ? NULL : json_array_get(json_object_get(animation, "samplers"), (size_t)s);
    const json_t *node = item(r, "nodes", n);
    const int path = path_of(text);
    if (!holds(r, sampler && text, "animation %zu: sampler or path of a channel", a) ||
        !is_index(r, target, "node", "nodes"))
        return;
    if (path == NOTHING || !node) /* of an extension, or to be ignored */
        return;
    holds(r, !(targeted[n] & 1 << path), "animation %zu: two channels of %s of node %d", a, text,
          (int)n);
    targeted[n] = (unsigned char)(targeted[n] | 1 << path);
    holds(r, path == 3 || !json_object_get(node, "matrix"), "animation %zu: node %d has a matrix",
          a, (int)n);
    check_output(r, sampler, node, text, a, (size_t)s);
}

static void check_animations(rules *r) {
    const json_t *animation = NULL, *part = NULL;
    size_t a = 0, i = 0;
    json_array_foreach(array(r, "animations"), a, animation) {
        unsigned char *targeted = calloc(r->node_count + 1, 1);
        holds(r,
              json_array_size(json_object_get(animation, "channels")) > 0 &&
                  json_array_size(json_object_get(animation, "samplers")) > 0,
              "animation %zu: channels or samplers", a);
        json_array_foreach(json_object_get(animation, "samplers"), i, part)
            check_input(r, item(r, "accessors", integer(part, "input", NOTHING)), a, i);
        json_array_foreach(json_object_get(animation, "channels"), i, part) if (!r->fault[0])
            check_channel(r, animation, a, part, targeted);
        free(targeted);
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void check_text(rules *r, const char *json, size_t size, bool is_chunk) {
    json_error_t error;
    r->root = json_loadb(json, size, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
    if (!holds(r, json_is_object(r->root), "JSON: %s", error.text))
        return;
    for (size_t i = (size_t)error.position; i < size; i++)
        holds(r, is_chunk ? json[i] == ' ' : strchr(" \t\r\n", json[i]) != NULL,
              "JSON: is not padded with spaces");
}

static uint32_t word_at(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* The chunks; *bin is the second, or NULL. */
static void check_chunks(rules *r, const char *data, size_t size, const char **bin,
                         size_t *bin_size) {
    holds(r, word_at(data + 4) == 2 && word_at(data + 8) == size, "GLB: version or length");
    for (size_t at = 12, chunk = 0; at < size && !r->fault[0]; chunk++) {
        if (!holds(r,
                   size - at >= 8 && word_at(data + at) % 4 == 0 &&
                       word_at(data + at) <= size - at - 8,
                   "GLB: length of chunk %zu", chunk))
            return;
        const uint32_t length = word_at(data + at), type = word_at(data + at + 4);
        holds(r, (chunk == 0) == (type == 0x4e4f534a), "GLB: type of chunk %zu", chunk);
        holds(r, type != 0x004e4942 || chunk == 1, "GLB: BIN is chunk %zu", chunk);
        if (chunk == 0)
            check_text(r, data + at + 8, length, true);
        if (type == 0x004e4942) {
            *bin = data + at + 8;
            *bin_size = length;
        }
        at += 8 + length;
    }
}

static void check_all(rules *r, const char *bin, size_t bin_size) {
    check_arrays(r, r->root, "root");
    check_asset(r);
    check_buffers(r, bin, bin_size);
    check_views(r);
    if (!r->fault[0])
        check_accessors(r);
    if (!r->fault[0])
        check_nodes(r);
    if (!r->fault[0])
        check_skins(r);
    if (!r->fault[0])
        check_animations(r);
}

const char *gltf_find_fault(const void *data, size_t size, char fault[GLTF_FAULT_SIZE]) {
    rules r = {.fault = fault};
    const char *bin = NULL;
    size_t bin_size = 0;
    fault[0] = '\0';
    if (size >= 20 && memcmp(data, "glTF", 4) == 0)
        check_chunks(&r, data, size, &bin, &bin_size);
    else
        check_text(&r, data, size, false);
    if (!fault[0])
        check_all(&r, bin, bin_size);
    for (size_t i = 0; i < r.buffer_count; i++)
        free(r.buffers[i]);
    free(r.buffers);
    free(r.parents);
    json_decref(r.root);
    return fault[0] ? fault : NULL;
}

void expect_gltf_rules(const void *data, size_t size) {
    char fault[GLTF_FAULT_SIZE];
    if (gltf_find_fault(data, size, fault))
        fail_msg("the file breaks a rule of glTF: %s", fault);
}

void expect_gltf_file_rules(const char *path) {
    size_t size = 0;
    char *data = test_folder_read(path, &size);
    expect_gltf_rules(data, size);
    free(data);
}
