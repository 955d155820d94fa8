/* SPDX-License-Identifier: MIT
 *
 * Inverse kinematics of crowds: chains of two bones, aims, pins and feet on the ground against formulas in double
 * precision, written from docs/crowds.md with angles and matrices of rotations; reach, continuity, and the same bits on
 * every reader for any bytes.
 */
#include "engine/engine.h"
#include "oracle/crowd_oracle.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A figure: hips, spine, chest, head; leg; clavicle, arm with a joint that twists, and a wrist; the other leg. */
enum {
    HIPS,
    SPINE,
    CHEST,
    HEAD,
    THIGH,
    SHIN,
    FOOT,
    CLAVICLE,
    UPPER_ARM,
    TWIST,
    FOREARM,
    WRIST,
    HAND,
    OTHER_THIGH,
    OTHER_SHIN,
    OTHER_FOOT,
    JOINTS
};
enum {
    LEG,
    ARM,
    SPINE_AIM,
    GAZE,
    HAND_PIN,
    CHAINS,
    OTHER_LEG = CHAINS,
    STAND,
    STAND_Z,
    ALL_CHAINS
};
enum { COUNT = 53 };
static const double PI = 3.14159265358979323846;

static const int32_t parents[JOINTS] = {-1,    HIPS,  SPINE,       CHEST,     HIPS,  THIGH,
                                        SHIN,  CHEST, CLAVICLE,    UPPER_ARM, TWIST, FOREARM,
                                        WRIST, HIPS,  OTHER_THIGH, OTHER_SHIN};
static const double offsets[JOINTS][3] = {
    {0, 0.9, 0},      {0, 0.1, 0.01},   {0, 0.25, 0},    {0, 0.3, 0.05},
    {0.1, -0.05, 0},  {0.01, -0.42, 0}, {0, -0.43, 0},   {0.1, 0.2, 0},
    {0.12, 0, -0.01}, {0.14, 0, 0},     {0.15, 0.01, 0}, {0.2, 0, 0},
    {0.06, 0, 0.02},  {-0.1, -0.05, 0}, {0, -0.44, 0},   {0.01, -0.41, 0}};

static const uint32_t leg[] = {THIGH, SHIN, FOOT}, arm[] = {UPPER_ARM, FOREARM, HAND};
static const uint32_t spine[] = {SPINE, CHEST, HEAD}, gaze[] = {HEAD}, hand[] = {HAND};
static const uint32_t other_leg[] = {OTHER_THIGH, OTHER_SHIN, OTHER_FOOT},
                      stand[] = {HIPS, FOOT, OTHER_FOOT};
static const float shares[] = {1, 0.5f, 2};
static const pm_chain chains[ALL_CHAINS] = {
    {.kind = PM_CHAIN_TWO_BONES, .joints = leg, .joint_count = 3, .axis = {1, 0.1f, -0.05f}},
    {.kind = PM_CHAIN_TWO_BONES, .joints = arm, .joint_count = 3, .limit = 0.95f},
    {.kind = PM_CHAIN_AIM,
     .joints = spine,
     .joint_count = 3,
     .axis = {0, 1, 0},
     .forward = {0, 0.1f, 1},
     .shares = shares},
    {.kind = PM_CHAIN_AIM,
     .joints = gaze,
     .joint_count = 1,
     .axis = {0, 1, 0.2f},
     .forward = {0, 0, 1},
     .limit = 1.2f},
    {.kind = PM_CHAIN_PIN, .joints = hand, .joint_count = 1},
    {.kind = PM_CHAIN_TWO_BONES, .joints = other_leg, .joint_count = 3, .axis = {1, 0, 0}},
    {.kind = PM_CHAIN_STAND, .joints = stand, .joint_count = 3, .axis = {0, 1, 0}},
    {.kind = PM_CHAIN_STAND, .joints = stand, .joint_count = 3, .axis = {0, 0, 1}}};

typedef struct figure {
    float rotations[JOINTS][4], positions[JOINTS][3];
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    const uint32_t *slots;
} figure;

static void put_quat(float to[4], quat q) {
    to[0] = (float)q.x;
    to[1] = (float)q.y;
    to[2] = (float)q.z;
    to[3] = (float)q.w;
}

static quat turn_of(double x, double y, double z) {
    return quat_exp((vec3){x / 2, y / 2, z / 2});
}

/* The rest pose bends the elbow by half a radian; levels pose every third frame; the clip shows the rest pose alone. */
static void figure_make(pm_engine *engine, figure *f) {
    const pm_timeline timeline = {.key_count = 1, .rate = {1, 1}};
    const pm_level levels[] = {{.joints = NULL}, {.update_every = 3}};
    for (size_t j = 0; j < JOINTS; j++) {
        put_quat(f->rotations[j], j == FOREARM ? turn_of(0, 0.1, 0.5) : turn_of(0, 0, 0));
        for (size_t i = 0; i < 3; i++)
            f->positions[j][i] = (float)offsets[j][i];
    }
    const pm_skeleton_desc desc = {.joint_count = JOINTS,
                                   .parents = parents,
                                   .rotations = {.data = f->rotations},
                                   .positions = {.data = f->positions},
                                   .levels = levels,
                                   .level_count = COUNT_OF(levels),
                                   .chains = chains,
                                   .chain_count = ALL_CHAINS};
    const pm_clip_desc clip = {.track_count = JOINTS,
                               .timelines = &timeline,
                               .rotations = {.data = f->rotations},
                               .positions = {.data = f->positions}};
    f->skeleton = NULL;
    f->crowd = NULL;
    expect_success(pm_skeleton_create(&desc, &f->skeleton, new_error()));
    const pm_crowd_desc crowd = {.skeleton = f->skeleton, .clips = &clip, .clip_count = 1};
    expect_success(pm_crowd_create(engine, &crowd, &f->crowd, new_error()));
    f->slots = pm_skeleton_slots(f->skeleton);
}

static void figure_free(figure *f) {
    pm_crowd_destroy(&f->crowd);
    pm_skeleton_destroy(&f->skeleton);
}

/* The record of a joint in local poses. */
static float *record_of(const figure *f, float *poses, size_t instance, size_t joint) {
    return poses + 12 * (instance * JOINTS + f->slots[joint]);
}

/* ---- the oracle: spaces of joints in the model ------------------------------------------------ */

typedef struct space {
    quat rotation;
    vec3 origin;
    double scale;
} space;

typedef struct pose {
    joint_pose joints[JOINTS];
} pose;

static pose pose_of(const figure *f, float *poses, size_t instance) {
    pose p;
    for (size_t j = 0; j < JOINTS; j++) {
        const float *r = record_of(f, poses, instance, j);
        p.joints[j] = (joint_pose){
            quat_normalise((quat){(double)r[0], (double)r[1], (double)r[2], (double)r[3]}),
            {(double)r[4], (double)r[5], (double)r[6]},
            {(double)r[8], (double)r[9], (double)r[10]}};
    }
    return p;
}

static space space_of(const pose *p, int32_t joint) {
    if (joint < 0)
        return (space){{0, 0, 0, 1}, {0, 0, 0}, 1};
    const space above = space_of(p, parents[joint]);
    const joint_pose *own = &p->joints[joint];
    return (space){
        quat_multiply(above.rotation, own->rotation),
        vec3_add(above.origin, vec3_scale(quat_rotate(above.rotation, own->position), above.scale)),
        above.scale * own->scale.x};
}

