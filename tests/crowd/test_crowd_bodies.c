/* SPDX-License-Identifier: MIT
 *
 * States of bodies: positions, rotations and velocities agree with differences of the oracle's poses in
 * double precision, for every method, at the ends of clips, on keys, with places, speeds and points.
 * Every reader gives the same bits.
 */
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/stack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "crowd/crowd.h"
#include "engine/engine.h"

enum { INSTANCES = 33, FIELDS = 8, STENCIL = 9, MIDDLE = 4 };

static const size_t widths[FIELDS] = {3, 4, 3, 3, 4, 3, 1, 1};

/* What a job is given beside instances. */
typedef struct body_job {
    const pm_crowd_instance *instances;
    size_t count;
    const pm_placement *placements;
    const float *speeds;
    uint32_t subset;
    uint64_t flags[FIELDS];
    const bool *on_key; /* (count): times that lie on a key */
    bool on_reference;
} body_job;

typedef struct states {
    float *of[FIELDS];
} states;

static size_t records_of(const scene *s, uint32_t subset) {
    return subset ? s->subsets[subset - 1].joint_count : s->joints;
}

/* The states of all instances, by one job. */
static states states_make(const scene *s, const body_job *b) {
    states made;
    pm_crowd_target targets[FIELDS];
    const size_t records = b->count * records_of(s, b->subset);
    for (size_t f = 0; f < FIELDS; f++) {
        made.of[f] = guarded_floats(records * widths[f]);
        targets[f] = (pm_crowd_target){.output = (pm_crowd_output)(PM_CROWD_BODY_POS + f),
                                       .subset = b->subset,
                                       .memory = made.of[f],
                                       .flags = b->flags[f]};
    }
    const pm_crowd_job job = {.instances = b->instances,
                              .instance_count = b->count,
                              .outputs = targets,
                              .output_count = FIELDS,
                              .placements = b->placements,
                              .speeds = b->speeds,
                              .on_reference = b->on_reference};
    expect_success(pm_crowd_pose(s->crowd, &job, new_error()));
    for (size_t f = 0; f < FIELDS; f++)
        for (size_t i = 0; i < records * widths[f]; i++)
            if (is_poison(made.of[f][i]))
                fail_msg("field %zu: float %zu was not written", f, i);
    return made;
}

static void states_free(states *made) {
    for (size_t f = 0; f < FIELDS; f++)
        guarded_free(made->of[f]);
}

/* ---- differences of the oracle's poses --------------------------------------------------------- */

/* A body in the world and relative to its parent, with velocities. */
typedef struct body_truth {
    quat rotation, local_rotation;
    vec3 position, velocity, spin, local_spin;
} body_truth;

/* The angular velocity in the body's own axes from rotations at the places of a stencil, and weights. */
static vec3 spin_of(const quat q[STENCIL], const double weights[STENCIL]) {
    quat sum = {0, 0, 0, 0};
    for (size_t k = 0; k < STENCIL; k++)
        sum =
            quat_add(sum, quat_scale(q[k], (quat_dot(q[k], q[MIDDLE]) < 0 ? -1 : 1) * weights[k]));
    const quat v = quat_multiply(quat_conjugate(q[MIDDLE]), sum);
    return (vec3){2 * v.x, 2 * v.y, 2 * v.z};
}

/* A first derivative of fourth order, and of third order on one side of a time, which serves on keys and
 * at ends. That one leaves out the time itself, which is up to a tick from its key. */
typedef struct stencil {
    int64_t step; /* ticks */
    double weights[STENCIL];
} stencil;

static const stencil central = {1 << 15, {0, 0, 1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12, 0, 0}};
static const stencil ahead = {1 << 16, {0, 0, 0, 0, 0, -13.0 / 3, 9.5, -7, 11.0 / 6}};
static const stencil behind = {1 << 16, {-11.0 / 6, 7, -9.5, 13.0 / 3, 0, 0, 0, 0, 0}};
static const stencil both = {
    1 << 16, /* the mean of these two */
    {-11.0 / 12, 3.5, -4.75, 13.0 / 6, 0, -13.0 / 6, 4.75, -3.5, 11.0 / 12}};

/* Clamped times are those of the clip's ends. */
static int64_t time_of(const scene *s, const pm_crowd_instance *n) {
    const int64_t ticks = crowd_oracle_ticks(s->oracle, n->clip_a);
    if (n->flags & PM_CROWD_CLAMP_A)
        return n->time_a < 0 ? 0 : n->time_a > ticks ? ticks : n->time_a;
    return ticks ? (n->time_a % ticks + ticks) % ticks : 0;
}

static const stencil *stencil_of(const scene *s, const pm_crowd_instance *n, bool on_key) {
    const int64_t ticks = crowd_oracle_ticks(s->oracle, n->clip_a), time = time_of(s, n);
    const bool at_end = time == 0 || time == ticks;
    if (s->options.looped)
        return on_key || at_end ? &both : &central;
    return time == 0 ? &ahead : time == ticks ? &behind : on_key ? &both : &central;
}

/* The world transform of each joint from local poses, scales left out. */
static void walk_chain(const scene *s, const joint_pose *poses, quat *rotations, vec3 *positions) {
    for (size_t k = 0; k < s->joints; k++) {
        const size_t joint = s->order[k];
        const int32_t parent = s->parents[joint];
        rotations[joint] = poses[joint].rotation;
        positions[joint] = poses[joint].position;
        if (parent < 0)
            continue;
        rotations[joint] = quat_multiply(rotations[parent], rotations[joint]);
        positions[joint] =
            vec3_add(positions[parent], quat_rotate(rotations[parent], positions[joint]));
    }
}

