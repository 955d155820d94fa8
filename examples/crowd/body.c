/* SPDX-License-Identifier: MIT
 *
 * The skeleton of the figure, and its clips: twelve squad keys per cycle. Feet stay on the ground
 * where they stand while the root moves, and thighs and shins are computed from that.
 */
#include "body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double thigh_length = 0.42, shin_length = 0.41, ankle_height = 0.07;

/* Durations are whole tenths of a second, because key rates are fractions. */
const double body_seconds[BODY_CLIPS] = {1.1, 0.7, 0.8, 0.9, 3.6};
static const pm_timeline timelines[BODY_CLIPS] = {{.key_count = BODY_KEYS, .rate = {120, 11}},
                                                  {.key_count = BODY_KEYS, .rate = {120, 7}},
                                                  {.key_count = BODY_KEYS, .rate = {120, 8}},
                                                  {.key_count = BODY_KEYS, .rate = {120, 9}},
                                                  {.key_count = BODY_KEYS, .rate = {120, 36}}};

/* Of the joints of enum body_joint. */
static const int32_t parents[BODY_JOINTS] = {-1, 0,  1,  2, 3,  4,  3,  6, 7,  8,  3,
                                             10, 11, 12, 1, 14, 15, 16, 1, 18, 19, 20};

/* Offsets from the parent, standing with arms down and without rotation. */
static const double offsets[BODY_JOINTS][3] = {
    {0, 0, 0},        {0, 0.93, 0},    {0, 0.12, 0},     {0, 0.16, 0},      {0, 0.22, 0.01},
    {0, 0.09, 0.01},  {0.04, 0.17, 0}, {0.14, 0, 0},     {0, -0.28, 0},     {0, -0.25, 0},
    {-0.04, 0.17, 0}, {-0.14, 0, 0},   {0, -0.28, 0},    {0, -0.25, 0},     {0.09, -0.02, 0},
    {0, -0.42, 0},    {0, -0.41, 0},   {0, -0.05, 0.15}, {-0.09, -0.02, 0}, {0, -0.42, 0},
    {0, -0.41, 0},    {0, -0.05, 0.15}};

/* Of the chains: knees turn about x, and the head looks with the chest and the neck. */
static const uint32_t left_leg[] = {BODY_LEFT_THIGH, BODY_LEFT_SHIN, BODY_LEFT_FOOT};
static const uint32_t right_leg[] = {BODY_RIGHT_THIGH, BODY_RIGHT_SHIN, BODY_RIGHT_FOOT};
static const uint32_t standing[] = {BODY_HIPS, BODY_LEFT_FOOT, BODY_RIGHT_FOOT};
static const uint32_t looking[] = {BODY_CHEST, BODY_NECK, BODY_HEAD};
static const float looking_shares[] = {0.2f, 0.4f, 0.4f};

/* One key: rotations about y, x and z in degrees, the innermost last, and positions. */
typedef struct pose {
    double turn[BODY_JOINTS][3];
    double position[BODY_JOINTS][3];
} pose;

typedef struct gait {
    double stride; /* metres per cycle, which is two steps */
    double stance; /* fraction of the cycle in which a foot stands */
    double lift;   /* height of the moving foot */
    double height,
        bob; /* height of the hips and its amplitude; highest twice per cycle, at `top` */
    double top;
    double lean, sway;   /* degrees: trunk forward; hips and chest about y */
    double swing, elbow; /* degrees: swing of the arms; bend of the elbows */
    double apart;        /* metres by which each foot is further to its side than the hip */
    int axis;            /* of the stride: 2 forward, 0 to the left */
    double begin;        /* part of the cycle with which the clip begins */
} gait;

