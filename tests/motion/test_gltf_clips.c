/* SPDX-License-Identifier: MIT
 *
 * glTF files with a clip that cannot be read, or that moves no node, among others: the others are
 * read and resampled, the clip is named and written as it was found.
 */
#include <jansson.h>
#include <math.h>
#include <posemill/posemill_motion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "motion.h"
#include "support/gltf_generator.h"
#include "support/motion_files.h"
#include "support/test_folder.h"

/* ---- documents ----------------------------------------------------------------------------- */

enum { KEYS = 3, TIMES = 5, BIN = 4 * KEYS * TIMES + 16 * KEYS + 16 * KEYS };

/* Accessors: 0 times, 1 rotations, 2 doubled, 3 falling, 4 below 0 and 5 NaN times, 6 zeros for
 * rotations, 7 two times, 8 more than there are bytes, 9 a sparse one with indices that fall. */
static const char accessors[] =
    "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\",\"min\":[0],\"max\":[1]},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"},"
    "{\"bufferView\":0,\"byteOffset\":12,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"
    "{\"bufferView\":0,\"byteOffset\":24,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"
    "{\"bufferView\":0,\"byteOffset\":36,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"
    "{\"bufferView\":0,\"byteOffset\":48,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"
    "{\"bufferView\":2,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"},"
    "{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"min\":[0],\"max\":[0.5]},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":4,\"type\":\"VEC4\"},"
    "{\"componentType\":5126,\"count\":3,\"type\":\"VEC4\",\"sparse\":{\"count\":2,\"indices\":{"
    "\"bufferView\":2,\"componentType\":5125},\"values\":{\"bufferView\":1}}}";

static void fill(unsigned char bin[BIN]) {
    static const float times[TIMES][KEYS] = {
        {0, 0.5F, 1}, {0, 1, 1}, {0, 1, 0.5F}, {-1, 0, 1}, {0, NAN, 1}};
    static const float rotations[KEYS][4] = {{0, 0, 0, 1}, {0, 1, 0, 0}, {0.6F, 0, 0, 0.8F}};
    memset(bin, 0, BIN);
    memcpy(bin, times, sizeof times);
    memcpy(bin + sizeof times, rotations, sizeof rotations);
}

#define GOOD(name)                                                                                 \
    "{\"name\":\"" name "\",\"samplers\":[{\"input\":0,\"output\":1}],"                            \
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}]}"

/* A file with these animations; free it. */
static unsigned char *make_file(const char *animations, size_t *size) {
    unsigned char bin[BIN];
    char json[8192];
    fill(bin);
    const int length = snprintf(
        json, sizeof json,
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%d}],\"bufferViews\":["
        "{\"buffer\":0,\"byteLength\":60},{\"buffer\":0,\"byteOffset\":60,\"byteLength\":48},"
        "{\"buffer\":0,\"byteOffset\":108,\"byteLength\":48}],\"accessors\":[%s],"
        "\"nodes\":[{\"name\":\"a\"},{\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],"
        "\"animations\":[%s]}",
        BIN, accessors, animations);
    assert_true(length > 0 && (size_t)length < sizeof json);
    return glb_assemble(json, bin, BIN, size);
}

#define TARGET(sampler, node, path)                                                                \
    "{\"sampler\":" sampler ",\"target\":{\"node\":" node ",\"path\":\"" path "\"}}"
#define CHANNEL TARGET("0", "0", "rotation")
#define MEMBERS(input, output, channels)                                                           \
    "\"samplers\":[{\"input\":" input ",\"output\":" output "}],\"channels\":[" channels "]"

