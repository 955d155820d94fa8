/* SPDX-License-Identifier: MIT
 *
 * States of bodies on the host, an instance per lane: some joints are sampled at a time by the kernels' curves,
 * then carried down the hierarchy. Compiled once for each instruction set. The bits of a lane do not depend on
 * those beside it.
 */
#include "float_lanes.h"

#include "bodies.h"

#include <string.h>

#include "kernels/pm_keys.h"
#include "kernels/pm_methods.h"
#include "kernels/pm_motion.h"

/* Channels of bodies: rotations and positions. */
enum { CHANNELS = 2 };

/* ---- locating keys --------------------------------------------------------------------------- */

/* The lanes' segments on one side of their times: numbers of the key of joint 0, or of the joint that is
 * located, and from there. */
typedef struct lane_side {
    pm_u64 key[CHANNELS][PM_LANES], next[CHANNELS][PM_LANES];
    size_t plane[CHANNELS][PM_LANES];
    size_t spacing[PM_LANES], constants[PM_LANES], constant_plane[PM_LANES];
    float u[PM_LANES], rates[PM_LANES]; /* segments per second, times the instance's speed */
} lane_side;

typedef struct lane_places {
    unsigned side_count; /* 2: some lane is on a key between two segments */
    bool on_key;         /* u is 0 or 1 in some lane */
    lane_side sides[2];
} lane_places;

/* Lanes without an instance repeat the first. */
static const pm_body_instance *instance_of(const pm_body_batch *b, size_t first, size_t lane) {
    return &b->of[first + lane < b->count ? first + lane : first];
}

/* Channel c of joint j of a clip, with timelines of joints. */
static const pm_track_layout *layout_of(const pm_crowd_data *crowd, size_t clip, unsigned c,
                                        size_t j) {
    return &crowd->layout[(c * crowd->clip_count + clip) * crowd->skeleton->joint_count + j];
}

static void set_side(const pm_crowd_data *crowd, pm_u32 number, size_t joint, pm_cursor cursor,
                     size_t lane, lane_side *to) {
    const pm_clip_layout *clip = &crowd->clips[number];
    const size_t rate =
        crowd->per_joint
            ? PM_SPACING_FLOATS * (size_t)layout_of(crowd, number, PM_ROTATIONS, joint)->rates
            : clip->constants;
    to->u[lane] = cursor.u;
    to->constants[lane] = clip->constants;
    to->constant_plane[lane] = clip->plane[PM_ROTATIONS];
    to->spacing[lane] = rate + PM_SPACING_FLOATS * (size_t)cursor.segment;
    for (unsigned c = 0; c < CHANNELS; c++) {
        if (!crowd->channels[c].present)
            continue;
        const pm_track_layout *own = crowd->per_joint ? layout_of(crowd, number, c, joint) : NULL;
        const size_t row = own ? own->row : clip->row[c];
        to->key[c][lane] = (own ? own->first : clip->first[c]) + cursor.segment * row;
        to->next[c][lane] = to->key[c][lane] + row;
        to->plane[c][lane] = own ? own->plane : clip->plane[c];
    }
}

static pm_sides sides_of(const pm_crowd_data *crowd, const pm_input *at, size_t joint) {
    const pm_u32 line = crowd->per_joint ? layout_of(crowd, at->clip, PM_ROTATIONS, joint)->timeline
                                         : crowd->clips[at->clip].timeline;
    return pm_crowd_sides(crowd->timelines[line], crowd->rates[line], crowd->times, at->time,
                          at->clamps);
}

/* Locates the times of the lanes from `first` on among the keys of a joint, or of all joints where timelines
 * are common. */
