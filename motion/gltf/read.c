/* SPDX-License-Identifier: MIT
 *
 * Reads the JSON document of a glTF file and, step by step, what a motion is made of. Meshes,
 * materials and the like are not looked at: they are carried over.
 */
#include "motion/gltf/document.h"
#include "motion/gltf/plain_json.h"

#include <stdlib.h>
#include <string.h>

static bool parse_json(gltf_reader *r, const unsigned char *text, size_t size) {
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf}; /* of UTF-8, which may be ignored */
    plain_json_fault fault = {.text = ""};
    if (size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0) {
        text += sizeof mark;
        size -= sizeof mark;
    }
    json_t *root = plain_json_load((const char *)text, size, &fault);
    r->document->root = root;
    if (!root && fault.text[0] == '\0')
        return gltf_refuse_memory(r);
    if (!root)
        motion_refuse(&r->error, "JSON, line %zu, column %zu: %s", fault.line, fault.column,
                      MOTION_SHOWN(fault.text, strlen(fault.text)));
    else if (!json_is_object(root))
        motion_refuse(&r->error, "JSON: is no object; expected the glTF document");
    return json_is_object(root);
}

static bool is_version_2(const char *text) {
    return text[0] == '2' && text[1] == '.' && text[2] >= '0' && text[2] <= '9';
}

static bool refuse_version(gltf_reader *r, const char *key, const json_t *version,
                           const char *expected) {
    return gltf_refuse(r, GLTF_KEY(GLTF_KEY(NULL, "asset"), key), "is '%s'; %s",
                       MOTION_SHOWN(json_string_value(version), json_string_length(version)),
                       expected);
}

static bool check_asset(gltf_reader *r) {
    const json_t *asset = NULL, *version = NULL, *least = NULL;
    const gltf_place *const place = GLTF_KEY(NULL, "asset");
    return gltf_get_object(r, r->document->root, NULL, "asset", true, &asset) &&
           gltf_get_text(r, asset, place, "version", true, &version) &&
           gltf_get_text(r, asset, place, "minVersion", false, &least) &&
           (is_version_2(json_string_value(version)) ||
            refuse_version(r, "version", version, "expected 2.0")) &&
           (!least || strcmp(json_string_value(least), "2.0") == 0 ||
            refuse_version(r, "minVersion", least, "this reads 2.0"));
}

static bool count_accessors(gltf_reader *r) {
    gltf_document *document = r->document;
    if (!gltf_get_array(r, document->root, NULL, "accessors", false, &document->accessors))
        return false;
    document->accessor_count = json_array_size(document->accessors);
    r->cache = calloc(document->accessor_count + 1, sizeof *r->cache);
    return r->cache || gltf_refuse_memory(r);
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

pm_status gltf_read(const motion_input *input, const unsigned char *json, size_t json_size,
                    const unsigned char *bin, size_t bin_size, const unsigned char *chunks,
                    size_t chunks_size, pm_motion *motion, pm_error *error) {
    gltf_document *document = calloc(1, sizeof *document);
    gltf_reader r = {.input = input, .motion = motion, .document = document};
    motion->document = document;
    MOTION_TRY_MEMORY(document, error);
    document->chunks = chunks;
    document->chunks_size = chunks_size;
    if (parse_json(&r, json, json_size)) {
        (void)(check_asset(&r) && gltf_read_extensions(&r) &&
               gltf_read_buffers(&r, bin, bin_size) && gltf_read_views(&r) && count_accessors(&r) &&
               gltf_read_nodes(&r) && gltf_read_skins(&r) && gltf_read_animations(&r));
        note_carried(&r);
    }
    motion->content.layout = "";
    free(r.cache);
    if (error && r.error.status != PM_OK)
        *error = r.error;
    return r.error.status;
}
