/* SPDX-License-Identifier: MIT
 *
 * View and perspective.
 */
#include "camera.h"

#include <math.h>
#include <stddef.h>

static const double target_height = 0.9; /* metres: the camera looks at the hips of the middle */
static const double field = 0.7;         /* radians from the lower to the upper edge */
static const double nearest = 0.2, farthest = 1500;

/* Among those who change from walk to run, some metres above their heads. */
camera camera_of(double radius) {
    const double distance = 6 + 0.62 * radius;
    return (camera){.turn = 0.6, .rise = fmin(0.2, 4.5 / distance), .distance = distance};
}

void camera_eye(const camera *c, double eye[3]) {
    eye[0] = c->distance * cos(c->rise) * sin(c->turn);
    eye[1] = c->distance * sin(c->rise) + target_height;
    eye[2] = c->distance * cos(c->rise) * cos(c->turn);
    eye[1] += c->steepness * eye[2];
}

void camera_matrix(const camera *c, double aspect, float matrix[16]) {
    double eye[3];
    camera_eye(c, eye);
    /* rows of the rotation from the world to the camera, which looks along its -z */
    const double rows[3][3] = {
        {cos(c->turn), 0, -sin(c->turn)},
        {-sin(c->rise) * sin(c->turn), cos(c->rise), -sin(c->rise) * cos(c->turn)},
        {cos(c->rise) * sin(c->turn), sin(c->rise), cos(c->rise) * cos(c->turn)}};
    const double zoom = 1 / tan(field / 2);
    const double deep = (farthest + nearest) / (nearest - farthest);
    const double shift = 2 * farthest * nearest / (nearest - farthest);
    for (int column = 0; column < 4; column++) {
        double seen[3];
        for (int i = 0; i < 3; i++)
            seen[i] = column < 3
                          ? rows[i][column]
                          : -(rows[i][0] * eye[0] + rows[i][1] * eye[1] + rows[i][2] * eye[2]);
        float *out = matrix + (ptrdiff_t)4 * column;
        out[0] = (float)(zoom / aspect * seen[0]);
        out[1] = (float)(zoom * seen[1]);
        out[2] = (float)(deep * seen[2] + (column == 3 ? shift : 0));
        out[3] = (float)-seen[2];
    }
}
