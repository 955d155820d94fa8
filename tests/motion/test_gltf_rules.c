/* SPDX-License-Identifier: MIT
 *
 * Every way to write glTF keeps the rules of the specification: files made of BVH, AMC and arrays, files
 * that are written again, and what each step makes of them. Each rule can be broken. Channels that do not
 * move have one key, with the same values at all times; skins are those of the rest pose.
 */
#include <posemill/posemill_motion.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/model/model.h"
#include "support/file_bytes.h"
#include "support/gltf_generator.h"
#include "support/gltf_rules.h"
#include "support/motion_files.h"
#include "support/motion_hand.h"
#include "support/motion_truth.h"
#include "support/test_folder.h"

#define WALK POSEMILL_SOURCE_DIR "/examples/walk.bvh"

/* ---- the rules themselves ------------------------------------------------------------------ */

/* Times, translations, rotations, and matrices. */
enum { TIMES = 0, PLACES = 2, TURNS = 8, BINDS = 16, NUMBERS = 48 };

static const char valid[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
    "\"nodes\":[{\"name\":\"a\",\"children\":[1]},{\"rotation\":[0,0,0,1]},{}],"
    "\"skins\":[{\"joints\":[0,1],\"skeleton\":0,\"inverseBindMatrices\":3}],"
    "\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1},{\"input\":0,\"output\":2}],"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}},"
    "{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"rotation\"}}]}],"
    "\"buffers\":[{\"byteLength\":192}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":64},"
    "{\"buffer\":0,\"byteOffset\":64,\"byteLength\":128}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\","
    "\"min\":[0.5],\"max\":[1.25]},"
    "{\"bufferView\":0,\"byteOffset\":8,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"},"
    "{\"bufferView\":0,\"byteOffset\":32,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"MAT4\"}]}";

static void fill_numbers(float numbers[NUMBERS]) {
    memset(numbers, 0, NUMBERS * sizeof *numbers);
    numbers[TIMES] = 0.5F;
    numbers[TIMES + 1] = 1.25F;
    numbers[TURNS] = numbers[TURNS + 7] = 1;
    for (size_t i = 0; i < 8; i++)
        numbers[BINDS + 16 * (i / 4) + 5 * (i % 4)] = 1;
}

/* The file with other words in place of some, and another number. */
static unsigned char *break_file(const char *from, const char *to, size_t index, float number,
                                 size_t *size) {
    float numbers[NUMBERS];
    SCOPED(bytes_free) file_bytes json = {0};
    const char *at = from ? strstr(valid, from) : valid;
    assert_non_null(at);
    bytes_add(&json, valid, (size_t)(at - valid));
    bytes_add(&json, to, from ? strlen(to) : 0);
    at += from ? strlen(from) : 0;
    bytes_add(&json, at, strlen(at) + 1);
    fill_numbers(numbers);
    if (index < NUMBERS)
        numbers[index] = number;
    return glb_assemble(json.data, numbers, sizeof numbers, size);
}

static void expect_fault(const char *from, const char *to, size_t index, float number,
                         const char *words) {
    char fault[GLTF_FAULT_SIZE];
    size_t size = 0;
    unsigned char *file = break_file(from, to, index, number, &size);
    const char *found = gltf_find_fault(file, size, fault);
    if (!found || !words || !strstr(found, words))
        fail_msg("'%s' for '%s': found '%s', expected '%s'", from ? from : "", to ? to : "",
                 found ? found : "nothing", words ? words : "nothing");
    free(file);
}

