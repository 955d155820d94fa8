/* SPDX-License-Identifier: MIT
 *
 * A segment of a rotation's curve, of any kind, and a bound of the angle between two of them that no time
 * exceeds.
 *
 * Two arcs are those of arc.h. Otherwise, let d be the dot of two curves whose quaternions move by at
 * most a and b radians in an interval, and whose accelerations along the sphere are at most c in all, in
 * units of the interval. x = 1 - d is 2 z^2, with z the sine of half the angle, and
 *     x'' >= -(a^2 + b^2) x - 2 c z
 * so that the largest values X and Z satisfy X <= E + ((a^2 + b^2) X + 2 c Z) / 8, where E is the larger
 * one of both ends. Where this does not decide, the interval is halved.
 */
#ifndef POSEMILL_MOTION_REDUCE_SEGMENT_H
#define POSEMILL_MOTION_REDUCE_SEGMENT_H

#include "motion/reduce/arc.h"
#include "motion/reduce/cubic.h"
#include "motion/reduce/curve.h"

typedef enum segment_kind { SEGMENT_ARC, SEGMENT_CUBIC, SEGMENT_CURVE } segment_kind;

typedef struct segment {
    segment_kind kind;
    union {
        arc arc;
        cubic cubic;
        struct {
            method_curve *of;
            size_t index;
        } curve;
    };
} segment;

/* The unit quaternion at a time, which lies in the segment. Of a curve that lacks memory: 0. */
void segment_value(const segment *s, double time, double q[4]);

/* In an interval that lies in the segment. */
turning segment_turning(const segment *s, double begin, double end);

/* As of curve_part. */
double segment_rounding(const segment *s);

/* The largest `apart` (arc.h) in an interval of some seconds whose ends are at most `chord` apart. */
double segments_bound(double chord, double seconds, turning a, turning b, double rounding);

/* Whether both are at most `limit` apart at every time of an interval that lies in both. */
bool segments_hold(const segment *a, const segment *b, double begin, double end, double limit);

/* What is known about an error along the times: a value that is reached, and one that is not exceeded. */
typedef struct arc_extent {
    double found, bound;
    double time;  /* of `found` */
    double limit; /* the bound is made precise until it is decided whether it is below. 0: none */
} arc_extent;

/* Adds an interval that lies in both segments; the values are `apart`. */
void segments_extend(arc_extent *extent, const segment *a, const segment *b, double begin,
                     double end);

#endif
