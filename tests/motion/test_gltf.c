/* SPDX-License-Identifier: MIT
 *
 * Tests of reading glTF and GLB: generated documents against the values they were made of, and each
 * kind of invalid document against the JSON pointer of its fault.
 */
#include <math.h>
#include <posemill/posemill_motion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "motion.h"
#include "support/gltf_generator.h"
#include "support/motion_files.h"

/* ---- helpers ------------------------------------------------------------------------------- */

static pm_status parse(const char *text, size_t size, bool is_strict, test_log *log,
                       pm_motion **opened, pm_error *error) {
    const pm_motion_read_options options = {
        .strict = is_strict, .log = log ? test_log_add : NULL, .log_user = log};
    *opened = NULL;
    return pm_motion_parse(text, size, "", NULL, &options, opened, error);
}

static pm_motion *read_ok(const char *text, test_log *log) {
    pm_motion *opened = NULL;
    if (parse(text, strlen(text), false, log, &opened, new_error()) != PM_OK)
        fail_msg("%s\nis refused: %s", text, last_error()->message);
    assert_non_null(opened);
    return opened;
}

/* Whether a clip, of several, has a fault there. */
static bool has_faulty_clip(const pm_motion *opened, const char *pointer) {
    const pm_motion_content *content = pm_motion_get_content(opened);
    for (size_t i = 0; i < content->clip_count; i++)
        if (content->clips[i].fault &&
            strncmp(content->clips[i].fault, pointer, strlen(pointer)) == 0)
            return true;
    return false;
}

/* Fails unless the text, or a clip, is refused with a message that begins with the pointer. */
static void expect_pointer(const char *text, const char *pointer) {
    pm_motion *opened = NULL;
    char expected[256];
    const pm_status status = parse(text, strlen(text), false, NULL, &opened, new_error());
    if (status == PM_OK && has_faulty_clip(opened, pointer)) {
        pm_motion_destroy(&opened);
        return;
    }
    if (status == PM_OK)
        fail_msg("%s\nis read; expected a fault at %s", text, pointer);
    assert_int_equal(status, PM_ERROR_FILE);
    assert_int_equal(last_error()->status, PM_ERROR_FILE);
    assert_null(opened);
    (void)snprintf(expected, sizeof expected, ": %s: ", pointer);
    if (strncmp(last_error()->message, expected, strlen(expected)) != 0)
        fail_msg("%s\nsays '%s'; expected %s", text, last_error()->message, pointer);
}

/* A copy of `text` with the first `from` replaced. */
static char *replaced(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    if (!at)
        fail_msg("'%s' is not in the text", from);
    char *copy = test_array(strlen(text) + strlen(to) + 1, 1);
    const size_t before = (size_t)(at - text);
    memcpy(copy, text, before);
    (void)strcpy(copy + before, to);
    (void)strcat(copy + before, at + strlen(from));
    return copy;
}

/* ---- generated documents ------------------------------------------------------------------- */

static float key_of(const pm_array *array, size_t key, size_t component) {
    float value;
    assert_int_equal(array->type, PM_FLOAT32);
    memcpy(&value, (const char *)array->data + key * array->stride + component * sizeof value,
           sizeof value);
    return value;
}

/* A rotation whose length is not within 1e-3 of 1 is normalised, but not that of a cubic spline. */
static double divisor_of(const generated_track *t, const float *value) {
    double sum = 0.0;
    for (size_t i = 0; i < t->components; i++)
        sum += (double)value[i] * (double)value[i];
    const bool is_normalised =
        strcmp(t->path, "rotation") == 0 && strcmp(t->interpolation, "CUBICSPLINE") != 0;
    return is_normalised && fabs(sqrt(sum) - 1.0) > 1e-3 ? sqrt(sum) : 1.0;
}

static void expect_values(const generated_track *t, const pm_array *array, size_t part) {
    const size_t parts = strcmp(t->interpolation, "CUBICSPLINE") == 0 ? 3 : 1;
    for (size_t k = 0; k < t->key_count; k++) {
        const float *value = t->values + (k * parts + part) * t->components;
        const double divisor = divisor_of(t, t->values + (k * parts + parts / 2) * t->components);
        for (size_t i = 0; i < t->components; i++)
            if (key_of(array, k, i) != (float)((double)value[i] / divisor))
                fail_msg("clip %zu node %zu %s %s of %u: key %zu part %zu is %.9g, expected %.9g",
                         t->clip, t->node, t->path, t->interpolation, t->component_type, k, part,
                         (double)key_of(array, k, i), (double)value[i] / divisor);
    }
}