TEST(each_rule_can_be_broken) {
    static const struct {
        const char *from, *to, *words;
    } texts[] = {
        {"\"2.0\"", "\"1.0\"", "asset"},
        {"\"scene\":0", "\"scene\":1", "scene"},
        {"{\"nodes\":[0]}", "{\"nodes\":[1]}", "no root"},
        {"{\"nodes\":[0]}", "{\"nodes\":[0,0]}", "twice"},
        {"{\"nodes\":[0]}", "{\"nodes\":[]}", "empty array"},
        {"\"name\":\"a\"", "\"name\":5", "name"},
        {"\"children\":[1]", "\"children\":[3]", "children"},
        {",{}]", ",{\"children\":[1]}]", "two parents"},
        {"{\"rotation\":[0,0,0,1]}", "{\"children\":[0]}", "own ancestor"},
        {"[0,0,0,1]", "[0,0,0,2]", "no unit"},
        {"\"rotation\":[0,0,0,1]",
         "\"rotation\":[0,0,0,1],\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]", "matrix"},
        {"\"name\":\"a\"", "\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]", "has a matrix"},
        {",{}]", ",{\"skin\":0}]", "without a mesh"},
        {"\"joints\":[0,1]", "\"joints\":[0,0]", "twice"},
        {"\"joints\":[0,1]", "\"joints\":[0,3]", "joint"},
        {"\"joints\":[0,1],\"skeleton\":0", "\"joints\":[0,2]", "common root"},
        {"\"skeleton\":0", "\"skeleton\":1", "not above"},
        {"\"joints\":[0,1]", "\"joints\":[]", "empty array"},
        {"\"inverseBindMatrices\":3", "\"inverseBindMatrices\":2", "MAT4"},
        {"\"count\":2,\"type\":\"MAT4\"", "\"count\":1,\"type\":\"MAT4\"", "too few matrices"},
        {"\"sampler\":1,", "\"sampler\":2,", "sampler"},
        {"\"path\":\"rotation\"", "\"path\":\"translation\"", "two channels"},
        {"\"path\":\"rotation\"", "\"path\":\"scale\"", "type of output"},
        {"\"input\":0,\"output\":2", "\"input\":4,\"output\":2", "input"},
        {"\"input\":0,\"output\":2", "\"input\":0,\"output\":4", "output"},
        {"\"input\":0,\"output\":2", "\"input\":1,\"output\":2", "SCALAR"},
        {"\"output\":2", "\"output\":2,\"interpolation\":\"CUBICSPLINE\"", "values for"},
        {"\"output\":2", "\"output\":2,\"interpolation\":\"SLOW\"", "interpolation"},
        {"\"count\":2,\"type\":\"VEC3\"", "\"count\":1,\"type\":\"VEC3\"", "values for"},
        {"\"min\":[0.5],", "", "without min"},
        {"[0.5]", "[0.6]", "min is"},
        {"[1.25]", "[1.26]", "max is"},
        {"[1.25]", "[1.25,1]", "max"},
        {"\"byteOffset\":8,\"componentType\":5126", "\"byteOffset\":6,\"componentType\":5126",
         "not aligned"},
        {"\"byteOffset\":8,\"componentType\":5126", "\"byteOffset\":8,\"componentType\":5125",
         "componentType of output"},
        {"\"byteOffset\":8,\"componentType\":5126", "\"byteOffset\":8,\"componentType\":5124",
         "componentType"},
        {"\"byteOffset\":8,\"componentType\":5126",
         "\"byteOffset\":8,\"normalized\":true,\"componentType\":5126", "normalized"},
        {"\"byteOffset\":32", "\"byteOffset\":36", "ends behind its bufferView"},
        {"\"count\":2,\"type\":\"VEC3\"", "\"count\":0,\"type\":\"VEC3\"", "count"},
        {"\"VEC3\"", "\"VEC5\"", "type"},
        {"\"bufferView\":1", "\"bufferView\":2", "bufferView"},
        {"\"byteLength\":128", "\"byteLength\":132", "behind its buffer"},
        {"\"byteLength\":128", "\"byteLength\":128,\"byteStride\":64", "byteStride"},
        {"\"byteLength\":128", "\"byteLength\":128,\"byteStride\":6", "byteStride"},
        {"\"byteOffset\":64", "\"byteOffset\":62", "not aligned"},
        {"{\"byteLength\":192}", "{\"byteLength\":196}", "chunk"},
        {"{\"byteLength\":192}", "{\"byteLength\":190}", "zeros"},
        {"\"scene\":0,", "\"scene\":0,\"extensionsRequired\":[\"X\"],", "extensionsUsed"},
    };
    static const struct {
        size_t index;
        float number;
        const char *words;
    } numbers[] = {{TIMES + 1, 0.5F, "does not rise"},  {TIMES, -1, "min is"},
                   {PLACES, NAN, "not finite"},         {TURNS, 1.1F, "no unit"},
                   {BINDS + 3, 1, "last row"},          {BINDS + 31, 2, "last row"},
                   {BINDS + 12, INFINITY, "not finite"}};
    char fault[GLTF_FAULT_SIZE];
    size_t size = 0;
    unsigned char *file = break_file(NULL, NULL, NUMBERS, 0, &size);
    if (gltf_find_fault(file, size, fault))
        fail_msg("the valid file has a fault: %s", fault);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        expect_fault(texts[i].from, texts[i].to, NUMBERS, 0, texts[i].words);
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        const bool is_time = strcmp(numbers[i].words, "does not rise") == 0;
        expect_fault(is_time ? "[1.25]" : NULL, "[0.5]", numbers[i].index, numbers[i].number,
                     numbers[i].words);
    }
    file[8]++;
    assert_non_null(gltf_find_fault(file, size, fault));
    file[8]--;
    for (size_t i = 20; i < size; i++) /* the padding of JSON */
        if (file[i] == '}' && file[i + 1] == ' ') {
            file[i + 1] = '\0';
            assert_non_null(gltf_find_fault(file, size, fault));
            break;
        }
    free(file);
}

