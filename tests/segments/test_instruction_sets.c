/* SPDX-License-Identifier: MIT
 *
 * Vectorised clip building: the result for a track depends neither on the tracks beside it, nor on
 * the instruction set, nor on the borders of windows. Also the mathematical functions that it uses.
 */
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"
#include "support/test.h"
#include "support/variants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/counts.h"
#include "clip/description.h"
#include "engine/engine.h"
#include "kernels/pm_rotation_vector.h"

/* ---- tracks and their neighbours ---- */

enum { TRACKS = 21, KEYS = 9 };

/* Random tracks, smooth and strongly rotating in alternation, some with repeated keys. */
static void make_tracks(uint64_t salt, double period, track_set *set) {
    random_source source = random_salted(salt);
    set_random(&source, TRACKS, KEYS, 0.01, 3.1, true, true, set);
    for (size_t t = 0; t < TRACKS; t++) {
        test_track *track = &set->tracks[t];
        const double *times = set->tracks[0].times;
        if (t % 3 == 0)
            random_track(&source, KEYS, 1e-4, 0.3, true, track);
        if (t % 4 == 1)
            memcpy(track->keys[4], track->keys[3], sizeof track->keys[3]);
        memmove(track->times, times, sizeof track->times);
        track->period = period > 0 ? times[KEYS - 1] - times[0] + period : 0;
    }
}

/* The planes of a track from the first row to the last, in the order of memory. */
static size_t planes_of(const pm_clip_data *clip, unsigned c, size_t track, float *to) {
    const pm_channel *channel = &clip->channels[c];
    const pm_track_layout *at = &channel->layout[track];
    const float *keys = channel->keys;
    size_t rows = clip->timelines[clip->timeline_of[track]].segment_count + 1, count = 0;
    for (size_t k = 0; k < rows; k++)
        for (unsigned p = 0; p <= pm_curves[channel->impl.curve].coefficients; p++, count += 4)
            memcpy(to + count, keys + at->first + k * at->row + p * at->plane, 4 * sizeof(float));
    to[count] = at->wrap;
    return count + 1;
}

enum { MAX_FLOATS = (KEYS + 1) * 6 * 4 + 1 };

static void expect_same_track(const char *name, const pm_clip *a, size_t track, const pm_clip *b,
                              size_t other) {
    float planes[2][MAX_FLOATS];
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        const size_t count = planes_of(a->data, c, track, planes[0]);
        assert_int_equal(planes_of(b->data, c, other, planes[1]), count);
        if (memcmp(planes[0], planes[1], count * sizeof(float)) != 0)
            fail_msg("%s: %s of track %zu differ", name, pm_channel_name(c), track);
    }
}

/* Each track of the set in a separate clip. */
static void expect_same_alone(const variant *v, const track_set *set, const pm_clip *together) {
    for (size_t t = 0; t < TRACKS; t++) {
        SCOPED(set_destroy) track_set one;
        set_create(1, true, &one);
        one.tracks[0] = set->tracks[t];
        variant_prepare(v, &one);
        const pm_clip_desc desc = variant_describe(v, &one);
        SCOPED(pm_clip_destroy) pm_clip *alone = clip_make(engine_of_kind(ON_REFERENCE), &desc);
        expect_same_track(v->name, together, t, alone, 0);
    }
}

static void compare_alone_and_together(uint64_t salt, double period) {
    for (size_t i = 0; i < variant_count(); i++) {
        const variant *v = variant_at(i);
        SCOPED(set_destroy) track_set set;
        make_tracks(salt, period, &set);
        variant_prepare(v, &set);
        const pm_clip_desc desc = variant_describe(v, &set);
        SCOPED(pm_clip_destroy) pm_clip *together = clip_make(engine_of_kind(ON_REFERENCE), &desc);
        expect_same_alone(v, &set, together);
    }
}

TEST(a_track_has_the_same_bits_alone_and_among_others) {
    compare_alone_and_together(0x91, 0);
}

TEST(a_track_of_a_loop_has_the_same_bits_alone_and_among_others) {
    compare_alone_and_together(0x92, 0.7);
}

/* ---- instruction sets ---- */

/* Builds a clip's planes again with this set, from cleared memory. */
static void build_again(size_t instruction_set, const pm_clip_desc *desc, pm_clip_data *clip) {
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        const pm_track_span all = {.count = clip->track_count};
        const pm_block block = pm_clip_block(desc, clip, c, &all);
        memset(clip->channels[c].keys, 0xFF, clip->channels[c].key_bytes);
        assert_int_equal(pm_segment_functions_at(instruction_set)->build(&block).status, PM_OK);
    }
}

