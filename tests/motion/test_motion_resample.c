/* SPDX-License-Identifier: MIT
 *
 * Tests of the values of resampled motions, built by hand: each channel against an independent
 * evaluation in double precision, by its own interpolation and by the methods of the engine.
 */
#include "oracle/oracle.h"
#include "support/engines.h"
#include "support/motion_hand.h"
#include "support/motion_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char null_file[] = "/dev/null";
static const double tolerance = 1e-6; /* radians, and of the largest coordinate */

static pm_motion_resample_report resample(pm_motion *motion, pm_engine *engine,
                                          const pm_motion_resample_options *options) {
    pm_motion_resample_report report;
    memset(&report, 0x5A, sizeof report);
    hand_forget(hand_recorder(motion));
    expect_success(pm_motion_resample(motion, engine, options, null_file, &report, new_error()));
    assert_int_equal(hand_recorder(motion)->times, 1);
    assert_int_equal(report.bytes_written, strlen(HAND_TEXT));
    return report;
}

/* ---- expected values ----------------------------------------------------------------------- */

static double largest_key(const pm_motion_channel *c, size_t keys) {
    double largest = 0;
    for (size_t k = 0; k < keys; k++)
        for (size_t i = 0; i < c->components; i++)
            largest = fmax(largest, fabs(truth_number(&c->keys, c->components, k, i)));
    return largest;
}

/* A cubic spline may overshoot its keys. */
static double scale_of(const pm_motion_channel *c, size_t keys, const double *expected) {
    double scale = largest_key(c, keys);
    for (size_t i = 0; i < c->components; i++)
        scale = fmax(scale, fabs(expected[i]));
    return scale;
}

static void expect_sample(const pm_motion_channel *c, size_t keys, const double *got,
                          const double *expected, double within, const char *what, size_t sample) {
    double worst = 0, bound = within;
    if (c->path == PM_MOTION_ROTATION) {
        worst = truth_angle(got, expected);
    } else {
        bound *= scale_of(c, keys, expected);
        for (size_t i = 0; i < c->components; i++)
            worst = isnan(got[i]) ? HUGE_VAL : fmax(worst, fabs(got[i] - expected[i]));
    }
    if (!(worst <= bound))
        fail_msg("%s: path %d, interpolation %d, sample %zu is wrong by %g, expected %g", what,
                 (int)c->path, (int)c->interpolation, sample, worst, bound);
}

/* The time of a sample of a clip without a rate: float32, but the end itself. */
static double listed_time(const motion_samples *s, size_t sample) {
    if (s->has_end && sample + 1 == s->count)
        return s->end;
    return (double)(float)(s->start + (double)sample * (double)s->rate.den / (double)s->rate.num);
}

/* Compares all samples of a clip without a rate; `authored` false: linear instead of cubic. */
static void expect_clip(const pm_motion_clip *clip, const recorded_clip *r, bool authored,
                        const char *what) {
    for (size_t c = 0; c < clip->channel_count; c++) {
        pm_motion_channel channel = clip->channels[c];
        const pm_timeline *timeline = &clip->timelines[channel.timeline];
        assert_int_equal(r->resampled[c], channel.interpolation != PM_MOTION_STEP);
        if (!r->resampled[c])
            continue;
        if (!authored)
            channel.interpolation = PM_MOTION_LINEAR;
        for (size_t k = 0; k < r->samples.count; k++) {
            double expected[TRUTH_NUMBERS];
            truth_at(&channel, timeline, truth_find(timeline, listed_time(&r->samples, k)),
                     expected);
            expect_sample(&channel, timeline->key_count, r->values[c] + k * channel.components,
                          expected, tolerance, what, k);
            assert_true(r->positions[k].key == MOTION_NO_KEY && !r->positions[k].exact);
        }
    }
}

/* ---- random clips -------------------------------------------------------------------------- */

enum { TIMELINES = 4 };

/* Channels of every path, interpolation, number of components and number type, over timelines of
 * which one has a single key. */
