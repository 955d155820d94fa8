/* SPDX-License-Identifier: MIT
 *
 * Buffers and buffer views. All are checked, also those of meshes, because their bytes are carried
 * over.
 */

#include "motion/gltf/document.h"
#include "motion/gltf/extensions.h"

static bool read_buffer(gltf_reader *r, const json_t *json, size_t i, const unsigned char *bin,
                        size_t bin_size) {
    const gltf_place *const place = GLTF_ITEM_OF("buffers", i);
    gltf_buffer *buffer = &r->document->buffers[i];
    const json_t *uri = NULL;
    size_t size = 0;
    buffer->same_as = i;
    if (!gltf_object_of(r, json, place) ||
        !gltf_get_size(r, json, place, "byteLength", 1, GLTF_NONE, &size) ||
        !gltf_get_text(r, json, place, "uri", false, &uri) ||
        (uri && !gltf_load_uri(r, GLTF_KEY(place, "uri"), json_string_value(uri),
                               json_string_length(uri), buffer)))
        return false;
    if (!uri && i == 0 && bin)
        *buffer = (gltf_buffer){.data = bin, .size = bin_size, .same_as = i};
    if (buffer->data && buffer->size < size)
        return gltf_refuse(r, GLTF_KEY(place, "byteLength"), "is %zu, but there are %zu bytes",
                           size, buffer->size);
    if (buffer->same_as == i && buffer->data)
        r->bytes += buffer->size;
    buffer->size = size;
    return true;
}

bool gltf_read_buffers(gltf_reader *r, const unsigned char *bin, size_t bin_size) {
    gltf_document *document = r->document;
    const json_t *array = NULL;
    if (!gltf_get_array(r, document->root, NULL, "buffers", false, &array))
        return false;
    const size_t count = json_array_size(array);
    document->buffers = gltf_allocate(r, count, sizeof *document->buffers);
    document->buffer_count = document->buffers ? count : 0;
    bool is_good = document->buffers != NULL;
    for (size_t i = 0; is_good && i < count; i++)
        is_good = read_buffer(r, json_array_get(array, i), i, bin, bin_size);
    return is_good;
}

/* Reads bytes of a buffer, which lie in it as long as the document says that it is. */
static bool read_range(gltf_reader *r, const json_t *json, const gltf_place *place, size_t *buffer,
                       size_t *offset, size_t *size) {
    if (!gltf_get_index(r, json, place, "buffer", r->document->buffer_count, true, buffer) ||
        !gltf_get_size(r, json, place, "byteOffset", 0, 0, offset) ||
        !gltf_get_size(r, json, place, "byteLength", 1, GLTF_NONE, size))
        return false;
    const size_t available = r->document->buffers[*buffer].size;
    if (*size > available || *offset > available - *size)
        return gltf_refuse(r, GLTF_KEY(place, "byteLength"),
                           "%zu bytes from %zu end beyond the %zu bytes of /buffers/%zu", *size,
                           *offset, available, *buffer);
    *buffer = r->document->buffers[*buffer].same_as;
    return true;
}

static bool read_compression_of(gltf_reader *r, const json_t *json, const gltf_place *place,
                                gltf_compression *made) {
    const json_t *mode = NULL, *filter = NULL;
    if (!read_range(r, json, place, &made->buffer, &made->offset, &made->size) ||
        !gltf_get_size(r, json, place, "byteStride", 1, GLTF_NONE, &made->stride) ||
        !gltf_get_size(r, json, place, "count", 1, GLTF_NONE, &made->count) ||
        !gltf_get_text(r, json, place, "mode", true, &mode) ||
        !gltf_get_text(r, json, place, "filter", false, &filter))
        return false;
    made->mode = json_string_value(mode);
    made->filter = filter ? json_string_value(filter) : "NONE";
    return true;
}

static bool read_compression(gltf_reader *r, const json_t *view, const gltf_place *place,
                             gltf_view *made) {
    static const char *const names[] = {GLTF_MESHOPT, GLTF_MESHOPT_KHR};
    const gltf_place *const at = GLTF_KEY(place, "extensions");
    const json_t *extensions = NULL, *json = NULL;
    bool is_good = gltf_get_object(r, view, place, "extensions", false, &extensions);
    for (size_t i = 0; is_good && extensions && i < 2; i++) {
        is_good = gltf_get_object(r, extensions, at, names[i], false, &json);
        if (!is_good || !json)
            continue;
        gltf_compression *compression = gltf_allocate(r, 1, sizeof *compression);
        if (!compression)
            return false;
        compression->name = names[i];
        made->compression = compression;
        is_good = read_compression_of(r, json, GLTF_KEY(at, names[i]), compression);
    }
    return is_good;
}

static bool read_view(gltf_reader *r, const json_t *json, size_t i) {
    const gltf_place *const place = GLTF_ITEM_OF("bufferViews", i);
    gltf_view *view = &r->document->views[i];
    if (!gltf_object_of(r, json, place) ||
        !read_range(r, json, place, &view->buffer, &view->offset, &view->size) ||
        !gltf_get_size(r, json, place, "byteStride", 1, 0, &view->stride) ||
        !read_compression(r, json, place, view))
        return false;
    const gltf_buffer *buffer = &r->document->buffers[view->buffer];
    view->data = buffer->data ? buffer->data + view->offset : NULL;
    return true;
}

bool gltf_read_views(gltf_reader *r) {
    gltf_document *document = r->document;
    const json_t *array = NULL;
    if (!gltf_get_array(r, document->root, NULL, "bufferViews", false, &array))
        return false;
    document->view_count = json_array_size(array);
    document->views = gltf_allocate(r, document->view_count, sizeof *document->views);
    bool is_good = document->views != NULL;
    for (size_t i = 0; is_good && i < document->view_count; i++)
        is_good = read_view(r, json_array_get(array, i), i);
    return is_good;
}

bool gltf_view_data(gltf_reader *r, size_t index, const gltf_place *place,
                    const unsigned char **data) {
    gltf_view *view = &r->document->views[index];
    if (!view->data && !view->compression)
        return gltf_refuse(r, place, "its data are in /buffers/%zu, which has no uri",
                           view->buffer);
    const bool is_good = view->data || gltf_decompress(r, index, &view->data);
    *data = view->data;
    return is_good;
}
