/* SPDX-License-Identifier: MIT
 *
 * States of bodies on the host, an instance per lane: samples are carried down the hierarchy. Compiled once
 * for each instruction set. The bits of a lane do not depend on those beside it.
 */
#include "lanes.h"

#include "kernels/pm_motion.h"

/* The channels of bodies. */
enum { CHANNELS = 1 << PM_ROTATIONS | 1 << PM_POSITIONS };

/* Lanes that are posed together. */
typedef struct lane_group lane_group;
struct lane_group {
    const lane_group *next; /* which is posed after this one; NULL: none */
    const pm_lane_batch *batch;
    const pm_crowd_data *crowd;
    const pm_lane_bodies *targets;
    size_t first; /* instance */
    bool moves;   /* velocities are asked for */
    pm_lane_levels levels;
    pm_mask without_clip;        /* lanes that rest */
    real *rows[PM_BODY_OUTPUTS]; /* NULL: not asked for */
    pm_lane_times times;
    pm_lane_places places; /* of all joints, unless joints have timelines */
};

static void set_lane(lane_group *g, size_t lane, float *without_clip) {
    const pm_pose_request *request = g->batch->request;
    const size_t at = pm_lane_place(g->batch, g->first, lane), index = g->batch->index[at];
    const pm_resolved r = pm_instance_resolved(g->crowd, &request->instances[index]);
    const pm_input *input = &r.inputs[0];
    pm_lane_set_level(&g->levels, lane, g->crowd, &r);
    g->times.clip[lane] = input->clip;
    g->times.time[lane] = input->time;
    g->times.clamps[lane] = input->clamps;
    g->times.speed[lane] = request->speeds ? request->speeds[index] : 1.0f;
    without_clip[lane] = input->op == PM_OP_NONE ? 1.0f : 0.0f;
}

static void begin_group(const pm_lane_batch *batch, const pm_lane_bodies *targets, size_t first,
                        lane_group *g) {
    float without_clip[PM_LANES];
    g->batch = batch;
    g->crowd = batch->request->crowd;
    g->targets = targets;
    g->first = first;
    g->moves = g->levels.rests = false;
    real *rows = batch->rows;
    for (unsigned o = 0; o < PM_BODY_OUTPUTS; o++) {
        g->rows[o] = targets->of[o] ? rows : NULL;
        rows += targets->of[o] ? targets->of[o]->bytes / sizeof(float) : 0;
        g->moves = g->moves || (targets->of[o] && PM_BODY_RATES >> o & 1);
    }
    for (size_t i = 0; i < PM_LANES; i++)
        set_lane(g, i, without_clip);
    g->without_clip = pm_reals_of(without_clip) != PM_REAL(0.0f);
    g->levels.rests = g->levels.rests || pm_any(g->without_clip);
    if (!g->crowd->per_joint)
        PM_SET_NAME(pm_lanes_locate)(g->crowd, &g->times, 0, g->moves, &g->places);
}

static pm_mask rest_mask(const lane_group *g, pm_u32 joint) {
    return pm_lanes_resting(&g->levels, g->crowd, joint) | g->without_clip;
}

/* The values of a block of joints relative to their parents, with their derivatives, and of hinges the angles with
 * theirs. Positions of `numbers` are those of a block of numbers, four to a quad. */
typedef struct block_values {
    pm_lane_values values, rates;
    real angles[PM_LANE_BLOCK], angle_rates[PM_LANE_BLOCK];
    pm_lane_values numbers, number_rates;
    size_t found; /* the number of that block, and 1; 0: none */
} block_values;
enum { BLOCK_NUMBERS = 4 * PM_LANE_BLOCK };

/* The hinge of a joint; NULL: it is none. */
static inline const pm_hinge_joint *hinge_of(const lane_group *g, const pm_joint *joint) {
    const pm_hinge_joint *hinges = g->crowd->skeleton->hinges;
    return hinges && hinges[joint->number].number ? &hinges[joint->number] : NULL;
}