static pm_motion *random_motion(random_source *source) {
    static const size_t key_counts[TIMELINES] = {9, 4, 1, 2};
    static const struct {
        pm_motion_path path;
        uint32_t components;
    } kinds[] = {{PM_MOTION_ROTATION, 4}, {PM_MOTION_POSITION, 3}, {PM_MOTION_SCALE, 3},
                 {PM_MOTION_WEIGHTS, 1},  {PM_MOTION_WEIGHTS, 2},  {PM_MOTION_WEIGHTS, 5},
                 {PM_MOTION_SCALAR, 7}};
    const size_t channels = 21;
    pm_motion *motion = hand_motion(3, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, TIMELINES, channels);
    for (size_t t = 0; t < TIMELINES; t++)
        hand_times(motion, clip, t, source, key_counts[t], random_between(source, 0, 1));
    for (size_t c = 0; c < channels; c++) {
        pm_motion_channel *channel = hand_channel(clip, c);
        channel->node = (int32_t)random_size(source, 0, 2);
        channel->path = kinds[c % 7].path;
        channel->components = kinds[c % 7].components;
        channel->interpolation = (pm_motion_interpolation)(c / 7);
        channel->timeline = (uint32_t)random_size(source, 0, TIMELINES - 1);
        hand_keys(motion, clip, channel, source,
                  random_size(source, 0, 1) ? PM_FLOAT64 : PM_FLOAT32,
                  random_size(source, 0, 1) ? random_size(source, 1, 9) : 0, 2.5);
    }
    return motion;
}

static pm_rational random_rate(random_source *source) {
    return (pm_rational){(int64_t)random_size(source, 1, 30000),
                         (int64_t)random_size(source, 1, 1001)};
}

/* Rates that make few samples: up to 240 Hz. */
static pm_rational usual_rate(random_source *source) {
    pm_rational rate = random_rate(source);
    while (rate.num > 240 * rate.den)
        rate.den *= 2;
    return rate;
}

/* Without a curve rotations are slerp, and numbers linear. */
TEST_ON_BOTH(channels_follow_their_own_interpolation_or_are_linear) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    for (int round = 0; round < 18; round++) {
        const bool authored = round < 12;
        SCOPED(pm_motion_destroy) pm_motion *motion = random_motion(&source);
        resample(motion, engine,
                 &(pm_motion_resample_options){.rate = usual_rate(&source), .authored = authored});
        expect_clip(&motion->content.clips[0], &hand_recorder(motion)->clips[0], authored,
                    authored ? "authored" : "slerp");
    }
}

/* ---- samples on keys ----------------------------------------------------------------------- */

/* Keys at multiples of 1/32 s, which are float32 numbers, and samples at the same times. */
TEST_ON_BOTH(samples_on_keys_have_the_values_of_the_keys) {
    enum { KEYS = 40 };
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    double times[KEYS];
    for (int k = 0; k < KEYS; k++)
        times[k] = 1.5 + k / 32.0;
    SCOPED(pm_motion_destroy) pm_motion *motion = random_motion(&source);
    pm_motion_clip *clip = hand_clip(motion, 0, 1, 2);
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = KEYS, .times = times};
    hand_random(motion, clip, 0, PM_MOTION_ROTATION, 0, PM_FLOAT32, &source, 3);
    hand_random(motion, clip, 1, PM_MOTION_POSITION, 0, PM_FLOAT32, &source, 3);
    resample(motion, engine, &(pm_motion_resample_options){.rate = {32, 1}, .authored = true});
    const recorded_clip *r = &hand_recorder(motion)->clips[0];
    assert_int_equal(r->samples.count, KEYS);
    for (size_t k = 0; k < KEYS; k++) {
        const double *q = r->values[0] + 4 * k, *p = r->values[1] + 3 * k;
        const double sign = q[3] * truth_number(&clip->channels[0].keys, 4, k, 3) < 0 ? -1 : 1;
        for (size_t i = 0; i < 4; i++) /* normalised by the engine */
            assert_true(fabs(sign * q[i] - truth_number(&clip->channels[0].keys, 4, k, i)) <
                        1.2e-7);
        for (size_t i = 0; i < 3; i++) /* the distance to the first key is a float32 */
            assert_true(fabs(p[i] - truth_number(&clip->channels[1].keys, 3, k, i)) <=
                        20 * 0x1p-24);
    }
}

