/* SPDX-License-Identifier: MIT
 *
 * The channels of a crowd's joints: the tables that all work-items read, the rest pose, and the
 * value of a channel from the data of its segment.
 */
#ifndef PM_CHANNELS_H
#define PM_CHANNELS_H

#include "pm_crowd.h"
#include "pm_keys.h"
#include "pm_methods.h"

/* The curve of positions and scales. */
#ifndef PM_VECTOR_METHOD
#define PM_VECTOR_METHOD pm_vector_linear
#endif
#define PM_VECTOR_OF(what) PM_OF__(PM_VECTOR_METHOD, what)

/* The tables that all work-items read. */
typedef struct pm_tables {
    pm_global const pm_clip_layout *clips;
    pm_global const pm_crowd_timeline *timelines;
    pm_global const pm_key_time *times;
    pm_global const pm_stored_key *rotations;
    pm_global const float *constants;
    pm_global const float *positions;
    pm_global const float *scales;
    pm_global const pm_track_layout *layout; /* not read without per_joint */
    pm_crowd_size size;
} pm_tables;

/* A channel of the rest pose. */
pm_fn pm_quat pm_rest_of(pm_global const pm_joint *joint, pm_u32 c) {
    return pm_spread(c == PM_CHANNEL_ROTATIONS   ? joint->rotation
                     : c == PM_CHANNEL_POSITIONS ? joint->position
                                                 : joint->scale);
}

pm_fn pm_u32 pm_is_animated(pm_global const pm_joint *joint, pm_u32 c) {
    return joint->animated >> c & 1;
}

/* The value of a curve of rotations at the basis of u; exactly the keys at u = 0 and u = 1 where it
 * passes through them. `on_key` is pm_any_on_key(u): all joints of an instance share it. */
pm_fn pm_quat pm_rotation_value(const pm_segment_data *data, real u, pm_u32 on_key,
                                const real *basis) {
    PM_OF(segment) segment = PM_OF(begin)(data);
    pm_quat value = PM_OF(at)(&segment, basis);
#if PM_PASSES
    if (on_key)
        value = pm_at_ends(data, u, value, PM_PASSES);
#endif
    return value;
}

/* The values of the curves of four numbers. */
pm_fn pm_quat pm_numbers_value(const pm_segment_data *data, real u, pm_u32 on_key) {
    PM_VECTOR_OF(segment) segment = PM_VECTOR_OF(begin)(data);
    real basis[PM_VECTOR_OF(basis_size)];
    PM_VECTOR_OF(basis)(u, basis);
    pm_quat value = PM_VECTOR_OF(at)(&segment, basis);
    if (PM_VECTOR_OF(passes) && on_key)
        value = pm_at_ends(data, u, value, PM_VECTOR_OF(passes));
    return value;
}

/* The value of a curve of positions or scales; its w is 0. */
pm_fn pm_quat pm_vector_value(const pm_segment_data *data, real u, pm_u32 on_key) {
    pm_quat value = pm_numbers_value(data, u, on_key);
    value.w = PM_REAL(0.0f);
    return value;
}

#endif
