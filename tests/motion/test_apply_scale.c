/* SPDX-License-Identifier: MIT
 *
 * Scales that are put into lengths: the vertices of characters are where they were, as the tests' own skinning
 * draws them.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/random_tracks.h"
#include "support/gltf_generator.h"
#include "support/motion_files.h"
#include "support/skin_truth.h"
#include "support/test_folder.h"

/* A copy of a document, with its binary chunk, that a test changes. */
typedef struct changed {
    json_t *root;
    unsigned char *file, *made;
    size_t size, bin, made_size;
    pm_motion *motion;
} changed;

static void free_changed(changed *c) {
    pm_motion_destroy(&c->motion);
    json_decref(c->root);
    free(c->file);
    free(c->made);
}

static size_t load32(const unsigned char *at) {
    return at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

/* Fox.glb, whose nodes have no scales. */
static changed open_fox(void) {
    changed c = {0};
    FILE *file = fopen(test_data("gltf/Fox.glb"), "rb");
    assert_non_null(file);
    c.file = test_array(1 << 20, 1);
    c.size = fread(c.file, 1, 1 << 20, file);
    fclose(file);
    const size_t text = load32(c.file + 12);
    c.root = json_loadb((const char *)c.file + 20, text, 0, NULL);
    c.bin = 28 + text;
    return c;
}

static json_t *node_of(const changed *c, size_t node) {
    return json_array_get(json_object_get(c->root, "nodes"), node);
}

static size_t joint_of(const changed *c, size_t joint) {
    const json_t *skin = json_array_get(json_object_get(c->root, "skins"), 0);
    return (size_t)json_integer_value(json_array_get(json_object_get(skin, "joints"), joint));
}

static void set_scale(const changed *c, size_t node, double x, double y, double z) {
    json_object_set_new(node_of(c, node), "scale", json_pack("[f, f, f]", x, y, z));
}

static const pm_motion *read_changed(changed *c) {
    char *text = json_dumps(c->root, JSON_COMPACT);
    pm_motion_destroy(&c->motion);
    free(c->made);
    c->made = glb_assemble(text, c->file + c->bin, c->size - c->bin, &c->made_size);
    free(text);
    c->motion = test_parse(c->made, c->made_size, NULL);
    return c->motion;
}

/* A channel with these scales for a node in clip 0, at the times of the clip's first channel. */
static void add_scales(const changed *c, size_t node, double first, double last) {
    json_t *clip = json_array_get(json_object_get(c->root, "animations"), 0);
    json_t *samplers = json_object_get(clip, "samplers");
    json_t *views = json_object_get(c->root, "bufferViews");
    json_t *accessors = json_object_get(c->root, "accessors");
    json_t *buffers = json_object_get(c->root, "buffers");
    const float values[8] = {0,           1,           (float)first, (float)first, (float)first,
                             (float)last, (float)last, (float)last};
    char text[128] = "data:;base64,";
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[33] = {0};
    memcpy(bytes, values, sizeof values);
    for (size_t i = 0, used = strlen(text); i < 33; i += 3, used += 4) {
        const unsigned group =
            (unsigned)bytes[i] << 16 | (unsigned)bytes[i + 1] << 8 | bytes[i + 2];
        for (int k = 0; k < 4; k++)
            text[used + (size_t)k] = digits[group >> (18 - 6 * k) & 63];
        text[used + 4] = '\0';
    }
    const json_int_t view = (json_int_t)json_array_size(views);
    const json_int_t accessor = (json_int_t)json_array_size(accessors);
    const json_int_t sampler = (json_int_t)json_array_size(samplers);
    json_array_append_new(buffers, json_pack("{ss si}", "uri", text, "byteLength", 32));
    json_array_append_new(
        views,
        json_pack("{sI si}", "buffer", (json_int_t)json_array_size(buffers) - 1, "byteLength", 32));
    json_array_append_new(accessors,
                          json_pack("{sI si si ss s[f] s[f]}", "bufferView", view, "componentType",
                                    5126, "count", 2, "type", "SCALAR", "min", 0.0, "max", 1.0));
    json_array_append_new(accessors,
                          json_pack("{sI si si si ss}", "bufferView", view, "byteOffset", 8,
                                    "componentType", 5126, "count", 2, "type", "VEC3"));
    json_array_append_new(samplers,
                          json_pack("{sI sI}", "input", accessor, "output", accessor + 1));
    json_array_append_new(json_object_get(clip, "channels"),
                          json_pack("{sI s{sI ss}}", "sampler", sampler, "target", "node",
                                    (json_int_t)node, "path", "scale"));
}

/* ---- vertices ------------------------------------------------------------------------------ */

static void free_mesh(skin_mesh *mesh) {
    free(mesh->vertices);
}

/* Both draw each vertex at one place, within 1e-6 of their extent. */
static void expect_same_skin(const pm_motion *a, const skin_mesh *mesh_a, const pm_motion *b,
                             const skin_mesh *mesh_b, size_t clip, double time) {
    const pm_motion_content *of_a = pm_motion_get_content(a), *of_b = pm_motion_get_content(b);
    kinematics_matrix *pose_a = skin_pose(of_a, &of_a->clips[clip], time);
    kinematics_matrix *pose_b = skin_pose(of_b, &of_b->clips[clip], time);
    double most = 0, low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, size = 0;
    double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    assert_int_equal(mesh_a->count, mesh_b->count);
    for (size_t v = 0; v < mesh_a->count; v++) {
        double at_a[3], at_b[3];
        skin_place(&mesh_a->vertices[v], pose_a, at_a);
        skin_place(&mesh_b->vertices[v], pose_b, at_b);
        for (int i = 0; i < 3; i++) {
            most = fmax(most, fabs(at_a[i] - at_b[i]));
            low[i] = fmin(low[i], at_a[i]);
            high[i] = fmax(high[i], at_a[i]);
            size = fmax(size, high[i] - low[i]);
        }
    }
    free(pose_a);
    free(pose_b);
    if (!(most <= 1e-6 * size))
        fail_msg("clip %zu at %g s: %g of %g", clip, time, most, size);
}

static double scale_left(const pm_motion *motion) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    double largest = 0;
    for (size_t n = 0; n < content->node_count; n++)
        for (int i = 0; i < 3; i++)
            largest = fmax(largest, fabs(content->nodes[n].scale[i] - 1));
    return largest;
}