/* Positions far from the origin keep the precision of their motion. */
TEST_ON_BOTH(a_distant_origin_costs_no_precision) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    static const double keys[2][3] = {{4e9, -3e9, 7}, {4e9 + 1, -3e9 + 2, 8}};
    SCOPED(pm_motion_destroy) pm_motion *motion = hand_motion(1, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 1, 1);
    hand_times(motion, clip, 0, &source, 2, 0);
    *hand_channel(clip, 0) = (pm_motion_channel){.path = PM_MOTION_POSITION,
                                                 .components = 3,
                                                 .keys = {.data = keys, .type = PM_FLOAT64},
                                                 .name = {"", 0}};
    resample(motion, engine, &(pm_motion_resample_options){.rate = {120, 1}});
    const recorded_clip *r = &hand_recorder(motion)->clips[0];
    for (size_t k = 0; k < r->samples.count; k++) {
        const double u = truth_find(&clip->timelines[0], listed_time(&r->samples, k)).u;
        for (size_t i = 0; i < 3; i++)
            assert_true(fabs(r->values[0][3 * k + i] - keys[0][i] - u * (keys[1][i] - keys[0][i])) <
                        1e-6);
    }
}

/* ---- methods ------------------------------------------------------------------------------- */

/* The bones of the chain: node 0 to node 1 along x, 1 to 2 along -z, and a tail of 2 along y. */
static const double bones[3][3] = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};

static void add_bones(pm_motion *motion) {
    hand_node(motion, 1)->position[0] = 2;
    hand_node(motion, 2)->position[2] = -3;
    hand_node(motion, 2)->has_tail = true;
    hand_node(motion, 2)->tail[1] = 0.5;
}

/* Rotations of three nodes, positions, a scalar, and a scalar that is always linear, on a common
 * timeline with a rate. */
static pm_motion *moving_motion(random_source *source, size_t keys, pm_rational rate) {
    static const pm_motion_path paths[] = {PM_MOTION_ROTATION, PM_MOTION_ROTATION,
                                           PM_MOTION_ROTATION, PM_MOTION_SCALAR,
                                           PM_MOTION_POSITION, PM_MOTION_SCALAR};
    static const uint32_t components[] = {4, 4, 4, 1, 3, 1};
    pm_motion *motion = hand_motion(3, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 1, 6);
    clip->rate = rate;
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = keys, .rate = rate};
    for (size_t c = 0; c < 6; c++) {
        pm_motion_channel *channel = hand_channel(clip, c);
        channel->node = c < 3 ? (int32_t)c : 0;
        channel->path = paths[c];
        channel->components = components[c];
        channel->always_linear = c == 5;
        hand_keys(motion, clip, channel, source, PM_FLOAT64, 0, 2);
    }
    add_bones(motion);
    return motion;
}

/* The oracle of one channel, whose numbers are the first of a position. */
static oracle *oracle_of(const pm_motion_clip *clip, size_t c, const pm_clip_desc *curve) {
    const pm_motion_channel *channel = &clip->channels[c];
    const pm_timeline *timeline = &clip->timelines[channel->timeline];
    const size_t width = channel->path == PM_MOTION_ROTATION ? 4 : 3;
    SCOPED(free_at) double *keys = test_array(timeline->key_count * width, sizeof *keys);
    for (size_t k = 0; k < timeline->key_count; k++)
        for (size_t i = 0; i < width; i++)
            keys[k * width + i] = i < channel->components
                                      ? truth_number(&channel->keys, channel->components, k, i)
                                      : 0;
    pm_clip_desc desc = *curve;
    desc.track_count = 1;
    desc.timelines = timeline;
    *(width == 4 ? &desc.rotations : &desc.positions) =
        (pm_array){.data = keys, .type = PM_FLOAT64};
    if (channel->always_linear)
        desc.vector_method = PM_VECTOR_LINEAR;
    if (width == 4)
        desc.axes = (pm_array){.data = bones[channel->node], .type = PM_FLOAT64};
    else if (curve->method == PM_METHOD_STERP) /* which requires axes of rotations only */
        desc.axes = (pm_array){.data = bones[0], .type = PM_FLOAT64};
    oracle *o = oracle_create_unrounded(&desc);
    return o;
}

