/* SPDX-License-Identifier: MIT
 *
 * The rest poses of nodes and the inverse bind matrices of skins, where a motion has others than its document.
 */
#include <math.h>
#include <stdlib.h>

#include "motion/gltf/glb.h"
#include "motion/gltf/write.h"

static bool set_numbers(json_t *node, const char *key, const double *numbers, size_t count,
                        double usual) {
    json_t *array = json_array();
    bool is_usual = true, good = array != NULL;
    for (size_t i = 0; good && i < count; i++) {
        is_usual = is_usual && numbers[i] == usual;
        good = json_array_append_new(array, json_real(numbers[i])) == 0;
    }
    if (!good || is_usual) {
        json_decref(array);
        json_object_del(node, key);
        return good;
    }
    return json_object_set_new(node, key, array) == 0;
}

/* A matrix becomes what it is made of. */
static bool set_node(json_t *json, const pm_motion_node *to, const pm_motion_node *from) {
    const bool moves = memcmp(to->position, from->position, sizeof to->position) != 0;
    const bool scales = memcmp(to->scale, from->scale, sizeof to->scale) != 0;
    const bool has_matrix = json_object_get(json, "matrix") != NULL;
    if (!moves && !scales)
        return true;
    if (has_matrix && (json_object_del(json, "matrix") != 0 ||
                       !set_numbers(json, "rotation", to->rotation, 4, 2)))
        return false;
    return ((!moves && !has_matrix) || set_numbers(json, "translation", to->position, 3, 0)) &&
           ((!scales && !has_matrix) || set_numbers(json, "scale", to->scale, 3, 1));
}

/* Columns of 4x4 from rows of 3x4. False: a number is not finite. */
static bool store_matrix(const float *from, unsigned char *at) {
    bool is_finite = true;
    for (size_t i = 0; i < 16; i++, at += sizeof(float)) {
        const size_t row = i % 4, column = i / 4;
        const float number = row < 3 ? from[4 * row + column] : column == 3 ? 1 : 0;
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        glb_store32(at, bits);
        is_finite = is_finite && isfinite(number);
    }
    return is_finite;
}

pm_status gltf_store_binds(const pm_motion_skin *skin, size_t index, unsigned char **binds,
                           size_t *size, pm_error *error) {
    enum { MATRIX = 16 * sizeof(float) };
    unsigned char *grown = skin->joint_count < (SIZE_MAX / 4 - *size) / MATRIX
                               ? realloc(*binds, *size + MATRIX * skin->joint_count)
                               : NULL;
    MOTION_TRY_MEMORY(grown, error);
    *binds = grown;
    for (size_t j = 0; j < skin->joint_count; j++, *size += MATRIX)
        if (!store_matrix(skin->inverse_binds + 12 * j, grown + *size))
            return motion_refuse(error, "skin %zu: inverse bind matrix %zu is not finite", index,
                                 j);
    return PM_OK;
}

static pm_status add_binds(gltf_writer *w, const pm_motion_skin *skin, size_t index,
                           pm_error *error) {
    json_t *json = json_array_get(json_object_get(w->root, "skins"), index);
    const size_t offset = w->binds_size;
    const size_t accessors = json_array_size(gltf_array_of(w->root, "accessors"));
    MOTION_TRY(gltf_store_binds(skin, index, &w->binds, &w->binds_size, error));
    MOTION_TRY_MEMORY(gltf_add_view(w->root, &w->binds_view, &w->binds_index), error);
    const json_int_t added = GLTF_NEW + (json_int_t)(accessors - w->accessor_count);
    MOTION_TRY_MEMORY(
        gltf_add_accessor(w->root, GLTF_NEW + (json_int_t)(w->binds_index - w->view_count), offset,
                          skin->joint_count, "MAT4") &&
            json_object_set_new(json, "inverseBindMatrices", json_integer(added)) == 0 &&
            gltf_set_integer(w->binds_view, "byteLength", w->binds_size),
        error);
    return PM_OK;
}

pm_status gltf_replace_rest(gltf_writer *w, const motion_writing *writing, pm_error *error) {
    const pm_motion_content *to = &writing->motion->content, *from = &writing->document->content;
    const json_t *nodes = json_object_get(w->root, "nodes");
    pm_status status = PM_OK;
    if (to->nodes != from->nodes && to->node_count == from->node_count)
        for (size_t n = 0; n < to->node_count; n++)
            if (!set_node(json_array_get(nodes, n), &to->nodes[n], &from->nodes[n]))
                return motion_refuse_memory(error);
    if (to->skins != from->skins && to->skin_count == from->skin_count)
        for (size_t s = 0; status == PM_OK && s < to->skin_count; s++)
            if (to->skins[s].inverse_binds != from->skins[s].inverse_binds)
                status = add_binds(w, &to->skins[s], s, error);
    return status;
}
