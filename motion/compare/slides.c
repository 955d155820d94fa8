/* SPDX-License-Identifier: MIT
 *
 * Times on the ground of each joint, and how far B moves in them.
 */
#include "motion/compare/compare.h"

#include <math.h>
#include <string.h>

double slides_lowest(const joint_pairs *pairs, int side, const subject_pose *poses, int up) {
    double lowest = (double)INFINITY;
    for (size_t p = 0; p < pairs->count; p++) {
        const joint_pair pair = pairs->pairs[p];
        lowest = fmin(lowest, poses[side == 0 ? pair.a : pair.b].place[up]);
    }
    return lowest;
}

bool slides_stand(const double last[3], const double at[3], double lowest, double seconds,
                  const subject *of) {
    const double height = SLIDE_HEIGHT / of->unit_mm, speed = SLIDE_SPEED / of->unit_mm;
    return at[of->up] - lowest <= height && measure_distance(last, at) <= speed * seconds;
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
