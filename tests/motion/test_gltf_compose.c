/* SPDX-License-Identifier: MIT
 *
 * Tests of writing glTF from motions of other formats: BVH files through GLB and back, and motions
 * built by hand. What cannot be held is reported or refused.
 */
#include <posemill/posemill_motion.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "motion/model/model.h"
#include "support/failing_memory.h"
#include "support/file_bytes.h"
#include "support/gltf_rules.h"
#include "support/motion_files.h"
#include "support/motion_hand.h"
#include "support/motion_truth.h"
#include "support/test_folder.h"

/* ---- composing into memory ----------------------------------------------------------------- */

/* All clips, whichever is given. */
static test_composed compose(const pm_motion *motion, const motion_format *format) {
    test_composed made = {.clip = 99};
    expect_success(test_compose(motion, format, &made, new_error()));
    return made;
}

/* Warnings are refused: what is written is beyond doubt. */
static pm_motion *parse(const test_composed *from) {
    const pm_motion_read_options options = {.strict = true};
    return test_parse(from->file.data, from->file.size, &options);
}

/* ---- rules of the specification ------------------------------------------------------------ */

static json_t *json_of(const test_composed *file) {
    const bool is_binary = memcmp(file->file.data, "glTF", 4) == 0;
    uint32_t size = (uint32_t)file->file.size;
    if (is_binary)
        memcpy(&size, file->file.data + 12, 4);
    json_t *root = json_loadb(file->file.data + (is_binary ? 20 : 0), size, JSON_ALLOW_NUL, NULL);
    assert_non_null(root);
    return root;
}

static void expect_valid(const test_composed *file, size_t roots) {
    SCOPED(json_decrefp) json_t *root = json_of(file);
    const json_t *scene = json_array_get(json_object_get(root, "scenes"), 0);
    expect_gltf_rules(file->file.data, file->file.size);
    assert_int_equal(json_array_size(json_object_get(root, "scenes")), 1);
    assert_int_equal(json_array_size(json_object_get(scene, "nodes")), roots);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(root, "asset"), "generator")),
        "Posemill");
}

/* ---- comparing motions --------------------------------------------------------------------- */

static void expect_name(pm_motion_name a, pm_motion_name b) {
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.text, b.text, b.size);
}

/* ---- motions built by hand ----------------------------------------------------------------- */

enum { NODES = 5, CLIPS = 2, TIMELINES = 4, HELD = 7, CHANNELS = 12 };

/* No document, so that nothing is written as it was read. */
static const motion_format plain_format = {
    .id = PM_MOTION_NPZ, .name = "plain", .document = "plain", .release = free};

static pm_motion_name name_of(const char *text) {
    return (pm_motion_name){text, strlen(text)};
}

static void add_skins(pm_motion *motion, random_source *random) {
    static const uint32_t joints[] = {3, 1, 0};
    pm_motion_skin *skins = motion_allocate(&motion->arena, 2, sizeof *skins);
    float *binds = motion_allocate(&motion->arena, 36, sizeof *binds);
    assert_true(skins && binds);
    for (size_t i = 0; i < 36; i++)
        binds[i] = (float)random_between(random, -9, 9);
    skins[0] = (pm_motion_skin){.name = name_of("bound"), joints, 3, binds};
    skins[1] = (pm_motion_skin){.name = name_of(""), joints + 1, 2, NULL};
    motion->content.skins = skins;
    motion->content.skin_count = 2;
}

static void add_nodes(pm_motion *motion, random_source *random) {
    static const char *const names[NODES] = {"root \"\\\n", "", "\xc3\xa9p\xc3\xa9", "same",
                                             "same"};
    for (size_t n = 0; n < NODES; n++) {
        pm_motion_node *node = hand_node(motion, n);
        node->name = name_of(names[n]);
        if (n % 2 == 0)
            continue;
        random_quaternion(random, node->rotation);
        for (size_t i = 0; i < 3; i++) {
            node->position[i] = random_between(random, -9, 9);
            node->scale[i] = random_between(random, 0.5, 2);
        }
    }
    hand_node(motion, 4)->parent = 2;
    hand_node(motion, 1)->parent = 3; /* after its child */
    hand_node(motion, 3)->parent = 0;
    hand_node(motion, 2)->parent = -1;
    hand_node(motion, 4)->has_tail = true;
    hand_node(motion, 4)->tail[1] = 1.0 / 3;
}

