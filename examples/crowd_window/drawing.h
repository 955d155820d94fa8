/* SPDX-License-Identifier: MIT
 *
 * Draws a scene: all members in one instanced draw, their shadows, and the ground.
 */
#ifndef EXAMPLES_CROWD_WINDOW_DRAWING_H
#define EXAMPLES_CROWD_WINDOW_DRAWING_H

#include "gl.h"
#include "palettes.h"

/* Turns round the middle of the crowd. y is up. */
typedef struct camera {
    double turn, rise; /* radians: about y, and above the ground */
    double distance;   /* metres from the middle */
} camera;

/* A view of a crowd that stands on a disc. */
camera camera_of(double radius);

/* Metres. */
void camera_eye(const camera *c, double eye[3]);

typedef struct drawing {
    GLuint figure, ground, shadow; /* programs */
    GLuint figure_array, no_array; /* vertex arrays */
    GLuint vertices, indices, places;
} drawing;

void drawing_open(drawing *d, const mesh *m);
void drawing_close(drawing *d);

/* Draws into the framebuffer that is bound. */
void drawing_frame(drawing *d, const scene *s, const palettes *p, const camera *c, int width,
                   int height);

#endif