static vec3 cross(vec3 a, vec3 b) {
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static vec3 unit(vec3 a) {
    return vec3_scale(a, 1 / vec3_norm(a));
}

static vec3 vector_of(const float v[3]) {
    return (vec3){(double)v[0], (double)v[1], (double)v[2]};
}

static quat about(vec3 axis, double angle) {
    return quat_exp(vec3_scale(axis, angle / 2));
}

static double angle_between(vec3 a, vec3 b) {
    return atan2(vec3_norm(cross(a, b)), vec3_dot(a, b));
}

static quat arc_of(vec3 a, vec3 b) {
    const vec3 axis = cross(a, b);
    return vec3_norm(axis) < 1e-12 ? (quat){0, 0, 0, 1} : about(unit(axis), angle_between(a, b));
}

/* The angle about a line from the side of one vector to that of another. */
static double side_angle(vec3 line, vec3 from, vec3 to) {
    const vec3 a = cross(line, from), b = cross(line, to);
    return atan2(vec3_dot(line, cross(a, b)), vec3_dot(a, b));
}

/* Part of a turn, by at most half a turn. */
static quat part_of(quat q, double part) {
    return quat_power(q.w < 0 ? quat_scale(q, -1) : q, part);
}

/* Turns a joint in model space by part of a turn there. */
static void turn_joint(pose *p, const pose *before, size_t joint, quat turn, double part) {
    const quat parent = space_of(before, parents[joint]).rotation;
    const quat own = quat_multiply(quat_conjugate(parent), quat_multiply(turn, parent));
    p->joints[joint].rotation = quat_multiply(part_of(own, part), p->joints[joint].rotation);
}

static double soft(double gap, double width) {
    return gap < width ? width * exp(gap / width - 1) : gap;
}

static double weight_of(float w) {
    return w > 0 ? fmin((double)w, 1) : 0;
}

/* How near a singular place an oracle came, as a part of what is too near: a distance, of two bones as a part of their
 * length, and an angle. */
typedef struct places {
    double distance, angle, margin;
} places;

static const places far_away = {0.15, 0.35, 1e9}, apart = {0.05, 0.0873, 1e9};

static void come_near(places *near, double distance, double bound) {
    near->margin = fmin(near->margin, distance / bound);
}

static quat goal_rotation(const pm_chain_goal *g) {
    return quat_normalise((quat){(double)g->rotation[0], (double)g->rotation[1],
                                 (double)g->rotation[2], (double)g->rotation[3]});
}

/* `fixed` is relative to the lower's parent. */
static void oracle_two_bones(pose *p, const pm_chain *c, vec3 fixed, const pm_chain_goal *g,
                             bool direction, places *near) {
    const pose was = *p;
    const int32_t u = (int32_t)c->joints[0], l = (int32_t)c->joints[1], e = (int32_t)c->joints[2];
    const space upper = space_of(p, u), lower = space_of(p, l), end = space_of(p, e);
    const vec3 a = vec3_subtract(lower.origin, upper.origin);
    const vec3 b = vec3_subtract(end.origin, lower.origin);
    const double A = vec3_norm(a), B = vec3_norm(b), L = A + B,
                 s = c->limit > 0 ? (double)c->limit : 0.97;
    const vec3 to = vec3_subtract(vector_of(g->position), upper.origin);
    const double d = vec3_norm(to), shorter = fmin(A, B);
    /* how far, softly; what remains to the whole length counts where it is small */
    const double outer = fmin((1 - s) * L, shorter), inner = fmin(0.03 * L, shorter);
    double rest = soft(L - d, outer);
    if (d - fabs(A - B) < inner)
        rest = 2 * shorter - soft(d - fabs(A - B), inner);
    const double reached = L - rest;
    /* the axis */
    const double sine = vec3_norm(cross(a, b)) / (A * B), sin2 = sin(PI / 90),
                 sin8 = sin(PI / 22.5);
    const double t = fmin(fmax((sine - sin2) / (sin8 - sin2), 0), 1), own = t * t * (3 - 2 * t);
    const vec3 f = quat_rotate(space_of(p, parents[l]).rotation, unit(fixed));
    const vec3 n = unit(vec3_add(vec3_scale(f, 1 - own), vec3_scale(unit(cross(a, b)), own)));
    /* the bend */
    const double an = vec3_dot(a, n), bn = vec3_dot(b, n);
    const double across = sqrt((A * A - an * an) * (B * B - bn * bn));
    const double wanted = (reached * reached - A * A - B * B - 2 * an * bn) / (2 * across);
    const double narrow = asin(sqrt(rest * (L + reached) / (4 * A * B)));
    const double bend = own < 1 ? acos(fmin(fmax(wanted, -1), 1)) : 2 * narrow;
    const double present = atan2(vec3_dot(n, cross(a, b)), vec3_dot(a, b) - an * bn);
    const quat turn = about(n, bend - present);
    const vec3 b2 = quat_rotate(turn, b), line = unit(vec3_add(a, b2)), aim = unit(to);
    quat swing = arc_of(line, aim);
    come_near(near, d, near->distance * L);
    come_near(near, d - fabs(A - B), (0.03 + near->distance) * L);
    come_near(near, PI - angle_between(line, aim), near->angle);
    if (weight_of(g->pole_weight) > 0) {
        const vec3 pole =
            direction ? vector_of(g->pole) : vec3_subtract(vector_of(g->pole), upper.origin);
        const vec3 side = own < 1 ? a : cross(line, n); /* of the lower, however straight */
        const double angle = side_angle(aim, quat_rotate(swing, side), pole);
        come_near(near, fmin(angle_between(pole, aim), PI - angle_between(pole, aim)), near->angle);
        if (g->pole_weight < 1)
            come_near(near, PI - fabs(angle), near->angle);
        swing = quat_multiply(about(aim, angle * weight_of(g->pole_weight)), swing);
    }
    if (g->weight < 1)
        come_near(near, fabs(swing.w), sin(near->angle / 2));
    const double w = weight_of(g->weight);
    if (w > 0) {
        turn_joint(p, &was, (size_t)l, turn, w);
        turn_joint(p, &was, (size_t)u, swing, w);
    }
    if (weight_of(g->rotation_weight) > 0) {
        const pose moved = *p;
        const quat rotation =
            quat_multiply(goal_rotation(g), quat_conjugate(space_of(p, e).rotation));
        come_near(near, fabs(rotation.w), sin(near->angle / 2));
        turn_joint(p, &moved, (size_t)e, rotation, weight_of(g->rotation_weight));
    }
}

static void oracle_aim(pose *p, const pm_chain *c, const pm_chain_goal *g, bool direction,
                       places *near) {
    pose whole = *p;
    const int32_t last = (int32_t)c->joints[c->joint_count - 1];
    const space first = space_of(p, last);
    const vec3 before = quat_rotate(first.rotation, unit(vector_of(c->forward)));
    for (size_t k = 0; k < c->joint_count; k++) {
        double rest = 0;
        for (size_t i = k; i < c->joint_count; i++)
            rest += c->shares ? (double)c->shares[i] : 1;
        const double share = (c->shares ? (double)c->shares[k] : 1) / rest;
        const space eye = space_of(&whole, last);
        const vec3 forward = quat_rotate(eye.rotation, unit(vector_of(c->forward)));
        const vec3 to = unit(vec3_subtract(vector_of(g->position), eye.origin));
        const double cone = (double)c->limit, angle = angle_between(before, to);
        quat all = arc_of(before, to);
        if (cone > 0)
            all = about(unit(cross(before, to)), cone - soft(cone - angle, 0.03 * cone));
        come_near(near, PI - angle, near->angle);
        come_near(near, vec3_norm(vec3_subtract(vector_of(g->position), eye.origin)),
                  2 * near->distance);
        const vec3 limited = quat_rotate(all, before);
        come_near(near, PI - angle_between(forward, limited), near->angle);
        quat turn = part_of(arc_of(forward, limited), share);
        if (k + 1 == c->joint_count && weight_of(g->pole_weight) > 0) {
            const vec3 line = quat_rotate(turn, forward);
            const vec3 up = quat_rotate(turn, quat_rotate(eye.rotation, unit(vector_of(c->axis))));
            pose turned = whole;
            turn_joint(&turned, &whole, c->joints[k], turn, 1);
            const vec3 pole =
                direction ? vector_of(g->pole)
                          : vec3_subtract(vector_of(g->pole), space_of(&turned, last).origin);
            const double roll = side_angle(line, up, pole);
            come_near(near, fmin(angle_between(pole, line), PI - angle_between(pole, line)),
                      near->angle);
            if (g->pole_weight < 1)
                come_near(near, PI - fabs(roll), near->angle);
            turn = quat_multiply(about(line, roll * weight_of(g->pole_weight)), turn);
        }
        if (g->weight < 1)
            come_near(near, fabs(turn.w), sin(near->angle / 2));
        const pose was = whole;
        turn_joint(p, &was, c->joints[k], turn, weight_of(g->weight));
        turn_joint(&whole, &was, c->joints[k], turn, 1);
    }
}

static void oracle_pin(pose *p, const pm_chain *c, const pm_chain_goal *g, places *near) {
    const pose was = *p;
    if (weight_of(g->rotation_weight) > 0) {
        const quat turn = quat_multiply(
            goal_rotation(g), quat_conjugate(space_of(p, (int32_t)c->joints[0]).rotation));
        come_near(near, fabs(turn.w), sin(near->angle / 2));
        turn_joint(p, &was, HIPS, turn, weight_of(g->rotation_weight));
    }
    const vec3 at = space_of(p, (int32_t)c->joints[0]).origin;
    const vec3 shift = vec3_scale(vec3_subtract(vector_of(g->position), at), weight_of(g->weight));
    p->joints[HIPS].position = vec3_add(p->joints[HIPS].position, shift);
}

/* `elbow` is the axis that the arm has of the rest pose. */
static void oracle_chain(pose *p, size_t chain, vec3 elbow, const pm_chain_goal *g, bool direction,
                         places *near) {
    const pm_chain *c = &chains[chain];
    if (c->kind == PM_CHAIN_PIN)
        oracle_pin(p, c, g, near);
    else if (c->kind == PM_CHAIN_AIM)
        oracle_aim(p, c, g, direction, near);
    else
        oracle_two_bones(p, c, chain == LEG ? vector_of(c->axis) : elbow, g, direction, near);
}

/* ---- material ---------------------------------------------------------------------------------- */

/* Local poses: limbs bent by 10 to 120 degrees, others turned a little; joints in the limbs by any angle. Uniform
 * scales. */
static void random_poses(random_source *source, const figure *f, float *poses) {
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < JOINTS; j++) {
            float *r = record_of(f, poses, i, j);
            double any[4];
            vec3 v = {random_between(source, -0.4, 0.4), random_between(source, -0.4, 0.4),
                      random_between(source, -0.4, 0.4)};
            if (j == SHIN || j == OTHER_SHIN)
                v = (vec3){random_between(source, 0.2, 2), v.y / 4, v.z / 4};
            if (j == FOREARM)
                v = (vec3){v.x, v.y / 4, random_between(source, 0.4, 2)};
            put_quat(r, turn_of(v.x, v.y, v.z));
            if (j == THIGH || j == OTHER_THIGH || j == UPPER_ARM || j == HIPS) {
                random_quaternion(source, any);
                put_quat(r, quat_of(any));
            }
            for (size_t k = 0; k < 3; k++) {
                r[4 + k] = (float)(offsets[j][k] + random_between(source, -0.01, 0.01));
                r[8 + k] = j == CHEST || j == UPPER_ARM ? 1.1f : 1;
            }
            r[7] = r[11] = 0;
        }
}

