/* SPDX-License-Identifier: MIT
 *
 * Where a time is among keys. The float32 position in a segment is the nearest to the exact one, for random
 * uniform samples on random uniform keys: as computed by the kernel, and by the host in wider integers.
 * The segment of a time among listed keys, by index and by any hint, is that of a search through all keys.
 */
#include "base/rational.h"
#include "clip/timeline.h"
#include "oracle/random_tracks.h"
#include "support/check.h"
#include "support/motion.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 200000, SEGMENTS = 1000 };

/* A position below 2^-32 is on the key. A position before a key stays below 1. */
static float nearest(uint64_t rest, uint64_t scale) {
    const long double exact = (long double)rest / (long double)scale;
    const float u = (float)exact;
    return exact < 0x1p-32L ? 0.0f : u < 1.0f ? u : 0x1.fffffep-1f;
}

/* Positions are truncated to 2^-32 of a segment: above 2^-7 that is at least two bits more than
 * float32 has. */
static void expect_near(float u, float wanted, const char *what, uint64_t rest, uint64_t scale) {
    const double off = fabs((double)u - (double)wanted);
    if (wanted >= 0x1p-7f ? off != 0.0 : off > 0x1p-31)
        fail_msg("%s: %llu/%llu is at %.9g, not %.9g", what, (unsigned long long)rest,
                 (unsigned long long)scale, (double)u, (double)wanted);
}

TEST(positions_in_a_segment_are_the_nearest_float32) {
    const pm_timeline uniform = {.key_count = SEGMENTS + 1, .rate = {1, 1}};
    SCOPED(pm_timeline_free) pm_clip_timeline timeline;
    random_source source = random_salted(31);
    assert_int_equal(pm_timeline_build(NULL, &uniform, 0, &timeline, NULL), PM_OK);
    for (size_t n = 0; n < CASES; n++) {
        const uint64_t scale =
            1 + random_bits(&source) % ((UINT64_C(1) << (1 + random_bits(&source) % 32)) - 1);
        const uint64_t segment = random_bits(&source) % SEGMENTS;
        const uint64_t rest = random_bits(&source) % scale;
        const pm_uniform_map narrow = {
            .start = segment * scale + rest, .scale = scale, .segment_count = SEGMENTS};
        const pm_exact_uniform_map wide = {.start = (pm_i128)narrow.start, .scale = scale};
        const pm_cursor kernel = pm_locate_uniform(narrow, 0);
        const pm_cursor host = pm_timeline_locate_exact(&timeline, &wide, 0);
        assert_int_equal(kernel.segment, segment);
        expect_near(kernel.u, nearest(rest, scale), "kernel", rest, scale);
        assert_memory_equal(&kernel, &host, sizeof host);
    }
}

/* Numbers of up to `bits` bits, small ones as likely as large ones. */
static uint64_t draw_number(random_source *source, unsigned bits) {
    return random_bits(source) >> (64 - bits + random_bits(source) % bits);
}

enum { MAPS = 20000, STRIDES = 8, PLACED = STRIDES * PM_STRIDE };

/* Steps from a fraction of a segment to many laps, positions up to the largest that a map may have,
 * before the last key, on it and past it. */
TEST(strides_give_the_cursors_of_wider_integers) {
    random_source source = random_salted(34);
    size_t at_rest = 0, on_odd_laps = 0;
    for (size_t n = 0; n < MAPS; n++) {
        const bool is_loop = n % 2;
        const pm_clip_timeline timeline = {
            .segment_count = 1 + draw_number(&source, 29), .loop = is_loop, .uniform = true};
        const uint64_t first = draw_number(&source, 20),
                       scale = 1 + draw_number(&source, 32) % UINT32_MAX;
        const uint64_t most = (UINT64_C(1) << 63) / (first + PLACED);
        const uint64_t step = draw_number(&source, 62) % (most / 2);
        const pm_uniform_map map = {.step = step,
                                    .start = draw_number(&source, 62),
                                    .scale = scale,
                                    .segment_count = (pm_u32)timeline.segment_count,
                                    .loop = is_loop};
        const pm_exact_uniform_map exact = {map.step, (pm_i128)map.start, map.scale};
        pm_cursor cursors[PLACED];
        pm_places places;
        memset(cursors, 0xFF, sizeof cursors);
        pm_places_from(map, first, &places);
        for (size_t i = 0; i < STRIDES; i++)
            pm_places_next(map, &places, cursors + i * PM_STRIDE);
        for (size_t k = 0; k < PLACED; k++) {
            const pm_cursor wide = pm_timeline_locate_exact(&timeline, &exact, first + k);
            const pm_cursor alone = pm_locate_uniform(map, first + k);
            assert_memory_equal(&cursors[k], &wide, sizeof wide);
            assert_memory_equal(&alone, &wide, sizeof wide);
            at_rest += (wide.segment & PM_CURSOR_AT_REST) != 0;
            on_odd_laps += (wide.segment & PM_CURSOR_ODD_LAP) != 0;
        }
    }
    assert_in_range(at_rest, MAPS, MAPS * PLACED);
    assert_in_range(on_odd_laps, MAPS, MAPS * PLACED);
}

