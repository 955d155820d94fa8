/* SPDX-License-Identifier: MIT
 *
 * Bodies: joints with their velocities. What derivatives by time need of a crowd's timelines, and the
 * motion of a joint from that of its parent.
 */
#ifndef PM_BODY_H
#define PM_BODY_H

#include "pm_crowd.h"
#include "pm_math.h"
#include "pm_pose.h"

/* The outputs of bodies, in the order of pm_crowd_output from PM_CROWD_BODY_POS on. */
#define PM_BODY_POS 0
#define PM_BODY_ROT 1
#define PM_BODY_VEL 2
#define PM_BODY_ANG_VEL 3
#define PM_BODY_LOCAL_ROT 4
#define PM_BODY_LOCAL_ANG_VEL 5
#define PM_BODY_ANGLE 6
#define PM_BODY_ANGLE_RATE 7
#define PM_BODY_OUTPUTS 8

/* The outputs that are derivatives, as bits. */
#define PM_BODY_RATES                                                                              \
    ((1u << PM_BODY_VEL) | (1u << PM_BODY_ANG_VEL) | (1u << PM_BODY_LOCAL_ANG_VEL) |               \
     (1u << PM_BODY_ANGLE_RATE))

/* Where a job's outputs go: one array each, without padding. Offsets, and strides from an instance to
 * the next, are in bytes. */
typedef struct pm_body_targets {
    pm_u64 offset[PM_BODY_OUTPUTS], stride[PM_BODY_OUTPUTS];
    pm_u32 fields;       /* bit n: output n is computed */
    pm_u32 scalar_first; /* bit n: rotations of output n are w x y z */
} pm_body_targets;

/* A transform in the world. */
typedef struct pm_placed {
    float rotation[4];
    float position[4];
} pm_placed;

/* What derivatives need of a timeline, beside pm_crowd_timeline. */
typedef struct pm_timeline_rate {
    float per_second; /* uniform keys: segments per second */
    pm_u32 loops;     /* not 0: the last segment precedes the first */
} pm_timeline_rate;

/* Where a time lies. On a key, where a curve may have a corner, both sides count by half. */
typedef struct pm_sides {
    pm_cursor cursor[2];
    float rate[2]; /* segments per second, times the part that the side counts. 0: nothing moves */
} pm_sides;

pm_fn float pm_inverse_of(float a) {
#if PM_LANES == 1
    return pm_exact_inverse(a);
#else
    return 1.0f / a;
#endif
}

/* Segments per second, from the length of a segment in ticks. */
pm_fn float pm_segment_rate(pm_crowd_timeline t, pm_timeline_rate rate,
                            pm_global const pm_key_time *times, pm_u32 segment) {
    if (t.rate)
        return rate.per_second;
    pm_global const pm_key_time *begin = times + t.times + segment;
    pm_u64 length = begin[1].ticks - begin[0].ticks;
    float per_tick = 4294967296.0f;
    for (; length > 0xffffffffu; length >>= 1)
        per_tick *= 0.5f;
    return length ? per_tick * pm_inverse_of((float)(pm_u32)length) : 0.0f;
}

/* The place on the other side of the key that a cursor is on. False: it is on none, or on the first
 * or the last one of an open timeline. */
pm_fn pm_u32 pm_other_side(pm_crowd_timeline t, pm_u32 loops, pm_cursor cursor, pm_cursor *other) {
    pm_u32 last = t.segments - 1, is_first = cursor.segment == 0, is_last = cursor.segment == last;
    *other = cursor;
    if (cursor.u == 0.0f && (!is_first || loops)) {
        other->segment = is_first ? last : cursor.segment - 1;
        other->u = 1.0f;
        return 1;
    }
    if (cursor.u == 1.0f && (!is_last || loops)) {
        other->segment = is_last ? 0 : cursor.segment + 1;
        other->u = 0.0f;
        return 1;
    }
    return 0;
}

/* As pm_crowd_locate, of a time in pm_crowd_within. Before the first and after the last key of an open timeline nothing moves; at an
 * end of the clip, the inner side counts. */
