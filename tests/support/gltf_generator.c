/* SPDX-License-Identifier: MIT
 *
 * Generated glTF documents.
 */
#include "gltf_generator.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

typedef struct buffer {
    char *data;
    size_t size, capacity;
} buffer;

static void append(buffer *b, const void *data, size_t size) {
    if (b->size + size + 1 > b->capacity) {
        b->capacity = 2 * (b->size + size + 64);
        b->data = realloc(b->data, b->capacity);
        assert_non_null(b->data);
    }
    if (size > 0)
        memcpy(b->data + b->size, data, size);
    b->size += size;
    b->data[b->size] = '\0';
}

static void print(buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(buffer *b, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof text);
    append(b, text, (size_t)length);
}

static void store(unsigned char *at, uint32_t value, size_t width) {
    for (size_t i = 0; i < width; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

/* State of one document. */
typedef struct maker {
    random_source *source;
    generated_file *file;
    buffer bin, views, accessors;
    size_t view_count, accessor_count;
} maker;

/* ---- views and accessors ------------------------------------------------------------------- */

static size_t width_of(unsigned type) {
    return type == 5126 || type == 5125 ? 4 : type == 5122 || type == 5123 ? 2 : 1;
}

/* A component as it is stored; *value becomes what it decodes to. */
static void encode(float *value, unsigned type, unsigned char *out) {
    const double largest = type == 5120 ? 127 : type == 5121 ? 255 : type == 5122 ? 32767 : 65535;
    uint32_t bits;
    if (type == 5126) {
        memcpy(&bits, value, sizeof bits);
        store(out, bits, 4);
        return;
    }
    const long whole = lround((double)*value * largest);
    store(out, (uint32_t)whole, width_of(type));
    *value = (float)((double)whole / largest);
}

/* Bytes at the next multiple of 4, in a view of their own or with a hole before and behind them.
 * Returns the view; *offset is theirs in it. */
static size_t add_bytes(maker *m, const void *bytes, size_t size, bool may_shift, size_t *offset) {
    static const char zeros[64];
    const size_t before = may_shift ? 4 * random_size(m->source, 0, 3) : 0;
    const size_t behind = may_shift ? random_size(m->source, 0, 5) : 0;
    append(&m->bin, zeros, (4 - m->bin.size % 4) % 4 + 4 * random_size(m->source, 0, 2));
    print(&m->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}",
          m->view_count ? "," : "", m->bin.size, before + size + behind);
    append(&m->bin, zeros, before);
    append(&m->bin, bytes, size);
    append(&m->bin, zeros, behind);
    *offset = before;
    return m->view_count++;
}

/* The elements whose bit is set in `chosen`. */
static void print_sparse(maker *m, const unsigned char *bytes, size_t count, size_t size,
                         const bool *chosen) {
    unsigned char indices[4 * 3 * GENERATED_KEYS * 4], values[sizeof indices * 4];
    const unsigned types[] = {5121, 5123, 5125}, type = types[random_size(m->source, 0, 2)];
    size_t used = 0, offset = 0;
    for (size_t i = 0; i < count; i++) {
        if (!chosen[i])
            continue;
        store(indices + used * width_of(type), (uint32_t)i, width_of(type));
        memcpy(values + used * size, bytes + i * size, size);
        used++;
    }
    size_t view = add_bytes(m, indices, used * width_of(type), true, &offset);
    print(&m->accessors,
          ",\"sparse\":{\"count\":%zu,\"indices\":{\"bufferView\":%zu,\"byteOffset\":%zu,"
          "\"componentType\":%u},",
          used, view, offset, type);
    view = add_bytes(m, values, used * size, true, &offset);
    print(&m->accessors, "\"values\":{\"bufferView\":%zu,\"byteOffset\":%zu}}", view, offset);
}

enum { MAX_ELEMENTS = GENERATED_KEYS * 3 * GENERATED_WEIGHTS };

/* Storage 0: packed; 1: all sparse, without a base; 2: some sparse, whose place in the base has
 * zeros. */
static void print_storage(maker *m, unsigned char *bytes, size_t count, size_t size, int storage) {
    unsigned char base[4 * 4 * 3 * GENERATED_KEYS];
    bool chosen[MAX_ELEMENTS];
    size_t offset = 0;
    memcpy(base, bytes, count * size);
    for (size_t i = 0; i < count; i++) {
        chosen[i] = storage == 1 || i == 0 || random_unit(m->source) < 0.5;
        if (chosen[i] && storage == 2)
            memset(base + i * size, 0, size);
    }
    if (storage != 1) {
        const size_t view = add_bytes(m, base, count * size, true, &offset);
        print(&m->accessors, ",\"bufferView\":%zu,\"byteOffset\":%zu", view, offset);
    }
    if (storage != 0)
        print_sparse(m, bytes, count, size, chosen);
}

static size_t add_accessor(maker *m, float *values, size_t count, size_t components, unsigned type,
                           const char *name, bool is_input) {
    unsigned char bytes[4 * 4 * 3 * GENERATED_KEYS];
    const size_t size = components * width_of(type);
    const int storage = (int)random_size(m->source, 0, 4) % 3;
    for (size_t i = 0; i < count * components; i++)
        encode(&values[i], type, bytes + i * width_of(type));
    print(&m->accessors, "%s{\"componentType\":%u,\"count\":%zu,\"type\":\"%s\"",
          m->accessor_count ? "," : "", type, count, name);
    if (type != 5126)
        print(&m->accessors, ",\"normalized\":true");
    if (is_input)
        print(&m->accessors, ",\"min\":[%.9g],\"max\":[%.9g]", (double)values[0],
              (double)values[count - 1]);
    print_storage(m, bytes, count, size, storage);
    print(&m->accessors, "}");
    return m->accessor_count++;
}

/* ---- values -------------------------------------------------------------------------------- */

static void random_value(random_source *source, const char *path, unsigned type, float *out,
                         size_t components) {
    double q[4];
    random_quaternion(source, q);
    for (size_t i = 0; i < components; i++) {
        double value = random_between(source, -9.0, 9.0);
        if (strcmp(path, "rotation") == 0)
            value = q[i];
        else if (strcmp(path, "weights") == 0)
            value = random_unit(source);
        out[i] = (float)(type == 5121 || type == 5123 ? fabs(value) : value);
    }
}

static void random_values(random_source *source, generated_track *t) {
    const bool is_cubic = strcmp(t->interpolation, "CUBICSPLINE") == 0;
    const size_t parts = is_cubic ? 3 : 1;
    for (size_t k = 0; k < t->key_count * parts; k++)
        random_value(source, t->path, t->component_type, t->values + k * t->components,
                     t->components);
}

static void random_input(random_source *source, generated_track *t) {
    double times[GENERATED_KEYS];
    const double first = random_unit(source) < 0.5 ? 0.0 : random_between(source, 0.1, 3.0);
    const bool is_cubic = strcmp(t->interpolation, "CUBICSPLINE") == 0;
    t->key_count =
        random_unit(source) < 0.15 && !is_cubic ? 1 : random_size(source, 2, GENERATED_KEYS);
    random_key_times(source, t->key_count, first, 0.05, 0.7, times);
    for (size_t k = 0; k < t->key_count; k++)
        t->times[k] = (float)times[k];
}

static const char *type_of(const generated_track *t) {
    return strcmp(t->path, "rotation") == 0  ? "VEC4"
           : strcmp(t->path, "weights") == 0 ? "SCALAR"
                                             : "VEC3";
}

/* ---- clips --------------------------------------------------------------------------------- */

static void choose(random_source *source, generated_track *t) {
    static const char *const interpolations[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    static const unsigned types[] = {5126, 5126, 5120, 5121, 5122, 5123};
    t->interpolation = interpolations[random_size(source, 0, 2)];
    const bool may_be_integer = strcmp(t->path, "rotation") == 0 || strcmp(t->path, "weights") == 0;
    t->component_type = may_be_integer ? types[random_size(source, 0, 5)] : 5126;
    t->components = strcmp(t->path, "rotation") == 0  ? 4
                    : strcmp(t->path, "weights") == 0 ? GENERATED_WEIGHTS
                                                      : 3;
}

/* The sampler of an earlier track of the clip can serve another node, and its input another
 * sampler. */
static void add_sampler(maker *m, generated_track *t, buffer *samplers, size_t *sampler_count,
                        size_t *input) {
    const bool is_cubic = strcmp(t->interpolation, "CUBICSPLINE") == 0;
    random_values(m->source, t);
    const size_t parts = is_cubic ? 3 : 1;
    const bool is_weights = strcmp(t->path, "weights") == 0;
    const size_t output =
        add_accessor(m, t->values, t->key_count * parts * (is_weights ? t->components : 1),
                     is_weights ? 1 : t->components, t->component_type, type_of(t), false);
    print(samplers, "%s{\"input\":%zu,\"output\":%zu", *sampler_count ? "," : "", *input, output);
    if (strcmp(t->interpolation, "LINEAR") != 0 || random_unit(m->source) < 0.5)
        print(samplers, ",\"interpolation\":\"%s\"", t->interpolation);
    print(samplers, "}");
    (*sampler_count)++;
}

static void add_channel(buffer *channels, const generated_track *t, bool is_first, size_t sampler) {
    print(channels, "%s{\"sampler\":%zu,\"target\":{\"node\":%zu,\"path\":\"%s\"}}",
          is_first ? "" : ",", sampler, t->node, t->path);
}

/* Node 0 has the mesh with morph targets. */
static void make_clip(maker *m, size_t clip, buffer *animations) {
    static const char *const paths[] = {"rotation", "translation", "scale", "weights"};
    buffer channels = {0}, samplers = {0};
    size_t sampler_count = 0, input = 0, sampler = 0;
    const generated_track *before = NULL;
    for (size_t i = 0; i < 4 * m->file->node_count; i++) {
        generated_track t = {.clip = clip, .node = i / 4, .path = paths[i % 4]};
        if (m->file->track_count == GENERATED_TRACKS || random_unit(m->source) < 0.4 ||
            (i % 4 == 3 && t.node != 0))
            continue;
        choose(m->source, &t);
        if (before && strcmp(before->path, t.path) == 0 && random_unit(m->source) < 0.5) {
            const size_t node = t.node;
            t = *before;
            t.node = node;
        } else {
            const bool fits =
                before && (before->key_count > 1 || strcmp(t.interpolation, "CUBICSPLINE") != 0);
            if (fits && random_unit(m->source) < 0.5) {
                t.key_count = before->key_count;
                memcpy(t.times, before->times, sizeof t.times);
            } else {
                random_input(m->source, &t);
                input = add_accessor(m, t.times, t.key_count, 1, 5126, "SCALAR", true);
            }
            sampler = sampler_count;
            add_sampler(m, &t, &samplers, &sampler_count, &input);
        }
        add_channel(&channels, &t, before == NULL, sampler);
        m->file->tracks[m->file->track_count] = t;
        before = &m->file->tracks[m->file->track_count++];
    }
    print(animations, "%s{\"name\":\"clip %zu\",\"channels\":[", clip ? "," : "", clip);
    append(animations, channels.data, channels.size);
    print(animations, "],\"samplers\":[");
    append(animations, samplers.data, samplers.size);
    print(animations, "]}");
    free(channels.data);
    free(samplers.data);
}

/* ---- documents ----------------------------------------------------------------------------- */

static void print_nodes(maker *m, buffer *json) {
    print(json, "\"nodes\":[");
    for (size_t i = 0; i < m->file->node_count; i++) {
        print(json, "%s{\"name\":\"node %zu\"", i ? "," : "", i);
        if (i == 0)
            print(json, ",\"mesh\":0");
        if (i + 1 < m->file->node_count)
            print(json, ",\"children\":[%zu]", i + 1);
        print(json, "}");
    }
    print(json, "],\"meshes\":[{\"primitives\":[{\"attributes\":{},\"targets\":[");
    for (size_t i = 0; i < GENERATED_WEIGHTS; i++)
        print(json, "%s{}", i ? "," : "");
    print(json, "]}]}]");
}

static void print_base64(buffer *json, const unsigned char *data, size_t size) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        char out[4] = {'=', '=', '=', '='};
        uint32_t bits = 0;
        size_t n = size - i < 3 ? size - i : 3;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < n ? data[i + k] : 0);
        for (size_t k = 0; k <= n; k++)
            out[k] = letters[bits >> (18 - 6 * k) & 63];
        append(json, out, 4);
    }
}

