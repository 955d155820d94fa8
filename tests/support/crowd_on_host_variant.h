/* SPDX-License-Identifier: MIT
 *
 * The arguments of one variant of the crowd kernel on the host. They are the same for all variants,
 * which are made from crowd_on_host_variant.c.in.
 */
#ifndef POSEMILL_TESTS_CROWD_ON_HOST_VARIANT_H
#define POSEMILL_TESTS_CROWD_ON_HOST_VARIANT_H

#include <stddef.h>

#include "kernels/pm_instance.h"

/* The kernel's arguments, with the kernel's names. */
typedef struct crowd_arguments {
    const pm_u8 *instances, *layers, *ranges, *list, *list_count, *given, *transitions;
    pm_crowd_offsets offsets;
    const pm_joint *joints;
    const pm_clip_layout *clips;
    const pm_crowd_timeline *timelines;
    const pm_key_time *times;
    const pm_crowd_level *levels;
    const pm_u8 *level_joints;
    const float *masks;
    const pm_track_layout *layout;
    const void *rotations; /* float32, or the format of PM_KEYS */
    const float *constants, *positions, *scales;
    pm_u8 *records;
    pm_u64 records_offset, stride;
    pm_crowd_size size;
    const pm_crowd_stage *stages;
    const pm_stage_joint *stage_joints;
    pm_u32 per_group, slots;
    pm_shared_instance *shared;      /* (per_group) */
    pm_shared_layers *shared_layers; /* (per_group) */
    float *transforms;               /* (per_group, slots, PM_SLOT_FLOATS) */
} crowd_arguments;

/* Runs all work-groups, of one work-item each, in descending order: none may depend on another. */
typedef void crowd_variant(const crowd_arguments *arguments, pm_u32 count);

#endif
