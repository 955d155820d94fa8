/* SPDX-License-Identifier: MIT
 *
 * A crowd as a picture: stick figures on a plain in perspective, from matrices in model space.
 */
#ifndef EXAMPLES_CROWD_PICTURE_H
#define EXAMPLES_CROWD_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "agents.h"

/* Writes SVG. `models` are a PM_CROWD_MODEL output, `slots` say where in an instance's joints
 * each joint of the body lies. False when memory or the file fails, and errno says why. */
bool picture_write(FILE *file, const agent *agents, size_t count, const float *models,
                   const size_t *slots);

#endif
