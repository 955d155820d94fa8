/* SPDX-License-Identifier: MIT
 *
 * Root motion: how far joint 0 moves from one time to another, in double, from poses sampled as
 * ever. A clip that goes round n times moves its root n times from its first pose to its last.
 */
#include <math.h>

#include "base/parallel.h"
#include "base/status.h"
#include "cpu/instance_state.h"
#include "engine/engine.h"
#include "segments/instruction_set.h"

/* A turn, then a shift. */
typedef struct rigid {
    double q[4];
    double p[3];
} rigid;

static const rigid nowhere = {{0, 0, 0, 1}, {0, 0, 0}};

static void turn(const double q[4], const double v[3], double out[3]) {
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

/* First b, then a. */
static rigid product(const rigid *a, const rigid *b) {
    rigid r;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        r.q[i] = a->q[3] * b->q[i] + a->q[i] * b->q[3] + a->q[k] * b->q[l] - a->q[l] * b->q[k];
    }
    r.q[3] = a->q[3] * b->q[3] - a->q[0] * b->q[0] - a->q[1] * b->q[1] - a->q[2] * b->q[2];
    make_unit(r.q);
    turn(a->q, b->p, r.p);
    for (int i = 0; i < 3; i++)
        r.p[i] += a->p[i];
    return r;
}

static rigid inverse(const rigid *a) {
    rigid r = {{-a->q[0], -a->q[1], -a->q[2], a->q[3]}, {0, 0, 0}};
    const double back[3] = {-a->p[0], -a->p[1], -a->p[2]};
    turn(r.q, back, r.p);
    return r;
}

/* a done n times, by squaring. */
static rigid power(rigid a, uint64_t n) {
    rigid r = nowhere;
    for (; n; n >>= 1) {
        if (n & 1)
            r = product(&a, &r);
        a = product(&a, &a);
    }
    return r;
}

/* The pose of joint 0 in a clip. */
static rigid root_at(const pm_crowd *crowd, size_t clip, int64_t time, bool clamps) {
    pm_instance_state state = {.has_a = true};
    pm_pose_span span;
    rigid r;
    pm_blend_input_resolve(crowd, clip, time, clamps, &state.a);
    crowd->set->local_poses(crowd, &state, 0, PM_TRACK_GROUP, &span);
    for (size_t i = 0; i < 4; i++)
        r.q[i] = (double)span.of[PM_ROTATIONS][i][0];
    for (size_t i = 0; i < 3; i++)
        r.p[i] = (double)span.of[PM_POSITIONS][i][0];
    make_unit(r.q);
    return r;
}

static pm_u64 period_of(const pm_crowd *crowd, size_t clip) {
    pm_u32 timeline = crowd->clips[clip].timeline;
    if (crowd->per_joint)
        timeline = crowd->layout[clip * crowd->skeleton->joint_count].timeline;
    return crowd->timelines[timeline].round;
}

/* In which round of a clip a time is: 0 is the first, -1 the one before it. */
static int64_t round_of(pm_u64 period, int64_t time) {
    if (time >= 0)
        return (int64_t)((pm_u64)time / period);
    return -1 - (int64_t)((pm_u64)(-1 - time) / period);
}

/* From one round to another, each of which leads from the clip's first pose to its last. */
static rigid rounds(const pm_crowd *crowd, size_t clip, int64_t from, int64_t to) {
    if (from == to)
        return nowhere;
    rigid first = root_at(crowd, clip, 0, true);
    rigid last = root_at(crowd, clip, INT64_MAX, true);
    rigid back = inverse(&first);
    rigid once = product(&last, &back);
    return from < to ? power(once, (uint64_t)to - (uint64_t)from)
                     : power(inverse(&once), (uint64_t)from - (uint64_t)to);
}

static rigid root_motion_of(const pm_crowd *crowd, size_t clip, int64_t from, int64_t to,
                            bool clamps) {
    if (clip >= crowd->clip_count)
        return nowhere;
    pm_u64 period = period_of(crowd, clip);
    rigid start = root_at(crowd, clip, from, clamps);
    rigid end = root_at(crowd, clip, to, clamps);
    rigid way = nowhere;
    if (!clamps)
        way = rounds(crowd, clip, round_of(period, from), round_of(period, to));
    rigid back = inverse(&start);
    end = product(&way, &end);
    return product(&back, &end);
}

/* B's share of A: turns on the shorter way. */
static rigid mixed(const rigid *a, const rigid *b, double weight) {
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

typedef struct root_motion_job {
    const pm_crowd *crowd;
    const pm_crowd_instance *before, *after;
    size_t count;
    pm_root_motion *motions;
} root_motion_job;

static pm_root_motion root_motion_one(const root_motion_job *t, size_t i) {
    const pm_crowd_instance *a = &t->before[i], *b = &t->after[i];
    pm_instance_state state;
    pm_instance_resolve(t->crowd, b, &state);
    double weight = (double)(state.weight * state.mask[0]);
    rigid r =
        root_motion_of(t->crowd, b->clip_a, a->time_a, b->time_a, b->flags & PM_CROWD_CLAMP_A);
    if (weight > 0 && !state.additive) {
        rigid other =
            root_motion_of(t->crowd, b->clip_b, a->time_b, b->time_b, b->flags & PM_CROWD_CLAMP_B);
        r = mixed(&r, &other, weight);
    }
    return (pm_root_motion){{(float)r.q[0], (float)r.q[1], (float)r.q[2], (float)r.q[3]},
                            {(float)r.p[0], (float)r.p[1], (float)r.p[2], 0}};
}

enum { RUN = 256 }; /* instances a thread takes at once */

static void root_motion_runs(void *context, pm_items *items) {
    const root_motion_job *t = context;
    size_t run;
    while (pm_take_item(items, &run)) {
        size_t rest = t->count - run * RUN;
        for (size_t i = run * RUN; i < run * RUN + (rest < RUN ? rest : RUN); i++)
            t->motions[i] = root_motion_one(t, i);
    }
}

pm_status pm_crowd_root_motion(const pm_crowd *crowd, const pm_crowd_instance *before,
                               const pm_crowd_instance *after, size_t count,
                               pm_root_motion *motions, pm_error *error) {
    root_motion_job t = {crowd, before, after, count, motions};
    pm_error_clear(error);
    if (!crowd || (count && (!before || !after || !motions)))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !crowd    ? "crowd"
                       : !before ? "before"
                       : !after  ? "after"
                                 : "travels");
    pm_run_parallel(crowd->engine->host_threads, count / RUN + (count % RUN != 0), root_motion_runs,
                    &t);
    return PM_OK;
}
