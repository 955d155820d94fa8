/* SPDX-License-Identifier: MIT
 *
 * How far meshes reach from their joints, against vertices that the tests read themselves.
 */
#include "support/gltf_generator.h"
#include "support/motion_files.h"
#include "support/skin_truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/convert/adjust.h"

static void free_reach(pm_motion_reach **reach) {
    free(*reach);
}

static void free_mesh(skin_mesh *mesh) {
    free(mesh->vertices);
}

static pm_motion_reach *find_reach(const pm_motion *motion, bool *has_mesh) {
    pm_motion_reach *nodes =
        test_array(pm_motion_get_content(motion)->node_count + 1, sizeof *nodes);
    expect_success(pm_motion_find_reach(motion, nodes, has_mesh, new_error()));
    return nodes;
}

/* ---- files --------------------------------------------------------------------------------- */

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* What a node has of a vertex. */
static double share_of(const skin_vertex *v, int32_t node) {
    double sum = 0;
    for (size_t k = 0; k < v->count; k++)
        sum += v->node[k] == node ? v->weight[k] : 0;
    return sum;
}

static void add_vertex(const skin_vertex *v, pm_motion_reach *nodes) {
    for (size_t k = 0; k < v->count; k++) {
        pm_motion_reach *to = &nodes[v->node[k]];
        for (int i = 0; i < 3; i++) {
            to->low[i] = to->has_vertices ? fmin(to->low[i], v->at[k][i]) : v->at[k][i];
            to->high[i] = to->has_vertices ? fmax(to->high[i], v->at[k][i]) : v->at[k][i];
        }
        to->has_vertices = true;
        to->farthest = fmax(to->farthest, length(v->at[k]));
        if (share_of(v, v->node[k]) >= 0.125)
            to->reach = fmax(to->reach, length(v->at[k]));
    }
}

static void expect_near(double a, double b, double most) {
    if (!(fabs(a - b) <= most))
        fail_msg("%.17g, expected %.17g within %g", a, b, most);
}

static void expect_same(const pm_motion_reach *a, const pm_motion_reach *b, size_t count,
                        double part) {
    for (size_t n = 0; n < count; n++) {
        const double most = part * b[n].farthest;
        assert_int_equal(a[n].has_vertices, b[n].has_vertices);
        expect_near(a[n].farthest, b[n].farthest, most);
        expect_near(a[n].reach, b[n].reach, most);
        for (int i = 0; i < 3; i++) {
            expect_near(a[n].low[i], b[n].low[i], most);
            expect_near(a[n].high[i], b[n].high[i], most);
        }
    }
}

/* Skins with float and normalized weights, bytes and shorts, quantized positions, a mesh of many skins, and
 * meshes without skins. */
TEST(boxes_and_reaches_are_those_of_the_vertices) {
    static const char *const files[] = {
        "gltf/Fox.glb",           "gltf/cesium_man.gltf",
        "gltf/SimpleSkin.gltf",   "gltf/quantized_gp_Fox.glb",
        "gltf/box_animated.gltf", "gltf/InfiniteSkinnedTentacle.glb"};
    for (size_t f = 0; f < COUNT_OF(files); f++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = test_open(test_data(files[f]), NULL);
        SCOPED(free_mesh) skin_mesh mesh = skin_read_file(test_data(files[f]));
        const size_t count = pm_motion_get_content(motion)->node_count;
        bool has_mesh = false;
        SCOPED(free_reach) pm_motion_reach *found = find_reach(motion, &has_mesh);
        SCOPED(free_reach) pm_motion_reach *expected = calloc(count, sizeof *expected);
        for (size_t v = 0; v < mesh.count; v++)
            add_vertex(&mesh.vertices[v], expected);
        assert_true(has_mesh && mesh.count > 0);
        expect_same(found, expected, count, 1e-6);
    }
}

/* gltfpack made both of one file, with other rounding of weights and positions. */
TEST(compressed_vertices_are_read) {
    SCOPED(pm_motion_destroy) pm_motion *a = test_open(test_data("gltf/meshopt_Fox.glb"), NULL);
    SCOPED(pm_motion_destroy)
    pm_motion *b = test_open(test_data("gltf/quantized_gp_Fox.glb"), NULL);
    SCOPED(free_reach) pm_motion_reach *of_a = find_reach(a, NULL);
    SCOPED(free_reach) pm_motion_reach *of_b = find_reach(b, NULL);
    expect_same(of_a, of_b, pm_motion_get_content(b)->node_count, 0.01);
}

