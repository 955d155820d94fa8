/* SPDX-License-Identifier: MIT
 *
 * The bytes of a document in either container. In JSON the binary data are one data URI, encoded while
 * they are written.
 */
#include "motion/gltf/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/gltf/base64.h"
#include "motion/gltf/glb.h"
#include "motion/gltf/plain_json.h"

static pm_status put(const motion_sink *sink, const void *data, size_t size, pm_error *error) {
    return size == 0 ? PM_OK : sink->write(sink->user, data, size, error);
}

/* ---- binary data --------------------------------------------------------------------------- */

/* Receives the bytes of the buffer, as they are or as base64. */
typedef struct data_sink {
    const motion_sink *sink;
    bool is_base64;
    size_t at;             /* bytes so far */
    unsigned char rest[3]; /* bytes that do not fill 3 yet */
    size_t rest_size;
} data_sink;

static pm_status put_base64(data_sink *d, const unsigned char *data, size_t size, pm_error *error) {
    enum { GROUPS = 1024 };
    char text[4 * GROUPS];
    pm_status status = PM_OK;
    while (status == PM_OK && size > 0) {
        if (d->rest_size == 0 && size >= 3) {
            const size_t groups = size / 3 < GROUPS ? size / 3 : GROUPS;
            status = put(d->sink, text, base64_encode(data, 3 * groups, text), error);
            data += 3 * groups;
            size -= 3 * groups;
            continue;
        }
        d->rest[d->rest_size++] = *data++;
        size--;
        if (d->rest_size == 3) {
            status = put(d->sink, text, base64_encode(d->rest, 3, text), error);
            d->rest_size = 0;
        }
    }
    return status;
}

static pm_status put_data(void *user, const void *data, size_t size, pm_error *error) {
    data_sink *d = user;
    d->at += size;
    return d->is_base64 ? put_base64(d, data, size, error) : put(d->sink, data, size, error);
}

static pm_status write_pieces(const gltf_writer *w, data_sink *d, pm_error *error) {
    static const unsigned char zeros[4];
    const gltf_byte_sink bytes = {put_data, d};
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < w->piece_count; i++) {
        const gltf_piece *piece = &w->pieces[i];
        status = put_data(d, zeros, piece->offset - d->at, error);
        if (status == PM_OK)
            status = piece->clip ? gltf_write_clip(piece->clip, &bytes, error)
                                 : put_data(d, piece->data, piece->size, error);
    }
    return status;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

/* State of jansson's callback, which has no error of its own. jansson ignores its result in some
 * places, so that a failure is kept. */
typedef struct dump {
    const motion_sink *sink;
    pm_error *error;
    pm_status status;
} dump;

static int dump_text(const char *text, size_t size, void *user) {
    dump *d = user;
    if (d->status == PM_OK)
        d->status = put(d->sink, text, size, d->error);
    return d->status == PM_OK ? 0 : -1;
}

/* A number or a string as it was read, or as jansson writes it. */
static pm_status write_scalar(const motion_sink *sink, const json_t *value, pm_error *error) {
    size_t size = 0;
    const char *number = plain_json_number_text(value, &size);
    if (number)
        return put(sink, number, size, error);
    dump d = {sink, error, PM_OK};
    const int result = json_dump_callback(value, dump_text, &d, JSON_COMPACT | JSON_ENCODE_ANY);
    if (d.status != PM_OK)
        return d.status;
    return result == 0 ? PM_OK : motion_refuse_memory(error);
}

static pm_status write_data_uri(const gltf_writer *w, const motion_sink *sink, pm_error *error) {
    static const char prefix[] = "\"uri\":\"data:application/octet-stream;base64,";
    data_sink d = {.sink = sink, .is_base64 = true};
    char last[4];
    pm_status status = put(sink, prefix, sizeof prefix - 1, error);
    if (status == PM_OK)
        status = write_pieces(w, &d, error);
    if (status == PM_OK && d.rest_size > 0)
        status = put(sink, last, base64_encode(d.rest, d.rest_size, last), error);
    return status == PM_OK ? put(sink, "\"", 1, error) : status;
}

/* What is written: the data are those of the buffer `embedded`, which may be NULL. */
typedef struct output {
    const gltf_writer *writer;
    const json_t *embedded;
    const motion_sink *sink;
} output;

static pm_status write_value(const output *o, const json_t *value, pm_error *error);

static pm_status write_array(const output *o, const json_t *array, pm_error *error) {
    pm_status status = put(o->sink, "[", 1, error);
    for (size_t i = 0; status == PM_OK && i < json_array_size(array); i++) {
        if (i > 0)
            status = put(o->sink, ",", 1, error);
        if (status == PM_OK)
            status = write_value(o, json_array_get(array, i), error);
    }
    return status == PM_OK ? put(o->sink, "]", 1, error) : status;
}

