/* SPDX-License-Identifier: MIT
 *
 * Converts channels to tracks and back. Conversions are in double; only the samples are float32.
 */
#include "motion/bvh/bvh_pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIANS 0.017453292519943295769
#define DEGREES 57.295779513082320877
#define TURN 6.28318530717958647693

/* ---- the plan ---------------------------------------------------------------------- */

static bool is_rotation(bvh_channel_kind kind) {
    return kind >= BVH_X_ROTATION && kind <= BVH_Z_ROTATION;
}

/* The orders, as lists of axis indices. */
static bool find_order(const int axis[3], pm_euler_order *order) {
    static const char names[PM_EULER_COUNT][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0},
                                                  {2, 0, 1}, {2, 1, 0}, {0, 1, 0}, {0, 2, 0},
                                                  {1, 0, 1}, {1, 2, 1}, {2, 0, 2}, {2, 1, 2}};
    int i;

    for (i = 0; i < PM_EULER_COUNT; i++) {
        if (names[i][0] == axis[0] && names[i][1] == axis[1] && names[i][2] == axis[2]) {
            *order = (pm_euler_order)i;
            return true;
        }
    }
    return false;
}

static pm_status add_rotation(pose_plan *plan, size_t joint, pm_error *error) {
    const bvh *model = plan->model;
    const bvh_joint *j = &model->joints[joint];
    pose_rotation *r = &plan->rotations[plan->rotation_count];
    char text[BVH_JOINT_TEXT];
    int axis[3] = {0, 0, 0};
    size_t i, count = 0;

    for (i = j->first_channel; i < j->first_channel + j->channel_count; i++) {
        if (!is_rotation(model->channels[i].kind)) {
            continue;
        }
        if (count < 3) {
            axis[count] = (int)model->channels[i].kind - BVH_X_ROTATION;
            r->channel[count] = i;
        }
        count++;
    }
    if (count == 0) {
        return PM_OK;
    }
    if (count == 1) {
        axis[1] = (axis[0] + 1) % 3;
    }
    if (count < 3) {
        axis[2] = 3 - axis[0] - axis[1];
    }
    if (count > 3 || !find_order(axis, &r->order)) {
        bvh_describe_joint(model, joint, text);
        return motion_refuse(
            error, "%s: the %zu rotation channels do not form an Euler angle order", text, count);
    }
    r->joint = joint;
    r->channel_count = count;
    r->axis = axis[0];
    plan->rotation_count++;
    return PM_OK;
}

static pose_vector *start_vector(pose_vector *vectors, size_t *count, size_t joint) {
    pose_vector *v = &vectors[(*count)++];

    memset(v, 0, sizeof *v);
    v->joint = joint;
    v->channel[0] = v->channel[1] = v->channel[2] = POSE_NO_CHANNEL;
    return v;
}

static void add_plain(pose_plan *plan, size_t joint, size_t channel) {
    pose_vector *v = plan->plain_count > 0 ? &plan->plains[plan->plain_count - 1] : NULL;
    int i;

    if (v == NULL || v->channel[2] != POSE_NO_CHANNEL) {
        v = start_vector(plan->plains, &plan->plain_count, joint);
    }
    for (i = 0; v->channel[i] != POSE_NO_CHANNEL; i++) {
    }
    v->channel[i] = channel;
}

/* The second channel of the same name on a joint is treated as a plain number. */
static void add_vectors(pose_plan *plan, size_t joint) {
    const bvh *model = plan->model;
    const bvh_joint *j = &model->joints[joint];
    pose_vector *position = NULL, *scale = NULL;
    size_t i;

    for (i = j->first_channel; i < j->first_channel + j->channel_count; i++) {
        bvh_channel_kind kind = model->channels[i].kind;
        pose_vector **v = kind <= BVH_Z_POSITION ? &position : &scale;
        if (is_rotation(kind)) {
            continue;
        }
        if (kind != BVH_OTHER && *v == NULL) {
            *v = start_vector(plan->vectors, &plan->vector_count, joint);
        }
        if (kind != BVH_OTHER && (*v)->channel[(int)kind % 3] == POSE_NO_CHANNEL) {
            (*v)->channel[(int)kind % 3] = i;
        } else {
            add_plain(plan, joint, i);
        }
    }
}

pm_status pose_plan_make(pose_plan *plan, const bvh *model, pm_error *error) {
    pm_status status = PM_OK;
    size_t i;

    memset(plan, 0, sizeof *plan);
    plan->model = model;
    /* Upper limits: no joint has more tracks of a kind than channels. */
    plan->rotations = calloc(model->joint_count, sizeof *plan->rotations);
    plan->vectors = calloc(model->channel_count, sizeof *plan->vectors);
    plan->plains = calloc(model->channel_count, sizeof *plan->plains);
    if (plan->rotations == NULL || plan->vectors == NULL || plan->plains == NULL) {
        return motion_refuse_memory(error);
    }
    for (i = 0; i < model->joint_count && status == PM_OK; i++) {
        status = add_rotation(plan, i, error);
        add_vectors(plan, i);
    }
    return status;
}

void pose_plan_release(pose_plan *plan) {
    free(plan->rotations);
    free(plan->vectors);
    free(plan->plains);
    memset(plan, 0, sizeof *plan);
}

/* ---- keys -------------------------------------------------------------------------- */

static const double *row_of(const bvh *model, size_t frame) {
    return model->values + frame * model->channel_count;
}

