/* SPDX-License-Identifier: MIT
 *
 * The bytes of a document in either container. In JSON the binary data are one data URI, encoded while
 * they are written.
 */
#include "motion/gltf/write.h"

#include <stdlib.h>
#include <string.h>

#include "motion/base/base64.h"
#include "motion/gltf/glb.h"
#include "motion/gltf/plain_json.h"

/* What is written. A failure is kept, and nothing is written after it. */
typedef struct output {
    const gltf_writer *writer;
    const json_t *embedded; /* the buffer whose data stand in the JSON. NULL: none */
    motion_sink sink;
    pm_error *error;
    pm_status status;
    bool is_base64;        /* of data */
    size_t at;             /* bytes of data so far */
    unsigned char rest[3]; /* bytes that do not fill 3 yet */
    size_t rest_size;
} output;

static void put(output *o, const void *data, size_t size) {
    if (o->status == PM_OK && size > 0)
        o->status = o->sink.write(o->sink.user, data, size, o->error);
}

static void put_text(output *o, const char *text) {
    put(o, text, strlen(text));
}

/* ---- binary data --------------------------------------------------------------------------- */

static void put_base64(output *o, const unsigned char *data, size_t size) {
    enum { GROUPS = 1024 };
    char text[4 * GROUPS];
    while (size > 0) {
        if (o->rest_size == 0 && size >= 3) {
            const size_t groups = size / 3 < GROUPS ? size / 3 : GROUPS;
            put(o, text, base64_encode(data, 3 * groups, text));
            data += 3 * groups;
            size -= 3 * groups;
            continue;
        }
        o->rest[o->rest_size++] = *data++;
        size--;
        if (o->rest_size == 3) {
            put(o, text, base64_encode(o->rest, 3, text));
            o->rest_size = 0;
        }
    }
}

static pm_status put_data(void *user, const void *data, size_t size, pm_error *error) {
    output *o = user;
    (void)error;
    o->at += size;
    if (o->is_base64)
        put_base64(o, data, size);
    else
        put(o, data, size);
    return o->status;
}

