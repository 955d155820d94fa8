/* SPDX-License-Identifier: MIT
 *
 * EXT_meshopt_compression, decoded by meshoptimizer where the build has it. The decoder is safe for
 * hostile data; this checks what it takes for granted, and that little data do not claim to be much.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/gltf/document.h"

#ifdef POSEMILL_MESHOPTIMIZER

#include <meshoptimizer.h>

bool gltf_can_decompress(void) {
    return true;
}

/* The decoded size of compressed data is at most this many times theirs: a block of 256 vertices has
 * at least 2 bits for each 16 equal bytes in the first version of the codec, and 2 bits for each 256
 * in the second; an index has at least a third of a byte of its own, and at most 4 bytes. */
static size_t largest_ratio(const gltf_compression *c, const unsigned char *data) {
    if (strcmp(c->mode, "ATTRIBUTES") != 0)
        return 12;
    return (data[0] & 15) == 0 ? 64 : 1024;
}

static bool check_attributes(gltf_reader *reader, const gltf_compression *c,
                             const gltf_place *place) {
    static const struct {
        const char *name;
        size_t stride_a, stride_b; /* 0: any */
    } filters[] = {
        {"NONE", 0, 0}, {"OCTAHEDRAL", 4, 8}, {"QUATERNION", 8, 8}, {"EXPONENTIAL", 0, 0}};
    if (c->stride % 4 != 0 || c->stride > 256)
        return gltf_refuse(reader, GLTF_KEY(place, "byteStride"),
                           "is %zu; expected a multiple of 4 up to 256", c->stride);
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        if (strcmp(c->filter, filters[i].name) != 0)
            continue;
        if (filters[i].stride_a && c->stride != filters[i].stride_a &&
            c->stride != filters[i].stride_b)
            return gltf_refuse(reader, GLTF_KEY(place, "byteStride"),
                               "is %zu, which the filter %s cannot have", c->stride, c->filter);
        return true;
    }
    return gltf_refuse(reader, GLTF_KEY(place, "filter"), "is '%s', which is not known",
                       MOTION_SHOWN(c->filter, strlen(c->filter)));
}

static bool check_mode(gltf_reader *reader, const gltf_compression *c, const gltf_place *place) {
    const bool is_triangles = strcmp(c->mode, "TRIANGLES") == 0;
    if (strcmp(c->mode, "ATTRIBUTES") == 0)
        return check_attributes(reader, c, place);
    if (!is_triangles && strcmp(c->mode, "INDICES") != 0)
        return gltf_refuse(reader, GLTF_KEY(place, "mode"), "is '%s', which is not known",
                           MOTION_SHOWN(c->mode, strlen(c->mode)));
    if (c->stride != 2 && c->stride != 4)
        return gltf_refuse(reader, GLTF_KEY(place, "byteStride"), "is %zu; expected 2 or 4",
                           c->stride);
    if (is_triangles && c->count % 3 != 0)
        return gltf_refuse(reader, GLTF_KEY(place, "count"), "is %zu; expected a multiple of 3",
                           c->count);
    if (strcmp(c->filter, "NONE") != 0)
        return gltf_refuse(reader, GLTF_KEY(place, "filter"), "is for attributes only");
    return true;
}

static bool check_size(gltf_reader *reader, const gltf_compression *c, const gltf_view *view,
                       const unsigned char *data, const gltf_place *place) {
    if (view->size % c->stride != 0 || view->size / c->stride != c->count)
        return gltf_refuse(reader, GLTF_KEY(place, "count"),
                           "%zu elements of %zu bytes are not the %zu bytes of the buffer view",
                           c->count, c->stride, view->size);
    if (view->size / largest_ratio(c, data) > c->size)
        return gltf_refuse(reader, GLTF_KEY(place, "count"),
                           "%zu bytes of data cannot be %zu bytes compressed", c->size, view->size);
    return true;
}

static void apply_filter(const gltf_compression *c, void *data) {
    if (strcmp(c->filter, "OCTAHEDRAL") == 0)
        meshopt_decodeFilterOct(data, c->count, c->stride);
    else if (strcmp(c->filter, "QUATERNION") == 0)
        meshopt_decodeFilterQuat(data, c->count, c->stride);
    else if (strcmp(c->filter, "EXPONENTIAL") == 0)
        meshopt_decodeFilterExp(data, c->count, c->stride);
}

static int decode(const gltf_compression *c, const unsigned char *data, void *out) {
    if (strcmp(c->mode, "TRIANGLES") == 0)
        return meshopt_decodeIndexBuffer(out, c->count, c->stride, data, c->size);
    if (strcmp(c->mode, "INDICES") == 0)
        return meshopt_decodeIndexSequence(out, c->count, c->stride, data, c->size);
    const int result = meshopt_decodeVertexBuffer(out, c->count, c->stride, data, c->size);
    if (result == 0)
        apply_filter(c, out);
    return result;
}

bool gltf_decompress(gltf_reader *reader, size_t index, const unsigned char **data) {
    const gltf_view *view = &reader->document->views[index];
    const gltf_compression *c = view->compression;
    const gltf_place *const place =
        GLTF_KEY(GLTF_KEY(GLTF_ITEM_OF("bufferViews", index), "extensions"), c->name);
    const gltf_buffer *buffer = &reader->document->buffers[c->buffer];
    if (!buffer->data)
        return gltf_refuse(reader, GLTF_KEY(place, "buffer"), "refers to a buffer without data");
    const unsigned char *from = buffer->data + c->offset;
    void *out = check_mode(reader, c, place) && check_size(reader, c, view, from, place) &&
                        gltf_count_decoded(reader, place, view->size, 1)
                    ? gltf_allocate(reader, view->size, 1)
                    : NULL;
    if (!out)
        return false;
    const int result = decode(c, from, out);
    if (result != 0)
        return gltf_refuse(reader, place, "meshoptimizer cannot decode the data (result %d)",
                           result);
    *data = out;
    return true;
}

bool gltf_encode(const unsigned char *words, size_t count, size_t width, unsigned char **packed,
                 size_t *size) {
    const size_t bound = meshopt_encodeVertexBufferBound(count, width);
    *packed = malloc(bound);
    *size = *packed ? meshopt_encodeVertexBuffer(*packed, bound, words, count, width) : 0;
    return *size > 0;
}

#else

bool gltf_encode(const unsigned char *words, size_t count, size_t width, unsigned char **packed,
                 size_t *size) {
    (void)words, (void)count, (void)width;
    *packed = NULL;
    *size = 0;
    return false;
}

bool gltf_can_decompress(void) {
    return false;
}

bool gltf_decompress(gltf_reader *reader, size_t index, const unsigned char **data) {
    const gltf_compression *c = reader->document->views[index].compression;
    (void)data;
    return gltf_refuse(
        reader, GLTF_KEY(GLTF_KEY(GLTF_ITEM_OF("bufferViews", index), "extensions"), c->name),
        "is compressed, and this build has no meshoptimizer");
}

#endif