static void rotation_key(const pose_rotation *r, const double *row, double key[4]) {
    double angles[3] = {0, 0, 0};
    size_t i;

    for (i = 0; i < r->channel_count; i++) {
        angles[i] = row[r->channel[i]] * RADIANS;
    }
    if (r->channel_count == 1) {
        key[0] = key[1] = key[2] = 0;
        key[r->axis] = sin(0.5 * angles[0]);
        key[3] = cos(0.5 * angles[0]);
        return;
    }
    pm_quat_from_euler(r->order, angles, key);
}

static bool same_rotation(const pose_rotation *r, const double *a, const double *b) {
    size_t i;

    for (i = 0; i < r->channel_count; i++) {
        if (a[r->channel[i]] != b[r->channel[i]]) {
            return false;
        }
    }
    return true;
}

void pose_rotation_keys(const pose_plan *plan, size_t first_frame, double *keys) {
    const bvh *model = plan->model;
    const double *before = NULL;
    size_t frame, i;

    for (frame = first_frame; frame < model->frame_count; frame++) {
        const double *row = row_of(model, frame);
        for (i = 0; i < plan->rotation_count; i++, keys += 4) {
            /* Many joints of a skeleton never move, and a comparison is cheaper than six sines. */
            if (before != NULL && same_rotation(&plan->rotations[i], before, row)) {
                memcpy(keys, keys - 4 * plan->rotation_count, 4 * sizeof *keys);
            } else {
                rotation_key(&plan->rotations[i], row, keys);
            }
        }
        before = row;
    }
}

void pose_vector_keys(const pose_plan *plan, pose_vector *vectors, size_t count, size_t first_frame,
                      double *keys) {
    const bvh *model = plan->model;
    size_t frame, i, n;

    for (i = 0; i < count; i++) {
        for (n = 0; n < 3; n++) {
            size_t channel = vectors[i].channel[n];
            vectors[i].base[n] =
                channel != POSE_NO_CHANNEL ? row_of(model, first_frame)[channel] : 0.0;
        }
    }
    for (frame = first_frame; frame < model->frame_count; frame++) {
        const double *row = row_of(model, frame);
        for (i = 0; i < count; i++) {
            for (n = 0; n < 3; n++) {
                size_t channel = vectors[i].channel[n];
                *keys++ = channel != POSE_NO_CHANNEL ? row[channel] - vectors[i].base[n] : 0.0;
            }
        }
    }
}

/* Joints, which are sorted after their parents, followed by the end sites, which count as children.
 * If memory is exhausted all bones point up. */
void pose_bone_axes(const pose_plan *plan, double *axes) {
    static const double up[3] = {0, 1, 0};
    const bvh *model = plan->model;
    size_t count = model->joint_count + model->site_count;
    int32_t *parents = calloc(count, sizeof *parents);
    double *offsets = calloc(count, 3 * sizeof *offsets);
    double *directions = calloc(count, 3 * sizeof *directions);
    bool ready = parents != NULL && offsets != NULL && directions != NULL;
    size_t i;

    for (i = 0; ready && i < count; i++) {
        size_t site = i - model->joint_count;
        bool is_joint = i < model->joint_count;
        size_t parent = is_joint ? model->joints[i].parent : model->sites[site].joint;
        parents[i] = parent == BVH_NO_JOINT ? -1 : (int32_t)parent;
        memcpy(offsets + 3 * i, is_joint ? model->joints[i].offset : model->sites[site].offset,
               3 * sizeof *offsets);
    }
    if (ready) {
        pm_bone_axes(parents, offsets, count, directions);
    }
    for (i = 0; i < plan->rotation_count; i++) {
        memcpy(axes + 3 * i, ready ? directions + 3 * plan->rotations[i].joint : up, sizeof up);
    }
    free(parents);
    free(offsets);
    free(directions);
}

/* ---- rows --------------------------------------------------------------------------- */

static void rotation_to_row(const pose_rotation *r, const float *sample, double *row) {
    double q[4] = {(double)sample[0], (double)sample[1], (double)sample[2], (double)sample[3]};
    double near[3] = {0, 0, 0}, angles[3];
    size_t i;

    for (i = 0; i < r->channel_count; i++) {
        near[i] = row[r->channel[i]] * RADIANS;
    }
    if (r->channel_count == 1) {
        double twist = 2.0 * atan2(q[r->axis], q[3]);
        angles[0] = twist - TURN * rint((twist - near[0]) / TURN);
    } else {
        pm_euler_from_quat(r->order, q, near, angles);
    }
    for (i = 0; i < r->channel_count; i++) {
        row[r->channel[i]] = angles[i] * DEGREES;
    }
}

static void vectors_to_row(const pose_vector *vectors, size_t count, const float *samples,
                           double *row) {
    size_t i, n;

    for (i = 0; i < count; i++) {
        for (n = 0; n < 3; n++) {
            if (vectors[i].channel[n] != POSE_NO_CHANNEL) {
                row[vectors[i].channel[n]] = (double)samples[3 * i + n] + vectors[i].base[n];
            }
        }
    }
}

bool pose_to_row(const pose_plan *plan, const float *rotations, const float *vectors,
                 const float *plains, const double *between[2], double *row) {
    size_t i;

    for (i = 0; i < plan->rotation_count; i++) {
        const pose_rotation *r = &plan->rotations[i];
        if (between[0] != NULL && same_rotation(r, between[0], between[1])) {
            size_t n;
            for (n = 0; n < r->channel_count; n++) {
                row[r->channel[n]] = between[0][r->channel[n]];
            }
        } else {
            rotation_to_row(r, rotations + 4 * i, row);
        }
    }
    vectors_to_row(plan->vectors, plan->vector_count, vectors, row);
    vectors_to_row(plan->plains, plan->plain_count, plains, row);
    for (i = 0; i < plan->model->channel_count; i++) {
        if (!(fabs(row[i]) < 1e300)) {
            return false;
        }
    }
    return true;
}
