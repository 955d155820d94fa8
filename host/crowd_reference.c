/* SPDX-License-Identifier: MIT
 *
 * Posing on the CPU: one instance after another, some joints of it at a time, by the kernels'
 * own headers (crowd_lanes.c, crowd_walk.c).
 */
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

/* A walk of an instance: `first` and `count` are of the joints at hand. */
typedef struct walk {
    const pm_crowd *crowd;
    const pm_lane_set *set;
    pm_crowd_output output;
    size_t first, count;
    pm_pose_block block;
    float slots[PM_SLOTS][12];
} walk;

static void put_locals(const walk *w, float *to) {
    for (size_t k = 0; k < w->count; k++)
        for (size_t row = 0; row < 3; row++, to += 4)
            memcpy(to, w->block.rows[row][k], 4 * sizeof *to);
}

static void put_matrices(walk *w, float *to) {
    w->set->walk_joints(w->crowd, w->first, w->count, &w->block, w->output != PM_CROWD_MODEL,
                        w->slots, to);
}

PM_CLONES static void put_halves(walk *w, float *words) {
    float palette[PM_POSE_JOINTS * 12];
    uint16_t halves[PM_POSE_JOINTS * 12];
    put_matrices(w, palette);
    for (size_t i = 0; i < 12 * w->count; i++)
        halves[i] = (uint16_t)pm_half_bits(palette[i]);
    memcpy(words, halves, 12 * w->count * sizeof *halves);
}

/* A slot holds a rotation and a position. */
PM_CLONES static void put_duals(walk *w, float *to) {
    for (size_t k = 0; k < w->count; k++, to += 8) {
        const pm_joint *joint = &w->crowd->joints[w->first + k];
        pm_rigid m = {quat_at(w->block.rows[0][k]), quat_at(w->block.rows[1][k])};
        pm_rigid bind = {quat_at(joint->bind_rotation), quat_at(joint->bind_position)};
        if (joint->parent != PM_NO_SLOT) {
            const float *slot = w->slots[joint->parent];
            m = pm_rigid_product((pm_rigid){quat_at(slot), quat_at(slot + 4)}, m);
        }
        if (joint->slot != PM_NO_SLOT) {
            put_quat(w->slots[joint->slot], m.rotation);
            put_quat(w->slots[joint->slot] + 4, m.position);
        }
        m = pm_rigid_product(m, bind);
        put_quat(to, m.rotation);
        put_quat(to + 4, pm_rigid_dual(m));
    }
}

static void pose_one(const pm_crowd *crowd, const pm_crowd_instance *instance,
                     pm_crowd_output output, unsigned char *records) {
    size_t n = crowd->skeleton->joint_count, record = pm_crowd_record_bytes(output);
    bool matrices = output != PM_CROWD_LOCAL && output != PM_CROWD_DUAL;
    pm_crowd_actor who = pm_crowd_actor_of(crowd, instance);
    walk w = {.crowd = crowd, .set = pm_lane_set_for(SIZE_MAX), .output = output};
    for (; w.first < n; w.first += PM_POSE_JOINTS) {
        float words[PM_POSE_JOINTS * 12];
        w.count = n - w.first < PM_POSE_JOINTS ? n - w.first : PM_POSE_JOINTS;
        w.set->pose_joints(crowd, &who, w.first, matrices, &w.block);
        if (output == PM_CROWD_LOCAL)
            put_locals(&w, words);
        else if (output == PM_CROWD_DUAL)
            put_duals(&w, words);
        else if (output == PM_CROWD_PALETTE_HALF)
            put_halves(&w, words);
        else
            put_matrices(&w, words);
        memcpy(records + w.first * record, words, w.count * record);
    }
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

void pm_crowd_pose_on_reference(const pm_crowd *crowd, const pm_crowd_job *job) {
    posing p = {crowd, job};
    size_t runs = job->instance_count / RUN + (job->instance_count % RUN != 0);
    pm_run_parallel(crowd->engine->host_threads, runs, pose_runs, &p);
}