/* Applies, writes and reads again; `kept` nodes keep their scales. */
static void expect_applied(const changed *c, size_t applied, size_t kept) {
    random_source random = random_start();
    pm_motion *made = NULL;
    pm_motion_scale_report report;
    expect_success(pm_motion_apply_scale(c->motion, &made, &report, new_error()));
    assert_int_equal(report.applied, applied);
    assert_int_equal(report.kept, kept);
    expect_success(pm_motion_convert(made, NULL, "applied.glb", new_error()));
    SCOPED(pm_motion_destroy) pm_motion *again = test_open("applied.glb", NULL);
    SCOPED(free_mesh) skin_mesh before = skin_read(c->made, c->made_size);
    SCOPED(free_mesh) skin_mesh after = skin_read_file("applied.glb");
    const pm_motion_content *content = pm_motion_get_content(again);
    assert_true(kept > 0 || scale_left(again) < 1e-6);
    for (size_t i = 0; i < 12; i++)
        expect_same_skin(c->motion, &before, again, &after, i % content->clip_count,
                         random_between(&random, 0, 1.1));
    pm_motion_reach of_made[64], of_again[64];
    assert_true(content->node_count <= 64);
    expect_success(pm_motion_find_reach(made, of_made, NULL, new_error()));
    expect_success(pm_motion_find_reach(again, of_again, NULL, new_error()));
    for (size_t n = 0; n < content->node_count; n++)
        assert_true(fabs(of_made[n].farthest - of_again[n].farthest) <=
                    1e-5 * of_again[n].farthest);
    pm_motion_destroy(&made);
}

/* ---- tests --------------------------------------------------------------------------------- */

