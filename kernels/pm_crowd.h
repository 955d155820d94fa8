/* SPDX-License-Identifier: MIT
 *
 * A crowd's tables, which the host makes and kernels read, and locating an instance's time among
 * keys: in integers, because devices need not support double.
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

/* Instances are updated in groups of this many. */
#define PM_INSTANCE_GROUP 16

/* The channels of pm_joint.animated and pm_clip_layout.first, as the host numbers them. */
#define PM_CHANNEL_ROTATIONS 0
#define PM_CHANNEL_POSITIONS 1
#define PM_CHANNEL_SCALES 2
#define PM_CHANNELS 3

/* Slots that hold the matrices of joints whose children are not computed yet. */
#define PM_SLOTS 16
#define PM_NO_SLOT 0xffffffffu

typedef struct pm_joint {
    pm_u32 parent;   /* the slot of the parent's matrix; PM_NO_SLOT for a root */
    pm_u32 slot;     /* the slot for the joint's matrix; PM_NO_SLOT for a joint without children */
    pm_u32 animated; /* bit c: some clip moves channel c away from the rest pose */
    pm_u32 scaled;   /* 1: at rest, or in some clip, a scale is not 1 */
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

/* A timeline of a clip, shared by some or all of its joints, in ticks since its first key. */
typedef struct pm_crowd_timeline {
    pm_u64 cycle;  /* ticks after which the clip repeats: a loop's period, else the duration */
    pm_u64 lag;    /* ticks from the clip's first key to the timeline's first key; for a loop modulo
                      its period */
    pm_u64 period; /* ticks to the last key, or a loop's period; at least 1 */
    pm_u64 rate;   /* uniform keys: segments per tick, times 2^(64 - shift). 0: listed keys */
    pm_u32 shift;
    pm_u32 slack;    /* uniform keys: the length of a tick in 2^-32 segments, rounded up */
    pm_u32 segments; /* at least 1 */
    pm_u32 times;    /* listed keys: index of the first of their segments + 1 ticks */
} pm_crowd_timeline;

/* The position of a clip's rows. With a common timeline, the four numbers of joint j in plane p of
 * key k of channel c are at first[c] + k row[c] + p plane + 4 j. With per-joint timelines, the
 * pm_track_layout of each channel and joint gives the position. */
typedef struct pm_clip_layout {
    pm_u64 first[PM_CHANNELS];
    pm_u32 row[PM_CHANNELS];
    pm_u32 plane;
    pm_u32 timeline;
    pm_u32 constants; /* plane s of joint j is at constants + s plane + 4 j */
} pm_clip_layout;

/* The sizes of a call and of the tables. */
typedef struct pm_crowd_size {
    pm_u64 frame;
    pm_u64 first;     /* number of the call's instance 0 in the whole job; selects its updates */
    pm_u32 instances; /* in the call, at least 1 */
    pm_u32 joints;
    pm_u32 clips;
    pm_u32 levels;
    pm_u32 masks;
    pm_u32 channels;  /* bit c: clips have channel c */
    pm_u32 per_joint; /* 1: the layout, (channels, clips, joints), gives the position of rows */
    pm_u32 unused;    /* pads the size to a multiple of 8 */
} pm_crowd_size;

/* A time in ticks, clamped or wrapped to [0, period]. */
pm_fn pm_u64 pm_crowd_within(pm_u64 period, pm_s64 time, pm_u32 clamps) {
    if (clamps)
        return time < 0 ? 0 : (pm_u64)time < period ? (pm_u64)time : period;
    if (time >= 0)
        return (pm_u64)time < period ? (pm_u64)time : (pm_u64)time % period;
    pm_u64 back = (0 - (pm_u64)time) % period;
    return back ? period - back : 0;
}

/* The cursor at fraction / 2^32 of a segment. A fraction within `slack` of a key is moved to the
 * key. */
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
    if (rest >= length) /* the end of the timeline, or keys less than a tick apart */
        return pm_crowd_cursor_of(low, rest ? 0xffffffffu : 0, 1);
    for (; length > 0xffffffffu; length >>= 1)
        rest >>= 1;
    return pm_crowd_cursor_of(low, (rest << 32) / length, 0);
}

/* Ticks since a timeline's first key, from the ticks since the clip's first key. Before its first
 * key, a loop is in the previous cycle; an open timeline is clamped to its ends. */
pm_fn pm_u64 pm_crowd_timeline_ticks(pm_crowd_timeline t, pm_u64 since) {
    pm_u64 before = t.cycle == t.period ? since + t.period - t.lag : 0;
    since = since < t.lag ? before : since - t.lag;
    return since < t.period ? since : t.period;
}

/* Locates a time in ticks since the clip's first key among the keys of a timeline. */
pm_fn pm_cursor pm_crowd_locate(pm_crowd_timeline t, pm_global const pm_u64 *times, pm_s64 time,
                                pm_u32 clamps) {
    pm_u64 since = pm_crowd_timeline_ticks(t, pm_crowd_within(t.cycle, time, clamps));
    return t.rate ? pm_crowd_locate_uniform(t, since) : pm_crowd_locate_listed(t, times, since);
}

#endif
