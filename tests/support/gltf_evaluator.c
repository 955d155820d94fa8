/* SPDX-License-Identifier: MIT
 *
 * glTF animations by the text of the specification: sections 3.6.2 (accessors), 3.11 (decoding of
 * normalized integers) and appendix C (interpolation).
 */
#include "gltf_evaluator.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct gltf_evaluator {
    json_t *root;
    unsigned char *bytes; /* of buffer 0 */
};

enum { MAX_COMPONENTS = 16 };

static unsigned char *decode_uri(const char *uri) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *text = strstr(uri, ";base64,");
    unsigned char *out = text ? malloc(strlen(text)) : NULL;
    size_t bits = 0, count = 0, used = 0;
    if (!out)
        return NULL;
    for (text += 8; *text && *text != '='; text++) {
        bits = (bits << 6 | (size_t)(strchr(letters, *text) - letters)) & 0xffffff;
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[used++] = (unsigned char)(bits >> count);
        }
    }
    return out;
}

static uint32_t word(const unsigned char *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

gltf_evaluator *gltf_evaluator_open(const void *data, size_t size) {
    const unsigned char *file = data;
    gltf_evaluator *e = calloc(1, sizeof *e);
    const bool is_binary = size >= 20 && memcmp(file, "glTF", 4) == 0;
    if (!e)
        return NULL;
    const size_t text = is_binary ? word(file + 12) : size;
    e->root = json_loadb((const char *)file + (is_binary ? 20 : 0), text, JSON_ALLOW_NUL, NULL);
    if (is_binary && size > 28 + text) {
        const size_t length = word(file + 20 + text);
        e->bytes = malloc(length);
        if (e->bytes)
            memcpy(e->bytes, file + 28 + text, length);
    } else {
        const char *uri = json_string_value(
            json_object_get(json_array_get(json_object_get(e->root, "buffers"), 0), "uri"));
        e->bytes = uri ? decode_uri(uri) : NULL;
    }
    if (e->root && e->bytes)
        return e;
    gltf_evaluator_close(e);
    return NULL;
}

void gltf_evaluator_close(gltf_evaluator *e) {
    if (!e)
        return;
    json_decref(e->root);
    free(e->bytes);
    free(e);
}

static size_t integer(const json_t *object, const char *key) {
    return (size_t)json_integer_value(json_object_get(object, key));
}

static const json_t *element(const gltf_evaluator *e, const char *key, size_t index) {
    return json_array_get(json_object_get(e->root, key), index);
}

static const unsigned char *at_view(const gltf_evaluator *e, const json_t *object) {
    const json_t *view = element(e, "bufferViews", integer(object, "bufferView"));
    return e->bytes + integer(view, "byteOffset") + integer(object, "byteOffset");
}

static size_t bytes_of(size_t type) {
    return type == 5126 || type == 5125 ? 4 : type == 5122 || type == 5123 ? 2 : 1;
}

static double number(const unsigned char *at, size_t type) {
    float value;
    int16_t small;
    uint16_t unsigned_small;
    switch (type) {
    case 5120:
        return fmax((double)(signed char)at[0] / 127.0, -1.0);
    case 5121:
        return (double)at[0] / 255.0;
    case 5122:
        memcpy(&small, at, 2);
        return fmax((double)small / 32767.0, -1.0);
    case 5123:
        memcpy(&unsigned_small, at, 2);
        return (double)unsigned_small / 65535.0;
    default:
        memcpy(&value, at, 4);
        return (double)value;
    }
}

/* Where the element stands among the sparse ones, or SIZE_MAX. */
static size_t find_sparse(const gltf_evaluator *e, const json_t *sparse, size_t index) {
    const json_t *indices = json_object_get(sparse, "indices");
    const size_t width = bytes_of(integer(indices, "componentType"));
    for (size_t i = 0; i < integer(sparse, "count"); i++) {
        const unsigned char *at = at_view(e, indices) + i * width;
        const size_t found = width == 1   ? at[0]
                             : width == 2 ? (size_t)(at[0] | at[1] << 8)
                                          : word(at);
        if (found == index)
            return i;
    }
    return SIZE_MAX;
}

static size_t components_of(const json_t *accessor) {
    const char *type = json_string_value(json_object_get(accessor, "type"));
    return strcmp(type, "SCALAR") == 0 ? 1 : (size_t)(type[3] - '0');
}

static void read_element(const gltf_evaluator *e, size_t accessor, size_t index, double *out) {
    const json_t *json = element(e, "accessors", accessor);
    const json_t *sparse = json_object_get(json, "sparse");
    const size_t type = integer(json, "componentType"), n = components_of(json);
    const size_t place = sparse ? find_sparse(e, sparse, index) : SIZE_MAX;
    const unsigned char *from = NULL;
    if (place != SIZE_MAX)
        from = at_view(e, json_object_get(sparse, "values")) + place * n * bytes_of(type);
    else if (json_object_get(json, "bufferView"))
        from = at_view(e, json) + index * n * bytes_of(type);
    for (size_t i = 0; i < n; i++)
        out[i] = from ? number(from + i * bytes_of(type), type) : 0.0;
}

static const json_t *sampler_of(const gltf_evaluator *e, size_t animation, size_t channel) {
    const json_t *json = element(e, "animations", animation);
    const json_t *c = json_array_get(json_object_get(json, "channels"), channel);
    return json_array_get(json_object_get(json, "samplers"), integer(c, "sampler"));
}

bool gltf_evaluator_channel(const gltf_evaluator *e, size_t animation, size_t channel,
                            evaluated_channel *out) {
    const json_t *json = element(e, "animations", animation);
    const json_t *c = json_array_get(json_object_get(json, "channels"), channel);
    const json_t *target = json_object_get(c, "target");
    const json_t *sampler = sampler_of(e, animation, channel);
    if (!c || !sampler)
        return false;
    const char *interpolation = json_string_value(json_object_get(sampler, "interpolation"));
    out->node = integer(target, "node");
    out->path = json_string_value(json_object_get(target, "path"));
    out->interpolation = interpolation ? interpolation : "LINEAR";
    out->key_count = integer(element(e, "accessors", integer(sampler, "input")), "count");
    const json_t *output = element(e, "accessors", integer(sampler, "output"));
    const size_t parts = strcmp(out->interpolation, "CUBICSPLINE") == 0 ? 3 : 1;
    out->components = integer(output, "count") * components_of(output) / (out->key_count * parts);
    return true;
}

double gltf_evaluator_time(const gltf_evaluator *e, size_t animation, size_t channel, size_t key) {
    double time = 0.0;
    read_element(e, integer(sampler_of(e, animation, channel), "input"), key, &time);
    return time;
}

void gltf_evaluator_key(const gltf_evaluator *e, size_t animation, size_t channel, size_t key,
                        size_t part, double *out) {
    const size_t output = integer(sampler_of(e, animation, channel), "output");
    const size_t width = components_of(element(e, "accessors", output));
    evaluated_channel c = {0};
    gltf_evaluator_channel(e, animation, channel, &c);
    const bool is_cubic = strcmp(c.interpolation, "CUBICSPLINE") == 0;
    const size_t first = (is_cubic ? 3 * key + part : key) * c.components;
    for (size_t i = 0; i < c.components; i += width)
        read_element(e, output, (first + i) / width, out + i);
}

static void normalise(double *q) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (size_t i = 0; i < 4; i++)
        q[i] /= length;
}

