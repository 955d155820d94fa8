/* SPDX-License-Identifier: MIT
 *
 * Buffers and buffer views. All are checked, also those of meshes, because their bytes are carried
 * over.
 */
#include <string.h>

#include "motion/gltf/document.h"
#include "motion/gltf/extensions.h"
#include "motion/gltf/uri.h"

/* ---- buffers ------------------------------------------------------------------------------- */

static pm_status read_buffer(gltf_reader *reader, const json_t *json, size_t i,
                             const unsigned char *bin, size_t bin_size, pm_error *error) {
    const gltf_place *const place = GLTF_ITEM_OF("buffers", i);
    gltf_buffer *buffer = &reader->document->buffers[i];
    buffer->same_as = i;
    const json_t *uri = NULL;
    size_t size = 0;
    pm_status status = gltf_object_of(json, place, error);
    if (status == PM_OK)
        status = gltf_get_size(json, place, "byteLength", 1, GLTF_NONE, &size, error);
    if (status == PM_OK)
        status = gltf_get_text(json, place, "uri", false, &uri, error);
    if (status == PM_OK && uri)
        status = gltf_load_uri(reader, GLTF_KEY(place, "uri"), json_string_value(uri),
                               json_string_length(uri), buffer, error);
    if (status != PM_OK)
        return status;
    if (!uri && i == 0 && bin)
        *buffer = (gltf_buffer){.data = bin, .size = bin_size, .same_as = i};
    if (buffer->data && buffer->size < size)
        return gltf_refuse(error, GLTF_KEY(place, "byteLength"), "is %zu, but there are %zu bytes",
                           size, buffer->size);
    if (buffer->same_as == i && buffer->data)
        reader->bytes += buffer->size;
    buffer->size = size;
    return PM_OK;
}

pm_status gltf_read_buffers(gltf_reader *reader, const unsigned char *bin, size_t bin_size,
                            pm_error *error) {
    gltf_document *document = reader->document;
    const json_t *array = NULL;
    pm_status status = gltf_get_array(document->root, NULL, "buffers", false, &array, error);
    if (status != PM_OK)
        return status;
    const size_t count = json_array_size(array);
    document->buffers = gltf_allocate(reader, count, sizeof *document->buffers);
    if (!document->buffers)
        return motion_refuse_memory(error);
    document->buffer_count = count;
    for (size_t i = 0; status == PM_OK && i < count; i++)
        status = read_buffer(reader, json_array_get(array, i), i, bin, bin_size, error);
    return status;
}

/* ---- views --------------------------------------------------------------------------------- */

/* Whether bytes [offset, offset + size) lie in the buffer, as long as the document says that it is. */
static pm_status check_range(const gltf_reader *reader, const gltf_place *place, size_t buffer,
                             size_t offset, size_t size, pm_error *error) {
    const size_t available = reader->document->buffers[buffer].size;
    if (size > available || offset > available - size)
        return gltf_refuse(error, GLTF_KEY(place, "byteLength"),
                           "%zu bytes from %zu end beyond the %zu bytes of /buffers/%zu", size,
                           offset, available, buffer);
    return PM_OK;
}

static pm_status read_range(const gltf_reader *reader, const json_t *json, const gltf_place *place,
                            size_t *buffer, size_t *offset, size_t *size, pm_error *error) {
    pm_status status =
        gltf_get_index(json, place, "buffer", reader->document->buffer_count, true, buffer, error);
    if (status == PM_OK)
        status = gltf_get_size(json, place, "byteOffset", 0, 0, offset, error);
    if (status == PM_OK)
        status = gltf_get_size(json, place, "byteLength", 1, GLTF_NONE, size, error);
    if (status == PM_OK)
        status = check_range(reader, place, *buffer, *offset, *size, error);
    if (status == PM_OK)
        *buffer = reader->document->buffers[*buffer].same_as;
    return status;
}

