/* SPDX-License-Identifier: MIT
 *
 * Real and odd glTF files of others: what each is read as, or where it is refused. Valid is what the
 * glTF 2.0 specification has as valid, with these exceptions, which are read with a warning: missing
 * or wrong bounds of key times, and empty arrays. Needs a folder of data; skipped without it.
 */
#include <math.h>
#include <posemill/posemill_motion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "motion.h"
#include "motion/base/os.h"
#include "support/motion_files.h"

/* ---- helpers ------------------------------------------------------------------------------- */

static pm_status open_file(const char *name, size_t *warnings, pm_motion **opened,
                           pm_error *error) {
    test_log log = {0};
    const pm_motion_read_options options = {.log = test_log_add, .log_user = &log};
    char path[64];
    snprintf(path, sizeof path, "gltf/%s", name);
    *opened = NULL;
    const pm_status status = pm_motion_open(test_data(path), &options, opened, error);
    *warnings = log.count;
    return status;
}

static pm_motion *open_ok(const char *name, size_t *warnings) {
    pm_motion *opened = NULL;
    expect_success(open_file(name, warnings, &opened, new_error()));
    return opened;
}

/* ---- files that are read ------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t nodes, skins, clips;
    /* Of the last clip. */
    const char *clip;
    size_t channels, timelines, keys;
    int64_t rate_num, rate_den;
    size_t warnings;
} readable[] = {
    {"AnimatedMorphCube.gltf", 1, 0, 1, "Square", 1, 1, 127, 30, 1, 0},
    {"Fox.glb", 26, 1, 3, "Run", 21, 1, 25, 0, 0, 0},
    {"InfiniteSkinnedTentacle.glb", 924, 84, 1, "Track0", 840, 840, 3, 1, 1, 0},
    {"SimpleSkin.gltf", 3, 1, 1, "", 1, 1, 12, 2, 1, 0},
    {"box_animated.gltf", 4, 0, 1, "", 2, 2, 2, 0, 0, 0},
    {"cesium_man.gltf", 22, 1, 1, "", 57, 19, 49, 0, 0, 0},
    {"interpolation_test.gltf", 12, 0, 9, "Linear Translation", 1, 1, 5, 12, 5, 0},
    {"quantized_gp_Fox.glb", 27, 1, 3, "Run", 21, 1, 71, 60, 1, 0},
    {"meshopt_Fox.glb", 27, 1, 3, "Run", 21, 1, 36, 30, 1, 0},
    /* Keys 2 long; bounds of both inputs are missing. */
    {"odd/animation-patching.gltf", 1, 0, 2, "Quaternion normalization patching", 1, 1, 3, 1, 1, 5},
    {"odd/animation-splines-sharing.gltf", 1, 0, 2,
     "TRS animation, splines, sharing data with different time track", 2, 2, 4, 0, 0, 4},
    {"odd/custom_property.gltf", 1, 0, 1, "", 1, 1, 1, 0, 0, 1},
    {"odd/empty_array.gltf", 0, 0, 0, "", 0, 0, 0, 0, 0, 0},
    {"odd/sampler_input_no_bounds.gltf", 1, 0, 1, "", 1, 1, 1, 0, 0, 2},
    {"odd/syn_rot_nonunit.gltf", 2, 0, 1, "rot_nonunit", 1, 1, 4, 0, 0, 1},
};

TEST(readable_files_have_their_content) {
    for (size_t i = 0; i < COUNT_OF(readable); i++) {
        size_t warnings = 0;
        SCOPED(pm_motion_destroy) pm_motion *opened = NULL;
        const pm_status status = open_file(readable[i].name, &warnings, &opened, new_error());
#ifndef POSEMILL_MESHOPTIMIZER
        if (strcmp(readable[i].name, "meshopt_Fox.glb") == 0) {
            expect_error(status, PM_ERROR_FILE, "EXT_meshopt_compression");
            continue;
        }
#endif
        if (status != PM_OK)
            fail_msg("%s: %s", readable[i].name, last_error()->message);
        const pm_motion_content *content = pm_motion_get_content(opened);
        print_message("%s\n", readable[i].name);
        assert_int_equal(content->node_count, readable[i].nodes);
        assert_int_equal(content->skin_count, readable[i].skins);
        assert_int_equal(content->clip_count, readable[i].clips);
        assert_int_equal(warnings, readable[i].warnings);
        if (content->clip_count > 0) {
            const pm_motion_clip *clip = &content->clips[content->clip_count - 1];
            assert_string_equal(clip->name.text, readable[i].clip);
            assert_int_equal(clip->channel_count, readable[i].channels);
            assert_int_equal(clip->timeline_count, readable[i].timelines);
            assert_int_equal(clip->timelines[0].key_count, readable[i].keys);
            assert_int_equal(clip->rate.num, readable[i].rate_num);
            assert_int_equal(clip->rate.den, readable[i].rate_den);
        }
    }
}