static pm_chain_goal random_goal(random_source *source, size_t i) {
    pm_chain_goal g = {.weight = i % 3 ? 1 : (float)random_unit(source),
                       .pole_weight = i % 4 == 0   ? 0
                                      : i % 4 == 1 ? (float)random_unit(source)
                                                   : 1,
                       .rotation_weight = i % 5 < 3    ? 0
                                          : i % 5 == 3 ? 1
                                                       : (float)random_unit(source)};
    double q[4];
    random_quaternion(source, q);
    put_quat(g.rotation, quat_of(q));
    for (size_t k = 0; k < 3; k++) {
        g.position[k] = (float)(random_between(source, -1.2, 1.2) + (k == 1 ? 0.9 : 0));
        g.pole[k] = (float)(random_between(source, -2, 2) + (k == 1 ? 0.9 : 0));
    }
    return g;
}

/* Poses a job into guarded memory, of which the caller frees it. */
static float *posed(const figure *f, pm_crowd_job job, pm_crowd_output output) {
    const size_t floats =
        output == PM_CROWD_BOUNDS ? 8 : JOINTS * pm_crowd_record_bytes(output) / sizeof(float);
    float *records = guarded_floats(COUNT * floats);
    job.instance_count = COUNT;
    job.outputs = &(pm_crowd_target){.output = output, .memory = records};
    job.output_count = 1;
    expect_success(pm_crowd_pose(f->crowd, &job, new_error()));
    return records;
}

/* Of a device, once they are those of the reference with every instruction set and of one instance after another. */
static float *posed_alike(const figure *f, pm_crowd_job job, pm_crowd_output output) {
    const size_t floats =
        output == PM_CROWD_BOUNDS ? 8 : JOINTS * pm_crowd_record_bytes(output) / sizeof(float);
    const size_t widest = f->crowd->latest->data->instruction_set;
    float *records = posed(f, job, output);
    job.on_reference = true;
    for (size_t k = 0; k <= widest; k++) {
        f->crowd->latest->data->instruction_set = k;
        SCOPED(guarded_free_at) float *reference = posed(f, job, output);
        expect_same_bits(records, reference, COUNT * floats, floats);
    }
    for (size_t i = 0; i < COUNT && !job.indices && !job.frame; i++) {
        SCOPED(guarded_free_at) float *one = guarded_floats(floats);
        const char *goals = job.goals;
        const pm_crowd_one from = {
            .instance = job.instances ? &job.instances[i] : NULL,
            .pose = job.poses ? (const float *)job.poses + i * JOINTS * 12 : NULL,
            .output = output,
            .chains = job.chains,
            .chain_count = job.chain_count,
            .goals = (const pm_chain_goal *)(const void *)(goals +
                                                           i * (job.goal_stride
                                                                    ? job.goal_stride
                                                                    : job.chain_count *
                                                                          sizeof(pm_chain_goal))),
            .ground = job.ground,
            .heights = job.heights,
            .placement = job.placements ? &job.placements[i] : NULL};
        expect_success(pm_crowd_pose_one(f->crowd, &from, one, new_error()));
        expect_same_bits(one, records + i * floats, floats, floats);
    }
    return records;
}

/* The axis of the rest pose's elbow, relative to the joint that twists. */
static vec3 rest_axis(figure *f) {
    float rows[JOINTS][12] = {{0}};
    pose rest;
    for (size_t j = 0; j < JOINTS; j++) {
        memcpy(rows[f->slots[j]], f->rotations[j], 4 * sizeof(float));
        memcpy(rows[f->slots[j]] + 4, f->positions[j], 3 * sizeof(float));
        rows[f->slots[j]][8] = rows[f->slots[j]][9] = rows[f->slots[j]][10] = 1;
    }
    rest = pose_of(f, rows[0], 0);
    const vec3 u = space_of(&rest, UPPER_ARM).origin, l = space_of(&rest, FOREARM).origin;
    const vec3 axis = cross(vec3_subtract(l, u), vec3_subtract(space_of(&rest, HAND).origin, l));
    return quat_rotate(quat_conjugate(space_of(&rest, TWIST).rotation), unit(axis));
}

/* ---- tests ------------------------------------------------------------------------------------- */

TEST_ON_BOTH(chains_agree_with_the_oracle) {
    SCOPED(figure_free) figure f;
    figure_make(engine_for(state), &f);
    random_source source = random_salted(0xC41);
    const vec3 elbow = rest_axis(&f);
    static float poses[COUNT * JOINTS * 12];
    static pm_chain_goal goals[COUNT];
    double worst[CHAINS] = {0}, worst_shift = 0;
    size_t judged[CHAINS] = {0};
    for (size_t round = 0; round < 10 * (size_t)CHAINS; round++) {
        const size_t chain = round % CHAINS;
        const bool direction = round / CHAINS % 2;
        const pm_chain_use use = {(uint32_t)chain, direction ? PM_CHAIN_POLE_DIRECTION : 0};
        random_poses(&source, &f, poses);
        for (size_t i = 0; i < COUNT; i++)
            goals[i] = random_goal(&source, i);
        const pm_crowd_job job = {.poses = poses, .chains = &use, .chain_count = 1, .goals = goals};
        SCOPED(guarded_free_at) float *records = posed_alike(&f, job, PM_CROWD_LOCAL);
        for (size_t i = 0; i < COUNT; i++) {
            pose wanted = pose_of(&f, poses, i), given = pose_of(&f, records, i);
            places near = far_away;
            oracle_chain(&wanted, chain, elbow, &goals[i], direction, &near);
            if (near.margin < 1)
                continue;
            judged[chain]++;
            for (size_t j = 0; j < JOINTS; j++) {
                const double e = oracle_error(given.joints[j].rotation, wanted.joints[j].rotation);
                worst[chain] = fmax(worst[chain], e);
                worst_shift = fmax(
                    worst_shift,
                    vec3_norm(vec3_subtract(given.joints[j].position, wanted.joints[j].position)));
            }
        }
    }
    for (size_t c = 0; c < CHAINS; c++) {
        printf("chain %zu: %zu judged, error %.3g rad\n", c, judged[c], worst[c]);
        assert_true(judged[c] > 100);
    }
    for (size_t c = 0; c < CHAINS; c++)
        assert_true(worst[c] < 2e-6);
    assert_true(worst_shift < 2e-6);
}

