/* SPDX-License-Identifier: MIT
 *
 * Shared by the parts of the self-check: random keys, the same on every machine.
 */
#ifndef PM_HOST_CHECK_MATERIAL_H
#define PM_HOST_CHECK_MATERIAL_H

#include "engine.h"

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

/* What a self-check knows. */
struct pm_check {
    uint32_t paths, different; /* pm_check_path */
    pm_check_keys keys;
};

/* Compares a job on a single device with the reference path. Adds a path to those that differ. */
pm_status pm_check_job(pm_check *check, const pm_job *job, uint32_t path, pm_error *error);

/* The self-checks of rows: clips with jobs of all kinds for samples, and crowds with jobs for poses;
 * trajectories with points. */
pm_status pm_samples_self_check(pm_device *device, pm_check *check, pm_error *error);
pm_status pm_crowd_self_check(pm_device *device, pm_check *check, pm_error *error);
pm_status pm_points_self_check(pm_device *device, pm_check *check, pm_error *error);

#endif
