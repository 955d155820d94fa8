/* SPDX-License-Identifier: MIT
 *
 * Planted feet: in the world they do not move while markers name a contact, whatever the frame rate and the way of the
 * instance; where they are in all frames against the rules of docs/crowds.md in double precision; and the same bits on
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

enum { HIPS, THIGH, SHIN, FOOT, OTHER_THIGH, OTHER_SHIN, OTHER_FOOT, JOINTS };
enum { COUNT = 21, KEYS = 31, CLIPS = 3, MARKERS = 6, FEET = 2, STATE = 48 * FEET, STAND = 2 };
enum { LEFT_DOWN = 7, LEFT_UP = 3, RIGHT_DOWN = 70000, RIGHT_UP = 9, OTHER = 1 };
static const double PI = 3.14159265358979323846;
static const double ticks = PM_TICKS_PER_SECOND;

static const int32_t parents[JOINTS] = {-1, HIPS, THIGH, SHIN, HIPS, OTHER_THIGH, OTHER_SHIN};
static const float rest[JOINTS][3] = {{0, 0.9f, 0},  {0.1f, 0, 0},   {0, -0.45f, 0}, {0, -0.45f, 0},
                                      {-0.1f, 0, 0}, {0, -0.45f, 0}, {0, -0.45f, 0}};
static const uint32_t legs[2][3] = {{THIGH, SHIN, FOOT}, {OTHER_THIGH, OTHER_SHIN, OTHER_FOOT}};
static const uint32_t stand[] = {HIPS, FOOT, OTHER_FOOT};
static const uint32_t contacts[] = {LEFT_DOWN, LEFT_UP, RIGHT_DOWN, RIGHT_UP};
static const pm_chain chains[] = {
    {.kind = PM_CHAIN_TWO_BONES, .joints = legs[0], .joint_count = 3, .axis = {1, 0, 0}},
    {.kind = PM_CHAIN_TWO_BONES, .joints = legs[1], .joint_count = 3, .axis = {1, 0, 0}},
    {.kind = PM_CHAIN_STAND,
     .joints = stand,
     .joint_count = 3,
     .axis = {0, 1, 0},
     .contacts = contacts}};

/* In parts of a clip. The right foot of clip 0 is on the ground across the seam; clip 1 has two contacts of the left one
 * and none of the right one; clip 2 is clamped, and begins and ends on the ground. */
static const struct {
    double at;
    uint32_t id;
} marks[CLIPS][MARKERS] = {
    {{0.04, RIGHT_UP},
     {0.1, LEFT_DOWN},
     {0.2, OTHER},
     {0.52, LEFT_UP},
     {0.6, RIGHT_DOWN},
     {1, OTHER}},
    {{0, OTHER}, {0.1, LEFT_DOWN}, {0.3, LEFT_UP}, {0.5, LEFT_DOWN}, {0.8, LEFT_UP}, {0.9, OTHER}},
    {{0.3, LEFT_UP},
     {0.3, RIGHT_UP},
     {0.5, LEFT_DOWN},
     {0.55, RIGHT_DOWN},
     {0.6, RIGHT_UP},
     {0.8, RIGHT_DOWN}}};

static int64_t random_ticks(random_source *source, double seconds) {
    return pm_crowd_ticks(random_between(source, 0, seconds));
}

/* A figure that walks on the spot, with knees that stay bent. */
typedef struct walkers {
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    pm_crowd_marker markers[CLIPS][MARKERS];
    pm_crowd_instance instances[COUNT];
    pm_placement placements[COUNT];
    pm_stand_goal goals[COUNT];
    float heights[5][5];
    _Alignas(16) unsigned char states[COUNT * STATE];
} walkers;

