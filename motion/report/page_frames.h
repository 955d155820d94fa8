/* SPDX-License-Identifier: MIT
 *
 * What the page shows along the time: places and values of the joints, at as many times as fit. Where
 * there are more, a frame stands for neighbouring times: it has the poses of the one with the largest
 * angle, and of every difference the largest.
 */
#ifndef POSEMILL_MOTION_PAGE_FRAMES_H
#define POSEMILL_MOTION_PAGE_FRAMES_H

#include "motion/compare/compare.h"

/* Differences in the order of compare_measure, then what A and B do. */
enum {
    PAGE_ANGLE_A = MEASURE_COUNT, /* from the first pose of A, in degrees */
    PAGE_ANGLE_B,
    PAGE_VELOCITY_A, /* degrees/s */
    PAGE_VELOCITY_B,
    PAGE_ACCELERATION_A, /* degrees/s^2 */
    PAGE_ACCELERATION_B,
    PAGE_VALUES
};

typedef struct page_frames {
    const comparison *c;
    size_t joints;              /* the pairs */
    size_t count;               /* of frames */
    uint64_t per_frame;         /* times that a frame stands for, but for the last */
    double *times;              /* (count) */
    double *angles;             /* the largest of each frame's time */
    float *places[2];           /* (count, joints, 3); NULL: not known */
    float *values[PAGE_VALUES]; /* (count, joints); NaN: not known */
    int32_t *parents;           /* (joints): the nearest ancestor of A that is compared; -1: none */
    double *first;              /* (joints, 4): rotations of A at the first time */
    motion_arena arena;
} page_frames;

/* Makes room for the frames of a comparison that is prepared, within `bytes` of the page's data. With
 * one motion only (A is B) the differences take no room. False: memory is exhausted. Release the frames
 * also on failure. */
bool page_frames_begin(page_frames *f, const comparison *c, size_t bytes);
void page_frames_release(page_frames *f);

/* For compare_run. */
compare_observer page_frames_observer(page_frames *f);

/* The frame nearest to a time. */
size_t page_frames_at(const page_frames *f, double time);

#endif
