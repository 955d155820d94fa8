/* SPDX-License-Identifier: MIT
 *
 * Tests of characters: palettes of crowds on the reference path against forward kinematics in
 * double precision over the nodes and channels of the motion.
 */
#include "support/engines.h"
#include "support/motion_files.h"
#include "support/motion_hand.h"
#include "support/motion_kinematics.h"
#include "support/motion_truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- crowds -------------------------------------------------------------------------------- */

static double clip_begin(const pm_clip_desc *clip) {
    double begin = HUGE_VAL;
    for (size_t t = 0; t < clip->timeline_count; t++)
        begin = fmin(begin, truth_time(&clip->timelines[t], 0));
    return begin;
}

static void expect_matrix(const float *got, const kinematics_matrix *expected, double scale,
                          size_t joint) {
    for (int i = 0; i < 12; i++) {
        const double error = fabs((double)got[i] - expected->m[i / 4][i % 4]);
        if (!(error <= 4e-6 * scale))
            fail_msg("joint %zu, number %d: %g, expected %g", joint, i, (double)got[i],
                     expected->m[i / 4][i % 4]);
    }
}

static const pm_motion_character *make_character(const pm_motion *motion, size_t skin) {
    const pm_motion_character_options options = {.skin = skin};
    const pm_motion_character *character = NULL;
    expect_success(pm_motion_character_create(motion, &options, &character, new_error()));
    assert_int_equal(character->clip_count, pm_motion_get_content(motion)->clip_count);
    return character;
}

typedef struct cast {
    const pm_motion_character *character;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
} cast;

static cast make_cast(pm_engine *engine, const pm_motion *motion, size_t skin) {
    cast made = {.character = make_character(motion, skin)};
    expect_success(pm_skeleton_create(&made.character->skeleton, &made.skeleton, new_error()));
    const pm_crowd_desc desc = {.skeleton = made.skeleton,
                                .clips = made.character->clips,
                                .clip_count = made.character->clip_count};
    expect_success(pm_crowd_create(engine, &desc, &made.crowd, new_error()));
    return made;
}

static void free_cast(cast *c) {
    pm_crowd_destroy(&c->crowd);
    pm_skeleton_destroy(&c->skeleton);
    pm_motion_character_destroy(&c->character);
    assert_null(c->character);
}

/* The size of numbers that cancel in a matrix: positions of all joints. */
static double reach_of(const pm_motion_content *content, const pm_motion_clip *clip, double time,
                       const uint32_t *nodes, size_t count) {
    double reach = 1;
    for (size_t j = 0; j < count; j++) {
        const kinematics_matrix m = kinematics_model(content, clip, (int32_t)nodes[j], time);
        for (int i = 0; i < 12; i++)
            reach = fmax(reach, fabs(m.m[i / 4][i % 4]));
    }
    return reach;
}

/* Poses one instance in both ways and compares model matrices. */
static void expect_pose(const cast *c, const pm_motion_content *content, size_t clip,
                        double seconds) {
    const size_t joints = c->character->skeleton.joint_count;
    const uint32_t *order = pm_skeleton_order(c->skeleton);
    const pm_crowd_instance instance = {
        .clip_a = (uint32_t)clip, .time_a = pm_crowd_ticks(seconds), .flags = PM_CROWD_CLAMP_A};
    SCOPED(guarded_free_at)
    float *one = guarded_floats(12 * joints), *job_made = guarded_floats(12 * joints);
    const pm_crowd_job job = {.instances = &instance,
                              .instance_count = 1,
                              .outputs =
                                  &(pm_crowd_target){.output = PM_CROWD_MODEL, .memory = job_made},
                              .output_count = 1,
                              .on_reference = true};
    expect_success(pm_crowd_pose_one(
        c->crowd, &(pm_crowd_one){.instance = &instance, .output = PM_CROWD_MODEL}, one,
        new_error()));
    expect_success(pm_crowd_pose(c->crowd, &job, new_error()));
    expect_guards(one, 12 * joints);
    expect_same_bits(one, job_made, 12 * joints, 12);
    const pm_motion_clip *source = &content->clips[clip];
    const double time = clip_begin(&c->character->clips[clip]) + seconds;
    const double reach = reach_of(content, source, time, c->character->nodes, joints);
    for (size_t j = 0; j < joints; j++) {
        const int32_t node = (int32_t)c->character->nodes[order[j]];
        const kinematics_matrix expected = kinematics_model(content, source, node, time);
        expect_matrix(one + 12 * j, &expected, reach, j);
    }
}