/* ---- what is written ----------------------------------------------------------------------- */

static size_t written_files;

/* In both containers, and without what keeps the rest pose. Empty animations are not made valid. */
static void expect_written(const pm_motion *motion) {
    static const char *const names[] = {"out.glb", "out.gltf", "rest.glb"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const pm_motion_convert_options options = {.drop_rest = i == 2};
        expect_success(pm_motion_convert(motion, &options, names[i], new_error()));
        expect_gltf_file_rules(names[i]);
        SCOPED(pm_motion_destroy) pm_motion *again = test_open(names[i], NULL);
        assert_int_equal(pm_motion_get_content(again)->clip_count,
                         pm_motion_get_content(motion)->clip_count);
        written_files++;
    }
}

static void expect_made(pm_status status, pm_motion **made) {
    if (status == PM_OK) /* not of a motion that the step refuses */
        expect_written(*made);
    pm_motion_destroy(made);
}

static void expect_resampled(const pm_motion *motion, pm_engine *engine) {
    static const pm_clip_desc squad = {.method = PM_METHOD_SQUAD};
    for (size_t i = 0; i < 3; i++) {
        pm_motion *copy = NULL;
        const pm_motion_resample_options options = {.rate = {i == 2 ? 7 : 48, 1},
                                                    .authored = i == 0,
                                                    .curve = i == 1 ? &squad : NULL,
                                                    .end_rule = i == 2 ? PM_MOTION_END_INCLUDE
                                                                       : PM_MOTION_END_FIT,
                                                    .start_after_first_key = {(int64_t)i, 10},
                                                    .format = PM_MOTION_GLB};
        expect_made(pm_motion_resample_copy(motion, engine, &options, &copy, NULL, new_error()),
                    &copy);
        if (pm_motion_resample(motion, engine, &options, "r.glb", NULL, new_error()) == PM_OK) {
            expect_gltf_file_rules("r.glb");
            written_files++;
        }
    }
}

