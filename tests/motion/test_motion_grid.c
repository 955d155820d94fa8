/* SPDX-License-Identifier: MIT
 *
 * Tests of where the samples of resampled motions lie: exact grids of clips with a rate against
 * integer arithmetic, float32 times of clips without one, ends, loops, limits and refusals.
 */
#include "base/counts.h"
#include "motion/base/counts.h"
#include "motion/model/evaluate.h"
#include "motion/time/key_rate.h"
#include "support/engines.h"
#include "support/motion_hand.h"
#include "support/motion_truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 whole;

static const char null_file[] = "/dev/null";

static pm_status try_resample(pm_motion *motion, pm_engine *engine,
                              const pm_motion_resample_options *options,
                              pm_motion_resample_report *report, pm_error *error) {
    hand_forget(hand_recorder(motion));
    return pm_motion_resample(motion, engine, options, null_file, report, error);
}

static pm_motion_resample_report resample(pm_motion *motion, pm_engine *engine,
                                          const pm_motion_resample_options *options) {
    pm_motion_resample_report report;
    expect_success(try_resample(motion, engine, options, &report, new_error()));
    assert_int_equal(report.samples, hand_recorder(motion)->clips[0].samples.count);
    return report;
}

static void expect_refused(pm_motion *motion, pm_engine *engine,
                           const pm_motion_resample_options *options, pm_status status,
                           const char *words) {
    pm_motion_resample_report report;
    expect_error(try_resample(motion, engine, options, &report, new_error()), status, words);
    assert_int_equal(hand_recorder(motion)->times, 0);
}

/* A clip of positions, or of one channel with steps, whose keys are never read. */
static pm_motion *uniform_motion(random_source *source, size_t keys, pm_rational rate, bool steps) {
    static const double unread;
    pm_motion *motion = hand_motion(1, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 1, 1);
    pm_motion_channel *channel = hand_channel(clip, 0);
    clip->rate = rate;
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = keys, .rate = rate};
    if (steps) {
        channel->path = PM_MOTION_POSITION;
        channel->components = 3;
        channel->interpolation = PM_MOTION_STEP;
        channel->keys = (pm_array){.data = &unread, .type = PM_FLOAT64};
        hand_recorder(motion)->wants_nothing = true;
    } else {
        hand_random(motion, clip, 0, PM_MOTION_POSITION, 0, PM_FLOAT64, source, 1);
    }
    return motion;
}

static pm_motion *listed_motion(random_source *source, const double *times, size_t keys) {
    pm_motion *motion = hand_motion(1, 1);
    pm_motion_clip *clip = hand_clip(motion, 0, 1, 1);
    *hand_timeline(clip, 0) = (pm_timeline){.key_count = keys, .times = times};
    hand_random(motion, clip, 0, PM_MOTION_POSITION, 0, PM_FLOAT64, source, 1);
    return motion;
}

/* ---- clips with a rate --------------------------------------------------------------------- */

/* Sample k lies at start + k / rate seconds, that is at key (from + k * step) / unit. */
typedef struct grid {
    whole from, step, unit;
    uint64_t count;
    bool extra;
    whole end; /* in the same units */
} grid;

static bool is_given(pm_rational r) {
    return r.den != 0;
}

static grid expected_grid(pm_rational source, size_t keys, const pm_motion_resample_options *o) {
    const pm_rational start =
        is_given(o->start_after_first_key) ? o->start_after_first_key : (pm_rational){0, 1};
    const pm_rational end =
        is_given(o->end_after_first_key) ? o->end_after_first_key : (pm_rational){0, 1};
    grid g = {.unit = (whole)source.den * start.den * o->rate.num * end.den};
    g.from = (whole)start.num * source.num * o->rate.num * end.den;
    g.step = (whole)o->rate.den * source.num * start.den * end.den;
    g.end = is_given(o->end_after_first_key) ? (whole)end.num * source.num * start.den * o->rate.num
                                             : (whole)(keys - o->trim_start - 1) * g.unit;
    g.count = (uint64_t)((g.end - g.from) / g.step) + 1;
    g.extra = o->end_rule == PM_MOTION_END_INCLUDE && (g.end - g.from) % g.step != 0;
    return g;
}

