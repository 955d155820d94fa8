/* SPDX-License-Identifier: MIT
 *
 * NPZ files composed from other motions: BVH files of the data folder through NPZ and back, motions
 * built by hand with what the layout cannot hold, rates, names, refusals, and failures of memory.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "motion/base/counts.h"
#include "support/failing_memory.h"
#include "support/motion_files.h"
#include "support/motion_hand.h"
#include "support/npz_files.h"

/* ---- composing ----------------------------------------------------------------------------- */

static pm_motion *read_back(const test_composed *from) {
    pm_motion *motion = test_parse(from->file.data, from->file.size, NULL);
    assert_string_equal(pm_motion_get_content(motion)->layout, "plain");
    return motion;
}

/* Composes with the given things left out, and reads the result. */
static pm_motion *through_npz(const pm_motion *motion, const char *left_out, test_composed *out) {
    expect_success(test_compose(motion, &motion_npz, out, new_error()));
    assert_string_equal(out->left_out, left_out);
    return read_back(out);
}

/* Whether a member's header has these words. */
static void expect_header(const test_composed *from, const char *member, const char *words) {
    zip_found found;
    char header[129] = "";
    assert_true(zip_lookup(from->file.data, from->file.size, member, &found));
    assert_int_equal(found.method, 0);
    memcpy(header, found.data + 10, found.size - 10 < 118 ? found.size - 10 : 118);
    if (!strstr(header, words))
        fail_msg("%s has header %s, without %s", member, header, words);
    free(found.data);
}

static bool has_member(const test_composed *from, const char *member) {
    zip_found found;
    if (!zip_lookup(from->file.data, from->file.size, member, &found))
        return false;
    free(found.data);
    return true;
}

/* ---- motions built by hand ----------------------------------------------------------------- */

static const pm_rational ntsc = {30000, 1001};

/* A clip with a rate, and channels of random float64 keys. */
static pm_motion_clip *uniform_clip(pm_motion *motion, size_t clip, size_t frames, pm_rational rate,
                                    size_t channels) {
    pm_motion_clip *made = hand_clip(motion, clip, 2, channels);
    *hand_timeline(made, 0) = (pm_timeline){.key_count = frames, .rate = rate};
    *hand_timeline(made, 1) = (pm_timeline){.key_count = 1, .rate = rate};
    made->rate = rate;
    return made;
}

static void add_channel(pm_motion *motion, pm_motion_clip *clip, size_t channel,
                        random_source *source, int32_t node, pm_motion_path path, pm_number type) {
    static const uint32_t components[PM_MOTION_PATH_COUNT] = {4, 3, 3, 5, 2};
    pm_motion_channel *made = hand_channel(clip, channel);
    made->node = node;
    made->path = path;
    made->components = components[path];
    hand_keys(motion, clip, made, source, type, type == PM_FLOAT64 ? 16 : 4, 0.5);
}

TEST(rest_poses_and_constant_channels_remain) {
    random_source source = random_start();
    SCOPED(pm_motion_destroy) pm_motion *motion = hand_motion(4, 1);
    pm_motion_clip *clip = uniform_clip(motion, 0, 9, ntsc, 3);
    SCOPED(test_composed_free) test_composed out = {.clip = 0};
    for (size_t n = 0; n < 4; n++) {
        pm_motion_node *node = hand_node(motion, n);
        random_quaternion(&source, node->rotation);
        for (size_t i = 0; i < 3; i++) {
            node->position[i] = random_between(&source, -2, 2);
            node->scale[i] = random_between(&source, 0.5, 2);
        }
    }
    hand_channel(clip, 1)->timeline = 1;
    add_channel(motion, clip, 0, &source, 0, PM_MOTION_ROTATION, PM_FLOAT64);
    add_channel(motion, clip, 1, &source, 2, PM_MOTION_ROTATION, PM_FLOAT64);
    add_channel(motion, clip, 2, &source, 0, PM_MOTION_POSITION, PM_FLOAT32);
    SCOPED(pm_motion_destroy) pm_motion *back = through_npz(motion, "", &out);
    expect_same_nodes(motion, back, 0);
    expect_same_frames(motion, back, 0, 0);
    expect_header(&out, "rotations.npy", "'<f8', 'fortran_order': False, 'shape': (9, 4, 4)");
    expect_header(&out, "positions.npy", "'<f4', 'fortran_order': False, 'shape': (9, 3)");
    expect_header(&out, "rest_rotations.npy", "'<f8', 'fortran_order': False, 'shape': (4, 4)");
    assert_false(has_member(&out, "tails.npy"));
}