/* ---- files --------------------------------------------------------------------------------- */

TEST_ON_REFERENCE(bvh_files_pose_as_forward_kinematics_does) {
    static const char *const names[] = {"bvh/pybvh_test1_mixed_orders.bvh",
                                        "bvh/makehuman_walk1.bvh", "bvh/mocapbank.bvh"};
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = test_open(test_data(names[i]), NULL);
        const pm_motion_content *content = pm_motion_get_content(motion);
        const pm_timeline *timeline = &content->clips[0].timelines[0];
        const double duration = truth_time(timeline, timeline->key_count - 1);
        SCOPED(free_cast) cast c = make_cast(engine, motion, 0);
        assert_int_equal(c.character->skeleton.joint_count, content->node_count);
        for (int k = 0; k < 12; k++)
            expect_pose(&c, content, 0, k ? random_between(&source, 0, duration) : duration);
    }
}

/* ---- motions by hand ----------------------------------------------------------------------- */

enum { NODES = 7, CLIPS = 4 };

/* A tree whose parents come after some of their children, with random rest poses. Node 0 is a second
 * root. */
static pm_motion *make_tree(random_source *source) {
    static const int32_t parents[NODES] = {-1, 5, 3, -1, 6, 6, 3};
    pm_motion *motion = hand_motion(NODES, CLIPS);
    for (size_t n = 0; n < NODES; n++) {
        pm_motion_node *node = hand_node(motion, n);
        node->parent = parents[n];
        random_quaternion(source, node->rotation);
        for (int i = 0; i < 3; i++) {
            node->position[i] = random_between(source, -2, 2);
            node->scale[i] = random_between(source, 0.7, 1.3);
        }
    }
    return motion;
}

static void set_channel(pm_motion *motion, pm_motion_clip *clip, size_t index, int32_t node,
                        pm_motion_path path, uint32_t timeline, random_source *source) {
    hand_channel(clip, index)->node = node;
    hand_random(motion, clip, index, path, timeline, PM_FLOAT64, source, 2);
}

/* Clip 0: rotations on two timelines and positions on a third, of one joint and of several. Clip 1:
 * rotations only, on one timeline. Clip 2: nothing of a joint is animated. Clip 3: scales, weights
 * of a node, and a number of no node. */
static pm_motion *make_motion(random_source *source) {
    pm_motion *motion = make_tree(source);
    pm_motion_clip *mixed = hand_clip(motion, 0, 3, 5), *plain = hand_clip(motion, 1, 1, 2);
    pm_motion_clip *still = hand_clip(motion, 2, 1, 1), *scaled = hand_clip(motion, 3, 2, 4);
    for (size_t t = 0; t < 3; t++)
        hand_times(motion, mixed, t, source, 4 + 3 * t, 0.5 + (double)t / 4);
    hand_times(motion, plain, 0, source, 5, 2);
    hand_times(motion, still, 0, source, 3, 1);
    hand_times(motion, scaled, 0, source, 6, 0);
    hand_times(motion, scaled, 1, source, 1, 0.25);
    set_channel(motion, mixed, 0, 3, PM_MOTION_ROTATION, 0, source);
    set_channel(motion, mixed, 1, 3, PM_MOTION_POSITION, 0, source);
    set_channel(motion, mixed, 2, 1, PM_MOTION_ROTATION, 1, source);
    set_channel(motion, mixed, 3, 5, PM_MOTION_POSITION, 2, source);
    set_channel(motion, mixed, 4, 0, PM_MOTION_ROTATION, 0, source);
    set_channel(motion, plain, 0, 0, PM_MOTION_ROTATION, 0, source);
    set_channel(motion, plain, 1, 4, PM_MOTION_ROTATION, 0, source);
    set_channel(motion, still, 0, -1, PM_MOTION_WEIGHTS, 0, source);
    set_channel(motion, scaled, 0, 1, PM_MOTION_SCALE, 0, source);
    set_channel(motion, scaled, 1, 2, PM_MOTION_WEIGHTS, 0, source);
    set_channel(motion, scaled, 2, -1, PM_MOTION_POSITION, 0, source);
    set_channel(motion, scaled, 3, 2, PM_MOTION_ROTATION, 1, source);
    return motion;
}

