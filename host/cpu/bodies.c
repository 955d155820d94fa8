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
    size_t first;      /* instance */
    bool moves;        /* velocities are asked for */
    bool angles_alone; /* nothing but angles of hinges and their rates is asked for */
    pm_lane_levels levels;
    pm_mask without_clip;        /* lanes that rest */
    real *rows[PM_BODY_OUTPUTS]; /* NULL: not asked for */
    bool puts_own;               /* outputs relative to parents are asked for */
    pm_u32 scalar_first;         /* bit n: rotations of output n are w x y z */
    const float *points;         /* whose velocities are asked for; NULL: the origins' */
    pm_lane_times times;
    pm_lane_places places;
};

static void set_lane(lane_group *g, size_t lane, float *without_clip) {
    const pm_pose_request *request = g->batch->request;
    const size_t at = pm_lane_place(g->batch, g->first, lane), index = g->batch->index[at];
    const pm_crowd_instance *instances = request->instances.memory;
    const float *speeds = request->speeds.memory;
    const pm_resolved r = pm_instance_resolved(g->crowd, &instances[index]);
    const pm_input *input = &r.inputs[0];
    pm_lane_set_level(&g->levels, lane, g->crowd, &r);
    pm_lane_set_time(&g->times, lane, g->crowd, input);
    g->times.speed[lane] = speeds ? speeds[index] : 1.0f;
    without_clip[lane] = input->op == PM_OP_NONE ? 1.0f : 0.0f;
}

/* Rows of the outputs that are asked for. */
static void find_outputs(lane_group *g) {
    real *rows = g->batch->rows;
    g->moves = g->puts_own = false;
    g->angles_alone = true;
    g->scalar_first = 0;
    g->points = NULL;
    for (unsigned o = 0; o < PM_BODY_OUTPUTS; o++) {
        const pm_pose_target *target = g->targets->of[o];
        g->rows[o] = target ? rows : NULL;
        if (!target)
            continue;
        rows += target->bytes / sizeof(float);
        g->moves = g->moves || PM_BODY_RATES >> o & 1;
        g->puts_own = g->puts_own || o >= PM_BODY_LOCAL_ROT;
        g->angles_alone = g->angles_alone && o >= PM_BODY_ANGLE;
        g->scalar_first |= target->flags & PM_TARGET_SCALAR_FIRST ? 1u << o : 0;
        if (o == PM_BODY_VEL && target->flags & PM_TARGET_AT_POINT)
            g->points = g->crowd->skeleton->points;
    }
}

static void begin_group(const pm_lane_batch *batch, const pm_lane_bodies *targets, size_t first,
                        lane_group *g) {
    float without_clip[PM_LANES];
    g->batch = batch;
    g->crowd = batch->request->crowd;
    g->targets = targets;
    g->first = first;
    g->levels.rests = false;
    find_outputs(g);
    for (size_t i = 0; i < PM_LANES; i++)
        set_lane(g, i, without_clip);
    g->without_clip = pm_reals_of(without_clip) != PM_REAL(0.0f);
    g->levels.rests = g->levels.rests || pm_any(g->without_clip);
    g->places.per_joint = pm_lanes_per_joint(g->crowd, &g->times);
    if (!g->places.per_joint)
        PM_SET_NAME(pm_lanes_locate)(g->crowd, &g->times, 0, g->moves, &g->places);
}

static pm_mask rest_mask(const lane_group *g, pm_u32 joint) {
    return pm_lanes_resting(&g->levels, g->crowd, joint) | g->without_clip;
}

/* Joints of a block relative to their parents, with their derivatives, and of hinges the angles with theirs.
 * Positions are those of joints that clips move. */
typedef struct lane_block {
    pm_lane_values values, rates;
    real angles[PM_LANE_BLOCK], angle_rates[PM_LANE_BLOCK];
} lane_block;

/* A block of the numbers of a row: the root's position and angles of hinges, of which the turns are halves. */
enum { BLOCK_NUMBERS = 4 * PM_LANE_BLOCK };
typedef struct block_numbers {
    pm_lane_values values, rates; /* positions, four numbers to a quad */
    pm_cos_sin turns[BLOCK_NUMBERS];
    size_t found; /* the number of the block, and 1; 0: none */
} block_numbers;

static inline real number_at(const pm_lane_values *numbers, size_t n) {
    real number;
    memcpy(&number, (const char *)numbers->of[PM_POSITIONS] + n * sizeof number, sizeof number);
    return number;
}

/* Samples the block that has number n. All of its hinges turn at once, because each is a long chain of operations
 * that wait for each other. */