static void walkers_make(pm_engine *engine, random_source *source, walkers *w) {
    static float keys[CLIPS][KEYS][JOINTS][4];
    pm_timeline timelines[CLIPS];
    pm_clip_desc clips[CLIPS];
    pm_crowd_markers markers[CLIPS];
    for (size_t c = 0; c < CLIPS; c++) {
        timelines[c] = (pm_timeline){.key_count = KEYS, .rate = {28 + (uint32_t)c, 1}};
        const double sway = random_between(source, 0.1, 0.3);
        for (size_t k = 0; k < KEYS; k++)
            for (size_t j = 0; j < JOINTS; j++) {
                const double phase = 2 * PI * (double)(k % (KEYS - 1)) / (KEYS - 1);
                const double side = j > FOOT ? PI : 0;
                const double bend = 0.9 + 0.2 * sin(2 * phase + side);
                const double x = j == SHIN || j == OTHER_SHIN     ? bend
                                 : j == THIGH || j == OTHER_THIGH ? sway * sin(phase + side) - 0.45
                                                                  : 0.05 * sin(phase + side);
                keys[c][k][j][0] = (float)sin(x / 2);
                keys[c][k][j][3] = (float)cos(x / 2);
            }
        clips[c] = (pm_clip_desc){
            .track_count = JOINTS, .timelines = &timelines[c], .rotations = {.data = keys[c]}};
        for (size_t m = 0; m < MARKERS; m++)
            w->markers[c][m] = (pm_crowd_marker){
                pm_crowd_ticks(marks[c][m].at * (KEYS - 1) / (double)(28 + c)), marks[c][m].id, 0};
        markers[c] = (pm_crowd_markers){.markers = w->markers[c], .count = MARKERS};
    }
    const pm_skeleton_desc desc = {.joint_count = JOINTS,
                                   .parents = parents,
                                   .positions = {.data = rest},
                                   .masks = (const float[]){1, 1, 1, 1, 1, 1, 0},
                                   .mask_count = 1,
                                   .chains = chains,
                                   .chain_count = COUNT_OF(chains)};
    w->skeleton = NULL;
    w->crowd = NULL;
    expect_success(pm_skeleton_create(&desc, &w->skeleton, new_error()));
    const pm_crowd_desc crowd = {
        .skeleton = w->skeleton, .clips = clips, .clip_count = CLIPS - 1, .markers = markers};
    uint32_t last;
    expect_success(pm_crowd_create(engine, &crowd, &w->crowd, new_error()));
    expect_success(pm_crowd_add_clips(w->crowd, &clips[CLIPS - 1], &markers[CLIPS - 1], 1, &last,
                                      new_error()));
    assert_int_equal(last, CLIPS - 1);
    assert_int_equal(pm_crowd_plant_bytes(w->crowd), STATE);
    for (size_t c = 0; c < CLIPS; c++) /* the last marker of clip 0 is at its end */
        assert_true(w->markers[c][MARKERS - 1].tick <= pm_crowd_clip_ticks(w->crowd, c));
}

static void walkers_free(walkers *w) {
    pm_crowd_destroy(&w->crowd);
    pm_skeleton_destroy(&w->skeleton);
}

static const pm_chain_use use = {STAND, PM_CHAIN_IN_WORLD};

static pm_crowd_job job_of(walkers *w, int64_t now, void *states) {
    return (pm_crowd_job){.instances = w->instances,
                          .instance_count = COUNT,
                          .chains = &use,
                          .chain_count = 1,
                          .goals = w->goals,
                          .ground = {{-4, -4}, 2, 5, 5},
                          .heights = w->heights[0],
                          .placements = w->placements,
                          .plants = states,
                          .transition_time = now};
}

static void pose_feet(const walkers *w, pm_crowd_job job, float *records) {
    job.outputs = &(pm_crowd_target){.output = PM_CROWD_MODEL, .memory = records};
    job.output_count = 1;
    expect_success(pm_crowd_pose(w->crowd, &job, new_error()));
}

/* Records of a device and its states, once they are those of all other readers, and of the same job once more. */
static void pose_alike(walkers *w, int64_t now, float records[COUNT * JOINTS * 12]) {
    static float others[COUNT * JOINTS * 12];
    static _Alignas(16) unsigned char before[COUNT * STATE], states[COUNT * STATE];
    const size_t widest = w->crowd->latest->data->instruction_set;
    memcpy(before, w->states, sizeof before);
    pose_feet(w, job_of(w, now, w->states), records);
    for (size_t k = 0; k <= widest + 1; k++) {
        pm_crowd_job job = job_of(w, now, states);
        job.on_reference = k <= widest;
        w->crowd->latest->data->instruction_set = k < widest ? k : widest;
        memcpy(states, k <= widest ? before : w->states, sizeof states);
        memset(others, 0x7c, sizeof others);
        pose_feet(w, job, others);
        expect_same_bits(records, others, COUNT_OF(others), (size_t)JOINTS * 12);
        assert_memory_equal(states, w->states, sizeof states);
    }
    for (size_t i = 0; i < COUNT; i++) {
        const pm_crowd_job job = job_of(w, now, NULL);
        memcpy(states, before + i * STATE, STATE);
        const pm_crowd_one one = {.instance = &w->instances[i],
                                  .output = PM_CROWD_MODEL,
                                  .chains = &use,
                                  .chain_count = 1,
                                  .goals = (const pm_chain_goal *)(const void *)&w->goals[i],
                                  .ground = job.ground,
                                  .heights = job.heights,
                                  .placement = &w->placements[i],
                                  .plants = states,
                                  .transition_time = now};
        expect_success(pm_crowd_pose_one(w->crowd, &one, others, new_error()));
        expect_same_bits(records + i * JOINTS * 12, others, (size_t)JOINTS * 12, JOINTS * 12);
        assert_memory_equal(states, w->states + i * STATE, STATE);
    }
}

