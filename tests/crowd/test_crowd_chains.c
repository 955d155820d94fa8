/* SPDX-License-Identifier: MIT
 *
 * Inverse kinematics of crowds: chains of two bones, aims and pins against formulas in double precision, written from
 * docs/crowds.md with angles and matrices of rotations; reach, continuity, and the same bits on every reader for any
 * bytes.
 */
#include "engine/engine.h"
#include "oracle/crowd_oracle.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A figure: hips, spine, chest, head; leg; clavicle, arm with a joint that twists, and a wrist. */
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
    JOINTS
};
enum { LEG, ARM, SPINE_AIM, GAZE, HAND_PIN, CHAINS };
enum { COUNT = 53 };
static const double PI = 3.14159265358979323846;

static const int32_t parents[JOINTS] = {-1,    HIPS,     SPINE,     CHEST, HIPS,    THIGH, SHIN,
                                        CHEST, CLAVICLE, UPPER_ARM, TWIST, FOREARM, WRIST};
static const double offsets[JOINTS][3] = {
    {0, 0.9, 0},      {0, 0.1, 0.01}, {0, 0.25, 0},   {0, 0.3, 0.05},   {0.1, -0.05, 0},
    {0.01, -0.42, 0}, {0, -0.43, 0},  {0.1, 0.2, 0},  {0.12, 0, -0.01}, {0.14, 0, 0},
    {0.15, 0.01, 0},  {0.2, 0, 0},    {0.06, 0, 0.02}};

static const uint32_t leg[] = {THIGH, SHIN, FOOT}, arm[] = {UPPER_ARM, FOREARM, HAND};
static const uint32_t spine[] = {SPINE, CHEST, HEAD}, gaze[] = {HEAD}, hand[] = {HAND};
static const float shares[] = {1, 0.5f, 2};
static const pm_chain chains[CHAINS] = {
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
    {.kind = PM_CHAIN_PIN, .joints = hand, .joint_count = 1}};

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
                                   .chain_count = CHAINS};
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

/* What an oracle found that is near a singular place: the least distance from one, each as a part of its bound. */
typedef struct places {
    double margin;
} places;

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
    come_near(near, d, 0.05 * L);
    come_near(near, d - fabs(A - B), 0.08 * L);
    come_near(near, PI - angle_between(line, aim), PI / 12);
    if (weight_of(g->pole_weight) > 0) {
        const vec3 pole =
            direction ? vector_of(g->pole) : vec3_subtract(vector_of(g->pole), upper.origin);
        const vec3 side = own < 1 ? a : cross(line, n); /* of the lower, however straight */
        const double angle = side_angle(aim, quat_rotate(swing, side), pole);
        come_near(near, fmin(angle_between(pole, aim), PI - angle_between(pole, aim)), PI / 12);
        if (g->pole_weight < 1)
            come_near(near, PI - fabs(angle), PI / 36);
        swing = quat_multiply(about(aim, angle * weight_of(g->pole_weight)), swing);
    }
    if (g->weight < 1)
        come_near(near, fabs(swing.w), sin(PI / 72));
    const double w = weight_of(g->weight);
    if (w > 0) {
        turn_joint(p, &was, (size_t)l, turn, w);
        turn_joint(p, &was, (size_t)u, swing, w);
    }
    if (weight_of(g->rotation_weight) > 0) {
        const pose moved = *p;
        const quat rotation =
            quat_multiply(goal_rotation(g), quat_conjugate(space_of(p, e).rotation));
        come_near(near, fabs(rotation.w), sin(PI / 72));
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
        come_near(near, PI - angle, PI / 12);
        come_near(near, vec3_norm(vec3_subtract(vector_of(g->position), eye.origin)), 0.3);
        quat turn = part_of(arc_of(forward, quat_rotate(all, before)), share);
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
                      PI / 12);
            if (g->pole_weight < 1)
                come_near(near, PI - fabs(roll), PI / 36);
            turn = quat_multiply(about(line, roll * weight_of(g->pole_weight)), turn);
        }
        if (g->weight < 1)
            come_near(near, fabs(turn.w), sin(PI / 72));
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
        come_near(near, fabs(turn.w), sin(PI / 72));
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
            if (j == SHIN)
                v = (vec3){random_between(source, 0.2, 2), v.y / 4, v.z / 4};
            if (j == FOREARM)
                v = (vec3){v.x, v.y / 4, random_between(source, 0.4, 2)};
            put_quat(r, turn_of(v.x, v.y, v.z));
            if (j == THIGH || j == UPPER_ARM || j == HIPS) {
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
            places near = {.margin = 1e9};
            oracle_chain(&wanted, chain, elbow, &goals[i], direction, &near);
            if (near.margin < 1)
                continue;
            judged[chain]++;
            for (size_t j = 0; j < JOINTS; j++) {
                const double e = oracle_error(given.joints[j].rotation, wanted.joints[j].rotation);
                if (getenv("REACH_DEBUG") && e > 1e-6)
                    printf("%zu %zu joint %zu error %g margin %g w %g pw %g rw %g\n", chain, i, j,
                           e, near.margin, (double)goals[i].weight, (double)goals[i].pole_weight,
                           (double)goals[i].rotation_weight);
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

TEST_GROUP(NULL, engines_close)
