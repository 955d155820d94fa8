/* SPDX-License-Identifier: MIT
 *
 * Clips with keys of 48 bits: the reference and the device give the same samples, curves pass through
 * the decoded keys, and device memory is as documented.
 */
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <string.h>

#include "base/counts.h"
#include "engine/engine.h"

static const pm_key_format formats[] = {PM_KEYS_LOG48, PM_KEYS_SMALLEST48};
enum { FORMATS = 2 };

/* The bounds in posemill.h. */
static double bound_of(pm_key_format format) {
    return format == PM_KEYS_LOG48 ? 7.6e-5 : 8.7e-5;
}

static pm_clip *clip_of(void **state, track_set *set, pm_key_format format, pm_method method,
                        double period) {
    pm_clip_desc desc = set_describe(set);
    desc.method = method;
    desc.key_format = format;
    desc.loop_period = period;
    return clip_make(engine_for(state), &desc);
}

/* Checks that samples at the keys of a common timeline equal the decoded keys, near the given
 * keys. */
static void expect_decoded_keys(const pm_clip *clip, const track_set *set, size_t keys,
                                const outputs *out) {
    const pm_channel *channel = &clip->data->channels[PM_ROTATIONS];
    for (size_t k = 0; k < keys; k++)
        for (size_t t = 0; t < set->count; t++) {
            const float *value = out->rotations + 4 * (k * set->count + t);
            const pm_quat key = pm_key_load(channel->format, channel->keys,
                                            channel->layout[t].first + k * channel->layout[t].row);
            assert_memory_equal(&key, value, sizeof key);
            assert_true(rotation_error(value, set->tracks[t].keys[k]) <= bound_of(channel->format));
        }
}

TEST_ON_BOTH(curves_pass_through_the_decoded_keys_to_the_bit) {
    engine_for(state);
    enum { TRACKS = 37, KEYS = 9 };
    random_source source = random_salted(8);
    for (size_t n = 0; n < (size_t)FORMATS * PM_METHOD_COUNT; n++) {
        const pm_method method = (pm_method)(n / FORMATS);
        track_set set;
        if (pm_method_get_info(method)->floats_per_segment != 4)
            continue; /* it stores more than keys, and takes no such format */
        set_random(&source, TRACKS, KEYS, 0, 3.1, true, true, &set);
        pm_clip *clip = clip_of(state, &set, formats[n % FORMATS], method, 0);
        const pm_sample_job job = {.sample_count = KEYS, .times = set.tracks[0].times};
        SCOPED(outputs_free) outputs out = sampled(clip, job, (size_t)KEYS * TRACKS);
        expect_decoded_keys(clip, &set, KEYS, &out);
        pm_clip_destroy(&clip);
        set_destroy(&set);
    }
}

static void expect_device_bits(const pm_clip *clip, pm_sample_job job, size_t rows) {
    SCOPED(guarded_free_at)
    float *device = guarded_floats(4 * rows), *host = guarded_floats(4 * rows);
    job.rotations = device;
    sample_make(clip, &job);
    job.rotations = host;
    job.on_reference = true;
    sample_make(clip, &job);
    expect_same_bits(device, host, 4 * rows, 4);
}

/* Values from both kernels, and derivatives. */
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

TEST_ON_DEVICE(every_lane_width_of_the_device_has_the_bits_of_the_reference) {
    static const uint32_t widths[] = {1, 4, 8, 16};
    const pm_engine *usual = engine_for(state);
    random_source source = random_salted(10);
    for (size_t w = 0; w < 4; w += has_few_programs(state) ? 3 : 1) {
        if (!can_compile_lanes(usual, widths[w]))
            continue;
        SCOPED(pm_engine_destroy)
        pm_engine *engine = engine_with(state, &(pm_engine_desc){.lanes = widths[w]});
        for (size_t n = 0; n < FORMATS * 2 * 3; n++) {
            static const size_t counts[] = {3, 16, 37};
            const bool common_timeline = n / FORMATS % 2;
            SCOPED(set_destroy) track_set set;
            set_random(&source, counts[n / FORMATS / 2], 7, 0, 3.1, true, common_timeline, &set);
            pm_clip_desc desc = set_describe(&set);
            desc.key_format = formats[n % FORMATS];
            desc.loop_period = common_timeline ? 13 : 0;
            SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
            expect_all_device_bits(clip, &set);
        }
    }
}

static double dot_of(const float *a, const float *b) {
    return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2] +
           (double)a[3] * (double)b[3];
}