static void find_truth(const scene *s, const pm_crowd_instance *n, bool on_key, body_truth *to) {
    const stencil *from = stencil_of(s, n, on_key);
    joint_pose *poses[STENCIL];
    quat *rotations[STENCIL];
    vec3 *positions[STENCIL];
    double weights[STENCIL];
    for (size_t k = 0; k < STENCIL; k++) {
        pm_crowd_instance at = *n;
        at.time_a = time_of(s, n) + ((int64_t)k - MIDDLE) * from->step;
        if (s->options.looped)
            at.flags = 0;
        weights[k] = from->weights[k] * PM_TICKS_PER_SECOND / (double)from->step;
        poses[k] = test_array(s->joints, sizeof(joint_pose));
        rotations[k] = test_array(s->joints, sizeof(quat));
        positions[k] = test_array(s->joints, sizeof(vec3));
        crowd_oracle_pose(s->oracle, &at, poses[k]);
        walk_chain(s, poses[k], rotations[k], positions[k]);
    }
    for (size_t j = 0; j < s->joints; j++) {
        quat near[STENCIL], world[STENCIL];
        vec3 velocity = {0, 0, 0};
        for (size_t k = 0; k < STENCIL; k++) {
            near[k] = poses[k][j].rotation;
            world[k] = rotations[k][j];
            velocity = vec3_add(velocity, vec3_scale(positions[k][j], weights[k]));
        }
        to[j] = (body_truth){.rotation = world[MIDDLE],
                             .local_rotation = near[MIDDLE],
                             .position = positions[MIDDLE][j],
                             .velocity = velocity,
                             .spin = quat_rotate(world[MIDDLE], spin_of(world, weights)),
                             .local_spin = spin_of(near, weights)};
    }
    for (size_t k = 0; k < STENCIL; k++) {
        free(poses[k]);
        free(rotations[k]);
        free(positions[k]);
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Largest errors: of positions relative to the reach of the chain, of rotations in radians, of
 * velocities relative to the sum of the chain's angular speeds and a tenth of its greatest rate of keys, times
 * the reach where they are linear: 1e-5 of it is 1e-5 of the speeds and 1e-6 of the rate. */
typedef struct body_error {
    double position, rotation, velocity, spin, local;
} body_error;

static vec3 vector_at(const float *from) {
    return (vec3){(double)from[0], (double)from[1], (double)from[2]};
}

static quat rotation_at(const float *from, bool scalar_first) {
    return scalar_first
               ? (quat){(double)from[1], (double)from[2], (double)from[3], (double)from[0]}
               : (quat){(double)from[0], (double)from[1], (double)from[2], (double)from[3]};
}

static double apart(vec3 a, vec3 b) {
    const double error = vec3_norm(vec3_subtract(a, b));
    return isnan(error) ? HUGE_VAL : error;
}

/* Of the chain that ends in a joint: the sums of its lengths, angular speeds and linear speeds, the
 * greatest rate of keys, and the number of joints. */
typedef struct chain_size {
    double reach, spin, speed, rate, joints;
} chain_size;

/* Ticks from a joint's last key before a time, and to the next one behind it, around a loop. */
typedef struct key_distances {
    int64_t since, until;
} key_distances;

static key_distances distances_of(const scene *s, const pm_crowd_instance *n, size_t joint) {
    const test_track *tracks = s->sets[n->clip_a].tracks;
    const int64_t ticks = crowd_oracle_ticks(s->oracle, n->clip_a), time = time_of(s, n);
    key_distances d = {ticks, ticks};
    double first = HUGE_VAL;
    for (size_t j = 0; j < s->joints; j++)
        first = fmin(first, tracks[j].times[0]);
    for (size_t k = 0; ticks && k < tracks[joint].key_count; k++) {
        const int64_t since = (time - pm_crowd_ticks(tracks[joint].times[k] - first)) % ticks;
        const int64_t before = since < 0 ? since + ticks : since;
        d.since = before < d.since ? before : d.since;
        d.until = ticks - before < d.until ? ticks - before : d.until;
    }
    return d;
}

/* Keys per second of the segment that a time is in; 0 where there is one key. */
static double rate_of(const scene *s, const pm_crowd_instance *n, size_t joint) {
    const key_distances d = distances_of(s, n, joint);
    return s->sets[n->clip_a].tracks[joint].key_count > 1
               ? PM_TICKS_PER_SECOND / (double)(d.since + d.until)
               : 0;
}

/* Whether differences would reach across a key that the time is not on. */
static bool is_near_key(const scene *s, const pm_crowd_instance *n, bool on_key) {
    const stencil *from = stencil_of(s, n, on_key);
    const int64_t reach = MIDDLE * from->step, on = from == &central ? -1 : 2;
    for (size_t j = 0; j < s->joints; j++) {
        const key_distances d = distances_of(s, n, j);
        const int64_t nearest = d.since < d.until ? d.since : d.until;
        if (nearest > on && nearest < reach)
            return true;
    }
    return false;
}

static chain_size size_of(const scene *s, const joint_pose *poses, const body_truth *truth,
                          const double *speeds, const double *rates, size_t joint) {
    chain_size size = {0, 0, 0, 0, 0};
    for (int32_t j = (int32_t)joint; j >= 0; j = s->parents[j]) {
        size.reach += vec3_norm(poses[j].position);
        size.spin += vec3_norm(truth[j].local_spin);
        size.speed += speeds[j];
        size.rate = fmax(size.rate, rates[j]);
        size.joints++;
    }
    return size;
}

static body_truth placed(body_truth b, const pm_placement *place, double speed) {
    b.velocity = vec3_scale(b.velocity, speed);
    b.spin = vec3_scale(b.spin, speed);
    b.local_spin = vec3_scale(b.local_spin, speed);
    if (!place)
        return b;
    const quat turn = rotation_at(place->rotation, false);
    b.position = vec3_add(vector_at(place->position), quat_rotate(turn, b.position));
    b.velocity = quat_rotate(turn, b.velocity);
    b.spin = quat_rotate(turn, b.spin);
    b.rotation = quat_multiply(turn, b.rotation);
    return b;
}

/* How fast a joint's position relative to its parent changes, on the faster side of the time: past an
 * end it changes on the inner side alone. */
static void find_speeds(const scene *s, const pm_crowd_instance *n, double *speeds) {
    enum { STEP = 1 << 15 };
    SCOPED(free_at)
    joint_pose *a = test_array(s->joints, sizeof *a), *b = test_array(s->joints, sizeof *b);
    pm_crowd_instance at = *n;
    for (size_t j = 0; j < s->joints; j++)
        speeds[j] = 0;
    for (int side = -1; side <= 1; side += 2) {
        at.time_a = time_of(s, n);
        crowd_oracle_pose(s->oracle, &at, a);
        at.time_a += side * STEP;
        crowd_oracle_pose(s->oracle, &at, b);
        for (size_t j = 0; j < s->joints; j++)
            speeds[j] =
                fmax(speeds[j], apart(a[j].position, b[j].position) * PM_TICKS_PER_SECOND / STEP);
    }
}

/* Rotations are products of float32, one a joint. A component of a product has four roundings and one of
 * its length, each uniform within 2^-26 where partial sums are mostly below 1/2: their variance is 5/3 x
 * 2^-52. Three components turn a quaternion, by twice their length, so that a product turns it by
 * 1.1 x 2^-24 rad rms, and a chain of n by sqrt(n) times that. Nearly four times that leaves room for
 * the samples of the joints, which add variance of their own; that of one is within 3e-7. */
static double rotation_bound(double joints) {
    return 3e-7 + 4 * 0x1p-24 * sqrt(joints);
}

static body_error error_of(const scene *s, const body_job *b, const states *got) {
    body_error worst = {0, 0, 0, 0, 0};
    const size_t records = records_of(s, b->subset);
    SCOPED(free_at) body_truth *truth = test_array(s->joints, sizeof *truth);
    SCOPED(free_at) joint_pose *poses = test_array(s->joints, sizeof *poses);
    SCOPED(free_at) double *speeds = test_array(s->joints, sizeof *speeds);
    SCOPED(free_at) double *rates = test_array(s->joints, sizeof *rates);
    for (size_t i = 0; i < b->count; i++) {
        const pm_placement *place = b->placements ? &b->placements[i] : NULL;
        const double speed = b->speeds ? (double)b->speeds[i] : 1;
        find_truth(s, &b->instances[i], b->on_key[i], truth);
        find_speeds(s, &b->instances[i], speeds);
        for (size_t j = 0; j < s->joints; j++)
            rates[j] = rate_of(s, &b->instances[i], j);
        crowd_oracle_pose(s->oracle, &b->instances[i], poses);
        for (size_t r = 0; r < records; r++) {
            const size_t joint = b->subset ? s->subsets[b->subset - 1].joints[r] : s->order[r];
            const size_t at = i * records + r;
            const chain_size size = size_of(s, poses, truth, speeds, rates, joint);
            const body_truth want = placed(truth[joint], place, speed);
            /* where nothing moves, differences in double leave less than 1e-9 */
            const double spin = fabs(speed) * (size.spin + 0.1 * size.rate + 1e-4);
            const double fast = fabs(speed) * (size.speed + 1e-4) + spin * size.reach;
            const double away = place ? vec3_norm(vector_at(place->position)) : 0;
            vec3 point = {0, 0, 0};
            if (b->flags[2] & PM_TARGET_AT_POINT)
                point = vector_at((const float *)s->skeleton_desc.points.data + 3 * joint);
            const vec3 at_point =
                quat_rotate(want.rotation, point); /* v + w x R p, of the body in the world */
            const vec3 swing = {want.spin.y * at_point.z - want.spin.z * at_point.y,
                                want.spin.z * at_point.x - want.spin.x * at_point.z,
                                want.spin.x * at_point.y - want.spin.y * at_point.x};
            worst.position =
                fmax(worst.position, apart(vector_at(got->of[0] + 3 * at), want.position) /
                                         (size.reach + away + 1e-3));
            worst.rotation =
                fmax(worst.rotation,
                     oracle_error(quat_normalise(rotation_at(got->of[1] + 4 * at,
                                                             b->flags[1] & PM_TARGET_SCALAR_FIRST)),
                                  want.rotation) /
                         rotation_bound(size.joints));
            worst.velocity = fmax(worst.velocity, apart(vector_at(got->of[2] + 3 * at),
                                                        vec3_add(want.velocity, swing)) /
                                                      (fast + spin * vec3_norm(point)));
            worst.spin = fmax(worst.spin, apart(vector_at(got->of[3] + 3 * at), want.spin) / spin);
            worst.rotation =
                fmax(worst.rotation,
                     oracle_error(quat_normalise(rotation_at(got->of[4] + 4 * at,
                                                             b->flags[4] & PM_TARGET_SCALAR_FIRST)),
                                  want.local_rotation) /
                         rotation_bound(1));
            worst.local =
                fmax(worst.local, apart(vector_at(got->of[5] + 3 * at), want.local_spin) / spin);
        }
    }
    return worst;
}

static void expect_error_below(const char *what, body_error e) {
    print_message("# %-32s position %.1e rotation %.1e velocity %.1e spin %.1e local %.1e\n", what,
                  e.position, e.rotation, e.velocity, e.spin, e.local);
    assert_true(e.position <= 2e-6);
    assert_true(e.rotation <= 1); /* parts of rotation_bound */
    assert_true(e.velocity <= 1e-5);
    assert_true(e.spin <= 1e-5);
    assert_true(e.local <= 1e-5);
}

/* ---- scenes ---------------------------------------------------------------------------------- */

/* Any clip and time; a third lie on keys, some of them at the ends and beyond. */
static pm_crowd_instance any_instance(random_source *source, const scene *s, bool *on_key) {
    pm_crowd_instance n = scene_instance(source, s);
    n.weight = 0;
    n.level = 0;
    n.flags &= PM_CROWD_CLAMP_A;
    *on_key = false;
    if (s->options.times == SCENE_UNIFORM && random_bits(source) % 3 == 0) {
        const pm_timeline *line = &s->uniform[n.clip_a];
        const double key = (double)(random_bits(source) % (line->key_count + 2)) - 1;
        n.time_a = pm_crowd_ticks(key * (double)line->rate.den / (double)line->rate.num);
        *on_key = true;
    }
    return n;
}

static pm_crowd_instance some_instance(random_source *source, const scene *s, bool *on_key) {
    pm_crowd_instance n = any_instance(source, s, on_key);
    while (is_near_key(s, &n, *on_key))
        n = any_instance(source, s, on_key);
    return n;
}

static void fill_job(random_source *source, const scene *s, pm_crowd_instance *instances,
                     pm_placement *placements, float *speeds, bool *on_key, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double q[4];
        instances[i] = some_instance(source, s, &on_key[i]);
        random_quaternion(source, q);
        for (size_t c = 0; c < 4; c++)
            placements[i].rotation[c] = (float)q[c];
        for (size_t c = 0; c < 4; c++)
            placements[i].position[c] = (float)random_between(source, -3, 3);
        speeds[i] = (float)random_between(source, -2, 2);
    }
}

/* The states of a job in plain C, in the lanes of an instruction set. */
static void expect_reference(scene *s, const body_job *b, size_t instruction_set,
                             const states *wanted) {
    const size_t widest = s->crowd->latest->data->instruction_set;
    body_job job = *b;
    job.on_reference = true;
    s->crowd->latest->data->instruction_set = instruction_set;
    SCOPED(states_free) states found = states_make(s, &job);
    s->crowd->latest->data->instruction_set = widest;
    for (size_t f = 0; f < FIELDS; f++)
        expect_same_bits(wanted->of[f], found.of[f],
                         b->count * records_of(s, b->subset) * widths[f], widths[f]);
}

/* Each instance alone, with its own place and speed. */
static void expect_ones(const scene *s, const body_job *b, const states *all) {
    for (size_t f = 0; f < FIELDS; f++) {
        const size_t floats = records_of(s, b->subset) * widths[f];
        SCOPED(guarded_free_at) float *records = guarded_floats(floats);
        for (size_t i = 0; i < b->count; i++) {
            const pm_crowd_one one = {.instance = &b->instances[i],
                                      .output = (pm_crowd_output)(PM_CROWD_BODY_POS + f),
                                      .subset = b->subset,
                                      .flags = b->flags[f],
                                      .placement = b->placements ? &b->placements[i] : NULL,
                                      .speed = b->speeds ? &b->speeds[i] : NULL};
            expect_success(pm_crowd_pose_one(s->crowd, &one, records, new_error()));
            expect_same_bits(records, all->of[f] + i * floats, floats, widths[f]);
        }
    }
}

static void expect_scene_on(pm_engine *engine, const scene_options *options, const char *what) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[INSTANCES];
    pm_placement placements[INSTANCES];
    float speeds[INSTANCES], points[3 * 64];
    bool on_key[INSTANCES];
    random_source source = random_salted(options->salt + 0x200);
    const size_t count = small_sizes() ? 5 : INSTANCES;
    scene_make(engine, options, &s);
    for (size_t i = 0; i < 3 * s.joints; i++)
        points[i] = (float)random_between(&source, -0.5, 0.5);
    scene_undo(&s);
    s.skeleton_desc.points = (pm_array){.data = points};
    scene_finish(engine, &s);
    fill_job(&source, &s, instances, placements, speeds, on_key, count);
    for (unsigned kind = 0; kind < 3; kind++) {
        body_job b = {.instances = instances,
                      .count = count,
                      .on_key = on_key,
                      .placements = kind == 1 ? placements : NULL,
                      .speeds = kind == 1 ? speeds : NULL,
                      .subset = kind == 2 ? 2 : 0,
                      .flags = {0, PM_TARGET_SCALAR_FIRST * (kind == 1),
                                PM_TARGET_AT_POINT * (kind != 0), 0,
                                PM_TARGET_SCALAR_FIRST * (kind == 2), 0}};
        SCOPED(states_free) states device = states_make(&s, &b);
        expect_error_below(what, error_of(&s, &b, &device));
        for (size_t set = 0; set < pm_instruction_set_count(); set++)
            if (pm_instruction_set_is_supported(set))
                expect_reference(&s, &b, set, &device);
        expect_ones(&s, &b, &device);
    }
}

