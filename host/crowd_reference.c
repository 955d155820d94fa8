/* SPDX-License-Identifier: MIT
 *
 * Posing on the CPU: one instance after another, some joints of it at a time, by the kernels'
 * own headers (crowd_lanes.c, crowd_walk.c).
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/pm_pose.h"
#include "clones.h"
#include "crowd_actor.h"
#include "engine.h"
#include "lane_set.h"
#include "parallel.h"
#include "status.h"

/* ---- instances ------------------------------------------------------------------------ */

pm_crowd_side pm_crowd_side_of(const pm_crowd *crowd, size_t clip, int64_t time, bool clamps) {
    pm_crowd_side side = {.clip = clip, .time = time, .clamps = clamps};
    if (!crowd->apart)
        side.place = pm_crowd_place(crowd->timelines[crowd->clips[clip].timeline], crowd->times,
                                    time, clamps);
    return side;
}

pm_crowd_actor pm_crowd_actor_of(const pm_crowd *crowd, const pm_crowd_instance *instance) {
    const pm_skeleton *s = crowd->skeleton;
    size_t mask = instance->mask <= s->mask_count ? instance->mask : 0;
    size_t level = instance->level < s->level_count ? instance->level : s->level_count - 1;
    float weight = instance->weight > 0 ? instance->weight : 0; /* NaN is not */
    pm_crowd_actor who = {.has_a = instance->clip_a < crowd->clip_count,
                          .in_place = instance->flags & PM_CROWD_IN_PLACE,
                          .additive = instance->flags & PM_CROWD_ADDITIVE,
                          .mask = s->masks + mask * s->joint_count};
    who.weight = instance->clip_b >= crowd->clip_count ? 0 : weight < 1 ? weight : 1;
    if (!s->levels[level].whole)
        who.joints = s->level_joints + level * s->joint_count;
    if (who.has_a)
        who.a = pm_crowd_side_of(crowd, instance->clip_a, instance->time_a,
                                 instance->flags & PM_CROWD_CLAMP_A);
    if (who.weight > 0)
        who.b = pm_crowd_side_of(crowd, instance->clip_b, instance->time_b,
                                 instance->flags & PM_CROWD_CLAMP_B);
    return who;
}

/* ---- records --------------------------------------------------------------------------- */

static pm_quat quat_at(const float *from) {
    return pm_quat_of(from[0], from[1], from[2], from[3]);
}

static void put_quat(float *to, pm_quat q) {
    to[0] = q.x;
    to[1] = q.y;
    to[2] = q.z;
    to[3] = q.w;
}

static void put_locals(const pm_crowd *crowd, const pm_crowd_actor *who, unsigned char *records) {
    const pm_lane_set *set = pm_lane_set_for(SIZE_MAX);
    size_t n = crowd->skeleton->joint_count;
    pm_pose_block block;
    for (size_t j = 0; j < n; j++) {
        if (j % PM_POSE_JOINTS == 0)
            set->pose_joints(crowd, who, j, &block);
        for (size_t c = 0; c < PM_CHANNEL_COUNT; c++, records += sizeof block.of[0][0])
            memcpy(records, block.of[c][j % PM_POSE_JOINTS], sizeof block.of[0][0]);
    }
}

PM_CLONES static void put_duals(const pm_crowd *crowd, const pm_crowd_actor *who,
                                unsigned char *records) {
    const pm_lane_set *set = pm_lane_set_for(SIZE_MAX);
    pm_rigid slots[PM_SLOTS];
    pm_pose_block block;
    for (size_t j = 0; j < crowd->skeleton->joint_count; j++) {
        const pm_joint *joint = &crowd->joints[j];
        float words[8];
        size_t k = j % PM_POSE_JOINTS;
        if (k == 0)
            set->pose_joints(crowd, who, j, &block);
        pm_rigid m = {quat_at(block.of[PM_ROTATIONS][k]), quat_at(block.of[PM_POSITIONS][k])};
        pm_rigid bind = {quat_at(joint->bind_rotation), quat_at(joint->bind_position)};
        if (joint->parent != PM_NO_SLOT)
            m = pm_rigid_product(slots[joint->parent], m);
        if (joint->slot != PM_NO_SLOT)
            slots[joint->slot] = m;
        m = pm_rigid_product(m, bind);
        put_quat(words, m.rotation);
        put_quat(words + 4, pm_rigid_dual(m));
        memcpy(records + j * sizeof words, words, sizeof words);
    }
}

