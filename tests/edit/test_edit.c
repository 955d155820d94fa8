/* SPDX-License-Identifier: MIT
 *
 * Mirrored, joined, cut and filled motions, against forward kinematics in double and formulas of the
 * test's own.
 */
#include <posemill/posemill_motion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/oracle_quat.h"
#include "support/check.h"
#include "support/motion.h"
#include "support/motion_hand.h"
#include "support/motion_kinematics.h"
#include "support/motion_truth.h"

/* ---- a figure ------------------------------------------------------------------------------ */

enum { KEYS = 9, RATE = 30, JOINTS = 8 };

static const char *const figure_names[JOINTS] = {
    "Hips", "Spine", "LeftArm", "LeftHand", "RightArm", "RightHand", "hand_tip.L", "hand_tip.R"};
static const int32_t figure_parents[JOINTS] = {-1, 0, 1, 2, 1, 4, 3, 5};
static const uint32_t figure_partners[JOINTS] = {0, 1, 4, 5, 2, 3, 7, 6};

static void put(quat q, double out[4]) {
    memcpy(out, (const double[]){q.x, q.y, q.z, q.w}, 4 * sizeof *out);
}

static void multiply(const double a[4], const double b[4], double out[4]) {
    put(quat_multiply(quat_of(a), quat_of(b)), out);
}

static void inverse(const double q[4], double out[4]) {
    put(quat_conjugate(quat_of(q)), out);
}

static void image_of(int normal, const double q[4], double out[4]) {
    for (int i = 0; i < 3; i++)
        out[i] = i == normal ? q[i] : -q[i];
    out[3] = q[3];
}

static void rotate(const double q[4], const double v[3], double out[3]) {
    const vec3 r = quat_rotate(quat_of(q), vec3_of(v));
    memcpy(out, (const double[]){r.x, r.y, r.z}, 3 * sizeof *out);
}

/* How the rest rotations of right joints differ from the images of left ones. */
typedef enum sides { SIDES_IMAGES, SIDES_HALF_TURNS, SIDES_RANDOM } sides;

static void draw_difference(random_source *random, sides how, double q[4]) {
    memset(q, 0, 4 * sizeof *q);
    q[3] = 1;
    if (how == SIDES_HALF_TURNS) {
        q[3] = 0;
        q[random_size(random, 0, 2)] = random_bits(random) & 1 ? 1 : -1;
    } else if (how == SIDES_RANDOM) {
        random_quaternion(random, q);
    }
}

/* The rest pose of a figure with equal sides: first in the world, then relative to the parents. */
static void draw_rest(pm_motion *subject, random_source *random, sides how, int normal) {
    double world[JOINTS][4], place[JOINTS][3], difference[4], back[4], apart[3];
    for (int n = 0; n < JOINTS; n++) {
        const int other = (int)figure_partners[n];
        double image[4];
        random_quaternion(random, world[n]);
        for (int i = 0; i < 3; i++)
            place[n][i] = random_between(random, -1, 1);
        if (other == n) {
            place[n][normal] = 0;
            memset(world[n], 0, sizeof world[n]);
            world[n][3] = 1;
        } else if (other < n) {
            image_of(normal, world[other], image);
            draw_difference(random, how, difference);
            multiply(image, difference, world[n]);
            memcpy(place[n], place[other], sizeof place[n]);
            place[n][normal] = -place[other][normal];
        }
    }
    for (int n = 0; n < JOINTS; n++) {
        pm_motion_node *node = hand_node(subject, (size_t)n);
        const int parent = figure_parents[n];
        node->name = (pm_motion_name){figure_names[n], strlen(figure_names[n])};
        node->parent = parent;
        memcpy(node->rotation, world[n], sizeof world[n]);
        memcpy(node->position, place[n], sizeof place[n]);
        if (parent < 0)
            continue;
        inverse(world[parent], back);
        multiply(back, world[n], node->rotation);
        for (int i = 0; i < 3; i++)
            apart[i] = place[n][i] - place[parent][i];
        rotate(back, apart, node->position);
    }
}

/* All joints turn; the hips move, too. Parents come first, but for a swap of two joints. */
static pm_motion *figure(random_source *random, sides how, int normal) {
    pm_motion *subject = hand_motion(JOINTS, 1);
    pm_motion_clip *clip = hand_clip(subject, 0, 1, JOINTS + 1);
    clip->rate = (pm_rational){RATE, 1};
    clip->first_time = (pm_rational){0, 1};
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = KEYS, .rate = clip->rate};
    draw_rest(subject, random, how, normal);
    for (size_t c = 0; c <= JOINTS; c++) {
        hand_channel(clip, c)->node = c < JOINTS ? (int32_t)c : 0;
        hand_random(subject, clip, c, c < JOINTS ? PM_MOTION_ROTATION : PM_MOTION_POSITION, 0,
                    PM_FLOAT64, random, 1);
    }
    return subject;
}