static void expect_poses(const cast *c, const pm_motion_content *content, random_source *source) {
    for (size_t clip = 0; clip < CLIPS; clip++)
        for (int k = 0; k < 8; k++)
            expect_pose(c, content, clip, k ? random_between(source, 0, 6) : 0);
}

TEST_ON_REFERENCE(hand_built_motions_pose_as_forward_kinematics_does) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    for (int round = 0; round < 8; round++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = make_motion(&source);
        SCOPED(free_cast) cast c = make_cast(engine, motion, 99); /* without skins, ignored */
        const pm_clip_desc *mixed = &c.character->clips[0];
        for (size_t j = 2; j < NODES; j += 2) /* not animated: one key */
            assert_int_equal(mixed->timelines[mixed->timeline_of[j]].key_count, 1);
        expect_poses(&c, &motion->content, &source);
    }
}

/* Rotations on two timelines and positions of one joint on others: its keys are at the times of
 * both, where each channel has its own value. */
TEST_ON_REFERENCE(a_joint_has_the_key_times_of_all_its_channels) {
    static const double a[3] = {1, 2, 4}, b[3] = {0.5, 2, 3}, both[5] = {0.5, 1, 2, 3, 4};
    random_source source = random_start();
    SCOPED(pm_motion_destroy) pm_motion *motion = hand_motion(1, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 2, 2);
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = 3, .times = a};
    *hand_timeline(clip, 1) = (pm_timeline){.key_count = 3, .times = b};
    for (size_t c = 0; c < 2; c++) {
        hand_channel(clip, c)->interpolation = PM_MOTION_CUBICSPLINE;
        set_channel(motion, clip, c, 0, c ? PM_MOTION_POSITION : PM_MOTION_ROTATION, (uint32_t)c,
                    &source);
    }
    SCOPED(pm_motion_character_destroy)
    const pm_motion_character *character = make_character(motion, 0);
    const pm_clip_desc *made = &character->clips[0];
    assert_int_equal(made->timeline_count, 1);
    assert_int_equal(made->timelines[0].key_count, 5);
    for (size_t k = 0; k < 5; k++) {
        double q[TRUTH_NUMBERS], p[TRUTH_NUMBERS], key[4];
        assert_true(made->timelines[0].times[k] == both[k]);
        truth_at(&clip->channels[0], &clip->timelines[0], truth_find(&clip->timelines[0], both[k]),
                 q);
        truth_at(&clip->channels[1], &clip->timelines[1], truth_find(&clip->timelines[1], both[k]),
                 p);
        for (size_t i = 0; i < 4; i++)
            key[i] = truth_number(&made->rotations, 4, k, i);
        assert_true(truth_angle(key, q) < 1e-12);
        for (size_t i = 0; i < 3; i++)
            assert_true(fabs(truth_number(&made->positions, 3, k, i) - p[i]) < 1e-12);
    }
}

/* ---- skins --------------------------------------------------------------------------------- */

/* Joints 1 and 4, whose ancestors are 5, 6 and 3; 0 and 2 have no part. */
static const uint32_t skin_joints[2] = {1, 4};

static void add_skins(pm_motion *motion, pm_motion_skin skins[2], float binds[24],
                      random_source *source) {
    for (int i = 0; i < 24; i++)
        binds[i] = (float)random_between(source, -1, 1);
    for (int i = 0; i < 2; i++)
        skins[i] = (pm_motion_skin){
            .name = {"", 0}, .joints = skin_joints, .joint_count = 2, .inverse_binds = binds};
    skins[1].inverse_binds = NULL;
    motion->content.skins = skins;
    motion->content.skin_count = 2;
}