/* Uneven keys, loops of any period, first keys at any time; sample times at keys many laps away, a
 * few units in the last place beside them, and anywhere. */
static double draw_time(random_source *source, const pm_clip_timeline *line) {
    const double border = line->times[random_bits(source) % (line->segment_count + 1)];
    const double laps = (double)(random_bits(source) % 2001) - 1000.0;
    double time = border + laps * line->period;
    if (random_bits(source) % 4 == 0)
        time = random_between(source, -1, 1) * pow(10, random_between(source, -10, 30));
    for (uint64_t ulps = random_bits(source) % 3; ulps > 0; ulps--)
        time = nextafter(time, random_bits(source) % 2 ? HUGE_VAL : -HUGE_VAL);
    return time;
}

enum { LINES = 4000, TIMES = 200, MAX_KEYS = 8 };

/* False: what was drawn is no timeline. */
static bool draw_line(random_source *source, bool is_loop, pm_clip_timeline *placed) {
    double times[MAX_KEYS];
    const size_t keys = 2 + random_bits(source) % (MAX_KEYS - 1);
    times[0] = random_between(source, -1, 1) * pow(10, random_between(source, -20, 20));
    for (size_t k = 1; k < keys; k++)
        times[k] = fmax(nextafter(times[k - 1], HUGE_VAL),
                        times[k - 1] + pow(10, random_between(source, -10, 10)));
    const pm_timeline line = {.key_count = keys, .times = times};
    const double span = times[keys - 1] - times[0];
    const double period = is_loop ? span * random_between(source, 1.001, 2) : 0;
    return pm_timeline_check(&line, 0, NULL) == PM_OK &&
           pm_timeline_build(NULL, &line, period, placed, NULL) == PM_OK;
}

TEST(every_time_is_in_a_segment) {
    random_source source = random_salted(32);
    for (size_t n = 0; n < LINES; n++) {
        pm_clip_timeline placed;
        size_t hint = 0;
        if (!draw_line(&source, n % 3 != 0, &placed))
            continue;
        for (size_t k = 0; k < TIMES; k++) {
            const double time = draw_time(&source, &placed);
            const pm_cursor cursor = pm_timeline_locate(&placed, time, &hint);
            if ((cursor.segment & PM_CURSOR_SEGMENT) >= placed.segment_count ||
                !(cursor.u >= 0.0f && cursor.u <= 1.0f))
                fail_msg("%.17g s, first key at %.17g, period %.17g: segment %u of %zu, u %g", time,
                         placed.first, placed.period, cursor.segment, placed.segment_count,
                         (double)cursor.u);
        }
        pm_timeline_free(&placed);
    }
}

