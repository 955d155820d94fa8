/* SPDX-License-Identifier: MIT
 *
 * Clips whose tracks have key times of their own, and the ways in which one clip can be
 * described: all must give the bits of the plain description.
 */
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const pm_method all_methods[] = {PM_METHOD_SLERP, PM_METHOD_STEP,  PM_METHOD_NLERP,
                                        PM_METHOD_STERP, PM_METHOD_SQUAD, PM_METHOD_CIRCULAR};
enum { METHODS = sizeof all_methods / sizeof all_methods[0] };

static motion slice(const motion *m, size_t track, size_t keys) {
    motion one = motion_make(keys, 1, 0, 1);
    for (size_t key = 0; key < keys; key++) {
        const size_t row = key * m->tracks + track;
        memcpy(one.rotations + key * 4, m->rotations + row * 4, 4 * sizeof(float));
        memcpy(one.positions + key * 3, m->positions + row * 3, 3 * sizeof(float));
        memcpy(one.scales + key * 3, m->scales + row * 3, 3 * sizeof(float));
    }
    return one;
}

enum { MIXED_TRACKS = 9, MIXED_LINES = 6, MIXED_KEYS = 12 };

static const double mixed_times[MIXED_KEYS] = {0.5, 0.7, 1, 1.1, 1.11, 1.5, 2, 2.5, 2.6, 3, 3.5, 4};
static const pm_timeline mixed_lines[MIXED_LINES] = {
    {.key_count = MIXED_KEYS, .times = mixed_times},
    {.key_count = 1, .rate = {1, 1}},
    {.key_count = 5, .rate = {30, 13}},
    {.key_count = 2, .times = mixed_times},
    {.key_count = 3, .rate = {30, 13}}, /* shares only its rate with another */
    {.key_count = 5, .rate = {7, 1}},
};
static const uint32_t mixed_line_of[MIXED_TRACKS] = {2, 0, 1, 3, 0, 2, 4, 5, 2};

/* The same tracks in one clip of several timelines: rows of a track lie together. */
static motion pack_tracks(const motion *parts) {
    size_t rows = 0;
    for (size_t track = 0; track < MIXED_TRACKS; track++)
        rows += parts[track].keys;
    motion all = motion_make(rows, 1, 0, 1);
    rows = 0;
    for (size_t track = 0; track < MIXED_TRACKS; track++) {
        const motion *p = &parts[track];
        memcpy(all.rotations + rows * 4, p->rotations, p->keys * 4 * sizeof(float));
        memcpy(all.positions + rows * 3, p->positions, p->keys * 3 * sizeof(float));
        memcpy(all.scales + rows * 3, p->scales, p->keys * 3 * sizeof(float));
        rows += p->keys;
    }
    return all;
}

static void expect_track_is_single(void **state, const outputs *mixed, const motion *part,
                                   size_t track, pm_method method, pm_sample_job job) {
    const pm_clip_desc desc = motion_desc(part, &mixed_lines[mixed_line_of[track]], method);
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
    enum { COUNT = 90 };
    motion source = motion_make(MIXED_KEYS, MIXED_TRACKS, 2.5, 0x27), parts[MIXED_TRACKS];
    for (size_t track = 0; track < MIXED_TRACKS; track++)
        parts[track] = slice(&source, track, mixed_lines[mixed_line_of[track]].key_count);
    motion packed = pack_tracks(parts);
    double times[COUNT];
    random_source random = random_salted(0x28);
    for (size_t k = 0; k < COUNT; k++)
        times[k] = random_between(&random, -0.5, 4.5);
    const pm_sample_job jobs[] = {{.sample_count = COUNT, .times = times},
                                  {.sample_count = COUNT, .rate = {24000, 1001}}};
    for (size_t i = 0; i < METHODS; i++) {
        pm_clip_desc desc = motion_desc(&packed, mixed_lines, all_methods[i]);
        desc.track_count = MIXED_TRACKS;
        desc.timeline_count = MIXED_LINES;
        desc.timeline_of = mixed_line_of;
        pm_clip *clip = clip_make(engine_for(state), &desc);
        for (size_t j = 0; j < 2; j++) {
            outputs mixed = sampled(clip, jobs[j], COUNT * MIXED_TRACKS);
            for (size_t track = 0; track < MIXED_TRACKS; track++)
                expect_track_is_single(state, &mixed, &parts[track], track, all_methods[i],
                                       jobs[j]);
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
        parts[track] = slice(&source, track, mixed_lines[mixed_line_of[track]].key_count);
    motion packed = pack_tracks(parts);
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

/* Seconds of the processor that building `count` tracks with key times of their own takes: the
 * least of some runs. */
static double seconds_to_build(pm_engine *engine, size_t count) {
    enum { OWN_KEYS = 2, RUNS = 3 };
    static const double times[OWN_KEYS] = {0, 1};
    pm_timeline *lines = test_array(count, sizeof *lines);
    uint32_t *line_of = test_array(count, sizeof *line_of);
    float(*keys)[4] = test_array(count * OWN_KEYS, sizeof *keys);
    double least = HUGE_VAL;
    for (size_t track = 0; track < count; track++) {
        lines[track] = (pm_timeline){.key_count = OWN_KEYS, .times = times};
        line_of[track] = (uint32_t)track;
    }
    for (size_t row = 0; row < count * OWN_KEYS; row++)
        memcpy(keys[row], (const float[]){0, 0, 0, 1}, sizeof keys[row]);
    const pm_clip_desc desc = {.track_count = count,
                               .timelines = lines,
                               .timeline_count = count,
                               .timeline_of = line_of,
                               .rotations = {.data = keys}};
    for (size_t run = 0; run < RUNS; run++) {
        const clock_t begun = clock();
        pm_clip *clip = clip_make(engine, &desc);
        const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
        least = seconds < least ? seconds : least;
        pm_clip_destroy(&clip);
    }
    free(lines);
    free(line_of);
    free(keys);
    return least;
}

/* Eight times as many may take three times eight as long, caches and all; were it quadratic, it
 * would be 64 times. */
static void building_takes_as_long_as_there_are_timelines(void **state) {
    (void)state;
    const size_t few = 5000;
    pm_error error = poisoned_error();
    pm_engine *engine = NULL;
    const pm_engine_desc alone = {.device = "none", .host_threads = 1};
    expect_ok(pm_engine_create(&alone, &engine, &error), &error);
    const double one = seconds_to_build(engine, few), eight = seconds_to_build(engine, 8 * few);
    pm_engine_destroy(&engine);
    printf("# %zu timelines in %.4f s, %zu in %.4f s\n", few, one, 8 * few, eight);
    assert_true(eight < 24 * one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_BOTH(tracks_of_several_timelines_are_as_clips_of_their_own),
        ON_BOTH(pairs_find_the_timeline_of_their_track),
        ON_BOTH(strides_and_number_types_do_not_change_a_clip),
        ON_BOTH(a_clip_holds_nothing_of_its_description),
        ON_BOTH(a_clip_tells_what_it_is),
        cmocka_unit_test(building_takes_as_long_as_there_are_timelines),
    };
    return cmocka_run_group_tests_name("timelines", tests, NULL, engines_close);
}