static void expect_scene(void **state, const scene_options *options, const char *what) {
    expect_scene_on(engine_for(state), options, what);
}

TEST_ON_BOTH(states_of_every_method_agree_with_differences) {
    static const char *const names[] = {
        "slerp",   "nlerp",       "squad",    "circular-c2", "hermite",     "spline", "sterp",
        "bspline", "cubicspline", "circular", "circular-c1", "circular-c3", "ncubic", "cubic"};
    const size_t all = sizeof names / sizeof *names;
    const size_t count = small_sizes() ? 2 : has_few_programs(state) ? 4 : all;
    for (size_t i = 0; i < count; i++) {
        const variant *v = variant_named(names[i]);
        if (can_compile_motion(engine_for(state), v->method))
            expect_scene(state,
                         &(scene_options){.salt = 0xE00 + i, .curve = v, .root_positions = i % 2},
                         names[i]);
    }
}

TEST_ON_BOTH(states_of_every_kind_of_clips_agree_with_differences) {
    static const scene_options scenes[] = {
        {.salt = 0xE21, .looped = true},
        {.salt = 0xE22, .times = SCENE_LISTED},
        {.salt = 0xE23, .times = SCENE_LISTED, .looped = true},
        {.salt = 0xE24, .times = SCENE_PER_JOINT},
        {.salt = 0xE25, .times = SCENE_PER_JOINT_UNEVEN},
        {.salt = 0xE26, .times = SCENE_STAGGERED, .looped = true},
        {.salt = 0xE27, .without_positions = true},
        {.salt = 0xE28, .shape = SCENE_CHAIN, .joints = 64},
        {.salt = 0xE29, .shape = SCENE_FOREST, .joints = 37},
        {.salt = 0xE2A, .key_format = PM_KEYS_LOG48},
        {.salt = 0xE2B, .key_format = PM_KEYS_SMALLEST48},
        {.salt = 0xE2C, .root_positions = true, .joints = 24},
        {.salt = 0xE2D, .root_positions = true, .key_format = PM_KEYS_LOG48},
        {.salt = 0xE2E, .root_positions = true, .times = SCENE_PER_JOINT_UNEVEN, .looped = true},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char what[32];
        if (small_sizes() && scenes[i].key_format == PM_KEYS_SMALLEST48) /* a program of its own */
            continue;
        snprintf(what, sizeof what, "scene %#llx", (unsigned long long)scenes[i].salt);
        expect_scene(state, &scenes[i], what);
    }
}

