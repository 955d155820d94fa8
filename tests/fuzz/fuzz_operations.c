/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of what is done with a motion of any format: reduced, mirrored, cut, joined, filled, low-passed,
 * converted and drawn. The first bytes of an input choose the format, the operation and its options; the others
 * are the file, which for NPZ is a list of members, and for AMC begins with its skeleton and a NUL. An operation is
 * refused with a reason and leaves no file, or its result is consistent and can be written.
 */
#include <posemill/posemill_motion.h>
#include <string.h>

#include "host/base/counts.h"
#include "member_archive.h"
#include "motion_fuzz.h"
#include "scratch.h"

#define SIZE_OF(array) (sizeof(array) / sizeof *(array))

/* Larger motions take long and show nothing else. */
enum { MOST_NODES = 64, MOST_KEYS = 3000, MOST_SAMPLES = 2000 };

typedef struct source {
    file_bytes archive; /* of NPZ */
    char asf[SCRATCH_PATH];
    pm_motion *motion;
} source;

static void source_free(source *s) {
    pm_motion_destroy(&s->motion);
    free(s->archive.data);
    if (s->asf[0])
        scratch_remove(s->asf);
}

static bool is_small(const pm_motion *motion) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    size_t keys = 0;
    for (size_t i = 0; i < content->clip_count; i++)
        for (size_t c = 0; c < content->clips[i].channel_count; c++)
            keys += content->clips[i].timelines[content->clips[i].channels[c].timeline].key_count;
    return content->node_count <= MOST_NODES && keys <= MOST_KEYS;
}

/* The text before the first NUL is the skeleton. */
static void take_skeleton(source *s, fuzz_input *input) {
    const uint8_t *end = input->left ? memchr(input->at, '\0', input->left) : NULL;
    const size_t size = end ? (size_t)(end - input->at) : 0;
    scratch_path("skeleton.asf", s->asf);
    scratch_write(s->asf, input->at, size);
    input->at += end ? size + 1 : 0;
    input->left -= end ? size + 1 : 0;
}

/* False: the file is refused, or too large. */
static bool open_source(source *s, fuzz_input *input, uint8_t bits) {
    static const pm_motion_format formats[] = {PM_MOTION_BVH, PM_MOTION_GLTF, PM_MOTION_GLB,
                                               PM_MOTION_NPZ, PM_MOTION_CSV,  PM_MOTION_AMC,
                                               PM_MOTION_TUM};
    pm_motion_read_options options = {
        .format = formats[bits % SIZE_OF(formats)], .keep_nan = bits & 64, .strict = bits & 128};
    pm_error error = {0};
    if (options.format == PM_MOTION_AMC) {
        take_skeleton(s, input);
        options.skeleton = s->asf;
    }
    const void *data = input->at;
    size_t size = input->left;
    if (options.format == PM_MOTION_NPZ || options.format == PM_MOTION_CSV)
        options.source_rate = (pm_rational){30, 1};
    if (options.format == PM_MOTION_NPZ) {
        make_archive((const char *)input->at, input->left, &s->archive);
        data = s->archive.data;
        size = s->archive.size;
    }
    const pm_status status =
        pm_motion_parse(data, size, "fuzz", NULL, &options, &s->motion, &error);
    require((status == PM_OK) == (s->motion != NULL));
    require(status == PM_OK || error.message[0] != '\0');
    return s->motion && is_small(s->motion);
}

/* ---- operations, which make another motion ---------------------------------------------------- */

typedef struct choice {
    const pm_motion *motion;
    const pm_motion_content *content;
    fuzz_input *input;
    pm_engine *engine;
} choice;

static size_t up_to(const choice *c, size_t most) {
    return fuzz_byte(c->input) % (most + 1);
}

static pm_rational seconds(const choice *c) {
    return (pm_rational){fuzz_byte(c->input), 32};
}

static const char *joint(const choice *c) {
    const size_t n = c->content->node_count;
    return n > 0 ? c->content->nodes[up_to(c, n - 1)].name.text : "none";
}

/* What is packed can be read. */
static void read_again(const pm_motion *packed) {
    const pm_motion_convert_options options = {.format = PM_MOTION_GLB};
    SCOPED(pm_motion_destroy) pm_motion *again = NULL;
    char path[SCRATCH_PATH];
    pm_error error = {0};
    scratch_path("packed.glb", path);
    if (pm_motion_convert(packed, &options, path, &error) == PM_OK) {
        require(pm_motion_open(path, NULL, &again, &error) == PM_OK);
        fuzz_check(again);
    }
    scratch_remove(path);
}

