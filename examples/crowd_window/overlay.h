/* SPDX-License-Identifier: MIT
 *
 * Lines of text over the picture.
 */
#ifndef EXAMPLES_CROWD_WINDOW_OVERLAY_H
#define EXAMPLES_CROWD_WINDOW_OVERLAY_H

#include "gl.h"

typedef struct overlay {
    GLuint program, array, characters;
} overlay;

pm_status overlay_open(overlay *o, pm_error *error);
void overlay_close(overlay *o);

/* Lines are separated by '\n'. They begin at the upper left corner. */
void overlay_draw(const overlay *o, const char *text, int width, int height);

#endif
