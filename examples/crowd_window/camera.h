/* SPDX-License-Identifier: MIT
 *
 * A camera that turns round the middle of the crowd.
 */
#ifndef EXAMPLES_CROWD_WINDOW_CAMERA_H
#define EXAMPLES_CROWD_WINDOW_CAMERA_H

typedef struct camera {
    double turn, rise; /* radians: about y, and above the ground */
    double distance;   /* metres from the middle */
    double steepness;  /* of the ground along z */
} camera;

/* A view of a crowd that stands on a disc. */
camera camera_of(double radius);

/* Metres; y is up, and the ground is at y = steepness * z. */
void camera_eye(const camera *c, double eye[3]);

/* The matrix from the world to clip space, column by column as OpenGL takes it. `aspect` is width by
 * height. */
void camera_matrix(const camera *c, double aspect, float matrix[16]);

#endif
