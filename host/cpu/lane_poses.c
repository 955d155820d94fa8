/* SPDX-License-Identifier: MIT
 *
 * Poses on the host, an instance per lane: a block of joints is sampled from each input and
 * blended, then its joints are carried down the hierarchy. Compiled once for each instruction set. The bits of
 * a lane do not depend on those beside it.
 */
#include "lanes.h"

#include "lane_reaching.h"

#include <math.h>

const size_t PM_SET_NAME(pm_lane_count) = PM_LANES;

/* An input of each lane's instance: a clip at a time, and what its sample does to the pose so far. */
typedef struct lane_input {
    pm_lane_times times;
    float weight[PM_LANES], op[PM_LANES];
    pm_u32 mask[PM_LANES];
    pm_u32 ops;  /* of all lanes */
    bool masked; /* some lane has a mask */
    pm_lane_places places;
} lane_input;

/* Lanes that are posed together. */
typedef struct lane_group {
    const pm_lane_batch *batch;
    const pm_crowd_data *crowd;
    size_t first, count;          /* instances */
    pm_lane_locals locals;        /* with chains */
    const float *given[PM_LANES]; /* local poses in place of inputs */
    bool is_given;
    pm_lane_levels levels;
    unsigned char *to[PM_LANES];
    lane_input inputs[PM_INPUTS];
    bool per_joint; /* joints of some input have timelines: joints are posed one at a time */
    bool transits;  /* some lane is in transition */
    const float *states[PM_LANES];
    float durations[PM_LANES], passed[PM_LANES];
    pm_range layers[PM_LANES];
    pm_u32 most_layers;
    lane_input kept[PM_KEPT_LAYERS]; /* the first layers; those behind are found for each block */
} lane_group;

static size_t index_of(const lane_group *g, size_t lane) {
    return g->batch->index[pm_lane_place(g->batch, g->first, lane)];
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static void set_input(const lane_group *g, lane_input *to, size_t lane, const pm_input *from) {
    pm_lane_set_time(&to->times, lane, g->crowd, from);
    to->weight[lane] = from->weight;
    to->op[lane] = (float)from->op;
    to->mask[lane] = from->mask;
    to->ops |= from->op;
    to->masked = to->masked || from->mask;
}

/* Unless joints have timelines: then each of them is located. */
static void locate(lane_group *g, lane_input *input) {
    input->places.per_joint = pm_lanes_per_joint(g->crowd, &input->times);
    g->per_joint = g->per_joint || input->places.per_joint;
    if (!input->places.per_joint)
        PM_SET_NAME(pm_lanes_locate)(g->crowd, &input->times, 0, false, &input->places);
}

/* Clip B in a pass of its own, because most crowds do not need it. */
static void find_inputs(lane_group *g) {
    const pm_crowd_instance *instances = g->batch->request->instances.memory;
    pm_u32 ops_of_b = 0;
    g->inputs[0].ops = g->inputs[0].masked = 0;
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_resolved of = pm_instance_resolved(g->crowd, &instances[index_of(g, i)]);
        pm_lane_set_level(&g->levels, i, g->crowd, &of);
        set_input(g, &g->inputs[0], i, &of.inputs[0]);
        ops_of_b |= of.inputs[1].op;
    }
    g->inputs[1].ops = g->inputs[1].masked = 0;
    for (size_t i = 0; i < PM_LANES && ops_of_b != PM_OP_NONE; i++)
        set_input(g, &g->inputs[1], i,
                  &pm_instance_resolved(g->crowd, &instances[index_of(g, i)]).inputs[1]);
    for (unsigned n = 0; n < PM_INPUTS; n++)
        if (g->inputs[n].ops & ~PM_OP_NONE)
            locate(g, &g->inputs[n]);
}

/* Layer n of all lanes. */
static void find_layer(lane_group *g, pm_u32 n, lane_input *input) {
    static const pm_input none = {.op = PM_OP_NONE};
    input->ops = input->masked = 0;
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_crowd_layer *layers = g->batch->request->layers.memory;
        const pm_input layer = n < g->layers[i].count
                                   ? pm_layer_resolved(g->crowd, &layers[g->layers[i].first + n])
                                   : none;
        set_input(g, input, i, &layer);
    }
    if (input->ops != PM_OP_NONE)
        locate(g, input);
}

