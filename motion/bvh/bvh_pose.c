/* SPDX-License-Identifier: MIT
 *
 * Converts channels to tracks and back. Conversions are in double; only the samples are float32.
 */
#include "motion/bvh/bvh_pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/bvh/bvh_scan.h"

#define RADIANS 0.017453292519943295769
#define DEGREES 57.295779513082320877
#define TURN 6.28318530717958647693

static bool is_rotation(bvh_channel_kind kind) {
    return kind >= BVH_X_ROTATION && kind <= BVH_Z_ROTATION;
}

static bool find_order(const int axis[3], pm_euler_order *order) {
    const char name[] = {(char)('X' + axis[0]), (char)('X' + axis[1]), (char)('X' + axis[2]), '\0'};
    return pm_euler_order_find(name, order);
}

static pm_status add_rotation(pose_plan *plan, size_t joint, pm_error *error) {
    const bvh *model = plan->model;
    const bvh_joint *j = &model->joints[joint];
    pose_rotation *r = &plan->rotations[plan->rotation_count];
    char text[BVH_JOINT_TEXT];
    int axis[3] = {0, 0, 0};
    size_t i, count = 0;
    for (i = j->first_channel; i < j->first_channel + j->channel_count; i++) {
        if (!is_rotation(model->channels[i].kind))
            continue;
        if (count < 3) {
            axis[count] = (int)model->channels[i].kind - BVH_X_ROTATION;
            r->channel[count] = i;
        }
        count++;
    }
    if (count == 0)
        return PM_OK;
    if (count == 1)
        axis[1] = (axis[0] + 1) % 3;
    if (count < 3)
        axis[2] = 3 - axis[0] - axis[1];
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

static pose_vector *start_vector(pose_plan *plan, size_t joint, bool is_scale) {
    pose_vector *v = &plan->vectors[plan->vector_count++];
    *v = (pose_vector){.joint = joint, .is_scale = is_scale};
    v->channel[0] = v->channel[1] = v->channel[2] = POSE_NO_CHANNEL;
    return v;
}

/* The second channel of the same name on a joint is treated as a plain number. */
static void add_vectors(pose_plan *plan, size_t joint) {
    const bvh *model = plan->model;
    const bvh_joint *j = &model->joints[joint];
    pose_vector *position = NULL, *scale = NULL;
    for (size_t i = j->first_channel; i < j->first_channel + j->channel_count; i++) {
        bvh_channel_kind kind = model->channels[i].kind;
        pose_vector **v = kind <= BVH_Z_POSITION ? &position : &scale;
        if (is_rotation(kind))
            continue;
        if (kind != BVH_OTHER && !*v)
            *v = start_vector(plan, joint, kind > BVH_Z_POSITION);
        if (kind != BVH_OTHER && (*v)->channel[(int)kind % 3] == POSE_NO_CHANNEL)
            (*v)->channel[(int)kind % 3] = i;
        else
            plan->plains[plan->plain_count++] = i;
    }
}

pm_status pose_plan_make(pose_plan *plan, const bvh *model, pm_error *error) {
    pm_status status = PM_OK;
    memset(plan, 0, sizeof *plan);
    plan->model = model;
    /* Upper limits: no joint has more tracks of a kind than channels. */
    plan->rotations = calloc(model->joint_count, sizeof *plan->rotations);
    plan->vectors = calloc(model->channel_count, sizeof *plan->vectors);
    plan->plains = calloc(model->channel_count, sizeof *plan->plains);
    MOTION_TRY_MEMORY(plan->rotations && plan->vectors && plan->plains, error);
    for (size_t i = 0; i < model->joint_count && status == PM_OK; i++) {
        status = add_rotation(plan, i, error);
        add_vectors(plan, i);
    }
    return status;
}

void pose_plan_release(pose_plan *plan) {
    MOTION_FREE(plan->rotations, plan->vectors, plan->plains);
    memset(plan, 0, sizeof *plan);
}

static void rotation_key(const pose_rotation *r, const double *row, double key[4]) {
    double angles[3] = {0, 0, 0};
    for (size_t i = 0; i < r->channel_count; i++)
        angles[i] = row[r->channel[i]] * RADIANS;
    if (r->channel_count == 1) {
        key[0] = key[1] = key[2] = 0;
        key[r->axis] = pm_same_sin(0.5 * angles[0]);
        key[3] = pm_same_cos(0.5 * angles[0]);
        return;
    }
    pm_quat_from_euler(r->order, angles, key);
}

bool pose_same_rotation(const pose_rotation *r, const double *a, const double *b) {
    for (size_t i = 0; i < r->channel_count; i++)
        if (a[r->channel[i]] != b[r->channel[i]])
            return false;
    return true;
}

void pose_rotation_keys(const pose_plan *plan, double *keys) {
    const bvh *model = plan->model;
    const double *before = NULL;
    for (size_t frame = 0; frame < model->frame_count; frame++) {
        const double *row = model->values + frame * model->channel_count;
        for (size_t i = 0; i < plan->rotation_count; i++, keys += 4) {
            /* Many joints of a skeleton never move, and a comparison is cheaper than six sines. */
            if (before && pose_same_rotation(&plan->rotations[i], before, row))
                memcpy(keys, keys - 4 * plan->rotation_count, 4 * sizeof *keys);
            else
                rotation_key(&plan->rotations[i], row, keys);
        }
        before = row;
    }
}

static void rotation_to_row(const pose_rotation *r, const double *q, double *row) {
    double near[3] = {0, 0, 0}, angles[3] = {0, 0, 0};
    for (size_t i = 0; i < r->channel_count; i++)
        near[i] = row[r->channel[i]] * RADIANS;
    if (r->channel_count == 1) {
        double twist = 2.0 * pm_same_atan2(q[r->axis], q[3]);
        angles[0] = twist - TURN * rint((twist - near[0]) / TURN);
    } else {
        pm_euler_from_quat(r->order, q, near, angles);
    }
    for (size_t i = 0; i < r->channel_count; i++)
        row[r->channel[i]] = angles[i] * DEGREES;
}

static pm_status check_row(const bvh *model, const double *row, uint64_t frame, pm_error *error) {
    for (size_t i = 0; i < model->channel_count; i++) {
        const bvh_channel *channel = &model->channels[i];
        char joint[BVH_JOINT_TEXT], name[BVH_PRINTABLE_SIZE];
        if (fabs(row[i]) < 1e300)
            continue;
        bvh_describe_joint(model, channel->joint, joint);
        return motion_refuse(error, "%s, frame %llu: %s becomes %g; expected a number below 1e300",
                             joint, (unsigned long long)frame, bvh_printable(channel->name, name),
                             row[i]);
    }
    return PM_OK;
}

pm_status pose_to_row(const pose_plan *plan, const pose_sample *sample, const bool kept[],
                      uint64_t frame, double *row, pm_error *error) {
    for (size_t i = 0; i < plan->rotation_count; i++)
        if (!kept[i])
            rotation_to_row(&plan->rotations[i], sample->rotations + 4 * i, row);
    for (size_t i = 0; i < plan->vector_count; i++)
        for (size_t n = 0; n < 3; n++)
            if (plan->vectors[i].channel[n] != POSE_NO_CHANNEL)
                row[plan->vectors[i].channel[n]] = sample->vectors[3 * i + n];
    for (size_t i = 0; i < plan->plain_count; i++)
        row[plan->plains[i]] = sample->plains[i];
    return check_row(plan->model, row, frame, error);
}