/* No code writes the rows after an open track's last key: they are zero in one clip, and a pattern
 * in the other. */
static void forget_last_rows(pm_clip_data *clip) {
    const pm_clip_timeline *timeline = &clip->timelines[0];
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        pm_channel *channel = &clip->channels[c];
        float *keys = channel->keys;
        for (size_t t = 0; t < clip->track_count; t++)
            for (unsigned p = 1; p <= pm_curves[channel->impl.curve].coefficients; p++) {
                const pm_track_layout *at = &channel->layout[t];
                memset(keys + at->first + timeline->segment_count * at->row + p * at->plane, 0,
                       4 * sizeof(float));
            }
    }
}

TEST(every_instruction_set_gives_the_same_bits) {
    for (size_t i = 0; i < 2 * variant_count(); i++) {
        const variant *v = variant_at(i / 2);
        SCOPED(set_destroy) track_set set;
        make_tracks(0x93, i % 2 ? 1.1 : 0, &set);
        variant_prepare(v, &set);
        const pm_clip_desc desc = variant_describe(v, &set);
        SCOPED(pm_clip_destroy)
        pm_clip *clip = clip_make(engine_of_kind(ON_REFERENCE), &desc),
                *again = clip_make(engine_of_kind(ON_REFERENCE), &desc);
        for (size_t s = 0; s < pm_instruction_set_count(); s++) {
            if (!pm_instruction_set_is_supported(s))
                continue;
            build_again(s, &desc, again->data);
            forget_last_rows(again->data);
            for (size_t t = 0; t < TRACKS; t++)
                expect_same_track(pm_instruction_set_name(s), clip, t, again, t);
        }
    }
}

/* ---- failures ---- */

TEST(the_first_track_without_a_curve_is_reported_in_any_lane) {
    enum { BAD = 17 };
    for (size_t bad = 0; bad < BAD; bad++) {
        const variant *v = variant_named("hermite, user");
        pm_clip *clip = NULL;
        SCOPED(set_destroy) track_set set;
        make_tracks(0x94, 0, &set);
        set.tracks[bad].tangents[3][1] = set.tracks[BAD].tangents[0][0] = 1e9;
        const pm_clip_desc desc = variant_describe(v, &set);
        assert_int_equal(pm_clip_create(engine_of_kind(ON_REFERENCE), &desc, &clip, new_error()),
                         PM_ERROR_KEY);
        expect_error_at(last_error(), bad, PM_NO_INDEX);
        assert_null(clip);
    }
}

/* ---- windows ---- */

enum { LONG = 150, BESIDE = 37, PARTS = 4 };

/* The part of a motion from a key on; the memory remains that of the whole motion. */
static motion motion_behind(const motion *m, size_t from) {
    const size_t row = from * m->tracks;
    motion rest = *m;
    rest.keys -= from;
    rest.rotations += row * 4;
    rest.positions += row * 3;
    rest.scales += row * 3;
    for (size_t i = 0; i < 3; i++) {
        rest.tangents_in[i] += row * (i == 0 ? 4 : 3);
        rest.tangents_out[i] += row * (i == 0 ? 4 : 3);
    }
    return rest;
}

static void clip_has_the_samples_of(const motion *m, pm_method method, size_t from, size_t keys) {
    const pm_rational rate = {1, 1}, finer = {PARTS, 1};
    const pm_timeline whole = {.key_count = m->keys, .rate = rate};
    const pm_timeline timeline = {.key_count = keys, .rate = rate};
    const motion rest = motion_behind(m, from);
    const pm_clip_desc desc = motion_desc(m, &whole, method);
    const pm_clip_desc desc_of_part = motion_desc(&rest, &timeline, method);
    SCOPED(pm_clip_destroy)
    pm_clip *all = clip_make(engine_of_kind(ON_REFERENCE), &desc),
            *part = clip_make(engine_of_kind(ON_REFERENCE), &desc_of_part);
    const size_t margin = 3; /* number of segments that an end may change */
    const size_t samples = (keys - 1 - 2 * margin) * PARTS;
    SCOPED(outputs_free)
    outputs a = sampled(
        all,
        (pm_sample_job){.sample_count = samples, .rate = finer, .first = (from + margin) * PARTS});
    SCOPED(outputs_free)
    outputs b = sampled(
        part, (pm_sample_job){.sample_count = samples, .rate = finer, .first = margin * PARTS});
    expect_same_outputs(&a, &b);
}

