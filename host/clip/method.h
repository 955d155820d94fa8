/* SPDX-License-Identifier: MIT
 *
 * The table of methods: the description of each, its kernel curve, and the builder of its
 * segments.
 */
#ifndef PM_HOST_CURVE_H
#define PM_HOST_CURVE_H

#include <posemill/posemill.h>

#include "kernels/pm_methods.h"
#include "segments/instruction_set.h"
#include "segments/windows.h"

/* The curves that have kernels, by the names in their headers. */
typedef enum pm_curve_id {
#define PM_CURVE_ID(name) PM_CURVE_##name,
    PM_CURVES(PM_CURVE_ID)
#undef PM_CURVE_ID
        PM_CURVE_COUNT
} pm_curve_id;

/* The arrays of a clip. */
enum { PM_ROTATIONS, PM_POSITIONS, PM_SCALES, PM_CHANNEL_COUNT };

typedef struct pm_curve {
    const char *name;      /* PM_METHOD of the kernels */
    unsigned coefficients; /* planes per segment, beside the key's */
    unsigned constants;    /* planes per track */
} pm_curve;

extern const pm_curve pm_curves[PM_CURVE_COUNT];

/* A curve with the builders of its segments and, unless NULL, of its track constants. */
typedef struct pm_method_impl {
    pm_curve_id curve;
    pm_builder segments;
    pm_constants_builder constants;
    bool uniform;       /* needs uniform keys */
    bool keeps_signs;   /* keys are not unrolled: their signs stay */
    bool user_tangents; /* takes desc->user_tangents, under PM_TANGENTS_USER */
    bool both_tangents; /* takes tangents in and out beside its keys */
} pm_method_impl;

/* The methods of the description, for rotations, and for positions and scales. */
pm_method_impl pm_rotation_impl(const pm_clip_desc *desc);
pm_method_impl pm_vector_impl(const pm_clip_desc *desc);
pm_method_impl pm_channel_impl(const pm_clip_desc *desc, unsigned channel);

#endif