static const gait gaits[] = {
    [BODY_WALK] = {1.3, 0.60, 0.10, 0.905, 0.018, 0.3, 3, 7, 24, 16, 0, 2, 0},
    [BODY_RUN] = {2.5, 0.34, 0.24, 0.900, 0.035, 0.42, 12, 11, 40, 88, 0, 2, 0},
    [BODY_STRAFE] = {0.45, 0.60, 0.08, 0.890, 0.012, 0.3, 2, 0, 6, 24, 0.06, 0, 0.5},
};

/* ---- poses ----------------------------------------------------------------------- */

static pose rest_pose(void) {
    pose p;
    memset(p.turn, 0, sizeof p.turn);
    memcpy(p.position, offsets, sizeof offsets);
    return p;
}

static double bell(double x, double width) {
    return exp(-x * x / (width * width));
}

/* The position of an ankle, ahead of the hips in the direction of the stride and above the ground,
 * and the angle of the heel in degrees. `part` is the fraction of a cycle since the foot touched
 * the ground. */
static void foot_path(const gait *g, double part, double *ahead, double *above, double *heel) {
    double reach = g->stride * g->stance / 2;
    double ahead_of_next = part > 0.5 ? part - 1 : part; /* distance to the next ground contact */
    *above = ankle_height;
    *ahead = reach - g->stride * part;
    if (part > g->stance) {
        double on = (part - g->stance) / (1 - g->stance);
        *ahead = -reach * cos(pi * on);
        *above += g->lift * sin(pi * sqrt(on));
    }
    *heel = 42 * bell(part - g->stance - 0.04, 0.13) - 16 * bell(ahead_of_next, 0.07);
    *above += 0.08 * bell(part - g->stance, 0.1);
}

/* Rotates thigh and shin so that they reach the ankle from the height of the hips. `side` is 1 for
 * the left leg. */
static void place_leg(const gait *g, pose *p, int thigh, double side, double part) {
    double along, above, heel;
    foot_path(g, part, &along, &above, &heel);
    double ahead = g->axis == 2 ? along : 0, aside = (g->axis == 0 ? along : 0) + side * g->apart;
    double down = p->position[BODY_HIPS][1] + offsets[thigh][1] - above;
    double longest = thigh_length + shin_length - 0.002;
    double length = fmin(hypot(hypot(ahead, aside), down), longest);
    double a = thigh_length, b = shin_length;
    double bend = pi - acos((a * a + b * b - length * length) / (2 * a * b));
    double straight = a + b * cos(bend); /* the part of the leg along the thigh */
    double outward = asin(aside / straight);
    double forward = atan2(ahead, down) + atan2(b * sin(bend), straight * cos(outward));
    heel = g->axis == 2 ? heel : 0;
    p->turn[thigh][1] = -forward * 180 / pi;
    p->turn[thigh][2] = outward * 180 / pi;
    p->turn[thigh + 1][1] = bend * 180 / pi;
    p->turn[thigh + 2][1] = heel + (forward - bend) * 180 / pi;
    p->turn[thigh + 2][2] = -outward * 180 / pi;
    p->turn[thigh + 3][1] = -0.6 * fmax(heel, 0);
}

/* `side` is 1 for the left arm. An arm swings with the opposite leg. */
static void swing_arm(const gait *g, pose *p, int collar, double side, double swing) {
    p->turn[collar + 1][1] = -g->swing * swing + 0.1 * g->elbow;
    p->turn[collar + 1][2] = side * (6 + 0.1 * g->elbow);
    p->turn[collar + 2][1] = -g->elbow - 0.4 * g->swing * (swing + 0.5);
    p->turn[collar + 2][0] = -side * 0.2 * g->elbow;
}