static void add_clip(pm_motion *motion, size_t index, random_source *random) {
    static const struct {
        int32_t node;
        pm_motion_path path;
        pm_motion_interpolation interpolation;
        uint32_t components, timeline;
        pm_number type;
        size_t padding;
    } rows[CHANNELS] = {
        {0, PM_MOTION_ROTATION, PM_MOTION_LINEAR, 4, 0, PM_FLOAT32, 8},
        {0, PM_MOTION_POSITION, PM_MOTION_STEP, 3, 1, PM_FLOAT64, 0},
        {0, PM_MOTION_SCALAR, PM_MOTION_LINEAR, 2, 0, PM_FLOAT64, 0},
        {1, PM_MOTION_ROTATION, PM_MOTION_CUBICSPLINE, 4, 1, PM_FLOAT64, 16},
        {1, PM_MOTION_SCALE, PM_MOTION_CUBICSPLINE, 3, 0, PM_FLOAT32, 0},
        {-1, PM_MOTION_POSITION, PM_MOTION_LINEAR, 3, 3, PM_FLOAT32, 0},
        {2, PM_MOTION_POSITION, PM_MOTION_LINEAR, 3, 0, PM_FLOAT64, 0},
        {2, PM_MOTION_WEIGHTS, PM_MOTION_LINEAR, 2, 0, PM_FLOAT64, 0},
        {3, PM_MOTION_ROTATION, PM_MOTION_STEP, 4, 2, PM_FLOAT32, 0},
        {-1, PM_MOTION_SCALAR, PM_MOTION_LINEAR, 1, 1, PM_FLOAT64, 0},
        {4, PM_MOTION_SCALE, PM_MOTION_STEP, 3, 1, PM_FLOAT64, 0},
        {0, PM_MOTION_POSITION, PM_MOTION_LINEAR, 3, 1, PM_FLOAT64, 0},
    };
    pm_motion_clip *clip = hand_clip(motion, index, TIMELINES, CHANNELS);
    clip->name = name_of(index == 0 ? "walk" : "");
    *hand_timeline(clip, 0) =
        (pm_timeline){.key_count = random_size(random, 2, 400), .rate = {30000, 1001}};
    hand_times(motion, clip, 1, random, random_size(random, 2, 30), 1.25);
    hand_times(motion, clip, 2, random, 1, 3.5);
    hand_times(motion, clip, 3, random, 4, 0);
    for (size_t i = 0; i < CHANNELS; i++) {
        pm_motion_channel *c = hand_channel(clip, i);
        c->node = rows[i].node;
        c->path = rows[i].path;
        c->interpolation = rows[i].interpolation;
        c->components = rows[i].components;
        c->timeline = rows[i].timeline;
        hand_keys(motion, clip, c, random, rows[i].type, rows[i].padding, 2);
    }
}

static pm_motion *make_motion(random_source *random) {
    pm_motion *motion = hand_motion(NODES, CLIPS);
    motion->format = &plain_format;
    add_nodes(motion, random);
    add_skins(motion, random);
    for (size_t i = 0; i < CLIPS; i++)
        add_clip(motion, i, random);
    return motion;
}

static bool is_held(size_t channel) {
    return channel != 2 && channel != 5 && channel != 7 && channel != 9 && channel != 11;
}

static const char left_out[] = "4 scalars; 2 channels of no node; 2 channels of weights; "
                               "2 second channels of a node's property";

