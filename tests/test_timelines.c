/* SPDX-License-Identifier: MIT
 *
 * Clips whose tracks have key times of their own, and the ways in which one clip can be
 * described: all must give the bits of the plain description.
 */
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <string.h>

enum { MIXED_TRACKS = 9, MIXED_LINES = 6, MIXED_KEYS = 12 };

static const double mixed_times[MIXED_KEYS] = {0.5, 0.7, 1, 1.1, 1.11, 1.5, 2, 2.5, 2.6, 3, 3.5, 4};
static const double even_times[MIXED_KEYS] = {0.5, 0.75, 1,   1.25, 1.5, 1.75,
                                              2,   2.25, 2.5, 2.75, 3,   3.25};
#define MIXED_LINES_BUT_FOR(listed)                                                                \
    {                                                                                              \
        {.key_count = MIXED_KEYS, .times = (listed)}, {.key_count = 1, .rate = {1, 1}},            \
            {.key_count = 5, .rate = {30, 13}}, {.key_count = 2, .times = (listed)},               \
            {.key_count = 3, .rate = {30, 13}}, /* shares only its rate with another */            \
            {.key_count = 5, .rate = {7, 1}},                                                      \
    }
static const pm_timeline mixed_lines[MIXED_LINES] = MIXED_LINES_BUT_FOR(mixed_times);
static const pm_timeline even_lines[MIXED_LINES] = MIXED_LINES_BUT_FOR(even_times);

static const pm_timeline *lines_for(pm_method method) {
    return pm_method_describe(method)->needs_uniform_keys ? even_lines : mixed_lines;
}
static const uint32_t mixed_line_of[MIXED_TRACKS] = {2, 0, 1, 3, 0, 2, 4, 5, 2};

static void expect_track_is_single(void **state, const outputs *mixed, const motion *part,
                                   size_t track, pm_method method, pm_sample_job job) {
    const pm_clip_desc desc = motion_desc(part, &lines_for(method)[mixed_line_of[track]], method);
    pm_clip *clip = clip_make(engine_for(state), &desc);
    outputs single = sampled(clip, job, job.sample_count);
    for (size_t k = 0; k < job.sample_count; k++) {
        const size_t row = k * MIXED_TRACKS + track;
        expect_same_bits(mixed->rotations + row * 4, single.rotations + k * 4, 4, 4);
        expect_same_bits(mixed->positions + row * 3, single.positions + k * 3, 3, 3);
        expect_same_bits(mixed->scales + row * 3, single.scales + k * 3, 3, 3);
    }
    outputs_free(&single);
    pm_clip_destroy(&clip);
}

static void tracks_of_several_timelines_are_as_clips_of_their_own(void **state) {
    engine_for(state);
    enum { MOST = 90 };
    const size_t count = small_sizes() ? 24 : MOST;
    motion source = motion_make(MIXED_KEYS, MIXED_TRACKS, 2.5, 0x27), parts[MIXED_TRACKS];
    for (size_t track = 0; track < MIXED_TRACKS; track++)
        parts[track] = motion_slice(&source, track, mixed_lines[mixed_line_of[track]].key_count);
    motion packed = motion_pack(parts, MIXED_TRACKS);
    double times[MOST];
    random_source random = random_salted(0x28);
    random_times(&random, count, -0.5, 4.5, times);
    const pm_sample_job jobs[] = {{.sample_count = count, .times = times},
                                  {.sample_count = count, .rate = {24000, 1001}}};
    for (size_t i = 0; i < PM_METHOD_COUNT; i++) {
        pm_clip_desc desc = motion_desc(&packed, lines_for((pm_method)i), (pm_method)i);
        desc.track_count = MIXED_TRACKS;
        desc.timeline_count = MIXED_LINES;
        desc.timeline_of = mixed_line_of;
        pm_clip *clip = clip_make(engine_for(state), &desc);
        for (size_t j = 0; j < 2; j++) {
            outputs mixed = sampled(clip, jobs[j], count * MIXED_TRACKS);
            for (size_t track = 0; track < MIXED_TRACKS; track++)
                expect_track_is_single(state, &mixed, &parts[track], track, (pm_method)i, jobs[j]);
            outputs_free(&mixed);
        }
        pm_clip_destroy(&clip);
    }
    motion_free(&packed);
    motion_free(&source);
    for (size_t track = 0; track < MIXED_TRACKS; track++)
        motion_free(&parts[track]);
}

