/* SPDX-License-Identifier: MIT
 *
 * Markers that instances pass, and synchronised times, against rules that look at every round and
 * every marker. Clips last from one tick to 2^62 ticks, so that times reach both ends of int64_t.
 */
#include "base/base.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLIPS_MAX = 6, MARKERS_MAX = 12 };

enum { LEFT = PM_CROWD_FIRST_SYNC_ID, RIGHT, JUMP };

/* ---- crowds with markers ------------------------------------------------------------------- */

/* One joint; clip n lasts `ticks[n]` ticks. */
typedef struct marked {
    size_t clip_count;
    int64_t ticks[CLIPS_MAX];
    pm_crowd_marker markers[CLIPS_MAX][MARKERS_MAX];
    size_t counts[CLIPS_MAX];
    bool is_unmarked; /* no clip has markers */
    pm_skeleton *skeleton;
    pm_crowd *crowd;
} marked;

static pm_status create(marked *m, pm_error *error) {
    static const int32_t parents[1] = {-1};
    static const double still[2][4] = {{0, 0, 0, 1}, {0, 0, 0, 1}};
    const pm_skeleton_desc bone = {.joint_count = 1, .parents = parents};
    double times[CLIPS_MAX][2];
    pm_timeline timelines[CLIPS_MAX];
    pm_clip_desc clips[CLIPS_MAX];
    pm_crowd_markers lists[CLIPS_MAX];
    for (size_t n = 0; n < m->clip_count; n++) {
        times[n][0] = 0;
        times[n][1] = (double)m->ticks[n] / PM_TICKS_PER_SECOND;
        timelines[n] = (pm_timeline){.key_count = m->ticks[n] ? 2 : 1, .times = times[n]};
        clips[n] = (pm_clip_desc){.track_count = 1,
                                  .timelines = &timelines[n],
                                  .rotations = {.data = still, .type = PM_FLOAT64}};
        lists[n] = (pm_crowd_markers){.markers = m->markers[n], .count = m->counts[n]};
    }
    if (!m->skeleton)
        expect_success(pm_skeleton_create(&bone, &m->skeleton, new_error()));
    const pm_crowd_desc desc = {.skeleton = m->skeleton,
                                .clips = clips,
                                .clip_count = m->clip_count,
                                .markers = m->is_unmarked ? NULL : lists};
    return pm_crowd_create(engine_of_kind(ON_REFERENCE), &desc, &m->crowd, error);
}

static void open_marked(marked *m) {
    expect_success(create(m, new_error()));
    for (size_t n = 0; n < m->clip_count; n++)
        assert_true(pm_crowd_clip_ticks(m->crowd, n) == m->ticks[n]);
}

static void close_marked(marked *m) {
    pm_crowd_destroy(&m->crowd);
    pm_skeleton_destroy(&m->skeleton);
}

static int by_tick(const void *a, const void *b) {
    const int64_t x = ((const pm_crowd_marker *)a)->tick, y = ((const pm_crowd_marker *)b)->tick;
    return (x > y) - (x < y);
}

/* Ticks at the ends of the clip, and equal ones, are frequent. */
static void random_markers(random_source *source, marked *m, size_t n, uint32_t ids) {
    m->counts[n] = random_size(source, 0, MARKERS_MAX);
    for (size_t i = 0; i < m->counts[n]; i++) {
        const size_t place = random_size(source, 0, 9);
        const int64_t any = (int64_t)(random_bits(source) % ((uint64_t)m->ticks[n] + 1));
        m->markers[n][i] =
            (pm_crowd_marker){.tick = place == 0           ? 0
                                      : place == 1         ? m->ticks[n]
                                      : place < 4 && i > 0 ? m->markers[n][i - 1].tick
                                                           : any,
                              .id = (uint32_t)random_size(source, PM_CROWD_FIRST_SYNC_ID - 2,
                                                          PM_CROWD_FIRST_SYNC_ID + ids - 1)};
    }
    qsort(m->markers[n], m->counts[n], sizeof m->markers[n][0], by_tick);
}

/* ---- events by looking at all rounds ------------------------------------------------------- */

enum { EVENTS_MAX = 4096 };

typedef struct event_list {
    pm_crowd_event events[EVENTS_MAX];
    size_t count;
} event_list;

static bool is_passed(pm_i128 at, int64_t from, int64_t to) {
    return from < to ? from < at && at <= to : to <= at && at < from;
}