/* Half turns from key to key, whose signs quantisation could change, in a loop over many laps. */
TEST_ON_BOTH(signs_are_continuous_in_time_and_from_lap_to_lap) {
    engine_for(state);
    enum { TRACKS = 19, KEYS = 11, COUNT = 700 };
    random_source source = random_salted(12);
    for (size_t f = 0; f < FORMATS; f++) {
        SCOPED(set_destroy) track_set set;
        set_random(&source, TRACKS, KEYS, 3.14159, 3.1415926535, false, true, &set);
        SCOPED(pm_clip_destroy)
        pm_clip *clip = clip_of(state, &set, formats[f], PM_METHOD_SLERP, KEYS);
        SCOPED(guarded_free_at) float *out = guarded_floats((size_t)COUNT * TRACKS * 4);
        bool odd = false;
        sample_make(clip, &(pm_sample_job){.sample_count = COUNT,
                                           .rate = {17, 1},
                                           .start_after_first_key = {-14, 1},
                                           .rotations = out});
        for (size_t k = 1; k < COUNT; k++)
            for (size_t t = 0; t < TRACKS; t++)
                assert_true(dot_of(out + 4 * (k * TRACKS + t), out + 4 * ((k - 1) * TRACKS + t)) >
                            0.9);
        for (size_t t = 0; t < TRACKS; t++) {
            const float wrap = clip->data->wraps[t];
            const float *a = out + 4 * (3 * TRACKS + t), *b = a + 4 * (size_t)(17 * KEYS * TRACKS);
            for (size_t i = 0; i < 4; i++)
                assert_true(a[i] == wrap * b[i]);
            odd = odd || wrap < 0;
        }
        assert_true(odd);
    }
}

/* Slerp over keys whose angle exceeds a quarter turn of the sphere slightly after decoding. */
TEST_ON_BOTH(between_keys_the_curve_is_that_of_the_decoded_keys) {
    engine_for(state);
    enum { TRACKS = 16, KEYS = 12, PARTS = 8 };
    random_source source = random_salted(13);
    for (size_t f = 0; f < FORMATS; f++) {
        SCOPED(set_destroy) track_set set;
        set_random(&source, TRACKS, KEYS, 0, 3.1415926535, false, true, &set);
        SCOPED(pm_clip_destroy)
        pm_clip *clip = clip_of(state, &set, formats[f], PM_METHOD_SLERP, 0);
        const size_t rows = (size_t)((KEYS - 1) * PARTS + 1) * TRACKS;
        SCOPED(guarded_free_at) float *out = guarded_floats(rows * 4);
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
    }
}

TEST_ON_BOTH(positions_remain_float32_beside_keys_of_48_bits) {
    engine_for(state);
    enum { TRACKS = 5, KEYS = 6 };
    random_source source = random_salted(14);
    SCOPED(set_destroy) track_set set;
    set_random(&source, TRACKS, KEYS, 0, 3, true, true, &set);
    SCOPED(outputs_free) outputs expected = {0};
    for (int format = 0; format < PM_KEYS_COUNT; format++) {
        SCOPED(pm_clip_destroy)
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
    }
}

/* ---- sizes ---- */

static uint64_t bytes_of(void **state, track_set *set, pm_key_format format) {
    pm_clip_desc desc = set_describe(set);
    desc.key_format = format;
    desc.positions = desc.scales = (pm_array){0};
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
    pm_clip_info info;
    pm_clip_get_info(clip, &info);
    return info.device_bytes;
}

TEST_ON_BOTH(device_bytes_are_those_of_the_format) {
    enum { TRACKS = 32, KEYS = 10 };
    random_source source = random_salted(15);
    track_set set;
    set_random(&source, TRACKS, KEYS, 0, 3, true, true, &set);
    assert_int_equal(bytes_of(state, &set, PM_KEYS_FLOAT32), 16 * TRACKS * KEYS);
    assert_int_equal(bytes_of(state, &set, PM_KEYS_LOG48), 98 * TRACKS / 16 * KEYS);
    assert_int_equal(bytes_of(state, &set, PM_KEYS_SMALLEST48), 96 * TRACKS / 16 * KEYS);
    set_destroy(&set);
    set_random(&source, TRACKS, KEYS, 0, 3, true, false, &set); /* the groups of each track are
                                                                 * whole */
    assert_int_equal(bytes_of(state, &set, PM_KEYS_FLOAT32), 16 * TRACKS * KEYS);
    assert_int_equal(bytes_of(state, &set, PM_KEYS_LOG48), 98 * TRACKS);
    assert_int_equal(bytes_of(state, &set, PM_KEYS_SMALLEST48), 96 * TRACKS);
    set_destroy(&set);
}

TEST_GROUP(NULL, engines_close)