static pm_motion *mirror(const pm_motion *subject, int normal) {
    const pm_motion_mirror_options options = {.normal = (pm_motion_axis)(1 << normal)};
    pm_motion *mirrored = NULL;
    expect_success(pm_motion_mirror(subject, &options, &mirrored, NULL, new_error()));
    return mirrored;
}

/* ---- mirroring ----------------------------------------------------------------------------- */

/* R'(n) B(n)^-1 = M R(p) B(p)^-1 M, and the places are images. */
static void check_image(const pm_motion *source, const pm_motion *mirrored, int normal) {
    const pm_motion_content *a = &source->content, *b = &mirrored->content;
    for (int32_t n = 0; n < JOINTS; n++)
        for (size_t k = 0; k < KEYS; k++) {
            const double time = (double)k / RATE;
            const int32_t p = (int32_t)figure_partners[n];
            const kinematics_matrix is = kinematics_model(b, b->clips, n, time);
            const kinematics_matrix was = kinematics_model(a, a->clips, p, time);
            const kinematics_matrix rest = kinematics_model(b, NULL, n, 0);
            const kinematics_matrix other = kinematics_model(a, NULL, p, 0);
            for (int r = 0; r < 3; r++) {
                const double sign = r == normal ? -1 : 1;
                assert_true(fabs(is.m[r][3] - sign * was.m[r][3]) < 1e-9);
                for (int c = 0; c < 3; c++) {
                    double moved = 0, image = 0;
                    for (int i = 0; i < 3; i++) {
                        moved += is.m[r][i] * rest.m[c][i];
                        image += was.m[r][i] * other.m[c][i];
                    }
                    assert_true(fabs(moved - sign * (c == normal ? -1 : 1) * image) < 1e-9);
                }
            }
        }
}

TEST(the_world_of_a_mirrored_figure_is_the_image_of_its_world) {
    random_source random = random_salted(1);
    for (int normal = 0; normal < 3; normal++)
        for (int how = SIDES_IMAGES; how <= SIDES_RANDOM; how++) {
            SCOPED(pm_motion_destroy) pm_motion *source = figure(&random, (sides)how, normal);
            SCOPED(pm_motion_destroy) pm_motion *mirrored = mirror(source, normal);
            check_image(source, mirrored, normal);
        }
}

static void expect_same_keys(const pm_motion *a, const pm_motion *b) {
    const pm_motion_clip *x = a->content.clips, *y = b->content.clips;
    assert_int_equal(x->channel_count, y->channel_count);
    for (size_t c = 0; c < x->channel_count; c++)
        for (size_t k = 0; k < KEYS; k++)
            for (uint32_t i = 0; i < x->channels[c].components; i++) {
                const double before =
                    truth_number(&x->channels[c].keys, x->channels[c].components, k, i);
                const double after =
                    truth_number(&y->channels[c].keys, y->channels[c].components, k, i);
                assert_memory_equal(&before, &after, sizeof before);
            }
}

TEST(mirrored_twice_a_figure_has_its_bits_again) {
    random_source random = random_salted(2);
    for (int normal = 0; normal < 3; normal++)
        for (int how = SIDES_IMAGES; how <= SIDES_HALF_TURNS; how++) {
            SCOPED(pm_motion_destroy) pm_motion *source = figure(&random, (sides)how, normal);
            double *keys = (double *)(uintptr_t)source->content.clips->channels[2].keys.data;
            keys[0] = -0.0; /* of a quaternion; its sign returns, too */
            SCOPED(pm_motion_destroy)
            pm_motion *once = mirror(source, normal), *twice = mirror(once, normal);
            expect_same_keys(source, twice);
        }
}

/* A joint that one side alone has: at rest it is at rest, on the image of its parent. */
TEST(a_joint_without_a_partner_is_mirrored_on_its_own_parent) {
    random_source random = random_salted(14);
    SCOPED(pm_motion_destroy) pm_motion *source = figure(&random, SIDES_RANDOM, 0);
    pm_motion_clip *clip = (pm_motion_clip *)(uintptr_t)source->content.clips;
    hand_node(source, 6)->name = (pm_motion_name){"LeftClaw", 8};
    hand_node(source, 7)->name = (pm_motion_name){"ring", 4};
    double *keys = (double *)(uintptr_t)clip->channels[6].keys.data;
    for (size_t k = 0; k < KEYS; k++)
        memcpy(keys + 4 * k, hand_node(source, 6)->rotation, 4 * sizeof *keys);
    pm_motion_mirror_report report;
    SCOPED(pm_motion_destroy) pm_motion *mirrored = NULL;
    expect_success(pm_motion_mirror(source, NULL, &mirrored, &report, new_error()));
    assert_int_equal(report.alone_count, 1);
    assert_int_equal(report.alone[0], 6);
    const pm_motion_channel *to = &mirrored->content.clips->channels[6];
    assert_int_equal(to->node, 6);
    for (size_t k = 0; k < KEYS; k++) {
        double value[4];
        for (uint32_t i = 0; i < 4; i++)
            value[i] = truth_number(&to->keys, 4, k, i);
        assert_true(truth_angle(value, hand_node(source, 6)->rotation) < 1e-7);
    }
}