static pm_status read_compression_of(gltf_reader *reader, const json_t *json,
                                     const gltf_place *place, gltf_compression *made,
                                     pm_error *error) {
    const json_t *mode = NULL, *filter = NULL;
    pm_status status =
        read_range(reader, json, place, &made->buffer, &made->offset, &made->size, error);
    if (status == PM_OK)
        status = gltf_get_size(json, place, "byteStride", 1, GLTF_NONE, &made->stride, error);
    if (status == PM_OK)
        status = gltf_get_size(json, place, "count", 1, GLTF_NONE, &made->count, error);
    if (status == PM_OK)
        status = gltf_get_text(json, place, "mode", true, &mode, error);
    if (status == PM_OK)
        status = gltf_get_text(json, place, "filter", false, &filter, error);
    if (status != PM_OK)
        return status;
    made->mode = json_string_value(mode);
    made->filter = filter ? json_string_value(filter) : "NONE";
    return PM_OK;
}

static pm_status read_compression(gltf_reader *reader, const json_t *view, const gltf_place *place,
                                  gltf_view *made, pm_error *error) {
    static const char *const names[] = {GLTF_MESHOPT, GLTF_MESHOPT_KHR};
    const json_t *extensions = NULL, *json = NULL;
    pm_status status = gltf_get_object(view, place, "extensions", false, &extensions, error);
    for (size_t i = 0; status == PM_OK && extensions && i < 2; i++) {
        const gltf_place *const at = GLTF_KEY(place, "extensions");
        status = gltf_get_object(extensions, at, names[i], false, &json, error);
        if (status != PM_OK || !json)
            continue;
        gltf_compression *compression = gltf_allocate(reader, 1, sizeof *compression);
        if (!compression)
            return motion_refuse_memory(error);
        compression->name = names[i];
        made->compression = compression;
        status = read_compression_of(reader, json, GLTF_KEY(at, names[i]), compression, error);
    }
    return status;
}

static pm_status read_view(gltf_reader *reader, const json_t *json, size_t i, pm_error *error) {
    const gltf_place *const place = GLTF_ITEM_OF("bufferViews", i);
    gltf_view *view = &reader->document->views[i];
    pm_status status = gltf_object_of(json, place, error);
    if (status == PM_OK)
        status = read_range(reader, json, place, &view->buffer, &view->offset, &view->size, error);
    if (status == PM_OK)
        status = gltf_get_size(json, place, "byteStride", 1, 0, &view->stride, error);
    if (status == PM_OK)
        status = read_compression(reader, json, place, view, error);
    if (status != PM_OK)
        return status;
    const gltf_buffer *buffer = &reader->document->buffers[view->buffer];
    if (buffer->data)
        view->data = buffer->data + view->offset;
    return PM_OK;
}

pm_status gltf_read_views(gltf_reader *reader, pm_error *error) {
    gltf_document *document = reader->document;
    const json_t *array = NULL;
    pm_status status = gltf_get_array(document->root, NULL, "bufferViews", false, &array, error);
    if (status != PM_OK)
        return status;
    document->view_count = json_array_size(array);
    document->views = gltf_allocate(reader, document->view_count, sizeof *document->views);
    if (!document->views)
        return motion_refuse_memory(error);
    for (size_t i = 0; status == PM_OK && i < document->view_count; i++)
        status = read_view(reader, json_array_get(array, i), i, error);
    return status;
}

pm_status gltf_view_data(gltf_reader *reader, size_t index, const gltf_place *place,
                         const unsigned char **data, pm_error *error) {
    gltf_view *view = &reader->document->views[index];
    pm_status status = PM_OK;
    if (!view->data && view->compression)
        status = gltf_decompress(reader, index, &view->data, error);
    else if (!view->data)
        status = gltf_refuse(error, place, "its data are in /buffers/%zu, which has no uri",
                             view->buffer);
    *data = view->data;
    return status;
}