/* The rest pose, or a clip. */
static const char *base_of(const choice *c) {
    const uint8_t bits = fuzz_byte(c->input);
    return bits & 1 || c->content->clip_count == 0
               ? "rest"
               : c->content->clips[bits / 2 % c->content->clip_count].name.text;
}

static pm_status reduce(const choice *c, pm_motion **made, pm_error *error) {
    static const pm_method curves[] = {PM_METHOD_SLERP, PM_METHOD_CUBICSPLINE, PM_METHOD_SQUAD,
                                       PM_METHOD_HERMITE, PM_METHOD_SPLINE};
    const uint8_t bits = fuzz_byte(c->input);
    const pm_method curve = curves[up_to(c, SIZE_OF(curves) - 1)];
    const bool is_cubicspline = curve == PM_METHOD_CUBICSPLINE;
    const pm_motion_reduce_options options = {.has_angle = bits & 1,
                                              .angle = (double)fuzz_byte(c->input) / 16,
                                              .position = (double)up_to(c, 7) / 8,
                                              .distance = bits & 2 ? 0.5 : 0,
                                              .at = 1,
                                              .curve = curve,
                                              .smooth = is_cubicspline && bits & 4,
                                              .common = !is_cubicspline && bits & 8,
                                              .quantize = !is_cubicspline && bits & 16,
                                              .compress = bits & 32,
                                              .loop = bits & 64,
                                              .additive = (bits & 130) == 130 ? base_of(c) : NULL,
                                              .threads = 1};
    pm_motion_reduction *reduction = NULL;
    const pm_status status = pm_motion_reduce(c->motion, &options, made, &reduction, error);
    require((status == PM_OK) == (reduction != NULL));
    if (reduction)
        require(pm_motion_reduction_json(reduction) != NULL);
    pm_motion_reduction_destroy(&reduction);
    if (status == PM_OK && options.compress)
        read_again(*made);
    return status;
}

static pm_status mirror(const choice *c, pm_motion **made, pm_error *error) {
    const pm_motion_mirror_options options = {.normal = (pm_motion_axis)((1 << up_to(c, 3)) & 7)};
    return pm_motion_mirror(c->motion, &options, made, NULL, error);
}

static pm_status edit(const choice *c, pm_motion **made, pm_error *error) {
    const uint8_t bits = fuzz_byte(c->input);
    const char *joints[] = {joint(c), joint(c), joint(c)}, *renames[] = {joint(c), "renamed"};
    pm_motion_edit_options options = {.cut_frames = bits & 1,
                                      .repeat = bits & 2 ? 1 + up_to(c, 2) : 0,
                                      .blend = (bits & 6) == 6 ? 0.0625 : 0,
                                      .continue_root = (bits & 10) == 10,
                                      .joints = joints,
                                      .joint_count = bits & 16 ? SIZE_OF(joints) : 0,
                                      .renames = renames,
                                      .rename_count = bits & 32 ? 1 : 0};
    if (bits & 64)
        options.start_after_first_key = seconds(c);
    if (bits & 128)
        options.end_after_first_key = seconds(c);
    return pm_motion_edit(c->motion, &options, made, error);
}

static pm_status join(const choice *c, pm_motion **made, pm_error *error) {
    const pm_motion *const both[] = {c->motion, c->motion};
    const uint8_t bits = fuzz_byte(c->input);
    const pm_motion_join_options options = {.blend = (double)(bits & 15) / 64,
                                            .continue_root = bits & 16,
                                            .up =
                                                (pm_motion_up)(bits >> 5 & 1 ? PM_MOTION_UP_Z : 0)};
    return pm_motion_join(both, 2, NULL, &options, made, error);
}

static pm_status fill(const choice *c, pm_motion **made, pm_error *error) {
    const pm_motion_fill_options options = {.frozen = up_to(c, 5),
                                            .longest = (double)up_to(c, 40) / 8};
    return pm_motion_fill(c->motion, &options, made, NULL, error);
}

static pm_status resample(const choice *c, pm_motion **made, pm_error *error) {
    const uint8_t bits = fuzz_byte(c->input);
    const pm_clip_desc curve = {.method = (pm_method)(bits % PM_METHOD_COUNT)};
    const pm_motion_resample_options options = {
        .rate = {1 + fuzz_byte(c->input), 1 + fuzz_byte(c->input) % 2},
        .max_samples = MOST_SAMPLES,
        .authored = bits & 64,
        .curve = &curve,
        .lowpass = bits & 128 ? PM_MOTION_LOWPASS_AUTO : (double)up_to(c, 20)};
    return pm_motion_resample_copy(c->motion, c->engine, &options, made, NULL, error);
}