static void expect_grid(const pm_motion *motion, const pm_motion_resample_options *o,
                        const pm_motion_resample_report *report) {
    const pm_motion_clip *clip = &motion->content.clips[0];
    const recorded_clip *r = &hand_recorder(motion)->clips[0];
    const grid g = expected_grid(clip->rate, clip->timelines[0].key_count, o);
    uint64_t kept = 0;
    assert_int_equal(r->samples.count, g.count + g.extra);
    assert_int_equal(r->samples.has_end, g.extra);
    assert_true(r->samples.rate.num == o->rate.num && r->samples.rate.den == o->rate.den);
    for (uint64_t k = 0; k < r->samples.count; k++) {
        const whole at = k < g.count ? g.from + (whole)k * g.step : g.end;
        const bool exact = at % g.unit == 0;
        assert_int_equal(r->positions[k].key, (uint64_t)(at / g.unit) + o->trim_start);
        assert_int_equal(r->positions[k].exact, exact);
        kept += exact;
    }
    assert_int_equal(report->kept, kept);
}

static bool is_left(const double *got) {
    return isnan(got[0]) && isnan(got[1]) && isnan(got[2]);
}

static void expect_vector(const pm_motion_clip *clip, size_t c, truth_place place,
                          const double *got) {
    const pm_motion_channel *channel = &clip->channels[c];
    double expected[TRUTH_NUMBERS];
    truth_at(channel, &clip->timelines[channel->timeline], place, expected);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(got[i] - expected[i]) < 10 * 1e-6); /* coordinates are up to 10 */
}

/* Samples on frames may be left to the writer, unless a check needs them. */
static void expect_positions(const pm_motion *motion, const pm_motion_resample_options *o) {
    const pm_motion_clip *clip = &motion->content.clips[0];
    const recorded_clip *r = &hand_recorder(motion)->clips[0];
    const grid g = expected_grid(clip->rate, clip->timelines[0].key_count, o);
    for (uint64_t k = 0; k < r->samples.count; k++) {
        const whole at = k < g.count ? g.from + (whole)k * g.step : g.end;
        const truth_place place = {.key = (size_t)(at / g.unit) + o->trim_start,
                                   .u = (double)(at % g.unit) / (double)g.unit};
        if (o->check || !r->positions[k].exact || !is_left(r->values[0] + 3 * k))
            expect_vector(clip, 0, place, r->values[0] + 3 * k);
    }
}

static pm_rational fraction(random_source *source, size_t num, size_t den) {
    return (pm_rational){(int64_t)random_size(source, 1, num),
                         (int64_t)random_size(source, 1, den)};
}

TEST_ON_REFERENCE(grids_are_exact) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    for (int round = 0; round < 60; round++) {
        const pm_rational rate = fraction(&source, 120, 20);
        const size_t keys = random_size(&source, 30, 60);
        SCOPED(pm_motion_destroy) pm_motion *motion = uniform_motion(&source, keys, rate, false);
        pm_motion_resample_options o = {.rate = {rate.num * (int64_t)random_size(&source, 1, 30),
                                                 rate.den * (int64_t)random_size(&source, 1, 30)},
                                        .end_rule = (pm_motion_end_rule)random_size(&source, 0, 1),
                                        .trim_start = random_size(&source, 0, 3),
                                        .check = round % 2 == 0};
        if (random_size(&source, 0, 1)) /* of the first ten frames, and of the last */
            o.start_after_first_key =
                (pm_rational){rate.den * (int64_t)random_size(&source, 0, 70), rate.num * 7};
        if (random_size(&source, 0, 1))
            o.end_after_first_key =
                (pm_rational){rate.den * (int64_t)random_size(&source, 110, 260), rate.num * 10};
        const pm_motion_resample_report report = resample(motion, engine, &o);
        expect_grid(motion, &o, &report);
        expect_positions(motion, &o);
    }
}

/* A clip of one key stays as it is. */
TEST_ON_REFERENCE(one_key_stays_one_key) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    static const double late[1] = {4e6}, odd[] = {(double)1e-30F, (double)3e38F};
    SCOPED(pm_motion_destroy)
    pm_motion *uniform = uniform_motion(&source, 1, (pm_rational){30, 1}, false);
    SCOPED(pm_motion_destroy) pm_motion *listed = listed_motion(&source, late, 1);
    for (int rule = 0; rule < PM_MOTION_END_COUNT; rule++) {
        const pm_motion_resample_options o = {.rate = {240, 1},
                                              .end_rule = (pm_motion_end_rule)rule};
        assert_int_equal(resample(uniform, engine, &o).samples, 1);
        assert_int_equal(resample(listed, engine, &o).samples, 1);
        assert_true(hand_recorder(listed)->clips[0].samples.start == 4e6);
    }
    for (size_t i = 0; i < 2; i++) { /* which no fraction holds */
        SCOPED(pm_motion_destroy) pm_motion *motion = listed_motion(&source, &odd[i], 1);
        assert_int_equal(
            resample(motion, engine, &(pm_motion_resample_options){.rate = {30, 1}}).samples, 1);
        assert_true(hand_recorder(motion)->clips[0].samples.start == odd[i]);
    }
}

