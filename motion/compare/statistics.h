/* SPDX-License-Identifier: MIT
 *
 * What a comparison finds: of each joint and of the clip the largest and the rms difference of each
 * measure, feet that slide, and the worst moments. A difference that is not known is NaN.
 */
#ifndef POSEMILL_MOTION_STATISTICS_H
#define POSEMILL_MOTION_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

typedef enum compare_measure {
    MEASURE_ANGLE,        /* between the local rotations, in degrees */
    MEASURE_DISTANCE,     /* between the places in the world, in units of length */
    MEASURE_VELOCITY,     /* length of the difference of angular velocities, in degrees/s */
    MEASURE_ACCELERATION, /* of angular accelerations, in degrees/s^2 */
    MEASURE_COUNT
} compare_measure;

/* Of one measure. `max`, `rms` and `time` are NaN where no value is known. */
typedef struct extent {
    double max, time; /* seconds after the first key */
    double square_sum;
    uint64_t count;
} extent;

void extent_begin(extent *e);
void extent_add(extent *e, double value, double time);
double extent_rms(const extent *e);

/* A foot that is on the ground in A, and moves in B. */
typedef struct slide {
    double max; /* how far, horizontally; 0: it does not */
    double time;
    double begin, end;      /* of the worst time on the ground */
    double planted_seconds; /* of all */
} slide;

typedef struct joint_statistics {
    extent of[MEASURE_COUNT];
    slide slide;
} joint_statistics;

/* The largest angle within a part of the clip. */
typedef struct moment {
    double degrees, time;
    size_t pair;
} moment;

enum {
    MOMENT_PARTS = 100, /* of the clip, of which each has one */
    MOMENT_COUNT = 10   /* that are kept */
};

#endif
