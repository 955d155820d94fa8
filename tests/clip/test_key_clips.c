/* SPDX-License-Identifier: MIT
 *
 * Clips with keys of 48 bits: the reference and the device give the same samples, curves pass through
 * the decoded keys, and device memory is as documented.
 */
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <math.h>
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
    desc.loop = period;
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
    enum { TRACKS = 37, KEYS = 9 };
    random_source source = random_salted(8);
    for (size_t n = 0; n < (size_t)FORMATS * PM_METHOD_COUNT; n++) {
        const pm_method method = (pm_method)(n / FORMATS);
        if (pm_method_get_info(method)->floats_per_segment != 4)
            continue; /* it stores more than keys, and takes no such format */
        SCOPED(set_destroy) track_set set;
        set_random(&source, TRACKS, KEYS, 0, 3.1, true, true, &set);
        SCOPED(pm_clip_destroy)
        pm_clip *clip = clip_of(state, &set, formats[n % FORMATS], method, 0);
        const pm_sample_job job = {.sample_count = KEYS, .times = set.tracks[0].times};
        SCOPED(outputs_free) outputs out = sampled(clip, job);
        expect_decoded_keys(clip, &set, KEYS, &out);
    }
}

/* Values from both kernels, and derivatives. */
static void expect_all_device_bits(const pm_clip *clip, const track_set *set) {
    enum { COUNT = 60 };
    random_source source = random_salted(9);
    double times[COUNT];
    uint32_t tracks[COUNT];
    for (size_t k = 0; k < COUNT; k++) {
        times[k] = random_between(&source, -1, 12);
        tracks[k] = (uint32_t)(random_bits(&source) % set->count);
    }
    pm_sample_job job = {.sample_count = COUNT, .times = times};
    expect_reference_bits(clip, job, ONLY_ROTATIONS);
    job.tracks = tracks;
    expect_reference_bits(clip, job, ONLY_ROTATIONS | ONLY_RATES);
}

TEST_ON_DEVICE(the_device_has_the_bits_of_the_reference) {
    random_source source = random_salted(10);
    for (size_t n = 0; n < FORMATS * 2 * 3; n++) {
        static const size_t counts[] = {3, 16, 37};
        const bool common_timeline = n / FORMATS % 2;
        SCOPED(set_destroy) track_set set;
        set_random(&source, counts[n / FORMATS / 2], 7, 0, 3.1, true, common_timeline, &set);
        pm_clip_desc desc = set_describe(&set);
        desc.key_format = formats[n % FORMATS];
        desc.loop = common_timeline ? 13 : 0;
        SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
        expect_all_device_bits(clip, &set);
    }
}

static double dot_of(const float *a, const float *b) {
    return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2] +
           (double)a[3] * (double)b[3];
}

/* Half turns from key to key, whose signs quantisation could change, in a loop over many laps. */
TEST_ON_BOTH(signs_are_continuous_in_time_and_from_lap_to_lap) {
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
    enum { TRACKS = 5, KEYS = 6 };
    random_source source = random_salted(14);
    SCOPED(set_destroy) track_set set;
    set_random(&source, TRACKS, KEYS, 0, 3, true, true, &set);
    SCOPED(outputs_free) outputs expected = {0};
    for (int format = 0; format < PM_KEYS_COUNT; format++) {
        SCOPED(pm_clip_destroy)
        pm_clip *clip = clip_of(state, &set, (pm_key_format)format, PM_METHOD_SLERP, 0);
        outputs out =
            sampled(clip, (pm_sample_job){.sample_count = KEYS, .times = set.tracks[0].times});
        if (format > 0) {
            expect_same_bits(out.positions, expected.positions, (size_t)KEYS * TRACKS * 3, 3);
            expect_same_bits(out.scales, expected.scales, (size_t)KEYS * TRACKS * 3, 3);
            outputs_free(&out);
        } else {
            expected = out;
        }
    }
}

/* ---- coded rows ---- */

enum { CODED_KEYS = 9, MOST_TRACKS = 37, GAP = 5 };

