/* SPDX-License-Identifier: MIT
 *
 * Joints of a crowd in lanes of instances, as lane_samples.c locates and samples them. For files that are
 * compiled once for each instruction set.
 */
#ifndef PM_HOST_LANES_H
#define PM_HOST_LANES_H

#include "float_lanes.h"

#include "lane_batch.h"

#include <string.h>

#include "kernels/pm_memory.h"

/* A clip at a time in each lane. */
typedef struct pm_lane_times {
    pm_u32 clip[PM_LANES];
    pm_u64 within[PM_LANES]; /* pm_crowd_within */
    float speed[PM_LANES];   /* of derivatives */
} pm_lane_times;

/* The lanes' segments on one side of their times: numbers of the key of joint 0, or of the joint that is
 * located, and from there. */
typedef struct pm_lane_side {
    pm_u64 key[PM_CHANNEL_COUNT][PM_LANES], next[PM_CHANNEL_COUNT][PM_LANES];
    size_t plane[PM_CHANNEL_COUNT][PM_LANES];
    size_t spacing[PM_LANES], constants[PM_LANES], constant_plane[PM_LANES];
    float u[PM_LANES];
    float rates[PM_LANES]; /* for derivatives: segments per second, times the instance's speed */
} pm_lane_side;

typedef struct pm_lane_places {
    bool
        per_joint; /* they are those of one joint, because joints of some lane's clip have timelines */
    unsigned side_count; /* 2: for derivatives, some lane is on a key between two segments */
    bool on_key;         /* u is 0 or 1 in some lane */
    pm_lane_side sides[2];
} pm_lane_places;

/* Joints that are sampled at a time: their keys share cache lines. */
enum { PM_LANE_BLOCK = PM_GROUP };

/* The values of a block of joints, relative to their parents, or their derivatives by time. Undefined for
 * joints that no clip moves. */
typedef struct pm_lane_values {
    pm_quat of[PM_CHANNEL_COUNT][PM_LANE_BLOCK];
} pm_lane_values;

static inline void pm_lane_set_time(pm_lane_times *to, size_t lane, const pm_crowd_data *crowd,
                                    const pm_input *from) {
    const pm_u32 timeline = crowd->clips[from->clip].timeline; /* all of a clip have one cycle */
    to->clip[lane] = from->clip;
    to->within[lane] = pm_crowd_within(crowd->timelines[timeline], from->time, from->clamps);
}

/* Whether joints of some lane's clip have timelines of their own. */
static inline bool pm_lanes_per_joint(const pm_crowd_data *crowd, const pm_lane_times *times) {
    bool any = false;
    for (size_t i = 0; i < PM_LANES && crowd->per_joint; i++)
        any = any || pm_is_per_joint(crowd, times->clip[i]);
    return any;
}

/* Locates times among the keys of a joint where to->per_joint, which the caller sets by pm_lanes_per_joint, else of
 * all joints; for derivatives too where `moves`. */
void PM_SET_NAME(pm_lanes_locate)(const pm_crowd_data *crowd, const pm_lane_times *times,
                                  size_t joint, bool moves, pm_lane_places *to);

/* Prefetches the keys of all joints of a lane that is located, where timelines are common; those of the channels
 * that are bits of `channels`. */
void PM_SET_NAME(pm_lanes_prefetch)(const pm_crowd_data *crowd, const pm_lane_places *at,
                                    unsigned channels, size_t lane);

/* Samples the channels that are bits of `channels` for up to PM_LANE_BLOCK joints whose keys are located, or
 * for one where joints have timelines. Without derivatives where `rates` is NULL. */
void PM_SET_NAME(pm_lanes_sample)(const pm_crowd_data *crowd, const pm_lane_places *at,
                                  const pm_joint *joints, size_t count, unsigned channels,
                                  pm_lane_values *values, pm_lane_values *rates);

/* Likewise for PM_LANE_BLOCK quads of the numbers of a row, from quad `first` on. */
void PM_SET_NAME(pm_lanes_sample_numbers)(const pm_crowd_data *crowd, const pm_lane_places *at,
                                          size_t first, pm_lane_values *values,
                                          pm_lane_values *rates);

/* Samples an output of a clip, a value or a derivative, at the lanes' places in its channel. */
void PM_SET_NAME(pm_lanes_sample_clip)(const pm_channel *channel, const pm_lane_side *at,
                                       const pm_output *output, bool parent, pm_quat *value);

/* Samples a channel of a clip at the lanes' places, with its rate unless that is NULL: of rotations in the body's
 * axes. `relative`: vectors, from the key `next` where u is 1, else from the key `key`. */
void PM_SET_NAME(pm_lanes_sample_track)(const pm_channel *channel, unsigned c,
                                        const pm_lane_side *at, bool relative, pm_quat *value,
                                        pm_quat *rate);

/* The place in a batch of the instance of a lane. Lanes without one repeat the first. */
static inline size_t pm_lane_place(const pm_lane_batch *batch, size_t first, size_t lane) {
    return first + lane < batch->count ? first + lane : first;
}

/* Which joints of the lanes are animated. */
typedef struct pm_lane_levels {
    pm_u32 level[PM_LANES], in_place[PM_LANES];
    bool
        rests; /* some joint of some lane keeps its rest pose; false before the first lane is set */
} pm_lane_levels;

static inline void pm_lane_set_level(pm_lane_levels *to, size_t lane, const pm_crowd_data *crowd,
                                     const pm_resolved *r) {
    to->level[lane] = r->level;
    to->in_place[lane] = r->in_place;
    to->rests = to->rests || r->in_place || !crowd->skeleton->levels[r->level].whole;
}

/* The lanes in which a joint keeps its rest pose. */
static inline pm_mask pm_lanes_resting(const pm_lane_levels *levels, const pm_crowd_data *crowd,
                                       pm_u32 joint) {
    const pm_skeleton *s = crowd->skeleton;
    float still[PM_LANES];
    if (!levels->rests)
        return PM_BITS(0);
    for (size_t i = 0; i < PM_LANES; i++) {
        const pm_u32 has = s->level_joints[levels->level[i] * s->joint_count + joint];
        still[i] = pm_keeps_rest(has, joint, levels->in_place[i]) ? 1.0f : 0.0f;
    }
    return pm_reals_of(still) != PM_REAL(0.0f);
}

#endif