TEST(channels_of_one_side_alone_go_to_the_other_one) {
    random_source random = random_salted(3);
    SCOPED(pm_motion_destroy) pm_motion *source = figure(&random, SIDES_RANDOM, 0);
    pm_motion_clip *clip = (pm_motion_clip *)(uintptr_t)source->content.clips;
    *hand_channel(clip, 4) = *hand_channel(clip, JOINTS); /* the right arm is at rest */
    clip->channel_count = JOINTS;
    SCOPED(pm_motion_destroy) pm_motion *mirrored = mirror(source, 0);
    check_image(source, mirrored, 0);
}

/* Positions of joints with other lengths: the skeleton stays, and the subject about it is the image. */
TEST(positions_are_mirrored_about_rest_poses_of_other_lengths) {
    random_source random = random_salted(4);
    SCOPED(pm_motion_destroy) pm_motion *source = figure(&random, SIDES_IMAGES, 0);
    pm_motion_clip *clip = (pm_motion_clip *)(uintptr_t)source->content.clips;
    pm_motion_node *left = hand_node(source, 2), *right = hand_node(source, 4);
    right->position[1] += 0.25;
    hand_channel(clip, JOINTS)->node = 2;
    SCOPED(pm_motion_destroy) pm_motion *mirrored = mirror(source, 0);
    const pm_motion_channel *to = &mirrored->content.clips->channels[JOINTS];
    assert_int_equal(to->node, 4);
    for (size_t k = 0; k < KEYS; k++)
        for (uint32_t i = 0; i < 3; i++) {
            const double sign = i == 0 ? -1 : 1;
            const double was = truth_number(&clip->channels[JOINTS].keys, 3, k, i);
            const double expected = right->position[i] + sign * (was - left->position[i]);
            assert_true(fabs(truth_number(&to->keys, 3, k, i) - expected) < 1e-12);
        }
}

/* ---- refusals --------------------------------------------------------------------------------- */

TEST(motions_without_pairs_are_refused) {
    static const char *const names[] = {"a", "b"};
    random_source random = random_salted(5);
    SCOPED(pm_motion_destroy)
    pm_motion *subject = hand_named(names, 2), *figure_of = figure(&random, SIDES_IMAGES, 0);
    pm_motion *made = NULL;
    pm_motion_mirror_options options = {.pairs = "/nonexistent"};
    expect_error(pm_motion_mirror(subject, NULL, &made, NULL, new_error()), PM_ERROR_FILE,
                 "left and right");
    expect_error(pm_motion_mirror(subject, &options, &made, NULL, new_error()), PM_ERROR_FILE,
                 "/nonexistent");
    options = (pm_motion_mirror_options){.normal = (pm_motion_axis)3};
    expect_error(pm_motion_mirror(subject, &options, &made, NULL, new_error()), PM_ERROR_ARGUMENT,
                 "normal");
    options.normal = (pm_motion_axis)0;
    expect_next_refused(pm_motion_mirror_options, options, last_error(),
                        pm_motion_mirror(subject, &options, &made, NULL, new_error()));
    hand_node(figure_of, 5)->parent = 1;
    expect_error(pm_motion_mirror(figure_of, NULL, &made, NULL, new_error()), PM_ERROR_FILE,
                 "'LeftHand' and 'RightHand'");
    assert_null(made);
}

/* ---- joining ------------------------------------------------------------------------------- */

static double number_of(const pm_motion *m, size_t channel, size_t key, uint32_t i) {
    const pm_motion_channel *c = &m->content.clips->channels[channel];
    return truth_number(&c->keys, c->components, key, i);
}

/* The other figure has the skeleton of the first, and keys of its own. */
static void figures(random_source *random, pm_motion *two[2]) {
    two[0] = figure(random, SIDES_IMAGES, 0);
    two[1] = figure(random, SIDES_IMAGES, 0);
    for (size_t n = 0; n < JOINTS; n++)
        *hand_node(two[1], n) = *hand_node(two[0], n);
}

static void destroy_two(pm_motion *(*two)[2]) {
    pm_motion_destroy(&(*two)[0]);
    pm_motion_destroy(&(*two)[1]);
}

TEST(frames_of_joined_clips_follow_each_other) {
    random_source random = random_salted(6);
    SCOPED(destroy_two) pm_motion *two[2];
    SCOPED(pm_motion_destroy) pm_motion *joined = NULL;
    figures(&random, two);
    const pm_motion *const parts[] = {two[0], two[1], two[0]};
    expect_success(pm_motion_join(parts, 3, NULL, NULL, &joined, new_error()));
    const pm_motion_clip *clip = joined->content.clips;
    assert_int_equal(clip->timelines->key_count, 3 * KEYS);
    assert_int_equal(clip->rate.num, RATE);
    for (size_t c = 0; c <= JOINTS; c++)
        for (size_t k = 0; k < 3 * KEYS; k++)
            for (uint32_t i = 0; i < clip->channels[c].components; i++)
                assert_true(number_of(joined, c, k, i) ==
                            number_of(two[k / KEYS % 2], c, k % KEYS, i));
}