static void locate(const pm_body_batch *b, size_t first, size_t joint, lane_places *to) {
    pm_sides at[PM_LANES];
    to->side_count = 1;
    to->on_key = false;
    for (size_t i = 0; i < PM_LANES; i++) {
        at[i] = sides_of(b->crowd, &instance_of(b, first, i)->input, joint);
        to->side_count = at[i].rate[1] != 0.0f ? 2 : to->side_count;
        to->on_key = to->on_key || at[i].cursor[0].u == 0.0f || at[i].cursor[0].u == 1.0f;
    }
    for (unsigned s = 0; s < to->side_count; s++)
        for (size_t i = 0; i < PM_LANES; i++) {
            const pm_body_instance *from = instance_of(b, first, i);
            set_side(b->crowd, from->input.clip, joint, at[i].cursor[s], i, &to->sides[s]);
            to->sides[s].rates[i] = at[i].rate[s] * from->speed;
        }
}

/* ---- sampling -------------------------------------------------------------------------------- */

/* Joints that are sampled at a time: their keys share cache lines. */
enum { BLOCK = PM_GROUP };

/* A block of joints, and a channel of it that is to be sampled on a side of the lanes' times. */
typedef struct request {
    const pm_channel *channel;
    const lane_side *side;
    const pm_joint *joints;
    size_t count;
    unsigned c;
    bool first_side, on_key, moves, per_joint;
} request;

/* The values of a block of joints, relative to their parents, and their derivatives by time. Undefined for
 * joints that no clip moves. */
typedef struct block_values {
    pm_quat values[CHANNELS][BLOCK], rates[CHANNELS][BLOCK];
} block_values;

/* Not inlined into each curve: decoding is long. */
static __attribute__((noinline)) pm_quat gather_codes(const pm_channel *channel,
                                                      const pm_u64 at[PM_LANES], size_t ahead) {
    pm_u64 moved[PM_LANES];
    for (size_t i = 0; i < PM_LANES; i++)
        moved[i] = at[i] + ahead;
    return channel->format == PM_KEYS_LOG48 ? pm_gather_log48(channel->keys, moved)
                                            : pm_gather_smallest48(channel->keys, moved);
}

/* Keys `ahead` numbers behind those that are located; only curves of keys alone have some of 48 bits. */
static inline pm_quat gather(const request *q, const pm_u64 at[PM_LANES], size_t ahead,
                             bool has_planes) {
    if (!has_planes && q->channel->format != PM_KEYS_FLOAT32)
        return gather_codes(q->channel, at, ahead);
    return pm_gather_quats_at((const float *)q->channel->keys + ahead, at);
}

static inline void gather_beside(const request *q, size_t ahead, pm_segment_data *data) {
    const lane_side *side = q->side;
    const float *spacing = q->channel->constants;
    pm_u64 before[PM_LANES], after[PM_LANES];
    float to_before[PM_LANES], to_after[PM_LANES];
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_u64 row = side->next[q->c][i] - side->key[q->c][i];
        before[i] = side->key[q->c][i] - row;
        after[i] = side->next[q->c][i] + row;
        to_before[i] = spacing[side->spacing[i]];
        to_after[i] = spacing[side->spacing[i] + 1];
    }
    data->coefficients[0] = gather(q, before, ahead, false);
    data->coefficients[1] = gather(q, after, ahead, false);
    pm_set_spacing(data, pm_reals_of(to_before), pm_reals_of(to_after));
}

/* The last three are compile-time constants at each call. */
static inline pm_segment_data load(const request *q, const pm_joint *joint, unsigned coefficients,
                                   unsigned constants, bool four_keys) {
    const lane_side *side = q->side;
    const size_t ahead = q->per_joint ? 0 : 4 * (size_t)joint->number;
    const bool has_planes = coefficients + constants > 0;
    pm_segment_data data;
    pm_u64 at[PM_LANES];
    data.key = gather(q, side->key[q->c], ahead, has_planes);
    data.next = gather(q, side->next[q->c], ahead, has_planes);
    for (unsigned e = 0; e < coefficients; e++) {
        for (size_t i = 0; i < PM_LANES; i++)
            at[i] = side->key[q->c][i] + (1 + e) * side->plane[q->c][i];
        data.coefficients[e] = gather(q, at, ahead, true);
    }
    for (unsigned s = 0; s < constants; s++) {
        for (size_t i = 0; i < PM_LANES; i++)
            at[i] = side->constants[i] + s * side->constant_plane[i] + 4 * (size_t)joint->number;
        data.constants[s] = pm_gather_quats_at(q->channel->constants, at);
    }
    if (four_keys)
        gather_beside(q, ahead, &data);
    return data;
}

