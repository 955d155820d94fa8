/* SPDX-License-Identifier: MIT
 *
 * Gaps that are filled, against curves that are known, and against the hermite curve of the library's
 * samplers, which shares no code with it; and reading of values that are not finite.
 */
#include <posemill/posemill_motion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "oracle/oracle_quat.h"
#include "support/check.h"
#include "support/motion.h"
#include "support/motion_hand.h"
#include "support/motion_truth.h"

enum { KEYS = 20, RATE = 40 };

/* Two joints that turn, and a position of the first. */
static pm_motion *figure(random_source *random) {
    pm_motion *subject = hand_motion(2, 1);
    pm_motion_clip *clip = hand_clip(subject, 0, 1, 3);
    clip->rate = (pm_rational){RATE, 1};
    clip->first_time = (pm_rational){0, 1};
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = KEYS, .rate = clip->rate};
    hand_node(subject, 0)->name = (pm_motion_name){"Hips", 4};
    hand_node(subject, 1)->name = (pm_motion_name){"Knee\x07", 5};
    for (size_t c = 0; c < 3; c++) {
        hand_channel(clip, c)->node = c == 1;
        hand_random(subject, clip, c, c < 2 ? PM_MOTION_ROTATION : PM_MOTION_POSITION, 0,
                    PM_FLOAT64, random, 0.6);
    }
    return subject;
}

static double *key_of(const pm_motion *m, size_t channel, size_t key) {
    const pm_motion_channel *c = &m->content.clips->channels[channel];
    const size_t stride = c->keys.stride ? c->keys.stride : c->components * sizeof(double);
    return (double *)(void *)((char *)(uintptr_t)c->keys.data + key * stride);
}

static void spoil(const pm_motion *m, size_t channel, size_t first, size_t count) {
    for (size_t k = first; k < first + count; k++)
        key_of(m, channel, k)[k % 3] = k % 2 ? (double)NAN : (double)INFINITY;
}

static pm_motion *fill(const pm_motion *m, const pm_motion_fill_options *options,
                       pm_motion_fill_report *report) {
    pm_motion *filled = NULL;
    memset(report, 0x5A, sizeof *report);
    expect_success(pm_motion_fill(m, options, &filled, report, new_error()));
    return filled;
}

/* ---- curves -------------------------------------------------------------------------------- */

/* Turns about one axis by a quadratic: the cubic of the finite differences at both ends. */
TEST(a_gap_about_one_axis_is_a_cubic_of_the_angle) {
    enum { FIRST = 6, COUNT = 5 };
    random_source random = random_salted(1);
    SCOPED(pm_motion_destroy) pm_motion *source = figure(&random);
    double axis[3], angles[KEYS];
    random_direction(&random, axis);
    for (size_t k = 0; k < KEYS; k++) {
        angles[k] = 0.3 + 0.02 * (double)k + 0.004 * (double)(k * k);
        for (int i = 0; i < 3; i++)
            key_of(source, 0, k)[i] = axis[i] * sin(angles[k] / 2);
        key_of(source, 0, k)[3] = cos(angles[k] / 2);
    }
    spoil(source, 0, FIRST, COUNT);
    pm_motion_fill_report report;
    SCOPED(pm_motion_destroy) pm_motion *filled = fill(source, NULL, &report);
    const double a = angles[FIRST - 1], b = angles[FIRST + COUNT];
    const double da = (a - angles[FIRST - 2]) * (COUNT + 1),
                 db = (angles[FIRST + COUNT + 1] - b) * (COUNT + 1);
    for (size_t k = 0; k < COUNT; k++) {
        const double u = (double)(k + 1) / (COUNT + 1);
        const double angle = (2 * u * u * u - 3 * u * u + 1) * a +
                             (u * u * u - 2 * u * u + u) * da + (3 * u * u - 2 * u * u * u) * b +
                             (u * u * u - u * u) * db;
        const double expected[4] = {axis[0] * sin(angle / 2), axis[1] * sin(angle / 2),
                                    axis[2] * sin(angle / 2), cos(angle / 2)};
        assert_true(truth_angle(key_of(filled, 0, FIRST + k), expected) < 1e-7);
    }
    assert_int_equal(report.nan_gaps, 1);
    assert_int_equal(report.nan_keys, COUNT);
    assert_int_equal(report.frozen_gaps, 0);
    assert_true(fabs(report.longest - (COUNT + 1.0) / RATE) < 1e-12);
}

static void velocity_between(const double a[4], const double b[4], double half[3]) {
    quat step = quat_multiply(quat_conjugate(quat_of(a)), quat_of(b));
    if (step.w < 0)
        step = quat_scale(step, -1);
    const vec3 log = vec3_scale(quat_log(step), RATE);
    memcpy(half, (double[]){log.x, log.y, log.z}, 3 * sizeof *half);
}