TEST(a_crossfade_is_a_slerp_with_a_smooth_weight) {
    enum { SHARED = 4 };
    random_source random = random_salted(7);
    SCOPED(destroy_two) pm_motion *two[2];
    SCOPED(pm_motion_destroy) pm_motion *joined = NULL;
    figures(&random, two);
    const pm_motion_join_options options = {.blend = (double)SHARED / RATE};
    expect_success(
        pm_motion_join((const pm_motion *const *)two, 2, NULL, &options, &joined, new_error()));
    assert_int_equal(joined->content.clips->timelines->key_count, 2 * KEYS - SHARED);
    for (size_t c = 0; c <= JOINTS; c++)
        for (size_t f = 0; f < SHARED; f++) {
            const double u = (double)(f + 1) / (SHARED + 1), w = u * u * (3 - 2 * u);
            const size_t at = KEYS - SHARED + f;
            double a[4], b[4], is[4], step[4], dot = 0;
            const uint32_t width = joined->content.clips->channels[c].components;
            for (uint32_t i = 0; i < width; i++) {
                a[i] = number_of(two[0], c, at, i);
                b[i] = number_of(two[1], c, f, i);
                is[i] = number_of(joined, c, at, i);
                dot += a[i] * b[i];
            }
            if (width == 3) {
                for (uint32_t i = 0; i < 3; i++)
                    assert_true(fabs(is[i] - ((1 - w) * a[i] + w * b[i])) < 1e-12);
                continue;
            }
            for (int i = 0; i < 4 && dot < 0; i++)
                b[i] = -b[i];
            inverse(a, a);
            multiply(a, b, step); /* a^-1 b, whose angle is taken w times */
            inverse(a, a);
            const double half =
                atan2(sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]), step[3]);
            for (int i = 0; i < 3; i++)
                step[i] *= sin(w * half) / sin(half);
            step[3] = cos(w * half);
            multiply(a, step, a);
            assert_true(truth_angle(a, is) < 1e-7);
        }
}

static double *keys_of(pm_motion *m, size_t channel) {
    return (double *)(uintptr_t)m->content.clips->channels[channel].keys.data;
}

/* Hips that turn about y alone, so that their headings are known. */
static void turn_hips(pm_motion *m, size_t key, double yaw) {
    memcpy(keys_of(m, 0) + 4 * key, (double[]){0, sin(yaw / 2), 0, cos(yaw / 2)},
           4 * sizeof(double));
}

/* Turns the whole figure about y, and shifts it along the ground. */
static void place_figure(pm_motion *m, size_t keys, double yaw, double x, double z) {
    const double turn[4] = {0, sin(yaw / 2), 0, cos(yaw / 2)};
    for (size_t k = 0; k < keys; k++) {
        double *q = keys_of(m, 0) + 4 * k, *p = keys_of(m, JOINTS) + 3 * k;
        multiply(turn, q, q);
        rotate(turn, p, p);
        p[0] += x;
        p[2] += z;
    }
}

static pm_motion *continue_root(const pm_motion *const *parts, size_t count) {
    const pm_motion_join_options options = {.continue_root = true, .up = PM_MOTION_UP_Y};
    pm_motion *joined = NULL;
    expect_success(pm_motion_join(parts, count, NULL, &options, &joined, new_error()));
    return joined;
}

/* The figure of the world turns about y and shifts along the ground, and nothing else happens. Its
 * first frame is a step behind the last one before: the mean of the steps on both sides. */