/* Appends what one clip passes, in order. */
static void look(const marked *m, event_list *list, const pm_crowd_event *like, int64_t from,
                 int64_t to, bool clamps) {
    if (like->clip >= m->clip_count || from == to)
        return;
    const int64_t cycle = m->ticks[like->clip];
    const size_t count = m->counts[like->clip];
    const bool once = clamps || cycle == 0, back = to < from;
    const pm_i128 lowest = once ? 0 : (back ? to : from) / cycle - 2;
    const pm_i128 highest = once ? 0 : (back ? from : to) / cycle + 2;
    for (pm_i128 n = 0; n <= highest - lowest; n++) {
        const pm_i128 round = back ? highest - n : lowest + n;
        for (size_t k = 0; k < count; k++) {
            const size_t i = back ? count - 1 - k : k;
            const pm_i128 at = round * cycle + m->markers[like->clip][i].tick;
            if (!is_passed(at, from, to))
                continue;
            pm_crowd_event *event = &list->events[list->count++];
            assert_true(list->count <= EVENTS_MAX);
            *event = *like;
            event->time = (int64_t)at;
            event->id = m->markers[like->clip][i].id;
            event->marker = (uint32_t)i;
        }
    }
}

/* The part of the way at which an event is passed. */
static long double part(const pm_crowd_event *event, int64_t from, int64_t to) {
    return ((long double)event->time - (long double)from) / ((long double)to - (long double)from);
}

/* Puts the events of B between those of A. */
static void merge(event_list *list, size_t first, size_t first_of_b,
                  const pm_crowd_instance *before, const pm_crowd_instance *after) {
    for (size_t i = first_of_b; i < list->count; i++) {
        const pm_crowd_event event = list->events[i];
        const long double own = part(&event, before->time_b, after->time_b);
        size_t at = i;
        while (at > first && !list->events[at - 1].is_b &&
               part(&list->events[at - 1], before->time_a, after->time_a) > own) {
            list->events[at] = list->events[at - 1];
            at--;
        }
        list->events[at] = event;
    }
}

static void look_at_instance(const marked *m, event_list *list, size_t instance,
                             const pm_crowd_instance *before, const pm_crowd_instance *after) {
    const size_t first = list->count;
    pm_crowd_event like = {.instance = instance, .clip = after->clip_a};
    look(m, list, &like, before->time_a, after->time_a, after->flags & PM_CROWD_CLAMP_A);
    const size_t first_of_b = list->count;
    like = (pm_crowd_event){.instance = instance, .clip = after->clip_b, .is_b = 1};
    if (after->weight >= 0x1p-60f)
        look(m, list, &like, before->time_b, after->time_b, after->flags & PM_CROWD_CLAMP_B);
    merge(list, first, first_of_b, before, after);
}

/* The events of one instance or several, from `before` to `after`; their number. */
static size_t find_events(const marked *m, const pm_crowd_instance *before,
                          const pm_crowd_instance *after, size_t count, pm_crowd_event *events,
                          size_t room) {
    size_t found = SIZE_MAX;
    expect_success(
        pm_crowd_events(m->crowd, before, after, count, events, room, &found, new_error()));
    return found;
}

static void expect_events(const marked *m, const pm_crowd_instance *before,
                          const pm_crowd_instance *after, size_t count) {
    static event_list wanted;
    static pm_crowd_event got[EVENTS_MAX];
    wanted.count = 0;
    for (size_t i = 0; i < count; i++)
        look_at_instance(m, &wanted, i, &before[i], &after[i]);
    memset(got, 0xA5, sizeof got);
    assert_int_equal(find_events(m, before, after, count, got, EVENTS_MAX), wanted.count);
    assert_memory_equal(got, wanted.events, wanted.count * sizeof *got);
}

/* ---- known answers ------------------------------------------------------------------------- */

/* Clip 0 lasts 100 ticks, with steps at 10 and 60, and a mark at each end. Clip 1 lasts 40. */
static void open_steps(marked *m) {
    *m = (marked){.clip_count = 3,
                  .ticks = {100, 40, 0},
                  .markers = {{{.tick = 0, .id = 1},
                               {.tick = 10, .id = 2},
                               {.tick = 60, .id = LEFT},
                               {.tick = 100, .id = 3}},
                              {{.tick = 20, .id = 4}},
                              {{.tick = 0, .id = 5}}},
                  .counts = {4, 1, 1}};
    open_marked(m);
}

/* A marker at the second time is passed and one at the first is not; a clamped clip and one without
 * duration have one round, before and behind which they pass nothing. */