/* ---- clips without a rate ------------------------------------------------------------------ */

/* 0.7 and 0.1 as float32 are on different sides of the decimals. */
TEST_ON_REFERENCE(ends_of_listed_clips_are_those_of_float32) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    const double times[2] = {0, (double)0.7f};
    SCOPED(pm_motion_destroy) pm_motion *motion = listed_motion(&source, times, 2);
    for (int rule = 0; rule < PM_MOTION_END_COUNT; rule++)
        for (int64_t n = 1; n <= 7; n++) {
            const pm_motion_resample_options o = {.rate = {10, 1},
                                                  .end_after_first_key = {n, 10},
                                                  .end_rule = (pm_motion_end_rule)rule};
            assert_int_equal(resample(motion, engine, &o).samples, n + 1);
        }
    const pm_motion_resample_options half = {
        .rate = {10, 1}, .end_after_first_key = {65, 100}, .end_rule = PM_MOTION_END_INCLUDE};
    assert_int_equal(resample(motion, engine, &half).samples, 8);
    assert_true(hand_recorder(motion)->clips[0].samples.has_end);
}

TEST_ON_REFERENCE(the_first_key_need_not_be_at_0) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    const double times[3] = {5.25, 5.5, 6.75};
    SCOPED(pm_motion_destroy) pm_motion *motion = listed_motion(&source, times, 3);
    const motion_samples *s = &hand_recorder(motion)->clips[0].samples;
    resample(motion, engine, &(pm_motion_resample_options){.rate = {4, 1}});
    assert_true(s->count == 7 && s->start == 5.25);
    resample(motion, engine,
             &(pm_motion_resample_options){
                 .rate = {4, 1}, .start_after_first_key = {1, 2}, .end_after_first_key = {5, 4}});
    assert_true(s->count == 4 && s->start == 5.75 && s->end == 6.5);
}

TEST_ON_REFERENCE(rates_beyond_float32_times_are_refused) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    const double times[2] = {4064, 4096}; /* float32 numbers between are 2^-12 apart */
    SCOPED(pm_motion_destroy) pm_motion *motion = listed_motion(&source, times, 2);
    expect_refused(motion, engine, &(pm_motion_resample_options){.rate = {4096, 1}}, PM_ERROR_FILE,
                   "float32");
    resample(motion, engine, &(pm_motion_resample_options){.rate = {2047, 1}});
    const motion_samples *s = &hand_recorder(motion)->clips[0].samples;
    for (uint64_t k = 1; k < s->count; k++)
        assert_true((float)(times[0] + (double)k / 2047) >
                    (float)(times[0] + (double)(k - 1) / 2047));
}

/* ---- clips that start late ----------------------------------------------------------------- */

enum { MOST_KEYS = 120 };

static pm_motion *copy_resampled(const pm_motion *motion, pm_engine *engine,
                                 const pm_motion_resample_options *options,
                                 pm_motion_resample_report *report) {
    pm_motion *copy = NULL;
    expect_success(pm_motion_resample_copy(motion, engine, options, &copy, report, new_error()));
    return copy;
}

static const pm_motion_clip *clip_of(const pm_motion *motion) {
    return &pm_motion_get_content(motion)->clips[0];
}

static double time_of(const pm_motion_clip *clip, size_t key) {
    return truth_time(&clip->timelines[clip->channels[0].timeline], key);
}

/* Key k is at start + k / rate, rounded to float32. */
static void fill_times(double *times, size_t count, pm_rational start, pm_rational rate) {
    for (size_t k = 0; k < count; k++)
        times[k] = (double)(float)((double)start.num / (double)start.den +
                                   (double)k * (double)rate.den / (double)rate.num);
}