TEST(a_motion_of_another_scale_reaches_as_far_in_it) {
    SCOPED(pm_motion_destroy) pm_motion *motion = test_open(test_data("gltf/Fox.glb"), NULL);
    SCOPED(pm_motion_destroy)
    pm_motion *scaled = motion_adjusted(motion, (motion_adjustment){.scale = 3});
    SCOPED(free_reach) pm_motion_reach *of_a = find_reach(motion, NULL);
    SCOPED(free_reach) pm_motion_reach *of_b = find_reach(scaled, NULL);
    for (size_t n = 0; n < pm_motion_get_content(motion)->node_count; n++) {
        expect_near(of_b[n].reach, 3 * of_a[n].reach, 1e-9 * of_b[n].reach);
        expect_near(of_b[n].low[1], 3 * of_a[n].low[1], 1e-9 * of_b[n].farthest);
    }
}

/* ---- crowds -------------------------------------------------------------------------------- */

/* Vertices at random times of all clips against the bounds of a crowd of the character. */
static void expect_within(const pm_motion *motion, const skin_mesh *mesh,
                          const pm_motion_character *character, pm_crowd *crowd,
                          random_source *random) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    for (size_t i = 0; i < 30; i++) {
        const size_t clip = i % content->clip_count;
        const pm_timeline *timeline = character->clips[clip].timelines;
        const double begin = timeline->times ? timeline->times[0] : 0;
        const double seconds = random_between(random, 0, 0.5);
        const pm_crowd_instance instance = {
            .clip_a = (uint32_t)clip, .time_a = pm_crowd_ticks(seconds), .flags = PM_CROWD_CLAMP_A};
        float box[8];
        expect_success(pm_crowd_pose_one(
            crowd, &(pm_crowd_one){.instance = &instance, .output = PM_CROWD_BOUNDS}, box,
            new_error()));
        kinematics_matrix *pose = skin_pose(content, &content->clips[clip], begin + seconds);
        for (size_t v = 0; v < mesh->count; v++) {
            double at[3];
            skin_place(&mesh->vertices[v], pose, at);
            for (int a = 0; a < 3; a++) {
                const double most = 1e-5 * ((double)box[4 + a] - (double)box[a]);
                if (at[a] < (double)box[a] - most || at[a] > (double)box[4 + a] + most)
                    fail_msg("vertex %zu: %g is not within %g and %g", v, at[a], (double)box[a],
                             (double)box[4 + a]);
            }
        }
        free(pose);
    }
}

TEST(bounds_of_crowds_enclose_the_skin) {
    static const char *const files[] = {"gltf/Fox.glb", "gltf/cesium_man.gltf",
                                        "gltf/SimpleSkin.gltf", "gltf/quantized_gp_Fox.glb"};
    pm_engine *engine = test_reference();
    random_source random = random_start();
    for (size_t f = 0; f < COUNT_OF(files); f++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = test_open(test_data(files[f]), NULL);
        SCOPED(free_mesh) skin_mesh mesh = skin_read_file(test_data(files[f]));
        const pm_motion_character *character = NULL;
        pm_skeleton *skeleton = NULL;
        pm_crowd *crowd = NULL;
        expect_success(pm_motion_character_create(motion, NULL, &character, new_error()));
        expect_success(pm_skeleton_create(&character->skeleton, &skeleton, new_error()));
        const pm_crowd_desc desc = {
            .skeleton = skeleton, .clips = character->clips, .clip_count = character->clip_count};
        expect_success(pm_crowd_create(engine, &desc, &crowd, new_error()));
        expect_within(motion, &mesh, character, crowd, &random);
        pm_crowd_destroy(&crowd);
        pm_skeleton_destroy(&skeleton);
        pm_motion_character_destroy(&character);
    }
    pm_engine_destroy(&engine);
}

/* ---- made documents ------------------------------------------------------------------------ */

/* Two joints below an armature of scale 0.01, bound at (0, 0, 0) and (0, 100, 0), and a mesh: `attributes` and
 * `more` are of its primitive. Accessors: 0 positions of 3 vertices, 1 joints, 2 weights as bytes, 3 joints and
 * 4 weights of a second set, 5 binds, 6 sparse positions, 7 displacements, 8 positions that are not finite, 9
 * joints out of range, 10 weights that are negative, 11 joints of one vertex, 12 a million zeros. */
