/* SPDX-License-Identifier: MIT
 *
 * Draws a crowd: stick figures on a plain in perspective, from matrices in model space.
 */
#ifndef EXAMPLES_CROWD_PICTURE_H
#define EXAMPLES_CROWD_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "agents.h"

/* Writes SVG. `models` is a PM_CROWD_MODEL output. `slots` is the position of each body joint among
 * the joints of an instance. False on exhausted memory or a file error, with errno. */
bool picture_write(FILE *file, const agent *agents, size_t count, const float *models,
                   const uint32_t *slots);

#endif