static pm_motion *late_motion(random_source *source, double *times, size_t keys, pm_rational start,
                              pm_rational rate) {
    fill_times(times, keys, start, rate);
    pm_motion *motion = listed_motion(source, times, keys);
    pm_motion_clip *clip = (pm_motion_clip *)(uintptr_t)motion->content.clips;
    clip->rate = rate;
    clip->first_time = start;
    return motion;
}

static pm_rational draw_rate(random_source *source) {
    static const pm_rational rates[] = {{24, 1}, {30000, 1001}, {60, 1}, {2997, 50}, {25, 2}};
    return random_size(source, 0, 1) ? rates[random_size(source, 0, 4)] : fraction(source, 120, 9);
}

static void expect_key(const pm_motion_clip *got, size_t at, const pm_motion_clip *source,
                       size_t key) {
    assert_true(time_of(got, at) == time_of(source, key));
    for (uint32_t i = 0; i < 3; i++) {
        const double expected = evaluate_number(&source->channels[0].keys, 3, key, i);
        const double found = evaluate_number(&got->channels[0].keys, 3, at, i);
        assert_true(fabs(found - expected) <= 4e-7 * fabs(expected) + 1e-6);
    }
}

/* At its own rate, at multiples of it, and at half of it. */
TEST_ON_REFERENCE(no_key_of_a_late_clip_is_lost) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    double times[MOST_KEYS];
    for (int round = 0; round < 400; round++) {
        const pm_rational rate = draw_rate(&source), start = fraction(&source, 4000, 300);
        const size_t keys = random_size(&source, 2, MOST_KEYS);
        SCOPED(pm_motion_destroy)
        pm_motion *motion = late_motion(&source, times, keys, start, rate);
        for (int64_t times_rate = 0; times_rate <= 3; times_rate++) {
            const int64_t by = times_rate ? times_rate : 1, part = times_rate ? 1 : 2;
            const pm_motion_resample_options o = {.rate = {rate.num * by, rate.den * part}};
            pm_motion_resample_report report;
            SCOPED(pm_motion_destroy) pm_motion *copy = copy_resampled(motion, engine, &o, &report);
            const pm_motion_clip *clip = clip_of(copy);
            const size_t count = (keys - 1) * (size_t)by / (size_t)part + 1;
            assert_int_equal(clip->timelines[0].key_count, count);
            for (size_t k = 0; k < count; k += (size_t)by)
                expect_key(clip, k, clip_of(motion), k * (size_t)part / (size_t)by);
            assert_true(clip->first_time.num * start.den == start.num * clip->first_time.den);
            assert_true(report.end_cut == 0 || (part == 2 && keys % 2 == 0));
        }
    }
}

/* Times that are added up in float32 drift away; the result has a rate all the same, and the keys. */
TEST_ON_REFERENCE(clips_whose_times_were_added_up_keep_their_rate) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    double times[400];
    float sum = 4;
    for (size_t k = 0; k < 400; k++, sum += 1.0F / 60)
        times[k] = (double)sum;
    SCOPED(pm_motion_destroy) pm_motion *motion = listed_motion(&source, times, 400);
    pm_motion_clip *clip = (pm_motion_clip *)(uintptr_t)motion->content.clips;
    clip->rate = key_rate(times, 400);
    clip->first_time = (pm_rational){4, 1};
    assert_true(clip->rate.num == 60 && clip->rate.den == 1);
    assert_true(fabs(times[399] - (4 + 399.0 / 60)) > 4e-6);
    for (int64_t by = 1; by <= 4; by++) {
        SCOPED(pm_motion_destroy)
        pm_motion *copy = copy_resampled(motion, engine,
                                         &(pm_motion_resample_options){.rate = {60 * by, 1}}, NULL);
        const pm_timeline *made = &clip_of(copy)->timelines[0];
        assert_int_equal(made->key_count, 399 * (size_t)by + 1);
        for (size_t k = 0; k < 400; k++)
            expect_key(clip_of(copy), k * (size_t)by, clip_of(motion), k);
        assert_true(clip_of(copy)->rate.num == 60 * by && clip_of(copy)->rate.den == 1);
        for (size_t k = 1; k < made->key_count; k++)
            assert_true(fabs((made->times[k] - made->times[k - 1]) * 60 * (double)by - 1) < 1e-3);
    }
}