TEST(a_continued_root_takes_up_heading_and_place) {
    random_source random = random_salted(8);
    SCOPED(destroy_two) pm_motion *two[2];
    double yaws[2][KEYS];
    figures(&random, two);
    for (size_t n = 0; n < 2; n++)
        for (size_t k = 0; k < KEYS; k++)
            turn_hips(two[n], k, yaws[n][k] = random_between(&random, -1, 1));
    place_figure(two[1], KEYS, 0, 50, -70);
    SCOPED(pm_motion_destroy)
    pm_motion *joined = continue_root((const pm_motion *const *)two, 2);
    const double yaw = yaws[0][KEYS - 1] + (yaws[0][KEYS - 1] - yaws[0][KEYS - 2]) / 2 +
                       (yaws[1][1] - yaws[1][0]) / 2;
    const double expected_turn[4] = {0, sin(yaw / 2), 0, cos(yaw / 2)};
    const double placed = yaw - yaws[1][0], half[4] = {0, sin(placed / 2), 0, cos(placed / 2)};
    double turn[4], behind[3];
    for (uint32_t i = 0; i < 4; i++)
        turn[i] = number_of(joined, 0, KEYS, i);
    assert_true(truth_angle(turn, expected_turn) < 1e-7);
    for (uint32_t i = 0; i < 3; i++)
        behind[i] = number_of(two[1], JOINTS, 1, i) - number_of(two[1], JOINTS, 0, i);
    rotate(half, behind, behind);
    for (uint32_t i = 0; i < 3; i++) {
        const double last = number_of(two[0], JOINTS, KEYS - 1, i);
        const double step = (last - number_of(two[0], JOINTS, KEYS - 2, i) + behind[i]) / 2;
        const double expected = i == 1 ? number_of(two[1], JOINTS, 0, 1) : last + step;
        assert_true(fabs(number_of(joined, JOINTS, KEYS, i) - expected) < 1e-12);
    }
    const pm_motion_content *a = &two[1]->content, *b = &joined->content;
    for (int32_t n = 0; n < JOINTS; n++)
        for (int32_t m = 0; m < JOINTS; m++) /* all distances stay, and heights */
            for (size_t k = 0; k < KEYS; k++) {
                const double before = (double)k / RATE, after = (double)(KEYS + k) / RATE;
                const kinematics_matrix x = kinematics_model(a, a->clips, n, before);
                const kinematics_matrix y = kinematics_model(a, a->clips, m, before);
                const kinematics_matrix u = kinematics_model(b, b->clips, n, after);
                const kinematics_matrix v = kinematics_model(b, b->clips, m, after);
                double was = 0, is = 0;
                for (int i = 0; i < 3; i++) {
                    was += pow(x.m[i][3] - y.m[i][3], 2);
                    is += pow(u.m[i][3] - v.m[i][3], 2);
                }
                assert_true(fabs(was - is) < 1e-9 && fabs(x.m[1][3] - u.m[1][3]) < 1e-9);
            }
}

/* A walk on a bend: the hips go with a velocity that turns, and all joints move. */
static void walk_on(pm_motion *m, size_t first) {
    for (size_t k = 0; k < KEYS; k++) {
        const double t = (double)(first + k) / RATE;
        double *p = keys_of(m, JOINTS) + 3 * k;
        turn_hips(m, k, 0.4 * t);
        memcpy(p, (double[]){20 * t + 3 * t * t, 90 + sin(9 * t), 120 * t - 5 * t * t},
               3 * sizeof *p);
        for (size_t c = 1; c < JOINTS; c++) {
            const double half = 0.3 * sin(7 * t + (double)c);
            memcpy(keys_of(m, c) + 4 * k, (double[]){sin(half), 0, 0, cos(half)},
                   4 * sizeof(double));
        }
    }
}

static void expect_walk(const pm_motion *joined, size_t count, double tolerance) {
    random_source random = random_salted(20);
    SCOPED(pm_motion_destroy) pm_motion *walk = figure(&random, SIDES_IMAGES, 0);
    assert_int_equal(joined->content.clips->timelines->key_count, count);
    for (size_t k = 0; k < count; k++) {
        double is[4], was[4];
        walk_on(walk, k);
        for (size_t c = 0; c <= JOINTS; c++) {
            const uint32_t width = c < JOINTS ? 4 : 3;
            for (uint32_t i = 0; i < width; i++) {
                is[i] = number_of(joined, c, k, i);
                was[i] = number_of(walk, c, 0, i);
                assert_true(c < JOINTS || fabs(is[i] - was[i]) <= tolerance);
            }
            assert_true(c == JOINTS || truth_angle(is, was) <= tolerance + 1e-7);
        }
    }
}

/* Whether the second part begins a frame later, or with the last frame of the first. */
TEST(a_take_that_was_cut_is_joined_to_the_take) {
    for (size_t again = 0; again < 2; again++) {
        random_source random = random_salted(20);
        SCOPED(destroy_two) pm_motion *two[2];
        figures(&random, two);
        walk_on(two[0], 0);
        walk_on(two[1], KEYS - again);
        SCOPED(pm_motion_destroy)
        pm_motion *where_it_was = continue_root((const pm_motion *const *)two, 2);
        expect_walk(where_it_was, 2 * KEYS - again, again ? 1e-9 : 0);
        place_figure(two[1], KEYS, 2.1, -300, 40);
        SCOPED(pm_motion_destroy)
        pm_motion *elsewhere = continue_root((const pm_motion *const *)two, 2);
        expect_walk(elsewhere, 2 * KEYS - again, 0.02); /* of steps of 4 */
    }
}

/* The last frame of a cycle is its first one again: no pose stands for two frames, and the root goes on
 * as it does within. */
