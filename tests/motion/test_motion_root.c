/* SPDX-License-Identifier: MIT
 *
 * Root motion that is extracted: poses of all nodes in the world before and after it, by forward
 * kinematics in double precision, the root against its definition, bounds between keys, and what is
 * refused.
 */
#include "motion/model/mover.h"
#include "support/engines.h"
#include "support/motion_files.h"
#include "support/motion_hand.h"
#include "support/motion_kinematics.h"
#include "support/motion_truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- motions ------------------------------------------------------------------------------- */

/* World, armature, pelvis and hips, with a child of each, and a spine below the hips whose child is
 * listed before it. */
enum { WORLD, ARMATURE, PELVIS, HIPS, LAMP, MESH, TAIL, HEAD, SPINE, NODES };

static const char *const names[NODES] = {"world", "armature", "pelvis", "hips", "lamp",
                                         "mesh",  "tail",     "head",   "spine"};
static const int32_t parents[NODES] = {-1,       WORLD,  ARMATURE, PELVIS, WORLD,
                                       ARMATURE, PELVIS, SPINE,    HIPS};

static void set_random_rest(random_source *source, pm_motion_node *node) {
    random_quaternion(source, node->rotation);
    for (int i = 0; i < 3; i++)
        node->position[i] = random_between(source, -2, 2);
}

/* `channels` of a clip, whose nodes and paths follow. Scales are uniform above the hips. */
static pm_motion *make_figure(random_source *source) {
    pm_motion *motion = hand_motion(NODES, 1);
    for (size_t n = 0; n < NODES; n++) {
        pm_motion_node *node = hand_node(motion, n);
        node->name = (pm_motion_name){names[n], strlen(names[n])};
        node->parent = parents[n];
        set_random_rest(source, node);
        const double scale = random_between(source, 0.6, 1.5);
        for (int i = 0; i < 3; i++)
            node->scale[i] = n < HIPS ? scale : random_between(source, 0.6, 1.5);
    }
    return motion;
}

typedef struct animated {
    int32_t node;
    pm_motion_path path;
    uint32_t timeline;
} animated;

static void animate(pm_motion *motion, random_source *source, const animated *rows, size_t count,
                    size_t timelines, pm_motion_interpolation interpolation, double turn) {
    pm_motion_clip *clip = hand_clip(motion, 0, timelines, count);
    for (size_t t = 0; t < timelines; t++)
        hand_times(motion, clip, t, source, 6 + 3 * t, random_between(source, 0, 1));
    for (size_t c = 0; c < count; c++) {
        hand_channel(clip, c)->node = rows[c].node;
        hand_channel(clip, c)->interpolation = interpolation;
        hand_random(motion, clip, c, rows[c].path, rows[c].timeline, PM_FLOAT64, source, turn);
    }
}

/* Equal numbers in each key. */
static void make_uniform(pm_motion *motion, size_t channel) {
    const pm_motion_clip *clip = &motion->content.clips[0];
    double *keys = (double *)(uintptr_t)clip->channels[channel].keys.data;
    for (size_t k = 0; k < clip->timelines[clip->channels[channel].timeline].key_count; k++)
        keys[3 * k] = keys[3 * k + 1] = keys[3 * k + 2] = 0.5 + fabs(keys[3 * k]) / 10;
}

/* As of a file that is read. */
static void find_mover(const pm_motion *motion) {
    expect_success(
        motion_find_mover((pm_motion_content *)(uintptr_t)&motion->content, new_error()));
}

static pm_motion *extract(const pm_motion *motion, const pm_motion_root_options *options,
                          pm_motion_root_report *report) {
    pm_motion *made = NULL;
    find_mover(motion);
    memset(report, 0xFF, sizeof *report);
    expect_success(pm_motion_extract_root(motion, options, &made, report, new_error()));
    return made;
}

/* ---- poses in the world -------------------------------------------------------------------- */

/* The largest difference of two matrices. */
static double difference(const kinematics_matrix *a, const kinematics_matrix *b) {
    double most = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            most = fmax(most, fabs(a->m[r][c] - b->m[r][c]));
    return most;
}

static double world_difference(const pm_motion *a, const pm_motion *b, size_t clip, int32_t node,
                               double time) {
    const kinematics_matrix before =
        kinematics_model(&a->content, &a->content.clips[clip], node, time);
    const kinematics_matrix after =
        kinematics_model(&b->content, &b->content.clips[clip], node, time);
    return difference(&before, &after);
}