static void find_layers(lane_group *g) {
    const pm_pose_request *r = g->batch->request;
    const pm_crowd_range *ranges = r->ranges.memory;
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_crowd_range *range = &ranges[index_of(g, i)];
        g->layers[i] =
            pm_range_within((pm_range){range->first, range->count}, (pm_u32)r->layer_count);
        g->most_layers = g->layers[i].count > g->most_layers ? g->layers[i].count : g->most_layers;
    }
    g->per_joint = g->per_joint || (g->most_layers > PM_KEPT_LAYERS && g->crowd->per_joint);
    for (pm_u32 n = 0; n < g->most_layers && n < PM_KEPT_LAYERS; n++)
        find_layer(g, n, &g->kept[n]);
}

static const char *transition_at(const lane_group *g, size_t place) {
    const pm_pose_request *r = g->batch->request;
    return (const char *)r->transitions.memory + g->batch->index[place] * r->transition_stride;
}

/* What the next group reads first is on its way meanwhile. */
static void find_transitions(lane_group *g) {
    for (size_t i = 0; i < PM_LANES; i++) {
        const char *state = transition_at(g, pm_lane_place(g->batch, g->first, i));
        const size_t next = g->first + PM_LANES + i;
        pm_transition_head head;
        memcpy(&head, state, sizeof head);
        const pm_transit at = pm_transit_of(head, g->batch->request->transition_time);
        if (next < g->batch->count)
            pm_prefetch(transition_at(g, next), 3 * PM_CACHE_LINE);
        g->states[i] = (const float *)(const void *)state;
        g->durations[i] = at.duration;
        g->passed[i] = at.passed;
        g->transits = g->transits || at.duration > 0;
    }
}

static void begin_group(const pm_lane_batch *batch, size_t first, lane_group *g) {
    const pm_pose_request *r = batch->request;
    const char *poses = r->poses.memory;
    g->batch = batch;
    g->crowd = r->crowd;
    g->first = first;
    g->count = batch->count - first;
    g->is_given = poses != NULL;
    g->levels.rests = false;
    g->per_joint = g->transits = false;
    g->most_layers = 0;
    for (size_t i = 0; i < PM_LANES && g->is_given; i++)
        g->given[i] = (const float *)(const void *)(poses + index_of(g, i) * r->pose_stride);
    if (!g->is_given)
        find_inputs(g);
    if (pm_is_given(&r->layers))
        find_layers(g);
    if (pm_is_given(&r->transitions))
        find_transitions(g);
}

/* ---- poses ----------------------------------------------------------------------------------- */

/* A block of a set's joints, and the channels that some clip moves of those that some lane needs: bits. */
typedef struct joint_block {
    const pm_joint *joints;
    size_t count;
    unsigned channels;
} joint_block;

static void sample(const lane_group *g, const joint_block *block, lane_input *input,
                   pm_lane_values *to) {
    if (input->places.per_joint)
        PM_SET_NAME(pm_lanes_locate)
    (g->crowd, &input->times, block->joints->number, false, &input->places);
    PM_SET_NAME(pm_lanes_sample)
    (g->crowd, &input->places, block->joints, block->count, block->channels, to, NULL);
}

static inline real weight_of(const lane_group *g, const lane_input *input, const pm_joint *joint) {
    const real weight = pm_reals_of(input->weight);
    float of_joint[PM_LANES];
    if (!input->masked)
        return weight;
    for (size_t i = 0; i < PM_LANES; i++)
        of_joint[i] = g->crowd->skeleton
                          ->masks[input->mask[i] * g->crowd->skeleton->joint_count + joint->number];
    return weight * pm_reals_of(of_joint);
}

static inline pm_quat rest_of(const pm_joint *joint, unsigned c) {
    return pm_spread(c == PM_ROTATIONS   ? joint->rotation
                     : c == PM_POSITIONS ? joint->position
                                         : joint->scale);
}

/* Applies the samples of clip A or B to the poses so far, which are the rest pose for clip A. */
PM_FLAT static void apply_input(const lane_group *g, const joint_block *block, unsigned n,
                                const pm_lane_values *samples, pm_lane_values *poses) {
    const lane_input *input = &g->inputs[n];
    const real op = pm_reals_of(input->op);
    for (size_t k = 0; k < block->count; k++) {
        const pm_joint *joint = &block->joints[k];
        const real weight = weight_of(g, input, joint);
        for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
            if (!(joint->animated & block->channels & 1u << c))
                continue;
            const pm_quat rest = rest_of(joint, c);
            poses->of[c][k] =
                pm_input_applied(c, input->ops, op, n == 0 ? rest : poses->of[c][k],
                                 samples->of[c][k], rest, pm_spread(joint->unscale), weight);
        }
    }
}

