/* SPDX-License-Identifier: MIT
 *
 * Finding the segment of a time among listed key times, by index and by any hint, compared with a
 * search through all key times: even, random, clustered and exponential times, and sample times
 * that are keys or adjacent to keys.
 */
#include "oracle/random_tracks.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clip/timeline.h"

enum { MAX_KEYS = 3000, TIMES = 4000 };

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
    static double steps[MAX_KEYS], times[MAX_KEYS];
    pm_clip_timeline timeline;
    make(&source, keys - 1, steps);
    times[0] = random_between(&source, -10.0, 10.0);
    for (size_t i = 1; i < keys; i++)
        times[i] = times[i - 1] + steps[i - 1];
    const pm_timeline given = {.key_count = keys, .times = times};
    expect_success(pm_timeline_build(&given, 0.0, &timeline, new_error()));
    for (size_t n = 0; n < TIMES; n++) {
        const double time = some_time(&source, &timeline);
        size_t hint = random_bits(&source) % timeline.segment_count;
        const pm_cursor cursor = pm_timeline_locate(&timeline, time, &hint);
        const size_t wanted = time < times[0] ? 0 : slow_search(&timeline, time);
        assert_int_equal(cursor.segment & PM_CURSOR_SEGMENT, wanted);
    }
    pm_timeline_free(&timeline);
}

TEST(the_segment_of_any_time_is_found) {
    static const make_steps makers[] = {even, random_steps, clustered, exponential};
    static const size_t counts[] = {2, 3, 10, 257, MAX_KEYS};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; m++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            expect_all_found(makers[m], counts[c]);
}