/* Some frames have no key, so that the clip has no rate. */
TEST_ON_REFERENCE(the_last_multiple_of_an_irregular_clip_is_not_lost) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    double all[MOST_KEYS], times[MOST_KEYS];
    size_t frames[MOST_KEYS];
    for (int round = 0; round < 400; round++) {
        const pm_rational rate = draw_rate(&source), start = fraction(&source, 4000, 300);
        const size_t count = random_size(&source, 4, MOST_KEYS);
        size_t keys = 0;
        fill_times(all, count, start, rate);
        for (size_t k = 0; k < count; k++)
            if (k == 0 || k + 1 == count || random_size(&source, 0, 2)) {
                times[keys] = all[k];
                frames[keys++] = k;
            }
        SCOPED(pm_motion_destroy) pm_motion *motion = listed_motion(&source, times, keys);
        for (int64_t by = 1; by <= 3; by++) {
            const pm_motion_resample_options o = {.rate = {rate.num * by, rate.den}};
            SCOPED(pm_motion_destroy) pm_motion *copy = copy_resampled(motion, engine, &o, NULL);
            const pm_motion_clip *clip = clip_of(copy);
            assert_int_equal(clip->timelines[0].key_count, (count - 1) * (size_t)by + 1);
            assert_true(time_of(clip, 0) == times[0]);
            assert_true(time_of(clip, (count - 1) * (size_t)by) == times[keys - 1]);
            for (size_t k = 0; k < keys; k++) {
                const double time = time_of(clip, frames[k] * (size_t)by);
                assert_true(fabs(time - times[k]) <= 1.2e-7 * times[k]);
            }
        }
    }
}

static void expect_begin(const pm_motion *copy, pm_rational begin, const double *values) {
    const pm_motion_clip *clip = clip_of(copy);
    assert_true(clip->first_time.num == begin.num && clip->first_time.den == begin.den);
    assert_true((float)time_of(clip, 0) == (float)begin.num / (float)begin.den);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(fabs(evaluate_number(&clip->channels[0].keys, 3, 0, i) - values[i]) < 1e-5);
}

/* Half a second after a first key at 1/4 s, and 2 frames of 1/8 s. */
TEST_ON_REFERENCE(cuts_begin_at_0_unless_times_are_kept) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    double times[20];
    SCOPED(pm_motion_destroy)
    pm_motion *late = late_motion(&source, times, 20, (pm_rational){1, 4}, (pm_rational){8, 1});
    SCOPED(pm_motion_destroy)
    pm_motion *early = uniform_motion(&source, 20, (pm_rational){8, 1}, false);
    for (int i = 0; i < 2; i++) {
        const pm_motion *motion = i ? early : late;
        const pm_rational zero = {0, 1}, first = i ? zero : (pm_rational){1, 4};
        const double *keys = motion->content.clips[0].channels[0].keys.data;
        pm_motion_resample_options o = {.rate = {16, 1}, .start_after_first_key = {1, 2}};
        SCOPED(pm_motion_destroy) pm_motion *cut = copy_resampled(motion, engine, &o, NULL);
        expect_begin(cut, zero, keys + 12);
        o.keep_time = true;
        SCOPED(pm_motion_destroy) pm_motion *kept = copy_resampled(motion, engine, &o, NULL);
        expect_begin(kept, (pm_rational){i ? 1 : 3, i ? 2 : 4}, keys + 12);
        o = (pm_motion_resample_options){.rate = {16, 1}, .trim_start = 2};
        SCOPED(pm_motion_destroy) pm_motion *trimmed = copy_resampled(motion, engine, &o, NULL);
        expect_begin(trimmed, zero, keys + 6);
        assert_int_equal(clip_of(trimmed)->timelines[0].key_count, 35);
        o.keep_time = true;
        SCOPED(pm_motion_destroy)
        pm_motion *trimmed_kept = copy_resampled(motion, engine, &o, NULL);
        expect_begin(trimmed_kept, (pm_rational){1, i ? 4 : 2}, keys + 6);
        o = (pm_motion_resample_options){.rate = {16, 1}};
        SCOPED(pm_motion_destroy) pm_motion *all = copy_resampled(motion, engine, &o, NULL);
        expect_begin(all, first, keys);
        SCOPED(pm_motion_destroy) pm_motion *again = copy_resampled(kept, engine, &o, NULL);
        assert_int_equal(clip_of(again)->timelines[0].key_count,
                         clip_of(kept)->timelines[0].key_count);
    }
}