static const pm_motion_channel *channel_of(const pm_motion *motion, size_t clip, uint32_t node,
                                           pm_motion_path path) {
    const pm_motion_clip *all = &motion->content.clips[clip];
    for (size_t c = 0; c < all->channel_count; c++)
        if (all->channels[c].node == (int32_t)node && all->channels[c].path == path)
            return &all->channels[c];
    return NULL;
}

static const pm_timeline *times_of(const pm_motion *motion, size_t clip, uint32_t node) {
    const pm_motion_channel *channel = channel_of(motion, clip, node, PM_MOTION_ROTATION);
    assert_non_null(channel);
    return &motion->content.clips[clip].timelines[channel->timeline];
}

/* At the keys of the root, and of each node that was kept in its place. The root itself, and nodes
 * between it and the joint, move. */
static void expect_same_world(const pm_motion *source, const pm_motion *made,
                              const pm_motion_root_report *report, size_t clip) {
    const pm_timeline *times = times_of(made, clip, report->root);
    for (size_t k = 0; k < times->key_count; k++)
        for (int32_t n = 0; n < (int32_t)source->content.node_count; n++) {
            bool moves = n == (int32_t)report->root;
            for (int32_t up = source->content.nodes[report->joint].parent;
                 up >= 0 && up != (int32_t)report->root; up = source->content.nodes[up].parent)
                moves = moves || up == n;
            const double error = world_difference(source, made, clip, n, truth_time(times, k));
            if (!moves && !(error < 1e-12 * 50))
                fail_msg("node %d, key %zu: %g", n, k, error);
        }
}

/* ---- the root by its definition ------------------------------------------------------------ */

/* The turn about the axis that is up of the joint's rotation in the world against its rest pose, in
 * radians. Of a quaternion w is proportional to 1 + trace, and the part along y to m02 - m20.
 * Errors of rounding are divided by *share. */
static double heading_of(const pm_motion *motion, size_t clip, int32_t joint, int up, double time,
                         double *share) {
    const kinematics_matrix rest = kinematics_model(&motion->content, NULL, joint, 0);
    const kinematics_matrix now =
        kinematics_model(&motion->content, &motion->content.clips[clip], joint, time);
    double turn[3][3] = {{0}}, norms[3][2] = {{0}};
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            norms[c][0] += now.m[r][c] * now.m[r][c];
            norms[c][1] += rest.m[r][c] * rest.m[r][c];
        }
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++)
            for (int c = 0; c < 3; c++)
                turn[r][s] += now.m[r][c] * rest.m[s][c] / sqrt(norms[c][0] * norms[c][1]);
    const int next = (up + 1) % 3, last = (up + 2) % 3;
    *share = (1 + turn[0][0] + turn[1][1] + turn[2][2]) / 4; /* the square of w */
    return 2 * atan2(turn[last][next] - turn[next][last], 1 + turn[0][0] + turn[1][1] + turn[2][2]);
}

static void expect_root(const pm_motion *source, const pm_motion *made,
                        const pm_motion_root_report *report, const pm_motion_root_options *o,
                        size_t clip) {
    const int up = (int)report->up, next = (up + 1) % 3, last = (up + 2) % 3;
    const int32_t joint = (int32_t)report->joint, root = (int32_t)report->root;
    const pm_timeline *times = times_of(made, clip, report->root);
    for (size_t k = 0; k < times->key_count; k++) {
        const double time = truth_time(times, k);
        double share = 1;
        const double heading = heading_of(source, clip, joint, up, time, &share);
        const double angle = o->keep_heading ? 0 : heading;
        const kinematics_matrix now =
            kinematics_model(&source->content, &source->content.clips[clip], joint, time);
        const kinematics_matrix rest = kinematics_model(&source->content, NULL, joint, 0);
        kinematics_matrix g = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
        g.m[next][next] = g.m[last][last] = cos(angle);
        g.m[last][next] = sin(angle);
        g.m[next][last] = -sin(angle);
        for (int i = 0; i < 3; i++) {
            const bool moves = o->axes ? o->axes >> i & 1 : i != up;
            double at = 0;
            for (int j = 0; j < 3; j++)
                at += g.m[i][j] * rest.m[j][3];
            g.m[i][3] = moves && !o->keep_position ? now.m[i][3] - at : 0;
        }
        const kinematics_matrix stands =
            report->is_added ? (kinematics_matrix){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}
                             : kinematics_model(&source->content, NULL, root, 0);
        kinematics_matrix wanted = kinematics_multiply(&g, &stands);
        const kinematics_matrix found =
            kinematics_model(&made->content, &made->content.clips[clip], root, time);
        if (!report->is_added) { /* the root keeps its scale, which the clip may animate */
            const kinematics_matrix own =
                kinematics_model(&source->content, &source->content.clips[clip], root, time);
            const double scale = hypot(hypot(own.m[0][0], own.m[1][0]), own.m[2][0]) /
                                 hypot(hypot(stands.m[0][0], stands.m[1][0]), stands.m[2][0]);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    wanted.m[r][c] *= scale;
        }
        if (!(difference(&wanted, &found) < 1e-12 + 1e-13 / share))
            fail_msg("joint %d, root %d, key %zu: the root is off by %g", joint, root, k,
                     difference(&wanted, &found));
    }
}