static inline void find_numbers(const lane_group *g, size_t n, block_numbers *to) {
    const size_t first = n / BLOCK_NUMBERS * BLOCK_NUMBERS;
    const size_t end = PM_FIRST_SCALAR + g->crowd->skeleton->hinge_count;
    if (to->found == n / BLOCK_NUMBERS + 1)
        return;
    to->found = n / BLOCK_NUMBERS + 1;
    PM_SET_NAME(pm_lanes_sample_numbers)
    (g->crowd, &g->places, first / 4, &to->values, g->moves ? &to->rates : NULL);
    if (g->angles_alone)
        return;
    for (size_t k = first ? 0 : PM_FIRST_SCALAR; k < BLOCK_NUMBERS && first + k < end; k++)
        to->turns[k] = pm_half_turn(number_at(&to->values, k));
}

static inline bool is_moved(const pm_joint *joint, unsigned c) {
    return joint->animated >> c & 1;
}

static inline void set_hinge(const lane_group *g, const pm_hinge_joint *hinge, size_t k,
                             block_numbers *numbers, lane_block *to) {
    const size_t n = hinge->number % BLOCK_NUMBERS;
    find_numbers(g, hinge->number, numbers);
    to->values.of[PM_ROTATIONS][k] = pm_hinge_rotation(*hinge, numbers->turns[n]);
    to->angles[k] = number_at(&numbers->values, n);
    if (!g->moves)
        return;
    to->angle_rates[k] = number_at(&numbers->rates, n);
    to->rates.of[PM_ROTATIONS][k] = pm_hinge_spin(*hinge, to->angle_rates[k]);
}

/* What is not sampled of joint k of a block: a hinge, and what no clip moves. In skeletons with hinges the root's
 * position is that of the row's numbers. */
static inline void set_others(const lane_group *g, const pm_joint *joint, size_t k,
                              block_numbers *numbers, lane_block *to) {
    const pm_hinge_joint *hinges = g->crowd->skeleton->hinges;
    if (g->puts_own)
        to->angles[k] = to->angle_rates[k] = PM_REAL(0.0f);
    if (hinges && is_moved(joint, PM_POSITIONS)) {
        find_numbers(g, 0, numbers);
        to->values.of[PM_POSITIONS][k] = numbers->values.of[PM_POSITIONS][0];
        if (g->moves)
            to->rates.of[PM_POSITIONS][k] = numbers->rates.of[PM_POSITIONS][0];
    }
    if (hinges && hinges[joint->number].number) {
        set_hinge(g, &hinges[joint->number], k, numbers, to);
    } else if (!is_moved(joint, PM_ROTATIONS)) {
        to->values.of[PM_ROTATIONS][k] = pm_spread(joint->rotation);
        to->rates.of[PM_ROTATIONS][k] = pm_quat_zero();
    }
}

/* Joint k of a block keeps its rest pose in the lanes of `still`. Hinges rest at their references. */
static inline void set_resting(const lane_group *g, const pm_joint *joint, size_t k, pm_mask still,
                               lane_block *to) {
    const pm_hinge_joint *hinges = g->crowd->skeleton->hinges;
    const pm_quat zero = pm_quat_zero();
    const float *const rest[] = {
        [PM_ROTATIONS] = joint->rotation, [PM_POSITIONS] = joint->position};
    for (unsigned c = PM_ROTATIONS; c <= PM_POSITIONS; c++) {
        if (c == PM_POSITIONS && !is_moved(joint, c))
            continue;
        to->values.of[c][k] = pm_quat_select(still, pm_spread(rest[c]), to->values.of[c][k]);
        if (g->moves)
            to->rates.of[c][k] = pm_quat_select(still, zero, to->rates.of[c][k]);
    }
    if (!g->puts_own)
        return;
    to->angles[k] =
        pm_select(still, PM_REAL(hinges ? hinges[joint->number].reference : 0.0f), to->angles[k]);
    to->angle_rates[k] = pm_select(still, PM_REAL(0.0f), to->angle_rates[k]);
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
    const bool scalar_first = g->scalar_first >> output & 1;
    if (!g->rows[output])
        return;
    real *row = g->rows[output] + 4 * record;
    put_vector(row + scalar_first, q);
    row[scalar_first ? 0 : 3] = q.w;
}

static inline void put_number(const lane_group *g, unsigned output, size_t record, real number) {
    if (g->rows[output])
        g->rows[output][record] = number;
}

