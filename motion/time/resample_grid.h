/* SPDX-License-Identifier: MIT
 *
 * The sample positions of a resampled motion in integers: which samples are frames of the source,
 * and how many samples there are. Evaluates nothing.
 */
#pragma once

#include "motion/time/rate.h"

typedef enum resample_end_rule {
    RESAMPLE_END_FIT = 0, /* the last sample is the last multiple of the step that fits */
    RESAMPLE_END_INCLUDE  /* one more sample at the end itself, unless a multiple falls on it */
} resample_end_rule;

typedef struct resample_span {
    pm_rational source_rate;
    pm_rational rate;
    uint64_t frame_count; /* source frames, at least 1 */
    pm_rational start;    /* seconds from the first frame. 0/0: 0 */
    pm_rational end;      /* seconds. 0/0: the last frame, or the period of a loop */
    resample_end_rule end_rule;
    double loop; /* seconds. 0: open; then the end is at most the last frame */
} resample_span;

/* Frames of a clip, unless options say otherwise. */
#define RESAMPLE_MAX_SAMPLES ((uint64_t)100000000)

/* A count too large to represent. Realistic durations and rates never reach it. */
#define RESAMPLE_GRID_OVERFLOW ((uint64_t)INT64_MAX + 1)

/* Sample k lies at source frame (first + k * step) / unit. */
typedef struct resample_grid {
    uint64_t first, step, unit;
    uint64_t count; /* without the extra sample; RESAMPLE_GRID_OVERFLOW: at least that many */
    bool extra;     /* one more sample at `end` */
    pm_rational start, end;
} resample_grid;

/* Why there is no grid: numbers that are too fine for one, or what is after the end of the source. */
typedef enum resample_grid_fault {
    RESAMPLE_GRID_OK = 0,
    RESAMPLE_GRID_TOO_FINE,
    RESAMPLE_GRID_START,
    RESAMPLE_GRID_END
} resample_grid_fault;

resample_grid_fault resample_grid_make(const resample_span *span, resample_grid *grid);

/* A position between the source frames, advanced from sample to sample. */
typedef struct resample_position {
    uint64_t frame;
    uint64_t remainder; /* in units of 1/grid.unit frame; 0: on the frame */
} resample_position;

resample_position resample_position_at(const resample_grid *grid, uint64_t sample);
resample_position resample_position_end(const resample_grid *grid, pm_rational source_rate);
void resample_position_step(const resample_grid *grid, resample_position *position);