/* Of a clip that does not exist: the rest pose, placed, without velocities. */
TEST_ON_BOTH(states_without_a_clip_rest) {
    SCOPED(scene_free) scene s;
    scene_make(engine_for(state), &(scene_options){.salt = 0xE40}, &s);
    const pm_crowd_instance n = {.clip_a = (uint32_t)s.clip_count, .time_a = 12345};
    const pm_placement place = {{0, 0, 0.6f, 0.8f}, {1, 2, 3, NAN}};
    const float speed = 3;
    SCOPED(free_at) joint_pose *poses = test_array(s.joints, sizeof *poses);
    SCOPED(free_at) quat *rotations = test_array(s.joints, sizeof *rotations);
    SCOPED(free_at) vec3 *positions = test_array(s.joints, sizeof *positions);
    SCOPED(states_free)
    states got = states_make(
        &s, &(body_job){.instances = &n, .count = 1, .placements = &place, .speeds = &speed});
    crowd_oracle_pose(s.oracle, &n, poses);
    walk_chain(&s, poses, rotations, positions);
    for (size_t k = 0; k < s.joints; k++) {
        const size_t joint = s.order[k];
        const body_truth want = placed(
            (body_truth){.rotation = rotations[joint], .position = positions[joint]}, &place, 0);
        assert_true(apart(vector_at(got.of[0] + 3 * k), want.position) < 1e-5);
        assert_true(oracle_error(quat_normalise(rotation_at(got.of[1] + 4 * k, false)),
                                 want.rotation) < 1e-6);
        for (size_t f = 2; f < FIELDS; f++)
            for (size_t c = 0; c < widths[f] && f != 4; c++)
                assert_true(got.of[f][widths[f] * k + c] == 0);
    }
}

/* ---- hinges ----------------------------------------------------------------------------------- */

/* Hinges of a scene, in an order of their own, and the arrays of their angles and tangents in each clip. */
typedef struct hinge_set {
    pm_hinge hinges[64];
    size_t count;
    double *numbers[SCENE_CLIPS_MAX][3];
    pm_scalars scalars[SCENE_CLIPS_MAX];
} hinge_set;

static void hinges_free(hinge_set *set) {
    for (size_t n = 0; n < SCENE_CLIPS_MAX; n++)
        for (size_t i = 0; i < 3; i++)
            free(set->numbers[n][i]);
}

/* The hinge of a joint, or NULL. */
static const pm_hinge *hinge_of(const hinge_set *set, size_t joint) {
    for (size_t h = 0; h < set->count; h++)
        if (set->hinges[h].joint == joint)
            return &set->hinges[h];
    return NULL;
}

static void choose_hinges(random_source *source, const scene *s, bool all, hinge_set *set) {
    for (size_t j = 0; j < s->joints; j++) {
        double axis[3];
        random_direction(source, axis);
        if (all ? j == s->order[0] : j % 3 == 1)
            continue;
        const size_t at = random_bits(source) % (set->count + 1);
        set->hinges[set->count++] = set->hinges[at];
        set->hinges[at] = (pm_hinge){.joint = (uint32_t)j,
                                     .axis = {(float)axis[0], (float)axis[1], (float)axis[2]},
                                     .reference = (float)random_between(source, -1, 1)};
    }
}

/* Of keys of hinges, in radians. */
enum { MOST_ANGLE = 20 };

/* The angles of a clip, of several turns. The oracle has those of a joint as the x of its scales, which are
 * curves of the same method. Rows of odd clips are longer than their numbers. */
static void give_angles(random_source *source, scene *s, size_t n, hinge_set *set) {
    track_set *from = &s->sets[n];
    const size_t keys = from->tracks[0].key_count, row = set->count + n % 2;
    const bool closes = s->options.looped && n % 2;
    double *const of_oracle[3] = {from->scales, from->scales_in, from->scales_out};
    pm_scalars *scalars = &set->scalars[n];
    pm_array *const arrays[3] = {&scalars->keys, &scalars->keys_in, &scalars->keys_out};
    for (size_t i = 0; i < 3; i++) {
        double *to = set->numbers[n][i] = test_array(keys * row, sizeof *to);
        memset(of_oracle[i], 0, 3 * keys * s->joints * sizeof **of_oracle);
        for (size_t at = 0; at < keys * set->count; at++) {
            const size_t key = at / set->count, h = at % set->count;
            const bool is_same = closes && key + 1 == keys;
            to[key * row + h] = is_same ? to[h] : random_between(source, -MOST_ANGLE, MOST_ANGLE);
            of_oracle[i][3 * (key * s->joints + set->hinges[h].joint)] = to[key * row + h];
        }
        *arrays[i] = (pm_array){to, PM_FLOAT64, n % 2 ? row * sizeof *to : 0};
    }
    scalars->count = set->count;
    s->clips[n].scalars = scalars;
    s->stored[n].scales = (pm_array){from->scales, PM_FLOAT64, 0};
}

