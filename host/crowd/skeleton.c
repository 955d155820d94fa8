/* SPDX-License-Identifier: MIT
 *
 * Skeletons: checked, sorted (skeleton_order.c) and converted to the arrays that kernels read.
 */
#include "skeleton.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "clip/clip.h"

static const double max_angle = 1e4, max_length = 1e6, min_scale = 1e-6, unit_tolerance = 1e-3;

/* A joint as described, in double. */
typedef struct bone {
    double rotation[4];
    double position[3];
    double scale[3];
} bone;

/* 3 rows of 4 */
typedef struct affine {
    double m[12];
} affine;

static pm_array_view rows_of(const pm_array *array, size_t components) {
    size_t tight = components * pm_number_size(array->type);
    return (pm_array_view){array->data, array->type, array->stride ? array->stride : tight};
}

/* Reads a row of numbers no larger than `max`. If the array is not given, *to is unchanged. */
static bool read_row(const pm_array *array, size_t joint, size_t components, double max,
                     double *to) {
    pm_array_view rows = rows_of(array, components);
    for (size_t i = 0; rows.data && i < components; i++) {
        to[i] = pm_number_at(&rows, joint, i);
        if (!(fabs(to[i]) <= max))
            return false;
    }
    return true;
}

static pm_status refuse(size_t joint, const char *what, pm_error *error) {
    return pm_fail_joint(error, PM_ERROR_ARGUMENT, joint, "%s", what);
}

static pm_status read_bone(const pm_skeleton_desc *desc, size_t joint, bone *b, pm_error *error) {
    *b = (bone){{0, 0, 0, 1}, {0, 0, 0}, {1, 1, 1}};
    if (!read_row(&desc->rotations, joint, 4, 2, b->rotation))
        return refuse(joint, "rotations: not a unit quaternion", error);
    double norm = sqrt(b->rotation[0] * b->rotation[0] + b->rotation[1] * b->rotation[1] +
                       b->rotation[2] * b->rotation[2] + b->rotation[3] * b->rotation[3]);
    if (!(fabs(norm - 1) <= unit_tolerance))
        return refuse(joint, "rotations: not a unit quaternion", error);
    for (size_t i = 0; i < 4; i++)
        b->rotation[i] /= norm;
    if (!read_row(&desc->positions, joint, 3, max_length, b->position))
        return refuse(joint, "positions: not finite, or above 1e6 in magnitude", error);
    if (!read_row(&desc->scales, joint, 3, max_length, b->scale))
        return refuse(joint, "scales: not finite, or above 1e6 in magnitude", error);
    for (size_t i = 0; i < 3; i++)
        if (fabs(b->scale[i]) < min_scale)
            return refuse(joint, "scales: below 1e-6 in magnitude", error);
    return PM_OK;
}

/* ---- matrices -------------------------------------------------------------------- */

static affine affine_of(const bone *b) {
    affine a;
    double r[9];
    pm_matrix_from_quat(b->rotation, r);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++)
            a.m[4 * i + k] = r[3 * i + k] * b->scale[k];
        a.m[4 * i + 3] = b->position[i];
    }
    return a;
}

static affine product(const affine *a, const affine *b) {
    affine p;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 4; k++) {
            const double *row = a->m + 4 * i;
            p.m[4 * i + k] = row[0] * b->m[k] + row[1] * b->m[4 + k] + row[2] * b->m[8 + k] +
                             (k == 3 ? row[3] : 0);
        }
    return p;
}

/* By cofactors. The inverse of a singular matrix is infinite or NaN, and fill_bind rejects it. */
static affine inverse(const affine *a) {
    affine n;
    const double *m = a->m;
    double det = 0;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            n.m[4 * k + i] = m[4 * i1 + k1] * m[4 * i2 + k2] - m[4 * i1 + k2] * m[4 * i2 + k1];
        }
    for (size_t k = 0; k < 3; k++)
        det += m[k] * n.m[4 * k];
    for (size_t i = 0; i < 3; i++) {
        double *row = n.m + 4 * i;
        for (size_t k = 0; k < 3; k++)
            row[k] /= det;
        row[3] = -(row[0] * m[3] + row[1] * m[7] + row[2] * m[11]);
    }
    return n;
}

/* Whether a matrix times a scale is a rotation and a translation only; sets the rotation if so. */
static bool is_rigid(const affine *a, double scale, double rotation[4]) {
    double r[9];
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            r[3 * i + k] = scale * a->m[4 * i + k];
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            double dot = r[i] * r[k] + r[3 + i] * r[3 + k] + r[6 + i] * r[6 + k];
            if (!(fabs(dot - (i == k)) <= unit_tolerance))
                return false;
        }
    return pm_quat_from_matrix(r, rotation);
}

