/* SPDX-License-Identifier: MIT
 *
 * The arguments of one kernel variant on the host. Each is a separate translation unit made from
 * kernels_on_host_variant.c.in. This header contains only
 * declarations that are the same for all of them.
 */
#ifndef POSEMILL_TESTS_KERNELS_ON_HOST_VARIANT_H
#define POSEMILL_TESTS_KERNELS_ON_HOST_VARIANT_H

#include "kernels/pm_cursor.h"

/* Arguments of both kernels, with the kernels' names. */
typedef struct kernel_arguments {
    const void *keys; /* float32, or the format of PM_KEYS */
    const float *constants, *wraps;
    const pm_track_layout *layout;
    const pm_cursor *cursors;
    const pm_u32 *tracks;
    float *values;
    pm_u64 values_offset;
    pm_u32 plane_floats, constant_floats;
    pm_u32 track_count, sample_count, value_count;
    pm_u32 run, pairs;
    const float *rates;
    pm_u32 parent;
} kernel_arguments;

/* Run all work-items of a work size in descending order: no work-item may depend on another. Only
 * variants of values have `walk` and `locate`. */
typedef struct kernel_variant {
    void (*walk)(const kernel_arguments *arguments, pm_u32 columns, pm_u32 rows);
    void (*gather)(const kernel_arguments *arguments, pm_u32 items);
    void (*locate)(pm_cursor *cursors, pm_uniform_map map, pm_u32 sample_count, pm_u32 items);
} kernel_variant;

#endif
