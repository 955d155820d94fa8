/* SPDX-License-Identifier: MIT
 *
 * A crowd's tables as the host makes them and kernels read them, and finding the place of an
 * instance's time: in whole numbers, because devices need not know double.
 */
#ifndef PM_CROWD_H
#define PM_CROWD_H

#include "pm_segment.h"

/* pm_crowd_flag */
#define PM_CLAMP_A 1u
#define PM_CLAMP_B 2u
#define PM_ADDITIVE 4u
#define PM_IN_PLACE 8u

/* pm_crowd_instance */
typedef struct pm_instance {
    pm_s64 time_a, time_b;
    pm_u32 clip_a, clip_b;
    float weight;
    pm_u16 mask;
    pm_u8 level;
    pm_u8 flags;
} pm_instance;

/* Instances are updated, or not, in groups of this many. */
#define PM_INSTANCE_GROUP 16

/* The channels of pm_joint.animated and pm_clip_layout.first, as the host numbers them. */
#define PM_CHANNEL_ROTATIONS 0
#define PM_CHANNEL_POSITIONS 1
#define PM_CHANNEL_SCALES 2
#define PM_CHANNELS 3

/* Matrices of joints wait in these for the joints' children. */
#define PM_SLOTS 16
#define PM_NO_SLOT 0xffffffffu

typedef struct pm_joint {
    pm_u32 parent;     /* the slot of the parent's matrix; PM_NO_SLOT of a root */
    pm_u32 slot;       /* where the joint's own goes; PM_NO_SLOT when it has no children */
    pm_u32 animated;   /* bit c: some clip moves channel c away from the rest pose */
    pm_u32 scaled;     /* 1: at rest, or in some clip, a scale is not 1 */
    float rotation[4]; /* the rest pose */
    float position[4];
    float scale[4];
    float unscale[4]; /* one over the scale */
    float inverse_bind[12];
    float bind_rotation[4]; /* the inverse bind matrix as a rigid motion */
    float bind_position[4];
} pm_joint;

typedef struct pm_crowd_level {
    pm_u32 update_every; /* at least 1 */
    pm_u32 whole;        /* 1: all joints are animated */
} pm_crowd_level;

/* Key times of a clip's joints. The first is 0. */
typedef struct pm_crowd_timeline {
    pm_u64 cycle;  /* ticks after which the clip goes round: the period, where there is one */
    pm_u64 lag;    /* ticks from the clip's first key to the first of these, or of a loop to one
                      of its laps: below the period there */
    pm_u64 period; /* ticks to the last key, or of a loop: at least 1 */
    pm_u64 rate;   /* of uniform keys: segments a tick, times 2^(64 - shift). 0: listed */
    pm_u32 shift;
    pm_u32 slack;    /* of uniform keys: what a tick is, in 2^-32 segments, rounded up */
    pm_u32 segments; /* at least 1 */
    pm_u32 times;    /* of listed keys: where their segments + 1 ticks begin */
} pm_crowd_timeline;

/* Where a clip's rows are. With one timeline for all joints, the four numbers of joint j in
 * plane p of key k of channel c are at first[c] + k row[c] + p plane + 4 j; with several, as
 * pm_track_layout says of each channel and joint. */
typedef struct pm_clip_layout {
    pm_u64 first[PM_CHANNELS];
    pm_u32 row[PM_CHANNELS];
    pm_u32 plane;
    pm_u32 timeline;
    pm_u32 constants; /* plane s of joint j at statics + s plane + 4 j */
} pm_clip_layout;

/* How much of everything there is. */
typedef struct pm_crowd_size {
    pm_u64 frame;
    pm_u64 first;     /* what instance 0 of a call is among all: they take turns by that */
    pm_u32 instances; /* of a call, at least 1 */
    pm_u32 joints;
    pm_u32 clips;
    pm_u32 levels;
    pm_u32 masks;
    pm_u32 channels;  /* bit c: clips have channel c */
    pm_u32 per_joint; /* 1: rows are found by the layout, (channels, clips, joints) of them */
    pm_u32 unused;    /* keeps the size a multiple of 8 */
} pm_crowd_size;

/* A time within [0, period]. */
pm_fn pm_u64 pm_crowd_within(pm_u64 period, pm_s64 time, pm_u32 clamps) {
    if (clamps)
        return time < 0 ? 0 : (pm_u64)time < period ? (pm_u64)time : period;
    if (time >= 0)
        return (pm_u64)time < period ? (pm_u64)time : (pm_u64)time % period;
    pm_u64 back = (0 - (pm_u64)time) % period;
    return back ? period - back : 0;
}

/* `fraction` of 2^32; what is within `slack` of a key is on it. */
pm_fn pm_cursor pm_crowd_cursor_of(pm_u64 segment, pm_u64 fraction, pm_u32 slack) {
    pm_cursor cursor;
    cursor.segment = (pm_u32)segment;
    cursor.u = pm_cursor_fraction((pm_u32)fraction, 0);
    if (fraction < slack)
        cursor.u = 0.0f;
    if (fraction + slack > 0xffffffffu)
        cursor.u = 1.0f;
    return cursor;
}

pm_fn pm_cursor pm_crowd_locate_uniform(pm_crowd_timeline t, pm_u64 since) {
    pm_u64 position = pm_high_product(since << t.shift, t.rate);
    pm_u64 segment = position >> 32;
    if (segment >= t.segments)
        return pm_crowd_cursor_of(t.segments - 1, 0xffffffffu, 1);
    return pm_crowd_cursor_of(segment, position & 0xffffffffu, t.slack);
}

pm_fn pm_cursor pm_crowd_locate_listed(pm_crowd_timeline t, pm_global const pm_u64 *times,
                                       pm_u64 since) {
    pm_global const pm_u64 *border = times + t.times;
    pm_u32 low = 0, high = t.segments;
    while (high - low > 1) {
        pm_u32 middle = low + (high - low) / 2;
        if (border[middle] <= since)
            low = middle;
        else
            high = middle;
    }
    pm_u64 length = border[low + 1] - border[low];
    pm_u64 rest = since - border[low];
    if (rest >= length) /* the end; or keys less than a tick apart */
        return pm_crowd_cursor_of(low, rest ? 0xffffffffu : 0, 1);
    for (; length > 0xffffffffu; length >>= 1)
        rest >>= 1;
    return pm_crowd_cursor_of(low, (rest << 32) / length, 0);
}

/* Ticks since a timeline's own first key, from those since the clip's. Before it, a loop is
 * in the round before, and others wait; they do behind their last key, too. */
pm_fn pm_u64 pm_crowd_timeline_ticks(pm_crowd_timeline t, pm_u64 since) {
    pm_u64 before = t.cycle == t.period ? since + t.period - t.lag : 0;
    since = since < t.lag ? before : since - t.lag;
    return since < t.period ? since : t.period;
}

/* Where a time lies among the keys of a timeline. */
pm_fn pm_cursor pm_crowd_locate(pm_crowd_timeline t, pm_global const pm_u64 *times, pm_s64 time,
                                pm_u32 clamps) {
    pm_u64 since = pm_crowd_timeline_ticks(t, pm_crowd_within(t.cycle, time, clamps));
    return t.rate ? pm_crowd_locate_uniform(t, since) : pm_crowd_locate_listed(t, times, since);
}

#endif
