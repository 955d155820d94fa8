/* SPDX-License-Identifier: MIT
 *
 * The table of methods: for each its description, its kernel curve, and the builder of its
 * segments.
 */
#ifndef PM_HOST_METHOD_H
#define PM_HOST_METHOD_H

#include <posemill/posemill.h>

#include "segments/segments.h"

/* The implementation of a method: a curve, and the builders of its segment coefficients and track
 * constants. */
typedef struct pm_method_impl {
    pm_curve_id curve;
    pm_builder segments;            /* PM_BUILD_nothing: no coefficients */
    pm_constants_builder constants; /* NULL: no track constants */
    bool uniform;                   /* requires uniform keys */
    bool keeps_keys;                /* keys are neither unrolled nor normalised */
    bool user_tangents;             /* reads desc->user_tangents under PM_TANGENTS_USER */
    bool both_tangents;             /* requires an in- and an out-tangent per key */
} pm_method_impl;

/* The implementations that a checked description selects: for rotations, for positions and scales,
 * and for a channel (PM_ROTATIONS and so on). */
pm_method_impl pm_rotation_impl(const pm_clip_desc *desc);
pm_method_impl pm_vector_impl(const pm_clip_desc *desc);
pm_method_impl pm_channel_impl(const pm_clip_desc *desc, unsigned channel);

#endif