TEST(scales_of_a_chain_go_into_lengths_and_binds) {
    SCOPED(free_changed) changed c = open_fox();
    set_scale(&c, joint_of(&c, 0), 0.01, 0.01, 0.01);
    set_scale(&c, joint_of(&c, 5), 3, 3, 3);
    set_scale(&c, joint_of(&c, 9), -2, -2, -2);
    read_changed(&c);
    expect_applied(&c, 3, 0);
}

TEST(a_constant_scale_of_a_clip_is_the_one_of_the_rest_pose) {
    SCOPED(free_changed) changed c = open_fox();
    set_scale(&c, joint_of(&c, 0), 0.01, 0.01, 0.01);
    add_scales(&c, joint_of(&c, 0), 0.01, 0.01);
    read_changed(&c);
    expect_applied(&c, 1, 0);
}

/* What changes stays, with all that is taken out above and below it. */
TEST(a_scale_that_changes_is_kept) {
    SCOPED(free_changed) changed c = open_fox();
    set_scale(&c, joint_of(&c, 0), 0.01, 0.01, 0.01);
    set_scale(&c, joint_of(&c, 4), 2, 2, 2);
    add_scales(&c, joint_of(&c, 2), 1, 1.5);
    read_changed(&c);
    expect_applied(&c, 2, 1);
}

/* Without inverse bind matrices, joints get some. */
TEST(binds_that_are_not_there_are_made) {
    SCOPED(free_changed) changed c = open_fox();
    json_object_del(json_array_get(json_object_get(c.root, "skins"), 0), "inverseBindMatrices");
    set_scale(&c, joint_of(&c, 0), 0.5, 0.5, 0.5);
    read_changed(&c);
    expect_applied(&c, 1, 0);
}

/* A second mesh, without a skin, on a node of its own below a joint. */
TEST(a_mesh_without_a_skin_keeps_its_scale_on_a_leaf) {
    SCOPED(free_changed) changed c = open_fox();
    json_t *nodes = json_object_get(c.root, "nodes");
    const size_t tip = joint_of(&c, 8), added = json_array_size(nodes);
    json_t *children = json_object_get(node_of(&c, tip), "children");
    if (!children) {
        children = json_array();
        json_object_set_new(node_of(&c, tip), "children", children);
    }
    json_array_append_new(children, json_integer((json_int_t)added));
    json_array_append_new(nodes,
                          json_pack("{si s[f, f, f]}", "mesh", 0, "translation", 1.0, 2.0, 3.0));
    set_scale(&c, joint_of(&c, 0), 0.01, 0.01, 0.01);
    read_changed(&c);
    expect_applied(&c, 1, 1);
}

TEST(scales_that_cannot_be_applied_are_refused_by_name) {
    pm_motion *made = NULL;
    SCOPED(free_changed) changed c = open_fox();
    set_scale(&c, joint_of(&c, 3), 1, 2, 1);
    expect_error(pm_motion_apply_scale(read_changed(&c), &made, NULL, new_error()), PM_ERROR_FILE,
                 "' has a scale that is not uniform");
    assert_non_null(strstr(last_error()->message, json_string_value(json_object_get(
                                                      node_of(&c, joint_of(&c, 3)), "name"))));
    set_scale(&c, joint_of(&c, 3), 2, 2, 2);
    add_scales(&c, joint_of(&c, 3), 1, 1);
    expect_error(pm_motion_apply_scale(read_changed(&c), &made, NULL, new_error()), PM_ERROR_FILE,
                 "is not the one of its rest pose");
    SCOPED(free_changed) changed d = open_fox();
    set_scale(&d, joint_of(&d, 0), 0.01, 0.01, 0.01);
    json_object_set_new(node_of(&d, joint_of(&d, 1)), "mesh", json_integer(0));
    expect_error(pm_motion_apply_scale(read_changed(&d), &made, NULL, new_error()), PM_ERROR_FILE,
                 "a mesh without a skin");
    assert_null(made);
}

TEST_GROUP(test_folder_enter, test_folder_leave)
