/* SPDX-License-Identifier: MIT
 *
 * The table of methods: what each is, which kernel curve it runs, how its segments are
 * made.
 */
#ifndef PM_HOST_CURVE_H
#define PM_HOST_CURVE_H

#include <posemill/posemill.h>

#include "../kernels/pm_methods.h"
#include "lane_set.h"
#include "windows.h"

/* The curves there are kernels for, by the names in their headers. */
typedef enum pm_curve_id {
#define PM_CURVE_ID(name) PM_CURVE_##name,
    PM_CURVES(PM_CURVE_ID)
#undef PM_CURVE_ID
        PM_CURVE_COUNT
} pm_curve_id;

/* The arrays of a clip. */
enum { PM_ROTATIONS, PM_POSITIONS, PM_SCALES, PM_CHANNEL_COUNT };

typedef struct pm_curve {
    const char *name; /* PM_METHOD of the kernels */
    unsigned extras;  /* planes of a segment beside its key */
    unsigned statics; /* planes of a track */
} pm_curve;

extern const pm_curve pm_curves[PM_CURVE_COUNT];

/* A curve with what makes its segments and, unless NULL, its statics. */
typedef struct pm_recipe {
    pm_curve_id curve;
    pm_builder segments;
    pm_static_builder statics;
    bool uniform;       /* needs uniform keys */
    bool keeps_signs;   /* keys are not unrolled */
    bool user_tangents; /* takes desc->user_tangents, under PM_TANGENTS_USER */
    bool both_tangents; /* takes tangents in and out beside its keys */
} pm_recipe;

/* Of rotations, and of positions and scales, as the description asks. */
pm_recipe pm_rotation_recipe(const pm_clip_desc *desc);
pm_recipe pm_vector_recipe(const pm_clip_desc *desc);
pm_recipe pm_channel_recipe(const pm_clip_desc *desc, unsigned channel);

#endif
