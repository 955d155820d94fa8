/* SPDX-License-Identifier: MIT
 *
 * Root motion: the rigid motion of joint 0 between two times, in double, from poses that a backend
 * samples. Each completed cycle of a clip adds the motion from its first pose to its last one.
 */
#include "crowd.h"

#include <math.h>

#include "base/base.h"

/* A rotation, then a translation. */
typedef struct rigid {
    double q[4];
    double p[3];
} rigid;

static const rigid no_motion = {{0, 0, 0, 1}, {0, 0, 0}};

static void rotate(const double q[4], const double v[3], double out[3]) {
    double t[3];
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        t[i] = 2 * (q[k] * v[l] - q[l] * v[k]);
    }
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = v[i] + q[3] * t[i] + q[k] * t[l] - q[l] * t[k];
    }
}

static void make_unit(double q[4]) {
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        q[i] /= norm;
}

/* The composition: first b, then a. */
static rigid product(const rigid *a, const rigid *b) {
    rigid r;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        r.q[i] = a->q[3] * b->q[i] + a->q[i] * b->q[3] + a->q[k] * b->q[l] - a->q[l] * b->q[k];
    }
    r.q[3] = a->q[3] * b->q[3] - a->q[0] * b->q[0] - a->q[1] * b->q[1] - a->q[2] * b->q[2];
    make_unit(r.q);
    rotate(a->q, b->p, r.p);
    for (int i = 0; i < 3; i++)
        r.p[i] += a->p[i];
    return r;
}

static rigid inverse(const rigid *a) {
    rigid r = {{-a->q[0], -a->q[1], -a->q[2], a->q[3]}, {0, 0, 0}};
    const double back[3] = {-a->p[0], -a->p[1], -a->p[2]};
    rotate(r.q, back, r.p);
    return r;
}

/* a composed with itself n times, by repeated squaring. */
static rigid power(rigid a, uint64_t n) {
    rigid r = no_motion;
    for (; n; n >>= 1) {
        if (n & 1)
            r = product(&a, &r);
        a = product(&a, &a);
    }
    return r;
}

/* State shared by the threads that compute root motion. */
typedef struct root_motion_job {
    const pm_crowd_data *crowd;
    pm_root_pose_function root_pose;
    const pm_crowd_instance *before, *after;
    size_t count;
    pm_root_motion *motions;
} root_motion_job;

/* The pose of joint 0 in a clip. */
static rigid root_at(const root_motion_job *s, pm_u32 clip, int64_t time, bool clamps) {
    const pm_input input = {
        .time = time, .clip = clip, .weight = 1, .op = PM_OP_SET, .clamps = clamps};
    float rotation[4], position[3];
    rigid r;
    s->root_pose(s->crowd, &input, rotation, position);
    for (size_t i = 0; i < 4; i++)
        r.q[i] = (double)rotation[i];
    for (size_t i = 0; i < 3; i++)
        r.p[i] = (double)position[i];
    make_unit(r.q);
    return r;
}

static pm_u64 period_of(const pm_crowd_data *crowd, size_t clip) {
    return crowd->timelines[crowd->clips[clip].timeline].cycle; /* that of all its timelines */
}

/* The number of the cycle that contains a time: 0 is the first, -1 the one before it. */
static int64_t cycle_of(pm_u64 period, int64_t time) {
    if (time >= 0)
        return (int64_t)((pm_u64)time / period);
    return -1 - (int64_t)((pm_u64)(-1 - time) / period);
}

/* The motion from the start of one cycle to the start of another. */
static rigid cycles_between(const root_motion_job *s, pm_u32 clip, int64_t from, int64_t to) {
    if (from == to)
        return no_motion;
    rigid first = root_at(s, clip, 0, true);
    rigid last = root_at(s, clip, INT64_MAX, true);
    rigid back = inverse(&first);
    rigid cycle = product(&last, &back);
    return from < to ? power(cycle, (uint64_t)to - (uint64_t)from)
                     : power(inverse(&cycle), (uint64_t)from - (uint64_t)to);
}

/* The motion of a clip between two times in ticks; the identity for a clip that does not exist. */
static rigid motion_of(const root_motion_job *s, pm_u32 clip, int64_t from, int64_t to,
                       bool clamps) {
    if (!pm_crowd_has_clip(s->crowd, clip))
        return no_motion;
    pm_u64 period = period_of(s->crowd, clip);
    rigid start = root_at(s, clip, from, clamps);
    rigid end = root_at(s, clip, to, clamps);
    rigid cycles = no_motion;
    if (!clamps)
        cycles = cycles_between(s, clip, cycle_of(period, from), cycle_of(period, to));
    rigid back = inverse(&start);
    end = product(&cycles, &end);
    return product(&back, &end);
}

/* A crossfaded with B. Rotations take the shorter arc. */
static rigid crossfaded(const rigid *a, const rigid *b, double weight) {
    rigid r;
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += a->q[i] * b->q[i];
    for (int i = 0; i < 4; i++)
        r.q[i] = (1 - weight) * a->q[i] + weight * (dot < 0 ? -b->q[i] : b->q[i]);
    make_unit(r.q);
    for (int i = 0; i < 3; i++)
        r.p[i] = (1 - weight) * a->p[i] + weight * b->p[i];
    return r;
}

static pm_root_motion motion_of_instance(const root_motion_job *s, size_t i) {
    const pm_crowd_instance *a = &s->before[i], *b = &s->after[i];
    const pm_skeleton *skeleton = s->crowd->skeleton;
    const pm_input second = pm_instance_resolved(s->crowd, b).inputs[1];
    const float mask = skeleton->masks[second.mask * skeleton->joint_count];
    const double weight = (double)(second.weight * mask);
    rigid r = motion_of(s, b->clip_a, a->time_a, b->time_a, b->flags & PM_CROWD_CLAMP_A);
    if (weight > 0 && second.op == PM_OP_MIX) {
        rigid other = motion_of(s, b->clip_b, a->time_b, b->time_b, b->flags & PM_CROWD_CLAMP_B);
        r = crossfaded(&r, &other, weight);
    }
    return (pm_root_motion){{(float)r.q[0], (float)r.q[1], (float)r.q[2], (float)r.q[3]},
                            {(float)r.p[0], (float)r.p[1], (float)r.p[2], 0}};
}

enum { RUN = 256 }; /* instances per work item */

static void find_motions(void *context, pm_items *items) {
    const root_motion_job *s = context;
    size_t run;
    while (pm_take_item(items, &run)) {
        const pm_piece piece = pm_piece_at(s->count, RUN, run);
        for (size_t i = piece.from; i < piece.from + piece.count; i++)
            s->motions[i] = motion_of_instance(s, i);
    }
}

void pm_root_motions_find(const pm_crowd_data *crowd, pm_root_pose_function root_pose,
                          size_t threads, const pm_crowd_instance *before,
                          const pm_crowd_instance *after, size_t count, pm_root_motion *motions) {
    root_motion_job s = {crowd, root_pose, before, after, count, motions};
    pm_run_parallel(crowd->host, threads, pm_piece_count(count, RUN), find_motions, &s);
}
