/* SPDX-License-Identifier: MIT
 *
 * Writes a document in either container. In JSON the binary data are one data URI, encoded while they
 * are written.
 */
#include "motion/gltf/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/gltf/base64.h"
#include "motion/gltf/glb.h"
#include "motion/gltf/plain_json.h"
#include "motion/model/made.h"

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
            status = !piece->clip        ? put_data(d, piece->data, piece->size, error)
                     : piece->clip->keys ? gltf_write_keys(piece->clip, &bytes, error)
                                         : gltf_write_samples(w, piece->clip, &bytes, error);
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

static pm_status write_value(const motion_sink *sink, const json_t *value, pm_error *error);

static pm_status write_array(const motion_sink *sink, const json_t *array, pm_error *error) {
    pm_status status = put(sink, "[", 1, error);
    for (size_t i = 0; status == PM_OK && i < json_array_size(array); i++) {
        if (i > 0)
            status = put(sink, ",", 1, error);
        if (status == PM_OK)
            status = write_value(sink, json_array_get(array, i), error);
    }
    return status == PM_OK ? put(sink, "]", 1, error) : status;
}

/* A comma unless it is the first, the key, and a colon. */
static pm_status write_key(const motion_sink *sink, const char *key, bool is_first,
                           pm_error *error) {
    pm_status status = is_first ? PM_OK : put(sink, ",", 1, error);
    json_t *text = status == PM_OK ? json_string_nocheck(key) : NULL;
    if (status == PM_OK)
        status = text ? write_scalar(sink, text, error) : motion_refuse_memory(error);
    json_decref(text);
    return status == PM_OK ? put(sink, ":", 1, error) : status;
}

static pm_status write_object(const motion_sink *sink, json_t *object, pm_error *error) {
    pm_status status = put(sink, "{", 1, error);
    for (void *i = json_object_iter(object); status == PM_OK && i;
         i = json_object_iter_next(object, i)) {
        status = write_key(sink, json_object_iter_key(i), i == json_object_iter(object), error);
        if (status == PM_OK)
            status = write_value(sink, json_object_iter_value(i), error);
    }
    return status == PM_OK ? put(sink, "}", 1, error) : status;
}

/* The depth is bounded by that of the parser. */
static pm_status write_value(const motion_sink *sink, const json_t *value, pm_error *error) {
    return json_is_object(value)  ? write_object(sink, (json_t *)(uintptr_t)value, error)
           : json_is_array(value) ? write_array(sink, value, error)
                                  : write_scalar(sink, value, error);
}

/* Buffer 0: its members, and the data URI. */
static pm_status write_data_uri(const gltf_writer *w, json_t *buffer, const motion_sink *sink,
                                pm_error *error) {
    static const char prefix[] = "\"data:application/octet-stream;base64,";
    data_sink d = {.sink = sink, .is_base64 = true};
    char last[4];
    pm_status status = put(sink, "{", 1, error);
    for (void *i = json_object_iter(buffer); status == PM_OK && i;
         i = json_object_iter_next(buffer, i)) {
        status = write_key(sink, json_object_iter_key(i), i == json_object_iter(buffer), error);
        if (status == PM_OK)
            status = write_value(sink, json_object_iter_value(i), error);
    }
    if (status == PM_OK)
        status = write_key(sink, "uri", json_object_size(buffer) == 0, error);
    if (status == PM_OK)
        status = put(sink, prefix, sizeof prefix - 1, error);
    if (status == PM_OK)
        status = write_pieces(w, &d, error);
    if (status == PM_OK && d.rest_size > 0)
        status = put(sink, last, base64_encode(d.rest, d.rest_size, last), error);
    return status == PM_OK ? put(sink, "\"}", 2, error) : status;
}

static pm_status write_buffers(const gltf_writer *w, const json_t *buffers, const motion_sink *sink,
                               pm_error *error) {
    pm_status status = put(sink, "[", 1, error);
    for (size_t i = 0; status == PM_OK && i < json_array_size(buffers); i++) {
        json_t *buffer = json_array_get(buffers, i);
        if (i > 0)
            status = put(sink, ",", 1, error);
        if (status == PM_OK)
            status = i == 0 && w->has_data ? write_data_uri(w, buffer, sink, error)
                                           : write_value(sink, buffer, error);
    }
    return status == PM_OK ? put(sink, "]", 1, error) : status;
}

static pm_status write_json(const gltf_writer *w, const motion_sink *sink, pm_error *error) {
    pm_status status = put(sink, "{", 1, error);
    for (void *i = json_object_iter(w->root); status == PM_OK && i;
         i = json_object_iter_next(w->root, i)) {
        const char *key = json_object_iter_key(i);
        const json_t *value = json_object_iter_value(i);
        status = write_key(sink, key, i == json_object_iter(w->root), error);
        if (status == PM_OK)
            status = strcmp(key, "buffers") == 0 ? write_buffers(w, value, sink, error)
                                                 : write_value(sink, value, error);
    }
    return status == PM_OK ? put(sink, "}\n", 2, error) : status;
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
    pm_status status = write_value(&in_memory, w->root, error);
    if (status == PM_OK)
        status = write_chunks(w, json.data, json.size, sink, error);
    free(json.data);
    return status;
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Of `samples` and `keys` one is NULL. */
static pm_status prepare(gltf_writer *w, const motion_samples *samples,
                         const pm_motion_content *keys, pm_error *error) {
    w->root = gltf_copy(w->document->root);
    w->clips = calloc(w->clip_count + 1, sizeof *w->clips);
    if (!w->root || !w->clips)
        return motion_refuse_memory(error);
    pm_status status = w->clip_count > 0 ? gltf_set_beyond_apart(w, error) : PM_OK;
    if (status == PM_OK)
        status = keys ? gltf_replace_keys(w, keys, error) : gltf_replace_clips(w, samples, error);
    if (status == PM_OK && !w->document->has_unknown_references)
        status = gltf_drop_unused(w, error);
    if (status == PM_OK && w->clip_count > 0)
        status = gltf_put_beyond_back(w, error);
    if (status == PM_OK)
        status = gltf_lay_out(w, error);
    return status;
}

static pm_status write_any(gltf_writer *w, const motion_samples *samples,
                           const pm_motion_content *keys, bool is_binary, const motion_sink *sink,
                           pm_error *error) {
    pm_status status = prepare(w, samples, keys, error);
    if (status == PM_OK)
        status = is_binary ? write_binary(w, sink, error) : write_json(w, sink, error);
    json_decref(w->root);
    free(w->clips);
    free(w->dropped_views);
    free(w->pieces);
    return status;
}

pm_status gltf_write(const pm_motion *motion, const motion_samples *samples, size_t count,
                     bool is_binary, const motion_sink *sink, pm_error *error) {
    gltf_writer w = {.motion = motion, .document = motion->document, .clip_count = count};
    return write_any(&w, samples, NULL, is_binary, sink, error);
}

pm_status gltf_write_reduced(const pm_motion *motion, const pm_motion *keys, bool is_binary,
                             const motion_sink *sink, pm_error *error) {
    gltf_writer w = {
        .motion = motion, .document = motion->document, .clip_count = keys->content.clip_count};
    for (size_t i = 0; i < w.clip_count; i++)
        w.is_changed |= !motion_is_untouched(keys, i);
    return write_any(&w, NULL, &keys->content, is_binary, sink, error);
}
