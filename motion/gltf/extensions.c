/* SPDX-License-Identifier: MIT
 *
 * The table of known extensions, and the check of those that a file requires.
 */
#include "motion/gltf/extensions.h"

#include <string.h>

#include "motion/gltf/document.h"
#include "motion/gltf/plain_json.h"

/* Names; those that end with * are beginnings of names. Extensions of materials, textures and lights
 * refer to textures, images and each other, never to accessors or views. */
static const char *const known[] = {GLTF_MESHOPT,
                                    GLTF_MESHOPT_KHR,
                                    GLTF_DRACO,
                                    GLTF_INSTANCING,
                                    GLTF_OUTLINE,
                                    GLTF_POINTER_EXTENSION,
                                    "KHR_materials_*",
                                    "KHR_texture_*",
                                    "KHR_lights_punctual",
                                    "KHR_mesh_quantization",
                                    "KHR_node_hoverability",
                                    "KHR_node_selectability",
                                    "KHR_node_visibility",
                                    "KHR_xmp",
                                    "KHR_xmp_json_ld",
                                    "EXT_lights_ies",
                                    "EXT_lights_image_based",
                                    "EXT_texture_*",
                                    "MSFT_lod",
                                    "MSFT_packing_*",
                                    "MSFT_texture_dds",
                                    "ADOBE_materials_*",
                                    "CESIUM_RTC",
                                    "VRM",
                                    "VRMC_*"};

/* Whether all references of the extension to accessors, views and buffers are among those of references.c.
 * Such an extension can be carried over, whatever it means for what is drawn. */
static bool is_known(const char *name) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t length = strlen(known[i]);
        const bool is_beginning = known[i][length - 1] == '*';
        if (is_beginning ? strncmp(name, known[i], length - 1) == 0 : strcmp(name, known[i]) == 0)
            return true;
    }
    return false;
}

static bool check_required(gltf_reader *r, const json_t *value, size_t i) {
    const gltf_place *const place = GLTF_ITEM_OF("extensionsRequired", i);
    char shown[MOTION_PRINTABLE];
    if (!plain_json_is_string(value))
        return gltf_refuse(r, place, "is no string; expected the name of an extension");
    const char *name = json_string_value(value);
    motion_printable(shown, name, json_string_length(value));
    if ((strcmp(name, GLTF_MESHOPT) == 0 || strcmp(name, GLTF_MESHOPT_KHR) == 0) &&
        !gltf_can_decompress())
        return gltf_refuse(r, place, "is %s, and this build has no meshoptimizer", shown);
    return is_known(name) || gltf_refuse(r, place, "is %s, which is not known", shown);
}

static const char *find_unknown(json_t *value);

/* The first unknown name of an object of extensions. */
static const char *unknown_name(json_t *extensions) {
    for (void *i = json_object_iter(extensions); i; i = json_object_iter_next(extensions, i))
        if (!is_known(json_object_iter_key(i)))
            return json_object_iter_key(i);
    return NULL;
}

static const char *find_unknown_in_object(json_t *object) {
    const char *found = NULL;
    for (void *i = json_object_iter(object); i && !found; i = json_object_iter_next(object, i)) {
        const char *key = json_object_iter_key(i);
        json_t *member = json_object_iter_value(i);
        if (!json_is_array(member) && !json_is_object(member))
            continue;
        if (strcmp(key, "extensions") == 0)
            found = unknown_name(member);
        if (!found && strcmp(key, "extras") != 0)
            found = find_unknown(member);
    }
    return found;
}

/* The name of an extension with unknown references anywhere in an array or an object, but not in
 * extras, which belong to the application. The depth is bounded by that of the parser. */
static const char *find_unknown(json_t *value) {
    const char *found = NULL;
    if (json_is_object(value))
        return find_unknown_in_object(value);
    for (size_t i = 0; i < json_array_size(value) && !found; i++) {
        json_t *element = json_array_get(value, i);
        if (json_is_array(element) || json_is_object(element))
            found = find_unknown(element);
    }
    return found;
}

bool gltf_read_extensions(gltf_reader *r) {
    const json_t *required = NULL;
    json_t *root = r->document->root;
    if (!gltf_get_array(r, root, NULL, "extensionsRequired", false, &required))
        return false;
    for (size_t i = 0; i < json_array_size(required); i++)
        if (!check_required(r, json_array_get(required, i), i))
            return false;
    const char *unknown = find_unknown(root);
    r->document->has_unknown_references = unknown != NULL;
    if (unknown)
        motion_warn(&r->input->warnings,
                    "extension %s is not known: all accessors and buffer views are kept, because "
                    "it may refer to them",
                    MOTION_SHOWN(unknown, strlen(unknown)));
    return true;
}