/* A joint in the world. */
static inline void put_body(const lane_group *g, const pm_joint *joint, const pm_body *body) {
    const size_t record = joint->record;
    pm_quat velocity = body->velocity;
    if (g->points)
        velocity = pm_velocity_at(*body, pm_spread(g->points + (size_t)4 * joint->number));
    if (g->rows[PM_BODY_POS])
        put_vector(g->rows[PM_BODY_POS] + 3 * record, body->position);
    put_turn(g, PM_BODY_ROT, record, body->rotation);
    put_rate(g, PM_BODY_VEL, record, velocity);
    put_rate(g, PM_BODY_ANG_VEL, record, body->spin);
}

/* Joint k of a block relative to its parent. */
static inline void put_own(const lane_group *g, const lane_block *block, const pm_joint *joint,
                           size_t k) {
    const size_t record = joint->record;
    put_turn(g, PM_BODY_LOCAL_ROT, record, block->values.of[PM_ROTATIONS][k]);
    put_rate(g, PM_BODY_LOCAL_ANG_VEL, record, block->rates.of[PM_ROTATIONS][k]);
    put_number(g, PM_BODY_ANGLE, record, block->angles[k]);
    put_number(g, PM_BODY_ANGLE_RATE, record, pm_positive_zero(block->angle_rates[k]));
}

/* The places of the lanes' instances in the world, without a motion. */
static pm_body placed(const lane_group *g) {
    const pm_quat zero = pm_quat_zero();
    pm_body body = {zero, zero, zero, zero};
    const float *rotations[PM_LANES], *positions[PM_LANES];
    const pm_placement *placements = g->batch->request->placements.memory;
    if (!placements)
        return body;
    for (size_t i = 0; i < PM_LANES; i++) {
        const size_t place = pm_lane_place(g->batch, g->first, i);
        const pm_placement *at = &placements[g->batch->index[place]];
        rotations[i] = at->rotation;
        positions[i] = at->position;
    }
    body.rotation = pm_gather_quats(rotations);
    body.position = pm_gather_quats(positions);
    body.position.w = PM_REAL(0.0f);
    return body;
}

/* A transform with its velocities, without numbers that are 0. */
typedef struct body_slot {
    pm_quat rotation;
    real position[3], velocity[3], spin[3];
} body_slot;

static inline pm_quat vector_of(const real *row) {
    return pm_quat_of(row[0], row[1], row[2], PM_REAL(0.0f));
}

static inline pm_body load_slot(const body_slot *slot) {
    const pm_body body = {slot->rotation, vector_of(slot->position), vector_of(slot->velocity),
                          vector_of(slot->spin)};
    return body;
}

static inline void store_slot(body_slot *slot, const pm_body *body) {
    slot->rotation = body->rotation;
    put_vector(slot->position, body->position);
    put_vector(slot->velocity, body->velocity);
    put_vector(slot->spin, body->spin);
}

/* Joint k of a block relative to its parent. */
static inline pm_body own_of(const lane_group *g, const lane_block *block, const pm_joint *joint,
                             size_t k) {
    const pm_quat zero = pm_quat_zero();
    pm_body own = {block->values.of[PM_ROTATIONS][k], pm_spread(joint->position), zero, zero};
    if (g->moves)
        own.spin = block->rates.of[PM_ROTATIONS][k];
    if (is_moved(joint, PM_POSITIONS)) {
        own.position = block->values.of[PM_POSITIONS][k];
        if (g->moves)
            own.velocity = block->rates.of[PM_POSITIONS][k];
    }
    return own;
}

/* Joints of a block in the world. Their transforms go to their slots, for their children. A joint that follows its
 * parent takes the rotation at once, and does not wait until it is in the slot. Not inlined: the loop needs all
 * registers. */
PM_FLAT static __attribute__((noinline)) void
pose_block(const lane_group *g, const pm_joint *joints, size_t count, const lane_block *block,
           const pm_body *root, body_slot slots[PM_SLOTS]) {
    pm_quat rotation = pm_quat_zero();
    pm_u32 slot = PM_NO_SLOT; /* of the joint before */
    for (size_t k = 0; k < count; k++) {
        const pm_joint *joint = &joints[k];
        const bool shifts = is_moved(joint, PM_POSITIONS);
        pm_body body = own_of(g, block, joint, k);
        if (joint->parent != PM_NO_SLOT) {
            pm_body parent = load_slot(&slots[joint->parent]);
            if (joint->parent == slot)
                parent.rotation = rotation;
            body = pm_body_product(parent, body, g->moves, shifts);
        } else {
            body = root ? pm_body_product(*root, body, g->moves, shifts) : pm_body_of_root(body);
        }
        if (joint->slot != PM_NO_SLOT)
            store_slot(&slots[joint->slot], &body);
        rotation = body.rotation;
        slot = joint->slot;
        if (joint->record != PM_NO_RECORD)
            put_body(g, joint, &body);
    }
}

