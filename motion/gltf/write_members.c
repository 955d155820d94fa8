/* SPDX-License-Identifier: MIT
 *
 * Members of a document that is changed.
 */
#include "motion/gltf/accessor.h"
#include "motion/gltf/plain_json.h"
#include "motion/gltf/write.h"

json_t *gltf_array_of(json_t *root, const char *key) {
    json_t *array = json_object_get(root, key);
    if (!array && json_object_set_new(root, key, json_array()) == 0)
        array = json_object_get(root, key);
    return array;
}

/* jansson's copy leaves out what it finds no memory for, without a word. */
json_t *gltf_copy(const json_t *value) {
    json_t *copy = json_deep_copy(value);
    if (copy && json_equal(copy, value))
        return copy;
    json_decref(copy);
    return NULL;
}

bool gltf_set_integer(json_t *object, const char *key, size_t value) {
    return json_object_set_new(object, key, json_integer((json_int_t)value)) == 0;
}

bool gltf_add_view(json_t *root, json_t **view, size_t *index) {
    if (*view)
        return true;
    *index = json_array_size(json_object_get(root, "bufferViews"));
    *view = json_pack("{si si si}", "buffer", 0, "byteOffset", 0, "byteLength", 0);
    return json_array_append_new(gltf_array_of(root, "bufferViews"), *view) == 0;
}

json_t *gltf_add_accessor(json_t *root, json_int_t view, size_t offset, size_t count,
                          const char *type) {
    json_t *accessor =
        json_pack("{sI sI si sI ss}", "bufferView", view, "byteOffset", (json_int_t)offset,
                  "componentType", (int)GLTF_FLOAT, "count", (json_int_t)count, "type", type);
    return json_array_append_new(gltf_array_of(root, "accessors"), accessor) == 0 ? accessor : NULL;
}

size_t gltf_index_in(const json_t *holder, const char *key, size_t count) {
    const json_t *value = json_object_get(holder, key);
    const double number = value ? plain_json_number(value) : -1.0;
    return plain_json_is_number(value) && number >= 0.0 && number < (double)count ? (size_t)number
                                                                                  : GLTF_NONE;
}