static int ascending(const void *x, const void *y) {
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Frees the timeline. The number of times in the segment of the one before. */
static size_t locate_together(pm_clip_timeline *placed, const double times[TIMES]) {
    pm_cursor together[TIMES];
    size_t in_runs = 0;
    memset(together, 0xA5, sizeof together);
    pm_timeline_locate_times(placed, times, TIMES, together);
    for (size_t k = 0; k < TIMES; k++) {
        size_t hint = 0;
        const pm_cursor alone = pm_timeline_locate(placed, times[k], &hint);
        assert_memory_equal(&together[k], &alone, sizeof alone);
        in_runs += k > 0 && together[k].segment == together[k - 1].segment;
    }
    pm_timeline_free(placed);
    return in_runs;
}

/* Ascending times have many neighbours in one segment; times in any order have few. */
TEST(neighbours_do_not_change_the_cursor_of_a_time) {
    random_source source = random_salted(33);
    size_t in_runs = 0;
    for (size_t n = 0; n < LINES; n++) {
        double times[TIMES];
        pm_clip_timeline placed;
        if (!draw_line(&source, n % 5 == 0, &placed))
            continue;
        const double last = placed.times[placed.segment_count];
        for (size_t k = 0; k < TIMES; k++)
            times[k] =
                k % 4 ? random_between(&source, placed.first, last) : draw_time(&source, &placed);
        if (n % 2)
            qsort(times, TIMES, sizeof *times, ascending);
        in_runs += locate_together(&placed, times);
    }
    assert_true(in_runs > LINES * TIMES / 4);
}

/* Random times, keys and their neighbours, and times outside the keys, at any rate. */
TEST(uniform_keys_give_each_time_the_same_cursor_alone_and_among_others) {
    random_source source = random_salted(34);
    for (size_t n = 0; n < LINES; n++) {
        double times[TIMES];
        pm_clip_timeline placed;
        const pm_timeline line = {
            .key_count = random_size(&source, 2, n % 2 ? 20 : 100000),
            .rate = {(int64_t)random_size(&source, 1, n % 3 ? 240 : 240000000),
                     (int64_t)random_size(&source, 1, n % 5 ? 10 : 1001000)}};
        assert_int_equal(pm_timeline_build(NULL, &line, 0, &placed, NULL), PM_OK);
        const double last = placed.times[placed.segment_count];
        const bool has_keys = n % 4 == 0; /* blocks of times without any are another path */
        for (size_t k = 0; k < TIMES; k++)
            times[k] = has_keys && k % 50 == 0 ? draw_time(&source, &placed)
                                               : random_between(&source, 0, last);
        locate_together(&placed, times);
    }
}

/* ---- the index of listed keys: even, random, clustered and exponential times ---- */

enum { INDEXED_KEYS = 3000, INDEXED_TIMES = 4000 };

typedef void (*make_steps)(random_source *source, size_t count, double *steps);

static void even(random_source *source, size_t count, double *steps) {
    (void)source;
    for (size_t i = 0; i < count; i++)
        steps[i] = 1.0 / 30.0;
}

static void random_steps(random_source *source, size_t count, double *steps) {
    for (size_t i = 0; i < count; i++)
        steps[i] = random_between(source, 0.001, 1.0);
}

/* A few long segments among very many short ones, which fall into few cells of the index. */
static void clustered(random_source *source, size_t count, double *steps) {
    for (size_t i = 0; i < count; i++)
        steps[i] = random_unit(source) < 0.002 ? 1e4 : 1e-5;
}

static void exponential(random_source *source, size_t count, double *steps) {
    const double growth = pow(1e9, 1.0 / (double)count);
    for (size_t i = 0; i < count; i++)
        steps[i] = (i > 0 ? steps[i - 1] * growth : 1e-6) * random_between(source, 0.99, 1.01);
}

static size_t slow_search(const pm_clip_timeline *timeline, double time) {
    size_t i = 0;
    while (i + 1 < timeline->segment_count && timeline->times[i + 1] <= time)
        i++;
    return i;
}

/* The time of a key, its neighbouring doubles, or any time between the ends. */
static double some_time(random_source *source, const pm_clip_timeline *timeline) {
    const double *times = timeline->times;
    const double last = times[timeline->segment_count];
    const double key = times[random_bits(source) % timeline->segment_count];
    switch (random_bits(source) % 4) {
    case 0:
        return key;
    case 1:
        return nextafter(key, -HUGE_VAL);
    case 2:
        return nextafter(key, HUGE_VAL);
    default:
        return random_between(source, times[0], last);
    }
}

static void expect_all_found(make_steps make, size_t keys) {
    random_source source = random_start();
    static double steps[INDEXED_KEYS], times[INDEXED_KEYS];
    SCOPED(pm_timeline_free) pm_clip_timeline timeline;
    make(&source, keys - 1, steps);
    times[0] = random_between(&source, -10.0, 10.0);
    for (size_t i = 1; i < keys; i++)
        times[i] = times[i - 1] + steps[i - 1];
    const pm_timeline given = {.key_count = keys, .times = times};
    expect_success(pm_timeline_build(NULL, &given, 0.0, &timeline, new_error()));
    for (size_t n = 0; n < INDEXED_TIMES; n++) {
        const double time = some_time(&source, &timeline);
        size_t hint = random_bits(&source) % timeline.segment_count;
        const pm_cursor cursor = pm_timeline_locate(&timeline, time, &hint);
        const size_t wanted = time < times[0] ? 0 : slow_search(&timeline, time);
        assert_int_equal(cursor.segment & PM_CURSOR_SEGMENT, wanted);
    }
}

TEST(the_segment_of_any_time_is_found) {
    static const make_steps makers[] = {even, random_steps, clustered, exponential};
    static const size_t counts[] = {2, 3, 10, 257, INDEXED_KEYS};
    for (size_t m = 0; m < COUNT_OF(makers); m++)
        for (size_t c = 0; c < COUNT_OF(counts); c++)
            expect_all_found(makers[m], counts[c]);
}