static void expect_reduced(const pm_motion *motion) {
    static const pm_motion_reduce_options options[] = {
        {.has_angle = false},
        {.curve = PM_METHOD_CUBICSPLINE, .has_angle = true, .angle = 2},
        {.curve = PM_METHOD_SQUAD, .has_angle = true, .angle = 180},
        {.common = true, .position = 0.1},
        {.distance = 0.5, .at = 0.1}};
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        pm_motion *made = NULL;
        expect_made(pm_motion_reduce(motion, &options[i], &made, NULL, new_error()), &made);
    }
}

static void expect_edited(const pm_motion *motion) {
    static const char *const names[] = {"Hips", "Head", "LeftFoot"}, *const renames[] = {"Hips",
                                                                                         "H"};
    const pm_motion_edit_options options[] = {
        {.start_after_first_key = {1, 10}, .end_after_first_key = {1, 2}},
        {.repeat = 2, .continue_root = true},
        {.joints = names, .joint_count = 3},
        {.renames = renames, .rename_count = 1}};
    const pm_motion *const twice[] = {motion, motion};
    pm_motion *made = NULL;
    for (size_t i = 0; i < COUNT_OF(options); i++)
        expect_made(pm_motion_edit(motion, &options[i], &made, new_error()), &made);
    expect_made(pm_motion_mirror(motion, NULL, &made, NULL, new_error()), &made);
    expect_made(pm_motion_join(twice, 2, NULL, NULL, &made, new_error()), &made);
    expect_made(pm_motion_extract_root(motion, NULL, &made, NULL, new_error()), &made);
}

static void expect_all_ways(const pm_motion *motion) {
    pm_engine *engine = test_reference();
    expect_written(motion);
    expect_resampled(motion, engine);
    expect_reduced(motion);
    expect_edited(motion);
    pm_engine_destroy(&engine);
}

TEST(files_of_every_format_make_valid_ones) {
    static const char joint[] = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition "
                                "Yposition Zposition Zrotation Xrotation Yrotation\nEnd Site\n{\n"
                                "OFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n"
                                "0 0 0 0 0 0\n";
    const size_t before = written_files;
    SCOPED(pm_motion_destroy) pm_motion *walk = test_open(WALK, NULL);
    expect_success(pm_motion_convert(walk, NULL, "walk.glb", new_error()));
    expect_success(pm_motion_convert(walk, NULL, "walk.npz", new_error()));
    test_folder_put_text("joint.bvh", joint);
    SCOPED(pm_motion_destroy) pm_motion *arrays = test_open("walk.npz", NULL);
    SCOPED(pm_motion_destroy) pm_motion *again = test_open("walk.glb", NULL);
    SCOPED(pm_motion_destroy) pm_motion *still = test_open("joint.bvh", NULL);
    const pm_motion *const all[] = {walk, arrays, again, still};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        expect_all_ways(all[i]);
    assert_true(written_files - before > 150);
}

TEST(public_files_make_valid_ones) {
    static const char *const names[] = {"gltf/Fox.glb", "gltf/cesium_man.gltf",
                                        "gltf/interpolation_test.gltf", "gltf/SimpleSkin.gltf",
                                        "gltf/quantized_gp_Fox.glb"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        SCOPED(pm_motion_destroy) pm_motion *file = test_open(test_data(names[i]), NULL);
        expect_all_ways(file);
    }
    const pm_motion_read_options body = {.skeleton = "smplh"};
    SCOPED(pm_motion_destroy)
    pm_motion *amass = test_open(test_data("amass_synthetic/smplh_120hz_stored.npz"), &body);
    expect_all_ways(amass);
    SCOPED(pm_motion_destroy)
    pm_motion *take = test_open(test_data("asfamc/11_01.amc"), NULL);
    expect_written(take);
}

/* Rotations of cubic splines keep the lengths that 8 bits gave them. */
static bool has_rough_splines(const generated_file *file) {
    bool any = false;
    for (size_t t = 0; t < file->track_count; t++)
        any = any || (strcmp(file->tracks[t].interpolation, "CUBICSPLINE") == 0 &&
                      file->tracks[t].component_type <= 5121);
    return any;
}

