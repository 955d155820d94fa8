/* SPDX-License-Identifier: MIT
 *
 * The kernel files as C against the reference path, bit for bit, with all buffers of their exact sizes: a device would not detect accesses outside.
 */
#include "support/engines.h"
#include "support/kernels_on_host.h"
#include "support/motion.h"
#include "support/outputs.h"
#include "support/variants.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

enum { MAX_TRACKS = 40, COUNT = 37, FEW = 5 };

static pm_clip *make_clip(const pm_clip_desc *desc) {
    pm_clip *clip = NULL;
    expect_success(pm_clip_create(engine_of_kind(ON_REFERENCE), desc, &clip, new_error()));
    return clip;
}

static void expect_launch(const host_launch *launch, const pm_clip *clip, pm_sample_job job,
                          unsigned set, const outputs *expected) {
    SCOPED(outputs_free) outputs got = outputs_make(expected->rows, set);
    job = outputs_job(job, &got);
    const pm_sample_request request = pm_sample_request_of(clip->data, &job, 1);
    kernels_on_host_sample(launch, &request);
    expect_same_outputs(&got, expected);
}

/* Checks that every kernel that can evaluate the job gives the reference's bits. */
static void expect_reference(const pm_clip *clip, pm_sample_job job) {
    const bool coded = clip->data->channels[PM_ROTATIONS].format != PM_KEYS_FLOAT32;
    SCOPED(outputs_free) outputs expected = sampled(clip, job);
    SCOPED(outputs_free) outputs rates = sampled_as(clip, job, ONLY_RATES);
    const host_launch gather = {KERNEL_GATHER, 1};
    if (clip->data->common_timeline && !job.tracks)
        expect_launch(&(host_launch){KERNEL_WALK, FEW}, clip, job, OF_CHANNELS, &expected);
    expect_launch(&gather, clip, job, OF_CHANNELS, &expected);
    if (!coded)
        expect_launch(&gather, clip, job, ONLY_RATES, &rates);
}

/* Times from a quarter of the keys' duration before them to a quarter after them, in any order,
 * including the first and the last key. */
static void draw_times(random_source *source, const test_track *track, double *times) {
    const double first = track->times[0], last = track->times[track->key_count - 1];
    const double margin = 0.25 * (last - first) + 1;
    for (size_t k = 0; k < COUNT; k++)
        times[k] = random_between(source, first - margin, last + margin);
    times[COUNT / 2] = first;
    times[COUNT / 3] = last;
}

static size_t key_count_of(size_t tracks) {
    return 1 + tracks % 7;
}

/* Tracks with a common timeline, in every number up to a maximum; small sizes skip some of the
 * numbers. */
static void each_count(void (*body)(const variant *v, random_source *source, size_t tracks)) {
    random_source source = random_start();
    const size_t step = small_sizes() ? 7 : 1;
    for (size_t n = 0; n < variant_count(); n++)
        for (size_t tracks = 1; tracks <= MAX_TRACKS; tracks += step)
            body(variant_at(n), &source, tracks);
}

static void sample_at_times(const variant *v, random_source *source, size_t tracks,
                            bool common_timeline) {
    double times[COUNT];
    SCOPED(set_destroy) track_set set;
    set_random(source, tracks, key_count_of(tracks), 0, 3.1, true, common_timeline, &set);
    variant_prepare(v, &set);
    const pm_clip_desc desc = variant_describe(v, &set);
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(&desc);
    draw_times(source, &set.tracks[0], times);
    expect_reference(clip, (pm_sample_job){.sample_count = COUNT, .times = times});
}

static void sample_shared(const variant *v, random_source *source, size_t tracks) {
    sample_at_times(v, source, tracks, true);
}

TEST(every_method_has_the_bits_of_the_reference_for_any_number_of_tracks) {
    each_count(sample_shared);
}

static void sample_apart(const variant *v, random_source *source, size_t tracks) {
    sample_at_times(v, source, tracks, false);
}

TEST(every_method_has_the_bits_of_the_reference_on_timelines_of_each_track) {
    each_count(sample_apart);
}

/* As many pairs as the other tests have tracks: one up to more than two vectors. */
static void sample_pairs(const variant *v, random_source *source, size_t count) {
    enum { TRACKS = 6 };
    double times[MAX_TRACKS];
    uint32_t tracks[MAX_TRACKS];
    SCOPED(set_destroy) track_set set;
    set_random(source, TRACKS, 5, 0, 3.1, true, count % 2 == 0, &set);
    variant_prepare(v, &set);
    const pm_clip_desc desc = variant_describe(v, &set);
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(&desc);
    for (size_t k = 0; k < count; k++) {
        times[k] = random_between(source, -1, 6);
        tracks[k] = (uint32_t)(random_bits(source) % TRACKS);
    }
    expect_reference(clip,
                     (pm_sample_job){.sample_count = count, .times = times, .tracks = tracks});
}

TEST(every_method_has_the_bits_of_the_reference_for_pairs) {
    each_count(sample_pairs);
}

static bool any_turns_over(const pm_clip *clip) {
    for (size_t t = 0; t < clip->data->track_count; t++)
        if (clip->data->wraps[t] < 0)
            return true;
    return false;
}

/* Loops of uniform keys, from laps before the keys to laps after them, at a rate: the locate kernel
 * computes the cursors. */
