/* SPDX-License-Identifier: MIT
 *
 * Files of characters: what names of public conventions and clips propose, what a file gives to a crowd, and how
 * each fault is refused. The figure has known places, sides and axes in the world, below random rest rotations
 * and in a random order of nodes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/character/character_write.h"
#include "motion/model/similarity.h"
#include "support/failing_memory.h"
#include "support/motion.h"
#include "support/motion_files.h"
#include "support/motion_hand.h"
#include "support/motion_kinematics.h"
#include "support/scoped.h"
#include "support/test_folder.h"

/* ---- a figure ------------------------------------------------------------------------------ */

/* Left and right in turn behind the head. */
enum { HIPS, SPINE, CHEST, NECK, HEAD, THIGH, SHIN = 7, FOOT = 9, TOE = 11, COLLAR = 13, ARM = 15 };
enum { FOREARM = 17, HAND = 19, HANDLES = 21, NODES = 24, KEYS = 9 };

static const int parents[NODES] = {-1, HIPS, SPINE, CHEST, NECK, HIPS, HIPS, 5,  6,  7,  8,  9,
                                   10, 2,    2,     13,    14,   15,   16,   17, 18, -1, 21, 21};
static const double offsets[NODES][3] = {
    {0, 1, 0},       {0, 0.2, 0},    {0, 0.3, 0},     {0, 0.2, 0},  {0, 0.1, 0},  {0.1, 0, 0},
    {-0.1, 0, 0},    {0, -0.4, 0},   {0, -0.4, 0},    {0, -0.4, 0}, {0, -0.4, 0}, {0, -0.05, 0.1},
    {0, -0.05, 0.1}, {0.05, 0.1, 0}, {-0.05, 0.1, 0}, {0.1, 0, 0},  {-0.1, 0, 0}, {0.3, 0, 0},
    {-0.3, 0, 0},    {0.25, 0, 0},   {-0.25, 0, 0},   {0, 0, 0},    {0.1, 0, 0},  {-0.1, 0, 0}};

/* The last three are handles of feet, which hang on a joint of their own. */
static const char *const conventions[][NODES] = {
    {"m:Hips",      "m:Spine",       "m:Spine1",       "m:Neck",         "m:Head",
     "m:LeftUpLeg", "m:RightUpLeg",  "m:LeftLeg",      "m:RightLeg",     "m:LeftFoot",
     "m:RightFoot", "m:LeftToeBase", "m:RightToeBase", "m:LeftShoulder", "m:RightShoulder",
     "m:LeftArm",   "m:RightArm",    "m:LeftForeArm",  "m:RightForeArm", "m:LeftHand",
     "m:RightHand", "handles",       "LeftFootIK",     "RightFootIK"},
    {"pelvis",     "spine_01",   "spine_02",   "neck_01",      "head",       "thigh_l",
     "thigh_r",    "calf_l",     "calf_r",     "foot_l",       "foot_r",     "ball_l",
     "ball_r",     "clavicle_l", "clavicle_r", "upperarm_l",   "upperarm_r", "lowerarm_l",
     "lowerarm_r", "hand_l",     "hand_r",     "ik_foot_root", "ik_foot_l",  "ik_foot_r"},
    {"Pelvis",  "Spine1",   "Spine2",   "Neck",       "Head",       "L_Hip",
     "R_Hip",   "L_Knee",   "R_Knee",   "L_Ankle",    "R_Ankle",    "L_Foot",
     "R_Foot",  "L_Collar", "R_Collar", "L_Shoulder", "R_Shoulder", "L_Elbow",
     "R_Elbow", "L_Wrist",  "R_Wrist",  "ik",         "L_ik_foot",  "R_ik_foot"}};

typedef struct figure {
    pm_motion *motion;
    uint32_t node_of[NODES]; /* of roles */
    double world[NODES][4];  /* rotations of roles at rest */
} figure;

static void conjugate(const double q[4], double out[4]) {
    for (int i = 0; i < 4; i++)
        out[i] = i < 3 ? -q[i] : q[i];
}