/* The members of an animation after its name, and where its fault is. */
static const struct {
    const char *members, *pointer;
} faulty[] = {
    {MEMBERS("2", "1", CHANNEL), "/samplers/0/input: key 1 is at 1 s and key 2 at 1 s"},
    {MEMBERS("3", "1", CHANNEL), "/samplers/0/input: key 1"},
    {MEMBERS("4", "1", ""), "/samplers/0/input: key 0"},
    {MEMBERS("5", "1", ""), "is not finite"},
    {MEMBERS("7", "1", CHANNEL), "/samplers/0/output: /accessors/1 has 3 elements"},
    {MEMBERS("0", "8", CHANNEL), "4 elements of 16 bytes"},
    {MEMBERS("0", "9", CHANNEL), "expected a rising one"},
    {MEMBERS("0", "6", CHANNEL), "expected a unit quaternion"},
    {MEMBERS("0", "1", TARGET("0", "0", "translation")), "is VEC4; expected VEC3"},
    {MEMBERS("10", "1", ""), "/samplers/0/input: refers to element 10 of 10"},
    {MEMBERS("0", "11", ""), "/samplers/0/output: refers"},
    {MEMBERS("0", "1", TARGET("3", "0", "rotation")), "/channels/0/sampler: refers"},
    {MEMBERS("0", "1", TARGET("0", "7", "rotation")), "/channels/0/target/node: refers"},
    {MEMBERS("0", "1", TARGET("0", "1", "rotation")), "node 1 has a matrix"},
    {MEMBERS("0", "1", CHANNEL "," CHANNEL), "/channels/1/target: an earlier channel"},
    {"\"samplers\":[{\"input\":0,\"output\":1,\"interpolation\":\"BEZIER\"}],\"channels\":[]",
     "/samplers/0/interpolation: is 'BEZIER'"},
    {"\"samplers\":[{\"input\":0,\"output\":1}]", "/channels: is missing"},
    {"\"samplers\":{},\"channels\":[]", "/samplers: is an object"},
    {"\"samplers\":[7],\"channels\":[]", "/samplers/0: is a number"},
};
enum { FAULTY = COUNT_OF(faulty) };

static unsigned char *make_faulty(size_t i, size_t *size) {
    char animations[2048];
    (void)snprintf(animations, sizeof animations, "%s,{\"name\":\"b\\u0007d\",%s},%s", GOOD("one"),
                   faulty[i].members, GOOD("three"));
    return make_file(animations, size);
}

/* ---- reading ------------------------------------------------------------------------------- */

static pm_status parse(const void *data, size_t size, bool strict, test_log *warnings,
                       pm_motion **opened, pm_error *error) {
    const pm_motion_read_options options = {
        .strict = strict, .log = test_log_add, .log_user = warnings};
    *warnings = (test_log){0};
    *opened = NULL;
    return pm_motion_parse(data, size, "", NULL, &options, opened, error);
}

static void expect_set_aside(const pm_motion *opened, size_t i) {
    const pm_motion_content *content = pm_motion_get_content(opened);
    assert_int_equal(content->clip_count, 3);
    for (size_t clip = 0; clip < 3; clip += 2) {
        assert_null(content->clips[clip].fault);
        assert_int_equal(content->clips[clip].channel_count, 1);
    }
    assert_int_equal(content->clips[1].channel_count, 0);
    assert_int_equal(content->clips[1].timeline_count, 0);
    assert_string_equal(content->clips[1].name.text, "b\ad");
    if (!content->clips[1].fault || !strstr(content->clips[1].fault, faulty[i].pointer))
        fail_msg("%zu: the fault is '%s'; expected '%s'", i, content->clips[1].fault,
                 faulty[i].pointer);
}

TEST(a_clip_with_a_fault_leaves_the_others) {
    for (size_t i = 0; i < FAULTY; i++) {
        test_log warnings;
        size_t size = 0;
        SCOPED(free_at) unsigned char *file = make_faulty(i, &size);
        pm_motion *opened = NULL;
        expect_success(parse(file, size, false, &warnings, &opened, new_error()));
        expect_set_aside(opened, i);
        assert_non_null(strstr(warnings.text, "/animations/1: clip 'b\\x07d' is carried over"));
        assert_non_null(strstr(warnings.text, faulty[i].pointer));
        pm_motion_destroy(&opened);
        expect_error(parse(file, size, true, &warnings, &opened, new_error()), PM_ERROR_FILE,
                     "(clip 'b\\x07d')");
    }
}

/* ---- resampling ---------------------------------------------------------------------------- */

/* The JSON of an animation of a GLB file. */
static json_t *animation_of(const char *data, size_t clip) {
    uint32_t size = 0;
    memcpy(&size, data + 12, sizeof size);
    SCOPED(json_decrefp) json_t *root = json_loadb(data + 20, size, JSON_ALLOW_NUL, NULL);
    assert_non_null(root);
    return json_incref(json_array_get(json_object_get(root, "animations"), clip));
}

/* Accessors that exist are renumbered. */
static void mask_references(json_t *animation) {
    const json_t *samplers = json_object_get(animation, "samplers");
    for (size_t i = 0; i < json_array_size(samplers); i++) {
        json_t *sampler = json_array_get(samplers, i);
        json_object_del(sampler, "input");
        json_object_del(sampler, "output");
    }
}

static void expect_as_found(const void *file, const char *output) {
    SCOPED(json_decrefp)
    json_t *before = animation_of(file, 1), *after = animation_of(output, 1);
    mask_references(before);
    mask_references(after);
    assert_true(json_equal(before, after));
}

