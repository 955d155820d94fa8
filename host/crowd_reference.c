/* SPDX-License-Identifier: MIT
 *
 * Posing on the CPU: one instance after another, joint by joint, by the kernels' own headers.
 */
#include <stdlib.h>
#include <string.h>

#include "../kernels/pm_pose.h"
#include "crowd.h"
#include "crowd_sample.h"
#include "engine.h"
#include "parallel.h"
#include "status.h"

/* An instance, once its bad numbers are put right. */
typedef struct actor {
    pm_crowd_side a, b;
    bool has_a, in_place, additive;
    float weight;
    const float *mask;
    const pm_u8 *joints; /* those of its level */
} actor;

static actor actor_of(const pm_crowd *crowd, const pm_crowd_instance *instance) {
    const pm_skeleton *s = crowd->skeleton;
    size_t mask = instance->mask <= s->mask_count ? instance->mask : 0;
    size_t level = instance->level < s->level_count ? instance->level : s->level_count - 1;
    actor who = {.has_a = instance->clip_a < crowd->clip_count,
                 .in_place = instance->flags & PM_CROWD_IN_PLACE,
                 .additive = instance->flags & PM_CROWD_ADDITIVE,
                 .weight = pm_crowd_weight(crowd, instance),
                 .mask = s->masks + mask * s->joint_count,
                 .joints = s->level_joints + level * s->joint_count};
    if (who.has_a)
        who.a = pm_crowd_side_of(crowd, instance->clip_a, instance->time_a,
                                 instance->flags & PM_CROWD_CLAMP_A);
    if (who.weight > 0)
        who.b = pm_crowd_side_of(crowd, instance->clip_b, instance->time_b,
                                 instance->flags & PM_CROWD_CLAMP_B);
    return who;
}

static pm_quat quat_at(const float *from) {
    return pm_quat_of(from[0], from[1], from[2], from[3]);
}

static pm_local rest_of(const pm_joint *joint) {
    return (pm_local){quat_at(joint->rotation), quat_at(joint->position), quat_at(joint->scale)};
}

static pm_local pose_at(const pm_crowd *crowd, const actor *who, size_t j) {
    const pm_joint *joint = &crowd->joints[j];
    pm_local rest = rest_of(joint), pose = rest;
    if (!joint->animated || !who->joints[j] || (j == 0 && who->in_place))
        return rest;
    if (who->has_a)
        pose = pm_crowd_sample(crowd, &who->a, j, rest);
    if (!(who->weight > 0))
        return pose;
    pm_local b = pm_crowd_sample(crowd, &who->b, j, rest);
    float weight = who->weight * who->mask[j];
    return who->additive ? pm_local_added(pose, b, rest, quat_at(joint->unscale), weight)
                         : pm_local_mixed(pose, b, weight);
}

/* ---- records ------------------------------------------------------------------------ */

static void put(float *to, pm_quat row) {
    to[0] = row.x;
    to[1] = row.y;
    to[2] = row.z;
    to[3] = row.w;
}

static void put_halves(unsigned char *to, pm_quat row) {
    const uint16_t halves[4] = {(uint16_t)pm_half_bits(row.x), (uint16_t)pm_half_bits(row.y),
                                (uint16_t)pm_half_bits(row.z), (uint16_t)pm_half_bits(row.w)};
    memcpy(to, halves, sizeof halves);
}

static void put_matrix(pm_crowd_output output, pm_matrix m, unsigned char *to) {
    float rows[12];
    if (output == PM_CROWD_PALETTE_HALF) {
        put_halves(to, m.x);
        put_halves(to + 8, m.y);
        put_halves(to + 16, m.z);
        return;
    }
    put(rows, m.x);
    put(rows + 4, m.y);
    put(rows + 8, m.z);
    memcpy(to, rows, sizeof rows);
}

static void put_local(pm_local local, unsigned char *to) {
    put_matrix(PM_CROWD_LOCAL, (pm_matrix){local.rotation, local.position, local.scale}, to);
}

static void pose_locals(const pm_crowd *crowd, const actor *who, unsigned char *to) {
    for (size_t j = 0; j < crowd->skeleton->joint_count; j++)
        put_local(pose_at(crowd, who, j), to + j * pm_crowd_record_bytes(PM_CROWD_LOCAL));
}