typedef struct coded_case {
    size_t tracks;
    float numbers[CODED_KEYS * MOST_TRACKS * 4];
    unsigned char codes[CODED_KEYS * (6 * MOST_TRACKS + 8 + GAP)]; /* from an odd address on */
    size_t row;
} coded_case;

/* Keys in all directions, some of which repeat the one before with the other sign or are half a turn from
 * it, so that the sign of a key matters. */
static void make_coded(random_source *source, pm_key_format format, size_t tracks, coded_case *c) {
    c->tracks = tracks;
    for (size_t i = 0; i < CODED_KEYS * tracks; i++) {
        float *q = c->numbers + 4 * i;
        double turn[4];
        random_quaternion(source, turn);
        const size_t what = i < tracks ? 2 : random_size(source, 0, 4);
        for (size_t k = 0; k < 4; k++)
            q[k] = what == 0 ? -(q - 4 * tracks)[k] : (float)turn[k];
        if (what == 3) { /* a half turn about an axis, or none */
            memset(q, 0, 4 * sizeof *q);
            q[random_size(source, 0, 3)] = random_bits(source) & 1 ? -1 : 1;
        }
        if (what == 1) { /* x times the key before */
            const float *b = q - 4 * tracks;
            memcpy(q, (float[4]){b[3], -b[2], b[1], -b[0]}, 4 * sizeof *q);
        }
    }
    c->row = pm_keys_row_bytes(format, tracks);
    memset(c->codes, 0xA5, sizeof c->codes);
    expect_success(
        pm_keys_encode(format, c->numbers, CODED_KEYS, tracks, c->codes + 1, new_error()));
}

static void expect_same_keys(const pm_clip_desc *numbers, const pm_clip_desc *codes) {
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    SCOPED(pm_clip_destroy) pm_clip *a = clip_make(engine, numbers), *b = clip_make(engine, codes);
    const pm_channel *x = &a->data->channels[PM_ROTATIONS], *y = &b->data->channels[PM_ROTATIONS];
    assert_int_equal(x->key_bytes, y->key_bytes);
    assert_memory_equal(x->keys, y->keys, x->key_bytes);
    assert_memory_equal(a->data->wraps, b->data->wraps,
                        a->data->track_count * sizeof *a->data->wraps);
    float samples[2][4 * MOST_TRACKS * 4]; /* without a clip */
    for (size_t i = 0; i < 2; i++) {
        memset(samples[i], 0x5a, sizeof samples[i]);
        const pm_sample_job job = {.sample_count = 4, .rate = {17, 1}, .rotations = samples[i]};
        expect_success(pm_resample(i ? codes : numbers, &job, new_error()));
    }
    assert_memory_equal(samples[0], samples[1], sizeof samples[0]);
}

TEST(clips_of_coded_rows_have_the_bits_of_those_that_encode) {
    static const size_t counts[] = {1, 2, 8, 15, 16, 17, 37};
    random_source source = random_salted(17);
    for (size_t n = 0; n < FORMATS * 7 * 6; n++) {
        const pm_key_format format = formats[n % FORMATS];
        static coded_case c;
        make_coded(&source, format, counts[n / FORMATS % 7], &c);
        const size_t keys = n % 5 == 0 ? 1 : CODED_KEYS;
        const pm_timeline line = {.key_count = keys, .rate = {30, 1}};
        pm_clip_desc desc = {.track_count = c.tracks,
                             .timelines = &line,
                             .rotations = {.data = c.numbers},
                             .method = n / FORMATS / 7 % 2 ? PM_METHOD_NLERP : PM_METHOD_SLERP,
                             .key_format = format,
                             .loop = n % 3 ? 0 : (double)keys / 30};
        pm_clip_desc coded = desc;
        coded.rotations = (pm_array){c.codes + 1, PM_CODED, 0};
        expect_same_keys(&desc, &coded);
        /* Rows apart, from the second on, as a motion of many. */
        static unsigned char apart[sizeof c.codes];
        for (size_t k = 0; k < keys; k++)
            memcpy(apart + k * (c.row + GAP), c.codes + 1 + k * c.row, c.row);
        coded.rotations = (pm_array){apart, PM_CODED, c.row + GAP};
        expect_same_keys(&desc, &coded);
    }
}