static void loop_on(const variant *v, random_source *source, size_t tracks, bool common_timeline) {
    enum { KEYS = 6 };
    const pm_timeline timeline = {.key_count = KEYS, .rate = {3, 1}};
    SCOPED(set_destroy) track_set set;
    set_random(source, tracks, KEYS, 0.5, 3.1, false, common_timeline, &set);
    variant_prepare(v, &set);
    pm_clip_desc desc = variant_describe(v, &set);
    for (size_t t = 0; t < desc.timeline_count; t++)
        set.timelines[t] = timeline;
    desc.loop = 2;
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(&desc);
    const pm_sample_job job = {.sample_count = 90,
                               .rate = {17, 1},
                               .start_after_first_key = {-7, 2},
                               .first = random_bits(source) % 5};
    if (tracks > MAX_TRACKS / 2)
        assert_true(v->method == PM_METHOD_CUBICSPLINE ||
                    any_turns_over(clip)); /* which keeps the signs of keys */
    expect_reference(clip, job);
}

TEST(odd_laps_of_loops_have_the_signs_of_the_reference) {
    random_source source = random_start();
    static const size_t counts[] = {1, 3, 16, 17, 31, 40};
    const size_t step = small_sizes() ? 3 : 1;
    for (size_t n = 0; n < variant_count(); n++)
        for (size_t i = 0; i < COUNT_OF(counts); i += step) {
            loop_on(variant_at(n), &source, counts[i], true);
            loop_on(variant_at(n), &source, counts[i], false);
        }
}

/* slerp with keys of a format, and positions and scales by a method. */
static void sample_kind(random_source *source, size_t tracks, pm_key_format format,
                        pm_vector_method method) {
    double times[COUNT];
    SCOPED(set_destroy) track_set set;
    set_random(source, tracks, 6, 0, 3.1, true, tracks % 2 == 0, &set);
    pm_clip_desc desc = set_describe(&set);
    desc.key_format = format;
    desc.vector_method = method;
    SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(&desc);
    draw_times(source, &set.tracks[0], times);
    expect_reference(clip, (pm_sample_job){.sample_count = COUNT, .times = times});
}

TEST(keys_of_48_bits_have_the_bits_of_the_reference) {
    static const pm_key_format formats[] = {PM_KEYS_LOG48, PM_KEYS_SMALLEST48};
    random_source source = random_start();
    for (size_t tracks = 1; tracks <= MAX_TRACKS; tracks += 3)
        for (size_t f = 0; f < COUNT_OF(formats); f++)
            sample_kind(&source, tracks, formats[f], PM_VECTOR_LINEAR);
}

TEST(positions_and_scales_have_the_bits_of_the_reference) {
    random_source source = random_start();
    static const pm_vector_method methods[] = {PM_VECTOR_STEP, PM_VECTOR_LINEAR,
                                               PM_VECTOR_CATMULL_ROM};
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        for (size_t tracks = 1; tracks <= MAX_TRACKS; tracks += 3)
            sample_kind(&source, tracks, PM_KEYS_FLOAT32, methods[i]);
}

/* A work-item of walk evaluates any number of samples, which must not affect the bits. */
TEST(walk_gives_the_same_bits_in_runs_of_any_length) {
    enum { TRACKS = 21 };
    random_source source = random_start();
    for (size_t n = 0; n < variant_count(); n++) {
        double times[COUNT];
        SCOPED(set_destroy) track_set set;
        set_random(&source, TRACKS, 7, 0, 3.1, true, true, &set);
        variant_prepare(variant_at(n), &set);
        const pm_clip_desc desc = variant_describe(variant_at(n), &set);
        SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(&desc);
        draw_times(&source, &set.tracks[0], times);
        const pm_sample_job job = {.sample_count = COUNT, .times = times};
        SCOPED(outputs_free) outputs expected = sampled(clip, job);
        for (uint32_t run = 1; run <= COUNT + 1; run += 9)
            expect_launch(&(host_launch){KERNEL_WALK, run}, clip, job, OF_CHANNELS, &expected);
    }
}

/* A kernel locates uniform samples: the rates, starts and laps of a job must not affect the bits. */
TEST(uniform_samples_are_located_like_the_reference) {
    enum { KEYS = 5, SAMPLES = 200 };
    random_source source = random_start();
    for (unsigned n = 0; n < 300; n++) {
        const int64_t key_rate = 1 + (int64_t)(random_bits(&source) % 120);
        const size_t keys = 2 + random_bits(&source) % (KEYS - 1);
        const pm_timeline timeline = {.key_count = keys, .rate = {key_rate, 1}};
        SCOPED(set_destroy) track_set set;
        set_random(&source, 13 + random_bits(&source) % 24, keys, 0, 1, false, true, &set);
        pm_clip_desc desc = set_describe(&set);
        desc.timelines = &timeline;
        desc.loop = n % 3 ? (double)keys / (double)key_rate : 0;
        SCOPED(pm_clip_destroy) pm_clip *clip = make_clip(&desc);
        const pm_sample_job job = {
            .sample_count = 1 + random_bits(&source) % SAMPLES,
            .first = random_bits(&source) >> (24 + random_bits(&source) % 40),
            .rate = {1 + (int64_t)(random_bits(&source) % 1000),
                     1 + (int64_t)(random_bits(&source) % 1001)},
            .start_after_first_key = {(int64_t)(random_bits(&source) % 90), 7}};
        SCOPED(outputs_free)
        outputs expected = sampled(clip, job);
        for (unsigned i = 0; i < 4; i++)
            expect_launch(&(host_launch){KERNEL_WALK, 1 + random_bits(&source) % 256}, clip, job,
                          OF_CHANNELS, &expected);
    }
}

TEST_GROUP(NULL, engines_close)