/* Ends of limbs whose goals are between both soft limits. */
TEST_ON_REFERENCE(ends_reach_goals_within_their_limits) {
    SCOPED(figure_free) figure f;
    figure_make(engine_for(state), &f);
    random_source source = random_salted(0xC42);
    static float poses[COUNT * JOINTS * 12];
    static pm_chain_goal goals[COUNT];
    double worst = 0;
    for (size_t round = 0; round < 200; round++) {
        const pm_chain_use use = {round % 2 ? ARM : LEG, 0};
        const pm_chain *c = &chains[use.chain];
        double length[COUNT];
        random_poses(&source, &f, poses);
        for (size_t i = 0; i < COUNT; i++) {
            const pose p = pose_of(&f, poses, i);
            const vec3 u = space_of(&p, (int32_t)c->joints[0]).origin;
            const vec3 l = space_of(&p, (int32_t)c->joints[1]).origin;
            const double a = vec3_norm(vec3_subtract(l, u));
            const double b =
                vec3_norm(vec3_subtract(space_of(&p, (int32_t)c->joints[2]).origin, l));
            double way[3];
            length[i] = a + b;
            random_direction(&source, way);
            const vec3 goal = vec3_add(
                u,
                vec3_scale(vec3_of(way),
                           random_between(&source, fabs(a - b) + 0.03 * length[i],
                                          (c->limit > 0 ? (double)c->limit : 0.97) * length[i])));
            goals[i] = random_goal(&source, i);
            goals[i].weight = 1;
            goals[i].position[0] = (float)goal.x;
            goals[i].position[1] = (float)goal.y;
            goals[i].position[2] = (float)goal.z;
        }
        const pm_crowd_job job = {.poses = poses, .chains = &use, .chain_count = 1, .goals = goals};
        SCOPED(guarded_free_at) float *records = posed(&f, job, PM_CROWD_LOCAL);
        for (size_t i = 0; i < COUNT; i++) {
            const pose p = pose_of(&f, records, i);
            const vec3 miss = vec3_subtract(space_of(&p, (int32_t)c->joints[2]).origin,
                                            vector_of(goals[i].position));
            worst = fmax(worst, vec3_norm(miss) / length[i]);
        }
    }
    printf("ends miss by %.3g of the length\n", worst);
    assert_true(worst < 1e-5);
}

/* A step of a goal turns no joint by more than this many radians for each length of the limb, or for each unit of an
 * aim's goal, where both ends of the step are 5 degrees and .05 of the length away from singular places: the nearest
 * distance gives 20, and a turn near half a turn up to 23 times as much. */
enum { STEEPEST = 500 };

TEST_ON_REFERENCE(poses_follow_goals_without_a_jump) {
    SCOPED(figure_free) figure f;
    figure_make(engine_for(state), &f);
    random_source source = random_salted(0xC43);
    static float poses[COUNT * JOINTS * 12];
    static pm_chain_goal goals[2][COUNT];
    const size_t rounds = long_sweeps() ? 20000 : 400;
    const vec3 elbow = rest_axis(&f);
    double steepest[CHAINS] = {0};
    size_t steps = 0;
    for (size_t round = 0; round < rounds; round++) {
        const bool direction = round / CHAINS % 2;
        const pm_chain_use use = {(uint32_t)(round % CHAINS),
                                  direction ? PM_CHAIN_POLE_DIRECTION : 0};
        double step[COUNT];
        pm_crowd_job job = {.poses = poses, .chains = &use, .chain_count = 1};
        random_poses(&source, &f, poses);
        for (size_t i = 0; i < COUNT; i++) {
            goals[0][i] = goals[1][i] = random_goal(&source, i);
            double way[3];
            random_direction(&source, way);
            const double far = random_between(&source, 1e-3, 5e-3);
            for (size_t k = 0; k < 3; k++)
                goals[1][i].position[k] += (float)(far * way[k]);
            step[i] = vec3_norm(
                vec3_subtract(vector_of(goals[1][i].position), vector_of(goals[0][i].position)));
        }
        job.goals = goals[0];
        SCOPED(guarded_free_at) float *first = posed(&f, job, PM_CROWD_LOCAL);
        job.goals = goals[1];
        SCOPED(guarded_free_at) float *second = posed(&f, job, PM_CROWD_LOCAL);
        for (size_t i = 0; i < COUNT; i++) {
            places near = apart;
            for (size_t n = 0; n < 2; n++) {
                pose p = pose_of(&f, poses, i);
                oracle_chain(&p, use.chain, elbow, &goals[n][i], direction, &near);
            }
            const pose a = pose_of(&f, first, i), b = pose_of(&f, second, i);
            for (size_t j = 0; j < JOINTS && near.margin >= 1; j++) {
                const double turn = oracle_error(a.joints[j].rotation, b.joints[j].rotation);
                steepest[use.chain] = fmax(steepest[use.chain], turn / step[i]);
            }
            steps += near.margin >= 1;
        }
    }
    for (size_t c = 0; c < CHAINS; c++)
        printf("chain %zu: at most %.3g rad for each unit, of %zu steps\n", c, steepest[c], steps);
    for (size_t c = 0; c < CHAINS; c++)
        assert_true(steepest[c] < STEEPEST / (c == LEG ? 0.85 : c == ARM ? 0.55 : 1));
    assert_true(steps > rounds * COUNT / 4);
}

static const pm_crowd_output outputs[] = {PM_CROWD_PALETTE, PM_CROWD_PALETTE_HALF, PM_CROWD_DUAL,
                                          PM_CROWD_MODEL,   PM_CROWD_LOCAL,        PM_CROWD_BOUNDS};

static void any_bytes(random_source *source, void *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        ((unsigned char *)to)[i] = (unsigned char)random_bits(source);
}

/* Goals of any bytes, or with numbers that are extreme in one place. */
static void hostile_goals(random_source *source, pm_chain_goal *goals, size_t count) {
    static const float odd[] = {NAN,    INFINITY, -INFINITY, 3e38f, 1e-38f,
                                -1e20f, 1e12f,    1e-20f,    0,     -1};
    for (size_t i = 0; i < count; i++) {
        float numbers[sizeof *goals / sizeof(float)];
        goals[i] = random_goal(source, i);
        memcpy(numbers, &goals[i], sizeof numbers);
        numbers[random_bits(source) % COUNT_OF(numbers)] = odd[random_bits(source) % COUNT_OF(odd)];
        memcpy(&goals[i], numbers, sizeof numbers);
        if (i % 3 == 0)
            any_bytes(source, &goals[i], sizeof goals[i]);
    }
}

static const pm_chain_use all_chains[] = {{HAND_PIN, PM_CHAIN_IN_WORLD},
                                          {LEG, 0},
                                          {ARM, PM_CHAIN_IN_WORLD | PM_CHAIN_POLE_DIRECTION},
                                          {SPINE_AIM, PM_CHAIN_POLE_DIRECTION},
                                          {GAZE, PM_CHAIN_IN_WORLD},
                                          {ARM, 0}};
enum { USES = COUNT_OF(all_chains) };