static double end_cut(const pm_motion *motion, pm_engine *engine, pm_motion_resample_options o) {
    pm_motion_resample_report report;
    SCOPED(pm_motion_destroy) pm_motion *copy = copy_resampled(motion, engine, &o, &report);
    return report.end_cut;
}

/* 0.1 s at 15 Hz ends at 1/15 s. */
TEST_ON_REFERENCE(an_end_that_fit_cuts_is_reported) {
    static const double times[2] = {0, (double)0.1f}, nearly[2] = {0, 1.0004};
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    SCOPED(pm_motion_destroy)
    pm_motion *tenth = listed_motion(&source, times, 2), *near = listed_motion(&source, nearly, 2);
    SCOPED(pm_motion_destroy)
    pm_motion *uniform = uniform_motion(&source, 4, (pm_rational){30, 1}, false);
    const pm_motion_resample_options fit = {.rate = {15, 1}};
    const pm_motion_resample_options include = {.rate = {15, 1}, .end_rule = PM_MOTION_END_INCLUDE};
    const pm_motion_resample_options end = {.rate = {15, 1}, .end_after_first_key = {1, 10}};
    const pm_motion_resample_options exact = {.rate = {60, 1}};
    assert_true(fabs(end_cut(tenth, engine, fit) - 1.0 / 30) < 1e-8);
    assert_true(fabs(end_cut(uniform, engine, fit) - 1.0 / 30) < 1e-12);
    assert_true(end_cut(tenth, engine, include) == 0 && end_cut(uniform, engine, include) == 0);
    assert_true(end_cut(tenth, engine, end) == 0 && end_cut(uniform, engine, end) == 0);
    assert_true(end_cut(tenth, engine, exact) == 0 && end_cut(uniform, engine, exact) == 0);
    assert_true(end_cut(near, engine, fit) == 0); /* by less than a hundredth of a step */
}

/* ---- loops --------------------------------------------------------------------------------- */

static void expect_loop(pm_motion *motion, pm_engine *engine, double period, uint64_t samples) {
    const pm_clip_desc curve = {.loop = period};
    const pm_motion_clip *clip = &motion->content.clips[0];
    const pm_timeline *t = &clip->timelines[0];
    const double begin = truth_time(t, 0), end = truth_time(t, t->key_count - 1);
    resample(motion, engine, &(pm_motion_resample_options){.rate = {16, 1}, .curve = &curve});
    const recorded_clip *r = &hand_recorder(motion)->clips[0];
    assert_int_equal(r->samples.count, samples);
    for (uint64_t k = 0; k < samples; k++) {
        const double time = begin + (double)k / 16;
        const double u = (time - end) / (begin + period - end); /* of the segment to key 0 */
        double expected[TRUTH_NUMBERS], first[TRUTH_NUMBERS];
        truth_at(&clip->channels[0], t, truth_find(t, time), expected);
        truth_at(&clip->channels[0], t, (truth_place){.key = 0}, first);
        for (size_t i = 0; i < 3; i++)
            assert_true(fabs(r->values[0][3 * k + i] - expected[i] -
                             (time > end ? u * (first[i] - expected[i]) : 0)) < 1e-5);
    }
}

TEST_ON_REFERENCE(loops_end_before_their_first_sample_repeats) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    static const double times[5] = {1, 1.25, 1.5, 1.75, 2};
    SCOPED(pm_motion_destroy)
    pm_motion *uniform = uniform_motion(&source, 5, (pm_rational){4, 1}, false);
    SCOPED(pm_motion_destroy) pm_motion *listed = listed_motion(&source, times, 5);
    expect_loop(uniform, engine, 1.25, 20);
    expect_loop(listed, engine, 1.25, 20);
    for (int i = 0; i < 2; i++) { /* closed: the last key is the first */
        pm_motion *motion = i ? listed : uniform;
        double *keys = (double *)(uintptr_t)motion->content.clips[0].channels[0].keys.data;
        memcpy(keys + 12, keys, 3 * sizeof *keys);
        expect_loop(motion, engine, 1, 17);
    }
    const pm_clip_desc curve = {.loop = 1.25};
    const pm_motion_resample_options rounds = {
        .rate = {16, 1}, .curve = &curve, .end_after_first_key = {5, 2}};
    assert_int_equal(resample(uniform, engine, &rounds).samples, 41);
    assert_int_equal(resample(listed, engine, &rounds).samples, 41);
    const pm_motion_resample_options authored = {
        .rate = {16, 1}, .curve = &curve, .authored = true};
    assert_int_equal(resample(uniform, engine, &authored).samples, 17);
    assert_int_equal(resample(listed, engine, &authored).samples, 17);
}