typedef struct block_means {
    pm_mean of[PM_CHANNEL_COUNT][PM_LANE_BLOCK];
} block_means;

/* Applies the samples of a layer. `seen` has the ops of the layers before it. */
PM_FLAT static void apply_layer(const lane_group *g, const joint_block *block,
                                const lane_input *input, pm_u32 seen, block_means *means,
                                const pm_lane_values *samples, pm_lane_values *poses) {
    const real op = pm_reals_of(input->op);
    for (size_t k = 0; k < block->count; k++) {
        const pm_joint *joint = &block->joints[k];
        const real weight = weight_of(g, input, joint);
        for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
            if (!(joint->animated & block->channels & 1u << c))
                continue;
            if (input->ops & ~seen & PM_OP_MEAN)
                means->of[c][k] = pm_mean_begin();
            poses->of[c][k] = pm_layer_applied(
                c, input->ops, op, poses->of[c][k], samples->of[c][k], rest_of(joint, c),
                pm_spread(joint->unscale), weight, seen, &means->of[c][k]);
        }
    }
}

PM_FLAT static void end_layers(const joint_block *block, block_means *means,
                               pm_lane_values *poses) {
    for (size_t k = 0; k < block->count; k++)
        for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
            if (block->joints[k].animated & block->channels & 1u << c)
                poses->of[c][k] = pm_layers_ended(c, poses->of[c][k], PM_OP_MEAN, &means->of[c][k]);
}

static void apply_layers(lane_group *g, const joint_block *block, pm_lane_values *poses) {
    block_means means;
    lane_input found;
    pm_lane_values samples;
    pm_u32 seen = 0;
    for (pm_u32 n = 0; n < g->most_layers; n++) {
        lane_input *input = n < PM_KEPT_LAYERS ? &g->kept[n] : &found;
        if (n >= PM_KEPT_LAYERS)
            find_layer(g, n, input);
        if (input->ops == PM_OP_NONE)
            continue;
        sample(g, block, input, &samples);
        apply_layer(g, block, input, seen, &means, &samples, poses);
        seen |= input->ops;
    }
    if (seen & PM_OP_MEAN)
        end_layers(block, &means, poses);
}

/* `c` is a compile-time constant. */
static inline void apply_transition(const lane_group *g, const joint_block *block, unsigned c,
                                    pm_lane_values *poses) {
    const pm_u32 joints = (pm_u32)g->crowd->skeleton->joint_count;
    const pm_u32 channels = (pm_u32)g->crowd->channels[PM_SCALES].present << PM_SCALES;
    const pm_remains decay = pm_remains_of(pm_reals_of(g->durations), pm_reals_of(g->passed));
    for (size_t k = 0; k < block->count && block->channels & 1u << c; k++) {
        const pm_u64 row = pm_transition_row(channels, joints, c, block->joints[k].number);
        if (!(block->joints[k].animated & 1u << c))
            continue;
        for (size_t i = 0; i < PM_LANES && k == 0; i++)
            pm_prefetch(g->states[i] + row + (size_t)2 * PM_CACHE_LINE / sizeof(float), 1);
        poses->of[c][k] = pm_transition_applied(c, poses->of[c][k],
                                                pm_gather_quats_behind(g->states, row), &decay);
    }
}

PM_FLAT static void apply_transitions(const lane_group *g, const joint_block *block,
                                      pm_lane_values *poses) {
    apply_transition(g, block, PM_ROTATIONS, poses);
    apply_transition(g, block, PM_POSITIONS, poses);
    apply_transition(g, block, PM_SCALES, poses);
}

static unsigned channels_of(const lane_group *g, const pm_joint *joints, size_t count) {
    unsigned channels = 0;
    for (size_t k = 0; k < count; k++)
        if (!g->levels.rests || pm_any(~pm_lanes_resting(&g->levels, g->crowd, joints[k].number)))
            channels |= joints[k].animated;
    return channels;
}