/* ---- tests --------------------------------------------------------------------------------- */

static const animated all_channels[] = {
    {HIPS, PM_MOTION_ROTATION, 0},   {HIPS, PM_MOTION_POSITION, 1},
    {PELVIS, PM_MOTION_ROTATION, 1}, {ARMATURE, PM_MOTION_POSITION, 2},
    {ARMATURE, PM_MOTION_SCALE, 2},  {WORLD, PM_MOTION_ROTATION, 0},
    {TAIL, PM_MOTION_ROTATION, 3},   {MESH, PM_MOTION_SCALE, 0},
    {SPINE, PM_MOTION_ROTATION, 3},  {HIPS, PM_MOTION_SCALE, 2},
};

TEST(all_nodes_keep_their_places_and_the_root_is_what_is_defined) {
    static const struct {
        const char *joint, *root;
        bool add;
        unsigned axes;
        bool keeps_position, keeps_heading;
    } rows[] = {
        {"hips", "world", false, 0, false, false},
        {"hips", "armature", false, 0, false, false},
        {"hips", "pelvis", false, 0, false, false},
        {"hips", NULL, true, 0, false, false},
        {"pelvis", "world", false, 0, false, false},
        {"world", NULL, false, 0, false, false},
        {"hips", "armature", false, PM_MOTION_AXIS_Z, false, false},
        {"hips", "world", false, 7, false, true},
        {"hips", "world", false, 0, true, false},
        {"hips", NULL, true, PM_MOTION_AXIS_X | PM_MOTION_AXIS_Y, false, true},
    };
    random_source source = random_start();
    for (size_t round = 0; round < 12 * COUNT_OF(rows); round++) {
        const size_t i = round % COUNT_OF(rows);
        const pm_motion_root_options options = {.joint = rows[i].joint,
                                                .root = rows[i].root,
                                                .add = rows[i].add,
                                                .axes = rows[i].axes,
                                                .keep_position = rows[i].keeps_position,
                                                .keep_heading = rows[i].keeps_heading,
                                                .up = round / COUNT_OF(rows) % 2 ? PM_MOTION_UP_Z
                                                                                 : PM_MOTION_UP_Y};
        pm_motion_root_report report;
        SCOPED(pm_motion_destroy) pm_motion *motion = make_figure(&source);
        animate(motion, &source, all_channels, COUNT_OF(all_channels), 4, PM_MOTION_LINEAR, 2);
        make_uniform(motion, 4);
        make_uniform(motion, 9);
        SCOPED(pm_motion_destroy) pm_motion *made = extract(motion, &options, &report);
        assert_string_equal(names[report.joint], rows[i].joint);
        assert_int_equal(report.is_added, !rows[i].root);
        assert_int_equal(report.up, options.up);
        expect_same_world(motion, made, &report, 0);
        expect_root(motion, made, &report, &options, 0);
        for (size_t n = 0; n < NODES; n++) { /* rest poses do not change */
            const kinematics_matrix a = kinematics_model(&motion->content, NULL, (int32_t)n, 0);
            const kinematics_matrix b = kinematics_model(&made->content, NULL, (int32_t)n, 0);
            assert_true(difference(&a, &b) == 0);
        }
    }
}

/* A child of the armature with keys between those of the root is in its place at its own keys
 * too. */
