/* SPDX-License-Identifier: MIT
 *
 * What lowpass_lanes.c defines for each instruction set.
 */
#ifndef PM_HOST_LOWPASS_LANES_H
#define PM_HOST_LOWPASS_LANES_H

#include "cpu.h"

/* A channel and its results. All pointers are borrowed. */
typedef struct pm_lowpass_view {
    const float *keys; /* as in pm_channel */
    pm_u32 row;        /* floats from a key to the next */
    unsigned components;
    size_t track_count;
    const pm_lowpass_table *table;
    float *to; /* (sample_count, track_count, components) */
} pm_lowpass_view;

/* Computes the samples of a piece. Thread-safe. */
typedef void (*pm_lowpass_function)(const pm_lowpass_view *view, const pm_sample_request *piece);

#endif
