/* SPDX-License-Identifier: MIT
 *
 * Lays out the binary data. Ranges of the source that views need go, each once and without gaps, into
 * buffer 0, and new data behind them. Buffers without data, which compressed files have, stay as
 * such, shortened. With unknown references all buffers stay as they are, and buffer 0 grows.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/base/base64.h"
#include "motion/gltf/write.h"

/* Bytes [begin, end) of a buffer of the source. */
typedef struct range {
    size_t buffer, begin, end;
    size_t offset; /* in the new buffer */
} range;

typedef struct layout {
    gltf_writer *writer;
    range *ranges; /* sorted, apart from each other */
    size_t count;
    size_t *buffers; /* by buffer of the source: its new index */
} layout;

/* Offsets keep their remainder, so that all that was aligned stays aligned. */
enum { ALIGNMENT = 4 };

static size_t align_as(size_t at, size_t source) {
    return at + (source % ALIGNMENT + ALIGNMENT - at % ALIGNMENT) % ALIGNMENT;
}

/* ---- ranges -------------------------------------------------------------------------------- */

static int compare_ranges(const void *a, const void *b) {
    const range *x = a, *y = b;
    if (x->buffer != y->buffer)
        return x->buffer < y->buffer ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static void add_range(layout *l, size_t buffer, size_t offset, size_t size) {
    l->ranges[l->count++] = (range){buffer, offset, offset + size, 0};
}

static void merge_ranges(layout *l) {
    size_t kept = 0;
    if (l->count > 0)
        qsort(l->ranges, l->count, sizeof *l->ranges, compare_ranges);
    for (size_t i = 1; i < l->count; i++) {
        range *last = &l->ranges[kept];
        const range next = l->ranges[i];
        if (next.buffer != last->buffer || next.begin > last->end)
            l->ranges[++kept] = next;
        else if (next.end > last->end)
            last->end = next.end;
    }
    l->count = l->count > 0 ? kept + 1 : 0;
}

static void collect_ranges(layout *l) {
    const gltf_document *document = l->writer->document;
    for (size_t i = 0; i < document->view_count; i++) {
        const gltf_view *view = &document->views[i];
        const gltf_compression *c = view->compression;
        if (l->writer->dropped_views[i])
            continue;
        add_range(l, view->buffer, view->offset, view->size);
        if (c)
            add_range(l, c->buffer, c->offset, c->size);
    }
    merge_ranges(l);
}

/* The range that a view's bytes are in. */
static const range *find_range(const layout *l, size_t buffer, size_t offset) {
    size_t low = 0, high = l->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        const range *r = &l->ranges[middle];
        if (r->buffer < buffer || (r->buffer == buffer && r->begin <= offset))
            low = middle;
        else
            high = middle;
    }
    return &l->ranges[low];
}

/* ---- pieces -------------------------------------------------------------------------------- */

static void add_piece(gltf_writer *w, size_t offset, size_t size, const unsigned char *data,
                      const gltf_new_clip *clip) {
    w->pieces[w->piece_count++] = (gltf_piece){offset, size, data, clip};
    w->size = offset + size;
    w->has_data = true;
}

static bool place_binds(gltf_writer *w) {
    if (!w->binds_view)
        return true;
    const size_t offset = align_as(w->size, 0);
    add_piece(w, offset, w->binds_size, w->binds, NULL);
    return gltf_set_integer(w->binds_view, "byteOffset", offset);
}

static bool place_clips(gltf_writer *w) {
    if (!place_binds(w))
        return false;
    for (size_t i = 0; i < w->clip_count; i++) {
        gltf_new_clip *clip = &w->clips[i];
        if (!clip->view)
            continue;
        const size_t offset = align_as(w->size, 0);
        if (clip->size > SIZE_MAX / 2 - offset ||
            !gltf_set_integer(clip->view, "byteOffset", offset))
            return false;
        add_piece(w, offset, clip->size, NULL, clip);
    }
    for (size_t i = 0; i < w->stream_count; i++)
        add_piece(w, align_as(w->size, 0), w->streams[i].packed_size, w->streams[i].packed, NULL);
    return true;
}