/* The layout and the formula in posemill.h and docs/methods.md, in double. */
TEST(coded_rows_are_as_documented_and_within_the_bound) {
    random_source source = random_salted(18);
    for (size_t n = 0; n < FORMATS * 20; n++) {
        const pm_key_format format = formats[n % FORMATS];
        static coded_case c;
        static float decoded[CODED_KEYS * MOST_TRACKS * 4];
        make_coded(&source, format, random_size(&source, 1, MOST_TRACKS), &c);
        const size_t words = format == PM_KEYS_LOG48 ? (c.tracks + 15) / 16 : 0;
        assert_int_equal(c.row, 6 * c.tracks + 2 * words);
        assert_int_equal(c.codes[0], 0xA5);
        assert_int_equal(c.codes[1 + CODED_KEYS * c.row], 0xA5);
        memset(decoded, 0x5a, sizeof decoded);
        expect_success(
            pm_keys_decode(format, c.codes + 1, CODED_KEYS, c.tracks, decoded, new_error()));
        for (size_t i = 0; i < CODED_KEYS * c.tracks; i++) {
            const unsigned char *row = c.codes + 1 + i / c.tracks * c.row;
            double given[4];
            int16_t p[3];
            uint16_t signs = 0;
            for (size_t k = 0; k < 4; k++)
                given[k] = (double)c.numbers[4 * i + k];
            assert_true(rotation_error(decoded + 4 * i, given) <= bound_of(format));
            assert_true(dot_of(decoded + 4 * i, c.numbers + 4 * i) > 0);
            if (format != PM_KEYS_LOG48)
                continue;
            memcpy(p, row + 6 * (i % c.tracks), 6);
            memcpy(&signs, row + 6 * c.tracks + 2 * (i % c.tracks / 16), 2);
            const double step = sqrt(2) / 32767, sign = signs >> i % c.tracks % 16 & 1 ? -1 : 1;
            const double length2 =
                step * step * ((double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]);
            for (size_t k = 0; k < 3; k++)
                assert_true(fabs(sign * p[k] * step * sqrt(1 - length2 / 4) -
                                 (double)decoded[4 * i + k]) < 1e-6);
            assert_true(fabs(sign * (1 - length2 / 2) - (double)decoded[4 * i + 3]) < 1e-6);
        }
    }
}

TEST(a_key_and_its_negative_have_the_same_codes_but_for_the_sign) {
    random_source source = random_salted(21);
    for (size_t n = 0; n < FORMATS * 40; n++) {
        const pm_key_format format = formats[n % FORMATS];
        static coded_case a, b;
        make_coded(&source, format, 16, &a);
        for (size_t i = 0; i < sizeof b.numbers / sizeof *b.numbers; i++)
            b.numbers[i] = -a.numbers[i];
        expect_success(pm_keys_encode(format, b.numbers, CODED_KEYS, 16, b.codes + 1, new_error()));
        for (size_t k = 0; k < CODED_KEYS; k++) {
            const unsigned char *x = a.codes + 1 + k * a.row, *y = b.codes + 1 + k * a.row;
            for (size_t i = 0; i < a.row; i++) {
                const bool has_sign = format == PM_KEYS_LOG48 ? i >= 96 : i % 6 == 4;
                const unsigned sign = !has_sign ? 0 : format == PM_KEYS_LOG48 ? 255 : 1;
                assert_int_equal(x[i] ^ y[i], sign);
            }
        }
    }
}