TEST(kept_nodes_have_their_places_at_their_own_keys) {
    random_source source = random_start();
    const pm_motion_root_options options = {.joint = "hips", .root = "world", .up = PM_MOTION_UP_Y};
    pm_motion_root_report report;
    SCOPED(pm_motion_destroy) pm_motion *motion = make_figure(&source);
    animate(motion, &source, all_channels, COUNT_OF(all_channels), 4, PM_MOTION_LINEAR, 2);
    make_uniform(motion, 4);
    SCOPED(pm_motion_destroy) pm_motion *made = extract(motion, &options, &report);
    const pm_timeline *times = times_of(made, 0, TAIL);
    assert_true(times->key_count > times_of(made, 0, HIPS)->key_count);
    for (size_t k = 0; k < times->key_count; k++)
        assert_true(world_difference(motion, made, 0, TAIL, truth_time(times, k)) < 1e-11);
}

TEST(steps_are_exact_at_all_times) {
    static const animated rows[] = {{HIPS, PM_MOTION_ROTATION, 0},
                                    {HIPS, PM_MOTION_POSITION, 1},
                                    {ARMATURE, PM_MOTION_ROTATION, 2}};
    random_source source = random_start();
    const pm_motion_root_options options = {.joint = "hips", .root = "world", .up = PM_MOTION_UP_Y};
    pm_motion_root_report report;
    SCOPED(pm_motion_destroy) pm_motion *motion = make_figure(&source);
    animate(motion, &source, rows, COUNT_OF(rows), 3, PM_MOTION_STEP, 2);
    SCOPED(pm_motion_destroy) pm_motion *made = extract(motion, &options, &report);
    for (int k = 0; k < 300; k++) {
        const double time = random_between(&source, -1, 8);
        assert_true(world_difference(motion, made, 0, HIPS, time) < 1e-11);
        assert_true(world_difference(motion, made, 0, LAMP, time) < 1e-11);
    }
}

/* ---- between keys -------------------------------------------------------------------------- */

/* Hips whose rest pose is away from the axis, above a root at 0, with two keys: turned by a about
 * y, then by b about x in their own frame. */
static pm_motion *make_turn(double away, double a, double b) {
    static const double times[2] = {0, 1};
    pm_motion *motion = hand_motion(2, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 1, 2);
    pm_motion_channel *turns = hand_channel(clip, 0), *shifts = hand_channel(clip, 1);
    double *rotations = motion_allocate(&motion->arena, 8, sizeof *rotations);
    double *positions = motion_allocate(&motion->arena, 6, sizeof *positions);
    const double end[4] = {cos(a / 2) * sin(b / 2), sin(a / 2) * cos(b / 2),
                           -sin(a / 2) * sin(b / 2), cos(a / 2) * cos(b / 2)};
    assert_true(rotations && positions);
    rotations[3] = 1;
    memcpy(rotations + 4, end, sizeof end);
    positions[0] = away;
    positions[3] = 4;
    positions[5] = 3;
    hand_node(motion, 0)->name = (pm_motion_name){"root", 4};
    hand_node(motion, 1)->name = (pm_motion_name){"hips", 4};
    hand_node(motion, 1)->position[0] = away;
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = 2, .times = times};
    turns->node = shifts->node = 1;
    turns->path = PM_MOTION_ROTATION;
    shifts->path = PM_MOTION_POSITION;
    turns->components = 4;
    shifts->components = 3;
    turns->keys = (pm_array){.data = rotations, .type = PM_FLOAT64};
    shifts->keys = (pm_array){.data = positions, .type = PM_FLOAT64};
    return motion;
}

/* Of two rotations: the root of the sum of squared differences is 2 sqrt(2) sin(angle / 2). */
static double angle_between(const kinematics_matrix *a, const kinematics_matrix *b) {
    double square = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            square += (a->m[r][c] - b->m[r][c]) * (a->m[r][c] - b->m[r][c]);
    return 2 * asin(sqrt(square / 8));
}