unsigned char *glb_assemble(const char *json, const void *bin, size_t bin_size, size_t *size) {
    buffer file = {0};
    unsigned char word[4];
    const size_t text = (strlen(json) + 3) / 4 * 4, data = (bin_size + 3) / 4 * 4;
    const uint32_t header[] = {0x46546C67u, 2, (uint32_t)(20 + text + (bin ? 8 + data : 0)),
                               (uint32_t)text, 0x4E4F534Au};
    for (size_t i = 0; i < 5; i++) {
        store(word, header[i], 4);
        append(&file, word, 4);
    }
    append(&file, json, strlen(json));
    append(&file, "   ", text - strlen(json));
    if (bin) {
        store(word, (uint32_t)data, 4);
        append(&file, word, 4);
        append(&file, "BIN", 4);
        append(&file, bin, bin_size);
        append(&file, "\0\0\0", data - bin_size);
    }
    *size = file.size;
    return (unsigned char *)file.data;
}

static void assemble(maker *m, const buffer *animations) {
    buffer json = {0};
    print(&json, "{\"asset\":{\"version\":\"2.0\"},");
    print_nodes(m, &json);
    print(&json, ",\"animations\":[");
    append(&json, animations->data, animations->size);
    print(&json, "],\"accessors\":[");
    append(&json, m->accessors.data, m->accessors.size);
    print(&json, "],\"bufferViews\":[");
    append(&json, m->views.data, m->views.size);
    print(&json, "],\"buffers\":[{\"byteLength\":%zu", m->bin.size);
    if (!m->file->is_binary) {
        print(&json, ",\"uri\":\"data:application/octet-stream;base64,");
        print_base64(&json, (const unsigned char *)m->bin.data, m->bin.size);
        print(&json, "\"");
    }
    print(&json, "}]}");
    m->file->data = (unsigned char *)json.data;
    m->file->size = json.size;
    if (m->file->is_binary) {
        m->file->data = glb_assemble(json.data, m->bin.data, m->bin.size, &m->file->size);
        free(json.data);
    }
}

generated_file *gltf_generate(random_source *source) {
    buffer animations = {0};
    maker m = {.source = source, .file = calloc(1, sizeof(generated_file))};
    assert_non_null(m.file);
    m.file->is_binary = random_unit(source) < 0.5;
    m.file->node_count = random_size(source, 1, 5);
    m.file->clip_count = random_size(source, 1, GENERATED_CLIPS);
    /* At least one accessor, so that no array is empty. */
    float zero[] = {0.0f};
    add_accessor(&m, zero, 1, 1, 5126, "SCALAR", true);
    for (size_t i = 0; i < m.file->clip_count; i++)
        make_clip(&m, i, &animations);
    assemble(&m, &animations);
    free(animations.data);
    free(m.bin.data);
    free(m.views.data);
    free(m.accessors.data);
    return m.file;
}

void gltf_generated_free(generated_file *file) {
    free(file->data);
    free(file);
}
