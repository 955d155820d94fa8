/* SPDX-License-Identifier: MIT
 *
 * Binary data of a new document, with its views and accessors, and members of its JSON. All data are
 * float32, so that every offset is a multiple of 4.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/printable.h"
#include "motion/gltf/accessor.h"
#include "motion/gltf/compose.h"
#include "motion/gltf/glb.h"

/* ---- JSON ---------------------------------------------------------------------------------- */

void gltf_set(gltf_composer *c, json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0)
        c->failed = true;
}

void gltf_append(gltf_composer *c, json_t *array, json_t *value) {
    if (json_array_append_new(array, value) != 0)
        c->failed = true;
}

json_t *gltf_index(size_t index) {
    return json_integer((json_int_t)index);
}

void gltf_set_name(gltf_composer *c, json_t *object, pm_motion_name name) {
    static const char replacement[] = "\xef\xbf\xbd";
    enum { REPLACEMENT = sizeof replacement - 1 };
    if (name.size == 0)
        return;
    char *text = name.size < SIZE_MAX / REPLACEMENT ? malloc(REPLACEMENT * name.size) : NULL;
    size_t used = 0;
    for (size_t at = 0; text && at < name.size;) {
        const size_t length = utf8_length(name.text + at, name.size - at);
        const size_t size = length > 0 ? length : REPLACEMENT;
        memcpy(text + used, length > 0 ? name.text + at : replacement, size);
        used += size;
        at += length > 0 ? length : 1;
    }
    gltf_set(c, object, "name", text ? json_stringn_nocheck(text, used) : NULL);
    free(text);
}

/* ---- data ---------------------------------------------------------------------------------- */

/* Memory behind the data. NULL: it is exhausted. */
static unsigned char *grow(gltf_composer *c, size_t bytes) {
    if (bytes > SIZE_MAX / 4 || c->size > SIZE_MAX / 4)
        return NULL;
    const size_t wanted = c->size + bytes;
    if (wanted > c->capacity) {
        const size_t capacity = wanted + wanted / 4;
        unsigned char *grown = realloc(c->data, capacity);
        if (!grown)
            return NULL;
        c->data = grown;
        c->capacity = capacity;
    }
    unsigned char *at = c->data + c->size;
    c->size = wanted;
    return at;
}

void gltf_begin_view(gltf_composer *c) {
    c->view_begin = c->size;
}

void gltf_end_view(gltf_composer *c) {
    json_t *view = json_object();
    gltf_set(c, view, "buffer", gltf_index(0));
    gltf_set(c, view, "byteOffset", gltf_index(c->view_begin));
    gltf_set(c, view, "byteLength", gltf_index(c->size - c->view_begin));
    gltf_append(c, c->views, view);
}

unsigned char *gltf_add_accessor(gltf_composer *c, size_t count, size_t components,
                                 const char *type, size_t *index) {
    const size_t offset = c->size - c->view_begin;
    unsigned char *data = count <= SIZE_MAX / sizeof(float) / components
                              ? grow(c, count * components * sizeof(float))
                              : NULL;
    json_t *accessor = json_object();
    *index = json_array_size(c->accessors);
    gltf_set(c, accessor, "bufferView", gltf_index(json_array_size(c->views)));
    gltf_set(c, accessor, "byteOffset", gltf_index(offset));
    gltf_set(c, accessor, "componentType", gltf_index(GLTF_FLOAT));
    gltf_set(c, accessor, "count", gltf_index(count));
    gltf_set(c, accessor, "type", json_string(type));
    gltf_append(c, c->accessors, accessor);
    c->failed = c->failed || !data;
    return c->failed ? NULL : data;
}

bool gltf_store_float(unsigned char *at, double number) {
    const float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    glb_store32(at, bits);
    return isfinite(value);
}