TEST(errors_between_keys_are_as_documented) {
    const pm_motion_root_options options = {.joint = "hips", .up = PM_MOTION_UP_Y};
    static const double turns[] = {0, 0.05, 0.2, 0.5}, leans[] = {0, 0.1, 0.4};
    double largest = 0;
    for (size_t i = 0; i < COUNT_OF(turns) * COUNT_OF(leans); i++) {
        const double a = turns[i % COUNT_OF(turns)], b = leans[i / COUNT_OF(turns)], away = 0.3;
        pm_motion_root_report report;
        SCOPED(pm_motion_destroy)
        pm_motion *motion = make_turn(away, a, b), *made = extract(motion, &options, &report);
        assert_true(!report.is_added && report.root == 0);
        for (int step = 0; step <= 64; step++) {
            const double time = step / 64.0;
            const kinematics_matrix before =
                kinematics_model(&motion->content, &motion->content.clips[0], 1, time);
            const kinematics_matrix after =
                kinematics_model(&made->content, &made->content.clips[0], 1, time);
            double place = 0;
            for (int r = 0; r < 3; r++)
                place = hypot(place, before.m[r][3] - after.m[r][3]);
            const double turned = angle_between(&before, &after);
            assert_true(place <= away * a * a / 8 + 1e-12);
            assert_true(turned <= 1.03 * a * b / 8 + 1e-14); /* 1 in the limit of small turns */
            largest = fmax(largest, turned / (a * b / 8 + 1e-9));
        }
    }
    assert_true(largest > 0.9); /* the bound is not too large either */
}

/* ---- what is chosen ------------------------------------------------------------------------ */

static void name_nodes(pm_motion *motion, const char *first, const char *second) {
    hand_node(motion, 0)->name = (pm_motion_name){first, strlen(first)};
    hand_node(motion, 1)->name = (pm_motion_name){second, strlen(second)};
}

TEST(the_joint_and_the_root_are_found) {
    const pm_motion_root_options options = {.up = PM_MOTION_UP_Y}, above = {.add = true};
    pm_motion_root_report report;
    SCOPED(pm_motion_destroy) pm_motion *motion = make_turn(0.3, 0.5, 0.1);
    SCOPED(pm_motion_destroy) pm_motion *made = extract(motion, &options, &report);
    assert_true(report.joint == 1 && report.root == 0 && !report.is_added);
    assert_true(fabs(report.degrees - 0.5 * 180 / PI) < 1e-9);
    pm_motion_destroy(&made);
    made = extract(motion, NULL, &report); /* too few joints for a figure: y is the axis of glTF */
    assert_true(report.up == PM_MOTION_UP_Y && !report.is_added);
    pm_motion_destroy(&made);
    made = extract(motion, &above, &report);
    assert_true(report.is_added && report.root == 2 && made->content.node_count == 3);
    assert_true(made->content.nodes[0].parent == 2 && made->content.nodes[2].parent == -1);
    assert_string_equal(made->content.nodes[2].name.text, "root_2");
    pm_motion_destroy(&made);
    hand_node(motion, 0)->position[1] = 5; /* along the axis that is up */
    made = extract(motion, &options, &report);
    assert_true(!report.is_added);
    pm_motion_destroy(&made);
    hand_node(motion, 0)->position[0] = 5;
    made = extract(motion, &options, &report);
    assert_true(report.is_added);
}

TEST(hips_that_are_the_root_get_a_node_above_them) {
    SCOPED(pm_motion_destroy) pm_motion *motion = make_turn(0, 0.5, 0.1);
    pm_motion_root_report report;
    name_nodes(motion, "root_2", "root");
    hand_node(motion, 1)->parent = -1;
    hand_node(motion, 0)->parent = 1;
    const pm_motion_root_options options = {.joint = "root", .new_name = "mover"};
    SCOPED(pm_motion_destroy) pm_motion *made = extract(motion, &options, &report);
    assert_true(report.is_added && report.root == 2 && report.joint == 1);
    assert_string_equal(made->content.nodes[2].name.text, "mover");
    expect_same_world(motion, made, &report, 0);
    pm_motion_destroy(&made);
    made = extract(motion, &(pm_motion_root_options){.joint = "root"}, &report);
    assert_string_equal(made->content.nodes[2].name.text, "root_3");
}

/* At a rest pose, no clip moves the root: the clip has no channel of the joint or above it. */
TEST(clips_without_the_joint_stay_as_they_are) {
    static const animated rows[] = {{HEAD, PM_MOTION_ROTATION, 0}, {LAMP, PM_MOTION_ROTATION, 1}};
    random_source source = random_start();
    pm_motion_root_report report;
    SCOPED(pm_motion_destroy) pm_motion *motion = make_figure(&source);
    animate(motion, &source, rows, COUNT_OF(rows), 2, PM_MOTION_CUBICSPLINE, 1);
    SCOPED(pm_motion_destroy)
    pm_motion *made =
        extract(motion, &(pm_motion_root_options){.joint = "hips", .up = PM_MOTION_UP_Y}, &report);
    assert_int_equal(made->content.clips[0].channel_count, 2);
    assert_true(report.distance == 0 && report.degrees == 0);
}