TEST_ON_REFERENCE(markers_are_passed_in_order_with_their_times) {
    enum { CLAMP = PM_CROWD_CLAMP_A, MOST = 4 };
    static const struct {
        uint32_t clip;
        uint8_t flags;
        int64_t from, to;
        size_t count;
        uint32_t ids[MOST];
        int64_t times[MOST];
    } rows[] = {
        {0, 0, 5, 99, 2, {2, LEFT}, {10, 60}},
        {0, 0, 99, 5, 2, {LEFT, 2}, {60, 10}},
        {0, 0, 60, 110, 3, {3, 1, 2}, {100, 100, 110}},
        {0, 0, -41, 9, 3, {LEFT, 3, 1}, {-40, 0, 0}},
        {0, 0, 1, -41, 3, {1, 3, LEFT}, {0, 0, -40}},
        {0, 0, 10, 10, 0, {0}, {0}},
        {0, 0, 9, 10, 1, {2}, {10}},
        {0, 0, 10, 11, 0, {0}, {0}},
        {0, 0, 11, 10, 1, {2}, {10}},
        {0, 0, 10, 9, 0, {0}, {0}},
        {1, 0, 0, 60, 2, {4, 4}, {20, 60}},
        {0, CLAMP, INT64_MIN, INT64_MAX, 4, {1, 2, LEFT, 3}, {0, 10, 60, 100}},
        {0, CLAMP, INT64_MAX, INT64_MIN, 4, {3, LEFT, 2, 1}, {100, 60, 10, 0}},
        {0, CLAMP, 0, INT64_MAX, 3, {2, LEFT, 3}, {10, 60, 100}},
        {0, CLAMP, 100, 250, 0, {0}, {0}},
        {0, CLAMP, 250, 101, 0, {0}, {0}},
        {0, CLAMP, -250, -1, 0, {0}, {0}},
        {2, 0, INT64_MIN, INT64_MAX, 1, {5}, {0}},
        {2, 0, 0, INT64_MIN, 0, {0}, {0}},
    };
    SCOPED(close_marked) marked m;
    open_steps(&m);
    for (size_t n = 0; n < COUNT_OF(rows); n++) {
        const pm_crowd_instance before = {.clip_a = 77, .time_a = rows[n].from, .flags = 255};
        const pm_crowd_instance after = {
            .clip_a = rows[n].clip, .time_a = rows[n].to, .flags = rows[n].flags};
        pm_crowd_event events[16];
        print_message("# row %zu\n", n);
        assert_int_equal(find_events(&m, &before, &after, 1, events, 16), rows[n].count);
        for (size_t i = 0; i < rows[n].count; i++) {
            assert_int_equal(events[i].id, rows[n].ids[i]);
            assert_true(events[i].time == rows[n].times[i]);
            assert_true(events[i].clip == rows[n].clip && !events[i].is_b);
        }
    }
}