static void expect_curve(const pm_motion_clip *clip, const recorded_clip *r,
                         const pm_clip_desc *curve, const char *name) {
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        oracle *o = oracle_of(clip, c, curve);
        for (size_t k = 0; k < r->samples.count; k++) {
            const double time =
                (double)k * (double)r->samples.rate.den / (double)r->samples.rate.num;
            const oracle_cursor at = oracle_at_exact_time(o, 0, time);
            const quat q = channel->components == 4 ? oracle_rotation(o, 0, at) : (quat){.w = 0};
            const vec3 v = channel->components == 4 ? (vec3){.x = 0} : oracle_position(o, 0, at);
            const double turn[4] = {q.x, q.y, q.z, q.w}, numbers[3] = {v.x, v.y, v.z};
            expect_sample(channel, clip->timelines[0].key_count,
                          r->values[c] + k * channel->components,
                          channel->components == 4 ? turn : numbers, tolerance, name, k);
        }
        oracle_destroy(o);
    }
}

TEST_ON_BOTH(a_method_replaces_the_interpolation) {
    static const pm_method methods[] = {PM_METHOD_SLERP,  PM_METHOD_NLERP,       PM_METHOD_STERP,
                                        PM_METHOD_SQUAD,  PM_METHOD_CIRCULAR_C2, PM_METHOD_HERMITE,
                                        PM_METHOD_SPLINE, PM_METHOD_BSPLINE};
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    for (size_t m = 0; m < COUNT_OF(methods); m++) {
        const pm_method_info *info = pm_method_get_info(methods[m]);
        const pm_clip_desc curve = {.method = methods[m], .ends = PM_ENDS_NATURAL};
        SCOPED(pm_motion_destroy)
        pm_motion *motion = moving_motion(&source, 12, (pm_rational){30, 1});
        resample(motion, engine, &(pm_motion_resample_options){.rate = {144, 1}, .curve = &curve});
        const recorded_clip *r = &hand_recorder(motion)->clips[0];
        assert_int_equal(r->samples.count, 11 * 144 / 30 + 1);
        for (size_t k = 0; k < r->samples.count; k++)
            assert_int_equal(r->positions[k].exact, k * 30 % 144 == 0 && info->interpolating);
        expect_curve(&motion->content.clips[0], r, &curve, info->name);
    }
}

/* The fields of a curve that are about tracks and keys are not read. */
TEST_ON_BOTH(a_curve_gives_parameters_only) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    static const double number = 5;
    const pm_array other = {.data = &number, .type = PM_FLOAT64};
    pm_clip_desc curve = {.method = PM_METHOD_SQUAD};
    SCOPED(pm_motion_destroy) pm_motion *motion = moving_motion(&source, 6, (pm_rational){30, 1});
    curve.track_count = 77;
    curve.timelines = NULL;
    curve.timeline_count = 3;
    curve.rotations = curve.positions = curve.scales = other;
    curve.tangents_in = curve.positions_in = curve.scales_in = other;
    curve.tangents_out = curve.positions_out = curve.scales_out = other;
    resample(motion, engine, &(pm_motion_resample_options){.rate = {60, 1}, .curve = &curve});
    const pm_clip_desc plain = {.method = PM_METHOD_SQUAD};
    expect_curve(&motion->content.clips[0], &hand_recorder(motion)->clips[0], &plain, "squad");
}

