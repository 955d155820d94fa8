/* SPDX-License-Identifier: MIT
 *
 * The rows of the table of formats for glTF 2.0: JSON and binary. They differ in the container only.
 */
#include <stdlib.h>
#include <string.h>

#include "motion/gltf/document.h"
#include "motion/gltf/glb.h"
#include "motion/gltf/write.h"

static bool recognise_json(const char *bytes, size_t size) {
    size_t i = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < size &&
           (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r' || bytes[i] == '\n'))
        i++;
    return i < size && bytes[i] == '{';
}

static bool recognise_binary(const char *bytes, size_t size) {
    return size >= 4 && memcmp(bytes, "glTF", 4) == 0;
}

static input_kind_found find_json(const char *bytes, size_t size) {
    const bool begins = size > 0 && strchr("{ \t\r\n\xef", bytes[0]) && bytes[0] != '\0';
    return recognise_json(bytes, size) ? INPUT_KIND_YES
           : begins                    ? INPUT_KIND_UNKNOWN
                                       : INPUT_KIND_NO;
}

static input_kind_found find_binary(const char *bytes, size_t size) {
    return input_find_magic(bytes, size, "glTF");
}

static const input_kind json_kind = {find_json, "is no glTF file; expected { at the beginning"};
static const input_kind binary_kind = {find_binary,
                                       "is no GLB file; expected glTF at the beginning"};

static pm_status read_json(const motion_input *input, pm_motion *motion, pm_error *error) {
    motion->content.format = PM_MOTION_GLTF;
    return gltf_read(input, (const unsigned char *)input->data, input->size, NULL, 0, NULL, 0,
                     motion, error);
}

static pm_status read_binary(const motion_input *input, pm_motion *motion, pm_error *error) {
    glb_chunks chunks;
    MOTION_TRY(glb_split(input->data, input->size, &chunks, error));
    if (chunks.unread > 0 && input->options->strict)
        return motion_refuse(error, "GLB header: %zu bytes follow the end", chunks.unread);
    if (chunks.unread > 0)
        motion_warn(&input->warnings, "GLB header: %zu bytes follow the end; ignored",
                    chunks.unread);
    motion->content.format = PM_MOTION_GLB;
    return gltf_read(input, chunks.json, chunks.json_size, chunks.bin, chunks.bin_size,
                     chunks.others, chunks.others_size, motion, error);
}

static pm_status write_json(const motion_writing *writing, const motion_sink *sink,
                            pm_error *error) {
    return gltf_write(writing, false, sink, error);
}

static pm_status write_binary(const motion_writing *writing, const motion_sink *sink,
                              pm_error *error) {
    return gltf_write(writing, true, sink, error);
}

static void release(void *opaque) {
    gltf_document *document = opaque;
    if (!document)
        return;
    for (size_t i = 0; i < document->buffer_count; i++)
        free(document->buffers[i].owned);
    json_decref(document->root);
    free(document);
}

/* Of both containers. */
#define GLTF_FORMAT                                                                                \
    .title = "glTF", .document = "gltf", .keeps_more = true, .is_single = true, .unit_mm = 1000,   \
    .up = PM_MOTION_UP_Y, .selects = true, .writes_keys = true, .find_reach = gltf_find_reach,     \
    .has_rigid_mesh = gltf_has_rigid_mesh, .release = release

const motion_format motion_gltf = {.id = PM_MOTION_GLTF,
                                   .name = "gltf",
                                   .kind = &json_kind,
                                   .recognise = recognise_json,
                                   .read = read_json,
                                   .write = write_json,
                                   GLTF_FORMAT};

const motion_format motion_glb = {.id = PM_MOTION_GLB,
                                  .name = "glb",
                                  .kind = &binary_kind,
                                  .recognise = recognise_binary,
                                  .read = read_binary,
                                  .write = write_binary,
                                  GLTF_FORMAT};