/* Not inlined into each form: it is long. */
static __attribute__((noinline)) void pose_block(lane_group *g, const pm_joint *joints,
                                                 size_t count, pm_lane_values *poses) {
    const joint_block block = {joints, count, channels_of(g, joints, count)};
    pm_lane_values samples;
    for (unsigned n = 0; n < PM_INPUTS && block.channels; n++) {
        lane_input *input = &g->inputs[n];
        const bool whole = input->ops == PM_OP_SET;
        if (n > 0 && !(input->ops & ~PM_OP_NONE))
            continue;
        if (input->ops != PM_OP_NONE)
            sample(g, &block, input, whole ? poses : &samples);
        if (!whole)
            apply_input(g, &block, n, &samples, poses);
    }
    if (block.channels && g->most_layers)
        apply_layers(g, &block, poses);
    if (block.channels && g->transits)
        apply_transitions(g, &block, poses);
}

/* ---- records --------------------------------------------------------------------------------- */

/* Joint k of a block: at rest where no clip moves it, and in lanes that do not animate it. */
static inline pm_local local_of(const lane_group *g, const pm_lane_values *poses,
                                const pm_joint *joint, size_t k) {
    const pm_mask still = pm_lanes_resting(&g->levels, g->crowd, joint->number);
    pm_quat of[PM_CHANNEL_COUNT];
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        of[c] = rest_of(joint, c);
        if (joint->animated >> c & 1)
            of[c] =
                g->levels.rests ? pm_quat_select(still, of[c], poses->of[c][k]) : poses->of[c][k];
    }
    return (pm_local){of[PM_ROTATIONS], of[PM_POSITIONS], of[PM_SCALES]};
}

static inline pm_local given_of(const lane_group *g, size_t joint) {
    pm_quat of[PM_CHANNEL_COUNT];
    for (size_t c = 0; c < PM_CHANNEL_COUNT; c++)
        of[c] = pm_gather_quats_behind(g->given, 12 * joint + 4 * c);
    pm_local pose = {of[PM_ROTATIONS], of[PM_POSITIONS], of[PM_SCALES]};
    pose.position.w = pose.scale.w = PM_REAL(0.0f);
    return pose;
}

/* Joints that some lane keeps at rest, or of a block of one. */
PM_FLAT static void keep(const lane_group *g, const pm_joint *joints, size_t count,
                         const pm_lane_values *poses, pm_lane_values *to) {
    for (size_t k = 0; k < count; k++) {
        const pm_local pose = local_of(g, poses, &joints[k], k);
        const size_t at = joints[k].number % PM_LANE_BLOCK;
        to->of[PM_ROTATIONS][at] = pose.rotation;
        to->of[PM_POSITIONS][at] = pose.position;
        to->of[PM_SCALES][at] = pose.scale;
    }
}

/* The local poses of all joints, after the chains of the request. */
static void reach(lane_group *g) {
    const pm_pose_request *r = g->batch->request;
    const pm_joint *joints = g->crowd->joints;
    const size_t count = g->crowd->skeleton->joint_count, size = g->per_joint ? 1 : PM_LANE_BLOCK;
    pm_lane_locals *to = &g->locals;
    pm_lane_locals_begin(g->batch, to);
    for (size_t i = 0; i < PM_LANES; i++) /* on their way while joints are posed */
        pm_prefetch((const char *)r->goals.memory + index_of(g, i) * r->goal_stride,
                    r->chains.count * (pm_u32)sizeof(pm_chain_goal));
    if (g->is_given)
        memcpy(to->given, g->given, sizeof to->given);
    for (size_t j = 0; j < count && !g->is_given; j += size) {
        pm_lane_values *block = (pm_lane_values *)to->of + j / PM_LANE_BLOCK, one;
        const size_t left = count - j < size ? count - j : size;
        pose_block(g, &joints[j], left, size == 1 ? &one : block);
        if (size == 1 || g->levels.rests)
            keep(g, &joints[j], left, size == 1 ? &one : block, block);
        for (size_t k = 0; k < left; k++)
            to->has[j + k] = (pm_u8)joints[j + k].animated;
    }
    PM_SET_NAME(pm_lane_chains)(g->batch, g->first, to);
}

/* Stores the first `size` bytes of each lane; `size` is a compile-time constant. Rows of all records, as bodies.c
 * has them, fill the first cache, and are slower. */
