/* SPDX-License-Identifier: MIT
 *
 * What all readers of parts of a glTF file share: warnings, memory, and bounds of what is read.
 */
#include "motion/gltf/document.h"

#include <stdarg.h>
#include <stdio.h>

/* More warnings than this about one file help nobody. */
enum { MAX_WARNINGS = 20 };

void gltf_warn(gltf_reader *reader, const gltf_place *place, const char *message) {
    char pointer[GLTF_POINTER];
    gltf_pointer(place, pointer);
    if (reader->warnings < MAX_WARNINGS)
        motion_warn(&reader->input->warnings, "%s: %s", pointer, message);
    else if (reader->warnings == MAX_WARNINGS)
        motion_warn(&reader->input->warnings, "further warnings are left out");
    reader->warnings++;
}

bool gltf_note(gltf_reader *reader, const gltf_place *place, const char *format, ...) {
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (reader->input->options->strict)
        return gltf_refuse(reader, place, "%s", message);
    gltf_warn(reader, place, message);
    return true;
}

void *gltf_allocate(gltf_reader *reader, size_t count, size_t size) {
    void *memory = motion_allocate(&reader->motion->arena, count, size);
    if (!memory)
        gltf_refuse_memory(reader);
    return memory;
}

/* Any file may have so much. */
#define LEAST_LIMIT ((size_t)1 << 24)

/* Decompressed data of animations are up to 10 times theirs. */
enum { DECODED_FACTOR = 32 };

/* Normalized bytes become floats, and floats again where they are normalised. */
enum { VALUES_FACTOR = 8 };

static bool count(gltf_reader *reader, size_t *sum, size_t basis, size_t factor,
                  const gltf_place *place, size_t elements, size_t size) {
    const size_t limit =
        basis < (SIZE_MAX - LEAST_LIMIT) / factor ? LEAST_LIMIT + factor * basis : SIZE_MAX;
    reader->is_too_much = elements > (limit - *sum) / size;
    if (reader->is_too_much)
        return gltf_refuse(reader, place,
                           "%zu elements of %zu bytes and what was read before are more than %zu "
                           "bytes, but the data have %zu: the file refers to the same ones too "
                           "often, or to none",
                           elements, size, limit, basis);
    *sum += elements * size;
    return true;
}

bool gltf_count_decoded(gltf_reader *reader, const gltf_place *place, size_t elements,
                        size_t size) {
    return count(reader, &reader->decoded, reader->bytes, DECODED_FACTOR, place, elements, size);
}

bool gltf_count_values(gltf_reader *reader, const gltf_place *place, size_t elements, size_t size) {
    return count(reader, &reader->values, reader->bytes + reader->decoded, VALUES_FACTOR, place,
                 elements, size);
}
