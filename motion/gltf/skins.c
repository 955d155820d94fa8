/* SPDX-License-Identifier: MIT
 *
 * Skins: joints and inverse bind matrices, transposed from columns to the rows of the library.
 */
#include <math.h>
#include <stdint.h>

#include "motion/gltf/accessor.h"
#include "motion/gltf/document.h"

static pm_status read_joints(gltf_reader *reader, const json_t *json, const gltf_place *place,
                             pm_motion_skin *skin, pm_error *error) {
    const json_t *array = NULL;
    pm_status status = gltf_get_array(json, place, "joints", true, &array, error);
    if (status != PM_OK)
        return status;
    const size_t count = json_array_size(array);
    if (count == 0)
        return gltf_refuse(error, GLTF_KEY(place, "joints"), "has no elements");
    uint32_t *joints = gltf_allocate(reader, count, sizeof *joints);
    if (!joints)
        return motion_refuse_memory(error);
    for (size_t i = 0; status == PM_OK && i < count; i++) {
        size_t node = 0;
        status = gltf_index_of(json_array_get(array, i), GLTF_ITEM(GLTF_KEY(place, "joints"), i),
                               reader->motion->content.node_count, &node, error);
        joints[i] = (uint32_t)node;
    }
    skin->joints = joints;
    skin->joint_count = count;
    return status;
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

static pm_status copy_binds(gltf_reader *reader, const gltf_place *place, const float *from,
                            pm_motion_skin *skin, pm_error *error) {
    float *binds = gltf_allocate(reader, skin->joint_count, 12 * sizeof *binds);
    if (!binds)
        return motion_refuse_memory(error);
    skin->inverse_binds = binds;
    for (size_t i = 0; i < skin->joint_count; i++)
        transpose(from + 16 * i, binds + 12 * i);
    for (size_t i = 0; i < skin->joint_count; i++)
        if (!is_affine(from + 16 * i))
            return gltf_note(reader, error, place, "the fourth row of matrix %zu is not 0 0 0 1",
                             i);
    return PM_OK;
}

static pm_status read_binds(gltf_reader *reader, const json_t *json, const gltf_place *skin_place,
                            pm_motion_skin *skin, pm_error *error) {
    const gltf_place *const place = GLTF_KEY(skin_place, "inverseBindMatrices");
    const float *values = NULL;
    gltf_accessor accessor;
    size_t index = GLTF_NONE;
    pm_status status = gltf_get_index(json, skin_place, "inverseBindMatrices",
                                      reader->document->accessor_count, false, &index, error);
    if (status != PM_OK || index == GLTF_NONE)
        return status;
    status = gltf_parse_accessor(reader, index, &accessor, error);
    if (status == PM_OK)
        status = gltf_check_type(&accessor, place, "MAT4", false, error);
    if (status == PM_OK && accessor.count < skin->joint_count)
        status = gltf_refuse(error, place, "/accessors/%zu has %zu matrices for %zu joints", index,
                             accessor.count, skin->joint_count);
    /* A matrix that no data stand for is zero, and would be allocated on the word of the file. */
    if (status == PM_OK && accessor.view == GLTF_NONE && accessor.sparse_count < accessor.count)
        return gltf_refuse(error, place, "/accessors/%zu has matrices of zeros", index);
    if (status == PM_OK)
        status = gltf_read_values(reader, &accessor, place, &values, error);
    return status == PM_OK ? copy_binds(reader, place, values, skin, error) : status;
}

static pm_status read_skin(gltf_reader *reader, const json_t *json, size_t i, pm_motion_skin *skin,
                           pm_error *error) {
    const gltf_place *const place = GLTF_ITEM_OF("skins", i);
    const json_t *name = NULL;
    pm_status status = gltf_object_of(json, place, error);
    if (status == PM_OK)
        status = gltf_get_text(json, place, "name", false, &name, error);
    skin->name = name && status == PM_OK
                     ? (pm_motion_name){json_string_value(name), json_string_length(name)}
                     : (pm_motion_name){"", 0};
    if (status == PM_OK)
        status = read_joints(reader, json, place, skin, error);
    if (status == PM_OK)
        status = read_binds(reader, json, place, skin, error);
    return status;
}

pm_status gltf_read_skins(gltf_reader *reader, pm_error *error) {
    const json_t *array = NULL;
    pm_status status = gltf_get_array(reader->document->root, NULL, "skins", false, &array, error);
    if (status != PM_OK)
        return status;
    const size_t count = json_array_size(array);
    pm_motion_skin *skins = gltf_allocate(reader, count, sizeof *skins);
    if (!skins)
        return motion_refuse_memory(error);
    for (size_t i = 0; status == PM_OK && i < count; i++)
        status = read_skin(reader, json_array_get(array, i), i, &skins[i], error);
    reader->motion->content.skins = skins;
    reader->motion->content.skin_count = count;
    return status;
}