/* Several roots, or a joint that moves: positions of all nodes. */
TEST(positions_of_all_nodes) {
    random_source source = random_start();
    for (int roots = 1; roots <= 2; roots++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = hand_motion(3, 1);
        pm_motion_clip *clip = uniform_clip(motion, 0, 5, (pm_rational){60, 1}, 2);
        SCOPED(test_composed_free) test_composed out = {.clip = 0};
        hand_node(motion, 1)->parent = roots == 1 ? 0 : -1;
        hand_node(motion, 2)->position[1] = 0.75; /* a float32 number */
        add_channel(motion, clip, 0, &source, 1, PM_MOTION_POSITION, PM_FLOAT32);
        add_channel(motion, clip, 1, &source, 2, PM_MOTION_ROTATION, PM_FLOAT32);
        SCOPED(pm_motion_destroy) pm_motion *back = through_npz(motion, "", &out);
        expect_same_nodes(motion, back, 0);
        expect_same_frames(motion, back, 0, 0);
        expect_header(&out, "positions.npy", "'<f4', 'fortran_order': False, 'shape': (5, 3, 3)");
        expect_header(&out, "rotations.npy", "'<f4', 'fortran_order': False, 'shape': (5, 3, 4)");
        expect_header(&out, "rate.npy", "'<i8', 'fortran_order': False, 'shape': ()");
        assert_false(has_member(&out, "rest_rotations.npy") || has_member(&out, "rest_scales.npy"));
    }
}

/* A motion with a thing of each kind that cannot be held, and two where `many`. */
static pm_motion *rich_motion(random_source *source, bool many) {
    static const pm_motion_skin skins[2];
    const size_t count = many ? 2 : 1;
    pm_motion *motion = hand_motion(3, 1 + count);
    pm_motion_clip *clip = uniform_clip(motion, 0, 6, ntsc, 5 * count);
    for (size_t i = 0; i < count; i++) {
        const int32_t node = (int32_t)i;
        hand_channel(clip, i)->interpolation = PM_MOTION_STEP;
        add_channel(motion, clip, i, source, node, PM_MOTION_ROTATION, PM_FLOAT64);
        add_channel(motion, clip, count + i, source, node, PM_MOTION_SCALE, PM_FLOAT64);
        add_channel(motion, clip, 2 * count + i, source, node, PM_MOTION_WEIGHTS, PM_FLOAT64);
        add_channel(motion, clip, 3 * count + i, source, -1, PM_MOTION_ROTATION, PM_FLOAT64);
        add_channel(motion, clip, 4 * count + i, source, 2, PM_MOTION_POSITION, PM_FLOAT64);
        hand_node(motion, i)->name = (pm_motion_name){"\xff", 1};
        uniform_clip(motion, 1 + i, 1, ntsc, 0);
    }
    motion->content.skins = skins;
    motion->content.skin_count = count;
    return motion;
}

TEST(what_cannot_be_held_is_reported) {
    random_source source = random_start();
    for (int many = 0; many < 2; many++) {
        SCOPED(test_composed_free) test_composed out = {.clip = 0};
        SCOPED(pm_motion_destroy) pm_motion *motion = rich_motion(&source, many);
        SCOPED(pm_motion_destroy)
        pm_motion *back = through_npz(
            motion,
            many ? "2 channels of scales; 2 channels of weights or scalars; 2 channels of no node; "
                   "2 interpolations that are not linear; 2 skins; 2 other clips; 2 names that are "
                   "not UTF-8"
                 : "1 channel of scales; 1 channel of weights or scalars; 1 channel of no node; "
                   "1 interpolation that is not linear; 1 skin; 1 other clip; 1 name that is not "
                   "UTF-8",
            &out);
        /* A document of the recorder has no kind: the motion has none here. */
        motion->format->release(motion->document);
        motion->document = NULL;
        const pm_motion_convert_options strict = {.strict = true};
        expect_error(pm_motion_convert(motion, &strict, "none.npz", new_error()), PM_ERROR_FILE,
                     "npz cannot hold");
        assert_int_not_equal(access("none.npz", F_OK), 0);
    }
}

