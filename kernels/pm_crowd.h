/* SPDX-License-Identifier: MIT
 *
 * A crowd's tables, which the host makes and kernels read, and locating an instance's time among
 * keys: in integers, because devices need not support double.
 */
#ifndef PM_CROWD_H
#define PM_CROWD_H

#include "pm_divide.h"
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

/* pm_crowd_layer: its ops and flags */
#define PM_LAYER_OP_OVER 0u
#define PM_LAYER_OP_ADD 1u
#define PM_LAYER_OP_MEAN 2u
#define PM_LAYER_CLAMPS 1u

typedef struct pm_layer {
    pm_s64 time;
    pm_u32 clip;
    float weight;
    pm_u16 mask;
    pm_u8 op;
    pm_u8 flags;
    pm_u32 reserved;
} pm_layer;

/* pm_crowd_range: the layers of an instance. More than PM_MAX_LAYERS are cut. */
typedef struct pm_range {
    pm_u32 first, count;
} pm_range;
#define PM_MAX_LAYERS 64

/* Instances are updated in groups of this many. */
#define PM_INSTANCE_GROUP 16

/* The channels of pm_joint.animated and pm_clip_layout.first, as the host numbers them. */
#define PM_CHANNEL_ROTATIONS 0
#define PM_CHANNEL_POSITIONS 1
#define PM_CHANNEL_SCALES 2
#define PM_CHANNELS 3

/* Slots that hold the transforms of joints whose children are not computed yet. PM_SLOT_FLOATS: a
 * slot in the shared memory of a work-group, where work-items access slots twelve floats apart
 * without bank conflicts. */
#define PM_SLOTS 16
#define PM_NO_SLOT 0xffffffffu
#define PM_SLOT_FLOATS 12
#define PM_NO_RECORD 0xffffffffu

typedef struct pm_joint {
    pm_u32 parent;   /* the slot of the parent's matrix; PM_NO_SLOT for a root */
    pm_u32 slot;     /* the slot for the joint's matrix; PM_NO_SLOT for a joint without children */
    pm_u32 animated; /* bit c: some clip moves channel c away from the rest pose */
    pm_u32 scaled;   /* 1: at rest, or in some clip, a scale is not 1 */
    pm_u32 number;   /* in skeleton order */
    pm_u32 record;   /* number of its record in an instance's; PM_NO_RECORD: none */
    float radius;    /* of the sphere about it in its own frame, for bounds */
    float parent_scale; /* of its parent's frame in the rest pose, for rigid motions */
    float rotation[4];  /* the rest pose; aligned to 16 bytes */
    float position[4];
    float scale[4];
    float unscale[4]; /* one over the scale */
    float inverse_bind[12];
    float bind_rotation[4]; /* the inverse bind matrix, in the model's units, as a rigid motion */
    float bind_position[4];
} pm_joint;

/* Joints that can be posed at the same time: their parents belong to earlier stages. `reciprocal`
 * gives task / count for task < 2^32/count: the upper half of (task + 1) reciprocal. */
typedef struct pm_crowd_stage {
    pm_u32 first;      /* index of its first pm_stage_joint */
    pm_u32 count;      /* of its joints, at least 1 */
    pm_u32 reciprocal; /* floor((2^32 - 1)/count) */
} pm_crowd_stage;

typedef struct pm_stage_joint {
    pm_u32 joint;
    pm_u32 parent; /* the slot of the parent's transform; PM_NO_SLOT for a root */
    pm_u32 slot;   /* the slot for its own; PM_NO_SLOT for a joint without children */
    pm_u32 record; /* number of its record in an instance's; PM_NO_RECORD: none */
} pm_stage_joint;

typedef struct pm_crowd_level {
    pm_u64 reciprocal;   /* PM_RECIPROCAL(update_every) */
    pm_u32 update_every; /* at least 1 */
    pm_u32 whole;        /* 1: all joints are animated */
} pm_crowd_level;

/* A key time of a timeline with listed keys. */
typedef struct pm_key_time {
    pm_u64 ticks;      /* since the timeline's first key */
    pm_u64 reciprocal; /* of the length of the segment that begins here, halved until it fits 32
                          bits; 0 for a length of 0 and for the last key */
} pm_key_time;