/* C.4: spherical, over the shorter of both ways, whatever the signs of the keys are. */
static void slerp(const double *a, const double *b, double t, double *out) {
    const double d = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double sign = d < 0.0 ? -1.0 : 1.0, angle = acos(fmin(fabs(d), 1.0));
    for (size_t i = 0; i < 4; i++)
        out[i] = angle < 1e-9
                     ? (1.0 - t) * a[i] + t * sign * b[i]
                     : (sin((1.0 - t) * angle) * a[i] + sign * sin(t * angle) * b[i]) / sin(angle);
}

/* C.5 */
static void hermite(const double *v0, const double *b0, const double *a1, const double *v1,
                    double t, double td, size_t n, double *out) {
    const double t2 = t * t, t3 = t2 * t;
    for (size_t i = 0; i < n; i++)
        out[i] = (2 * t3 - 3 * t2 + 1) * v0[i] + td * (t3 - 2 * t2 + t) * b0[i] +
                 (-2 * t3 + 3 * t2) * v1[i] + td * (t3 - t2) * a1[i];
}

static void between(const gltf_evaluator *e, size_t animation, size_t channel,
                    const evaluated_channel *c, size_t key, double time, double *out) {
    double v0[MAX_COMPONENTS], v1[MAX_COMPONENTS], b0[MAX_COMPONENTS], a1[MAX_COMPONENTS];
    const bool is_rotation = strcmp(c->path, "rotation") == 0;
    const double t0 = gltf_evaluator_time(e, animation, channel, key);
    const double td = gltf_evaluator_time(e, animation, channel, key + 1) - t0;
    const double t = (time - t0) / td;
    gltf_evaluator_key(e, animation, channel, key, 1, v0);
    gltf_evaluator_key(e, animation, channel, key + 1, 1, v1);
    if (strcmp(c->interpolation, "STEP") == 0) {
        memcpy(out, v0, c->components * sizeof *out);
    } else if (strcmp(c->interpolation, "CUBICSPLINE") == 0) {
        gltf_evaluator_key(e, animation, channel, key, 2, b0);
        gltf_evaluator_key(e, animation, channel, key + 1, 0, a1);
        hermite(v0, b0, a1, v1, t, td, c->components, out);
    } else if (is_rotation) {
        normalise(v0);
        normalise(v1);
        slerp(v0, v1, t, out);
    } else {
        for (size_t i = 0; i < c->components; i++)
            out[i] = (1.0 - t) * v0[i] + t * v1[i];
    }
}

void gltf_evaluate(const gltf_evaluator *e, size_t animation, size_t channel, double time,
                   double *out) {
    evaluated_channel c = {0};
    gltf_evaluator_channel(e, animation, channel, &c);
    const size_t last = c.key_count - 1;
    size_t key = 0;
    while (key < last && gltf_evaluator_time(e, animation, channel, key + 1) <= time)
        key++;
    if (key == last || time <= gltf_evaluator_time(e, animation, channel, 0))
        gltf_evaluator_key(e, animation, channel, key, 1, out);
    else
        between(e, animation, channel, &c, key, time, out);
    if (strcmp(c.path, "rotation") == 0)
        normalise(out);
}