static void expect_track(const generated_track *t, const pm_motion_clip *clip,
                         const pm_motion_channel *c) {
    static const char *const paths[] = {"rotation", "translation", "scale", "weights"};
    static const char *const interpolations[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    const bool is_cubic = strcmp(t->interpolation, "CUBICSPLINE") == 0;
    assert_int_equal(c->node, t->node);
    assert_string_equal(paths[c->path], t->path);
    assert_string_equal(interpolations[c->interpolation], t->interpolation);
    assert_int_equal(c->components, t->components);
    assert_true(c->timeline < clip->timeline_count);
    const pm_timeline *timeline = &clip->timelines[c->timeline];
    assert_int_equal(timeline->key_count, t->key_count);
    for (size_t k = 0; k < t->key_count; k++)
        assert_true(timeline->times[k] == (double)t->times[k]);
    expect_values(t, &c->keys, is_cubic ? 1 : 0);
    assert_int_equal(c->in.data != NULL, is_cubic);
    assert_int_equal(c->out.data != NULL, is_cubic);
    if (!is_cubic)
        return;
    expect_values(t, &c->in, 0);
    expect_values(t, &c->out, 2);
}

static void expect_file(const generated_file *file, const pm_motion_content *content) {
    size_t t = 0;
    assert_int_equal(content->node_count, file->node_count);
    assert_int_equal(content->clip_count, file->clip_count);
    for (size_t i = 0; i < file->node_count; i++)
        assert_int_equal(content->nodes[i].parent, (int)i - 1);
    for (size_t i = 0; i < file->clip_count; i++)
        for (size_t c = 0; c < content->clips[i].channel_count; c++, t++) {
            assert_true(t < file->track_count);
            assert_int_equal(file->tracks[t].clip, i);
            expect_track(&file->tracks[t], &content->clips[i], &content->clips[i].channels[c]);
        }
    assert_int_equal(t, file->track_count);
}

TEST(generated_documents_are_read_exactly) {
    random_source source = random_salted(0x91f);
    for (size_t i = 0; i < 400; i++) {
        generated_file *file = gltf_generate(&source);
        /* Any alignment: a caller's bytes may begin anywhere. */
        const size_t shift = random_size(&source, 0, 3);
        SCOPED(free_at) char *bytes = test_array(file->size + shift, 1);
        memcpy(bytes + shift, file->data, file->size);
        SCOPED(pm_motion_destroy) pm_motion *opened = NULL;
        expect_success(parse(bytes + shift, file->size, false, NULL, &opened, new_error()));
        const pm_motion_content *content = pm_motion_get_content(opened);
        assert_int_equal(content->format, file->is_binary ? PM_MOTION_GLB : PM_MOTION_GLTF);
        expect_file(file, content);
        gltf_generated_free(file);
    }
}

/* ---- one document and its faults ----------------------------------------------------------- */

/* Two nodes, the second with a mesh of two morph targets. Its 80 bytes are
 * the times 0, 0.5, 1 and 2 and four quaternions, which serve as vectors and weights too. */
#define BIN                                                                                        \
    "data:application/octet-stream;base64,AAAAAAAAAD8AAIA/AAAAQAAAAAAAAAAAAAAAAAAA"                \
    "gD8AAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAA="

static const char valid[] =
    "{\"asset\":{\"version\":\"2.0\"},"
    "\"nodes\":[{\"name\":\"a\",\"children\":[1]},{\"name\":\"b\",\"mesh\":0}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{},\"targets\":[{},{}]}]}],"
    "\"skins\":[{\"joints\":[0,1]}],"
    "\"buffers\":[{\"byteLength\":80,\"uri\":\"" BIN "\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":16},"
    "{\"buffer\":0,\"byteOffset\":16,\"byteLength\":64}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"SCALAR\","
    "\"min\":[0],\"max\":[2]},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":4,\"type\":\"VEC4\"},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":8,\"type\":\"SCALAR\"}],"
    "\"animations\":[{\"name\":\"c\",\"samplers\":[{\"input\":0,\"output\":1},"
    "{\"input\":0,\"output\":2,\"interpolation\":\"STEP\"},{\"input\":0,\"output\":3}],"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}},"
    "{\"sampler\":1,\"target\":{\"node\":1,\"path\":\"scale\"}},"
    "{\"sampler\":2,\"target\":{\"node\":1,\"path\":\"weights\"}}]}]}";