static void write_pieces(output *o) {
    static const unsigned char zeros[4];
    const motion_sink bytes = {put_data, o};
    for (size_t i = 0; o->status == PM_OK && i < o->writer->piece_count; i++) {
        const gltf_piece *piece = &o->writer->pieces[i];
        put_data(o, zeros, piece->offset - o->at, o->error);
        if (o->status == PM_OK)
            o->status = piece->clip ? gltf_write_clip(piece->clip, &bytes, o->error)
                                    : put_data(o, piece->data, piece->size, o->error);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------- */

/* For jansson, which ignores the result in some places. */
static int dump_text(const char *text, size_t size, void *user) {
    output *o = user;
    put(o, text, size);
    return o->status == PM_OK ? 0 : -1;
}

/* A number or a string as it was read, or as jansson writes it. */
static void write_scalar(output *o, const json_t *value) {
    size_t size = 0;
    const char *number = plain_json_number_text(value, &size);
    if (number)
        put(o, number, size);
    else if (json_dump_callback(value, dump_text, o, JSON_COMPACT | JSON_ENCODE_ANY) != 0 &&
             o->status == PM_OK)
        o->status = motion_refuse_memory(o->error);
}

static void write_value(output *o, const json_t *value);

static void write_array(output *o, const json_t *array) {
    put_text(o, "[");
    for (size_t i = 0; i < json_array_size(array); i++) {
        put_text(o, i > 0 ? "," : "");
        write_value(o, json_array_get(array, i));
    }
    put_text(o, "]");
}

static void write_key(output *o, const char *key) {
    json_t *text = json_string_nocheck(key);
    write_scalar(o, text);
    json_decref(text);
    put_text(o, ":");
}

static void write_data_uri(output *o) {
    char last[4];
    put_text(o, "\"uri\":\"data:application/octet-stream;base64,");
    o->is_base64 = true;
    write_pieces(o);
    put(o, last, o->rest_size > 0 ? base64_encode(o->rest, o->rest_size, last) : 0);
    put_text(o, "\"");
}

static void write_object(output *o, json_t *object) {
    put_text(o, "{");
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        put_text(o, i != json_object_iter(object) ? "," : "");
        write_key(o, json_object_iter_key(i));
        write_value(o, json_object_iter_value(i));
    }
    if (object == o->embedded) {
        put_text(o, json_object_size(object) > 0 ? "," : "");
        write_data_uri(o);
    }
    put_text(o, "}");
}

/* The depth is bounded by that of the parser. */
static void write_value(output *o, const json_t *value) {
    if (json_is_object(value))
        write_object(o, (json_t *)(uintptr_t)value);
    else if (json_is_array(value))
        write_array(o, value);
    else
        write_scalar(o, value);
}

/* ---- GLB ----------------------------------------------------------------------------------- */

static size_t padded(size_t size) {
    return (size + 3) / 4 * 4;
}

static void write_chunk_header(output *o, size_t size, uint32_t type) {
    unsigned char header[GLB_CHUNK_HEADER];
    glb_store32(header, (uint32_t)size);
    glb_store32(header + 4, type);
    put(o, header, sizeof header);
}

static void write_chunks(output *o, const char *json, size_t json_size) {
    static const unsigned char zeros[4];
    const gltf_writer *w = o->writer;
    const size_t chunks = w->document->chunks_size;
    const size_t data = w->has_data ? GLB_CHUNK_HEADER + padded(w->size) : 0;
    const size_t fixed = GLB_HEADER + GLB_CHUNK_HEADER + padded(json_size);
    unsigned char header[GLB_HEADER];
    if (data > UINT32_MAX || chunks > UINT32_MAX || fixed > UINT32_MAX ||
        (uint64_t)fixed + data + chunks > UINT32_MAX) {
        o->status = motion_fail(
            o->error, PM_ERROR_OUTPUT,
            "the output has %zu bytes of binary data; a GLB file cannot have 4 GiB", w->size);
        return;
    }
    glb_store32(header, GLB_MAGIC);
    glb_store32(header + 4, 2);
    glb_store32(header + 8, (uint32_t)(fixed + data + chunks));
    put(o, header, sizeof header);
    write_chunk_header(o, padded(json_size), GLB_JSON);
    put(o, json, json_size);
    put(o, "   ", padded(json_size) - json_size);
    if (w->has_data) {
        write_chunk_header(o, padded(w->size), GLB_BIN);
        write_pieces(o);
        put(o, zeros, padded(w->size) - w->size);
    }
    put(o, w->document->chunks, chunks);
}

/* The text of the JSON chunk, whose length stands before it. */
typedef struct text {
    char *data;
    size_t size, capacity;
} text;

static pm_status append_text(void *user, const void *data, size_t size, pm_error *error) {
    text *t = user;
    if (size > t->capacity - t->size) {
        if (size > SIZE_MAX / 4 - t->capacity)
            return motion_refuse_memory(error);
        const size_t capacity = 2 * (t->capacity + size);
        char *larger = realloc(t->data, capacity);
        MOTION_TRY_MEMORY(larger, error);
        t->data = larger;
        t->capacity = capacity;
    }
    memcpy(t->data + t->size, data, size);
    t->size += size;
    return PM_OK;
}

static void write_binary(output *o) {
    text json = {0};
    const motion_sink sink = o->sink;
    o->sink = (motion_sink){append_text, &json};
    write_value(o, o->writer->root);
    o->sink = sink;
    if (o->status == PM_OK)
        write_chunks(o, json.data, json.size);
    free(json.data);
}

pm_status gltf_write_container(const gltf_writer *w, bool is_binary, const motion_sink *sink,
                               pm_error *error) {
    output o = {.writer = w, .sink = *sink, .error = error, .status = PM_OK};
    if (is_binary) {
        write_binary(&o);
        return o.status;
    }
    o.embedded = w->has_data ? json_array_get(json_object_get(w->root, "buffers"), 0) : NULL;
    write_value(&o, w->root);
    put_text(&o, "\n");
    return o.status;
}
