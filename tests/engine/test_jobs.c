/* SPDX-License-Identifier: MIT
 *
 * Kinds of jobs, track counts, lane widths and piece sizes in every combination that must give the
 * same bits. Other tests check that the bits are right.
 */
#include "base/counts.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <stdlib.h>
#include <string.h>

/* ---- kinds of jobs ---- */

/* Key and sample times that are multiples of 1/64 s, which every kind of job locates exactly. */
static void expect_kinds_agree(void **state, const motion *m, const pm_timeline *timeline,
                               pm_method method, double loop) {
    enum { MAX = 150 };
    const size_t count = small_sizes() ? 60 : MAX;
    random_source source = random_salted(0x32 + (uint64_t)method);
    const size_t lead = random_size(&source, 0, count / 2); /* samples before the first key */
    const size_t tracks = m->tracks;
    const double first_key = timeline->times ? timeline->times[0] : 0;
    pm_clip_desc desc = motion_desc(m, timeline, method);
    desc.loop = loop;
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
    double times[MAX];
    SCOPED(free_at) double *pair_times = test_array(count * tracks, sizeof *pair_times);
    SCOPED(free_at) uint32_t *pair_tracks = test_array(count * tracks, sizeof *pair_tracks);
    for (size_t k = 0; k < count; k++) {
        times[k] = first_key + ((double)k - (double)lead) / 64;
        for (size_t track = 0; track < tracks; track++) {
            pair_times[k * tracks + track] = times[k];
            pair_tracks[k * tracks + track] = (uint32_t)track;
        }
    }
    const pm_sample_job uniform = {
        .sample_count = count, .rate = {64, 1}, .start_after_first_key = {-(int64_t)lead, 64}};
    const pm_sample_job listed = {.sample_count = count, .times = times};
    const pm_sample_job pairs = {
        .sample_count = count * tracks, .times = pair_times, .tracks = pair_tracks};
    SCOPED(outputs_free)
    outputs a = sampled(clip, uniform), b = sampled(clip, listed), c = sampled(clip, pairs);
    expect_same_outputs(&a, &b);
    expect_same_outputs(&a, &c);
}

TEST_ON_BOTH(the_three_kinds_of_jobs_agree_on_uniform_keys) {
    SCOPED(motion_free) motion m = motion_make(16, 5, 2.5, 0x21);
    const pm_timeline timeline = {.key_count = 16, .rate = {8, 1}};
    for (size_t i = 0; i < PM_METHOD_COUNT; i++) {
        expect_kinds_agree(state, &m, &timeline, (pm_method)i, 0);
        expect_kinds_agree(state, &m, &timeline, (pm_method)i, 2);
    }
}

/* Key times in 64ths of a second, uniform if `even`, otherwise random, and the period of a loop
 * through them. */
static double draw_key_times(random_source *source, bool even, size_t count, double *times) {
    double at = -(double)random_size(source, 0, 128) / 64;
    for (size_t key = 0; key < count; key++) {
        times[key] = at;
        at += even ? 0.25 : (double)random_size(source, 1, 24) / 64;
    }
    return at - times[0];
}

TEST_ON_BOTH(the_three_kinds_of_jobs_agree_on_listed_keys) {
    enum { KEYS = 9 };
    SCOPED(motion_free) motion m = motion_make(KEYS, 6, 2.5, 0x22);
    random_source source = random_salted(0x33);
    for (size_t i = 0; i < PM_METHOD_COUNT; i++) {
        double times[KEYS];
        const pm_timeline timeline = {.key_count = KEYS, .times = times};
        const bool even = pm_method_get_info((pm_method)i)->needs_uniform_keys;
        const double period = draw_key_times(&source, even, KEYS, times);
        expect_kinds_agree(state, &m, &timeline, (pm_method)i, 0);
        expect_kinds_agree(state, &m, &timeline, (pm_method)i, period);
    }
}