/* ---- crowds -------------------------------------------------------------------------------- */

/* Where a character is that begins at the origin and moves by a crowd's root motion for a
 * second. */
static void walk(pm_engine *engine, const pm_motion *motion, double at[3], uint32_t *below) {
    SCOPED(pm_motion_character_destroy) const pm_motion_character *character = NULL;
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
    SCOPED(pm_crowd_destroy) pm_crowd *crowd = NULL;
    const pm_crowd_instance before = {.flags = PM_CROWD_CLAMP_A};
    const pm_crowd_instance after = {.flags = PM_CROWD_CLAMP_A, .time_a = pm_crowd_ticks(1)};
    pm_root_motion moved;
    find_mover(motion);
    expect_success(pm_motion_character_create(motion, NULL, &character, new_error()));
    expect_success(pm_skeleton_create(&character->skeleton, &skeleton, new_error()));
    const pm_crowd_desc desc = {
        .skeleton = skeleton, .clips = character->clips, .clip_count = character->clip_count};
    expect_success(pm_crowd_create(engine, &desc, &crowd, new_error()));
    expect_success(pm_crowd_root_motion(crowd, &before, &after, 1, &moved, new_error()));
    for (int i = 0; i < 3; i++)
        at[i] = (double)moved.position[i];
    *below = character->moves_below_root;
}

/* Hips that lean by 30 degrees walk 4 x and 3 z. As the root they climb or sink; below a root that
 * stands there is no root motion at all, which the character says. */
TEST_ON_REFERENCE(a_leaning_figure_walks_on_the_level) {
    pm_engine *engine = engine_for(state);
    double at[3];
    uint32_t below = 0;
    for (int wrapped = 0; wrapped < 2; wrapped++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = make_turn(0, 0, 0);
        double *turns = (double *)(uintptr_t)motion->content.clips[0].channels[0].keys.data;
        pm_motion_root_report report;
        for (size_t k = 0; k < 2; k++) {
            turns[4 * k] = sin(PI / 12);
            turns[4 * k + 3] = cos(PI / 12);
        }
        memcpy(hand_node(motion, 1)->rotation, turns, 4 * sizeof *turns);
        if (!wrapped) {
            hand_node(motion, 1)->parent = -1;
            hand_node(motion, 0)->parent = 1;
        }
        walk(engine, motion, at, &below);
        if (wrapped)
            assert_true(at[0] == 0 && at[1] == 0 && at[2] == 0 && below == 1);
        else
            assert_true(fabs(at[1] - 3 * sin(PI / 6)) < 1e-5 && below == UINT32_MAX);
        SCOPED(pm_motion_destroy) pm_motion *made = extract(motion, NULL, &report);
        walk(engine, made, at, &below);
        assert_true(fabs(at[0] - 4) < 1e-5 && at[1] == 0 && fabs(at[2] - 3) < 1e-5);
        assert_int_equal(below, UINT32_MAX);
        assert_true(fabs(report.distance - 5) < 1e-9 && report.degrees < 1e-5);
    }
}

/* Of a figure that is 1 tall: a sway and jumps are no travel, wherever they end, and a way there and back is. */
TEST(travel_is_compared_with_the_size_of_the_figure) {
    static const double times[3] = {0, 1, 2};
    static double positions[9] = {0, 1, 0, 0.03, 2, 0.03, 0.049, 1, 0};
    SCOPED(pm_motion_destroy) pm_motion *motion = make_turn(0, 0, 0);
    pm_motion_clip *clip = (pm_motion_clip *)(uintptr_t)&motion->content.clips[0];
    SCOPED(pm_motion_character_destroy) const pm_motion_character *character = NULL;
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = 3, .times = times};
    clip->channel_count = 1;
    *hand_channel(clip, 0) = clip->channels[1];
    hand_channel(clip, 0)->keys.data = positions;
    hand_node(motion, 1)->position[1] = 1;
    find_mover(motion);
    expect_success(pm_motion_character_create(motion, NULL, &character, new_error()));
    assert_int_equal(character->moves_below_root, UINT32_MAX);
    pm_motion_character_destroy(&character);
    positions[3] = 0.05;
    positions[6] = 0;
    find_mover(motion);
    expect_success(pm_motion_character_create(motion, NULL, &character, new_error()));
    assert_int_equal(character->moves_below_root, 1);
}

