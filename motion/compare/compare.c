/* SPDX-License-Identifier: MIT
 *
 * Walks along the times in blocks, and adds each time to the statistics.
 */
#include "motion/compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is needed while the statistics are computed. */
typedef struct run_state {
    comparison *c;
    const compare_observer *observer;
    compare_times times;
    speed_state speeds;
    slide_state slides;
    spread *spreads; /* of each measure */
    moment parts[MOMENT_PARTS];
    subject_pose *poses[2];
    double *block; /* of times */
    double *angles, *distances;
    size_t block_size;
    uint64_t done;
} run_state;

static void note_moment(run_state *r, size_t pair, double degrees, double time) {
    const double share = r->c->seconds > 0 ? (time - r->c->start) / r->c->seconds : 0;
    const size_t part = share < 1 ? (size_t)(share * MOMENT_PARTS) : MOMENT_PARTS - 1;
    if (degrees > r->parts[part].degrees)
        r->parts[part] = (moment){degrees, time, pair};
}

/* A value of a measure of a pair at a time. */
static void add_value(run_state *r, size_t pair, compare_measure measure, double value,
                      double time) {
    extent_add(&r->c->joints[pair].of[measure], value, time);
    spread_add(&r->spreads[measure], value);
}

static double distance_of(const comparison *c, size_t pair, const subject_pose *a,
                          const subject_pose *b) {
    if (!c->points[0])
        return measure_distance(a->place, b->place);
    const placed of_a = subject_placed(a), of_b = subject_placed(b);
    return reach_apart(&c->points[0][pair], &of_a, &c->points[1][pair], &of_b);
}

static void add_poses(run_state *r, double time, const subject_pose *a, const subject_pose *b) {
    const joint_pairs *pairs = r->c->pairs;
    for (size_t p = 0; p < pairs->count; p++) {
        const subject_pose *x = &a[pairs->pairs[p].a], *y = &b[pairs->pairs[p].b];
        r->angles[p] = measure_angle(x->rotation, y->rotation);
        add_value(r, p, MEASURE_ANGLE, r->angles[p], time);
        note_moment(r, p, r->angles[p], time);
        if (r->distances) {
            r->distances[p] = distance_of(r->c, p, x, y);
            add_value(r, p, MEASURE_DISTANCE, r->distances[p], time);
        }
    }
    spread_end_time(&r->spreads[MEASURE_ANGLE], time);
    spread_end_time(&r->spreads[MEASURE_DISTANCE], time);
}

static void add_speeds(run_state *r) {
    const double time = r->speeds.time[1];
    for (size_t p = 0; p < r->c->pairs->count; p++) {
        const pair_speeds *s = &r->speeds.speeds[p];
        add_value(r, p, MEASURE_VELOCITY, measure_distance(s->velocity[0], s->velocity[1]), time);
        add_value(r, p, MEASURE_ACCELERATION,
                  measure_distance(s->acceleration[0], s->acceleration[1]), time);
    }
    spread_end_time(&r->spreads[MEASURE_VELOCITY], time);
    spread_end_time(&r->spreads[MEASURE_ACCELERATION], time);
    if (r->observer)
        r->observer->see_speeds(r->observer->user, r->speeds.index[1], r->speeds.speeds);
}

static void add_time(run_state *r, double time, const subject_pose *a, const subject_pose *b) {
    add_poses(r, time, a, b);
    if (r->observer) {
        const compare_frame frame = {r->done, time, a, b, r->angles, r->distances};
        r->observer->see_frame(r->observer->user, &frame);
    }
    if (speeds_want(&r->speeds, time)) {
        if (speeds_add(&r->speeds, r->done, time, r->c->pairs, a, b))
            add_speeds(r);
        if (r->distances)
            slides_add(&r->slides, time, r->c->pairs, a, b, r->c->joints);
        if (r->c->contacts.count > 0)
            contacts_add(&r->c->contacts, time, r->c->pairs, r->c->a,
                         (const subject_pose *const[]){a, b});
    }
    r->done++;
}

/* Of equal angles the one of the first pair, as in the statistics of the clip. */
static int compare_moments(const void *x, const void *y) {
    const moment *a = x, *b = y;
    if (a->degrees != b->degrees)
        return a->degrees > b->degrees ? -1 : 1;
    if (a->pair != b->pair)
        return a->pair < b->pair ? -1 : 1;
    return (a->time > b->time) - (a->time < b->time);
}

/* The largest ones, of which no two are neighbours. */
static void pick_moments(run_state *r) {
    moment sorted[MOMENT_PARTS];
    const double apart = r->c->seconds / MOMENT_PARTS;
    memcpy(sorted, r->parts, sizeof sorted);
    qsort(sorted, MOMENT_PARTS, sizeof *sorted, compare_moments);
    for (size_t i = 0; i < MOMENT_PARTS && r->c->moment_count < MOMENT_COUNT; i++) {
        bool is_near = sorted[i].degrees <= 0;
        for (size_t k = 0; k < r->c->moment_count; k++)
            is_near = is_near || fabs(sorted[i].time - r->c->moments[k].time) < apart;
        if (!is_near)
            r->c->moments[r->c->moment_count++] = sorted[i];
    }
}

