/* SPDX-License-Identifier: MIT
 *
 * Times on the ground of each joint, and how far B moves in them; feet by their names, and their contacts
 * frame by frame.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/compare/compare.h"
#include "motion/model/sides.h"

/* The height of the lowest joint of a pair: side 0 of A, 1 of B. */
static double slides_lowest(const joint_pairs *pairs, int side, const subject_pose *poses, int up) {
    double lowest = (double)INFINITY;
    for (size_t p = 0; p < pairs->count; p++) {
        const joint_pair pair = pairs->pairs[p];
        lowest = fmin(lowest, poses[side == 0 ? pair.a : pair.b].place[up]);
    }
    return lowest;
}

/* Whether a joint stands that was at `last` so many seconds before. */
static bool slides_stand(const double last[3], const double at[3], double lowest, double seconds,
                         const subject *of) {
    const double height = SLIDE_HEIGHT / of->unit_mm, speed = SLIDE_SPEED / of->unit_mm;
    return of->unit_mm > 0 && at[of->up] - lowest <= height &&
           measure_distance(last, at) <= speed * seconds;
}

bool slides_begin(slide_state *s, motion_arena *arena, size_t pairs, const subject *of) {
    *s = (slide_state){.pairs = motion_allocate(arena, pairs, sizeof *s->pairs), .of = of};
    return s->pairs != NULL;
}

static void begin_standing(standing *p, double time, const double a[3], const double b[3]) {
    memcpy(p->start[0], a, sizeof p->start[0]);
    memcpy(p->start[1], b, sizeof p->start[1]);
    p->begin = time;
    p->max = 0;
    p->is_standing = true;
}

static void end_standing(standing *p, double time, slide *found) {
    p->is_standing = false;
    if (time - p->begin < SLIDE_SECONDS)
        return;
    found->planted_seconds += time - p->begin;
    if (p->max > found->max)
        *found = (slide){.max = p->max,
                         .time = p->time,
                         .begin = p->begin,
                         .end = time,
                         .planted_seconds = found->planted_seconds};
}

/* How far B has moved horizontally more than A. */
static void measure_slide(standing *p, int up, double time, const double a[3], const double b[3]) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const double moved = (b[i] - p->start[1][i]) - (a[i] - p->start[0][i]);
        sum += i == up ? 0 : moved * moved;
    }
    if (sqrt(sum) > p->max) {
        p->max = sqrt(sum);
        p->time = time;
    }
}

void slides_add(slide_state *s, double time, const joint_pairs *pairs, const subject_pose *a,
                const subject_pose *b, joint_statistics *joints) {
    const double lowest = slides_lowest(pairs, 0, a, s->of->up);
    for (size_t p = 0; p < pairs->count; p++) {
        standing *state = &s->pairs[p];
        const double *at = a[pairs->pairs[p].a].place, *other = b[pairs->pairs[p].b].place;
        const bool stands =
            s->has_poses && slides_stand(state->last, at, lowest, time - s->time, s->of);
        if (stands && !state->is_standing)
            begin_standing(state, time, at, other);
        else if (!stands && state->is_standing)
            end_standing(state, s->time, &joints[p].slide);
        else if (stands)
            measure_slide(state, s->of->up, time, at, other);
        memcpy(state->last, at, sizeof state->last);
    }
    s->time = time;
    s->has_poses = true;
}

void slides_end(slide_state *s, const joint_pairs *pairs, joint_statistics *joints) {
    for (size_t p = 0; p < pairs->count; p++)
        if (s->pairs[p].is_standing)
            end_standing(&s->pairs[p], s->time, &joints[p].slide);
}

static void add_foot(contact_set *set, size_t pair) {
    for (size_t i = 0; i < set->count; i++)
        if (set->feet[i].pair == pair)
            return;
    set->feet[set->count++] = (contact){.pair = pair};
}

static pm_status choose_by_word(contact_set *set, const subject *a, const joint_pairs *pairs,
                                pm_error *error) {
    for (size_t p = 0; p < pairs->count; p++)
        if (sides_has_role(subject_name(a, pairs->pairs[p].a), SIDES_FOOT))
            add_foot(set, p);
    return set->count > 0
               ? PM_OK
               : motion_fail(error, PM_ERROR_ARGUMENT,
                             "contacts: no joint that is compared has foot, toe or ankle in its "
                             "name; expected names of joints");
}