static pose gait_pose(const gait *g, double part) {
    pose p = rest_pose();
    double left = part, right = part < 0.5 ? part + 0.5 : part - 0.5;
    double turn = cos(2 * pi * part); /* 1 when the left foot touches the ground in front */
    p.position[BODY_HIPS][0] = 0.02 * sin(2 * pi * part);
    p.position[BODY_HIPS][1] = g->height + g->bob * cos(4 * pi * (part - g->top));
    p.turn[BODY_HIPS][0] = -g->sway * turn;
    p.turn[BODY_SPINE][0] = g->sway * turn;
    p.turn[BODY_SPINE][1] = g->lean;
    p.turn[BODY_CHEST][0] = g->sway * turn;
    p.turn[BODY_CHEST][1] = 0.5 * g->lean;
    p.turn[BODY_NECK][0] = -0.8 * g->sway * turn;
    p.turn[BODY_NECK][1] = -g->lean;
    place_leg(g, &p, BODY_LEFT_THIGH, 1, left);
    place_leg(g, &p, BODY_RIGHT_THIGH, -1, right);
    swing_arm(g, &p, BODY_LEFT_COLLAR, 1, -turn);
    swing_arm(g, &p, BODY_RIGHT_COLLAR, -1, turn);
    return p;
}

/* The right arm is raised, and the hand moves from side to side. */
static pose wave_pose(double part) {
    pose p = rest_pose();
    p.turn[BODY_RIGHT_COLLAR][2] = -12;
    p.turn[BODY_RIGHT_ARM][2] = -138;
    p.turn[BODY_RIGHT_FOREARM][2] = -22 + 32 * sin(2 * pi * part);
    p.turn[BODY_RIGHT_HAND][2] = 14 * cos(2 * pi * part);
    return p;
}

/* The chest widens and rises; nothing else differs from the rest pose. */
static pose breath_pose(double part) {
    const double full = 0.5 - 0.5 * cos(2 * pi * part);
    pose p = rest_pose();
    p.turn[BODY_CHEST][1] = -3 * full;
    p.turn[BODY_NECK][1] = 3 * full;
    p.turn[BODY_LEFT_COLLAR][2] = 3 * full;
    p.turn[BODY_RIGHT_COLLAR][2] = -3 * full;
    p.position[BODY_CHEST][1] += 0.006 * full;
    return p;
}

/* ---- descriptions ------------------------------------------------------------------ */

static void set_key(body_keys *k, int key, const pose *p) {
    memcpy(k->positions[key], p->position, sizeof p->position);
    for (int joint = 0; joint < BODY_JOINTS; joint++) {
        double angles[3];
        for (int i = 0; i < 3; i++)
            angles[i] = p->turn[joint][i] * pi / 180;
        pm_quat_from_euler(PM_EULER_YXZ, angles, k->rotations[key][joint]);
    }
}

static bool walks(int clip) {
    return clip < BODY_WAVE;
}

/* The last key repeats the first, except for the root, which is one stride further: the time of an
 * open clip wraps around too. */
static void set_keys(body_keys *k, int clip) {
    for (int key = 0; key < BODY_KEYS; key++) {
        const double done = (double)key / (BODY_KEYS - 1),
                     begin = walks(clip) ? gaits[clip].begin : 0;
        const double part = fmod(done + begin, 1);
        pose p = clip == BODY_WAVE      ? wave_pose(part)
                 : clip == BODY_BREATHE ? breath_pose(part)
                                        : gait_pose(&gaits[clip], part);
        if (walks(clip))
            p.position[BODY_ROOT][gaits[clip].axis] = gaits[clip].stride * done;
        set_key(k, key, &p);
    }
}

/* The left foot touches the ground at the beginning of a cycle, the right one in its middle. */
static void set_steps(body_description *d, int clip) {
    const bool left = gaits[clip].begin == 0;
    d->steps[clip][0].id = left ? BODY_LEFT_STEP : BODY_RIGHT_STEP;
    d->steps[clip][1].id = left ? BODY_RIGHT_STEP : BODY_LEFT_STEP;
    d->steps[clip][1].tick = pm_crowd_ticks(body_seconds[clip] / 2);
    d->markers[clip] = (pm_crowd_markers){.markers = d->steps[clip], .count = 2};
}