static void random_placements(random_source *source, pm_placement *placements) {
    for (size_t i = 0; i < COUNT; i++) {
        double q[4];
        random_quaternion(source, q);
        put_quat(placements[i].rotation, quat_of(q));
        for (size_t k = 0; k < 3; k++)
            placements[i].position[k] = (float)random_between(source, -3, 3);
        placements[i].position[3] = NAN;
    }
}

TEST_ON_BOTH(any_goals_give_finite_poses_with_the_same_bits_on_all_readers) {
    SCOPED(figure_free) figure f;
    figure_make(engine_for(state), &f);
    random_source source = random_salted(0xC44);
    static float poses[COUNT * JOINTS * 12];
    static pm_chain_goal goals[COUNT * USES];
    static pm_placement placements[COUNT];
    const size_t rounds = long_sweeps() ? 20000 : 60;
    for (size_t round = 0; round < rounds; round++) {
        const pm_crowd_output output = outputs[round % COUNT_OF(outputs)];
        random_poses(&source, &f, poses);
        random_placements(&source, placements);
        hostile_goals(&source, goals, COUNT_OF(goals));
        if (round % 5 == 4)
            any_bytes(&source, &placements[round % COUNT], sizeof *placements);
        const pm_crowd_job job = {.poses = poses,
                                  .chains = all_chains,
                                  .chain_count = USES,
                                  .goals = goals,
                                  .placements = placements};
        const size_t numbers =
            output == PM_CROWD_BOUNDS ? 8 : JOINTS * pm_crowd_record_bytes(output) / sizeof(float);
        SCOPED(guarded_free_at) float *records = posed_alike(&f, job, output);
        for (size_t i = 0; i < COUNT * numbers && output != PM_CROWD_PALETTE_HALF; i++)
            assert_true(isfinite(records[i]));
    }
}

/* With instances, levels that are not due, lists, strides and one chain after another. */
TEST_ON_BOTH(jobs_with_chains_are_jobs_of_local_poses_that_chains_changed) {
    SCOPED(figure_free) figure f;
    figure_make(engine_for(state), &f);
    random_source source = random_salted(0xC45);
    static pm_crowd_instance instances[COUNT], leveled[COUNT];
    static pm_chain_goal goals[COUNT * USES], apart_goals[COUNT * (USES + 1)];
    static pm_placement placements[COUNT];
    uint32_t indices[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        leveled[i].level = random_bits(&source) % 3 == 0;
        indices[i] = (uint32_t)(random_bits(&source) % (COUNT + 3));
    }
    random_placements(&source, placements);
    hostile_goals(&source, goals, COUNT_OF(goals));
    pm_crowd_job job = {.instances = instances,
                        .chains = all_chains,
                        .chain_count = USES,
                        .goals = goals,
                        .placements = placements};
    for (size_t n = 0; n < COUNT_OF(outputs); n++) {
        const size_t floats =
            outputs[n] == PM_CROWD_BOUNDS ? 8 : JOINTS * pm_crowd_record_bytes(outputs[n]) / 4;
        SCOPED(guarded_free_at) float *records = posed_alike(&f, job, outputs[n]);
        /* goals with gaps */
        for (size_t i = 0; i < COUNT; i++)
            memcpy(&apart_goals[i * (USES + 1)], &goals[i * USES], USES * sizeof *goals);
        pm_crowd_job other = job;
        other.goals = apart_goals;
        other.goal_stride = (USES + 1) * sizeof *goals;
        SCOPED(guarded_free_at) float *apart_records = posed_alike(&f, other, outputs[n]);
        expect_same_bits(apart_records, records, COUNT * floats, floats);
        /* one chain after another */
        SCOPED(guarded_free_at)
        float *local = posed(&f, (pm_crowd_job){.instances = instances}, PM_CROWD_LOCAL);
        for (size_t u = 0; u < USES; u++) {
            const pm_crowd_job step = {
                .poses = local,
                .chains = &all_chains[u],
                .chain_count = 1,
                .goals = goals + u,
                .goal_stride = USES * sizeof *goals,
                .placements = all_chains[u].flags & PM_CHAIN_IN_WORLD ? placements : NULL};
            float *next = posed(&f, step, PM_CROWD_LOCAL);
            guarded_free(local);
            local = next;
        }
        SCOPED(guarded_free_at)
        float *stepped = posed(&f, (pm_crowd_job){.poses = local}, outputs[n]);
        expect_same_bits(stepped, records, COUNT * floats, floats);
        /* packed lists */
        other = job;
        other.indices = indices;
        other.index_count = COUNT;
        other.packed = true;
        SCOPED(guarded_free_at) float *listed = posed_alike(&f, other, outputs[n]);
        for (size_t i = 0; i < COUNT; i++)
            if (indices[i] < COUNT)
                expect_same_bits(listed + i * floats, records + indices[i] * floats, floats,
                                 floats);
            else
                assert_true(is_poison(listed[i * floats]));
        /* levels that are not due */
        other = job;
        other.instances = leveled;
        other.frame = 1;
        SCOPED(guarded_free_at) float *due = posed_alike(&f, other, outputs[n]);
        for (size_t i = 0; i < COUNT; i++)
            if (leveled[i].level && (1 + i / 16) % 3)
                assert_true(is_poison(due[i * floats]));
            else
                expect_same_bits(due + i * floats, records + i * floats, floats, floats);
    }
}

TEST_ON_BOTH(goals_without_weight_have_no_effect) {
    SCOPED(figure_free) figure f;
    figure_make(engine_for(state), &f);
    random_source source = random_salted(0xC46);
    static float poses[COUNT * JOINTS * 12];
    static pm_chain_goal goals[COUNT * USES];
    static pm_placement placements[COUNT];
    random_poses(&source, &f, poses);
    random_placements(&source, placements);
    for (size_t i = 0; i < COUNT_OF(goals); i++) {
        goals[i] = random_goal(&source, i);
        goals[i].weight = i % 3 == 0 ? 0 : i % 3 == 1 ? NAN : -2;
        goals[i].rotation_weight = i % 2 ? -1 : 0;
        if (i % 5 == 4) {
            goals[i].weight = 1;
            goals[i].position[i % 3] = i % 2 ? NAN : 2e12f;
        }
    }
    const pm_crowd_job job = {.poses = poses,
                              .chains = all_chains,
                              .chain_count = USES,
                              .goals = goals,
                              .placements = placements};
    SCOPED(guarded_free_at) float *records = posed_alike(&f, job, PM_CROWD_LOCAL);
    expect_same_bits(records, poses, COUNT_OF(poses), (size_t)JOINTS * 12);
}

/* Goals in the world, and what they are in model space. */
TEST_ON_BOTH(placements_take_goals_into_model_space) {
    SCOPED(figure_free) figure f;
    figure_make(engine_for(state), &f);
    random_source source = random_salted(0xC47);
    static float poses[COUNT * JOINTS * 12];
    static pm_chain_goal goals[2][COUNT];
    static pm_placement placements[COUNT];
    const vec3 elbow = rest_axis(&f);
    for (uint32_t n = 0; n < 2 * CHAINS; n++) {
        const bool direction = n >= CHAINS;
        pm_chain_use use = {n % CHAINS, direction ? PM_CHAIN_POLE_DIRECTION : 0};
        random_poses(&source, &f, poses);
        random_placements(&source, placements);
        for (size_t i = 0; i < COUNT; i++) {
            const pm_placement *at = &placements[i];
            const quat turn = {(double)at->rotation[0], (double)at->rotation[1],
                               (double)at->rotation[2], (double)at->rotation[3]};
            const vec3 origin = vector_of(at->position);
            goals[0][i] = goals[1][i] = random_goal(&source, i);
            pm_chain_goal *g = &goals[1][i];
            const vec3 to = vec3_add(origin, quat_rotate(turn, vector_of(g->position)));
            const vec3 pole = vec3_add(direction ? (vec3){0, 0, 0} : origin,
                                       quat_rotate(turn, vector_of(g->pole)));
            put_quat(g->rotation, quat_multiply(turn, goal_rotation(g)));
            memcpy(g->position, (float[3]){(float)to.x, (float)to.y, (float)to.z},
                   sizeof g->position);
            memcpy(g->pole, (float[3]){(float)pole.x, (float)pole.y, (float)pole.z},
                   sizeof g->pole);
        }
        pm_crowd_job job = {.poses = poses, .chains = &use, .chain_count = 1, .goals = goals[0]};
        SCOPED(guarded_free_at) float *in_model = posed(&f, job, PM_CROWD_LOCAL);
        job.goals = goals[1];
        job.placements = placements;
        use.flags |= PM_CHAIN_IN_WORLD;
        SCOPED(guarded_free_at) float *in_world = posed(&f, job, PM_CROWD_LOCAL);
        for (size_t i = 0; i < COUNT; i++) {
            places near = far_away;
            pose wanted = pose_of(&f, poses, i);
            const pose a = pose_of(&f, in_model, i), b = pose_of(&f, in_world, i);
            oracle_chain(&wanted, use.chain, elbow, &goals[0][i], direction, &near);
            for (size_t j = 0; j < JOINTS && near.margin >= 1; j++)
                assert_true(oracle_error(a.joints[j].rotation, b.joints[j].rotation) < 1e-5);
        }
    }
}