TEST(what_is_written_has_the_clip_as_it_was_found) {
    char path[64];
    SCOPED(pm_engine_destroy) pm_engine *engine = test_reference();
    (void)snprintf(path, sizeof path, "test_gltf_clips_%ld.glb", (long)getpid());
    for (size_t i = 0; i < FAULTY; i++) {
        test_log warnings;
        size_t size = 0, written = 0;
        SCOPED(free_at) unsigned char *file = make_faulty(i, &size);
        SCOPED(pm_motion_destroy) pm_motion *opened = NULL, *again = NULL;
        pm_motion_resample_report report;
        const pm_motion_resample_options options = {.rate = {10, 1}, .authored = true};
        expect_success(parse(file, size, false, &warnings, &opened, new_error()));
        expect_success(pm_motion_resample(opened, engine, &options, path, &report, new_error()));
        assert_int_equal(report.samples, 22);
        SCOPED(free_at) char *output = test_folder_read(path, &written);
        expect_success(parse(output, written, false, &warnings, &again, new_error()));
        const pm_motion_content *content = pm_motion_get_content(again);
        assert_int_equal(content->clips[0].timelines[0].key_count, 11);
        assert_int_equal(content->clips[2].timelines[0].key_count, 11);
        assert_non_null(content->clips[1].fault);
        expect_as_found(file, output);
    }
    (void)remove(path);
}

TEST(a_clip_with_a_fault_is_refused_by_its_name_where_it_is_chosen) {
    static const size_t chosen[2] = {0, 1};
    test_log warnings;
    size_t size = 0;
    SCOPED(free_at) unsigned char *file = make_faulty(0, &size);
    SCOPED(pm_engine_destroy) pm_engine *engine = test_reference();
    SCOPED(pm_motion_destroy) pm_motion *opened = NULL, *copy = NULL;
    pm_motion_resample_options options = {
        .rate = {10, 1}, .authored = true, .clips = chosen, .clip_count = 2};
    expect_success(parse(file, size, false, &warnings, &opened, new_error()));
    expect_error(pm_motion_resample_copy(opened, engine, &options, &copy, NULL, new_error()),
                 PM_ERROR_FILE, "clip 1 'b\\x07d': /animations/1/samplers/0/input: key 1");
    options.clip_count = 1;
    expect_success(pm_motion_resample_copy(opened, engine, &options, &copy, NULL, new_error()));
    assert_string_equal(pm_motion_get_content(copy)->clips[1].fault,
                        pm_motion_get_content(opened)->clips[1].fault);
    const pm_motion_convert_options conversion = {.format = PM_MOTION_BVH, .clip = 1};
    expect_error(pm_motion_convert(opened, &conversion, "not_written.bvh", new_error()),
                 PM_ERROR_FILE, "clip 1 'b\\x07d': /animations/1/samplers/0/input: key 1");
}

/* ---- clips that move no node --------------------------------------------------------------- */

TEST(a_clip_that_moves_no_node_is_named_and_carried_over) {
    static const char pointer[] =
        "{\"name\":\"fade\",\"samplers\":[{\"input\":0,\"output\":0}],\"channels\":[{\"sampler\":0,"
        "\"target\":{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":{"
        "\"pointer\":\"/materials/0/x\"}}}}]}";
    char animations[2048];
    test_log warnings;
    size_t size = 0;
    SCOPED(pm_engine_destroy) pm_engine *engine = test_reference();
    pm_motion *opened = NULL, *copy = NULL;
    const pm_motion_resample_options options = {.rate = {10, 1}, .authored = true};
    (void)snprintf(animations, sizeof animations, "%s,%s", pointer, GOOD("two"));
    SCOPED(free_at) unsigned char *file = make_file(animations, &size);
    expect_success(parse(file, size, false, &warnings, &opened, new_error()));
    assert_non_null(strstr(warnings.text, "clip 'fade' is carried over"));
    expect_success(pm_motion_resample_copy(opened, engine, &options, &copy, NULL, new_error()));
    assert_int_equal(pm_motion_get_content(copy)->clips[1].timelines[0].key_count, 11);
    assert_null(pm_motion_get_content(copy)->clips[0].fault);
    pm_motion_destroy(&copy);
    pm_motion_destroy(&opened);
    SCOPED(free_at) unsigned char *alone = make_file(pointer, &size);
    expect_success(parse(alone, size, false, &warnings, &opened, new_error()));
    expect_error(pm_motion_resample_copy(opened, engine, &options, &copy, NULL, new_error()),
                 PM_ERROR_FILE, "clip 0 'fade'");
    pm_motion_destroy(&opened);
}
