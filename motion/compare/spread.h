/* SPDX-License-Identifier: MIT
 *
 * How the largest values of each time are spread, and which times lie far above the others: those with
 * more than three times what 95 % of the times have. Values are counted in steps of 3 %, so that memory
 * does not grow with their number.
 */
#ifndef POSEMILL_MOTION_SPREAD_H
#define POSEMILL_MOTION_SPREAD_H

#include "motion/compare/statistics.h"

enum { SPREAD_PERCENT = 95, SPREAD_STEPS = 1600 /* 32 to an octave: up to 2^50 times the floor */ };

typedef struct spread {
    double floor;                                   /* smaller values are rounding errors */
    uint64_t times[SPREAD_STEPS];                   /* whose largest value lies in the step */
    double first[SPREAD_STEPS], last[SPREAD_STEPS]; /* of these times */
    double most[SPREAD_STEPS];                      /* of their values */
    double largest;                                 /* of the present time */
} spread;

void spread_begin(spread *s, compare_measure measure, double unit_mm);
void spread_add(spread *s, double value);

/* All values of a time are added. */
void spread_end_time(spread *s, double time);

/* Where a scale of the values ends, and what lies beyond. */
typedef struct scale {
    double end;         /* the largest value of the times that are not apart */
    uint64_t times;     /* that are apart; 0: none */
    double first, last; /* of these */
} scale;

scale spread_scale(const spread *s, double max);

#endif