TEST(a_gap_is_the_hermite_curve_of_the_library) {
    random_source random = random_salted(2);
    const pm_engine_desc plain = {.device = "none"};
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    expect_success(pm_engine_create(&plain, &engine, new_error()));
    for (size_t n = 0; n < 20; n++) {
        const size_t first = random_size(&random, 2, 8), count = random_size(&random, 1, 8);
        SCOPED(pm_motion_destroy) pm_motion *source = figure(&random);
        double keys[2][4], tangents[2][3], times[8];
        const double ends[2] = {0, (double)(count + 1) / RATE};
        memcpy(keys[0], key_of(source, 1, first - 1), sizeof keys[0]);
        memcpy(keys[1], key_of(source, 1, first + count), sizeof keys[1]);
        velocity_between(key_of(source, 1, first - 2), keys[0], tangents[0]);
        velocity_between(keys[1], key_of(source, 1, first + count + 1), tangents[1]);
        const pm_timeline timeline = {.key_count = 2, .times = ends};
        const pm_clip_desc desc = {.track_count = 1,
                                   .timelines = &timeline,
                                   .rotations = {.data = keys, .type = PM_FLOAT64},
                                   .method = PM_METHOD_HERMITE,
                                   .tangents = PM_TANGENTS_USER,
                                   .user_tangents = {.data = tangents, .type = PM_FLOAT64}};
        float values[8][4];
        for (size_t k = 0; k < count; k++)
            times[k] = (double)(k + 1) / RATE;
        const pm_sample_job job = {
            .sample_count = count, .times = times, .rotations = (float *)values};
        SCOPED(pm_clip_destroy) pm_clip *clip = NULL;
        expect_success(pm_clip_create(engine, &desc, &clip, new_error()));
        expect_success(pm_sample(clip, &job, new_error()));
        spoil(source, 1, first, count);
        pm_motion_fill_report report;
        SCOPED(pm_motion_destroy) pm_motion *filled = fill(source, NULL, &report);
        for (size_t k = 0; k < count; k++) {
            const double expected[4] = {(double)values[k][0], (double)values[k][1],
                                        (double)values[k][2], (double)values[k][3]};
            assert_true(truth_angle(key_of(filled, 1, first + k), expected) < 2e-6);
        }
    }
}

TEST(all_other_keys_keep_their_bits) {
    random_source random = random_salted(3);
    SCOPED(pm_motion_destroy) pm_motion *source = figure(&random);
    spoil(source, 1, 4, 3);
    spoil(source, 2, 0, 2);
    spoil(source, 2, KEYS - 1, 1);
    pm_motion_fill_report report;
    SCOPED(pm_motion_destroy) pm_motion *filled = fill(source, NULL, &report);
    for (size_t c = 0; c < 3; c++)
        for (size_t k = 0; k < KEYS; k++) {
            const size_t size = (c < 2 ? 4 : 3) * sizeof(double);
            const bool is_gap = (c == 1 && k >= 4 && k < 7) || (c == 2 && (k < 2 || k == KEYS - 1));
            if (!is_gap)
                assert_memory_equal(key_of(source, c, k), key_of(filled, c, k), size);
        }
    for (size_t k = 0; k < 2; k++) /* gaps at ends take the nearest key */
        assert_memory_equal(key_of(filled, 2, k), key_of(source, 2, 2), 3 * sizeof(double));
    assert_memory_equal(key_of(filled, 2, KEYS - 1), key_of(source, 2, KEYS - 2),
                        3 * sizeof(double));
    assert_int_equal(report.nan_gaps, 3);
    assert_int_equal(report.nan_keys, 6);
}

TEST(rotations_that_freeze_while_others_move_are_gaps) {
    enum { FIRST = 7, HELD = 4 };
    random_source random = random_salted(4);
    SCOPED(pm_motion_destroy) pm_motion *source = figure(&random);
    for (size_t k = FIRST + 1; k <= FIRST + HELD; k++)
        memcpy(key_of(source, 1, k), key_of(source, 1, FIRST), 4 * sizeof(double));
    pm_motion_fill_options options = {.frozen = HELD + 1};
    pm_motion_fill_report report;
    SCOPED(pm_motion_destroy)
    pm_motion *filled = fill(source, &options, &report); /* no more than HELD + 1 frames */
    assert_int_equal(report.frozen_gaps, 0);
    assert_memory_equal(key_of(filled, 1, FIRST + 1), key_of(source, 1, FIRST + 1),
                        4 * sizeof(double));
    pm_motion_destroy(&filled);
    options.frozen = HELD;
    filled = fill(source, &options, &report);
    assert_int_equal(report.frozen_gaps, 1);
    assert_int_equal(report.frozen_keys, HELD);
    assert_memory_equal(key_of(filled, 1, FIRST), key_of(source, 1, FIRST), 4 * sizeof(double));
    for (size_t k = FIRST + 1; k <= FIRST + HELD; k++)
        assert_true(truth_angle(key_of(filled, 1, k), key_of(source, 1, k)) > 1e-4);
    pm_motion_destroy(&filled);
    for (size_t k = FIRST + 1; k <= FIRST + HELD; k++) /* where all hold still, it is a pose */
        memcpy(key_of(source, 0, k), key_of(source, 0, FIRST), 4 * sizeof(double));
    filled = fill(source, &options, &report);
    assert_int_equal(report.frozen_gaps, 0);
}