static pm_status extract_root(const choice *c, pm_motion **made, pm_error *error) {
    const uint8_t bits = fuzz_byte(c->input);
    const pm_motion_root_options options = {.joint = bits & 1 ? joint(c) : NULL,
                                            .add = bits & 2,
                                            .up =
                                                (pm_motion_up)(bits >> 2 & 1 ? PM_MOTION_UP_Z : 0),
                                            .axes = bits & 64 ? 0 : bits >> 3 & 7,
                                            .keep_position = bits & 64,
                                            .keep_heading = bits & 128};
    return pm_motion_extract_root(c->motion, &options, made, NULL, error);
}

/* ---- files ------------------------------------------------------------------------------------ */

/* A failure leaves nothing behind. */
static void expect_file(pm_status status, const char *path, const pm_error *error) {
    require(scratch_exists(path) == (status == PM_OK));
    require(status == PM_OK || error->message[0] != '\0');
    scratch_remove(path);
}

static void convert(const choice *c, const pm_motion *motion) {
    static const pm_motion_format formats[] = {PM_MOTION_BVH, PM_MOTION_GLTF, PM_MOTION_GLB,
                                               PM_MOTION_NPZ, PM_MOTION_CSV,  PM_MOTION_USDA};
    const uint8_t bits = fuzz_byte(c->input);
    const pm_motion_convert_options options = {.format = formats[bits % SIZE_OF(formats)],
                                               .euler_given = bits & 64,
                                               .up = PM_MOTION_UP_Y,
                                               .to_up = (pm_motion_up)(bits >> 7 << 1)};
    char path[SCRATCH_PATH];
    pm_error error = {0};
    scratch_path("out", path);
    expect_file(pm_motion_convert(motion, &options, path, &error), path, &error);
}

static void draw(const choice *c, const pm_motion *motion) {
    const uint8_t bits = fuzz_byte(c->input);
    const pm_motion_picture_options options = {.width = 32 + fuzz_byte(c->input) % 64,
                                               .height = 32,
                                               .from = (pm_motion_picture_view)(bits >> 1 & 3),
                                               .poses = 1 + (bits >> 3) % 5};
    char path[SCRATCH_PATH];
    pm_error error = {0};
    scratch_path(bits & 1 ? "out.gif" : "out.svg", path);
    expect_file(pm_motion_write_picture(motion, NULL, &options, path, &error), path, &error);
}

static void compare(const choice *c, const pm_motion *other) {
    const pm_motion_compare_options options = {.max_times = MOST_SAMPLES,
                                               .certify = fuzz_byte(c->input) & 1};
    pm_motion_comparison *comparison = NULL;
    pm_error error = {0};
    const pm_status status = pm_motion_compare(c->motion, other, &options, &comparison, &error);
    require((status == PM_OK) == (comparison != NULL));
    require(status == PM_OK || error.message[0] != '\0');
    pm_motion_comparison_destroy(&comparison);
}

static void operate(const choice *c, uint8_t operation) {
    static pm_status (*const operations[])(const choice *, pm_motion **, pm_error *) = {
        reduce, mirror, edit, join, fill, resample, extract_root};
    SCOPED(pm_motion_destroy) pm_motion *made = NULL;
    pm_error error = {0};
    const size_t n = operation % (SIZE_OF(operations) + 1);
    if (n < SIZE_OF(operations)) {
        const pm_status status = operations[n](c, &made, &error);
        require((status == PM_OK) == (made != NULL));
        require(status == PM_OK || error.message[0] != '\0');
        if (!made)
            return;
        fuzz_check(made);
    }
    convert(c, made ? made : c->motion);
    if (operation & 64)
        draw(c, made ? made : c->motion);
    if (operation & 128 && made && operations[n] != fill) /* whose source may have gaps */
        compare(c, made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { OPTIONS = 16 };
    static pm_engine *engine;
    SCOPED(source_free) source s = {.motion = NULL};
    if (size < OPTIONS)
        return 0;
    fuzz_input options = {data, OPTIONS}, file = {data + OPTIONS, size - OPTIONS};
    pm_error error;
    if (!engine)
        require(pm_engine_create(&(pm_engine_desc){.device = "none"}, &engine, &error) == PM_OK);
    const uint8_t format = fuzz_byte(&options), operation = fuzz_byte(&options);
    const bool fills = operation % 8 == 4;
    if (open_source(&s, &file, fills ? format : format & (uint8_t)~64u))
        operate(&(choice){s.motion, pm_motion_get_content(s.motion), &options, engine}, operation);
    return 0;
}