/* ---- joints ----------------------------------------------------------------------- */

/* A joint in the rest pose, relative to the model. */
typedef struct placed {
    affine matrix;
    double size; /* the product of the mean scales down to it */
} placed;

static placed placed_of(const bone *b, const placed *parent) {
    const affine local = affine_of(b);
    const double scale = (b->scale[0] + b->scale[1] + b->scale[2]) / 3;
    return (placed){product(&parent->matrix, &local), parent->size * scale};
}

static void store(float *to, const double *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = pm_stored(from[i]);
}

static void fill_rest(pm_joint *joint, const bone *b) {
    store(joint->rotation, b->rotation, 4);
    store(joint->position, b->position, 3);
    store(joint->scale, b->scale, 3);
    for (size_t i = 0; i < 3; i++) {
        joint->unscale[i] = pm_stored(1 / b->scale[i]);
        joint->scaled |= joint->scale[i] != 1.0f;
    }
}

/* The scales down to a joint are the same on all axes where its matrix is rigid but for its size. */
static pm_status fill_bind(pm_skeleton *skeleton, size_t joint, const affine *bind,
                           const placed *model, pm_error *error) {
    pm_joint *to = &skeleton->joints[joint];
    double rotation[4] = {0, 0, 0, 1};
    for (size_t i = 0; i < 12; i++)
        if (!(fabs(bind->m[i]) <= 1e12))
            return refuse(skeleton->order[joint], "the rest pose has no inverse", error);
    store(to->inverse_bind, bind->m, 12);
    const bool rigid = is_rigid(&model->matrix, 1 / model->size, rotation) &&
                       is_rigid(bind, model->size, rotation);
    if (!rigid && skeleton->flexible == skeleton->joint_count)
        skeleton->flexible = skeleton->order[joint];
    store(to->bind_rotation, rotation, 4);
    for (size_t i = 0; i < 3; i++)
        to->bind_position[i] = pm_stored(model->size * bind->m[4 * i + 3]);
    return PM_OK;
}