/* A timeline of a clip, shared by some or all of its joints, in ticks since its first key. */
typedef struct pm_crowd_timeline {
    pm_u64 cycle;      /* ticks after which the clip repeats: a loop's period, else the duration */
    pm_u64 reciprocal; /* PM_RECIPROCAL(cycle) */
    pm_u64 lag;    /* ticks from the clip's first key to the timeline's first key; for a loop modulo
                      its period */
    pm_u64 period; /* ticks to the last key, or a loop's period; at least 1 */
    pm_u64 rate;   /* uniform keys: segments per tick, times 2^(64 - shift). 0: listed keys */
    pm_u32 shift;  /* listed keys: a bucket has 2^shift ticks */
    pm_u32 slack;  /* uniform keys: the length of a tick in 2^-32 segments, rounded up */
    pm_u32 segments; /* at least 1 */
    pm_u32 times; /* listed keys: index of the first of their segments + 1 ticks, behind which lie
                        pm_u32 numbers: of each bucket from tick 0 to the period, and of one more, the
                        last segment that begins at its first tick or before */
} pm_crowd_timeline;

/* The position of a clip's rows. With a common timeline, the four numbers of joint j in plane p of
 * key k of channel c are at first[c] + k row[c] + p plane[c] + 4 j. With per-joint timelines, the
 * pm_track_layout of each channel and joint gives the position. Rows of positions may be those of
 * joint 0 alone. Other joints are then never animated, but what is loaded with it is behind it in
 * the buffer. With hinges, the three numbers of that position and their angles lie one after another. */
typedef struct pm_clip_layout {
    pm_u64 first[PM_CHANNELS];
    pm_u32 row[PM_CHANNELS];
    pm_u32 plane[PM_CHANNELS];
    pm_u32 timeline;
    pm_u32 constants; /* plane s of joint j is at constants + s plane[0] + 4 j; of curves with four
                         keys, the spacing of segment i of a common timeline at constants + 2 i */
    pm_u32 layout;    /* with per-joint timelines, the pm_track_layout of joint j in channel c is
                         number layout + c joints + j */
    pm_u32 exists;    /* 0: the clip was removed. What the other fields name can be read still */
    pm_u32 markers, marker_count; /* its part of the table of markers */
} pm_clip_layout;

/* pm_crowd_marker */
typedef struct pm_marker {
    pm_s64 tick;
    pm_u32 id, reserved;
} pm_marker;

/* Whether there is a clip of that number. */
pm_fn pm_u32 pm_clip_exists(pm_global const pm_clip_layout *table, pm_u32 clips, pm_u32 clip) {
    return clip < clips && table[clip].exists;
}

/* The sizes of a call and of the tables. */
typedef struct pm_crowd_size {
    pm_u64 frame;
    pm_u64 first;     /* number of the call's instance 0 in the whole job; selects its updates */
    pm_u32 instances; /* in the call, at least 1 */
    pm_u32 entries;   /* in the list, at most; without a list the number of instances */
    pm_u32 before;    /* entries of the list before the call's first */
    pm_u32 list;      /* PM_LIST_... */
    pm_u32 layers;    /* of all instances */
    pm_u32 joints;
    pm_u32 posed; /* joints in the table that the kernel walks: those of a subset, else all */
    pm_u32 clips;
    pm_u32 levels;
    pm_u32 masks;
    pm_u32 channels;  /* bit c: clips have channel c */
    pm_u32 per_joint; /* 1: the layout gives the position of rows */
    pm_u32 stages;
    pm_u32
        levelled; /* 1: some level lacks joints or skips frames. Last, so that there is no padding
                        at the end: rusticl of Mesa 22.3 takes arguments without it */
} pm_crowd_size;

/* Which instances a call poses: all, or those of a list, with their records in the instances' own
 * places or packed in the order of the list. Bits. */
#define PM_LIST_NONE 0u
#define PM_LIST_OWN 1u
#define PM_LIST_PACKED 2u
#define PM_LIST_COUNTED 4u /* the number of entries is in a buffer, at most size.entries */

/* Where the data of a call's instances begin in their buffers, in bytes. */
typedef struct pm_crowd_offsets {
    pm_u64 instances, layers, ranges, list, list_count, poses, transitions;
    pm_u64 pose_stride; /* from an instance's local poses to the next one's */
    pm_u64 transition_stride;
    pm_s64 transition_time; /* ticks, also for planted feet */
    pm_u64 staged;          /* PM_STAGED_... */
} pm_crowd_offsets;

/* Local poses that an earlier step of the same job left: those of entries, not of instances; and levels decide
 * which are updated. Bits. */
#define PM_STAGED_ENTRIES 1u
#define PM_STAGED_LEVELS 2u