/* Finds a block of joints, and puts what is relative to their parents. */
static void find_block(lane_group *g, const pm_joint *joints, size_t count, block_numbers *numbers,
                       lane_block *to) {
    const pm_crowd_data *crowd = g->crowd;
    unsigned channels = 0;
    for (size_t k = 0; k < count; k++)
        channels |= joints[k].animated & (crowd->skeleton->hinges ? 1 << PM_ROTATIONS : CHANNELS);
    if (channels && g->places.per_joint)
        PM_SET_NAME(pm_lanes_locate)(crowd, &g->times, joints->number, g->moves, &g->places);
    PM_SET_NAME(pm_lanes_sample)
    (crowd, &g->places, joints, count, channels, &to->values, g->moves ? &to->rates : NULL);
    for (size_t k = 0; k < count; k++)
        set_others(g, &joints[k], k, numbers, to);
    for (size_t k = 0; k < count && g->levels.rests; k++)
        set_resting(g, &joints[k], k, rest_mask(g, joints[k].number), to);
    for (size_t k = 0; k < count && g->puts_own; k++)
        if (joints[k].record != PM_NO_RECORD)
            put_own(g, to, &joints[k], k);
}

/* Prefetches keys of the next lanes while joints [from, to) of these are posed: a share of the lanes each time,
 * because a processor has room for some dozens of lines on their way. Of a set of few joints, most would be those
 * of others. */
static inline void prefetch_ahead(const lane_group *g, size_t from, size_t to) {
    const size_t count = g->crowd->skeleton->sets[g->targets->set].count;
    if (!g->next || g->next->places.per_joint || 2 * count < g->crowd->skeleton->joint_count)
        return;
    const unsigned channels = g->angles_alone ? 1 << PM_POSITIONS : CHANNELS;
    for (size_t i = PM_LANES * from / count; i < PM_LANES * to / count; i++)
        PM_SET_NAME(pm_lanes_prefetch)(g->crowd, &g->next->places, channels, i);
}

/* Angles of hinges and their rates, which need neither turns nor the joints before them. */
PM_FLAT static void put_angles(const lane_group *g, const pm_joint *joint, block_numbers *numbers) {
    const pm_hinge_joint *hinges = g->crowd->skeleton->hinges;
    const real zero = PM_REAL(0.0f);
    const size_t n = hinges ? hinges[joint->number].number : 0;
    real angle = zero, rate = zero;
    if (n) {
        find_numbers(g, n, numbers);
        angle = number_at(&numbers->values, n % BLOCK_NUMBERS);
        rate = g->moves ? number_at(&numbers->rates, n % BLOCK_NUMBERS) : zero;
    }
    if (g->levels.rests) {
        const pm_mask still = rest_mask(g, joint->number);
        angle = pm_select(still, PM_REAL(hinges ? hinges[joint->number].reference : 0.0f), angle);
        rate = pm_select(still, zero, rate);
    }
    put_number(g, PM_BODY_ANGLE, joint->record, angle);
    put_number(g, PM_BODY_ANGLE_RATE, joint->record, pm_positive_zero(rate));
}

PM_FLAT static void pose_lanes(lane_group *g) {
    const pm_crowd_data *crowd = g->crowd;
    const pm_joint *joints = crowd->sets[g->targets->set].joints;
    const size_t count = crowd->skeleton->sets[g->targets->set].count;
    const size_t size = g->places.per_joint ? 1 : PM_LANE_BLOCK;
    const bool is_placed = pm_is_given(&g->batch->request->placements);
    const pm_body root = placed(g);
    body_slot slots[PM_SLOTS];
    lane_block block;
    block_numbers numbers;
    numbers.found = 0;
    for (size_t j = 0; j < count; j += size) {
        const size_t in_block = count - j < size ? count - j : size;
        prefetch_ahead(g, j, j + in_block);
        for (size_t k = j; k < j + in_block && g->angles_alone; k++)
            if (joints[k].record != PM_NO_RECORD)
                put_angles(g, &joints[k], &numbers);
        if (g->angles_alone)
            continue;
        find_block(g, &joints[j], in_block, &numbers, &block);
        pose_block(g, &joints[j], in_block, &block, is_placed ? &root : NULL, slots);
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
    const pm_crowd_instance *instances = batch->request->instances.memory;
    pm_u32 clips[PM_LANE_BATCH];
    for (size_t i = 0; i < batch->count; i++) {
        const pm_u32 clip = instances[batch->index[i]].clip_a;
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