static pm_status choose_by_name(contact_set *set, const subject *a, const joint_pairs *pairs,
                                pm_motion_name wanted, pm_error *error) {
    for (size_t p = 0; p < pairs->count; p++) {
        const pm_motion_name name = subject_name(a, pairs->pairs[p].a);
        if (name.size == wanted.size && memcmp(name.text, wanted.text, name.size) == 0) {
            add_foot(set, p);
            return PM_OK;
        }
    }
    return motion_fail(error, PM_ERROR_ARGUMENT,
                       "contacts: no joint that is compared is named '%s'",
                       MOTION_SHOWN(wanted.text, wanted.size));
}

pm_status contacts_choose(contact_set *set, const subject *a, const subject *b,
                          const joint_pairs *pairs, const char *names, motion_arena *arena,
                          pm_error *error) {
    if (!a->has_places || !b->has_places)
        return motion_fail(error, PM_ERROR_ARGUMENT, "contacts require skeletons in both motions");
    if (a->unit_mm == 0) {
        motion_report(error, PM_ERROR_FILE, "contacts: the unit of length is not known");
        motion_cure(error, "unit", "cm", "says it, or another unit");
        return PM_ERROR_FILE;
    }
    set->feet = motion_allocate(arena, pairs->count, sizeof *set->feet);
    MOTION_TRY_MEMORY(set->feet, error);
    if (strcmp(names, "feet") == 0)
        return choose_by_word(set, a, pairs, error);
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        MOTION_TRY(choose_by_name(set, a, pairs, (pm_motion_name){at, strcspn(at, ",")}, error));
    return PM_OK;
}

/* Extends the contact of the frame before, or begins one. False: memory is exhausted. */
static bool add_span(contact_side *s, double time) {
    if (!s->is_on) {
        double(*grown)[2] = motion_with_room(s->spans, s->span_count, &s->room, sizeof *grown);
        if (!grown)
            return false;
        s->spans = grown;
        s->spans[s->span_count++][0] = time;
    }
    s->spans[s->span_count - 1][1] = time;
    return true;
}

static double moved_along_ground(const double from[3], const double to[3], int up) {
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += i == up ? 0 : (to[i] - from[i]) * (to[i] - from[i]);
    return sqrt(sum);
}

static void add_frame(contact_set *set, contact *c, double time, const subject *of,
                      const double *const places[2], const double lowest[2]) {
    const double passed = time - set->time;
    bool is_on[2];
    for (int side = 0; side < 2; side++) {
        contact_side *s = &c->sides[side];
        const double *at = places[side];
        is_on[side] = set->has_poses && slides_stand(s->last, at, lowest[side], passed, of);
        set->lacks_memory |= is_on[side] && !add_span(s, time);
        s->is_on = is_on[side];
        s->frames += is_on[side];
    }
    for (int side = 0; side < 2; side++) {
        if (is_on[0])
            c->moved[side] += moved_along_ground(c->sides[side].last, places[side], of->up);
        memcpy(c->sides[side].last, places[side], sizeof c->sides[side].last);
    }
    c->seconds += is_on[0] ? passed : 0;
    c->both += is_on[0] && is_on[1];
}

void contacts_add(contact_set *set, double time, const joint_pairs *pairs, const subject *of,
                  const subject_pose *const poses[2]) {
    const double lowest[2] = {slides_lowest(pairs, 0, poses[0], of->up),
                              slides_lowest(pairs, 1, poses[1], of->up)};
    for (size_t i = 0; i < set->count; i++) {
        const joint_pair pair = pairs->pairs[set->feet[i].pair];
        const double *const places[2] = {poses[0][pair.a].place, poses[1][pair.b].place};
        add_frame(set, &set->feet[i], time, of, places, lowest);
    }
    set->frames++;
    set->time = time;
    set->has_poses = true;
}

double contact_slide(const contact *c, int side, double unit_mm) {
    return c->seconds > 0 ? c->moved[side] * unit_mm / c->seconds : (double)NAN;
}

void contacts_release(contact_set *set) {
    for (size_t i = 0; i < set->count; i++)
        for (int side = 0; side < 2; side++)
            free(set->feet[i].sides[side].spans);
    set->count = 0;
}