/* The number of entries of a call. */
pm_fn pm_u32 pm_entry_count(const pm_crowd_size *size, pm_global const pm_u32 *list_count) {
    if (!(size->list & PM_LIST_COUNTED))
        return size->entries;
    pm_u32 count = list_count[0] > size->before ? list_count[0] - size->before : 0;
    return count < size->entries ? count : size->entries;
}

/* The instance of an entry, which may not exist. */
pm_fn pm_u32 pm_entry_instance(const pm_crowd_size *size, pm_global const pm_u32 *list,
                               pm_u32 entry) {
    return size->list ? list[entry] : entry;
}

/* The number of the records that an entry writes. */
pm_fn pm_u32 pm_entry_record(const pm_crowd_size *size, pm_u32 entry, pm_u32 instance) {
    return size->list & PM_LIST_PACKED ? entry : instance;
}

/* The range of an instance's layers within those that exist. */
pm_fn pm_range pm_range_within(pm_range range, pm_u32 layers) {
    pm_u32 left = range.first < layers ? layers - range.first : 0;
    range.count = range.count < left ? range.count : left;
    range.count = range.count < PM_MAX_LAYERS ? range.count : PM_MAX_LAYERS;
    return range;
}

/* A time in ticks, clamped or wrapped to [0, t.cycle]. */
pm_fn pm_u64 pm_crowd_within(pm_crowd_timeline t, pm_s64 time, pm_u32 clamps) {
    if (clamps)
        return time < 0 ? 0 : (pm_u64)time < t.cycle ? (pm_u64)time : t.cycle;
    if (time < 0) {
        pm_u64 rest = pm_divide(0 - (pm_u64)time, t.cycle, t.reciprocal).rest;
        return rest ? t.cycle - rest : 0;
    }
    return pm_divide((pm_u64)time, t.cycle, t.reciprocal).rest;
}

/* A place among keys, at fraction / 2^32 of a segment. Within `slack` of a key it is on the key. Kernels with
 * lanes make their u of it in vectors. */
typedef struct pm_crowd_place {
    pm_u32 segment, fraction, slack;
} pm_crowd_place;

pm_fn pm_crowd_place pm_crowd_place_of(pm_u64 segment, pm_u64 fraction, pm_u32 slack) {
    pm_crowd_place place;
    place.segment = (pm_u32)segment;
    place.fraction = (pm_u32)fraction;
    place.slack = slack;
    return place;
}

pm_fn float pm_crowd_u(pm_u32 fraction, pm_u32 slack) {
    float u = pm_cursor_fraction(fraction, 0);
    u = fraction < slack ? 0.0f : u;
    return fraction > 0xffffffffu - slack ? 1.0f : u;
}

pm_fn pm_crowd_place pm_crowd_place_uniform(pm_crowd_timeline t, pm_u64 since) {
    pm_u64 position = pm_high_product(since << t.shift, t.rate);
    pm_u64 segment = position >> 32;
    if (segment >= t.segments)
        return pm_crowd_place_of(t.segments - 1, 0xffffffffu, 1);
    return pm_crowd_place_of(segment, position & 0xffffffffu, t.slack);
}

pm_fn pm_crowd_place pm_crowd_place_listed(pm_crowd_timeline t, pm_global const pm_key_time *times,
                                           pm_u64 since) {
    pm_global const pm_key_time *border = times + t.times;
    pm_global const pm_u32 *bucket =
        (pm_global const pm_u32 *)(border + t.segments + 1) + (since >> t.shift);
    pm_u32 low = bucket[0], high = bucket[1] + 1;
    while (high - low > 1) { /* at most once in most buckets, which have one key or none */
        pm_u32 middle = low + (high - low) / 2;
        if (border[middle].ticks <= since)
            low = middle;
        else
            high = middle;
    }
    pm_key_time begin = border[low];
    pm_u64 length = border[low + 1].ticks - begin.ticks;
    pm_u64 rest = since - begin.ticks;
    if (rest >= length) /* the end of the timeline, or keys less than a tick apart */
        return pm_crowd_place_of(low, rest ? 0xffffffffu : 0, 1);
    for (; length > 0xffffffffu; length >>= 1)
        rest >>= 1;
    pm_u64 fraction = pm_divide(rest << 32, length, begin.reciprocal).quotient;
    return fraction >> 32 ? pm_crowd_place_of(low, 0xffffffffu, 1) /* rounded up to the next key */
                          : pm_crowd_place_of(low, fraction, 0);
}