/* ---- views --------------------------------------------------------------------------------- */

static bool set_range(const layout *l, json_t *json, size_t buffer, size_t offset) {
    const range *r = find_range(l, buffer, offset);
    const size_t moved = r->offset + (offset - r->begin);
    if (!gltf_set_integer(json, "buffer", l->buffers[buffer]))
        return false;
    return (moved == 0 && !json_object_get(json, "byteOffset")) ||
           gltf_set_integer(json, "byteOffset", moved);
}

static bool set_views(const layout *l) {
    const gltf_document *document = l->writer->document;
    const json_t *array = json_object_get(l->writer->root, "bufferViews");
    size_t at = 0;
    for (size_t i = 0; i < document->view_count; i++) {
        const gltf_view *view = &document->views[i];
        const gltf_compression *c = view->compression;
        if (l->writer->dropped_views[i])
            continue;
        json_t *json = json_array_get(array, at++);
        if (!set_range(l, json, view->buffer, view->offset))
            return false;
        json_t *extension = json_object_get(json_object_get(json, "extensions"), c ? c->name : "");
        if (c && !set_range(l, extension, c->buffer, c->offset))
            return false;
    }
    return true;
}

/* ---- buffers ------------------------------------------------------------------------------- */

/* The source's object for a buffer, with another size and without a URI. */
static bool append_buffer(json_t *buffers, json_t *json, size_t size) {
    if (!json)
        json = json_object();
    else
        json_incref(json);
    json_object_del(json, "uri");
    const bool is_set = gltf_set_integer(json, "byteLength", size);
    return json_array_append_new(buffers, json) == 0 && is_set;
}

/* Ranges with data, and behind them those of clips, in buffer 0. */
static bool place_data(layout *l, const json_t *source, json_t *buffers) {
    gltf_writer *w = l->writer;
    const gltf_document *document = w->document;
    size_t first = 0;
    while (first < document->buffer_count && !document->buffers[first].data)
        first++;
    for (size_t i = 0; i < l->count; i++) {
        range *r = &l->ranges[i];
        const unsigned char *data = document->buffers[r->buffer].data;
        if (!data)
            continue;
        r->offset = align_as(w->size, r->begin);
        add_piece(w, r->offset, r->end - r->begin, data + r->begin, NULL);
    }
    return place_clips(w) &&
           (!w->has_data || append_buffer(buffers, json_array_get(source, first), w->size));
}

/* The others in buffers of their own. */
static bool place_others(layout *l, const json_t *source, json_t *buffers) {
    size_t at = 0;
    for (size_t i = 0; i < l->count; i++) {
        range *r = &l->ranges[i];
        const bool is_last = i + 1 == l->count || r[1].buffer != r->buffer;
        if (l->writer->document->buffers[r->buffer].data)
            continue;
        r->offset = align_as(at, r->begin);
        at = is_last ? 0 : r->offset + (r->end - r->begin);
        l->buffers[r->buffer] = json_array_size(buffers);
        if (is_last && !append_buffer(buffers, json_array_get(source, r->buffer),
                                      r->offset + (r->end - r->begin)))
            return false;
    }
    return true;
}

static bool lay_out_again(layout *l) {
    json_t *root = l->writer->root, *buffers = json_array();
    const json_t *source = json_object_get(root, "buffers");
    collect_ranges(l);
    const bool is_done = buffers && place_data(l, source, buffers) &&
                         place_others(l, source, buffers) && set_views(l) &&
                         gltf_describe_streams(l->writer, buffers);
    if (is_done && json_array_size(buffers) > 0)
        return json_object_set_new(root, "buffers", buffers) == 0;
    json_decref(buffers);
    json_object_del(root, "buffers");
    return is_done;
}