TEST_ON_BOTH(any_outputs_may_be_requested) {
    enum { COUNT = 31 };
    SCOPED(motion_free) motion m = motion_make(8, 3, 2.5, 0x25);
    const pm_timeline timeline = {.key_count = 8, .rate = {10, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_CIRCULAR);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
    const pm_sample_job job = {.sample_count = COUNT, .rate = {37, 1}};
    SCOPED(outputs_free) outputs together = sampled(clip, job);
    for (unsigned set = 1; set <= OF_CHANNELS; set++) {
        SCOPED(outputs_free) outputs some = sampled_as(clip, job, set);
        expect_same_outputs(&some, &together);
    }
}

/* ---- track counts, the reference ---- */

TEST_ON_BOTH(every_track_count_fills_its_outputs_and_nothing_else) {
    enum { KEYS = 6, MAX = 40, COUNT = 9 };
    const size_t max = small_sizes() ? 18 : MAX;
    SCOPED(motion_free) motion m = motion_make(KEYS, MAX, 2.5, 0x2E);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {10, 1}};
    const pm_sample_job job = {.sample_count = COUNT, .rate = {23, 1}};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    pm_clip *clip = clip_make(engine_for(state), &desc);
    SCOPED(outputs_free) outputs all = sampled(clip, job);
    pm_clip_destroy(&clip);
    /* The first tracks of the same rows; strides skip the rest. */
    desc.rotations.stride = MAX * 4 * sizeof(float);
    desc.positions.stride = desc.scales.stride = MAX * 3 * sizeof(float);
    for (size_t tracks = 1; tracks <= max; tracks++) {
        desc.track_count = tracks;
        clip = clip_make(engine_for(state), &desc);
        SCOPED(outputs_free) outputs some = sampled(clip, job);
        for (size_t k = 0; k < COUNT; k++) {
            const outputs part = outputs_from(&some, k * tracks, tracks);
            const outputs wanted = outputs_from(&all, k * MAX, tracks);
            expect_same_outputs(&part, &wanted);
        }
        pm_clip_destroy(&clip);
    }
}

/* Jobs of every kind on one engine. */
static void expect_kinds_on(pm_engine *engine, pm_method method) {
    enum { KEYS = 11, TRACKS = 21, MAX = 60 };
    const size_t count = small_sizes() ? 16 : MAX;
    SCOPED(motion_free) motion m = motion_make(KEYS, TRACKS, 3.1, 0x2F);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {10, 1}};
    const pm_clip_desc desc = motion_desc(&m, &timeline, method);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
    double times[MAX];
    uint32_t tracks[MAX];
    random_source source = random_salted(0x30);
    random_times(&source, count, -0.1, 1.1, times);
    for (size_t k = 0; k < count; k++)
        tracks[k] = (uint32_t)random_size(&source, 0, TRACKS - 1);
    const pm_sample_job jobs[] = {{.sample_count = count, .rate = {30000, 1001}},
                                  {.sample_count = count, .times = times},
                                  {.sample_count = count, .times = times, .tracks = tracks}};
    for (size_t kind = 0; kind < COUNT_OF(jobs); kind++)
        expect_reference_bits(clip, jobs[kind], OF_CHANNELS);
}

/* All methods where their programs are compiled already. Else those whose kernels differ in what they read: keys, axes of
 * each track, controls, tangents, and arcs in two forms. Each is some programs, which take seconds to compile. */
TEST_ON_DEVICE(any_kind_of_job_gives_the_bits_of_the_reference) {
    static const pm_method methods[] = {PM_METHOD_SQUAD, PM_METHOD_SLERP, PM_METHOD_STERP,
                                        PM_METHOD_CUBICSPLINE, PM_METHOD_CIRCULAR_C1};
    const size_t count = has_few_programs(state) ? 1 : COUNT_OF(methods);
    for (size_t i = 0; i < (open_own_device ? PM_METHOD_COUNT : count); i++)
        expect_kinds_on(engine_for(state), open_own_device ? (pm_method)i : methods[i]);
}

TEST_ON_DEVICE(pieces_of_any_size_give_the_same_bits) {
    const uint64_t sizes[] = {1, 4096, 10000, 1 << 20};
    for (size_t p = 0; p < COUNT_OF(sizes); p++) {
        SCOPED(pm_engine_destroy)
        pm_engine *engine = engine_with(state, &(pm_engine_desc){.piece_bytes = sizes[p]});
        expect_kinds_on(engine, PM_METHOD_SQUAD);
    }
}

TEST_GROUP(NULL, engines_close)