/* `models` has room for the joints, which it holds by the description's indices. */
static pm_status fill_joints(pm_skeleton *skeleton, const pm_skeleton_desc *desc, placed *models,
                             pm_error *error) {
    static const placed world = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}, 1};
    skeleton->flexible = skeleton->joint_count;
    for (size_t k = 0; k < skeleton->joint_count; k++) {
        uint32_t joint = skeleton->order[k];
        skeleton->joints[k].number = skeleton->joints[k].record = (pm_u32)k;
        int32_t parent = desc->parents[joint];
        bone b;
        pm_status status = read_bone(desc, joint, &b, error);
        if (status != PM_OK)
            return status;
        fill_rest(&skeleton->joints[k], &b);
        const placed *above = parent < 0 ? &world : &models[parent];
        models[joint] = placed_of(&b, above);
        skeleton->joints[k].parent_scale = (float)above->size;
        affine bind = inverse(&models[joint].matrix);
        if (!read_row(&desc->inverse_binds, joint, 12, max_length, bind.m))
            return refuse(joint, "inverse_binds: not finite, or above 1e6 in magnitude", error);
        status = fill_bind(skeleton, k, &bind, &models[joint], error);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

/* ---- levels and masks --------------------------------------------------------------- */

static void fill_levels(pm_skeleton *skeleton, const pm_skeleton_desc *desc) {
    size_t n = skeleton->joint_count;
    for (size_t l = 0; l < skeleton->level_count; l++) {
        pm_level given = desc->levels ? desc->levels[l] : (pm_level){0};
        pm_crowd_level *level = &skeleton->levels[l];
        level->update_every = given.update_every ? given.update_every : 1;
        level->reciprocal = PM_RECIPROCAL(level->update_every);
        level->whole = 1;
        for (size_t k = 0; k < n; k++) {
            pm_u8 has = !given.joints || given.joints[skeleton->order[k]];
            skeleton->level_joints[l * n + k] = has;
            level->whole &= has;
        }
        skeleton->levels[skeleton->level_count + l] = (pm_crowd_level){
            .reciprocal = PM_RECIPROCAL(1), .update_every = 1, .whole = level->whole};
    }
}

static pm_status fill_masks(pm_skeleton *skeleton, const pm_skeleton_desc *desc, pm_error *error) {
    size_t n = skeleton->joint_count;
    for (size_t k = 0; k < n; k++)
        skeleton->masks[k] = 1;
    for (size_t m = 0; m < desc->mask_count; m++)
        for (size_t k = 0; k < n; k++) {
            float weight = desc->masks[m * n + skeleton->order[k]];
            if (!(weight >= 0 && weight <= 1))
                return pm_fail_joint(error, PM_ERROR_ARGUMENT, skeleton->order[k],
                                     "masks: a weight of mask %zu is not in [0, 1]", m);
            skeleton->masks[(m + 1) * n + k] = pm_stored((double)weight);
        }
    return PM_OK;
}

static pm_status fill_radii(pm_skeleton *skeleton, const pm_skeleton_desc *desc, pm_error *error) {
    for (size_t k = 0; desc->radii && k < skeleton->joint_count; k++) {
        const float radius = desc->radii[skeleton->order[k]];
        if (!(radius >= 0 && (double)radius <= max_length))
            return refuse(skeleton->order[k], "radii: not in [0, 1e6]", error);
        skeleton->joints[k].radius = pm_stored((double)radius);
    }
    return PM_OK;
}

static pm_status fill_points(pm_skeleton *skeleton, const pm_skeleton_desc *desc, pm_error *error) {
    for (size_t k = 0; desc->points.data && k < skeleton->joint_count; k++) {
        double point[3] = {0, 0, 0};
        if (!read_row(&desc->points, skeleton->order[k], 3, max_length, point))
            return refuse(skeleton->order[k], "points: not finite, or above 1e6 in magnitude",
                          error);
        store(skeleton->points + 4 * k, point, 3);
    }
    return PM_OK;
}

/* The product of quaternions, which applies b first. */
static void turn_by(const double a[4], const double b[4], double product[4]) {
    for (size_t i = 0; i < 3; i++) {
        const size_t k = (i + 1) % 3, l = (i + 2) % 3;
        product[i] = a[3] * b[i] + a[i] * b[3] + a[k] * b[l] - a[l] * b[k];
    }
    product[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/* `axis` has the length 1; `rest` is the rotation at the reference. */
static void fill_turn(pm_hinge_joint *to, const double axis[3], const double rest[4]) {
    const double half = -0.5 * (double)to->reference, s = sin(half);
    const double back[4] = {s * axis[0], s * axis[1], s * axis[2], cos(half)};
    const double half_turn[4] = {axis[0], axis[1], axis[2], 0};
    double at_zero[4], at_pi[4];
    turn_by(rest, back, at_zero);
    turn_by(at_zero, half_turn, at_pi);
    store(to->at_zero, at_zero, 4);
    store(to->at_pi, at_pi, 4);
    store(to->axis, axis, 3);
}

static pm_status fill_hinge(pm_skeleton *skeleton, const pm_skeleton_desc *desc, size_t h,
                            pm_error *error) {
    const pm_hinge *from = &desc->hinges[h];
    pm_hinge_joint *to = &skeleton->hinges[skeleton->slots[from->joint]];
    double axis[3] = {(double)from->axis[0], (double)from->axis[1], (double)from->axis[2]};
    bone b;
    const double norm = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (!(fabs(norm - 1) <= unit_tolerance))
        return refuse(from->joint, "hinges: the axis is no unit vector", error);
    if (!(fabs((double)from->reference) <= max_angle))
        return refuse(from->joint, "hinges: the reference is not within 1e4 rad", error);
    if (to->number)
        return refuse(from->joint, "hinges: the joint has two", error);
    for (size_t i = 0; i < 3; i++)
        axis[i] /= norm;
    to->reference = pm_stored((double)from->reference);
    to->number = PM_FIRST_SCALAR;
    const pm_status status = read_bone(desc, from->joint, &b, error);
    fill_turn(to, axis, b.rotation);
    return status;
}

/* Rows have the angles in the order of the joints in which they are needed. */
static pm_status fill_hinges(pm_skeleton *skeleton, const pm_skeleton_desc *desc, pm_error *error) {
    pm_status status = PM_OK;
    pm_u32 count = 0;
    for (size_t h = 0; status == PM_OK && h < desc->hinge_count; h++)
        status = fill_hinge(skeleton, desc, h, error);
    for (size_t k = 0; status == PM_OK && desc->hinges && k < skeleton->joint_count; k++)
        if (skeleton->hinges[k].number)
            skeleton->hinges[k].number = PM_FIRST_SCALAR + count++;
    for (size_t h = 0; status == PM_OK && h < desc->hinge_count; h++) {
        const size_t k = skeleton->slots[desc->hinges[h].joint];
        skeleton->scalar_order[skeleton->hinges[k].number - PM_FIRST_SCALAR] = (uint32_t)h;
    }
    return status;
}

/* ---- checks and creation -------------------------------------------------------------- */

static pm_status check_array(const char *name, const pm_array *array, size_t joints,
                             size_t components, pm_error *error) {
    size_t bytes;
    if (!array->data)
        return PM_OK;
    if (array->type != PM_FLOAT32 && array->type != PM_FLOAT64)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s.type is not a pm_number", name);
    if (array->stride && array->stride < components * pm_number_size(array->type))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s.stride is shorter than a row", name);
    if (!pm_multiply(joints, array->stride, &bytes))
        return pm_fail(error, PM_ERROR_SIZE, "%s: the bytes do not fit size_t", name);
    return PM_OK;
}

static pm_status check_counts(const pm_skeleton_desc *desc, pm_error *error) {
    if (desc->joint_count == 0 || desc->joint_count > PM_SKELETON_MAX_JOINTS)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the number of joints is %zu, expected 1 to %d",
                       desc->joint_count, PM_SKELETON_MAX_JOINTS);
    if (!desc->parents)
        return pm_fail(error, PM_ERROR_ARGUMENT, "parents is NULL");
    if (desc->level_count > 255 || (desc->levels && desc->level_count == 0))
        return pm_fail(error, PM_ERROR_ARGUMENT, "the number of levels is %zu, expected 1 to 255",
                       desc->level_count);
    if (desc->level_count && !desc->levels)
        return pm_fail(error, PM_ERROR_ARGUMENT, "levels is NULL");
    if (desc->mask_count > 65534)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "the number of masks is %zu, expected at most 65534", desc->mask_count);
    if (desc->mask_count && !desc->masks)
        return pm_fail(error, PM_ERROR_ARGUMENT, "masks is NULL");
    if (desc->subset_count > 65534)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "the number of subsets is %zu, expected at most 65534", desc->subset_count);
    if (desc->subset_count && !desc->subsets)
        return pm_fail(error, PM_ERROR_ARGUMENT, "subsets is NULL");
    if (!desc->hinges != !desc->hinge_count || desc->hinge_count > desc->joint_count)
        return pm_fail(error, PM_ERROR_ARGUMENT, "hinges: expected at most one per joint, or none");
    for (size_t h = 0; h < desc->hinge_count; h++)
        if (desc->hinges[h].joint >= desc->joint_count)
            return pm_fail(error, PM_ERROR_ARGUMENT, "hinges[%zu]: there is no joint %u", h,
                           desc->hinges[h].joint);
    for (size_t j = 0; j < desc->joint_count; j++)
        if (desc->parents[j] < -1 || desc->parents[j] >= (int64_t)desc->joint_count)
            return pm_fail_joint(error, PM_ERROR_ARGUMENT, j,
                                 "parents: %d is neither a joint nor -1", (int)desc->parents[j]);
    return PM_OK;
}