TEST(a_cycle_is_repeated_without_its_last_pose) {
    enum { STEPS = KEYS - 1 };
    const double all = 2 * 3.14159265358979323846;
    random_source random = random_salted(21);
    SCOPED(pm_motion_destroy) pm_motion *cycle = figure(&random, SIDES_IMAGES, 0);
    for (size_t k = 0; k < KEYS; k++) {
        const double u = (double)k / STEPS;
        turn_hips(cycle, k, 0.1 * (double)k);
        for (size_t c = 1; c < JOINTS; c++) {
            const double half = 0.3 * sin(all * u + (double)c);
            memcpy(keys_of(cycle, c) + 4 * k, (double[]){sin(half), 0, 0, cos(half)},
                   4 * sizeof(double));
        }
        memcpy(keys_of(cycle, JOINTS) + 3 * k,
               (double[]){sin(0.1 * (double)k), 2 + cos(2 * all * u), cos(0.1 * (double)k)},
               3 * sizeof(double));
    }
    const pm_motion_edit_options options = {.repeat = 3, .continue_root = true};
    SCOPED(pm_motion_destroy) pm_motion *made = NULL;
    expect_success(pm_motion_edit(cycle, &options, &made, new_error()));
    assert_int_equal(made->content.clips->timelines->key_count, 3 * STEPS + 1);
    for (size_t k = 0; k <= 3 * STEPS; k++) {
        const double yaw = 0.1 * (double)k, expected[4] = {0, sin(yaw / 2), 0, cos(yaw / 2)};
        double turn[4];
        for (uint32_t i = 0; i < 4; i++)
            turn[i] = number_of(made, 0, k, i);
        assert_true(truth_angle(turn, expected) < 1e-7);
        assert_true(fabs(number_of(made, JOINTS, k, 0) - sin(yaw)) < 1e-9);
        assert_true(fabs(number_of(made, JOINTS, k, 2) - cos(yaw)) < 1e-9);
        for (uint32_t i = 0; i < 4; i++)
            assert_true(fabs(number_of(made, 3, k, i) - number_of(cycle, 3, k % STEPS, i)) < 1e-9);
    }
}

/* What stands still repeats no frame: it is only still. */
TEST(clips_that_stand_still_keep_all_frames) {
    random_source random = random_salted(22);
    SCOPED(pm_motion_destroy) pm_motion *still = figure(&random, SIDES_IMAGES, 0);
    for (size_t c = 0; c <= JOINTS; c++)
        for (size_t k = 1; k < KEYS; k++)
            memcpy(keys_of(still, c) + (c < JOINTS ? 4 : 3) * k, keys_of(still, c),
                   (c < JOINTS ? 4 : 3) * sizeof(double));
    keys_of(still, JOINTS)[3 * KEYS - 2] += 1e-12; /* moves in name only */
    const pm_motion *const parts[] = {still, still};
    SCOPED(pm_motion_destroy) pm_motion *joined = continue_root(parts, 2);
    assert_int_equal(joined->content.clips->timelines->key_count, 2 * KEYS);
}

TEST(clips_that_do_not_fit_are_refused_by_name) {
    static const char *const names[] = {"first.bvh", "second.bvh"};
    random_source random = random_salted(9);
    SCOPED(destroy_two) pm_motion *two[2];
    SCOPED(pm_motion_destroy) pm_motion *joined = NULL;
    figures(&random, two);
    const pm_motion *const *parts = (const pm_motion *const *)two;
    pm_motion_clip *clip = (pm_motion_clip *)(uintptr_t)two[1]->content.clips;
    pm_timeline *timeline = hand_timeline(clip, 0);
    pm_motion_join_options options = {.blend = 0.5 * KEYS / RATE + 1.0 / RATE};
    expect_error(pm_motion_join(parts, 2, names, &options, &joined, new_error()), PM_ERROR_FILE,
                 "first.bvh: has 9 frames");
    options.blend = -1;
    expect_error(pm_motion_join(parts, 2, names, &options, &joined, new_error()), PM_ERROR_ARGUMENT,
                 "blend");
    options.blend = 0;
    expect_next_refused(pm_motion_join_options, options, last_error(),
                        pm_motion_join(parts, 2, names, &options, &joined, new_error()));
    clip->rate = timeline->rate = (pm_rational){60, 1};
    expect_error(pm_motion_join(parts, 2, names, NULL, &joined, new_error()), PM_ERROR_FILE,
                 "second.bvh: has 60 Hz, and first.bvh has 30 Hz");
    clip->rate = timeline->rate = (pm_rational){RATE, 1};
    hand_channel(clip, 1)->interpolation = PM_MOTION_CUBICSPLINE;
    expect_error(pm_motion_join(parts, 2, names, NULL, &joined, new_error()), PM_ERROR_FILE,
                 "second.bvh: has cubic splines");
    hand_channel(clip, 1)->interpolation = PM_MOTION_LINEAR;
    hand_node(two[1], 3)->position[0] += 1;
    expect_error(pm_motion_join(parts, 2, names, NULL, &joined, new_error()), PM_ERROR_FILE,
                 "second.bvh: joint 3 ('LeftHand') has another rest position than in first.bvh");
    hand_node(two[1], 3)->name = (pm_motion_name){"x\x1b", 2};
    expect_error(pm_motion_join(parts, 2, names, NULL, &joined, new_error()), PM_ERROR_FILE,
                 "joint 3 ('x\\x1b') has another name");
    assert_null(joined);
}

