/* SPDX-License-Identifier: MIT
 *
 * Keys and tangents of channels. CUBICSPLINE has three elements a key: the tangent into it, the key,
 * the tangent out of it.
 */
#include "motion/gltf/accessor.h"

#include <math.h>
#include <string.h>

/* Weights have one number for each morph target of the node's mesh, whose primitives all have the
 * same targets. */
static bool count_weights(gltf_reader *r, size_t node, const gltf_place *target, size_t *count) {
    const json_t *meshes = json_object_get(r->document->root, "meshes");
    const json_t *json = json_array_get(r->document->nodes, node);
    size_t mesh = GLTF_NONE;
    if (!gltf_get_index(r, json, GLTF_ITEM_OF("nodes", node), "mesh", json_array_size(meshes),
                        false, &mesh))
        return false;
    const json_t *primitives = json_object_get(json_array_get(meshes, mesh), "primitives");
    *count = json_array_size(json_object_get(json_array_get(primitives, 0), "targets"));
    if (*count == 0)
        return gltf_refuse(r, GLTF_KEY(target, "path"),
                           "is weights, but node %zu has no mesh with morph targets", node);
    return *count <= UINT32_MAX / 3 || gltf_refuse(r, target, "has too many morph targets");
}

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
static bool copy_normalised(gltf_reader *r, const gltf_accessor *a, const gltf_place *place,
                            const float **values) {
    float *copy = gltf_count_values(r, place, a->count, 4 * sizeof *copy)
                      ? gltf_allocate(r, a->count, 4 * sizeof *copy)
                      : NULL;
    if (!copy)
        return false;
    memcpy(copy, *values, a->count * 4 * sizeof *copy);
    for (size_t i = 0; i < a->count * 4; i += 4) {
        const double length = length_of(copy + i);
        for (size_t k = i; k < i + 4 && fabs(length - 1.0) > UNIT_TOLERANCE; k++)
            copy[k] = (float)((double)copy[k] / length);
    }
    *values = copy;
    return true;
}

static bool check_worst(gltf_reader *r, const gltf_accessor *a, const gltf_place *place,
                        bool is_cubic, size_t key, double worst) {
    if (worst == 0.0 || !isfinite(worst))
        return gltf_refuse(r, place, "key %zu has the length %g; expected a unit quaternion", key,
                           worst);
    if (is_cubic && !(worst >= LEAST_LENGTH && worst <= LARGEST_LENGTH))
        return gltf_refuse(r, place, "key %zu has the length %g; expected 1e-6 to 1e6", key, worst);
    return fabs(worst - 1.0) <= UNIT_TOLERANCE + rounding_of(a->component_type) ||
           gltf_note(r, place, "key %zu has the length %.6g; %s", key, worst,
                     is_cubic ? "kept, as CUBICSPLINE defines" : "normalised");
}

/* Keys as unit quaternions. Appendix C normalises what a cubic spline gives, and not its keys, which
 * remain as they are. */
static bool make_unit(gltf_reader *r, const gltf_accessor *a, const gltf_place *place,
                      bool is_cubic, const float **values) {
    const float **made = &r->cache[a->index].unit[is_cubic];
    const size_t first = is_cubic ? 4 : 0, stride = is_cubic ? 12 : 4;
    double worst = 1.0;
    if (!*made && !are_near_unit(*values + first, a->count * 4 / stride, stride)) {
        const size_t key = find_worst(*values + first, a->count * 4 / stride, stride, &worst);
        const bool is_far = !is_cubic && factor_of(worst) - 1.0 > UNIT_TOLERANCE;
        if (!check_worst(r, a, place, is_cubic, key, worst) ||
            (is_far && !copy_normalised(r, a, place, values)))
            return false;
    }
    if (!*made)
        *made = *values;
    *values = *made;
    return true;
}

static bool check_output(gltf_reader *r, const gltf_accessor *a, const gltf_sampler *sampler,
                         const gltf_place *place, const pm_motion_channel *channel) {
    const bool is_cubic = sampler->interpolation == PM_MOTION_CUBICSPLINE;
    const bool may_be_integer =
        channel->path == PM_MOTION_ROTATION || channel->path == PM_MOTION_WEIGHTS;
    const size_t per_key = (channel->path == PM_MOTION_WEIGHTS ? channel->components : 1u) *
                           (is_cubic ? (size_t)3 : (size_t)1);
    return gltf_check_type(r, a, place, gltf_type_of[channel->path], may_be_integer) &&
           gltf_check_no_stride(r, a, place) &&
           ((a->count % per_key == 0 && a->count / per_key == sampler->key_count) ||
            gltf_refuse(r, place,
                        "/accessors/%zu has %zu elements; expected %zu for each of %zu keys",
                        a->index, a->count, per_key, sampler->key_count));
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

bool gltf_read_keys(gltf_reader *r, const gltf_sampler *sampler, const gltf_place *place,
                    const gltf_place *target, pm_motion_channel *channel) {
    const bool is_rotation = channel->path == PM_MOTION_ROTATION;
    const bool is_cubic = sampler->interpolation == PM_MOTION_CUBICSPLINE;
    const float *values = NULL;
    gltf_accessor accessor;
    size_t count = is_rotation ? 4 : 3;
    if (channel->path == PM_MOTION_WEIGHTS &&
        !count_weights(r, (size_t)channel->node, target, &count))
        return false;
    channel->components = (uint32_t)count;
    if (!gltf_parse_accessor(r, sampler->output, &accessor) ||
        !check_output(r, &accessor, sampler, place, channel) ||
        !gltf_read_values(r, &accessor, place, &values) ||
        (is_rotation && !make_unit(r, &accessor, place, is_cubic, &values)))
        return false;
    set_arrays(channel, values);
    return true;
}