TEST(names_are_unicode) {
    static const struct {
        const char *name, *back;
    } cases[] = {
        {"hip", "hip"},
        {"", ""},
        {"caf\xc3\xa9 \xe8\x85\xb0 \xf0\x9f\xa6\xb4", "caf\xc3\xa9 \xe8\x85\xb0 \xf0\x9f\xa6\xb4"},
        {"a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b"},
        {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate */
        {"cut \xe8\x85", "cut \xef\xbf\xbd\xef\xbf\xbd"},
    };
    enum { COUNT = COUNT_OF(cases) };
    random_source source = random_start();
    SCOPED(pm_motion_destroy) pm_motion *motion = hand_motion(COUNT, 1);
    SCOPED(test_composed_free) test_composed out = {.clip = 0};
    pm_motion_clip *clip = uniform_clip(motion, 0, 2, ntsc, 1);
    add_channel(motion, clip, 0, &source, 0, PM_MOTION_ROTATION, PM_FLOAT32);
    for (size_t i = 0; i < COUNT; i++)
        hand_node(motion, i)->name = (pm_motion_name){cases[i].name, strlen(cases[i].name)};
    SCOPED(pm_motion_destroy)
    pm_motion *back = through_npz(motion, "4 names that are not UTF-8", &out);
    for (size_t i = 0; i < COUNT; i++)
        assert_string_equal(pm_motion_get_content(back)->nodes[i].name.text, cases[i].back);
    expect_header(&out, "names.npy", "'<U8'");
}

TEST(rates_are_read_back_exactly) {
    static const struct {
        pm_rational rate;
        const char *left_out, *type;
    } cases[] = {
        {{30000, 1001}, "", "'<f8'"},
        {{24000, 1001}, "", "'<f8'"},
        {{120000, 1001}, "", "'<f8'"},
        {{60, 1}, "", "'<i8'"},
        {{1000000000, 1}, "", "'<i8'"},
        {{25, 2}, "", "'<f8'"},
        {{2997, 100}, "the exact rate 29.97 Hz", "'<f8'"},
    };
    random_source source = random_start();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = hand_motion(2, 1);
        pm_motion_clip *clip = uniform_clip(motion, 0, 4, cases[i].rate, 1);
        SCOPED(test_composed_free) test_composed out = {.clip = 0};
        add_channel(motion, clip, 0, &source, 0, PM_MOTION_ROTATION, PM_FLOAT64);
        expect_success(test_compose(motion, &motion_npz, &out, new_error()));
        assert_int_equal(strncmp(out.left_out, cases[i].left_out, strlen(cases[i].left_out)), 0);
        assert_true(out.left_out[0] == '\0' || cases[i].left_out[0] != '\0');
        expect_header(&out, "rate.npy", cases[i].type);
        SCOPED(pm_motion_destroy) pm_motion *back = read_back(&out);
        if (!out.left_out[0])
            expect_same_frames(motion, back, 0, 0);
    }
}

/* ---- refusals ------------------------------------------------------------------------------ */

/* BVH, too, has one rate for all channels. */
static void expect_refused_rate(pm_motion *motion) {
    static const motion_format *const formats[] = {&motion_npz, &motion_bvh};
    static const char *const messages[] = {"not uniform; NPZ requires a rate",
                                           "not uniform; BVH requires a rate"};
    for (size_t i = 0; i < 2; i++) {
        SCOPED(test_composed_free) test_composed out = {.clip = 0};
        expect_error(test_compose(motion, formats[i], &out, new_error()), PM_ERROR_FILE,
                     messages[i]);
        assert_string_equal(last_error()->cure, "rate");
        assert_int_equal(out.file.size, 0);
    }
}

TEST(keys_that_are_not_uniform_are_refused) {
    random_source source = random_start();
    for (int kind = 0; kind < 3; kind++) {
        SCOPED(pm_motion_destroy) pm_motion *motion = hand_motion(2, 1);
        pm_motion_clip *clip = uniform_clip(motion, 0, 7, ntsc, 2);
        clip->rate = (pm_rational){0, 0};
        if (kind == 0) /* listed */
            hand_times(motion, clip, 1, &source, 7, 0);
        else if (kind == 1) /* another rate */
            *hand_timeline(clip, 1) = (pm_timeline){.key_count = 7, .rate = {30, 1}};
        else /* fewer keys */
            *hand_timeline(clip, 1) = (pm_timeline){.key_count = 5, .rate = ntsc};
        hand_channel(clip, 1)->timeline = 1;
        add_channel(motion, clip, 0, &source, 0, PM_MOTION_ROTATION, PM_FLOAT64);
        add_channel(motion, clip, 1, &source, 1, PM_MOTION_ROTATION, PM_FLOAT64);
        expect_refused_rate(motion);
    }
}