/* ---- cutting ------------------------------------------------------------------------------- */

static pm_motion *edit(const pm_motion *subject, const pm_motion_edit_options *options) {
    pm_motion *edited = NULL;
    expect_success(pm_motion_edit(subject, options, &edited, new_error()));
    return edited;
}

TEST(a_cut_keeps_the_frames_between_both_ends) {
    random_source random = random_salted(10);
    SCOPED(pm_motion_destroy) pm_motion *source = figure(&random, SIDES_IMAGES, 0);
    for (size_t n = 0; n < 100; n++) {
        const size_t low = random_size(&random, 0, KEYS - 1),
                     high = random_size(&random, low, KEYS - 1);
        const bool frames = random_bits(&random) & 1;
        /* seconds a little outside of the frames */
        const pm_motion_edit_options options = {
            .start_after_first_key =
                frames ? (pm_rational){(int64_t)low, 1}
                       : (pm_rational){low ? (int64_t)(10 * low) - 1 : 0, 10 * RATE},
            .end_after_first_key = frames ? (pm_rational){(int64_t)high, 1}
                                          : (pm_rational){(int64_t)(10 * high) + 9, 10 * RATE},
            .cut_frames = frames,
            .repeat = random_size(&random, 0, 3)};
        SCOPED(pm_motion_destroy) pm_motion *made = edit(source, &options);
        const size_t count = high - low + 1, times = options.repeat ? options.repeat : 1;
        assert_int_equal(made->content.clips->timelines->key_count, count * times);
        for (size_t c = 0; c <= JOINTS; c++)
            for (size_t k = 0; k < count * times; k++)
                for (uint32_t i = 0; i < made->content.clips->channels[c].components; i++)
                    assert_true(number_of(made, c, k, i) ==
                                number_of(source, c, low + k % count, i));
    }
}

/* Key times of their own: the curve is that of the source, at all times of the part. */
TEST(a_cut_between_keys_stays_on_the_curve) {
    random_source random = random_salted(11);
    for (size_t n = 0; n < 20; n++) {
        SCOPED(pm_motion_destroy) pm_motion *source = hand_motion(3, 1);
        pm_motion_clip *clip = hand_clip(source, 0, 2, 3);
        hand_times(source, clip, 0, &random, 7, 1.5);
        hand_times(source, clip, 1, &random, 5, 2);
        for (size_t c = 0; c < 3; c++) {
            hand_channel(clip, c)->node = (int32_t)c;
            hand_channel(clip, c)->interpolation = c == 2 ? PM_MOTION_STEP : PM_MOTION_LINEAR;
            hand_random(source, clip, c, (pm_motion_path)(c % 2), c > 0, PM_FLOAT64, &random, 1);
        }
        const double last =
            fmax(truth_time(clip->timelines, 6), truth_time(clip->timelines + 1, 4)) - 1.5;
        const pm_rational begin = {(int64_t)(last * 250), 1000},
                          end = {(int64_t)(last * 700), 1000};
        const double from = (double)begin.num / 1000, to = (double)end.num / 1000;
        SCOPED(pm_motion_destroy)
        pm_motion *made = edit(source, &(pm_motion_edit_options){.start_after_first_key = begin,
                                                                 .end_after_first_key = end});
        const pm_motion_clip *cut = made->content.clips;
        for (size_t i = 0; i <= 50; i++) {
            const double at = from + (to - from) * (double)i / 50;
            for (size_t c = 0; c < 3; c++) {
                const pm_motion_channel *x = &clip->channels[c], *y = &cut->channels[c];
                const pm_timeline *s = &clip->timelines[x->timeline],
                                  *t = &cut->timelines[y->timeline];
                double a[TRUTH_NUMBERS], b[TRUTH_NUMBERS];
                truth_at(x, s, truth_find(s, 1.5 + at + 1e-9), a);
                truth_at(y, t, truth_find(t, at - from + 1e-9), b);
                if (c == 0)
                    assert_true(truth_angle(a, b) < 1e-6);
                for (uint32_t k = 0; c > 0 && k < x->components; k++)
                    assert_true(fabs(a[k] - b[k]) < 1e-6);
            }
        }
    }
}