static void expect_palette(const cast *c, const pm_motion_content *content, const float *binds,
                           double seconds) {
    const size_t joints = c->character->skeleton.joint_count;
    const uint32_t *order = pm_skeleton_order(c->skeleton);
    const pm_crowd_instance instance = {.time_a = pm_crowd_ticks(seconds),
                                        .flags = PM_CROWD_CLAMP_A};
    float palette[12 * NODES];
    expect_success(pm_crowd_pose_one(
        c->crowd, &(pm_crowd_one){.instance = &instance, .output = PM_CROWD_PALETTE}, palette,
        new_error()));
    const double time = clip_begin(&c->character->clips[0]) + seconds;
    for (size_t j = 0; j < joints; j++) {
        const uint32_t node = c->character->nodes[order[j]];
        const kinematics_matrix model =
            kinematics_model(content, &content->clips[0], (int32_t)node, time);
        kinematics_matrix bind = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
        for (size_t s = 0; s < 2; s++) {
            if (skin_joints[s] != node)
                continue;
            assert_int_equal(c->character->skin_slots[s], j);
            for (size_t i = 0; i < 12; i++)
                bind.m[i / 4][i % 4] = (double)binds[12 * s + i];
        }
        const kinematics_matrix expected = kinematics_multiply(&model, &bind);
        const double reach =
            reach_of(content, &content->clips[0], time, c->character->nodes, joints);
        expect_matrix(palette + 12 * j, &expected, 3 * reach, j);
    }
}

TEST_ON_REFERENCE(a_skin_has_its_joints_their_ancestors_and_inverse_binds) {
    static const uint32_t nodes[5] = {1, 3, 4, 5, 6};
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    pm_motion_skin skins[2];
    float binds[24];
    SCOPED(pm_motion_destroy) pm_motion *motion = make_motion(&source);
    add_skins(motion, skins, binds, &source);
    SCOPED(free_cast) cast c = make_cast(engine, motion, 0);
    assert_int_equal(c.character->skeleton.joint_count, 5);
    assert_memory_equal(c.character->nodes, nodes, sizeof nodes);
    expect_poses(&c, &motion->content, &source);
    for (int k = 0; k < 8; k++)
        expect_palette(&c, &motion->content, binds, random_between(&source, 0, 3));
    SCOPED(pm_motion_character_destroy)
    const pm_motion_character *unbound = make_character(motion, 1);
    assert_null(unbound->skeleton.inverse_binds.data);
}

enum { BUSH = 90, BOUND = 40 };

/* Random parents in random order: a skeleton sorts its joints. */
static pm_motion *make_bush(random_source *source) {
    pm_motion *motion = hand_motion(BUSH, 1);
    uint32_t place[BUSH];
    for (uint32_t n = 0; n < BUSH; n++) {
        const size_t other = random_size(source, 0, n);
        place[n] = place[other];
        place[other] = n;
    }
    for (size_t n = 0; n < BUSH; n++) {
        pm_motion_node *node = hand_node(motion, place[n]);
        node->parent = n == 0 ? -1 : (int32_t)place[random_size(source, 0, n - 1)];
        random_quaternion(source, node->rotation);
        for (int i = 0; i < 3; i++)
            node->position[i] = random_between(source, -0.2, 0.2);
    }
    pm_motion_clip *clip = hand_clip(motion, 0, 1, 1);
    hand_times(motion, clip, 0, source, 4, 0);
    set_channel(motion, clip, 0, (int32_t)place[0], PM_MOTION_ROTATION, 0, source);
    return motion;
}

/* Joints of a skin in random order, each with a matrix of its own. */
static pm_motion_skin make_binding(random_source *source, uint32_t joints[BOUND],
                                   float binds[12 * BOUND]) {
    uint32_t all[BUSH];
    for (uint32_t n = 0; n < BUSH; n++)
        all[n] = n;
    for (size_t j = 0; j < BOUND; j++) {
        const size_t other = j + random_size(source, 0, BUSH - j - 1);
        joints[j] = all[other];
        all[other] = all[j];
    }
    for (size_t i = 0; i < 12 * (size_t)BOUND; i++)
        binds[i] = (float)random_between(source, -1, 1);
    return (pm_motion_skin){
        .name = {"", 0}, .joints = joints, .joint_count = BOUND, .inverse_binds = binds};
}