/* ---- files --------------------------------------------------------------------------------- */

TEST(files_keep_their_poses) {
    static const char *const paths[] = {"bvh/makehuman_walk1.bvh", "bvh/mocapbank.bvh"};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = test_open(test_data(paths[i]), NULL);
        pm_motion_root_report report;
        const pm_motion_root_options hips = {.joint = motion->content.nodes[0].name.text};
        SCOPED(pm_motion_destroy) pm_motion *made = extract(motion, &hips, &report);
        const pm_timeline *times = times_of(made, 0, report.root);
        assert_true(report.is_added && report.joint == 0 && report.distance > 0);
        for (size_t k = 0; k < times->key_count; k += 1 + times->key_count / 20)
            for (int32_t n = 0; n < (int32_t)motion->content.node_count; n++)
                assert_true(world_difference(motion, made, 0, n, truth_time(times, k)) < 1e-10);
    }
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void expect_refused(const pm_motion *motion, const pm_motion_root_options *options,
                           pm_status status, const char *words) {
    pm_motion *made = NULL;
    expect_error(pm_motion_extract_root(motion, options, &made, NULL, new_error()), status, words);
    assert_null(made);
}

TEST(options_that_make_no_sense_are_refused) {
    static const struct {
        pm_motion_root_options options;
        const char *words;
    } rows[] = {
        {{.joint = "Hips"}, "joint: no joint is named 'Hips'"},
        {{.joint = "hips", .root = "\x1b"}, "root: no joint is named '\\x1b'"},
        {{.joint = "hips", .root = "hips"}, "'hips' is not above the joint"},
        {{.joint = "root", .root = "hips"}, "'hips' is not above the joint"},
        {{.root = "root", .add = true}, "add"},
        {{.up = (pm_motion_up)3}, "up is 3"},
        {{.axes = 8}, "axes is 8"},
        {{.keep_position = true, .axes = 1}, "axes"},
        {{.keep_position = true, .keep_heading = true}, "nothing to extract"},
    };
    SCOPED(pm_motion_destroy) pm_motion *motion = make_turn(0.3, 0.5, 0.1), *made = NULL;
    pm_motion_root_options wrong = {.joint = "hips"};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect_refused(motion, &rows[i].options, PM_ERROR_ARGUMENT, rows[i].words);
    expect_next_refused(pm_motion_root_options, wrong, last_error(),
                        pm_motion_extract_root(motion, &wrong, &made, NULL, new_error()));
    expect_refused(NULL, NULL, PM_ERROR_ARGUMENT, "motion is NULL");
    expect_error(pm_motion_extract_root(motion, NULL, NULL, NULL, new_error()), PM_ERROR_ARGUMENT,
                 "extracted is NULL");
}

TEST(motions_without_a_path_are_refused) {
    SCOPED(pm_motion_destroy) pm_motion *motion = make_turn(0.3, 0.5, 0.1);
    const pm_motion_root_options named = {.joint = "hips"};
    pm_motion_clip *clip = (pm_motion_clip *)(uintptr_t)&motion->content.clips[0];
    clip->channel_count = 1; /* rotations only */
    expect_refused(motion, NULL, PM_ERROR_ARGUMENT, "no position travels");
    clip->channel_count = 2;
    hand_node(motion, 0)->scale[1] = 2;
    expect_refused(motion, &named, PM_ERROR_ARGUMENT, "'root', which is above the joint");
    hand_node(motion, 0)->scale[1] = 1;
    hand_channel(clip, 0)->interpolation = PM_MOTION_STEP;
    expect_refused(motion, &named, PM_ERROR_ARGUMENT, "steps");
    hand_channel(clip, 0)->interpolation = PM_MOTION_CUBICSPLINE;
    hand_channel(clip, 0)->in = hand_channel(clip, 0)->out = hand_channel(clip, 0)->keys;
    expect_refused(motion, &named, PM_ERROR_ARGUMENT, "cubic splines");
    motion->content.clip_count = 0;
    expect_refused(motion, &named, PM_ERROR_FILE, "no clips");
    motion->content.clip_count = 1;
    motion->content.node_count = 0;
    expect_refused(motion, &named, PM_ERROR_FILE, "no nodes");
}

TEST_GROUP(NULL, engines_close)
