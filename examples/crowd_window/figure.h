/* SPDX-License-Identifier: MIT
 *
 * The mesh of the figure of examples/crowd/body.h: tubes around its bones.
 */
#ifndef EXAMPLES_CROWD_WINDOW_FIGURE_H
#define EXAMPLES_CROWD_WINDOW_FIGURE_H

#include "mesh.h"

/* False: out of memory. Joints are those of enum body_joint. */
bool figure_mesh(mesh *m);

#endif
