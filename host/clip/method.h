/* SPDX-License-Identifier: MIT
 *
 * The table of methods: the description of each, its kernel curve, and the builder of its
 * segments.
 */
#ifndef PM_HOST_METHOD_H
#define PM_HOST_METHOD_H

#include <posemill/posemill.h>

#include "segments/segments.h"

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
