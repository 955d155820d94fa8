/* SPDX-License-Identifier: MIT
 *
 * Values in few bytes: rotations as normalised int16 and, compressed as EXT_meshopt_compression says, streams of
 * words that its filters and its codec of attributes make. A value is packed only if it is read again as it is.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/gltf/extensions.h"
#include "motion/gltf/glb.h"
#include "motion/gltf/write.h"

/* ---- words --------------------------------------------------------------------------------- */

static void store16(int16_t value, unsigned char *at) {
    at[0] = (unsigned char)((unsigned)value & 0xff);
    at[1] = (unsigned char)((unsigned)value >> 8 & 0xff);
}

/* The numbers of a part, one after another. */
typedef struct numbers {
    const gltf_new_clip *clip;
    const gltf_part *part;
} numbers;

static float number_at(const numbers *n, size_t index) {
    return gltf_number_of(n->clip, n->part, index);
}

static bool integers_at(const numbers *n, size_t element, int16_t c[4]) {
    double q[4];
    for (size_t i = 0; i < 4; i++)
        q[i] = (double)number_at(n, 4 * element + i);
    return packed_integers(q, c);
}

static bool are_integers(const numbers *n) {
    int16_t c[4];
    bool all = true;
    for (size_t e = 0; all && e < n->part->numbers / 4; e++)
        all = integers_at(n, e, c);
    return all;
}

/* False: the filter has no such words. */
static bool filter_rotations(const numbers *n, unsigned bits, unsigned char *to) {
    int16_t c[4], words[4];
    for (size_t e = 0; e < n->part->numbers / 4; e++) {
        if (!integers_at(n, e, c) || !packed_words(bits, c, words))
            return false;
        for (size_t i = 0; i < 4; i++)
            store16(words[i], to + 8 * e + 2 * i);
    }
    return true;
}

/* With one exponent for all, so that words differ as little as numbers do. */
static bool filter_numbers(const numbers *n, unsigned char *to) {
    int exponent = PACKED_MOST_EXPONENT;
    for (size_t i = 0; i < n->part->numbers; i++) {
        const int own = packed_exponent_of(number_at(n, i));
        exponent = own < exponent ? own : exponent;
    }
    exponent = exponent == PACKED_MOST_EXPONENT ? 0 : exponent;
    if (exponent < PACKED_LEAST_EXPONENT)
        return false;
    for (size_t i = 0; i < n->part->numbers; i++) {
        uint32_t word;
        if (!packed_mantissa((double)number_at(n, i), exponent, &word))
            return false;
        glb_store32(to + 4 * i, word);
    }
    return true;
}

static void copy_numbers(const numbers *n, unsigned char *to) {
    int16_t c[4];
    for (size_t e = 0; n->part->is_int16 && e < n->part->numbers / 4; e++) {
        (void)integers_at(n, e, c);
        for (size_t i = 0; i < 4; i++)
            store16(c[i], to + 8 * e + 2 * i);
    }
    for (size_t i = 0; !n->part->is_int16 && i < n->part->numbers; i++) {
        const float number = number_at(n, i);
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        glb_store32(to + 4 * i, bits);
    }
}

/* Writes the words of a part, and says which filter they are of. */
static const char *make_words(const numbers *n, unsigned char *to) {
    if (n->part->is_int16)
        for (unsigned bits = PACKED_LEAST; bits <= PACKED_MOST; bits++)
            if (filter_rotations(n, bits, to))
                return "QUATERNION";
    if (n->part->channel && !n->part->is_int16 && filter_numbers(n, to))
        return "EXPONENTIAL";
    copy_numbers(n, to);
    return NULL;
}

/* ---- streams ------------------------------------------------------------------------------- */

/* The stream of some width and filter, with room for more. GLTF_NONE: memory is exhausted. */
static size_t find_stream(gltf_writer *w, size_t width, const char *filter, size_t more) {
    size_t i = 0;
    while (i < w->stream_count &&
           !(w->streams[i].width == width &&
             strcmp(filter ? filter : "", w->streams[i].filter ? w->streams[i].filter : "") == 0))
        i++;
    gltf_stream *s = &w->streams[i];
    if (i == w->stream_count)
        *s = (gltf_stream){.width = width, .filter = filter};
    w->stream_count += i == w->stream_count;
    if (more > SIZE_MAX / 4 - s->size)
        return GLTF_NONE;
    if (s->size + more > s->capacity) {
        const size_t capacity = 2 * (s->size + more);
        unsigned char *grown = realloc(s->words, capacity);
        if (!grown)
            return GLTF_NONE;
        s->words = grown;
        s->capacity = capacity;
    }
    return i;
}