/* Relative to the parent, of a rotation in the world. */
static void make_local(const figure *f, int role, const double world[4], double out[4]) {
    double inverse[4] = {0, 0, 0, 1};
    if (parents[role] >= 0)
        conjugate(f->world[parents[role]], inverse);
    quat_multiply(inverse, world, out);
}

static void place_roles(figure *f, const char *const *names, random_source *random) {
    for (int role = 0; role < NODES; role++) {
        pm_motion_node *node = hand_node(f->motion, f->node_of[role]);
        double inverse[4] = {0, 0, 0, 1};
        if (parents[role] >= 0)
            conjugate(f->world[parents[role]], inverse);
        random_quaternion(random, f->world[role]);
        make_local(f, role, f->world[role], node->rotation);
        quat_rotate(inverse, offsets[role], node->position);
        node->parent = parents[role] < 0 ? -1 : (int32_t)f->node_of[parents[role]];
        node->name = (pm_motion_name){names[role], strlen(names[role])};
    }
}

/* In the world: knees bend about x, elbows about -y and y. */
static const double *axis_of(int role) {
    static const double axes[3][3] = {{1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
    return axes[role < FOREARM ? 0 : 1 + role - FOREARM];
}

/* Bends knees and elbows by 0.2 to 1.4 rad, and moves the hips. */
static void animate(figure *f, random_source *random) {
    static const int roles[] = {SHIN, SHIN + 1, FOREARM, FOREARM + 1};
    pm_motion *subject = f->motion;
    pm_motion_clip *clip = hand_clip(subject, 0, 1, 5);
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = KEYS, .rate = {10, 1}};
    for (size_t c = 0; c < 5; c++) {
        const int role = c < 4 ? roles[c] : HIPS;
        double *keys = motion_allocate(&subject->arena, KEYS, 4 * sizeof *keys);
        assert_non_null(keys);
        for (size_t k = 0; k < KEYS; k++) {
            const double half = random_between(random, 0.1, 0.7), *axis = axis_of(role);
            const double turn[4] = {axis[0] * sin(half), axis[1] * sin(half), axis[2] * sin(half),
                                    cos(half)};
            double world[4];
            quat_multiply(turn, f->world[role], world);
            if (c < 4)
                make_local(f, role, world, keys + 4 * k);
            for (size_t i = 0; c == 4 && i < 3; i++)
                keys[3 * k + i] = random_between(random, -1, 1);
        }
        pm_motion_channel *channel = hand_channel(clip, c);
        channel->node = (int32_t)f->node_of[role];
        channel->path = c < 4 ? PM_MOTION_ROTATION : PM_MOTION_POSITION;
        channel->components = c < 4 ? 4 : 3;
        channel->keys = (pm_array){.data = keys, .type = PM_FLOAT64};
    }
}

static figure make_figure(const char *const *names, random_source *random) {
    figure f = {.motion = hand_motion(NODES, 1)};
    for (uint32_t n = 0; n < NODES; n++) {
        const size_t other = random_size(random, 0, n);
        f.node_of[n] = f.node_of[other];
        f.node_of[other] = n;
    }
    place_roles(&f, names, random);
    animate(&f, random);
    return f;
}

static void free_figure(figure *f) {
    pm_motion_destroy(&f->motion);
}

/* The role of a joint. */
static int role_of(const figure *f, const pm_motion_character *made, uint32_t joint) {
    for (int role = 0; role < NODES; role++)
        if (f->node_of[role] == made->nodes[joint])
            return role;
    fail();
    return -1;
}

static const pm_motion_character *make_character(const pm_motion *of, const char *file) {
    const pm_motion_character_options options = {.file = file};
    const pm_motion_character *made = NULL;
    expect_success(pm_motion_character_create(of, &options, &made, new_error()));
    return made;
}

static const pm_motion_character *read_text(const figure *f, const char *text) {
    test_folder_put_text("c.json", text);
    return make_character(f->motion, "c.json");
}

/* ---- what is proposed ---------------------------------------------------------------------- */

static size_t find_name(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("there is no '%s'", name);
    return 0;
}

/* In the frame of a role at rest. */
static void expect_direction(const figure *f, int role, const double world[3],
                             const float found[3]) {
    double inverse[4], own[3], cosine = 0;
    conjugate(f->world[role], inverse);
    quat_rotate(inverse, world, own);
    for (int i = 0; i < 3; i++)
        cosine += own[i] * (double)found[i];
    if (!(cosine > 1 - 1e-6))
        fail_msg("role %d: the cosine is %g", role, cosine);
}

static void expect_proposal(const figure *f, const pm_motion_character *made) {
    static const struct {
        const char *name;
        int upper;
    } limbs[] = {
        {"left leg", THIGH}, {"right leg", THIGH + 1}, {"left arm", ARM}, {"right arm", ARM + 1}};
    static const double up[3] = {0, 1, 0}, forward[3] = {0, 0, 1};
    assert_int_equal(made->skeleton.chain_count, 5);
    for (size_t i = 0; i < COUNT_OF(limbs); i++) {
        const pm_chain *chain =
            &made->skeleton.chains[find_name(made->chain_names, 5, limbs[i].name)];
        assert_int_equal(chain->kind, PM_CHAIN_TWO_BONES);
        for (int k = 0; k < 3; k++)
            assert_int_equal(role_of(f, made, chain->joints[k]), limbs[i].upper + 2 * k);
        expect_direction(f, limbs[i].upper, axis_of(limbs[i].upper + 2), chain->axis);
    }
    const pm_chain *gaze = &made->skeleton.chains[find_name(made->chain_names, 5, "gaze")];
    assert_int_equal(gaze->kind, PM_CHAIN_AIM);
    assert_int_equal(gaze->joint_count, 2);
    assert_int_equal(role_of(f, made, gaze->joints[0]), NECK);
    expect_direction(f, HEAD, up, gaze->axis);
    expect_direction(f, HEAD, forward, gaze->forward);
}

static char *propose(const figure *f) {
    SCOPED(pm_motion_character_destroy)
    const pm_motion_character *plain = make_character(f->motion, NULL);
    test_log log = {.count = 0};
    const motion_warnings to = {.log = test_log_add, .user = &log};
    char *text = NULL;
    expect_success(character_propose(f->motion, plain, &to, &text, new_error()));
    assert_int_equal(log.count, 0);
    return text;
}

TEST(names_and_clips_propose_limbs_and_a_gaze) {
    random_source random = random_salted(1);
    for (size_t c = 0; c < COUNT_OF(conventions); c++)
        for (int round = 0; round < 4; round++) {
            SCOPED(free_figure) figure f = make_figure(conventions[c], &random);
            SCOPED(free_at) char *text = propose(&f);
            SCOPED(pm_motion_character_destroy)
            const pm_motion_character *made = read_text(&f, text);
            expect_proposal(&f, made);
            /* The whole as joints is a file that says the same. */
            SCOPED(free_at) char *whole = NULL, *again = NULL;
            expect_success(character_write(f.motion, made, &whole, new_error()));
            SCOPED(pm_motion_character_destroy)
            const pm_motion_character *second = read_text(&f, whole);
            expect_success(character_write(f.motion, second, &again, new_error()));
            assert_string_equal(whole, again);
        }
}

/* Marks the roles of a part; from the first on, by pairs. */
static void expect_part(const figure *f, const pm_motion_character *made, size_t subset,
                        const int *roles, size_t count) {
    const pm_subset *found = &made->skeleton.subsets[subset];
    assert_int_equal(found->joint_count, count);
    for (size_t i = 0; i < count; i++) {
        bool is_there = false;
        for (size_t k = 0; k < count; k++)
            is_there |= role_of(f, made, found->joints[k]) == roles[i];
        if (!is_there)
            fail_msg("role %d is missing in part %zu", roles[i], subset);
    }
}

TEST(parts_are_the_joints_of_their_side) {
    static const int left_arm[] = {COLLAR, ARM, FOREARM, HAND}, right_foot[] = {FOOT + 1, TOE + 1};
    static const int legs[] = {THIGH, SHIN, FOOT, TOE, THIGH + 1, SHIN + 1, FOOT + 1, TOE + 1};
    static const int lower[] = {HIPS,     THIGH,    SHIN,    FOOT,    TOE,         THIGH + 1,
                                SHIN + 1, FOOT + 1, TOE + 1, HANDLES, HANDLES + 1, HANDLES + 2};
    static const char text[] =
        "{\"subsets\": [{\"name\": \"a\", \"joints\": [\"left arm\"]},"
        "{\"name\": \"b\", \"joints\": [{\"part\": \"right foot\"}]},"
        "{\"name\": \"c\", \"joints\": [\"legs\"]}, {\"name\": \"d\", \"joints\": [\"lower body\"]}]}";
    random_source random = random_salted(2);
    for (size_t c = 0; c < COUNT_OF(conventions); c++) {
        SCOPED(free_figure) figure f = make_figure(conventions[c], &random);
        SCOPED(pm_motion_character_destroy) const pm_motion_character *made = read_text(&f, text);
        expect_part(&f, made, 0, left_arm, COUNT_OF(left_arm));
        expect_part(&f, made, 1, right_foot, COUNT_OF(right_foot));
        expect_part(&f, made, 2, legs, COUNT_OF(legs));
        expect_part(&f, made, 3, lower, COUNT_OF(lower));
    }
}

/* ---- crowds -------------------------------------------------------------------------------- */

typedef struct cast {
    pm_engine *engine;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
} cast;

static cast make_cast(const pm_motion_character *made) {
    cast c = {.engine = test_reference()};
    expect_success(pm_skeleton_create(&made->skeleton, &c.skeleton, new_error()));
    const pm_crowd_desc desc = {
        .skeleton = c.skeleton, .clips = made->clips, .clip_count = made->clip_count};
    expect_success(pm_crowd_create(c.engine, &desc, &c.crowd, new_error()));
    return c;
}

static void free_cast(cast *c) {
    pm_crowd_destroy(&c->crowd);
    pm_skeleton_destroy(&c->skeleton);
    pm_engine_destroy(&c->engine);
}

/* The model matrices of one instance, which the caller frees. */
static float *pose(const cast *c, const pm_motion_character *made, double seconds,
                   const pm_chain_use *use, const pm_chain_goal *goal) {
    const pm_crowd_instance instance = {.time_a = pm_crowd_ticks(seconds),
                                        .flags = PM_CROWD_CLAMP_A};
    const size_t joints = made->skeleton.joint_count;
    float *records = calloc(12 * joints, sizeof *records);
    const pm_crowd_target target = {.output = PM_CROWD_MODEL, .memory = records};
    const pm_crowd_job job = {.instances = &instance,
                              .instance_count = 1,
                              .outputs = &target,
                              .output_count = 1,
                              .chains = use,
                              .chain_count = use ? 1 : 0,
                              .goals = goal};
    assert_non_null(records);
    expect_success(pm_crowd_pose(c->crowd, &job, new_error()));
    return records;
}

static double distance_to(const float *record, const float goal[3]) {
    double square = 0;
    for (int i = 0; i < 3; i++)
        square += pow((double)record[4 * i + 3] - (double)goal[i], 2);
    return sqrt(square);
}

TEST(a_chain_that_was_proposed_comes_to_its_goal) {
    random_source random = random_salted(3);
    SCOPED(free_figure) figure f = make_figure(conventions[0], &random);
    SCOPED(free_at) char *text = propose(&f);
    SCOPED(pm_motion_character_destroy) const pm_motion_character *made = read_text(&f, text);
    SCOPED(free_cast) cast c = make_cast(made);
    const size_t leg = find_name(made->chain_names, 5, "right leg");
    const pm_chain_use use = {.chain = (uint32_t)leg, .flags = made->chain_flags[leg]};
    for (int i = 0; i < 16; i++) {
        const double seconds = random_between(&random, 0, 0.8);
        SCOPED(free_at) float *before = pose(&c, made, seconds, NULL, NULL);
        const float *hip = before + 12 * made->node_slots[f.node_of[THIGH + 1]];
        pm_chain_goal goal = {.weight = 1};
        for (int k = 0; k < 3; k++)
            goal.position[k] = hip[4 * k + 3] + (float)random_between(&random, 0.1, 0.3);
        SCOPED(free_at) float *after = pose(&c, made, seconds, &use, &goal);
        assert_true(distance_to(after + 12 * made->node_slots[f.node_of[FOOT + 1]], goal.position) <
                    0.8e-5);
    }
}

static double distance(const double a[3], const kinematics_matrix *b) {
    double square = 0;
    for (int i = 0; i < 3; i++)
        square += pow(a[i] - b->m[i][3], 2);
    return sqrt(square);
}

/* Goals within reach of each limit; the last node but three is the goal. */
TEST(limbs_are_shown_where_their_goals_are) {
    enum { LIMITS = 5 };
    static const double left[LIMITS] = {1, 4, 2, 0.5, 0.25}; /* of the part behind the limit */
    static const int ends[] = {FOOT, FOOT + 1, HAND, HAND + 1};
    random_source random = random_salted(8);
    SCOPED(free_figure) figure f = make_figure(conventions[0], &random);
    SCOPED(free_at) char *text = propose(&f);
    SCOPED(pm_motion_character_destroy) const pm_motion_character *made = read_text(&f, text);
    SCOPED(pm_motion_destroy) pm_motion *shown = NULL;
    expect_success(character_show_goals(f.motion, made, &shown, new_error()));
    const pm_motion_content *content = pm_motion_get_content(shown);
    assert_int_equal(content->node_count, NODES + 4);
    assert_int_equal(content->clip_count, 5 * LIMITS);
    size_t within = 0, beyond = 0;
    for (size_t k = 0; k < (size_t)4 * LIMITS; k++) {
        const pm_chain *chain = &made->skeleton.chains[k / LIMITS];
        const double limit = 1 - 0.03 * left[k % LIMITS];
        const int role = role_of(&f, made, chain->joints[2]);
        const double whole = role < COLLAR ? 0.8 : 0.55, inner = role < COLLAR ? 0 : 0.05;
        assert_true(role == ends[0] || role == ends[1] || role == ends[2] || role == ends[3]);
        for (int frame = 15; frame < 91; frame++) {
            const double time = frame / 30.0;
            const pm_motion_clip *clip = &content->clips[k];
            const kinematics_matrix goal = kinematics_model(content, clip, NODES, time);
            const kinematics_matrix end =
                kinematics_model(content, clip, (int32_t)f.node_of[role], time);
            const kinematics_matrix upper =
                kinematics_model(content, clip, (int32_t)f.node_of[role - 4], time);
            const double at[3] = {goal.m[0][3], goal.m[1][3], goal.m[2][3]};
            const double from_upper = distance(at, &upper), miss = distance(at, &end);
            if (from_upper > inner + 0.03 * whole && from_upper < limit * whole) {
                within++;
                assert_true(miss < 1e-5 * whole + 1e-6);
            } else if (from_upper > whole) {
                beyond++;
                assert_true(miss >= from_upper - whole - 1e-6 * whole); /* in float32 */
            }
        }
    }
    assert_true(within > 100 && beyond > 20);
}

/* In some rounds the handles are the first root, and the hips another one. */
TEST(positions_of_the_root_alone_give_the_same_poses_in_less_memory) {
    random_source random = random_salted(4);
    for (int round = 0; round < 4; round++) {
        SCOPED(free_figure) figure f = make_figure(conventions[1], &random);
        const pm_motion_character_options options = {.all_positions = true};
        SCOPED(pm_motion_character_destroy) const pm_motion_character *all = NULL;
        expect_success(pm_motion_character_create(f.motion, &options, &all, new_error()));
        SCOPED(pm_motion_character_destroy)
        const pm_motion_character *alone = make_character(f.motion, NULL);
        const bool hips_are_first = alone->node_slots[f.node_of[HIPS]] == 0;
        assert_false(all->clips[0].root_positions);
        assert_int_equal(alone->clips[0].root_positions, hips_are_first);
        SCOPED(free_cast) cast a = make_cast(all), b = make_cast(alone);
        pm_crowd_info of_all = {.next = NULL}, of_alone = {.next = NULL};
        pm_crowd_get_info(a.crowd, &of_all);
        pm_crowd_get_info(b.crowd, &of_alone);
        assert_int_equal(of_alone.device_bytes < of_all.device_bytes, hips_are_first);
        for (int i = 0; i < 8; i++) {
            const double seconds = random_between(&random, 0, 0.8);
            SCOPED(free_at) float *of_a = pose(&a, all, seconds, NULL, NULL);
            SCOPED(free_at) float *of_b = pose(&b, alone, seconds, NULL, NULL);
            assert_memory_equal(of_a, of_b, 12 * NODES * sizeof *of_a);
        }
    }
}

/* ---- what a file says ---------------------------------------------------------------------- */

TEST(a_file_gives_weights_orders_and_numbers) {
    static const char text[] =
        "{\"masks\": [{\"name\": \"wave\", \"joints\": [{\"below\": \"clavicle_l\", \"weight\": 0.25},"
        "  \"hand_l\"]}, {\"name\": \"\\u001b[2J\", \"joints\": [\"all\"]}],"
        " \"subsets\": [{\"name\": \"two\", \"joints\": [\"hand_r\", \"pelvis\"]}],"
        " \"chains\": [{\"name\": \"look\", \"kind\": \"aim\", \"joints\": [\"spine_02\", \"head\"],"
        "  \"forward\": [0, 0, 2], \"axis\": [0, 1, 0], \"shares\": [0.5, 1], \"limit\": 1.5,"
        "  \"pole\": \"direction\"}, {\"name\": \"hang\", \"kind\": \"pin\", \"joints\": [\"hand_l\"]}],"
        " \"radii\": [{\"joint\": \"head\", \"radius\": 0.125}]}";
    random_source random = random_salted(5);
    SCOPED(free_figure) figure f = make_figure(conventions[1], &random);
    SCOPED(pm_motion_character_destroy) const pm_motion_character *made = read_text(&f, text);
    const pm_skeleton_desc *desc = &made->skeleton;
    assert_int_equal(desc->mask_count, 2);
    assert_string_equal(made->mask_names[0], "wave");
    assert_string_equal(made->mask_names[1], "\x1b[2J");
    for (uint32_t j = 0; j < NODES; j++) {
        const int role = role_of(&f, made, j);
        assert_true(desc->masks[j] == (role == HAND                                       ? 1.0f
                                       : role == COLLAR || role == ARM || role == FOREARM ? 0.25f
                                                                                          : 0.0f));
        assert_true(desc->masks[NODES + j] == 1);
        assert_true(desc->radii[j] == (role == HEAD ? 0.125f : 0));
    }
    assert_int_equal(role_of(&f, made, desc->subsets[0].joints[0]), HAND + 1);
    assert_int_equal(role_of(&f, made, desc->subsets[0].joints[1]), HIPS);
    const pm_chain *look = &desc->chains[0];
    assert_true(look->limit == 1.5f && look->shares[0] == 0.5f && look->forward[2] == 2);
    assert_int_equal(made->chain_flags[0], PM_CHAIN_POLE_DIRECTION);
    assert_int_equal(desc->chains[1].kind, PM_CHAIN_PIN);
}

#define CHAIN(...) "{\"chains\": [{\"name\": \"c\", " __VA_ARGS__ "}]}"
#define LEG "\"joints\": [\"thigh_l\", \"calf_l\", \"foot_l\"]"

TEST(each_fault_has_its_place_what_is_there_and_what_was_expected) {
    static const char *const faults[][2] = {
        {"[1]", "c.json: the file is [1]; expected an object"},
        {"{\"masks\": [}", "line 1: "},
        {"{\"masks\": [], \"masks\": []}", "duplicate"},
        {"{\"mask\": []}",
         "the file has the unknown member 'mask'; expected masks, subsets, chains, radii; "
         "did you mean masks?"},
        {"{\"subsets\": 3}", "subsets is 3; expected a list of 0 to 1024"},
        {"{\"masks\": [{\"name\": \"\", \"joints\": [\"head\"]}]}",
         "masks[0].name is \"\"; expected a name"},
        {"{\"masks\": [{\"name\": \"m\", \"joints\": [\"hand_l\"]}, {\"name\": \"m\", \"joints\": [\"hand_l\"]}]}",
         "masks[1].name is \"m\"; expected a name that none before has"},
        {"{\"masks\": [{\"name\": \"m\", \"joints\": [\"hnd_l\"]}]}",
         "masks[0].joints[0] is 'hnd_l'; expected a joint, or a part that names of joints tell; did you mean 'hand_l'?"},
        {"{\"masks\": [{\"name\": \"m\", \"joints\": [\"left leeg\"]}]}",
         "did you mean 'left leg'?"},
        {"{\"masks\": [{\"name\": \"m\", \"joints\": [\"a\\u001b[2Jb\"]}]}",
         "masks[0].joints[0] is 'a\\x1b[2Jb'"},
        {"{\"masks\": [{\"name\": \"m\", \"joints\": [{\"joint\": \"hand_l\", \"weight\": 1.5}]}]}",
         "masks[0].joints[0].weight is 1.5; expected a number of at least 0, and at most 1"},
        {"{\"masks\": [{\"name\": \"m\", \"joints\": [{\"joint\": \"hand_l\", \"part\": \"head\"}]}]}",
         "expected one of joint, part and below"},
        {"{\"masks\": [{\"name\": \"m\", \"joints\": [99999999999]}]}",
         "masks[0].joints[0] is 99999999999; expected the number of a node that is a joint"},
        {"{\"masks\": [{\"name\": \"m\", \"joints\": [-1]}]}", "expected the number of a node"},
        {"{\"masks\": [{\"name\": \"m\", \"joints\": [\"head\"]}]}",
         "masks[0].joints[0] is \"head\"; expected {\"joint\": NAME} or {\"part\": NAME}"},
        {"{\"subsets\": [{\"name\": \"s\", \"joints\": [\"hand_l\", \"left arm\"]}]}",
         "subsets[0].joints[1] is \"left arm\"; expected joints that none before has"},
        {CHAIN("\"kind\": \"two_bone\""),
         "chains[0].kind is 'two_bone'; expected two_bones or aim or pin; did you mean"},
        {CHAIN("\"kind\": \"pin\", \"joints\": [\"hand_l\"], \"limit\": 1"),
         "chains[0] has the unknown member 'limit'; expected name, kind, joints"},
        {CHAIN("\"kind\": \"two_bones\", \"joints\": [\"thigh_l\", \"foot_l\"]"),
         "chains[0].joints is [\"thigh_l\",\"foot_l\"]; expected a list of 3 to 3"},
        {CHAIN("\"kind\": \"two_bones\", \"joints\": [\"thigh_l\", \"foot_l\", \"calf_l\"]"),
         "chains[0].joints[2] is \"calf_l\"; expected a joint below the one before it"},
        {CHAIN("\"kind\": \"two_bones\", \"joints\": [\"thigh_l\", \"thigh_l\", \"calf_l\"]"),
         "chains[0].joints[1] is \"thigh_l\"; expected a joint below"},
        {CHAIN("\"kind\": \"two_bones\", " LEG),
         "chains[0]: the bones are on one line at rest: expected an axis"},
        {CHAIN("\"kind\": \"two_bones\", \"axis\": [0, 1e300, 0], " LEG),
         "chains[0].axis[1] is 1e300; expected"},
        {CHAIN("\"kind\": \"two_bones\", \"axis\": [0, 0, 0], " LEG),
         "chains[0].axis is [0,0,0]; expected a direction"},
        {CHAIN("\"kind\": \"two_bones\", \"axis\": [1, 0, 0], \"limit\": 1, " LEG),
         "chains[0].limit is 1; expected"},
        {CHAIN("\"kind\": \"aim\", \"joints\": [\"neck_01\"], \"axis\": [0, 1, 0]"),
         "chains[0].forward is missing"},
        {CHAIN(
             "\"kind\": \"aim\", \"joints\": [\"neck_01\"], \"axis\": [0, 1, 0], \"forward\": [0, 2, 0]"),
         "parallel to forward"},
        {CHAIN(
             "\"kind\": \"aim\", \"joints\": [\"neck_01\"], \"axis\": [0, 1, 0], \"forward\": [1, 0, 0], "
             "\"shares\": [0]"),
         "chains[0].shares is [0]; expected a last one above 0"},
        {"{\"radii\": [{\"joint\": \"hand_l\", \"radius\": -1}]}",
         "radii[0].radius is -1; expected"},
        {"{\"radii\": [{\"joint\": \"hand_l\", \"radius\": 1}, {\"joint\": \"hand_l\", \"radius\": 1}]}",
         "radii[1].joint is \"hand_l\"; expected a joint that none before is"},
        {"{\"radii\": [{\"joint\": \"hand_l\", \"radius\": 1e999}]}", "line 1: "},
    };
    random_source random = random_salted(6);
    SCOPED(free_figure) figure f = make_figure(conventions[1], &random);
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        const pm_motion_character *made = NULL;
        const pm_motion_character_options options = {.file = "c.json"};
        test_folder_put_text("c.json", faults[i][0]);
        expect_error(pm_motion_character_create(f.motion, &options, &made, new_error()),
                     PM_ERROR_FILE, faults[i][1]);
        assert_null(made);
    }
    /* A name of two joints is none; their numbers are. */
    char text[96], expected[96];
    hand_node(f.motion, f.node_of[HAND])->name = hand_node(f.motion, f.node_of[HAND + 1])->name;
    const uint32_t a = f.node_of[HAND], b = f.node_of[HAND + 1];
    snprintf(expected, sizeof expected, "is 'hand_r', as nodes %u and %u are named", a < b ? a : b,
             a < b ? b : a);
    test_folder_put_text("c.json", "{\"radii\": [{\"joint\": \"hand_r\", \"radius\": 1}]}");
    const pm_motion_character *made = NULL;
    expect_error(pm_motion_character_create(f.motion,
                                            &(pm_motion_character_options){.file = "c.json"}, &made,
                                            new_error()),
                 PM_ERROR_FILE, expected);
    snprintf(text, sizeof text, "{\"radii\": [{\"joint\": %u, \"radius\": 1}]}", b);
    SCOPED(pm_motion_character_destroy) const pm_motion_character *found = read_text(&f, text);
    for (uint32_t j = 0; j < NODES; j++)
        assert_true(found->skeleton.radii[j] == (found->nodes[j] == b ? 1.0f : 0));
    expect_error(pm_motion_character_create(
                     f.motion, &(pm_motion_character_options){.file = "none"}, &made, new_error()),
                 PM_ERROR_FILE, "none: ");
}