pm_fn pm_sides pm_crowd_sides(pm_crowd_timeline t, pm_timeline_rate rate,
                              pm_global const pm_key_time *times, pm_u64 within) {
    pm_sides s;
    pm_u64 since = pm_crowd_timeline_ticks(t, within);
    pm_u32 rests = !rate.loops && (within < t.lag || within - t.lag > t.period);
    s.cursor[0] = pm_crowd_cursor_of(pm_crowd_place_at(t, times, since));
    pm_u32 both = pm_other_side(t, rate.loops, s.cursor[0], &s.cursor[1]);
    s.rate[0] = s.rate[1] = 0.0f;
    if (!rests)
        s.rate[0] = pm_segment_rate(t, rate, times, s.cursor[0].segment);
    if (!rests && both) {
        s.rate[0] *= 0.5f;
        s.rate[1] = 0.5f * pm_segment_rate(t, rate, times, s.cursor[1].segment);
    }
    return s;
}

/* A joint relative to its parent or to the world, with its velocity there, and its angular velocity: in
 * the joint's own axes relative to the parent, else in those of the world. */
typedef struct pm_body {
    pm_quat rotation, position, velocity, spin;
} pm_body;

/* One in the shared memory of a work-group: an odd number, so that work-items access slots without bank conflicts. */
#define PM_BODY_FLOATS 13

/* A joint that may be a hinge: its rotation is cos(angle/2) at_zero + sin(angle/2) at_pi. */
typedef struct pm_hinge_joint {
    float at_zero[4]; /* its rotation at angle 0 */
    float at_pi[4];   /* at angle pi */
    float axis[3];
    float reference;
    pm_u32 number;    /* of its angle among those of a row; 0: no hinge */
    pm_u32 unused[3]; /* keeps the size a multiple of 16 */
} pm_hinge_joint;

/* The cosine and the sine of half of a hinge's angle. */
pm_fn pm_cos_sin pm_half_turn(real angle) {
    return pm_cos_sin_of(PM_REAL(0.5f) * angle);
}

pm_fn pm_quat pm_hinge_rotation(pm_hinge_joint hinge, pm_cos_sin turn) {
    pm_quat at_zero = pm_quat_of(PM_REAL(hinge.at_zero[0]), PM_REAL(hinge.at_zero[1]),
                                 PM_REAL(hinge.at_zero[2]), PM_REAL(hinge.at_zero[3]));
    pm_quat at_pi = pm_quat_of(PM_REAL(hinge.at_pi[0]), PM_REAL(hinge.at_pi[1]),
                               PM_REAL(hinge.at_pi[2]), PM_REAL(hinge.at_pi[3]));
    return pm_quat_blend(turn.cosine, at_zero, turn.sine, at_pi);
}

/* Its angular velocity, in its own axes, from the rate of its angle. */
pm_fn pm_quat pm_hinge_spin(pm_hinge_joint hinge, real rate) {
    return pm_quat_of(PM_REAL(hinge.axis[0]) * rate, PM_REAL(hinge.axis[1]) * rate,
                      PM_REAL(hinge.axis[2]) * rate, PM_REAL(0.0f));
}

/* Number n of four. */
pm_fn real pm_number_of(pm_quat q, pm_u32 n) {
    if (n == 0)
        return q.x;
    if (n == 1)
        return q.y;
    if (n == 2)
        return q.z;
    return q.w;
}

/* A root without a placement. */
pm_fn pm_body pm_body_of_root(pm_body own) {
    own.spin = pm_vector_turned(own.rotation, own.spin);
    return own;
}

/* A joint in the world from its parent there and its local motion; without velocities unless `moves`. It has
 * no velocity relative to its parent unless `shifts`. */
pm_fn pm_body pm_body_product(pm_body parent, pm_body own, pm_u32 moves, pm_u32 shifts) {
    pm_body r = own;
    pm_quat arm = pm_vector_turned(parent.rotation, own.position);
    r.rotation = pm_quat_renormalized(pm_quat_product(parent.rotation, own.rotation));
    r.position = pm_quat_sum(parent.position, arm);
    if (!moves)
        return r;
    r.velocity = pm_quat_sum(parent.velocity, pm_cross(parent.spin, arm));
    if (shifts)
        r.velocity = pm_quat_sum(r.velocity, pm_vector_turned(parent.rotation, own.velocity));
    r.spin = pm_quat_sum(parent.spin, pm_vector_turned(r.rotation, own.spin));
    return r;
}

/* The velocity of a point at rest in a body's frame. */
pm_fn pm_quat pm_velocity_at(pm_body body, pm_quat point) {
    return pm_quat_sum(body.velocity, pm_cross(body.spin, pm_vector_turned(body.rotation, point)));
}

pm_fn pm_quat pm_scalar_first(pm_quat q) {
    return pm_quat_of(q.w, q.x, q.y, q.z);
}

#endif