TEST(long_gaps_are_refused_by_name_and_time) {
    random_source random = random_salted(5);
    SCOPED(pm_motion_destroy) pm_motion *source = figure(&random), *filled = NULL;
    spoil(source, 1, 8, 4);
    pm_motion_fill_options options = {.longest = 5.0 / RATE};
    expect_success(pm_motion_fill(source, &options, &filled, NULL, new_error()));
    pm_motion_destroy(&filled);
    options.longest = 4.9 / RATE;
    expect_error(pm_motion_fill(source, &options, &filled, NULL, new_error()), PM_ERROR_FILE,
                 "'Knee\\x07' has a gap of 0.125 s at 0.2 s");
    options.longest = -1;
    expect_error(pm_motion_fill(source, &options, &filled, NULL, new_error()), PM_ERROR_ARGUMENT,
                 "longest");
    options.longest = 0;
    expect_next_refused(pm_motion_fill_options, options, last_error(),
                        pm_motion_fill(source, &options, &filled, NULL, new_error()));
    spoil(source, 2, 0, KEYS);
    options.longest = 100;
    expect_error(pm_motion_fill(source, &options, &filled, NULL, new_error()), PM_ERROR_FILE,
                 "'Hips' has no key");
    assert_null(filled);
}

/* ---- reading ------------------------------------------------------------------------------- */

static const char bvh_head[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
    "Xrotation Yrotation\nJOINT Knee\n{\nOFFSET 0 -40 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 0 -40 0\n}\n}\n}\nMOTION\nFrames: 5\nFrame Time: 0.05\n";
static const char rows_with_gaps[] =
    "0 80 0 0 0 0 0 0 0\n1 81 0 5 0 0 9 nan 0\n2 80 0 9 1 0 -1.#IND 0 0\n"
    "3 80 0 9 1 0 10 0 0\n4 80 0 9 1 0 20 0 0\n";

TEST(values_that_are_not_finite_are_read_for_filling_alone) {
    char text[2048];
    SCOPED(pm_motion_destroy) pm_motion *subject = NULL, *filled = NULL;
    snprintf(text, sizeof text, "%s%s", bvh_head, rows_with_gaps);
    expect_error(pm_motion_parse(text, strlen(text), "gaps.bvh", NULL, NULL, &subject, new_error()),
                 PM_ERROR_FILE, "not a finite number");
    const pm_motion_read_options options = {.keep_nan = true};
    expect_success(
        pm_motion_parse(text, strlen(text), "gaps.bvh", NULL, &options, &subject, new_error()));
    assert_int_equal(pm_motion_get_content(subject)->gap_count, 2);
    expect_error(pm_motion_convert(subject, NULL, "/nonexistent/x.glb", new_error()), PM_ERROR_FILE,
                 "joint 1 'Knee'");
    pm_motion_fill_report report;
    filled = fill(subject, NULL, &report);
    assert_int_equal(report.nan_gaps, 1);
    assert_int_equal(report.nan_keys, 2);
    for (size_t k = 0; k < 5; k++)
        for (uint32_t i = 0; i < 4; i++)
            assert_true(isfinite(key_of(filled, 1, k)[i]));
}

/* A rotation at one time, in base64: the time is not a number. */
static const char gltf_at_no_time[] =
    "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"buffers\":[{\"byteLength\":20,\"uri\":"
    "\"data:application/octet-stream;base64,AADAfwAAAAAAAAAAAAAAAAAAgD8=\"}],\"bufferViews\":[{"
    "\"buffer\":0,\"byteLength\":4},{\"buffer\":0,\"byteOffset\":4,\"byteLength\":16}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"},{"
    "\"bufferView\":1,\"componentType\":5126,\"count\":1,\"type\":\"VEC4\"}],\"animations\":[{"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}],\"samplers\":[{"
    "\"input\":0,\"output\":1}]}]}";

TEST(times_that_are_not_finite_are_never_gaps) {
    const pm_motion_read_options options = {.format = PM_MOTION_GLTF, .keep_nan = true};
    SCOPED(pm_motion_destroy) pm_motion *subject = NULL;
    const pm_status status = pm_motion_parse(gltf_at_no_time, strlen(gltf_at_no_time), "time.gltf",
                                             NULL, &options, &subject, new_error());
    if (status == PM_ERROR_ARGUMENT) /* a build without glTF */
        skip();
    expect_error(status, PM_ERROR_FILE, "expected 0 or more");
}