static vec3 foot_in_world(const walkers *w, const float *records, size_t i, size_t foot) {
    const uint32_t joint = pm_skeleton_slots(w->skeleton)[foot ? OTHER_FOOT : FOOT];
    const float *m = records + 12 * (i * JOINTS + joint);
    const float *q = w->placements[i].rotation, *p = w->placements[i].position;
    const quat turn = {(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
    return vec3_add((vec3){(double)p[0], (double)p[1], (double)p[2]},
                    quat_rotate(turn, (vec3){(double)m[3], (double)m[7], (double)m[11]}));
}

/* ---- the oracle -------------------------------------------------------------------------------- */

typedef struct foot {
    bool stands, leaves, strays;
    int64_t contact; /* number of its contact; -1: none */
    vec3 place, pose, off, rate;
    double time, left;
} foot;

/* The number of a foot's present contact among all of the clip's time, or -1. */
static int64_t contact_at(const walkers *w, size_t clip, int64_t time, size_t f) {
    const int64_t cycle = pm_crowd_clip_ticks(w->crowd, clip);
    const bool clamps = clip == 2;
    int64_t found = -1;
    for (int64_t round = clamps ? 0 : -1; round < (clamps ? 1 : 4000); round++)
        for (int64_t m = 0; m < MARKERS; m++) {
            const pm_crowd_marker *mark = &w->markers[clip][m];
            if (mark->id != contacts[2 * f] && mark->id != contacts[2 * f + 1])
                continue;
            const int64_t at = round * cycle + mark->tick;
            if (clamps && m == 0 + (int64_t)f && time < at)
                return 1000000; /* on the ground until its first marker */
            if (at > time)
                return found;
            found = mark->id == contacts[2 * f] ? (round + 1) * MARKERS + m : -1;
        }
    return found;
}

/* The foot's place in a frame, of which the pose on the ground has it at `pose`. */
static vec3 oracle_foot(foot *f, int64_t contact, vec3 pose, double now, double release,
                        double stray) {
    vec3 off = {0, 0, 0};
    const bool is_next = contact >= 0 && contact != f->contact;
    if (f->stands) {
        off = vec3_subtract(f->place, pose);
        if (is_next) {
            f->stands = false;
            off = (vec3){0, 0, 0};
        } else if (contact < 0 || (stray > 0 && vec3_norm(off) > stray)) {
            f->rate = vec3_scale(vec3_subtract(f->pose, pose), 1 / (now - f->time));
            f->off = off;
            f->left = now;
            f->stands = false;
            f->leaves = true;
            f->strays = contact >= 0;
        }
    }
    if (!f->stands && f->leaves) {
        const double t = now - f->left;
        off = (vec3){oracle_decay(f->off.x, f->rate.x, release, t),
                     oracle_decay(f->off.y, f->rate.y, release, t),
                     oracle_decay(f->off.z, f->rate.z, release, t)};
    }
    if (contact < 0 || is_next)
        f->strays = false;
    if (contact >= 0 && !f->stands && stray > 0 && vec3_norm(off) > stray)
        f->strays = true;
    if (contact >= 0 && !f->stands && !f->strays) {
        f->stands = true;
        f->leaves = false;
        f->place = vec3_add(pose, off);
    }
    f->pose = pose;
    f->time = now;
    f->contact = contact;
    return f->stands ? f->place : vec3_add(pose, off);
}

/* Steps of any length, in which instances turn, drift and change their speed; on flat ground and on hills. Some have
 * times that their caller wraps around, some mix two clips. */
TEST_ON_BOTH(planted_feet_stay_where_they_are_as_the_oracle_has_them) {
    random_source source = random_salted(0xC60);
    static walkers w;
    static foot feet[COUNT][FEET];
    static float records[COUNT * JOINTS * 12], free_records[COUNT * JOINTS * 12];
    double heading[COUNT] = {0}, worst = 0, drift = 0;
    vec3 places[COUNT], first[COUNT][FEET];
    int64_t times[COUNT], held[COUNT][FEET], now = random_ticks(&source, 1000);
    size_t compared = 0, planted = 0, left = 0;
    walkers_make(engine_for(state), &source, &w);
    memset(w.states, 0, sizeof w.states);
    memset(feet, 0, sizeof feet);
    memset(held, 0xff, sizeof held);
    for (size_t i = 0; i < 25; i++)
        w.heights[i / 5][i % 5] = (float)random_between(&source, -0.1, 0.1);
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t f = 0; f < FEET; f++)
            feet[i][f].contact = -1;
        times[i] = i % 3 == 2 ? 0 : random_ticks(&source, 5);
        places[i] = (vec3){random_between(&source, -2, 2), 0, random_between(&source, -2, 2)};
        w.goals[i] = (pm_stand_goal){.weight = 1,
                                     .tilt = 0.7f,
                                     .lowest = NAN,
                                     .highest = NAN,
                                     .normal = {0, i % 4 ? 0 : 1, 0},
                                     .release = i % 7 ? 0.3f : 0,
                                     .stray = i % 3 == 2 ? 0.2f
                                              : i % 5    ? 0
                                                         : 0.06f};
    }
    const size_t frames = 150;
    for (size_t n = 0; n < frames; n++) {
        const double step =
            n % 40 < 30 ? random_between(&source, 0.004, 0.05) : random_between(&source, 0.05, 0.2);
        now += pm_crowd_ticks(step);
        for (size_t i = 0; i < COUNT; i++) {
            const size_t clip = i % 3;
            const int64_t cycle = pm_crowd_clip_ticks(w.crowd, clip);
            times[i] += pm_crowd_ticks(step * (0.8 + 0.4 * (double)(i % 2)));
            heading[i] += step * sin(0.1 * (double)n + (double)i);
            places[i] = vec3_add(
                places[i], (vec3){0.2 * step * sin(heading[i]), 0, 0.2 * step * cos(heading[i])});
            w.placements[i] =
                (pm_placement){{0, (float)sin(heading[i] / 2), 0, (float)cos(heading[i] / 2)},
                               {(float)places[i].x, 0.25f, (float)places[i].z}};
            w.instances[i] =
                (pm_crowd_instance){.clip_a = (uint32_t)clip,
                                    .time_a = i % 4 == 1 && clip < 2 ? times[i] % cycle : times[i],
                                    .clip_b = (uint32_t)(i % 2),
                                    .time_b = times[i],
                                    .weight = i % 6 > 3 ? (i % 6 == 4 ? 0.3f : 0.6f) : 0,
                                    .mask = i % 12 == 5,
                                    .flags = PM_CROWD_CLAMP_A * (clip == 2)};
        }
        pose_alike(&w, now, records);
        pose_feet(&w, job_of(&w, now, NULL), free_records);
        for (size_t i = 0; i < COUNT; i++)
            for (size_t f = 0; f < FEET; f++) {
                const bool by_b = i % 6 == 5 && !(i % 12 == 5 && f == 1); /* the mask has no foot */
                const int64_t contact = contact_at(&w, by_b ? i % 2 : i % 3, times[i], f);
                const vec3 shown = foot_in_world(&w, records, i, f);
                const vec3 wanted = oracle_foot(
                    &feet[i][f], contact, foot_in_world(&w, free_records, i, f),
                    (double)now / ticks, (double)w.goals[i].release, (double)w.goals[i].stray);
                if (vec3_norm(vec3_subtract(wanted, feet[i][f].pose)) < 0.25) { /* within reach */
                    worst = fmax(worst, vec3_norm(vec3_subtract(shown, wanted)));
                    compared++;
                }
                left += feet[i][f].leaves;
                if (contact < 0 || contact != held[i][f])
                    first[i][f] = shown;
                else if (w.goals[i].stray == 0) {
                    drift = fmax(drift, vec3_norm(vec3_subtract(shown, first[i][f])));
                    planted++;
                }
                held[i][f] = contact;
            }
    }
    printf("%zu feet: %.3g from the oracle; %zu planted: %.3g; %zu left\n", compared, worst,
           planted, drift, left);
    assert_true(compared > frames * COUNT && planted > compared / 8 && left > compared / 8);
    assert_true(worst < 2e-5);
    assert_true(drift < 1e-4);
    walkers_free(&w);
}

