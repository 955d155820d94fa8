/* SPDX-License-Identifier: MIT
 *
 * Posing on the CPU: the instances of a request in lanes (lane_poses.c, bodies.c), and one instance alone, a
 * span of joints at a time (pose_joints.c, matrices.c). Both by the kernels' own headers.
 */
#include "pose_functions.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "cpu.h"
#include "lane_batch.h"

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
    if (!pm_is_per_joint(crowd, at->clip))
        input->cursor = pm_crowd_locate(crowd->timelines[crowd->clips[at->clip].timeline],
                                        crowd->times, at->time, at->clamps);
}

/* Layers without effect are left out. */
static void find_layers(const pm_crowd_data *crowd, const pm_posed *from,
                        pm_instance_state *state) {
    for (size_t n = 0; n < from->layer_count; n++) {
        const pm_input input = pm_layer_resolved(crowd, &from->layers[n]);
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
    if (from->given)
        return;
    const pm_resolved r = pm_instance_resolved(crowd, from->instance);
    state->in_place = r.in_place;
    if (!s->levels[r.level].whole)
        state->joints = s->level_joints + r.level * s->joint_count;
    for (size_t n = 0; n < PM_INPUTS; n++)
        locate_input(crowd, &r.inputs[n], &state->inputs[n]);
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
} span_walk;

/* Begins a walk. The large members are left as they are: walk_to() fills what is read. */
static void begin_walk(span_walk *w, const pm_pose_functions *set, const pm_crowd_data *crowd,
                       const pm_instance_state *state) {
    w->set = set;
    w->crowd = crowd;
    w->state = state;
    w->span = 0;
}

/* The place of a joint in its span, which is posed first where it is another one. */
static size_t walk_to(span_walk *w, size_t joint) {
    if (joint / PM_SPAN_JOINTS + 1 != w->span) {
        const size_t first = joint / PM_SPAN_JOINTS * PM_SPAN_JOINTS;
        w->span = joint / PM_SPAN_JOINTS + 1;
        w->set->local_poses(w->crowd, w->state, first, pm_span_joints(w->crowd, first), &w->poses);
    }
    return joint % PM_SPAN_JOINTS;
}

static void put_locals(const pm_pose_functions *set, const pm_crowd_data *crowd,
                       const pm_instance_state *state, const pm_joint_set *joints,
                       unsigned char *records) {
    span_walk w;
    begin_walk(&w, set, crowd, state);
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
    begin_walk(&w, set, crowd, state);
    for (size_t n = 0; n < joints->count; n++) {
        const pm_posed_joint at = joints->joints[n];
        const pm_joint *joint = &crowd->joints[at.joint];
        float words[8];
        const size_t k = walk_to(&w, at.joint);
        const pm_local pose = {.rotation = quat_at(&w.poses, PM_ROTATIONS, k),
                               .position = quat_at(&w.poses, PM_POSITIONS, k)};
        pm_rigid m = pm_rigid_of(pose, joint->parent_scale);
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

/* ---- instances in lanes --------------------------------------------------------------------- */

#define PM_LANES_ROW(set)                                                                          \
    {&pm_lane_count_##set, pm_lane_poses_##set, pm_bodies_##set, pm_lane_reach_##set,              \
     pm_lane_capture_##set},
static const pm_lane_functions lane_sets[] = {PM_INSTRUCTION_SETS(PM_LANES_ROW)};

void pm_cpu_capture(const pm_capture *capture) {
    lane_sets[capture->crowd->instruction_set].capture(capture);
}

size_t pm_cpu_local_bytes(const pm_pose_request *request) {
    const pm_crowd_data *crowd = request->crowd;
    return request->chains.count ? 12 * sizeof(float) * PM_MOST_LANES *
                                           (crowd->padded_joints + crowd->skeleton->joint_count) +
                                       crowd->skeleton->joint_count
                                 : 0;
}

/* Makes the memory of a batch: rows, if its request has states of bodies, and local poses, if it has chains. False: no
 * memory. The caller frees them, after a failure too. */
static bool make_rooms(pm_lane_batch *batch) {
    const pm_pose_request *r = batch->request;
    size_t words = 0;
    for (size_t t = 0; t < r->target_count; t++)
        if (pm_is_body_output(r->targets[t].view.output))
            words += r->targets[t].bytes / sizeof(float);
    batch->rows = words > 0 ? pm_allocate_lines(r->host, words * PM_CACHE_LINE) : NULL;
    batch->local = r->chains.count ? pm_allocate_lines(r->host, pm_cpu_local_bytes(r)) : NULL;
    return (batch->rows || words == 0) && (batch->local || r->chains.count == 0);
}

static void free_rooms(const pm_lane_batch *batch) {
    pm_release(batch->rows);
    pm_release(batch->local);
}

/* Poses the states of bodies of target `first`, and of those that are computed together with it. */
static void pose_bodies(const pm_lane_batch *batch, size_t first) {
    const pm_pose_request *r = batch->request;
    pm_lane_bodies targets = {.set = r->targets[first].view.set};
    for (size_t t = 0; t < r->target_count; t++) {
        const pm_pose_target *target = &r->targets[t];
        if (!pm_are_computed_together(target->view, r->targets[first].view))
            continue;
        if (t < first)
            return; /* with that target */
        targets.of[(unsigned)target->view.output - PM_CROWD_BODY_POS] = target;
    }
    lane_sets[r->crowd->instruction_set].bodies(batch, &targets);
}

static bool pose_targets(const pm_lane_batch *batch);

/* States of bodies, or an instance with chains or a transition, by a request of one instance. Not inlined, as
 * put_small() below: the room of one output is no other's. */
static __attribute__((noinline)) pm_status pose_request(const pm_crowd_data *crowd,
                                                        const pm_posed *from,
                                                        unsigned char *records, pm_error *error) {
    const pm_crowd_range range = {0, (uint32_t)from->layer_count};
    pm_pose_request request = {
        .host = from->host,
        .crowd = crowd,
        .instances = pm_in_memory(from->instance),
        .layers = pm_in_memory(from->layers),
        .ranges = pm_in_memory(from->layers ? &range : NULL),
        .poses = pm_in_memory(from->given),
        .goals = pm_in_memory(from->goals),
        .transitions = pm_in_memory(from->transition),
        .transition_time = from->transition_time,
        .plants = pm_in_memory(from->plants),
        .heights = pm_in_memory(from->heights),
        .grid = from->grid,
        .instance_count = 1,
        .layer_count = from->layer_count,
        .placements = pm_in_memory(from->placement),
        .speeds = pm_in_memory(from->speed),
        .target_count = 1,
        .targets = {{.view = from->view,
                     .flags = from->flags,
                     .to = pm_in_memory(records),
                     .bytes = pm_crowd_view_bytes(crowd->skeleton, from->view)}}};
    pm_lane_batch batch;
    batch.request = &request;
    batch.count = 1;
    batch.index[0] = batch.record[0] = 0;
    if (from->chains)
        request.chains = *from->chains;
    const bool posed = make_rooms(&batch) && pose_targets(&batch);
    free_rooms(&batch);
    return posed ? PM_OK : pm_fail_memory(error);
}

/* ---- records -------------------------------------------------------------------------------- */

/* Working memory per joint: its matrix relative to the model, and its three rows relative to the
 * parent. */
enum { JOINT_FLOATS = PM_MODEL_FLOATS + 12, JOINTS_ON_STACK = 320 };

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

static __attribute__((noinline)) void put_small(const pm_pose_functions *set,
                                                const pm_crowd_data *crowd,
                                                const pm_instance_state *state, pm_view view,
                                                unsigned char *records) {
    _Alignas(PM_CACHE_LINE) float room[JOINTS_ON_STACK * JOINT_FLOATS];
    put_matrices(set, crowd, state, view, room, records);
}

size_t pm_cpu_pose_bytes(const pm_crowd_data *crowd) {
    return crowd->padded_joints > JOINTS_ON_STACK
               ? crowd->padded_joints * JOINT_FLOATS * sizeof(float)
               : 0;
}

/* Large skeletons use heap memory. Its size is a multiple of a cache line, because joints are
 * padded. */
static pm_status put_large(const pm_pose_functions *set, const pm_crowd_data *crowd,
                           const pm_instance_state *state, const pm_posed *from,
                           unsigned char *records, pm_error *error) {
    float *room = pm_allocate_lines(from->host, pm_cpu_pose_bytes(crowd));
    if (!room)
        return pm_fail_memory(error);
    put_matrices(set, crowd, state, from->view, room, records);
    pm_release(room);
    return PM_OK;
}

pm_status pm_cpu_pose_one(const pm_crowd_data *crowd, const pm_posed *from, void *records,
                          pm_error *error) {
    const pm_pose_functions *set = &sets[crowd->instruction_set];
    const unsigned form = pm_crowd_outputs[from->view.output].form;
    const pm_joint_set *joints = &crowd->skeleton->sets[from->view.set];
    pm_instance_state state;
    if (form == PM_FORM_BODY || from->chains || from->transition)
        return pose_request(crowd, from, records, error);
    find_state(crowd, from, &state);
    if (form == PM_FORM_LOCAL)
        put_locals(set, crowd, &state, joints, records);
    else if (form == PM_FORM_RIGID)
        put_duals(set, crowd, &state, joints, records);
    else if (crowd->padded_joints > JOINTS_ON_STACK)
        return put_large(set, crowd, &state, from, records, error);
    else
        put_small(set, crowd, &state, from->view, records);
    return PM_OK;
}

/* Work items that a thread has at least where there are enough instances, and the fewest joints of a thread: they take
 * four times as long as waking it. States of bodies take somewhat longer than palettes. */
enum { THREAD_ITEMS = 4, MIN_JOINTS = 8000 };

typedef struct posing {
    const pm_pose_request *request;
    size_t run;         /* instances of a work item */
    atomic_bool failed; /* out of memory */
} posing;

/* Adds the instance of entry `entry`, if it exists and is updated. */
static void add_entry(pm_lane_batch *batch, size_t entry) {
    const pm_pose_request *r = batch->request;
    const uint32_t *indices = r->indices.memory;
    const size_t i = indices ? indices[entry] : entry;
    batch->index[batch->count] = i;
    batch->record[batch->count] = r->packed ? entry : i;
    batch->count += pm_pose_computes(r, i);
}

/* An instance without placement and speed, which only bodies have. */
static pm_posed posed_of(const pm_pose_request *r, pm_view view, size_t i) {
    const pm_crowd_instance *instances = r->instances.memory;
    const pm_crowd_layer *layers = r->layers.memory;
    const pm_crowd_range *ranges = r->ranges.memory;
    const char *poses = r->poses.memory;
    pm_posed from = {
        .host = r->host, .view = view, .given = poses ? poses + i * r->pose_stride : NULL};
    if (instances)
        from.instance = &instances[i];
    if (layers) {
        const pm_range range =
            pm_range_within((pm_range){ranges[i].first, ranges[i].count}, (pm_u32)r->layer_count);
        from.layers = layers + (range.count ? range.first : 0);
        from.layer_count = range.count;
    }
    return from;
}

/* A vector costs as much as three quarters of its lanes one by one, with joints in lanes. Transitions are in lanes
 * of instances alone. */
static size_t count_in_lanes(const pm_lane_batch *batch) {
    const size_t lanes = *lane_sets[batch->request->crowd->instruction_set].lanes;
    const size_t rest = batch->count % lanes;
    return 4 * rest < 3 * lanes && !pm_is_given(&batch->request->transitions) ? batch->count - rest
                                                                              : batch->count;
}

/* Some targets of the batch's places from `from` on, one by one. */
static bool pose_each(const pm_lane_batch *batch, size_t from, const pm_pose_target *target) {
    const pm_pose_request *r = batch->request;
    bool posed = true;
    for (size_t i = from; i < batch->count; i++) {
        const pm_posed of = posed_of(r, target->view, batch->index[i]);
        posed &= pm_cpu_pose_one(r->crowd, &of, pm_lane_records(batch, i, target), NULL) == PM_OK;
    }
    return posed;
}

/* Likewise with chains: their local poses, the chains, and all targets of the request. */
static bool reach_each(const pm_lane_batch *batch, size_t from) {
    const pm_pose_request *r = batch->request;
    const size_t bytes = pm_pose_local_bytes(r), pose = bytes / sizeof(float);
    float *local = pm_lane_local_records(batch);
    bool posed = true;
    for (size_t i = from; i < batch->count; i++) {
        const pm_posed of = posed_of(r, (pm_view){PM_CROWD_LOCAL, 0}, batch->index[i]);
        posed &= pm_cpu_pose_one(r->crowd, &of, local + (i - from) * pose, NULL) == PM_OK;
    }
    lane_sets[r->crowd->instruction_set].reach(batch, from, local, pose);
    for (size_t t = 0; t < r->target_count; t++)
        for (size_t i = from; i < batch->count; i++) {
            const pm_posed of = {
                .host = r->host, .view = r->targets[t].view, .given = local + (i - from) * pose};
            posed &= pm_cpu_pose_one(r->crowd, &of, pm_lane_records(batch, i, &r->targets[t]),
                                     NULL) == PM_OK;
        }
    return posed;
}

/* False: out of memory. */
static bool pose_targets(const pm_lane_batch *batch) {
    const pm_pose_request *r = batch->request;
    const size_t in_lanes = count_in_lanes(batch), at_once = r->chains.count ? r->target_count : 1;
    bool posed = true;
    for (size_t t = 0; t < r->target_count; t += at_once)
        if (pm_is_body_output(r->targets[t].view.output)) {
            pose_bodies(batch, t);
        } else {
            if (in_lanes)
                lane_sets[r->crowd->instruction_set].poses(batch, in_lanes, &r->targets[t],
                                                           at_once);
            if (in_lanes < batch->count)
                posed &= r->chains.count ? reach_each(batch, in_lanes)
                                         : pose_each(batch, in_lanes, &r->targets[t]);
        }
    return posed;
}

static void pose_piece(posing *p, const pm_piece *piece, pm_lane_batch *batch) {
    for (size_t i = 0; i < piece->count; i++) {
        add_entry(batch, piece->from + i);
        if (batch->count == PM_LANE_BATCH || (batch->count && i + 1 == piece->count)) {
            if (!pose_targets(batch))
                p->failed = true;
            batch->count = 0;
        }
    }
}

static void pose_runs(void *context, pm_items *items) {
    posing *p = context;
    size_t item;
    pm_lane_batch batch;
    batch.request = p->request;
    batch.count = 0;
    if (!make_rooms(&batch)) {
        free_rooms(&batch);
        p->failed = true;
        return;
    }
    while (pm_take_item(items, &item)) {
        const pm_piece piece = pm_piece_at(pm_pose_entries(p->request), p->run, item);
        if (!p->request->indices.memory)
            pm_pose_keep_previous(p->request, &piece);
        pose_piece(p, &piece, &batch);
    }
    free_rooms(&batch);
}

static size_t threads_of(const pm_pose_request *r) {
    double joints = 0;
    for (size_t i = 0; i < r->target_count; i++)
        if (!pm_pose_is_computed(r, i))
            joints += (double)r->crowd->skeleton->sets[r->targets[i].view.set].count *
                      (double)pm_pose_entries(r);
    const double fitting = fmax(joints / MIN_JOINTS, 1);
    return fitting < (double)r->host_threads ? (size_t)fitting : r->host_threads;
}

/* Instances of a work item: at most a batch, and whole vectors of lanes, because one that is not full takes as
 * long. */
static size_t run_of(const pm_pose_request *r, size_t threads) {
    const size_t lanes = *lane_sets[r->crowd->instruction_set].lanes;
    const size_t entries = pm_pose_entries(r), share = entries / threads + 1;
    const size_t run = entries / (THREAD_ITEMS * threads);
    if (run >= PM_LANE_BATCH)
        return PM_LANE_BATCH;
    if (run >= lanes)
        return run / lanes * lanes;
    return share < lanes ? share : lanes;
}

pm_status pm_cpu_pose(const pm_pose_request *request, pm_error *error) {
    const size_t threads = threads_of(request);
    posing p = {.request = request, .run = run_of(request, threads)};
    if (request->indices.memory)
        pm_pose_keep_previous(request, &(pm_piece){0, pm_pose_records(request)});
    const pm_status status =
        pm_run_pieces(request->host, threads, pm_piece_count(pm_pose_entries(request), p.run),
                      pose_runs, &p, error);
    return status == PM_OK && p.failed ? pm_fail_memory(error) : status;
}
