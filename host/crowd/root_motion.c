/* SPDX-License-Identifier: MIT
 *
 * Root motion: the rigid motion of joint 0 between two times, in double, from poses that a backend
 * samples. Each completed cycle of a clip adds the motion from its first pose to its last one.
 */
#include "crowd.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "kernels/pm_transition.h"

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

/* The pose of joint 0 in a clip. */
static rigid root_at(const pm_root_job *s, pm_u32 clip, int64_t time, bool clamps) {
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
static rigid cycles_between(const pm_root_job *s, pm_u32 clip, int64_t from, int64_t to) {
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
static rigid motion_of(const pm_root_job *s, pm_u32 clip, int64_t from, int64_t to, bool clamps) {
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

/* How far an instance in transition is from where its clips have it: its rates times what pm_remains has of rates. */
static rigid offset_at(const pm_root_job *s, size_t i, int64_t now) {
    const unsigned char *state = (const unsigned char *)s->states + i * s->stride;
    pm_transition_head head;
    pm_transition_root root;
    rigid r = no_motion;
    memcpy(&head, state, sizeof head);
    memcpy(&root, state + PM_TRANSITION_ROOT, sizeof root);
    if (pm_transit_of(head, now).duration == 0.0f)
        return r;
    const double t = ldexp((double)(now - head.time), -32), part = t / (double)head.duration;
    const double left = 1 - part, rise = t * left * left * left * (1 + 3 * part);
    double angle = 0, size = 0;
    for (size_t c = 0; c < 3; c++) {
        r.q[c] = rise * (double)root.turn[c];
        r.p[c] = rise * (double)root.way[c];
        angle += r.q[c] * r.q[c];
        size += r.p[c] * r.p[c];
    }
    if (!(angle < 1e12 && size < 1e24)) /* of no poses */
        return no_motion;
    angle = sqrt(angle);
    for (size_t c = 0; c < 3; c++)
        r.q[c] *= angle > 0 ? sin(angle / 2) / angle : 0.5;
    r.q[3] = cos(angle / 2);
    return r;
}

static pm_root_motion motion_of_instance(const pm_root_job *s, size_t i) {
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
    if (s->states) {
        const rigid from = offset_at(s, i, s->times[0]), to = offset_at(s, i, s->times[1]);
        const rigid back = inverse(&from);
        r = product(&back, &r);
        r = product(&r, &to);
    }
    return (pm_root_motion){{(float)r.q[0], (float)r.q[1], (float)r.q[2], (float)r.q[3]},
                            {(float)r.p[0], (float)r.p[1], (float)r.p[2], 0}};
}

enum { RUN = 256 }; /* instances per work item */

static void find_motions(void *context, pm_items *items) {
    const pm_root_job *s = context;
    size_t run;
    while (pm_take_item(items, &run)) {
        const pm_piece piece = pm_piece_at(s->count, RUN, run);
        for (size_t i = piece.from; i < piece.from + piece.count; i++) {
            const size_t index = s->indices ? s->indices[i] : i;
            if (index < s->instance_count)
                s->motions[i] = motion_of_instance(s, index);
        }
    }
}

void pm_root_motions_find(const pm_root_job *job, size_t threads) {
    pm_root_job own = *job;
    pm_run_parallel(job->crowd->host, threads, pm_piece_count(job->count, RUN), find_motions, &own);
}

/* The velocities of a motion that took `seconds`, both relative to the root: the means of both ends. */
static pm_transition_root velocities_of(const pm_root_motion *m, double seconds) {
    pm_transition_root root;
    double q[4], back[4], way[3], turned[3], sine = 0;
    for (size_t c = 0; c < 4; c++) {
        q[c] = (double)m->rotation[c] * (m->rotation[3] < 0 ? -1 : 1);
        back[c] = c < 3 ? -q[c] : q[c];
        sine += c < 3 ? q[c] * q[c] : 0;
    }
    sine = sqrt(sine);
    for (size_t c = 0; c < 3; c++)
        way[c] = (double)m->position[c];
    rotate(back, way, turned);
    for (size_t c = 0; c < 3; c++) {
        root.turn[c] = (float)(q[c] * (sine > 0 ? 2 * atan2(sine, q[3]) / sine : 2) / seconds);
        root.way[c] = (float)((way[c] + turned[c]) / (2 * seconds));
    }
    return root;
}

void pm_root_put_rates(const pm_root_motion *before, const pm_root_motion *after, double seconds,
                       unsigned char *state) {
    pm_transition_root rates = velocities_of(before, seconds);
    const pm_transition_root new = velocities_of(after, seconds);
    for (size_t c = 0; c < 3; c++) {
        rates.turn[c] -= new.turn[c];
        rates.way[c] -= new.way[c];
    }
    memcpy(state + PM_TRANSITION_ROOT, &rates, sizeof rates);
}
