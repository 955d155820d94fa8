/* SPDX-License-Identifier: MIT
 *
 * Checks accessors against the buffer views that they read.
 */
#include "motion/gltf/accessor.h"

#include <string.h>

const char *const gltf_interpolations[] = {[PM_MOTION_LINEAR] = "LINEAR",
                                           [PM_MOTION_STEP] = "STEP",
                                           [PM_MOTION_CUBICSPLINE] = "CUBICSPLINE"};
const char *const gltf_paths[] = {[PM_MOTION_ROTATION] = "rotation",
                                  [PM_MOTION_POSITION] = "translation",
                                  [PM_MOTION_SCALE] = "scale",
                                  [PM_MOTION_WEIGHTS] = "weights"};
const char *const gltf_type_of[] = {[PM_MOTION_ROTATION] = "VEC4",
                                    [PM_MOTION_POSITION] = "VEC3",
                                    [PM_MOTION_SCALE] = "VEC3",
                                    [PM_MOTION_WEIGHTS] = "SCALAR"};

size_t gltf_bytes_of(size_t component_type) {
    switch (component_type) {
    case GLTF_INT8:
    case GLTF_UINT8:
        return 1;
    case GLTF_INT16:
    case GLTF_UINT16:
        return 2;
    case GLTF_UINT32:
    case GLTF_FLOAT:
        return 4;
    default:
        return 0;
    }
}

static bool parse_type(gltf_reader *r, const json_t *json, const gltf_place *place,
                       gltf_accessor *accessor) {
    static const struct {
        const char *name;
        size_t components;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                 {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    const json_t *type = NULL;
    if (!gltf_get_text(r, json, place, "type", true, &type))
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(json_string_value(type), types[i].name) == 0) {
            accessor->type = types[i].name;
            accessor->components = types[i].components;
            return true;
        }
    }
    return gltf_refuse(r, GLTF_KEY(place, "type"), "is '%s', which is not known",
                       MOTION_SHOWN(json_string_value(type), json_string_length(type)));
}

static bool parse_component_type(gltf_reader *r, const json_t *json, const gltf_place *place,
                                 size_t *type) {
    return gltf_get_size(r, json, place, "componentType", 0, GLTF_NONE, type) &&
           (gltf_bytes_of(*type) > 0 ||
            gltf_refuse(r, GLTF_KEY(place, "componentType"), "is %zu, which is not known", *type));
}

/* Whether `count` elements of `size` bytes, `stride` apart, from `offset` on, lie in the view and are
 * aligned for their components. */
static bool check_range(gltf_reader *r, const gltf_place *place, size_t index, size_t offset,
                        size_t count, size_t size, size_t component) {
    const gltf_view *view = &r->document->views[index];
    const size_t stride = view->stride ? view->stride : size;
    if (offset % component != 0 || (view->offset + offset) % component != 0)
        return gltf_refuse(r, GLTF_KEY(place, "byteOffset"),
                           "is %zu in a view at %zu; expected multiples of %zu", offset,
                           view->offset, component);
    if (stride < size || stride % component != 0)
        return gltf_refuse(r, place, "elements of %zu bytes cannot have the byteStride %zu", size,
                           stride);
    return (size <= view->size && offset <= view->size - size &&
            count - 1 <= (view->size - offset - size) / stride) ||
           gltf_refuse(r, place,
                       "%zu elements of %zu bytes from byte %zu end beyond the %zu bytes of "
                       "/bufferViews/%zu",
                       count, size, offset, view->size, index);
}

/* A byteStride is for attributes of vertices only. One that says what is so without it does no harm. */
static bool check_stride(gltf_reader *r, size_t view, size_t size, const gltf_place *place) {
    const size_t stride = r->document->views[view].stride;
    if (stride == size)
        return gltf_note(r, place,
                         "/bufferViews/%zu has a byteStride, which is for vertices only; it is "
                         "that of packed elements, and is ignored",
                         view);
    return stride == 0 ||
           gltf_refuse(r, place, "/bufferViews/%zu has a byteStride, which is for vertices only",
                       view);
}