/* What is carried over is as it was; everything that is new keeps the rules. */
TEST(random_files_make_valid_ones) {
    random_source random = random_start();
    size_t valid_files = 0;
    for (size_t i = 0; i < 30; i++) {
        char fault[GLTF_FAULT_SIZE];
        generated_file *file = gltf_generate(&random);
        SCOPED(pm_motion_destroy) pm_motion *motion = test_parse(file->data, file->size, NULL);
        if (!has_rough_splines(file) && !gltf_find_fault(file->data, file->size, fault)) {
            valid_files++;
            expect_all_ways(motion);
        }
        gltf_generated_free(file);
    }
    assert_true(valid_files > 5);
}

/* ---- channels that do not move ------------------------------------------------------------- */

static void hold(pm_motion_clip *clip, size_t channel) {
    const pm_motion_channel *of = &clip->channels[channel];
    float *keys = (float *)(uintptr_t)of->keys.data;
    for (size_t k = of->components; k < clip->timelines[of->timeline].key_count * of->components;
         k++)
        keys[k] = keys[k - of->components];
}

static const motion_format plain_format = {
    .id = PM_MOTION_NPZ, .name = "plain", .document = "plain", .release = free};

enum { STILL = 4 }; /* channels from here on do not move */

/* Of 3 nodes; channels that move end at timeline `moving`, 0 being the longer one. */
static pm_motion *make_still(random_source *random, uint32_t moving) {
    static const pm_motion_path paths[] = {PM_MOTION_ROTATION, PM_MOTION_POSITION, PM_MOTION_SCALE};
    pm_motion *motion = hand_motion(3, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 2, 9);
    motion->format = &plain_format;
    hand_times(motion, clip, 0, random, 40, 0.25);
    hand_times(motion, clip, 1, random, 12, 0.25);
    for (size_t c = 0; c < 9; c++) {
        hand_random(motion, clip, c, paths[c % 3], c < STILL ? moving : 0, PM_FLOAT32, random, 1);
        hand_channel(clip, c)->node = (int32_t)(c / 3);
        if (c == 5 || c == 2)
            hand_channel(clip, c)->interpolation = PM_MOTION_STEP;
        if (c >= STILL)
            hold(clip, c);
    }
    return motion;
}

static void expect_same_values(const pm_motion *a, const pm_motion *b, random_source *random) {
    const pm_motion_clip *x = pm_motion_get_content(a)->clips, *y = pm_motion_get_content(b)->clips;
    assert_int_equal(x->channel_count, y->channel_count);
    for (size_t i = 0; i < 2000; i++) {
        const double time = random_between(random, -1, 60);
        for (size_t c = 0; c < x->channel_count; c++) {
            const pm_motion_channel *p = &x->channels[c], *q = &y->channels[c];
            double before[TRUTH_NUMBERS], after[TRUTH_NUMBERS];
            truth_at(p, &x->timelines[p->timeline], truth_find(&x->timelines[p->timeline], time),
                     before);
            truth_at(q, &y->timelines[q->timeline], truth_find(&y->timelines[q->timeline], time),
                     after);
            for (uint32_t n = 0; n < p->components; n++)
                assert_true((float)before[n] == (float)after[n]);
        }
    }
}

static double end_of(const pm_motion *motion) {
    const pm_motion_clip *clip = pm_motion_get_content(motion)->clips;
    double end = 0;
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_timeline *own = &clip->timelines[clip->channels[c].timeline];
        end = fmax(end, truth_time(own, own->key_count - 1));
    }
    return end;
}

static pm_motion *write_and_read(const pm_motion *motion, bool drop_rest) {
    const pm_motion_convert_options options = {.drop_rest = drop_rest};
    expect_success(pm_motion_convert(motion, &options, "still.glb", new_error()));
    expect_gltf_file_rules("still.glb");
    return test_open("still.glb", NULL);
}

