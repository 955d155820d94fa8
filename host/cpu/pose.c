/* SPDX-License-Identifier: MIT
 *
 * Posing on the CPU: one instance after another, a span of joints at a time, by the kernels' own
 * headers (pose_joints.c, matrices.c).
 */
#include "pose_functions.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cpu.h"
#include "kernels/pm_pose.h"

#define PM_POSE_ROW(set) {pm_local_poses_##set, pm_local_matrices_##set, pm_matrix_records_##set},
static const pm_pose_functions sets[] = {PM_INSTRUCTION_SETS(PM_POSE_ROW)};

/* Fills the input in place: copying fields that were just stored would stall on the stores. */
static void locate_input(const pm_crowd_data *crowd, const pm_input *at, pm_located_input *input) {
    input->at.op = at->op;
    if (at->op == PM_OP_NONE)
        return;
    input->at.time = at->time;
    input->at.clip = at->clip;
    input->at.clamps = at->clamps;
    input->at.weight = at->weight;
    input->mask = crowd->skeleton->masks + at->mask * crowd->skeleton->joint_count;
    input->cursor = (pm_cursor){0, 0};
    if (!crowd->per_joint)
        input->cursor = pm_crowd_locate(crowd->timelines[crowd->clips[at->clip].timeline],
                                        crowd->times, at->time, at->clamps);
}

static void find_state(const pm_crowd_data *crowd, const pm_crowd_instance *instance,
                       pm_instance_state *state) {
    const pm_skeleton *s = crowd->skeleton;
    const pm_resolved r = pm_instance_resolved(crowd, instance);
    state->in_place = r.in_place;
    state->joints = s->levels[r.level].whole ? NULL : s->level_joints + r.level * s->joint_count;
    for (size_t n = 0; n < PM_INPUTS; n++)
        locate_input(crowd, &r.inputs[n], &state->inputs[n]);
}

void pm_cpu_root_pose(const pm_crowd_data *crowd, const pm_input *input, float rotation[4],
                      float position[3]) {
    pm_instance_state state = {.in_place = false};
    pm_pose_span span;
    for (size_t n = 0; n < PM_INPUTS; n++)
        locate_input(crowd, n == 0 ? input : &(pm_input){.op = PM_OP_NONE}, &state.inputs[n]);
    sets[crowd->instruction_set].local_poses(crowd, &state, 0, PM_TRACK_GROUP, &span);
    for (size_t i = 0; i < 4; i++)
        rotation[i] = span.of[PM_ROTATIONS][i][0];
    for (size_t i = 0; i < 3; i++)
        position[i] = span.of[PM_POSITIONS][i][0];
}

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