TEST(windows_of_a_long_track_join_without_a_discontinuity) {
    SCOPED(motion_free) motion m = motion_make(LONG, 5, 0.5, 0x95);
    random_source source = random_salted(0x9b);
    for (size_t i = 0; i < PM_METHOD_COUNT; i++) {
        const pm_method method = (pm_method)i;
        if (!pm_method_get_info(method)->local)
            continue;
        const size_t from = random_size(&source, 1, 100);
        clip_has_the_samples_of(&m, method, BESIDE, LONG - BESIDE);
        clip_has_the_samples_of(&m, method, from, random_size(&source, 10, LONG - from));
    }
}

/* Accelerations on both sides of every key of a spline, including the closing segment of a loop. */
static void expect_continuous_acceleration(double loop) {
    enum { TRACKS_HERE = 3 };
    SCOPED(motion_free) motion m = motion_make(LONG, TRACKS_HERE, 0.4, 0x96);
    const pm_timeline timeline = {.key_count = LONG, .rate = {1, 1}};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SPLINE);
    desc.loop = loop;
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_of_kind(ON_REFERENCE), &desc);
    double times[2 * LONG];
    float sides[2 * LONG][TRACKS_HERE][3];
    for (size_t k = 1; k < LONG; k++) {
        times[2 * k] = (double)k - 1e-6;
        times[2 * k + 1] = (double)k;
    }
    memset(sides, 0xFF, sizeof sides);
    sample_make(clip, &(pm_sample_job){.sample_count = 2 * LONG - 4,
                                       .times = times + 2,
                                       .accelerations = &sides[2][0][0]});
    for (size_t i = 2 * TRACKS_HERE * 3; i < (LONG - 1) * 2 * TRACKS_HERE * 3; i++) {
        const size_t key = i / (2 * TRACKS_HERE * 3), c = i % (TRACKS_HERE * 3);
        const double before = (double)(&sides[2 * key][0][0])[c];
        const double after = (double)(&sides[2 * key + 1][0][0])[c];
        if (!(fabs(before - after) < 1e-4 * (1 + fabs(before))))
            fail_msg("acceleration at key %zu is %g before and %g after", key, before, after);
    }
}

TEST(a_long_spline_has_no_jump_in_its_acceleration) {
    expect_continuous_acceleration(0);
    expect_continuous_acceleration(LONG);
}

/* The spline through points of a parabola, with end velocities by the parabola rule, is that
 * parabola. */
TEST(a_long_spline_of_positions_on_a_parabola_is_the_parabola) {
    SCOPED(motion_free) motion m = motion_make(LONG, 3, 0.4, 0x97);
    double positions[LONG][3][3];
    for (size_t k = 0; k < LONG; k++)
        for (size_t t = 0; t < 3; t++)
            for (size_t c = 0; c < 3; c++)
                positions[k][t][c] = 1e-3 * (double)(k * k) * (double)(t + 1) + (double)c;
    const pm_timeline timeline = {.key_count = LONG, .rate = {1, 1}};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SPLINE);
    desc.positions = (pm_array){positions, PM_FLOAT64, 0};
    desc.ends = PM_ENDS_PARABOLA;
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_of_kind(ON_REFERENCE), &desc);
    enum { SAMPLES = (LONG - 1) * PARTS };
    SCOPED(outputs_free)
    outputs o = sampled(clip, (pm_sample_job){.sample_count = SAMPLES, .rate = {PARTS, 1}});
    for (size_t i = 0; i < (size_t)SAMPLES * 9; i++) {
        const double x = (double)(i / 9) / PARTS;
        const double wanted = 1e-3 * x * x * (double)(i / 3 % 3 + 1) + (double)(i % 3);
        assert_true(fabs((double)o.positions[i] - wanted) < 2e-5);
    }
}

/* Rates depend on near keys alone, so that a part of a long track that is solved as a whole has the same
 * samples far from its ends. Steps of up to 3 rad are beyond what ranges of keys bound. */
static void check_part_of_long_spline(double turn, bool loops, bool listed, uint64_t salt) {
    enum { ALL = 900, FIRST = 410, PART = 300, FAR = 80, SAMPLES = PART - 2 * FAR };
    random_source source = random_salted(salt);
    double times[ALL], at[SAMPLES];
    static float values[2][SAMPLES][4];
    SCOPED(motion_free) motion m = motion_make(ALL, 1, turn, salt);
    random_key_times(&source, ALL, 0, 0.4, 1.6, times);
    for (size_t k = 0; k < ALL && !listed; k++)
        times[k] = (double)k;
    for (size_t k = 0; k < SAMPLES; k++)
        at[k] = times[FIRST + FAR + k] + 0.3;
    memset(values, 0xFF, sizeof values);
    for (size_t i = 0; i < 2; i++) {
        const pm_timeline timeline = {.key_count = i ? PART : ALL, .times = times + i * FIRST};
        pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SPLINE);
        desc.rotations.data = m.rotations + i * 4 * FIRST;
        desc.positions.data = desc.scales.data = NULL;
        desc.loop = loops && i == 0 ? times[ALL - 1] + 1 : 0;
        SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_of_kind(ON_REFERENCE), &desc);
        sample_make(clip, &(pm_sample_job){
                              .sample_count = SAMPLES, .times = at, .rotations = values[i][0]});
    }
    for (size_t k = 0; k < SAMPLES; k++) {
        const float *b = values[1][k];
        const double part[4] = {(double)b[0], (double)b[1], (double)b[2], (double)b[3]};
        assert_true(rotation_error(values[0][k], part) < 6e-7);
    }
}