TEST(what_does_not_move_has_one_key_and_the_same_values) {
    random_source random = random_start();
    for (size_t i = 0; i < 40; i++) {
        const bool ends_early = i % 2 == 1;
        SCOPED(pm_motion_destroy) pm_motion *motion = make_still(&random, ends_early);
        SCOPED(pm_motion_destroy) pm_motion *read = write_and_read(motion, false);
        const pm_motion_clip *clip = pm_motion_get_content(read)->clips;
        for (size_t c = 0; c < 9; c++) {
            const size_t keys = clip->timelines[clip->channels[c].timeline].key_count;
            assert_int_equal(keys, c < STILL ? (ends_early ? 12 : 40) : ends_early ? 2 : 1);
        }
        assert_int_equal(clip->timeline_count, 2); /* inputs are shared */
        assert_true(end_of(read) == end_of(motion));
        expect_same_values(motion, read, &random);
    }
}

TEST(a_clip_in_which_nothing_moves_keeps_its_ends) {
    random_source random = random_start();
    SCOPED(pm_motion_destroy) pm_motion *motion = make_still(&random, 0);
    pm_motion_clip *clip = (pm_motion_clip *)(uintptr_t)motion->content.clips;
    for (size_t c = 0; c < 9; c++)
        hold(clip, c);
    SCOPED(pm_motion_destroy) pm_motion *read = write_and_read(motion, false);
    const pm_motion_clip *got = pm_motion_get_content(read)->clips;
    assert_int_equal(got->timeline_count, 1);
    assert_int_equal(got->timelines[0].key_count, 2);
    assert_true(truth_time(&got->timelines[0], 0) == clip->timelines[0].times[0]);
    assert_true(truth_time(&got->timelines[0], 1) == clip->timelines[0].times[39]);
    expect_same_values(motion, read, &random);
}

/* ---- the rest pose ------------------------------------------------------------------------- */

static void set_rest(pm_motion *motion, const pm_motion_channel *channel, double sign) {
    pm_motion_node *node = hand_node(motion, (size_t)channel->node);
    double *rest = channel->path == PM_MOTION_ROTATION   ? node->rotation
                   : channel->path == PM_MOTION_POSITION ? node->position
                                                         : node->scale;
    for (uint32_t i = 0; i < channel->components; i++)
        rest[i] = sign * truth_number(&channel->keys, channel->components, 0, i);
}

/* Those of the rest pose are left out, with either sign of a rotation, and all others stay. */
TEST(channels_of_the_rest_pose_are_dropped) {
    random_source random = random_start();
    for (size_t i = 0; i < 4; i++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = make_still(&random, i == 3);
        const pm_motion_clip *clip = motion->content.clips;
        for (size_t c = 0; c < 9; c++)
            if (c != 5)
                set_rest(motion, &clip->channels[c], i == 1 && c % 3 == 0 ? -1 : 1);
        SCOPED(pm_motion_destroy) pm_motion *all = write_and_read(motion, false);
        assert_int_equal(pm_motion_get_content(all)->clips->channel_count, 9);
        SCOPED(pm_motion_destroy) pm_motion *dropped = write_and_read(i == 2 ? all : motion, true);
        const pm_motion_clip *got = pm_motion_get_content(dropped)->clips;
        assert_int_equal(got->channel_count, STILL + 1);
        assert_int_equal(got->channels[STILL].node, 1);
        assert_int_equal(got->channels[STILL].path, PM_MOTION_SCALE);
        assert_true(end_of(dropped) == end_of(motion));
    }
}