TEST(motions_without_what_is_needed_are_refused) {
    SCOPED(pm_motion_destroy) pm_motion *motion = hand_motion(1, 1);
    SCOPED(test_composed_free) test_composed out = {.clip = 0};
    uniform_clip(motion, 0, 3, ntsc, 0);
    expect_error(test_compose(motion, &motion_npz, &out, new_error()), PM_ERROR_FILE,
                 "no rotation");
    motion->content.clip_count = 0;
    expect_error(test_compose(motion, &motion_npz, &out, new_error()), PM_ERROR_FILE, "no clip");
    motion->content.node_count = 0;
    expect_error(test_compose(motion, &motion_npz, &out, new_error()), PM_ERROR_FILE, "no nodes");
    assert_int_equal(out.file.size, 0);
}

TEST(a_huge_array_of_names_is_refused) {
    enum { NODES = 3000, SIZE = 1 << 20 };
    random_source source = random_start();
    SCOPED(pm_motion_destroy) pm_motion *motion = hand_motion(NODES, 1);
    SCOPED(free_at) char *name = test_array(SIZE, 1);
    SCOPED(test_composed_free) test_composed out = {.clip = 0};
    memset(name, 'n', SIZE);
    hand_node(motion, 7)->name = (pm_motion_name){name, SIZE};
    pm_motion_clip *clip = uniform_clip(motion, 0, 2, ntsc, 1);
    add_channel(motion, clip, 0, &source, 0, PM_MOTION_ROTATION, PM_FLOAT64);
    expect_error(test_compose(motion, &motion_npz, &out, new_error()), PM_ERROR_FILE,
                 "1048576 characters");
}

/* Members of the skeleton that do not fit are refused when they are read. */
TEST(tails_and_rest_poses_must_fit) {
    static const double zeros[64];
    static const struct {
        const char *member, *type, *shape, *words;
        size_t size;
    } cases[] = {
        {"has_tail.npy", "|b1", "(3,)", "2 booleans", 3},
        {"has_tail.npy", "<i4", "(2,)", "2 booleans", 8},
        {"has_tail.npy", "|b1", "(2,)", "tails", 2},
        {"rest_scales.npy", "<f8", "(2, 2)", "(2, 3)", 32},
        {"rest_rotations.npy", "<f8", "(2, 4)", "not unit", 64},
    };
    static const int32_t parents[2] = {-1, 0};
    static const double rotations[8] = {0, 0, 0, 1, 1, 0, 0, 0}, rate = 30;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED(zip_free) zip_builder zip = {0};
        pm_motion *motion = NULL;
        zip_add_array(&zip, "rotations.npy", false, "<f8", "(1, 2, 4)", rotations,
                      sizeof rotations);
        zip_add_array(&zip, "parents.npy", false, "<i4", "(2,)", parents, sizeof parents);
        zip_add_array(&zip, "rate.npy", false, "<f8", "()", &rate, sizeof rate);
        zip_add_array(&zip, cases[i].member, false, cases[i].type, cases[i].shape, zeros,
                      cases[i].size);
        zip_finish(&zip, zip.count, false);
        expect_error(
            pm_motion_parse(zip.file.data, zip.file.size, "odd", NULL, NULL, &motion, new_error()),
            PM_ERROR_FILE, cases[i].words);
    }
}

/* ---- failures ------------------------------------------------------------------------------ */

static pm_motion *rich;
static test_composed kept; /* with room, so that only the composer allocates */

static bool compose_rich(void) {
    const long live = live_blocks();
    kept.file.size = 0;
    const pm_status status = test_compose(rich, &motion_npz, &kept, new_error());
    assert_int_equal(live_blocks(), live);
    if (status != PM_OK)
        expect_error(status, PM_ERROR_MEMORY, "memory");
    return status == PM_OK;
}

TEST(each_allocation_can_fail) {
    random_source source = random_start();
    rich = rich_motion(&source, true);
    kept.file = (file_bytes){.data = test_array(1 << 20, 1), .room = 1 << 20};
    fail_each_allocation(compose_rich, 8, 0);
    test_composed_free(&kept);
    pm_motion_destroy(&rich);
}