TEST_ON_REFERENCE(a_clip_that_does_not_exist_and_a_clip_b_of_weight_0_pass_none) {
    SCOPED(close_marked) marked m;
    open_steps(&m);
    const pm_crowd_instance before = {.time_a = 0};
    const struct {
        pm_crowd_instance after;
        size_t count;
    } rows[] = {
        {{.time_a = 99, .time_b = 99, .clip_b = 1}, 2},
        {{.time_a = 99, .time_b = 99, .clip_b = 1, .weight = -1}, 2},
        {{.time_a = 99, .time_b = 99, .clip_b = 1, .weight = NAN}, 2},
        {{.time_a = 99, .time_b = 99, .clip_b = 1, .weight = 0x1p-61f}, 2},
        {{.time_a = 99, .time_b = 99, .clip_b = 1, .weight = 0x1p-60f}, 4},
        {{.time_a = 99, .time_b = 99, .clip_b = 1, .weight = 9, .flags = PM_CROWD_ADDITIVE}, 4},
        {{.time_a = 99, .time_b = 99, .clip_b = 3, .weight = 1}, 2},
        {{.time_a = 99, .time_b = 99, .clip_a = 3, .clip_b = 1, .weight = 1}, 2},
        {{.time_a = 99, .time_b = 99, .clip_a = UINT32_MAX, .clip_b = UINT32_MAX, .weight = 1}, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(find_events(&m, &before, &rows[i].after, 1, NULL, 0), rows[i].count);
}

TEST_ON_REFERENCE(a_crowd_without_markers_passes_none_and_has_no_synchronised_clips) {
    SCOPED(close_marked) marked m = {.clip_count = 1, .ticks = {100}, .is_unmarked = true};
    const pm_crowd_instance before = {.time_a = 0}, after = {.time_a = 1000};
    int64_t synced = 5;
    open_marked(&m);
    assert_int_equal(find_events(&m, &before, &after, 1, NULL, 0), 0);
    assert_int_equal(find_events(&m, NULL, NULL, 0, NULL, 0), 0);
    expect_error(pm_crowd_synced_time(m.crowd, 0, 0, 0, &synced, new_error()), PM_ERROR_ARGUMENT,
                 "no sync mark in common");
    assert_true(synced == 5);
}

/* ---- random instances ---------------------------------------------------------------------- */

static int64_t random_time(random_source *source, int64_t cycle, int64_t rounds) {
    const int64_t round = (int64_t)random_size(source, 0, (size_t)(2 * rounds)) - rounds;
    return round * cycle + (int64_t)(random_bits(source) % ((uint64_t)cycle + 1));
}

static pm_crowd_instance random_instance(random_source *source, const marked *m, int64_t rounds) {
    pm_crowd_instance n = {.clip_a = (uint32_t)random_size(source, 0, m->clip_count),
                           .clip_b = (uint32_t)random_size(source, 0, m->clip_count),
                           .weight = (float)random_size(source, 0, 2) / 2,
                           .mask = (uint16_t)random_bits(source),
                           .level = (uint8_t)random_bits(source),
                           .flags = (uint8_t)random_bits(source)};
    n.time_a = random_time(source, m->ticks[n.clip_a % m->clip_count], rounds);
    n.time_b = random_time(source, m->ticks[n.clip_b % m->clip_count], rounds);
    return n;
}

static void random_marked(random_source *source, marked *m, const int64_t *ticks, uint32_t ids) {
    *m = (marked){.clip_count = CLIPS_MAX};
    for (size_t n = 0; n < CLIPS_MAX; n++) {
        m->ticks[n] = ticks[n];
        random_markers(source, m, n, ids);
    }
    open_marked(m);
}

TEST_ON_REFERENCE(events_match_a_look_at_every_round_and_marker) {
    static const int64_t ticks[CLIPS_MAX] = {0, 1, 2, 7, 30, 1000};
    enum { CROWDS = 60, COUNT = 12, TIMES = 30 };
    random_source source = random_salted(1);
    for (size_t n = 0; n < CROWDS; n++) {
        SCOPED(close_marked) marked m;
        random_marked(&source, &m, ticks, 3);
        for (size_t t = 0; t < TIMES; t++) {
            pm_crowd_instance before[COUNT], after[COUNT];
            for (size_t i = 0; i < COUNT; i++) {
                after[i] = random_instance(&source, &m, t % 4);
                before[i] = after[i];
                before[i].time_a -= (int64_t)random_size(&source, 0, 40) - 20;
                before[i].time_b -= (int64_t)random_size(&source, 0, 40) - 20;
                before[i].clip_a = before[i].clip_b = (uint32_t)random_bits(&source);
            }
            expect_events(&m, before, after, COUNT);
        }
    }
}

/* The longest clip has four rounds in all times that there are. */
TEST_ON_REFERENCE(times_reach_both_ends_of_int64) {
    static const int64_t longest = INT64_C(1) << 62;
    static const int64_t ticks[CLIPS_MAX] = {
        longest,     longest - 512,     longest / 3 - longest / 3 % 512,
        longest / 4, longest / 4 + 512, longest / 8};
    static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -longest - 1,  -longest, -1, 0,
                                   1,         longest,       INT64_MAX - 1, INT64_MAX};
    random_source source = random_salted(2);
    for (size_t n = 0; n < 20; n++) {
        SCOPED(close_marked) marked m;
        random_marked(&source, &m, ticks, 3);
        for (size_t t = 0; t < 100; t++) {
            pm_crowd_instance before = random_instance(&source, &m, 1), after = before;
            before.time_a = ends[random_size(&source, 0, COUNT_OF(ends) - 1)];
            after.time_a = ends[random_size(&source, 0, COUNT_OF(ends) - 1)];
            after.weight = 0; /* long double cannot order markers at such times */
            expect_events(&m, &before, &after, 1);
        }
    }
}

/* A and B pass markers one tick apart on ways that long double cannot tell apart. */
TEST_ON_REFERENCE(markers_of_both_clips_are_ordered_exactly) {
    static const int64_t longest = INT64_C(1) << 62;
    SCOPED(close_marked)
    marked m = {.clip_count = 2,
                .ticks = {longest, longest},
                .markers = {{{.tick = longest - 2, .id = 1}, {.tick = longest - 1, .id = 2}},
                            {{.tick = longest - 3, .id = 3},
                             {.tick = longest - 2, .id = 4},
                             {.tick = longest - 1, .id = 5}}},
                .counts = {2, 3}};
    const pm_crowd_instance before = {.flags = PM_CROWD_CLAMP_A | PM_CROWD_CLAMP_B};
    pm_crowd_instance after = before;
    pm_crowd_event events[5];
    open_marked(&m);
    after.time_a = INT64_MAX;
    after.time_b = INT64_MAX - 1; /* B is later at the same tick, and no later a tick before */
    after.clip_b = 1;
    after.weight = 1;
    static const uint32_t in_order[] = {3, 1, 4, 2, 5};
    assert_int_equal(find_events(&m, &before, &after, 1, events, 5), 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(events[i].id, in_order[i]);
}

/* ---- many events --------------------------------------------------------------------------- */

/* A million steps in one direction. Events follow one another in the order of the markers. */
static void expect_each_marker_once(int64_t longest_step, bool backwards, uint64_t salt) {
    enum { STEPS = 1000000, RUN = 5000 };
    static pm_crowd_instance before[RUN], after[RUN];
    static pm_crowd_event events[16 * RUN];
    random_source source = random_salted(salt);
    SCOPED(close_marked) marked m = {.clip_count = 1, .ticks = {100000}};
    do
        random_markers(&source, &m, 0, 3);
    while (m.counts[0] < 3);
    open_marked(&m);
    int64_t time = (int64_t)random_size(&source, 0, 1u << 30) * (backwards ? 1 : -1);
    uint32_t marker = UINT32_MAX;
    uint64_t passed = 0;
    const int64_t start = time;
    for (size_t done = 0; done < STEPS; done += RUN) {
        for (size_t i = 0; i < RUN; i++) {
            before[i] = after[i] = (pm_crowd_instance){.time_a = time};
            time += (int64_t)random_size(&source, 0, (size_t)longest_step) * (backwards ? -1 : 1);
            after[i].time_a = time;
        }
        const size_t found = find_events(&m, before, after, RUN, events, COUNT_OF(events));
        assert_true(found <= COUNT_OF(events));
        for (size_t k = 0; k < found; k++) {
            const uint32_t count = (uint32_t)m.counts[0], step = backwards ? count - 1 : 1;
            if (marker != UINT32_MAX)
                assert_int_equal(events[k].marker, (marker + step) % count);
            marker = events[k].marker;
        }
        passed += found;
    }
    const double rounds = fabs((double)(time - start)) / 100000;
    const double most = (rounds + 1) * (double)m.counts[0];
    assert_true((double)passed <= most && (double)passed >= most - 2 * (double)m.counts[0]);
    assert_true(rounds > 10);
}

TEST_ON_REFERENCE(each_marker_is_passed_once_a_round_in_a_million_random_steps) {
    expect_each_marker_once(3000, false, 3);
    expect_each_marker_once(3000, true, 4);
    expect_each_marker_once(150000, false, 5);
    expect_each_marker_once(150000, true, 6);
}

/* Steps forwards and backwards between odd times; the marker is at an even one. */
TEST_ON_REFERENCE(random_steps_both_ways_pass_what_lies_between) {
    SCOPED(close_marked) marked m;
    open_steps(&m);
    random_source source = random_salted(7);
    int64_t time = 1, balance = 0;
    for (size_t n = 0; n < 100000; n++) {
        const pm_crowd_instance before = {.time_a = time};
        pm_crowd_instance after = before;
        pm_crowd_event events[64];
        time += 2 * (int64_t)random_size(&source, 0, 250) - 250;
        after.time_a = time;
        const size_t found = find_events(&m, &before, &after, 1, events, 64);
        assert_true(found <= 64);
        for (size_t k = 0; k < found; k++)
            if (events[k].id == 2)
                balance += time > before.time_a ? 1 : -1;
    }
    assert_true(balance == (int64_t)floor(((double)time - 10) / 100) + 1);
}

TEST_ON_REFERENCE(too_small_an_array_gets_the_first_events_and_the_number_of_all) {
    enum { COUNT = 5000, ALL = 10 * COUNT };
    static pm_crowd_instance before[COUNT], after[COUNT];
    static pm_crowd_event all[ALL], some[ALL];
    SCOPED(close_marked) marked m;
    open_steps(&m);
    random_source source = random_salted(8);
    for (size_t i = 0; i < COUNT; i++) {
        before[i] = random_instance(&source, &m, 2);
        after[i] = before[i];
        after[i].time_a += (int64_t)random_size(&source, 0, 200) - 100;
        after[i].time_b += (int64_t)random_size(&source, 0, 200) - 100;
    }
    const size_t needed = find_events(&m, before, after, COUNT, all, ALL);
    assert_true(needed > COUNT / 2 && needed <= ALL);
    const size_t rooms[] = {0, 1, 2, needed / 3, needed - 1, needed, needed + 1};
    for (size_t n = 0; n < COUNT_OF(rooms); n++) {
        const size_t room = rooms[n], written = room < needed ? room : needed;
        memset(some, 0x5A, sizeof some);
        assert_int_equal(find_events(&m, before, after, COUNT, room ? some : NULL, room), needed);
        assert_memory_equal(some, all, written * sizeof *some);
        for (size_t i = written * sizeof *some; i < sizeof some; i++)
            assert_int_equal(((const unsigned char *)some)[i], 0x5A);
    }
}

/* 2^64 - 1 rounds of one tick. The second time writes one event of them. */
TEST_ON_REFERENCE(numbers_of_events_are_exact_up_to_the_most_and_refused_beyond) {
    SCOPED(close_marked)
    marked m = {.clip_count = 2,
                .ticks = {1, 1},
                .markers = {{{.id = 1}}, {{.id = 1}, {.id = 2}}},
                .counts = {1, 2}};
    const pm_crowd_instance low[2] = {{.time_a = INT64_MIN}, {.time_a = INT64_MIN}};
    const pm_crowd_instance high[2] = {{.time_a = INT64_MAX}, {.time_a = INT64_MAX}};
    const pm_crowd_instance other = {.time_a = INT64_MAX, .clip_a = 1};
    pm_crowd_event event;
    size_t found = 0;
    open_marked(&m);
    assert_true(find_events(&m, low, high, 1, &event, 1) == SIZE_MAX);
    assert_true(event.time == INT64_MIN + 1);
    assert_true(find_events(&m, high, low, 1, &event, 1) == SIZE_MAX);
    assert_true(event.time == INT64_MAX - 1);
    expect_error(pm_crowd_events(m.crowd, low, high, 2, &event, 1, &found, new_error()),
                 PM_ERROR_SIZE, "number of events");
    expect_error(pm_crowd_events(m.crowd, low, &other, 1, &event, 1, &found, new_error()),
                 PM_ERROR_SIZE, "number of events");
}

TEST_ON_REFERENCE(any_bytes_are_accepted) {
    enum { COUNT = 100000, ROOM = 500 };
    static const int64_t ticks[CLIPS_MAX] = {INT64_C(1) << 62, INT64_C(1) << 60, 9999999999,
                                             INT64_C(1) << 50, INT64_C(1) << 40, 0};
    static union {
        pm_crowd_instance instances[2][COUNT];
        uint64_t words[sizeof(pm_crowd_instance[2][COUNT]) / sizeof(uint64_t)];
    } any;
    static pm_crowd_event events[ROOM];
    random_source source = random_salted(9);
    SCOPED(close_marked) marked m;
    random_marked(&source, &m, ticks, 3);
    for (size_t i = 0; i < COUNT_OF(any.words); i++)
        any.words[i] = random_bits(&source);
    for (size_t i = 0; i < COUNT; i += 2) /* half of the clips exist */
        any.instances[1][i].clip_a %= CLIPS_MAX;
    assert_true(find_events(&m, any.instances[0], any.instances[1], COUNT, events, ROOM) > ROOM);
    for (size_t i = 0; i < ROOM; i++) {
        const pm_crowd_event *event = &events[i];
        const pm_crowd_instance *from = &any.instances[0][event->instance];
        const pm_crowd_instance *to = &any.instances[1][event->instance];
        assert_int_equal(event->clip, event->is_b ? to->clip_b : to->clip_a);
        assert_true(is_passed(event->time, event->is_b ? from->time_b : from->time_a,
                              event->is_b ? to->time_b : to->time_a));
    }
}

/* ---- synchronised times -------------------------------------------------------------------- */

static int64_t synced(const marked *m, size_t clip, int64_t time, size_t other) {
    int64_t found = 0x5A5A5A5A;
    expect_success(pm_crowd_synced_time(m->crowd, clip, time, other, &found, new_error()));
    return found;
}

TEST_ON_REFERENCE(feet_land_together) {
    /* A walk, a run that begins with the other foot, a walk of two strides, and a jump. */
    SCOPED(close_marked)
    marked m = {.clip_count = 4,
                .ticks = {1000, 600, 2000, 100},
                .markers = {{{.tick = 100, .id = LEFT},
                             {.tick = 300, .id = 7},
                             {.tick = 500, .id = RIGHT},
                             {.tick = 800, .id = JUMP}},
                            {{.tick = 60, .id = RIGHT}, {.tick = 400, .id = LEFT}},
                            {{.tick = 0, .id = LEFT},
                             {.tick = 500, .id = RIGHT},
                             {.tick = 1000, .id = LEFT},
                             {.tick = 1500, .id = RIGHT}},
                            {{.tick = 50, .id = JUMP}}},
                .counts = {4, 2, 4, 1}};
    static const struct {
        size_t clip, other;
        int64_t time, wanted;
    } rows[] = {
        {0, 1, 100, 400},
        {0, 1, 500, 660},
        {0, 1, 1100, 1000},
        {0, 1, 300, 530},
        {0, 1, 99, 399},
        {0, 1, -900, -200},
        {0, 1, -500, 60},
        {1, 0, 400, 100},
        {1, 0, 660, 500},
        {1, 0, 1000, 1100},
        {1, 0, 530, 300},
        {0, 2, 100, 0},
        {0, 2, 500, 500},
        {0, 2, 1100, 1000},
        {0, 2, 10100, 10000},
        {2, 0, 10000, 10100},
        {2, 0, -1000, -900},
        {0, 0, -77, -77},
        {1, 1, 123456, 123456},
        {0, 3, 800, 50},
        {0, 3, 1300, 100},
        {3, 0, 50, 800},
        {0, 0, INT64_MAX, INT64_MAX},
        {2, 2, INT64_MIN, INT64_MIN},
    };
    open_marked(&m);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const int64_t found = synced(&m, rows[i].clip, rows[i].time, rows[i].other);
        if (found != rows[i].wanted)
            fail_msg("row %zu: %lld, expected %lld", i, (long long)found,
                     (long long)rows[i].wanted);
    }
}

/* Two clips whose marks are the same pattern of ids, turned, with other markers between them. */
typedef struct synced_pair {
    marked m;
    size_t mark_counts[2];
    pm_crowd_marker marks[2][MARKERS_MAX]; /* those in common */
} synced_pair;

static void add_marks(random_source *source, synced_pair *p, size_t n, const uint32_t *pattern,
                      size_t length) {
    const size_t turn = random_size(source, 0, length - 1);
    const size_t rounds = random_size(source, 1, MARKERS_MAX / 2 / length);
    p->m.ticks[n] = (int64_t)random_size(source, 40, 4000);
    p->mark_counts[n] = rounds * length;
    for (size_t i = 0; i < p->mark_counts[n]; i++)
        p->marks[n][i] = (pm_crowd_marker){
            .tick = (int64_t)(random_bits(source) % ((uint64_t)p->m.ticks[n] + 1))};
    qsort(p->marks[n], p->mark_counts[n], sizeof p->marks[n][0], by_tick);
    for (size_t i = 0; i < p->mark_counts[n]; i++) {
        p->marks[n][i].id = pattern[(turn + i) % length];
        p->m.markers[n][p->m.counts[n]++] = p->marks[n][i];
        if (random_bits(source) % 2) /* an event, or a sync mark that the other clip lacks */
            p->m.markers[n][p->m.counts[n]++] =
                (pm_crowd_marker){.tick = p->marks[n][i].tick,
                                  .id = random_bits(source) % 2 ? 3 : 100000 + (uint32_t)n};
    }
}

static void make_pair(random_source *source, synced_pair *p) {
    uint32_t pattern[MARKERS_MAX];
    const size_t length = random_size(source, 1, 5);
    *p = (synced_pair){.m.clip_count = 2};
    for (size_t i = 0; i < length; i++)
        pattern[i] = LEFT + (uint32_t)random_size(source, 0, 2);
    add_marks(source, p, 0, pattern, length);
    add_marks(source, p, 1, pattern, length);
    open_marked(&p->m);
}

/* The time of mark `number` of a clip, counted through all rounds. */
static int64_t mark_time(const synced_pair *p, size_t n, int64_t number) {
    const int64_t count = (int64_t)p->mark_counts[n];
    const int64_t round = number >= 0 ? number / count : -1 - (-1 - number) / count;
    return round * p->m.ticks[n] + p->marks[n][number - round * count].tick;
}

/* Where the marks from this one on, through a round, are not greater than from any other. */
static int64_t first_of_least(const synced_pair *p, size_t n) {
    const size_t count = p->mark_counts[n];
    size_t best = 0;
    for (size_t other = 1; other < count; other++)
        for (size_t i = 0; i < count; i++) {
            const uint32_t a = p->marks[n][(best + i) % count].id;
            const uint32_t b = p->marks[n][(other + i) % count].id;
            if (b < a)
                best = other;
            if (a != b)
                break;
        }
    return (int64_t)best;
}

static int64_t looked_up(const synced_pair *p, size_t n, int64_t time) {
    const int64_t shift = first_of_least(p, 1 - n) - first_of_least(p, n);
    int64_t mark = -400;
    while (mark_time(p, n, mark + 1) <= time)
        mark++;
    assert_true(mark_time(p, n, mark) <= time);
    const int64_t begin = mark_time(p, n, mark), end = mark_time(p, n, mark + 1);
    const int64_t to = mark_time(p, 1 - n, mark + shift),
                  to_end = mark_time(p, 1 - n, mark + shift + 1);
    return to + (int64_t)floor(
                    (double)(time - begin) * (double)(to_end - to) / (double)(end - begin) + 0.5);
}

/* Also at marks. */
TEST_ON_REFERENCE(synced_times_match_a_look_at_all_marks) {
    random_source source = random_salted(10);
    for (size_t n = 0; n < 300; n++) {
        synced_pair p;
        make_pair(&source, &p);
        for (size_t t = 0; t < 60; t++) {
            const size_t clip = t % 2;
            const int64_t number = (int64_t)random_size(&source, 0, 40) - 20;
            const int64_t time =
                t / 2 % 3 ? random_time(&source, p.m.ticks[clip], 5) : mark_time(&p, clip, number);
            const int64_t found = synced(&p.m, clip, time, 1 - clip);
            assert_true(found == looked_up(&p, clip, time));
        }
        close_marked(&p.m);
    }
}

TEST_ON_REFERENCE(clips_that_cannot_be_synchronised_are_refused) {
    SCOPED(close_marked)
    marked m = {
        .clip_count = 6,
        .ticks = {100, 200, 0, 100, 1, INT64_C(1) << 60},
        .markers = {{{.tick = 1, .id = LEFT}, {.tick = 2, .id = RIGHT}},
                    {{.tick = 1, .id = LEFT}, {.tick = 2, .id = RIGHT}, {.tick = 3, .id = RIGHT}},
                    {{.id = LEFT}},
                    {{.tick = 1, .id = 1}, {.tick = 2, .id = JUMP}},
                    {{.id = LEFT}},
                    {{.id = LEFT}}},
        .counts = {2, 3, 1, 2, 1, 1}};
    static const struct {
        size_t clip, other;
        int64_t time;
        pm_status status;
        const char *words;
    } rows[] = {
        {6, 0, 0, PM_ERROR_ARGUMENT, "clip is 6"},
        {0, 6, 0, PM_ERROR_ARGUMENT, "other is 6"},
        {SIZE_MAX, 0, 0, PM_ERROR_ARGUMENT, "clip is"},
        {2, 0, 0, PM_ERROR_ARGUMENT, "clips[2] has no duration"},
        {0, 2, 0, PM_ERROR_ARGUMENT, "clips[2] has no duration"},
        {0, 3, 0, PM_ERROR_ARGUMENT, "no sync mark in common"},
        {3, 0, 0, PM_ERROR_ARGUMENT, "no sync mark in common"},
        {0, 1, 0, PM_ERROR_ARGUMENT, "different orders"},
        {1, 0, 0, PM_ERROR_ARGUMENT, "different orders"},
        {4, 5, 8, PM_ERROR_TIME, "int64"},
        {4, 5, INT64_MIN, PM_ERROR_TIME, "int64"},
        {4, 5, INT64_MAX, PM_ERROR_TIME, "int64"},
    };
    open_marked(&m);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int64_t found = 5;
        expect_error(pm_crowd_synced_time(m.crowd, rows[i].clip, rows[i].time, rows[i].other,
                                          &found, new_error()),
                     rows[i].status, rows[i].words);
        assert_true(found == 5);
    }
    assert_true(synced(&m, 4, -8, 5) == INT64_MIN);
    assert_true(synced(&m, 5, INT64_MIN, 4) == -8);
    assert_true(synced(&m, 5, INT64_MAX, 4) == 8);
}