static pm_status lay_out_fresh(gltf_writer *w, pm_error *error) {
    layout l = {.writer = w};
    l.ranges = calloc(2 * w->document->view_count + 1, sizeof *l.ranges);
    l.buffers = calloc(w->document->buffer_count + 1, sizeof *l.buffers);
    const bool is_done = l.ranges && l.buffers && lay_out_again(&l);
    MOTION_FREE(l.ranges, l.buffers);
    return is_done ? PM_OK : motion_refuse_memory(error);
}

/* ---- with unknown references --------------------------------------------------------------- */

/* Only one buffer is streamed: files beside the document become data URIs in memory. */
static bool embed(const gltf_buffer *buffer, json_t *json) {
    static const char prefix[] = "data:application/octet-stream;base64,";
    const size_t start = sizeof prefix - 1;
    if (buffer->size > SIZE_MAX / 2)
        return false;
    FREED char *text = malloc(start + (buffer->size + 2) / 3 * 4);
    if (!text)
        return false;
    memcpy(text, prefix, start);
    const size_t size = start + base64_encode(buffer->data, buffer->size, text + start);
    return json_object_set_new(json, "uri", json_stringn_nocheck(text, size)) == 0;
}

/* A file that several buffers are would be written once for each. */
static pm_status check_embedded(const gltf_document *document, pm_error *error) {
    const size_t often = 16;
    size_t repeated = 0;
    for (size_t i = 0; i < document->buffer_count; i++) {
        repeated += document->buffers[i].same_as != i;
        if (repeated > often)
            return motion_fail(error, PM_ERROR_OUTPUT,
                               "/buffers/%zu: is the same file as /buffers/%zu, as are more than "
                               "%zu others, and an extension that is not known keeps all",
                               i, document->buffers[i].same_as, often);
    }
    return PM_OK;
}

static bool embed_files(const gltf_writer *w) {
    const gltf_document *document = w->document;
    const json_t *buffers = json_object_get(w->root, "buffers");
    for (size_t i = 1; i < document->buffer_count; i++)
        if (document->buffers[i].is_external &&
            !embed(&document->buffers[i], json_array_get(buffers, i)))
            return false;
    return true;
}

static bool set_first(const gltf_writer *w) {
    json_t *buffers = gltf_array_of(w->root, "buffers");
    if (json_array_size(buffers) == 0 && json_array_append_new(buffers, json_object()) != 0)
        return false;
    json_t *first = json_array_get(buffers, 0);
    json_object_del(first, "uri");
    return gltf_set_integer(first, "byteLength", w->size);
}

static pm_status grow_first(gltf_writer *w, pm_error *error) {
    const gltf_document *document = w->document;
    const bool has_first = document->buffer_count > 0;
    MOTION_TRY(check_embedded(document, error));
    if (has_first && document->buffers[0].data)
        add_piece(w, 0, document->buffers[0].size, document->buffers[0].data, NULL);
    MOTION_TRY_MEMORY(place_clips(w) && embed_files(w), error);
    if (!w->has_data)
        return PM_OK;
    if (has_first && !document->buffers[0].data)
        return motion_fail(error, PM_ERROR_OUTPUT,
                           "/buffers/0: has no data, and an extension that is not known keeps new "
                           "data out of another one");
    return set_first(w) && gltf_describe_streams(w, json_object_get(w->root, "buffers"))
               ? PM_OK
               : motion_refuse_memory(error);
}

pm_status gltf_lay_out(gltf_writer *w, pm_error *error) {
    w->pieces =
        calloc(2 * w->document->view_count + w->clip_count + GLTF_STREAMS + 3, sizeof *w->pieces);
    MOTION_TRY_MEMORY(w->pieces, error);
    return w->document->has_unknown_references ? grow_first(w, error) : lay_out_fresh(w, error);
}
