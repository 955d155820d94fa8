/* SPDX-License-Identifier: MIT
 *
 * The channels of a crowd's joints: the tables that all work-items read, the rest pose, and the
 * value of a channel from the data of its segment.
 */
#ifndef PM_CHANNELS_H
#define PM_CHANNELS_H

#include "pm_crowd.h"
#include "pm_key_data.h"

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

/* The value of a curve of positions or scales; its w is 0. */
pm_fn pm_quat pm_vector_value(const pm_segment_data *data, real u, pm_u32 on_key) {
    pm_quat value = pm_numbers_value(data, u, on_key);
    value.w = PM_REAL(0.0f);
    return value;
}

#endif