TEST(a_document_gives_nodes_clips_and_skins) {
    test_log log = {0};
    SCOPED(pm_motion_destroy) pm_motion *opened = read_ok(valid, &log);
    const pm_motion_content *content = pm_motion_get_content(opened);
    assert_int_equal(log.count, 0);
    assert_int_equal(content->node_count, 2);
    assert_string_equal(content->nodes[0].name.text, "a");
    assert_int_equal(content->nodes[0].parent, -1);
    assert_int_equal(content->nodes[1].parent, 0);
    assert_true(content->nodes[0].rotation[3] == 1.0 && content->nodes[0].scale[2] == 1.0);
    assert_int_equal(content->skin_count, 1);
    assert_int_equal(content->skins[0].joint_count, 2);
    assert_null(content->skins[0].inverse_binds);
    assert_int_equal(content->clip_count, 1);
    const pm_motion_clip *clip = &content->clips[0];
    assert_int_equal(clip->timeline_count, 1);
    assert_int_equal(clip->channel_count, 3);
    assert_int_equal(clip->channels[2].components, 2);
    assert_int_equal(clip->rate.den, 0);
    assert_string_equal(content->layout, "");
}

/* Each line changes one thing of the document, and names the place of the fault. */
static const struct {
    const char *from, *to, *pointer;
} faults[] = {
    {"\"asset\"", "\"assets\"", "/asset"},
    {"\"2.0\"", "\"1.0\"", "/asset/version"},
    {"\"2.0\"", "2.0", "/asset/version"},
    {"\"2.0\"", "\"2.0\",\"minVersion\":\"2.1\"", "/asset/minVersion"},
    {"\"nodes\":", "\"extensionsRequired\":[\"EXT_odd\"],\"nodes\":", "/extensionsRequired/0"},
    {"\"nodes\":", "\"extensionsRequired\":[1],\"nodes\":", "/extensionsRequired/0"},
    {"\"nodes\":[", "\"nodes\":[7,", "/nodes/0"},
    {"\"children\":[1]", "\"children\":[2]", "/nodes/0/children/0"},
    {"\"children\":[1]", "\"children\":[1,1]", "/nodes/0/children/1"},
    {"\"children\":[1]", "\"children\":[0]", "/nodes/0/children"},
    {"\"mesh\":0}", "\"mesh\":0,\"children\":[0]}", "/nodes/0/children"},
    {"\"name\":\"b\"", "\"name\":1", "/nodes/1/name"},
    {"\"name\":\"b\"", "\"rotation\":[0,0,0,0]", "/nodes/1/rotation"},
    {"\"name\":\"b\"", "\"rotation\":[0,0,1]", "/nodes/1/rotation"},
    {"\"name\":\"b\"", "\"scale\":[0,\"1\",1]", "/nodes/1/scale/1"},
    {"\"name\":\"b\"", "\"matrix\":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1],\"scale\":[1,1,1]",
     "/nodes/1/matrix"},
    {"\"name\":\"b\"", "\"matrix\":[1,0,0,1, 0,1,0,0, 0,0,1,0, 0,0,0,1]", "/nodes/1/matrix"},
    {"\"joints\":[0,1]", "\"joints\":[]", "/skins/0/joints"},
    {"\"joints\":[0,1]", "\"joints\":[0,2]", "/skins/0/joints/1"},
    {"\"joints\":[0,1]", "\"joints\":[0,-1]", "/skins/0/joints/1"},
    {"\"joints\":[0,1]", "\"joints\":[0,1],\"inverseBindMatrices\":1",
     "/skins/0/inverseBindMatrices"},
    {"\"joints\":[0,1]", "\"joints\":[0,1],\"inverseBindMatrices\":4",
     "/skins/0/inverseBindMatrices"},
    {"\"byteLength\":80", "\"byteLength\":81", "/buffers/0/byteLength"},
    {"\"byteLength\":80", "\"byteLength\":0", "/buffers/0/byteLength"},
    {"\"byteLength\":80", "\"byteLength\":80.5", "/buffers/0/byteLength"},
    {";base64", ";base6", "/buffers/0/uri"},
    {"AAAA=\"", "AAA=\"", "/buffers/0/uri"},
    {"AAAA=\"", "AA=AA\"", "/buffers/0/uri"},
    {"AAAA=\"", "AAAB=\"", "/buffers/0/uri"},
    {"AAAA=\"", "AA*A=\"", "/buffers/0/uri"},
    {"data:", "http:", "/buffers/0/uri"},
    {"data:application/octet-stream;base64,", "a.bin", "/buffers/0/uri"},
    {"\"byteLength\":16}", "\"byteLength\":81}", "/bufferViews/0/byteLength"},
    {"\"byteOffset\":16,\"byteLength\":64", "\"byteOffset\":17,\"byteLength\":64",
     "/bufferViews/1/byteLength"},
    {"\"byteOffset\":16,\"byteLength\":64", "\"byteOffset\":9007199254740992,\"byteLength\":64",
     "/bufferViews/1/byteLength"},
    {"\"byteOffset\":16,\"byteLength\":64", "\"byteOffset\":15,\"byteLength\":64",
     "/accessors/1/byteOffset"},
    {"{\"buffer\":0,", "{\"buffer\":1,", "/bufferViews/0/buffer"},
    {"\"byteLength\":64}", "\"byteLength\":64,\"byteStride\":16}", /* of 12 bytes */
     "/animations/0/samplers/1/output"},
    {"\"bufferView\":0", "\"bufferView\":2", "/accessors/0/bufferView"},
    {"5126,\"count\":4,\"type\":\"SCALAR\"", "5124,\"count\":4,\"type\":\"SCALAR\"",
     "/accessors/0/componentType"},
    {"\"count\":4", "\"count\":5", "/accessors/0"},
    {"\"count\":4", "\"count\":4611686018427387904", "/accessors/0/count"},
    {"\"count\":4", "\"count\":4503599627370496", "/accessors/0"},
    {"\"type\":\"SCALAR\"", "\"type\":\"VEC5\"", "/accessors/0/type"},
    {"\"count\":4,\"type\":\"SCALAR\"", "\"count\":1,\"type\":\"VEC4\"",
     "/animations/0/samplers/0/input"},
    {"\"count\":4,\"type\":\"SCALAR\"", "\"count\":4,\"normalized\":true,\"type\":\"SCALAR\"",
     "/animations/0/samplers/0/input"},
    {"\"type\":\"VEC4\"", "\"type\":\"VEC3\"", "/animations/0/samplers/0/output"},
    {"\"count\":8", "\"count\":4", "/animations/0/samplers/2/output"},
    {"\"count\":8", "\"count\":9", "/animations/0/samplers/2/output"},
    {"5126,\"count\":4,\"type\":\"VEC4\"", "5121,\"count\":4,\"type\":\"VEC4\"",
     "/animations/0/samplers/0/output"},
    {"5126,\"count\":4,\"type\":\"VEC3\"", "5121,\"normalized\":true,\"count\":4,\"type\":\"VEC3\"",
     "/animations/0/samplers/1/output"},
    {"\"output\":1}", "\"output\":1,\"interpolation\":\"CUBICSPLINE\"}",
     "/animations/0/samplers/0/output"},
    {"{\"input\":0,", "{", "/animations/0/samplers/0/input"},
    {"\"sampler\":0,", "", "/animations/0/channels/0/sampler"},
    {",\"path\":\"rotation\"", "", "/animations/0/channels/0/target/path"},
    {"\"node\":1,\"path\":\"weights\"", "\"node\":0,\"path\":\"weights\"",
     "/animations/0/channels/2/target/path"},
    {"\"samplers\":", "\"sampler\":", "/animations/0/samplers"},
    {"\"animations\":[{", "\"animations\":[3,{", "/animations/0"},
    {"AAAAAAAAAD8AAIA/AAAAQAAA", "AAAAAAAAAD8AAIA/AACAfwAA",
     "/animations/0/samplers/0/input"}, /* infinite */
    {"AAAAAAAAAD8AAIA/AAAAQAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAA=",
     "AAAAAAAAAD8AAIA/AAAAQAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAwH8AAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAA=",
     "/animations/0/samplers/0/output"}, /* a quaternion that is NaN */
};