/* k / rate rounded to the nearest float32, in the 64 bits of a long double. */
static double time_at(const pm_timeline *timeline, size_t key) {
    if (timeline->times)
        return timeline->times[key];
    return (double)(float)((long double)key * (long double)timeline->rate.den /
                           (long double)timeline->rate.num);
}

static void expect_part(const pm_motion_channel *from, size_t key, const pm_array *array,
                        const pm_array *got) {
    for (size_t i = 0; i < from->components; i++)
        assert_true(truth_number(got, from->components, key, i) ==
                    (double)(float)truth_number(array, from->components, key, i));
}

static void expect_channel(const pm_motion_clip *got, size_t at, const pm_motion_clip *clip,
                           const pm_motion_channel *from) {
    const pm_motion_channel *channel = &got->channels[at];
    const pm_timeline *timeline = &clip->timelines[from->timeline];
    const pm_timeline *times = &got->timelines[channel->timeline];
    assert_int_equal(channel->node, from->node);
    assert_int_equal(channel->path, from->path);
    assert_int_equal(channel->interpolation, from->interpolation);
    assert_int_equal(channel->components, from->components);
    assert_int_equal(times->key_count, timeline->key_count);
    for (size_t k = 0; k < timeline->key_count; k++) {
        /* one key holds at all times: it is at the first time of the clip */
        assert_true(truth_time(times, k) == (timeline->key_count == 1 ? 0 : time_at(timeline, k)));
        expect_part(from, k, &from->keys, &channel->keys);
        if (from->interpolation != PM_MOTION_CUBICSPLINE)
            continue;
        expect_part(from, k, &from->in, &channel->in);
        expect_part(from, k, &from->out, &channel->out);
    }
}

static void expect_clip(const pm_motion_clip *got, const pm_motion_clip *from) {
    size_t at = 0;
    expect_name(got->name, from->name);
    assert_int_equal(got->channel_count, HELD);
    for (size_t c = 0; c < CHANNELS; c++)
        if (is_held(c))
            expect_channel(got, at++, from, &from->channels[c]);
}

static void expect_skins(const pm_motion_content *a, const pm_motion_content *b) {
    assert_int_equal(a->skin_count, b->skin_count);
    for (size_t i = 0; i < b->skin_count; i++) {
        const pm_motion_skin *x = &a->skins[i], *y = &b->skins[i];
        expect_name(x->name, y->name);
        assert_int_equal(x->joint_count, y->joint_count);
        assert_memory_equal(x->joints, y->joints, y->joint_count * sizeof *y->joints);
        assert_int_equal(!x->inverse_binds, !y->inverse_binds);
        if (y->inverse_binds)
            assert_memory_equal(x->inverse_binds, y->inverse_binds,
                                12 * y->joint_count * sizeof *y->inverse_binds);
    }
}

/* One input for each timeline that is used, with the bounds of its times. */
static void expect_inputs(const test_composed *file) {
    SCOPED(json_decrefp) json_t *root = json_of(file);
    const json_t *accessors = json_object_get(root, "accessors"), *accessor = NULL;
    size_t i = 0, inputs = 0;
    json_array_foreach(accessors, i, accessor) inputs +=
        strcmp(json_string_value(json_object_get(accessor, "type")), "SCALAR") == 0;
    assert_int_equal(inputs, 3 * CLIPS);
    assert_int_equal(json_array_size(accessors), 3 * CLIPS + HELD * CLIPS + 1);
}

TEST(hand_built_motions_are_held) {
    random_source random = random_start();
    for (size_t i = 0; i < 20; i++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = make_motion(&random);
        test_composed binary = compose(motion, &motion_glb), text = compose(motion, &motion_gltf);
        test_composed *const files[] = {&binary, &text};
        for (size_t f = 0; f < 2; f++) {
            SCOPED(pm_motion_destroy) pm_motion *read = parse(files[f]);
            const pm_motion_content *content = pm_motion_get_content(read);
            assert_int_equal(content->format, f == 0 ? PM_MOTION_GLB : PM_MOTION_GLTF);
            assert_string_equal(files[f]->left_out, left_out);
            expect_valid(files[f], 2);
            expect_same_nodes(read, motion, 0);
            expect_skins(content, &motion->content);
            assert_int_equal(content->clip_count, CLIPS);
            for (size_t c = 0; c < CLIPS; c++)
                expect_clip(&content->clips[c], &motion->content.clips[c]);
            expect_inputs(files[f]);
            test_composed_free(files[f]);
        }
    }
}