/* A key that the engine refuses is named as the file has it: keys that are trimmed count. */
TEST_ON_BOTH(unusable_keys_are_named) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    SCOPED(pm_motion_destroy) pm_motion *motion = moving_motion(&source, 12, (pm_rational){30, 1});
    const pm_motion_channel *channel = &motion->content.clips[0].channels[1];
    double *keys = (double *)(uintptr_t)channel->keys.data;
    const pm_motion_resample_options options = {.rate = {60, 1}, .trim_start = 2};
    hand_node(motion, 1)->name = (pm_motion_name){"Spi\x1bne", 6};
    keys[4 * 7] += 3;
    expect_error(pm_motion_resample(motion, engine, &options, null_file, NULL, new_error()),
                 PM_ERROR_KEY, "joint 1 (Spi\\x1bne), frame 7: ");
    assert_int_equal(hand_recorder(motion)->times, 0);
}

/* ---- pieces, checks ------------------------------------------------------------------------ */

static void expect_same_samples(const pm_motion_clip *clip, const recorded_clip *a,
                                const recorded_clip *b) {
    assert_int_equal(a->samples.count, b->samples.count);
    for (size_t k = 0; k < a->samples.count; k++)
        assert_true(a->positions[k].key == b->positions[k].key &&
                    a->positions[k].exact == b->positions[k].exact);
    for (size_t c = 0; c < clip->channel_count; c++)
        assert_memory_equal(a->values[c], b->values[c],
                            a->samples.count * clip->channels[c].components * sizeof(double));
}

/* More samples than the sampler computes at once. */
TEST_ON_BOTH(odd_pieces_give_the_same_bits) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start(), pieces = random_start();
    SCOPED(pm_motion_destroy) pm_motion *whole = moving_motion(&source, 6, (pm_rational){30, 1});
    const pm_clip_desc curve = {.method = PM_METHOD_SQUAD};
    const pm_motion_resample_options options = {
        .rate = {900001, 1}, .curve = &curve, .end_rule = PM_MOTION_END_INCLUDE};
    resample(whole, engine, &options);
    recorded_clip first = hand_recorder(whole)->clips[0];
    hand_recorder(whole)->clip_count = 0; /* kept here */
    hand_recorder(whole)->pieces = &pieces;
    resample(whole, engine, &options);
    expect_same_samples(&whole->content.clips[0], &first, &hand_recorder(whole)->clips[0]);
    for (size_t c = 0; c < HAND_CHANNELS; c++)
        free(first.values[c]);
    free(first.positions);
}

TEST_ON_BOTH(a_check_compares_with_the_reference_path) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    SCOPED(pm_motion_destroy) pm_motion *motion = random_motion(&source);
    const pm_motion_resample_report report =
        resample(motion, engine,
                 &(pm_motion_resample_options){.rate = {97, 1}, .authored = true, .check = true});
    assert_true(report.identical);
    assert_true(report.max_error == 0);
    assert_int_equal(report.samples, hand_recorder(motion)->clips[0].samples.count);
}

TEST_ON_REFERENCE(only_listed_clips_are_resampled) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    SCOPED(pm_motion_destroy) pm_motion *motion = hand_motion(1, 3);
    for (size_t i = 0; i < 3; i++) {
        pm_motion_clip *clip = hand_clip(motion, i, 1, 1);
        hand_times(motion, clip, 0, &source, 3 + i, 0);
        hand_channel(clip, 0)->path = PM_MOTION_SCALE;
        hand_channel(clip, 0)->components = 3;
        hand_keys(motion, clip, hand_channel(clip, 0), &source, PM_FLOAT64, 0, 1);
    }
    const size_t clips[2] = {2, 0};
    const recorder *r = hand_recorder(motion);
    pm_motion_resample_options o = {.rate = {60, 1}, .clips = clips, .clip_count = 2};
    const pm_motion_resample_report report = resample(motion, engine, &o);
    assert_int_equal(r->clip_count, 2);
    assert_true(r->clips[0].samples.clip == 2 && r->clips[1].samples.clip == 0);
    assert_int_equal(report.samples, r->clips[0].samples.count + r->clips[1].samples.count);
    o.clip_count = 0;
    assert_true(resample(motion, engine, &o).samples == 0 && r->clip_count == 0);
    o.clips = NULL;
    resample(motion, engine, &o);
    assert_int_equal(r->clip_count, 3);
}

TEST_GROUP(NULL, engines_close)