pm_status gltf_pack_part(gltf_writer *w, const gltf_new_clip *clip, gltf_part *part,
                         size_t components, size_t *stream, pm_error *error) {
    const numbers of = {clip, part};
    const bool is_rotation = part->channel && part->channel->path == PM_MOTION_ROTATION;
    *stream = GLTF_NONE;
    if (clip->samples || !(w->packing.quantizes || w->packing.compresses))
        return PM_OK;
    part->is_int16 = is_rotation && gltf_elements_of(part) == 1 && are_integers(&of);
    if (!w->packing.compresses)
        return PM_OK;
    const size_t width = components * (part->is_int16 ? sizeof(int16_t) : sizeof(float));
    const size_t size = part->numbers / components * width;
    FREED unsigned char *words = malloc(size + 1);
    MOTION_TRY_MEMORY(words, error);
    const char *filter = make_words(&of, words);
    *stream = find_stream(w, width, filter, size);
    MOTION_TRY_MEMORY(*stream != GLTF_NONE, error);
    gltf_stream *s = &w->streams[*stream];
    memcpy(s->words + s->size, words, size);
    s->size += size;
    return PM_OK;
}

pm_status gltf_compress(gltf_writer *w, pm_error *error) {
    if (w->packing.compresses && !gltf_can_decompress())
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "compress: this build has no meshoptimizer, which compresses");
    for (size_t i = 0; i < w->stream_count; i++) {
        gltf_stream *s = &w->streams[i];
        MOTION_TRY_MEMORY(
            gltf_encode(s->words, s->size / s->width, s->width, &s->packed, &s->packed_size),
            error);
    }
    return PM_OK;
}

/* ---- the document -------------------------------------------------------------------------- */

static bool add_name(json_t *root, const char *key) {
    json_t *names = gltf_array_of(root, key);
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name && strcmp(name, GLTF_MESHOPT) == 0)
            return true;
    }
    return json_array_append_new(names, json_string(GLTF_MESHOPT)) == 0;
}

static bool describe(const gltf_stream *s, size_t fallback, size_t at, size_t offset) {
    json_t *packed =
        json_pack("{si sI sI sI sI ss}", "buffer", 0, "byteOffset", (json_int_t)offset,
                  "byteLength", (json_int_t)s->packed_size, "byteStride", (json_int_t)s->width,
                  "count", (json_int_t)(s->size / s->width), "mode", "ATTRIBUTES");
    if (packed && s->filter && json_object_set_new(packed, "filter", json_string(s->filter)) != 0) {
        json_decref(packed);
        return false;
    }
    return gltf_set_integer(s->view, "buffer", fallback) &&
           gltf_set_integer(s->view, "byteOffset", at) &&
           gltf_set_integer(s->view, "byteLength", s->size) &&
           json_object_set_new(s->view, "extensions", json_pack("{so}", GLTF_MESHOPT, packed)) == 0;
}

/* The bytes that a reader decodes stand in a buffer that nobody writes. */
bool gltf_describe_streams(const gltf_writer *w, json_t *buffers) {
    const size_t fallback = json_array_size(buffers);
    size_t at = 0;
    if (w->stream_count == 0)
        return true;
    for (size_t i = 0; i < w->stream_count; i++) {
        const gltf_piece *piece = &w->pieces[w->piece_count - w->stream_count + i];
        if (!describe(&w->streams[i], fallback, at, piece->offset))
            return false;
        at += (w->streams[i].size + 3) / 4 * 4;
    }
    return json_array_append_new(buffers, json_pack("{sI s{s{sb}}}", "byteLength", (json_int_t)at,
                                                    "extensions", GLTF_MESHOPT, "fallback", 1)) ==
               0 &&
           add_name(w->root, "extensionsUsed") && add_name(w->root, "extensionsRequired");
}
