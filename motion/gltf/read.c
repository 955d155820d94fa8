/* SPDX-License-Identifier: MIT
 *
 * Reads the JSON document of a glTF file and, step by step, what a motion is made of. Meshes,
 * materials and the like are not looked at: they are carried over.
 */
#include "motion/gltf/document.h"
#include "motion/gltf/plain_json.h"

#include <stdlib.h>
#include <string.h>

static pm_status parse_json(const unsigned char *text, size_t size, json_t **root,
                            pm_error *error) {
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf}; /* of UTF-8, which may be ignored */
    plain_json_fault fault = {.text = ""};
    char shown[MOTION_PRINTABLE];
    if (size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0) {
        text += sizeof mark;
        size -= sizeof mark;
    }
    *root = plain_json_load((const char *)text, size, &fault);
    if (*root)
        return PM_OK;
    if (fault.text[0] == '\0')
        return motion_refuse_memory(error);
    return motion_refuse(error, "JSON, line %zu, column %zu: %s", fault.line, fault.column,
                         motion_printable(shown, fault.text, strlen(fault.text)));
}

static bool is_version_2(const char *text) {
    return text[0] == '2' && text[1] == '.' && text[2] >= '0' && text[2] <= '9';
}

static pm_status check_asset(const json_t *root, pm_error *error) {
    const json_t *asset = NULL, *version = NULL, *least = NULL;
    char shown[MOTION_PRINTABLE];
    const gltf_place *const place = GLTF_KEY(NULL, "asset");
    pm_status status = gltf_get_object(root, NULL, "asset", true, &asset, error);
    if (status == PM_OK)
        status = gltf_get_text(asset, place, "version", true, &version, error);
    if (status == PM_OK)
        status = gltf_get_text(asset, place, "minVersion", false, &least, error);
    if (status != PM_OK)
        return status;
    if (!is_version_2(json_string_value(version)))
        return gltf_refuse(
            error, GLTF_KEY(place, "version"), "is '%s'; expected 2.0",
            motion_printable(shown, json_string_value(version), json_string_length(version)));
    if (least && strcmp(json_string_value(least), "2.0") != 0)
        return gltf_refuse(
            error, GLTF_KEY(place, "minVersion"), "is '%s'; this reads 2.0",
            motion_printable(shown, json_string_value(least), json_string_length(least)));
    return PM_OK;
}

static pm_status count_accessors(gltf_reader *reader, pm_error *error) {
    const json_t *accessors = NULL;
    const pm_status status =
        gltf_get_array(reader->document->root, NULL, "accessors", false, &accessors, error);
    if (status != PM_OK)
        return status;
    reader->document->accessors = accessors;
    reader->document->accessor_count = json_array_size(accessors);
    reader->cache = calloc(reader->document->accessor_count + 1, sizeof *reader->cache);
    return reader->cache ? PM_OK : motion_refuse_memory(error);
}

/* What no other format can hold. */
static void note_carried(gltf_reader *reader) {
    static const struct {
        const char *key, *one, *many;
    } kinds[] = {{"meshes", "mesh", "meshes"},
                 {"materials", "material", "materials"},
                 {"textures", "texture", "textures"},
                 {"images", "image", "images"},
                 {"cameras", "camera", "cameras"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        motion_carry(reader->motion,
                     json_array_size(json_object_get(reader->document->root, kinds[i].key)),
                     kinds[i].one, kinds[i].many);
}

static pm_status read_parts(gltf_reader *reader, const unsigned char *bin, size_t bin_size,
                            pm_error *error) {
    pm_status status = check_asset(reader->document->root, error);
    if (status == PM_OK)
        status = gltf_read_extensions(reader, error);
    if (status == PM_OK)
        status = gltf_read_buffers(reader, bin, bin_size, error);
    if (status == PM_OK)
        status = gltf_read_views(reader, error);
    if (status == PM_OK)
        status = count_accessors(reader, error);
    if (status == PM_OK)
        status = gltf_read_nodes(reader, error);
    if (status == PM_OK)
        status = gltf_read_skins(reader, error);
    if (status == PM_OK)
        status = gltf_read_animations(reader, error);
    note_carried(reader);
    return status;
}

pm_status gltf_read(const motion_input *input, const unsigned char *json, size_t json_size,
                    const unsigned char *bin, size_t bin_size, const unsigned char *chunks,
                    size_t chunks_size, pm_motion *motion, pm_error *error) {
    gltf_document *document = calloc(1, sizeof *document);
    gltf_reader reader = {.input = input, .motion = motion, .document = document};
    motion->document = document;
    if (!document)
        return motion_refuse_memory(error);
    document->chunks = chunks;
    document->chunks_size = chunks_size;
    pm_status status = parse_json(json, json_size, &document->root, error);
    if (status == PM_OK && !json_is_object(document->root))
        status = motion_refuse(error, "JSON: is no object; expected the glTF document");
    if (status == PM_OK)
        status = read_parts(&reader, bin, bin_size, error);
    motion->content.layout = "";
    free(reader.cache);
    return status;
}