/* ---- ground ------------------------------------------------------------------------------------ */

enum { COLUMNS = 9, ROWS = 12 };

typedef struct ground {
    pm_height_field field;
    float heights[ROWS][COLUMNS];
    pm_stand_goal goals[COUNT];
    pm_placement placements[COUNT];
} ground;

/* Hills below the figure; every third instance stands on a plane. */
static void random_ground(random_source *source, ground *g) {
    g->field = (pm_height_field){{-1.3f, -1.9f}, 0.37f, COLUMNS, ROWS};
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < COLUMNS; k++)
            g->heights[i][k] = (float)random_between(source, -0.2, 0.2);
    random_placements(source, g->placements);
    for (size_t i = 0; i < COUNT; i++) {
        pm_stand_goal *s = &g->goals[i];
        *s = (pm_stand_goal){.weight = i % 4 ? 1 : (float)random_unit(source),
                             .tilt = i % 5 ? (float)random_unit(source) : 0,
                             .lowest = i % 7 ? NAN : -0.05f,
                             .highest = i % 7 ? INFINITY : 0.02f};
        for (size_t k = 0; k < 3; k++) {
            s->point[k] = (float)random_between(source, -0.2, 0.2);
            s->normal[k] = i % 3 ? 0 : (float)random_between(source, -0.3, 0.3);
        }
        s->normal[1] += i % 3 ? 0 : 1;
        s->normal[2] += i % 3 ? 0 : 1;
        for (size_t k = 0; k < 3;
             k++) /* above the hills, with coordinates that float32 resolves well */
            g->placements[i].position[k] *= 0.1f;
    }
}

/* Height, and the slope towards two neighbouring nodes, of a coordinate in nodes. */
static double height_at(const ground *g, double u, double v) {
    u = fmin(fmax(u, 0), COLUMNS - 1);
    v = fmin(fmax(v, 0), ROWS - 1);
    const size_t i = (size_t)fmin(floor(u), COLUMNS - 2), k = (size_t)fmin(floor(v), ROWS - 2);
    const double s = u - (double)i, t = v - (double)k;
    return (1 - t) * ((1 - s) * (double)g->heights[k][i] + s * (double)g->heights[k][i + 1]) +
           t * ((1 - s) * (double)g->heights[k + 1][i] + s * (double)g->heights[k + 1][i + 1]);
}

/* Bilinear between the nodes' central differences: a difference over two cells of bilinear heights, but for the rim,
 * where a node has the height of the last one on its other side. */
static double slope_at(const ground *g, double u, double v, bool along_rows) {
    u = fmin(fmax(u, 0), COLUMNS - 1);
    v = fmin(fmax(v, 0), ROWS - 1);
    const double before = along_rows ? height_at(g, u, v - 1) : height_at(g, u - 1, v);
    const double after = along_rows ? height_at(g, u, v + 1) : height_at(g, u + 1, v);
    return (after - before) / (2 * (double)g->field.cell);
}

typedef struct footing {
    double rise;
    vec3 normal; /* in the model */
} footing;

static vec3 level_vector(bool z, double x, double up, double other) {
    return z ? (vec3){x, other, up} : (vec3){x, up, other};
}

/* Below a place of the model. `at`: the instance's place in the ground's space. */
static footing footing_of(const ground *g, size_t i, bool z, quat turn, vec3 origin, vec3 place) {
    const pm_stand_goal *s = &g->goals[i];
    const vec3 p = vec3_add(origin, quat_rotate(turn, place)), n = vector_of(s->normal),
               q = vector_of(s->point);
    const double other = z ? p.y : p.z, cell = (double)g->field.cell;
    double slopes[2], height;
    if (vec3_norm(n) > 0) {
        const double up = z ? n.z : n.y;
        slopes[0] = -n.x / up;
        slopes[1] = -(z ? n.y : n.z) / up;
        height = (z ? q.z : q.y) + slopes[0] * (p.x - q.x) + slopes[1] * (other - (z ? q.y : q.z));
    } else {
        const double u = (p.x - (double)g->field.origin[0]) / cell;
        const double v = (other - (double)g->field.origin[1]) / cell;
        height = height_at(g, u, v);
        slopes[0] = slope_at(g, u, v, false);
        slopes[1] = slope_at(g, u, v, true);
    }
    return (footing){height - (z ? origin.z : origin.y),
                     quat_rotate(quat_conjugate(turn), level_vector(z, -slopes[0], 1, -slopes[1]))};
}

/* The pose that stands; *far: whether a foot is further than its leg reaches exactly, with or without the ground. */
static pose oracle_stand(const ground *g, size_t i, bool z, bool in_world, pose p, places *near,
                         vec3 targets[2], bool *far) {
    static const uint32_t *const legs[2] = {leg, other_leg};
    const pm_stand_goal *s = &g->goals[i];
    const pm_placement *at = &g->placements[i];
    const quat turn = in_world
                          ? quat_normalise((quat){(double)at->rotation[0], (double)at->rotation[1],
                                                  (double)at->rotation[2], (double)at->rotation[3]})
                          : (quat){0, 0, 0, 1};
    const vec3 origin = in_world ? vector_of(at->position) : (vec3){0, 0, 0};
    const vec3 up = quat_rotate(quat_conjugate(turn), level_vector(z, 0, 1, 0));
    footing f[2];
    double least = HUGE_VAL;
    const pose was = p;
    for (size_t k = 0; k < 2; k++) {
        f[k] = footing_of(g, i, z, turn, origin, space_of(&p, (int32_t)legs[k][2]).origin);
        least = fmin(least, f[k].rise);
    }
    const double w = weight_of(s->weight);
    const double shift = w * fmin(fmax(least, (double)s->lowest), (double)s->highest);
    p.joints[HIPS].position = vec3_add(p.joints[HIPS].position, vec3_scale(up, shift));
    *far = false;
    for (size_t k = 0; k < 2; k++) {
        pm_chain c = chains[k ? OTHER_LEG : LEG];
        const space foot = space_of(&was, (int32_t)legs[k][2]);
        const vec3 upper = space_of(&p, (int32_t)legs[k][0]).origin;
        const vec3 lower = space_of(&p, (int32_t)legs[k][1]).origin;
        const vec3 end = space_of(&p, (int32_t)legs[k][2]).origin;
        const double L =
            vec3_norm(vec3_subtract(lower, upper)) + vec3_norm(vec3_subtract(end, lower));
        const double reach = vec3_norm(vec3_subtract(end, upper)) / L;
        c.limit = (float)fmax(0.97, reach);
        targets[k] = vec3_add(foot.origin, vec3_scale(up, w * f[k].rise));
        *far = *far || vec3_norm(vec3_subtract(targets[k], upper)) > fmax(0.97, reach) * L;
        const quat tilt = quat_power(arc_of(up, f[k].normal), w * weight_of(s->tilt));
        pm_chain_goal goal = {.weight = 1, .rotation_weight = 1};
        put_quat(goal.rotation, quat_multiply(tilt, foot.rotation));
        memcpy(goal.position,
               (float[3]){(float)targets[k].x, (float)targets[k].y, (float)targets[k].z},
               sizeof goal.position);
        /* nearly straight, a knee's angle is known no better than its cosine */
        come_near(near, 0.9, fmax(reach, vec3_norm(vec3_subtract(targets[k], upper)) / L));
        oracle_two_bones(&p, &c, vector_of(c.axis), &goal, false, near);
    }
    return p;
}

