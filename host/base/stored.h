/* SPDX-License-Identifier: MIT
 *
 * The rounding of numbers that kernels read.
 */
#ifndef PM_HOST_STORED_H
#define PM_HOST_STORED_H

#include <math.h>

/* Smaller magnitudes are stored as 0, because the products of two of them would be subnormal in
 * float32, and devices may make such numbers 0. Nor are they 0 in one mode of the host's processor
 * and not in another. */
#define PM_LEAST_STORED 0x1p-60

static inline float pm_stored(double value) {
    return fabs(value) >= PM_LEAST_STORED ? (float)value : 0.0f;
}

#endif
