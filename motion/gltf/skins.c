/* SPDX-License-Identifier: MIT
 *
 * Skins: joints and inverse bind matrices, transposed from columns to the rows of the library.
 */
#include <math.h>
#include <stdint.h>

#include "motion/gltf/accessor.h"
#include "motion/gltf/document.h"

static bool read_joints(gltf_reader *r, const json_t *json, const gltf_place *skin_place,
                        pm_motion_skin *skin) {
    const gltf_place *const place = GLTF_KEY(skin_place, "joints");
    const json_t *array = NULL;
    if (!gltf_get_array(r, json, skin_place, "joints", true, &array))
        return false;
    const size_t count = json_array_size(array);
    if (count == 0)
        return gltf_refuse(r, place, "has no elements");
    uint32_t *joints = gltf_allocate(r, count, sizeof *joints);
    bool is_good = joints != NULL;
    for (size_t i = 0; is_good && i < count; i++) {
        size_t node = 0;
        is_good = gltf_index_of(r, json_array_get(array, i), GLTF_ITEM(place, i),
                                r->motion->content.node_count, &node);
        joints[i] = (uint32_t)node;
    }
    skin->joints = joints;
    skin->joint_count = joints ? count : 0;
    return is_good;
}

/* Rows of 3x4 from columns of 4x4. */
static void transpose(const float *from, float *to) {
    for (size_t row = 0; row < 3; row++)
        for (size_t column = 0; column < 4; column++)
            to[4 * row + column] = from[4 * column + row];
}

static bool is_affine(const float *m) {
    const double limit = 1e-3; /* exporters invert matrices in float32 */
    return fabs((double)m[3]) <= limit && fabs((double)m[7]) <= limit &&
           fabs((double)m[11]) <= limit && fabs((double)m[15] - 1.0) <= limit;
}

static bool copy_binds(gltf_reader *r, const gltf_place *place, const float *from,
                       pm_motion_skin *skin) {
    float *binds = gltf_allocate(r, skin->joint_count, 12 * sizeof *binds);
    if (!binds)
        return false;
    skin->inverse_binds = binds;
    for (size_t i = 0; i < skin->joint_count; i++)
        transpose(from + 16 * i, binds + 12 * i);
    for (size_t i = 0; i < skin->joint_count; i++)
        if (!is_affine(from + 16 * i))
            return gltf_note(r, place, "the fourth row of matrix %zu is not 0 0 0 1", i);
    return true;
}

static bool read_binds(gltf_reader *r, const json_t *json, const gltf_place *skin_place,
                       pm_motion_skin *skin) {
    const gltf_place *const place = GLTF_KEY(skin_place, "inverseBindMatrices");
    const float *values = NULL;
    gltf_accessor accessor;
    size_t index = GLTF_NONE;
    if (!gltf_get_index(r, json, skin_place, "inverseBindMatrices", r->document->accessor_count,
                        false, &index))
        return false;
    if (index == GLTF_NONE)
        return true;
    if (!gltf_parse_accessor(r, index, &accessor) ||
        !gltf_check_type(r, &accessor, place, "MAT4", false))
        return false;
    if (accessor.count < skin->joint_count)
        return gltf_refuse(r, place, "/accessors/%zu has %zu matrices for %zu joints", index,
                           accessor.count, skin->joint_count);
    /* A matrix that no data stand for is zero, and would be allocated on the word of the file. */
    if (accessor.view == GLTF_NONE && accessor.sparse_count < accessor.count)
        return gltf_refuse(r, place, "/accessors/%zu has matrices of zeros", index);
    return gltf_read_values(r, &accessor, place, &values) && copy_binds(r, place, values, skin);
}

bool gltf_read_skins(gltf_reader *r) {
    const json_t *array = NULL;
    if (!gltf_get_array(r, r->document->root, NULL, "skins", false, &array))
        return false;
    const size_t count = json_array_size(array);
    pm_motion_skin *skins = gltf_allocate(r, count, sizeof *skins);
    bool is_good = skins != NULL;
    for (size_t i = 0; is_good && i < count; i++) {
        const gltf_place *const place = GLTF_ITEM_OF("skins", i);
        const json_t *json = json_array_get(array, i);
        is_good = gltf_object_of(r, json, place) && gltf_get_name(r, json, place, &skins[i].name) &&
                  read_joints(r, json, place, &skins[i]) && read_binds(r, json, place, &skins[i]);
    }
    r->motion->content.skins = skins;
    r->motion->content.skin_count = skins ? count : 0;
    return is_good;
}
