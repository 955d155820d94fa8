/* SPDX-License-Identifier: MIT
 *
 * The values of an accessor as floats: those in the file where they are floats in a row, otherwise a
 * copy with integers converted by the rules of section 3.11 of glTF 2.0 and sparse values put in.
 */
#include "motion/gltf/accessor.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "motion/gltf/glb.h"

static uint32_t load16(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static float load_float(const unsigned char *at) {
    const uint32_t bits = glb_load32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* largest 0: the value itself. */
static float from_signed(int value, int largest) {
    if (largest == 0)
        return (float)value;
    const double fraction = (double)value / largest;
    return (float)(fraction < -1.0 ? -1.0 : fraction);
}

/* Integers that are not normalized, as of quantized meshes and of joints, are numbers themselves. */
static float load(const unsigned char *at, const gltf_accessor *a) {
    switch (a->component_type) {
    case GLTF_INT8:
        return from_signed((int)at[0] - (at[0] > INT8_MAX ? 256 : 0),
                           a->is_normalized ? INT8_MAX : 0);
    case GLTF_UINT8:
        return (float)(at[0] / (a->is_normalized ? 255.0 : 1.0));
    case GLTF_INT16:
        return from_signed((int)load16(at) - (at[1] > INT8_MAX ? 65536 : 0),
                           a->is_normalized ? INT16_MAX : 0);
    case GLTF_UINT16:
        return (float)(load16(at) / (a->is_normalized ? 65535.0 : 1.0));
    default:
        return load_float(at);
    }
}

static void convert(const gltf_accessor *a, const unsigned char *from, float *to) {
    const size_t width = gltf_bytes_of(a->component_type);
    for (size_t i = 0; i < a->components; i++)
        to[i] = load(from + i * width, a);
}

static bool can_borrow(const gltf_reader *reader, const gltf_accessor *a,
                       const unsigned char *data) {
    const size_t stride = reader->document->views[a->view].stride;
    return a->component_type == GLTF_FLOAT && a->sparse_count == 0 &&
           (stride == 0 || stride == a->components * sizeof(float)) &&
           (uintptr_t)data % sizeof(float) == 0 && gltf_is_little_endian();
}

static bool put_sparse(gltf_reader *r, const gltf_accessor *a, float *values) {
    const gltf_place *const place = GLTF_KEY(GLTF_ITEM_OF("accessors", a->index), "sparse");
    const unsigned char *indices = NULL, *from = NULL;
    const size_t index_width = gltf_bytes_of(a->indices_type);
    const size_t size = gltf_bytes_of(a->component_type) * a->components;
    if (!gltf_view_data(r, a->indices_view, GLTF_KEY(place, "indices"), &indices) ||
        !gltf_view_data(r, a->values_view, GLTF_KEY(place, "values"), &from))
        return false;
    indices += a->indices_offset;
    from += a->values_offset;
    for (size_t i = 0, before = 0; i < a->sparse_count; i++) {
        const unsigned char *at = indices + i * index_width;
        const size_t index = index_width == 1   ? at[0]
                             : index_width == 2 ? load16(at)
                                                : glb_load32(at);
        if (index >= a->count || (i > 0 && index <= before))
            return gltf_refuse(r, GLTF_KEY(place, "indices"),
                               "index %zu is %zu; expected a rising one below %zu", i, index,
                               a->count);
        convert(a, from + i * size, values + index * a->components);
        before = index;
    }
    return true;
}

static bool copy_values(gltf_reader *r, const gltf_accessor *a, const unsigned char *data,
                        const float **values) {
    if (a->count > SIZE_MAX / a->components)
        return gltf_refuse_memory(r);
    float *copy = gltf_allocate(r, a->count * a->components, sizeof *copy);
    if (!copy)
        return false;
    if (data) {
        const size_t given = r->document->views[a->view].stride;
        const size_t stride = given ? given : gltf_bytes_of(a->component_type) * a->components;
        for (size_t i = 0; i < a->count; i++)
            convert(a, data + i * stride, copy + i * a->components);
    }
    *values = copy;
    return a->sparse_count == 0 || put_sparse(r, a, copy);
}

static bool fill_gaps(gltf_reader *r, const gltf_accessor *a, size_t at, const float **values) {
    motion_gaps *gaps = r->input->gaps;
    float *copy = gltf_allocate(r, a->count * a->components, sizeof *copy);
    size_t found = 0;
    if (!copy)
        return false;
    memcpy(copy, *values, a->count * a->components * sizeof *copy);
    (void)motion_fill_gaps(copy, sizeof *copy, a->count, a->components, &found);
    motion_add_gap(gaps, "element %zu of /accessors/%zu", at / a->components, a->index);
    gaps->count += found - 1;
    *values = copy;
    return true;
}

static bool check_finite(gltf_reader *r, const gltf_accessor *a, const gltf_place *place,
                         const float **values) {
    const size_t count = a->count * a->components;
    const motion_gaps *gaps = r->input->gaps;
    bool are_finite = true;
    for (size_t i = 0; i < count; i++)
        are_finite &= fabsf((*values)[i]) <= FLT_MAX;
    for (size_t i = 0; !are_finite && i < count; i++)
        if (!isfinite((*values)[i]) && !(gaps && gaps->keeps_nan))
            return gaps ? fill_gaps(r, a, i, values)
                        : gltf_refuse(r, place, "element %zu of /accessors/%zu is not finite",
                                      i / a->components, a->index);
    return true;
}

bool gltf_read_values(gltf_reader *r, const gltf_accessor *a, const gltf_place *place,
                      const float **values) {
    gltf_accessor_cache *cache = &r->cache[a->index];
    const unsigned char *data = NULL;
    *values = cache->values;
    if (*values)
        return true;
    if (a->view != GLTF_NONE && !gltf_view_data(r, a->view, place, &data))
        return false;
    data = data ? data + a->offset : NULL;
    if (!gltf_count_values(r, place, a->count, a->components * sizeof(float)))
        return false;
    if (data && can_borrow(r, a, data))
        *values = (const float *)(const void *)data;
    else if (!copy_values(r, a, data, values))
        return false;
    if (!check_finite(r, a, place, values))
        return false;
    cache->values = *values;
    return true;
}
