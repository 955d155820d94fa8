/* SPDX-License-Identifier: MIT
 *
 * Keeps frames while a comparison walks along the times.
 */
#include "motion/report/page.h"

#include <math.h>
#include <string.h>

#include "motion/report/bones.h"

#define PAGE_LARGEST 1e37

/* Ancestors come first in the order, so that each joint takes what its parent has. */
static bool find_parents(page_frames *f) {
    const subject *a = f->c->a;
    const joint_pair *pairs = f->c->pairs->pairs;
    int32_t *nearest =
        motion_allocate(&f->arena, a->joint_count, sizeof *nearest); /* pairs from 1 */
    const int32_t *bones = bones_find(&f->arena, a);
    f->parents = motion_allocate(&f->arena, f->joints, sizeof *f->parents);
    if (!nearest || !f->parents || !bones)
        return false;
    for (size_t p = 0; p < f->joints; p++)
        nearest[pairs[p].a] = (int32_t)p + 1;
    for (size_t i = 0; i < a->joint_count; i++) {
        const uint32_t joint = a->order[i];
        const int32_t above = bones[joint] >= 0 ? nearest[bones[joint]] : 0;
        if (nearest[joint] != 0)
            f->parents[nearest[joint] - 1] = above - 1;
        else
            nearest[joint] = above;
    }
    return true;
}

/* Bytes of a joint in a frame of the page: numbers of 16 bits. */
static size_t joint_bytes(const comparison *c) {
    const bool one = c->a == c->b;
    const size_t places = compare_has_places(c) ? 3 : 0;
    return 2 * (one ? places + (PAGE_VALUES - MEASURE_COUNT) / 2 : 2 * places + PAGE_VALUES);
}

/* The first value that is the same where A is B: all differences are 0. */
static size_t value_of_one(size_t value) {
    return value < MEASURE_COUNT ? 0 : value - (value - MEASURE_COUNT) % 2;
}

bool page_frames_begin(page_frames *f, const comparison *c, size_t bytes) {
    const size_t joints = c->pairs->count;
    const size_t most = bytes / (joints * joint_bytes(c) + sizeof(double)) + 1;
    *f = (page_frames){.c = c, .joints = joints};
    f->per_frame = (c->time_count + most - 1) / most;
    f->count = (size_t)((c->time_count + f->per_frame - 1) / f->per_frame);
    f->times = motion_allocate(&f->arena, f->count, sizeof *f->times);
    f->angles = motion_allocate(&f->arena, f->count, sizeof *f->angles);
    f->first = motion_allocate(&f->arena, joints, 4 * sizeof *f->first);
    bool done = find_parents(f) && f->times != NULL && f->angles != NULL && f->first != NULL;
    for (size_t side = 0; side < 2 && compare_has_places(c); side++) {
        f->places[side] = side == 1 && c->a == c->b
                              ? f->places[0]
                              : motion_allocate(&f->arena, f->count, joints * 3 * sizeof(float));
        done = done && f->places[side] != NULL;
    }
    for (size_t v = 0; v < PAGE_VALUES; v++) {
        const size_t same = c->a == c->b ? value_of_one(v) : v;
        f->values[v] = same < v ? f->values[same]
                                : motion_allocate(&f->arena, f->count, joints * sizeof(float));
        done = done && f->values[v] != NULL;
        for (size_t i = 0; done && i < f->count * joints; i++)
            f->values[v][i] = NAN;
    }
    return done;
}

void page_frames_release(page_frames *f) {
    motion_arena_release(&f->arena);
}

/* A float32 of any number: a page has no use for larger ones. */
static float narrow(double number) {
    return (float)(number > PAGE_LARGEST    ? PAGE_LARGEST
                   : number < -PAGE_LARGEST ? -PAGE_LARGEST
                                            : number);
}

/* The larger number of a frame; NaN is none. */
static void raise(float *value, double candidate) {
    if (!(*value >= narrow(candidate)))
        *value = narrow(candidate);
}

static void keep_pose(page_frames *f, size_t frame, const compare_frame *from) {
    for (size_t p = 0; p < f->joints; p++) {
        const joint_pair pair = f->c->pairs->pairs[p];
        const size_t at = frame * f->joints + p;
        const subject_pose *const poses[2] = {&from->a[pair.a], &from->b[pair.b]};
        for (size_t side = 0; side < 2; side++) {
            for (size_t i = 0; i < 3 && f->places[side]; i++)
                f->places[side][3 * at + i] = narrow(poses[side]->place[i]);
            f->values[PAGE_ANGLE_A + side][at] =
                narrow(measure_angle(f->first + 4 * p, poses[side]->rotation));
        }
    }
}

static void see_frame(void *user, const compare_frame *from) {
    page_frames *f = user;
    const size_t frame = (size_t)(from->index / f->per_frame);
    double largest = 0;
    for (size_t p = 0; p < f->joints; p++) {
        const size_t at = frame * f->joints + p;
        if (from->index == 0)
            memcpy(f->first + 4 * p, from->a[f->c->pairs->pairs[p].a].rotation,
                   4 * sizeof *f->first);
        largest = fmax(largest, from->angles[p]);
        raise(&f->values[MEASURE_ANGLE][at], from->angles[p]);
        if (from->distances)
            raise(&f->values[MEASURE_DISTANCE][at], from->distances[p]);
    }
    if (from->index % f->per_frame == 0 || largest > f->angles[frame]) {
        f->angles[frame] = largest;
        f->times[frame] = from->time;
        keep_pose(f, frame, from);
    }
}

static void see_speeds(void *user, uint64_t index, const pair_speeds *speeds) {
    static const double zero[3] = {0, 0, 0};
    page_frames *f = user;
    const size_t frame = (size_t)(index / f->per_frame);
    for (size_t p = 0; p < f->joints; p++) {
        const pair_speeds *s = &speeds[p];
        const size_t at = frame * f->joints + p;
        raise(&f->values[MEASURE_VELOCITY][at], measure_distance(s->velocity[0], s->velocity[1]));
        raise(&f->values[MEASURE_ACCELERATION][at],
              measure_distance(s->acceleration[0], s->acceleration[1]));
        for (size_t side = 0; side < 2; side++) {
            raise(&f->values[PAGE_VELOCITY_A + side][at],
                  measure_distance(s->velocity[side], zero));
            raise(&f->values[PAGE_ACCELERATION_A + side][at],
                  measure_distance(s->acceleration[side], zero));
        }
    }
}

compare_observer page_frames_observer(page_frames *f) {
    return (compare_observer){see_frame, see_speeds, f};
}

size_t page_frames_at(const page_frames *f, double time) {
    size_t nearest = 0;
    for (size_t i = 1; i < f->count; i++)
        nearest = fabs(f->times[i] - time) < fabs(f->times[nearest] - time) ? i : nearest;
    return nearest;
}