static void add_to_clip(comparison *c, const joint_statistics *joint) {
    for (int m = 0; m < MEASURE_COUNT; m++) {
        extent *of = &c->clip.of[m];
        const extent *from = &joint->of[m];
        if (from->count > 0 && (of->count == 0 || from->max > of->max)) {
            of->max = from->max;
            of->time = from->time;
        }
        of->square_sum += from->square_sum;
        of->count += from->count;
    }
    if (joint->slide.max > c->clip.slide.max)
        c->clip.slide = joint->slide;
}

/* qsort has no context: it orders copies of what decides. */
typedef struct ranked {
    double angle, distance;
    size_t pair;
} ranked;

static int compare_ranks(const void *x, const void *y) {
    const ranked *a = x, *b = y;
    if (a->angle != b->angle)
        return a->angle > b->angle ? -1 : 1;
    if (a->distance != b->distance)
        return a->distance > b->distance ? -1 : 1;
    return (a->pair > b->pair) - (a->pair < b->pair);
}

static bool rank_joints(comparison *c) {
    FREED ranked *ranks = calloc(c->pairs->count + 1, sizeof *ranks);
    for (size_t p = 0; ranks && p < c->pairs->count; p++) {
        const extent *of = c->joints[p].of;
        ranks[p] = (ranked){of[MEASURE_ANGLE].max,
                            of[MEASURE_DISTANCE].count > 0 ? of[MEASURE_DISTANCE].max : 0, p};
    }
    if (!ranks)
        return false;
    qsort(ranks, c->pairs->count, sizeof *ranks, compare_ranks);
    for (size_t p = 0; p < c->pairs->count; p++)
        c->by_worst[p] = ranks[p].pair;
    return true;
}

static bool allocate(run_state *r) {
    comparison *c = r->c;
    const size_t pairs = c->pairs->count, joints[2] = {c->a->joint_count, c->b->joint_count};
    const size_t most = joints[0] > joints[1] ? joints[0] : joints[1];
    r->block_size = times_room(most);
    r->block = motion_allocate(&c->arena, r->block_size, sizeof *r->block);
    r->angles = motion_allocate(&c->arena, pairs, sizeof *r->angles);
    r->spreads = motion_allocate(&c->arena, MEASURE_COUNT, sizeof *r->spreads);
    bool done = r->block != NULL && r->angles != NULL && r->spreads != NULL;
    for (int m = 0; done && m < MEASURE_COUNT; m++)
        spread_begin(&r->spreads[m], (compare_measure)m, c->a->unit_mm);
    if (compare_has_places(c)) {
        r->distances = motion_allocate(&c->arena, pairs, sizeof *r->distances);
        done = done && r->distances != NULL;
    }
    for (size_t i = 0; i < 2; i++) {
        r->poses[i] = i == 1 && c->a == c->b ? r->poses[0]
                                             : motion_allocate(&c->arena, r->block_size,
                                                               joints[i] * sizeof **r->poses);
        done = done && r->poses[i] != NULL;
    }
    return done && speeds_begin(&r->speeds, &c->arena, pairs, c->step) &&
           slides_begin(&r->slides, &c->arena, pairs, c->a) &&
           times_begin(&r->times, c->a, c->b, &c->times);
}

static pm_status walk(run_state *r, pm_error *error) {
    const comparison *c = r->c;
    size_t count = times_next(&r->times, r->block, r->block_size);
    while (count > 0) {
        MOTION_TRY(subject_evaluate(c->a, r->block, count, r->poses[0], error));
        if (c->a != c->b)
            MOTION_TRY(subject_evaluate(c->b, r->block, count, r->poses[1], error));
        for (size_t i = 0; i < count; i++)
            add_time(r, r->block[i], r->poses[0] + i * c->a->joint_count,
                     r->poses[1] + i * c->b->joint_count);
        if (c->progress)
            c->progress(c->progress_user, r->done, c->time_count);
        count = times_next(&r->times, r->block, r->block_size);
    }
    return PM_OK;
}

pm_status compare_run(comparison *c, const compare_observer *observer, pm_error *error) {
    FREED run_state *r = calloc(1, sizeof *r);
    MOTION_TRY_MEMORY(r, error);
    *r = (run_state){.c = c, .observer = observer};
    pm_status status = allocate(r) ? walk(r, error) : motion_refuse_memory(error);
    times_release(&r->times);
    if (status == PM_OK) {
        if (compare_has_places(c))
            slides_end(&r->slides, c->pairs, c->joints);
        pick_moments(r);
        for (size_t p = 0; p < c->pairs->count; p++)
            add_to_clip(c, &c->joints[p]);
        for (int m = 0; m < MEASURE_COUNT; m++)
            c->scales[m] = spread_scale(&r->spreads[m], c->clip.of[m].max);
        status = !c->contacts.lacks_memory && rank_joints(c) ? PM_OK : motion_refuse_memory(error);
    }
    return status;
}