static void pairs_find_the_timeline_of_their_track(void **state) {
    engine_for(state);
    enum { COUNT = 200 };
    motion source = motion_make(MIXED_KEYS, MIXED_TRACKS, 2.5, 0x29), parts[MIXED_TRACKS];
    for (size_t track = 0; track < MIXED_TRACKS; track++)
        parts[track] = motion_slice(&source, track, mixed_lines[mixed_line_of[track]].key_count);
    motion packed = motion_pack(parts, MIXED_TRACKS);
    pm_clip_desc desc = motion_desc(&packed, mixed_lines, PM_METHOD_SQUAD);
    desc.track_count = MIXED_TRACKS;
    desc.timeline_count = MIXED_LINES;
    desc.timeline_of = mixed_line_of;
    pm_clip *clip = clip_make(engine_for(state), &desc);
    double times[COUNT];
    uint32_t tracks[COUNT];
    random_source random = random_salted(0x2A);
    for (size_t k = 0; k < COUNT; k++) {
        times[k] = random_between(&random, -0.5, 4.5);
        tracks[k] = (uint32_t)(random_bits(&random) % MIXED_TRACKS);
    }
    outputs all =
        sampled(clip, (pm_sample_job){.sample_count = COUNT, .times = times}, COUNT * MIXED_TRACKS);
    outputs pairs = sampled(
        clip, (pm_sample_job){.sample_count = COUNT, .times = times, .tracks = tracks}, COUNT);
    for (size_t k = 0; k < COUNT; k++)
        expect_same_bits(pairs.rotations + k * 4,
                         all.rotations + (k * MIXED_TRACKS + tracks[k]) * 4, 4, 4);
    outputs_free(&all);
    outputs_free(&pairs);
    pm_clip_destroy(&clip);
    motion_free(&packed);
    motion_free(&source);
    for (size_t track = 0; track < MIXED_TRACKS; track++)
        motion_free(&parts[track]);
}

static void strides_and_number_types_do_not_change_a_clip(void **state) {
    engine_for(state);
    enum { KEYS = 10, TRACKS = 3, COUNT = 40, GAP = 5 };
    motion m = motion_make(KEYS, TRACKS, 2.5, 0x2B);
    const pm_timeline timeline = {.key_count = KEYS, .rate = {10, 1}};
    struct {
        double rotations[TRACKS * 4];
        double gap[GAP];
    } rows[KEYS];
    memset(rows, 0xFF, sizeof rows);
    for (size_t key = 0; key < KEYS; key++)
        for (size_t c = 0; c < TRACKS * 4; c++)
            rows[key].rotations[c] = (double)m.rotations[key * TRACKS * 4 + c];
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_SQUAD);
    const pm_sample_job job = {.sample_count = COUNT, .rate = {37, 1}};
    pm_clip *clip = clip_make(engine_for(state), &desc);
    outputs plain = sampled(clip, job, COUNT * TRACKS);
    pm_clip_destroy(&clip);
    desc.rotations = (pm_array){rows, PM_FLOAT64, sizeof rows[0]};
    clip = clip_make(engine_for(state), &desc);
    outputs strided = sampled(clip, job, COUNT * TRACKS);
    expect_same_outputs(&strided, &plain);
    outputs_free(&plain);
    outputs_free(&strided);
    pm_clip_destroy(&clip);
    motion_free(&m);
}

static void a_clip_holds_nothing_of_its_description(void **state) {
    engine_for(state);
    enum { KEYS = 10, COUNT = 40 };
    motion m = motion_make(KEYS, 2, 2.5, 0x2C);
    double times[KEYS];
    for (size_t key = 0; key < KEYS; key++)
        times[key] = 0.1 * (double)(key * key);
    pm_timeline timeline = {.key_count = KEYS, .times = times};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_STERP);
    const pm_sample_job job = {.sample_count = COUNT, .rate = {7, 1}};
    pm_clip *clip = clip_make(engine_for(state), &desc);
    outputs before = sampled(clip, job, COUNT * 2);
    memset(times, 0xFF, sizeof times);
    memset(&timeline, 0xFF, sizeof timeline);
    memset(&desc, 0xFF, sizeof desc);
    motion_free(&m);
    outputs after = sampled(clip, job, COUNT * 2);
    expect_same_outputs(&before, &after);
    outputs_free(&before);
    outputs_free(&after);
    pm_clip_destroy(&clip);
}

static void a_clip_tells_what_it_is(void **state) {
    engine_for(state);
    motion m = motion_make(7, 3, 2.5, 0x2D);
    const pm_timeline timeline = {.key_count = 7, .rate = {4, 1}};
    pm_clip_desc desc = motion_desc(&m, &timeline, PM_METHOD_CIRCULAR);
    desc.scales.data = NULL;
    pm_clip *clip = clip_make(engine_for(state), &desc);
    pm_clip_info info;
    memset(&info, 0xFF, sizeof info);
    pm_clip_get_info(clip, &info);
    assert_int_equal(info.track_count, 3);
    assert_true(info.has_rotations && info.has_positions && !info.has_scales);
    assert_int_equal(info.method, PM_METHOD_CIRCULAR);
    assert_true(info.first_time == 0 && info.last_time == 1.5);
    pm_clip_destroy(&clip);
    desc.loop_period = 2;
    clip = clip_make(engine_for(state), &desc);
    pm_clip_get_info(clip, &info);
    assert_true(info.first_time == 0 && info.last_time == 2);
    pm_clip_destroy(&clip);
    motion_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_BOTH(tracks_of_several_timelines_are_as_clips_of_their_own),
        ON_BOTH(pairs_find_the_timeline_of_their_track),
        ON_BOTH(strides_and_number_types_do_not_change_a_clip),
        ON_BOTH(a_clip_holds_nothing_of_its_description),
        ON_BOTH(a_clip_tells_what_it_is),
    };
    return cmocka_run_group_tests_name("timelines", tests, NULL, engines_close);
}