static pm_status write_member(const output *o, const char *key, const json_t *value,
                              pm_error *error) {
    json_t *text = json_string_nocheck(key);
    pm_status status = text ? write_scalar(o->sink, text, error) : motion_refuse_memory(error);
    json_decref(text);
    if (status == PM_OK)
        status = put(o->sink, ":", 1, error);
    return status == PM_OK ? write_value(o, value, error) : status;
}

static pm_status write_object(const output *o, json_t *object, pm_error *error) {
    pm_status status = put(o->sink, "{", 1, error);
    for (void *i = json_object_iter(object); status == PM_OK && i;
         i = json_object_iter_next(object, i)) {
        if (i != json_object_iter(object))
            status = put(o->sink, ",", 1, error);
        if (status == PM_OK)
            status = write_member(o, json_object_iter_key(i), json_object_iter_value(i), error);
    }
    if (status == PM_OK && object == o->embedded) {
        status = put(o->sink, ",", json_object_size(object) > 0, error);
        if (status == PM_OK)
            status = write_data_uri(o->writer, o->sink, error);
    }
    return status == PM_OK ? put(o->sink, "}", 1, error) : status;
}

/* The depth is bounded by that of the parser. */
static pm_status write_value(const output *o, const json_t *value, pm_error *error) {
    return json_is_object(value)  ? write_object(o, (json_t *)(uintptr_t)value, error)
           : json_is_array(value) ? write_array(o, value, error)
                                  : write_scalar(o->sink, value, error);
}

static pm_status write_json(const gltf_writer *w, const motion_sink *sink, pm_error *error) {
    const json_t *first = json_array_get(json_object_get(w->root, "buffers"), 0);
    const output o = {w, w->has_data ? first : NULL, sink};
    const pm_status status = write_value(&o, w->root, error);
    return status == PM_OK ? put(sink, "\n", 1, error) : status;
}

/* ---- GLB ----------------------------------------------------------------------------------- */

static size_t padded(size_t size) {
    return (size + 3) / 4 * 4;
}

static pm_status write_chunk_header(const motion_sink *sink, size_t size, uint32_t type,
                                    pm_error *error) {
    unsigned char header[GLB_CHUNK_HEADER];
    glb_store32(header, (uint32_t)size);
    glb_store32(header + 4, type);
    return put(sink, header, sizeof header, error);
}

static pm_status write_data_chunk(const gltf_writer *w, const motion_sink *sink, pm_error *error) {
    static const unsigned char zeros[4];
    data_sink d = {.sink = sink};
    pm_status status = write_chunk_header(sink, padded(w->size), GLB_BIN, error);
    if (status == PM_OK)
        status = write_pieces(w, &d, error);
    return status == PM_OK ? put(sink, zeros, padded(w->size) - w->size, error) : status;
}

static pm_status write_chunks(const gltf_writer *w, const char *json, size_t json_size,
                              const motion_sink *sink, pm_error *error) {
    const size_t chunks = w->document->chunks_size;
    const size_t data = w->has_data ? GLB_CHUNK_HEADER + padded(w->size) : 0;
    const size_t fixed = GLB_HEADER + GLB_CHUNK_HEADER + padded(json_size);
    unsigned char header[GLB_HEADER];
    if (data > UINT32_MAX || chunks > UINT32_MAX || fixed > UINT32_MAX ||
        (uint64_t)fixed + data + chunks > UINT32_MAX)
        return motion_fail(error, PM_ERROR_OUTPUT,
                           "the output has %zu bytes of binary data; a GLB file cannot have 4 GiB",
                           w->size);
    glb_store32(header, GLB_MAGIC);
    glb_store32(header + 4, 2);
    glb_store32(header + 8, (uint32_t)(fixed + data + chunks));
    pm_status status = put(sink, header, sizeof header, error);
    if (status == PM_OK)
        status = write_chunk_header(sink, padded(json_size), GLB_JSON, error);
    if (status == PM_OK)
        status = put(sink, json, json_size, error);
    if (status == PM_OK)
        status = put(sink, "   ", padded(json_size) - json_size, error);
    if (status == PM_OK && w->has_data)
        status = write_data_chunk(w, sink, error);
    return status == PM_OK ? put(sink, w->document->chunks, chunks, error) : status;
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
        if (!larger)
            return motion_refuse_memory(error);
        t->data = larger;
        t->capacity = capacity;
    }
    memcpy(t->data + t->size, data, size);
    t->size += size;
    return PM_OK;
}

static pm_status write_binary(const gltf_writer *w, const motion_sink *sink, pm_error *error) {
    text json = {0};
    const motion_sink in_memory = {append_text, &json};
    pm_status status = write_value(&(output){w, NULL, &in_memory}, w->root, error);
    if (status == PM_OK)
        status = write_chunks(w, json.data, json.size, sink, error);
    free(json.data);
    return status;
}

pm_status gltf_write_container(const gltf_writer *w, bool is_binary, const motion_sink *sink,
                               pm_error *error) {
    return is_binary ? write_binary(w, sink, error) : write_json(w, sink, error);
}
