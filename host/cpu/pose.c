/* SPDX-License-Identifier: MIT
 *
 * Posing on the CPU: one instance after another, some joints of it at a time, by the kernels'
 * own headers (crowd_lanes.c, crowd_walk.c).
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/parallel.h"
#include "base/status.h"
#include "engine/engine.h"
#include "instance_state.h"
#include "kernels/pm_pose.h"
#include "segments/instruction_set.h"

/* ---- instances ------------------------------------------------------------------------ */

void pm_blend_input_resolve(const pm_crowd *crowd, size_t clip, int64_t time, bool clamps,
                            pm_blend_input *input) {
    input->clip = clip;
    input->time = time;
    input->clamps = clamps;
    input->cursor = (pm_cursor){0, 0};
    if (!crowd->per_joint)
        input->cursor = pm_crowd_locate(crowd->timelines[crowd->clips[clip].timeline], crowd->times,
                                        time, clamps);
}

void pm_instance_resolve(const pm_crowd *crowd, const pm_crowd_instance *instance,
                         pm_instance_state *state) {
    const pm_skeleton *s = crowd->skeleton;
    size_t mask = instance->mask <= s->mask_count ? instance->mask : 0;
    size_t level = instance->level < s->level_count ? instance->level : s->level_count - 1;
    float weight = instance->weight > 0 ? instance->weight : 0; /* NaN is not */
    state->has_a = instance->clip_a < crowd->clip_count;
    state->in_place = instance->flags & PM_CROWD_IN_PLACE;
    state->additive = instance->flags & PM_CROWD_ADDITIVE;
    state->weight = instance->clip_b >= crowd->clip_count ? 0 : weight < 1 ? weight : 1;
    state->mask = s->masks + mask * s->joint_count;
    state->joints = s->levels[level].whole ? NULL : s->level_joints + level * s->joint_count;
    if (state->has_a)
        pm_blend_input_resolve(crowd, instance->clip_a, instance->time_a,
                               instance->flags & PM_CROWD_CLAMP_A, &state->a);
    if (state->weight > 0)
        pm_blend_input_resolve(crowd, instance->clip_b, instance->time_b,
                               instance->flags & PM_CROWD_CLAMP_B, &state->b);
}

/* ---- records --------------------------------------------------------------------------- */

static pm_quat quat_of(const float *from) {
    return pm_quat_of(from[0], from[1], from[2], from[3]);
}

static pm_quat quat_at(const pm_pose_span *span, unsigned c, size_t joint) {
    const float(*of)[PM_SPAN_JOINTS] = span->of[c];
    return pm_quat_of(of[0][joint], of[1][joint], of[2][joint],
                      c == PM_ROTATIONS ? of[3][joint] : 0.0f);
}

static void put_quat(float *to, pm_quat q) {
    to[0] = q.x;
    to[1] = q.y;
    to[2] = q.z;
    to[3] = q.w;
}

static void put_locals(const pm_instruction_set *set, const pm_crowd *crowd,
                       const pm_instance_state *state, unsigned char *records) {
    size_t n = crowd->skeleton->joint_count;
    pm_pose_span span;
    for (size_t j = 0; j < n; j++) {
        if (j % PM_SPAN_JOINTS == 0)
            set->local_poses(crowd, state, j, pm_span_joints(crowd, j), &span);
        for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++, records += 4 * sizeof(float)) {
            float words[4];
            put_quat(words, quat_at(&span, c, j % PM_SPAN_JOINTS));
            memcpy(records, words, sizeof words);
        }
    }
}

PM_CLONES static void put_duals(const pm_instruction_set *set, const pm_crowd *crowd,
                                const pm_instance_state *state, unsigned char *records) {
    pm_rigid slots[PM_SLOTS];
    pm_pose_span span;
    for (size_t j = 0; j < crowd->skeleton->joint_count; j++) {
        const pm_joint *joint = &crowd->joints[j];
        float words[8];
        size_t k = j % PM_SPAN_JOINTS;
        if (k == 0)
            set->local_poses(crowd, state, j, pm_span_joints(crowd, j), &span);
        pm_rigid m = {quat_at(&span, PM_ROTATIONS, k), quat_at(&span, PM_POSITIONS, k)};
        pm_rigid bind = {quat_of(joint->bind_rotation), quat_of(joint->bind_position)};
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

/* What a joint needs on the way: its matrix relative to the model, and three rows of its own. */
enum { JOINT_FLOATS = PM_MODEL_FLOATS + 12, JOINTS_ON_STACK = 512 };

/* `room` is for JOINT_FLOATS of each joint, padding too. */
static void put_matrices(const pm_instruction_set *set, const pm_crowd *crowd,
                         const pm_instance_state *state, pm_crowd_output output, float *room,
                         unsigned char *records) {
    const size_t padded = crowd->padded_joints;
    float(*models)[PM_MODEL_FLOATS] = (float(*)[PM_MODEL_FLOATS])room;
    float(*rows)[4] = (float(*)[4])(room + padded * PM_MODEL_FLOATS);
    const pm_matrix_rows local = {rows, rows + padded, rows + 2 * padded};
    set->local_matrices(crowd, state, &local);
    set->model_matrices(crowd, &local, models);
    set->bound_records(crowd, models, output, records);
}

/* Large skeletons need memory of their own. As much as fills cache lines: they have padding. */
static pm_status put_large(const pm_instruction_set *set, const pm_crowd *crowd,
                           const pm_instance_state *state, pm_crowd_output output,
                           unsigned char *records, pm_error *error) {
    float *room = aligned_alloc(PM_CACHE_LINE, crowd->padded_joints * JOINT_FLOATS * sizeof *room);
    if (!room)
        return pm_fail_memory(error);
    put_matrices(set, crowd, state, output, room, records);
    free(room);
    return PM_OK;
}

pm_status pm_crowd_pose_with(const pm_instruction_set *set, const pm_crowd *crowd,
                             const pm_crowd_instance *instance, pm_crowd_output output,
                             unsigned char *records, pm_error *error) {
    _Alignas(PM_CACHE_LINE) float room[JOINTS_ON_STACK * JOINT_FLOATS];
    pm_instance_state state;
    pm_instance_resolve(crowd, instance, &state);
    if (output == PM_CROWD_LOCAL)
        put_locals(set, crowd, &state, records);
    else if (output == PM_CROWD_DUAL)
        put_duals(set, crowd, &state, records);
    else if (crowd->padded_joints > JOINTS_ON_STACK)
        return put_large(set, crowd, &state, output, records, error);
    else
        put_matrices(set, crowd, &state, output, room, records);
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
    return status == PM_OK ? pm_crowd_pose_with(crowd->set, crowd, instance, output, records, error)
                           : status;
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
    const pm_crowd_instance *instance = &p->job->instances[i];
    size_t stride = pm_crowd_stride(p->crowd, output, target->stride);
    size_t bytes = p->crowd->skeleton->joint_count * pm_crowd_record_bytes(output);
    unsigned char *to = target->memory;
    if (!to)
        return;
    if (target->previous)
        memcpy((unsigned char *)target->previous + i * stride, to + i * stride, bytes);
    if (pm_crowd_is_updated(p->crowd, instance, i, p->job->frame) &&
        pm_crowd_pose_with(p->crowd->set, p->crowd, instance, output, to + i * stride, NULL) !=
            PM_OK)
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
    pm_run_parallel(pm_threads_of(crowd->engine, job->host_threads), runs, pose_runs, &p);
    return p.failed ? pm_fail_memory(error) : PM_OK;
}
