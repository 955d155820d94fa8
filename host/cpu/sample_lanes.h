/* SPDX-License-Identifier: MIT
 *
 * Values that are each in a segment of its own, computed in lanes: what a sample reads is gathered into
 * arrays of one component, so that compilers vectorise the loop over samples.
 */
#ifndef PM_HOST_SAMPLE_LANES_H
#define PM_HOST_SAMPLE_LANES_H

#include "cpu.h"

enum { PM_SAMPLE_LANES = 16 };

/* A quaternion of each lane. */
typedef struct pm_lane_quats {
    float x[PM_SAMPLE_LANES], y[PM_SAMPLE_LANES], z[PM_SAMPLE_LANES], w[PM_SAMPLE_LANES];
} pm_lane_quats;

/* The segment of each lane, and the position in it. */
typedef struct pm_sample_lanes {
    pm_lane_quats key, next, coefficients[PM_MAX_COEFFICIENTS], constants[PM_MAX_CONSTANTS];
    float u[PM_SAMPLE_LANES];
} pm_sample_lanes;

/* Sets a lane. */
void pm_sample_lanes_set(pm_sample_lanes *lanes, size_t lane, const pm_curve *curve,
                         const pm_segment_data *data, float u);

/* Computes the values of all lanes, which are set, for the curve with this number. */
void pm_sample_lanes_run(const pm_sample_lanes *lanes, unsigned curve, pm_lane_quats *values);

#endif