static pm_crowd_job job_on(const ground *g, const float *poses, const pm_chain_use *use) {
    return (pm_crowd_job){.poses = poses,
                          .chains = use,
                          .chain_count = 1,
                          .goals = g->goals,
                          .ground = g->field,
                          .heights = g->heights[0],
                          .placements = use->flags & PM_CHAIN_IN_WORLD ? g->placements : NULL};
}

TEST_ON_BOTH(feet_stand_on_the_ground_as_the_oracle_has_them) {
    SCOPED(figure_free) figure f;
    figure_make(engine_for(state), &f);
    random_source source = random_salted(0xC48);
    static float poses[COUNT * JOINTS * 12];
    static ground g;
    double worst = 0, worst_shift = 0, worst_foot = 0;
    size_t judged = 0, reached = 0;
    for (size_t round = 0; round < 20; round++) {
        const bool z = round % 2, in_world = round / 2 % 2;
        const pm_chain_use use = {z ? STAND_Z : STAND, in_world ? PM_CHAIN_IN_WORLD : 0};
        random_poses(&source, &f, poses);
        random_ground(&source, &g);
        SCOPED(guarded_free_at)
        float *records = posed_alike(&f, job_on(&g, poses, &use), PM_CROWD_LOCAL);
        for (size_t i = 0; i < COUNT; i++) {
            static const int32_t feet[] = {FOOT, OTHER_FOOT};
            places near = far_away;
            vec3 targets[2];
            bool far;
            const pose given = pose_of(&f, records, i);
            const pose wanted =
                oracle_stand(&g, i, z, in_world, pose_of(&f, poses, i), &near, targets, &far);
            for (size_t k = 0; k < 2 && !far; k++) {
                const vec3 end = space_of(&given, feet[k]).origin;
                worst_foot = fmax(worst_foot, vec3_norm(vec3_subtract(end, targets[k])));
                reached++;
            }
            judged += near.margin >= 1;
            for (size_t j = 0; j < JOINTS && near.margin >= 1; j++) {
                worst =
                    fmax(worst, oracle_error(given.joints[j].rotation, wanted.joints[j].rotation));
                worst_shift = fmax(
                    worst_shift,
                    vec3_norm(vec3_subtract(given.joints[j].position, wanted.joints[j].position)));
            }
        }
    }
    printf("%zu judged: %.3g rad, pelvis %.3g; %zu feet: %.3g\n", judged, worst, worst_shift,
           reached, worst_foot);
    assert_true(judged > 100 && reached > 100);
    assert_true(worst < 2e-6);
    assert_true(worst_shift < 1e-6);
    assert_true(worst_foot < 1e-5 * 0.8);
}

/* A leg that is straight, too, and whatever the weights are; on ground that is nearly flat, nearly nothing. */
TEST_ON_BOTH(flat_ground_changes_nothing) {
    SCOPED(figure_free) figure f;
    figure_make(engine_for(state), &f);
    random_source source = random_salted(0xC49);
    static float poses[COUNT * JOINTS * 12];
    static ground g;
    random_ground(&source, &g);
    for (unsigned n = 0; n < 4; n++) {
        const pm_chain_use use = {n % 2 ? STAND_Z : STAND, PM_CHAIN_IN_WORLD};
        const float height = n < 2 ? 0.125f : 0.125001f;
        random_poses(&source, &f, poses);
        for (size_t i = 0; i < COUNT; i++) {
            float *shin = record_of(&f, poses, i, SHIN), *foot = record_of(&f, poses, i, FOOT);
            if (i % 2) { /* exactly straight */
                put_quat(shin, turn_of(0, 0, 0));
                shin[4] = shin[6] = foot[4] = foot[6] = 0;
            }
            for (size_t k = 0; k < 3; k++)
                g.goals[i].normal[k] = i % 3 == 0 && k == 1 + n % 2;
            g.placements[i].position[1] = g.placements[i].position[2] = 0.125f;
            memcpy(g.goals[i].point, (float[3]){1, height, height}, sizeof g.goals[i].point);
            g.goals[i].lowest = g.goals[i].highest = 0;
        }
        for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
            g.heights[i / COLUMNS][i % COLUMNS] = height;
        SCOPED(guarded_free_at)
        float *records = posed_alike(&f, job_on(&g, poses, &use), PM_CROWD_LOCAL);
        if (n < 2)
            expect_same_bits(records, poses, COUNT_OF(poses), (size_t)JOINTS * 12);
        for (size_t i = 0; i < COUNT_OF(poses); i++)
            assert_true(fabsf(records[i] - poses[i]) < 3e-3f);
    }
}

TEST_ON_BOTH(any_ground_gives_finite_poses_with_the_same_bits_on_all_readers) {
    static const float odd[] = {NAN,    INFINITY, -INFINITY, 3e38f, -3e38f,
                                1e-39f, 1e12f,    1e-20f,    0,     -1};
    SCOPED(figure_free) figure f;
    figure_make(engine_for(state), &f);
    random_source source = random_salted(0xC4A);
    static float poses[COUNT * JOINTS * 12];
    static ground g;
    const size_t rounds = long_sweeps() ? 10000 : 60;
    for (size_t round = 0; round < rounds; round++) {
        const pm_crowd_output output = outputs[round % COUNT_OF(outputs)];
        pm_chain_use uses[] = {
            {round % 2 ? STAND_Z : STAND, round / 2 % 2 ? PM_CHAIN_IN_WORLD : 0}};
        random_poses(&source, &f, poses);
        random_ground(&source, &g);
        /* exact sizes, so that no height beyond is read */
        static const uint32_t counts[][2] = {
            {1, 1}, {1, ROWS}, {COLUMNS, 1}, {2, 2}, {COLUMNS, ROWS}};
        g.field.columns = counts[round % 5][0];
        g.field.rows = counts[round % 5][1];
        const size_t nodes = (size_t)g.field.columns * g.field.rows;
        SCOPED(guarded_free_at) float *heights = guarded_floats(nodes);
        for (size_t i = 0; i < nodes; i++)
            heights[i] = random_bits(&source) % 4 ? (float)random_unit(&source)
                                                  : odd[random_bits(&source) % COUNT_OF(odd)];
        if (round % 3 == 1) {
            g.field.origin[round % 2] = round % 4 ? 3e38f : -1e30f;
            g.field.cell = round % 4 ? 1e-6f : 1e6f;
        }
        for (size_t i = 0; i < COUNT; i++) {
            float numbers[sizeof *g.goals / sizeof(float)];
            memcpy(numbers, &g.goals[i], sizeof numbers);
            numbers[random_bits(&source) % 10] = odd[random_bits(&source) % COUNT_OF(odd)];
            memcpy(&g.goals[i], numbers, sizeof numbers);
            if (i % 4 == 0)
                any_bytes(&source, &g.goals[i], sizeof g.goals[i]);
        }
        if (round % 5 == 4)
            any_bytes(&source, &g.placements[round % COUNT], sizeof *g.placements);
        pm_crowd_job job = job_on(&g, poses, uses);
        job.heights = heights;
        const size_t numbers =
            output == PM_CROWD_BOUNDS ? 8 : JOINTS * pm_crowd_record_bytes(output) / sizeof(float);
        SCOPED(guarded_free_at) float *records = posed_alike(&f, job, output);
        for (size_t i = 0; i < COUNT * numbers && output != PM_CROWD_PALETTE_HALF; i++)
            assert_true(isfinite(records[i]));
    }
}

/* ---- refusals ---------------------------------------------------------------------------------- */