static pm_status check(const pm_skeleton_desc *desc, pm_error *error) {
    pm_status status = PM_CHECK_NEXT(pm_skeleton_desc, desc, error);
    if (status == PM_OK)
        status = check_counts(desc, error);
    for (size_t i = 0; status == PM_OK && desc->levels && i < desc->level_count; i++)
        status = PM_CHECK_NEXT(pm_level, &desc->levels[i], error);
    for (size_t i = 0; status == PM_OK && i < desc->subset_count; i++)
        status = PM_CHECK_NEXT(pm_subset, &desc->subsets[i], error);
    const struct {
        const char *name;
        const pm_array *array;
        size_t components;
    } arrays[] = {{"rotations", &desc->rotations, 4},
                  {"positions", &desc->positions, 3},
                  {"scales", &desc->scales, 3},
                  {"inverse_binds", &desc->inverse_binds, 12},
                  {"points", &desc->points, 3}};
    for (size_t i = 0; status == PM_OK && i < sizeof arrays / sizeof *arrays; i++)
        status = check_array(arrays[i].name, arrays[i].array, desc->joint_count,
                             arrays[i].components, error);
    return status;
}

static pm_status allocate(pm_skeleton *s, const pm_skeleton_desc *desc, pm_error *error) {
    size_t n = desc->joint_count;
    s->joint_count = n;
    s->level_count = desc->levels ? desc->level_count : 1;
    s->mask_count = desc->mask_count;
    s->order = pm_allocate_zeroed(s->host, n, sizeof *s->order);
    s->slots = pm_allocate_zeroed(s->host, n, sizeof *s->slots);
    s->by_depth = pm_allocate_zeroed(s->host, n, sizeof *s->by_depth);
    s->joints = pm_allocate_zeroed(s->host, n, sizeof *s->joints);
    s->levels = pm_allocate_zeroed(s->host, 2 * s->level_count, sizeof *s->levels);
    s->level_joints = pm_allocate_zeroed(s->host, s->level_count, n);
    s->masks =
        pm_allocate_zeroed(s->host, (s->mask_count + 1) * n + PM_MASK_PADDING, sizeof *s->masks);
    s->hinge_count = desc->hinge_count;
    s->hinges = desc->hinges ? pm_allocate_zeroed(s->host, n, sizeof *s->hinges) : NULL;
    s->scalar_order = pm_allocate_zeroed(s->host, s->hinge_count, sizeof *s->scalar_order);
    s->points = desc->points.data ? pm_allocate_zeroed(s->host, 4 * n, sizeof *s->points) : NULL;
    return s->order && s->slots && s->by_depth && s->joints && s->levels && s->level_joints &&
                   s->masks && (s->points || !desc->points.data) && (s->hinges || !desc->hinges) &&
                   s->scalar_order
               ? PM_OK
               : pm_fail_memory(error);
}