static inline void put(const lane_group *g, size_t at, pm_quat value, size_t size) {
    const pm_quat_block m = pm_block_of(value);
    const real rows[4] = {m.r0, m.r1, m.r2, m.r3};
    float words[4 * PM_LANES];
    memcpy(words, rows, sizeof words);
    if (g->count >= PM_LANES)
        for (size_t i = 0; i < PM_LANES; i++)
            memcpy(g->to[i] + at, words + i % 4 * PM_LANES + i / 4 * 4, size);
    else
        for (size_t i = 0; i < g->count; i++)
            memcpy(g->to[i] + at, words + i % 4 * PM_LANES + i / 4 * 4, size);
}

/* Three quaternions, or rows. */
static inline void put_rows(const lane_group *g, size_t record, pm_quat x, pm_quat y, pm_quat z) {
    const size_t row = 4 * sizeof(float), at = record * 3 * row;
    put(g, at, x, row);
    put(g, at + row, y, row);
    put(g, at + 2 * row, z, row);
}

static inline real two_halves(real low, real high) {
    return pm_real_of(pm_half_bits(low) | pm_half_bits(high) << 16);
}

static inline void put_halves(const lane_group *g, size_t record, pm_matrix m) {
    const size_t row = 4 * sizeof(uint16_t), at = record * 3 * row;
    const pm_quat xy = {two_halves(m.x.x, m.x.y), two_halves(m.x.z, m.x.w),
                        two_halves(m.y.x, m.y.y), two_halves(m.y.z, m.y.w)};
    const pm_quat z = {two_halves(m.z.x, m.z.y), two_halves(m.z.z, m.z.w), m.z.z, m.z.w};
    put(g, at, xy, 2 * row);
    put(g, at + 2 * row, z, row);
}

static inline void put_matrix(const lane_group *g, const pm_crowd_output_row *output,
                              const pm_joint *joint, pm_matrix m) {
    const float *bind = joint->inverse_bind;
    if (output->bound)
        m = pm_matrix_product(
            m, (pm_matrix){pm_spread(bind), pm_spread(bind + 4), pm_spread(bind + 8)});
    if (output->bits == 16)
        put_halves(g, joint->record, m);
    else
        put_rows(g, joint->record, m.x, m.y, m.z);
}

static inline void put_rigid(const lane_group *g, const pm_joint *joint, pm_rigid m) {
    const size_t part = 4 * sizeof(float), at = 2 * part * joint->record;
    m = pm_rigid_product(
        m, (pm_rigid){pm_spread(joint->bind_rotation), pm_spread(joint->bind_position)});
    put(g, at, m.rotation, part);
    put(g, at + part, pm_rigid_dual(m), part);
}

/* The transform of a joint relative to the model; in dual quaternions where `rigid` is set. */
typedef union transform {
    pm_matrix matrix;
    pm_rigid rigid;
} transform;

static inline transform placed(const pm_joint *joint, pm_local pose, bool scaled, bool rigid,
                               transform slots[PM_SLOTS]) {
    const bool is_root = joint->parent == PM_NO_SLOT;
    transform t;
    if (rigid) {
        t.rigid = pm_rigid_of(pose, joint->parent_scale);
        if (!is_root)
            t.rigid = pm_rigid_product(slots[joint->parent].rigid, t.rigid);
    } else {
        t.matrix = pm_matrix_of(pose.rotation, pose.position);
        if (scaled)
            t.matrix = pm_matrix_scaled(t.matrix, pose.scale);
        if (!is_root)
            t.matrix = pm_matrix_product(slots[joint->parent].matrix, t.matrix);
    }
    if (joint->slot != PM_NO_SLOT)
        slots[joint->slot] = t;
    return t;
}

/* The transforms that children wait for, and a box about the joints so far. */
typedef struct hierarchy {
    transform slots[PM_SLOTS];
    pm_quat low, high;
} hierarchy;