TEST(coded_rows_that_are_none_are_refused) {
    static const uint32_t timeline_of[3] = {0, 1, 0};
    static coded_case c;
    random_source source = random_salted(19);
    const pm_timeline lines[] = {{.key_count = CODED_KEYS, .rate = {30, 1}},
                                 {.key_count = 1, .rate = {30, 1}}};
    for (size_t f = 0; f < FORMATS; f++) {
        make_coded(&source, formats[f], 3, &c);
        const pm_clip_desc good = {.track_count = 3,
                                   .timelines = lines,
                                   .rotations = {c.codes + 1, PM_CODED, 0},
                                   .key_format = formats[f]};
        pm_clip_desc of_numbers = good, of_two = good, narrow = good, places = good, wide = good,
                     loop = good;
        of_numbers.key_format = PM_KEYS_FLOAT32;
        of_two.timeline_of = timeline_of;
        of_two.timeline_count = 2;
        narrow.rotations.stride = c.row - 1;
        places.positions = good.rotations;
        wide.rotations.stride = SIZE_MAX / 4;
        loop.loop = (CODED_KEYS - 1) / 30.0; /* the last key is not the first */
        const struct {
            const pm_clip_desc *desc;
            pm_status status;
            const char *words;
        } rows[] = {
            {&of_numbers, PM_ERROR_ARGUMENT, "48 bits"},
            {&of_two, PM_ERROR_ARGUMENT, "one timeline"},
            {&narrow, PM_ERROR_ARGUMENT, "stride"},
            {&places, PM_ERROR_ARGUMENT, ".positions: has a type"},
            {&wide, PM_ERROR_SIZE, "do not fit"},
            {&loop, PM_ERROR_TIME, "differ from those of the first"},
        };
        expect_success(pm_clip_check(&good, new_error()));
        for (size_t n = 0; n < COUNT_OF(rows); n++)
            expect_error(pm_clip_check(rows[n].desc, new_error()), rows[n].status, rows[n].words);
        float out[CODED_KEYS * 3 * 4];
        const int16_t most[3] = {INT16_MIN, INT16_MAX, INT16_MIN};
        memcpy(c.codes + 1 + 4 * c.row + 2 * sizeof most, most, sizeof most);
        expect_error(pm_clip_check(&good, new_error()), PM_ERROR_KEY, "(track 2, key 4)");
        expect_error(pm_keys_decode(formats[f], c.codes + 1, CODED_KEYS, 3, out, new_error()),
                     PM_ERROR_KEY, "(track 2, key 4)");
        c.numbers[4 * 7 + 1] = NAN;
        expect_error(pm_keys_encode(formats[f], c.numbers, CODED_KEYS, 3, c.codes, new_error()),
                     PM_ERROR_KEY, "(track 1, key 2)");
        expect_error(pm_keys_encode(formats[f], c.numbers, CODED_KEYS, 0, c.codes, new_error()),
                     PM_ERROR_ARGUMENT, "tracks is 0");
        expect_error(pm_keys_decode(formats[f], c.codes, SIZE_MAX / 8, 3, out, new_error()),
                     PM_ERROR_SIZE, "do not fit");
    }
    assert_int_equal(pm_keys_row_bytes((pm_key_format)9, 3), 0);
    assert_int_equal(pm_keys_row_bytes(PM_KEYS_LOG48, SIZE_MAX), 0);
    expect_error(pm_keys_encode(PM_KEYS_FLOAT32, c.numbers, 1, 3, c.codes, new_error()),
                 PM_ERROR_ARGUMENT, "format");
}

/* Any codes that are taken are unit quaternions. */
TEST(all_codes_that_exist_are_rotations) {
    random_source source = random_salted(20);
    size_t taken = 0;
    for (size_t n = 0; n < 400000; n++) {
        const pm_key_format format = formats[n % FORMATS];
        uint64_t bits = random_bits(&source);
        float q[4] = {0};
        if (pm_keys_decode(format, &bits, 1, 1, q, new_error()) != PM_OK)
            continue;
        taken++;
        assert_true(fabs(dot_of(q, q) - 1) < 1e-6);
    }
    assert_true(taken > 100000 && taken < 390000);
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
    for (int common = 0; common < 2; common++) { /* the groups of each track are whole */
        const size_t rows_of_groups = common ? TRACKS / 16 * KEYS : TRACKS;
        SCOPED(set_destroy) track_set set;
        set_random(&source, TRACKS, KEYS, 0, 3, true, common, &set);
        assert_int_equal(bytes_of(state, &set, PM_KEYS_FLOAT32), 16 * TRACKS * KEYS);
        assert_int_equal(bytes_of(state, &set, PM_KEYS_LOG48), 98 * rows_of_groups);
        assert_int_equal(bytes_of(state, &set, PM_KEYS_SMALLEST48), 96 * rows_of_groups);
    }
}

TEST_GROUP(NULL, engines_close)
