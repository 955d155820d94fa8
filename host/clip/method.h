/* SPDX-License-Identifier: MIT
 *
 * The table of methods: what each is, which kernel curve it runs, how its segments are
 * made.
 */
#ifndef PM_HOST_CURVE_H
#define PM_HOST_CURVE_H

#include <posemill/posemill.h>

#include "segments/segments.h"

/* A curve with what makes its segments and, unless NULL, its statics. */
typedef struct pm_method_impl {
    pm_curve_id curve;
    pm_builder segments;
    pm_constants_builder constants;
    bool uniform;       /* needs uniform keys */
    bool keeps_signs;   /* keys are not unrolled */
    bool user_tangents; /* takes desc->user_tangents, under PM_TANGENTS_USER */
    bool both_tangents; /* takes tangents in and out beside its keys */
} pm_method_impl;

/* Of rotations, and of positions and scales, as the description asks. */
pm_method_impl pm_rotation_impl(const pm_clip_desc *desc);
pm_method_impl pm_vector_impl(const pm_clip_desc *desc);
pm_method_impl pm_channel_impl(const pm_clip_desc *desc, unsigned channel);

#endif
