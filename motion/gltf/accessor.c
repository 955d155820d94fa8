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

static size_t bytes_of(size_t component_type) {
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

static pm_status parse_type(const json_t *json, const gltf_place *place, gltf_accessor *accessor,
                            pm_error *error) {
    static const struct {
        const char *name;
        size_t components;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                 {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    const json_t *type = NULL;
    char shown[MOTION_PRINTABLE];
    pm_status status = gltf_get_text(json, place, "type", true, &type, error);
    if (status != PM_OK)
        return status;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(json_string_value(type), types[i].name) == 0) {
            accessor->type = types[i].name;
            accessor->components = types[i].components;
            return PM_OK;
        }
    }
    return gltf_refuse(error, GLTF_KEY(place, "type"), "is '%s', which is not known",
                       motion_printable(shown, json_string_value(type), json_string_length(type)));
}

static pm_status parse_component_type(const json_t *json, const gltf_place *place, size_t *type,
                                      pm_error *error) {
    const pm_status status = gltf_get_size(json, place, "componentType", 0, GLTF_NONE, type, error);
    if (status == PM_OK && bytes_of(*type) == 0)
        return gltf_refuse(error, GLTF_KEY(place, "componentType"), "is %zu, which is not known",
                           *type);
    return status;
}

/* Whether `count` elements of `size` bytes, `stride` apart, from `offset` on, lie in the view and are
 * aligned for their components. */
static pm_status check_range(const gltf_reader *reader, const gltf_place *place, size_t index,
                             size_t offset, size_t count, size_t size, size_t component,
                             pm_error *error) {
    const gltf_view *view = &reader->document->views[index];
    const size_t stride = view->stride ? view->stride : size;
    if (offset % component != 0 || (view->offset + offset) % component != 0)
        return gltf_refuse(error, GLTF_KEY(place, "byteOffset"),
                           "is %zu in a view at %zu; expected multiples of %zu", offset,
                           view->offset, component);
    if (stride < size || stride % component != 0)
        return gltf_refuse(error, place, "elements of %zu bytes cannot have the byteStride %zu",
                           size, stride);
    if (size > view->size || offset > view->size - size ||
        count - 1 > (view->size - offset - size) / stride)
        return gltf_refuse(error, place,
                           "%zu elements of %zu bytes from byte %zu end beyond the %zu bytes of "
                           "/bufferViews/%zu",
                           count, size, offset, view->size, index);
    return PM_OK;
}

/* A byteStride is for attributes of vertices only. One that says what is so without it does no harm. */
static pm_status check_stride(gltf_reader *reader, size_t view, size_t size,
                              const gltf_place *place, pm_error *error) {
    const size_t stride = reader->document->views[view].stride;
    if (stride == size)
        return gltf_note(reader, error, place,
                         "/bufferViews/%zu has a byteStride, which is for vertices only; it is "
                         "that of packed elements, and is ignored",
                         view);
    return stride == 0
               ? PM_OK
               : gltf_refuse(error, place,
                             "/bufferViews/%zu has a byteStride, which is for vertices only", view);
}

/* Indices and values of a sparse accessor are packed. */
static pm_status check_part(gltf_reader *reader, const json_t *json, const gltf_place *place,
                            size_t count, size_t size, size_t component, size_t *view,
                            size_t *offset, pm_error *error) {
    pm_status status =
        gltf_get_index(json, place, "bufferView", reader->document->view_count, true, view, error);
    if (status == PM_OK)
        status = gltf_get_size(json, place, "byteOffset", 0, 0, offset, error);
    if (status == PM_OK)
        status = check_stride(reader, *view, size, GLTF_KEY(place, "bufferView"), error);
    if (status != PM_OK)
        return status;
    return check_range(reader, place, *view, *offset, count, size, component, error);
}

static pm_status parse_sparse(gltf_reader *reader, const json_t *sparse, const gltf_place *place,
                              gltf_accessor *a, pm_error *error) {
    const gltf_place *const in_indices = GLTF_KEY(place, "indices");
    const gltf_place *const in_values = GLTF_KEY(place, "values");
    const json_t *indices = NULL, *values = NULL;
    pm_status status = gltf_get_size(sparse, place, "count", 1, GLTF_NONE, &a->sparse_count, error);
    if (status == PM_OK && a->sparse_count > a->count)
        status = gltf_refuse(error, GLTF_KEY(place, "count"), "is %zu of %zu elements",
                             a->sparse_count, a->count);
    if (status == PM_OK)
        status = gltf_get_object(sparse, place, "indices", true, &indices, error);
    if (status == PM_OK)
        status = gltf_get_object(sparse, place, "values", true, &values, error);
    if (status == PM_OK)
        status = parse_component_type(indices, in_indices, &a->indices_type, error);
    if (status != PM_OK)
        return status;
    if (a->indices_type != GLTF_UINT8 && a->indices_type != GLTF_UINT16 &&
        a->indices_type != GLTF_UINT32)
        return gltf_refuse(error, GLTF_KEY(in_indices, "componentType"),
                           "is %zu; expected 5121, 5123 or 5125", a->indices_type);
    const size_t index = bytes_of(a->indices_type), component = bytes_of(a->component_type);
    status = check_part(reader, indices, in_indices, a->sparse_count, index, index,
                        &a->indices_view, &a->indices_offset, error);
    if (status == PM_OK)
        status = check_part(reader, values, in_values, a->sparse_count, a->components * component,
                            component, &a->values_view, &a->values_offset, error);
    return status;
}

static pm_status parse_members(gltf_reader *reader, const json_t *json, const gltf_place *place,
                               gltf_accessor *a, pm_error *error) {
    pm_status status = parse_type(json, place, a, error);
    if (status == PM_OK)
        status = parse_component_type(json, place, &a->component_type, error);
    if (status == PM_OK)
        status = gltf_get_size(json, place, "count", 1, GLTF_NONE, &a->count, error);
    if (status == PM_OK)
        status = gltf_get_bool(json, place, "normalized", &a->is_normalized, error);
    if (status == PM_OK)
        status = gltf_get_index(json, place, "bufferView", reader->document->view_count, false,
                                &a->view, error);
    if (status == PM_OK)
        status = gltf_get_size(json, place, "byteOffset", 0, 0, &a->offset, error);
    return status;
}

pm_status gltf_parse_accessor(gltf_reader *reader, size_t index, gltf_accessor *a,
                              pm_error *error) {
    const gltf_place *const place = GLTF_ITEM_OF("accessors", index);
    const json_t *json = json_array_get(reader->document->accessors, index);
    const json_t *sparse = NULL;
    *a = (gltf_accessor){.index = index};
    pm_status status = gltf_object_of(json, place, error);
    if (status == PM_OK)
        status = parse_members(reader, json, place, a, error);
    if (status != PM_OK)
        return status;
    const size_t component = bytes_of(a->component_type);
    if (a->view != GLTF_NONE)
        status = check_range(reader, place, a->view, a->offset, a->count, component * a->components,
                             component, error);
    if (status == PM_OK)
        status = gltf_get_object(json, place, "sparse", false, &sparse, error);
    if (status == PM_OK && sparse)
        status = parse_sparse(reader, sparse, GLTF_KEY(place, "sparse"), a, error);
    return status;
}

pm_status gltf_check_type(const gltf_accessor *a, const gltf_place *place, const char *type,
                          bool may_be_integer, pm_error *error) {
    const bool is_float = a->component_type == GLTF_FLOAT && !a->is_normalized;
    const bool is_integer =
        a->component_type != GLTF_FLOAT && a->component_type != GLTF_UINT32 && a->is_normalized;
    if (strcmp(a->type, type) != 0)
        return gltf_refuse(error, place, "/accessors/%zu is %s; expected %s", a->index, a->type,
                           type);
    if (!is_float && !(is_integer && may_be_integer))
        return gltf_refuse(error, place, "/accessors/%zu has components %zu%s; expected %s",
                           a->index, a->component_type, a->is_normalized ? " normalized" : "",
                           may_be_integer ? "5126, or 5120 to 5123 normalized" : "5126");
    return PM_OK;
}

pm_status gltf_check_no_stride(gltf_reader *reader, const gltf_accessor *a, const gltf_place *place,
                               pm_error *error) {
    return a->view == GLTF_NONE
               ? PM_OK
               : check_stride(reader, a->view, bytes_of(a->component_type) * a->components, place,
                              error);
}