/* By the formulas of pm_joint_record.h. */
static inline void add_to_box(hierarchy *h, pm_matrix m, float radius) {
    const pm_quat r = pm_sphere_extents(m, radius);
    const real zero = PM_REAL(0.0f);
    h->low = pm_quat_of(pm_least_of(h->low.x, (m.x.w - r.x) + zero),
                        pm_least_of(h->low.y, (m.y.w - r.y) + zero),
                        pm_least_of(h->low.z, (m.z.w - r.z) + zero), zero);
    h->high = pm_quat_of(pm_most_of(h->high.x, (m.x.w + r.x) + zero),
                         pm_most_of(h->high.y, (m.y.w + r.y) + zero),
                         pm_most_of(h->high.z, (m.z.w + r.z) + zero), zero);
}

/* `form` is a compile-time constant, here and below. */
static inline void place_and_put(const lane_group *g, const pm_crowd_output_row *output,
                                 const pm_joint *joint, pm_local pose, unsigned form,
                                 hierarchy *h) {
    const bool puts = joint->record != PM_NO_RECORD;
    if (form == PM_FORM_LOCAL) {
        if (puts)
            put_rows(g, joint->record, pose.rotation, pose.position, pose.scale);
        return;
    }
    const transform t =
        placed(joint, pose, g->is_given || joint->scaled, form == PM_FORM_RIGID, h->slots);
    if (puts && form == PM_FORM_RIGID)
        put_rigid(g, joint, t.rigid);
    else if (puts && form == PM_FORM_MATRIX)
        put_matrix(g, output, joint, t.matrix);
    else if (puts)
        add_to_box(h, t.matrix, joint->radius);
}

static inline void pose_lanes(lane_group *g, pm_view view, unsigned form) {
    const pm_joint *joints = g->crowd->sets[view.set].joints;
    const size_t count = g->crowd->skeleton->sets[view.set].count;
    const size_t size = g->per_joint ? 1 : PM_LANE_BLOCK;
    const bool reaches = g->batch->request->chains.count > 0;
    pm_lane_values poses;
    hierarchy h;
    const real zero = PM_REAL(0.0f), all = PM_REAL(INFINITY);
    h.low = pm_quat_of(all, all, all, zero);
    h.high = pm_quat_of(-all, -all, -all, zero);
    for (size_t j = 0; j < count && reaches; j++)
        place_and_put(g, &pm_crowd_outputs[view.output], &joints[j],
                      pm_lane_local(&g->locals, joints[j].number), form, &h);
    for (size_t j = 0; j < count && !reaches; j++) {
        const pm_joint *joint = &joints[j];
        if (j % size == 0 && !g->is_given)
            pose_block(g, joint, count - j < size ? count - j : size, &poses);
        const pm_local pose =
            g->is_given ? given_of(g, joint->number) : local_of(g, &poses, joint, j % size);
        place_and_put(g, &pm_crowd_outputs[view.output], joint, pose, form, &h);
    }
    if (form == PM_FORM_BOUNDS) {
        put(g, 0, h.low, 4 * sizeof(float));
        put(g, 4 * sizeof(float), h.high, 4 * sizeof(float));
    }
}

#define PM_POSE_FORM(form)                                                                         \
    PM_FLAT static void pose_##form(lane_group *g, pm_view view) {                                 \
        pose_lanes(g, view, form);                                                                 \
    }
PM_POSE_FORM(PM_FORM_LOCAL)
PM_POSE_FORM(PM_FORM_RIGID)
PM_POSE_FORM(PM_FORM_MATRIX)
PM_POSE_FORM(PM_FORM_BOUNDS)

void PM_SET_NAME(pm_lane_poses)(const pm_lane_batch *batch, size_t count,
                                const pm_pose_target *targets, size_t target_count) {
    static void (*const forms[])(lane_group *, pm_view) = {[PM_FORM_LOCAL] = pose_PM_FORM_LOCAL,
                                                           [PM_FORM_RIGID] = pose_PM_FORM_RIGID,
                                                           [PM_FORM_MATRIX] = pose_PM_FORM_MATRIX,
                                                           [PM_FORM_BOUNDS] = pose_PM_FORM_BOUNDS};
    lane_group group;
    for (size_t first = 0; first < count; first += PM_LANES) {
        begin_group(batch, first, &group);
        if (batch->request->chains.count)
            reach(&group);
        for (const pm_pose_target *t = targets; t < targets + target_count; t++) {
            for (size_t i = 0; i < PM_LANES; i++)
                group.to[i] = pm_lane_records(batch, pm_lane_place(batch, first, i), t);
            forms[pm_crowd_outputs[t->view.output].form](&group, t->view);
        }
    }
}