/* Model matrices that are found by nodes, and the nodes that are found by matrices. */
static void expect_places(const cast *c, const pm_motion *motion, double seconds) {
    const pm_crowd_instance instance = {.time_a = pm_crowd_ticks(seconds),
                                        .flags = PM_CROWD_CLAMP_A};
    float models[12 * BUSH];
    size_t placed = 0;
    expect_success(pm_crowd_pose_one(
        c->crowd, &(pm_crowd_one){.instance = &instance, .output = PM_CROWD_MODEL}, models,
        new_error()));
    assert_int_equal(c->character->node_count, motion->content.node_count);
    for (uint32_t n = 0; n < motion->content.node_count; n++) {
        const uint32_t slot = c->character->node_slots[n];
        if (slot == UINT32_MAX)
            continue;
        const kinematics_matrix expected =
            kinematics_model(&motion->content, motion->content.clips, (int32_t)n,
                             clip_begin(c->character->clips) + seconds);
        expect_matrix(models + 12 * (size_t)slot, &expected, 20, n);
        assert_int_equal(c->character->slot_nodes[slot], n);
        placed++;
    }
    assert_int_equal(placed, c->character->skeleton.joint_count);
}

TEST_ON_REFERENCE(the_slots_of_nodes_find_them_in_outputs) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    for (int round = 0; round < 16; round++) {
        uint32_t joints[BOUND];
        float binds[12 * BOUND];
        SCOPED(pm_motion_destroy) pm_motion *motion = make_bush(&source);
        const pm_motion_skin skin = make_binding(&source, joints, binds);
        motion->content.skins = round % 2 ? &skin : NULL;
        motion->content.skin_count = (size_t)(round % 2);
        cast c = make_cast(engine, motion, 0);
        expect_places(&c, motion, random_between(&source, 0, 2));
        free_cast(&c);
        motion->content.skins = NULL;
        motion->content.skin_count = 0;
    }
}

/* ---- lifetime and refusals ----------------------------------------------------------------- */

TEST_ON_REFERENCE(a_character_outlives_its_motion) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    pm_motion *motion = make_motion(&source);
    SCOPED(pm_motion_character_destroy)
    const pm_motion_character *character = make_character(motion, 0);
    const double begin = clip_begin(&character->clips[1]);
    assert_ptr_not_equal(character->clips[1].timelines[0].times,
                         motion->content.clips[1].timelines[0].times);
    pm_motion_destroy(&motion);
    assert_true(clip_begin(&character->clips[1]) == begin);
    for (size_t i = 0; i < CLIPS; i++) {
        SCOPED(pm_clip_destroy) pm_clip *clip = NULL;
        expect_success(pm_clip_create(engine, &character->clips[i], &clip, new_error()));
    }
    pm_motion_character_destroy(&character);
    pm_motion_character_destroy(NULL);
}

static void expect_refused(const pm_motion *motion, size_t skin, pm_status status,
                           const char *words) {
    const pm_motion_character_options options = {.skin = skin};
    const pm_motion_character *character = NULL;
    expect_error(pm_motion_character_create(motion, &options, &character, new_error()), status,
                 words);
    assert_null(character);
}

TEST_ON_REFERENCE(unusable_motions_are_refused) {
    random_source source = random_start();
    pm_motion_skin skins[2];
    float binds[24];
    SCOPED(pm_motion_destroy) pm_motion *motion = make_motion(&source);
    expect_refused(NULL, 0, PM_ERROR_ARGUMENT, "motion is NULL");
    expect_error(pm_motion_character_create(motion, NULL, NULL, new_error()), PM_ERROR_ARGUMENT,
                 "character is NULL");
    motion->content.node_count = 0;
    expect_refused(motion, 0, PM_ERROR_FILE, "no nodes");
    motion->content.node_count = NODES;
    motion->content.clip_count = 0;
    expect_refused(motion, 0, PM_ERROR_FILE, "no clips");
    motion->content.clip_count = CLIPS;
    add_skins(motion, skins, binds, &source);
    expect_refused(motion, 2, PM_ERROR_ARGUMENT, "skin is 2");
}

TEST_GROUP(NULL, engines_close)