/* ---- values -------------------------------------------------------------------------------- */

static void read_key(const pm_motion_channel *c, size_t key, float out[4]) {
    memcpy(out, (const char *)c->keys.data + key * c->keys.stride, 4 * sizeof *out);
}

static const pm_motion_channel *find_channel(const pm_motion_content *content, size_t clip,
                                             const char *node, pm_motion_path path) {
    const pm_motion_clip *c = &content->clips[clip];
    for (size_t i = 0; i < c->channel_count; i++)
        if (c->channels[i].path == path &&
            strcmp(content->nodes[c->channels[i].node].name.text, node) == 0)
            return &c->channels[i];
    return NULL;
}

/* The same fox three times: as it is, quantised to int16, and compressed. gltfpack keeps 12 bits of
 * rotations. */
TEST(compressed_files_have_the_original_motion) {
    static const char *const names[] = {
        "quantized_gp_Fox.glb",
#ifdef POSEMILL_MESHOPTIMIZER
        "meshopt_Fox.glb",
#endif
    };
    size_t warnings = 0, compared = 0;
    SCOPED(pm_motion_destroy) pm_motion *fox = open_ok("Fox.glb", &warnings);
    const pm_motion_content *original = pm_motion_get_content(fox);
    for (size_t f = 0; f < COUNT_OF(names); f++) {
        SCOPED(pm_motion_destroy) pm_motion *opened = open_ok(names[f], &warnings);
        for (size_t i = 0; i < original->clips[1].channel_count; i++) {
            const pm_motion_channel *c = &original->clips[1].channels[i];
            const char *node = original->nodes[c->node].name.text;
            const pm_motion_channel *other =
                find_channel(pm_motion_get_content(opened), 1, node, c->path);
            if (c->path != PM_MOTION_ROTATION || !other)
                continue;
            float a[4], b[4];
            read_key(c, 0, a);
            read_key(other, 0, b);
            const double exact[4] = {(double)a[0], (double)a[1], (double)a[2], (double)a[3]};
            const double angle = rotation_error(b, exact);
            if (angle > 4e-3)
                fail_msg("%s: %s differs by %g rad", names[f], node, angle);
            compared++;
        }
    }
    assert_true(compared >= 20 * (COUNT_OF(names)));
}

/* The matrices of the file, a translation by -0.5, -1, 0, in its last column there. */
TEST(inverse_binds_are_rows) {
    size_t warnings = 0;
    SCOPED(pm_motion_destroy) pm_motion *opened = open_ok("SimpleSkin.gltf", &warnings);
    const pm_motion_skin *skin = &pm_motion_get_content(opened)->skins[0];
    static const float expected[12] = {1, 0, 0, -0.5f, 0, 1, 0, -1, 0, 0, 1, 0};
    assert_int_equal(skin->joint_count, 2);
    for (size_t i = 0; i < 24; i++)
        if (skin->inverse_binds[i] != expected[i % 12])
            fail_msg("element %zu is %g, expected %g", i, (double)skin->inverse_binds[i],
                     (double)expected[i % 12]);
}

TEST(files_outside_of_the_folder_are_not_read) {
    /* The first three exist. */
    const struct {
        const char *uri, *words;
    } uris[] = {{"../Fox.glb", "folder"},
                {"%2e%2e/Fox.glb", "folder"},
                {"/etc/hostname", "folder"},
                {"odd/../../Fox.glb", "folder"},
                {"..", "folder"},
                {"", "folder"},
                {"file:///etc/passwd", "scheme 'file'"},
                {"http://a/b", "scheme 'http'"},
                {"a%00b", "% code"},
                {"a%4", "% code"},
                {".", os_can_have_name(".") ? "no regular file" : "folder"},
                {"missing.bin", "cannot be opened"}};
    char folder[1024], text[256];
    snprintf(folder, sizeof folder, "%s", test_data("gltf/odd/animation.bin"));
    *strrchr(folder, '/') = '\0';
    for (size_t i = 0; i < COUNT_OF(uris); i++) {
        pm_motion *opened = NULL;
        (void)snprintf(text, sizeof text,
                       "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":1,"
                       "\"uri\":\"%s\"}]}",
                       uris[i].uri);
        expect_error(pm_motion_parse(text, strlen(text), "", folder, NULL, &opened, new_error()),
                     PM_ERROR_FILE, uris[i].words);
        assert_non_null(strstr(last_error()->message, ": /buffers/0/uri: "));
        assert_null(opened);
    }
    /* A name with a percent code is decoded. */
    SCOPED(pm_motion_destroy) pm_motion *opened = NULL;
    (void)snprintf(text, sizeof text,
                   "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":1,"
                   "\"uri\":\"animation%%2Ebin\"}]}");
    expect_success(pm_motion_parse(text, strlen(text), "", folder, NULL, &opened, new_error()));
}
