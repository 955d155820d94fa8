/* SPDX-License-Identifier: MIT
 *
 * The rules for instances, shared by the kernel and the host: correcting invalid fields, when an
 * instance is updated, and how blend input B changes A.
 */
#ifndef PM_INSTANCE_H
#define PM_INSTANCE_H

#include "pm_crowd.h"
#include "pm_pose.h"

/* A blend input: a clip at a time. */
typedef struct pm_input {
    pm_s64 time; /* ticks */
    pm_u32 clip;
    pm_u32 clamps; /* not 0: the time is clamped to the clip's ends */
} pm_input;

/* An instance with invalid fields corrected. */
typedef struct pm_resolved {
    pm_input a, b;
    pm_u32 has_a;  /* 0: A is the rest pose, and `a` is clip 0 at time 0 */
    pm_u32 blends; /* 0: B has no effect, and `b` equals `a` */
    float weight;  /* in [0, 1]; 0 where B has no effect */
    pm_u32 additive;
    pm_u32 in_place;
    pm_u32 mask; /* 0: none */
    pm_u32 level;
} pm_resolved;

/* An instance that the work-items of a group share. */
typedef struct pm_shared_instance {
    pm_resolved resolved;
    pm_cursor cursor[2]; /* of inputs A and B; not set where timelines are per joint */
    pm_u32 due;          /* 0: not updated in this frame */
} pm_shared_instance;

/* 2^-60, the least weight that is not 0, as in the tables that the host stores (PM_LEAST_STORED). */
#define PM_LEAST_WEIGHT 8.67361738e-19f

/* A level beyond the last is the last. */
pm_fn pm_u32 pm_level_index(pm_u32 level, pm_u32 levels) {
    return level < levels ? level : levels - 1;
}

/* Resolves an instance. Any 32 bytes are accepted: see pm_crowd_instance in the public header. */
pm_fn pm_resolved pm_instance_resolve(pm_instance instance, pm_u32 clips, pm_u32 masks,
                                      pm_u32 levels) {
    pm_resolved r;
    float weight = instance.weight >= PM_LEAST_WEIGHT ? instance.weight : 0.0f; /* 0 for NaN too */
    r.has_a = instance.clip_a < clips;
    r.weight = instance.clip_b < clips ? (weight < 1.0f ? weight : 1.0f) : 0.0f;
    r.blends = r.weight > 0.0f;
    r.a.clip = r.has_a ? instance.clip_a : 0;
    r.a.time = r.has_a ? instance.time_a : 0;
    r.a.clamps = instance.flags & PM_CLAMP_A;
    r.b.clip = r.blends ? instance.clip_b : r.a.clip;
    r.b.time = r.blends ? instance.time_b : r.a.time;
    r.b.clamps = r.blends ? instance.flags & PM_CLAMP_B : r.a.clamps;
    r.additive = instance.flags & PM_ADDITIVE;
    r.in_place = instance.flags & PM_IN_PLACE;
    r.mask = instance.mask <= masks ? instance.mask : 0;
    r.level = pm_level_index(instance.level, levels);
    return r;
}

/* Whether an instance is updated in a frame; `index` is its number in the whole job. */
pm_fn pm_u32 pm_is_update_due(pm_u64 frame, pm_u64 index, pm_crowd_level level) {
    pm_u64 turn = frame + index / PM_INSTANCE_GROUP;
    return pm_divide(turn, level.update_every, level.reciprocal).rest == 0;
}

/* Whether a joint keeps its rest pose: a joint that the level lacks, or joint 0 of an instance in
 * place. */
pm_fn pm_u32 pm_keeps_rest(pm_u32 level_has, pm_u32 joint, pm_u32 in_place) {
    return !level_has || (joint == 0 && in_place);
}

/* A channel of A crossfaded with B. */
pm_fn pm_quat pm_channel_mixed(pm_u32 channel, pm_quat a, pm_quat b, real weight) {
    return channel == PM_CHANNEL_ROTATIONS ? pm_rotations_mixed(a, b, weight)
                                           : pm_vectors_mixed(a, b, weight);
}

/* A channel of A with the difference of B from the rest pose added. `unscale` is one over the rest
 * scale and is read for scales only. */
pm_fn pm_quat pm_channel_added(pm_u32 channel, pm_quat a, pm_quat b, pm_quat rest, pm_quat unscale,
                               real weight) {
    if (channel == PM_CHANNEL_ROTATIONS)
        return pm_rotation_added(a, b, rest, weight);
    if (channel == PM_CHANNEL_POSITIONS)
        return pm_position_added(a, b, rest, weight);
    return pm_scale_added(a, b, unscale, weight);
}

#endif
