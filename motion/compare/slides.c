/* SPDX-License-Identifier: MIT
 *
 * Times on the ground of each joint, and how far B moves in them.
 */
#include "motion/compare/slides.h"

#include "motion/compare/measures.h"

#include <math.h>
#include <string.h>

bool slides_begin(slide_state *s, motion_arena *arena, size_t pairs, int up, double unit_mm) {
    *s = (slide_state){.pairs = motion_allocate(arena, pairs, sizeof *s->pairs),
                       .up = up,
                       .height = SLIDE_HEIGHT / unit_mm,
                       .speed = SLIDE_SPEED / unit_mm};
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
    double lowest = (double)INFINITY;
    for (size_t p = 0; p < pairs->count; p++)
        lowest = fmin(lowest, a[pairs->pairs[p].a].place[s->up]);
    for (size_t p = 0; p < pairs->count; p++) {
        standing *state = &s->pairs[p];
        const double *at = a[pairs->pairs[p].a].place, *other = b[pairs->pairs[p].b].place;
        const bool stands = s->has_poses && at[s->up] - lowest <= s->height &&
                            measure_distance(state->last, at) <= s->speed * (time - s->time);
        if (stands && !state->is_standing)
            begin_standing(state, time, at, other);
        else if (!stands && state->is_standing)
            end_standing(state, s->time, &joints[p].slide);
        else if (stands)
            measure_slide(state, s->up, time, at, other);
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
