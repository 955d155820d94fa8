/* SPDX-License-Identifier: MIT
 *
 * Shared by the parts of the self-check: random keys, the same on every machine.
 */
#ifndef PM_HOST_CHECK_MATERIAL_H
#define PM_HOST_CHECK_MATERIAL_H

#include "backend/backend.h"

enum { PM_CHECK_TRACKS = 37, PM_CHECK_KEYS = 12, PM_CHECK_ROWS = PM_CHECK_KEYS * PM_CHECK_TRACKS };

/* (PM_CHECK_KEYS, PM_CHECK_TRACKS, components) */
typedef struct pm_check_keys {
    float rotations[PM_CHECK_ROWS * 4];
    float positions[PM_CHECK_ROWS * 3];
    float scales[PM_CHECK_ROWS * 3];
    double times[PM_CHECK_KEYS]; /* seconds */
} pm_check_keys;

/* A number in [low, high) from the 32-bit generator of Numerical Recipes. Advances *state. */
static inline double pm_check_random(uint32_t *state, double low, double high) {
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * ((double)(*state >> 8) / 16777216.0);
}

/* Poses small crowds on a single device and on the reference path: slerp with every output, and some
 * others. Clears *same where the bits differ. */
pm_status pm_crowd_self_check(pm_device *device, const pm_check_keys *keys, bool *same,
                              pm_error *error);

#endif