/* Joint k of a block relative to its parent. It rests where no clip moves it, and in the lanes of `still`. */
static inline pm_body local_of(const lane_group *g, const block_values *block,
                               const pm_joint *joint, size_t k, pm_mask still) {
    const pm_quat zero = pm_quat_zero();
    pm_body own = {pm_lanes_spread(joint->rotation), pm_lanes_spread(joint->position), zero, zero};
    const pm_body rest = own;
    if (joint->animated >> PM_ROTATIONS & 1 || hinge_of(g, joint)) {
        own.rotation = block->values.of[PM_ROTATIONS][k];
        own.spin = g->moves ? block->rates.of[PM_ROTATIONS][k] : zero;
    }
    if (joint->animated >> PM_POSITIONS & 1) {
        own.position = block->values.of[PM_POSITIONS][k];
        own.velocity = g->moves ? block->rates.of[PM_POSITIONS][k] : zero;
    }
    if (g->levels.rests) {
        own.rotation = pm_quat_select(still, rest.rotation, own.rotation);
        own.position = pm_quat_select(still, rest.position, own.position);
        own.velocity = pm_quat_select(still, zero, own.velocity);
        own.spin = pm_quat_select(still, zero, own.spin);
    }
    return own;
}

/* Samples the block of numbers that has number n. */
static inline void find_numbers(const lane_group *g, pm_u32 n, block_values *block) {
    if (block->found == n / BLOCK_NUMBERS + 1)
        return;
    block->found = n / BLOCK_NUMBERS + 1;
    PM_SET_NAME(pm_lanes_sample_numbers)
    (g->crowd, &g->places, (block->found - 1) * PM_LANE_BLOCK, &block->numbers,
     g->moves ? &block->number_rates : NULL);
}

static inline real number_at(const pm_lane_values *numbers, pm_u32 n) {
    real number;
    memcpy(&number,
           (const char *)numbers->of[PM_POSITIONS] + n % BLOCK_NUMBERS * sizeof number,
           sizeof number);
    return number;
}

/* Turns a hinge, which rests at its reference. */
static inline void turn_hinge(const lane_group *g, block_values *block, const pm_joint *joint,
                              size_t k, const pm_hinge_joint *hinge) {
    real angle = number_at(&block->numbers, hinge->number), rate = PM_REAL(0.0f);
    if (g->moves)
        rate = number_at(&block->number_rates, hinge->number);
    if (g->levels.rests) {
        const pm_mask still = rest_mask(g, joint->number);
        angle = pm_select(still, PM_REAL(hinge->reference), angle);
        rate = pm_select(still, PM_REAL(0.0f), rate);
    }
    block->values.of[PM_ROTATIONS][k] = pm_hinge_rotation(*hinge, angle);
    block->rates.of[PM_ROTATIONS][k] = pm_hinge_spin(*hinge, rate);
    block->angles[k] = angle;
    block->angle_rates[k] = rate;
}

/* The hinges of a block one after another, before any joint waits for its parent, and the position of the root. */
static inline void turn_hinges(const lane_group *g, const pm_joint *joints, size_t count,
                               block_values *block) {
    for (size_t k = 0; k < count; k++) {
        const pm_hinge_joint *hinge = hinge_of(g, &joints[k]);
        block->angles[k] = block->angle_rates[k] = PM_REAL(0.0f);
        if (hinge) {
            find_numbers(g, hinge->number, block);
            turn_hinge(g, block, &joints[k], k, hinge);
        } else if (joints[k].animated >> PM_POSITIONS & 1) {
            find_numbers(g, 0, block);
            block->values.of[PM_POSITIONS][k] = block->numbers.of[PM_POSITIONS][0];
            block->rates.of[PM_POSITIONS][k] = block->number_rates.of[PM_POSITIONS][0];
        }
    }
}

/* A joint relative to its parent and in the world. */
typedef struct lane_states {
    pm_body own, body;
} lane_states;

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
    if (g->targets->of[output]->flags & PM_TARGET_SCALAR_FIRST)
        q = pm_scalar_first(q);
    real *row = g->rows[output] + 4 * record;
    put_vector(row, q);
    row[3] = q.w;
}

static inline void put_number(const lane_group *g, unsigned output, size_t record, real number) {
    if (g->rows[output])
        g->rows[output][record] = number;
}

