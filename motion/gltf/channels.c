/* SPDX-License-Identifier: MIT
 *
 * Keys and tangents of channels. CUBICSPLINE has three elements a key: the tangent into it, the key,
 * the tangent out of it.
 */
#include "motion/gltf/channels.h"

#include <math.h>
#include <string.h>

#include "motion/gltf/accessor.h"

/* ---- numbers per key ----------------------------------------------------------------------- */

/* Weights have one number for each morph target of the node's mesh, whose primitives all have the
 * same targets. */
static pm_status count_weights(const gltf_reader *reader, size_t node, const gltf_place *target,
                               size_t *count, pm_error *error) {
    const json_t *root = reader->document->root, *meshes = json_object_get(root, "meshes");
    const json_t *json = json_array_get(reader->document->nodes, node);
    size_t mesh = GLTF_NONE;
    const pm_status status = gltf_get_index(json, GLTF_ITEM_OF("nodes", node), "mesh",
                                            json_array_size(meshes), false, &mesh, error);
    *count = 0;
    if (status != PM_OK)
        return status;
    if (mesh != GLTF_NONE)
        *count = json_array_size(json_object_get(
            json_array_get(json_object_get(json_array_get(meshes, mesh), "primitives"), 0),
            "targets"));
    if (*count == 0)
        return gltf_refuse(error, GLTF_KEY(target, "path"),
                           "is weights, but node %zu has no mesh with morph targets", node);
    return PM_OK;
}

/* ---- unit quaternions ---------------------------------------------------------------------- */

#define UNIT_TOLERANCE 1e-3 /* of the library's keys */
#define LEAST_LENGTH 1e-6   /* and of those of cubicspline */
#define LARGEST_LENGTH 1e6

/* How far the length of a quaternion can be from 1 by the rounding of its four components. */
static double rounding_of(size_t component_type) {
    switch (component_type) {
    case GLTF_INT8:
        return 1.0 / 127;
    case GLTF_UINT8:
        return 1.0 / 255;
    default:
        return 0.0;
    }
}

static double length_of(const float *q) {
    double sum = 0.0;
    for (size_t i = 0; i < 4; i++)
        sum += (double)q[i] * (double)q[i];
    return sqrt(sum);
}

/* How far a length is from 1, as a factor: short keys count beside long ones. */
static double factor_of(double length) {
    return length < 1.0 ? 1.0 / length : length;
}

/* Whether no key is as far from unit length as the tolerance. The square of a length is further from 1. */
static bool are_near_unit(const float *keys, size_t count, size_t stride) {
    bool are_near = true;
    for (size_t k = 0; k < count; k++) {
        const double x = (double)keys[k * stride], y = (double)keys[k * stride + 1];
        const double z = (double)keys[k * stride + 2], w = (double)keys[k * stride + 3];
        are_near &= fabs(x * x + y * y + z * z + w * w - 1.0) <= 0.5 * UNIT_TOLERANCE;
    }
    return are_near;
}

/* The key that is furthest from unit length. */
static size_t find_worst(const float *keys, size_t count, size_t stride, double *worst) {
    size_t at = 0;
    *worst = 1.0;
    for (size_t k = 0; k < count; k++) {
        const double length = length_of(keys + k * stride);
        if (factor_of(length) > factor_of(*worst)) {
            *worst = length;
            at = k;
        }
        if (length == 0.0)
            break;
    }
    return at;
}

/* Normalises the keys that are further from unit length than the library takes. */
static pm_status copy_normalised(gltf_reader *reader, const gltf_accessor *a,
                                 const gltf_place *place, const float **values, pm_error *error) {
    const pm_status status = gltf_count_values(reader, place, a->count, 4 * sizeof **values, error);
    float *copy = status == PM_OK ? gltf_allocate(reader, a->count, 4 * sizeof *copy) : NULL;
    if (!copy)
        return status == PM_OK ? motion_refuse_memory(error) : status;
    memcpy(copy, *values, a->count * 4 * sizeof *copy);
    for (size_t i = 0; i < a->count * 4; i += 4) {
        const double length = length_of(copy + i);
        for (size_t k = i; k < i + 4 && fabs(length - 1.0) > UNIT_TOLERANCE; k++)
            copy[k] = (float)((double)copy[k] / length);
    }
    *values = copy;
    return PM_OK;
}