TEST_ON_BOTH(any_states_give_finite_poses_with_the_same_bits_on_all_readers) {
    random_source source = random_salted(0xC61);
    static walkers w;
    static float records[COUNT * JOINTS * 12];
    walkers_make(engine_for(state), &source, &w);
    for (size_t round = 0; round < (long_sweeps() ? 5000 : 40); round++) {
        unsigned char *bytes[] = {w.states, (unsigned char *)w.goals, (unsigned char *)w.instances};
        const size_t sizes[] = {sizeof w.states, sizeof w.goals, sizeof w.instances};
        for (size_t k = 0; k < COUNT_OF(bytes); k++)
            for (size_t i = 0; i < sizes[k]; i++)
                bytes[k][i] = (unsigned char)random_bits(&source);
        for (size_t i = 0; i < COUNT; i++) {
            const uint32_t phase = (uint32_t)(random_bits(&source) % 5);
            w.placements[i] = (pm_placement){{0, 0, 0, 1}, {(float)i, 0, 1}};
            w.instances[i].clip_a %= 4;
            w.instances[i].clip_b %= 4;
            if (i % 4 == 0)
                continue;
            const float usable[] = {0, 0, 0, 1, 0, 1, 0, 0.5f, NAN, NAN, 0.5f, 2};
            memcpy(&w.goals[i], usable, sizeof usable);
            for (size_t f = 0; f < FEET; f++) {
                unsigned char *row = w.states + i * STATE + 48 * f;
                for (size_t k = 0; k < 7 && i % 2; k++)
                    memcpy(row + 4 * k, &(float){(float)random_between(&source, -1, 1)}, 4);
                memcpy(row + 12, &phase, sizeof phase);
            }
        }
        pose_alike(&w, random_ticks(&source, 1000), records);
        for (size_t i = 0; i < COUNT_OF(records); i++)
            assert_true(isfinite(records[i]));
    }
    walkers_free(&w);
}