static inline void put_states(const lane_group *g, const block_values *block,
                              const pm_joint *joint, size_t k, const lane_states *s) {
    const size_t record = joint->record;
    const pm_pose_target *velocities = g->targets->of[PM_BODY_VEL];
    pm_quat velocity = s->body.velocity;
    if (velocities && velocities->flags & PM_TARGET_AT_POINT)
        velocity = pm_velocity_at(
            s->body, pm_lanes_spread(g->crowd->skeleton->points + (size_t)4 * joint->number));
    if (g->rows[PM_BODY_POS])
        put_vector(g->rows[PM_BODY_POS] + 3 * record, s->body.position);
    put_turn(g, PM_BODY_ROT, record, s->body.rotation);
    put_rate(g, PM_BODY_VEL, record, velocity);
    put_rate(g, PM_BODY_ANG_VEL, record, s->body.spin);
    put_turn(g, PM_BODY_LOCAL_ROT, record, s->own.rotation);
    put_rate(g, PM_BODY_LOCAL_ANG_VEL, record, s->own.spin);
    put_number(g, PM_BODY_ANGLE, record, block->angles[k]);
    put_number(g, PM_BODY_ANGLE_RATE, record, pm_positive_zero(block->angle_rates[k]));
}

/* The places of the lanes' instances in the world, without a motion. */
static pm_body placed(const lane_group *g) {
    const pm_quat zero = pm_quat_zero();
    pm_body body = {zero, zero, zero, zero};
    const float *rotations[PM_LANES], *positions[PM_LANES];
    if (!g->batch->request->placements)
        return body;
    for (size_t i = 0; i < PM_LANES; i++) {
        const size_t place = pm_lane_place(g->batch, g->first, i);
        const pm_placement *at = &g->batch->request->placements[g->batch->index[place]];
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
    const pm_mask still = rest_mask(g, joint->number);
    const bool shifts = joint->animated >> PM_POSITIONS & 1;
    lane_states s = {.own = local_of(g, block, joint, k, still)};
    if (joint->parent != PM_NO_SLOT)
        s.body = pm_body_product(slots[joint->parent], s.own, g->moves, shifts);
    else
        s.body = g->batch->request->placements ? pm_body_product(*root, s.own, g->moves, shifts)
                                               : pm_body_of_root(s.own);
    if (joint->slot != PM_NO_SLOT)
        slots[joint->slot] = s.body;
    return s;
}

static void sample_block(lane_group *g, const pm_joint *joints, size_t count, block_values *to) {
    const pm_crowd_data *crowd = g->crowd;
    unsigned channels = 0;
    for (size_t k = 0; k < count; k++)
        channels |= joints[k].animated & (crowd->skeleton->hinges ? 1 << PM_ROTATIONS : CHANNELS);
    if (channels && crowd->per_joint)
        PM_SET_NAME(pm_lanes_locate)(crowd, &g->times, joints->number, g->moves, &g->places);
    PM_SET_NAME(pm_lanes_sample)
    (crowd, &g->places, joints, count, channels, &to->values, g->moves ? &to->rates : NULL);
    if (crowd->skeleton->hinges)
        turn_hinges(g, joints, count, to);
}

/* Prefetches keys of the next lanes while joints [from, to) of these are posed: a share of the lanes each time,
 * because a processor has room for some dozens of lines on their way. Of a set of few joints, most would be those
 * of others. */
static inline void prefetch_ahead(const lane_group *g, size_t from, size_t to) {
    const size_t count = g->crowd->skeleton->sets[g->targets->set].count;
    if (!g->next || g->crowd->per_joint || 2 * count < g->crowd->skeleton->joint_count)
        return;
    for (size_t i = PM_LANES * from / count; i < PM_LANES * to / count; i++)
        PM_SET_NAME(pm_lanes_prefetch)(g->crowd, &g->next->places, i);
}

PM_FLAT static void pose_lanes(lane_group *g) {
    const pm_crowd_data *crowd = g->crowd;
    const pm_joint *joints = crowd->sets[g->targets->set].joints;
    const size_t count = crowd->skeleton->sets[g->targets->set].count;
    const size_t size = crowd->per_joint ? 1 : PM_LANE_BLOCK;
    const pm_body root = placed(g);
    pm_body slots[PM_SLOTS];
    block_values block;
    block.found = 0;
    for (size_t j = 0; j < count; j++) {
        const pm_joint *joint = &joints[j];
        if (j % size == 0) {
            const size_t end = count - j < size ? count : j + size;
            prefetch_ahead(g, j, end);
            sample_block(g, joint, end - j, &block);
        }
        const lane_states s = states_of(g, &block, joint, j % size, &root, slots);
        if (joint->record != PM_NO_RECORD)
            put_states(g, &block, joint, j % size, &s);
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

/* Fewer words than lanes. */
static void put_few(const real *rows, size_t words, unsigned char *const to[PM_LANES],
                    size_t count) {
    float of[PM_LANES][PM_LANES];
    memcpy(of, rows, words * sizeof *of);
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < words; n++)
            memcpy(to[i] + n * sizeof(float), &of[n][i], sizeof(float));
}

/* Whole lines at a time. The last vector overlaps the one before it. */
PM_FLAT static void put_rows(const real *rows, size_t words, unsigned char *const to[PM_LANES],
                             size_t count) {
    for (size_t n = 0; n < words; n += PM_LANES) {
        const size_t at = n + PM_LANES <= words ? n : words - PM_LANES;
        real lanes[PM_LANES];
        transpose(rows + at, lanes);
        for (size_t i = 0; i < count; i++)
            memcpy(to[i] + at * sizeof(float), &lanes[i], sizeof *lanes);
    }
}

static void put_records(const lane_group *g, const pm_pose_target *target, const real *rows) {
    const size_t words = target->bytes / sizeof(float);
    const size_t left = g->batch->count - g->first, count = left < PM_LANES ? left : PM_LANES;
    unsigned char *to[PM_LANES];
    for (size_t i = 0; i < count; i++)
        to[i] = pm_lane_records(g->batch, g->first + i, target);
    if (words < PM_LANES)
        put_few(rows, words, to, count);
    else
        put_rows(rows, words, to, count);
}

/* Both lines of a row of a table. GCC leaves out calls of functions that only prefetch. */
static inline __attribute__((always_inline)) void prefetch_row(const void *row, size_t size) {
    __builtin_prefetch(row);
    __builtin_prefetch((const char *)row + size - 1);
}

/* Prefetches what locates the keys of a batch: the rows of its clips, then those of their timelines. */
static inline __attribute__((always_inline)) void prefetch_tables(const pm_lane_batch *batch) {
    const pm_crowd_data *crowd = batch->request->crowd;
    pm_u32 clips[PM_LANE_BATCH];
    for (size_t i = 0; i < batch->count; i++) {
        const pm_u32 clip = batch->request->instances[batch->index[i]].clip_a;
        clips[i] = clip < crowd->clip_count ? clip : 0;
        prefetch_row(&crowd->clips[clips[i]], sizeof *crowd->clips);
    }
    for (size_t i = 0; i < batch->count; i++) {
        const pm_u32 timeline = crowd->clips[clips[i]].timeline;
        prefetch_row(&crowd->timelines[timeline], sizeof *crowd->timelines);
        __builtin_prefetch(&crowd->rates[timeline]);
    }
}

void PM_SET_NAME(pm_bodies)(const pm_lane_batch *batch, const pm_lane_bodies *targets) {
    lane_group groups[2];
    prefetch_tables(batch);
    begin_group(batch, targets, 0, &groups[0]);
    for (size_t first = 0, n = 0; first < batch->count; first += PM_LANES, n ^= 1) {
        lane_group *group = &groups[n], *next = &groups[n ^ 1];
        group->next = first + PM_LANES < batch->count ? next : NULL;
        if (group->next)
            begin_group(batch, targets, first + PM_LANES, next);
        pose_lanes(group);
        for (unsigned o = 0; o < PM_BODY_OUTPUTS; o++)
            if (group->rows[o])
                put_records(group, targets->of[o], group->rows[o]);
    }
}