/* Two thirds of the joints of a scene that is undone become hinges, or all but the first root. */
static void make_hinges(random_source *source, scene *s, bool all, hinge_set *set) {
    *set = (hinge_set){.count = 0};
    choose_hinges(source, s, all, set);
    for (size_t n = 0; n < s->clip_count; n++)
        give_angles(source, s, n, set);
    s->skeleton_desc.hinges = set->hinges;
    s->skeleton_desc.hinge_count = set->count;
}

/* A scene with hinges, whose clips have the positions of the first root alone. */
static void make_robot(pm_engine *engine, const scene_options *options, bool all, scene *s,
                       hinge_set *set) {
    random_source source = random_salted(options->salt + 0x100);
    scene_make(engine, options, s);
    const size_t root = s->order[0];
    uint32_t *order = test_array(s->joints, sizeof *order);
    memcpy(order, s->order, s->joints * sizeof *order);
    scene_undo(s);
    s->order = order; /* the skeleton's is gone */
    scene_root_alone(s, root);
    make_hinges(&source, s, all, set);
    free(order);
    scene_finish(engine, s);
}

/* The angle, its rate, and the rotation relative to the parent of a hinge in a clip, from the oracle. */
static void expect_hinges(const scene *s, const hinge_set *set, const states *got, size_t i,
                          const pm_crowd_instance *n) {
    enum { STEP = 1 << 15 };
    SCOPED(free_at)
    joint_pose *at = test_array(s->joints, sizeof *at), *later = test_array(s->joints, sizeof *at);
    SCOPED(free_at) joint_pose *before = test_array(s->joints, sizeof *at);
    pm_crowd_instance beside = *n;
    crowd_oracle_pose(s->oracle, n, at);
    beside.time_a = n->time_a + STEP;
    crowd_oracle_pose(s->oracle, &beside, later);
    beside.time_a = n->time_a - STEP;
    crowd_oracle_pose(s->oracle, &beside, before);
    for (size_t k = 0; k < s->joints; k++) {
        const size_t joint = s->order[k], row = i * s->joints + k;
        const pm_hinge *h = hinge_of(set, joint);
        if (!h) {
            assert_true(got->of[6][row] == 0 && got->of[7][row] == 0);
            continue;
        }
        const double rate =
            (later[joint].scale.x - before[joint].scale.x) * PM_TICKS_PER_SECOND / (2 * STEP);
        const double half = 0.5 * ((double)got->of[6][row] - (double)h->reference);
        const quat rest = rotation_at(s->rotations + 4 * joint, false);
        const quat turn = {(double)h->axis[0] * sin(half), (double)h->axis[1] * sin(half),
                           (double)h->axis[2] * sin(half), cos(half)};
        const vec3 spin = vec3_scale(vector_at(h->axis), rate);
        /* Numbers are interpolated like vectors, whose errors are relative to the largest key. */
        assert_true(fabs((double)got->of[6][row] - at[joint].scale.x) <= 4e-7 * MOST_ANGLE);
        assert_true(fabs((double)got->of[7][row] - rate) <= 1e-4 * (1 + fabs(rate)));
        assert_true(apart(vector_at(got->of[5] + 3 * row), spin) <= 1e-4 * (1 + fabs(rate)));
        assert_true(oracle_error(quat_normalise(rotation_at(got->of[4] + 4 * row, false)),
                                 quat_normalise(quat_multiply(rest, turn))) <=
                    4e-7 + 0x1p-24 * fabs(2 * half));
        if (k == 0) /* of a root without a placement */
            assert_true(apart(vector_at(got->of[0] + 3 * row), at[joint].position) <= 1e-6);
    }
}

static pm_crowd_instance instance_of_robot(random_source *source, const scene *s, size_t i) {
    const uint32_t clip = (uint32_t)(i % s->clip_count);
    const pm_timeline *line = &s->uniform[clip];
    const double key = (double)(random_bits(source) % (line->key_count - 1));
    const double seconds =
        (key + random_between(source, 0.1, 0.9)) * (double)line->rate.den / (double)line->rate.num;
    return (pm_crowd_instance){.clip_a = clip, .time_a = pm_crowd_ticks(seconds), .flags = 1};
}

/* Instance i is also posed 2^-14 s before and after, in the same segment. */
static void expect_robot(pm_engine *engine, bool in_plain_c, const scene_options *options) {
    enum { COUNT = 24 };
    SCOPED(scene_free) scene s;
    SCOPED(hinges_free) hinge_set set;
    pm_crowd_instance instances[3 * COUNT];
    random_source source = random_salted(options->salt + 0x200);
    make_robot(engine, options, false, &s, &set);
    for (size_t i = 0; i < COUNT; i++) {
        instances[i] = instance_of_robot(&source, &s, i);
        instances[COUNT + i] = instances[2 * COUNT + i] = instances[i];
        instances[COUNT + i].time_a -= 1 << 18;
        instances[2 * COUNT + i].time_a += 1 << 18;
    }
    const body_job b = {.instances = instances, .count = 3 * COUNT, .on_reference = in_plain_c};
    SCOPED(states_free) states got = states_make(&s, &b);
    for (size_t i = 0; i < COUNT; i++)
        expect_hinges(&s, &set, &got, i, &instances[i]);
    for (size_t at = 0; at < 3 * COUNT * s.joints; at++) {
        const size_t step = 3 * COUNT * s.joints;
        const double slope =
            ((double)got.of[0][2 * step + at] - (double)got.of[0][step + at]) * 8192;
        const double speed = vec3_norm(vector_at(got.of[2] + at / 3 * 3));
        assert_true(fabs(slope - (double)got.of[2][at]) <= 0.05 * (20 + speed));
    }
    for (size_t n = 0; n < pm_instruction_set_count(); n++)
        if (pm_instruction_set_is_supported(n))
            expect_reference(&s, &b, n, &got);
}

TEST_ON_BOTH(states_of_hinges_turn_by_their_angles) {
    const scene_options scenes[] = {
        {.salt = 0xE71},
        {.salt = 0xE75, .vector_method = PM_VECTOR_CATMULL_ROM, .looped = true},
        {.salt = 0xE76, .shape = SCENE_FOREST, .joints = 37, .looped = true},
        {.salt = 0xE77, .key_format = PM_KEYS_LOG48},
        {.salt = 0xE78, .curve = variant_named("cubicspline"), .joints = 24},
        {.salt = 0xE79, .vector_method = PM_VECTOR_STEP, .joints = 1},
        {.salt = 0xE7A, .vector_method = PM_VECTOR_PARABOLAS_C2, .joints = 64},
        {.salt = 0xE7B, .vector_method = PM_VECTOR_PARABOLAS_C3},
        {.salt = 0xE7C, .vector_method = PM_VECTOR_SPLINE, .looped = true},
        {.salt = 0xE7D, .vector_method = PM_VECTOR_SPLINE, .joints = 24},
        {.salt = 0xE7E, .curve = variant_named("bspline")},
        {.salt = 0xE7F, .curve = variant_named("cubic"), .looped = true},
    };
    const size_t all = sizeof scenes / sizeof *scenes;
    const size_t count = small_sizes() ? 2 : has_few_programs(state) ? 4 : all;
    for (size_t i = 0; i < count; i++)
        expect_robot(engine_for(state), !is_for_device(state), &scenes[i]);
}