PM_CLONES static void put_halves(const float *from, unsigned char *records) {
    uint16_t halves[12];
    for (size_t i = 0; i < 12; i++)
        halves[i] = (uint16_t)pm_half_bits(from[i]);
    memcpy(records, halves, sizeof halves);
}

/* `matrices` has room for all joints and padding. */
static void put_matrices(const pm_crowd *crowd, const pm_crowd_actor *who, pm_crowd_output output,
                         float (*matrices)[16], unsigned char *records) {
    const pm_lane_set *set = pm_lane_set_for(SIZE_MAX);
    size_t n = crowd->skeleton->joint_count;
    for (size_t j = 0; j < n; j += PM_POSE_JOINTS)
        set->place_joints(crowd, who, j, matrices + j);
    set->walk_joints(crowd, matrices);
    if (output == PM_CROWD_PALETTE) {
        set->bind_joints(crowd, matrices, records, 48);
        return;
    }
    if (output == PM_CROWD_PALETTE_HALF)
        set->bind_joints(crowd, matrices, (unsigned char *)matrices, sizeof *matrices);
    for (size_t j = 0; j < n; j++)
        if (output == PM_CROWD_PALETTE_HALF)
            put_halves(matrices[j], records + j * 24);
        else
            memcpy(records + j * 48, matrices[j], 48);
}

/* Skeletons of so many joints need no memory but the stack's. */
enum { MOST_ON_STACK = 512 };

static pm_status pose_one(const pm_crowd *crowd, const pm_crowd_instance *instance,
                          pm_crowd_output output, unsigned char *records, pm_error *error) {
    pm_crowd_actor who = pm_crowd_actor_of(crowd, instance);
    float on_stack[MOST_ON_STACK][16];
    float(*matrices)[16] = on_stack;
    if (output == PM_CROWD_LOCAL) {
        put_locals(crowd, &who, records);
        return PM_OK;
    }
    if (output == PM_CROWD_DUAL) {
        put_duals(crowd, &who, records);
        return PM_OK;
    }
    if (crowd->padded_joints > MOST_ON_STACK)
        matrices = calloc(crowd->padded_joints, sizeof *matrices);
    if (!matrices)
        return pm_fail_memory(error);
    put_matrices(crowd, &who, output, matrices, records);
    if (matrices != on_stack)
        free(matrices);
    return PM_OK;
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
    return status == PM_OK ? pose_one(crowd, instance, output, records, error) : status;
}

/* ---- many ------------------------------------------------------------------------------ */

/* Instances are handed to threads in runs of so many. */
enum { RUN = 64 };

typedef struct posing {
    const pm_crowd *crowd;
    const pm_crowd_job *job;
    atomic_bool failed; /* for want of memory */
} posing;

static void pose_target(posing *p, pm_crowd_output output, size_t i) {
    const pm_crowd_target *target = &p->job->outputs[output];
    size_t stride = pm_crowd_stride(p->crowd, output, target->stride);
    size_t bytes = p->crowd->skeleton->joint_count * pm_crowd_record_bytes(output);
    unsigned char *to = target->memory;
    if (!to)
        return;
    if (target->previous)
        memcpy((unsigned char *)target->previous + i * stride, to + i * stride, bytes);
    if (pm_crowd_is_updated(p->crowd, &p->job->instances[i], i, p->job->frame))
        if (pose_one(p->crowd, &p->job->instances[i], output, to + i * stride, NULL) != PM_OK)
            p->failed = true;
}

static void pose_runs(void *context, pm_items *items) {
    posing *p = context;
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
    posing p = {.crowd = crowd, .job = job};
    size_t runs = job->instance_count / RUN + (job->instance_count % RUN != 0);
    pm_run_parallel(crowd->engine->host_threads, runs, pose_runs, &p);
    return p.failed ? pm_fail_memory(error) : PM_OK;
}