static pm_status build(pm_skeleton *skeleton, const pm_skeleton_desc *desc, pm_error *error) {
    pm_status status = allocate(skeleton, desc, error);
    if (status == PM_OK)
        status = pm_skeleton_sort(skeleton, desc->parents, error);
    for (size_t k = 0; status == PM_OK && k < skeleton->joint_count; k++)
        skeleton->slots[skeleton->order[k]] = (uint32_t)k;
    if (status == PM_OK)
        status = pm_joint_sets_build(skeleton, desc, error);
    if (status != PM_OK)
        return status;
    placed *models = pm_allocate_zeroed(&desc->host, desc->joint_count, sizeof *models);
    status = models ? fill_joints(skeleton, desc, models, error) : pm_fail_memory(error);
    pm_release(models);
    fill_levels(skeleton, desc);
    if (status == PM_OK)
        status = fill_radii(skeleton, desc, error);
    if (status == PM_OK)
        status = fill_points(skeleton, desc, error);
    if (status == PM_OK)
        status = fill_hinges(skeleton, desc, error);
    if (status == PM_OK)
        status = pm_chains_build(skeleton, desc, error);
    return status == PM_OK ? fill_masks(skeleton, desc, error) : status;
}

pm_status pm_skeleton_create(const pm_skeleton_desc *desc, pm_skeleton **skeleton,
                             pm_error *error) {
    pm_error_clear(error);
    if (!desc || !skeleton)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", desc ? "skeleton" : "desc");
    pm_status status = pm_host_check(&desc->host, error);
    if (status == PM_OK)
        status = check(desc, error);
    if (status != PM_OK)
        return status;
    pm_skeleton *made = pm_allocate_zeroed(&desc->host, 1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    made->host = &desc->host;
    status = build(made, desc, error);
    made->host = NULL;
    if (status == PM_OK)
        *skeleton = made;
    else
        pm_skeleton_destroy(&made);
    return status;
}

void pm_skeleton_destroy(pm_skeleton **handle) {
    pm_skeleton *skeleton = handle ? *handle : NULL;
    if (!skeleton)
        return;
    *handle = NULL;
    if (atomic_fetch_sub(&skeleton->holders, 1) > 0)
        return;
    pm_joint_sets_free(skeleton);
    pm_release(skeleton->order);
    pm_release(skeleton->slots);
    pm_release(skeleton->by_depth);
    pm_release(skeleton->joints);
    pm_release(skeleton->levels);
    pm_release(skeleton->level_joints);
    pm_release(skeleton->masks);
    pm_release(skeleton->points);
    pm_release(skeleton->hinges);
    pm_release(skeleton->scalar_order);
    pm_release(skeleton->chains);
    pm_release(skeleton->chain_paths);
    pm_release(skeleton);
}

size_t pm_skeleton_joint_count(const pm_skeleton *skeleton) {
    return skeleton ? skeleton->joint_count : 0;
}

const uint32_t *pm_skeleton_order(const pm_skeleton *skeleton) {
    return skeleton ? skeleton->order : NULL;
}

const uint32_t *pm_skeleton_slots(const pm_skeleton *skeleton) {
    return skeleton ? skeleton->slots : NULL;
}