/* An animation needs a channel, and the clip its duration. */
TEST(a_clip_at_rest_keeps_one_channel) {
    random_source random = random_start();
    SCOPED(pm_motion_destroy) pm_motion *motion = make_still(&random, 0);
    pm_motion_clip *clip = (pm_motion_clip *)(uintptr_t)motion->content.clips;
    for (size_t c = 0; c < 9; c++) {
        hold(clip, c);
        set_rest(motion, &clip->channels[c], 1);
    }
    SCOPED(pm_motion_destroy) pm_motion *read = write_and_read(motion, true);
    assert_int_equal(pm_motion_get_content(read)->clips->channel_count, 1);
    assert_true(end_of(read) == end_of(motion));
}

/* ---- skins --------------------------------------------------------------------------------- */

/* World transforms of the rest pose, as products of 4x4 from the definition. */
static void find_world(const pm_motion_content *content, int32_t node, double m[4][4]) {
    const pm_motion_node *n = &content->nodes[node];
    const double *q = n->rotation;
    const double r[3][3] = {{1 - 2 * (q[1] * q[1] + q[2] * q[2]), 2 * (q[0] * q[1] - q[2] * q[3]),
                             2 * (q[0] * q[2] + q[1] * q[3])},
                            {2 * (q[0] * q[1] + q[2] * q[3]), 1 - 2 * (q[0] * q[0] + q[2] * q[2]),
                             2 * (q[1] * q[2] - q[0] * q[3])},
                            {2 * (q[0] * q[2] - q[1] * q[3]), 2 * (q[1] * q[2] + q[0] * q[3]),
                             1 - 2 * (q[0] * q[0] + q[1] * q[1])}};
    double parent[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    if (n->parent >= 0)
        find_world(content, n->parent, parent);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            m[i][k] = k == 3 ? parent[i][3] : 0;
            for (int j = 0; j < 3; j++)
                m[i][k] += parent[i][j] * (k == 3 ? n->position[j] : r[j][k] * n->scale[k]);
        }
}

static void expect_inverse(const pm_motion_content *content, const pm_motion_skin *skin, size_t j) {
    double world[4][4], size = 1;
    find_world(content, (int32_t)skin->joints[j], world);
    for (int i = 0; i < 3; i++)
        size = fmax(size, fabs(world[i][3]));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            double product = k == 3 ? world[i][3] : 0;
            for (int n = 0; n < 3; n++)
                product +=
                    world[i][n] * (double)skin->inverse_binds[12 * j + 4 * (size_t)n + (size_t)k];
            assert_true(fabs(product - (i == k)) <= 1e-6 * size);
        }
}

/* Random trees whose parents may come after their children. */
static pm_motion *make_trees(random_source *random, size_t nodes, size_t roots) {
    pm_motion *motion = make_still(random, 0), *trees = hand_motion(nodes, 1);
    trees->format = &plain_format;
    (void)hand_clip(trees, 0, 1, 0);
    for (size_t n = 0; n < nodes; n++) {
        pm_motion_node *node = hand_node(trees, nodes - 1 - n);
        node->parent = n < roots ? -1 : (int32_t)(nodes - 1 - random_size(random, 0, n - 1));
        random_quaternion(random, node->rotation);
        for (int i = 0; i < 3; i++) {
            node->position[i] = random_between(random, -3, 3);
            node->scale[i] = random_between(random, 0.9, 1.1);
        }
    }
    pm_motion_destroy(&motion);
    return trees;
}

TEST(each_tree_has_a_skin_of_its_rest_pose) {
    random_source random = random_start();
    for (size_t i = 0; i < 20; i++) {
        const size_t nodes = random_size(&random, 2, 30), roots = random_size(&random, 1, 2);
        SCOPED(pm_motion_destroy) pm_motion *motion = make_trees(&random, nodes, roots);
        SCOPED(pm_motion_destroy) pm_motion *read = write_and_read(motion, false);
        const pm_motion_content *content = pm_motion_get_content(read);
        size_t joints = 0;
        assert_int_equal(content->skin_count, roots);
        for (size_t s = 0; s < roots; s++)
            for (size_t j = 0; j < content->skins[s].joint_count; j++, joints++)
                expect_inverse(content, &content->skins[s], j);
        assert_int_equal(joints, nodes);
    }
}

