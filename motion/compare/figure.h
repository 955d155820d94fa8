/* SPDX-License-Identifier: MIT
 *
 * The figure of a motion: how far its joints reach along each axis, and which axis points up. What is
 * found is an estimate, of a few poses: whoever uses it says so.
 */
#ifndef POSEMILL_MOTION_FIGURE_H
#define POSEMILL_MOTION_FIGURE_H

#include "motion/compare/subject.h"

/* The heights of bodies, in millimetres, from a toddler to a giant. */
#define FIGURE_LEAST_MM 750.0
#define FIGURE_MOST_MM 2600.0

typedef struct figure {
    bool is_known;    /* false: there are no places, or too few joints that turn */
    double extent[3]; /* of the typical pose along x, y and z, in units of length */
    double height;    /* the largest extent along the axis of the subject that points up */
    int up;           /* the axis along which the figure stands: 1 y, 2 z */
    bool is_doubtful; /* it reaches along the other axis, but seems to lie there */
} figure;

/* Evaluates some poses. `s->up` is the axis that points up unless the figure says otherwise. */
pm_status figure_measure(subject *s, figure *f, pm_error *error);

#endif