static void describe_skeleton(body_description *d) {
    d->mask[BODY_RIGHT_COLLAR] = 0.5f;
    for (int joint = BODY_RIGHT_ARM; joint <= BODY_RIGHT_HAND; joint++)
        d->mask[joint] = 1.0f;
    memset(d->animated, 1, sizeof d->animated);
    d->animated[BODY_LEFT_HAND] = d->animated[BODY_RIGHT_HAND] = 0;
    d->animated[BODY_LEFT_TOE] = d->animated[BODY_RIGHT_TOE] = 0;
    d->levels[BODY_WITHOUT_ENDS].joints = d->animated;
    d->levels[BODY_EVERY_OTHER] = (pm_level){.joints = d->animated, .update_every = 2};
    d->chains[BODY_LEFT_LEG] =
        (pm_chain){.kind = PM_CHAIN_TWO_BONES, .joints = left_leg, .joint_count = 3, .axis = {1}};
    d->chains[BODY_RIGHT_LEG] =
        (pm_chain){.kind = PM_CHAIN_TWO_BONES, .joints = right_leg, .joint_count = 3, .axis = {1}};
    d->chains[BODY_STANDS] =
        (pm_chain){.kind = PM_CHAIN_STAND, .joints = standing, .joint_count = 3, .axis = {0, 1, 0}};
    d->chains[BODY_LOOKS] = (pm_chain){.kind = PM_CHAIN_AIM,
                                       .joints = looking,
                                       .joint_count = 3,
                                       .axis = {0, 1, 0},
                                       .forward = {0, 0, 1},
                                       .shares = looking_shares,
                                       .limit = 1.4f};
    d->skeleton = (pm_skeleton_desc){.joint_count = BODY_JOINTS,
                                     .parents = parents,
                                     .positions = {.data = offsets, .type = PM_FLOAT64},
                                     .levels = d->levels,
                                     .level_count = BODY_LEVELS,
                                     .masks = d->mask,
                                     .mask_count = 1,
                                     .chains = d->chains,
                                     .chain_count = BODY_CHAINS};
}

void body_describe(body_description *d, pm_method method) {
    memset(d, 0, sizeof *d);
    describe_skeleton(d);
    for (int clip = 0; clip < BODY_CLIPS; clip++) {
        body_keys *k = &d->keys[clip];
        set_keys(k, clip);
        d->clips[clip] = (pm_clip_desc){.track_count = BODY_JOINTS,
                                        .timelines = &timelines[clip],
                                        .rotations = {.data = k->rotations, .type = PM_FLOAT64},
                                        .positions = {.data = k->positions, .type = PM_FLOAT64},
                                        .method = method,
                                        .ends = PM_ENDS_PARABOLA};
        if (walks(clip))
            set_steps(d, clip);
        else
            d->clips[clip].loop = body_seconds[clip];
    }
}

pm_status body_open(body *b, const body_description *d, const char *device, pm_error *error) {
    const pm_engine_desc desc = {.device = device};
    *b = (body){0};
    pm_status status = pm_engine_create(&desc, &b->engine, error);
    if (status == PM_OK)
        status = pm_skeleton_create(&d->skeleton, &b->skeleton, error);
    if (status == PM_OK)
        status = pm_crowd_create(b->engine,
                                 &(pm_crowd_desc){.skeleton = b->skeleton,
                                                  .clips = d->clips,
                                                  .clip_count = BODY_CLIPS,
                                                  .markers = d->markers},
                                 &b->crowd, error);
    return status;
}

bool body_succeeded(const char *program, pm_status status, const pm_error *error) {
    char text[PM_ERROR_TEXT_SIZE];
    if (status == PM_OK)
        return true;
    pm_error_text(error, PM_SPELLING_FIELD, text, sizeof text);
    fprintf(stderr, "%s: %s\n", program, text);
    return false;
}

void body_close(body *b) {
    pm_crowd_destroy(&b->crowd);
    pm_skeleton_destroy(&b->skeleton);
    pm_engine_destroy(&b->engine);
}