/* Indices and values of a sparse accessor are packed. */
static bool check_part(gltf_reader *r, const json_t *json, const gltf_place *place, size_t count,
                       size_t size, size_t component, size_t *view, size_t *offset) {
    return gltf_get_index(r, json, place, "bufferView", r->document->view_count, true, view) &&
           gltf_get_size(r, json, place, "byteOffset", 0, 0, offset) &&
           check_stride(r, *view, size, GLTF_KEY(place, "bufferView")) &&
           check_range(r, place, *view, *offset, count, size, component);
}

static bool parse_sparse(gltf_reader *r, const json_t *sparse, const gltf_place *place,
                         gltf_accessor *a) {
    const gltf_place *const in_indices = GLTF_KEY(place, "indices");
    const gltf_place *const in_values = GLTF_KEY(place, "values");
    const json_t *indices = NULL, *values = NULL;
    if (!gltf_get_size(r, sparse, place, "count", 1, GLTF_NONE, &a->sparse_count))
        return false;
    if (a->sparse_count > a->count)
        return gltf_refuse(r, GLTF_KEY(place, "count"), "is %zu of %zu elements", a->sparse_count,
                           a->count);
    if (!gltf_get_object(r, sparse, place, "indices", true, &indices) ||
        !gltf_get_object(r, sparse, place, "values", true, &values) ||
        !parse_component_type(r, indices, in_indices, &a->indices_type))
        return false;
    if (a->indices_type != GLTF_UINT8 && a->indices_type != GLTF_UINT16 &&
        a->indices_type != GLTF_UINT32)
        return gltf_refuse(r, GLTF_KEY(in_indices, "componentType"),
                           "is %zu; expected 5121, 5123 or 5125", a->indices_type);
    const size_t index = gltf_bytes_of(a->indices_type);
    const size_t component = gltf_bytes_of(a->component_type);
    return check_part(r, indices, in_indices, a->sparse_count, index, index, &a->indices_view,
                      &a->indices_offset) &&
           check_part(r, values, in_values, a->sparse_count, a->components * component, component,
                      &a->values_view, &a->values_offset);
}

bool gltf_parse_accessor(gltf_reader *r, size_t index, gltf_accessor *a) {
    const gltf_place *const place = GLTF_ITEM_OF("accessors", index);
    const json_t *json = json_array_get(r->document->accessors, index);
    const json_t *sparse = NULL;
    *a = (gltf_accessor){.index = index};
    if (!gltf_object_of(r, json, place) || !parse_type(r, json, place, a) ||
        !parse_component_type(r, json, place, &a->component_type) ||
        !gltf_get_size(r, json, place, "count", 1, GLTF_NONE, &a->count) ||
        !gltf_get_bool(r, json, place, "normalized", &a->is_normalized) ||
        !gltf_get_index(r, json, place, "bufferView", r->document->view_count, false, &a->view) ||
        !gltf_get_size(r, json, place, "byteOffset", 0, 0, &a->offset))
        return false;
    const size_t component = gltf_bytes_of(a->component_type);
    return (a->view == GLTF_NONE || check_range(r, place, a->view, a->offset, a->count,
                                                component * a->components, component)) &&
           gltf_get_object(r, json, place, "sparse", false, &sparse) &&
           (!sparse || parse_sparse(r, sparse, GLTF_KEY(place, "sparse"), a));
}

bool gltf_check_type(gltf_reader *r, const gltf_accessor *a, const gltf_place *place,
                     const char *type, bool may_be_integer) {
    const bool is_float = a->component_type == GLTF_FLOAT && !a->is_normalized;
    const bool is_integer =
        a->component_type != GLTF_FLOAT && a->component_type != GLTF_UINT32 && a->is_normalized;
    if (strcmp(a->type, type) != 0)
        return gltf_refuse(r, place, "/accessors/%zu is %s; expected %s", a->index, a->type, type);
    return is_float || (is_integer && may_be_integer) ||
           gltf_refuse(r, place, "/accessors/%zu has components %zu%s; expected %s", a->index,
                       a->component_type, a->is_normalized ? " normalized" : "",
                       may_be_integer ? "5126, or 5120 to 5123 normalized" : "5126");
}

bool gltf_check_no_stride(gltf_reader *r, const gltf_accessor *a, const gltf_place *place) {
    return a->view == GLTF_NONE ||
           check_stride(r, a->view, gltf_bytes_of(a->component_type) * a->components, place);
}