TEST(long_splines_are_those_of_their_parts) {
    for (int kind = 0; kind < 4; kind++) {
        check_part_of_long_spline(0.3, kind & 1, kind & 2, 0xa0);
        check_part_of_long_spline(1.2, kind & 1, kind & 2, 0xa1);
        check_part_of_long_spline(3, kind & 1, kind & 2, 0xa2);
    }
}

/* ---- functions ---- */

static void expect_near(const char *what, double x, double value, long double wanted,
                        long double tolerance) {
    if (!(fabsl((long double)value - wanted) <= tolerance * fabsl(wanted)))
        fail_msg("%s of %.17g is %.17g, not %.17Lg", what, x, value, wanted);
}

TEST(arcs_are_those_of_long_double) {
    random_source source = random_salted(0x99);
    for (int i = 0; i < 100000; i++) {
        const double cosine =
            i % 2 ? random_unit(&source) : 1 - 0.5 * exp(random_between(&source, -36, 0));
        const long double angle = acosl((long double)cosine);
        const long double arc = cosine == 1 ? 1 : angle / sinl(angle);
        expect_near("arc", cosine, dreal_arc(dreal_of(cosine))[0], arc, 1e-15L);
    }
    assert_true(dreal_arc(dreal_of(1))[0] == 1);
    expect_near("arc", -1e-6, dreal_arc(dreal_of(-1e-6))[0], acosl(-1e-6L), 1e-12L);
}

TEST(roots_near_1_are_those_of_long_double) {
    for (int i = -2100; i <= 2100; i++) {
        const double x = 1 + i * 1e-6;
        expect_near("root", x, dreal_near_root(dreal_of(x))[0], 1 / sqrtl((long double)x), 3e-16L);
    }
}

TEST(sine_and_cosine_are_those_of_long_double) {
    random_source source = random_salted(0x9a);
    for (int i = 0; i < 100000; i++) {
        const double x = exp(random_between(&source, -40, i % 2 ? 9.3 : 0.4)), x2 = x * x;
        const bool near = x < 1.57;
        const dturn turn = near ? dreal_turn(dreal_of(x2)) : dreal_many_turns(dreal_of(x));
        const long double exact = near ? sqrtl((long double)x2) : (long double)x;
        assert_true(fabsl((long double)turn.cosine[0] - cosl(exact)) < 4e-16L);
        assert_true(fabsl((long double)turn.sine[0] * exact - sinl(exact)) < 4e-16L);
        if (near)
            expect_near("sinc", x, turn.sine[0], sinl(exact) / exact, 1e-15L);
    }
    assert_true(dreal_turn(dreal_of(0)).sine[0] == 1);
    assert_true(dreal_turn(dreal_of(0)).cosine[0] == 1);
}

TEST(the_factors_of_jacobians_are_those_of_long_double) {
    for (int i = 1; i <= 1000; i++) {
        const double x2 = 9.87 * i / 1000;
        const dreal lanes = dreal_of(x2);
        const long double z = (long double)x2, x = sqrtl(z), s = sinl(x), c = cosl(x);
        const long double a = 2 * sinl(x / 2) * sinl(x / 2) / z, b = (x - s) / (z * x);
        const long double loss = 1e-14L + 1e-17L / (z * z); /* error of the closed forms */
        expect_near("a", x2, pm_jr_a(lanes)[0], a, loss);
        expect_near("b", x2, pm_jr_b(lanes)[0], b, loss);
        expect_near("k", x2, pm_jr_k(lanes)[0], (1 - x / 2 / tanl(x / 2)) / z, loss);
        expect_near("a'/x", x2, pm_jr_a_slope(lanes)[0], (x * s - 2 * (1 - c)) / (z * z), loss);
        expect_near("b'/x", x2, pm_jr_b_slope(lanes)[0], (a - 3 * b) / z, loss);
    }
}

TEST_GROUP(NULL, engines_close)