pm_fn pm_crowd_place pm_crowd_place_at(pm_crowd_timeline t, pm_global const pm_key_time *times,
                                       pm_u64 since) {
    return t.rate ? pm_crowd_place_uniform(t, since) : pm_crowd_place_listed(t, times, since);
}

pm_fn pm_cursor pm_crowd_cursor_of(pm_crowd_place place) {
    pm_cursor cursor;
    cursor.segment = place.segment;
    cursor.u = pm_crowd_u(place.fraction, place.slack);
    return cursor;
}

/* Ticks since a timeline's first key, from the ticks since the clip's first key. Before its first
 * key, a loop is in the previous cycle; an open timeline is clamped to its ends. */
pm_fn pm_u64 pm_crowd_timeline_ticks(pm_crowd_timeline t, pm_u64 since) {
    if (t.lag) { /* rarely: lanes wait for locating, and a branch is shorter than what it skips */
        pm_u64 before = t.cycle == t.period ? since + t.period - t.lag : 0;
        since = since < t.lag ? before : since - t.lag;
    }
    return since < t.period ? since : t.period;
}

/* Finds a time in ticks since the clip's first key among the keys of a timeline. */
pm_fn pm_crowd_place pm_crowd_find(pm_crowd_timeline t, pm_global const pm_key_time *times,
                                   pm_s64 time, pm_u32 clamps) {
    return pm_crowd_place_at(t, times,
                             pm_crowd_timeline_ticks(t, pm_crowd_within(t, time, clamps)));
}

pm_fn pm_cursor pm_crowd_locate(pm_crowd_timeline t, pm_global const pm_key_time *times,
                                pm_s64 time, pm_u32 clamps) {
    return pm_crowd_cursor_of(pm_crowd_find(t, times, time, clamps));
}

/* ---- chains, for inverse kinematics (pm_reach.h) ---- */

#define PM_REACH_TWO_BONES 0u
#define PM_REACH_AIM 1u
#define PM_REACH_PIN 2u
#define PM_REACH_STAND 3u
#define PM_REACH_JOINTS 8
#define PM_REACH_IN_WORLD 1u
#define PM_REACH_DIRECTION 2u   /* the pole is a direction */
#define PM_REACH_PLANTS 64u     /* contacts plant the feet of what stands */
#define PM_REACH_ON_GROUND 128u /* in the list of a job: the chain is one of PM_REACH_STAND */

/* A chain of a skeleton, as the host makes it. */
typedef struct pm_chain_row {
    pm_u32 kind;
    pm_u32 path;   /* its first number in the table of paths: joints, from a root to its last */
    pm_u32 length; /* joints of its path */
    pm_u32 count;  /* of the joints below: those that it turns, and of two bones the end */
    /* On the path, from the root outwards; where feet stand: their chains. */
    pm_u32 places[PM_REACH_JOINTS];
    float shares[PM_REACH_JOINTS]; /* of an aim: each of the turn that remains */
    /* Of two bones: the bend's, relative to the lower's parent; of an aim: up, in the last joint's frame; of the
     * ground: up. */
    float axis[4];
    float forward[4]; /* of an aim, in the last joint's frame */
    float
        limit; /* of two bones: the part of the length that is reached exactly; of an aim: the cone, 0: none */
    pm_u32
        plants; /* of what stands: one more than its first foot in a state of planted feet; 0: none is planted */
    pm_u32 reserved[2];
    pm_u32 contacts
        [2 *
         PM_REACH_JOINTS]; /* ids of markers at which a foot touches the ground, and leaves it */
} pm_chain_row;

/* The chains of a job in their order, on the host: the number of a chain, and its flags above the lower 16 bits. */
#define PM_REACH_MOST 32
typedef struct pm_chain_list {
    pm_u32 count;
    pm_u32 of[PM_REACH_MOST];
} pm_chain_list;

/* Whether a chain of a job stands on the ground. */
pm_fn pm_u32 pm_chain_stands(const pm_chain_list *list, pm_u32 n) {
    return list->of[n] >> 16 & PM_REACH_ON_GROUND;
}

/* Numbers of a goal: position and weight, rotation, pole and its weight, weight of the rotation and three more. */
#define PM_GOAL_FLOATS 16

/* Where the heights of the ground are (pm_ground.h): row j has those at origin[1] + j cells along the other level axis,
 * from origin[0] along x. */
typedef struct pm_height_grid {
    float origin[2];
    float per_cell;       /* one over the length of a cell */
    pm_u32 columns, rows; /* 0: there are none */
} pm_height_grid;

#endif