static pm_motion *make(const char *attributes, const char *more) {
    static unsigned char *glb = NULL;
    static const struct {
        float positions[9], binds[32], moved[9], bad[9], negative[12], sparse[3];
        uint8_t joints[12], weights[12], second[12], rest[12], out[12], index[4];
    } bin = {.positions = {1, 2, 3, 0, 104, 0, 0, 90, 5},
             .binds = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,    0, 1,
                       1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -100, 0, 1},
             .moved = {0, 0, 2, -1, 0, 0, 0, 0, 0},
             .bad = {0, 0, 0, (float)NAN, 0, 0, 0, 0, 0},
             .negative = {1, 0, 0, 0, 1, -.5f, 0, 0, 1, 0, 0, 0},
             .sparse = {7, 0, 0},
             .joints = {0, 0, 0, 9, 1, 0, 0, 0, 0, 1, 0, 0},
             .weights = {255, 0, 0, 0, 255, 0, 0, 0, 245, 10, 0, 0},
             .second = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0},
             .rest = {0, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0},
             .out = {0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0},
             .index = {1}};
    char json[4096];
    size_t size = 0;
    const int written = snprintf(
        json, sizeof json,
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"scale\":[0.01,0.01,0.01],\"children\":[1]},"
        "{\"children\":[2]},{\"translation\":[0,100,0]},{\"mesh\":0,\"skin\":0}],"
        "\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":5}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{%s}%s}]}],"
        "\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":["
        "{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":128},"
        "{\"buffer\":0,\"byteOffset\":164,\"byteLength\":36},"
        "{\"buffer\":0,\"byteOffset\":200,\"byteLength\":36},"
        "{\"buffer\":0,\"byteOffset\":236,\"byteLength\":48},"
        "{\"buffer\":0,\"byteOffset\":284,\"byteLength\":12},"
        "{\"buffer\":0,\"byteOffset\":296,\"byteLength\":64}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
        "{\"bufferView\":6,\"componentType\":5121,\"count\":3,\"type\":\"VEC4\"},"
        "{\"bufferView\":6,\"byteOffset\":12,\"componentType\":5121,\"normalized\":true,"
        "\"count\":3,\"type\":\"VEC4\"},"
        "{\"bufferView\":6,\"byteOffset\":24,\"componentType\":5121,\"count\":3,\"type\":\"VEC4\"},"
        "{\"bufferView\":6,\"byteOffset\":36,\"componentType\":5121,\"normalized\":true,"
        "\"count\":3,\"type\":\"VEC4\"},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"MAT4\"},"
        "{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":1,"
        "\"indices\":{\"bufferView\":6,\"byteOffset\":60,\"componentType\":5121},"
        "\"values\":{\"bufferView\":5}}},"
        "{\"bufferView\":2,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
        "{\"bufferView\":3,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
        "{\"bufferView\":6,\"byteOffset\":48,\"componentType\":5121,\"count\":3,\"type\":\"VEC4\"},"
        "{\"bufferView\":4,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"},"
        "{\"bufferView\":6,\"componentType\":5121,\"count\":1,\"type\":\"VEC4\"},"
        "{\"componentType\":5126,\"count\":1000000,\"type\":\"VEC3\"}]}",
        attributes, more, sizeof bin);
    assert_true(written > 0 && (size_t)written < sizeof json);
    free(glb);
    glb = glb_assemble(json, &bin, sizeof bin, &size);
    return test_parse(glb, size, NULL);
}

#define SKINNED "\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2"

/* A box, its farthest corner of vertices, and the reach. */
static void expect_box(const pm_motion_reach *r, const double box[6], double farthest,
                       double reach) {
    assert_true(r->has_vertices);
    for (int i = 0; i < 3; i++) {
        expect_near(r->low[i], box[i], 1e-12);
        expect_near(r->high[i], box[3 + i], 1e-12);
    }
    expect_near(r->farthest, farthest, 1e-12);
    expect_near(r->reach, reach, 1e-12);
}

/* Vertex 2 has 245/255 of joint 0 and 10/255, less than an eighth, of joint 1. */
TEST(a_reach_is_of_vertices_with_at_least_an_eighth) {
    SCOPED(pm_motion_destroy) pm_motion *motion = make(SKINNED, "");
    SCOPED(free_reach) pm_motion_reach *r = find_reach(motion, NULL);
    expect_box(&r[1], (double[]){0, 2, 3, 1, 90, 5}, sqrt(90 * 90 + 25), sqrt(90 * 90 + 25));
    expect_box(&r[2], (double[]){0, -10, 0, 0, 4, 5}, sqrt(125), 4);
    assert_false(r[0].has_vertices || r[3].has_vertices);
    expect_near(r[0].reach, 0, 0);
}