TEST_ON_BOTH(jobs_that_plant_feet_are_checked) {
    random_source source = random_salted(0xC62);
    static walkers w;
    static float records[COUNT * JOINTS * 12];
    walkers_make(engine_for(state), &source, &w);
    const pm_crowd_target target = {.output = PM_CROWD_MODEL, .memory = records};
    pm_crowd_job job = job_of(&w, 0, w.states);
    job.outputs = &target;
    job.output_count = 1;
    job.plant_stride = STATE - 8;
    expect_error(pm_crowd_pose(w.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "plants: stride");
    job.plant_stride = STATE + 4;
    expect_error(pm_crowd_pose(w.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "plants");
    job.plant_stride = 0;
    job.plants = w.states + 4;
    expect_error(pm_crowd_pose(w.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "plants");
    job.plants = w.states;
    job.chains = &(pm_chain_use){0, PM_CHAIN_IN_WORLD};
    job.heights = NULL;
    job.ground.columns = job.ground.rows = 0;
    expect_error(pm_crowd_pose(w.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "contacts");
    job.chains = &use;
    job.instances = NULL;
    job.poses = records;
    expect_error(pm_crowd_pose(w.crowd, &job, new_error()), PM_ERROR_ARGUMENT, "plants");
    pm_chain wrong[3];
    memcpy(wrong, chains, sizeof wrong);
    pm_skeleton *skeleton = NULL;
    const pm_skeleton_desc desc = {.joint_count = JOINTS,
                                   .parents = parents,
                                   .positions = {.data = rest},
                                   .chains = wrong,
                                   .chain_count = 3};
    wrong[STAND].contacts = (const uint32_t[]){1, 2, 3, 3};
    expect_error(pm_skeleton_create(&desc, &skeleton, new_error()), PM_ERROR_ARGUMENT, "contacts");
    wrong[STAND].contacts = NULL;
    wrong[0].contacts = contacts;
    expect_error(pm_skeleton_create(&desc, &skeleton, new_error()), PM_ERROR_ARGUMENT, "contacts");
    assert_null(skeleton);
    walkers_free(&w);
}

TEST_GROUP(NULL, engines_close)
