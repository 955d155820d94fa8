/* SPDX-License-Identifier: MIT
 *
 * Points in double that a frame of slerps and linear positions, or of screws, moves: the kernel of points_curves.cl, with
 * arcs in double in place of curves in float32.
 */
#define PM_POINTS_KERNEL points_arcs
#define PM_OF_ARCS 1

#include "points_curves.cl"