typedef struct one_call {
    const pm_crowd *crowd;
    const pm_crowd_instance *instance;
    pm_crowd_output output;
    float *records;
    pm_status status;
} one_call;

static void pose_one(void *context) {
    one_call *call = context;
    call->status = pm_crowd_pose_one(
        call->crowd, &(pm_crowd_one){.instance = call->instance, .output = call->output},
        call->records, NULL);
}

/* Hinges are found beside other joints: they take more than states of balls alone. */
TEST_ON_REFERENCE(states_of_one_robot_take_the_stack_that_is_stated) {
    SCOPED(scene_free) scene s;
    SCOPED(hinges_free) hinge_set set;
    float records[4 * 64];
    random_source source = random_salted(0xE90);
    if (!stack_is_that_of_a_release())
        skip();
    make_robot(engine_for(state),
               &(scene_options){.salt = 0xE90, .joints = 64, .curve = variant_named("cubicspline")},
               true, &s, &set);
    const size_t widest = s.crowd->latest->data->instruction_set;
    const pm_crowd_instance instance = instance_of_robot(&source, &s, 0);
    for (size_t n = 0; n <= widest; n++)
        for (unsigned o = PM_CROWD_BODY_POS; o < PM_CROWD_OUTPUT_COUNT; o++) {
            one_call call = {s.crowd, &instance, (pm_crowd_output)o, records, PM_OK};
            s.crowd->latest->data->instruction_set = n;
            const size_t taken = stack_taken(pose_one, &call);
            s.crowd->latest->data->instruction_set = widest;
            assert_int_equal(call.status, PM_OK);
            printf("# stack of a robot, output %u, %s: %zu\n", o, pm_instruction_set_name(n),
                   taken);
            assert_true(taken > 0 && taken <= PM_CROWD_ONE_STACK);
        }
}

/* A subset in the order of a list has the states of a job of all joints. */
TEST_ON_BOTH(states_of_some_hinges_are_those_of_all) {
    enum { COUNT = 21 };
    SCOPED(scene_free) scene s;
    SCOPED(hinges_free) hinge_set set;
    pm_crowd_instance instances[COUNT];
    random_source source = random_salted(0xE82);
    make_robot(engine_for(state), &(scene_options){.salt = 0xE83, .joints = 40}, false, &s, &set);
    for (size_t i = 0; i < COUNT; i++) {
        instances[i] = scene_instance(&source, &s);
        instances[i].weight = 0;
    }
    body_job b = {.instances = instances, .count = COUNT, .on_reference = !is_for_device(state)};
    SCOPED(states_free) states whole = states_make(&s, &b);
    for (uint32_t subset = 1; subset <= SCENE_SUBSETS; subset++) {
        b.subset = subset;
        SCOPED(states_free) states some = states_make(&s, &b);
        const size_t records = records_of(&s, subset);
        for (size_t at = 0; at < COUNT * records; at++) {
            const size_t slot =
                pm_skeleton_slots(s.skeleton)[s.subsets[subset - 1].joints[at % records]];
            const size_t from = at / records * s.joints + slot;
            for (size_t f = 0; f < FIELDS; f++)
                expect_same_bits(whole.of[f] + from * widths[f], some.of[f] + at * widths[f],
                                 widths[f], widths[f]);
        }
    }
}

/* Clips with the rotations of the root alone have the states of those of all joints, which are hinges. */
TEST_ON_BOTH(rotations_of_hinges_need_not_be_given) {
    enum { COUNT = 24 };
    static const scene_options scenes[] = {{.salt = 0xE72},
                                           {.salt = 0xE73, .key_format = PM_KEYS_LOG48},
                                           {.salt = 0xE74, .times = SCENE_LISTED, .looped = true}};
    for (size_t n = 0; n < sizeof scenes / sizeof *scenes; n++) {
        SCOPED(scene_free) scene s;
        SCOPED(hinges_free) hinge_set set;
        pm_crowd_instance instances[COUNT];
        random_source source = random_salted(scenes[n].salt + 0x300);
        make_robot(engine_for(state), &scenes[n], true, &s, &set);
        const uint32_t root = s.order[0];
        for (size_t i = 0; i < COUNT; i++) {
            instances[i] = scene_instance(&source, &s);
            instances[i].weight = 0;
        }
        const body_job b = {
            .instances = instances, .count = COUNT, .on_reference = !is_for_device(state)};
        SCOPED(states_free) states whole = states_make(&s, &b);
        pm_crowd_info before, after;
        pm_crowd_get_info(s.crowd, &before);
        scene_undo(&s);
        for (size_t c = 0; c < s.clip_count; c++) {
            s.clips[c].rotations = (pm_array){s.sets[c].rotations + 4 * (size_t)root, PM_FLOAT64,
                                              4 * s.joints * sizeof(double)};
            s.clips[c].root_rotations = true;
        }
        scene_finish(engine_for(state), &s);
        pm_crowd_get_info(s.crowd, &after);
        assert_true(after.device_bytes < before.device_bytes);
        SCOPED(states_free) states alone = states_make(&s, &b);
        for (size_t f = 0; f < FIELDS; f++)
            expect_same_bits(whole.of[f], alone.of[f], COUNT * s.joints * widths[f], widths[f]);
    }
}

/* The formula of docs/crowds.md: the numbers of a frame, four to 16 bytes, behind a rotation. */
TEST_ON_REFERENCE(a_frame_of_a_robot_takes_the_bytes_of_its_numbers) {
    static const struct {
        size_t hinges, bytes;
    } robots[] = {{29, 144}, {1, 32}, {2, 48}, {5, 48}, {19, 112}};
    enum { FRAMES = 1024 };
    const pm_timeline line = {.key_count = FRAMES, .rate = {30, 1}};
    SCOPED(free_at) float *numbers = test_array((size_t)FRAMES * 32, sizeof *numbers);
    for (size_t i = 0; i < (size_t)FRAMES * 32; i++)
        numbers[i] = i % 4 == 3 ? 1 : 0;
    for (size_t r = 0; r < sizeof robots / sizeof *robots; r++) {
        const size_t hinges = robots[r].hinges;
        pm_hinge described[29];
        int32_t parents[30];
        for (size_t j = 0; j <= hinges; j++)
            parents[j] = (int32_t)j - 1;
        for (size_t h = 0; h < hinges; h++)
            described[h] = (pm_hinge){.joint = (uint32_t)h + 1, .axis = {0, 0, 1}};
        const pm_skeleton_desc skeleton_desc = {.joint_count = hinges + 1,
                                                .parents = parents,
                                                .hinges = described,
                                                .hinge_count = hinges};
        const pm_scalars scalars = {.count = hinges, .keys.data = numbers};
        const pm_clip_desc clip = {.track_count = hinges + 1,
                                   .timelines = &line,
                                   .rotations.data = numbers,
                                   .positions.data = numbers,
                                   .scalars = &scalars,
                                   .root_positions = true,
                                   .root_rotations = true};
        pm_crowd_info info;
        SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
        SCOPED(pm_crowd_destroy)
        pm_crowd *crowd = crowd_make(engine_for(state), &skeleton_desc, &clip, 1, &skeleton);
        pm_crowd_get_info(crowd, &info);
        assert_int_equal(info.device_bytes,
                         176 * (hinges + 1) + 2 * 256 + FRAMES * robots[r].bytes);
    }
}