/* ---- limits and refusals ------------------------------------------------------------------- */

TEST_ON_REFERENCE(too_many_samples_are_refused_with_their_number) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    static const double times[2] = {0, 2};
    SCOPED(pm_motion_destroy)
    pm_motion *uniform = uniform_motion(&source, 61, (pm_rational){30, 1}, false);
    SCOPED(pm_motion_destroy) pm_motion *listed = listed_motion(&source, times, 2);
    pm_motion_resample_options o = {.rate = {1000, 1}, .max_samples = 2001};
    assert_int_equal(resample(uniform, engine, &o).samples, 2001);
    assert_int_equal(resample(listed, engine, &o).samples, 2001);
    o.max_samples = 2000;
    expect_refused(uniform, engine, &o, PM_ERROR_FILE, "61 frames at 30 Hz would become 2001 ");
    expect_refused(listed, engine, &o, PM_ERROR_FILE, "would become 2001 ");
    o = (pm_motion_resample_options){.rate = {50000000, 1}};
    expect_refused(uniform, engine, &o, PM_ERROR_FILE, "would become 100000001 ");
}

TEST_ON_REFERENCE(unusable_options_are_refused) {
    pm_engine *engine = engine_for(state);
    random_source source = random_start();
    static const double times[2] = {0, 2};
    static const size_t beyond[1] = {1}, twice[2] = {0, 0};
    const pm_clip_desc no_curve = {.method = PM_METHOD_COUNT};
    const pm_clip_desc cubic = {.method = PM_METHOD_CUBICSPLINE};
    SCOPED(pm_motion_destroy)
    pm_motion *uniform = uniform_motion(&source, 61, (pm_rational){30, 1}, false);
    SCOPED(pm_motion_destroy) pm_motion *listed = listed_motion(&source, times, 2);
    const struct {
        pm_motion_resample_options options;
        pm_status status;
        const char *words;
    } wrong[] = {
        {{.rate = {0, 0}}, PM_ERROR_ARGUMENT, "rate"},
        {{.rate = {-1, 1}}, PM_ERROR_ARGUMENT, "rate"},
        {{.rate = {1, 0}}, PM_ERROR_ARGUMENT, "rate"},
        {{.rate = {60, 1}, .start_after_first_key = {-1, 1}}, PM_ERROR_ARGUMENT, "start"},
        {{.rate = {60, 1}, .end_after_first_key = {1, -1}}, PM_ERROR_ARGUMENT, "end"},
        {{.rate = {60, 1}, .end_rule = PM_MOTION_END_COUNT}, PM_ERROR_ARGUMENT, "end_rule"},
        {{.rate = {60, 1}, .decimals = 10}, PM_ERROR_ARGUMENT, "decimals"},
        {{.rate = {60, 1}, .curve = &no_curve}, PM_ERROR_ARGUMENT, "method"},
        {{.rate = {60, 1}, .clips = beyond, .clip_count = 1}, PM_ERROR_ARGUMENT, "clips[0]"},
        {{.rate = {60, 1}, .clips = twice, .clip_count = 2}, PM_ERROR_ARGUMENT, "clips[1]"},
        {{.rate = {60, 1}, .end_after_first_key = {21, 10}},
         PM_ERROR_FILE,
         "end: is after the last key (2.1 s; the last key is 2 s"},
        {{.rate = {60, 1}, .start_after_first_key = {21, 10}},
         PM_ERROR_FILE,
         "start: is after the last key (2.1 s; the last key is 2 s"},
        {{.rate = {60, 1}, .start_after_first_key = {2, 1}, .end_after_first_key = {1, 1}},
         PM_ERROR_FILE,
         "start: is after the end of the cut (2 s; the end of the cut is 1 s"},
        {{.rate = {60, 1}, .trim_start = 61}, PM_ERROR_FILE, "trim-start"},
        {{.rate = {60, 1}, .curve = &cubic}, PM_ERROR_FILE, "tangents"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        expect_refused(uniform, engine, &wrong[i].options, wrong[i].status, wrong[i].words);
        expect_refused(listed, engine, &wrong[i].options, wrong[i].status, wrong[i].words);
    }
}

TEST_GROUP(NULL, engines_close)