/* ---- descriptions -------------------------------------------------------------------------- */

static void expect_refused(marked *m, pm_status status, const char *words) {
    expect_error(create(m, new_error()), status, words);
    expect_error(create(m, new_error()), status, "clips[1]");
    assert_null(m->crowd);
}

TEST_ON_REFERENCE(invalid_markers_are_refused_with_their_clip_and_number) {
    static const struct {
        size_t marker;
        pm_crowd_marker value;
        pm_status status;
        const char *words;
    } rows[] = {
        {2, {.tick = 201}, PM_ERROR_TIME, "markers[2]"},
        {2, {.tick = INT64_MAX}, PM_ERROR_TIME, "markers[2]"},
        {0, {.tick = -1}, PM_ERROR_TIME, "markers[0]"},
        {0, {.tick = 1}, PM_ERROR_TIME, "markers[1] is at tick 0, before markers[0] at tick 1"},
        {1, {.reserved = 1}, PM_ERROR_ARGUMENT, "markers[1].reserved"},
    };
    SCOPED(close_marked)
    marked m = {.clip_count = 2,
                .ticks = {100, 200},
                .markers = {{{.tick = 100}}, {{.tick = 0}, {.tick = 0}, {.tick = 200}}},
                .counts = {1, 3}};
    open_marked(&m);
    pm_crowd_destroy(&m.crowd);
    for (size_t n = 0; n < COUNT_OF(rows); n++) {
        pm_crowd_marker *marker = &m.markers[1][rows[n].marker];
        const pm_crowd_marker kept = *marker;
        *marker = rows[n].value;
        expect_refused(&m, rows[n].status, rows[n].words);
        *marker = kept;
    }
    m.counts[1] = (size_t)UINT32_MAX + 1;
    expect_refused(&m, PM_ERROR_SIZE, "number of markers");
}