TEST_ON_REFERENCE(skeletons_with_hinges_have_states_of_bodies_alone) {
    SCOPED(scene_free) scene s;
    SCOPED(hinges_free) hinge_set set;
    float out[16 * 12];
    const pm_crowd_instance n = {0};
    make_robot(engine_for(state), &(scene_options){.salt = 0xE81}, false, &s, &set);
    const pm_crowd_target target = {.output = PM_CROWD_MODEL, .memory = out};
    const pm_crowd_job job = {
        .instances = &n, .instance_count = 1, .outputs = &target, .output_count = 1};
    expect_error(pm_crowd_pose(s.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "hinges");
    expect_error(pm_crowd_pose_one(s.crowd,
                                   &(pm_crowd_one){.instance = &n, .output = PM_CROWD_LOCAL}, out,
                                   new_error()),
                 PM_ERROR_ARGUMENT, "hinges");
}

/* Makes a crowd of the first clip, which is refused. */
static void expect_clip_refused(void **state, const scene *s, const pm_clip_desc *clip,
                                pm_status status, const char *text) {
    pm_crowd *crowd = NULL;
    const pm_crowd_desc desc = {.skeleton = s->skeleton, .clips = clip, .clip_count = 1};
    char said[PM_ERROR_TEXT_SIZE];
    assert_int_equal(pm_crowd_create(engine_for(state), &desc, &crowd, new_error()), status);
    pm_error_text(last_error(), PM_SPELLING_FIELD, said, sizeof said);
    if (!strstr(said, text))
        fail_msg("\"%s\" does not contain %s", said, text);
}

TEST_ON_REFERENCE(angles_that_clips_cannot_have_are_refused) {
    SCOPED(scene_free) scene s;
    SCOPED(hinges_free) hinge_set set;
    make_robot(engine_for(state), &(scene_options){.salt = 0xE84}, false, &s, &set);
    const pm_clip_desc good = s.clips[0];
    const size_t keys = s.sets[0].tracks[0].key_count;
    pm_timeline lines[2] = {good.timelines[0], good.timelines[0]};
    const double until_last =
        (double)(keys - 1) * (double)lines[0].rate.den / (double)lines[0].rate.num;
    pm_clip_desc clip = good;
    pm_scalars scalars = *good.scalars;
#define REFUSED(change, status, text)                                                              \
    do {                                                                                           \
        clip = good;                                                                               \
        scalars = *good.scalars;                                                                   \
        clip.scalars = &scalars;                                                                   \
        change;                                                                                    \
        expect_clip_refused(state, &s, &clip, status, text);                                       \
    } while (0)
    REFUSED(clip.scalars = NULL, PM_ERROR_ARGUMENT, "scalars");
    REFUSED(scalars.keys.data = NULL, PM_ERROR_ARGUMENT, "keys");
    REFUSED(scalars.count--, PM_ERROR_ARGUMENT, "scalars");
    REFUSED(scalars.count++, PM_ERROR_ARGUMENT, "scalars");
    REFUSED(scalars.count = SIZE_MAX, PM_ERROR_ARGUMENT, "scalars");
    REFUSED(clip.root_positions = false, PM_ERROR_ARGUMENT, "root_positions");
    REFUSED(clip.positions.data = NULL, PM_ERROR_ARGUMENT, "root_positions");
    REFUSED((clip.timelines = lines, clip.timeline_count = 2), PM_ERROR_ARGUMENT, "one timeline");
    REFUSED(scalars.keys.stride = 8 * scalars.count - 1, PM_ERROR_ARGUMENT, "scalars");
    REFUSED(scalars.keys.type = PM_CODED, PM_ERROR_ARGUMENT, "scalars");
    REFUSED((clip.vector_method = PM_VECTOR_CUBICSPLINE, clip.positions_in = clip.positions,
             clip.positions_out = clip.positions, scalars.keys_out.data = NULL),
            PM_ERROR_ARGUMENT, "scalars_out");
    REFUSED((clip.root_rotations = true, clip.method = PM_METHOD_HERMITE,
             clip.tangents = PM_TANGENTS_USER, clip.user_tangents = clip.positions),
            PM_ERROR_ARGUMENT, "tangents");
    REFUSED(clip.loop = until_last, PM_ERROR_TIME, "last key");
    pm_crowd *crowd = NULL;
    const pm_crowd_desc desc = {.skeleton = s.skeleton, .clips = &clip, .clip_count = 1};
    clip = good;
    clip.scalars = &scalars;
    scalars = *good.scalars;
    expect_next_refused(pm_scalars, scalars, last_error(),
                        pm_crowd_create(engine_for(state), &desc, &crowd, new_error()));
    const size_t last = keys * set.count - 1;
    const double was = set.numbers[0][0][last];
    set.numbers[0][0][last] = (double)NAN;
    REFUSED((void)0, PM_ERROR_KEY, "scalars");
    assert_int_equal(last_error()->track, set.count - 1);
    assert_int_equal(last_error()->key, keys - 1);
    set.numbers[0][0][last] = was;
    clip = good;
    clip.root_positions = false;
    expect_error(pm_clip_check(&clip, new_error()), PM_ERROR_ARGUMENT, "scalars");
    clip.scalars = NULL, clip.root_rotations = true;
    expect_error(pm_clip_check(&clip, new_error()), PM_ERROR_ARGUMENT, "root_rotations");
    s.skeleton_desc.hinges = NULL, s.skeleton_desc.hinge_count = 0;
    scene_undo(&s);
    for (size_t n = 0; n < s.clip_count; n++)
        s.clips[n].scalars = NULL;
    scene_finish(engine_for(state), &s);
    expect_clip_refused(state, &s, &good, PM_ERROR_ARGUMENT, "scalars");
}

TEST_ON_REFERENCE(hinges_that_do_not_exist_are_refused) {
    SCOPED(scene_free) scene s;
    SCOPED(hinges_free) hinge_set set;
    make_robot(engine_for(state), &(scene_options){.salt = 0xE85}, false, &s, &set);
    pm_skeleton *skeleton = NULL;
    const pm_hinge good = set.hinges[2];
#define REFUSED_HINGE(change, text)                                                                \
    do {                                                                                           \
        set.hinges[2] = good;                                                                      \
        change;                                                                                    \
        expect_error(pm_skeleton_create(&s.skeleton_desc, &skeleton, new_error()),                 \
                     PM_ERROR_ARGUMENT, text);                                                     \
    } while (0)
    REFUSED_HINGE(set.hinges[2].reference = NAN, "reference");
    expect_joint(last_error(), good.joint);
    REFUSED_HINGE(set.hinges[2].axis[0] += 0.5f, "axis");
    expect_joint(last_error(), good.joint);
    REFUSED_HINGE(memset(set.hinges[2].axis, 0, sizeof set.hinges[2].axis), "axis");
    REFUSED_HINGE(set.hinges[2].joint = set.hinges[3].joint, "two");
    expect_joint(last_error(), set.hinges[3].joint);
    REFUSED_HINGE(set.hinges[2].joint = (uint32_t)s.joints, "no joint");
    set.hinges[2] = good;
    s.skeleton_desc.hinge_count = s.joints + 1;
    expect_error(pm_skeleton_create(&s.skeleton_desc, &skeleton, new_error()), PM_ERROR_ARGUMENT,
                 "hinges");
    s.skeleton_desc.hinge_count = 0;
    expect_error(pm_skeleton_create(&s.skeleton_desc, &skeleton, new_error()), PM_ERROR_ARGUMENT,
                 "hinges");
}

/* Fields alone, at any stride, in the order of a list, and with the previous ones kept, are those of a
 * job of all fields in plain C. */
TEST_ON_BOTH(fields_do_not_depend_on_the_job) {
    enum { COUNT = 19, LISTED = 7 };
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[COUNT];
    bool on_key[COUNT];
    uint32_t indices[LISTED] = {18, 0, 7, 99, 3, 11, 2};
    random_source source = random_salted(0xE50);
    scene_make(engine_for(state), &(scene_options){.salt = 0xE51}, &s);
    for (size_t i = 0; i < COUNT; i++)
        instances[i] = some_instance(&source, &s, &on_key[i]);
    SCOPED(states_free)
    states all =
        states_make(&s, &(body_job){.instances = instances, .count = COUNT, .on_reference = true});
    for (size_t f = 0; f < FIELDS; f++) {
        const size_t floats = s.joints * widths[f], stride = floats + 5;
        SCOPED(guarded_free_at)
        float *one = guarded_floats(LISTED * stride), *before = guarded_floats(LISTED * stride);
        for (size_t i = 0; i < LISTED * stride; i++)
            one[i] = (float)i;
        const pm_crowd_target target = {.output = (pm_crowd_output)(PM_CROWD_BODY_POS + f),
                                        .memory = one,
                                        .previous = before,
                                        .stride = stride * sizeof *one};
        const pm_crowd_job job = {.instances = instances,
                                  .instance_count = COUNT,
                                  .outputs = &target,
                                  .output_count = 1,
                                  .indices = indices,
                                  .index_count = LISTED,
                                  .packed = true,
                                  .on_reference = !is_for_device(state)};
        expect_success(pm_crowd_pose(s.crowd, &job, new_error()));
        for (size_t i = 0; i < LISTED; i++)
            for (size_t c = 0; c < stride; c++) {
                const bool written = c < floats && indices[i] < COUNT;
                const float want =
                    written ? all.of[f][indices[i] * floats + c] : (float)(i * stride + c);
                assert_memory_equal(&one[i * stride + c], &want, sizeof want);
                if (c < floats)
                    assert_true(before[i * stride + c] == (float)(i * stride + c));
            }
    }
}

TEST_ON_REFERENCE(jobs_that_have_no_velocities_are_refused) {
    scene s;
    float out[64 * 4];
    scene_make(engine_for(state), &(scene_options){.salt = 0xE60}, &s);
    pm_crowd_instance n[2] = {{.clip_a = 0}, {.clip_a = 1}};
    pm_crowd_target target = {.output = PM_CROWD_BODY_VEL, .memory = out};
    const pm_crowd_layer layer = {.weight = 0};
    const pm_crowd_range ranges[2] = {{0, 0}};
    const pm_placement places[2] = {{{0, 0, 0, 1}, {0}}};
    pm_crowd_job job = {.instances = n, .instance_count = 2, .outputs = &target, .output_count = 1};
    n[1].weight = 0.5f;
    expect_error(pm_crowd_pose(s.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "clip B");
    expect_instance(last_error(), 1);
    n[1].clip_b = (uint32_t)s.clip_count; /* B does not exist, and has no effect */
    expect_success(pm_crowd_pose(s.crowd, &job, new_error()));
    pm_crowd_job tried = job;
    tried.layers = &layer, tried.layer_count = 1, tried.ranges = ranges;
    expect_error(pm_crowd_pose(s.crowd, &tried, new_error()), PM_ERROR_ARGUMENT, "layers");
    tried = job;
    tried.instances = NULL, tried.poses = out;
    expect_error(pm_crowd_pose(s.crowd, &tried, new_error()), PM_ERROR_ARGUMENT, "poses");
    target.flags = 4;
    expect_error(pm_crowd_pose(s.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "pm_target_flag");
    target.flags = PM_TARGET_SCALAR_FIRST;
    expect_error(pm_crowd_pose(s.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "SCALAR_FIRST");
    target.flags = PM_TARGET_AT_POINT;
    expect_error(pm_crowd_pose(s.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "no points");
    target = (pm_crowd_target){.output = PM_CROWD_LOCAL, .memory = out};
    tried = job;
    tried.placements = places;
    expect_error(pm_crowd_pose(s.crowd, &tried, new_error()), PM_ERROR_ARGUMENT, "placements");
    tried = job;
    tried.speeds = out;
    expect_error(pm_crowd_pose(s.crowd, &tried, new_error()), PM_ERROR_ARGUMENT, "speeds");
    const pm_crowd_one refused[] = {
        {.instance = n, .placement = places},
        {.instance = n, .speed = out},
        {.instance = n, .flags = 4},
        {.instance = n, .output = PM_CROWD_BODY_VEL, .flags = PM_TARGET_AT_POINT},
        {.instance = n, .output = PM_CROWD_BODY_VEL, .layers = &layer, .layer_count = 1}};
    static const char *const why[] = {"placements", "speeds", "pm_target_flag", "no points",
                                      "layers"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_error(pm_crowd_pose_one(s.crowd, &refused[i], out, new_error()), PM_ERROR_ARGUMENT,
                     why[i]);
    n[0].weight = 0.5f, n[0].clip_b = 1;
    expect_error(pm_crowd_pose_one(s.crowd,
                                   &(pm_crowd_one){.instance = n, .output = PM_CROWD_BODY_VEL}, out,
                                   new_error()),
                 PM_ERROR_ARGUMENT, "clip B");
    scene_free(&s);
    float point[3] = {0, 0, INFINITY};
    const int32_t root = -1;
    pm_skeleton *skeleton = NULL;
    const pm_skeleton_desc desc = {.joint_count = 1, .parents = &root, .points = {.data = point}};
    expect_error(pm_skeleton_create(&desc, &skeleton, new_error()), PM_ERROR_ARGUMENT, "points");
    expect_joint(last_error(), 0);
}

TEST_GROUP(NULL, engines_close)

int main(int argc, char **argv) {
    leave_out_crowds_on_rusticl("states_*on the device");
    return test_main(argc, argv);
}