static void put_locals(const pm_pose_functions *set, const pm_crowd_data *crowd,
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

PM_CLONES static void put_duals(const pm_pose_functions *set, const pm_crowd_data *crowd,
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

/* Working memory per joint: its matrix relative to the model, and its three rows relative to the
 * parent. */
enum { JOINT_FLOATS = PM_MODEL_FLOATS + 12, JOINTS_ON_STACK = 512 };

/* `room` holds JOINT_FLOATS floats per joint, padding included. */
static void put_matrices(const pm_pose_functions *set, const pm_crowd_data *crowd,
                         const pm_instance_state *state, const pm_crowd_output_row *output,
                         float *room, unsigned char *records) {
    const size_t padded = crowd->padded_joints;
    float(*models)[PM_MODEL_FLOATS] = (float(*)[PM_MODEL_FLOATS])room;
    float(*rows)[4] = (float(*)[4])(room + padded * PM_MODEL_FLOATS);
    const pm_matrix_rows local = {rows, rows + padded, rows + 2 * padded};
    set->local_matrices(crowd, state, &local);
    set->matrix_records(crowd, &local, models, output, records);
}

/* Large skeletons use heap memory. Its size is a multiple of a cache line, because joints are
 * padded. */
static pm_status put_large(const pm_pose_functions *set, const pm_crowd_data *crowd,
                           const pm_instance_state *state, const pm_crowd_output_row *output,
                           unsigned char *records, pm_error *error) {
    float *room = aligned_alloc(PM_CACHE_LINE, crowd->padded_joints * JOINT_FLOATS * sizeof *room);
    if (!room)
        return pm_fail_memory(error);
    put_matrices(set, crowd, state, output, room, records);
    free(room);
    return PM_OK;
}

static pm_status pose_instance(const pm_pose_functions *set, const pm_crowd_data *crowd,
                               const pm_crowd_instance *instance, unsigned output,
                               unsigned char *records, pm_error *error) {
    _Alignas(PM_CACHE_LINE) float room[JOINTS_ON_STACK * JOINT_FLOATS];
    const pm_crowd_output_row *row = &pm_crowd_outputs[output];
    pm_instance_state state;
    find_state(crowd, instance, &state);
    if (row->form == PM_FORM_LOCAL)
        put_locals(set, crowd, &state, records);
    else if (row->form == PM_FORM_RIGID)
        put_duals(set, crowd, &state, records);
    else if (crowd->padded_joints > JOINTS_ON_STACK)
        return put_large(set, crowd, &state, row, records, error);
    else
        put_matrices(set, crowd, &state, row, room, records);
    return PM_OK;
}

pm_status pm_cpu_pose_with(size_t instruction_set, const pm_crowd_data *crowd,
                           const pm_crowd_instance *instance, pm_crowd_output output, void *records,
                           pm_error *error) {
    return pose_instance(&sets[instruction_set], crowd, instance, output, records, error);
}

pm_status pm_cpu_pose_one(const pm_crowd_data *crowd, const pm_crowd_instance *instance,
                          pm_crowd_output output, void *records, pm_error *error) {
    return pose_instance(&sets[crowd->instruction_set], crowd, instance, output, records, error);
}

/* Joints of a work item, and the fewest that repay starting a thread: a tenth of a millisecond. */
enum { RUN_JOINTS = 1 << 12, MIN_JOINTS = 1 << 13 };

typedef struct posing {
    const pm_pose_request *request;
    const pm_pose_functions *set;
    size_t run;         /* instances of a work item */
    atomic_bool failed; /* out of memory */
} posing;

static void pose_outputs(posing *p, size_t i) {
    const pm_pose_request *r = p->request;
    const pm_crowd_instance *instance = &r->instances[i];
    const bool is_due = pm_instance_is_update_due(r->crowd, instance, r->first + i, r->frame);
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++) {
        unsigned char *to = r->targets[o].memory;
        if (!to)
            continue;
        pm_pose_keep_previous(r, o, i);
        if (is_due && pose_instance(p->set, r->crowd, instance, o, to + i * r->targets[o].stride,
                                    NULL) != PM_OK)
            p->failed = true;
    }
}

static void pose_runs(void *context, pm_items *items) {
    posing *p = context;
    size_t item;
    while (pm_take_item(items, &item)) {
        const pm_piece piece = pm_piece_at(p->request->instance_count, p->run, item);
        for (size_t i = piece.from; i < piece.from + piece.count; i++)
            pose_outputs(p, i);
    }
}

/* A product of joints does not overflow: each has a record. */
static size_t threads_of(const pm_pose_request *r) {
    size_t joints = 0;
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++)
        joints += r->targets[o].memory ? r->instance_count * r->crowd->skeleton->joint_count : 0;
    const size_t most = joints / MIN_JOINTS > 0 ? joints / MIN_JOINTS : 1;
    return most < r->host_threads ? most : r->host_threads;
}

pm_status pm_cpu_pose(const pm_pose_request *request, pm_error *error) {
    const size_t run = RUN_JOINTS / request->crowd->skeleton->joint_count;
    posing p = {.request = request,
                .set = &sets[request->crowd->instruction_set],
                .run = run > 0 ? run : 1};
    pm_run_parallel(threads_of(request), pm_piece_count(request->instance_count, p.run), pose_runs,
                    &p);
    return p.failed ? pm_fail_memory(error) : PM_OK;
}