TEST_ON_REFERENCE(chains_are_checked) {
    static const uint32_t beyond[] = {0, 1, 3}, back[] = {2, 1, 0}, fine[] = {0, 1, 2};
    static const int32_t line[] = {-1, 0, 1};
    static const float none[] = {1, 0};
    float at[3][3] = {{0, 0, 0}, {0, 1, 0}, {0, 1, 0}}; /* straight */
    pm_chain chain = {.joints = beyond, .joint_count = 3};
    const pm_skeleton_desc desc = {.joint_count = 3,
                                   .parents = line,
                                   .positions = {.data = at},
                                   .chains = &chain,
                                   .chain_count = 1};
    pm_skeleton *made = NULL;
    (void)state;
#define REFUSED(words, ...)                                                                        \
    chain = (pm_chain){__VA_ARGS__};                                                               \
    expect_error(pm_skeleton_create(&desc, &made, new_error()), PM_ERROR_ARGUMENT, words)
    REFUSED("no such joint", .joints = beyond, .joint_count = 3, .axis = {1});
    REFUSED("not below", .joints = back, .joint_count = 3, .axis = {1});
    REFUSED("expected 3 joints", .joints = fine, .joint_count = 2, .axis = {1});
    REFUSED("on one line", .joints = fine, .joint_count = 3);
    at[2][1] = -1;
    REFUSED("on one line", .joints = fine, .joint_count = 3);
    at[2][1] = 1;
    REFUSED("axis", .joints = fine, .joint_count = 3, .axis = {NAN});
    REFUSED("limit", .joints = fine, .joint_count = 3, .axis = {1}, .limit = 1);
    REFUSED("kind", .kind = (pm_chain_kind)4, .joints = fine, .joint_count = 1);
    REFUSED("forward", .kind = PM_CHAIN_AIM, .joints = fine, .joint_count = 1, .axis = {1});
    REFUSED("parallel", .kind = PM_CHAIN_AIM, .joints = fine, .joint_count = 1, .axis = {1},
            .forward = {-2});
    REFUSED("shares", .kind = PM_CHAIN_AIM, .joints = fine, .joint_count = 2, .axis = {1},
            .forward = {0, 1}, .shares = none);
    REFUSED("pin", .kind = PM_CHAIN_PIN, .joints = fine, .joint_count = 1, .limit = 0.5f);
    REFUSED("2 to 9 that stand", .kind = PM_CHAIN_STAND, .joints = fine, .joint_count = 1,
            .axis = {0, 1});
    REFUSED("up", .kind = PM_CHAIN_STAND, .joints = fine, .joint_count = 2, .axis = {0, 1, 1});
    REFUSED("up", .kind = PM_CHAIN_STAND, .joints = fine, .joint_count = 2, .axis = {0, -1});
    REFUSED("not the end of two bones", .kind = PM_CHAIN_STAND, .joints = fine, .joint_count = 2,
            .axis = {0, 1});
#undef REFUSED
    chain = (pm_chain){.joints = fine, .joint_count = 3, .axis = {1}};
    expect_next_refused(pm_chain, chain, last_error(),
                        pm_skeleton_create(&desc, &made, last_error()));
    assert_null(made);
    expect_success(pm_skeleton_create(&desc, &made, new_error()));
    pm_skeleton_destroy(&made);
    chain = (pm_chain){.joints = fine, .joint_count = 3}; /* the axis of the rest pose */
    for (int degrees = 3; degrees <= 177; degrees += 6) {
        at[2][0] = (float)sin(degrees * PI / 180);
        at[2][1] = (float)cos(degrees * PI / 180);
        expect_success(pm_skeleton_create(&desc, &made, new_error()));
        pm_skeleton_destroy(&made);
    }
}

TEST_ON_BOTH(jobs_with_chains_are_checked) {
    SCOPED(figure_free) figure f;
    figure_make(engine_for(state), &f);
    static const pm_crowd_instance instance;
    static const pm_chain_goal goals[PM_CROWD_MAX_CHAINS + 1];
    static const pm_chain_use leg_use = {LEG, 0}, beyond = {ALL_CHAINS, 0}, odd = {LEG, 4},
                              world = {LEG, 1};
    static const pm_chain_use many[PM_CROWD_MAX_CHAINS + 1];
    float records[JOINTS * 12];
    pm_placement placement = {.rotation = {0, 0, 0, 1}};
    const struct {
        const char *words;
        const pm_chain_use *uses;
        size_t count;
        const void *goals;
        size_t stride;
        pm_crowd_output output;
        bool placed;
    } cases[] = {
        {"skeleton has 8", &beyond, 1, goals, 0, PM_CROWD_LOCAL, false},
        {"no pm_chain_flag", &odd, 1, goals, 0, PM_CROWD_LOCAL, false},
        {"goals is NULL", &leg_use, 1, NULL, 0, PM_CROWD_LOCAL, false},
        {"but no chains", NULL, 0, goals, 0, PM_CROWD_LOCAL, false},
        {"expected 1 to 32", NULL, 1, goals, 0, PM_CROWD_LOCAL, false},
        {"expected 1 to 32", many, COUNT_OF(many), goals, 0, PM_CROWD_LOCAL, false},
        {"goals: stride is 32", &leg_use, 1, goals, 32, PM_CROWD_LOCAL, false},
        {"goals: its stride", &leg_use, 1, goals, 66, PM_CROWD_LOCAL, false},
        {"goals: its address", &leg_use, 1, (const char *)goals + 2, 0, PM_CROWD_LOCAL, false},
        {"placements is NULL", &world, 1, goals, 0, PM_CROWD_LOCAL, false},
        {"placements: no output", &leg_use, 1, goals, 0, PM_CROWD_LOCAL, true},
        {"states of bodies", &leg_use, 1, goals, 0, PM_CROWD_BODY_POS, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const pm_crowd_target target = {.output = cases[i].output, .memory = records};
        const pm_crowd_job job = {.instances = &instance,
                                  .instance_count = 1,
                                  .outputs = &target,
                                  .output_count = 1,
                                  .chains = cases[i].uses,
                                  .chain_count = cases[i].count,
                                  .goals = cases[i].goals,
                                  .goal_stride = cases[i].stride,
                                  .placements = cases[i].placed ? &placement : NULL};
        expect_error(pm_crowd_pose(f.crowd, &job, new_error()), PM_ERROR_ARGUMENT, cases[i].words);
    }
}

TEST_ON_BOTH(ground_is_checked) {
    SCOPED(figure_free) figure f;
    figure_make(engine_for(state), &f);
    static const pm_crowd_instance instance;
    static const pm_stand_goal goal;
    static const pm_chain_use stands = {STAND, 0}, poled = {STAND, 2}, walks = {LEG, 0};
    static const float heights[4];
    float records[JOINTS * 12];
    const struct {
        const char *words;
        const pm_chain_use *use;
        pm_height_field field;
        const float *heights;
    } cases[] = {{"no pole", &poled, {{0, 0}, 1, 2, 2}, heights},
                 {"no chain of the job stands", &walks, {{0, 0}, 1, 2, 2}, heights},
                 {"heights is NULL", &stands, {{0, 0}, 1, 2, 2}, NULL},
                 {"0 columns", &stands, {{0, 0}, 1, 0, 2}, heights},
                 {"0 rows", &stands, {{0, 0}, 1, 2, 0}, heights},
                 {"16777217 rows", &stands, {{0, 0}, 1, 2, (1 << 24) + 1}, heights},
                 {"expected a cell", &stands, {{0, 0}, 0, 2, 2}, heights},
                 {"expected a cell", &stands, {{0, 0}, NAN, 2, 2}, heights},
                 {"finite origin", &stands, {{0, INFINITY}, 1, 2, 2}, heights}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const pm_crowd_target target = {.output = PM_CROWD_LOCAL, .memory = records};
        const pm_crowd_job job = {.instances = &instance,
                                  .instance_count = 1,
                                  .outputs = &target,
                                  .output_count = 1,
                                  .chains = cases[i].use,
                                  .chain_count = 1,
                                  .goals = &goal,
                                  .ground = cases[i].field,
                                  .heights = cases[i].heights};
        expect_error(pm_crowd_pose(f.crowd, &job, new_error()), PM_ERROR_ARGUMENT, cases[i].words);
    }
}

TEST_GROUP(NULL, engines_close)