/* With 40/255 more of a second set, the joint has 50 of 295 of the vertex. */
TEST(sets_of_weights_add_up) {
    SCOPED(pm_motion_destroy)
    pm_motion *motion = make(SKINNED ",\"JOINTS_1\":3,\"WEIGHTS_1\":4", "");
    SCOPED(free_reach) pm_motion_reach *r = find_reach(motion, NULL);
    expect_box(&r[2], (double[]){0, -10, 0, 0, 4, 5}, sqrt(125), sqrt(125));
}

TEST(sparse_positions_are_put_in) {
    SCOPED(pm_motion_destroy)
    pm_motion *motion = make("\"POSITION\":6,\"JOINTS_0\":1,\"WEIGHTS_0\":2", "");
    SCOPED(free_reach) pm_motion_reach *r = find_reach(motion, NULL);
    expect_box(&r[2], (double[]){0, -100, 0, 7, -100, 0}, sqrt(49 + 10000), sqrt(49 + 10000));
}

TEST(morph_targets_extend_boxes) {
    SCOPED(pm_motion_destroy) pm_motion *motion = make(SKINNED, ",\"targets\":[{\"POSITION\":7}]");
    SCOPED(free_reach) pm_motion_reach *r = find_reach(motion, NULL);
    expect_box(&r[1], (double[]){0, 2, 3, 1, 90, 5}, sqrt(90 * 90 + 25), sqrt(90 * 90 + 25));
    expect_box(&r[2], (double[]){-1, -10, 0, 0, 4, 5}, sqrt(125), sqrt(17));
}

TEST(a_mesh_without_joints_goes_with_its_node) {
    SCOPED(pm_motion_destroy) pm_motion *motion = make("\"POSITION\":0", "");
    SCOPED(free_reach) pm_motion_reach *r = find_reach(motion, NULL);
    expect_box(&r[3], (double[]){0, 2, 0, 1, 104, 5}, 104, 104);
}

TEST(without_a_mesh_the_farthest_child_counts) {
    bool has_mesh = true;
    SCOPED(pm_motion_destroy) pm_motion *motion = make("\"NORMAL\":0", "");
    SCOPED(free_reach) pm_motion_reach *r = find_reach(motion, &has_mesh);
    assert_false(has_mesh || r[1].has_vertices);
    expect_near(r[1].reach, 100, 0);
    expect_near(r[0].reach, 0, 0);
}

TEST(vertices_that_are_not_valid_are_refused) {
    static const struct {
        const char *attributes, *more, *words;
    } cases[] = {
        {"\"POSITION\":8,\"JOINTS_0\":1,\"WEIGHTS_0\":2", "", "not finite"},
        {"\"POSITION\":0,\"JOINTS_0\":9,\"WEIGHTS_0\":2", "", "vertex 1 has joint 2 of 2"},
        {"\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":10", "", "vertex 1 has the weight -0.5"},
        {"\"POSITION\":0,\"JOINTS_0\":1", "", "/WEIGHTS_0: is missing"},
        {"\"POSITION\":0,\"JOINTS_0\":11,\"WEIGHTS_0\":2", "", "has 1 elements for 3 vertices"},
        {"\"POSITION\":0,\"JOINTS_0\":0,\"WEIGHTS_0\":2", "", "expected VEC4 of 5121 or 5123"},
        {"\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":2", "", "normalized; expected VEC4"},
        {"\"POSITION\":99", "", "element 99 of 13"},
        {SKINNED, ",\"extensions\":{\"KHR_draco_mesh_compression\":{\"bufferView\":0}}", "Draco"},
        {SKINNED, ",\"targets\":[{\"POSITION\":11}]", "expected VEC3"}};
    pm_motion_reach nodes[4];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = make(cases[i].attributes, cases[i].more);
        expect_error(pm_motion_find_reach(motion, nodes, NULL, new_error()), PM_ERROR_FILE,
                     cases[i].words);
    }
    expect_error(pm_motion_find_reach(NULL, nodes, NULL, new_error()), PM_ERROR_ARGUMENT, "motion");
}

/* Primitives may share vertices, and are placed each by itself. */
TEST(vertices_that_are_used_very_often_are_refused) {
    char more[1024] = "";
    pm_motion_reach nodes[4];
    for (size_t i = 0; i < 20; i++)
        strcat(more, "},{\"attributes\":{\"POSITION\":12}");
    SCOPED(pm_motion_destroy) pm_motion *motion = make("\"POSITION\":12", more);
    expect_error(pm_motion_find_reach(motion, nodes, NULL, new_error()), PM_ERROR_FILE,
                 "too often");
}
