/* SPDX-License-Identifier: MIT
 *
 * Clips whose tracks have their own key times give the bits of a clip for each track; rates count from
 * the first key of each, and building takes work proportional to their number.
 */
#include "base/counts.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/outputs.h"
#include "support/wrapped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIXED_TRACKS = 9, MIXED_LINES = 6, MIXED_KEYS = 12 };

static const double mixed_times[MIXED_KEYS] = {0.5, 0.7, 1, 1.1, 1.11, 1.5, 2, 2.5, 2.6, 3, 3.5, 4};
static const double even_times[MIXED_KEYS] = {0.5, 0.75, 1,   1.25, 1.5, 1.75,
                                              2,   2.25, 2.5, 2.75, 3,   3.25};
#define MIXED_LINES_BUT_FOR(listed)                                                                \
    {                                                                                              \
        {.key_count = MIXED_KEYS, .times = (listed)}, {.key_count = 1, .rate = {1, 1}},            \
            {.key_count = 5, .rate = {30, 13}}, {.key_count = 2, .times = (listed)},               \
            {.key_count = 3, .rate = {30, 13}}, /* shares only its rate with another timeline */   \
            {.key_count = 5, .rate = {7, 1}},                                                      \
    }
static const pm_timeline mixed_lines[MIXED_LINES] = MIXED_LINES_BUT_FOR(mixed_times);
static const pm_timeline even_lines[MIXED_LINES] = MIXED_LINES_BUT_FOR(even_times);

static const pm_timeline *lines_for(pm_method method) {
    return pm_method_get_info(method)->needs_uniform_keys ? even_lines : mixed_lines;
}
static const uint32_t mixed_line_of[MIXED_TRACKS] = {2, 0, 1, 3, 0, 2, 4, 5, 2};

static void expect_track_is_single(void **state, const outputs *mixed, const motion *part,
                                   size_t track, pm_method method, pm_sample_job job) {
    const pm_clip_desc desc = motion_desc(part, &lines_for(method)[mixed_line_of[track]], method);
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
    SCOPED(outputs_free) outputs single = sampled(clip, job);
    for (size_t k = 0; k < job.sample_count; k++) {
        const outputs got = outputs_from(mixed, k * MIXED_TRACKS + track, 1);
        const outputs wanted = outputs_from(&single, k, 1);
        expect_same_outputs(&got, &wanted);
    }
}

TEST_ON_BOTH(tracks_of_several_timelines_equal_clips_of_their_own) {
    enum { MAX = 90 };
    const size_t count = small_sizes() ? 24 : MAX;
    motion source = motion_make(MIXED_KEYS, MIXED_TRACKS, 2.5, 0x27), parts[MIXED_TRACKS];
    for (size_t track = 0; track < MIXED_TRACKS; track++)
        parts[track] = motion_slice(&source, track, mixed_lines[mixed_line_of[track]].key_count);
    motion packed = motion_pack(parts, MIXED_TRACKS);
    double times[MAX];
    random_source random = random_salted(0x28);
    random_times(&random, count, -0.5, 4.5, times);
    const pm_sample_job jobs[] = {{.sample_count = count, .times = times},
                                  {.sample_count = count, .rate = {24000, 1001}}};
    for (size_t i = 0; i < PM_METHOD_COUNT; i++) {
        pm_clip_desc desc = motion_desc(&packed, lines_for((pm_method)i), (pm_method)i);
        desc.track_count = MIXED_TRACKS;
        desc.timeline_count = MIXED_LINES;
        desc.timeline_of = mixed_line_of;
        SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
        for (size_t j = 0; j < 2; j++) {
            SCOPED(outputs_free) outputs mixed = sampled(clip, jobs[j]);
            for (size_t track = 0; track < MIXED_TRACKS; track++)
                expect_track_is_single(state, &mixed, &parts[track], track, (pm_method)i, jobs[j]);
        }
    }
    motion_free(&packed);
    motion_free(&source);
    for (size_t track = 0; track < MIXED_TRACKS; track++)
        motion_free(&parts[track]);
}

enum { ROTORS = 4, ROTOR_KEYS = 3 };

/* Tracks that rotate about z by 0.5 rad in each of two steps, each starting at its own time. The
 * last track has uniform keys, which start at 0. */
typedef struct rotors {
    double first[ROTORS], step[ROTORS];
    double times[ROTORS][ROTOR_KEYS];
    double keys[ROTORS][ROTOR_KEYS][4];
    pm_timeline lines[ROTORS];
    uint32_t line_of[ROTORS];
    pm_clip_desc desc;
} rotors;