TEST(each_fault_is_named_by_its_pointer) {
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        SCOPED(free_at) char *text = replaced(valid, faults[i].from, faults[i].to);
        expect_pointer(text, faults[i].pointer);
    }
}

/* Each line is read, with a warning if there is one, which `strict` refuses. */
static const struct {
    const char *from, *to, *warning;
} oddities[] = {
    {"\"min\":[0],", "", "/accessors/0/min"},
    {"\"max\":[2]", "\"max\":[3]", "/accessors/0/max"},
    {"\"byteLength\":16}", "\"byteLength\":16,\"byteStride\":4}", "/animations/0/samplers/0/input"},
    {"\"name\":\"b\"", "\"rotation\":[0,0,0,2]", "/nodes/1/rotation"},
    {"\"name\":\"a\"", "\"name\":\"a\",\"rotation\":[0,0,0,1.0005]", NULL},
    {"\"path\":\"scale\"", "\"path\":\"visibility\"", "/animations/0/channels/1/target/path"},
    {"\"node\":1,\"path\":\"scale\"", "\"path\":\"anything\"", NULL},
    {"\"count\":8", "\"count\":8.0", NULL},
    {"{\"asset\"", "\xef\xbb\xbf{\"asset\"", NULL},
    {"\"nodes\":", "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"nodes\":", NULL},
    {"\"path\":\"rotation\"", "\"path\":\"rotation\",\"extensions\":{\"X\":{}}", NULL},
};

