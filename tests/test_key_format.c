/* SPDX-License-Identifier: MIT
 *
 * Keys of 48 bits: how far they may be off, that the reference, the device and the kernels on
 * the host decode them alike, what they take, and who may not have them.
 */
#include "support/engines.h"
#include "support/kernels_on_host.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clip.h"
#include "key_format.h"

static const pm_key_format formats[] = {PM_KEYS_LOG48, PM_KEYS_SMALLEST48};
static const pm_method keys_alone[] = {PM_METHOD_SLERP, PM_METHOD_STEP, PM_METHOD_NLERP};
enum { FORMATS = 2, METHODS = 3 };

/* As posemill.h states them. */
static double bound_of(pm_key_format format) {
    return format == PM_KEYS_LOG48 ? 7.6e-5 : 8.7e-5;
}

/* ---- one key ---- */

static double norm_of(const double q[4]) {
    return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

/* The angle between the rotations, where quaternions of either sign are meant. */
static double angle_between(const double a[4], pm_quat b) {
    double difference[4], sum[4];
    const double other[4] = {(double)b.x, (double)b.y, (double)b.z, (double)b.w};
    for (int i = 0; i < 4; i++) {
        difference[i] = a[i] - other[i];
        sum[i] = a[i] + other[i];
    }
    return 4 *
           atan2(fmin(norm_of(difference), norm_of(sum)), fmax(norm_of(difference), norm_of(sum)));
}

static pm_quat stored(pm_key_format format, const double q[4]) {
    int16_t group[49];
    double before[4] = {0};
    memset(group, 0xA5, sizeof group);
    pm_key_store(format, group, 0, q, before);
    return pm_key_load(format, group, 0);
}

/* A key within its bound, as unit as rounding leaves it, and with the sign that it had. */
static void expect_near(pm_key_format format, const double q[4]) {
    const double length = norm_of(q);
    const double unit[4] = {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
    const pm_quat k = stored(format, unit);
    const double decoded[4] = {(double)k.x, (double)k.y, (double)k.z, (double)k.w};
    const double angle = angle_between(unit, k);
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += unit[i] * decoded[i];
    if (!(angle <= bound_of(format)) || !(fabs(norm_of(decoded) - 1) <= 2e-7) || !(dot > 0))
        fail_msg("format %d: %.17g %.17g %.17g %.17g is off by %.9g, of norm %.9g, dot %.9g",
                 (int)format, unit[0], unit[1], unit[2], unit[3], angle, norm_of(decoded), dot);
}

static void random_keys_are_within_the_bound(void **state) {
    (void)state;
    random_source source = random_salted(1);
    for (size_t f = 0; f < FORMATS; f++)
        for (size_t n = 0; n < 300000; n++) {
            double q[4];
            random_quaternion(&source, q);
            expect_near(formats[f], q);
        }
}

/* Around the identity, half turns about axes and diagonals, equal components and quarter turns,
 * at every distance from 1 down to what double no longer tells apart. */
static void keys_near_the_corners_of_the_charts_are_within_the_bound(void **state) {
    (void)state;
    random_source source = random_salted(2);
    for (size_t f = 0; f < FORMATS; f++)
        for (unsigned corner = 1; corner < 81; corner++)
            for (unsigned n = 0; n < 2000; n++) {
                const double off = exp(random_between(&source, -40, 0));
                double q[4];
                unsigned digits = corner;
                for (int i = 0; i < 4; i++, digits /= 3)
                    q[i] = (double)(digits % 3) - 1 + off * random_normal(&source);
                if (norm_of(q) > 0.1)
                    expect_near(formats[f], q);
            }
}

static void exact_and_tiny_components_are_within_the_bound(void **state) {
    (void)state;
    static const double values[] = {0,     -0.0,   1,     -1,   5e-324, -1e-310,
                                    1e-45, -1e-38, 1e-20, 1e-5, -1e-5};
    enum { VALUES = sizeof values / sizeof *values };
    for (size_t f = 0; f < FORMATS; f++)
        for (size_t n = 0; n < (size_t)VALUES * VALUES * VALUES * VALUES; n++) {
            const double q[4] = {values[n % VALUES], values[n / VALUES % VALUES],
                                 values[n / VALUES / VALUES % VALUES],
                                 values[n / VALUES / VALUES / VALUES]};
            if (norm_of(q) > 0.5)
                expect_near(formats[f], q);
        }
}

/* The bound is met somewhere: at the middle of a cell of codes near the identity of log48, and
 * near equal components of smallest48. */
static void the_bound_is_no_larger_than_it_must_be(void **state) {
    (void)state;
    const double step = sqrt(2.0) / 32767;
    double worst[PM_KEYS_COUNT] = {0};
    random_source source = random_salted(3);
    for (unsigned n = 0; n < 20000; n++) {
        double q[4] = {0, 0, 0, 1}, equal[4];
        for (int i = 0; i < 3; i++)
            q[i] = (floor(random_between(&source, -50, 50)) + 0.5) * step;
        q[3] = sqrt(1 - q[0] * q[0] - q[1] * q[1] - q[2] * q[2]);
        for (int i = 0; i < 4; i++)
            equal[i] = 0.5 + 0.01 * random_normal(&source);
        const double length = norm_of(equal);
        for (int i = 0; i < 4; i++)
            equal[i] /= length;
        worst[PM_KEYS_LOG48] =
            fmax(worst[PM_KEYS_LOG48], angle_between(q, stored(PM_KEYS_LOG48, q)));
        worst[PM_KEYS_SMALLEST48] = fmax(worst[PM_KEYS_SMALLEST48],
                                         angle_between(equal, stored(PM_KEYS_SMALLEST48, equal)));
    }
    assert_true(worst[PM_KEYS_LOG48] > 0.97 * bound_of(PM_KEYS_LOG48));
    assert_true(worst[PM_KEYS_SMALLEST48] > 0.97 * bound_of(PM_KEYS_SMALLEST48));
}

static void the_identity_is_exact(void **state) {
    (void)state;
    const double identity[4] = {0, 0, 0, 1};
    for (size_t f = 0; f < FORMATS; f++) {
        const pm_quat k = stored(formats[f], identity);
        assert_true(k.x == 0 && k.y == 0 && k.z == 0 && k.w == 1);
    }
}

/* ---- groups ---- */

static void neighbours_in_a_group_do_not_touch_each_other(void **state) {
    (void)state;
    enum { KEYS = 64 };
    random_source source = random_salted(5);
    for (size_t f = 0; f < FORMATS; f++) {
        int16_t keys[KEYS / 16 * 49] = {0};
        double q[KEYS][4];
        for (size_t n = 0; n < 4 * KEYS; n++) {
            const size_t i = random_bits(&source) % KEYS;
            double before[4] = {0};
            random_quaternion(&source, q[i]);
            pm_key_store(formats[f], keys, 4 * i, q[i], before);
            const pm_quat alone = stored(formats[f], q[i]),
                          here = pm_key_load(formats[f], keys, 4 * i);
            assert_memory_equal(&alone, &here, sizeof here);
        }
    }
}

static void a_key_takes_the_sign_nearest_the_one_before(void **state) {
    (void)state;
    random_source source = random_salted(6);
    for (size_t f = 0; f < FORMATS; f++)
        for (unsigned n = 0; n < 10000; n++) {
            int16_t group[49] = {0};
            double q[4], before[4], given[4];
            random_quaternion(&source, q);
            random_quaternion(&source, before);
            memcpy(given, before, sizeof given);
            pm_key_store(formats[f], group, 4 * (n % 16), q, before);
            const pm_quat k = pm_key_load(formats[f], group, 4 * (n % 16));
            assert_true(before[0] == (double)k.x && before[3] == (double)k.w);
            assert_true(given[0] * before[0] + given[1] * before[1] + given[2] * before[2] +
                            given[3] * before[3] >=
                        0);
        }
}

static void a_repeated_key_is_the_same_or_its_negative_to_the_bit(void **state) {
    (void)state;
    random_source source = random_salted(7);
    for (size_t f = 0; f < FORMATS; f++)
        for (unsigned n = 0; n < 10000; n++) {
            int16_t keys[98];
            double q[4], before[4] = {0};
            memset(keys, 0xA5, sizeof keys);
            random_quaternion(&source, q);
            q[3] = n % 3 ? q[3] : 0;
            const size_t from = random_bits(&source) % 16, to = 16 + random_bits(&source) % 16;
            pm_key_store(formats[f], keys, 4 * from, q, before);
            pm_key_repeat(formats[f], keys, 4 * from, 4 * to, n % 2);
            const pm_quat a = pm_key_load(formats[f], keys, 4 * from);
            const pm_quat b = pm_key_load(formats[f], keys, 4 * to);
            const float sign = n % 2 ? -1.0f : 1.0f;
            assert_true(b.x == sign * a.x && b.y == sign * a.y && b.z == sign * a.z &&
                        b.w == sign * a.w);
        }
}

/* ---- clips ---- */

static pm_clip *clip_of(void **state, track_set *set, pm_key_format format, pm_method method,
                        double period) {
    pm_clip_desc desc = set_describe(set);
    desc.method = method;
    desc.key_format = format;
    desc.loop_period = period;
    return clip_make(engine_for(state), &desc);
}

/* Angle of row `row` of samples to key `key` of a track. */
static double off_by(const track_set *set, size_t track, size_t key, const float *value) {
    return angle_between(set->tracks[track].keys[key],
                         pm_quat_of(value[0], value[1], value[2], value[3]));
}

static void curves_pass_through_the_decoded_keys_to_the_bit(void **state) {
    engine_for(state);
    enum { TRACKS = 37, KEYS = 9 };
    random_source source = random_salted(8);
    for (size_t f = 0; f < FORMATS; f++) {
        outputs first = {0};
        for (size_t m = 0; m < METHODS; m++) {
            random_source same = source;
            track_set set;
            set_random(&same, TRACKS, KEYS, 0, 3.1, true, true, &set);
            pm_clip *clip = clip_of(state, &set, formats[f], keys_alone[m], 0);
            outputs out =
                sampled(clip, (pm_sample_job){.sample_count = KEYS, .times = set.tracks[0].times},
                        (size_t)KEYS * TRACKS);
            for (size_t i = 0; i < (size_t)KEYS * TRACKS; i++)
                assert_true(off_by(&set, i % TRACKS, i / TRACKS, out.rotations + 4 * i) <=
                            bound_of(formats[f]));
            const int16_t *codes = clip->channels[PM_ROTATIONS].keys;
            for (size_t i = 0; i < (size_t)KEYS * TRACKS; i++) {
                const pm_quat k = pm_key_load(formats[f], codes,
                                              4 * (i / TRACKS * clip->padded_tracks + i % TRACKS));
                assert_memory_equal(&k, out.rotations + 4 * i, sizeof k);
            }
            if (m > 0)
                expect_same_outputs(&out, &first);
            if (m == 0)
                first = out;
            else
                outputs_free(&out);
            pm_clip_destroy(&clip);
            set_destroy(&set);
        }
        outputs_free(&first);
    }
}

static void expect_device_bits(const pm_clip *clip, pm_sample_job job, size_t rows) {
    float *device = guarded_floats(4 * rows), *host = guarded_floats(4 * rows);
    job.rotations = device;
    sample_make(clip, &job);
    job.rotations = host;
    job.on_reference = true;
    sample_make(clip, &job);
    expect_same_bits(device, host, 4 * rows, 4);
    expect_guards(device, 4 * rows);
    guarded_free(device);
    guarded_free(host);
}

/* Values of both kernels, and derivatives. */
static void expect_all_device_bits(const pm_clip *clip, const track_set *set) {
    enum { COUNT = 60 };
    random_source source = random_salted(9);
    double times[COUNT];
    uint32_t tracks[COUNT];
    float v[2][COUNT * 3];
    for (size_t k = 0; k < COUNT; k++) {
        times[k] = random_between(&source, -1, 12);
        tracks[k] = (uint32_t)(random_bits(&source) % set->count);
    }
    expect_device_bits(clip, (pm_sample_job){.sample_count = COUNT, .times = times},
                       COUNT * set->count);
    expect_device_bits(
        clip, (pm_sample_job){.sample_count = COUNT, .times = times, .tracks = tracks}, COUNT);
    for (int host = 0; host < 2; host++)
        sample_make(clip, &(pm_sample_job){.sample_count = COUNT,
                                           .times = times,
                                           .tracks = tracks,
                                           .velocities = v[host],
                                           .on_reference = host});
    expect_same_bits(v[0], v[1], (size_t)COUNT * 3, 3);
}

static void every_lane_width_of_the_device_has_the_references_bits(void **state) {
    static const uint32_t widths[] = {1, 4, 8, 16};
    const pm_engine *usual = engine_for(state);
    random_source source = random_salted(10);
    for (size_t w = 0; w < 4; w++) {
        if (!can_compile_lanes(usual, widths[w]))
            continue;
        pm_engine *engine = engine_with(state, &(pm_engine_desc){.lanes = widths[w]});
        for (size_t n = 0; n < FORMATS * 2 * 3; n++) {
            static const size_t counts[] = {3, 16, 37};
            const bool shared = n / FORMATS % 2;
            track_set set;
            set_random(&source, counts[n / FORMATS / 2], 7, 0, 3.1, true, shared, &set);
            pm_clip_desc desc = set_describe(&set);
            desc.key_format = formats[n % FORMATS];
            desc.loop_period = shared ? 13 : 0;
            pm_clip *clip = clip_make(engine, &desc);
            expect_all_device_bits(clip, &set);
            pm_clip_destroy(&clip);
            set_destroy(&set);
        }
        pm_engine_destroy(&engine);
    }
}

static void expect_host_kernels(const pm_clip *clip, pm_sample_job job, bool walks) {
    static const uint32_t widths[] = {1, 16};
    const size_t rows = job.sample_count * (job.tracks ? 1 : clip->track_count);
    float *expected = guarded_floats(4 * rows), *got = guarded_floats(4 * rows);
    job.rotations = expected;
    sample_make(clip, &job);
    job.rotations = got;
    for (size_t n = 0; n < 4; n++) {
        const host_launch launch = {widths[n % 2], n < 2 ? KERNEL_GATHER : KERNEL_WALK, 3, 5};
        if (!walks && launch.kernel == KERNEL_WALK)
            continue;
        memset(got, 0x5A, 4 * rows * sizeof *got);
        kernels_on_host_sample(&launch, clip, &job);
        expect_same_bits(got, expected, 4 * rows, 4);
    }
    expect_guards(got, 4 * rows);
    guarded_free(expected);
    guarded_free(got);
}

/* With buffers of their exact sizes: the sanitizers see what is read beside them. */
static void kernels_on_the_host_have_the_references_bits(void **state) {
    enum { COUNT = 29 };
    random_source source = random_salted(11);
    for (size_t n = 0; n < FORMATS * 2 * 40; n++) {
        const size_t tracks = 1 + n / FORMATS / 2;
        const bool shared = n / FORMATS % 2;
        double times[COUNT];
        track_set set;
        set_random(&source, tracks, 1 + tracks % 7, 0, 3.1, true, shared, &set);
        pm_clip *clip = clip_of(state, &set, formats[n % FORMATS], PM_METHOD_SLERP, 0);
        for (size_t k = 0; k < COUNT; k++)
            times[k] = random_between(&source, -1, 8);
        expect_host_kernels(clip, (pm_sample_job){.sample_count = COUNT, .times = times}, shared);
        pm_clip_destroy(&clip);
        set_destroy(&set);
    }
}

static double dot_of(const float *a, const float *b) {
    return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2] +
           (double)a[3] * (double)b[3];
}

/* Half turns from key to key, whose signs quantisation could part, in a loop over many laps. */
static void signs_are_continuous_in_time_and_from_lap_to_lap(void **state) {
    engine_for(state);
    enum { TRACKS = 19, KEYS = 11, COUNT = 700 };
    random_source source = random_salted(12);
    for (size_t f = 0; f < FORMATS; f++) {
        track_set set;
        set_random(&source, TRACKS, KEYS, 3.14159, 3.1415926535, false, true, &set);
        pm_clip *clip = clip_of(state, &set, formats[f], PM_METHOD_SLERP, KEYS);
        float *out = guarded_floats((size_t)COUNT * TRACKS * 4);
        bool odd = false;
        sample_make(
            clip, &(pm_sample_job){
                      .sample_count = COUNT, .rate = {17, 1}, .start = {-14, 1}, .rotations = out});
        for (size_t k = 1; k < COUNT; k++)
            for (size_t t = 0; t < TRACKS; t++)
                assert_true(dot_of(out + 4 * (k * TRACKS + t), out + 4 * ((k - 1) * TRACKS + t)) >
                            0.9);
        for (size_t t = 0; t < TRACKS; t++) {
            const float wrap = clip->wraps[t];
            const float *a = out + 4 * (3 * TRACKS + t), *b = a + 4 * (size_t)(17 * KEYS * TRACKS);
            for (size_t i = 0; i < 4; i++)
                assert_true(a[i] == wrap * b[i]);
            odd = odd || wrap < 0;
        }
        assert_true(odd);
        expect_guards(out, (size_t)COUNT * TRACKS * 4);
        guarded_free(out);
        pm_clip_destroy(&clip);
        set_destroy(&set);
    }
}

/* Slerp over keys that decoding left a little further than a quarter turn of the sphere apart. */
static void between_keys_the_curve_is_that_of_the_decoded_keys(void **state) {
    engine_for(state);
    enum { TRACKS = 16, KEYS = 12, PARTS = 8 };
    random_source source = random_salted(13);
    for (size_t f = 0; f < FORMATS; f++) {
        track_set set;
        set_random(&source, TRACKS, KEYS, 0, 3.1415926535, false, true, &set);
        pm_clip *clip = clip_of(state, &set, formats[f], PM_METHOD_SLERP, 0);
        const size_t rows = (size_t)((KEYS - 1) * PARTS + 1) * TRACKS;
        float *out = guarded_floats(rows * 4);
        sample_make(clip, &(pm_sample_job){.sample_count = rows / TRACKS,
                                           .times = NULL,
                                           .rate = {PARTS, 1},
                                           .rotations = out});
        for (size_t row = 0; row < rows; row++) {
            const size_t key = row / TRACKS / PARTS, part = row / TRACKS % PARTS;
            const float *a = out + 4 * (key * PARTS * TRACKS + row % TRACKS),
                        *b = part ? a + 4 * (size_t)(PARTS * TRACKS) : a;
            double expected[4];
            slerp_double(a, b, (double)part / PARTS, expected);
            assert_true(rotation_error(out + 4 * row, expected) <= 4e-7);
        }
        guarded_free(out);
        pm_clip_destroy(&clip);
        set_destroy(&set);
    }
}

static void positions_beside_them_stay_float(void **state) {
    engine_for(state);
    enum { TRACKS = 5, KEYS = 6 };
    random_source source = random_salted(14);
    track_set set;
    set_random(&source, TRACKS, KEYS, 0, 3, true, true, &set);
    outputs expected = {0};
    for (int format = 0; format < PM_KEYS_COUNT; format++) {
        pm_clip *clip = clip_of(state, &set, (pm_key_format)format, PM_METHOD_SLERP, 0);
        outputs out =
            sampled(clip, (pm_sample_job){.sample_count = KEYS, .times = set.tracks[0].times},
                    (size_t)KEYS * TRACKS);
        if (format > 0) {
            expect_same_bits(out.positions, expected.positions, (size_t)KEYS * TRACKS * 3, 3);
            expect_same_bits(out.scales, expected.scales, (size_t)KEYS * TRACKS * 3, 3);
            outputs_free(&out);
        } else {
            expected = out;
        }
        pm_clip_destroy(&clip);
    }
    outputs_free(&expected);
    set_destroy(&set);
}

/* ---- sizes and refusals ---- */

static uint64_t bytes_of(void **state, track_set *set, pm_key_format format) {
    pm_clip_desc desc = set_describe(set);
    desc.key_format = format;
    desc.positions = desc.scales = (pm_array){0};
    pm_clip *clip = clip_make(engine_for(state), &desc);
    pm_clip_info info;
    pm_clip_get_info(clip, &info);
    pm_clip_destroy(&clip);
    return info.device_bytes;
}

static void device_bytes_are_what_the_format_takes(void **state) {
    enum { TRACKS = 32, KEYS = 10 };
    random_source source = random_salted(15);
    track_set set;
    set_random(&source, TRACKS, KEYS, 0, 3, true, true, &set);
    assert_int_equal(bytes_of(state, &set, PM_KEYS_FLOAT32), 16 * TRACKS * KEYS);
    assert_int_equal(bytes_of(state, &set, PM_KEYS_LOG48), 98 * TRACKS / 16 * KEYS);
    assert_int_equal(bytes_of(state, &set, PM_KEYS_SMALLEST48), 96 * TRACKS / 16 * KEYS);
    set_destroy(&set);
    set_random(&source, TRACKS, KEYS, 0, 3, true, false, &set); /* each track whole groups */
    assert_int_equal(bytes_of(state, &set, PM_KEYS_FLOAT32), 16 * TRACKS * KEYS);
    assert_int_equal(bytes_of(state, &set, PM_KEYS_LOG48), 98 * TRACKS);
    assert_int_equal(bytes_of(state, &set, PM_KEYS_SMALLEST48), 96 * TRACKS);
    set_destroy(&set);
}

static void sizes_that_do_not_fit_are_told(void **state) {
    (void)state;
    size_t bytes = 0;
    assert_true(pm_key_bytes(PM_KEYS_LOG48, 64, &bytes));
    assert_int_equal(bytes, 98);
    assert_true(pm_key_bytes(PM_KEYS_LOG48, SIZE_MAX / 64 * 64, &bytes) ==
                (SIZE_MAX / 64 <= SIZE_MAX / 98));
    assert_false(pm_key_bytes(PM_KEYS_FLOAT32, SIZE_MAX / 2, &bytes));
}

static void methods_that_store_more_than_keys_are_refused(void **state) {
    (void)state;
    static const double axis[3] = {0, 1, 0};
    random_source source = random_salted(16);
    track_set set;
    set_random(&source, 3, 6, 0, 3, false, true, &set);
    for (int method = 0; method < PM_METHOD_COUNT; method++)
        for (int format = 0; format < PM_KEYS_COUNT; format++) {
            pm_error error = poisoned_error();
            pm_clip_desc desc = set_describe(&set);
            set_give_tangents(&set, &desc);
            desc.axes = (pm_array){.data = axis, .type = PM_FLOAT64};
            desc.axis_count = 1;
            desc.method = (pm_method)method;
            desc.key_format = (pm_key_format)format;
            const pm_status status = pm_clip_check(&desc, &error);
            if (format == PM_KEYS_FLOAT32 ||
                pm_method_describe(desc.method)->floats_per_segment == 4)
                expect_ok(status, &error);
            else
                expect_refusal(status, &error, PM_ERROR_ARGUMENT, "key_format");
        }
    set_destroy(&set);
}

static void a_format_out_of_range_is_refused(void **state) {
    (void)state;
    random_source source = random_salted(17);
    track_set set;
    set_random(&source, 1, 3, 0, 3, false, true, &set);
    pm_clip_desc desc = set_describe(&set);
    const pm_key_format bad[] = {PM_KEYS_COUNT, (pm_key_format)-1};
    for (size_t i = 0; i < 2; i++) {
        pm_error error = poisoned_error();
        desc.key_format = bad[i];
        expect_refusal(pm_clip_check(&desc, &error), &error, PM_ERROR_ARGUMENT, "key_format");
    }
    set_destroy(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_keys_are_within_the_bound),
        cmocka_unit_test(keys_near_the_corners_of_the_charts_are_within_the_bound),
        cmocka_unit_test(exact_and_tiny_components_are_within_the_bound),
        cmocka_unit_test(the_bound_is_no_larger_than_it_must_be),
        cmocka_unit_test(the_identity_is_exact),
        cmocka_unit_test(neighbours_in_a_group_do_not_touch_each_other),
        cmocka_unit_test(a_key_takes_the_sign_nearest_the_one_before),
        cmocka_unit_test(a_repeated_key_is_the_same_or_its_negative_to_the_bit),
        ON_BOTH(curves_pass_through_the_decoded_keys_to_the_bit),
        ONLY_ON_DEVICE(every_lane_width_of_the_device_has_the_references_bits),
        {"kernels on the host have the reference's bits",
         kernels_on_the_host_have_the_references_bits, NULL, NULL, &on_reference},
        ON_BOTH(signs_are_continuous_in_time_and_from_lap_to_lap),
        ON_BOTH(between_keys_the_curve_is_that_of_the_decoded_keys),
        ON_BOTH(positions_beside_them_stay_float),
        ON_BOTH(device_bytes_are_what_the_format_takes),
        cmocka_unit_test(sizes_that_do_not_fit_are_told),
        cmocka_unit_test(methods_that_store_more_than_keys_are_refused),
        cmocka_unit_test(a_format_out_of_range_is_refused),
    };
    return cmocka_run_group_tests_name("key format", tests, NULL, engines_close);
}