/* Half of the mean distance of keys: of A, or of the clip that has more. Times that nearly coincide,
 * as those of 30 and 29.97 Hz do now and then, would make speeds of rounding errors. */
static double step_of(const comparison *c) {
    double step = (double)INFINITY;
    const subject *const both[] = {c->a, c->b};
    for (size_t i = 0; i < (c->times.rule == TIMES_OF_A ? 1 : 2); i++)
        if (both[i]->keys > 1)
            step = fmin(step, subject_step(both[i]) / 2);
    return c->times.rate.den != 0 || isinf(step) ? 0 : step;
}

/* The points of the joints of A, or of B if that alone has a mesh. */
static pm_status spread_points(comparison *c, const reach_set *found, int side, pm_error *error) {
    const size_t count = c->pairs->count;
    const subject *s = side == 0 ? c->a : c->b, *other = side == 0 ? c->b : c->a;
    const pm_motion_content *const sides[] = {&s->view.content, &other->view.content};
    const pm_motion_clip *const clips[] = {s->clip, other->clip};
    const reach_points *of = reach_of_clip(found, sides[0], s->clip, &c->arena);
    size_t(*pairs)[2] = motion_allocate(&c->arena, count, sizeof *pairs);
    reach_points *made[2];
    for (size_t p = 0; pairs && p < count; p++) {
        pairs[p][side] = c->pairs->pairs[p].a;
        pairs[p][1 - side] = c->pairs->pairs[p].b;
    }
    MOTION_TRY_MEMORY(
        of && pairs &&
            reach_pair(of, sides, clips, (const size_t(*)[2])pairs, count, &c->arena, made),
        error);
    c->points[side] = made[0];
    c->points[1 - side] = made[1];
    return PM_OK;
}

/* One motion that is looked at has no distances. */
static pm_status find_points(comparison *c, pm_error *error) {
    const double asked = c->at, at = asked == PM_MOTION_AT_MESH ? 0 : asked;
    c->at = PM_MOTION_AT_JOINTS;
    if (!compare_has_places(c) || c->a == c->b)
        return PM_OK;
    for (int side = 0; side < 2; side++) {
        const pm_motion *motion = side == 0 ? c->a->motion : c->b->motion;
        reach_set found;
        const pm_status status =
            reach_find(motion, at, PM_MOTION_AT_JOINTS, &c->arena, &found, error);
        c->at = found.at;
        c->unread = c->unread ? c->unread : found.unread;
        if (status != PM_OK || found.at != PM_MOTION_AT_JOINTS)
            return status == PM_OK ? spread_points(c, &found, side, error) : status;
    }
    return asked != PM_MOTION_AT_MESH
               ? PM_OK
               : motion_fail_option(error, PM_ERROR_FILE, "at", "mesh: %s",
                                    c->unread ? c->unread : "neither motion has vertices");
}

pm_status compare_prepare(comparison *c, uint64_t max_times, pm_error *error) {
    compare_times times = {.done = 0};
    c->joints = motion_allocate(&c->arena, c->pairs->count, sizeof *c->joints);
    c->by_worst = motion_allocate(&c->arena, c->pairs->count, sizeof *c->by_worst);
    if (!c->joints || !c->by_worst || !times_begin(&times, c->a, c->b, &c->times)) {
        times_release(&times);
        return motion_refuse_memory(error);
    }
    for (int m = 0; m < MEASURE_COUNT; m++) {
        extent_begin(&c->clip.of[m]);
        for (size_t p = 0; p < c->pairs->count; p++)
            extent_begin(&c->joints[p].of[m]);
    }
    c->start = times.start;
    c->seconds = fmax(times.end - times.start, 0);
    c->step = step_of(c);
    c->key_times = times.key_times;
    c->every = times.every;
    c->time_count = times.count;
    times_release(&times);
    MOTION_TRY(find_points(c, error));
    if (c->time_count == 0) {
        motion_report(error, PM_ERROR_ARGUMENT, "has no key time in the part from %.9g s on",
                      c->start);
        motion_cure(error, "rate", NULL, "gives times");
        return PM_ERROR_ARGUMENT;
    }
    return c->time_count <= max_times
               ? PM_OK
               : motion_fail(error, PM_ERROR_ARGUMENT,
                             "would be compared at more than %" PRIu64 " times", max_times);
}

size_t compare_worst(const comparison *c, compare_measure measure) {
    size_t worst = 0;
    for (size_t p = 1; p < c->pairs->count; p++)
        if (c->joints[p].of[measure].max > c->joints[worst].of[measure].max)
            worst = p;
    return worst;
}

void compare_release(comparison *c) {
    contacts_release(&c->contacts);
    motion_arena_release(&c->arena);
}
