/* SPDX-License-Identifier: MIT
 *
 * The figure of a motion: how large it is, how it rests, and along which axis it stands. What poses tell is
 * an estimate: whoever uses it says so.
 */
#pragma once

#include <posemill/posemill_motion.h>

/* The longest extent of the rest pose along x, y or z, in the file's unit of length: of the joints of the
 * skins or, without skins, of all nodes, with their tails. Where all of them rest in one point, that of the
 * first pose of the first clip with positions. 0: there are no nodes, they are in one point, their numbers
 * are not finite, or memory is exhausted. */
double motion_figure_size(const pm_motion_content *content);

/* The same, which fails where memory is exhausted. */
pm_status motion_find_size(const pm_motion_content *content, double *size, pm_error *error);

typedef struct motion_figure {
    /* The rest pose of what a head and feet hang on, if they are above and below the hips along an axis. */
    bool stands_at_rest;
    int rest_axis;      /* 0 x, 1 y, 2 z */
    double rest_height; /* along it, from end to end, in the file's unit of length */
    /* Poses of a clip, unless there are too few joints that turn, or keys are not in memory. */
    bool is_posed;
    double extent[3]; /* of the joints in the typical pose, in the file's unit of length */
    double height;    /* the largest extent along `up`, or the axis that was given */
    /* The axis that points up: as poses, path and rest pose say. PM_MOTION_UP_FOUND: they do not */
    pm_motion_up up;
    bool is_doubtful; /* it reaches along the other axis, but seems to lie there */
} motion_figure;

/* Measures the figure in its rest pose and, with a clip, in some poses. `given`: the axis that points up
 * unless the figure stands along the other one; PM_MOTION_UP_FOUND: not known. */
pm_status motion_measure_figure(const pm_motion_content *content, const pm_motion_clip *clip,
                                pm_motion_up given, motion_figure *figure, pm_error *error);
