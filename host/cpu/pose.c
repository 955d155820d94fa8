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
#include "kernels/pm_body.h"
#include "kernels/pm_motion.h"

#define PM_POSE_ROW(set)                                                                           \
    {pm_local_poses_##set, pm_local_rates_##set, pm_local_matrices_##set, pm_matrix_records_##set},
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

/* Layers without effect are left out. */
static void find_layers(const pm_crowd_data *crowd, const pm_posed *from,
                        pm_instance_state *state) {
    for (size_t n = 0; n < from->layer_count; n++) {
        const pm_crowd_layer *l = &from->layers[n];
        const pm_layer same = {l->time, l->clip, l->weight, l->mask, l->op, l->flags, l->reserved};
        const pm_input input =
            pm_layer_resolve(same, (pm_u32)crowd->clip_count, (pm_u32)crowd->skeleton->mask_count);
        if (input.op != PM_OP_NONE)
            locate_input(crowd, &input, &state->inputs[state->input_count++]);
    }
}

static void find_state(const pm_crowd_data *crowd, const pm_posed *from, pm_instance_state *state) {
    const pm_skeleton *s = crowd->skeleton;
    state->moved = crowd->sets[from->view.set].moved;
    state->given = from->given;
    state->input_count = PM_INPUTS;
    state->joints = NULL;
    state->in_place = false;
    state->speed = from->speed ? *from->speed : 1.0f;
    if (from->given)
        return;
    const pm_resolved r = pm_instance_resolved(crowd, from->instance);
    state->in_place = r.in_place;
    if (!s->levels[r.level].whole)
        state->joints = s->level_joints + r.level * s->joint_count;
    for (size_t n = 0; n < PM_INPUTS; n++)
        locate_input(crowd, &r.inputs[n], &state->inputs[n]);
    if (pm_is_body_output(from->view.output))
        state->inputs[1].at.op = PM_OP_NONE;
    find_layers(crowd, from, state);
}

void pm_cpu_root_pose(const pm_crowd_data *crowd, const pm_input *input, float rotation[4],
                      float position[3]) {
    pm_instance_state state;
    pm_pose_span span;
    state.input_count = PM_INPUTS;
    state.in_place = false;
    state.joints = NULL;
    state.moved = crowd->sets[0].moved;
    state.given = NULL;
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

/* The joints of a set, one after another, with their local poses a span at a time. */
typedef struct span_walk {
    const pm_pose_functions *set;
    const pm_crowd_data *crowd;
    const pm_instance_state *state;
    size_t span; /* number of the present span, and 1 */
    pm_pose_span poses;
    pm_rate_span *rates; /* NULL: none */
} span_walk;

/* Begins a walk. The large members are left as they are: walk_to() fills what is read. */
static void begin_walk(span_walk *w, const pm_pose_functions *set, const pm_crowd_data *crowd,
                       const pm_instance_state *state, pm_rate_span *rates) {
    w->set = set;
    w->crowd = crowd;
    w->state = state;
    w->span = 0;
    w->rates = rates;
}

/* The place of a joint in its span, which is posed first where it is another one. */
static size_t walk_to(span_walk *w, size_t joint) {
    if (joint / PM_SPAN_JOINTS + 1 != w->span) {
        const size_t first = joint / PM_SPAN_JOINTS * PM_SPAN_JOINTS;
        w->span = joint / PM_SPAN_JOINTS + 1;
        w->set->local_poses(w->crowd, w->state, first, pm_span_joints(w->crowd, first), &w->poses);
        if (w->rates)
            w->set->local_rates(w->crowd, w->state, first, pm_span_joints(w->crowd, first),
                                w->rates);
    }
    return joint % PM_SPAN_JOINTS;
}

static void put_locals(const pm_pose_functions *set, const pm_crowd_data *crowd,
                       const pm_instance_state *state, const pm_joint_set *joints,
                       unsigned char *records) {
    span_walk w;
    begin_walk(&w, set, crowd, state, NULL);
    for (size_t n = 0; n < joints->count; n++) {
        const pm_posed_joint at = joints->joints[n];
        float words[PM_CHANNEL_COUNT][4];
        if (at.record == PM_NO_RECORD)
            continue;
        const size_t k = walk_to(&w, at.joint);
        for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
            put_quat(words[c], quat_at(&w.poses, c, k));
        memcpy(records + at.record * sizeof words, words, sizeof words);
    }
}

PM_CLONES static void put_duals(const pm_pose_functions *set, const pm_crowd_data *crowd,
                                const pm_instance_state *state, const pm_joint_set *joints,
                                unsigned char *records) {
    pm_rigid slots[PM_SLOTS];
    span_walk w;
    begin_walk(&w, set, crowd, state, NULL);
    for (size_t n = 0; n < joints->count; n++) {
        const pm_posed_joint at = joints->joints[n];
        const pm_joint *joint = &crowd->joints[at.joint];
        float words[8];
        const size_t k = walk_to(&w, at.joint);
        pm_rigid m = {quat_at(&w.poses, PM_ROTATIONS, k), quat_at(&w.poses, PM_POSITIONS, k)};
        pm_rigid bind = {quat_of(joint->bind_rotation), quat_of(joint->bind_position)};
        if (joint->parent != PM_NO_SLOT)
            m = pm_rigid_product(slots[joint->parent], m);
        if (joint->slot != PM_NO_SLOT)
            slots[joint->slot] = m;
        if (at.record == PM_NO_RECORD)
            continue;
        m = pm_rigid_product(m, bind);
        put_quat(words, m.rotation);
        put_quat(words + 4, pm_rigid_dual(m));
        memcpy(records + at.record * sizeof words, words, sizeof words);
    }
}

/* ---- states of bodies ----------------------------------------------------------------------- */

/* Where the states of an instance's bodies go. */
typedef struct body_memory {
    unsigned char *of[PM_BODY_OUTPUTS]; /* NULL: not computed */
    uint64_t flags[PM_BODY_OUTPUTS];
} body_memory;

static bool wants_rates(const body_memory *to) {
    bool found = false;
    for (unsigned o = 0; o < PM_BODY_OUTPUTS; o++)
        found = found || (to->of[o] && PM_BODY_RATES >> o & 1);
    return found;
}

static void put_number(const body_memory *to, unsigned output, size_t record, float number) {
    if (to->of[output])
        memcpy(to->of[output] + record * sizeof number, &number, sizeof number);
}

static void put_vector(const body_memory *to, unsigned output, size_t record, pm_quat v) {
    const pm_quat sum = pm_rate_of(v, 1.0f);
    const float words[3] = {sum.x, sum.y, sum.z};
    if (to->of[output])
        memcpy(to->of[output] + record * sizeof words, words, sizeof words);
}

static void put_turn(const body_memory *to, unsigned output, size_t record, pm_quat q) {
    float words[4];
    if (!to->of[output])
        return;
    put_quat(words, to->flags[output] & PM_TARGET_SCALAR_FIRST ? pm_scalar_first(q) : q);
    memcpy(to->of[output] + record * sizeof words, words, sizeof words);
}

static bool keeps_rest(const pm_instance_state *state, const pm_joint *joint) {
    const pm_u32 has = state->joints ? state->joints[joint->number] : 1;
    return state->inputs[0].at.op == PM_OP_NONE ||
           pm_keeps_rest(has, joint->number, state->in_place);
}

static pm_quat rate_at(const span_walk *w, const pm_joint *joint, unsigned c, size_t k) {
    float(*of)[PM_SPAN_JOINTS] = w->rates->of[c];
    if (!(joint->animated >> c & 1) || keeps_rest(w->state, joint))
        return pm_quat_of(0.0f, 0.0f, 0.0f, 0.0f);
    return pm_quat_of(of[0][k], of[1][k], of[2][k], 0.0f);
}

/* A joint relative to its parent, and of a hinge its angle with the rate. */
typedef struct local_body {
    pm_body body;
    float angle, rate;
} local_body;

/* A hinge, whose position is its angle. It rests at its reference. */
static local_body hinged(const span_walk *w, const pm_joint *joint, local_body own) {
    const pm_hinge *from = &w->crowd->skeleton->hinges[joint->number];
    const pm_hinge_axis hinge = {{from->axis[0], from->axis[1], from->axis[2]}, from->reference};
    if (!pm_is_hinge(hinge))
        return own;
    own.angle = keeps_rest(w->state, joint) ? hinge.reference : own.body.position.x;
    own.rate = own.body.velocity.x;
    own.body = pm_body_of_hinge(hinge, quat_of(joint->rotation), quat_of(joint->position),
                                own.angle, own.rate);
    return own;
}

static local_body local_body_of(span_walk *w, size_t number) {
    const pm_joint *joint = &w->crowd->joints[number];
    const size_t k = walk_to(w, number);
    pm_body body = {.rotation = quat_at(&w->poses, PM_ROTATIONS, k),
                    .position = quat_at(&w->poses, PM_POSITIONS, k)};
    if (w->rates) {
        body.spin = rate_at(w, joint, PM_ROTATIONS, k);
        body.velocity = rate_at(w, joint, PM_POSITIONS, k);
    }
    const local_body own = {.body = body};
    return w->crowd->skeleton->hinges ? hinged(w, joint, own) : own;
}

static void put_body(const pm_crowd_data *crowd, const body_memory *to, const pm_posed_joint *at,
                     local_body own, pm_body body) {
    pm_quat velocity = body.velocity;
    if (to->flags[PM_BODY_VEL] & PM_TARGET_AT_POINT)
        velocity = pm_velocity_at(body, quat_of(crowd->skeleton->points + (size_t)4 * at->joint));
    if (to->of[PM_BODY_POS]) {
        const float words[3] = {body.position.x, body.position.y, body.position.z};
        memcpy(to->of[PM_BODY_POS] + at->record * sizeof words, words, sizeof words);
    }
    put_turn(to, PM_BODY_ROT, at->record, body.rotation);
    put_vector(to, PM_BODY_VEL, at->record, velocity);
    put_vector(to, PM_BODY_ANG_VEL, at->record, body.spin);
    put_turn(to, PM_BODY_LOCAL_ROT, at->record, own.body.rotation);
    put_vector(to, PM_BODY_LOCAL_ANG_VEL, at->record, own.body.spin);
    put_number(to, PM_BODY_ANGLE, at->record, own.angle);
    put_number(to, PM_BODY_ANGLE_RATE, at->record, pm_positive_zero(own.rate));
}

PM_CLONES static void put_bodies(const pm_pose_functions *set, const pm_crowd_data *crowd,
                                 const pm_instance_state *state, const pm_joint_set *joints,
                                 const pm_placement *placement, const body_memory *to) {
    const bool moves = wants_rates(to);
    pm_body slots[PM_SLOTS], root = {.velocity = {0}};
    pm_rate_span rates;
    span_walk w;
    begin_walk(&w, set, crowd, state,
               moves && state->inputs[0].at.op != PM_OP_NONE ? &rates : NULL);
    if (placement) {
        root.rotation = quat_of(placement->rotation);
        root.position = quat_of(placement->position);
        root.position.w = 0.0f;
    }
    for (size_t n = 0; n < joints->count; n++) {
        const pm_posed_joint at = joints->joints[n];
        const pm_joint *joint = &crowd->joints[at.joint];
        const local_body own = local_body_of(&w, at.joint);
        pm_body body;
        if (joint->parent != PM_NO_SLOT)
            body = pm_body_product(slots[joint->parent], own.body, moves);
        else
            body = placement ? pm_body_product(root, own.body, moves) : pm_body_of_root(own.body);
        if (joint->slot != PM_NO_SLOT)
            slots[joint->slot] = body;
        if (at.record != PM_NO_RECORD)
            put_body(crowd, to, &at, own, body);
    }
}

/* ---- records -------------------------------------------------------------------------------- */

/* Working memory per joint: its matrix relative to the model, and its three rows relative to the
 * parent. */
enum { JOINT_FLOATS = PM_MODEL_FLOATS + 12, JOINTS_ON_STACK = 512 };

/* `room` holds JOINT_FLOATS floats per joint, padding included. */
static void put_matrices(const pm_pose_functions *set, const pm_crowd_data *crowd,
                         const pm_instance_state *state, pm_view view, float *room,
                         unsigned char *records) {
    const size_t padded = crowd->padded_joints;
    float(*models)[PM_MODEL_FLOATS] = (float(*)[PM_MODEL_FLOATS])room;
    float(*rows)[4] = (float(*)[4])(room + padded * PM_MODEL_FLOATS);
    const pm_matrix_rows local = {rows, rows + padded, rows + 2 * padded};
    set->local_matrices(crowd, state, &local);
    set->matrix_records(crowd, &local, models, view, records);
}

/* Large skeletons use heap memory. Its size is a multiple of a cache line, because joints are
 * padded. */
static pm_status put_large(const pm_pose_functions *set, const pm_crowd_data *crowd,
                           const pm_instance_state *state, pm_view view, unsigned char *records,
                           pm_error *error) {
    float *room = aligned_alloc(PM_CACHE_LINE, crowd->padded_joints * JOINT_FLOATS * sizeof *room);
    if (!room)
        return pm_fail_memory(error);
    put_matrices(set, crowd, state, view, room, records);
    free(room);
    return PM_OK;
}

static pm_status pose_instance(const pm_pose_functions *set, const pm_crowd_data *crowd,
                               const pm_posed *from, unsigned char *records, pm_error *error) {
    _Alignas(PM_CACHE_LINE) float room[JOINTS_ON_STACK * JOINT_FLOATS];
    const unsigned form = pm_crowd_outputs[from->view.output].form;
    const pm_joint_set *joints = &crowd->skeleton->sets[from->view.set];
    pm_instance_state state;
    find_state(crowd, from, &state);
    if (form == PM_FORM_BODY) {
        body_memory to = {.of = {NULL}};
        to.of[from->view.output - PM_CROWD_BODY_POS] = records;
        put_bodies(set, crowd, &state, joints, from->placement, &to);
    } else if (form == PM_FORM_LOCAL)
        put_locals(set, crowd, &state, joints, records);
    else if (form == PM_FORM_RIGID)
        put_duals(set, crowd, &state, joints, records);
    else if (crowd->padded_joints > JOINTS_ON_STACK)
        return put_large(set, crowd, &state, from->view, records, error);
    else
        put_matrices(set, crowd, &state, from->view, room, records);
    return PM_OK;
}

pm_status pm_cpu_pose_with(size_t instruction_set, const pm_crowd_data *crowd, const pm_posed *from,
                           void *records, pm_error *error) {
    return pose_instance(&sets[instruction_set], crowd, from, records, error);
}

pm_status pm_cpu_pose_one(const pm_crowd_data *crowd, const pm_posed *from, void *records,
                          pm_error *error) {
    return pose_instance(&sets[crowd->instruction_set], crowd, from, records, error);
}

/* Joints of a work item, and the fewest that repay starting a thread: a tenth of a millisecond. */
enum { RUN_JOINTS = 1 << 12, MIN_JOINTS = 1 << 13 };

typedef struct posing {
    const pm_pose_request *request;
    const pm_pose_functions *set;
    size_t run;         /* instances of a work item */
    atomic_bool failed; /* out of memory */
} posing;

/* What instance i of a request is posed from. */
static pm_posed posed_of(const pm_pose_request *r, size_t i) {
    pm_posed from = {.given = NULL};
    if (r->poses)
        from.given = r->poses + i * r->pose_stride;
    else
        from.instance = &r->instances[i];
    if (r->layers) {
        const pm_range range = pm_range_within((pm_range){r->ranges[i].first, r->ranges[i].count},
                                               (pm_u32)r->layer_count);
        from.layers = r->layers + (range.count ? range.first : 0);
        from.layer_count = range.count;
    }
    from.placement = r->placements ? &r->placements[i] : NULL;
    from.speed = r->speeds ? &r->speeds[i] : NULL;
    return from;
}

/* Poses the states of bodies of target `first` and of those after it with the same joints. */
static void pose_bodies(posing *p, const pm_posed *from, size_t first, size_t record) {
    const pm_pose_request *r = p->request;
    body_memory to = {.of = {NULL}};
    pm_instance_state state;
    for (size_t t = first; t < r->target_count; t++) {
        const pm_pose_target *target = &r->targets[t];
        if (!pm_are_computed_together(target->view, from->view))
            continue;
        const unsigned output = (unsigned)target->view.output - PM_CROWD_BODY_POS;
        to.of[output] = target->memory + record * target->stride;
        to.flags[output] = target->flags;
    }
    find_state(r->crowd, from, &state);
    put_bodies(p->set, r->crowd, &state, &r->crowd->skeleton->sets[from->view.set], from->placement,
               &to);
}

/* Whether a target before this one poses its bodies. */
static bool is_posed(const pm_pose_request *r, size_t target) {
    bool found = false;
    for (size_t t = 0; t < target; t++)
        found = found || pm_are_computed_together(r->targets[t].view, r->targets[target].view);
    return found;
}

static void pose_entry(posing *p, size_t entry) {
    const pm_pose_request *r = p->request;
    const size_t i = r->indices ? r->indices[entry] : entry, record = r->packed ? entry : i;
    if (i >= r->instance_count)
        return;
    pm_posed from = posed_of(r, i);
    if (!from.given && !pm_instance_is_update_due(r->crowd, from.instance, r->first + i, r->frame))
        return;
    for (size_t t = 0; t < r->target_count; t++) {
        from.view = r->targets[t].view;
        if (pm_is_body_output(from.view.output)) {
            if (!is_posed(r, t))
                pose_bodies(p, &from, t, record);
        } else if (pose_instance(p->set, r->crowd, &from,
                                 r->targets[t].memory + record * r->targets[t].stride,
                                 NULL) != PM_OK)
            p->failed = true;
    }
}

static void pose_runs(void *context, pm_items *items) {
    posing *p = context;
    size_t item;
    while (pm_take_item(items, &item)) {
        const pm_piece piece = pm_piece_at(pm_pose_entries(p->request), p->run, item);
        if (!p->request->indices)
            pm_pose_keep_previous(p->request, &piece);
        for (size_t i = piece.from; i < piece.from + piece.count; i++)
            pose_entry(p, i);
    }
}

/* A product of joints does not overflow: each has a record. */
static size_t threads_of(const pm_pose_request *r) {
    const size_t joints = r->target_count * pm_pose_entries(r) * r->crowd->skeleton->joint_count;
    const size_t most = joints / MIN_JOINTS > 0 ? joints / MIN_JOINTS : 1;
    return most < r->host_threads ? most : r->host_threads;
}

pm_status pm_cpu_pose(const pm_pose_request *request, pm_error *error) {
    const size_t run = RUN_JOINTS / request->crowd->skeleton->joint_count;
    posing p = {.request = request,
                .set = &sets[request->crowd->instruction_set],
                .run = run > 0 ? run : 1};
    if (request->indices)
        pm_pose_keep_previous(request, &(pm_piece){0, pm_pose_records(request)});
    pm_run_parallel(threads_of(request), pm_piece_count(pm_pose_entries(request), p.run), pose_runs,
                    &p);
    return p.failed ? pm_fail_memory(error) : PM_OK;
}
