/* SPDX-License-Identifier: MIT
 *
 * The times of a comparison: against sorting all of them, and how often keys are looked at, which is
 * counted in place of measured.
 */
#include "motion/compare/compare.h"
#include "motion/model/evaluate.h"
#include "support/motion.h"
#include "support/test.h"
#include "support/wrapped.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 4000 };

static size_t looks;
static random_source source;

WRAPPED(double, evaluate_key_time, const pm_timeline *timeline, size_t key) {
    looks++;
    return __real_evaluate_key_time(timeline, key);
}

typedef struct case_of {
    subject s;
    pm_motion_clip clip;
    pm_timeline lines[MOST_LINES];
} case_of;

static int compare_doubles(const void *x, const void *y) {
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Random ascending times from 0 on. */
static void add_line(case_of *c, size_t keys, double seconds) {
    double *times = calloc(keys, sizeof *times);
    for (size_t k = 1; k < keys; k++)
        times[k] = ((double)k + random_unit(&source) / 2) * seconds / (double)keys;
    c->lines[c->clip.timeline_count++] = (pm_timeline){.times = times, .key_count = keys};
    c->s.seconds = fmax(c->s.seconds, times[keys - 1]);
    c->s.keys = keys > c->s.keys ? keys : c->s.keys;
}

static case_of *make_case(size_t lines, size_t keys, size_t joints, size_t file_bytes) {
    case_of *c = calloc(1, sizeof *c);
    c->clip.timelines = c->lines;
    c->s.clip = &c->clip;
    c->s.joint_count = joints;
    c->s.view.content.file_bytes = file_bytes;
    for (size_t i = 0; i < lines; i++)
        add_line(c, keys, 10);
    return c;
}

static void release_case(case_of *c) {
    for (size_t i = 0; i < c->clip.timeline_count; i++)
        free((void *)(uintptr_t)c->lines[i].times);
    free(c);
}

/* All times, of which the caller frees the memory. */
static double *take_times(const subject *a, const subject *b, const times_request *request,
                          compare_times *t) {
    assert_true(times_begin(t, a, b, request));
    double *times = calloc((size_t)t->count + 2, sizeof *times);
    size_t count = 0, got = 0;
    while ((got = times_next(t, times + count, (size_t)t->count + 1 - count)) > 0)
        count += got;
    assert_int_equal(count, t->count);
    times_release(t);
    return times;
}

TEST(times_are_those_of_all_timelines_in_order) {
    case_of *a = make_case(7, 60, 5, 1 << 30), *b = make_case(3, 90, 5, 1 << 30);
    compare_times t;
    const times_request part = {.from = 2, .to = 7.5};
    SCOPED(free_at)
    double *times = take_times(&a->s, &b->s, &part, &t), *all = calloc(700, sizeof *all);
    size_t count = 0;
    const case_of *const both[] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        for (size_t n = 0; n < both[i]->clip.timeline_count; n++) {
            for (size_t k = 0; k < both[i]->lines[n].key_count; k++) {
                const double time = both[i]->lines[n].times[k];
                all[count] = time;
                count += time >= 2 && time <= 7.5;
            }
        }
    }
    qsort(all, count, sizeof *all, compare_doubles);
    assert_int_equal(t.count, count); /* no two of so few are 1e-9 s apart */
    assert_memory_equal(times, all, count * sizeof *all);
    release_case(a);
    release_case(b);
}

TEST(each_key_is_looked_at_a_few_times_however_many_timelines_there_are) {
    for (size_t lines = 250; lines <= 4000; lines *= 4) {
        const size_t keys = 90;
        case_of *c = make_case(lines, keys, 1, 1 << 30);
        compare_times t;
        const times_request all = {.rule = TIMES_OF_BOTH};
        looks = 0;
        free(take_times(&c->s, &c->s, &all, &t));
        assert_true(looks <= 4 * lines * keys);
        release_case(c);
    }
}

TEST(times_of_many_joints_are_every_nth_and_the_last) {
    case_of *c = make_case(1, 20000, 3000, 500000);
    compare_times t;
    const times_request all = {.rule = TIMES_OF_BOTH};
    SCOPED(free_at) double *times = take_times(&c->s, &c->s, &all, &t);
    assert_true(t.every > 1);
    assert_true(t.count * 3000 <= 4000000 + 2 * 3000);
    assert_true(times[0] == 0);
    assert_true(times[1] == c->lines[0].times[t.every]);
    assert_true(times[t.count - 1] == c->s.seconds);
    release_case(c);
}

TEST(times_are_all_taken_where_the_file_has_their_keys) {
    case_of *c = make_case(1, 20000, 3000, (size_t)20000 * 3000 * 4);
    compare_times t;
    const times_request all = {.rule = TIMES_OF_BOTH};
    free(take_times(&c->s, &c->s, &all, &t));
    assert_int_equal(t.every, 1);
    assert_int_equal(t.count, t.key_times);
    release_case(c);
}

TEST(a_time_to_which_nothing_can_be_added_is_passed) {
    const double times[] = {0, 1e8, 3e38};
    SCOPED(free_at) case_of *c = make_case(0, 0, 2, 764);
    compare_times t;
    const times_request all = {.rule = TIMES_OF_BOTH};
    c->lines[0] = (pm_timeline){.times = times, .key_count = 3};
    c->clip.timeline_count = 1;
    c->s.seconds = 3e38;
    looks = 0;
    SCOPED(free_at) double *got = take_times(&c->s, &c->s, &all, &t);
    assert_int_equal(t.count, 3);
    assert_memory_equal(got, times, sizeof times);
    assert_true(looks < 30);
}

TEST(a_grid_is_counted_without_a_walk) {
    case_of *c = make_case(1, 2, 2, 764);
    compare_times t;
    for (int i = 0; i < 2000; i++) {
        const pm_rational rate = {1 + (int64_t)(random_unit(&source) * 2000),
                                  1 + (int64_t)(random_unit(&source) * 50)};
        const times_request grid = {.rate = rate, .from = floor(random_unit(&source) * 4) / 8};
        c->s.seconds = 1 + floor(random_unit(&source) * 64) / 8;
        SCOPED(free_at) double *times = take_times(&c->s, &c->s, &grid, &t);
        const double step = (double)rate.den / (double)rate.num;
        assert_true(times[t.count - 1] <= c->s.seconds + 3e-9);
        assert_true(times[t.count - 1] + step > c->s.seconds);
    }
    c->s.seconds = 3e38;
    assert_true(times_begin(&t, &c->s, &c->s, &(times_request){.rate = {1000, 1}}));
    assert_true(t.count == UINT64_MAX);
    times_release(&t);
    release_case(c);
}

int main(int argc, char **argv) {
    source = random_salted(0x74696d65);
    return test_main(argc, argv);
}
