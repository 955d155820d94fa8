/* SPDX-License-Identifier: MIT
 *
 * Draws a scene: all members in one instanced draw, their shadows, and the ground.
 */
#ifndef EXAMPLES_CROWD_WINDOW_DRAWING_H
#define EXAMPLES_CROWD_WINDOW_DRAWING_H

#include "camera.h"
#include "gl.h"
#include "palettes.h"
#include "scene.h"

typedef struct drawing {
    GLuint figure, sword, ground, shadow; /* programs */
    GLuint figure_array, no_array;        /* vertex arrays */
    GLuint vertices, indices, places;
    GLuint query; /* of the time that drawing takes */
    bool asked;
    size_t index_count, vertex_count;
    double milliseconds; /* of the last frame whose time is known; 0: not yet */
} drawing;

pm_status drawing_open(drawing *d, const scene *s, pm_error *error);
void drawing_close(drawing *d);

/* Draws into the framebuffer that is bound. */
void drawing_frame(drawing *d, const scene *s, palettes *p, const camera *c, int width, int height);

/* The positions that the vertex shader computes, by transform feedback: (count, vertices, 3). */
pm_status drawing_positions(drawing *d, const scene *s, palettes *p, float *positions,
                            pm_error *error);

#endif