static pm_status check_worst(gltf_reader *reader, const gltf_accessor *a, const gltf_place *place,
                             bool is_cubic, size_t key, double worst, pm_error *error) {
    if (worst == 0.0 || !isfinite(worst))
        return gltf_refuse(error, place, "key %zu has the length %g; expected a unit quaternion",
                           key, worst);
    if (is_cubic && !(worst >= LEAST_LENGTH && worst <= LARGEST_LENGTH))
        return gltf_refuse(error, place, "key %zu has the length %g; expected 1e-6 to 1e6", key,
                           worst);
    if (fabs(worst - 1.0) > UNIT_TOLERANCE + rounding_of(a->component_type))
        return gltf_note(reader, error, place, "key %zu has the length %.6g; %s", key, worst,
                         is_cubic ? "kept, as CUBICSPLINE defines" : "normalised");
    return PM_OK;
}

/* Keys as unit quaternions. Appendix C normalises what a cubic spline gives, and not its keys, which
 * remain as they are. */
static pm_status make_unit(gltf_reader *reader, const gltf_accessor *a, const gltf_place *place,
                           bool is_cubic, const float **values, pm_error *error) {
    const float **made = &reader->cache[a->index].unit[is_cubic];
    const size_t first = is_cubic ? 4 : 0, stride = is_cubic ? 12 : 4;
    double worst = 1.0;
    if (!*made && !are_near_unit(*values + first, a->count * 4 / stride, stride)) {
        const size_t key = find_worst(*values + first, a->count * 4 / stride, stride, &worst);
        pm_status status = check_worst(reader, a, place, is_cubic, key, worst, error);
        if (status == PM_OK && !is_cubic && factor_of(worst) - 1.0 > UNIT_TOLERANCE)
            status = copy_normalised(reader, a, place, values, error);
        if (status != PM_OK)
            return status;
    }
    if (!*made)
        *made = *values;
    *values = *made;
    return PM_OK;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static pm_status check_output(gltf_reader *reader, const gltf_accessor *a,
                              const gltf_sampler *sampler, const gltf_place *place,
                              const pm_motion_channel *channel, pm_error *error) {
    const bool is_cubic = sampler->interpolation == PM_MOTION_CUBICSPLINE;
    const bool may_be_integer =
        channel->path == PM_MOTION_ROTATION || channel->path == PM_MOTION_WEIGHTS;
    const size_t per_key = (channel->path == PM_MOTION_WEIGHTS ? channel->components : 1u) *
                           (is_cubic ? (size_t)3 : (size_t)1);
    pm_status status =
        gltf_check_type(a, place, gltf_type_of[channel->path], may_be_integer, error);
    if (status == PM_OK)
        status = gltf_check_no_stride(reader, a, place, error);
    if (status == PM_OK && (a->count % per_key != 0 || a->count / per_key != sampler->key_count))
        status = gltf_refuse(error, place,
                             "/accessors/%zu has %zu elements; expected %zu for each of %zu keys",
                             a->index, a->count, per_key, sampler->key_count);
    return status;
}

static void set_arrays(pm_motion_channel *channel, const float *values) {
    const size_t n = channel->components;
    const bool is_cubic = channel->interpolation == PM_MOTION_CUBICSPLINE;
    const size_t stride = (is_cubic ? 3 : 1) * n * sizeof *values;
    channel->keys = (pm_array){is_cubic ? values + n : values, PM_FLOAT32, stride};
    if (!is_cubic)
        return;
    channel->in = (pm_array){values, PM_FLOAT32, stride};
    channel->out = (pm_array){values + 2 * n, PM_FLOAT32, stride};
}

pm_status gltf_read_keys(gltf_reader *reader, const gltf_sampler *sampler, const gltf_place *place,
                         const gltf_place *target, pm_motion_channel *channel, pm_error *error) {
    const float *values = NULL;
    gltf_accessor accessor;
    size_t count = channel->path == PM_MOTION_ROTATION ? 4 : 3;
    pm_status status = PM_OK;
    if (channel->path == PM_MOTION_WEIGHTS)
        status = count_weights(reader, (size_t)channel->node, target, &count, error);
    if (status == PM_OK && count > UINT32_MAX / 3)
        status = gltf_refuse(error, target, "has too many morph targets");
    channel->components = (uint32_t)count;
    if (status == PM_OK)
        status = gltf_parse_accessor(reader, sampler->output, &accessor, error);
    if (status == PM_OK)
        status = check_output(reader, &accessor, sampler, place, channel, error);
    if (status == PM_OK)
        status = gltf_read_values(reader, &accessor, place, &values, error);
    if (status == PM_OK && channel->path == PM_MOTION_ROTATION)
        status = make_unit(reader, &accessor, place,
                           sampler->interpolation == PM_MOTION_CUBICSPLINE, &values, error);
    if (status == PM_OK)
        set_arrays(channel, values);
    return status;
}