static const figure *at_hand;

static bool read_and_propose(void) {
    SCOPED(pm_motion_character_destroy) const pm_motion_character *plain = NULL, *made = NULL;
    SCOPED(free_at) char *text = NULL, *whole = NULL;
    const motion_warnings to = {.log = NULL};
    const pm_motion_character_options options = {.file = "c.json"};
    pm_error *error = new_error();
    const bool good =
        pm_motion_character_create(at_hand->motion, NULL, &plain, error) == PM_OK &&
        character_propose(at_hand->motion, plain, &to, &text, error) == PM_OK &&
        pm_motion_character_create(at_hand->motion, &options, &made, error) == PM_OK &&
        character_write(at_hand->motion, made, &whole, error) == PM_OK;
    if (!good)
        assert_int_equal(last_error()->status, PM_ERROR_MEMORY);
    return good;
}

TEST(allocations_that_fail_are_errors) {
    random_source random = random_salted(7);
    SCOPED(free_figure) figure f = make_figure(conventions[0], &random);
    SCOPED(free_at) char *text = propose(&f);
    test_folder_put_text("c.json", text);
    at_hand = &f;
    fail_each_allocation(read_and_propose, 60, 1); /* readers of text can do without a block */
}

TEST_GROUP(test_folder_enter, test_folder_leave)