#define PM_SAMPLE(name, derivative)                                                                \
    PM_FLAT static void sample_##name(const request *q, pm_quat *values, pm_quat *rates) {         \
        const real u = pm_reals_of(q->side->u), rate = pm_reals_of(q->side->rates);                \
        real basis[pm_##name##_basis_size];                                                        \
        pm_##name##_basis(u, basis);                                                               \
        for (size_t k = 0; k < q->count; k++) {                                                    \
            if (!(q->joints[k].animated >> q->c & 1))                                              \
                continue;                                                                          \
            const pm_segment_data data = load(q, &q->joints[k], pm_##name##_coefficients,          \
                                              pm_##name##_constants, pm_##name##_four_keys);       \
            const pm_##name##_segment segment = pm_##name##_begin(&data);                          \
            if (q->first_side) {                                                                   \
                values[k] = pm_##name##_at(&segment, basis);                                       \
                if (pm_##name##_passes && q->on_key)                                               \
                    values[k] = pm_at_ends(&data, u, values[k], pm_##name##_passes);               \
            }                                                                                      \
            if (q->moves) {                                                                        \
                const pm_quat d = derivative;                                                      \
                rates[k] = q->first_side ? d : pm_quat_sum(rates[k], d);                           \
            }                                                                                      \
        }                                                                                          \
    }
#define PM_SAMPLE_ROTATION(name) PM_SAMPLE(name, pm_##name##_spin(&segment, u, rate))
#define PM_SAMPLE_VECTOR(name) PM_SAMPLE(name, pm_rate_of(pm_##name##_slope(&segment, u), rate))
PM_ROTATION_CURVES(PM_SAMPLE_ROTATION)
PM_VECTOR_CURVES(PM_SAMPLE_VECTOR)

#define PM_SAMPLE_ROW(name) [PM_CURVE_##name] = sample_##name,
static void (*const samplers[PM_CURVE_COUNT])(const request *, pm_quat *,
                                              pm_quat *) = {PM_CURVES(PM_SAMPLE_ROW)};

/* Samples joints whose keys are located. */
static void sample_block(const pm_crowd_data *crowd, const lane_places *at, const pm_joint *joints,
                         size_t count, bool moves, block_values *to) {
    for (unsigned c = 0; c < CHANNELS; c++) {
        bool animated = false;
        for (size_t k = 0; k < count; k++)
            animated = animated || (joints[k].animated >> c & 1);
        for (unsigned s = 0; animated && s < (moves ? at->side_count : 1); s++) {
            const request q = {.channel = &crowd->channels[c],
                               .side = &at->sides[s],
                               .joints = joints,
                               .count = count,
                               .c = c,
                               .first_side = s == 0,
                               .on_key = at->on_key,
                               .moves = moves,
                               .per_joint = crowd->per_joint};
            samplers[q.channel->impl.curve](&q, to->values[c], to->rates[c]);
        }
    }
}

/* ---- the hierarchy --------------------------------------------------------------------------- */

/* Lanes that are posed together. */
typedef struct lane_group {
    const pm_body_batch *batch;
    size_t first, count;         /* instances */
    bool moves;                  /* velocities are asked for */
    bool rests;                  /* some joint of some lane keeps its rest pose */
    real *rows[PM_BODY_OUTPUTS]; /* of each number of an instance's records; NULL: not asked for */
    lane_places places;          /* of all joints, unless joints have timelines */
} lane_group;

static pm_u32 keeps_rest(const pm_body_instance *from, const pm_skeleton *s, pm_u32 joint) {
    return from->input.op == PM_OP_NONE ||
           pm_keeps_rest(s->level_joints[from->level * s->joint_count + joint], joint,
                         from->in_place);
}

static unsigned char *memory_of(const lane_group *g, unsigned output, size_t lane) {
    const pm_body_batch *b = g->batch;
    return b->memory[output] + b->of[g->first + lane].record * b->stride[output];
}

static void begin_group(const pm_body_batch *b, size_t first, lane_group *g) {
    g->batch = b;
    g->first = first;
    g->count = b->count - first < PM_LANES ? b->count - first : PM_LANES;
    g->moves = g->rests = false;
    real *room = b->room;
    for (unsigned o = 0; o < PM_BODY_OUTPUTS; o++) {
        g->moves = g->moves || (b->memory[o] && PM_BODY_RATES >> o & 1);
        g->rows[o] = b->memory[o] ? room : NULL;
        room += b->memory[o] ? pm_body_numbers(b, o) : 0;
    }
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_body_instance *from = instance_of(b, first, i);
        g->rests = g->rests || from->input.op == PM_OP_NONE || from->in_place ||
                   !b->crowd->skeleton->levels[from->level].whole;
    }
    if (!b->crowd->per_joint)
        locate(b, first, 0, &g->places);
}

static pm_mask rest_mask(const lane_group *g, pm_u32 joint) {
    float still[PM_LANES];
    if (!g->rests)
        return PM_BITS(0);
    for (size_t i = 0; i < PM_LANES; i++)
        still[i] = keeps_rest(instance_of(g->batch, g->first, i), g->batch->crowd->skeleton, joint)
                       ? 1.0f
                       : 0.0f;
    return pm_reals_of(still) != PM_REAL(0.0f);
}

static inline pm_quat spread(const float *from) {
    return pm_quat_of(PM_REAL(from[0]), PM_REAL(from[1]), PM_REAL(from[2]), PM_REAL(from[3]));
}

/* Joint k of a block relative to its parent. It rests where no clip moves it, and in the lanes of `still`. */
static inline pm_body local_of(const lane_group *g, const block_values *block,
                               const pm_joint *joint, size_t k, pm_mask still) {
    const pm_quat zero = pm_quat_zero();
    pm_body own = {spread(joint->rotation), spread(joint->position), zero, zero};
    const pm_body rest = own;
    if (joint->animated >> PM_ROTATIONS & 1) {
        own.rotation = block->values[PM_ROTATIONS][k];
        own.spin = g->moves ? block->rates[PM_ROTATIONS][k] : zero;
    }
    if (joint->animated >> PM_POSITIONS & 1) {
        own.position = block->values[PM_POSITIONS][k];
        own.velocity = g->moves ? block->rates[PM_POSITIONS][k] : zero;
    }
    if (g->rests) {
        own.rotation = pm_quat_select(still, rest.rotation, own.rotation);
        own.position = pm_quat_select(still, rest.position, own.position);
        own.velocity = pm_quat_select(still, zero, own.velocity);
        own.spin = pm_quat_select(still, zero, own.spin);
    }
    return own;
}

/* A joint relative to its parent and in the world, and of a hinge its angle with the rate. */
typedef struct lane_states {
    pm_body own, body;
    bool shifts; /* its position moves relative to its parent */
    real angle, rate;
} lane_states;

/* A hinge, whose position is its angle. It rests at its reference. */
static inline void set_hinge(const pm_hinge *from, const pm_joint *joint, pm_mask still,
                             lane_states *s) {
    const pm_hinge_axis hinge = {{from->axis[0], from->axis[1], from->axis[2]}, from->reference};
    if (!pm_is_hinge(hinge))
        return;
    s->shifts = false;
    s->angle = pm_select(still, PM_REAL(hinge.reference), s->own.position.x);
    s->rate = s->own.velocity.x;
    s->own = pm_body_of_hinge(hinge, spread(joint->rotation), spread(joint->position), s->angle,
                              s->rate);
}

static inline void put_vector(real *row, pm_quat v) {
    row[0] = v.x;
    row[1] = v.y;
    row[2] = v.z;
}

static inline void put_rate(const lane_group *g, unsigned output, size_t record, pm_quat v) {
    if (g->rows[output])
        put_vector(g->rows[output] + 3 * record, pm_rate_of(v, PM_REAL(1.0f)));
}

static inline void put_turn(const lane_group *g, unsigned output, size_t record, pm_quat q) {
    if (!g->rows[output])
        return;
    if (g->batch->flags[output] & PM_TARGET_SCALAR_FIRST)
        q = pm_scalar_first(q);
    real *row = g->rows[output] + 4 * record;
    put_vector(row, q);
    row[3] = q.w;
}

static inline void put_number(const lane_group *g, unsigned output, size_t record, real number) {
    if (g->rows[output])
        g->rows[output][record] = number;
}

static inline void put_states(const lane_group *g, const pm_joint *joint, const lane_states *s) {
    const size_t record = joint->record;
    pm_quat velocity = s->body.velocity;
    if (g->batch->flags[PM_BODY_VEL] & PM_TARGET_AT_POINT)
        velocity = pm_velocity_at(
            s->body, spread(g->batch->crowd->skeleton->points + (size_t)4 * joint->number));
    if (g->rows[PM_BODY_POS])
        put_vector(g->rows[PM_BODY_POS] + 3 * record, s->body.position);
    put_turn(g, PM_BODY_ROT, record, s->body.rotation);
    put_rate(g, PM_BODY_VEL, record, velocity);
    put_rate(g, PM_BODY_ANG_VEL, record, s->body.spin);
    put_turn(g, PM_BODY_LOCAL_ROT, record, s->own.rotation);
    put_rate(g, PM_BODY_LOCAL_ANG_VEL, record, s->own.spin);
    put_number(g, PM_BODY_ANGLE, record, s->angle);
    put_number(g, PM_BODY_ANGLE_RATE, record, pm_positive_zero(s->rate));
}

/* The places of the lanes' instances in the world, without a motion. */
static pm_body placed(const lane_group *g) {
    const pm_quat zero = pm_quat_zero();
    pm_body body = {zero, zero, zero, zero};
    const float *rotations[PM_LANES], *positions[PM_LANES];
    if (!g->batch->placed)
        return body;
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_placement *at = instance_of(g->batch, g->first, i)->placement;
        rotations[i] = at->rotation;
        positions[i] = at->position;
    }
    body.rotation = pm_gather_quats(rotations);
    body.position = pm_gather_quats(positions);
    body.position.w = PM_REAL(0.0f);
    return body;
}

/* The states of joint k of a block. Its transform goes to its slot, for its children. */
static inline lane_states states_of(const lane_group *g, const block_values *block,
                                    const pm_joint *joint, size_t k, const pm_body *root,
                                    pm_body slots[PM_SLOTS]) {
    const pm_hinge *hinges = g->batch->crowd->skeleton->hinges;
    const pm_mask still = rest_mask(g, joint->number);
    lane_states s = {.own = local_of(g, block, joint, k, still),
                     .shifts = joint->animated >> PM_POSITIONS & 1};
    s.angle = s.rate = PM_REAL(0.0f);
    if (hinges)
        set_hinge(&hinges[joint->number], joint, still, &s);
    if (joint->parent != PM_NO_SLOT)
        s.body = pm_body_product(slots[joint->parent], s.own, g->moves, s.shifts);
    else
        s.body = g->batch->placed ? pm_body_product(*root, s.own, g->moves, s.shifts)
                                  : pm_body_of_root(s.own);
    if (joint->slot != PM_NO_SLOT)
        slots[joint->slot] = s.body;
    return s;
}

PM_FLAT static void pose_lanes(lane_group *g) {
    const pm_crowd_data *crowd = g->batch->crowd;
    const pm_joint *joints = crowd->sets[g->batch->set].joints;
    const size_t count = crowd->skeleton->sets[g->batch->set].count;
    const size_t size = crowd->per_joint ? 1 : BLOCK;
    const pm_body root = placed(g);
    pm_body slots[PM_SLOTS];
    block_values block;
    for (size_t j = 0; j < count; j++) {
        const pm_joint *joint = &joints[j];
        if (crowd->per_joint)
            locate(g->batch, g->first, joint->number, &g->places);
        if (j % size == 0)
            sample_block(crowd, &g->places, joint, count - j < size ? count - j : size, g->moves,
                         &block);
        const lane_states s = states_of(g, &block, joint, j % size, &root, slots);
        if (joint->record != PM_NO_RECORD)
            put_states(g, joint, &s);
    }
}

/* ---- from lanes to memory --------------------------------------------------------------------- */

/* Of PM_LANES rows, which have a number of each lane, the numbers of each lane. */
static inline void transpose(const real *rows, real lanes[PM_LANES]) {
    real of[PM_NEIGHBOURS][4]; /* part p of of[n][k]: numbers 4 n to 4 n + 3 of lane 4 p + k */
    for (size_t n = 0; n < PM_NEIGHBOURS; n++) {
        const pm_quat_block block = pm_transposed(
            pm_rows_of(rows[4 * n], rows[4 * n + 1], rows[4 * n + 2], rows[4 * n + 3]));
        of[n][0] = block.r0;
        of[n][1] = block.r1;
        of[n][2] = block.r2;
        of[n][3] = block.r3;
    }
    for (size_t k = 0; k < 4; k++) {
#if PM_LANES == 16
        const pm_quat_block parts =
            pm_parts_transposed(pm_rows_of(of[0][k], of[1][k], of[2][k], of[3][k]));
        lanes[k] = parts.r0;
        lanes[4 + k] = parts.r1;
        lanes[8 + k] = parts.r2;
        lanes[12 + k] = parts.r3;
#elif PM_LANES == 8
        lanes[k] = PM_SHUFFLE(of[0][k], of[1][k], PM_LOWER);
        lanes[4 + k] = PM_SHUFFLE(of[0][k], of[1][k], PM_UPPER);
#else
        lanes[k] = of[0][k];
#endif
    }
}

/* Fewer numbers than lanes. */
static void put_few(const lane_group *g, unsigned output, size_t numbers) {
    float words[PM_LANES][PM_LANES];
    memcpy(words, g->rows[output], numbers * sizeof *words);
    for (size_t i = 0; i < g->count; i++)
        for (size_t n = 0; n < numbers; n++)
            memcpy(memory_of(g, output, i) + n * sizeof(float), &words[n][i], sizeof(float));
}

/* Whole lines at a time. The last vector overlaps the one before it. */
PM_FLAT static void put_rows(const lane_group *g, unsigned output, size_t numbers) {
    unsigned char *to[PM_LANES];
    for (size_t i = 0; i < g->count; i++)
        to[i] = memory_of(g, output, i);
    for (size_t n = 0; n < numbers; n += PM_LANES) {
        const size_t at = n + PM_LANES <= numbers ? n : numbers - PM_LANES;
        real lanes[PM_LANES];
        transpose(g->rows[output] + at, lanes);
        for (size_t i = 0; i < g->count; i++)
            memcpy(to[i] + at * sizeof(float), &lanes[i], sizeof *lanes);
    }
}

static void put_group(const lane_group *g) {
    for (unsigned o = 0; o < PM_BODY_OUTPUTS; o++) {
        const size_t numbers = pm_body_numbers(g->batch, o);
        if (g->rows[o] && numbers < PM_LANES)
            put_few(g, o, numbers);
        else if (g->rows[o])
            put_rows(g, o, numbers);
    }
}

void PM_SET_NAME(pm_bodies)(const pm_body_batch *batch) {
    lane_group group;
    for (size_t first = 0; first < batch->count; first += PM_LANES) {
        begin_group(batch, first, &group);
        pose_lanes(&group);
        put_group(&group);
    }
}