static void pose_matrices(const pm_crowd *crowd, const actor *who, pm_crowd_output output,
                          unsigned char *to) {
    pm_matrix slots[PM_SLOTS];
    for (size_t j = 0; j < crowd->skeleton->joint_count; j++) {
        const pm_joint *joint = &crowd->joints[j];
        pm_local local = pose_at(crowd, who, j);
        pm_matrix m = pm_matrix_of(local.rotation, local.position);
        if (joint->scaled)
            m = pm_matrix_scaled(m, local.scale);
        if (joint->parent != PM_NO_SLOT)
            m = pm_matrix_product(slots[joint->parent], m);
        if (joint->slot != PM_NO_SLOT)
            slots[joint->slot] = m;
        const float *bind = joint->inverse_bind;
        if (output != PM_CROWD_MODEL)
            m = pm_matrix_product(m,
                                  (pm_matrix){quat_at(bind), quat_at(bind + 4), quat_at(bind + 8)});
        put_matrix(output, m, to + j * pm_crowd_record_bytes(output));
    }
}

static void pose_duals(const pm_crowd *crowd, const actor *who, unsigned char *to) {
    pm_rigid slots[PM_SLOTS];
    for (size_t j = 0; j < crowd->skeleton->joint_count; j++) {
        const pm_joint *joint = &crowd->joints[j];
        pm_local local = pose_at(crowd, who, j);
        pm_rigid m = {local.rotation, local.position};
        float words[8];
        if (joint->parent != PM_NO_SLOT)
            m = pm_rigid_product(slots[joint->parent], m);
        if (joint->slot != PM_NO_SLOT)
            slots[joint->slot] = m;
        m = pm_rigid_product(
            m, (pm_rigid){quat_at(joint->bind_rotation), quat_at(joint->bind_position)});
        put(words, m.rotation);
        put(words + 4, pm_rigid_dual(m));
        memcpy(to + j * sizeof words, words, sizeof words);
    }
}

static void pose_one(const pm_crowd *crowd, const pm_crowd_instance *instance,
                     pm_crowd_output output, unsigned char *to) {
    actor who = actor_of(crowd, instance);
    if (output == PM_CROWD_LOCAL)
        pose_locals(crowd, &who, to);
    else if (output == PM_CROWD_DUAL)
        pose_duals(crowd, &who, to);
    else
        pose_matrices(crowd, &who, output, to);
}

pm_status pm_crowd_pose_one(const pm_crowd *crowd, const pm_crowd_instance *instance,
                            pm_crowd_output output, void *records, pm_error *error) {
    pm_error_clear(error);
    if (!crowd || !instance || !records)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd      ? "crowd"
                       : !instance ? "instance"
                                   : "records");
    pm_status status = pm_crowd_check_output(crowd, output, error);
    if (status == PM_OK)
        pose_one(crowd, instance, output, records);
    return status;
}

/* ---- many ------------------------------------------------------------------------------ */

/* Instances are handed to threads in runs of so many. */
enum { RUN = 64 };

typedef struct posing {
    const pm_crowd *crowd;
    const pm_crowd_job *job;
} posing;

static void pose_target(const posing *p, pm_crowd_output output, size_t i) {
    const pm_crowd_target *target = &p->job->outputs[output];
    size_t stride = pm_crowd_stride(p->crowd, output, target->stride);
    size_t bytes = p->crowd->skeleton->joint_count * pm_crowd_record_bytes(output);
    unsigned char *to = target->memory;
    if (!to)
        return;
    if (target->previous)
        memcpy((unsigned char *)target->previous + i * stride, to + i * stride, bytes);
    if (pm_crowd_is_updated(p->crowd, &p->job->instances[i], i, p->job->frame))
        pose_one(p->crowd, &p->job->instances[i], output, to + i * stride);
}

static void pose_runs(void *context, pm_items *items) {
    const posing *p = context;
    size_t run;
    while (pm_take_item(items, &run)) {
        size_t end = p->job->instance_count - run * RUN;
        end = run * RUN + (end < RUN ? end : RUN);
        for (size_t i = run * RUN; i < end; i++)
            for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++)
                pose_target(p, (pm_crowd_output)o, i);
    }
}

pm_status pm_crowd_pose_on_reference(const pm_crowd *crowd, const pm_crowd_job *job,
                                     pm_error *error) {
    posing p = {crowd, job};
    size_t runs = job->instance_count / RUN + (job->instance_count % RUN != 0);
    (void)error;
    pm_run_parallel(crowd->engine->host_threads, runs, pose_runs, &p);
    return PM_OK;
}