/* A scale of 0 has no inverse. */
TEST(a_joint_without_an_inverse_has_an_identity) {
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    random_source random = random_start();
    SCOPED(pm_motion_destroy) pm_motion *motion = make_trees(&random, 3, 1);
    hand_node(motion, 0)->scale[1] = 0;
    SCOPED(pm_motion_destroy) pm_motion *read = write_and_read(motion, false);
    assert_memory_equal(pm_motion_get_content(read)->skins[0].inverse_binds, identity,
                        sizeof identity);
}

static void expect_left_out(const pm_motion *motion, const char *path, const char *expected) {
    char text[LEFT_OUT_SIZE] = "";
    const pm_motion_convert_options options = {.left_out = test_left_out, .left_out_user = text};
    expect_success(pm_motion_convert(motion, &options, path, new_error()));
    assert_string_equal(text, expected);
}

/* What is made of a skin of the rest pose leaves nothing out; a name is more. */
TEST(a_skin_of_the_rest_pose_is_not_missed) {
    SCOPED(pm_motion_destroy) pm_motion *walk = test_open(WALK, NULL);
    expect_success(pm_motion_convert(walk, NULL, "walk.glb", new_error()));
    SCOPED(pm_motion_destroy) pm_motion *made = test_open("walk.glb", NULL);
    assert_int_equal(pm_motion_get_content(made)->skin_count, 1);
    const pm_motion_convert_options twice = {
        .scale = 2, .to_up = PM_MOTION_UP_Z, .up = PM_MOTION_UP_Y};
    expect_success(pm_motion_convert(walk, &twice, "big.glb", new_error()));
    SCOPED(pm_motion_destroy) pm_motion *big = test_open("big.glb", NULL);
    static const char *const paths[] = {"a.bvh", "a.npz", "a.usda"};
    for (size_t i = 0; i < 3; i++) {
        expect_left_out(made, paths[i], "");
        expect_left_out(big, paths[i], "");
        ((pm_motion_skin *)(uintptr_t)made->content.skins)->name = (pm_motion_name){"skin", 4};
        expect_left_out(made, paths[i], "1 skin");
        ((pm_motion_skin *)(uintptr_t)made->content.skins)->name = (pm_motion_name){"", 0};
    }
    SCOPED(pm_motion_destroy) pm_motion *back = test_open("a.bvh", NULL);
    expect_success(pm_motion_convert(back, NULL, "again.glb", new_error()));
    SCOPED(pm_motion_destroy) pm_motion *again = test_open("again.glb", NULL);
    expect_same_nodes(again, made, 1e-9);
    expect_same_frames(again, made, 1e-6, 1e-6);
}

/* A root that is added above all is a joint of the skin, too. */
TEST(a_skin_of_the_rest_pose_grows_with_the_skeleton) {
    SCOPED(pm_motion_destroy) pm_motion *walk = test_open(WALK, NULL);
    expect_success(pm_motion_convert(walk, NULL, "walk.glb", new_error()));
    SCOPED(pm_motion_destroy) pm_motion *made = test_open("walk.glb", NULL);
    SCOPED(pm_motion_destroy) pm_motion *rooted = NULL;
    const pm_motion_root_options options = {.joint = "Hips", .add = true};
    expect_success(pm_motion_extract_root(made, &options, &rooted, NULL, new_error()));
    SCOPED(pm_motion_destroy) pm_motion *read = write_and_read(rooted, false);
    const pm_motion_content *content = pm_motion_get_content(read);
    assert_int_equal(content->skin_count, 1);
    assert_int_equal(content->skins[0].joint_count, content->node_count);
}

TEST_GROUP(test_folder_enter, test_folder_leave)