/* A motion of one node whose translation has two keys. */
static pm_motion *small_motion(pm_timeline timeline) {
    static const double values[6] = {1, 2, 3, 4, 5, 6};
    pm_motion *motion = hand_motion(1, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 1, 1);
    motion->format = &plain_format;
    *hand_timeline(clip, 0) = timeline;
    *hand_channel(clip, 0) = (pm_motion_channel){.path = PM_MOTION_POSITION,
                                                 .components = 3,
                                                 .keys = {values, PM_FLOAT64, 0},
                                                 .name = {"", 0}};
    return motion;
}

/* The quotient lies behind the middle of two float32, by less than a double can tell. */
TEST(times_are_rounded_once) {
    const pm_rational rate = {((int64_t)1 << 53) - 2, ((int64_t)1 << 52) + (1 << 28) - 1};
    SCOPED(pm_motion_destroy)
    pm_motion *motion = small_motion((pm_timeline){.key_count = 2, .rate = rate});
    SCOPED(test_composed_free) test_composed file = compose(motion, &motion_gltf);
    SCOPED(pm_motion_destroy) pm_motion *read = parse(&file);
    assert_true((float)((double)rate.den / (double)rate.num) == 0.5F);
    assert_true(truth_time(&pm_motion_get_content(read)->clips[0].timelines[0], 1) ==
                (double)nextafterf(0.5F, 1));
}

TEST(names_become_utf8) {
    static const char bytes[] = "a\xff\xc3(\xed\xa0\x80\0z\xf0\x9f\x98\x80\xc3";
    static const char valid[] = "a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\0z"
                                "\xf0\x9f\x98\x80\xef\xbf\xbd";
    SCOPED(pm_motion_destroy)
    pm_motion *motion = small_motion((pm_timeline){.key_count = 2, .rate = {1, 1}});
    hand_node(motion, 0)->name = (pm_motion_name){bytes, sizeof bytes - 1};
    SCOPED(test_composed_free) test_composed file = compose(motion, &motion_glb);
    SCOPED(json_decrefp) json_t *root = json_of(&file);
    const json_t *name = json_object_get(json_array_get(json_object_get(root, "nodes"), 0), "name");
    assert_int_equal(json_string_length(name), sizeof valid - 1);
    assert_memory_equal(json_string_value(name), valid, sizeof valid);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void expect_refused(pm_motion *motion, const char *words) {
    SCOPED(test_composed_free) test_composed file = {.left_out = ""};
    expect_error(test_compose(motion, &motion_glb, &file, new_error()), PM_ERROR_FILE, words);
    assert_int_equal(file.file.size, 0);
    pm_motion_destroy(&motion);
}

TEST(what_gltf_cannot_say_is_refused) {
    static const double close[] = {1000, 1000.00001}, early[] = {-1, 1}, far[] = {0, 1e60};
    static const double bad[6] = {1, 2, 3, 4, 1e39, 6};
    const pm_timeline seconds = {.key_count = 2, .rate = {1, 1}};
    expect_refused(small_motion((pm_timeline){.key_count = 2, .times = close}), "both at 1000 s");
    expect_refused(small_motion((pm_timeline){.key_count = 2, .times = early}), "key 0 is at -1 s");
    expect_refused(small_motion((pm_timeline){.key_count = 2, .times = far}), "key 1 is at 1e+60");
    pm_motion *motion = small_motion(seconds);
    hand_channel((pm_motion_clip *)(uintptr_t)motion->content.clips, 0)->keys.data = bad;
    expect_refused(motion, "key 1 of channel 0");
    motion = small_motion(seconds);
    hand_node(motion, 0)->scale[2] = (double)NAN;
    expect_refused(motion, "node 0");
    motion = small_motion(seconds);
    motion->content.node_count = 0;
    expect_refused(motion, "has no nodes");
}

/* A clip of which nothing remains is no animation, and a document without data has no buffer. */
TEST(nothing_but_nodes_is_a_document) {
    SCOPED(pm_motion_destroy)
    pm_motion *motion = small_motion((pm_timeline){.key_count = 2, .rate = {1, 1}});
    hand_channel((pm_motion_clip *)(uintptr_t)motion->content.clips, 0)->node = -1;
    const motion_format *const formats[] = {&motion_glb, &motion_gltf};
    for (size_t i = 0; i < 2; i++) {
        SCOPED(test_composed_free) test_composed file = compose(motion, formats[i]);
        SCOPED(pm_motion_destroy) pm_motion *read = parse(&file);
        assert_string_equal(file.left_out,
                            "1 channel of no node; 1 clip without channels of nodes");
        assert_int_equal(pm_motion_get_content(read)->clip_count, 0);
        expect_valid(&file, 1);
    }
}

/* ---- tails that others wrote --------------------------------------------------------------- */

static pm_status parse_node(const char *members, pm_motion **opened, pm_error *error) {
    char text[512];
    (void)snprintf(text, sizeof text, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{%s},{}]}",
                   members);
    *opened = NULL;
    return pm_motion_parse(text, strlen(text), "", NULL, NULL, opened, error);
}