static void rotors_make(random_source *source, rotors *r) {
    for (size_t track = 0; track < ROTORS; track++) {
        const bool uniform = track == ROTORS - 1;
        r->first[track] = uniform ? 0 : random_between(source, -40, 40);
        r->step[track] = uniform ? 1001.0 / 3000 : random_between(source, 0.1, 3);
        r->line_of[track] = (uint32_t)track;
        r->lines[track] = (pm_timeline){.key_count = ROTOR_KEYS, .times = r->times[track]};
        if (uniform)
            r->lines[track] = (pm_timeline){.key_count = ROTOR_KEYS, .rate = {3000, 1001}};
        for (size_t key = 0; key < ROTOR_KEYS; key++) {
            const double half = 0.25 * (double)key, q[4] = {0, 0, sin(half), cos(half)};
            memcpy(r->keys[track][key], q, sizeof q);
            r->times[track][key] = r->first[track] + (double)key * r->step[track];
        }
    }
    r->desc = (pm_clip_desc){.track_count = ROTORS,
                             .timelines = r->lines,
                             .timeline_count = ROTORS,
                             .timeline_of = r->line_of,
                             .rotations = {.data = r->keys, .type = PM_FLOAT64}};
}

static void expect_turned(const rotors *r, const float *q, size_t track, double since) {
    const double steps = fmin(fmax(since / r->step[track], 0), ROTOR_KEYS - 1);
    const double angle = 2 * atan2((double)q[2], (double)q[3]);
    if (!(fabs(angle - 0.5 * steps) < 1e-6) || q[0] != 0 || q[1] != 0)
        fail_msg(
            "track %zu, which starts at %.9g s, rotates by %.9g, expected %.9g rad, %.9g s later",
            track, r->first[track], angle, 0.5 * steps, since);
}

/* The same samples of the same clip, requested in both ways. */
static void expect_both_clocks(const pm_clip *clip, const rotors *r, random_source *source) {
    enum { COUNT = 50 };
    double times[COUNT];
    SCOPED(guarded_free_at) float *out = guarded_floats(COUNT * ROTORS * 4);
    pm_sample_job job = {.sample_count = COUNT,
                         .rate = {1 + (int64_t)(random_bits(source) % 60), 7},
                         .start_after_first_key = {(int64_t)(random_bits(source) % 90) - 45, 30},
                         .first = random_bits(source) % 3,
                         .rotations = out};
    sample_make(clip, &job);
    for (size_t i = 0; i < COUNT * ROTORS; i++) {
        const double k = (double)(job.first + i / ROTORS);
        const double since =
            (double)job.start_after_first_key.num / 30 + k * 7 / (double)job.rate.num;
        expect_turned(r, out + 4 * i, i % ROTORS, since);
    }
    for (size_t k = 0; k < COUNT; k++) {
        const size_t near = k % ROTORS;
        times[k] = r->first[near] + random_between(source, -0.5, 2.5) * r->step[near];
    }
    memset(out, 0xFF, COUNT * ROTORS * 4 * sizeof(float));
    sample_make(clip, &(pm_sample_job){.sample_count = COUNT, .times = times, .rotations = out});
    for (size_t i = 0; i < COUNT * ROTORS; i++)
        expect_turned(r, out + 4 * i, i % ROTORS, times[i / ROTORS] - r->first[i % ROTORS]);
}

TEST_ON_BOTH(rates_count_from_each_first_key_and_times_are_absolute) {
    random_source source = random_salted(0x2C);
    for (size_t n = 0; n < (small_sizes() ? 2 : 20); n++) {
        rotors r;
        rotors_make(&source, &r);
        SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &r.desc);
        expect_both_clocks(clip, &r, &source);
    }
}

/* The linker's --wrap requires these names. The tracks are built by one thread. */
static size_t looks;
WRAPPED(const pm_timeline *, pm_timeline_of_track, const pm_clip_desc *desc, size_t track) {
    looks++;
    return __real_pm_timeline_of_track(desc, track);
}

/* How often the timeline of a track is looked at while `count` tracks with their own key times are
 * built: for its rows, and for those of the tracks before it. */
static size_t looks_to_build(pm_engine *engine, size_t count) {
    enum { OWN_KEYS = 2 };
    static const double times[OWN_KEYS] = {0, 1};
    SCOPED(free_at) pm_timeline *lines = test_array(count, sizeof *lines);
    SCOPED(free_at) uint32_t *line_of = test_array(count, sizeof *line_of);
    float(*keys)[4] = test_array(count * OWN_KEYS, sizeof *keys);
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
    looks = 0;
    SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine, &desc);
    const size_t counted = looks;
    free(keys);
    return counted;
}

/* With quadratic cost, eight times as many tracks would be 64 times as many looks. */
TEST(building_takes_work_proportional_to_the_number_of_timelines) {
    const size_t few = 5000;
    pm_engine *engine = NULL;
    const pm_engine_desc alone = {.device = "none", .host_threads = 1};
    expect_success(pm_engine_create(&alone, &engine, new_error()));
    const size_t one = looks_to_build(engine, few), eight = looks_to_build(engine, 8 * few);
    pm_engine_destroy(&engine);
    printf("# %zu timelines are looked at %zu times, %zu %zu times\n", few, one, 8 * few, eight);
    assert_true(one >= few && eight <= 8 * one);
}

TEST_GROUP(NULL, engines_close)