TEST(parts_without_frames_are_refused) {
    random_source random = random_salted(12);
    SCOPED(pm_motion_destroy) pm_motion *source = figure(&random, SIDES_IMAGES, 0);
    pm_motion *made = NULL;
    pm_motion_edit_options options = {.start_after_first_key = {KEYS, 1}, .cut_frames = true};
    expect_error(pm_motion_edit(source, &options, &made, new_error()), PM_ERROR_FILE, "no frame");
    options = (pm_motion_edit_options){.start_after_first_key = {INT64_MAX, 1}};
    expect_error(pm_motion_edit(source, &options, &made, new_error()), PM_ERROR_FILE, "no frame");
    options = (pm_motion_edit_options){.start_after_first_key = {-1, 1}};
    expect_error(pm_motion_edit(source, &options, &made, new_error()), PM_ERROR_ARGUMENT, "begin");
    options = (pm_motion_edit_options){.blend = 1};
    expect_error(pm_motion_edit(source, &options, &made, new_error()), PM_ERROR_ARGUMENT, "repeat");
    options = (pm_motion_edit_options){.joints = (const char *[]){"Tail"}, .joint_count = 1};
    expect_error(pm_motion_edit(source, &options, &made, new_error()), PM_ERROR_FILE, "'Tail'");
    options = (pm_motion_edit_options){.renames = (const char *[]){"Tail", "x"}, .rename_count = 1};
    expect_error(pm_motion_edit(source, &options, &made, new_error()), PM_ERROR_FILE, "'Tail'");
    options = (pm_motion_edit_options){.renames = (const char *[]){"Hips", "RightArm"},
                                       .rename_count = 1};
    expect_error(pm_motion_edit(source, &options, &made, new_error()), PM_ERROR_FILE,
                 "would both be named 'RightArm'");
    options = (pm_motion_edit_options){.repeat = 0};
    expect_next_refused(pm_motion_edit_options, options, last_error(),
                        pm_motion_edit(source, &options, &made, new_error()));
}

/* What is doubled is said, and not found by its name. */
TEST(doubled_names_are_named) {
    static const char bvh[] =
        "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation JOINT b\n{ OFFSET 0 1 0 "
        "CHANNELS 1 Xrotation } JOINT b\n{ OFFSET 1 0 0 CHANNELS 1 Xrotation } }\n"
        "MOTION Frames: 1 Frame Time: .04\n1 2 3\n";
    static const char gltf[] = "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{\"name\": \"a\"}, "
                               "{\"name\": \"b\"}, {\"name\": \"b\"}, {}, {}]}";
    static const char says[] = "1 joint has a name used before, such as joint 2 (b)";
    const char *const texts[] = {bvh, gltf};
    for (size_t i = 0; i < 2; i++) {
        SCOPED(pm_motion_destroy) pm_motion *source = NULL;
        pm_motion *made = NULL;
        const pm_motion_read_options options = {.format = i == 0 ? PM_MOTION_BVH : PM_MOTION_GLTF};
        expect_success(
            pm_motion_parse(texts[i], strlen(texts[i]), "", NULL, &options, &source, new_error()));
        assert_int_equal(source->content.note_count, 1);
        assert_non_null(strstr(source->content.notes[0]->message, says));
        pm_motion_edit_options edits = {.joints = (const char *[]){"b"}, .joint_count = 1};
        expect_error(pm_motion_edit(source, &edits, &made, new_error()), PM_ERROR_FILE,
                     "2 joints are named 'b'");
        edits = (pm_motion_edit_options){.renames = (const char *[]){"b", "c"}, .rename_count = 1};
        expect_error(pm_motion_edit(source, &edits, &made, new_error()), PM_ERROR_FILE,
                     "2 joints are named 'b'");
    }
}

/* ---- joints -------------------------------------------------------------------------------- */

TEST(joints_that_are_picked_stay_where_they_were) {
    static const char *const names[] = {"hand_tip.L", "Hips", "RightArm"};
    static const char *const renames[] = {"Hips", "Pelvis", "RightArm", "Hips"};
    static const int32_t from[] = {0, 4, 6};
    random_source random = random_salted(13);
    SCOPED(pm_motion_destroy) pm_motion *source = figure(&random, SIDES_RANDOM, 0);
    for (size_t n = 0; n < 3; n++)
        hand_node(source, 3)->scale[n] = 1.5; /* of a joint that is left out */
    pm_motion *made =
        edit(source, &(pm_motion_edit_options){
                         .joints = names, .joint_count = 3, .renames = renames, .rename_count = 2});
    const pm_motion_content *a = &source->content, *b = &made->content;
    assert_int_equal(b->node_count, 3);
    assert_string_equal(b->nodes[0].name.text, "Pelvis");
    assert_string_equal(b->nodes[1].name.text, "Hips");
    assert_int_equal(b->nodes[2].parent, 0);
    for (int32_t n = 0; n < 3; n++)
        for (size_t k = 0; k <= KEYS; k++) {
            const bool at_rest = k == KEYS;
            const kinematics_matrix x =
                kinematics_model(a, at_rest ? NULL : a->clips, from[n], (double)k / RATE);
            const kinematics_matrix y =
                kinematics_model(b, at_rest ? NULL : b->clips, n, (double)k / RATE);
            for (int i = 0; i < 12; i++)
                assert_true(fabs(x.m[i / 4][i % 4] - y.m[i / 4][i % 4]) < 1e-9);
        }
    pm_motion_destroy(&made);
    hand_node(source, 3)->scale[1] = 2;
    expect_error(pm_motion_edit(source,
                                &(pm_motion_edit_options){.joints = names, .joint_count = 3}, &made,
                                new_error()),
                 PM_ERROR_FILE, "'LeftHand', which is left out");
}