TEST(extras_are_read_with_care) {
    static const char *const others[] = {"\"extras\":5", "\"extras\":[1,2]", "\"extras\":null",
                                         "\"extras\":{\"tail\":[1,2,3]}",
                                         "\"children\":[1],\"extras\":{\"posemill_tail\":[1,2,3]}"};
    static const char *const broken[] = {"\"extras\":{\"posemill_tail\":[1,2]}",
                                         "\"extras\":{\"posemill_tail\":[1,2,\"3\"]}",
                                         "\"extras\":{\"posemill_tail\":\"1 2 3\"}"};
    pm_motion *opened = NULL;
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        expect_success(parse_node(others[i], &opened, new_error()));
        assert_false(pm_motion_get_content(opened)->nodes[0].has_tail);
        pm_motion_destroy(&opened);
    }
    for (size_t i = 0; i < COUNT_OF(broken); i++)
        expect_error(parse_node(broken[i], &opened, new_error()), PM_ERROR_FILE,
                     "/nodes/0/extras/posemill_tail");
}

/* ---- memory -------------------------------------------------------------------------------- */

static pm_motion *composed_motion;
static const motion_format *composed_format;
static test_composed kept; /* with room, so that only the composer allocates */

static bool compose_it(void) {
    const long live = live_blocks();
    kept.file.size = 0;
    kept.left_out[0] = '\0';
    const pm_status status = test_compose(composed_motion, composed_format, &kept, new_error());
    assert_int_equal(live_blocks(), live);
    if (status != PM_OK)
        expect_error(status, PM_ERROR_MEMORY, "memory");
    return status == PM_OK;
}

TEST(each_allocation_may_fail) {
    random_source random = random_start();
    const motion_format *const formats[] = {&motion_glb, &motion_gltf};
    composed_motion = make_motion(&random);
    kept.file = (file_bytes){.data = test_array(1 << 20, 1), .room = 1 << 20};
    json_set_alloc_funcs(malloc, free);
    for (size_t i = 0; i < 2; i++) {
        composed_format = formats[i];
        fail_each_allocation(compose_it, 200, 0);
        pm_motion_destroy(&(pm_motion *){parse(&kept)});
    }
    test_composed_free(&kept);
    pm_motion_destroy(&composed_motion);
}

TEST_GROUP(test_folder_enter, test_folder_leave)
