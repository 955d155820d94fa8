/* SPDX-License-Identifier: MIT
 *
 * Vertices of characters before and after a reduction, drawn by the tests' own linear blend skinning in double at
 * random times. It shares no formula with the certificate.
 */
#include "oracle/random_tracks.h"
#include "support/motion.h"
#include "support/motion_files.h"
#include "support/skin_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct character {
    pm_motion *motion;
    skin_mesh mesh;
    double size; /* the longest side of the box about the vertices at rest */
} character;

static void free_character(character *c) {
    pm_motion_destroy(&c->motion);
    free(c->mesh.vertices);
}

static double measure(const character *c) {
    const pm_motion_content *content = pm_motion_get_content(c->motion);
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    kinematics_matrix *pose = skin_pose(content, NULL, 0);
    for (size_t v = 0; v < c->mesh.count; v++) {
        double at[3];
        skin_place(&c->mesh.vertices[v], pose, at);
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], at[i]);
            high[i] = fmax(high[i], at[i]);
        }
    }
    free(pose);
    return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

static character open_character(const char *name) {
    character c = {.motion = test_open(test_data(name), NULL),
                   .mesh = skin_read_file(test_data(name))};
    c.size = measure(&c);
    return c;
}

static double distance(const double a[3], const double b[3]) {
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* How far the farthest vertex is from where it was, at a time. */
static double apart_at(const character *c, const pm_motion *reduced, size_t clip, double time) {
    const pm_motion_content *a = pm_motion_get_content(c->motion);
    const pm_motion_content *b = pm_motion_get_content(reduced);
    kinematics_matrix *pose_a = skin_pose(a, &a->clips[clip], time);
    kinematics_matrix *pose_b = skin_pose(b, &b->clips[clip], time);
    double most = 0;
    for (size_t v = 0; v < c->mesh.count; v++) {
        double at_a[3], at_b[3];
        skin_place(&c->mesh.vertices[v], pose_a, at_a);
        skin_place(&c->mesh.vertices[v], pose_b, at_b);
        most = fmax(most, distance(at_a, at_b));
    }
    free(pose_a);
    free(pose_b);
    return most;
}

/* The same at random times of all clips. */
static double apart(const character *c, const pm_motion *reduced, random_source *random,
                    size_t times) {
    const pm_motion_content *content = pm_motion_get_content(c->motion);
    double most = 0;
    for (size_t i = 0; i < times; i++) {
        const size_t clip = i % content->clip_count;
        const pm_timeline *timeline = content->clips[clip].timelines;
        const double time =
            random_between(random, timeline->times[0], timeline->times[timeline->key_count - 1]);
        most = fmax(most, apart_at(c, reduced, clip, time));
    }
    return most;
}

static pm_motion *reduce(const character *c, const pm_motion_reduce_options *options,
                         pm_motion_reduction_numbers *numbers) {
    pm_motion *reduced = NULL;
    pm_motion_reduction *report = NULL;
    expect_success(pm_motion_reduce(c->motion, options, &reduced, &report, new_error()));
    *numbers = *pm_motion_reduction_get_numbers(report);
    numbers->channels = NULL;
    numbers->unread_mesh = NULL;
    pm_motion_reduction_destroy(&report);
    return reduced;
}

static const char *const characters[] = {"gltf/Fox.glb", "gltf/cesium_man.gltf",
                                         "gltf/SimpleSkin.gltf", "gltf/quantized_gp_Fox.glb"};

/* By slerps and cubics, to a hundredth and a thousandth of the figure. */
TEST(no_vertex_exceeds_the_distance) {
    random_source random = random_salted(1);
    for (size_t i = 0; i < 4 * COUNT_OF(characters); i++) {
        SCOPED(free_character) character c = open_character(characters[i / 4]);
        const pm_motion_reduce_options options = {.distance = c.size * (i % 2 ? 1e-3 : 1e-2),
                                                  .at = i % 4 < 2 ? PM_MOTION_AT_MESH : 0,
                                                  .curve = i % 4 < 2 ? PM_METHOD_SLERP
                                                                     : PM_METHOD_CUBICSPLINE};
        pm_motion_reduction_numbers numbers;
        SCOPED(pm_motion_destroy) pm_motion *reduced = reduce(&c, &options, &numbers);
        const double found = apart(&c, reduced, &random, small_sizes() ? 20 : 200);
        assert_true(numbers.at == PM_MOTION_AT_MESH);
        assert_true(numbers.distance.bound <= options.distance);
        assert_true(numbers.keys_after < numbers.keys_before);
        if (!(found > 0 && found <= numbers.distance.bound * (1 + 1e-9)))
            fail_msg("%s: a vertex is %.9g away, %.9g is the bound", characters[i / 4], found,
                     numbers.distance.bound);
    }
}

/* What is bounded at joints alone is farther on the skin: the bound of the skin is one. */
TEST(joints_alone_do_not_bound_the_skin) {
    random_source random = random_salted(2);
    SCOPED(free_character) character c = open_character("gltf/Fox.glb");
    pm_motion_reduction_numbers joints, mesh;
    pm_motion_reduce_options options = {.distance = c.size * 1e-3, .at = PM_MOTION_AT_JOINTS};
    SCOPED(pm_motion_destroy) pm_motion *of_joints = reduce(&c, &options, &joints);
    options.at = PM_MOTION_AT_MESH;
    SCOPED(pm_motion_destroy) pm_motion *of_mesh = reduce(&c, &options, &mesh);
    assert_true(apart(&c, of_joints, &random, 30) > options.distance);
    assert_true(joints.keys_after < mesh.keys_after);
}

/* ---- comparing ----------------------------------------------------------------------------- */

static pm_motion_differences compare(const pm_motion *a, const pm_motion *b, double at) {
    pm_motion_comparison *comparison = NULL;
    const pm_motion_compare_options options = {.at = at, .certify = true};
    expect_success(pm_motion_compare(a, b, &options, &comparison, new_error()));
    pm_motion_differences found = *pm_motion_comparison_get_differences(comparison);
    pm_motion_comparison_destroy(&comparison);
    return found;
}

/* At all times that are compared, and at all times of the first clip. */
TEST(no_vertex_is_farther_than_compare_says) {
    random_source random = random_salted(3);
    for (size_t i = 0; i < COUNT_OF(characters); i++) {
        SCOPED(free_character) character c = open_character(characters[i]);
        const pm_motion_reduce_options options = {.has_angle = true, .angle = 2};
        pm_motion_reduction_numbers numbers;
        SCOPED(pm_motion_destroy) pm_motion *reduced = reduce(&c, &options, &numbers);
        const pm_motion_differences mesh = compare(c.motion, reduced, 0);
        const pm_motion_differences joints = compare(c.motion, reduced, PM_MOTION_AT_JOINTS);
        const pm_motion_clip *clip = pm_motion_get_content(c.motion)->clips;
        double found = apart_at(&c, reduced, 0, mesh.clip.distance.time);
        assert_true(mesh.at == PM_MOTION_AT_MESH && joints.at == PM_MOTION_AT_JOINTS);
        assert_true(found > 0 && found <= mesh.clip.distance.max * (1 + 1e-6));
        assert_true(joints.clip.distance.max < mesh.clip.distance.max);
        for (size_t n = 0; n < 30; n++) {
            const pm_timeline *timeline = clip->timelines;
            const double last = timeline->times[timeline->key_count - 1];
            found = fmax(found, apart_at(&c, reduced, 0, random_between(&random, 0, last)));
        }
        assert_true(found <= mesh.certified_distance * (1 + 1e-9));
    }
}

/* What compare certifies is what reduce kept. */
TEST(compare_certifies_the_distance_that_reduce_keeps) {
    SCOPED(free_character) character c = open_character("gltf/cesium_man.gltf");
    const pm_motion_reduce_options options = {.distance = c.size * 1e-2};
    pm_motion_reduction_numbers numbers;
    SCOPED(pm_motion_destroy) pm_motion *reduced = reduce(&c, &options, &numbers);
    const double certified = compare(c.motion, reduced, 0).certified_distance;
    assert_true(certified >= numbers.distance.found - 1e-9 &&
                certified <= options.distance * 1.0001);
}

TEST(the_mesh_is_asked_for_in_vain_where_there_is_none) {
    SCOPED(pm_motion_destroy)
    pm_motion *without = test_open(test_data("reports4/shared_distance.glb"), NULL);
    pm_motion *reduced = NULL;
    const pm_motion_reduce_options options = {.distance = 0.01, .at = PM_MOTION_AT_MESH};
    expect_error(pm_motion_reduce(without, &options, &reduced, NULL, new_error()), PM_ERROR_FILE,
                 "no vertices");
    pm_motion_comparison *comparison = NULL;
    expect_error(pm_motion_compare(without, without,
                                   &(pm_motion_compare_options){.at = PM_MOTION_AT_MESH},
                                   &comparison, new_error()),
                 PM_ERROR_FILE, "neither motion has vertices");
    const character c = {.motion = without};
    pm_motion_reduction_numbers numbers;
    SCOPED(pm_motion_destroy)
    pm_motion *of_length = reduce(&c, &(pm_motion_reduce_options){.distance = 0.01}, &numbers);
    assert_true(numbers.at == 0.1);
}