TEST(oddities_are_read_with_a_warning) {
    for (size_t i = 0; i < COUNT_OF(oddities); i++) {
        SCOPED(free_at) char *text = replaced(valid, oddities[i].from, oddities[i].to);
        test_log log = {0};
        pm_motion *opened = read_ok(text, &log);
        pm_motion_destroy(&opened);
        if (oddities[i].warning) {
            assert_non_null(strstr(log.text, oddities[i].warning));
            expect_error(parse(text, strlen(text), true, NULL, &opened, new_error()), PM_ERROR_FILE,
                         oddities[i].warning);
        }
    }
}

/* A file cannot flood the log. */
TEST(warnings_are_limited) {
    enum { NODES = 500 };
    char *text = test_array(NODES * 40 + 100, 1), *end = text;
    test_log log = {0};
    end += sprintf(end, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (int i = 0; i < NODES; i++)
        end += sprintf(end, "%s{\"rotation\":[0,0,0,2]}", i ? "," : "");
    (void)sprintf(end, "]}");
    SCOPED(pm_motion_destroy) pm_motion *opened = read_ok(text, &log);
    assert_int_equal(log.count, 21);
    assert_non_null(strstr(log.text, "left out"));
    free(text);
}

TEST(channels_without_a_node_are_not_duplicates) {
    SCOPED(free_at)
    char *text = replaced(valid, "{\"node\":1,\"path\":\"scale\"}", "{\"path\":\"rotation\"}");
    SCOPED(pm_motion_destroy) pm_motion *opened = read_ok(text, NULL);
    assert_int_equal(pm_motion_get_content(opened)->clips[0].channel_count, 2);
}

TEST(animation_pointers_are_reported) {
    SCOPED(free_at)
    char *text = replaced(valid, "{\"node\":1,\"path\":\"scale\"}",
                          "{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":"
                          "{\"pointer\":\"/nodes/0/scale\"}}}");
    test_log log = {0};
    SCOPED(pm_motion_destroy) pm_motion *opened = read_ok(text, &log);
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.text, "KHR_animation_pointer"));
    assert_int_equal(pm_motion_get_content(opened)->clips[0].channel_count, 2);
}

/* The matrix of a known translation, rotation and scale gives them back. */
TEST(matrices_are_decomposed) {
    random_source source = random_salted(0x93f);
    for (size_t i = 0; i < 200; i++) {
        double q[4], r[9], s[3], t[3];
        char matrix[600], *end = matrix;
        random_quaternion(&source, q);
        for (size_t k = 0; k < 3; k++) {
            t[k] = random_between(&source, -50.0, 50.0);
            s[k] = random_between(&source, 0.1, 9.0);
        }
        if (i % 2)
            s[0] = -s[0]; /* a mirror */
        const double x = q[0], y = q[1], z = q[2], w = q[3];
        const double rows[9] = {
            1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
            2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
            2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
        memcpy(r, rows, sizeof r);
        end += snprintf(end, 64, "\"matrix\":[");
        for (size_t c = 0; c < 3; c++)
            end += snprintf(end, 128, "%.17g,%.17g,%.17g,0,", r[c] * s[c], r[3 + c] * s[c],
                            r[6 + c] * s[c]);
        (void)snprintf(end, 128, "%.17g,%.17g,%.17g,1]", t[0], t[1], t[2]);
        SCOPED(free_at) char *text = replaced(valid, "\"name\":\"a\"", matrix);
        SCOPED(free_at)
        char *moved =
            replaced(text, "\"node\":0,\"path\":\"rotation\"", "\"node\":1,\"path\":\"rotation\"");
        SCOPED(pm_motion_destroy) pm_motion *opened = read_ok(moved, NULL);
        const pm_motion_node *node = &pm_motion_get_content(opened)->nodes[0];
        double dot = 0.0;
        for (size_t k = 0; k < 4; k++)
            dot += node->rotation[k] * q[k];
        assert_true(fabs(fabs(dot) - 1.0) < 1e-12);
        for (size_t k = 0; k < 3; k++) {
            assert_true(fabs(node->position[k] - t[k]) < 1e-12);
            assert_true(fabs(node->scale[k] - s[k]) < 1e-12);
        }
    }
}
