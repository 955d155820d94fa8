/* SPDX-License-Identifier: MIT
 *
 * How large the figure of a motion is: what lengths and movements are compared with.
 */
#ifndef POSEMILL_MOTION_MODEL_FIGURE_H
#define POSEMILL_MOTION_MODEL_FIGURE_H

#include <posemill/posemill_motion.h>

/* The longest extent of the rest pose along x, y or z, in the file's unit of length: of the joints of the
 * skins or, without skins, of all nodes, with their tails. Where all of them rest in one point, that of the
 * first pose of the first clip with positions. 0: there are no nodes, they are in one point, their numbers
 * are not finite, or memory is exhausted. */
double motion_figure_size(const pm_motion_content *content);

#endif
